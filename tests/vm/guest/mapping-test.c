// SPDX-License-Identifier: Apache-2.0
/*
 * mapping-test DEVICE SYSFS: revocation of window mappings under concurrent access. TAP. DEVICE's SYSFS folder must be writable,
 * with a bus endpoint of at least 64 KiB in partition 0.
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
#include <unistd.h>

#include <gpulink.h>

enum { ROUNDS = 300, BYTES = 16384 };

static unsigned number, bad;
static _Thread_local sigjmp_buf escape;

static void check(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++number, name);
	bad += !ok;
}

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

static unsigned released_errors(int fd)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 1000000000 };

	return ioctl(fd, GPULINK_IOCTL_RELEASE, &r) ? ~0u : r.errors;
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
	check(fd >= 0 && !sigaction(SIGBUS, &action, NULL), "open");
	if (fd >= 0) {
		test_unmap_while_touched(fd);
		test_endpoint_goes(fd, argv[2]);
		close(fd);
	}
	printf("1..%u\n", number);
	return bad != 0;
}
