// SPDX-License-Identifier: Apache-2.0
/* Queues for io_uring with a fake back end: what operations put into batches, and submission entries. */
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink_regs.h>

#include <linux/gpulink.h>
#include "../gpulink_uring.h"
#include "fake_backend.h"

#define BOTH (GPULINK_READ | GPULINK_WRITE)

static struct gpulink *device;
static struct gpulink_window *window;
static struct gpulink_memory *memory;
static struct gpulink_queue *queue;
static struct gpulink_uring_entry entries[4];
static struct gpulink_uring_batch batch;
static char data[4096];

static int setup(void **state)
{
	(void)state;
	fake_init();
	memset(entries, 0xff, sizeof(entries));
	batch = (struct gpulink_uring_batch){ .entries = entries, .room = 4 };
	return gpulink_open("card", &device) || gpulink_window_open(device, 0, 0, 8192, BOTH, &window) ||
	       gpulink_memory_register(device, data, sizeof(data), BOTH, &memory) || gpulink_uring_queue_open(device, &queue) ||
	       gpulink_uring_collect(queue, &batch);
}

static int teardown(void **state)
{
	(void)state;
	gpulink_close(device);
	return fake.open || fake.windows || fake.memories || fake.submitted;
}

static unsigned operation(unsigned number)
{
	return (unsigned)((entries[number].words[GLK_SQE_OPCODE_Q] & GLK_SQE_OPCODE_MASK) >> GLK_SQE_OPCODE_SHIFT);
}

static void operations_append(void **state)
{
	(void)state;
	assert_int_equal(gpulink_queue_put(queue, window, 16, "word", 4, 77), 0);
	assert_int_equal(gpulink_queue_put_memory(queue, window, 4096, memory, 8, 100, 78), 0);
	assert_int_equal(gpulink_queue_get(queue, window, 0, memory, 0, 200, GPULINK_NO_TAG), 0);
	assert_int_equal(gpulink_queue_fetch_add(queue, window, 8, 8, 5, NULL, 0, 79), 0);
	assert_int_equal(batch.count, 4);
	assert_int_equal(operation(0), GLK_OP_PUT_INLINE);
	assert_int_equal(entries[0].words[GLK_SQE_TAG_Q], 77);
	assert_int_equal(entries[0].words[GLK_SQE_WINDOW_OFFSET_Q], 16);
	assert_memory_equal(&entries[0].words[GLK_SQE_DATA_Q], "word", 4);
	assert_int_equal(operation(1), GLK_OP_PUT);
	assert_int_equal(operation(2), GLK_OP_GET);
	assert_int_equal(operation(3), GLK_OP_FETCH_ADD);
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 0), -GPULINK_ENOSPC);
	assert_int_equal(batch.count, 4);
	batch.count = 5; /* more than the program has room for */
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 0), -GPULINK_ENOSPC);
	batch.count = 0;
	assert_int_equal(gpulink_queue_put(queue, window, 8192, "x", 1, 0), -GPULINK_ERANGE);
	assert_int_equal(batch.count, 0);
}

static void signals_take_two(void **state)
{
	const struct gpulink_signal signal = { .window = window, .offset = 64, .value = 9, .operation = GPULINK_SIGNAL_SET };

	(void)state;
	assert_int_equal(gpulink_queue_put_signal(queue, window, 0, memory, 0, 8, &signal, 5), 0);
	assert_int_equal(batch.count, 3);
	assert_int_equal(operation(1), GLK_OP_RELEASE);
	assert_int_equal(operation(2), GLK_OP_SWAP);
	assert_int_equal(entries[2].words[GLK_SQE_TAG_Q], 5);
	assert_int_equal(gpulink_queue_signal(queue, &signal, 6), -GPULINK_ENOSPC);
	assert_int_equal(batch.count, 3);
	assert_int_equal(gpulink_queue_post_release(queue, 7), 0);
	assert_int_equal(operation(3), GLK_OP_RELEASE);
}

static void refusals(void **state)
{
	struct gpulink_vector vector = { .offset = 0, .data = "x", .bytes = 1 };
	struct gpulink_completion completion;
	struct gpulink_queue *other;

	(void)state;
	assert_int_equal(gpulink_queue_put_vector(queue, window, &vector, 1, 0), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_queue_release(queue, 1000), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_queue_wait(queue, &completion, 1, 0, 0), -GPULINK_ENOTSUP);
	assert_int_equal(batch.count, 0);
	assert_int_equal(gpulink_uring_collect(queue, &(struct gpulink_uring_batch){ .room = 1 }), -GPULINK_EINVAL);
	assert_int_equal(gpulink_uring_collect(queue, NULL), 0);
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_queue_open(device, &other), 0);
	assert_int_equal(gpulink_uring_collect(other, &batch), -GPULINK_EINVAL);
	assert_int_equal(gpulink_uring_collect(NULL, &batch), -GPULINK_EINVAL);
	assert_int_equal(gpulink_uring_queue_open(NULL, &other), -GPULINK_EINVAL);
	fake.queue_error = -GPULINK_ENOTSUP;
	assert_int_equal(gpulink_uring_queue_open(device, &other), -GPULINK_ENOTSUP);
}

