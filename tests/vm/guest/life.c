// SPDX-License-Identifier: Apache-2.0
/*
 * life DEVICE RESOURCE LOOPS COMMAND...: traffic for life-cycle stress tests of a card.
 *
 * Three users run all the time: one submits puts and waits for completions, one stores through a mapped window, one waits in
 * large releases. COMMAND then triggers an event on the card, LOOPS times. After each event every user must promptly get
 * ESTALE or ENODEV, reopen the device once it is back, and verify that its stores arrive in the memory of partition 0's
 * endpoint, mapped from RESOURCE (the resource0 of its PCI device). At the end the card must have as many free resources as at
 * the beginning. Exit status 0: as expected; 1: not; 2: usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <gpulink_regs.h>

#define SECOND	     UINT64_C(1000000000)
#define PATIENCE     (10 * SECOND) /* for a slow machine; the driver's own limit is 2 s */
#define RECOVERY     (30 * SECOND)
#define USER_BYTES   (UINT64_C(1) << 20) /* of the endpoint, for each user */
#define BATCH	     32u
#define PUT_BYTES    200u
#define LARGE_BYTES  (UINT64_C(1) << 18) /* keeps the card busy for a while */
#define STORES	     64u
#define STORE_STRIDE 264u
#define CANARY	     (USER_BYTES - 4096)
#define LENGTH(a)    (sizeof(a) / sizeof((a)[0]))

struct user {
	const char *name;
	int (*round)(struct user *user);
	unsigned index;
	int fd;
	unsigned window, registration;
	uint8_t *mapping;	  /* of the window */
	uint8_t *stale;		  /* of a window of an earlier life */
	uint8_t *buffer;	  /* USER_BYTES, registered */
	const uint8_t *memory;	  /* where its stores arrive */
	uint64_t count;		  /* rounds over all lives; the stored value */
	atomic_uint rounds, ends; /* rounds since the device was opened; lives that ended */
	_Atomic uint64_t slowest; /* error latency since the event */
	pthread_t thread;
};

static const char *path;
static atomic_bool stop, failed;
static _Atomic uint64_t event_ns;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void nap(void)
{
	usleep(10000);
}

static void complain(const char *who, const char *what, int error)
{
	printf("%s: %s: %s\n", who, what, strerror(error));
	atomic_store(&failed, true);
}

/* --- user operations; each returns 0 or an errno --- */

static int call(const struct user *user, unsigned long number, void *argument)
{
	return ioctl(user->fd, number, argument) ? errno : 0;
}

static int release(const struct user *user)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = PATIENCE };
	int error = call(user, GPULINK_IOCTL_RELEASE, &r);

	return error ? error : r.errors ? EIO : 0;
}

static int submit(const struct user *user, uint64_t (*entries)[8], unsigned count)
{
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (uintptr_t)entries, .count = count };
	int error = call(user, GPULINK_IOCTL_SUBMIT, &s);

	return error ? error : s.submitted == count ? 0 : EAGAIN;
}

