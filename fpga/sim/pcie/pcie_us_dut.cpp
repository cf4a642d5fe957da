// SPDX-License-Identifier: Apache-2.0
// C interface to glk_pcie_us.
#include "pcie_us_dut.h"

#include <cstring>

#include "Vglk_pcie_us.h"
#include <base/dut.h>
#include "pcie_pins.hpp"

struct us_dut : glk_dut<Vglk_pcie_us> {
	using glk_dut::glk_dut;
};

struct us_dut *us_dut_create(const char *wave)
{
	struct us_dut *dut = new us_dut(wave);

	dut->reset();
	return dut;
}

unsigned us_dut_beat(void) { return DUT_DATA_W / 8; }

unsigned us_dut_lost(void) { return DUT_LOST; }

unsigned us_dut_quarantine(void) { return DUT_QUARANTINE; }

void us_dut_destroy(struct us_dut *dut) { delete dut; }

void us_dut_clock(struct us_dut *dut, const struct us_in *in, struct us_out *out)
{
	Vglk_pcie_us *top = dut->top;

	show_block(top, &in->block);
	top->mem_valid = in->m.valid;
	top->mem_kind = static_cast<uint8_t>(in->m.kind);
	top->mem_address = in->m.address;
	top->mem_length = static_cast<uint16_t>(in->m.length);
	top->mem_tag = static_cast<uint8_t>(in->m.tag);
	top->mem_last = in->m.last;
	std::memcpy(&top->mem_data, in->m.data, sizeof(top->mem_data));
	top->cpl_valid = in->c.valid;
	top->cpl_id = in->c.id;
	top->cpl_offset = static_cast<uint16_t>(in->c.offset);
	top->cpl_length = static_cast<uint16_t>(in->c.length);
	top->cpl_last = in->c.last;
	std::memcpy(&top->cpl_data, in->c.data, sizeof(top->cpl_data));
	top->req_ready = in->r_ready;
	top->req_read_ready = in->r_read_ready;
	top->rd_ready = in->d_ready;
	top->flr_done = in->flr_done;
	top->eval();

	report_block(top, &out->block);
	out->flr = top->flr;
	out->r.valid = top->req_valid;
	out->r.write = top->req_write;
	out->r.bar = top->req_bar;
	out->r.address = top->req_offset;
	out->r.length = top->req_length;
	out->r.id = top->req_id;
	out->r.poisoned = top->req_poisoned;
	out->r.last = top->req_last;
	std::memcpy(out->r.data, &top->req_data, sizeof(top->req_data));
	out->d.valid = top->rd_valid;
	out->d.tag = top->rd_tag;
	out->d.error = top->rd_error;
	out->d.last = top->rd_last;
	std::memcpy(out->d.data, &top->rd_data, sizeof(top->rd_data));
	out->m_ready = top->mem_ready;
	out->c_ready = top->cpl_ready;
	dut->edge();
}
