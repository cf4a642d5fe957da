// SPDX-License-Identifier: Apache-2.0
/* Ring operations with a time: what each does, and refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lease_bench.h"

static const uint8_t bytes[4096] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

/* The bytes of the pool that the partition's offset stands for. */
static const uint8_t *pool(struct bench *b, uint64_t offset, size_t len)
{
	static uint8_t data[4096];

	assert_int_equal(glk_card_pool_read(b->card, LEASE_BASE + offset, data, len), 0);
	return data;
}

static void assert_lease(struct bench *b, uint64_t wts, uint64_t rts, bool same)
{
	struct lease_record record = lease_record(b);

	assert_int_equal(record.wts, wts);
	assert_int_equal(record.rts, rts);
	assert_int_equal(record.old, 0);
	assert_int_equal(record.same, same);
}

static void read_gives_a_lease(void **state)
{
	struct bench *b = *state;

	glk_card_pool_write(b->card, LEASE_BASE + 0x1040, bytes, 10); /* at clock 0: wts 1 */
	assert_int_equal(lease_read(b, 0x1040, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_lease(b, 1, 11, false);
	assert_memory_equal(lease_data(b), bytes, 64);
	memset(lease_data(b), 0x77, 64);
	assert_int_equal(lease_read(b, 0x1040, 64, 8, 1), GLK_ST_OK); /* the same: no data */
	assert_lease(b, 1, 18, true);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(lease_data(b)[i], 0x77);
	assert_int_equal(lease_read(b, 0x1040, 64, 0, 0), GLK_ST_OK);
	assert_lease(b, 1, 18, false);
	assert_memory_equal(lease_data(b), bytes, 64);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 3);
	assert_int_equal(lease_counter(b, GLK_TSU_SAME), 1);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_LOADS), 3);
	assert_int_equal(bench_read(b, GLK_TSU_GREATEST), 18);
}

static void write_has_its_time(void **state)
{
	struct bench *b = *state;

	assert_int_equal(lease_read(b, 0, 64, 0, LEASE_NONE), GLK_ST_OK); /* to 10 */
	assert_int_equal(lease_write(b, 13, bytes, 10, 3), GLK_ST_OK);
	assert_lease(b, 11, 15, false);
	assert_memory_equal(pool(b, 13, 10), bytes, 10);
	assert_int_equal(*pool(b, 12, 1), 0);
	assert_int_equal(*pool(b, 23, 1), 0);
	assert_int_equal(lease_write(b, 64, bytes, 64, 16), GLK_ST_OK);
	assert_lease(b, 16, 20, false);
	assert_memory_equal(pool(b, 64, 64), bytes, 64);
	assert_int_equal(bench_read(b, GLK_TSU_CLOCK), 16);
	assert_int_equal(lease_counter(b, GLK_TSU_WRITES), 2);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 0);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_ENDPOINT_WRITES), 2);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_ENDPOINT_BYTES), 74);
	assert_true(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_IDLE_MASK);
}

static void renewals(struct bench *b, unsigned count, uint64_t time, unsigned expected)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, count), 10, 0, REGISTERED(LEASE_REGISTRATION, 0),
				  time };
	unsigned moved;

	assert_int_equal(lease_run(b, sqe, &moved), expected);
	assert_int_equal(moved, expected == GLK_ST_OK ? count : 0);
}

static void set_renewal(struct bench *b, unsigned at, uint64_t line, uint64_t wts)
{
	memcpy(lease_registered(b, 16 * at), (const uint64_t[]){ line, wts }, 16);
}

static void assert_renewal(struct bench *b, unsigned at, uint64_t rts, uint64_t wts)
{
	uint64_t record[2];

	memcpy(record, lease_registered(b, 16 * at), 16);
	assert_int_equal(record[0], rts);
	assert_int_equal(record[1], wts);
}

