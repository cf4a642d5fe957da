// SPDX-License-Identifier: Apache-2.0
/*
 * Timestamps of lines: random programs checked by their logical times, times that overflow,
 * evictions, leases that adapt, parity errors, and requests with absurd times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "leases.h"

static const struct glk_tsu_shape usual = { .sets = 1, .ways = 8, .ts_bits = 32, .read_lease = 10, .write_lease = 5 };
enum { X, Y };

static const unsigned own[LEASES_THREADS] = { 0, 1, 2, 3 }, shared[LEASES_THREADS] = { 0, 0, 1, 1 };

/* --- random programs --- */

static void random_program(uint64_t seed, unsigned round, struct leases *l, bool posted, struct glk_tsu *sum)
{
	static const unsigned bits[] = { 3, 4, 8, 32 }, sets[] = { 1, 2, 4 }, ways[] = { 1, 2, 8 };
	struct glk_tsu_shape shape;
	struct chance c;

	chance_start(&c, seed, round);
	shape = (struct glk_tsu_shape){ .sets = sets[below(&c, 3)], .ways = ways[below(&c, 3)], .ts_bits = bits[below(&c, 4)] };
	shape.read_lease = 1 + below(&c, shape.ts_bits == 3 ? 2 : shape.ts_bits == 4 ? 6 : 20);
	shape.write_lease = 1 + below(&c, 3);
	shape.adapt = below(&c, 2);
	leases_init(l, &shape, below(&c, 2) ? own : shared);
	l->tick = below(&c, 2) ? 0 : 4;
	for (unsigned i = 0; i < 400; i++) {
		unsigned thread = below(&c, LEASES_THREADS), line = below(&c, LEASES_LINES), word = below(&c, LEASES_WORDS);

		if (below(&c, 200) == 0)
			glk_tsu_next_epoch(&l->tsu); /* a reset */
		if (below(&c, 200) == 0)
			glk_tsu_damage(&l->tsu, below(&c, shape.sets * shape.ways));
		if (below(&c, 200) == 0)
			glk_tsu_forget(&l->tsu);
		if (below(&c, 3))
			leases_load(l, thread, line, word);
		else if (posted && below(&c, 2))
			leases_post(l, thread, line, word, (int)i + 1), leases_acquire(l, thread);
		else
			leases_store(l, thread, line, word, (int)i + 1);
	}
	sum->evictions += l->tsu.evictions;
	sum->epochs += l->tsu.epochs;
	sum->same += l->tsu.same;
	sum->reads += l->tsu.reads;
	sum->errors += l->tsu.errors;
}

static void by_chance(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct leases *l = calloc(1, sizeof(*l));
	struct glk_tsu sum = { 0 };

	(void)state;
	assert_non_null(l);
	l->log.room = LEASES_LOG;
	l->log.of = calloc(LEASES_LOG, sizeof(*l->log.of));
	assert_non_null(l->log.of);
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 3000; round++) {
		const char *wrong;

		random_program(seed, round, l, round & 1, &sum);
		wrong = leases_check(l);
		if (wrong)
			fail_msg("round %u: %s", round, wrong);
	}
	assert_true(sum.evictions > 1000 && sum.epochs > 1000 && sum.same > 1000 && sum.errors > 1000 &&
		    sum.reads > 10000); /* all of it was met */
	free(l->log.of);
	free(l);
}

/* A flag that is read again and again is seen set, although every load hits. */
static void spinning_ends(void **state)
{
	struct leases l = { 0 };
	unsigned loads = 0;

	(void)state;
	leases_init(&l, &usual, own);
	l.tick = 64;
	assert_int_equal(leases_load(&l, 0, X, 0), 0);
	leases_store(&l, 1, X, 0, 1);
	while (loads < 1000 && !leases_load(&l, 0, X, 0))
		loads++;
	assert_in_range(loads, 1, 64);
}

