/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of back ends: a card with its driver, or the model in the process. The common part of the library checks
 * arguments, tracks objects and operations, and waits; the back end performs the operations.
 *
 * An instance is one context of a device: it has rings, windows and memories of its own. Calls on the rings of one instance
 * are made by one thread at a time, all other calls under the device's lock, except for store(), load() and sleep(). They
 * return 0 or a count, or a negative GPULINK_E code.
 */
#ifndef GLK_BACKEND_H
#define GLK_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpulink.h"
#include "gpulink_region.h"

#define GLK_SQE_WORDS 8u
#define GLK_CQE_WORDS 2u
#define GLK_RING_MAX  512u /* entries of a ring */

/* A window of a back end. */
struct glk_backend_window {
	uint32_t handle;    /* in ring entries */
	uint32_t partition; /* of the endpoint that contains a dma-buf, or where lanes are */
	uint64_t origin;    /* where lanes are: offset in the endpoint */
	uint64_t place;	    /* private to the back end */
	void *address;	    /* mapping for the CPU, or NULL */
};

/* A region to be opened. Windows and memory are those of this back end. */
struct glk_region_shape {
	uint32_t memory; /* handle */
	uint64_t offset, bytes;
	unsigned chunk_order, chunks, target_count;
	bool flush_on_release;
	const uint16_t *arrivals; /* of each chunk */
	struct glk_region_shape_target {
		uint32_t window; /* handle */
		uint64_t offset, flags_offset;
		bool signal;
	} targets[GPULINK_REGION_TARGETS_MAX];
};

struct glk_backend_region {
	uint32_t handle;
	const volatile uint64_t *record; /* private to the back end */
};

struct glk_region_state {
	uint64_t sent, visible;
	uint32_t status; /* of the card: the first error of the epoch */
	uint32_t failed_targets, rejected;
};

/* A pool object of a back end. */
struct glk_backend_pool {
	struct glk_backend_window window; /* of this context; its address is for stores without a time, or NULL */
	uint64_t bytes;
	uint32_t grain;	    /* bytes of a line */
	void *address;	    /* mapping of the pool's memory, uncached, or NULL */
	unsigned rights;
	const void *clock;  /* objects with the same one have one clock */
	void *state;	    /* private to the back end */
};

/* Where an answer of a pool operation goes. `wts`, `rts` as in LEASE_RECORD. */
struct glk_pool_lease {
	uint64_t wts, rts;
	bool same;
};

/* A renewal: RENEW_RECORD. */
struct glk_pool_renewal {
	uint64_t line, wts;
};

struct glk_lane;

struct glk_backend_ops {
	void (*close)(void *backend);
	/* Instead of close() in a child of the process that opened it: without effect on the parent. Not under the lock. */
	void (*abandon)(void *backend);
	/* Fills in all members except the name. */
	void (*get_info)(void *backend, struct gpulink_info *info);
	int (*get_endpoint)(void *backend, unsigned partition, struct gpulink_endpoint_info *info);
	int (*get_counters)(void *backend, unsigned partition, struct gpulink_counters *counters);
	int (*endpoint_memory)(void *backend, unsigned partition, void **memory, size_t *bytes);

	int (*window_open)(void *backend, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
			   struct glk_backend_window *window);
	/* Onto memory of a dma-buf. EUNREACHABLE: not accessible to this device. NULL: it has no bus to others, as below. */
	int (*window_import)(void *backend, int dmabuf, uint64_t offset, uint64_t bytes, unsigned rights,
			     struct glk_backend_window *window);
	void (*window_close)(void *backend, const struct glk_backend_window *window, uint64_t bytes);
	/* A dma-buf descriptor of the window, or an error. NULL: not supported, as below. */
	int (*window_export)(void *backend, const struct glk_backend_window *window);
	/* Only for windows without an address; inside the window. */
	int (*store)(void *backend, const struct glk_backend_window *window, uint64_t offset, const void *data,
		     size_t bytes);
	int (*load)(void *backend, const struct glk_backend_window *window, uint64_t offset, void *data, size_t bytes);

	int (*memory_open)(void *backend, void *address, size_t bytes, unsigned rights, uint32_t *handle);
	/* Memory of a dma-buf, as window_import(). */
	int (*memory_import)(void *backend, int dmabuf, uint64_t offset, size_t bytes, unsigned rights, uint32_t *handle);
	void (*memory_close)(void *backend, uint32_t handle);

	/* Submits an entry: 1, or 0 if the ring is full. */
	int (*submit)(void *backend, const uint64_t entry[GLK_SQE_WORDS]);
	/* Returns the completions that are available (phase and generation bits unspecified), in order of submission. */
	int (*take)(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room);
	/* Sleeps until the entry with this number, counted from 0, has completed; it or a later one has requested an
	 * interrupt. 0, ETIMEDOUT, or why no completion will come. Other threads may submit and take meanwhile. */
	int (*sleep)(void *backend, uint64_t entry, uint64_t timeout_ns);
	/* *errors: failed window accesses since the context was opened. The entry is a completed release. */
	int (*count_errors)(void *backend, uint64_t entry, uint32_t *errors);
	/* A descriptor that is readable while completions are not taken, or when the device is lost. */
	int (*descriptor)(void *backend);
	/* The pages for a device that releases; NULL: it has none. Under the lock. */
	int (*doorbell)(void *backend, struct gpulink_doorbell *doorbell);

