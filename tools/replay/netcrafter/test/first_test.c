// SPDX-License-Identifier: Apache-2.0
/*
 * Accesses of data that go first, chosen by chance: as many as are wanted, by what the card's queue does with page walks, there
 * and back, and no others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crossing.h"

/* ---- On the link: packets of page walks go first by their kind, or because it is said of them ---- */

enum { PACKETS = 3000, SLOT = TICKS_NS }; /* a flit of 16 bytes at 16 GB/s takes 1 ns */

struct link {
	struct crossing *crossing;
	uint64_t arrived[PACKETS];
	uint8_t order[PACKETS]; /* whether the packet that arrived was one of those that go first */
	unsigned count;
	bool walk[PACKETS];
};

static int arrive(void *user, uint64_t time, uint32_t which)
{
	struct link *l = user;

	l->arrived[which] = time;
	l->order[l->count++] = l->walk[which];
	return 0;
}

static struct link *link_begin(bool sequencing, unsigned burst)
{
	struct link *l = calloc(1, sizeof(*l));
	struct netcrafter_setting s;

	assert_non_null(l);
	netcrafter_setting_default(&s);
	s.stitching = s.pooling = false;
	s.sequencing = sequencing;
	s.data_first = !sequencing;
	s.burst = burst;
	assert_int_equal(crossing_create(&s, arrive, l, &l->crossing), 0);
	return l;
}

static void link_end(struct link *l)
{
	crossing_free(l->crossing);
	free(l);
}

static int push(struct link *l, uint64_t time, uint32_t which, bool walk, bool sequencing)
{
	struct glk_link_header header = { .kind = walk ? GLK_KIND_TRANSLATION_REQUEST : GLK_KIND_WRITE_REQUEST };
	uint8_t packet[76] = { 0 };

	glk_link_header_put(packet, &header);
	l->walk[which] = walk;
	return crossing_push(l->crossing, time, which, walk && !sequencing, header.kind, packet, walk ? 12 : 76);
}

static void run_to(struct link *l, uint64_t time)
{
	while (crossing_due(l->crossing) <= time)
		assert_int_equal(crossing_step(l->crossing), 0);
}

/* Stores that overrun the link, and a walk now and then: each arrives when it does by its kind, within a flit's time. */
static void as_by_kind(void **state)
{
	struct link *l[2] = { link_begin(false, 16), link_begin(true, 16) };
	unsigned walks = 0;

	(void)state;
	for (unsigned way = 0; way < 2; way++) {
		for (uint32_t i = 0; i < 600; i++) {
			uint64_t time = (uint64_t)i * 4 * SLOT;

			run_to(l[way], time);
			assert_int_equal(push(l[way], time, i, i % 7 == 3, way == 1), 0);
		}
		run_to(l[way], 100000 * SLOT);
		assert_int_equal(l[way]->count, 600);
	}
	for (uint32_t i = 0; i < 600; i++) {
		uint64_t a = l[0]->arrived[i], b = l[1]->arrived[i];

		assert_true((a > b ? a - b : b - a) <= 2 * SLOT);
		if (i % 7 == 3) {
			assert_true(a < (i * 4 + 5) * SLOT); /* no store's flits but one before it */
			walks++;
		}
	}
	assert_int_equal(walks, 86);
	link_end(l[0]);
	link_end(l[1]);
}

/* While both wait, `burst` flits of the one for each of the other: a packet that does not go first has 5. */
static void in_a_row(void **state)
{
	enum { WALKS = 520, STORES = 80 };

	(void)state;
	for (unsigned burst = 1; burst <= 16; burst *= 4) {
		for (unsigned way = 0; way < 2; way++) {
			struct link *l = link_begin(way == 1, burst);
			unsigned walks = 0, stores = 0, since = 0, gaps = 0;

			for (uint32_t i = 0; i < WALKS + STORES; i++)
				assert_int_equal(push(l, 0, i, i < WALKS, way == 1), 0);
			run_to(l, 100000 * SLOT);
			assert_int_equal(l->count, WALKS + STORES);
			for (unsigned i = 0; i < l->count; i++) {
				walks += l->order[i];
				since += l->order[i];
				if (l->order[i])
					continue;
				if (stores++ && walks < WALKS) {
					assert_int_equal(since, 5 * burst);
					gaps++;
				}
				since = 0;
			}
			assert_true(stores == STORES && gaps >= 3);
			link_end(l);
		}
	}
}

