// SPDX-License-Identifier: Apache-2.0
#include "finepack/depacketizer.h"

#include <string.h>

#include "base/bytes.h"
#include "finepack/compact.h"

struct sub_packet {
	uint64_t offset; /* from the base */
	size_t length;
	const uint8_t *data;
};

/* Position in a payload: at a sub-packet, at a run, or at a record. */
struct cursor {
	size_t at; /* bytes; in the array form records */
	struct glk_compact_reader runs;
};

static void depacketizer_start(const struct glk_accepted *packet, struct cursor *cursor)
{
	cursor->at = 0;
	if (packet->form == GLK_ACCEPTED_COMPACT)
		glk_compact_open(&cursor->runs, &packet->coding, packet->payload, packet->payload_bytes);
}

static bool ended(const struct glk_accepted *packet, const struct cursor *cursor)
{
	switch (packet->form) {
	case GLK_ACCEPTED_COMPACT:
		return glk_compact_ended(&cursor->runs);
	case GLK_ACCEPTED_ARRAY:
		return cursor->at == packet->array.count;
	default:
		return cursor->at == packet->payload_bytes;
	}
}

static bool next_run(const struct glk_accepted *packet, struct cursor *cursor, struct sub_packet *sub)
{
	struct glk_compact_run run;

	if (!glk_compact_next(&cursor->runs, &run))
		return false;
	*sub = (struct sub_packet){ .offset = run.offset, .length = run.length };
	sub->data = packet->payload + packet->data_at + run.place;
	return true;
}

static bool next_record(const struct glk_accepted *packet, struct cursor *cursor, struct sub_packet *sub)
{
	const struct glk_array *array = &packet->array;

	sub->offset = glk_array_offset(array, packet->payload, (unsigned)cursor->at);
	sub->length = array->unit;
	sub->data = packet->payload + packet->data_at + cursor->at * array->unit;
	cursor->at++;
	return true;
}

/* False if it exceeds the payload. */
static bool next_with_subheader(const struct glk_accepted *packet, struct cursor *cursor, struct sub_packet *sub)
{
	const uint8_t *from = packet->payload + cursor->at;
	unsigned h = packet->subheader_bytes;
	size_t left = packet->payload_bytes - cursor->at;
	uint64_t word = 0;

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

/* Reads the next sub-packet, run or record; false if there is none that is whole. */
static bool next_sub_packet(const struct glk_accepted *packet, struct cursor *cursor, struct sub_packet *sub)
{
	switch (packet->form) {
	case GLK_ACCEPTED_COMPACT:
		return next_run(packet, cursor, sub);
	case GLK_ACCEPTED_ARRAY:
		return next_record(packet, cursor, sub);
	default:
		return next_with_subheader(packet, cursor, sub);
	}
}

/* Checks the header's fixed fields, refusals 1 to 3. Sets the payload size and First BE. */
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

	last_be = packet[7] >> 4;
	*first_be = packet[7] & 15;
	if (packet[0] != GLK_PACKET_FMT_TYPE || packet[1] || (packet[2] & 0xfc))
		return GLK_REFUSED_HEADER;
	if (*first_be != GLK_ARRAY_FIRST_BE && (packet[4] || packet[5] || (packet[6] && *first_be < GLK_COMPACT_FIRST_BE)))
		return GLK_REFUSED_HEADER;
	if (last_be == 0 || (last_be & (last_be + 1)))
		return GLK_REFUSED_BYTE_ENABLES;
	*payload_bytes = 4 * (dwords - 1) + (unsigned)__builtin_popcount(last_be);
	return GLK_REFUSED_NOT;
}

/* Values have 4 bytes at least, so the payload fills its last DW. */
static enum glk_refusal check_array(const uint8_t *packet, const struct glk_destination *destination,
				    struct glk_accepted *accepted)
{
	accepted->form = GLK_ACCEPTED_ARRAY;
	if (!destination->array || packet[7] >> 4 != 15)
		return GLK_REFUSED_BYTE_ENABLES;
	if (!glk_array_of(packet, &accepted->array))
		return GLK_REFUSED_HEADER;
	accepted->data_at = glk_array_values_at(&accepted->array);
	return glk_array_bytes(&accepted->array) == accepted->payload_bytes ? GLK_REFUSED_NOT : GLK_REFUSED_TRUNCATED;
}

