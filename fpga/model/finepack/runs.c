// SPDX-License-Identifier: Apache-2.0
#include "finepack/runs.h"

#include "base/bytes.h"
#include "finepack/enables.h"

/* Insertion sort by address: most entries are nearly in order. */
static void sort_entries(const struct glk_write_queue *queue, uint8_t order[GLK_QUEUE_ENTRIES_MAX])
{
	for (unsigned i = 0; i < queue->used; i++) {
		unsigned at = i;

		for (; at > 0 && queue->line[order[at - 1]] > queue->line[i]; at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
}

static void add_run(struct glk_runs *runs, uint64_t address, unsigned length, unsigned entry, unsigned cut)
{
	struct glk_run *next = &runs->run[runs->count];

	if (runs->count && next[-1].address + next[-1].length == address && (!cut || address % cut)) {
		next[-1].length = (uint16_t)(next[-1].length + length);
		return;
	}
	*next = (struct glk_run){ .address = address, .length = (uint16_t)length, .entry = (uint8_t)entry };
	runs->count++;
}

void glk_runs_find(struct glk_runs *runs, const struct glk_write_queue *queue, unsigned cut)
{
	runs->queue = queue;
	runs->count = 0;
	sort_entries(queue, runs->order);
	for (unsigned i = 0; i < queue->used; i++) {
		const struct glk_enables *enables = &queue->enables[runs->order[i]];
		uint64_t line = glk_line_address(queue, runs->order[i]);
		unsigned end;

		for (unsigned first = glk_next_byte(enables, 0, true); first < GLK_LINE_BYTES;
		     first = glk_next_byte(enables, end, true)) {
			end = glk_next_byte(enables, first, false);
			add_run(runs, line + first, end - first, i, cut);
		}
	}
}

uint8_t *glk_runs_copy(uint8_t *to, const struct glk_runs *runs, const struct glk_run *run)
{
	unsigned line_bytes = glk_line_bytes(runs->queue), first = (unsigned)run->address & (line_bytes - 1);
	unsigned left = run->length;

	for (unsigned at = run->entry; left; at++, first = 0) {
		unsigned part = line_bytes - first < left ? line_bytes - first : left;

		glk_copy_run(to, &runs->queue->data[glk_line_place(runs->queue, runs->order[at]) + first], part);
		to += part;
		left -= part;
	}
	return to;
}
