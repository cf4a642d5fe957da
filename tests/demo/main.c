// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-pagerank: PageRank of a graph over the endpoints of a gpulink device, every rank that changes pushed
 * through the card, checked against a plain computation, with what the card made of it.
 *
 * gpulink-pagerank --device NAME [--endpoints N] GRAPH
 *
 * Its last line begins "demo: ok" or "demo: FAILED". Exit status 0: ok; 1: failed; 2: usage.
 */
#include "graph.h"
#include "pagerank.h"
#include "reference.h"
#include "sysfs.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASON_BYTES GRAPH_ERROR_BYTES

struct options {
	const char *device, *graph;
	unsigned endpoints;
};

static int usage(FILE *to)
{
	fprintf(to, "usage: gpulink-pagerank --device NAME [--endpoints N] GRAPH\n"
		    "  NAME   /dev/gpulinkN, gpulinkN, or soft:[OPTION=VALUE,...]\n"
		    "  N      partitions 0..N-1 take part: 1 to 16, default 4\n"
		    "  GRAPH  a Matrix Market coordinate file or an edge list, plain or gzip\n");
	return to == stdout ? 0 : 2;
}

static int wrong(const char *what, const char *value)
{
	fprintf(stderr, "gpulink-pagerank: %s%s\n", what, value);
	return usage(stderr);
}

/* Returns 0 to go on, else the exit status plus one. */
static int read_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {{"device", required_argument, NULL, 'd'},
					      {"endpoints", required_argument, NULL, 'e'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	unsigned long number;
	char *end;
	int option;

	*options = (struct options){.endpoints = 4};
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'd':
			options->device = optarg;
			break;
		case 'e':
			number = strtoul(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end || !number || number > PAGERANK_MOST_ENDPOINTS)
				return 1 + wrong("--endpoints must be 1 to 16, not ", optarg);
			options->endpoints = (unsigned)number;
			break;
		case 'h':
			return 1 + usage(stdout);
		default:
			return 1 + usage(stderr);
		}
	}
	if (!options->device)
		return 1 + wrong("--device is missing", "");
	if (argc == optind)
		return 1 + wrong("GRAPH is missing", "");
	if (argc - optind > 1)
		return 1 + wrong("more than one GRAPH: ", argv[optind + 1]);
	options->graph = argv[optind];
	return 0;
}

