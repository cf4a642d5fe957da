/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link of a card, and which file does what with it: card_link.c joins cluster queue, link layer and un-stitching, remote.c
 * and remote_load.c have what this card wants of the other, serve.c what the other wants of this one, capture.c writes down
 * what goes over it. Internal to the model.
 *
 * What the other card says is never trusted: partitions, offsets, tags and counts are checked where they are used.
 */
#ifndef GLK_CARD_LINK_H
#define GLK_CARD_LINK_H

#include "link/capture.h"
#include "base/counters.h"
#include "netcrafter/cluster_queue.h"
#include "link/link_layer.h"
#include "netcrafter/trim.h"
#include "netcrafter/unstitch.h"
#include "finepack/packetizer.h"

#define GLK_LINK_ENTRIES	 1024u /* of the cluster queue: the paper's 16 KiB */
#define GLK_LINK_POOL_CYCLES_MAX 128u
#define GLK_LINK_BURST_MAX	 255u
#define GLK_LINK_TIMEOUT_MIN_NS	 1000u
#define GLK_LINK_CLOCK_NS	 4u
#define GLK_LINK_PARTITIONS	 16u /* that a header can name */

/* Pieces that there is room for, by class, and so requests that may be under way here. */
#define GLK_LINK_POSTED_ROOM   1024u
#define GLK_LINK_REQUEST_ROOM  256u
#define GLK_LINK_RESPONSE_ROOM 1024u
#define GLK_SERVE_MOST	       (GLK_LINK_POSTED_ROOM + GLK_LINK_REQUEST_ROOM)

/*
 * A partition of kind link. What the endpoint counts as posted are packets to the remote partition: FinePack packets, of which
 * releases tell that they have arrived, and write requests, which are answered one by one.
 */
struct glk_remote {
	bool bound;	      /* the endpoint is, or before it became none was, of kind link */
	unsigned partition;   /* of the other card */
	uint64_t bytes;	      /* FAR_BYTES */
	bool ask, asking;     /* a translation request is to be sent, or under way */
	uint16_t asked;	      /* its tag */
	uint16_t turn;	      /* of tags */
	uint64_t finepack_to; /* `posted`, when the last FinePack packet was sent */
	uint32_t writes, answered;
	bool releasing;	      /* a release is under way, */
	uint64_t release_to;  /* for what had been posted then, */
	uint16_t release_tag; /* with that tag */
	uint64_t wanted_to;   /* what somebody waits for */
	uint64_t until;	      /* the clock at which what is under way has failed */
	size_t held_bytes;    /* 0, or a packet that waits for room in the cluster queue */
	uint8_t held[GLK_PACKET_BYTES_MAX];
};

/* The load that is under way; there is one at most. */
struct glk_remote_load {
	bool active, failed;
	uint16_t first_tag;
	unsigned left; /* lines not yet answered */
	uint64_t offset;
	size_t length;
	uint8_t *data;
	uint8_t expected[GLK_PAGE_SIZE / GLK_LINK_LINE_BYTES + 1]; /* bytes of each line's answer; 0: has come */
};

struct glk_remote_atomic {
	bool active, failed;
	uint16_t tag;
	uint64_t old;
};

/* A request of the other card that is not answered yet. */
struct glk_request {
	uint16_t next;
	uint16_t tag, pieces;
	uint8_t kind, partition, status;
	uint64_t value;	 /* where to read, or what to answer */
	uint64_t mark;	 /* done when so many of the endpoint's writes are acknowledged */
	uint64_t failed; /* failures of the endpoint before */
};

struct glk_request_list {
	uint16_t first, last; /* GLK_SERVE_MOST: none */
};

/* What the other card has sent to a partition of this one. */
struct glk_serve {
	uint32_t received;   /* posted packets since the link came up */
	bool refused;	     /* one of them was, since the last release */
	uint64_t told;	     /* failures of the endpoint that releases have told of */
	uint16_t release;    /* the one that waits; GLK_SERVE_MOST: none */
	uint32_t release_to; /* for that many */
	bool release_marked; /* all have come: now it waits as the rest */
	struct glk_request_list waiting;
};

struct glk_card_link {
	struct glk_cluster_queue *queue;
	struct glk_link_layer *layer;
	struct glk_unstitch *unstitch;
	uint64_t now;
	bool up, session;
	bool malformed;	       /* the flit being taken broke the format */
	unsigned nested;       /* the link is at work: nobody may wait for it */
	uint64_t session_until; /* while it is down: when the session ends */
	uint64_t control, pool_cycles, burst, trim_bytes, timeout_ns;
	struct glk_link_counters counters, latched;
	struct glk_capture capture;
	/* remote.c, remote_load.c */
	struct glk_remote remote[GLK_PARTITION_COUNT];
	uint32_t sent[GLK_LINK_PARTITIONS]; /* posted packets, by remote partition, since the link came up */
	uint32_t to_push; /* bit N: partition N has something that waits for room */
	uint16_t next_tag;
	struct glk_remote_load load;
	struct glk_remote_atomic atomic;
	/* serve.c */
	struct glk_serve serve[GLK_LINK_PARTITIONS];
	struct glk_request requests[GLK_SERVE_MOST];
	struct glk_request_list answers;
	uint16_t free;
};

