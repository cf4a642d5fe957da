// SPDX-License-Identifier: Apache-2.0
/* Regions: open and close, stores into the source, properties. */
#include "client_region.h"

#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include "copy_struct.h"

#define CHUNKS_MAX (1u << 24) /* DOORBELL.ARRIVE names no more */

_Static_assert(GPULINK_CHUNK_BYTES_MIN == 1u << GLK_REGION_ORDER_MIN && GPULINK_CHUNK_BYTES_MAX == 1u << GLK_REGION_ORDER_MAX,
	       "chunks are those of the card");
_Static_assert(GPULINK_CHUNK_BYTES_MAX <= GLK_PUT_MAX_BYTES, "a chunk is one put");
_Static_assert(GPULINK_REGION_TARGETS_MAX <= GLK_REGION_TARGETS, "the card has as many targets");

/* --- arguments --- */

static int read_options(const struct gpulink_region_options *from, struct gpulink_region_options *options)
{
	if (glk_copy_in(options, sizeof(*options), from))
		return glk_error_options(sizeof(*options));
	if (options->agent > GPULINK_AGENT_INLINE)
		return glk_error(-GPULINK_EINVAL, "options.agent %u: must be enum gpulink_agent, 0 to %u", options->agent,
				 GPULINK_AGENT_INLINE);
	if (options->flags & ~(GPULINK_REGION_NO_FLUSH | GPULINK_REGION_STORES))
		return glk_error(-GPULINK_EINVAL, "options.flags %#x: must be GPULINK_REGION_NO_FLUSH, _STORES",
				 options->flags);
	return options->profile ? glk_region_profile(options) : 0;
}

static bool fits(uint64_t offset, uint64_t bytes, uint64_t room)
{
	return bytes <= room && offset <= room - bytes;
}

static int check_source(const struct gpulink *device, const struct gpulink_memory *source, uint64_t offset, size_t bytes)
{
	if (!source || source->device != device)
		return glk_error_object("source");
	if (bytes == 0)
		return glk_error_null("bytes");
	if (!fits(offset, bytes, source->bytes))
		return glk_error_range("source", offset, bytes, source->bytes);
	return source->rights & GPULINK_READ ? 0 : glk_error_rights("source", source->rights, GPULINK_READ);
}

static int check_target(const struct gpulink_region *region, const struct gpulink_region_target *target)
{
	const struct gpulink_window *window = target->window;

	if (!window || window->device != region->device)
		return glk_error_object("window of a target");
	if ((target->flags & ~GPULINK_TARGET_SIGNAL) || target->flags_offset % 8 || (target->flags_offset && !target->flags))
		return glk_error(-GPULINK_EINVAL, "target's flags %#x, flags_offset %" PRIu64
				 ": must be 0, or SIGNAL with a multiple of 8", target->flags, target->flags_offset);
	if (!fits(target->offset, region->bytes, window->bytes))
		return glk_error_range("target's window", target->offset, region->bytes, window->bytes);
	if (target->flags && !fits(target->flags_offset, UINT64_C(8) * region->chunks, window->bytes))
		return glk_error_range("target's window (signals)", target->flags_offset, UINT64_C(8) * region->chunks,
				       window->bytes);
	return window->rights & GPULINK_WRITE ? 0 : glk_error_rights("target's window", window->rights, GPULINK_WRITE);
}

static uint64_t divide_up(uint64_t value, uint64_t by)
{
	return (value - 1) / by + 1;
}

/* Chunks and partitions. */
static int divide(struct gpulink_region *region, const struct gpulink_region_options *options)
{
	uint64_t chunk = options->chunk_bytes ? options->chunk_bytes : GPULINK_CHUNK_BYTES_DEFAULT;
	uint64_t partition = options->partition_bytes ? options->partition_bytes : chunk, partitions;

	if ((chunk & (chunk - 1)) || chunk < GPULINK_CHUNK_BYTES_MIN || chunk > GPULINK_CHUNK_BYTES_MAX)
		return glk_error(-GPULINK_EINVAL, "chunk of %" PRIu64 " bytes: must be a power of two, %u to %u", chunk,
				 GPULINK_CHUNK_BYTES_MIN, GPULINK_CHUNK_BYTES_MAX);
	partition = partition < region->bytes ? partition : region->bytes;
	partitions = divide_up(region->bytes, partition);
	if (divide_up(region->bytes, chunk) > CHUNKS_MAX)
		return glk_error(-GPULINK_EINVAL, "%" PRIu64 " chunks of %" PRIu64 " bytes: must be at most %u",
				 divide_up(region->bytes, chunk), chunk, CHUNKS_MAX);
	if (partitions > UINT32_MAX / sizeof(uint32_t) || (options->partitions && options->partitions != partitions))
		return glk_error(-GPULINK_EINVAL,
				 "options.partitions %u: %" PRIu64 " bytes in partitions of %" PRIu64 " are %" PRIu64,
				 options->partitions, region->bytes, partition, partitions);
	region->chunk_bytes = chunk;
	region->chunks = (uint32_t)divide_up(region->bytes, chunk);
	region->partition_bytes = partition;
	region->partitions = (uint32_t)partitions;
	return 0;
}

