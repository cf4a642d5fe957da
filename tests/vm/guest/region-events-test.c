// SPDX-License-Identifier: Apache-2.0
/*
 * region-events-test DEVICE SYSFS: regions of the library when targets fail, other contexts send nonsense, and the card is
 * reset. TAP. Requires endpoints of at least 1 MiB in partitions 0 and 1, and a writable SYSFS folder of the card. SEED in the
 * environment repeats the nonsense.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_region.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "card.h"

enum { CHUNK = 4096, CHUNKS = 64, BYTES = CHUNK * CHUNKS, WINDOW = 1 << 20, STRANGERS = 15, WORDS = 2000 };

static const char *path, *folder;
static struct gpulink *device;
static struct gpulink_window *windows[2];
static struct gpulink_memory *memory;
static struct gpulink_region *region;
static uint8_t source[BYTES], *endpoints[2];
static uint64_t seed;

static void open_device(void)
{
	bool good = !gpulink_open(path, &device) &&
		    !gpulink_memory_register(device, source, sizeof(source), GPULINK_READ, &memory);
	size_t bytes;
	void *at;

	for (unsigned p = 0; p < 2 && good; p++) {
		good = !gpulink_window_open(device, p, 0, WINDOW, GPULINK_READ | GPULINK_WRITE, &windows[p]) &&
		       !gpulink_endpoint_memory(device, p, &at, &bytes);
		endpoints[p] = at;
	}
	check(good, "device, memory and windows");
}

static int open_region(unsigned agent, unsigned targets)
{
	const struct gpulink_region_options options = { .size = sizeof(options), .agent = agent, .chunk_bytes = CHUNK };
	struct gpulink_region_target all[GPULINK_REGION_TARGETS_MAX] = { 0 };

	for (unsigned t = 0; t < targets; t++)
		all[t].window = windows[t % 2];
	return gpulink_region_open(device, memory, 0, BYTES, all, targets, &options, &region);
}

static void fill(unsigned epoch)
{
	for (unsigned i = 0; i < BYTES; i++)
		source[i] = (uint8_t)((i * 7 + epoch * 31) % 251);
}

static struct gpulink_region_info info(void)
{
	struct gpulink_region_info i = { 0 };

	gpulink_region_get_info(region, &i, sizeof(i));
	return i;
}

/* Writes a file of the card's folder. */
static bool put(const char *name, const char *value)
{
	char file[256];
	FILE *out;
	bool good;

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	out = fopen(file, "w");
	good = out && fputs(value, out) >= 0;
	return out && !fclose(out) && good;
}

static bool get(const char *name, char *value, int room)
{
	char file[256];
	FILE *in;
	bool good;

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	in = fopen(file, "r");
	good = in && fgets(value, room, in);
	if (in)
		fclose(in);
	return good;
}

/* Cases 19 and 20: the second target's endpoint goes in the middle of an epoch. The first target has all. */
static void test_lost_target(unsigned agent, const char *name)
{
	char endpoint[80];

	printf("# agent %s\n", name);
	check(get("partitions/1/endpoint", endpoint, sizeof(endpoint)), "the endpoint's name");
	is(open_region(agent, 2), 0, "a region with two targets");
	fill(1);
	is(gpulink_region_start(region), 0, "start");
	is(gpulink_region_ready(region, 0), 0, "the first chunk");
	check(put("partitions/1/endpoint", "none\n"), "the second target's endpoint is removed");
	is(gpulink_region_ready_range(region, 1, CHUNKS - 1), 0, "the other chunks");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 60 * SECOND), -GPULINK_EINVAL, "the epoch fails");
	is(info().failed_targets, 2, "at the second target");
	check(!memcmp(endpoints[0], source, BYTES), "the first one has all");
	fill(2);
	is(gpulink_region_start(region), 0, "the next epoch");
	is(gpulink_region_ready_range(region, 0, CHUNKS - 1), 0, "all chunks");
	is(gpulink_region_wait(region, GPULINK_LEVEL_SENT, 60 * SECOND), -GPULINK_EINVAL, "fails again");
	gpulink_release(device, 60 * SECOND);
	check(!memcmp(endpoints[0], source, BYTES), "the first one has all");
	gpulink_region_close(region);
	check(put("partitions/1/endpoint", endpoint), "the endpoint is assigned again");
	gpulink_window_close(windows[1]);
	is(gpulink_window_open(device, 1, 0, WINDOW, GPULINK_WRITE, &windows[1]), 0, "a window onto it");
	is(open_region(agent, 2), 0, "a new region");
	is(gpulink_region_start(region), 0, "start");
	is(gpulink_region_ready_range(region, 0, CHUNKS - 1), 0, "all chunks");
	is(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 60 * SECOND), 0, "the epoch is visible");
	check(!memcmp(endpoints[0], source, BYTES) && !memcmp(endpoints[1], source, BYTES), "at both targets");
	gpulink_region_close(region);
}

struct stranger {
	pthread_t thread;
	struct chance chance;
	volatile uint64_t *page;
};

