// SPDX-License-Identifier: Apache-2.0
#include "pagerank.h"

#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_STORES = 512, MOST_IN_FLIGHT = 8, PAGE_BYTES = 4096, RANK_BYTES = 8 };
#define WAIT_NS	    UINT64_C(30000000000)
#define EQUAL_TO    1e-12
/* Replicas are filled with this NaN before the first rank is pushed: a rank that never came cannot pass for one. */
#define NEVER_STORED UINT64_C(0xfff8deadbeef0000)

_Static_assert(sizeof(double) == RANK_BYTES, "a rank is 8 bytes");
_Static_assert(BATCH_STORES * (RANK_BYTES + 8u) <= GPULINK_VECTOR_BYTES, "a batch fits into a put vector");

/* One endpoint, and the block of vertices that it owns. */
struct part {
	uint32_t begin, end;
	volatile uint64_t *replica; /* the endpoint's own memory; volatile: the card changes it */
	struct gpulink_window *window;
	struct gpulink_counters before;
	uint64_t stores;
	size_t batched; /* stores that wait for the next put vector */
	struct gpulink_vector batch[BATCH_STORES];
	uint64_t values[BATCH_STORES];
};

struct pagerank {
	struct gpulink *device;
	const struct graph *graph;
	unsigned parts;
	struct part *part;
	uint16_t *readers; /* of each vertex: bit e, endpoint e reads its rank */
	double *next;	   /* ranks computed and not yet pushed */
	uint64_t submitted, completed;
	char reason[PAGERANK_REASON_BYTES];
};

__attribute__((format(printf, 2, 3))) static int fail(char *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, PAGERANK_REASON_BYTES, format, arguments);
	va_end(arguments);
	return -1;
}

static double rank_of(const struct part *part, uint32_t vertex)
{
	uint64_t bits = part->replica[vertex];
	double rank;

	memcpy(&rank, &bits, sizeof(rank));
	return rank;
}

static uint64_t bits_of(double rank)
{
	uint64_t bits;

	memcpy(&bits, &rank, sizeof(bits));
	return bits;
}

