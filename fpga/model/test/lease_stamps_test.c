// SPDX-License-Identifier: Apache-2.0
/* Every way to write to the pool stamps each line it touches, once; the registers of block TSU; what a reset keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lease_bench.h"
#include "pair.h"

#define LINE 64u

/* --- every way to write --- */

enum { AROUND = 80 }; /* lines */

struct written {
	unsigned offset, length;
	void (*write)(struct bench *b, const struct written *w);
};

/* Expects new times of the lines that are written, and of no others. */
static void expect_stamps(struct bench *b, const struct written *w)
{
	unsigned first = w->offset / LINE - 1, last = (w->offset + w->length - 1) / LINE + 1;
	uint64_t untimed = lease_counter(b, GLK_TSU_UNTIMED), wts[AROUND], greatest = 0;

	assert_true(last - first < AROUND);
	for (unsigned line = first; line <= last; line++) {
		assert_int_equal(lease_read(b, line * LINE, LINE, 0, LEASE_NONE), GLK_ST_OK);
		wts[line - first] = lease_record(b).wts;
		greatest = lease_record(b).rts;
	}
	w->write(b, w);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED) - untimed, last - first - 1);
	assert_true(bench_read(b, GLK_TSU_CLOCK) > greatest);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_STRIDE + GLK_DOORBELL_CLOCK),
			 bench_read(b, GLK_TSU_CLOCK));
	for (unsigned line = first; line <= last; line++) {
		bool inside = line != first && line != last;

		assert_int_equal(lease_read(b, line * LINE, LINE, 0, wts[line - first]), GLK_ST_OK);
		assert_int_equal(lease_record(b).same, !inside);
		for (unsigned i = 0; inside && i < LINE; i++) {
			unsigned at = line * LINE + i;

			assert_int_equal(lease_data(b)[i], at >= w->offset && at < w->offset + w->length ? 0xab : 0);
		}
	}
}

static const uint8_t *pattern(void)
{
	static uint8_t data[8192];

	memset(data, 0xab, sizeof(data));
	return data;
}

static void by_pool(struct bench *b, const struct written *w)
{
	assert_int_equal(glk_card_pool_write(b->card, LEASE_BASE + w->offset, pattern(), w->length), 0);
}

static void release(struct bench *b)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0) };

	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
}

static void by_window(struct bench *b, const struct written *w)
{
	glk_card_aperture_store(b->card, ((uint64_t)LEASE_SLICE << 20) + w->offset, pattern(), w->length);
	release(b);
}

static void by_window_without_queue(struct bench *b, const struct written *w)
{
	unsigned mode = bench_partition(LEASE_PARTITION, GLK_PARTITION_MODE);

	bench_write(b, mode, bench_read(b, mode) & ~GLK_PARTITION_MODE_COALESCE_MASK);
	glk_card_aperture_store(b->card, ((uint64_t)LEASE_SLICE << 20) + w->offset, pattern(), w->length);
}

static void by_put(struct bench *b, const struct written *w)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_PUT, 0, LEASE_SLICE, w->length), 1, w->offset,
				  REGISTERED(LEASE_REGISTRATION, 0) };

	memset(lease_registered(b, 0), 0xab, w->length);
	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
	release(b);
}

static void by_put_inline(struct bench *b, const struct written *w)
{
	uint64_t sqe[8] = { SQE0(GLK_OP_PUT_INLINE, 0, LEASE_SLICE, w->length), 1, w->offset };

	memset(sqe + 4, 0xab, w->length);
	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
	release(b);
}

static void by_putv(struct bench *b, const struct written *w)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_PUTV, 0, LEASE_SLICE, 8 + (w->length + 7) / 8 * 8), 1, 0,
				  REGISTERED(LEASE_REGISTRATION, 0) };
	uint64_t head = w->offset | (uint64_t)w->length << GLK_PUTV_RECORD_LENGTH_SHIFT;

	memcpy(lease_registered(b, 0), &head, 8);
	memset(lease_registered(b, 8), 0xab, w->length);
	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
	release(b);
}

