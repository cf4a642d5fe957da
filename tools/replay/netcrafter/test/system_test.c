// SPDX-License-Identifier: Apache-2.0
/*
 * The system that is played: latencies counted by hand, sizes that are Table 1's, and of random requests with every part on
 * and off that each is answered, the same each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <chance.h>

#include "finepack/partition.h"
#include "variant.h"

enum { PAGE_LINES = 64, GPUS = 4 };

struct bench {
	struct requests requests;
	uint32_t last[UNITS_MAX];
	uint32_t asked[UNITS_MAX];
	struct netcrafter_setting plain;
};

static int begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->requests.gpus = GPUS;
	netcrafter_setting_default(&b->plain);
	b->plain = netcrafter_variant_setting(netcrafter_variant_named("plain"), &b->plain);
	assert_int_equal(requests_add_phase(&b->requests, 0), 0);
	for (unsigned i = 0; i < GPUS; i++) {
		b->last[i] = NO_REQUEST;
		assert_int_equal(requests_add_unit(&b->requests, i), 0);
	}
	*state = b;
	return 0;
}

static int end(void **state)
{
	struct bench *b = *state;

	requests_free(&b->requests);
	free(b);
	return 0;
}

/* A request of the GPU's first unit, that does not wait for any answer. */
static void ask(struct bench *b, unsigned gpu, unsigned destination, enum request_kind kind, uint32_t line, uint64_t mask)
{
	const struct request request = { .mask = mask, .line = line, .unit = (uint16_t)gpu, .kind = (uint8_t)kind,
					 .destination = (uint8_t)destination };
	uint32_t number = (uint32_t)b->requests.count;

	assert_int_equal(requests_add(&b->requests, &request, b->last[gpu]), 0);
	b->last[gpu] = number;
	b->asked[gpu]++;
}

static struct netcrafter_result play(const struct bench *b, const struct netcrafter_setting *setting)
{
	struct netcrafter_result result;

	assert_int_equal(netcrafter_run(&b->requests, setting, &result), 0);
	return result;
}

static uint64_t flits_in(const struct netcrafter_result *r)
{
	uint64_t flits = 0;

	for (unsigned kind = 0; kind < GLK_KIND_COUNT; kind++)
		flits += r->link.flits_in[kind];
	return flits;
}

/*
 * GPU 0 reads a line of GPU 2, the other cluster's. Translation: 21 ns until the walk begins, two accesses to its own memory
 * of 200 ns (it has nothing in its cache), two to GPU 2. Each of these: a port of 1/8 ns, a switch of 30, the flit, which
 * leaves in the nanosecond that comes next, 30, 1/8: 61 1/8; 200; and back: 322 in all. Then the read: 61 1/8 there, 200,
 * and 5 flits back, with 5/8 for a port.
 */
static void a_read_across(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result r;

	ask(b, 0, 2, REQUEST_READ, 0, 0xf);
	r = play(b, &b->plain);
	assert_int_equal(r.translation.count, 2);
	assert_true(latency_mean(&r.translation) == 322);
	assert_int_equal(r.access.count, 1);
	assert_true(latency_mean(&r.access) == 327);
	assert_int_equal(r.time_ns, 21 + 400 + 644 + 327);
	assert_int_equal(r.walks, 1);
	assert_int_equal(r.walk_accesses, 4);
	assert_int_equal(r.walk_crossings, 2);
	assert_int_equal(flits_in(&r), 2 + 2 + 1 + 5);
	netcrafter_result_free(&r);
}

/* Its own cluster's: nothing crosses, not even the page table, whose upper pages lie with GPU 0. */
static void a_read_beside(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result r;

	ask(b, 0, 1, REQUEST_READ, 0, 0xf);
	r = play(b, &b->plain);
	assert_int_equal(flits_in(&r), 0);
	assert_int_equal(r.access.count, 0);
	assert_int_equal(r.walk_accesses, 4);
	/* each way 30 1/4, and 31 1/4 back with a line */
	assert_int_equal(r.time_ns, 21 + 400 + 2 * (30 + 200 + 30) + 1 + 30 + 200 + 31);
	netcrafter_result_free(&r);
}

