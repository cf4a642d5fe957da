// SPDX-License-Identifier: Apache-2.0
/* The common part of the library with a fake back end: waits, full rings, releases, and errors. The
 * soft device never waits and never fails. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front_setup.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

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
	assert_int_equal(gpulink_wait(device, done, 10, 0, LONG), 3); /* those available */
	assert_int_equal(done[2].tag, 2);
	assert_int_equal(fake.sleeps, 0);
	fake.ready_later = 4;
	assert_int_equal(gpulink_wait(device, done, 10, 4, LONG), 4);
	assert_int_equal(fake.sleeps, 1);
	assert_true(fake.sleep_entries[0] == 6 && fake.sleep_timeouts[0] <= LONG && fake.woken);
	fake.ready = 5;
	assert_int_equal(gpulink_wait(device, done, 10, 10, 5 * MS), 3); /* limited to those in flight */
	assert_int_equal(done[2].tag, 9);
	assert_int_equal(fake.taken, fake.submitted);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 5 * MS), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.sleeps, 1); /* nothing in flight */
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
	assert_int_equal(gpulink_wait(device, done, 10, 0, LONG), 0);
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
	assert_int_equal(gpulink_wait(device, done, 10, 1, LONG), 1);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 0), 1);
}

/* Sleeps of one call: the first may take the call's timeout, each further one only what is left of it. On a busy machine the
 * time may be over before the first. */
static bool sleeps_share(uint64_t timeout_ns)
{
	for (unsigned i = 0; i < fake.sleeps && i < 32; i++)
		if (fake.sleep_timeouts[i] > timeout_ns || (i && fake.sleep_timeouts[i] >= fake.sleep_timeouts[i - 1]))
			return false;
	return true;
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
	assert_true(now_ns() - start >= 50 * MS && sleeps_share(50 * MS) && fake.woken);
	assert_int_equal(fake.submitted, fake.sleeps ? 11 : 10); /* one entry requests an interrupt for all of them */
	fake.sleeps = 0;
	assert_int_equal(gpulink_wait(device, done, 10, 1, 0), -GPULINK_ETIMEDOUT);
	assert_int_equal(fake.sleeps, 0);
	fake.ready = 1;
	assert_int_equal(gpulink_wait(device, done, 10, 5, 1 * MS), 1); /* fewer than requested */
	assert_int_equal(done[0].tag, 0);
	fake.sleeps = 0;
	fake.ready = 2;
	assert_int_equal(gpulink_wait(device, done, 10, 5, 50 * MS), 2);
	assert_true(!fake.sleeps || fake.sleep_entries[0] == 5); /* the fifth of those that were in flight */
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
	assert_int_equal(gpulink_wait(device, done, 1, 1, LONG), 1); /* 63 are buffered */
	fake.ready_later = 2;
	assert_int_equal(gpulink_wait(device, done, 10, 10, LONG), 10);
	assert_int_equal(fake.sleeps, 0);
	assert_int_equal(gpulink_wait(device, done, 100, 55, LONG), 55);
	assert_true(fake.sleeps == 1 && fake.sleep_entries[0] == 65);
	assert_int_equal(done[54].tag, 65);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 100, 34, LONG), 34);
}

static void waiting_fails(void **state)
{
	int got = 0;

	(void)state;
	put(100);
	fake.ready = 64; /* then the device is removed */
	fake.sleep_error = -GPULINK_ENODEV;
	assert_int_equal(gpulink_wait(device, done, 1, 1, LONG), 1);
	assert_int_equal(gpulink_wait(device, done, 700, 0, LONG), 63); /* earlier ones are not lost */
	assert_int_equal(done[62].tag, 63);
	for (unsigned i = 0; i < 64 && !got; i++) /* polling notices it, too */
		got = gpulink_wait(device, done, 700, 0, MS);
	assert_int_equal(got, -GPULINK_ENODEV);
	assert_int_equal(gpulink_wait(device, done, 700, 1, LONG), -GPULINK_ENODEV);
	fake.sleep_error = 0;
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 700, 36, LONG), 36);
}

static void spurious_completions(void **state)
{
	(void)state;
	put(3);
	fake.invents_completions = true;
	assert_int_equal(gpulink_wait(device, done, 10, 1, LONG), -GPULINK_EPROTO);
}

/* The library keeps no more completions than the header says. */
static void completions_are_bounded(void **state)
{
	(void)state;
	put(GPULINK_COMPLETIONS_MAX);
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_EBUSY);
	assert_int_equal(fake.submitted, GPULINK_COMPLETIONS_MAX);
	assert_int_equal(gpulink_put(window, 0, "x", 1, GPULINK_NO_TAG), 0); /* has no completion */
	assert_int_equal(gpulink_wait(device, done, 3, 3, LONG), 3);
	assert_true(done[0].tag == 0 && done[2].tag == 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(gpulink_put(window, 0, "x", 1, 1000000 + i), 0);
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_EBUSY);
	for (unsigned left = GPULINK_COMPLETIONS_MAX, n; left; left -= n) {
		n = left < LENGTH(done) ? left : LENGTH(done);
		assert_int_equal(gpulink_wait(device, done, n, n, LONG), n);
		assert_true(left > n || (done[n - 1].tag == 1000002 && done[n - 4].tag == GPULINK_COMPLETIONS_MAX - 1));
	}
	assert_int_equal(gpulink_wait(device, done, 1, 0, 0), 0);
}

