// SPDX-License-Identifier: Apache-2.0
/* Guest memory: mapping, lookup, and truncated files. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../pci/dma.h"
#include "../process/guarded_copy.h"

#define PAGE  4096u
#define PAGES 16u

struct bench {
	struct dma_table table;
	int fd; /* PAGES pages; every byte of page i is i */
};

static struct bench bench;

static int setup(void **state)
{
	uint8_t page[PAGE];

	bench = (struct bench){ .fd = memfd_create("dma-test", MFD_CLOEXEC) };
	for (unsigned i = 0; i < PAGES; i++) {
		memset(page, (int)i, sizeof(page));
		if (pwrite(bench.fd, page, sizeof(page), i * PAGE) != PAGE)
			return -1;
	}
	*state = &bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	dma_unmap_all(&b->table);
	return close(b->fd);
}

/* `pages` of the file from `page` on, read and write. */
static int map(struct bench *b, uint64_t address, unsigned page, unsigned pages)
{
	const struct vfu_dma_map m = { address, (uint64_t)pages * PAGE, (uint64_t)page * PAGE, true, true };

	return dma_map(&b->table, &m, b->fd);
}

static int byte_at(struct bench *b, uint64_t address)
{
	uint8_t byte = 0xee;
	int error = dma_read(&b->table, address, &byte, 1);

	return error ? error : byte;
}

static void lookup(void **state)
{
	struct bench *b = *state;

	/* Not in rising order. */
	assert_int_equal(map(b, 0x30000, 3, 1), 0);
	assert_int_equal(map(b, 0x10000, 1, 1), 0);
	assert_int_equal(map(b, 0x50000, 5, 2), 0);
	assert_int_equal(map(b, 0x20000, 2, 1), 0);
	assert_int_equal(byte_at(b, 0x10000), 1);
	assert_int_equal(byte_at(b, 0x10fff), 1);
	assert_int_equal(byte_at(b, 0x20000), 2);
	assert_int_equal(byte_at(b, 0x30000), 3);
	assert_int_equal(byte_at(b, 0x50fff), 5);
	assert_int_equal(byte_at(b, 0x51000), 6);
	assert_int_equal(byte_at(b, 0xffff), -EFAULT);
	assert_int_equal(byte_at(b, 0x11000), -EFAULT);
	assert_int_equal(byte_at(b, 0x52000), -EFAULT);
	assert_int_equal(byte_at(b, UINT64_MAX), -EFAULT);
	assert_int_equal(byte_at(b, 0), -EFAULT);
	assert_int_not_equal(fcntl(b->fd, F_GETFD), -1); /* stays ours */
}

static void writes_reach_the_file(void **state)
{
	struct bench *b = *state;
	uint8_t found[5];

	assert_int_equal(map(b, 0x10000, 4, 1), 0);
	assert_int_equal(dma_write(&b->table, 0x10123, "hello", 5), 0);
	assert_int_equal(pread(b->fd, found, 5, 4 * PAGE + 0x123), 5);
	assert_memory_equal(found, "hello", 5);
}

static void overlaps_are_rejected(void **state)
{
	struct bench *b = *state;

	assert_int_equal(map(b, 0x10000, 0, 4), 0);
	assert_int_equal(map(b, 0x10000, 0, 4), -EEXIST);
	assert_int_equal(map(b, 0x11000, 0, 1), -EEXIST);
	assert_int_equal(map(b, 0xf000, 0, 2), -EEXIST);
	assert_int_equal(map(b, 0x13000, 0, 2), -EEXIST);
	assert_int_equal(map(b, 0xf000, 0, 8), -EEXIST);
	assert_int_equal(b->table.count, 1);
	assert_int_equal(map(b, 0xf000, 0, 1), 0);
	assert_int_equal(map(b, 0x14000, 0, 1), 0);
	assert_int_equal(byte_at(b, 0x12000), 2);
}

