// SPDX-License-Identifier: Apache-2.0
/*
 * Random accesses of several caches to the pool of a card, checked by their logical times; and the same with planted errors,
 * each of which must be noticed.
 *
 * lease-random-test [--accesses N]   GPULINK_SEED replays a run
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lease_random.h"

#define ROUND 20000u /* accesses */

static uint64_t seed, accesses = 500000;

static void accesses_by_chance(void **state)
{
	struct lease_sums sums = { 0 };

	(void)state;
	for (uint64_t round = 0; sums.accesses < accesses; round++) {
		const char *wrong = lease_random_round(seed, round, ROUND, LEASE_PLANT_NONE, &sums);

		if (wrong)
			fail_msg("GPULINK_SEED=%" PRIu64 " round %" PRIu64 ": %s", seed, round, wrong);
	}
	fprintf(stderr,
		"# %" PRIu64 " accesses: %" PRIu64 " hits, %" PRIu64 " copies still right, %" PRIu64
		" stores left the queue, %" PRIu64 " evictions, %" PRIu64 " epochs, %" PRIu64 " parity errors\n",
		sums.accesses, sums.hits, sums.same, sums.arrived, sums.evictions, sums.epochs, sums.errors);
	assert_true(sums.hits > accesses / 10 && sums.same > accesses / 1000 && sums.arrived > accesses / 1000);
	assert_true(sums.evictions > accesses / 1000 && sums.epochs > accesses / 10000 && sums.errors > 0 && sums.refused == 0);
}

static void planted_errors_are_noticed(void **state)
{
	(void)state;
	for (enum lease_plant plant = LEASE_PLANT_NONE + 1; plant < LEASE_PLANT_COUNT; plant++) {
		struct lease_sums sums = { 0 };
		uint64_t round = 0;

		while (round < 20 && !lease_random_round(seed, round, ROUND, plant, &sums))
			round++;
		fprintf(stderr, "# planted error %u: noticed in round %" PRIu64 "\n", plant, round);
		assert_true(round < 20);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(accesses_by_chance),
					    cmocka_unit_test(planted_errors_are_noticed) };
	const char *given = getenv("GPULINK_SEED");

	if (argc != 1 && !(argc == 3 && !strcmp(argv[1], "--accesses"))) {
		fprintf(stderr, "usage: %s [--accesses N]\n", argv[0]);
		return 2;
	}
	if (argc == 3)
		accesses = strtoull(argv[2], NULL, 0);
	seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	fprintf(stderr, "# GPULINK_SEED=%" PRIu64 "\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
