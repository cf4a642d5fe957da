// SPDX-License-Identifier: Apache-2.0
// C interface to glk_serve_load.
#include "serve_load_dut.h"

#include <cstring>

#include "Vglk_serve_load.h"
#include <base/dut.h>

struct serve_load_dut : glk_dut<Vglk_serve_load> {
	using glk_dut::glk_dut;
};

static void show(Vglk_serve_load *top, const struct serve_load_in *in)
{
	for (unsigned p = 0; p < DUT_PARTITIONS; p++) {
		put_bits(top->ep_kind, 2 * p, 2, in->kind[p]);
		put_bits(top->ep_base, 52 * p, 52, in->base[p]);
		put_bits(top->ep_bytes, 37 * p, 37, in->pages[p]);
	}
	top->l_valid = in->load_valid;
	top->l_partition = static_cast<uint8_t>(in->partition);
	top->l_length = static_cast<uint8_t>(in->length);
	top->l_offset = in->offset;
	top->g_ready = in->answer_ready;
	top->m_ready = in->read_ready;
	top->d_valid = in->data_valid;
	top->d_last = in->data_last;
	top->d_error = in->data_error;
	top->d_slot = static_cast<uint8_t>(in->slot);
	std::memcpy(&top->d_data, in->data, DUT_DATA_W / 8);
	top->p_ready = in->pool_ready;
	top->q_valid = in->pool_valid;
	top->q_last = in->pool_last;
	std::memcpy(&top->q_data, in->pool_data, DUT_DATA_W / 8);
	top->f_ready = in->report_ready;
}

struct serve_load_dut *serve_load_dut_create(const char *wave)
{
	return new serve_load_dut(wave);
}

void serve_load_dut_destroy(struct serve_load_dut *dut) { delete dut; }
unsigned serve_load_dut_lanes(void) { return DUT_DATA_W / 8; }
unsigned serve_load_dut_partitions(void) { return DUT_PARTITIONS; }

void serve_load_dut_reset(struct serve_load_dut *dut, const struct serve_load_in *in)
{
	show(dut->top, in);
	dut->reset();
}

void serve_load_dut_clock(struct serve_load_dut *dut, const struct serve_load_in *in, struct serve_load_out *out)
{
	Vglk_serve_load *top = dut->top;

	show(top, in);
	top->eval();

	out->load_ready = top->l_ready;
	out->answer_valid = top->g_valid;
	out->answer_error = top->g_error;
	std::memcpy(out->line, &top->g_line, sizeof(out->line));
	out->read_valid = top->m_valid;
	out->read_length = top->m_length;
	out->slot = top->m_slot;
	out->address = top->m_address;
	out->pool_valid = top->p_valid;
	out->pool_length = top->p_length;
	out->pool_offset = top->p_offset;
	out->report_valid = top->f_valid;
	out->report_partition = top->f_partition;
	out->idle = top->idle;
	dut->edge();
}
