// SPDX-License-Identifier: Apache-2.0
#include "window/timed.h"

#include "base/bytes.h"

uint64_t glk_endpoint_line_bytes(const struct glk_endpoints *endpoints, unsigned partition, uint64_t offset)
{
	const struct glk_endpoint *e = &endpoints->of[partition];

	return e->kind == GLK_EP_POOL && endpoints->pool->leases ? glk_pool_line_bytes(endpoints->pool, e->base + offset) : 0;
}

bool glk_timed_read(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, uint64_t time, uint64_t wts,
		    struct glk_lease *lease, bool *same)
{
	return glk_pool_lease(endpoints->pool, endpoints->of[partition].base + offset, time, wts, lease, same);
}

bool glk_timed_write(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, uint64_t time, const void *data,
		     size_t len, struct glk_lease *lease)
{
	if (!glk_pool_write_timed(endpoints->pool, endpoints->of[partition].base + offset, time, data, len, lease))
		return false;
	glk_endpoint_posted(endpoints, partition, len);
	glk_endpoint_acknowledge(endpoints, partition, 1, 0);
	return true;
}

bool glk_timed_update(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, size_t len,
		      const struct glk_update *update, uint64_t time, uint64_t *old, bool *written, struct glk_lease *lease)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value;
	bool same;

	glk_pool_read(endpoints->pool, endpoints->of[partition].base + offset, bytes, len);
	*old = glk_get_le64(bytes);
	*written = glk_update_value(update, *old, &value);
	if (!*written)
		return glk_timed_read(endpoints, partition, offset, time, UINT64_MAX, lease, &same);
	glk_put_le64(bytes, value);
	return glk_timed_write(endpoints, partition, offset, time, bytes, len, lease);
}
