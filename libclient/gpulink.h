/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink: fine-grained peer stores through a gpulink card.
 *
 * A program opens a device, opens windows onto endpoint memory, stores into the windows (directly, or in bulk through
 * the submission ring), and releases. After a release every earlier store is visible at its destination. Stores to the
 * same address arrive in order; stores to different addresses may be reordered until the release (FinePack, IV-B).
 *
 * The same program runs on a card ("/dev/gpulink0" or "gpulink0") and on "soft:", a model of the card inside the
 * process, for tests and for machines without a card.
 *
 * Results: functions that return int return 0 or a non-negative count on success and a negative GPULINK_E code on
 * failure; gpulink_strerror() describes it. Every function may return EINVAL for a NULL or malformed argument, and on a
 * card also ENODEV (the card was removed) and ERESET (it was reset); each function lists its other errors.
 *
 * Threads: objects of different devices are independent. Calls on one device, its windows and its memories may be made
 * from several threads; the library serialises them. No thread may use an object while another thread closes it. The
 * library starts no thread, prints nothing and has no global state.
 *
 * Processes: a device belongs to the process that opened it. In a child of fork() every call on its handles returns EFORK
 * and has no effect on the parent. Window addresses and the endpoint memory of a card are not mapped there; an access raises
 * SIGSEGV. gpulink_window_close() and gpulink_memory_unregister() do nothing there; gpulink_close() frees all handles of the
 * child. A child that neither calls it nor exec() keeps a card's context until it exits. To use a card, it opens its own
 * device. Neither the child of vfork() nor a signal handler may call the library.
 *
 * Units: sizes and offsets are in bytes, times in nanoseconds.
 */
#ifndef GPULINK_H
#define GPULINK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device: one open of a card, with its own context on it. Owns its windows and memories. */
struct gpulink;

/** A window: a range of the card's address space that stands for a range of endpoint memory. */
struct gpulink_window;

/** A memory registered for ring operations. */
struct gpulink_memory;

/**
 * Error codes. Functions return them negated. Where errno has the name, the code has errno's value; the library's own codes
 * are larger than any errno.
 */
enum gpulink_error {
	GPULINK_EINVAL = EINVAL,       /**< invalid argument */
	GPULINK_ENOMEM = ENOMEM,       /**< out of memory, or RLIMIT_MEMLOCK exceeded */
	GPULINK_ENODEV = ENODEV,       /**< no such device, or the device was removed */
	GPULINK_EACCES = EACCES,       /**< permission denied: for the device, or for this use of a window or memory */
	GPULINK_ERANGE = ERANGE,       /**< out of range of the endpoint, window or memory */
	GPULINK_ENOSPC = ENOSPC,       /**< no free context, window space or registration on the card */
	GPULINK_ETIMEDOUT = ETIMEDOUT, /**< timed out */
	GPULINK_ENOTSUP = ENOTSUP,     /**< operation not supported by this device */
	GPULINK_EPROTO = EPROTO,       /**< protocol violation by card or driver */
	GPULINK_EINTR = EINTR,	       /**< interrupted by a signal */
	GPULINK_EIO = EIO,	       /**< system call failed; errno of the calling thread has the cause */
	GPULINK_EFAULT = EFAULT,       /**< the card rejected window accesses since the last release */
	GPULINK_EBUSY = EBUSY,	       /**< the card is busy, for example resetting; or too many completions are not taken */
	GPULINK_ENOENDPOINT = 4096,    /**< the partition has no endpoint */
	GPULINK_ERESET = 4097,	       /**< the card was reset after the device was opened: close and reopen it */
	GPULINK_EENDPOINT = 4098,      /**< a write to an endpoint failed */
	GPULINK_EABI = 4099,	       /**< the driver has an incompatible interface version */
	GPULINK_EUNREACHABLE = 4100,   /**< the card cannot reach this memory: see gpulink_memory_register_staged() */
	GPULINK_EFORK = 4101,	       /**< the device was opened by the parent process, before fork(): open it again */
};

/**
 * Returns a one-line description of an error code, negated or not, or of 0. An unknown code gives "unknown error code".
 * The string is static. Thread-safe.
 */
const char *gpulink_strerror(int code);

/** Returns the version of the library, "major.minor.patch". The string is static. Thread-safe. */
const char *gpulink_version(void);

/*
 * Structures that the library fills in grow at their ends in later versions. Their functions take the size that the program
 * was compiled with, sizeof(*info), and fill in as much; members that the library does not know yet are 0. The other
 * structures keep their sizes.
 */

