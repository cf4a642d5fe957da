// SPDX-License-Identifier: Apache-2.0
/*
 * proof-test CARD SYSFS GPU MEMORY: windows on dma-bufs of an emulated GPU (/dev/gpulink-test-gpu-*), which is the endpoint of
 * partition 0 and whose BAR is file MEMORY. TAP. Runs as root; the windows are opened by a user without any range.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "test-gpu/gpulink-test-gpu.h"

enum { USER = 1000, BYTES = 65536, RW = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, MOVES = 40, MOVED_FROM = 0xee };

static int card, gpu;
static const char *card_name, *folder;
static uint8_t *memory; /* the GPU's, as the CPU sees it */
static size_t half, slice, page;

static int open_window(int fd, uint64_t offset, uint64_t bytes, unsigned rights, struct gpulink_ioctl_window_dmabuf *out)
{
	struct gpulink_ioctl_window_dmabuf w = {
		.size = sizeof(w), .flags = rights, .fd = fd, .offset = offset, .bytes = bytes
	};
	int error = ioctl(card, GPULINK_IOCTL_WINDOW_DMABUF, &w) ? -errno : (int)w.handle;

	if (out)
		*out = w;
	return error;
}

static volatile uint64_t *map(const struct gpulink_ioctl_window_dmabuf *w)
{
	return mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)w->mmap_offset);
}

static bool all_are(const uint8_t *from, size_t bytes, uint8_t value)
{
	for (size_t i = 0; i < bytes; i++)
		if (from[i] != value) {
			printf("# byte %zu is %02x\n", i, from[i]);
			return false;
		}
	return true;
}

static void test_refusals(int buffer)
{
	struct gpulink_ioctl_window_dmabuf w = { .size = sizeof(w), .flags = RW, .fd = buffer, .bytes = BYTES, .reserved = 1 };
	int null = open("/dev/null", O_RDWR);

	is(card_window(card, 0, 0, 4096, NULL), -EACCES, "the user has no right to the endpoint");
	is(open_window(-1, 0, BYTES, RW, NULL), -EBADF, "no descriptor");
	is(open_window(null, 0, BYTES, RW, NULL), -EINVAL, "a descriptor of something else");
	is(open_window(buffer, page, BYTES, RW, NULL), -ERANGE, "beyond the end of the buffer");
	is(open_window(buffer, UINT64_MAX - page + 1, 2 * page, RW, NULL), -ERANGE, "an offset that wraps around");
	is(open_window(buffer, 0, 0, RW, NULL), -EINVAL, "no bytes");
	is(open_window(buffer, 100, page, RW, NULL), -EINVAL, "an unaligned offset");
	is(open_window(buffer, 0, 100, RW, NULL), -EINVAL, "an unaligned length");
	is(open_window(buffer, 0, BYTES, 0, NULL), -EINVAL, "no right");
	is(open_window(buffer, 0, BYTES, 8, NULL), -EINVAL, "an unknown flag");
	is(ioctl(card, GPULINK_IOCTL_WINDOW_DMABUF, &w) ? -errno : 0, -EINVAL, "a reserved field");
	close(null);
}

/* Memory that is not a GPU's, and whose descriptor proves nothing about an endpoint. */
static void test_udmabuf(void)
{
	struct udmabuf_create create = { .size = BYTES };
	int file = memfd_create("memory", MFD_ALLOW_SEALING), device = open("/dev/udmabuf", O_RDWR), buffer;

	if (device < 0) {
		tap_skip("a dma-buf of process memory", "no udmabuf");
		return;
	}
	create.memfd = (uint32_t)file;
	buffer =
		ftruncate(file, BYTES) || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) ? -1 : ioctl(device, UDMABUF_CREATE, &create);
	is(open_window(buffer, 0, BYTES, RW, NULL), -ENXIO, "a dma-buf of process memory is refused");
	close(buffer);
	close(device);
	close(file);
}