/* A walk's upper levels are known after the first, in the same 2 MB three, in the same GB two. */
static void walks_know_what_came_before(void **state)
{
	static const struct {
		uint32_t line;
		unsigned accesses;
	} next[] = { { 1, 0 }, { PAGE_LINES, 1 }, { 512 * PAGE_LINES, 2 }, { 512 * 512 * PAGE_LINES, 3 } };
	struct bench *b = *state;
	unsigned accesses = 4;

	ask(b, 2, 0, REQUEST_READ, 0, 1);
	for (unsigned i = 0; i < 4; i++) {
		struct netcrafter_result r;

		ask(b, 2, 0, REQUEST_READ, next[i].line, 1);
		b->requests.list[i + 1].needs = i + 1;
		accesses += next[i].accesses;
		r = play(b, &b->plain);
		assert_int_equal(r.walk_accesses, accesses);
		assert_int_equal(r.walk_crossings, accesses);
		netcrafter_result_free(&r);
	}
}

/* What is not known when many ask at once is looked up once for each page. */
static void one_walk_for_a_page(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result r;

	for (uint32_t i = 0; i < 200; i++)
		ask(b, 0, 2, REQUEST_WRITE, i % 100 * PAGE_LINES, UINT64_MAX); /* more pages than there are places for walks */
	r = play(b, &b->plain);
	assert_int_equal(r.walks, 100);
	assert_int_equal(r.crossing[REQUEST_WRITE], 200);
	netcrafter_result_free(&r);
}

/* A TLB that is too small forgets. */
static void a_small_tlb_forgets(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result r;

	for (uint32_t i = 0; i < 200; i++) {
		ask(b, 0, 2, REQUEST_WRITE, i % 100 * PAGE_LINES, UINT64_MAX);
		b->requests.list[i].needs = i;
	}
	r = play(b, &b->plain);
	assert_int_equal(r.walks, 100);
	netcrafter_result_free(&r);
	b->plain.tlb_entries = 8;
	r = play(b, &b->plain);
	assert_int_equal(r.walks, 200);
	netcrafter_result_free(&r);
	for (uint32_t i = 0; i < 200; i++) /* ten pages in turn: the GPU has 8 of them, a unit 32 or fewer */
		b->requests.list[i].line = i % 10 * PAGE_LINES;
	r = play(b, &b->plain);
	assert_int_equal(r.walks, 10);
	netcrafter_result_free(&r);
	b->plain.unit_tlb_entries = 8;
	r = play(b, &b->plain);
	assert_true(r.walks > 100);
	netcrafter_result_free(&r);
}

/* Table 1: bytes required and occupied. */
static void sizes(void **state)
{
	static const struct {
		enum glk_kind kind;
		unsigned required, flits;
	} table[] = {
		{ GLK_KIND_READ_REQUEST, 12, 1 },	 { GLK_KIND_READ_RESPONSE, 68, 5 },
		{ GLK_KIND_WRITE_REQUEST, 76, 5 },	 { GLK_KIND_WRITE_RESPONSE, 4, 1 },
		{ GLK_KIND_TRANSLATION_REQUEST, 12, 1 }, { GLK_KIND_TRANSLATION_RESPONSE, 12, 1 },
		{ GLK_KIND_ATOMIC_REQUEST, 28, 2 },	 { GLK_KIND_ATOMIC_RESPONSE, 12, 1 },
	};
	struct bench *b = *state;
	struct netcrafter_result r;
	uint64_t flits = 0;

	for (uint32_t i = 0; i < 300; i++)
		ask(b, i % 2, 2 + i / 2 % 2, (enum request_kind)(i % REQUEST_KINDS), i * 7, 0xf0);
	r = play(b, &b->plain);
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t packets = r.link.packets[table[i].kind];

		assert_true(packets > 0);
		assert_int_equal(r.link.bytes_in[table[i].kind], packets * table[i].required);
		assert_int_equal(r.link.flits_in[table[i].kind], packets * table[i].flits);
		flits += packets * table[i].flits;
	}
	assert_int_equal(r.link.flits_out, flits);
	assert_int_equal(r.padded[4] + r.padded[12], r.link.flits_padded);
	assert_int_equal(r.link.packets[GLK_KIND_READ_REQUEST], 100);
	netcrafter_result_free(&r);
}

