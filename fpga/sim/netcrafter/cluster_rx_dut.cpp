// SPDX-License-Identifier: Apache-2.0
// C interface to glk_cluster_rx.
#include "cluster_rx_dut.h"

#include <cstring>

#include "Vglk_cluster_rx.h"
#include <base/dut.h>

struct cluster_rx_dut : glk_dut<Vglk_cluster_rx> {
	using glk_dut::glk_dut;
};

unsigned cluster_rx_room(void) { return DUT_ROOM; }

struct cluster_rx_dut *cluster_rx_create(const char *wave) { return new cluster_rx_dut(wave); }

void cluster_rx_destroy(struct cluster_rx_dut *dut) { delete dut; }

void cluster_rx_reset(struct cluster_rx_dut *dut)
{
	dut->top->s_valid = 0;
	dut->top->m_ready = 0;
	dut->reset();
}

void cluster_rx_clock(struct cluster_rx_dut *dut, const struct cluster_rx_in *in, struct cluster_rx_out *out)
{
	Vglk_cluster_rx *top = dut->top;

	top->s_valid = in->valid;
	top->s_type = static_cast<uint8_t>(in->type);
	std::memcpy(&top->s_data, in->data, 16);
	top->m_ready = static_cast<uint8_t>(in->out_ready[0] | in->out_ready[1] << 1 | in->out_ready[2] << 2);
	top->eval();

	out->in_ready = top->s_ready;
	out->error = top->error;
	for (unsigned c = 0; c < CLUSTER_RX_CLASSES; c++) {
		struct cluster_rx_piece *piece = &out->pieces[c];

		piece->valid = top->m_valid >> c & 1;
		piece->first = top->m_first >> c & 1;
		piece->last = top->m_last >> c & 1;
		piece->kind = top->m_kind >> 4 * c & 15;
		piece->bytes = top->m_bytes >> 5 * c & 31;
		std::memcpy(piece->data, reinterpret_cast<const uint8_t *>(&top->m_data) + 16 * c, 16);
	}
	dut->edge();
}
