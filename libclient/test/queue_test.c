// SPDX-License-Identifier: Apache-2.0
/*
 * queue_test DEVICE: queues, atomics and signals, on any kind of device. TAP. The device needs endpoints of 1 MiB or more in
 * partitions 0 and 1; the process must be able to map the memory of the first. Of the processes of a "ucx:" device the first
 * one tests.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpulink.h>
#include <tap.h>

#include "threads.h"

#define BOTH   (GPULINK_READ | GPULINK_WRITE)
#define SECOND UINT64_C(1000000000)
#define NONE   GPULINK_NO_TAG

enum { BYTES = 1 << 20, THREADS = 3, SHARE = 1 << 16, COUNTER = 1 << 19 };

static struct gpulink *device;
static struct gpulink_window *windows[2]; /* of partitions 0 and 1 */
static struct gpulink_memory *memory;
static uint64_t host[8192];
static volatile uint64_t *endpoints[2]; /* their memory; NULL: not mapped */
static struct gpulink_queue *queue, *other;
static bool processor_shares; /* the card's atomics are not atomic against those of the processor */
static unsigned rounds = 400;

static long loaded(struct gpulink_queue *q, uint64_t offset)
{
	uint64_t value = 0;
	int error = gpulink_queue_load(q, windows[0], offset, &value, sizeof(value));

	return error ? error : (long)value;
}

/* A word of an endpoint behind a release: what everybody sees, here by direct access or by a queue. */
static uint64_t visible(struct gpulink_queue *q, unsigned endpoint, uint64_t word)
{
	uint64_t value = 0;

	if (endpoints[endpoint])
		return endpoints[endpoint][word];
	return gpulink_queue_load(q, windows[endpoint], 8 * word, &value, sizeof(value)) ? UINT64_MAX : value;
}

/* Zeros, by the default queue. */
static int clear(unsigned endpoint, uint64_t offset, uint64_t bytes)
{
	static const uint8_t zeros[4096];
	int error = 0;

	for (uint64_t at = 0; at < bytes && !error; at += sizeof(zeros))
		error = gpulink_store(windows[endpoint], offset + at, zeros, sizeof(zeros));
	return error ? error : gpulink_release(device, 10 * SECOND);
}

/* The tag of the only completion of a queue, or an error. */
static long next_tag(struct gpulink_queue *q)
{
	struct gpulink_completion done[2];
	int got = gpulink_queue_wait(q, done, 2, 1, 10 * SECOND);

	return got == 1 ? done[0].error ? done[0].error : (long)done[0].tag : got ? got : -1;
}

/* --- one thread --- */

static void test_operations(void)
{
	const struct gpulink_vector vector[2] = { { 64, "abcdefgh", 8 }, { 80, "ijklmnop", 8 } };
	struct gpulink_completion done[4];
	uint64_t value = 11;

	is(gpulink_queue_wait(queue, done, 4, 4, 60 * SECOND), 0, "a wait with nothing in flight returns at once");
	is(gpulink_queue_put(queue, windows[0], 0, &value, 8, 100), 0, "a put");
	is(gpulink_put(windows[0], 8, &value, 8, 200), 0, "a put of the default queue");
	is(next_tag(queue), 100, "each queue has its own completions");
	is(next_tag(gpulink_default_queue(device)), 200, "the default queue, too");
	is(gpulink_queue_put_vector(queue, windows[0], vector, 2, NONE), 0, "a put vector");
	host[0] = 12;
	is(gpulink_queue_put_memory(queue, windows[0], 16, memory, 0, 8, NONE), 0, "a put of memory");
	is(gpulink_queue_fetch_add(queue, windows[0], 16, 8, 3, memory, 8, NONE), 0, "an atomic");
	is(gpulink_queue_compare_swap(queue, windows[0], 16, 8, 15, 21, NULL, 0, NONE), 0, "another");
	is(gpulink_queue_swap(queue, windows[0], 24, 8, 5, NULL, 0, NONE), 0, "another");
	is(gpulink_queue_get(queue, windows[0], 16, memory, 16, 8, 101), 0, "a get");
	is(next_tag(queue), 101, "which completes");
	is((long)host[1], 12, "the atomic has the old value");
	is((long)host[2], 21, "the get has the new one");
	is(gpulink_queue_release(queue, 10 * SECOND), 0, "a release");
	is(memcmp((const void *)(uintptr_t)(endpoints[0] + 8), "abcdefgh", 8), 0, "the vector has arrived");
	is((long)endpoints[0][3], 5, "and the swap");
	is(gpulink_queue_put(queue, windows[0], BYTES - 4, &value, 8, 1), -GPULINK_ERANGE, "out of range");
	is(gpulink_queue_put(NULL, windows[0], 0, &value, 8, 1), -GPULINK_EINVAL, "no queue");
	is(gpulink_queue_put(queue, NULL, 0, &value, 8, 1), -GPULINK_EINVAL, "no window");
}

