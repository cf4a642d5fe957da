// SPDX-License-Identifier: Apache-2.0
/* Setup, and steps other than ring entries. */
#include "card_bench.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

static uint64_t draw_value(struct bench *b, uint64_t now)
{
	switch (below(&b->chance, 7)) {
	case 0:
		return 0;
	case 1:
		return below(&b->chance, 64);
	case 2:
		return UINT64_C(1) << below(&b->chance, 64);
	case 3:
		return now ^ UINT64_C(1) << below(&b->chance, 64);
	case 4:
		return draw(&b->chance) & ~UINT64_C(0xfff);
	case 5:
		return draw(&b->chance) >> below(&b->chance, 64);
	default:
		return draw(&b->chance);
	}
}

/* Bases of endpoints, rings and page lists must be in memory that the bench has; unaligned ones are refused anyway. */
static bool may_be_wild(const struct bench *b, unsigned offset, uint64_t value)
{
	unsigned reg;

	if (offset == GLK_CARD_CONTROL)
		return value & ~UINT64_C(3);
	if (offset >= GLK_PARTITION_ARRAY && offset < GLK_PARTITION_ARRAY + GLK_PARTITION_COUNT * GLK_PARTITION_STRIDE) {
		reg = (offset - GLK_PARTITION_ARRAY) % GLK_PARTITION_STRIDE;
		if (reg == GLK_PARTITION_EP_KIND)
			return value == 0 || value > 2;
		return reg != GLK_PARTITION_EP_BASE || value % GLK_PAGE_SIZE;
	}
	if (offset >= GLK_CONTEXT_ARRAY && offset < GLK_CONTEXT_ARRAY + GLK_CONTEXT_COUNT * GLK_CONTEXT_STRIDE) {
		reg = (offset - GLK_CONTEXT_ARRAY) % GLK_CONTEXT_STRIDE;
		if (reg == GLK_CONTEXT_SQ_BASE || reg == GLK_CONTEXT_CQ_BASE || reg == GLK_CONTEXT_RECORD)
			return value % 16;
		if (reg == GLK_CONTEXT_ORDER) /* rings hold 32 entries at most */
			return (value & 0xff) <= 5 && (value >> 8) <= 5;
	}
	/* Counters of a valid region must not be written. */
	if (offset >= GLK_CHUNK_ARRAY)
		return !bench_regions_valid(b);
	if (offset >= GLK_REGISTRATION_ARRAY &&
	    offset < GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_COUNT * GLK_REGISTRATION_STRIDE &&
	    (offset - GLK_REGISTRATION_ARRAY) % GLK_REGISTRATION_STRIDE == GLK_REGISTRATION_Q2)
		return value % 8;
	return true;
}

static unsigned draw_register(struct bench *b)
{
	const struct card_parameters *p = &b->pair.p;

	switch (below(&b->chance, p->regions ? 10 : 7)) {
	case 9:
		return GLK_BLOCK_TSU + 8 * below(&b->chance, (GLK_TSU_COUNTER_LAST - GLK_BLOCK_TSU) / 8 + 2);
	case 7:
		return bench_region_reg(below(&b->chance, p->regions + 1),
					8 * below(&b->chance, GLK_REGION_TARGET_SIGNAL_7 / 8 + 2));
	case 8:
		return GLK_CHUNK_ARRAY + below(&b->chance, p->chunks + 1) * GLK_CHUNK_STRIDE;
	case 0:
		return 8 * below(&b->chance, GLK_CARD_COUNTER_LAST / 8 + 4);
	case 1:
		return bench_partition_reg(below(&b->chance, p->partitions + 1),
					   8 * below(&b->chance, GLK_PARTITION_COUNTER_LAST / 8 + 2));
	case 2:
		return bench_window_reg(below(&b->chance, p->slices + 1), 8 * below(&b->chance, 4));
	case 3:
		return bench_registration_reg(below(&b->chance, p->registrations + 1), 8 * below(&b->chance, 4));
	case 4:
		return bench_context_reg(below(&b->chance, p->contexts + 1), 8 * below(&b->chance, GLK_CONTEXT_ERRORS / 8 + 2));
	case 5:
		return bench_doorbell_reg(below(&b->chance, p->contexts + 1),
					  8 * below(&b->chance, GLK_DOORBELL_CLOCK / 8 + 2));
	default:
		return 8 * below(&b->chance, GLK_BAR0_SIZE / 8);
	}
}

