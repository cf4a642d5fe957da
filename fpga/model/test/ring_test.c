// SPDX-License-Identifier: Apache-2.0
/* Rings: all operations and errors, order, back-pressure, invalid indices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"

static int setup(void **state)
{
	bench_setup(state);
	bench_register(*state, 3, 0, 20000, 100, GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
	return 0;
}

/* The byte at an offset of registration 3. */
static uint8_t *registered(struct bench *b, unsigned offset)
{
	return b->host + bench_page((100 + offset) / 4096) + (100 + offset) % 4096;
}

static void release(struct bench *b)
{
	uint64_t sqe[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0) };

	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
}

static void put_inline(void **state)
{
	struct bench *b = *state;
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT_INLINE, GLK_FLAG_INTERRUPT, 0, 5), 11, 1001, 0, 0x5544332211 };

	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	assert_int_equal(b->interrupts[1], 1);
	assert_int_equal(b->endpoint[0][1001], 0);
	release(b);
	assert_memory_equal(b->endpoint[0] + 1000, "\0\x11\x22\x33\x44\x55\0", 7);
	sqe[4] |= 1ull << 40; /* a byte beyond the length */
	assert_int_equal(bench_run(b, sqe), GLK_ST_RESERVED);
	sqe[0] = SQE0(GLK_OP_PUT_INLINE, 0, 0, 0);
	assert_int_equal(bench_run(b, sqe), GLK_ST_LENGTH);
	sqe[0] = SQE0(GLK_OP_PUT_INLINE, 0, 0, 33);
	assert_int_equal(bench_run(b, sqe), GLK_ST_LENGTH);
	sqe[0] = SQE0(GLK_OP_PUT_INLINE, 2, 0, 8);
	assert_int_equal(bench_run(b, sqe), GLK_ST_RESERVED);
	assert_int_equal(b->interrupts[1], 5); /* errors always raise it */
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_ENTRY), 4);
}

static void put_and_get(void **state)
{
	struct bench *b = *state;
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT, 0, 0, 9000), 1, 777, REGISTERED(3, 50) };

	for (unsigned i = 0; i < 9000; i++)
		*registered(b, 50 + i) = (uint8_t)(i * 31 + i / 100);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	sqe[0] = SQE0(GLK_OP_GET, 0, 0, 9000);
	sqe[3] = REGISTERED(3, 10000);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK); /* sees its own stores */
	for (unsigned i = 0; i < 9000; i++) {
		assert_int_equal(b->endpoint[0][777 + i], (uint8_t)(i * 31 + i / 100));
		assert_int_equal(*registered(b, 10000 + i), (uint8_t)(i * 31 + i / 100));
	}
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_LOADS), 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORE_BYTES), 9000);
}

