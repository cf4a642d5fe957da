// SPDX-License-Identifier: Apache-2.0
/* Bytes of hops: by hand, against the counters of a card's model that gets the same stores, and what holds for any stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gpulink.h>

#include "chance.h"
#include "comparison.h"
#include "parallel.h"

#define TOPOLOGY_SETTING(topology_, payload_)                                                                                  \
	{                                                                                                                      \
		.link = with_payload(payload_), .queue_entries = 64, .subheader_bytes = 5, .chunk_bytes = 4096,                \
		.topology = (topology_), .between_bytes_per_second = 16e9                                                      \
	}

static struct link with_payload(uint32_t payload)
{
	struct link link = *link_preset("pcie4");

	link.payload_bytes = payload;
	return link;
}

static struct comparison *start(unsigned gpus, const struct setting *setting, const struct paradigm *const *list,
				const struct timing_setting *timing)
{
	struct comparison *c = comparison_create(gpus, setting, list, timing);

	assert_non_null(c);
	return c;
}

static void take(struct comparison *c, struct replay_op op)
{
	struct replay_sink sink = comparison_sink(c);

	assert_int_equal(sink.take(sink.user, &op, 1), 0);
}

static struct replay_op store(unsigned from, unsigned to, uint64_t address, uint32_t size)
{
	return (struct replay_op){
		.kind = REPLAY_STORE, .source = (uint8_t)from, .destination = (uint8_t)to, .address = address, .size = size
	};
}

static void assert_hop(const struct result *r, enum hop hop, uint64_t forward, uint64_t back)
{
	if (r->hop[hop].forward.bytes != forward || r->hop[hop].back.bytes != back)
		fail_msg("%s, %s: %llu forward, %llu back, expected %llu, %llu", r->paradigm->name, hop_name(hop),
			 (unsigned long long)r->hop[hop].forward.bytes, (unsigned long long)r->hop[hop].back.bytes,
			 (unsigned long long)forward, (unsigned long long)back);
}

/* From GPU 0 to GPU 2: 16 stores of 8 bytes, in pairs that adjoin. As plain ones 32 bytes each; a packet of 8 runs of 16 bytes
 * has 8 * 21 + 24; each run is a write of 40 bytes. In flits a store is a write request of 5, the packet of 168 + 16 bytes
 * 12. */
static void by_hand(void **state)
{
	static const struct paradigm *const logic[] = { &paradigm_p2p, &paradigm_finepack, NULL };
	static const struct {
		enum topology topology;
		bool flits;
		unsigned plain_link, source, link, destination;
		enum hop limit;
	} cases[] = {
		{ TOPOLOGY_GPU, false, 0, 192, 0, 192, HOP_SOURCE },
		{ TOPOLOGY_CARD, false, 0, 512, 0, 320, HOP_SOURCE },
		{ TOPOLOGY_CARDS, false, 512, 512, 192, 320, HOP_SOURCE },
		{ TOPOLOGY_CARDS, true, 1280, 512, 192, 320, HOP_SOURCE },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setting setting = TOPOLOGY_SETTING(cases[i].topology, 4096);
		struct result p2p, packed;
		struct comparison *c;

		setting.flits = cases[i].flits;
		c = start(4, &setting, logic, NULL);
		for (unsigned k = 0; k < 16; k++)
			take(c, store(0, 2, k / 2 * 256 + k % 2 * 8, 8));
		assert_int_equal(comparison_end(c), 0);
		p2p = comparison_result(c, 0);
		packed = comparison_result(c, 1);
		assert_hop(&p2p, HOP_SOURCE, 512, 0);
		assert_hop(&p2p, HOP_LINK, cases[i].plain_link, 0);
		assert_hop(&p2p, HOP_DESTINATION, 512, 0);
		assert_int_equal(p2p.limit, cases[i].plain_link ? HOP_LINK : HOP_SOURCE);
		assert_hop(&packed, HOP_SOURCE, cases[i].source, 0);
		assert_hop(&packed, HOP_LINK, cases[i].link, 0);
		assert_hop(&packed, HOP_DESTINATION, cases[i].destination, 0);
		assert_int_equal(packed.limit, cases[i].limit);
		comparison_free(c);
	}
}

/* 16 stores of 8 bytes in lines of their own: a lane's packet of 16 * 13 + 16 bytes. Without a card it is a write of two
 * transactions, its first byte 48 behind the slot's, and a word of 32; a card reads an entry of 64 bytes and then 224. */
