// SPDX-License-Identifier: Apache-2.0
/*
 * region-move-test CARD GPU0 GPU1: a region whose source, a dma-buf of GPU0, moves in the middle of an epoch. TAP. The GPUs,
 * given by PCI address, are bound to gpulink-test-gpu; GPU1 is the endpoint of partition 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "lib/card.h"
#include "lib/gpu.h"
#include "test-gpu/gpulink-test-gpu.h"

enum { CHUNK = 4096, CHUNKS = 4, BYTES = CHUNK * CHUNKS, MOVE_MS = 1500 };

static struct gpu gpu[2];
static int card;
static volatile uint64_t *doorbell;

static void *move_slowly(void *took_ms)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (ioctl(gpu[0].fd, TEST_GPU_MOVE, MOVE_MS) < 0)
		return NULL;
	clock_gettime(CLOCK_MONOTONIC, &end);
	*(long *)took_ms = (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
	return NULL;
}

static void epoch(unsigned region)
{
	doorbell[GLK_DOORBELL_START / 8] = region;
	for (uint64_t chunk = 0; chunk < CHUNKS; chunk++)
		doorbell[GLK_DOORBELL_ARRIVE / 8] = region | chunk << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT |
						    UINT64_C(1) << GLK_DOORBELL_ARRIVE_COUNT_SHIFT;
}

static int await(unsigned region, uint64_t number, struct gpulink_ioctl_region_wait *w)
{
	*w = (struct gpulink_ioctl_region_wait){ .size = sizeof(*w), .handle = region, .level = GPULINK_REGION_VISIBLE,
						 .epoch = number, .timeout_ns = 10 * SECOND };
	return ioctl(card, GPULINK_IOCTL_REGION_WAIT, w) ? -errno : 0;
}

static void test_move(unsigned region)
{
	struct pollfd news = { .fd = card, .events = POLLPRI };
	struct gpulink_ioctl_region_wait w;
	pthread_t mover;
	long took_ms = -1;

	epoch(region);
	is(await(region, 1, &w), 0, "an epoch from a GPU's memory");
	check(!memcmp(gpu[1].memory, gpu[0].memory, BYTES), "its bytes");
	if (pthread_create(&mover, NULL, move_slowly, &took_ms))
		exit(2);
	usleep(MOVE_MS / 4 * 1000);
	epoch(region);
	check(poll(&news, 1, 10000) == 1 && news.revents & POLLPRI, "poll reports that it failed");
	is(await(region, 2, &w), -EIO, "the source moves: the epoch fails");
	is(w.status, GLK_ST_REGISTRATION, "as the registration is gone");
	pthread_join(mover, NULL);
	check(took_ms >= MOVE_MS / 2, "while the memory moved");
	for (unsigned i = 0, failed = 1; i < 50 && failed; i++) { /* until the driver has mapped it again */
		usleep(20000);
		epoch(region);
		failed = await(region, 3 + i, &w) != 0;
	}
	check(!w.status && w.visible >= 3, "later epochs are visible again");
	is(ioctl(gpu[0].fd, TEST_GPU_MOVE, 0) < 0, 0, "the memory moves back");
}

int main(int argc, char **argv)
{
	struct gpulink_ioctl_register_dmabuf r = { .size = sizeof(r), .flags = GPULINK_ALLOW_READ, .bytes = BYTES };
	struct gpulink_ioctl_region_create c = { .size = sizeof(c), .flags = GPULINK_REGION_INTERRUPT, .chunk_order = 12,
						 .target_count = 1, .initial = 1, .bytes = BYTES };
	struct gpulink_ioctl_region_target target = { 0 };
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	int window;
	long moved;

	if (argc != 4) {
		fprintf(stderr, "usage: region-move-test CARD GPU0 GPU1\n");
		return 2;
	}
	card = open(argv[1], O_RDWR | O_CLOEXEC);
	if (card < 0 || !gpu_open(&gpu[0], argv[2]) || !gpu_open(&gpu[1], argv[3]) || ioctl(card, GPULINK_IOCTL_QUERY, &q)) {
		perror("open");
		return 2;
	}
	doorbell = mmap(NULL, GLK_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)q.doorbell_offset);
	r.fd = ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES);
	window = card_window(card, 1, 0, BYTES, NULL);
	for (unsigned i = 0; i < BYTES; i++)
		gpu[0].memory[i] = (uint8_t)(i * 7 % 251);
	check(doorbell != MAP_FAILED && window >= 0 && !ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r), "source and window");
	target.window = (uint32_t)window;
	c.registration = r.handle;
	c.targets = (uintptr_t)&target;
	is(ioctl(card, GPULINK_IOCTL_REGION_CREATE, &c), 0, "a region");
	moved = ioctl(gpu[0].fd, TEST_GPU_MOVE, 0);
	if (moved < 0) {
		check(errno == EBUSY, "the memory moves # SKIP this kernel pins it");
	} else {
		is(ioctl(gpu[0].fd, TEST_GPU_MOVE, 0), 0, "the memory moves there and back");
		usleep(200000); /* mapped again */
		test_move(c.handle);
	}
	close(card);
	return tap_end();
}
