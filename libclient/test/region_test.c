// SPDX-License-Identifier: Apache-2.0
/*
 * region_test DEVICE [ROUNDS [FAR PARTITION]]: regions (gpulink_region.h) by all agents, on any kind of device. TAP. The device
 * needs endpoints of 1 MiB or more in partitions 0 and 1, whose memory the process can map; or in PARTITION and the next one,
 * which are those of card FAR, over a link. SEED in the environment repeats the order of arrivals; BYTES, up to 320000, is what
 * the threads store in a round.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_region.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "threads.h"

#define SECOND UINT64_C(1000000000)
#define MINUTE (60 * SECOND) /* does not expire, however busy the machine is */
#define READ   GPULINK_READ
#define WRITE  GPULINK_WRITE

enum { WINDOW = 1 << 20, FLAGS = WINDOW - 4096, SOURCE = 320000, PLACE = 8192, THREADS = 4 };

static const char *const agent_names[] = { "best", "card", "polling", "caller", "inline" };
static struct gpulink *device, *far; /* far: where the endpoints are, the device itself or the other end of its link */
static unsigned lowest;		      /* partition */
static unsigned first_agent;	      /* that the device has */
static struct gpulink_window *windows[2]; /* of two partitions */
static struct gpulink_memory *memory;
static uint8_t source[SOURCE], data[SOURCE];
static uint8_t *endpoints[2];
static struct gpulink_region *region;
static struct chance chance;
static uint64_t seed;
static unsigned epochs = 20;
static uint32_t produced = SOURCE; /* bytes that threads store */

static struct gpulink_region_options options_of(unsigned agent, uint64_t chunk, uint64_t partition)
{
	return (struct gpulink_region_options){
		.size = sizeof(struct gpulink_region_options), .agent = agent, .chunk_bytes = chunk,
		.partition_bytes = partition,
	};
}

static struct gpulink_region_target target_of(unsigned partition, uint64_t offset)
{
	return (struct gpulink_region_target){ .window = windows[partition], .offset = offset };
}

/* A region of the first `bytes` of the source, with one target and signals. */
static int open_region(unsigned agent, size_t bytes, uint64_t chunk, uint64_t partition)
{
	const struct gpulink_region_options options = options_of(agent, chunk, partition);
	struct gpulink_region_target target = target_of(0, PLACE);

	target.flags = GPULINK_TARGET_SIGNAL;
	target.flags_offset = FLAGS;
	memset(endpoints[0] + FLAGS, 0, 4096);
	memset(endpoints[0], 0xee, PLACE + bytes + 64);
	return gpulink_region_open(device, memory, 0, bytes, &target, 1, &options, &region);
}

static struct gpulink_region_info info(void)
{
	struct gpulink_region_info i;

	if (gpulink_region_get_info(region, &i, sizeof(i)))
		memset(&i, 0xff, sizeof(i));
	return i;
}

static void fill(uint64_t of)
{
	struct chance c;

	chance_start(&c, seed, of);
	for (size_t i = 0; i < SOURCE; i++)
		data[i] = (uint8_t)(draw(&c) >> 40);
}

/* Writes a part of the source as a producer does. */
static bool produce(uint64_t begin, uint64_t end)
{
	return !gpulink_region_store(region, begin, data + begin, end - begin);
}

static long arrived(uint32_t chunk, uint64_t epoch)
{
	return gpulink_region_arrived((const volatile uint64_t *)(const void *)(endpoints[0] + FLAGS), chunk, epoch);
}

/* Waits for a signal; agents may need the thread's help. */
static long arrives(uint32_t chunk, uint64_t epoch)
{
	double end = seconds_now() + 60;

	while (!arrived(chunk, epoch) && seconds_now() < end) {
		gpulink_region_poll(region, 1);
		gpulink_region_test(region, GPULINK_LEVEL_SENT);
	}
	return arrived(chunk, epoch);
}

/* --- bad input --- */

static long refused(struct gpulink_region_target target, struct gpulink_region_options options)
{
	int error = gpulink_region_open(device, memory, 0, SOURCE, &target, 1, &options, &region);

	if (!error)
		gpulink_region_close(region);
	return error;
}

