// SPDX-License-Identifier: Apache-2.0
/*
 * dmabuf-test CARD GPU0 GPU1: dma-bufs of emulated GPU endpoints as registrations, and windows as dma-bufs. TAP. The GPUs,
 * given by PCI address, are bound to gpulink-test-gpu and are the endpoints of partitions 0 and 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <tap.h>
#include "gpulink_regs.h"
#include "lib/gpu.h"
#include "test-gpu/gpulink-test-gpu.h"

#define SECOND	   1000000000ULL
#define BYTES	   65536u
#define PIECE	   512u
#define MOVED_FROM 0xeeu /* test-gpu fills a buffer's old place with this */
#define MOVES	   40u

static int card;
static struct gpu gpu[2];
static unsigned to_gpu1; /* window */

static void refused(unsigned long call, void *arg, int error, const char *name)
{
	int ret;

	errno = 0;
	ret = ioctl(card, call, arg);
	if (ret != -1 || errno != error)
		printf("# returned %d, errno %d (%s), should be %d (%s)\n", ret, errno, strerror(errno), error, strerror(error));
	check(ret == -1 && errno == error, name);
}

static struct gpulink_ioctl_register_dmabuf registration(int fd, uint64_t offset, uint64_t bytes)
{
	return (struct gpulink_ioctl_register_dmabuf){
		.size = sizeof(struct gpulink_ioctl_register_dmabuf),
		.flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
		.fd = fd,
		.offset = offset,
		.bytes = bytes,
	};
}

static int drop(unsigned long call, unsigned handle)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = handle };

	return ioctl(card, call, &h);
}

static int release(void)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 10 * SECOND };

	return ioctl(card, GPULINK_IOCTL_RELEASE, &r);
}

/* Runs one entry between a window and a registration; returns its status, -1: no completion. */
static int move(unsigned opcode, unsigned handle, uint64_t offset, uint64_t window_offset, unsigned bytes)
{
	uint64_t sqe[8] = { opcode | (uint64_t)to_gpu1 << GLK_SQE_WINDOW_SHIFT | (uint64_t)bytes << GLK_SQE_LENGTH_SHIFT, 1,
			    window_offset, handle | offset << GLK_SQE_REGISTRATION_OFFSET_SHIFT };
	uint64_t cqe[2] = { 0 };
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (uintptr_t)sqe, .count = 1 };
	struct gpulink_ioctl_wait w = {
		.size = sizeof(w), .completions = (uintptr_t)cqe, .count = 1, .least = 1, .timeout_ns = 10 * SECOND
	};

	if (ioctl(card, GPULINK_IOCTL_SUBMIT, &s) || ioctl(card, GPULINK_IOCTL_WAIT, &w) || w.completed != 1)
		return -1;
	return (int)(cqe[1] >> GLK_CQE_STATUS_SHIFT & 0xffff);
}

/* Entries fail while the memory moves, and must succeed again afterwards. */
static int move_in_time(unsigned opcode, unsigned handle, uint64_t offset, uint64_t window_offset, unsigned bytes)
{
	int status = -1;

	for (unsigned i = 0; i < 1000; i++) {
		status = move(opcode, handle, offset, window_offset, bytes);
		if (status != GLK_ST_REGISTRATION)
			break;
		usleep(10000);
	}
	return status;
}

static void fill(uint8_t *memory, size_t bytes, unsigned seed)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = (uint8_t)((i * 7 + seed) % MOVED_FROM);
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

static void test_refusals(int buffer)
{
	struct gpulink_ioctl_register_dmabuf r = registration(-1, 0, BYTES);
	int null = open("/dev/null", O_RDWR);

	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EBADF, "no descriptor");
	r.fd = null;
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EINVAL, "a descriptor of something else");
	close(null);
	r = registration(buffer, 4096, BYTES);
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, ERANGE, "beyond the end of the buffer");
	r = registration(buffer, UINT64_MAX - 100, 200);
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, ERANGE, "an offset that wraps around");
	r = registration(buffer, 0, 0);
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, ERANGE, "no bytes");
	r = registration(buffer, 0, BYTES);
	r.flags = 0;
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EINVAL, "no right");
	r.flags = 0x80;
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EINVAL, "an unknown flag");
	r = registration(buffer, 0, BYTES);
	r.size = 24;
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EINVAL, "too short a structure");
}