/* Room is common: full of either, it takes neither. */
static void common_room(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 2; way++) {
		struct link *l = link_begin(way == 1, 16);
		struct netcrafter_result result = { 0 };

		for (uint32_t i = 0; i < 512; i++)
			assert_int_equal(push(l, 0, i, true, way == 1), 0);
		for (uint32_t i = 512; i < 614; i++)
			assert_int_equal(push(l, 0, i, false, way == 1), 0);
		assert_int_equal(push(l, 0, 614, false, way == 1), -11);
		assert_int_equal(push(l, 0, 614, true, way == 1), 0); /* 512 + 5 * 102 + 1 of 1024 */
		assert_int_equal(push(l, 0, 615, true, way == 1), 0);
		assert_int_equal(push(l, 0, 616, true, way == 1), -11);
		crossing_count(l->crossing, 1, &result);
		assert_int_equal(result.link.refused, 2);
		assert_int_equal(result.link.packets[GLK_KIND_TRANSLATION_REQUEST], 514);
		link_end(l);
	}
}

/* ---- In the system ---- */

enum { REQUESTS = 4000, GPUS = 4, UNITS = 64 };

/* What overruns the link: GPU 0's units ask GPU 2, and some stays in the cluster. */
static int begin(void **state, enum request_kind kind)
{
	struct requests *r = calloc(1, sizeof(*r));
	uint32_t last[UNITS];

	assert_non_null(r);
	r->gpus = GPUS;
	assert_int_equal(requests_add_phase(r, 0), 0);
	for (unsigned i = 0; i < UNITS; i++) {
		last[i] = NO_REQUEST;
		assert_int_equal(requests_add_unit(r, 0), 0);
	}
	for (uint32_t i = 0; i < REQUESTS; i++) {
		const struct request request = { .mask = UINT64_MAX,
						 .line = i,
						 .unit = (uint16_t)(i % UNITS),
						 .kind = (uint8_t)kind,
						 .destination = i % 5 ? 2 : 1 };

		assert_int_equal(requests_add(r, &request, last[i % UNITS]), 0);
		last[i % UNITS] = i;
	}
	*state = r;
	return 0;
}

static int begin_stores(void **state)
{
	return begin(state, REQUEST_WRITE);
}

static int begin_reads(void **state)
{
	return begin(state, REQUEST_READ);
}

static int end(void **state)
{
	requests_free(*state);
	free(*state);
	return 0;
}

static struct netcrafter_result play(const struct requests *r, unsigned data_first, uint64_t seed)
{
	struct netcrafter_result result;
	struct netcrafter_setting s;

	netcrafter_setting_default(&s);
	s.stitching = s.pooling = s.sequencing = false;
	s.trim_bytes = 0;
	s.data_first = data_first;
	s.seed = seed;
	assert_int_equal(netcrafter_run(r, &s, &result), 0);
	return result;
}

static void as_many_as_are_wanted(void **state)
{
	static const unsigned wanted[] = { 0, 1, 50, REQUESTS / 5 * 4 - 1, REQUESTS / 5 * 4, REQUESTS };

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct netcrafter_result r = play(*state, wanted[i], 1);

		assert_int_equal(r.first.count, wanted[i] < REQUESTS / 5 * 4 ? wanted[i] : REQUESTS / 5 * 4);
		assert_int_equal(r.access.count, REQUESTS / 5 * 4);
		netcrafter_result_free(&r);
	}
}

/* Those that go first pass the others, and walks do not: stores on the way there, answers of reads on the way back. */
static void they_go_first(void **state)
{
	struct netcrafter_result none = play(*state, 0, 1), some = play(*state, 50, 1), others = play(*state, 50, 2);

	assert_true(none.access.most_ns > 3000);
	assert_true(some.access.most_ns > 3000 && some.translation.most_ns > 2000);
	assert_true(some.first.most_ns < 1000);
	assert_true(some.first.sum_ns != others.first.sum_ns); /* by another seed others */
	netcrafter_result_free(&none);
	netcrafter_result_free(&some);
	netcrafter_result_free(&others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_kind), cmocka_unit_test(in_a_row), cmocka_unit_test(common_room),
		cmocka_unit_test_setup_teardown(as_many_as_are_wanted, begin_stores, end),
		cmocka_unit_test_setup_teardown(they_go_first, begin_stores, end),
		cmocka_unit_test_setup_teardown(they_go_first, begin_reads, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