static void trimming(void **state)
{
	static const struct {
		unsigned sector, trimmed, bytes;
	} cases[] = { { 0, 0, 0 }, { 4, 1, 60 }, { 8, 2, 112 }, { 16, 3, 144 }, { 32, 4, 128 } };
	struct bench *b = *state;

	ask(b, 0, 2, REQUEST_READ, 0, 0xf);		   /* 4 bytes */
	ask(b, 0, 2, REQUEST_READ, 1, 0x18);		   /* 2, across 4 */
	ask(b, 0, 2, REQUEST_READ, 2, 1ULL << 23 | 1ULL << 24); /* across 8 */
	ask(b, 0, 2, REQUEST_READ, 3, 0xffffffff00000000); /* half */
	ask(b, 0, 2, REQUEST_READ, 4, UINT64_MAX);
	ask(b, 0, 1, REQUEST_READ, 0, 0xf); /* does not cross */
	for (unsigned i = 0; i < 5; i++) {
		struct netcrafter_result r;

		b->plain.trim_bytes = cases[i].sector;
		r = play(b, &b->plain);
		assert_int_equal(r.trimmed, cases[i].trimmed);
		assert_int_equal(r.trimmed_bytes, cases[i].bytes);
		assert_int_equal(r.link.bytes_in[GLK_KIND_READ_RESPONSE], 5 * 68 - cases[i].bytes);
		netcrafter_result_free(&r);
	}
}

static void reads_by_need(void **state)
{
	struct bench *b = *state;
	struct netcrafter_reads reads;

	ask(b, 0, 2, REQUEST_READ, 0, 0xffff);
	ask(b, 0, 2, REQUEST_READ, 1, 0x1fffe);
	ask(b, 0, 2, REQUEST_READ, 2, 0x1ffff);
	ask(b, 0, 3, REQUEST_READ, 3, UINT64_MAX);
	ask(b, 0, 1, REQUEST_READ, 3, 1);
	ask(b, 0, 3, REQUEST_WRITE, 3, 1);
	netcrafter_reads(&b->requests, &reads);
	assert_int_equal(reads.by_bytes[0], 2);
	assert_int_equal(reads.by_bytes[1], 1);
	assert_int_equal(reads.by_bytes[3], 1);
	assert_int_equal(reads.in_sector[2], 1);
	assert_int_equal(reads.in_sector[3], 3);
}

/* A unit has 32 reads under way: the 33rd goes when the first is answered. */
static void misses_are_limited(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result few, more;

	for (uint32_t i = 0; i < MISSES; i++)
		ask(b, 0, 2, REQUEST_READ, i, 1);
	few = play(b, &b->plain);
	ask(b, 0, 2, REQUEST_READ, MISSES, 1);
	more = play(b, &b->plain);
	assert_true(more.time_ns > few.time_ns + 100); /* a read of its own, behind them */
	netcrafter_result_free(&few);
	netcrafter_result_free(&more);
}