static void test_arguments(void)
{
	const struct gpulink_region_options good = options_of(GPULINK_AGENT_CALLER, 4096, 0);
	struct gpulink_region_target target = target_of(0, 0), many[9];
	struct gpulink_region_options options = good;
	struct {
		struct gpulink_region_options options;
		uint64_t tail;
	} longer = { good, 1 };
	struct gpulink_window *read_only = NULL;

	for (unsigned i = 0; i < 9; i++)
		many[i] = target;
	is(refused(target, good), 0, "a region opens");
	is(gpulink_region_open(device, memory, 0, SOURCE, many, 9, &good, &region), -GPULINK_EINVAL, "9 targets");
	is(gpulink_region_open(device, memory, 0, SOURCE, many, 0, &good, &region), -GPULINK_EINVAL, "no target");
	is(gpulink_region_open(device, memory, 0, SOURCE, many, 8, &good, &region), 0, "8 targets");
	gpulink_region_close(region);
	is(gpulink_region_open(device, memory, 0, 0, &target, 1, &good, &region), -GPULINK_EINVAL, "no bytes");
	is(gpulink_region_open(device, memory, 1, SOURCE, &target, 1, &good, &region), -GPULINK_ERANGE, "beyond the source");
	is(gpulink_region_open(device, NULL, 0, SOURCE, &target, 1, &good, &region), -GPULINK_EINVAL, "no source");
	is(gpulink_region_open(NULL, memory, 0, SOURCE, &target, 1, &good, &region), -GPULINK_EINVAL, "no device");
	options.size = 4;
	is(refused(target, options), -GPULINK_EINVAL, "options without their size");
	longer.options.size = sizeof(longer);
	is(gpulink_region_open(device, memory, 0, SOURCE, &target, 1, &longer.options, &region), -GPULINK_EINVAL,
	   "unknown options that are set");
	longer.tail = 0;
	is(gpulink_region_open(device, memory, 0, SOURCE, &target, 1, &longer.options, &region), 0, "and that are not");
	gpulink_region_close(region);
	options = good;
	options.agent = 5;
	is(refused(target, options), -GPULINK_EINVAL, "an unknown agent");
	options = good;
	options.flags = 4;
	is(refused(target, options), -GPULINK_EINVAL, "an unknown flag");
	is(refused(target, options_of(GPULINK_AGENT_CALLER, 2048, 0)), -GPULINK_EINVAL, "chunks of 2 KiB");
	is(refused(target, options_of(GPULINK_AGENT_CALLER, 32u << 20, 0)), -GPULINK_EINVAL, "chunks of 32 MiB");
	is(refused(target, options_of(GPULINK_AGENT_CALLER, 12288, 0)), -GPULINK_EINVAL, "chunks of no power of two");
	is(refused(target, options_of(GPULINK_AGENT_CALLER, 131072, 1)), -GPULINK_EINVAL, "65536 partitions at a chunk");
	options = options_of(GPULINK_AGENT_CALLER, 4096, 3000);
	options.partitions = SOURCE / 3000;
	is(refused(target, options), -GPULINK_EINVAL, "partitions that do not cover the region");
	options.partitions++;
	is(refused(target, options), 0, "partitions that do");
	is(refused(target_of(0, WINDOW - SOURCE + 1), good), -GPULINK_ERANGE, "a target beyond its window");
	is(refused(target_of(0, UINT64_MAX - 100), good), -GPULINK_ERANGE, "an offset that wraps");
	target.flags_offset = 8;
	is(refused(target, good), -GPULINK_EINVAL, "an offset of signals without them");
	target.flags = 2;
	is(refused(target, good), -GPULINK_EINVAL, "an unknown flag of a target");
	target.flags = GPULINK_TARGET_SIGNAL;
	target.flags_offset = 4;
	is(refused(target, good), -GPULINK_EINVAL, "signals that are not aligned");
	target.flags_offset = WINDOW - 8 * (SOURCE / 4096 + 1) + 8;
	is(refused(target, good), -GPULINK_ERANGE, "signals beyond the window");
	gpulink_window_open(device, lowest, 0, WINDOW, READ, &read_only);
	target = (struct gpulink_region_target){ .window = read_only };
	is(refused(target, good), -GPULINK_EACCES, "a window that is only readable");
	gpulink_window_close(read_only);
	target.window = NULL;
	is(refused(target, good), -GPULINK_EINVAL, "no window");
	is(gpulink_region_ready(NULL, 0), -GPULINK_EINVAL, "no region");
	is(gpulink_region_arrived(NULL, 0, 1), -GPULINK_EINVAL, "no words");
	gpulink_region_close(NULL);
}

