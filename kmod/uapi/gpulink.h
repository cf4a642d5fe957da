/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The kernel interface of gpulink: ioctls of /dev/gpulinkN and what they carry.
 *
 * Every structure begins with its size as the caller knows it and with flags. The kernel refuses
 * unknown flags and reserved fields that are not 0 (EINVAL), a size below the first version's
 * (EINVAL), and a tail it does not know that is not 0 (E2BIG). Fields that only the kernel writes
 * are ignored on entry. Unknown ioctls: ENOTTY. After surprise removal every call gives ENODEV;
 * after a reset of the card, sleep or a bus error every call on a file opened before it gives
 * ESTALE (open again; docs/recovery.md). Mappings of windows and doorbell pages then show a page
 * that leads nowhere, so that a store in flight does not kill the process; the completion record
 * reads 0. The same holds for windows whose endpoint went away: every release from then on grows
 * @errors, until the window is unmapped.
 *
 * One open file is one context: it owns its windows, registrations and rings, all of which
 * end with it. Calls may be made from any number of threads. open() gives ENOSPC when the
 * card has no context left. The administrator may limit what a context or a user takes of
 * the card (docs/sysfs.md): open(), GPULINK_IOCTL_WINDOW_MAP and both ways to register
 * give EDQUOT beyond it.
 */
#ifndef _UAPI_GPULINK_H
#define _UAPI_GPULINK_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GPULINK_ABI_VERSION	1

/**
 * struct gpulink_ioctl_query - what this card and context are
 * @size: sizeof(struct gpulink_ioctl_query)
 * @flags: 0
 * @abi_version: GPULINK_ABI_VERSION of the kernel
 * @context: number of this file's context on the card
 * @generation: number of resets of the card
 * @features: CARD.FEATURES
 * @partitions: partitions of the card
 * @ring_entries: most entries in flight by GPULINK_IOCTL_SUBMIT
 * @slice_shift: log2 of the granule of windows in the aperture
 * @subheader_widths: bit N set: the card has N-byte sub-headers
 * @queue_entries: write queue entries of a partition
 * @reserved: 0
 * @doorbell_offset: mmap offset of the doorbell page (4096 bytes, write only in effect, MAP_SHARED)
 * @record_offset: mmap offset of the completion record's page (4096 bytes, read only, MAP_SHARED)
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
 * struct gpulink_ioctl_endpoint - what a partition's endpoint is
 * @size: sizeof(struct gpulink_ioctl_endpoint)
 * @flags: 0
 * @partition: in: number of the partition (EINVAL: no such one)
 * @kind: GPULINK_ENDPOINT_*
 * @bytes: memory of the endpoint
 * @name: kind bus: PCI address and BAR ("0000:00:03.0 0"); kind pool: "pool"; kind link, a
 *        partition of the card beyond the link: "link 3"; kind none: ""
 */
struct gpulink_ioctl_endpoint {
	__u32 size;
	__u32 flags;
	__u32 partition;
	__u32 kind;
	__aligned_u64 bytes;
	__u8 name[32];
};

#define GPULINK_ALLOW_READ	(1U << 0)
#define GPULINK_ALLOW_WRITE	(1U << 1)

/**
 * struct gpulink_ioctl_window_map - map a range of an endpoint's memory into the aperture
 * @size: sizeof(struct gpulink_ioctl_window_map)
 * @flags: GPULINK_ALLOW_*, at least one
 * @partition: destination (EINVAL: no such one; ENXIO: it has no endpoint)
 * @handle: out: what ring entries and GPULINK_IOCTL_WINDOW_UNMAP name
 * @offset: first byte in the endpoint's memory, multiple of 4096
 * @bytes: length, multiple of 4096, inside the endpoint (ERANGE)
 * @mmap_offset: out: mmap offset of the window (@bytes long, MAP_SHARED)
 *
 * ENOSPC: the aperture has no such row of slices free.
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
 * struct gpulink_ioctl_handle - names a window or registration to take away
 * @size: sizeof(struct gpulink_ioctl_handle)
 * @flags: 0
 * @handle: what the map or register call gave (ENOENT: not this context's)
 * @reserved: 0
 *
 * Taking a window away drains it first and revokes its user mappings (SIGBUS from then on).
 */
