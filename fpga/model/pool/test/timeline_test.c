// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline of MGCC's figure 4-2, step by step: (a) two units of a GPU, (b) of two GPUs, with caches L1 and L2 over memory.
 * Leases of 10 for X, 7 for Y, 5 for writes. The rules are those of pool/tsu.h: where the figure's text and algorithms differ,
 * a request has its cache's time, a read moves that time, and keeps the line's wts (step 33 of (b): the algorithm has [12,
 * 19]).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pool/tsu.h"

enum { X, Y, LINES, GPUS = 2, UNITS = 2, ROWS = 40 };
enum { READ, WRITE };

/* What is on the way in a step. */
enum path { UNIT_L1, L1_L2, L2_MEMORY, MEMORY_L2, L2_L1, L1_FILLS, L1_UNIT };

struct row {
	enum path path;
	unsigned line;
	int hit;      /* requests: 1, 0; -1: not asked */
	int value;    /* answers */
	uint64_t wts, rts;
	uint64_t cts; /* UNIT_L1: the L1's at the request; L2_L1, L1_FILLS: of the L2, of the L1 afterwards */
};

struct line {
	bool valid;
	int value;
	uint64_t wts, rts;
};

struct cache {
	uint64_t cts;
	struct line of[LINES];
};

struct system {
	struct glk_tsu tsu;
	struct glk_tsu_entry entries[8];
	int memory[LINES];
	struct cache l2[GPUS], l1[GPUS][UNITS];
	struct row rows[ROWS];
	unsigned count;
};

static void note(struct system *s, enum path path, unsigned line, int hit, const struct line *answer, uint64_t cts)
{
	static const struct line none;
	const struct line *a = answer ? answer : &none;

	assert_true(s->count < ROWS);
	s->rows[s->count++] = (struct row){ path, line, hit, a->value, a->wts, a->rts, cts };
}

static bool hits(const struct line *copy, uint64_t time)
{
	return copy->valid && time <= copy->rts;
}

static void take(struct cache *c, unsigned line, const struct line *answer)
{
	c->of[line] = *answer;
	if (answer->wts > c->cts)
		c->cts = answer->wts;
}

static struct line memory(struct system *s, int what, unsigned line, int value, uint64_t time)
{
	struct line answer = { .valid = true };
	struct glk_lease lease;
	bool same;

	note(s, L2_MEMORY, line, -1, NULL, 0);
	s->tsu.shape.read_lease = line == X ? 10 : 7;
	if (what == WRITE) {
		assert_true(glk_tsu_write(&s->tsu, line, time, &lease));
		s->memory[line] = value;
	} else {
		assert_true(glk_tsu_read(&s->tsu, line, time, UINT64_MAX, &lease, &same));
	}
	answer.value = s->memory[line];
	answer.wts = lease.wts;
	answer.rts = lease.rts;
	note(s, MEMORY_L2, line, -1, &answer, 0);
	return answer;
}

static struct line l2(struct system *s, unsigned gpu, int what, unsigned line, int value, uint64_t time)
{
	struct cache *c = &s->l2[gpu];
	bool hit = hits(&c->of[line], time);

	note(s, L1_L2, line, hit, NULL, 0);
	if (what == WRITE || !hit) {
		struct line answer = memory(s, what, line, value, time);

		take(c, line, &answer);
	}
	note(s, L2_L1, line, -1, &c->of[line], c->cts);
	return c->of[line];
}

static void unit_access(struct system *s, unsigned gpu, unsigned unit, int what, unsigned line, int value)
{
	struct cache *c = &s->l1[gpu][unit];
	bool hit = hits(&c->of[line], c->cts);

	note(s, UNIT_L1, line, hit, NULL, c->cts);
	if (what == WRITE || !hit) {
		struct line answer = l2(s, gpu, what, line, value, c->cts);

		take(c, line, &answer);
		note(s, L1_FILLS, line, -1, &answer, c->cts);
	}
	if (what == READ)
		note(s, L1_UNIT, line, -1, &c->of[line], 0);
}

static void run(struct system *s, unsigned gpu, unsigned unit)
{
	const struct glk_tsu_shape shape = { .sets = 1, .ways = 8, .ts_bits = 32, .read_lease = 10, .write_lease = 5 };

	memset(s, 0, sizeof(*s));
	glk_tsu_init(&s->tsu, &shape, s->entries);
	unit_access(s, 0, 0, READ, X, 0);
	unit_access(s, gpu, unit, READ, Y, 0);
	unit_access(s, 0, 0, WRITE, Y, 1);
	unit_access(s, gpu, unit, WRITE, X, 1);
	unit_access(s, 0, 0, READ, X, 0);
	unit_access(s, gpu, unit, READ, Y, 0);
}

/* Steps 1 to 14 and 17 to 30 are the same in both; [wts, rts] and cts as the text states them, but for those it does not state.
 */
