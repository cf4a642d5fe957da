/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link layer of one card (docs/link-format.md, "The link layer"): frames, CRC, acknowledgement and replay, credits,
 * sessions. It exchanges blocks with the wire, at most one per clock in each direction. The wire may lose, change and repeat
 * blocks.
 *
 * A clock is these calls, in this order; changes by receive, hold and free take effect on the sending side at the next clock:
 *
 *	if (glk_link_layer_ready(link) && there is a flit)
 *		glk_link_layer_send(link, &flit);
 *	if (glk_link_layer_clock(link, now, &block))
 *		the wire takes the block
 *	if (a block is received)
 *		glk_link_layer_receive(link, now, &block);
 *	for packets that have been processed: glk_link_layer_free(...)
 *
 * Clocks before glk_link_layer_next() may be skipped if no block is received and there is no flit. The logic matches the model
 * clock by clock; its pipelines delay received and sent blocks by a fixed number of clocks.
 */
#ifndef GLK_LINK_LAYER_H
#define GLK_LINK_LAYER_H

#include "netcrafter/flit.h"

#define GLK_LINK_VERSION	   1u
#define GLK_LINK_VERSION_LEASES	   2u /* with the kinds of leases; a card that has it also supports version 1 */
#define GLK_LINK_CLOCK_NS	   4u
#define GLK_LINK_REPLAY_FRAMES_MAX 512u
#define GLK_LINK_CREDITS_MAX	   2048u
/*
 * Minimum credits, in pieces: one more than incomplete packets can occupy. With fewer, two cards could deadlock. Posted: a
 * FinePack packet without its last flit, 127 early tails, a write request without its last flit; requests: an atomic;
 * responses: a read response and 127 early tails. With leases also a lease request, a timed request and 127 early tails; a
 * lease response and 127 early tails, and a timed response.
 */
#define GLK_LINK_POSTED_MIN   (256u + 127u + 4u + 1u)
#define GLK_LINK_REQUEST_MIN  (1u + 1u)
#define GLK_LINK_RESPONSE_MIN (4u + 127u + 1u)
#define GLK_LINK_REQUEST_MIN_LEASES  (GLK_LINK_REQUEST_MIN + 1u + 5u + 127u)
#define GLK_LINK_RESPONSE_MIN_LEASES (GLK_LINK_RESPONSE_MIN + 5u + 127u + 1u)

struct glk_link_layer;

struct glk_block {
	uint8_t bytes[GLK_FLIT_BYTES];
	bool control; /**< the sync header: true for a link word, false for a flit */
};

/** What a card announces when the link comes up. */
struct glk_link_hello {
	uint64_t serial;
	uint8_t version, cluster;
	bool compact; /**< accepts packets in the compact form */
	uint16_t session;
	uint16_t credits[GLK_CLASS_COUNT];
};

/** The order is UP, any number of LOST and RESUMED in turn, ENDED; then again UP. */
enum glk_link_event {
	GLK_LINK_UP,	  /**< a new session: both cards start at sequence number 0 */
	GLK_LINK_RESUMED, /**< up again: the session continues, nothing is lost */
	GLK_LINK_LOST,	  /**< down; the session may be resumed */
	GLK_LINK_ENDED,	  /**< the session has ended: unconfirmed operations have failed, no piece is held */
};

/** Called from receive; events also from clock, reset and cut. May call hold and free, but no other function of the link. */
struct glk_link_layer_ops {
	/** A flit of a complete frame, in order, exactly once. Returns 0; nonzero, a protocol error, resets the link. */
	int (*flit)(void *user, const struct glk_flit *flit);
	void (*event)(void *user, enum glk_link_event event);
};

struct glk_link_layer_config {
	/** version: the highest supported; session: different from all earlier ones, across power cycles too; credits: room in
	 *  pieces, see above */
	struct glk_link_hello self;
	unsigned replay_frames;	     /**< replay memory: a power of two, 2..512; 64 in the logic */
	unsigned replay_cycles;	     /**< replay timeout: longer than a round trip, ack_cycles and a frame */
	unsigned ack_cycles;	     /**< longest delay of an acknowledgement or a credit */
	unsigned hello_cycles;	     /**< interval of hellos while down; longest interval of link words while up */
	const struct glk_link_layer_ops *ops;
	void *user;
};

struct glk_link_layer_counters {
	uint64_t flits_sent, flits_received, frames_sent, frames_received; /**< without replays */
	uint64_t words_sent;	    /**< all, hellos and replayed frames included */
	uint64_t replays, frames_replayed, frames_repeated; /**< replays started; frames sent again; frames received again */
	uint64_t crc_errors, sequence_errors, protocol_errors, version_errors;
	uint64_t credit_stalls; /**< clocks, from glk_link_layer_stalled() */
	uint64_t ups, downs;
};

/** Fills in the defaults: 64 frames, replay after 1024 cycles, acknowledgement after 16, hello every 4096, 1024 credits per
 *  class. */
void glk_link_layer_config_default(struct glk_link_layer_config *config);
/** Creates a link that is down. `config` is copied. Returns 0, -EINVAL or -ENOMEM. Allocates all memory. */
int glk_link_layer_create(const struct glk_link_layer_config *config, struct glk_link_layer **link);
void glk_link_layer_destroy(struct glk_link_layer *link);
/** Takes the link down and moves to the next session number; event ENDED if there was a session. */
void glk_link_layer_reset(struct glk_link_layer *link, uint64_t now);
/** The wire is disconnected (a socket closed): the link is down at once; the session may be resumed. */
void glk_link_layer_cut(struct glk_link_layer *link, uint64_t now);

bool glk_link_layer_up(const struct glk_link_layer *link);
/** The hello of the other card; NULL while down. Its version is that of the session. */
const struct glk_link_hello *glk_link_layer_peer(const struct glk_link_layer *link);

/** Whether a flit can be sent at this clock. */
bool glk_link_layer_ready(const struct glk_link_layer *link);
/** Sends a flit; allowed only if ready. */
void glk_link_layer_send(struct glk_link_layer *link, const struct glk_flit *flit);
/** Pieces of each class that may be sent; the caller deducts what it sends (glk_cluster_queue_clock() does). */
unsigned *glk_link_layer_credits(struct glk_link_layer *link);
/** `pieces` of a class were received and occupy room. Returns 0, or -ENOBUFS: no room, a protocol error. */
int glk_link_layer_hold(struct glk_link_layer *link, enum glk_class class, unsigned pieces);
/** `pieces` of a class were processed: returns their credits. */
void glk_link_layer_free(struct glk_link_layer *link, enum glk_class class, unsigned pieces);

/** Counts clocks in which flits waited only for credits. */
void glk_link_layer_stalled(struct glk_link_layer *link, uint64_t clocks);

/** Runs one clock of the sending side. Returns whether *block is to be sent. */
bool glk_link_layer_clock(struct glk_link_layer *link, uint64_t now, struct glk_block *block);
/** Runs one clock of the sending side in which the wire takes no block: no flit is accepted, only time passes. */
void glk_link_layer_wait(struct glk_link_layer *link, uint64_t now);
/** Processes a received block. */
void glk_link_layer_receive(struct glk_link_layer *link, uint64_t now, const struct glk_block *block);
/** The next clock, `now` at the earliest, at which there is a block to send if none is received. */
uint64_t glk_link_layer_next(const struct glk_link_layer *link, uint64_t now);

const struct glk_link_layer_counters *glk_link_layer_counters(const struct glk_link_layer *link);

#endif /* GLK_LINK_LAYER_H */
