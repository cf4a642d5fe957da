/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * gpulink kernel interface: the ioctls and io_uring commands of /dev/gpulinkN and their arguments.
 *
 * Extensible structures: each one starts with its size as the caller compiled it, and with flags.
 * The kernel rejects unknown flags and nonzero reserved fields (EINVAL), a size smaller than the
 * first version's (EINVAL), and a nonzero tail that it does not know (E2BIG). Output-only fields
 * are ignored on input. Unknown ioctls return ENOTTY.
 *
 * Device loss: after surprise removal every call returns ENODEV. After a card reset, system sleep
 * or a bus error, every call on a file opened before it returns ESTALE; open the device again
 * (docs/recovery.md); what the file held has been released. Mappings of windows and doorbell pages
 * then show a dummy page, so that a store in flight does not kill the process; the completion
 * record and the doorbell page's CLOCK read 0. Windows whose endpoint or range was removed show a
 * dummy page too: each later release increments @errors until the window is unmapped.
 *
 * Contexts: each open file is one context. It owns its windows, registrations, regions and rings,
 * which are released when the file is closed. All calls are thread-safe. open() returns ENOSPC when
 * the card has no free context. The administrator can limit what a context or a user allocates
 * (docs/sysfs.md): open(), the calls that map windows, both register calls, and those that create
 * regions and pool objects return EDQUOT at the limit.
 *
 * Mappings are not inherited by fork(); the file is.
 *
 * poll() reports POLLIN when completions can be fetched: with mapped rings, when the completion at
 * CQ_HEAD has arrived, so write CQ_HEAD for all that were consumed before; otherwise by
 * GPULINK_IOCTL_WAIT. It reports POLLOUT when GPULINK_IOCTL_SUBMIT has room, and POLLERR
 * when the ring stopped and after a reset or removal. It reports POLLPRI when an epoch of a region
 * became visible, or failed, that no GPULINK_IOCTL_REGION_WAIT has returned yet. Only entries that
 * request an interrupt (FLAG_INTERRUPT), and regions with GPULINK_REGION_INTERRUPT or that fail,
 * wake a sleeping poll(). A card that stops responding without being removed is
 * noticed when poll() begins, not while it sleeps.
 *
 * Memory order: windows are mapped write-combining, doorbell pages uncached. The CPU may hold
 * stores to a window, merge them and send them in any order, except that a later store to the same
 * address is not overtaken. An aligned store of up to 8 bytes is never split; a store of 64 bytes,
 * or 64 bytes stored in a row to one line, usually become one bus write. Only a fence sends what
 * the CPU holds: x86 sfence or mfence; arm64 dsb st; C11 atomic_thread_fence(memory_order_seq_cst)
 * where it compiles to one of these or to a locked instruction. A release covers a store only if
 * the thread that stored executed a fence between the store and the release: before it writes the
 * release word or SQ_TAIL of the doorbell page itself, before it hands over to the thread that
 * releases (on x86 a plain release-store does not send held stores), and before an io_uring release
 * that a kernel thread submits (IORING_SETUP_SQPOLL). GPULINK_IOCTL_RELEASE, GPULINK_IOCTL_SUBMIT
 * and io_uring commands that the thread itself submits contain the fence. Loads through a window
 * are not ordered with stores that the CPU still holds: execute a fence first.
 */
#ifndef _UAPI_GPULINK_H
#define _UAPI_GPULINK_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GPULINK_ABI_VERSION	1

/**
 * struct gpulink_ioctl_query - query the card and this context
 * @size: sizeof(struct gpulink_ioctl_query)
 * @flags: 0
 * @abi_version: GPULINK_ABI_VERSION of the kernel
 * @context: context number of this file on the card
 * @generation: reset count of the card
 * @features: CARD.FEATURES
 * @partitions: number of partitions
 * @ring_entries: maximum number of GPULINK_IOCTL_SUBMIT entries in flight
 * @slice_shift: log2 of the window granularity in the aperture
 * @subheader_widths: bit N set: the card supports N-byte sub-headers
 * @queue_entries: write queue entries per partition
 * @reserved: 0
 * @doorbell_offset: mmap offset of the doorbell page (one page, MAP_SHARED; of its registers only
 *                   RELEASED and CLOCK can be read)
 * @record_offset: mmap offset of the completion record (one page, MAP_SHARED, read-only)
 */
struct gpulink_ioctl_query {
	__u32 size;
	__u32 flags;
	__u32 abi_version;
	__u32 context;
	__u64 generation;
	__u64 features;
	__u32 partitions;
	__u32 ring_entries;
	__u32 slice_shift;
	__u32 subheader_widths;
	__u32 queue_entries;
	__u32 reserved;
	__aligned_u64 doorbell_offset;
	__aligned_u64 record_offset;
};