static void *nonsense(void *argument)
{
	struct stranger *s = argument;

	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t word = draw(&s->chance) & ~UINT64_C(0xffff);

		s->page[(i % 8 ? GLK_DOORBELL_ARRIVE : GLK_DOORBELL_START) / 8] = word | below(&s->chance, 70);
	}
	return NULL;
}

/* An epoch whose chunks arrive in random order; each is complete once. */
static bool run_epoch(struct chance *chance, unsigned epoch)
{
	uint32_t order[CHUNKS];

	fill(epoch);
	shuffle(chance, order, CHUNKS);
	return !gpulink_region_start(region) && !gpulink_region_ready_list(region, order, CHUNKS) &&
	       !gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 60 * SECOND) && !memcmp(endpoints[0], source, BYTES) &&
	       info().sent == epoch;
}

/* Case 25: contexts without a region write random words to their doorbell pages. */
static void test_strangers(void)
{
	static struct stranger strangers[STRANGERS];
	struct gpulink_queue *queues[STRANGERS];
	struct gpulink_doorbell pages;
	struct chance chance;
	bool good = true;
	unsigned count;
	long before;

	chance_start(&chance, seed, 99);
	is(open_region(GPULINK_AGENT_CARD, 1), 0, "a region");
	for (count = 0; count < STRANGERS && !gpulink_queue_open(device, &queues[count]); count++) {
		good &= !gpulink_queue_doorbell(queues[count], &pages, sizeof(pages));
		strangers[count].page = pages.page;
		chance_start(&strangers[count].chance, seed, count);
	}
	is(count, STRANGERS, "15 other contexts");
	before = card_file(folder, "counters/err_arrive");
	for (unsigned i = 0; i < count; i++)
		good &= !pthread_create(&strangers[i].thread, NULL, nonsense, &strangers[i]);
	for (unsigned epoch = 1; epoch <= 20; epoch++)
		good &= run_epoch(&chance, epoch);
	for (unsigned i = 0; i < count; i++)
		pthread_join(strangers[i].thread, NULL);
	check(good, "20 epochs are exact");
	is(info().rejected, 0, "nothing of the owner was rejected");
	is(card_file(folder, "counters/err_arrive") - before, (long)count * WORDS, "all words of the others were");
	for (unsigned i = 0; i < count; i++)
		gpulink_queue_close(queues[i]);
	gpulink_region_close(region);
}

/* Case 21: a reset while chunks are being sent. */
static void test_reset(unsigned agent)
{
	static uint8_t then[BYTES];
	struct gpulink_region_info i;
	int error;

	is(open_region(agent, GPULINK_REGION_TARGETS_MAX), 0, "a region with 8 targets");
	fill(3);
	is(gpulink_region_start(region), 0, "start");
	is(gpulink_region_ready_range(region, 0, CHUNKS / 2), 0, "half of the chunks");
	check(put("reset", "1\n"), "a reset");
	error = gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 60 * SECOND);
	is(error, -GPULINK_ERESET, "ends the wait");
	memcpy(then, endpoints[0], BYTES);
	gpulink_region_ready_range(region, CHUNKS / 2 + 1, CHUNKS - 1);
	error = gpulink_region_wait(region, GPULINK_LEVEL_SENT, SECOND / 10);
	check(error == -GPULINK_ERESET, "and the next one");
	check(!memcmp(then, endpoints[0], BYTES), "nothing is written any more");
	if (agent == GPULINK_AGENT_CARD) {
		is(gpulink_region_get_info(region, &i, sizeof(i)), -GPULINK_ERESET, "the region is gone");
		is(gpulink_region_flush(region), -GPULINK_ERESET, "a flush fails");
	}
	check(gpulink_region_start(region) == -GPULINK_ERESET, "a start fails");
	if (agent == GPULINK_AGENT_CARD)
		is(open_region(agent, 1), -GPULINK_ERESET, "so does another region");
	gpulink_close(device);
	open_device();
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED");
	struct gpulink_info about = { 0 };
	bool has_regions;
	char usage[256];

	if (argc != 3) {
		fprintf(stderr, "usage: region-events-test DEVICE SYSFS\n");
		return 2;
	}
	path = argv[1];
	folder = argv[2];
	seed = given && *given ? strtoull(given, NULL, 0) : (uint64_t)getpid() * 1000003u ^ (uint64_t)time(NULL);
	printf("# SEED=%" PRIu64 "\n", seed);
	open_device();
	if (!tap_bad) {
		gpulink_get_info(device, &about, sizeof(about));
		has_regions = about.features & GLK_CARD_FEATURES_REGION_MASK;
		if (has_regions) {
			test_lost_target(GPULINK_AGENT_CARD, "card");
			test_strangers();
			test_reset(GPULINK_AGENT_CARD);
		}
		test_lost_target(GPULINK_AGENT_CALLER, "caller");
		test_reset(GPULINK_AGENT_CALLER);
	}
	gpulink_close(device);
	snprintf(usage, sizeof(usage), "%s/usage", folder);
	is(card_file(usage, "regions") + card_file(usage, "region_chunks") + card_file(usage, "contexts"), 0,
	   "nothing is left");
	return tap_end();
}