/** Properties of a device. They do not change while the device is open. */
struct gpulink_info {
	char name[128];		   /**< as passed to gpulink_open() */
	char kind[8];		   /**< "card" or "soft" */
	uint32_t partitions;	   /**< number of partitions; each has at most one endpoint */
	uint32_t queue_entries;	   /**< write queue entries of a partition (FinePack, IV-B) */
	uint32_t subheader_widths; /**< supported sub-header widths: bit N set for N bytes (FinePack, Table II) */
	uint32_t context;	   /**< number of this open's context on the card */
	uint64_t generation;	   /**< number of resets of the card when it was opened */
	uint64_t features;	   /**< GLK_CARD_FEATURES_* of docs/registers.md */
};

/** Properties of an endpoint. */
struct gpulink_endpoint_info {
	char name[32];	    /**< "0000:00:03.0 0" (PCI address and BAR), "pool", "link 3", "soft 2" */
	uint32_t partition; /**< partition number, as passed to gpulink_window_open() */
	uint32_t present;   /**< 0: the partition has no endpoint */
	uint64_t bytes;	    /**< size of the endpoint's memory */
};

/**
 * Opens a device.
 *
 * name    "/dev/gpulinkN" or "gpulinkN" for a card; "soft:" for the model in the process, with options "key=value"
 *         separated by commas: endpoints (1 to 16, default 4), memory (size of each endpoint with optional suffix k, M or
 *         G, default 64M), subheader (2 to 6, default 5), payload (128 to 4096, a power of two, default 4096), timeout
 *         (in nanoseconds, 0 to 1000000000, default 0: off), coalesce (0 or 1, default 1). At most 127 characters.
 * device  receives the device. The caller closes it with gpulink_close(). Unchanged on failure.
 *
 * Errors: EINVAL (invalid name or option; errno is EINVAL too), EACCES, ENOSPC (no free context), EABI, ENOMEM, EIO.
 */
int gpulink_open(const char *name, struct gpulink **device);

/**
 * Closes a device with its windows and memories, and abandons operations in flight. All handles of the device become
 * invalid. NULL is allowed.
 */
void gpulink_close(struct gpulink *device);

/** Returns the properties of a device in *info. size: sizeof(*info). */
int gpulink_get_info(struct gpulink *device, struct gpulink_info *info, size_t size);

/**
 * Queries the endpoint of a partition, 0 to gpulink_info.partitions - 1. Succeeds with present = 0 when the partition has
 * no endpoint. size: sizeof(*info).
 */
int gpulink_get_endpoint(struct gpulink *device, unsigned partition, struct gpulink_endpoint_info *info, size_t size);

/**
 * Maps an endpoint's memory into the process, bypassing the card: for initialising it and for reading results.
 *
 * On a card this maps the BAR of the PCI device, which requires root. Accesses are ordered with stores through the card
 * only by a release. The mapping belongs to the device: it is valid until gpulink_close(), or until the PCI device is
 * removed. Repeated calls return the same mapping. On other processors than x86, access to a BAR that is not prefetchable
 * must be aligned to its size, which memcpy() does not guarantee.
 *
 * Errors: EACCES, ENOENDPOINT, ENOTSUP (the endpoint is behind a link), ENOMEM, EIO.
 */
int gpulink_endpoint_memory(struct gpulink *device, unsigned partition, void **memory, size_t *bytes);

/** Access rights of windows and memories; combine with |. */
#define GPULINK_READ  1u /**< window: loads and gets; memory: the card may read it */
#define GPULINK_WRITE 2u /**< window: stores and puts; memory: the card may write it. Atomics need a window with both. */

/**
 * Opens a window onto [offset, offset + bytes) of the memory of a partition's endpoint.
 *
 * offset, bytes  multiples of 4096; bytes is not 0.
 * rights         GPULINK_READ, GPULINK_WRITE or both.
 * window         receives the window. The caller closes it with gpulink_window_close(); gpulink_close() closes it too.
 *
 * Errors: ENOENDPOINT, ERANGE, ENOSPC, ENOMEM, EIO.
 */
int gpulink_window_open(struct gpulink *device, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
			struct gpulink_window **window);

/** Drains and closes a window. NULL is allowed. */
void gpulink_window_close(struct gpulink_window *window);

