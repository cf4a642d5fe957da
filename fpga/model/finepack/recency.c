// SPDX-License-Identifier: Apache-2.0
#include "finepack/recency.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "finepack/enables.h"
#include "finepack/packing.h"

/* Costs of the bytes of a line. */
struct cost {
	unsigned bytes, runs;
	unsigned payload; /* with sub-headers */
	unsigned alone;	  /* on the wire, without other lines */
	unsigned first;	  /* byte */
};

/* Lines that a store is about to fill. */
struct range {
	uint64_t first, last;
};

void glk_recency_init(struct glk_recency *r, struct glk_partition *partition, unsigned lines)
{
	assert(lines && lines <= partition->queue.entries && lines <= GLK_RECENCY_LINES);
	memset(r, 0, sizeof(*r));
	r->partition = partition;
	r->lines = lines;
	for (unsigned i = 0; i < lines; i++)
		r->order[i] = (uint8_t)i;
	r->bank = GLK_RECENCY_BANK;
}

static bool holds_bytes(const struct glk_recency_line *line)
{
	return line->enables.word[0] || line->enables.word[1];
}

static bool within(const struct glk_recency_line *line, const struct range *range)
{
	return line->number >= range->first && line->number <= range->last;
}

static struct cost cost_of(const struct glk_recency *r, const struct glk_recency_line *line)
{
	const struct glk_write_queue *queue = &r->partition->queue;
	struct cost cost = { 0 };
	unsigned end;

	for (unsigned first = glk_next_byte(&line->enables, 0, true); first < GLK_LINE_BYTES;
	     first = glk_next_byte(&line->enables, end, true)) {
		end = glk_next_byte(&line->enables, first, false);
		if (!cost.runs)
			cost.first = first;
		cost.bytes += end - first;
		cost.alone = GLK_TLP_OVERHEAD_BYTES + 4 * ((end + 3) / 4 - first / 4);
		cost.runs++;
	}
	cost.payload = cost.bytes + cost.runs * queue->subheader_bytes;
	if (cost.runs > 1) /* else as a plain write */
		cost.alone = cost.payload <= queue->max_payload_bytes ? GLK_TLP_OVERHEAD_BYTES + (cost.payload + 3) / 4 * 4 :
									GLK_TLP_OVERHEAD_BYTES * cost.runs + cost.bytes;
	return cost;
}

static uint64_t wire_bytes(const struct glk_recency *r)
{
	return r->partition->counters.value[GLK_PARTITION_COUNTER(WIRE_BYTES)];
}

static void pay_in(struct glk_recency *r, unsigned bytes)
{
	r->bank += (int)bytes;
	if (r->bank > GLK_RECENCY_LIMIT)
		r->bank = GLK_RECENCY_LIMIT;
}

/* What has left took other bytes on the wire than expected: a line that would be a plain write has a sub-header in company, runs
 * of several lines are one. */
static void balance(struct glk_recency *r, uint64_t expected)
{
	if (wire_bytes(r) > expected)
		r->bank -= (int)(wire_bytes(r) - expected);
	else
		pay_in(r, (unsigned)(expected - wire_bytes(r)));
}

/* The line left early and was not stored to again: write combining would have sent it now, in a packet of its own. */
static void settle(struct glk_recency *r, const struct glk_recency_line *line)
{
	if (!holds_bytes(line))
		pay_in(r, line->charge + GLK_TLP_OVERHEAD_BYTES - r->partition->queue.subheader_bytes);
}

/* Passes the bytes of a line to the partition's queue. */
static void pass(struct glk_recency *r, struct glk_recency_line *line)
{
	unsigned end;

	for (unsigned first = glk_next_byte(&line->enables, 0, true); first < GLK_LINE_BYTES;
	     first = glk_next_byte(&line->enables, end, true)) {
		end = glk_next_byte(&line->enables, first, false);
		glk_partition_store(r->partition, line->number * GLK_LINE_BYTES + first, &line->data[first], end - first, 0, 0);
	}
	line->enables = (struct glk_enables){ { 0 } };
}

static bool same_window(const struct glk_recency *r, const struct glk_recency_line *a, const struct glk_recency_line *b)
{
	return ((a->number ^ b->number) * GLK_LINE_BYTES & ~(r->partition->queue.range_bytes - 1)) == 0;
}

/* What leaves together. */
struct group {
	unsigned payload, runs;
	uint64_t begin, end; /* of the run of the last line that joined */
	const struct glk_recency_line *first;
};

/* Adds a line. Returns whether it continues the run of the last one, with which it leaves as one run. */
static bool join(const struct glk_recency *r, struct group *group, const struct glk_recency_line *line, const struct cost *cost)
{
	unsigned limit = r->partition->queue.max_payload_bytes;
	uint64_t begin = line->number * GLK_LINE_BYTES + cost->first, end = begin + cost->bytes;

	if (!group->runs)
		group->first = line;
	if (group->runs && cost->runs == 1 && (begin == group->end || end == group->begin) && begin / limit == group->begin / limit) {
		group->payload += cost->bytes;
		group->begin = begin < group->begin ? begin : group->begin;
		group->end = end > group->end ? end : group->end;
		return true;
	}
	group->payload += cost->payload;
	group->runs += cost->runs;
	group->begin = begin;
	group->end = cost->runs == 1 ? end : begin;
	return false;
}

