// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

#include "http_head.h"
#include "listen.h"
#include "log.h"
#include "metrics_text.h"
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS  64u /* a scraper has one */
#define HEAD_BYTES   4096u
#define TIMEOUT_USEC (10 * 1000000ull) /* of a request, and of each piece of an answer */

enum state {
	FREE,
	READING,
	ANSWERING,
	DRAINING, /* answered; reads the rest of the request: to close now would reset the connection, and lose the answer */
	LEAVING,  /* a child closes the socket */
};

struct connection {
	struct metrics *metrics;
	enum state state;
	int socket;
	sd_event_source *io, *timer;
	struct peer_child *child;
	uint64_t number; /* in the order in which they came */
	char in[HEAD_BYTES];
	size_t in_bytes;
	char *out;
	size_t out_bytes, out_done;
};

struct metrics {
	sd_event *event;
	sd_event_source *io;
	int socket;
	struct sockaddr_un local; /* of a UNIX socket; an empty path if there is none */
	uint64_t accepted;
	struct connection connections[CONNECTIONS];
};

/* --- the end of a connection --- */

static void forget(struct connection *connection)
{
	sd_event_source_disable_unref(connection->io);
	sd_event_source_disable_unref(connection->timer);
	free(connection->out);
	connection->io = connection->timer = NULL;
	connection->out = NULL;
	connection->state = FREE;
}

static void on_closed(void *user, int error, const struct program_files *files)
{
	struct connection *connection = user;

	(void)error;
	(void)files;
	connection->child = NULL;
	forget(connection);
	sd_event_source_set_enabled(connection->metrics->io, SD_EVENT_ON);
}

static int wait_for(struct connection *connection)
{
	int error = sd_event_source_set_time_relative(connection->timer, TIMEOUT_USEC);

	return error < 0 ? error : sd_event_source_set_enabled(connection->timer, SD_EVENT_ONESHOT);
}

static void leave(struct connection *connection)
{
	int result;

	connection->state = LEAVING;
	sd_event_source_set_enabled(connection->io, SD_EVENT_OFF);
	sd_event_source_set_enabled(connection->timer, SD_EVENT_OFF);
	result = peer_close(&connection->child, connection->metrics->event, connection->socket, on_closed, connection);
	if (result >= 0)
		connection->socket = -1;
	if (!result)
		on_closed(connection, 0, NULL);
	else if (result < 0)
		wait_for(connection); /* then again */
}

static int on_timer(sd_event_source *source, uint64_t usec, void *user)
{
	(void)source;
	(void)usec;
	leave(user);
	return 0;
}

/* --- answers --- */

/* Takes over the text. */
static int keep_answer(struct connection *connection, const struct http_head *head, const char *type, char *text, size_t length)
{
	static const struct {
		unsigned status;
		const char *phrase;
	} phrases[] = {{200, "OK"}, {400, "Bad Request"}, {404, "Not Found"}, {405, "Method Not Allowed\r\nAllow: GET, HEAD"},
		       {431, "Request Header Fields Too Large"}};
	const char *phrase = "";
	int used;

	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		if (phrases[i].status == head->status)
			phrase = phrases[i].phrase;
	}
	used = asprintf(&connection->out, "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
			head->status, phrase, type, length, head->body ? text : "");
	free(text);
	if (used < 0) {
		connection->out = NULL;
		return -ENOMEM;
	}
	connection->out_bytes = (size_t)used;
	connection->out_done = 0;
	connection->state = ANSWERING;
	return 0;
}

static int answer(struct connection *connection, const struct http_head *head)
{
	static const char *const texts[] = {"invalid request\n", "the metrics are at /metrics\n", "GET only\n"};
	const char *text = head->status == 404 ? texts[1] : head->status == 405 ? texts[2] : texts[0];
	size_t length = strlen(text);
	char *copy = head->status == 200 ? metrics_text(&length) : strdup(text);

	return copy ? keep_answer(connection, head, head->status == 200 ? METRICS_TYPE : "text/plain", copy, length) : -ENOMEM;
}

static int send_answer(struct connection *connection)
{
	ssize_t sent = send(connection->socket, connection->out + connection->out_done,
			    connection->out_bytes - connection->out_done, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	connection->out_done += (size_t)sent;
	if (connection->out_done == connection->out_bytes) {
		connection->state = DRAINING;
		shutdown(connection->socket, SHUT_WR);
	}
	return wait_for(connection);
}

/* --- requests --- */

static int read_request(struct connection *connection)
{
	bool drains = connection->state == DRAINING, files;
	struct http_head head;
	ssize_t got;

	if (drains)
		connection->in_bytes = 0;
	got = peer_read(connection->socket, connection->in + connection->in_bytes, HEAD_BYTES - connection->in_bytes, &files);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!got || files) /* the end, or what no request has */
		return -ECONNRESET;
	connection->in_bytes += (size_t)got;
	if (drains || !http_head_read(connection->in, connection->in_bytes, HEAD_BYTES, "/metrics", &head))
		return 0;
	return answer(connection, &head);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct connection *connection = user;
	int error = 0;

	(void)source;
	(void)fd;
	(void)events;
	if (connection->state != ANSWERING)
		error = read_request(connection);
	if (error >= 0 && connection->state == ANSWERING)
		error = send_answer(connection);
	if (error >= 0)
		error = sd_event_source_set_io_events(connection->io, connection->state == ANSWERING ? EPOLLOUT : EPOLLIN);
	if (error < 0)
		leave(connection);
	return 0;
}