/* --- atomics --- */

enum { WORD = 8192, ADDITIONS = 50 }; /* an offset, and how often a thread adds in a round */

struct operation {
	int (*of)(uint64_t offset, size_t bytes, uint64_t operand);
	uint64_t before, operand, after;
	const char *name;
};

static int add(uint64_t offset, size_t bytes, uint64_t operand)
{
	return gpulink_queue_fetch_add(queue, windows[0], offset, bytes, operand, memory, 64, NONE);
}

static int swap(uint64_t offset, size_t bytes, uint64_t operand)
{
	return gpulink_queue_swap(queue, windows[0], offset, bytes, operand, memory, 64, NONE);
}

/* Compares with 5. */
static int compare_swap(uint64_t offset, size_t bytes, uint64_t operand)
{
	return gpulink_queue_compare_swap(queue, windows[0], offset, bytes, 5, operand, memory, 64, NONE);
}

/* The operation on a word that the queue has just stored; its result, and the word and its neighbours behind a release. */
static bool executes(const struct operation *o, size_t bytes)
{
	uint64_t words[3] = { 0x1111111111111111, 0x2222222222222222, 0x3333333333333333 }, seen[3] = { 0 };
	uint8_t *word = (uint8_t *)&words[1] + bytes % 8; /* of 4 bytes the second half */
	bool well;

	memcpy(word, &o->before, bytes);
	host[8] = host[9] = UINT64_MAX;
	well = !gpulink_queue_store(queue, windows[0], WORD, words, sizeof(words)) &&
	       !o->of(WORD + 8 + bytes % 8, bytes, o->operand) && !gpulink_queue_release(queue, 10 * SECOND);
	memcpy(word, &o->after, bytes);
	for (unsigned i = 0; i < 3; i++)
		seen[i] = endpoints[0][WORD / 8 + i];
	return well && !memcmp(seen, words, sizeof(words)) && !memcmp(&host[8], &o->before, bytes) && host[9] == UINT64_MAX &&
	       !memcmp((uint8_t *)&host[8] + bytes, (uint8_t *)&host[9] + bytes, 8 - bytes);
}

static void test_atomic_operations(void)
{
	static const struct operation operations[] = {
		{ add, 7, 4, 11, "an addition" },		 { add, UINT64_MAX, 2, 1, "one that wraps" },
		{ swap, 7, 4, 4, "a swap" },			 { compare_swap, 5, 9, 9, "a comparison that is true" },
		{ compare_swap, 6, 9, 6, "one that is false" },
	};

	for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		is(executes(&operations[i], 4) && executes(&operations[i], 8), 1, operations[i].name);
	is(add(WORD + 4, 8, 1), -GPULINK_EINVAL, "not across words");
	is(add(WORD, 2, 1), -GPULINK_EINVAL, "nor of 2 bytes");
	is(add(WORD, 4, UINT64_C(1) << 32), -GPULINK_EINVAL, "nor of more than the word has");
}

/* An atomic comes behind the queue's earlier stores to its word, and before the later ones; before direct ones only when it is
 * complete. */
