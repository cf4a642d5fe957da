/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of lanes: self-describing, with sub-headers of 5 bytes, to memory of one process (docs/wire-format.md). */
#ifndef GLK_LANE_PACKET_H
#define GLK_LANE_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include <gpulink_regs.h>

#define GLK_PACKET_HEADER 16u
#define GLK_PACKET_WIDTH  5u /* bytes of a sub-header: packets of 1 GiB */
#define GLK_PACKET_WINDOW (UINT64_C(1) << (8 * GLK_PACKET_WIDTH - GLK_SUBHEADER_LENGTH_BITS))
#define GLK_PACKET_SLACK  16u /* behind the payload: sub-headers are read and written as words */
#define GLK_PACKET_MAX	  (GLK_PACKET_HEADER + GLK_PAYLOAD_MAX) /* header, payload and padding */

/**
 * Completes a packet: writes its header, before the payload, and the padding behind. `low`: the address window's start in the
 * partition's memory. Returns the bytes of payload and padding.
 */
size_t glk_packet_finish(uint8_t *packet, size_t payload, unsigned partition, uint64_t low);

/** Sub-packets of a valid payload, which has GLK_PACKET_SLACK readable bytes behind, as below. */
uint64_t glk_packet_count(const uint8_t *payload, size_t bytes);

/** Applies a valid payload to the memory at the start of its address window. Returns the number of sub-packets. */
uint64_t glk_packet_apply(const uint8_t *payload, size_t bytes, uint8_t *base);

/**
 * Checks a packet of a stranger that has `bytes` bytes and GLK_PACKET_SLACK readable bytes behind, and applies it. Returns the number of
 * sub-packets, or -1: it is malformed, to another partition, or exceeds the memory; nothing was written.
 */
int64_t glk_packet_receive(const uint8_t *packet, size_t bytes, unsigned partition, uint8_t *memory, uint64_t memory_bytes);

/** Bytes of a packet's payload; 0: it is not of this form. `bytes` must be at least GLK_PACKET_HEADER. */
size_t glk_packet_payload(const uint8_t *packet, size_t bytes);

#endif /* GLK_LANE_PACKET_H */
