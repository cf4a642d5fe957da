// SPDX-License-Identifier: Apache-2.0
/* The comparison: streams whose bytes can be counted by hand, and what holds for any stream. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "comparison.h"
#include "parallel.h"

enum { P2P, COMBINING, DMA, FINEPACK, OWN, CONFIG, NARROW, PACKING, PACKING_COMPACT, ALL };

static const struct paradigm *const everything[] = {
	&paradigm_p2p, &paradigm_write_combining, &paradigm_dma, &paradigm_finepack, &paradigm_compact,
	&paradigm_config_packet, &paradigm_narrow, &paradigm_packing, &paradigm_packing_compact, NULL,
};

static struct comparison *start(unsigned gpus, unsigned width)
{
	struct setting setting = { .link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = width };
	struct comparison *c = comparison_create(gpus, &setting, everything, NULL);

	assert_non_null(c);
	return c;
}

static int give(struct comparison *c, struct replay_op op)
{
	struct replay_sink sink = comparison_sink(c);

	return sink.take(sink.user, &op, 1);
}

static struct replay_op store(unsigned from, unsigned to, uint64_t address, uint32_t size)
{
	return (struct replay_op){
		.kind = REPLAY_STORE, .source = (uint8_t)from, .destination = (uint8_t)to, .address = address, .size = size
	};
}

static void by_hand(void **state)
{
	struct comparison *c = start(2, 5);
	struct result r;

	(void)state;
	/* Ten stores of 8 bytes in ten lines, one of them twice. */
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(give(c, store(0, 1, i * 256, 8)), 0);
	assert_int_equal(give(c, store(0, 1, 0, 8)), 0);
	assert_int_equal(comparison_end(c), 0);
	assert_int_equal(comparison_counts(c)->stores, 11);
	assert_int_equal(comparison_counts(c)->store_bytes, 88);
	assert_int_equal(comparison_counts(c)->unique_bytes, 80);
	assert_int_equal(comparison_counts(c)->lower_bound_bytes, 24 + 80);
	r = comparison_result(c, P2P);
	assert_int_equal(r.wire_bytes, 11 * 32);
	assert_int_equal(r.useful_bytes, 80);
	assert_int_equal(r.wasted_bytes, 8);
	assert_int_equal(r.protocol_bytes, 11 * 24);
	assert_int_equal(r.packets, 11);
	r = comparison_result(c, COMBINING);
	assert_int_equal(r.wire_bytes, 10 * 32);
	assert_int_equal(r.wasted_bytes, 0);
	r = comparison_result(c, DMA); /* one page was touched */
	assert_int_equal(r.wire_bytes, 24 + 4096);
	assert_int_equal(r.wasted_bytes, 4096 - 80);
	r = comparison_result(c, FINEPACK);
	assert_int_equal(r.packets, 1);
	assert_int_equal(r.wire_bytes, 24 + (10 * 13 + 3) / 4 * 4);
	assert_true(r.stores_per_packet == 11);
	r = comparison_result(c, OWN); /* 1 bit for the first run; 2 + 7 + 1 for one behind a gap of 31 units; 8 like it */
	assert_int_equal(r.wire_bytes, 24 + ((1 + 10 + 8 + 7) / 8 + 80 + 3) / 4 * 4);
	r = comparison_result(c, CONFIG);
	assert_int_equal(r.wire_bytes, 24 + (10 * 13 + 3) / 4 * 4 + 10 * 10);
	assert_int_equal(r.packets, 11);
	r = comparison_result(c, NARROW); /* 16 KiB hold all ten: H = 3 */
	assert_int_equal(r.wire_bytes, 24 + (10 * 11 + 3) / 4 * 4);
	comparison_free(c);
}

static uint64_t padded(unsigned payload)
{
	return 24 + (payload + 3) / 4 * 4;
}

/* The same runs in each packet, which leaves in the form that takes less; a run that is alone in its packet has neither. */
static void packing_by_hand(void **state)
{
	struct comparison *c = start(2, 5);

	(void)state;
	for (unsigned i = 0; i < 64; i++) /* 37 runs fit, with sub-headers */
		assert_int_equal(give(c, store(0, 1, 256 * i, 104)), 0);
	assert_int_equal(comparison_end(c), 0);
	assert_int_equal(comparison_result(c, PACKING).packets, 2);
	assert_int_equal(comparison_result(c, PACKING).wire_bytes, padded(37 * 109) + padded(27 * 109));
	/* 13 units of 8 bytes: 6 bits; 2, 7 for a gap of 19 units, and 6 again; 1 bit for each other run. */
	assert_int_equal(comparison_result(c, PACKING_COMPACT).wire_bytes, padded(37 * 104 + 7) + padded(27 * 104 + 6));
	comparison_free(c);

	c = start(2, 5);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(give(c, store(0, 1, 128 * i, 128)), 0);
	assert_int_equal(comparison_end(c), 0);
	assert_int_equal(comparison_result(c, PACKING).wire_bytes, 24 + 20 * 128);
	assert_int_equal(comparison_result(c, PACKING_COMPACT).wire_bytes, 24 + 20 * 128);
	comparison_free(c);
}

