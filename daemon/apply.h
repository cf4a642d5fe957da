/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing cards to the state that the configuration wants. */
#ifndef GPULINKD_APPLY_H
#define GPULINKD_APPLY_H

#include "config.h"

/**
 * Applies the configuration to one card ("gpulink0"). Only what differs is written: a write flushes the partition,
 * and a new endpoint revokes windows. Every failure is logged with the line that wanted it; the others are applied
 * all the same; `quiet` leaves failures out of the log, for another try. Returns how many rules could not be applied
 * (also one when the card could not be read).
 */
unsigned apply_to_card(const struct config *config, const char *card, bool quiet);

/** Applies it to all cards that are there; returns the number of cards, `*failures` the sum of the above. */
unsigned apply_to_all(const struct config *config, bool quiet, unsigned *failures);

#endif /* GPULINKD_APPLY_H */
