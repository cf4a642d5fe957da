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
	top->load_valid = in->load_valid;
	top->load_partition = static_cast<uint8_t>(in->partition);
	top->load_length = static_cast<uint8_t>(in->length);
	top->load_offset = in->offset;
	top->load_q_ready = in->answer_ready;
	top->mem_ready = in->read_ready;
	top->rd_valid = in->data_valid;
	top->rd_last = in->data_last;
	top->rd_error = in->data_error;
	top->rd_slot = static_cast<uint8_t>(in->slot);
	std::memcpy(&top->rd_data, in->data, DUT_DATA_W / 8);
	top->pool_ready = in->pool_ready;
	top->pool_q_valid = in->pool_valid;
	top->pool_q_last = in->pool_last;
	std::memcpy(&top->pool_q_data, in->pool_data, DUT_DATA_W / 8);
	top->load_failed_ready = in->report_ready;
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

	out->load_ready = top->load_ready;
	out->answer_valid = top->load_q_valid;
	out->answer_error = top->load_q_error;
	std::memcpy(out->line, &top->load_q_line, sizeof(out->line));
	out->read_valid = top->mem_valid;
	out->read_length = top->mem_length;
	out->slot = top->mem_slot;
	out->address = top->mem_address;
	out->pool_valid = top->pool_valid;
	out->pool_length = top->pool_length;
	out->pool_offset = top->pool_offset;
	out->report_valid = top->load_failed_valid;
	out->report_partition = top->load_failed_partition;
	out->idle = top->idle;
	dut->edge();
}
