// SPDX-License-Identifier: Apache-2.0
/* The common part of the library with a fake back end: waits, full rings, errors, and accesses to a card's mapping. The
 * soft device never waits and never fails. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <gpulink_regs.h>

#include <cmocka.h>

#include "fake_backend.h"

#define BOTH   (GPULINK_READ | GPULINK_WRITE)
#define MS     UINT64_C(1000000)
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static struct gpulink *device;
static struct gpulink_window *window;
static struct gpulink_completion done[700];

static int setup(void **state)
{
	(void)state;
	fake_init();
	return gpulink_open("card", &device) || gpulink_window_open(device, 0, 0, 8192, BOTH, &window);
}

/* All objects must have been closed. */
static int teardown(void **state)
{
	(void)state;
	gpulink_close(device);
	return fake.open || fake.windows || fake.memories;
}

static void put(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(gpulink_put(window, 0, "x", 1, fake.submitted), 0);
}

static void failed_opens(void **state)
{
	struct gpulink *other = NULL;
	struct gpulink_window *w = NULL;
	struct gpulink_memory *m = NULL;
	char byte;

	(void)state;
	fake.window_error = -GPULINK_ENOSPC;
	assert_int_equal(gpulink_window_open(device, 0, 0, 4096, BOTH, &w), -GPULINK_ENOSPC);
	fake.memory_error = -GPULINK_ENOMEM;
	assert_int_equal(gpulink_memory_register(device, &byte, 1, BOTH, &m), -GPULINK_ENOMEM);
	fake.window_error = fake.memory_error = 0; /* overflowing ranges are rejected before the back end */
	assert_int_equal(gpulink_window_open(device, 0, UINT64_MAX - 4095, 8192, BOTH, &w), -GPULINK_ERANGE);
	assert_int_equal(gpulink_memory_register(device, &byte, SIZE_MAX, BOTH, &m), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(device, (void *)(UINTPTR_MAX - 10), 20, BOTH, &m), -GPULINK_EINVAL);
	assert_true(!w && !m);
	fake.open_error = -GPULINK_EABI;
	assert_int_equal(gpulink_open("card", &other), -GPULINK_EABI);
	assert_int_equal(gpulink_open("soft:", &other), -GPULINK_EABI);
	assert_null(other);
}

static void waiting_for_some(void **state)
{
	(void)state;
	put(10);
	fake.ready = 3;
	assert_int_equal(gpulink_wait(device, done, 10, 0, 5 * MS), 3); /* those available */
	assert_int_equal(done[2].tag, 2);
	assert_int_equal(fake.sleeps, 0);
	fake.ready_later = 4;
	assert_int_equal(gpulink_wait(device, done, 10, 4, 5 * MS), 4);
	assert_int_equal(fake.sleeps, 1);
	assert_true(fake.sleep_entries[0] == 6 && fake.sleep_timeouts[0] <= 5 * MS && fake.woken);
	fake.ready = 5;
	assert_int_equal(gpulink_wait(device, done, 10, 10, 5 * MS), 3); /* limited to those in flight */
	assert_int_equal(done[2].tag, 9);
	assert_int_equal(fake.taken, fake.submitted);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 5 * MS), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.sleeps, 1); /* nothing in flight */
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static void *puts_later(void *number)
{
	for (unsigned i = 0; i < *(const unsigned *)number; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = (long)(20 * MS) }, NULL);
		if (gpulink_put(window, 0, "x", 1, 10 + i) || gpulink_put(window, 0, "x", 1, GPULINK_NO_TAG))
			return number;
	}
	return NULL;
}

/* With nothing in flight, a thread waits for what others submit, and does not spin. */
static void waiting_for_other_threads(void **state)
{
	unsigned two = 2;
	uint64_t start = now_ns();
	pthread_t thread;
	void *failed = NULL;

	(void)state;
	assert_int_equal(gpulink_wait(device, done, 10, 1, 30 * MS), -GPULINK_ETIMEDOUT);
	assert_true(now_ns() - start >= 30 * MS);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 0), -GPULINK_ETIMEDOUT);
	assert_int_equal(gpulink_wait(device, done, 10, 0, 1000 * MS), 0);
	put(1);
	start = now_ns();
	assert_int_equal(gpulink_wait(device, done, 10, 2, 30 * MS), 1);
	assert_true(now_ns() - start >= 30 * MS);
	put(1);
	assert_int_equal(pthread_create(&thread, NULL, puts_later, &two), 0);
	assert_int_equal(gpulink_wait(device, done, 10, 3, UINT64_MAX), 3);
	assert_true(done[1].tag == 10 && done[2].tag == 11);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(pthread_create(&thread, NULL, puts_later, &two), 0);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 60000 * MS), 1);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 0), 1);
}