/* One register access, unconstrained except for what the bench depends on. */
static void wild_access(struct bench *b, unsigned offset)
{
	unsigned size = bench_chance(b, 2) ? 8 : 1u << below(&b->chance, 3), at = size * below(&b->chance, 8 / size);
	uint64_t now = 0, value, mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;

	glk_card_register_read(b->pair.model, offset, 8, &now);
	value = draw_value(b, now);
	if (bench_chance(b, 4)) {
		bench_add(b, " read %#x+%u", offset + at, size);
		pair_get(&b->pair, offset + at, size);
	} else if (!may_be_wild(b, offset, (now & ~(mask << 8 * at)) | (value & mask) << 8 * at)) { /* the resulting value */
		return;
	} else if (bench_chance(b, 16)) {
		bench_add(b, " poisoned %#x+%u", offset + at, size);
		pair_poisoned(&b->pair, 0, offset + at, &value, size);
	} else {
		bench_add(b, " %#x+%u=%#" PRIx64, offset + at, size, value & mask);
		pair_set(&b->pair, offset + at, size, value & mask);
		bench_settle(b); /* it may be a doorbell */
	}
}

/* --- setup --- */

static void set_settings(struct bench *b, unsigned p)
{
	static const unsigned limits[] = { 128, 256, 512, 1024, 2048, 4096 };
	uint64_t packing = (bench_chance(b, 2) ? GLK_PARTITION_MODE_PACKING_MASK : 0) |
			   (bench_chance(b, 2) ? GLK_PARTITION_MODE_COMPACT_MASK : 0);

	bench_set(b, bench_partition_reg(p, GLK_PARTITION_SUBHEADER_BYTES), 2 + below(&b->chance, 5));
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_MAX_PAYLOAD_BYTES), limits[below(&b->chance, 6)]);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_FLUSH_TIMEOUT_NS),
		  bench_chance(b, 2) ? 0 : 1 + below(&b->chance, 2000));
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_MODE),
		  packing | (bench_chance(b, 6) ? below(&b->chance, 4) : GLK_PARTITION_MODE_PAPER));
}

static void set_endpoint(struct bench *b, unsigned p)
{
	unsigned draw_kind = below(&b->chance, 16);
	uint64_t base = PAIR_BUS(p) + GLK_PAGE_SIZE * below(&b->chance, 4), bytes = PAIR_EP_BYTES, kind = GLK_EP_BUS;

	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	bench_settle(b); /* refused while writes to the old one are in flight, which depends on timing */
	if (draw_kind == 0) {
		bytes = UINT64_C(1) << (20 + below(&b->chance, 20)); /* larger than its memory */
	} else if (draw_kind < 8) {
		bytes = GLK_PAGE_SIZE * (uint64_t)(1 + below(&b->chance, PAIR_EP_BYTES / GLK_PAGE_SIZE));
	} else if (draw_kind < 12) {
		kind = GLK_EP_POOL;
		bytes = GLK_PAGE_SIZE * (uint64_t)(1 + below(&b->chance, PAIR_POOL_BYTES / GLK_PAGE_SIZE));
		base = GLK_PAGE_SIZE * (uint64_t)below(&b->chance, (unsigned)((PAIR_POOL_BYTES - bytes) / GLK_PAGE_SIZE) + 1);
	} else if (draw_kind == 12) {
		kind = GLK_EP_NONE;
	}
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BASE), base);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_BYTES), bytes);
	bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), kind);
}

void bench_set_window(struct bench *b, unsigned slice, unsigned first, unsigned context, unsigned partition, uint64_t offset,
		      uint64_t bytes, uint64_t rights)
{
	bench_set(b, bench_window_reg(slice, GLK_WINDOW_Q0), 0);
	bench_set(b, bench_window_reg(slice, GLK_WINDOW_Q1), offset);
	bench_set(b, bench_window_reg(slice, GLK_WINDOW_Q2), bytes);
	bench_set(b, bench_window_reg(slice, GLK_WINDOW_Q0),
		  GLK_WINDOW_Q0_VALID_MASK | rights | (uint64_t)partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
			  (uint64_t)context << GLK_WINDOW_Q0_CONTEXT_SHIFT | (uint64_t)first << GLK_WINDOW_Q0_FIRST_SHIFT);
}

