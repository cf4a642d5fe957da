/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink, regions (PROACT, III-B): memory whose chunks are sent to all consumers while the producers still compute.
 *
 * A producer writes its results to memory of its own, the source, which is divided into chunks. When the last writer of a chunk
 * has arrived, the chunk is copied to the same place of every target. In standard terms: sender-tracked, one-sided partitioned
 * communication. gpulink_region_open(), _start(), _ready(), _wait() and _close() are MPI_Psend_init, MPI_Start, MPI_Pready,
 * MPI_Wait and MPI_Request_free; gpulink_region_arrived() is MPI_Parrived. Nothing is matched: that a consumer's buffer is free
 * (MPI_Pbuf_prepare) a signal in the other direction has to report.
 *
 * An epoch is one use of the region, from its start until all chunks are sent: "sent" when all of the source is read, so that
 * it may be overwritten, and "visible" when all of it is at its destinations.
 *
 * Order and pitfalls:
 *  (a) The last store must precede the trigger. On a GPU: a fence for the system in each thread, a barrier of the work-group,
 *      then one thread arrives (gpulink_region_device.h). On a CPU gpulink_region_ready() and _arrive() order the thread's
 *      ordinary stores; threads that wrote for it synchronise with it first.
 *  (b) Several producers of a chunk may arrive in any order; each orders its own stores.
 *  (c) The source must not be written again before the epoch is sent, apart from chunks that are not ready.
 *  (d) Where targets overlap, or other stores go into them during an epoch, one of the values remains, byte by byte.
 *  (e) Whole chunks travel: bytes of a chunk that another producer owns at the target are overwritten by the stale copy in this
 *      source. The bounds of a region, which need no alignment, must be those of its owner's share. False sharing inside a
 *      region, between its own producers, is harmless: its chunk waits for all of them.
 *  (f) Before a chunk's signal, or a release, a consumer sees old or new bytes.
 *
 * Threads: gpulink_region_ready(), its variants, gpulink_region_arrive() and gpulink_region_store() may be called by several
 * threads at once. They take no lock, with two exceptions: a soft device serialises everything, and the arrival that completes
 * a chunk uses the device's default queue with agent CALLER, and also with agent INLINE if a target has signals. poll, wait,
 * test and flush may be called by several threads at once. start and close may not overlap with any other call on the region.
 *
 * A region belongs to the device's default queue: gpulink_release() also makes the chunks visible that are ready before it.
 * With agent CARD it first sends chunks that have arrivals (PROACT, III-C), unless GPULINK_REGION_NO_FLUSH is set; with the
 * other agents only gpulink_region_flush() does.
 *
 * Errors, beside those listed: EINVAL for invalid arguments; EFORK in a child of the process that opened the device; on a card
 * also ENODEV and ERESET.
 */
#ifndef GPULINK_REGION_H
#define GPULINK_REGION_H

#include <gpulink.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A region. */
struct gpulink_region;

/** Who copies a chunk when it is complete. All agents leave the same memory. */
enum gpulink_agent {
	GPULINK_AGENT_BEST,    /**< CARD, or CALLER if the card has no regions or none free */
	GPULINK_AGENT_CARD,    /**< the card: counts arrivals, reads a chunk once for all targets (PROACT, III-D) */
	GPULINK_AGENT_POLLING, /**< a thread that calls gpulink_region_poll() (PROACT, III-C) */
	GPULINK_AGENT_CALLER,  /**< the thread of the last arrival (in the place of dynamic parallelism, PROACT, III-C) */
	GPULINK_AGENT_INLINE,  /**< no one: gpulink_region_store() stores to the targets at once (PROACT, III-C) */
};

/** How far an epoch has got. */
enum gpulink_level {
	GPULINK_LEVEL_SENT,    /**< all chunks are read: the source may be overwritten */
	GPULINK_LEVEL_VISIBLE, /**< all chunks are visible at all targets */
};

/** Flags of a region. */
#define GPULINK_REGION_NO_FLUSH 1u /**< releases do not send chunks that are not complete */
#define GPULINK_REGION_STORES	2u /**< all writes are gpulink_region_store(): a profile may choose agent INLINE */

/** Flags of a target. */
#define GPULINK_TARGET_SIGNAL 1u /**< behind each chunk the number of the epoch is stored to its word: put with signal */

