// SPDX-License-Identifier: Apache-2.0
#include "finepack/packetizer.h"

#include <string.h>

#include "base/bytes.h"
#include "finepack/enables.h"

/* Offset of an entry's line from the line that contains the queue's base. */
static uint64_t line_offset(const struct glk_write_queue *queue, unsigned entry)
{
	return (uint64_t)queue->line[entry] * GLK_LINE_BYTES;
}

/* Writes the sub-packets of one entry; returns the end. `back`: offset of the base in its line, since for H = 2 a window may
 * start in the middle of a line. */
static uint8_t *put_entry(uint8_t *to, const struct glk_write_queue *queue, unsigned entry, uint64_t back,
			  unsigned width)
{
	const struct glk_enables *enables = &queue->enables[entry];
	uint64_t offset = line_offset(queue, entry) - back;
	unsigned end;

	for (unsigned first = glk_next_byte(enables, 0, true); first < GLK_LINE_BYTES;
	     first = glk_next_byte(enables, end, true)) {
		unsigned length;

		end = glk_next_byte(enables, first, false);
		length = end - first;
		glk_put_le64(to, ((offset + first) << GLK_SUBHEADER_LENGTH_BITS) | length);
		to += width;
		glk_copy_run(to, &queue->data[glk_line_place(queue, entry) + first], length);
		to += length;
	}
	return to;
}

static void put_header(uint8_t *header, uint64_t base, unsigned tag, unsigned first_be, size_t payload)
{
	size_t dwords = (payload + 3) / 4;
	unsigned last_dword_bytes = (unsigned)(payload - 4 * (dwords - 1));
	unsigned last_be = (1u << last_dword_bytes) - 1;

	memset(header, 0, 8);
	header[0] = GLK_PACKET_FMT_TYPE;
	header[2] = (uint8_t)((dwords >> 8) & 3); /* 1024 DW is encoded as 0, here and below */
	header[3] = (uint8_t)dwords;
	header[6] = (uint8_t)tag;
	header[7] = (uint8_t)((last_be << 4) | first_be);
	glk_put_be64(header + 8, base);
}

/* Adds header and padding to a payload that is in place. */
static size_t packetizer_finish(uint8_t *packet, uint64_t base, unsigned tag, unsigned first_be, size_t payload)
{
	size_t padding = (4 - payload % 4) % 4;

	memset(packet + GLK_PACKET_HEADER_BYTES + payload, 0, padding);
	put_header(packet, base, tag, first_be, payload);
	return GLK_PACKET_HEADER_BYTES + payload + padding;
}

size_t glk_packetizer_finish(uint8_t packet[GLK_PACKET_ROOM], uint64_t base, unsigned first_be, size_t payload)
{
	return packetizer_finish(packet, base, 0, first_be, payload);
}

size_t glk_packetizer_finish_compact(uint8_t packet[GLK_PACKET_ROOM], uint64_t address, const struct glk_compact_coding *coding,
				     size_t payload)
{
	unsigned low = (unsigned)(address & GLK_COMPACT_BASE_LOW) << GLK_COMPACT_BASE_SHIFT;

	return packetizer_finish(packet, address & ~(uint64_t)GLK_COMPACT_BASE_LOW, glk_compact_tag(coding) | low,
				 glk_compact_first_be(coding), payload);
}

unsigned glk_packetizer_narrowest(const struct glk_write_queue *queue)
{
	uint64_t first = (queue->base & ~(uint64_t)(GLK_LINE_BYTES - 1)) + line_offset(queue, 0), differ = 0;
	unsigned width = GLK_SUBHEADER_MIN + 1; /* the smallest with a window of at least a line */

	if (queue->subheader_bytes < width)
		return queue->subheader_bytes;
	for (unsigned entry = 1; entry < queue->used; entry++)
		differ |= first ^ ((queue->base & ~(uint64_t)(GLK_LINE_BYTES - 1)) + line_offset(queue, entry));
	while (differ >= glk_subheader_range(width))
		width++;
	return width;
}

size_t glk_packetizer_build(const struct glk_write_queue *queue, unsigned width, bool self_describe,
			    uint8_t packet[GLK_PACKET_ROOM])
{
	uint64_t lines = queue->base & ~(uint64_t)(GLK_LINE_BYTES - 1), base = queue->base;
	uint8_t *to = packet + GLK_PACKET_HEADER_BYTES;

	if (width < queue->subheader_bytes)
		base = (lines + line_offset(queue, 0)) & ~(glk_subheader_range(width) - 1);
	for (unsigned entry = 0; entry < queue->used; entry++)
		to = put_entry(to, queue, entry, base - lines, width);
	return packetizer_finish(packet, base, 0, self_describe ? width : 0, (size_t)(to - packet) - GLK_PACKET_HEADER_BYTES);
}

size_t glk_packetizer_build_compact(struct glk_compact_walk *walk, uint8_t packet[GLK_PACKET_ROOM], unsigned *runs)
{
	struct glk_compact_coding coding;
	uint64_t base;
	size_t payload = glk_compact_build(walk, packet + GLK_PACKET_HEADER_BYTES, &base, &coding, runs);

	return payload ? glk_packetizer_finish_compact(packet, base, &coding, payload) : 0;
}