/* A window of one or more slices, mostly on contiguous bytes of one endpoint, mostly inside it. */
static void set_window_row(struct bench *b, unsigned first)
{
	const struct card_parameters *p = &b->pair.p;
	uint64_t slice = UINT64_C(1) << p->slice_shift,
		 rights = bench_chance(b, 6) ? (below(&b->chance, 3) + 1) << 1 : BENCH_RW;
	unsigned count = 1 + below(&b->chance, 4), context = below(&b->chance, p->contexts),
		 partition = below(&b->chance, p->partitions);
	uint64_t bytes = b->pair.model->endpoints.of[partition].bytes, pages = bytes / GLK_PAGE_SIZE, offset;

	if (pages > 1000 || !pages || bench_chance(b, 8))
		pages = PAIR_EP_BYTES / GLK_PAGE_SIZE + 4;
	offset = GLK_PAGE_SIZE * (uint64_t)below(&b->chance, (unsigned)pages);
	if (count > p->slices - first)
		count = p->slices - first;
	for (unsigned i = 0; i < count; i++) {
		bool last = i == count - 1;

		bench_set_window(b, first + i, first, context, partition, offset,
				 last && !bench_chance(b, 3) ? 1 + draw(&b->chance) % slice : slice, rights);
		offset += slice;
		if (bench_chance(b, 16))
			offset = bench_chance(b, 4) ? GLK_LINK_OFFSET_MASK & ~UINT64_C(0xfff) : 0;
		if (bench_chance(b, 16))
			partition = below(&b->chance, p->partitions);
	}
}

static void set_entry(struct bench *b, uint64_t list, unsigned index, uint64_t address)
{
	if (bench_chance(b, 60))
		address = UINT64_C(0x7654200000); /* no memory */
	address |= bench_chance(b, 4) ? below(&b->chance, GLK_PAGE_SIZE) : 0;
	pair_host_write(&b->pair, list + 8 * (uint64_t)index, &address, 8);
}

static uint64_t data_page(struct bench *b)
{
	return BENCH_DATA + GLK_PAGE_SIZE * (uint64_t)below(&b->chance, BENCH_DATA_PAGES);
}

static uint64_t large_page(struct bench *b)
{
	return MEMORY_LARGE | (bench_chance(b, 2) ? draw(&b->chance) % GLK_LARGE_PAGE_SIZE : 0);
}

/* The tables are shared by the registrations, which may name one several times. */
static void fill_tables(struct bench *b)
{
	for (unsigned t = 0; t < BENCH_TABLES; t++)
		for (unsigned i = 0; i < GLK_PAGE_SIZE / 8; i++)
			set_entry(b, BENCH_TABLE(t), i, t % 2 ? large_page(b) : data_page(b));
}

/* Writes a list of a random shape at `list`. Returns Q3, and the bytes that the list covers from there on. */
static uint64_t make_list(struct bench *b, uint64_t list, uint64_t *bytes)
{
	unsigned entries = 1 + below(&b->chance, bench_chance(b, 3) ? BENCH_LIST_PAGES : 4);
	bool large = bench_chance(b, 4), tables = bench_chance(b, 3);
	uint64_t page = large ? GLK_LARGE_PAGE_SIZE : GLK_PAGE_SIZE, first = draw(&b->chance) % page;

	for (unsigned i = 0; i < entries; i++)
		set_entry(b, list, i,
			  tables ? BENCH_TABLE(2 * below(&b->chance, BENCH_TABLES / 2) + large) :
			  large	 ? large_page(b) :
				   data_page(b));
	*bytes = entries * page * (tables ? GLK_PAGE_SIZE / 8 : 1) - first;
	return first | (large ? GLK_REGISTRATION_Q3_LARGE_MASK : 0) | (tables ? GLK_REGISTRATION_Q3_TABLES_MASK : 0);
}

