// SPDX-License-Identifier: Apache-2.0
/*
 * Lines are found by a hash table whose slots carry the generation of the contents, so that clearing the queue increments the
 * generation. All lines are in one window of at most 2^38 bytes, so that 32 bits number them, short ones included.
 *
 *	slot: generation 63:40, line 39:8, entry 7:0
 */
#include "finepack/write_queue.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"

#define ENTRY_BITS	 8u
#define LINE_BITS	 32u
#define GENERATION_SHIFT (ENTRY_BITS + LINE_BITS)
#define GENERATION_LAST	 ((1ULL << (64u - GENERATION_SHIFT)) - 1)
#define NOT_QUEUED	 GLK_QUEUE_ENTRIES_MAX

bool glk_subheader_bytes_valid(uint64_t value)
{
	return value >= GLK_SUBHEADER_MIN && value <= GLK_SUBHEADER_MAX;
}

bool glk_max_payload_bytes_valid(uint64_t value)
{
	return value >= GLK_PAYLOAD_MIN && value <= GLK_PAYLOAD_MAX && (value & (value - 1)) == 0;
}

void glk_write_queue_init(struct glk_write_queue *queue, unsigned entries)
{
	assert(entries <= GLK_QUEUE_LINES_MAX);
	memset(queue, 0, sizeof(*queue));
	queue->entries = entries;
	queue->line_shift = (unsigned)__builtin_ctz(GLK_LINE_BYTES);
	queue->generation = 1;
	glk_write_queue_configure(queue, GLK_PARTITION_SUBHEADER_BYTES_RESET, GLK_PARTITION_MAX_PAYLOAD_BYTES_RESET);
}

void glk_write_queue_configure(struct glk_write_queue *queue, unsigned subheader_bytes, unsigned max_payload_bytes)
{
	queue->subheader_bytes = subheader_bytes;
	queue->max_payload_bytes = max_payload_bytes;
	queue->range_bytes = glk_subheader_range(subheader_bytes);
	glk_write_queue_shape(queue, GLK_LINE_BYTES, subheader_bytes);
}

void glk_write_queue_shape(struct glk_write_queue *queue, unsigned line_bytes, unsigned run_bytes)
{
	queue->entries = queue->entries * glk_line_bytes(queue) / line_bytes;
	queue->line_shift = (unsigned)__builtin_ctz(line_bytes);
	queue->unit_bytes = queue->range_bytes < line_bytes ? (unsigned)queue->range_bytes : line_bytes;
	queue->run_bytes = run_bytes;
}

/* Bits [from, to) of a word, 0 <= from <= to <= 64. */
static uint64_t bits(unsigned from, unsigned to)
{
	uint64_t below_to = to < 64 ? (1ULL << to) - 1 : UINT64_MAX;
	uint64_t below_from = from < 64 ? (1ULL << from) - 1 : UINT64_MAX;

	return below_to & ~below_from;
}

__attribute__((noinline)) static struct glk_enables enables_of_two(unsigned first, unsigned end)
{
	return (struct glk_enables){ { first < 64 ? bits(first, end < 64 ? end : 64) : 0,
				       end > 64 ? bits(first > 64 ? first - 64 : 0, end - 64) : 0 } };
}

/* Nearly always they are in one word. `length`: at least 1. */
static inline struct glk_enables enables_of(unsigned first, unsigned length)
{
	uint64_t mask;

	if (first % 64 + length > 64)
		return enables_of_two(first, first + length);
	mask = UINT64_MAX >> (64 - length) << first % 64;
	return (struct glk_enables){ { first < 64 ? mask : 0, first < 64 ? 0 : mask } };
}

static unsigned count_bytes(struct glk_enables e)
{
	return (unsigned)__builtin_popcountll(e.word[0]) + (unsigned)__builtin_popcountll(e.word[1]);
}

/* A run starts at every enabled byte that follows a disabled one. */
static unsigned count_runs(struct glk_enables e)
{
	uint64_t begins0 = e.word[0] & ~(e.word[0] << 1);
	uint64_t begins1 = e.word[1] & ~((e.word[1] << 1) | (e.word[0] >> 63));

	return (unsigned)__builtin_popcountll(begins0) + (unsigned)__builtin_popcountll(begins1);
}

static bool enabled(struct glk_enables e, unsigned byte)
{
	return byte < GLK_LINE_BYTES && ((e.word[byte / 64] >> (byte % 64)) & 1);
}

static uint32_t line_of(const struct glk_write_queue *queue, uint64_t address)
{
	return (uint32_t)((address >> queue->line_shift) - (queue->base >> queue->line_shift));
}

/* Returns the entry of the line, or NOT_QUEUED and the slot for a new one in *free_slot. */
static unsigned write_queue_find(const struct glk_write_queue *queue, uint32_t line, unsigned *free_slot)
{
	uint64_t wanted = (queue->generation << LINE_BITS) | line;

	/* Fibonacci hashing, 2^32 divided by the golden ratio: spreads adjacent lines. */
	for (unsigned i = (line * 0x9e3779b1u) >> 23;; i = (i + 1) % GLK_QUEUE_SLOTS) {
		uint64_t slot = queue->slots[i];

		if (slot >> ENTRY_BITS == wanted)
			return (unsigned)(slot & (GLK_QUEUE_ENTRIES_MAX - 1));
		if (slot >> GENERATION_SHIFT != queue->generation) {
			*free_slot = i;
			return NOT_QUEUED;
		}
	}
}

