// SPDX-License-Identifier: Apache-2.0
/*
 * pool_test DEVICE [STRANGER]: pool objects (gpulink_pool.h), by two opens of a device in one process. TAP. STRANGER: a file
 * that is no pool object.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpulink_pool.h>
#include <tap.h>

#define SECOND UINT64_C(1000000000)

enum { BYTES = 65536, LINE = 256, LARGE = 4096 };

static const char *name;
static struct gpulink *one, *two;
static struct gpulink_pool *a, *b; /* of one and of two, the same object */

static struct gpulink_pool_info about(struct gpulink_pool *pool)
{
	struct gpulink_pool_info info;

	if (gpulink_pool_get_info(pool, &info, sizeof(info)))
		memset(&info, 0xff, sizeof(info));
	return info;
}

static uint64_t load(struct gpulink_pool *pool, uint64_t offset)
{
	uint64_t value;

	return gpulink_pool_load(pool, offset, &value, sizeof(value)) ? UINT64_MAX : value;
}

static int store(struct gpulink_pool *pool, uint64_t offset, uint64_t value)
{
	return gpulink_pool_store(pool, offset, &value, sizeof(value));
}

/* Opens an object twice. */
static bool open_both(uint32_t grain, unsigned mode, uint64_t cache)
{
	const struct gpulink_pool_options options = { .size = sizeof(options), .mode = mode, .cache_bytes = cache };
	int descriptor;
	bool done;

	if (gpulink_pool_create(one, BYTES, grain, &options, &a))
		return false;
	if (gpulink_pool_share(a, GPULINK_READ | GPULINK_WRITE, &descriptor))
		return false;
	done = !gpulink_pool_open(two, descriptor, &options, &b);
	close(descriptor);
	return done;
}

static void close_both(void)
{
	gpulink_pool_close(b);
	gpulink_pool_close(a);
}

/* --- arguments and rights --- */

static void test_arguments(void)
{
	struct gpulink_pool_options options = { .size = sizeof(options) };
	uint8_t bytes[16];
	uint64_t value;
	int descriptor;

	is(gpulink_pool_create(NULL, BYTES, 0, NULL, &a), -GPULINK_EINVAL, "create: no device");
	is(gpulink_pool_create(one, 0, 0, NULL, &a), -GPULINK_EINVAL, "create: no bytes");
	is(gpulink_pool_create(one, 4095, 0, NULL, &a), -GPULINK_EINVAL, "create: part of a page");
	is(gpulink_pool_create(one, BYTES, 32, NULL, &a), -GPULINK_EINVAL, "create: lines too small");
	is(gpulink_pool_create(one, BYTES, 8192, NULL, &a), -GPULINK_EINVAL, "create: lines too large");
	is(gpulink_pool_create(one, BYTES, 96, NULL, &a), -GPULINK_EINVAL, "create: lines of no power of two");
	is(gpulink_pool_create(one, UINT64_C(1) << 60, 0, NULL, &a), -GPULINK_ENOSPC, "create: too much");
	options.mode = 3;
	is(gpulink_pool_create(one, BYTES, 0, &options, &a), -GPULINK_EINVAL, "create: unknown mode");
	options = (struct gpulink_pool_options){ .size = sizeof(options) - 1 };
	is(gpulink_pool_create(one, BYTES, 0, &options, &a), -GPULINK_EINVAL, "create: options too small");
	is(gpulink_pool_open(one, -1, NULL, &a), -GPULINK_EINVAL, "open: no descriptor");
	is(open_both(0, GPULINK_POOL_RC, 0), 1, "an object is created and opened again");
	is(about(a).grain, GPULINK_GRAIN_DEFAULT, "usual lines");
	is((long)about(b).bytes, BYTES, "its size");
	is(gpulink_pool_load(a, BYTES - 8, bytes, 16), -GPULINK_ERANGE, "load: beyond the end");
	is(gpulink_pool_load(a, UINT64_MAX - 7, bytes, 16), -GPULINK_ERANGE, "load: far beyond the end");
	is(gpulink_pool_store(a, BYTES, bytes, 1), -GPULINK_ERANGE, "store: beyond the end");
	is(gpulink_pool_load(a, 0, NULL, 8), -GPULINK_EINVAL, "load: to nowhere");
	is(gpulink_pool_load(a, 0, bytes, 0), -GPULINK_EINVAL, "load: nothing");
	is(gpulink_pool_fetch_add(a, 4, 8, 1, &value), -GPULINK_EINVAL, "atomic: not aligned");
	is(gpulink_pool_fetch_add(a, 0, 2, 1, &value), -GPULINK_EINVAL, "atomic: 2 bytes");
	is(gpulink_pool_swap(a, 0, 4, UINT64_C(1) << 32, &value), -GPULINK_EINVAL, "atomic: operand too large");
	is(gpulink_pool_wait(a, 4, GPULINK_COMPARE_EQ, 0, 0, NULL), -GPULINK_EINVAL, "wait: not aligned");
	is(gpulink_pool_wait(a, BYTES, GPULINK_COMPARE_EQ, 0, 0, NULL), -GPULINK_ERANGE, "wait: beyond the end");
	is(gpulink_pool_share(a, 0, &descriptor), -GPULINK_EINVAL, "share: no rights");
	is(gpulink_pool_share(a, 4, &descriptor), -GPULINK_EINVAL, "share: unknown rights");
	close_both();
	gpulink_pool_close(NULL);
	is(gpulink_acquire(one), 0, "acquire without objects");
}

