// SPDX-License-Identifier: Apache-2.0
#include "hierarchy.h"

#include <errno.h>
#include <stdlib.h>

#include <pool/tsu.h>

#include "cache.h"

#define ENDLESS UINT64_MAX

/* S4.2.7: header of a request or answer is address and metadata; a timestamp has 2 bytes. */
enum { HEADER = 8 + 4, ACK = 4, STAMP = 2 };

const char *const hierarchy_names[HIERARCHY_PROTOCOLS] = { "wb-nc", "wt-nc", "printed", "leases-sc", "leases-rc", "rdma" };
const char *const hierarchy_fill_names[HIERARCHY_FILLS] = { "whole", "trimmed", "sectored" };

const struct hierarchy_setting hierarchy_thesis = {
	.protocol = HIERARCHY_RC,
	.gpus = 4,
	.units = 64,
	.l1_bytes = 16384,
	.l1_ways = 4,
	.l2_bytes = 262144,
	.l2_ways = 16,
	.banks = 8,
	.tsu_sets = 16384,
	.tsu_ways = 8,
	.read_lease = 10,
	.write_lease = 5,
	.sector_bytes = 16,
};

/* What memory's bytes are: a version counts the writes. */
struct memory_line {
	uint32_t version, before; /* before the first write since the last barrier */
	uint32_t written;	  /* barriers before its last write, plus 1 */
	uint32_t memts;		  /* of the printed protocol */
};

struct clocks {
	uint64_t loads, stores; /* lts, sts; of the printed protocol `loads` is cts */
};

struct hierarchy {
	struct hierarchy_setting s;
	struct hierarchy_count count;
	struct cache *l1, *l2; /* by GPU and unit, by GPU and bank */
	struct clocks *of_l1, *of_l2;
	struct glk_tsu tsu;
	struct memory_line *memory;
	uint64_t lines;
};

/* --- what a lease means to a protocol --- */

static bool has_leases(const struct hierarchy *h)
{
	return h->s.protocol == HIERARCHY_PRINTED || h->s.protocol == HIERARCHY_SC || h->s.protocol == HIERARCHY_RC;
}

static bool writes_back(const struct hierarchy *h)
{
	return h->s.protocol == HIERARCHY_WB || h->s.protocol == HIERARCHY_RDMA;
}

static void reach(uint64_t *clock, uint64_t time)
{
	if (*clock < time)
		*clock = time;
}

/* The GPU whose L2 a GPU's misses go to. */
static unsigned home_of(const struct hierarchy *h, unsigned gpu, uint64_t line)
{
	return h->s.protocol == HIERARCHY_RDMA ? (unsigned)(line / (HIERARCHY_PAGE / HIERARCHY_LINE) % h->s.gpus) : gpu;
}

/* The number of the bank that has a line. In the bank it is line / banks. */
static unsigned bank_of(const struct hierarchy *h, unsigned gpu, uint64_t line)
{
	return home_of(h, gpu, line) * h->s.banks + (unsigned)(line % h->s.banks);
}

/* The first half of the GPUs, rounded up, is cluster 0. */
static bool other_cluster(const struct hierarchy *h, unsigned gpu, uint64_t line)
{
	unsigned half = (h->s.gpus + 1) / 2;

	return (gpu < half) != (home_of(h, gpu, line) < half);
}

/* The words that a miss brings. */
static uint16_t brought(const struct hierarchy *h, unsigned gpu, uint64_t line, uint16_t words)
{
	unsigned each = h->s.sector_bytes / 4, found = 0, sectors = 0;

	if (h->s.fill == HIERARCHY_WHOLE || (h->s.fill == HIERARCHY_TRIMMED && !other_cluster(h, gpu, line)))
		return HIERARCHY_ALL;
	for (unsigned at = 0; at < HIERARCHY_WORDS; at += each) {
		unsigned sector = ((1u << each) - 1) << at;

		found += (words & sector) != 0;
		sectors |= words & sector ? sector : 0;
	}
	return (uint16_t)(h->s.fill == HIERARCHY_TRIMMED && found > 1 ? HIERARCHY_ALL : sectors);
}

/* --- memory --- */

static void message(struct hierarchy *h, unsigned bytes, unsigned stamps)
{
	if (!has_leases(h))
		stamps = 0;
	h->count.bytes += bytes + stamps * STAMP;
	h->count.timestamp_bytes += stamps * STAMP;
}

