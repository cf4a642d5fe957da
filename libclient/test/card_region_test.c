// SPDX-License-Identifier: Apache-2.0
/* Regions of a card with a fake driver: ioctl() and the doorbell page are replaced. tests/vm tests the real one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "card/card_context.h"

static struct {
	int error;
	struct gpulink_ioctl_region_create create;
	struct gpulink_ioctl_region_target targets[GPULINK_REGION_TARGETS_MAX];
	struct gpulink_ioctl_region_wait wait, answer;
	uint64_t record_offset;
	unsigned destroyed, waits;
	_Alignas(4096) uint64_t page[512], record[512];
} driver;

int __wrap_ioctl(int fd, unsigned long request, void *argument);
void *__wrap_glk_card_ring_doorbell(const struct glk_card_ring *ring);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	(void)fd;
	errno = driver.error;
	if (request == GPULINK_IOCTL_REGION_DESTROY) {
		driver.destroyed = ((struct gpulink_ioctl_handle *)argument)->handle;
	} else if (request == GPULINK_IOCTL_REGION_CREATE) {
		struct gpulink_ioctl_region_create *c = argument;

		driver.create = *c;
		memcpy(driver.targets, (const void *)(uintptr_t)c->targets, c->target_count * sizeof(driver.targets[0]));
		c->handle = 7;
		c->record_offset = driver.record_offset;
	} else if (request == GPULINK_IOCTL_REGION_WAIT) {
		struct gpulink_ioctl_region_wait *w = argument;

		driver.wait = *w;
		driver.waits++;
		w->sent = driver.answer.sent;
		w->visible = driver.answer.visible;
		w->status = driver.answer.status;
		w->failed_targets = driver.answer.failed_targets;
		w->rejected = driver.answer.rejected;
	}
	return errno ? -1 : 0;
}

void *__wrap_glk_card_ring_doorbell(const struct glk_card_ring *ring)
{
	(void)ring;
	return driver.page;
}

static struct card card;
static struct glk_backend_region region;
static const uint16_t arrivals[3] = { 1, 2, 3 };
static const struct glk_region_shape shape = {
	.memory = 5, .offset = 64, .bytes = 9000, .chunk_order = 12, .chunks = 3, .target_count = 2, .arrivals = arrivals,
	.targets = { { .window = 11, .offset = 128 }, { .window = 12, .offset = 256, .flags_offset = 512, .signal = true } },
};

static int setup(void **state)
{
	(void)state;
	memset(&driver, 0, sizeof(driver));
	memset(&card, 0, sizeof(card));
	card.record = driver.record;
	card.query.record_offset = 0x10000;
	driver.record_offset = 0x10000 + 2048 + 7 * 32;
	return glk_card_region_open(&card, &shape, &region);
}

static void opens(void **state)
{
	struct glk_region_shape flushing = shape;

	(void)state;
	assert_int_equal(region.handle, 7);
	assert_ptr_equal(region.record, driver.record + (2048 + 7 * 32) / 8);
	assert_int_equal(driver.create.flags, GPULINK_REGION_INTERRUPT);
	assert_true(driver.create.registration == 5 && driver.create.offset == 64 && driver.create.bytes == 9000);
	assert_true(driver.create.chunk_order == 12 && driver.create.target_count == 2 && driver.create.initial == 0);
	assert_ptr_equal((const void *)(uintptr_t)driver.create.arrivals, arrivals);
	assert_true(driver.targets[0].window == 11 && driver.targets[0].offset == 128 && !driver.targets[0].flags);
	assert_true(driver.targets[1].flags == GPULINK_REGION_TARGET_SIGNAL && driver.targets[1].flags_offset == 512);
	flushing.flush_on_release = true;
	assert_int_equal(glk_card_region_open(&card, &flushing, &region), 0);
	assert_int_equal(driver.create.flags, GPULINK_REGION_INTERRUPT | GPULINK_REGION_FLUSH_ON_RELEASE);
	glk_card_region_close(&card, &region);
	assert_int_equal(driver.destroyed, 7);
}

static void open_fails(void **state)
{
	static const int cases[][2] = {
		{ ENOTTY, GPULINK_ENOTSUP }, { EOPNOTSUPP, GPULINK_ENOTSUP }, { ENOSPC, GPULINK_ENOSPC },
		{ EDQUOT, GPULINK_ENOSPC },  { ENOENT, GPULINK_EINVAL },      { EINVAL, GPULINK_EINVAL },
		{ EACCES, GPULINK_EACCES },  { ESTALE, GPULINK_ERESET },      { ENXIO, GPULINK_ENOENDPOINT },
	};
	static const uint64_t places[] = { 0x10000 - 32, 0x11000 - 31, 0x10004 };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		driver.error = cases[i][0];
		assert_int_equal(glk_card_region_open(&card, &shape, &region), -cases[i][1]);
	}
	driver.error = 0;
	for (unsigned i = 0; i < 3; i++) {
		driver.destroyed = 0;
		driver.record_offset = places[i];
		assert_int_equal(glk_card_region_open(&card, &shape, &region), -GPULINK_EPROTO);
		assert_int_equal(driver.destroyed, 7);
	}
}

static void writes(void **state)
{
	(void)state;
	glk_card_region_write(&card, GLK_DOORBELL_ARRIVE, UINT64_C(0x0102030405060708));
	glk_card_region_write(&card, GLK_DOORBELL_START, 9);
	assert_int_equal(driver.page[GLK_DOORBELL_ARRIVE / 8], UINT64_C(0x0102030405060708));
	assert_int_equal(driver.page[GLK_DOORBELL_START / 8], 9);
}

static int wait_for(unsigned level, uint64_t epoch, struct glk_region_state *state)
{
	return glk_card_region_wait(&card, &region, level, epoch, 1000, state);
}

static void waits(void **state)
{
	uint64_t *record = (uint64_t *)(uintptr_t)region.record;
	struct glk_region_state s;

	(void)state;
	driver.error = ETIMEDOUT;
	assert_int_equal(wait_for(GPULINK_LEVEL_SENT, 1, &s), -GPULINK_ETIMEDOUT);
	assert_true(driver.wait.handle == 7 && driver.wait.epoch == 1 && driver.wait.timeout_ns == 1000);
	record[0] = 1;
	assert_int_equal(wait_for(GPULINK_LEVEL_SENT, 1, &s), 0); /* by the record */
	assert_int_equal(driver.waits, 1);
	assert_int_equal(wait_for(GPULINK_LEVEL_VISIBLE, 1, &s), -GPULINK_ETIMEDOUT);
	assert_int_equal(driver.wait.level, GPULINK_REGION_VISIBLE);
	record[1] = 1;
	assert_int_equal(wait_for(GPULINK_LEVEL_VISIBLE, 1, &s), 0);
	assert_int_equal(wait_for(GPULINK_LEVEL_SENT, 2, &s), -GPULINK_ETIMEDOUT);
	assert_int_equal(driver.waits, 3);
	/* An error in the record: the kernel decides whether it is this epoch's. */
	record[2] = (uint64_t)GLK_ST_DMA << GLK_REGION_RECORD_CODE_SHIFT;
	driver.error = EIO;
	driver.answer.status = GLK_ST_DMA;
	driver.answer.failed_targets = 2;
	driver.answer.rejected = 3;
	assert_int_equal(wait_for(GPULINK_LEVEL_VISIBLE, 1, &s), 0);
	assert_true(s.status == GLK_ST_DMA && s.failed_targets == 2 && s.rejected == 3);
	driver.answer.status = 0;
	assert_int_equal(wait_for(GPULINK_LEVEL_VISIBLE, 1, &s), -GPULINK_EIO);
	driver.error = EINTR; /* does not end a wait */
	assert_int_equal(wait_for(GPULINK_LEVEL_VISIBLE, 3, &s), -GPULINK_ETIMEDOUT);
	driver.error = ESTALE;
	assert_int_equal(wait_for(GPULINK_LEVEL_VISIBLE, 3, &s), -GPULINK_ERESET);
	driver.error = 0;
	assert_int_equal(wait_for(GPULINK_LEVEL_SENT, 0, &s), 0); /* only the state */
	assert_int_equal(driver.waits, 8);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(opens), TEST(open_fails), TEST(writes), TEST(waits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
