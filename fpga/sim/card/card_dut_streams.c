// SPDX-License-Identifier: Apache-2.0
/* Drives the card's streams beat by beat and checks their protocol. */
#include "card_dut_streams.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void card_dut_breach(struct card_dut *dut, const char *format, ...)
{
	va_list arguments;
	int length;

	if (dut->fault[0])
		return;
	length = snprintf(dut->fault, sizeof(dut->fault), "clock %" PRIu64 ": ", dut->clocks);
	va_start(arguments, format);
	vsnprintf(dut->fault + length, sizeof(dut->fault) - (size_t)length, format, arguments);
	va_end(arguments);
}

static bool hold(struct card_dut *dut, enum card_dut_stream stream)
{
	return dut->config.ops->hold && dut->config.ops->hold(dut->config.user, stream);
}

static unsigned choose(struct card_dut *dut, unsigned n)
{
	return dut->config.ops->choose && n > 1 ? dut->config.ops->choose(dut->config.user, n) : 0;
}

/* Bytes of a range in the beat at offset `at`, and the lane of the first. */
static unsigned part_of(const struct card_dut *dut, uint64_t address, unsigned length, unsigned at, unsigned *lane)
{
	unsigned room;

	*lane = (unsigned)((address + at) % dut->p.lanes);
	room = dut->p.lanes - *lane;
	return length - at < room ? length - at : room;
}

/* Lanes of a beat: unused ones hold random data. */
static void fill(struct card_dut *dut, uint8_t beat[CARD_BEAT_MAX], unsigned lane, const uint8_t *data, unsigned length)
{
	memset(beat, (int)(0x5a ^ (dut->clocks * 13)) & 0xff, dut->p.lanes);
	memcpy(beat + lane, data, length);
}

static unsigned beats(const struct card_dut *dut, uint64_t address, unsigned length)
{
	unsigned lane = (unsigned)(address % dut->p.lanes);

	return length ? (lane + length + dut->p.lanes - 1) / dut->p.lanes : 1;
}

/* --- requests to the card --- */

static void show_post(struct card_dut *dut)
{
	const struct post *post = &dut->posts[dut->post_first];
	unsigned lane, part = part_of(dut, post->offset, post->length, dut->post_at, &lane);

	dut->in.req.valid = true;
	dut->in.req.write = true;
	dut->in.req.poisoned = post->poisoned;
	dut->in.req.bar = post->bar;
	dut->in.req.offset = post->offset;
	dut->in.req.length = post->length;
	dut->in.req.id = (uint32_t)(dut->clocks * 2654435761u);
	dut->in.req.last = dut->post_at + part == post->length;
	fill(dut, dut->in.req.data, lane, post->data + dut->post_at, part);
}

static void show_read(struct card_dut *dut)
{
	dut->in.req.valid = true;
	dut->in.req.write = false;
	dut->in.req.poisoned = false;
	dut->in.req.bar = dut->read_bar;
	dut->in.req.offset = dut->read_offset;
	dut->in.req.length = dut->read_length;
	dut->in.req.id = dut->read_id;
	dut->in.req.last = true;
	memset(dut->in.req.data, 0xa5, dut->p.lanes);
}

/* Writes may pass a stalled read, as on PCIe; a read passes no write. */
static void next_request(struct card_dut *dut)
{
	bool read_may = dut->read == READ_WAITS && !dut->read_after && !dut->post_at && dut->out.req_read_ready;

	if (dut->in.req.valid || hold(dut, CARD_DUT_REQ))
		return;
	if (read_may && (!dut->post_count || !choose(dut, 2)))
		show_read(dut);
	else if (dut->post_count)
		show_post(dut);
}

static void request_taken(struct card_dut *dut)
{
	const struct post *post = &dut->posts[dut->post_first];
	unsigned lane;

	dut->in.req.valid = false;
	if (!dut->in.req.write) {
		dut->read = READ_GIVEN;
		return;
	}
	dut->post_at += part_of(dut, post->offset, post->length, dut->post_at, &lane);
	if (dut->post_at < post->length)
		return;
	dut->post_at = 0;
	dut->post_first = (dut->post_first + 1) % POSTS_MAX;
	dut->post_count--;
	if (dut->read_after)
		dut->read_after--;
}

