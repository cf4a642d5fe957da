/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link of a card: cluster queue, link layer, un-stitching and capture joined; the registers of block LINK; and the state of
 * the session. Packets and the begin and end of a session are passed on through glk_card_link_ops. Internal to the model.
 */
#ifndef GLK_CARD_LINK_H
#define GLK_CARD_LINK_H

#include "base/common.h"
#include "base/counters.h"
#include "link/capture.h"
#include "link/link_layer.h"
#include "netcrafter/cluster_queue.h"
#include "netcrafter/unstitch.h"

#define GLK_LINK_ENTRIES	 1024u /* of the cluster queue: the paper's 16 KiB */
#define GLK_LINK_POOL_CYCLES_MAX 128u
#define GLK_LINK_BURST_MAX	 255u
#define GLK_LINK_TIMEOUT_MIN_NS	 1000u
#define GLK_LINK_PARTITIONS	 16u /* that a header can name */

/* Pieces that there is room for, by class: the credits that the card gives. */
#define GLK_LINK_POSTED_ROOM   1024u
#define GLK_LINK_REQUEST_ROOM  256u
#define GLK_LINK_RESPONSE_ROOM 1024u

struct glk_card_link_ops {
	/* A packet was received; it is only valid during the call. The receiver returns the `pieces` of its class with
	 * glk_link_layer_free() when it has dealt with it. */
	void (*packet)(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces);
	/* Before each clock: packets that wait for room in the cluster queue may be queued. */
	void (*push)(void *user);
	void (*session_begins)(void *user);
	void (*session_ends)(void *user);
};

struct glk_card_link {
	struct glk_common *common;
	const struct glk_card_link_ops *ops;
	void *user;
	struct glk_cluster_queue *queue;
	struct glk_link_layer *layer;
	struct glk_unstitch *unstitch;
	uint64_t now; /* in clocks of GLK_LINK_CLOCK_NS */
	bool up, session;
	bool leases;	       /* the session has the kinds of leases */
	bool malformed;	       /* the flit being processed is a protocol error */
	unsigned nested;       /* calls into the link that are in progress: none of them may wait for it */
	uint64_t session_until; /* while it is down: the clock at which the session ends */
	uint64_t control, pool_cycles, burst, trim_bytes, timeout_ns;
	struct glk_link_counters counters, latched;
	struct glk_capture capture;
};

/* The counter of block LINK whose register is `reg`. */
static inline uint64_t *glk_link_counter(struct glk_card_link *link, unsigned reg)
{
	return &link->counters.value[(reg - GLK_LINK_COUNTER_FIRST) / 8];
}

/* Allocates the parts of a zeroed struct and sets the state after power-on. Returns 0 or -ENOMEM. */
int glk_card_link_create(struct glk_card_link *link, struct glk_common *common, const struct glk_card_link_ops *ops,
			 void *user);
/* Frees the parts; of a zeroed struct there are none. */
void glk_card_link_destroy(struct glk_card_link *link);
/* A reset of the card: the session ends, and the settings are as after power-on. */
void glk_card_link_reset(struct glk_card_link *link);

/* Registers of block LINK. set returns 0 or -EINVAL; snapshot latches the counters that get returns. */
uint64_t glk_card_link_get(const struct glk_card_link *link, unsigned reg);
int glk_card_link_set(struct glk_card_link *link, unsigned reg, uint64_t value);
void glk_card_link_snapshot(struct glk_card_link *link);

/* Queues a packet: header, then `body`. Returns 0, or -EAGAIN: no room now. */
int glk_link_push(struct glk_card_link *link, const struct glk_link_header *header, const void *body, size_t length);
/* The clock at which a wait that begins now times out: register TIMEOUT_NS from now. */
uint64_t glk_link_bound(const struct glk_card_link *link);
/* A link that has taken nothing for that long: its session ends; counted. */
void glk_link_give_up(struct glk_card_link *link);

/* The functions of card/card.h, glk_card_link_clock() and the next three. */
bool glk_link_clock(struct glk_card_link *link, uint64_t now, bool ready, struct glk_block *block);
void glk_link_block(struct glk_card_link *link, uint64_t now, const struct glk_block *block);
void glk_link_cut(struct glk_card_link *link, uint64_t now);
uint64_t glk_link_next(const struct glk_card_link *link, uint64_t now);

/* Sets the clock, which never goes back. */
void glk_link_set_now(struct glk_card_link *link, uint64_t now);
/* Ends a session whose link has been down until its deadline; and that clock, UINT64_MAX for none. */
void glk_link_expire(struct glk_card_link *link);
uint64_t glk_link_deadline(const struct glk_card_link *link);

#endif /* GLK_CARD_LINK_H */