static void test_rights(const char *stranger)
{
	struct gpulink_pool *c;
	uint64_t value;
	int descriptor, pipes[2], file = open(stranger, O_RDONLY);

	open_both(64, GPULINK_POOL_RC, 0);
	is(gpulink_pool_share(a, GPULINK_READ, &descriptor), 0, "a descriptor to read");
	is(gpulink_pool_open(two, descriptor, NULL, &c), 0, "opened");
	close(descriptor);
	is(about(c).rights, GPULINK_READ, "has that right");
	is(store(c, 0, 1), -GPULINK_EACCES, "does not store");
	is(gpulink_pool_fetch_add(c, 0, 8, 1, &value), -GPULINK_EACCES, "no atomics");
	is((long)load(c, 0), 0, "loads");
	is(gpulink_pool_share(c, GPULINK_READ | GPULINK_WRITE, &descriptor), -GPULINK_EACCES, "gives no more than it has");
	gpulink_pool_close(c);
	is(gpulink_pool_share(a, GPULINK_WRITE, &descriptor), 0, "a descriptor to write");
	is(gpulink_pool_open(two, descriptor, NULL, &c), 0, "opened");
	close(descriptor);
	is(store(c, 8, 5), 0, "stores");
	is((long)load(c, 8), -1, "does not load");
	is(gpulink_pool_wait(c, 8, GPULINK_COMPARE_EQ, 5, 0, NULL), -GPULINK_EACCES, "does not wait");
	is(gpulink_release(two, SECOND), 0, "releases");
	is((long)load(a, 8), 5, "and the store is there");
	gpulink_pool_close(c);
	close_both();
	is(gpulink_pool_open(one, file, NULL, &c), -GPULINK_EINVAL, "a file is no object");
	close(file);
	is(gpulink_pool_open(one, 1000, NULL, &c), -GPULINK_EINVAL, "nor is a number");
	if (pipe(pipes) == 0) {
		is(gpulink_pool_open(one, pipes[0], NULL, &c), -GPULINK_EINVAL, "nor a pipe");
		close(pipes[0]);
		close(pipes[1]);
	}
}

/* --- what a load returns --- */

/* Message passing: before its acquire a reader may be behind, and is; behind it it is not. */
static void test_release_and_acquire(void)
{
	open_both(LINE, GPULINK_POOL_RC, 0);
	is((long)load(b, 0), 0, "a new object reads 0");
	is((long)load(b, 0), 0, "again");
	is((long)about(b).misses, 1, "one miss");
	is((long)about(b).hits, 1, "one hit");
	is(store(a, 0, 7), 0, "another stores");
	is((long)load(a, 0), 7, "and sees it");
	is((long)about(a).uncached, 1, "past the copies, as it is not released");
	is(gpulink_release(one, SECOND), 0, "releases");
	is((long)load(a, 0), 7, "and sees it");
	is((long)load(a, 8), 0, "and the line's other bytes");
	is((long)about(a).uncached, 1, "from a copy");
	is((long)load(b, 0), 0, "the reader is behind");
	is(gpulink_acquire(two), 0, "acquires");
	is((long)load(b, 0), 7, "and is not");
	is((long)about(b).misses, 2, "the line is read again");
	is((long)load(b, LINE), 0, "another line");
	is(store(a, 0, 8), 0, "another store");
	is(gpulink_release(one, SECOND), 0, "released");
	is(gpulink_pool_wait(b, 0, GPULINK_COMPARE_EQ, 8, SECOND, NULL), 0, "is waited for");
	is((long)load(b, 0), 8, "and loaded");
	is((long)load(b, LINE), 0, "the other line, unchanged");
	is((long)about(b).misses, 4, "without data if its lease has ended, else it hits");
	close_both();
}

