/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink, pool objects (MGPU-TSM and MGCC): memory on the card that GPUs, hosts and processes share, at the same distance
 * for all, with copies in each process that nobody has to invalidate.
 *
 * A copy of a line has a lease [wts, rts] in logical time, and a process reads at its own time: a load hits while that time is
 * not later than rts. A write gets a time behind all leases that were given for its line, so it neither looks for copies nor
 * waits for them. The process's time moves when it reads newer data, and with an acquire; copies whose leases end before it are
 * renewed, without data where nobody has written.
 *
 * An object is named by a descriptor, and who has the descriptor has its rights: pass it on by fork(), SCM_RIGHTS or
 * gpulink_pool_share(). On "soft:" the object is shared memory of the machine, for tests and for programs without a card;
 * processes that share such an object trust each other. On a card nobody reaches an object without its descriptor.
 *
 * Modes, per process and object:
 *  RC  release consistency. Stores return before they are visible; gpulink_release() of the device makes them visible to all.
 *      A load sees all that was visible when the last gpulink_acquire() of this process began, its process's own earlier
 * stores, and possibly newer ones. So: the writer stores, releases, and signals in any way (a store to the object, a message, a
 *      barrier); the reader sees the signal, acquires, and loads. gpulink_pool_wait() contains the acquire, atomics contain
 * both. SC  sequential consistency: all loads, stores and atomics of all processes in mode SC on this object are in one order,
 *      without acquires and releases. Every store waits for the card.
 *  UNCACHED  loads read the card's memory. Stores and atomics as for RC.
 * Direct accesses to gpulink_pool_address(), and stores of GPUs through it or a window, are uncached stores and loads: release
 * and acquire order them with the others. Processes in different modes may share an object. A load that only hits sees others'
 * stores after at most GPULINK_POOL_TICK hits of a set of lines: waiting for a value ends.
 *
 * Threads: all calls but gpulink_pool_close() may be made by several threads at once. Threads of a process share copies and
 * time: what one has acquired, all have. A hit takes no lock and makes no call. A soft device serialises everything else.
 * gpulink_pool_info's numbers are exact and never go backwards, except hits where several threads use the object: these are
 * close. Processes that share an object of soft devices wait for one that is stopped within a call for at most 2 s: ETIMEDOUT.
 *
 * Errors, beside those listed: EINVAL for invalid arguments; EFORK in a child of the process that opened the device; on a card
 * ENODEV and ERESET: the object outlives a reset, and can be opened again by its descriptor on a device opened anew; what was
 * released before the reset is there. After an error of the card copies are dropped, so that no load returns old data.
 */
#ifndef GPULINK_POOL_H
#define GPULINK_POOL_H

#include <gpulink.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An object of pool memory, opened by a device. */
struct gpulink_pool;

/** How loads and stores are ordered. */
enum gpulink_pool_mode {
	GPULINK_POOL_RC,
	GPULINK_POOL_SC,
	GPULINK_POOL_UNCACHED,
};

/** Minimum, maximum and usual bytes of a line, the unit of leases and copies; powers of two. */
#define GPULINK_GRAIN_MIN     64u
#define GPULINK_GRAIN_MAX     4096u
#define GPULINK_GRAIN_DEFAULT 256u

/** Bytes of copies if none are given, and the most. */
#define GPULINK_POOL_CACHE_DEFAULT (1u << 20)
#define GPULINK_POOL_CACHE_MAX	   (1u << 30)

/** Hits in a row of a set of lines after which a load acquires. */
#define GPULINK_POOL_TICK 1024u

/** Options of an opened object. All members but the size may be 0. Grows at its end in later versions. */
struct gpulink_pool_options {
	uint32_t size;	      /**< sizeof(struct gpulink_pool_options) */
	uint32_t mode;	      /**< enum gpulink_pool_mode */
	uint64_t cache_bytes; /**< for copies, at most GPULINK_POOL_CACHE_MAX; 0: GPULINK_POOL_CACHE_DEFAULT, or the object's
				 size if less */
};

/** Properties and numbers of an opened object. */
struct gpulink_pool_info {
	uint64_t bytes;
	uint32_t grain;	   /**< bytes of a line */
	uint32_t rights;   /**< GPULINK_READ, GPULINK_WRITE of its descriptor */
	uint32_t mode;	   /**< enum gpulink_pool_mode */
	uint32_t reserved;
	uint64_t time;	   /**< of loads */
	uint64_t hits;	   /**< loads of a line, or part of it, from a copy */
	uint64_t misses;   /**< lines read with data: no copy, or a changed one */
	uint64_t renewals; /**< leases renewed without data */
	uint64_t uncached; /**< loads past the copies: mode UNCACHED, and lines stored to since the last release */
	uint64_t stores, atomics, acquires;
};