/* The descriptor's access mode is a right to the memory, also to read it. */
static void test_modes(void)
{
	static const int modes[] = { O_RDONLY, O_WRONLY };
	static const unsigned rights[] = { GPULINK_ALLOW_READ, GPULINK_ALLOW_WRITE };

	for (unsigned i = 0; i < 2; i++) {
		int buffer = ioctl(gpu[0].fd, TEST_GPU_EXPORT_MODE, modes[i]) ? -1 : ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES);
		struct gpulink_ioctl_register_dmabuf r = registration(buffer, 0, BYTES);

		refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EACCES, "more rights than the descriptor has");
		r.flags = rights[!i];
		refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, EACCES, i ? "a right to read by a descriptor to write" :
								      "a right to write by a descriptor to read");
		r.flags = rights[i];
		check(!ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r) && !drop(GPULINK_IOCTL_UNREGISTER, r.handle), "its own right");
		close(buffer);
		usleep(100000); /* the last reference may go with a delay */
	}
	ioctl(gpu[0].fd, TEST_GPU_EXPORT_MODE, O_RDWR);
}

static void test_import(int buffer)
{
	/* Neither starts nor ends on a page boundary. */
	struct gpulink_ioctl_register_dmabuf r = registration(buffer, 4096 + 100, 3 * 4096);
	uint8_t *source = gpu[0].memory + r.offset;
	long now;

	check(!ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r), "a GPU's memory is registered");
	fill(gpu[0].memory, BYTES, 1);
	check(move(GLK_OP_PUT, r.handle, 40, 8, 5000) == GLK_ST_OK && !release(), "a put from it");
	check(same(gpu[1].memory + 8, source + 40, 5000), "the data of the put arrives");
	fill(gpu[1].memory, BYTES, 2);
	check(move(GLK_OP_GET, r.handle, 1000, 77, 4500) == GLK_ST_OK, "a get into it");
	check(same(source + 1000, gpu[1].memory + 77, 4500), "the data of the get arrives");
	check(move(GLK_OP_PUT, r.handle, 3 * 4096 - 10, 0, 11) == GLK_ST_REGISTRATION_BOUNDS, "a put one byte past the end is refused");

	now = ioctl(gpu[0].fd, TEST_GPU_MOVE, 0);
	if (now == -1 && errno == EBUSY) {
		tap_skip("the memory moves", "this kernel pins it");
		check(!drop(GPULINK_IOCTL_UNREGISTER, r.handle), "unregister");
		check(move(GLK_OP_PUT, r.handle, 0, 0, 8) == GLK_ST_REGISTRATION, "the card no longer has the registration");
		check(ioctl(gpu[0].fd, TEST_GPU_MOVE, 0) > 0 && !ioctl(gpu[0].fd, TEST_GPU_MOVE, 0), "the memory is no longer pinned");
		return;
	}
	check(now == (long)gpu[0].bytes / 2, "the memory moves");
	check(move_in_time(GLK_OP_PUT, r.handle, 0, 0, 4096) == GLK_ST_OK && !release(), "a put from the new place");
	check(same(gpu[1].memory, source + now, 4096), "the data of the put from the new place arrives");
	fill(gpu[1].memory, BYTES, 3);
	check(move(GLK_OP_GET, r.handle, 0, 0, 4096) == GLK_ST_OK && same(source + now, gpu[1].memory, 4096), "a get into the new place");
	check(source[0] == MOVED_FROM && source[4095] == MOVED_FROM, "nothing is written to the old place");
	check(!drop(GPULINK_IOCTL_UNREGISTER, r.handle), "unregister");
	check(move(GLK_OP_PUT, r.handle, 0, 0, 8) == GLK_ST_REGISTRATION, "the card no longer has the registration");
	check(ioctl(gpu[0].fd, TEST_GPU_MOVE, 0) == 0, "the memory moves back");
}

static atomic_bool done;

static void *keep_moving(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < MOVES; i++) {
		ioctl(gpu[0].fd, TEST_GPU_MOVE, 0);
		usleep(20000);
	}
	atomic_store(&done, true);
	return NULL;
}

