// SPDX-License-Identifier: Apache-2.0
#include "registers/registers.h"

#include <errno.h>
#include <string.h>

#define HW_VERSION	((1ULL << GLK_CARD_HW_VERSION_MAJOR_SHIFT) | (0ULL << GLK_CARD_HW_VERSION_MINOR_SHIFT))
#define CLOCK_MHZ	250ULL
#define CONTROL_DEFINED (GLK_CARD_CONTROL_ENABLE_MASK | GLK_CARD_CONTROL_RESET_MASK)

/* A register, decoded from its offset in the BAR. */
struct place {
	unsigned block;	  /* GLK_BLOCK_... */
	unsigned element; /* index in an array of blocks */
	unsigned reg;	  /* offset in the element, or in the block */
	bool exists;
};

struct array {
	unsigned block, start, stride, count;
};

static const struct array arrays[] = {
	{ GLK_BLOCK_PARTITION, GLK_PARTITION_ARRAY, GLK_PARTITION_STRIDE, GLK_PARTITION_COUNT },
	{ GLK_BLOCK_WINDOW, GLK_WINDOW_ARRAY, GLK_WINDOW_STRIDE, GLK_WINDOW_COUNT },
	{ GLK_BLOCK_REGISTRATION, GLK_REGISTRATION_ARRAY, GLK_REGISTRATION_STRIDE, GLK_REGISTRATION_COUNT },
	{ GLK_BLOCK_CONTEXT, GLK_CONTEXT_ARRAY, GLK_CONTEXT_STRIDE, GLK_CONTEXT_COUNT },
	{ GLK_BLOCK_DOORBELL, GLK_DOORBELL_ARRAY, GLK_DOORBELL_STRIDE, GLK_DOORBELL_COUNT },
	{ GLK_BLOCK_REGION, GLK_REGION_ARRAY, GLK_REGION_STRIDE, GLK_REGION_COUNT },
	{ GLK_BLOCK_CHUNK, GLK_CHUNK_ARRAY, GLK_CHUNK_STRIDE, GLK_CHUNK_COUNT },
};

struct header {
	unsigned block, type, version;
};

static const struct header headers[] = {
	{ GLK_BLOCK_CARD, GLK_BLOCK_CARD_TYPE, GLK_BLOCK_CARD_VERSION },
	{ GLK_BLOCK_PARTITION, GLK_BLOCK_PARTITION_TYPE, GLK_BLOCK_PARTITION_VERSION },
	{ GLK_BLOCK_WINDOW, GLK_BLOCK_WINDOW_TYPE, GLK_BLOCK_WINDOW_VERSION },
	{ GLK_BLOCK_REGISTRATION, GLK_BLOCK_REGISTRATION_TYPE, GLK_BLOCK_REGISTRATION_VERSION },
	{ GLK_BLOCK_CONTEXT, GLK_BLOCK_CONTEXT_TYPE, GLK_BLOCK_CONTEXT_VERSION },
	{ GLK_BLOCK_DOORBELL, GLK_BLOCK_DOORBELL_TYPE, GLK_BLOCK_DOORBELL_VERSION },
	{ GLK_BLOCK_LINK, GLK_BLOCK_LINK_TYPE, GLK_BLOCK_LINK_VERSION },
	{ GLK_BLOCK_CAPTURE, GLK_BLOCK_CAPTURE_TYPE, GLK_BLOCK_CAPTURE_VERSION },
	{ GLK_BLOCK_REGION, GLK_BLOCK_REGION_TYPE, GLK_BLOCK_REGION_VERSION },
	{ GLK_BLOCK_CHUNK, GLK_BLOCK_CHUNK_TYPE, GLK_BLOCK_CHUNK_VERSION },
	{ GLK_BLOCK_TSU, GLK_BLOCK_TSU_TYPE, GLK_BLOCK_TSU_VERSION },
};

static unsigned elements_of(const struct glk_registers *registers, unsigned block)
{
	switch (block) {
	case GLK_BLOCK_PARTITION:
		return registers->common->config.partitions;
	case GLK_BLOCK_WINDOW:
		return registers->common->config.slices;
	case GLK_BLOCK_REGISTRATION:
		return registers->common->config.registrations;
	case GLK_BLOCK_REGION:
		return registers->common->config.regions;
	case GLK_BLOCK_CHUNK:
		return registers->common->config.regions ? registers->common->config.chunks : 0;
	default:
		return registers->common->config.contexts;
	}
}

static struct glk_pool *pool_of(const struct glk_registers *registers)
{
	return registers->endpoints->pool;
}