static void test_atomic_order(void)
{
	bool direct = gpulink_window_address(windows[0]) != NULL;
	uint64_t wrong = 0;

	for (uint64_t i = 1; i <= rounds; i++) {
		uint64_t first = 1000 * i, last = first + 500;

		wrong += gpulink_queue_store(queue, windows[0], WORD, &first, 8) || add(WORD, 8, i) ||
			 (i % 2 && !direct ? gpulink_queue_store(queue, windows[0], WORD, &last, 8) :
				  gpulink_queue_put(queue, windows[0], WORD, &last, 8, NONE)) ||
			 add(WORD, 8, 1) || gpulink_queue_release(queue, 10 * SECOND);
		wrong += host[8] != last || endpoints[0][WORD / 8] != last + 1;
	}
	is((long)wrong, 0, "atomics are in order with the queue's stores to the word");
}

static atomic_uint adding; /* queues that still add */

static void *add_by_queue(void *unused)
{
	struct gpulink_queue *q;
	int error = gpulink_queue_open(device, &q);

	(void)unused;
	for (unsigned i = 0; i < ADDITIONS * rounds && !error; i++)
		error = gpulink_queue_fetch_add(q, windows[0], WORD, 8, 1, NULL, 0, NONE);
	if (!error)
		error = gpulink_queue_release(q, 10 * SECOND);
	gpulink_queue_close(q);
	atomic_fetch_sub(&adding, 1);
	return (void *)(intptr_t)error;
}

/* Queues add to a word, and the processor too: no addition is lost. */
static void test_atomic_word(void)
{
	uint64_t *word = (uint64_t *)(uintptr_t)(endpoints[0] + WORD / 8), own = 0;
	pthread_t threads[THREADS];
	int error = clear(0, WORD, 4096);
	void *failed;

	atomic_store(&adding, THREADS);
	for (unsigned t = 0; t < THREADS && !error; t++)
		error = pthread_create(&threads[t], NULL, add_by_queue, NULL);
	for (; processor_shares && !error && atomic_load(&adding); own++)
		__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	for (unsigned t = 0; t < THREADS && !error; t++)
		error = pthread_join(threads[t], &failed) ? -1 : (int)(intptr_t)failed;
	is(error, 0, processor_shares ? "queues and the processor add to a word" : "queues add to a word");
	is((long)(*word - own), (long)THREADS * ADDITIONS * rounds, "no addition is lost");
}

static void test_releases(void)
{
	struct gpulink_completion done;
	uint64_t value = 31;
	void *address = NULL;

	is(gpulink_queue_store(queue, windows[0], 1024, &value, 8), 0, "a store to one endpoint");
	is(gpulink_queue_put(other, windows[1], 1024, &value, 8, NONE), 0, "a put of another queue to another endpoint");
	is(gpulink_queue_release(other, 10 * SECOND), 0, "that queue releases");
	is((long)visible(queue, 1, 128), 31, "its put has arrived");
	is((long)endpoints[0][128], 0, "the other one has not");
	is(gpulink_queue_post_release(queue, 55), 0, "a release without waiting");
	is(next_tag(queue), 55, "which completes with its tag");
	is((long)endpoints[0][128], 31, "the put has arrived");
	value++;
	is(gpulink_queue_store(queue, windows[0], 1032, &value, 8), 0, "a store");
	is(loaded(queue, 1032), 32, "a load returns it");
	value++;
	is(gpulink_queue_store(queue, windows[0], 1040, &value, 8), 0, "another store");
	is(gpulink_queue_release(queue, 10 * SECOND), 0, "a release");
	is((long)endpoints[0][130], 33, "the store has arrived");
	if (gpulink_window_address(windows[0])) {
		is(gpulink_queue_window_address(queue, windows[0], &address), 0, "the queue has a mapping");
		is(address == gpulink_window_address(windows[0]), 0, "of its own");
		((volatile uint64_t *)address)[131] = 34;
		is(gpulink_queue_release(queue, 10 * SECOND), 0, "a release");
		is((long)endpoints[0][131], 34, "a direct store has arrived");
	} else {
		is(gpulink_queue_window_address(queue, windows[0], &address), -GPULINK_ENOTSUP, "there is no mapping");
	}
	is(gpulink_queue_wait(queue, &done, 1, 0, 0), 0, "no completion is left");
}

