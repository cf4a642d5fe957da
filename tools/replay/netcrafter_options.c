// SPDX-License-Identifier: Apache-2.0
#include "netcrafter_options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
	WORKLOAD = 256, TRACE, INPUT, GPUS, ITERATIONS, SIZE, ELEMENT, SEED, VARIANTS, WITHIN, BETWEEN, FLIT, QUEUE, CLOCKS, POOL,
	NO_SELECTIVE, NO_YIELDING, TRIM, BURST, TLB
};

static const struct option known[] = {
	{ "workload", required_argument, NULL, WORKLOAD },
	{ "trace", required_argument, NULL, TRACE },
	{ "input", required_argument, NULL, INPUT },
	{ "gpus", required_argument, NULL, GPUS },
	{ "iterations", required_argument, NULL, ITERATIONS },
	{ "size", required_argument, NULL, SIZE },
	{ "element", required_argument, NULL, ELEMENT },
	{ "seed", required_argument, NULL, SEED },
	{ "variants", required_argument, NULL, VARIANTS },
	{ "within", required_argument, NULL, WITHIN },
	{ "between", required_argument, NULL, BETWEEN },
	{ "flit", required_argument, NULL, FLIT },
	{ "queue", required_argument, NULL, QUEUE },
	{ "clocks", required_argument, NULL, CLOCKS },
	{ "pool", required_argument, NULL, POOL },
	{ "no-selective", no_argument, NULL, NO_SELECTIVE },
	{ "no-yielding", no_argument, NULL, NO_YIELDING },
	{ "trim", required_argument, NULL, TRIM },
	{ "burst", required_argument, NULL, BURST },
	{ "tlb", required_argument, NULL, TLB },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char help[] =
	"usage: gpulink-replay netcrafter (--workload NAME [--input FILE] | --trace FILE) [OPTION...]\n"
	"what the GPUs ask of each other\n"
	"  --trace FILE       the simulator's packet records (.rtr), or another trace's stores and loads\n"
	"  --workload NAME, --input FILE, --gpus N, --iterations N, --size N, --element BYTES, --seed N   as for run\n"
	"the system\n"
	"  --between GB/S     of the link between the two clusters, each way: a power of two, 1 to 512 (16)\n"
	"  --within GB/S      of each GPU's port, likewise (128)\n"
	"  --flit BYTES       8 or 16 (16)\n"
	"  --queue FLITS      of a cluster queue, 600 to 4096 (1024)\n"
	"  --clocks N         of a cluster queue in the time of a flit, 1 to 8 (4)\n"
	"  --tlb ENTRIES      of each GPU, a power of two, 8 to 65536 (512)\n"
	"NetCrafter\n"
	"  --pool NS          how long a flit is pooled, 0 to 128 (32)\n"
	"  --no-selective     latency-critical flits are pooled too\n"
	"  --no-yielding      a pooled flit holds its kind until its time is over, also when the link has nothing else to do\n"
	"  --trim BYTES       of a sector: 4, 8, 16 or 32 (16)\n"
	"  --burst N          latency-critical flits in a row while others wait, 1 to 255 (16)\n"
	"what is told\n"
	"  --variants LIST    of plain,ideal,stitching,pooling,trimming,sequencing,netcrafter,tuned,finepack,both (all)\n"
	"  -o, --output FORM  table, json or csv (table)\n";

static int variants(struct netcrafter_options *o, const char *list)
{
	unsigned count = 0;

	for (size_t length; list[0]; list += length + (list[length] == ',')) {
		const struct netcrafter_variant *v;
		char name[32];

		length = strcspn(list, ",");
		if (!length)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)), list);
		v = netcrafter_variant_named(name);
		if (!v || count == VARIANTS_MAX)
			return option_wrong("variants", name, "plain, ideal, stitching, pooling, trimming, sequencing, netcrafter, "
					    "tuned, finepack, both");
		o->variants[count++] = v;
	}
	o->variants[count] = NULL;
	return count ? 0 : option_wrong("variants", "(nothing)", "one at least");
}

