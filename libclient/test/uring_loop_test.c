// SPDX-License-Identifier: Apache-2.0
/*
 * uring_loop_test DEVICE [SYSFS]: event loops of io_uring with timers, polls of a queue, and commands of gpulink_uring.h. TAP.
 * The device needs an endpoint of 1 MiB or more in partition 0, whose memory the process can map. On a soft device only polls.
 * With SYSFS, the writable folder of the card, resets it at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpulink_uring.h>
#include <liburing.h>
#include <tap.h>

#include "threads.h"

#define BOTH   (GPULINK_READ | GPULINK_WRITE)
#define SECOND UINT64_C(1000000000)

enum { BYTES = 1 << 20, ROUNDS = 20, PUTS = 32, TIMER = 1, READY, STORED, RELEASED, OTHER };

static struct gpulink *device;
static struct gpulink_window *window;
static struct gpulink_memory *memory;
static struct gpulink_queue *polled, *commands; /* with rings in the process; for io_uring */
static int file;				/* of `commands` */
static volatile uint64_t *words;		/* the endpoint */
static uint64_t host[BYTES / 8];
static struct io_uring ring;
static struct gpulink_uring_entry entries[PUTS];
static struct gpulink_uring_batch batch = { .entries = entries, .room = PUTS };

static struct io_uring_sqe *next(unsigned user_data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	io_uring_sqe_set_data64(sqe, user_data);
	return sqe;
}

/* Submits what is prepared, and takes `count` results, by user_data - TIMER. */
static void results(unsigned count, int result[])
{
	struct io_uring_cqe *cqe;

	io_uring_submit(&ring);
	while (count-- && !io_uring_wait_cqe(&ring, &cqe)) {
		result[cqe->user_data - TIMER] = cqe->res;
		io_uring_cqe_seen(&ring, cqe);
	}
}

static int result_of_one(void)
{
	int result[OTHER] = { 0 };

	results(1, result);
	return result[OTHER - TIMER];
}

/* Puts of value, value + 1, ... to the words from `first` on. */
static void collect(unsigned first, uint64_t value, unsigned count)
{
	batch.count = 0;
	for (unsigned i = 0; i < count; i++) {
		uint64_t word = value + i;

		if (gpulink_queue_put(commands, window, (first + i) * 8, &word, 8, 1000 + i))
			batch.count = 0;
	}
}

static unsigned wrong(unsigned first, uint64_t value, unsigned count)
{
	unsigned differ = 0;

	for (unsigned i = 0; i < count; i++)
		differ += words[first + i] != value + i;
	return differ;
}

/* --- an event loop --- */

static struct loop {
	struct __kernel_timespec pause;
	bool armed; /* the timer */
	unsigned ticks, taken, stored, released, bad;
} loop = { .pause = { .tv_nsec = 2000000 } };

static void arm_timer(void)
{
	loop.armed = true;
	io_uring_prep_timeout(next(TIMER), &loop.pause, 0, 0);
}

static void arm_wait(void)
{
	gpulink_uring_prep_wait(next(READY), gpulink_queue_descriptor(polled));
}

/* A put on one queue, to be polled for; on the other a batch, and a release that follows it. */
static void on_timer(void)
{
	uint64_t value = 5000 + loop.ticks;
	struct io_uring_sqe *sqe;

	loop.bad += gpulink_queue_put(polled, window, 1024 * 8, &value, 8, loop.ticks) != 0;
	loop.ticks++;
	if (!commands)
		return;
	collect(0, (uint64_t)loop.ticks << 32, PUTS);
	sqe = next(STORED);
	gpulink_uring_prep_submit(sqe, file, &batch, 0);
	sqe->flags |= IOSQE_IO_LINK;
	gpulink_uring_prep_release(next(RELEASED), file, SECOND);
}

static void on_ready(int result)
{
	struct gpulink_completion done[4];
	int count;

	loop.bad += !(result & POLLIN);
	while ((count = gpulink_queue_wait(polled, done, 4, 0, 0)) > 0)
		for (int i = 0; i < count; i++)
			loop.bad += done[i].error || done[i].tag != loop.taken++;
	loop.bad += count != 0;
	arm_wait();
}

static void on_result(unsigned user_data, int result)
{
	switch (user_data) {
	case TIMER:
		loop.bad += result != -ETIME;
		loop.armed = false;
		on_timer();
		break;
	case READY:
		on_ready(result);
		break;
	case STORED:
		loop.bad += result != PUTS;
		loop.stored++;
		break;
	default:
		loop.bad += result != 0 || wrong(0, (uint64_t)loop.ticks << 32, PUTS);
		loop.released++;
		break;
	}
}