static void by_atomic(struct bench *b, const struct written *w)
{
	const uint64_t sqe[8] = {
		SQE0(GLK_OP_SWAP, 0, LEASE_SLICE, w->length), 1, w->offset, GLK_NO_REGISTRATION,
		0xabababababababab >> (w->length == 4 ? 32 : 0),
	};

	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
}

static void set_region(struct bench *b, unsigned reg, uint64_t value)
{
	bench_write(b, GLK_REGION_ARRAY + reg, value);
}

static void by_region(struct bench *b, const struct written *w)
{
	memset(lease_registered(b, 0), 0xab, w->length);
	bench_write(b, GLK_CHUNK_ARRAY, 1ull << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
	set_region(b, GLK_REGION_SOURCE, LEASE_REGISTRATION);
	set_region(b, GLK_REGION_BYTES, w->length);
	set_region(b, GLK_REGION_CHUNKS, 1ull << GLK_REGION_CHUNKS_COUNT_SHIFT);
	set_region(b, GLK_REGION_EXPECTED, 1);
	set_region(b, GLK_REGION_RECORD, 0x12000);
	set_region(b, GLK_REGION_TARGET_WINDOW_0, LEASE_SLICE);
	set_region(b, GLK_REGION_TARGET_OFFSET_0, w->offset);
	set_region(b, GLK_REGION_CONTROL, GLK_REGION_CONTROL_VALID_MASK | 12 << GLK_REGION_CONTROL_ORDER_SHIFT |
						  1 << GLK_REGION_CONTROL_TARGETS_SHIFT);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_START, 0);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_ARRIVE, 1ull << GLK_DOORBELL_ARRIVE_COUNT_SHIFT);
	while (glk_card_service(b->card, 100))
		;
	release(b);
}

static void every_way(void **state)
{
	static const struct written ways[] = {
		{ 0x1000 + 60, 8, by_pool }, { 0x1000, 64, by_pool }, { 0x1000 + 1, 200, by_pool },
		{ 0x1000, 8, by_window }, { 0x1000 + 63, 1, by_window },
		{ 0x1000 + 60, 8, by_window }, /* one write of the de-packetizer */
		{ 0x1000 + 0x7c, 8, by_window },
		{ 0x1000 + 63, 1, by_window_without_queue }, { 0x1000, 128, by_window_without_queue },
		{ 0x1000 + 3, 100, by_put }, { 0x1000, 4096, by_put }, { 0x1000 + 50, 30, by_put_inline },
		{ 0x1000 + 0xa0, 100, by_putv }, { 0x1000 + 0x78, 8, by_atomic }, { 0x1000 + 0x7c, 4, by_atomic },
		{ 0x1000, 4096, by_region }, { 0x1000 + 64, 700, by_region },
	};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct bench *b;

		lease_setup(state);
		b = *state;
		expect_stamps(b, &ways[i]);
		bench_teardown(state);
	}
}

/* Pages that are cleared: zeros, all stamped, others not. */
static void clear(void **state)
{
	struct bench *b = *state;
	uint64_t page = LEASE_BASE / 4096;

	for (unsigned i = 0; i < 4; i++)
		glk_card_pool_write(b->card, LEASE_BASE + i * 4096u, pattern(), 4096);
	for (unsigned offset = 0; offset < 4 * 4096; offset += 64)
		assert_int_equal(lease_read(b, offset, 64, 0, LEASE_NONE), GLK_ST_OK);
	bench_write(b, GLK_TSU_CLEAR, (page + 1) | 2 << GLK_TSU_CLEAR_PAGES_SHIFT);
	assert_int_equal(bench_read(b, GLK_TSU_CLEAR), 0);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), (4 + 2) * 64);
	for (unsigned offset = 0; offset < 4 * 4096; offset += 64) {
		bool cleared = offset >= 4096 && offset < 3 * 4096;

		assert_int_equal(lease_read(b, offset, 64, 0, LEASE_NONE), GLK_ST_OK);
		assert_true((lease_record(b).wts > 11) == cleared);
		assert_int_equal(lease_data(b)[offset / 64 % 64], cleared ? 0 : 0xab);
	}
	bench_write(b, GLK_TSU_CLEAR, ((16 << 20) / 4096 - 1) | 1 << GLK_TSU_CLEAR_PAGES_SHIFT); /* the last one */
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), (4 + 3) * 64);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 0);
}