/* Lists of tables and of large pages, with junk in the ignored bits. The GPU of the bench has no memory behind most pages. */
static void page_list_shapes(void **state)
{
	struct bench *b = *state;
	const struct {
		uint64_t q3, list[3], table[4], offset;
		unsigned at; /* of that offset in host memory */
	} cases[] = {
		{ 100 | GLK_REGISTRATION_Q3_TABLES_MASK,
		  { 0, 0x20fff },
		  { 0, 0x50abc, 0x70000 },
		  513 * 4096ull + 50,
		  0x50000 + 150 },
		{ 100 | GLK_REGISTRATION_Q3_TABLES_MASK,
		  { 0x20007 },
		  { 0, 0, 0x50000, 0x70000 },
		  4 * 4096ull - 150,
		  0x70000 + 4096 - 50 },
		{ 0x1fff00 | GLK_REGISTRATION_Q3_LARGE_MASK, { 1 << 30, 0x1fffff }, { 0 }, 0x100 + 0x54321, 0x54321 },
		{ 0x54300 | GLK_REGISTRATION_Q3_LARGE_MASK, { 4095 }, { 0 }, 0x21, 0x54321 },
		{ 0x54300 | GLK_REGISTRATION_Q3_LARGE_MASK | GLK_REGISTRATION_Q3_TABLES_MASK,
		  { 1 << 30, 1 << 30, 0x20000 },
		  { 1 << 30, 1 << 30, 0x12345 },
		  (1026ull << 21) + 0x21,
		  0x54321 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned entry = GLK_REGISTRATION_ARRAY + 5 * GLK_REGISTRATION_STRIDE;
		uint64_t sqe[8] = { SQE0(GLK_OP_PUT, 0, 0, 50), 1, 777, REGISTERED(5, cases[i].offset) };

		memcpy(b->host + BENCH_PAGE_LIST + 0x800, cases[i].list, sizeof(cases[i].list));
		memcpy(b->host + 0x20000, cases[i].table, sizeof(cases[i].table));
		bench_write(b, entry + GLK_REGISTRATION_Q0, 0);
		bench_write(b, entry + GLK_REGISTRATION_Q1, 1ull << 40);
		bench_write(b, entry + GLK_REGISTRATION_Q2, BENCH_PAGE_LIST + 0x800);
		bench_write(b, entry + GLK_REGISTRATION_Q3, cases[i].q3);
		assert_int_equal(bench_read(b, entry + GLK_REGISTRATION_Q3), cases[i].q3);
		bench_write(b, entry + GLK_REGISTRATION_Q0, GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK);
		for (unsigned k = 0; k < 50; k++)
			b->host[cases[i].at + k] = (uint8_t)(k * 3 + i + 1);
		assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
		release(b);
		for (unsigned k = 0; k < 50; k++)
			assert_int_equal(b->endpoint[0][777 + k], (uint8_t)(k * 3 + i + 1));
	}
}

static void put_refusals(void **state)
{
	struct bench *b = *state;
	const uint64_t good[8] = { SQE0(GLK_OP_PUT, 0, 0, 100), 1, 0, REGISTERED(3, 0) };
	const struct {
		unsigned word;
		uint64_t value;
		unsigned status;
	} cases[] = {
		{ 0, SQE0(GLK_OP_PUT, 0, 0, 0), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_PUT, 0, 0, GLK_PUT_MAX_BYTES + 1), GLK_ST_LENGTH },
		{ 0, SQE0(GLK_OP_PUT, 0, 1, 100), GLK_ST_WINDOW },
		{ 0, SQE0(GLK_OP_PUT, 0, 5000, 100), GLK_ST_WINDOW },
		{ 2, BENCH_ENDPOINT_BYTES - 99, GLK_ST_WINDOW_BOUNDS },
		{ 2, UINT64_MAX, GLK_ST_WINDOW_BOUNDS },
		{ 3, REGISTERED(4, 0), GLK_ST_REGISTRATION },
		{ 3, REGISTERED(5000, 0), GLK_ST_REGISTRATION },
		{ 3, REGISTERED(3, 19901), GLK_ST_REGISTRATION_BOUNDS },
		{ 3, REGISTERED(3, (1ull << 48) - 1), GLK_ST_REGISTRATION_BOUNDS },
		{ 4, 1, GLK_ST_RESERVED },
		{ 7, 1, GLK_ST_RESERVED },
		{ 0, 250, GLK_ST_OPCODE },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t sqe[8];

		memcpy(sqe, good, sizeof(sqe));
		sqe[cases[i].word] = cases[i].value;
		assert_int_equal(bench_run(b, sqe), cases[i].status);
	}
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 0);
	assert_int_equal(bench_run(b, good), GLK_ST_OK);
}

static void owners_and_rights(void **state)
{
	struct bench *b = *state;
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT, 0, 1, 8), 1, 0, REGISTERED(3, 0) };

	bench_window(b, 1, 1, 1, 1, 0, 4096, GLK_WINDOW_Q0_WRITE_MASK);
	bench_window(b, 2, 1, 0, 2, 0, 4096, GLK_WINDOW_Q0_WRITE_MASK);
	bench_register(b, 5, 1, 100, 0, GLK_REGISTRATION_Q0_READ_MASK);
	bench_register(b, 6, 0, 100, 0, GLK_REGISTRATION_Q0_WRITE_MASK);
	assert_int_equal(bench_run(b, sqe), GLK_ST_WINDOW); /* of context 1 */
	sqe[0] = SQE0(GLK_OP_PUT, 0, 2, 8);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	sqe[3] = REGISTERED(5, 0);
	assert_int_equal(bench_run(b, sqe), GLK_ST_REGISTRATION); /* of context 1 */
	sqe[3] = REGISTERED(6, 0);
	assert_int_equal(bench_run(b, sqe), GLK_ST_PERMISSION);
	sqe[0] = SQE0(GLK_OP_GET, 0, 2, 8);
	assert_int_equal(bench_run(b, sqe), GLK_ST_PERMISSION);
	sqe[0] = SQE0(GLK_OP_SWAP, 0, 2, 8);
	assert_int_equal(bench_run(b, sqe), GLK_ST_PERMISSION);
}

