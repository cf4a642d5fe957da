// SPDX-License-Identifier: Apache-2.0
/*
 * large-test CARD GPU0 GPU1: registrations whose page list is long: scattered dma-bufs of GPU memory up to 80 GiB, which
 * repeat the same memory. TAP. The GPUs, given by PCI address, are bound to gpulink-test-gpu; GPU1 is the endpoint of
 * partition 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "gpu.h"
#include "test-gpu/gpulink-test-gpu.h"

#define KIB   UINT64_C(1024)
#define MIB   (1024 * KIB)
#define GIB   (1024 * MIB)
#define LARGE GLK_LARGE_PAGE_SIZE

static struct gpu gpu[2];
static int card, window;
static unsigned seed;

static int export_pieces(uint64_t bytes, uint64_t piece, uint64_t shift)
{
	struct test_gpu_pieces p = { .bytes = bytes, .piece = piece, .shift = shift };

	return ioctl(gpu[0].fd, TEST_GPU_EXPORT_PIECES, &p);
}

/* The GPU's memory behind an offset in the dma-buf. */
static uint8_t *behind(uint64_t offset, uint64_t piece, uint64_t shift)
{
	return gpu[0].memory + shift + TEST_GPU_PIECE(offset / piece, gpu[0].bytes / 2 / piece) * piece + offset % piece;
}

static int register_buffer(int fd, uint64_t offset, uint64_t bytes)
{
	struct gpulink_ioctl_register_dmabuf r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .fd = fd, .offset = offset, .bytes = bytes
	};

	return ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r) ? -errno : (int)r.handle;
}

/* A put and a get of `length` bytes at an offset of the registration, which begins at `start` of the dma-buf. */
static bool moves(int handle, uint64_t start, uint64_t offset, unsigned length, uint64_t piece, uint64_t shift)
{
	struct sqe put = move(GLK_OP_PUT, (unsigned)window, 5, length, (unsigned)handle, offset);
	struct sqe get = move(GLK_OP_GET, (unsigned)window, 5, length, (unsigned)handle, offset);
	struct cqe done;
	uint32_t errors;

	seed++;
	for (unsigned i = 0; i < length; i++)
		*behind(start + offset + i, piece, shift) = (uint8_t)(i * 7 + seed);
	if (card_run(card, &put, 1, &done) || status_of(&done) || card_release(card, &errors)) {
		printf("# put at %#llx: status %u\n", (unsigned long long)offset, status_of(&done));
		return false;
	}
	for (unsigned i = 0; i < length; i++)
		if (gpu[1].memory[5 + i] != (uint8_t)(i * 7 + seed)) {
			printf("# put at %#llx: byte %u is %02x\n", (unsigned long long)offset, i, gpu[1].memory[5 + i]);
			return false;
		}
	for (unsigned i = 0; i < length; i++)
		gpu[1].memory[5 + i] = (uint8_t)(i * 11 + seed);
	if (card_run(card, &get, 1, &done) || status_of(&done)) {
		printf("# get at %#llx: status %u\n", (unsigned long long)offset, status_of(&done));
		return false;
	}
	for (unsigned i = 0; i < length; i++)
		if (*behind(start + offset + i, piece, shift) != (uint8_t)(i * 11 + seed)) {
			printf("# get at %#llx: byte %u\n", (unsigned long long)offset, i);
			return false;
		}
	return true;
}

/* Registers a part of a scattered buffer; entries at its ends, across pieces and at random places. */
static void test_buffer(const char *name, uint64_t bytes, uint64_t piece, uint64_t shift, uint64_t start)
{
	int buffer = export_pieces(bytes, piece, shift), handle = register_buffer(buffer, start, bytes - start - 100);
	uint64_t room = bytes - start - 100;
	struct sqe past = move(GLK_OP_PUT, (unsigned)window, 0, 101, (unsigned)handle, room - 100);
	bool ok = handle >= 0;
	struct cqe done;

	if (!ok)
		printf("# buffer %d, registration %d (%s)\n", buffer, handle, strerror(handle < 0 ? -handle : 0));
	ok = ok && moves(handle, start, 0, 9000, piece, shift) && moves(handle, start, room - 9000, 9000, piece, shift) &&
	     moves(handle, start, room / 2 / piece * piece + piece - start % piece - 50, 8000, piece, shift);
	for (unsigned i = 0; ok && i < 40; i++)
		ok = moves(handle, start, ((uint64_t)rand() << 20 ^ (uint64_t)rand()) % (room - 8000),
			   1 + (unsigned)rand() % 8000, piece, shift);
	ok = ok && !card_run(card, &past, 1, &done) && status_of(&done) == GLK_ST_REGISTRATION_BOUNDS;
	check(ok, name);
	if (handle >= 0)
		card_unregister(card, (unsigned)handle);
	close(buffer);
}

int main(int argc, char **argv)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int buffer;

	if (argc != 4) {
		fprintf(stderr, "usage: %s CARD GPU0 GPU1\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	srand(1);
	card = open(argv[1], O_RDWR | O_CLOEXEC);
	window = card_window(card, 1, 0, 64 * KIB, NULL);
	check(window >= 0 && gpu_open(&gpu[0], argv[2]) && gpu_open(&gpu[1], argv[3]), "card, window and GPUs open");
	if (tap_bad)
		return 1;
	test_buffer("pieces of a page, one list", 2 * MIB, page, 0, 100);
	test_buffer("2 GiB + 4 MiB in pieces of a page", 2 * GIB + 4 * MIB, page, 0, 100);
	test_buffer("4 GiB in pieces of 2 MiB", 4 * GIB, LARGE, 0, 0);
	test_buffer("4 GiB in pieces of 2 MiB, from the middle of one", 4 * GIB, LARGE, 0, 5 * MIB + 123);
	test_buffer("80 GiB in pieces of 2 MiB", 80 * GIB, LARGE, 0, 3 * MIB + 4096);
	test_buffer("pieces of 2 MiB that begin between multiples of 2 MiB", 256 * MIB, LARGE, 64 * KIB, 1000);
	test_buffer("pieces of 8 MiB", GIB, 4 * LARGE, 0, 4096);
	buffer = export_pieces(8 * GIB + 4 * MIB, page, 0);
	is(register_buffer(buffer, 0, 8 * GIB + 4 * MIB), -ENOSPC, "a buffer of too many pieces is refused");
	close(buffer);
	return tap_end();
}
