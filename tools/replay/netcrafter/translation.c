// SPDX-License-Identifier: Apache-2.0
/*
 * From virtual addresses to where data is (NetCrafter 2.3): each unit's TLB, its GPU's TLB, and page walks of four levels,
 * the upper three of which a walk cache knows. The traces have physical addresses alone; they are taken for the virtual
 * ones, GPU g's memory at g * 4 GiB. A page of the table lies with the first of what it maps: that of 2 MB, or of 1 GB, with
 * the GPU whose memory that is, the two above with GPU 0. An access to another GPU's page is a translation request and its
 * answer.
 */
#include "system.h"

enum { PAGE_BITS = 12, INDEX_BITS = 9, ENTRIES_A_LINE_BITS = 3, LEVEL_SHIFT = 56, FIRST_OWN_LEVEL = 2 };

static struct walk *walk_at(const struct system *s, uint32_t number)
{
	return &s->gpus[number / WALKS].walks[number % WALKS];
}

/* Which entry of a level, 0 at the root, a page needs. */
static uint64_t entry_of(uint64_t page, unsigned level)
{
	return page >> INDEX_BITS * (LEVELS - 1 - level);
}

static uint64_t translation_key_of(uint64_t page, unsigned level)
{
	return (uint64_t)(level + 1) << LEVEL_SHIFT | entry_of(page, level);
}

static unsigned gpu_of(uint64_t page, unsigned level)
{
	return level < FIRST_OWN_LEVEL ? 0 : (unsigned)(page >> (MEMORY_BITS - PAGE_BITS));
}

static uint64_t page_of(const struct request *request)
{
	return (uint64_t)request->destination << (MEMORY_BITS - PAGE_BITS) | (uint64_t)request->line * LINE_BYTES >> PAGE_BITS;
}

uint64_t translation_where(const struct system *s, uint32_t number)
{
	return walk_at(s, number)->page << PAGE_BITS;
}

uint64_t translation_line(const struct system *s, uint32_t number)
{
	const struct walk *walk = walk_at(s, number);

	/* The table lies behind the GPU's 4 GiB. */
	return 1ULL << 40 | (uint64_t)walk->level << 36 | entry_of(walk->page, walk->level) >> ENTRIES_A_LINE_BITS;
}

/* ---- Who waits ---- */

static void wait_behind(struct system *s, uint32_t *first, uint32_t *last, uint32_t request)
{
	s->flights[request].next = NO_REQUEST;
	if (*first == NO_REQUEST)
		*first = request;
	else
		s->flights[*last].next = request;
	*last = request;
}

/* ---- Walks ---- */

static void translation_start(struct system *s, uint32_t number)
{
	struct walk *walk = walk_at(s, number);
	struct gpu *gpu = &s->gpus[number / WALKS];

	gpu->walkers++;
	walk->waits = false;
	for (walk->level = LEVELS - 1; walk->level; walk->level--)
		if (tags_use(gpu->walk_cache, translation_key_of(walk->page, walk->level - 1u)))
			break;
	s->result->walks++;
	system_note(s, (UNIT_TLB_NS + GPU_TLB_NS + WALK_CACHE_NS) * TICKS_NS, HAPPENS_WALK,
		    number); /* all have been looked at */
}

/* The request waits for its page's walk; false: there is no place for another. */
static bool translation_join(struct system *s, uint32_t request, unsigned gpu_number, uint64_t page)
{
	struct gpu *gpu = &s->gpus[gpu_number];
	struct walk *place = NULL;

	for (unsigned i = 0; i < WALKS; i++) {
		struct walk *walk = &gpu->walks[i];

		if (walk->used && walk->page == page) {
			wait_behind(s, &walk->first, &walk->last, request);
			return true;
		}
		if (!walk->used && !place)
			place = walk;
	}
	if (!place)
		return false;
	*place = (struct walk){ .page = page, .used = true, .waits = true, .first = NO_REQUEST };
	wait_behind(s, &place->first, &place->last, request);
	if (gpu->walkers < WALKERS)
		translation_start(s, gpu_number * WALKS + (uint32_t)(place - gpu->walks));
	return true;
}

