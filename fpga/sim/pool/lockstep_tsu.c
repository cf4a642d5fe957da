// SPDX-License-Identifier: Apache-2.0
/*
 * Timestamps of lines in lock step with the model's: random operations of all kinds on few lines, so that entries are evicted
 * and sets are still in use, times of caches that lag, lead and are refused, leases that overflow into a next epoch, parity
 * errors. Each result, and at rest clock, floor, epoch, greatest time and the number of events, must be equal.
 *
 * lockstep-tsu [--rounds N] [--seed N] [--round N] [--wave FILE] [--rates]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <pool/tsu.h>
#include <tap.h>

#include "tsu_dut.h"

enum { PIPE = 16, LINES_MOST = 64, CACHES = 4, OPERATIONS = 400, PATIENCE = 4000 };

struct result {
	enum tsu_kind kind;
	bool ok, same;
	struct glk_lease lease;
};

static struct {
	struct tsu_dut *dut;
	struct glk_tsu model;
	struct glk_tsu_entry *entries;
	struct chance chance;
	struct tsu_in in;
	struct result expected[PIPE];
	unsigned first, count; /* of `expected` */
	uint64_t lines[LINES_MOST], wts[CACHES][LINES_MOST], now[CACHES];
	unsigned line_count;
	uint64_t evictions, epochs, errors, clocks, quiet, same, refused;
	char failure[256];
} t;

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "clock %" PRIu64 ": %s: %" PRIx64 ", expected %" PRIx64, t.clocks, what, got, expected);
}

static void check_value(const char *what, uint64_t expected, uint64_t got)
{
	if (expected != got)
		fail(what, expected, got);
}

static void check_result(const struct tsu_out *out)
{
	const struct result *r = &t.expected[t.first % PIPE];

	if (!t.count) {
		fail("a result of nothing", 0, 1);
		return;
	}
	t.first++;
	t.count--;
	check_value("kind", r->kind, out->kind);
	check_value("ok", r->ok, out->ok);
	if (!r->ok || r->kind > TSU_READ)
		return;
	check_value("same", r->same, out->same);
	check_value("wts", r->lease.wts, out->wts);
	check_value("rts", r->lease.rts, out->rts);
}

/* The operation that is offered has been accepted: so is its result known. */
static void execute(void)
{
	struct result *r = &t.expected[(t.first + t.count++) % PIPE];

	*r = (struct result){ .kind = t.in.kind, .ok = true };
	switch (t.in.kind) {
	case TSU_UNTIMED:
		r->lease.wts = glk_tsu_write_untimed(&t.model, t.in.line);
		r->lease.rts = r->lease.wts + t.model.shape.write_lease - 1;
		if (r->lease.rts >> 32 != r->lease.wts >> 32 ||
		    (uint32_t)r->lease.rts > UINT32_MAX >> (32 - t.model.shape.ts_bits))
			r->lease.rts = (r->lease.wts >> 32 << 32) | UINT32_MAX >> (32 - t.model.shape.ts_bits);
		break;
	case TSU_WRITE:
		r->ok = glk_tsu_write(&t.model, t.in.line, t.in.time, &r->lease);
		break;
	case TSU_READ:
		r->ok = glk_tsu_read(&t.model, t.in.line, t.in.time, t.in.wts, &r->lease, &r->same);
		break;
	case TSU_FORGET:
		glk_tsu_forget(&t.model);
		break;
	case TSU_EPOCH:
		glk_tsu_next_epoch(&t.model);
		break;
	}
	t.refused += !r->ok;
}

static void clock_once(void)
{
	struct tsu_out out;

	tsu_dut_clock(t.dut, &t.in, &out);
	t.clocks++;
	t.evictions += out.eviction;
	t.epochs += out.new_epoch;
	t.errors += out.error;
	if (out.valid)
		check_result(&out);
	t.quiet = out.valid || !t.count ? 0 : t.quiet + 1;
	if (t.quiet > PATIENCE)
		fail("clocks without a result", 0, t.quiet);
	if (t.in.valid && out.ready) {
		execute();
		t.in.valid = false;
	}
}

