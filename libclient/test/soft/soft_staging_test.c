// SPDX-License-Identifier: Apache-2.0
/* Staging for memory that the card cannot reach, with a memfd instead of a GPU's dma-buf. */
#include <endian.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "soft_bench.h"

#define BYTES  40000u /* of the memfd */
#define OFFSET 4196u  /* not page-aligned */
#define ROOM   30000u

struct bench {
	struct soft soft;
	struct gpulink_window *window; /* 64 KiB of endpoint 0 */
	struct gpulink_memory *memory;
	int fd;
	uint8_t *gpu; /* the memfd's bytes */
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	soft_open(&b->soft, "soft:endpoints=2,memory=4M");
	b->window = soft_window(&b->soft, 0, 0, 65536);
	b->fd = memfd_create("gpu", MFD_CLOEXEC);
	assert_true(b->fd >= 0 && !ftruncate(b->fd, BYTES));
	b->gpu = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	assert_true(b->gpu != MAP_FAILED);
	/* As programs would ask. */
	assert_int_equal(gpulink_memory_register_dmabuf(b->soft.device, b->fd, OFFSET, ROOM, SOFT_BOTH, &b->memory),
			 -GPULINK_EUNREACHABLE);
	assert_int_equal(gpulink_memory_register_staged(b->soft.device, b->fd, OFFSET, ROOM, SOFT_BOTH, &b->memory), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	soft_close(&b->soft);
	munmap(b->gpu, BYTES);
	close(b->fd);
	free(b);
	return 0;
}

static void puts_copy_current_data(void **state)
{
	struct bench *b = *state;

	for (unsigned round = 0; round < 3; round++) {
		soft_fill(b->gpu, BYTES, round);
		assert_int_equal(gpulink_put_memory(b->window, 77, b->memory, 5, 9000, round), 0);
		memset(b->gpu, 0xee, BYTES); /* it was copied */
		soft_done(&b->soft, round, 9000);
		soft_release(&b->soft);
		soft_fill(b->gpu, BYTES, round);
		assert_memory_equal(b->soft.memory[0] + 77, b->gpu + OFFSET + 5, 9000);
		assert_true(soft_is_zero(b->soft.memory[0], 77) && soft_is_zero(b->soft.memory[0] + 77 + 9000, 50));
	}
	assert_int_equal(gpulink_put_memory(b->window, 0, b->memory, ROOM - 1, 1, 9), 0); /* the last one */
	soft_done(&b->soft, 9, 1);
	soft_release(&b->soft);
	assert_int_equal(b->soft.memory[0][0], b->gpu[OFFSET + ROOM - 1]);
	assert_int_equal(gpulink_put_memory(b->window, 0, b->memory, ROOM - 1, 2, 9), -GPULINK_ERANGE);
}

static void gets_copy_results(void **state)
{
	struct bench *b = *state;
	uint8_t before[BYTES];

	soft_fill(b->soft.memory[0], 65536, 1);
	soft_fill(b->gpu, BYTES, 2);
	memcpy(before, b->gpu, BYTES);
	assert_int_equal(gpulink_get(b->window, 100, b->memory, 3, 5001, 6), 0);
	assert_memory_equal(b->gpu, before, BYTES);
	soft_done(&b->soft, 6, 5001);
	assert_memory_equal(b->gpu + OFFSET + 3, b->soft.memory[0] + 100, 5001);
	memcpy(before + OFFSET + 3, b->soft.memory[0] + 100, 5001);
	assert_memory_equal(b->gpu, before, BYTES); /* neighbours unchanged */
}

static void atomics_copy_old_values(void **state)
{
	struct bench *b = *state;
	uint64_t value = htole64(41), old;

	memcpy(b->soft.memory[0] + 64, &value, sizeof(value));
	memset(b->gpu, 0xaa, BYTES);
	assert_int_equal(gpulink_fetch_add(b->window, 64, 8, 1, b->memory, 12, 1), 0);
	soft_done(&b->soft, 1, 8);
	memcpy(&old, b->gpu + OFFSET + 12, sizeof(old));
	assert_int_equal(old, htole64(41));
	assert_int_equal(b->gpu[OFFSET + 11], 0xaa);
	assert_int_equal(b->gpu[OFFSET + 20], 0xaa);
	assert_int_equal(gpulink_swap(b->window, 64, 8, 7, NULL, 0, 2), 0); /* discarded */
	soft_done(&b->soft, 2, 8);
	memcpy(&value, b->soft.memory[0] + 64, sizeof(value));
	assert_int_equal(value, htole64(7));
}

/* More than the ring holds, so that completions are taken while others wait for space. */
static void many_at_once(void **state)
{
	enum { MANY = 700, PIECE = 40 };
	struct bench *b = *state;
	struct gpulink_completion done[MANY];

	soft_fill(b->soft.memory[0], 65536, 3);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(gpulink_get(b->window, (MANY - 1 - i) * PIECE, b->memory, i * PIECE, PIECE, i), 0);
	assert_int_equal(gpulink_wait(b->soft.device, done, MANY, MANY, SOFT_SECOND), MANY);
	for (unsigned i = 0; i < MANY; i++) {
		assert_true(done[i].tag == i && !done[i].error);
		assert_memory_equal(b->gpu + OFFSET + i * PIECE, b->soft.memory[0] + (MANY - 1 - i) * PIECE, PIECE);
	}
}

static void descriptor_may_be_closed(void **state)
{
	struct bench *b = *state;
	int fd = memfd_create("other", 0);
	struct gpulink_memory *memory;

	assert_true(fd >= 0 && pwrite(fd, "hello", 5, 0) == 5);
	assert_int_equal(gpulink_memory_register_staged(b->soft.device, fd, 0, 5, SOFT_BOTH, &memory), 0);
	close(fd);
	assert_int_equal(gpulink_put_memory(b->window, 0, memory, 0, 5, 1), 0);
	soft_done(&b->soft, 1, 5);
	soft_release(&b->soft);
	assert_memory_equal(b->soft.memory[0], "hello", 5);
	for (unsigned i = 0; i < 3; i++) { /* no descriptor leak */
		gpulink_memory_unregister(memory);
		fd = memfd_create("other", 0);
		assert_true(fd >= 0 && !ftruncate(fd, 4096));
		assert_int_equal(gpulink_memory_register_staged(b->soft.device, fd, 0, 5, SOFT_BOTH, &memory), 0);
		assert_true(fd < b->fd + 3);
		close(fd);
	}
}

static void rights(void **state)
{
	struct bench *b = *state;
	struct gpulink_memory *memory = NULL;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->fd);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(gpulink_memory_register_staged(b->soft.device, fd, 0, 10, SOFT_BOTH, &memory), -GPULINK_EACCES);
	assert_null(memory);
	assert_int_equal(gpulink_memory_register_staged(b->soft.device, fd, 0, 10, GPULINK_READ, &memory), 0);
	assert_int_equal(gpulink_get(b->window, 0, memory, 0, 4, 0), -GPULINK_EACCES);
	assert_int_equal(gpulink_put_memory(b->window, 0, memory, 0, 4, 0), 0);
	soft_done(&b->soft, 0, 4);
	gpulink_memory_unregister(memory);
	assert_int_equal(gpulink_memory_register_staged(b->soft.device, b->fd, 0, 10, GPULINK_WRITE, &memory), 0);
	assert_int_equal(gpulink_put_memory(b->window, 0, memory, 0, 4, 0), -GPULINK_EACCES);
	close(fd);
}

static void refusals(void **state)
{
	struct bench *b = *state;
	struct gpulink *device = b->soft.device;
	struct gpulink_memory *memory = NULL;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(gpulink_memory_register_staged(NULL, b->fd, 0, 1, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, 0, 1, SOFT_BOTH, NULL), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, 0, 0, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, 0, 1, 0, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, 0, 1, 8, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_staged(device, -1, 0, 1, SOFT_BOTH, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register_staged(device, ends[0], 0, 1, SOFT_BOTH, &memory), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, BYTES, 1, SOFT_BOTH, &memory), -GPULINK_ERANGE);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, BYTES - 1, 2, SOFT_BOTH, &memory), -GPULINK_ERANGE);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, UINT64_MAX, 2, SOFT_BOTH, &memory), -GPULINK_ERANGE);
	assert_int_equal(gpulink_memory_register_staged(device, b->fd, 0, SIZE_MAX, SOFT_BOTH, &memory), -GPULINK_ERANGE);
	assert_null(memory);
	close(ends[0]);
	close(ends[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(puts_copy_current_data), TEST(gets_copy_results), TEST(atomics_copy_old_values),
		TEST(many_at_once),		   TEST(descriptor_may_be_closed), TEST(rights),
		TEST(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