/* The printed rules (algorithm 3): every access advances the line's time. */
static struct glk_lease printed_lease(struct hierarchy *h, uint64_t line, uint32_t length)
{
	struct memory_line *m = &h->memory[line];
	struct glk_lease lease = { .wts = m->memts, .rts = m->memts + length };

	m->memts += length;
	return lease;
}

/* *same: the copy of `wts` is still the line. */
static struct glk_lease memory_read(struct hierarchy *h, uint64_t line, uint64_t time, uint64_t wts, bool *same)
{
	struct glk_lease lease = { .rts = ENDLESS };

	*same = false;
	if (h->s.protocol == HIERARCHY_PRINTED)
		lease = printed_lease(h, line, h->s.read_lease);
	else if (has_leases(h))
		glk_tsu_read(&h->tsu, line, time, wts, &lease, same);
	message(h, HEADER, 1);
	if (*same) {
		message(h, HEADER, 2);
		h->count.same++;
	} else {
		message(h, HEADER + ACK + HIERARCHY_LINE, 2);
		h->count.dram_reads++;
	}
	return lease;
}

static struct glk_lease memory_write(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct glk_lease lease = { .rts = ENDLESS };

	if (h->s.protocol == HIERARCHY_PRINTED)
		lease = printed_lease(h, line, h->s.write_lease);
	else if (has_leases(h))
		glk_tsu_write(&h->tsu, line, time, &lease);
	message(h, HEADER + HIERARCHY_LINE, 1);
	message(h, has_leases(h) ? HEADER + HIERARCHY_LINE : HEADER + ACK, 2); /* MGCC answers with the line */
	h->count.dram_writes++;
	return lease;
}

static void new_version(struct hierarchy *h, uint64_t line)
{
	struct memory_line *m = &h->memory[line];
	uint32_t now = (uint32_t)h->count.barriers + 1;

	if (m->written != now)
		m->before = m->version;
	m->written = now;
	m->version++;
}

/* The version that a load must at least return behind the last barrier. */
static uint32_t needed(const struct hierarchy *h, uint64_t line)
{
	const struct memory_line *m = &h->memory[line];

	return m->written == h->count.barriers + 1 ? m->before : m->version;
}

/* --- caches --- */

/* The line's words that are there stay: sectors have no leases, and L1s keep nothing over a barrier. */
static struct cache_line *cache_hierarchy_fill(struct hierarchy *h, struct cache *c, uint64_t line, uint64_t time,
					       const struct glk_lease *lease, uint32_t version, bool dirty)
{
	struct cache_line *to = cache_find(c, line);

	if (!to) {
		to = cache_place(c, line, has_leases(h) ? time : 0);
		if (to->line && to->dirty) {
			message(h, HEADER + HIERARCHY_LINE, 0);
			h->count.dram_writes++;
		}
		to->dirty = false;
		to->valid = 0;
	}
	to->line = line + 1;
	to->wts = lease->wts;
	to->rts = lease->rts;
	to->version = version;
	to->dirty |= dirty;
	return to;
}

/* Algorithms 1, 2, 4 and 5: a block's times behind an answer. */
static struct glk_lease printed_block(uint64_t cts, const struct glk_lease *answer)
{
	struct glk_lease block = { .wts = cts > answer->wts ? cts : answer->wts, .rts = answer->rts };

	reach(&block.rts, answer->wts + 1);
	return block;
}

/* A request's time at L2: its own, or of the printed protocol the bank's. */
static uint64_t time_at_l2(const struct hierarchy *h, unsigned number, uint64_t time)
{
	return h->s.protocol == HIERARCHY_PRINTED ? h->of_l2[number].loads : time;
}

static struct glk_lease l2_read(struct hierarchy *h, unsigned gpu, uint64_t line, uint64_t time, uint32_t *version)
{
	unsigned number = bank_of(h, gpu, line);
	struct cache_line *found = cache_find(&h->l2[number], line / h->s.banks);
	struct glk_lease lease;
	bool same;

