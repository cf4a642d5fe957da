// SPDX-License-Identifier: Apache-2.0
/*
 * Threads: several on one device, each with its own windows and memory and a shared counter; and several with a device
 * each. Run it under the thread sanitizer too (-Db_sanitize=thread -Db_lundef=false
 * -Dc_args=-Wno-tsan).
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soft/soft_bench.h"

#define THREADS 4u
#define ROUNDS	12000u
#define SHARE	(64u << 10) /* bytes of an endpoint per thread */
#define COUNTER (1u << 20)  /* offset of the shared counter */

struct shared {
	struct soft soft;
	atomic_uint submitted, completed, wrong;
};

struct worker {
	pthread_t thread;
	struct shared *shared;
	unsigned number;
	uint64_t random;
	struct gpulink_window *window, *counter;
	struct gpulink_memory *memory;
	uint8_t host[4096];
	uint8_t mirror[SHARE];
	uint64_t added;
};

static uint64_t below(struct worker *w, uint64_t n)
{
	w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (w->random >> 33) % n;
}

/* Only the first thread asserts; the others count errors. */
static void check(struct worker *w, int good)
{
	if (!good)
		atomic_fetch_add(&w->shared->wrong, 1);
}

static void submitted(struct worker *w, int code)
{
	check(w, code == 0);
	atomic_fetch_add(&w->shared->submitted, 1);
}

static void take(struct shared *shared)
{
	struct gpulink_completion done[40];
	int got = gpulink_wait(shared->soft.device, done, LENGTH(done), 0, 0);

	for (int i = 0; i < got; i++)
		if (done[i].error)
			atomic_fetch_add(&shared->wrong, 1);
	if (got < 0)
		atomic_fetch_add(&shared->wrong, 1);
	else
		atomic_fetch_add(&shared->completed, (unsigned)got);
}

static void open_all(struct worker *w)
{
	struct gpulink *device = w->shared->soft.device;

	check(w, !gpulink_window_open(device, w->number % 2, w->number * SHARE, SHARE, SOFT_BOTH, &w->window));
	check(w, !gpulink_window_open(device, 0, COUNTER, 4096, SOFT_BOTH, &w->counter));
	check(w, !gpulink_memory_register(device, w->host, sizeof(w->host), SOFT_BOTH, &w->memory));
}

static void close_all(struct worker *w)
{
	gpulink_window_close(w->window);
	gpulink_window_close(w->counter);
	gpulink_memory_unregister(w->memory);
}

static void operate(struct worker *w)
{
	size_t bytes = 1 + below(w, 32);
	uint64_t at = below(w, SHARE - 100), tag = w->number;
	uint8_t data[64];
	const struct gpulink_vector vectors[2] = { { at, data, bytes }, { at + bytes, data + bytes, bytes } };

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)below(w, 256);
	switch (below(w, 6)) {
	case 0:
		memcpy(w->mirror + at, data, bytes);
		check(w, !gpulink_store(w->window, at, data, bytes));
		break;
	case 1:
		check(w, !gpulink_load(w->window, at, data, bytes) && !memcmp(data, w->mirror + at, bytes));
		break;
	case 2:
		memcpy(w->mirror + at, data, bytes);
		submitted(w, gpulink_put(w->window, at, data, bytes, tag));
		break;
	case 3:
		memcpy(w->mirror + at, data, 2 * bytes);
		submitted(w, gpulink_put_vector(w->window, vectors, 2, tag));
		break;
	case 4:
		memcpy(w->mirror + at, w->host, bytes);
		submitted(w, gpulink_put_memory(w->window, at, w->memory, 0, bytes, tag));
		break;
	default:
		w->added += bytes;
		submitted(w, gpulink_fetch_add(w->counter, 8, 8, bytes, NULL, 0, tag));
		break;
	}
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct gpulink *device = w->shared->soft.device;
	struct gpulink_counters counters;
	struct gpulink_endpoint_info endpoint;

	open_all(w);
	for (unsigned n = 0; n < ROUNDS; n++) {
		operate(w);
		if (n % 16 == 0)
			take(w->shared);
		if (n % 50 == 0)
			check(w, !gpulink_release(device, SOFT_SECOND));
		if (n % 70 == 0)
			check(w, !gpulink_get_counters(device, 0, &counters, sizeof(counters)) &&
					 !gpulink_get_endpoint(device, 1, &endpoint, sizeof(endpoint)));
		if (n % 100 == 99) {
			close_all(w);
			open_all(w);
		}
	}
	close_all(w);
	return NULL;
}

static void prepare(struct worker *w, struct shared *shared, unsigned number)
{
	*w = (struct worker){ .shared = shared, .number = number, .random = number + 1 };
	soft_fill(w->host, sizeof(w->host), number);
}

static void one_device(void **state)
{
	static struct worker workers[THREADS];
	static struct shared shared;
	uint64_t sum = 0, counter;

	(void)state;
	soft_open(&shared.soft, "soft:endpoints=2,memory=2M");
	for (unsigned i = 0; i < THREADS; i++) {
		prepare(&workers[i], &shared, i);
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
		sum += workers[i].added;
	}
	while (shared.completed < shared.submitted && !shared.wrong) {
		unsigned before = shared.completed;

		take(&shared);
		assert_true(shared.completed > before);
	}
	assert_int_equal(shared.wrong, 0);
	assert_int_equal(shared.completed, shared.submitted);
	soft_release(&shared.soft);
	for (unsigned i = 0; i < THREADS; i++)
		assert_memory_equal(shared.soft.memory[i % 2] + i * SHARE, workers[i].mirror, SHARE);
	memcpy(&counter, shared.soft.memory[0] + COUNTER + 8, 8);
	assert_int_equal(counter, sum);
	soft_close(&shared.soft);
}

/* Opens, uses and closes a device of its own, again and again. */
static void *live(void *argument)
{
	struct worker *w = argument;
	void *memory;
	size_t bytes;

	for (unsigned life = 0; life < 15; life++) {
		check(w, !gpulink_open("soft:endpoints=2,memory=2M", &w->shared->soft.device));
		memset(w->mirror, 0, sizeof(w->mirror));
		open_all(w);
		for (unsigned n = 0; n < 300; n++) {
			if (n % 7 == 0)
				take(w->shared);
			operate(w);
		}
		check(w, !gpulink_release(w->shared->soft.device, SOFT_SECOND));
		check(w, !gpulink_endpoint_memory(w->shared->soft.device, w->number % 2, &memory, &bytes));
		check(w, !memcmp((uint8_t *)memory + w->number * SHARE, w->mirror, SHARE));
		gpulink_close(w->shared->soft.device); /* with open windows and completions not taken */
	}
	return NULL;
}

static void several_devices(void **state)
{
	static struct worker workers[THREADS];
	static struct shared shared[THREADS];

	(void)state;
	for (unsigned i = 0; i < THREADS; i++) {
		prepare(&workers[i], &shared[i], i);
		assert_int_equal(pthread_create(&workers[i].thread, NULL, live, &workers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
		assert_int_equal(shared[i].wrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device),
		cmocka_unit_test(several_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