/* The timeout applies to the whole call, over several sleeps. */
static void waiting_times_out(void **state)
{
	uint64_t start = now_ns();

	(void)state;
	put(10);
	fake.ready = 0;
	fake.sleep_takes_ns = 20 * MS;
	assert_int_equal(gpulink_wait(device, done, 10, 1, 50 * MS), -GPULINK_ETIMEDOUT);
	assert_true(now_ns() - start >= 50 * MS && fake.sleeps >= 3 && fake.woken);
	assert_int_equal(fake.submitted, 11); /* one entry requests an interrupt for all of them */
	fake.sleeps = 0;
	assert_int_equal(gpulink_wait(device, done, 10, 1, 0), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.sleeps, 0);
	fake.ready = 1;
	assert_int_equal(gpulink_wait(device, done, 10, 5, 1 * MS), 1); /* fewer than requested */
	assert_int_equal(done[0].tag, 0);
	fake.sleeps = 0;
	fake.ready = 2;
	assert_int_equal(gpulink_wait(device, done, 10, 5, 50 * MS), 2);
	assert_true(fake.sleep_entries[0] == 5); /* the fifth of those that were in flight */
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 700, 7, UINT64_MAX), 7);
	assert_int_equal(done[0].tag, 3);
}

/* Buffered completions count; only the remainder is waited for. */
static void waiting_with_buffered(void **state)
{
	(void)state;
	put(100);
	fake.ready = 64;
	assert_int_equal(gpulink_wait(device, done, 1, 1, MS), 1); /* 63 are buffered */
	fake.ready_later = 2;
	assert_int_equal(gpulink_wait(device, done, 10, 10, MS), 10);
	assert_int_equal(fake.sleeps, 0);
	assert_int_equal(gpulink_wait(device, done, 100, 55, MS), 55);
	assert_true(fake.sleeps == 1 && fake.sleep_entries[0] == 65);
	assert_int_equal(done[54].tag, 65);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 100, 34, MS), 34);
}

static void waiting_fails(void **state)
{
	int got = 0;

	(void)state;
	put(100);
	fake.ready = 64; /* then the device is removed */
	fake.sleep_error = -GPULINK_ENODEV;
	assert_int_equal(gpulink_wait(device, done, 1, 1, MS), 1);
	assert_int_equal(gpulink_wait(device, done, 700, 0, MS), 63); /* earlier ones are not lost */
	assert_int_equal(done[62].tag, 63);
	for (unsigned i = 0; i < 64 && !got; i++) /* polling notices it, too */
		got = gpulink_wait(device, done, 700, 0, MS);
	assert_int_equal(got, -GPULINK_ENODEV);
	assert_int_equal(gpulink_wait(device, done, 700, 1, MS), -GPULINK_ENODEV);
	fake.sleep_error = 0;
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 700, 36, MS), 36);
}

static void spurious_completions(void **state)
{
	(void)state;
	put(3);
	fake.invents_completions = true;
	assert_int_equal(gpulink_wait(device, done, 10, 1, MS), -GPULINK_EPROTO);
}

/* The library keeps no more completions than the header says. */
static void completions_are_bounded(void **state)
{
	(void)state;
	put(GPULINK_COMPLETIONS_MAX);
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_EBUSY);
	assert_int_equal(fake.submitted, GPULINK_COMPLETIONS_MAX);
	assert_int_equal(gpulink_put(window, 0, "x", 1, GPULINK_NO_TAG), 0); /* has no completion */
	assert_int_equal(gpulink_wait(device, done, 3, 3, MS), 3);
	assert_true(done[0].tag == 0 && done[2].tag == 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(gpulink_put(window, 0, "x", 1, 1000000 + i), 0);
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_EBUSY);
	for (unsigned left = GPULINK_COMPLETIONS_MAX, n; left; left -= n) {
		n = left < LENGTH(done) ? left : LENGTH(done);
		assert_int_equal(gpulink_wait(device, done, n, n, MS), n);
		assert_true(left > n || (done[n - 1].tag == 1000002 && done[n - 4].tag == GPULINK_COMPLETIONS_MAX - 1));
	}
	assert_int_equal(gpulink_wait(device, done, 1, 0, 0), 0);
}