static void lanes_by_hand(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_lanes, NULL };

	(void)state;
	for (unsigned card = 0; card < 2; card++) {
		struct setting setting = TOPOLOGY_SETTING(card ? TOPOLOGY_LANES_CARD : TOPOLOGY_LANES, 256);
		struct comparison *c = start(2, &setting, list, NULL);
		struct result r;

		for (unsigned k = 0; k < 16; k++)
			take(c, store(0, 1, k * 256, 8));
		assert_int_equal(comparison_end(c), 0);
		r = comparison_result(c, 0);
		if (card) {
			assert_hop(&r, HOP_SOURCE, 224 + 20 + 64 + 20 + 32, 2 * 24);
			assert_hop(&r, HOP_DESTINATION, 16 * 32, 0);
			assert_int_equal(r.limit, HOP_DESTINATION);
		} else {
			assert_hop(&r, HOP_SOURCE, 224 + 2 * 24 + 32, 0);
			assert_hop(&r, HOP_DESTINATION, 224 + 2 * 24 + 32, 0);
		}
		assert_int_equal(r.useful_bytes, 128);
		comparison_free(c);
	}
}

/* A load of 8 bytes from GPU 2 by GPU 0 over two cards: a request there, an answer back, in flits too. */
static void loads_and_atomics(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_p2p, NULL };

	(void)state;
	for (unsigned flits = 0; flits < 2; flits++) {
		struct setting setting = TOPOLOGY_SETTING(TOPOLOGY_CARDS, 256);
		struct comparison *c;
		struct result r;

		setting.flits = flits;
		c = start(4, &setting, list, NULL);
		take(c, (struct replay_op){ .kind = REPLAY_LOAD, .source = 0, .destination = 2, .address = 8, .size = 8 });
		assert_int_equal(comparison_end(c), 0);
		r = comparison_result(c, 0);
		assert_hop(&r, HOP_SOURCE, 24, 28);
		assert_hop(&r, HOP_LINK, flits ? 16 : 24, flits ? 80 : 28);
		assert_hop(&r, HOP_DESTINATION, 24, 28);
		comparison_free(c);
	}
}

/* A link of 1 byte a nanosecond for each GPU, one of 0.1 between the cards, latencies of 100 ns: 100 stores of 32 bytes on the
 * wire take 3200 + 2 * 100, between the cards 32000; FinePack's packet is ready behind the last store. */
static void time_of_hops(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_p2p, &paradigm_finepack, NULL };
	static const unsigned expected[TOPOLOGIES][2] = {
		[TOPOLOGY_GPU] = { 3300, 1424 },
		[TOPOLOGY_CARD] = { 3300, 6500 },
		[TOPOLOGY_CARDS] = { 32200, 16640 },
	};

	(void)state;
	for (enum topology topology = TOPOLOGY_GPU; topology <= TOPOLOGY_CARDS; topology++) {
		struct timing_setting timing = { .bytes_per_second = 1e9,
						 .latency_ps = 100000,
						 .buffer_bytes = 1 << 20,
						 .topology = topology,
						 .between_bytes_per_second = 0.1e9 };
		struct setting setting = TOPOLOGY_SETTING(topology, 4096);
		struct comparison *c = start(4, &setting, list, &timing);

		for (unsigned k = 0; k < 100; k++)
			take(c, store(0, 2, k % 50 * 256 + k / 50 * 16, 8));
		assert_int_equal(comparison_end(c), 0);
		for (unsigned i = 0; i < 2; i++)
			assert_in_range(comparison_result(c, i).time_ps, expected[topology][i] * UINT64_C(1000) - 20000,
					expected[topology][i] * UINT64_C(1000) + 20000);
		comparison_free(c);
	}
}

