// SPDX-License-Identifier: Apache-2.0
/* Regions of a soft device. Chunks are stored within the call that completes them. */
#include <endian.h>
#include <string.h>

#include "soft.h"

static unsigned region_register(uint32_t region, unsigned reg)
{
	return GLK_REGION_ARRAY + region * GLK_REGION_STRIDE + reg;
}

/* The first of `count` free adjacent counters, or GLK_CHUNK_COUNT. */
static unsigned find_chunks(const struct soft *soft, unsigned count)
{
	unsigned run = 0;

	for (unsigned c = 0; c < GLK_CHUNK_COUNT; c++) {
		run = soft->chunk_used[c] ? 0 : run + 1;
		if (run == count)
			return c + 1 - count;
	}
	return GLK_CHUNK_COUNT;
}

static unsigned find_region(const struct soft *soft)
{
	unsigned region = 0;

	while (region < GLK_REGION_COUNT && soft->regions[region].chunks)
		region++;
	return region;
}

static void set_targets(const struct soft *soft, unsigned number, const struct glk_region_shape *shape)
{
	for (unsigned t = 0; t < shape->target_count; t++) {
		const struct glk_region_shape_target *target = &shape->targets[t];

		glk_soft_set(soft, region_register(number, GLK_REGION_TARGET_WINDOW_0 + 8 * t),
			     target->window | (target->signal ? GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK : 0));
		glk_soft_set(soft, region_register(number, GLK_REGION_TARGET_OFFSET_0 + 8 * t), target->offset);
		glk_soft_set(soft, region_register(number, GLK_REGION_TARGET_SIGNAL_0 + 8 * t), target->flags_offset);
	}
}