/** Maximum number of targets of a region. */
#define GPULINK_REGION_TARGETS_MAX 8u

/** Minimum and maximum size of a chunk, and the size if none is given; powers of two. */
#define GPULINK_CHUNK_BYTES_MIN	    4096u
#define GPULINK_CHUNK_BYTES_MAX	    16777216u
#define GPULINK_CHUNK_BYTES_DEFAULT 131072u

/** A consumer of a region. */
struct gpulink_region_target {
	struct gpulink_window *window; /**< with GPULINK_WRITE */
	uint64_t offset;	       /**< of the region's first byte, in the window */
	uint64_t flags_offset;	       /**< of chunk 0's word, in the window; multiple of 8; 0 without GPULINK_TARGET_SIGNAL */
	unsigned flags;		       /**< 0 or GPULINK_TARGET_SIGNAL */
};

/** Options of a region. All members but the size may be 0. Grows at its end in later versions. */
struct gpulink_region_options {
	uint32_t size;		  /**< sizeof(struct gpulink_region_options) */
	uint32_t agent;		  /**< enum gpulink_agent */
	uint32_t flags;		  /**< GPULINK_REGION_NO_FLUSH, GPULINK_REGION_STORES */
	uint32_t partitions;	  /**< user partitions; 0: as many as the region has */
	uint64_t partition_bytes; /**< size of a partition, the last one may be shorter; 0: that of a chunk */
	uint64_t chunk_bytes;	  /**< size of a chunk, the last one may be shorter; 0: GPULINK_CHUNK_BYTES_DEFAULT */
	const uint16_t *arrivals; /**< per chunk, in each epoch; NULL: the partitions that overlap it. Copied. 0: not sent */
	const char *profile; /**< file of `gpulink-replay profile --write` or `gpulinkctl tune`: the agent, if BEST, and the
				chunk size, if 0 */
};

/** State of a region. */
struct gpulink_region_info {
	uint32_t agent;		  /**< enum gpulink_agent, not GPULINK_AGENT_BEST */
	uint32_t chunks, partitions;
	uint32_t failed_targets;  /**< bit N: target N is not complete in this epoch */
	uint64_t chunk_bytes, partition_bytes;
	uint64_t epoch;		  /**< last one started, from 1 on; 0: none */
	uint64_t sent, visible;	  /**< last epochs that are; visible also counts releases by gpulink_region_wait() only */
	uint32_t rejected;	  /**< arrivals that the card rejected since the region was opened: stale or too many */
	int32_t error;		  /**< 0, or the first error of the epoch, a negative GPULINK_E code */
};

/**
 * Opens a region: [offset, offset + bytes) of a registered memory, and where its chunks go.
 *
 * source   memory with GPULINK_READ. Keep it, and the windows of the targets, open until the region is closed.
 * targets  1 to GPULINK_REGION_TARGETS_MAX. With signals the number of the epoch is stored, little endian, at flags_offset +
 *          8 * chunk, when the chunk is complete at this target; neither the region nor the words of another may overlap them.
 *          Agents other than CARD store it also behind a put that fails in flight: gpulink_region_wait() tells the producer.
 * options  NULL: the defaults, in which a partition is a chunk.
 * region   receives the region. The caller closes it with gpulink_region_close(); gpulink_close() closes it too.
 *
 * Errors: EINVAL (also: more than 65535 arrivals at a chunk; a partition with sub-headers of 2 bytes, agent CARD), ERANGE
 * (source, target or signals exceed their memory or window), EACCES, ENOTSUP (agent CARD: the card has no regions, the memory
 * is staged, or a 32-bit process; agent INLINE: memory of a dma-buf), ENOSPC (the card has no region or counters left, or a
 * limit), ENOMEM, EIO.
 */
int gpulink_region_open(struct gpulink *device, struct gpulink_memory *source, uint64_t offset, size_t bytes,
			const struct gpulink_region_target *targets, unsigned target_count,
			const struct gpulink_region_options *options, struct gpulink_region **region);

/**
 * Closes a region. Chunks that are being read are sent, the others of the epoch are forgotten. NULL is allowed.
 */
void gpulink_region_close(struct gpulink_region *region);

/** Returns the state of a region in *info. size: sizeof(*info). */
int gpulink_region_get_info(struct gpulink_region *region, struct gpulink_region_info *info, size_t size);

