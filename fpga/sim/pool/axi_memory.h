/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory on AXI4 as unhelpful as the protocol permits: random latencies and back-pressure, a write is done between its last
 * beat and its answer, a read's data is taken between its request and its last beat. Requests of a direction are in order (one
 * ID).
 */
#ifndef GLK_AXI_MEMORY_H
#define GLK_AXI_MEMORY_H

#include <chance.h>

#include "pool_axi_dut.h"

#define AXI_MEMORY_BYTES 0x10000u
#define AXI_MEMORY_WRONG 0xe000u /* errors from here on */
#define AXI_MEMORY_QUEUE 64u	 /* a power of two */

struct axi_burst {
	uint64_t address, due; /* in clocks: when the answer may come */
	unsigned beats;
	bool early; /* the memory is read or written as soon as possible */
	uint8_t data[4096];
};

struct axi_memory {
	struct chance *chance;
	uint8_t bytes[AXI_MEMORY_BYTES];
	struct axi_burst write[AXI_MEMORY_QUEUE], read[AXI_MEMORY_QUEUE];
	/* Beats of writes, which may come before their address. */
	struct {
		uint8_t data[POOL_AXI_LANES];
		uint64_t strobes;
		bool last;
	} beat[4096];
	uint64_t clock, aw, b, ar, r, w_came, w_used, w_done;
	unsigned ready_rate, latency, w_at, r_at;
	const char *failure;
	uint64_t write_errors, read_errors, bursts;
};

void axi_memory_start(struct axi_memory *m, struct chance *chance);
/* What happens at a clock edge of the memory, from the pins ahead of it; sets the pins that the memory drives behind it. */
void axi_memory_clock(struct axi_memory *m, struct pool_axi_pins *p);

#endif /* GLK_AXI_MEMORY_H */
