// SPDX-License-Identifier: Apache-2.0
/* gpulink-bench: measures a device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json.h>

#include <measure.h>
#include <option_value.h>

#include "../../common/close_output.h"
#include "bench_pool.h"
#include "bench_stores.h"

static const char help[] = "usage: gpulink-bench COMMAND [OPTION...]\n"
			   "  loggop      determine LogGOP parameters of ways to send on a device\n"
			   "  pool        measure accesses to a pool object of a device\n"
			   "  stores      measure small stores on a local: device\n"
			   "Options:\n"
			   "  -V, --version  show version and exit\n"
			   "  -h, --help     show this help, or that of a command, and exit\n"
			   "See also gpulink-bench(1).\n";

enum { DEVICE = 256, WAY, PATH, PARTITION, OFFSET, LEAST, MOST, REPETITIONS };
enum { PARTITION_MAX = 63 };

struct request {
	const char *device;
	struct measure_plan plan;
	uint64_t partition, repetitions;
	enum output output;
};

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

/* --- options --- */

struct names {
	const char *const *names;
	unsigned count, *mask;
};

static bool take_name(void *user, unsigned at, const char *name)
{
	const struct names *known = user;

	(void)at;
	for (unsigned i = 0; i < known->count; i++)
		if (strcmp(known->names[i], name) == 0) {
			*known->mask |= 1u << i;
			return true;
		}
	return false;
}

static int take_ways(struct request *r, const char *value)
{
	struct names known = { measure_way_names, MEASURE_WAYS, &r->plan.ways };

	r->plan.ways = 0;
	return option_list("way", value, "window, scatter, inline, put, putv or get", take_name, &known);
}

static int take_paths(struct request *r, const char *value)
{
	struct names known = { measure_path_names, MEASURE_PATHS, &r->plan.paths };

	r->plan.paths = 0;
	return option_list("path", value, "ioctl, io_uring, asleep, polling or doorbell", take_name, &known);
}

static int take_offset(struct request *r, const char *value)
{
	if (option_number("offset", value, 0, UINT64_MAX / 2, &r->plan.offset))
		return -1;
	return r->plan.offset % 4096 ? option_wrong("offset", value, "a multiple of 4096") : 0;
}

static int bench_take(void *user, int option, const char *value)
{
	struct request *r = user;

	switch (option) {
	case DEVICE: r->device = value; return 0;
	case WAY: return take_ways(r, value);
	case PATH: return take_paths(r, value);
	case PARTITION: return option_number("partition", value, 0, PARTITION_MAX, &r->partition);
	case OFFSET: return take_offset(r, value);
	case LEAST: return option_number("least", value, 1, MEASURE_BYTES_MAX, &r->plan.least);
	case MOST: return option_number("most", value, 1, MEASURE_BYTES_MAX, &r->plan.most);
	case REPETITIONS: return option_number("repetitions", value, 1, MEASURE_REPETITIONS_MAX, &r->repetitions);
	case 'o': return option_output(value, &r->output);
	default: return -1;
	}
}

static const struct option_command loggop_command = {
	.name = "loggop",
	.known =
		(const struct option[]){
			{ "device", required_argument, NULL, DEVICE },
			{ "way", required_argument, NULL, WAY },
			{ "path", required_argument, NULL, PATH },
			{ "partition", required_argument, NULL, PARTITION },
			{ "offset", required_argument, NULL, OFFSET },
			{ "least", required_argument, NULL, LEAST },
			{ "most", required_argument, NULL, MOST },
			{ "repetitions", required_argument, NULL, REPETITIONS },
			{ "output", required_argument, NULL, 'o' },
			{ "help", no_argument, NULL, 'h' },
			{ 0 },
		},
	.take = bench_take,
	.help = "usage: gpulink-bench loggop --device DEVICE [OPTION...]\n"
		"Measures times of operations with releases, and fits L, o, O, g, G and S to them. Overwrites endpoint memory,\n"
		"up to 16 MiB of a partition. An interrupt ends the measurement, and what was measured is printed.\n"
		"  --device DEVICE     gpulink0, or soft: (also local: and ucx:)\n"
		"  --way LIST          window, scatter, inline, put, putv, get (all)\n"
		"  --path LIST         ioctl, io_uring, asleep, polling, doorbell (all that the device has)\n"
		"  --partition K       whose endpoint is written (0)\n"
		"  --offset BYTES      in the endpoint's memory, a multiple of 4096 (0)\n"
		"  --least BYTES       least size of a message (1)\n"
		"  --most BYTES        largest size of a message (16777216)\n"
		"  --repetitions N     of each time; their median counts (31)\n"
		"  -o, --output FORM   table, json or csv (table)\n"
		"  -h, --help          show this help and exit\n",
};

