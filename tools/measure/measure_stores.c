// SPDX-License-Identifier: Apache-2.0
#include "measure_stores.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink_lane.h>

#define SECOND UINT64_C(1000000000)
#define GRAPH  (UINT64_C(8) << 20)
#define SIDES  2u

const char *const measure_pattern_names[MEASURE_PATTERNS] = { "random", "sequential", "graph", "halo", "hot" };
const char *const measure_store_way_names[MEASURE_STORE_WAYS] = { "plain", "lane", "queue", "2 plain", "2 lanes" };

/* What a thread stores to: an endpoint. */
struct side {
	struct bench *bench;
	struct gpulink_window *window;
	struct gpulink_queue *queue;
	struct gpulink_lane lane;
	uint8_t *memory;
	enum measure_store_way way; /* of the thread of side 1 */
	uint64_t mark;
	int error;
};

struct bench {
	struct gpulink *device;
	struct side sides[SIDES];
	pthread_barrier_t start;
	uint64_t bytes, state; /* of random numbers */
	unsigned stores;
	uint64_t *at; /* of each store */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* xorshift64* (Vigna, 2016). */
static uint64_t draw(struct bench *b)
{
	b->state ^= b->state >> 12;
	b->state ^= b->state << 25;
	b->state ^= b->state >> 27;
	return b->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* --- patterns --- */

/* A column of R-MAT: each bit is 1 with probability 0.24, as b + d of its quadrants. */
static uint64_t skewed(struct bench *b, uint64_t words)
{
	uint64_t at = 0;

	for (uint64_t bit = 1; bit < words; bit *= 2)
		at |= draw(b) >> 40 < (uint64_t)(0.24 * (1 << 24)) ? bit : 0;
	return at;
}

static void measure_stores_fill(struct bench *b, enum measure_pattern pattern)
{
	uint64_t words = b->bytes / 8, graph = (b->bytes < GRAPH ? b->bytes : GRAPH) / 8, line = 0;

	for (unsigned i = 0; i < b->stores; i++) {
		switch (pattern) {
		case MEASURE_RANDOM: b->at[i] = 8 * ((draw(b) >> 16) % words); break;
		case MEASURE_SEQUENTIAL: b->at[i] = 8 * (i % words); break;
		case MEASURE_GRAPH: b->at[i] = 8 * skewed(b, graph); break;
		case MEASURE_HALO:
			line = i % 16 ? line : (draw(b) >> 16) % (words / 16);
			b->at[i] = 128 * line + 8 * (i % 16);
			break;
		default: b->at[i] = 512 * ((draw(b) >> 16) % 64); break;
		}
	}
}

/* --- ways --- */

/* Each way is a function, so that a profiler counts its instructions (docs/local.md, "What a store costs"). */
static __attribute__((noinline)) int store_plain(const struct side *s, uint64_t mark)
{
	const struct bench *b = s->bench;

	for (unsigned i = 0; i < b->stores; i++)
		*(volatile uint64_t *)(void *)(s->memory + b->at[i]) = mark + i;
	return 0;
}

static __attribute__((noinline)) int store_lane(struct side *s, uint64_t mark)
{
	const struct bench *b = s->bench;
	int error = 0;

	for (unsigned i = 0; i < b->stores && !error; i++) {
		uint64_t value = mark + i;

		error = gpulink_lane_store(&s->lane, b->at[i], &value, 8);
	}
	return error;
}

static __attribute__((noinline)) int store_queue(const struct side *s, uint64_t mark)
{
	const struct bench *b = s->bench;
	int error = 0;

	for (unsigned i = 0; i < b->stores && !error; i++) {
		uint64_t value = mark + i;

		error = gpulink_queue_store(s->queue, s->window, b->at[i], &value, 8);
	}
	return error;
}

static int store_all(struct side *s, enum measure_store_way way, uint64_t mark)
{
	int error;

	switch (way) {
	case MEASURE_PLAIN:
	case MEASURE_TWO_PLAIN: error = store_plain(s, mark); break;
	case MEASURE_QUEUE: error = store_queue(s, mark); break;
	default: error = store_lane(s, mark); break;
	}
	return error ? error : gpulink_queue_release(s->queue, 60 * SECOND);
}

static void *store_other(void *argument)
{
	struct side *s = argument;

	pthread_barrier_wait(&s->bench->start);
	s->error = store_all(s, s->way, s->mark);
	return NULL;
}

/* Returns ns, or a code. */
static double time_all(struct bench *b, enum measure_store_way way, uint64_t mark)
{
	struct side *other = &b->sides[1];
	bool two = way >= MEASURE_TWO_PLAIN;
	pthread_t thread;
	double begin;
	int error;

	other->way = way;
	other->mark = mark;
	other->error = 0;
	if (two && pthread_create(&thread, NULL, store_other, other))
		return -GPULINK_ENOMEM;
	if (two)
		pthread_barrier_wait(&b->start);
	begin = now();
	error = store_all(&b->sides[0], way, mark);
	if (two)
		pthread_join(thread, NULL);
	error = error ? error : other->error;
	return error ? error : now() - begin;
}

/* The last store to each place is there: from the last on, each place that was not seen. */
static int measure_stores_check(const struct side *s, uint64_t mark)
{
	const struct bench *b = s->bench;
	uint8_t *seen = calloc(b->bytes / 64 + 1, 1);
	int wrong = 0;

	if (!seen)
		return -GPULINK_ENOMEM;
	for (unsigned i = b->stores; i-- && !wrong;) {
		uint64_t word = b->at[i] / 8;

		if (!(seen[word / 8] >> word % 8 & 1))
			wrong = *(const volatile uint64_t *)(const void *)(s->memory + b->at[i]) != mark + i;
		seen[word / 8] |= (uint8_t)(1u << word % 8);
	}
	free(seen);
	return wrong ? -GPULINK_EPROTO : 0;
}

static uint64_t wire_bytes(struct bench *b)
{
	struct gpulink_counters counters;

	return gpulink_get_counters(b->device, 0, &counters, sizeof(counters)) ? 0 : counters.wire_bytes;
}

static int measure_stores_compare(const void *left, const void *right)
{
	double l = *(const double *)left, r = *(const double *)right;

	return (l > r) - (l < r);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), measure_stores_compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* One round of one way. Returns ns a store, or a code. */
static double measure_one(struct bench *b, enum measure_store_way way, uint64_t mark)
{
	unsigned sides = way >= MEASURE_TWO_PLAIN ? SIDES : 1;
	double ns = time_all(b, way, mark);
	int error = 0;

	for (unsigned i = 0; i < sides && ns >= 0 && !error; i++)
		error = measure_stores_check(&b->sides[i], mark);
	return error ? error : ns < 0 ? ns : ns / b->stores / sides;
}

static int measure_stores_measure(struct bench *b, unsigned rounds, double *values[MEASURE_STORE_WAYS],
				  struct measure_stores found[MEASURE_STORE_WAYS])
{
	uint64_t mark = draw(b) >> 8;

	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned way = 0; way < MEASURE_STORE_WAYS; way++, mark += b->stores) {
			uint64_t before = wire_bytes(b);

			values[way][r] = measure_one(b, (enum measure_store_way)way, mark);
			if (values[way][r] < 0)
				return (int)values[way][r];
			found[way].wire_bytes = (double)(wire_bytes(b) - before) / b->stores;
		}
	}
	for (unsigned way = 0; way < MEASURE_STORE_WAYS; way++) {
		found[way].ns = median(values[way], rounds);
		for (unsigned r = 0; r < rounds; r++)
			values[way][r] = fabs(values[way][r] - found[way].ns);
		found[way].spread = median(values[way], rounds);
	}
	return 0;
}