static int take(const struct user *user, unsigned count)
{
	uint64_t done[BATCH][2];
	struct gpulink_ioctl_wait w = {
		.size = sizeof(w), .completions = (uintptr_t)done, .count = count, .least = count, .timeout_ns = PATIENCE,
	};
	int error = call(user, GPULINK_IOCTL_WAIT, &w);

	for (unsigned i = 0; !error && i < count; i++)
		if ((done[i][1] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT)
			error = EPROTO;
	return error;
}

static void put_entry(const struct user *user, uint64_t *entry, uint64_t offset, uint64_t bytes)
{
	memset(entry, 0, GLK_SQE_BYTES);
	entry[0] = GLK_OP_PUT | (uint64_t)user->window << GLK_SQE_WINDOW_SHIFT | bytes << GLK_SQE_LENGTH_SHIFT;
	entry[2] = offset;
	entry[3] = user->registration | offset << GLK_SQE_REGISTRATION_OFFSET_SHIFT;
}

/* Checks the data after a release. A mismatch is a defect of the card or the driver. */
static int arrived(const struct user *user, uint64_t offset)
{
	uint64_t value;

	memcpy(&value, user->memory + offset, sizeof(value));
	return value == user->count ? 0 : EBADMSG;
}

static int ring_round(struct user *user)
{
	uint64_t entries[BATCH][8];
	int error;

	for (unsigned i = 0; i < BATCH; i++) {
		memcpy(user->buffer + i * PUT_BYTES, &user->count, sizeof(user->count));
		put_entry(user, entries[i], (uint64_t)i * PUT_BYTES, PUT_BYTES);
	}
	error = submit(user, entries, BATCH);
	if (!error)
		error = take(user, BATCH);
	if (!error)
		error = release(user);
	for (unsigned i = 0; !error && i < BATCH; i++)
		error = arrived(user, (uint64_t)i * PUT_BYTES);
	return error;
}

static void store(uint8_t *to, uint64_t value)
{
	*(volatile uint64_t *)(void *)to = value;
}

static int window_round(struct user *user)
{
	const uint64_t nowhere = ~user->count;
	int error;

	for (unsigned i = 0; i < STORES; i++)
		store(user->mapping + (size_t)i * STORE_STRIDE, user->count);
	store(user->mapping + CANARY, user->count);
	/* A stale mapping must not reach the current life's memory. */
	if (user->stale)
		store(user->stale + CANARY, nowhere);
	error = release(user);
	for (unsigned i = 0; !error && i < STORES; i++)
		error = arrived(user, (uint64_t)i * STORE_STRIDE);
	return error ? error : arrived(user, CANARY);
}

static int release_round(struct user *user)
{
	uint64_t entry[1][8];
	int error;

	memcpy(user->buffer + LARGE_BYTES - 8, &user->count, sizeof(user->count));
	put_entry(user, entry[0], 0, LARGE_BYTES);
	error = submit(user, entry, 1);
	if (!error)
		error = release(user);
	if (!error)
		error = take(user, 1);
	return error ? error : arrived(user, LARGE_BYTES - 8);
}

/* --- lives: from open to the first error --- */

static int map_window(struct user *user)
{
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
		.offset = user->index * USER_BYTES, .bytes = USER_BYTES,
	};
	int error = call(user, GPULINK_IOCTL_WINDOW_MAP, &w);

	if (error)
		return error;
	user->window = w.handle;
	user->mapping = mmap(NULL, USER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, user->fd, (off_t)w.mmap_offset);
	if (user->mapping != MAP_FAILED)
		return 0;
	user->mapping = NULL;
	return errno;
}

static int register_buffer(struct user *user)
{
	struct gpulink_ioctl_register r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ,
		.address = (uintptr_t)user->buffer, .bytes = USER_BYTES,
	};
	int error = call(user, GPULINK_IOCTL_REGISTER, &r);

	user->registration = r.handle;
	return error;
}

/* Keeps the mapping until the next life ends. */
static void end_life(struct user *user)
{
	if (user->fd >= 0)
		close(user->fd);
	user->fd = -1;
	if (user->mapping) {
		if (user->stale)
			munmap(user->stale, USER_BYTES);
		user->stale = user->mapping;
		user->mapping = NULL;
	}
}

static bool told(int error)
{
	return error == ESTALE || error == ENODEV;
}

/* Returns whether the user can start. A card, device node or endpoint that is not back yet is no error. */
static bool begin_life(struct user *user)
{
	int error;

	user->fd = open(path, O_RDWR | O_CLOEXEC);
	error = user->fd < 0 ? errno : map_window(user);
	if (!error)
		error = register_buffer(user);
	if (!error)
		return true;
	if (!told(error) && error != ENOENT && error != ENXIO)
		complain(user->name, "cannot begin", error);
	end_life(user);
	return false;
}

static void live(struct user *user)
{
	uint64_t began = 0, from, took;
	int error = 0;

	while (!error && !atomic_load(&stop)) {
		user->count++;
		began = now_ns();
		error = user->round(user);
		if (!error)
			atomic_fetch_add(&user->rounds, 1);
	}
	if (!error)
		return;
	if (!told(error))
		complain(user->name, "in its work", error);
	from = atomic_load(&event_ns) > began ? atomic_load(&event_ns) : began;
	took = now_ns() - from;
	if (took > atomic_load(&user->slowest))
		atomic_store(&user->slowest, took);
}

static void *user_thread(void *argument)
{
	struct user *user = argument;

	while (!atomic_load(&stop)) {
		if (!begin_life(user)) {
			nap();
			continue;
		}
		live(user);
		end_life(user);
		atomic_store(&user->rounds, 0);
		atomic_fetch_add(&user->ends, 1);
	}
	return NULL;
}

static struct user users[] = {
	{ .name = "ring", .round = ring_round },
	{ .name = "window", .round = window_round },
	{ .name = "release", .round = release_round },
};

