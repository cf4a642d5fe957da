/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_remote_send. */
#ifndef GLK_REMOTE_SEND_DUT_H
#define GLK_REMOTE_SEND_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct remote_send_dut;

struct remote_send_in {
	bool session, peer_compact, hold;
	bool remote[16];
	unsigned remote_partition[16];
	uint8_t data[64]; /* a packet of the card */
	unsigned bytes;
	bool last, valid;
	bool local_ready, flit_ready, posted_ready;
};

struct remote_send_out {
	bool ready;
	uint8_t local[64];
	unsigned local_bytes;
	bool local_last, local_valid;
	uint8_t flit[16];
	bool flit_last, flit_valid;
	bool sent, lost, posted, passed, passed_remote, arrived;
	unsigned sent_remote, lost_partition, posted_partition;
};

struct remote_send_dut *remote_send_dut_create(const char *wave);
void remote_send_dut_destroy(struct remote_send_dut *dut);
/* Asserts `rst` in whatever goes on; then the inputs are `in`. */
void remote_send_dut_reset(struct remote_send_dut *dut, const struct remote_send_in *in);
unsigned remote_send_dut_lanes(void);
unsigned remote_send_dut_partitions(void);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void remote_send_dut_clock(struct remote_send_dut *dut, const struct remote_send_in *in, struct remote_send_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_REMOTE_SEND_DUT_H */
