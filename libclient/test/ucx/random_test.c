// SPDX-License-Identifier: Apache-2.0
/*
 * random_test DEVICE [--seed=N] [OPERATIONS]: one of several processes, of which each thread does random operations on its part
 * of all memories, by a queue of its own or the default queue. Loads are compared as they come; at the end the memories, by the
 * thread that stored and by their owners. TAP of process 0.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_lane.h>
#include <tap.h>

#include "all.h"

enum { THREADS = 3, PART = 32768, PAGE = 4096, SUMS = 512, SUM_WORDS = 8, FLAGS = 1024, HASHES = 2560, HOST = 16384 };

struct worker {
	struct chance chance;
	unsigned thread;
	struct gpulink_queue *queue;
	struct gpulink_lane *lanes; /* by process; NULL: the default queue has none */
	struct gpulink_memory *memory;
	uint8_t host[HOST];
	uint8_t *should; /* the parts of all processes */
	uint64_t sums[SUM_WORDS], operations;
	unsigned process;
	int error;
	const char *what;
};

static struct all all;

/* An operation behind a release waits for a second, less than others may take on a busy machine; then it was not submitted. */
#define SUBMIT(call) \
	({ \
		int error_; \
		unsigned seconds_ = 0; \
		do { \
			error_ = (call); \
		} while (error_ == -GPULINK_ETIMEDOUT && ++seconds_ < PATIENCE / SECOND); \
		error_; \
	})

static uint32_t pick(struct worker *w, uint32_t n)
{
	return (uint32_t)(draw(&w->chance) >> 20) % n;
}

static uint64_t place_of(unsigned process, unsigned thread)
{
	return PAGE + (uint64_t)(process * THREADS + thread) * PART;
}

/* A random piece of the part, mostly short, in a range that is often the same. */
static void piece(struct worker *w, uint32_t *offset, uint32_t *bytes)
{
	*bytes = 1 + pick(w, pick(w, 4) ? 16 : pick(w, 4) ? 300 : 4096);
	*offset = pick(w, (pick(w, 2) ? PART : 4096 + 512) - *bytes);
}

static void fill(struct worker *w, uint8_t *to, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(draw(&w->chance) >> 24);
}

static int store(struct worker *w, unsigned process, uint8_t *should, uint64_t base)
{
	uint32_t offset, bytes, kind = pick(w, 5);

	piece(w, &offset, &bytes);
	bytes = kind == 4 && bytes > 32 ? 32 : bytes;
	fill(w, should + offset, bytes);
	switch (kind) {
	case 0:
		if (w->lanes)
			return gpulink_lane_store(&w->lanes[process], base + offset, should + offset, bytes);
		/* fall through */
	case 1:
		return gpulink_queue_store(w->queue, all.windows[process], base + offset, should + offset, bytes);
	case 2: {
		const struct gpulink_vector vector[2] = {
			{ base + offset, should + offset, bytes }, { base + offset, should + offset, 1 },
		};

		return SUBMIT(gpulink_queue_put_vector(w->queue, all.windows[process], vector, 2, GPULINK_NO_TAG));
	}
	case 3:
		memcpy(w->host, should + offset, bytes);
		return SUBMIT(gpulink_queue_put_memory(w->queue, all.windows[process], base + offset, w->memory, 0, bytes,
						       GPULINK_NO_TAG));
	default:
		return SUBMIT(gpulink_queue_put(w->queue, all.windows[process], base + offset, should + offset, bytes,
						GPULINK_NO_TAG));
	}
}

static int load(struct worker *w, unsigned process, const uint8_t *should, uint64_t base)
{
	uint32_t offset, bytes;
	uint8_t seen[4096];
	int error;

	piece(w, &offset, &bytes);
	if (pick(w, 2)) {
		error = gpulink_queue_load(w->queue, all.windows[process], base + offset, seen, bytes);
	} else {
		bytes = pick(w, 2) ? bytes : HOST;
		offset = offset + bytes > PART ? PART - bytes : offset;
		error = SUBMIT(gpulink_queue_get(w->queue, all.windows[process], base + offset, w->memory, 0, bytes,
						 GPULINK_NO_TAG)) ?:
				gpulink_queue_release(w->queue, PATIENCE);
		if (!error && memcmp(w->host, should + offset, bytes))
			w->what = "get";
		return error;
	}
	if (!error && memcmp(seen, should + offset, bytes))
		w->what = "load";
	return error;
}

