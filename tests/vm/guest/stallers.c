// SPDX-License-Identifier: Apache-2.0
/*
 * stallers CARD SYSFS GPU GPU GPU GPU: nobody waits for a stranger. TAP. Runs as root; the GPUs are the devices of
 * gpulink-test-gpu for partitions 0 to 3 of CARD, and users of group GROUP may use partition 0.
 *
 * Attackers, each a user of its own, stall in calls whose end others decide: an exporter, an importer, a memory cgroup. A
 * victim, another user, then makes each kind of call. What stalls the attackers lasts until the victim has finished, so a
 * victim that waits for them never finishes; no time is a condition. The worst waits are printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "test-gpu/gpulink-test-gpu.h"

enum {
	MIB = 1 << 20,
	GROUP = 2000,
	ATTACKERS = 10,
	GUARD_MS = 30000, /* until the victim counts as stalled: far beyond what a busy machine needs */
	ROUNDS = 5,	  /* of an attack that ends by itself */
	CROWD = 600,	  /* registrations that move: more than a workqueue runs at once */
	WINDOWS = 1024,
};

enum kind {
	OPEN,
	ENDPOINT,
	REGISTER,
	UNREGISTER,
	WINDOW_MAP,
	WINDOW_FAULT,
	WINDOW_UNMAP,
	RELEASE,
	SUBMIT,
	RING_MAP,
	RING_MMAP,
	RING_WAIT,
	RING_UNMAP,
	REGION_CREATE,
	REGION_WAIT,
	REGION_DESTROY,
	DMABUF_WINDOW,
	MOVED_WINDOW,
	COUNTERS,
	SYSFS_USAGE,
	SYSFS_COUNTER,
	FDINFO,
	POLL,
	CLOSE,
	RESET,
	KINDS
};
static const char *const kind_names[KINDS] = {
	"open", "ENDPOINT", "REGISTER", "UNREGISTER", "WINDOW_MAP", "fault of a window", "WINDOW_UNMAP", "RELEASE", "SUBMIT and WAIT",
	"RING_MAP", "mmap of a ring", "RING_WAIT", "RING_UNMAP", "REGION_CREATE", "REGION_WAIT", "REGION_DESTROY", "WINDOW_DMABUF",
	"fault after a move", "COUNTERS", "sysfs usage", "sysfs counter", "fdinfo", "poll", "close", "reset",
};

/* Shared by all processes. */
struct shared {
	volatile enum kind now; /* what the victim does */
	int error;	  /* of the call that failed */
	double worst[KINDS];
	volatile unsigned begun[ATTACKERS], ended[ATTACKERS]; /* calls of the attackers that may stall */
	volatile bool stop;
};

static struct shared *shared;
static const char *path, *folder;
static int gpus[4]; /* held, slow to map, scattered, the victim's */
static int buffers[4], reset_file;
static const char *const cgroups = "/sys/fs/cgroup", *const poor = "/sys/fs/cgroup/poor";

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(uid_t uid)
{
	if (setgroups(0, NULL) || setgid(GROUP) || setuid(uid))
		_exit(2);
}

static int register_dmabuf(int fd, int buffer, uint64_t bytes)
{
	struct gpulink_ioctl_register_dmabuf r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ, .fd = buffer, .bytes = bytes
	};

	return ioctl(fd, GPULINK_IOCTL_REGISTER_DMABUF, &r) ? -errno : (int)r.handle;
}

static int window_dmabuf(int fd, int buffer, uint64_t *at)
{
	struct gpulink_ioctl_window_dmabuf w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .fd = buffer, .bytes = 4096,
	};
	int error = ioctl(fd, GPULINK_IOCTL_WINDOW_DMABUF, &w) ? -errno : (int)w.handle;

	*at = w.mmap_offset;
	return error;
}

static volatile uint64_t *map(int fd, size_t bytes, uint64_t at)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

	return memory == MAP_FAILED ? NULL : memory;
}

/* --- the victim --- */

/* Measures a call that returns a value of at least 0. */
#define STEP(kind, call)                                                        \
	do {                                                                    \
		double step_begin = seconds();                                  \
		shared->now = kind;                                             \
		step_result = (long)(call);                                     \
		if (step_result < 0) {                                          \
			shared->error = (int)step_result;                       \
			_exit(1);                                               \
		}                                                               \
		if (seconds() - step_begin > shared->worst[kind])               \
			shared->worst[kind] = seconds() - step_begin;           \
	} while (0)