#define GPULINK_ENDPOINT_NONE	0
#define GPULINK_ENDPOINT_BUS	1
#define GPULINK_ENDPOINT_POOL	2
#define GPULINK_ENDPOINT_LINK	3

/**
 * struct gpulink_ioctl_endpoint - query the endpoint of a partition
 * @size: sizeof(struct gpulink_ioctl_endpoint)
 * @flags: 0
 * @partition: in: partition number (EINVAL: out of range)
 * @kind: GPULINK_ENDPOINT_*
 * @bytes: size of the endpoint's memory
 * @name: kind bus: PCI address and BAR ("0000:00:03.0 0"); kind pool: "pool", or "pool objects"
 *        (GPULINK_IOCTL_POOL_CREATE); kind link: the partition of the remote card ("link 3"); kind
 *        none: ""
 * @offset: kind bus: offset of the memory in the BAR, nonzero only for a part of it
 */
struct gpulink_ioctl_endpoint {
	__u32 size;
	__u32 flags;
	__u32 partition;
	__u32 kind;
	__aligned_u64 bytes;
	__u8 name[32];
	__aligned_u64 offset;
};

#define GPULINK_ALLOW_READ	(1U << 0)
#define GPULINK_ALLOW_WRITE	(1U << 1)

/**
 * struct gpulink_ioctl_window_map - map a range of an endpoint's memory into the aperture
 * @size: sizeof(struct gpulink_ioctl_window_map)
 * @flags: GPULINK_ALLOW_*, at least one
 * @partition: destination (EINVAL: out of range; ENXIO: no endpoint)
 * @handle: out: window handle for ring entries and GPULINK_IOCTL_WINDOW_UNMAP
 * @offset: offset in the endpoint's memory, multiple of 4096
 * @bytes: length, multiple of 4096, within the endpoint (ERANGE)
 * @mmap_offset: out: mmap offset of the window (@bytes long, MAP_SHARED)
 *
 * ENOSPC: the aperture has no contiguous run of free slices of this length. EACCES: the file is not
 * open for reading or writing, as @flags demand; the endpoint is that of pool objects, which are
 * mapped by GPULINK_IOCTL_POOL_ATTACH; or the calling user has no right to all of these bytes: they
 * must lie in ranges of the endpoint that grant @flags to the user or one of his groups
 * (docs/sysfs.md, "Ranges"), or the caller must have CAP_SYS_ADMIN. Credentials are checked by this
 * call only. The removal of a range revokes the windows opened through it, as the removal of the
 * endpoint does.
 */
struct gpulink_ioctl_window_map {
	__u32 size;
	__u32 flags;
	__u32 partition;
	__u32 handle;
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__aligned_u64 mmap_offset;
};

/**
 * struct gpulink_ioctl_handle - name a window or registration to release
 * @size: sizeof(struct gpulink_ioctl_handle)
 * @flags: 0
 * @handle: handle returned by the map or register call (ENOENT: not owned by this context)
 * @reserved: 0
 *
 * Unmapping a window drains it first and revokes its user mappings (SIGBUS on later access).
 * EBUSY: a region uses the window or registration.
 */
struct gpulink_ioctl_handle {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
};

/**
 * struct gpulink_ioctl_register - register process memory for use by ring entries
 * @size: sizeof(struct gpulink_ioctl_register)
 * @flags: GPULINK_ALLOW_*: access granted to the card, at least one
 * @address: start address
 * @bytes: length, at least 1
 * @handle: out: registration handle
 * @reserved: 0
 *
 * The pages are pinned, and charged to the calling user's RLIMIT_MEMLOCK over all processes and
 * cards (ENOMEM) and to the limit of the system (EDQUOT; docs/sysfs.md, Memory). ENOSPC: the card
 * has no free registration entry. EOPNOTSUPP: memory is not cache-coherent between the process and
 * the card on this platform.
 */
struct gpulink_ioctl_register {
	__u32 size;
	__u32 flags;
	__aligned_u64 address;
	__aligned_u64 bytes;
	__u32 handle;
	__u32 reserved;
};

