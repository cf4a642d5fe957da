/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this card asks of the other one, through partitions of kind link. Four files: remote_send.c sends stores and confirms
 * their arrival by releases, remote_load.c does loads and atomics, remote_lease.c leases and writes with a time, remote.c
 * dispatches the responses and follows the session. Packets that find no room in the cluster queue are held, one a partition.
 * What is outstanding when the session ends has failed, once. Internal to the model.
 *
 * Responses are never trusted: tags and lengths are checked against what is outstanding.
 */
#ifndef GLK_REMOTE_H
#define GLK_REMOTE_H

#include "base/common.h"
#include "finepack/packetizer.h"
#include "link/card_link.h"
#include "window/endpoint.h"

/*
 * A partition of kind link. Its endpoint's posted writes are packets to the remote partition: FinePack packets, whose arrival
 * releases confirm, and write requests, which are answered one by one.
 */
struct glk_remote_partition {
	bool bound;	      /* the endpoint is of kind link, or was until it became none */
	unsigned partition;   /* of the other card */
	uint64_t bytes;	      /* register REMOTE_BYTES */
	bool ask, asking;     /* a translation request is to be sent, or outstanding */
	uint16_t asked;	      /* its tag */
	uint16_t turn;	      /* counts the tags used */
	uint64_t finepack_to; /* `posted`, when the last FinePack packet was sent */
	uint32_t writes, answered; /* write requests */
	bool releasing;	      /* a release is outstanding, */
	uint64_t release_to;  /* for the writes posted until then, */
	uint16_t release_tag; /* with that tag */
	uint64_t wanted_to;   /* the count of writes that must be confirmed */
	uint64_t until;	      /* the clock at which the outstanding requests time out */
	size_t held_bytes;    /* 0, or a packet that waits for room in the cluster queue */
	uint8_t held[GLK_PACKET_BYTES_MAX];
};

/* The load in progress; there is one at most. */
struct glk_remote_load {
	bool active, failed;
	uint16_t first_tag;
	unsigned left; /* lines not yet answered */
	uint64_t offset;
	size_t length;
	uint8_t *data;
	uint8_t expected[GLK_PAGE_SIZE / GLK_LINK_LINE_BYTES + 1]; /* bytes of each line's answer; 0: answered */
};

/* The atomic in progress; there is one at most. */
struct glk_remote_atomic {
	bool active, failed;
	uint16_t tag;
	uint64_t old;
};

/* The lease requests in progress, or the timed one. */
#define GLK_REMOTE_BLOCKS (GLK_PAGE_SIZE / GLK_LINK_LINE_BYTES)

struct glk_remote_lease {
	bool active, failed;
	uint8_t response;      /* the kind of the answers */
	uint16_t first_tag;
	unsigned count, left;  /* requests; not yet answered */
	uint8_t *data;	       /* of `count` blocks; NULL: leases alone */
	uint64_t old;
	struct glk_remote_answer {
		bool answered;
		uint8_t status;
		uint64_t wts, rts;
	} of[GLK_REMOTE_BLOCKS];
};

struct glk_remote {
	struct glk_common *common;
	struct glk_card_link *link; /* on a card without one no partition is ever bound */
	struct glk_endpoints *endpoints;
	struct glk_remote_partition of[GLK_PARTITION_COUNT];
	uint32_t sent[GLK_LINK_PARTITIONS]; /* posted packets, by remote partition, since the session began */
	uint32_t to_push; /* bit N: partition N has something that waits for room */
	uint16_t next_tag;
	struct glk_remote_load load;
	struct glk_remote_atomic atomic;
	struct glk_remote_lease lease;
};

/* --- remote.c --- */

/* A response from the other card. Returns its credits. */
void glk_remote_packet(struct glk_remote *remote, const uint8_t *packet, size_t length, unsigned pieces);
void glk_remote_session_begins(struct glk_remote *remote);
void glk_remote_session_ends(struct glk_remote *remote);

/* --- remote_send.c --- */

/* The endpoint becomes of kind link, with the base that it has, and the other card is asked for its size. Returns 0, or
 * -EINVAL: it may not. */
int glk_remote_bind(struct glk_remote *remote, unsigned partition);
void glk_remote_unbind(struct glk_remote *remote, unsigned partition);
/* Asks the other card for the size of the endpoint, as a write to REMOTE_BYTES does. */
void glk_remote_ask(struct glk_remote *remote, unsigned partition);
/* Returns when no packet of the partition is held: a store may follow. */
void glk_remote_make_way(struct glk_remote *remote, unsigned partition);
/* Takes a packet that leaves a partition of kind link. */
void glk_remote_send(struct glk_remote *remote, unsigned partition, const uint8_t *packet, size_t length);
/* All writes posted until now must be confirmed: sends a release if they need one. For any partition. */
void glk_remote_want(struct glk_remote *remote, unsigned partition);
/* Queues what waits for room. */
void glk_remote_push(struct glk_remote *remote);
/* Sets the link's clock: waits that time out fail, counted. */
void glk_remote_advance(struct glk_remote *remote, uint64_t now);
/* The clock at which a wait times out next; UINT64_MAX: none. */
uint64_t glk_remote_deadline(const struct glk_remote *remote);

/* Between the files: tags of requests begin with the partition. */
#define GLK_REMOTE_TAG_TURN_SHIFT 4u
#define GLK_REMOTE_TAG_PARTITION  ((1u << GLK_REMOTE_TAG_TURN_SHIFT) - 1)

/* Runs the link until `done(remote, about)`. Returns 0, -ENOLINK when the session has ended, or -ETIMEDOUT. */
int glk_remote_wait(struct glk_remote *remote, bool (*done)(const struct glk_remote *remote, unsigned about), unsigned about);
/* Wait until all that is posted has arrived; until there is room for a packet of a header and `body` bytes. Return 0, or a
 * negative errno: -ENOLINK without a session, or -ETIMEDOUT. */
int glk_remote_wait_until_visible(struct glk_remote *remote, unsigned partition);
int glk_remote_wait_for_room(struct glk_remote *remote, size_t body);
/* The responses to releases and write requests. Return false if nothing waits for them. */
bool glk_remote_on_released(struct glk_remote *remote, const struct glk_link_header *header);
bool glk_remote_on_write_response(struct glk_remote *remote, const struct glk_link_header *header);
/* The writes of a partition that are not acknowledged have failed. */
void glk_remote_fail_posted(struct glk_remote *remote, unsigned partition);

/* --- remote_load.c --- */

/* Read the endpoint, and do an atomic of 4 or 8 bytes there, behind all stores posted to it. Return 0 or a negative errno. */
int glk_remote_load(struct glk_remote *remote, unsigned partition, uint64_t offset, void *data, size_t length);
int glk_remote_atomic(struct glk_remote *remote, unsigned partition, uint64_t offset, size_t length,
		      const struct glk_update *update, uint64_t *old);
/* Their responses. Return false if nothing waits for them. */
bool glk_remote_on_read_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body,
				 size_t bytes);
bool glk_remote_on_atomic_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body);
/* The session has ended: the load and the atomic in progress have failed. */
void glk_remote_loads_fail(struct glk_remote *remote);

#endif /* GLK_REMOTE_H */