/* Arrivals at each chunk: those given, or the partitions that overlap it. */
static int count_arrivals(struct gpulink_region *region, const uint16_t *given)
{
	for (uint32_t c = 0; c < region->chunks; c++) {
		uint64_t begin = c * region->chunk_bytes, end = begin + region->chunk_bytes, count;

		end = end < region->bytes ? end : region->bytes;
		count = given ? given[c] : (end - 1) / region->partition_bytes - begin / region->partition_bytes + 1;
		if (count > UINT16_MAX)
			return glk_error(-GPULINK_EINVAL, "%" PRIu64 " partitions in chunk %u: must be at most %u", count, c,
					 UINT16_MAX);
		region->arrivals[c] = (uint16_t)count;
		region->expected += !!count;
	}
	return 0;
}

/* --- open --- */

static void free_region(struct gpulink_region *region)
{
	free(region->arrivals);
	free(region->ready);
	free(region->counters);
	free(region->listed);
	free(region);
}

static int allocate(struct gpulink_region *region)
{
	region->arrivals = calloc(region->chunks, sizeof(*region->arrivals));
	region->ready = calloc(region->partitions, sizeof(*region->ready));
	region->counters = calloc(region->chunks, sizeof(*region->counters));
	region->listed = calloc((region->chunks + 63) / 64, sizeof(*region->listed));
	return region->arrivals && region->ready && region->counters && region->listed ? 0 : -GPULINK_ENOMEM;
}

/* Under the device's lock. */
static int open_on_card(struct gpulink_region *region)
{
	const struct gpulink *device = region->device;
	struct glk_region_shape shape = {
		.memory = region->source->shares[0].handle, .offset = region->offset, .bytes = region->bytes,
		.chunk_order = (unsigned)__builtin_ctzll(region->chunk_bytes), .chunks = region->chunks,
		.target_count = region->target_count, .flush_on_release = !(region->flags & GPULINK_REGION_NO_FLUSH),
		.arrivals = region->arrivals,
	};

	/* A doorbell takes one store of 8 bytes; a bounce buffer is not written by the source's producers. */
	if (!device->ops->region_open || sizeof(long) != 8 || region->source->staging)
		return glk_error(-GPULINK_ENOTSUP, "agent CARD: not with a %s device, staged memory or a 32-bit process",
				 device->info.kind);
	for (unsigned t = 0; t < region->target_count; t++)
		shape.targets[t] = (struct glk_region_shape_target){
			.window = region->targets[t].window->views[0].backend.handle, .offset = region->targets[t].offset,
			.flags_offset = region->targets[t].flags_offset, .signal = region->targets[t].flags,
		};
	return device->ops->region_open(device->backend, &shape, &region->card);
}

/* The default queue has all windows and memories of the device open. Under its lock. */
static int open_agent(struct gpulink_region *region)
{
	bool any = region->agent == GPULINK_AGENT_BEST;
	int error = 0;

	if (any || region->agent == GPULINK_AGENT_CARD) {
		region->agent = GPULINK_AGENT_CARD;
		error = open_on_card(region);
	}
	if (any && (error == -GPULINK_ENOTSUP || error == -GPULINK_ENOSPC)) {
		region->agent = GPULINK_AGENT_CALLER;
		error = 0;
		glk_error_begin();
	}
	if (region->agent == GPULINK_AGENT_INLINE && (!region->source->address || region->source->staging))
		error = glk_error(-GPULINK_ENOTSUP, "agent INLINE: not with memory of a dma-buf");
	return error;
}

static int set_up(struct gpulink_region *region, const struct gpulink_region_target *targets,
		  const struct gpulink_region_options *options)
{
	int error = divide(region, options);

	for (unsigned t = 0; !error && t < region->target_count; t++) {
		error = check_target(region, &targets[t]);
		region->targets[t] = targets[t];
		region->signals |= targets[t].flags & GPULINK_TARGET_SIGNAL;
	}
	if (!error)
		error = allocate(region);
	if (!error)
		error = count_arrivals(region, options->arrivals);
	if (error)
		return error;
	glk_mutex_lock(&region->device->lock);
	error = open_agent(region);
	if (!error) {
		region->next = region->device->regions;
		region->device->regions = region;
	}
	glk_mutex_unlock(&region->device->lock);
	return error;
}

int gpulink_region_open(struct gpulink *device, struct gpulink_memory *source, uint64_t offset, size_t bytes,
			const struct gpulink_region_target *targets, unsigned target_count,
			const struct gpulink_region_options *from, struct gpulink_region **out)
{
	struct gpulink_region_options options;
	struct gpulink_region *region;
	int error = glk_device_check(device);

	if (error)
		return error;
	if (!targets || target_count == 0 || target_count > GPULINK_REGION_TARGETS_MAX || !out)
		return glk_error(-GPULINK_EINVAL, "%u targets: must be 1 to %u, targets and region not NULL", target_count,
				 GPULINK_REGION_TARGETS_MAX);
	glk_error_begin();
	error = read_options(from, &options);
	if (!error)
		error = check_source(device, source, offset, bytes);
	if (error)
		return error;
	region = calloc(1, sizeof(*region));
	if (!region)
		return glk_error(-GPULINK_ENOMEM, "region: out of memory");
	region->device = device;
	region->source = source;
	region->offset = offset;
	region->bytes = bytes;
	region->agent = options.agent;
	region->flags = options.flags;
	region->target_count = target_count;
	error = set_up(region, targets, &options);
	if (error)
		free_region(region);
	else
		*out = region;
	return glk_error_else(error, "region of %zu bytes", bytes);
}

