// SPDX-License-Identifier: Apache-2.0
/* Executes a program in this process, and cleans up after it: files, mappings, children, settings. */
#define _GNU_SOURCE /* mremap() */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpulink.h>
#include <linux/io_uring.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

enum { PAGE = 4096, CHILD_SECONDS = 20, RELEASE_NS = 1000000000, BUFFER_BYTES = 1 << 18 };
#define MAPPING_MAX (UINT64_C(1) << 26) /* larger mappings only cost page tables */

static const char *device_path, *other_path;
static int memory_buffer = -1; /* a dma-buf of ordinary memory */
static unsigned char *arena;
static unsigned char *edge_page, *readonly_page; /* one before an unmapped page; one read-only */
unsigned long calls_made;

/* State of the running program. */
static struct {
	int fds[FILES];
	struct {
		unsigned char *at;
		size_t bytes;
	} maps[FILES];
	uint64_t handles[RESULTS], offsets[RESULTS];
	unsigned handle_count, offset_count;
	int ring;
	void *sq, *sqes;
	struct io_uring_params params;
	bool settings_changed;
} now;

/* Held while changing the address space: otherwise another thread could reuse a range in between. */
static pthread_mutex_t space = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local sigjmp_buf escape;
static _Thread_local volatile sig_atomic_t guarded;

static void on_fault(int number)
{
	if (!guarded)
		_exit(128 + number);
	siglongjmp(escape, 1);
}

static uint64_t resolve(const struct value *v)
{
	switch (v->source) {
	case HANDLE: return now.handles[v->v % RESULTS];
	case OFFSET: return now.offsets[v->v % RESULTS];
	case ADDRESS: return (uint64_t)(uintptr_t)arena + v->v;
	case DESCRIPTOR: return (uint64_t)now.fds[v->v % FILES];
	default: return v->v;
	}
}

/* --- ioctl --- */

static unsigned pack(const struct shape *s, const struct op *op, unsigned char *to)
{
	unsigned at = 0;

	for (unsigned i = 0; i < VALUES - IOCTL_FIELDS && s->fields[i].width; i++) {
		uint64_t v = resolve(&op->values[IOCTL_FIELDS + i]);
		unsigned width = s->fields[i].width;

		memcpy(to + at, &v, width < sizeof(v) ? width : sizeof(v));
		at += width;
	}
	return at;
}

static void keep_results(const struct shape *s, const unsigned char *from)
{
	for (unsigned i = 0; i < VALUES - IOCTL_FIELDS && s->fields[i].width; i++) {
		uint64_t v = 0;
		unsigned width = s->fields[i].width;

		if (s->fields[i].hint == HANDLE_OUT || s->fields[i].hint == OFFSET_OUT)
			memcpy(&v, from, width < sizeof(v) ? width : sizeof(v));
		if (s->fields[i].hint == HANDLE_OUT)
			now.handles[now.handle_count++ % RESULTS] = v;
		if (s->fields[i].hint == OFFSET_OUT)
			now.offsets[now.offset_count++ % RESULTS] = v;
		from += width;
	}
}

static void keep_file(uint64_t place, int fd)
{
	int *to = &now.fds[(1 + place) % FILES];

	if (*to >= 0)
		close(*to);
	*to = fd;
}

/* Usually a valid structure; sometimes at the end of a page before a hole, missing, or read-only. */
static void do_ioctl(const struct op *op, int fd)
{
	const struct shape *s = &shapes[op->values[1].v % shape_count];
	unsigned long call = s->call ? s->call : _IO(GPULINK_IOCTL_BASE, op->values[VALUES - 1].v & 0xff);
	unsigned char structure[PAGE] = { 0 }, *argument = structure;
	unsigned bytes = pack(s, op, structure);
	int result;

	switch (op->values[2].v % 4) {
	case 1:
		argument = edge_page + PAGE - bytes;
		memcpy(argument, structure, bytes);
		break;
	case 2: argument = NULL; break;
	case 3: argument = readonly_page; break;
	default: break;
	}
	result = ioctl(fd, call, argument);
	if (result >= 0 && argument && argument != readonly_page)
		keep_results(s, argument);
	if (result > 0 && call == GPULINK_IOCTL_WINDOW_EXPORT)
		keep_file(op->values[2].v / 4, result);
	/* The new descriptor is the last field of these, as in their structures. */
	if (!result && argument && argument != readonly_page &&
	    (call == GPULINK_IOCTL_POOL_CREATE || call == GPULINK_IOCTL_POOL_SHARE)) {
		int object;

		memcpy(&object, argument + bytes - sizeof(object), sizeof(object));
		keep_file(op->values[2].v / 4, object);
	}
}

