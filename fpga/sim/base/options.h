/* SPDX-License-Identifier: Apache-2.0 */
/* The options that benches share: --seed N, --round K (that round alone, or its random numbers where there is one), --wave
   FILE,
   --rates (where a bench reports any), and how much a bench does, by the name of what it counts (--rounds N, --stores N). */
#ifndef GLK_SIM_OPTIONS_H
#define GLK_SIM_OPTIONS_H

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_options {
	const char *unit; /* what `amount` counts; NULL: the bench has no such option */
	uint64_t amount;
	uint64_t seed, first; /* the first round */
	bool one, rates;
	const char *wave;
};

static inline uint64_t bench_number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "%s: must be a number\n", text);
		exit(2);
	}
	return value;
}

/* Reads them over the defaults `unit` and `amount`; exits with 2, with a message, for what is not an option or not a number. */
static inline struct bench_options bench_options(int argc, char **argv, const char *unit, uint64_t amount)
{
	const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "round", required_argument, NULL, 'r' },
		{ "wave", required_argument, NULL, 'w' },
		{ "rates", no_argument, NULL, 'p' },
		{ unit, required_argument, NULL, 'n' }, /* without a unit, the end of the list */
		{ 0 },
	};
	struct bench_options o = { .unit = unit, .amount = amount, .seed = 1 };

	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 's')
			o.seed = bench_number(optarg);
		else if (c == 'r')
			o.one = true, o.first = bench_number(optarg);
		else if (c == 'w')
			o.wave = optarg;
		else if (c == 'p')
			o.rates = true;
		else if (c == 'n')
			o.amount = bench_number(optarg);
		else
			exit(2);
	}
	if (optind < argc) {
		fprintf(stderr, "%s: is no option\n", argv[optind]);
		exit(2);
	}
	if (o.one && unit && !strcmp(unit, "rounds"))
		o.amount = 1;
	return o;
}

/* Says what failed in `round`, and how to see it again. */
static inline void bench_reproduce(const struct bench_options *o, uint64_t round, const char *failure)
{
	printf("# round %" PRIu64 ": %s\n# reproduce: --seed %" PRIu64 " --round %" PRIu64 " --wave FILE\n", round, failure,
	       o->seed, round);
}

#endif /* GLK_SIM_OPTIONS_H */