static void invalid_maps_are_rejected(void **state)
{
	struct bench *b = *state;
	const struct vfu_dma_map wrong[] = {
		{ 0x10001, PAGE, 0, true, true },
		{ 0x10000, PAGE + 1, 0, true, true },
		{ 0x10000, 0, 0, true, true },
		{ 0x10000, PAGE, 1, true, true },
		{ 0x10000, PAGE, PAGES * PAGE, true, true }, /* behind the end of the file */
		{ 0x10000, 2 * PAGE, (PAGES - 1) * PAGE, true, true },
		{ 0x10000, (PAGES + 1) * PAGE, 0, true, true },
		{ 0x10000, PAGE, UINT64_MAX - PAGE + 1, true, true },
		{ 0x10000, UINT64_MAX - PAGE + 1 - 0x10000, 0, true, true },
		{ UINT64_MAX - PAGE + 1, 2 * PAGE, 0, true, true },
	};
	int pipe_fds[2];

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(dma_map(&b->table, &wrong[i], b->fd), -EINVAL);
	assert_int_equal(pipe(pipe_fds), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(dma_map(&b->table, &(struct vfu_dma_map){ 0, PAGE, 0, true, true }, pipe_fds[i]),
				 -EINVAL);
		close(pipe_fds[i]);
	}
	assert_int_equal(dma_map(&b->table, &(struct vfu_dma_map){ 0, PAGE, 0, true, true }, pipe_fds[0]), -EBADF);
	assert_int_equal(b->table.count, 0);
	assert_int_equal(map(b, 0, 0, PAGES), 0); /* the whole file, at address 0 */
	assert_int_equal(byte_at(b, (PAGES - 1) * PAGE), PAGES - 1);
}

/* Memory of other devices is mapped without a file: reserved, not accessible. */
static void mapping_without_file(void **state)
{
	struct bench *b = *state;
	const struct vfu_dma_map giant = { 0x100000000, UINT64_C(1) << 60, 0, true, true };
	uint8_t byte = 0;

	assert_int_equal(dma_map(&b->table, &giant, -1), 0);
	assert_int_equal(byte_at(b, 0x100000000), -EFAULT);
	assert_int_equal(dma_write(&b->table, 0x100000000, &byte, 1), -EFAULT);
	assert_int_equal(map(b, 0x200000000, 0, 1), -EEXIST);
	assert_int_equal(dma_unmap(&b->table, giant.address, giant.size), 0);
	assert_int_equal(map(b, 0x200000000, 0, 1), 0);
}

static void unmap_rejects_split(void **state)
{
	struct bench *b = *state;

	assert_int_equal(map(b, 0x10000, 0, 4), 0);
	assert_int_equal(map(b, 0x14000, 4, 4), 0);
	assert_int_equal(map(b, 0x20000, 8, 1), 0);
	assert_int_equal(dma_unmap(&b->table, 0x10000, PAGE), -EINVAL);
	assert_int_equal(dma_unmap(&b->table, 0x11000, 3 * PAGE), -EINVAL);
	assert_int_equal(dma_unmap(&b->table, 0x11000, PAGE), -EINVAL);
	assert_int_equal(dma_unmap(&b->table, 0x10000, 5 * PAGE), -EINVAL); /* the first whole, the second not */
	assert_int_equal(b->table.count, 3);
	assert_int_equal(byte_at(b, 0x10000), 0);
	assert_int_equal(dma_unmap(&b->table, 0x18000, 8 * PAGE), 0); /* nothing there */
	assert_int_equal(b->table.count, 3);
	assert_int_equal(dma_unmap(&b->table, 0x10000, 8 * PAGE), 0);
	assert_int_equal(b->table.count, 1);
	assert_int_equal(byte_at(b, 0x10000), -EFAULT);
	assert_int_equal(byte_at(b, 0x20000), 8);
	assert_int_equal(map(b, 0x10000, 1, 1), 0);
	dma_unmap_all(&b->table);
	assert_int_equal(b->table.count, 0);
	assert_int_equal(byte_at(b, 0x20000), -EFAULT);
}