/* --- order of calls --- */

/* Case 27: partitions of 3000 bytes, chunks of 4096: each chunk has two writers. */
static void test_calls(unsigned agent)
{
	const uint32_t list[] = { 3, 0 }, both[] = { 2, 2 };

	printf("# agent %s\n", agent_names[agent]);
	is(open_region(agent, 12000, 4096, 3000), 0, "4 partitions on 3 chunks");
	is(info().chunks == 3 && info().partitions == 4 && info().agent == agent && !info().epoch, 1, "its properties");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 0), 0, "nothing to wait for");
	is(gpulink_region_ready(region, 0), -GPULINK_EINVAL, "ready before start");
	is(gpulink_region_arrive(region, 0, 1), -GPULINK_EINVAL, "arrival before start");
	is(gpulink_region_flush(region), -GPULINK_EINVAL, "flush before start");
	is(gpulink_region_start(region), 0, "start");
	is(gpulink_region_start(region), -GPULINK_EBUSY, "start twice");
	fill(1);
	is(produce(0, 12000), 1, "stores");
	is(gpulink_region_ready(region, 4), -GPULINK_EINVAL, "no such partition");
	is(gpulink_region_ready(region, 1), 0, "partition 1");
	is(gpulink_region_ready(region, 1), -GPULINK_EINVAL, "ready twice");
	is(gpulink_region_ready_range(region, 2, 1), -GPULINK_EINVAL, "a range that ends before it begins");
	is(gpulink_region_ready_range(region, 2, 4), -GPULINK_EINVAL, "a range beyond the last");
	is(gpulink_region_ready_list(region, NULL, 1), -GPULINK_EINVAL, "no list");
	is(gpulink_region_ready_list(region, both, 2), -GPULINK_EINVAL, "a list with one twice");
	is(arrives(1, 1), 1, "chunk 1 goes when partitions 1 and 2 are ready");
	is(memcmp(endpoints[0] + PLACE + 4096, data + 4096, 4096), 0, "with its bytes");
	is(arrived(0, 1) + arrived(2, 1), 0, "the others wait");
	is(gpulink_region_test(region, GPULINK_LEVEL_SENT), 0, "the epoch is not sent");
	is(gpulink_region_wait(region, GPULINK_LEVEL_SENT, 2000000), -GPULINK_ETIMEDOUT, "nor within 2 ms");
	is(gpulink_region_wait(region, 2, 0), -GPULINK_EINVAL, "an unknown level");
	is(gpulink_region_arrive(region, 3, 1), -GPULINK_ERANGE, "no such chunk");
	is(gpulink_region_arrive(region, 0, 0), -GPULINK_ERANGE, "no arrival");
	is(gpulink_region_arrive(region, 0, 3), -GPULINK_ERANGE, "more than a chunk has");
	is(gpulink_region_ready_list(region, list, 2), 0, "a list");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "the epoch is visible");
	is(gpulink_region_test(region, GPULINK_LEVEL_VISIBLE), 1, "again");
	is(memcmp(endpoints[0] + PLACE, data, 12000), 0, "all bytes");
	is(endpoints[0][PLACE - 1] == 0xee && endpoints[0][PLACE + 12000] == 0xee, 1, "and none beside");
	is(info().sent == 1 && info().visible == 1 && !info().error && !info().failed_targets, 1, "the state");
	is(gpulink_region_ready(region, 2), -GPULINK_EINVAL, "ready between epochs");
	is(gpulink_region_start(region), 0, "the next epoch");
	is(gpulink_region_ready_range(region, 0, 3), 0, "all partitions");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "are visible");
	is(arrived(0, 2) + arrived(1, 2) + arrived(2, 2), 3, "with signals");
	is(arrived(0, 3), 0, "of this epoch");
	gpulink_region_close(region);
}

