// SPDX-License-Identifier: Apache-2.0
/*
 * uring-test DEVICE SYSFS: the driver's io_uring commands. TAP. Requires endpoints of 64 MiB in partitions 0 and 1, and a
 * writable SYSFS folder of the card: it resets the card at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "uring.h"

enum { BYTES = 1 << 20, MOST = 256 };

static const char *path;
static struct sqe entries[MOST];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void fill(unsigned window, uint64_t value)
{
	for (unsigned i = 0; i < MOST; i++)
		entries[i] = put_inline(window, i * 8, value + i, 7000 + i);
}

static int one(struct io_uring *io, int fd, unsigned count, uint32_t flags)
{
	uring_submit(io, fd, entries, count, flags, 1);
	return uring_result(io);
}

/* A release with another command code, or flags in its argument. */
static int run_changed(struct io_uring *io, int fd, unsigned code, uint64_t flags)
{
	struct gpulink_uring_release release = { .timeout_ns = SECOND, .flags = flags };
	struct io_uring_sqe *sqe = io_uring_get_sqe(io);

	gpulink_uring_prep_release(sqe, fd, SECOND);
	sqe->cmd_op = code;
	memcpy(sqe->cmd, &release, sizeof(release));
	return uring_result(io);
}

static void test_refusals(struct io_uring *io, int fd)
{
	is(run_changed(io, fd, 0, 0), -ENOTTY, "command 0 is refused");
	is(run_changed(io, fd, 3, 0), -ENOTTY, "an unknown command is refused");
	is(one(io, fd, 0, 0), -EINVAL, "no entries are refused");
	is(one(io, fd, MOST + 1, 0), -EINVAL, "too many entries are refused");
	is(one(io, fd, UINT32_MAX, 0), -EINVAL, "far too many entries are refused");
	is(one(io, fd, 1, 2), -EINVAL, "an unknown flag is refused");
	uring_submit(io, fd, (void *)8, 1, 0, 1);
	is(uring_result(io), -EFAULT, "entries at an unmapped address are refused");
	uring_submit(io, fd, (void *)(UINTPTR_MAX - 63), MOST, 0, 1);
	is(uring_result(io), -EFAULT, "entries at the end of the address space are refused");
	is(run_changed(io, fd, GPULINK_URING_RELEASE, 1), -EINVAL, "a release with an unknown flag is refused");
	uring_release(io, fd, 0, 1);
	is(uring_result(io), -EINVAL, "a release without a timeout is refused");
	uring_release(io, fd, 61 * SECOND, 1);
	is(uring_result(io), -EINVAL, "a release with too long a timeout is refused");
}

static void test_puts(struct io_uring *io, int fd, unsigned window, volatile uint64_t *words)
{
	struct gpulink_ioctl_wait w = { .size = sizeof(w), .completions = (uintptr_t)entries, .count = 1 };
	unsigned bad = 0;

	fill(window, 1000);
	is(one(io, fd, MOST, 0), MOST, "a batch of 256 puts");
	uring_release(io, fd, SECOND, 2);
	is(uring_result(io), 0, "a release");
	for (unsigned i = 0; i < MOST; i++)
		bad += words[i] != 1000 + i;
	is(bad, 0, "the data arrived");
	is(ioctl(fd, GPULINK_IOCTL_WAIT, &w) ? -errno : (long)w.completed, 0, "WAIT does not return their completions");
}

/* Results written over the entries, for valid and invalid entries. */
static void check_results(const struct sqe *e, unsigned count, const char *name)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct cqe *done = (const struct cqe *)&e[i];

		bad += done->words[0] != 7000 + i;
		bad += status_of(done) != (i == 3 ? GLK_ST_WINDOW : i == 5 ? GLK_ST_WINDOW_BOUNDS : GLK_ST_OK);
		bad += e[i].words[GLK_SQE_WINDOW_OFFSET_Q] != (i == 5 ? BYTES : i * 8);
	}
	is(bad, 0, name);
}

static int run_fixed(struct io_uring *io, int fd, const void *at)
{
	const struct gpulink_uring_batch batch = batch_of(at, MOST);

	gpulink_uring_prep_submit_fixed(io_uring_get_sqe(io), fd, &batch, GPULINK_URING_RESULTS, 0);
	return uring_result(io);
}

static void spoil(unsigned window)
{
	fill(window, 2000);
	entries[3] = put_inline(1023, 24, 1, 7003);
	entries[5] = put_inline(window, BYTES, 1, 7005);
}

