// SPDX-License-Identifier: Apache-2.0
/*
 * A connection either waits for a request or sends an answer, never both: nothing is read while an answer is pending, which
 * bounds the memory of a client. One request runs per iteration of the event loop, so that a client with many requests
 * does not starve the others. A connection that has ended keeps its place until its descriptors are closed: whoever sends some
 * that take long to close uses up his own places.
 */
#include "client.h"

#include "log.h"
#include "peer.h"
#include "protocol/program.h"
#include "protocol/requests.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

struct client {
	int socket;
	sd_event_source *io;
	sd_event_source *stuck; /* armed while a line or an answer is incomplete or files are copied; restarted for each line */
	sd_event *event;
	struct ucred peer;
	client_right *right;
	client_ended *ended;
	void *user;

	char in[CLIENT_LINE_BYTES];
	size_t in_bytes;
	struct peer_child *child; /* copies the files of the request that is being read; or closes the socket */
	bool leaving;
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

static void free_client(struct client *client)
{
	sd_event_source_disable_unref(client->io);
	sd_event_source_disable_unref(client->stuck);
	sd_event_unref(client->event);
	free(client->out);
	free(client);
}

void client_close(struct client *client)
{
	int socket = client ? client->socket : -1;

	if (!client)
		return;
	peer_child_free(client->child);
	free_client(client); /* the loop forgets the socket before it is closed: a child may still have it */
	peer_abandon(socket);
}

/* --- leaving --- */

static int arm_for(struct client *client, uint64_t usec)
{
	int error = sd_event_source_set_time_relative(client->stuck, usec);

	return error < 0 ? error : sd_event_source_set_enabled(client->stuck, SD_EVENT_ONESHOT);
}

static void gone(void *user, int error, const struct program_files *files)
{
	struct client *client = user;

	(void)error;
	(void)files;
	client->ended(client->user, client);
	free_client(client);
}

/* Ends the connection: as soon as its files are no longer copied, and when its socket is closed. */
static void client_leave(struct client *client)
{
	int result;

	client->leaving = true;
	sd_event_source_set_enabled(client->io, SD_EVENT_OFF);
	sd_event_source_set_enabled(client->stuck, SD_EVENT_OFF);
	if (client->child) {
		peer_child_kill(client->child);
		return;
	}
	result = peer_close(&client->child, client->event, client->socket, gone, client);
	if (result >= 0)
		client->socket = -1;
	if (!result) {
		gone(client, 0, NULL);
	} else if (result < 0) {
		log_line(LOG_WARNING, "cannot close a connection yet: %s", strerror(-result));
		arm_for(client, CLIENT_STUCK_USEC);
	}
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

/* The request of a line, or NULL if it is none; then with the reason. */
static struct json_object *parse_line(const char *line, size_t length, const char **reason)
{
	struct json_tokener *tokener = json_tokener_new_ex(16);
	struct json_object *request;
	enum json_tokener_error error;

	*reason = "out of memory";
	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	request = json_tokener_parse_ex(tokener, line, (int)length);
	error = json_tokener_get_error(tokener);
	*reason = error == json_tokener_error_depth ? "request: must be one JSON object per line, not nested"
						    : "request: must be one JSON object per line";
	if (error != json_tokener_success || json_tokener_get_parse_end(tokener) != length) {
		json_object_put(request);
		request = NULL;
	}
	json_tokener_free(tokener);
	return request;
}

/* Who changed what. Attempts without the right to it are not logged: anyone could fill the log with them. */
static void log_change(const struct client *client, struct json_object *request, struct json_object *answer)
{
	struct json_object *error, *code;
	const char *outcome = "done";

	if (json_object_object_get_ex(answer, "error", &error) && json_object_object_get_ex(error, "code", &code))
		outcome = json_object_get_string(code);
	json_object_object_del(request, "id");
	log_line(LOG_NOTICE, "uid %u, pid %d: %s: %s", client->peer.uid, client->peer.pid, outcome,
		 json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

static int run_line(struct client *client, const char *line, size_t length, const struct program_files *files)
{
	enum request_right right = client->right(client->user, client);
	struct json_object *request, *answer;
	const char *reason;

	request = parse_line(line, length, &reason);
	if (!request)
		return keep_answer(client, request_error(NULL, -EPROTO, reason));
	answer = request_run(request, right, files);
	if (answer && request_changes(request, right))
		log_change(client, request, answer);
	json_object_put(request);
	return keep_answer(client, answer);
}

/* Answers, then closes the connection. */
static int daemon_client_refuse(struct client *client, struct json_object *answer)
{
	client->last_answer = true;
	client->in_bytes = 0;
	return keep_answer(client, answer);
}

/* Runs the first complete line; false: there is none. */
static bool run_next(struct client *client, const struct program_files *files, int *error)
{
	char *end_of_line = memchr(client->in, '\n', client->in_bytes);
	size_t length;

	if (!end_of_line) {
		if (client->in_bytes < sizeof(client->in))
			return false;
		*error = daemon_client_refuse(client,
					      request_error(NULL, -EPROTO, "request too long: must be at most 4096 bytes"));
		return true;
	}
	length = (size_t)(end_of_line - client->in) + 1;
	/* json-c needs a character after the value to detect its end: the newline. */
	*error = run_line(client, client->in, length, files);
	client->in_bytes -= length;
	memmove(client->in, client->in + length, client->in_bytes);
	return true;
}

/* --- files --- */

static void proceed(struct client *client, const struct program_files *files, int error);

static void on_copied(void *user, int error, const struct program_files *files)
{
	struct client *client = user;
	char text[200];

	client->child = NULL;
	if (error && !client->leaving) {
		snprintf(text, sizeof(text), error == -E2BIG ? "operation program: more than two files came with it"
							    : "cannot read the files of the request: %s", strerror(-error));
		error = daemon_client_refuse(client, request_error(NULL, error == -E2BIG ? -EINVAL : -EIO, text));
	}
	if (client->leaving)
		client_leave(client);
	else
		proceed(client, files, error);
	if (files) {
		close(files->image);
		if (files->fallback >= 0)
			close(files->fallback);
	}
}

/* Files wait in the socket, whose next `bytes` bytes are in `line`. Their request decides whether they may come, before they
 * do. */
static int take_files(struct client *client, const char *line, size_t bytes)
{
	struct json_object *request, *refusal;
	const char *reason;
	int error;

	if (client->in_bytes || memchr(line, '\n', bytes) != line + bytes - 1)
		return daemon_client_refuse(
			client,
			request_error(NULL, -EPROTO, "files: must come with one request, after the answers to all others"));
	request = parse_line(line, bytes, &reason);
	refusal = request ? request_refuse_files(request, client->right(client->user, client)) :
			    request_error(NULL, -EPROTO, reason);
	json_object_put(request);
	if (refusal)
		return daemon_client_refuse(client, refusal);
	error = peer_copy_files(&client->child, client->event, client->socket, bytes, on_copied, client);
	if (error == -EBUSY)
		return daemon_client_refuse(
			client, request_error(NULL, -EBUSY, "the files of another request are being read: try again"));
	if (error < 0)
		return error;
	client->in_bytes = bytes;
	sd_event_source_set_enabled(client->io, SD_EVENT_OFF);
	return arm_for(client, CLIENT_FILES_USEC);
}

static int read_more(struct client *client)
{
	char *into = client->in + client->in_bytes;
	bool files;
	ssize_t got = peer_read(client->socket, into, sizeof(client->in) - client->in_bytes, &files);

	if (files)
		return take_files(client, into, (size_t)got);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	client->in_ended = got == 0;
	client->in_bytes += (size_t)got;
	return 0;
}

/* --- events --- */

static int arm(struct client *client)
{
	bool more = memchr(client->in, '\n', client->in_bytes);
	int error;

	/* A complete line in the buffer needs no input: wait for writability to be called again. */
	error = sd_event_source_set_io_events(client->io, client->out || more ? EPOLLOUT : EPOLLIN);
	if (error >= 0)
		error = sd_event_source_set_enabled(client->io, SD_EVENT_ON);
	if (error < 0)
		return error;
	if (!client->out && !client->in_bytes)
		return sd_event_source_set_enabled(client->stuck, SD_EVENT_OFF);
	error = sd_event_source_get_enabled(client->stuck, NULL);
	return error ? error : arm_for(client, CLIENT_STUCK_USEC);
}

/* Runs the next line, if there is one, sends what is to be sent, and waits for the next event; or ends the connection. */
static void proceed(struct client *client, const struct program_files *files, int error)
{
	/* The timeout restarts for each line. */
	if (!error && !client->out && run_next(client, files, &error) && !error)
		error = sd_event_source_set_enabled(client->stuck, SD_EVENT_OFF);
	if (error >= 0 && client->out)
		error = send_answer(client);
	if (error >= 0 && client->in_ended && !client->out && !memchr(client->in, '\n', client->in_bytes))
		error = -ECONNRESET;
	if (error >= 0)
		error = arm(client);
	if (error < 0)
		client_leave(client);
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
	if (error < 0 || !client->child)
		proceed(client, NULL, error);
	return 0;
}

static int on_stuck(sd_event_source *source, uint64_t usec, void *user)
{
	struct client *client = user;

	(void)source;
	(void)usec;
	if (client->child && !client->leaving &&
	    daemon_client_refuse(client,
				 request_error(NULL, -ETIMEDOUT, "the files of the request cannot be read: timed out")) >= 0)
		send_answer(client);
	client_leave(client);
	return 0;
}

void client_refuse(struct client *client, int code, const char *message)
{
	proceed(client, NULL, daemon_client_refuse(client, request_error(NULL, code, message)));
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