/* Arrivals of each chunk; case 8: a chunk of none is not sent. */
static void test_arrivals(unsigned agent)
{
	static const uint16_t given[3] = { 2, 0, 1 }, none[3];
	struct gpulink_region_options options = options_of(agent, 4096, 0);
	struct gpulink_region_target target = target_of(1, 0);

	options.arrivals = given;
	memset(endpoints[1], 0xee, 12288);
	fill(2);
	is(gpulink_region_open(device, memory, 0, 12288, &target, 1, &options, &region), 0, "arrivals 2, 0 and 1");
	is(gpulink_region_start(region), 0, "start");
	produce(0, 12288);
	is(gpulink_region_arrive(region, 0, 1), 0, "one of two");
	is(gpulink_region_arrive(region, 2, 1), 0, "one of one");
	is(gpulink_region_arrive(region, 1, 1), -GPULINK_ERANGE, "one of none");
	is(gpulink_region_test(region, GPULINK_LEVEL_SENT), 0, "one is missing");
	if (agent != GPULINK_AGENT_CARD)
		is(gpulink_region_arrive(region, 0, 2), -GPULINK_ERANGE, "two of one");
	else
		is(gpulink_region_arrive(region, 0, 2), 0, "two of one, which the card rejects");
	is(gpulink_region_arrive(region, 0, 1), 0, "the last");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "the epoch ends");
	is(info().rejected, agent == GPULINK_AGENT_CARD, "rejected arrivals");
	is(gpulink_release(device, MINUTE), agent == GPULINK_AGENT_CARD ? -GPULINK_EFAULT : 0, "which a release reports");
	is(memcmp(endpoints[1], data, 4096) || memcmp(endpoints[1] + 8192, data + 8192, 4096), 0, "both chunks");
	is(endpoints[1][4096] == (agent == GPULINK_AGENT_INLINE ? data[4096] : 0xee), 1, "not the other");
	gpulink_region_close(region);
	options.arrivals = none;
	is(gpulink_region_open(device, memory, 0, 12288, &target, 1, &options, &region), 0, "no arrivals at all");
	is(gpulink_region_start(region), 0, "start");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "is the end of the epoch, too");
	gpulink_region_close(region);
}

/* Cases 10 and 11. */
static void test_flush(unsigned agent)
{
	is(open_region(agent, 8192, 4096, 2048), 0, "a region to be flushed");
	gpulink_region_start(region);
	fill(3);
	produce(0, 2048);
	gpulink_region_ready(region, 0);
	is(gpulink_region_flush(region), 0, "flush");
	is(gpulink_release(device, MINUTE), 0, "release");
	is(memcmp(endpoints[0] + PLACE, data, 2048), 0, "half of a chunk is visible");
	is(arrived(0, 1), 0, "without a signal");
	memset(endpoints[0] + PLACE, 0xee, 64);
	is(gpulink_region_flush(region), 0, "a second flush");
	is(gpulink_release(device, MINUTE), 0, "release");
	is(endpoints[0][PLACE], 0xee, "sends nothing");
	produce(0, 8192);
	is(gpulink_region_ready_range(region, 1, 3), 0, "the others");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "are visible");
	is(memcmp(endpoints[0] + PLACE, data, 8192), 0, "the chunk went again, whole");
	gpulink_region_close(region);
}

/* A release sends what has arrivals, with agent CARD. */
static void test_release(bool flushes)
{
	struct gpulink_region_options options = options_of(GPULINK_AGENT_CARD, 4096, 2048);
	struct gpulink_region_target target = target_of(1, 0);

	options.flags = flushes ? 0 : GPULINK_REGION_NO_FLUSH;
	memset(endpoints[1], 0xee, 4096);
	fill(4);
	is(gpulink_region_open(device, memory, 0, 4096, &target, 1, &options, &region), 0, "a region and releases");
	gpulink_region_start(region);
	produce(0, 4096);
	gpulink_region_ready(region, 1);
	is(gpulink_release(device, MINUTE), 0, "release");
	is(!memcmp(endpoints[1] + 2048, data + 2048, 64), flushes, flushes ? "sends half of a chunk" : "sends nothing");
	gpulink_region_close(region);
}

