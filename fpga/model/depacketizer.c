// SPDX-License-Identifier: Apache-2.0
#include "depacketizer.h"

#include <string.h>

#include "bytes.h"
#include "compact.h"

struct sub_packet {
	uint64_t offset; /* from the base */
	size_t length;
	const uint8_t *data;
};

/* How far the reading of a payload is. */
struct cursor {
	size_t at;
	uint64_t end; /* of the sub-packet read last, as an offset: the compact form goes on from there */
};

static bool next_compact(const struct glk_accepted *packet, struct cursor *cursor, struct sub_packet *sub)
{
	struct glk_compact_run run;

	if (!glk_compact_next(packet->payload, packet->payload_bytes, &cursor->at, cursor->end, &run))
		return false;
	*sub = (struct sub_packet){ .offset = run.offset, .length = run.length, .data = run.data };
	cursor->end = run.offset + run.length;
	return true;
}

/* Reads a sub-packet and moves the cursor behind it; false if it does not end inside the payload. */
static bool next_sub_packet(const struct glk_accepted *packet, struct cursor *cursor, struct sub_packet *sub)
{
	const uint8_t *from = packet->payload + cursor->at;
	unsigned h = packet->subheader_bytes;
	size_t left = packet->payload_bytes - cursor->at;
	uint64_t word = 0;

	if (packet->compact)
		return next_compact(packet, cursor, sub);
	if (left <= h)
		return false;
	if (left >= 8)
		word = glk_get_le64(from) & (UINT64_MAX >> (64 - 8 * h));
	else
		for (unsigned i = 0; i < h; i++)
			word |= (uint64_t)from[i] << (8 * i);

	sub->length = word & ((1u << GLK_SUBHEADER_LENGTH_BITS) - 1);
	if (sub->length == 0)
		sub->length = 1u << GLK_SUBHEADER_LENGTH_BITS;
	sub->offset = word >> GLK_SUBHEADER_LENGTH_BITS;
	sub->data = from + h;
	cursor->at += h + sub->length;
	return sub->length <= left - h;
}

/* The header's fixed fields: list items 1 to 3. Leaves the payload's length and First BE. */
static enum glk_refusal check_header(const uint8_t *packet, size_t length, size_t *payload_bytes, unsigned *first_be)
{
	size_t dwords;
	unsigned last_be;

	if (length < GLK_PACKET_HEADER_BYTES + 4 || length > GLK_PACKET_BYTES_MAX)
		return GLK_REFUSED_SIZE;
	dwords = (size_t)(packet[2] & 3) << 8 | packet[3];
	if (dwords == 0)
		dwords = 1024;
	if (length != GLK_PACKET_HEADER_BYTES + 4 * dwords)
		return GLK_REFUSED_SIZE;

	if (packet[0] != GLK_PACKET_FMT_TYPE || packet[1] || (packet[2] & 0xfc) || packet[4] || packet[5] || packet[6])
		return GLK_REFUSED_HEADER;

	last_be = packet[7] >> 4;
	*first_be = packet[7] & 15;
	if (last_be == 0 || (last_be & (last_be + 1)) || *first_be > GLK_SUBHEADER_MAX)
		return GLK_REFUSED_BYTE_ENABLES;
	*payload_bytes = 4 * (dwords - 1) + (unsigned)__builtin_popcount(last_be);
	return GLK_REFUSED_NOT;
}

enum glk_refusal glk_depacketizer_check(const uint8_t *packet, size_t length, const struct glk_destination *destinations,
					unsigned count, struct glk_accepted *accepted)
{
	bool in_bounds = true;
	uint64_t address, range, aligned;
	enum glk_refusal refusal;
	unsigned first_be = 0;

	refusal = check_header(packet, length, &accepted->payload_bytes, &first_be);
	if (refusal)
		return refusal;

	/* Without a partition there is no H, and without H nothing below can be read. */
	address = glk_get_be64(packet + 8);
	if (address >> GLK_LINK_PARTITION_SHIFT >= count)
		return GLK_REFUSED_BASE;
	accepted->partition = (unsigned)(address >> GLK_LINK_PARTITION_SHIFT);
	accepted->compact = first_be == GLK_COMPACT_FIRST_BE;
	if (accepted->compact && !destinations[accepted->partition].compact)
		return GLK_REFUSED_BYTE_ENABLES;
	accepted->subheader_bytes = first_be ? first_be : destinations[accepted->partition].subheader_bytes;
	accepted->base = address & GLK_LINK_OFFSET_MASK;
	accepted->payload = packet + GLK_PACKET_HEADER_BYTES;
	range = accepted->compact ? 1ULL << GLK_LINK_PARTITION_SHIFT : glk_subheader_range(accepted->subheader_bytes);
	aligned = accepted->compact ? 4 : range;

	for (struct cursor cursor = { 0 }; cursor.at < accepted->payload_bytes;) {
		struct sub_packet sub;
		uint64_t bytes = destinations[accepted->partition].bytes;
		uint64_t end;

		if (!next_sub_packet(accepted, &cursor, &sub))
			return GLK_REFUSED_TRUNCATED;
		end = sub.offset + sub.length; /* below 2^49 */
		if (end > range || end > bytes || accepted->base > bytes - end)
			in_bounds = false;
	}
	for (const uint8_t *pad = accepted->payload + accepted->payload_bytes; pad < packet + length; pad++)
		if (*pad)
			return GLK_REFUSED_PADDING;
	if ((address & (aligned - 1)) || destinations[accepted->partition].bytes == 0)
		return GLK_REFUSED_BASE;
	return in_bounds ? GLK_REFUSED_NOT : GLK_REFUSED_BOUNDS;
}

unsigned glk_depacketizer_apply(const struct glk_accepted *accepted, glk_plain_write write, void *user)
{
	uint8_t merged[GLK_PAYLOAD_MAX];
	struct sub_packet sub, next;
	unsigned sub_packets = 0;
	struct cursor cursor = { 0 };
	bool more = next_sub_packet(accepted, &cursor, &next);

	while (more) {
		const uint8_t *data = next.data;
		size_t length;

		sub = next;
		length = sub.length;
		sub_packets++;
		while ((more = cursor.at < accepted->payload_bytes && next_sub_packet(accepted, &cursor, &next)) &&
		       next.offset == sub.offset + length) {
			if (data == sub.data) {
				memcpy(merged, sub.data, sub.length);
				data = merged;
			}
			/* The sub-packets of one payload have no more than 4096 bytes of data together. */
			glk_copy_run(merged + length, next.data, next.length);
			length += next.length;
			sub_packets++;
		}
		write(user, accepted->partition, accepted->base + sub.offset, data, length);
	}
	return sub_packets;
}
