// SPDX-License-Identifier: Apache-2.0
// Ports common to glk_cluster_tx and glk_cluster_queue.
#ifndef GLK_CLUSTER_DUT_HPP
#define GLK_CLUSTER_DUT_HPP

#include "cluster_dut.h"

template <typename TOP> static void show_settings(TOP *top, const struct cluster_settings *s)
{
	top->cfg_stitching = s->stitching;
	top->cfg_pooling = s->pooling;
	top->cfg_selective = s->selective;
	top->cfg_yielding = s->yielding;
	top->cfg_sequencing = s->sequencing;
	top->cfg_pool_cycles = static_cast<uint8_t>(s->pool_cycles);
	top->cfg_burst = static_cast<uint8_t>(s->burst);
}

template <typename TOP> static void report_events(const TOP *top, struct cluster_events *e)
{
	e->flit = top->e_flit;
	e->packet = top->e_packet;
	e->refused = top->e_refused;
	e->stitched = top->e_stitched;
	e->partial = top->e_partial;
	e->parent = top->e_parent;
	e->left = top->e_out;
	e->padded = top->e_padded;
	e->pooled = top->e_pooled;
	e->pool_timed_out = top->e_pool_timed_out;
	e->waited = top->wait_valid;
	e->kind = top->e_kind;
	e->bytes = top->e_bytes;
	e->stitched_kind = top->e_stitched_kind;
	e->pool_stitched = top->e_pool_stitched;
	e->waited_kind = top->wait_kind;
	e->waited_clocks = top->wait_clocks;
}

#endif // GLK_CLUSTER_DUT_HPP