/* Data read from the old place would show in the window as test-gpu's fill value. */
static void test_moves_under_traffic(int buffer)
{
	struct gpulink_ioctl_register_dmabuf r = registration(buffer, 0, BYTES);
	unsigned good = 0, refusals = 0, wrong = 0;
	pthread_t mover;
	int status;

	fill(gpu[0].memory, BYTES, 4);
	check(!ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r), "registered again");
	if (pthread_create(&mover, NULL, keep_moving, NULL))
		exit(2);
	for (unsigned i = 0; !atomic_load(&done); i++) {
		unsigned at = i * PIECE % BYTES;

		memset(gpu[1].memory + at, 0, PIECE);
		status = move(GLK_OP_PUT, r.handle, at, at, PIECE);
		good += status == GLK_ST_OK;
		refusals += status == GLK_ST_REGISTRATION;
		wrong += status != GLK_ST_OK && status != GLK_ST_REGISTRATION;
		if (status != GLK_ST_OK)
			continue;
		wrong += release() != 0;
		for (unsigned k = 0; k < PIECE; k++)
			wrong += gpu[1].memory[at + k] != ((at + k) * 7 + 4) % MOVED_FROM;
	}
	pthread_join(mover, NULL);
	printf("# %u puts, %u refused while the memory moved %u times\n", good, refusals, MOVES);
	check(good && !wrong, "puts while the memory moves are right or refused");
	check(move_in_time(GLK_OP_PUT, r.handle, 0, 0, 8) == GLK_ST_OK, "puts work afterwards");
	drop(GPULINK_IOCTL_UNREGISTER, r.handle);
}

static void *move_slowly(void *error)
{
	*(int *)error = ioctl(gpu[0].fd, TEST_GPU_MOVE, 600) == -1 ? errno : 0;
	atomic_store(&done, true);
	return NULL;
}

/* A slow move: from the exporter's notification until the memory is mapped again, the card neither reads nor writes the
 * old place. */
static void test_slow_move(int buffer)
{
	struct gpulink_ioctl_register_dmabuf r = registration(buffer, 0, BYTES);
	unsigned refused_puts = 0, refused_gets = 0, wrong = 0, untouched = 0;
	const uint8_t *old = gpu[0].memory; /* it is in the lower half */
	pthread_t mover;
	int error = 0;

	fill(gpu[0].memory, BYTES, 6);
	fill(gpu[1].memory + BYTES / 2, PIECE, 7);
	check(!ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r), "registered for a slow move");
	atomic_store(&done, false);
	if (pthread_create(&mover, NULL, move_slowly, &error))
		exit(2);
	while (!atomic_load(&done)) {
		int put = move(GLK_OP_PUT, r.handle, 0, 0, PIECE), get = move(GLK_OP_GET, r.handle, PIECE, BYTES / 2, PIECE);

		refused_puts += put == GLK_ST_REGISTRATION;
		refused_gets += get == GLK_ST_REGISTRATION;
		wrong += (put != GLK_ST_OK && put != GLK_ST_REGISTRATION) || (get != GLK_ST_OK && get != GLK_ST_REGISTRATION);
		wrong += put == GLK_ST_OK && (release() || gpu[1].memory[0] == MOVED_FROM);
	}
	pthread_join(mover, NULL);
	if (error == EBUSY) {
		tap_skip("a slow move", "this kernel pins the memory");
		drop(GPULINK_IOCTL_UNREGISTER, r.handle);
		return;
	}
	for (unsigned i = 0; i < BYTES; i++)
		untouched += old[i] == MOVED_FROM;
	printf("# %u puts and %u gets refused\n", refused_puts, refused_gets);
	check(refused_puts && refused_gets && !wrong, "puts and gets are refused during the move");
	check(untouched == BYTES, "nothing is written to the old place during the move");
	check(move_in_time(GLK_OP_PUT, r.handle, 0, 0, 8) == GLK_ST_OK && !drop(GPULINK_IOCTL_UNREGISTER, r.handle) &&
		      !ioctl(gpu[0].fd, TEST_GPU_MOVE, 0),
	      "it is found again");
}

/* A buffer in host memory, exported by an in-tree driver. */
static void test_udmabuf(void)
{
	struct udmabuf_create create = { .size = BYTES };
	int device = open("/dev/udmabuf", O_RDWR), memory, buffer = -1;
	struct gpulink_ioctl_register_dmabuf r;
	uint8_t *bytes;

	if (device < 0) {
		tap_skip("host memory by udmabuf", "this kernel has no udmabuf");
		return;
	}
	memory = memfd_create("host", MFD_ALLOW_SEALING);
	if (memory >= 0 && !ftruncate(memory, BYTES) && !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK)) {
		create.memfd = (uint32_t)memory;
		buffer = ioctl(device, UDMABUF_CREATE, &create);
	}
	bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	r = registration(buffer, 0, BYTES);
	if (buffer >= 0 && bytes != MAP_FAILED)
		fill(bytes, BYTES, 5);
	check(buffer >= 0 && bytes != MAP_FAILED && !ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r) &&
		      move(GLK_OP_PUT, r.handle, 3, 5, 20000) == GLK_ST_OK && !release() &&
		      same(gpu[1].memory + 5, bytes + 3, 20000) && !drop(GPULINK_IOCTL_UNREGISTER, r.handle),
	      "host memory by udmabuf");
	close(buffer);
	close(memory);
	close(device);
}

