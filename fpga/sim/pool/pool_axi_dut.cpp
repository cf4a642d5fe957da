// SPDX-License-Identifier: Apache-2.0
// C interface to pool_axi_bench.
#include "pool_axi_dut.h"

#include <cstring>

#include "Vpool_axi_bench.h"
#include <base/two_clocks.hpp>

struct pool_axi_dut : glk_dut<Vpool_axi_bench> {
	using glk_dut::glk_dut;
};

enum { LANES = DUT_DATA_W / 8 };

unsigned pool_axi_lanes(void) { return LANES; }

struct pool_axi_dut *pool_axi_create(const char *wave) { return new pool_axi_dut(wave); }

void pool_axi_destroy(struct pool_axi_dut *dut) { delete dut; }

void pool_axi_rise(struct pool_axi_dut *dut, struct pool_axi_pins *p, bool card, bool memory)
{
	Vpool_axi_bench *top = dut->top;

	top->rst = p->rst;
	top->mem_rst = p->mem_rst;
	top->p_write = p->p_write;
	top->p_offset = p->p_offset;
	top->p_length = static_cast<uint16_t>(p->p_length);
	std::memcpy(&top->p_data, p->p_data, LANES);
	top->p_last = p->p_last;
	top->p_valid = p->p_valid;
	top->q_ready = p->q_ready;
	top->m_rst = p->m_rst;
	top->awready = p->awready;
	top->wready = p->wready;
	top->bresp = static_cast<uint8_t>(p->bresp);
	top->bvalid = p->bvalid;
	top->arready = p->arready;
	std::memcpy(&top->rdata, p->rdata, LANES);
	top->rresp = static_cast<uint8_t>(p->rresp);
	top->rlast = p->rlast;
	top->rvalid = p->rvalid;
	top->eval();
	rise(dut, top->clk, card, top->m_clk, memory);
	p->p_ready = top->p_ready;
	std::memcpy(p->q_data, &top->q_data, LANES);
	p->q_last = top->q_last;
	p->q_valid = top->q_valid;
	p->e_write = top->e_write;
	p->e_read = top->e_read;
	p->error_write_page = top->error_write_page;
	p->error_read_page = top->error_read_page;
	p->awaddr = top->awaddr;
	p->awlen = top->awlen;
	p->awvalid = top->awvalid;
	std::memcpy(p->wdata, &top->wdata, LANES);
	p->wstrb = top->wstrb;
	p->wlast = top->wlast;
	p->wvalid = top->wvalid;
	p->bready = top->bready;
	p->araddr = top->araddr;
	p->arlen = top->arlen;
	p->arvalid = top->arvalid;
	p->rready = top->rready;
}
