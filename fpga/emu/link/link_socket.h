/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream between two cards' processes: unix:PATH or tcp:HOST:PORT, the same for both. The first process listens, the second
 * connects; after a disconnect both retry, so that either may restart at any time. It carries blocks of 17 bytes: the sync
 * header (0 data, 1 control) and the 16 bytes of the block. All calls are non-blocking.
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
	uint64_t inode; /* of the listening socket's path */
	uint64_t retry_at;
	uint64_t heard_at; /* time of the last reception */
	struct link_buffer in, out;
};

/** Parses an address and resolves its host. Returns 0, -EINVAL, -ENAMETOOLONG or -EADDRNOTAVAIL. */
int link_socket_init(struct link_socket *s, const char *address);
void link_socket_close(struct link_socket *s);

/** Fills in LINK_SOCKET_FDS entries for poll(); unused ones have fd -1. */
void link_socket_pollfds(const struct link_socket *s, struct pollfd fds[LINK_SOCKET_FDS]);
/** Listens, connects, accepts and reads as far as possible. Returns the reason if the stream ended, else NULL. A new stream may
 *  be connected at once. */
const char *link_socket_serve(struct link_socket *s, uint64_t now_ns);
/** Sends queued blocks as far as possible. Returns as above. */
const char *link_socket_send(struct link_socket *s, uint64_t now_ns);
/** When link_socket_serve() is due without an event; nanoseconds. */
uint64_t link_socket_deadline(const struct link_socket *s);

/** Takes and queues blocks, while connected. */
bool link_socket_get(struct link_socket *s, struct glk_block *block);
bool link_socket_room(const struct link_socket *s);
void link_socket_put(struct link_socket *s, const struct glk_block *block);

#endif /* GPULINK_EMU_LINK_SOCKET_H */
