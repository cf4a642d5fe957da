// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <gpulink.h>

#include "io_ring.h"

/* Headers may be older than the feature. */
#define PAYLOAD_OFFSET 48
#define FLAGS_OFFSET   28
#define COMMAND	       46 /* IORING_OP_URING_CMD */
#define FIXED	       1U /* IORING_URING_CMD_FIXED */

int io_ring_open(struct io_ring *ring, unsigned entries)
{
	struct io_uring_params p = { 0 };
	char *base;

	*ring = (struct io_ring){ 0 };
	ring->fd = (int)syscall(SYS_io_uring_setup, entries, &p);
	if (ring->fd < 0)
		return -errno;
	ring->rings_bytes = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
	if (ring->rings_bytes < p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe))
		ring->rings_bytes = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	ring->sqes_bytes = p.sq_entries * sizeof(struct io_uring_sqe);
	base = mmap(NULL, ring->rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	ring->sqes = mmap(NULL, ring->sqes_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, (off_t)IORING_OFF_SQES);
	if (base == MAP_FAILED || ring->sqes == MAP_FAILED || !(p.features & IORING_FEAT_SINGLE_MMAP))
		return -ENOMEM;
	ring->rings = base;
	ring->sq_head = (uint32_t *)(base + p.sq_off.head);
	ring->sq_tail = (uint32_t *)(base + p.sq_off.tail);
	ring->sq_mask = (uint32_t *)(base + p.sq_off.ring_mask);
	ring->sq_array = (uint32_t *)(base + p.sq_off.array);
	ring->cq_head = (uint32_t *)(base + p.cq_off.head);
	ring->cq_tail = (uint32_t *)(base + p.cq_off.tail);
	ring->cq_mask = (uint32_t *)(base + p.cq_off.ring_mask);
	ring->cqes = (struct io_uring_cqe *)(base + p.cq_off.cqes);
	return 0;
}

void io_ring_close(struct io_ring *ring)
{
	munmap(ring->sqes, ring->sqes_bytes);
	munmap(ring->rings, ring->rings_bytes);
	close(ring->fd);
}

int io_ring_register(struct io_ring *ring, void *memory, size_t bytes)
{
	struct iovec v = { .iov_base = memory, .iov_len = bytes };

	return syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_BUFFERS, &v, 1) ? -errno : 0;
}

void io_ring_command(struct io_ring *ring, int fd, uint32_t code, const void *payload, bool fixed, uint64_t tag)
{
	uint32_t tail = *ring->sq_tail, at = tail & *ring->sq_mask, flags = fixed ? FIXED : 0;
	struct io_uring_sqe *sqe = &ring->sqes[at];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = COMMAND;
	sqe->fd = fd;
	sqe->off = code;
	sqe->user_data = tag;
	memcpy((char *)sqe + FLAGS_OFFSET, &flags, sizeof(flags));
	memcpy((char *)sqe + PAYLOAD_OFFSET, payload, 16);
	ring->sq_array[at] = at;
	__atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
	ring->queued++;
}

void io_ring_submit(struct io_ring *ring, int fd, const void *entries, unsigned count, uint32_t flags, uint64_t tag)
{
	struct gpulink_uring_submit s = { .entries = (uintptr_t)entries, .count = count, .flags = flags };

	io_ring_command(ring, fd, GPULINK_URING_SUBMIT, &s, false, tag);
}

void io_ring_release(struct io_ring *ring, int fd, uint64_t timeout_ns, uint64_t tag)
{
	struct gpulink_uring_release r = { .timeout_ns = timeout_ns };

	io_ring_command(ring, fd, GPULINK_URING_RELEASE, &r, false, tag);
}

int io_ring_enter(struct io_ring *ring, unsigned wait)
{
	long done = syscall(SYS_io_uring_enter, ring->fd, ring->queued, wait, wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);

	ring->enters++;
	if (done < 0)
		return -errno;
	ring->queued -= (unsigned)done;
	return (int)done;
}

bool io_ring_take(struct io_ring *ring, uint64_t *tag, int *result)
{
	uint32_t head = *ring->cq_head;

	if (head == __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE))
		return false;
	*tag = ring->cqes[head & *ring->cq_mask].user_data;
	*result = ring->cqes[head & *ring->cq_mask].res;
	__atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

int io_ring_result(struct io_ring *ring)
{
	uint64_t tag;
	int error = io_ring_enter(ring, 1), result;

	return error < 0 ? error : io_ring_take(ring, &tag, &result) ? result : -EPROTO;
}
