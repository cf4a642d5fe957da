// SPDX-License-Identifier: Apache-2.0
/* Endpoints: the memory behind a partition; plain writes to it and reads from it, and what became of the writes. */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "card/state.h"

static bool base_valid(const struct glk_card *card, uint64_t kind, const struct glk_endpoint *e)
{
	if (kind == GLK_EP_BUS)
		return e->bytes && e->base <= UINT64_MAX - e->bytes;
	return e->bytes && e->bytes <= card->config.pool_bytes && e->base <= card->config.pool_bytes - e->bytes;
}

/*
 * Taking the endpoint away flushes: what is queued was meant for it. There can be another one only when all of that has
 * arrived, or a write to the new one could acknowledge it.
 */
static int set_kind(struct glk_card *card, unsigned partition, uint64_t kind)
{
	struct glk_endpoint *e = &card->endpoints[partition];

	if (kind == e->kind)
		return 0;
	if (kind == GLK_EP_NONE) {
		glk_partition_flush(&card->partitions[partition], GLK_FLUSH_DRAIN);
		card->partitions[partition].remote = false;
		e->kind = kind;
		return 0;
	}
	if (kind >= GLK_EP_COUNT || e->kind != GLK_EP_NONE || e->posted != e->acknowledged)
		return -EINVAL;
	if (kind == GLK_EP_LINK ? glk_remote_bind(card, partition) : !base_valid(card, kind, e))
		return -EINVAL;
	e->kind = kind;
	card->partitions[partition].remote = kind == GLK_EP_LINK;
	if (kind == GLK_EP_LINK)
		glk_remote_ask(card, partition);
	else
		glk_remote_unbind(card, partition);
	return 0;
}

int glk_endpoint_set(struct glk_card *card, unsigned partition, unsigned reg, uint64_t value)
{
	struct glk_endpoint *e = &card->endpoints[partition];

	if (reg == GLK_PARTITION_EP_KIND)
		return set_kind(card, partition, value);
	if (e->kind != GLK_EP_NONE || value % GLK_PAGE_SIZE)
		return -EINVAL;
	if (reg == GLK_PARTITION_EP_BASE) {
		e->base = value;
	} else {
		if (value > GLK_LINK_OFFSET_MASK + 1)
			return -EINVAL;
		e->bytes = value;
	}
	return 0;
}

bool glk_endpoint_own(const struct glk_card *card, unsigned partition)
{
	uint64_t kind = card->endpoints[partition].kind;

	return kind == GLK_EP_BUS || kind == GLK_EP_POOL;
}

bool glk_endpoint_holds(const struct glk_card *card, unsigned partition, uint64_t offset, uint64_t len)
{
	const struct glk_endpoint *e = &card->endpoints[partition];

	return e->kind != GLK_EP_NONE && len <= e->bytes && offset <= e->bytes - len;
}

void glk_endpoint_write(struct glk_card *card, unsigned partition, uint64_t offset, const void *data, size_t len)
{
	struct glk_endpoint *e = &card->endpoints[partition];
	uint64_t *counters = card->partitions[partition].counters.value;

	counters[GLK_PARTITION_COUNTER(ENDPOINT_WRITES)]++;
	counters[GLK_PARTITION_COUNTER(ENDPOINT_BYTES)] += len;
	e->posted++;
	if (e->kind == GLK_EP_POOL) {
		memcpy(card->pool + e->base + offset, data, len);
		glk_card_endpoint_acknowledge(card, partition, 1, 0);
	} else {
		card->config.ops->endpoint_write(card->config.platform, partition, e->base + offset, data, len);
	}
}

void glk_endpoint_failed(struct glk_card *card, unsigned partition, unsigned failures)
{
	card->endpoints[partition].failed += failures;
	card->partitions[partition].counters.value[GLK_PARTITION_COUNTER(ERR_ENDPOINT)] += failures;
	glk_note_error(card, GLK_CARD_ERROR_CAUSE_ENDPOINT_MASK);
}

void glk_card_endpoint_acknowledge(struct glk_card *card, unsigned partition, unsigned count, unsigned failed)
{
	struct glk_endpoint *e = &card->endpoints[partition];

	/* More than was posted can only be acknowledgements of writes from before a reset. */
	if (count > e->posted - e->acknowledged)
		count = (unsigned)(e->posted - e->acknowledged);
	e->acknowledged += count;
	if (failed && count)
		glk_endpoint_failed(card, partition, failed < count ? failed : count);
	for (unsigned c = 0; c < card->config.contexts; c++)
		if (card->contexts[c].release.pending)
			glk_release_progress(card, c);
	glk_serve_acknowledged(card, partition);
}

int glk_endpoint_read(struct glk_card *card, unsigned partition, uint64_t offset, void *data, size_t len)
{
	struct glk_endpoint *e = &card->endpoints[partition];
	int error = 0;

	if (e->kind == GLK_EP_POOL)
		memcpy(data, card->pool + e->base + offset, len);
	else if (e->kind == GLK_EP_LINK)
		error = glk_remote_load(card, partition, offset, data, len);
	else
		error = card->config.ops->endpoint_read(card->config.platform, partition, e->base + offset, data, len);
	if (error)
		glk_endpoint_failed(card, partition, 1);
	return error;
}

/* The new value is written at once, behind every earlier store to the bytes. */
int glk_endpoint_update(struct glk_card *card, unsigned partition, uint64_t offset, size_t len, const struct glk_update *update,
			uint64_t *old, bool *written)
{
	uint8_t bytes[8] = { 0 };

	*written = false;
	if (glk_endpoint_read(card, partition, offset, bytes, len))
		return -EIO;
	*old = glk_get_le64(bytes);
	if (update->opcode == GLK_OP_CAS && *old != update->compare)
		return 0;
	glk_put_le64(bytes, update->opcode == GLK_OP_FETCH_ADD ? *old + update->operand : update->operand);
	*written = true;
	glk_endpoint_write(card, partition, offset, bytes, len);
	return 0;
}

void glk_store(struct glk_card *card, const struct glk_target *target, const void *data, size_t len)
{
	struct glk_partition *partition = &card->partitions[target->partition];

	glk_remote_make_way(card, target->partition);
	if (card->contexts[target->context].control & GLK_CONTEXT_CONTROL_ENABLE_MASK)
		card->contexts[target->context].touched |= 1u << target->partition;
	glk_partition_store(partition, glk_link_address(target->partition, target->offset), data, len, target->context,
			    card->now_ns);
}

void glk_flush_hit(struct glk_card *card, const struct glk_target *target, size_t len, unsigned reason)
{
	struct glk_partition *partition = &card->partitions[target->partition];

	if (glk_write_queue_hits(&partition->queue, glk_link_address(target->partition, target->offset), len))
		glk_partition_flush(partition, reason);
}

int glk_load(struct glk_card *card, const struct glk_target *target, void *data, size_t len, unsigned reason)
{
	glk_flush_hit(card, target, len, reason);
	return glk_endpoint_read(card, target->partition, target->offset, data, len);
}
