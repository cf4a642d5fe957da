/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_finepack_rx. */
#ifndef GLK_FINEPACK_RX_DUT_H
#define GLK_FINEPACK_RX_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DUT_BEAT_MAX 64u /* bytes */

struct rx_in {
	bool valid, last;
	unsigned bytes;
	uint8_t data[DUT_BEAT_MAX];
	bool out_ready;
};

struct rx_out {
	bool in_ready; /* in.valid is accepted in this clock */
	bool valid, first, last, packet_last;
	unsigned partition, length;
	uint64_t offset, enables;
	uint8_t data[DUT_BEAT_MAX];
	bool accepted, refused;
};

struct rx_dut;

unsigned rx_dut_lanes(void);
unsigned rx_dut_partitions(void);

struct rx_dut *rx_dut_create(const char *wave);
void rx_dut_destroy(struct rx_dut *dut);
/* Asserts `rst` in whatever goes on. */
void rx_dut_reset(struct rx_dut *dut);

/* Only between packets. */
void rx_dut_configure(struct rx_dut *dut, unsigned partition, unsigned subheader_bytes, uint64_t endpoint_bytes);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void rx_dut_clock(struct rx_dut *dut, const struct rx_in *in, struct rx_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_FINEPACK_RX_DUT_H */
