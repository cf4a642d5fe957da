// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include "client.h"
#include "listen.h"
#include "log.h"
#include "peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

struct server {
	sd_event *event;
	sd_event_source *io;
	int socket;
	struct sockaddr_un address;
	gid_t group;
	struct client *clients[SERVER_CLIENTS + SERVER_REFUSED];
};

/* --- clients --- */

static void on_client_ended(void *user, struct client *client)
{
	struct server *server = user;

	for (unsigned i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++) {
		if (server->clients[i] == client)
			server->clients[i] = NULL;
	}
	sd_event_source_set_enabled(server->io, SD_EVENT_ON);
}

static enum request_right right_of(void *user, const struct client *client)
{
	const struct server *server = user;

	if (client_uid(client) == 0)
		return REQUEST_ALL;
	return server->group != (gid_t)-1 && client_in_group(client, server->group) ? REQUEST_CHANGE : REQUEST_QUERY;
}

/* A free slot for another client of this user, or NULL. */
static struct client **find_place(struct server *server, uid_t uid)
{
	struct client **place = NULL;
	unsigned all = 0, own = 0;

	for (unsigned i = 0; i < SERVER_CLIENTS; i++) {
		if (!server->clients[i]) {
			place = &server->clients[i];
			continue;
		}
		all++;
		own += client_uid(server->clients[i]) == uid;
	}
	if (uid && (own >= SERVER_CLIENTS_USER || all >= SERVER_CLIENTS - SERVER_CLIENTS_ROOT))
		return NULL;
	return place;
}

/* A place for a client that is refused, or NULL. */
static struct client **find_place_beyond(struct server *server)
{
	for (unsigned i = SERVER_CLIENTS; i < SERVER_CLIENTS + SERVER_REFUSED; i++) {
		if (!server->clients[i])
			return &server->clients[i];
	}
	return NULL;
}

static int on_connect(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct server *server = user;
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t bytes = sizeof(peer);
	struct client **place, **beyond = find_place_beyond(server);
	int socket, error;

	(void)events;
	/* Until one of those has ended; what it sent may take long to close. */
	if (!beyond)
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	socket = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (socket < 0) {
		if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
			log_line(LOG_WARNING, "cannot accept a connection: %s", strerror(errno));
		return 0;
	}
	place = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) ? NULL : find_place(server, peer.uid);
	error = client_open(place ? place : beyond, server->event, socket, right_of, on_client_ended, server);
	if (error < 0)
		log_line(LOG_WARNING, "cannot serve a connection: %s", strerror(-error));
	else if (!place)
		client_refuse(*beyond, -EBUSY, "too many connections");
	return 0;
}

/* --- the socket --- */

int server_set_access(struct server *server, mode_t mode, gid_t group)
{
	int error = listen_set_access(server->address.sun_path, mode, group);

	if (!error)
		server->group = group;
	return error;
}

int server_open(struct server **out, sd_event *event, const char *path, mode_t mode, gid_t group)
{
	struct server *server;
	int error;

	if (!*path || strlen(path) >= sizeof(server->address.sun_path)) {
		log_line(LOG_ERR, "socket path '%s': must be 1 to %zu characters", path,
			 sizeof(server->address.sun_path) - 1);
		return -ENAMETOOLONG;
	}
	server = calloc(1, sizeof(*server));
	if (!server)
		return -ENOMEM;
	server->event = sd_event_ref(event);
	server->address.sun_family = AF_UNIX;
	strcpy(server->address.sun_path, path);
	server->socket = listen_bind(&server->address);
	error = server->socket < 0 ? server->socket : 0;
	if (error) {
		log_line(LOG_ERR, "cannot open socket %s: %s", path, listen_error(error));
	} else {
		error = server_set_access(server, mode, group);
		if (!error && listen(server->socket, SOMAXCONN))
			error = -errno;
		if (!error)
			error = sd_event_add_io(event, &server->io, server->socket, EPOLLIN, on_connect, server);
		if (error < 0)
			log_line(LOG_ERR, "cannot serve socket %s: %s", path, strerror(-error));
	}
	if (error < 0) {
		server_close(server);
		return error;
	}
	*out = server;
	return 0;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	for (unsigned i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++)
		client_close(server->clients[i]);
	sd_event_source_disable_unref(server->io);
	if (server->socket >= 0) {
		unlink(server->address.sun_path);
		peer_abandon(server->socket);
	}
	sd_event_unref(server->event);
	free(server);
}
