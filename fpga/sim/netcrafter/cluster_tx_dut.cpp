// SPDX-License-Identifier: Apache-2.0
// C interface to glk_cluster_tx.
#include <cstring>

#include "Vglk_cluster_tx.h"
#include "cluster_dut.hpp"
#include <base/dut.h>

struct cluster_tx_dut : glk_dut<Vglk_cluster_tx> {
	using glk_dut::glk_dut;
};

unsigned cluster_tx_flits(void) { return DUT_FLITS; }

struct cluster_tx_dut *cluster_tx_create(const char *wave) { return new cluster_tx_dut(wave); }

void cluster_tx_destroy(struct cluster_tx_dut *dut) { delete dut; }

void cluster_tx_reset(struct cluster_tx_dut *dut)
{
	dut->top->s_valid = 0;
	dut->top->credit_valid = 0;
	dut->reset();
}

void cluster_tx_clock(struct cluster_tx_dut *dut, const struct cluster_tx_in *in, struct cluster_tx_out *out)
{
	Vglk_cluster_tx *top = dut->top;

	show_settings(top, &in->settings);
	top->s_valid = in->valid;
	top->s_kind = static_cast<uint8_t>(in->kind);
	std::memcpy(&top->s_data, in->data, 16);
	top->credit_valid = in->credit;
	top->credit_class = static_cast<uint8_t>(in->credit_class);
	top->credit_pieces = static_cast<uint16_t>(in->credit_pieces);
	top->m_ready = in->out_ready;
	top->eval();

	out->in_ready = top->s_ready;
	out->places = top->places;
	out->valid = top->m_valid;
	out->type = top->m_type;
	std::memcpy(out->data, &top->m_data, 16);
	for (unsigned c = 0; c < 3; c++)
		out->pieces[c] = top->m_pieces >> 3 * c & 7;
	report_events(top, &out->events);
	dut->edge();
}
