// SPDX-License-Identifier: Apache-2.0
/* BAR 0: which register an access means, and what reading and writing it does (fpga/regs/gpulink.toml). */
#include <errno.h>

#include "card/state.h"

#define CONTROL_DEFINED (GLK_CARD_CONTROL_ENABLE_MASK | GLK_CARD_CONTROL_RESET_MASK)

/* A register, found from its offset in the BAR. */
struct place {
	unsigned block;	  /* GLK_BLOCK_... */
	unsigned element; /* of an array */
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
};

struct header {
	unsigned block, type, version, next;
};

static const struct header headers[] = {
	{ GLK_BLOCK_CARD, GLK_BLOCK_CARD_TYPE, GLK_BLOCK_CARD_VERSION, GLK_BLOCK_CARD_NEXT },
	{ GLK_BLOCK_PARTITION, GLK_BLOCK_PARTITION_TYPE, GLK_BLOCK_PARTITION_VERSION, GLK_BLOCK_PARTITION_NEXT },
	{ GLK_BLOCK_WINDOW, GLK_BLOCK_WINDOW_TYPE, GLK_BLOCK_WINDOW_VERSION, GLK_BLOCK_WINDOW_NEXT },
	{ GLK_BLOCK_REGISTRATION, GLK_BLOCK_REGISTRATION_TYPE, GLK_BLOCK_REGISTRATION_VERSION,
	  GLK_BLOCK_REGISTRATION_NEXT },
	{ GLK_BLOCK_CONTEXT, GLK_BLOCK_CONTEXT_TYPE, GLK_BLOCK_CONTEXT_VERSION, GLK_BLOCK_CONTEXT_NEXT },
	{ GLK_BLOCK_DOORBELL, GLK_BLOCK_DOORBELL_TYPE, GLK_BLOCK_DOORBELL_VERSION, GLK_BLOCK_DOORBELL_NEXT },
	{ GLK_BLOCK_LINK, GLK_BLOCK_LINK_TYPE, GLK_BLOCK_LINK_VERSION, GLK_BLOCK_LINK_NEXT },
	{ GLK_BLOCK_CAPTURE, GLK_BLOCK_CAPTURE_TYPE, GLK_BLOCK_CAPTURE_VERSION, GLK_BLOCK_CAPTURE_NEXT },
};

static unsigned elements_of(const struct glk_card *card, unsigned block)
{
	switch (block) {
	case GLK_BLOCK_PARTITION:
		return card->config.partitions;
	case GLK_BLOCK_WINDOW:
		return card->config.slices;
	case GLK_BLOCK_REGISTRATION:
		return card->config.registrations;
	default:
		return card->config.contexts;
	}
}

static struct place find(const struct glk_card *card, unsigned offset)
{
	struct place place = { .block = GLK_BLOCK_CARD, .reg = offset, .exists = offset < GLK_BLOCK_PARTITION };

	if (offset / GLK_PAGE_SIZE == GLK_BLOCK_LINK / GLK_PAGE_SIZE)
		return (struct place){ .block = GLK_BLOCK_LINK, .reg = offset, .exists = card->link };
	if (offset / GLK_PAGE_SIZE == GLK_BLOCK_CAPTURE / GLK_PAGE_SIZE)
		return (struct place){ .block = GLK_BLOCK_CAPTURE, .reg = offset, .exists = card->link };
	for (unsigned i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		const struct array *a = &arrays[i];

		if (offset < a->start || offset >= a->start + a->stride * a->count)
			continue;
		place.block = a->block;
		place.element = (offset - a->start) / a->stride;
		place.reg = (offset - a->start) % a->stride;
		place.exists = place.element < elements_of(card, a->block);
	}
	return place;
}

static bool idle(const struct glk_card *card)
{
	for (unsigned p = 0; p < card->config.partitions; p++)
		if (card->partitions[p].queue.used || card->endpoints[p].acknowledged < card->endpoints[p].posted)
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
	       GLK_CLOCK_MHZ << GLK_CARD_CAPS1_CLOCK_MHZ_SHIFT;
}

static uint64_t features(const struct glk_card_config *c)
{
	return GLK_CARD_FEATURES_FINEPACK_MASK | GLK_CARD_FEATURES_ATOMICS_MASK |
	       (c->loopback ? GLK_CARD_FEATURES_LOOPBACK_MASK : 0) | 
	       (c->link ? GLK_CARD_FEATURES_LINK_MASK | GLK_CARD_FEATURES_CAPTURE_MASK : 0) |
	       (c->pool_bytes ? GLK_CARD_FEATURES_POOL_MASK : 0);
}

