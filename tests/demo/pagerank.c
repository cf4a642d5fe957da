// SPDX-License-Identifier: Apache-2.0
#include "pagerank.h"

#include "gpu.h"
#include "processes.h"
#include "reference.h"
#include "side.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, FAR_LOADS = 64 };
#define EQUAL_TO 1e-12
/* Replicas are filled with this NaN before the first rank is pushed: a missing rank is detected. */
#define NEVER_STORED UINT64_C(0xfff8deadbeef0000)

_Static_assert(sizeof(double) == RANK_BYTES, "a rank is 8 bytes");

/* One endpoint, and the block of vertices that it owns. */
struct part {
	uint32_t begin, end;
	unsigned card;		    /* the card it is local to */
	volatile uint64_t *replica; /* the endpoint's own memory; volatile: the card changes it; NULL: another process has it */
};

struct pagerank {
	const struct graph *graph;
	unsigned cards, parts;
	struct processes *processes; /* NULL: this process owns all parts */
	unsigned first, end;	     /* its own parts */
	uint64_t offset;	     /* of the replicas in the endpoints' memories */
	struct side side[PAGERANK_MOST_CARDS];
	struct part *part;
	uint16_t *readers; /* of each vertex: bit e, endpoint e reads its rank */
	double *next;	   /* ranks computed and not yet pushed */
	struct gpu *gpu;   /* that computes and pushes them, or NULL */
	char reason[PAGERANK_REASON_BYTES];
};

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

unsigned pagerank_card_of(unsigned endpoint, unsigned cards, unsigned endpoints)
{
	return endpoint * cards / endpoints;
}

/* Returns the size of an endpoint as one card reports it, or 0 with a reason. */
static uint64_t endpoint_room(const struct pagerank_cards *cards, unsigned card, unsigned e, unsigned endpoints, char *reason)
{
	uint64_t first = cards->processes ? PROCESSES_FIRST : 0;
	struct gpulink_endpoint_info endpoint;
	int error = gpulink_get_endpoint(cards->device[card], e, &endpoint, sizeof(endpoint));
	char far[16];

	snprintf(far, sizeof(far), "link %u", e);
	if (error)
		fail(reason, "endpoint %u: %s", e, gpulink_error_text(error));
	else if (!endpoint.present || endpoint.bytes < first + PAGE_BYTES)
		fail(reason, "partition %u has no endpoint with memory; %u endpoints are needed", e, endpoints);
	else if (card != pagerank_card_of(e, cards->count, endpoints) && strcmp(endpoint.name, far) != 0)
		fail(reason, "partition %u of card %u is '%s', should be '%s'", e, card, endpoint.name, far);
	else
		return endpoint.bytes - first;
	return 0;
}

uint32_t pagerank_room(const struct pagerank_cards *cards, unsigned endpoints, char *reason)
{
	uint64_t room = UINT32_MAX;

	for (unsigned c = 0; c < cards->count; c++) {
		for (unsigned e = 0; e < endpoints; e++) {
			uint64_t bytes = endpoint_room(cards, c, e, endpoints, reason);

			if (!bytes)
				return 0;
			if (bytes / PAGE_BYTES * PAGE_BYTES / RANK_BYTES < room)
				room = bytes / PAGE_BYTES * PAGE_BYTES / RANK_BYTES;
		}
	}
	return (uint32_t)room;
}

/* An endpoint reads its owner's inputs: the ranks of the sources, and of its own block (to detect changes). */
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

	part->card = pagerank_card_of(e, p->cards, p->parts);
	part->begin = (uint32_t)((uint64_t)p->graph->vertices * e / p->parts);
	part->end = (uint32_t)((uint64_t)p->graph->vertices * (e + 1) / p->parts);
	if (e < p->first || e >= p->end)
		return 0;
	error = gpulink_endpoint_memory(p->side[part->card].device, e, &memory, &bytes);
	if (error)
		return fail(p->reason, "memory of endpoint %u: %s", e, gpulink_error_text(error));
	if (bytes < p->offset + need)
		return fail(p->reason, "memory of endpoint %u: %zu bytes, %" PRIu64 " are needed", e, bytes, p->offset + need);
	part->replica = (uint64_t *)memory + p->offset / RANK_BYTES;
	for (uint32_t v = 0; v < p->graph->vertices; v++)
		part->replica[v] = NEVER_STORED;
	return 0;
}

/* A window of the card onto every endpoint. */
static int open_lanes(struct pagerank *p, struct side *side)
{
	for (unsigned e = 0; e < p->parts; e++) {
		int error = gpulink_window_open(side->device, e, p->offset, replica_bytes(p->graph->vertices),
						GPULINK_READ | GPULINK_WRITE, &side->lane[e].window);

		if (error) {
			side->lane[e].window = NULL;
			return fail(p->reason, "window onto endpoint %u: %s", e, gpulink_error_text(error));
		}
	}
	return 0;
}

