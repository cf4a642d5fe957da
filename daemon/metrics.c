// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

#include "listen.h"
#include "log.h"
#include "metrics_text.h"

#include "../common/number.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* A scraper has one connection. Beyond CROWD all of them end after a second without traffic: idle ones make room for a scraper.
 */
#define CONNECTIONS	64u
#define CROWD		32u
#define TIMEOUT_SECONDS 10u
#define CROWD_SECONDS	1u
#define RUNS		16u /* at a time, so that other sources of the loop have their turn */

struct metrics {
	struct MHD_Daemon *http;
	sd_event_source *io, *timer;
	struct sockaddr_un local; /* of a UNIX socket; an empty path if there is none */
	struct MHD_Connection *connections[CONNECTIONS];
};

static void on_connection(void *user, struct MHD_Connection *connection, void **place, enum MHD_ConnectionNotificationCode code)
{
	struct metrics *metrics = user;
	unsigned open = 0, i = 0;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*place)
			*(struct MHD_Connection **)*place = NULL;
		return;
	}
	while (i < CONNECTIONS && metrics->connections[i])
		i++;
	if (i < CONNECTIONS) {
		metrics->connections[i] = connection;
		*place = &metrics->connections[i];
	}
	for (i = 0; i < CONNECTIONS; i++)
		open += metrics->connections[i] != NULL;
	for (i = 0; i < CONNECTIONS && open > CROWD; i++)
		if (metrics->connections[i])
			MHD_set_connection_option(metrics->connections[i], MHD_CONNECTION_OPTION_TIMEOUT, CROWD_SECONDS);
}

static enum MHD_Result metrics_answer(struct MHD_Connection *connection, unsigned status, char *text, size_t length,
				      const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!response) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result metrics_refuse(struct MHD_Connection *connection, unsigned status, const char *text)
{
	char *copy = strdup(text);

	return copy ? metrics_answer(connection, status, copy, strlen(copy), "text/plain") : MHD_NO;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *path, const char *method,
				  const char *version, const char *data, size_t *bytes, void **state)
{
	static int started;
	size_t length;
	char *text;

	(void)user;
	(void)version;
	(void)data;
	if (*bytes) { /* a body: read and dropped */
		*bytes = 0;
		return MHD_YES;
	}
	if (!*state) { /* only the header has arrived: a response now would close the connection */
		*state = &started;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return metrics_refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	if (strcmp(path, "/metrics"))
		return metrics_refuse(connection, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
	text = metrics_text(&length);
	return text ? metrics_answer(connection, MHD_HTTP_OK, text, length, METRICS_TYPE) : MHD_NO;
}

/* Serves what is ready, and comes back when the library wants to, for example to close idle connections. */
static void metrics_run(struct metrics *metrics)
{
	MHD_UNSIGNED_LONG_LONG milliseconds = 0;
	bool later = true;

	for (unsigned i = 0; i < RUNS && later && !milliseconds; i++) {
		MHD_run(metrics->http);
		later = MHD_get_timeout(metrics->http, &milliseconds) == MHD_YES;
	}
	/* The last connection may have made room at the limit: listens again. */
	if (!later)
		MHD_run(metrics->http);
	if (later && sd_event_source_set_time_relative(metrics->timer, milliseconds * 1000) >= 0)
		sd_event_source_set_enabled(metrics->timer, SD_EVENT_ONESHOT);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *user)
{
	(void)source;
	(void)fd;
	(void)events;
	metrics_run(user);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *user)
{
	(void)source;
	(void)usec;
	metrics_run(user);
	return 0;
}

/*
 * Never for others than the group: whoever is connected to a UNIX socket may send descriptors over it, which the HTTP library
 * drops in the event loop, and to close one may take as long as its sender likes.
 */
int metrics_set_access(struct metrics *metrics, mode_t mode, gid_t group)
{
	return *metrics->local.sun_path ? listen_set_access(metrics->local.sun_path, mode & 0660, group) : 0;
}

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
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int file, on = 1, error = 0;
	uint64_t number;

	if (!glk_number(port, 10, UINT16_MAX, &number))
		return -EINVAL;
	address.sin_port = htons((uint16_t)number);
	file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (file < 0)
		return -errno;
	if (setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(file, (const struct sockaddr *)&address, sizeof(address)) || listen(file, SOMAXCONN))
		error = -errno;
	if (error)
		close(file);
	return error ? error : file;
}

static int metrics_serve(struct metrics *metrics, sd_event *event, int socket)
{
	const union MHD_DaemonInfo *info;
	int error;

	metrics->http = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, NULL,
					 MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
					 MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
					 on_connection, metrics, MHD_OPTION_END);
	if (!metrics->http) {
		close(socket);
		return -EIO;
	}
	info = MHD_get_daemon_info(metrics->http, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EIO;
	error = sd_event_add_io(event, &metrics->io, info->epoll_fd, EPOLLIN, on_io, metrics);
	if (error >= 0)
		error = sd_event_add_time(event, &metrics->timer, CLOCK_MONOTONIC, 0, 0, on_timer, metrics);
	return error < 0 ? error : sd_event_source_set_enabled(metrics->timer, SD_EVENT_OFF);
}

int metrics_open(struct metrics **out, sd_event *event, const char *address, mode_t mode, gid_t group)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));
	int socket, error;

	if (!metrics)
		return -ENOMEM;
	socket = *address == '/' ? open_local(metrics, address, mode, group) : open_loopback(strchr(address, ':') + 1);
	error = socket < 0 ? socket : metrics_serve(metrics, event, socket);
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
	sd_event_source_disable_unref(metrics->timer);
	if (metrics->http)
		MHD_stop_daemon(metrics->http);
	if (*metrics->local.sun_path)
		unlink(metrics->local.sun_path);
	free(metrics);
}