/* A mostly stored line costs less when sent whole. */
static void combining_whole_lines(void **state)
{
	struct comparison *c = start(2, 5);
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(give(c, store(1, 0, 128 * 7 + i * 16, 8)), 0);
	assert_int_equal(comparison_end(c), 0);
	r = comparison_result(c, COMBINING);
	assert_int_equal(r.wire_bytes, 24 + 128);
	assert_int_equal(r.wasted_bytes, 64);
	assert_int_equal(r.packets, 1);
	comparison_free(c);
}

/* Of 64 lines the one that was stored least recently leaves for a new one, not the one that came first. */
static void combining_keeps_what_is_stored_again(void **state)
{
	struct comparison *c = start(2, 5);

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(give(c, store(0, 1, 128 * i, 8)), 0);
	for (unsigned i = 64; i < 200; i++) { /* lines 0 and 7 before each new one */
		assert_int_equal(give(c, store(0, 1, 8, 8)), 0);
		assert_int_equal(give(c, store(0, 1, 128 * 7, 8)), 0);
		assert_int_equal(give(c, store(0, 1, 128 * i, 8)), 0);
	}
	assert_int_equal(comparison_end(c), 0);
	assert_int_equal(comparison_result(c, COMBINING).packets, 200); /* each line once, line 0 as a run of 16 bytes */
	assert_int_equal(comparison_result(c, COMBINING).wire_bytes, 200 * 32 + 8);
	comparison_free(c);
}

/* A load waits for the bytes that it asks for, not for others of their line: with the line resident, before and behind what is
 * stored. */
static void combining_loads_beside_what_is_stored(void **state)
{
	static const struct {
		uint64_t address;
		uint32_t size;
		bool sends;
	} loads[] = { { 0, 32, false }, { 48, 80, false }, { 128, 32, false }, { 47, 1, true },
		      { 0, 33, true },	{ 32, 1, true },   { 0, 128, true } };

	(void)state;
	for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		struct comparison *c = start(2, 5);
		struct replay_op load = {
			.kind = REPLAY_LOAD, .destination = 1, .address = loads[i].address, .size = loads[i].size
		};

		assert_int_equal(give(c, store(0, 1, 32, 16)), 0);
		assert_int_equal(give(c, load), 0);
		assert_int_equal(give(c, store(0, 1, 32, 16)), 0);
		assert_int_equal(comparison_end(c), 0);
		assert_int_equal(comparison_result(c, COMBINING).packets, loads[i].sends ? 2 : 1);
		assert_int_equal(comparison_result(c, FINEPACK).packets, loads[i].sends ? 2 : 1);
		comparison_free(c);
	}
}

static void copies_are_dma(void **state)
{
	struct comparison *c = start(3, 5);
	struct replay_op copy = { .kind = REPLAY_COPY, .source = 2, .destination = 0, .address = 4096, .size = 10000 };
	struct result r;

	(void)state;
	assert_int_equal(give(c, store(2, 0, 4096, 4)), 0);
	assert_int_equal(give(c, copy), 0);
	assert_int_equal(comparison_end(c), 0);
	r = comparison_result(c, DMA);
	assert_int_equal(r.wire_bytes, 3 * 24 + 10000);
	assert_int_equal(r.useful_bytes, 4);
	assert_int_equal(r.packets, 3);
	comparison_free(c);
}

static void loads_flush_what_they_hit(void **state)
{
	struct comparison *c = start(2, 5);
	struct replay_op load = { .kind = REPLAY_LOAD, .source = 0, .destination = 1, .address = 8, .size = 8 };

	(void)state;
	assert_int_equal(give(c, store(0, 1, 0, 16)), 0);
	assert_int_equal(give(c, load), 0);
	assert_int_equal(give(c, store(0, 1, 0, 16)), 0);
	load.address = 64;
	assert_int_equal(give(c, load), 0); /* asks for what is not queued */
	assert_int_equal(give(c, store(0, 1, 16, 16)), 0);
	assert_int_equal(comparison_end(c), 0);
	assert_int_equal(comparison_result(c, FINEPACK).packets, 2);
	assert_int_equal(comparison_result(c, COMBINING).packets, 2);
	assert_int_equal(comparison_counts(c)->alike_bytes, 2 * (24 + 20 + 8));
	comparison_free(c);
}

