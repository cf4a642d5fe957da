// SPDX-License-Identifier: Apache-2.0
#include "irq.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void irq_init(struct irq *irq)
{
	*irq = (struct irq){ 0 };
	for (unsigned i = 0; i < IRQ_VECTORS_MAX; i++)
		irq->fds[i] = -1;
}

/* Another file could block the card, or be written at the client's request. */
static bool is_eventfd(int fd)
{
	char path[40], target[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	return !strcmp(target, "anon_inode:[eventfd]") && !fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void send_pending(struct irq *irq, unsigned vector)
{
	struct pollfd room = { .fd = irq->fds[vector], .events = POLLOUT };
	const uint64_t one = 1;

	if (!irq->pending[vector] || !irq->enabled || irq->fds[vector] < 0)
		return;
	irq->pending[vector] = false;
	/* A full counter is an unserved vector: nothing is lost. Poll first, because the client shares the file and may have
	 * cleared O_NONBLOCK. */
	if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) && write(room.fd, &one, sizeof(one)) < 0 &&
	    errno != EAGAIN)
		irq->pending[vector] = true;
}

int irq_set(struct irq *irq, unsigned start, unsigned count, const int *fds)
{
	bool good = true;

	for (unsigned i = 0; fds && i < count; i++)
		good = good && is_eventfd(fds[i]);
	if (!good) {
		for (unsigned i = 0; i < count; i++)
			close(fds[i]);
		return -EINVAL;
	}
	for (unsigned i = 0; i < count; i++) {
		if (irq->fds[start + i] >= 0)
			close(irq->fds[start + i]);
		irq->fds[start + i] = fds ? fds[i] : -1;
		send_pending(irq, start + i);
	}
	return 0;
}

void irq_raise(struct irq *irq, unsigned vector)
{
	irq->pending[vector] = true;
	send_pending(irq, vector);
}

void irq_enable(struct irq *irq, bool enabled)
{
	irq->enabled = enabled;
	for (unsigned i = 0; enabled && i < IRQ_VECTORS_MAX; i++)
		send_pending(irq, i);
}

void irq_clear(struct irq *irq)
{
	memset(irq->pending, 0, sizeof(irq->pending));
}
