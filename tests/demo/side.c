// SPDX-License-Identifier: Apache-2.0
#include "side.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_IN_FLIGHT = 8 };

_Static_assert(BATCH_STORES * (RANK_BYTES + 8u) <= GPULINK_VECTOR_BYTES, "a batch fits into a put vector");

int fail(char *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, PAGERANK_REASON_BYTES, format, arguments);
	va_end(arguments);
	return -1;
}

/* Takes completions until at most `most` operations are in flight. */
static int reap(struct side *side, uint64_t most, char *reason)
{
	struct gpulink_completion done[MOST_IN_FLIGHT];

	while (side->submitted - side->completed > most) {
		int count = gpulink_wait(side->device, done, MOST_IN_FLIGHT, 1, WAIT_NS);

		if (count < 0)
			return fail(reason, "wait for the ring: %s", gpulink_error_text(count));
		if (!count || (uint64_t)count > side->submitted - side->completed)
			return fail(reason, "wait for the ring: %d completions of %" PRIu64 " operations", count,
				    side->submitted - side->completed);
		for (int i = 0; i < count; i++, side->completed++) {
			if (done[i].tag != side->completed)
				return fail(reason, "the ring completed operation %" PRIu64 ", %" PRIu64 " is next",
					    done[i].tag, side->completed);
			if (done[i].error)
				return fail(reason, "put %" PRIu64 ": %s (status %" PRIu32 ")", done[i].tag,
					    gpulink_strerror(done[i].error), done[i].status);
		}
	}
	return 0;
}

/* The card reads an entry, in which a single rank is, and a vector's records, in completions of up to 512 bytes. */
static uint64_t operation_bytes(size_t stores)
{
	enum { ENTRY = 64, READ = 512, COMPLETION = 20, RECORD = RANK_BYTES + 8 };
	uint64_t records = stores > 1 ? stores * RECORD : 0;

	return ENTRY + COMPLETION + records + (records + READ - 1) / READ * COMPLETION;
}

static int send_batch(struct side *side, unsigned e, char *reason)
{
	struct lane *lane = &side->lane[e];
	int error;

	if (!lane->batched)
		return 0;
	if (reap(side, MOST_IN_FLIGHT - 1, reason))
		return -1;
	if (lane->batched == 1)
		error = gpulink_put(lane->window, lane->batch[0].offset, lane->batch[0].data, RANK_BYTES, side->submitted);
	else
		error = gpulink_put_vector(lane->window, lane->batch, lane->batched, side->submitted);
	if (error)
		return fail(reason, "put into endpoint %u: %s", e, gpulink_error_text(error));
	side->submitted++;
	lane->ring_bytes += operation_bytes(lane->batched);
	lane->batched = 0;
	return 0;
}

int side_push(struct side *side, unsigned e, uint64_t offset, uint64_t bits, char *reason)
{
	struct lane *lane = &side->lane[e];

	lane->stores++;
	if (e == 0) {
		int error = gpulink_store(lane->window, offset, &bits, sizeof(bits));

		return error ? fail(reason, "store into endpoint 0: %s", gpulink_error_text(error)) : 0;
	}
	lane->values[lane->batched] = bits;
	lane->batch[lane->batched] =
		(struct gpulink_vector){.offset = offset, .data = &lane->values[lane->batched], .bytes = RANK_BYTES};
	lane->batched++;
	return lane->batched == BATCH_STORES ? send_batch(side, e, reason) : 0;
}

int side_flush(struct side *side, unsigned endpoints, char *reason)
{
	for (unsigned e = 0; e < endpoints; e++)
		if (send_batch(side, e, reason))
			return -1;
	return reap(side, 0, reason);
}
