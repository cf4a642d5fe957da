/* SPDX-License-Identifier: Apache-2.0 */
/* The Verilated glk_far_ask, a clock at a time, for benches in C. */
#ifndef GLK_FAR_ASK_DUT_H
#define GLK_FAR_ASK_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FAR_ASK_PARTITIONS = 16, FAR_ASK_BEAT = 64 }; /* at most */

struct far_ask_in {
	bool session;
	uint64_t now_ns;
	bool trimming;
	unsigned trim_code;
	uint64_t timeout_ns;
	uint64_t far_partition; /* 4 bits each */
	bool sent_valid, lost_valid;
	unsigned sent_far, lost_partition, under_way;
	bool q_valid, a_ready;
	unsigned q_partition;
	bool l_valid, l_atomic;
	unsigned l_partition, l_length, l_operation;
	uint64_t l_offset, l_operand, l_compare;
	unsigned each_reached, is_far;
	bool ask_valid;
	unsigned ask_partition, look_partition;
	bool m_ready;
	bool s_valid, s_first, s_last;
	unsigned s_kind, s_bytes;
	uint8_t s_data[16];
};

struct far_ask_out {
	bool q_ready, a_valid, a_error, a_one;
	unsigned a_partition;
	bool l_ready, b_valid, b_error, b_last;
	uint8_t b_data[FAR_ASK_BEAT];
	unsigned each_take;
	uint64_t far_bytes;
	bool m_valid, m_last;
	unsigned m_kind;
	uint8_t m_data[16];
	bool s_ready, stray, timeout, idle;
};

struct far_ask_dut;

struct far_ask_dut *far_ask_dut_create(const char *wave);
void far_ask_dut_destroy(struct far_ask_dut *dut);
unsigned far_ask_dut_lanes(void);
unsigned far_ask_dut_partitions(void);
void far_ask_dut_reset(struct far_ask_dut *dut);
/* Shows `in`, tells what comes out before the clock's edge, and clocks. */
void far_ask_dut_clock(struct far_ask_dut *dut, const struct far_ask_in *in, struct far_ask_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_FAR_ASK_DUT_H */
