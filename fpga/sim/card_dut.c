// SPDX-License-Identifier: Apache-2.0
#include "card_dut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE	       4096u
#define POSTS_MAX      64u
#define READS_MAX      64u
#define POOL_READS_MAX 16u
#define CLOCKS_MAX     4000000u
/* Registered `busy` and what stands in output registers come some clocks after what makes them. */
#define QUIET_CLOCKS 48u
/* Transactions that the card may hold before its port when a read is answered: SLACK of glk_pcie_order. */
#define SLACK 8u

enum { REGISTERS, APERTURE, POOL };
enum { KIND_WRITE, KIND_READ, KIND_INTERRUPT };

struct post {
	bool poisoned;
	unsigned bar, length;
	uint64_t offset;
	uint8_t data[PAGE];
};

/* A read of the card that is not wholly answered, its data taken when it was asked. */
struct reading {
	unsigned tag, length, at, error_after;
	uint64_t address;
	bool failed;
	uint8_t data[PAGE];
};

struct pool_reading {
	uint64_t offset;
	unsigned length, at;
	uint8_t data[PAGE];
};

struct card_dut {
	struct card_pins *pins;
	struct card_dut_config config;
	struct card_parameters p;
	struct card_in in;
	struct card_out out, before;
	bool held_c, held_m, held_pool, held_lt; /* what `before` shows had to wait: it must stay */
	uint64_t clocks, limit;
	char fault[200];

	/* Writes to the card: a ring; the read that waits comes after `read_after` of them. */
	struct post posts[POSTS_MAX];
	unsigned post_first, post_count, post_at;
	enum { READ_NONE, READ_WAITS, READ_GIVEN } read;
	unsigned read_bar, read_length, read_at, read_after;
	uint64_t read_offset;
	uint32_t read_id;
	uint8_t read_data[PAGE];

	/* Requests of the card. */
	struct reading readings[READS_MAX];
	unsigned reading_count, answering; /* index of the one whose beat is shown */
	unsigned write_at, requests;
	uint8_t write_data[PAGE];

	uint8_t *pool;
	unsigned pool_at;
	struct pool_reading pool_readings[POOL_READS_MAX];
	unsigned pool_first, pool_count;

	uint8_t packet[CARD_DUT_PACKET_MAX + CARD_BEAT_MAX];
	size_t packet_bytes;
	uint8_t injected[CARD_DUT_PACKET_MAX];
	size_t inject_bytes, inject_at;
	unsigned quiet, quiet_wanted;
};

static __attribute__((format(printf, 2, 3))) void fault(struct card_dut *dut, const char *format, ...)
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

/* Bytes of a range that stand in its next beat, `at` bytes after its beginning, and the lane of the first. */
static unsigned part_of(const struct card_dut *dut, uint64_t address, unsigned length, unsigned at, unsigned *lane)
{
	unsigned room;

	*lane = (unsigned)((address + at) % dut->p.lanes);
	room = dut->p.lanes - *lane;
	return length - at < room ? length - at : room;
}

/* A beat's lanes: those that do not count hold anything. */
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

	dut->in.r.valid = true;
	dut->in.r.write = true;
	dut->in.r.poisoned = post->poisoned;
	dut->in.r.bar = post->bar;
	dut->in.r.offset = post->offset;
	dut->in.r.length = post->length;
	dut->in.r.id = (uint32_t)(dut->clocks * 2654435761u);
	dut->in.r.last = dut->post_at + part == post->length;
	fill(dut, dut->in.r.data, lane, post->data + dut->post_at, part);
}

static void show_read(struct card_dut *dut)
{
	dut->in.r.valid = true;
	dut->in.r.write = false;
	dut->in.r.poisoned = false;
	dut->in.r.bar = dut->read_bar;
	dut->in.r.offset = dut->read_offset;
	dut->in.r.length = dut->read_length;
	dut->in.r.id = dut->read_id;
	dut->in.r.last = true;
	memset(dut->in.r.data, 0xa5, dut->p.lanes);
}