static void test_stores(int buffer)
{
	struct gpulink_ioctl_window_dmabuf w;
	uint8_t *start = memory + 2 * page;
	volatile uint64_t *words;
	struct cqe done;
	struct sqe e;
	int window;

	memset(memory, 1, half);
	window = open_window(buffer, 2 * page, 16384, RW, &w);
	check(window >= 0 && w.partition == 0, "the descriptor opens a window");
	words = map(&w);
	if (window < 0 || words == MAP_FAILED)
		return;
	words[0] = 0x1234;
	words[16384 / 8 - 1] = 0x5678;
	e = put_inline((unsigned)window, 64, 0x9abc, 0);
	check(!card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_OK && !card_release(card, NULL), "stores and a put");
	check(*(uint64_t *)start == 0x1234 && *(uint64_t *)(start + 16384 - 8) == 0x5678 &&
		      *(uint64_t *)(start + 64) == 0x9abc,
	      "they arrive in the buffer");
	check(words[0] == 0x1234, "a load returns them");
	check(all_are(memory, 2 * page, 1) && all_are(start + 16384, BYTES, 1), "nothing arrives around it");
	e = put_inline((unsigned)window, 16384, 666, 0);
	check(!card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_WINDOW_BOUNDS, "a put behind the window is refused");
	is(card_unmap(card, (unsigned)window), 0, "it is unmapped");
	check(!card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_WINDOW, "then its handle is refused");
	munmap((void *)words, w.bytes);
	window = open_window(buffer, 0, BYTES, GPULINK_ALLOW_READ, &w);
	e = put_inline((unsigned)window, 0, 666, 0);
	check(window >= 0 && !card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_PERMISSION,
	      "a window for reading is not for puts");
	card_unmap(card, (unsigned)window);
}

static atomic_bool done_moving;
static int move_error;

static void *keep_moving(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < MOVES && !move_error; i++) {
		move_error = ioctl(gpu, TEST_GPU_MOVE, i % 8 ? 0 : 200) < 0 ? errno : 0;
		usleep(20000);
	}
	atomic_store(&done_moving, true);
	return NULL;
}

/* Every store arrives, at the place where the buffer is then, and none where it was. */
static void test_moves(int buffer)
{
	struct gpulink_ioctl_window_dmabuf w;
	int window = open_window(buffer, 0, BYTES, RW, &w);
	uint64_t last[BYTES / 8] = { 0 }, round = 0;
	unsigned waits = 0, puts = 0, refused = 0, wrong = 0;
	volatile uint64_t *words = map(&w);
	pthread_t mover;
	uint32_t errors = 0;
	uint8_t *now, *before;

	check(window >= 0 && words != MAP_FAILED, "a window on a buffer that will move");
	for (unsigned i = 0; i < BYTES / 8; i++)
		words[i] = 0;
	if (card_release(card, NULL) || pthread_create(&mover, NULL, keep_moving, NULL))
		exit(2);
	while (!atomic_load(&done_moving)) {
		unsigned at = (unsigned)(++round * 61 % (BYTES / 16));
		struct sqe e = put_inline((unsigned)window, BYTES / 2 + 8 * at, round, 0);
		struct cqe done;

		words[at] = last[at] = round; /* waits during a move */
		if (card_run(card, &e, 1, &done) || (status_of(&done) != GLK_ST_OK && status_of(&done) != GLK_ST_WINDOW))
			wrong++;
		else if (status_of(&done) == GLK_ST_OK)
			last[BYTES / 16 + at] = round, puts++;
		else
			refused++;
		wrong += words[at] != round;
		waits += card_release(card, &errors) != 0;
	}
	pthread_join(mover, NULL);
	if (move_error == EBUSY) {
		tap_skip("moves under traffic", "this kernel pins mapped buffers");
	} else {
		card_release(card, &errors);
		now = memory + (MOVES % 2 ? half : 0);
		before = memory + (MOVES % 2 ? 0 : half);
		printf("# %lu stores, %u puts, %u refused, %u errors\n", (unsigned long)round, puts, refused, errors);
		check(round > MOVES && puts && !wrong && !waits && !errors, "stores during moves wait, puts are refused or right");
		check(!memcmp(now, last, BYTES), "every store arrived");
		check(all_are(before, BYTES, MOVED_FROM), "none arrived where the buffer was");
	}
	munmap((void *)words, BYTES);
	is(card_unmap(card, (unsigned)window), 0, "it is unmapped after the moves");
}

static int export_pieces(uint64_t bytes, uint64_t piece)
{
	struct test_gpu_pieces pieces = { .bytes = bytes, .piece = piece };

	return ioctl(gpu, TEST_GPU_EXPORT_PIECES, &pieces);
}

