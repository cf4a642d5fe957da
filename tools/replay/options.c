// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paradigm/parallel.h"

enum { SUBHEADER = STREAM_OPTIONS_END, PAYLOAD, ENTRIES, LINK, ECRC, PARADIGMS, LATENCY, BUFFER, NO_TIME, JOBS };

static const struct option known[] = {
	STREAM_OPTIONS_KNOWN,
	{ "subheader", required_argument, NULL, SUBHEADER },
	{ "payload", required_argument, NULL, PAYLOAD },
	{ "entries", required_argument, NULL, ENTRIES },
	{ "link", required_argument, NULL, LINK },
	{ "ecrc", no_argument, NULL, ECRC },
	{ "paradigms", required_argument, NULL, PARADIGMS },
	{ "latency", required_argument, NULL, LATENCY },
	{ "buffer", required_argument, NULL, BUFFER },
	{ "no-time", no_argument, NULL, NO_TIME },
	{ "jobs", required_argument, NULL, JOBS },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char help[] =
	"usage: gpulink-replay run (--workload NAME [--input FILE] | --trace FILE) [OPTION...]\n"
	"what the stream\n"
	"  --workload NAME    run this algorithm and take its stores (gpulink-replay list)\n"
	"  --input FILE       its matrix or graph: Matrix Market, edge list, METIS; plain or gzip\n"
	"  --gpus N           2 to 64 (4)\n"
	"  --iterations N     how many (0: the workload's own)\n"
	"  --size N           how large what it makes up is (0: the workload's own; list tells what counts)\n"
	"  --element BYTES    of what it stores, where it lets choose: 4 or 8\n"
	"  --seed N           of what it makes up (1)\n"
	"  --trace FILE       take a trace; - is standard input\n"
	"how it is sent\n"
	"  --link NAME        pcie1 to pcie6, nvlink (pcie4)\n"
	"  --ecrc             with an end-to-end CRC\n"
	"  --payload BYTES    most of one transaction: 128, 256, 512, 1024, 2048 or 4096 (4096; nvlink 256)\n"
	"  --subheader BYTES  2 to 6 (5)\n"
	"  --entries N        lines of the write queue of each destination: 16, 32 or 64 (64)\n"
	"  --paradigms LIST   of p2p,write-combining,dma,finepack,compact,config-packet,narrow (all but narrow)\n"
	"  --latency NS       of the link, 0 to 1000000 (700)\n"
	"  --buffer BYTES     that wait before a source's link until it stalls (65536)\n"
	"what is told\n"
	"  --no-time          bytes alone, which is faster\n"
	"  --jobs N           threads, 1 to 64 (1); more than 1 only with --no-time\n"
	"  -o, --output FORM  table, json or csv (table)\n";

static bool take_paradigm(void *options, unsigned place, const char *name)
{
	const struct paradigm *p = paradigm_named(name);
	struct options *o = options;

	if (!p || place == COMPARISON_PARADIGMS_MAX)
		return false;
	o->paradigms[place] = p;
	o->paradigms[place + 1] = NULL;
	return true;
}

static const struct option_field fields[] = {
	{ SUBHEADER, "subheader", false, 2, 6, offsetof(struct options, setting.subheader_bytes) },
	{ ENTRIES, "entries", true, 16, 64, offsetof(struct options, setting.queue_entries) },
	{ JOBS, "jobs", false, 1, PARALLEL_JOBS_MAX, offsetof(struct options, jobs) },
};

/* What options gather that can only be judged together. */
struct gathered {
	struct options *options;
	uint64_t payload;
	bool ecrc;
};

static int link_named(struct options *o, const char *name)
{
	const struct link *link = link_preset(name);

	if (!link)
		return option_wrong("link", name, "pcie1, pcie2, pcie3, pcie4, pcie5, pcie6, nvlink");
	o->setting.link = *link;
	return 0;
}

static int take(void *gathered, int option, const char *value)
{
	struct gathered *g = gathered;
	struct options *o = g->options;
	uint64_t n = 0;
	int status;

	switch (option) {
	case ECRC: g->ecrc = true; return 0;
	case LINK: return link_named(o, value);
	case PARADIGMS:
		return option_list("paradigms", value, "p2p, write-combining, dma, finepack, compact, config-packet, narrow",
				   take_paradigm, o);
	case 'o': return option_output(value, &o->output);
	case PAYLOAD: return option_power_of_two("payload", value, 128, 4096, &g->payload);
	case NO_TIME: o->timed = false; return 0;
	case BUFFER: return option_number("buffer", value, 4096, 1u << 30, &o->timing.buffer_bytes);
	case LATENCY:
		status = option_number("latency", value, 0, 1000000, &n);
		o->timing.latency_ps = n * 1000;
		return status;
	default: break;
	}
	status = option_set_field(fields, sizeof(fields) / sizeof(fields[0]), option, value, o);
	if (status > 0)
		status = stream_options_take(&o->stream, option, value);
	return status ? -1 : 0; /* of what is no option getopt has said it */
}

static int together(struct options *o, const struct gathered *g)
{
	if (stream_options_check(&o->stream))
		return -1;
	if (o->jobs > 1 && o->timed) {
		fputs("gpulink-replay: --jobs: time is of all pairs of GPUs together; --no-time leaves it out\n", stderr);
		return -1;
	}
	if (g->payload > o->setting.link.payload_bytes) {
		fprintf(stderr, "gpulink-replay: --payload %llu: the link %s has at most %u\n", (unsigned long long)g->payload,
			o->setting.link.name, o->setting.link.payload_bytes);
		return -1;
	}
	if (g->payload)
		o->setting.link.payload_bytes = (uint32_t)g->payload;
	if (g->ecrc)
		o->setting.link.digest_bytes = 4;
	o->timing.bytes_per_second = link_bytes_per_second(&o->setting.link);
	return 0;
}

int options_read(int argc, char **argv, struct options *o)
{
	static const struct option_command command = { .name = "run", .help = help, .known = known, .take = take };
	struct gathered g = { .options = o };
	int status;

	*o = (struct options){ .stream = STREAM_OPTIONS_DEFAULT,
			       .timed = true,
			       .jobs = 1,
			       .timing = { .latency_ps = 700000, .buffer_bytes = 65536 },
			       .setting = { .link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5 } };
	for (unsigned i = 0; i < PARADIGM_DEFAULTS; i++)
		o->paradigms[i] = paradigm_at(i);
	status = option_read_all(argc, argv, &command, &g);
	return status ? status : together(o, &g);
}

int options_read_with(int argc, char **argv, const char *setting, const char *value, struct options *options)
{
	char **words, *last = NULL;
	int status = options_read(argc, argv, options);

	if (status) /* so no word that lacks its value takes the setting for it */
		return status;
	status = -1;
	words = calloc((size_t)argc + 2, sizeof(*words));
	if (words && asprintf(&last, "--%s=%s", setting, value) >= 0) {
		memcpy(words, argv, (size_t)argc * sizeof(*words));
		words[argc] = last;
		status = options_read(argc + 1, words, options);
	} else {
		fputs("gpulink-replay: out of memory\n", stderr);
	}
	free(last);
	free(words);
	return status;
}
