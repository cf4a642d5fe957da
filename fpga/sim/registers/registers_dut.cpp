// SPDX-License-Identifier: Apache-2.0
// C interface to registers_only.
#include "registers_dut.h"

#include "Vregisters_only.h"
#include <base/dut.h>

struct registers_dut : glk_dut<Vregisters_only> {
	using glk_dut::glk_dut;
};

template <typename PORT> static void number(PORT &port, uint64_t value) { port = static_cast<PORT>(value); }

static void show(Vregisters_only *top, const struct registers_in *in)
{
	top->link = in->link;
	top->serial = in->serial;
	top->pool_bytes = in->pool_bytes;
	number(top->cluster, in->cluster);
	top->x_valid = in->x.valid;
	top->x_write = in->x.write;
	top->x_poisoned = in->x.poisoned;
	number(top->x_offset, in->x.offset);
	number(top->x_size, in->x.size);
	top->x_data = in->x.data;
	for (unsigned p = 0; p < REGISTERS_PARTITIONS; p++) {
		put_bits(top->unacknowledged, 32 * p, 32, in->unacknowledged[p]);
		put_bits(top->remote_bytes, 64 * p, 64, in->remote_bytes[p]);
	}
	top->up = in->up;
	top->session = in->session;
	top->e_up = in->e_up;
	top->e_down = in->e_down;
	top->e_crc = in->e_crc;
}

struct registers_dut *registers_dut_create(const struct registers_in *in, const char *wave)
{
	struct registers_dut *dut = new registers_dut(wave);

	show(dut->top, in);
	dut->reset();
	return dut;
}

void registers_dut_destroy(struct registers_dut *dut) { delete dut; }

void registers_dut_clock(struct registers_dut *dut, const struct registers_in *in, struct registers_out *out)
{
	Vregisters_only *top = dut->top;

	show(top, in);
	top->eval();
	out->x_ready = top->x_ready;
	out->y_valid = top->y_valid;
	out->y_data = top->y_data;
	out->refused = top->e_config;
	out->clear = top->clear;
	out->ask = top->ask_valid;
	out->ask_partition = top->ask_partition;
	out->control = top->cfg_control;
	for (unsigned p = 0; p < REGISTERS_PARTITIONS; p++) {
		out->partitions[p].kind = static_cast<unsigned>(top->ep_kind >> (2 * p)) & 3u;
		out->partitions[p].remote_partition = static_cast<unsigned>(top->remote_partition >> (4 * p)) & 15u;
		out->partitions[p].open = (top->ep_open >> p) & 1;
		out->partitions[p].remote = (top->ep_remote >> p) & 1;
		out->partitions[p].bound = (top->remote_bound >> p) & 1;
	}
	dut->edge();
}