static long step_result;

/* What the victim has before the attack. */
struct victim {
	int fd, ring_fd, buffer, window, moved;
	volatile uint64_t *pages; /* of the window, one not touched yet per data path */
	volatile uint64_t *moved_page;
	struct ring ring;
	char *memory;
	int region;
	bool moves;
};

static int region_create(int fd, int registration, int window)
{
	struct gpulink_ioctl_region_target target = { .window = (uint32_t)window };
	struct gpulink_ioctl_region_create c = {
		.size = sizeof(c), .registration = (uint32_t)registration, .chunk_order = 12, .target_count = 1, .initial = 1,
		.bytes = 4096, .targets = (uintptr_t)&target,
	};

	return ioctl(fd, GPULINK_IOCTL_REGION_CREATE, &c) ? -errno : (int)c.handle;
}

static int region_poll(int fd, int region)
{
	struct gpulink_ioctl_region_wait w = { .size = sizeof(w), .handle = (uint32_t)region };

	return ioctl(fd, GPULINK_IOCTL_REGION_WAIT, &w) ? -errno : 0;
}

static int region_destroy(int fd, int region)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = (uint32_t)region };

	return ioctl(fd, GPULINK_IOCTL_REGION_DESTROY, &h) ? -errno : 0;
}

static int endpoint(int fd)
{
	struct gpulink_ioctl_endpoint e = { .size = sizeof(e) };

	return ioctl(fd, GPULINK_IOCTL_ENDPOINT, &e) ? -errno : 0;
}

static int counters(int fd)
{
	uint64_t values[64];
	struct gpulink_ioctl_counters c = {
		.size = sizeof(c), .partition = GPULINK_COUNTERS_CARD, .count = 64, .values = (uintptr_t)values,
	};

	return ioctl(fd, GPULINK_IOCTL_COUNTERS, &c) ? -errno : 0;
}

static int fdinfo(int fd)
{
	char name[64], text[2048];
	ssize_t count;
	int file;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	file = open(name, O_RDONLY);
	count = read(file, text, sizeof(text));
	close(file);
	return count > 0 ? 0 : -EIO;
}

static int store(volatile uint64_t *at, uint64_t value)
{
	*at = value;
	return at ? 0 : -EFAULT;
}

static int put(int fd, int window)
{
	struct sqe entry = put_inline((unsigned)window, 8, 7, 0);
	struct cqe done;
	int error = card_run(fd, &entry, 1, &done);

	return error ? error : status_of(&done) ? -EIO : 0;
}

static int ring_turn(struct victim *v)
{
	struct sqe entry = with_interrupt(put_inline((unsigned)v->moved, 8, 7, 0));
	uint32_t errors = 0;
	struct cqe done;

	ring_put(&v->ring, &entry);
	ring_tell(&v->ring);
	return ring_await(&v->ring, &done, 20 * SECOND, &errors);
}

static int ring_mmap(struct victim *v)
{
	void *at = mmap(NULL, v->ring.map.cq_bytes, PROT_READ, MAP_SHARED, v->ring_fd, (off_t)v->ring.map.cq_offset);

	return at == MAP_FAILED ? -errno : munmap(at, v->ring.map.cq_bytes);
}

static int poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents & POLLERR ? -EIO : 0;
}

static void prepare(struct victim *v)
{
	uint64_t at = 0;

	*v = (struct victim){ .fd = open(path, O_RDWR), .ring_fd = open(path, O_RDWR), .buffer = buffers[3] };
	v->memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	STEP(WINDOW_MAP, v->window = card_window(v->fd, 0, 0, 16 * 4096, &at));
	v->pages = map(v->fd, 16 * 4096, at);
	STEP(RING_MAP, ring_map(v->ring_fd, 6, 6, &v->ring));
	STEP(DMABUF_WINDOW, v->moved = window_dmabuf(v->ring_fd, v->buffer, &at));
	v->moved_page = map(v->ring_fd, 4096, at);
	STEP(WINDOW_FAULT, store(v->moved_page, 1));
	STEP(REGISTER, card_register(v->fd, v->memory, 8192, GPULINK_ALLOW_READ));
	STEP(REGION_CREATE, v->region = region_create(v->fd, (int)step_result, v->window));
}

