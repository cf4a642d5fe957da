// SPDX-License-Identifier: Apache-2.0
/*
 * pool-test DEVICE SYSFS OTHER: pool objects by the kernel interface: what is refused, rights, mappings, windows, limits, the
 * partition. TAP. Requires root, a card with leases and no other user, whose partitions from 4 on have no endpoint, and a
 * second card, OTHER.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <tap.h>

#include "pool.h"

enum { BYTES = 4 * PAGE };

static const char *path, *folder;
static int card, other;

static int window_on(unsigned partition)
{
	return card_window(card, partition, 0, PAGE, NULL);
}

static long usage(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/usage", folder);
	return card_file(file, name);
}

static void set_limit(const char *name, uint64_t value)
{
	char text[32], file[128];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	snprintf(file, sizeof(file), "limits/%s", name);
	put_file(folder, file, text);
}

/* --- creation --- */

static void test_create(uint64_t pool)
{
	struct gpulink_ioctl_pool_create c = { .size = sizeof(c), .flags = RIGHT_RW | 4, .bytes = PAGE };
	struct gpulink_ioctl_pool_query q;
	int reader = open(path, O_RDONLY), fd, text;
	char line[512] = "", proc[64];

	is(ioctl(card, GPULINK_IOCTL_POOL_CREATE, &c) ? -errno : 0, -EINVAL, "an unknown right is refused");
	is(pool_create(card, 0, 0, RIGHT_RW), -EINVAL, "no bytes are refused");
	is(pool_create(card, PAGE / 2, 0, RIGHT_RW), -EINVAL, "half a page is refused");
	is(pool_create(card, PAGE, 32, RIGHT_RW), -EINVAL, "a grain of 32 is refused");
	is(pool_create(card, PAGE, 96, RIGHT_RW), -EINVAL, "a grain of 96 is refused");
	is(pool_create(card, PAGE, 8192, RIGHT_RW), -EINVAL, "a grain of 8192 is refused");
	is(pool_create(card, PAGE, 0, 0), -EINVAL, "no rights are refused");
	is(pool_create(reader, PAGE, 0, RIGHT_RW), -EACCES, "a file that is open for reading cannot write");
	set_limit("pool_bytes_per_user", UINT64_MAX / 2);
	is(pool_create(card, pool + PAGE, 0, RIGHT_RW), -ENOSPC, "more than the pool is refused");
	is(pool_create(card, UINT64_MAX - PAGE + 1, 0, RIGHT_RW), -EDQUOT, "2^64 bytes are refused");
	set_limit("pool_bytes_per_user", pool);
	is((long)pool_free(card), (long)pool, "nothing of that takes memory");
	check(!strcmp(text_of(folder, "pool/partition"), "none"), "and no partition");
	is(pool_query(card, -1, &q), 0, "the pool can be queried");
	check(q.pool_bytes == pool && !q.rights && !q.bytes && !q.grain && q.ts_bits >= 4 && q.ts_bits <= 32, "it has what it says");
	close(reader);

	fd = pool_create(card, BYTES, 0, RIGHT_RW);
	check(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC), "an object is made, closed by exec()");
	is(pool_query(card, fd, &q), 0, "it can be queried");
	check(q.rights == RIGHT_RW && q.bytes == BYTES && q.grain == 64 && q.pool_free == pool - BYTES, "it is as it was asked for");
	snprintf(proc, sizeof(proc), "/proc/self/fdinfo/%d", fd);
	text = open(proc, O_RDONLY);
	check(read(text, line, sizeof(line) - 1) > 0 && strstr(line, "gpulink-pool-bytes:\t16384\n") &&
	      strstr(line, "gpulink-pool-grain:\t64\n") && strstr(line, "gpulink-pool-rights:\trw\n"), "fdinfo shows it");
	close(text);
	is(usage("pool_bytes") / BYTES * 10 + usage("pool_objects"), 11, "it is counted");
	is(pool_query(card, card, &q), -EINVAL, "a card is no object");
	is(pool_query(card, 999, &q), -EBADF, "a closed descriptor is none");
	close(fd);
	is((long)pool_free(card), (long)pool, "its memory is free after close()");
	fd = pool_create(card, PAGE, 2048, RIGHT_R);
	pool_query(card, fd, &q);
	check(q.grain == 2048 && q.rights == RIGHT_R, "an object of another grain, to be read");
	close(fd);
}