static void put_across_slices(void **state)
{
	struct bench *b = *state;
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT_INLINE, 0, 8, 16), 1, (1 << 20) - 8, 0, 1, 2 };

	/* A window of two slices at unrelated offsets in the endpoint: slices are independent. */
	bench_window(b, 8, 1, 0, 8, 0, 1 << 20, GLK_WINDOW_Q0_WRITE_MASK);
	bench_window(b, 9, 2, 0, 8, 4096, 8192, GLK_WINDOW_Q0_WRITE_MASK);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	release(b);
	assert_int_equal(b->endpoint[1][(1 << 20) - 8], 1);
	assert_int_equal(b->endpoint[2][4096], 2);
	sqe[2] = (1 << 20) + 8192 - 8;
	assert_int_equal(bench_run(b, sqe), GLK_ST_WINDOW_BOUNDS);
}

static unsigned add_record(struct bench *b, unsigned at, uint64_t offset, unsigned length, uint8_t first)
{
	uint64_t head = offset | (uint64_t)length << 48;

	for (unsigned i = 0; i < 8; i++)
		*registered(b, at + i) = (uint8_t)(head >> 8 * i);
	for (unsigned i = 0; i < (length + 7) / 8 * 8; i++)
		*registered(b, at + 8 + i) = (uint8_t)(first + i);
	return at + 8 + (length + 7) / 8 * 8;
}

static void put_vector(void **state)
{
	struct bench *b = *state;
	uint64_t sqe[8] = { 0, 1, 0, REGISTERED(3, 0) };
	unsigned end = add_record(b, 0, 10, 8, 1);

	end = add_record(b, end, 5000, 3, 50);
	end = add_record(b, end, 14, 8, 100); /* the later one wins */
	sqe[0] = SQE0(GLK_OP_PUTV, 0, 0, end);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	release(b);
	assert_memory_equal(b->endpoint[0] + 10, "\1\2\3\4\x64\x65\x66\x67\x68\x69\x6a\x6b", 12);
	assert_memory_equal(b->endpoint[0] + 5000, "\x32\x33\x34\0", 4);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 3);
	assert_int_equal(b->packets, 1);
	/* All or nothing: the last record is wrong. */
	for (unsigned i = 0; i < 4; i++) {
		static const uint64_t offsets[] = { 0, 0, BENCH_ENDPOINT_BYTES - 3, 0 };
		static const unsigned lengths[] = { 0, 4097, 4, 8 };
		unsigned total;

		end = add_record(b, 0, 64, 8, 77);
		total = add_record(b, end, offsets[i], lengths[i], 5);
		if (lengths[i] == 4097)
			total = end + 8 + 4104;
		if (i == 3)
			total -= 8; /* ends inside the data */
		sqe[0] = SQE0(GLK_OP_PUTV, 0, 0, total);
		assert_int_equal(bench_run(b, sqe), i == 2 ? GLK_ST_WINDOW_BOUNDS : GLK_ST_VECTOR);
	}
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 3);
}