struct gpulink_ioctl_handle {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
};

/**
 * struct gpulink_ioctl_register - let ring entries name a range of this process' memory
 * @size: sizeof(struct gpulink_ioctl_register)
 * @flags: GPULINK_ALLOW_*: what the card may do with it, at least one
 * @address: first byte
 * @bytes: length, 1 or more
 * @handle: out
 * @reserved: 0
 *
 * The pages are pinned and counted against RLIMIT_MEMLOCK (ENOMEM). ENOSPC: the
 * card has no free entry. EOPNOTSUPP: the platform does not share memory coherently with the card.
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
 * struct gpulink_ioctl_register_dmabuf - let ring entries name a range of a dma-buf, a
 * GPU's memory above all
 * @size: sizeof(struct gpulink_ioctl_register_dmabuf)
 * @flags: GPULINK_ALLOW_*: what the card may do with it, at least one (WRITE needs a buffer open
 *         for writing: EACCES)
 * @fd: of the dma-buf (EBADF, EINVAL: it is none; ELOOP: it is a gpulink window)
 * @handle: out; GPULINK_IOCTL_UNREGISTER takes it
 * @offset: first byte in the buffer
 * @bytes: length, 1 or more, inside the buffer (ERANGE)
 *
 * The memory stays where its driver puts it. When it moves, the card lets go of it at once, and
 * gets it back where it is then; an entry that is carried out in between completes with status
 * registration, and may be submitted again. EHOSTUNREACH: the exporter says that the card cannot
 * reach the memory where it is, for the bridges between them do not promise to forward or it lets
 * no peer in; the kernel log has the reason. Then the data have to go through memory of the process
 * (GPULINK_IOCTL_REGISTER). Other errors of the exporter's are given back as they are.
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
 * struct gpulink_ioctl_submit - put entries on the submission ring
 * @size: sizeof(struct gpulink_ioctl_submit)
 * @flags: 0
 * @entries: user array of 64-byte ring entries (docs/registers.md, SQE)
 * @count: how many, 1..ring_entries
 * @submitted: out: how many were taken, from the first on; the rest found the ring full
 *
 * EAGAIN: none was taken, the ring is full: wait for completions. EBUSY: the rings are mapped
 * (GPULINK_IOCTL_RING_MAP). The card checks the entries; errors come as completions.
 */
struct gpulink_ioctl_submit {
	__u32 size;
	__u32 flags;
	__aligned_u64 entries;
	__u32 count;
	__u32 submitted;
};

/**
 * struct gpulink_ioctl_wait - take completions
 * @size: sizeof(struct gpulink_ioctl_wait)
 * @flags: 0
 * @completions: user array of 16-byte completions (docs/registers.md, CQE; phase is 0)
 * @count: room in it, 1 or more
 * @least: wait until there are so many, 0..@count; 0: take what is there. Clipped
 *         to what is in flight
 * @timeout_ns: at most so long, 0..60 s
 * @completed: out: how many were stored
 * @reserved: 0
 *
 * ETIMEDOUT: the time passed with fewer than @least; those that came are stored and counted all the
 * same. EINTR: a signal came before any completion. EBUSY: the rings are mapped.
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
 * struct gpulink_ioctl_release - make every earlier store of this context visible, and wait for it
 * @size: sizeof(struct gpulink_ioctl_release)
 * @flags: 0
 * @timeout_ns: at most so long, 1..60 s (ETIMEDOUT; the release goes on and a later one covers it)
 * @errors: out: accesses through windows of this context that failed so far
 * @reserved: 0
 *
 * Covers stores through windows and entries submitted before the call. EIO: a write to an
 * endpoint failed. EBUSY: the ring is full of releases that timed out before and go on, or
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

/**
 * struct gpulink_ioctl_counters - all counters of a partition, or of the card, as one snapshot
 * @size: sizeof(struct gpulink_ioctl_counters)
 * @flags: 0
 * @partition: in: number, or GPULINK_COUNTERS_CARD
 * @count: in: room in @values; out: how many the kernel knows
 * @values: user array of __u64, in the order of the counter registers of the block
 *          (docs/registers.md): for a partition from STORES on, for the card from ERR_WINDOW on
 */