static void set_region(struct soft_queue *queue, unsigned number, unsigned first, const struct glk_region_shape *shape)
{
	struct soft *soft = queue->soft;
	uint64_t expected = 0;
	uint64_t control = GLK_REGION_CONTROL_VALID_MASK | (uint64_t)shape->chunk_order << GLK_REGION_CONTROL_ORDER_SHIFT |
			   (uint64_t)shape->target_count << GLK_REGION_CONTROL_TARGETS_SHIFT |
			   (uint64_t)queue->context << GLK_REGION_CONTROL_CONTEXT_SHIFT |
			   (shape->flush_on_release ? GLK_REGION_CONTROL_FLUSH_ON_RELEASE_MASK : 0);

	for (unsigned c = 0; c < shape->chunks; c++) {
		glk_soft_set(soft, GLK_CHUNK_ARRAY + (first + c) * GLK_CHUNK_STRIDE,
			     (uint64_t)shape->arrivals[c] << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
		soft->chunk_used[first + c] = true;
		expected += !!shape->arrivals[c];
	}
	soft->regions[number].first = first;
	soft->regions[number].chunks = shape->chunks;
	memset(soft->records[number], 0, sizeof(soft->records[number]));
	glk_soft_set(soft, region_register(number, GLK_REGION_SOURCE),
		     (uint64_t)shape->memory << GLK_REGION_SOURCE_REGISTRATION_SHIFT |
			     shape->offset << GLK_REGION_SOURCE_OFFSET_SHIFT);
	glk_soft_set(soft, region_register(number, GLK_REGION_BYTES), shape->bytes);
	glk_soft_set(soft, region_register(number, GLK_REGION_CHUNKS),
		     (uint64_t)first << GLK_REGION_CHUNKS_FIRST_SHIFT |
			     (uint64_t)shape->chunks << GLK_REGION_CHUNKS_COUNT_SHIFT);
	glk_soft_set(soft, region_register(number, GLK_REGION_EXPECTED), expected);
	glk_soft_set(soft, region_register(number, GLK_REGION_RECORD), (uintptr_t)soft->records[number]);
	set_targets(soft, number, shape);
	glk_soft_set(soft, region_register(number, GLK_REGION_CONTROL), control);
}

int glk_soft_region_open(void *backend, const struct glk_region_shape *shape, struct glk_backend_region *region)
{
	struct soft_queue *queue = backend;
	struct soft *soft = queue->soft;
	unsigned number, first;

	if (soft->options.subheader == 2) /* as the driver: packets of at most 64 bytes take more than plain writes */
		return -GPULINK_EINVAL;
	pthread_mutex_lock(&soft->lock);
	number = find_region(soft);
	first = shape->chunks <= GLK_CHUNK_COUNT ? find_chunks(soft, shape->chunks) : GLK_CHUNK_COUNT;
	if (number < GLK_REGION_COUNT && first < GLK_CHUNK_COUNT)
		set_region(queue, number, first, shape);
	pthread_mutex_unlock(&soft->lock);
	if (number == GLK_REGION_COUNT || first == GLK_CHUNK_COUNT)
		return -GPULINK_ENOSPC;
	*region = (struct glk_backend_region){ .handle = number };
	return 0;
}

void glk_soft_region_close(void *backend, const struct glk_backend_region *region)
{
	struct soft *soft = ((struct soft_queue *)backend)->soft;

	pthread_mutex_lock(&soft->lock);
	glk_soft_set(soft, region_register(region->handle, GLK_REGION_CONTROL), 0);
	for (unsigned c = 0; c < soft->regions[region->handle].chunks; c++)
		soft->chunk_used[soft->regions[region->handle].first + c] = false;
	soft->regions[region->handle].chunks = 0;
	pthread_mutex_unlock(&soft->lock);
}

void glk_soft_region_write(void *backend, unsigned reg, uint64_t value)
{
	const struct soft_queue *queue = backend;
	struct soft *soft = queue->soft;

	pthread_mutex_lock(&soft->lock);
	glk_soft_update_time(soft);
	glk_soft_set(soft, GLK_DOORBELL_ARRAY + queue->context * GLK_DOORBELL_STRIDE + reg, value);
	while (glk_card_service(soft->card, GLK_RING_MAX))
		;
	pthread_mutex_unlock(&soft->lock);
}

int glk_soft_region_wait(void *backend, const struct glk_backend_region *region, unsigned level, uint64_t epoch,
			 uint64_t timeout_ns, struct glk_region_state *state)
{
	struct soft *soft = ((struct soft_queue *)backend)->soft;
	const uint64_t *record = soft->records[region->handle];
	uint64_t status, rejected;

	(void)timeout_ns; /* nothing is asynchronous */
	pthread_mutex_lock(&soft->lock);
	status = glk_soft_get(soft, region_register(region->handle, GLK_REGION_STATUS));
	state->sent = le64toh(record[GLK_REGION_RECORD_SENT_Q]);
	state->visible = le64toh(record[GLK_REGION_RECORD_VISIBLE_Q]);
	rejected = le64toh(record[GLK_REGION_RECORD_REJECTED_Q]);
	pthread_mutex_unlock(&soft->lock);
	state->status = (uint32_t)((status & GLK_REGION_STATUS_CODE_MASK) >> GLK_REGION_STATUS_CODE_SHIFT);
	state->failed_targets =
		(uint32_t)((status & GLK_REGION_STATUS_FAILED_TARGETS_MASK) >> GLK_REGION_STATUS_FAILED_TARGETS_SHIFT);
	state->rejected = (uint32_t)((rejected & GLK_REGION_RECORD_REJECTED_MASK) >> GLK_REGION_RECORD_REJECTED_SHIFT);
	if ((status & GLK_REGION_STATUS_STATE_MASK) >> GLK_REGION_STATUS_STATE_SHIFT == GLK_REGION_STATE_FAILED)
		return 0;
	return (level == GPULINK_LEVEL_SENT ? state->sent : state->visible) >= epoch ? 0 : -GPULINK_ETIMEDOUT;
}
