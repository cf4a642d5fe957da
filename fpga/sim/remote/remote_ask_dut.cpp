// SPDX-License-Identifier: Apache-2.0
// C interface to glk_remote_ask.
#include "remote_ask_dut.h"

#include <cstring>

#include "Vglk_remote_ask.h"
#include <base/dut.h>

struct remote_ask_dut : glk_dut<Vglk_remote_ask> {
	using glk_dut::glk_dut;
};

struct remote_ask_dut *remote_ask_dut_create(const char *wave)
{
	struct remote_ask_dut *dut = new remote_ask_dut(wave);

	remote_ask_dut_reset(dut);
	return dut;
}

void remote_ask_dut_destroy(struct remote_ask_dut *dut) { delete dut; }

unsigned remote_ask_dut_lanes(void) { return DUT_DATA_W / 8; }

unsigned remote_ask_dut_partitions(void) { return DUT_PARTITIONS; }

void remote_ask_dut_reset(struct remote_ask_dut *dut)
{
	dut->top->session = 0;
	dut->top->sent_valid = 0;
	dut->top->lost_valid = 0;
	dut->top->flush_valid = 0;
	dut->top->load_valid = 0;
	dut->top->ask_valid = 0;
	dut->top->s_valid = 0;
	dut->top->under_way = 0;
	dut->reset();
}

void remote_ask_dut_clock(struct remote_ask_dut *dut, const struct remote_ask_in *in, struct remote_ask_out *out)
{
	Vglk_remote_ask *top = dut->top;

	top->session = in->session;
	top->now_ns = in->now_ns;
	top->cfg_trimming = in->trimming;
	top->cfg_trim_code = static_cast<uint8_t>(in->trim_code);
	top->cfg_timeout_ns = in->timeout_ns;
	put_bits(top->remote_partition, 0, DUT_PARTITIONS * 4, in->remote_partition);
	top->sent_valid = in->sent_valid;
	top->sent_remote = static_cast<uint8_t>(in->sent_remote);
	top->lost_valid = in->lost_valid;
	top->lost_partition = static_cast<uint8_t>(in->lost_partition);
	put_bits(top->under_way, 0, DUT_PARTITIONS, in->under_way);
	top->flush_valid = in->flush_valid;
	top->flush_partition = static_cast<uint8_t>(in->flush_partition);
	top->flush_q_ready = in->flush_q_ready;
	top->load_valid = in->load_valid;
	top->load_atomic = in->load_atomic;
	top->load_partition = static_cast<uint8_t>(in->load_partition);
	top->load_length = static_cast<uint16_t>(in->load_length);
	top->load_operation = static_cast<uint8_t>(in->load_operation);
	top->load_offset = in->load_offset;
	top->load_operand = in->load_operand;
	top->load_compare = in->load_compare;
	put_bits(top->each_reached, 0, DUT_PARTITIONS, in->each_reached);
	put_bits(top->is_remote, 0, DUT_PARTITIONS, in->is_remote);
	top->ask_valid = in->ask_valid;
	top->ask_partition = static_cast<uint8_t>(in->ask_partition);
	top->look_partition = static_cast<uint8_t>(in->look_partition);
	top->m_ready = in->m_ready;
	top->s_valid = in->s_valid;
	top->s_first = in->s_first;
	top->s_last = in->s_last;
	top->s_kind = static_cast<uint8_t>(in->s_kind);
	top->s_bytes = static_cast<uint8_t>(in->s_bytes);
	std::memcpy(&top->s_data, in->s_data, 16);
	top->eval();

	out->flush_ready = top->flush_ready;
	out->flush_q_valid = top->flush_q_valid;
	out->flush_q_error = top->flush_q_error;
	out->flush_q_one = top->flush_q_one;
	out->flush_q_partition = top->flush_q_partition;
	out->load_ready = top->load_ready;
	out->load_q_valid = top->load_q_valid;
	out->load_q_error = top->load_q_error;
	out->load_q_last = top->load_q_last;
	std::memcpy(out->load_q_data, &top->load_q_data, DUT_DATA_W / 8);
	out->each_take = top->each_take;
	out->remote_bytes = top->look_remote_bytes;
	out->m_valid = top->m_valid;
	out->m_last = top->m_last;
	out->m_kind = top->m_kind;
	std::memcpy(out->m_data, &top->m_data, 16);
	out->s_ready = top->s_ready;
	out->stray = top->e_stray;
	out->timeout = top->e_timeout;
	out->idle = top->idle;
	dut->edge();
}
