/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink: steer fine-grained peer stores through a gpulink card.
 *
 * A program opens a device, opens windows onto the endpoints' memories, stores into the windows (one by one, or
 * many by the ring), and releases: after a release every earlier store is visible at its destination. Stores to
 * one address arrive in order; stores to different addresses may be reordered until the release.
 *
 * The same program runs on a card ("/dev/gpulink0", or "gpulink0") and on "soft:", which is the card's logic
 * inside the process: for tests, and for machines that have no card.
 *
 * Functions return 0 or a non-negative count on success and a negative GPULINK_E... code on failure, which
 * gpulink_strerror() explains. The library prints nothing, keeps no global state, and starts no thread.
 * Threads: objects of different devices are independent; calls on one device and its windows and memories are
 * serialised by the library, except that nobody may use an object while another thread closes it.
 */
#ifndef GPULINK_H
#define GPULINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpulink;
struct gpulink_window;
struct gpulink_memory;

/** Error codes, returned negative. */
enum gpulink_error {
	GPULINK_EINVAL = 1,	 /**< an argument is not allowed */
	GPULINK_ENOMEM = 2,	 /**< out of memory, or over RLIMIT_MEMLOCK */
	GPULINK_ENODEV = 3,	 /**< no such device, or it was removed */
	GPULINK_EACCES = 4,	 /**< no permission: for the device, or for this use of a window */
	GPULINK_ENOENDPOINT = 5, /**< the partition has no endpoint */
	GPULINK_ERANGE = 6,	 /**< beyond the end of an endpoint, window or memory */
	GPULINK_ENOSPC = 7,	 /**< the card has no context, window space or registration left */
	GPULINK_ETIMEDOUT = 8,	 /**< the time passed */
	GPULINK_ERESET = 9,	 /**< the card was reset since the device was opened: close and open again */
	GPULINK_EENDPOINT = 10,	 /**< a write to an endpoint failed */
	GPULINK_ENOTSUP = 11,	 /**< this device cannot do it */
	GPULINK_EPROTO = 12,	 /**< the card or driver answered what it must not */
	GPULINK_EABI = 13,	 /**< the driver speaks another version of the interface */
	GPULINK_EINTR = 14,	 /**< a signal came while waiting */
	GPULINK_EIO = 15,	 /**< any other failure of the system; errno of the calling thread tells more */
	GPULINK_EFAULT = 16,	 /**< accesses through a window were refused by the card since the last release */
	GPULINK_EBUSY = 17,	 /**< the card is busy, as with a reset: try again */
	GPULINK_EUNREACHABLE = 18, /**< the card cannot reach this memory: see gpulink_memory_open_staged() */
};

/** One sentence for a code, with or without its sign; for an unknown one a sentence that says so. Static text. */
const char *gpulink_strerror(int code);

/** Version of the library, "major.minor.patch". Static text. */
const char *gpulink_version(void);

/** What a device is. */
struct gpulink_info {
	char name[128];		   /**< as opened */
	char kind[8];		   /**< "card" or "soft" */
	uint32_t partitions;	   /**< partitions, each with at most one endpoint */
	uint32_t queue_entries;	   /**< write queue entries of a partition */
	uint32_t subheader_widths; /**< bit N set: sub-headers of N bytes */
	uint32_t context;	   /**< this open's context on the card */
	uint64_t generation;	   /**< resets of the card when it was opened */
	uint64_t features;	   /**< GLK_CARD_FEATURES_* of docs/registers.md */
};

/** What an endpoint is. */
struct gpulink_endpoint_info {
	char name[32];	   /**< "0000:00:03.0 0", "pool", "soft 2" */
	uint32_t partition; /**< the number that windows name */
	uint32_t present;  /**< 0: the partition has no endpoint */
	uint64_t bytes;	   /**< memory of the endpoint */
};

