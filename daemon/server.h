/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control socket: JSON lines over a Unix stream socket (docs/protocol.md). A misbehaving client only loses its own
 * connection: lines, buffers, connections and waits are bounded, and nothing blocks on a client.
 */
#ifndef GPULINKD_SERVER_H
#define GPULINKD_SERVER_H

#include <sys/types.h>
#include <systemd/sd-event.h>

/** Maximum connections: total, of those reserved for root, and per other user; and further ones that are being refused. */
#define SERVER_CLIENTS	    64
#define SERVER_REFUSED	    8
#define SERVER_CLIENTS_ROOT 8
#define SERVER_CLIENTS_USER 16

struct server;

/**
 * Opens the socket at `path` and serves it from `event`. A stale socket is replaced; a missing directory is created.
 * `group`: its members may change cards besides root, or (gid_t)-1. Failures are logged; returns 0 or a negative errno. On
 * success *server must be closed by server_close() before the event loop is freed.
 */
int server_open(struct server **server, sd_event *event, const char *path, mode_t mode, gid_t group);

/** Changes mode and group of socket and permission check; connections are kept. Returns 0 or a negative errno. */
int server_set_access(struct server *server, mode_t mode, gid_t group);

/** Closes all connections and removes the socket. NULL is allowed. */
void server_close(struct server *server);

#endif /* GPULINKD_SERVER_H */
