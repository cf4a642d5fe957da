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

#include "../../kmod/uapi/gpulink.h"
#include "../card/card_ring.h"

enum { ENTRIES = 512, SQ = 1 << 20, CQ = 2 << 20, BELL = 3 << 20 };

static struct {
	uint64_t sq[ENTRIES][GLK_SQE_WORDS], cq[ENTRIES][GLK_CQE_WORDS], bell[GLK_PAGE_SIZE / 8];
	uint16_t head; /* entries taken */
	unsigned allowed, nops, waits;
	int map_error, wait_error;
	bool resets; /* after processing */
	uint32_t errors;
	unsigned release_status;
} card;
static struct glk_card_ring *ring;

static void work(void)
{
	for (; card.allowed && card.head != (uint16_t)card.bell[GLK_DOORBELL_SQ_TAIL / 8]; card.head++, card.allowed--) {
		const uint64_t *sqe = card.sq[card.head % ENTRIES];
		uint64_t *cqe = card.cq[card.head % ENTRIES], status = 0;

		assert_true((uint16_t)(card.head - card.bell[GLK_DOORBELL_CQ_HEAD / 8]) < ENTRIES);
		card.nops += (sqe[0] & 0xff) == GLK_OP_NOP;
		if ((sqe[0] & 0xff) == GLK_OP_RELEASE)
			status = card.release_status;
		cqe[0] = sqe[GLK_SQE_TAG_Q];
		cqe[1] = status << GLK_CQE_STATUS_SHIFT | (card.head & ENTRIES ? 0 : GLK_CQE_PHASE_MASK);
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

static int submit(uint64_t tag)
{
	const uint64_t e[GLK_SQE_WORDS] = { GLK_OP_PUT_INLINE, tag };

	return glk_card_ring_submit(ring, e);
}

static void older_kernel(void **state)
{
	struct glk_card_ring *other;

	(void)state;
	card.map_error = ENOTTY;
	assert_int_equal(glk_card_ring_open(77, BELL, &other), 0);
	assert_null(other);
	card.map_error = ENOMEM;
	assert_int_equal(glk_card_ring_open(77, BELL, &other), -ENOMEM);
}

/* Several laps of a full ring, in order. */
static void laps(void **state)
{
	uint64_t done[256][GLK_CQE_WORDS], tag = 0;

	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < 256; i++)
			assert_int_equal(submit(round * 256 + i), 1);
		assert_int_equal(submit(1), 0);
		work();
		assert_int_equal(submit(1), 0); /* their completions have not been returned */
		for (unsigned i = 0; i < 256; i += 128) {
			assert_int_equal(glk_card_ring_wait(ring, done, 128, 128, 0), 128);
			for (unsigned k = 0; k < 128; k++)
				assert_int_equal(done[k][0], tag++);
		}
	}
	assert_int_equal(card.waits, 0);
	assert_int_equal(card.nops, 0);
}

static void sleeping(void **state)
{
	uint64_t done[64][GLK_CQE_WORDS];

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		submit(i);
	assert_int_equal(glk_card_ring_wait(ring, done, 64, 5, 1000000000), 5); /* none of them requested an interrupt */
	assert_true(card.nops == 1 && card.waits == 1);
	for (unsigned i = 0; i < 40; i++)
		submit(i);
	card.allowed = 30;
	assert_int_equal(glk_card_ring_wait(ring, done, 64, 20, 1000000000), 30); /* an entry after the 20th requests one */
	assert_true(card.nops == 1 && card.waits == 2);
	assert_int_equal(glk_card_ring_wait(ring, done, 64, 64, 2000000), -ETIMEDOUT); /* limited to those in flight */
	card.allowed = UINT32_MAX;
	assert_int_equal(glk_card_ring_wait(ring, done, 4, 64, 1000000000), 4);
	assert_int_equal(glk_card_ring_wait(ring, done, 64, 64, 1000000000), 6);
	assert_int_equal(glk_card_ring_wait(ring, done, 64, 64, 1000000000), 0);
}

static void releases(void **state)
{
	uint64_t done[64][GLK_CQE_WORDS];
	uint32_t errors = 9;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		submit(i);
		assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), 0);
		assert_int_equal(glk_card_ring_wait(ring, done, 64, 1, 0), 1); /* the release's completion is internal */
		assert_int_equal(done[0][0], i);
	}
	assert_int_equal(errors, 0);
	card.errors = 3;
	card.release_status = GLK_ST_ENDPOINT;
	assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), -EIO);
	assert_int_equal(errors, 3);
	card.release_status = GLK_ST_OPCODE;
	assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), -EPROTO);
	card.release_status = GLK_ST_ENDPOINT;
	card.allowed = 0;
	assert_int_equal(glk_card_ring_release(ring, 1000000, &errors), -ETIMEDOUT);
	card.allowed = 1; /* not to be confused with the release that timed out */
	work();
	card.release_status = GLK_ST_OK;
	card.allowed = UINT32_MAX;
	assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), 0);
}

/* After a reset the ring holds invalid completions. Sleeping and polling callers get the error. */
static void reset_of_the_card(void **state)
{
	uint64_t done[64][GLK_CQE_WORDS];
	uint32_t errors;
	int got = 0;

	(void)state;
	submit(1);
	card.cq[0][1] = (uint64_t)GLK_ST_RESET << GLK_CQE_STATUS_SHIFT | GLK_CQE_PHASE_MASK;
	card.wait_error = ESTALE;
	card.allowed = 0;
	assert_int_equal(glk_card_ring_wait(ring, done, 64, 1, 1000000000), -ESTALE);
	for (unsigned i = 0; i < 64 && !got; i++)
		got = glk_card_ring_wait(ring, done, 64, 0, 0);
	assert_int_equal(got, -ESTALE);
	assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), -ESTALE);
	card.wait_error = EIO; /* the ring stopped: not an endpoint error */
	assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), -EPROTO);
}

/* A reset between the kernel's report of a completed release and reading the ring. */
static void reset_during_release(void **state)
{
	uint64_t done[4][GLK_CQE_WORDS];
	uint32_t errors;

	(void)state;
	card.resets = true;
	assert_int_equal(glk_card_ring_release(ring, 1000000000, &errors), -ESTALE);
	card.wait_error = 0;
	submit(1);
	assert_int_equal(glk_card_ring_wait(ring, done, 4, 1, 1000000000), -ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(older_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(laps, setup, teardown),
		cmocka_unit_test_setup_teardown(sleeping, setup, teardown),
		cmocka_unit_test_setup_teardown(releases, setup, teardown),
		cmocka_unit_test_setup_teardown(reset_of_the_card, setup, teardown),
		cmocka_unit_test_setup_teardown(reset_during_release, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
