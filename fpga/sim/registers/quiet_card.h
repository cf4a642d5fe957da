/* SPDX-License-Identifier: Apache-2.0 */
/* A card of the model on a platform on which nothing happens, for its registers' sake. */
#ifndef GLK_QUIET_CARD_H
#define GLK_QUIET_CARD_H

#include <card/card.h>

/* Fills in a configuration with its platform; `link`: with one, that is down. */
void quiet_card_config(struct glk_card_config *config, bool link);
/* The card; ends the program when it cannot be made. */
struct glk_card *quiet_card_create(const struct glk_card_config *config);

uint64_t quiet_card_read(struct glk_card *card, unsigned offset);
/* Returns whether it was refused. ERROR_CAUSE is cleared before. */
bool quiet_card_write(struct glk_card *card, unsigned offset, unsigned size, uint64_t value);

#endif /* GLK_QUIET_CARD_H */
