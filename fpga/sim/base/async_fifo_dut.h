/* SPDX-License-Identifier: Apache-2.0 */
/* C interface to glk_async_fifo: inputs are set, clocks rise, outputs follow. */
#ifndef GLK_ASYNC_FIFO_DUT_H
#define GLK_ASYNC_FIFO_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct async_fifo_pins {
	bool s_rst, s_valid, m_rst, m_ready; /* inputs */
	uint64_t s_data;
	bool s_ready, s_up, m_valid; /* outputs */
	unsigned s_room;
	uint64_t m_data;
};

unsigned async_fifo_depth(void);
struct async_fifo_dut *async_fifo_create(const char *wave);
void async_fifo_destroy(struct async_fifo_dut *dut);
/* Both clocks or one rise; then the outputs. */
void async_fifo_rise(struct async_fifo_dut *dut, struct async_fifo_pins *pins, bool s, bool m);

#ifdef __cplusplus
}
#endif

#endif /* GLK_ASYNC_FIFO_DUT_H */