static void do_entry(const struct op *op)
{
	uint64_t v[10], words[8] = { 0 };

	for (unsigned i = 0; i < 10; i++)
		v[i] = resolve(&op->values[i]);
	words[0] = (v[1] & 0xff) | (v[2] & 0xff) << 8 | (v[3] & 0xffff) << 16 | v[4] << 32;
	words[1] = v[5];
	words[2] = v[6];
	words[3] = (v[7] & 0xffff) | v[8] << 16;
	words[4] = v[9];
	memcpy(arena + v[0] % (ENTRIES_BYTES / 64) * 64, words, sizeof(words));
}

/* --- mappings --- */

static void do_mmap(const struct op *op, int fd)
{
	unsigned slot = op->values[1].v % FILES;
	uint64_t bytes = resolve(&op->values[3]) % MAPPING_MAX;
	int flags = (int)(op->values[5].v &
			  ~(uint64_t)(MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_HUGETLB | MAP_GROWSDOWN | MAP_LOCKED));
	void *at;

	if (flags & MAP_ANONYMOUS)
		return;
	at = mmap(NULL, bytes, (int)op->values[4].v & 7, flags, fd, (off_t)resolve(&op->values[2]));
	if (at == MAP_FAILED)
		return;
	if (now.maps[slot].at)
		munmap(now.maps[slot].at, now.maps[slot].bytes);
	now.maps[slot].at = at;
	now.maps[slot].bytes = (bytes + PAGE - 1) / PAGE * PAGE;
}

static void do_touch(const struct op *op, unsigned slot)
{
	unsigned width = 1U << op->values[2].v % 4;
	volatile unsigned char *at = now.maps[slot].at;

	if (!at || now.maps[slot].bytes < PAGE)
		return;
	at += op->values[1].v % (now.maps[slot].bytes - 7);
	at -= (uintptr_t)at % width;
	if (!sigsetjmp(escape, 1)) {
		guarded = 1;
		switch (op->values[2].v % 4 + (op->values[3].v % 2 ? 4 : 0)) {
		case 0: (void)*at; break;
		case 1: (void)*(volatile uint16_t *)(uintptr_t)at; break;
		case 2: (void)*(volatile uint32_t *)(uintptr_t)at; break;
		case 3: (void)*(volatile uint64_t *)(uintptr_t)at; break;
		case 4: *at = 1; break;
		case 5: *(volatile uint16_t *)(uintptr_t)at = 2; break;
		case 6: *(volatile uint32_t *)(uintptr_t)at = 3; break;
		default: *(volatile uint64_t *)(uintptr_t)at = 4; break;
		}
	}
	guarded = 0;
}

