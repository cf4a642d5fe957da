// SPDX-License-Identifier: Apache-2.0
/*
 * stale-test CARD SYSFS: a reset takes back what open files hold. TAP. Runs as root; partition 0 has an endpoint of at least
 * 64 KiB; no other user of the card.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"

enum { PINNED = 4 << 20, CONTEXTS = GLK_CONTEXT_COUNT };

static const char *path, *folder;
static char usage_folder[256];

/* Pages pinned by the whole system; -1: the kernel does not count them. */
static long pinned_pages(void)
{
	long acquired = -1, released = 0, value;
	int refresh = open("/proc/sys/vm/stat_refresh", O_RDONLY); /* of the counters that each CPU keeps */
	FILE *stream;
	char name[64];

	if (read(refresh, name, 1) < 0)
		printf("# stat_refresh: %s\n", strerror(errno));
	close(refresh);
	stream = fopen("/proc/vmstat", "r");
	while (stream && fscanf(stream, "%63s %ld", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired"))
			acquired = value;
		if (!strcmp(name, "nr_foll_pin_released"))
			released = value;
	}
	if (stream)
		fclose(stream);
	return acquired < 0 ? -1 : acquired - released;
}

static bool reset(void)
{
	char file[300];
	bool ok;
	int fd;

	snprintf(file, sizeof(file), "%s/reset", folder);
	fd = open(file, O_WRONLY);
	ok = fd >= 0 && write(fd, "1\n", 2) == 2;
	close(fd);
	return ok;
}

struct hog {
	int fd[CONTEXTS];
	unsigned contexts, windows;
	char *memory;
	volatile uint64_t *words; /* of the window that begins at slice 0 */
	struct ring ring;
};

/* Takes all contexts and all slices, pins memory, and maps a window and rings. */
static void take_all(struct hog *hog)
{
	uint64_t at = 0;
	int handle;

	while (hog->contexts < CONTEXTS && (hog->fd[hog->contexts] = open(path, O_RDWR)) >= 0)
		hog->contexts++;
	for (unsigned c = 0; hog->contexts && c < CONTEXTS; c++) {
		while ((handle = card_window(hog->fd[c % hog->contexts], 0, 0, 4096, &at)) >= 0) {
			if (!handle)
				hog->words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, hog->fd[c % hog->contexts],
						  (off_t)at);
			hog->windows++;
		}
	}
	hog->memory = mmap(NULL, PINNED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int refused_everywhere(struct hog *hog)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	struct sqe nop = entry_of(GLK_OP_NOP, 0, 0, 0, 1);
	struct cqe done;
	int bad = 0;

	for (unsigned i = 0; i < hog->contexts; i++) {
		int fd = hog->fd[i];

		bad += ioctl(fd, GPULINK_IOCTL_QUERY, &q) != -1 || errno != ESTALE;
		bad += card_window(fd, 0, 0, 4096, NULL) != -ESTALE || card_unmap(fd, 0) != -ESTALE;
		bad += card_register(fd, hog->memory, 4096, GPULINK_ALLOW_READ) != -ESTALE || card_unregister(fd, 0) != -ESTALE;
		bad += card_release(fd, NULL) != -ESTALE || card_run(fd, &nop, 1, &done) != -ESTALE;
		bad += ring_wait(fd, 0, SECOND, NULL) != -ESTALE;
		bad += mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED || errno != ESTALE;
	}
	return bad;
}

/* A user's process that keeps all its files open over the reset. Exit status 0: as expected. */
static int hold_all(int out, int in)
{
	struct rlimit limit = { PINNED, PINNED };
	struct hog hog = { 0 };
	int fd, got[3];
	char word;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setuid(1000))
		return 10;
	take_all(&hog);
	got[0] = (int)hog.contexts;
	got[1] = (int)hog.windows;
	got[2] = hog.contexts ? card_register(hog.fd[0], hog.memory, PINNED, GPULINK_ALLOW_WRITE) : -1;
	if (hog.contexts && ring_map(hog.fd[0], 6, 6, &hog.ring))
		got[2] = -1;
	if (!hog.words)
		return 11;
	hog.words[0] = 1;
	if (write(out, got, sizeof(got)) < 0 || read(in, &word, 1) != 1) /* the reset */
		return 12;
	if (refused_everywhere(&hog))
		return 13;
	hog.words[0] = 0xbad;
	hog.ring.doorbell[GLK_DOORBELL_SQ_TAIL / 8] = 1;
	fd = open(path, O_RDWR);
	if (fd < 0 || card_register(fd, hog.memory, PINNED, GPULINK_ALLOW_WRITE) < 0)
		return 14; /* the stale registration is still charged */
	close(fd);
	got[0] = 0;
	if (write(out, got, sizeof(got)) < 0 || read(in, &word, 1) != 1) /* checked by the new owner */
		return 15;
	for (unsigned i = 0; i < hog.contexts; i++)
		close(hog.fd[i]);
	return write(out, got, sizeof(got)) < 0 || read(in, &word, 1) != 1 ? 16 : 0;
}

