// SPDX-License-Identifier: Apache-2.0
/* gpulink-bench stores. */
#include "bench_stores.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json.h>

#include <measure_stores.h>
#include <option_value.h>

enum { NAME = 256, BYTES, STORES, ROUNDS, PATTERN };

struct request {
	const char *name;
	uint64_t bytes, stores, rounds;
	unsigned patterns;
	enum output output;
};

typedef struct measure_stores found_stores[MEASURE_PATTERNS][MEASURE_STORE_WAYS];

static bool take_name(void *user, unsigned at, const char *name)
{
	unsigned *patterns = user;

	(void)at;
	for (unsigned p = 0; p < MEASURE_PATTERNS; p++)
		if (!strcmp(name, measure_pattern_names[p])) {
			*patterns |= 1u << p;
			return true;
		}
	return false;
}

static int take_patterns(struct request *r, const char *value)
{
	r->patterns = 0;
	return option_list("pattern", value, "random, sequential, graph, halo or hot", take_name, &r->patterns);
}

static int bench_stores_take(void *user, int option, const char *value)
{
	struct request *r = user;

	switch (option) {
	case NAME: r->name = value; return 0;
	case BYTES: return option_power_of_two("bytes", value, 16384, UINT64_C(1) << 32, &r->bytes);
	case STORES: return option_number("stores", value, 16, 1 << 28, &r->stores);
	case ROUNDS: return option_number("rounds", value, 1, 1001, &r->rounds);
	case PATTERN: return take_patterns(r, value);
	case 'o': return option_output(value, &r->output);
	default: return -1;
	}
}

static const struct option_command command = {
	.name = "stores",
	.known =
		(const struct option[]){
			{ "name", required_argument, NULL, NAME },
			{ "bytes", required_argument, NULL, BYTES },
			{ "stores", required_argument, NULL, STORES },
			{ "rounds", required_argument, NULL, ROUNDS },
			{ "pattern", required_argument, NULL, PATTERN },
			{ "output", required_argument, NULL, 'o' },
			{ "help", no_argument, NULL, 'h' },
			{ 0 },
		},
	.take = bench_stores_take,
	.help = "usage: gpulink-bench stores [OPTION...]\n"
		"Measures stores of 8 bytes on a local: device, by lane, by queue, plain, and by two threads, and checks the memory.\n"
		"  --name NAME         of the device: local:NAME (one of its own)\n"
		"  --bytes BYTES       of endpoint memory, a power of two, 16384 to 4294967296 (67108864)\n"
		"  --stores N          between two releases, 16 to 268435456 (1000000)\n"
		"  --rounds N          of each pattern and way, in turns; their median counts (15)\n"
		"  --pattern LIST      random, sequential, graph, halo, hot (all)\n"
		"  -o, --output FORM   table, json or csv (table)\n"
		"  -h, --help          show this help and exit\n",
};

static void bench_stores_print_table(found_stores found)
{
	printf("%-10s", "pattern");
	for (unsigned w = 0; w < MEASURE_TWO_PLAIN; w++)
		printf("  %8s ns  spread", measure_store_way_names[w]);
	printf("  %10s  %8s  %8s\n", "wire bytes", "2 plain", "2 lanes");
	for (unsigned p = 0; p < MEASURE_PATTERNS; p++) {
		if (found[p][MEASURE_PLAIN].ns <= 0)
			continue;
		printf("%-10s", measure_pattern_names[p]);
		for (unsigned w = 0; w < MEASURE_TWO_PLAIN; w++)
			printf("  %11.2f  %6.2f", found[p][w].ns, found[p][w].spread);
		printf("  %10.2f  %7.2fx  %7.2fx\n", found[p][MEASURE_LANE].wire_bytes,
		       found[p][MEASURE_PLAIN].ns / found[p][MEASURE_TWO_PLAIN].ns,
		       found[p][MEASURE_LANE].ns / found[p][MEASURE_TWO_LANES].ns);
	}
}

static void print_csv(found_stores found)
{
	puts("pattern,way,ns,spread,wire_bytes");
	for (unsigned p = 0; p < MEASURE_PATTERNS; p++)
		for (unsigned w = 0; w < MEASURE_STORE_WAYS && found[p][w].ns > 0; w++)
			printf("%s,%s,%.3f,%.3f,%.3f\n", measure_pattern_names[p], measure_store_way_names[w], found[p][w].ns,
			       found[p][w].spread, found[p][w].wire_bytes);
}

static int print_json(found_stores found)
{
	struct json_object *list = json_object_new_array();

	if (!list)
		return -1;
	for (unsigned p = 0; p < MEASURE_PATTERNS; p++) {
		for (unsigned w = 0; w < MEASURE_STORE_WAYS && found[p][w].ns > 0; w++) {
			struct json_object *one = json_object_new_object();

			json_object_object_add(one, "pattern", json_object_new_string(measure_pattern_names[p]));
			json_object_object_add(one, "way", json_object_new_string(measure_store_way_names[w]));
			json_object_object_add(one, "ns", json_object_new_double(found[p][w].ns));
			json_object_object_add(one, "spread", json_object_new_double(found[p][w].spread));
			json_object_object_add(one, "wire_bytes", json_object_new_double(found[p][w].wire_bytes));
			json_object_array_add(list, one);
		}
	}
	puts(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY));
	json_object_put(list);
	return 0;
}

int bench_stores(int argc, char **argv)
{
	struct request r = {
		.bytes = UINT64_C(64) << 20, .stores = 1000000, .rounds = 15, .patterns = (1u << MEASURE_PATTERNS) - 1
	};
	found_stores found = { { { 0 } } };
	struct failure error;
	char own[32], device[160];
	int status = option_read_all(argc, argv, &command, &r);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	snprintf(own, sizeof(own), "bench-%ld", (long)getpid());
	snprintf(device, sizeof(device), "local:%.100s,endpoints=2,memory=%llu", r.name ? r.name : own,
		 (unsigned long long)r.bytes);
	if (measure_stores(device, r.bytes, (unsigned)r.stores, (unsigned)r.rounds, r.patterns, found, &error)) {
		fprintf(stderr, "gpulink-bench: %s\n", error.text);
		return EXIT_FAILURE;
	}
	if (r.output == OUTPUT_JSON)
		status = print_json(found);
	else if (r.output == OUTPUT_CSV)
		print_csv(found);
	else
		bench_stores_print_table(found);
	if (!status)
		return EXIT_SUCCESS;
	fprintf(stderr, "gpulink-bench: output: %s\n", strerror(ENOMEM));
	return EXIT_FAILURE;
}