static void test_ends(void)
{
	struct gpulink_ioctl_register_dmabuf r;
	int other = open("/dev/gpulink0", O_RDWR | O_CLOEXEC), buffer = ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES);

	r = registration(buffer, 0, BYTES);
	check(buffer >= 0 && other >= 0 && !ioctl(other, GPULINK_IOCTL_REGISTER_DMABUF, &r), "another file registers it");
	close(buffer);
	errno = 0;
	check(ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES) == -1 && errno == EBUSY, "a registration keeps the buffer");
	close(other);
	buffer = ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES);
	check(buffer >= 0, "closing the file releases the buffer");
	close(buffer);
}

static void test_export(unsigned window)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = 0xfff };
	struct gpulink_ioctl_register_dmabuf r;
	int buffer;

	refused(GPULINK_IOCTL_WINDOW_EXPORT, &h, ENOENT, "an unknown window is not exported");
	h.handle = window;
	buffer = ioctl(card, GPULINK_IOCTL_WINDOW_EXPORT, &h);
	check(buffer >= 0, "a window is exported");
	r = registration(buffer, 0, BYTES);
	refused(GPULINK_IOCTL_REGISTER_DMABUF, &r, ELOOP, "the card does not register its own window");
	check(!ioctl(gpu[0].fd, TEST_GPU_IMPORT, buffer), "another device maps it");
	check(!ioctl(gpu[0].fd, TEST_GPU_STORE, 0x1122334455667788) && !release(), "the device stores through it");
	check(*(volatile uint64_t *)(void *)gpu[1].memory == 0x1122334455667788, "the store arrives");
	check(!drop(GPULINK_IOCTL_WINDOW_UNMAP, window), "the window is unmapped");
	errno = 0;
	check(ioctl(gpu[0].fd, TEST_GPU_STORE, 1) == -1 && errno == ENXIO, "the other device's mapping is revoked");
	check(!ioctl(gpu[0].fd, TEST_GPU_DROP, 0), "the other device detaches");
	errno = 0;
	check(ioctl(gpu[0].fd, TEST_GPU_IMPORT, buffer) == -1 && errno == ENODEV, "the revoked buffer cannot be mapped again");
	close(buffer);
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool open_window(int file, struct gpulink_ioctl_window_map *w, uint64_t offset)
{
	*w = (struct gpulink_ioctl_window_map){ .size = sizeof(*w),
						.flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
						.partition = 1,
						.offset = offset,
						.bytes = BYTES };
	return !ioctl(file, GPULINK_IOCTL_WINDOW_MAP, w);
}

static int close_window(int file, unsigned handle)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = handle };

	return ioctl(file, GPULINK_IOCTL_WINDOW_UNMAP, &h);
}

static unsigned used_slices(void)
{
	unsigned count = ~0u;
	FILE *f = fopen("/sys/class/gpulink/gpulink0/usage/slices", "r");

	if (f && fscanf(f, "%u", &count) != 1)
		count = ~0u;
	if (f)
		fclose(f);
	return count;
}

static bool become_free(unsigned slices)
{
	for (unsigned i = 0; i < 50; i++) {
		usleep(100000);
		if (used_slices() == slices)
			return true;
	}
	return false;
}

/* Another user, which keeps mapping windows, storing and releasing. */
struct bystander {
	int file;
	unsigned rounds, failures;
	double longest;
};

static void *stand_by(void *argument)
{
	struct bystander *b = argument;
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 10 * SECOND };
	struct gpulink_ioctl_window_map w;
	volatile uint64_t *words;
	double begin, took;

	while (!atomic_load(&done)) {
		begin = seconds();
		words = NULL;
		if (open_window(b->file, &w, 16 * BYTES))
			words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, (off_t)w.mmap_offset);
		if (!words || words == MAP_FAILED) {
			b->failures++;
			break;
		}
		words[1] = b->rounds;
		b->failures += ioctl(b->file, GPULINK_IOCTL_RELEASE, &r) || munmap((void *)(uintptr_t)words, BYTES) ||
			       close_window(b->file, w.handle);
		took = seconds() - begin;
		b->longest = took > b->longest ? took : b->longest;
		b->rounds++;
	}
	return NULL;
}

