/* SPDX-License-Identifier: Apache-2.0 */
/* C interface to link_clock_bench: inputs are set, clocks rise, outputs follow. */
#ifndef GLK_LINK_CLOCK_DUT_H
#define GLK_LINK_CLOCK_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct link_clock_block {
	uint64_t data[2];
	bool control;
};

struct link_clock_pins {
	bool rst, s_valid, m_freed, w_rst, tx_ready, rx_valid, rx_up; /* inputs */
	unsigned session;
	uint64_t flit;
	struct link_clock_block rx;
	bool s_ready, c_valid, m_valid, up, e_ended, e_replay, e_crc, e_lost, tx_valid; /* outputs */
	unsigned c_class, c_pieces;
	uint64_t came;
	struct link_clock_block tx;
};

struct link_clock_dut *link_clock_create(const char *wave);
void link_clock_destroy(struct link_clock_dut *dut);
/* The card's clock, the transceivers', or both rise; then the outputs. */
void link_clock_rise(struct link_clock_dut *dut, struct link_clock_pins *pins, bool card, bool wire);

#ifdef __cplusplus
}
#endif

#endif /* GLK_LINK_CLOCK_DUT_H */
