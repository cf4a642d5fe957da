// SPDX-License-Identifier: Apache-2.0
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hostile_draft.h"

/* State of a connection. */
enum fate { GOES_ON, ENDED, WRONG };

struct run {
	struct hostile hostile;
	struct draft draft;
	struct hostile_report *report;
	const char *wrong;
};

static enum fate fail(struct run *run, const char *what)
{
	run->wrong = what;
	return WRONG;
}

static bool open_files(struct hostile *h)
{
	int pair[2];
	bool good = true;

	h->files[FILE_MEMORY] = memfd_create("emu-test-hostile", MFD_CLOEXEC);
	h->files[FILE_EVENT] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	h->files[FILE_EMPTY] = memfd_create("emu-test-empty", MFD_CLOEXEC);
	if (pipe2(pair, O_CLOEXEC))
		return false;
	h->files[FILE_PIPE_READ] = pair[0];
	h->files[FILE_PIPE_WRITE] = pair[1];
	h->files[FILE_NULL] = open("/dev/null", O_RDWR | O_CLOEXEC);
	h->files[FILE_FOLDER] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	h->files[FILE_READ_ONLY] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	h->files[FILE_PATH] = open("/dev/null", O_PATH | O_CLOEXEC);
	h->files[FILE_EPOLL] = epoll_create1(EPOLL_CLOEXEC);
	h->files[FILE_SOCKET] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (unsigned i = 0; i < FILES; i++)
		good = good && h->files[i] >= 0;
	return good && !ftruncate(h->files[FILE_MEMORY], DRAFT_HOST_BYTES);
}

static void close_files(struct hostile *h)
{
	for (unsigned i = 0; i < FILES; i++)
		close(h->files[i]);
}

/* Sends the draft, with the size in its header, plus `more` zero bytes. */
static int send_draft(struct run *run, size_t more)
{
	static uint8_t bytes[sizeof(struct vfu_header) + DRAFT_BYTES_MAX + VFU_MESSAGE_MAX];
	const struct draft *d = &run->draft;
	size_t len = sizeof(d->header) + d->bytes;

	memcpy(bytes, &d->header, sizeof(d->header));
	memcpy(bytes + sizeof(d->header), d->payload, d->bytes);
	memset(bytes + len, 0, more);
	run->report->messages++;
	return client_send(&run->hostile.client, bytes, len + more, d->fds, d->fd_count);
}

/* After its answers to earlier messages the server must disconnect. */
static enum fate expect_hang_up(struct run *run)
{
	int error;

	do
		error = client_receive(&run->hostile.client);
	while (!error);
	if (error != -ECONNRESET)
		return fail(run, error == -ETIMEDOUT ? "does not hang up" : "sends what is no reply");
	run->report->hung_up++;
	return ENDED;
}

static enum fate expect_end(struct run *run)
{
	shutdown(run->hostile.client.fd, SHUT_WR);
	return expect_hang_up(run);
}

static enum fate expect_reply(struct run *run)
{
	const struct vfu_header *asked = &run->draft.header, *got = &run->hostile.client.header;
	int error = client_receive(&run->hostile.client);

	if (error)
		return fail(run, error == -ETIMEDOUT ? "does not answer" : "hangs up on a whole message");
	if (got->id != asked->id || got->command != asked->command || (got->flags & VFU_FLAG_TYPE) != VFU_FLAG_REPLY)
		return fail(run, "answers something else");
	if (!(got->flags & VFU_FLAG_ERROR) != !got->error)
		return fail(run, "says error and none");
	if (got->error)
		run->report->refused++;
	else
		run->report->done++;
	return GOES_ON;
}

/* A message of the size in its header. */
static enum fate send_honest(struct run *run)
{
	struct hostile *h = &run->hostile;
	struct draft *d = &run->draft;
	bool no_reply = hostile_one_in(h, 20), reply = hostile_one_in(h, 300);
	int error;