static uint64_t read_card(struct glk_card *card, unsigned reg)
{
	switch (reg) {
	case GLK_CARD_MAGIC:
		return GLK_MAGIC;
	case GLK_CARD_HW_VERSION:
		return GLK_HW_VERSION;
	case GLK_CARD_CAPS0:
		return capabilities0(&card->config);
	case GLK_CARD_CAPS1:
		return capabilities1(&card->config);
	case GLK_CARD_FEATURES:
		return features(&card->config);
	case GLK_CARD_CONTROL:
		return card->control;
	case GLK_CARD_STATUS:
		return GLK_CARD_STATUS_READY_MASK |
		       (!card->link || card->link->up ? GLK_CARD_STATUS_LINK_UP_MASK : 0) |
		       (idle(card) ? GLK_CARD_STATUS_IDLE_MASK : 0);
	case GLK_CARD_GENERATION:
		return card->generation;
	case GLK_CARD_SCRATCH:
		return card->scratch;
	case GLK_CARD_SERIAL:
		return card->config.serial;
	case GLK_CARD_POOL_BYTES:
		return card->config.pool_bytes;
	case GLK_CARD_ERROR_CAUSE:
		return card->error_cause;
	case GLK_CARD_DRAIN:
		return card->drain_written | (glk_drain_busy(card) ? GLK_CARD_DRAIN_BUSY_MASK : 0);
	case GLK_CARD_SNAPSHOT:
		return card->snapshots;
	}
	if (reg >= GLK_CARD_ERR_WINDOW && reg <= GLK_CARD_PACKETS_RECEIVED)
		return card->latched.value[(reg - GLK_CARD_ERR_WINDOW) / 8];
	return 0;
}

static uint64_t read_partition(const struct glk_card *card, unsigned p, unsigned reg)
{
	const struct glk_partition *partition = &card->partitions[p];
	const struct glk_endpoint *e = &card->endpoints[p];

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
	case GLK_PARTITION_FAR_BYTES:
		return glk_remote_is(card, p) ? card->link->remote[p].bytes : 0;
	}
	if (reg >= GLK_PARTITION_STORES && reg <= GLK_PARTITION_ERR_ENDPOINT)
		return card->latched_partitions[p].value[(reg - GLK_PARTITION_STORES) / 8];
	return glk_partition_get(partition, reg);
}

static uint64_t read_doorbell(const struct glk_card *card, unsigned context, unsigned reg)
{
	if (reg == GLK_DOORBELL_RELEASED)
		return card->contexts[context].released;
	return reg == GLK_DOORBELL_GENERATION ? card->generation : 0;
}

/* The blocks that not all cards have are the last ones. */
static uint64_t read_header(const struct glk_card *card, const struct header *header)
{
	unsigned next = header->next;

	if (!card->link && (header->block == GLK_BLOCK_LINK || header->block == GLK_BLOCK_CAPTURE))
		return 0;
	if (header->block == GLK_BLOCK_DOORBELL && card->link)
		next = GLK_BLOCK_LINK;
	else if (header->block == GLK_BLOCK_LINK)
		next = GLK_BLOCK_CAPTURE;
	return header->type | (uint64_t)header->version << 16 | (uint64_t)next << 32;
}

static uint64_t read_whole(struct glk_card *card, unsigned offset)
{
	struct place place = find(card, offset);

	for (unsigned i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (offset == headers[i].block)
			return read_header(card, &headers[i]);
	if (!place.exists)
		return 0;
	switch (place.block) {
	case GLK_BLOCK_CARD:
		return read_card(card, place.reg);
	case GLK_BLOCK_PARTITION:
		return read_partition(card, place.element, place.reg);
	case GLK_BLOCK_WINDOW:
		return place.reg <= GLK_WINDOW_Q2 ? card->windows[place.element].q[place.reg / 8] : 0;
	case GLK_BLOCK_REGISTRATION:
		return card->registrations[place.element].q[place.reg / 8];
	case GLK_BLOCK_CONTEXT:
		return glk_context_get(card, place.element, place.reg);
	case GLK_BLOCK_LINK:
		return glk_card_link_get(card, place.reg);
	case GLK_BLOCK_CAPTURE:
		return glk_capture_get(card, place.reg);
	default:
		return read_doorbell(card, place.element, place.reg);
	}
}

/* Every counter at one instant. */
static void snapshot(struct glk_card *card)
{
	card->latched = card->counters;
	for (unsigned p = 0; p < card->config.partitions; p++)
		card->latched_partitions[p] = card->partitions[p].counters;
	if (card->link)
		glk_card_link_snapshot(card);
	card->snapshots++;
}

static int write_control(struct glk_card *card, uint64_t value)
{
	if (value & ~CONTROL_DEFINED)
		return -EINVAL;
	if (value & GLK_CARD_CONTROL_RESET_MASK) {
		glk_card_reset(card);
		return 0;
	}
	/* What was accepted while enabled is not lost. */
	if (!(value & GLK_CARD_CONTROL_ENABLE_MASK))
		for (unsigned p = 0; p < card->config.partitions; p++)
			glk_partition_flush(&card->partitions[p], GLK_FLUSH_DRAIN);
	card->control = value;
	return 0;
}

static int write_card(struct glk_card *card, unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_CARD_CONTROL:
		return write_control(card, value);
	case GLK_CARD_SCRATCH:
		card->scratch = value;
		return 0;
	case GLK_CARD_ERROR_CAUSE:
		card->error_cause &= ~value;
		return 0;
	case GLK_CARD_DRAIN:
		return glk_drain_begin(card, value);
	case GLK_CARD_SNAPSHOT:
		snapshot(card);
		return 0;
	default:
		return -EINVAL;
	}
}