static void do_munmap(const struct op *op, unsigned slot)
{
	size_t bytes = now.maps[slot].bytes, from;

	if (!now.maps[slot].at)
		return;
	from = op->values[1].v % 3 * PAGE; /* from the start, or in the middle: cleanup unmaps the rest */
	if (!from && op->values[2].v % 2) {
		munmap(now.maps[slot].at, bytes);
		now.maps[slot].at = NULL;
	} else if (from < bytes) {
		/* Unmaps by mapping over: a thread's stack could be placed in a hole. */
		mmap(now.maps[slot].at + from, op->values[2].v % 2 ? bytes - from : PAGE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
}

static void do_mapping_call(const struct op *op, unsigned slot)
{
	static const int advices[] = { MADV_DONTFORK, MADV_DONTNEED, MADV_REMOVE, MADV_WILLNEED, MADV_DOFORK };
	void *moved;

	if (!now.maps[slot].at)
		return;
	switch (op->kind) {
	case OP_MPROTECT: mprotect(now.maps[slot].at, now.maps[slot].bytes, (int)op->values[1].v & 7); break;
	case OP_MADVISE: madvise(now.maps[slot].at, now.maps[slot].bytes, advices[op->values[1].v % 5]); break;
	default:
		moved = mremap(now.maps[slot].at, now.maps[slot].bytes, (1 + op->values[1].v % 5) * PAGE, MREMAP_MAYMOVE);
		if (moved != MAP_FAILED) {
			now.maps[slot].at = moved;
			now.maps[slot].bytes = (1 + op->values[1].v % 5) * PAGE;
		}
	}
}

/* --- io_uring by system calls: one ring per program, with 128-byte entries --- */

static void make_ring(void)
{
	struct io_uring_params *p = &now.params;

	*p = (struct io_uring_params){ .flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32 };
	now.ring = (int)syscall(SYS_io_uring_setup, 8, p);
	if (now.ring < 0)
		return;
	now.sq = mmap(NULL, p->sq_off.array + p->sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, now.ring,
		      IORING_OFF_SQ_RING);
	now.sqes =
		mmap(NULL, p->sq_entries * 128, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, now.ring, IORING_OFF_SQES);
}

static bool have_ring(void)
{
	bool have;

	pthread_mutex_lock(&space);
	if (now.ring < 0)
		make_ring();
	have = now.ring >= 0 && now.sq != MAP_FAILED && now.sqes != MAP_FAILED;
	pthread_mutex_unlock(&space);
	return have;
}

static void do_uring(const struct op *op, int fd)
{
	struct io_uring_sqe *sqe;
	uint32_t *tail, *array, slot;

	if (!have_ring())
		return;
	tail = (uint32_t *)now.sq + now.params.sq_off.tail / 4;
	array = (uint32_t *)now.sq + now.params.sq_off.array / 4;
	slot = *tail & (now.params.sq_entries - 1);
	sqe = (struct io_uring_sqe *)now.sqes + 2 * slot;
	memset(sqe, 0, 128);
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = fd;
	sqe->cmd_op = (uint32_t)op->values[1].v;
	sqe->uring_cmd_flags = (uint32_t)op->values[2].v;
	sqe->addr = resolve(&op->values[3]);
	for (unsigned i = 4; i < VALUES; i++) {
		uint64_t v = resolve(&op->values[i]);

		memcpy((unsigned char *)sqe + 48 + (i - 4) * 8, &v, 8);
	}
	array[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, now.ring, 1, 0, 0, NULL, 0);
}

/* --- other operations --- */

static void do_file(const struct op *op, int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN | POLLOUT };
	ssize_t done = 0;

	switch (op->values[1].v % 5) {
	case 0: done = read(fd, arena + ENTRIES_BYTES, 64); break;
	case 1: done = write(fd, arena + ENTRIES_BYTES, 64); break;
	case 2: done = poll(&wait, 1, 1); break;
	case 3: done = lseek(fd, PAGE, SEEK_SET); break;
	default: done = fsync(fd); break;
	}
	(void)done; /* any result will do */
}

/* Operations that change the address space. */
static void do_space(const struct op *op, unsigned slot, int fd)
{
	pthread_mutex_lock(&space);
	switch (op->kind) {
	case OP_MMAP: do_mmap(op, fd); break;
	case OP_MUNMAP: do_munmap(op, slot); break;
	default: do_mapping_call(op, slot); break;
	}
	pthread_mutex_unlock(&space);
}

static int open_file(uint64_t which)
{
	if (which % 3 == 2)
		return memory_buffer < 0 ? -1 : fcntl(memory_buffer, F_DUPFD_CLOEXEC, 0);
	return open(which % 3 && other_path ? other_path : device_path, O_RDWR | O_CLOEXEC);
}

/* Writes entries to a mapped ring, and the doorbell. */
static void do_ring(const struct op *op)
{
	unsigned ring = op->values[0].v % FILES, page = op->values[4].v % FILES;
	uint64_t places = now.maps[ring].bytes / 64, count = op->values[2].v % (ENTRIES_BYTES / 64);

	if (!sigsetjmp(escape, 1)) {
		guarded = 1;
		for (uint64_t i = 0; now.maps[ring].at && places && i < count; i++)
			memcpy(now.maps[ring].at + (op->values[3].v + i) % places * 64,
			       arena + (op->values[1].v + i) % (ENTRIES_BYTES / 64) * 64, 64);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		if (now.maps[page].at && now.maps[page].bytes >= PAGE)
			((volatile uint64_t *)(uintptr_t)now.maps[page].at)[op->values[5].v % 512] = op->values[6].v;
	}
	guarded = 0;
}

static void do_op(const struct op *op)
{
	unsigned slot = op->values[0].v % FILES;
	int *fd = &now.fds[slot];

	calls_made++;
	switch (op->kind) {
	case OP_OPEN:
	case OP_CLOSE:
		if (*fd >= 0)
			close(*fd);
		*fd = op->kind == OP_OPEN ? open_file(op->values[1].v) : -1;
		break;
	case OP_DUP: {
		int *to = &now.fds[op->values[1].v % FILES];

		if (to != fd && *to >= 0)
			close(*to);
		if (to != fd)
			*to = *fd >= 0 ? dup(*fd) : -1;
		break;
	}
	case OP_IOCTL: do_ioctl(op, *fd); break;
	case OP_ENTRY: do_entry(op); break;
	case OP_TOUCH: do_touch(op, slot); break;
	case OP_MMAP:
	case OP_MUNMAP:
	case OP_MREMAP: do_space(op, slot, *fd); break;
	case OP_MPROTECT:
	case OP_MADVISE: do_mapping_call(op, slot); break;
	case OP_URING: do_uring(op, *fd); break;
	case OP_FILE: do_file(op, *fd); break;
	case OP_SYSFS: do_sysfs(op); break;
	case OP_RING: do_ring(op); break;
	case OP_LOOK: do_look(op); break;
	default: break;
	}
}

static void *do_op_beside(void *op)
{
	do_op(op);
	return NULL;
}

/* Forks a child with the same files and mappings, which also executes the following operations. */
static void fork_child(const struct program *p, unsigned at)
{
	const struct op *op = &p->ops[at];
	pid_t child;

	pthread_mutex_lock(&space); /* so that the child holds it too */
	child = fork();
	pthread_mutex_unlock(&space);
	if (child)
		return;
	alarm(CHILD_SECONDS);
	for (unsigned i = at + 1; i < p->count && i <= at + op->values[0].v % 5; i++)
		do_op(&p->ops[i]);
	if (op->values[1].v % 2)
		raise(SIGKILL);
	_exit(0);
}

static void end_program(void)
{
	for (unsigned i = 0; i < FILES; i++) {
		if (now.maps[i].at)
			munmap(now.maps[i].at, now.maps[i].bytes);
		if (now.fds[i] >= 0)
			close(now.fds[i]);
	}
	if (now.ring >= 0) {
		if (now.sq && now.sq != MAP_FAILED)
			munmap(now.sq, now.params.sq_off.array + now.params.sq_entries * 4);
		if (now.sqes && now.sqes != MAP_FAILED)
			munmap(now.sqes, now.params.sq_entries * 128);
		close(now.ring);
	}
	while (wait(NULL) > 0)
		;
	if (now.settings_changed)
		restore_settings();
}

void execute(const struct program *p)
{
	pthread_t beside[OPS_MAX];
	unsigned besides = 0;

	memset(&now, 0, sizeof(now));
	now.ring = -1;
	for (unsigned i = 0; i < FILES; i++)
		now.fds[i] = -1;
	for (unsigned i = 0; i < p->count; i++)
		now.settings_changed |= p->ops[i].kind == OP_SYSFS; /* a child may have changed it, unseen by the parent */
	memset(arena, 0, ENTRIES_BYTES);
	for (unsigned i = 0; i < p->count; i++) {
		if (p->ops[i].kind == OP_FORK) {
			fork_child(p, i);
		} else if (p->ops[i].kind == OP_BESIDE && i + 1 < p->count) {
			i++;
			pthread_mutex_lock(&space);
			if (!pthread_create(&beside[besides], NULL, do_op_beside, (void *)(uintptr_t)&p->ops[i]))
				besides++;
			pthread_mutex_unlock(&space);
		} else {
			do_op(&p->ops[i]);
		}
	}
	while (besides--)
		pthread_join(beside[besides], NULL);
	end_program();
}

static bool partition_works(uint32_t partition)
{
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .partition = partition, .bytes = PAGE,
	};
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = RELEASE_NS };
	int fd = open(device_path, O_RDWR | O_CLOEXEC);
	volatile uint64_t *words;
	bool works = false;

	if (fd < 0)
		return false;
	if (!ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w)) {
		words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w.mmap_offset);
		if (words != MAP_FAILED) {
			words[0] = calls_made;
			works = !ioctl(fd, GPULINK_IOCTL_RELEASE, &r) && r.errors == 0 && words[0] == calls_made;
			munmap((void *)(uintptr_t)words, PAGE);
		}
	}
	close(fd);
	return works;
}

