// SPDX-License-Identifier: Apache-2.0
// glk_cluster_queue behind a C interface.
#include "cluster_queue_dut.h"

#include <cstring>

#include "Vglk_cluster_queue.h"
#include "dut.h"

struct queue_dut : glk_dut<Vglk_cluster_queue> {
	using glk_dut::glk_dut;
};

unsigned queue_dut_flits(void) { return DUT_ENTRIES; }

struct queue_dut *queue_dut_create(const char *wave) { return new queue_dut(wave); }

void queue_dut_destroy(struct queue_dut *dut) { delete dut; }

void queue_dut_reset(struct queue_dut *dut)
{
	dut->top->s_valid = 0;
	dut->top->c_valid = 0;
	dut->reset();
}

void queue_dut_clock(struct queue_dut *dut, const struct queue_in *in, struct queue_out *out)
{
	Vglk_cluster_queue *top = dut->top;

	top->cfg_stitching = in->stitching;
	top->cfg_pooling = in->pooling;
	top->cfg_selective = in->selective;
	top->cfg_sequencing = in->sequencing;
	top->cfg_pool_cycles = static_cast<uint8_t>(in->pool_cycles);
	top->cfg_burst = static_cast<uint8_t>(in->burst);
	top->s_valid = in->valid;
	top->s_kind = static_cast<uint8_t>(in->kind);
	std::memcpy(&top->s_data, in->data, 16);
	top->c_valid = in->credit;
	top->c_class = static_cast<uint8_t>(in->credit_class);
	top->c_pieces = static_cast<uint16_t>(in->credit_pieces);
	top->m_ready = in->out_ready;
	top->eval();

	out->in_ready = top->s_ready;
	out->places = top->places;
	out->valid = top->m_valid;
	out->type = top->m_type;
	std::memcpy(out->data, &top->m_data, 16);
	out->flit = top->e_flit;
	out->packet = top->e_packet;
	out->refused = top->e_refused;
	out->stitched = top->e_stitched;
	out->partial = top->e_partial;
	out->parent = top->e_parent;
	out->left = top->e_out;
	out->padded = top->e_padded;
	out->pooled = top->e_pooled;
	out->pool_timed_out = top->e_pool_timed_out;
	out->waited = top->w_valid;
	out->kind = top->e_kind;
	out->bytes = top->e_bytes;
	out->stitched_kind = top->e_stitched_kind;
	out->pool_stitched = top->e_pool_stitched;
	out->waited_kind = top->w_kind;
	out->waited_clocks = top->w_clocks;
	dut->edge();
}
