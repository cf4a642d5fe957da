// SPDX-License-Identifier: Apache-2.0
/*
 * Loads of the other card: the Verilated glk_serve_load between random loads of open and of vanished endpoints, a bus that
 * answers reads in any order, and the pool. Every answer is compared, in order; a failure must be reported before its answer. A
 * round has several paces; some begin with a reset in the middle of the previous one.
 *
 * test-serve-load-* [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <base/options.h>
#include <chance.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "serve_load_dut.h"

#define LINE	 64u
#define SLOTS	 7u
#define LOADS	 16u /* in flight at most: the slots, and an answer */
#define ROUNDS	 60u
#define PATIENCE 20000u

enum where { QUEUED, ON_BUS, IN_POOL, OVER };

struct load {
	enum where where;
	bool gone, fails, reported;
	unsigned partition, length, slot, at, due, good_beats;
	uint64_t offset;
	uint8_t line[LINE];
};

static struct {
	struct serve_load_dut *dut;
	struct chance chance;
	struct serve_load_in in;
	struct serve_load_out out;
	struct load loads[LOADS];
	unsigned count, peak, lanes, partitions;
	unsigned gap, latency, fails; /* 1/256; most clocks; 1/64 */
	uint64_t now, answers, failures, resets;
	unsigned still;
	bool pause; /* no more loads */
	char failure[160];
} t;

static void fault(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64, t.now, what, expected, got);
}

static bool lets(void)
{
	return below(&t.chance, 256) >= t.gap;
}

static void set_endpoints(void)
{
	for (unsigned p = 0; p < 16; p++) {
		t.in.kind[p] = below(&t.chance, 6) ? (below(&t.chance, 3) ? GLK_EP_BUS : GLK_EP_POOL) : below(&t.chance, 4);
		t.in.base[p] = draw(&t.chance) >> 12;
		t.in.pages[p] = below(&t.chance, 8) ? 1 + below(&t.chance, 5) : (UINT64_C(1) << 36) - below(&t.chance, 3);
	}
}

static void offer_load(void)
{
	uint64_t pages;

	if (t.in.load_valid || t.pause || !lets())
		return;
	t.in.load_valid = true;
	t.in.partition = below(&t.chance, t.partitions);
	pages = t.in.pages[t.in.partition] + !below(&t.chance, 16);
	t.in.offset = (((draw(&t.chance) % pages) << 12) | (below(&t.chance, 64) * LINE)) & ((UINT64_C(1) << 48) - 1);
	t.in.length = LINE;
	if (below(&t.chance, 2)) {
		t.in.length = 4u << below(&t.chance, 4);
		t.in.offset += below(&t.chance, LINE / t.in.length) * t.in.length;
	}
}

static void take_load(void)
{
	struct load *load = &t.loads[t.count];
	unsigned kind = t.in.kind[t.in.partition];

	if (t.count == LOADS) {
		fault("loads in flight", SLOTS, t.count);
		return;
	}
	*load = (struct load){ .partition = t.in.partition, .length = t.in.length, .offset = t.in.offset };
	load->gone = (kind != GLK_EP_BUS && kind != GLK_EP_POOL) || t.in.offset >> 12 >= t.in.pages[t.in.partition];
	load->fails = !load->gone && kind == GLK_EP_BUS && below(&t.chance, 64) < t.fails;
	load->at = (unsigned)(load->offset % LINE) / t.lanes;
	load->good_beats = below(&t.chance, ((unsigned)(load->offset % LINE) + load->length - 1) / t.lanes - load->at + 1);
	for (unsigned i = 0; i < LINE; i++)
		load->line[i] = (uint8_t)(draw(&t.chance) >> 20);
	t.count++;
	t.in.load_valid = false;
}

static bool ends(const struct load *load)
{
	return load->at == ((unsigned)(load->offset % LINE) + load->length - 1) / t.lanes;
}

/* A beat of it; whether it was the last. */
static bool give(struct load *load, uint8_t *data, bool error)
{
	bool last = error || ends(load);

	for (unsigned i = 0; i < t.lanes; i++)
		data[i] = error ? (uint8_t)draw(&t.chance) : load->line[load->at * t.lanes + i];
	load->at++;
	load->good_beats -= load->good_beats != 0;
	if (last)
		load->where = OVER;
	return last;
}

static void drive(void)
{
	struct load *due[LOADS], *pool = NULL;
	unsigned n = 0;

	offer_load();
	for (unsigned i = 0; i < t.count; i++) {
		if (t.loads[i].where == ON_BUS && t.loads[i].due <= t.now)
			due[n++] = &t.loads[i];
		if (t.loads[i].where == IN_POOL && !pool)
			pool = &t.loads[i];
	}
	t.in.data_valid = n && lets();
	if (t.in.data_valid) {
		struct load *load = due[below(&t.chance, n)];

		t.in.slot = load->slot;
		t.in.data_error = load->fails && !load->good_beats;
		t.in.data_last = give(load, t.in.data, t.in.data_error);
	}
	t.in.pool_valid = pool && pool->due <= t.now && lets();
	if (t.in.pool_valid)
		t.in.pool_last = give(pool, t.in.pool_data, false);
	t.in.read_ready = lets();
	t.in.pool_ready = lets();
	t.in.answer_ready = lets();
	t.in.report_ready = lets();
}

