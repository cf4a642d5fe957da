// SPDX-License-Identifier: Apache-2.0
/* gpulink-model: the LogGOP model of ways to send. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include <option_value.h>
#include <simulate.h>
#include <study.h>
#include <terms.h>

#include "../../common/close_output.h"
#include "predict.h"
#include "scale_command.h"

static const char help[] = "usage: gpulink-model COMMAND [OPTION...]\n"
			   "  fit         SAMPLES: determine LogGOP parameters from measured times\n"
			   "  predict     predict the communication time of a trace's phases\n"
			   "  goal        write a trace as a GOAL schedule\n"
			   "  scale       predict memory, packets and time of stores between many processes\n"
			   "  simulate    SCHEDULE: simulate a GOAL schedule of sends and receives, as LogGOPSim does\n"
			   "  study       show the model of the NVSHMEM study (PMBS 2020)\n"
			   "Options:\n"
			   "  -V, --version  show version and exit\n"
			   "  -h, --help     show this help, or that of a command, and exit\n"
			   "See also gpulink-model(1).\n";

static int failed(const char *path, const char *error)
{
	fprintf(stderr, "gpulink-model: %s: %s\n", path, error);
	return EXIT_FAILURE;
}

static bool has_file(int argc, char **argv)
{
	return argc > 1 && argv[1][0] != '-';
}

static int fit(int argc, char **argv)
{
	static const char usage[] =
		"usage: gpulink-model fit SAMPLES\n"
		"Prints parameters as JSON. SAMPLES is CSV: device,unit,way,path,bytes,count,delay,time,spread,cpu\n"
		"  -h, --help  show this help and exit\n";
	struct json_object *object = NULL;
	struct loggop_file file;
	struct failure error;

	if (!has_file(argc, argv) || argc != 2)
		return option_usage(argc, argv, usage);
	if (loggop_file_init(&file))
		return failed("parameters", strerror(ENOMEM));
	if (loggop_file_read(&file, argv[1], &error)) {
		fprintf(stderr, "gpulink-model: %s\n", error.text);
	} else {
		object = loggop_file_object(&file);
		if (object)
			puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
		else
			failed(argv[1], strerror(ENOMEM));
	}
	loggop_file_free(&file);
	return json_object_put(object) ? EXIT_SUCCESS : EXIT_FAILURE;
}

enum { LATENCY = 256, OVERHEAD, OVERHEAD_BYTE, GAP, GAP_BYTE, EAGER };

struct simulation {
	struct loggops p;
	enum output output;
};

static int model_take(void *user, int option, const char *value)
{
	struct simulation *s = user;
	const uint64_t most = UINT64_C(1000000000000);

	switch (option) {
	case LATENCY: return option_number("latency", value, 0, most, &s->p.L);
	case OVERHEAD: return option_number("overhead", value, 0, most, &s->p.o);
	case OVERHEAD_BYTE: return option_number("overhead-byte", value, 0, most, &s->p.O);
	case GAP: return option_number("gap", value, 0, most, &s->p.g);
	case GAP_BYTE: return option_number("gap-byte", value, 0, most, &s->p.G);
	case EAGER: return option_number("eager", value, 0, UINT64_MAX, &s->p.S);
	case 'o': return option_output(value, &s->output);
	default: return -1;
	}
}

static void print_times(const struct simulation *s, const struct goal *goal, const uint64_t *times)
{
	if (s->output != OUTPUT_JSON)
		fputs(s->output == OUTPUT_CSV ? "rank,time\n" : "rank time\n", stdout);
	for (uint32_t r = 0; r < goal->rank_count; r++) {
		if (s->output == OUTPUT_JSON)
			fputs(r ? ",\n  { \"rank\": " : "[ { \"rank\": ", stdout);
		switch (s->output) {
		case OUTPUT_JSON: printf("%" PRIu32 ", \"time\": %" PRIu64 " }", r, times[r]); break;
		case OUTPUT_CSV: printf("%" PRIu32 ",%" PRIu64 "\n", r, times[r]); break;
		default: printf("%4" PRIu32 " %" PRIu64 "\n", r, times[r]); break;
		}
	}
	if (s->output == OUTPUT_JSON)
		puts(" ]");
}

static int simulate_file(const struct simulation *s, const char *path)
{
	struct failure error;
	FILE *from = fopen(path, "r");
	struct goal goal;
	uint64_t *times;
	int status;

	if (!from)
		return failed(path, strerror(errno));
	status = goal_read(from, &goal, &error);
	fclose(from);
	if (status)
		return failed(path, error.text);
	times = calloc(goal.rank_count, sizeof(*times));
	status = times ? simulate(&goal, &s->p, times) : -ENOMEM;
	if (!status)
		print_times(s, &goal, times);
	free(times);
	goal_free(&goal);
	if (status)
		return failed(path, status == -EPROTO ? "operations can never start, or messages have no receive" :
							strerror(-status));
	return EXIT_SUCCESS;
}

static int simulate_command(int argc, char **argv)
{
	static const struct option known[] = {
		{ "latency", required_argument, NULL, LATENCY }, { "overhead", required_argument, NULL, OVERHEAD },
		{ "overhead-byte", required_argument, NULL, OVERHEAD_BYTE }, { "gap", required_argument, NULL, GAP },
		{ "gap-byte", required_argument, NULL, GAP_BYTE }, { "eager", required_argument, NULL, EAGER },
		{ "output", required_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	static const struct option_command command = {
		.name = "simulate",
		.known = known,
		.take = model_take,
		.help = "usage: gpulink-model simulate SCHEDULE [OPTION...]\n"
			"Prints when each rank of a GOAL schedule ends. Times are integers of one unit; picoseconds keep digits.\n"
			"  --latency TIME        L, of a message (0)\n"
			"  --overhead TIME       o, of a CPU per message (0)\n"
			"  --overhead-byte TIME  O, of a CPU per byte (0)\n"
			"  --gap TIME            g, of a NIC per message (0)\n"
			"  --gap-byte TIME       G, of a NIC per byte (0)\n"
			"  --eager BYTES         S, the longest message that does not wait for its receive (65535)\n"
			"  -o, --output FORM     table, json or csv (table)\n"
			"  -h, --help            show this help and exit\n",
	};
	struct simulation s = { .p = { .S = 65535 } };
	int status;

	if (!has_file(argc, argv))
		return option_usage(argc, argv, command.help);
	status = option_read_all(argc - 1, argv + 1, &command, &s);
	return status ? (status > 0 ? EXIT_SUCCESS : 2) : simulate_file(&s, argv[1]);
}

enum { STUDY_LAUNCHES = 2 };
static const double launches[STUDY_LAUNCHES] = { 5000, 2000 }; /* of a kernel, ns (section VI) */