static void atomics(void **state)
{
	struct bench *b = *state;
	uint64_t put[8] = { SQE0(GLK_OP_PUT_INLINE, 0, 0, 8), 1, 64, 0, 40 };
	uint64_t sqe[8] = { SQE0(GLK_OP_FETCH_ADD, 0, 0, 8), 2, 64, REGISTERED(3, 8), 2 };
	uint64_t old, now;

	assert_int_equal(bench_run(b, put), GLK_ST_OK);
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	memcpy(&old, registered(b, 8), 8);
	memcpy(&now, b->endpoint[0] + 64, 8);
	assert_int_equal(old, 40); /* did not overtake the store */
	assert_int_equal(now, 42);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_ATOMIC), 1);
	sqe[0] = SQE0(GLK_OP_CAS, 0, 0, 8);
	sqe[4] = 7;
	sqe[5] = 41; /* not the current value */
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	memcpy(&now, b->endpoint[0] + 64, 8);
	assert_int_equal(now, 42);
	sqe[5] = 42;
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	memcpy(&now, b->endpoint[0] + 64, 8);
	assert_int_equal(now, 7);
	sqe[0] = SQE0(GLK_OP_SWAP, 0, 0, 4);
	sqe[3] = REGISTERED(GLK_NO_REGISTRATION, 0);
	sqe[4] = 0xffffffff;
	sqe[5] = 0;
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK);
	memcpy(&now, b->endpoint[0] + 64, 8);
	assert_int_equal(now, 0xffffffff);
	sqe[0] = SQE0(GLK_OP_FETCH_ADD, 0, 0, 4);
	sqe[4] = 1;
	assert_int_equal(bench_run(b, sqe), GLK_ST_OK); /* wraps within its 4 bytes */
	memcpy(&now, b->endpoint[0] + 64, 8);
	assert_int_equal(now, 0);
	sqe[2] = 66;
	assert_int_equal(bench_run(b, sqe), GLK_ST_ALIGNMENT);
	sqe[0] = SQE0(GLK_OP_SWAP, 0, 0, 2);
	assert_int_equal(bench_run(b, sqe), GLK_ST_LENGTH);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_ATOMICS), 5);
}

static void completions_in_order_with_back_pressure(void **state)
{
	struct bench *b = *state;
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT_INLINE, 0, 0, 8), 0, 0, 0, 1 }, tag, next = 0;
	unsigned status, moved, submitted = 0;

	/* The completion ring has 16 entries: the card processes no more than fit, over several laps. */
	for (unsigned lap = 0; lap < 10; lap++) {
		for (unsigned i = 0; i < 12; i++, submitted++) {
			sqe[1] = submitted;
			bench_submit(b, sqe);
			glk_card_service(b->card, 1000);
			if (submitted - next == 16)
				for (unsigned k = 0; k < 16; k++, next++) {
					assert_true(bench_completion(b, &tag, &status, &moved));
					assert_int_equal(tag, next);
				}
		}
	}
	while (bench_completion(b, &tag, &status, &moved))
		assert_int_equal(tag, next++);
	assert_int_equal(next, submitted);
	for (unsigned i = 0; i < 16; i++)
		bench_submit(b, sqe);
	assert_true(glk_card_service(b->card, 10)); /* more entries than the budget */
	assert_false(glk_card_service(b->card, 10));
	sqe[1] = 12345;
	bench_submit(b, sqe);
	assert_false(glk_card_service(b->card, 10)); /* completion ring is full */
	assert_int_equal((uint16_t)(bench_read(b, bench_context(0, GLK_CONTEXT_SQ_TAIL)) -
				    bench_read(b, bench_context(0, GLK_CONTEXT_SQ_HEAD))), 1);
	assert_true(bench_completion(b, &tag, &status, &moved));
	assert_false(glk_card_service(b->card, 10));
	for (unsigned i = 0; i < 16; i++)
		assert_true(bench_completion(b, &tag, &status, &moved));
	assert_int_equal(tag, 12345);
}

static void release_holds_the_ring(void **state)
{
	struct bench *b = *state;
	uint64_t put[8] = { SQE0(GLK_OP_PUT_INLINE, 0, 0, 8), 1, 0, 0, 1 }, tag;
	uint64_t fence[8] = { SQE0(GLK_OP_RELEASE, GLK_FLAG_INTERRUPT, 0, 0), 2 };
	unsigned status, moved;

	b->hold = true;
	bench_submit(b, put);
	bench_submit(b, fence);
	put[1] = 3;
	bench_submit(b, put);
	assert_false(glk_card_service(b->card, 100));
	assert_true(bench_completion(b, &tag, &status, &moved));
	assert_false(bench_completion(b, &tag, &status, &moved));
	assert_int_equal(b->posted[0], 1);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	glk_card_service(b->card, 100);
	assert_true(bench_completion(b, &tag, &status, &moved));
	assert_int_equal(tag, 2);
	assert_true(bench_completion(b, &tag, &status, &moved));
	assert_int_equal(tag, 3);
	assert_int_equal(b->interrupts[1], 1);
}

