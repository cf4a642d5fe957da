// SPDX-License-Identifier: Apache-2.0
#include "convert.h"

#include "../../common/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "option_value.h"
#include "run.h"
#include "trace/trace.h"

enum { GPUS = 256, SOURCE, MEMORY };

static const struct option known[] = {
	{ "gpus", required_argument, NULL, GPUS },
	{ "source", required_argument, NULL, SOURCE },
	{ "memory", required_argument, NULL, MEMORY },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char help[] =
	"usage: gpulink-replay convert IN OUT [OPTION...]\n"
	"Converts a trace, or what another tool recorded, to .glt, .glt.zst or .csv, by the name of OUT. IN is recognized by its contents:\n"
	"  traces             .glt, CSV, MGPUSim packet records\n"
	"  memory accesses    NVBit's mem_trace, Accel-Sim's .traceg\n"
	"  copies             nsys export --type sqlite, rocprofv3 --output-format json\n"
	"  collectives        PyTorch's profiler, execution traces (Chakra), NCCL_DEBUG=INFO\n"
	"Options, for records of other tools:\n"
	"  --memory GPU:FIRST-END  addresses from FIRST to below END are in this GPU's memory; repeatable\n"
	"  --source GPU            GPU whose accesses an Accel-Sim trace has (0)\n"
	"  --gpus N                number of GPUs, if the records show fewer, up to 64\n";

/* GPU:FIRST-END */
static int take_memory(struct import_options *o, const char *value)
{
	uint64_t gpu, first, end;
	const char *at = glk_number_take(value, 10, REPLAY_GPUS_MAX - 1, &gpu);

	at = at && *at == ':' ? glk_number_take(at + 1, 0, REPLAY_ADDRESS_END, &first) : NULL;
	if (at && *at == '-' && glk_number(at + 1, 0, REPLAY_ADDRESS_END, &end) && first < end &&
	    o->ranges < IMPORT_RANGES_MAX) {
		o->range[o->ranges++] = (struct import_range){ .gpu = (unsigned)gpu, .first = first, .end = end };
		return 0;
	}
	return option_wrong("memory", value,
			    "GPU:FIRST-END, a GPU from 0 to 63, FIRST below END, END at most 2^48; at most 256 times");
}

static int convert_take(void *user, int option, const char *value)
{
	struct import_options *o = user;
	uint64_t n = 0;
	int status;

	switch (option) {
	case MEMORY: return take_memory(o, value);
	case GPUS:
		status = option_number("gpus", value, 1, REPLAY_GPUS_MAX, &n);
		o->gpus = (unsigned)n;
		return status;
	case SOURCE:
		status = option_number("source", value, 0, REPLAY_GPUS_MAX - 1, &n);
		o->source = (unsigned)n;
		return status;
	default: return -1;
	}
}

int convert(int argc, char **argv)
{
	const struct option_command command = { .name = "convert", .help = help, .known = known, .take = convert_take };
	struct failure error = { 0 };
	char *in, *out;
	struct import_options options = { 0 };
	int status;

	if (argc < 3 || (argv[1][0] == '-' && argv[1][1]) || (argv[2][0] == '-' && argv[2][1]))
		return option_usage(argc, argv, help);
	in = argv[1];
	out = argv[2];
	argv[2] = argv[0]; /* the word before the options */
	status = option_read_all(argc - 2, argv + 2, &command, &options);
	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	status = import_convert(in, out, &options, &error);
	if (status == -ENOTSUP && !error.text[0])
		status = replay_trace_convert(in, out, &error);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}