static void completion_taken(struct card_dut *dut)
{
	unsigned lane, part = part_of(dut, dut->read_offset, dut->read_length, dut->read_at, &lane);

	if (dut->read != READ_GIVEN) {
		card_dut_breach(dut, "completion without a read");
		return;
	}
	if (dut->out.cpl.id != dut->read_id || dut->out.cpl.offset != dut->read_offset % PAGE ||
	    dut->out.cpl.length != dut->read_length)
		card_dut_breach(dut, "completion with id %#x, offset %#x, length %u for a read with %#x, %#x, %u",
				dut->out.cpl.id, dut->out.cpl.offset, dut->out.cpl.length, dut->read_id,
				(unsigned)(dut->read_offset % PAGE), dut->read_length);
	memcpy(dut->read_data + dut->read_at, dut->out.cpl.data + lane, part);
	dut->read_at += part;
	if (dut->out.cpl.last != (dut->read_at == dut->read_length))
		card_dut_breach(dut, "`last` of a completion after %u bytes of %u", dut->read_at, dut->read_length);
	if (dut->out.cpl.last)
		dut->read = READ_NONE;
}

/* --- requests by the card --- */

static void write_taken(struct card_dut *dut)
{
	uint64_t address = dut->out.mem.address;
	unsigned length = dut->out.mem.length, limit = dut->p.write_bytes, lane, part;

	if (dut->write_at >= length || address % limit + length > limit) {
		card_dut_breach(dut, "write of %u bytes at %#" PRIx64 " after %u bytes of another", length, address,
				dut->write_at);
		return;
	}
	part = part_of(dut, address, length, dut->write_at, &lane);
	memcpy(dut->write_data + dut->write_at, dut->out.mem.data + lane, part);
	dut->write_at += part;
	if (dut->out.mem.last != (dut->write_at == length))
		card_dut_breach(dut, "`last` of a write of %u bytes at %#" PRIx64 " after %u", length, address, dut->write_at);
	if (!dut->out.mem.last && dut->write_at < length)
		return;
	dut->write_at = 0;
	dut->config.ops->mem_write(dut->config.user, address, dut->write_data, length);
}

static void read_taken(struct card_dut *dut)
{
	struct reading *reading = &dut->readings[dut->reading_count];
	unsigned limit = dut->p.read_bytes;

	*reading = (struct reading){ .tag = dut->out.mem.tag, .length = dut->out.mem.length, .address = dut->out.mem.address,
				     .since = dut->clocks };
	if (!dut->out.mem.last || reading->address % limit + reading->length > limit ||
	    reading->tag >= READS_MAX || (reading->tag < 16) != (reading->length == 0)) {
		card_dut_breach(dut, "invalid read of %u bytes at %#" PRIx64 ", tag %u", reading->length, reading->address,
				reading->tag);
		return;
	}
	dut->reading_count++;
	reading->failed = dut->config.ops->mem_read(dut->config.user, reading->address, reading->data, reading->length) != 0;
	/* A failing read may return some data first. */
	if (reading->failed)
		reading->error_after = choose(dut, beats(dut, reading->address, reading->length));
}

static void memory_taken(struct card_dut *dut)
{
	dut->requests += dut->out.mem.last;
	if (dut->out.mem.kind == KIND_WRITE) {
		write_taken(dut);
		return;
	}
	if (dut->write_at)
		card_dut_breach(dut, "kind %u in the middle of a write", dut->out.mem.kind);
	if (dut->out.mem.kind == KIND_READ)
		read_taken(dut);
	else if (dut->out.mem.kind == KIND_INTERRUPT && dut->out.mem.address < dut->p.vectors && dut->out.mem.last)
		dut->config.ops->interrupt(dut->config.user, (unsigned)dut->out.mem.address);
	else
		card_dut_breach(dut, "invalid request of kind %u, address %#" PRIx64, dut->out.mem.kind, dut->out.mem.address);
}

