/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_link_registers. */
#ifndef GLK_LINK_REGISTERS_DUT_H
#define GLK_LINK_REGISTERS_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One-bit event inputs (e_*). */
enum link_event {
	LINK_FLIT,
	LINK_PACKET,
	LINK_REFUSED,
	LINK_STITCHED,
	LINK_PARTIAL,
	LINK_PARENT,
	LINK_OUT,
	LINK_PADDED,
	LINK_POOLED,
	LINK_POOL_TIMED_OUT,
	LINK_UP,
	LINK_RESUMED,
	LINK_DOWN,
	LINK_FRAME_SENT,
	LINK_FRAME_RECEIVED,
	LINK_REPLAY,
	LINK_FRAME_REPLAYED,
	LINK_FRAME_REPEATED,
	LINK_CRC,
	LINK_SEQUENCE,
	LINK_PROTOCOL,
	LINK_VERSION,
	LINK_FLIT_RECEIVED,
	LINK_CREDIT_STALL,
	LINK_STRAY,
	LINK_TIMEOUT,
	LINK_GIVEN_UP,
	LINK_LOST,
	LINK_SERVED,
	LINK_DENIED,
	LINK_TRIMMED,
	LINK_WAITED,
	LINK_EVENTS
};

struct link_registers_in {
	bool clear, take, snapshot;
	unsigned word;
	uint64_t value;
	bool up, session;
	unsigned cluster, peer_cluster, places;
	bool peer_compact;
	uint64_t peer_serial;
	bool events[LINK_EVENTS];
	unsigned kind, pool_stitched, lost, trimmed, waited_kind, waited_clocks;
};

struct link_registers_out {
	uint64_t shown;
	bool allowed, snapshot_done, changed; /* changed: e_link */
	unsigned control;		      /* settings, encoded as in the register */
	unsigned pool_cycles, burst, trim_code;
	uint64_t timeout_ns;
};

struct link_registers_dut;

struct link_registers_dut *link_registers_dut_create(const char *wave);
/* Power-on reset, with the inputs last applied. */
void link_registers_dut_reset(struct link_registers_dut *dut);
void link_registers_dut_destroy(struct link_registers_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void link_registers_dut_clock(struct link_registers_dut *dut, const struct link_registers_in *in,
			      struct link_registers_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_LINK_REGISTERS_DUT_H */
