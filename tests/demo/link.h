/* SPDX-License-Identifier: Apache-2.0 */
/* What the link between two cards carried, from the counters in /sys/class/gpulink/gpulinkN/link_counters. */
#ifndef DEMO_LINK_H
#define DEMO_LINK_H

#include <stddef.h>
#include <stdint.h>

#include <gpulink_admin.h>

#define LINK_REASON_BYTES 256u

/** Counters of both cards' ends at one time. */
struct link_state {
	uint64_t card[2][GPULINK_LINK_COUNTERS];
};

/** What became of the stores that crossed, both ways together. */
struct link_sums {
	uint64_t flits;		 /**< sent */
	uint64_t stitched;	 /**< flits that went in others */
	uint64_t bytes;		 /**< of the flits sent */
	uint64_t unpacked_bytes; /**< the same stores' flits, each store in a write request of its own and none stitched */
};

/** Reads the counters of two cards, named as they were opened ("gpulinkN" or "/dev/gpulinkN"). Returns 0, or -1 with a
 *  reason in reason[LINK_REASON_BYTES]. */
int link_read(const char *const names[2], struct link_state *state, char *reason);

/** A counter's growth at one card's end. */
uint64_t link_grown(const struct link_state *before, const struct link_state *after, unsigned card, const char *counter);

/** Checks between two times at which nothing was under way that each end received what the other sent, and that
 *  nothing was lost, refused or against the format. Returns 0, or -1 with a reason. */
int link_check(const struct link_state *before, const struct link_state *after, char *reason);

/** Prints what became of stores[c] stores that card c sent to the other, and fills *sums. */
void link_show(const struct link_state *before, const struct link_state *after, const uint64_t stores[2],
	       struct link_sums *sums);

#endif /* DEMO_LINK_H */