/* Returns whether the card works for a normal user, also over the link: a window, a store, a release without an error. */
bool execute_card_works(void)
{
	return partition_works(0) && (!other_path || (link_up() && partition_works(2)));
}

/* Optional: programs run without it on kernels that lack it. */
static int make_buffer(void)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = BUFFER_BYTES };
	int memory = memfd_create("fuzz", MFD_ALLOW_SEALING), device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), buffer = -1;

	create.memfd = (uint32_t)memory;
	if (memory >= 0 && device >= 0 && !ftruncate(memory, BUFFER_BYTES) && !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		buffer = ioctl(device, UDMABUF_CREATE, &create);
	if (memory >= 0)
		close(memory);
	if (device >= 0)
		close(device);
	return buffer;
}

int execute_init(const char *device, const char *sysfs, const char *other)
{
	struct sigaction action = { .sa_handler = on_fault };

	device_path = device;
	other_path = other;
	settings_init(sysfs, other);
	memory_buffer = make_buffer();
	arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	edge_page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	readonly_page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED || edge_page == MAP_FAILED || readonly_page == MAP_FAILED || munmap(edge_page + PAGE, PAGE))
		return -1;
	return sigaction(SIGBUS, &action, NULL) || sigaction(SIGSEGV, &action, NULL) ? -1 : 0;
}
