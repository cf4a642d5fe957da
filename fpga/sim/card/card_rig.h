/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card in a rig for measurements: endpoints that only count what arrives, each with a window, and context 0 with rings, a
 * completion record and registered memory. Reads of host memory are answered after RIG_READ_CLOCKS clocks.
 */
#ifndef GLK_CARD_RIG_H
#define GLK_CARD_RIG_H

#include <stdint.h>

#include <gpulink_regs.h>

#include "card_dut.h"

enum {
	RIG_READ_CLOCKS = 100, /* 0.4 us at 250 MHz */
	RIG_ORDER = 9,
	RIG_ENTRIES = 1 << RIG_ORDER,
	RIG_DATA_BYTES = 1 << 20, /* registered, as registration 0 */
};

struct rig {
	struct card_dut *dut;
	unsigned partitions;
	uint64_t window_bytes;	/* of each partition's window */
	unsigned window_slices; /* the window of partition p begins at slice p * window_slices */
	uint64_t arrived;	/* bytes */
	uint64_t released;	/* the record */
	uint16_t tail, completed, failed;
	uint64_t sq[RIG_ENTRIES][GLK_SQE_BYTES / 8];
	uint64_t pages[2]; /* of the registration */
};

/* Creates the card; `read_clocks` of flush reads too. Ends the program after an error. */
void rig_start(struct rig *rig, unsigned partitions, unsigned read_clocks);
/* How all partitions collect and leave: their register MODE. plain until then. */
void rig_mode(struct rig *rig, uint64_t mode);
/* Ends the program if the card violated its protocols. */
void rig_stop(struct rig *rig);

/* Clocks until the card is idle. */
void rig_settle(struct rig *rig);
/* A store into the window of a partition, which may not cross a page; clocks until it is queued. */
void rig_store(struct rig *rig, unsigned partition, uint64_t offset, unsigned bytes);
/* Queues a release by the doorbell page, and clocks until it is complete. */
void rig_release(struct rig *rig);
/* Writes an entry; rig_submit() rings the doorbell, and clocks until all entries are complete. */
void rig_entry(struct rig *rig, unsigned opcode, uint64_t offset, unsigned bytes);
void rig_submit(struct rig *rig);

#endif /* GLK_CARD_RIG_H */