static struct place registers_find(const struct glk_registers *registers, unsigned offset)
{
	struct place place = { .block = GLK_BLOCK_CARD, .reg = offset, .exists = offset < GLK_BLOCK_PARTITION };

	if (offset / GLK_PAGE_SIZE == GLK_BLOCK_LINK / GLK_PAGE_SIZE)
		return (struct place){ .block = GLK_BLOCK_LINK, .reg = offset, .exists = registers->common->config.link };
	if (offset / GLK_PAGE_SIZE == GLK_BLOCK_CAPTURE / GLK_PAGE_SIZE)
		return (struct place){ .block = GLK_BLOCK_CAPTURE, .reg = offset, .exists = registers->common->config.link };
	if (offset / GLK_PAGE_SIZE == GLK_BLOCK_TSU / GLK_PAGE_SIZE)
		return (struct place){ .block = GLK_BLOCK_TSU, .reg = offset, .exists = pool_of(registers)->leases };
	for (unsigned i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		const struct array *a = &arrays[i];

		if (offset < a->start || offset >= a->start + a->stride * a->count)
			continue;
		place.block = a->block;
		place.element = (offset - a->start) / a->stride;
		place.reg = (offset - a->start) % a->stride;
		place.exists = place.element < elements_of(registers, a->block);
	}
	return place;
}

static bool idle(const struct glk_registers *registers)
{
	const struct glk_endpoints *endpoints = registers->endpoints;

	for (unsigned p = 0; p < registers->common->config.partitions; p++)
		if (endpoints->partitions[p].queue.used || endpoints->of[p].acknowledged < endpoints->of[p].posted)
			return false;
	return true;
}

static uint64_t capabilities0(const struct glk_card_config *c)
{
	uint64_t widths = 0;

	for (unsigned h = GLK_SUBHEADER_MIN; h <= GLK_SUBHEADER_MAX; h++)
		widths |= 1ULL << h;
	return (uint64_t)c->partitions << GLK_CARD_CAPS0_PARTITIONS_SHIFT |
	       (uint64_t)c->contexts << GLK_CARD_CAPS0_CONTEXTS_SHIFT |
	       (uint64_t)c->queue_entries << GLK_CARD_CAPS0_QUEUE_ENTRIES_SHIFT |
	       widths << GLK_CARD_CAPS0_SUBHEADER_WIDTHS_SHIFT | (uint64_t)c->vectors << GLK_CARD_CAPS0_VECTORS_SHIFT |
	       (uint64_t)GLK_RING_ORDER_MAX << GLK_CARD_CAPS0_RING_ORDER_MAX_SHIFT;
}

static uint64_t capabilities1(const struct glk_card_config *c)
{
	return (uint64_t)c->slices << GLK_CARD_CAPS1_SLICES_SHIFT |
	       (uint64_t)c->slice_shift << GLK_CARD_CAPS1_SLICE_SHIFT_SHIFT |
	       (uint64_t)c->registrations << GLK_CARD_CAPS1_REGISTRATIONS_SHIFT |
	       CLOCK_MHZ << GLK_CARD_CAPS1_CLOCK_MHZ_SHIFT;
}

static uint64_t capabilities2(const struct glk_card_config *c)
{
	if (!c->regions)
		return 0;
	return (uint64_t)c->regions << GLK_CARD_CAPS2_REGIONS_SHIFT | (uint64_t)c->chunks << GLK_CARD_CAPS2_CHUNKS_SHIFT |
	       (uint64_t)GLK_REGION_TARGETS << GLK_CARD_CAPS2_TARGETS_SHIFT;
}

static uint64_t features(const struct glk_card_config *c)
{
	return GLK_CARD_FEATURES_FINEPACK_MASK | GLK_CARD_FEATURES_ATOMICS_MASK |
	       (c->no_packing ? 0 :
				GLK_CARD_FEATURES_PACKING_MASK | GLK_CARD_FEATURES_COMPACT_MASK |
					GLK_CARD_FEATURES_ARRAY_MASK) |
	       (c->loopback ? GLK_CARD_FEATURES_LOOPBACK_MASK : 0) |
	       (c->link ? GLK_CARD_FEATURES_LINK_MASK | GLK_CARD_FEATURES_CAPTURE_MASK : 0) |
	       (c->regions ? GLK_CARD_FEATURES_REGION_MASK : 0) | (c->tsu_sets ? GLK_CARD_FEATURES_LEASE_MASK : 0) |
	       (c->pool_bytes ? GLK_CARD_FEATURES_POOL_MASK : 0);
}

