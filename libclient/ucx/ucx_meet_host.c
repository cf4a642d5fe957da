// SPDX-License-Identifier: Apache-2.0
/*
 * Process 0 waits for the others. Anyone may connect: who does not say what a process says is sent away, and who says nothing
 * has to leave when his time is over or his place is needed.
 */
#include "ucx_meet_host.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../error_text.h"
#include "ucx_meet_wire.h"
#include "ucx_message.h"
#include "ucx_progress.h"

#define STRANGERS   64u			 /* connections that have not said who they are */
#define PATIENCE_NS UINT64_C(5000000000) /* with them */
#define LOOK_MS	    200
#define BACKLOG	    1024
#define HELLO	    sizeof(struct glk_meet_hello)

struct guest {
	int fd;
	uint64_t since;
	uint32_t process; /* 0: not known yet */
	bool leaving;	  /* refused: once it has read why, it closes */
	uint8_t *in;	  /* the hello, and what follows */
	size_t got, wanted;
	size_t out; /* of the answer */
};

struct host {
	const struct glk_ucx_options *options;
	struct glk_meet_item *items;
	struct guest *guests;
	struct pollfd *polls;
	size_t room, count;
	uint64_t present; /* processes, with this one */
	int fd;
	uint8_t *answer;
	size_t answer_bytes;
};

static void dismiss(struct host *h, size_t i)
{
	struct guest *g = &h->guests[i];

	if (g->process) { /* it may come again */
		free(h->items[g->process].data);
		h->items[g->process] = (struct glk_meet_item){ 0 };
		h->present--;
	}
	close(g->fd);
	free(g->in);
	*g = h->guests[--h->count];
}

static void ucx_meet_host_refuse(struct host *h, size_t i, enum glk_meet_code code)
{
	const struct glk_meet_answer answer = { .magic = GLK_MEET_MAGIC,
						.version = htole32(GLK_UCX_PROTOCOL),
						.code = htole32(code) };

	/* A new connection has room for it. Closing now would discard it, if the guest's words are not read. */
	h->guests[i].leaving = true;
	if (send(h->guests[i].fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)sizeof(answer) ||
	    shutdown(h->guests[i].fd, SHUT_WR))
		dismiss(h, i);
}

/* A hello is complete. Returns false if the guest is gone. */
static bool greet(struct host *h, size_t i)
{
	struct guest *g = &h->guests[i];
	struct glk_meet_hello hello;
	uint32_t process;
	uint8_t *in;

	memcpy(&hello, g->in, sizeof(hello));
	process = le32toh(hello.process);
	if (memcmp(hello.magic, GLK_MEET_MAGIC, sizeof(hello.magic)) || !hello.bytes || le32toh(hello.bytes) > GLK_MEET_MAX) {
		dismiss(h, i);
		return false;
	}
	if (le32toh(hello.version) != GLK_UCX_PROTOCOL || le32toh(hello.processes) != h->options->processes ||
	    process >= h->options->processes) {
		ucx_meet_host_refuse(h, i, le32toh(hello.version) != GLK_UCX_PROTOCOL ? GLK_MEET_VERSION : GLK_MEET_PROCESSES);
		return false;
	}
	g->wanted = HELLO + le32toh(hello.bytes);
	in = realloc(g->in, g->wanted);
	if (!in)
		dismiss(h, i);
	else
		g->in = in;
	return in;
}

/* A guest has said everything. */
static void seat(struct host *h, size_t i)
{
	struct guest *g = &h->guests[i];
	struct glk_meet_hello hello;
	uint32_t process;

	memcpy(&hello, g->in, sizeof(hello));
	process = le32toh(hello.process);
	if (h->items[process].data || !process) {
		ucx_meet_host_refuse(h, i, GLK_MEET_RANK);
		return;
	}
	memmove(g->in, g->in + HELLO, g->wanted - HELLO);
	h->items[process] = (struct glk_meet_item){ g->in, (uint32_t)(g->wanted - HELLO) };
	g->in = NULL;
	g->process = process;
	h->present++;
}

static void hear(struct host *h, size_t i)
{
	struct guest *g = &h->guests[i];
	bool done = g->process || g->leaving;
	uint8_t rest[512];
	ssize_t got = recv(g->fd, done ? rest : g->in + g->got, done ? sizeof(rest) : g->wanted - g->got, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0 && g->leaving)
		return;
	if (got <= 0 || g->process) { /* gone, or says more than it should */
		dismiss(h, i);
		return;
	}
	g->got += (size_t)got;
	if (g->got == HELLO && g->wanted == HELLO && !greet(h, i))
		return;
	if (g->got == g->wanted)
		seat(h, i);
}