/* A line of the greatest size is stamped once, however much of it is written. */
static void stamps_by_grain(void **state)
{
	struct bench *b = *state;

	bench_write(b, GLK_TSU_GRAIN_0, 0x60); /* slot 1: 0x40000 .. 0x7ffff */
	glk_card_pool_write(b->card, 0x40000, pattern(), 4096);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 1);
	glk_card_pool_write(b->card, 0x40000 - 64, pattern(),
			    4096 + 64 + 1); /* the end of slot 0, a line, a byte of the next */
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 4);
	bench_write(b, GLK_TSU_CLEAR, 0x3f | 2 << GLK_TSU_CLEAR_PAGES_SHIFT);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 4 + 64 + 1);
}

/* --- the other card's writes are stamped here --- */

static void remote_writes(void **state)
{
	struct pair *pair = *state;
	struct bench *home = &pair->side[1], *far = &pair->side[0];
	unsigned mode = bench_partition(LEASE_PARTITION, GLK_PARTITION_MODE);

	lease_start(home);
	bench_write(home, mode, GLK_PARTITION_MODE_RESET | GLK_PARTITION_MODE_OPEN_MASK);
	pair_bind(far, LEASE_PARTITION, LEASE_PARTITION, LEASE_BYTES);
	bench_window(far, LEASE_SLICE, LEASE_PARTITION, 0, LEASE_SLICE, 0, LEASE_BYTES, BENCH_RW);
	pair_run(pair, 1000);
	for (unsigned coalesce = 0; coalesce < 2; coalesce++) { /* write requests, packets */
		uint64_t value = 0xabababababababab;

		bench_write(far, mode, coalesce ? GLK_PARTITION_MODE_RESET : 0);
		assert_int_equal(lease_read(home, 0x80, 64, 0, LEASE_NONE), GLK_ST_OK);
		bench_store8(far, ((uint64_t)LEASE_SLICE << 20) + 0x90, value);
		assert_int_equal(pair_release(pair, 0), 0);
		assert_int_equal(lease_counter(home, GLK_TSU_UNTIMED), 1 + 2 * coalesce);
		assert_true(bench_read(home, GLK_TSU_CLOCK) > lease_record(home).rts);
		assert_int_equal(lease_atomic(home, GLK_OP_FETCH_ADD, 0x90, 8, 0, 0, 0), GLK_ST_OK);
		assert_int_equal(lease_record(home).old, value);
		bench_register(far, 1, 0, 4096, 0, GLK_REGISTRATION_Q0_WRITE_MASK);
		assert_int_equal(bench_run(far, (const uint64_t[8]){ SQE0(GLK_OP_SWAP, 0, LEASE_SLICE, 8), 1, 0x90,
								     REGISTERED(1, 0), 9 }),
				 GLK_ST_OK);
		assert_int_equal(lease_counter(home, GLK_TSU_UNTIMED), 2 + 2 * coalesce);
		assert_int_equal(lease_counter(far, GLK_TSU_UNTIMED), 0);
	}
}

/* --- registers --- */

