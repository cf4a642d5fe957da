/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets that other local processes are connected to, and may send descriptors over (SCM_RIGHTS). To receive or to close such
 * a descriptor can take as long as its sender likes: a TCP socket with SO_LINGER, a file on FUSE. gpulinkd does neither:
 * descriptors stay in the socket's queue until a child process receives or drops them.
 */
#ifndef GPULINKD_PEER_H
#define GPULINKD_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct program_files;

/**
 * As recv() without waiting, but reads nothing if descriptors were sent: with *files the bytes, up to those that were sent with
 * the first descriptors, are copied to `into`, and stay in the queue.
 */
ssize_t peer_read(int socket, void *into, size_t room, bool *files);

/** A child process. */
struct peer_child;

/** Called when the child has ended; it is freed afterwards. `error`: 0, or the negative errno that it failed with. `files`: the
 * copies of peer_copy_files(), now the callee's; else NULL. */
typedef void peer_ended(void *user, int error, const struct program_files *files);

/**
 * Closes the socket. Returns 0: it is closed. 1: its queue is not empty; a child drops it, and *child lives until it has called
 * `ended`. A negative errno: no child could be started; the socket is still open.
 */
int peer_close(struct peer_child **child, sd_event *event, int socket, peer_ended *ended, void *user);

/**
 * Receives the next `bytes` bytes, and copies the files that were sent with them, one or two, to memory, in a child.
 * What is no regular file of at most PROGRAM_FILE_BYTES is copied as an empty file. Returns 0 or a negative errno: EBUSY:
 * another copy is being made. *child lives until it has called `ended`; errors: E2BIG: more than two files.
 */
int peer_copy_files(struct peer_child **child, sd_event *event, int socket, size_t bytes, peer_ended *ended, void *user);

/** Kills the child; `ended` is called once it has ended, which may take as long as what it waits for. */
void peer_child_kill(struct peer_child *child);

/** Kills the child, and does not call `ended`. NULL is allowed. */
void peer_child_free(struct peer_child *child);

/** Closes the socket, or if its queue is not empty leaves that to the end of the process. Of a listening socket, also one that
 * does not wait, closes the connections that were not accepted. -1 is allowed. */
void peer_abandon(int socket);

#endif /* GPULINKD_PEER_H */
