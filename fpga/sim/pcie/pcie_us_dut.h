/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle interface to the pins of the Verilated glk_pcie_us. */
#ifndef GLK_PCIE_US_DUT_H
#define GLK_PCIE_US_DUT_H

#include "pcie_pins.h"

#ifdef __cplusplus
extern "C" {
#endif

struct us_request { /* r and m */
	bool valid, last, write, poisoned;
	unsigned bar, kind, tag, length;
	uint32_t id;
	uint64_t address;
	uint8_t data[PCIE_BEAT_MAX];
};

struct us_completion { /* c and d */
	bool valid, last, error;
	unsigned offset, length, tag;
	uint32_t id;
	uint8_t data[PCIE_BEAT_MAX];
};

struct us_in {
	struct pcie_pins_in block;
	struct us_request m;
	struct us_completion c;
	bool r_ready, r_read_ready, d_ready, flr_done;
};

struct us_out {
	struct pcie_pins_out block;
	bool flr;
	struct us_request r;
	struct us_completion d;
	bool m_ready, c_ready;
};

struct us_dut;

struct us_dut *us_dut_create(const char *wave);
void us_dut_destroy(struct us_dut *dut);

/* Bytes of a beat. */
unsigned us_dut_beat(void);

/* Parameters of glk_pcie_reads. */
unsigned us_dut_lost(void);
unsigned us_dut_quarantine(void);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void us_dut_clock(struct us_dut *dut, const struct us_in *in, struct us_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_PCIE_US_DUT_H */
