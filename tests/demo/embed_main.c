// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-embed: an embedding of a graph whose rows lie in a pool object of a gpulink device, shared by processes: without
 * copies, and with leased copies. Checks both against a reference, and prints what was read from the pool.
 *
 * gpulink-embed --device NAME [--processes N] [--rounds N] [--cache BYTES] GRAPH
 *
 * Its last line begins "demo: ok" or "demo: FAILED". Exit status 0: ok; 1: failed; 2: usage.
 */
#include "embed.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNCACHED, COPIES, WAYS };

#define ANSWER_BYTES 32u /* of a lease without data (docs/registers.md, LEASE_RECORD) */

static int usage(FILE *to)
{
	fprintf(to, "usage: gpulink-embed --device NAME [--processes N] [--rounds N] [--cache BYTES] GRAPH\n"
		    "  NAME   /dev/gpulinkN, gpulinkN, or soft:[OPTION=VALUE,...]\n"
		    "  --processes N  1 to 16, default 4\n"
		    "  --rounds N     1 to 1000, default 8\n"
		    "  --cache BYTES  for the copies of a process, 64 to 1073741824; default: 1 MiB, or all rows\n"
		    "  GRAPH  a Matrix Market coordinate file or an edge list, plain or gzip\n");
	return to == stdout ? 0 : 2;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && *number >= least && *number <= most)
		return true;
	fprintf(stderr, "gpulink-embed: '%s' must be a number, %" PRIu64 " to %" PRIu64 "\n", text, least, most);
	return false;
}

/* Returns 0 to go on, else the exit status plus one. */
static int read_options(int argc, char **argv, struct embed_options *options, const char **graph)
{
	static const struct option known[] = {{"device", required_argument, NULL, 'd'},
					      {"processes", required_argument, NULL, 'p'},
					      {"rounds", required_argument, NULL, 'r'},
					      {"cache", required_argument, NULL, 'c'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	uint64_t number = 0;
	bool valid = true;
	int option;

	*options = (struct embed_options){ .processes = 4, .rounds = 8 };
	while (valid && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'd':
			options->device = optarg;
			break;
		case 'p':
			valid = read_number(optarg, 1, EMBED_PROCESSES_MAX, &number);
			options->processes = (unsigned)number;
			break;
		case 'r':
			valid = read_number(optarg, 1, 1000, &number);
			options->rounds = (unsigned)number;
			break;
		case 'c':
			valid = read_number(optarg, sizeof(struct embed_row), GPULINK_POOL_CACHE_MAX, &options->cache_bytes);
			break;
		case 'h':
			return 1 + usage(stdout);
		default:
			valid = false;
		}
	}
	if (!valid || !options->device || argc - optind != 1)
		return 1 + usage(stderr);
	*graph = argv[optind];
	return 0;
}

/* Bytes that were read from the pool. */
static uint64_t traffic(const struct embed_result *r)
{
	return (r->misses + r->uncached) * sizeof(struct embed_row) + (r->misses + r->renewals) * ANSWER_BYTES;
}

static double hit_rate(const struct embed_result *r)
{
	return r->loads ? (double)r->hits / (double)r->loads : 0;
}

static void show(const struct embed_result *results)
{
	static const char *const names[] = {"uncached", "copies"};

	printf("%-9s  %9s  %8s  %9s  %8s  %8s  %9s  %6s  %12s  %8s\n", "loads are", "loads", "stores", "hits", "misses",
	       "renewals", "uncached", "hit %", "bytes read", "seconds");
	for (unsigned w = 0; w < WAYS; w++) {
		const struct embed_result *r = &results[w];

		printf("%-9s  %9" PRIu64 "  %8" PRIu64 "  %9" PRIu64 "  %8" PRIu64 "  %8" PRIu64 "  %9" PRIu64
		       "  %6.1f  %12" PRIu64 "  %8.2f\n",
		       names[w], r->loads, r->stores, r->hits, r->misses, r->renewals, r->uncached, 100 * hit_rate(r),
		       traffic(r), r->seconds);
	}
	printf("loads and stores are of rows of %zu bytes; bytes read: rows, and %u bytes for each lease; seconds in a VM are\n"
	       "those of the emulation; all rows have the reference's values, bit by bit\n\n",
	       sizeof(struct embed_row), ANSWER_BYTES);
}

static int demo(const struct graph *graph, const struct embed_options *options, struct embed_result *results, char *reason)
{
	static const unsigned modes[WAYS] = {GPULINK_POOL_UNCACHED, GPULINK_POOL_RC};
	size_t bytes = graph->vertices * sizeof(struct embed_row);
	struct embed_row *should = malloc(bytes), *rows = malloc(bytes);
	int failed = !should || !rows || embed_reference(graph, options->rounds, should);

	if (failed)
		snprintf(reason, EMBED_REASON, "out of memory");
	for (unsigned w = 0; w < WAYS && !failed; w++) {
		memset(rows, 0, bytes);
		failed = embed_run(graph, options, modes[w], rows, &results[w], reason);
		if (!failed && memcmp(rows, should, bytes)) {
			snprintf(reason, EMBED_REASON, "%s: rows differ from the reference",
				 w == UNCACHED ? "uncached" : "copies");
			failed = 1;
		}
	}
	free(should);
	free(rows);
	return failed;
}

int main(int argc, char **argv)
{
	char reason[GRAPH_ERROR_BYTES > EMBED_REASON ? GRAPH_ERROR_BYTES : EMBED_REASON] = "";
	struct embed_result results[WAYS] = {{ 0 }};
	struct embed_options options;
	struct graph graph;
	const char *path;
	int failed = read_options(argc, argv, &options, &path);

	if (failed)
		return failed - 1;
	failed = graph_read(path, 1u << 24, &graph, reason);
	if (!failed) {
		printf("embedding of %" PRIu32
		       " vertices with %zu edges, %u processes, %u rounds, rows in a pool object of %s\n\n",
		       graph.vertices, graph.edges, options.processes, options.rounds, options.device);
		failed = demo(&graph, &options, results, reason);
		graph_free(&graph);
	}
	if (failed) {
		printf("demo: FAILED %s\n", reason);
	} else {
		show(results);
		printf("demo: ok hit_rate=%.3f bytes_read=%" PRIu64 " uncached_bytes=%" PRIu64 "\n", hit_rate(&results[COPIES]),
		       traffic(&results[COPIES]), traffic(&results[UNCACHED]));
	}
	/* Callers rely on the last line: failing to print it is an error. */
	return fflush(stdout) || ferror(stdout) || failed ? 1 : 0;
}
