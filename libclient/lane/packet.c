// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include <endian.h>
#include <string.h>

#include "../gpulink_lane.h"

#define WIDTH_MIN 5u
#define WIDTH_MAX 6u
#define RUN_MAX	  ((1u << GLK_SUBHEADER_LENGTH_BITS) - 1)

size_t glk_packet_finish(uint8_t *packet, size_t payload, unsigned partition, unsigned width, uint64_t low)
{
	size_t dwords = (payload + 3) / 4, padding = 4 * dwords - payload;
	uint64_t address = htobe64((uint64_t)partition << 48 | low);

	memset(packet, 0, 8);
	packet[0] = 0x7c;
	packet[2] = (uint8_t)(dwords >> 8 & 3);
	packet[3] = (uint8_t)dwords;
	packet[7] = (uint8_t)(((1u << (4 - padding)) - 1) << 4 | width);
	memcpy(packet + 8, &address, 8);
	memset(packet + GLK_PACKET_HEADER + payload, 0, padding);
	return 4 * dwords;
}

/* Bytes of the payload; 0: not a packet of this form. */
static size_t payload_of(const uint8_t *packet, size_t bytes)
{
	size_t length = bytes - GLK_PACKET_HEADER, padding = 4;
	uint8_t last = packet[7] >> 4, width = packet[7] & 15;

	if (bytes <= GLK_PACKET_HEADER || bytes > GLK_PACKET_MAX || length % 4 || width < WIDTH_MIN || width > WIDTH_MAX ||
	    ((size_t)packet[2] << 8 | packet[3]) != (length / 4 & 1023) || packet[0] != 0x7c || packet[1] ||
	    packet[4] || packet[5] || packet[6] || !last || (last & (last + 1)))
		return 0;
	for (; last; last >>= 1)
		padding--;
	for (size_t i = 0; i < padding; i++)
		if (packet[bytes - 1 - i])
			return 0;
	return length - padding;
}

/* Whether all sub-packets are whole, and in the window and the `room` bytes behind its start. */
static bool valid(struct glk_packet p, uint64_t room)
{
	room = room < glk_packet_window(p.width) ? room : glk_packet_window(p.width);
	while (p.at < p.end) {
		uint64_t header;
		size_t length;

		if ((size_t)(p.end - p.at) <= p.width)
			return false;
		header = glk_packet_sub_header(&p);
		length = glk_packet_length(header);
		if (length > (size_t)(p.end - p.at) - p.width || (header >> GLK_SUBHEADER_LENGTH_BITS) + length > room)
			return false;
		p.at += p.width + length;
	}
	return true;
}

bool glk_packet_open(const uint8_t *packet, size_t bytes, unsigned partition, uint64_t room, struct glk_packet *opened)
{
	size_t payload = bytes < GLK_PACKET_HEADER ? 0 : payload_of(packet, bytes);
	struct glk_packet p = { .at = packet + GLK_PACKET_HEADER, .end = packet + GLK_PACKET_HEADER + payload };
	uint64_t address;

	if (!payload)
		return false;
	memcpy(&address, packet + 8, 8);
	address = be64toh(address);
	p.width = packet[7] & 15;
	p.low = address & ((UINT64_C(1) << 48) - 1);
	if (address >> 48 != partition || p.low & (glk_packet_window(p.width) - 1) || p.low > room || !valid(p, room - p.low))
		return false;
	*opened = p;
	return true;
}

static inline void write_data(uint8_t *to, const uint8_t *from, size_t length)
{
	if (length == 8) { /* most are */
		memcpy(to, from, 8);
		return;
	}
	for (; length >= 16; length -= 16, to += 16, from += 16)
		memcpy(to, from, 16);
	gpulink_lane_copy(to, from, length);
}

void glk_packet_write(uint8_t *to, const uint8_t *from, size_t length)
{
	write_data(to, from, length);
}

void glk_packet_fetch(struct glk_packet packet, const uint8_t *memory)
{
	uint64_t offset;
	const uint8_t *data;
	size_t bytes;

	while (glk_packet_next(&packet, &offset, &data, &bytes))
		__builtin_prefetch(memory + offset, 1);
}

