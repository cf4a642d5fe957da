// SPDX-License-Identifier: Apache-2.0
/* "local:" devices: processes that share endpoints by a name. TAP. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local_end.h"

enum { PROCESSES = 4, ROUNDS = 2000, STORES = 640000 };

static void test_names(void)
{
	struct gpulink *first, *second;
	char other[128];

	is(gpulink_open("local:", &first), -GPULINK_EINVAL, "a name is needed");
	is(gpulink_open("local:a/b", &first), -GPULINK_EINVAL, "of letters");
	is(gpulink_open("local:x,memory=1M,timeout=5", &first), -GPULINK_EINVAL, "no timeouts");
	is(gpulink_open("local:x,memory=1M,subheader=4", &first), -GPULINK_EINVAL, "one width");
	is(gpulink_open("local:x,memory=1M,packing=1", &first), -GPULINK_EINVAL, "no packing");
	is(gpulink_open("local:x,memory=1M,compact=1", &first), -GPULINK_EINVAL, "one form of packets");
	is(gpulink_open(name, &first), 0, "opened");
	snprintf(other, sizeof(other), "%s,endpoints=2", name);
	is(gpulink_open(other, &second), -GPULINK_EINVAL, "not with other sizes");
	is(gpulink_open(name, &second), 0, "opened again");
	gpulink_close(first);
	gpulink_close(second);
	is(gpulink_open(other, &second), 0, "with other sizes when nobody has it");
	gpulink_close(second);
}

/* Opens, and tells who it is: 100 * processes + process, or an error. */
static long opened_as(const char *options)
{
	struct gpulink_info info;
	struct gpulink *device;
	char longer[128];
	int error;

	snprintf(longer, sizeof(longer), "local:job-%ld,memory=4k%s", (long)getpid(), options);
	error = gpulink_open(longer, &device);
	if (error)
		return error;
	gpulink_get_info(device, &info, sizeof(info));
	gpulink_close(device);
	return 100 * (long)info.processes + info.process;
}

static void test_launchers(void)
{
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE",
					     "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" };
	struct gpulink *device;

	is(opened_as(""), 100, "without a launcher a process is the only one");
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		setenv(sizes[i], "1", 1);
		is(opened_as(""), 100, sizes[i]);
		setenv(sizes[i], "2", 1);
		is(opened_as(""), -GPULINK_ENOTSUP, "more than 1: refused without rank and number");
		unsetenv(sizes[i]);
	}
	setenv("PMI_SIZE", "2", 1);
	is(opened_as(",rank=1,processes=2"), 201, "with both a process is told who it is");
	is(opened_as(",rank=0,processes=1"), 100, "also that it is the only one");
	unsetenv("PMI_SIZE");
	is(opened_as(",rank=15,processes=16"), 1615, "without a launcher, too");
	is(opened_as(",rank=1,processes=2,endpoints=1"), -GPULINK_EINVAL, "an endpoint for each is needed");
	is(opened_as(",rank=2,processes=2"), -GPULINK_EINVAL, "a rank too large");
	is(opened_as(",rank=16,processes=17"), -GPULINK_EINVAL, "too many processes");
	is(opened_as(",rank=0"), -GPULINK_EINVAL, "no number");
	is(opened_as(",processes=2"), -GPULINK_EINVAL, "no rank");
	is(gpulink_open("soft:rank=0,processes=1", &device), -GPULINK_EINVAL, "a soft device has no processes");
}