static void test_zero(void)
{
	volatile uint64_t *words;
	bool zero = true;
	int fd;

	for (unsigned round = 0; round < 4; round++) {
		fd = pool_create(card, 64 * PAGE, 64u << round % 3, RIGHT_RW);
		words = pool_map(fd, 64 * PAGE, PROT_READ | PROT_WRITE, 0);
		for (unsigned i = 0; words && i < 64 * PAGE / 8; i += 31)
			zero = zero && !words[i];
		for (unsigned i = 0; words && i < 64 * PAGE / 8; i += 31)
			words[i] = ~UINT64_C(0);
		zero = zero && words;
		munmap((void *)words, 64 * PAGE);
		close(fd);
	}
	check(zero, "new objects read 0, where others left their data");
	is(put_file(folder, "partitions/5/endpoint", "pool"), 0, "the pool as a whole, afterwards");
	words = pool_window(card, 5, 64 * PAGE);
	check(words && zeros(words, 64 * PAGE), "it has nothing of the objects");
	words[31] = 5;
	is(card_release(card, NULL), 0, "a store to it is released");
	is(put_file(folder, "partitions/6/endpoint", "pool"), 0, "a second partition gets the pool, too");
	munmap((void *)words, 64 * PAGE);
	words = pool_window(card, 6, 64 * PAGE);
	check(words && words[31] == 5, "and shows the same memory");
	munmap((void *)words, 64 * PAGE);
	put_file(folder, "partitions/6/endpoint", "none");
	put_file(folder, "partitions/5/endpoint", "none");
	is(put_file(folder, "partitions/5/endpoint", "pool"), 0, "the pool as a whole, for somebody else");
	words = pool_window(card, 5, 64 * PAGE);
	check(words && zeros(words, 64 * PAGE), "it has nothing of the one before");
	words[31] = 6;
	is(card_release(card, NULL), 0, "a store to it is released");
	munmap((void *)words, 64 * PAGE);
	is(put_file(folder, "partitions/5/endpoint", "pool"), 0, "the same endpoint is set again");
	words = pool_window(card, 5, 64 * PAGE);
	check(words && zeros(words, 64 * PAGE), "that clears it, too");
	munmap((void *)words, 64 * PAGE);
	put_file(folder, "partitions/5/endpoint", "none");
}

/* --- rights --- */