struct glk_card;
struct glk_update;

/* card_link.c */
int glk_card_link_create(struct glk_card *card);
void glk_card_link_destroy(struct glk_card *card);
/* A reset of the card: the session ends, settings are as after power-on. */
void glk_card_link_reset(struct glk_card *card);
uint64_t glk_card_link_get(struct glk_card *card, unsigned reg);
int glk_card_link_set(struct glk_card *card, unsigned reg, uint64_t value);
void glk_card_link_snapshot(struct glk_card *card);
/* What time brings: waits that came to their bound. */
void glk_card_link_advance(struct glk_card *card, uint64_t now);
uint64_t glk_card_link_deadline(const struct glk_card *card); /* in nanoseconds */

/* capture.c: as get and set of the link, which is there. */
uint64_t glk_capture_get(const struct glk_card *card, unsigned reg);
int glk_capture_set(struct glk_card *card, unsigned reg, uint64_t value);
/* A block went out, or came and was taken; `dropped`: as a word that was wrong. */
void glk_capture_sent(struct glk_card *card, const struct glk_block *block);
void glk_capture_received(struct glk_card *card, const struct glk_block *block, bool dropped);
/* What comes next does not go on with what came before. */
void glk_capture_cut(struct glk_card *card);
/* A reset of the card: it ends. */
void glk_capture_reset(struct glk_card *card);

/* Between its files. */
static inline uint64_t *glk_link_counter(struct glk_card_link *link, unsigned reg)
{
	return &link->counters.value[(reg - GLK_LINK_FLITS_IN) / 8];
}
/* Queues a packet: header, then `body`. Returns 0, or -EAGAIN: no room now. */
int glk_link_push(struct glk_card_link *link, const struct glk_link_header *header, const void *body, size_t length);
/* Waits until `done(card, about)`. Returns 0, -ENOLINK when the session is over, or -ETIMEDOUT. */
int glk_link_wait(struct glk_card *card, bool (*done)(const struct glk_card *card, unsigned about), unsigned about);
/* A link that takes nothing any more is given up: its session ends. */
void glk_link_give_up(struct glk_card *card);
uint64_t glk_link_bound(const struct glk_card_link *link);

/* remote.c */
bool glk_remote_is(const struct glk_card *card, unsigned partition);
/* The endpoint becomes of kind link, with the base that it has. -EINVAL: it cannot. */
int glk_remote_bind(struct glk_card *card, unsigned partition);
void glk_remote_unbind(struct glk_card *card, unsigned partition);
void glk_remote_ask(struct glk_card *card, unsigned partition);
/* Nothing is on hold: a store may follow. */
void glk_remote_make_way(struct glk_card *card, unsigned partition);
void glk_remote_send(struct glk_card *card, unsigned partition, const uint8_t *packet, size_t length);
/* Somebody waits for all that is posted. */
void glk_remote_want(struct glk_card *card, unsigned partition);
/* Wait until all that is posted has arrived; until there is room for a packet of a header and `body` bytes. Return 0, or a
 * negative errno: there is no session any more, or -ETIMEDOUT. */
int glk_remote_wait_until_visible(struct glk_card *card, unsigned partition);
int glk_remote_wait_for_room(struct glk_card *card, size_t body);
void glk_remote_response(struct glk_card *card, const struct glk_link_header *header, const uint8_t *body, size_t length);
void glk_remote_push(struct glk_card *card);
void glk_remote_expire(struct glk_card *card);
uint64_t glk_remote_deadline(const struct glk_card *card);
void glk_remote_session_begins(struct glk_card *card);
void glk_remote_session_ends(struct glk_card *card);

/* remote_load.c; the answers return whether anything waits for them */
int glk_remote_load(struct glk_card *card, unsigned partition, uint64_t offset, void *data, size_t length);
int glk_remote_atomic(struct glk_card *card, unsigned partition, uint64_t offset, size_t length, const struct glk_update *update,
		   uint64_t *old);
bool glk_remote_on_read_response(struct glk_card *card, const struct glk_link_header *header, const uint8_t *body, size_t bytes);
bool glk_remote_on_atomic_response(struct glk_card *card, const struct glk_link_header *header, const uint8_t *body);
/* The session has ended: what waits has failed. */
void glk_remote_loads_fail(struct glk_card *card);

/* serve.c */
void glk_serve_packet(struct glk_card *card, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces);
/* Endpoint writes of the partition were acknowledged. */
void glk_serve_acknowledged(struct glk_card *card, unsigned partition);
void glk_serve_push(struct glk_card *card);
void glk_serve_reset(struct glk_card *card);

#endif /* GLK_CARD_LINK_H */
