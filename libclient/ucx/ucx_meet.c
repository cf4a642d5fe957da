// SPDX-License-Identifier: Apache-2.0
/* The processes that come to process 0, and process 0's choice of how it meets them: ucx_meet_host.c. */
#include "ucx_meet.h"

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../error_text.h"
#include "ucx_meet_host.h"
#include "ucx_meet_wire.h"
#include "ucx_message.h"
#include "ucx_progress.h"

#define RETRY_NS 50000000
#define MS	 1000000u

void glk_meet_free(struct glk_meet_item *items, uint64_t processes)
{
	for (uint64_t p = 0; p < processes; p++)
		free(items[p].data);
}

/* Waits for a socket. Returns whether it is ready in time. */
static bool ucx_meet_await(int fd, short events, uint64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };
	uint64_t now = glk_progress_now();

	return now < deadline && poll(&p, 1, (int)((deadline - now) / MS) + 1) > 0;
}

/* Sends or receives all of it. Returns 0, ETIMEDOUT, or EIO: the connection is gone. */
static int transfer(int fd, bool out, void *data, size_t bytes, uint64_t deadline)
{
	uint8_t *at = data;

	while (bytes) {
		ssize_t moved = out ? send(fd, at, bytes, MSG_NOSIGNAL) : recv(fd, at, bytes, 0);

		if (moved > 0) {
			at += moved;
			bytes -= (size_t)moved;
		} else if (moved == 0 || (errno != EAGAIN && errno != EINTR)) {
			return -GPULINK_EIO;
		} else if (!ucx_meet_await(fd, out ? POLLOUT : POLLIN, deadline)) {
			return -GPULINK_ETIMEDOUT;
		}
	}
	return 0;
}

/* One attempt. Returns a socket, or -1. */
static int try_connect(const struct addrinfo *list, uint64_t deadline)
{
	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol), error = 0;
		socklen_t size = sizeof(error);

		if (fd < 0)
			continue;
		if (!connect(fd, a->ai_addr, a->ai_addrlen) || (errno == EINPROGRESS && ucx_meet_await(fd, POLLOUT, deadline) &&
								!getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) && !error))
			return fd;
		close(fd);
	}
	return -1;
}

static int refused(uint32_t code)
{
	errno = code == GLK_MEET_RANK ? EEXIST : EINVAL;
	if (code == GLK_MEET_RANK)
		return glk_error(-GPULINK_EINVAL, "option rank: another process has it");
	if (code == GLK_MEET_PROCESSES)
		return glk_error(-GPULINK_EINVAL, "option processes: must be that of process 0");
	if (code == GLK_MEET_VERSION)
		return glk_error(-GPULINK_EABI, "process 0 is of another version of the library");
	return code == GLK_MEET_VERSION ? -GPULINK_EABI : code > GLK_MEET_RANK ? -GPULINK_EPROTO : -GPULINK_EINVAL;
}

/* What follows the answer. */
static int take_items(const uint8_t *at, uint64_t bytes, struct glk_meet_item *items, uint64_t processes)
{
	for (uint64_t p = 0; p < processes; p++) {
		uint32_t length;

		if (bytes < sizeof(length))
			return -GPULINK_EPROTO;
		memcpy(&length, at, sizeof(length));
		length = le32toh(length);
		at += sizeof(length);
		bytes -= sizeof(length);
		if (!length || length > bytes || length > GLK_MEET_MAX)
			return -GPULINK_EPROTO;
		items[p].data = malloc(length);
		if (!items[p].data)
			return -GPULINK_ENOMEM;
		memcpy(items[p].data, at, length);
		items[p].bytes = length;
		at += length;
		bytes -= length;
	}
	return bytes ? -GPULINK_EPROTO : 0;
}

static int converse(int fd, const struct glk_ucx_options *o, const struct glk_meet_item *own, struct glk_meet_item *items,
		    uint64_t deadline)
{
	struct glk_meet_hello hello = {
		.magic = GLK_MEET_MAGIC, .version = htole32(GLK_UCX_PROTOCOL), .process = htole32((uint32_t)o->process),
		.processes = htole32((uint32_t)o->processes), .bytes = htole32(own->bytes),
	};
	struct glk_meet_answer answer;
	uint8_t *rest;
	int error = transfer(fd, true, &hello, sizeof(hello), deadline);

	if (!error)
		error = transfer(fd, true, own->data, own->bytes, deadline);
	if (!error)
		error = transfer(fd, false, &answer, sizeof(answer), deadline);
	if (error)
		return error;
	if (memcmp(answer.magic, GLK_MEET_MAGIC, sizeof(answer.magic)))
		return -GPULINK_EPROTO;
	if (answer.code)
		return refused(le32toh(answer.code));
	if (le32toh(answer.version) != GLK_UCX_PROTOCOL)
		return -GPULINK_EABI;
	if (le64toh(answer.bytes) > o->processes * (GLK_MEET_MAX + sizeof(uint32_t)))
		return -GPULINK_EPROTO;
	rest = malloc(le64toh(answer.bytes) + 1);
	if (!rest)
		return -GPULINK_ENOMEM;
	error = transfer(fd, false, rest, le64toh(answer.bytes), deadline);
	if (!error)
		error = take_items(rest, le64toh(answer.bytes), items, o->processes);
	free(rest);
	return error;
}

/* Process 0 may come later, or again. */
static int ucx_meet_join(const struct glk_ucx_options *o, const struct addrinfo *list, const struct glk_meet_item *own,
			 struct glk_meet_item *items, uint64_t deadline)
{
	int error = -GPULINK_EIO;

	while (error == -GPULINK_EIO && glk_progress_now() < deadline) {
		int fd = try_connect(list, deadline);

		if (fd >= 0) {
			error = converse(fd, o, own, items, deadline);
			close(fd);
		}
		if (error == -GPULINK_EIO)
			nanosleep(&(struct timespec){ .tv_nsec = RETRY_NS }, NULL);
	}
	if (error == -GPULINK_EIO || error == -GPULINK_ETIMEDOUT)
		return glk_error(-GPULINK_ETIMEDOUT, "process 0 at %s:%s: not all processes came within %" PRIu64 " s", o->host,
				 o->port, o->timeout);
	return error;
}

int glk_meet_tcp(const struct glk_ucx_options *o, const struct glk_meet_item *own, struct glk_meet_item *items)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICSERV | (o->process ? 0 : AI_PASSIVE), .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
	};
	uint64_t deadline = glk_progress_now() + o->timeout * 1000000000u;
	struct addrinfo *list;
	int error;

	if (getaddrinfo(o->host, o->port, &hints, &list)) {
		errno = EADDRNOTAVAIL;
		return glk_error(-GPULINK_EINVAL, "option at=%s:%s: no such host", o->host, o->port);
	}
	error = o->process ? ucx_meet_join(o, list, own, items, deadline) : glk_meet_host(o, list, own, items, deadline);
	freeaddrinfo(list);
	return error;
}