static void test_scattered(void)
{
	struct gpulink_ioctl_window_dmabuf w;
	volatile uint64_t *words;
	size_t bytes = 4 * slice, slots = half / slice;
	int buffer = export_pieces(bytes, slice), window = open_window(buffer, 0, bytes, RW, &w);
	bool arrived = true;

	words = window < 0 ? MAP_FAILED : map(&w);
	check(buffer >= 0 && words != MAP_FAILED, "a buffer that is scattered in runs of slices");
	if (words == MAP_FAILED)
		return;
	for (unsigned i = 0; i < 4; i++)
		words[i * slice / 8] = 100 + i;
	arrived = !card_release(card, NULL);
	for (unsigned i = 0; i < 4; i++)
		arrived = arrived && *(uint64_t *)(memory + TEST_GPU_PIECE(i, slots) * slice) == 100 + i;
	check(arrived, "its stores arrive in the pieces");
	munmap((void *)words, bytes);
	card_unmap(card, (unsigned)window);
	close(buffer);
	usleep(100000);
	buffer = export_pieces(bytes, slice / 2);
	is(open_window(buffer, 0, bytes, RW, NULL), -EOPNOTSUPP, "smaller pieces are refused");
	close(buffer);
	usleep(100000);
}

static bool endpoint_is(const char *should)
{
	char path[256], name[80] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/partitions/0/endpoint", folder);
	file = fopen(path, "r");
	if (!file || !fgets(name, sizeof(name), file))
		name[0] = '\0';
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, should);
}

static long write_file(const char *file, const char *text)
{
	char path[256];
	int fd, error = 0;

	snprintf(path, sizeof(path), "%s/partitions/0/%s", folder, file);
	if (seteuid(0))
		return -EPERM;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return seteuid(USER) ? -EPERM : error;
}

/* Root needs no range. */
static int open_beside(int *window)
{
	int fd = seteuid(0) ? -1 : open(card_name, O_RDWR | O_CLOEXEC);

	*window = card_window(fd, 0, BYTES, BYTES, NULL);
	return seteuid(USER) ? -1 : fd;
}

static void *move_slowly(void *unused)
{
	(void)unused;
	return ioctl(gpu, TEST_GPU_MOVE, 1000) < 0 ? (void *)1 : NULL;
}

/* The buffer moves, and the card does not drain the stores to it: the endpoint is cut off, for all of its users. */
static void test_cut(void)
{
	struct gpulink_ioctl_window_dmabuf w;
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES), window = open_window(buffer, 0, BYTES, RW, &w);
	int beside, other = open_beside(&beside);
	volatile uint64_t *words = map(&w);
	uint32_t errors = 0;
	pthread_t mover;
	struct cqe done;
	struct sqe e;
	void *moved;

	check(window >= 0 && words != MAP_FAILED && beside >= 0, "a window on a buffer that moves without a drain, and one beside");
	is(write_file("flush_timeout_ns", "0"), 0, "stores stay queued until they are flushed");
	words[0] = 1;
	check(!card_release(card, NULL), "its stores arrive");
	e = put_inline((unsigned)window, 0, 666, 0);
	check(!card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_OK && *(uint64_t *)memory == 1, "a put is queued");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 1000), 0, "drains fail");
	if (pthread_create(&mover, NULL, move_slowly, NULL))
		exit(2);
	usleep(500000);
	e = put_inline((unsigned)window, 8, 666, 0);
	check(!card_run(card, &e, 1, &done) && status_of(&done) != GLK_ST_OK, "a put during the move is refused");
	e = put_inline((unsigned)beside, 0, 666, 0);
	check(card_run(other, &e, 1, &done) || status_of(&done) != GLK_ST_OK || card_release(other, NULL),
	      "and one beside it: the card has no endpoint");
	check(card_release(card, &errors) || errors || *(uint64_t *)(memory + half) == 666,
	      "the queued put arrived before the move, or is reported as lost");
	pthread_join(mover, &moved);
	check(!moved, "the buffer moved");
	check(all_are(memory, BYTES, MOVED_FROM), "nothing arrived where the buffer was");
	words[2] = 666; /* waited for the move, and finds no endpoint */
	check(card_release(card, &errors) || errors, "later stores are reported as lost");
	check(all_are(memory, BYTES, MOVED_FROM) && *(uint64_t *)(memory + half + 16) != 666, "and do not arrive");
	check(endpoint_is("none"), "the partition has lost its endpoint");
	is(write_file("endpoint", "0000:00:08.0 0"), -EBUSY, "it gets none while the stores do not drain");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 0), 0, "drains work again");
	is(write_file("endpoint", "0000:00:08.0 0"), 0, "the endpoint is set again");
	check(all_are(memory, BYTES, MOVED_FROM), "that flushes nothing to the old place");
	close(other);
	munmap((void *)words, BYTES);
	is(card_unmap(card, (unsigned)window), 0, "the revoked window is unmapped");
	ioctl(gpu, TEST_GPU_MOVE, 0); /* back */
	close(buffer);
	usleep(100000);
}

