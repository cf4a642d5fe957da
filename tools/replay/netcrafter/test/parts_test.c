// SPDX-License-Identifier: Apache-2.0
/* The small parts: what a cache holds, what happens when, latencies, the pooling time's tuner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <chance.h>

#include "events.h"
#include "latency.h"
#include "pool_tuner.h"
#include "tags.h"

static void the_least_used_goes(void **state)
{
	struct tags *t = tags_create(2, 3);

	(void)state;
	assert_non_null(t);
	for (uint64_t key = 0; key < 6; key += 2) /* all in set 0 */
		tags_fill(t, key);
	assert_true(tags_use(t, 0));
	tags_fill(t, 6); /* for 2, which is the one not used for longest */
	assert_false(tags_use(t, 2));
	assert_true(tags_use(t, 0) && tags_use(t, 4) && tags_use(t, 6));
	assert_false(tags_use(t, 1)); /* the other set is empty */
	tags_fill(t, 1);
	tags_fill(t, 1); /* is there once: the others stay */
	assert_true(tags_use(t, 1) && tags_use(t, 0));
	tags_free(t);
}

/* By time; of one time the one that was noted first. */
static void events_come_in_order(void **state)
{
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct events e = { 0 };
	struct event event, last = { 0 };
	struct chance chance;
	unsigned taken = 0;

	(void)state;
	print_message("# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	chance_start(&chance, seed, 0);
	for (uint32_t i = 0; i < 5000; i++) {
		bool more = i < 4000;

		if (more)
			assert_int_equal(events_add(&e, last.time + below(&chance, 40), 7, i), 0);
		for (unsigned n = more ? below(&chance, 2) : 4; n && events_take(&e, &event); n--, taken++) {
			assert_int_equal(event.what, 7);
			if (taken && event.time == last.time)
				assert_true(event.order > last.order && event.which > last.which);
			else
				assert_true(event.time >= last.time);
			last = event;
		}
	}
	assert_int_equal(taken, 4000);
	assert_false(events_take(&e, &event));
	events_free(&e);
}

static void latencies(void **state)
{
	struct latency l;

	(void)state;
	assert_int_equal(latency_begin(&l), 0);
	assert_int_equal(latency_percentile(&l, 50), 0);
	assert_true(latency_mean(&l) == 0);
	for (uint64_t ns = 1; ns <= 100; ns++)
		latency_add(&l, ns);
	assert_int_equal(latency_percentile(&l, 50), 50);
	assert_int_equal(latency_percentile(&l, 99), 99);
	latency_add(&l, 10 * LATENCY_NS_MAX);
	assert_int_equal(latency_percentile(&l, 100), 10 * LATENCY_NS_MAX);
	assert_int_equal(l.most_ns, 10 * LATENCY_NS_MAX);
	assert_true(latency_mean(&l) == (5050.0 + 10 * LATENCY_NS_MAX) / 101);
	latency_end(&l);
}

static void tuner(void **state)
{
	struct pool_tuner t = { .pool_ns = 32 };
	struct glk_cluster_queue_counters c = { .pool_stitched = POOL_TUNER_EPOCH / 2,
						.pool_timed_out = POOL_TUNER_EPOCH / 2 - 1 };

	(void)state;
	assert_false(pool_tuner_look(&t, &c)); /* too few */
	c.pool_timed_out++;
	assert_true(pool_tuner_look(&t, &c));
	assert_int_equal(t.pool_ns, 64);
	assert_false(pool_tuner_look(&t, &c)); /* nothing new */
	c.pool_stitched += POOL_TUNER_EPOCH;
	assert_true(pool_tuner_look(&t, &c));
	c.pool_stitched += POOL_TUNER_EPOCH;
	assert_false(pool_tuner_look(&t, &c)); /* the most */
	assert_int_equal(t.pool_ns, POOL_TUNER_NS_MOST);
	c.pool_timed_out += 3 * POOL_TUNER_EPOCH / 4;
	c.pool_stitched += POOL_TUNER_EPOCH / 4;
	assert_false(pool_tuner_look(&t, &c)); /* a quarter */
	for (unsigned i = 0; i < 20; i++) {
		c.pool_timed_out += POOL_TUNER_EPOCH;
		pool_tuner_look(&t, &c);
	}
	assert_int_equal(t.pool_ns, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_used_goes), cmocka_unit_test(events_come_in_order), cmocka_unit_test(latencies),
		cmocka_unit_test(tuner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
