// SPDX-License-Identifier: Apache-2.0
/*
 * bounce-test DEVICE SYSFS: with forced bounce buffers (swiotlb=512,force), user memory cannot be registered, because nothing
 * would sync the bounce buffers; everything else works. TAP. Requires an endpoint of at least 64 KiB in partition 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <tap.h>

#include "card.h"

enum { BIG = 2 << 20 }; /* a huge page: one segment, larger than a bounce buffer mapping, and than all bounce buffers */

static void test_registrations(int fd, const char *sysfs)
{
	char *memory = mmap(NULL, 2 * BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), usage[256];

	snprintf(usage, sizeof(usage), "%s/usage", sysfs);
	check(memory != MAP_FAILED, "memory is allocated");
	memory += -(uintptr_t)memory % BIG;
	check(!madvise(memory, BIG, MADV_HUGEPAGE), "the memory uses huge pages");
	memset(memory, 1, BIG);
	is(card_register(fd, memory, 4096, GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE), -EOPNOTSUPP, "a page is refused");
	is(card_register(fd, memory, BIG, GPULINK_ALLOW_READ), -EOPNOTSUPP, "a huge page is refused");
	is(card_file(usage, "registrations"), 0, "no registration is left");
	is(card_file(usage, "pinned_pages"), 0, "no page is left pinned");
}

static void test_puts(int fd)
{
	int window = card_window(fd, 0, 0, 4096, NULL);
	struct sqe entry = put_inline((unsigned)window, 8, 0x0123456789abcdef, 1);
	uint32_t errors = 1;
	struct cqe done;

	check(window >= 0, "a window is mapped");
	check(!card_run(fd, &entry, 1, &done) && !status_of(&done), "an inline entry is put");
	check(!card_release(fd, &errors) && !errors, "the release succeeds");
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: bounce-test DEVICE SYSFS: %s\n", strerror(errno));
		return 2;
	}
	test_registrations(fd, argv[2]);
	test_puts(fd);
	return tap_end();
}
