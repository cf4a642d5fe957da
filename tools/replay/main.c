// SPDX-License-Identifier: Apache-2.0
/* gpulink-replay: bytes of every hop and time of ways to send small stores, with and without a card. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/close_output.h"
#include "caches.h"
#include "convert.h"
#include "decide.h"
#include "goodput.h"
#include "netcrafter/variant.h"
#include "netcrafter_main.h"
#include "output.h"
#include "profile.h"
#include "report/report.h"
#include "sweep.h"
#include "trace/trace.h"
#include "workload/workload.h"

static const char help[] =
	"usage: gpulink-replay COMMAND [OPTION...]\n"
	"  run         compare transfer methods on a workload or a trace\n"
	"  sweep       SETTING=VALUE[,VALUE...]: run once for each value of a setting\n"
	"  report      FILE.html: write a self-contained HTML page with figures, tables and the usual sweeps\n"
	"  advise      TRACE: print the commands that set a card for it, or that no card helps\n"
	"  record      OUT: write a workload's stream to a trace\n"
	"  convert     IN OUT: convert a trace, or what another tool recorded, to .glt, .glt.zst or .csv\n"
	"  list        list workloads, links, transfer methods and NetCrafter variants\n"
	"  goodput     show the goodput of a single store by size, for each link\n"
	"  netcrafter  simulate two clusters of GPUs on a narrow link, with and without NetCrafter\n"
	"  caches      count what caches of GPUs over one memory find, with and without leases\n"
	"Options:\n"
	"  -V, --version  show version and exit\n"
	"  -h, --help     show this help, or that of a command, and exit\n"
	"See also gpulink-replay(1).\n";

static int replay_main_run(int argc, char **argv)
{
	struct failure error;
	struct options options;
	struct found found;
	int status = options_read(argc, argv, &options);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	status = run_stream(&options, &found, &error);
	if (!status) {
		status = output_write(stdout, &found);
		run_free(&found);
	}
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}

static int record(int argc, char **argv)
{
	struct failure error;
	struct options options;
	int status;

	if (argc < 2 || (argv[1][0] == '-' && argv[1][1]))
		return option_usage(argc, argv,
				    "usage: gpulink-replay record OUT (--workload NAME and the stream options of run)\n");
	status = options_read(argc - 1, argv + 1, &options);
	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	status = run_record(&options, argv[1], &error);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}

static int list(int argc, char **argv)
{
	if (argc != 1)
		return option_usage(argc, argv, "usage: gpulink-replay list\n");
	for (const struct replay_workload *w = replay_workloads; w->name; w++) {
		printf("workload %-12s %s\n", w->name, w->summary);
		if (w->size_means)
			printf("%22s--size %llu (%llu to %llu): %s\n", "", (unsigned long long)w->size,
			       (unsigned long long)w->least_size, (unsigned long long)w->most_size, w->size_means);
		if (w->takes_input)
			printf("%22s--input FILE: a matrix or graph%s\n", "", w->needs_input ? ", required" : "");
	}
	for (unsigned i = 0; link_preset_at(i); i++)
		printf("link     %-12s %.1f GB/s; %s\n", link_preset_at(i)->name,
		       link_bytes_per_second(link_preset_at(i)) / 1e9, link_preset_at(i)->formula);
	for (unsigned i = 0; i < TOPOLOGIES; i++)
		printf("topology %-12s %s\n", topology_name((enum topology)i), topology_text((enum topology)i));
	for (unsigned i = 0; paradigm_at(i); i++)
		printf("paradigm %-15s %s%s\n", paradigm_at(i)->name, paradigm_at(i)->model_only ? "(model only) " : "",
		       paradigm_at(i)->summary);
	for (unsigned i = 0; netcrafter_variant_at(i); i++)
		printf("variant  %-15s %s\n", netcrafter_variant_at(i)->name, netcrafter_variant_at(i)->summary);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*function)(int argc, char **argv);
	} commands[] = { { "run", replay_main_run },   { "sweep", sweep },   { "report", report },   { "record", record },
			 { "convert", convert },       { "list", list },     { "goodput", goodput }, { "profile", profile },
			 { "netcrafter", netcrafter }, { "caches", caches }, { "advise", advise } };

	close_output_at_exit();
	for (unsigned i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].function(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		puts("gpulink-replay " GLK_VERSION);
		return EXIT_SUCCESS;
	}
	if (argc > 1 && argv[1][0] != '-')
		fprintf(stderr, "gpulink-replay: %s: unknown command\n", argv[1]);
	return option_usage(argc, argv, help);
}