/* Waits do not return operations without a tag, and the next release reports their first error. */
static void without_a_tag(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(gpulink_put(window, i == 2 || i == 4 ? FAKE_BROKEN : 0, "x", 1, i % 2 ? i : GPULINK_NO_TAG), 0);
	fake.broken_status = GLK_ST_WINDOW_BOUNDS;
	fake.ready = 0;
	fake.ready_later = 3;
	assert_int_equal(gpulink_wait(device, done, 10, 1, MS), 1);
	assert_true(fake.sleep_entries[0] == 1); /* the second entry is the first with a tag */
	assert_int_equal(done[0].tag, 1);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 10, 1, MS), 1);
	assert_true(done[0].tag == 3 && done[0].error == 0);
	fake.errors = 1;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_ERANGE);
	assert_int_equal(gpulink_release(device, MS), 0);
	assert_int_equal(gpulink_put(window, 0, "x", 1, GPULINK_NO_TAG), 0);
	fake.ready = 0;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_ETIMEDOUT);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_release(device, MS), 0);
	assert_int_equal(fake.taken, fake.submitted);
}

/* Programs compiled with an older or a newer header. */
static void sizes(void **state)
{
	struct {
		struct gpulink_info info;
		uint64_t later, end;
	} newer;
	struct gpulink_counters older;

	(void)state;
	memset(&newer, 0xee, sizeof(newer));
	memset(&older, 0xee, sizeof(older));
	assert_int_equal(gpulink_get_info(device, &newer.info, sizeof(newer.info) + 8), 0);
	assert_true(newer.info.partitions == 4 && newer.later == 0 && newer.end == UINT64_C(0xeeeeeeeeeeeeeeee));
	assert_int_equal(gpulink_get_counters(device, 3, &older, 16), 0);
	assert_true(older.stores == 3 && older.store_bytes == 0 && older.packets == UINT64_C(0xeeeeeeeeeeeeeeee));
	assert_int_equal(gpulink_get_counters(device, 3, &older, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_info(device, &newer.info, 0), -GPULINK_EINVAL);
}

/* Status codes of the card, and their errors. */
static void statuses(void **state)
{
	static const struct {
		unsigned status;
		int error;
	} cases[] = {
		{ GLK_ST_OK, 0 },
		{ GLK_ST_OPCODE, GPULINK_EPROTO },
		{ GLK_ST_RESERVED, GPULINK_EPROTO },
		{ GLK_ST_WINDOW, GPULINK_EINVAL },
		{ GLK_ST_WINDOW_BOUNDS, GPULINK_ERANGE },
		{ GLK_ST_REGISTRATION, GPULINK_EINVAL },
		{ GLK_ST_REGISTRATION_BOUNDS, GPULINK_ERANGE },
		{ GLK_ST_PERMISSION, GPULINK_EACCES },
		{ GLK_ST_LENGTH, GPULINK_EINVAL },
		{ GLK_ST_ALIGNMENT, GPULINK_EINVAL },
		{ GLK_ST_DMA, GPULINK_EIO },
		{ GLK_ST_ENDPOINT, GPULINK_EENDPOINT },
		{ GLK_ST_VECTOR, GPULINK_EPROTO },
		{ GLK_ST_PROTOCOL, GPULINK_EPROTO },
		{ GLK_ST_RESET, GPULINK_ERESET },
		{ 0xffff, GPULINK_EPROTO },
	};

	(void)state;
	assert_int_equal(LENGTH(cases), GLK_ST_COUNT + 1);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		put(1);
		fake.status = cases[i].status;
		assert_int_equal(gpulink_wait(device, done, 1, 1, MS), 1);
		assert_int_equal(done[0].status, cases[i].status);
		assert_int_equal(done[0].error, -cases[i].error);
	}
}

