/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link layer of one card (docs/link-format.md, "The link layer"): frames, CRC, acknowledgement and replay, credits, sessions.
 * Blocks in and out, at most one a clock each way; whoever plays the wire carries them, and may lose, change and repeat them.
 *
 * A clock, in this order; what receive, hold and free change is seen by the sending side at the next clock:
 *
 *	if (glk_link_layer_ready(link) && there is a flit)
 *		glk_link_layer_send(link, &flit);
 *	if (glk_link_layer_clock(link, now, &block))
 *		block goes out
 *	if (a block comes)
 *		glk_link_layer_receive(link, now, &block);
 *	packets that were dealt with: glk_link_layer_free(...)
 *
 * Clocks before glk_link_layer_next() at which nothing comes and no flit is there may be left out. The logic does the same at the
 * same clocks; its pipelines add a fixed number of clocks to the blocks that come and to those that go out.
 */
#ifndef GLK_LINK_LAYER_H
#define GLK_LINK_LAYER_H

#include "netcrafter/flit.h"

#define GLK_LINK_VERSION	   1u
#define GLK_LINK_CLOCK_NS	   4u
#define GLK_LINK_REPLAY_FRAMES_MAX 512u
#define GLK_LINK_CREDITS_MAX	   2048u
/*
 * Least room, of pieces: one more than those of packets that are not whole yet can be. With less two cards could wait for each
 * other for ever. Posted: a FinePack packet but its last flit, 127 tails ahead, a write request but its last flit; requests:
 * an atomic; responses: a read response, and 127 tails.
 */
#define GLK_LINK_POSTED_MIN   (256u + 127u + 4u + 1u)
#define GLK_LINK_REQUEST_MIN  (1u + 1u)
#define GLK_LINK_RESPONSE_MIN (4u + 127u + 1u)

struct glk_link_layer;

struct glk_block {
	uint8_t bytes[GLK_FLIT_BYTES];
	bool control; /**< the sync header: a link word, else a flit */
};

struct glk_link_hello {
	uint64_t serial;
	uint8_t version, cluster;
	uint16_t session;
	uint16_t credits[GLK_CLASS_COUNT];
};

/** UP, then LOST and RESUMED in turn any number of times, then ENDED; and again. */
enum glk_link_event {
	GLK_LINK_UP,	  /**< a new session: both begin at 0 */
	GLK_LINK_RESUMED, /**< the session goes on, nothing is lost */
	GLK_LINK_LOST,	  /**< down; the session may go on later */
	GLK_LINK_ENDED,	  /**< the session is over: what was not known to be done has failed, no piece is held any more */
};

/** Called from receive, and for events also from clock, reset and cut. May call hold and free, nothing else of the link. */
struct glk_link_layer_ops {
	/** A flit of a frame that is whole, in order, once. Nonzero: a protocol error, the link is reset. */
	int (*flit)(void *user, const struct glk_flit *flit);
	void (*event)(void *user, enum glk_link_event event);
};

struct glk_link_layer_config {
	/** session: differs from those before, also after power was off; credits: pieces that it has room for, see above */
	struct glk_link_hello self;
	unsigned replay_frames;	     /**< kept until acknowledged, a power of two, 2..512; 64 in the logic */
	unsigned replay_cycles;	     /**< more than a round trip, ack_cycles and a frame */
	unsigned ack_cycles;
	unsigned hello_cycles;	     /**< between hellos while down; while up, a word goes out at least so often */
	const struct glk_link_layer_ops *ops;
	void *user;
};

struct glk_link_layer_counters {
	uint64_t flits_sent, flits_received, frames_sent, frames_received; /**< each once */
	uint64_t words_sent;	    /**< every one, also of hellos and of frames sent again */
	uint64_t replays, frames_replayed, frames_repeated; /**< asked or timed out; sent again; received again */
	uint64_t crc_errors, sequence_errors, protocol_errors, version_errors;
	uint64_t credit_stalls; /**< clocks, told by glk_link_layer_stalled() */
	uint64_t ups, downs;
};

/** Fills in 64 frames, replay after 1024 cycles, acknowledgement after 16, hello every 4096, 1024 credits each. */
void glk_link_layer_config_default(struct glk_link_layer_config *config);
int glk_link_layer_create(const struct glk_link_layer_config *config, struct glk_link_layer **link);
void glk_link_layer_destroy(struct glk_link_layer *link);
/** Takes the link down and begins a new session (the number is the next one); event ENDED if there was one. */
void glk_link_layer_reset(struct glk_link_layer *link, uint64_t now);
/** The wire is gone (a socket closed): down at once, the session may go on. */
void glk_link_layer_cut(struct glk_link_layer *link, uint64_t now);

bool glk_link_layer_up(const struct glk_link_layer *link);
const struct glk_link_hello *glk_link_layer_peer(const struct glk_link_layer *link); /**< NULL while not up */

/** Whether a flit can be taken at this clock. */
bool glk_link_layer_ready(const struct glk_link_layer *link);
/** Takes a flit; only when ready. */
void glk_link_layer_send(struct glk_link_layer *link, const struct glk_flit *flit);
/** Pieces of each class that may still be sent; the caller takes off what it sends (glk_cluster_queue_clock does). */
unsigned *glk_link_layer_credits(struct glk_link_layer *link);
/** So many pieces of a class have come and are kept. Returns 0, or -ENOBUFS: there is no room, which is a protocol error. */
int glk_link_layer_hold(struct glk_link_layer *link, enum glk_class class, unsigned pieces);
/** So many pieces of a class that were held have been dealt with. */
void glk_link_layer_free(struct glk_link_layer *link, enum glk_class class, unsigned pieces);

/** Flits waited so many clocks for credits alone: counted. */
void glk_link_layer_stalled(struct glk_link_layer *link, uint64_t clocks);

/** One clock of the sending side: returns whether there is a block. */
bool glk_link_layer_clock(struct glk_link_layer *link, uint64_t now, struct glk_block *block);
/** A block came. */
void glk_link_layer_receive(struct glk_link_layer *link, uint64_t now, const struct glk_block *block);
/** The clock at which, if nothing comes, it next has something to send; `now` when it has already. */
uint64_t glk_link_layer_next(const struct glk_link_layer *link, uint64_t now);

const struct glk_link_layer_counters *glk_link_layer_counters(const struct glk_link_layer *link);

#endif /* GLK_LINK_LAYER_H */
