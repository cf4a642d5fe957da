// SPDX-License-Identifier: Apache-2.0
/*
 * promise_test DEVICE: what gpulink.h promises for every kind of device: fork(), operations without a tag, waits,
 * pthread_cancel(). TAP. The device needs an endpoint of 64 KiB or more in partition 0.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpulink.h>
#include <gpulink_device.h>
#include <tap.h>

#include "threads.h"

#define BOTH   (GPULINK_READ | GPULINK_WRITE)
#define SECOND UINT64_C(1000000000)

enum { BYTES = 65536 };

static struct gpulink *device;
static struct gpulink_window *window;
static struct gpulink_memory *memory;
static struct gpulink_queue *queue; /* the default queue */
static uint64_t host[512];

static long loaded(uint64_t offset)
{
	uint64_t value = 0;
	int error = gpulink_load(window, offset, &value, sizeof(value));

	return error ? error : (long)value;
}

/* --- fork() --- */

/* The number of the first call that does not return EFORK, or 0. */
static int calls_in_child(void)
{
	const struct gpulink_vector vector = { 0, "child", 5 };
	struct gpulink_endpoint_info endpoint;
	struct gpulink_completion done;
	struct gpulink_counters counters;
	struct gpulink_window *w;
	struct gpulink_memory *m;
	struct gpulink_info info;
	uint64_t value = 666;
	size_t bytes;
	void *at;
	const int results[] = {
		gpulink_get_info(device, &info, sizeof(info)),
		gpulink_get_endpoint(device, 0, &endpoint, sizeof(endpoint)),
		gpulink_endpoint_memory(device, 0, &at, &bytes),
		gpulink_window_open(device, 0, 0, BYTES, BOTH, &w),
		gpulink_store(window, 0, &value, sizeof(value)),
		gpulink_load(window, 0, &value, sizeof(value)),
		gpulink_memory_register(device, host, sizeof(host), BOTH, &m),
		gpulink_memory_register_dmabuf(device, 0, 0, 1, BOTH, &m),
		gpulink_memory_register_staged(device, 0, 0, 1, BOTH, &m),
		gpulink_put(window, 0, &value, sizeof(value), 1),
		gpulink_put_memory(window, 0, memory, 0, 8, 1),
		gpulink_put_vector(window, &vector, 1, 1),
		gpulink_get(window, 0, memory, 0, 8, 1),
		gpulink_fetch_add(window, 0, 8, 1, NULL, 0, 1),
		gpulink_swap(window, 0, 8, 1, NULL, 0, 1),
		gpulink_compare_swap(window, 0, 8, 1, 1, NULL, 0, 1),
		gpulink_wait(device, &done, 1, 0, 0),
		gpulink_release(device, SECOND),
		gpulink_get_counters(device, 0, &counters, sizeof(counters)),
		gpulink_window_address(window) ? 0 : -GPULINK_EFORK,
		gpulink_window_export(window, &(int){0}),
		gpulink_queue_doorbell(queue, &(struct gpulink_doorbell){0}, sizeof(struct gpulink_doorbell)),
	};

	for (unsigned i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i] != -GPULINK_EFORK)
			return (int)i + 1;
	return 0;
}

static int closes_in_child(void)
{
	gpulink_memory_unregister(memory);
	gpulink_window_close(window);
	gpulink_close(device);
	return 0;
}

static int opens_its_own(void)
{
	struct gpulink *own;
	struct gpulink_window *w;
	uint64_t value = 77;
	int error = gpulink_open(getenv("PROMISE_DEVICE"), &own);

	if (!error)
		error = gpulink_window_open(own, 0, 8192, BYTES - 8192, BOTH, &w);
	if (!error)
		error = gpulink_put(w, 0, &value, sizeof(value), GPULINK_NO_TAG);
	if (!error)
		error = gpulink_release(own, 10 * SECOND);
	return error ? 1 : 0;
}

