// SPDX-License-Identifier: Apache-2.0
#include "chunks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gpulink_regs.h>

#include "pages.h"

enum { LINES = PAGE_BYTES / GLK_LINE_BYTES };

/* Of a page: the stores to each line, from the first byte to the last: what lies between matters only to where in a line a
 * chunk's border lies. */
struct record {
	struct line_stores {
		uint64_t last_ps;
		uint32_t first, end; /* bytes in the line; end 0: none */
	} line[LINES];
};

/* Stored bytes, or a region's range. */
struct span {
	uint64_t address, end;
	uint64_t last_ps;
	unsigned pair;
};

struct spans {
	struct span *of;
	size_t count, room;
};

/* Pages of a pair since its last release: a release looks at no others. */
struct stored {
	uint64_t *address;
	size_t count, room;
};

struct chunks {
	unsigned gpus, pairs;
	int ended; /* the pair, or CHUNKS_ALL_PAIRS */
	struct pages *pages;
	struct stored *stored; /* of each pair */
	struct spans ranges;	    /* since the last barrier */
	struct spans regions, lines; /* of what was ended: sorted, regions apart */
	struct chunk *cut;
	size_t cut_room;
};

struct chunks *chunks_create(unsigned gpus)
{
	struct chunks *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->gpus = gpus;
	c->pairs = gpus * gpus;
	c->pages = pages_create(c->pairs, sizeof(struct record));
	c->stored = calloc(c->pairs, sizeof(*c->stored));
	if (!c->pages || !c->stored) {
		chunks_free(c);
		return NULL;
	}
	return c;
}

void chunks_free(struct chunks *c)
{
	if (!c)
		return;
	pages_free(c->pages);
	for (unsigned pair = 0; c->stored && pair < c->pairs; pair++)
		free(c->stored[pair].address);
	free(c->stored);
	free(c->ranges.of);
	free(c->regions.of);
	free(c->lines.of);
	free(c->cut);
	free(c);
}

static int chunks_add(struct spans *spans, const struct span *span)
{
	if (spans->count == spans->room) {
		size_t room = spans->room ? 2 * spans->room : 256;
		struct span *of = realloc(spans->of, room * sizeof(*of));

		if (!of)
			return -ENOMEM;
		spans->of = of;
		spans->room = room;
	}
	spans->of[spans->count++] = *span;
	return 0;
}

static unsigned pair_of(const struct chunks *c, const struct replay_op *op)
{
	return op->source * c->gpus + op->destination;
}

static int add_page(struct stored *stored, uint64_t address)
{
	if (stored->count == stored->room) {
		size_t room = stored->room ? 2 * stored->room : 64;
		uint64_t *of = realloc(stored->address, room * sizeof(*of));

		if (!of)
			return -ENOMEM;
		stored->address = of;
		stored->room = room;
	}
	stored->address[stored->count++] = address / PAGE_BYTES * PAGE_BYTES;
	return 0;
}

int chunks_store(struct chunks *c, const struct replay_op *op)
{
	uint64_t fresh = 0;
	struct record *record = pages_get(c->pages, pair_of(c, op), op->address, &fresh);
	uint32_t first = (uint32_t)(op->address % GLK_LINE_BYTES), end = first + op->size;
	struct line_stores *line;

	if (!record || (fresh && add_page(&c->stored[pair_of(c, op)], op->address)))
		return -ENOMEM;
	line = &record->line[op->address % PAGE_BYTES / GLK_LINE_BYTES];
	if (!line->end || first < line->first)
		line->first = first;
	if (end > line->end)
		line->end = end;
	line->last_ps = op->time_ps; /* times of a source do not decrease */
	return 0;
}

int chunks_copy(struct chunks *c, const struct replay_op *op)
{
	return chunks_add(&c->ranges,
			  &(struct span){ .pair = pair_of(c, op), .address = op->address, .end = op->address + op->size });
}

