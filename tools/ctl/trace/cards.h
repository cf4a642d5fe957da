/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of all cards, for the packets that the processes' stores left in. */
#ifndef GPULINKCTL_TRACE_CARDS_H
#define GPULINKCTL_TRACE_CARDS_H

#include <gpulink.h>

#define CARDS_MAX 16

struct cards {
	unsigned count;
	struct {
		char name[16];
		struct gpulink_counters now, before; /**< sums of all partitions */
	} cards[CARDS_MAX];
};

/** Reads the counters; the previous ones are kept. A card that cannot be read (reset, removed) counts nothing meanwhile. */
void cards_read(struct cards *cards);

struct json_object;

/** What the cards counted between the last two reads. NULL: out of memory. */
struct json_object *cards_json(const struct cards *cards);

#endif /* GPULINKCTL_TRACE_CARDS_H */
