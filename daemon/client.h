/* SPDX-License-Identifier: Apache-2.0 */
/* One connection to the control socket. */
#ifndef GPULINKD_CLIENT_H
#define GPULINKD_CLIENT_H

#include "protocol/requests.h"

#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

/** Maximum length of a request, including its newline. */
#define CLIENT_LINE_BYTES 4096
/** A client that neither completes a line nor reads its answers for this long is disconnected. */
#ifndef CLIENT_STUCK_USEC /* tests set a shorter time */
#define CLIENT_STUCK_USEC (10 * 1000000ull)
#endif

/** Files that cannot be copied in this time are not waited for. */
#ifndef CLIENT_FILES_USEC
#define CLIENT_FILES_USEC (60 * 1000000ull)
#endif

struct client;

/** Called when the connection has ended, before the client is freed. */
typedef void client_ended(void *user, struct client *client);
/** Called for each request: what the peer may do. */
typedef enum request_right client_right(void *user, const struct client *client);

/**
 * Serves a connected, non-blocking socket and takes ownership of it, also on failure. Returns 0 or a negative errno. On
 * success the client exists until it calls `ended`, or until client_close().
 */
int client_open(struct client **client, sd_event *event, int socket, client_right *right,
		client_ended *ended, void *user);

/** Answers with an error instead of reading a request, and ends the connection. `ended` may be called before this returns. */
void client_refuse(struct client *client, int code, const char *message);

/** Ends the connection without calling `ended`; what is left in the socket is closed when the process ends. NULL is allowed. */
void client_close(struct client *client);

/** The user at the time of connecting, from the kernel. */
uid_t client_uid(const struct client *client);

/** Whether the user was a member of the group then, by primary or supplementary groups. */
bool client_in_group(const struct client *client, gid_t group);

#endif /* GPULINKD_CLIENT_H */