struct gpulink_ioctl_counters {
	__u32 size;
	__u32 flags;
	__u32 partition;
	__u32 count;
	__aligned_u64 values;
};

/**
 * struct gpulink_ioctl_ring_map - take the rings of this context into the process' own hands
 * @size: sizeof(struct gpulink_ioctl_ring_map)
 * @flags: 0
 * @sq_order: log2 of the entries of the submission ring, 4..12
 * @cq_order: log2 of the entries of the completion ring, 4..12
 * @sq_offset: out: mmap offset of the submission ring (MAP_SHARED)
 * @sq_bytes: out: how much to map there
 * @cq_offset: out: mmap offset of the completion ring (MAP_SHARED, read only)
 * @cq_bytes: out: how much to map there
 *
 * From then on the process writes entries itself (docs/registers.md, SQE), tells of them by SQ_TAIL
 * of its doorbell page, finds completions (CQE) by their phase, and tells by CQ_HEAD of the
 * doorbell page that it has taken them. Both indices begin at 0 and count on freely, 16 bits wide.
 * Stores that must not be overtaken need a write barrier before SQ_TAIL. GPULINK_IOCTL_SUBMIT, WAIT
 * and RELEASE give EBUSY: a release is an entry, or a word of the doorbell page.
 *
 * What is wrong with an entry comes as its completion. Indices that make no sense (more entries, or
 * more completions, than the ring holds) stop the ring: GPULINK_IOCTL_RING_WAIT then gives EIO, and
 * GPULINK_IOCTL_RING_UNMAP ends that. After a reset or removal of the card the submission ring's
 * mapping shows a page that leads nowhere; that of the completion ring shows completions of status
 * reset in laps of phase 0, and none in laps of phase 1: who waits for one must ask
 * GPULINK_IOCTL_RING_WAIT, which gives ESTALE or ENODEV. The mappings are not inherited by fork().
 * The errors that the completion record tells of begin at 0 again.
 *
 * EBUSY: entries or completions of GPULINK_IOCTL_SUBMIT, or releases, are in flight, or the rings
 * are mapped already. EIO: the ring stopped. No store through a window of this context should be
 * under way: its error might not be counted.
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
 * struct gpulink_ioctl_ring_unmap - give the rings back
 * @size: sizeof(struct gpulink_ioctl_ring_unmap)
 * @flags: 0
 *
 * Stops the ring: entries that the card has not taken are abandoned. Mappings of it give SIGBUS
 * from then on. ENOENT: the rings are not mapped.
 */
struct gpulink_ioctl_ring_unmap {
	__u32 size;
	__u32 flags;
};

#define GPULINK_RING_WAIT_RELEASE	(1U << 0)

/**
 * struct gpulink_ioctl_ring_wait - sleep until a completion is on the mapped ring
 * @size: sizeof(struct gpulink_ioctl_ring_wait)
 * @flags: GPULINK_RING_WAIT_RELEASE: it is that of a release: fill in @errors
 * @index: which, counted from 0 on freely, 16 bits; at most as many ahead as the ring has entries
 * @errors: out: as in struct gpulink_ioctl_release
 * @timeout_ns: at most so long, 0..60 s (ETIMEDOUT)
 *
 * Sleep ends at once when the entry, or one behind it, asks for an interrupt (FLAG_INTERRUPT); else
 * the ring is looked at twice a second. EINTR: a signal came. EIO: the ring stopped. ENOENT: the
 * rings are not mapped.
 */
