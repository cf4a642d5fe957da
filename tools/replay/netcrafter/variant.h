/* SPDX-License-Identifier: Apache-2.0 */
/* Which of NetCrafter's parts are on: what the paper compares in its Fig. 14, and what is beyond it. */
#ifndef REPLAY_NETCRAFTER_VARIANT_H
#define REPLAY_NETCRAFTER_VARIANT_H

#include "netcrafter.h"

#define VARIANTS_MAX 16u

struct netcrafter_variant {
	const char *name;
	const char *summary;
	bool stitching, pooling, trimming, sequencing, packed, tuned;
	bool data_first; /* the setting's number of accesses of data goes first, instead of page walks */
	bool ideal; /* the link is as fast as what is within a cluster */
};

/** All of them, the first is what others are compared with. NULL behind the last. */
const struct netcrafter_variant *netcrafter_variant_at(unsigned i);
const struct netcrafter_variant *netcrafter_variant_named(const char *name);

/** The setting with only those parts on that the variant has. */
struct netcrafter_setting netcrafter_variant_setting(const struct netcrafter_variant *variant,
						     const struct netcrafter_setting *setting);

#endif /* REPLAY_NETCRAFTER_VARIANT_H */
