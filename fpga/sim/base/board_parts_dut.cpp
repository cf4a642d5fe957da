// SPDX-License-Identifier: Apache-2.0
// C interface to board_parts_bench.
#include "board_parts_dut.h"

#include "Vboard_parts_bench.h"
#include <base/two_clocks.hpp>

struct board_parts_dut : glk_dut<Vboard_parts_bench> {
	using glk_dut::glk_dut;
};

struct board_parts_dut *board_parts_create(const char *wave) { return new board_parts_dut(wave); }

void board_parts_destroy(struct board_parts_dut *dut) { delete dut; }

void board_parts_rise(struct board_parts_dut *dut, struct board_parts_pins *p, bool card, bool timer)
{
	Vboard_parts_bench *top = dut->top;

	top->rst = p->rst;
	top->t_rst = p->t_rst;
	top->clear = p->clear;
	top->valid = static_cast<uint8_t>(p->valid);
	top->ready = static_cast<uint8_t>(p->ready);
	top->cfg_mgmt_read_data = p->answer_data;
	top->cfg_mgmt_read_write_done = p->answer;
	top->eval();
	rise(dut, top->clk, card, top->t_clk, timer);
	p->now_ns = top->now_ns;
	p->moved = top->moved;
	p->waited = top->waited;
	p->address = top->cfg_mgmt_addr;
	p->read = top->cfg_mgmt_read;
	p->ext_tag = top->cfg_ext_tag;
	p->serial = top->serial;
}
