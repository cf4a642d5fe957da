/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream that joins two cards' processes: unix:PATH or tcp:HOST:PORT, the same for both. Who comes first listens there, who
 * comes second connects; when the stream ends both try again, so each may come, go and come back as it likes. Blocks of 17
 * bytes: the sync header (0 data, 1 control), and the 16 of the block. Nothing here waits.
 */
#ifndef GPULINK_EMU_LINK_SOCKET_H
#define GPULINK_EMU_LINK_SOCKET_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include <link/link_layer.h>

#define LINK_SOCKET_FDS	  2u
#define LINK_SOCKET_BLOCK (1u + GLK_FLIT_BYTES)
#define LINK_SOCKET_ROOM  (LINK_SOCKET_BLOCK * 4096u)

struct link_buffer {
	size_t begin, end;
	uint8_t bytes[LINK_SOCKET_ROOM];
};

struct link_socket {
	union {
		struct sockaddr any;
		struct sockaddr_un path;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address;
	socklen_t address_bytes;
	int listener;  /* -1: none */
	int fd;	       /* -1: none */
	bool joined;   /* fd is connected */
	uint64_t inode; /* of the listener's path */
	uint64_t retry_at;
	uint64_t heard_at; /* when bytes came last */
	struct link_buffer in, out;
};

/** Takes an address apart; a host is looked up. Returns 0, or -EINVAL, -ENAMETOOLONG, -EADDRNOTAVAIL. */
int link_socket_init(struct link_socket *s, const char *address);
void link_socket_close(struct link_socket *s);

/** What to poll: exactly LINK_SOCKET_FDS entries, of which some may have fd -1. */
void link_socket_pollfds(const struct link_socket *s, struct pollfd fds[LINK_SOCKET_FDS]);
/** Goes on with whatever can go on: listening, connecting, accepting, reading. A stream that ends for any reason is left: then
 *  it says why, else NULL. There may be another one at once. */
const char *link_socket_serve(struct link_socket *s, uint64_t now_ns);
/** Sends what has been put, as far as it goes; the same. */
const char *link_socket_send(struct link_socket *s, uint64_t now_ns);
/** When it has to be served though nothing came; nanoseconds. */
uint64_t link_socket_deadline(const struct link_socket *s);

/** Blocks of the stream, while it is joined. */
bool link_socket_get(struct link_socket *s, struct glk_block *block);
bool link_socket_room(const struct link_socket *s);
void link_socket_put(struct link_socket *s, const struct glk_block *block);

#endif /* GPULINK_EMU_LINK_SOCKET_H */