/* Times per message of many in a row, and speed-ups. */
static void study_pipelined_json(const char *name, double bytes, bool message)
{
	double verbs, host, device;

	printf(", \"%s\": {", name);
	if (bytes > 0) {
		verbs = study_pipelined(STUDY_VERBS, bytes, message);
		host = study_pipelined(STUDY_HOST, bytes, message);
		device = study_pipelined(STUDY_DEVICE, bytes, message);
		printf(" \"verbs\": %.1f, \"host\": %.1f, \"device\": %.1f, \"speedup\": %.4f, \"device_speedup\": %.4f",
		       verbs, host, device, study_speedup(host, verbs), study_speedup(device, verbs));
	}
	printf(" }");
}

/* One size: times, and speed-ups of a ported program (Figs. 9 to 11), by get as by put. */
static void study_row_json(double bytes)
{
	printf("{ \"bytes\": %.0f, \"single\": {", bytes);
	for (unsigned w = 0; w < STUDY_WAYS; w++)
		printf("%s \"%s\": %.1f", w ? "," : "", study_rows[w].name, study_single((enum study_way)w, bytes));
	printf(" }, \"speedup\": {");
	for (unsigned w = 0; w < STUDY_WAYS; w++) {
		double one = study_single((enum study_way)w, bytes), cpu = study_processor(study_rows[w].get, bytes);

		if (study_rows[w].device)
			printf(", \"%s\": %.4f", study_rows[w].name, study_speedup(one, cpu));
		for (unsigned l = 0; !study_rows[w].device && l < STUDY_LAUNCHES; l++)
			printf("%s \"%s, launch %.0f\": %.4f", w + l ? "," : "", study_rows[w].name, launches[l],
			       study_speedup(one + launches[l], cpu));
	}
	printf(" }");
	study_pipelined_json("pipelined", bytes, false);
	study_pipelined_json("pipelined_by_message", bytes, true);
	printf(" }");
}