/* Waits until the partition has no endpoint; only a failure takes as long as the deadline. */
static bool endpoint_goes(void)
{
	for (unsigned i = 0; i < 300 && !endpoint_is("none"); i++)
		usleep(100000);
	return endpoint_is("none");
}

/* The partition works after its endpoint was cut off: it gets the endpoint again, and a put arrives. */
static void works_again(const char *name)
{
	int fd, window;
	struct cqe done;
	struct sqe e;

	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 0), 0, "drains work again");
	is(write_file("endpoint", "0000:00:08.0 0"), 0, "the endpoint is set again");
	fd = open_beside(&window);
	e = put_inline((unsigned)window, 0, 4711, 0);
	check(window >= 0 && !card_run(fd, &e, 1, &done) && status_of(&done) == GLK_ST_OK && !card_release(fd, NULL) &&
		      *(uint64_t *)(memory + BYTES) == 4711,
	      name);
	close(fd);
}

/* As test_cut(), but the window is closed before the move ends. */
static void test_cut_and_closed(void)
{
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES), window = open_window(buffer, 0, BYTES, RW, NULL);
	struct sqe e = put_inline((unsigned)window, 0, 666, 0);
	pthread_t mover;
	struct cqe done;
	void *moved;

	check(window >= 0, "a window that is closed while its buffer moves without a drain");
	is(write_file("flush_timeout_ns", "0"), 0, "stores stay queued until they are flushed");
	check(!card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_OK, "a put is queued");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 1000), 0, "drains fail");
	if (pthread_create(&mover, NULL, move_slowly, NULL))
		exit(2);
	usleep(500000);
	is(card_unmap(card, (unsigned)window), 0, "the window is closed during the move");
	pthread_join(mover, &moved);
	check(!moved, "the buffer moved");
	check(endpoint_goes(), "the partition has lost its endpoint");
	works_again("a put through the new endpoint arrives");
	check(all_are(memory, BYTES, MOVED_FROM), "nothing arrived where the buffer was");
	ioctl(gpu, TEST_GPU_MOVE, 0); /* back */
	close(buffer);
	usleep(100000);
}

/* A window is closed, and the stores to its buffer do not drain: they must not arrive when the memory has another owner. */
static void test_closed_undrained(void)
{
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES), window = open_window(buffer, 0, BYTES, RW, NULL);
	struct sqe e = put_inline((unsigned)window, 0, 666, 0);
	struct cqe done;

	check(window >= 0, "a window that is closed without a drain");
	check(!card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_OK, "a put is queued");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 1000), 0, "drains fail");
	card_unmap(card, (unsigned)window);
	close(buffer);
	memset(memory, 0x11, BYTES); /* the next owner's */
	check(endpoint_goes(), "the partition has lost its endpoint");
	works_again("a put through the next endpoint arrives");
	check(all_are(memory, BYTES, 0x11), "the queued put never arrived");
	usleep(100000);
}

/* --- ranges --- */

static int open_range(void)
{
	int fd = open(card_name, O_RDWR | O_CLOEXEC), window = card_window(fd, 0, 0, BYTES, NULL);

	close(fd);
	return window < 0 ? window : 0;
}

static bool range_exists(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/partitions/0/ranges/%s", folder, name);
	return !access(path, F_OK);
}