/**
 * Allocates an object and opens it. Its memory reads 0.
 *
 * bytes    a multiple of 4096, not 0.
 * grain    bytes of a line: a power of two, GPULINK_GRAIN_MIN to _MAX; 0: GPULINK_GRAIN_DEFAULT. Small lines suit scattered
 * words and many writers, large ones data that are mostly read: fewer leases for the same bytes. options  NULL: the defaults,
 * in mode RC. pool     receives the object. The caller closes it with gpulink_pool_close(); gpulink_close() closes it too. The
 * memory is freed when nobody has it open and no descriptor of it is left.
 *
 * Errors: ENOTSUP (the card has no pool, or no leases), ENOSPC (no such memory left, or a limit), EBUSY (the administrator uses
 * the pool as one endpoint), EACCES, ENOMEM, EIO.
 */
int gpulink_pool_create(struct gpulink *device, uint64_t bytes, uint32_t grain, const struct gpulink_pool_options *options,
			struct gpulink_pool **pool);

/**
 * Returns a descriptor of the object with these rights (GPULINK_READ, GPULINK_WRITE), none of which may be missing here
 * (EACCES), to be given to others. The caller closes it. Errors: ENOMEM, EIO.
 */
int gpulink_pool_share(struct gpulink_pool *pool, unsigned rights, int *descriptor);

/**
 * Opens the object of a descriptor, which stays the caller's and may be closed. Errors: EINVAL (not a descriptor of a pool
 * object), ENODEV (the object's card is another one, or removed), ENOSPC (no window space), ENOTSUP, ENOMEM, EIO.
 */
int gpulink_pool_open(struct gpulink *device, int descriptor, const struct gpulink_pool_options *options,
		      struct gpulink_pool **pool);

/** Closes an object. Stores that are not released may be lost. NULL is allowed. */
void gpulink_pool_close(struct gpulink_pool *pool);

/** Returns properties and numbers in *info. size: sizeof(*info). */
int gpulink_pool_get_info(struct gpulink_pool *pool, struct gpulink_pool_info *info, size_t size);

/**
 * Loads bytes of the object, from copies as far as their leases last. Aligned words of up to 8 bytes are loaded as a whole.
 * Errors: ERANGE, EACCES, ETIMEDOUT, EENDPOINT, EIO.
 */
int gpulink_pool_load(struct gpulink_pool *pool, uint64_t offset, void *data, size_t bytes);

/** Stores bytes. Errors as for loads. In mode RC an error of the card is reported by gpulink_release(). */
int gpulink_pool_store(struct gpulink_pool *pool, uint64_t offset, const void *data, size_t bytes);

/**
 * Atomics on 4 or 8 bytes at a naturally aligned offset, with both rights; visible at once. Each is a release of the device's
 * default queue before it, and an acquire. *old receives the previous value; NULL is allowed. Words are little endian in
 * memory. Errors as for loads and gpulink_release().
 */
int gpulink_pool_fetch_add(struct gpulink_pool *pool, uint64_t offset, size_t bytes, uint64_t operand, uint64_t *old);
int gpulink_pool_swap(struct gpulink_pool *pool, uint64_t offset, size_t bytes, uint64_t operand, uint64_t *old);
int gpulink_pool_compare_swap(struct gpulink_pool *pool, uint64_t offset, size_t bytes, uint64_t compare, uint64_t operand,
			      uint64_t *old);

/**
 * Acquires: later loads of all objects of this device see all that was visible when the call began. One read of the card;
 * nothing is invalidated, and lines that nobody wrote stay readable. Errors: ETIMEDOUT, EENDPOINT, EIO; then no copy is used
 * any more.
 */
int gpulink_acquire(struct gpulink *device);

/**
 * Waits until the aligned 8-byte word at an offset, compared with `value` (gpulink_wait_until()), is as expected, then
 * acquires. *seen receives the last value, unless NULL. Errors: ETIMEDOUT, and as for loads.
 */
int gpulink_pool_wait(struct gpulink_pool *pool, uint64_t offset, enum gpulink_compare compare, uint64_t value,
		      uint64_t timeout_ns, uint64_t *seen);

/**
 * Returns the object's memory, mapped uncached, for direct loads and stores. It is valid until the object is closed. NULL on a
 * soft device.
 */
void *gpulink_pool_address(struct gpulink_pool *pool);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_POOL_H */