static void refusals(void **state)
{
	static const struct replay_op bad[] = {
		{ .kind = 0, .source = 0, .destination = 1, .size = 4 },
		{ .kind = 7, .source = 0, .destination = 1, .size = 4 },
		{ .kind = REPLAY_STORE, .source = 0, .destination = 0, .size = 4 },
		{ .kind = REPLAY_STORE, .source = 0, .destination = 2, .size = 4 },
		{ .kind = REPLAY_STORE, .source = 200, .destination = 1, .size = 4 },
		{ .kind = REPLAY_STORE, .source = 0, .destination = 1, .size = 0 },
		{ .kind = REPLAY_STORE, .source = 0, .destination = 1, .size = 129 },
		{ .kind = REPLAY_STORE, .source = 0, .destination = 1, .address = 126, .size = 4 },
		{ .kind = REPLAY_STORE, .source = 0, .destination = 1, .address = REPLAY_ADDRESS_END, .size = 4 },
		{ .kind = REPLAY_ATOMIC, .source = 0, .destination = 1, .size = 16 },
		{ .kind = REPLAY_COPY, .source = 0, .destination = 1, .size = 0 },
		{ .kind = REPLAY_RELEASE, .source = 0, .destination = 1, .size = 1 },
		{ .kind = REPLAY_BARRIER, .source = 1 },
	};
	struct comparison *c = start(2, 5);

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(give(c, bad[i]), -EINVAL);
	comparison_free(c);
}

static struct replay_op by_chance(struct chance *c, unsigned gpus)
{
	struct replay_op op = store(below(c, gpus), 0, below(c, 4) ? below(c, 1 << 14) : below(c, 1 << 28), 1 + below(c, 128));
	unsigned room = 128 - (unsigned)(op.address % 128);

	op.destination = (uint8_t)((op.source + 1u + below(c, gpus - 1)) % gpus);
	if (op.size > room)
		op.size = room;
	switch (below(c, 200)) {
	case 0: return (struct replay_op){ .kind = REPLAY_BARRIER };
	case 1:
		return (struct replay_op){ .kind = REPLAY_RELEASE, .source = op.source, .destination = op.destination };
	case 2: op.kind = REPLAY_LOAD; return op;
	default: return op;
	}
}

/* The last operation is no barrier, and what computed longest sent nothing: the time is its. */
static void time_without_a_barrier(void **state)
{
	struct setting setting = { .link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5 };
	struct timing_setting timing = { .bytes_per_second = 32e9, .latency_ps = 1000, .buffer_bytes = 1 << 16 };
	struct comparison *c = comparison_create(3, &setting, everything, &timing);
	struct replay_op first = store(0, 1, 0, 4), last = store(2, 1, 0, 4);

	(void)state;
	assert_non_null(c);
	first.time_ps = 1000;
	last.time_ps = 50000000;
	assert_int_equal(give(c, first), 0);
	assert_int_equal(give(c, last), 0);
	assert_int_equal(comparison_end(c), 0);
	for (unsigned i = 0; i < ALL; i++)
		assert_in_range(comparison_result(c, i).time_ps, last.time_ps, last.time_ps + 1000000);
	comparison_free(c);
}

/* One operation that is none: the share whose it is says so, to the one who pushes or at the end, whatever block it is in. */
static void a_share_refuses(void **state)
{
	static const unsigned places[] = { 0, 32767, 32768, 100000, 199999 };
	const struct setting setting = { .link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5 };

	(void)state;
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct parallel *p = parallel_create(3, 4, &setting, everything);
		struct comparison *result = NULL;
		struct replay_sink sink;
		int refused = 0, ended;

		assert_non_null(p);
		sink = parallel_sink(p);
		for (unsigned k = 0; k < 200000 && !refused; k++) {
			struct replay_op op = store(k % 4, (k + 1) % 4, k % 1000 * 128, k == places[i] ? 129 : 8);

			refused = sink.take(sink.user, &op, 1);
			assert_true(!refused || k > places[i]);
		}
		ended = parallel_end(p, &result);
		assert_int_equal(refused ? refused : ended, -EINVAL);
		assert_int_equal(ended, -EINVAL);
		assert_null(result);
	}
}

