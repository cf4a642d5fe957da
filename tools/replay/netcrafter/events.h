/* SPDX-License-Identifier: Apache-2.0 */
/* What is to happen when: by time, and at one time in the order in which it was noted. */
#ifndef REPLAY_NETCRAFTER_EVENTS_H
#define REPLAY_NETCRAFTER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
	uint64_t time;
	uint64_t order; /**< of noting; events_add() sets it */
	uint32_t what, which;
};

/** All zero is empty. */
struct events {
	struct event *heap;
	size_t count, room;
	uint64_t noted;
};

/** Returns 0 or -ENOMEM. */
int events_add(struct events *events, uint64_t time, uint32_t what, uint32_t which);

/** The next one, taken out. Returns false when there is none. */
bool events_take(struct events *events, struct event *event);

void events_free(struct events *events);

#endif /* REPLAY_NETCRAFTER_EVENTS_H */