/* What takes no lock that is held while the card drains. */
static void data_path(struct victim *v)
{
	static unsigned page;

	STEP(WINDOW_FAULT, store(&v->pages[page++ % 16 * 512], 1));
	STEP(RELEASE, card_release(v->fd, NULL));
	STEP(SUBMIT, put(v->fd, v->window));
	STEP(RING_MMAP, ring_mmap(v));
	STEP(RING_WAIT, ring_turn(v));
	STEP(REGION_WAIT, region_poll(v->fd, v->region));
	STEP(FDINFO, fdinfo(v->fd));
	STEP(POLL, poll_now(v->fd));
}

/* For attacks that last two seconds. */
static void few_calls(struct victim *v)
{
	STEP(SYSFS_USAGE, card_file(folder, "usage/windows"));
	STEP(SYSFS_COUNTER, card_file(folder, "counters/err_window"));
	STEP(REGISTER, card_unregister(v->fd, (unsigned)card_register(v->fd, v->memory + 8192, 4096, GPULINK_ALLOW_READ)));
	STEP(RELEASE, card_release(v->fd, NULL));
}

/* As the administrator. */
static void reset_card(struct victim *v)
{
	(void)v;
	STEP(RESET, write(reset_file, "1", 1));
}

static void all_calls(struct victim *v)
{
	int fd, window, registration, region;
	struct ring ring;
	uint64_t at;

	data_path(v);
	STEP(OPEN, fd = open(path, O_RDWR));
	STEP(ENDPOINT, endpoint(fd));
	STEP(REGISTER, registration = card_register(fd, v->memory, 65536, GPULINK_ALLOW_READ));
	STEP(WINDOW_MAP, window = card_window(fd, 0, 0, 4096, &at));
	STEP(REGION_CREATE, region = region_create(fd, registration, window));
	STEP(REGION_DESTROY, region_destroy(fd, region));
	STEP(WINDOW_UNMAP, card_unmap(fd, (unsigned)window));
	STEP(UNREGISTER, card_unregister(fd, (unsigned)registration));
	STEP(RING_MAP, ring_map(fd, 6, 6, &ring));
	STEP(RING_UNMAP, ring_unmap(&ring));
	STEP(DMABUF_WINDOW, window_dmabuf(fd, v->buffer, &at));
	STEP(CLOSE, close(fd));
	if (v->moves) {
		STEP(MOVED_WINDOW, ioctl(gpus[3], TEST_GPU_MOVE, 0) < 0 ? -errno : store(v->moved_page, 2));
	}
	STEP(COUNTERS, counters(v->fd));
	few_calls(v);
}

/* --- attackers --- */

/* A call that may stall. */
#define ATTACK(n, call)                                                         \
	do {                                                                    \
		shared->begun[n]++;                                             \
		(void)(call);                                                   \
		shared->ended[n]++;                                             \
	} while (0)

static void attack_register(unsigned n)
{
	int fd = open(path, O_RDWR);

	ATTACK(n, register_dmabuf(fd, buffers[0], 4096));
}

static void attack_register_map(unsigned n)
{
	int fd = open(path, O_RDWR);

	ATTACK(n, register_dmabuf(fd, buffers[1], 4096));
}

static void attack_window_map(unsigned n)
{
	int fd = open(path, O_RDWR);
	uint64_t at;

	ATTACK(n, window_dmabuf(fd, buffers[1], &at));
}

/* 262144 entries: charged to a cgroup that is over memory.high, so the kernel lets the process sleep. */
static void attack_register_scattered(unsigned n)
{
	int fd = open(path, O_RDWR);

	ATTACK(n, register_dmabuf(fd, buffers[2], 1 << 30));
}

static void attack_rings(unsigned n)
{
	int fd = open(path, O_RDWR);
	struct ring ring;

	while (!shared->stop) {
		ATTACK(n, ring_map(fd, 12, 12, &ring));
		ring_unmap(&ring);
	}
}

