// SPDX-License-Identifier: Apache-2.0
#include "pool/pool.h"

#include <errno.h>
#include <string.h>

bool glk_pool_holds(const struct glk_pool *pool, uint64_t offset, uint64_t len)
{
	return len <= pool->bytes && offset <= pool->bytes - len;
}

int glk_pool_write(struct glk_pool *pool, uint64_t offset, const void *data, size_t len)
{
	if (!glk_pool_holds(pool, offset, len))
		return -EINVAL;
	memcpy(pool->data + offset, data, len);
	return 0;
}

int glk_pool_read(const struct glk_pool *pool, uint64_t offset, void *data, size_t len)
{
	if (!glk_pool_holds(pool, offset, len))
		return -EINVAL;
	memcpy(data, pool->data + offset, len);
	return 0;
}
