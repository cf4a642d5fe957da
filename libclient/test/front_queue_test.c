// SPDX-License-Identifier: Apache-2.0
/* The common part of the library with a fake back end: queues of their own, and windows that are mapped. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "front_setup.h"

/* --- queues --- */

static void *puts_now(void *unused)
{
	int error;

	nanosleep(&(struct timespec){ .tv_nsec = (long)(20 * MS) }, NULL);
	error = gpulink_put(window, 0, "x", 1, 5);
	fake_ready(UINT32_MAX);
	return error ? &fake : unused;
}

/* A thread that sleeps in a wait or a release does not stop others: only what the other one does after its put ends the sleep.
 */
static void sleeping_without_the_lock(void **state)
{
	void *failed = NULL;
	pthread_t thread;

	(void)state;
	fake.sleep_takes_ns = 1000 * MS;
	for (unsigned i = 0; i < 2; i++) {
		fake.ready = 0;
		put(1);
		assert_int_equal(pthread_create(&thread, NULL, puts_now, NULL), 0);
		if (i)
			assert_int_equal(gpulink_release(device, LONG), 0);
		else
			assert_int_equal(gpulink_wait(device, done, 1, 1, LONG), 1);
		assert_int_equal(pthread_join(thread, &failed), 0);
		assert_null(failed);
	}
	for (unsigned i = 0; i < fake.sleeps && i < 32; i++) /* others may lap the ring meanwhile */
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
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EFAULT);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_null(wrong);
	assert_int_equal(gpulink_release(device, LONG), 0);
}

static void posted_releases(void **state)
{
	struct gpulink_queue *queue;

	(void)state;
	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	fake.errors = 1;
	assert_int_equal(gpulink_queue_post_release(queue, 8), 0);
	assert_int_equal(gpulink_queue_wait(queue, done, 2, 1, LONG), 1);
	assert_true(done[0].tag == 8 && done[0].error == -GPULINK_EFAULT && done[0].status == GLK_ST_OK);
	fake.release_status = GLK_ST_ENDPOINT; /* without a tag: the next release has its error */
	assert_int_equal(gpulink_queue_post_release(queue, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_queue_wait(queue, done, 2, 0, LONG), 0);
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_queue_release(queue, LONG), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_queue_release(queue, LONG), 0);
	assert_int_equal(gpulink_queue_release(queue, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EFAULT); /* each queue counts for itself */
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
	assert_true(e[0] == (GLK_OP_FETCH_ADD | 17ull << 16 | 8ull << 32) && e[1] == 3 && e[2] == 8 &&
		    e[3] == GLK_NO_REGISTRATION && e[4] == 7 && !e[5]);
	assert_int_equal(gpulink_queue_wait(queue, done, 9, 9, LONG), 1); /* one completion for both */
	assert_true(done[0].tag == 3 && !done[0].error);
	/* the errors of what is before it, first the oldest */
	fake.broken_status = GLK_ST_PERMISSION;
	assert_int_equal(gpulink_queue_put(queue, window, FAKE_BROKEN, "x", 1, GPULINK_NO_TAG), 0);
	signal.operation = GPULINK_SIGNAL_SET;
	assert_int_equal(gpulink_queue_signal(queue, &signal, 4), 0);
	assert_true((fake.entries[4][0] & 0xff) == GLK_OP_SWAP);
	assert_int_equal(gpulink_queue_wait(queue, done, 9, 1, LONG), 1);
	assert_true(done[0].tag == 4 && done[0].error == -GPULINK_EACCES);
	assert_int_equal(gpulink_queue_signal(queue, &signal, 5), 0);
	assert_int_equal(gpulink_queue_wait(queue, done, 9, 1, LONG), 1);
	assert_true(done[0].tag == 5 && !done[0].error);
	/* its own */
	signal.offset = FAKE_BROKEN;
	assert_int_equal(gpulink_queue_signal(queue, &signal, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_queue_release(queue, LONG), -GPULINK_EACCES);
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
	assert_int_equal(gpulink_queue_wait(queue, done, 20, 6, LONG), 6);
	assert_int_equal(gpulink_queue_wait(queue, done, 20, 6, LONG), 0); /* nobody else submits */
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
	assert_int_equal(gpulink_wait(device, done, 1, 1, LONG), 1);
	assert_int_equal(pwrite(fd, "other", 5, 100), 5);

	fake.status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_get(window, 0, memory, 0, 5, 0), 0);
	assert_int_equal(gpulink_wait(device, done, 1, 1, LONG), 1);
	assert_int_equal(done[0].error, -GPULINK_EENDPOINT);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "other", 5));

	fake.status = GLK_ST_OK;
	fake.ring = 1;
	assert_int_equal(gpulink_get(window, 0, memory, 1, 2, 0), 0);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "other", 5));
	assert_int_equal(gpulink_get(window, 0, memory, 4, 1, 0), 0);
	assert_true(pread(fd, at, 5, 100) == 5 && !memcmp(at, "oirer", 5));
	gpulink_memory_unregister(memory);
	assert_int_equal(gpulink_wait(device, done, 3, 2, LONG), 2);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sleeping_without_the_lock),
		TEST(release_taken_by_another),
		TEST(posted_releases),
		TEST(signals),
		TEST(views),
		TEST(descriptors),
		TEST(mapped_window),
		TEST(entries),
		TEST(staged),
		TEST(dmabufs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