/* A file with an exported window whose importer holds its reservation. */
static int export_held(pid_t *importer)
{
	int fd = open(path, O_RDWR), buffer, window = card_window(fd, 0, 0, 4096, NULL),
	    before = ioctl(gpus[0], TEST_GPU_HOLDERS);
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = (uint32_t)window };

	buffer = ioctl(fd, GPULINK_IOCTL_WINDOW_EXPORT, &h);
	if (window < 0 || buffer < 0)
		_exit(3);
	*importer = fork();
	if (!*importer) {
		close(fd);
		ioctl(gpus[0], TEST_GPU_HOLD, buffer);
		_exit(0);
	}
	while (ioctl(gpus[0], TEST_GPU_HOLDERS) <= before)
		usleep(1000);
	return fd;
}

static void attack_export(unsigned n)
{
	pid_t importer;
	int fd = export_held(&importer);

	ATTACK(n, close(fd));
	waitpid(importer, NULL, 0);
}

static void attack_open_export(unsigned n)
{
	pid_t importer;
	int fd = export_held(&importer);

	ATTACK(n, waitpid(importer, NULL, 0));
	close(fd);
}

/* All move at once, when the test moves the buffer. */
static void attack_crowd(unsigned n)
{
	int fd = open(path, O_RDWR);

	for (unsigned i = 0; i < CROWD; i++)
		if (register_dmabuf(fd, buffers[0], 4096) < 0)
			_exit(3);
	shared->begun[n]++;
	while (!shared->stop)
		usleep(10000);
}

static void attack_drain(unsigned n)
{
	int fd = open(path, O_RDWR), window = card_window(fd, 0, 0, 4096, NULL);

	if (window < 0 || ioctl(gpus[0], TEST_GPU_HOLD_DRAINS, 1))
		_exit(3);
	ATTACK(n, card_unmap(fd, (unsigned)window));
}

struct attacker {
	void (*attack)(unsigned n);
	bool poor; /* in a memory cgroup that is over its limit */
	bool export; /* needs a kernel that lets drivers export windows */
};

static bool has_cgroups, has_export, has_moves;
static pid_t attackers[ATTACKERS], mover;

/* Whether the process sleeps in a system call, or is gone. */
static bool sleeps(pid_t pid)
{
	char file[64], text[16] = "";
	int fd;

	snprintf(file, sizeof(file), "/proc/%d/syscall", pid);
	fd = open(file, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strncmp(text, "running", 7) != 0;
}

/* Waits until the attacker stalls, be it in a call before the one that is meant, or its call has ended. */
static void await_stall(unsigned n, pid_t pid)
{
	for (unsigned i = 0, asleep = 0; i < 3000 && asleep < (shared->begun[n] ? 5 : 100); i++) {
		asleep = sleeps(pid) ? asleep + 1 : 0;
		usleep(10000);
	}
}

static void begin_attacker(unsigned n, const struct attacker *a)
{
	char text[16];

	attackers[n] = fork();
	if (!attackers[n]) {
		struct rlimit limit = { 64 * MIB, 64 * MIB };

		snprintf(text, sizeof(text), "%d", getpid());
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || (a->poor && !put_text(poor, "cgroup.procs", text)))
			_exit(2);
		become(GROUP + 1 + n);
		a->attack(n);
		_exit(0);
	}
}

static void hold_mappings(bool on)
{
	ioctl(gpus[0], TEST_GPU_HOLD_MAP, on);
	ioctl(gpus[1], TEST_GPU_HOLD_MAP, on);
}

/* The exporter moves the first buffer, and does not finish. */
static void begin_move(void)
{
	mover = fork();
	if (!mover) {
		ioctl(gpus[0], TEST_GPU_MOVE, 0);
		_exit(0);
	}
	while (!ioctl(gpus[0], TEST_GPU_HOLDERS))
		usleep(1000);
}