/**
 * Returns the window's mapping, of the size of the window, for direct stores by the CPU or by a GPU that registers it.
 * It is valid until the window is closed. Returns NULL on a soft device, where only gpulink_store() and gpulink_load()
 * access the window.
 *
 * The mapping is write-combining: the CPU may hold, merge and reorder stores until a fence (x86: sfence; arm64: dsb st).
 * gpulink_release() executes it for the calling thread; another thread that stored executes one before the release.
 */
void *gpulink_window_address(struct gpulink_window *window);

/**
 * Stores 1 to 4096 bytes into a window at an offset. Returns before the store is visible at its destination; a release
 * makes it visible.
 *
 * On a card the store consists of CPU accesses to the mapping, each naturally aligned and of at most 8 bytes. If the card
 * rejects one, the next release returns EFAULT.
 *
 * Errors: EINVAL (length), ERANGE, EACCES (the window lacks GPULINK_WRITE).
 */
int gpulink_store(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes);

/**
 * Loads 1 to 4096 bytes from a window. The load returns the context's own earlier stores. Accesses and errors are as for
 * gpulink_store(), with GPULINK_READ.
 */
int gpulink_load(struct gpulink_window *window, uint64_t offset, void *data, size_t bytes);

/**
 * Registers [address, address + bytes) of the process for ring operations. On a card the memory is pinned and counts
 * towards RLIMIT_MEMLOCK, together with what other processes of the user registered.
 *
 * address  must stay allocated until the memory is unregistered; the library does not take ownership of it. No alignment is
 *          required.
 * rights   GPULINK_READ (source of puts), GPULINK_WRITE (destination of gets and atomics) or both.
 * memory   receives the handle. The caller ends it with gpulink_memory_unregister(); gpulink_close() does so too.
 *
 * Errors: ENOMEM, ENOSPC, EIO.
 */
int gpulink_memory_register(struct gpulink *device, void *address, size_t bytes, unsigned rights,
			    struct gpulink_memory **memory);

/** Ends a registration. The card does not access it after this call. NULL is allowed. */
void gpulink_memory_unregister(struct gpulink_memory *memory);

/**
 * Registers [offset, offset + bytes) of a dma-buf, typically GPU memory. The card accesses it directly. If its driver
 * moves the buffer during an operation, the operation fails with EINVAL (completion status registration) and may be
 * submitted again. The file descriptor may be closed after the call.
 *
 * Errors: EINVAL (also: not a dma-buf, or a window of a card), EUNREACHABLE (peer-to-peer is not possible: the bridges
 * between card and memory do not guarantee to forward, or the buffer's driver rejects peers, see the kernel log; always on a
 * soft device), ERANGE, EACCES, ENOMEM, ENOSPC, EIO.
 */
int gpulink_memory_register_dmabuf(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
				   struct gpulink_memory **memory);

/**
 * Fallback when gpulink_memory_register_dmabuf() returns EUNREACHABLE: stages through a bounce buffer in process memory.
 *
 * The library maps the dma-buf for the CPU and registers a bounce buffer of the same size, which counts as for
 * gpulink_memory_register(). gpulink_put_memory() copies from the dma-buf before it returns. The result of a get or an
 * atomic is copied to the dma-buf before gpulink_wait() returns its completion; the completion's error is EIO if that copy
 * fails.
 *
 * Every byte crosses the bus twice and costs CPU time; CPU reads of GPU memory are slow. The library therefore never
 * stages on its own. While the GPU's driver moves or removes the memory, the result of CPU accesses is up to that driver,
 * including SIGBUS. Any mappable file descriptor is accepted, not only a dma-buf.
 *
 * Errors: ENOTSUP (the buffer's driver does not support CPU mappings), ERANGE, EACCES, ENOMEM, ENOSPC, EIO.
 */
int gpulink_memory_register_staged(struct gpulink *device, int dmabuf, uint64_t offset, size_t bytes, unsigned rights,
				   struct gpulink_memory **memory);

/*
 * Ring operations. Each function returns when the operation is in the submission ring. If the ring is full, the functions
 * wait up to one second for space, then return ETIMEDOUT.
 *
 * An operation with a tag has a completion, which carries the tag. The caller must take it with gpulink_wait(): the library
 * keeps at most GPULINK_COMPLETIONS_MAX of them, and with that many operations whose completion has not been taken, the next
 * one with a tag returns EBUSY.
 *
 * An operation with the tag GPULINK_NO_TAG has no completion, and nothing is to be taken. The first error of such operations
 * is returned by the next gpulink_release(), which completes them.
 *
 * Errors: ERANGE, EACCES (as far as the library can detect them; the card checks again and reports violations in the
 * completion or by the release), EBUSY, ETIMEDOUT, ENOMEM, EIO.
 */