static void test_rights(void)
{
	struct gpulink_ioctl_pool_attach a;
	struct gpulink_ioctl_pool_query q;
	int fd = pool_create(card, BYTES, 256, RIGHT_RW), reader, writer, dup_fd;
	char name[64];
	void *at;

	reader = pool_share(card, fd, RIGHT_R);
	writer = pool_share(card, fd, RIGHT_W);
	check(reader >= 0 && writer >= 0 && (fcntl(reader, F_GETFD) & FD_CLOEXEC), "descriptors with fewer rights");
	check(!pool_query(card, reader, &q) && q.rights == RIGHT_R && q.bytes == BYTES && q.grain == 256, "they name the object");
	is(pool_share(card, fd, 0), -EINVAL, "share: no rights");
	is(pool_share(card, reader, RIGHT_RW), -EACCES, "share: more than the descriptor has");
	is(pool_share(card, writer, RIGHT_R), -EACCES, "share: others than the descriptor has");
	is(pool_share(card, card, RIGHT_R), -EINVAL, "share: not an object");
	is(pool_share(card, -1, RIGHT_R), -EBADF, "share: not a descriptor");
	dup_fd = pool_share(card, reader, RIGHT_R);
	check(dup_fd >= 0, "share: the same rights");
	close(dup_fd);

	is(pool_attach(card, reader, RIGHT_RW, &a), -EACCES, "attach: more than the descriptor has");
	is(pool_attach(card, fd, 0, &a), -EINVAL, "attach: no rights");
	dup_fd = open(path, O_RDONLY);
	is(pool_attach(dup_fd, fd, RIGHT_RW, &a), -EACCES, "attach: by a file that is open for reading, to write");
	check(pool_attach(dup_fd, fd, RIGHT_R, &a) >= 0, "attach: to read");
	close(dup_fd);
	is(pool_attach(card, card, RIGHT_R, &a), -EINVAL, "attach: not an object");
	is(pool_attach(other, fd, RIGHT_R, &a), -EXDEV, "attach: of another card");
	is(pool_share(other, fd, RIGHT_R), -EXDEV, "share: of another card");
	is(pool_query(other, fd, &q), -EXDEV, "query: of another card");

	check(!pool_map(reader, BYTES, PROT_READ | PROT_WRITE, 0) && errno == EACCES, "a reader's mapping cannot be written");
	at = (void *)pool_map(reader, BYTES, PROT_READ, 0);
	check(at && mprotect(at, BYTES, PROT_READ | PROT_WRITE) && errno == EACCES, "nor later");
	check(at && mprotect(at, BYTES, PROT_READ | PROT_EXEC) && errno == EACCES, "nor executed");
	munmap(at, BYTES);
	check(!pool_map(writer, BYTES, PROT_WRITE, 0) && errno == EACCES, "a writer's descriptor cannot be mapped");
	at = (void *)pool_map(fd, BYTES, PROT_READ, 0);
	check(at && !mprotect(at, BYTES, PROT_READ | PROT_WRITE), "one with both rights may change its protection");
	munmap(at, BYTES);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", reader);
	check(open(name, O_RDWR) < 0, "a reader's descriptor cannot be opened again");
	check(ftruncate(fd, 2 * BYTES) && !fcntl(reader, F_SETFL, O_RDWR) && !pool_query(card, reader, &q) &&
		      q.rights == RIGHT_R,
	      "nor changed");
	close(reader);
	close(writer);
	close(fd);
}

/* --- mappings --- */

static void test_mappings(uint64_t pool)
{
	int fd = pool_create(card, BYTES, 64, RIGHT_RW), neighbour = pool_create(card, BYTES, 64, RIGHT_RW), status = 0;
	volatile uint64_t *words, *part, *next = pool_map(neighbour, BYTES, PROT_READ | PROT_WRITE, 0);
	pid_t child;
	void *at;

	check(!pool_map(fd, BYTES + PAGE, PROT_READ, 0) && errno == EINVAL, "mmap: beyond the end");
	check(!pool_map(fd, PAGE, PROT_READ, BYTES) && errno == EINVAL, "mmap: behind the end");
	check(!pool_map(fd, PAGE, PROT_READ, UINT64_C(1) << 43) && errno == EINVAL, "mmap: far behind the end");
	/* EPERM: newer kernels refuse it of all anonymous files. */
	check(!pool_map(fd, BYTES, PROT_READ | PROT_EXEC, 0) && (errno == EINVAL || errno == EPERM), "mmap: to be executed");
	at = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	check(at == MAP_FAILED && errno == EINVAL, "mmap: private");
	words = pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0);
	part = pool_map(fd, PAGE, PROT_READ | PROT_WRITE, BYTES - PAGE);
	check(words && part && next, "mmap: the object, and a part of it");
	if (!words || !part || !next)
		return;
	for (unsigned i = 0; i < BYTES / 8; i++)
		words[i] = i;
	check(words[BYTES / 8 - 1] == BYTES / 8 - 1 && part[1] == (BYTES - PAGE) / 8 + 1, "both show the same memory");
	next[0] = 77;
	check(words[0] == 0 && next[1] == 0, "objects do not share memory");
	at = mremap((void *)words, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
	check(at == MAP_FAILED, "a mapping cannot grow");

	child = fork();
	if (!child) {
		volatile uint64_t *own = pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0);

		_exit(own && own[3] == 3 && (own[3] = 33) == 33 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	check(status == 0 && words[3] == 33, "a child uses the descriptor");
	child = fork();
	if (!child) {
		(void)words[0];
		_exit(0);
	}
	waitpid(child, &status, 0);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "it does not inherit the mapping");

	close(fd);
	check(words[4] == 4, "the mapping outlives the descriptor");
	is((long)pool_free(card), (long)(pool - 2 * BYTES), "and holds the memory");
	munmap((void *)words, BYTES);
	is((long)pool_free(card), (long)(pool - 2 * BYTES), "as long as a part is mapped");
	munmap((void *)part, PAGE);
	is((long)pool_free(card), (long)(pool - BYTES), "the last one frees it");
	munmap((void *)next, BYTES);
	close(neighbour);
}

