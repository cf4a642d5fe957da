// SPDX-License-Identifier: Apache-2.0
/* Completions arrive in the order of entries, so that one index counts both. */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <gpulink_regs.h>

#include <linux/gpulink.h>
#include "card_ring.h"

#define ORDER	     9u
#define ENTRIES	     (1u << ORDER)
#define UPDATE_EVERY 64u /* completions taken per doorbell update */

_Static_assert(ENTRIES == GLK_RING_MAX, "the rings have one size");

struct glk_card_ring {
	int fd;
	struct gpulink_ioctl_ring_map map;
	uint64_t (*sq)[GLK_SQE_WORDS];
	const volatile uint64_t (*cq)[GLK_CQE_WORDS];
	volatile unsigned long *doorbell; /* one store per update, also of 32-bit processes */
	uint16_t tail, head, rung; /* entries written, completions taken, and head as last written to the doorbell */
	bool polled;		   /* the driver's poll() needs `rung` */
};

static unsigned card_ring_slot_of(uint16_t index)
{
	return index & (ENTRIES - 1);
}

/* Registers are little-endian. */
static void write_doorbell(const struct glk_card_ring *ring, unsigned reg, uint16_t index)
{
	ring->doorbell[reg / sizeof(long)] = sizeof(long) == 8 ? (unsigned long)htole64(index) : htole32(index);
}

int glk_card_ring_submit(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS])
{
	if ((uint16_t)(ring->tail - ring->head) == ENTRIES)
		return 0;
	for (unsigned i = 0; i < GLK_SQE_WORDS; i++)
		ring->sq[card_ring_slot_of(ring->tail)][i] = htole64(entry[i]);
	ring->tail++;
	/* Order the entry and earlier stores through windows before the doorbell. */
	glk_flush_stores();
	write_doorbell(ring, GLK_DOORBELL_SQ_TAIL, ring->tail);
	return 1;
}

/* After a reset of the card the ring holds no valid completions (GLK_ST_RESET). */
static bool available(const struct glk_card_ring *ring, uint64_t word)
{
	uint64_t first_lap = !(ring->head & ENTRIES);

	return (word & GLK_CQE_PHASE_MASK) >> GLK_CQE_PHASE_SHIFT == first_lap &&
	       (word & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT != GLK_ST_RESET;
}

int glk_card_ring_take(struct glk_card_ring *ring, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room)
{
	unsigned taken = 0;

	for (; taken < room && ring->head != ring->tail; taken++, ring->head++) {
		const volatile uint64_t *at = ring->cq[card_ring_slot_of(ring->head)];
		uint64_t word = le64toh(at[GLK_CQE_PHASE_Q]);

		if (!available(ring, word))
			break;
		__atomic_thread_fence(__ATOMIC_ACQUIRE); /* read the tag after the phase */
		completions[taken][GLK_CQE_TAG_Q] = le64toh(at[GLK_CQE_TAG_Q]);
		completions[taken][GLK_CQE_PHASE_Q] = word;
	}
	if ((uint16_t)(ring->head - ring->rung) >= (ring->polled ? 1 : UPDATE_EVERY)) {
		ring->rung = ring->head;
		write_doorbell(ring, GLK_DOORBELL_CQ_HEAD, ring->rung);
	}
	return (int)taken;
}

void glk_card_ring_poll(struct glk_card_ring *ring)
{
	ring->polled = true;
	ring->rung = ring->head;
	write_doorbell(ring, GLK_DOORBELL_CQ_HEAD, ring->rung);
}

int glk_card_ring_sleep(const struct glk_card_ring *ring, uint64_t entry, uint64_t timeout_ns, uint32_t *errors)
{
	struct gpulink_ioctl_ring_wait w = {
		.size = sizeof(w), .flags = errors ? GPULINK_RING_WAIT_RELEASE : 0, .index = (uint16_t)entry,
		.timeout_ns = timeout_ns,
	};
	int error = ioctl(ring->fd, GPULINK_IOCTL_RING_WAIT, &w) ? errno : 0;

	if (errors && !error)
		*errors = w.errors;
	return error == EINTR ? 0 : -error;
}

void *glk_card_ring_doorbell(const struct glk_card_ring *ring)
{
	return (void *)(uintptr_t)ring->doorbell;
}

void glk_card_ring_close(struct glk_card_ring *ring)
{
	if (!ring)
		return;
	if (ring->sq)
		munmap(ring->sq, ring->map.sq_bytes);
	if (ring->cq)
		munmap((void *)(uintptr_t)ring->cq, ring->map.cq_bytes);
	if (ring->doorbell)
		munmap((void *)(uintptr_t)ring->doorbell, GLK_PAGE_SIZE);
	free(ring);
}

static void *card_ring_map(int fd, uint64_t bytes, int protection, uint64_t offset)
{
	void *memory = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);

	return memory == MAP_FAILED ? NULL : memory;
}

int glk_card_ring_open(int fd, uint64_t doorbell_offset, struct glk_card_ring **out)
{
	struct glk_card_ring *ring = calloc(1, sizeof(*ring));
	int error;

	if (!ring)
		return -ENOMEM;
	ring->fd = fd;
	ring->map = (struct gpulink_ioctl_ring_map){ .size = sizeof(ring->map), .sq_order = ORDER, .cq_order = ORDER };
	if (ioctl(fd, GPULINK_IOCTL_RING_MAP, &ring->map)) {
		error = -errno;
		free(ring);
		return error;
	}
	ring->sq = card_ring_map(fd, ring->map.sq_bytes, PROT_READ | PROT_WRITE, ring->map.sq_offset);
	ring->cq = card_ring_map(fd, ring->map.cq_bytes, PROT_READ, ring->map.cq_offset);
	ring->doorbell = card_ring_map(fd, GLK_PAGE_SIZE, PROT_READ | PROT_WRITE, doorbell_offset);
	if (!ring->sq || !ring->cq || !ring->doorbell) {
		error = -errno;
		glk_card_ring_close(ring);
		return error;
	}
	*out = ring;
	return 0;
}