/* A writer of other bytes of a line takes nothing away (Alg. 5 of the thesis does). */
static void test_false_sharing(void)
{
	open_both(LINE, GPULINK_POOL_RC, 0);
	load(a, 0);
	load(b, 8);
	store(a, 0, 1);
	store(b, 8, 2);
	gpulink_release(one, SECOND);
	gpulink_release(two, SECOND);
	gpulink_acquire(one);
	gpulink_acquire(two);
	is((long)load(a, 0), 1, "false sharing: own bytes");
	is((long)load(a, 8), 2, "the other's");
	is((long)load(b, 0), 1, "and the other way");
	is((long)load(b, 8), 2, "round");
	close_both();
}

/* Leases end, lines do not change: renewals without data, many at a time. Few lines, as cards have few timestamps. */
static void test_renewals(void)
{
	static uint8_t all[BYTES];
	struct gpulink_pool_info before, after;

	open_both(LARGE, GPULINK_POOL_RC, BYTES);
	is(gpulink_pool_load(b, 0, all, BYTES), 0, "all lines are read");
	before = about(b);
	is((long)before.misses, BYTES / LARGE, "as many misses");
	for (uint64_t i = 0; i < 40; i++) { /* of the line before the last: its time overtakes all leases */
		store(a, BYTES - 2 * LARGE, i);
		gpulink_release(one, SECOND);
		gpulink_acquire(one);
		load(a, BYTES - 2 * LARGE);
	}
	gpulink_acquire(two);
	is(gpulink_pool_load(b, 0, all, BYTES), 0, "and again");
	after = about(b);
	is((long)(after.misses - before.misses), 1, "one line has changed");
	is((long)(after.renewals - before.renewals), BYTES / LARGE - 1, "the others are renewed without data");
	is(all[BYTES - 2 * LARGE], 39, "to its last value");
	is(gpulink_pool_load(b, 100, all, BYTES - 200), 0, "and again");
	is((long)(about(b).misses + about(b).renewals - after.misses - after.renewals), 0, "all of it hits");
	close_both();
}

/* More lines than copies. */
static void test_small_cache(void)
{
	open_both(64, GPULINK_POOL_RC, 256);
	for (uint64_t i = 0; i < 64; i++)
		store(a, 64 * i, i + 1);
	gpulink_release(one, SECOND);
	gpulink_acquire(two);
	for (unsigned round = 0; round < 3; round++) {
		bool right = true;

		for (uint64_t i = 0; i < 64; i++)
			right &= load(b, 64 * i) == i + 1;
		is(right, true, "64 lines with 4 copies");
	}
	is(about(b).misses + about(b).hits == 192 && about(b).hits < 20, true, "which rarely are there any more");
	close_both();
}

/* A flag is seen at last, although every load hits. */
static void test_spinning(void)
{
	unsigned loads = 0;

	open_both(LINE, GPULINK_POOL_RC, 0);
	load(b, 0);
	store(a, 0, 1);
	gpulink_release(one, SECOND);
	while (loads < 10 * GPULINK_POOL_TICK && !load(b, 0))
		loads++;
	is(loads > 100 && loads <= GPULINK_POOL_TICK, true, "spinning ends");
	close_both();
}

static void test_sequential(void)
{
	open_both(LINE, GPULINK_POOL_SC, 0);
	load(a, 0);
	load(a, LINE);
	load(b, 0);
	load(b, LINE);
	is(store(a, 0, 1), 0, "SC: x = 1");
	is(store(b, LINE, 1), 0, "the other: y = 1");
	is(load(a, LINE) || load(b, 0), true, "one of them sees the other's");
	is(store(a, 0, 2), 0, "x = 2");
	is(store(a, LINE, 2), 0, "y = 2");
	is(gpulink_pool_wait(b, LINE, GPULINK_COMPARE_EQ, 2, SECOND, NULL), 0, "who has seen y");
	is((long)load(b, 0), 2, "sees x");
	close_both();
}