static void rest(void)
{
	struct tsu_out out = { 0 };

	t.in.valid = false;
	for (unsigned i = 0; (!out.idle || t.count) && !t.failure[0]; i++) {
		tsu_dut_clock(t.dut, &t.in, &out);
		t.clocks++;
		t.evictions += out.eviction;
		t.epochs += out.new_epoch;
		t.errors += out.error;
		if (out.valid)
			check_result(&out);
		if (i > PATIENCE)
			fail("clocks until it is idle", 0, i);
	}
	check_value("epoch", t.model.epoch, out.epoch);
	check_value("floor", t.model.floor, out.floor);
	check_value("clock", t.model.clock, out.clock);
	check_value("greatest", t.model.greatest, out.greatest);
	check_value("evictions", t.model.evictions, t.evictions);
	check_value("epochs", t.model.epochs, t.epochs);
	check_value("errors", t.model.errors, t.errors);
}

/* A time that a cache may have, or must not. */
static uint64_t draw_time(unsigned cache)
{
	uint64_t after = glk_tsu_after(&t.model, t.model.greatest);

	switch (below(&t.chance, 16)) {
	case 0:
		return t.model.greatest;
	case 1:
		return after;
	case 2:
		return after + 1;
	case 3:
		return (uint64_t)t.model.epoch << 32;
	case 4:
		return (uint64_t)(t.model.epoch + below(&t.chance, 3) - 1) << 32 | below(&t.chance, 8);
	case 5:
		return draw(&t.chance) >> below(&t.chance, 64);
	case 6:
		return t.now[cache] = t.model.clock;
	case 7:
		return t.now[cache] += t.now[cache] < t.model.greatest ? 1 : 0;
	default:
		return t.now[cache];
	}
}

static unsigned set_of(uint64_t line)
{
	uint64_t set = 0;

	for (unsigned bits = (unsigned)__builtin_ctz(t.model.shape.sets); bits && line; line >>= bits)
		set ^= line;
	return (unsigned)(set & (t.model.shape.sets - 1));
}

static void offer(void)
{
	unsigned cache = below(&t.chance, CACHES), line = below(&t.chance, t.line_count), what = below(&t.chance, 100);

	t.in.line = t.lines[line];
	t.in.time = draw_time(cache);
	t.in.wts = below(&t.chance, 4) ? t.wts[cache][line] : draw(&t.chance) | 1ULL << 63;
	t.in.kind = what < 45 ? TSU_UNTIMED : what < 60 ? TSU_WRITE : what < 97 ? TSU_READ : what < 99 ? TSU_FORGET : TSU_EPOCH;
	t.in.valid = true;
	/* What it will be when it is accepted: nothing else is before. */
	if (t.in.kind == TSU_READ && below(&t.chance, 2)) {
		const struct glk_tsu_entry *set = &t.entries[set_of(t.in.line) * t.model.shape.ways];

		for (unsigned w = 0; w < t.model.shape.ways; w++)
			if (set[w].valid && set[w].line == t.in.line)
				t.wts[cache][line] = t.in.wts = (uint64_t)t.model.epoch << 32 | set[w].wts;
	}
}

static void set_up(void)
{
	unsigned most = 1u << (t.model.shape.ts_bits - 1) < 40 ? (1u << (t.model.shape.ts_bits - 1)) - 1 : 40;

	bool few = below(&t.chance, 2); /* sets: their entries are evicted */

	rest();
	t.in.adapt = t.model.shape.adapt = below(&t.chance, 2);
	t.in.read_lease = t.model.shape.read_lease = below(&t.chance, 8) ? 1 + below(&t.chance, most) :
						     most < 40		 ? most :
									   1u << 15;
	t.in.write_lease = t.model.shape.write_lease = below(&t.chance, 8) ? 1 + below(&t.chance, most) :
						       most < 40	   ? most :
									     1u << 15;
	t.line_count = 1 + below(&t.chance, LINES_MOST);
	for (unsigned i = 0; i < t.line_count; i++) {
		t.lines[i] = draw(&t.chance) >> 22 >> below(&t.chance, 42);
		if (few)
			t.lines[i] ^= set_of(t.lines[i]) ^ (below(&t.chance, 3) & (t.model.shape.sets - 1));
	}
	memset(t.wts, 0xff, sizeof(t.wts));
}

