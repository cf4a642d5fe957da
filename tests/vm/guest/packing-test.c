// SPDX-License-Identifier: Apache-2.0
/*
 * packing-test DEVICE SYSFS: what `packing` and `compact` of partition 0 change. A hot set of 64 lines, which fits in the
 * queue's entries but not in a packet, is stored repeatedly: with packing it leaves once, at the release. TAP. Requires an
 * endpoint of at least 8 KiB in partition 0, and leaves both off, and
 * sub-headers of 5 bytes; resets the card.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "pool.h"

/* 64 runs of 64 bytes and their sub-headers are more than a packet's 4096 bytes, 59 are not. */
enum { LINES = 64, LINE = 128, STORED = 64, PASSES = 10, FIT = 59 };

static int fd, window, registration;
static uint64_t source[LINES * LINE / 8] __attribute__((aligned(4096)));
static const volatile uint64_t *seen;
static const char *path, *folder;

static bool open_card(void)
{
	uint64_t offset;

	fd = open(path, O_RDWR);
	if (fd < 0)
		return false;
	window = card_window(fd, 0, 0, sizeof(source), &offset);
	registration = card_register(fd, source, sizeof(source), GPULINK_ALLOW_READ);
	seen = mmap(NULL, sizeof(source), PROT_READ, MAP_SHARED, fd, (off_t)offset);
	return window >= 0 && registration >= 0 && seen != MAP_FAILED;
}

static long counter(const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "partitions/0/counters/%s", name);
	return card_file(folder, file);
}

/* Stores to all lines. */
static bool pass(unsigned char value)
{
	struct sqe entries[LINES];
	struct cqe done[LINES];

	memset(source, value, sizeof(source));
	for (unsigned i = 0; i < LINES; i++) {
		uint64_t at = i * LINE;

		entries[i] = move(GLK_OP_PUT, (unsigned)window, at, STORED, (unsigned)registration, at);
	}
	if (card_run(fd, entries, LINES, done))
		return false;
	for (unsigned i = 0; i < LINES; i++)
		if (status_of(&done[i]) != GLK_ST_OK)
			return false;
	return true;
}

/* `value` is in the endpoint, in every byte stored. */
static bool arrived(unsigned char value)
{
	for (unsigned i = 0; i < LINES * LINE; i += 8)
		if (i % LINE < STORED && seen[i / 8] != value * UINT64_C(0x0101010101010101))
			return false;
	return true;
}

/* The packets of all passes and a release. */
static long packets_of(unsigned char first)
{
	long before = counter("packets");
	uint32_t errors = 1;
	bool well = true;

	for (unsigned i = 0; i < PASSES; i++)
		well = pass((unsigned char)(first + i)) && well;
	check(well, "every put completes");
	check(!card_release(fd, &errors) && !errors, "the release succeeds");
	check(arrived((unsigned char)(first + PASSES - 1)), "the last pass is in the endpoint");
	return counter("packets") - before;
}

static void test_hot_set(void)
{
	long bytes, without;

	is(put_file(folder, "partitions/0/compact", "0"), 0, "FinePack as published: without the compact form");
	is(put_file(folder, "partitions/0/packing", "0"), 0, "without packing");
	is(put_file(folder, "partitions/0/subheader_bytes", "5"), 0, "with sub-headers of 5 bytes");
	bytes = counter("wire_bytes");
	is(packets_of(1), (LINES * PASSES + FIT - 1) / FIT, "without packing a packet leaves whenever it is full");
	without = counter("wire_bytes") - bytes;
	is(put_file(folder, "partitions/0/packing", "1"), 0, "packing is switched on");
	bytes = counter("wire_bytes");
	is(packets_of(101), 2, "with packing two leave, at the release");
	bytes = counter("wire_bytes") - bytes;
	printf("# %ld bytes on the wire, %ld without packing\n", bytes, without);
	check(bytes * 5 < without, "they take less than a fifth of the bytes");
	without = bytes;
	is(put_file(folder, "partitions/0/compact", "1"), 0, "the compact form is switched on");
	bytes = counter("wire_bytes");
	is(packets_of(51), 2, "as many packets leave");
	bytes = counter("wire_bytes") - bytes;
	printf("# %ld bytes on the wire, %ld with sub-headers\n", bytes, without);
	/* A sub-header has 5 bytes; runs at the same distance take few bits. */
	check(bytes < without - LINES * 4, "the description of a run takes less than a byte");
}

static void test_change(void)
{
	long packets = counter("packets");

	check(pass(77), "a pass is stored");
	is(counter("packets") - packets, 0, "it is queued");
	is(put_file(folder, "partitions/0/packing", "0"), 0, "packing is switched off");
	is(counter("packets") - packets, 2, "which flushes first");
}

static void test_reset(void)
{
	is(put_file(folder, "partitions/0/packing", "1"), 0, "packing is switched on again");
	is(put_file(folder, "reset", "1"), 0, "the card is reset");
	munmap((void *)(uintptr_t)seen, sizeof(source));
	close(fd);
	check(open_card(), "it is opened again");
	is(card_file(folder, "partitions/0/packing"), 1, "packing is still on");
	is(card_file(folder, "partitions/0/compact"), 1, "and the compact form");
	is(packets_of(201), 2, "in the card as well");
	is(put_file(folder, "partitions/0/packing", "0"), 0, "packing is switched off");
	is(put_file(folder, "partitions/0/compact", "0"), 0, "and the compact form");
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: packing-test DEVICE SYSFS\n", stderr);
		return 2;
	}
	path = argv[1];
	folder = argv[2];
	if (!open_card()) {
		fprintf(stderr, "packing-test: window %d, registration %d: %s\n", window, registration, strerror(errno));
		return 1;
	}
	test_hot_set();
	test_change();
	test_reset();
	return tap_end();
}
