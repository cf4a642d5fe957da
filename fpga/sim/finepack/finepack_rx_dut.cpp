// SPDX-License-Identifier: Apache-2.0
// C interface to glk_finepack_rx.
#include "finepack_rx_dut.h"

#include <cstring>

#include "Vglk_finepack_rx.h"
#include <base/dut.h>

struct rx_dut : glk_dut<Vglk_finepack_rx> {
	using glk_dut::glk_dut;
};

unsigned rx_dut_lanes(void) { return DUT_DATA_W / 8; }
unsigned rx_dut_partitions(void) { return DUT_PARTITIONS; }

struct rx_dut *rx_dut_create(const char *wave)
{
	struct rx_dut *dut = new rx_dut(wave);

	for (unsigned p = 0; p < DUT_PARTITIONS; p++)
		rx_dut_configure(dut, p, 5, 0);
	dut->reset();
	return dut;
}

void rx_dut_destroy(struct rx_dut *dut) { delete dut; }

void rx_dut_reset(struct rx_dut *dut)
{
	dut->top->s_valid = 0;
	dut->reset();
}

void rx_dut_configure(struct rx_dut *dut, unsigned partition, unsigned subheader_bytes, uint64_t endpoint_bytes)
{
	put_bits(dut->top->cfg_subheader_bytes, 3 * partition, 3, subheader_bytes);
	put_bits(dut->top->cfg_endpoint_bytes, 49 * partition, 49, endpoint_bytes);
}

void rx_dut_clock(struct rx_dut *dut, const struct rx_in *in, struct rx_out *out)
{
	Vglk_finepack_rx *top = dut->top;

	top->s_valid = in->valid;
	top->s_last = in->last;
	top->s_bytes = static_cast<uint8_t>(in->bytes);
	std::memcpy(&top->s_data, in->data, DUT_DATA_W / 8);
	top->m_ready = in->out_ready;
	top->eval();

	out->in_ready = top->s_ready;
	out->valid = top->m_valid;
	out->first = top->m_first;
	out->last = top->m_last;
	out->packet_last = top->m_packet_last;
	out->partition = top->m_partition;
	out->length = top->m_length;
	out->offset = top->m_offset;
	out->enables = top->m_enables;
	std::memcpy(out->data, &top->m_data, DUT_DATA_W / 8);
	out->accepted = top->e_accepted;
	out->refused = top->e_refused;
	dut->edge();
}