static void admit(struct host *h)
{
	int fd = accept4(h->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	uint8_t *in = fd < 0 ? NULL : malloc(HELLO);

	for (size_t i = 0; h->count == h->room && i < h->count; i++)
		if (!h->guests[i].process) /* the first is not younger than others, mostly */
			dismiss(h, i);
	if (!in) {
		if (fd >= 0)
			close(fd);
		return;
	}
	h->guests[h->count++] = (struct guest){ .fd = fd, .since = glk_progress_now(), .in = in, .wanted = HELLO };
}

/* One look at all. `events`: of guests. */
static void ucx_meet_host_look(struct host *h, short events, void (*ready)(struct host *h, size_t guest))
{
	uint64_t now;

	for (size_t i = 0; i < h->count; i++)
		h->polls[i] = (struct pollfd){ .fd = h->guests[i].fd, .events = events };
	h->polls[h->count] = (struct pollfd){ .fd = h->fd, .events = POLLIN };
	if (poll(h->polls, h->count + 1, LOOK_MS) < 0)
		return;
	now = glk_progress_now();
	if (h->polls[h->count].revents)
		admit(h);
	for (size_t i = h->count; i-- > 0;) { /* whoever is dismissed is replaced by one behind */
		if (h->guests[i].fd == h->polls[i].fd && h->polls[i].revents)
			ready(h, i);
		else if (!h->guests[i].process && now > h->guests[i].since + PATIENCE_NS)
			dismiss(h, i);
	}
}

/* --- the answer --- */

static bool write_answer(struct host *h)
{
	uint64_t processes = h->options->processes, bytes = 0;
	struct glk_meet_answer head = { .magic = GLK_MEET_MAGIC, .version = htole32(GLK_UCX_PROTOCOL) };
	uint8_t *at;

	for (uint64_t p = 0; p < processes; p++)
		bytes += sizeof(uint32_t) + h->items[p].bytes;
	h->answer_bytes = sizeof(head) + bytes;
	h->answer = at = malloc(h->answer_bytes);
	if (!at)
		return false;
	head.bytes = htole64(bytes);
	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	for (uint64_t p = 0; p < processes; p++) {
		uint32_t length = htole32(h->items[p].bytes);

		memcpy(at, &length, sizeof(length));
		memcpy(at + sizeof(length), h->items[p].data, h->items[p].bytes);
		at += sizeof(length) + h->items[p].bytes;
	}
	return true;
}

/* Guests leave when they have the answer. */
static void ucx_meet_host_tell(struct host *h, size_t i)
{
	struct guest *g = &h->guests[i];
	ssize_t sent = g->process ? send(g->fd, h->answer + g->out, h->answer_bytes - g->out, MSG_NOSIGNAL) : -1;

	if (sent < 0 && g->process && (errno == EAGAIN || errno == EINTR))
		return;
	if (sent > 0)
		g->out += (size_t)sent;
	if (sent <= 0 || g->out == h->answer_bytes) { /* one that is gone is a lost process later */
		g->process = 0;
		dismiss(h, i);
	}
}

/* --- process 0 --- */

static int listen_at(const struct addrinfo *list)
{
	int one = 1, cause = EADDRNOTAVAIL;

	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);

		if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
		    !bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, BACKLOG))
			return fd;
		cause = errno;
		if (fd >= 0)
			close(fd);
	}
	errno = cause;
	return -1;
}

static int receive_all(struct host *h, uint64_t deadline)
{
	while (h->present < h->options->processes) {
		if (glk_progress_now() >= deadline)
			return glk_error(-GPULINK_ETIMEDOUT, "%" PRIu64 " of %" PRIu64 " processes came within %" PRIu64 " s",
					 h->present, h->options->processes, h->options->timeout);
		ucx_meet_host_look(h, POLLIN, hear);
	}
	if (!write_answer(h))
		return -GPULINK_ENOMEM;
	close(h->fd);
	h->fd = -1;
	while (h->count) {
		if (glk_progress_now() >= deadline)
			return -GPULINK_ETIMEDOUT;
		ucx_meet_host_look(h, POLLOUT, ucx_meet_host_tell);
	}
	return 0;
}

int glk_meet_host(const struct glk_ucx_options *o, const struct addrinfo *list, const struct glk_meet_item *own,
		  struct glk_meet_item *items, uint64_t deadline)
{
	struct host h = { .options = o, .items = items, .present = 1, .room = o->processes + STRANGERS, .fd = listen_at(list) };
	int error = -GPULINK_ENOMEM, cause;

	if (h.fd < 0)
		return glk_error_errno(-GPULINK_EIO, "option at=%s:%s, listening", o->host, o->port);
	h.guests = calloc(h.room, sizeof(*h.guests));
	h.polls = calloc(h.room + 1, sizeof(*h.polls));
	items[0].data = malloc(own->bytes);
	if (h.guests && h.polls && items[0].data) {
		memcpy(items[0].data, own->data, own->bytes);
		items[0].bytes = own->bytes;
		error = receive_all(&h, deadline);
	}
	cause = errno;
	while (h.count) {
		h.guests[0].process = 0; /* its item is the caller's */
		dismiss(&h, 0);
	}
	if (h.fd >= 0)
		close(h.fd);
	free(h.answer);
	free(h.guests);
	free(h.polls);
	errno = cause;
	return error;
}
