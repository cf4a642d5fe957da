// SPDX-License-Identifier: Apache-2.0
/* Pool objects of a card with a fake driver: ioctl(), rings and the doorbell page are replaced. tests/vm tests the real ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "card/card_context.h"

enum { BYTES = 8192, GRAIN = 256, HERE = 5, THERE = 9, REGISTRATION = 3 };

static struct {
	int error;		 /* of the next ioctl `failing` */
	unsigned long failing;
	unsigned attached, detached, submitted;
	uint64_t entry[GLK_SQE_WORDS];
	uint64_t *buffer;	 /* as registered */
	unsigned status;	 /* of the next completion */
	bool silent;		 /* no completion arrives */
	int sleep_error;
	_Alignas(4096) uint64_t page[512];
} driver;

int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_glk_card_ring_submit(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS]);
int __wrap_glk_card_ring_take(struct glk_card_ring *ring, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room);
int __wrap_glk_card_ring_sleep(const struct glk_card_ring *ring, uint64_t entry, uint64_t timeout_ns, uint32_t *errors);
void *__wrap_glk_card_ring_doorbell(const struct glk_card_ring *ring);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (driver.error && driver.failing == request) {
		errno = driver.error;
		return -1;
	}
	if (request == GPULINK_IOCTL_REGISTER) {
		struct gpulink_ioctl_register *r = argument;

		driver.buffer = (uint64_t *)(uintptr_t)r->address;
		r->handle = REGISTRATION;
	} else if (request == GPULINK_IOCTL_POOL_QUERY) {
		struct gpulink_ioctl_pool_query *q = argument;

		q->bytes = BYTES;
		q->grain = GRAIN;
		q->rights = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE;
	} else if (request == GPULINK_IOCTL_POOL_ATTACH) {
		struct gpulink_ioctl_pool_attach *a = argument;

		a->handle = driver.attached++ ? THERE : HERE;
		a->bytes = BYTES;
		a->grain = GRAIN;
	} else if (request == GPULINK_IOCTL_WINDOW_UNMAP) {
		driver.detached++;
	}
	(void)fd;
	return 0;
}

int __wrap_glk_card_ring_submit(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS])
{
	(void)ring;
	memcpy(driver.entry, entry, sizeof(driver.entry));
	driver.submitted++;
	return 1;
}

int __wrap_glk_card_ring_take(struct glk_card_ring *ring, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room)
{
	(void)ring;
	assert_int_equal(room, 1);
	if (driver.silent)
		return 0;
	completions[0][GLK_CQE_TAG_Q] = 0;
	completions[0][GLK_CQE_STATUS_Q] = (uint64_t)driver.status << GLK_CQE_STATUS_SHIFT;
	return 1;
}

int __wrap_glk_card_ring_sleep(const struct glk_card_ring *ring, uint64_t entry, uint64_t timeout_ns, uint32_t *errors)
{
	(void)ring, (void)timeout_ns, (void)errors;
	assert_int_equal(entry, driver.submitted - 1);
	return driver.sleep_error ? driver.sleep_error : -ETIMEDOUT;
}

void *__wrap_glk_card_ring_doorbell(const struct glk_card_ring *ring)
{
	(void)ring;
	return driver.page;
}

static struct card card, queue;
static struct glk_backend_pool pool;
static int memory;

static int open_pool(void **state)
{
	(void)state;
	memset(&driver, 0, sizeof(driver));
	memory = memfd_create("pool", 0);
	card = (struct card){ .fd = memory };
	queue = (struct card){ .fd = memory };
	return ftruncate(memory, BYTES) || glk_card_pools_open(&queue, &card.pools) ||
	       glk_card_object_open(&card, memory, &pool);
}

static int close_pool(void **state)
{
	(void)state;
	glk_card_object_close(&card, &pool);
	assert_int_equal(driver.detached, driver.attached);
	assert_ptr_equal(glk_card_pools_close(card.pools, false), &queue);
	return close(memory);
}

