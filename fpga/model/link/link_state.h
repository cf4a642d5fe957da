/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a link layer, as the registers and memories of the logic hold it. link_send.c makes the blocks that go out,
 * link_receive.c processes those that arrive; both call link_session.c, which begins and ends sessions, and all three
 * link_state.c. Internal to the link layer.
 */
#ifndef GLK_LINK_STATE_H
#define GLK_LINK_STATE_H

#include "link/link_word.h"

#define GLK_REPLAYS_MAX 16u /* in a row without progress */

/* A frame that has been taken to be sent and is not known to have come. */
struct glk_link_frame {
	uint8_t flits[GLK_FRAME_FLITS][GLK_FLIT_BYTES];
	uint64_t types;
	unsigned count;
};

struct glk_link_session {
	bool up;
	bool begun;		    /* it has been up, under these two numbers */
	uint16_t own, other;	    /* other: 0 while none is known */
	struct glk_link_hello peer; /* as it was when the session began */
	bool answer;		    /* a ready is owed */
	uint64_t hello_at;	    /* while down */
};

struct glk_link_sender {
	struct glk_link_frame *frames;	/* replay memory: frame n at n mod replay_frames */
	uint16_t acked;			/* the oldest frame that is kept */
	uint16_t next;			/* the frame that is open, or will be */
	unsigned open;			/* flits taken for it */
	bool taken;			/* the last of them at this clock */
	bool replaying, replay_wanted;
	uint16_t replay;		/* the frame being sent again, and its next flit */
	unsigned replay_flit;
	unsigned replays;		/* in a row without progress */
	bool pass;			/* changes with every replay */
	uint64_t timer;			/* since then nothing was acknowledged */
	unsigned hello_block;		/* next block of a hello or ready, 0: none is on its way */
	bool hello_ready;		/* it is a ready */
	bool broken;			/* data blocks went out that no word has followed */
	uint32_t crc;			/* of the data blocks since the last word */
	uint64_t word_at;		/* then a word goes out at the latest */
	unsigned told;			/* class of the last credit sent */
	unsigned credits[GLK_CLASS_COUNT];
};

struct glk_link_receiver {
	uint8_t flits[GLK_FRAME_FLITS][GLK_FLIT_BYTES];
	unsigned count;	     /* data blocks since the last word; one more than a frame has stands for all above */
	uint32_t crc;	     /* of them */
	uint16_t expected;
	bool gap;	     /* something is missing, and this was in pass: */
	bool gap_pass;
	bool pass;	     /* of the last right word */
	uint16_t credit[GLK_CLASS_COUNT]; /* the other's, as it said last */
	uint16_t freed[GLK_CLASS_COUNT];  /* own, mod GLK_CREDIT_COUNT */
	unsigned held[GLK_CLASS_COUNT];   /* pieces in the buffer */
	unsigned news;			  /* classes of which `freed` has not been said, bit by bit */
};

struct glk_link_layer {
	struct glk_link_layer_config config;
	struct glk_crc32c crc;
	uint64_t now;
	struct glk_link_session session;
	struct glk_link_sender sender;
	struct glk_link_receiver receiver;
	struct glk_link_layer_counters counters;
};

static inline unsigned glk_link_outstanding(const struct glk_link_layer *link)
{
	return glk_sequence_after(link->sender.acked, link->sender.next);
}

/* The place of frame `number` in the replay memory. */
static inline struct glk_link_frame *glk_link_frame_of(struct glk_link_layer *link, unsigned number)
{
	return &link->sender.frames[number & (link->config.replay_frames - 1)];
}

/* --- link_state.c --- */

/* The state of a new session, without credits. */
void glk_link_send_reset(struct glk_link_layer *link);
/* Ends the open frame. */
void glk_link_send_close(struct glk_link_layer *link);
/* Stops whatever is being sent. An open frame is closed; it goes out with the replay. */
void glk_link_send_stop(struct glk_link_layer *link);
/* Frames before `acknowledge`, which is one of the outstanding ones or the next, have arrived. */
void glk_link_send_acknowledged(struct glk_link_layer *link, uint16_t acknowledge);
/* While up a word has to go out, after at most `clocks`. */
void glk_link_send_owe(struct glk_link_layer *link, unsigned clocks);
/* The state of a new session. */
void glk_link_receive_reset(struct glk_link_layer *link);
/* Discards the data blocks since the last word. */
void glk_link_receive_forget(struct glk_link_layer *link);

/* --- link_session.c, which calls link_state.c and is called by both sides --- */

void glk_link_session_hello(struct glk_link_layer *link, const struct glk_link_word *word,
			    const uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES]);
/* Down at once, but the session may go on. */
void glk_link_session_lost(struct glk_link_layer *link);
/* Over, with a new number; `other`: the one that the other card says now, or 0. */
void glk_link_session_end(struct glk_link_layer *link, uint16_t other);
void glk_link_session_protocol_error(struct glk_link_layer *link);

#endif /* GLK_LINK_STATE_H */
