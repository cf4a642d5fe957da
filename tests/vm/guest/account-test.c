// SPDX-License-Identifier: Apache-2.0
/*
 * account-test CARD SYSFS CARD2 GPU: what registrations cost a user, over processes and cards; who waits for whom. TAP. Runs
 * as root. GPU is the device of gpulink-test-gpu for an endpoint of CARD; partition 0 of CARD has an endpoint, partition 1
 * has none; the cards are linked, and have no other user.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "test-gpu/gpulink-test-gpu.h"

enum { MIB = 1 << 20, CROWD = 8, ORDER_MAX = 12 };

static const char *const parameters = "/sys/module/gpulink/parameters";
static const char *path, *other_path;
static char usage_folder[256];

static bool put_number(const char *folder, const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", value);
	return put_text(folder, name, text);
}

static int register_dmabuf(int fd, int buffer, uint64_t bytes)
{
	struct gpulink_ioctl_register_dmabuf r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ, .fd = buffer, .bytes = bytes,
	};

	return ioctl(fd, GPULINK_IOCTL_REGISTER_DMABUF, &r) ? -errno : (int)r.handle;
}

static int window_dmabuf(int fd, int buffer)
{
	struct gpulink_ioctl_window_dmabuf w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ, .fd = buffer, .bytes = 4096,
	};

	return ioctl(fd, GPULINK_IOCTL_WINDOW_DMABUF, &w) ? -errno : (int)w.handle;
}

/* Runs in a process of the user, which then exits; registers memory, or the buffer if it is not -1. Returns 0 or an error. */
static int as_user(uid_t uid, uint64_t memlock, int fd, int buffer, uint64_t bytes)
{
	struct rlimit limit = { memlock, memlock };
	int status = -1, handle;
	pid_t child = fork();

	if (child == 0) {
		void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (setrlimit(RLIMIT_MEMLOCK, &limit) || setuid(uid))
			_exit(255);
		handle = buffer < 0 ? card_register(fd, memory, bytes, GPULINK_ALLOW_READ) : register_dmabuf(fd, buffer, bytes);
		_exit(handle < 0 ? -handle : 0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

/* The files stay open in this process while those that registered exit. */
static void test_memlock(void)
{
	const uint64_t limit = 8 * MIB;
	int fd[3] = { open(path, O_RDWR), open(path, O_RDWR), open(other_path, O_RDWR) };

	is(as_user(1000, limit, fd[0], -1, 6 * MIB), 0, "a user's process registers 6 of 8 MiB of RLIMIT_MEMLOCK");
	is(as_user(1000, limit, fd[1], -1, 6 * MIB), -ENOMEM, "another process of the user cannot, after the first exited");
	is(as_user(1000, limit, fd[2], -1, 6 * MIB), -ENOMEM, "nor on another card");
	is(as_user(1000, limit, fd[1], -1, 2 * MIB), 0, "what is left of the limit can be registered");
	is(as_user(1001, limit, fd[1], -1, 6 * MIB), 0, "another user has a limit of its own");
	is(as_user(1000, limit, fd[1], -1, 4096), -ENOMEM, "nothing is left");
	close(fd[0]);
	is(as_user(1000, limit, fd[2], -1, 6 * MIB), 0, "the first file's close gives the memory back");
	close(fd[1]);
	close(fd[2]);
	is(card_file(usage_folder, "pinned_pages"), 0, "no page is left pinned");
	fd[0] = open(path, O_RDWR);
	is(as_user(1000, limit, fd[0], -1, 8 * MIB), 0, "the whole limit is free again");
	close(fd[0]);
}

static void test_pinned_pages(void)
{
	char *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(path, O_RDWR), other = open(other_path, O_RDWR);
	long before = card_file(parameters, "max_pinned_pages");

	check(before > 0 && put_number(parameters, "max_pinned_pages", 20), "pinned pages have a limit");
	check(card_register(fd, memory, 65536, GPULINK_ALLOW_READ) >= 0, "16 pages are registered");
	is(card_file(usage_folder, "pinned_pages"), 16, "they are counted");
	is(card_register(other, memory, 20480, GPULINK_ALLOW_READ), -EDQUOT, "5 more on another card exceed the limit of 20");
	check(card_register(other, memory, 16384, GPULINK_ALLOW_READ) >= 0, "4 more do not");
	is(card_file(usage_folder, "pinned_pages"), 16, "they are counted on the other card");
	put_number(parameters, "max_pinned_pages", before);
	close(fd);
	close(other);
	munmap(memory, MIB);
}

/* The number behind `name` and the separator in a file of such lines; -1: unknown. */
static long number_in(const char *file, const char *name, char separator)
{
	char line[128];
	long value = -1;
	FILE *stream = fopen(file, "r");

	if (!stream)
		return -1;
	while (fgets(line, sizeof(line), stream))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == separator)
			value = atol(line + strlen(name) + 1);
	fclose(stream);
	return value;
}

/* A line of this process' fdinfo. */
static long held(int fd, const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "/proc/self/fdinfo/%d", fd);
	return number_in(file, name, ':');
}

static void test_dmabuf(int gpu)
{
	const uint64_t memlock = 65536;
	int fd = open(path, O_RDWR), second = open(path, O_RDWR), other = open(other_path, O_RDWR);
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, MIB), handle = -1, window;
	long before = card_file(parameters, "max_dmabuf_bytes_per_user");

	check(before > 0 && put_number(parameters, "max_dmabuf_bytes_per_user", 3 * MIB), "dma-buf bytes have a limit per user");
	check(buffer >= 0 && (handle = register_dmabuf(fd, buffer, 4096)) >= 0, "a page of a buffer is registered");
	is(held(fd, "gpulink-dmabuf-bytes"), MIB, "the whole buffer counts, as its exporter maps it");
	check(register_dmabuf(fd, buffer, MIB) >= 0 && register_dmabuf(second, buffer, 8192) >= 0,
	      "up to the limit, from two files");
	is(card_file(usage_folder, "dmabuf_bytes"), 3 * MIB, "the bytes are counted");
	is(register_dmabuf(second, buffer, 4096), -EDQUOT, "one more exceeds the limit");
	is(register_dmabuf(other, buffer, 4096), -EDQUOT, "also on another card");
	is(window_dmabuf(second, buffer), -EDQUOT, "or a window on it");
	is(as_user(1000, memlock, second, buffer, MIB), 0, "another user has a limit of its own");
	is(as_user(1000, 4096, second, buffer, MIB), -ENOMEM, "page lists count against RLIMIT_MEMLOCK");
	is(as_user(1001, 0, second, buffer, 4096), -ENOMEM, "without RLIMIT_MEMLOCK nothing can be registered");
	is(held(second, "gpulink-dmabuf-bytes"), 2 * MIB, "what was refused is not counted");
	check(!card_unregister(fd, (unsigned)handle) && register_dmabuf(second, buffer, 4096) >= 0,
	      "an unregistered buffer makes room");
	close(second);
	is(card_file(usage_folder, "dmabuf_bytes"), MIB, "closing a file gives its bytes back");
	window = window_dmabuf(fd, buffer);
	is(window < 0 ? window : held(fd, "gpulink-dmabuf-bytes"), 2 * MIB, "a window on a buffer counts, too");
	is(card_unmap(fd, (unsigned)window) ?: held(fd, "gpulink-dmabuf-bytes"), MIB, "until it is unmapped");
	put_number(parameters, "max_dmabuf_bytes_per_user", before);
	close(fd);
	close(other);
	close(buffer);
	is(card_file(usage_folder, "dmabuf_bytes"), 0, "no bytes are left");
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Something slow that another thread does. */
struct slow {
	int gpu, fd;
	unsigned handle;
	const char *partition;
	double took;
};

static void *query_remote(void *argument)
{
	struct slow *slow = argument;
	double begin = seconds();

	put_text(slow->partition, "endpoint", "link 0");
	slow->took = seconds() - begin;
	return NULL;
}

static void *move_slowly(void *argument)
{
	struct slow *slow = argument;
	double begin = seconds();

	if (ioctl(slow->gpu, TEST_GPU_MOVE, 1000) < 0 && errno == EBUSY)
		return NULL;
	slow->took = seconds() - begin;
	return NULL;
}

static void *unregister(void *argument)
{
	struct slow *slow = argument;

	card_unregister(slow->fd, slow->handle);
	return NULL;
}

static void begin_thread(pthread_t *thread, void *(*run)(void *slow), struct slow *slow)
{
	if (pthread_create(thread, NULL, run, slow))
		exit(2);
	usleep(100000);
}

/* While the link is down, a query of the remote card takes 0.5 s, with the card's lock held. */
static void test_counters(const char *folder)
{
	char counters[256], of_partition[256], partition[256], link[256];
	struct slow slow = { .partition = partition };
	double begin, took;
	pthread_t thread;
	bool ok;

	snprintf(counters, sizeof(counters), "%s/counters", folder);
	snprintf(partition, sizeof(partition), "%s/partitions/1", folder);
	snprintf(of_partition, sizeof(of_partition), "%s/partitions/1/counters", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	check(put_text(link, "enable", "0"), "the link is taken down");
	begin_thread(&thread, query_remote, &slow);
	begin = seconds();
	ok = card_file(counters, "err_window") >= 0 && card_file(link, "cluster") >= 0 && card_file(of_partition, "stores") >= 0;
	took = seconds() - begin;
	pthread_join(thread, NULL);
	printf("# read in %.3f s, during a query of %.3f s\n", took, slow.took);
	check(ok && slow.took > 0.4 && took < 0.2, "counters are read without the card's lock");
	put_text(link, "enable", "1");
}

/* Nobody else waits for the exporter of a buffer that is being unregistered while it moves. */
static void test_slow_exporter(int gpu)
{
	struct slow slow = { .gpu = gpu, .fd = open(path, O_RDWR) };
	int buffer = ioctl(gpu, TEST_GPU_EXPORT, 4096), handle, other = open(path, O_RDWR);
	pthread_t mover, user;
	double begin, took;
	bool ok;

	handle = register_dmabuf(slow.fd, buffer, 4096);
	slow.handle = (unsigned)handle;
	begin_thread(&mover, move_slowly, &slow);
	begin_thread(&user, unregister, &slow);
	begin = seconds();
	ok = handle >= 0 && card_window(other, 0, 0, 4096, NULL) >= 0 && !card_release(other, NULL);
	took = seconds() - begin;
	pthread_join(mover, NULL);
	pthread_join(user, NULL);
	printf("# window and release of another user in %.3f s, during a move of %.3f s\n", took, slow.took);
	if (slow.took > 0)
		check(ok && slow.took > 0.9 && took < 0.4, "another user does not wait for the exporter of a buffer");
	else
		check(ok, "another user does not wait for the exporter of a buffer # SKIP this kernel pins buffers");
	close(slow.fd);
	close(other);
	if (slow.took > 0)
		ioctl(gpu, TEST_GPU_MOVE, 0);
	close(buffer);
}

static void test_fdinfo(void)
{
	static const char *const names[] = { "contexts", "windows", "slices", "registrations", "pinned-bytes", "dmabuf-bytes" };
	char *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(path, O_RDWR);
	long empty[6], full[6];
	char name[64];

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < 6; i++) {
			snprintf(name, sizeof(name), "gpulink-%s", names[i]);
			(pass ? full : empty)[i] = held(fd, name);
		}
		if (!pass)
			check(card_window(fd, 0, 0, 4096, NULL) >= 0 && card_window(fd, 0, 0, 4096, NULL) >= 0 &&
				      card_register(fd, memory + 100, 10000, GPULINK_ALLOW_READ) >= 0, "two windows and a registration");
	}
	check(empty[0] == 1 && !empty[1] && !empty[2] && !empty[3] && !empty[4] && !empty[5],
	      "fdinfo of a new file shows a context only");
	check(full[1] == 2 && full[2] == 2 && full[3] == 1 && full[4] == 3 * 4096 && !full[5],
	      "fdinfo shows what the file holds");
	close(fd);
	munmap(memory, MIB);
}