/* Readable: 1, with its state otherwise. */
static long polled(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int got = poll(&p, 1, timeout_ms);

	return got == 1 && p.revents != POLLIN ? 1000 + p.revents : got;
}

static void test_descriptor(void)
{
	int fd = gpulink_queue_descriptor(queue);
	struct gpulink_completion done;
	uint64_t value = 1;
	unsigned late = 0;

	is(fd >= 0, 1, "a descriptor");
	is(gpulink_queue_descriptor(queue), fd, "always the same one");
	is(gpulink_queue_descriptor(gpulink_default_queue(device)), -GPULINK_ENOTSUP, "the default queue has none");
	is(polled(fd, 50), 0, "it is not readable");
	for (unsigned i = 0; i < 100; i++) { /* more than are taken before the card is told */
		gpulink_queue_put(queue, windows[0], 2048, &value, 8, i);
		late += polled(fd, 10000) != 1 || next_tag(queue) != i;
	}
	is(late, 0, "it is when a put completes");
	is(polled(fd, 50), 0, "and not when its completion is taken");
	is(gpulink_queue_post_release(queue, 9), 0, "a release");
	is(polled(fd, 10000), 1, "it is when a release completes");
	is(gpulink_queue_wait(queue, &done, 1, 1, 10 * SECOND), 1, "whose completion");
	is(gpulink_queue_wait(queue, &done, 1, 0, 0), 0, "is the last one");
	is(polled(fd, 50), 0, "again not");
}

static void test_limits(void)
{
	struct gpulink_queue *many[40] = { NULL };
	struct gpulink_window *window;
	unsigned count = 0;
	int error = 0;

	for (; count < 40 && !error; count += !error)
		error = gpulink_queue_open(device, &many[count]);
	is(error, -GPULINK_ENOSPC, "queues are limited");
	is(count >= 2, 1, "to no fewer than four");
	is(gpulink_queue_put(many[count - 1], windows[1], 4096, "x", 1, 77), 0, "the last one puts");
	is(next_tag(many[count - 1]), 77, "and completes");
	while (count)
		gpulink_queue_close(many[--count]);
	is(gpulink_queue_open(device, &many[0]), 0, "after closing them another one opens");
	is(gpulink_window_open(device, 1, 0, 4096, BOTH, &window), 0, "a window");
	is(gpulink_queue_put(many[0], window, 0, "x", 1, 78), 0, "that it uses");
	gpulink_window_close(window); /* with an operation in flight: it has been drained */
	is(gpulink_queue_wait(many[0], &(struct gpulink_completion){ 0 }, 1, 1, 10 * SECOND), 1, "closes before the queue");
	gpulink_queue_close(many[0]);
	gpulink_queue_close(NULL);
}

/* --- signals --- */

static void test_compare(void)
{
	static const struct {
		enum gpulink_compare compare;
		bool less, equal, greater; /* whether 4, 5 and 6 compare so with 5 */
	} cases[] = {
		{ GPULINK_COMPARE_EQ, false, true, false }, { GPULINK_COMPARE_NE, true, false, true },
		{ GPULINK_COMPARE_GT, false, false, true }, { GPULINK_COMPARE_GE, false, true, true },
		{ GPULINK_COMPARE_LT, true, false, false }, { GPULINK_COMPARE_LE, true, true, false },
	};
	uint64_t word, seen = 0;
	double start = seconds_now();
	unsigned wrong = 0;

	for (unsigned i = 0; i < 6; i++)
		for (word = 4; word <= 6; word++)
			wrong += (gpulink_wait_until(&word, cases[i].compare, 5, 0, &seen) == 0) !=
					 (word < 5 ? cases[i].less : word == 5 ? cases[i].equal : cases[i].greater) ||
				 seen != word;
	is(wrong, 0, "comparisons");
	word = UINT64_MAX;
	is(gpulink_wait_until(&word, GPULINK_COMPARE_GT, 5, 0, NULL), 0, "are unsigned");
	is(gpulink_wait_until(&word, GPULINK_COMPARE_EQ, 5, SECOND / 10, NULL), -GPULINK_ETIMEDOUT, "a wait times out");
	is(seconds_now() - start >= 0.1, 1, "after its time");
	is(gpulink_wait_until((char *)&word + 4, GPULINK_COMPARE_EQ, 5, 0, NULL), -GPULINK_EINVAL, "a wrong address");
	is(gpulink_wait_until(&word, (enum gpulink_compare)6, 5, 0, NULL), -GPULINK_EINVAL, "a wrong comparison");
}

