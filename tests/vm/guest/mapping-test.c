// SPDX-License-Identifier: Apache-2.0
/*
 * mapping-test DEVICE SYSFS: revocation of window mappings under concurrent access. TAP. DEVICE's SYSFS folder must be
 * writable, with a bus endpoint of at least 16 MiB in partition 0.
 *
 * After the process unmaps a window, its mapping must fault from the moment the call returns, also with a concurrent page
 * fault: the slices may be reused by another context. After the endpoint is removed, stores are lost, and every release
 * reports it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <tap.h>

enum { ROUNDS = 300, BYTES = 16384, LARGE_BYTES = 16 << 20 };

static _Thread_local sigjmp_buf escape;

static void on_sigbus(int signal_number)
{
	(void)signal_number;
	siglongjmp(escape, 1);
}

static bool map(int fd, struct gpulink_ioctl_window_map *w, volatile unsigned long **words)
{
	*w = (struct gpulink_ioctl_window_map){
		.size = sizeof(*w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .bytes = BYTES,
	};
	if (ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, w))
		return false;
	*words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w->mmap_offset);
	return *words != MAP_FAILED;
}

static bool unmap(int fd, const struct gpulink_ioctl_window_map *w)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = w->handle };

	return !ioctl(fd, GPULINK_IOCTL_WINDOW_UNMAP, &h);
}

static unsigned released_errors(int fd)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 1000000000 };

	return ioctl(fd, GPULINK_IOCTL_RELEASE, &r) ? ~0u : r.errors;
}

/* Touches a page until it faults or the test ends. */
struct toucher {
	volatile unsigned long *words;
	volatile bool ready, end;
};

static void *touch(void *argument)
{
	struct toucher *t = argument;

	t->ready = true;
	if (!sigsetjmp(escape, 1))
		for (unsigned i = 0; !t->end; i++)
			t->words[i % 4 * 512] = i; /* four pages, each with its own page fault */
	return NULL;
}

static bool faults(volatile unsigned long *word)
{
	if (sigsetjmp(escape, 1))
		return true;
	*word = 1;
	return false;
}

static void test_unmap_while_touched(int fd)
{
	unsigned alive = 0, done;

	for (done = 0; done < ROUNDS; done++) {
		struct gpulink_ioctl_window_map w;
		struct toucher t = { 0 };
		pthread_t thread;

		if (!map(fd, &w, &t.words) || pthread_create(&thread, NULL, touch, &t))
			break;
		while (!t.ready)
			usleep(done % 3 * 100);
		if (!unmap(fd, &w))
			break;
		t.end = true;
		pthread_join(thread, NULL);
		for (unsigned page = 0; page < 4; page++)
			alive += !faults(&t.words[page * 512]);
		munmap((void *)t.words, BYTES);
	}
	check(done == ROUNDS, "windows are mapped, touched and unmapped concurrently");
	if (alive)
		printf("# %u pages of %u\n", alive, done * 4);
	check(alive == 0, "no mapping survives its window");
}

/* Of memory without struct pages: see GLK_HAVE_HUGE_FAULT in kmod/compat/compat.h. */
static bool kernel_maps_large_pages(void)
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 17));
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_large_pages(int fd)
{
	struct gpulink_ioctl_window_map small = { .size = sizeof(small), .flags = GPULINK_ALLOW_WRITE, .bytes = BYTES };
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .bytes = LARGE_BYTES,
	};
	/* The small one, so that the large one does not begin at a large page by chance. */
	bool ok = !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &small) && !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w);
	struct rusage before, after;
	volatile unsigned long *words;
	double begin, took;
	long count;

	words = mmap(NULL, LARGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w.mmap_offset);
	check(ok && words != MAP_FAILED, "a window of 16 MiB");
	getrusage(RUSAGE_SELF, &before);
	begin = seconds();
	for (unsigned long i = 0; i < LARGE_BYTES / sizeof(long); i += 512)
		words[i] = i;
	took = seconds() - begin;
	getrusage(RUSAGE_SELF, &after);
	count = after.ru_minflt - before.ru_minflt;
	printf("# %ld page faults, %.1f ms\n", count, took * 1e3);
	if (kernel_maps_large_pages())
		check(count < 4 * LARGE_BYTES / (2 << 20), "page faults map 2 MiB each");
	else
		tap_skip("page faults map 2 MiB each", "not on this kernel");
	released_errors(fd);
	ok = true;
	for (unsigned long i = 0; i < LARGE_BYTES / sizeof(long); i += 512)
		ok = ok && words[i] == i;
	check(ok, "its stores read back");
	check(unmap(fd, &w) && faults(&words[0]) && faults(&words[LARGE_BYTES / sizeof(long) - 1]), "no page survives its window");
	munmap((void *)words, LARGE_BYTES);
	unmap(fd, &small);
}