static uint64_t registers_read_card(struct glk_registers *registers, unsigned reg)
{
	switch (reg) {
	case GLK_CARD_MAGIC:
		return GLK_MAGIC;
	case GLK_CARD_HW_VERSION:
		return HW_VERSION;
	case GLK_CARD_CAPS0:
		return capabilities0(&registers->common->config);
	case GLK_CARD_CAPS1:
		return capabilities1(&registers->common->config);
	case GLK_CARD_CAPS2:
		return capabilities2(&registers->common->config);
	case GLK_CARD_FEATURES:
		return features(&registers->common->config);
	case GLK_CARD_CONTROL:
		return registers->common->control;
	case GLK_CARD_STATUS:
		return GLK_CARD_STATUS_READY_MASK |
		       (!registers->common->config.link || registers->link->up ? GLK_CARD_STATUS_LINK_UP_MASK : 0) |
		       (idle(registers) ? GLK_CARD_STATUS_IDLE_MASK : 0);
	case GLK_CARD_GENERATION:
		return registers->common->generation;
	case GLK_CARD_SCRATCH:
		return registers->scratch;
	case GLK_CARD_SERIAL:
		return registers->common->config.serial;
	case GLK_CARD_POOL_BYTES:
		return registers->common->config.pool_bytes;
	case GLK_CARD_ERROR_CAUSE:
		return registers->common->error_cause;
	case GLK_CARD_DRAIN:
		return registers->releases->drain.written |
		       (glk_drain_busy(registers->releases) ? GLK_CARD_DRAIN_BUSY_MASK : 0);
	case GLK_CARD_SNAPSHOT:
		return registers->snapshots;
	}
	if (reg >= GLK_CARD_COUNTER_FIRST && reg <= GLK_CARD_COUNTER_LAST)
		return registers->latched.value[(reg - GLK_CARD_COUNTER_FIRST) / 8];
	return 0;
}

static uint64_t read_partition(const struct glk_registers *registers, unsigned p, unsigned reg)
{
	const struct glk_partition *partition = &registers->endpoints->partitions[p];
	const struct glk_endpoint *e = &registers->endpoints->of[p];

	switch (reg) {
	case GLK_PARTITION_EP_KIND:
		return e->kind;
	case GLK_PARTITION_EP_BASE:
		return e->base;
	case GLK_PARTITION_EP_BYTES:
		return e->bytes;
	case GLK_PARTITION_STATUS:
		return (uint64_t)partition->queue.used << GLK_PARTITION_STATUS_ENTRIES_SHIFT |
		       (uint64_t)partition->queue.payload_bytes << GLK_PARTITION_STATUS_PAYLOAD_SHIFT |
		       (e->posted - e->acknowledged) << GLK_PARTITION_STATUS_UNACKNOWLEDGED_SHIFT;
	case GLK_PARTITION_REMOTE_BYTES:
		return glk_endpoint_is_link(registers->endpoints, p) ? registers->remote->of[p].bytes : 0;
	}
	if (reg >= GLK_PARTITION_COUNTER_FIRST && reg <= GLK_PARTITION_COUNTER_LAST)
		return registers->latched_partitions[p].value[(reg - GLK_PARTITION_COUNTER_FIRST) / 8];
	return glk_partition_get(partition, reg);
}

static uint64_t read_context(const struct glk_registers *registers, unsigned context, unsigned reg)
{
	if (reg >= GLK_CONTEXT_COUNTER_FIRST && reg <= GLK_CONTEXT_COUNTER_LAST)
		return registers->latched_contexts[context].value[(reg - GLK_CONTEXT_COUNTER_FIRST) / 8];
	return glk_context_get(registers->rings, context, reg);
}

static uint64_t read_doorbell(const struct glk_registers *registers, unsigned context, unsigned reg)
{
	if (reg == GLK_DOORBELL_RELEASED)
		return registers->releases->of[context].released;
	if (reg == GLK_DOORBELL_CLOCK)
		return glk_pool_clock(pool_of(registers));
	return reg == GLK_DOORBELL_GENERATION ? registers->common->generation : 0;
}

static bool block_exists(const struct glk_registers *registers, unsigned block)
{
	switch (block) {
	case GLK_BLOCK_LINK:
	case GLK_BLOCK_CAPTURE:
		return registers->common->config.link;
	case GLK_BLOCK_REGION:
	case GLK_BLOCK_CHUNK:
		return registers->common->config.regions;
	case GLK_BLOCK_TSU:
		return pool_of(registers)->leases;
	default:
		return true;
	}
}

