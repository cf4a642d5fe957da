// SPDX-License-Identifier: Apache-2.0
// C interface to glk_async_fifo.
#include "async_fifo_dut.h"

#include "Vglk_async_fifo.h"
#include <base/two_clocks.hpp>

struct async_fifo_dut : glk_dut<Vglk_async_fifo> {
	using glk_dut::glk_dut;
};

unsigned async_fifo_depth(void) { return DUT_DEPTH; }

struct async_fifo_dut *async_fifo_create(const char *wave) { return new async_fifo_dut(wave); }

void async_fifo_destroy(struct async_fifo_dut *dut) { delete dut; }

void async_fifo_rise(struct async_fifo_dut *dut, struct async_fifo_pins *pins, bool s, bool m)
{
	Vglk_async_fifo *top = dut->top;

	top->s_rst = pins->s_rst;
	top->s_data = pins->s_data;
	top->s_valid = pins->s_valid;
	top->m_rst = pins->m_rst;
	top->m_ready = pins->m_ready;
	top->eval();
	rise(dut, top->s_clk, s, top->m_clk, m);
	pins->s_ready = top->s_ready;
	pins->s_room = top->s_room;
	pins->s_up = top->s_up;
	pins->m_valid = top->m_valid;
	pins->m_data = top->m_data;
}