static void accesses_cross_adjacent_mappings(void **state)
{
	struct bench *b = *state;
	uint8_t data[3 * PAGE], found[2];

	assert_int_equal(map(b, 0x11000, 9, 1), 0);
	assert_int_equal(map(b, 0x10000, 3, 1), 0);
	assert_int_equal(map(b, 0x12000, 1, 1), 0);
	assert_int_equal(dma_read(&b->table, 0x10ffe, data, PAGE + 4), 0);
	assert_memory_equal(data, "\3\3\11\11", 4);
	assert_memory_equal(data + PAGE, "\11\11\1\1", 4);
	memset(data, 0xab, sizeof(data));
	assert_int_equal(dma_write(&b->table, 0x10fff, data, PAGE + 2), 0);
	assert_int_equal(pread(b->fd, found, 2, 4 * PAGE - 2), 2);
	assert_memory_equal(found, "\3\xab", 2);
	assert_int_equal(pread(b->fd, found, 2, PAGE), 2);
	assert_memory_equal(found, "\xab\1", 2);
	assert_int_equal(dma_read(&b->table, 0x12fff, data, 2), -EFAULT); /* runs out of the last */
	assert_int_equal(dma_read(&b->table, 0xffff, data, 2), -EFAULT);
}

static void permissions(void **state)
{
	struct bench *b = *state;
	const struct vfu_dma_map read_only = { 0x10000, PAGE, 0, true, false };
	const struct vfu_dma_map write_only = { 0x11000, PAGE, PAGE, false, true };
	const struct vfu_dma_map neither = { 0x12000, PAGE, PAGE, false, false };
	uint8_t data[2] = { 1, 2 };

	assert_int_equal(dma_map(&b->table, &read_only, b->fd), 0);
	assert_int_equal(dma_map(&b->table, &write_only, b->fd), 0);
	assert_int_equal(dma_map(&b->table, &neither, b->fd), 0);
	assert_int_equal(byte_at(b, 0x10000), 0);
	assert_int_equal(dma_write(&b->table, 0x10000, data, 1), -EACCES);
	assert_int_equal(byte_at(b, 0x11000), -EACCES);
	assert_int_equal(dma_write(&b->table, 0x11000, data, 1), 0);
	assert_int_equal(byte_at(b, 0x12000), -EACCES);
	assert_int_equal(dma_write(&b->table, 0x12000, data, 1), -EACCES);
	assert_int_equal(dma_read(&b->table, 0x10fff, data, 2), -EACCES);
	assert_int_equal(dma_write(&b->table, 0x10fff, data, 2), -EACCES);
}

/* The file's own permissions limit the mapping. */
static void read_only_file(void **state)
{
	struct bench *b = *state;
	const struct vfu_dma_map both = { 0x10000, PAGE, 0, true, true };
	const struct vfu_dma_map read_only = { 0x10000, PAGE, 0, true, false };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(dma_map(&b->table, &both, fd), -EACCES);
	assert_int_equal(dma_map(&b->table, &read_only, fd), 0);
	close(fd);
	assert_int_equal(byte_at(b, 0x10000), 0x7f); /* the mapping does not need the fd */
}