/* Lets further lines leave with the group, the least recently stored first, while they fit into a packet and the bank pays. */
static uint64_t add_early(struct glk_recency *r, struct group *group, const struct range *range)
{
	uint64_t bytes = 0;

	for (unsigned at = r->used; at--;) {
		struct glk_recency_line *line = &r->line[r->order[at]];
		struct group all = *group;
		struct cost cost;
		unsigned charge;
		bool continues;

		if (!holds_bytes(line) || within(line, range) || !same_window(r, group->first, line))
			continue;
		cost = cost_of(r, line);
		charge = cost.bytes + GLK_TLP_OVERHEAD_BYTES * cost.runs;
		continues = join(r, &all, line, &cost);
		if ((int)charge > r->bank || (!continues && (all.payload > r->partition->queue.max_payload_bytes ||
							     all.runs > GLK_PACKING_RUNS)))
			break;
		r->bank -= (int)charge;
		line->charge = charge;
		bytes += continues ? cost.bytes : cost.payload;
		pass(r, line);
		*group = all;
	}
	return bytes;
}

/* Frees entries: the least recently stored lines leave, except those of a range. */
static void leave(struct glk_recency *r, unsigned count, const struct range *range)
{
	struct group group = { 0 };
	uint64_t expected = wire_bytes(r);

	for (unsigned at = r->used; count && at--;) {
		uint8_t index = r->order[at];
		struct glk_recency_line *line = &r->line[index];

		if (within(line, range))
			continue;
		if (holds_bytes(line)) {
			struct cost cost = cost_of(r, line);

			if (group.runs && !same_window(r, group.first, line)) {
				glk_partition_flush(r->partition, GLK_FLUSH_ENTRIES_FULL);
				group.runs = 0;
			}
			join(r, &group, line, &cost);
			expected += cost.alone;
			pay_in(r, (GLK_TLP_OVERHEAD_BYTES + cost.bytes) / GLK_RECENCY_SHARE);
			pass(r, line);
		} else {
			settle(r, line);
		}
		r->used--;
		memmove(&r->order[at], &r->order[at + 1], r->used - at);
		r->order[r->used] = index; /* free */
		count--;
	}
	if (group.runs)
		expected += add_early(r, &group, range);
	glk_partition_flush(r->partition, GLK_FLUSH_ENTRIES_FULL);
	balance(r, expected);
}

/* The place of a line in the order; `used` if it has none. */
static unsigned place_of(const struct glk_recency *r, uint64_t number)
{
	unsigned at = 0;

	while (at < r->used && r->line[r->order[at]].number != number)
		at++;
	return at;
}

/* Moves a line to the front; one without an entry takes a free one. */
static struct glk_recency_line *touch(struct glk_recency *r, uint64_t number)
{
	unsigned at = place_of(r, number);
	uint8_t index = r->order[at];

	if (at == r->used)
		r->used++;
	memmove(&r->order[1], &r->order[0], at);
	r->order[0] = index;
	r->line[index].number = number;
	return &r->line[index];
}

/* Stores to no more lines than there are. */
static void store_lines(struct glk_recency *r, uint64_t address, const uint8_t *from, size_t length)
{
	struct range range = { address / GLK_LINE_BYTES, (address + length - 1) / GLK_LINE_BYTES };
	unsigned missing = 0;

	for (uint64_t number = range.first; number <= range.last; number++)
		missing += place_of(r, number) == r->used;
	if (r->used + missing > r->lines)
		leave(r, r->used + missing - r->lines, &range);
	while (length) {
		unsigned first = (unsigned)address & (GLK_LINE_BYTES - 1), room = GLK_LINE_BYTES - first;
		unsigned piece = length < room ? (unsigned)length : room;
		struct glk_recency_line *line = touch(r, address / GLK_LINE_BYTES);

		for (unsigned byte = first; byte < first + piece; byte++)
			line->enables.word[byte / 64] |= 1ULL << byte % 64;
		memcpy(&line->data[first], from, piece);
		address += piece;
		from += piece;
		length -= piece;
	}
}

void glk_recency_store(struct glk_recency *r, uint64_t address, const void *data, size_t length)
{
	uint64_t block = (uint64_t)r->lines * GLK_LINE_BYTES;
	const uint8_t *from = data;

	while (length) {
		size_t room = (size_t)(block - address % block), part = length < room ? length : room;

		store_lines(r, address, from, part);
		address += part;
		from += part;
		length -= part;
	}
}

bool glk_recency_hits(const struct glk_recency *r, uint64_t address, uint64_t length)
{
	for (unsigned i = 0; i < r->used; i++) {
		const struct glk_recency_line *line = &r->line[r->order[i]];
		uint64_t start = line->number * GLK_LINE_BYTES, end = address + length;
		unsigned from = address > start ? (address - start < GLK_LINE_BYTES ? (unsigned)(address - start) : GLK_LINE_BYTES) : 0;
		unsigned hit = glk_next_byte(&line->enables, from, true);

		if (hit < GLK_LINE_BYTES && start + hit < end)
			return true;
	}
	return false;
}

void glk_recency_flush(struct glk_recency *r, unsigned reason)
{
	uint64_t expected = wire_bytes(r);

	for (unsigned i = 0; i < r->used; i++)
		settle(r, &r->line[r->order[i]]);
	for (unsigned i = 0; i < r->used; i++) {
		const struct glk_recency_line *first = &r->line[r->order[i]];

		/* With all others of its window. */
		for (unsigned other = r->used; other-- > i && holds_bytes(first);) {
			struct glk_recency_line *line = &r->line[r->order[other]];
			struct cost cost = cost_of(r, line);

			if (cost.runs && same_window(r, first, line)) {
				expected += GLK_TLP_OVERHEAD_BYTES + cost.bytes;
				pass(r, line);
			}
		}
		glk_partition_flush(r->partition, reason);
	}
	if (wire_bytes(r) < expected)
		balance(r, expected);
	r->used = 0;
}
