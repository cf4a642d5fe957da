/* SPDX-License-Identifier: Apache-2.0 */
/* The part of io_uring that the driver's tests need, by plain system calls. Errors are -errno. */
#ifndef TESTS_VM_IO_RING_H
#define TESTS_VM_IO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_ring {
	int fd;
	unsigned queued; /* entries not yet submitted */
	unsigned long enters;
	uint32_t *sq_head, *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	void *rings;
	size_t rings_bytes, sqes_bytes;
};

int io_ring_open(struct io_ring *ring, unsigned entries);
void io_ring_close(struct io_ring *ring);
int io_ring_register(struct io_ring *ring, void *memory, size_t bytes);
/* Queues an IORING_OP_URING_CMD; `fixed`: from the registered buffer. The ring must have room. */
void io_ring_command(struct io_ring *ring, int fd, uint32_t code, const void *payload, bool fixed, uint64_t tag);
void io_ring_submit(struct io_ring *ring, int fd, const void *entries, unsigned count, uint32_t flags, uint64_t tag);
void io_ring_release(struct io_ring *ring, int fd, uint64_t timeout_ns, uint64_t tag);
int io_ring_enter(struct io_ring *ring, unsigned wait);
bool io_ring_take(struct io_ring *ring, uint64_t *tag, int *result);
/* Submits the queued entries, and takes one result. */
int io_ring_result(struct io_ring *ring);

#endif /* TESTS_VM_IO_RING_H */