/* Two stores through a window and one by ring; the next file, on the same context of the card, begins at 0. */
static void test_stored(void)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		int fd = open(path, O_RDWR);
		uint64_t at = 0;
		int window = card_window(fd, 0, 0, 4096, &at);
		volatile uint64_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
		struct sqe put = put_inline((unsigned)window, 64, 5, 0);
		struct cqe done;

		check(held(fd, "gpulink-stores") == 0 && held(fd, "gpulink-store-bytes") == 0, "a new file has stored nothing");
		memory[0] = 1;
		*(volatile uint32_t *)&memory[1] = 2;
		check(card_run(fd, &put, 1, &done) == 0 && card_release(fd, NULL) == 0, "two stores and a put are released");
		is(held(fd, "gpulink-stores"), 3, "fdinfo counts stores through windows and by ring");
		is(held(fd, "gpulink-store-bytes"), 8 + 4 + 8, "and their bytes");
		munmap((void *)(uintptr_t)memory, 4096);
		close(fd);
	}
}

/* Kernel memory of a cgroup, in bytes; -1: unknown. */
static long kernel_memory(const char *cgroup)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/memory.stat", cgroup);
	return number_in(file, "kernel", ' ');
}

static int open_crowd(const char *cgroup)
{
	struct ring ring;
	int fd, error;

	if (!put_number(cgroup, "cgroup.procs", (long)getpid()))
		return 1;
	for (unsigned i = 0; i < CROWD; i++) {
		fd = open(path, O_RDWR);
		error = fd < 0 ? -errno : ring_map(fd, ORDER_MAX, ORDER_MAX, &ring);
		if (error)
			return -error;
	}
	return 0;
}

