// SPDX-License-Identifier: Apache-2.0
#include "lease_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void lease_start(struct bench *b)
{
	bench_write(b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_BASE), LEASE_BASE);
	bench_write(b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_BYTES), LEASE_BYTES);
	bench_write(b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_KIND), GLK_EP_POOL);
	bench_window(b, LEASE_SLICE, LEASE_PARTITION, 0, LEASE_SLICE, 0, LEASE_BYTES, BENCH_RW);
	bench_register(b, LEASE_REGISTRATION, 0, LEASE_REGISTERED, 0,
		       GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
}

int lease_setup(void **state)
{
	bench_setup(state);
	lease_start(*state);
	return 0;
}

uint8_t *lease_registered(struct bench *b, unsigned offset)
{
	return b->host + bench_page(offset / 4096) + offset % 4096;
}

struct lease_record lease_record(struct bench *b)
{
	struct lease_record record;

	memcpy(&record, lease_registered(b, 0), sizeof(record));
	return record;
}

uint8_t *lease_data(struct bench *b)
{
	return lease_registered(b, GLK_LEASE_RECORD_BYTES);
}

unsigned lease_run(struct bench *b, const uint64_t sqe[8], unsigned *moved)
{
	uint64_t tag;
	unsigned status, bytes;

	bench_submit(b, sqe);
	assert_false(glk_card_service(b->card, 100));
	assert_true(bench_completion(b, &tag, &status, &bytes));
	assert_int_equal(tag, sqe[1]);
	if (status != GLK_ST_OK)
		assert_int_equal(bytes, 0);
	if (moved)
		*moved = bytes;
	return status;
}

unsigned lease_read(struct bench *b, uint64_t offset, unsigned length, uint64_t time, uint64_t wts)
{
	const uint64_t sqe[8] = {
		SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, length), 7, offset, REGISTERED(LEASE_REGISTRATION, 0), time, wts
	};
	unsigned moved, status = lease_run(b, sqe, &moved);

	if (status == GLK_ST_OK)
		assert_int_equal(moved, lease_record(b).same ? 0 : length);
	return status;
}

unsigned lease_write(struct bench *b, uint64_t offset, const void *data, unsigned length, uint64_t time)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, length), 8, offset, REGISTERED(LEASE_REGISTRATION, 0),
				  time };
	unsigned moved, status;

	memcpy(lease_data(b), data, length);
	status = lease_run(b, sqe, &moved);
	if (status == GLK_ST_OK)
		assert_int_equal(moved, length);
	return status;
}

unsigned lease_atomic(struct bench *b, unsigned opcode, uint64_t offset, unsigned length, uint64_t operand, uint64_t compare,
		      uint64_t time)
{
	const uint64_t sqe[8] = {
		SQE0(opcode, GLK_FLAG_TIMED, LEASE_SLICE, length),
		9,
		offset,
		REGISTERED(LEASE_REGISTRATION, 0),
		operand,
		compare,
		time,
	};
	unsigned moved, status = lease_run(b, sqe, &moved);

	if (status == GLK_ST_OK)
		assert_int_equal(moved, length);
	return status;
}

uint64_t lease_counter(struct bench *b, unsigned reg)
{
	return bench_card_counter(b, reg);
}
