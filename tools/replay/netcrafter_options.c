// SPDX-License-Identifier: Apache-2.0
#include "netcrafter_options.h"

#include <stddef.h>
#include <stdio.h>

enum {
	VARIANTS = STREAM_OPTIONS_END, WITHIN, BETWEEN, FLIT, QUEUE, CLOCKS, POOL, NO_SELECTIVE, NO_YIELDING, TRIM, BURST, TLB
};

static const struct option known[] = {
	STREAM_OPTIONS_KNOWN,
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

static bool take_variant(void *options, unsigned place, const char *name)
{
	const struct netcrafter_variant *v = netcrafter_variant_named(name);
	struct netcrafter_options *o = options;

	if (!v || place == VARIANTS_MAX)
		return false;
	o->variants[place] = v;
	o->variants[place + 1] = NULL;
	return true;
}

static const struct option_field fields[] = {
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

static int take(void *options, int option, const char *value)
{
	struct netcrafter_options *o = options;
	int status;

	switch (option) {
	case VARIANTS:
		return option_list("variants", value, "plain, ideal, stitching, pooling, trimming, sequencing, netcrafter, tuned, "
				   "finepack, both", take_variant, o);
	case 'o': return option_output(value, &o->output);
	case NO_SELECTIVE: o->setting.selective = false; return 0;
	case NO_YIELDING: o->setting.yielding = false; return 0;
	default: break;
	}
	status = option_set_field(fields, sizeof(fields) / sizeof(fields[0]), option, value, &o->setting);
	if (status > 0)
		status = stream_options_take(&o->stream, option, value);
	return status ? -1 : 0; /* of what is no option getopt has said it */
}

static int together(const struct netcrafter_options *o)
{
	if (stream_options_check(&o->stream))
		return -1;
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
	static const struct option_command command = { .name = "netcrafter", .help = help, .known = known, .take = take };
	int status;

	*o = (struct netcrafter_options){ .stream = STREAM_OPTIONS_DEFAULT };
	netcrafter_setting_default(&o->setting);
	for (unsigned i = 0; netcrafter_variant_at(i); i++)
		o->variants[i] = netcrafter_variant_at(i);
	status = option_read_all(argc, argv, &command, o);
	return status ? status : together(o);
}
