// SPDX-License-Identifier: Apache-2.0
/*
 * pmu-test: the card's PMU through perf_event_open(), as perf would use it.
 *
 * pmu-test counts DEVICE   TAP: perf events match the counters; invalid events are refused
 * pmu-test hold DEVICE     keeps events of partition 0 open; commands on input, see hold()
 * pmu-test spin SECONDS    reads an event in a loop
 * pmu-test open            opens one event; exit status 0, or the errno
 *
 * Requires endpoints in partitions 0 and 1, and no other user of the card.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <tap.h>
#include "gpulink_regs.h"

#define PMU		"/sys/bus/event_source/devices/gpulink0/"
#define SECOND		1000000000ULL
#define COUNTER(reg)	((GLK_PARTITION_##reg - GLK_PARTITION_COUNTER_FIRST) / 8)
#define CONFIG(event, partition) ((uint64_t)(event) | (uint64_t)(partition) << 8)
#define ALL		0xff
#define CARD		0x80
#define WINDOW_BYTES	65536

static uint32_t pmu_type(void)
{
	FILE *file = fopen(PMU "type", "r");
	unsigned type;

	if (!file || fscanf(file, "%u", &type) != 1) {
		perror(PMU "type");
		exit(2);
	}
	fclose(file);
	return type;
}

/* A valid attribute; tests may corrupt its fields before open_attr(). */
static struct perf_event_attr attr_of(uint64_t config)
{
	struct perf_event_attr attr = { .type = pmu_type(), .size = sizeof(attr), .config = config };

	return attr;
}

static int open_attr(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, 0UL);
}

static int open_event(uint64_t config, int group)
{
	struct perf_event_attr attr = attr_of(config);

	return open_attr(&attr, -1, 0, group);
}

static uint64_t value_of(int event)
{
	uint64_t value = 0;

	if (read(event, &value, sizeof(value)) != sizeof(value))
		return UINT64_MAX;
	return value;
}

/* 8-byte stores, a cache line apart, then a release. Returns 0, or -1. */
static int store(const char *device, unsigned partition, unsigned count)
{
	struct gpulink_ioctl_window_map w = { .size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
					      .partition = partition, .bytes = WINDOW_BYTES };
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 5 * SECOND };
	volatile uint64_t *words;
	int fd = open(device, O_RDWR), ret = -1;

	if (fd < 0)
		return -1;
	if (!ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w)) {
		words = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w.mmap_offset);
		for (unsigned i = 0; words != MAP_FAILED && i < count; i++)
			words[i * 8 % (WINDOW_BYTES / 8)] = i;
		ret = words == MAP_FAILED ? -1 : ioctl(fd, GPULINK_IOCTL_RELEASE, &r);
		if (words != MAP_FAILED)
			munmap((void *)words, WINDOW_BYTES); /* the mapping would keep the file open */
	}
	close(fd);
	return ret;
}

static bool counters(const char *device, unsigned partition, uint64_t values[64])
{
	struct gpulink_ioctl_counters c = { .size = sizeof(c), .partition = partition, .count = 64,
					    .values = (unsigned long)values };
	int fd = open(device, O_RDWR);
	bool ok = fd >= 0 && !ioctl(fd, GPULINK_IOCTL_COUNTERS, &c);

	close(fd);
	return ok;
}

/* Compares every event of a partition with its counter. */
static void test_every_counter(const char *device)
{
	enum { EVENTS = GLK_PARTITION_COUNTERS };
	uint64_t before[64], after[64];
	int events[EVENTS];
	bool opened = true, same = true;

	if (!counters(device, 0, before)) {
		check(false, "counters are read");
		return;
	}
	for (unsigned i = 0; i < EVENTS; i++)
		opened = (events[i] = open_event(CONFIG(i, 0), -1)) >= 0 && opened;
	check(opened, "an event for every counter of a partition");
	check(!store(device, 0, 500) && counters(device, 0, after), "500 stores");
	check(after[COUNTER(STORES)] - before[COUNTER(STORES)] == 500, "the counter grows by 500");
	for (unsigned i = 0; i < EVENTS; i++) {
		if (value_of(events[i]) == after[i] - before[i])
			continue;
		printf("# event %u: %" PRIu64 ", counter: %" PRIu64 "\n", i, value_of(events[i]), after[i] - before[i]);
		same = false;
	}
	check(same, "every event matches its counter");
	for (unsigned i = 0; i < EVENTS; i++)
		close(events[i]);
}

