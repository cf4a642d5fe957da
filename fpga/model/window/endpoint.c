// SPDX-License-Identifier: Apache-2.0
#include "window/endpoint.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

static bool base_valid(const struct glk_endpoints *endpoints, uint64_t kind, const struct glk_endpoint *e)
{
	if (kind == GLK_EP_BUS)
		return e->bytes && e->base <= UINT64_MAX - e->bytes;
	return e->bytes && glk_pool_holds(endpoints->pool, e->base, e->bytes);
}

/*
 * Removing the endpoint flushes the stores queued for it. Another endpoint can be set only when all writes are acknowledged;
 * otherwise the acknowledgement of a new write could count for an old one.
 */
static int set_kind(struct glk_endpoints *endpoints, unsigned partition, uint64_t kind)
{
	struct glk_endpoint *e = &endpoints->of[partition];

	if (kind == e->kind)
		return 0;
	if (kind == GLK_EP_NONE) {
		glk_partition_flush(&endpoints->partitions[partition], GLK_FLUSH_DRAIN);
		endpoints->partitions[partition].remote = false;
		e->kind = kind;
		return 0;
	}
	if (kind >= GLK_EP_COUNT || e->kind != GLK_EP_NONE || e->posted != e->acknowledged)
		return -EINVAL;
	if (kind == GLK_EP_LINK ? endpoints->ops->bind(endpoints->user, partition) : !base_valid(endpoints, kind, e))
		return -EINVAL;
	if (kind != GLK_EP_LINK)
		endpoints->ops->unbind(endpoints->user, partition);
	e->kind = kind;
	endpoints->partitions[partition].remote = kind == GLK_EP_LINK;
	return 0;
}

int glk_endpoint_set(struct glk_endpoints *endpoints, unsigned partition, unsigned reg, uint64_t value)
{
	struct glk_endpoint *e = &endpoints->of[partition];

	if (reg == GLK_PARTITION_EP_KIND)
		return set_kind(endpoints, partition, value);
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

bool glk_endpoint_own(const struct glk_endpoints *endpoints, unsigned partition)
{
	uint64_t kind = endpoints->of[partition].kind;

	return kind == GLK_EP_BUS || kind == GLK_EP_POOL;
}

bool glk_endpoint_holds(const struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, uint64_t len)
{
	const struct glk_endpoint *e = &endpoints->of[partition];

	return e->kind != GLK_EP_NONE && len <= e->bytes && offset <= e->bytes - len;
}

void glk_endpoint_posted(struct glk_endpoints *endpoints, unsigned partition, size_t len)
{
	uint64_t *counters = endpoints->partitions[partition].counters.value;

	counters[GLK_PARTITION_COUNTER(ENDPOINT_WRITES)]++;
	counters[GLK_PARTITION_COUNTER(ENDPOINT_BYTES)] += len;
	endpoints->of[partition].posted++;
}

void glk_endpoint_write(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, const void *data, size_t len)
{
	const struct glk_card_config *config = &endpoints->common->config;
	const struct glk_endpoint *e = &endpoints->of[partition];

	glk_endpoint_posted(endpoints, partition, len);
	if (e->kind == GLK_EP_POOL) {
		glk_pool_write(endpoints->pool, e->base + offset, data, len);
		glk_endpoint_acknowledge(endpoints, partition, 1, 0);
	} else {
		config->ops->endpoint_write(config->platform, partition, e->base + offset, data, len);
	}
}

void glk_endpoint_failed(struct glk_endpoints *endpoints, unsigned partition, unsigned failures)
{
	endpoints->of[partition].failed += failures;
	endpoints->partitions[partition].counters.value[GLK_PARTITION_COUNTER(ERR_ENDPOINT)] += failures;
	glk_note_error(endpoints->common, GLK_CARD_ERROR_CAUSE_ENDPOINT_MASK);
}

void glk_endpoint_acknowledge(struct glk_endpoints *endpoints, unsigned partition, unsigned count, unsigned failed)
{
	struct glk_endpoint *e = &endpoints->of[partition];

	/* A surplus belongs to writes from before a reset. */
	if (count > e->posted - e->acknowledged)
		count = (unsigned)(e->posted - e->acknowledged);
	e->acknowledged += count;
	if (failed && count)
		glk_endpoint_failed(endpoints, partition, failed < count ? failed : count);
	endpoints->ops->acknowledged(endpoints->user, partition);
}

int glk_endpoint_read(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, void *data, size_t len)
{
	const struct glk_card_config *config = &endpoints->common->config;
	struct glk_endpoint *e = &endpoints->of[partition];
	int error = 0;

	if (e->kind == GLK_EP_POOL)
		memcpy(data, endpoints->pool->data + e->base + offset, len);
	else if (e->kind == GLK_EP_LINK)
		error = endpoints->ops->load(endpoints->user, partition, offset, data, len);
	else
		error = config->ops->endpoint_read(config->platform, partition, e->base + offset, data, len);
	if (error)
		glk_endpoint_failed(endpoints, partition, 1);
	return error;
}

bool glk_update_value(const struct glk_update *update, uint64_t old, uint64_t *value)
{
	*value = update->opcode == GLK_OP_FETCH_ADD ? old + update->operand : update->operand;
	return update->opcode != GLK_OP_CAS || old == update->compare;
}

/* By the platform, which has written the new value if there is one. */
static int update_bus(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, size_t len,
		      const struct glk_update *update, uint64_t *old, bool *written)
{
	const struct glk_card_config *config = &endpoints->common->config;

	if (config->ops->endpoint_update(config->platform, partition, endpoints->of[partition].base + offset, len, update, old,
					 written)) {
		*written = false;
		glk_endpoint_failed(endpoints, partition, 1);
		return -EIO;
	}
	if (*written) {
		glk_endpoint_posted(endpoints, partition, len);
		glk_endpoint_acknowledge(endpoints, partition, 1, 0);
	}
	return 0;
}

/* The new value is posted at once, behind every earlier write to the bytes. */
int glk_endpoint_update(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, size_t len,
			const struct glk_update *update, uint64_t *old, bool *written)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value;

	if (endpoints->of[partition].kind == GLK_EP_BUS && endpoints->common->config.ops->endpoint_update)
		return update_bus(endpoints, partition, offset, len, update, old, written);
	*written = false;
	if (glk_endpoint_read(endpoints, partition, offset, bytes, len))
		return -EIO;
	*old = glk_get_le64(bytes);
	*written = glk_update_value(update, *old, &value);
	if (!*written)
		return 0;
	glk_put_le64(bytes, value);
	glk_endpoint_write(endpoints, partition, offset, bytes, len);
	return 0;
}

