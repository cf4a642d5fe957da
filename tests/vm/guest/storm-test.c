// SPDX-License-Identifier: Apache-2.0
/*
 * storm-test CARD SYSFS: a user who causes errors as fast as possible does not cause as many interrupts. TAP. Partition 0 has
 * an endpoint; no other user of the card.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"

enum { STORM_SECONDS = 3, RATE_MAX = 20 /* interrupts per second */ };

static const char *path, *folder;
static char counters[256];
static atomic_bool stop;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of all vectors of the card, on all CPUs. */
static unsigned long interrupts(void)
{
	unsigned long sum = 0;
	FILE *stream = fopen("/proc/interrupts", "r");
	char line[512], *at, *end;

	while (stream && fgets(line, sizeof(line), stream)) {
		at = strchr(line, ':');
		if (!at || !strstr(line, "gpulink0"))
			continue;
		for (at++;; at = end) {
			unsigned long count = strtoul(at, &end, 10);

			if (end == at || (*end != ' ' && *end != '\n'))
				break;
			sum += count;
		}
	}
	if (stream)
		fclose(stream);
	return sum;
}

/* A window that may only be read, mapped for writing. */
static volatile uint64_t *forbidden_window(int fd)
{
	struct gpulink_ioctl_window_map w = { .size = sizeof(w), .flags = GPULINK_ALLOW_READ, .bytes = 4096 };

	if (ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w))
		return MAP_FAILED;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w.mmap_offset);
}

static void *store_forbidden(void *words)
{
	for (uint64_t i = 0; !atomic_load(&stop); i++) {
		*(volatile uint64_t *)words = i;
		__sync_synchronize();
	}
	return NULL;
}

static void test_storm(volatile uint64_t *words)
{
	unsigned long before = interrupts(), during;
	long errors = card_file(counters, "err_window"), handled = card_file(folder, "error_interrupts");
	long suppressed = card_file(folder, "errors_suppressed");
	pthread_t thread;
	double begin = seconds(), took;

	check(before > 0 || handled >= 0, "interrupts are counted");
	if (pthread_create(&thread, NULL, store_forbidden, (void *)words))
		exit(2);
	sleep(STORM_SECONDS);
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	took = seconds() - begin;
	during = interrupts() - before;
	usleep(300000); /* the last ones are counted after the cause is enabled again */
	errors = card_file(counters, "err_window") - errors;
	handled = card_file(folder, "error_interrupts") - handled;
	suppressed = card_file(folder, "errors_suppressed") - suppressed;
	printf("# %.1f s: %ld errors, %lu interrupts, %ld handled, %ld suppressed\n", took, errors, during, handled, suppressed);
	check(errors > 500, "a user causes many errors");
	check((double)during < RATE_MAX * took, "few of them interrupt");
	check(handled > 0 && handled <= (long)during && handled + suppressed == errors,
	      "every error is counted as handled or suppressed");
}

/* Writes an invalid doorbell value; the waiter gets EIO. Returns the seconds until then. */
static double stop_ring(struct ring *ring)
{
	double begin = seconds();
	int error;

	ring->doorbell[GLK_DOORBELL_SQ_TAIL / 8] = ring->tail + 1000u;
	error = ring_wait(ring->fd, ring->tail, 5 * SECOND, NULL);
	return error == -EIO ? seconds() - begin : 1000;
}

/* Two rings stop in a row: the second while the cause of the first is masked. */
static void test_rings(void)
{
	struct ring ring[2];
	double first, second;
	bool ok = true;

	for (unsigned i = 0; i < 2; i++)
		ok = ok && !ring_map(open(path, O_RDWR), 5, 5, &ring[i]);
	check(ok, "two processes' rings");
	if (!ok)
		return;
	first = stop_ring(&ring[0]);
	second = stop_ring(&ring[1]);
	printf("# stopped rings are reported after %.3f s and %.3f s\n", first, second);
	check(first < 1 && second < 1, "both waiters are told that their ring stopped");
	check(!ring_unmap(&ring[0]) && !ring_unmap(&ring[1]), "the rings are unmapped");
	for (unsigned i = 0; i < 2; i++)
		close(ring[i].fd);
}

static void test_afterwards(int fd, volatile uint64_t *words)
{
	long handled;
	uint32_t errors = 0, more = 0;

	usleep(300000);
	handled = card_file(folder, "error_interrupts");
	check(!card_release(fd, &errors), "a release");
	words[0] = 1;
	check(!card_release(fd, &more) && more == errors + 1, "a single error is counted in the release");
	usleep(50000);
	is(card_file(folder, "error_interrupts"), handled + 1, "and interrupts again");
}

int main(int argc, char **argv)
{
	volatile uint64_t *words;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: storm-test CARD SYSFS\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	folder = argv[2];
	snprintf(counters, sizeof(counters), "%s/counters", folder);
	fd = open(path, O_RDWR);
	words = forbidden_window(fd);
	check(fd >= 0 && words != MAP_FAILED, "a window for reading only");
	if (tap_bad)
		return 1;
	test_storm(words);
	test_rings();
	test_afterwards(fd, words);
	return tap_end();
}
