// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-pagerank: PageRank of a graph over the endpoints of a gpulink device. Pushes every changed rank through the card,
 * checks the result against a reference, and prints the card's statistics.
 *
 * gpulink-pagerank --device NAME [--device NAME] [--endpoints N] [--gpu FOLDER] GRAPH
 *
 * Of several processes on a "ucx:" device process 0 prints. Its last line begins "demo: ok" or "demo: FAILED". Exit status 0:
 * ok; 1: failed; 2: usage.
 */
#include "graph.h"
#include "link.h"
#include "pagerank.h"
#include "processes.h"
#include "reference.h"
#include "sysfs.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASON_BYTES GRAPH_ERROR_BYTES

struct options {
	const char *device[PAGERANK_MOST_CARDS], *graph, *gpu;
	unsigned cards, endpoints;
};

/* Content of the last line. */
struct result {
	struct gpulink_counters total; /* of all partitions of all cards */
	struct link_sums link;
	uint64_t trimmed_bytes;
	struct demo_hops {
		const char *topology, *text; /* as gpulink-replay's */
		uint64_t source_bytes, link_bytes, destination_bytes;
	} hops;
};

static int usage(FILE *to)
{
	fprintf(to, "usage: gpulink-pagerank --device NAME [--device NAME] [--endpoints N] [--gpu FOLDER] GRAPH\n"
		    "  NAME   /dev/gpulinkN, gpulinkN, soft:[OPTION=VALUE,...], or ucx:[OPTION=VALUE,...]; two cards are\n"
		    "         joined by a link, and the first has the first half of the endpoints, the second the others;\n"
		    "         of a ucx: device each process owns the endpoint of its number: mpirun -n 4 gpulink-pagerank ...\n"
		    "  N      partitions 0..N-1 take part: 1 to 16, default 4; with ucx: those of all processes\n"
		    "  FOLDER has pagerank.cl and gpulink_device.h: OpenCL kernels compute the ranks and store them\n"
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
					      {"gpu", required_argument, NULL, 'g'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	unsigned long number;
	char *end;
	int option;

	*options = (struct options){.endpoints = 0};
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'd':
			if (options->cards == PAGERANK_MOST_CARDS)
				return 1 + wrong("more than two devices: ", optarg);
			options->device[options->cards++] = optarg;
			break;
		case 'e':
			number = strtoul(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end || !number || number > PAGERANK_MOST_ENDPOINTS)
				return 1 + wrong("--endpoints must be 1 to 16, not ", optarg);
			options->endpoints = (unsigned)number;
			break;
		case 'g':
			options->gpu = optarg;
			break;
		case 'h':
			return 1 + usage(stdout);
		default:
			return 1 + usage(stderr);
		}
	}
	if (!options->cards)
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

/* "2", or with two cards "1:2" for partition 2 of card 1. */
static void name_row(char *name, size_t bytes, unsigned cards, unsigned card, unsigned endpoint)
{
	if (cards > 1)
		snprintf(name, bytes, "%u:%u", card, endpoint);
	else
		snprintf(name, bytes, "%u", endpoint);
}

static void show_tables(const struct pagerank_traffic *traffic, const struct options *options, bool by_process,
			const struct gpulink_counters *total)
{
	const char *what = by_process ? "process" : "endpoint";
	unsigned cards = options->cards, endpoints = options->endpoints;
	char name[32];

	printf("\n%-8s  %-6s  %10s  %11s  %8s  %13s  %13s  %14s  %10s  %5s\n", what, "way", "stores", "store_bytes",
	       "packets", "stores/packet", "payload_bytes", "raw_wire_bytes", "wire_bytes", "ratio");
	for (unsigned i = 0; i < cards * endpoints; i++) {
		name_row(name, sizeof(name), cards, i / endpoints, i % endpoints);
		show_traffic_row(name,
				 by_process			? "both" :
				 i % endpoints && !options->gpu ? "ring" :
								  "window",
				 &traffic[i].card);
	}
	show_traffic_row("total", "", total);
	printf("\npackets by flush reason\n%-8s  %11s  %12s  %12s  %7s  %7s  %8s  %6s  %6s  %5s\n", what, "window_miss",
	       "payload_full", "entries_full", "release", "timeout", "load_hit", "atomic", "config", "drain");
	for (unsigned i = 0; i < cards * endpoints; i++) {
		name_row(name, sizeof(name), cards, i / endpoints, i % endpoints);
		show_flush_row(name, &traffic[i].card);
	}
	show_flush_row("total", total);
	printf("\n");
}

/* The bytes of each hop: stores through a window are TLPs of their own, an endpoint gets a write for each run. Between the
 * processes of a "ucx:" device packets go all the way. */
static void count_hops(const struct pagerank_traffic *traffic, const struct options *options, bool by_process,
		       struct demo_hops *hops)
{
	enum { TLP = 24 };
	unsigned endpoints = options->endpoints;

	*hops = (struct demo_hops){ .topology = by_process	    ? "lanes" :
						options->cards == 2 ? "cards" :
								      "card",
				    .text = by_process		? "the program packs, the receiver applies" :
					    options->cards == 2 ? "two cards and a link between" :
								  "one card; packets loop inside it" };
	for (unsigned i = 0; i < options->cards * endpoints; i++) {
		const struct gpulink_counters *c = &traffic[i].card;

		if (by_process) {
			hops->source_bytes += c->wire_bytes;
			hops->destination_bytes += c->wire_bytes;
			continue;
		}
		hops->source_bytes += traffic[i].ring_bytes ? traffic[i].ring_bytes : c->raw_wire_bytes;
		if (pagerank_card_of(i % endpoints, options->cards, endpoints) == i / endpoints)
			hops->destination_bytes += c->endpoint_bytes + TLP * c->endpoint_writes;
	}
}

static void show_hops(const struct demo_hops *h, const struct gpulink_counters *total)
{
	printf("bytes of each hop, topology %s (%s); plain stores take %" PRIu64 " on each\n%-11s  %14s  %5s\n", h->topology,
	       h->text, total->raw_wire_bytes, "hop", "bytes", "plain");
	printf("%-11s  %14" PRIu64 "  %5.2f\n", "source", h->source_bytes, ratio(h->source_bytes, total->raw_wire_bytes));
	if (strcmp(h->topology, "cards") == 0)
		printf("%-11s  %14" PRIu64 "  %5s\n", "link", h->link_bytes, "");
	else
		printf("%-11s  %14s  %5s\n", "link", "none", "");
	printf("%-11s  %14" PRIu64 "  %5.2f\n\n", "destination", h->destination_bytes,
	       ratio(h->destination_bytes, total->raw_wire_bytes));
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

/* Counts the stores that each card sent to the other. */
static void count_far(const struct pagerank_traffic *traffic, unsigned endpoints, uint64_t stores[2])
{
	for (unsigned c = 0; c < 2; c++) {
		stores[c] = 0;
		for (unsigned e = 0; e < endpoints; e++)
			if (pagerank_card_of(e, 2, endpoints) != c)
				stores[c] += traffic[c * endpoints + e].stores;
	}
}

/* Shows and checks the link's statistics of the stores since `before`, then of some loads. Returns 0, or -1 with a reason. */
static int show_link(struct pagerank *p, const struct options *options, const struct pagerank_traffic *traffic,
		     const struct link_state *before, struct result *result, char *reason)
{
	struct link_state stored, loaded;
	uint64_t far[2], flits = 0;
	int loads;

	if (link_read(options->device, &stored, reason) || link_check(before, &stored, reason))
		return -1;
	count_far(traffic, options->endpoints, far);
	link_show(before, &stored, far, &result->link);
	loads = pagerank_load_far(p);
	if (loads < 0) {
		snprintf(reason, REASON_BYTES, "%s", pagerank_reason(p));
		return -1;
	}
	if (link_read(options->device, &loaded, reason) || link_check(&stored, &loaded, reason))
		return -1;
	for (unsigned c = 0; c < 2; c++) {
		flits += link_grown(&stored, &loaded, c, "flits_read_response");
		result->trimmed_bytes += link_grown(&stored, &loaded, c, "trimmed_bytes");
	}
	printf("%d ranks loaded from the other card's replicas are correct; %" PRIu64 " response flits, %" PRIu64
	       " bytes trimmed\n", loads, flits, result->trimmed_bytes);
	return 0;
}

/* Checks that sysfs shows the same counters. Returns 0, or -1 with a reason. */
static int check_sysfs(const struct options *options, const struct pagerank_traffic *traffic, char *reason)
{
	for (unsigned i = 0; i < options->cards * options->endpoints; i++)
		if (sysfs_check(options->device[i / options->endpoints], i % options->endpoints, &traffic[i].last, reason,
				REASON_BYTES))
			return -1;
	printf("the counters in /sys/class/gpulink are the same\n");
	return 0;
}

/* Runs and checks. With processes, each its own part; process 0 gets what all sent. Returns 0, or -1 with a reason. */
static int run_and_check(struct pagerank *p, const struct graph *graph, bool by_process, struct pagerank_traffic *traffic,
			 char *reason)
{
	int iterations = pagerank_run(p, show_iteration), failed;

	if (iterations < 0 || pagerank_count(p, traffic)) {
		snprintf(reason, REASON_BYTES, "%s", pagerank_reason(p));
		return -1;
	}
	failed = check_ranks(p, graph, iterations, reason);
	if (by_process && pagerank_gather(p, failed, traffic) && !failed) {
		snprintf(reason, REASON_BYTES, "%s", pagerank_reason(p));
		return -1;
	}
	return failed;
}

/* Shows what was sent as well; fills *result. Returns 0, or -1 with a reason. */
static int run(struct pagerank *p, const struct graph *graph, const struct gpulink_info *info, const struct options *options,
	       struct result *result, char *reason)
{
	bool by_process = strcmp(info->kind, "ucx") == 0;
	struct pagerank_traffic traffic[PAGERANK_MOST_CARDS * PAGERANK_MOST_ENDPOINTS];
	struct link_state before;

	if (options->cards == 2 && link_read(options->device, &before, reason))
		return -1;
	if (run_and_check(p, graph, by_process, traffic, reason))
		return -1;
	if (info->process)
		return 0;
	for (unsigned i = 0; i < options->cards * options->endpoints; i++)
		pagerank_add(&result->total, &traffic[i].card);
	show_tables(traffic, options, by_process, &result->total);
	if (strcmp(info->kind, "card") == 0 && check_sysfs(options, traffic, reason))
		return -1;
	if (options->cards == 2 && show_link(p, options, traffic, &before, result, reason))
		return -1;
	count_hops(traffic, options, by_process, &result->hops);
	result->hops.link_bytes = result->link.bytes;
	show_hops(&result->hops, &result->total);
	return 0;
}

/* Of a "ucx:" device: as many endpoints as processes, whose reports process 0 makes. Returns 0, or -1 with a reason. */
static int open_processes(struct options *options, struct pagerank_cards *cards, const struct gpulink_info *info, char *reason)
{
	if (info->process && !freopen("/dev/null", "w", stdout)) {
		snprintf(reason, REASON_BYTES, "/dev/null cannot be opened");
		return -1;
	}
	if (options->cards > 1 || options->gpu) {
		snprintf(reason, REASON_BYTES, "a ucx: device takes neither another device nor --gpu");
		return -1;
	}
	if (info->processes > PAGERANK_MOST_ENDPOINTS || (options->endpoints && options->endpoints != info->processes)) {
		snprintf(reason, REASON_BYTES, "%" PRIu32 " processes for %u endpoints: must be one each, at most %u",
			 info->processes, options->endpoints ? options->endpoints : PAGERANK_MOST_ENDPOINTS,
			 PAGERANK_MOST_ENDPOINTS);
		return -1;
	}
	options->endpoints = info->processes;
	cards->processes = processes_open(cards->device[0], reason);
	return cards->processes ? 0 : -1;
}

/* Opens the devices of the options. Returns 0, or -1 with a reason; some devices may be open then. */
static int open_cards(struct options *options, struct pagerank_cards *cards, struct gpulink_info *info, char *reason)
{
	for (; cards->count < options->cards; cards->count++) {
		const char *name = options->device[cards->count];
		struct gpulink **device = &cards->device[cards->count];
		int error = gpulink_open(name, device);

		if (!error) {
			error = gpulink_get_info(*device, info, sizeof(*info));
			if (error)
				gpulink_close(*device);
		}
		if (error) {
			snprintf(reason, REASON_BYTES, "%.200s: %s", name, gpulink_error_text(error));
			return -1;
		}
		if (strcmp(info->kind, "ucx") == 0) {
			cards->count++;
			return open_processes(options, cards, info, reason);
		}
		options->endpoints = options->endpoints ? options->endpoints : 4;
		if (info->partitions < options->endpoints) {
			snprintf(reason, REASON_BYTES, "%.200s has %" PRIu32 " partitions, %u are needed", name,
				 info->partitions, options->endpoints);
			gpulink_close(*device);
			return -1;
		}
	}
	return 0;
}

/* Everything between opening and closing the devices. Returns 0, or -1 with a reason. */
static int demo(const struct pagerank_cards *cards, const struct gpulink_info *info, const struct options *options,
		struct result *result, char *reason)
{
	uint32_t room = pagerank_room(cards, options->endpoints, reason);
	struct graph graph;
	struct pagerank *p;
	int failed;

	if (!room || graph_read(options->graph, room, &graph, reason))
		return -1;
	printf("%s: %" PRIu32 " vertices, %zu edges; ", options->graph, graph.vertices, graph.edges);
	for (unsigned c = 0; c < options->cards; c++)
		printf("%s%s", c ? " and " : "", options->device[c]);
	printf(" (%s), %u endpoints\n", info->kind, options->endpoints);
	p = pagerank_new(cards, &graph, options->endpoints, reason);
	failed = p ? run(p, &graph, info, options, result, reason) : -1;
	pagerank_free(p);
	graph_free(&graph);
	return failed;
}

static void show_result(const struct options *options, const struct result *result)
{
	const struct gpulink_counters *t = &result->total;
	const struct link_sums *l = &result->link;

	printf("demo: ok stores=%" PRIu64 " packets=%" PRIu64 " payload_bytes=%" PRIu64 " wire_bytes=%" PRIu64
	       " raw_wire_bytes=%" PRIu64 " ratio=%.2f source_bytes=%" PRIu64 " link_bytes=%" PRIu64
	       " destination_bytes=%" PRIu64,
	       t->stores, t->packets, t->payload_bytes, t->wire_bytes, t->raw_wire_bytes,
	       ratio(t->raw_wire_bytes, t->wire_bytes), result->hops.source_bytes, result->hops.link_bytes,
	       result->hops.destination_bytes);
	if (options->cards == 2)
		printf(" flits=%" PRIu64 " stitched=%" PRIu64 " trimmed_bytes=%" PRIu64 " unpacked_link_bytes=%" PRIu64
		       " link_ratio=%.2f",
		       l->flits, l->stitched, result->trimmed_bytes, l->unpacked_bytes, ratio(l->unpacked_bytes, l->bytes));
	printf("\n");
}

int main(int argc, char **argv)
{
	char reason[REASON_BYTES] = "";
	struct pagerank_cards cards = {.count = 0};
	struct result result = {.trimmed_bytes = 0};
	struct gpulink_info info = {.process = 0};
	struct options options;
	int failed = read_options(argc, argv, &options);

	if (failed)
		return failed - 1;
	cards.gpu = options.gpu;
	failed = open_cards(&options, &cards, &info, reason) || demo(&cards, &info, &options, &result, reason);
	for (unsigned c = 0; c < cards.count; c++)
		gpulink_close(cards.device[c]);
	processes_free(cards.processes);
	if (failed)
		fprintf(info.process ? stderr : stdout, "demo: FAILED %s\n", reason);
	else
		show_result(&options, &result);
	/* Callers rely on the last line: failing to print it is an error. */
	return fflush(stdout) || ferror(stdout) || failed ? 1 : 0;
}