static uint64_t replica_bytes(uint32_t vertices)
{
	return ((uint64_t)vertices * RANK_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

uint32_t pagerank_room(struct gpulink *device, unsigned endpoints, char *reason)
{
	struct gpulink_endpoint_info endpoint;
	uint64_t room = UINT32_MAX;

	for (unsigned e = 0; e < endpoints; e++) {
		int error = gpulink_get_endpoint(device, e, &endpoint);

		if (error) {
			fail(reason, "endpoint %u: %s", e, gpulink_strerror(error));
			return 0;
		}
		if (!endpoint.present || endpoint.bytes < PAGE_BYTES) {
			fail(reason, "partition %u has no endpoint with memory; %u endpoints are needed", e, endpoints);
			return 0;
		}
		if (endpoint.bytes / PAGE_BYTES * PAGE_BYTES / RANK_BYTES < room)
			room = endpoint.bytes / PAGE_BYTES * PAGE_BYTES / RANK_BYTES;
	}
	return (uint32_t)room;
}

/* An endpoint reads what its owner computes from: the ranks of the sources, and of its own block (what changed). */
static void find_readers(struct pagerank *p)
{
	const struct graph *graph = p->graph;

	for (unsigned e = 0; e < p->parts; e++) {
		for (uint32_t v = p->part[e].begin; v < p->part[e].end; v++) {
			p->readers[v] = (uint16_t)(p->readers[v] | 1u << e);
			for (size_t i = graph->first[v]; i < graph->first[v + 1]; i++)
				p->readers[graph->sources[i]] = (uint16_t)(p->readers[graph->sources[i]] | 1u << e);
		}
	}
}

static int open_part(struct pagerank *p, unsigned e)
{
	struct part *part = &p->part[e];
	uint64_t need = replica_bytes(p->graph->vertices);
	void *memory;
	size_t bytes;
	int error;

	part->begin = (uint32_t)((uint64_t)p->graph->vertices * e / p->parts);
	part->end = (uint32_t)((uint64_t)p->graph->vertices * (e + 1) / p->parts);
	error = gpulink_endpoint_memory(p->device, e, &memory, &bytes);
	if (error)
		return fail(p->reason, "memory of endpoint %u: %s", e, gpulink_strerror(error));
	if (bytes < need)
		return fail(p->reason, "memory of endpoint %u: %zu bytes, %" PRIu64 " are needed", e, bytes, need);
	part->replica = memory;
	for (uint32_t v = 0; v < p->graph->vertices; v++)
		part->replica[v] = NEVER_STORED;
	error = gpulink_window_open(p->device, e, 0, need, GPULINK_READ | GPULINK_WRITE, &part->window);
	if (error) {
		part->window = NULL;
		return fail(p->reason, "window onto endpoint %u: %s", e, gpulink_strerror(error));
	}
	return 0;
}

static int open_parts(struct pagerank *p)
{
	int error;

	for (unsigned e = 0; e < p->parts; e++)
		if (open_part(p, e))
			return -1;
	find_readers(p);
	/* Only a release orders the filling of the memories with the stores that follow. */
	error = gpulink_release(p->device, WAIT_NS);
	if (error)
		return fail(p->reason, "release: %s", gpulink_strerror(error));
	for (unsigned e = 0; e < p->parts; e++) {
		error = gpulink_get_counters(p->device, e, &p->part[e].before);
		if (error)
			return fail(p->reason, "counters of partition %u: %s", e, gpulink_strerror(error));
	}
	return 0;
}

struct pagerank *pagerank_new(struct gpulink *device, const struct graph *graph, unsigned endpoints, char *reason)
{
	struct pagerank *p = calloc(1, sizeof(*p));

	if (!p) {
		fail(reason, "out of memory");
		return NULL;
	}
	p->device = device;
	p->graph = graph;
	p->parts = endpoints;
	p->part = calloc(endpoints, sizeof(*p->part));
	p->readers = calloc(graph->vertices, sizeof(*p->readers));
	p->next = calloc(graph->vertices, sizeof(*p->next));
	if (!p->part || !p->readers || !p->next) {
		fail(reason, "out of memory for %" PRIu32 " vertices", graph->vertices);
		pagerank_free(p);
		return NULL;
	}
	if (open_parts(p)) {
		memcpy(reason, p->reason, sizeof(p->reason));
		pagerank_free(p);
		return NULL;
	}
	return p;
}

void pagerank_free(struct pagerank *p)
{
	if (!p)
		return;
	for (unsigned e = 0; p->part && e < p->parts; e++)
		gpulink_window_close(p->part[e].window);
	free(p->part);
	free(p->readers);
	free(p->next);
	free(p);
}

const char *pagerank_reason(const struct pagerank *p)
{
	return p->reason;
}

/* Takes completions until at most `most` operations are in flight. */
static int reap(struct pagerank *p, uint64_t most)
{
	struct gpulink_completion done[MOST_IN_FLIGHT];

	while (p->submitted - p->completed > most) {
		int count = gpulink_wait(p->device, done, MOST_IN_FLIGHT, 1, WAIT_NS);

		if (count < 0)
			return fail(p->reason, "wait for the ring: %s", gpulink_strerror(count));
		if (!count || (uint64_t)count > p->submitted - p->completed)
			return fail(p->reason, "wait for the ring: %d completions of %" PRIu64 " operations", count,
				    p->submitted - p->completed);
		for (int i = 0; i < count; i++, p->completed++) {
			if (done[i].tag != p->completed)
				return fail(p->reason, "the ring completed operation %" PRIu64 ", %" PRIu64 " is next", done[i].tag,
					    p->completed);
			if (done[i].error)
				return fail(p->reason, "put %" PRIu64 ": %s (status %" PRIu32 ")", done[i].tag,
					    gpulink_strerror(done[i].error), done[i].status);
		}
	}
	return 0;
}

static int send_batch(struct pagerank *p, unsigned e)
{
	struct part *part = &p->part[e];
	int error;

	if (!part->batched)
		return 0;
	if (reap(p, MOST_IN_FLIGHT - 1))
		return -1;
	if (part->batched == 1)
		error = gpulink_put(part->window, part->batch[0].offset, part->batch[0].data, RANK_BYTES, p->submitted);
	else
		error = gpulink_put_vector(part->window, part->batch, part->batched, p->submitted);
	if (error)
		return fail(p->reason, "put into endpoint %u: %s", e, gpulink_strerror(error));
	p->submitted++;
	part->batched = 0;
	return 0;
}

/* One rank into one replica: endpoint 0 through its window, the others through the ring, so that both are used. */
static int push_rank(struct pagerank *p, unsigned e, uint32_t vertex, uint64_t bits)
{
	struct part *part = &p->part[e];
	uint64_t offset = (uint64_t)vertex * RANK_BYTES;

	part->stores++;
	if (e == 0) {
		int error = gpulink_store(part->window, offset, &bits, sizeof(bits));

		return error ? fail(p->reason, "store into endpoint 0: %s", gpulink_strerror(error)) : 0;
	}
	part->values[part->batched] = bits;
	part->batch[part->batched] =
		(struct gpulink_vector){.offset = offset, .data = &part->values[part->batched], .bytes = RANK_BYTES};
	part->batched++;
	return part->batched == BATCH_STORES ? send_batch(p, e) : 0;
}

/* Pushes the ranks of every owner's block that differ from what its own replica holds, and ends the iteration. */
static int push_changes(struct pagerank *p)
{
	int error;

	for (unsigned owner = 0; owner < p->parts; owner++) {
		for (uint32_t v = p->part[owner].begin; v < p->part[owner].end; v++) {
			uint64_t bits = bits_of(p->next[v]);

			if (bits == p->part[owner].replica[v])
				continue;
			for (unsigned e = 0; e < p->parts; e++)
				if (p->readers[v] >> e & 1 && push_rank(p, e, v, bits))
					return -1;
		}
	}
	for (unsigned e = 0; e < p->parts; e++)
		if (send_batch(p, e))
			return -1;
	if (reap(p, 0))
		return -1;
	error = gpulink_release(p->device, WAIT_NS);
	return error ? fail(p->reason, "release: %s", gpulink_strerror(error)) : 0;
}

/* Each owner adds the ranks of its vertices without edges out, read in its own replica, to the sum of those before
 * it: the same order of additions as the reference's, hence the same rounding. */
static double dangling_mass(const struct pagerank *p)
{
	double mass = 0;

	for (unsigned e = 0; e < p->parts; e++)
		for (uint32_t v = p->part[e].begin; v < p->part[e].end; v++)
			if (!p->graph->out_degree[v])
				mass += rank_of(&p->part[e], v);
	return mass;
}

/* Computes the block of one owner, from its own replica alone. Returns change plus the block's changes. */
static double compute_block(struct pagerank *p, const struct part *part, double dangling, double change)
{
	const struct graph *graph = p->graph;
	double n = graph->vertices;

	for (uint32_t v = part->begin; v < part->end; v++) {
		double sum = 0;

		for (size_t i = graph->first[v]; i < graph->first[v + 1]; i++)
			sum += rank_of(part, graph->sources[i]) / graph->out_degree[graph->sources[i]];
		p->next[v] = (1 - PAGERANK_DAMPING) / n + PAGERANK_DAMPING * (sum + dangling / n);
		change += fabs(p->next[v] - rank_of(part, v));
	}
	return change;
}

static uint64_t stores_made(const struct pagerank *p)
{
	uint64_t stores = 0;

	for (unsigned e = 0; e < p->parts; e++)
		stores += p->part[e].stores;
	return stores;
}

int pagerank_run(struct pagerank *p, pagerank_progress progress)
{
	double change = 0;

	for (uint32_t v = 0; v < p->graph->vertices; v++)
		p->next[v] = 1.0 / p->graph->vertices;
	if (push_changes(p))
		return -1;
	progress(0, 1, stores_made(p));
	for (unsigned iteration = 1; iteration <= PAGERANK_MOST_ITERATIONS; iteration++) {
		double dangling = dangling_mass(p);

		change = 0;
		for (unsigned e = 0; e < p->parts; e++)
			change = compute_block(p, &p->part[e], dangling, change);
		if (isnan(change))
			return fail(p->reason, "iteration %u read a rank that was never delivered", iteration);
		if (push_changes(p))
			return -1;
		progress(iteration, change, stores_made(p));
		if (change < PAGERANK_TOLERANCE)
			return (int)iteration;
	}
	return fail(p->reason, "no convergence in %u iterations: the last one changed %g", PAGERANK_MOST_ITERATIONS, change);
}

int pagerank_compare(struct pagerank *p, const double *ranks, double *worst)
{
	*worst = 0;
	for (unsigned e = 0; e < p->parts; e++) {
		for (uint32_t v = 0; v < p->graph->vertices; v++) {
			bool read = p->readers[v] >> e & 1;
			double difference = fabs(rank_of(&p->part[e], v) - ranks[v]);

			if (!read && p->part[e].replica[v] != NEVER_STORED)
				return fail(p->reason, "replica %u, vertex %" PRIu32 ": was stored to, though nobody reads it", e, v);
			if (read && !(difference <= EQUAL_TO))
				return fail(p->reason, "replica %u, vertex %" PRIu32 ": %.17g, the reference has %.17g", e, v,
					    rank_of(&p->part[e], v), ranks[v]);
			if (read && difference > *worst)
				*worst = difference;
		}
	}
	return 0;
}

/* All counters are 64-bit numbers, so a difference is one of arrays. */
static void subtract(struct gpulink_counters *counters, const struct gpulink_counters *less)
{
	enum { COUNTERS = sizeof(*counters) / sizeof(uint64_t) };
	uint64_t a[COUNTERS], b[COUNTERS];

	memcpy(a, counters, sizeof(a));
	memcpy(b, less, sizeof(b));
	for (unsigned i = 0; i < COUNTERS; i++)
		a[i] -= b[i];
	memcpy(counters, a, sizeof(a));
}

int pagerank_count(struct pagerank *p, struct pagerank_traffic *traffic)
{
	for (unsigned e = 0; e < p->parts; e++) {
		const struct part *part = &p->part[e];
		struct pagerank_traffic *t = &traffic[e];
		int error = gpulink_get_counters(p->device, e, &t->last);

		if (error)
			return fail(p->reason, "counters of partition %u: %s", e, gpulink_strerror(error));
		t->stores = part->stores;
		t->card = t->last;
		subtract(&t->card, &part->before);
		if (t->card.stores != part->stores || t->card.store_bytes != part->stores * RANK_BYTES)
			return fail(p->reason,
				    "endpoint %u: %" PRIu64 " stores were made, the device counted %" PRIu64 " of %" PRIu64 " bytes", e,
				    part->stores, t->card.stores, t->card.store_bytes);
	}
	return 0;
}