/* The effect of merging a piece into an entry. */
struct change {
	unsigned overwritten; /* bytes */
	int runs;
};

/* Of any piece. */
__attribute__((noinline)) static struct change change_counted(struct glk_enables have, struct glk_enables piece)
{
	struct glk_enables both = { { have.word[0] & piece.word[0], have.word[1] & piece.word[1] } };
	struct glk_enables all = { { have.word[0] | piece.word[0], have.word[1] | piece.word[1] } };

	return (struct change){ .overwritten = count_bytes(both), .runs = (int)count_runs(all) - (int)count_runs(have) };
}

static struct change change_by(struct glk_enables have, struct glk_enables piece, unsigned first, unsigned length)
{
	struct glk_enables both = { { have.word[0] & piece.word[0], have.word[1] & piece.word[1] } };

	/* Most pieces fall into a gap or into a run: then no bits need to be counted. */
	if ((both.word[0] | both.word[1]) == 0) {
		int left = first > 0 && enabled(have, first - 1);
		int right = enabled(have, first + length);

		return (struct change){ .overwritten = 0, .runs = 1 - left - right };
	}
	if (both.word[0] == piece.word[0] && both.word[1] == piece.word[1])
		return (struct change){ .overwritten = length, .runs = 0 };
	return change_counted(have, piece);
}

int glk_write_queue_put(struct glk_write_queue *queue, uint64_t address, const void *data, size_t length, unsigned wanted,
			uint64_t *overwritten)
{
	unsigned first = (unsigned)address & (glk_line_bytes(queue) - 1);
	struct glk_enables piece = enables_of(first, (unsigned)length);
	struct change change = { .overwritten = 0, .runs = 1 };
	unsigned entry, slot = 0, payload;
	uint32_t line;

	if (queue->used == 0)
		queue->base = address & ~(queue->range_bytes - 1);
	else if (address - queue->base >= queue->range_bytes)
		return GLK_FLUSH_WINDOW_MISS;

	line = line_of(queue, address);
	entry = write_queue_find(queue, line, &slot);
	if (entry != NOT_QUEUED)
		change = change_by(queue->enables[entry], piece, first, (unsigned)length);
	else if (queue->used && queue->used + wanted > queue->entries)
		return GLK_FLUSH_ENTRIES_FULL;

	payload = queue->payload_bytes + (unsigned)length - change.overwritten +
		  (unsigned)(change.runs * (int)queue->run_bytes);
	if (!queue->packing && payload > queue->max_payload_bytes)
		return GLK_FLUSH_PAYLOAD_FULL;

	if (entry == NOT_QUEUED) {
		entry = queue->used++;
		queue->slots[slot] = (queue->generation << GENERATION_SHIFT) | ((uint64_t)line << ENTRY_BITS) | entry;
		queue->line[entry] = line;
		queue->enables[entry] = piece;
	} else {
		queue->enables[entry].word[0] |= piece.word[0];
		queue->enables[entry].word[1] |= piece.word[1];
	}
	glk_copy_run(&queue->data[glk_line_place(queue, entry) + first], data, length);
	queue->runs += (unsigned)change.runs;
	queue->payload_bytes = payload;
	*overwritten += change.overwritten;
	return GLK_QUEUE_TAKEN;
}

/* Whether an entry has an enabled byte in [address, end). */
static bool entry_hits(const struct glk_write_queue *queue, unsigned entry, uint64_t address, uint64_t end)
{
	uint64_t line = glk_line_address(queue, entry), bytes = glk_line_bytes(queue);
	uint64_t from = address > line ? address - line : 0;
	uint64_t to = end > line ? end - line : 0;
	struct glk_enables asked;

	if (to > bytes)
		to = bytes;
	if (from >= to)
		return false;
	asked = enables_of((unsigned)from, (unsigned)(to - from));
	return (queue->enables[entry].word[0] & asked.word[0]) || (queue->enables[entry].word[1] & asked.word[1]);
}

static bool any_entry_hits(const struct glk_write_queue *queue, uint64_t address, uint64_t end)
{
	for (unsigned entry = 0; entry < queue->used; entry++)
		if (entry_hits(queue, entry, address, end))
			return true;
	return false;
}

bool glk_write_queue_hits(const struct glk_write_queue *queue, uint64_t address, uint64_t length)
{
	uint64_t window_end = queue->base + queue->range_bytes;
	uint64_t end = address + length;

	if (queue->used == 0 || address >= window_end || end <= queue->base)
		return false;
	if (address < queue->base)
		address = queue->base;
	if (end > window_end)
		end = window_end;

	/* A long range is compared with all queued lines, a short one is looked up line by line. */
	if ((end - address) >> queue->line_shift > queue->used)
		return any_entry_hits(queue, address, end);
	while (address < end) {
		uint64_t line_end = (address | (glk_line_bytes(queue) - 1)) + 1;
		unsigned slot, entry = write_queue_find(queue, line_of(queue, address), &slot);

		if (entry != NOT_QUEUED && entry_hits(queue, entry, address, end))
			return true;
		address = line_end;
	}
	return false;
}

void glk_write_queue_clear(struct glk_write_queue *queue)
{
	queue->used = 0;
	queue->runs = 0;
	queue->payload_bytes = 0;
	queue->stores = 0;
	queue->owners = 0;
	if (queue->generation++ == GENERATION_LAST) {
		memset(queue->slots, 0, sizeof(queue->slots));
		queue->generation = 1;
	}
}