/* Powers of two, and the 100 bytes that the study names. */
static void study_json(void)
{
	putchar('[');
	for (unsigned bytes = 0; bytes <= 1u << 24; bytes = bytes ? bytes * 2 : 1) {
		fputs(bytes ? ",\n" : "\n", stdout);
		study_row_json(bytes);
		if (bytes == 64) {
			fputs(",\n", stdout);
			study_row_json(100);
		}
	}
	puts("\n]");
}

static void study_table(char separator)
{
	const bool csv = separator == ',';

	printf(csv ? "bytes" : "%8s", "bytes");
	for (unsigned w = 0; w < STUDY_WAYS; w++)
		printf(csv ? ",%s" : " %12s", study_rows[w].name);
	puts(csv ? ",verbs pipelined,host pipelined,device pipelined" : "  pipelined: verbs, host, device");
	for (unsigned bytes = 0; bytes <= 1u << 20; bytes = bytes ? bytes * 8 : 8) {
		printf(csv ? "%u" : "%8u", bytes);
		for (unsigned w = 0; w < STUDY_WAYS; w++)
			printf(csv ? ",%.0f" : " %12.0f", study_single((enum study_way)w, bytes));
		for (unsigned p = 0; p < STUDY_PIPELINES; p++) {
			if (bytes)
				printf(csv ? ",%.1f" : " %9.1f", study_pipelined((enum study_pipeline)p, bytes, false));
			else if (csv)
				putchar(',');
		}
		putchar('\n');
	}
}

static int take_study(void *user, int option, const char *value)
{
	return option == 'o' ? option_output(value, user) : -1;
}

static int study(int argc, char **argv)
{
	static const struct option known[] = {
		{ "output", required_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	static const struct option_command command = {
		.name = "study",
		.known = known,
		.take = take_study,
		.help = "usage: gpulink-model study [OPTION...]\nTimes in ns; blocking messages by equations 1 to 4.\n"
			"  -o, --output FORM  table, json or csv; json has speed-ups of ported programs, too (table)\n"
			"  -h, --help         show this help and exit\n",
	};
	enum output output = OUTPUT_TABLE;
	int status = option_read_all(argc, argv, &command, &output);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (output == OUTPUT_JSON)
		study_json();
	else
		study_table(output == OUTPUT_CSV ? ',' : ' ');
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*function)(int argc, char **argv);
	} commands[] = { { "fit", fit },
			 { "predict", predict_command },
			 { "goal", goal_command },
			 { "simulate", simulate_command },
			 { "scale", scale_command },
			 { "study", study } };

	close_output_at_exit();
	for (unsigned i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].function(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		puts("gpulink-model " GLK_VERSION);
		return EXIT_SUCCESS;
	}
	if (argc > 1 && argv[1][0] != '-')
		fprintf(stderr, "gpulink-model: %s: unknown command\n", argv[1]);
	return option_usage(argc, argv, help);
}