/** The tag of an operation without a completion. */
#define GPULINK_NO_TAG UINT64_MAX

/** Maximum number of operations with a tag whose completion gpulink_wait() has not returned. */
#define GPULINK_COMPLETIONS_MAX 4096u

/** Stores 1 to 32 bytes. The data is copied into the ring entry; `data` may be reused after the call. */
int gpulink_put(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes, uint64_t tag);

/** Stores 1 byte to 16 MiB from a registered memory, which must not change until the operation completes. */
int gpulink_put_memory(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory,
		       uint64_t memory_offset, size_t bytes, uint64_t tag);

/** One store of a put vector. */
struct gpulink_vector {
	uint64_t offset;  /**< of the first byte, in the window */
	const void *data; /**< copied before the call returns */
	size_t bytes;	  /**< 1 to 4096 */
};

/** Maximum size of a put vector. A store of N bytes takes 8 bytes plus N rounded up to a multiple of 8. */
#define GPULINK_VECTOR_BYTES 65536u

/** Performs `count` stores as one operation: all of them or none. */
int gpulink_put_vector(struct gpulink_window *window, const struct gpulink_vector *vector, size_t count, uint64_t tag);

/** Loads 1 byte to 16 MiB from a window into a registered memory. */
int gpulink_get(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory, uint64_t memory_offset,
		size_t bytes, uint64_t tag);

/**
 * Atomics on 4 or 8 bytes at a naturally aligned offset of a window with both rights: add, exchange, and compare and
 * exchange. Operands fit in that width. The previous value is written to `memory` at `memory_offset`; with `memory` NULL
 * (and `memory_offset` 0) it is discarded. Atomics are never merged and never overtake an earlier store to their address.
 */
int gpulink_fetch_add(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		      struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		 struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_compare_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t compare,
			 uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);

/** Completion of a ring operation. */
struct gpulink_completion {
	uint64_t tag;	  /**< of the operation */
	int32_t error;	  /**< 0 or a negative GPULINK_E code */
	uint32_t status;  /**< status code of the card (docs/registers.md, enum status) */
	uint32_t bytes;	  /**< transferred */
	uint32_t reserved;
};

/**
 * Returns up to `room` completions of operations with a tag, in order of submission. Waits up to `timeout_ns` until at least
 * `least` are available; `least` = 0 polls. With fewer operations in flight than that, it waits for operations that other threads submit: a thread
 * may do nothing but wait. A signal interrupts the call only while an operation is in flight, and only then the removal or a
 * reset of the card is noticed.
 *
 * Returns the number of completions, which is less than `least` after a timeout or an error. Errors, if there is no
 * completion: ETIMEDOUT (`least` is not 0, and the time passed), EINTR, EPROTO, EIO.
 */
int gpulink_wait(struct gpulink *device, struct gpulink_completion *completions, unsigned room, unsigned least,
		 uint64_t timeout_ns);

/**
 * Waits until every earlier store of this device, by window or ring, is visible at its destination (release semantics,
 * FinePack, IV-B), and every earlier operation without a tag is complete. If one of these failed since the last release that
 * reported such an error, returns the error of the first, as gpulink_completion.error.
 *
 * timeout_ns  maximum wait, not 0.
 *
 * Errors: those of operations without a tag, ETIMEDOUT, EENDPOINT, EFAULT, EINTR, EBUSY (too many releases that timed out are
 * still pending), EPROTO, EIO.
 */
int gpulink_release(struct gpulink *device, uint64_t timeout_ns);

/**
 * Counters of a partition since power-on, over all contexts. docs/registers.md defines each. The flush_ counters count
 * packets by flush reason (FinePack, IV-B).
 */
struct gpulink_counters {
	uint64_t stores, store_bytes, packets, sub_packets, payload_bytes, wire_bytes, raw_wire_bytes, overwritten_bytes;
	uint64_t flush_window_miss, flush_payload_full, flush_entries_full, flush_release, flush_timeout, flush_load_hit,
		flush_atomic, flush_config, flush_drain;
	uint64_t loads, atomics, endpoint_writes, endpoint_bytes, err_endpoint;
};

/** Returns a consistent snapshot of the counters of a partition. size: sizeof(*counters). */
int gpulink_get_counters(struct gpulink *device, unsigned partition, struct gpulink_counters *counters, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_H */