/* --- windows --- */

static void test_windows(uint64_t pool)
{
	int fd = pool_create(card, BYTES, 64, RIGHT_RW), reader = pool_share(card, fd, RIGHT_R), second = open(path, O_RDWR);
	struct gpulink_ioctl_pool_attach a, b, c;
	volatile uint64_t *words, *direct = pool_map(fd, BYTES, PROT_READ, 0);
	uint32_t errors, before;
	struct cqe done;
	struct sqe e;

	check(pool_attach(card, fd, RIGHT_RW, &a) >= 0 && a.bytes == BYTES && a.grain == 64, "an object is attached");
	check(pool_attach(second, reader, RIGHT_R, &b) >= 0, "by another file, to be read");
	check(pool_attach(card, fd, RIGHT_RW, &c) >= 0 && c.handle != a.handle, "and twice");
	is(window_on(a.partition), -EACCES, "its partition has no other windows");
	words = pool_map(card, BYTES, PROT_READ | PROT_WRITE, a.mmap_offset);
	check(words && direct, "window and descriptor are mapped");
	if (!words || !direct)
		return;
	words[1] = 11;
	e = put_inline(c.handle, BYTES - 8, 22, 1);
	is(card_run(card, &e, 1, &done), 0, "an entry uses a window");
	is(card_release(card, &errors), 0, "a release covers both");
	check(direct[1] == 11 && direct[BYTES / 8 - 1] == 22, "the memory has what both stored");
	e = put_inline(c.handle, BYTES, 22, 1);
	card_run(card, &e, 1, &done);
	is(status_of(&done), GLK_ST_WINDOW_BOUNDS, "an entry does not leave the object");
	card_release(second, &before);
	e = put_inline(b.handle, 0, 33, 1);
	card_run(second, &e, 1, &done);
	is(status_of(&done), GLK_ST_PERMISSION, "a reader's entry does not write");
	check(direct[0] == 0, "nor does it");

	close(fd);
	close(reader);
	munmap((void *)direct, BYTES);
	is((long)pool_free(card), (long)(pool - BYTES), "windows hold the memory");
	is(card_unmap(card, a.handle), 0, "a window is unmapped");
	is(card_unmap(card, c.handle), 0, "and the other");
	is((long)pool_free(card), (long)(pool - BYTES), "the other file's window still does");
	close(second);
	is((long)pool_free(card), (long)pool, "the last one frees it");
	check(!strcmp(text_of(folder, "pool/partition"), "none"), "and the partition");
	munmap((void *)words, BYTES);
}