/**
 * struct gpulink_ioctl_register_dmabuf - register a range of a dma-buf, such as GPU memory
 * @size: sizeof(struct gpulink_ioctl_register_dmabuf)
 * @flags: GPULINK_ALLOW_*: access granted to the card, at least one, for which the dma-buf
 *         descriptor must be open (EACCES)
 * @fd: dma-buf descriptor (EBADF, EINVAL: not a dma-buf; ELOOP: a gpulink window)
 * @handle: out: registration handle, released by GPULINK_IOCTL_UNREGISTER
 * @offset: offset in the buffer
 * @bytes: length, at least 1, within the buffer (ERANGE)
 *
 * The whole buffer counts towards the dma-buf bytes that a user may map (EDQUOT), and the card's
 * list of pages towards RLIMIT_MEMLOCK (ENOMEM).
 *
 * ENOSPC: the card has no free registration entry, or the buffer has too many pieces: up to 8 GiB
 * can be registered in any pieces of whole 4096-byte pages, up to 1 TiB if pieces end only where
 * the bus address is a multiple of 2 MiB. EINVAL: a piece does not begin and end at page
 * boundaries.
 *
 * The memory is not pinned; its exporter may move it. The driver then revokes the card's access and
 * maps the memory again at its new location. An entry executed in between completes with status
 * registration and can be submitted again. EHOSTUNREACH: the exporter reports that the card cannot
 * reach the memory at its location, because the bridges between them do not guarantee peer-to-peer
 * forwarding or because the exporter does not allow peer access; the kernel log has the reason.
 * Copy the data through process memory instead (GPULINK_IOCTL_REGISTER). Other errors of the
 * exporter are returned unchanged. EINTR: a signal handler ran while the exporter moved the memory.
 */
struct gpulink_ioctl_register_dmabuf {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 handle;
	__aligned_u64 offset;
	__aligned_u64 bytes;
};

/**
 * struct gpulink_ioctl_window_dmabuf - map a range of a dma-buf, such as GPU memory, into the
 * aperture
 * @size: sizeof(struct gpulink_ioctl_window_dmabuf)
 * @flags: GPULINK_ALLOW_*, at least one, for which the dma-buf descriptor must be open (EACCES)
 * @fd: dma-buf descriptor (EBADF, EINVAL: not a dma-buf; ELOOP: a gpulink window)
 * @handle: out: window handle for ring entries and GPULINK_IOCTL_WINDOW_UNMAP
 * @offset: offset in the buffer, multiple of the kernel's page size
 * @bytes: length, multiple of the kernel's page size, within the buffer (ERANGE)
 * @mmap_offset: out: mmap offset of the window (@bytes long, MAP_SHARED)
 * @partition: out: partition whose endpoint contains the memory
 * @reserved: 0
 *
 * The descriptor proves the right to the memory: no range of the endpoint is required. The memory
 * must lie in the endpoint of one partition (ENXIO), in runs of 1 << slice_shift bytes that are
 * contiguous there, counted from @offset (EOPNOTSUPP: the buffer is scattered in smaller runs; the
 * kernel log has the first page that does not fit). EHOSTUNREACH: as for
 * GPULINK_IOCTL_REGISTER_DMABUF. ETIMEDOUT: the memory moved for 2 s. EINTR: as for
 * GPULINK_IOCTL_REGISTER_DMABUF. Other errors as for GPULINK_IOCTL_WINDOW_MAP.
 *
 * The exporter may move the memory. Stores that the card has accepted arrive at the old location
 * before it moves; accesses to the mapping wait until the window leads to the new one; ring entries
 * complete with status window meanwhile, and accesses of devices that imported the window
 * (GPULINK_IOCTL_WINDOW_EXPORT) fail and are counted in @errors of a release. If the new location
 * cannot be mapped, the window is revoked.
 */
struct gpulink_ioctl_window_dmabuf {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 handle;
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__aligned_u64 mmap_offset;
	__u32 partition;
	__u32 reserved;
};

/**
 * struct gpulink_ioctl_submit - put entries on the submission ring
 * @size: sizeof(struct gpulink_ioctl_submit)
 * @flags: 0
 * @entries: user array of 64-byte ring entries (docs/registers.md, SQE)
 * @count: number of entries, 1..ring_entries
 * @submitted: out: number of entries accepted, from the first on; the ring had no room for the rest
 *
 * EAGAIN: the ring is full and no entry was accepted; wait for completions. EBUSY: the rings are
 * mapped (GPULINK_IOCTL_RING_MAP). The card validates entries and reports errors as completions.
 */
struct gpulink_ioctl_submit {
	__u32 size;
	__u32 flags;
	__aligned_u64 entries;
	__u32 count;
	__u32 submitted;
};