/* --- output --- */

static void print_curve(const char *name, const struct loggop_curve *c)
{
	for (unsigned i = 0; i < c->count; i++)
		printf("  %-9s %9.0f to %-9.0f  %12.1f + %.5g (s-1)\n", i ? "" : name, c->segment[i].from, c->segment[i].to,
		       c->segment[i].base, c->segment[i].slope);
	if (c->count)
		printf("  %-9s R2 %.4f, worst residual %.1f %%\n", "", c->r2, 100 * c->worst);
}

static void bench_print_table(const struct loggop_file *file)
{
	printf("%s, times in %s (%s)%s\n", file->device, file->unit, file->basis, file->complete ? "" : ", incomplete");
	for (unsigned i = 0; i < file->sets; i++) {
		const struct loggop_set *set = &file->set[i];

		printf("%s by %s: S %.1f", set->way, set->path, set->sync);
		if (set->latency >= 0)
			printf(", L %.1f", set->latency);
		putchar('\n');
		print_curve("single", &set->single);
		print_curve("overhead", &set->overhead);
		print_curve("gap", &set->gap);
	}
}

static int print_json(const struct loggop_file *file)
{
	struct json_object *object = loggop_file_object(file);

	if (!object)
		return -1;
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return 0;
}

static int print_file(const struct loggop_file *file, enum output output)
{
	int status = 0;

	if (output == OUTPUT_JSON)
		status = print_json(file);
	else if (output == OUTPUT_CSV)
		loggop_file_csv(stdout, file);
	else
		bench_print_table(file);
	if (!status)
		return EXIT_SUCCESS;
	fprintf(stderr, "gpulink-bench: output: %s\n", strerror(ENOMEM));
	return EXIT_FAILURE;
}

/* --- commands --- */

static void bench_tell(const char *way, const char *path, unsigned number, unsigned count)
{
	fprintf(stderr, "gpulink-bench: %s by %s, %u of %u\n", way, path, number, count);
}

static int bench_measure(const struct request *r)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	struct loggop_file file;
	struct failure error;
	int status, printed = EXIT_SUCCESS;

	if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL) || loggop_file_init(&file)) {
		fprintf(stderr, "gpulink-bench: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	status = measure_device(r->device, &r->plan, &file, &error);
	if (status)
		fprintf(stderr, "gpulink-bench: %s\n", error.text);
	else if (stop)
		fprintf(stderr, "gpulink-bench: interrupted: the measurement is incomplete\n");
	if (!status || file.sets)
		printed = print_file(&file, r->output);
	loggop_file_free(&file);
	return status || stop ? EXIT_FAILURE : printed;
}

static int loggop(int argc, char **argv)
{
	struct request r = { .plan = { .ways = (1u << MEASURE_WAYS) - 1, .least = 1, .most = MEASURE_BYTES_MAX, .stop = &stop },
			     .repetitions = 31 };
	int status = option_read_all(argc, argv, &loggop_command, &r);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (!r.device) {
		fputs("gpulink-bench: --device is missing: must be gpulinkN, /dev/gpulinkN, soft:, local: or ucx:\n", stderr);
		return 2;
	}
	if (r.plan.least > r.plan.most) {
		fputs("gpulink-bench: --least must be at most --most\n", stderr);
		return 2;
	}
	r.plan.partition = (unsigned)r.partition;
	r.plan.repetitions = (unsigned)r.repetitions;
	r.plan.begin = isatty(STDERR_FILENO) ? bench_tell : NULL;
	return bench_measure(&r);
}

int main(int argc, char **argv)
{
	close_output_at_exit();
	if (argc > 1 && strcmp(argv[1], "loggop") == 0)
		return loggop(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "pool") == 0)
		return bench_pool(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "stores") == 0)
		return bench_stores(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		puts("gpulink-bench " GLK_VERSION);
		return EXIT_SUCCESS;
	}
	if (argc > 1 && argv[1][0] != '-')
		fprintf(stderr, "gpulink-bench: %s: unknown command\n", argv[1]);
	return option_usage(argc, argv, help);
}