static int by_address(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void sort(struct spans *spans)
{
	if (spans->count)
		qsort(spans->of, spans->count, sizeof(*spans->of), by_address);
}

/* Sorted spans: those that touch each other become one. */
static void chunks_join(struct spans *spans)
{
	size_t kept = 0;

	for (size_t i = 1; i < spans->count; i++) {
		struct span *last = &spans->of[kept], *next = &spans->of[i];

		if (next->pair != last->pair || next->address > last->end)
			spans->of[++kept] = *next;
		else if (next->end > last->end)
			last->end = next->end;
	}
	spans->count = spans->count ? kept + 1 : 0;
}

static int add_lines(struct chunks *c, unsigned pair, uint64_t address)
{
	uint64_t fresh = 0;
	const struct record *record = pages_get(c->pages, pair, address, &fresh);
	int error = 0;

	for (unsigned i = 0; i < LINES && !error; i++) {
		const struct line_stores *line = &record->line[i];
		uint64_t at = address + i * GLK_LINE_BYTES;

		if (line->end)
			error = chunks_add(&c->lines, &(struct span){ .pair = pair,
								      .address = at + line->first,
								      .end = at + line->end,
								      .last_ps = line->last_ps });
	}
	return error;
}

int chunks_end(struct chunks *c, int pair)
{
	unsigned first = pair == CHUNKS_ALL_PAIRS ? 0 : (unsigned)pair, end = pair == CHUNKS_ALL_PAIRS ? c->pairs : first + 1;
	int error = 0;

	c->ended = pair;
	c->lines.count = c->regions.count = 0;
	for (unsigned p = first; p < end; p++)
		for (size_t i = 0; i < c->stored[p].count && !error; i++)
			error = add_lines(c, p, c->stored[p].address[i]);
	for (size_t i = 0; i < c->ranges.count && !error; i++)
		if (pair == CHUNKS_ALL_PAIRS || c->ranges.of[i].pair == (unsigned)pair)
			error = chunks_add(&c->regions, &c->ranges.of[i]);
	sort(&c->lines);
	sort(&c->regions);
	chunks_join(&c->regions);
	return error;
}

/* The chunk of a stored byte. `region`: the first one that ends behind it, if there is one. */
static struct chunk chunk_at(const struct chunks *c, const struct span *line, uint64_t address, size_t region,
			     uint32_t chunk_bytes)
{
	const struct span *r = c->regions.of + region;
	uint64_t begin = address / PAGE_BYTES * PAGE_BYTES, end = begin + PAGE_BYTES;
	bool next = region < c->regions.count && r->pair == line->pair;

	if (next && r->address <= address) {
		begin = r->address + (address - r->address) / chunk_bytes * chunk_bytes;
		end = begin + chunk_bytes < r->end ? begin + chunk_bytes : r->end;
	} else {
		if (region && r[-1].pair == line->pair && r[-1].end > begin)
			begin = r[-1].end;
		if (next && r->address < end)
			end = r->address;
	}
	return (struct chunk){ .ready_ps = line->last_ps,
			       .address = begin,
			       .bytes = (uint32_t)(end - begin),
			       .source = line->pair / c->gpus,
			       .destinations = UINT64_C(1) << line->pair % c->gpus };
}

/* Appends to the list, or to its last one when that is the same chunk of the same pair. */
static int chunks_append(struct chunks *c, size_t *count, const struct chunk *chunk)
{
	struct chunk *last = *count ? &c->cut[*count - 1] : NULL;

	if (last && last->source == chunk->source && last->destinations == chunk->destinations &&
	    last->address == chunk->address) {
		if (chunk->ready_ps > last->ready_ps)
			last->ready_ps = chunk->ready_ps;
		return 0;
	}
	if (*count == c->cut_room) {
		size_t room = c->cut_room ? 2 * c->cut_room : 256;
		struct chunk *cut = realloc(c->cut, room * sizeof(*cut));

		if (!cut)
			return -ENOMEM;
		c->cut = cut;
		c->cut_room = room;
	}
	c->cut[(*count)++] = *chunk;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int by_time(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->source == y->source && x->ready_ps != y->ready_ps)
		return x->ready_ps < y->ready_ps ? -1 : 1;
	return by_place(a, b);
}

/* One chunk of a source for all its destinations: it is ready for all of them at once. */
static size_t unite(struct chunk *cut, size_t count)
{
	size_t kept = 0;

	for (size_t i = 1; i < count; i++) {
		if (by_place(&cut[kept], &cut[i])) {
			cut[++kept] = cut[i];
			continue;
		}
		cut[kept].destinations |= cut[i].destinations;
		if (cut[i].ready_ps > cut[kept].ready_ps)
			cut[kept].ready_ps = cut[i].ready_ps;
	}
	return count ? kept + 1 : 0;
}

int chunks_cut(struct chunks *c, uint32_t chunk_bytes, const struct chunk **list, size_t *count)
{
	size_t region = 0, found = 0;
	int error = 0;

	for (size_t i = 0; i < c->lines.count && !error; i++) {
		const struct span *line = &c->lines.of[i];

		for (uint64_t at = line->address; at < line->end && !error;) {
			const struct span *r = c->regions.of;
			struct chunk chunk;

			while (region < c->regions.count &&
			       (r[region].pair < line->pair || (r[region].pair == line->pair && r[region].end <= at)))
				region++;
			chunk = chunk_at(c, line, at, region, chunk_bytes);
			error = chunks_append(c, &found, &chunk);
			at = chunk.address + chunk.bytes;
		}
	}
	if (error)
		return error;
	if (found) {
		qsort(c->cut, found, sizeof(*c->cut), by_place);
		found = unite(c->cut, found);
		qsort(c->cut, found, sizeof(*c->cut), by_time);
	}
	*list = c->cut;
	*count = found;
	return 0;
}

void chunks_forget(struct chunks *c)
{
	if (c->ended != CHUNKS_ALL_PAIRS) {
		pages_release(c->pages, (unsigned)c->ended);
		c->stored[c->ended].count = 0;
		return; /* its regions stay until the barrier */
	}
	for (unsigned pair = 0; pair < c->pairs; pair++) {
		pages_release(c->pages, pair);
		c->stored[pair].count = 0;
	}
	c->ranges.count = 0;
}