static void test_results(struct io_uring *io, int fd, unsigned window)
{
	struct sqe *page = mmap(NULL, sizeof(entries), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec buffer = { .iov_base = page, .iov_len = sizeof(entries) };

	spoil(window);
	is(one(io, fd, MOST, 0), -ENOENT, "the first error is the result");
	spoil(window);
	is(one(io, fd, MOST, GPULINK_URING_RESULTS), -ENOENT, "the first error is the result, with GPULINK_URING_RESULTS");
	check_results(entries, MOST, "every entry's completion is returned");
	entries[5] = put_inline(window, BYTES, 1, 7005);
	is(one(io, fd, 6, 0), -EINVAL, "completions are refused as entries");
	spoil(window);
	memcpy(page, entries, sizeof(entries));
	is(io_uring_register_buffers(io, &buffer, 1), 0, "a buffer is registered");
	is(run_fixed(io, fd, page), -ENOENT, "entries in the registered buffer");
	check_results(page, MOST, "completions in the registered buffer");
	is(run_fixed(io, fd, page + 1), -EFAULT, "entries past its end are refused");
	is(run_fixed(io, fd, entries), -EFAULT, "entries outside it are refused");
	memcpy(page, entries, sizeof(entries));
	mprotect(page, sizeof(entries), PROT_READ);
	uring_submit(io, fd, page, 8, GPULINK_URING_RESULTS, 1);
	is(uring_result(io), -EFAULT, "completions that cannot be written are an error");
}

/* More batches than the ring has room for: the excess waits in io_uring worker threads. */
static void test_many(struct io_uring *io, int fd, unsigned window)
{
	unsigned bad = 0, taken = 0;
	uint64_t tag;
	int result;

	fill(window, 3000);
	for (unsigned i = 0; i < 32; i++)
		uring_submit(io, fd, entries, 200, 0, i);
	while (taken < 32 && io_uring_submit_and_wait(io, 1) >= 0)
		for (; uring_take(io, &tag, &result); taken++)
			bad += result != 200;
	is(taken, 32, "32 concurrent batches of 200 complete");
	is(bad, 0, "without errors");
	is(card_run(fd, entries, MOST, (struct cqe[MOST]){ 0 }), 0, "the ioctl can use the whole ring again");
}

static void test_mapped(struct io_uring *io, int fd, unsigned window)
{
	struct ring ring;

	fill(window, 1);
	is(ring_map(fd, 4, 4, &ring), 0, "the rings are mapped");
	is(one(io, fd, 1, 0), -EBUSY, "a batch is refused with mapped rings");
	uring_release(io, fd, SECOND, 2);
	is(uring_result(io), -EBUSY, "a release is refused with mapped rings");
	is(ring_unmap(&ring), 0, "the rings are unmapped");
	is(one(io, fd, 1, 0), 1, "a batch is accepted again");
}

/* Batches that keep the card busy for a while. */
static void queue_long_ones(struct io_uring *io, int fd, unsigned window, unsigned batches)
{
	static uint8_t memory[BYTES];
	int registration = card_register(fd, memory, BYTES, GPULINK_ALLOW_READ);

	for (unsigned i = 0; i < MOST; i++)
		entries[i] = move(GLK_OP_PUT, window, 0, BYTES, (unsigned)registration, 0);
	for (unsigned i = 0; i < batches; i++)
		uring_submit(io, fd, entries, 32, 0, i);
}

/* A process that exits with commands in flight ends once the card is done, and leaves nothing behind. */
static void test_exit(void)
{
	uint64_t start = now_ns();
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		struct io_uring io;
		int fd = open(path, O_RDWR), window = card_window(fd, 1, 0, BYTES, NULL);

		if (fd < 0 || window < 0 || io_uring_queue_init(16, &io, 0))
			_exit(1);
		queue_long_ones(&io, fd, (unsigned)window, 12);
		_exit(io_uring_submit(&io) < 0);
	}
	waitpid(child, &status, 0);
	is(status, 0, "a process exits with commands outstanding");
	check(now_ns() - start < 5 * SECOND, "the exit takes less than 5 s");
}

static void test_reset(struct io_uring *io, int fd, unsigned window, const char *folder)
{
	unsigned taken = 0, stale = 0;
	uint64_t start, tag;
	char file[256];
	int result, reset;

	queue_long_ones(io, fd, window, 12);
	uring_release(io, fd, 20 * SECOND, 99);
	is(io_uring_submit(io), 13, "long batches are submitted");
	snprintf(file, sizeof(file), "%s/reset", folder);
	reset = open(file, O_WRONLY);
	is(write(reset, "1\n", 2), 2, "the card is reset with batches in flight");
	start = now_ns();
	while (taken < 13 && io_uring_submit_and_wait(io, 1) >= 0)
		for (; uring_take(io, &tag, &result); taken++)
			stale += result == -ESTALE;
	is(taken, 13, "all batches end");
	check(now_ns() - start < 2 * SECOND, "the batches end within 2 s");
	check(stale > 0, "batches end with ESTALE");
	is(one(io, fd, 1, 0), -ESTALE, "later commands fail with ESTALE");
	close(reset);
}

int main(int argc, char **argv)
{
	volatile uint64_t *words;
	uint64_t offset = 0;
	struct io_uring io;
	int fd, window;

	if (argc != 3) {
		fprintf(stderr, "usage: uring-test DEVICE SYSFS\n");
		return 2;
	}
	path = argv[1];
	fd = open(path, O_RDWR);
	window = card_window(fd, 0, 0, BYTES, &offset);
	words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	check(fd >= 0 && window >= 0 && words != MAP_FAILED, "open");
	is(io_uring_queue_init(64, &io, 0), 0, "io_uring");
	if (!tap_bad) {
		test_refusals(&io, fd);
		test_puts(&io, fd, (unsigned)window, words);
		test_results(&io, fd, (unsigned)window);
		test_many(&io, fd, (unsigned)window);
		test_mapped(&io, fd, (unsigned)window);
		test_exit();
		test_reset(&io, fd, (unsigned)window, argv[2]);
	}
	return tap_end();
}
