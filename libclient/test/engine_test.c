// SPDX-License-Identifier: Apache-2.0
/*
 * The engine of lanes against the card's model: threads store the same at random to a "local:" device, by lanes, and to a "soft:"
 * device, to 1 to 16 endpoints, in all widths, with releases anywhere. At a release a thread's part of the memory is what plain stores
 * leave; in the end both devices have the same memory and the same counters of stores. TAP.
 *
 * engine_test [STORES [SEED]]: 400000 by default.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_lane.h>

#include "tap.h"

#define SECOND UINT64_C(1000000000)

enum { MEMORY = 1 << 20, ENDPOINTS_MAX = 16, THREADS_MAX = 4, STORES_OF_ROUND = 100000, WIDTH_MAX = 4096 };

enum way { LOCAL, SOFT, WAYS };

struct bench {
	unsigned endpoints, threads;
	uint64_t seed;
	struct gpulink *devices[WAYS];
	struct gpulink_window *windows[WAYS][ENDPOINTS_MAX];
	uint8_t *memory[WAYS][ENDPOINTS_MAX];
	uint8_t *plain[ENDPOINTS_MAX];
};

struct worker {
	struct bench *bench;
	unsigned number;
	pthread_t thread;
	struct chance chance;
	struct gpulink_queue *queues[WAYS];
	struct gpulink_lane lanes[ENDPOINTS_MAX];
	uint64_t low, high; /* its part of each endpoint; borders are at odd bytes */
	const char *failed;
};

static size_t width(struct worker *w)
{
	static const size_t usual[] = { 8, 8, 8, 4, 4, 16, 32, 2, 1 };
	unsigned kind = below(&w->chance, 100);

	return kind < 80 ? usual[below(&w->chance, 9)] : kind < 99 ? 1 + below(&w->chance, 160) : 1 + below(&w->chance, WIDTH_MAX);
}

/* Sequential runs, hot words, and anything. */
static uint64_t place(struct worker *w, uint64_t before, size_t bytes)
{
	uint64_t room = w->high - w->low - bytes + 1, at;

	switch (below(&w->chance, 4)) {
	case 0:
		return before + bytes <= w->high ? before : w->low;
	case 1:
		at = w->low + below(&w->chance, 2048);
		break;
	default:
		at = w->low + draw(&w->chance) % room;
		break;
	}
	if (below(&w->chance, 4) && at % 8 && at - at % 8 >= w->low)
		at -= at % 8;
	return at + bytes <= w->high ? at : w->high - bytes;
}

static const char *store(struct worker *w, unsigned endpoint, uint64_t at, const void *data, size_t bytes)
{
	struct bench *b = w->bench;
	int error;

	memcpy(b->plain[endpoint] + at, data, bytes);
	if (bytes == 8 && below(&w->chance, 2))
		error = gpulink_lane_store(&w->lanes[endpoint], at, data, 8); /* inlined */
	else if (below(&w->chance, 16))
		error = gpulink_lane_store(&w->lanes[endpoint], at, data, bytes);
	else
		error = gpulink_queue_store(w->queues[LOCAL], b->windows[LOCAL][endpoint], at, data, bytes);
	if (!error)
		error = gpulink_queue_store(w->queues[SOFT], b->windows[SOFT][endpoint], at, data, bytes);
	return error ? gpulink_strerror(error) : NULL;
}

static const char *release(struct worker *w)
{
	struct bench *b = w->bench;

	for (unsigned way = 0; way < WAYS; way++)
		if (gpulink_queue_release(w->queues[way], 10 * SECOND))
			return "a release failed";
	for (unsigned e = 0; e < b->endpoints; e++)
		if (memcmp(b->plain[e] + w->low, b->memory[LOCAL][e] + w->low, w->high - w->low))
			return "memory differs behind a release";
	return NULL;
}

static const char *run(struct worker *w)
{
	unsigned stores = STORES_OF_ROUND / w->bench->threads;
	uint64_t next = w->low;
	uint8_t data[WIDTH_MAX];
	const char *failed = NULL;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)draw(&w->chance);
	for (unsigned i = 0; i < stores && !failed; i++) {
		size_t bytes = width(w), from = below(&w->chance, (unsigned)(WIDTH_MAX - bytes + 1));
		uint64_t at = place(w, next, bytes), value = draw(&w->chance);

		memcpy(data + from, &value, bytes < 8 ? bytes : 8);
		failed = store(w, below(&w->chance, w->bench->endpoints), at, data + from, bytes);
		next = at + bytes;
		if (!failed && below(&w->chance, stores / 4) == 0)
			failed = release(w);
	}
	return failed ? failed : release(w);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct bench *b = w->bench;

	for (unsigned way = 0; way < WAYS; way++)
		if (gpulink_queue_open(b->devices[way], &w->queues[way])) {
			w->failed = "no queue";
			return NULL;
		}
	for (unsigned e = 0; e < b->endpoints; e++)
		if (gpulink_lane_open(w->queues[LOCAL], b->windows[LOCAL][e], &w->lanes[e])) {
			w->failed = "no lane";
			return NULL;
		}
	w->failed = run(w);
	return NULL;
}