/* Reads with the same tag complete in order; those with different tags interleave. */
static void next_answer(struct card_dut *dut)
{
	unsigned first[READS_MAX], count = 0, lane, part;
	uint64_t seen = 0;
	struct reading *reading;

	if (dut->in.rd.valid || !dut->reading_count || hold(dut, CARD_DUT_RD))
		return;
	for (unsigned i = 0; i < dut->reading_count; i++) {
		if (!(seen >> dut->readings[i].tag & 1) && dut->clocks - dut->readings[i].since >= dut->config.read_clocks)
			first[count++] = i;
		seen |= UINT64_C(1) << dut->readings[i].tag;
	}
	if (!count)
		return;
	dut->answering = first[choose(dut, count)];
	reading = &dut->readings[dut->answering];
	part = part_of(dut, reading->address, reading->length, reading->at, &lane);
	dut->in.rd.valid = true;
	dut->in.rd.tag = reading->tag;
	dut->in.rd.error = reading->failed && !reading->error_after;
	dut->in.rd.last = dut->in.rd.error || reading->at + part == reading->length;
	if (reading->error_after)
		reading->error_after--;
	fill(dut, dut->in.rd.data, lane, reading->data + reading->at, dut->in.rd.error ? 0 : part);
	reading->at += part;
}

static void answer_taken(struct card_dut *dut)
{
	struct reading *reading = &dut->readings[dut->answering];

	dut->in.rd.valid = false;
	if (!dut->in.rd.last)
		return;
	if (!reading->length && dut->config.ops->flushed)
		dut->config.ops->flushed(dut->config.user, reading->address);
	dut->reading_count--;
	memmove(reading, reading + 1, (dut->reading_count - dut->answering) * sizeof(*reading));
}

/* --- pool --- */

static void pool_taken(struct card_dut *dut)
{
	uint64_t offset = dut->out.pool.offset;
	unsigned length = dut->out.pool.length, lane, part;
	struct pool_reading *reading;

	if (dut->pool_at >= length || offset % PAGE + length > PAGE || length > dut->config.pool_bytes ||
	    offset > dut->config.pool_bytes - length || (!dut->out.pool.write && (!dut->out.pool.last || dut->pool_at))) {
		card_dut_breach(dut, "invalid %s of %u bytes at %#" PRIx64 " of the pool, last %d, after %u bytes of a write",
		      dut->out.pool.write ? "write" : "read", length, offset, dut->out.pool.last, dut->pool_at);
		return;
	}
	if (!dut->out.pool.write) {
		reading = &dut->pool_readings[(dut->pool_first + dut->pool_count++) % POOL_READS_MAX];
		*reading = (struct pool_reading){ .offset = offset, .length = length };
		memcpy(reading->data, dut->pool + offset, length);
		return;
	}
	part = part_of(dut, offset, length, dut->pool_at, &lane);
	memcpy(dut->pool + offset + dut->pool_at, dut->out.pool.data + lane, part);
	dut->pool_at += part;
	if (dut->out.pool.last != (dut->pool_at == length))
		card_dut_breach(dut, "`last` of a write of %u bytes at %#" PRIx64 " of the pool after %u", length, offset,
				dut->pool_at);
	if (dut->pool_at >= length)
		dut->pool_at = 0;
}

static void next_pool_answer(struct card_dut *dut)
{
	struct pool_reading *reading = &dut->pool_readings[dut->pool_first];
	unsigned lane, part;

	if (dut->in.pool_q.valid || !dut->pool_count || hold(dut, CARD_DUT_POOL_Q))
		return;
	part = part_of(dut, reading->offset, reading->length, reading->at, &lane);
	dut->in.pool_q.valid = true;
	dut->in.pool_q.last = reading->at + part == reading->length;
	fill(dut, dut->in.pool_q.data, lane, reading->data + reading->at, part);
	reading->at += part;
}

static void pool_answer_taken(struct card_dut *dut)
{
	dut->in.pool_q.valid = false;
	if (!dut->in.pool_q.last)
		return;
	dut->pool_first = (dut->pool_first + 1) % POOL_READS_MAX;
	dut->pool_count--;
}

/* --- link --- */