/* Nobody can drive the time to its end. */
static void absurd_times(void **state)
{
	struct glk_tsu_entry entries[8];
	struct glk_tsu_shape shape = usual;
	struct glk_tsu t;
	struct glk_lease lease;
	bool same;

	(void)state;
	shape.ts_bits = 8;
	glk_tsu_init(&t, &shape, entries);
	assert_true(glk_tsu_read(&t, X, 0, UINT64_MAX, &lease, &same)); /* to 10 */
	assert_false(glk_tsu_read(&t, X, 12, UINT64_MAX, &lease, &same));
	assert_false(glk_tsu_write(&t, X, UINT64_MAX, &lease));
	assert_false(glk_tsu_write(&t, X, UINT64_C(1) << 32, &lease));
	assert_true(t.refused == 3 && t.epoch == 0 && t.clock == 0 && t.reads == 1 && t.writes == 0);
	assert_true(glk_tsu_read(&t, X, 11, UINT64_MAX, &lease, &same));
	assert_true(lease.rts == 21);
	while (lease.rts < 255)
		assert_true(glk_tsu_read(&t, X, lease.rts, 0, &lease, &same));
	assert_int_equal(glk_tsu_after(&t, 255), UINT64_C(1) << 32);
	assert_true(glk_tsu_read(&t, X, UINT64_C(1) << 32, 0, &lease, &same)); /* the next epoch, when this one is used up */
	assert_true(lease.rts == (UINT64_C(1) << 32) + 10 && !same && t.epoch == 1);
	assert_true(glk_tsu_read(&t, X, 200, 0, &lease, &same)); /* one who is behind is served */
	assert_true(lease.rts == (UINT64_C(1) << 32) + 10);
}

/* The entry whose lease ends first makes room; a write at the end of an epoch is the next one's first. */
static void places_and_ends(void **state)
{
	static const unsigned read[] = { 2, 0, 1 }; /* line 0 last but one, 1 last: 2 goes */
	struct glk_tsu_entry entries[8];
	struct glk_tsu_shape shape = { .sets = 1, .ways = 2, .ts_bits = 8, .read_lease = 10, .write_lease = 5 };
	struct glk_tsu t;
	struct glk_lease lease;
	bool same;

	(void)state;
	glk_tsu_init(&t, &shape, entries);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(glk_tsu_read(&t, read[i], 0, UINT64_MAX, &lease, &same));
		assert_true(lease.wts == (i == 2 ? 10 : 0) && lease.rts == lease.wts + 10);
	}
	assert_int_equal(t.evictions, 1);
	assert_true(glk_tsu_read(&t, 0, 5, 0, &lease, &same));
	assert_true(same && t.evictions == 1);
	assert_true(glk_tsu_read(&t, 2, 0, 0, &lease, &same)); /* in the place of 0, whose lease ends at 15 */
	assert_true(!same && lease.wts == 15 && t.evictions == 2);
	assert_true(glk_tsu_read(&t, 1, 20, 10, &lease, &same));
	assert_true(same && t.evictions == 2);
	while (lease.rts < 255)
		assert_true(glk_tsu_read(&t, 1, lease.rts, 10, &lease, &same));
	assert_true(glk_tsu_write(&t, 1, 255, &lease));
	assert_true(lease.wts == (UINT64_C(1) << 32) + 1 && lease.rts == (UINT64_C(1) << 32) + 5 && t.epochs == 1);
}

/* Leases of a line that is read again and again, as it is: 10, 20, 40, 80, 160, 160 long. A write, or another copy, gets 10. */
static void leases_adapt(void **state)
{
	static const uint32_t lengths[] = { 20, 40, 80, 160, 160, 160 };
	struct glk_tsu_entry entries[8];
	struct glk_tsu_shape shape = usual;
	struct glk_lease lease;
	struct glk_tsu t;
	bool same;

	(void)state;
	shape.adapt = true;
	glk_tsu_init(&t, &shape, entries);
	assert_true(glk_tsu_read(&t, X, 0, UINT64_MAX, &lease, &same));
	assert_int_equal(lease.rts, 10);
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint64_t time = lease.rts + 1;

		assert_true(glk_tsu_read(&t, X, time, 0, &lease, &same));
		assert_true(same && lease.rts == time + lengths[i]);
	}
	assert_true(glk_tsu_read(&t, X, lease.rts, UINT64_MAX, &lease, &same)); /* another cache gets the line's length */
	assert_int_equal(lease.rts, 636 + 160);
	t.shape.adapt = false;
	assert_true(glk_tsu_read(&t, X, lease.rts, 0, &lease, &same));
	assert_int_equal(lease.rts, 796 + 10);
	t.shape.adapt = true;
	assert_true(glk_tsu_write(&t, X, 0, &lease));
	assert_true(lease.wts == 807 && lease.rts == 811);
	assert_true(glk_tsu_read(&t, X, 811, 0, &lease, &same));
	assert_true(!same && lease.rts == 821);
	assert_true(glk_tsu_read(&t, X, 821, 807, &lease, &same));
	assert_true(same && lease.rts == 841);
}

