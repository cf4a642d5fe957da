// SPDX-License-Identifier: Apache-2.0
/*
 * Mapped rings over a fake card. It processes up to `allowed` entries when RING_WAIT is called, or on request. RING_WAIT checks
 * that a sleeping thread would be woken.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <gpulink_regs.h>

#include <linux/gpulink.h>
#include "../card/card_ring.h"

enum { ENTRIES = 512, SQ = 1 << 20, CQ = 2 << 20, BELL = 3 << 20 };

static struct {
	uint64_t sq[ENTRIES][GLK_SQE_WORDS], cq[ENTRIES][GLK_CQE_WORDS], bell[GLK_PAGE_SIZE / 8];
	uint16_t head; /* entries taken */
	unsigned allowed, waits;
	int map_error, wait_error;
	bool resets; /* after processing */
	uint32_t errors;
} card;
static struct glk_card_ring *ring;

static void work(void)
{
	for (; card.allowed && card.head != (uint16_t)card.bell[GLK_DOORBELL_SQ_TAIL / 8]; card.head++, card.allowed--) {
		const uint64_t *sqe = card.sq[card.head % ENTRIES];
		uint64_t *cqe = card.cq[card.head % ENTRIES];

		assert_true((uint16_t)(card.head - card.bell[GLK_DOORBELL_CQ_HEAD / 8]) < ENTRIES);
		cqe[0] = sqe[GLK_SQE_TAG_Q];
		cqe[1] = card.head & ENTRIES ? 0 : GLK_CQE_PHASE_MASK;
	}
}

static int on_wait(struct gpulink_ioctl_ring_wait *w)
{
	uint16_t tail = (uint16_t)card.bell[GLK_DOORBELL_SQ_TAIL / 8];
	bool woken = false;

	card.waits++;
	for (uint16_t i = (uint16_t)w->index; i != tail && !woken; i++)
		woken = card.sq[i % ENTRIES][0] >> GLK_SQE_FLAGS_SHIFT & GLK_FLAG_INTERRUPT;
	assert_true(woken || w->timeout_ns == 0);
	work();
	if (card.resets && !card.wait_error) { /* the completion is invalid when read */
		for (unsigned i = 0; i < ENTRIES; i++)
			card.cq[i][1] = (uint64_t)GLK_ST_RESET << GLK_CQE_STATUS_SHIFT;
		card.wait_error = ESTALE;
		return 0;
	}
	w->errors = card.errors;
	errno = card.wait_error ? card.wait_error : (int16_t)(card.head - w->index) <= 0 ? ETIMEDOUT : 0;
	return errno ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long request, void *argument);
/* What mmap() is called with offsets of 64 bits, which the build asks for everywhere. */
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t bytes);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	struct gpulink_ioctl_ring_map *m = argument;

	assert_int_equal(fd, 77);
	if (request == GPULINK_IOCTL_RING_WAIT)
		return on_wait(argument);
	assert_int_equal(request, GPULINK_IOCTL_RING_MAP);
	assert_true(m->sq_order == 9 && m->cq_order == 9);
	m->sq_offset = SQ;
	m->cq_offset = CQ;
	m->sq_bytes = sizeof(card.sq);
	m->cq_bytes = sizeof(card.cq);
	errno = card.map_error;
	return errno ? -1 : 0;
}

void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	(void)at, (void)bytes;
	assert_true(fd == 77 && flags == MAP_SHARED && (offset != CQ || protection == PROT_READ));
	return offset == SQ ? (void *)card.sq : offset == CQ ? (void *)card.cq : (void *)card.bell;
}

int __wrap_munmap(void *at, size_t bytes)
{
	(void)at, (void)bytes;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(&card, 0, sizeof(card));
	card.allowed = UINT32_MAX;
	return glk_card_ring_open(77, BELL, &ring);
}

static int teardown(void **state)
{
	(void)state;
	glk_card_ring_close(ring);
	return 0;
}

static int submit(uint64_t tag, uint64_t flags)
{
	const uint64_t e[GLK_SQE_WORDS] = { GLK_OP_PUT_INLINE | flags << GLK_SQE_FLAGS_SHIFT, tag };

	return glk_card_ring_submit(ring, e);
}

static void older_kernel(void **state)
{
	struct glk_card_ring *other;

	(void)state;
	card.map_error = ENOTTY;
	assert_int_equal(glk_card_ring_open(77, BELL, &other), -ENOTTY);
	card.map_error = ENOMEM;
	assert_int_equal(glk_card_ring_open(77, BELL, &other), -ENOMEM);
}