static void take_stream(struct bench *b, const struct replay_op *ops, size_t count)
{
	struct failure error = { 0 };
	struct requests_stream *stream;
	struct replay_sink sink;

	requests_free(&b->requests);
	b->requests.gpus = GPUS;
	assert_int_equal(requests_stream_begin(&b->requests, &stream), 0);
	sink = requests_stream_sink(stream);
	assert_int_equal(sink.take(sink.user, ops, count), 0);
	assert_int_equal(requests_stream_end(stream, 0, &error), 0);
}

/* Its phases take what they took where communication costs nothing, and what is asked at their end. */
static void a_stream_has_its_own_time(void **state)
{
	static const struct replay_op ops[] = {
		{ .time_ps = 1000000, .kind = REPLAY_STORE, .size = 64, .source = 0, .destination = 2 },
		{ .time_ps = 5000000, .kind = REPLAY_BARRIER },
		{ .time_ps = 6000000, .kind = REPLAY_STORE, .size = 64, .source = 0, .destination = 2 },
	};
	struct bench *b = *state;
	struct netcrafter_result r;

	take_stream(b, ops, 3);
	r = play(b, &b->plain);
	assert_in_range(r.time_ns, 6100, 6500); /* 5 us and 1, and a store with its answer */
	netcrafter_result_free(&r);
}

/* A GPU that waits for a release computes that much later, and so all go on that much later. */
static void what_is_held_makes_a_phase_longer(void **state)
{
	static const struct replay_op ops[] = {
		{ .time_ps = 0, .kind = REPLAY_STORE, .size = 64, .source = 0, .destination = 2 },
		{ .time_ps = 1000, .kind = REPLAY_RELEASE, .source = 0, .destination = 2 },
		{ .time_ps = 1000, .kind = REPLAY_STORE, .size = 64, .source = 0, .destination = 2 },
		{ .time_ps = 9000000, .kind = REPLAY_BARRIER },
	};
	struct netcrafter_result first, r;
	struct bench *b = *state;

	ask(b, 0, 2, REQUEST_WRITE, 0, UINT64_MAX);
	first = play(b, &b->plain);
	take_stream(b, ops, 4);
	r = play(b, &b->plain);
	assert_int_equal(r.time_ns, 9000 + first.time_ns - 1);
	netcrafter_result_free(&first);
	netcrafter_result_free(&r);
}

static void a_phase_has_a_tail(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result without, with;

	ask(b, 0, 2, REQUEST_WRITE, 0, UINT64_MAX);
	without = play(b, &b->plain);
	b->requests.phases[0].tail = 1000 * TICKS_NS;
	assert_int_equal(requests_add_phase(&b->requests, 300 * TICKS_NS), 0);
	with = play(b, &b->plain);
	assert_int_equal(with.time_ns, without.time_ns + 1300);
	netcrafter_result_free(&without);
	netcrafter_result_free(&with);
}

/* Where the link is overrun by stores, a walk takes as long as them, unless it goes first. */
static void sequencing(void **state)
{
	struct bench *b = *state;
	struct netcrafter_result r;

	for (uint32_t i = 0; i < 4000; i++)
		ask(b, i % 2, 2, REQUEST_WRITE, i, UINT64_MAX);
	r = play(b, &b->plain);
	assert_true(r.translation.most_ns > 3000);
	netcrafter_result_free(&r);
	b->plain.sequencing = true;
	r = play(b, &b->plain);
	assert_true(r.translation.most_ns < 1000);
	netcrafter_result_free(&r);
}