/**
 * struct gpulink_ioctl_wait - wait for completions and fetch them
 * @size: sizeof(struct gpulink_ioctl_wait)
 * @flags: 0
 * @completions: user array of 16-byte completions (docs/registers.md, CQE: little-endian; phase is
 *               0)
 * @count: capacity of the array, at least 1
 * @least: minimum number to wait for, 0..@count; 0: do not wait. Limited to the number of entries
 *         in flight
 * @timeout_ns: maximum wait, 0..60 s
 * @completed: out: number of completions stored
 * @reserved: 0
 *
 * ETIMEDOUT: fewer than @least completions arrived in time; those that did are stored and counted.
 * EINTR: a signal arrived before any completion. EBUSY: the rings are mapped.
 */
struct gpulink_ioctl_wait {
	__u32 size;
	__u32 flags;
	__aligned_u64 completions;
	__u32 count;
	__u32 least;
	__aligned_u64 timeout_ns;
	__u32 completed;
	__u32 reserved;
};

/**
 * struct gpulink_ioctl_release - make all earlier stores of this context visible and wait for it
 * @size: sizeof(struct gpulink_ioctl_release)
 * @flags: 0
 * @timeout_ns: maximum wait, 1 ns..60 s (ETIMEDOUT; the release continues, a later one covers it)
 * @errors: out: total number of failed accesses through windows of this context
 * @reserved: 0
 *
 * Covers stores through windows and ring entries submitted before the call. EIO: a write to an
 * endpoint failed. EBUSY: the ring is full of releases that timed out and are still in progress, or
 * the rings are mapped.
 */
struct gpulink_ioctl_release {
	__u32 size;
	__u32 flags;
	__aligned_u64 timeout_ns;
	__u32 errors;
	__u32 reserved;
};

#define GPULINK_COUNTERS_CARD	0xffffffffU
#define GPULINK_COUNTERS_LINK	0xfffffffeU
#define GPULINK_COUNTERS_TSU	0xfffffffdU

/**
 * struct gpulink_ioctl_counters - read all counters of a partition, the card, the link or the
 * pool's timestamps in one snapshot
 * @size: sizeof(struct gpulink_ioctl_counters)
 * @flags: 0
 * @partition: in: partition number, GPULINK_COUNTERS_CARD, GPULINK_COUNTERS_LINK (EOPNOTSUPP: the
 *             card has no link) or GPULINK_COUNTERS_TSU (EOPNOTSUPP: it has no leases)
 * @count: in: capacity of @values; out: number of counters that the kernel supports
 * @values: user array of __u64, in the order of the counter registers of the block
 *          (docs/registers.md): of a partition from STORES on, of the card from ERR_WINDOW on, of
 *          the link from FLITS_IN on, of the timestamps from READS on
 */
struct gpulink_ioctl_counters {
	__u32 size;
	__u32 flags;
	__u32 partition;
	__u32 count;
	__aligned_u64 values;
};

/**
 * struct gpulink_ioctl_ring_map - map the rings of this context into the process
 * @size: sizeof(struct gpulink_ioctl_ring_map)
 * @flags: 0
 * @sq_order: log2 of the number of submission ring entries, 4..12
 * @cq_order: log2 of the number of completion ring entries, 4..12
 * @sq_offset: out: mmap offset of the submission ring (MAP_SHARED)
 * @sq_bytes: out: length of that mapping
 * @cq_offset: out: mmap offset of the completion ring (MAP_SHARED, read-only)
 * @cq_bytes: out: length of that mapping
 *
 * From then on the process writes entries itself (docs/registers.md, SQE), publishes them by
 * writing SQ_TAIL of its doorbell page, detects completions (CQE) by their phase, and returns
 * consumed completions by writing CQ_HEAD of the doorbell page. Both indices start at 0 and are
 * free-running 16-bit counters. Write them with one store, of 8 bytes or, where the process has
 * none of that width, of the low 4: a store of 4 bytes to the upper half sets the index to 0. A
 * fence before SQ_TAIL (see above) orders earlier stores before the entries. GPULINK_IOCTL_SUBMIT,
 * WAIT and RELEASE return EBUSY: a release is an entry, or a word of the doorbell page.
 *
 * The card reports an invalid entry in its completion. Invalid indices (more entries or completions
 * than the ring holds) stop the ring: GPULINK_IOCTL_RING_WAIT then returns EIO until
 * GPULINK_IOCTL_RING_UNMAP. After a reset or removal of the card the submission ring's mapping
 * shows a dummy page. The completion ring's mapping shows completions with status reset in laps of
 * phase 0, and no completion in laps of phase 1; call GPULINK_IOCTL_RING_WAIT to detect the loss:
 * it returns ESTALE or ENODEV. The error count of the completion record restarts at 0.
 *
 * EBUSY: entries or completions of GPULINK_IOCTL_SUBMIT, or releases, are in flight; the rings are
 * already mapped; or the card may still use those unmapped before. EIO: the ring stopped. No store
 * through a window of this context should be in progress during this call: its error might not be
 * counted.
 */