/* A right to memory is taken away while its user's stores do not drain: the memory is not for somebody else yet. */
static void test_range(void)
{
	const char *mine = "mine 0 65536 1000 - rw", *next = "next 4096 4096 1001 - rw", *beside = "beside 65536 4096 1001 - rw";
	int window, reset;
	char path[256];
	struct cqe done;
	struct sqe e;

	is(write_file("ranges/add", mine), 0, "a range of the user");
	window = card_window(card, 0, 0, BYTES, NULL);
	e = put_inline((unsigned)window, 0, 666, 0);
	check(window >= 0 && !card_run(card, &e, 1, &done) && status_of(&done) == GLK_ST_OK, "a put to it is queued");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 1000), 0, "drains fail");
	is(write_file("ranges/remove", "mine"), -EBUSY, "its removal says that stores may still arrive");
	check(range_exists("mine"), "it is still shown");
	is(open_range(), -EACCES, "it grants nothing");
	is(write_file("ranges/add", next), -EBUSY, "nobody else gets its memory");
	is(write_file("ranges/add", mine), -EBUSY, "nor its name");
	is(write_file("ranges/add", beside), 0, "memory beside it can be granted");
	is(write_file("ranges/remove", "mine"), -EBUSY, "it is not removed");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 0), 0, "drains work again");
	is(write_file("ranges/remove", "mine"), 0, "now it is");
	check(!range_exists("mine"), "and gone");
	is(write_file("ranges/add", mine) ?: open_range(), 0, "the range is added again");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 1000), 0, "drains fail");
	is(write_file("ranges/remove", "mine"), -EBUSY, "a removal without a drain");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 0), 0, "drains work again");
	is(write_file("ranges/add", mine) ?: open_range(), 0, "the same range replaces it");
	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, 1000), 0, "drains fail");
	is(write_file("ranges/remove", "mine"), -EBUSY, "a removal without a drain, and a reset");
	snprintf(path, sizeof(path), "%s/reset", folder);
	reset = seteuid(0) ? -1 : open(path, O_WRONLY | O_CLOEXEC);
	is(write(reset, "1", 1), 1, "the card is reset");
	close(reset);
	ioctl(gpu, TEST_GPU_FAIL_DRAINS, 0);
	check(!seteuid(USER) && !range_exists("mine") && range_exists("beside"), "that removes the range");
	close(card);
	card = open(card_name, O_RDWR | O_CLOEXEC);
	is(write_file("ranges/remove", "beside"), 0, "the other one is removed");
}

/* --- what ends with a reset, and with the binding of the driver --- */

static bool write_root(const char *path, const char *text)
{
	int fd = seteuid(0) ? -1 : open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return !seteuid(USER) && ok;
}

static int attached(void)
{
	return ioctl(gpu, TEST_GPU_ATTACHED);
}

/* The file stays open, and its window too, but nothing of it holds the buffer or is charged. */
static void test_reset(void)
{
	const char *limit = "/sys/module/gpulink/parameters/max_dmabuf_bytes_per_user";
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES), stale = card, again;
	char path[256], before[32] = "";
	FILE *file = fopen(limit, "r");

	if (!file || !fgets(before, sizeof(before), file))
		printf("# no limit\n");
	if (file)
		fclose(file);
	check(write_root(limit, "65536"), "a user may map one buffer");
	check(open_window(buffer, 0, BYTES, RW, NULL) >= 0, "a window on it");
	is(open_window(buffer, 0, BYTES, RW, NULL), -EDQUOT, "and no other one");
	snprintf(path, sizeof(path), "%s/reset", folder);
	check(write_root(path, "1"), "the card is reset");
	card = open(card_name, O_RDWR | O_CLOEXEC);
	again = open_window(buffer, 0, BYTES, RW, NULL);
	check(again >= 0, "the reset has given back what the stale file was charged for");
	is(card_unmap(card, (unsigned)again), 0, "that window is closed");
	close(buffer);
	usleep(100000); /* the last reference may go with a delay */
	buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES);
	check(buffer >= 0, "the stale window does not keep the buffer");
	close(buffer);
	usleep(100000);
	close(stale);
	check(write_root(limit, before), "the limit is as before");
}

static int register_buffer(int buffer)
{
	struct gpulink_ioctl_register_dmabuf r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ, .fd = buffer, .bytes = BYTES
	};

	return ioctl(card, GPULINK_IOCTL_REGISTER_DMABUF, &r) ? -errno : (int)r.handle;
}