static int release_all(struct pagerank *p)
{
	for (unsigned c = 0; c < p->cards; c++) {
		int error = gpulink_release(p->side[c].device, WAIT_NS);

		if (error)
			return fail(p->reason, "release of card %u: %s", c, gpulink_error_text(error));
	}
	return 0;
}

/* What was stored is in place, in all processes. */
static int finish_all(struct pagerank *p)
{
	return p->processes ? processes_meet(p->processes, p->reason) : release_all(p);
}

/* The kernels, and everything that they access. */
static int open_gpu(struct pagerank *p, const char *folder)
{
	const struct gpu_make make = {.folder = folder, .graph = p->graph, .readers = p->readers, .damping = PAGERANK_DAMPING,
				      .reason = p->reason};
	size_t bytes = replica_bytes(p->graph->vertices);

	p->gpu = gpu_new(&make);
	if (!p->gpu)
		return -1;
	for (unsigned e = 0; e < p->parts; e++)
		if (gpu_add_replica(p->gpu, e, (void *)(uintptr_t)p->part[e].replica, bytes))
			return -1;
	for (unsigned c = 0; c < p->cards; c++) {
		for (unsigned e = 0; e < p->parts; e++)
			if (gpu_add_window(p->gpu, c, e, p->side[c].device, p->side[c].lane[e].window, bytes))
				return -1;
		if (gpu_add_doorbell(p->gpu, c, p->side[c].device))
			return -1;
	}
	return 0;
}

static int open_all(struct pagerank *p, const char *gpu)
{
	for (unsigned e = 0; e < p->parts; e++)
		if (open_part(p, e))
			return -1;
	for (unsigned c = 0; c < p->cards; c++)
		if (open_lanes(p, &p->side[c]))
			return -1;
	find_readers(p);
	if (gpu && open_gpu(p, gpu))
		return -1;
	/* Only a release orders the filling of the memories with the stores that follow. */
	if (finish_all(p))
		return -1;
	for (unsigned c = 0; c < p->cards; c++) {
		for (unsigned e = 0; e < p->parts; e++) {
			int error = gpulink_get_counters(p->side[c].device, e, &p->side[c].lane[e].before,
							 sizeof(p->side[c].lane[e].before));

			if (error)
				return fail(p->reason, "counters of partition %u: %s", e, gpulink_error_text(error));
		}
	}
	return 0;
}

static bool allocate(struct pagerank *p)
{
	bool done;

	p->part = calloc(p->parts, sizeof(*p->part));
	p->readers = calloc(p->graph->vertices, sizeof(*p->readers));
	p->next = calloc(p->graph->vertices, sizeof(*p->next));
	done = p->part && p->readers && p->next;
	for (unsigned c = 0; c < p->cards; c++) {
		p->side[c].lane = calloc(p->parts, sizeof(*p->side[c].lane));
		done = done && p->side[c].lane;
	}
	return done;
}