struct gpulink_ioctl_ring_map {
	__u32 size;
	__u32 flags;
	__u32 sq_order;
	__u32 cq_order;
	__aligned_u64 sq_offset;
	__aligned_u64 sq_bytes;
	__aligned_u64 cq_offset;
	__aligned_u64 cq_bytes;
};

/**
 * struct gpulink_ioctl_ring_unmap - return the rings to the kernel
 * @size: sizeof(struct gpulink_ioctl_ring_unmap)
 * @flags: 0
 *
 * Stops the ring and discards entries that the card has not fetched. Later access to the ring
 * mappings raises SIGBUS. ENOENT: the rings are not mapped.
 */
struct gpulink_ioctl_ring_unmap {
	__u32 size;
	__u32 flags;
};

#define GPULINK_RING_WAIT_RELEASE	(1U << 0)

/**
 * struct gpulink_ioctl_ring_wait - sleep until a completion arrives on the mapped ring
 * @size: sizeof(struct gpulink_ioctl_ring_wait)
 * @flags: GPULINK_RING_WAIT_RELEASE: the completion belongs to a release: fill in @errors
 * @index: index of the completion: free-running from 0, 16 bits; at most one ring length ahead
 * @errors: out: as in struct gpulink_ioctl_release
 * @timeout_ns: maximum wait, 0..60 s (ETIMEDOUT)
 *
 * The call wakes up immediately when the entry, or a later one, requests an interrupt
 * (FLAG_INTERRUPT); otherwise the driver polls the ring about twice a second. EINTR: a signal
 * handler ran; stopping and continuing the process restarts the wait with the whole timeout. EIO:
 * the ring stopped. ENOENT: the rings are not mapped.
 */
struct gpulink_ioctl_ring_wait {
	__u32 size;
	__u32 flags;
	__u32 index;
	__u32 errors;
	__aligned_u64 timeout_ns;
};

#define GPULINK_REGION_TARGET_SIGNAL	(1U << 0)

/**
 * struct gpulink_ioctl_region_target - a consumer of a region
 * @window: handle of a window of this file that can be written (ENOENT, EACCES)
 * @flags: GPULINK_REGION_TARGET_SIGNAL: behind the last byte of each chunk the card stores the
 *         number of the epoch, 8 bytes, at @flags_offset + 8 * the number of the chunk
 * @offset: offset of the region's first byte in the window
 * @flags_offset: offset of the first chunk's signal in the window, a multiple of 8; 0 without
 *                GPULINK_REGION_TARGET_SIGNAL
 *
 * ERANGE: region or signals do not fit into the window. ENXIO: the window is revoked. EINVAL: the
 * sub-header of the window's partition has 2 bytes.
 */
struct gpulink_ioctl_region_target {
	__u32 window;
	__u32 flags;
	__aligned_u64 offset;
	__aligned_u64 flags_offset;
};

#define GPULINK_REGION_FLUSH_ON_RELEASE	(1U << 0)
#define GPULINK_REGION_REARM		(1U << 1)
#define GPULINK_REGION_INTERRUPT	(1U << 2)

/**
 * struct gpulink_ioctl_region_create - create a region: registered memory that the card sends to
 * all targets, chunk by chunk, when the last writer of a chunk has arrived
 * @size: sizeof(struct gpulink_ioctl_region_create)
 * @flags: GPULINK_REGION_FLUSH_ON_RELEASE: releases first send chunks that have arrivals;
 *         GPULINK_REGION_REARM: the next epoch starts when an epoch is sent;
 *         GPULINK_REGION_INTERRUPT: epochs that are sent or visible wake GPULINK_IOCTL_REGION_WAIT
 *         and poll() at once
 * @registration: the source, readable by the card (ENOENT, EACCES)
 * @chunk_order: log2 of the bytes of a chunk, 12..24; the last chunk may be shorter
 * @target_count: number of @targets, at least 1 (EINVAL: more than the card supports)
 * @initial: arrivals per chunk and epoch, 0..65535; 0 with @arrivals
 * @handle: out: number of the region, also for DOORBELL.ARRIVE, DOORBELL.START and ring entries
 * @chunks: out: number of chunks
 * @offset: offset of the region's first byte in the registration
 * @bytes: length, at least 1, within the registration (ERANGE)
 * @targets: user array of struct gpulink_ioctl_region_target
 * @arrivals: user array of __u16, one per chunk: its arrivals; or 0: @initial for each. A chunk of
 *            0 arrivals is never sent
 * @record_offset: out: mmap offset of the region's record (docs/registers.md, REGION_RECORD; 32
 *                 bytes) in the page of the completion record; reads 0 after a reset
 *
 * Until the region is destroyed, its registration and windows cannot be released (EBUSY). ENOSPC:
 * the card has no free region, or too few counters for the chunks in a row. EINVAL also: REARM
 * without arrivals. EOPNOTSUPP: the card has no regions.
 */
