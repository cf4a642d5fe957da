// SPDX-License-Identifier: Apache-2.0
#include "link/test/link_wire.h"

#include <math.h>

#define REORDER_MAX 24u /* farthest that a block moves ahead */

/* Blocks until the next fault: geometrically distributed, so that most blocks need no random number. */
static void draw_until(struct link_wire *wire, enum link_wire_harm harm)
{
	double p = wire->probability[harm];
	double u = ((double)(draw(&wire->chance) >> 11) + 1) * 0x1p-53;

	if (p <= 0)
		wire->until[harm] = UINT64_MAX;
	else if (p >= 1)
		wire->until[harm] = 0;
	else
		wire->until[harm] = (uint64_t)(log(u) / log1p(-p));
}

void link_wire_start(struct link_wire *wire, unsigned delay, uint64_t seed)
{
	wire->delay = delay;
	wire->head = wire->tail = 0;
	chance_start(&wire->chance, seed, 0);
	for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++) {
		link_wire_harm(wire, harm, 0);
		wire->harmed[harm] = 0;
	}
}

void link_wire_harm(struct link_wire *wire, enum link_wire_harm harm, double probability)
{
	wire->probability[harm] = probability;
	draw_until(wire, harm);
}

static bool harmed(struct link_wire *wire, enum link_wire_harm harm)
{
	if (wire->until[harm] > 0) {
		wire->until[harm]--;
		return false;
	}
	draw_until(wire, harm);
	wire->harmed[harm]++;
	return true;
}

static void append(struct link_wire *wire, uint64_t now, const struct glk_block *block)
{
	if (wire->tail - wire->head == LINK_WIRE_BLOCKS)
		return;
	wire->blocks[wire->tail % LINK_WIRE_BLOCKS].block = *block;
	wire->blocks[wire->tail % LINK_WIRE_BLOCKS].at = now + wire->delay;
	wire->tail++;
}

/* Flips one, some or all of the 129 bits, sync header included. */
static void corrupt(struct link_wire *wire, struct glk_block *block)
{
	unsigned how = below(&wire->chance, 4);
	unsigned bits = how == 0 ? 1 : how == 1 ? 2 + below(&wire->chance, 7) : 1 + below(&wire->chance, 128);

	if (how == 3)
		for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
			block->bytes[i] = (uint8_t)draw(&wire->chance);
	for (unsigned i = 0; i < bits; i++) {
		unsigned bit = below(&wire->chance, 8 * GLK_FLIT_BYTES + 1);

		if (bit == 8 * GLK_FLIT_BYTES)
			block->control = !block->control;
		else
			block->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* Swaps the last block with an earlier one. */
static void reorder(struct link_wire *wire)
{
	uint64_t back = 2 + below(&wire->chance, REORDER_MAX);
	struct glk_block *last, *before, block;

	if (wire->tail - wire->head < back)
		return;
	last = &wire->blocks[(wire->tail - 1) % LINK_WIRE_BLOCKS].block;
	before = &wire->blocks[(wire->tail - back) % LINK_WIRE_BLOCKS].block;
	block = *before;
	*before = *last;
	*last = block;
}

void link_wire_put(struct link_wire *wire, uint64_t now, const struct glk_block *block)
{
	struct glk_block harmed_block;

	if (harmed(wire, LINK_LOSS))
		return;
	if (harmed(wire, LINK_CORRUPTION)) {
		harmed_block = *block;
		corrupt(wire, &harmed_block);
		block = &harmed_block;
	}
	append(wire, now, block);
	if (harmed(wire, LINK_DUPLICATION))
		append(wire, now, block);
	if (harmed(wire, LINK_REORDERING))
		reorder(wire);
}

const struct glk_block *link_wire_get(struct link_wire *wire, uint64_t now)
{
	if (wire->head == wire->tail || wire->blocks[wire->head % LINK_WIRE_BLOCKS].at > now)
		return NULL;
	return &wire->blocks[wire->head++ % LINK_WIRE_BLOCKS].block;
}

uint64_t link_wire_next(const struct link_wire *wire)
{
	return wire->head == wire->tail ? UINT64_MAX : wire->blocks[wire->head % LINK_WIRE_BLOCKS].at;
}

void link_wire_cut(struct link_wire *wire)
{
	wire->head = wire->tail;
}