	if (no_reply)
		d->header.flags |= VFU_FLAG_NO_REPLY;
	if (hostile_one_in(h, 20)) /* undefined flags */
		d->header.flags |= (uint32_t)hostile_any(h) & ~(VFU_FLAG_TYPE | VFU_FLAG_NO_REPLY);
	if (hostile_one_in(h, 20))
		d->header.error = (uint32_t)hostile_any(h);
	if (reply)
		d->header.flags |= 1 + hostile_below(h, VFU_FLAG_TYPE);
	error = send_draft(run, 0);
	if (reply || d->fd_count > VFU_FDS_MAX || d->socket)
		return expect_hang_up(run);
	if (error)
		return fail(run, "has hung up before");
	return no_reply ? GOES_ON : expect_reply(run);
}

/* A message of another size than in its header. */
static enum fate send_lie(struct run *run)
{
	struct hostile *h = &run->hostile;
	struct draft *d = &run->draft;
	size_t true_size = d->header.size;

	d->fd_count = hostile_one_in(h, 3) ? d->fd_count : 0;
	if (d->fd_count > VFU_FDS_MAX)
		d->fd_count = VFU_FDS_MAX;
	switch (hostile_below(h, 4)) {
	case 0: /* shorter than a header's size */
		d->header.size = hostile_one_in(h, 2) ? hostile_below(h, 16) :
							VFU_MESSAGE_MAX + 1 + (uint32_t)(hostile_any(h) >> 33);
		send_draft(run, 0);
		return expect_hang_up(run);
	case 1: /* the rest is parsed as the next message */
		d->header.size = 16 + hostile_below(h, (unsigned)d->bytes + 1);
		send_draft(run, 0);
		return expect_end(run);
	case 2: /* the rest is never sent */
		d->header.size += hostile_below(h, (uint32_t)(VFU_MESSAGE_MAX - true_size) + 1);
		send_draft(run, 0);
		if (hostile_one_in(h, 2))
			return ENDED;
		return expect_end(run);
	default: /* less than a header */
		d->bytes = 0;
		run->report->messages++;
		client_send(&h->client, &d->header, 1 + hostile_below(h, 15), d->fds, d->fd_count);
		return expect_end(run);
	}
}

static enum fate begin(struct run *run)
{
	struct hostile *h = &run->hostile;

	if (client_connect(&h->client, h->target->path))
		return fail(run, "takes no client");
	if (hostile_one_in(h, 10))
		return GOES_ON; /* no version negotiated, except by chance */
	if (client_version(&h->client, hostile_one_in(h, 2) ? CLIENT_GOOD_CAPABILITIES : NULL))
		return fail(run, "does not agree on a version");
	if (!hostile_one_in(h, 3))
		draft_prelude(h);
	return GOES_ON;
}

static enum fate connection(struct run *run)
{
	struct hostile *h = &run->hostile;
	enum fate fate = begin(run);
	unsigned messages = hostile_below(h, 160);

	for (unsigned i = 0; i < messages && fate == GOES_ON; i++) {
		run->report->message = i;
		if (hostile_one_in(h, 16))
			draft_disturb_memory(h);
		draft_message(h, &run->draft);
		fate = hostile_one_in(h, 150) ? send_lie(run) : send_honest(run);
	}
	if (fate == GOES_ON && hostile_one_in(h, 2))
		fate = expect_end(run);
	client_close(&h->client);
	return fate;
}

const char *hostile_run(const struct hostile_target *target, uint64_t seed, unsigned messages,
			struct hostile_report *report)
{
	struct run *run = calloc(1, sizeof(*run));
	const char *wrong;

	*report = (struct hostile_report){ 0 };
	if (!run || !open_files(&run->hostile)) {
		free(run);
		return "the test has no memory or files";
	}
	run->hostile.target = target;
	run->report = report;
	for (; report->messages < messages && !run->wrong; report->connections++) {
		/* A seed of its own, so that each connection can be reproduced separately. */
		run->hostile.random = seed + report->connections * UINT64_C(0x632be59bd9b4e019);
		report->connection = report->connections;
		connection(run);
	}
	wrong = run->wrong;
	close_files(&run->hostile);
	free(run);
	return wrong;
}
