/* SPDX-License-Identifier: Apache-2.0 */
/* The process of an emulated function: socket, clients (one at a time), termination by a signal, log. */
#ifndef GPULINK_EMU_SERVER_H
#define GPULINK_EMU_SERVER_H

#include <poll.h>
#include <stdint.h>

#include "../vfio/vfio_user.h"

struct server {
	const char *name; /* of the program, for the log */
	const char *path;
	const struct vfu_function *function;
	void (*disconnected)(void *device); /* called after a client has disconnected */
	int listener;
	struct vfu_session *session; /* NULL: no client */
};

/** Listens on server->path and installs handlers for SIGTERM, SIGINT and SIGBUS. Returns 0 or a negative errno. */
int server_open(struct server *server);

/** Closes the session and removes the socket. */
void server_close(struct server *server);

/** The entry for poll(): the client, or the listening socket without a client. */
struct pollfd server_pollfd(const struct server *server);

/** Handles an event on it. */
void server_serve(struct server *server);

/** Polls until a CLOCK_MONOTONIC time in nanoseconds (UINT64_MAX: indefinitely). False: terminate, after a signal. */
bool server_poll(struct pollfd *fds, unsigned count, uint64_t until_ns);

uint64_t server_now_ns(void);

/** Prints the program's name and a line to standard error. */
void server_log(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* GPULINK_EMU_SERVER_H */
