/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a queue without a driver: an eventfd that is readable while completions wait. */
#ifndef GLK_READY_EVENT_H
#define GLK_READY_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cancel.h"

struct glk_ready_event {
	int fd; /* or -1: nobody asked for it yet */
	bool raised;
};

static inline void glk_ready_event_update(struct glk_ready_event *event, bool ready)
{
	uint64_t value = 1;
	ssize_t moved;

	if (event->fd < 0 || event->raised == ready)
		return;
	GLK_UNCANCELLABLE(state);
	moved = ready ? write(event->fd, &value, sizeof(value)) : read(event->fd, &value, sizeof(value));
	if (moved == (ssize_t)sizeof(value))
		event->raised = ready;
}

/* Returns the descriptor, or -1. */
static inline int glk_ready_event_open(struct glk_ready_event *event, bool ready)
{
	if (event->fd < 0)
		event->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	glk_ready_event_update(event, ready);
	return event->fd;
}

static inline void glk_ready_event_close(const struct glk_ready_event *event)
{
	GLK_UNCANCELLABLE(state);

	if (event->fd >= 0)
		close(event->fd);
}

#endif /* GLK_READY_EVENT_H */
