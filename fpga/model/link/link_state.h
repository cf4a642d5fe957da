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

/* A frame that is sent and not acknowledged. */
struct glk_link_frame {
	uint8_t flits[GLK_FRAME_FLITS][GLK_FLIT_BYTES];
	uint64_t types;
	unsigned count;
};

struct glk_link_session {
	bool up;
	bool begun;		    /* it has been up with these two numbers */
	uint16_t own, other;	    /* session numbers; other: 0 while unknown */
	uint8_t version; /* that own hellos have: the highest supported by this card, and, since it sent one, by the other */
	struct glk_link_hello peer; /* from the begin of the session */
	bool answer;		    /* a ready is to be sent */
	uint64_t hello_at;	    /* the clock of the next hello while down */
};

struct glk_link_sender {
	struct glk_link_frame *frames;	/* replay memory: frame n at n mod replay_frames */
	uint16_t acked;			/* the oldest frame not acknowledged */
	uint16_t next;			/* the frame that is open, or opened next */
	unsigned open;			/* flits of it sent so far */
	bool taken;			/* the last of them is sent at this clock */
	bool replaying, replay_wanted;
	uint16_t replay;		/* the frame being replayed, and its next flit */
	unsigned replay_flit;
	unsigned replays;		/* in a row without progress */
	bool pass;			/* toggles with every replay */
	uint64_t timer;			/* the clock of the last progress */
	unsigned hello_block;		/* next block of the hello or ready being sent, 0: none */
	bool hello_ready;		/* it is a ready */
	bool broken;			/* data blocks were sent without a word behind them */
	uint32_t crc;			/* CRC state of the data blocks since the last word */
	uint64_t word_at;		/* the latest clock for the next word */
	unsigned credit_class;			/* class of the last credit sent */
	unsigned credits[GLK_CLASS_COUNT];
};

struct glk_link_receiver {
	uint8_t flits[GLK_FRAME_FLITS][GLK_FLIT_BYTES];
	unsigned count;	     /* data blocks since the last word; GLK_FRAME_FLITS + 1 stands for any larger number */
	uint32_t crc;	     /* CRC state of them */
	uint16_t expected;
	bool gap;	     /* a frame is missing, since the pass: */
	bool gap_pass;
	bool pass;	     /* of the last valid word */
	uint16_t credit[GLK_CLASS_COUNT]; /* last received credit counts of the other card */
	uint16_t freed[GLK_CLASS_COUNT];  /* own credit counts, mod GLK_CREDIT_COUNT */
	unsigned held[GLK_CLASS_COUNT];   /* pieces that occupy room */
	unsigned news;			  /* bit N: `freed` of class N has not been sent */
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

/* A hello or ready was received. */
void glk_link_session_hello(struct glk_link_layer *link, const struct glk_link_word *word,
			    const uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES]);
/* Takes the link down; the session may be resumed. */
void glk_link_session_lost(struct glk_link_layer *link);
/* Ends the session and takes the next number; `other`: the other card's new number, or 0. */
void glk_link_session_end(struct glk_link_layer *link, uint16_t other);
/* Counts a protocol error; ends the session if the link is up. */
void glk_link_session_protocol_error(struct glk_link_layer *link);

#endif /* GLK_LINK_STATE_H */
