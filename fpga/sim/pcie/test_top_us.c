// SPDX-License-Identifier: Apache-2.0
/*
 * glk_top_us, the complete design of a board, with a model of the hard block, host memory, an endpoint on the bus and the pool.
 * Host accesses arrive as packets on CQ; memory accesses by the card leave on RQ or to the pool: stores through windows, loads,
 * poisoned stores, the pool's BAR, ring entries with their interrupts, releases, function-level resets, also while the host
 * completes no reads, and late completions after them. Constrained random
 * lengths, addresses, gaps and back-pressure; memory must equal what was stored.
 *
 * test-top-us [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "pcie_block.h"
#include "top_us_dut.h"

#define HOST	    UINT64_C(0x200000000)
#define HOST_BYTES  0x10000u
#define BUS	    UINT64_C(0x10000000000) /* bus address of the endpoint's memory */
#define WINDOW	    0x2000u		    /* bytes of a window and its memory: the smallest slice */
#define POOL_BYTES  0x8000u		    /* the pool's endpoint starts at 0 */
#define QUEUE	    32u
#define CLOCKS_MAX  200000u /* limit of every wait */
#define POOL_READS  8u
#define SQ	    (HOST + 0x0000)
#define CQ	    (HOST + 0x1000)
#define RECORD	    (HOST + 0x2000)
#define PAGE_LIST   (HOST + 0x3000)
#define DATA	    (HOST + 0x4000) /* registered: two pages, in reverse order in the list */
#define VECTOR	    3u
#define RING	    16u /* entries */
#define BUFFER	    4096u /* bytes of the beats in glk_pcie_rq's buffer, of which four stay free */

/* The pool uses the gaps of r and d, which do not exist here. */
#define GAP_POOL   GAP_R
#define GAP_POOL_Q GAP_D
enum { ENDPOINT, POOL, MEMORIES };

static struct {
	struct top_dut *dut;
	struct top_in in;
	struct pcie_bench bench;
	struct pcie_block block;
	bool flr_done;

	struct pcie_request queue[QUEUE]; /* ring of requests by the host */
	unsigned queue_put, queue_take;
	bool reading;
	uint8_t read_data[4096];

	uint8_t host[HOST_BYTES];
	uint8_t memory[MEMORIES][POOL_BYTES], expected[MEMORIES][POOL_BYTES];
	unsigned pool_at; /* lines of the current write */
	struct {
		uint64_t offset;
		unsigned length, lines;
	} pool_reads[POOL_READS]; /* a ring */
	unsigned pool_put, pool_take;
	unsigned submitted, completed; /* ring entries */
	uint64_t tags[RING];
	bool paged; /* the page list was read */
} t;

static struct {
	uint64_t stores, loads, poisoned, entries, interrupts, resets, silent, clocks;
} happened;

static unsigned under(unsigned n)
{
	return below(&t.bench.chance, n);
}

static void fill(uint8_t *data, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		data[i] = (uint8_t)(draw(&t.bench.chance) >> 24);
}

/* --- memory --- */

static uint8_t *memory_at(uint64_t address, unsigned bytes)
{
	if (address >= HOST && address + bytes <= HOST + HOST_BYTES)
		return t.host + (address - HOST);
	if (address >= BUS && address + bytes <= BUS + WINDOW)
		return t.memory[ENDPOINT] + (address - BUS);
	pcie_fail(&t.bench, "access to an address unknown to the card", 0, address);
	return NULL;
}

static void on_write(void *user, uint64_t address, const uint8_t *data, unsigned bytes)
{
	uint8_t *to = memory_at(address, bytes);

	(void)user;
	if (to)
		memcpy(to, data, bytes);
}

static void on_read(void *user, unsigned tag, uint64_t address, unsigned bytes)
{
	(void)user;
	(void)tag;
	memory_at(address, bytes);
	t.paged = t.paged || address == PAGE_LIST;
}

static uint8_t on_byte(void *user, uint64_t address)
{
	const uint8_t *from = memory_at(address, 1);

	(void)user;
	return from ? *from : 0;
}

static unsigned lines(uint64_t offset, unsigned bytes)
{
	return (unsigned)((offset + bytes - 1) / t.bench.beat - offset / t.bench.beat) + 1;
}

