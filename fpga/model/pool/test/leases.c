// SPDX-License-Identifier: Apache-2.0
#include "leases.h"

#include <stdlib.h>
#include <string.h>

void leases_init(struct leases *l, const struct glk_tsu_shape *shape, const unsigned of[LEASES_THREADS])
{
	struct access_log log = { .of = l->log.of, .room = l->log.room };

	memset(l, 0, sizeof(*l));
	l->log = log;
	memcpy(l->cache_of, of, sizeof(l->cache_of));
	glk_tsu_init(&l->tsu, shape, l->entries);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A lease of a later epoch ends all of earlier ones. */
static void enter_epoch(struct leases_cache *c, const struct glk_lease *lease)
{
	if (lease->rts >> 32 == later(c->lts, c->sts) >> 32)
		return;
	for (unsigned i = 0; i < LEASES_LINES; i++)
		c->line[i].valid = false;
	c->lts = c->sts = lease->rts >> 32 << 32;
}

static void fetch(struct leases *l, struct leases_cache *c, unsigned line)
{
	struct leases_line *copy = &c->line[line];
	struct glk_lease lease;
	bool same, kept;

	c->hits = 0;
	do {
		uint64_t wts = copy->valid ? copy->wts : UINT64_MAX;

		if (!glk_tsu_read(&l->tsu, line, c->lts, wts, &lease, &same))
			abort(); /* no cache is ahead of all leases */
		kept = same;
		enter_epoch(c, &lease);
	} while (lease.rts < c->lts);
	if (!kept)
		memcpy(copy->value, l->memory[line], sizeof(copy->value));
	copy->valid = true;
	copy->wts = lease.wts;
	copy->rts = lease.rts;
}

int leases_load(struct leases *l, unsigned thread, unsigned line, unsigned word)
{
	struct leases_cache *c = &l->cache[l->cache_of[thread]];
	struct leases_line *copy = &c->line[line];

	if (copy->valid && c->lts <= copy->rts && l->tick && ++c->hits > l->tick)
		c->lts = glk_tsu_after(&l->tsu, copy->rts);
	if (!copy->valid || c->lts > copy->rts)
		fetch(l, c, line);
	c->lts = later(c->lts, copy->wts);
	access_note(
		&l->log,
		&(struct access){ .thread = thread, .time = c->lts, .line = line, .word = word, .value = copy->value[word] });
	return copy->value[word];
}

void leases_store(struct leases *l, unsigned thread, unsigned line, unsigned word, int value)
{
	struct leases_cache *c = &l->cache[l->cache_of[thread]];
	struct glk_lease lease;

	if (!glk_tsu_write(&l->tsu, line, later(c->lts, c->sts), &lease))
		abort();
	l->memory[line][word] = value;
	enter_epoch(c, &lease);
	c->line[line].valid = false;
	c->lts = c->sts = later(c->sts, lease.wts);
	access_note(&l->log,
		    &(struct access){
			    .thread = thread, .time = lease.wts, .line = line, .word = word, .value = value, .store = true });
}

void leases_post(struct leases *l, unsigned thread, unsigned line, unsigned word, int value)
{
	uint64_t wts = glk_tsu_write_untimed(&l->tsu, line);

	l->memory[line][word] = value;
	l->cache[l->cache_of[thread]].line[line].valid = false;
	access_note(&l->log, &(struct access){ .thread = thread,
					       .time = wts,
					       .line = line,
					       .word = word,
					       .value = value,
					       .store = true,
					       .stream = ACCESS_POSTED });
}

void leases_acquire(struct leases *l, unsigned thread)
{
	struct leases_cache *c = &l->cache[l->cache_of[thread]];

	enter_epoch(c, &(struct glk_lease){ .rts = later(l->tsu.clock, c->lts) });
	c->lts = later(c->lts, l->tsu.clock);
}

const char *leases_check(struct leases *l)
{
	int values[LEASES_LINES * LEASES_WORDS] = { 0 };

	return access_check(&l->log, values, LEASES_WORDS);
}