static void damage(void)
{
	unsigned set = below(&t.chance, t.model.shape.sets), way = below(&t.chance, t.model.shape.ways);

	rest();
	/* That the next operations come to it */
	if (below(&t.chance, 4))
		set = set_of(t.lines[0]);
	if (t.entries[set * t.model.shape.ways + way].damaged)
		return;
	tsu_dut_damage(t.dut, set, way, (unsigned)draw(&t.chance) >> 1);
	glk_tsu_damage(&t.model, set * t.model.shape.ways + way);
}

static void run_round(uint64_t seed, uint64_t round)
{
	unsigned gaps;

	chance_start(&t.chance, seed, round);
	set_up();
	gaps = below(&t.chance, 3);
	for (unsigned i = 0; i < OPERATIONS && !t.failure[0];) {
		if (!t.in.valid && t.count < PIPE - 1 && (!gaps || !below(&t.chance, 4 * gaps))) {
			offer();
			i++;
			if (!below(&t.chance, 200))
				damage();
		}
		clock_once();
	}
	while (t.in.valid && !t.failure[0])
		clock_once();
	rest();
	t.same += t.model.same;
}

/* A burst of writes to lines of different sets. */
static void rates(void)
{
	enum { LINES = 4096 };
	uint64_t begin = t.clocks;

	t.in.read_lease = t.model.shape.read_lease = 10;
	t.in.write_lease = t.model.shape.write_lease = 5;
	rest();
	begin = t.clocks;
	for (unsigned i = 0; i < LINES && !t.failure[0];) {
		if (!t.in.valid) {
			t.in = (struct tsu_in){
				.valid = true, .kind = TSU_UNTIMED, .line = i++, .read_lease = 10, .write_lease = 5
			};
		}
		clock_once();
	}
	printf("# %.3f lines a clock\n", LINES / (double)(t.clocks - begin));
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 300);

	t.dut = tsu_dut_create(o.wave);
	t.entries = calloc((size_t)tsu_dut_sets() * tsu_dut_ways(), sizeof(*t.entries));
	if (!t.entries)
		return 2;
	glk_tsu_init(&t.model,
		     &(struct glk_tsu_shape){ .sets = tsu_dut_sets(),
					      .ways = tsu_dut_ways(),
					      .ts_bits = tsu_dut_ts_bits(),
					      .read_lease = 1,
					      .write_lease = 1 },
		     t.entries);
	t.in = (struct tsu_in){ .read_lease = 1, .write_lease = 1 };
	if (o.rates)
		rates();
	/* Rounds continue on one table: --round does not replay a round alone, but draws other numbers. */
	for (uint64_t round = o.first; round < o.first + o.amount && !o.rates && !t.failure[0]; round++) {
		run_round(o.seed, round);
		if (t.failure[0])
			printf("# seed %" PRIu64 ", round %" PRIu64 "\n", o.seed, round);
	}
	printf("# %" PRIu64 " clocks, %" PRIu64 " evictions, %" PRIu64 " epochs, %" PRIu64 " parity errors, %" PRIu64 " refused, %" PRIu64 " same\n",
	       t.clocks, t.evictions, t.epochs, t.errors, t.refused, t.model.same);
	tap_ok(!t.failure[0], "%u sets of %u, times of %u bits, seed %" PRIu64 "%s%s", tsu_dut_sets(),
	       tsu_dut_ways(), tsu_dut_ts_bits(), o.seed, t.failure[0] ? ": " : "", t.failure);
	tsu_dut_destroy(t.dut);
	free(t.entries);
	return tap_end();
}