struct gpulink_ioctl_region_create {
	__u32 size;
	__u32 flags;
	__u32 registration;
	__u32 chunk_order;
	__u32 target_count;
	__u32 initial;
	__u32 handle;
	__u32 chunks;
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__aligned_u64 targets;
	__aligned_u64 arrivals;
	__aligned_u64 record_offset;
};

#define GPULINK_REGION_SENT	0
#define GPULINK_REGION_VISIBLE	1

/**
 * struct gpulink_ioctl_region_wait - wait for an epoch of a region
 * @size: sizeof(struct gpulink_ioctl_region_wait)
 * @flags: 0
 * @handle: the region (ENOENT: not of this file; destroyed during the wait)
 * @level: GPULINK_REGION_SENT: all chunks are read, the source can be overwritten;
 *         GPULINK_REGION_VISIBLE: all writes are acknowledged
 * @epoch: the epoch, from 1 on, or 0: do not wait
 * @timeout_ns: maximum wait, 0..60 s (ETIMEDOUT)
 * @sent: out: last epoch that was sent
 * @visible: out: last epoch that is visible
 * @status: out: first error since the last start (docs/registers.md, status), or 0
 * @failed_targets: out: bit N: target N is not complete
 * @rejected: out: number of arrivals and starts that the card rejected, low 32 bits
 * @reserved: 0
 *
 * EIO: the epoch failed; @status has the reason. Other targets may be complete. The outputs are
 * valid after success, EIO and ETIMEDOUT. EINTR: a signal handler ran. Without
 * GPULINK_REGION_INTERRUPT the driver polls about twice a second.
 */
struct gpulink_ioctl_region_wait {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 level;
	__aligned_u64 epoch;
	__aligned_u64 timeout_ns;
	__aligned_u64 sent;
	__aligned_u64 visible;
	__u32 status;
	__u32 failed_targets;
	__u32 rejected;
	__u32 reserved;
};

/**
 * struct gpulink_ioctl_pool_create - allocate an object of the card's pool memory
 * @size: sizeof(struct gpulink_ioctl_pool_create)
 * @flags: GPULINK_ALLOW_*: rights of the descriptor, at least one, for which the file is open
 *         (EACCES)
 * @bytes: length, multiple of 4096; the memory reads 0
 * @grain: bytes of a line, the unit of leases: a power of two, 64..4096 (EINVAL); 0: 64
 * @fd: out: descriptor of the object (O_CLOEXEC)
 *
 * The descriptor is the right to the object: whoever has it, by fork(), SCM_RIGHTS or
 * GPULINK_IOCTL_POOL_SHARE, may use the object on any context of this card, with the descriptor's
 * rights. The memory is freed with the last descriptor, mapping and window. It outlives the file
 * that created it, and resets of the card; after the card's removal, and for objects whose memory
 * was lost with the card's power, every call returns ENODEV. The object counts towards its
 * creator's limits (EDQUOT).
 *
 * The descriptor can be mapped (MAP_SHARED; offset and length within the object: EINVAL), also
 * without a context: uncached, and past the write queues of windows. mmap() and mprotect() return
 * EACCES without the right to write, for writable mappings; without the right to read, for all.
 * Accesses during a reset of the card wait for its end. After a removal the mapping shows a dummy
 * page.
 *
 * ENOSPC: not enough pool memory with this grain in a row; or no partition without an endpoint is
 * left that is not open to the remote card, of which the first object takes one. EBUSY: a
 * partition's endpoint is the pool as a whole. EIO: the card could not clear the memory. EINTR: the
 * process is being killed. EOPNOTSUPP: the card has no pool, or no leases.
 */
struct gpulink_ioctl_pool_create {
	__u32 size;
	__u32 flags;
	__aligned_u64 bytes;
	__u32 grain;
	__s32 fd;
};

