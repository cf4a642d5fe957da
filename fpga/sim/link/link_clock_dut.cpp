// SPDX-License-Identifier: Apache-2.0
// C interface to link_clock_bench.
#include "link_clock_dut.h"

#include <cstring>

#include "Vlink_clock_bench.h"
#include <base/two_clocks.hpp>

struct link_clock_dut : glk_dut<Vlink_clock_bench> {
	using glk_dut::glk_dut;
};

struct link_clock_dut *link_clock_create(const char *wave)
{
	struct link_clock_dut *dut = new link_clock_dut(wave);

	dut->context.assertOn(false); /* until the first reset */
	return dut;
}

void link_clock_destroy(struct link_clock_dut *dut) { delete dut; }

void link_clock_rise(struct link_clock_dut *dut, struct link_clock_pins *pins, bool card, bool wire)
{
	Vlink_clock_bench *top = dut->top;

	top->rst = pins->rst;
	top->session = static_cast<uint16_t>(pins->session);
	std::memset(&top->s_data, 0, 16);
	std::memcpy(&top->s_data, &pins->flit, sizeof(pins->flit));
	top->s_valid = pins->s_valid;
	top->m_freed = pins->m_freed;
	top->w_rst = pins->w_rst;
	top->tx_ready = pins->tx_ready;
	std::memcpy(&top->rx_data, pins->rx.data, 16);
	top->rx_control = pins->rx.control;
	top->rx_valid = pins->rx_valid;
	top->rx_up = pins->rx_up;
	top->eval();
	rise(dut, top->clk, card, top->w_clk, wire);
	if (!pins->rst && card)
		dut->context.assertOn(true);
	pins->s_ready = top->s_ready;
	pins->c_valid = top->c_valid;
	pins->c_class = top->c_class;
	pins->c_pieces = top->c_pieces;
	pins->m_valid = top->m_valid;
	std::memcpy(&pins->came, &top->m_data, sizeof(pins->came));
	pins->up = top->up;
	pins->e_ended = top->e_ended;
	pins->e_replay = top->e_replay;
	pins->e_crc = top->e_crc;
	pins->e_lost = top->e_lost;
	pins->tx_valid = top->tx_valid;
	std::memcpy(pins->tx.data, &top->tx_data, 16);
	pins->tx.control = top->tx_control;
}