static int write_partition(struct glk_card *card, unsigned p, unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_PARTITION_EP_KIND:
	case GLK_PARTITION_EP_BASE:
	case GLK_PARTITION_EP_BYTES:
		return glk_endpoint_set(card, p, reg, value);
	case GLK_PARTITION_FAR_BYTES:
		if (!glk_remote_is(card, p))
			return -EINVAL;
		glk_remote_ask(card, p);
		return 0;
	case GLK_PARTITION_MODE:
		if ((value & GLK_PARTITION_MODE_OPEN_MASK) && !card->link)
			return -EINVAL;
		return glk_partition_set(&card->partitions[p], reg, value);
	default:
		return glk_partition_set(&card->partitions[p], reg, value);
	}
}

/* Users write these: what they get wrong harms and troubles nobody else, and is not counted. */
static void write_doorbell(struct glk_card *card, unsigned context, unsigned reg, uint64_t value)
{
	struct glk_context *c = &card->contexts[context];

	if (!(card->control & GLK_CARD_CONTROL_ENABLE_MASK))
		return;
	if (reg == GLK_DOORBELL_SQ_TAIL || reg == GLK_DOORBELL_CQ_HEAD) {
		if (c->control & GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK)
			*(reg == GLK_DOORBELL_SQ_TAIL ? &c->sq_tail : &c->cq_head) = (uint16_t)value;
	} else if (reg == GLK_DOORBELL_RELEASE && (c->control & GLK_CONTEXT_CONTROL_ENABLE_MASK)) {
		c->release_word = value;
		glk_release_request(card, context, value);
	}
}

static int write_whole(struct glk_card *card, unsigned offset, uint64_t value)
{
	struct place place = find(card, offset);

	if (!place.exists)
		return -EINVAL;
	switch (place.block) {
	case GLK_BLOCK_CARD:
		return write_card(card, place.reg, value);
	case GLK_BLOCK_PARTITION:
		return write_partition(card, place.element, place.reg, value);
	case GLK_BLOCK_WINDOW:
		return place.reg <= GLK_WINDOW_Q2 ? glk_window_set(card, place.element, place.reg / 8, value) : -EINVAL;
	case GLK_BLOCK_REGISTRATION:
		return glk_registration_set(card, place.element, place.reg / 8, value);
	case GLK_BLOCK_CONTEXT:
		return glk_context_set(card, place.element, place.reg, value);
	case GLK_BLOCK_LINK:
		return glk_card_link_set(card, place.reg, value);
	case GLK_BLOCK_CAPTURE:
		return glk_capture_set(card, place.reg, value);
	default:
		write_doorbell(card, place.element, place.reg, value);
		return 0;
	}
}

static bool access_valid(uint64_t offset, unsigned size)
{
	return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0 && offset < GLK_BAR0_SIZE;
}

int glk_card_register_read(struct glk_card *card, uint64_t offset, unsigned size, uint64_t *value)
{
	*value = UINT64_MAX;
	if (!access_valid(offset, size))
		return -EINVAL;
	*value = read_whole(card, (unsigned)offset & ~7u) >> (8 * (offset % 8));
	if (size < 8)
		*value &= (1ULL << (8 * size)) - 1;
	return 0;
}

static void refuse_write(struct glk_card *card)
{
	glk_count(card, GLK_CARD_COUNTER(ERR_CONFIG));
	glk_note_error(card, GLK_CARD_ERROR_CAUSE_CONFIG_MASK);
}

/* What the bytes that a narrow write leaves alone count as. */
static uint64_t remaining(struct glk_card *card, unsigned offset)
{
	struct place place = find(card, offset);

	if (place.block == GLK_BLOCK_DOORBELL && place.exists)
		return place.reg == GLK_DOORBELL_RELEASE ? card->contexts[place.element].release_word : 0;
	if (place.block == GLK_BLOCK_CARD && (place.reg == GLK_CARD_ERROR_CAUSE || place.reg == GLK_CARD_DRAIN))
		return 0;
	return read_whole(card, offset);
}

int glk_card_register_write(struct glk_card *card, uint64_t offset, unsigned size, uint64_t value)
{
	unsigned whole = (unsigned)offset & ~7u;

	if (!access_valid(offset, size))
		return -EINVAL;
	if (size < 8) {
		uint64_t mask = ((1ULL << (8 * size)) - 1) << (8 * (offset % 8));

		value = (remaining(card, whole) & ~mask) | ((value << (8 * (offset % 8))) & mask);
	}
	if (write_whole(card, whole, value))
		refuse_write(card);
	return 0;
}

int glk_card_register_poisoned(struct glk_card *card, uint64_t offset, unsigned size)
{
	if (!access_valid(offset, size))
		return -EINVAL;
	refuse_write(card);
	return -EBADMSG;
}
