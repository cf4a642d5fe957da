/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of a card's writes and packets, and reports of differences. */
#ifndef GLK_CARD_PAIR_LOG_H
#define GLK_CARD_PAIR_LOG_H

#include "card_pair.h"

/* Appends an event with its data. */
struct pair_event *pair_log_add(struct pair_log *log, const void *data, size_t len);
/* The next event (log->next), or NULL. */
struct pair_event *pair_log_next(struct pair_log *log);
void pair_log_empty(struct pair_log *log);
void pair_log_free(struct pair_log *log);

/* Fails if bytes differ. */
void pair_compare(struct pair *pair, const char *what, uint64_t offset, const uint8_t *expected, const uint8_t *got,
		  size_t len);
/* Fails on a protocol violation by the card, or on an error returned by a function of card_dut.h. */
void pair_card_did(struct pair *pair, int error);

#endif /* GLK_CARD_PAIR_LOG_H */