static void full_ring(void **state)
{
	uint64_t start;

	(void)state;
	fake.ring = 9;
	fake.ready = 0;
	put(8);
	assert_int_equal(fake.sleeps, 0);
	put(1);
	fake.ready_later = 2;
	put(2); /* both completed ones are taken to make space */
	assert_int_equal(fake.sleeps, 1);
	assert_true(fake.sleep_timeouts[0] <= 1000 * MS);
	fake.sleep_takes_ns = 100 * MS;
	start = now_ns();
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ETIMEDOUT);
	assert_true(now_ns() - start >= 1000 * MS && now_ns() - start < 3000 * MS); /* a second, as gpulink.h says */
	fake.sleep_error = -GPULINK_ERESET;
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ERESET);
	fake.sleep_error = 0;
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 100, 11, MS), 11); /* without the rejected ones */
	for (unsigned i = 0; i < 11; i++)
		assert_int_equal(done[i].tag, i);
	fake.ring = 0; /* full with nothing in flight: never has space */
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_EPROTO);
}

/* The library keeps at most 256 operations in flight, also if the back end accepts more: the rest is for releases. */
static void at_most_256_in_flight(void **state)
{
	(void)state;
	fake.ring = 1000;
	fake.ready = 0;
	put(256);
	fake.sleep_takes_ns = 500 * MS;
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.submitted, 256); /* the last one requests an interrupt anyway */
	assert_int_equal(gpulink_release(device, 1), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.submitted, 257);
	fake.ready = UINT32_MAX;
	put(243);
	assert_int_equal(gpulink_wait(device, done, 700, 499, 10 * MS), 499);
	for (unsigned i = 0; i < 499; i++)
		assert_int_equal(done[i].tag, i < 256 ? i : i + 1);
}

static void submitting_fails(void **state)
{
	const struct gpulink_vector vector = { 0, "x", 1 };

	(void)state;
	fake.submit_error = -GPULINK_ENODEV;
	for (unsigned i = 0; i < 20; i++) { /* more than there are stages: rejected vectors free theirs */
		assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ENODEV);
		assert_int_equal(gpulink_put_vector(window, &vector, 1, 0), -GPULINK_ENODEV);
	}
	assert_int_equal(gpulink_wait(device, done, 1, 0, 0), 0);
	fake.submit_error = 0;
	put(1);
	assert_int_equal(gpulink_wait(device, done, 2, 1, 0), 1);
}

/* --- put vectors --- */

static void stages(void **state)
{
	const struct gpulink_vector vector = { 0, "x", 1 };
	uint64_t seen[8];

	(void)state;
	fake.memory_error = -GPULINK_ENOMEM;
	assert_int_equal(gpulink_put_vector(window, &vector, 1, 0), -GPULINK_ENOMEM);
	fake.memory_error = 0;
	fake.ready = 0;
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(gpulink_put_vector(window, &vector, 1, i), 0);
		seen[i] = fake.entries[i][GLK_SQE_REGISTRATION_OFFSET_Q] >> GLK_SQE_REGISTRATION_OFFSET_SHIFT;
		assert_true(seen[i] % GPULINK_VECTOR_BYTES == 0);
		for (unsigned j = 0; j < i; j++)
			assert_true(seen[i] != seen[j]);
	}
	assert_int_equal(fake.sleeps, 0);
	assert_int_equal(fake.opened_memories, 1); /* one for all of them */
	fake.sleep_takes_ns = 500 * MS;
	assert_int_equal(gpulink_put_vector(window, &vector, 1, 8), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.submitted, 9); /* one to be woken */
	put(3); /* other operations need none */
	fake.ready = 1;
	assert_int_equal(gpulink_put_vector(window, &vector, 1, 8), 0); /* takes the stage of the first */
	assert_true(fake.entries[12][GLK_SQE_REGISTRATION_OFFSET_Q] >> GLK_SQE_REGISTRATION_OFFSET_SHIFT == seen[0]);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 100, 12, MS), 12);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(done[i].tag, i);
	assert_int_equal(done[11].tag, 8);
}

/* --- releases --- */