/* The same random stores to a card's model: its counters are the hops. */
static void as_the_card_counts(void **state)
{
	static const struct paradigm *const list[] = { &paradigm_finepack, &paradigm_packing, &paradigm_packing_compact, NULL };
	static const char *const options[] = { "packing=0,compact=0", "packing=1,compact=0", "packing=1,compact=1" };
	static uint8_t data[REPLAY_STORE_MAX];

	(void)state;
	for (unsigned which = 0; which < 3; which++) {
		struct setting setting = TOPOLOGY_SETTING(TOPOLOGY_CARD, 512);
		struct comparison *c = start(2, &setting, list, NULL);
		struct gpulink_counters counters;
		struct gpulink_window *window;
		struct gpulink *device;
		struct chance chance;
		struct result r;
		char name[96];

		chance_start(&chance, 7, which);
		snprintf(name, sizeof(name), "soft:endpoints=1,subheader=5,payload=512,%s", options[which]);
		assert_int_equal(gpulink_open(name, &device), 0);
		assert_int_equal(gpulink_window_open(device, 0, 0, 1 << 20, GPULINK_WRITE, &window), 0);
		for (unsigned k = 0; k < 20000; k++) {
			uint64_t address = below(&chance, 1 << (below(&chance, 2) ? 12 : 19));
			uint32_t size = 1 + below(&chance, 16), room = 128 - (uint32_t)(address % 128);

			size = size < room ? size : room;
			take(c, store(0, 1, address, size));
			assert_int_equal(gpulink_store(window, address, data, size), 0);
			if (k % 1000 == 0) {
				take(c, (struct replay_op){ .kind = REPLAY_RELEASE, .destination = 1 });
				assert_int_equal(gpulink_release(device, 1000000000), 0);
			}
		}
		assert_int_equal(gpulink_release(device, 1000000000), 0);
		assert_int_equal(comparison_end(c), 0);
		assert_int_equal(gpulink_get_counters(device, 0, &counters, sizeof(counters)), 0);
		r = comparison_result(c, which);
		assert_int_equal(r.hop[HOP_SOURCE].forward.bytes, counters.raw_wire_bytes);
		assert_int_equal(r.wire_bytes, counters.wire_bytes);
		/* The model writes a run at once, the account cuts it at multiples of the payload size. */
		assert_in_range(r.hop[HOP_DESTINATION].forward.transactions, counters.endpoint_writes,
				counters.endpoint_writes + counters.endpoint_writes / 100);
		assert_in_range(r.hop[HOP_DESTINATION].forward.bytes, counters.endpoint_bytes + 24 * counters.endpoint_writes,
				counters.endpoint_bytes + 30 * counters.endpoint_writes); /* of whole DWs */
		gpulink_close(device);
		comparison_free(c);
	}
}

/* Plain stores are the same on each hop, a card's source never carries less, and three threads find what one does. */
static void any_stream(void **state)
{
	static const struct paradigm *const logic[] = { &paradigm_p2p,
							&paradigm_write_combining,
							&paradigm_dma,
							&paradigm_finepack,
							&paradigm_packing_compact,
							&paradigm_compact,
							NULL };
	static const struct paradigm *const lanes[] = { &paradigm_p2p, &paradigm_dma, &paradigm_lanes, NULL };
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 4 * TOPOLOGIES; round++) {
		enum topology topology = (enum topology)(round % TOPOLOGIES);
		struct setting setting = TOPOLOGY_SETTING(topology, 256);
		const struct paradigm *const *list = topology_has_lanes(topology) ? lanes : logic;
		struct comparison *one = start(5, &setting, list, NULL), *three;
		struct parallel *p = parallel_create(3, 5, &setting, list);
		struct replay_sink sink;
		struct chance chance;

		assert_non_null(p);
		sink = parallel_sink(p);
		chance_start(&chance, seed, round);
		for (unsigned k = 0; k < 20000; k++) {
			struct replay_op op = store(below(&chance, 5), 0,
						    below(&chance, 4) ? below(&chance, 1 << 14) : below(&chance, 1 << 30),
						    1 + below(&chance, 16));
			unsigned room = 128 - (unsigned)(op.address % 128);

			op.destination = (uint8_t)((op.source + 1u + below(&chance, 4)) % 5);
			op.size = op.size < room ? op.size : room;
			op.kind = below(&chance, 100) ? REPLAY_STORE : REPLAY_LOAD;
			take(one, op);
			assert_int_equal(sink.take(sink.user, &op, 1), 0);
		}
		assert_int_equal(comparison_end(one), 0);
		assert_int_equal(parallel_end(p, &three), 0);
		for (unsigned i = 0; list[i]; i++) {
			struct result r = comparison_result(one, i), other = comparison_result(three, i);
			const struct hop_result *from = &r.hop[HOP_SOURCE], *to = &r.hop[HOP_DESTINATION];

			assert_memory_equal(r.hop, other.hop, sizeof(r.hop));
			if (list[i]->packer == PACKER_NONE || !topology_has_card(topology))
				assert_int_equal(from->forward.bytes, to->forward.bytes);
			if (list[i]->packer == PACKER_LOGIC && topology_has_card(topology)) {
				assert_int_equal(from->forward.bytes, comparison_result(one, 0).hop[HOP_SOURCE].forward.bytes);
				assert_true(to->forward.bytes <= from->forward.bytes);
			}
			assert_true((r.hop[HOP_LINK].forward.bytes != 0) == (topology == TOPOLOGY_CARDS));
			assert_true(from->forward.bytes > r.wire_bytes ||
				    from->forward.bytes > comparison_counts(one)->unique_bytes);
			assert_true(from->busiest.bytes >= (from->forward.bytes + to->back.bytes) / 5);
		}
		comparison_free(one);
		comparison_free(three);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),	cmocka_unit_test(lanes_by_hand),      cmocka_unit_test(loads_and_atomics),
		cmocka_unit_test(time_of_hops), cmocka_unit_test(as_the_card_counts), cmocka_unit_test(any_stream),
	};

	return cmocka_run_group_tests_name("hops", tests, NULL, NULL);
}
