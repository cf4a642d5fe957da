/* SPDX-License-Identifier: Apache-2.0 */
/* An open card, shared by the files of its back end. */
#ifndef GLK_LIB_CARD_H
#define GLK_LIB_CARD_H

#include <stdbool.h>
#include <sys/types.h>

#include <gpulink_regs.h>

#include <linux/gpulink.h>
#include "../backend.h"
#include "card_ring.h"

struct glk_card_pools;

struct card {
	int fd;
	dev_t number;
	struct gpulink_ioctl_query query;
	struct glk_card_ring *ring;
	struct glk_card_pools *pools; /* once a pool object was opened */
	void *record; /* page of the completion record, once it was asked for */
	struct {
		void *memory;
		size_t bytes;
	} endpoints[GLK_PARTITION_COUNT];
};

/* card_context.c: the error of an errno. */
int glk_card_code_of(int error);
/* mmap(), or NULL. Children do not inherit it: their accesses would be the parent's. */
void *glk_card_map(uint64_t bytes, int protection, int fd, uint64_t offset);
/* Maps the page of the completion record. 0 or an error. Under the device's lock. */
int glk_card_map_record(struct card *card);

/* card_region.c */
int glk_card_region_open(void *backend, const struct glk_region_shape *shape, struct glk_backend_region *region);
void glk_card_region_close(void *backend, const struct glk_backend_region *region);
void glk_card_region_write(void *backend, unsigned reg, uint64_t value);
int glk_card_region_wait(void *backend, const struct glk_backend_region *region, unsigned level, uint64_t epoch,
			 uint64_t timeout_ns, struct glk_region_state *state);

/* card_pool.c */
/* For operations with a time. `queue` has rings, and no other user. */
int glk_card_pools_open(struct card *queue, struct glk_card_pools **pools);
/* Frees what is left, and returns the queue for the caller to close. `child`: the parent uses it. */
struct card *glk_card_pools_close(struct glk_card_pools *pools, bool child);
/* The others as in struct glk_backend_ops. Before it opens an object, card->pools must be there. */
int glk_card_object_create(void *backend, uint64_t bytes, uint32_t grain, int *fd);
int glk_card_object_share(void *backend, const struct glk_backend_pool *pool, unsigned rights, int *shared);
int glk_card_object_open(struct card *card, int fd, struct glk_backend_pool *pool);
void glk_card_object_close(void *backend, const struct glk_backend_pool *pool);
int glk_card_object_clock(void *backend, const struct glk_backend_pool *pool, uint64_t *clock);
int glk_card_object_read(void *backend, const struct glk_backend_pool *pool, uint64_t line, uint64_t time, uint64_t wts,
		       struct glk_pool_lease *lease, void *data);
int glk_card_object_renew(void *backend, const struct glk_backend_pool *pool, uint64_t time, struct glk_pool_renewal *renewals,
			unsigned count);
int glk_card_object_write(void *backend, const struct glk_backend_pool *pool, uint64_t offset, uint64_t time, const void *data,
			size_t bytes, struct glk_pool_lease *lease);
int glk_card_object_atomic(void *backend, const struct glk_backend_pool *pool, unsigned opcode, uint64_t offset, size_t bytes,
			 uint64_t time, uint64_t operand, uint64_t compare, uint64_t *old, struct glk_pool_lease *lease);
int glk_card_object_load(void *backend, const struct glk_backend_pool *pool, uint64_t offset, void *data, size_t bytes);
int glk_card_object_store(void *backend, const struct glk_backend_pool *pool, uint64_t offset, const void *data, size_t bytes);

#endif /* GLK_LIB_CARD_H */