static void lines_change(void **state)
{
	struct glk_tsu_entry entries[8];
	struct glk_lease lease;
	struct glk_tsu t;
	bool same;

	(void)state;
	glk_tsu_init(&t, &usual, entries);
	assert_true(glk_tsu_read(&t, X, 0, UINT64_MAX, &lease, &same));
	assert_true(glk_tsu_write(&t, Y, 0, &lease)); /* to 5 */
	glk_tsu_forget(&t);
	assert_true(t.floor == 10 && t.evictions == 0 && t.epoch == 0);
	assert_true(glk_tsu_read(&t, X, 3, 0, &lease, &same));
	assert_true(!same && lease.wts == 10 && lease.rts == 20);
	glk_tsu_next_epoch(&t);
	glk_tsu_forget(&t); /* the greatest lease is of the epoch before */
	assert_int_equal(t.floor, 0);
}

/* What is damaged is not believed: the next epoch begins. */
static void parity_errors(void **state)
{
	struct glk_tsu_entry entries[4];
	struct glk_tsu_shape shape = { .sets = 2, .ways = 2, .ts_bits = 32, .read_lease = 10, .write_lease = 5 };
	struct glk_lease lease;
	struct glk_tsu t;
	bool same;

	(void)state;
	for (unsigned write = 0; write < 2; write++) {
		glk_tsu_init(&t, &shape, entries);
		assert_true(glk_tsu_read(&t, 0, 0, UINT64_MAX, &lease, &same));
		assert_true(glk_tsu_read(&t, 0, 9, 0, &lease, &same)); /* to 19 */
		glk_tsu_damage(&t, 1); /* unused, in the set of lines 0, 3, 5, .. */
		assert_true(glk_tsu_read(&t, 1, 0, UINT64_MAX, &lease, &same));
		assert_true(glk_tsu_write(&t, 1, 12, &lease));
		assert_true(t.errors == 0 && lease.wts == 12);
		assert_false(glk_tsu_write(&t, 3, 99, &lease));
		assert_int_equal(t.errors, 0);
		if (write)
			assert_true(glk_tsu_write(&t, 3, 15, &lease));
		else
			assert_true(glk_tsu_read(&t, 0, 15, 0, &lease, &same));
		assert_true(t.errors == 1 && t.epoch == 1 && t.epochs == 1);
		assert_int_equal(lease.wts, (UINT64_C(1) << 32) + write);
		assert_int_equal(lease.rts, (UINT64_C(1) << 32) + (write ? 5 : 10));
		assert_true(write || !same);
		assert_true(glk_tsu_read(&t, 0, 15, 0, &lease, &same));
		assert_int_equal(t.errors, 1);
	}
}

/* Lines of 4 KiB differ in their upper bits alone, and use all sets. */
static void coarse_lines_spread(void **state)
{
	static struct glk_tsu_entry entries[1024];
	struct glk_tsu_shape shape = { .sets = 1024, .ways = 1, .ts_bits = 32, .read_lease = 10, .write_lease = 5 };
	struct glk_lease lease;
	struct glk_tsu t;
	bool same;

	(void)state;
	for (shape.sets = 16; shape.sets <= 1024; shape.sets *= 2) {
		for (unsigned order = 0; order <= 6; order++) {
			glk_tsu_init(&t, &shape, entries);
			for (uint64_t i = 0; i < shape.sets; i++)
				assert_true(glk_tsu_read(&t, i << order, 0, UINT64_MAX, &lease, &same));
			assert_int_equal(t.evictions, 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_chance), cmocka_unit_test(spinning_ends), cmocka_unit_test(absurd_times),
		cmocka_unit_test(places_and_ends), cmocka_unit_test(leases_adapt), cmocka_unit_test(lines_change),
		cmocka_unit_test(parity_errors), cmocka_unit_test(coarse_lines_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
