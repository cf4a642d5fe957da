/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_serve_load. */
#ifndef GLK_SERVE_LOAD_DUT_H
#define GLK_SERVE_LOAD_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct serve_load_dut;

struct serve_load_in {
	unsigned kind[16]; /* EP_KIND */
	uint64_t base[16], pages[16]; /* EP_BASE, EP_BYTES in units of 4 KiB */
	bool load_valid, answer_ready, read_ready, pool_ready, report_ready;
	unsigned partition, length;
	uint64_t offset;
	bool data_valid, data_last, data_error, pool_valid, pool_last;
	unsigned slot;
	uint8_t data[64], pool_data[64];
};

struct serve_load_out {
	bool load_ready, answer_valid, answer_error, read_valid, pool_valid, report_valid, idle;
	unsigned read_length, slot, pool_length, report_partition;
	uint64_t address, pool_offset;
	uint8_t line[64];
};

struct serve_load_dut *serve_load_dut_create(const char *wave);
void serve_load_dut_destroy(struct serve_load_dut *dut);
/* Asserts `rst` in whatever goes on; then the inputs are `in`. */
void serve_load_dut_reset(struct serve_load_dut *dut, const struct serve_load_in *in);
unsigned serve_load_dut_lanes(void);
unsigned serve_load_dut_partitions(void);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void serve_load_dut_clock(struct serve_load_dut *dut, const struct serve_load_in *in, struct serve_load_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_SERVE_LOAD_DUT_H */