static void test_lanes(void)
{
	struct gpulink_counters counters;
	struct gpulink_lane lane;
	struct gpulink_window *readable;
	uint64_t value = 5, seen;
	struct end e, f;

	is(open_end(&e) && open_end(&f), true, "two ends");
	is(gpulink_lane_open(gpulink_default_queue(e.device), e.window, &lane), -GPULINK_EINVAL, "no lane of the default queue");
	gpulink_window_open(e.device, 0, 0, 4096, GPULINK_READ, &readable);
	is(gpulink_lane_open(e.queue, readable, &lane), -GPULINK_EACCES, "nor to what may not be written");
	is(gpulink_lane_store(&e.lane, 64, &value, 8), 0, "a store");
	is((long)word(&f, 64), 0, "is not there yet");
	is(gpulink_queue_load(e.queue, e.window, 64, &seen, 8), 0, "the queue loads it");
	is((long)seen, 5, "and sees it");
	value = 6;
	gpulink_lane_store(&e.lane, 64, &value, 8);
	value = 7;
	is(gpulink_queue_put(e.queue, e.window, 64, &value, 8, GPULINK_NO_TAG), 0, "a put behind a store");
	value = 8;
	gpulink_lane_store(&e.lane, 72, &value, 8);
	is(gpulink_queue_release(e.queue, SECOND), 0, "a release");
	is((long)word(&f, 64), 7, "in their order");
	is((long)word(&f, 72), 8, "all of them");
	gpulink_store(e.window, 80, &value, 8);
	is(gpulink_release(e.device, SECOND), 0, "of the default queue, too");
	is((long)word(&f, 80), 8, "by its own lane");
	gpulink_get_counters(e.device, 0, &counters, sizeof(counters));
	is((long)counters.stores, 5, "stores are counted");
	is((long)counters.flush_load_hit, 1, "and why packets left");
	is(counters.raw_wire_bytes == 5 * 32, true, "and what they would have cost");
	value = 9;
	gpulink_lane_store(&e.lane, 88, &value, 8);
	gpulink_close(e.device);
	is((long)word(&f, 88), 9, "closing applies the rest");
	gpulink_close(f.device);
}

/* --- large puts --- */

enum { LARGE = 1 << 18, PUT_AT = 4099, PUT_BYTES = 200003 };

static uint8_t large[LARGE] __attribute__((aligned(4096)));

/* What the counters say of a copy: full packets, and plain writes. */
static bool counts_copy(const struct gpulink_counters *before, const struct gpulink_counters *after, uint64_t bytes)
{
	uint64_t packets = after->packets - before->packets, payload = after->payload_bytes - before->payload_bytes;

	return after->store_bytes - before->store_bytes == bytes && after->endpoint_bytes - before->endpoint_bytes == bytes &&
	       after->stores - before->stores == (bytes + 4095) / 4096 && packets <= 2 * (bytes / 4096 + 1) &&
	       after->flush_drain - before->flush_drain == packets &&
	       payload == bytes + 5 * (after->sub_packets - before->sub_packets) &&
	       after->raw_wire_bytes - before->raw_wire_bytes >= bytes + 24 * (bytes / 4096);
}

/* They are copied, in order with the lane's stores, and nothing beside them is touched. */
static void test_large_puts(void)
{
	struct gpulink_vector vector[12];
	struct gpulink_counters before, after;
	struct gpulink_memory *memory;
	uint64_t value = 0x4711;
	struct end e;
	bool same;

	for (unsigned i = 0; i < LARGE; i++)
		large[i] = (uint8_t)(i * 2654435761u >> 24);
	is(open_end(&e) && !gpulink_memory_register(e.device, large, LARGE, BOTH, &memory), true, "a memory");
	gpulink_lane_store(&e.lane, PUT_AT + 5000, &value, 8); /* overwritten by the put */
	gpulink_queue_release(e.queue, SECOND);
	gpulink_get_counters(e.device, 0, &before, sizeof(before));
	is(gpulink_queue_put_memory(e.queue, e.window, PUT_AT, memory, 1, PUT_BYTES, 7), 0, "a large put");
	gpulink_get_counters(e.device, 0, &after, sizeof(after));
	gpulink_lane_store(&e.lane, PUT_AT + 6000, &value, 8); /* overwrites it */
	is(gpulink_queue_release(e.queue, SECOND), 0, "a release");
	memcpy(large + 1 + 6000, &value, 8);
	same = !memcmp(e.memory + PUT_AT, large + 1, PUT_BYTES);
	is(same && !e.memory[PUT_AT - 1] && !e.memory[PUT_AT + PUT_BYTES], true, "its bytes are there, and no others");
	is(counts_copy(&before, &after, PUT_BYTES), true, "it counts as full packets");
	for (unsigned i = 0; i < 12; i++)
		vector[i] = (struct gpulink_vector){ 500001 + 4096 * i, large + 4096 * i, 4096 };
	gpulink_get_counters(e.device, 0, &before, sizeof(before));
	is(gpulink_queue_put_vector(e.queue, e.window, vector, 12, GPULINK_NO_TAG), 0, "a large vector");
	gpulink_get_counters(e.device, 0, &after, sizeof(after));
	is(!memcmp(e.memory + 500001, large, 12 * 4096) && counts_copy(&before, &after, 12 * 4096), true, "does, too");
	gpulink_close(e.device);
}

/* --- why packets leave --- */

static struct gpulink *far_device;
static struct gpulink_queue *far_queue;
static struct gpulink_window *far_window;
static struct gpulink_lane far_lane;