static const char *open_all(struct bench *b, unsigned payload)
{
	char names[WAYS][128];
	size_t bytes;

	snprintf(names[LOCAL], sizeof(names[LOCAL]), "local:engine-test-%d,memory=1M,endpoints=%u,payload=%u", (int)getpid(), b->endpoints,
		 payload);
	snprintf(names[SOFT], sizeof(names[SOFT]), "soft:memory=1M,endpoints=%u,payload=%u", b->endpoints, payload);
	for (unsigned way = 0; way < WAYS; way++) {
		if (gpulink_open(names[way], &b->devices[way]))
			return "no device";
		for (unsigned e = 0; e < b->endpoints; e++)
			if (gpulink_window_open(b->devices[way], e, 0, MEMORY, GPULINK_READ | GPULINK_WRITE, &b->windows[way][e]) ||
			    gpulink_endpoint_memory(b->devices[way], e, (void **)&b->memory[way][e], &bytes))
				return "no window";
	}
	for (unsigned e = 0; e < b->endpoints; e++) {
		b->plain[e] = calloc(1, MEMORY);
		if (!b->plain[e])
			return "no memory";
	}
	return NULL;
}

static const char *compare(struct bench *b)
{
	for (unsigned e = 0; e < b->endpoints; e++) {
		struct gpulink_counters c[WAYS];

		if (memcmp(b->plain[e], b->memory[LOCAL][e], MEMORY) || memcmp(b->plain[e], b->memory[SOFT][e], MEMORY))
			return "memory differs in the end";
		for (unsigned way = 0; way < WAYS; way++)
			if (gpulink_get_counters(b->devices[way], e, &c[way], sizeof(c[way])))
				return "no counters";
		if (c[LOCAL].stores != c[SOFT].stores || c[LOCAL].store_bytes != c[SOFT].store_bytes ||
		    c[LOCAL].raw_wire_bytes != c[SOFT].raw_wire_bytes)
			return "counters differ";
	}
	return NULL;
}

static const char *run_round(struct bench *b, unsigned round)
{
	static const unsigned payloads[] = { 128, 256, 512, 4096 };
	struct worker workers[THREADS_MAX] = { 0 };
	const char *failed;
	struct chance chance;
	unsigned started = 0;

	chance_start(&chance, b->seed, round);
	b->endpoints = 1 + below(&chance, ENDPOINTS_MAX);
	b->threads = 1 + below(&chance, THREADS_MAX);
	failed = open_all(b, payloads[below(&chance, 4)]);
	for (; started < b->threads && !failed; started++) {
		struct worker *w = &workers[started];

		*w = (struct worker){ .bench = b, .number = started };
		chance_start(&w->chance, b->seed, (round + 1) * THREADS_MAX + started);
		w->low = started ? (uint64_t)MEMORY / b->threads * started + 3 : 0;
		w->high = started + 1 < b->threads ? (uint64_t)MEMORY / b->threads * (started + 1) + 3 : MEMORY;
		if (pthread_create(&w->thread, NULL, work, w))
			failed = "no thread";
	}
	for (unsigned i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		failed = failed ? failed : workers[i].failed;
	}
	return failed ? failed : compare(b);
}

static void close_all(struct bench *b)
{
	for (unsigned way = 0; way < WAYS; way++)
		gpulink_close(b->devices[way]);
	for (unsigned e = 0; e < b->endpoints; e++)
		free(b->plain[e]);
}

int main(int argc, char **argv)
{
	uint64_t stores = argc > 1 ? strtoull(argv[1], NULL, 0) : 400000, seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned rounds = (unsigned)(stores / STORES_OF_ROUND), round;
	const char *failed = NULL;

	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (round = 0; round < rounds && !failed; round++) {
		struct bench b = { .seed = seed };

		failed = run_round(&b, round);
		if (failed)
			printf("# round %u: %u endpoints, %u threads: %s\n", round, b.endpoints, b.threads, failed);
		close_all(&b);
	}
	is(!failed && rounds, 1, "the engine and the model leave the same memory and count the same stores");
	printf("1..%u\n", number);
	return bad != 0;
}
