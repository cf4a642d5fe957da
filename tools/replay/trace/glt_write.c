// SPDX-License-Identifier: Apache-2.0
/* Writing .glt. */
#include "glt.h"

#include <string.h>

#include "little.h"
#include "write.h"

/* From this number of runs on a mask, of two records, is shorter. */
enum { MASK_FROM = 3 };

static uint8_t *glt_write_take(struct replay_trace_writer *w, size_t bytes, int *rc)
{
	uint8_t *at = trace_output_take(&w->output, bytes, rc, &w->error);

	if (at)
		memset(at, 0, bytes);
	return at;
}

int trace_glt_begin(struct replay_trace_writer *w)
{
	int rc = 0;
	uint8_t *header = glt_write_take(w, GLT_HEADER, &rc);

	if (!header)
		return rc;
	memcpy(header, GLT_MAGIC, GLT_MAGIC_BYTES);
	put32(header + GLT_AT_VERSION, GLT_VERSION);
	put32(header + GLT_AT_GPUS, w->rules.gpus);
	return 0;
}

static int put_record(struct replay_trace_writer *w, const struct replay_op *op, unsigned form)
{
	int rc = 0;
	uint8_t *slot = glt_write_take(w, GLT_SLOT, &rc);

	if (!slot)
		return rc;
	put64(slot + GLT_AT_TIME, op->time_ps);
	put64(slot + GLT_AT_ADDRESS, op->address);
	put32(slot + GLT_AT_SIZE, op->size);
	slot[GLT_AT_KIND] = op->kind;
	slot[GLT_AT_SOURCE] = op->source;
	slot[GLT_AT_DESTINATION] = op->destination;
	slot[GLT_AT_FORM] = (uint8_t)form;
	w->records++;
	return 0;
}

static int put_mask(struct replay_trace_writer *w)
{
	struct replay_op op = w->gathered;
	uint8_t *slot;
	int rc;

	op.address -= op.address % REPLAY_STORE_MAX;
	op.size = 0;
	rc = put_record(w, &op, GLT_FORM_MASK);
	if (rc)
		return rc;
	slot = glt_write_take(w, GLT_SLOT, &rc);
	if (!slot)
		return rc;
	put64(slot, w->mask.words[0]);
	put64(slot + 8, w->mask.words[1]);
	slot[GLT_AT_KIND] = GLT_KIND_MASK;
	w->records++;
	return 0;
}

/* Writes what was gathered. */
static int put_gathered(struct replay_trace_writer *w)
{
	const unsigned runs = w->runs;
	struct replay_op op = w->gathered;
	const uint64_t line = op.address - op.address % REPLAY_STORE_MAX;
	unsigned begin, end = 0;
	int rc = 0;

	w->runs = 0;
	if (runs == 0)
		return 0;
	if (runs == 1)
		return put_record(w, &op, GLT_FORM_RUN);
	if (runs >= MASK_FROM)
		return put_mask(w);
	while (!rc && line_mask_run(&w->mask, end, &begin, &op.size)) {
		op.address = line + begin;
		end = begin + op.size;
		rc = put_record(w, &op, GLT_FORM_RUN);
	}
	return rc;
}

/* Whether a mask can hold an operation beside what was gathered, and give it back as it is. */
static bool belongs(const struct replay_trace_writer *w, const struct replay_op *op)
{
	const struct replay_op *first = &w->gathered;

	return w->runs && op->address > w->end && op->address / REPLAY_STORE_MAX == first->address / REPLAY_STORE_MAX &&
	       op->time_ps == first->time_ps && op->kind == first->kind && op->source == first->source &&
	       op->destination == first->destination;
}

int trace_glt_put(struct replay_trace_writer *w, const struct replay_op *op)
{
	if (!belongs(w, op)) {
		int rc = put_gathered(w);

		if (rc)
			return rc;
		if (op->kind != REPLAY_STORE && op->kind != REPLAY_LOAD)
			return put_record(w, op, GLT_FORM_RUN);
		w->gathered = *op;
		w->mask = (struct line_mask){{0}};
	}
	line_mask_add(&w->mask, (unsigned)(op->address % REPLAY_STORE_MAX), op->size);
	w->end = op->address + op->size;
	w->runs++;
	return 0;
}

int trace_glt_end(struct replay_trace_writer *w)
{
	struct replay_op end = {.kind = GLT_KIND_END};
	int rc = put_gathered(w);

	end.time_ps = w->records;
	end.address = w->operations;
	return rc ? rc : put_record(w, &end, GLT_FORM_RUN);
}
