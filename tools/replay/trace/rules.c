// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <inttypes.h>
#include <stdio.h>

const char *trace_kind_name(unsigned kind)
{
	static const char *const names[] = {
		[REPLAY_STORE] = "store",     [REPLAY_LOAD] = "load", [REPLAY_ATOMIC] = "atomic",
		[REPLAY_RELEASE] = "release", [REPLAY_COPY] = "copy", [REPLAY_BARRIER] = "barrier",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

/* From where to where. A barrier is of all GPUs. */
static const char *check_gpus(const struct trace_rules *r, const struct replay_op *op, char *room)
{
	if (op->kind == REPLAY_BARRIER)
		return op->source || op->destination ? "a barrier applies to all GPUs: source and destination must be 0" : NULL;
	if (op->source >= r->gpus || op->destination >= r->gpus) {
		snprintf(room, REPLAY_ERROR_BYTES, "from GPU %u to GPU %u: the trace has %u GPUs, numbered from 0", op->source,
			 op->destination, r->gpus);
		return room;
	}
	if (op->source == op->destination) {
		snprintf(room, REPLAY_ERROR_BYTES, "from GPU %u to itself: source and destination must differ", op->source);
		return room;
	}
	return NULL;
}

static const char *check_time(const struct trace_rules *r, const struct replay_op *op, char *room)
{
	unsigned first = op->source, end = op->source + 1u;

	if (op->kind == REPLAY_BARRIER) {
		first = 0;
		end = r->gpus;
	}
	for (unsigned gpu = first; gpu < end; gpu++) {
		if (op->time_ps < r->last[gpu]) {
			snprintf(room, REPLAY_ERROR_BYTES,
				 "time %" PRIu64 " ps after %" PRIu64 " ps of GPU %u: time must not decrease within a source",
				 op->time_ps, r->last[gpu], gpu);
			return room;
		}
	}
	return NULL;
}

/* Operations on the bytes of one line. */
static const char *check_line(const struct replay_op *op, char *room)
{
	if (op->kind == REPLAY_ATOMIC && op->size != 4 && op->size != 8) {
		snprintf(room, REPLAY_ERROR_BYTES, "an atomic of %" PRIu32 " bytes: must be 4 or 8", op->size);
		return room;
	}
	if (op->size < 1 || op->size > REPLAY_STORE_MAX) {
		snprintf(room, REPLAY_ERROR_BYTES, "a %s of %" PRIu32 " bytes: must be 1 to %d", trace_kind_name(op->kind),
			 op->size, REPLAY_STORE_MAX);
		return room;
	}
	if (op->address % REPLAY_STORE_MAX + op->size > REPLAY_STORE_MAX) {
		snprintf(room, REPLAY_ERROR_BYTES, "%" PRIu32 " bytes at 0x%" PRIx64 " cross the end of a line of %d bytes",
			 op->size, op->address, REPLAY_STORE_MAX);
		return room;
	}
	return NULL;
}

static const char *check_extent(const struct trace_rules *r, const struct replay_op *op, char *room)
{
	switch (op->kind) {
	case REPLAY_RELEASE:
		return op->size || op->address ? "a release has no address or size: both must be 0" : NULL;
	case REPLAY_BARRIER:
		if (op->address)
			return "a barrier has no address: it must be 0";
		if (op->size == r->phases)
			return NULL;
		snprintf(room, REPLAY_ERROR_BYTES, "barrier number %" PRIu32 " (its size): must be %" PRIu64,
			 op->size, r->phases);
		return room;
	case REPLAY_COPY:
		if (op->size > 0 && op->address + op->size <= REPLAY_ADDRESS_END)
			return NULL;
		snprintf(room, REPLAY_ERROR_BYTES,
			 "a copy of %" PRIu32 " bytes to 0x%" PRIx64 ": must be at least 1 byte, below 2^48", op->size,
			 op->address);
		return room;
	default:
		return check_line(op, room);
	}
}

const char *trace_rules_check(struct trace_rules *r, const struct replay_op *op, char room[REPLAY_ERROR_BYTES])
{
	const char *wrong = NULL;

	if (!trace_kind_name(op->kind)) {
		snprintf(room, REPLAY_ERROR_BYTES, "operation %u is unknown: must be %d to %d", op->kind, REPLAY_STORE,
			 REPLAY_BARRIER);
		return room;
	}
	if (op->reserved) {
		snprintf(room, REPLAY_ERROR_BYTES, "a reserved byte is %u: must be 0", op->reserved);
		return room;
	}
	if (op->address >= REPLAY_ADDRESS_END) {
		snprintf(room, REPLAY_ERROR_BYTES, "address 0x%" PRIx64 ": must be below 2^48", op->address);
		return room;
	}
	wrong = check_gpus(r, op, room);
	wrong = wrong ? wrong : check_extent(r, op, room);
	wrong = wrong ? wrong : check_time(r, op, room);
	if (wrong)
		return wrong;
	r->last[op->source] = op->time_ps;
	if (op->kind == REPLAY_BARRIER) {
		r->phases++;
		for (unsigned gpu = 0; gpu < r->gpus; gpu++)
			r->last[gpu] = op->time_ps;
	}
	return NULL;
}