/* On a word of the part, whose old value comes back, or a sum that all add to. */
static int atomic(struct worker *w, unsigned process, uint8_t *should, uint64_t base)
{
	uint64_t value = draw(&w->chance), old, now;
	uint32_t at = pick(w, PART / 8) * 8;
	int error;

	if (pick(w, 2)) {
		w->sums[at / 8 % SUM_WORDS] += value;
		return SUBMIT(gpulink_queue_fetch_add(w->queue, all.windows[process], SUMS + at % (8 * SUM_WORDS), 8, value,
						      NULL, 0, GPULINK_NO_TAG));
	}
	memcpy(&now, should + at, 8);
	if (pick(w, 2)) {
		error = SUBMIT(
			gpulink_queue_swap(w->queue, all.windows[process], base + at, 8, value, w->memory, 0, GPULINK_NO_TAG));
		memcpy(should + at, &value, 8);
	} else {
		error = SUBMIT(gpulink_queue_compare_swap(w->queue, all.windows[process], base + at, 8, now, value, w->memory,
							  0, GPULINK_NO_TAG));
		memcpy(should + at, &value, 8);
	}
	if (!error)
		error = gpulink_queue_release(w->queue, PATIENCE);
	memcpy(&old, w->host, 8);
	if (!error && old != now)
		w->what = "atomic";
	return error;
}

static int operate(struct worker *w)
{
	unsigned process = pick(w, all.processes), kind = pick(w, 100);
	uint8_t *should = w->should + (size_t)process * PART;
	uint64_t base = place_of(all.process, w->thread);

	if (kind < 90)
		return store(w, process, should, base);
	if (kind < 94)
		return load(w, process, should, base);
	if (kind < 97)
		return atomic(w, process, should, base);
	return gpulink_queue_release(w->queue, PATIENCE);
}

static uint64_t hash(const uint8_t *at)
{
	uint64_t sum = 1469598103934665603u;

	for (unsigned i = 0; i < PART; i++)
		sum = (sum ^ at[i]) * UINT64_C(1099511628211);
	return sum;
}

/* The owner of each memory gets a hash of what should be in the part. */
static int conclude(struct worker *w)
{
	uint64_t sum;
	int error = 0;

	for (unsigned p = 0; p < all.processes && !error; p++) {
		sum = hash(w->should + (size_t)p * PART);
		error = gpulink_queue_store(w->queue, all.windows[p], HASHES + 8 * (all.process * THREADS + w->thread), &sum,
					    8);
	}
	return error ? error : gpulink_queue_release(w->queue, PATIENCE);
}

static void *work(void *worker)
{
	struct worker *w = worker;

	for (uint64_t i = 0; i < w->operations && !w->error && !w->what; i++)
		w->error = operate(w);
	if (!w->error && !w->what)
		w->error = conclude(w);
	return NULL;
}

static int open_worker(struct worker *w, unsigned thread, uint64_t seed, uint64_t operations)
{
	int error = 0;

	w->thread = thread;
	w->operations = operations;
	chance_start(&w->chance, seed, all.process * THREADS + thread);
	w->queue = gpulink_default_queue(all.device);
	w->should = calloc(all.processes, PART);
	w->lanes = thread ? calloc(all.processes, sizeof(*w->lanes)) : NULL;
	if (!w->should || (thread && !w->lanes))
		return -GPULINK_ENOMEM;
	if (thread)
		error = gpulink_queue_open(all.device, &w->queue);
	for (unsigned p = 0; thread && p < all.processes && !error; p++)
		error = gpulink_lane_open(w->queue, all.windows[p], &w->lanes[p]);
	return error ? error : gpulink_memory_register(all.device, w->host, HOST, GPULINK_READ | GPULINK_WRITE, &w->memory);
}