/* Leases by the ring: the grain of the slot is the object's. */
static void test_leases(void)
{
	struct gpulink_ioctl_query query = { .size = sizeof(query) };
	struct gpulink_ioctl_pool_attach a;
	const volatile uint64_t *doorbell;
	uint64_t record[4] = { 0 }, clock;
	static uint64_t buffer[1024] __attribute__((aligned(PAGE)));
	int registration = card_register(card, buffer, sizeof(buffer), RIGHT_RW);
	bool right = true;

	ioctl(card, GPULINK_IOCTL_QUERY, &query);
	doorbell = pool_map(card, PAGE, PROT_READ, query.doorbell_offset);
	for (unsigned grain = 64; grain <= 4096; grain *= 2) {
		int fd = pool_create(card, 2 * PAGE, grain, RIGHT_RW);
		int window = pool_attach(card, fd, RIGHT_RW, &a);
		int status = window < 0 ? window : pool_read(card, (unsigned)window, PAGE, grain, registration, buffer, record);

		right = right && status == GLK_ST_OK && record[1] - record[0] >= 10 && a.grain == grain &&
			pool_read(card, (unsigned)window, PAGE, grain == 64 ? 128 : 64, registration, buffer, record) ==
				GLK_ST_LENGTH;
		if (!right)
			printf("# grain %u: status %d\n", grain, status);
		card_unmap(card, a.handle);
		close(fd);
	}
	check(right, "lines have the grain that was asked for");
	check(doorbell != MAP_FAILED && doorbell, "the doorbell page can be read");
	clock = doorbell ? doorbell[GLK_DOORBELL_CLOCK / 8] : 0;
	check(clock && clock >= record[0], "it has the card's clock");
	check(strtoull(text_of(folder, "pool/clock"), NULL, 0) >= clock, "which sysfs shows, too");
	munmap((void *)doorbell, PAGE);
	card_unregister(card, (unsigned)registration);
}

/* --- counters and limits --- */

static void test_counters(void)
{
	uint64_t values[16] = { 0 };
	struct gpulink_ioctl_counters c = {
		.size = sizeof(c), .partition = GPULINK_COUNTERS_TSU, .count = 16, .values = (uintptr_t)values,
	};

	is(ioctl(card, GPULINK_IOCTL_COUNTERS, &c) ? -errno : (int)c.count, 8, "the timestamps' counters");
	check(values[0] >= 7 && values[3] > 0, "reads and untimed writes are counted");
	is(card_file(folder, "pool_counters/reads"), (long)values[0], "sysfs counts the same");
}

static void test_limits(uint64_t pool)
{
	long objects = card_file(folder, "limits/pool_objects_per_user");
	int fd = pool_create(card, BYTES, 0, RIGHT_RW), second;

	is(card_file(folder, "limits/pool_bytes_per_user"), (long)pool, "a user may use the whole pool");
	set_limit("pool_bytes_per_user", 2 * BYTES);
	is(pool_create(card, BYTES + PAGE, 0, RIGHT_RW), -EDQUOT, "more bytes than the limit are refused");
	second = pool_create(card, BYTES, 0, RIGHT_RW);
	check(second >= 0, "as many are not");
	close(second);
	set_limit("pool_bytes_per_user", pool);
	set_limit("pool_objects_per_user", 1);
	is(pool_create(card, PAGE, 0, RIGHT_RW), -EDQUOT, "more objects than the limit are refused");
	if (!fork()) {
		int one = -1;

		if (!setresuid(1234, 1234, 1234))
			one = pool_create(card, PAGE, 0, RIGHT_RW);
		_exit(one >= 0 && pool_create(card, PAGE, 0, RIGHT_RW) == -EDQUOT ? 0 : 1);
	}
	wait(&second);
	is(second, 0, "another user has a limit of its own");
	set_limit("pool_objects_per_user", (uint64_t)objects);
	close(fd);
}

/* --- the partition --- */