static void identity_after(struct bench *b, unsigned epoch)
{
	uint64_t caps = bench_read(b, GLK_TSU_CAPS);

	assert_true(bench_read(b, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_LEASE_MASK);
	assert_int_equal(bench_read(b, GLK_BLOCK_TSU), GLK_BLOCK_TSU_TYPE | GLK_BLOCK_TSU_VERSION << 16);
	assert_int_equal(caps, 1 | 1024 << GLK_TSU_CAPS_SETS_SHIFT | 8 << GLK_TSU_CAPS_WAYS_SHIFT |
				       32ull << GLK_TSU_CAPS_TS_BITS_SHIFT | 18ull << GLK_TSU_CAPS_SLOT_SHIFT_SHIFT);
	assert_int_equal(bench_read(b, GLK_TSU_READ_LEASE), 10);
	assert_int_equal(bench_read(b, GLK_TSU_WRITE_LEASE), 5);
	assert_int_equal(bench_read(b, GLK_TSU_CONTROL), 0);
	assert_int_equal(bench_read(b, GLK_TSU_EPOCH), epoch);
}

static void identity(void **state)
{
	identity_after(*state, 0);
}

static void refusals(void **state)
{
	struct bench *b = *state;
	static const struct {
		unsigned reg;
		uint64_t value;
	} wrong[] = {
		{ GLK_BLOCK_TSU, 0 },
		{ GLK_TSU_CAPS, 0 },
		{ GLK_TSU_CONTROL, 4 },
		{ GLK_TSU_CONTROL, 1ull << 63 },
		{ GLK_TSU_READ_LEASE, 0 },
		{ GLK_TSU_READ_LEASE, 32769 },
		{ GLK_TSU_READ_LEASE, 1ull << 40 },
		{ GLK_TSU_WRITE_LEASE, 0 },
		{ GLK_TSU_WRITE_LEASE, 32769 },
		{ GLK_TSU_EPOCH, 1 },
		{ GLK_TSU_FLOOR, 1 },
		{ GLK_TSU_CLOCK, 1 },
		{ GLK_TSU_GREATEST, 1 },
		{ GLK_TSU_CLEAR, 0 },
		{ GLK_TSU_CLEAR, 5 },
		{ GLK_TSU_CLEAR, 4096 | 1 << GLK_TSU_CLEAR_PAGES_SHIFT },
		{ GLK_TSU_CLEAR, 4095 | 2 << GLK_TSU_CLEAR_PAGES_SHIFT },
		{ GLK_TSU_CLEAR, GLK_TSU_CLEAR_FIRST_MASK | GLK_TSU_CLEAR_PAGES_MASK },
		{ GLK_TSU_CLEAR, 1 << GLK_TSU_CLEAR_PAGES_SHIFT | 1ull << 48 },
		{ GLK_TSU_CLEAR, 1 << GLK_TSU_CLEAR_PAGES_SHIFT | 1ull << 63 },
		{ GLK_TSU_GRAIN_0, 7 },
		{ GLK_TSU_GRAIN_3, 7ull << 60 },
		{ GLK_TSU_GRAIN_1, 8ull << 20 },
		{ GLK_TSU_READS, 0 },
		{ GLK_TSU_ERRORS, 0 },
		{ GLK_TSU_COUNTER_LAST + 8, 0 },
		{ GLK_TSU_CLEAR + 8, 0 },
	};
	static uint8_t zeros[4096], page[4096];

	glk_card_pool_write(b->card, 0, pattern(), 1);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint64_t was = bench_read(b, wrong[i].reg);

		bench_write(b, wrong[i].reg, wrong[i].value);
		assert_int_equal(bench_read(b, wrong[i].reg), was);
		assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), i + 1);
	}
	assert_int_equal(bench_read(b, GLK_TSU_FLOOR), 0);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 1);
	glk_card_pool_read(b->card, 1, page, 4095);
	assert_memory_equal(page, zeros, 4095);
	bench_write(b, GLK_TSU_READ_LEASE, 32768);
	bench_write(b, GLK_TSU_WRITE_LEASE, 1);
	bench_write(b, GLK_TSU_GRAIN_3, 0x6543210654321066);
	assert_int_equal(bench_read(b, GLK_TSU_READ_LEASE), 32768);
	assert_int_equal(bench_read(b, GLK_TSU_WRITE_LEASE), 1);
	assert_int_equal(bench_read(b, GLK_TSU_GRAIN_3), 0x6543210654321066);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), sizeof(wrong) / sizeof(wrong[0]));
}

