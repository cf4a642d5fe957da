// SPDX-License-Identifier: Apache-2.0
/*
 * Litmus tests: in all interleavings, from all states in which caches hold lines or not, exactly the outcomes of a sequentially
 * consistent memory are seen; without acquires those that are allowed beyond them, and no others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "leases.h"

enum { END, W, R, W1, R1 }; /* store, load; of a line's second word */
enum { X, Y, Z, LINES_USED };
enum { STEPS = 4, REGISTERS = 4, OUTCOMES = 512 };

struct step {
	int what;
	unsigned line;
	int value; /* or the register that a load fills */
};

struct litmus {
	const char *name;
	struct step step[LEASES_THREADS][STEPS];
	const char *bad; /* registers 0 to 3, then X, Y, Z at the end; '.': any. Forbidden, all together */
};

static const struct litmus litmus[] = {
	{ "MP", { { { W, X, 1 }, { W, Y, 1 } }, { { R, Y, 0 }, { R, X, 1 } } }, "10....." },
	{ "SB", { { { W, X, 1 }, { R, Y, 0 } }, { { W, Y, 1 }, { R, X, 1 } } }, "00....." },
	{ "LB", { { { R, X, 0 }, { W, Y, 1 } }, { { R, Y, 1 }, { W, X, 1 } } }, "11....." },
	{ "S", { { { W, X, 2 }, { W, Y, 1 } }, { { R, Y, 0 }, { W, X, 1 } } }, "1...2.." },
	{ "R", { { { W, X, 1 }, { W, Y, 1 } }, { { W, Y, 2 }, { R, X, 0 } } }, "0....2." },
	{ "2+2W", { { { W, X, 1 }, { W, Y, 2 } }, { { W, Y, 1 }, { W, X, 2 } } }, "....11." },
	{ "CoRR", { { { W, X, 1 } }, { { R, X, 0 }, { R, X, 1 } } }, "10....." },
	{ "CoWW", { { { W, X, 1 }, { W, X, 2 } }, { { R, X, 0 }, { R, X, 1 } } }, "21....." },
	{ "CoWR", { { { W, X, 1 }, { R, X, 0 } }, { { W, X, 2 } } }, "2...1.." },
	{ "CoRW", { { { R, X, 0 }, { W, X, 1 } }, { { W, X, 2 } } }, "1......" },
	{ "WRC", { { { W, X, 1 } }, { { R, X, 0 }, { W, Y, 1 } }, { { R, Y, 1 }, { R, X, 2 } } }, "110...." },
	{ "WWC", { { { W, X, 2 } }, { { R, X, 0 }, { W, Y, 1 } }, { { R, Y, 1 }, { W, X, 1 } } }, "21..2.." },
	{ "ISA2", { { { W, X, 1 }, { W, Y, 1 } }, { { R, Y, 0 }, { W, Z, 1 } }, { { R, Z, 1 }, { R, X, 2 } } }, "110...." },
	{ "RWC", { { { W, X, 1 } }, { { R, X, 0 }, { R, Y, 1 } }, { { W, Y, 1 }, { R, X, 2 } } }, "100...." },
	{ "W+RWC", { { { W, X, 1 }, { W, Y, 1 } }, { { R, Y, 0 }, { R, Z, 1 } }, { { W, Z, 1 }, { R, X, 2 } } }, "100...." },
	{ "IRIW", { { { W, X, 1 } }, { { W, Y, 1 } }, { { R, X, 0 }, { R, Y, 1 } }, { { R, Y, 2 }, { R, X, 3 } } }, "1010..." },
	{ "3.SB", { { { W, X, 1 }, { R, Y, 0 } }, { { W, Y, 1 }, { R, Z, 1 } }, { { W, Z, 1 }, { R, X, 2 } } }, "000...." },
	{ "3.LB", { { { R, X, 0 }, { W, Y, 1 } }, { { R, Y, 1 }, { W, Z, 1 } }, { { R, Z, 2 }, { W, X, 1 } } }, "111...." },
	{ "Z6.3", { { { W, X, 1 }, { W, Y, 1 } }, { { W, Y, 2 }, { W, Z, 1 } }, { { R, Z, 0 }, { R, X, 1 } } }, "10...2." },
	/* False sharing: the reader writes other bytes of X's line. */
	{ "MP+fs", { { { W1, X, 1 }, { W, Y, 1 } }, { { W, X, 7 }, { R, Y, 0 }, { R1, X, 1 } } }, "10....." },
};
enum { TESTS = sizeof(litmus) / sizeof(litmus[0]) };