/* Of each size one store. */
static void classes_of_sizes(void **state)
{
	static const unsigned expected[STORE_CLASSES] = { 4, 4, 8, 16, 32, 64 };
	struct comparison *c = start(2, 5);

	(void)state;
	for (uint32_t size = 1; size <= 128; size++)
		assert_int_equal(give(c, store(0, 1, 0, size)), 0);
	assert_int_equal(comparison_end(c), 0);
	for (unsigned i = 0; i < STORE_CLASSES; i++)
		assert_int_equal(comparison_counts(c)->classes[i], expected[i]);
	comparison_free(c);
}

/* A source that sends by region waits at a release, and its atomics take their time, as with other methods. On a link of 1 byte
 * a nanosecond with a latency of 100 ns. */
static void regions_and_releases(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_proact_hw, NULL };
	const struct timing_setting timing = { .bytes_per_second = 1e9, .latency_ps = 100000, .buffer_bytes = 1 << 20 };
	const struct setting setting = {
		.link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5, .chunk_bytes = 4096
	};
	const struct replay_op atomic = {
		.kind = REPLAY_ATOMIC, .destination = 1, .address = 8192, .size = 8, .time_ps = 900000
	};
	const struct replay_op release = { .kind = REPLAY_RELEASE, .destination = 1, .time_ps = 1000000 };
	const struct replay_op barrier = { .kind = REPLAY_BARRIER, .time_ps = 9000000 };

	(void)state;
	for (unsigned what = 0; what < 4; what++) {
		struct comparison *c = comparison_create(2, &setting, list, &timing);
		struct replay_op op = store(0, 1, 4096, 8);
		struct result r;

		assert_non_null(c);
		assert_int_equal(give(c, op), 0);
		if (what & 1)
			assert_int_equal(give(c, atomic), 0);
		if (what & 2)
			assert_int_equal(give(c, release), 0);
		assert_int_equal(give(c, barrier), 0);
		assert_int_equal(comparison_end(c), 0);
		r = comparison_result(c, 0);
		assert_int_equal(r.wire_bytes, 4096 + 24);
		/* The source computes for 9 us; at the release it waits from 1000 ns to 4120 + 200, behind the atomic at 900 +
		 * 32 + 4120 + 200. */
		assert_in_range(r.time_ps, (what == 2 ? 9000 + 3320 : what == 3 ? 9000 + 4252 : 9000) * 1000 - 4000,
				(what == 2 ? 9000 + 3320 : what == 3 ? 9000 + 4252 : 9000) * 1000 + 4000);
		comparison_free(c);
	}
}

/* 40 stores of 8 bytes at once, then a page's copy; or the page as a region's chunk. By terms of the model of time; links of 1
 * byte a nanosecond with a latency of 100 ns. */
static void terms_of_time(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_p2p, &paradigm_dma, &paradigm_proact_hw, NULL };
	static const struct timing_setting terms[] = {
		{ .compute_percent = 100 },	{ .transaction_ps = 50000 },
		{ .copy_start_ps = 700000 },	{ .compute_percent = 500 },
		{ .dllp_bytes = 16 },		{ .dllp_bytes = 16, .transaction_ps = 50000 },
		{ .kernel_start_ps = 3000000 }, { .kernel_start_ps = 3000000, .compute_percent = 500 },
		{ .transaction_ps = 2000000 },
	};
	/* The stores have arrived at 100 + 40 * 32, 48, 50 or 2000 ns, the page, of four transactions, at 1000 + 100 + 4192,
	 * the chunk, which is ready at once, at 100 + 4192; none before computing ends. */
	static const unsigned expected[][3] = { { 1380, 5292, 4292 }, { 2100, 5292, 4292 },  { 1380, 5992, 4292 },
						{ 5000, 9292, 5000 }, { 2020, 5356, 4356 },  { 2100, 5356, 4356 },
						{ 4380, 8292, 7292 }, { 8000, 12292, 8000 }, { 80100, 9100, 8100 } };
	struct setting setting = {
		.link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5, .chunk_bytes = 4096
	};

	setting.link.payload_bytes = 1024;
	(void)state;
	for (unsigned i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct timing_setting timing = terms[i];
		struct replay_op barrier = { .kind = REPLAY_BARRIER, .time_ps = 1000000 };
		struct comparison *c;

		timing.bytes_per_second = 1e9;
		timing.latency_ps = 100000;
		timing.buffer_bytes = 1 << 20;
		c = comparison_create(2, &setting, list, &timing);
		assert_non_null(c);
		for (unsigned k = 0; k < 40; k++)
			assert_int_equal(give(c, store(0, 1, 4096 + 64 * k, 8)), 0);
		assert_int_equal(give(c, barrier), 0);
		assert_int_equal(comparison_end(c), 0);
		for (unsigned k = 0; k < 3; k++)
			assert_in_range(comparison_result(c, k).time_ps, expected[i][k] * UINT64_C(1000) - 4000,
					expected[i][k] * UINT64_C(1000) + 4000);
		comparison_free(c);
	}
}

