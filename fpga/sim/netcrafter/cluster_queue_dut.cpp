// SPDX-License-Identifier: Apache-2.0
// C interface to glk_cluster_queue.
#include <cstring>

#include "Vglk_cluster_queue.h"
#include "cluster_dut.hpp"
#include <base/dut.h>

struct cluster_queue_dut : glk_dut<Vglk_cluster_queue> {
	using glk_dut::glk_dut;
};

unsigned cluster_queue_flits(void) { return DUT_FLITS; }

struct cluster_queue_dut *cluster_queue_create(const char *wave) { return new cluster_queue_dut(wave); }

void cluster_queue_destroy(struct cluster_queue_dut *dut) { delete dut; }

void cluster_queue_reset(struct cluster_queue_dut *dut)
{
	dut->top->s_valid = 0;
	dut->top->credit = 0;
	dut->reset();
}

void cluster_queue_clock(struct cluster_queue_dut *dut, const struct cluster_queue_in *in, struct cluster_queue_out *out)
{
	Vglk_cluster_queue *top = dut->top;

	show_settings(top, &in->settings);
	top->s_valid = in->valid;
	top->s_kind = static_cast<uint8_t>(in->kind);
	top->s_words = static_cast<uint16_t>(in->words);
	std::memcpy(&top->s_data, in->data, 16);
	top->credit = static_cast<uint8_t>(in->credit[0] | in->credit[1] << 1 | in->credit[2] << 2);
	top->m_ready = in->ready;
	top->eval();

	out->in_ready = top->s_ready;
	for (int c = 0; c < 3; c++) {
		out->taken[c] = top->credit_take >> c & 1;
		out->given_back[c] = top->credit_back >> c & 1;
	}
	report_events(top, &out->events);
	dut->edge();
	out->places = top->places;
	out->left = top->m_valid;
	out->type = top->m_type;
	std::memcpy(out->data, &top->m_data, 16);
}

bool cluster_queue_takes(struct cluster_queue_dut *dut, unsigned kind, unsigned words)
{
	dut->top->s_valid = 1;
	dut->top->s_kind = static_cast<uint8_t>(kind);
	dut->top->s_words = static_cast<uint16_t>(words);
	dut->top->eval();
	return dut->top->s_ready;
}
