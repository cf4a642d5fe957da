// SPDX-License-Identifier: Apache-2.0
/* gpulink-bench pool. */
#include "bench_pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include <gpulink_pool.h>
#include <measure_pool.h>
#include <option_value.h>

enum { DEVICE = 256, GRAIN, LINES, REPETITIONS };

struct request {
	const char *device;
	uint64_t grain, lines, repetitions;
	enum output output;
};

static int bench_pool_take(void *user, int option, const char *value)
{
	struct request *r = user;

	switch (option) {
	case DEVICE: r->device = value; return 0;
	case GRAIN: return option_power_of_two("grain", value, GPULINK_GRAIN_MIN, GPULINK_GRAIN_MAX, &r->grain);
	case LINES: return option_number("lines", value, 2, 65536, &r->lines);
	case REPETITIONS: return option_number("repetitions", value, 1, 10001, &r->repetitions);
	case 'o': return option_output(value, &r->output);
	default: return -1;
	}
}

static const struct option_command command = {
	.name = "pool",
	.known =
		(const struct option[]){
			{ "device", required_argument, NULL, DEVICE },
			{ "grain", required_argument, NULL, GRAIN },
			{ "lines", required_argument, NULL, LINES },
			{ "repetitions", required_argument, NULL, REPETITIONS },
			{ "output", required_argument, NULL, 'o' },
			{ "help", no_argument, NULL, 'h' },
			{ 0 },
		},
	.take = bench_pool_take,
	.help = "usage: gpulink-bench pool --device DEVICE [OPTION...]\n"
		"Measures accesses to a new pool object: from leased copies, renewals, past the copies, and stores.\n"
		"  --device DEVICE     gpulink0, or soft:\n"
		"  --grain BYTES       of a line: a power of two, 64 to 4096 (256)\n"
		"  --lines N           accessed in a row for each time, 2 to 65536 (256)\n"
		"  --repetitions N     of each time; their median counts (31)\n"
		"  -o, --output FORM   table, json or csv (table)\n"
		"  -h, --help          show this help and exit\n",
};

static void print_pays(const char *of, double times)
{
	if (times < 0)
		printf("copies of %s never pay\n", of);
	else
		printf("copies of %s pay from the %.0f. load again of a miss on\n", of, times < 1 ? 1 : times + 0.5);
}

static void bench_pool_print_table(const struct request *r, const struct measure_pool_time *times)
{
	printf("%s, lines of %u bytes: ns, median and spread\n", r->device, (unsigned)r->grain);
	for (unsigned a = 0; a < MEASURE_POOL_ACCESSES; a++)
		printf("  %-30s  %12.1f  %10.1f\n", measure_pool_names[a], times[a].ns, times[a].spread);
	print_pays("words of 8 bytes", measure_pool_pays(times, 0));
	print_pays("lines", measure_pool_pays(times, 1));
}

static void print_csv(const struct measure_pool_time *times)
{
	puts("access,ns,spread");
	for (unsigned a = 0; a < MEASURE_POOL_ACCESSES; a++)
		printf("\"%s\",%.1f,%.1f\n", measure_pool_names[a], times[a].ns, times[a].spread);
}

static int print_json(const struct request *r, const struct measure_pool_time *times)
{
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();

	if (!all || !list)
		return -1;
	json_object_object_add(all, "device", json_object_new_string(r->device));
	json_object_object_add(all, "grain", json_object_new_int((int)r->grain));
	json_object_object_add(all, "accesses", list);
	for (unsigned a = 0; a < MEASURE_POOL_ACCESSES; a++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "access", json_object_new_string(measure_pool_names[a]));
		json_object_object_add(one, "ns", json_object_new_double(times[a].ns));
		json_object_object_add(one, "spread", json_object_new_double(times[a].spread));
		json_object_array_add(list, one);
	}
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(all);
	return 0;
}

int bench_pool(int argc, char **argv)
{
	struct request r = { .grain = GPULINK_GRAIN_DEFAULT, .lines = 256, .repetitions = 31 };
	struct measure_pool_time times[MEASURE_POOL_ACCESSES] = { { 0 } };
	struct failure error;
	int status = option_read_all(argc, argv, &command, &r);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (!r.device) {
		fputs("gpulink-bench: --device is missing: must be gpulinkN, /dev/gpulinkN or soft:\n", stderr);
		return 2;
	}
	if (measure_pool(r.device, (uint32_t)r.grain, (unsigned)r.lines, (unsigned)r.repetitions, times, &error)) {
		fprintf(stderr, "gpulink-bench: %s\n", error.text);
		return EXIT_FAILURE;
	}
	if (r.output == OUTPUT_JSON)
		status = print_json(&r, times);
	else if (r.output == OUTPUT_CSV)
		print_csv(times);
	else
		bench_pool_print_table(&r, times);
	if (!status)
		return EXIT_SUCCESS;
	fprintf(stderr, "gpulink-bench: output: %s\n", strerror(ENOMEM));
	return EXIT_FAILURE;
}
