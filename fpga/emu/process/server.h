/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an emulated function's process: its socket, one client after another, and its end by a signal. */
#ifndef GPULINK_EMU_SERVER_H
#define GPULINK_EMU_SERVER_H

#include <poll.h>
#include <stdint.h>

#include "../vfio/vfio_user.h"

struct server {
	const char *name; /* of the program, for what it says */
	const char *path;
	const struct vfu_function *function;
	void (*disconnected)(void *device); /* the client has gone */
	int listener;
	struct vfu_session *session; /* NULL: no client */
};

/** Listens at server->path and takes SIGTERM, SIGINT and SIGBUS in hand. Returns 0 or a negative errno. */
int server_open(struct server *server);

/** Closes the session and takes the socket away. */
void server_close(struct server *server);

/** What to poll: the client, or the listening socket while there is none. */
struct pollfd server_pollfd(const struct server *server);

/** Serves what poll() found there. */
void server_serve(struct server *server);

/** Polls, at most until a CLOCK_MONOTONIC time in nanoseconds (UINT64_MAX: for ever). False: a signal said to end. */
bool server_poll(struct pollfd *fds, unsigned count, uint64_t until_ns);

uint64_t server_now_ns(void);

/** Says one line on standard error, after the program's name. */
void server_say(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* GPULINK_EMU_SERVER_H */