/* The form of the payload, from First BE and, for the compact and the array form, Tag. */
static enum glk_refusal check_form(const uint8_t *packet, unsigned first_be, const struct glk_destination *destination,
				   struct glk_accepted *accepted)
{
	if (first_be == GLK_ARRAY_FIRST_BE)
		return check_array(packet, destination, accepted);
	accepted->form = first_be >= GLK_COMPACT_FIRST_BE ? GLK_ACCEPTED_COMPACT : GLK_ACCEPTED_SUBHEADERS;
	if (accepted->form == GLK_ACCEPTED_COMPACT) {
		accepted->base |= packet[6] >> GLK_COMPACT_BASE_SHIFT;
		if (!glk_compact_coding_of(first_be, packet[6], &accepted->coding))
			return GLK_REFUSED_HEADER;
		return destination->compact || accepted->coding.single ? GLK_REFUSED_NOT : GLK_REFUSED_BYTE_ENABLES;
	}
	if (first_be && (first_be < GLK_SUBHEADER_MIN || first_be > GLK_SUBHEADER_MAX))
		return GLK_REFUSED_BYTE_ENABLES;
	accepted->subheader_bytes = first_be ? first_be : destination->subheader_bytes;
	return GLK_REFUSED_NOT;
}

/* Reads all sub-packets. Sets whether they are in the packet's address window and in the endpoint's memory. */
static enum glk_refusal check_payload(struct glk_accepted *accepted, uint64_t range, uint64_t bytes, bool *in_bounds)
{
	struct cursor cursor;

	*in_bounds = true;
	for (depacketizer_start(accepted, &cursor); !ended(accepted, &cursor);) {
		struct sub_packet sub;
		uint64_t end;

		if (!next_sub_packet(accepted, &cursor, &sub))
			return GLK_REFUSED_TRUNCATED;
		end = sub.offset + sub.length; /* below 2^49 */
		if (end > range || end > bytes || accepted->base > bytes - end)
			*in_bounds = false;
	}
	if (accepted->form == GLK_ACCEPTED_COMPACT && !glk_compact_data_at(&cursor.runs, &accepted->data_at))
		return GLK_REFUSED_PADDING;
	if (accepted->form == GLK_ACCEPTED_ARRAY && !glk_array_padding_is_zero(&accepted->array, accepted->payload))
		return GLK_REFUSED_PADDING;
	return GLK_REFUSED_NOT;
}

enum glk_refusal glk_depacketizer_check(const uint8_t *packet, size_t length, const struct glk_destination *destinations,
					unsigned count, struct glk_accepted *accepted)
{
	const struct glk_destination *destination;
	uint64_t address, range, aligned;
	enum glk_refusal refusal;
	unsigned first_be = 0;
	bool in_bounds;

	refusal = check_header(packet, length, &accepted->payload_bytes, &first_be);
	if (refusal)
		return refusal;

	/* Without a partition H is unknown, and the sub-headers cannot be read. */
	address = glk_get_be64(packet + 8);
	if (address >> GLK_LINK_PARTITION_SHIFT >= count)
		return GLK_REFUSED_BASE;
	accepted->partition = (unsigned)(address >> GLK_LINK_PARTITION_SHIFT);
	accepted->base = address & GLK_LINK_OFFSET_MASK;
	accepted->payload = packet + GLK_PACKET_HEADER_BYTES;
	accepted->data_at = 0;
	destination = &destinations[accepted->partition];
	refusal = check_form(packet, first_be, destination, accepted);
	if (refusal)
		return refusal;

	if (accepted->form == GLK_ACCEPTED_SUBHEADERS) {
		range = glk_subheader_range(accepted->subheader_bytes);
		aligned = range;
	} else {
		range = 1ULL << GLK_LINK_PARTITION_SHIFT;
		aligned = accepted->form == GLK_ACCEPTED_ARRAY ? GLK_ARRAY_ALIGNMENT : GLK_COMPACT_BASE_LOW + 1;
	}
	refusal = check_payload(accepted, range, destination->bytes, &in_bounds);
	if (refusal)
		return refusal;
	for (const uint8_t *pad = accepted->payload + accepted->payload_bytes; pad < packet + length; pad++)
		if (*pad)
			return GLK_REFUSED_PADDING;
	if ((address & (aligned - 1)) || destination->bytes == 0)
		return GLK_REFUSED_BASE;
	return in_bounds ? GLK_REFUSED_NOT : GLK_REFUSED_BOUNDS;
}

unsigned glk_depacketizer_apply(const struct glk_accepted *accepted, glk_plain_write write, void *user)
{
	uint8_t merged[GLK_PAYLOAD_MAX];
	struct sub_packet sub, next;
	unsigned sub_packets = 0;
	struct cursor cursor;
	bool more;

	depacketizer_start(accepted, &cursor);
	more = next_sub_packet(accepted, &cursor, &next);
	while (more) {
		const uint8_t *data = next.data;
		size_t length;

		sub = next;
		length = sub.length;
		sub_packets++;
		while ((more = !ended(accepted, &cursor) && next_sub_packet(accepted, &cursor, &next)) &&
		       next.offset == sub.offset + length) {
			if (data == sub.data) {
				memcpy(merged, sub.data, sub.length);
				data = merged;
			}
			/* The sub-packets of one payload have at most 4096 bytes of data in all. */
			glk_copy_run(merged + length, next.data, next.length);
			length += next.length;
			sub_packets++;
		}
		write(user, accepted->partition, accepted->base + sub.offset, data, length);
	}
	return sub_packets;
}