static _Atomic uint64_t received;

/* Waits for each signal, and then checks the data, which were put before. */
static void *receive(void *unused)
{
	volatile uint64_t *word = endpoints[0] + 512;
	uint64_t taken = 0;
	long wrong = 0;

	(void)unused;
	while (taken < rounds && !wrong) {
		if (gpulink_wait_until((const volatile void *)word, GPULINK_COMPARE_GT, taken, 60 * SECOND, &taken)) {
			wrong = 1000000;
			break;
		}
		for (unsigned i = 0; i < 512; i++)
			wrong += visible(other, 1, 4096 + i) != taken;
		atomic_store(&received, taken);
	}
	return (void *)wrong;
}

static void test_signals(void)
{
	struct gpulink_signal signal = { windows[0], 4096, 1, GPULINK_SIGNAL_ADD };
	pthread_t receiver;
	void *wrong;
	int error;
	long tag = 0;

	endpoints[0][512] = 0;
	error = pthread_create(&receiver, NULL, receive, NULL);
	for (uint64_t round = 1; round <= rounds && !error && tag >= 0; round++) {
		for (unsigned i = 0; i < 512; i++)
			host[1024 + i] = round;
		error = gpulink_wait_until(&received, GPULINK_COMPARE_EQ, round - 1, 60 * SECOND, NULL);
		if (!error)
			error = gpulink_queue_put_signal(queue, windows[1], 32768, memory, 8192, 4096, &signal, round);
		tag = error ? error : next_tag(queue);
	}
	is(error, 0, "puts with a signal");
	is(tag, (long)rounds, "complete");
	pthread_join(receiver, &wrong);
	is((long)wrong, 0, "who sees the signal sees the data");
	signal.operation = GPULINK_SIGNAL_SET;
	signal.value = 1234567890123456789u;
	is(gpulink_queue_signal(queue, &signal, NONE), 0, "a signal sets its word");
	is(gpulink_wait_until((const volatile void *)(endpoints[0] + 512), GPULINK_COMPARE_EQ, signal.value, 10 * SECOND, NULL),
	   0, "without a release behind it");
	is(gpulink_queue_release(queue, 10 * SECOND), 0, "a release");
	signal.offset = 4;
	is(gpulink_queue_signal(queue, &signal, 1), -GPULINK_EINVAL, "a signal at a wrong offset");
	signal.offset = BYTES;
	is(gpulink_queue_signal(queue, &signal, 1), -GPULINK_ERANGE, "beyond the window");
	signal = (struct gpulink_signal){ windows[0], 0, 0, (enum gpulink_signal_operation)2 };
	is(gpulink_queue_signal(queue, &signal, 1), -GPULINK_EINVAL, "of an unknown kind");
	is(gpulink_queue_signal(queue, NULL, 1), -GPULINK_EINVAL, "none");
}

/* --- threads --- */

struct worker {
	pthread_t thread;
	unsigned number;
	long wrong;
	uint64_t added;
	uint64_t mirror[SHARE / 8];
};

