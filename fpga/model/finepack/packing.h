/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packing of a flushed queue into several packets (MODE.PACKING; docs/wire-format.md, "Packing"). Runs are in address order
 * and may span lines, so that packets have few sub-headers; a run that is alone in its packet has none. No packet takes more
 * bytes than its runs do as plain writes.
 */
#ifndef GLK_PACKING_H
#define GLK_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finepack/packetizer.h"
#include "finepack/runs.h"
#include "finepack/write_queue.h"

/** The most runs in a packet. */
#define GLK_PACKING_RUNS 256u

/** An iterator over the packets of a queue that is not empty. Its members are private. */
struct glk_packing_walk {
	struct glk_runs all;
	unsigned at;
};

/** Starts a walk; the queue must not change until it ends. */
void glk_packing_start(struct glk_packing_walk *walk, const struct glk_write_queue *queue);

/** Builds the next packet; *sub_packets: how many it has. `self_describe`: as for glk_packetizer_build(). `compact`: in the
 * compact form if that takes fewer bytes. Returns the size of the packet in bytes, padding included, or 0 when no run is left.
 */
size_t glk_packing_build(struct glk_packing_walk *walk, bool self_describe, bool compact, uint8_t packet[GLK_PACKET_ROOM],
			 unsigned *sub_packets);

#endif /* GLK_PACKING_H */