	h->count.l2.reads++;
	h->count.remote += h->s.protocol == HIERARCHY_RDMA && number / h->s.banks != gpu;
	time = time_at_l2(h, number, time);
	if (found && time <= found->rts) {
		*version = found->version;
		return (struct glk_lease){ .wts = found->wts, .rts = found->rts };
	}
	h->count.l2.read_misses++;
	h->count.l2.ended += !!found;
	lease = memory_read(h, line, time, found ? found->wts : UINT64_MAX, &same);
	*version = h->memory[line].version;
	if (h->s.protocol == HIERARCHY_PRINTED)
		lease = printed_block(time, &lease);
	cache_hierarchy_fill(h, &h->l2[number], line / h->s.banks, time, &lease, *version, false);
	return lease;
}

static struct glk_lease l2_write(struct hierarchy *h, unsigned gpu, uint64_t line, uint64_t time)
{
	unsigned number = bank_of(h, gpu, line);
	struct cache_line *found = cache_find(&h->l2[number], line / h->s.banks);
	struct glk_lease lease = { .rts = ENDLESS };
	uint64_t at = time_at_l2(h, number, time);

	h->count.l2.writes++;
	h->count.l2.write_misses += !found || at > found->rts;
	h->count.remote += h->s.protocol == HIERARCHY_RDMA && number / h->s.banks != gpu;
	new_version(h, line);
	if (!writes_back(h))
		lease = memory_write(h, line, time);
	if (h->s.protocol == HIERARCHY_PRINTED) {
		lease = printed_block(at, &lease);
		reach(&h->of_l2[number].loads, lease.wts);
	}
	cache_hierarchy_fill(h, &h->l2[number], line / h->s.banks, at, &lease, h->memory[line].version, writes_back(h));
	return lease;
}

static void l1_read(struct hierarchy *h, unsigned gpu, unsigned unit, uint64_t line, uint16_t words)
{
	struct cache *c = &h->l1[gpu * h->s.units + unit];
	struct clocks *clock = &h->of_l1[gpu * h->s.units + unit];
	struct cache_line *found = cache_find(c, line);
	struct glk_lease lease;
	bool held = found && clock->loads <= found->rts;
	uint32_t version;

	h->count.l1.reads++;
	if (held && !(words & ~found->valid)) {
		h->count.old += found->version < needed(h, line);
		if (h->s.protocol != HIERARCHY_PRINTED)
			reach(&clock->loads, found->wts);
		return;
	}
	h->count.l1.read_misses++;
	h->count.l1.ended += found && !held;
	h->count.partial += held;
	lease = l2_read(h, gpu, line, clock->loads, &version);
	h->count.old += version < needed(h, line);
	if (h->s.protocol == HIERARCHY_PRINTED)
		lease = printed_block(clock->loads, &lease);
	else if (has_leases(h))
		reach(&clock->loads, lease.wts);
	cache_hierarchy_fill(h, c, line, clock->loads, &lease, version, false)->valid |= brought(h, gpu, line, words);
}

static void l1_write(struct hierarchy *h, unsigned gpu, unsigned unit, uint64_t line, uint16_t words)
{
	struct cache *c = &h->l1[gpu * h->s.units + unit];
	struct clocks *clock = &h->of_l1[gpu * h->s.units + unit];
	struct cache_line *found = cache_find(c, line);
	struct glk_lease lease;

	h->count.l1.writes++;
	h->count.l1.write_misses += !found || clock->loads > found->rts || words & ~found->valid;
	lease = l2_write(h, gpu, line, clock->loads > clock->stores ? clock->loads : clock->stores);
	if (h->s.protocol == HIERARCHY_PRINTED) {
		lease = printed_block(clock->loads, &lease);
		reach(&clock->loads, lease.wts);
	} else if (has_leases(h)) {
		reach(&clock->stores, lease.wts);
		if (h->s.protocol == HIERARCHY_SC)
			reach(&clock->loads, lease.wts);
	}
	cache_hierarchy_fill(h, c, line, clock->loads, &lease, h->memory[line].version, false)->valid |=
		brought(h, gpu, line, words);
}

void hierarchy_access(struct hierarchy *h, unsigned gpu, unsigned unit, uint64_t line, uint16_t words, bool write)
{
	(write ? l1_write : l1_read)(h, gpu, unit, line, words);
}

/* Without leases a GPU of today drops its L1s; only the L2s of other GPUs may be old then. */
static void drop(struct cache *c)
{
	for (unsigned i = 0; i < c->sets * c->ways; i++)
		c->lines[i].line = 0;
}