/**
 * Opens a device. `name`: "/dev/gpulinkN", "gpulinkN", or "soft:" with options "key=value" separated by commas:
 * endpoints (1..16, default 4), memory (bytes of each, k/M/G allowed, default 64M), subheader, payload, timeout
 * (as gpulinkctl sets them), coalesce (0 or 1). On success *device must be closed by gpulink_close().
 * Errors: EINVAL (an option, with errno EINVAL), ENODEV, EACCES, ENOSPC (no context left), EABI, ENOMEM, EIO.
 */
int gpulink_open(const char *name, struct gpulink **device);

/** Ends everything the device opened: windows, memories, what is in flight. NULL is allowed. Windows and memories
 *  not closed before are closed here; their pointers are dead afterwards. */
void gpulink_close(struct gpulink *device);

int gpulink_get_info(struct gpulink *device, struct gpulink_info *info);

/** Tells about the endpoint of partition 0..partitions-1. EINVAL: no such partition. */
int gpulink_get_endpoint(struct gpulink *device, unsigned partition, struct gpulink_endpoint_info *info);

/**
 * The endpoint's own memory, as the GPU behind it sees it: plain memory, not through the card, for reading what
 * arrived and for setting up. Stays valid until gpulink_close(), or until the device behind it leaves the machine.
 * On a card this maps the BAR of the PCI device and needs the right to (root); EACCES otherwise. ENOTSUP: it is beyond
 * a link. Reads and writes
 * here are not ordered with the card's stores but by a release.
 */
int gpulink_endpoint_memory(struct gpulink *device, unsigned partition, void **memory, size_t *bytes);

#define GPULINK_READ  1u /**< loads and gets; the card may read a memory */
#define GPULINK_WRITE 2u /**< stores, puts and atomics; the card may write a memory */

/**
 * Opens a window onto [offset, offset + bytes) of an endpoint's memory; both multiples of 4096. `rights`:
 * GPULINK_READ, GPULINK_WRITE or both. Errors: EINVAL, ENOENDPOINT, ERANGE, ENOSPC, ENODEV, ERESET.
 */
int gpulink_window_open(struct gpulink *device, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
			struct gpulink_window **window);

/** Drains and closes a window. NULL is allowed. */
void gpulink_window_close(struct gpulink_window *window);

/** The mapping that the CPU, or a GPU that registers it, may store to; NULL on a soft device, where only
 *  gpulink_store() and gpulink_load() reach the window. */
void *gpulink_window_address(struct gpulink_window *window);

/**
 * Stores to and loads from a window, 1..4096 bytes. A store returns before it is visible. A load sees the
 * context's own earlier stores. On a card these are CPU accesses to the mapping, in naturally aligned pieces of
 * at most 8 bytes; refused ones show as EFAULT at the next release. Errors: EINVAL (length), ERANGE, EACCES.
 */
int gpulink_store(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes);
int gpulink_load(struct gpulink_window *window, uint64_t offset, void *data, size_t bytes);

/** Registers [address, address + bytes) of this process for ring operations. The memory must stay allocated until
 *  it is closed. `rights` as above. Errors: EINVAL, ENOMEM, ENOSPC, ENODEV, ERESET. */
int gpulink_memory_open(struct gpulink *device, void *address, size_t bytes, unsigned rights,
			struct gpulink_memory **memory);
void gpulink_memory_close(struct gpulink_memory *memory);

/**
 * The same for [offset, offset + bytes) of a dma-buf, a GPU's memory above all. The card reads and writes it where it is;
 * an operation that meets it while its driver moves it ends with EINVAL (status registration), and may be submitted again.
 * The descriptor may be closed afterwards. Errors: EINVAL (also: no dma-buf, or a window of a card), EUNREACHABLE (the
 * bridges between the two do not promise to forward, or its driver lets no peer in: the kernel log has the reason; on a
 * soft device always), ERANGE, EACCES, ENOMEM, ENOSPC, ENODEV, ERESET.
 */
int gpulink_memory_open_dmabuf(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
			       struct gpulink_memory **memory);

