// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <errno.h>
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
static int check_gpus(const struct trace_rules *r, const struct replay_op *op, struct failure *wrong)
{
	if (op->kind == REPLAY_BARRIER)
		return op->source || op->destination ?
			       failure_set(wrong, -EINVAL, "a barrier applies to all GPUs: source and destination must be 0") :
			       0;
	if (op->source >= r->gpus || op->destination >= r->gpus)
		return failure_set(wrong, -EINVAL, "from GPU %u to GPU %u: the trace has %u GPUs, numbered from 0", op->source,
				   op->destination, r->gpus);
	if (op->source == op->destination)
		return failure_set(wrong, -EINVAL, "from GPU %u to itself: source and destination must differ", op->source);
	return 0;
}

static int check_time(const struct trace_rules *r, const struct replay_op *op, struct failure *wrong)
{
	unsigned first = op->source, end = op->source + 1u;

	if (op->kind == REPLAY_BARRIER) {
		first = 0;
		end = r->gpus;
	}
	for (unsigned gpu = first; gpu < end; gpu++) {
		if (op->time_ps < r->last[gpu])
			return failure_set(wrong, -EINVAL,
					   "time %" PRIu64 " ps after %" PRIu64
					   " ps of GPU %u: time must not decrease within a source",
					   op->time_ps, r->last[gpu], gpu);
	}
	return 0;
}

/* Operations on the bytes of one line. */
static int check_line(const struct replay_op *op, struct failure *wrong)
{
	if (op->kind == REPLAY_ATOMIC && op->size != 4 && op->size != 8)
		return failure_set(wrong, -EINVAL, "an atomic of %" PRIu32 " bytes: must be 4 or 8", op->size);
	if (op->size < 1 || op->size > REPLAY_STORE_MAX)
		return failure_set(wrong, -EINVAL, "a %s of %" PRIu32 " bytes: must be 1 to %d", trace_kind_name(op->kind),
				   op->size, REPLAY_STORE_MAX);
	if (op->address % REPLAY_STORE_MAX + op->size > REPLAY_STORE_MAX)
		return failure_set(wrong, -EINVAL, "%" PRIu32 " bytes at 0x%" PRIx64 " cross the end of a line of %d bytes",
				   op->size, op->address, REPLAY_STORE_MAX);
	return 0;
}

static int check_extent(const struct trace_rules *r, const struct replay_op *op, struct failure *wrong)
{
	switch (op->kind) {
	case REPLAY_RELEASE:
		return op->size || op->address ?
			       failure_set(wrong, -EINVAL, "a release has no address or size: both must be 0") :
			       0;
	case REPLAY_BARRIER:
		if (op->address)
			return failure_set(wrong, -EINVAL, "a barrier has no address: it must be 0");
		if (op->size == r->phases)
			return 0;
		return failure_set(wrong, -EINVAL, "barrier number %" PRIu32 " (its size): must be %" PRIu64, op->size,
				   r->phases);
	case REPLAY_COPY:
		if (op->size > 0 && op->address + op->size <= REPLAY_ADDRESS_END)
			return 0;
		return failure_set(wrong, -EINVAL,
				   "a copy of %" PRIu32 " bytes to 0x%" PRIx64 ": must be at least 1 byte, below 2^48",
				   op->size, op->address);
	default: return check_line(op, wrong);
	}
}

int trace_rules_check(struct trace_rules *r, const struct replay_op *op, struct failure *wrong)
{
	int rc;

	if (!trace_kind_name(op->kind))
		return failure_set(wrong, -EINVAL, "operation %u is unknown: must be %d to %d", op->kind, REPLAY_STORE,
				   REPLAY_BARRIER);
	if (op->reserved)
		return failure_set(wrong, -EINVAL, "a reserved byte is %u: must be 0", op->reserved);
	if (op->address >= REPLAY_ADDRESS_END)
		return failure_set(wrong, -EINVAL, "address 0x%" PRIx64 ": must be below 2^48", op->address);
	rc = check_gpus(r, op, wrong);
	rc = rc ? rc : check_extent(r, op, wrong);
	rc = rc ? rc : check_time(r, op, wrong);
	if (rc)
		return rc;
	r->last[op->source] = op->time_ps;
	if (op->kind == REPLAY_BARRIER) {
		r->phases++;
		for (unsigned gpu = 0; gpu < r->gpus; gpu++)
			r->last[gpu] = op->time_ps;
	}
	return 0;
}