static void lengths_of_leases(void **state)
{
	struct bench *b = *state;

	bench_write(b, GLK_TSU_READ_LEASE, 100);
	bench_write(b, GLK_TSU_WRITE_LEASE, 20);
	assert_int_equal(lease_read(b, 0, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_record(b).rts, 100);
	assert_int_equal(lease_write(b, 0, "x", 1, 0), GLK_ST_OK);
	assert_int_equal(lease_record(b).rts, 120);
	bench_write(b, GLK_TSU_CONTROL, GLK_TSU_CONTROL_ADAPT_MASK);
	assert_int_equal(bench_read(b, GLK_TSU_CONTROL), GLK_TSU_CONTROL_ADAPT_MASK);
	assert_int_equal(lease_read(b, 0, 64, 101, 101), GLK_ST_OK);
	assert_int_equal(lease_record(b).rts, 301);
	bench_write(b, GLK_TSU_CONTROL, GLK_TSU_CONTROL_ADAPT_MASK | GLK_TSU_CONTROL_EXPIRE_MASK);
	assert_int_equal(bench_read(b, GLK_TSU_CONTROL), GLK_TSU_CONTROL_ADAPT_MASK);
	assert_int_equal(bench_read(b, GLK_TSU_EPOCH), 1);
	assert_int_equal(lease_read(b, 0, 64, 301, 101), GLK_ST_OK); /* has to read it again */
	assert_false(lease_record(b).same);
	assert_int_equal(lease_record(b).rts, (1ull << 32) + 100);
}

/* No lease is lost when lines change their size, and no entry stays. */
static void grain_changes(void **state)
{
	struct bench *b = *state;

	assert_int_equal(lease_read(b, 0x1000, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_read(b, 0x1000, 64, 9, 0), GLK_ST_OK); /* to 19 */
	bench_write(b, GLK_TSU_GRAIN_0, 0);
	assert_int_equal(bench_read(b, GLK_TSU_FLOOR), 0); /* no change */
	bench_write(b, GLK_TSU_GRAIN_0, 1);
	assert_int_equal(bench_read(b, GLK_TSU_FLOOR), 19);
	assert_int_equal(lease_write(b, 0x1000, "x", 1, 0), GLK_ST_OK);
	assert_int_equal(lease_record(b).wts, 20);
	bench_write(b, GLK_TSU_CONTROL, GLK_TSU_CONTROL_EXPIRE_MASK);
	bench_write(b, GLK_TSU_GRAIN_1, 1); /* all leases are of the epoch before */
	assert_int_equal(bench_read(b, GLK_TSU_FLOOR), 0);
	assert_int_equal(lease_counter(b, GLK_TSU_EVICTIONS), 0);
}

static void reset(void **state)
{
	struct bench *b = *state;

	glk_card_pool_write(b->card, LEASE_BASE + 0x1000, pattern(), 64);
	assert_int_equal(lease_read(b, 0x1000, 64, 0, LEASE_NONE), GLK_ST_OK); /* [1, 11] */
	bench_write(b, GLK_TSU_READ_LEASE, 100);
	bench_write(b, GLK_TSU_WRITE_LEASE, 20);
	bench_write(b, GLK_TSU_CONTROL, GLK_TSU_CONTROL_ADAPT_MASK);
	bench_write(b, GLK_TSU_GRAIN_2, 3);
	bench_write(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	identity_after(b, 1);
	assert_int_equal(bench_read(b, GLK_TSU_GRAIN_2), 0);
	assert_int_equal(bench_read(b, GLK_TSU_CLOCK), 1);
	assert_int_equal(bench_read(b, GLK_TSU_GREATEST), 11);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 1);
	assert_int_equal(lease_counter(b, GLK_TSU_EPOCHS), 1);
	bench_start(b);
	lease_start(b);
	assert_int_equal(lease_read(b, 0x1000, 64, 11, 1), GLK_ST_OK);
	assert_false(lease_record(b).same);
	assert_int_equal(lease_record(b).wts, 1ull << 32);
	assert_int_equal(lease_record(b).rts, (1ull << 32) + 10);
	assert_memory_equal(lease_data(b), pattern(), 64); /* the memory stays */
	glk_card_reset(b->card);
	assert_int_equal(bench_read(b, GLK_TSU_EPOCH), 2);
}

/* A card that is not enabled takes no entries; its pool's bytes are there, and stamped. */
static void disabled(void **state)
{
	struct bench *b = *state;
	const uint64_t sqe[8] = { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, 0, REGISTERED(LEASE_REGISTRATION, 0) };

	bench_write(b, GLK_CARD_CONTROL, 0);
	bench_submit(b, sqe);
	assert_false(glk_card_service(b->card, 100));
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_SQ_TAIL)), 0);
	glk_card_pool_write(b->card, 0, pattern(), 1);
	assert_int_equal(lease_counter(b, GLK_TSU_READS), 0);
	assert_int_equal(lease_counter(b, GLK_TSU_UNTIMED), 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_CLOCK), 1);
}