struct gpulink_ioctl_ring_wait {
	__u32 size;
	__u32 flags;
	__u32 index;
	__u32 errors;
	__aligned_u64 timeout_ns;
};

#define GPULINK_URING_RESULTS	(1U << 0)

/**
 * struct gpulink_uring_submit - GPULINK_URING_SUBMIT: a batch of ring entries by io_uring
 * @entries: user array of 64-byte ring entries (docs/registers.md, SQE); with
 *           IORING_URING_CMD_FIXED in uring_cmd_flags it lies in the registered buffer
 *           that buf_index names
 * @count: how many, 1..ring_entries; all are taken, or none
 * @flags: GPULINK_URING_RESULTS: the completion of each entry (docs/registers.md, CQE; phase is 0)
 *         is written over the first 16 bytes of the entry
 *
 * What commands carry stands in the cmd field of the io_uring entry, and the code in cmd_op. A
 * command ends when all its entries have completed; at the latest after 60 s (ETIMEDOUT). Result:
 * how many entries completed ok, or the error of the first that did not: EINVAL (operation,
 * reserved bits, length, alignment, vector), ENOENT (window, registration), ERANGE (their bounds),
 * EACCES (permission), EFAULT (dma), EIO (endpoint). The others may have been carried out:
 * GPULINK_URING_RESULTS tells of each.
 *
 * Errors of the command itself, with which nothing is written to @entries: EINVAL, EFAULT; EBUSY:
 * the rings are mapped; EAGAIN: there was no room for 5 s; EIO: the ring stopped; ECANCELED;
 * ENODEV, ESTALE: the card is gone, or was reset, at the latest 2 s after it. Entries of a command
 * that ended early may still be carried out. Completions do not come by GPULINK_IOCTL_WAIT.
 * Commands that are not linked (IOSQE_IO_LINK) may be carried out in any order, entries of one are
 * in theirs. IORING_SETUP_IOPOLL: EOPNOTSUPP. Unknown cmd_op: ENOTTY.
 */
struct gpulink_uring_submit {
	__aligned_u64 entries;
	__u32 count;
	__u32 flags;
};

/**
 * struct gpulink_uring_release - GPULINK_URING_RELEASE: a release by io_uring
 * @timeout_ns: at most so long, 1..60 s, to the half second (ETIMEDOUT; the release goes on)
 * @flags: 0
 *
 * As GPULINK_IOCTL_RELEASE. Result: accesses through windows of this context that failed
 * so far, or an error.
 */
struct gpulink_uring_release {
	__aligned_u64 timeout_ns;
	__aligned_u64 flags;
};

#define GPULINK_URING_SUBMIT	1
#define GPULINK_URING_RELEASE	2

#define GPULINK_IOCTL_BASE	0xB7
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
 * GPULINK_IOCTL_WINDOW_EXPORT takes a struct gpulink_ioctl_handle, of a window, and returns the
 * descriptor of a dma-buf that is the window: a device that maps it stores into the window. The
 * pool is exported by a window on it. Unmapping the window, reset, and the end of its endpoint take
 * it away from importers; only such are served as let go when told (others get EOPNOTSUPP when they
 * attach), and that the bridges let reach the card (EHOSTUNREACH). EOPNOTSUPP: the kernel has no
 * PCI_P2PDMA, or is older than 6.19.
 */
#define GPULINK_IOCTL_WINDOW_EXPORT	_IO(GPULINK_IOCTL_BASE, 0x11)
#define GPULINK_IOCTL_RING_MAP		_IO(GPULINK_IOCTL_BASE, 0x0a)
#define GPULINK_IOCTL_RING_UNMAP	_IO(GPULINK_IOCTL_BASE, 0x0b)
#define GPULINK_IOCTL_RING_WAIT		_IO(GPULINK_IOCTL_BASE, 0x0c)

#endif /* _UAPI_GPULINK_H */
