// SPDX-License-Identifier: Apache-2.0
#include "events.h"

#include <errno.h>
#include <stdlib.h>

static bool before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

int events_add(struct events *e, uint64_t time, uint32_t what, uint32_t which)
{
	const struct event event = { .time = time, .order = e->noted++, .what = what, .which = which };
	size_t at = e->count;

	if (e->count == e->room) {
		size_t room = e->room ? 2 * e->room : 1024;
		struct event *heap = reallocarray(e->heap, room, sizeof(*heap));

		if (!heap)
			return -ENOMEM;
		e->heap = heap;
		e->room = room;
	}
	e->count++;
	for (; at && before(&event, &e->heap[(at - 1) / 2]); at = (at - 1) / 2)
		e->heap[at] = e->heap[(at - 1) / 2];
	e->heap[at] = event;
	return 0;
}

bool events_take(struct events *e, struct event *event)
{
	struct event last;
	size_t at = 0;

	if (!e->count)
		return false;
	*event = e->heap[0];
	last = e->heap[--e->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < e->count && before(&e->heap[child + 1], &e->heap[child]))
			child++;
		if (child >= e->count || before(&last, &e->heap[child]))
			break;
		e->heap[at] = e->heap[child];
		at = child;
	}
	e->heap[at] = last;
	return true;
}

void events_free(struct events *events)
{
	free(events->heap);
	*events = (struct events){ 0 };
}
