// SPDX-License-Identifier: Apache-2.0
// C interface to glk_finepack_tx.
#include "finepack_tx_dut.h"

#include <cstring>

#include "Vglk_finepack_tx.h"
#include <base/dut.h>

struct tx_dut : glk_dut<Vglk_finepack_tx> {
	using glk_dut::glk_dut;
};

unsigned tx_dut_lanes(void) { return DUT_DATA_W / 8; }
unsigned tx_dut_partitions(void) { return DUT_PARTITIONS; }
unsigned tx_dut_entries(void) { return DUT_ENTRIES; }
unsigned tx_dut_contexts(void) { return DUT_CONTEXTS; }

struct tx_dut *tx_dut_create(const char *wave)
{
	const struct tx_config settings = { 5, 4096, true, true, false, false };
	struct tx_dut *dut = new tx_dut(wave);

	for (unsigned p = 0; p < DUT_PARTITIONS; p++)
		tx_dut_configure(dut, p, &settings);
	dut->reset();
	return dut;
}

void tx_dut_destroy(struct tx_dut *dut) { delete dut; }

void tx_dut_reset(struct tx_dut *dut)
{
	dut->top->s_valid = 0;
	dut->reset();
}

void tx_dut_configure(struct tx_dut *dut, unsigned partition, const struct tx_config *config)
{
	put_bits(dut->top->cfg_subheader_bytes, 3 * partition, 3, config->subheader_bytes);
	put_bits(dut->top->cfg_max_payload_bytes, 13 * partition, 13, config->max_payload_bytes);
	put_bits(dut->top->cfg_coalesce, partition, 1, config->coalesce);
	put_bits(dut->top->cfg_self_describe, partition, 1, config->self_describe);
	put_bits(dut->top->cfg_packing, partition, 1, config->packing);
	put_bits(dut->top->cfg_compact, partition, 1, config->compact);
}

void tx_dut_clock(struct tx_dut *dut, const struct tx_in *in, struct tx_out *out)
{
	Vglk_finepack_tx *top = dut->top;

	top->s_valid = in->valid;
	top->s_kind = static_cast<uint8_t>(in->kind);
	top->s_partition = static_cast<uint8_t>(in->partition);
	top->s_address = in->address;
	top->s_length = static_cast<uint16_t>(in->length);
	top->s_reason = static_cast<uint8_t>(in->reason);
	top->s_context = static_cast<uint8_t>(in->context);
	top->s_owned = in->owned;
	top->s_token = static_cast<uint8_t>(in->token);
	top->look_partition = static_cast<uint8_t>(in->look_partition);
	std::memcpy(&top->s_data, in->data, DUT_DATA_W / 8);
	top->m_ready = in->out_ready;
	top->eval();

	out->in_ready = top->s_ready;
	out->valid = top->m_valid;
	out->last = top->m_last;
	out->bytes = top->m_bytes;
	std::memcpy(out->data, &top->m_data, DUT_DATA_W / 8);
	out->overwrite = top->e_valid;
	out->overwrite_partition = top->e_partition;
	out->overwritten = top->e_overwritten;
	out->packet = top->made_valid;
	out->packet_partition = top->made_partition;
	out->payload = top->made_payload;
	out->runs = top->made_runs;
	out->reason = top->made_reason;
	out->idle = top->idle;
	out->holds = top->holds;
	out->flush = top->e_flush;
	out->token = top->token_valid ? top->token : 0;
	out->queued_stores = top->queued_stores;
	out->look_entries = top->look_entries;
	out->look_payload = top->look_payload;
	dut->edge();
}