static void *address;

static int stores_directly(void)
{
	signal(SIGSEGV, SIG_DFL);
	*(volatile uint64_t *)address = 666;
	return 0;
}

/* Its exit status, or -1 and its signal. */
static int child(int (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_fork(void)
{
	uint64_t value = 5;
	struct gpulink_completion done;

	is(gpulink_store(window, 0, &value, sizeof(value)), 0, "the parent stores");
	is(gpulink_put(window, 8, &value, sizeof(value), 9), 0, "and puts");
	is(child(calls_in_child), 0, "in a child every call returns EFORK");
	is(child(closes_in_child), 0, "it may close its handles");
	is(child(opens_its_own), 0, "it may open a device of its own");
	address = gpulink_window_address(window);
	if (address)
		is(child(stores_directly), -SIGSEGV, "it does not inherit the window");
	is(gpulink_wait(device, &done, 1, 1, 10 * SECOND), 1, "the parent's put completes");
	is((long)done.tag, 9, "with its tag");
	value++;
	is(gpulink_put(window, 16, &value, sizeof(value), GPULINK_NO_TAG), 0, "it puts again");
	is(gpulink_release(device, 10 * SECOND), 0, "it releases");
	is(loaded(0), 5, "its store has arrived");
	is(loaded(8), 5, "and its put");
	is(loaded(16), 6, "and the last put");
	is(gpulink_get(window, 16, memory, 24, 8, 3), 0, "its memory is still registered");
	is(gpulink_wait(device, &done, 1, 1, 10 * SECOND) == 1 ? done.error : 1, 0, "and written");
	is((long)host[3], 6, "by the get");
}

/* --- operations without a tag --- */

static long in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return (long)(m.uordblks + m.hblkhd);
}

static void test_no_tag(void)
{
	struct gpulink_completion done;
	int error = 0;
	long before;

	for (uint64_t n = 0; n < 300 && !error; n++)
		error = gpulink_put(window, 24, &n, sizeof(n), GPULINK_NO_TAG);
	before = in_use();
	for (uint64_t n = 0; n < 20000 && !error; n++) {
		error = gpulink_put(window, 24, &n, sizeof(n), GPULINK_NO_TAG);
		if (!error && n % 1000 == 999)
			error = gpulink_release(device, 10 * SECOND);
	}
	is(error, 0, "20,000 puts without a tag, and releases");
	is(in_use() > before + 16384, 0, "they do not grow the process");
	is(loaded(24), 19999, "the last one has arrived");
	is(gpulink_wait(device, &done, 1, 0, 0), 0, "they have no completions");
}

/* --- waits --- */

static void *puts_later(void *unused)
{
	uint64_t value = 1;

	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	return gpulink_put(window, 32, &value, sizeof(value), 4711) ? unused : NULL;
}

static void test_wait(void)
{
	struct gpulink_completion done;
	double start = seconds_now();
	pthread_t thread;

	is(gpulink_wait(device, &done, 1, 1, SECOND / 10), -GPULINK_ETIMEDOUT, "a wait with nothing in flight times out");
	is(seconds_now() - start >= 0.1, 1, "after the timeout");
	is(pthread_create(&thread, NULL, puts_later, device), 0, "another thread puts later");
	is(gpulink_wait(device, &done, 1, 1, 60 * SECOND), 1, "the wait returns its completion");
	is((long)done.tag, 4711, "with its tag");
	pthread_join(thread, NULL);
}

/* --- pthread_cancel() --- */

static struct gpulink_queue *polled; /* has a descriptor, which every completion makes readable */

static void cancelled_open(void)
{
	struct gpulink *own = NULL;

	gpulink_open(getenv("PROMISE_DEVICE"), &own);
	gpulink_close(own);
}

static void cancelled_queue(void)
{
	struct gpulink_queue *own = NULL;

	gpulink_queue_open(device, &own);
	gpulink_queue_descriptor(own);
	gpulink_queue_close(own);
}

static void cancelled_objects(void)
{
	struct gpulink_window *w = NULL;
	struct gpulink_memory *m = NULL;
	static uint64_t own[8];

	gpulink_window_open(device, 0, 0, BYTES, BOTH, &w);
	gpulink_window_close(w);
	gpulink_memory_register(device, own, sizeof(own), BOTH, &m);
	gpulink_memory_unregister(m);
}

static void cancelled_properties(void)
{
	struct gpulink_endpoint_info endpoint;
	struct gpulink_counters counters;
	size_t bytes;
	void *at;

	gpulink_get_endpoint(device, 0, &endpoint, sizeof(endpoint));
	gpulink_endpoint_memory(device, 0, &at, &bytes);
	gpulink_get_counters(device, 0, &counters, sizeof(counters));
}

static void cancelled_stores(void)
{
	uint64_t value = 8;

	gpulink_store(window, 64, &value, sizeof(value));
	gpulink_load(window, 64, &value, sizeof(value));
	gpulink_queue_store(polled, window, 72, &value, sizeof(value));
	gpulink_queue_load(polled, window, 72, &value, sizeof(value));
}

static void operate(struct gpulink_queue *q)
{
	const struct gpulink_vector vector = { 80, "cancelled", 9 };
	const struct gpulink_signal signal = { window, 96, 1, GPULINK_SIGNAL_ADD };
	uint64_t value = 9;

	gpulink_queue_put(q, window, 64, &value, sizeof(value), 1);
	gpulink_queue_put_vector(q, window, &vector, 1, 2);
	gpulink_queue_get(q, window, 64, memory, 0, 8, 3);
	gpulink_queue_fetch_add(q, window, 104, 8, 1, NULL, 0, 4);
	gpulink_queue_signal(q, &signal, 5);
	gpulink_queue_post_release(q, 6);
}

static void cancelled_operations(void)
{
	operate(queue);
	operate(polled);
}

static volatile int returned;

/* A cancellation that is pending already acts at the first cancellation point. */
static void *cancels_itself(void *call)
{
	pthread_cancel(pthread_self());
	(*(void (**)(void))call)();
	returned = 1;
	pthread_testcancel();
	return NULL;
}

static void is_not_cancelled(void (*call)(void), const char *name)
{
	pthread_t thread;
	void *result = NULL;

	returned = 0;
	if (pthread_create(&thread, NULL, cancels_itself, &call))
		return is(1, 0, name);
	pthread_join(thread, &result);
	is(returned && result == PTHREAD_CANCELED, 1, name);
}

static unsigned taken; /* by threads that are cancelled later */

static void *waits_for_ever(void *unused)
{
	struct gpulink_completion done[8];

	while (gpulink_wait(device, done, 8, 1, 1000000 * SECOND) > 0)
		__atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED);
	return unused;
}