static void release(void **state)
{
	(void)state;
	fake.sleep_takes_ns = 5 * MS;
	assert_int_equal(gpulink_release(device, 77), 0);
	assert_true((fake.entries[0][0] & 0xff) == GLK_OP_RELEASE);
	fake.errors = 3;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EFAULT);
	assert_int_equal(gpulink_release(device, MS), 0); /* reported once */
	fake.errors = 4;
	fake.ready = 0;
	assert_int_equal(gpulink_release(device, 20 * MS), -GPULINK_ETIMEDOUT);
	assert_true(fake.sleeps >= 3 && fake.woken && fake.sleep_timeouts[0] <= 20 * MS);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EFAULT); /* not reported by the release that timed out */
	fake.errors = 5;
	fake.release_status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EENDPOINT); /* takes precedence */
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_release(device, MS), 0);
	fake.errors = 0; /* the counter has 32 bits */
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EFAULT);
	assert_int_equal(gpulink_release(device, 0), -GPULINK_EINVAL);
	fake.broken_status = GLK_ST_PERMISSION; /* two errors: one after the other */
	fake.release_status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_put(window, FAKE_BROKEN, "x", 1, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EENDPOINT);
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EACCES);
	assert_int_equal(gpulink_release(device, MS), 0);
	fake.ready = 0;
	fake.sleep_error = -GPULINK_ERESET;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_ERESET);
}

/* --- queues --- */

static void *puts_now(void *unused)
{
	uint64_t start = now_ns();
	int error;

	nanosleep(&(struct timespec){ .tv_nsec = (long)(20 * MS) }, NULL);
	error = gpulink_put(window, 0, "x", 1, 5);
	return error || now_ns() - start > 300 * MS ? &fake : unused;
}

/* A thread that sleeps in a wait or a release does not stop others. */
static void sleeping_without_the_lock(void **state)
{
	void *late = NULL;
	pthread_t thread;

	(void)state;
	fake.ready = 0;
	fake.sleep_takes_ns = 1000 * MS;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pthread_create(&thread, NULL, puts_now, NULL), 0);
		if (i) {
			assert_int_equal(gpulink_release(device, 600 * MS), -GPULINK_ETIMEDOUT);
		} else {
			put(1);
			assert_int_equal(gpulink_wait(device, done, 1, 1, 600 * MS), -GPULINK_ETIMEDOUT);
		}
		assert_int_equal(pthread_join(thread, &late), 0);
		assert_null(late);
	}
	for (unsigned i = 0; i < fake.sleeps; i++) /* others may lap the ring meanwhile */
		assert_true(fake.sleep_timeouts[i] <= 100 * MS);
}

static void *takes_all(void *unused)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)(20 * MS) }, NULL);
	fake_ready(UINT32_MAX);
	return gpulink_wait(device, done, 10, 1, 0) == 1 ? unused : &fake;
}

/* A thread whose release another thread completes. */
static void release_taken_by_another(void **state)
{
	void *wrong = NULL;
	pthread_t thread;

	(void)state;
	fake.ready = 0;
	fake.errors = 1;
	fake.sleep_takes_ns = 40 * MS;
	put(1);
	assert_int_equal(pthread_create(&thread, NULL, takes_all, NULL), 0);
	assert_int_equal(gpulink_release(device, 60000 * MS), -GPULINK_EFAULT);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_null(wrong);
	assert_int_equal(gpulink_release(device, MS), 0);
}

