// SPDX-License-Identifier: Apache-2.0
/*
 * peers-test CARD GPU together|apart: GPU memory through libgpulink: peer-to-peer if the card can reach the GPU (together),
 * and staged in any case. TAP. The GPU, given by PCI address, is bound to gpulink-test-gpu and is the endpoint of partition 0;
 * partition 1 has another GPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <tap.h>
#include "../../../libclient/gpulink.h"
#include "test-gpu/gpulink-test-gpu.h"

#define SECOND UINT64_C(1000000000)
#define BYTES  65536u
#define OFFSET 4196u /* of the registered memory in the dma-buf */
#define ROOM   40000u

struct bench {
	struct gpulink *device;
	struct gpulink_window *window; /* to the other GPU */
	uint8_t *ours, *others;	       /* the GPUs' memories */
	int gpu, dmabuf;
};

static uint8_t expected(size_t at, unsigned seed)
{
	return (uint8_t)((at * 11 + seed) % 251);
}

static void fill(uint8_t *memory, size_t bytes, unsigned seed)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = expected(i, seed);
}

static bool same(const uint8_t *a, const uint8_t *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (a[i] != b[i]) {
			printf("# byte %zu is %02x, should be %02x\n", i, a[i], b[i]);
			return false;
		}
	return true;
}

/* The outstanding operation succeeds. */
static bool done(const struct bench *b)
{
	struct gpulink_completion completion = { 0 };
	int count = gpulink_wait(b->device, &completion, 1, 1, 10 * SECOND);

	if (count != 1 || completion.error)
		printf("# wait: %d, error %d, status %u\n", count, completion.error, completion.status);
	return count == 1 && !completion.error;
}

static bool released(const struct bench *b)
{
	return !gpulink_release(b->device, 10 * SECOND);
}

static void use(const struct bench *b, struct gpulink_memory *memory, unsigned seed)
{
	uint8_t *at = b->ours + OFFSET;
	uint64_t old = 41, value;

	for (unsigned i = 0; i < 2; i++) { /* the second time with new contents */
		fill(b->ours, BYTES, seed + i);
		check(!gpulink_put_memory(b->window, 77, memory, 5, 30001, 1) && done(b) && released(b) &&
			      same(b->others + 77, at + 5, 30001), "a put arrives");
	}
	fill(b->others, BYTES, seed + 7);
	check(!gpulink_get(b->window, 3, memory, 900, 20000, 2) && done(b) && same(at + 900, b->others + 3, 20000),
	      "a get arrives");
	check(at[899] == expected(OFFSET + 899, seed + 1) && at[20900] == expected(OFFSET + 20900, seed + 1),
	      "and nothing beside it");
	memcpy(b->others + 64, &old, sizeof(old));
	check(!gpulink_fetch_add(b->window, 64, 8, 1, memory, 16, 3) && done(b) && released(b), "an atomic");
	memcpy(&old, at + 16, sizeof(old));
	memcpy(&value, b->others + 64, sizeof(value));
	check(old == 41 && value == 42, "the atomic returns the old value");
}

/* The other direction: the GPU maps a window. Requires kernel 6.19 or later. */
static void test_window(const struct bench *b, const char *path)
{
	struct gpulink_ioctl_window_map w = { .size = sizeof(w), .flags = GPULINK_ALLOW_WRITE, .partition = 1, .bytes = BYTES };
	struct gpulink_ioctl_handle h = { .size = sizeof(h) };
	int fd = open(path, O_RDWR | O_CLOEXEC), buffer = -1;

	check(fd >= 0 && !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w), "a window");
	h.handle = w.handle;
	buffer = ioctl(fd, GPULINK_IOCTL_WINDOW_EXPORT, &h);
	if (buffer == -1 && errno == EOPNOTSUPP) {
		tap_skip("the GPU cannot map it", "this kernel exports no windows");
	} else {
		errno = 0;
		check(ioctl(b->gpu, TEST_GPU_IMPORT, buffer) == -1 && errno == EHOSTUNREACH, "the GPU cannot map it");
		close(buffer);
	}
	close(fd);
}

static bool open_all(struct bench *b, const char *path, const char *gpu)
{
	void *memory[2];
	size_t bytes;
	char name[128];
	int error = gpulink_open(path, &b->device);

	for (unsigned p = 0; p < 2 && !error; p++)
		error = gpulink_endpoint_memory(b->device, p, &memory[p], &bytes);
	if (!error)
		error = gpulink_window_open(b->device, 1, 0, BYTES, GPULINK_READ | GPULINK_WRITE, &b->window);
	if (error) {
		printf("# %s\n", gpulink_strerror(error));
		return false;
	}
	b->ours = memory[0];
	b->others = memory[1];
	snprintf(name, sizeof(name), "/dev/gpulink-test-gpu-%s", gpu);
	b->gpu = open(name, O_RDWR | O_CLOEXEC);
	b->dmabuf = ioctl(b->gpu, TEST_GPU_EXPORT, BYTES);
	return b->dmabuf >= 0;
}

int main(int argc, char **argv)
{
	const unsigned both = GPULINK_READ | GPULINK_WRITE;
	struct gpulink_memory *memory = NULL;
	struct bench b = { 0 };
	bool apart;
	int error;

	if (argc != 4 || (strcmp(argv[3], "together") != 0 && strcmp(argv[3], "apart") != 0)) {
		fprintf(stderr, "usage: %s CARD GPU together|apart\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	apart = !strcmp(argv[3], "apart");
	check(open_all(&b, argv[1], argv[2]), "card and GPU open");
	if (tap_bad)
		return 1;
	error = gpulink_memory_register_dmabuf(b.device, b.dmabuf, OFFSET, ROOM, both, &memory);
	is(error, apart ? -GPULINK_EUNREACHABLE : 0, apart ? "the card cannot reach the GPU's memory" : "the GPU's memory");
	if (!error)
		use(&b, memory, 1);
	gpulink_memory_unregister(error ? NULL : memory);
	is(gpulink_memory_register_staged(b.device, b.dmabuf, OFFSET, ROOM, both, &memory), 0, "staged registration of the GPU's memory");
	if (!tap_bad)
		use(&b, memory, 100);
	gpulink_close(b.device);
	close(b.dmabuf);
	if (apart)
		test_window(&b, argv[1]);
	close(b.gpu);
	return tap_end();
}
