/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink: fine-grained peer stores through a gpulink card.
 *
 * A program opens a device, opens windows onto endpoint memory, stores into the windows (directly, or in bulk through
 * the submission ring), and releases. After a release every earlier store is visible at its destination. Stores to the
 * same address arrive in order; stores to different addresses may be reordered until the release (FinePack, IV-B).
 *
 * Memory whose parts are sent when they are complete: regions, gpulink_region.h. Memory on the card that processes share, with
 * coherent copies: pool objects, gpulink_pool.h.
 *
 * The same program runs on a card ("/dev/gpulink0" or "gpulink0") and on "soft:", a model of the card inside the
 * process, for tests and for machines without a card. A soft device is private to its process. "local:NAME" is shared memory of
 * several processes, with small stores packed as a card does (gpulink_lane.h). "ucx:" is memory of processes on several
 * machines (docs/ucx.md).
 *
 * Results: functions that return int return 0 or a non-negative count on success and a negative GPULINK_E code on
 * failure; gpulink_error_text() describes it. Every function may return EINVAL for a NULL or malformed argument, and on a
 * card also ENODEV (the card was removed) and ERESET (it was reset); each function lists its other errors.
 *
 * Threads: objects of different devices are independent. A queue belongs to one thread at a time: see gpulink_queue_open().
 * All other calls on a device, its windows and its memories may be made from several threads at once; those that operate use
 * the device's default queue, where threads wait for each other for the time of a submission, never while one sleeps. No
 * thread may use an object while another closes it, nor close a window or memory that an operation of another thread's queue
 * uses. The library starts no thread, except for "ucx:" devices, prints nothing and has no global state. It takes no lock for a
 * store through a window of a card, and none for an operation of a queue from gpulink_queue_open(), except when that first uses
 * a window or memory. A soft device serialises everything.
 *
 * Cancellation: pthread_cancel() ends no call in the middle. gpulink_wait(), gpulink_release(), those of a queue,
 * gpulink_wait_until(), gpulink_region_wait() and gpulink_pool_wait() are cancellation points while they wait, within a second,
 * and leave everything as if the time had passed. In all other calls a thread is not cancelled before they return. A thread
 * that can be cancelled asynchronously (PTHREAD_CANCEL_ASYNCHRONOUS) must not call the library.
 *
 * Memory order: a release is per queue. The default queue's gpulink_release() covers the operations that name no queue, and
 * direct stores to gpulink_window_address(). A queue's release covers the operations that name the queue, and direct stores
 * to its gpulink_queue_window_address(). It covers what was submitted or stored before it:
 *  - by the thread itself: nothing else is needed. Windows are write-combining: the CPU may hold, merge and reorder stores
 *    until a fence. The library executes it with every operation and release, in the thread that calls it.
 *  - by another thread: if that one executed a fence after its stores (x86: sfence or mfence; arm64: dsb st) and then
 *    synchronised with the releasing thread, for example by a mutex. On x86 synchronisation alone does not send what the CPU
 *    holds.
 * When the release has completed, all of that is visible to every reader of the destination. Without a release:
 *  - stores and operations of one queue to the same address arrive in order; to different addresses in any order;
 *  - nothing is ordered between two queues, the default queue included, nor between direct stores and later operations of one
 *    queue, unless a fence separates them; nor, on a card, between an operation that has not completed and later stores;
 *  - a load or get returns the queue's own earlier stores, of direct stores only those before a fence (gpulink_load() has one);
 *  - an atomic is executed in its turn, and its result is visible at once; it does not make earlier puts to other addresses
 *    visible. gpulink_queue_signal() does.
 * The completion of a put reports that the card has accepted it, not that it is visible. The completion of a get or an atomic
 * reports that its result is in memory: the thread that took it may read it.
 *
 * Processes: a device belongs to the process that opened it. In a child of fork() every call on its handles returns EFORK
 * and has no effect on the parent. Window addresses and the endpoint memory of a card or of "local:" are not mapped there; an
 * access raises SIGSEGV. gpulink_window_close(), gpulink_memory_unregister() and gpulink_queue_close() do nothing there;
 * gpulink_close() frees all handles of the child. A child that neither calls it nor exec() keeps a card's contexts until it
 * exits. To use a card, it opens its own device. Neither the child of vfork() nor a signal handler may call the library.
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
	/* generated from fpga/regs: codes */
	/** invalid argument */
	GPULINK_EINVAL = EINVAL,
	/** out of memory, or RLIMIT_MEMLOCK exceeded */
	GPULINK_ENOMEM = ENOMEM,
	/** no such device, or the device was removed */
	GPULINK_ENODEV = ENODEV,
	/** permission denied: for the device, or for this use of a window or memory */
	GPULINK_EACCES = EACCES,
	/** out of range of the endpoint, window or memory */
	GPULINK_ERANGE = ERANGE,
	/** no free context, window space or registration, or a limit reached */
	GPULINK_ENOSPC = ENOSPC,
	/** timed out */
	GPULINK_ETIMEDOUT = ETIMEDOUT,
	/** operation not supported by this device */
	GPULINK_ENOTSUP = ENOTSUP,
	/** protocol violation by card or driver */
	GPULINK_EPROTO = EPROTO,
	/** interrupted by a signal */
	GPULINK_EINTR = EINTR,
	/** system call failed: errno of the calling thread and gpulink_error_text() have the cause */
	GPULINK_EIO = EIO,
	/** the card rejected window accesses since the last release */
	GPULINK_EFAULT = EFAULT,
	/** the card is busy, for example resetting; or too many completions are not taken */
	GPULINK_EBUSY = EBUSY,
	/** not executed: the io_uring command to which it is linked failed */
	GPULINK_ECANCELED = ECANCELED,
	/** the partition has no endpoint */
	GPULINK_ENOENDPOINT = 4096,
	/** the card was reset after the device was opened: close and reopen it */
	GPULINK_ERESET = 4097,
	/** a write to an endpoint failed */
	GPULINK_EENDPOINT = 4098,
	/** incompatible interface version of the driver, or of the program's header */
	GPULINK_EABI = 4099,
	/** the card cannot reach this memory: see gpulink_memory_register_staged() */
	GPULINK_EUNREACHABLE = 4100,
	/** the device was opened by the parent process, before fork(): open it again */
	GPULINK_EFORK = 4101,
	/* end of codes */
};