/* Takes what is there; every tag must be the worker's, and come in order. */
static void take(struct worker *w, struct gpulink_queue *q, uint64_t *next, unsigned least)
{
	struct gpulink_completion done[64];
	int got = gpulink_queue_wait(q, done, 64, least, 20 * SECOND);

	w->wrong += got < 0;
	for (int i = 0; i < got; i++)
		w->wrong += done[i].error || done[i].tag != ((uint64_t)w->number << 32 | (*next)++);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct gpulink_window *window = windows[w->number % 2];
	uint64_t submitted = 0, taken = 0, base = (uint64_t)(w->number + 1) * SHARE, random = w->number;
	struct gpulink_queue *q;

	if (gpulink_queue_open(device, &q)) {
		w->wrong = -1;
		return NULL;
	}
	for (unsigned n = 0; n < 10 * rounds && !w->wrong; n++) {
		uint64_t tag = (uint64_t)w->number << 32 | submitted, at, value;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		at = (random >> 33) % (SHARE / 8);
		value = random | 1;
		if (n % 3 == 0) {
			w->wrong += gpulink_queue_fetch_add(q, windows[0], COUNTER, 8, n, NULL, 0, tag) != 0;
			w->added += n;
			submitted++;
		} else if (n % 3 == 1) {
			w->wrong += gpulink_queue_put(q, window, base + at * 8, &value, 8, tag) != 0;
			w->mirror[at] = value;
			submitted++;
		} else {
			w->wrong += gpulink_queue_store(q, window, base + at * 8, &value, 8) != 0;
			w->wrong += gpulink_queue_load(q, window, base + at * 8, &random, 8) != 0;
			w->wrong += random != value;
			w->mirror[at] = value;
		}
		if (n % 16 == 0)
			take(w, q, &taken, 0);
		if (n % 100 == 0)
			w->wrong += gpulink_queue_release(q, 20 * SECOND) != 0;
	}
	while (taken < submitted && !w->wrong)
		take(w, q, &taken, 1);
	w->wrong += gpulink_queue_release(q, 20 * SECOND) != 0;
	gpulink_queue_close(q);
	return NULL;
}

static void test_threads(void)
{
	static struct worker workers[THREADS];
	uint64_t sum = 0;
	long wrong = 0;

	wrong += clear(0, COUNTER, 4096);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].number = i;
		wrong += clear(i % 2, (i + 1) * SHARE, SHARE);
		wrong += pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		wrong += workers[i].wrong;
		sum += workers[i].added;
	}
	is(wrong, 0, "threads with queues of their own");
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < SHARE / 8; k++)
			wrong += visible(queue, i % 2, (i + 1) * SHARE / 8 + k) != workers[i].mirror[k];
	is(wrong, 0, "their stores have arrived");
	is(endpoints[0][COUNTER / 8] == sum, 1, "and the sum of their atomics");
}

/* --- fork() --- */

static int child(void)
{
	struct gpulink_signal signal = { windows[0], 4096, 1, GPULINK_SIGNAL_ADD };
	struct gpulink_completion done;
	struct gpulink_queue *q;
	uint64_t value = 666;
	void *address;
	const int results[] = {
		gpulink_queue_open(device, &q),
		gpulink_queue_window_address(queue, windows[0], &address),
		gpulink_queue_store(queue, windows[0], 0, &value, 8),
		gpulink_queue_load(queue, windows[0], 0, &value, 8),
		gpulink_queue_put(queue, windows[0], 0, &value, 8, 1),
		gpulink_queue_get(queue, windows[0], 0, memory, 0, 8, 1),
		gpulink_queue_wait(queue, &done, 1, 0, 0),
		gpulink_queue_release(queue, SECOND),
		gpulink_queue_post_release(queue, 1),
		gpulink_queue_descriptor(queue),
		gpulink_queue_signal(queue, &signal, 1),
	};

	for (unsigned i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i] != -GPULINK_EFORK)
			return (int)i + 1;
	if (gpulink_default_queue(device))
		return 100;
	gpulink_queue_close(queue);
	gpulink_close(device);
	return 0;
}

/* --- counters while a thread stores --- */

static atomic_bool enough;

static void *store_on(void *argument)
{
	static const uint8_t data[600];
	const size_t *bytes = argument;
	uint64_t place = 0;

	do {
		for (unsigned i = 0; i < 500; i++, place++)
			gpulink_queue_store(queue, windows[0], COUNTER + 8 * (place % 8192), data, *bytes);
		gpulink_queue_release(queue, 10 * SECOND);
	} while (!enough);
	return NULL;
}

/*
 * Whole and monotonic: in each snapshot all stores have their size, and nothing is less than before. A card counts accesses of
 * the CPU, which are smaller, or merged.
 */
