/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock domain crossing between the Verilated RTL and the wire: queues of received and sent blocks. A block is lost if
 * its queue is full, as on a lossy link.
 */
#ifndef GPULINK_EMU_RTL_WIRE_H
#define GPULINK_EMU_RTL_WIRE_H

#include <stdbool.h>

#include <card/card_pins.h>

struct glk_block;

#define RTL_WIRE_BLOCKS 4096u

struct rtl_queue {
	struct card_block blocks[RTL_WIRE_BLOCKS];
	unsigned first, count;
};

struct rtl_wire {
	struct rtl_queue in, out;
};

void rtl_wire_empty(struct rtl_wire *wire);
void rtl_wire_came(struct rtl_wire *wire, const struct glk_block *block);
/* The card's side, per clock. True: there is a block. */
bool rtl_wire_take(struct rtl_wire *wire, struct card_block *block);
void rtl_wire_give(struct rtl_wire *wire, const struct card_block *block);
bool rtl_wire_goes(struct rtl_wire *wire, struct glk_block *block);

#endif /* GPULINK_EMU_RTL_WIRE_H */
