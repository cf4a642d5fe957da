// SPDX-License-Identifier: Apache-2.0
#include "netcrafter/flit.h"

#define WHERE_BYTES	     8u
#define FINEPACK_HEADER	     16u
#define FINEPACK_PAYLOAD_MAX 4096u
#define ATOMIC_REQUEST_BYTES (GLK_LINK_HEADER_BYTES + WHERE_BYTES + 16u)
#define TIMES_BYTES	     16u
#define TRIMMED_OTHER_BIT    4u /* reserved bit of a trimmed response's status; must be 0 */

/* Packet sizes; for FinePack packets, read, lease and timed responses the maximum. */
static const struct {
	uint16_t bytes;
	uint8_t class;
	bool critical;
} kinds[GLK_KIND_ALL] = {
	[GLK_KIND_READ_REQUEST] = { GLK_LINK_HEADER_BYTES + WHERE_BYTES, GLK_CLASS_REQUEST, false },
	[GLK_KIND_READ_RESPONSE] = { GLK_LINK_HEADER_BYTES + GLK_LINK_LINE_BYTES, GLK_CLASS_RESPONSE, false },
	[GLK_KIND_WRITE_REQUEST] = { GLK_LINK_HEADER_BYTES + WHERE_BYTES + GLK_LINK_LINE_BYTES, GLK_CLASS_POSTED, false },
	[GLK_KIND_WRITE_RESPONSE] = { GLK_LINK_HEADER_BYTES, GLK_CLASS_RESPONSE, false },
	[GLK_KIND_TRANSLATION_REQUEST] = { GLK_LINK_HEADER_BYTES + WHERE_BYTES, GLK_CLASS_REQUEST, true },
	[GLK_KIND_TRANSLATION_RESPONSE] = { GLK_LINK_HEADER_BYTES + 8, GLK_CLASS_RESPONSE, true },
	[GLK_KIND_FINEPACK] = { FINEPACK_HEADER + FINEPACK_PAYLOAD_MAX, GLK_CLASS_POSTED, false },
	[GLK_KIND_RELEASE] = { GLK_LINK_HEADER_BYTES + 8, GLK_CLASS_REQUEST, true },
	[GLK_KIND_RELEASED] = { GLK_LINK_HEADER_BYTES, GLK_CLASS_RESPONSE, true },
	[GLK_KIND_ATOMIC_REQUEST] = { ATOMIC_REQUEST_BYTES, GLK_CLASS_REQUEST, false },
	[GLK_KIND_ATOMIC_RESPONSE] = { GLK_LINK_HEADER_BYTES + 8, GLK_CLASS_RESPONSE, false },
	[GLK_KIND_LEASE_REQUEST] = { GLK_LINK_HEADER_BYTES + WHERE_BYTES + TIMES_BYTES, GLK_CLASS_REQUEST, false },
	[GLK_KIND_LEASE_RESPONSE] = { GLK_LINK_HEADER_BYTES + TIMES_BYTES + GLK_LINK_LINE_BYTES, GLK_CLASS_RESPONSE, false },
	[GLK_KIND_TIMED_REQUEST] = { GLK_LINK_HEADER_BYTES + WHERE_BYTES + 8 + GLK_LINK_LINE_BYTES, GLK_CLASS_REQUEST, false },
	[GLK_KIND_TIMED_RESPONSE] = { GLK_LINK_HEADER_BYTES + TIMES_BYTES + 8, GLK_CLASS_RESPONSE, false },
};
_Static_assert(FINEPACK_HEADER + FINEPACK_PAYLOAD_MAX == GLK_LINK_PACKET_BYTES_MAX, "a FinePack packet is the longest");

static bool kind_valid(enum glk_kind kind)
{
	return kind > GLK_KIND_NONE && kind < GLK_KIND_ALL;
}

enum glk_class glk_kind_class(enum glk_kind kind)
{
	return (enum glk_class)kinds[kind].class;
}

bool glk_kind_critical(enum glk_kind kind)
{
	return kinds[kind].critical;
}

void glk_link_header_put(uint8_t bytes[GLK_LINK_HEADER_BYTES], const struct glk_link_header *header)
{
	unsigned low = (unsigned)header->kind | (header->number & 127u) << 5 | (header->partition & 15u) << 12;

	bytes[0] = (uint8_t)low;
	bytes[1] = (uint8_t)(low >> 8);
	bytes[2] = (uint8_t)header->tag;
	bytes[3] = (uint8_t)(header->tag >> 8);
}