struct pagerank *pagerank_new(const struct pagerank_cards *cards, const struct graph *graph, unsigned endpoints,
			      char *reason)
{
	struct pagerank *p = calloc(1, sizeof(*p));

	if (!p) {
		fail(reason, "out of memory");
		return NULL;
	}
	p->graph = graph;
	p->cards = cards->count;
	p->parts = endpoints;
	p->processes = cards->processes;
	p->first = p->processes ? processes_own(p->processes) : 0;
	p->end = p->processes ? p->first + 1 : p->parts;
	p->offset = p->processes ? PROCESSES_FIRST : 0;
	for (unsigned c = 0; c < p->cards; c++)
		p->side[c].device = cards->device[c];
	if (!allocate(p)) {
		fail(reason, "out of memory for %" PRIu32 " vertices", graph->vertices);
		pagerank_free(p);
		return NULL;
	}
	if (open_all(p, cards->gpu)) {
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
	gpu_free(p->gpu);
	for (unsigned c = 0; c < p->cards; c++) {
		for (unsigned e = 0; p->side[c].lane && e < p->parts; e++)
			gpulink_window_close(p->side[c].lane[e].window);
		free(p->side[c].lane);
	}
	free(p->part);
	free(p->readers);
	free(p->next);
	free(p);
}

const char *pagerank_reason(const struct pagerank *p)
{
	return p->reason;
}

/* Pushes the ranks of one owner's block that differ from its own replica, to all their readers. */
static int push_block(struct pagerank *p, const struct part *owner)
{
	struct side *side = &p->side[owner->card];

	for (uint32_t v = owner->begin; v < owner->end; v++) {
		uint64_t bits = bits_of(p->next[v]);

		if (bits == owner->replica[v])
			continue;
		for (unsigned e = 0; e < p->parts; e++)
			if (p->readers[v] >> e & 1 && side_push(side, e, (uint64_t)v * RANK_BYTES, bits, p->reason))
				return -1;
	}
	return 0;
}

/* The same by kernels, which decide themselves what to store; here it is counted, for pagerank_count(). */
static int push_block_by_gpu(struct pagerank *p, unsigned o)
{
	const struct part *owner = &p->part[o];
	struct side *side = &p->side[owner->card];

	for (uint32_t v = owner->begin; v < owner->end; v++)
		for (unsigned e = 0; bits_of(p->next[v]) != owner->replica[v] && e < p->parts; e++)
			side->lane[e].stores += p->readers[v] >> e & 1;
	for (unsigned i = 1; i <= p->parts; i++)
		if (gpu_push(p->gpu, owner->card, o, (o + i) % p->parts, owner->begin, owner->end))
			return -1;
	return 0;
}

static int push_changes_by_gpu(struct pagerank *p)
{
	for (unsigned owner = 0; owner < p->parts; owner++)
		if (push_block_by_gpu(p, owner))
			return -1;
	for (unsigned c = 0; c < p->cards; c++)
		if (gpu_release(p->gpu, c))
			return -1;
	return 0;
}

/* Pushes what changed, and ends the iteration. */
static int push_changes(struct pagerank *p)
{
	if (p->gpu)
		return push_changes_by_gpu(p);
	for (unsigned owner = p->first; owner < p->end; owner++)
		if (push_block(p, &p->part[owner]))
			return -1;
	for (unsigned c = 0; c < p->cards; c++)
		if (side_flush(&p->side[c], p->parts, p->reason))
			return -1;
	return finish_all(p);
}

/* Each owner adds the ranks of its vertices without edges out, read in its own replica, to the sum of those before
 * it: the same order of additions as the reference's, hence the same rounding. Processes add their sums. */
static double dangling_mass(const struct pagerank *p)
{
	double mass = 0;

	for (unsigned e = p->first; e < p->end; e++)
		for (uint32_t v = p->part[e].begin; v < p->part[e].end; v++)
			if (!p->graph->out_degree[v])
				mass += rank_of(&p->part[e], v);
	return mass;
}

/* The sum of a block's changes, added to `change` in the reference's order. */
static double add_changes(const struct pagerank *p, const struct part *part, double change)
{
	for (uint32_t v = part->begin; v < part->end; v++)
		change += fabs(p->next[v] - rank_of(part, v));
	return change;
}

/* Computes the block of one owner from its own replica only. */
static void compute_block(struct pagerank *p, const struct part *part, double dangling)
{
	const struct graph *graph = p->graph;
	double n = graph->vertices;

	for (uint32_t v = part->begin; v < part->end; v++) {
		double sum = 0;

		for (size_t i = graph->first[v]; i < graph->first[v + 1]; i++)
			sum += rank_of(part, graph->sources[i]) / graph->out_degree[graph->sources[i]];
		p->next[v] = (1 - PAGERANK_DAMPING) / n + PAGERANK_DAMPING * (sum + dangling / n);
	}
}

/* All blocks. Returns 0 and the sum of the changes, when no process reads ranks any more. */
static int compute(struct pagerank *p, double *change)
{
	double dangling = dangling_mass(p);

	if (p->processes && processes_sum(p->processes, 0, &dangling, p->reason))
		return -1;
	*change = 0;
	for (unsigned e = p->first; e < p->end; e++) {
		const struct part *part = &p->part[e];

		if (!p->gpu)
			compute_block(p, part, dangling);
		else if (gpu_compute(p->gpu, e, part->begin, part->end, dangling, p->next))
			return -1;
		*change = add_changes(p, part, *change);
	}
	return p->processes ? processes_sum(p->processes, 1, change, p->reason) : 0;
}

static uint64_t stores_made(const struct pagerank *p)
{
	uint64_t stores = 0;

	for (unsigned c = 0; c < p->cards; c++)
		for (unsigned e = 0; e < p->parts; e++)
			stores += p->side[c].lane[e].stores;
	return stores;
}

int pagerank_run(struct pagerank *p, pagerank_progress progress)
{
	double change = 0;

	for (uint32_t v = 0; v < p->graph->vertices; v++)
		p->next[v] = 1.0 / p->graph->vertices;
	if ((p->gpu && gpu_load(p->gpu, p->next)) || push_changes(p))
		return -1;
	progress(0, 1, stores_made(p));
	for (unsigned iteration = 1; iteration <= PAGERANK_MOST_ITERATIONS; iteration++) {
		if (compute(p, &change))
			return -1;
		if (isnan(change))
			return fail(p->reason, "iteration %u read a rank that was never delivered", iteration);
		if (push_changes(p))
			return -1;
		progress(iteration, change, stores_made(p));
		if (change < PAGERANK_TOLERANCE)
			return p->gpu && release_all(p) ? -1 : (int)iteration; /* reports accesses that a card rejected */
	}
	return fail(p->reason, "no convergence in %u iterations: the last one changed %g", PAGERANK_MOST_ITERATIONS, change);
}

int pagerank_compare(struct pagerank *p, const double *ranks, double *worst)
{
	*worst = 0;
	for (unsigned e = p->first; e < p->end; e++) {
		for (uint32_t v = 0; v < p->graph->vertices; v++) {
			bool read = p->readers[v] >> e & 1;
			double difference = fabs(rank_of(&p->part[e], v) - ranks[v]);

			if (!read && p->part[e].replica[v] != NEVER_STORED)
				return fail(p->reason, "replica %u, vertex %" PRIu32 ": was stored to, but has no reader", e,
					    v);
			if (read && !(difference <= EQUAL_TO))
				return fail(p->reason, "replica %u, vertex %" PRIu32 ": %.17g, the reference has %.17g", e, v,
					    rank_of(&p->part[e], v), ranks[v]);
			if (read && difference > *worst)
				*worst = difference;
		}
	}
	return 0;
}

int pagerank_load_far(struct pagerank *p)
{
	int loads = 0;

	for (unsigned c = 0; c < p->cards; c++) {
		for (unsigned e = 0; e < p->parts; e++) {
			if (p->part[e].card == c)
				continue;
			for (uint64_t i = 0; i < FAR_LOADS; i++, loads++) {
				uint64_t vertex = i * p->graph->vertices / FAR_LOADS, bits;
				int error = gpulink_load(p->side[c].lane[e].window, vertex * RANK_BYTES, &bits, sizeof(bits));

				if (error)
					return fail(p->reason, "load from endpoint %u: %s", e, gpulink_error_text(error));
				if (bits != p->part[e].replica[vertex])
					return fail(p->reason,
						    "replica %u, vertex %" PRIu64 ": a load over the link returned %#" PRIx64
						    ", memory has %#" PRIx64,
						    e, vertex, bits, p->part[e].replica[vertex]);
			}
		}
	}
	return loads;
}

void pagerank_add(struct gpulink_counters *total, const struct gpulink_counters *more)
{
	enum { COUNTERS = sizeof(*total) / sizeof(uint64_t) };
	uint64_t a[COUNTERS], b[COUNTERS];

	memcpy(a, total, sizeof(a));
	memcpy(b, more, sizeof(b));
	for (unsigned i = 0; i < COUNTERS; i++)
		a[i] += b[i];
	memcpy(total, a, sizeof(a));
}

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

static int count_lane(struct pagerank *p, struct side *side, unsigned e, struct pagerank_traffic *t)
{
	const struct lane *lane = &side->lane[e];
	int error = gpulink_get_counters(side->device, e, &t->last, sizeof(t->last));

	if (error)
		return fail(p->reason, "counters of partition %u: %s", e, gpulink_error_text(error));
	t->stores = lane->stores;
	t->ring_bytes = lane->ring_bytes;
	t->card = t->last;
	subtract(&t->card, &lane->before);
	return 0;
}

static int check_count(struct pagerank *p, unsigned e, const struct pagerank_traffic *t)
{
	if (t->card.stores == t->stores && t->card.store_bytes == t->stores * RANK_BYTES)
		return 0;
	return fail(p->reason, "endpoint %u: %" PRIu64 " stores were made, the device counted %" PRIu64 " of %" PRIu64 " bytes",
		    e, t->stores, t->card.stores, t->card.store_bytes);
}

int pagerank_count(struct pagerank *p, struct pagerank_traffic *traffic)
{
	struct pagerank_traffic one, *t;

	memset(traffic, 0, sizeof(*traffic));
	for (unsigned c = 0; c < p->cards; c++) {
		for (unsigned e = 0; e < p->parts; e++) {
			t = p->processes ? &one : &traffic[c * p->parts + e];
			if (count_lane(p, &p->side[c], e, t) || (!p->processes && check_count(p, e, t)))
				return -1;
			if (p->processes) {
				traffic->stores += one.stores;
				pagerank_add(&traffic->card, &one.card);
			}
		}
	}
	if (!p->processes)
		return 0;
	traffic->stores += processes_stores(p->processes);
	return check_count(p, p->first,
			   traffic); /* only the sum: with two-hop routing a partition has the counters of a relay */
}

int pagerank_gather(struct pagerank *p, int failed, struct pagerank_traffic *traffic)
{
	return processes_gather(p->processes, failed, traffic, p->reason);
}