static void test_uncached(void)
{
	open_both(LINE, GPULINK_POOL_UNCACHED, 0);
	is((long)load(b, 0), 0, "uncached");
	store(a, 0, 3);
	is((long)load(a, 0), 3, "own stores are seen");
	gpulink_release(one, SECOND);
	is((long)load(b, 0), 3, "and those of others, without an acquire");
	is((long)about(b).uncached, 2, "each load from memory");
	close_both();
}

static void test_atomics(void)
{
	uint64_t old;

	open_both(LINE, GPULINK_POOL_RC, 0);
	load(b, 8);
	is(store(a, 8, 9), 0, "a store");
	is(gpulink_pool_fetch_add(a, 0, 8, 5, &old), 0, "add");
	is((long)old, 0, "to 0");
	is(gpulink_pool_fetch_add(b, 0, 8, UINT64_MAX, &old), 0, "the other subtracts");
	is((long)old, 5, "from 5");
	is((long)load(b, 8), 9, "and sees the store before");
	is(gpulink_pool_compare_swap(b, 0, 8, 5, 100, &old), 0, "compare with 5");
	is((long)old, 4, "it is 4");
	is(gpulink_pool_compare_swap(b, 0, 8, 4, 100, &old), 0, "with 4");
	is(gpulink_pool_swap(a, 0, 8, 1, &old), 0, "swap");
	is((long)old, 100, "with 100");
	is(gpulink_pool_fetch_add(a, 4, 4, UINT32_MAX, &old), 0, "4 bytes");
	is((long)old, 0, "from 0");
	is((long)load(a, 0), (long)UINT64_C(0xffffffff00000001), "touch no others");
	is(gpulink_pool_fetch_add(a, 4, 4, 1, NULL), 0, "and wrap");
	is((long)load(a, 0), 1, "without carry");
	close_both();
}

/* --- lives --- */

