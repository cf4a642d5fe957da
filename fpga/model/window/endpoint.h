/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Endpoints: the memory behind each partition, and how many of the writes to it are acknowledged. Memory of the card's own
 * cluster (kinds bus and pool) is written and read here; what an endpoint of kind link needs is called through
 * glk_endpoint_ops. Internal to the model.
 */
#ifndef GLK_ENDPOINT_H
#define GLK_ENDPOINT_H

#include "base/common.h"
#include "finepack/partition.h"
#include "pool/pool.h"

struct glk_endpoint {
	uint64_t kind; /* GLK_EP_... */
	uint64_t base;
	uint64_t bytes;
	uint64_t posted;       /* writes since the last reset */
	uint64_t acknowledged; /* of them */
	uint64_t failed;       /* of them; only differences count */
};

struct glk_endpoint_ops {
	/* Writes of the partition were acknowledged. May read endpoints, write to them and flush partitions. */
	void (*acknowledged)(void *user, unsigned partition);
	/* The endpoint becomes of kind link, with the base and bytes that it has. Returns 0, or -EINVAL: it may not. */
	int (*bind)(void *user, unsigned partition);
	/* The endpoint becomes of another kind than link, none excepted. */
	void (*unbind)(void *user, unsigned partition);
	/* A store to the partition, of kind link, follows: waits until no packet of it is held. */
	void (*make_way)(void *user, unsigned partition);
	/* Reads the endpoint, of kind link. Returns 0 or a negative errno. */
	int (*load)(void *user, unsigned partition, uint64_t offset, void *data, size_t len);
};

struct glk_endpoints {
	struct glk_common *common;
	struct glk_partition *partitions; /* one for each endpoint */
	struct glk_pool *pool;
	const struct glk_endpoint_ops *ops;
	void *user;
	struct glk_endpoint of[GLK_PARTITION_COUNT];
};

/* Is it of kind link? */
static inline bool glk_endpoint_is_link(const struct glk_endpoints *endpoints, unsigned partition)
{
	return endpoints->of[partition].kind == GLK_EP_LINK;
}

/* Registers EP_KIND, EP_BASE and EP_BYTES. Returns 0, or -EINVAL: nothing has changed. */
int glk_endpoint_set(struct glk_endpoints *endpoints, unsigned partition, unsigned reg, uint64_t value);
/* Whether there is an endpoint, in the card's own cluster. */
bool glk_endpoint_own(const struct glk_endpoints *endpoints, unsigned partition);
/* Whether there is an endpoint, and it has `len` bytes from `offset` on. */
bool glk_endpoint_holds(const struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, uint64_t len);
/* Counts a write that is posted to an endpoint of the own cluster. */
void glk_endpoint_posted(struct glk_endpoints *endpoints, unsigned partition, size_t len);
/* Posts a write to bytes that an endpoint of the own cluster holds. */
void glk_endpoint_write(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, const void *data, size_t len);
/* Reads bytes that the endpoint holds, behind every write to it. Returns 0 or a negative errno; failures are counted. */
int glk_endpoint_read(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, void *data, size_t len);
/* An atomic of 4 or 8 bytes in the own cluster. *written: it was more than a read. Returns 0 or -EIO. */
int glk_endpoint_update(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, size_t len,
			const struct glk_update *update, uint64_t *old, bool *written);
/* Counts failed accesses to the endpoint and latches the error. */
void glk_endpoint_failed(struct glk_endpoints *endpoints, unsigned partition, unsigned failures);
/* The oldest `count` writes are visible; `failed` of them failed. Surplus acknowledgements are ignored. */
void glk_endpoint_acknowledge(struct glk_endpoints *endpoints, unsigned partition, unsigned count, unsigned failed);

#endif /* GLK_ENDPOINT_H */
