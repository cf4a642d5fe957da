/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_cluster_rx. */
#ifndef GLK_CLUSTER_RX_DUT_H
#define GLK_CLUSTER_RX_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLUSTER_RX_CLASSES 3u

struct cluster_rx_in {
	bool valid;
	unsigned type;
	uint8_t data[16];
	bool out_ready[CLUSTER_RX_CLASSES];
};

struct cluster_rx_piece {
	bool valid, first, last;
	unsigned kind, bytes;
	uint8_t data[16];
};

struct cluster_rx_out {
	bool in_ready; /* in.valid is accepted in this clock */
	bool error;
	struct cluster_rx_piece pieces[CLUSTER_RX_CLASSES];
};

struct cluster_rx_dut;

unsigned cluster_rx_room(void);
struct cluster_rx_dut *cluster_rx_create(const char *wave);
void cluster_rx_destroy(struct cluster_rx_dut *dut);
void cluster_rx_reset(struct cluster_rx_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void cluster_rx_clock(struct cluster_rx_dut *dut, const struct cluster_rx_in *in, struct cluster_rx_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_CLUSTER_RX_DUT_H */