/* Writes may pass a read that the card does not take yet, as on PCIe; a read passes no write. */
static void next_request(struct card_dut *dut)
{
	bool read_may = dut->read == READ_WAITS && !dut->read_after && !dut->post_at && dut->out.r_read_ready;

	if (dut->in.r.valid || hold(dut, CARD_DUT_R))
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

	dut->in.r.valid = false;
	if (!dut->in.r.write) {
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
		fault(dut, "a completion of no read");
		return;
	}
	if (dut->out.c.id != dut->read_id || dut->out.c.offset != dut->read_offset % PAGE || dut->out.c.length != dut->read_length)
		fault(dut, "a completion with id %#x, offset %#x, length %u of a read with %#x, %#x, %u", dut->out.c.id,
		      dut->out.c.offset, dut->out.c.length, dut->read_id, (unsigned)(dut->read_offset % PAGE), dut->read_length);
	memcpy(dut->read_data + dut->read_at, dut->out.c.data + lane, part);
	dut->read_at += part;
	if (dut->out.c.last != (dut->read_at == dut->read_length))
		fault(dut, "last of a completion after %u bytes of %u", dut->read_at, dut->read_length);
	if (dut->out.c.last)
		dut->read = READ_NONE;
}

/* --- requests of the card --- */

static void write_taken(struct card_dut *dut)
{
	uint64_t address = dut->out.m.address;
	unsigned length = dut->out.m.length, limit = dut->p.write_bytes, lane, part;

	if (dut->write_at >= length || address % limit + length > limit) {
		fault(dut, "a write of %u bytes at %#" PRIx64 " after %u bytes of one", length, address, dut->write_at);
		return;
	}
	part = part_of(dut, address, length, dut->write_at, &lane);
	memcpy(dut->write_data + dut->write_at, dut->out.m.data + lane, part);
	dut->write_at += part;
	if (dut->out.m.last != (dut->write_at == length))
		fault(dut, "last of a write of %u bytes at %#" PRIx64 " after %u", length, address, dut->write_at);
	if (!dut->out.m.last && dut->write_at < length)
		return;
	dut->write_at = 0;
	dut->config.ops->mem_write(dut->config.user, address, dut->write_data, length);
}

static void read_taken(struct card_dut *dut)
{
	struct reading *reading = &dut->readings[dut->reading_count];
	unsigned limit = dut->p.read_bytes;

	*reading = (struct reading){ .tag = dut->out.m.tag, .length = dut->out.m.length, .address = dut->out.m.address };
	if (!dut->out.m.last || reading->address % limit + reading->length > limit ||
	    (reading->tag >= 16 && reading->tag < 32 && reading->tag != 17) || reading->tag >= READS_MAX ||
	    (reading->tag < 16) != (reading->length == 0)) {
		fault(dut, "a read of %u bytes at %#" PRIx64 ", tag %u", reading->length, reading->address, reading->tag);
		return;
	}
	dut->reading_count++;
	reading->failed = dut->config.ops->mem_read(dut->config.user, reading->address, reading->data, reading->length) != 0;
	/* A read that fails may have given some data before. */
	if (reading->failed)
		reading->error_after = choose(dut, beats(dut, reading->address, reading->length));
}

static void memory_taken(struct card_dut *dut)
{
	dut->requests += dut->out.m.last;
	if (dut->out.m.kind == KIND_WRITE) {
		write_taken(dut);
		return;
	}
	if (dut->write_at)
		fault(dut, "kind %u in the middle of a write", dut->out.m.kind);
	if (dut->out.m.kind == KIND_READ)
		read_taken(dut);
	else if (dut->out.m.kind == KIND_INTERRUPT && dut->out.m.address < dut->p.vectors && dut->out.m.last)
		dut->config.ops->interrupt(dut->config.user, (unsigned)dut->out.m.address);
	else
		fault(dut, "a request of kind %u, address %#" PRIx64, dut->out.m.kind, dut->out.m.address);
}

/* Reads with the same tag are answered in order; those with different ones mix as they like. */
static void next_answer(struct card_dut *dut)
{
	unsigned first[READS_MAX], count = 0, lane, part;
	uint64_t seen = 0;
	struct reading *reading;

	if (dut->in.d.valid || !dut->reading_count || hold(dut, CARD_DUT_D))
		return;
	for (unsigned i = 0; i < dut->reading_count; i++) {
		if (!(seen >> dut->readings[i].tag & 1))
			first[count++] = i;
		seen |= UINT64_C(1) << dut->readings[i].tag;
	}
	dut->answering = first[choose(dut, count)];
	reading = &dut->readings[dut->answering];
	part = part_of(dut, reading->address, reading->length, reading->at, &lane);
	dut->in.d.valid = true;
	dut->in.d.tag = reading->tag;
	dut->in.d.error = reading->failed && !reading->error_after;
	dut->in.d.last = dut->in.d.error || reading->at + part == reading->length;
	if (reading->error_after)
		reading->error_after--;
	fill(dut, dut->in.d.data, lane, reading->data + reading->at, dut->in.d.error ? 0 : part);
	reading->at += part;
}

