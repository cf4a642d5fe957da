// SPDX-License-Identifier: Apache-2.0
/*
 * The transfers of agents other than CARD: puts of the default queue, which count themselves in the region while they are in
 * flight. Signals go behind a release, as stores to other addresses than the chunk's are not ordered, and before another one,
 * which sends them.
 */
#include <endian.h>
#include <string.h>

#include <gpulink_regs.h>

#include "client_region.h"

static void transfer_begin(struct gpulink_region *region)
{
	__atomic_fetch_add(&region->transfers, 1, __ATOMIC_SEQ_CST);
}

static void transfer_end(struct gpulink_region *region)
{
	__atomic_fetch_sub(&region->transfers, 1, __ATOMIC_SEQ_CST);
}

/* The first error remains. */
static void note(struct gpulink_region *region, unsigned target, int error)
{
	uint32_t targets = target == GLK_EVERY_TARGET ? (1u << region->target_count) - 1 : 1u << target;
	int none = 0;

	__atomic_fetch_or(&region->failed_targets, targets, __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(&region->error, &none, error, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void completed(const struct glk_flight *flight, int error)
{
	struct gpulink_region *region = flight->region;

	if (error)
		note(region, flight->target, error);
	if (flight->kind == GLK_KIND_REGION_RELEASE && flight->offset)
		__atomic_store_n(&region->visible, flight->offset, __ATOMIC_RELEASE);
	else
		transfer_end(region);
}

static bool has_failed(const struct gpulink_region *region, unsigned target)
{
	return __atomic_load_n(&region->failed_targets, __ATOMIC_RELAXED) & 1u << target;
}

static struct glk_flight flight_of(struct gpulink_region *region, unsigned target, enum glk_kind kind)
{
	return (struct glk_flight){ .kind = kind, .stage = -1, .region = region, .target = target,
				    .completed = completed };
}

/* What was counted for an operation that was not submitted. */
static int settle(struct gpulink_region *region, unsigned target, int error)
{
	if (error) {
		note(region, target, error);
		transfer_end(region);
	}
	return error;
}

static int put_chunk(struct gpulink_region *region, unsigned target, uint64_t at, uint64_t bytes)
{
	const struct gpulink_region_target *to = &region->targets[target];
	const struct glk_flight flight = flight_of(region, target, GLK_KIND_OPERATION);

	transfer_begin(region);
	return settle(region, target,
		      glk_put_memory(&region->device->queue, to->window, to->offset + at, region->source, region->offset + at,
				     (size_t)bytes, GPULINK_NO_TAG, &flight));
}

static int put_signal(struct gpulink_region *region, unsigned target, uint32_t chunk)
{
	const struct gpulink_region_target *to = &region->targets[target];
	const struct glk_flight flight = flight_of(region, target, GLK_KIND_OPERATION);
	const uint64_t epoch = htole64(glk_region_epoch(region));

	transfer_begin(region);
	return settle(region, target,
		      glk_put_inline(&region->device->queue, to->window, to->flags_offset + UINT64_C(8) * chunk, &epoch,
				     sizeof(epoch), GPULINK_NO_TAG, &flight));
}

int glk_region_release(struct gpulink_region *region, uint64_t epoch)
{
	static const uint64_t entry[GLK_SQE_WORDS] = { GLK_OP_RELEASE, [GLK_SQE_TAG_Q] = GPULINK_NO_TAG };
	struct glk_flight flight = flight_of(region, GLK_EVERY_TARGET, GLK_KIND_REGION_RELEASE);

	flight.offset = epoch;
	if (epoch) /* nothing of it has to be sent */
		return glk_queue_submit(&region->device->queue, entry, &flight, true);
	transfer_begin(region);
	return settle(region, GLK_EVERY_TARGET, glk_queue_submit(&region->device->queue, entry, &flight, true));
}

static int release_chunk(struct gpulink_region *region)
{
	int error;

	glk_queue_lock(&region->device->queue);
	error = glk_region_release(region, 0);
	glk_queue_unlock(&region->device->queue);
	return error;
}

static int send_signals(struct gpulink_region *region, uint32_t chunk)
{
	int error = release_chunk(region), failed = 0;

	if (error)
		return error;
	for (unsigned t = 0; t < region->target_count; t++) {
		if (!(region->targets[t].flags & GPULINK_TARGET_SIGNAL) || has_failed(region, t))
			continue;
		failed = put_signal(region, t, chunk);
		error = error ? error : failed;
	}
	failed = release_chunk(region);
	return error ? error : failed;
}

/* All that remains of the chunk's epoch is in flight when `left` is reduced. */
int glk_region_send(struct gpulink_region *region, uint32_t chunk, bool complete)
{
	uint64_t at = chunk * region->chunk_bytes, bytes = region->bytes - at;
	int error = 0, failed;

	bytes = bytes < region->chunk_bytes ? bytes : region->chunk_bytes;
	transfer_begin(region);
	for (unsigned t = 0; region->agent != GPULINK_AGENT_INLINE && t < region->target_count; t++) {
		if (has_failed(region, t))
			continue;
		failed = put_chunk(region, t, at, bytes);
		error = error ? error : failed;
	}
	if (complete && region->signals) {
		failed = send_signals(region, chunk);
		error = error ? error : failed;
	}
	if (complete)
		__atomic_fetch_sub(&region->left, 1, __ATOMIC_SEQ_CST);
	transfer_end(region);
	return error;
}

/* Takes a chunk that is complete and not sent; its bit is cleared by one thread only. */
static bool take_listed(struct gpulink_region *region, uint32_t *chunk)
{
	for (uint32_t i = 0; i < (region->chunks + 63) / 64; i++) {
		uint64_t word = __atomic_load_n(&region->listed[i], __ATOMIC_RELAXED);

		while (word) {
			uint64_t bit = word & -word;

			word = __atomic_fetch_and(&region->listed[i], ~bit, __ATOMIC_ACQUIRE);
			*chunk = i * 64 + (uint32_t)__builtin_ctzll(bit);
			if (word & bit)
				return true;
		}
	}
	return false;
}

int gpulink_region_poll(struct gpulink_region *region, unsigned budget)
{
	int error = glk_region_check(region), sent = 0;
	uint32_t chunk;

	if (error)
		return error;
	if (region->agent != GPULINK_AGENT_POLLING)
		return 0;
	for (; !error && (unsigned)sent < budget && sent < INT32_MAX && take_listed(region, &chunk); sent++)
		error = glk_region_send(region, chunk, true);
	return error ? error : sent;
}

/* --- chunks that are not complete --- */

static int flush_card(struct gpulink_region *region)
{
	const struct glk_flight flight = { .stage = -1 };
	struct gpulink_queue *queue = &region->device->queue;
	uint64_t entry[GLK_SQE_WORDS] = { [GLK_SQE_TAG_Q] = GPULINK_NO_TAG };
	struct glk_result result = { 0 };
	struct glk_flight own = flight;
	GLK_UNCANCELLABLE(state);
	uint64_t number;
	int error;

	own.result = &result;
	entry[GLK_SQE_OPCODE_Q] |= (uint64_t)GLK_OP_REGION_FLUSH << GLK_SQE_OPCODE_SHIFT;
	entry[GLK_SQE_REGISTRATION_Q] |= (uint64_t)region->card.handle << GLK_SQE_REGISTRATION_SHIFT;
	glk_queue_lock(queue);
	error = glk_queue_submit(queue, entry, &own, true);
	if (!error) {
		number = queue->submitted - 1;
		error = glk_queue_await(queue, number + 1, glk_deadline(GLK_ROOM_TIMEOUT_NS));
		if (!result.complete)
			queue->flight[number % GLK_RING_MAX].result = NULL;
	}
	glk_queue_unlock(queue);
	return result.complete ? result.error : error;
}

int gpulink_region_flush(struct gpulink_region *region)
{
	int error = glk_region_check(region), failed;
	uint64_t epoch;

	if (error)
		return error;
	epoch = glk_region_epoch(region);
	if (!epoch)
		return glk_error(-GPULINK_EINVAL, "flush: gpulink_region_start() must come first");
	if (region->agent == GPULINK_AGENT_CARD)
		return flush_card(region);
	/* Before looking: the epoch is not sent, and the source not written again, until these puts have read it. */
	transfer_begin(region);
	for (uint32_t chunk = 0; chunk < region->chunks; chunk++)
		if (glk_region_take_dirty(region, epoch, chunk) && region->agent != GPULINK_AGENT_INLINE) {
			failed = glk_region_send(region, chunk, false);
			error = error ? error : failed;
		}
	transfer_end(region);
	return error;
}
