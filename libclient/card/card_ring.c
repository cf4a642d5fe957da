// SPDX-License-Identifier: Apache-2.0
/*
 * Completions arrive in the order of entries, so that one index counts both. Some entries are internal: releases, and NOPs
 * that raise an interrupt. The caller keeps at most GLK_RING_MAX of its own entries in flight; the ring has twice that
 * size.
 *
 * A sleeping thread is woken by an entry that requests an interrupt. Interrupts cost more than puts: only every
 * FLAG_EVERY-th entry requests one, and a NOP is added if the last entries do not.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include <gpulink_regs.h>

#include "../../kmod/uapi/gpulink.h"
#include "card_ring.h"

#define ORDER	     9u
#define ENTRIES	     (1u << ORDER)
#define FLAG_EVERY   32u
#define UPDATE_EVERY 64u  /* completions taken per doorbell update */
#define POLLS	     500u /* before sleeping */
#define CHECK_EVERY  64u  /* empty polls per check of the card's state by the kernel */
#define SLEEP_MAX_NS UINT64_C(10000000000) /* of one call; the kernel allows 60 s */
#define NO_DEADLINE  UINT64_MAX

struct glk_card_ring {
	int fd;
	struct gpulink_ioctl_ring_map map;
	uint64_t (*sq)[GLK_SQE_WORDS];
	const volatile uint64_t (*cq)[GLK_CQE_WORDS];
	volatile uint64_t *doorbell;
	uint16_t tail, head, rung; /* entries written, completions taken, and head as last written to the doorbell */
	uint16_t woken;		   /* the entry before this one requests an interrupt */
	bool internal[ENTRIES];
	unsigned users; /* entries of the caller without a completion returned */
	unsigned looks;
	uint64_t done[GLK_RING_MAX][GLK_CQE_WORDS];
	unsigned done_head, done_count;
	bool releasing, released;
	uint16_t release; /* its index */
	unsigned release_status;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t deadline_of(uint64_t timeout_ns)
{
	uint64_t now = now_ns();

	return timeout_ns < NO_DEADLINE - now ? now + timeout_ns : NO_DEADLINE;
}

static unsigned slot_of(uint16_t index)
{
	return index & (ENTRIES - 1);
}

/* Sends the stores through write-combining windows that this CPU holds. On arm64 the compiler's fence stops short of devices. */
static void flush_stores(void)
{
#ifdef __aarch64__
	__asm__ volatile("dsb st" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void put(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS], bool internal, bool wake)
{
	uint64_t *slot = ring->sq[slot_of(ring->tail)];

	memcpy(slot, entry, GLK_SQE_BYTES);
	ring->internal[slot_of(ring->tail)] = internal;
	ring->tail++;
	if (wake || slot_of(ring->tail) % FLAG_EVERY == 0) {
		slot[GLK_SQE_FLAGS_Q] |= (uint64_t)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT;
		ring->woken = ring->tail;
	}
	/* Order the entry and earlier stores through windows before the doorbell. */
	flush_stores();
	ring->doorbell[GLK_DOORBELL_SQ_TAIL / 8] = ring->tail;
}

static bool full(const struct glk_card_ring *ring)
{
	return (uint16_t)(ring->tail - ring->head) == ENTRIES;
}

static void take_one(struct glk_card_ring *ring, uint64_t tag, uint64_t word)
{
	if (!ring->internal[slot_of(ring->head)]) {
		uint64_t *done = ring->done[(ring->done_head + ring->done_count++) % GLK_RING_MAX];

		done[0] = tag;
		done[1] = word;
	} else if (ring->releasing && ring->head == ring->release) {
		ring->release_status = (unsigned)((word & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT);
		ring->released = true;
	}
	ring->head++;
}

/* Takes available completions. After a reset of the card the ring holds no valid ones (GLK_ST_RESET). */
static void reap(struct glk_card_ring *ring)
{
	while (ring->head != ring->tail) {
		const volatile uint64_t *at = ring->cq[slot_of(ring->head)];
		uint64_t word = at[GLK_CQE_PHASE_Q], first_lap = !(ring->head & ENTRIES);

		if ((word & GLK_CQE_PHASE_MASK) >> GLK_CQE_PHASE_SHIFT != first_lap ||
		    (word & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT == GLK_ST_RESET)
			break;
		__atomic_thread_fence(__ATOMIC_ACQUIRE); /* read the tag after the phase */
		take_one(ring, at[GLK_CQE_TAG_Q], word);
	}
	if ((uint16_t)(ring->head - ring->rung) >= UPDATE_EVERY) {
		ring->rung = ring->head;
		ring->doorbell[GLK_DOORBELL_CQ_HEAD / 8] = ring->rung;
	}
}

/* Sleeps until the completion is available, in steps of the kernel's maximum wait. */
static int sleep_for(struct glk_card_ring *ring, uint16_t index, uint64_t deadline, uint32_t *errors)
{
	struct gpulink_ioctl_ring_wait w = {
		.size = sizeof(w), .flags = errors ? GPULINK_RING_WAIT_RELEASE : 0, .index = index,
	};
	uint64_t now;
	int error;

	do {
		now = now_ns();
		w.timeout_ns = deadline <= now ? 0 : deadline - now < SLEEP_MAX_NS ? deadline - now : SLEEP_MAX_NS;
		error = ioctl(ring->fd, GPULINK_IOCTL_RING_WAIT, &w) ? errno : 0;
	} while ((error == ETIMEDOUT || error == EINTR) && w.timeout_ns && now_ns() < deadline);
	if (errors)
		*errors = w.errors;
	return -error;
}

int glk_card_ring_submit(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS])
{
	if (ring->users == GLK_RING_MAX || full(ring))
		reap(ring);
	if (ring->users == GLK_RING_MAX || full(ring))
		return 0;
	put(ring, entry, false, false);
	ring->users++;
	return 1;
}

/* The index of the caller's `nth` entry without a completion, counted from 1; of the last one if there are fewer. */
static uint16_t index_of(const struct glk_card_ring *ring, unsigned nth)
{
	uint16_t index = ring->head;

	while ((uint16_t)(index + 1) != ring->tail) {
		if (!ring->internal[slot_of(index)] && --nth == 0)
			break;
		index++;
	}
	return index;
}

/* Waits until `more` completions are available. */
static int await(struct glk_card_ring *ring, unsigned more, uint64_t deadline)
{
	static const uint64_t nop[GLK_SQE_WORDS] = { GLK_OP_NOP };
	uint16_t index;

	for (unsigned i = 0; i < POLLS; i++) {
		reap(ring);
		if (ring->done_count >= more)
			return 0;
	}
	index = index_of(ring, more - ring->done_count);
	if ((int16_t)(ring->woken - index) <= 0 && !full(ring))
		put(ring, nop, true, true);
	return sleep_for(ring, index, deadline, NULL);
}

int glk_card_ring_wait(struct glk_card_ring *ring, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room, unsigned least,
		       uint64_t timeout_ns)
{
	uint64_t deadline = deadline_of(timeout_ns);
	unsigned taken = 0;
	int error = 0;

	if (least > ring->users)
		least = ring->users;
	reap(ring);
	while (!error && ring->done_count < least)
		error = await(ring, least, deadline);
	reap(ring);
	/* A polling caller must notice removal and reset, too. */
	if (!ring->done_count && ring->users && !least && ++ring->looks % CHECK_EVERY == 0)
		error = sleep_for(ring, ring->head, 0, NULL);
	for (; taken < room && ring->done_count; taken++) {
		memcpy(completions[taken], ring->done[ring->done_head], sizeof(*completions));
		ring->done_head = (ring->done_head + 1) % GLK_RING_MAX;
		ring->done_count--;
	}
	ring->users -= taken;
	if (error == -ETIMEDOUT && !least)
		error = 0;
	return taken || !error ? (int)taken : error;
}

int glk_card_ring_release(struct glk_card_ring *ring, uint64_t timeout_ns, uint32_t *errors)
{
	static const uint64_t release[GLK_SQE_WORDS] = { GLK_OP_RELEASE };
	int error;

	reap(ring);
	if (full(ring))
		return -EBUSY;
	ring->releasing = true;
	ring->released = false;
	ring->release = ring->tail;
	put(ring, release, true, true);
	error = sleep_for(ring, ring->release, deadline_of(timeout_ns), errors);
	if (!error)
		reap(ring);
	if (!error && !ring->released) /* the card was reset or removed meanwhile: get the error from the kernel */
		error = sleep_for(ring, ring->release, 0, errors);
	ring->releasing = false;
	if (error)
		return error == -EIO ? -EPROTO : error; /* the ring stopped: not an endpoint error */
	return !ring->released ? -EPROTO : ring->release_status == GLK_ST_OK ? 0 :
	       ring->release_status == GLK_ST_ENDPOINT ? -EIO : -EPROTO;
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

static void *map(int fd, uint64_t bytes, int protection, uint64_t offset)
{
	void *memory = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);

	return memory == MAP_FAILED ? NULL : memory;
}

int glk_card_ring_open(int fd, uint64_t doorbell_offset, struct glk_card_ring **out)
{
	struct glk_card_ring *ring = calloc(1, sizeof(*ring));
	int error = 0;

	*out = NULL;
	if (!ring)
		return -ENOMEM;
	ring->fd = fd;
	ring->map = (struct gpulink_ioctl_ring_map){ .size = sizeof(ring->map), .sq_order = ORDER, .cq_order = ORDER };
	if (ioctl(fd, GPULINK_IOCTL_RING_MAP, &ring->map)) {
		error = errno == ENOTTY ? 0 : -errno;
		free(ring);
		return error;
	}
	ring->sq = map(fd, ring->map.sq_bytes, PROT_READ | PROT_WRITE, ring->map.sq_offset);
	ring->cq = map(fd, ring->map.cq_bytes, PROT_READ, ring->map.cq_offset);
	ring->doorbell = map(fd, GLK_PAGE_SIZE, PROT_READ | PROT_WRITE, doorbell_offset);
	if (!ring->sq || !ring->cq || !ring->doorbell) {
		error = -errno;
		glk_card_ring_close(ring);
		return error;
	}
	*out = ring;
	return 0;
}
