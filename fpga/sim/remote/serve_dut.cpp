// SPDX-License-Identifier: Apache-2.0
// C interface to glk_serve.
#include "serve_dut.h"

#include <cstring>

#include "Vglk_serve.h"
#include <base/dut.h>

struct serve_dut : glk_dut<Vglk_serve> {
	using glk_dut::glk_dut;
};

static void show(Vglk_serve *top, const struct serve_in *in)
{
	top->session = in->session;
	top->enabled = in->enabled;
	put_bits(top->ep_open, 0, DUT_PARTITIONS, in->open);
	for (unsigned p = 0; p < DUT_PARTITIONS; p++) {
		put_bits(top->ep_kind, 2 * p, 2, in->kind[p]);
		put_bits(top->ep_bytes, 37 * p, 37, in->pages[p]);
	}
	top->posted_kind = static_cast<uint8_t>(in->posted.kind);
	top->posted_bytes = static_cast<uint8_t>(in->posted.bytes);
	top->posted_first = in->posted.first;
	top->posted_last = in->posted.last;
	top->posted_valid = in->posted.valid;
	std::memcpy(&top->posted_data, in->posted.data, 16);
	top->request_kind = static_cast<uint8_t>(in->request.kind);
	top->request_bytes = static_cast<uint8_t>(in->request.bytes);
	top->request_first = in->request.first;
	top->request_last = in->request.last;
	top->request_valid = in->request.valid;
	std::memcpy(&top->request_data, in->request.data, 16);
	top->inject_ready = in->receiver_ready;
	top->other_done = in->done;
	top->other_refused = in->refused;
	put_bits(top->each_reached, 0, DUT_PARTITIONS, in->reached);
	top->fail_valid = in->fail;
	top->fail_partition = static_cast<uint8_t>(in->fail_partition);
	top->load_ready = in->load_ready;
	top->load_q_valid = in->data_valid;
	top->load_q_error = in->data_error;
	std::memcpy(&top->load_q_line, in->line, sizeof(in->line));
	top->locked = in->locked;
	top->atomic_ready = in->write_ready;
	top->m_ready = in->answer_ready;
}

struct serve_dut *serve_dut_create(const char *wave)
{
	struct serve_dut *dut = new serve_dut(wave);

	dut->top->session = 0;
	dut->reset();
	return dut;
}

void serve_dut_destroy(struct serve_dut *dut) { delete dut; }
unsigned serve_dut_lanes(void) { return DUT_DATA_W / 8; }
unsigned serve_dut_partitions(void) { return DUT_PARTITIONS; }

void serve_dut_reset(struct serve_dut *dut, const struct serve_in *in)
{
	show(dut->top, in);
	dut->reset();
}

void serve_dut_clock(struct serve_dut *dut, const struct serve_in *in, struct serve_out *out)
{
	Vglk_serve *top = dut->top;

	show(top, in);
	top->eval();

	out->posted_ready = top->posted_ready;
	out->request_ready = top->request_ready;
	out->beat_valid = top->inject_valid;
	out->beat_last = top->inject_last;
	out->beat_bytes = top->inject_bytes;
	std::memcpy(out->beat, &top->inject_data, DUT_DATA_W / 8);
	out->take = static_cast<uint16_t>(top->each_take);
	out->load_valid = top->load_valid;
	out->load_partition = top->load_partition;
	out->load_length = top->load_length;
	out->load_offset = top->load_offset;
	out->data_ready = top->load_q_ready;
	out->lock = top->lock;
	out->write_valid = top->atomic_valid;
	out->write_partition = top->atomic_partition;
	out->write_length = top->atomic_length;
	out->write_offset = top->atomic_offset;
	out->write_data = top->atomic_data;
	out->answer_valid = top->m_valid;
	out->answer_last = top->m_last;
	out->answer_kind = top->m_kind;
	std::memcpy(out->answer, &top->m_data, 16);
	out->served = top->e_served;
	out->denied = top->e_denied;
	out->malformed = top->e_malformed;
	out->trimmed = top->e_trimmed;
	out->trimmed_bytes = top->e_trimmed_bytes;
	out->idle = top->idle;
	dut->edge();
}
