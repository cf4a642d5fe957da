// SPDX-License-Identifier: Apache-2.0
// C interface to glk_remote_send.
#include "remote_send_dut.h"

#include <cstring>

#include "Vglk_remote_send.h"
#include <base/dut.h>

struct remote_send_dut : glk_dut<Vglk_remote_send> {
	using glk_dut::glk_dut;
};

static void show(Vglk_remote_send *top, const struct remote_send_in *in)
{
	for (unsigned p = 0; p < DUT_PARTITIONS; p++) {
		put_bits(top->ep_remote, p, 1, in->remote[p]);
		put_bits(top->remote_partition, 4 * p, 4, in->remote_partition[p]);
	}
	top->session = in->session;
	top->peer_compact = in->peer_compact;
	top->hold = in->hold;
	std::memcpy(&top->packet_data, in->data, DUT_DATA_W / 8);
	top->packet_bytes = static_cast<uint8_t>(in->bytes);
	top->packet_last = in->last;
	top->packet_valid = in->valid;
	top->own_ready = in->local_ready;
	top->m_ready = in->flit_ready;
	top->posted_ready = in->posted_ready;
}

struct remote_send_dut *remote_send_dut_create(const char *wave)
{
	return new remote_send_dut(wave);
}

void remote_send_dut_destroy(struct remote_send_dut *dut) { delete dut; }
unsigned remote_send_dut_lanes(void) { return DUT_DATA_W / 8; }
unsigned remote_send_dut_partitions(void) { return DUT_PARTITIONS; }

void remote_send_dut_reset(struct remote_send_dut *dut, const struct remote_send_in *in)
{
	show(dut->top, in);
	dut->reset();
}

void remote_send_dut_clock(struct remote_send_dut *dut, const struct remote_send_in *in, struct remote_send_out *out)
{
	Vglk_remote_send *top = dut->top;

	show(top, in);
	top->eval();

	out->ready = top->packet_ready;
	std::memcpy(out->local, &top->own_data, DUT_DATA_W / 8);
	out->local_bytes = top->own_bytes;
	out->local_last = top->own_last;
	out->local_valid = top->own_valid;
	std::memcpy(out->flit, &top->m_data, sizeof(out->flit));
	out->flit_last = top->m_last;
	out->flit_valid = top->m_valid;
	out->sent = top->sent_valid;
	out->sent_remote = top->sent_remote;
	out->lost = top->lost_valid;
	out->lost_partition = top->lost_partition;
	out->posted = top->posted_valid;
	out->posted_partition = top->posted_partition;
	out->passed = top->e_passed;
	out->passed_remote = top->e_passed_remote;
	out->arrived = top->e_arrived;
	dut->edge();
}