static void renewals_of_many_lines(void **state)
{
	struct bench *b = *state;

	assert_int_equal(lease_write(b, 64, bytes, 8, 0), GLK_ST_OK); /* wts 1 */
	set_renewal(b, 0, 0, 0);
	set_renewal(b, 1, 64, 1);
	set_renewal(b, 2, 64, 0); /* was written */
	set_renewal(b, 3, 0, 0);
	renewals(b, 4, 2, GLK_ST_OK);
	assert_renewal(b, 0, 12, 0);
	assert_renewal(b, 1, 12, 1);
	assert_renewal(b, 2, 0, 1);
	assert_renewal(b, 3, 12, 0);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 4);
	assert_int_equal(lease_counter(b, GLK_TSU_SAME), 3);
	for (unsigned i = 0; i < GLK_RENEW_MAX; i++)
		set_renewal(b, i, 64 * i, 0);
	renewals(b, GLK_RENEW_MAX, 12, GLK_ST_OK);
	for (unsigned i = 0; i < GLK_RENEW_MAX; i++)
		assert_renewal(b, i, i == 1 ? 0 : 22, i == 1);
}

static void atomics_with_a_time(void **state)
{
	struct bench *b = *state;
	uint64_t value = 100;
	struct lease_record record;

	glk_card_pool_write(b->card, LEASE_BASE + 72, &value, 8); /* wts 1, rts 5 */
	assert_int_equal(lease_atomic(b, GLK_OP_FETCH_ADD, 72, 8, 7, 0, 0), GLK_ST_OK);
	record = lease_record(b);
	assert_true(record.wts == 6 && record.rts == 10 && record.old == 100 && record.same == 0);
	assert_int_equal(lease_atomic(b, GLK_OP_SWAP, 72, 4, 55, 0, 11), GLK_ST_OK);
	record = lease_record(b);
	assert_true(record.wts == 11 && record.rts == 15 && record.old == 107);
	assert_int_equal(lease_atomic(b, GLK_OP_CAS, 72, 8, 1, 2, 12), GLK_ST_OK); /* does not write: a lease as of a read */
	record = lease_record(b);
	assert_true(record.wts == 11 && record.rts == 22 && record.old == 55 && record.same == 0);
	assert_int_equal(lease_atomic(b, GLK_OP_CAS, 72, 8, 1, 55, 0), GLK_ST_OK);
	record = lease_record(b);
	assert_true(record.wts == 23 && record.rts == 27 && record.old == 55);
	assert_int_equal(*pool(b, 72, 1), 1);
	assert_int_equal(lease_counter(b, GLK_TSU_WRITES), 3);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 1);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 1);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_ATOMICS), 4);
}

/* Queued bytes of the line, the operation's or not, are in memory first. */
static void own_stores_come_first(void **state)
{
	struct bench *b = *state;
	uint64_t at = (uint64_t)LEASE_SLICE << 20;

	bench_store8(b, at + 0x100, 1);
	assert_int_equal(lease_read(b, 0x140, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_FLUSH_LOAD_HIT), 0);
	assert_int_equal(lease_read(b, 0x100, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_data(b)[0], 1);
	assert_lease(b, 1, 11, false);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_FLUSH_LOAD_HIT), 1);
	bench_store8(b, at + 0x138, 2);
	assert_int_equal(lease_write(b, 0x100, bytes, 4, 0), GLK_ST_OK);
	assert_lease(b, 17, 21, false); /* the store had 12..16 */
	assert_int_equal(*pool(b, 0x138, 1), 2);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_FLUSH_ATOMIC), 1);
	bench_store8(b, at + 0x120, 3);
	assert_int_equal(lease_atomic(b, GLK_OP_FETCH_ADD, 0x100, 8, 1, 0, 0), GLK_ST_OK);
	assert_int_equal(*pool(b, 0x120, 1), 3);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_FLUSH_ATOMIC), 2);
	bench_store8(b, at + 0x128, 4);
	set_renewal(b, 0, 0x100, 27);
	renewals(b, 1, 0, GLK_ST_OK);
	assert_renewal(b, 0, 0, 32);
	assert_int_equal(*pool(b, 0x128, 1), 4);
	assert_int_equal(bench_counter(b, LEASE_PARTITION, GLK_PARTITION_FLUSH_LOAD_HIT), 2);
}

/* --- refusals --- */

struct refusal {
	unsigned word;
	uint64_t value;
	unsigned status;
};

