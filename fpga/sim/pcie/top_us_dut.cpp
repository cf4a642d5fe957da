// SPDX-License-Identifier: Apache-2.0
// C interface to glk_top_us.
#include "top_us_dut.h"

#include <cstring>

#include "Vglk_top_us.h"
#include <base/dut.h>
#include "pcie_pins.hpp"

struct top_dut : glk_dut<Vglk_top_us> {
	using glk_dut::glk_dut;
};

static void show(Vglk_top_us *top, const struct top_in *in)
{
	show_block(top, &in->block);
	top->serial = in->serial;
	top->pool_bytes = in->pool_bytes;
	top->pool_ready = in->pool_ready;
	top->pool_q_valid = in->q.valid;
	top->pool_q_last = in->q.last;
	std::memcpy(&top->pool_q_data, in->q.data, sizeof(top->pool_q_data));
}

struct top_dut *top_dut_create(const struct top_in *in, const char *wave)
{
	struct top_dut *dut = new top_dut(wave);

	show(dut->top, in);
	dut->reset();
	return dut;
}

void top_dut_destroy(struct top_dut *dut) { delete dut; }

unsigned top_dut_beat(void) { return DUT_DATA_W / 8; }

unsigned top_dut_slice_shift(void) { return DUT_SLICE_SHIFT; }

unsigned top_dut_lost(void) { return DUT_LOST; }

void top_dut_clock(struct top_dut *dut, const struct top_in *in, struct top_out *out)
{
	Vglk_top_us *top = dut->top;

	show(top, in);
	top->eval();
	report_block(top, &out->block);
	out->q_ready = top->pool_q_ready;
	out->pool.valid = top->pool_valid;
	out->pool.write = top->pool_write;
	out->pool.last = top->pool_last;
	out->pool.length = top->pool_length;
	out->pool.offset = top->pool_offset;
	std::memcpy(out->pool.data, &top->pool_data, sizeof(top->pool_data));
	dut->edge();
	top->now_ns += 4;
}