/* A program's barrier is made of accesses itself, which carry the latest time of a unit to all of them. */
static uint64_t latest(const struct hierarchy *h)
{
	uint64_t time = h->s.protocol == HIERARCHY_RC ? h->tsu.clock : 0;

	for (unsigned u = 0; u < h->s.gpus * h->s.units; u++)
		reach(&time, h->of_l1[u].loads);
	return time;
}

void hierarchy_barrier(struct hierarchy *h)
{
	uint64_t time = latest(h);

	h->count.barriers++;
	for (unsigned u = 0; u < h->s.gpus * h->s.units; u++) {
		if (has_leases(h))
			reach(&h->of_l1[u].loads, time);
		else
			drop(&h->l1[u]);
	}
}

/* --- life --- */

const struct hierarchy_count *hierarchy_finish(struct hierarchy *h)
{
	for (unsigned n = 0; n < h->s.gpus * h->s.banks; n++) {
		for (unsigned i = 0; i < h->l2[n].sets * h->l2[n].ways; i++) {
			struct cache_line *line = &h->l2[n].lines[i];

			if (line->line && line->dirty) {
				message(h, HEADER + HIERARCHY_LINE, 0);
				h->count.dram_writes++;
			}
			line->dirty = false;
		}
	}
	h->count.epochs = h->tsu.epochs;
	h->count.evictions = h->tsu.evictions;
	return &h->count;
}

void hierarchy_free(struct hierarchy *h)
{
	if (!h)
		return;
	for (unsigned i = 0; h->l1 && i < h->s.gpus * h->s.units; i++)
		cache_free(&h->l1[i]);
	for (unsigned i = 0; h->l2 && i < h->s.gpus * h->s.banks; i++)
		cache_free(&h->l2[i]);
	free(h->l1);
	free(h->l2);
	free(h->of_l1);
	free(h->of_l2);
	free(h->tsu.entries);
	free(h->memory);
	free(h);
}

static int allocate(struct hierarchy *h)
{
	const struct hierarchy_setting *s = &h->s;
	const struct glk_tsu_shape shape = {
		.sets = s->tsu_sets, .ways = s->tsu_ways, .ts_bits = GLK_TSU_TS_BITS_MAX, .read_lease = s->read_lease,
		.write_lease = s->write_lease, .adapt = s->adapt,
	};
	struct glk_tsu_entry *entries = calloc((size_t)s->tsu_sets * s->tsu_ways, sizeof(*entries));
	unsigned units = s->gpus * s->units, banks = s->gpus * s->banks;
	int error = 0;

	h->tsu.entries = entries;
	h->l1 = calloc(units, sizeof(*h->l1));
	h->l2 = calloc(banks, sizeof(*h->l2));
	h->of_l1 = calloc(units, sizeof(*h->of_l1));
	h->of_l2 = calloc(banks, sizeof(*h->of_l2));
	h->memory = calloc(h->lines, sizeof(*h->memory));
	if (!entries || !h->l1 || !h->l2 || !h->of_l1 || !h->of_l2 || !h->memory)
		return -ENOMEM;
	glk_tsu_init(&h->tsu, &shape, entries);
	for (unsigned i = 0; i < units && !error; i++)
		error = cache_init(&h->l1[i], s->l1_bytes / HIERARCHY_LINE / s->l1_ways, s->l1_ways);
	for (unsigned i = 0; i < banks && !error; i++)
		error = cache_init(&h->l2[i], s->l2_bytes / HIERARCHY_LINE / s->l2_ways, s->l2_ways);
	return error;
}

static bool fill_valid(const struct hierarchy_setting *s)
{
	unsigned bytes = s->sector_bytes;

	return s->fill == HIERARCHY_WHOLE ||
	       (s->protocol == HIERARCHY_RDMA && (bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32));
}

int hierarchy_new(const struct hierarchy_setting *s, uint64_t lines, struct hierarchy **out)
{
	struct hierarchy *h;
	int error;

	if (!lines || !s->gpus || !s->units || !s->banks || s->l1_bytes < HIERARCHY_LINE * s->l1_ways ||
	    s->l2_bytes < HIERARCHY_LINE * s->l2_ways || !s->l1_ways || !s->l2_ways || !s->read_lease || !s->write_lease ||
	    !fill_valid(s))
		return -EINVAL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->s = *s;
	h->lines = lines;
	error = allocate(h);
	if (error)
		hierarchy_free(h);
	else
		*out = h;
	return error;
}
