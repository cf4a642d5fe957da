/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes over the card's link, written as records to a ring in host memory: block CAPTURE (docs/registers.md). The link never
 * waits for it. Internal to the model.
 */
#ifndef GLK_CAPTURE_H
#define GLK_CAPTURE_H

#include "link/link_word.h"

/* The frame that is under way in one direction: the data blocks since the last link word. */
struct glk_capture_frame {
	uint8_t flits[GLK_FRAME_FLITS][GLK_FLIT_BYTES];
	unsigned count; /* one more than a frame has stands for all above */
};

struct glk_capture {
	bool enabled;
	uint64_t base, order;
	uint64_t produced, consumed, lost;
	uint32_t gap;	     /* records lost since the one that was written last */
	uint64_t time, time_at; /* the time that was told, and the link's clock then */
	struct glk_capture_frame frames[2]; /* sent, received */
};

#endif /* GLK_CAPTURE_H */