/* Sums add up, no method is below the bound, and a queue is never worse than none. */
/* 64 stores in 64 lines, a release; a transaction takes 100 ns, bytes hardly any. Peer stores are 64 transactions on both hops,
 * at once; packets one; of a card 64 to it, and when they have been packed 64 writes. */
static void transactions_by_topology(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_p2p, &paradigm_finepack, NULL };
	static const struct {
		enum topology topology;
		unsigned ns[2];
	} runs[] = { { TOPOLOGY_GPU, { 1000 + 6400, 1000 + 100 } }, { TOPOLOGY_CARD, { 1000 + 6400, 1000 + 6300 + 6400 } } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct setting setting = {
			.link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5, .topology = runs[i].topology
		};
		struct timing_setting timing = { .bytes_per_second = 1e15,
						 .latency_ps = 1000000,
						 .buffer_bytes = 1 << 20,
						 .transaction_ps = 100000,
						 .topology = runs[i].topology };
		struct comparison *c = comparison_create(2, &setting, list, &timing);

		for (unsigned k = 0; k < 64; k++)
			assert_int_equal(give(c, store(0, 1, k * 256, 8)), 0);
		assert_int_equal(comparison_end(c), 0);
		for (unsigned k = 0; k < 2; k++)
			assert_in_range(comparison_result(c, k).time_ps, runs[i].ns[k] * 1000 - 150000,
					runs[i].ns[k] * 1000 + 150000);
		comparison_free(c);
	}
}

static void any_stream(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 20; round++) {
		struct chance chance;
		unsigned gpus, width;
		struct comparison *c;

		chance_start(&chance, seed, round);
		gpus = 2 + below(&chance, 5);
		width = 2 + below(&chance, 5);
		c = start(gpus, width);
		for (unsigned i = 0; i < 20000; i++)
			assert_int_equal(give(c, by_chance(&chance, gpus)), 0);
		assert_int_equal(comparison_end(c), 0);
		for (unsigned i = 0; i < ALL; i++) {
			struct result r = comparison_result(c, i);

			assert_int_equal(r.wire_bytes, r.useful_bytes + r.protocol_bytes + r.wasted_bytes);
			assert_int_equal(r.useful_bytes, comparison_counts(c)->unique_bytes);
			assert_true(r.wire_bytes >= comparison_counts(c)->lower_bound_bytes);
		}
		assert_true(comparison_result(c, COMBINING).wire_bytes <= comparison_result(c, P2P).wire_bytes);
		assert_true(comparison_result(c, OWN).wire_bytes < comparison_result(c, FINEPACK).wire_bytes);
		assert_true(comparison_result(c, PACKING_COMPACT).wire_bytes <= comparison_result(c, PACKING).wire_bytes);
		assert_int_equal(comparison_result(c, PACKING_COMPACT).packets, comparison_result(c, PACKING).packets);
		if (width > 2) /* no store is cut */
			assert_true(comparison_result(c, PACKING).wire_bytes <= comparison_result(c, P2P).wire_bytes);
		comparison_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(packing_by_hand),
		cmocka_unit_test(combining_whole_lines),
		cmocka_unit_test(combining_keeps_what_is_stored_again),
		cmocka_unit_test(combining_loads_beside_what_is_stored),
		cmocka_unit_test(copies_are_dma),
		cmocka_unit_test(loads_flush_what_they_hit),
		cmocka_unit_test(refusals),
		cmocka_unit_test(time_without_a_barrier),
		cmocka_unit_test(a_share_refuses),
		cmocka_unit_test(classes_of_sizes),
		cmocka_unit_test(regions_and_releases),
		cmocka_unit_test(terms_of_time),
		cmocka_unit_test(transactions_by_topology),
		cmocka_unit_test(any_stream),
	};

	return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
