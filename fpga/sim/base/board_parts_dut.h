/* SPDX-License-Identifier: Apache-2.0 */
/* C interface to board_parts_bench: inputs are set, clocks rise, outputs follow. */
#ifndef GLK_BOARD_PARTS_DUT_H
#define GLK_BOARD_PARTS_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct board_parts_pins {
	/* Inputs */
	bool rst, t_rst, clear, answer;
	unsigned valid, ready;
	uint32_t answer_data;
	/* Outputs */
	bool read, ext_tag;
	unsigned moved, waited, address;
	uint64_t now_ns, serial;
};

struct board_parts_dut *board_parts_create(const char *wave);
void board_parts_destroy(struct board_parts_dut *dut);
/* The card's clock, that which never stops, or both rise; then the outputs. */
void board_parts_rise(struct board_parts_dut *dut, struct board_parts_pins *pins, bool card, bool timer);

#ifdef __cplusplus
}
#endif

#endif /* GLK_BOARD_PARTS_DUT_H */