/* A free place; or makes one: of the connections that are not being answered, the oldest ends. NULL: there is none yet. */
static struct connection *find_place(struct metrics *metrics)
{
	struct connection *oldest = NULL;

	for (unsigned i = 0; i < CONNECTIONS; i++) {
		struct connection *connection = &metrics->connections[i];

		if (connection->state == FREE)
			return connection;
		if ((connection->state == READING || connection->state == DRAINING) &&
		    (!oldest || connection->number < oldest->number))
			oldest = connection;
	}
	if (oldest)
		leave(oldest);
	return oldest && oldest->state == FREE ? oldest : NULL;
}

static int start(struct connection *connection, struct metrics *metrics)
{
	int error = sd_event_add_io(metrics->event, &connection->io, connection->socket, EPOLLIN, on_io, connection);

	connection->metrics = metrics;
	connection->number = metrics->accepted++;
	connection->in_bytes = 0;
	connection->state = READING;
	if (error >= 0)
		error = sd_event_add_time(metrics->event, &connection->timer, CLOCK_MONOTONIC, 0, 0, on_timer, connection);
	return error < 0 ? error : wait_for(connection);
}

static int on_connect(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct metrics *metrics = user;
	struct connection *connection = find_place(metrics);

	(void)events;
	if (!connection) {
		/* Until one has ended. */
		for (unsigned i = 0; i < CONNECTIONS; i++) {
			if (metrics->connections[i].state != LEAVING)
				return 0;
		}
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	}
	connection->socket = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (connection->socket < 0) {
		if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
			log_line(LOG_WARNING, "cannot accept a connection for metrics: %s", strerror(errno));
		return 0;
	}
	if (start(connection, metrics) < 0) {
		log_line(LOG_WARNING, "cannot serve a connection for metrics");
		leave(connection);
	}
	return 0;
}

/* --- the socket --- */

/* Returns a listening socket or a negative errno. */
static int open_local(struct metrics *metrics, const char *path, mode_t mode, gid_t group)
{
	int socket, error;

	if (strlen(path) >= sizeof(metrics->local.sun_path))
		return -ENAMETOOLONG;
	metrics->local.sun_family = AF_UNIX;
	strcpy(metrics->local.sun_path, path);
	socket = listen_bind(&metrics->local);
	if (socket < 0) {
		*metrics->local.sun_path = '\0'; /* another's: not to be removed */
		return socket;
	}
	error = metrics_set_access(metrics, mode, group);
	if (!error && listen(socket, SOMAXCONN))
		error = -errno;
	if (error)
		close(socket);
	return error ? error : socket;
}

static int open_loopback(const char *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, error = 0;

	if (file < 0)
		return -errno;
	if (setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(file, (const struct sockaddr *)&address, sizeof(address)) || listen(file, SOMAXCONN))
		error = -errno;
	if (error)
		close(file);
	return error ? error : file;
}

int metrics_set_access(struct metrics *metrics, mode_t mode, gid_t group)
{
	return *metrics->local.sun_path ? listen_set_access(metrics->local.sun_path, mode, group) : 0;
}

int metrics_open(struct metrics **out, sd_event *event, const char *address, mode_t mode, gid_t group)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));
	int error;

	if (!metrics)
		return -ENOMEM;
	metrics->event = sd_event_ref(event);
	metrics->socket = *address == '/' ? open_local(metrics, address, mode, group) : open_loopback(strchr(address, ':') + 1);
	error = metrics->socket < 0 ? metrics->socket
				    : sd_event_add_io(event, &metrics->io, metrics->socket, EPOLLIN, on_connect, metrics);
	if (error < 0) {
		log_line(LOG_ERR, "cannot serve metrics at %s: %s", address, listen_error(error));
		metrics_close(metrics);
		return error;
	}
	log_line(LOG_NOTICE, "metrics at %s", address);
	*out = metrics;
	return 0;
}

void metrics_close(struct metrics *metrics)
{
	if (!metrics)
		return;
	sd_event_source_disable_unref(metrics->io);
	for (unsigned i = 0; i < CONNECTIONS; i++) {
		struct connection *connection = &metrics->connections[i];

		if (connection->state == FREE)
			continue;
		peer_child_free(connection->child);
		forget(connection);
		peer_abandon(connection->socket);
	}
	if (*metrics->local.sun_path)
		unlink(metrics->local.sun_path);
	peer_abandon(metrics->socket);
	sd_event_unref(metrics->event);
	free(metrics);
}
