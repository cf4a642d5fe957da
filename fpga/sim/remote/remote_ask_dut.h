/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_remote_ask. */
#ifndef GLK_REMOTE_ASK_DUT_H
#define GLK_REMOTE_ASK_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { REMOTE_ASK_PARTITIONS = 16, REMOTE_ASK_BEAT = 64 }; /* maximum */

struct remote_ask_in {
	bool session;
	uint64_t now_ns;
	bool trimming;
	unsigned trim_code;
	uint64_t timeout_ns;
	uint64_t remote_partition; /* 4 bits per partition */
	bool sent_valid, lost_valid;
	unsigned sent_remote, lost_partition, under_way;
	bool flush_valid, flush_q_ready;
	unsigned flush_partition;
	bool load_valid, load_atomic;
	unsigned load_partition, load_length, load_operation;
	uint64_t load_offset, load_operand, load_compare;
	unsigned each_reached, is_remote;
	bool ask_valid;
	unsigned ask_partition, look_partition;
	bool m_ready;
	bool s_valid, s_first, s_last;
	unsigned s_kind, s_bytes;
	uint8_t s_data[16];
};

struct remote_ask_out {
	bool flush_ready, flush_q_valid, flush_q_error, flush_q_one;
	unsigned flush_q_partition;
	bool load_ready, load_q_valid, load_q_error, load_q_last;
	uint8_t load_q_data[REMOTE_ASK_BEAT];
	unsigned each_take;
	uint64_t remote_bytes;
	bool m_valid, m_last;
	unsigned m_kind;
	uint8_t m_data[16];
	bool s_ready, stray, timeout, idle;
};

struct remote_ask_dut;

struct remote_ask_dut *remote_ask_dut_create(const char *wave);
void remote_ask_dut_destroy(struct remote_ask_dut *dut);
unsigned remote_ask_dut_lanes(void);
unsigned remote_ask_dut_partitions(void);
void remote_ask_dut_reset(struct remote_ask_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void remote_ask_dut_clock(struct remote_ask_dut *dut, const struct remote_ask_in *in, struct remote_ask_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_REMOTE_ASK_DUT_H */