static void see_read(bool pool)
{
	struct load *load = NULL;
	uint64_t base;

	for (unsigned i = 0; i < t.count && !load; i++)
		if (t.loads[i].where == QUEUED && !t.loads[i].gone)
			load = &t.loads[i];
	if (!load || (t.in.kind[load->partition] == GLK_EP_POOL) != pool) {
		fault("unexpected read, of the pool", 0, pool);
		return;
	}
	base = t.in.base[load->partition] << 12;
	if ((pool ? t.out.pool_offset : t.out.address) !=
	    ((base + load->offset) & (pool ? (UINT64_C(1) << 48) - 1 : UINT64_MAX)))
		fault("address", base + load->offset, pool ? t.out.pool_offset : t.out.address);
	if ((pool ? t.out.pool_length : t.out.read_length) != load->length)
		fault("length", load->length, pool ? t.out.pool_length : t.out.read_length);
	if (!pool && (!t.out.slot || t.out.slot > SLOTS))
		fault("slot", SLOTS, t.out.slot);
	for (unsigned i = 0; i < t.count && !pool; i++)
		if (t.loads[i].where == ON_BUS && t.loads[i].slot == t.out.slot)
			fault("slot in use", 0, t.out.slot);
	load->where = pool ? IN_POOL : ON_BUS;
	load->slot = t.out.slot;
	load->due = (unsigned)t.now + 1 + below(&t.chance, t.latency);
}

static void see_answer(void)
{
	struct load *load = &t.loads[0];
	bool failed = load->gone || load->fails;

	if (!t.count || (load->where != OVER && !load->gone)) {
		fault("answer without a load", 0, 1);
		return;
	}
	if (t.out.answer_error != failed || load->reported != failed)
		fault("failed, reported", failed * 2u + failed, t.out.answer_error * 2u + load->reported);
	if (!failed && memcmp(t.out.line + load->offset % LINE, load->line + load->offset % LINE, load->length) != 0)
		fault("line", load->line[load->offset % LINE], t.out.line[load->offset % LINE]);
	t.answers++;
	t.failures += failed;
	memmove(load, load + 1, --t.count * sizeof(*load));
}

/* The oldest failed load that was not reported. */
static void see_report(void)
{
	for (unsigned i = 0; i < t.count; i++) {
		struct load *load = &t.loads[i];

		if ((load->gone || (load->fails && load->where == OVER)) && !load->reported) {
			if (load->partition != t.out.report_partition)
				fault("partition of a failure", load->partition, t.out.report_partition);
			load->reported = true;
			return;
		}
	}
	fault("unexpected failure of partition", 0, t.out.report_partition);
}

static void clock_once(void)
{
	unsigned flying = 0;

	drive();
	serve_load_dut_clock(t.dut, &t.in, &t.out);
	if (t.out.report_valid && t.in.report_ready)
		see_report();
	if (t.out.answer_valid && t.in.answer_ready)
		see_answer();
	if (t.out.read_valid && t.in.read_ready)
		see_read(false);
	if (t.out.pool_valid && t.in.pool_ready)
		see_read(true);
	t.still = t.count ? t.still + 1 : 0;
	if (t.still > 2 && t.out.idle)
		fault("idle with a load in flight", 0, 1);
	if (t.in.load_valid && t.out.load_ready)
		take_load();
	for (unsigned i = 0; i < t.count; i++)
		flying += t.loads[i].where == ON_BUS;
	t.peak = t.peak > flying ? t.peak : flying;
	t.now++;
}

static void pace(void)
{
	static const unsigned gaps[] = { 0, 0, 32, 128, 230 }, latencies[] = { 1, 8, 40, 200 };

	t.gap = gaps[below(&t.chance, 5)];
	t.latency = latencies[below(&t.chance, 4)];
	t.fails = below(&t.chance, 2) * below(&t.chance, 32);
	for (unsigned i = 200 + below(&t.chance, 2000); i && !t.failure[0]; i--)
		clock_once();
}

static void settle(void)
{
	t.pause = true;
	for (unsigned i = 0; (t.count || t.in.load_valid) && i < PATIENCE && !t.failure[0]; i++)
		clock_once();
	if (t.count || t.in.load_valid)
		fault("loads without an answer", 0, t.count);
	t.pause = false;
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", ROUNDS);
	uint64_t done = 0;

	t.dut = serve_load_dut_create(o.wave);
	t.lanes = serve_load_dut_lanes();
	t.partitions = serve_load_dut_partitions();
	for (; done < o.amount && !t.failure[0]; done++) {
		chance_start(&t.chance, o.seed, o.first + done);
		t.in = (struct serve_load_in){ 0 };
		t.count = t.still = 0;
		serve_load_dut_reset(t.dut, &t.in);
		for (unsigned phases = 1 + below(&t.chance, 4); phases--;) {
			set_endpoints();
			pace();
			if (phases || below(&t.chance, 2))
				settle();
		}
		t.resets += t.count != 0;
	}
	if (!t.failure[0] && o.amount >= ROUNDS && t.peak < SLOTS)
		fault("reads in flight, most of all clocks", SLOTS, t.peak);
	printf("# seed %" PRIu64 ": %" PRIu64 " rounds, %" PRIu64 " clocks, %" PRIu64 " resets with loads in flight; %" PRIu64 " answers, %" PRIu64
	       " failed; up to %u reads in flight\n", o.seed, done, t.now, t.resets, t.answers, t.failures, t.peak);
	if (t.failure[0])
		bench_reproduce(&o, o.first + done - 1, t.failure);
	check(!t.failure[0], "loads of the other card are executed and answered in order");
	serve_load_dut_destroy(t.dut);
	return tap_end();
}