static void test_partition(unsigned partitions)
{
	char file[64], part[64], endpoints[16][8];
	int fd, error = 0;

	is(put_file(folder, "partitions/4/endpoint", "pool"), 0, "the pool as a whole is an endpoint");
	is(pool_create(card, PAGE, 0, RIGHT_RW), -EBUSY, "then there are no objects");
	is(put_file(folder, "partitions/4/endpoint", "none"), 0, "it is none");
	fd = pool_create(card, PAGE, 0, RIGHT_RW);
	is(card_file(folder, "pool/partition"), partitions - 1, "the first object takes the last partition");
	snprintf(file, sizeof(file), "partitions/%u/endpoint", partitions - 1);
	check(!strcmp(text_of(folder, file), "pool objects"), "which sysfs shows");
	is(put_file(folder, file, "none"), -EBUSY, "the administrator cannot take it away");
	is(put_file(folder, file, "pool"), -EBUSY, "nor make it the whole pool");
	is(put_file(folder, "partitions/4/endpoint", "pool"), -EBUSY, "nor is another partition");
	snprintf(file, sizeof(file), "partitions/%u/ranges/add", partitions - 1);
	is(put_file(folder, file, "x 0 4096 1000 - rw"), -EBUSY, "it has no ranges");
	snprintf(file, sizeof(file), "partitions/%u/open", partitions - 1);
	error = put_file(folder, file, "1");
	check(error == -EBUSY || error == -ENOENT || error == -EACCES, "it is not open to the remote card");
	is(window_on(partitions - 1), -EACCES, "and no windows of root");
	close(fd);
	snprintf(file, sizeof(file), "partitions/%u/endpoint", partitions - 1);
	check(!strcmp(text_of(folder, file), "none"), "the last object gives it back");

	snprintf(file, sizeof(file), "partitions/%u/open", partitions - 1);
	if (!put_file(folder, file, "1")) {
		fd = pool_create(card, PAGE, 0, RIGHT_RW);
		is(card_file(folder, "pool/partition"), partitions - 2, "a partition that is open to the remote card is not taken");
		close(fd);
		put_file(folder, file, "0");
	}
	for (unsigned p = 0; p < partitions && p < 16; p++) {
		snprintf(file, sizeof(file), "partitions/%u/endpoint", p);
		snprintf(endpoints[p], sizeof(endpoints[p]), "%s", text_of(folder, file));
		snprintf(part, sizeof(part), "0000:00:08.0 0 %u 65536", (p + 1) * 65536); /* parts that do not overlap */
		if (!strcmp(endpoints[p], "none"))
			put_file(folder, file, part);
	}
	is(pool_create(card, PAGE, 0, RIGHT_RW), -ENOSPC, "without a free partition there are no objects");
	for (unsigned p = 0; p < partitions && p < 16; p++) {
		snprintf(file, sizeof(file), "partitions/%u/endpoint", p);
		if (!strcmp(endpoints[p], "none"))
			put_file(folder, file, "none");
	}
	fd = pool_create(card, PAGE, 0, RIGHT_RW);
	check(fd >= 0, "afterwards there are");
	close(fd);
}

int main(int argc, char **argv)
{
	struct gpulink_ioctl_query query = { .size = sizeof(query) };
	struct gpulink_ioctl_pool_query q;

	if (argc != 4)
		return 2;
	path = argv[1];
	folder = argv[2];
	card = open(path, O_RDWR);
	other = open(argv[3], O_RDWR);
	check(card >= 0 && other >= 0 && !ioctl(card, GPULINK_IOCTL_QUERY, &query), "cards are opened");
	if (pool_query(card, -1, &q))
		return 2;
	test_create(q.pool_bytes);
	test_zero();
	test_rights();
	test_mappings(q.pool_bytes);
	test_windows(q.pool_bytes);
	test_leases();
	test_counters();
	test_limits(q.pool_bytes);
	test_partition(query.partitions);
	is((long)pool_free(card), (long)q.pool_bytes, "nothing is left");
	return tap_end();
}