/**
 * struct gpulink_ioctl_pool_share - make a descriptor of an object, with the same or fewer rights
 * @size: sizeof(struct gpulink_ioctl_pool_share)
 * @flags: GPULINK_ALLOW_*, at least one, that @fd has (EACCES)
 * @fd: descriptor of the object (EBADF; EINVAL: not one of a pool object; EXDEV: of another card)
 * @shared: out: the new descriptor (O_CLOEXEC)
 */
struct gpulink_ioctl_pool_share {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__s32 shared;
};

/**
 * struct gpulink_ioctl_pool_attach - map an object into the aperture, for this context
 * @size: sizeof(struct gpulink_ioctl_pool_attach)
 * @flags: GPULINK_ALLOW_*, at least one, that @fd has and for which the file is open (EACCES)
 * @fd: descriptor of the object (EBADF; EINVAL: not one of a pool object; EXDEV: of another card)
 * @handle: out: window handle for ring entries and GPULINK_IOCTL_WINDOW_UNMAP
 * @bytes: out: length of object and window
 * @mmap_offset: out: mmap offset of the window (@bytes long, MAP_SHARED)
 * @grain: out: bytes of a line
 * @partition: out: partition of the window
 *
 * No range of the endpoint is required. The window is one like others: a reset ends it, with its
 * context; attach the object again on a new one. Other errors as for GPULINK_IOCTL_WINDOW_MAP.
 */
struct gpulink_ioctl_pool_attach {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 handle;
	__aligned_u64 bytes;
	__aligned_u64 mmap_offset;
	__u32 grain;
	__u32 partition;
};

/**
 * struct gpulink_ioctl_pool_query - query an object, and the pool
 * @size: sizeof(struct gpulink_ioctl_pool_query)
 * @flags: 0
 * @fd: descriptor of the object (EBADF; EINVAL: not one of a pool object; EXDEV: of another card);
 *      -1: none, only the pool
 * @rights: out: GPULINK_ALLOW_* of the descriptor; 0 without one, as @bytes and @grain
 * @bytes: out: length of the object
 * @grain: out: bytes of a line
 * @ts_bits: out: bits of a timestamp
 * @pool_bytes: out: bytes of the pool
 * @pool_free: out: bytes of it that are not in use
 * @clock_offset: out: mmap offset of the doorbell page; its register CLOCK is the card's clock, and
 *                reads 0 after a reset or removal of the card
 *
 * EOPNOTSUPP: the card has no pool, or no leases.
 */
struct gpulink_ioctl_pool_query {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 rights;
	__aligned_u64 bytes;
	__u32 grain;
	__u32 ts_bits;
	__aligned_u64 pool_bytes;
	__aligned_u64 pool_free;
	__aligned_u64 clock_offset;
};

#define GPULINK_URING_RESULTS	(1U << 0)

/**
 * struct gpulink_uring_submit - GPULINK_URING_SUBMIT: submit a batch of ring entries by io_uring
 * @entries: user array of 64-byte ring entries (docs/registers.md, SQE); with
 *           IORING_URING_CMD_FIXED in uring_cmd_flags it lies in the registered buffer
 *           selected by buf_index
 * @count: number of entries, 1..ring_entries; all are accepted, or none
 * @flags: GPULINK_URING_RESULTS: each entry's completion (docs/registers.md, CQE; phase is 0)
 *         overwrites the first 16 bytes of the entry
 *
 * The cmd field of the io_uring entry holds this structure, cmd_op the command code. A command ends
 * when all its entries have completed, and after at most 60 s (ETIMEDOUT). Its result is the number
 * of entries completed successfully, or the error of the first that failed: EINVAL (operation,
 * reserved bits, length, alignment, vector), ENOENT (window, registration), ERANGE (window or
 * registration bounds, time), EACCES (permission), EFAULT (dma), EIO (endpoint), EOPNOTSUPP
 * (not_pool). The other entries may have been executed; GPULINK_URING_RESULTS returns the status of
 * each.
 *
 * Errors of the command itself leave @entries unchanged: EINVAL, EFAULT; EBUSY: the rings are
 * mapped; EAGAIN: the ring had no room for 5 s; EIO: the ring stopped; ECANCELED; ENODEV, ESTALE:
 * the card was removed or reset (reported within 2 s). Entries of a command that ended early may
 * still be executed. GPULINK_IOCTL_WAIT does not return these completions. Commands that are not
 * linked (IOSQE_IO_LINK) may execute in any order; entries of one command execute in order.
 * IORING_SETUP_IOPOLL: EOPNOTSUPP. Unknown cmd_op: ENOTTY.
 */
struct gpulink_uring_submit {
	__aligned_u64 entries;
	__u32 count;
	__u32 flags;
};

