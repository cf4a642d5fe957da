/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control socket: JSON lines by a Unix stream socket (docs/protocol.md). A client can at worst lose his own
 * connection: lines, buffers, clients and waiting are bounded, and nothing ever blocks on him.
 */
#ifndef GPULINKD_SERVER_H
#define GPULINKD_SERVER_H

#include <sys/types.h>
#include <systemd/sd-event.h>

/** Connections in all, those of them that only root can use, and those one other user can have. */
#define SERVER_CLIENTS	    64
#define SERVER_CLIENTS_ROOT 8
#define SERVER_CLIENTS_USER 16

struct server;

/**
 * Opens the socket at `path` (a left-over one that nobody serves is replaced; its folder is made if missing) and
 * serves it from `event`. `group`: who besides root may change cards, or (gid_t)-1. Failures are logged; returns 0 or
 * a negative errno. On success *server must be closed by server_close(), before the event loop goes.
 */
int server_open(struct server **server, sd_event *event, const char *path, mode_t mode, gid_t group);

/** Gives socket and permission check a new mode and group; connections stay. Returns 0 or a negative errno. */
int server_set_access(struct server *server, mode_t mode, gid_t group);

/** Closes all connections and removes the socket. NULL is allowed. */
void server_close(struct server *server);

#endif /* GPULINKD_SERVER_H */
