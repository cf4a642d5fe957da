/* SPDX-License-Identifier: Apache-2.0 */
/* What the link between two cards carried, from the counters in /sys/class/gpulink/gpulinkN/link_counters. */
#ifndef DEMO_LINK_H
#define DEMO_LINK_H

#include <stddef.h>
#include <stdint.h>

#include <gpulink_admin.h>

#define LINK_REASON_BYTES 256u

/** A snapshot of both cards' link counters. */
struct link_state {
	uint64_t card[2][GPULINK_LINK_COUNTERS];
};

/** Link statistics of the stores between the cards, both directions together. */
struct link_sums {
	uint64_t flits;		 /**< sent */
	uint64_t stitched;	 /**< flits stitched into others */
	uint64_t bytes;		 /**< of the flits sent */
	uint64_t unpacked_bytes; /**< for the same stores with one write request per store, without stitching */
};

/** Reads the counters of two cards, named as they were opened ("gpulinkN" or "/dev/gpulinkN"). Returns 0, or -1 with a
 *  reason in reason[LINK_REASON_BYTES]. */
int link_read(const char *const names[2], struct link_state *state, char *reason);

/** The increase of one card's counter. */
uint64_t link_grown(const struct link_state *before, const struct link_state *after, unsigned card, const char *counter);

/** Checks, between two snapshots of an idle link, that each card received what the other sent, and that no packets were
 *  lost, refused or malformed. Returns 0, or -1 with a reason. */
int link_check(const struct link_state *before, const struct link_state *after, char *reason);

/** Prints the link statistics of the stores[c] stores that card c sent to the other, and fills *sums. */
void link_show(const struct link_state *before, const struct link_state *after, const uint64_t stores[2],
	       struct link_sums *sums);

#endif /* DEMO_LINK_H */