static uint64_t read_header(const struct glk_registers *registers, unsigned index)
{
	unsigned next = index + 1, count = sizeof(headers) / sizeof(headers[0]);

	if (!block_exists(registers, headers[index].block))
		return 0;
	while (next < count && !block_exists(registers, headers[next].block))
		next++;
	return headers[index].type | (uint64_t)headers[index].version << 16 |
	       (uint64_t)(next < count ? headers[next].block : 0) << 32;
}

static uint64_t read_whole(struct glk_registers *registers, unsigned offset)
{
	struct place place = registers_find(registers, offset);

	for (unsigned i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (offset == headers[i].block)
			return read_header(registers, i);
	if (!place.exists)
		return 0;
	switch (place.block) {
	case GLK_BLOCK_CARD: return registers_read_card(registers, place.reg);
	case GLK_BLOCK_PARTITION:
		return read_partition(registers, place.element, place.reg);
	case GLK_BLOCK_WINDOW:
		return place.reg <= GLK_WINDOW_Q2 ? registers->windows->entries[place.element].q[place.reg / 8] : 0;
	case GLK_BLOCK_REGISTRATION:
		return registers->rings->registrations->entries[place.element].q[place.reg / 8];
	case GLK_BLOCK_CONTEXT:
		return read_context(registers, place.element, place.reg);
	case GLK_BLOCK_REGION:
		return glk_region_get(registers->regions, place.element, place.reg);
	case GLK_BLOCK_CHUNK:
		return registers->regions->counters[place.element];
	case GLK_BLOCK_TSU:
		return glk_pool_get(pool_of(registers), place.reg);
	case GLK_BLOCK_LINK:
		return glk_card_link_get(registers->link, place.reg);
	case GLK_BLOCK_CAPTURE:
		return glk_capture_get(&registers->link->capture, registers->link->now, place.reg);
	default:
		return read_doorbell(registers, place.element, place.reg);
	}
}

/* Latches all counters at one instant. */
static void snapshot(struct glk_registers *registers)
{
	registers->latched = registers->common->counters;
	for (unsigned p = 0; p < registers->common->config.partitions; p++)
		registers->latched_partitions[p] = registers->endpoints->partitions[p].counters;
	memcpy(registers->latched_contexts, registers->windows->counters, sizeof(registers->latched_contexts));
	glk_pool_snapshot(pool_of(registers));
	if (registers->common->config.link)
		glk_card_link_snapshot(registers->link);
	registers->snapshots++;
}

static int write_control(struct glk_registers *registers, uint64_t value)
{
	if (value & ~CONTROL_DEFINED)
		return -EINVAL;
	if (value & GLK_CARD_CONTROL_RESET_MASK) {
		registers->reset(registers->user);
		return 0;
	}
	/* Stores accepted while enabled are not lost. */
	if (!(value & GLK_CARD_CONTROL_ENABLE_MASK))
		for (unsigned p = 0; p < registers->common->config.partitions; p++)
			glk_partition_flush(&registers->endpoints->partitions[p], GLK_FLUSH_DRAIN);
	registers->common->control = value;
	return 0;
}

static int write_card(struct glk_registers *registers, unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_CARD_CONTROL:
		return write_control(registers, value);
	case GLK_CARD_SCRATCH:
		registers->scratch = value;
		return 0;
	case GLK_CARD_ERROR_CAUSE:
		registers->common->error_cause &= ~value;
		return 0;
	case GLK_CARD_DRAIN:
		return glk_drain_begin(registers->releases, value);
	case GLK_CARD_SNAPSHOT:
		snapshot(registers);
		return 0;
	default:
		return -EINVAL;
	}
}

static int write_partition(struct glk_registers *registers, unsigned p, unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_PARTITION_EP_KIND:
	case GLK_PARTITION_EP_BASE:
	case GLK_PARTITION_EP_BYTES:
		return glk_endpoint_set(registers->endpoints, p, reg, value);
	case GLK_PARTITION_REMOTE_BYTES:
		if (!glk_endpoint_is_link(registers->endpoints, p))
			return -EINVAL;
		glk_remote_ask(registers->remote, p);
		return 0;
	default:
		return glk_partition_set(&registers->endpoints->partitions[p], reg, value);
	}
}

