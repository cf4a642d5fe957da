// SPDX-License-Identifier: Apache-2.0
/*
 * link-part-test NEAR PARTITION MEMORY OFFSET BYTES: a remote card that reaches beyond what is open to it. TAP. Runs as root.
 *
 * The endpoint of PARTITION is the remote card's partition of BYTES bytes, which are at OFFSET of file MEMORY (a PCI device's
 * resource0). The local card claims that it has 4 MiB: its driver does not stop what leaves the BYTES, only the remote card
 * does. By windows and every ring operation; stores behind BYTES would show in MEMORY.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"

enum { WINDOW = 4 << 20, FILL = 0x11 };

static unsigned char *memory; /* the whole file */
static size_t total, at, bytes;

static bool untouched(void)
{
	for (size_t i = 0; i < total; i++)
		if ((i < at || i >= at + bytes) && memory[i] != FILL) {
			printf("# byte %zu is %02x\n", i, memory[i]);
			return false;
		}
	return true;
}

/* What crosses the end, what begins there, and what is far behind it. */
static void attack(int fd, unsigned window, volatile unsigned char *words, unsigned char *own, unsigned registration)
{
	static const unsigned operations[] = { GLK_OP_PUT, GLK_OP_GET, GLK_OP_FETCH_ADD, GLK_OP_SWAP };
	const size_t offsets[] = { bytes, bytes + 4096, WINDOW - 64, WINDOW / 2 };
	struct cqe done;
	struct sqe e;

	for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		*(volatile uint64_t *)(words + offsets[i]) = 666;
		check(card_release(fd, NULL) < 0, "a store is reported as lost");
		check(*(volatile uint64_t *)(words + offsets[i]) == UINT64_MAX, "a load returns nothing");
		for (unsigned o = 0; o < sizeof(operations) / sizeof(operations[0]); o++) {
			unsigned length = operations[o] == GLK_OP_PUT || operations[o] == GLK_OP_GET ? 64 : 8;
			bool failed;

			memset(own, 0x66, 4096);
			e = move(operations[o], window, offsets[i], length, registration, 0);
			failed = card_run(fd, &e, 1, &done) || status_of(&done) != GLK_ST_OK;
			/* A put is posted: its release fails. */
			failed = card_release(fd, NULL) || failed;
			check(failed, "an operation fails");
			check(own[0] == 0x66 && own[63] == 0x66, "nothing is read");
		}
	}
	e = move(GLK_OP_PUT, window, bytes - 64, 128, registration, 0);
	check(card_run(fd, &e, 1, &done) || status_of(&done) != GLK_ST_OK || card_release(fd, NULL),
	      "a put across the end is reported as lost");
	card_release(fd, NULL);
}

int main(int argc, char **argv)
{
	uint64_t mmap_offset;
	unsigned char *words, *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int card, fd, window, registration;

	if (argc != 6) {
		fprintf(stderr, "usage: link-part-test NEAR PARTITION MEMORY OFFSET BYTES\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	card = open(argv[1], O_RDWR);
	fd = open(argv[3], O_RDWR);
	at = strtoull(argv[4], NULL, 0);
	bytes = strtoull(argv[5], NULL, 0);
	total = at + WINDOW;
	memory = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	window = card_window(card, (unsigned)atoi(argv[2]), 0, WINDOW, &mmap_offset);
	registration = card_register(card, own, 4096, GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE);
	words = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)mmap_offset);
	check(memory != MAP_FAILED && window >= 0 && registration >= 0 && words != MAP_FAILED, "a window beyond the remote endpoint");
	if (tap_bad)
		return 1;
	memset(memory, FILL, total);
	*(volatile uint64_t *)(void *)words = 0x1234;
	*(volatile uint64_t *)(void *)(words + bytes - 8) = 0x5678;
	check(!card_release(card, NULL) && *(uint64_t *)(void *)(memory + at) == 0x1234 &&
		      *(uint64_t *)(void *)(memory + at + bytes - 8) == 0x5678,
	      "stores into what is open arrive there");
	attack(card, (unsigned)window, words, own, (unsigned)registration);
	check(untouched(), "no byte outside of it changed");
	return tap_end();
}