static void pool_beat(const struct top_out *out)
{
	uint64_t offset = out->pool.offset, line = offset / t.bench.beat + t.pool_at;
	unsigned length = out->pool.length;

	if (!length || offset % 4096 + length > 4096 || offset + length > POOL_BYTES) {
		pcie_fail(&t.bench, "pool range", length, offset);
		return;
	}
	pcie_same(&t.bench, "pool_last", !out->pool.write || t.pool_at + 1 == lines(offset, length), out->pool.last);
	if (!out->pool.write) {
		t.pool_reads[t.pool_put % POOL_READS].offset = offset;
		t.pool_reads[t.pool_put % POOL_READS].length = length;
		t.pool_reads[t.pool_put++ % POOL_READS].lines = 0;
		return;
	}
	for (unsigned i = 0; i < t.bench.beat; i++)
		if (line * t.bench.beat + i >= offset && line * t.bench.beat + i < offset + length)
			t.memory[POOL][line * t.bench.beat + i] = out->pool.data[i];
	t.pool_at = out->pool.last ? 0 : t.pool_at + 1;
}

static void show_pool(void)
{
	unsigned at = t.pool_take % POOL_READS;
	uint64_t offset = t.pool_reads[at].offset;

	t.in.pool_ready = pcie_go(&t.bench, GAP_POOL) && t.pool_put - t.pool_take < POOL_READS;
	if (t.in.q.valid || t.pool_take == t.pool_put || !pcie_go(&t.bench, GAP_POOL_Q))
		return;
	t.in.q.valid = true;
	memcpy(t.in.q.data, t.memory[POOL] + (offset / t.bench.beat + t.pool_reads[at].lines) * t.bench.beat, t.bench.beat);
	t.in.q.last = ++t.pool_reads[at].lines == lines(offset, t.pool_reads[at].length);
}

/* --- clocks --- */

static bool on_request(void *user, struct pcie_request *r, bool instead)
{
	(void)user;
	if (instead || t.queue_take == t.queue_put)
		return false;
	*r = t.queue[t.queue_take++ % QUEUE];
	return true;
}

static void on_completed(void *user, const uint8_t *data, unsigned bytes)
{
	(void)user;
	memcpy(t.read_data, data, bytes);
	t.reading = false;
}

static const struct pcie_block_ops ops = {
	.request = on_request, .completed = on_completed, .write = on_write, .read = on_read, .byte = on_byte,
};

static void clock_once(void)
{
	struct top_out out;

	pcie_block_show_requests(&t.block);
	pcie_block_show(&t.block);
	show_pool();
	top_dut_clock(t.dut, &t.in, &out);
	t.bench.clocks++;
	pcie_block_clock(&t.block, &out.block);
	if (t.in.q.valid && out.q_ready) {
		t.in.q.valid = false;
		t.pool_take += t.in.q.last;
	}
	if (out.pool.valid && t.in.pool_ready)
		pool_beat(&out);
	t.flr_done = out.block.flr_done;
}

/* Clocks once; false after the time limit. */
static bool wait_for(const char *what, unsigned *clocks)
{
	clock_once();
	if (++*clocks == CLOCKS_MAX)
		pcie_fail(&t.bench, what, 0, *clocks);
	return !t.bench.failure[0];
}

/* --- the host --- */

static void ask(unsigned type, unsigned bar, uint64_t offset, const void *data, unsigned bytes, bool poisoned)
{
	struct pcie_request *r;
	unsigned from = (unsigned)(offset % 4), above, clocks = 0;

	while (t.queue_put - t.queue_take == QUEUE && wait_for("CQ does not accept", &clocks))
		;
	r = &t.queue[t.queue_put++ % QUEUE];
	r->type = type;
	r->bar = bar;
	r->aperture = 20;
	r->address = UINT64_C(0xfe0000000000) | (offset & ~UINT64_C(3));
	r->count = (from + bytes + 3) / 4;
	above = 4 * r->count - from - bytes;
	r->first_be = 15u << from & 15;
	r->last_be = 15u >> above;
	if (r->count == 1) {
		r->first_be &= r->last_be;
		r->last_be = 0;
	}
	pcie_request_describe(&t.bench, r, type == MEM_WRITE ? r->count : 0);
	fill((uint8_t *)(r->packet.dw + 4), type == MEM_WRITE ? 4 * r->count : 0); /* disabled bytes are random */
	if (type == MEM_WRITE)
		memcpy((uint8_t *)(r->packet.dw + 4) + from, data, bytes);
	r->packet.discontinue = poisoned;
}

