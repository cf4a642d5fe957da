/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packetizer: builds a FinePack packet from the contents of a write queue (docs/wire-format.md, "The packet";
 * FinePack IV-A).
 */
#ifndef GLK_PACKETIZER_H
#define GLK_PACKETIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finepack/compact.h"
#include "finepack/write_queue.h"

#define GLK_PACKET_HEADER_BYTES 16u
#define GLK_PACKET_BYTES_MAX	(GLK_PACKET_HEADER_BYTES + GLK_PAYLOAD_MAX)
#define GLK_PACKET_FMT_TYPE	0x7cu /* byte 0: Fmt 011, Type 11100 */

#define GLK_PACKET_PARTITION	9u    /* the header byte that holds the address's partition */

#define GLK_LINK_PARTITION_SHIFT 48u /* bits 55:48 of a link address: the partition */
#define GLK_LINK_OFFSET_MASK	 ((1ULL << GLK_LINK_PARTITION_SHIFT) - 1)

/** Link address of a byte of an endpoint's memory. */
static inline uint64_t glk_link_address(unsigned partition, uint64_t offset)
{
	return ((uint64_t)partition << GLK_LINK_PARTITION_SHIFT) | offset;
}

/* Size of a packet buffer: sub-headers are written as whole words, up to 6 bytes past the packet. */
#define GLK_PACKET_ROOM (GLK_PACKET_BYTES_MAX + 8u)

/** The smallest H whose window covers all entries of a queue that is not empty; at most the queue's own H. */
unsigned glk_packetizer_narrowest(const struct glk_write_queue *queue);

/**
 * Builds the packet of a queue that is not empty; the queue is not changed. `width`: H of the packet, from
 * glk_packetizer_narrowest() to the queue's own. `self_describe`: First BE carries H; otherwise First BE is 0, and `width` must
 * be the queue's own H. Returns the size of the packet in bytes, padding included.
 */
size_t glk_packetizer_build(const struct glk_write_queue *queue, unsigned width, bool self_describe,
			    uint8_t packet[GLK_PACKET_ROOM]);

/** Adds header and padding to a payload that is in place: sub-packets, or the compact form, whose first run is at `address`.
 * Return the size of the packet. */
size_t glk_packetizer_finish(uint8_t packet[GLK_PACKET_ROOM], uint64_t base, unsigned first_be, size_t payload);
size_t glk_packetizer_finish_compact(uint8_t packet[GLK_PACKET_ROOM], uint64_t address, const struct glk_compact_coding *coding,
				     size_t payload);

/** Builds the next packet of a walk in the compact form (compact.h), where adjacent bytes of two lines form one run; *runs: the
 *  number of runs. Returns the size of the packet as above, or 0 when no run is left. */
size_t glk_packetizer_build_compact(struct glk_compact_walk *walk, uint8_t packet[GLK_PACKET_ROOM], unsigned *runs);

#endif /* GLK_PACKETIZER_H */
