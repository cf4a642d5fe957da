// SPDX-License-Identifier: Apache-2.0
/*
 * A connection either waits for a request or sends an answer, never both: nothing is read while an answer is pending, which
 * bounds the memory of a client. One request runs per iteration of the event loop, so that a client with many requests
 * does not starve the others.
 */
#include "client.h"

#include "protocol/program.h"
#include "protocol/requests.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

struct client {
	int socket;
	sd_event_source *io;
	sd_event_source *stuck; /* armed while a line or an answer is incomplete; restarted for each line */
	sd_event *event;
	struct ucred peer;
	client_right *right;
	client_ended *ended;
	void *user;

	char in[CLIENT_LINE_BYTES];
	size_t in_bytes;
	struct program_files files; /* came with the request that is being read */
	bool in_ended;	   /* the peer has shut down its side */
	bool last_answer;  /* close after it */
	char *out;
	size_t out_bytes, out_done;
};

uid_t client_uid(const struct client *client)
{
	return client->peer.uid;
}

bool client_in_group(const struct client *client, gid_t group)
{
	gid_t *groups = NULL;
	socklen_t bytes = 0;
	bool found = client->peer.gid == group;

	/* The first call returns the required size. */
	if (!found && getsockopt(client->socket, SOL_SOCKET, SO_PEERGROUPS, NULL, &bytes) < 0 && errno == ERANGE) {
		groups = malloc(bytes);
		if (groups && !getsockopt(client->socket, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes)) {
			for (size_t i = 0; i < bytes / sizeof(*groups); i++)
				found = found || groups[i] == group;
		}
		free(groups);
	}
	return found;
}

static void drop_files(struct client *client)
{
	if (client->files.image >= 0)
		close(client->files.image);
	if (client->files.fallback >= 0)
		close(client->files.fallback);
	client->files = (struct program_files){-1, -1};
}

void client_close(struct client *client)
{
	if (!client)
		return;
	sd_event_source_disable_unref(client->io);
	sd_event_source_disable_unref(client->stuck);
	sd_event_unref(client->event);
	close(client->socket);
	drop_files(client);
	free(client->out);
	free(client);
}

static void end(struct client *client)
{
	client->ended(client->user, client);
	client_close(client);
}

/* --- answers --- */

/* Takes over the answer. */
static int keep_answer(struct client *client, struct json_object *answer)
{
	size_t length;
	const char *text;

	if (!answer)
		return -ENOMEM;
	text = json_object_to_json_string_length(answer, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	client->out = text ? malloc(length + 1) : NULL;
	if (client->out) {
		memcpy(client->out, text, length);
		client->out[length] = '\n';
		client->out_bytes = length + 1;
		client->out_done = 0;
	}
	json_object_put(answer);
	return client->out ? 0 : -ENOMEM;
}

static int send_answer(struct client *client)
{
	ssize_t sent = send(client->socket, client->out + client->out_done, client->out_bytes - client->out_done,
			    MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	client->out_done += (size_t)sent;
	if (client->out_done == client->out_bytes) {
		free(client->out);
		client->out = NULL;
		if (client->last_answer)
			return -ECONNABORTED;
	}
	return 0;
}

/* --- requests --- */

static int run_line(struct client *client, const char *line, size_t length)
{
	struct json_tokener *tokener = json_tokener_new_ex(16);
	struct json_object *request, *answer;
	enum json_tokener_error error;

	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	request = json_tokener_parse_ex(tokener, line, (int)length);
	error = json_tokener_get_error(tokener);
	if (error == json_tokener_success && json_tokener_get_parse_end(tokener) == length)
		answer = request_run(request, client->right(client->user, client), &client->files);
	else
		answer = request_error(NULL, "EPROTO", error == json_tokener_error_depth
							       ? "request: must be one JSON object per line, not nested"
							       : "request: must be one JSON object per line");
	drop_files(client);
	json_object_put(request);
	json_tokener_free(tokener);
	return keep_answer(client, answer);
}

/* Runs the first complete line; false: there is none. */
static bool run_next(struct client *client, int *error)
{
	char *end_of_line = memchr(client->in, '\n', client->in_bytes);
	size_t length;

	if (!end_of_line) {
		if (client->in_bytes < sizeof(client->in))
			return false;
		client->last_answer = true;
		client->in_bytes = 0;
		*error = keep_answer(client, request_error(NULL, "EPROTO", "request too long: must be at most 4096 bytes"));
		return true;
	}
	length = (size_t)(end_of_line - client->in) + 1;
	/* json-c needs a character after the value to detect its end: the newline. */
	*error = run_line(client, client->in, length);
	client->in_bytes -= length;
	memmove(client->in, client->in + length, client->in_bytes);
	return true;
}

/* The first two descriptors of a request are kept, the others closed. */
static void take_files(struct client *client, struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			int fd;

			memcpy(&fd, (unsigned char *)c + at, sizeof(fd));
			if (client->files.image < 0)
				client->files.image = fd;
			else if (client->files.fallback < 0)
				client->files.fallback = fd;
			else
				close(fd);
		}
	}
}