static void host_read(unsigned bar, uint64_t offset, void *data, unsigned bytes)
{
	unsigned clocks = 0;

	t.reading = true;
	ask(MEM_READ, bar, offset, NULL, bytes, false);
	while (t.reading && wait_for("read not completed", &clocks))
		;
	memcpy(data, t.read_data, bytes);
}

static void set(uint64_t offset, uint64_t value)
{
	ask(MEM_WRITE, 0, offset, &value, 8, false);
}

static uint64_t value_of(uint64_t offset)
{
	uint64_t value = 0;

	host_read(0, offset, &value, 8);
	return value;
}

static void wait_register(const char *what, uint64_t offset, uint64_t mask, uint64_t value)
{
	for (unsigned i = 0; (value_of(offset) & mask) != value && !t.bench.failure[0]; i++)
		if (i == 2000)
			pcie_fail(&t.bench, what, value, offset);
}

static void drain(void)
{
	set(GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	wait_register("drain does not end", GLK_CARD_DRAIN, GLK_CARD_DRAIN_BUSY_MASK, 0);
}

static void configure(void)
{
	const uint64_t context = GLK_CONTEXT_ARRAY;

	for (unsigned p = 0; p < MEMORIES; p++) {
		uint64_t partition = GLK_PARTITION_ARRAY + (uint64_t)p * GLK_PARTITION_STRIDE;
		uint64_t window = GLK_WINDOW_ARRAY + (uint64_t)p * GLK_WINDOW_STRIDE;

		set(partition + GLK_PARTITION_EP_BASE, p == POOL ? 0 : BUS);
		set(partition + GLK_PARTITION_EP_BYTES, WINDOW);
		set(partition + GLK_PARTITION_EP_KIND, p == POOL ? GLK_EP_POOL : GLK_EP_BUS);
		set(partition + GLK_PARTITION_SUBHEADER_BYTES, 2 + under(5));
		set(window + GLK_WINDOW_Q1, 0);
		set(window + GLK_WINDOW_Q2, WINDOW);
		set(window + GLK_WINDOW_Q0, GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK |
						    (uint64_t)p << GLK_WINDOW_Q0_PARTITION_SHIFT |
						    (uint64_t)p << GLK_WINDOW_Q0_FIRST_SHIFT);
	}
	memcpy(t.host + (PAGE_LIST - HOST), (const uint64_t[]){ DATA + 4096, DATA }, 16);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q1, 8192);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q2, PAGE_LIST);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q3, 0);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q0,
	    GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
	set(context + GLK_CONTEXT_SQ_BASE, SQ);
	set(context + GLK_CONTEXT_CQ_BASE, CQ);
	set(context + GLK_CONTEXT_ORDER, 4 | 4 << 8);
	set(context + GLK_CONTEXT_RECORD, RECORD);
	set(context + GLK_CONTEXT_VECTOR, VECTOR);
	set(GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	set(context + GLK_CONTEXT_CONTROL, GLK_CONTEXT_CONTROL_ENABLE_MASK);
	t.submitted = t.completed = 0;
	pcie_same(&t.bench, "refused register accesses", 0, value_of(GLK_CARD_ERROR_CAUSE));
}

/* --- test steps --- */

/* Writes to the pool may be in flight; reads are ordered behind them. */
static void check_memory(const char *what)
{
	uint8_t any;

	host_read(4, 0, &any, 1);
	for (unsigned m = 0; m < MEMORIES; m++)
		for (unsigned i = 0; i < POOL_BYTES; i++)
			if (t.memory[m][i] != t.expected[m][i])
				pcie_fail(&t.bench, what, t.expected[m][i],
					  (uint64_t)m << 56 | (uint64_t)i << 16 | t.memory[m][i]);
}

/* Range of a window, not across 4 KiB; mostly short. */
static unsigned draw_bytes(uint64_t *offset)
{
	static const unsigned tops[] = { 4, 8, 8, 64, 64, 300, 1024 };
	unsigned bytes = 1 + under(tops[under(7)]);

	*offset = under(2) ? under(WINDOW) : under(600);
	if (*offset % 4096 + bytes > 4096)
		*offset -= bytes;
	return bytes;
}