/* A child has the file, and none of the mappings. */
static void test_fork(int fd)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	struct gpulink_ioctl_window_map w;
	volatile unsigned long *words, *doorbell;
	int status = -1;
	pid_t child;
	bool ok = map(fd, &w, &words) && !ioctl(fd, GPULINK_IOCTL_QUERY, &q);

	doorbell = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)q.doorbell_offset);
	child = ok && doorbell != MAP_FAILED ? fork() : -1;
	if (child == 0)
		_exit(faults(&words[0]) && faults(&doorbell[1]) ? 0 : 1);
	waitpid(child, &status, 0);
	check(status == 0, "a child inherits neither window nor doorbell page");
	check(!faults(&words[0]), "its parent keeps them");
	munmap((void *)doorbell, 4096);
	munmap((void *)words, BYTES);
	unmap(fd, &w);
}

static bool write_file(const char *folder, const char *file, const char *text)
{
	char path[256];
	int fd;
	bool good;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return good;
}

static void test_endpoint_goes(int fd, const char *folder)
{
	struct gpulink_ioctl_endpoint e = { .size = sizeof(e) };
	struct gpulink_ioctl_window_map w;
	volatile unsigned long *words;
	char name[40];
	unsigned before, first;
	bool mapped = !ioctl(fd, GPULINK_IOCTL_ENDPOINT, &e) && e.kind == GPULINK_ENDPOINT_BUS && map(fd, &w, &words);

	check(mapped, "a window");
	if (!mapped)
		return;
	words[0] = 1;
	before = released_errors(fd);
	check(write_file(folder, "partitions/0/endpoint", "none\n"), "its endpoint is removed");
	check(released_errors(fd) == before, "a release without lost stores succeeds");
	check(!faults(&words[0]), "a store does not kill the process");
	first = released_errors(fd);
	check(first == before + 1, "the release reports the lost store");
	words[1] = 2;
	check(released_errors(fd) == first + 1, "the next release reports it too");
	check(unmap(fd, &w) && faults(&words[0]), "the mapping faults after the window is unmapped");
	check(released_errors(fd) == first + 1, "no more errors are reported");
	munmap((void *)words, BYTES);
	snprintf(name, sizeof(name), "%.31s\n", (const char *)e.name);
	check(write_file(folder, "partitions/0/endpoint", name) && map(fd, &w, &words), "the endpoint is back");
	words[0] = 3;
	check(released_errors(fd) == first + 1 && words[0] == 3, "stores reach it again");
	unmap(fd, &w);
	munmap((void *)words, BYTES);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_sigbus };
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: mapping-test DEVICE SYSFS\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	check(fd >= 0 && !sigaction(SIGBUS, &action, NULL) && !sigaction(SIGSEGV, &action, NULL), "open");
	if (fd >= 0) {
		test_unmap_while_touched(fd);
		test_large_pages(fd);
		test_fork(fd);
		test_endpoint_goes(fd, argv[2]);
		close(fd);
	}
	return tap_end();
}