static void nonsense_stops_the_ring(void **state)
{
	struct bench *b = *state;

	bench_write(b, bench_context(0, GLK_CONTEXT_SQ_TAIL), 17);
	assert_false(glk_card_service(b->card, 100));
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_STATUS)), GLK_ST_PROTOCOL);
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_RING_MASK);
	assert_int_equal(b->interrupts[0] + b->interrupts[1], 2);
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL), 0);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_STATUS)), 0);
	bench_write(b, bench_context(0, GLK_CONTEXT_SQ_BASE), 1ull << 60); /* not memory */
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL), 1);
	bench_write(b, bench_context(0, GLK_CONTEXT_SQ_TAIL), 1);
	assert_false(glk_card_service(b->card, 100));
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_STATUS)), GLK_ST_DMA);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_DMA), 1);
	/* Other contexts continue. */
	bench_context_start(b, 1);
	bench_write(b, bench_context(1, GLK_CONTEXT_SQ_TAIL), 1);
	assert_false(glk_card_service(b->card, 100));
	assert_int_equal(bench_read(b, bench_context(1, GLK_CONTEXT_CQ_TAIL)), 1);
}

static void doorbell_release_covers_the_ring(void **state)
{
	struct bench *b = *state;
	uint64_t put[8] = { SQE0(GLK_OP_PUT_INLINE, 0, 0, 8), 1, 0, 0, 9 };

	bench_submit(b, put);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 5);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 0);
	glk_card_service(b->card, 100);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(b->endpoint[0][0], 9);
	/* The tail of the doorbell page is ignored unless USER_DOORBELL is set. */
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_SQ_TAIL, 7);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_SQ_TAIL)), 1);
}

/* With USER_DOORBELL set the doorbell page moves both indices; otherwise neither. */
static void doorbell_page_moves_the_ring(void **state)
{
	struct bench *b = *state;
	const unsigned tail = GLK_DOORBELL_ARRAY + GLK_DOORBELL_SQ_TAIL, head = GLK_DOORBELL_ARRAY + GLK_DOORBELL_CQ_HEAD;

	bench_write(b, tail, 2);
	bench_write(b, head, 2);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_SQ_TAIL)), 0);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_CQ_HEAD)), 0);
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL), 0);
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL),
		    GLK_CONTEXT_CONTROL_ENABLE_MASK | GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK);
	bench_write(b, tail, 2);
	assert_false(glk_card_service(b->card, 100));
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_CQ_TAIL)), 2);
	bench_write(b, head, 0x10002); /* upper bits are ignored, as in SQ_TAIL */
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_CQ_HEAD)), 2);
	assert_int_equal(bench_read(b, head), 0);
	bench_write(b, head, 5); /* more completions than written */
	assert_false(glk_card_service(b->card, 100));
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_STATUS)), GLK_ST_PROTOCOL);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 0);
}

/* A release that waits for the ring completes when the ring stops on an error; stopping the context discards it. */
static void stopped_ring_holds_no_release(void **state)
{
	struct bench *b = *state;
	const unsigned released = GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED;
	uint64_t put[8] = { SQE0(GLK_OP_PUT_INLINE, 0, 0, 8), 1, 0, 0, 9 };

	bench_submit(b, put);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 5);
	assert_int_equal(bench_read(b, released), 0);
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL), 0);
	bench_context_start(b, 0);
	assert_int_equal(bench_read(b, released), 0);
	bench_submit(b, put);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 6);
	bench_write(b, bench_context(0, GLK_CONTEXT_SQ_TAIL), 100); /* more than the ring holds */
	assert_int_equal(bench_read(b, released), 0);
	glk_card_service(b->card, 100);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_STATUS)), GLK_ST_PROTOCOL);
	assert_int_equal(bench_read(b, released), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(put_inline, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(put_and_get, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(page_list_shapes, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(put_refusals, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(owners_and_rights, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(put_across_slices, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(put_vector, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(atomics, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(completions_in_order_with_back_pressure, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(release_holds_the_ring, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(nonsense_stops_the_ring, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(doorbell_release_covers_the_ring, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(doorbell_page_moves_the_ring, setup, bench_teardown),
		cmocka_unit_test_setup_teardown(stopped_ring_holds_no_release, setup, bench_teardown),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