static void stores(unsigned count)
{
	uint8_t data[1024];
	uint64_t offset;

	for (unsigned i = 0; i < count && !t.bench.failure[0]; i++) {
		unsigned m = under(MEMORIES), bytes = draw_bytes(&offset), what = under(16);
		uint64_t place = ((uint64_t)m << top_dut_slice_shift()) + offset;

		if (what == 0) { /* a load returns earlier stores */
			host_read(2, place, data, bytes);
			for (unsigned k = 0; k < bytes; k++)
				pcie_same(&t.bench, "load data", t.expected[m][offset + k], data[k]);
			happened.loads++;
			continue;
		}
		fill(data, bytes);
		ask(MEM_WRITE, 2, place, data, bytes, what == 1);
		happened.poisoned += what == 1;
		if (what == 1)
			continue;
		memcpy(t.expected[m] + offset, data, bytes);
		happened.stores++;
	}
}

/* Beyond the endpoint, where nothing else writes. */
static void pool_bar(void)
{
	unsigned bytes = 1 + under(1024), offset = WINDOW + under(3072) + 4096 * under(3);
	uint8_t data[1024];

	if (offset % 4096 + bytes > 4096)
		offset -= bytes;
	fill(data, bytes);
	ask(MEM_WRITE, 4, offset, data, bytes, false);
	memcpy(t.expected[POOL] + offset, data, bytes);
	host_read(4, offset, data, bytes);
	if (memcmp(data, t.expected[POOL] + offset, bytes))
		pcie_fail(&t.bench, "pool BAR data", offset, bytes);
}

static void poisoned_counted(uint64_t before)
{
	set(GLK_CARD_SNAPSHOT, 1);
	pcie_same(&t.bench, "poisoned writes counted", happened.poisoned - before, value_of(GLK_CARD_ERR_WINDOW));
}

/* Puts an entry into the ring in host memory. */
static void ring_put(unsigned opcode, unsigned flags, unsigned m, uint64_t offset, uint64_t at, unsigned bytes)
{
	uint64_t sqe[8] = { opcode | flags << GLK_SQE_FLAGS_SHIFT, draw(&t.bench.chance) };

	if (opcode != GLK_OP_RELEASE && opcode != GLK_OP_NOP) {
		sqe[0] |= (uint64_t)m << GLK_SQE_WINDOW_SHIFT | (uint64_t)bytes << GLK_SQE_LENGTH_SHIFT;
		sqe[2] = offset;
		sqe[3] = at << GLK_SQE_REGISTRATION_OFFSET_SHIFT;
	}
	t.tags[t.submitted % RING] = sqe[1];
	memcpy(t.host + (SQ - HOST) + t.submitted++ % RING * sizeof(sqe), sqe, sizeof(sqe));
}

static void ring_submit(void)
{
	set(GLK_CONTEXT_ARRAY + GLK_CONTEXT_CQ_HEAD, t.completed & 0xffff);
	set(GLK_CONTEXT_ARRAY + GLK_CONTEXT_SQ_TAIL, t.submitted & 0xffff);
}