/* Stores of a page in one packet: lines of 128 bytes, each with a sub-header, a header, and to a multiple of 4. */
static void packing(void **state)
{
	enum {
		LINES = 60,
		PAYLOAD = LINES * 64 + LINES / 2 * GLK_PARTITION_SUBHEADER_BYTES_PAPER,
		BYTES = 16 + (PAYLOAD + 3) / 4 * 4
	};
	struct bench *b = *state;
	struct netcrafter_result r;

	for (uint32_t i = 0; i < LINES; i++)
		ask(b, 0, 2, REQUEST_WRITE, i, UINT64_MAX);
	b->plain.packed = true;
	b->plain.sequencing = true;
	b->plain.between = 1;
	r = play(b, &b->plain);
	assert_int_equal(r.stores_packed, LINES);
	assert_int_equal(r.link.packets[GLK_KIND_FINEPACK], 1);
	assert_int_equal(r.link.bytes_in[GLK_KIND_FINEPACK], BYTES);
	assert_int_equal(r.link.packets[GLK_KIND_WRITE_REQUEST] + r.link.packets[GLK_KIND_WRITE_RESPONSE], 0);
	assert_int_equal(r.link.bytes_in[GLK_KIND_RELEASE], 12);
	assert_int_equal(r.link.bytes_in[GLK_KIND_RELEASED], 4);
	assert_true(r.time_ns > BYTES + 16); /* a byte a nanosecond, and the release's answer after it */
	netcrafter_result_free(&r);
}

/* A load of what was stored before sends the stores first. */
static void a_load_behind_stores(void **state)
{
	struct bench *b = *state;

	b->plain.packed = true;
	for (unsigned i = 0; i < 2; i++) {
		struct netcrafter_result r;

		ask(b, 0, 2, REQUEST_WRITE, 100 * i, UINT64_MAX);
		ask(b, 0, 2, REQUEST_READ, 100 * i + i, UINT64_MAX); /* the line, or the next */
		ask(b, 0, 2, REQUEST_WRITE, 100 * i + 50, UINT64_MAX);
		b->requests.list[3 * i + 1].gap = b->requests.list[3 * i + 2].gap = 10000 * TICKS_NS;
		r = play(b, &b->plain);
		assert_int_equal(r.link.packets[GLK_KIND_FINEPACK], 2);
		netcrafter_result_free(&r);
	}
}

/* ---- All of it, by chance ---- */

static void random_requests(struct bench *b, struct chance *chance)
{
	unsigned pages = 1 + below(chance, 200), count = 200 + below(chance, 2000);

	for (unsigned i = 0; i < count; i++) {
		unsigned gpu = below(chance, GPUS), to = (gpu + 1 + below(chance, GPUS - 1)) % GPUS;
		uint64_t mask = draw(chance) >> below(chance, 64);
		struct request *r;

		ask(b, gpu, to, (enum request_kind)(below(chance, 8) ? below(chance, 2) : REQUEST_ATOMIC),
		    below(chance, pages * PAGE_LINES), mask ? mask : 1);
		r = &b->requests.list[b->requests.count - 1];
		r->gap = below(chance, 3) ? 0 : below(chance, 40) * TICKS_NS;
		r->needs = b->asked[gpu] > 20 && below(chance, 2) ? b->asked[gpu] - 20 : 0;
		if (below(chance, 300) == 0)
			assert_int_equal(requests_add_phase(&b->requests, below(chance, 1000)), 0);
	}
}

static void check_counters(const struct bench *b, const struct netcrafter_setting *setting, const struct netcrafter_result *r)
{
	const struct glk_cluster_queue_counters *c = &r->link;
	uint64_t stitched = 0, crossing = r->crossing[0] + r->crossing[1] + r->crossing[2];

	for (unsigned kind = 0; kind < GLK_KIND_COUNT; kind++)
		stitched += c->stitched[kind];
	assert_int_equal(flits_in(r), c->flits_out + stitched);
	assert_int_equal(c->packets[GLK_KIND_READ_REQUEST], c->packets[GLK_KIND_READ_RESPONSE]);
	assert_int_equal(c->packets[GLK_KIND_WRITE_REQUEST], c->packets[GLK_KIND_WRITE_RESPONSE]);
	assert_int_equal(c->packets[GLK_KIND_TRANSLATION_REQUEST], r->walk_crossings);
	assert_int_equal(c->packets[GLK_KIND_TRANSLATION_RESPONSE], r->walk_crossings);
	assert_int_equal(c->packets[GLK_KIND_RELEASE], c->packets[GLK_KIND_RELEASED]);
	assert_int_equal(r->access.count, crossing);
	assert_int_equal(r->stores_packed, setting->packed ? r->crossing[REQUEST_WRITE] : 0);
	assert_int_equal(c->packets[GLK_KIND_WRITE_REQUEST] + r->stores_packed, r->crossing[REQUEST_WRITE]);
	assert_true(setting->stitching || stitched == 0);
	assert_true(setting->trim_bytes || r->trimmed == 0);
	assert_int_equal(r->first.count, setting->data_first < crossing ? setting->data_first : crossing);
	assert_true(r->utilisation <= 1);
	assert_true(crossing <= b->requests.count);
}

