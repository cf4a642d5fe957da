// SPDX-License-Identifier: Apache-2.0
#include "embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RESTART 0.25f
#define CHANGE	1e-3f /* rows that change by less are not stored */
#define SECOND	UINT64_C(1000000000)
#define PATIENCE (300 * SECOND) /* of a process for the others */

/* The object's last page: processes that have arrived at a barrier. */
#define PAGE 4096u

/* What a process reports, in memory that all share. */
struct report {
	struct embed_result did;
	char reason[EMBED_REASON];
};

struct worker {
	const struct graph *graph;
	const struct embed_options *options;
	struct gpulink *device;
	struct gpulink_pool *pool;
	struct report *report;
	uint64_t barrier, arrived; /* where, and how many at the last one */
	uint32_t first, last;	   /* its vertices, without the last */
	struct embed_row *mine;	   /* as stored */
};

/* --- rows --- */

static struct embed_row random_row(uint32_t vertex)
{
	uint64_t bits = (vertex + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
	struct embed_row row;

	bits ^= bits >> 29;
	bits *= UINT64_C(0xbf58476d1ce4e5b9);
	bits ^= bits >> 32;
	for (unsigned i = 0; i < EMBED_WIDTH; i++)
		row.value[i] = bits >> i & 1 ? 1.0f : -1.0f;
	return row;
}

/* Adds up the rows that link to a vertex, in the graph's order. 0, or the error of a load. */
static int add_up(const struct graph *graph, uint32_t vertex, struct embed_row *sum,
		  int (*load)(void *from, uint32_t vertex, struct embed_row *row), void *from)
{
	struct embed_row row;

	memset(sum, 0, sizeof(*sum));
	for (size_t e = graph->first[vertex]; e < graph->first[vertex + 1]; e++) {
		int error = load(from, graph->sources[e], &row);

		if (error)
			return error;
		for (unsigned i = 0; i < EMBED_WIDTH; i++)
			sum->value[i] += row.value[i];
	}
	return 0;
}

/* A vertex's new row. Whether it has changed. */
static bool move(const struct graph *graph, uint32_t vertex, const struct embed_row *sum, struct embed_row *row)
{
	size_t links = graph->first[vertex + 1] - graph->first[vertex];
	struct embed_row own = random_row(vertex), next;
	bool changed = false;

	for (unsigned i = 0; i < EMBED_WIDTH; i++) {
		next.value[i] = RESTART * own.value[i] + (links ? (1 - RESTART) * sum->value[i] / (float)links : 0);
		changed |= next.value[i] - row->value[i] > CHANGE || row->value[i] - next.value[i] > CHANGE;
	}
	if (changed)
		*row = next;
	return changed;
}

static int load_plain(void *from, uint32_t vertex, struct embed_row *row)
{
	*row = ((const struct embed_row *)from)[vertex];
	return 0;
}

int embed_reference(const struct graph *graph, unsigned rounds, struct embed_row *rows)
{
	struct embed_row *next = malloc(graph->vertices * sizeof(*next)), sum;

	if (!next)
		return -1;
	for (uint32_t v = 0; v < graph->vertices; v++)
		rows[v] = random_row(v);
	for (unsigned r = 0; r < rounds; r++) {
		for (uint32_t v = 0; v < graph->vertices; v++) {
			next[v] = rows[v];
			add_up(graph, v, &sum, load_plain, rows);
			move(graph, v, &sum, &next[v]);
		}
		memcpy(rows, next, graph->vertices * sizeof(*next));
	}
	free(next);
	return 0;
}

/* --- a process --- */

static int load_row(void *from, uint32_t vertex, struct embed_row *row)
{
	struct worker *w = from;

	w->report->did.loads++;
	return gpulink_pool_load(w->pool, (uint64_t)vertex * sizeof(*row), row, sizeof(*row));
}

static int store_row(struct worker *w, uint32_t vertex)
{
	w->report->did.stores++;
	return gpulink_pool_store(w->pool, (uint64_t)vertex * sizeof(struct embed_row), &w->mine[vertex - w->first],
				  sizeof(struct embed_row));
}

/* An atomic releases what was stored before, the wait acquires what others have. */
static int meet(struct worker *w)
{
	int error = gpulink_pool_fetch_add(w->pool, w->barrier, 8, 1, NULL);

	w->arrived += w->options->processes;
	return error ? error : gpulink_pool_wait(w->pool, w->barrier, GPULINK_COMPARE_GE, w->arrived, PATIENCE, NULL);
}

static int do_round(struct worker *w, bool *changed)
{
	struct embed_row sum;
	int error = 0;

	for (uint32_t v = w->first; v < w->last && !error; v++) {
		error = add_up(w->graph, v, &sum, load_row, w);
		changed[v - w->first] = !error && move(w->graph, v, &sum, &w->mine[v - w->first]);
	}
	if (!error)
		error = meet(w); /* all have read */
	for (uint32_t v = w->first; v < w->last && !error; v++)
		if (changed[v - w->first])
			error = store_row(w, v);
	return error ? error : meet(w);
}

static int work(struct worker *w, bool *changed)
{
	int error = 0;

	for (uint32_t v = w->first; v < w->last && !error; v++) {
		w->mine[v - w->first] = random_row(v);
		error = store_row(w, v);
	}
	if (!error)
		error = meet(w);
	for (unsigned r = 0; r < w->options->rounds && !error; r++)
		error = do_round(w, changed);
	return error;
}

static void report_numbers(struct worker *w)
{
	struct embed_result *did = &w->report->did;
	struct gpulink_pool_info info;

	if (gpulink_pool_get_info(w->pool, &info, sizeof(info)))
		return;
	did->hits = info.hits;
	did->misses = info.misses;
	did->renewals = info.renewals;
	did->uncached = info.uncached;
}

/* A process opens its own device, and the object by its descriptor. */
static int process(struct worker *w, unsigned mode, int descriptor)
{
	const struct gpulink_pool_options options = {
		.size = sizeof(options), .mode = mode, .cache_bytes = w->options->cache_bytes,
	};
	bool *changed = calloc(w->last - w->first + 1, sizeof(*changed));
	int error;

	w->mine = calloc(w->last - w->first + 1, sizeof(*w->mine));
	error = !w->mine || !changed ? -GPULINK_ENOMEM : gpulink_open(w->options->device, &w->device);
	if (!error)
		error = gpulink_pool_open(w->device, descriptor, &options, &w->pool);
	if (!error)
		error = work(w, changed);
	if (error)
		snprintf(w->report->reason, sizeof(w->report->reason), "a process: %s", gpulink_error_text(error));
	else
		report_numbers(w);
	gpulink_close(w->device);
	free(w->mine);
	free(changed);
	return error;
}

/* --- all processes --- */

/* Each process has vertices with about as many edges. */
static uint32_t border(const struct graph *graph, unsigned process, unsigned processes)
{
	size_t edges = graph->edges / processes * process;
	uint32_t v = 0;

	while (v < graph->vertices && (process == processes || graph->first[v] < edges))
		v++;
	return v;
}

static int run_processes(const struct graph *graph, const struct embed_options *options, unsigned mode, int descriptor,
			 uint64_t barrier, struct report *reports)
{
	pid_t child[EMBED_PROCESSES_MAX];
	int failed = 0, status;

	fflush(stdout);
	for (unsigned p = 0; p < options->processes; p++) {
		struct worker w = {
			.graph = graph, .options = options, .report = &reports[p], .barrier = barrier,
			.first = border(graph, p, options->processes), .last = border(graph, p + 1, options->processes),
		};

		child[p] = fork();
		if (child[p] == 0)
			_exit(process(&w, mode, descriptor) ? 1 : 0);
	}
	for (unsigned p = 0; p < options->processes; p++)
		failed |= child[p] < 0 || waitpid(child[p], &status, 0) != child[p] || status;
	return failed;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sum_up(const struct report *reports, unsigned processes, struct embed_result *result)
{
	for (unsigned p = 0; p < processes; p++) {
		const struct embed_result *did = &reports[p].did;

		result->loads += did->loads;
		result->stores += did->stores;
		result->hits += did->hits;
		result->misses += did->misses;
		result->renewals += did->renewals;
		result->uncached += did->uncached;
	}
}

static int run_on(struct gpulink_pool *pool, const struct graph *graph, const struct embed_options *options, unsigned mode,
		  struct report *reports, struct embed_row *rows, struct embed_result *result, char *reason)
{
	uint64_t bytes = graph->vertices * sizeof(*rows), barrier = (bytes + PAGE - 1) / PAGE * PAGE;
	int descriptor, error = gpulink_pool_share(pool, GPULINK_READ | GPULINK_WRITE, &descriptor);
	double begin = now();

	if (error) {
		snprintf(reason, EMBED_REASON, "the object's descriptor: %s", gpulink_error_text(error));
		return -1;
	}
	error = run_processes(graph, options, mode, descriptor, barrier, reports);
	result->seconds = now() - begin;
	close(descriptor);
	for (unsigned p = 0; p < options->processes; p++)
		if (reports[p].reason[0])
			snprintf(reason, EMBED_REASON, "%s", reports[p].reason);
	if (error && !reason[0])
		snprintf(reason, EMBED_REASON, "a process ended early");
	sum_up(reports, options->processes, result);
	if (!error && gpulink_pool_load(pool, 0, rows, bytes)) {
		snprintf(reason, EMBED_REASON, "the rows cannot be read");
		error = -1;
	}
	return error ? -1 : 0;
}

int embed_run(const struct graph *graph, const struct embed_options *options, unsigned mode, struct embed_row *rows,
	      struct embed_result *result, char *reason)
{
	const struct gpulink_pool_options uncached = { .size = sizeof(uncached), .mode = GPULINK_POOL_UNCACHED };
	uint64_t bytes = (graph->vertices * sizeof(*rows) + PAGE - 1) / PAGE * PAGE + PAGE;
	struct report *reports = mmap(NULL, EMBED_PROCESSES_MAX * sizeof(*reports), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct gpulink *device = NULL;
	struct gpulink_pool *pool;
	int error;

	*result = (struct embed_result){ 0 };
	if (reports == MAP_FAILED) {
		snprintf(reason, EMBED_REASON, "out of memory");
		return -1;
	}
	error = gpulink_open(options->device, &device);
	if (!error)
		error = gpulink_pool_create(device, bytes, sizeof(*rows), &uncached, &pool);
	if (error)
		snprintf(reason, EMBED_REASON, "%.200s: an object of %llu bytes: %s", options->device,
			 (unsigned long long)bytes, gpulink_error_text(error));
	else
		error = run_on(pool, graph, options, mode, reports, rows, result, reason);
	gpulink_close(device);
	munmap(reports, EMBED_PROCESSES_MAX * sizeof(*reports));
	return error ? -1 : 0;
}