/* Ends what is held until all attackers are gone. Returns how many failed. */
static unsigned end_attack(unsigned count)
{
	unsigned failed = 0;
	int status;

	shared->stop = true;
	hold_mappings(false);
	for (unsigned n = 0; n < count; n++) {
		while (waitpid(attackers[n], &status, WNOHANG) == 0) {
			ioctl(gpus[0], TEST_GPU_UNHOLD);
			usleep(10000);
		}
		failed += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	ioctl(gpus[0], TEST_GPU_UNHOLD);
	if (mover)
		waitpid(mover, NULL, 0);
	mover = 0;
	return failed;
}

/* --- attacks --- */

enum condition { HELD, MEANWHILE };

struct attack {
	const char *name;
	void (*calls)(struct victim *v);
	enum condition condition; /* MEANWHILE: the victim finishes within one call of each attacker, in one of ROUNDS rounds */
	bool move, move_later;
	unsigned count;
	struct attacker attackers[ATTACKERS];
};

static void print_waits(void)
{
	printf("# worst waits in ms:");
	for (unsigned i = 0; i < KINDS; i++)
		if (shared->worst[i] > 0)
			printf(" %s %.1f,", kind_names[i], 1e3 * shared->worst[i]);
	printf("\n");
}

/* A child of the victim's user; a byte from it is a step, a byte to it lets it go on. */
static pid_t begin_victim(const struct attack *a, int *socket)
{
	char byte = 0;
	pid_t child;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(2);
	child = fork();
	if (!child) {
		struct victim v;

		close(pair[0]);
		become(GROUP);
		prepare(&v);
		memset(shared->worst, 0, sizeof(shared->worst));
		v.moves = has_moves;
		if (write(pair[1], "r", 1) < 0 || read(pair[1], &byte, 1) < 1)
			_exit(2);
		a->calls(&v);
		if (write(pair[1], "d", 1) < 0)
			_exit(2);
		_exit(0);
	}
	close(pair[1]);
	*socket = pair[0];
	return child;
}

/* Whether the victim says that it has finished, before the guard. */
static bool victim_says(int socket)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	char byte;

	return poll(&p, 1, GUARD_MS) == 1 && read(socket, &byte, 1) == 1;
}

/* Whether the victim finished, and the attackers that should stall still do. */
static bool run_round(const struct attack *a, bool *meanwhile)
{
	unsigned ended[ATTACKERS];
	int socket, status;
	bool finished;
	pid_t victim;

	memset(shared, 0, sizeof(*shared));
	victim = begin_victim(a, &socket);
	if (!victim_says(socket)) {
		printf("# the victim cannot prepare: %s: %s\n", kind_names[shared->now], strerror(-shared->error));
		waitpid(victim, NULL, 0);
		close(socket);
		return false;
	}
	hold_mappings(!a->move_later);
	if (a->move)
		begin_move();
	for (unsigned n = 0; n < a->count; n++)
		begin_attacker(n, &a->attackers[n]);
	for (unsigned n = 0; n < a->count; n++)
		await_stall(n, attackers[n]);
	if (a->move_later) {
		hold_mappings(true);
		begin_move();
	}
	for (unsigned n = 0; n < a->count; n++)
		ended[n] = shared->ended[n];
	finished = write(socket, "g", 1) == 1 && victim_says(socket);
	*meanwhile = finished;
	for (unsigned n = 0; n < a->count; n++)
		*meanwhile &= shared->begun[n] && shared->ended[n] == ended[n];
	if (!finished)
		printf("# the victim waits in: %s\n", kind_names[shared->now]);
	is(end_attack(a->count), 0, "the attackers end");
	waitpid(victim, &status, 0);
	close(socket);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		printf("# the victim fails: %s: %s\n", kind_names[shared->now], strerror(-shared->error));
		finished = false;
	}
	print_waits();
	return finished;
}

static const struct attack attacks[] = {
	{ "ten users register a buffer whose exporter moves it", all_calls, HELD, .move = true, .count = 10,
	  .attackers = { { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register },
			 { attack_register } } },
	{ "a user registers a buffer whose exporter takes its time to map it", all_calls, HELD, .count = 1,
	  .attackers = { { attack_register_map } } },
	{ "a user opens a window on such a buffer", all_calls, HELD, .count = 1, .attackers = { { attack_window_map } } },
	{ "a user has 600 registrations of a buffer that moves", all_calls, HELD, .move_later = true, .count = 1,
	  .attackers = { { attack_crowd } } },
	{ "a user closes a file while an importer holds its window", all_calls, HELD, .count = 1,
	  .attackers = { { attack_export, .export = true } } },
	{ "a user whose memory is short registers a scattered buffer", all_calls, MEANWHILE, .count = 1,
	  .attackers = { { attack_register_scattered, .poor = true } } },
	{ "a user whose memory is short maps rings", few_calls, MEANWHILE, .count = 1,
	  .attackers = { { attack_rings, .poor = true } } },
	{ "a drain lasts, and the data path does not wait for it", data_path, HELD, .count = 1,
	  .attackers = { { attack_drain } } },
	{ "a reset takes back registrations of a buffer that moves", reset_card, HELD, .move_later = true, .count = 1,
	  .attackers = { { attack_crowd } } },
	{ "a reset takes back a window that an importer holds", reset_card, HELD, .count = 1,
	  .attackers = { { attack_open_export, .export = true } } },
	{ "all of them at once", all_calls, HELD, .move = true, .count = 10,
	  .attackers = { { attack_register },
			 { attack_register },
			 { attack_register_map },
			 { attack_window_map },
			 { attack_register_scattered, .poor = true },
			 { attack_register_scattered, .poor = true },
			 { attack_rings, .poor = true },
			 { attack_rings, .poor = true },
			 { attack_window_map },
			 { attack_register_map } } },
};