/* Several laps of a full ring, in order. */
static void laps(void **state)
{
	uint64_t done[ENTRIES][GLK_CQE_WORDS], tag = 0;

	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < ENTRIES; i++)
			assert_int_equal(submit(round * ENTRIES + i, 0), 1);
		assert_int_equal(submit(1, 0), 0);
		assert_int_equal(glk_card_ring_take(ring, done, 10), 0);
		work();
		assert_int_equal(submit(1, 0), 0); /* their completions have not been taken */
		for (unsigned i = 0; i < ENTRIES; i += 128) {
			assert_int_equal(glk_card_ring_take(ring, done, 128), 128);
			for (unsigned k = 0; k < 128; k++)
				assert_int_equal(done[k][0], tag++);
		}
		assert_int_equal(glk_card_ring_take(ring, done, 1), 0);
	}
	assert_int_equal(card.waits, 0);
}

static void sleeping(void **state)
{
	uint64_t done[8][GLK_CQE_WORDS];
	uint32_t errors = 9;

	(void)state;
	card.errors = 3;
	for (unsigned i = 0; i < 5; i++)
		submit(i, i == 4 ? GLK_FLAG_INTERRUPT : 0);
	card.allowed = 2;
	assert_int_equal(glk_card_ring_sleep(ring, 1, 1000, NULL), 0);
	assert_int_equal(glk_card_ring_sleep(ring, 2, 1000, &errors), -ETIMEDOUT);
	assert_int_equal(errors, 9);
	assert_int_equal(glk_card_ring_take(ring, done, 8), 2);
	card.allowed = UINT32_MAX;
	card.wait_error = EINTR; /* the caller looks, and sleeps again */
	assert_int_equal(glk_card_ring_sleep(ring, 4, 1000, NULL), 0);
	card.wait_error = 0;
	assert_int_equal(glk_card_ring_sleep(ring, 4, 1000, &errors), 0);
	assert_int_equal(errors, 3);
	assert_int_equal(glk_card_ring_take(ring, done, 8), 3);
	card.wait_error = ESTALE;
	assert_int_equal(glk_card_ring_sleep(ring, 4, 0, NULL), -ESTALE);
}

/* The driver's poll() compares what has arrived with CQ_HEAD. */
static void polling(void **state)
{
	uint64_t done[8][GLK_CQE_WORDS];

	(void)state;
	for (unsigned i = 0; i < 9; i++)
		submit(i, 0);
	work();
	assert_int_equal(glk_card_ring_take(ring, done, 3), 3);
	assert_int_equal(card.bell[GLK_DOORBELL_CQ_HEAD / 8], 0);
	glk_card_ring_poll(ring);
	assert_int_equal(card.bell[GLK_DOORBELL_CQ_HEAD / 8], 3);
	assert_int_equal(glk_card_ring_take(ring, done, 1), 1);
	assert_int_equal(card.bell[GLK_DOORBELL_CQ_HEAD / 8], 4);
	assert_int_equal(glk_card_ring_take(ring, done, 8), 5);
	assert_int_equal(card.bell[GLK_DOORBELL_CQ_HEAD / 8], 9);
}

/* After a reset the ring holds invalid completions. */
static void reset_of_the_card(void **state)
{
	uint64_t done[4][GLK_CQE_WORDS];

	(void)state;
	submit(1, 0);
	card.cq[0][1] = (uint64_t)GLK_ST_RESET << GLK_CQE_STATUS_SHIFT | GLK_CQE_PHASE_MASK;
	assert_int_equal(glk_card_ring_take(ring, done, 4), 0);
	card.cq[0][1] = 0;
	work();
	card.resets = true; /* between the kernel's report of a completion and the look at the ring */
	assert_int_equal(glk_card_ring_sleep(ring, 0, 0, NULL), 0);
	assert_int_equal(glk_card_ring_take(ring, done, 4), 0);
	assert_int_equal(glk_card_ring_sleep(ring, 0, 0, NULL), -ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(older_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(laps, setup, teardown),
		cmocka_unit_test_setup_teardown(sleeping, setup, teardown),
		cmocka_unit_test_setup_teardown(polling, setup, teardown),
		cmocka_unit_test_setup_teardown(reset_of_the_card, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
