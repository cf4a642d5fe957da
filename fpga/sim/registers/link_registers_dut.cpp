// SPDX-License-Identifier: Apache-2.0
// C interface to glk_link_registers.
#include "link_registers_dut.h"

#include "Vglk_link_registers.h"
#include <base/dut.h>

struct link_registers_dut : glk_dut<Vglk_link_registers> {
	using glk_dut::glk_dut;
};

struct link_registers_dut *link_registers_dut_create(const char *wave)
{
	struct link_registers_dut *dut = new link_registers_dut(wave);

	dut->reset();
	return dut;
}

void link_registers_dut_reset(struct link_registers_dut *dut) { dut->reset(); }

void link_registers_dut_destroy(struct link_registers_dut *dut) { delete dut; }

template <typename PORT> static void number(PORT &port, uint64_t value) { port = static_cast<PORT>(value); }

static void show_events(Vglk_link_registers *top, const bool *events)
{
	top->e_flit = events[LINK_FLIT];
	top->e_packet = events[LINK_PACKET];
	top->e_refused = events[LINK_REFUSED];
	top->e_stitched = events[LINK_STITCHED];
	top->e_partial = events[LINK_PARTIAL];
	top->e_parent = events[LINK_PARENT];
	top->e_out = events[LINK_OUT];
	top->e_padded = events[LINK_PADDED];
	top->e_pooled = events[LINK_POOLED];
	top->e_pool_timed_out = events[LINK_POOL_TIMED_OUT];
	top->e_up = events[LINK_UP];
	top->e_resumed = events[LINK_RESUMED];
	top->e_down = events[LINK_DOWN];
	top->e_frame_sent = events[LINK_FRAME_SENT];
	top->e_frame_received = events[LINK_FRAME_RECEIVED];
	top->e_replay = events[LINK_REPLAY];
	top->e_frame_replayed = events[LINK_FRAME_REPLAYED];
	top->e_frame_repeated = events[LINK_FRAME_REPEATED];
	top->e_crc = events[LINK_CRC];
	top->e_sequence = events[LINK_SEQUENCE];
	top->e_protocol = events[LINK_PROTOCOL];
	top->e_version = events[LINK_VERSION];
	top->e_flit_received = events[LINK_FLIT_RECEIVED];
	top->e_credit_stall = events[LINK_CREDIT_STALL];
	top->e_stray = events[LINK_STRAY];
	top->e_timeout = events[LINK_TIMEOUT];
	top->e_given_up = events[LINK_GIVEN_UP];
	top->e_lost = events[LINK_LOST];
	top->e_served = events[LINK_SERVED];
	top->e_denied = events[LINK_DENIED];
	top->e_trimmed = events[LINK_TRIMMED];
	top->wait_valid = events[LINK_WAITED];
}

void link_registers_dut_clock(struct link_registers_dut *dut, const struct link_registers_in *in,
			      struct link_registers_out *out)
{
	Vglk_link_registers *top = dut->top;

	top->clear = in->clear;
	top->take = in->take;
	top->snapshot = in->snapshot;
	number(top->word, in->word);
	top->value = in->value;
	top->up = in->up;
	top->session = in->session;
	number(top->cluster, in->cluster);
	number(top->peer_cluster, in->peer_cluster);
	top->peer_compact = in->peer_compact;
	number(top->places, in->places);
	top->peer_serial = in->peer_serial;
	show_events(top, in->events);
	number(top->e_kind, in->kind);
	number(top->e_pool_stitched, in->pool_stitched);
	number(top->e_lost_packets, in->lost);
	number(top->e_trimmed_bytes, in->trimmed);
	number(top->wait_kind, in->waited_kind);
	number(top->wait_clocks, in->waited_clocks);
	top->eval();

	out->shown = top->shown;
	out->allowed = top->allowed;
	out->snapshot_done = top->snapshot_done;
	out->changed = top->e_link;
	out->control = static_cast<unsigned>(top->cfg_enable | top->cfg_stitching << 1 | top->cfg_pooling << 2 |
					     top->cfg_selective << 3 | top->cfg_sequencing << 4 | top->cfg_trimming << 5 |
					     top->cfg_yielding << 6);
	out->pool_cycles = top->cfg_pool_cycles;
	out->burst = top->cfg_burst;
	out->trim_code = top->cfg_trim_code;
	out->timeout_ns = top->cfg_timeout_ns;
	dut->edge();
}