static void file_truncated_under_the_mapping(void **state)
{
	struct bench *b = *state;
	uint8_t data[200] = { 0 };

	/* Here, and not in the setup: cmocka takes SIGBUS for itself before each test. */
	assert_int_equal(guarded_copy_init(), 0);
	assert_int_equal(map(b, 0x10000, 0, PAGES), 0);
	assert_int_equal(ftruncate(b->fd, PAGE), 0);
	assert_int_equal(byte_at(b, 0x10000), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(byte_at(b, 0x12000), -EFAULT);
		assert_int_equal(dma_read(&b->table, 0x12000, data, sizeof(data)), -EFAULT);
		assert_int_equal(dma_write(&b->table, 0x12000, data, 8), -EFAULT);
		assert_int_equal(dma_write(&b->table, 0x12000, data, sizeof(data)), -EFAULT);
		assert_int_equal(dma_write(&b->table, 0x10fff, data, 2), -EFAULT); /* half of it there */
	}
	assert_int_equal(ftruncate(b->fd, PAGES * PAGE), 0);
	assert_int_equal(byte_at(b, 0x12000), 0);
	assert_int_equal(dma_write(&b->table, 0x12000, "x", 1), 0);
}

#define WORDS 64u /* a length at which copies made for speed are out of order */

static volatile bool enough;

static void *write_for_ever(void *argument)
{
	struct bench *b = argument;
	uint64_t words[WORDS];

	for (uint64_t n = 1; !enough; n++) {
		for (unsigned i = 0; i < WORDS; i++)
			words[i] = n;
		dma_write(&b->table, 0x10000, words, sizeof(words));
	}
	return NULL;
}

/* A reader that polls the last word may rely on the earlier ones, as with a PCIe write. */
static void writes_become_visible_in_order(void **state)
{
	struct bench *b = *state;
	const uint64_t *seen = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, b->fd, 0);
	unsigned wrong = 0;
	pthread_t thread;

	assert_true(seen != MAP_FAILED);
	assert_int_equal(map(b, 0x10000, 0, 1), 0);
	enough = false;
	assert_int_equal(pthread_create(&thread, NULL, write_for_ever, b), 0);
	for (unsigned k = 0; k < 300000; k++) {
		uint64_t last = __atomic_load_n(&seen[WORDS - 1], __ATOMIC_ACQUIRE);

		for (unsigned i = WORDS - 1; i-- > 0;)
			wrong += __atomic_load_n(&seen[i], __ATOMIC_ACQUIRE) < last;
	}
	enough = true;
	pthread_join(thread, NULL);
	munmap((void *)(uintptr_t)seen, PAGE);
	assert_int_equal(wrong, 0);
}

static void many_mappings(void **state)
{
	struct bench *b = *state;
	unsigned count = 0;

	/* Every second page, from above: each goes to the head of the table. */
	while (map(b, (uint64_t)(8192 - count) * 2 * PAGE, count % PAGES, 1) == 0)
		assert_true(++count <= 8192);
	assert_int_equal(count, 4096);
	assert_int_equal(map(b, 0, 0, 1), -ENOSPC);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(byte_at(b, (uint64_t)(8192 - i) * 2 * PAGE), i % PAGES);
		assert_int_equal(byte_at(b, (uint64_t)(8192 - i) * 2 * PAGE + PAGE), -EFAULT);
	}
	assert_int_equal(dma_unmap(&b->table, 0, 3u * 8192 * PAGE), 0);
	assert_int_equal(b->table.count, 0);
	assert_int_equal(map(b, 0, 0, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lookup, setup, teardown),
		cmocka_unit_test_setup_teardown(writes_reach_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(overlaps_are_rejected, setup, teardown),
		cmocka_unit_test_setup_teardown(invalid_maps_are_rejected, setup, teardown),
		cmocka_unit_test_setup_teardown(mapping_without_file, setup, teardown),
		cmocka_unit_test_setup_teardown(unmap_rejects_split, setup, teardown),
		cmocka_unit_test_setup_teardown(accesses_cross_adjacent_mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(permissions, setup, teardown),
		cmocka_unit_test_setup_teardown(read_only_file, setup, teardown),
		cmocka_unit_test_setup_teardown(file_truncated_under_the_mapping, setup, teardown),
		cmocka_unit_test_setup_teardown(writes_become_visible_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(many_mappings, setup, teardown),
	};

	return cmocka_run_group_tests_name("dma", tests, NULL, NULL);
}