/* The next completion is in host memory. */
static void ring_completed(void)
{
	uint64_t cqe[2];

	memcpy(cqe, t.host + (CQ - HOST) + t.completed % RING * sizeof(cqe), sizeof(cqe));
	pcie_same(&t.bench, "completion tag", t.tags[t.completed % RING], cqe[0]);
	pcie_same(&t.bench, "completion status", GLK_ST_OK, (cqe[1] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT);
	pcie_same(&t.bench, "completion phase", !(t.completed / RING % 2), (cqe[1] & GLK_CQE_PHASE_MASK) != 0);
	t.completed++;
	happened.entries++;
}

/* One entry, from the ring to its completion and the interrupt after it. */
static void ring_entry(unsigned opcode, unsigned m, uint64_t offset, uint64_t at, unsigned bytes)
{
	unsigned sent = t.block.sent[VECTOR], clocks = 0;

	ring_put(opcode, GLK_FLAG_INTERRUPT, m, offset, at, bytes);
	ring_submit();
	while (t.block.sent[VECTOR] == sent && wait_for("no interrupt for a ring entry", &clocks))
		;
	ring_completed();
	happened.interrupts += t.block.sent[VECTOR] - sent;
}

/* A byte of the registration. */
static uint8_t *registered(uint64_t at)
{
	return t.host + (DATA - HOST) + (at ^ 4096);
}

static void ring(void)
{
	unsigned m = under(MEMORIES), bytes = 1 + under(3000);
	uint64_t offset = under(WINDOW - bytes), at = under(8192 - bytes);

	fill(t.host + (DATA - HOST), 8192);
	ring_entry(GLK_OP_PUT, m, offset, at, bytes);
	for (unsigned i = 0; i < bytes; i++)
		t.expected[m][offset + i] = *registered(at + i);
	ring_entry(GLK_OP_RELEASE, 0, 0, 0, 0);
	check_memory("memory after a release");
	offset = under(WINDOW - bytes);
	ring_entry(GLK_OP_GET, m, offset, at, bytes);
	for (unsigned i = 0; i < bytes; i++)
		pcie_same(&t.bench, "get data", t.expected[m][offset + i], *registered(at + i));
}

/* A get whose writes fill the adapter's buffer, and entries without data behind it, whose completions then wait inside the
 * card: the register that counts completions does not report them before they are in memory. */
static void counted(void)
{
	unsigned beat = t.bench.beat, limit = t.block.write_limit < 256 ? t.block.write_limit : 256, clocks = 0;
	unsigned packets = (BUFFER / beat - 4) / ((limit + 16 + beat - 1) / beat), before = t.bench.gap[GAP_RQ];

	while (t.submitted % 8) /* the card reads up to eight entries at a time */
		ring_entry(GLK_OP_NOP, 0, 0, 0, 0);
	ring_put(GLK_OP_GET, 0, POOL, 0, 0, packets * limit + limit / 2 + under(4 * limit));
	while (t.submitted % 8)
		ring_put(GLK_OP_NOP, 0, 0, 0, 0, 0);
	t.paged = false;
	ring_submit();
	while (!t.paged && wait_for("no read of a page list", &clocks)) /* the last read ahead of the data */
		;
	t.bench.stall[GAP_RQ] = 1500;
	t.bench.gap[GAP_RQ] = 245;
	for (unsigned i = 400 + under(600); i; i--)
		clock_once();
	while (t.completed != t.submitted && !t.bench.failure[0]) {
		unsigned count = (unsigned)value_of(GLK_CONTEXT_ARRAY + GLK_CONTEXT_CQ_TAIL) - t.completed;

		if (++clocks == CLOCKS_MAX || count > t.submitted - t.completed)
			pcie_fail(&t.bench, "count of completions", t.submitted - t.completed, count);
		while (count-- && !t.bench.failure[0])
			ring_completed();
	}
	t.bench.gap[GAP_RQ] = before;
}

/* A release by the doorbell page: after its record and interrupt, all stores are visible. */
static void release(void)
{
	unsigned sent = t.block.sent[VECTOR], clocks = 0;
	uint64_t value = draw(&t.bench.chance) | 1, reported;

	set(GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, value);
	while (t.block.sent[VECTOR] == sent && wait_for("no interrupt for a release", &clocks))
		;
	memcpy(&reported, t.host + (RECORD - HOST), 8);
	pcie_same(&t.bench, "release value", value, reported);
	check_memory("memory after a release");
	happened.interrupts++;
}

/* Reads of the card are outstanding, and the host completes no more of them. */
static void silence(void)
{
	uint64_t sqe[8] = { GLK_OP_PUT | (uint64_t)POOL << GLK_SQE_WINDOW_SHIFT | UINT64_C(3000) << GLK_SQE_LENGTH_SHIFT, 0, 0,
			    0 };
	unsigned clocks = 0, steps = under(3) * 400;

	fill(t.host + (DATA - HOST), 8192);
	memcpy(t.host + (SQ - HOST) + t.submitted % RING * sizeof(sqe), sqe, sizeof(sqe));
	for (unsigned i = 0; i < 3000; i++)
		t.expected[POOL][i] = *registered(i);
	set(GLK_CONTEXT_ARRAY + GLK_CONTEXT_SQ_TAIL, ++t.submitted & 0xffff);
	while (steps-- && wait_for("", &clocks))
		;
	t.block.silent = true;
}

/* Reset in flight: each byte holds its old value or the last store; then the card has its power-on state. `silent`: with reads
 * that the host completes long after the reset, or never. */
static void reset(bool silent)
{
	static uint8_t before[MEMORIES][POOL_BYTES];
	uint64_t generation = value_of(GLK_CARD_GENERATION), since;
	unsigned clocks = 0;
	uint8_t any;

	memcpy(before, t.expected, sizeof(before));
	for (unsigned i = 0; i < 20; i++) {
		uint64_t offset = 64 * i, value = draw(&t.bench.chance);

		ask(MEM_WRITE, 2, offset, &value, 8, false);
		memcpy(t.expected[ENDPOINT] + offset, &value, 8);
	}
	if (silent)
		silence();
	while (t.queue_take != t.queue_put && wait_for("stores not accepted", &clocks))
		;
	since = t.bench.clocks;
	t.in.block.flr_in_process = true;
	do
		wait_for("function-level reset does not end", &clocks);
	while (!t.flr_done && !t.bench.failure[0]);
	if (silent && t.bench.clocks - since > 4 * top_dut_lost())
		pcie_fail(&t.bench, "clocks of a function-level reset", 4 * top_dut_lost(), t.bench.clocks - since);
	t.in.block.flr_in_process = false;
	if (silent)
		pcie_block_forget(&t.block);
	t.block.silent = false;
	wait_register("not ready after a reset", GLK_CARD_STATUS, GLK_CARD_STATUS_READY_MASK, 1);
	pcie_same(&t.bench, "generation", generation + 1, value_of(GLK_CARD_GENERATION));
	pcie_same(&t.bench, "window after a reset", 0, value_of(GLK_WINDOW_ARRAY + GLK_WINDOW_Q0));
	host_read(4, 0, &any, 1); /* behind writes to the pool that were in flight */
	for (unsigned m = 0; m < MEMORIES; m++)
		for (unsigned i = 0; i < WINDOW; i++)
			if (t.memory[m][i] == before[m][i])
				t.expected[m][i] = before[m][i];
	check_memory("memory after a reset");
	happened.resets++;
	happened.silent += silent;
}

static void start(uint64_t seed, uint64_t round, const char *wave)
{
	memset(&t, 0, sizeof(t));
	chance_start(&t.bench.chance, seed, round);
	t.bench.beat = top_dut_beat();
	t.in.serial = seed;
	t.in.pool_bytes = POOL_BYTES;
	t.in.block.bus_master = t.in.block.msix_enable = true;
	t.in.block.ext_tag = under(2);
	t.in.block.max_payload = under(4);
	t.in.block.max_read_req = under(6);
	for (unsigned i = 0; i < PCIE_GAPS; i++)
		t.bench.gap[i] = under(3) ? under(200) : 0;
	t.block = (struct pcie_block){ .bench = &t.bench, .in = &t.in.block, .ops = &ops, .tags = 32 };
	if (t.in.block.ext_tag)
		t.block.tags = PCIE_TAGS_MAX;
	t.block.np_refill = under(2) ? 3 : 40;
	t.block.seq_delay = under(2) ? 30 : 300;
	pcie_block_start(&t.block);
	t.dut = top_dut_create(&t.in, wave);
}

static bool run_round(uint64_t seed, uint64_t round, const char *wave)
{
	uint64_t poisoned = happened.poisoned;

	start(seed, round, wave);
	wait_register("not ready", GLK_CARD_STATUS, GLK_CARD_STATUS_READY_MASK, 1);
	pcie_same(&t.bench, "magic", GLK_MAGIC, value_of(GLK_CARD_MAGIC));
	pcie_same(&t.bench, "serial number", seed, value_of(GLK_CARD_SERIAL));
	for (unsigned again = 0; again < 2 && !t.bench.failure[0]; again++) {
		configure();
		stores(100);
		drain();
		check_memory("memory after a drain");
		pool_bar();
		stores(20);
		release();
		stores(20);
		ring();
		counted();
		poisoned_counted(poisoned);
		reset(under(2));
	}
	configure();
	stores(20);
	drain();
	check_memory("memory after a drain");
	happened.clocks += t.bench.clocks;
	top_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 8);
	bool good = true;

	printf("# seed %" PRIu64 "\n", o.seed);
	for (uint64_t r = o.first; r < o.first + o.amount && good; r++) {
		good = run_round(o.seed, r, o.wave);
		if (!good)
			bench_reproduce(&o, r, t.bench.failure);
	}
	printf("# %" PRIu64 " stores, %" PRIu64 " poisoned, %" PRIu64 " loads, %" PRIu64 " ring entries, %" PRIu64
	       " interrupts, %" PRIu64 " resets, %" PRIu64 " of them with a silent host, %" PRIu64 " clocks\n", happened.stores, happened.poisoned,
	       happened.loads, happened.entries, happened.interrupts, happened.resets, happened.silent, happened.clocks);
	check(good, "stores, loads, rings and resets through the hard block's streams");
	return tap_end();
}