static int of_stream(struct options *o, int option, const char *value)
{
	uint64_t n = 0;
	int bad = 0;

	switch (option) {
	case WORKLOAD: o->workload = value; return 0;
	case TRACE: o->trace = value; return 0;
	case INPUT: o->input = value; return 0;
	case SIZE: return option_number("size", value, 0, UINT64_MAX, &o->size);
	case SEED: return option_number("seed", value, 0, UINT64_MAX, &o->seed);
	case GPUS:
		bad = option_number("gpus", value, 2, REPLAY_GPUS_MAX, &n);
		o->gpus = (unsigned)n;
		return bad;
	case ITERATIONS:
		bad = option_number("iterations", value, 0, 1000000, &n);
		o->iterations = (unsigned)n;
		return bad;
	case ELEMENT:
		bad = option_power_of_two("element", value, 4, 8, &n);
		o->element = (unsigned)n;
		return bad;
	default: return -1; /* getopt has said it */
	}
}

/* Where the options' numbers go, and what they may be. */
static const struct {
	int option;
	const char *name;
	bool power_of_two;
	uint64_t least, most;
	size_t offset;
} numbers[] = {
	{ WITHIN, "within", true, 1, 512, offsetof(struct netcrafter_setting, within) },
	{ BETWEEN, "between", true, 1, 512, offsetof(struct netcrafter_setting, between) },
	{ FLIT, "flit", true, 8, 16, offsetof(struct netcrafter_setting, flit_bytes) },
	{ QUEUE, "queue", false, 600, 4096, offsetof(struct netcrafter_setting, queue_entries) },
	{ CLOCKS, "clocks", false, 1, 8, offsetof(struct netcrafter_setting, clocks) },
	{ POOL, "pool", false, 0, 128, offsetof(struct netcrafter_setting, pool_ns) },
	{ TRIM, "trim", true, 4, 32, offsetof(struct netcrafter_setting, trim_bytes) },
	{ BURST, "burst", false, 1, 255, offsetof(struct netcrafter_setting, burst) },
	{ TLB, "tlb", true, 8, 65536, offsetof(struct netcrafter_setting, tlb_entries) },
};

static int one(struct netcrafter_options *o, int option, const char *value)
{
	switch (option) {
	case VARIANTS: return variants(o, value);
	case 'o': return option_output(value, &o->output);
	case NO_SELECTIVE: o->setting.selective = false; return 0;
	case NO_YIELDING: o->setting.yielding = false; return 0;
	default: break;
	}
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		unsigned *to = (unsigned *)((char *)&o->setting + numbers[i].offset);
		int (*read)(const char *, const char *, uint64_t, uint64_t, uint64_t *) =
			numbers[i].power_of_two ? option_power_of_two : option_number;
		uint64_t n = 0;

		if (numbers[i].option != option)
			continue;
		if (read(numbers[i].name, value, numbers[i].least, numbers[i].most, &n))
			return -1;
		*to = (unsigned)n;
		return 0;
	}
	return of_stream(&o->stream, option, value);
}

static int together(const struct netcrafter_options *o)
{
	if (!o->stream.workload == !o->stream.trace) {
		fputs("gpulink-replay: a stream is needed: either --workload NAME or --trace FILE\n", stderr);
		return -1;
	}
	if (o->stream.trace && o->stream.input) {
		fputs("gpulink-replay: --input is a workload's; a trace has none\n", stderr);
		return -1;
	}
	if (!netcrafter_pool_valid(&o->setting)) {
		fprintf(stderr,
			"gpulink-replay: --pool %u: allowed are %u clocks of the cluster queue, of which a nanosecond has %g here\n",
			o->setting.pool_ns, GLK_POOL_CYCLES_MAX, netcrafter_clocks_ns(&o->setting));
		return -1;
	}
	return 0;
}

int netcrafter_options_read(int argc, char **argv, struct netcrafter_options *o)
{
	int option;

	optind = 0;
	*o = (struct netcrafter_options){ .stream = { .gpus = 4, .seed = 1 } };
	netcrafter_setting_default(&o->setting);
	for (unsigned i = 0; netcrafter_variant_at(i); i++)
		o->variants[i] = netcrafter_variant_at(i);
	while ((option = getopt_long(argc, argv, "o:h", known, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 1;
		}
		if (one(o, option, optarg))
			return -1;
	}
	if (optind < argc) {
		fprintf(stderr, "gpulink-replay: %s: not an option; see gpulink-replay netcrafter --help\n", argv[optind]);
		return -1;
	}
	return together(o);
}
