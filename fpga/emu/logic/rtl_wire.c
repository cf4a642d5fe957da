// SPDX-License-Identifier: Apache-2.0
#include "rtl_wire.h"

#include <string.h>

#include <link/link_layer.h>

static void rtl_wire_put(struct rtl_queue *queue, bool control, const uint8_t data[16])
{
	struct card_block *block = &queue->blocks[(queue->first + queue->count) % RTL_WIRE_BLOCKS];

	if (queue->count == RTL_WIRE_BLOCKS)
		return;
	*block = (struct card_block){ .valid = true, .control = control };
	memcpy(block->data, data, sizeof(block->data));
	queue->count++;
}

static bool rtl_wire_get(struct rtl_queue *queue, struct card_block *block)
{
	if (!queue->count)
		return false;
	*block = queue->blocks[queue->first];
	queue->first = (queue->first + 1) % RTL_WIRE_BLOCKS;
	queue->count--;
	return true;
}

void rtl_wire_empty(struct rtl_wire *wire)
{
	wire->in.count = wire->out.count = 0;
}

void rtl_wire_came(struct rtl_wire *wire, const struct glk_block *block)
{
	rtl_wire_put(&wire->in, block->control, block->bytes);
}

bool rtl_wire_take(struct rtl_wire *wire, struct card_block *block)
{
	return rtl_wire_get(&wire->in, block);
}

void rtl_wire_give(struct rtl_wire *wire, const struct card_block *block)
{
	rtl_wire_put(&wire->out, block->control, block->data);
}

bool rtl_wire_goes(struct rtl_wire *wire, struct glk_block *block)
{
	struct card_block from;

	if (!rtl_wire_get(&wire->out, &from))
		return false;
	block->control = from.control;
	memcpy(block->bytes, from.data, sizeof(block->bytes));
	return true;
}
