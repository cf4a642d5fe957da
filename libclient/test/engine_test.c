// SPDX-License-Identifier: Apache-2.0
/*
 * The engine of lanes against the card's model: threads store the same at random to a "local:" device, by lanes, and to a
 * "soft:" device, to 1 to 16 endpoints, in all widths, with releases anywhere, and with loads, puts and atomics between in most
 * rounds. Behind each release, and by each load, both devices have what plain stores leave; in the end also the same counters,
 * as far as they do not depend on when packets leave. TAP.
 *
 * engine_test [STORES [SEED]]: 400000 by default, and another seed each time. SEED in the environment replays a run too.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_lane.h>
#include <tap.h>

#define SECOND UINT64_C(1000000000)

enum {
	MEMORY = 1 << 20,
	ENDPOINTS_MAX = 16,
	THREADS_MAX = 4,
	STORES_OF_ROUND = 40000,
	STORES_OF_LONG_ROUND = 1000000, /* in runs of at least ten of them */
	WIDTH_MAX = 4096,
	GAPS = 15,	/* at most 1 << 14 stores between two releases; as many gaps of each magnitude */
	SPANS = 1 << 10 /* that are compared one by one at a release; more: the thread's whole part */
};

enum way { LOCAL, SOFT, WAYS };

struct bench {
	unsigned endpoints, threads, stores;
	unsigned hot, heat; /* bytes of hot words, and one of how many stores goes elsewhere */
	bool only_stores; /* neither loads nor puts nor atomics */
	bool words;	  /* stores are of 8 bytes: many packets have no others */
	uint64_t seed;
	struct gpulink *devices[WAYS];
	struct gpulink_window *windows[WAYS][ENDPOINTS_MAX];
	uint8_t *memory[WAYS][ENDPOINTS_MAX];
	uint8_t *plain[ENDPOINTS_MAX];
};

struct span {
	unsigned endpoint;
	uint64_t at;
	size_t bytes;
};

struct worker {
	struct bench *bench;
	unsigned number;
	pthread_t thread;
	struct chance chance;
	struct gpulink_queue *queues[WAYS];
	struct gpulink_lane lanes[ENDPOINTS_MAX];
	uint64_t low, high; /* its part of each endpoint; borders are at odd bytes */
	struct span spans[SPANS]; /* written since the last release */
	unsigned written;
	uint64_t releases;
	const char *failed;
};

static size_t width(struct worker *w)
{
	static const size_t usual[] = { 8, 8, 8, 4, 4, 16, 32, 2, 1 };
	unsigned kind = below(&w->chance, 100);

	if (w->bench->words)
		return 8;
	return kind < 80 ? usual[below(&w->chance, 9)] :
	       kind < 99 ? 1 + below(&w->chance, 160) :
			   1 + below(&w->chance, WIDTH_MAX);
}

/* Hot words, sequential runs, and anything. */
static uint64_t place(struct worker *w, uint64_t before, size_t bytes)
{
	uint64_t room = w->high - w->low - bytes + 1, word = bytes == 4 ? 4 : 8, at;

	if (below(&w->chance, w->bench->heat))
		at = w->low + below(&w->chance, w->bench->hot);
	else if (below(&w->chance, 3) == 0)
		return before + bytes <= w->high ? before : w->low;
	else
		at = w->low + draw(&w->chance) % room;
	if (below(&w->chance, 4) && at - at % word >= w->low)
		at -= at % word;
	return at + bytes <= w->high ? at : w->high - bytes;
}

static void note(struct worker *w, unsigned endpoint, uint64_t at, size_t bytes)
{
	if (w->written < SPANS)
		w->spans[w->written] = (struct span){ endpoint, at, bytes };
	w->written++;
}