/* Other shapes of table, and none. */
static void shapes(void **state)
{
	struct bench *b = test_malloc(sizeof(*b));

	(void)state;
	bench_create_shaped(b, 1, 2, 5);
	bench_start(b);
	lease_start(b);
	assert_int_equal(bench_read(b, GLK_TSU_CAPS) & 0xffffffffff, 1 | 1 << 8 | 2 << 24 | 5ull << 32);
	bench_write(b, GLK_TSU_READ_LEASE, 16);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 1);
	for (unsigned i = 0; i < 3; i++) /* the third takes the place of the first */
		assert_int_equal(lease_read(b, 64 * i, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_counter(b, GLK_TSU_EVICTIONS), 1);
	assert_int_equal(bench_read(b, GLK_TSU_FLOOR), 10);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(lease_write(b, 0, "x", 1, 0), GLK_ST_OK);
	assert_int_equal(bench_read(b, GLK_TSU_EPOCH), 1); /* 31 is the last time of an epoch */
	assert_int_equal(bench_read(b, GLK_TSU_CLOCK), (1ull << 32) + 6);
	bench_destroy(b);
	bench_create_shaped(b, 0, 0, 0);
	bench_start(b);
	lease_start(b);
	assert_false(bench_read(b, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_LEASE_MASK);
	for (unsigned reg = GLK_BLOCK_TSU; reg <= GLK_TSU_COUNTER_LAST; reg += 8)
		assert_int_equal(bench_read(b, reg), 0);
	bench_write(b, GLK_TSU_READ_LEASE, 10);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 1);
	glk_card_pool_write(b->card, 0, pattern(), 4096);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_CLOCK), 0);
	assert_int_equal(lease_read(b, 0, 64, 0, 0), GLK_ST_OPCODE);
	assert_int_equal(lease_write(b, 0, "x", 1, 0), GLK_ST_OPCODE);
	assert_int_equal(lease_atomic(b, GLK_OP_SWAP, 0, 8, 1, 0, 0), GLK_ST_RESERVED);
	bench_destroy(b);
	test_free(b);
}

/* Cards that cannot be. */
static void impossible(void **state)
{
	static const unsigned wrong[][3] = {
		{ 3, 8, 32 },	   { 65536, 8, 32 }, { 1024, 0, 32 }, { 1024, 3, 32 },
		{ 1024, 256, 32 }, { 1024, 8, 4 },   { 1024, 8, 33 },
	};
	struct bench *b = *state;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(bench_can_be(b, wrong[i][0], wrong[i][1], wrong[i][2], 16 << 20));
	assert_true(bench_can_be(b, 32768, 128, 5, 4096));
	assert_true(bench_can_be(b, 1024, 8, 32, 0)); /* without leases */
}

#define LEASE_TEST(name) cmocka_unit_test_setup_teardown(name, lease_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way), LEASE_TEST(clear),	   LEASE_TEST(stamps_by_grain),	  PAIR_TEST(remote_writes),
		LEASE_TEST(identity),	     LEASE_TEST(refusals), LEASE_TEST(lengths_of_leases), LEASE_TEST(grain_changes),
		LEASE_TEST(reset),	     LEASE_TEST(disabled), cmocka_unit_test(shapes),	  LEASE_TEST(impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
