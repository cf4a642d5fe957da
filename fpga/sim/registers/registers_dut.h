/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated registers of a card (registers_only.sv). */
#ifndef GLK_REGISTERS_DUT_H
#define GLK_REGISTERS_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { REGISTERS_PARTITIONS = 4 };

struct registers_in {
	bool link; /* constant */
	uint64_t serial, pool_bytes;
	unsigned cluster;
	struct {
		bool valid, write, poisoned;
		unsigned offset, size; /* size: log2 */
		uint64_t data;
	} x;
	uint32_t unacknowledged[REGISTERS_PARTITIONS];
	uint64_t remote_bytes[REGISTERS_PARTITIONS];
	bool up, session, e_up, e_down, e_crc;
};

struct registers_out {
	bool x_ready, y_valid;
	uint64_t y_data;
	bool refused, clear, ask;
	unsigned ask_partition;
	unsigned control; /* LINK.CONTROL */
	struct {
		unsigned kind, remote_partition;
		bool open, remote, bound;
	} partitions[REGISTERS_PARTITIONS];
};

struct registers_dut;

struct registers_dut *registers_dut_create(const struct registers_in *in, const char *wave);
void registers_dut_destroy(struct registers_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void registers_dut_clock(struct registers_dut *dut, const struct registers_in *in, struct registers_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_REGISTERS_DUT_H */
