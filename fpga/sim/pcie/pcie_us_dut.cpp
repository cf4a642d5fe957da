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
	top->m_valid = in->m.valid;
	top->m_kind = static_cast<uint8_t>(in->m.kind);
	top->m_address = in->m.address;
	top->m_length = static_cast<uint16_t>(in->m.length);
	top->m_tag = static_cast<uint8_t>(in->m.tag);
	top->m_last = in->m.last;
	std::memcpy(&top->m_data, in->m.data, sizeof(top->m_data));
	top->c_valid = in->c.valid;
	top->c_id = in->c.id;
	top->c_offset = static_cast<uint16_t>(in->c.offset);
	top->c_length = static_cast<uint16_t>(in->c.length);
	top->c_last = in->c.last;
	std::memcpy(&top->c_data, in->c.data, sizeof(top->c_data));
	top->r_ready = in->r_ready;
	top->r_read_ready = in->r_read_ready;
	top->d_ready = in->d_ready;
	top->flr_done = in->flr_done;
	top->eval();

	report_block(top, &out->block);
	out->flr = top->flr;
	out->r.valid = top->r_valid;
	out->r.write = top->r_write;
	out->r.bar = top->r_bar;
	out->r.address = top->r_offset;
	out->r.length = top->r_length;
	out->r.id = top->r_id;
	out->r.poisoned = top->r_poisoned;
	out->r.last = top->r_last;
	std::memcpy(out->r.data, &top->r_data, sizeof(top->r_data));
	out->d.valid = top->d_valid;
	out->d.tag = top->d_tag;
	out->d.error = top->d_error;
	out->d.last = top->d_last;
	std::memcpy(out->d.data, &top->d_data, sizeof(top->d_data));
	out->m_ready = top->m_ready;
	out->c_ready = top->c_ready;
	dut->edge();
}
