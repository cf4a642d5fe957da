// SPDX-License-Identifier: Apache-2.0
#include "stream_options.h"

#include <stddef.h>
#include <stdio.h>

#include "option_value.h"
#include "stream.h"

static const struct option_field fields[] = {
	{ STREAM_GPUS, "gpus", false, 2, REPLAY_GPUS_MAX, offsetof(struct stream_options, gpus) },
	{ STREAM_ITERATIONS, "iterations", false, 0, 1000000, offsetof(struct stream_options, iterations) },
	{ STREAM_ELEMENT, "element", true, 4, 8, offsetof(struct stream_options, element) },
};

int stream_options_take(struct stream_options *o, int option, const char *value)
{
	switch (option) {
	case STREAM_WORKLOAD: o->workload = value; return 0;
	case STREAM_TRACE: o->trace = value; return 0;
	case STREAM_INPUT: o->input = value; return 0;
	case STREAM_SIZE: return option_number("size", value, 0, UINT64_MAX, &o->size);
	case STREAM_SEED: return option_number("seed", value, 0, UINT64_MAX, &o->seed);
	case STREAM_HALO_COPIES: o->halo_copies = true; return 0;
	default: return option_set_field(fields, sizeof(fields) / sizeof(fields[0]), option, value, o);
	}
}

int stream_options_check(const struct stream_options *o)
{
	if (!o->workload == !o->trace) {
		fputs("gpulink-replay: a stream is required: either --workload NAME or --trace FILE\n", stderr);
		return -1;
	}
	if (o->trace && (o->input || o->halo_copies)) {
		fprintf(stderr, "gpulink-replay: %s: requires --workload\n", o->input ? "--input" : "--halo-copies");
		return -1;
	}
	return 0;
}