static const char *store(struct worker *w, unsigned endpoint, uint64_t at, const void *data, size_t bytes)
{
	struct bench *b = w->bench;
	int error;

	memcpy(b->plain[endpoint] + at, data, bytes);
	note(w, endpoint, at, bytes);
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

/* Loads by both devices, before a release: a queue sees its own stores. */
static const char *load(struct worker *w, unsigned endpoint)
{
	size_t bytes = 1 + below(&w->chance, below(&w->chance, 4) ? 64 : WIDTH_MAX);
	uint64_t at = place(w, w->low, bytes);
	uint8_t seen[WIDTH_MAX];

	for (unsigned way = 0; way < WAYS; way++) {
		if (gpulink_queue_load(w->queues[way], w->bench->windows[way][endpoint], at, seen, bytes))
			return "a load failed";
		if (memcmp(seen, w->bench->plain[endpoint] + at, bytes))
			return way == LOCAL ? "the engine's load differs" : "the model's load differs";
	}
	return NULL;
}

static const char *add(struct worker *w, unsigned endpoint)
{
	uint64_t room = (w->high - w->low) / 8 - 1, at = (w->low + 7) / 8 * 8 + 8 * (draw(&w->chance) % room), sum;
	uint64_t value = draw(&w->chance);
	int error = 0;

	memcpy(&sum, w->bench->plain[endpoint] + at, 8);
	sum += value;
	memcpy(w->bench->plain[endpoint] + at, &sum, 8);
	note(w, endpoint, at, 8);
	for (unsigned way = 0; way < WAYS && !error; way++)
		error = gpulink_queue_fetch_add(w->queues[way], w->bench->windows[way][endpoint], at, 8, value, NULL, 0,
						GPULINK_NO_TAG);
	return error ? gpulink_strerror(error) : NULL;
}

static const char *put(struct worker *w, unsigned endpoint)
{
	uint64_t at = place(w, w->low, 8), value = draw(&w->chance);
	int error = 0;

	memcpy(w->bench->plain[endpoint] + at, &value, 8);
	note(w, endpoint, at, 8);
	for (unsigned way = 0; way < WAYS && !error; way++)
		error = gpulink_queue_put(w->queues[way], w->bench->windows[way][endpoint], at, &value, 8, GPULINK_NO_TAG);
	return error ? gpulink_strerror(error) : NULL;
}

static const char *other(struct worker *w, unsigned endpoint)
{
	switch (below(&w->chance, 4)) {
	case 0: return add(w, endpoint);
	case 1: return put(w, endpoint);
	default: return load(w, endpoint);
	}
}

static bool same(const struct worker *w, unsigned endpoint, uint64_t at, size_t bytes)
{
	const struct bench *b = w->bench;

	return !memcmp(b->plain[endpoint] + at, b->memory[LOCAL][endpoint] + at, bytes) &&
	       !memcmp(b->plain[endpoint] + at, b->memory[SOFT][endpoint] + at, bytes);
}

/* Both devices have all that was written since the last release, and now and then all of the thread's part. */
static const char *release(struct worker *w)
{
	struct bench *b = w->bench;
	bool right = true;

	for (unsigned way = 0; way < WAYS; way++)
		if (gpulink_queue_release(w->queues[way], 10 * SECOND))
			return "a release failed";
	for (unsigned i = 0; i < w->written && i < SPANS; i++)
		right &= same(w, w->spans[i].endpoint, w->spans[i].at, w->spans[i].bytes);
	for (unsigned e = 0; e < b->endpoints && (w->written > SPANS || w->releases % 64 == 0); e++)
		right &= same(w, e, w->low, w->high - w->low);
	w->written = 0;
	w->releases++;
	return right ? NULL : "memory differs behind a release";
}

static unsigned gap(struct worker *w)
{
	return 1 + below(&w->chance, 1u << below(&w->chance, GAPS));
}

static const char *run(struct worker *w)
{
	unsigned stores = w->bench->stores / w->bench->threads, until = gap(w);
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
		if (!failed && !w->bench->only_stores && below(&w->chance, 256) == 0)
			failed = other(w, below(&w->chance, w->bench->endpoints));
		if (!failed && !--until) {
			failed = release(w);
			until = gap(w);
		}
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
	snprintf(names[SOFT], sizeof(names[SOFT]), "soft:memory=1M,endpoints=%u,payload=%u,subheader=5,packing=0", b->endpoints,
		 payload);
	for (unsigned way = 0; way < WAYS; way++) {
		if (gpulink_open(names[way], &b->devices[way]))
			return "no device";
		for (unsigned e = 0; e < b->endpoints; e++)
			if (gpulink_window_open(b->devices[way], e, 0, MEMORY, GPULINK_READ | GPULINK_WRITE,
						&b->windows[way][e]) ||
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

/* What is counted whenever packets leave. */
static bool same_counters(const struct gpulink_counters *l, const struct gpulink_counters *s)
{
	return l->stores == s->stores && l->store_bytes == s->store_bytes && l->raw_wire_bytes == s->raw_wire_bytes &&
	       l->loads == s->loads && l->atomics == s->atomics && !l->err_endpoint && !s->err_endpoint;
}

/* What the counters of one device say of each other. */
static bool consistent(const struct gpulink_counters *c)
{
	uint64_t flushes = c->flush_window_miss + c->flush_payload_full + c->flush_entries_full + c->flush_release +
			   c->flush_timeout + c->flush_load_hit + c->flush_atomic + c->flush_config + c->flush_drain +
			   c->flush_region;

	return c->packets == flushes && c->payload_bytes == c->store_bytes - c->overwritten_bytes + 5 * c->sub_packets &&
	       c->wire_bytes >= c->payload_bytes + 24 * c->packets && c->wire_bytes <= c->payload_bytes + 27 * c->packets;
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
		if (!same_counters(&c[LOCAL], &c[SOFT]))
			return "counters differ";
		if (!consistent(&c[LOCAL]) || !consistent(&c[SOFT]))
			return "counters contradict each other";
		/* One thread's release finds a packet exactly where it has stored. */
		if (b->threads == 1 && b->only_stores && c[LOCAL].flush_release != c[SOFT].flush_release)
			return "releases flush other packets";
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
	b->hot = 64u << 2 * below(&chance, 4);
	b->heat = 1 + below(&chance, 4);
	b->only_stores = below(&chance, 4) == 0;
	b->words = below(&chance, 4) == 0;
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

static uint64_t find_seed(int argc, char **argv)
{
	const char *given = argc > 2 ? argv[2] : getenv("SEED");
	struct timespec now;

	if (given && *given)
		return strtoull(given, NULL, 0);
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t stores = argc > 1 ? strtoull(argv[1], NULL, 0) : 400000, seed = find_seed(argc, argv);
	unsigned each = stores < 10 * STORES_OF_LONG_ROUND ? STORES_OF_ROUND : STORES_OF_LONG_ROUND;
	unsigned rounds = (unsigned)((stores + each - 1) / each), round;
	const char *failed = NULL;

	printf("# SEED=%llu, %u rounds of %u stores\n", (unsigned long long)seed, rounds, each);
	for (round = 0; round < rounds && !failed; round++) {
		struct bench b = { .seed = seed, .stores = each };

		failed = run_round(&b, round);
		if (failed)
			printf("# round %u: %u endpoints, %u threads: %s; engine_test %llu %llu repeats it\n", round, b.endpoints, b.threads,
			       failed, (unsigned long long)stores, (unsigned long long)seed);
		else if (each > STORES_OF_ROUND && (round + 1) % 10 == 0)
			printf("# %llu stores\n", (unsigned long long)(round + 1) * each);
		fflush(stdout);
		close_all(&b);
	}
	is(!failed && rounds, 1, "the engine and the model leave the same memory and count the same stores");
	return tap_end();
}