static bool start_users(const char *resource)
{
	int fd = open(resource, O_RDWR | O_CLOEXEC);
	const uint8_t *memory = MAP_FAILED;

	if (fd >= 0)
		memory = mmap(NULL, LENGTH(users) * USER_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		complain(resource, "cannot be mapped", errno);
		return false;
	}
	close(fd);
	for (unsigned i = 0; i < LENGTH(users); i++) {
		users[i].index = i;
		users[i].fd = -1;
		users[i].memory = memory + i * USER_BYTES;
		users[i].count = now_ns(); /* different from data of an earlier run */
		users[i].buffer = mmap(NULL, USER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (users[i].buffer == MAP_FAILED || pthread_create(&users[i].thread, NULL, user_thread, &users[i])) {
			complain(users[i].name, "cannot start", errno);
			return false;
		}
	}
	return true;
}

static void end_users(void)
{
	atomic_store(&stop, true);
	for (unsigned i = 0; i < LENGTH(users); i++) {
		pthread_join(users[i].thread, NULL);
		if (users[i].stale)
			munmap(users[i].stale, USER_BYTES);
	}
}

/* --- events --- */

static bool all_work(const unsigned *ends)
{
	(void)ends;
	for (unsigned i = 0; i < LENGTH(users); i++)
		if (!atomic_load(&users[i].rounds))
			return false;
	return true;
}

static bool all_told(const unsigned *ends)
{
	for (unsigned i = 0; i < LENGTH(users); i++)
		if (atomic_load(&users[i].ends) == ends[i])
			return false;
	return true;
}

static bool wait_for(const char *what, bool (*all)(const unsigned *ends), const unsigned *ends, uint64_t limit)
{
	uint64_t until = now_ns() + limit;

	while (!all(ends) && !atomic_load(&failed)) {
		if (now_ns() > until) {
			for (unsigned i = 0; i < LENGTH(users); i++)
				printf("%s: %u rounds, %u lives ended\n", users[i].name, atomic_load(&users[i].rounds),
				       atomic_load(&users[i].ends));
			complain("users", what, ETIMEDOUT);
			return false;
		}
		nap();
	}
	return !atomic_load(&failed);
}

static bool run(char **command)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
		return true;
	printf("%s ended with status %#x\n", command[0], status);
	return false;
}

static bool once(char **command)
{
	unsigned ends[LENGTH(users)];

	if (!wait_for("do not work", all_work, NULL, RECOVERY))
		return false;
	for (unsigned i = 0; i < LENGTH(users); i++)
		ends[i] = atomic_load(&users[i].ends);
	atomic_store(&event_ns, now_ns());
	return run(command) && wait_for("were not told", all_told, ends, PATIENCE);
}

/* --- free resources of the card --- */

struct free {
	unsigned contexts, windows, registrations;
};

/* A page per registration: DMA API debugging warns above seven mappings of one page. */
static void count_in_context(struct free *f, int fd)
{
	static uint8_t pages[GLK_REGISTRATION_COUNT][GLK_PAGE_SIZE] __attribute__((aligned(GLK_PAGE_SIZE)));

	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_WRITE, .bytes = 4096,
	};
	struct gpulink_ioctl_register r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ, .bytes = 1,
	};

	while (f->windows < GLK_WINDOW_COUNT && !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w))
		f->windows++;
	for (; f->registrations < GLK_REGISTRATION_COUNT; f->registrations++) {
		pages[f->registrations][0] = 1; /* until written, it may be the shared zero page */
		r.address = (uintptr_t)pages[f->registrations];
		if (ioctl(fd, GPULINK_IOCTL_REGISTER, &r))
			break;
	}
}

static struct free count_free(void)
{
	int fds[GLK_CONTEXT_COUNT];
	struct free f = { 0 };

	while (f.contexts < GLK_CONTEXT_COUNT && (fds[f.contexts] = open(path, O_RDWR | O_CLOEXEC)) >= 0)
		f.contexts++;
	if (f.contexts)
		count_in_context(&f, fds[0]);
	for (unsigned i = 0; i < f.contexts; i++)
		close(fds[i]);
	return f;
}

int main(int argc, char **argv)
{
	unsigned loops = argc > 4 ? (unsigned)atoi(argv[3]) : 0, done = 0;
	uint64_t slowest = 0, began, took;
	struct free before, after;

	if (!loops) {
		fprintf(stderr, "usage: life DEVICE RESOURCE LOOPS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	before = count_free();
	if (!start_users(argv[2]))
		return 1;
	began = now_ns();
	while (done < loops && once(argv + 4))
		done++;
	wait_for("do not work at the end", all_work, NULL, RECOVERY);
	took = now_ns() - began;
	end_users();
	for (unsigned i = 0; i < LENGTH(users); i++)
		if (users[i].slowest > slowest)
			slowest = users[i].slowest;
	after = count_free();
	printf("%u of %u times, %.1f s; users got the error within %.3f s; free: %u contexts, %u windows, %u registrations\n",
	       done, loops, (double)took * 1e-9, (double)slowest * 1e-9, after.contexts, after.windows, after.registrations);
	if (!before.contexts || !before.windows || !before.registrations || memcmp(&before, &after, sizeof(before))) {
		printf("free before: %u, %u, %u\n", before.contexts, before.windows, before.registrations);
		return 1;
	}
	return done < loops || atomic_load(&failed);
}