static void try(struct bench *b, const uint64_t good[8], const struct refusal *cases, unsigned count)
{
	static uint8_t before[LEASE_BYTES], after[LEASE_BYTES];
	uint64_t greatest = bench_read(b, GLK_TSU_GREATEST), clock = bench_read(b, GLK_TSU_CLOCK);

	glk_card_pool_read(b->card, LEASE_BASE, before, sizeof(before));
	for (unsigned i = 0; i < count; i++) {
		uint64_t sqe[8];

		memcpy(sqe, good, sizeof(sqe));
		sqe[cases[i].word] = cases[i].value;
		memset(lease_registered(b, 0), 0x5a, 4096);
		if (lease_run(b, sqe, NULL) != cases[i].status)
			fail_msg("case %u", i);
		assert_int_equal(*lease_registered(b, 0), 0x5a);
	}
	glk_card_pool_read(b->card, LEASE_BASE, after, sizeof(after));
	assert_memory_equal(before, after, sizeof(after));
	assert_int_equal(bench_read(b, GLK_TSU_GREATEST), greatest);
	assert_int_equal(bench_read(b, GLK_TSU_CLOCK), clock);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_ENTRY), count);
}

/* Windows and registrations that lack something: slice 5 may not be read, 6 not be written, 7 is a GPU's, 8 ends in a line;
 * registration 4 may not be read, 5 not be written. */
static void limits(struct bench *b)
{
	bench_window(b, 5, LEASE_PARTITION, 0, 5, 0, 8192, GLK_WINDOW_Q0_WRITE_MASK);
	bench_window(b, 6, LEASE_PARTITION, 0, 6, 0, 8192, GLK_WINDOW_Q0_READ_MASK);
	bench_window(b, 7, 1, 0, 7, 0, 8192, BENCH_RW);
	bench_window(b, 8, LEASE_PARTITION, 0, 8, 0, 100, BENCH_RW);
	bench_window(b, 9, LEASE_PARTITION, 1, 9, 0, 8192, BENCH_RW);
	bench_window(b, 10, 5, 0, 10, 0, 8192, BENCH_RW);
	bench_register(b, 4, 0, LEASE_REGISTERED, 0, GLK_REGISTRATION_Q0_WRITE_MASK);
	bench_register(b, 5, 0, LEASE_REGISTERED, 0, GLK_REGISTRATION_Q0_READ_MASK);
	bench_register(b, 6, 1, LEASE_REGISTERED, 0, GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
}

static void read_refusals(void **state)
{
	struct bench *b = *state;
	const uint64_t good[8] = { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, 0,
				   REGISTERED(LEASE_REGISTRATION, 0),	       0, LEASE_NONE };
	const struct refusal cases[] = {
		{ 0, SQE0(GLK_OP_POOL_READ, GLK_FLAG_TIMED, LEASE_SLICE, 64), GLK_ST_RESERVED },
		{ 6, 1, GLK_ST_RESERVED },
		{ 7, 1, GLK_ST_RESERVED },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, 3, 64), GLK_ST_WINDOW },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, 9, 64), GLK_ST_WINDOW }, /* of another context */
		{ 2, LEASE_BYTES, GLK_ST_WINDOW_BOUNDS },
		{ 2, 1ull << 48, GLK_ST_WINDOW_BOUNDS },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, 5, 64), GLK_ST_PERMISSION },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, 10, 64), GLK_ST_ENDPOINT },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, 7, 64), GLK_ST_NOT_POOL },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 0), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 63), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 128), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, UINT32_MAX), GLK_ST_LENGTH },
		{ 2, 32, GLK_ST_ALIGNMENT },
		{ 2, 65, GLK_ST_ALIGNMENT },
		{ 3, REGISTERED(900, 0), GLK_ST_REGISTRATION },
		{ 3, REGISTERED(6, 0), GLK_ST_REGISTRATION },
		{ 3, REGISTERED(3, LEASE_REGISTERED - 95), GLK_ST_REGISTRATION_BOUNDS },
		{ 3, REGISTERED(5, 0), GLK_ST_PERMISSION },
	};
	const uint64_t last[8] = { SQE0(GLK_OP_POOL_READ, 0, 8, 64), 1, 64, REGISTERED(LEASE_REGISTRATION, 0) };

	limits(b);
	try(b, good, cases, sizeof(cases) / sizeof(cases[0]));
	assert_int_equal(lease_run(b, last, NULL), GLK_ST_WINDOW_BOUNDS);
	assert_int_equal(lease_read(b, 0, 64, 2, LEASE_NONE), GLK_ST_TIME);
	assert_int_equal(lease_read(b, 0, 64, LEASE_NONE, LEASE_NONE), GLK_ST_TIME);
	assert_int_equal(lease_counter(b, GLK_TSU_REFUSED), 2);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 0);
	assert_int_equal(lease_read(b, 0, 64, 1, LEASE_NONE), GLK_ST_OK);
}