#define READS_OF_BOTH                                                                                                    \
	{ UNIT_L1, X, 0, 0, 0, 0, 0 }, { L1_L2, X, 0, 0, 0, 0, 0 }, { L2_MEMORY, X, -1, 0, 0, 0, 0 },                   \
	{ MEMORY_L2, X, -1, 0, 0, 10, 0 }, { L2_L1, X, -1, 0, 0, 10, 0 }, { L1_FILLS, X, -1, 0, 0, 10, 0 },             \
	{ L1_UNIT, X, -1, 0, 0, 10, 0 }, { UNIT_L1, Y, 0, 0, 0, 0, 0 }, { L1_L2, Y, 0, 0, 0, 0, 0 },                    \
	{ L2_MEMORY, Y, -1, 0, 0, 0, 0 }, { MEMORY_L2, Y, -1, 0, 0, 7, 0 }, { L2_L1, Y, -1, 0, 0, 7, 0 },               \
	{ L1_FILLS, Y, -1, 0, 0, 7, 0 }, { L1_UNIT, Y, -1, 0, 0, 7, 0 }
/* A writes Y: 15 to 20; B writes X: 21 to 26; A reads X: 27 to 29 (28 is the hit's own step); B reads Y, and misses: 30. */
#define WRITES_OF_BOTH(l2_has)                                                                                           \
	{ UNIT_L1, Y, 0, 0, 0, 0, 0 }, { L1_L2, Y, (l2_has), 0, 0, 0, 0 }, { L2_MEMORY, Y, -1, 0, 0, 0, 0 },            \
	{ MEMORY_L2, Y, -1, 1, 8, 12, 0 }, { L2_L1, Y, -1, 1, 8, 12, 8 }, { L1_FILLS, Y, -1, 1, 8, 12, 8 },             \
	{ UNIT_L1, X, 0, 0, 0, 0, 0 }, { L1_L2, X, (l2_has), 0, 0, 0, 0 }, { L2_MEMORY, X, -1, 0, 0, 0, 0 },            \
	{ MEMORY_L2, X, -1, 1, 11, 15, 0 }, { L2_L1, X, -1, 1, 11, 15, 11 }, { L1_FILLS, X, -1, 1, 11, 15, 11 },        \
	{ UNIT_L1, X, 1, 0, 0, 0, 8 }, { L1_UNIT, X, -1, 0, 0, 10, 0 }, { UNIT_L1, Y, 0, 0, 0, 0, 11 }

static void compare(const struct system *s, const struct row *rows, unsigned count)
{
	for (unsigned i = 0; i < count && i < s->count; i++) {
		const struct row *is = &s->rows[i], *should = &rows[i];

		if (is->path != should->path || is->line != should->line || is->hit != should->hit ||
		    is->value != should->value || is->wts != should->wts || is->rts != should->rts || is->cts != should->cts)
			fail_msg("row %u: path %u line %u hit %d value %d [%u, %u] cts %u", i, is->path, is->line, is->hit,
				 is->value, (unsigned)is->wts, (unsigned)is->rts, (unsigned)is->cts);
	}
	assert_int_equal(s->count, count);
}

static void units_of_a_gpu(void **state)
{
	static const struct row rows[] = {
		READS_OF_BOTH,
		WRITES_OF_BOTH(1),
		{ L1_L2, Y, 1, 0, 0, 0, 0 }, /* 31: the L2 has it from A's write */
		{ L2_L1, Y, -1, 1, 8, 12, 11 },
		{ L1_FILLS, Y, -1, 1, 8, 12, 11 },
		{ L1_UNIT, Y, -1, 1, 8, 12, 0 },
	};
	static struct system s;

	(void)state;
	run(&s, 0, 1);
	compare(&s, rows, sizeof(rows) / sizeof(rows[0]));
	assert_int_equal(s.count, 34 - 1);
}

static void units_of_two_gpus(void **state)
{
	static const struct row rows[] = {
		READS_OF_BOTH,
		WRITES_OF_BOTH(0),
		{ L1_L2, Y, 0, 0, 0, 0, 0 }, /* 31: 7 < 11 */
		{ L2_MEMORY, Y, -1, 0, 0, 0, 0 },
		{ MEMORY_L2, Y, -1, 1, 8, 18, 0 },
		{ L2_L1, Y, -1, 1, 8, 18, 11 },
		{ L1_FILLS, Y, -1, 1, 8, 18, 11 },
		{ L1_UNIT, Y, -1, 1, 8, 18, 0 },
	};
	static struct system s;

	(void)state;
	run(&s, 1, 0);
	compare(&s, rows, sizeof(rows) / sizeof(rows[0]));
	assert_int_equal(s.count, 36 - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(units_of_a_gpu), cmocka_unit_test(units_of_two_gpus) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
