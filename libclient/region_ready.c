// SPDX-License-Identifier: Apache-2.0
/* Starts of epochs and arrivals: by the card's doorbell page, or by counters in the process. */
#include <gpulink_regs.h>

#include "client_region.h"

/* --- start --- */

static __attribute__((cold)) int not_sent(const struct gpulink_region *region)
{
	return glk_error(-GPULINK_EBUSY, "epoch %" PRIu64 " is not sent yet: wait for it with gpulink_region_wait()",
			 glk_region_epoch(region));
}

static int start_card(struct gpulink_region *region)
{
	const struct gpulink *device = region->device;
	struct glk_region_state state;
	int error = 0;

	if (region->epoch)
		error = device->ops->region_wait(device->backend, &region->card, GPULINK_LEVEL_SENT, region->epoch, 0, &state);
	if (error)
		return error == -GPULINK_ETIMEDOUT ? not_sent(region) : error;
	device->ops->region_write(device->backend, GLK_DOORBELL_START,
				  (uint64_t)region->card.handle << GLK_DOORBELL_START_REGION_SHIFT);
	return 0;
}

static int start_own(struct gpulink_region *region)
{
	struct gpulink_queue *queue = &region->device->queue;
	int error = 0;

	if (!glk_region_all_sent(region)) {
		glk_queue_lock(queue);
		error = glk_queue_take(queue);
		if (error >= 0)
			error = glk_queue_check_card(queue);
		glk_queue_unlock(queue);
	}
	if (!glk_region_all_sent(region))
		return error ? error : not_sent(region);
	__atomic_store_n(&region->error, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&region->failed_targets, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&region->left, region->expected, __ATOMIC_SEQ_CST);
	return 0;
}

int gpulink_region_start(struct gpulink_region *region)
{
	int error = glk_region_check(region);

	if (error)
		return error;
	error = region->agent == GPULINK_AGENT_CARD ? start_card(region) : start_own(region);
	if (!error)
		__atomic_store_n(&region->epoch, region->epoch + 1, __ATOMIC_RELEASE);
	return error;
}

/* --- arrivals --- */

static uint64_t arrival(const struct gpulink_region *region, uint64_t epoch, uint32_t chunk, uint32_t count)
{
	return (uint64_t)region->card.handle << GLK_DOORBELL_ARRIVE_REGION_SHIFT |
	       (uint64_t)chunk << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT | (uint64_t)count << GLK_DOORBELL_ARRIVE_COUNT_SHIFT |
	       ((epoch - 1) % GLK_REGION_EPOCHS + 1) << GLK_DOORBELL_ARRIVE_EPOCH_SHIFT;
}

static int region_ready_arrive(struct gpulink_region *region, uint64_t epoch, uint32_t chunk, uint32_t count)
{
	const struct gpulink *device = region->device;
	int last;

	if (region->agent == GPULINK_AGENT_CARD) {
		device->ops->region_write(device->backend, GLK_DOORBELL_ARRIVE, arrival(region, epoch, chunk, count));
		return 0;
	}
	/* Stores of gpulink_region_store() that this CPU holds: another thread may release. */
	if (region->agent == GPULINK_AGENT_INLINE)
		glk_flush_stores();
	last = glk_region_subtract(region, epoch, chunk, count);
	if (last <= 0)
		return last;
	if (region->agent == GPULINK_AGENT_POLLING) {
		__atomic_fetch_or(&region->listed[chunk / 64], UINT64_C(1) << chunk % 64, __ATOMIC_RELEASE);
		return 0;
	}
	return glk_region_send(region, chunk, true);
}

int gpulink_region_arrive(struct gpulink_region *region, uint32_t chunk, uint32_t count)
{
	int error = glk_region_check(region);
	uint64_t epoch;

	if (error)
		return error;
	epoch = glk_region_epoch(region);
	if (!epoch)
		return glk_error(-GPULINK_EINVAL, "arrival: gpulink_region_start() must come first");
	if (chunk >= region->chunks || count == 0 || count > region->arrivals[chunk])
		return glk_error(-GPULINK_ERANGE, "%u arrivals at chunk %u: must be 1 to %u, chunk 0 to %u", count, chunk,
				 chunk < region->chunks ? region->arrivals[chunk] : UINT16_MAX, region->chunks - 1);
	return region_ready_arrive(region, epoch, chunk, count);
}

/* Partitions first to last, of which none has arrived at their chunks: one arrival for each, all of a chunk at once. */
static int arrive_partitions(struct gpulink_region *region, uint64_t epoch, uint32_t first, uint32_t last)
{
	uint64_t begin = first * region->partition_bytes, end = (last + UINT64_C(1)) * region->partition_bytes;
	uint64_t chunk, end_chunk;
	int error = 0, failed;

	end = end < region->bytes ? end : region->bytes;
	end_chunk = (end - 1) / region->chunk_bytes;
	for (chunk = begin / region->chunk_bytes; chunk <= end_chunk; chunk++) {
		uint64_t at = chunk * region->chunk_bytes, behind = at + region->chunk_bytes;
		uint64_t low = at > begin ? at / region->partition_bytes : first;
		uint64_t high = behind < end ? (behind - 1) / region->partition_bytes : last;

		failed = region->arrivals[chunk] ?
				 region_ready_arrive(region, epoch, (uint32_t)chunk, (uint32_t)(high - low + 1)) :
				 0;
		error = error ? error : failed;
	}
	return error;
}

/* Whether the partition becomes ready for the first time in this epoch. */
static bool mark(struct gpulink_region *region, uint64_t epoch, uint32_t partition)
{
	uint32_t now = (uint32_t)epoch;

	return __atomic_exchange_n(&region->ready[partition], now, __ATOMIC_RELAXED) != now;
}

int gpulink_region_ready_range(struct gpulink_region *region, uint32_t first, uint32_t last)
{
	int error = glk_region_check(region);
	uint32_t marked = 0, count;
	uint64_t epoch;

	if (error)
		return error;
	epoch = glk_region_epoch(region);
	if (!epoch || first > last || last >= region->partitions)
		return glk_error(-GPULINK_EINVAL, "partitions %u to %u: must be within 0 to %u, behind gpulink_region_start()",
				 first, last, region->partitions - 1);
	count = last - first + 1;
	while (marked < count && mark(region, epoch, first + marked))
		marked++;
	if (marked)
		error = arrive_partitions(region, epoch, first, first + marked - 1);
	if (!error && marked < count)
		error = glk_error(-GPULINK_EINVAL, "partition %u is ready already in this epoch", first + marked);
	return error;
}

int gpulink_region_ready(struct gpulink_region *region, uint32_t partition)
{
	return gpulink_region_ready_range(region, partition, partition);
}

int gpulink_region_ready_list(struct gpulink_region *region, const uint32_t *partitions, unsigned count)
{
	int error = glk_region_check(region);

	if (!error && !partitions && count)
		error = glk_error_null("partitions");
	for (unsigned i = 0; !error && i < count; i++)
		error = gpulink_region_ready_range(region, partitions[i], partitions[i]);
	return error;
}