static void random_setting(struct netcrafter_setting *s, struct chance *chance)
{
	static const uint8_t sectors[] = { 0, 4, 8, 16, 32 };
	unsigned any = below(chance, 64);

	netcrafter_setting_default(s);
	s->between = 1u << below(chance, 8);
	s->flit_bytes = below(chance, 4) ? 16 : 8;
	s->queue_entries = below(chance, 2) ? 1024 : 600; /* a FinePack packet in flits of 8 needs 514 */
	s->clocks = 1 + below(chance, 4);
	s->pool_ns = below(chance, 33);
	s->trim_bytes = sectors[below(chance, 5)];
	s->tlb_entries = 8u << below(chance, 7);
	s->unit_tlb_entries = 1u << below(chance, 6);
	s->stitching = any & 1;
	s->pooling = any & 2;
	s->selective = any & 4;
	s->sequencing = any & 8;
	s->yielding = any & 16;
	s->packed = any & 32;
	s->tuned = s->pool_ns && below(chance, 2);
	s->data_first = below(chance, 2) ? below(chance, 500) : 0;
	s->seed = draw(chance);
}

static void all_is_answered(void **state)
{
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	print_message("# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 60; round++) {
		struct netcrafter_result one, again;
		struct netcrafter_setting setting;
		struct chance chance;
		struct bench *b;

		assert_int_equal(end(state) | begin(state), 0);
		b = *state;
		chance_start(&chance, seed, round);
		random_requests(b, &chance);
		random_setting(&setting, &chance);
		b->requests.windowed = below(&chance, 2);
		one = play(b, &setting);
		check_counters(b, &setting, &one);
		again = play(b, &setting);
		assert_int_equal(one.time_ns, again.time_ns);
		assert_memory_equal(&one.link, &again.link, sizeof(one.link));
		assert_memory_equal(one.access.of_ns, again.access.of_ns, (LATENCY_NS_MAX + 1) * sizeof(*one.access.of_ns));
		netcrafter_result_free(&one);
		netcrafter_result_free(&again);
	}
}

static void settings_that_can_not_be(void **state)
{
	struct bench *b = *state;
	struct netcrafter_setting setting = b->plain;
	struct netcrafter_result r;

	ask(b, 0, 2, REQUEST_READ, 0, 1);
	setting.queue_entries = 1;
	assert_int_equal(netcrafter_run(&b->requests, &setting, &r), -22);
	setting = b->plain;
	setting.pool_ns = 128;
	assert_true(netcrafter_pool_valid(&setting));
	setting.between = 512;
	assert_false(netcrafter_pool_valid(&setting));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_read_across), TEST(a_read_beside), TEST(walks_know_what_came_before), TEST(one_walk_for_a_page),
		TEST(a_small_tlb_forgets), TEST(sizes), TEST(trimming), TEST(reads_by_need), TEST(misses_are_limited),
		TEST(a_stream_has_its_own_time),
		TEST(what_is_held_makes_a_phase_longer), TEST(a_phase_has_a_tail), TEST(sequencing), TEST(packing),
		TEST(a_load_behind_stores), TEST(all_is_answered), TEST(settings_that_can_not_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
