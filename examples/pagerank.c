// SPDX-License-Identifier: Apache-2.0
/*
 * pagerank DEVICE [SCALE]: PageRank of an R-MAT graph with 2^SCALE rows and 16 edges a row, by all processes: "mpirun -n 4
 * example-pagerank ucx:", or one. Each process has the rows of its residue class, computes their ranks from its copy of all
 * ranks, and stores each one to the copies of those who read it, 8 bytes each. At the end the copy is compared with a serial
 * computation.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "together.h"

enum { EDGES = 16, ITERATIONS = 20 };

#define DAMPING 0.85

/* Edges by their target: those of row r are sources[first[r]] to sources[first[r + 1] - 1]. */
struct graph {
	uint32_t rows, edges;
	uint32_t *first, *sources, *outgoing;
	uint64_t *readers; /* of each row: the processes that need its rank, modulo 64 */
};

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* An edge of R-MAT (Chakrabarti et al., 2004): a quadrant for each bit, with 0.57, 0.19, 0.19 and 0.05. */
static void make_edge(uint64_t *state, unsigned scale, uint32_t *from, uint32_t *to)
{
	*from = *to = 0;
	for (unsigned bit = 0; bit < scale; bit++) {
		unsigned chance = (unsigned)(draw(state) >> 33) % 100;

		*from = *from << 1 | (chance >= 76);
		*to = *to << 1 | ((chance >= 57 && chance < 76) || chance >= 95);
	}
}

/* The same in every process. */
static int make_graph(struct graph *g, unsigned scale, unsigned processes)
{
	uint32_t from, to, sum = 0;
	uint64_t state = 1;

	g->rows = 1u << scale;
	g->edges = EDGES << scale;
	g->first = calloc(g->rows + 1, sizeof(*g->first));
	g->outgoing = calloc(g->rows, sizeof(*g->outgoing));
	g->sources = calloc(g->edges, sizeof(*g->sources));
	g->readers = calloc(g->rows, sizeof(*g->readers));
	if (!g->first || !g->outgoing || !g->sources || !g->readers)
		return -GPULINK_ENOMEM;
	for (uint32_t e = 0; e < g->edges; e++) {
		make_edge(&state, scale, &from, &to);
		g->first[to]++;
		g->outgoing[from]++;
		g->readers[from] |= UINT64_C(1) << to % processes % 64;
	}
	for (uint32_t r = 0; r <= g->rows; r++) { /* where the edges of a row end; it becomes where they begin */
		sum += g->first[r];
		g->first[r] = sum;
	}
	state = 1;
	for (uint32_t e = 0; e < g->edges; e++) {
		make_edge(&state, scale, &from, &to);
		g->sources[--g->first[to]] = from;
	}
	return 0;
}

static double next_rank(const struct graph *g, const double *ranks, uint32_t row)
{
	double sum = 0;

	for (uint32_t e = g->first[row]; e < g->first[row + 1]; e++)
		sum += ranks[g->sources[e]] / g->outgoing[g->sources[e]];
	return (1 - DAMPING) / g->rows + DAMPING * sum;
}

/* Of the two copies of the ranks, iteration i reads one and writes the other. */
static uint64_t place(const struct graph *g, unsigned iteration, uint32_t row)
{
	return TOGETHER_FIRST + 8 * ((uint64_t)(iteration % 2) * g->rows + row);
}

/* The own rows. The stores are packed by the library. */
static int iterate(const struct graph *g, const struct together *all, unsigned iteration, const double *ranks)
{
	int error = 0;

	for (uint32_t row = all->process; row < g->rows && !error; row += all->processes) {
		double rank = next_rank(g, ranks, row);

		for (unsigned p = 0; p < all->processes && !error; p++)
			if (g->readers[row] >> p % 64 & 1 || p == all->process || p == 0)
				error = gpulink_store(all->windows[p], place(g, iteration + 1, row), &rank, sizeof(rank));
	}
	return error;
}

static int run(const struct graph *g, struct together *all, const uint8_t *memory)
{
	double start = 1.0 / g->rows;
	int error = 0;

	for (uint32_t row = 0; row < g->rows && !error; row++)
		error = gpulink_store(all->windows[all->process], place(g, 0, row), &start, sizeof(start));
	for (unsigned i = 0; i < ITERATIONS && !error; i++) {
		error = together_meet(all); /* all ranks are there, and nobody reads the others any more */
		if (!error)
			error = iterate(g, all, i, (const double *)(const void *)(memory + place(g, i, 0)));
	}
	return error ? error : together_meet(all);
}

/* The greatest difference of the ranks that this process has. */
static double compare(const struct graph *g, const struct together *all, const uint8_t *memory)
{
	const double *ranks = (const double *)(const void *)(memory + place(g, ITERATIONS, 0));
	double *now = malloc(8 * (size_t)g->rows), *next = malloc(8 * (size_t)g->rows), *swap, worst = now && next ? 0 : 1;

	for (uint32_t row = 0; row < g->rows && now && next; row++)
		now[row] = 1.0 / g->rows;
	for (unsigned i = 0; i < ITERATIONS && now && next; i++, swap = now, now = next, next = swap)
		for (uint32_t row = 0; row < g->rows; row++)
			next[row] = next_rank(g, now, row);
	for (uint32_t row = 0; row < g->rows && now && next; row++) {
		double difference = ranks[row] > now[row] ? ranks[row] - now[row] : now[row] - ranks[row];

		if ((g->readers[row] >> all->process % 64 & 1 || all->process == 0) && !(difference <= worst))
			worst = difference;
	}
	free(now);
	free(next);
	return worst;
}

static void report(const struct together *all)
{
	struct gpulink_counters sum = { .stores = 0 }, c;

	for (unsigned p = 0; p < all->processes; p++) {
		if (p == all->process && all->processes > 1)
			continue; /* does not leave the process */
		if (gpulink_get_counters(all->device, p, &c, sizeof(c)))
			return;
		sum.stores += c.stores;
		sum.packets += c.packets;
		sum.wire_bytes += c.wire_bytes;
	}
	printf("pagerank: process %u of %u stored %llu ranks in %llu packets, %.2f bytes each\n", all->process, all->processes,
	       (unsigned long long)sum.stores, (unsigned long long)sum.packets,
	       sum.stores ? (double)sum.wire_bytes / (double)sum.stores : 0.0);
}

int main(int argc, char **argv)
{
	unsigned scale = argc > 2 ? (unsigned)atoi(argv[2]) : 12;
	struct together all = { .windows = NULL };
	struct graph g = { .rows = 0 };
	struct gpulink *device = NULL;
	double worst = 1;
	void *memory;
	size_t bytes;
	int error;

	if (scale < 1 || scale > 20) {
		fprintf(stderr, "pagerank: scale %u: must be 1 to 20\n", scale);
		return 2;
	}
	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	if (!error)
		error = together_open(&all, device, ((TOGETHER_FIRST + (UINT64_C(16) << scale)) + 4095) & ~UINT64_C(4095));
	if (!error)
		error = gpulink_endpoint_memory(device, all.process, &memory, &bytes);
	if (!error)
		error = make_graph(&g, scale, all.processes);
	if (!error)
		error = run(&g, &all, memory);
	if (!error) {
		worst = compare(&g, &all, memory);
		report(&all);
	}
	printf("pagerank: %s, greatest difference %.1e\n", gpulink_error_text(error), worst);
	gpulink_close(device);
	free(all.windows);
	free(g.first);
	free(g.outgoing);
	free(g.sources);
	free(g.readers);
	return error != 0 || worst > 0;
}