/* The timer starts again when all that it started is done. */
static void test_loop(void)
{
	double start = seconds_now();
	struct io_uring_cqe *cqe;

	arm_wait();
	arm_timer();
	while (loop.taken < ROUNDS || (commands && loop.released < ROUNDS)) {
		if (io_uring_submit_and_wait(&ring, 1) < 0)
			break;
		while (!io_uring_peek_cqe(&ring, &cqe)) {
			on_result((unsigned)cqe->user_data, cqe->res);
			io_uring_cqe_seen(&ring, cqe);
		}
		if (!loop.armed && loop.ticks < ROUNDS && loop.taken == loop.ticks &&
		    (!commands || loop.released == loop.ticks))
			arm_timer();
	}
	is(loop.ticks, ROUNDS, "the timer expires");
	is(seconds_now() - start >= ROUNDS * 0.002, 1, "in time");
	is(loop.taken, ROUNDS, "the queue's completions arrive by poll");
	is(loop.stored, commands ? ROUNDS : 0, "batches complete");
	is(loop.released, commands ? ROUNDS : 0, "and the releases linked to them");
	is(loop.bad, 0, "without errors");
	io_uring_prep_cancel64(next(OTHER), READY, 0);
	results(2, (int[OTHER]){ 0 });
}

/* --- commands --- */

static void submit_two(unsigned link)
{
	struct io_uring_sqe *sqe = next(STORED);

	gpulink_uring_prep_submit(sqe, file, &batch, GPULINK_URING_COMPLETIONS);
	sqe->flags |= (uint8_t)link;
	gpulink_uring_prep_release(next(RELEASED), file, SECOND);
}

static void test_links(void)
{
	struct gpulink_completion done[2];
	int result[OTHER] = { 0 };

	collect(0, 100, 2);
	entries[1].words[2] = BYTES; /* the offset: past the window's end */
	submit_two(IOSQE_IO_LINK);
	results(2, result);
	is(gpulink_uring_error(result[STORED - TIMER]), -GPULINK_ERANGE, "a batch with a failing put");
	is(gpulink_uring_error(result[RELEASED - TIMER]), -GPULINK_ECANCELED, "cancels the release linked to it");
	is(gpulink_uring_completion(&batch, 0, &done[0]) || gpulink_uring_completion(&batch, 1, &done[1]), 0, "its completions");
	is(done[0].error || done[0].tag != 1000 || done[0].bytes != 8, 0, "of the good put");
	is(done[1].error, -GPULINK_ERANGE, "and of the other");
	collect(0, 200, 2);
	entries[0].words[2] = BYTES;
	submit_two(IOSQE_IO_HARDLINK);
	results(2, result);
	is(gpulink_uring_error(result[STORED - TIMER]), -GPULINK_ERANGE, "such a batch with a hard link");
	is(result[RELEASED - TIMER], 0, "does not cancel the release");
	is((long)words[1], 201, "which makes the good put visible");
}

static void test_registered(void)
{
	struct iovec buffer = { .iov_base = entries, .iov_len = sizeof(entries) };
	int result[OTHER] = { 0 };
	struct io_uring_sqe *sqe;

	is(io_uring_register_files(&ring, (int[]){ -1, file }, 2), 0, "the file is registered");
	is(io_uring_register_buffers(&ring, &buffer, 1), 0, "the entries are registered");
	collect(64, 300, PUTS);
	sqe = next(STORED);
	gpulink_uring_prep_submit_fixed(sqe, 1, &batch, 0, 0);
	sqe->flags |= IOSQE_FIXED_FILE | IOSQE_IO_LINK;
	sqe = next(RELEASED);
	gpulink_uring_prep_release(sqe, 1, SECOND);
	sqe->flags |= IOSQE_FIXED_FILE;
	results(2, result);
	is(result[STORED - TIMER], PUTS, "a batch by registered file, from the registered buffer");
	is(result[RELEASED - TIMER], 0, "and a release");
	is(wrong(64, 300, PUTS), 0, "the data arrive");
	io_uring_unregister_buffers(&ring);
	io_uring_unregister_files(&ring);
}

static void test_other_operations(void)
{
	struct gpulink_signal signal = { .window = window, .offset = 2048 * 8, .value = 77, .operation = GPULINK_SIGNAL_SET };
	volatile uint64_t *direct = NULL;
	void *address = NULL;

	host[0] = 4711;
	batch.count = 0;
	is(gpulink_queue_put_signal(commands, window, 2049 * 8, memory, 0, 8, &signal, 1), 0, "a put with a signal");
	is(gpulink_queue_get(commands, window, 2049 * 8, memory, 8, 8, 2), 0, "a get");
	gpulink_uring_prep_submit(next(OTHER), file, &batch, 0);
	is(result_of_one(), 4, "complete in one batch");
	is(words[2048] == 77 && words[2049] == 4711, 1, "put and signal are visible without a further release");
	is((long)host[1], 4711, "the get's data are in memory");
	is(gpulink_queue_window_address(commands, window, &address), 0, "the queue has a mapping of the window");
	direct = address;
	for (unsigned i = 0; direct && i < PUTS; i++)
		direct[3000 + i] = 400 + i;
	gpulink_uring_prep_release(next(OTHER), file, SECOND);
	is(result_of_one(), 0, "a release covers its direct stores");
	is(wrong(3000, 400, PUTS), 0, "which are visible");
	if (direct)
		direct[0] = direct[BYTES / 8 - 1];
}