static void *waits_for_word(void *unused)
{
	static uint64_t word;

	gpulink_wait_until(&word, GPULINK_COMPARE_NE, 0, 1000000 * SECOND, NULL);
	return unused;
}

static void is_cancelled(void *(*call)(void *), const char *name)
{
	void *result = NULL;
	pthread_t thread;

	if (pthread_create(&thread, NULL, call, NULL))
		return is(1, 0, name);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	is(result == PTHREAD_CANCELED, 1, name);
}

static void test_cancel(void)
{
	struct gpulink_completion done[8];
	uint64_t value = 3;

	is(gpulink_queue_open(device, &polled), 0, "a queue");
	is(gpulink_queue_descriptor(polled) >= 0, 1, "with a descriptor");
	is_not_cancelled(cancelled_open, "a thread is not cancelled in open and close");
	is_not_cancelled(cancelled_queue, "in those of a queue");
	is_not_cancelled(cancelled_objects, "in those of windows and memories");
	is_not_cancelled(cancelled_properties, "in queries");
	is_not_cancelled(cancelled_stores, "in stores and loads");
	is_not_cancelled(cancelled_operations, "in operations");
	is(gpulink_queue_release(polled, 10 * SECOND), 0, "the queue is as before");
	is(gpulink_queue_wait(polled, done, 8, 6, 10 * SECOND), 6, "with its completions");
	is(gpulink_wait(device, done, 8, 6, 10 * SECOND), 6, "and so is the default queue");
	is_cancelled(waits_for_ever, "a wait can be cancelled");
	is_cancelled(waits_for_word, "and one for a word");
	is(gpulink_put(window, 112, &value, sizeof(value), 7), 0, "another thread puts");
	is(gpulink_wait(device, done, 8, 1, 10 * SECOND) == 1 && done[0].tag == 7, 1, "and gets its completion");
	is(gpulink_release(device, 10 * SECOND), 0, "and releases");
	is(loaded(112), 3, "its value is there");
	is((long)taken, 0, "nothing was taken by who was cancelled");
	gpulink_queue_close(polled);
}

