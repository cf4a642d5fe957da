/* SPDX-License-Identifier: Apache-2.0 */
/* Short wrappers of the kernel interface, for test programs that do not use the library. Errors are -errno. */
#ifndef TESTS_VM_CARD_H
#define TESTS_VM_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/gpulink.h>
#include <gpulink_regs.h>

#define SECOND UINT64_C(1000000000)

struct sqe {
	uint64_t words[GLK_SQE_BYTES / 8];
};

struct cqe {
	uint64_t words[GLK_CQE_BYTES / 8];
};

/* User rings. */
struct ring {
	int fd;
	uint32_t sq_order, cq_order;
	struct gpulink_ioctl_ring_map map;
	struct sqe *sq;
	const volatile struct cqe *cq;
	volatile unsigned long *doorbell; /* one store per update, also of 32-bit processes */
	uint16_t tail, head; /* entries written, completions taken */
	uint16_t told;	     /* head last reported to the card */
};

/* Writes a file of sysfs, cgroups or the like. Returns whether the kernel took all of it. */
bool put_text(const char *folder, const char *name, const char *text);
/* Returns the handle, or an error. */
int card_window(int fd, unsigned partition, uint64_t offset, uint64_t bytes, uint64_t *mmap_offset);
int card_register(int fd, void *memory, uint64_t bytes, unsigned rights);
int card_unmap(int fd, unsigned window);
int card_unregister(int fd, unsigned registration);
int card_release(int fd, uint32_t *errors);
/* Runs `count` entries to completion, by SUBMIT and WAIT. */
int card_run(int fd, const struct sqe *entries, unsigned count, struct cqe *done);

int ring_map(int fd, unsigned sq_order, unsigned cq_order, struct ring *ring);
void ring_forget(struct ring *ring); /* removes only the mappings */
int ring_unmap(struct ring *ring);
/* The ring must have room. */
void ring_put(struct ring *ring, const struct sqe *entry);
void ring_tell(struct ring *ring);
/* Takes a completion if there is one; reports the head to the card every half ring. */
bool ring_take(struct ring *ring, struct cqe *done);
/* The same, but sleeps for a completion. */
int ring_await(struct ring *ring, struct cqe *done, uint64_t timeout_ns, uint32_t *errors);
int ring_wait(int fd, unsigned index, uint64_t timeout_ns, uint32_t *errors);

struct sqe entry_of(unsigned operation, unsigned window, uint64_t offset, unsigned length, uint64_t tag);
struct sqe put_inline(unsigned window, uint64_t offset, uint64_t value, uint64_t tag);
struct sqe move(unsigned operation, unsigned window, uint64_t offset, unsigned length, unsigned registration,
		uint64_t registration_offset);
struct sqe with_interrupt(struct sqe entry);
unsigned status_of(const struct cqe *done);

/* Reads a number from a sysfs file of the card; -1 on error. */
long card_file(const char *folder, const char *file);

#endif /* TESTS_VM_CARD_H */