/**
 * Starts the next epoch. EBUSY: the last one is not sent. After one that failed, the error of gpulink_region_wait(), it starts
 * anew.
 */
int gpulink_region_start(struct gpulink_region *region);

/**
 * Partition `partition` is written: arrives once at each chunk that overlaps it. The variants do so for the partitions `first`
 * to `last`, inclusive, and for `count` partitions of a list; they stop at the first error. A partition is ready once per
 * epoch.
 *
 * Errors: EINVAL (no such partition, ready twice, or before start), ERANGE (options.arrivals: the chunk has no arrivals left);
 * with agents CALLER and INLINE also those of operations, which gpulink_region_wait() returns too.
 */
int gpulink_region_ready(struct gpulink_region *region, uint32_t partition);
int gpulink_region_ready_range(struct gpulink_region *region, uint32_t first, uint32_t last);
int gpulink_region_ready_list(struct gpulink_region *region, const uint32_t *partitions, unsigned count);

/**
 * `count` writers of a chunk, at least 1, are done: what gpulink_region_ready() does, by chunk. Errors: EINVAL (before start),
 * ERANGE (no such chunk, or more than it has writers left). With agent CARD arrivals are posted, and the card rejects what
 * exceeds: gpulink_region_info.rejected counts it, and the next gpulink_release() returns EFAULT.
 */
int gpulink_region_arrive(struct gpulink_region *region, uint32_t chunk, uint32_t count);

/**
 * Agent POLLING: sends up to `budget` chunks that are complete; with another agent there are none. Returns the number of chunks
 * sent. Errors: those of operations, which gpulink_region_wait() returns too.
 */
int gpulink_region_poll(struct gpulink_region *region, unsigned budget);

/**
 * Writes to the source, at an offset in the region; with agent INLINE stores to the targets too, which a program must then use
 * for all of its writes. Errors: ERANGE, ENOTSUP (memory of a dma-buf), those of gpulink_store(). Window accesses that the card
 * rejects are reported by gpulink_release().
 */
int gpulink_region_store(struct gpulink_region *region, uint64_t offset, const void *data, size_t bytes);

/**
 * Waits until the last epoch that was started has reached a level (enum gpulink_level). With agent POLLING the thread also
 * sends chunks meanwhile. With agents other than CARD, level VISIBLE contains a release of the default queue. Returns 0 at once
 * before the first start.
 *
 * timeout_ns  maximum wait; 0: look once.
 *
 * Errors: ETIMEDOUT; the first error of the epoch: EENDPOINT, EIO (the source could not be read), EINVAL or ENOENDPOINT (a
 * dma-buf was moved, or an endpoint removed), EACCES, ERANGE. Targets that are not in gpulink_region_info.failed_targets are
 * complete, unless the source failed.
 */
int gpulink_region_wait(struct gpulink_region *region, unsigned level, uint64_t timeout_ns);

/** As gpulink_region_wait(), without waiting. Returns 1 if the level is reached, 0 if not yet, or an error. */
int gpulink_region_test(struct gpulink_region *region, unsigned level);

/**
 * Sends chunks that have arrivals since they were last sent, but are not complete; they go again, whole, when they are. Returns
 * when they are queued: a gpulink_release() makes them visible. With agent INLINE there are none. Errors: EINVAL (before
 * start), EBUSY (agent CARD: no epoch is in progress), those of operations.
 */
int gpulink_region_flush(struct gpulink_region *region);

/**
 * A consumer's look at the words of GPULINK_TARGET_SIGNAL, in memory that it maps: returns 1 if chunk `chunk` of epoch `epoch`,
 * or of a later one, has arrived, else 0. The thread's later reads come behind. Needs no device.
 */
int gpulink_region_arrived(const volatile uint64_t *flags, uint32_t chunk, uint64_t epoch);

/**
 * Returns where a device, for example a GPU, arrives by itself: one arrival at a chunk is a store of *word | (uint64_t)chunk <<
 * 16 to *where, 8 bytes, little endian (gpulink_region_device.h). Valid until the region is closed. The library does not see
 * these arrivals: do not use gpulink_region_ready() for their chunks as well, beyond the arrivals expected.
 *
 * Errors: ENOTSUP (a soft device, or another agent than CARD), EIO.
 */
int gpulink_region_doorbell(struct gpulink_region *region, volatile uint64_t **where, uint64_t *word);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_REGION_H */