/* Words of 8 bytes, as most are, by a branch of their own: where it is predicted, a sub-packet does not wait for the length
 * before. */
static inline __attribute__((always_inline)) uint64_t packet_apply(struct glk_packet packet, uint8_t *memory)
{
	uint64_t offset, count = 0;
	const uint8_t *data;
	size_t bytes;

	memory += packet.low;
	packet.low = 0;
	for (; packet.at != packet.end; count++) {
		uint64_t header = glk_packet_sub_header(&packet);

		if (__builtin_expect((header & ((1u << GLK_SUBHEADER_LENGTH_BITS) - 1)) == 8, 1)) {
			memcpy(memory + (header >> GLK_SUBHEADER_LENGTH_BITS), packet.at + packet.width, 8);
			packet.at += packet.width + 8;
			continue;
		}
		glk_packet_next(&packet, &offset, &data, &bytes);
		write_data(memory + offset, data, bytes);
	}
	return count;
}

uint64_t glk_packet_apply(struct glk_packet packet, uint8_t *memory)
{
	if (packet.width != WIDTH_MIN)
		return packet_apply(packet, memory);
	packet.width = WIDTH_MIN; /* compiled for it: most have it */
	return packet_apply(packet, memory);
}

/* The word at `at`. Its offset is the upper bits of the 8 bytes that end with the sub-header: before the payload is the header.
 */
static inline __attribute__((always_inline)) void apply_word(const uint8_t *at, unsigned width, uint8_t *memory)
{
	uint64_t header;

	memcpy(&header, at + width - 8, 8);
	memcpy(memory + (le64toh(header) >> (64 - 8 * width + GLK_SUBHEADER_LENGTH_BITS)), at + width, 8);
}

static inline __attribute__((always_inline)) void apply_words(const uint8_t *at, const uint8_t *end, unsigned width,
							      uint8_t *memory)
{
	size_t each = width + 8;

	for (; (size_t)(end - at) >= 4 * each; at += 4 * each)
#pragma GCC unroll 4
		for (unsigned i = 0; i < 4; i++)
			apply_word(at + i * each, width, memory);
	for (; at != end; at += each)
		apply_word(at, width, memory);
}

void glk_packet_apply_words(struct glk_packet packet, uint8_t *memory)
{
	memory += packet.low;
	if (packet.width == WIDTH_MIN)
		apply_words(packet.at, packet.end, WIDTH_MIN, memory);
	else
		apply_words(packet.at, packet.end, WIDTH_MAX, memory);
}

int64_t glk_packet_receive(const uint8_t *packet, size_t bytes, unsigned partition, uint8_t *memory, uint64_t memory_bytes)
{
	struct glk_packet opened;

	if (!glk_packet_open(packet, bytes, partition, memory_bytes, &opened))
		return -1;
	glk_packet_fetch(opened, memory);
	return (int64_t)glk_packet_apply(opened, memory);
}

/* Bytes of the packet with the next of the runs of `left` bytes. Returns how many are left behind it. */
static size_t count_packet(size_t left, unsigned most, struct gpulink_counters *c)
{
	size_t payload = 0;

	while (left && payload + WIDTH_MIN < most) {
		size_t room = most - payload - WIDTH_MIN, run = room < RUN_MAX ? room : RUN_MAX;

		run = run < left ? run : left;
		payload += WIDTH_MIN + run;
		left -= run;
		c->sub_packets++;
		c->endpoint_writes++;
	}
	c->packets++;
	c->flush_drain++;
	c->payload_bytes += payload;
	c->wire_bytes += (payload + 3) / 4 * 4 + GLK_TLP_OVERHEAD_BYTES;
	return left;
}

void glk_packet_count(uint64_t offset, size_t bytes, unsigned most, struct gpulink_counters *c)
{
	uint64_t writes = (offset + bytes - 1) / most - offset / most + 1; /* plain ones do not cross a multiple of it */

	c->stores++;
	c->store_bytes += bytes;
	c->endpoint_bytes += bytes;
	c->raw_wire_bytes += (offset % 4 + bytes + 3) / 4 * 4 + GLK_TLP_OVERHEAD_BYTES * writes;
	for (size_t left = bytes; left;)
		left = count_packet(left, most, c);
}
