/* SPDX-License-Identifier: Apache-2.0 */
/* The Verilated glk_pcie_us, a clock at a time: its pins as they are. */
#ifndef GLK_PCIE_US_DUT_H
#define GLK_PCIE_US_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define US_BEAT	      64u
#define US_USER_BYTES 24u

struct us_axis { /* one of the hard block's streams */
	bool valid, last;
	uint8_t data[US_BEAT];
	uint8_t user[US_USER_BYTES];
	uint16_t keep;
};

struct us_request { /* r and m */
	bool valid, last, write, poisoned;
	unsigned bar, kind, tag, length;
	uint32_t id;
	uint64_t address;
	uint8_t data[US_BEAT];
};

struct us_completion { /* c and d */
	bool valid, last, error;
	unsigned offset, length, tag;
	uint32_t id;
	uint8_t data[US_BEAT];
};

struct us_in {
	struct us_axis cq, rc;
	bool cc_ready, rq_ready;
	bool seq_valid[2];
	unsigned seq[2];
	unsigned nph_av, max_payload, max_read_req;
	bool bus_master, flr_in_process, msix_enable, msi_sent, msi_fail;
	struct us_request m;
	struct us_completion c;
	bool r_ready, r_read_ready, d_ready, flr_done;
};

struct us_out {
	struct us_axis cc, rq;
	bool cq_ready, rc_ready;
	unsigned np_req;
	bool msix_int, flr_done, flr;
	uint32_t msi_int;
	struct us_request r;
	struct us_completion d;
	bool m_ready, c_ready;
};

struct us_dut;

struct us_dut *us_dut_create(const char *wave);
void us_dut_destroy(struct us_dut *dut);

/* Shows `in`, tells what comes out before the clock's edge, and clocks. */
void us_dut_clock(struct us_dut *dut, const struct us_in *in, struct us_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_PCIE_US_DUT_H */
