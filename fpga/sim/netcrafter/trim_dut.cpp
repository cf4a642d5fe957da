// SPDX-License-Identifier: Apache-2.0
// C interface to glk_trim.
#include "trim_dut.h"

#include <cstring>

#include "Vglk_trim.h"
#include <base/dut.h>

struct trim_dut : glk_dut<Vglk_trim> {
	using glk_dut::glk_dut;
};

struct trim_dut *trim_dut_create(const char *wave)
{
	struct trim_dut *dut = new trim_dut(wave);

	dut->reset();
	return dut;
}

void trim_dut_destroy(struct trim_dut *dut) { delete dut; }

void trim_dut_clock(struct trim_dut *dut, const struct trim_in *in, struct trim_out *out)
{
	Vglk_trim *top = dut->top;

	top->s_valid = in->valid;
	top->s_tag = static_cast<uint16_t>(in->tag);
	top->s_asked = static_cast<uint16_t>(in->asked);
	top->s_status = static_cast<uint8_t>(in->status);
	std::memcpy(&top->s_line, in->line, 64);
	top->m_ready = in->out_ready;
	top->eval();

	out->in_ready = top->s_ready;
	out->valid = top->m_valid;
	out->last = top->m_last;
	std::memcpy(out->data, &top->m_data, 16);
	out->trimmed = top->e_trimmed;
	out->bytes = top->e_bytes;
	dut->edge();
}