static void test_counters(size_t size)
{
	struct gpulink_counters seen, before;
	unsigned looks = 0, torn = 0, backwards = 0, moved = 0;
	uint64_t bytes, stores;
	struct gpulink_info info;
	pthread_t thread;

	gpulink_get_info(device, &info, sizeof(info));
	gpulink_get_counters(device, 0, &before, sizeof(before));
	bytes = before.store_bytes;
	stores = before.stores;
	enough = false;
	is(pthread_create(&thread, NULL, store_on, &size), 0, "a thread stores");
	for (; looks < 50 * rounds || (!moved && looks < 100000 * rounds); looks++) {
		if (gpulink_get_counters(device, 0, &seen, sizeof(seen)))
			break;
		torn += strcmp(info.kind, "card") && seen.store_bytes - bytes != size * (seen.stores - stores);
		for (unsigned c = 0; c < sizeof(seen) / sizeof(uint64_t); c++)
			backwards += ((const uint64_t *)&seen)[c] < ((const uint64_t *)&before)[c];
		moved += seen.stores != before.stores;
		before = seen;
	}
	enough = true;
	pthread_join(thread, NULL);
	printf("# %u looks, stores of %zu bytes\n", looks, size);
	is(torn, 0, "no snapshot has part of a store");
	is(backwards, 0, "no counter goes backwards");
	is(moved > 0, 1, "the counters move meanwhile");
}

static void test_fork(void)
{
	uint64_t value = 41;
	int status = -1;
	pid_t pid;

	is(gpulink_queue_put(queue, windows[0], 256, &value, 8, 8), 0, "a put before fork()");
	pid = fork();
	if (pid == 0)
		_exit(child());
	is(pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1, 0, "in a child every call returns EFORK");
	is(next_tag(queue), 8, "the parent's put completes");
	is(gpulink_queue_release(queue, 10 * SECOND), 0, "it releases");
	is((long)endpoints[0][32], 41, "the put has arrived");
}

static bool open_all(void)
{
	bool good = true;
	int error;

	for (unsigned p = 0; p < 2 && good; p++) {
		void *at;
		size_t bytes;

		good = !gpulink_window_open(device, p, 0, BYTES, BOTH, &windows[p]);
		error = gpulink_endpoint_memory(device, p, &at, &bytes);
		if (!error)
			endpoints[p] = at;
		good = good && (!error || (p && error == -GPULINK_ENOTSUP)) && !clear(p, 0, 8192);
	}
	return good && !gpulink_memory_register(device, host, sizeof(host), BOTH, &memory) &&
	       !gpulink_queue_open(device, &queue) && !gpulink_queue_open(device, &other);
}

/* The other process of a "ucx:" device gives its memory until the first one has tested. */
static int give_memory(unsigned process)
{
	void *at;
	size_t bytes;
	int error = gpulink_endpoint_memory(device, process, &at, &bytes);

	return error ? error : gpulink_wait_until((uint64_t *)at + BYTES / 8 - 1, GPULINK_COMPARE_EQ, 1, 1000 * SECOND, NULL);
}

int main(int argc, char **argv)
{
	struct gpulink_info info = { .process = 0 };

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: %s DEVICE [ROUNDS]\n", argv[0]);
		return 2;
	}
	if (argc == 3)
		rounds = (unsigned)strtoul(argv[2], NULL, 10);
	is(gpulink_open(argv[1], &device), 0, "the device opens");
	gpulink_get_info(device, &info, sizeof(info));
	processor_shares = strcmp(info.kind, "card");
	if (info.process)
		is(give_memory(info.process), 0, "the first process tests");
	else
		is(open_all(), 1, "windows, memory and two queues open");
	if (!tap_bad && !info.process) {
		test_operations();
		test_atomic_operations();
		test_atomic_order();
		test_atomic_word();
		test_releases();
		test_compare();
		test_signals();
		test_threads();
		test_descriptor();
		test_counters(8);
		test_counters(600); /* in several packets */
		test_fork();
		test_limits();
	}
	if (info.processes > 1 && !info.process)
		is(gpulink_fetch_add(windows[1], BYTES - 8, 8, 1, NULL, 0, NONE), 0, "the other process may leave");
	gpulink_close(device); /* with queues, windows and memories */
	return tap_end();
}
