// SPDX-License-Identifier: Apache-2.0
#include "lease_random.h"

#include <stdlib.h>
#include <string.h>

#include "card/state.h"
#include "lease_threads.h"

/* Some words are used often. */
static unsigned any_word(struct threads *t)
{
	return below(&t->chance, below(&t->chance, 2) ? 6 : WORDS);
}

static void reset_card(struct threads *t)
{
	glk_card_reset(t->b.card);
	memset(t->queued, 0, sizeof(t->queued)); /* dropped */
	t->line_bytes = 64;
	threads_start(t);
}

static void change_grain(struct threads *t)
{
	unsigned grain = below(&t->chance, 7);

	bench_write(&t->b, GLK_TSU_GRAIN_0, grain);
	t->line_bytes = 64u << grain;
}

static void change_leases(struct threads *t)
{
	unsigned bits = t->b.card->pool.tsu.shape.ts_bits, most = bits < 8 ? (1u << (bits - 1)) - 1 : 100;

	bench_write(&t->b, GLK_TSU_READ_LEASE, 1 + below(&t->chance, most));
	bench_write(&t->b, GLK_TSU_WRITE_LEASE, 1 + below(&t->chance, most));
	bench_write(&t->b, GLK_TSU_CONTROL, below(&t->chance, 2) * GLK_TSU_CONTROL_ADAPT_MASK);
}

static void seldom(struct threads *t)
{
	struct glk_tsu *tsu = &t->b.card->pool.tsu;

	switch (below(&t->chance, 8)) {
	case 0:
		bench_write(&t->b, GLK_TSU_CONTROL, GLK_TSU_CONTROL_EXPIRE_MASK);
		break;
	case 1:
		threads_clear(t, below(&t->chance, (CELLS << CELL_SHIFT) / 4096));
		break;
	case 2:
		glk_tsu_damage(tsu, below(&t->chance, tsu->shape.sets * tsu->shape.ways));
		break;
	case 3:
		reset_card(t);
		break;
	case 4:
	case 5:
		change_grain(t);
		break;
	default:
		change_leases(t);
		break;
	}
}

static void step(struct threads *t)
{
	unsigned kind = below(&t->chance, 1000), thread = below(&t->chance, THREADS), word = any_word(t);
	static const struct {
		unsigned below;
		void (*what)(struct threads *t, unsigned thread, unsigned word);
	} kinds[] = {
		{ 550, thread_load },	    { 650, thread_store },	    { 700, thread_atomic },	{ 770, thread_post },
		{ 800, thread_write_pool }, { 840, thread_untimed_atomic }, { 860, thread_plain_load },
	};

	if (t->calm && kind >= kinds[0].below && below(&t->chance, 16))
		kind = 0;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kind < kinds[i].below) {
			kinds[i].what(t, thread, word);
			return;
		}
	}
	if (kind < 900)
		thread_release(t, thread);
	else if (kind < 950)
		thread_acquire(t, thread);
	else if (kind < 980)
		thread_renew(t, thread);
	else if (kind < 998)
		t->of[thread].copy[word / 2].valid = false; /* evicted */
	else
		seldom(t);
}

static void plant(struct threads *t)
{
	if (t->plant == LEASE_PLANT_NO_FLOOR)
		t->b.card->pool.tsu.floor = 0;
	if (t->plant == LEASE_PLANT_CLOCK_BACK)
		t->b.card->pool.tsu.clock = 0;
}

static void begin(struct threads *t, uint64_t seed, uint64_t round, enum lease_plant plant)
{
	static const unsigned bits[] = { 5, 6, 8, 16, 32 }, sets[] = { 1, 2, 16 }, ways[] = { 1, 2, 8 };

	chance_start(&t->chance, seed, round);
	bench_create_shaped(&t->b, sets[below(&t->chance, 3)], ways[below(&t->chance, 3)], bits[below(&t->chance, 5)]);
	t->line_bytes = 64;
	t->plant = plant;
	t->calm = below(&t->chance, 2);
	t->in_order = below(&t->chance, 2);
	t->tick = below(&t->chance, 2) * 8;
	threads_start(t);
	change_leases(t);
	if (below(&t->chance, 2))
		change_grain(t);
}

static void end(struct threads *t, struct lease_sums *sums)
{
	const struct glk_tsu *tsu = &t->b.card->pool.tsu;
	int values[WORDS] = { 0 };
	const char *bad = access_check(&t->log, values, 2);

	if (!t->wrong)
		t->wrong = bad;
	sums->accesses += t->log.count;
	sums->hits += t->sums.hits;
	sums->same += t->sums.same;
	sums->arrived += t->sums.arrived;
	sums->evictions += tsu->evictions;
	sums->epochs += tsu->epochs;
	sums->errors += tsu->errors;
	sums->refused += tsu->refused;
	bench_destroy(&t->b);
}

const char *lease_random_round(uint64_t seed, uint64_t round, unsigned accesses, enum lease_plant what, struct lease_sums *sums)
{
	struct threads *t = calloc(1, sizeof(*t));
	unsigned room = accesses + 2 * WORDS;
	const char *wrong = "no memory";

	if (!t)
		return wrong;
	t->log.of = calloc(room, sizeof(*t->log.of));
	t->replaced = calloc(room, sizeof(*t->replaced));
	t->log.room = room;
	if (t->log.of && t->replaced) {
		begin(t, seed, round, what);
		while (t->log.count < accesses && !t->wrong) {
			step(t);
			plant(t);
		}
		end(t, sums);
		wrong = t->wrong;
	}
	free(t->log.of);
	free(t->replaced);
	free(t);
	return wrong;
}
