// SPDX-License-Identifier: Apache-2.0
#include "link_wire.h"

#define BLOCK_BITS  (8 * GLK_FLIT_BYTES + 1) /* with the sync header */
#define LATE_MOST   8u
#define PUT_MOST    3u /* maximum added by one put: the block, a duplicate and a reordered one */

/* xorshift64* (Vigna, 2016). */
static uint64_t draw(struct link_wire *wire)
{
	wire->chance ^= wire->chance << 13;
	wire->chance ^= wire->chance >> 7;
	wire->chance ^= wire->chance << 17;
	return wire->chance * UINT64_C(0x2545f4914f6cdd1d);
}

static bool happens(struct link_wire *wire, double probability)
{
	return (double)(draw(wire) >> 11) * 0x1p-53 < probability;
}

void link_wire_start(struct link_wire *wire, const struct link_wire_config *config)
{
	wire->config = *config;
	wire->chance = (config->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (unsigned i = 0; i < 8; i++) /* leave states with few bits set */
		draw(wire);
	wire->free_at = 0;
	link_wire_empty(wire);
}

void link_wire_empty(struct link_wire *wire)
{
	wire->first = wire->count = 0;
	wire->late_behind = 0;
}

bool link_wire_ready(const struct link_wire *wire, uint64_t now_ns)
{
	return wire->count + PUT_MOST <= LINK_WIRE_BLOCKS && (double)now_ns >= wire->free_at;
}

static void link_wire_append(struct link_wire *wire, uint64_t now_ns, const struct glk_block *block)
{
	unsigned at = (wire->first + wire->count++) % LINK_WIRE_BLOCKS;

	wire->blocks[at].block = *block;
	wire->blocks[at].at = now_ns + wire->config.latency_ns;
}

static void corrupt(struct link_wire *wire, struct glk_block *block)
{
	for (unsigned bits = 1 + (unsigned)(draw(wire) >> 40) % 4; bits; bits--) {
		unsigned bit = (unsigned)(draw(wire) >> 40) % BLOCK_BITS;

		if (bit == BLOCK_BITS - 1)
			block->control = !block->control;
		else
			block->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* Delivers the reordered block after `late_behind` others. */
static void pass_late(struct link_wire *wire, uint64_t now_ns)
{
	if (wire->late_behind && --wire->late_behind == 0)
		link_wire_append(wire, now_ns, &wire->late);
}

void link_wire_put(struct link_wire *wire, uint64_t now_ns, const struct glk_block *block)
{
	const struct link_wire_config *c = &wire->config;
	struct glk_block changed = *block;

	if (c->bandwidth > 0)
		wire->free_at = (wire->free_at > (double)now_ns - 1e6 ? wire->free_at : (double)now_ns) +
				GLK_FLIT_BYTES * 1e9 / c->bandwidth;
	if (happens(wire, c->loss))
		return;
	if (happens(wire, c->corruption))
		corrupt(wire, &changed);
	if (happens(wire, c->reordering) && !wire->late_behind) {
		wire->late = changed;
		wire->late_behind = 1 + (unsigned)(draw(wire) >> 40) % LATE_MOST;
		return;
	}
	link_wire_append(wire, now_ns, &changed);
	if (happens(wire, c->duplication))
		link_wire_append(wire, now_ns, &changed);
	pass_late(wire, now_ns);
}

const struct glk_block *link_wire_look(const struct link_wire *wire, uint64_t now_ns)
{
	if (!wire->count || wire->blocks[wire->first].at > now_ns)
		return NULL;
	return &wire->blocks[wire->first].block;
}

void link_wire_take(struct link_wire *wire)
{
	wire->first = (wire->first + 1) % LINK_WIRE_BLOCKS;
	wire->count--;
}

uint64_t link_wire_deadline(const struct link_wire *wire, uint64_t now_ns)
{
	uint64_t first = wire->count ? wire->blocks[wire->first].at : UINT64_MAX;

	if (wire->free_at > (double)now_ns && (double)first > wire->free_at)
		first = (uint64_t)wire->free_at + 1;
	return first;
}
