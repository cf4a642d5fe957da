/* SPDX-License-Identifier: Apache-2.0 */
/* The model's card on an inactive platform, as reference for register accesses. */
#ifndef GLK_QUIET_CARD_H
#define GLK_QUIET_CARD_H

#include <card/card.h>

/* Fills in a configuration with its platform; `link`: with a link, which is down. */
void quiet_card_config(struct glk_card_config *config, bool link);
/* Creates the card; exits on failure. */
struct glk_card *quiet_card_create(const struct glk_card_config *config);

uint64_t quiet_card_read(struct glk_card *card, unsigned offset);
/* Returns whether the write was refused. Clears ERROR_CAUSE first. */
bool quiet_card_write(struct glk_card *card, unsigned offset, unsigned size, uint64_t value);

#endif /* GLK_QUIET_CARD_H */
