/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets in the file system. */
#ifndef GPULINKD_LISTEN_H
#define GPULINKD_LISTEN_H

#include <sys/types.h>
#include <sys/un.h>

/** Binds a stream socket, for its owner only until listen_set_access(). Replaces a stale socket, and creates the directory.
 * Returns the socket or a negative errno: EADDRINUSE (another process listens), EEXIST (the file is not a socket). */
int listen_bind(const struct sockaddr_un *address);

/** Sets mode and group of the socket, (gid_t)-1: root's. Returns 0 or a negative errno, which has been logged. */
int listen_set_access(const char *path, mode_t mode, gid_t group);

/** Text for an error of listen_bind(). */
const char *listen_error(int error);

#endif /* GPULINKD_LISTEN_H */