static void test_new_owner(int out, int in)
{
	uint64_t at = 0;
	int fd = open(path, O_RDWR), handle, got[3];
	volatile uint64_t *words = MAP_FAILED;
	bool ok = true;

	check(fd >= 0, "root opens the card");
	handle = card_window(fd, 0, 0, 4096, &at);
	is(handle, 0, "the slices are free again");
	if (handle >= 0)
		words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	is(card_file(usage_folder, "contexts"), 1, "the stale files hold no contexts");
	is(card_file(usage_folder, "slices"), 1, "nor slices");
	is(card_file(usage_folder, "registrations") + card_file(usage_folder, "pinned_pages"), 0, "nor registrations or pinned pages");
	if (words == MAP_FAILED) {
		check(false, "the window is mapped");
		return;
	}
	words[0] = 0x600d;
	is(card_release(fd, NULL), 0, "root stores");
	if (write(out, "x", 1) < 0 || read(in, got, sizeof(got)) != sizeof(got))
		ok = false;
	check(ok, "calls on stale files fail with ESTALE, and their user registers memory again");
	check(!card_release(fd, NULL) && words[0] == 0x600d, "a stale mapping of the slice does not reach the new window");
	ok = write(out, "x", 1) == 1 && read(in, got, sizeof(got)) == sizeof(got); /* all closed */
	words[1] = 7;
	check(ok && !card_release(fd, NULL) && words[1] == 7, "closing the stale files does not disturb the new one");
	is(card_file(usage_folder, "contexts"), 1, "the new context is still there");
	munmap((void *)words, 4096);
	close(fd);
}

/* Notifications of a change of state: poll() on the file, and uevents. */
struct watch {
	int state, events;
};

static void watch_begin(struct watch *watch)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	char file[300], text[32];

	snprintf(file, sizeof(file), "%s/state", folder);
	watch->state = open(file, O_RDONLY);
	watch->events = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);
	check(read(watch->state, text, sizeof(text)) == 5 && !strncmp(text, "live\n", 5), "the card is live");
	check(!bind(watch->events, (struct sockaddr *)&address, sizeof(address)), "uevents are received");
}

/* Whether a uevent of the card has the variable; waits up to 2 s for each event. */
static bool watch_sees(const struct watch *watch, const char *variable)
{
	struct pollfd wait = { .fd = watch->events, .events = POLLIN };
	char event[4096];
	ssize_t bytes;

	while (poll(&wait, 1, 2000) == 1 && (bytes = recv(watch->events, event, sizeof(event) - 1, 0)) > 0) {
		event[bytes] = '\0';
		if (strncmp(event, "change@", 7) != 0 || !strstr(event, "/gpulink0"))
			continue;
		for (const char *at = event; at < event + bytes; at += strlen(at) + 1)
			if (!strcmp(at, variable))
				return true;
	}
	return false;
}

static void watch_end(struct watch *watch)
{
	struct pollfd wait = { .fd = watch->state, .events = POLLPRI };
	char text[64];

	check(poll(&wait, 1, 2000) == 1 && (wait.revents & POLLPRI), "poll() on the state returns after the reset");
	check(watch_sees(watch, "GPULINK_STATE=live"), "a uevent reports the state");
	check(pread(watch->state, text, sizeof(text), 0) == 5 && !strncmp(text, "live\n", 5), "the card is live again");
	close(watch->state);
	close(watch->events);
}

int main(int argc, char **argv)
{
	struct watch watch;
	long slices, contexts, before = pinned_pages();
	int to_child[2], from_child[2], got[3] = { 0 }, status = -1;
	pid_t child;

	if (argc != 3 || pipe(to_child) || pipe(from_child)) {
		fprintf(stderr, "usage: stale-test CARD SYSFS\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	folder = argv[2];
	snprintf(usage_folder, sizeof(usage_folder), "%s/usage", folder);
	contexts = card_file(folder, "contexts");
	chmod(path, 0666);
	child = fork();
	if (child == 0) {
		close(to_child[1]);
		close(from_child[0]);
		_exit(hold_all(from_child[1], to_child[0]));
	}
	close(to_child[0]);
	close(from_child[1]);
	if (read(from_child[0], got, sizeof(got)) != sizeof(got))
		got[2] = -1;
	slices = card_file(usage_folder, "slices");
	check(got[0] == contexts && got[1] == slices && got[2] >= 0, "a user takes all contexts and slices, and pins memory");
	check(open(path, O_RDWR) == -1 && errno == ENOSPC, "nobody else can open the card");
	check(before < 0 || pinned_pages() >= before + PINNED / 4096, "its pages are pinned");
	watch_begin(&watch);
	check(reset(), "the card is reset");
	watch_end(&watch);
	check(before < 0 || pinned_pages() < before + PINNED / 4096, "its pages are no longer pinned, with its files open");
	test_new_owner(to_child[1], from_child[0]);
	if (write(to_child[1], "x", 1) < 0)
		kill(child, 9);
	close(to_child[1]);
	waitpid(child, &status, 0);
	is(status, 0, "the user's process ends as expected");
	chmod(path, 0600);
	is(card_file(usage_folder, "contexts") + card_file(usage_folder, "registrations"), 0, "nothing is left");
	return tap_end();
}