/* A copy of the object's shared memory that is cut off, or could be: no access may fault. */
static void test_strange_memory(void)
{
	static uint8_t head[4096];
	struct gpulink_pool *c;
	int descriptor, strange = memfd_create("strange", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (strncmp(name, "soft:", 5))
		return;
	open_both(LINE, GPULINK_POOL_RC, 0);
	gpulink_pool_share(a, GPULINK_READ | GPULINK_WRITE, &descriptor);
	close_both();
	is(pread(descriptor, head, sizeof(head), 0) == sizeof(head) && write(strange, head, sizeof(head)) == sizeof(head), true,
	   "a head");
	is(gpulink_pool_open(one, strange, NULL, &c), -GPULINK_EINVAL, "memory that can shrink");
	fcntl(strange, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	is(gpulink_pool_open(one, strange, NULL, &c), -GPULINK_EINVAL, "memory that ends early");
	close(strange);
	close(descriptor);
}

/* The lock of the object's shared memory follows its three words. Leases end, as a store may have been half done. */
static void test_dead_owner(void)
{
	uint8_t *memory;
	int descriptor;
	pid_t child;

	if (strncmp(name, "soft:", 5))
		return;
	open_both(LINE, GPULINK_POOL_RC, 0);
	gpulink_pool_share(a, GPULINK_READ | GPULINK_WRITE, &descriptor);
	load(a, 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
		_exit(memory == MAP_FAILED || pthread_mutex_lock((pthread_mutex_t *)(void *)(memory + 24)));
	}
	waitpid(child, NULL, 0);
	is(store(a, 0, 4), 0, "a process died with the lock: a store");
	gpulink_release(one, SECOND);
	is((long)load(a, 0), 4, "is seen");
	is((long)(about(a).time >> 32), 1, "in the next epoch");
	is((long)load(b, 0), 4, "by the other, too");
	close(descriptor);
	close_both();
}

static void test_lives(void)
{
	struct gpulink *third;
	int descriptor, status;
	pid_t child;

	open_both(LINE, GPULINK_POOL_RC, 0);
	store(a, 0, 77);
	gpulink_release(one, SECOND);
	is(gpulink_pool_share(b, GPULINK_READ | GPULINK_WRITE, &descriptor), 0, "a descriptor");
	close_both();
	is(gpulink_open(name, &third), 0, "another open");
	is(gpulink_pool_open(third, descriptor, NULL, &a), 0, "the object lives by its descriptor");
	is((long)load(a, 0), 77, "with its bytes");
	fflush(stdout);
	child = fork();
	if (child == 0) {
		bool right = load(a, 0) == UINT64_MAX && gpulink_acquire(third) == -GPULINK_EFORK;

		gpulink_pool_close(a);
		gpulink_close(third);
		if (gpulink_open(name, &third) || gpulink_pool_open(third, descriptor, NULL, &a) || load(a, 0) != 77)
			right = false;
		store(a, 0, 78);
		gpulink_release(third, SECOND);
		_exit(!right);
	}
	is(waitpid(child, &status, 0) == child && status == 0, true, "a child opens it anew by the descriptor");
	gpulink_acquire(third);
	is((long)load(a, 0), 78, "and its store is seen");
	close(descriptor);
	gpulink_close(third); /* closes the object */
}

/*
 * Threads of a process share copies: what one has acquired, all have. A soft device stores and reads a line as a whole, and a
 * copy is loaded as a whole.
 */
enum { WIDE = 4096 / 8 };

static void *spin(void *flag)
{
	bool whole = !strncmp(name, "soft:", 5);
	uint64_t *seen = flag, line[WIDE];

	for (unsigned i = 0; i < 20000; i++) {
		if (gpulink_pool_load(b, 0, line, sizeof(line)) || line[0] < *seen)
			return NULL;
		for (unsigned w = 1; whole && w < WIDE; w++)
			if (line[w] != line[0])
				return NULL;
		*seen = line[0];
	}
	return flag;
}

static void test_threads(void)
{
	uint64_t seen[3] = { 0 }, line[WIDE];
	pthread_t thread[3];
	bool right = true;
	void *done;

	open_both(sizeof(line), GPULINK_POOL_RC, 0);
	for (unsigned t = 0; t < 3; t++)
		right &= !pthread_create(&thread[t], NULL, spin, &seen[t]);
	for (uint64_t i = 1; i <= 2000 && right; i++) {
		for (unsigned w = 0; w < WIDE; w++)
			line[w] = i;
		right &= !gpulink_pool_store(a, 0, line, sizeof(line));
		right &= !gpulink_release(one, SECOND) && !gpulink_acquire(two) && load(b, 0) == i;
	}
	for (unsigned t = 0; t < 3; t++) {
		pthread_join(thread[t], &done);
		right &= !!done;
	}
	is(right, true, "threads: values never go back, and are there behind an acquire");
	close_both();
}

static unsigned stores_of_thread; /* few on a card, which may be slow */

static void *store_often(void *pool)
{
	uint64_t value = 5;

	for (unsigned i = 0; i < stores_of_thread; i++)
		gpulink_pool_store(pool, 0, &value, sizeof(value));
	return NULL;
}

/* Of threads that store at once no store is lost, and a look meanwhile never has fewer than the one before. */
static void test_counts(void)
{
	struct gpulink_pool_info info = { 0 };
	unsigned backwards = 0;
	uint64_t before = 0;
	pthread_t thread[2];

	stores_of_thread = strncmp(name, "soft:", 5) ? 500 : 40000;
	open_both(LINE, GPULINK_POOL_RC, 0);
	for (unsigned t = 0; t < 2; t++)
		pthread_create(&thread[t], NULL, store_often, a);
	for (unsigned i = 0; i < 1000000 && info.stores < 2 * stores_of_thread; i++) {
		gpulink_pool_get_info(a, &info, sizeof(info));
		backwards += info.stores < before;
		before = info.stores;
	}
	for (unsigned t = 0; t < 2; t++)
		pthread_join(thread[t], NULL);
	gpulink_pool_get_info(a, &info, sizeof(info));
	is((long)info.stores, 2 * stores_of_thread, "threads: all stores are counted");
	is(backwards, 0, "no count goes backwards");
	close_both();
}

int main(int argc, char **argv)
{
	name = argv[1];
	if (argc < 2 || gpulink_open(name, &one) || gpulink_open(name, &two)) {
		printf("Bail out! device\n");
		return 1;
	}
	test_arguments();
	test_rights(argc > 2 ? argv[2] : argv[0]);
	test_release_and_acquire();
	test_false_sharing();
	test_renewals();
	test_small_cache();
	test_spinning();
	test_sequential();
	test_uncached();
	test_atomics();
	test_lives();
	test_strange_memory();
	test_dead_owner();
	test_threads();
	test_counts();
	gpulink_close(two);
	gpulink_close(one);
	return tap_end();
}