/* Rings of the largest size: 320 KiB a context. */
static void test_cgroup(void)
{
	const char *root = "/tmp/cgroup", *group = "/tmp/cgroup/user";
	int from_child[2], to_child[2], result = -1;
	long before, used;
	bool enabled;
	char word;

	mkdir(root, 0755);
	if (mount("none", root, "cgroup2", 0, NULL)) {
		check(errno == ENODEV, "rings are charged to a memory cgroup # SKIP this kernel has no cgroups");
		return;
	}
	if (pipe(from_child) || pipe(to_child))
		exit(2);
	enabled = put_text(root, "cgroup.subtree_control", "+memory") && !mkdir(group, 0755);
	before = kernel_memory(group);
	check(enabled && before >= 0, "a memory cgroup");
	if (fork() == 0) {
		result = open_crowd(group);
		if (write(from_child[1], &result, sizeof(result)) < 0 || read(to_child[0], &word, 1) < 0)
			_exit(1);
		_exit(0);
	}
	if (read(from_child[0], &result, sizeof(result)) != sizeof(result))
		result = -1;
	used = kernel_memory(group);
	is(result, 0, "a process in it opens contexts and maps rings");
	printf("# %ld KiB before, %ld KiB with the rings\n", before / 1024, used / 1024);
	check(used - before >= CROWD * 320L * 1024, "the rings are charged to its memory cgroup");
	if (write(to_child[1], "x", 1) < 0)
		exit(2);
	wait(NULL);
	rmdir(group);
	umount(root);
}

int main(int argc, char **argv)
{
	int gpu;

	if (argc != 5) {
		fprintf(stderr, "usage: account-test CARD SYSFS CARD2 GPU\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	snprintf(usage_folder, sizeof(usage_folder), "%s/usage", argv[2]);
	other_path = argv[3];
	gpu = open(argv[4], O_RDWR);
	check(gpu >= 0, "the GPU opens");
	test_memlock();
	test_pinned_pages();
	test_dmabuf(gpu);
	test_counters(argv[2]);
	test_slow_exporter(gpu);
	test_fdinfo();
	test_stored();
	test_cgroup();
	return tap_end();
}
