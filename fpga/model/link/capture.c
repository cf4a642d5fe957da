// SPDX-License-Identifier: Apache-2.0
/* The link's frames, in the order in which their link words pass. */
#include "link/capture.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

#define Q(name) (8 * GLK_CAPTURE_RECORD_##name##_Q)

enum { SENT, RECEIVED };

static uint64_t capture_time(const struct glk_capture *capture, uint64_t now)
{
	return capture->time + (now - capture->time_at) * GLK_LINK_CLOCK_NS;
}

/* --- records --- */

static void lose(struct glk_capture *capture)
{
	capture->lost++;
	if (capture->gap < UINT32_MAX)
		capture->gap++;
}

static void put_record(uint8_t record[GLK_CAPTURE_RECORD_BYTES], const struct glk_capture_frame *frame, const uint8_t *word)
{
	unsigned flits = frame->count < GLK_FRAME_FLITS ? frame->count : GLK_FRAME_FLITS;
	uint8_t *at = record + Q(FRAME);

	memcpy(at, frame->flits, flits * (size_t)GLK_FLIT_BYTES);
	memcpy(at + flits * (size_t)GLK_FLIT_BYTES, word, GLK_FLIT_BYTES);
}

static uint64_t about(const struct glk_capture *capture, unsigned direction, bool dropped)
{
	unsigned count = capture->frames[direction].count;
	bool cut = count > GLK_FRAME_FLITS;
	uint64_t blocks = cut ? GLK_FRAME_FLITS + 1 : count + 1;

	return (uint64_t)direction << GLK_CAPTURE_RECORD_RECEIVED_SHIFT | blocks << GLK_CAPTURE_RECORD_BLOCKS_SHIFT |
	       (dropped || cut ? GLK_CAPTURE_RECORD_DROPPED_MASK : 0) | (cut ? GLK_CAPTURE_RECORD_CUT_MASK : 0) |
	       (uint64_t)capture->gap << GLK_CAPTURE_RECORD_LOST_SHIFT;
}

static void write_record(struct glk_capture *capture, uint64_t now, unsigned direction, const uint8_t *word, bool dropped)
{
	uint64_t records = 1ull << capture->order, place = capture->produced & (records - 1);
	uint8_t record[GLK_CAPTURE_RECORD_BYTES] = { 0 };

	if (capture->produced - capture->consumed == records) {
		lose(capture);
		return;
	}
	glk_put_le64(record + Q(TIME), capture_time(capture, now));
	glk_put_le64(record + Q(RECEIVED), about(capture, direction, dropped));
	put_record(record, &capture->frames[direction], word);
	if (glk_dma_write(capture->common, capture->base + place * GLK_CAPTURE_RECORD_BYTES, record, sizeof(record))) {
		lose(capture);
		return;
	}
	capture->produced++;
	capture->gap = 0;
}

static void take_block(struct glk_capture *capture, uint64_t now, unsigned direction, const struct glk_block *block,
		       bool dropped)
{
	struct glk_capture_frame *frame = &capture->frames[direction];

	if (block->control) {
		if (capture->enabled)
			write_record(capture, now, direction, block->bytes, dropped);
		frame->count = 0;
		return;
	}
	if (frame->count < GLK_FRAME_FLITS)
		memcpy(frame->flits[frame->count], block->bytes, GLK_FLIT_BYTES);
	if (frame->count <= GLK_FRAME_FLITS)
		frame->count++;
}

void glk_capture_sent(struct glk_capture *capture, uint64_t now, const struct glk_block *block)
{
	take_block(capture, now, SENT, block, false);
}

void glk_capture_received(struct glk_capture *capture, uint64_t now, const struct glk_block *block, bool dropped)
{
	take_block(capture, now, RECEIVED, block, dropped);
}

/* An aborted frame that was sent still ends with an invalid word; a received one is discarded. */
void glk_capture_cut(struct glk_capture *capture)
{
	capture->frames[RECEIVED].count = 0;
}

/* --- registers --- */

uint64_t glk_capture_get(const struct glk_capture *capture, uint64_t now, unsigned reg)
{
	switch (reg) {
	case GLK_CAPTURE_CONTROL:
		return capture->enabled ? GLK_CAPTURE_CONTROL_ENABLE_MASK : 0;
	case GLK_CAPTURE_RING_BASE:
		return capture->base;
	case GLK_CAPTURE_RING_ORDER:
		return capture->order;
	case GLK_CAPTURE_PRODUCED:
		return capture->produced;
	case GLK_CAPTURE_CONSUMED:
		return capture->consumed;
	case GLK_CAPTURE_LOST:
		return capture->lost;
	case GLK_CAPTURE_TIME:
		return capture_time(capture, now);
	default:
		return 0;
	}
}

static int capture_set_control(struct glk_capture *capture, uint64_t value)
{
	bool enable = value & GLK_CAPTURE_CONTROL_ENABLE_MASK;

	if ((value & ~GLK_CAPTURE_CONTROL_ENABLE_MASK) || (enable && !capture->order))
		return -EINVAL;
	if (enable && !capture->enabled) {
		capture->produced = capture->consumed = capture->lost = 0;
		capture->gap = 0;
	}
	capture->enabled = enable;
	return 0;
}

static int set_base(struct glk_capture *capture, uint64_t value)
{
	if (capture->enabled || value % GLK_PAGE_SIZE)
		return -EINVAL;
	capture->base = value;
	return 0;
}

static int set_order(struct glk_capture *capture, uint64_t value)
{
	if (capture->enabled || value < GLK_CAPTURE_ORDER_MIN || value > GLK_CAPTURE_ORDER_MAX)
		return -EINVAL;
	capture->order = value;
	return 0;
}

static int set_consumed(struct glk_capture *capture, uint64_t value)
{
	if (value - capture->consumed > capture->produced - capture->consumed)
		return -EINVAL;
	capture->consumed = value;
	return 0;
}

int glk_capture_set(struct glk_capture *capture, uint64_t now, unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_CAPTURE_CONTROL: return capture_set_control(capture, value);
	case GLK_CAPTURE_RING_BASE:
		return set_base(capture, value);
	case GLK_CAPTURE_RING_ORDER:
		return set_order(capture, value);
	case GLK_CAPTURE_CONSUMED:
		return set_consumed(capture, value);
	case GLK_CAPTURE_TIME:
		capture->time = value;
		capture->time_at = now;
		return 0;
	default:
		return -EINVAL;
	}
}

void glk_capture_reset(struct glk_capture *capture)
{
	capture->enabled = false;
	capture->base = capture->order = 0;
	capture->produced = capture->consumed = capture->lost = 0;
	capture->gap = 0;
}