/* --- several producers --- */

/* Case 28: two owners of one target, whose shares meet in a chunk; each has a region of its own share. */
static void test_owners(unsigned agent)
{
	const struct gpulink_region_options options = options_of(agent, 4096, 0);
	struct gpulink_region *owners[2];
	bool right = true;

	for (unsigned order = 0; order < 2; order++) {
		fill(5 + order);
		memset(endpoints[1], 0xee, 16384);
		for (unsigned o = 0; o < 2; o++) {
			struct gpulink_region_target target = target_of(1, o * 5000);

			right &= !gpulink_region_open(device, memory, o * 5000, 5000, &target, 1, &options, &owners[o]) &&
				 !gpulink_region_start(owners[o]);
		}
		for (unsigned i = 0; i < 2 && right; i++) {
			unsigned o = i ^ order;

			right &= !gpulink_region_store(owners[o], 0, data + o * 5000, 5000) &&
				 !gpulink_region_ready_range(owners[o], 0, 1) &&
				 !gpulink_region_wait(owners[o], GPULINK_LEVEL_VISIBLE, MINUTE);
		}
		for (unsigned o = 0; o < 2; o++)
			gpulink_region_close(owners[o]);
		right &= !memcmp(endpoints[1], data, 10000) && endpoints[1][10000] == 0xee;
	}
	is(right, 1, "two owners of neighbouring bytes, in both orders");
}

struct producer {
	pthread_t thread;
	const uint32_t *order;
	uint32_t count, chunk_partition; /* bytes */
	bool bad;
};

static void *producing(void *argument)
{
	struct producer *p = argument;

	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t begin = (uint64_t)p->order[i] * p->chunk_partition, end = begin + p->chunk_partition;

		p->bad |= !produce(begin, end < produced ? end : produced) || gpulink_region_ready(region, p->order[i]);
	}
	return NULL;
}

static void *polling(void *argument)
{
	while (!__atomic_load_n((bool *)argument, __ATOMIC_ACQUIRE))
		if (gpulink_region_poll(region, 2) < 0)
			return argument;
	return NULL;
}

/* An epoch by several threads; the source is written again as soon as it is sent. */
static bool run_epoch(uint64_t epoch, uint32_t partition, uint32_t *order, uint32_t count)
{
	struct producer producers[THREADS] = { 0 };
	bool good = true, stop = false;
	pthread_t poller;
	void *failed;

	shuffle(&chance, order, count);
	fill(100 + epoch);
	good &= !gpulink_region_start(region) && !pthread_create(&poller, NULL, polling, &stop);
	for (unsigned t = 0; t < THREADS; t++) {
		uint32_t first = count * t / THREADS;

		producers[t] = (struct producer){ .order = order + first, .count = count * (t + 1) / THREADS - first,
						  .chunk_partition = partition };
		good &= !pthread_create(&producers[t].thread, NULL, producing, &producers[t]);
	}
	for (unsigned t = 0; t < THREADS; t++) {
		pthread_join(producers[t].thread, NULL);
		good &= !producers[t].bad;
	}
	good &= !gpulink_region_wait(region, GPULINK_LEVEL_SENT, MINUTE);
	memset(source, 0x11, sizeof(source));
	good &= !gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE);
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(poller, &failed);
	return good && !failed;
}

static bool right_at(const uint8_t *place)
{
	return place[-1] == 0xee && place[produced] == 0xee && !memcmp(place, data, produced);
}