static int read_more(struct client *client)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec into = {.iov_base = client->in + client->in_bytes, .iov_len = sizeof(client->in) - client->in_bytes};
	struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t got = recvmsg(client->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	take_files(client, &message);
	client->in_ended = got == 0;
	client->in_bytes += (size_t)got;
	return 0;
}

/* --- events --- */

static int arm(struct client *client)
{
	bool more = memchr(client->in, '\n', client->in_bytes);
	uint64_t now;
	int error;

	/* A complete line in the buffer needs no input: wait for writability to be called again. */
	error = sd_event_source_set_io_events(client->io, client->out || more ? EPOLLOUT : EPOLLIN);
	if (error < 0)
		return error;
	if (!client->out && !client->in_bytes)
		return sd_event_source_set_enabled(client->stuck, SD_EVENT_OFF);
	error = sd_event_source_get_enabled(client->stuck, NULL);
	if (error)
		return error;
	error = sd_event_now(client->event, CLOCK_MONOTONIC, &now);
	if (error >= 0)
		error = sd_event_source_set_time(client->stuck, now + CLIENT_STUCK_USEC);
	return error < 0 ? error : sd_event_source_set_enabled(client->stuck, SD_EVENT_ONESHOT);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct client *client = user;
	int error = 0;

	(void)source;
	(void)fd;
	if (events & EPOLLERR)
		error = -EPIPE;
	/* Lines that a closed peer has sent are still run. */
	if (!error && !client->out && !memchr(client->in, '\n', client->in_bytes))
		error = read_more(client);
	/* The timeout restarts for each line. */
	if (!error && !client->out && run_next(client, &error) && !error)
		error = sd_event_source_set_enabled(client->stuck, SD_EVENT_OFF);
	if (!error && client->out)
		error = send_answer(client);
	if (!error && client->in_ended && !client->out && !memchr(client->in, '\n', client->in_bytes))
		error = -ECONNRESET;
	if (!error)
		error = arm(client);
	if (error < 0)
		end(client);
	return 0;
}

static int on_stuck(sd_event_source *source, uint64_t usec, void *user)
{
	(void)source;
	(void)usec;
	end(user);
	return 0;
}

int client_open(struct client **out, sd_event *event, int socket, client_right *right, client_ended *ended,
		void *user)
{
	struct client *client = calloc(1, sizeof(*client));
	socklen_t bytes = sizeof(client->peer);
	int error;

	if (!client) {
		close(socket);
		return -ENOMEM;
	}
	client->socket = socket;
	client->files = (struct program_files){-1, -1};
	client->event = sd_event_ref(event);
	client->right = right;
	client->ended = ended;
	client->user = user;
	error = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &client->peer, &bytes) < 0 ? -errno : 0;
	if (!error)
		error = sd_event_add_io(event, &client->io, socket, EPOLLIN, on_io, client);
	if (error >= 0)
		error = sd_event_add_time(event, &client->stuck, CLOCK_MONOTONIC, 0, 0, on_stuck, client);
	if (error >= 0)
		error = sd_event_source_set_enabled(client->stuck, SD_EVENT_OFF);
	if (error < 0) {
		client_close(client);
		return error;
	}
	*out = client;
	return 0;
}