/**
 * Returns a one-line description of an error code, negated or not, or of 0. An unknown code gives "unknown error code".
 * The string is static. Thread-safe.
 */
const char *gpulink_strerror(int code);

/**
 * Returns a one-line description of the error that the calling thread's last failed call returned, negated or not: with the
 * option, argument or file that caused it and the allowed values, for example "option subheader=7: must be 2 to 6". For any
 * other code, 0 included, returns what gpulink_strerror() does. Use that for codes in completions and structures: they are not
 * results of calls.
 *
 * Each thread has its own text. Calls that succeed do not change it, nor do gpulink_lane_store() and functions of
 * gpulink_admin.h. The string is valid until the thread's next failed call or its end, and is not to be freed. errno is kept.
 */
const char *gpulink_error_text(int error);

/** Returns the version of the library, "major.minor.patch". The string is static. Thread-safe. */
const char *gpulink_version(void);

/*
 * Structures that the library fills in grow at their ends in later versions. Their functions take the size that the program
 * was compiled with, sizeof(*info), and fill in as much; members that the library does not know yet are 0. The other
 * structures keep their sizes, as long as the library's soname stays the same.
 */

/** Properties of a device. They do not change while the device is open. */
struct gpulink_info {
	char name[128];		   /**< as passed to gpulink_open() */
	char kind[8];		   /**< "card", "soft", "local" or "ucx" */
	uint32_t partitions;	   /**< number of partitions; each has at most one endpoint */
	uint32_t queue_entries;	   /**< write queue entries of a partition (FinePack, IV-B) */
	uint32_t subheader_widths; /**< supported sub-header widths: bit N set for N bytes (FinePack, Table II) */
	uint32_t context;	   /**< number of this open's context on the card */
	uint64_t generation;	   /**< number of resets of the card when it was opened */
	uint64_t features;	   /**< GLK_CARD_FEATURES_* of docs/registers.md */
	uint32_t process; /**< "ucx:", and "local:" with rank: number of this process, which is the partition of its memory;
			     else 0 */
	uint32_t processes;	   /**< "ucx:", and "local:" with processes: number of processes; else 1 */
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
 * name    "/dev/gpulinkN" or "gpulinkN" for a card; "local:NAME" for memory that processes of a user share on this machine,
 * under a name of letters, digits, '.', '_' and '-'; "soft:" for the model in the process. The last two take options
 * "key=value" separated by commas: endpoints (1 to 16, default 4), memory (size of each endpoint with optional suffix k, M or
 *         G, default 64M), subheader (2 to 6, default 6), payload (128 to 4096, a power of two, default 4096), timeout
 *         (in nanoseconds, 0 to 1000000000, default 0: off), coalesce (0 or 1, default 1), packing and compact (0 or 1,
 * default 1). At most 127 characters. All processes that have local:NAME open give the same
 * endpoints and memory; the endpoints read 0 when no process had it open. Its stores are packed by lanes (gpulink_lane.h), for
 * which subheader is 5, timeout 0, coalesce 1, packing and compact 0, and everything else by the model in the process.
 * With options rank and processes, for example from a launcher's environment, gpulink_info tells who of how many processes this
 * is; then there is an endpoint for each one unless endpoints, which may be more, is given. Where a launcher (mpirun, srun)
 * started several processes both are required. "ucx:" joins processes, each of which gives the others its memory: partition p
 * is that of process p. Options: rank, processes and at (HOST:PORT, where process 0 waits for the others), or none of these if
 * mpirun or srun started the program; memory, payload, timeout (seconds, default 30) and progress ("thread" or "caller").
 * Returns when all have come. device  receives the device. The caller closes it with gpulink_close(). Unchanged on failure.
 *
 * Errors: EINVAL (invalid name or option; errno is EINVAL too; gpulink_error_text() has the allowed values), EACCES, ENOSPC (no
 * free context), EABI, ENOMEM, EIO. "local:" also: ENOMEM, ENOSPC (the memory is more than the machine or a limit allows,
 * docs/local.md), ENOTSUP (no System V shared memory, or started by a launcher without rank and processes), EBUSY (another
 * process does not finish to open it). "ucx:" also: EINVAL (errno has the cause), ETIMEDOUT (not all came), ENOTSUP
 * (libgpulink-ucx.so is not installed), ENODEV (no launcher), EPROTO, ENOSPC (a limit of threads or open files; errno has the
 * cause).
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
 * Errors: EACCES, ENOENDPOINT, ENOTSUP (the endpoint is behind a link, or another process's), ENOMEM, EIO.
 */
int gpulink_endpoint_memory(struct gpulink *device, unsigned partition, void **memory, size_t *bytes);

/** Access rights of windows and memories; combine with |. */
#define GPULINK_READ  1u /**< window: loads and gets; memory: the card may read it */
#define GPULINK_WRITE 2u /**< window: stores and puts; memory: the card may write it. Atomics need a window with both. */

/**
 * Opens a window onto [offset, offset + bytes) of the memory of a partition's endpoint.
 *
 * offset, bytes  multiples of 4096; bytes is not 0.
 * rights         GPULINK_READ, GPULINK_WRITE or both. On a card the administrator must have granted them to the user or
 *                one of his groups, for all of these bytes (docs/install.md, "Permissions"): EACCES.
 * window         receives the window. The caller closes it with gpulink_window_close(); gpulink_close() closes it too.
 *
 * Errors: ENOENDPOINT, ERANGE, ENOSPC, ENOMEM, EIO.
 */
int gpulink_window_open(struct gpulink *device, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
			struct gpulink_window **window);

/**
 * Opens a window onto [offset, offset + bytes) of a dma-buf, typically GPU memory that the GPU's driver exported. The
 * descriptor proves the right to the memory, so no range of the endpoint is required; the memory must lie in an endpoint of
 * the card. The file descriptor may be closed after the call. When the driver moves the buffer, the window follows: accesses
 * to its mapping wait meanwhile, ring operations fail with EINVAL (completion status window) and may be submitted again.
 *
 * Parameters and errors are as for gpulink_window_open(), and: EINVAL (not a dma-buf, or a window of a card), ENOENDPOINT (the
 * memory is not in an endpoint), ENOTSUP (the buffer is scattered in pieces smaller than the card can map; the kernel log has
 * the reason), EUNREACHABLE (peer-to-peer is not possible; always on a soft device), EACCES, ETIMEDOUT (it keeps moving).
 */
int gpulink_window_open_dmabuf(struct gpulink *device, int dmabuf, uint64_t offset, uint64_t bytes, unsigned rights,
			       struct gpulink_window **window);

/** Drains and closes a window, in all queues. NULL is allowed. */
void gpulink_window_close(struct gpulink_window *window);

/**
 * Returns the window's mapping, of the size of the window, for direct stores by the CPU or by a GPU that registers it.
 * It is valid until the window is closed. Returns NULL on a soft device, where only gpulink_store() and gpulink_load()
 * access the window.
 *
 * The mapping is write-combining: see "Memory order" above. gpulink_release() covers its stores.
 */
void *gpulink_window_address(struct gpulink_window *window);

/**
 * Exports a window as a dma-buf, for a driver that lets its device store into the window; the window is that of the default
 * queue. The driver revokes the device's mapping when the window is closed, and does not use the aperture again before. The
 * caller closes *dmabuf.
 *
 * Errors: ENOTSUP (a soft device; a kernel older than 6.19 or without PCI_P2PDMA), ENOMEM, EIO.
 */
int gpulink_window_export(struct gpulink_window *window, int *dmabuf);

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

/** Ends a registration, in all queues. The card does not access it after this call. NULL is allowed. */
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
 * Ring operations of the default queue; those of other queues are below. Each function returns when the operation is in the
 * submission ring. If the ring is full, the functions wait up to one second for space, then return ETIMEDOUT.
 *
 * An operation with a tag has a completion, which carries the tag. The caller must take it with gpulink_wait(): the library
 * keeps at most GPULINK_COMPLETIONS_MAX of them, and with that many operations whose completion has not been taken, the next
 * one with a tag returns EBUSY.
 *
 * An operation with the tag GPULINK_NO_TAG has no completion, and nothing is to be taken. The first error of such operations
 * is returned by the next gpulink_release(), which completes them.
 *
 * Which store is cheapest on the link: scattered stores, and stores of less than 128 bytes, are packed, whichever function
 * makes them, and cost fewer bytes than the same stores as plain PCIe writes. Large contiguous data gain nothing: with the
 * default settings a put of 1 MiB costs 1,096,660 bytes, and 1,054,720 as plain writes of 4096 bytes, 4 % less. For
 * contiguous transfers of many KiB a plain copy to the destination, or the GPU's copy engine, is as good or better.
 * gpulink_counters.wire_bytes and .raw_wire_bytes show both costs of what a program really stores.
 *
 * Errors: ERANGE, EACCES (as far as the library can detect them; the card checks again and reports violations in the
 * completion or by the release), EBUSY, ETIMEDOUT, ENOMEM, EIO.
 */

/** The tag of an operation without a completion. */
#define GPULINK_NO_TAG UINT64_MAX

/** Maximum number of operations with a tag, per queue, whose completion has not been taken. */
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
 * (and `memory_offset` 0) it is discarded. Both words are little-endian in memory, on any host. Atomics are never merged and
 * never overtake an earlier store to their address. They are atomic against those of all queues and processes; without a card
 * also against the processor's own on the endpoint's memory.
 */
int gpulink_fetch_add(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		      struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		 struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_compare_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t compare,
			 uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);

/** Completion of a ring operation. docs/registers.md, enum status, has the error of each status. */
struct gpulink_completion {
	uint64_t tag;	  /**< of the operation */
	int32_t error;	  /**< 0 or a negative GPULINK_E code */
	uint32_t status;  /**< status code of the card (docs/registers.md, enum status) */
	uint32_t bytes;	  /**< transferred */
	uint32_t reserved;
};

/**
 * Returns up to `room` completions of operations with a tag, in order of submission. Waits up to `timeout_ns` until at least
 * `least` are available; `least` = 0 polls. With fewer operations in flight than that, it waits for operations that other
 * threads submit: a thread may do nothing but wait. While nothing is in flight, it does not notice that the card was removed or
 * reset. Signals do not end the wait. A completion goes to the thread that takes it, not to the one that submitted; queues keep
 * threads apart.
 *
 * Returns the number of completions, which is less than `least` after a timeout or an error. Errors, if there is no
 * completion: ETIMEDOUT (`least` is not 0, and the time passed), EPROTO, EIO.
 */
int gpulink_wait(struct gpulink *device, struct gpulink_completion *completions, unsigned room, unsigned least,
		 uint64_t timeout_ns);

/**
 * Waits until every earlier store of the default queue, by window or ring, is visible at its destination (release semantics,
 * FinePack, IV-B; see "Memory order"), and every earlier operation without a tag is complete. If one of these failed since the
 * last release that reported such an error, returns the error of the first, as gpulink_completion.error.
 *
 * A release covers all windows: the card has none for a single one. To wait for the stores of one window only, give it a queue
 * of its own (gpulink_queue_open()) and release that queue.
 *
 * timeout_ns  maximum wait, not 0. A release that timed out continues; if it fails, the next one returns its error.
 *
 * Errors: those of operations without a tag, ETIMEDOUT, EENDPOINT, EFAULT, EPROTO, EIO.
 */
int gpulink_release(struct gpulink *device, uint64_t timeout_ns);

/*
 * Queues: rings, completions and releases for one thread, so that threads neither wait for each other nor take each other's
 * completions. In other libraries: a queue pair with its completion queue (ibverbs), a ring (liburing), a context (OpenSHMEM).
 *
 * All windows and memories of a device serve all its queues. The calls are those without a queue, with the same errors:
 * gpulink_put(window, ...) is gpulink_queue_put(gpulink_default_queue(device), window, ...).
 *
 * On a card a queue is a context: one of its 32 (8 on a kernel with pages of 16 KiB), and one of those that a user may have
 * (docs/sysfs.md). The first operation of a queue with a window or memory opens it in that context, which takes slices of the
 * aperture, a registration and locked memory once more, and may return ENOSPC, ENOMEM, EACCES or ENOENDPOINT (the partition has
 * another endpoint than when the window was opened).
 */

/** A queue. */
struct gpulink_queue;

/**
 * Opens a queue.
 *
 * queue  receives the queue. The caller closes it with gpulink_queue_close(); gpulink_close() does so too. One thread at a time
 *        may use it; a thread that hands it over synchronises with the next.
 *
 * On a card, the process must still have permission to open the device, and /proc must be mounted.
 *
 * Errors: ENOSPC (no free context, or 31 queues are open), EACCES, ENODEV, ERESET, ENOMEM, EIO.
 */
int gpulink_queue_open(struct gpulink *device, struct gpulink_queue **queue);

/** Closes a queue; abandons its operations in flight. NULL is allowed. Does nothing with a default queue. */
void gpulink_queue_close(struct gpulink_queue *queue);

/**
 * Returns the queue of the calls without one, for calls that only exist with one. It is the only queue that several threads may
 * use at the same time. It belongs to the device. Returns NULL for a NULL device and in a child of fork().
 */
struct gpulink_queue *gpulink_default_queue(struct gpulink *device);

/**
 * Returns the mapping of a window whose direct stores a queue's release covers, in *address. It is valid until the window or
 * the queue is closed. ENOTSUP: soft devices have none.
 */
int gpulink_queue_window_address(struct gpulink_queue *queue, struct gpulink_window *window, void **address);

/** The pages of a queue through which a device, for example a GPU, releases without the host: gpulink_device.h. */
struct gpulink_doorbell {
	void *page; /**< doorbell page: 4096 bytes, written by the device; a device may write nothing but the release word */
	const void *
		record; /**< completion record: a page that the card writes; its first 8 bytes are the last completed release */
};

/**
 * Returns a queue's doorbell page and completion record, for a device that stores to the queue's windows. They are valid
 * until the queue is closed. Releases by the doorbell page complete in order with those of the ring; accesses that the card
 * rejected are reported by the next gpulink_queue_release(). size: sizeof(*doorbell).
 *
 * Errors: ENOTSUP (soft devices have none), ENOMEM, EIO.
 */
int gpulink_queue_doorbell(struct gpulink_queue *queue, struct gpulink_doorbell *doorbell, size_t size);

/** As gpulink_store(), gpulink_load(), gpulink_put() and so on, by a queue. */
int gpulink_queue_store(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data,
			size_t bytes);
int gpulink_queue_load(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, void *data, size_t bytes);
int gpulink_queue_put(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data,
		      size_t bytes, uint64_t tag);
int gpulink_queue_put_memory(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset,
			     struct gpulink_memory *memory, uint64_t memory_offset, size_t bytes, uint64_t tag);
int gpulink_queue_put_vector(struct gpulink_queue *queue, struct gpulink_window *window, const struct gpulink_vector *vector,
			     size_t count, uint64_t tag);
int gpulink_queue_get(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset,
		      struct gpulink_memory *memory, uint64_t memory_offset, size_t bytes, uint64_t tag);
int gpulink_queue_fetch_add(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
			    uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_queue_swap(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
		       uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag);
int gpulink_queue_compare_swap(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
			       uint64_t compare, uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset,
			       uint64_t tag);

/**
 * As gpulink_wait(), for the completions of a queue. `least` is limited to the operations in flight, as no other thread submits
 * to the queue: with none in flight and no completion the call returns 0.
 */
int gpulink_queue_wait(struct gpulink_queue *queue, struct gpulink_completion *completions, unsigned room, unsigned least,
		       uint64_t timeout_ns);

/**
 * As gpulink_release(), for a queue: waits until its earlier stores and operations are visible. The card flushes only
 * partitions to which this queue stored; for a release per window, use a queue per window.
 */
int gpulink_queue_release(struct gpulink_queue *queue, uint64_t timeout_ns);

/**
 * Submits a release without waiting for it. Its completion carries the tag, and the error that gpulink_queue_release() would
 * return. Operations behind it start when it is complete. With GPULINK_NO_TAG it is a fence between the operations before and
 * behind it, and the next release returns its error.
 *
 * Errors: EBUSY, ETIMEDOUT (no room in the ring for a second), EPROTO, EIO.
 */
int gpulink_queue_post_release(struct gpulink_queue *queue, uint64_t tag);

/**
 * Returns a descriptor for poll(), epoll or io_uring that is readable (POLLIN) when completions can be taken. It belongs to the
 * queue: neither close nor read it. POLLERR: the card was reset or removed; gpulink_queue_wait() returns the error.
 *
 * Before each poll() call gpulink_queue_wait() until it returns less than `room`. The descriptor may be readable without a
 * completion, for operations without a tag. From this call on every operation with a tag requests an interrupt. Only
 * gpulink_queue_wait() notices a card that stops responding without being removed: use a timeout.
 *
 * Errors: ENOTSUP (the default queue: other threads may take its completions), EIO.
 */
int gpulink_queue_descriptor(struct gpulink_queue *queue);

/*
 * Signals: data, then a word that says so. The receiver waits for the word, in memory that it maps, and then reads the data. In
 * nvshmem: put_signal and signal_wait_until.
 */

/** What a signal does to its word. */
enum gpulink_signal_operation {
	GPULINK_SIGNAL_SET, /**< writes the value */
	GPULINK_SIGNAL_ADD, /**< adds the value */
};

/** A signal: an update of 8 bytes at a destination. */
struct gpulink_signal {
	struct gpulink_window *window; /**< with both rights, onto any endpoint */
	uint64_t offset;	       /**< multiple of 8 */
	uint64_t value;
	enum gpulink_signal_operation operation;
};

/**
 * Updates the word of a signal once every earlier store and operation of the queue is visible at its destination: a reader that
 * sees the update also sees the data. The word is updated even if an earlier operation failed; the error of the completion is
 * then that of the first failure, as of a release. Operations behind it start when it is complete.
 */
int gpulink_queue_signal(struct gpulink_queue *queue, const struct gpulink_signal *signal, uint64_t tag);

/** gpulink_queue_put_memory() and gpulink_queue_signal() in one call, with one completion. */
int gpulink_queue_put_signal(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset,
			     struct gpulink_memory *memory, uint64_t memory_offset, size_t bytes,
			     const struct gpulink_signal *signal, uint64_t tag);

/** Comparisons of a word with a value; both unsigned. */
enum gpulink_compare {
	GPULINK_COMPARE_EQ, /**< equal */
	GPULINK_COMPARE_NE, /**< not equal */
	GPULINK_COMPARE_GT, /**< greater */
	GPULINK_COMPARE_GE, /**< greater or equal */
	GPULINK_COMPARE_LT, /**< less */
	GPULINK_COMPARE_LE, /**< less or equal */
};

/**
 * Waits until the 8 bytes at `address`, a little-endian word, compare so with `value`, and then orders the thread's later reads
 * behind them. The address is a multiple of 8 in any memory of the process: an endpoint's (gpulink_endpoint_memory()),
 * registered, or shared.
 * The call spins, then sleeps for up to 0.1 ms at a time; it needs no device, and does not notice that one is lost.
 *
 * timeout_ns  maximum wait; 0: look once.
 * seen        receives the last value; may be NULL.
 *
 * Errors: ETIMEDOUT.
 */
int gpulink_wait_until(const volatile void *address, enum gpulink_compare compare, uint64_t value, uint64_t timeout_ns,
		       uint64_t *seen);

/**
 * Counters of a partition since power-on, over all contexts. docs/registers.md defines each. The flush_ counters count
 * packets by flush reason (FinePack, IV-B).
 */
struct gpulink_counters {
	/* generated from fpga/regs: counters */
	/** accepted stores */
	uint64_t stores;
	/** bytes of the accepted stores */
	uint64_t store_bytes;
	/** sent packets; for kind link with MODE.COALESCE 0, write requests where the card sends these */
	uint64_t packets;
	/** sent sub-packets (runs of bytes); a write request counts as one */
	uint64_t sub_packets;
	/** payload bytes of the sent packets, including sub-headers or the description of the compact form, without
	 *  padding to a DW; of a write request, the bytes that it writes */
	uint64_t payload_bytes;
	/** wire bytes of the sent packets, on the link between cards or, with one card, inside it: payload padded to DWs,
	 *  plus TLP_OVERHEAD_BYTES each; of a write request 76, its size on the link */
	uint64_t wire_bytes;
	/** wire bytes of the same stores as plain memory writes, as window stores cross the source's hop: DWs touched,
	 *  plus TLP_OVERHEAD_BYTES per TLP, split at MAX_PAYLOAD_BYTES */
	uint64_t raw_wire_bytes;
	/** store bytes that overwrote a queued byte */
	uint64_t overwritten_bytes;
	/** packets flushed because a store was outside the address window */
	uint64_t flush_window_miss;
	/** packets flushed because a store would have exceeded the payload limit */
	uint64_t flush_payload_full;
	/** packets flushed because no entry was free for a store */
	uint64_t flush_entries_full;
	/** packets flushed by a release */
	uint64_t flush_release;
	/** packets flushed by the inactivity timeout */
	uint64_t flush_timeout;
	/** packets flushed because a load hit a queued byte */
	uint64_t flush_load_hit;
	/** packets flushed because an atomic hit a queued byte */
	uint64_t flush_atomic;
	/** packets flushed before a configuration change */
	uint64_t flush_config;
	/** packets flushed by a drain or by the removal of a window, or sent immediately because MODE.COALESCE is 0 */
	uint64_t flush_drain;
	/** completed loads and gets */
	uint64_t loads;
	/** executed atomics */
	uint64_t atomics;
	/** plain writes posted to the endpoint, on the destination's hop */
	uint64_t endpoint_writes;
	/** bytes of the plain writes to the endpoint, without the 24 of each TLP */
	uint64_t endpoint_bytes;
	/** failed endpoint writes and reads; for kind link: failed reads, atomics and write requests, failed releases (one
	 *  each), and packets whose delivery was unconfirmed at the end of a session */
	uint64_t err_endpoint;
	/** packets flushed at the end of a region's chunk, or behind its flag */
	uint64_t flush_region;
	/** bytes of chunks stored to the partition; they count in STORES and STORE_BYTES, too */
	uint64_t region_bytes;
	/* end of counters */
};

/**
 * Returns a consistent snapshot of the counters of a partition, also while other threads store: a store is counted with all of
 * its bytes, and no counter goes backwards. On "local:" and "ucx:" a store is counted when its packet has left. size:
 * sizeof(*counters).
 */
int gpulink_get_counters(struct gpulink *device, unsigned partition, struct gpulink_counters *counters, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_H */
