// SPDX-License-Identifier: Apache-2.0
/*
 *	byte 0	2:0  length: 0..5 for 4, 8, 16, 32, 64, 128; 6: it follows, in DWs; 7: it follows, in bytes
 *		3    1: the gap goes on in a number that follows
 *		7:4  gap, its low 4 bits: bytes where the length is in bytes, else DWs
 *	then the rest of the gap, then the length less 1, where they follow: 7 bits a byte, lowest first, bit 7: more
 */
#include "compact.h"

#include "bytes.h"
#include "enables.h"

enum { LENGTH_DWORDS = 6, LENGTH_BYTES = 7, LENGTH_MASK = 7, GAP_MORE = 8, GAP_SHIFT = 4, GAP_BITS = 4 };

/* --- building --- */

struct writer {
	uint8_t *to;
	uint64_t end; /* of the last run; a link address */
};

/* A run, which may go over several lines. */
struct run {
	uint64_t address;
	unsigned length;
};

static uint64_t line_address(const struct glk_write_queue *queue, unsigned entry)
{
	return (queue->base & ~(uint64_t)(GLK_LINE_BYTES - 1)) + (uint64_t)queue->line[entry] * GLK_LINE_BYTES;
}

/* The entries by rising address. Most come nearly in order. */
static void sort_entries(const struct glk_write_queue *queue, uint8_t order[GLK_QUEUE_ENTRIES_MAX])
{
	for (unsigned i = 0; i < queue->used; i++) {
		unsigned at = i;

		for (; at > 0 && queue->line[order[at - 1]] > queue->line[i]; at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
}

static void put_number(struct writer *w, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*w->to++ = (uint8_t)(value | 128);
	*w->to++ = (uint8_t)value;
}

static void put_run_header(struct writer *w, const struct run *run)
{
	uint64_t gap = run->address - w->end;
	unsigned code = LENGTH_BYTES;

	if ((gap | run->length) % 4 == 0) {
		gap /= 4;
		code = LENGTH_DWORDS;
		if ((run->length & (run->length - 1)) == 0 && run->length <= GLK_LINE_BYTES)
			code = (unsigned)__builtin_ctz(run->length / 4);
	}
	*w->to++ = (uint8_t)((gap << GAP_SHIFT) | (gap >> GAP_BITS ? GAP_MORE : 0) | code);
	if (gap >> GAP_BITS)
		put_number(w, gap >> GAP_BITS);
	if (code >= LENGTH_DWORDS)
		put_number(w, (code == LENGTH_DWORDS ? run->length / 4 : run->length) - 1);
}

/* The next run, of length 0 when there is none; leaves the walk behind it. */
static struct run next_run(struct glk_compact_walk *walk)
{
	const struct glk_write_queue *queue = walk->queue;
	struct run run = { 0 };

	for (; walk->at < queue->used; walk->at++, walk->byte = 0) {
		unsigned entry = walk->order[walk->at], first, end;

		first = glk_next_byte(&queue->enables[entry], walk->byte, true);
		if (first == GLK_LINE_BYTES)
			continue;
		end = glk_next_byte(&queue->enables[entry], first, false);
		if (run.length && line_address(queue, entry) + first != run.address + run.length)
			return run;
		if (!run.length)
			run.address = line_address(queue, entry) + first;
		run.length += end - first;
		walk->byte = end;
		if (end < GLK_LINE_BYTES)
			return run;
	}
	return run;
}

/* Copies the run that a walk stands before. */
static void copy_run(struct writer *w, struct glk_compact_walk from, unsigned length)
{
	while (length) {
		unsigned entry = from.order[from.at], part;

		from.byte = glk_next_byte(&from.queue->enables[entry], from.byte, true);
		part = from.byte < GLK_LINE_BYTES ? GLK_LINE_BYTES - from.byte : 0;
		if (part > length)
			part = length;
		if (part) {
			glk_copy_run(w->to, &from.queue->data[entry][from.byte], part);
			w->to += part;
			length -= part;
		}
		from.at++;
		from.byte = 0;
	}
}

void glk_compact_start(struct glk_compact_walk *walk, const struct glk_write_queue *queue)
{
	walk->queue = queue;
	walk->at = walk->byte = 0;
	sort_entries(queue, walk->order);
}

/*
 * The first run always fits: a piece leaves room for H in a packet, a run over several lines has 2 bytes a line in the
 * queue's accounting, and 3 are the most that stand before a first run.
 */
size_t glk_compact_build(struct glk_compact_walk *walk, uint8_t *payload, uint64_t *base, unsigned *runs)
{
	enum { HEADER_MOST = 1 + 6 + 2 }; /* bytes: gaps have 38 bits, lengths 12 */
	uint8_t *room_end = payload + walk->queue->max_payload_bytes;
	struct writer w = { .to = payload };

	*runs = 0;
	for (;;) {
		struct glk_compact_walk from = *walk;
		struct run run = next_run(walk);
		uint8_t header[HEADER_MOST];
		struct writer trial = { .to = header };

		if (!run.length)
			break;
		if (!*runs)
			*base = w.end = run.address & ~3ULL;
		trial.end = w.end;
		put_run_header(&trial, &run);
		if ((size_t)(room_end - w.to) < (size_t)(trial.to - header) + run.length) {
			*walk = from;
			break;
		}
		memcpy(w.to, header, (size_t)(trial.to - header));
		w.to += trial.to - header;
		copy_run(&w, from, run.length);
		w.end = run.address + run.length;
		(*runs)++;
	}
	return (size_t)(w.to - payload);
}

/* --- reading --- */

static bool get_number(const uint8_t *payload, size_t bytes, size_t *at, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 49; shift += 7) {
		uint8_t byte;

		if (*at == bytes)
			return false;
		byte = payload[(*at)++];
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

bool glk_compact_next(const uint8_t *payload, size_t bytes, size_t *at, uint64_t end, struct glk_compact_run *run)
{
	uint64_t gap, number;
	unsigned head, code, unit;

	if (*at == bytes)
		return false;
	head = payload[(*at)++];
	code = head & LENGTH_MASK;
	unit = code == LENGTH_BYTES ? 1 : 4;
	gap = head >> GAP_SHIFT;
	if (head & GAP_MORE) {
		if (!get_number(payload, bytes, at, &number))
			return false;
		gap |= number << GAP_BITS;
	}
	number = (1u << code) - 1;
	if (code >= LENGTH_DWORDS && !get_number(payload, bytes, at, &number))
		return false;
	/* A number has at most 49 bits: nothing below runs over. */
	if (number >= GLK_PAYLOAD_MAX || end + gap * unit >= 1ULL << 48)
		return false;
	run->offset = end + gap * unit;
	run->length = (size_t)(number + 1) * unit;
	run->data = payload + *at;
	if (run->length > bytes - *at)
		return false;
	*at += run->length;
	return true;
}