/* Case 29: all agents leave the same memory, for several chunks and partitions, at two targets. */
static void test_threads(unsigned agent, uint64_t chunk, uint32_t partition)
{
	const struct gpulink_region_options options = options_of(agent, chunk, partition);
	struct gpulink_region_target targets[2] = { target_of(0, PLACE + 1), target_of(1, PLACE + 64) };
	uint32_t count = (produced + partition - 1) / partition, *order = calloc(count, sizeof(*order));
	bool good = order != NULL, right = true;
	char name[100];

	targets[0].flags = GPULINK_TARGET_SIGNAL;
	targets[0].flags_offset = FLAGS;
	for (unsigned p = 0; p < 2; p++)
		memset(endpoints[p], 0xee, WINDOW);
	memset(endpoints[0] + FLAGS, 0, 4096);
	good &= !gpulink_region_open(device, memory, 0, produced, targets, 2, &options, &region);
	for (uint64_t epoch = 1; good && right && epoch <= epochs; epoch++) {
		good &= run_epoch(epoch, partition, order, count);
		right &= right_at(endpoints[0] + PLACE + 1) && right_at(endpoints[1] + PLACE + 64);
		for (uint32_t c = 0; c < info().chunks; c++)
			right &= arrived(c, epoch) && !arrived(c, epoch + 1);
	}
	snprintf(name, sizeof(name), "%s, chunks of %" PRIu64 ", partitions of %" PRIu32 ": threads in random order",
		 agent_names[agent], chunk, partition);
	is(good, 1, name);
	is(right, 1, "memory and signals");
	gpulink_region_close(region);
	free(order);
}

/* --- objects --- */

static void test_best(void)
{
	const struct gpulink_region_options options = options_of(GPULINK_AGENT_BEST, 4096, 0),
					    card = options_of(GPULINK_AGENT_CARD, 4096, 0);
	struct gpulink_region_target target = target_of(0, 0);
	struct gpulink_region *all[80];
	unsigned count = 0;
	int error = 0;

	while (count < 80 && !(error = gpulink_region_open(device, memory, 0, 4096, &target, 1, &card, &all[count])))
		count++;
	is(error, -GPULINK_ENOSPC, "a card has so many regions");
	is(gpulink_region_open(device, memory, 0, 4096, &target, 1, &options, &region), 0, "the best agent is then another");
	is(info().agent, GPULINK_AGENT_CALLER, "the caller");
	gpulink_region_close(region);
	while (count)
		gpulink_region_close(all[--count]);
	is(gpulink_region_open(device, memory, 0, SOURCE, &target, 1, NULL, &region), 0, "without options");
	is(info().agent, GPULINK_AGENT_CARD, "the best agent is the card");
	is((long)info().chunk_bytes, GPULINK_CHUNK_BYTES_DEFAULT, "with chunks of 128 KiB");
	is(info().partitions, info().chunks, "and as many partitions");
	gpulink_region_close(region);
	error = 0;
	for (count = 0; count < 400 && !error; count++)
		if (!(error = gpulink_region_open(device, memory, 0, SOURCE, &target, 1, &card, &region)))
			gpulink_region_close(region);
	is(gpulink_region_open(device, memory, 0, SOURCE, &target, 1, &card, &region), 0, "regions can be used again");
	gpulink_region_close(region);
}

/* Arrivals without the library, as a GPU makes them. */
static void test_doorbell(void)
{
	volatile uint64_t *where;
	uint64_t word;
	int error;

	is(open_region(GPULINK_AGENT_CALLER, 8192, 4096, 0), 0, "a region without the card");
	is(gpulink_region_doorbell(region, &where, &word), -GPULINK_ENOTSUP, "has no doorbell");
	gpulink_region_close(region);
	is(open_region(GPULINK_AGENT_CARD, 8192, 4096, 0), 0, "a region of the card");
	error = gpulink_region_doorbell(region, &where, &word);
	if (gpulink_window_address(windows[0])) {
		is(error, 0, "has one");
		fill(7);
		memcpy(source, data, 8192);
		gpulink_region_start(region);
		for (uint64_t chunk = 0; chunk < 2; chunk++)
			*where = word | chunk << 16;
		is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "stores to it complete the epoch");
		is(memcmp(endpoints[0] + PLACE, data, 8192), 0, "with all bytes");
	} else {
		is(error, -GPULINK_ENOTSUP, "has none");
	}
	gpulink_region_close(region);
}