static void objects_are_opened_twice(void **state)
{
	(void)state;
	assert_int_equal(driver.attached, 2); /* for stores, and for operations */
	assert_int_equal(pool.window.handle, HERE);
	assert_true(pool.bytes == BYTES && pool.grain == GRAIN && pool.rights == (GPULINK_READ | GPULINK_WRITE));
	assert_non_null(pool.address);
	assert_non_null(pool.window.address);
	assert_ptr_not_equal(pool.address, pool.window.address);
}

static void entries(void **state)
{
	struct glk_pool_renewal renewals[2] = { { 256, 11 }, { 512, 12 } };
	struct glk_pool_lease lease;
	uint8_t line[GRAIN] = { 0 };
	uint64_t old = 0;

	(void)state;
	memcpy(driver.buffer, (uint64_t[]){ 70, 80, 0, 0, 0x1234 }, 40);
	assert_int_equal(glk_card_object_read(&card, &pool, 512, 33, 44, &lease, line), 0);
	assert_true(lease.wts == 70 && lease.rts == 80 && !lease.same && line[0] == 0x34 && line[1] == 0x12);
	assert_true(driver.entry[0] == (GLK_OP_POOL_READ | (uint64_t)THERE << 16 | (uint64_t)GRAIN << 32) &&
		    driver.entry[2] == 512 && driver.entry[3] == REGISTRATION && driver.entry[4] == 33 &&
		    driver.entry[5] == 44);
	driver.buffer[3] = 1;
	line[0] = 99;
	assert_int_equal(glk_card_object_read(&card, &pool, 512, 33, 44, &lease, line), 0);
	assert_true(lease.same && line[0] == 99);
	assert_int_equal(glk_card_object_renew(&card, &pool, 5, renewals, 2), 0);
	assert_true(driver.entry[0] == (GLK_OP_POOL_RENEW | (uint64_t)THERE << 16 | UINT64_C(2) << 32) &&
		    driver.entry[2] == 0 && driver.entry[4] == 5 && driver.buffer[0] == 256 && driver.buffer[1] == 11 &&
		    driver.buffer[3] == 12 && renewals[1].line == 512);
	assert_int_equal(glk_card_object_write(&card, &pool, 300, 6, "abc", 3, &lease), 0);
	assert_true(driver.entry[0] == (GLK_OP_POOL_WRITE | (uint64_t)THERE << 16 | UINT64_C(3) << 32) &&
		    driver.entry[2] == 300 && driver.entry[4] == 6 && !memcmp(driver.buffer + 4, "abc", 3));
	driver.buffer[2] = 777;
	assert_int_equal(glk_card_object_atomic(&card, &pool, GLK_OP_CAS, 8, 8, 7, 1, 2, &old, &lease), 0);
	assert_true(driver.entry[0] == (GLK_OP_CAS | GLK_FLAG_TIMED << 8 | (uint64_t)THERE << 16 | UINT64_C(8) << 32) &&
		    driver.entry[4] == 1 && driver.entry[5] == 2 && driver.entry[6] == 7 && old == 777);
}

static void errors(void **state)
{
	static const struct {
		unsigned status;
		int error;
	} cases[] = {
		{ GLK_ST_TIME, -GPULINK_ERANGE }, { GLK_ST_NOT_POOL, -GPULINK_ENOTSUP }, { GLK_ST_PERMISSION, -GPULINK_EACCES },
		{ GLK_ST_DMA, -GPULINK_EIO },	  { GLK_ST_LENGTH, -GPULINK_EINVAL },
	};
	struct glk_pool_lease lease;
	uint8_t line[GRAIN];
	int fd;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		driver.status = cases[i].status;
		assert_int_equal(glk_card_object_read(&card, &pool, 0, 0, 0, &lease, line), cases[i].error);
	}
	driver.failing = GPULINK_IOCTL_POOL_CREATE;
	driver.error = ENOTTY;
	assert_int_equal(glk_card_object_create(&card, 4096, 64, &fd), -GPULINK_ENOTSUP);
	driver.error = EDQUOT;
	assert_int_equal(glk_card_object_create(&card, 4096, 64, &fd), -GPULINK_ENOSPC);
	driver.failing = GPULINK_IOCTL_POOL_SHARE;
	driver.error = EXDEV;
	assert_int_equal(glk_card_object_share(&card, &pool, GPULINK_READ, &fd), -GPULINK_ENODEV);
	driver.error = 0;
}

