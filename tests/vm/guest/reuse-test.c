// SPDX-License-Identifier: Apache-2.0
/*
 * reuse-test CARD SYSFS GPU: what the card may still use is not given to others. TAP. Runs as root; partition 0 of CARD has an
 * endpoint, GPU is a device of gpulink-test-gpu, which lets drains fail, and the card has no other user.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "test-gpu/gpulink-test-gpu.h"

static const char *path, *folder;
static char usage[256];
static int gpu;

static void fail_drains(unsigned count)
{
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, count) ? -errno : 0, 0, count ? "drains fail" : "drains work again");
}

static int context_of(int fd)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };

	return ioctl(fd, GPULINK_IOCTL_QUERY, &q) ? -errno : (int)q.context;
}

/* A file that is closed while drains fail, with a window and mapped rings. Returns its context. */
static int close_undrained(void)
{
	int fd = open(path, O_RDWR), context = context_of(fd);
	struct ring ring;

	check(card_window(fd, 0, 0, 4096, NULL) >= 0 && ring_map(fd, 6, 6, &ring) == 0, "a file has a window and rings");
	ring_forget(&ring);
	fail_drains(1000);
	close(fd);
	is(card_file(usage, "contexts"), 1, "its context is still in use when it is closed");
	is(card_file(usage, "slices"), 1, "and its slice");
	is(card_file(usage, "windows"), 1, "and its window");
	return context;
}

static void no_usage(const char *name)
{
	for (unsigned i = 0; i < 600 && card_file(usage, "contexts"); i++)
		usleep(100000);
	is(card_file(usage, "contexts"), 0, name);
	is(card_file(usage, "slices"), 0, "with its slice");
}

static void test_close(void)
{
	int context = close_undrained(), fd = open(path, O_RDWR), window = card_window(fd, 0, 0, 4096, NULL);

	check(fd >= 0 && context_of(fd) != context, "the next file has another context");
	check(window > 0, "and its window another slice");
	close(fd);
	is(card_file(usage, "contexts"), 2, "which is in use as well when it is closed");
	fail_drains(0);
	no_usage("the contexts are free once a drain succeeds");
}

static void test_reset(void)
{
	char file[300];
	int fd;

	close_undrained();
	snprintf(file, sizeof(file), "%s/reset", folder);
	fd = open(file, O_WRONLY);
	check(write(fd, "1", 1) == 1, "a reset");
	close(fd);
	no_usage("the context is free after it");
	fail_drains(0);
}

static void test_unmap(void)
{
	int fd = open(path, O_RDWR), first = card_window(fd, 0, 0, 4096, NULL), second = card_window(fd, 0, 0, 4096, NULL),
	    third;

	fail_drains(1000);
	is(card_unmap(fd, (unsigned)first), 0, "a window is unmapped");
	is(card_unmap(fd, (unsigned)first), -ENOENT, "its handle is gone");
	is(card_file(usage, "slices"), 2, "its slice stays reserved");
	third = card_window(fd, 0, 0, 4096, NULL);
	check(third >= 0 && third != first, "the next window has another");
	fail_drains(0);
	is(card_unmap(fd, (unsigned)second), 0, "another window is unmapped, with a drain");
	is(card_file(usage, "slices"), 1, "which frees both slices");
	is(card_window(fd, 0, 0, 4096, NULL), first < second ? first : second, "they are used again");
	close(fd);
	no_usage("all is free when the file is closed");
}

static void test_rings(void)
{
	int fd = open(path, O_RDWR);
	struct ring ring;

	is(ring_map(fd, 6, 6, &ring), 0, "rings are mapped");
	fail_drains(1000);
	is(ring_unmap(&ring), 0, "and unmapped");
	is(ring_map(fd, 6, 6, &ring), -EBUSY, "others cannot be mapped while the card may use them");
	fail_drains(0);
	is(ring_map(fd, 6, 6, &ring), 0, "but after a drain");
	is(ring_unmap(&ring), 0, "these are unmapped");
	close(fd);
	no_usage("all is free when the file is closed");
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: reuse-test CARD SYSFS GPU\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	folder = argv[2];
	snprintf(usage, sizeof(usage), "%s/usage", folder);
	gpu = open(argv[3], O_RDWR);
	is(card_file(usage, "contexts"), 0, "the card has no user");
	test_close();
	test_reset();
	test_unmap();
	test_rings();
	return tap_end();
}