/* Devices that keep their window mappings after revocation, with operations in flight. */
static void test_lagging_devices(void)
{
	int file = open("/dev/gpulink0", O_RDWR | O_CLOEXEC), other = open("/dev/gpulink0", O_RDWR | O_CLOEXEC), buffer[2];
	struct bystander by = { .file = open("/dev/gpulink0", O_RDWR | O_CLOEXEC) };
	struct gpulink_ioctl_window_map w[2], next[2];
	unsigned before = used_slices();
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 10 * SECOND };
	const volatile uint64_t *victim = (const volatile void *)(gpu[1].memory + 8 * BYTES);
	double begin, unmap_took, close_took;
	pthread_t thread;
	bool ok = true;

	for (unsigned i = 0; i < 2; i++) {
		struct gpulink_ioctl_handle h = { .size = sizeof(h) };

		ok = ok && open_window(file, &w[i], i * BYTES);
		h.handle = w[i].handle;
		buffer[i] = ioctl(file, GPULINK_IOCTL_WINDOW_EXPORT, &h);
		ok = ok && !ioctl(gpu[i].fd, TEST_GPU_LAG, TEST_GPU_LAG_MAPPING | TEST_GPU_LAG_FENCE) &&
		     !ioctl(gpu[i].fd, TEST_GPU_IMPORT, buffer[i]);
	}
	check(ok && !ioctl(gpu[0].fd, TEST_GPU_STORE, 1), "two devices that ignore revocation map windows");
	atomic_store(&done, false);
	if (pthread_create(&thread, NULL, stand_by, &by))
		exit(2);
	begin = seconds();
	check(!close_window(file, w[0].handle), "one window is unmapped");
	unmap_took = seconds() - begin;
	begin = seconds();
	close(file);
	close_took = seconds() - begin;
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	printf("# unmap %.3f s, close %.3f s; %u rounds of another user, the longest %.3f s\n", unmap_took, close_took, by.rounds,
	       by.longest);
	check(unmap_took < 2.5, "the unmap waits at most 2 s for the device");
	check(close_took < 1, "closing the file does not wait for the device");
	check(by.rounds && !by.failures && by.longest < 1, "no other user waits");

	memset(gpu[1].memory + 8 * BYTES, 0, 2 * BYTES);
	ok = open_window(other, &next[0], 8 * BYTES) && open_window(other, &next[1], 9 * BYTES);
	check(ok && next[0].handle != w[0].handle && next[0].handle != w[1].handle && next[1].handle != w[0].handle &&
		      next[1].handle != w[1].handle, "their slices are not used again");
	ok = !ioctl(gpu[0].fd, TEST_GPU_STORE, 0x55) && !ioctl(gpu[1].fd, TEST_GPU_STORE, 0x55);
	ok = ok && !ioctl(other, GPULINK_IOCTL_RELEASE, &r);
	check(ok && victim[0] == 0 && victim[BYTES / 8] == 0, "a late store reaches no other window");
	check(used_slices() > before + 1, "the slices count as used");
	close(other);
	close(by.file);
	check(!ioctl(gpu[0].fd, TEST_GPU_DROP, 0) && !ioctl(gpu[1].fd, TEST_GPU_DROP, 0), "the devices drop their mappings");
	check(become_free(before), "the slices become free");
	close(buffer[0]);
	close(buffer[1]);
}