	/* Regions; NULL: there are none. Open and close under the lock, the others not. ENOTSUP: the card has none. */
	int (*region_open)(void *backend, const struct glk_region_shape *shape, struct glk_backend_region *region);
	void (*region_close)(void *backend, const struct glk_backend_region *region);
	/* Writes a register of the doorbell page, START or ARRIVE. */
	void (*region_write)(void *backend, unsigned reg, uint64_t value);
	/* 0: the epoch has reached the level, or failed (status); ETIMEDOUT: not yet. May sleep for up to `timeout_ns`. *state
	 * is valid in both cases. Epoch 0: only the state. */
	int (*region_wait)(void *backend, const struct glk_backend_region *region, unsigned level, uint64_t epoch,
			   uint64_t timeout_ns, struct glk_region_state *state);

	/*
	 * Pool objects (gpulink_pool.h); NULL: there are none. ENOTSUP: the card has none. Create, open and close under the
	 * lock, the others not, and by several threads at once. Offsets are checked. ERANGE: a time later than all leases given
	 * out.
	 */
	/* A new object's descriptor, which is the caller's. */
	int (*pool_create)(void *backend, uint64_t bytes, uint32_t grain, int *fd);
	/* A descriptor with rights that the object was opened with. */
	int (*pool_share)(void *backend, const struct glk_backend_pool *pool, unsigned rights, int *shared);
	/* Opens with all rights that the descriptor has, which stays the caller's and may be closed. */
	int (*pool_open)(void *backend, int fd, struct glk_backend_pool *pool);
	void (*pool_close)(void *backend, const struct glk_backend_pool *pool);
	/* The card's clock, for the object. */
	int (*pool_clock)(void *backend, const struct glk_backend_pool *pool, uint64_t *clock);
	/* Reads a whole line at a time, with a copy of `wts` (UINT64_MAX: none); data unless lease->same. */
	int (*pool_read)(void *backend, const struct glk_backend_pool *pool, uint64_t line, uint64_t time, uint64_t wts,
			 struct glk_pool_lease *lease, void *data);
	/* 1..GLK_RENEW_MAX renewals at a time; answers as RENEW_RECORD: line becomes rts, or 0. */
	int (*pool_renew)(void *backend, const struct glk_backend_pool *pool, uint64_t time, struct glk_pool_renewal *renewals,
			  unsigned count);
	/* Writes bytes within a line at a time or later; visible when it returns. */
	int (*pool_write)(void *backend, const struct glk_backend_pool *pool, uint64_t offset, uint64_t time, const void *data,
			  size_t bytes, struct glk_pool_lease *lease);
	/* A timed atomic of 4 or 8 bytes, GLK_OP_FETCH_ADD .. GLK_OP_CAS. */
	int (*pool_atomic)(void *backend, const struct glk_backend_pool *pool, unsigned opcode, uint64_t offset, size_t bytes,
			   uint64_t time, uint64_t operand, uint64_t compare, uint64_t *old, struct glk_pool_lease *lease);
	/* Loads without a lease, current; and stores without a time, which a release makes visible. */
	int (*pool_load)(void *backend, const struct glk_backend_pool *pool, uint64_t offset, void *data, size_t bytes);
	int (*pool_store)(void *backend, const struct glk_backend_pool *pool, uint64_t offset, const void *data, size_t bytes);

	/* The lane of a queue to a partition, whose memory begins at *origin there; by the thread that uses the queue. NULL, or
	 * ENOTSUP: the device has none. */
	int (*lane_open)(void *backend, unsigned partition, struct glk_lane **lane, uint64_t *origin);

	/* Opens another context of the same device, with the same operations. Without rings it has no submit(), take(), sleep()
	 * and count_errors(). ENOTSUP: it cannot be without. */
	int (*open_queue)(void *backend, bool rings, void **queue);
};

/* Sends the stores through write-combining windows that this CPU holds. On arm64 the compiler's fence does not. */
static inline void glk_flush_stores(void)
{
#ifdef __aarch64__
	__asm__ volatile("dsb st" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* completion.c: the error of a status of the card (enum status). */
int glk_status_error(uint32_t status);

/* Open a back end. `name` is the argument of gpulink_open(), `options` what follows "soft:" there. */
int glk_card_open(const char *name, const struct glk_backend_ops **ops, void **backend);
int glk_soft_open(const char *options, const struct glk_backend_ops **ops, void **backend);
/* `text`: what follows "local:". */
int glk_local_open(const char *text, const struct glk_backend_ops **ops, void **backend);
/* `text`: what follows "ucx:". Loads the module that does it. */
int glk_ucx_open(const char *text, const struct glk_backend_ops **ops, void **backend);

#endif /* GLK_BACKEND_H */