static void load_it(void)
{
	uint64_t seen;

	gpulink_queue_load(far_queue, far_window, 0, &seen, 8);
}

static void get_it(void)
{
	static uint64_t seen[512] __attribute__((aligned(4096)));
	struct gpulink_memory *memory;

	gpulink_memory_register(far_device, seen, sizeof(seen), BOTH, &memory);
	gpulink_queue_get(far_queue, far_window, 0, memory, 0, 8, GPULINK_NO_TAG);
	gpulink_memory_unregister(memory);
}

static void release_it(void)
{
	gpulink_queue_release(far_queue, SECOND);
}

static void add_it(void)
{
	gpulink_queue_fetch_add(far_queue, far_window, 64, 8, 1, NULL, 0, GPULINK_NO_TAG);
}

static void put_it(void)
{
	uint64_t value = 1;

	gpulink_queue_put(far_queue, far_window, 64, &value, 8, GPULINK_NO_TAG);
}

static void store_a_gibibyte_away(void)
{
	uint64_t value = 1;

	gpulink_lane_store(&far_lane, UINT64_C(1) << 30, &value, 8);
}

/* 128 bytes hold 9 words at odd places, each with 5 bytes of sub-header. */
static void store_many(void)
{
	for (uint64_t i = 1; i <= 9; i++)
		gpulink_lane_store(&far_lane, 24 * i, &i, 8);
}

/* Each cause makes packets leave for its reason, and no other ones; behind it the first store is there. */
static void test_reasons(void)
{
	static const struct {
		const char *name;
		void (*cause)(void);
		size_t counter;
		uint64_t packets;
	} reasons[] = {
		{ "a store to another address window", store_a_gibibyte_away, offsetof(struct gpulink_counters, flush_window_miss), 1 },
		{ "a full packet", store_many, offsetof(struct gpulink_counters, flush_payload_full), 1 },
		{ "a release", release_it, offsetof(struct gpulink_counters, flush_release), 1 },
		{ "a load", load_it, offsetof(struct gpulink_counters, flush_load_hit), 1 },
		{ "a get", get_it, offsetof(struct gpulink_counters, flush_load_hit), 1 },
		{ "an atomic", add_it, offsetof(struct gpulink_counters, flush_atomic), 1 },
		{ "a put", put_it, offsetof(struct gpulink_counters, flush_drain), 2 }, /* and its own */
	};
	char far[96];
	void *memory;
	size_t size;

	snprintf(far, sizeof(far), "local:far-%ld,endpoints=1,memory=2G,payload=128", (long)getpid());
	is(!gpulink_open(far, &far_device) && !gpulink_window_open(far_device, 0, 0, UINT64_C(2) << 30, BOTH, &far_window) &&
	   !gpulink_queue_open(far_device, &far_queue) && !gpulink_lane_open(far_queue, far_window, &far_lane) &&
	   !gpulink_endpoint_memory(far_device, 0, &memory, &size), true, "an endpoint of two address windows");
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		struct gpulink_counters before, after;
		uint64_t value = 1000 + i;

		gpulink_queue_release(far_queue, SECOND);
		gpulink_get_counters(far_device, 0, &before, sizeof(before));
		gpulink_lane_store(&far_lane, 0, &value, 8);
		reasons[i].cause();
		gpulink_get_counters(far_device, 0, &after, sizeof(after));
		is(after.packets - before.packets == reasons[i].packets && *(volatile uint64_t *)memory == value &&
		   *(uint64_t *)(void *)((uint8_t *)&after + reasons[i].counter) -
		   *(uint64_t *)(void *)((uint8_t *)&before + reasons[i].counter) == reasons[i].packets, true, reasons[i].name);
	}
	gpulink_close(far_device);
}

/* Each process adds to a word by atomics, and passes its own word on: data, release, signal. */
static int work(unsigned process)
{
	struct end e;
	uint64_t seen = 0;

	if (!open_end(&e))
		return 1;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		uint64_t data[8] = { i, i, i, i, i, i, i, i }, from = (process + PROCESSES - 1) % PROCESSES * 256;

		gpulink_lane_store(&e.lane, 4096 + process * 256, data, sizeof(data));
		if (gpulink_queue_fetch_add(e.queue, e.window, 0, 8, 1, NULL, 0, GPULINK_NO_TAG) ||
		    gpulink_queue_release(e.queue, SECOND))
			return 2;
		gpulink_lane_store(&e.lane, 8192 + process * 256, &i, 8);
		if (gpulink_queue_release(e.queue, SECOND))
			return 3;
		if (gpulink_wait_until(e.memory + 8192 + from, GPULINK_COMPARE_GE, i, 20 * SECOND, &seen))
			return 4;
		for (unsigned w = 0; w < 8; w++)
			if (word(&e, 4096 + from + 8 * w) < i)
				return 5;
	}
	gpulink_close(e.device);
	return 0;
}