static void set_registration(struct bench *b, unsigned h)
{
	uint64_t bytes, list = BENCH_LIST(h % BENCH_LISTS), q3 = make_list(b, list, &bytes);

	if (bench_chance(b, 24))
		list = UINT64_C(0x7654320008);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q0), 0);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q1), bench_chance(b, 2) ? bytes : 1 + draw(&b->chance) % bytes);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q2), list);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q3), q3);
	bench_set(b, bench_registration_reg(h, GLK_REGISTRATION_Q0),
		  GLK_REGISTRATION_Q0_VALID_MASK | (bench_chance(b, 6) ? (1 + below(&b->chance, 3)) << 1 : 6) |
			  (uint64_t)below(&b->chance, b->pair.p.contexts) << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
}

void bench_start_context(struct bench *b, unsigned c)
{
	uint64_t sq = BENCH_SQ(c);

	if (bench_chance(b, 24)) /* no memory behind the ring's second half */
		sq = PAIR_HOST + PAIR_HOST_BYTES - 512;
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), 0);
	if (b->pair.model->releases.of[c].current.pending)
		bench_settle(b); /* so that it waits neither for the old ring nor for the new one */
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_SQ_BASE), sq);
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CQ_BASE), bench_chance(b, 32) ? UINT64_C(0x7654320040) : BENCH_CQ(c));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_ORDER), 4 + below(&b->chance, 2) + ((4 + below(&b->chance, 2)) << 8));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_RECORD), bench_chance(b, 4) ? 0 : BENCH_RECORD(c));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_VECTOR), below(&b->chance, b->pair.p.vectors));
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL),
		  GLK_CONTEXT_CONTROL_ENABLE_MASK | (bench_chance(b, 2) ? GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK : 0));
	if (bench_chance(b, 8)) /* repeated: refused */
		bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

void bench_configure(struct bench *b)
{
	const struct card_parameters *p = &b->pair.p;

	bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	for (unsigned i = 0; i < p->partitions; i++) {
		set_settings(b, i);
		set_endpoint(b, i);
	}
	for (unsigned i = 0; i < bench_slices(b); i++)
		if (!b->pair.model->windows.entries[i].q[0] && !bench_chance(b, 8))
			set_window_row(b, i);
	fill_tables(b);
	for (unsigned i = 0; i < p->registrations && i < BENCH_LISTS; i++)
		set_registration(b, i);
	for (unsigned i = 0; i < p->contexts; i++)
		if (!bench_chance(b, 8))
			bench_start_context(b, i);
	bench_settle(b);
}

void bench_window(struct bench *b)
{
	set_window_row(b, below(&b->chance, bench_slices(b)));
}

void bench_registration(struct bench *b)
{
	set_registration(b, below(&b->chance, b->pair.p.registrations < BENCH_LISTS ? b->pair.p.registrations : BENCH_LISTS));
}