static void test_fork(void)
{
	int status = 0;
	pid_t child;

	open_region(GPULINK_AGENT_BEST, 8192, 4096, 0);
	gpulink_region_start(region);
	child = fork();
	if (child == 0) {
		bool right = gpulink_region_ready(region, 0) == -GPULINK_EFORK &&
			     gpulink_region_wait(region, 0, 0) == -GPULINK_EFORK;

		gpulink_region_close(region);
		gpulink_close(device);
		_exit(!right);
	}
	is(waitpid(child, &status, 0) == child && status == 0, 1, "a child cannot use it");
	is(gpulink_region_ready_range(region, 0, 1), 0, "and does not change it");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, MINUTE), 0, "for the parent");
	gpulink_region_close(region);
	/* In the middle of an epoch; what it named can be closed. */
	for (unsigned agent = first_agent; agent <= GPULINK_AGENT_INLINE; agent++) {
		open_region(agent, 8192, 4096, 0);
		gpulink_region_start(region);
		gpulink_region_ready(region, 1);
		gpulink_region_close(region);
	}
	is(gpulink_release(device, MINUTE), 0, "regions close in the middle of an epoch");
}

static bool open_all(const char *name, const char *far_name)
{
	struct gpulink_info about = { 0 };
	bool good = !gpulink_open(name, &device) && (!far_name || !gpulink_open(far_name, &far)) &&
		    !gpulink_get_info(device, &about, sizeof(about));

	far = far_name ? far : device;
	first_agent = about.features & GLK_CARD_FEATURES_REGION_MASK ? GPULINK_AGENT_CARD : GPULINK_AGENT_POLLING;
	for (unsigned p = 0; p < 2 && good; p++) {
		void *at;
		size_t bytes;

		good = !gpulink_window_open(device, lowest + p, 0, WINDOW, READ | WRITE, &windows[p]) &&
		       !gpulink_endpoint_memory(far, lowest + p, &at, &bytes) && bytes >= WINDOW;
		if (good)
			endpoints[p] = at;
	}
	return good && !gpulink_memory_register(device, source, sizeof(source), READ, &memory);
}

static void test_agent(unsigned agent)
{
	test_calls(agent);
	test_arrivals(agent);
	if (agent != GPULINK_AGENT_INLINE)
		test_flush(agent);
	test_owners(agent);
	test_threads(agent, 4096, 3000);
	test_threads(agent, 32768, 40000);
	test_threads(agent, 131072, 8192);
	test_threads(agent, 1048576, 20000);
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED"), *limit = getenv("BYTES");

	if (argc < 2 || argc == 4 || argc > 5) {
		fprintf(stderr, "usage: %s DEVICE [ROUNDS [FAR PARTITION]]\n", argv[0]);
		return 2;
	}
	if (argc > 2)
		epochs = (unsigned)strtoul(argv[2], NULL, 10);
	if (limit && strtoul(limit, NULL, 10) <= SOURCE)
		produced = (uint32_t)strtoul(limit, NULL, 10);
	if (argc == 5)
		lowest = (unsigned)strtoul(argv[4], NULL, 10);
	seed = given && *given ? strtoull(given, NULL, 0) : (uint64_t)(seconds_now() * 1e6);
	printf("# SEED=%" PRIu64 "\n", seed);
	chance_start(&chance, seed, 0);
	is(open_all(argv[1], argc == 5 ? argv[3] : NULL), 1, "device, windows and memory open");
	if (!tap_bad) {
		test_arguments();
		for (unsigned agent = first_agent; agent <= GPULINK_AGENT_INLINE; agent++)
			test_agent(agent);
		if (first_agent == GPULINK_AGENT_CARD) {
			test_release(true);
			test_release(false);
			test_best();
			test_doorbell();
		} else {
			is(open_region(GPULINK_AGENT_CARD, 8192, 4096, 0), -GPULINK_ENOTSUP, "a card without regions");
		}
		test_fork();
	}
	gpulink_close(device);
	if (far != device)
		gpulink_close(far);
	return tap_end();
}
