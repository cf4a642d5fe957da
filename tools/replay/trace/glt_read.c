// SPDX-License-Identifier: Apache-2.0
/* Reading .glt. */
#include "glt.h"

#include <errno.h>
#include <inttypes.h>

#include "line_mask.h"
#include "little.h"
#include "read.h"

int trace_glt_header(struct replay_trace *t, struct failure *error)
{
	const char *name = t->input.name;
	const uint8_t *header;
	int rc = trace_input_more(&t->input, GLT_HEADER, error);

	if (rc)
		return rc;
	if (trace_input_left(&t->input) < GLT_HEADER)
		return failure_set(error, -EINVAL, "%s: ends within the header of %d bytes: the trace is truncated", name,
				   GLT_HEADER);
	header = t->input.bytes + t->input.next;
	if (get32(header + GLT_AT_VERSION) != GLT_VERSION)
		return failure_set(error, -EINVAL, "%s: trace format version %" PRIu32 ": must be %d", name,
				   get32(header + GLT_AT_VERSION), GLT_VERSION);
	t->info.gpus = get32(header + GLT_AT_GPUS);
	if (t->info.gpus < 1 || t->info.gpus > REPLAY_GPUS_MAX)
		return failure_set(error, -EINVAL, "%s: %u GPUs in the header: must be 1 to %d", name, t->info.gpus,
				   REPLAY_GPUS_MAX);
	for (unsigned at = GLT_AT_RESERVED; at < GLT_HEADER; at++) {
		if (header[at])
			return failure_set(error, -EINVAL, "%s: byte %u of the header is reserved and 0x%02x: must be 0", name,
					   at, header[at]);
	}
	trace_input_skip(&t->input, GLT_HEADER);
	return 0;
}

static struct replay_op decode(const uint8_t *slot)
{
	return (struct replay_op){
		.time_ps = get64(slot + GLT_AT_TIME),
		.address = get64(slot + GLT_AT_ADDRESS),
		.size = get32(slot + GLT_AT_SIZE),
		.kind = slot[GLT_AT_KIND],
		.source = slot[GLT_AT_SOURCE],
		.destination = slot[GLT_AT_DESTINATION],
		.reserved = slot[GLT_AT_FORM],
	};
}

/* One operation a run of bytes in the mask, which the record after `op` holds. */
static int scatter(struct replay_trace *t, struct replay_op op, const uint8_t *slot, struct failure *error)
{
	const struct line_mask mask = {{get64(slot), get64(slot + 8)}};
	const uint64_t line = op.address;
	unsigned begin, size;
	int rc = 0;

	if (op.kind != REPLAY_STORE && op.kind != REPLAY_LOAD)
		return trace_wrong(t, error, "operation %u has a mask: only stores (%d) and loads (%d) can", op.kind,
				   REPLAY_STORE, REPLAY_LOAD);
	if (op.size || line % REPLAY_STORE_MAX)
		return trace_wrong(t, error, "size %" PRIu32 ", address 0x%" PRIx64 " with a mask: the size is 0 and the "
				   "address that of a line of %d bytes", op.size, line, REPLAY_STORE_MAX);
	if (slot[GLT_AT_KIND] != GLT_KIND_MASK)
		return trace_wrong(t, error, "no mask (kind %d) follows, but kind %u", GLT_KIND_MASK, slot[GLT_AT_KIND]);
	if (get32(slot + GLT_AT_SIZE) || slot[GLT_AT_SOURCE] || slot[GLT_AT_DESTINATION] || slot[GLT_AT_FORM])
		return trace_wrong(t, error, "reserved bytes of its mask are not 0");
	if (!line_mask_run(&mask, 0, &begin, &size))
		return trace_wrong(t, error, "its mask is empty: must be 1 to %d", REPLAY_STORE_MAX);
	op.reserved = 0;
	do {
		op.address = line + begin;
		op.size = size;
		rc = trace_add(t, &op, error);
	} while (!rc && line_mask_run(&mask, begin + size, &begin, &size));
	return rc;
}

static int check_end(struct replay_trace *t, const uint8_t *slot, struct failure *error)
{
	uint64_t operations = t->info.operations + t->count;
	int rc;

	if (get32(slot + GLT_AT_SIZE) || slot[GLT_AT_SOURCE] || slot[GLT_AT_DESTINATION] || slot[GLT_AT_FORM])
		return trace_wrong(t, error, "reserved bytes of the end record are not 0");
	if (get64(slot + GLT_AT_TIME) != t->record || get64(slot + GLT_AT_ADDRESS) != operations)
		return trace_wrong(t, error, "the end record counts %" PRIu64 " records and %" PRIu64 " operations, but %"
				   PRIu64 " and %" PRIu64 " came: the trace is damaged", get64(slot + GLT_AT_TIME),
				   get64(slot + GLT_AT_ADDRESS), t->record, operations);
	trace_input_skip(&t->input, GLT_SLOT);
	rc = trace_input_more(&t->input, 1, error);
	if (rc)
		return rc;
	if (trace_input_left(&t->input))
		return trace_wrong(t, error, "data after the end record");
	return 0;
}

/* A record that is not a plain load or store, and the mask after it. */
static int take_other(struct replay_trace *t, const uint8_t *slot, size_t left, struct failure *error)
{
	const struct replay_op op = decode(slot);
	int rc;

	if (op.reserved != GLT_FORM_MASK)
		return trace_add(t, &op, error);
	if (left < 2 * GLT_SLOT)
		return trace_wrong(t, error, "ends before its mask: the trace is truncated");
	rc = scatter(t, op, slot + GLT_SLOT, error);
	if (rc)
		return rc;
	trace_input_skip(&t->input, GLT_SLOT);
	t->record++;
	return 0;
}

/* Loads and stores up to another record, as far as the batch and what was read go. */
static int take_plain(struct replay_trace *t)
{
	const uint8_t *slot = t->input.bytes + t->input.next;
	const size_t there = trace_input_left(&t->input) / GLT_SLOT, room = REPLAY_BATCH - t->count;
	const size_t most = there < room ? there : room;
	struct replay_op *to = t->batch + t->count;
	size_t n = 0;

	for (; n < most; n++, slot += GLT_SLOT) {
		to[n] = decode(slot);
		if (!trace_rules_plain(&t->rules, &to[n]))
			break;
	}
	t->count += n;
	t->record += n;
	trace_input_skip(&t->input, n * GLT_SLOT);
	return t->count == REPLAY_BATCH ? trace_push(t) : 0;
}

int trace_glt_run(struct replay_trace *t, struct failure *error)
{
	struct trace_input *in = &t->input;

	for (;;) {
		const uint8_t *slot;
		int rc = trace_input_more(in, 2 * GLT_SLOT, error);

		rc = rc ? rc : take_plain(t);
		if (rc)
			return rc;
		t->record_offset = in->offset;
		if (trace_input_left(in) < 2 * GLT_SLOT && !in->end)
			continue;
		if (trace_input_left(in) < GLT_SLOT)
			return trace_wrong(t, error, "ends without an end record: the trace is truncated");
		slot = in->bytes + in->next;
		if (slot[GLT_AT_KIND] == GLT_KIND_END)
			return check_end(t, slot, error);
		rc = take_other(t, slot, trace_input_left(in), error);
		if (rc)
			return rc;
		trace_input_skip(in, GLT_SLOT);
		t->record++;
	}
}
