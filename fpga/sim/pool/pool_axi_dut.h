/* SPDX-License-Identifier: Apache-2.0 */
/* C interface to pool_axi_bench: inputs are set, clocks rise, outputs follow. */
#ifndef GLK_POOL_AXI_DUT_H
#define GLK_POOL_AXI_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POOL_AXI_LANES 64u /* at most */

struct pool_axi_pins {
	/* Inputs */
	bool rst, mem_rst, p_write, p_last, p_valid, q_ready, m_rst, awready, wready, bvalid, arready, rlast, rvalid;
	unsigned p_length, bresp, rresp;
	uint64_t p_offset;
	uint8_t p_data[POOL_AXI_LANES], rdata[POOL_AXI_LANES];
	/* Outputs */
	bool p_ready, q_last, q_valid, e_write, e_read, awvalid, wlast, wvalid, bready, arvalid, rready;
	unsigned awlen, arlen;
	uint64_t awaddr, araddr, wstrb, error_write_page, error_read_page;
	uint8_t q_data[POOL_AXI_LANES], wdata[POOL_AXI_LANES];
};

unsigned pool_axi_lanes(void);
struct pool_axi_dut *pool_axi_create(const char *wave);
void pool_axi_destroy(struct pool_axi_dut *dut);
/* The card's clock, the memory's, or both rise; then the outputs. */
void pool_axi_rise(struct pool_axi_dut *dut, struct pool_axi_pins *pins, bool card, bool memory);

#ifdef __cplusplus
}
#endif

#endif /* GLK_POOL_AXI_DUT_H */