static void write_refusals(void **state)
{
	struct bench *b = *state;
	const uint64_t good[8] = { SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, 8), 1, 0, REGISTERED(LEASE_REGISTRATION, 0), 0 };
	const struct refusal cases[] = {
		{ 0, SQE0(GLK_OP_POOL_WRITE, GLK_FLAG_TIMED, LEASE_SLICE, 8), GLK_ST_RESERVED },
		{ 5, 1, GLK_ST_RESERVED },
		{ 7, 1, GLK_ST_RESERVED },
		{ 0, SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, 0), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_POOL_WRITE, 0, 3, 8), GLK_ST_WINDOW },
		{ 2, LEASE_BYTES, GLK_ST_WINDOW_BOUNDS },
		{ 0, SQE0(GLK_OP_POOL_WRITE, 0, 6, 8), GLK_ST_PERMISSION },
		{ 0, SQE0(GLK_OP_POOL_WRITE, 0, 7, 8), GLK_ST_NOT_POOL },
		{ 2, 57, GLK_ST_ALIGNMENT },
		{ 0, SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, 65), GLK_ST_ALIGNMENT },
		{ 0, SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, UINT32_MAX), GLK_ST_ALIGNMENT },
		{ 3, REGISTERED(900, 0), GLK_ST_REGISTRATION },
		{ 3, REGISTERED(3, LEASE_REGISTERED - 39), GLK_ST_REGISTRATION_BOUNDS },
		{ 3, REGISTERED(4, 0), GLK_ST_PERMISSION },
		{ 3, REGISTERED(5, 0), GLK_ST_PERMISSION },
		{ 4, 2, GLK_ST_TIME },
		{ 4, LEASE_NONE, GLK_ST_TIME },
	};
	const uint64_t last[8] = { SQE0(GLK_OP_POOL_WRITE, 0, 8, 8), 1, 93, REGISTERED(LEASE_REGISTRATION, 0) };

	limits(b);
	try(b, good, cases, sizeof(cases) / sizeof(cases[0]));
	assert_int_equal(lease_run(b, last, NULL), GLK_ST_WINDOW_BOUNDS);
	assert_int_equal(lease_counter(b, GLK_TSU_WRITES), 0);
	assert_int_equal(lease_counter(b, GLK_TSU_REFUSED), 2);
}