/* --- close --- */

void glk_region_abandon(struct gpulink_region *region)
{
	free_region(region);
}

void gpulink_region_close(struct gpulink_region *region)
{
	struct gpulink_region **link;
	struct gpulink *device;

	if (glk_region_check(region))
		return;
	device = region->device;
	glk_queue_lock(&device->queue);
	glk_queue_forget(&device->queue, region);
	glk_queue_unlock(&device->queue);
	glk_mutex_lock(&device->lock);
	for (link = &device->regions; *link != region; link = &(*link)->next)
		;
	*link = region->next;
	if (region->agent == GPULINK_AGENT_CARD)
		device->ops->region_close(device->backend, &region->card);
	glk_mutex_unlock(&device->lock);
	free_region(region);
}

/* --- stores --- */

int gpulink_region_store(struct gpulink_region *region, uint64_t offset, const void *data, size_t bytes)
{
	int error = glk_region_check(region);
	const uint8_t *from = data;

	if (error || !data || bytes == 0)
		return error ? error : glk_error_null("data or bytes");
	if (!fits(offset, bytes, region->bytes))
		return glk_error_range("region", offset, bytes, region->bytes);
	if (!region->source->address || region->source->staging)
		return glk_error(-GPULINK_ENOTSUP, "store to a region of a dma-buf's memory");
	memcpy((uint8_t *)region->source->address + region->offset + offset, data, bytes);
	for (unsigned t = 0; region->agent == GPULINK_AGENT_INLINE && t < region->target_count; t++) {
		const struct gpulink_region_target *to = &region->targets[t];

		for (size_t at = 0, part; !error && at < bytes; at += part) {
			part = bytes - at < GLK_PAGE_SIZE ? bytes - at : GLK_PAGE_SIZE;
			error = gpulink_store(to->window, to->offset + offset + at, from + at, part);
		}
	}
	return error;
}

/* --- properties --- */

static int get_state(const struct gpulink_region *region, struct gpulink_region_info *info)
{
	const struct gpulink *device = region->device;
	struct glk_region_state state = { 0 };
	int error;

	if (region->agent != GPULINK_AGENT_CARD) {
		info->error = __atomic_load_n(&region->error, __ATOMIC_ACQUIRE);
		info->failed_targets = __atomic_load_n(&region->failed_targets, __ATOMIC_RELAXED);
		info->sent = glk_region_all_sent(region) || !info->epoch ? info->epoch : info->epoch - 1;
		info->visible = __atomic_load_n(&region->visible, __ATOMIC_ACQUIRE);
		return 0;
	}
	error = device->ops->region_wait(device->backend, &region->card, GPULINK_LEVEL_SENT, 0, 0, &state);
	info->error = glk_status_error(state.status);
	info->failed_targets = state.failed_targets;
	info->sent = state.sent;
	info->visible = state.visible;
	info->rejected = state.rejected;
	return error;
}

int gpulink_region_get_info(struct gpulink_region *region, struct gpulink_region_info *info, size_t size)
{
	struct gpulink_region_info own = { 0 };
	int error = glk_region_check(region);

	if (error || !info || !size)
		return error ? error : glk_error_null("info or size");
	glk_error_begin();
	own.agent = region->agent;
	own.chunks = region->chunks;
	own.partitions = region->partitions;
	own.chunk_bytes = region->chunk_bytes;
	own.partition_bytes = region->partition_bytes;
	own.epoch = glk_region_epoch(region);
	error = get_state(region, &own);
	if (!error)
		glk_copy_out(info, size, &own, sizeof(own));
	return glk_error_else(error, "state of the region");
}

int gpulink_region_doorbell(struct gpulink_region *region, volatile uint64_t **where, uint64_t *word)
{
	struct gpulink_doorbell pages;
	int error = glk_region_check(region);

	if (error || !where || !word)
		return error ? error : glk_error_null("where or word");
	if (region->agent != GPULINK_AGENT_CARD)
		return glk_error(-GPULINK_ENOTSUP, "doorbell of a region: must have agent CARD");
	error = gpulink_queue_doorbell(&region->device->queue, &pages, sizeof(pages));
	if (error)
		return error;
	*where = (volatile uint64_t *)pages.page + GLK_DOORBELL_ARRIVE / 8;
	*word = (uint64_t)region->card.handle << GLK_DOORBELL_ARRIVE_REGION_SHIFT |
		UINT64_C(1) << GLK_DOORBELL_ARRIVE_COUNT_SHIFT;
	return 0;
}
