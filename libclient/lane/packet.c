// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "../gpulink_lane.h"

#define WIDTH  GLK_PACKET_WIDTH
#define WINDOW GLK_PACKET_WINDOW
#define AHEAD  24u /* sub-packets whose lines are fetched before they are written */

static uint64_t sub_header(const uint8_t *at)
{
	uint64_t header;

	memcpy(&header, at, 8); /* there is slack behind the payload */
	return le64toh(header) & ((UINT64_C(1) << 8 * WIDTH) - 1);
}

static size_t length_of(uint64_t header)
{
	size_t length = header & ((1u << GLK_SUBHEADER_LENGTH_BITS) - 1);

	return length ? length : 1u << GLK_SUBHEADER_LENGTH_BITS;
}

/* Aligned words are written whole. */
static void write_run(uint8_t *to, const uint8_t *from, size_t length)
{
	if (length == 8)
		memcpy(to, from, 8);
	else if (length < GPULINK_LANE_SMALL)
		gpulink_lane_copy(to, from, length);
	else
		memcpy(to, from, length);
}

/* Fetches the first and last line of a sub-packet. Returns the next one. */
static const uint8_t *fetch(const uint8_t *at, uint8_t *base)
{
	uint64_t header = sub_header(at);
	size_t length = length_of(header);
	uint8_t *to = base + (header >> GLK_SUBHEADER_LENGTH_BITS);

	__builtin_prefetch(to, 1);
	__builtin_prefetch(to + length - 1, 1);
	return at + WIDTH + length;
}

uint64_t glk_packet_apply(const uint8_t *payload, size_t bytes, uint8_t *base)
{
	const uint8_t *at = payload, *ahead = at, *end = at + bytes;
	uint64_t count = 0;

	for (unsigned i = 0; i < AHEAD && ahead < end; i++)
		ahead = fetch(ahead, base);
	for (; at < end; count++) {
		uint64_t header = sub_header(at);
		size_t length = length_of(header);

		if (ahead < end)
			ahead = fetch(ahead, base);
		write_run(base + (header >> GLK_SUBHEADER_LENGTH_BITS), at + WIDTH, length);
		at += WIDTH + length;
	}
	return count;
}

uint64_t glk_packet_count(const uint8_t *payload, size_t bytes)
{
	const uint8_t *at = payload, *end = at + bytes;
	uint64_t count = 0;

	for (; at < end; count++)
		at += WIDTH + length_of(sub_header(at));
	return count;
}

size_t glk_packet_finish(uint8_t *packet, size_t payload, unsigned partition, uint64_t low)
{
	size_t dwords = (payload + 3) / 4, padding = 4 * dwords - payload;
	uint64_t address = htobe64((uint64_t)partition << 48 | low);

	memset(packet, 0, 8);
	packet[0] = 0x7c;
	packet[2] = (uint8_t)(dwords >> 8 & 3);
	packet[3] = (uint8_t)dwords;
	packet[7] = (uint8_t)(((1u << (4 - padding)) - 1) << 4 | WIDTH);
	memcpy(packet + 8, &address, 8);
	memset(packet + GLK_PACKET_HEADER + payload, 0, padding);
	return 4 * dwords;
}

/* Whether all sub-packets are whole and in the window and the `room` bytes behind its start. */
static bool valid(const uint8_t *at, const uint8_t *end, uint64_t room)
{
	room = room < WINDOW ? room : WINDOW;
	while (at < end) {
		uint64_t header;
		size_t length;

		if ((size_t)(end - at) <= WIDTH)
			return false;
		header = sub_header(at);
		length = length_of(header);
		if (length > (size_t)(end - at) - WIDTH || (header >> GLK_SUBHEADER_LENGTH_BITS) + length > room)
			return false;
		at += WIDTH + length;
	}
	return true;
}

size_t glk_packet_payload(const uint8_t *packet, size_t bytes)
{
	size_t length = bytes - GLK_PACKET_HEADER, padding = 4;
	uint8_t last = packet[7] >> 4;

	if (bytes <= GLK_PACKET_HEADER || bytes > GLK_PACKET_MAX || length % 4 || (packet[7] & 15) != WIDTH ||
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

int64_t glk_packet_receive(const uint8_t *packet, size_t bytes, unsigned partition, uint8_t *memory, uint64_t memory_bytes)
{
	const uint8_t *at = packet + GLK_PACKET_HEADER;
	size_t payload = bytes < GLK_PACKET_HEADER ? 0 : glk_packet_payload(packet, bytes);
	uint64_t address, low;

	if (!payload)
		return -1;
	memcpy(&address, packet + 8, 8);
	address = be64toh(address);
	low = address & ((UINT64_C(1) << 48) - 1);
	if (address >> 48 != partition || low & (WINDOW - 1) || low > memory_bytes || !valid(at, at + payload, memory_bytes - low))
		return -1;
	return (int64_t)glk_packet_apply(at, payload, memory + low);
}