/* The buffer is the card's until the operation has completed. */
static void a_late_operation(void **state)
{
	struct glk_pool_lease lease;
	uint8_t line[GRAIN];

	(void)state;
	driver.silent = true;
	driver.sleep_error = -ESTALE;
	assert_int_equal(glk_card_object_read(&card, &pool, 0, 0, 0, &lease, line), -GPULINK_ERESET);
	assert_int_equal(driver.submitted, 1);
	assert_int_equal(glk_card_object_read(&card, &pool, 0, 0, 0, &lease, line), -GPULINK_ERESET);
	assert_int_equal(driver.submitted, 1);
	driver.sleep_error = -EIO;
	assert_int_equal(glk_card_object_write(&card, &pool, 0, 0, "x", 1, &lease), -GPULINK_EPROTO);
	driver.silent = false;
	assert_int_equal(glk_card_object_read(&card, &pool, 0, 0, 0, &lease, line), 0);
	assert_int_equal(driver.submitted, 2);
}

static void the_clock(void **state)
{
	uint64_t clock, value = 0;

	(void)state;
	driver.page[GLK_DOORBELL_CLOCK / 8] = 123;
	assert_int_equal(glk_card_object_clock(&card, &pool, &clock), 0);
	assert_int_equal(clock, 123);
	assert_int_equal(glk_card_object_store(&card, &pool, 16, "12345678", 8), 0);
	assert_int_equal(glk_card_object_load(&card, &pool, 16, &value, 8), 0);
	assert_memory_equal(&value, "12345678", 8);
	driver.page[GLK_DOORBELL_CLOCK / 8] = 0; /* of a card that was not written to yet, or of a dummy page */
	assert_int_equal(glk_card_object_clock(&card, &pool, &clock), 0);
	driver.failing = GPULINK_IOCTL_QUERY;
	driver.error = ESTALE;
	assert_int_equal(glk_card_object_clock(&card, &pool, &clock), -GPULINK_ERESET);
	assert_int_equal(glk_card_object_load(&card, &pool, 16, &value, 8), -GPULINK_ERESET);
	driver.page[GLK_DOORBELL_CLOCK / 8] = UINT64_MAX;
	driver.error = ENODEV;
	assert_int_equal(glk_card_object_clock(&card, &pool, &clock), -GPULINK_ENODEV);
	driver.error = 0;
	assert_int_equal(glk_card_object_clock(&card, &pool, &clock), -GPULINK_EIO);
}

/* Whatever fails, nothing stays attached. */
static void failures_of_opening(void **state)
{
	struct glk_backend_pool second;
	unsigned before = driver.attached - driver.detached;
	int closed = memfd_create("", 0);

	(void)state;
	close(closed);
	assert_int_equal(glk_card_object_open(&card, closed, &second), -GPULINK_EINVAL);
	driver.failing = GPULINK_IOCTL_POOL_QUERY;
	driver.error = EINVAL;
	assert_int_equal(glk_card_object_open(&card, memory, &second), -GPULINK_EINVAL);
	driver.failing = GPULINK_IOCTL_POOL_ATTACH;
	driver.error = EXDEV;
	assert_int_equal(glk_card_object_open(&card, memory, &second), -GPULINK_ENODEV);
	driver.error = 0;
	queue.fd = card.fd = open("/dev/null", O_RDONLY); /* cannot be mapped */
	assert_int_not_equal(glk_card_object_open(&card, memory, &second), 0);
	close(card.fd);
	queue.fd = card.fd = memory;
	assert_int_equal(driver.attached - driver.detached, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_pool, close_pool)
		TEST(objects_are_opened_twice), TEST(entries), TEST(errors), TEST(a_late_operation), TEST(the_clock),
		TEST(failures_of_opening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
