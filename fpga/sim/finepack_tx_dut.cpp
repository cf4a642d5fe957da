// SPDX-License-Identifier: Apache-2.0
// All that has to be C++: Verilator's model behind a C interface.
#include "finepack_tx_dut.h"

#include <cstring>

#include "Vglk_finepack_tx.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

#ifndef DUT_PARTITIONS
#error "DUT_PARTITIONS, DUT_ENTRIES and DUT_DATA_W tell the parameters that the model was made with"
#endif

struct tx_dut {
	VerilatedContext context;
	Vglk_finepack_tx *top;
	uint64_t time;
#if VM_TRACE
	VerilatedVcdC *wave;
#endif
};

unsigned tx_dut_lanes(void) { return DUT_DATA_W / 8; }
unsigned tx_dut_partitions(void) { return DUT_PARTITIONS; }
unsigned tx_dut_entries(void) { return DUT_ENTRIES; }

static void dump(struct tx_dut *dut)
{
#if VM_TRACE
	if (dut->wave)
		dut->wave->dump(dut->time);
#endif
	dut->time++;
}

static void edge(struct tx_dut *dut)
{
	dut->top->clk = 1;
	dut->top->eval();
	dump(dut);
	dut->top->clk = 0;
	dut->top->eval();
	dump(dut);
}

struct tx_dut *tx_dut_create(const char *wave)
{
	struct tx_dut *dut = new tx_dut();

	dut->top = new Vglk_finepack_tx(&dut->context);
#if VM_TRACE
	if (wave) {
		dut->context.traceEverOn(true);
		dut->wave = new VerilatedVcdC;
		dut->top->trace(dut->wave, 99);
		dut->wave->open(wave);
	}
#else
	(void)wave;
#endif
	const struct tx_config reset = { 5, 4096, true, true };
	for (unsigned p = 0; p < DUT_PARTITIONS; p++)
		tx_dut_configure(dut, p, &reset);
	dut->top->rst = 1;
	dut->top->eval();
	for (int i = 0; i < 4; i++)
		edge(dut);
	dut->top->rst = 0;
	dut->top->eval();
	for (int i = 0; i < 4; i++)
		edge(dut);
	return dut;
}

void tx_dut_destroy(struct tx_dut *dut)
{
	dut->top->final();
#if VM_TRACE
	if (dut->wave) {
		dut->wave->close();
		delete dut->wave;
	}
#endif
#if VM_COVERAGE
	dut->context.coveragep()->write();
#endif
	delete dut->top;
	delete dut;
}

/* Ports of up to 64 bits are numbers, wider ones rows of 32-bit words: both lie in memory as little-endian bits. */
template <typename PORT> static void put_bits(PORT &port, unsigned first, unsigned count, uint64_t value)
{
	uint8_t *bytes = reinterpret_cast<uint8_t *>(&port);

	for (unsigned i = 0; i < count; i++) {
		uint8_t bit = static_cast<uint8_t>(1u << ((first + i) % 8));
		uint8_t *byte = bytes + (first + i) / 8;

		*byte = static_cast<uint8_t>((value >> i) & 1 ? *byte | bit : *byte & ~bit);
	}
}

void tx_dut_configure(struct tx_dut *dut, unsigned partition, const struct tx_config *config)
{
	put_bits(dut->top->cfg_subheader_bytes, 3 * partition, 3, config->subheader_bytes);
	put_bits(dut->top->cfg_max_payload_bytes, 13 * partition, 13, config->max_payload_bytes);
	put_bits(dut->top->cfg_coalesce, partition, 1, config->coalesce);
	put_bits(dut->top->cfg_self_describe, partition, 1, config->self_describe);
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
	out->packet = top->p_valid;
	out->packet_partition = top->p_partition;
	out->payload = top->p_payload;
	out->runs = top->p_runs;
	out->reason = top->p_reason;
	out->idle = top->idle;
	out->holds = top->holds;
	edge(dut);
}