bool glk_link_header_get(const uint8_t bytes[GLK_LINK_HEADER_BYTES], struct glk_link_header *header)
{
	unsigned low = bytes[0] | (unsigned)bytes[1] << 8;
	enum glk_kind kind = (enum glk_kind)(low & 31);

	if (!kind_valid(kind) || kind == GLK_KIND_FINEPACK)
		return false;
	header->kind = kind;
	header->number = low >> 5 & 127;
	header->partition = (uint8_t)(low >> 12);
	header->tag = (uint16_t)(bytes[2] | bytes[3] << 8);
	return true;
}

unsigned glk_link_sector_bytes(unsigned code)
{
	static const uint8_t bytes[] = { 16, 4, 8, 32 };

	return bytes[code & 3];
}

size_t glk_kind_length_most(enum glk_kind kind)
{
	return kind_valid(kind) ? kinds[kind].bytes : 0;
}

bool glk_kind_length_valid(enum glk_kind kind, size_t length)
{
	if (!kind_valid(kind) || length > kinds[kind].bytes)
		return false;
	if (kind == GLK_KIND_FINEPACK)
		return length > FINEPACK_HEADER && length % 4 == 0;
	if (length == kinds[kind].bytes)
		return true;
	if (kind == GLK_KIND_LEASE_RESPONSE || kind == GLK_KIND_TIMED_RESPONSE)
		return length == GLK_LINK_HEADER_BYTES ||
		       (kind == GLK_KIND_LEASE_RESPONSE && length == GLK_LINK_HEADER_BYTES + TIMES_BYTES);
	if (kind != GLK_KIND_READ_RESPONSE)
		return false;
	for (unsigned code = 0; code < 4; code++)
		if (length == GLK_LINK_HEADER_BYTES + glk_link_sector_bytes(code))
			return true;
	return length == GLK_LINK_HEADER_BYTES;
}

/* A whole line, a sector, or only the header if nothing was read. */
static size_t read_response_bytes(unsigned status)
{
	if (status & GLK_LINK_TRIMMED)
		return status & TRIMMED_OTHER_BIT ? 0 : GLK_LINK_HEADER_BYTES + glk_link_sector_bytes(status);
	if (status == GLK_LINK_DONE)
		return GLK_LINK_HEADER_BYTES + GLK_LINK_LINE_BYTES;
	return status <= GLK_LINK_FAILED ? GLK_LINK_HEADER_BYTES : 0;
}

/* A lease with the line's bytes, or without, or only the header. A timed response is whole, or only the header. */
static size_t lease_response_bytes(enum glk_kind kind, unsigned status)
{
	if (status == GLK_LINK_DONE)
		return kinds[kind].bytes;
	if (kind == GLK_KIND_LEASE_RESPONSE && (status == GLK_LEASE_SAME || status == GLK_LEASE_CHANGED))
		return GLK_LINK_HEADER_BYTES + TIMES_BYTES;
	if (kind == GLK_KIND_TIMED_RESPONSE && (status == GLK_LEASE_SAME || status == GLK_LEASE_CHANGED))
		return 0;
	return status <= GLK_LEASE_NOT_POOL ? GLK_LINK_HEADER_BYTES : 0;
}

size_t glk_link_packet_bytes(enum glk_kind kind, const uint8_t start[GLK_LINK_HEADER_BYTES])
{
	if (kind == GLK_KIND_FINEPACK) {
		unsigned dwords = (start[2] & 3u) << 8 | start[3];

		return FINEPACK_HEADER + (dwords ? 4 * (size_t)dwords : FINEPACK_PAYLOAD_MAX);
	}
	if (!kind_valid(kind) || (start[0] & 31) != kind)
		return 0;
	if (kind == GLK_KIND_LEASE_RESPONSE || kind == GLK_KIND_TIMED_RESPONSE)
		return lease_response_bytes(kind, start[1] >> 4);
	return kind == GLK_KIND_READ_RESPONSE ? read_response_bytes(start[1] >> 4) : kinds[kind].bytes;
}