/* How a system runs them. */
struct topology {
	const char *name;
	const unsigned *cache_of;
	struct glk_tsu_shape shape;
	bool posted;   /* stores carry no time */
	bool acquires; /* behind each load, and between a store and a load */
};

static const unsigned own[LEASES_THREADS] = { 0, 1, 2, 3 }, shared[LEASES_THREADS] = { 0, 0, 1, 1 };
static const unsigned one[LEASES_THREADS] = { 0, 0, 0, 0 };

#define SHAPE(s, w, b, ...)                                                                                                    \
	{                                                                                                                      \
		.sets = (s), .ways = (w), .ts_bits = (b), .read_lease = (b) < 5 ? 2 : 10, .write_lease = (b) < 5 ? 1 : 5,      \
		__VA_ARGS__                                                                                                    \
	}
static const struct topology topologies[] = {
	{ "a cache each", own, SHAPE(1, 8, 32), false, false },
	{ "two caches", shared, SHAPE(1, 8, 32), false, false },
	{ "one cache", one, SHAPE(1, 8, 32), false, false },
	{ "evictions", own, SHAPE(1, 1, 32), false, false },
	{ "times of 4 bits", own, SHAPE(2, 1, 4), false, false },
	{ "leases that adapt", own, SHAPE(1, 2, 8, .adapt = true), false, false },
	{ "stores without a time, acquires", own, SHAPE(1, 8, 32), true, true },
	{ "the same, two caches, evictions", shared, SHAPE(2, 1, 32), true, true },
	{ "the same, times of 4 bits", own, SHAPE(1, 2, 4), true, true },
};

/* Outcomes: registers, and what each word has at the end, 3 bits each. */
struct outcomes {
	unsigned count;
	uint32_t of[OUTCOMES];
};

static bool has(const struct outcomes *all, uint32_t outcome)
{
	for (unsigned i = 0; i < all->count; i++)
		if (all->of[i] == outcome)
			return true;
	return false;
}

static void add(struct outcomes *all, const int value[REGISTERS], const int memory[][LEASES_WORDS])
{
	uint32_t outcome = 0;

	for (unsigned i = 0; i < REGISTERS; i++)
		outcome |= (uint32_t)value[i] << 3 * i;
	for (unsigned i = 0; i < LINES_USED * LEASES_WORDS; i++)
		outcome |= (uint32_t)memory[i / LEASES_WORDS][i % LEASES_WORDS]
			   << 3 * (REGISTERS + i / LEASES_WORDS + 3 * (i % LEASES_WORDS));
	if (has(all, outcome))
		return;
	assert_true(all->count < OUTCOMES);
	all->of[all->count++] = outcome;
}

static bool is_bad(const struct litmus *test, uint32_t outcome)
{
	for (unsigned i = 0; test->bad[i]; i++)
		if (test->bad[i] != '.' && (uint32_t)(test->bad[i] - '0') != (outcome >> 3 * i & 7))
			return false;
	return true;
}

static bool bad_seen(const struct litmus *test, const struct outcomes *all)
{
	for (unsigned i = 0; i < all->count; i++)
		if (is_bad(test, all->of[i]))
			return true;
	return false;
}

/* A state of a run: the system, or a memory without caches. */
struct run {
	const struct litmus *test;
	const struct topology *topology; /* NULL: no caches */
	struct outcomes *seen;
	bool ticks; /* every load asks again */
	unsigned at[LEASES_THREADS];
	int value[REGISTERS];
	struct leases l;
};

static bool loads(const struct step *s)
{
	return s->what == R || s->what == R1;
}