/* A window of part of an endpoint: no store gets out of it, whatever its width. */
static void test_window(void)
{
	const uint64_t bytes = 4096;
	uint8_t data[GPULINK_LANE_SMALL + 1] = { 0 };
	struct gpulink_window *window;
	struct gpulink_lane lane;
	unsigned wrong = 0;
	struct end e;

	is(open_end(&e) && !gpulink_window_open(e.device, 0, 8192, bytes, GPULINK_WRITE, &window) &&
	   !gpulink_lane_open(e.queue, window, &lane), true, "a window of part of an endpoint");
	for (size_t n = 1; n <= sizeof(data); n++)
		for (uint64_t at = bytes - 200; at < bytes + 8; at++)
			wrong += gpulink_lane_store(&lane, at, data, n) != (n > bytes || at > bytes - n ? -GPULINK_ERANGE : 0);
	is(wrong, 0, "no store gets out of it");
	gpulink_close(e.device);
}

static void test_processes(void)
{
	pid_t child[PROCESSES];
	bool well = true;
	struct end e;
	int status;

	is(open_end(&e), true, "an end that watches");
	fflush(stdout);
	for (unsigned p = 0; p < PROCESSES; p++) {
		child[p] = fork();
		if (child[p] == 0)
			_exit(work(p));
	}
	for (unsigned p = 0; p < PROCESSES; p++) {
		well &= waitpid(child[p], &status, 0) == child[p] && !status;
		if (status)
			printf("# process %u: status %#x\n", p, (unsigned)status);
	}
	is(well, true, "processes pass data on, behind releases");
	is((long)word(&e, 0), PROCESSES * ROUNDS, "no atomic is lost");
	gpulink_close(e.device);
}

/* Nothing but atomics, so that they meet. */
static void test_atomics(void)
{
	enum { ADDS = 200000 };
	pid_t child[PROCESSES];
	bool well = true;
	struct end e;
	int status;

	open_end(&e);
	fflush(stdout);
	for (unsigned p = 0; p < PROCESSES; p++) {
		child[p] = fork();
		if (child[p] == 0) {
			bool right = open_end(&e);

			for (unsigned i = 0; i < ADDS && right; i++)
				right = !gpulink_queue_fetch_add(e.queue, e.window, 8, 8, 1, NULL, 0, GPULINK_NO_TAG);
			_exit(!right || gpulink_queue_release(e.queue, SECOND));
		}
	}
	for (unsigned p = 0; p < PROCESSES; p++)
		well &= waitpid(child[p], &status, 0) == child[p] && !status;
	is(well, true, "processes add");
	is((long)word(&e, 8), PROCESSES * ADDS, "to one word");
	gpulink_close(e.device);
}

/* Threads share the default queue, and its lanes. */
static struct end shared;

static void *store_words(void *from)
{
	for (uint64_t i = 0; i < STORES; i++)
		if (gpulink_store(shared.window, (uint64_t)(uintptr_t)from + 8 * (i % 64), &i, 8))
			return from;
	return NULL;
}

static void test_threads(void)
{
	pthread_t thread[3];
	bool well = true;
	void *failed;

	open_end(&shared);
	for (uintptr_t t = 0; t < 3; t++)
		pthread_create(&thread[t], NULL, store_words, (void *)(4096 * (t + 1)));
	for (unsigned t = 0; t < 3; t++) {
		pthread_join(thread[t], &failed);
		well &= !failed;
	}
	is(well && !gpulink_release(shared.device, SECOND), true, "threads store by the default queue");
	for (unsigned t = 0; t < 3; t++)
		for (uint64_t w = 0; w < 64; w++)
			well &= word(&shared, 4096 * (t + 1) + 8 * w) == STORES - 64 + w;
	is(well, true, "and lose nothing");
	gpulink_close(shared.device);
}

int main(void)
{
	snprintf(name, sizeof(name), "local:test-%ld,memory=1M", (long)getpid());
	test_names();
	test_launchers();
	test_lanes();
	test_window();
	test_large_puts();
	test_reasons();
	test_processes();
	test_atomics();
	test_threads();
	return tap_end();
}