/* Users write these registers: their errors affect only themselves and are not counted. */
static void write_doorbell(struct glk_registers *registers, unsigned context, unsigned reg, uint64_t value)
{
	struct glk_context *c = &registers->rings->contexts[context];

	if (!glk_enabled(registers->common))
		return;
	if (reg == GLK_DOORBELL_SQ_TAIL || reg == GLK_DOORBELL_CQ_HEAD) {
		if (c->control & GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK)
			*(reg == GLK_DOORBELL_SQ_TAIL ? &c->sq_tail : &c->cq_head) = (uint16_t)value;
	} else if (reg == GLK_DOORBELL_RELEASE && glk_context_enabled(c)) {
		glk_release_request(registers->releases, context, value);
	} else if ((reg == GLK_DOORBELL_ARRIVE || reg == GLK_DOORBELL_START) && registers->common->config.regions &&
		   glk_context_enabled(c)) {
		glk_region_doorbell(registers->regions, context, reg, value);
	}
}

static int write_whole(struct glk_registers *registers, unsigned offset, uint64_t value)
{
	struct place place = registers_find(registers, offset);

	if (!place.exists)
		return -EINVAL;
	switch (place.block) {
	case GLK_BLOCK_CARD:
		return write_card(registers, place.reg, value);
	case GLK_BLOCK_PARTITION:
		return write_partition(registers, place.element, place.reg, value);
	case GLK_BLOCK_WINDOW:
		if (place.reg > GLK_WINDOW_Q2)
			return -EINVAL;
		return glk_window_set(registers->windows, place.element, place.reg / 8, value);
	case GLK_BLOCK_REGISTRATION:
		return glk_registration_set(registers->rings->registrations, place.element, place.reg / 8, value);
	case GLK_BLOCK_CONTEXT:
		return glk_context_set(registers->rings, place.element, place.reg, value);
	case GLK_BLOCK_REGION:
		return glk_region_set(registers->regions, place.element, place.reg, value);
	case GLK_BLOCK_CHUNK:
		return glk_chunk_set(registers->regions, place.element, value);
	case GLK_BLOCK_TSU:
		return glk_pool_set(pool_of(registers), place.reg, value);
	case GLK_BLOCK_LINK:
		return glk_card_link_set(registers->link, place.reg, value);
	case GLK_BLOCK_CAPTURE:
		return glk_capture_set(&registers->link->capture, registers->link->now, place.reg, value);
	default:
		write_doorbell(registers, place.element, place.reg, value);
		return 0;
	}
}

static bool access_valid(uint64_t offset, unsigned size)
{
	return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0 && offset < GLK_BAR0_SIZE;
}

int glk_registers_read(struct glk_registers *registers, uint64_t offset, unsigned size, uint64_t *value)
{
	*value = UINT64_MAX;
	if (!access_valid(offset, size))
		return -EINVAL;
	*value = read_whole(registers, (unsigned)offset & ~7u) >> (8 * (offset % 8));
	if (size < 8)
		*value &= (1ULL << (8 * size)) - 1;
	return 0;
}

static void refuse_write(struct glk_registers *registers)
{
	glk_count(registers->common, GLK_CARD_COUNTER(ERR_CONFIG));
	glk_note_error(registers->common, GLK_CARD_ERROR_CAUSE_CONFIG_MASK);
}

/* The value of the bytes that a narrow write does not change. */
static uint64_t remaining(struct glk_registers *registers, unsigned offset)
{
	struct place place = registers_find(registers, offset);

	if (place.block == GLK_BLOCK_DOORBELL && place.exists)
		return place.reg == GLK_DOORBELL_RELEASE ? registers->releases->of[place.element].word : 0;
	if (place.block == GLK_BLOCK_CARD && (place.reg == GLK_CARD_ERROR_CAUSE || place.reg == GLK_CARD_DRAIN))
		return 0;
	return read_whole(registers, offset);
}

int glk_registers_write(struct glk_registers *registers, uint64_t offset, unsigned size, uint64_t value)
{
	unsigned whole = (unsigned)offset & ~7u;

	if (!access_valid(offset, size))
		return -EINVAL;
	if (size < 8) {
		uint64_t mask = ((1ULL << (8 * size)) - 1) << (8 * (offset % 8));

		value = (remaining(registers, whole) & ~mask) | ((value << (8 * (offset % 8))) & mask);
	}
	if (write_whole(registers, whole, value))
		refuse_write(registers);
	return 0;
}

int glk_registers_poisoned(struct glk_registers *registers, uint64_t offset, unsigned size)
{
	if (!access_valid(offset, size))
		return -EINVAL;
	refuse_write(registers);
	return -EBADMSG;
}