/* Waits do not return operations without a tag, and the next release reports their first error. */
static void without_a_tag(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(gpulink_put(window, i == 2 || i == 4 ? FAKE_BROKEN : 0, "x", 1, i % 2 ? i : GPULINK_NO_TAG),
				 0);
	fake.broken_status = GLK_ST_WINDOW_BOUNDS;
	fake.ready = 0;
	fake.ready_later = 3;
	assert_int_equal(gpulink_wait(device, done, 10, 1, LONG), 1);
	assert_true(fake.sleep_entries[0] == 1); /* the second entry is the first with a tag */
	assert_int_equal(done[0].tag, 1);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 10, 1, LONG), 1);
	assert_true(done[0].tag == 3 && done[0].error == 0);
	fake.errors = 1;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_ERANGE);
	assert_int_equal(gpulink_release(device, LONG), 0);
	assert_int_equal(gpulink_put(window, 0, "x", 1, GPULINK_NO_TAG), 0);
	fake.ready = 0;
	assert_int_equal(gpulink_release(device, MS), -GPULINK_ETIMEDOUT);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_release(device, LONG), 0);
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
		{ GLK_ST_REGION, GPULINK_EINVAL },
		{ GLK_ST_REGION_STATE, GPULINK_EBUSY },
		{ GLK_ST_REGION_COUNT, GPULINK_ERANGE },
		{ GLK_ST_TIME, GPULINK_ERANGE },
		{ GLK_ST_NOT_POOL, GPULINK_ENOTSUP },
		{ 0xffff, GPULINK_EPROTO },
	};

	(void)state;
	assert_int_equal(LENGTH(cases), GLK_ST_COUNT + 1);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		put(1);
		fake.status = cases[i].status;
		assert_int_equal(gpulink_wait(device, done, 1, 1, LONG), 1);
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
	fake.sleeps = 0;
	start = now_ns();
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ETIMEDOUT);
	assert_true(now_ns() - start >= 1000 * MS && fake.sleeps <= 1000 / 50); /* a second, as gpulink.h says; 50 ms each */
	fake.sleep_error = -GPULINK_ERESET;
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ERESET);
	fake.sleep_error = 0;
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_wait(device, done, 100, 11, LONG), 11); /* without the rejected ones */
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
	assert_int_equal(gpulink_wait(device, done, 700, 499, LONG), 499);
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
	assert_int_equal(gpulink_wait(device, done, 100, 12, LONG), 12);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(done[i].tag, i);
	assert_int_equal(done[11].tag, 8);
}

/* --- releases --- */

static void release(void **state)
{
	uint64_t start;

	(void)state;
	fake.sleep_takes_ns = 5 * MS;
	assert_int_equal(gpulink_release(device, 77), 0);
	assert_true((fake.entries[0][0] & 0xff) == GLK_OP_RELEASE);
	fake.errors = 3;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EFAULT);
	assert_int_equal(gpulink_release(device, LONG), 0); /* reported once */
	fake.errors = 4;
	fake.ready = 0;
	fake.sleeps = 0;
	start = now_ns();
	assert_int_equal(gpulink_release(device, 20 * MS), -GPULINK_ETIMEDOUT);
	assert_true(now_ns() - start >= 20 * MS && sleeps_share(20 * MS) && fake.woken);
	fake.ready = UINT32_MAX;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EFAULT); /* not reported by the release that timed out */
	fake.errors = 5;
	fake.release_status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EENDPOINT); /* takes precedence */
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_release(device, LONG), 0);
	fake.errors = 0; /* the counter has 32 bits */
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EFAULT);
	assert_int_equal(gpulink_release(device, 0), -GPULINK_EINVAL);
	fake.broken_status = GLK_ST_PERMISSION; /* two errors: one after the other */
	fake.release_status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_put(window, FAKE_BROKEN, "x", 1, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EENDPOINT);
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EACCES);
	assert_int_equal(gpulink_release(device, LONG), 0);
	fake.ready = 0;
	fake.sleep_error = -GPULINK_ERESET;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_ERESET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(failed_opens),	    TEST(waiting_for_some), TEST(waiting_times_out), TEST(waiting_fails),
		TEST(waiting_with_buffered), TEST(waiting_for_other_threads), TEST(completions_are_bounded),
		TEST(without_a_tag),	    TEST(sizes),
		TEST(spurious_completions), TEST(statuses),	    TEST(full_ring),	     TEST(at_most_256_in_flight),
		TEST(submitting_fails),	    TEST(stages),	    TEST(release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