static const char *why_not(const struct attack *a)
{
	for (unsigned n = 0; n < a->count; n++) {
		if (a->attackers[n].poor && !has_cgroups)
			return "this kernel has no memory cgroups";
		if (a->attackers[n].export && !has_export)
			return "this kernel does not export windows";
	}
	return a->move_later && !has_moves ? "this kernel pins buffers" : NULL;
}

static void run_attack(const struct attack *a)
{
	bool finished = true, meanwhile = false;
	const char *why = why_not(a);
	char name[160];

	snprintf(name, sizeof(name), "the victim does not wait: %s%s%s", a->name, why ? " # SKIP " : "", why ? why : "");
	if (!why) {
		printf("# %s:\n", a->name);
		for (unsigned i = 0; i < ROUNDS && finished && !meanwhile; i++) {
			finished = run_round(a, &meanwhile);
			meanwhile |= a->condition == HELD;
		}
	}
	check(why || (finished && meanwhile), name);
}

/* Each drain of a card takes long, and all users wait for it. */
static void test_one_drain(void)
{
	int fd = open(path, O_RDWR), before;
	unsigned count = 0;
	double begin;

	while (count < WINDOWS && card_window(fd, 0, 0, 4096, NULL) >= 0)
		count++;
	before = ioctl(gpus[0], TEST_GPU_DRAINS);
	begin = seconds();
	close(fd);
	printf("# %u windows are closed in %.1f ms\n", count, 1e3 * (seconds() - begin));
	check(count > 1 && before >= 0, "a file has many windows");
	is(ioctl(gpus[0], TEST_GPU_DRAINS) - before, 1, "its close drains the card once");
}

static void learn(void)
{
	int fd = open(path, O_RDWR), window = card_window(fd, 0, 0, 4096, NULL);
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = (uint32_t)window };
	int buffer = ioctl(fd, GPULINK_IOCTL_WINDOW_EXPORT, &h);

	has_export = buffer >= 0;
	close(buffer);
	has_moves = register_dmabuf(fd, buffers[3], 4096) >= 0 && ioctl(gpus[3], TEST_GPU_MOVE, 0) >= 0;
	close(fd);
	has_cgroups = !mount("none", cgroups, "cgroup2", 0, NULL);
	if (has_cgroups)
		check(put_text(cgroups, "cgroup.subtree_control", "+memory") && !mkdir(poor, 0755) &&
			      put_text(poor, "memory.high", "65536"), "a memory cgroup with little memory");
}

int main(int argc, char **argv)
{
	char file[256];
	const struct test_gpu_pieces pieces = { .bytes = 1 << 30, .piece = 4096 };

	if (argc != 7) {
		fprintf(stderr, "usage: stallers CARD SYSFS GPU GPU GPU GPU\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	folder = argv[2];
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < 4; i++) {
		gpus[i] = open(argv[3 + i], O_RDWR);
		buffers[i] = i == 2 ? ioctl(gpus[i], TEST_GPU_EXPORT_PIECES, &pieces) : ioctl(gpus[i], TEST_GPU_EXPORT, 65536);
		check(buffers[i] >= 0, "a GPU exports a buffer");
	}
	snprintf(file, sizeof(file), "%s/reset", folder);
	reset_file = open(file, O_WRONLY);
	learn();
	for (unsigned i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		run_attack(&attacks[i]);
	test_one_drain();
	return tap_end();
}
