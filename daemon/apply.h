/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the configuration to cards. */
#ifndef GPULINKD_APPLY_H
#define GPULINKD_APPLY_H

#include "config.h"

/**
 * Applies the configuration to one card ("gpulink0"). Only settings that differ are written, because a write flushes the
 * partition and a new endpoint revokes windows. Each failure is logged with its configuration line (not with `quiet`, for
 * retries), and the other rules are applied nevertheless. Returns the number of rules that failed; 1 if the card cannot
 * be read.
 */
unsigned apply_to_card(const struct config *config, const char *card, bool quiet);

/** Applies the configuration to all cards. Returns the number of cards, and the number of failures in *failures. */
unsigned apply_to_all(const struct config *config, bool quiet, unsigned *failures);

#endif /* GPULINKD_APPLY_H */
