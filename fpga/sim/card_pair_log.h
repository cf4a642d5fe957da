/* SPDX-License-Identifier: Apache-2.0 */
/* Between what the pair does and what compares it: logs of what a card did, and how a difference is told. */
#ifndef GLK_CARD_PAIR_LOG_H
#define GLK_CARD_PAIR_LOG_H

#include "card_pair.h"

/* An event behind the others, with its data. */
struct pair_event *pair_log_add(struct pair_log *log, const void *data, size_t len);
void pair_log_free(struct pair_log *log);

/* Fails where bytes differ. */
void pair_compare(struct pair *pair, const char *what, uint64_t offset, const uint8_t *expected, const uint8_t *got, size_t len);
/* Fails if the card broke a rule, or with what a function of card_dut.h returned. */
void pair_card_did(struct pair *pair, int error);

#endif /* GLK_CARD_PAIR_LOG_H */
