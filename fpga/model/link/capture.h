/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the card's link sends and receives, written as records to a ring in host memory: block CAPTURE (docs/registers.md). The
 * link never waits for it. `now` is the link's clock. Internal to the model.
 */
#ifndef GLK_CAPTURE_H
#define GLK_CAPTURE_H

#include "base/common.h"
#include "link/link_word.h"

/* The frame in progress in one direction: the data blocks since the last link word. */
struct glk_capture_frame {
	uint8_t flits[GLK_FRAME_FLITS][GLK_FLIT_BYTES];
	unsigned count; /* GLK_FRAME_FLITS + 1 stands for any larger number */
};

struct glk_capture {
	struct glk_common *common;
	bool enabled;
	uint64_t base, order;
	uint64_t produced, consumed, lost;
	uint32_t gap;		/* records lost since the last one written */
	uint64_t time, time_at; /* TIME as last written, and the link's clock then */
	struct glk_capture_frame frames[2]; /* sent, received */
};

uint64_t glk_capture_get(const struct glk_capture *capture, uint64_t now, unsigned reg);
/* Returns 0, or -EINVAL: nothing has changed. */
int glk_capture_set(struct glk_capture *capture, uint64_t now, unsigned reg, uint64_t value);
/* A block was sent, or received and processed; `dropped`: as a link word with an error. */
void glk_capture_sent(struct glk_capture *capture, uint64_t now, const struct glk_block *block);
void glk_capture_received(struct glk_capture *capture, uint64_t now, const struct glk_block *block, bool dropped);
/* The wire was cut: what is received next does not continue the frame in progress. */
void glk_capture_cut(struct glk_capture *capture);
/* A reset of the card: capturing ends. */
void glk_capture_reset(struct glk_capture *capture);

#endif /* GLK_CAPTURE_H */
