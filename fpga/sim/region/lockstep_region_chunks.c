// SPDX-License-Identifier: Apache-2.0
/*
 * Counters and ready lists of regions: arrivals in any clock, often at the same chunk, at the same time takes, walks, accesses
 * of registers, new epochs, failures and new regions. Each operation must find the counter as the operations before it left it,
 * and have the result of a plain reference; lists must be in the order of the appends; at the end of an epoch every chunk was
 * taken whole exactly once.
 *
 * lockstep-region-chunks [--seed N] [--clocks N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "region_chunks_dut.h"

enum { MOST = 64, PATIENCE = 2000, PIPE = 8 };
enum step { CLOSED, WRITING, OPEN, FAILING, RESTARTING };

struct counter {
	unsigned remaining, initial, epoch, state;
	unsigned whole; /* times taken whole in the epoch */
};

struct region {
	enum step step;
	unsigned first, chunks, epoch, left, dirty, listed, finished;
	unsigned list[MOST], head, tail; /* expected order */
	unsigned at, quiet;
	bool failed; /* the epoch that ends */
};

struct arrival {
	unsigned region, chunk, epoch, count;
};

static struct {
	struct region_chunks_dut *dut;
	struct region_chunks_in in;
	struct chance chance;
	struct counter counters[MOST];
	struct region regions[MOST];
	struct arrival pending[PIPE];
	unsigned pending_count, region_count, each, sweep;
	bool taking, transferring, walking;
	unsigned taker, walker, walk_at, waited;
	bool answer, answer_ok, answer_listed, took, took_complete;
	unsigned took_chunk;
	uint64_t looked;
	uint64_t clocks, arrivals, accepted, takes, partial, epochs, failures, opened;
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

static uint64_t word(const struct counter *c)
{
	return (uint64_t)c->state << 34 | (uint64_t)c->epoch << 32 | c->initial << 16 | c->remaining;
}

/* The counter as an operation of `epoch` finds it. */
static void enter_epoch(struct counter *c, unsigned epoch)
{
	if (c->epoch == (epoch & 3))
		return;
	c->remaining = c->initial;
	c->state = GLK_CHUNK_STATE_CLEAN;
	c->epoch = epoch & 3;
	c->whole = 0;
}

static void append(struct region *r, unsigned chunk)
{
	r->list[r->tail++ % MOST] = chunk;
	r->listed++;
}

static void arrive(const struct arrival *a)
{
	struct counter *c = &t.counters[a->chunk];
	struct region *r = &t.regions[a->region];
	struct counter seen = *c;

	enter_epoch(&seen, a->epoch);
	t.answer_ok = a->count && a->count <= seen.remaining;
	t.answer_listed = false;
	if (!t.answer_ok)
		return;
	t.accepted++;
	*c = seen;
	c->remaining -= a->count;
	if (!c->remaining && c->state != GLK_CHUNK_STATE_LISTED) {
		r->dirty -= c->state == GLK_CHUNK_STATE_DIRTY;
		c->state = GLK_CHUNK_STATE_LISTED;
		t.answer_listed = true;
		append(r, a->chunk);
	} else if (c->state == GLK_CHUNK_STATE_CLEAN) {
		c->state = GLK_CHUNK_STATE_DIRTY;
		r->dirty++;
	}
}

static void take(unsigned chunk)
{
	struct region *r = &t.regions[t.taker];
	struct counter *c = &t.counters[chunk];

	check_value("chunk taken", r->head == r->tail ? MOST : r->list[r->head++ % MOST], chunk);
	enter_epoch(c, r->epoch);
	check_value("state of a chunk taken", GLK_CHUNK_STATE_LISTED, c->state);
	t.took_complete = !c->remaining;
	t.took_chunk = chunk;
	c->state = c->remaining ? GLK_CHUNK_STATE_CLEAN : GLK_CHUNK_STATE_SENT;
	c->whole += !c->remaining;
	check_value("times a chunk is sent whole", !c->remaining, c->whole);
	t.takes++;
	t.partial += c->remaining != 0;
}

static void walk(unsigned chunk, bool restart)
{
	struct region *r = &t.regions[t.walker];
	struct counter *c = &t.counters[chunk];
	struct counter seen = *c;

	check_value("chunk walked", r->first + t.walk_at++, chunk);
	enter_epoch(&seen, t.in.walk_epoch);
	if (restart) {
		r->dirty -= seen.state == GLK_CHUNK_STATE_DIRTY;
		*c = (struct counter){ seen.initial, seen.initial, seen.epoch, GLK_CHUNK_STATE_CLEAN, 0 };
	} else if (seen.state == GLK_CHUNK_STATE_DIRTY) {
		r->dirty--;
		*c = seen;
		c->state = GLK_CHUNK_STATE_LISTED;
		append(r, chunk);
	}
}

static void operate(const struct region_chunks_out *out)
{
	struct counter *c = &t.counters[out->chunk];

	if (out->kind == REGION_CLEAR) {
		check_value("counter cleared", t.sweep++, out->chunk);
		*c = (struct counter){ 0 };
		return;
	}
	check_value("counter", word(c), out->before);
	switch (out->kind) {
	case REGION_ARRIVE:
		arrive(&t.pending[0]);
		t.answer = true;
		memmove(t.pending, t.pending + 1, sizeof(t.pending) - sizeof(t.pending[0]));
		t.pending_count--;
		break;
	case REGION_TAKE:
		take(out->chunk);
		t.took = true;
		break;
	case REGION_LIST:
	case REGION_RESTART:
		walk(out->chunk, out->kind == REGION_RESTART);
		break;
	case REGION_SET:
		*c = (struct counter){ .initial = t.in.initial };
		break;
	default:
		t.looked = out->before;
		break;
	}
}

static void judge(const struct region_chunks_out *out)
{
	check_value("answer", t.answer, out->arrived);
	if (t.answer) {
		check_value("arrival accepted", t.answer_ok, out->ok);
		check_value("arrival lists the chunk", t.answer_listed, out->arrival_listed);
	}
	check_value("taken", t.took, out->taken);
	if (t.took) {
		check_value("taken chunk", t.took_chunk, out->taken_chunk);
		check_value("complete", t.took_complete, out->complete);
	}
	t.answer = t.took = false;
	if (out->operation)
		operate(out);
}

static void clock(void)
{
	struct region_chunks_out out;
	bool new_walk = t.in.walk;

	region_chunks_clock(t.dut, &t.in, &out);
	t.clocks++;
	judge(&out);
	t.in.arrive = t.in.take = t.in.finish = t.in.drop = t.in.walk = t.in.fresh = false;
	if (out.taken) {
		t.taking = false;
		t.transferring = true;
		t.regions[t.taker].left -= out.complete;
	}
	if (out.accessed) {
		t.in.access = false;
		if (!t.in.write)
			check_value("counter read", t.looked, out.counter);
	}
	if (t.walking && !new_walk && !out.walking) {
		t.walking = false;
		check_value("chunks walked", t.regions[t.walker].chunks, t.walk_at);
	}
	t.waited = t.taking || t.walking || t.in.access ? t.waited + 1 : 0;
	if (t.waited > PATIENCE)
		fail("an operation does not end", 0, 1);
	for (unsigned k = 0; k < t.region_count; k++)
		if (t.regions[k].step != OPEN && t.regions[k].step != CLOSED)
			t.regions[k].quiet++;
	/* Requests of this clock. */
	unsigned k = below(&t.chance, t.region_count);
	struct region *r = &t.regions[k];
	if (r->step == OPEN && r->head != r->tail && (out.some >> k & 1) && !t.taking && !t.transferring &&
	    below(&t.chance, 4) == 0) {
		t.in.take = t.taking = true;
		t.in.take_region = t.taker = k;
		t.in.take_epoch = r->epoch & 3;
	}
}

/* A region without work: its next epoch, a failure, or its end. */
static void advance(unsigned k)
{
	struct region *r = &t.regions[k];
	bool mine = (t.taking || t.transferring) && t.taker == k;

	switch (r->step) {
	case CLOSED:
		r->step = WRITING;
		r->at = r->epoch = r->dirty = r->listed = r->finished = r->left = r->quiet = 0;
		r->failed = false;
		break;
	case WRITING:
		if (t.in.access || r->quiet < 2 * PIPE || (t.walking && t.walker == k))
			break;
		if (r->at == r->chunks) {
			t.in.fresh = true;
			t.in.fresh_region = k;
			t.opened++;
			r->step = OPEN;
			break;
		}
		t.in.access = t.in.write = true;
		t.in.access_chunk = r->first + r->at++;
		t.in.initial = below(&t.chance, 4);
		break;
	case OPEN:
		if (!r->left && !mine && !t.pending_count) {
			for (unsigned i = r->first; r->epoch && !r->failed && i < r->first + r->chunks; i++)
				if (t.counters[i].initial)
					check_value("times a chunk was sent whole", 1, t.counters[i].whole);
			t.epochs += r->epoch && !r->failed;
			r->failed = false;
			r->epoch++;
			for (unsigned i = r->first; i < r->first + r->chunks; i++)
				r->left += t.counters[i].initial != 0;
			if (!r->left || below(&t.chance, 8) == 0)
				r->step = r->dirty ? OPEN : CLOSED;
		} else if (below(&t.chance, 2000) == 0 && !mine && !(t.walking && t.walker == k)) {
			r->step = FAILING;
			r->quiet = 0;
			t.failures++;
		}
		break;
	case FAILING: /* no arrivals: those on the way have taken effect */
		if (mine || t.walking || r->quiet < 2 * PIPE || t.in.finish)
			break;
		t.in.drop = true;
		t.in.finish_region = k;
		r->head = r->tail;
		r->finished = r->listed;
		t.in.walk = t.in.restart = t.walking = true;
		t.in.walk_region = t.walker = k;
		t.in.walk_epoch = r->epoch & 3;
		t.in.walk_first = r->first;
		t.in.walk_chunks = r->chunks;
		t.walk_at = 0;
		r->step = RESTARTING;
		break;
	default:
		if (!t.walking) {
			check_value("dirty chunks after a restart", 0, r->dirty);
			r->left = 0;
			r->failed = true;
			r->step = OPEN;
		}
		break;
	}
}

static void request(bool quiet)
{
	unsigned k = below(&t.chance, t.region_count);
	struct region *r = &t.regions[k];

	if (r->step == OPEN && r->epoch && !r->failed && !quiet && below(&t.chance, 4)) {
		struct arrival a = { k, r->first + below(&t.chance, below(&t.chance, 2) ? 2 : r->chunks), r->epoch & 3,
				     below(&t.chance, 3) };

		if (a.chunk >= r->first + r->chunks)
			a.chunk = r->first;
		t.in.arrive = true;
		t.in.region = a.region;
		t.in.chunk = a.chunk;
		t.in.epoch = a.epoch;
		t.in.count = a.count;
		t.pending[t.pending_count++] = a;
		t.arrivals++;
	}
	if (t.transferring && !t.in.drop && below(&t.chance, 6) == 0) {
		t.in.finish = true;
		t.in.finish_region = t.taker;
		t.regions[t.taker].finished++;
		t.transferring = false;
	}
	if (!t.walking && !t.in.walk && below(&t.chance, 50) == 0) {
		k = below(&t.chance, t.region_count);
		r = &t.regions[k];
		if (r->step == OPEN && r->epoch && !r->failed) {
			t.in.walk = t.walking = true;
			t.in.restart = false;
			t.in.walk_region = t.walker = k;
			t.in.walk_epoch = r->epoch & 3;
			t.in.walk_first = r->first;
			t.in.walk_chunks = r->chunks;
			t.walk_at = 0;
		}
	}
	if (!t.in.access && below(&t.chance, 20) == 0) {
		t.in.access = true;
		t.in.write = false;
		t.in.access_chunk = below(&t.chance, region_chunks_chunks());
	}
}

static void run(uint64_t clocks)
{
	unsigned first = 0, busy = 0;

	t.region_count = region_chunks_regions();
	t.each = region_chunks_chunks() / t.region_count;
	for (unsigned k = 0; k < t.region_count; k++) {
		t.regions[k].first = first;
		t.regions[k].chunks = k ? t.each : 1; /* one of a single chunk */
		first += t.regions[k].chunks;
	}
	/* An access while the counters are still being cleared. */
	t.in.access = true;
	t.in.access_chunk = region_chunks_chunks() - 1;
	while (t.in.access && t.clocks < PATIENCE && !t.failure[0])
		clock();
	check_value("counters cleared", region_chunks_chunks(), t.sweep);
	while (t.clocks < clocks && !t.failure[0]) {
		if (t.clocks % 256 == 0)
			busy = below(&t.chance, 4);
		clock();
		advance(below(&t.chance, t.region_count));
		request(busy == 0 || (busy == 1 && t.clocks % 16 > 3));
	}
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "clocks", 400000);

	chance_start(&t.chance, o.seed, o.first);
	t.dut = region_chunks_create(o.wave);
	run(o.amount);
	printf("# seed %" PRIu64 ": %" PRIu64 " arrivals, %" PRIu64 " accepted, %" PRIu64 " takes, %" PRIu64 " partial, %" PRIu64 " epochs, %" PRIu64
	       " failures, %" PRIu64 " regions\n",
	       o.seed, t.arrivals, t.accepted, t.takes, t.partial, t.epochs, t.failures, t.opened);
	if (!t.failure[0] && (!t.accepted || !t.partial || !t.epochs || !t.failures || t.opened <= t.region_count))
		fail("something was never reached", 1, 0);
	if (t.failure[0])
		bench_reproduce(&o, o.first, t.failure);
	check(!t.failure[0], "counters and lists of chunks");
	region_chunks_destroy(t.dut);
	return tap_end();
}