static void step(struct run *run, unsigned thread)
{
	const struct step *s = &run->test->step[thread][run->at[thread]];
	unsigned word = s->what == W1 || s->what == R1;
	const struct topology *t = run->topology;

	run->at[thread]++;
	if (run->ticks)
		run->l.cache[run->l.cache_of[thread]].hits = run->l.tick;
	if (!t && loads(s))
		run->value[s->value] = run->l.memory[s->line][word];
	else if (!t)
		run->l.memory[s->line][word] = s->value;
	else if (loads(s))
		run->value[s->value] = leases_load(&run->l, thread, s->line, word);
	else if (t->posted)
		leases_post(&run->l, thread, s->line, word, s->value);
	else
		leases_store(&run->l, thread, s->line, word, s->value);
	if (t && t->acquires && (loads(s) || loads(s + 1)))
		leases_acquire(&run->l, thread);
}

/* All interleavings of what is left. */
static void interleave(const struct run *before)
{
	bool over = true;

	for (unsigned t = 0; t < LEASES_THREADS; t++) {
		struct run run;

		if (before->at[t] == STEPS || before->test->step[t][before->at[t]].what == END)
			continue;
		over = false;
		run = *before;
		run.l.tsu.entries = run.l.entries;
		step(&run, t);
		interleave(&run);
	}
	if (over)
		add(before->seen, before->value, before->l.memory);
}

/* From all states in which caches hold the lines, or not; and with leases that are not used up. */
static void explore(const struct litmus *test, const struct topology *topology, struct outcomes *seen)
{
	for (unsigned warm = 0; warm < 2u << (2 * LEASES_THREADS); warm++) {
		struct run run = { .test = test, .topology = topology, .seen = seen, .ticks = warm >> (2 * LEASES_THREADS) };

		leases_init(&run.l, &topology->shape, topology->cache_of);
		run.l.tick = run.ticks;
		for (unsigned t = 0; t < LEASES_THREADS; t++)
			for (unsigned line = X; line <= Y; line++)
				if (warm >> (2 * t + line) & 1)
					leases_load(&run.l, t, line, 0);
		interleave(&run);
	}
}

static void expect_none_but(const char *what, const struct litmus *test, const struct topology *t, const struct outcomes *all,
			    const struct outcomes *these)
{
	for (unsigned i = 0; i < all->count; i++)
		if (!has(these, all->of[i]))
			fail_msg("%s with %s: outcome %#o is %s", test->name, t->name, all->of[i], what);
}

static void consistent(void **state)
{
	(void)state;
	assert_int_equal(TESTS, 20);
	for (unsigned i = 0; i < TESTS; i++) {
		struct outcomes right = { 0 };
		struct run run = { .test = &litmus[i], .seen = &right };

		interleave(&run);
		assert_true(right.count > 1 && !bad_seen(&litmus[i], &right));
		for (unsigned k = 0; k < sizeof(topologies) / sizeof(topologies[0]); k++) {
			struct outcomes seen = { 0 };

			explore(&litmus[i], &topologies[k], &seen);
			expect_none_but("seen", &litmus[i], &topologies[k], &seen, &right);
			expect_none_but("not seen", &litmus[i], &topologies[k], &right, &seen);
		}
	}
}

/* Without acquires a cache may be behind, and is seen to be, where a thread loads behind a store of its own. Where it has
 * loaded what another stored, its time is that store's, and the card's clock has put all earlier ones before it. */
static void allowed(void **state)
{
	static const struct topology plain = { "stores without a time", own, SHAPE(1, 8, 32), true, false };
	static const char *const expected[] = { "SB", "R", "RWC", "W+RWC", "3.SB" };

	(void)state;
	for (unsigned i = 0; i < TESTS; i++) {
		struct outcomes seen = { 0 };
		bool is = false;

		for (unsigned n = 0; n < sizeof(expected) / sizeof(expected[0]); n++)
			is |= strcmp(expected[n], litmus[i].name) == 0;
		explore(&litmus[i], &plain, &seen);
		if (is != bad_seen(&litmus[i], &seen))
			fail_msg("%s: %s", litmus[i].name, is ? "not seen" : "seen");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(consistent), cmocka_unit_test(allowed) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
