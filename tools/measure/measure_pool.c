// SPDX-License-Identifier: Apache-2.0
#include "measure_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gpulink_pool.h>

#define SECOND UINT64_C(1000000000)
#define AGING  40u /* writes that overtake all leases of a line that is read between them: each gives 10 or more */

const char *const measure_pool_names[MEASURE_POOL_ACCESSES] = {
	"hit, 8 bytes",	  "hit, a line",       "uncached load, 8 bytes",       "uncached load, a line",
	"miss, a line",	  "renewal, one line", "renewal, of many lines, each", "acquire",
	"store, 8 bytes", "store, a line",     "release behind a store",       "store, 8 bytes, SC",
	"atomic, SC",
};

/* The same object, opened by one device in all modes, and by another. */
struct bench {
	struct gpulink *device, *other;
	struct gpulink_pool *cached, *uncached, *sequential, *others;
	uint64_t grain, bytes;
	unsigned lines;
	uint8_t *room; /* of all lines */
	int error;     /* the first */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void note(struct bench *b, int error)
{
	b->error = b->error ? b->error : error;
}

/* --- accesses --- */

static void load_each(struct bench *b, struct gpulink_pool *pool, size_t bytes)
{
	for (unsigned i = 0; i < b->lines; i++)
		note(b, gpulink_pool_load(pool, i * b->grain, b->room, bytes));
}

static void store_each(struct bench *b, struct gpulink_pool *pool, size_t bytes)
{
	for (unsigned i = 0; i < b->lines; i++)
		note(b, gpulink_pool_store(pool, i * b->grain, b->room, bytes));
}

static void measure_pool_release(struct bench *b, struct gpulink *device)
{
	note(b, gpulink_release(device, 60 * SECOND));
}

/* Another process stores to the last line, and reads it, until the clock is behind all leases. */
static void age(struct bench *b)
{
	for (unsigned i = 0; i < AGING; i++) {
		note(b, gpulink_pool_store(b->others, b->lines * b->grain, &i, sizeof(i)));
		measure_pool_release(b, b->other);
		note(b, gpulink_acquire(b->other));
		note(b, gpulink_pool_load(b->others, b->lines * b->grain, b->room, sizeof(i)));
	}
	note(b, gpulink_acquire(b->device));
}

/* Another process stores to all lines. */
static void change(struct bench *b)
{
	store_each(b, b->others, 8);
	measure_pool_release(b, b->other);
	note(b, gpulink_acquire(b->device));
}

static void measure_pool_prepare(struct bench *b, enum measure_pool_access access)
{
	switch (access) {
	case MEASURE_POOL_HIT_WORD:
	case MEASURE_POOL_HIT_LINE:
		load_each(b, b->cached, 8);
		break;
	case MEASURE_POOL_MISS:
		change(b);
		break;
	case MEASURE_POOL_RENEWAL:
	case MEASURE_POOL_RENEW_MANY:
		load_each(b, b->cached, 8);
		age(b);
		break;
	default: measure_pool_release(b, b->device); break;
	}
}

static void perform(struct bench *b, enum measure_pool_access access)
{
	switch (access) {
	case MEASURE_POOL_HIT_LINE: load_each(b, b->cached, b->grain); break;
	case MEASURE_POOL_UNCACHED_WORD: load_each(b, b->uncached, 8); break;
	case MEASURE_POOL_UNCACHED_LINE: load_each(b, b->uncached, b->grain); break;
	case MEASURE_POOL_RENEW_MANY: note(b, gpulink_pool_load(b->cached, 0, b->room, b->lines * b->grain)); break;
	case MEASURE_POOL_STORE: store_each(b, b->uncached, 8); break;
	case MEASURE_POOL_STORE_LINE: store_each(b, b->uncached, b->grain); break;
	case MEASURE_POOL_STORE_SC: store_each(b, b->sequential, 8); break;
	case MEASURE_POOL_ACQUIRE:
		for (unsigned i = 0; i < b->lines; i++)
			note(b, gpulink_acquire(b->device));
		break;
	case MEASURE_POOL_RELEASE:
		for (unsigned i = 0; i < b->lines; i++) {
			note(b, gpulink_pool_store(b->uncached, i * b->grain, b->room, 8));
			measure_pool_release(b, b->device);
		}
		break;
	case MEASURE_POOL_ATOMIC:
		for (unsigned i = 0; i < b->lines; i++)
			note(b, gpulink_pool_fetch_add(b->sequential, i * b->grain, 8, 1, NULL));
		break;
	default: load_each(b, b->cached, 8); break; /* hits, misses, renewals */
	}
}

/* --- times --- */

static int measure_pool_compare(const void *left, const void *right)
{
	double l = *(const double *)left, r = *(const double *)right;

	return (l > r) - (l < r);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), measure_pool_compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void measure_pool_measure(struct bench *b, enum measure_pool_access access, double *values, unsigned repetitions,
				 struct measure_pool_time *time)
{
	for (unsigned r = 0; r < repetitions && !b->error; r++) {
		double begin;

		measure_pool_prepare(b, access);
		begin = now();
		perform(b, access);
		values[r] = (now() - begin) / b->lines;
	}
	time->ns = median(values, repetitions);
	for (unsigned r = 0; r < repetitions; r++)
		values[r] = fabs(values[r] - time->ns);
	time->spread = median(values, repetitions);
}

/* --- objects --- */

static int open_more(struct bench *b)
{
	struct gpulink_pool_options options = { .size = sizeof(options), .mode = GPULINK_POOL_UNCACHED };
	int descriptor, error = gpulink_pool_share(b->cached, GPULINK_READ | GPULINK_WRITE, &descriptor);

	if (error)
		return error;
	error = gpulink_pool_open(b->device, descriptor, &options, &b->uncached);
	options.mode = GPULINK_POOL_SC;
	if (!error)
		error = gpulink_pool_open(b->device, descriptor, &options, &b->sequential);
	if (!error)
		error = gpulink_pool_open(b->other, descriptor, NULL, &b->others);
	close(descriptor);
	return error;
}

static int open_all(struct bench *b, const char *name)
{
	const struct gpulink_pool_options options = { .size = sizeof(options), .cache_bytes = b->bytes };
	uint64_t object = (b->bytes + b->grain + GPULINK_GRAIN_MAX - 1) & ~(uint64_t)(GPULINK_GRAIN_MAX - 1);
	int error = gpulink_open(name, &b->device);

	if (!error)
		error = gpulink_open(name, &b->other);
	if (!error)
		error = gpulink_pool_create(b->device, object, (uint32_t)b->grain, &options, &b->cached);
	return error ? error : open_more(b);
}

int measure_pool(const char *device, uint32_t grain, unsigned lines, unsigned repetitions,
		 struct measure_pool_time times[MEASURE_POOL_ACCESSES], struct failure *error)
{
	struct bench b = { .grain = grain, .lines = lines, .bytes = (uint64_t)grain * lines };
	double *values = calloc(repetitions, sizeof(*values));

	b.room = calloc(1, b.bytes);
	b.error = values && b.room ? open_all(&b, device) : -GPULINK_ENOMEM;
	for (unsigned a = 0; a < MEASURE_POOL_ACCESSES && !b.error; a++)
		measure_pool_measure(&b, (enum measure_pool_access)a, values, repetitions, &times[a]);
	if (b.error)
		failure_set(error, b.error, "%.200s: %s", device, gpulink_error_text(b.error));
	gpulink_close(b.other);
	gpulink_close(b.device);
	free(b.room);
	free(values);
	return b.error;
}

double measure_pool_pays(const struct measure_pool_time times[MEASURE_POOL_ACCESSES], int line)
{
	double uncached = times[line ? MEASURE_POOL_UNCACHED_LINE : MEASURE_POOL_UNCACHED_WORD].ns;
	double hit = times[line ? MEASURE_POOL_HIT_LINE : MEASURE_POOL_HIT_WORD].ns, miss = times[MEASURE_POOL_MISS].ns;

	if (miss <= uncached)
		return 0;
	return hit < uncached ? (miss - uncached) / (uncached - hit) : -1;
}
