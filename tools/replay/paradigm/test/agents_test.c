// SPDX-License-Identifier: Apache-2.0
/* Overlap of computing and transfers by agents, in cases small enough to be reckoned by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agents.h"

#define TOTAL (UINT64_C(1) << 26) /* bytes */
#define COMPUTE_PS (UINT64_C(1) << 32)

/* A producer that computes evenly, and whose bytes take as long as its computing; without latency. */
struct producer {
	struct setting setting;
	struct timing_setting timing;
	unsigned chunks, destinations;
};

static struct producer producer(unsigned chunks, unsigned destinations)
{
	struct producer p = { .setting = { .link = *link_preset("pcie3") }, .chunks = chunks, .destinations = destinations };
	uint64_t transactions = 0, wire = link_write(&p.setting.link, 0, TOTAL, &transactions);

	p.timing.bytes_per_second = (double)wire * destinations / (double)COMPUTE_PS * 1e12;
	p.timing.buffer_bytes = 4096;
	return p;
}

static struct agent_result run(const struct producer *p, enum agent_kind kind, unsigned threads)
{
	const struct agent agent = { .kind = kind, .chunk_bytes = (uint32_t)(TOTAL / p->chunks), .threads = threads };
	struct agents *a = agents_create(1 + p->destinations, &p->setting, &p->timing, &agent, 1);
	struct agent_result result;

	assert_non_null(a);
	for (unsigned d = 1; d <= p->destinations; d++) {
		for (uint64_t i = 0; i < p->chunks; i++)
			assert_int_equal(agents_take(a, &(struct replay_op){ .kind = REPLAY_STORE,
									     .destination = (uint8_t)d,
									     .address = i * agent.chunk_bytes + 1000,
									     .size = 8,
									     .time_ps = COMPUTE_PS / p->chunks * (i + 1) }), 0);
		assert_int_equal(agents_take(a, &(struct replay_op){ .kind = REPLAY_COPY, .destination = (uint8_t)d,
								     .size = (uint32_t)TOTAL }), 0);
	}
	assert_int_equal(agents_barrier(a, COMPUTE_PS), 0);
	result = agents_result(a, 0);
	agents_free(a);
	return result;
}

/* Against computing first and copying then. */
static double speed_up(const struct agent_result *r)
{
	return 2 * (double)COMPUTE_PS / (double)r->time_ps;
}

static void assert_near(double value, double right)
{
	if (fabs(value - right) > 0.002 * right)
		fail_msg("%g is not %g", value, right);
}

/* N chunks without costs: 2 N / (N + 1). */
static void without_costs(void **state)
{
	static const unsigned chunks[] = { 4, 16, 64, 256, 16384 };

	(void)state;
	for (unsigned i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		struct producer p = producer(chunks[i], 1);
		double n = chunks[i];

		for (enum agent_kind kind = AGENT_POLLING; kind <= AGENT_CARD; kind++) {
			struct agent_result r = run(&p, kind, 128);

			assert_near(speed_up(&r), 2 * n / (n + 1));
			assert_near(r.hidden, 1 - 1 / n);
			assert_near((double)r.tail_ps, (double)COMPUTE_PS / n);
			assert_int_equal(r.tally.data_bytes, TOTAL);
		}
	}
}

/* A launch of 10^-4 of the computing's time for each chunk, one after the other: the best is between. */
static void launches(void **state)
{
	static const struct {
		unsigned chunks;
		double right;
	} cases[] = { { 4, 1.5998 }, { 64, 1.957 }, { 16384, 0.758 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct producer p = producer(cases[i].chunks, 1);
		struct agent_result r;

		p.setting.cost.launch_ps = COMPUTE_PS / 10000;
		r = run(&p, AGENT_LAUNCH, 128);
		assert_near(speed_up(&r), cases[i].right);
	}
}

/* The other agents wait for a chunk's delay while others go: it counts once. */
static void delays_overlap(void **state)
{
	struct producer p = producer(64, 1);
	double n = 64, delay = 0.01;
	struct agent_result r;

	(void)state;
	p.setting.cost.card_ps = p.setting.cost.polling_ps = COMPUTE_PS / 100;
	r = run(&p, AGENT_CARD, 1);
	assert_near(speed_up(&r), 2 / (1 + 1 / n + delay));
	p.setting.cost.polling_ps = 0;
	p.setting.cost.scan_ps = COMPUTE_PS / 100;
	r = run(&p, AGENT_POLLING, 128);
	assert_near(speed_up(&r), 2 / (1 + 1 / n + delay * n / 128));
}

/* A chunk is launched once for all its destinations. */
static void one_launch(void **state)
{
	struct producer p = producer(64, 3);
	struct agent_result r;

	(void)state;
	p.setting.cost.launch_ps = COMPUTE_PS / 10000;
	r = run(&p, AGENT_LAUNCH, 128);
	assert_near(speed_up(&r), 1.957);
	assert_int_equal(r.tally.data_bytes, 3 * TOTAL);
}

/* 32 threads use a quarter of the link; the card's engine has no threads. Counting in software slows computing down. */
static void threads_and_tracking(void **state)
{
	struct producer p = producer(64, 1);
	struct agent_result r = run(&p, AGENT_POLLING, 32);

	(void)state;
	assert_near((double)r.time_ps, (double)COMPUTE_PS * (4 + 1. / 64));
	r = run(&p, AGENT_CARD, 32);
	assert_near((double)r.time_ps, (double)COMPUTE_PS * (1 + 1. / 64));
	p.setting.cost.tracking = 0.5;
	r = run(&p, AGENT_POLLING, 128);
	assert_near((double)r.time_ps, (double)COMPUTE_PS * (1.5 + 1. / 64));
	r = run(&p, AGENT_CARD, 128);
	assert_near((double)r.time_ps, (double)COMPUTE_PS * (1 + 1. / 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_costs), cmocka_unit_test(launches), cmocka_unit_test(delays_overlap),
		cmocka_unit_test(one_launch),	 cmocka_unit_test(threads_and_tracking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