/* The parts of all in this process's memory. */
static bool is_right(void)
{
	bool right = true, same;

	for (unsigned part = 0; part < all.processes * THREADS; part++) {
		uint64_t sum;

		memcpy(&sum, all.memory + HASHES + 8 * part, 8);
		same = sum == hash(all.memory + PAGE + (size_t)part * PART);
		if (!same)
			fprintf(stderr, "# process %u: the part of process %u, thread %u is wrong%s\n", all.process, part / THREADS,
				part % THREADS, sum ? "" : ", which has not ended its operations");
		right &= same;
	}
	return right;
}

/* Adds this process's part of the sums to process 0's words, and compares there. */
static bool sums_are_right(const struct worker *workers)
{
	uint64_t total[SUM_WORDS] = { 0 }, in[SUM_WORDS], sum = 0, should = 0;

	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < SUM_WORDS; i++)
			total[i] += workers[t].sums[i];
	for (unsigned i = 0; i < SUM_WORDS; i++)
		should += total[i];
	/* Word 8: what was added, of all processes. */
	if (gpulink_fetch_add(all.windows[0], 8, 8, should, NULL, 0, GPULINK_NO_TAG) || meet_all(&all))
		return false;
	for (unsigned p = 0; p < all.processes && all.process == 0; p++) {
		if (gpulink_load(all.windows[p], SUMS, in, sizeof(in)))
			return false;
		for (unsigned i = 0; i < SUM_WORDS; i++)
			sum += in[i];
	}
	memcpy(&should, all.memory + 8, 8);
	return all.process || sum == should;
}

/* Data to one process, then a signal to another, which looks there: a signal comes behind all data. */
static int pass_on(unsigned rounds)
{
	unsigned n = all.processes, before = (all.process + n - 1) % n, next = (all.process + 1) % n;
	struct gpulink_signal signal = { .window = all.windows[next], .offset = FLAGS, .operation = GPULINK_SIGNAL_SET };
	uint64_t seen;
	int error = 0;

	for (uint64_t i = 1; i <= rounds && !error; i++) {
		signal.value = i;
		error = gpulink_put(all.windows[(all.process + 2) % n], FLAGS + 8 + 8 * all.process, &i, 8, GPULINK_NO_TAG) ?:
				gpulink_queue_signal(gpulink_default_queue(all.device), &signal, GPULINK_NO_TAG)	    ?:
				wait_all(&all, FLAGS, i)								    ?:
				gpulink_load(all.windows[(before + 2) % n], FLAGS + 8 + 8 * before, &seen, 8);
		if (!error && seen < i)
			return -1;
	}
	return error;
}

static int run(uint64_t seed, uint64_t operations)
{
	static struct worker workers[THREADS];
	pthread_t thread[THREADS];
	bool well = true;

	for (unsigned t = 0; t < THREADS; t++)
		well &= !open_worker(&workers[t], t, seed, operations);
	is(well, true, "queues and lanes");
	for (unsigned t = 0; t < THREADS; t++)
		pthread_create(&thread[t], NULL, work, &workers[t]);
	for (unsigned t = 0; t < THREADS; t++) {
		pthread_join(thread[t], NULL);
		if (workers[t].error || workers[t].what)
			fprintf(stderr, "# process %u, thread %u: %s %s\n", all.process, t, gpulink_strerror(workers[t].error),
				workers[t].what ? workers[t].what : "");
		well &= !workers[t].error && !workers[t].what;
	}
	is(well, true, "operations, and what they return");
	is(meet_all(&all), 0, "all are done");
	is(is_right(), true, "the memory is right");
	is(sums_are_right(workers), true, "no addition is lost");
	is(pass_on(all.polls ? 30 : 300), 0, "signals come behind data to others");
	is(meet_all(&all), 0, "all have looked");
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seed = (uint64_t)time(NULL) * 1000 + 17, operations = 20000;

	if (argc < 2)
		return 2;
	for (int i = 2; i < argc; i++) {
		if (!strncmp(argv[i], "--seed=", 7))
			seed = strtoull(argv[i] + 7, NULL, 0);
		else
			operations = strtoull(argv[i], NULL, 0);
	}
	printf("# --seed=%llu\n", (unsigned long long)seed);
	is(open_all(&all, argv[1]), 0, "opened");
	if (!tap_bad)
		run(seed, operations);
	if (all.device)
		close_all(&all);
	return tap_end();
}
