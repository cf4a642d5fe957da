/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of lanes: self-describing, with sub-headers of 5 or 6 bytes, to memory of one process (docs/wire-format.md). */
#ifndef GLK_LANE_PACKET_H
#define GLK_LANE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpulink_regs.h>

#include "../gpulink.h"

#define GLK_PACKET_HEADER 16u
#define GLK_PACKET_SLACK  16u /* behind the payload: sub-headers are read and written as words */
#define GLK_PACKET_MAX	  (GLK_PACKET_HEADER + GLK_PAYLOAD_MAX) /* header, payload and padding */

/** Bytes of the address window of packets with sub-headers of this width. */
static inline uint64_t glk_packet_window(unsigned width)
{
	return UINT64_C(1) << (8 * width - GLK_SUBHEADER_LENGTH_BITS);
}

/** A valid packet, and how far it has been read. */
struct glk_packet {
	const uint8_t *at, *end; /* of the payload; GLK_PACKET_SLACK bytes behind are readable */
	unsigned width;
	uint64_t low; /* start of the address window in the partition's memory */
};

/**
 * Completes a packet: writes its header, before the payload, and the padding behind. `low`: the address window's start in the
 * partition's memory. Returns the bytes of payload and padding.
 */
size_t glk_packet_finish(uint8_t *packet, size_t payload, unsigned partition, unsigned width, uint64_t low);

/**
 * Checks a packet of a stranger that has `bytes` bytes and GLK_PACKET_SLACK readable bytes behind. False: it is malformed, to
 * another partition, or to bytes beyond `room`.
 */
bool glk_packet_open(const uint8_t *packet, size_t bytes, unsigned partition, uint64_t room, struct glk_packet *opened);

/** Writes the data of a sub-packet. */
void glk_packet_write(uint8_t *to, const uint8_t *data, size_t bytes);

/** Asks for the lines of all sub-packets, so that writing them does not wait for one after the other. */
void glk_packet_fetch(struct glk_packet packet, const uint8_t *memory);

/** Writes the sub-packets to the partition's memory. Returns their number. */
uint64_t glk_packet_apply(struct glk_packet packet, uint8_t *memory);

/** Writes the sub-packets of one's own packet that all have 8 bytes. */
void glk_packet_apply_words(struct glk_packet packet, uint8_t *memory);

/** Opens and applies a packet of a stranger. Returns the number of sub-packets, or -1: nothing was written. */
int64_t glk_packet_receive(const uint8_t *packet, size_t bytes, unsigned partition, uint8_t *memory, uint64_t memory_bytes);

/** Counts a store of 1 to 4096 bytes that was copied to an endpoint's memory as the packets of up to `most` bytes of payload it
 * would fill. */
void glk_packet_count(uint64_t offset, size_t bytes, unsigned most, struct gpulink_counters *counters);

/** A sub-header, and the slack that is read with it. */
static inline uint64_t glk_packet_sub_header(const struct glk_packet *packet)
{
	uint64_t header;

	__builtin_memcpy(&header, packet->at, 8);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	header = __builtin_bswap64(header);
#endif
	return header & ((UINT64_C(1) << 8 * packet->width) - 1);
}

static inline size_t glk_packet_length(uint64_t header)
{
	size_t length = header & ((1u << GLK_SUBHEADER_LENGTH_BITS) - 1);

	return length ? length : 1u << GLK_SUBHEADER_LENGTH_BITS;
}

/** The partition that a packet of a stranger names. */
static inline unsigned glk_packet_partition(const uint8_t *packet, size_t bytes)
{
	return bytes < GLK_PACKET_HEADER ? UINT16_MAX : (unsigned)packet[8] << 8 | packet[9];
}

/** The next sub-packet: its offset in the partition's memory, and data. False: there are no more. */
static inline bool glk_packet_next(struct glk_packet *packet, uint64_t *offset, const uint8_t **data, size_t *bytes)
{
	uint64_t header;

	if (packet->at == packet->end)
		return false;
	header = glk_packet_sub_header(packet);
	*offset = packet->low + (header >> GLK_SUBHEADER_LENGTH_BITS);
	*data = packet->at + packet->width;
	*bytes = glk_packet_length(header);
	packet->at = *data + *bytes;
	return true;
}

#endif /* GLK_LANE_PACKET_H */