/**
 * The way round when that gives EUNREACHABLE: through memory of the process. The library maps the dma-buf for the CPU and
 * registers as many bytes of the process' own in its place, which count as with gpulink_memory_open(). A put copies what it
 * sends from the dma-buf before it returns. What a get or an atomic brings is in the dma-buf when gpulink_wait() has handed
 * out the completion; its error is EIO when it could not be copied there. So every byte crosses the bus once more and costs
 * CPU time, of which reading a GPU's memory takes much: the library never goes this way by itself. While the GPU's driver
 * moves the memory, or takes it away, the CPU's accesses are what that driver makes of them, and may end in SIGBUS.
 * Whatever can be mapped will do, not a dma-buf alone. Errors: EINVAL, ENOTSUP (its driver lets the CPU not map it),
 * ERANGE, EACCES, ENOMEM, ENOSPC, ENODEV, ERESET, EIO.
 */
int gpulink_memory_open_staged(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
			       struct gpulink_memory **memory);

/** One store of a put vector. */
struct gpulink_vector {
	uint64_t offset;  /**< first byte in the window */
	const void *data; /**< copied before the call returns */
	size_t bytes;	  /**< 1..4096 */
};

/**
 * Ring operations. They return when the operation is on the ring; `tag` comes back in its completion, which
 * gpulink_wait() hands out. When the ring is full they wait for room, at most a second (ETIMEDOUT).
 * - put: store 1..32 bytes, copied into the ring entry, or any length up to 16 MiB from a registered memory;
 * - put_vector: `count` stores, together at most GPULINK_VECTOR_BYTES with 8 bytes and padding to 8 each; all or
 *   none are stored;
 * - get: load into a registered memory;
 * - fetch_add, swap, compare_swap: 4 or 8 bytes at an aligned offset, operands no wider than that; needs a window with
 *   both rights; the old value goes to a registered memory (NULL: nowhere).
 * Errors: EINVAL, ERANGE, EACCES (as far as the library sees them; the card checks everything again and its
 * answer is the completion's status), ETIMEDOUT, ENODEV, ERESET.
 */
#define GPULINK_VECTOR_BYTES 65536u
int gpulink_put(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes, uint64_t tag);
int gpulink_put_memory(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory,
		       uint64_t memory_offset, size_t bytes, uint64_t tag);
int gpulink_put_vector(struct gpulink_window *window, const struct gpulink_vector *vector, size_t count, uint64_t tag);
int gpulink_get(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory, uint64_t memory_offset,
		size_t bytes, uint64_t tag);
int gpulink_fetch_add(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		      struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		 struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_compare_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t compare,
			 uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);

/** How a ring operation ended. */
struct gpulink_completion {
	uint64_t tag;
	int32_t error;	  /**< 0 or a negative GPULINK_E code */
	uint32_t status;  /**< the card's own code (docs/registers.md, enum status) */
	uint32_t bytes;	  /**< moved */
	uint32_t reserved;
};

/** Takes up to `room` completions, in order of submission; waits until there are `least`, at most `timeout_ns`.
 *  Returns how many, or ETIMEDOUT when none came though `least` was not 0. */
int gpulink_wait(struct gpulink *device, struct gpulink_completion *completions, unsigned room, unsigned least,
		 uint64_t timeout_ns);

/** Makes every earlier store of this device, by window or ring, visible at its destination, and waits for it.
 *  Errors: EINVAL (timeout of 0), ETIMEDOUT, EENDPOINT, EFAULT, ENODEV, ERESET, EBUSY (too many releases that timed
 *  out before are still under way). */
int gpulink_release(struct gpulink *device, uint64_t timeout_ns);

/** Counters of one partition; the sums since power-on, over all contexts. */
struct gpulink_counters {
	uint64_t stores, store_bytes, packets, sub_packets, payload_bytes, wire_bytes, raw_wire_bytes, overwritten_bytes;
	uint64_t flush_window_miss, flush_payload_full, flush_entries_full, flush_release, flush_timeout, flush_load_hit,
		flush_atomic, flush_config, flush_drain;
	uint64_t loads, atomics, endpoint_writes, endpoint_bytes, err_endpoint;
};

/** Reads them as one snapshot. EINVAL: no such partition. */
int gpulink_get_counters(struct gpulink *device, unsigned partition, struct gpulink_counters *counters);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_H */
