// SPDX-License-Identifier: Apache-2.0
/* gpulink-replay advise: the commands that set a card for a stream, or that no card helps. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decide.h"

static const char help[] =
	"usage: gpulink-replay advise TRACE [OPTION...] (the options of run, without --paradigms and -o), or\n"
	"       gpulink-replay advise --workload NAME [OPTION...]\n"
	"Prints the gpulinkctl commands that set the card best for this stream, or that no card helps, and why.\n"
	"The topology is card (default), cards or lanes-card.\n";

enum { SHOWN = 3 };

static void advise_costs(const struct costs *costs, const struct stream_counts *counts)
{
	struct cost list[SHOWN];
	unsigned count = costs_pairs(costs, list, SHOWN);

	printf("# %" PRIu64 " stores; those that cost most as plain ones:\n", counts->stores);
	for (unsigned i = 0; i < count; i++)
		printf("#   GPU %" PRIu64 " to %" PRIu64 ": %" PRIu64 " stores of %.1f bytes, %" PRIu64 " on the wire\n",
		       list[i].first, list[i].end, list[i].stores, (double)list[i].store_bytes / (double)list[i].stores,
		       list[i].wire_bytes);
	count = costs_arrays(costs, list, SHOWN);
	for (unsigned i = 0; i < count; i++)
		printf("#   addresses 0x%" PRIx64 " to 0x%" PRIx64 ": %" PRIu64 " stores of %.1f bytes, %" PRIu64
		       " on the wire\n",
		       list[i].first, list[i].end, list[i].stores, (double)list[i].store_bytes / (double)list[i].stores,
		       list[i].wire_bytes);
}

static void advise_way(const char *what, const struct way *way)
{
	char name[64];

	decide_name(way, name, sizeof(name));
	printf("# %s: %s, %.3f us, limited by %s\n", what, name, (double)way->cost_ps / 1e6, decide_hop(way->limit));
}

static void advise_write(const struct options *o, const struct decision *d)
{
	const struct way *card = &d->card, *without = &d->without;

	printf("# topology %s, %s, maximum payload size %u; %s\n", topology_name(o->setting.topology), o->setting.link.name,
	       o->setting.link.payload_bytes, d->timed ? "simulated time" : "time of the busiest link");
	advise_way("best without a card", without);
	advise_way("best with the card", card);
	if (decide_gain(d) < 1 + DECIDE_ALIKE) {
		printf("no card helps here: %s takes %.3f us, the card's best setting %.3f us, limited by %s\n",
		       without->paradigm->name, (double)without->cost_ps / 1e6, (double)card->cost_ps / 1e6,
		       decide_hop(card->limit));
		return;
	}
	if (card->paradigm->packer != PACKER_LOGIC)
		printf("use lanes in the program (gpulink_lane_open()): %.3g times as fast\n", decide_gain(d));
	else
		decide_commands(stdout, card);
}

static int advise_run(const struct options *o, struct failure *error)
{
	struct options runs[DECIDE_RUNS];
	struct decision decision = { 0 };
	unsigned count = decide_runs(o, runs);

	for (unsigned i = 0; i < count; i++) {
		struct result result[PARADIGM_COUNT];
		struct found found;
		unsigned results;
		int status;

		runs[i].costs = i == 0;
		status = run_stream(&runs[i], &found, error);
		if (status)
			return status;
		results = comparison_results(found.comparison);
		for (unsigned k = 0; k < results; k++)
			result[k] = comparison_result(found.comparison, k);
		decide_take(&decision, &runs[i], result, results, found.oracle);
		if (i == 0 && comparison_costs(found.comparison)) /* not with several threads */
			advise_costs(comparison_costs(found.comparison), comparison_counts(found.comparison));
		run_free(&found);
	}
	advise_write(o, &decision);
	return 0;
}

static int advise_take(void *user, int option, const char *value)
{
	(void)user;
	(void)option;
	fprintf(stderr, "gpulink-replay: advise: --paradigms %s: it chooses the methods itself\n", value);
	return -1;
}

static bool own_stream(const void *user)
{
	return *(const char *const *)user;
}

int advise(int argc, char **argv)
{
	const char *trace = argc > 1 && (argv[1][0] != '-' || !argv[1][1]) ? argv[1] : NULL;
	static const struct option refused[] = { { "paradigms", required_argument, NULL, OPTIONS_END }, { 0 } };
	const struct options_more more = { .name = "advise",
					   .help = help,
					   .known = refused,
					   .take = advise_take,
					   .own_stream = own_stream,
					   .user = &trace,
					   .topology = TOPOLOGY_CARD };
	struct failure error = { 0 };
	struct options options;
	int status;

	if (argc < 2)
		return option_usage(argc, argv, help);
	if (trace)
		argv[1] = argv[0];
	status = options_read_more(argc - (trace ? 1 : 0), argv + (trace ? 1 : 0), &more, &options);
	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (trace && (options.stream.workload || options.stream.trace)) {
		fputs("gpulink-replay: advise: either TRACE or --workload NAME\n", stderr);
		return 2;
	}
	if (options.output != OUTPUT_TABLE || (trace && (strcmp(trace, "-") == 0 || !trace[0]))) {
		fputs("gpulink-replay: advise: reads its stream several times and prints text: requires a file, and no --output\n",
		      stderr);
		return 2;
	}
	if (options.setting.topology == TOPOLOGY_GPU || options.setting.topology == TOPOLOGY_LANES) {
		fprintf(stderr, "gpulink-replay: advise: --topology %s has no card to set: must be card, cards or lanes-card\n",
			topology_name(options.setting.topology));
		return 2;
	}
	if (trace) {
		options.stream.trace = trace;
		options.timed = options.timed && options.time_given;
	}
	status = advise_run(&options, &error);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}