static void test_partitions(const char *device)
{
	int zero = open_event(CONFIG(COUNTER(STORE_BYTES), 0), -1), one = open_event(CONFIG(COUNTER(STORE_BYTES), 1), -1);
	int all = open_event(CONFIG(COUNTER(STORE_BYTES), ALL), -1);
	int received = open_event(CARD + (GLK_CARD_PACKETS_RECEIVED - GLK_CARD_COUNTER_FIRST) / 8, -1);
	uint64_t before[64], after[64];

	check(zero >= 0 && one >= 0 && all >= 0 && received >= 0, "events of two partitions, of all, of the card");
	counters(device, GPULINK_COUNTERS_CARD, before);
	check(!store(device, 0, 100) && !store(device, 1, 30), "stores to both partitions");
	counters(device, GPULINK_COUNTERS_CARD, after);
	check(value_of(zero) == 800, "partition 0's event counts its own stores");
	check(value_of(one) == 240, "partition 1's event counts its own stores");
	check(value_of(all) == 1040, "the event of all partitions counts both");
	check(value_of(received) == after[6] - before[6] && after[6] > before[6], "the card's event counts packets");
	close(zero);
	close(one);
	close(all);
	close(received);
}

static void test_group_and_switch(const char *device)
{
	struct perf_event_attr attr = attr_of(CONFIG(COUNTER(STORES), 0));
	struct { uint64_t nr, values[2]; } group = { 0 };
	int leader, member;

	attr.disabled = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_attr(&attr, -1, 0, -1);
	member = open_event(CONFIG(COUNTER(STORE_BYTES), 0), leader);
	check(leader >= 0 && member >= 0, "an event group opens");
	store(device, 0, 10);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	store(device, 0, 20);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	store(device, 0, 40);
	check(read(leader, &group, sizeof(group)) == sizeof(group) && group.nr == 2 && group.values[0] == 20 &&
	      group.values[1] == 160, "counts while it is enabled, and not else");
	close(member);
	close(leader);
}

static void refused(struct perf_event_attr attr, pid_t pid, int cpu, const char *name)
{
	int event = open_attr(&attr, pid, cpu, -1);

	check(event < 0 && errno == EINVAL, name);
	if (event >= 0)
		close(event);
}

static void test_refusals(void)
{
	struct perf_event_attr attr;

	refused(attr_of(CONFIG(COUNTER(REGION_BYTES) + 1, 0)), -1, 0, "an unknown event is refused");
	refused(attr_of(CARD + 12), -1, 0, "an unknown event of the card is refused");
	refused(attr_of(CONFIG(CARD, 1)), -1, 0, "an event of the card in a partition is refused");
	refused(attr_of(CONFIG(0, 16)), -1, 0, "a partition that is not there is refused");
	refused(attr_of(1ULL << 16), -1, 0, "an unknown bit is refused");
	refused(attr_of(0), 0, -1, "an event of a task is refused");
	attr = attr_of(0);
	attr.sample_period = 1000;
	refused(attr, -1, 0, "sampling is refused");
	attr = attr_of(0);
	attr.config1 = 1;
	refused(attr, -1, 0, "config1 is refused");
	attr = attr_of(0);
	attr.exclude_kernel = 1;
	refused(attr, -1, 0, "excluding the kernel is refused");
}

/*
 * Prints the counts of stores and store_bytes for each input line; a line "store" makes 50 stores first. Ends at the end of
 * input.
 */
static int hold(const char *device)
{
	int stores = open_event(CONFIG(COUNTER(STORES), 0), -1), bytes = open_event(CONFIG(COUNTER(STORE_BYTES), 0), -1);
	char line[16];

	if (stores < 0 || bytes < 0) {
		perror("perf_event_open");
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "store\n") && store(device, 0, 50)) {
			perror("store");
			return 1;
		}
		printf("%" PRIu64 " %" PRIu64 "\n", value_of(stores), value_of(bytes));
		fflush(stdout);
	}
	return 0;
}

static int spin(int seconds)
{
	int event = open_event(CONFIG(COUNTER(STORES), ALL), -1);
	time_t end = time(NULL) + seconds;
	uint64_t last = 0, now;

	if (event < 0)
		return 1;
	while (time(NULL) < end) {
		now = value_of(event);
		if (now < last)
			return 1;
		last = now;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int event;

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spin(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "open")) {
		event = open_event(0, -1);
		return event < 0 ? errno : 0;
	}
	if (argc != 3 || strcmp(argv[1], "counts") != 0) {
		fprintf(stderr, "usage: pmu-test counts DEVICE | hold DEVICE | spin SECONDS | open\n");
		return 2;
	}
	test_every_counter(argv[2]);
	test_partitions(argv[2]);
	test_group_and_switch(argv[2]);
	test_refusals();
	return tap_end();
}