static void answer_taken(struct card_dut *dut)
{
	struct reading *reading = &dut->readings[dut->answering];

	dut->in.d.valid = false;
	if (!dut->in.d.last)
		return;
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
		fault(dut, "a %s of %u bytes at %#" PRIx64 " of the pool, last %d, after %u bytes of a write",
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
		fault(dut, "last of a write of %u bytes at %#" PRIx64 " of the pool after %u", length, offset, dut->pool_at);
	if (dut->pool_at >= length)
		dut->pool_at = 0;
}

static void next_pool_answer(struct card_dut *dut)
{
	struct pool_reading *reading = &dut->pool_readings[dut->pool_first];
	unsigned lane, part;

	if (dut->in.q.valid || !dut->pool_count || hold(dut, CARD_DUT_POOL_Q))
		return;
	part = part_of(dut, reading->offset, reading->length, reading->at, &lane);
	dut->in.q.valid = true;
	dut->in.q.last = reading->at + part == reading->length;
	fill(dut, dut->in.q.data, lane, reading->data + reading->at, part);
	reading->at += part;
}

static void pool_answer_taken(struct card_dut *dut)
{
	dut->in.q.valid = false;
	if (!dut->in.q.last)
		return;
	dut->pool_first = (dut->pool_first + 1) % POOL_READS_MAX;
	dut->pool_count--;
}

/* --- link --- */

static void link_taken(struct card_dut *dut)
{
	unsigned bytes = dut->out.lt.bytes;

	if (!bytes || bytes > dut->p.lanes || (!dut->out.lt.last && bytes != dut->p.lanes) ||
	    dut->packet_bytes + bytes > CARD_DUT_PACKET_MAX) {
		fault(dut, "a beat of %u bytes on the link, after %zu", bytes, dut->packet_bytes);
		dut->packet_bytes = 0;
		return;
	}
	memcpy(dut->packet + dut->packet_bytes, dut->out.lt.data, bytes);
	dut->packet_bytes += bytes;
	if (!dut->out.lt.last)
		return;
	if (dut->config.ops->link)
		dut->config.ops->link(dut->config.user, dut->packet, dut->packet_bytes);
	dut->packet_bytes = 0;
}

static void next_injected(struct card_dut *dut)
{
	size_t left = dut->inject_bytes - dut->inject_at;
	unsigned part = left < dut->p.lanes ? (unsigned)left : dut->p.lanes;

	if (dut->in.lr.valid || !left || hold(dut, CARD_DUT_LR))
		return;
	dut->in.lr.valid = true;
	dut->in.lr.bytes = part;
	dut->in.lr.last = left == part;
	fill(dut, dut->in.lr.data, 0, dut->injected + dut->inject_at, part);
}

static void injected_taken(struct card_dut *dut)
{
	dut->in.lr.valid = false;
	dut->inject_at += dut->in.lr.bytes;
}

/* --- clocks --- */

/* What was shown and not taken has to stand there still. */
static void check_held(struct card_dut *dut)
{
	if (dut->held_c && memcmp(&dut->before.c, &dut->out.c, sizeof(dut->out.c)))
		fault(dut, "a completion changed before it was taken");
	if (dut->held_m && memcmp(&dut->before.m, &dut->out.m, sizeof(dut->out.m)))
		fault(dut, "a request of the card changed before it was taken");
	if (dut->held_pool && memcmp(&dut->before.pool, &dut->out.pool, sizeof(dut->out.pool)))
		fault(dut, "a request to the pool changed before it was taken");
	if (dut->held_lt && memcmp(&dut->before.lt, &dut->out.lt, sizeof(dut->out.lt)))
		fault(dut, "a beat on the link changed before it was taken");
	dut->held_c = dut->out.c.valid && !dut->in.c_ready;
	dut->held_m = dut->out.m.valid && !dut->in.m_ready;
	dut->held_pool = dut->out.pool.valid && !dut->in.pool_ready;
	dut->held_lt = dut->out.lt.valid && !dut->in.lt_ready;
	memcpy(&dut->before, &dut->out, sizeof(dut->out));
}

static bool nothing_under_way(const struct card_dut *dut)
{
	return !card_dut_busy(dut) && !dut->out.c.valid && !dut->out.m.valid && !dut->out.pool.valid && !dut->out.lt.valid;
}

void card_dut_clock(struct card_dut *dut)
{
	next_request(dut);
	next_answer(dut);
	next_pool_answer(dut);
	next_injected(dut);
	dut->in.c_ready = !hold(dut, CARD_DUT_C);
	dut->in.m_ready = dut->reading_count < READS_MAX && !hold(dut, CARD_DUT_M);
	dut->in.pool_ready = dut->pool_count < POOL_READS_MAX && !hold(dut, CARD_DUT_POOL);
	dut->in.lt_ready = !hold(dut, CARD_DUT_LT);
	card_pins_clock(dut->pins, &dut->in, &dut->out);
	check_held(dut);
	if (dut->in.r.valid && dut->out.r_ready)
		request_taken(dut);
	if (dut->out.c.valid && dut->in.c_ready)
		completion_taken(dut);
	if (dut->in.d.valid && dut->out.d_ready)
		answer_taken(dut);
	if (dut->out.m.valid && dut->in.m_ready)
		memory_taken(dut);
	if (dut->in.q.valid && dut->out.q_ready)
		pool_answer_taken(dut);
	if (dut->out.pool.valid && dut->in.pool_ready)
		pool_taken(dut);
	if (dut->in.lr.valid && dut->out.lr_ready)
		injected_taken(dut);
	if (dut->out.lt.valid && dut->in.lt_ready)
		link_taken(dut);
	dut->clocks++;
	dut->quiet = nothing_under_way(dut) ? dut->quiet + 1 : 0;
}

static bool in_time(struct card_dut *dut, uint64_t since)
{
	if (dut->clocks - since < dut->limit)
		return true;
	fault(dut, "%" PRIu64 " clocks without an end", dut->limit);
	return false;
}

/* --- what users call --- */

int card_dut_create(const struct card_dut_config *config, struct card_dut **out)
{
	static const struct card_dut_ops nobody = { 0 };
	struct card_dut *dut = calloc(1, sizeof(*dut));
	int error;

	if (!dut)
		return -ENOMEM;
	dut->config = *config;
	dut->limit = config->clocks_max ? config->clocks_max : CLOCKS_MAX;
	dut->quiet_wanted = QUIET_CLOCKS;
	card_pins_parameters(&dut->p);
	dut->in.pool_bytes = config->pool_bytes;
	dut->in.serial = config->serial;
	dut->pool = calloc(1, config->pool_bytes + 1);
	dut->pins = dut->pool ? card_pins_create(&dut->in, config->wave) : NULL;
	if (!dut->pins) {
		free(dut->pool);
		free(dut);
		return -ENOMEM;
	}
	/* It clears its tables first, and ignores writes meanwhile. */
	dut->config.ops = &nobody;
	error = card_dut_settle(dut);
	dut->config.ops = config->ops;
	if (error) {
		card_dut_destroy(dut);
		return error;
	}
	*out = dut;
	return 0;
}

void card_dut_destroy(struct card_dut *dut)
{
	if (!dut)
		return;
	card_pins_destroy(dut->pins);
	free(dut->pool);
	free(dut);
}

int card_dut_post(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	struct post *post = &dut->posts[(dut->post_first + dut->post_count) % POSTS_MAX];

	if (len == 0 || offset % PAGE + len > PAGE)
		return -EINVAL;
	if (dut->post_count == POSTS_MAX)
		return -EAGAIN;
	*post = (struct post){ .bar = bar, .offset = offset, .length = (unsigned)len, .poisoned = poisoned };
	memcpy(post->data, data, len);
	dut->post_count++;
	dut->quiet = 0;
	return 0;
}

static int post_soon(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	uint64_t since = dut->clocks;
	int error;

	while ((error = card_dut_post(dut, bar, offset, data, len, poisoned)) == -EAGAIN && in_time(dut, since))
		card_dut_clock(dut);
	return error == -EAGAIN ? -ETIMEDOUT : error;
}

int card_dut_post_soon(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	return post_soon(dut, bar, offset, data, len, false);
}

static int write_all(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	uint64_t since = dut->clocks;
	int error = post_soon(dut, bar, offset, data, len, poisoned);

	while (!error && dut->post_count) {
		card_dut_clock(dut);
		error = in_time(dut, since) ? 0 : -ETIMEDOUT;
	}
	return error;
}

int card_dut_write(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	return write_all(dut, bar, offset, data, len, false);
}

int card_dut_write_poisoned(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	return write_all(dut, bar, offset, data, len, true);
}

int card_dut_read(struct card_dut *dut, unsigned bar, uint64_t offset, void *data, size_t len)
{
	uint64_t since = dut->clocks;

	if (offset % PAGE + len > PAGE)
		return -EINVAL;
	if (dut->read != READ_NONE) /* one that was given up */
		return -ETIMEDOUT;
	dut->read = READ_WAITS;
	dut->read_bar = bar;
	dut->read_offset = offset;
	dut->read_length = (unsigned)len;
	dut->read_at = 0;
	dut->read_id++;
	dut->read_after = dut->post_count;
	dut->quiet = 0;
	while (dut->read != READ_NONE && in_time(dut, since))
		card_dut_clock(dut);
	if (dut->read != READ_NONE)
		return -ETIMEDOUT;
	memcpy(data, dut->read_data, len);
	return 0;
}

unsigned card_dut_posts(const struct card_dut *dut)
{
	return dut->post_count;
}

bool card_dut_reading(const struct card_dut *dut, uint64_t from, uint64_t bytes)
{
	for (unsigned i = 0; i < dut->reading_count; i++) {
		const struct reading *reading = &dut->readings[i];

		if (reading->length && reading->address < from + bytes && reading->address + reading->length > from)
			return true;
	}
	return false;
}

bool card_dut_writing(const struct card_dut *dut, uint64_t from, uint64_t bytes)
{
	return dut->out.m.valid && dut->out.m.kind == KIND_WRITE && dut->out.m.address < from + bytes &&
	       dut->out.m.address + dut->out.m.length > from;
}

int card_dut_pass(struct card_dut *dut)
{
	unsigned before = dut->requests;
	uint64_t since = dut->clocks;

	while ((dut->out.m.valid || dut->write_at) && dut->requests - before < SLACK) {
		if (!in_time(dut, since))
			return -ETIMEDOUT;
		card_dut_clock(dut);
	}
	return 0;
}

int card_dut_flr(struct card_dut *dut)
{
	uint64_t since = dut->clocks;

	dut->in.flr = true;
	do
		card_dut_clock(dut);
	while (!dut->out.flr_done && in_time(dut, since));
	dut->in.flr = false;
	card_dut_clock(dut);
	return dut->clocks - since < dut->limit ? 0 : -ETIMEDOUT;
}

int card_dut_inject(struct card_dut *dut, const uint8_t *packet, size_t len)
{
	if (len == 0 || len > CARD_DUT_PACKET_MAX)
		return -EINVAL;
	if (dut->inject_at < dut->inject_bytes)
		return -EAGAIN;
	memcpy(dut->injected, packet, len);
	dut->inject_bytes = len;
	dut->inject_at = 0;
	/* Nobody tells when the card has looked at the whole of it: a sub-header a clock. */
	dut->quiet_wanted = QUIET_CLOCKS + (unsigned)len;
	dut->quiet = 0;
	return 0;
}

void card_dut_set_now(struct card_dut *dut, uint64_t now_ns)
{
	dut->in.now_ns = now_ns;
	dut->quiet = 0;
}

bool card_dut_busy(const struct card_dut *dut)
{
	return dut->out.busy || dut->post_count || dut->read != READ_NONE || dut->reading_count || dut->pool_count ||
	       dut->inject_at < dut->inject_bytes;
}

bool card_dut_holding(const struct card_dut *dut)
{
	return dut->out.holding;
}

int card_dut_settle(struct card_dut *dut)
{
	uint64_t since = dut->clocks;

	/* A doorbell that was just taken need not show yet. */
	if (dut->quiet < dut->quiet_wanted)
		dut->quiet = 0;
	while (dut->quiet < dut->quiet_wanted && in_time(dut, since))
		card_dut_clock(dut);
	if (dut->quiet < dut->quiet_wanted)
		return -ETIMEDOUT;
	dut->quiet_wanted = QUIET_CLOCKS;
	return 0;
}

uint64_t card_dut_clocks(const struct card_dut *dut)
{
	return dut->clocks;
}

const uint8_t *card_dut_pool(const struct card_dut *dut)
{
	return dut->pool;
}

const char *card_dut_fault(const struct card_dut *dut)
{
	return dut->fault[0] ? dut->fault : NULL;
}