/* The memory moves during a card reset, between the revocation of mappings and the end of bus mastering. */
static void test_move_in_reset(void)
{
	struct gpulink_ioctl_window_map w = { .size = sizeof(w), .flags = GPULINK_ALLOW_WRITE, .partition = 1, .bytes = BYTES };
	struct gpulink_ioctl_handle h = { .size = sizeof(h) };
	int other = open("/dev/gpulink0", O_RDWR | O_CLOEXEC), buffer = ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES), window;
	struct gpulink_ioctl_register_dmabuf r = registration(buffer, 0, BYTES);
	struct gpulink_ioctl_window_map next;
	double begin;
	int fresh;

	check(buffer >= 0 && !ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r), "registered before a reset");
	check(other >= 0 && !ioctl(other, GPULINK_IOCTL_WINDOW_MAP, &w), "a window of another file");
	h.handle = w.handle;
	window = ioctl(other, GPULINK_IOCTL_WINDOW_EXPORT, &h);
	check(window >= 0 && !ioctl(gpu[1].fd, TEST_GPU_LAG, TEST_GPU_LAG_FENCE) &&
		      !ioctl(gpu[1].fd, TEST_GPU_IMPORT, window), "which a device maps");
	begin = seconds();
	check(!ioctl(gpu[0].fd, TEST_GPU_MOVE_ON_REVOKE, 0) && write_file("/sys/class/gpulink/gpulink0/reset", "1"), "the card is reset");
	check(seconds() - begin < 1.5, "the reset does not wait for the device");
	check(ioctl(gpu[0].fd, TEST_GPU_MOVE, 0) == 0, "the memory moved meanwhile");
	check(ioctl(gpu[0].fd, TEST_GPU_REACHED, 0) == 0, "no move left the card access to the old place");
	fresh = open("/dev/gpulink0", O_RDWR | O_CLOEXEC);
	check(fresh >= 0 && used_slices() == 1 && open_window(fresh, &next, 0) && next.handle != w.handle,
	      "the slice that the device may still reach is not used again, with its file open");
	check(!ioctl(gpu[1].fd, TEST_GPU_DROP, 0) && become_free(1), "the device detaches, and the slice is free");
	close(fresh);
	close(window);
	close(other);
	check(ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES) == -1 && errno == EBUSY && !close(buffer), "the buffer is still open");
	buffer = ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES);
	check(buffer >= 0, "the stale registration does not keep it");
	close(buffer);
}

/* Unbinds and binds the card while a device maps one of its windows. Leaves the card without endpoints. */
static void test_unbind(void)
{
	const char *address = "0000:00:04.0";
	struct gpulink_ioctl_handle h = { .size = sizeof(h) };
	int file = open("/dev/gpulink0", O_RDWR | O_CLOEXEC), buffer;
	struct gpulink_ioctl_window_map w;
	double begin;
	bool ok;

	ok = open_window(file, &w, 0);
	h.handle = w.handle;
	buffer = ioctl(file, GPULINK_IOCTL_WINDOW_EXPORT, &h);
	check(ok && buffer >= 0 && !ioctl(gpu[0].fd, TEST_GPU_LAG, TEST_GPU_LAG_MAPPING) &&
		      !ioctl(gpu[0].fd, TEST_GPU_IMPORT, buffer), "a device that will not let go maps a window");
	begin = seconds();
	check(write_file("/sys/bus/pci/drivers/gpulink/unbind", address), "the card is unbound");
	check(seconds() - begin < 4, "the unbind ends in time");
	check(write_file("/sys/bus/pci/drivers/gpulink/bind", address), "the card is bound again");
	check(used_slices() > 0 && used_slices() != ~0u, "the slices are still in use");
	check(!ioctl(gpu[0].fd, TEST_GPU_DROP, 0) && become_free(0), "the slices become free when the device drops its mapping");
	close(buffer);
	close(file);
}

int main(int argc, char **argv)
{
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .partition = 1, .bytes = BYTES
	};
	struct gpulink_ioctl_handle h = { .size = sizeof(h) };
	bool exports;
	int buffer;

	if (argc != 4) {
		fprintf(stderr, "usage: %s CARD GPU0 GPU1\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	card = open(argv[1], O_RDWR | O_CLOEXEC);
	check(card >= 0 && gpu_open(&gpu[0], argv[2]) && gpu_open(&gpu[1], argv[3]), "card and GPUs open");
	check(!ioctl(card, GPULINK_IOCTL_WINDOW_MAP, &w), "a window to the second GPU");
	if (tap_bad)
		return 1;
	to_gpu1 = w.handle;
	test_modes();
	buffer = ioctl(gpu[0].fd, TEST_GPU_EXPORT, BYTES);
	check(buffer >= 0, "the first GPU's driver exports its memory");
	test_refusals(buffer);
	test_import(buffer);
	test_moves_under_traffic(buffer);
	test_slow_move(buffer);
	close(buffer);
	test_udmabuf();
	test_ends();
	h.handle = to_gpu1;
	exports = ioctl(card, GPULINK_IOCTL_WINDOW_EXPORT, &h) != -1 || errno != EOPNOTSUPP;
	if (!exports)
		tap_skip("windows are exported", "this kernel exports no windows");
	else
		test_export(to_gpu1);
	if (exports) {
		test_lagging_devices();
		test_move_in_reset();
		close(card);
		test_unbind();
	}
	return tap_end();
}
