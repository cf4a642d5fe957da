/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_finepack_tx. */
#ifndef GLK_FINEPACK_TX_DUT_H
#define GLK_FINEPACK_TX_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DUT_BEAT_MAX 64u /* bytes */

struct tx_config {
	unsigned subheader_bytes, max_payload_bytes;
	bool coalesce, self_describe, packing, compact;
};

struct tx_in {
	bool valid;
	unsigned kind, partition, length, reason, context, token;
	bool owned;
	uint64_t address;
	uint8_t data[DUT_BEAT_MAX];
	bool out_ready;
	unsigned look_partition;
};

struct tx_out {
	bool in_ready; /* in.valid is accepted in this clock */
	bool valid, last;
	unsigned bytes;
	uint8_t data[DUT_BEAT_MAX];
	bool overwrite, packet;
	unsigned overwrite_partition, overwritten;
	unsigned packet_partition, payload, runs, reason;
	bool idle;
	unsigned holds;
	bool flush; /* a flush was made */
	unsigned token; /* returned in this clock; 0: none */
	uint32_t queued_stores;
	unsigned look_entries, look_payload; /* of the partition selected two clocks ago */
};

struct tx_dut;

unsigned tx_dut_lanes(void);
unsigned tx_dut_partitions(void);
unsigned tx_dut_entries(void);
unsigned tx_dut_contexts(void);

/* Resets, with default settings. `wave`: waveform file, or NULL. */
struct tx_dut *tx_dut_create(const char *wave);
void tx_dut_destroy(struct tx_dut *dut);
/* Asserts `rst` in whatever goes on. */
void tx_dut_reset(struct tx_dut *dut);

/* Only while `idle` is set. */
void tx_dut_configure(struct tx_dut *dut, unsigned partition, const struct tx_config *config);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void tx_dut_clock(struct tx_dut *dut, const struct tx_in *in, struct tx_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_FINEPACK_TX_DUT_H */