/**
 * struct gpulink_uring_release - GPULINK_URING_RELEASE: release by io_uring
 * @timeout_ns: maximum wait, 1 ns..60 s, half-second resolution (ETIMEDOUT; the release continues)
 * @flags: 0
 *
 * As GPULINK_IOCTL_RELEASE. Result: total number of failed accesses through windows of this
 * context, or an error.
 */
struct gpulink_uring_release {
	__aligned_u64 timeout_ns;
	__aligned_u64 flags;
};

#define GPULINK_URING_SUBMIT	1
#define GPULINK_URING_RELEASE	2

#define GPULINK_IOCTL_BASE	0xE1	/* unused in ioctl-number.rst */
#define GPULINK_IOCTL_QUERY		_IO(GPULINK_IOCTL_BASE, 0x00)
#define GPULINK_IOCTL_ENDPOINT		_IO(GPULINK_IOCTL_BASE, 0x01)
#define GPULINK_IOCTL_WINDOW_MAP	_IO(GPULINK_IOCTL_BASE, 0x02)
#define GPULINK_IOCTL_WINDOW_UNMAP	_IO(GPULINK_IOCTL_BASE, 0x03)
#define GPULINK_IOCTL_REGISTER		_IO(GPULINK_IOCTL_BASE, 0x04)
#define GPULINK_IOCTL_UNREGISTER	_IO(GPULINK_IOCTL_BASE, 0x05)
#define GPULINK_IOCTL_SUBMIT		_IO(GPULINK_IOCTL_BASE, 0x06)
#define GPULINK_IOCTL_WAIT		_IO(GPULINK_IOCTL_BASE, 0x07)
#define GPULINK_IOCTL_RELEASE		_IO(GPULINK_IOCTL_BASE, 0x08)
#define GPULINK_IOCTL_COUNTERS		_IO(GPULINK_IOCTL_BASE, 0x09)
#define GPULINK_IOCTL_REGISTER_DMABUF	_IO(GPULINK_IOCTL_BASE, 0x10)
/*
 * GPULINK_IOCTL_WINDOW_EXPORT takes a struct gpulink_ioctl_handle that names a window and returns a
 * dma-buf descriptor for it: a device that maps the dma-buf stores into the window. To export the
 * pool, export a window on it. Unmapping the window, closing the file, a reset, and removal of its
 * endpoint revoke the importers' mappings. GPULINK_IOCTL_WINDOW_UNMAP waits up to 2 s, or until a
 * signal, for importers' operations in flight; nothing else waits for them, and the card rejects
 * their later accesses. The range of the aperture is used again only when all importers have
 * released it; until then it counts as slices of the user who exported it. Only importers that
 * support revocation can attach (others: EOPNOTSUPP), and only from devices that can reach the card
 * through the bridges (EHOSTUNREACH). EOPNOTSUPP: the kernel has no PCI_P2PDMA, or is older than
 * 6.19.
 */
#define GPULINK_IOCTL_WINDOW_EXPORT	_IO(GPULINK_IOCTL_BASE, 0x11)
#define GPULINK_IOCTL_WINDOW_DMABUF	_IO(GPULINK_IOCTL_BASE, 0x12)
/*
 * GPULINK_IOCTL_REGION_DESTROY takes a struct gpulink_ioctl_handle. Chunks that the card is reading
 * are stored to the end, at most 1.5 s; the others are forgotten.
 */
#define GPULINK_IOCTL_REGION_CREATE	_IO(GPULINK_IOCTL_BASE, 0x13)
#define GPULINK_IOCTL_REGION_DESTROY	_IO(GPULINK_IOCTL_BASE, 0x14)
#define GPULINK_IOCTL_REGION_WAIT	_IO(GPULINK_IOCTL_BASE, 0x15)
#define GPULINK_IOCTL_POOL_CREATE	_IO(GPULINK_IOCTL_BASE, 0x16)
#define GPULINK_IOCTL_POOL_SHARE	_IO(GPULINK_IOCTL_BASE, 0x17)
#define GPULINK_IOCTL_POOL_ATTACH	_IO(GPULINK_IOCTL_BASE, 0x18)
#define GPULINK_IOCTL_POOL_QUERY	_IO(GPULINK_IOCTL_BASE, 0x19)
#define GPULINK_IOCTL_RING_MAP		_IO(GPULINK_IOCTL_BASE, 0x0a)
#define GPULINK_IOCTL_RING_UNMAP	_IO(GPULINK_IOCTL_BASE, 0x0b)
#define GPULINK_IOCTL_RING_WAIT		_IO(GPULINK_IOCTL_BASE, 0x0c)

#endif /* _UAPI_GPULINK_H */