static void staged_memory(void **state)
{
	struct gpulink_memory *staged;
	FILE *file = tmpfile();

	(void)state;
	assert_int_equal(ftruncate(fileno(file), 4096), 0);
	assert_int_equal(gpulink_memory_register_staged(device, fileno(file), 0, 4096, BOTH, &staged), 0);
	assert_int_equal(gpulink_queue_get(queue, window, 0, staged, 0, 8, 0), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_queue_put_memory(queue, window, 0, staged, 0, 8, 0), 0);
	assert_int_equal(batch.count, 1);
	fclose(file);
}

/* Whatever an entry held before, except its user_data, is gone. */
static void submission_entries(void **state)
{
	struct gpulink_uring_submit submit;
	struct gpulink_uring_release release;
	struct io_uring_sqe sqe;

	(void)state;
	batch.count = 3;
	memset(&sqe, 0xff, sizeof(sqe));
	gpulink_uring_prep_submit(&sqe, 7, &batch, GPULINK_URING_COMPLETIONS);
	assert_int_equal(sqe.opcode, IORING_OP_URING_CMD);
	assert_int_equal(sqe.fd, 7);
	assert_int_equal(sqe.cmd_op, GPULINK_URING_SUBMIT);
	assert_true(sqe.user_data == UINT64_MAX);
	assert_int_equal(sqe.flags | sqe.ioprio | sqe.uring_cmd_flags | sqe.buf_index | sqe.personality, 0);
	memcpy(&submit, sqe.cmd, sizeof(submit));
	assert_true(submit.entries == (uintptr_t)entries && submit.count == 3 && submit.flags == GPULINK_URING_RESULTS);
	gpulink_uring_prep_submit_fixed(&sqe, 7, &batch, 0, 12);
	assert_int_equal(sqe.uring_cmd_flags, IORING_URING_CMD_FIXED);
	assert_int_equal(sqe.buf_index, 12);
	gpulink_uring_prep_release(&sqe, 8, 4711);
	memcpy(&release, sqe.cmd, sizeof(release));
	assert_true(sqe.cmd_op == GPULINK_URING_RELEASE && sqe.uring_cmd_flags == 0 && sqe.buf_index == 0);
	assert_true(release.timeout_ns == 4711 && release.flags == 0);
	memset(&sqe, 0xff, sizeof(sqe));
	gpulink_uring_prep_wait(&sqe, 9);
	assert_true(sqe.opcode == IORING_OP_POLL_ADD && sqe.fd == 9 && sqe.poll32_events == POLLIN && sqe.len == 0);
}

static void errors(void **state)
{
	static const struct {
		int result, code;
	} pairs[] = {
		{ 0, 0 }, { 256, 0 }, { -EINVAL, GPULINK_EINVAL }, { -ENOENT, GPULINK_EINVAL }, { -ERANGE, GPULINK_ERANGE },
		{ -EACCES, GPULINK_EACCES }, { -EIO, GPULINK_EENDPOINT }, { -EBUSY, GPULINK_EBUSY },
		{ -ETIMEDOUT, GPULINK_ETIMEDOUT }, { -EAGAIN, GPULINK_ETIMEDOUT }, { -ENODEV, GPULINK_ENODEV },
		{ -ESTALE, GPULINK_ERESET }, { -ECANCELED, GPULINK_ECANCELED }, { -ENOTTY, GPULINK_ENOTSUP },
		{ -EOPNOTSUPP, GPULINK_ENOTSUP }, { -EFAULT, GPULINK_EIO }, { -EBADF, GPULINK_EIO },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_int_equal(gpulink_uring_error(pairs[i].result), -pairs[i].code);
	assert_int_equal(errno, EBADF);
}

static void completions(void **state)
{
	struct gpulink_completion c;

	(void)state;
	batch.count = 2;
	entries[1].words[GLK_CQE_TAG_Q] = 4712;
	entries[1].words[GLK_CQE_STATUS_Q] =
		(uint64_t)GLK_ST_WINDOW_BOUNDS << GLK_CQE_STATUS_SHIFT | UINT64_C(24) << GLK_CQE_LENGTH_SHIFT;
	assert_int_equal(gpulink_uring_completion(&batch, 1, &c), 0);
	assert_true(c.tag == 4712 && c.error == -GPULINK_ERANGE && c.status == GLK_ST_WINDOW_BOUNDS && c.bytes == 24);
	assert_int_equal(gpulink_uring_completion(&batch, 2, &c), -GPULINK_EINVAL);
	assert_int_equal(gpulink_uring_completion(NULL, 0, &c), -GPULINK_EINVAL);
	assert_int_equal(gpulink_uring_completion(&batch, 0, NULL), -GPULINK_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(operations_append, setup, teardown),
		cmocka_unit_test_setup_teardown(signals_take_two, setup, teardown),
		cmocka_unit_test_setup_teardown(refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(staged_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(submission_entries, setup, teardown),
		cmocka_unit_test_setup_teardown(errors, setup, teardown),
		cmocka_unit_test_setup_teardown(completions, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