static void posted_releases(void **state)
{
	struct gpulink_queue *queue;

	(void)state;
	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	fake.errors = 1;
	assert_int_equal(gpulink_queue_post_release(queue, 8), 0);
	assert_int_equal(gpulink_queue_wait(queue, done, 2, 1, MS), 1);
	assert_true(done[0].tag == 8 && done[0].error == -GPULINK_EFAULT && done[0].status == GLK_ST_OK);
	fake.release_status = GLK_ST_ENDPOINT; /* without a tag: the next release has its error */
	assert_int_equal(gpulink_queue_post_release(queue, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_queue_wait(queue, done, 2, 0, MS), 0);
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_queue_release(queue, MS), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_queue_release(queue, MS), 0);
	assert_int_equal(gpulink_queue_release(queue, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_release(device, MS), -GPULINK_EFAULT); /* each queue counts for itself */
}

static void signals(void **state)
{
	struct gpulink_signal signal = { window, 8, 7, GPULINK_SIGNAL_ADD };
	struct gpulink_queue *queue;
	const uint64_t *e = fake.entries[0];
	unsigned before;

	(void)state;
	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	assert_int_equal(gpulink_queue_signal(queue, &signal, 3), 0);
	assert_true((e[0] & 0xff) == GLK_OP_RELEASE && e[1] == 0);
	e = fake.entries[1];
	assert_true(e[0] == (GLK_OP_FETCH_ADD | 17ull << 16 | 8ull << 32) && e[1] == 3 && e[2] == 8 && e[3] == GLK_NO_REGISTRATION &&
		    e[4] == 7 && !e[5]);
	assert_int_equal(gpulink_queue_wait(queue, done, 9, 9, MS), 1); /* one completion for both */
	assert_true(done[0].tag == 3 && !done[0].error);
	/* the errors of what is before it, first the oldest */
	fake.broken_status = GLK_ST_PERMISSION;
	assert_int_equal(gpulink_queue_put(queue, window, FAKE_BROKEN, "x", 1, GPULINK_NO_TAG), 0);
	signal.operation = GPULINK_SIGNAL_SET;
	assert_int_equal(gpulink_queue_signal(queue, &signal, 4), 0);
	assert_true((fake.entries[4][0] & 0xff) == GLK_OP_SWAP);
	assert_int_equal(gpulink_queue_wait(queue, done, 9, 1, MS), 1);
	assert_true(done[0].tag == 4 && done[0].error == -GPULINK_EACCES);
	assert_int_equal(gpulink_queue_signal(queue, &signal, 5), 0);
	assert_int_equal(gpulink_queue_wait(queue, done, 9, 1, MS), 1);
	assert_true(done[0].tag == 5 && !done[0].error);
	/* its own */
	signal.offset = FAKE_BROKEN;
	assert_int_equal(gpulink_queue_signal(queue, &signal, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_queue_release(queue, MS), -GPULINK_EACCES);
	/* no half a signal */
	for (unsigned i = 0; i < GPULINK_COMPLETIONS_MAX; i++)
		assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 0), 0);
	before = fake.submitted;
	assert_int_equal(gpulink_queue_signal(queue, &signal, 1), -GPULINK_EBUSY);
	assert_int_equal(fake.submitted, before);
}

/* A queue has windows and memories of its own, from their first use on, and closes them. */
static void views(void **state)
{
	struct gpulink_queue *queue, *other;
	struct gpulink_memory *memory;
	static uint8_t host[64];

	(void)state;
	assert_int_equal(gpulink_memory_register(device, host, sizeof(host), BOTH, &memory), 0);
	fake.queue_error = -GPULINK_ENOSPC;
	assert_int_equal(gpulink_queue_open(device, &queue), -GPULINK_ENOSPC);
	fake.queue_error = 0;
	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	assert_int_equal(gpulink_queue_open(device, &other), 0);
	assert_true(fake.open == 3 && fake.windows == 1 && fake.memories == 1);
	fake.window_error = -GPULINK_ENOSPC;
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 1), -GPULINK_ENOSPC);
	fake.window_error = 0;
	fake.endpoint_bytes = 77; /* another endpoint than before */
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 1), -GPULINK_ENOENDPOINT);
	assert_int_equal(fake.windows, 1);
	fake.endpoint_bytes = 0;
	fake.memory_error = -GPULINK_ENOMEM;
	assert_int_equal(gpulink_queue_put_memory(queue, window, 0, memory, 0, 1, 1), -GPULINK_ENOMEM);
	fake.memory_error = 0;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(gpulink_queue_get(queue, window, 0, memory, 0, 1, 1), 0);
	assert_int_equal(gpulink_queue_get(other, window, 0, memory, 0, 1, 1), 0);
	assert_true(fake.windows == 3 && fake.memories == 3 && fake.submitted == 4);
	assert_int_equal(fake.entries[0][3], 101);
	assert_int_equal(fake.entries[3][3], 102);
	gpulink_queue_close(queue);
	assert_true(fake.windows == 2 && fake.memories == 2 && fake.open == 2);
	gpulink_memory_unregister(memory);
	assert_true(fake.windows == 2 && fake.memories == 0);
	gpulink_queue_close(gpulink_default_queue(device)); /* nothing */
	put(1);
}

