// SPDX-License-Identifier: Apache-2.0
/*
 * limits-test DEVICE SYSFS: the administrator's limits. TAP. Requires an endpoint of at least 64 KiB in partition 0, no other
 * user of the card, and a writable SYSFS folder of the card.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"

static const char *path, *folder;

/* Sets a limit; returns the previous value. */
static long set(const char *name, long value)
{
	char file[400], limits[256], text[32];
	long before;
	int fd;

	snprintf(limits, sizeof(limits), "%s/limits", folder);
	snprintf(file, sizeof(file), "%s/%s", limits, name);
	before = card_file(limits, name);
	fd = open(file, O_WRONLY);
	if (fd < 0 || write(fd, text, (size_t)snprintf(text, sizeof(text), "%ld\n", value)) < 0)
		before = -1;
	close(fd);
	return before;
}

static long usage(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/usage", folder);
	return card_file(file, name);
}

static void test_windows(int fd)
{
	long before = set("windows_per_context", 2);
	int first, second;

	check(before > 2, "windows have a limit");
	first = card_window(fd, 0, 0, 4096, NULL);
	second = card_window(fd, 0, 4096, 4096, NULL);
	check(first >= 0 && second >= 0, "windows up to the limit are mapped");
	is(usage("windows"), 2, "the windows are counted");
	is(card_window(fd, 0, 8192, 4096, NULL), -EDQUOT, "a window above the limit is refused");
	set("windows_per_context", before);
	check(set("slices_per_context", 2) == before, "slices have a limit");
	is(card_window(fd, 0, 8192, 4096, NULL), -EDQUOT, "a window above the slice limit is refused");
	card_unmap(fd, (unsigned)first);
	is(card_window(fd, 0, 8192, 4096, NULL), first, "a window can be mapped after another is unmapped");
	set("slices_per_context", before);
	card_unmap(fd, (unsigned)first);
	card_unmap(fd, (unsigned)second);
	is(usage("windows") + usage("slices"), 0, "no windows or slices are left");
}

static void test_registrations(int fd)
{
	char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before = set("registrations_per_context", 1);
	int first = card_register(fd, memory, 65536, GPULINK_ALLOW_READ);

	check(before > 1 && first >= 0, "memory is registered");
	is(usage("registrations"), 1, "the registration is counted");
	is(usage("pinned_pages"), 16, "its pages are counted");
	is(card_register(fd, memory, 4096, GPULINK_ALLOW_READ), -EDQUOT, "a second registration exceeds the limit");
	is(usage("pinned_pages"), 16, "the refused registration pins nothing");
	set("registrations_per_context", before);
	munmap(memory, 65536);
}

/* Limits are per user: one user's contexts do not count against another's. */
static void test_contexts(void)
{
	long before = set("contexts_per_user", 2);
	int second = open(path, O_RDWR), status = -1;
	pid_t child;

	is(usage("contexts"), 2, "two contexts are counted");
	check(second >= 0 && open(path, O_RDWR) == -1 && errno == EDQUOT, "a third context of this user exceeds the limit");
	chmod(path, 0666);
	child = fork();
	if (child == 0)
		_exit(setuid(1000) || open(path, O_RDWR) < 0 || open(path, O_RDWR) < 0 || open(path, O_RDWR) >= 0);
	waitpid(child, &status, 0);
	chmod(path, 0600);
	is(status, 0, "another user has a separate limit");
	set("contexts_per_user", before);
	close(second);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: limits-test DEVICE SYSFS\n");
		return 2;
	}
	path = argv[1];
	folder = argv[2];
	fd = open(path, O_RDWR);
	check(fd >= 0, "open");
	test_windows(fd);
	test_registrations(fd);
	test_contexts();
	close(fd);
	is(usage("contexts") + usage("registrations") + usage("pinned_pages"), 0, "nothing is left");
	return tap_end();
}
