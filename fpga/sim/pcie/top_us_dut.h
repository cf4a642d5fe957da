/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle interface to the pins of the Verilated glk_top_us. */
#ifndef GLK_TOP_US_DUT_H
#define GLK_TOP_US_DUT_H

#include "pcie_pins.h"

#ifdef __cplusplus
extern "C" {
#endif

struct top_in {
	struct pcie_pins_in block;
	uint64_t serial, pool_bytes;
	bool pool_ready;
	struct {
		bool valid, last;
		uint8_t data[PCIE_BEAT_MAX];
	} q; /* responses of the pool */
};

struct top_out {
	struct pcie_pins_out block;
	bool q_ready;
	struct {
		bool valid, write, last;
		unsigned length;
		uint64_t offset;
		uint8_t data[PCIE_BEAT_MAX];
	} pool;
};

struct top_dut;

/* Creates the top and resets it, with inputs `in`. `wave`: waveform file, or NULL. */
struct top_dut *top_dut_create(const struct top_in *in, const char *wave);
void top_dut_destroy(struct top_dut *dut);

unsigned top_dut_beat(void); /* bytes */
unsigned top_dut_slice_shift(void);
unsigned top_dut_lost(void); /* of glk_pcie_reads */

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void top_dut_clock(struct top_dut *dut, const struct top_in *in, struct top_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_TOP_US_DUT_H */