static int open_side(struct bench *b, unsigned number)
{
	struct side *s = &b->sides[number];
	void *memory;
	size_t size;
	int error = gpulink_window_open(b->device, number, 0, b->bytes, GPULINK_READ | GPULINK_WRITE, &s->window);

	s->bench = b;
	if (!error)
		error = gpulink_queue_open(b->device, &s->queue);
	if (!error)
		error = gpulink_lane_open(s->queue, s->window, &s->lane);
	if (!error)
		error = gpulink_endpoint_memory(b->device, number, &memory, &size);
	if (!error) {
		s->memory = memory;
		memset(memory, 1, b->bytes); /* its pages are there */
	}
	return error;
}

int measure_stores(const char *device, uint64_t bytes, unsigned stores, unsigned rounds, unsigned patterns,
		   struct measure_stores found[MEASURE_PATTERNS][MEASURE_STORE_WAYS], struct failure *error)
{
	struct bench b = { .bytes = bytes, .stores = stores, .state = 1, .at = calloc(stores, sizeof(*b.at)) };
	double *all = calloc((size_t)rounds * MEASURE_STORE_WAYS, sizeof(*all)), *values[MEASURE_STORE_WAYS];
	int failed = b.at && all ? gpulink_open(device, &b.device) : -GPULINK_ENOMEM;

	if (!failed && pthread_barrier_init(&b.start, NULL, SIDES))
		failed = -GPULINK_ENOMEM;
	for (unsigned i = 0; i < SIDES && !failed; i++)
		failed = open_side(&b, i);
	for (unsigned way = 0; way < MEASURE_STORE_WAYS; way++)
		values[way] = all + (size_t)way * rounds;
	for (unsigned p = 0; p < MEASURE_PATTERNS && !failed; p++) {
		if (!(patterns >> p & 1))
			continue;
		measure_stores_fill(&b, (enum measure_pattern)p);
		failed = measure_stores_measure(&b, rounds, values, found[p]);
	}
	if (failed)
		failure_set(error, failed, "%.200s: %s", device,
			    failed == -GPULINK_EPROTO ? "the memory has not what was stored" : gpulink_error_text(failed));
	gpulink_close(b.device);
	free(b.at);
	free(all);
	return failed;
}