static void renew_refusals(void **state)
{
	struct bench *b = *state;
	const uint64_t good[8] = { SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, 2), 1, 0, REGISTERED(LEASE_REGISTRATION, 4096), 0 };
	const struct refusal cases[] = {
		{ 0, SQE0(GLK_OP_POOL_RENEW, GLK_FLAG_TIMED, LEASE_SLICE, 2), GLK_ST_RESERVED },
		{ 2, 64, GLK_ST_RESERVED },
		{ 5, 1, GLK_ST_RESERVED },
		{ 0, SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, 0), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, GLK_RENEW_MAX + 1), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_POOL_RENEW, 0, 3, 2), GLK_ST_WINDOW },
		{ 0, SQE0(GLK_OP_POOL_RENEW, 0, 5, 2), GLK_ST_PERMISSION },
		{ 0, SQE0(GLK_OP_POOL_RENEW, 0, 7, 2), GLK_ST_NOT_POOL },
		{ 3, REGISTERED(900, 0), GLK_ST_REGISTRATION },
		{ 3, REGISTERED(3, LEASE_REGISTERED - 31), GLK_ST_REGISTRATION_BOUNDS },
		{ 3, REGISTERED(4, 0), GLK_ST_PERMISSION },
		{ 3, REGISTERED(5, 0), GLK_ST_PERMISSION },
		{ 4, 2, GLK_ST_TIME },
	};
	const struct {
		uint64_t line;
		unsigned status;
	} records[] = {
		{ 1, GLK_ST_ALIGNMENT }, { LEASE_BYTES, GLK_ST_WINDOW_BOUNDS }, { UINT64_MAX - 63, GLK_ST_WINDOW_BOUNDS },
	};
	uint64_t sqe[8] = { SQE0(GLK_OP_POOL_RENEW, 0, 8, 2), 1, 0, REGISTERED(LEASE_REGISTRATION, 4096) };

	limits(b);
	memset(lease_registered(b, 4096), 0, 32);
	try(b, good, cases, sizeof(cases) / sizeof(cases[0]));
	for (unsigned i = 0; i < sizeof(records) / sizeof(records[0]); i++) { /* the second: nothing was done */
		set_renewal(b, 0, 0, 0);
		set_renewal(b, 1, records[i].line, 0);
		renewals(b, 2, 0, records[i].status);
		assert_renewal(b, 0, 0, 0);
	}
	memcpy(lease_registered(b, 4096 + 16), (const uint64_t[]){ 64, 0 }, 16); /* not all of the line is in the window */
	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_WINDOW_BOUNDS);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 0);
}

static void atomic_refusals(void **state)
{
	struct bench *b = *state;
	const uint64_t good[8] = { SQE0(GLK_OP_FETCH_ADD, GLK_FLAG_TIMED, LEASE_SLICE, 8), 1, 0,
				   REGISTERED(LEASE_REGISTRATION, 0), 1 };
	const struct refusal cases[] = {
		{ 0, SQE0(GLK_OP_FETCH_ADD, 4, LEASE_SLICE, 8), GLK_ST_RESERVED },
		{ 0, SQE0(GLK_OP_PUT, GLK_FLAG_TIMED, LEASE_SLICE, 8), GLK_ST_RESERVED },
		{ 3, GLK_NO_REGISTRATION, GLK_ST_RESERVED },
		{ 5, 1, GLK_ST_RESERVED }, /* not a cas */
		{ 7, 1, GLK_ST_RESERVED },
		{ 0, SQE0(GLK_OP_FETCH_ADD, GLK_FLAG_TIMED, LEASE_SLICE, 2), GLK_ST_LENGTH },
		{ 2, 4, GLK_ST_ALIGNMENT },
		{ 2, LEASE_BYTES, GLK_ST_WINDOW_BOUNDS },
		{ 0, SQE0(GLK_OP_FETCH_ADD, GLK_FLAG_TIMED, 5, 8), GLK_ST_PERMISSION },
		{ 0, SQE0(GLK_OP_FETCH_ADD, GLK_FLAG_TIMED, 6, 8), GLK_ST_PERMISSION },
		{ 0, SQE0(GLK_OP_FETCH_ADD, GLK_FLAG_TIMED, 7, 8), GLK_ST_NOT_POOL },
		{ 3, REGISTERED(3, LEASE_REGISTERED - 31), GLK_ST_REGISTRATION_BOUNDS },
		{ 3, REGISTERED(5, 0), GLK_ST_PERMISSION },
		{ 6, 2, GLK_ST_TIME },
	};
	uint64_t untimed[8] = { SQE0(GLK_OP_FETCH_ADD, 0, LEASE_SLICE, 8), 1, 0, REGISTERED(LEASE_REGISTRATION, 0), 0, 0, 1 };

	limits(b);
	try(b, good, cases, sizeof(cases) / sizeof(cases[0]));
	assert_int_equal(lease_run(b, untimed, NULL), GLK_ST_RESERVED); /* a time without the flag */
	assert_int_equal(lease_atomic(b, GLK_OP_CAS, 0, 8, 1, 1, 2), GLK_ST_TIME); /* also when it would not write */
	assert_int_equal(lease_counter(b, GLK_TSU_REFUSED), 2);
}

