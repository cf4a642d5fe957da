// SPDX-License-Identifier: Apache-2.0
#include "netcrafter_options.h"

#include <stddef.h>
#include <stdio.h>

enum {
	VARIANTS = STREAM_OPTIONS_END,
	WITHIN,
	BETWEEN,
	FLIT,
	QUEUE,
	CLOCKS,
	POOL,
	NO_SELECTIVE,
	NO_YIELDING,
	TRIM,
	BURST,
	TLB,
	UNIT_TLB,
	CLOCK
};

static const struct option known[] = {
	STREAM_OPTIONS_KNOWN,
	{ "variants", required_argument, NULL, VARIANTS },
	{ "within", required_argument, NULL, WITHIN },
	{ "between", required_argument, NULL, BETWEEN },
	{ "flit", required_argument, NULL, FLIT },
	{ "queue", required_argument, NULL, QUEUE },
	{ "clocks", required_argument, NULL, CLOCKS },
	{ "clock", required_argument, NULL, CLOCK },
	{ "pool", required_argument, NULL, POOL },
	{ "no-selective", no_argument, NULL, NO_SELECTIVE },
	{ "no-yielding", no_argument, NULL, NO_YIELDING },
	{ "trim", required_argument, NULL, TRIM },
	{ "burst", required_argument, NULL, BURST },
	{ "tlb", required_argument, NULL, TLB },
	{ "unit-tlb", required_argument, NULL, UNIT_TLB },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char help[] =
	"usage: gpulink-replay netcrafter (--workload NAME [--input FILE] | --trace FILE) [OPTION...]\n"
	"Simulates two clusters of GPUs on a narrow link, with and without NetCrafter. Defaults are in parentheses.\n"
	"Requests:\n"
	"  --trace FILE       MGPUSim packet records (.rtr), or the stores and loads of another trace\n"
	"  --workload NAME, --input FILE, --gpus N, --iterations N, --size N, --element BYTES, --seed N   as for run\n"
	"System:\n"
	"  --between GB/S     bandwidth of the link between the clusters, per direction: a power of two, 1 to 512 (16)\n"
	"  --within GB/S      bandwidth of each GPU's port, per direction: a power of two, 1 to 512 (128)\n"
	"  --flit BYTES       flit size, 8 or 16 (16); flits of 8 bytes are model only\n"
	"  --queue FLITS      size of each cluster queue, 600 to 4096 (1024)\n"
	"  --clocks N         clocks of the cluster queue per flit time, 1 to 8 (4)\n"
	"  --clock MHZ        this card's logic instead of the paper's: a clock for a flit or a piece, 1 to 2000 MHz (unconfirmed);\n"
	"                     plain and ideal have no card\n"
	"  --tlb ENTRIES      TLB entries per GPU, a power of two, 8 to 65536 (512)\n"
	"  --unit-tlb ENTRIES TLB entries per compute unit, a power of two, 1 to 64 (32)\n"
	"NetCrafter:\n"
	"  --pool NS          pooling time, 0 to 128 (32)\n"
	"  --no-selective     pool latency-critical flits too\n"
	"  --no-yielding      a pooled flit blocks its kind until its pooling time is over, even on an idle link\n"
	"  --trim BYTES       sector size: 4, 8, 16 or 32 (16)\n"
	"  --burst N          maximum latency-critical flits in a row while others wait, 1 to 255 (16)\n"
	"Output:\n"
	"  --variants LIST    variants to simulate, comma-separated (all):\n"
	"                     plain, ideal, stitching, pooling, trimming, sequencing, data-first, netcrafter, tuned, finepack, both\n"
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
	{ CLOCK, "clock", false, 1, 2000, offsetof(struct netcrafter_setting, card_mhz) },
	{ POOL, "pool", false, 0, 128, offsetof(struct netcrafter_setting, pool_ns) },
	{ TRIM, "trim", true, 4, 32, offsetof(struct netcrafter_setting, trim_bytes) },
	{ BURST, "burst", false, 1, 255, offsetof(struct netcrafter_setting, burst) },
	{ TLB, "tlb", true, 8, 65536, offsetof(struct netcrafter_setting, tlb_entries) },
	{ UNIT_TLB, "unit-tlb", true, 1, 64, offsetof(struct netcrafter_setting, unit_tlb_entries) },
};

static int netcrafter_options_take(void *options, int option, const char *value)
{
	struct netcrafter_options *o = options;
	int status;

	switch (option) {
	case VARIANTS:
		return option_list("variants", value,
				   "one of plain, ideal, stitching, pooling, trimming, sequencing, data-first, "
				   "netcrafter, tuned, finepack, both",
				   take_variant, o);
	case 'o': return option_output(value, &o->output);
	case NO_SELECTIVE: o->setting.selective = false; return 0;
	case NO_YIELDING: o->setting.yielding = false; return 0;
	default: break;
	}
	status = option_set_field(fields, sizeof(fields) / sizeof(fields[0]), option, value, &o->setting);
	if (status > 0)
		status = stream_options_take(&o->stream, option, value);
	return status ? -1 : 0; /* getopt has reported an unknown option */
}

static int together(const struct netcrafter_options *o)
{
	if (stream_options_check(&o->stream))
		return -1;
	if (!netcrafter_pool_valid(&o->setting)) {
		fprintf(stderr,
			"gpulink-replay: --pool %u: must be at most %u clocks of the cluster queue, at %g clocks per nanosecond\n",
			o->setting.pool_ns, GLK_POOL_CYCLES_MAX, netcrafter_clocks_ns(&o->setting));
		return -1;
	}
	return 0;
}

int netcrafter_options_read(int argc, char **argv, struct netcrafter_options *o)
{
	static const struct option_command command = {
		.name = "netcrafter", .help = help, .known = known, .take = netcrafter_options_take
	};
	int status;

	*o = (struct netcrafter_options){ .stream = STREAM_OPTIONS_DEFAULT };
	netcrafter_setting_default(&o->setting);
	for (unsigned i = 0; netcrafter_variant_at(i); i++)
		o->variants[i] = netcrafter_variant_at(i);
	status = option_read_all(argc, argv, &command, o);
	return status ? status : together(o);
}