/* With a descriptor every operation that has a completion wakes. */
static void descriptors(void **state)
{
	struct gpulink_queue *queue;
	unsigned flagged = 0;

	(void)state;
	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	fake.ready = 0;
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 1), 0);
	assert_true(!(fake.entries[0][0] >> GLK_SQE_FLAGS_SHIFT & GLK_FLAG_INTERRUPT));
	assert_int_equal(gpulink_queue_descriptor(queue), 99);
	assert_true((fake.entries[1][0] & 0xff) == GLK_OP_NOP); /* for the put before */
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, i % 2 ? i : GPULINK_NO_TAG), 0);
	for (unsigned i = 1; i < 12; i++)
		flagged += fake.entries[i][0] >> GLK_SQE_FLAGS_SHIFT & GLK_FLAG_INTERRUPT;
	assert_int_equal(flagged, 6);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_queue_wait(queue, done, 20, 6, MS), 6);
	assert_int_equal(gpulink_queue_wait(queue, done, 20, 6, 60000 * MS), 0); /* nobody else submits */
	assert_int_equal(gpulink_queue_wait(queue, done, 20, 0, 0), 0);
	fake.sleep_error = -GPULINK_ERESET; /* poll() returns an error, and so does the call */
	assert_int_equal(gpulink_queue_wait(queue, done, 20, 0, 0), -GPULINK_ERESET);
}

/* --- windows that are mapped --- */

static void mapped_window(void **state)
{
	struct gpulink_window *mapped;
	uint8_t data[4096], back[4096];

	(void)state;
	fake.mapped = true;
	assert_int_equal(gpulink_window_open(device, 0, 0, FAKE_MAPPING, BOTH, &mapped), 0);
	assert_ptr_equal(gpulink_window_address(mapped), fake.mapping);
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 256);
	for (unsigned offset = 0; offset < 17; offset++)
		for (size_t bytes = 1; bytes <= 4096; bytes += bytes < 40 ? 1 : 507) {
			memset(fake.mapping, 0xee, sizeof(fake.mapping));
			assert_int_equal(gpulink_store(mapped, offset, data, bytes), 0);
			assert_memory_equal(fake.mapping + offset, data, bytes);
			assert_true(offset == 0 || fake.mapping[offset - 1] == 0xee);
			assert_int_equal(fake.mapping[offset + bytes], 0xee);
			memset(back, 0xdd, sizeof(back));
			assert_int_equal(gpulink_load(mapped, offset, back, bytes), 0);
			assert_memory_equal(back, data, bytes);
			assert_true(bytes == sizeof(back) || back[bytes] == 0xdd);
		}
	assert_int_equal(gpulink_store(mapped, FAKE_MAPPING - 3, data, 4), -GPULINK_ERANGE);
	assert_int_equal(fake.stores, 0); /* without the back end */
	gpulink_window_close(mapped);
	assert_int_equal(gpulink_store(window, 0, data, 1), 0);
	assert_int_equal(fake.stores, 1);
	assert_int_equal(gpulink_load(window, 0, back, 1), 0);
	assert_int_equal(back[0], 0x5a);
}

/* The words of an entry (docs/registers.md). */
static void entries(void **state)
{
	struct gpulink_memory *memory;
	static uint8_t host[64];
	const uint64_t *e;

	(void)state;
	assert_int_equal(gpulink_memory_register(device, host, sizeof(host), BOTH, &memory), 0);
	assert_int_equal(gpulink_put(window, 5, "abcdefghi", 9, 0x1234), 0);
	assert_int_equal(gpulink_get(window, 6, memory, 7, 8, 9), 0);
	assert_int_equal(gpulink_compare_swap(window, 16, 8, 1, 2, memory, 3, 4), 0);
	assert_int_equal(gpulink_swap(window, 16, 4, 5, NULL, 0, 6), 0);
	e = fake.entries[0];
	assert_true(e[0] == (GLK_OP_PUT_INLINE | 17ull << 16 | 9ull << 32) && e[1] == 0x1234 && e[2] == 5 && e[3] == 0);
	assert_true(!memcmp(e + 4, "abcdefghi", 9) && e[5] == 'i' && e[6] == 0 && e[7] == 0);
	e = fake.entries[1];
	assert_true(e[0] == (GLK_OP_GET | 17ull << 16 | 8ull << 32) && e[1] == 9 && e[2] == 6 && e[3] == (100 | 7 << 16));
	assert_true(!e[4] && !e[5] && !e[6] && !e[7]);
	e = fake.entries[2];
	assert_true(e[0] == (GLK_OP_CAS | 17ull << 16 | 8ull << 32) && e[2] == 16 && e[3] == (100 | 3 << 16));
	assert_true(e[4] == 2 && e[5] == 1 && !e[6] && !e[7]);
	e = fake.entries[3];
	assert_true(e[0] == (GLK_OP_SWAP | 17ull << 16 | 4ull << 32) && e[3] == GLK_NO_REGISTRATION && e[4] == 5 && !e[5]);
}