/* Nothing stays attached to, or is attached by, a device that has no driver, although the file stays open. */
static void test_unbind(const char *address)
{
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES), count;

	check(open_window(buffer, 0, BYTES, RW, NULL) >= 0 && register_buffer(buffer) >= 0, "a window and a registration of a buffer");
	check(write_root("/sys/bus/pci/drivers/gpulink/unbind", address), "the card is unbound");
	count = attached();
	is(register_buffer(buffer), -ENODEV, "the buffer cannot be registered");
	is(open_window(buffer, 0, BYTES, RW, NULL), -ENODEV, "nor can a window be opened on it");
	is(attached(), count, "neither attaches it to the device");
	check(ioctl(gpu, TEST_GPU_MOVE, 0) > 0 && !ioctl(gpu, TEST_GPU_MOVE, 0), "the buffer can move: nothing pins it");
	close(buffer);
	usleep(100000);
	buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES);
	check(buffer >= 0, "and the file does not keep it");
	close(buffer);
	usleep(100000);
	check(write_root("/sys/bus/pci/drivers/gpulink/bind", address), "the card is bound again");
	close(card);
	if (seteuid(0) || chmod(card_name, 0666) || seteuid(USER))
		exit(2);
	card = open(card_name, O_RDWR | O_CLOEXEC);
	is(write_file("endpoint", "0000:00:08.0 0"), 0, "the endpoint is set again");
}

/* The endpoint is removed under the window: it is revoked. */
static void test_end(void)
{
	struct gpulink_ioctl_window_dmabuf w;
	char name[256];
	uint32_t before = 0, errors = 0;
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES), file;
	volatile uint64_t *words;

	snprintf(name, sizeof(name), "%s/partitions/0/endpoint", folder);
	check(open_window(buffer, 0, BYTES, RW, &w) >= 0, "one more window");
	words = map(&w);
	card_release(card, &before);
	words[0] = 1;
	check(!card_release(card, &errors) && errors == before, "it works");
	check(!seteuid(0) && (file = open(name, O_WRONLY)) >= 0 && write(file, "none", 4) == 4, "its endpoint is removed");
	words[1] = 666;
	check(!card_release(card, &errors) && errors > before, "it is revoked");
	ioctl(gpu, TEST_GPU_MOVE, 0);
	words[2] = 666;
	check(!card_release(card, NULL) && *(uint64_t *)(memory + 8) != 666 && *(uint64_t *)(memory + half + 8) != 666,
	      "also when the buffer moves then");
	ioctl(gpu, TEST_GPU_MOVE, 0); /* back */
	close(buffer); /* the file closes with the window open */
}

int main(int argc, char **argv)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	struct stat status = { 0 };
	gid_t none = 2002;
	int fd, buffer;

	if (argc != 5) {
		fprintf(stderr, "usage: proof-test CARD SYSFS GPU MEMORY\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	page = (size_t)sysconf(_SC_PAGESIZE);
	card_name = argv[1];
	folder = argv[2];
	gpu = open(argv[3], O_RDWR | O_CLOEXEC);
	fd = open(argv[4], O_RDWR | O_CLOEXEC);
	if (gpu < 0 || fd < 0 || fstat(fd, &status) || chmod(card_name, 0666))
		return 1;
	half = (size_t)status.st_size / 2;
	memory = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	chmod("/dev/udmabuf", 0666);
	if (memory == MAP_FAILED || setgroups(1, &none) || setegid(none) || seteuid(USER))
		return 1;
	card = open(card_name, O_RDWR | O_CLOEXEC);
	check(card >= 0 && !ioctl(card, GPULINK_IOCTL_QUERY, &q), "a user opens the card");
	slice = (size_t)1 << q.slice_shift;
	buffer = ioctl(gpu, TEST_GPU_EXPORT, BYTES);
	check(buffer >= 0, "the GPU's driver exports memory");
	if (tap_bad)
		return 1;
	test_refusals(buffer);
	test_udmabuf();
	test_stores(buffer);
	test_moves(buffer);
	close(buffer);
	usleep(100000); /* the last reference may go with a delay */
	test_scattered();
	if (move_error != EBUSY) {
		test_cut();
		test_cut_and_closed();
	}
	test_closed_undrained();
	test_range();
	test_reset();
	test_unbind("0000:00:04.0");
	test_end();
	return tap_end();
}
