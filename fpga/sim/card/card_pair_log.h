/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of a card's writes and packets, and how a difference is reported. */
#ifndef GLK_CARD_PAIR_LOG_H
#define GLK_CARD_PAIR_LOG_H

#include "card_pair.h"

/* An event behind the others, with its data. */
struct pair_event *pair_log_add(struct pair_log *log, const void *data, size_t len);
/* The first event that was not taken yet (log->next), or NULL. */
struct pair_event *pair_log_next(struct pair_log *log);
void pair_log_empty(struct pair_log *log);
void pair_log_free(struct pair_log *log);

/* Fails where bytes differ. */
void pair_compare(struct pair *pair, const char *what, uint64_t offset, const uint8_t *expected, const uint8_t *got, size_t len);
/* Fails if the card broke a rule, or with what a function of card_dut.h returned. */
void pair_card_did(struct pair *pair, int error);

#endif /* GLK_CARD_PAIR_LOG_H */