/* --- devices that store and release by themselves: here the CPU with their functions --- */

/* The next value, and what the record must hold then. */
static void release_by_doorbell(const struct gpulink_doorbell *pages, uint64_t value)
{
	uint8_t *to = gpulink_window_address(window);
	volatile uint64_t *seen;
	size_t bytes;
	void *at;

	is(gpulink_endpoint_memory(device, 0, &at, &bytes), 0, "the endpoint's memory");
	seen = at;
	gpulink_device_store64(to + 40, 1000 + value);
	gpulink_device_store128(to + 48, value, ~value);
	is(gpulink_device_released(pages->record, value), 0, "the release has not completed before it is requested");
	gpulink_device_release(pages->page, value);
	is(gpulink_wait_until(pages->record, GPULINK_COMPARE_EQ, value, 10 * SECOND, NULL), 0, "it completes in the record");
	is(gpulink_device_released(pages->record, value), 1, "as a device sees it");
	is(seen[5] == 1000 + value && seen[6] == value && seen[7] == ~value, 1, "the stores are visible");
}

static void test_doorbell(void)
{
	struct gpulink_doorbell pages = {0};
	struct gpulink_info info;
	int dmabuf = -1, error = gpulink_queue_doorbell(queue, &pages, sizeof(pages));

	gpulink_get_info(device, &info, sizeof(info));
	if (strcmp(info.kind, "card")) {
		is(error, -GPULINK_ENOTSUP, "a soft device has no doorbell page");
		is(gpulink_window_export(window, &dmabuf), -GPULINK_ENOTSUP, "and exports no window");
		return;
	}
	is(error, 0, "a doorbell page");
	if (error)
		return;
	release_by_doorbell(&pages, 7);
	is(gpulink_release(device, 10 * SECOND), 0, "a release by the ring between them");
	release_by_doorbell(&pages, 8);
	error = gpulink_window_export(window, &dmabuf);
	is(error == (dmabuf < 0 ? -GPULINK_ENOTSUP : 0), 1, "the window is exported, or the kernel cannot");
	if (dmabuf >= 0)
		close(dmabuf);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s DEVICE\n", argv[0]);
		return 2;
	}
	setenv("PROMISE_DEVICE", argv[1], 1);
	is(gpulink_open(argv[1], &device), 0, "the device opens");
	if (tap_bad)
		return 1;
	queue = gpulink_default_queue(device);
	is(gpulink_window_open(device, 0, 0, BYTES, BOTH, &window), 0, "a window");
	is(gpulink_memory_register(device, host, sizeof(host), BOTH, &memory), 0, "a memory");
	if (!tap_bad) {
		test_fork();
		test_no_tag();
		test_wait();
		test_cancel();
		test_doorbell();
	}
	gpulink_close(device);
	return tap_end();
}