static void link_taken(struct card_dut *dut)
{
	unsigned bytes = dut->out.tap.bytes;

	if (!bytes || bytes > dut->p.lanes || (!dut->out.tap.last && bytes != dut->p.lanes) ||
	    dut->packet_bytes + bytes > CARD_DUT_PACKET_MAX) {
		card_dut_breach(dut, "beat of %u bytes on the link, after %zu", bytes, dut->packet_bytes);
		dut->packet_bytes = 0;
		return;
	}
	memcpy(dut->packet + dut->packet_bytes, dut->out.tap.data, bytes);
	dut->packet_bytes += bytes;
	if (!dut->out.tap.last)
		return;
	if (dut->config.ops->link)
		dut->config.ops->link(dut->config.user, dut->packet, dut->packet_bytes);
	dut->packet_bytes = 0;
}

static void next_injected(struct card_dut *dut)
{
	size_t left = dut->inject_bytes - dut->inject_at;
	unsigned part = left < dut->p.lanes ? (unsigned)left : dut->p.lanes;

	if (dut->in.inject.valid || !left || hold(dut, CARD_DUT_INJECT))
		return;
	dut->in.inject.valid = true;
	dut->in.inject.bytes = part;
	dut->in.inject.last = left == part;
	fill(dut, dut->in.inject.data, 0, dut->injected + dut->inject_at, part);
}

static void injected_taken(struct card_dut *dut)
{
	dut->in.inject.valid = false;
	dut->inject_at += dut->in.inject.bytes;
}

/* --- all streams --- */

/* Outputs must hold until accepted. */
static void check_held(struct card_dut *dut)
{
	if (dut->held_cpl && memcmp(&dut->before.cpl, &dut->out.cpl, sizeof(dut->out.cpl)))
		card_dut_breach(dut, "completion changed before it was accepted");
	if (dut->held_mem && memcmp(&dut->before.mem, &dut->out.mem, sizeof(dut->out.mem)))
		card_dut_breach(dut, "request of the card changed before it was accepted");
	if (dut->held_pool && memcmp(&dut->before.pool, &dut->out.pool, sizeof(dut->out.pool)))
		card_dut_breach(dut, "request to the pool changed before it was accepted");
	if (dut->held_tap && memcmp(&dut->before.tap, &dut->out.tap, sizeof(dut->out.tap)))
		card_dut_breach(dut, "beat on the link changed before it was accepted");
	dut->held_cpl = dut->out.cpl.valid && !dut->in.cpl_ready;
	dut->held_mem = dut->out.mem.valid && !dut->in.mem_ready;
	dut->held_pool = dut->out.pool.valid && !dut->in.pool_ready;
	dut->held_tap = dut->out.tap.valid && !dut->in.tap_ready;
	memcpy(&dut->before, &dut->out, sizeof(dut->out));
}

void card_dut_offer(struct card_dut *dut)
{
	next_request(dut);
	next_answer(dut);
	next_pool_answer(dut);
	next_injected(dut);
	dut->in.cpl_ready = !hold(dut, CARD_DUT_CPL);
	dut->in.mem_ready = dut->reading_count < READS_MAX && !hold(dut, CARD_DUT_MEM);
	dut->in.pool_ready = dut->pool_count < POOL_READS_MAX && !hold(dut, CARD_DUT_POOL);
	dut->in.tap_ready = !hold(dut, CARD_DUT_TAP);
}

void card_dut_take(struct card_dut *dut)
{
	check_held(dut);
	if (dut->in.req.valid && dut->out.req_ready)
		request_taken(dut);
	if (dut->out.cpl.valid && dut->in.cpl_ready)
		completion_taken(dut);
	if (dut->in.rd.valid && dut->out.rd_ready)
		answer_taken(dut);
	if (dut->out.mem.valid && dut->in.mem_ready)
		memory_taken(dut);
	if (dut->in.pool_q.valid && dut->out.pool_q_ready)
		pool_answer_taken(dut);
	if (dut->out.pool.valid && dut->in.pool_ready)
		pool_taken(dut);
	if (dut->in.inject.valid && dut->out.inject_ready)
		injected_taken(dut);
	if (dut->out.tap.valid && dut->in.tap_ready)
		link_taken(dut);
}