static void show_iteration(unsigned iteration, double change, uint64_t stores)
{
	if (iteration)
		printf("iteration %3u  change %.3e  stores %" PRIu64 "\n", iteration, change, stores);
	else
		printf("initial ranks                   stores %" PRIu64 "\n", stores);
	fflush(stdout);
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void show_traffic_row(const char *name, const char *way, const struct gpulink_counters *c)
{
	printf("%-8s  %-6s  %10" PRIu64 "  %11" PRIu64 "  %8" PRIu64 "  %13.2f  %13" PRIu64 "  %14" PRIu64 "  %10" PRIu64
	       "  %5.2f\n",
	       name, way, c->stores, c->store_bytes, c->packets, ratio(c->stores, c->packets), c->payload_bytes,
	       c->raw_wire_bytes, c->wire_bytes, ratio(c->raw_wire_bytes, c->wire_bytes));
}

static void show_flush_row(const char *name, const struct gpulink_counters *c)
{
	printf("%-8s  %11" PRIu64 "  %12" PRIu64 "  %12" PRIu64 "  %7" PRIu64 "  %7" PRIu64 "  %8" PRIu64 "  %6" PRIu64
	       "  %6" PRIu64 "  %5" PRIu64 "\n",
	       name, c->flush_window_miss, c->flush_payload_full, c->flush_entries_full, c->flush_release, c->flush_timeout,
	       c->flush_load_hit, c->flush_atomic, c->flush_config, c->flush_drain);
}

static void show_tables(const struct pagerank_traffic *traffic, unsigned endpoints,
			const struct gpulink_counters *total)
{
	char name[16];

	printf("\n%-8s  %-6s  %10s  %11s  %8s  %13s  %13s  %14s  %10s  %5s\n", "endpoint", "way", "stores", "store_bytes",
	       "packets", "stores/packet", "payload_bytes", "raw_wire_bytes", "wire_bytes", "ratio");
	for (unsigned e = 0; e < endpoints; e++) {
		snprintf(name, sizeof(name), "%u", e);
		show_traffic_row(name, e ? "ring" : "window", &traffic[e].card);
	}
	show_traffic_row("total", "", total);
	printf("\nwhy packets left\n%-8s  %11s  %12s  %12s  %7s  %7s  %8s  %6s  %6s  %5s\n", "endpoint", "window_miss",
	       "payload_full", "entries_full", "release", "timeout", "load_hit", "atomic", "config", "drain");
	for (unsigned e = 0; e < endpoints; e++) {
		snprintf(name, sizeof(name), "%u", e);
		show_flush_row(name, &traffic[e].card);
	}
	show_flush_row("total", total);
	printf("\n");
}

/* All counters are 64-bit numbers, so a sum is one of arrays. */
static void add(struct gpulink_counters *total, const struct gpulink_counters *more)
{
	enum { COUNTERS = sizeof(*total) / sizeof(uint64_t) };
	uint64_t a[COUNTERS], b[COUNTERS];

	memcpy(a, total, sizeof(a));
	memcpy(b, more, sizeof(b));
	for (unsigned i = 0; i < COUNTERS; i++)
		a[i] += b[i];
	memcpy(total, a, sizeof(a));
}

/* Compares with the reference. Returns 0, or -1 with a reason. */
static int check_ranks(struct pagerank *p, const struct graph *graph, int iterations, char *reason)
{
	double *ranks = calloc(graph->vertices, sizeof(*ranks)), worst = 0;
	int expected, result = -1;

	if (!ranks) {
		snprintf(reason, REASON_BYTES, "out of memory");
		return -1;
	}
	expected = reference_pagerank(graph, ranks);
	if (expected != iterations)
		snprintf(reason, REASON_BYTES, "%d iterations, the reference took %d", iterations, expected);
	else if (pagerank_compare(p, ranks, &worst))
		snprintf(reason, REASON_BYTES, "%s", pagerank_reason(p));
	else
		result = 0;
	free(ranks);
	if (!result)
		printf("converged in %d iterations; all replicas hold the reference's ranks (greatest difference %.1e)\n",
		       iterations, worst);
	return result;
}

/* Runs, checks and shows; fills *total. Returns 0, or -1 with a reason. */
static int run(struct pagerank *p, const struct graph *graph, const struct gpulink_info *info, unsigned endpoints,
	       struct gpulink_counters *total, char *reason)
{
	struct pagerank_traffic traffic[PAGERANK_MOST_ENDPOINTS];
	int iterations = pagerank_run(p, show_iteration);

	memset(total, 0, sizeof(*total));
	if (iterations < 0 || pagerank_count(p, traffic)) {
		snprintf(reason, REASON_BYTES, "%s", pagerank_reason(p));
		return -1;
	}
	if (check_ranks(p, graph, iterations, reason))
		return -1;
	for (unsigned e = 0; e < endpoints; e++)
		add(total, &traffic[e].card);
	show_tables(traffic, endpoints, total);
	if (strcmp(info->kind, "card") != 0)
		return 0;
	for (unsigned e = 0; e < endpoints; e++)
		if (sysfs_check(info->name, e, &traffic[e].last, reason, REASON_BYTES))
			return -1;
	printf("the counters in /sys/class/gpulink are the same\n");
	return 0;
}

/* Everything between opening and closing the device. Returns 0, or -1 with a reason. */
static int demo(struct gpulink *device, const struct options *options, struct gpulink_counters *total, char *reason)
{
	struct gpulink_info info;
	struct graph graph;
	struct pagerank *p;
	int result = gpulink_get_info(device, &info);
	uint32_t room;

	if (result) {
		snprintf(reason, REASON_BYTES, "%s: %s", options->device, gpulink_strerror(result));
		return -1;
	}
	if (info.partitions < options->endpoints) {
		snprintf(reason, REASON_BYTES, "%s has %" PRIu32 " partitions, %u are needed", options->device, info.partitions,
			 options->endpoints);
		return -1;
	}
	room = pagerank_room(device, options->endpoints, reason);
	if (!room || graph_read(options->graph, room, &graph, reason))
		return -1;
	printf("%s: %" PRIu32 " vertices, %zu edges; %s (%s), %u endpoints\n", options->graph, graph.vertices, graph.edges,
	       info.name, info.kind, options->endpoints);
	p = pagerank_new(device, &graph, options->endpoints, reason);
	result = p ? run(p, &graph, &info, options->endpoints, total, reason) : -1;
	pagerank_free(p);
	graph_free(&graph);
	return result;
}

int main(int argc, char **argv)
{
	char reason[REASON_BYTES] = "";
	struct gpulink_counters total;
	struct options options;
	struct gpulink *device;
	int result = read_options(argc, argv, &options);

	if (result)
		return result - 1;
	result = gpulink_open(options.device, &device);
	if (result) {
		snprintf(reason, sizeof(reason), "%.200s: %s", options.device, gpulink_strerror(result));
	} else {
		result = demo(device, &options, &total, reason);
		gpulink_close(device);
	}
	if (result)
		printf("demo: FAILED %s\n", reason);
	else
		printf("demo: ok stores=%" PRIu64 " packets=%" PRIu64 " payload_bytes=%" PRIu64 " wire_bytes=%" PRIu64
		       " raw_wire_bytes=%" PRIu64 " ratio=%.2f\n",
		       total.stores, total.packets, total.payload_bytes, total.wire_bytes, total.raw_wire_bytes,
		       ratio(total.raw_wire_bytes, total.wire_bytes));
	/* The last line is what a caller goes by: without it nothing is ok. */
	return fflush(stdout) || ferror(stdout) || result ? 1 : 0;
}
