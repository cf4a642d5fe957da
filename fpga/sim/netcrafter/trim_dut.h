/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_trim. */
#ifndef GLK_TRIM_DUT_H
#define GLK_TRIM_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trim_in {
	bool valid;
	unsigned tag, asked, status; /* asked: bits 63:48 of a read request's "where" */
	uint8_t line[64];
	bool out_ready;
};

struct trim_out {
	bool in_ready; /* in.valid is accepted in this clock */
	bool valid, last;
	uint8_t data[16];
	bool trimmed;
	unsigned bytes; /* trimmed bytes */
};

struct trim_dut;

struct trim_dut *trim_dut_create(const char *wave);
void trim_dut_destroy(struct trim_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void trim_dut_clock(struct trim_dut *dut, const struct trim_in *in, struct trim_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_TRIM_DUT_H */