/* A get that failed, or whose memory was closed, is not copied; a successful one is, also if it completes while another
 * operation waits for space. */
static void staged(void **state)
{
	int fd = memfd_create("gpu", 0);
	struct gpulink_memory *memory;
	char at[5] = { 0 };

	(void)state;
	assert_true(fd >= 0 && pwrite(fd, "first", 5, 100) == 5);
	assert_int_equal(gpulink_memory_register_staged(device, fd, 100, 5, BOTH, &memory), 0);
	assert_int_equal(gpulink_put_memory(window, 0, memory, 0, 5, 0), 0); /* the bounce buffer holds "first" */
	assert_int_equal(gpulink_wait(device, done, 1, 1, MS), 1);
	assert_int_equal(pwrite(fd, "other", 5, 100), 5);

	fake.status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_get(window, 0, memory, 0, 5, 0), 0);
	assert_int_equal(gpulink_wait(device, done, 1, 1, MS), 1);
	assert_int_equal(done[0].error, -GPULINK_EENDPOINT);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "other", 5));

	fake.status = GLK_ST_OK;
	fake.ring = 1;
	assert_int_equal(gpulink_get(window, 0, memory, 1, 2, 0), 0);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "other", 5));
	assert_int_equal(gpulink_get(window, 0, memory, 4, 1, 0), 0);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "oirer", 5));
	gpulink_memory_unregister(memory);
	assert_int_equal(gpulink_wait(device, done, 3, 2, MS), 2);
	assert_true(!done[0].error && !done[1].error);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "oirer", 5));
	close(fd);
}

/* Direct access only: no implicit staging. */
static void dmabufs(void **state)
{
	struct gpulink_memory *memory = NULL;
	int fd = memfd_create("gpu", 0);
	struct gpulink_window *proven = NULL;

	(void)state;
	assert_int_equal(gpulink_window_open_dmabuf(NULL, fd, 0, 4096, BOTH, &proven), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 1, 4096, BOTH, &proven), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 0, 0, BOTH, &proven), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 0, 4096, 4, &proven), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, UINT64_MAX - 4095, 4096, BOTH, &proven), -GPULINK_ERANGE);
	assert_int_equal(gpulink_memory_register_dmabuf(device, -1, 0, 1, BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_dmabuf(NULL, fd, 0, 1, BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 0, BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 1, 0, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 1, 4, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 1, BOTH, NULL), -GPULINK_EINVAL);
	fake.import_error = -GPULINK_EUNREACHABLE;
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 1, BOTH, &memory), -GPULINK_EUNREACHABLE);
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 0, 4096, BOTH, &proven), -GPULINK_EUNREACHABLE);
	assert_true(!memory && !proven && !fake.opened_memories);
	fake.import_error = 0;
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 100, BOTH, &memory), 0);
	assert_int_equal(gpulink_put_memory(window, 0, memory, 7, 93, 0), 0);
	assert_true(fake.entries[0][3] == (200 | 7 << 16));
	assert_int_equal(gpulink_put_memory(window, 0, memory, 8, 93, 0), -GPULINK_ERANGE);
	gpulink_memory_unregister(memory);
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 0, 100, GPULINK_READ, &memory), 0);
	assert_int_equal(gpulink_get(window, 0, memory, 0, 1, 0), -GPULINK_EACCES);
	fake.memory_error = -GPULINK_ENOSPC; /* of the bounce buffer */
	assert_true(fd >= 0 && !ftruncate(fd, 4096));
	assert_int_equal(gpulink_memory_register_staged(device, fd, 0, 1, BOTH, &memory), -GPULINK_ENOSPC);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(failed_opens),	    TEST(waiting_for_some), TEST(waiting_times_out), TEST(waiting_fails),
		TEST(waiting_with_buffered), TEST(waiting_for_other_threads), TEST(completions_are_bounded),
		TEST(without_a_tag),	    TEST(sizes),
		TEST(spurious_completions), TEST(statuses),	    TEST(full_ring),	     TEST(at_most_256_in_flight),
		TEST(submitting_fails),	    TEST(stages),	    TEST(release),	     TEST(mapped_window),
		TEST(entries),		    TEST(staged),	    TEST(dmabufs),	     TEST(sleeping_without_the_lock),
		TEST(release_taken_by_another), TEST(posted_releases), TEST(signals),	     TEST(views),
		TEST(descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