static void look_up(struct system *s, uint32_t request, unsigned gpu_number, uint64_t ticks)
{
	const struct request *r = &s->requests->list[request];
	struct gpu *gpu = &s->gpus[gpu_number];
	uint64_t page = page_of(r);

	if (tags_use(gpu->tlb, page)) {
		tags_fill(s->units[r->unit].tlb, page);
		system_note(s, ticks + GPU_TLB_NS * TICKS_NS, HAPPENS_SEND, request);
	} else if (gpu->first != NO_REQUEST || !translation_join(s, request, gpu_number, page)) {
		wait_behind(s, &gpu->first, &gpu->last, request);
	}
}

void translation_begin(struct system *s, uint32_t request)
{
	const struct request *r = &s->requests->list[request];

	if (tags_use(s->units[r->unit].tlb, page_of(r)))
		system_note(s, UNIT_TLB_NS * TICKS_NS, HAPPENS_SEND, request);
	else
		look_up(s, request, s->requests->units[r->unit].gpu, UNIT_TLB_NS * TICKS_NS);
}

/* Those without a place among the walks: some may find their page known by now. */
static void let_in(struct system *s, unsigned gpu_number)
{
	struct gpu *gpu = &s->gpus[gpu_number];

	while (gpu->first != NO_REQUEST) {
		uint32_t request = gpu->first;
		const struct request *r = &s->requests->list[request];
		uint32_t next = s->flights[request].next;

		if (tags_use(gpu->tlb, page_of(r))) {
			tags_fill(s->units[r->unit].tlb, page_of(r));
			system_note(s, 0, HAPPENS_SEND, request);
		} else if (!translation_join(s, request, gpu_number, page_of(r))) {
			return;
		}
		gpu->first = next;
	}
}

static void done(struct system *s, uint32_t number)
{
	unsigned gpu_number = number / WALKS;
	struct walk *walk = walk_at(s, number);
	struct gpu *gpu = &s->gpus[gpu_number];
	uint32_t next;

	tags_fill(gpu->tlb, walk->page);
	for (uint32_t request = walk->first; request != NO_REQUEST; request = next) {
		next = s->flights[request].next;
		tags_fill(s->units[s->requests->list[request].unit].tlb, walk->page);
		system_note(s, 0, HAPPENS_SEND, request);
	}
	walk->used = false;
	gpu->walkers--;
	for (unsigned i = 0; i < WALKS && gpu->walkers < WALKERS; i++)
		if (gpu->walks[i].used && gpu->walks[i].waits)
			translation_start(s, gpu_number * WALKS + i);
	let_in(s, gpu_number);
}

void translation_accessed(struct system *s, uint32_t number)
{
	struct walk *walk = walk_at(s, number);

	if (walk->level < LEVELS - 1)
		tags_fill(s->gpus[number / WALKS].walk_cache, translation_key_of(walk->page, walk->level));
	if (++walk->level == LEVELS)
		done(s, number);
	else
		system_note(s, 0, HAPPENS_WALK, number);
}

void translation_step(struct system *s, uint32_t number)
{
	struct walk *walk = walk_at(s, number);
	unsigned gpu = number / WALKS, owner = gpu_of(walk->page, walk->level);
	uint32_t packet;

	s->result->walk_accesses++;
	if (owner == gpu) {
		system_note(s, system_memory(s, gpu, translation_line(s, number)), HAPPENS_WALKED, number);
		return;
	}
	walk->sent = s->now;
	s->result->walk_crossings += system_cluster(s, gpu) != system_cluster(s, owner);
	packet = network_packet(s, GLK_KIND_TRANSLATION_REQUEST, gpu, owner, number);
	if (packet != NO_PACKET)
		network_send(s, packet);
}

void translation_answered(struct system *s, uint32_t number)
{
	const struct walk *walk = walk_at(s, number);
	unsigned gpu = number / WALKS;

	if (system_cluster(s, gpu) != system_cluster(s, gpu_of(walk->page, walk->level)))
		latency_add(&s->result->translation, (s->now - walk->sent) / TICKS_NS);
	translation_accessed(s, number);
}