void bench_partition(struct bench *b)
{
	unsigned p = below(&b->chance, b->pair.p.partitions);

	switch (below(&b->chance, 3)) {
	case 0:
		set_settings(b, p);
		break;
	case 1:
		bench_set(b, bench_partition_reg(p, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
		bench_settle(b);
		for (unsigned i = below(&b->chance, 20); i && !b->pair.failure[0]; i--)
			wild_access(b, bench_partition_reg(p, 8 * below(&b->chance, GLK_PARTITION_STATUS / 8 + 1)));
		break;
	}
	set_endpoint(b, p);
}

void bench_context(struct bench *b)
{
	unsigned c = below(&b->chance, b->pair.p.contexts);

	bench_add(b, " %u", c);
	if (!bench_chance(b, 3)) {
		bench_start_context(b, c);
		return;
	}
	bench_set(b, bench_context_reg(c, GLK_CONTEXT_CONTROL), 0);
	bench_settle(b);
	for (unsigned i = below(&b->chance, 20); i && !b->pair.failure[0]; i--)
		wild_access(b, bench_context_reg(c, 8 * below(&b->chance, GLK_CONTEXT_ERRORS / 8 + 1)));
}

/* --- stores and settings --- */

/* Target of the next stores: close together, so that they hit the same queue entries. */
static uint64_t draw_place(struct bench *b)
{
	unsigned slices = bench_slices(b);
	uint64_t slice = UINT64_C(1) << b->pair.p.slice_shift, place = below(&b->chance, slices) * slice;

	for (unsigned i = 0; i < 8 && !b->pair.model->windows.entries[place >> b->pair.p.slice_shift].q[0]; i++)
		place = below(&b->chance, slices) * slice;
	if (bench_chance(b, 20)) /* beyond all slices, up to the width of r_offset */
		return b->pair.p.slices * slice + (draw(&b->chance) & UINT64_C(0xffffffffff));
	return place + below(&b->chance, (unsigned)slice);
}

static void one_store(struct bench *b, uint64_t place)
{
	static const unsigned spans[] = { 1, 16, 128, 1024, 8192 };
	uint64_t offset = place + below(&b->chance, spans[below(&b->chance, 5)]);
	unsigned room = GLK_PAGE_SIZE - (unsigned)(offset % GLK_PAGE_SIZE), length = bench_length(b, room);
	uint8_t data[GLK_PAGE_SIZE];

	bench_fill(b, data, length);
	if (bench_chance(b, 40)) {
		bench_add(b, " poisoned %#" PRIx64 "+%u", offset, length);
		pair_poisoned(&b->pair, 1, offset, data, length);
	} else if (bench_chance(b, 16)) {
		bench_add(b, " load %#" PRIx64 "+%u", offset, length);
		pair_load(&b->pair, offset, length);
	} else {
		bench_add(b, " store %#" PRIx64 "+%u", offset, length);
		pair_store(&b->pair, offset, data, length);
	}
}

void bench_stores(struct bench *b, unsigned count)
{
	while (count--)
		one_store(b, draw_place(b));
}

/* Changes a setting between stores. */
static void one_setting(struct bench *b)
{
	unsigned slice = below(&b->chance, bench_slices(b));

	switch (below(&b->chance, 6)) {
	case 0:
		bench_add(b, " settings");
		set_settings(b, below(&b->chance, b->pair.p.partitions));
		break;
	case 1:
		bench_add(b, " endpoint");
		set_endpoint(b, below(&b->chance, b->pair.p.partitions));
		break;
	case 2:
		bench_add(b, " window");
		set_window_row(b, slice);
		break;
	case 3:
		bench_add(b, " clear window %u", slice);
		bench_set(b, bench_window_reg(slice, GLK_WINDOW_Q0), 0);
		break;
	case 4:
		bench_add(b, " snapshot");
		bench_set(b, GLK_CARD_SNAPSHOT, draw(&b->chance));
		break;
	default:
		bench_add(b, " scratch");
		bench_set(b, GLK_CARD_SCRATCH, draw(&b->chance));
		break;
	}
}

void bench_burst(struct bench *b)
{
	uint64_t place = draw_place(b);
	unsigned stores = 1 + below(&b->chance, bench_chance(b, 4) ? 100 : 10);

	for (unsigned i = 0; i < stores && !b->pair.failure[0]; i++) {
		if (bench_chance(b, 12))
			place = draw_place(b);
		if (bench_chance(b, 60))
			one_setting(b);
		one_store(b, place);
	}
	if (bench_chance(b, 3))
		bench_release(b);
	else if (bench_chance(b, 4))
		bench_drain(b);
}

void bench_release(struct bench *b)
{
	unsigned c = below(&b->chance, b->pair.p.contexts), count = bench_chance(b, 4) ? 3 : 1;

	/* Several at once only while the ring delays them: otherwise timing decides how many complete together. */
	if (!b->pair.model->releases.of[c].current.pending)
		count = 1;
	for (unsigned i = 0; i < count; i++) {
		bench_add(b, " release %u", c);
		bench_set(b, bench_doorbell_reg(c, GLK_DOORBELL_RELEASE), draw(&b->chance));
	}
}

void bench_drain(struct bench *b)
{
	unsigned kind = below(&b->chance, bench_chance(b, 8) ? 16 : 4), id = below(&b->chance, 20);
	uint64_t value = kind | (kind ? (uint64_t)id << GLK_CARD_DRAIN_ID_SHIFT : 0);

	if (bench_chance(b, 20))
		value ^= UINT64_C(1) << below(&b->chance, 64);
	bench_add(b, " drain %#" PRIx64, value);
	bench_set(b, GLK_CARD_DRAIN, value);
}

void bench_time(struct bench *b)
{
	const struct glk_partition *p = &b->pair.model->partitions[below(&b->chance, b->pair.p.partitions)];
	uint64_t due = glk_partition_deadline(p) - b->pair.now_ns, by = 1 + below(&b->chance, 3000);

	b->pair.unordered = true; /* several may end at once */
	if (due > 1 && due < 1 << 30 && bench_chance(b, 2))
		by = due - below(&b->chance, 2); /* exactly when a queue is due, or just before */
	pair_advance(&b->pair, by);
}

void bench_pool(struct bench *b)
{
	uint64_t offset = below(&b->chance, PAIR_POOL_BYTES + GLK_PAGE_SIZE);
	unsigned length = bench_length(b, GLK_PAGE_SIZE - (unsigned)(offset % GLK_PAGE_SIZE));
	uint8_t data[GLK_PAGE_SIZE];

	bench_fill(b, data, length);
	bench_add(b, " %#" PRIx64 "+%u", offset, length);
	switch (below(&b->chance, 8)) {
	case 0:
		pair_poisoned(&b->pair, 2, offset, data, length);
		break;
	case 1:
		pair_pool_read(&b->pair, offset, bench_chance(b, 4) ? 0 : length);
		break;
	case 2:
		pair_load(&b->pair, offset, 0);
		break;
	case 3:
	case 4:
		pair_pool_read(&b->pair, offset, length);
		break;
	default:
		pair_pool_write(&b->pair, offset, data, length);
		pair_pool_read(&b->pair, offset, length);
		break;
	}
}

/* Settings of the pool's timestamps, often valid; pages cleared. */
void bench_stamps(struct bench *b)
{
	uint64_t pages = PAIR_POOL_BYTES / GLK_PAGE_SIZE, value = 0;
	unsigned first;

	switch (below(&b->chance, 5)) {
	case 0:
		bench_set(b, bench_chance(b, 2) ? GLK_TSU_READ_LEASE : GLK_TSU_WRITE_LEASE,
			  1 + below(&b->chance, bench_chance(b, 4) ? 3000 : 30));
		break;
	case 1:
		bench_set(b, GLK_TSU_CONTROL, below(&b->chance, 4));
		break;
	case 2:
		first = below(&b->chance, (unsigned)pages);
		bench_set(b, GLK_TSU_CLEAR,
			  first | (uint64_t)(1 + below(&b->chance, (unsigned)pages - first)) << GLK_TSU_CLEAR_PAGES_SHIFT);
		break;
	default:
		for (unsigned i = 0; i < 16; i++)
			value |= (uint64_t)below(&b->chance, bench_chance(b, 50) ? 16 : 7) << (4 * i);
		bench_set(b, bench_chance(b, 3) ? GLK_TSU_GRAIN_0 + 8 * below(&b->chance, 4) : GLK_TSU_GRAIN_0, value);
		break;
	}
}

/* --- registers --- */

void bench_registers(struct bench *b)
{
	unsigned count = 1 + below(&b->chance, 8);

	for (unsigned i = 0; i < count && !b->pair.failure[0]; i++)
		wild_access(b, draw_register(b));
}

/* --- reset --- */

void bench_disabled(struct bench *b)
{
	bench_set(b, GLK_CARD_CONTROL, 0);
	bench_settle(b);
	for (unsigned i = 0; i < 4; i++) {
		one_store(b, draw_place(b));
		bench_packets(b);
		bench_settle(b);
		bench_release(b);
	}
	bench_settle(b);
	pair_check_registers(&b->pair, true);
	bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
}

void bench_reset(struct bench *b)
{
	bool flr = bench_chance(b, 2);

	b->pair.reset = true;
	b->pair.deaf = 0; /* the model drops at once what the card still waits for */

	bench_add(b, flr ? " (FLR)" : " by CONTROL");
	bench_stores(b, 10);
	if (flr) {
		/* Not ordered with earlier writes: they must be done. */
		bench_settle(b);
		pair_flr(&b->pair);
	} else {
		bench_set(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK | below(&b->chance, 2));
	}
	bench_settle(b);
	pair_check_registers(&b->pair, true);
	bench_configure(b);
}