static void test_misuse(void)
{
	int pair[2];

	batch.count = 0;
	gpulink_uring_prep_submit(next(OTHER), file, &batch, 0);
	is(gpulink_uring_error(result_of_one()), -GPULINK_EINVAL, "an empty batch is refused");
	collect(0, 1, 1);
	gpulink_uring_prep_submit(next(OTHER), gpulink_queue_descriptor(polled), &batch, 0);
	is(gpulink_uring_error(result_of_one()), -GPULINK_EBUSY, "the descriptor of a queue with rings is refused");
	gpulink_uring_prep_submit(next(OTHER), file, &batch, 2);
	is(gpulink_uring_error(result_of_one()), -GPULINK_EINVAL, "an unknown flag is refused");
	gpulink_uring_prep_release(next(OTHER), file, 61 * SECOND);
	is(gpulink_uring_error(result_of_one()), -GPULINK_EINVAL, "a timeout of more than 60 s is refused");
	if (pipe(pair))
		return;
	gpulink_uring_prep_release(next(OTHER), pair[0], SECOND);
	is(gpulink_uring_error(result_of_one()), -GPULINK_ENOTSUP, "another kind of file is refused");
	gpulink_uring_prep_release(next(OTHER), 99, SECOND);
	is(gpulink_uring_error(result_of_one()), -GPULINK_EIO, "so is no file");
	is(errno, EBADF, "with its errno");
}

/* A batch that takes a while is in flight when it is cancelled. */
static void test_cancel(void)
{
	int result[OTHER] = { 0 };

	batch.count = 0;
	for (unsigned i = 0; i < PUTS; i++)
		gpulink_queue_put_memory(commands, window, 0, memory, 0, BYTES / 4, i);
	gpulink_uring_prep_submit(next(STORED), file, &batch, 0);
	io_uring_prep_cancel64(next(OTHER), STORED, 0);
	results(2, result);
	is(result[OTHER - TIMER] == -ENOENT || result[OTHER - TIMER] == -EALREADY, 1, "a batch cannot be cancelled");
	is(result[STORED - TIMER], PUTS, "it completes");
}

static void test_reset(const char *folder)
{
	int result[OTHER] = { 0 }, reset;
	char path[256];

	gpulink_uring_prep_wait(next(READY), file);
	io_uring_submit(&ring);
	snprintf(path, sizeof(path), "%s/reset", folder);
	reset = open(path, O_WRONLY);
	is(write(reset, "1\n", 2), 2, "the card is reset");
	close(reset);
	results(1, result);
	is(!!(result[READY - TIMER] & POLLERR), 1, "a wait reports it");
	collect(0, 1, 1);
	gpulink_uring_prep_submit(next(OTHER), file, &batch, 0);
	is(gpulink_uring_error(result_of_one()), -GPULINK_ERESET, "later commands fail with ERESET");
	is(gpulink_uring_queue_open(device, &commands), -GPULINK_ERESET, "so does another queue");
}

static int set_up(const char *name)
{
	void *mapping = NULL;
	size_t bytes;
	int error = gpulink_open(name, &device);

	if (!error)
		error = gpulink_window_open(device, 0, 0, BYTES, BOTH, &window);
	if (!error)
		error = gpulink_memory_register(device, host, sizeof(host), BOTH, &memory);
	if (!error)
		error = gpulink_endpoint_memory(device, 0, &mapping, &bytes);
	if (!error)
		error = gpulink_queue_open(device, &polled);
	words = mapping;
	return error;
}

int main(int argc, char **argv)
{
	bool soft = argc > 1 && !strncmp(argv[1], "soft:", 5);
	int error;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: uring_loop_test DEVICE [SYSFS]\n");
		return 2;
	}
	error = io_uring_queue_init(16, &ring, 0);
	if (error == -ENOSYS || error == -EPERM) {
		printf("1..0 # SKIP io_uring: %s\n", strerror(-error));
		return 0;
	}
	is(error, 0, "io_uring");
	is(set_up(argv[1]), 0, "set up");
	is(tap_bad ? 0 : gpulink_uring_queue_open(device, &commands), soft ? -GPULINK_ENOTSUP : 0, "a queue for io_uring");
	if (!tap_bad && !soft) {
		file = gpulink_queue_descriptor(commands);
		is(file >= 0 && !gpulink_uring_collect(commands, &batch), 1, "its file and its batch");
	}
	if (!tap_bad)
		test_loop();
	if (!tap_bad && commands) {
		test_links();
		test_registered();
		test_other_operations();
		test_misuse();
		test_cancel();
		if (argc == 3)
			test_reset(argv[2]);
	}
	gpulink_close(device);
	io_uring_queue_exit(&ring);
	return tap_end();
}