/* Host memory that fails: nothing is written before the data are there. */
static void failing_memory(void **state)
{
	struct bench *b = *state;
	const uint64_t write[8] = { SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, 8), 1, 0, REGISTERED(LEASE_REGISTRATION, 0), 0 };
	const uint64_t read[8] = { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, 0, REGISTERED(LEASE_REGISTRATION, 0), 0, 0 };
	const uint64_t renew[8] = { SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, 1), 1, 0, REGISTERED(LEASE_REGISTRATION, 0), 0 };
	const uint64_t atomic[8] = { SQE0(GLK_OP_SWAP, GLK_FLAG_TIMED, LEASE_SLICE, 8), 1, 0, REGISTERED(LEASE_REGISTRATION, 0),
				     5 };
	uint64_t nowhere = 1ull << 40;

	memcpy(b->host + BENCH_PAGE_LIST, &nowhere, 8);
	assert_int_equal(lease_run(b, write, NULL), GLK_ST_DMA);
	assert_int_equal(lease_run(b, renew, NULL), GLK_ST_DMA);
	assert_int_equal(lease_counter(b, GLK_TSU_WRITES) + lease_counter(b, GLK_TSU_READS), 0);
	assert_int_equal(lease_run(b, read, NULL), GLK_ST_DMA);
	assert_int_equal(lease_run(b, atomic, NULL), GLK_ST_DMA);
	assert_int_equal(*pool(b, 0, 1), 5); /* as without a time */
}

/* Lines of other sizes: a page at most. */
static void coarse_lines(void **state)
{
	struct bench *b = *state;

	bench_write(b, GLK_TSU_GRAIN_0,
		    0x6210); /* slots of 256 KiB: 64, 128, 256 bytes and 4 KiB; the window begins in slot 0 */
	assert_int_equal(lease_write(b, 0x40000 - LEASE_BASE, bytes, 128, 0), GLK_ST_OK);
	assert_int_equal(lease_write(b, 0x40000 - LEASE_BASE + 64, bytes, 65, 0), GLK_ST_ALIGNMENT);
	assert_int_equal(lease_write(b, 0x40000 - LEASE_BASE - 64, bytes, 65, 0), GLK_ST_ALIGNMENT);
	assert_int_equal(lease_read(b, 0x40000 - LEASE_BASE + 64, 128, 0, LEASE_NONE), GLK_ST_ALIGNMENT);
	assert_int_equal(lease_read(b, 0x40000 - LEASE_BASE, 64, 0, LEASE_NONE), GLK_ST_LENGTH);
	assert_int_equal(lease_read(b, 0x40000 - LEASE_BASE, 128, 0, LEASE_NONE), GLK_ST_OK);
	assert_lease(b, 1, 11, false);
	assert_int_equal(lease_read(b, 0x80000 - LEASE_BASE, 256, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_read(b, 0xc0000 - LEASE_BASE + 4096, 4096, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_write(b, 0xc0000 - LEASE_BASE + 4096 + 100, bytes, 3000, 0), GLK_ST_OK);
	assert_lease(b, 11, 15, false);
	assert_int_equal(lease_read(b, 0xc0000 - LEASE_BASE + 4096, 4096, 0, 11), GLK_ST_OK); /* one line */
	assert_lease(b, 11, 21, true);
	assert_int_equal(lease_read(b, 0x100000 - LEASE_BASE, 64, 0, LEASE_NONE), GLK_ST_OK);
	bench_window(b, 5, LEASE_PARTITION, 0, 5, 0xc0000 - LEASE_BASE, 4000, BENCH_RW); /* less than a line */
	assert_int_equal(
		lease_run(b, (const uint64_t[8]){ SQE0(GLK_OP_POOL_READ, 0, 5, 4096), 1, 0, REGISTERED(3, 0), 0, 0 }, NULL),
		GLK_ST_WINDOW_BOUNDS);
	assert_int_equal(lease_run(b, (const uint64_t[8]){ SQE0(GLK_OP_POOL_WRITE, 0, 5, 1), 1, 3999, REGISTERED(3, 0) }, NULL),
			 GLK_ST_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(read_gives_a_lease, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(write_has_its_time, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(renewals_of_many_lines, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(atomics_with_a_time, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(own_stores_come_first, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(read_refusals, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(write_refusals, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(renew_refusals, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(atomic_refusals, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(failing_memory, lease_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(coarse_lines, lease_setup, bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
