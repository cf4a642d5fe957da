// SPDX-License-Identifier: Apache-2.0
/*
 * kmod-ioctl-test DEVICE: the kernel interface without the library; mostly calls that must be refused. TAP. Requires
 * endpoints of at least 64 KiB in partitions 0 and 1, none in partition 5.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <tap.h>
#include "gpulink_regs.h"

#define SECOND 1000000000ULL

static const char *path;

/* The call is refused with the error. */
static void refused(int fd, unsigned long call, void *arg, int error, const char *name)
{
	int ret;

	errno = 0;
	ret = ioctl(fd, call, arg);
	if (ret == 0 || errno != error)
		printf("# returned %d, errno %d (%s), should be %d (%s)\n", ret, errno, strerror(errno), error,
		       strerror(error));
	check(ret == -1 && errno == error, name);
}

static struct gpulink_ioctl_window_map window(unsigned partition, uint64_t offset, uint64_t bytes)
{
	return (struct gpulink_ioctl_window_map){
		.size = sizeof(struct gpulink_ioctl_window_map),
		.flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
		.partition = partition,
		.offset = offset,
		.bytes = bytes,
	};
}

static struct gpulink_ioctl_handle handle(unsigned value)
{
	return (struct gpulink_ioctl_handle){ .size = sizeof(struct gpulink_ioctl_handle), .handle = value };
}

static int release(int fd, struct gpulink_ioctl_release *r)
{
	*r = (struct gpulink_ioctl_release){ .size = sizeof(*r), .timeout_ns = 5 * SECOND };
	return ioctl(fd, GPULINK_IOCTL_RELEASE, r);
}

static void test_query(int fd)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	struct {
		struct gpulink_ioctl_query q;
		__u64 tail;
	} longer = { .q = { .size = sizeof(longer) } };

	check(!ioctl(fd, GPULINK_IOCTL_QUERY, &q) && q.abi_version == GPULINK_ABI_VERSION && q.partitions >= 6,
	      "query tells the version");
	check(q.size == sizeof(q) && q.ring_entries >= 16 && (q.subheader_widths & 0x7c) == 0x7c, "query returns the card's capabilities");
	q.flags = 1;
	refused(fd, GPULINK_IOCTL_QUERY, &q, EINVAL, "an unknown flag is refused");
	q = (struct gpulink_ioctl_query){ .size = 8 };
	refused(fd, GPULINK_IOCTL_QUERY, &q, EINVAL, "a structure that is too short is refused");
	q.size = 0x10000000;
	refused(fd, GPULINK_IOCTL_QUERY, &q, EINVAL, "a structure that is far too long is refused");
	check(!ioctl(fd, GPULINK_IOCTL_QUERY, &longer), "a longer structure with a zero tail is accepted");
	longer.q.flags = 0;
	longer.q.size = sizeof(longer);
	longer.tail = 1;
	refused(fd, GPULINK_IOCTL_QUERY, &longer, E2BIG, "a longer structure with something in its tail is refused");
	refused(fd, GPULINK_IOCTL_QUERY, NULL, EFAULT, "a null pointer is refused");
	refused(fd, _IO(GPULINK_IOCTL_BASE, 0x7f), &q, ENOTTY, "an unknown number is refused");
	refused(fd, _IOW(GPULINK_IOCTL_BASE, 0, int), &q, ENOTTY, "a number with a direction is refused");
}

static void test_endpoint(int fd)
{
	struct gpulink_ioctl_endpoint e = { .size = sizeof(e), .partition = 0 };

	check(!ioctl(fd, GPULINK_IOCTL_ENDPOINT, &e) && e.kind != GPULINK_ENDPOINT_NONE && e.bytes >= 65536,
	      "endpoint 0 is there");
	e = (struct gpulink_ioctl_endpoint){ .size = sizeof(e), .partition = 5 };
	check(!ioctl(fd, GPULINK_IOCTL_ENDPOINT, &e) && e.kind == GPULINK_ENDPOINT_NONE && !e.name[0],
	      "endpoint 5 is not");
	e.partition = 16;
	refused(fd, GPULINK_IOCTL_ENDPOINT, &e, EINVAL, "an endpoint beyond the last partition is refused");
}

static void test_window_errors(int fd)
{
	struct gpulink_ioctl_window_map w;
	struct gpulink_ioctl_handle h;

	w = window(16, 0, 4096);
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, EINVAL, "a window on no partition is refused");
	w = window(5, 0, 4096);
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, ENXIO, "a window on no endpoint is refused");
	w = window(0, 100, 4096);
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, EINVAL, "a crooked offset is refused");
	w = window(0, 0, 0);
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, EINVAL, "an empty window is refused");
	w = window(0, 0, UINT64_C(1) << 40);
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, ERANGE, "a window beyond the endpoint is refused");
	w = window(0, -UINT64_C(4096), 8192);
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, ERANGE, "an offset that overflows is refused");
	w = window(0, 0, 4096);
	w.flags = 0;
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, EINVAL, "a window without rights is refused");
	w.flags = 4;
	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, EINVAL, "an unknown right is refused");
	h = handle(1023);
	refused(fd, GPULINK_IOCTL_WINDOW_UNMAP, &h, ENOENT, "an unknown window is not unmapped");
	h.reserved = 1;
	refused(fd, GPULINK_IOCTL_WINDOW_UNMAP, &h, EINVAL, "a reserved field is refused");
}

static sigjmp_buf escape;

static void on_sigbus(int signal_number)
{
	(void)signal_number;
	siglongjmp(escape, 1);
}

/* Returns whether an access raises SIGBUS. */
static bool touch_faults(volatile uint64_t *address)
{
	struct sigaction action = { .sa_handler = on_sigbus }, before;
	volatile bool faulted = true;

	sigaction(SIGBUS, &action, &before);
	if (!sigsetjmp(escape, 1)) {
		(void)*address;
		faulted = false;
	}
	sigaction(SIGBUS, &before, NULL);
	return faulted;
}

static void test_read_only_file(void)
{
	struct gpulink_ioctl_window_map w = window(0, 0, 4096);
	int fd = open(path, O_RDONLY);

	refused(fd, GPULINK_IOCTL_WINDOW_MAP, &w, EACCES, "a file that is open for reading has no window to write");
	w.flags = GPULINK_ALLOW_READ;
	check(!ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w), "a read-only window is mapped");
	close(fd);
}

static void test_window(int fd)
{
	struct gpulink_ioctl_window_map w = window(0, 4096, 8192);
	struct gpulink_ioctl_release r;
	struct gpulink_ioctl_handle h;
	volatile uint64_t *words;
	int other;

	check(!ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w), "a window is mapped");
	words = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w.mmap_offset);
	check(words != MAP_FAILED, "the window is mapped into the process");
	words[0] = 0x1122334455667788;
	words[1023] = 42;
	check(!release(fd, &r) && r.errors == 0, "a release completes without an error");
	check(words[0] == 0x1122334455667788 && words[1023] == 42, "loads return the stored data");
	check(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, (off_t)w.mmap_offset) == MAP_FAILED && errno == EINVAL,
	      "a private mapping is refused");
	check(mmap(NULL, 8192 + (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, (off_t)w.mmap_offset) == MAP_FAILED &&
		      errno == EINVAL,
	      "a mapping beyond the window is refused");
	other = open(path, O_RDWR);
	check(other >= 0 && mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, (off_t)w.mmap_offset) == MAP_FAILED &&
	      errno == EINVAL, "another context's window cannot be mapped");
	h = handle(w.handle);
	refused(other, GPULINK_IOCTL_WINDOW_UNMAP, &h, ENOENT, "nor unmapped");
	close(other);
	check(!ioctl(fd, GPULINK_IOCTL_WINDOW_UNMAP, &h), "the window is unmapped");
	check(touch_faults(words), "its mapping faults");
	refused(fd, GPULINK_IOCTL_WINDOW_UNMAP, &h, ENOENT, "it is not unmapped twice");
	munmap((void *)words, 8192);
}

static void test_pages(int fd)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	volatile uint64_t *doorbell, *record;
	bool written = false;

	ioctl(fd, GPULINK_IOCTL_QUERY, &q);
	check(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)q.record_offset) == MAP_FAILED &&
	      errno == EACCES, "the record is not mapped for writing");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)(q.record_offset + 4096)) == MAP_FAILED,
	      "another context's record is not mapped");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)(q.doorbell_offset + 4096)) == MAP_FAILED,
	      "another context's doorbell is not mapped");
	record = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)q.record_offset);
	doorbell = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)q.doorbell_offset);
	check(record != MAP_FAILED && doorbell != MAP_FAILED, "record and doorbell are mapped");
	check(mprotect((void *)record, 4096, PROT_READ | PROT_WRITE) == -1, "the record cannot be made writable");
	doorbell[GLK_DOORBELL_RELEASE / 8] = 0xabcdef;
	for (unsigned i = 0; i < 1000 && !written; i++) {
		written = record[0] == 0xabcdef;
		usleep(1000);
	}
	check(written, "a release by the doorbell page completes in the record");
	munmap((void *)record, 4096);
	munmap((void *)doorbell, 4096);
}

static int submit(int fd, const uint64_t (*entries)[8], unsigned count)
{
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (uintptr_t)entries, .count = count };

	return ioctl(fd, GPULINK_IOCTL_SUBMIT, &s) ? -1 : (int)s.submitted;
}

/* Submits one entry; returns its status, or -1. */
static int status_of(int fd, const uint64_t entry[8])
{
	uint64_t done[2];
	struct gpulink_ioctl_wait w = {
		.size = sizeof(w), .completions = (uintptr_t)done, .count = 1, .least = 1, .timeout_ns = 5 * SECOND,
	};

	if (submit(fd, (const uint64_t (*)[8])entry, 1) != 1 || ioctl(fd, GPULINK_IOCTL_WAIT, &w) || w.completed != 1)
		return -1;
	return done[0] == entry[1] ? (int)((done[1] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT) : -1;
}

static void expect(int fd, const uint64_t entry[8], unsigned status, const char *name)
{
	int got = status_of(fd, entry);

	if (got != (int)status)
		printf("# status %d, should be %u\n", got, status);
	check(got == (int)status, name);
}

#define SQE(op, window, length) ((uint64_t)(op) | (uint64_t)(window) << 16 | (uint64_t)(length) << 32)

static void test_ring_errors(int fd)
{
	struct gpulink_ioctl_window_map w = window(0, 0, 4096), foreign = window(1, 0, 4096), one_way = window(1, 0, 4096);
	int other = open(path, O_RDWR);
	uint64_t e[8] = { 0 };

	one_way.flags = GPULINK_ALLOW_WRITE;
	check(!ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w) && !ioctl(other, GPULINK_IOCTL_WINDOW_MAP, &foreign) &&
	      !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &one_way), "windows for ring entries");
	e[1] = 77;
	expect(fd, e, GLK_ST_OK, "nop completes");
	e[0] = 200;
	expect(fd, e, GLK_ST_OPCODE, "an unknown operation is refused");
	e[0] = SQE(GLK_OP_PUT_INLINE, w.handle, 8);
	e[4] = 5;
	expect(fd, e, GLK_ST_OK, "put");
	e[0] = SQE(GLK_OP_PUT_INLINE, w.handle, 33);
	expect(fd, e, GLK_ST_LENGTH, "a put that is too long is refused");
	e[0] = SQE(GLK_OP_PUT_INLINE, foreign.handle, 8);
	expect(fd, e, GLK_ST_WINDOW, "another context's window is refused");
	e[0] = SQE(GLK_OP_PUT_INLINE, 999, 8);
	expect(fd, e, GLK_ST_WINDOW, "an unknown window is refused");
	e[0] = SQE(GLK_OP_PUT_INLINE, w.handle, 8);
	e[2] = 4092;
	expect(fd, e, GLK_ST_WINDOW_BOUNDS, "a put across the end of the window is refused");
	e[2] = UINT64_C(1) << 60;
	expect(fd, e, GLK_ST_WINDOW_BOUNDS, "a put far past the window is refused");
	e[2] = 0;
	e[3] = 1;
	expect(fd, e, GLK_ST_RESERVED, "an unused word is refused");
	e[4] = 0;
	e[0] = SQE(GLK_OP_PUT, w.handle, 8);
	e[3] = 1000;
	expect(fd, e, GLK_ST_REGISTRATION, "an unknown registration is refused");
	e[0] = SQE(GLK_OP_GET, one_way.handle, 8);
	expect(fd, e, GLK_ST_PERMISSION, "a get from a window without read rights is refused");
	close(other);
}

static void test_registration(int fd)
{
	struct gpulink_ioctl_register r = { .size = sizeof(r), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE };
	struct gpulink_ioctl_window_map w = window(1, 0, 65536);
	unsigned char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct gpulink_ioctl_release rel;
	struct gpulink_ioctl_handle h;
	uint64_t e[8] = { 0 };
	bool same = true;

	r.bytes = 100;
	refused(fd, GPULINK_IOCTL_REGISTER, &r, EFAULT, "memory that is not there is not registered");
	r.address = (uintptr_t)memory;
	r.bytes = 0;
	refused(fd, GPULINK_IOCTL_REGISTER, &r, EINVAL, "no bytes are not registered");
	r.bytes = UINT64_MAX;
	refused(fd, GPULINK_IOCTL_REGISTER, &r, EINVAL, "a range that overflows is refused");
	r.address = (uintptr_t)memory + 100;
	r.bytes = 60000;
	check(!ioctl(fd, GPULINK_IOCTL_REGISTER, &r) && !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w), "memory is registered");
	for (unsigned i = 0; i < 20000; i++)
		memory[100 + i] = (unsigned char)(i * 7 + i / 256);
	e[0] = SQE(GLK_OP_PUT, w.handle, 20000);
	e[2] = 300;
	e[3] = r.handle;
	expect(fd, e, GLK_ST_OK, "a long put from it");
	check(!release(fd, &rel), "release");
	e[0] = SQE(GLK_OP_GET, w.handle, 20000);
	e[3] = r.handle | 30000UL << 16;
	expect(fd, e, GLK_ST_OK, "a long get into it");
	for (unsigned i = 0; i < 20000; i++)
		same = same && memory[30100 + i] == memory[100 + i];
	check(same, "the get returns what was put");
	e[3] = r.handle | 59999UL << 16;
	expect(fd, e, GLK_ST_REGISTRATION_BOUNDS, "a get past its end is refused");
	h = handle(r.handle);
	check(!ioctl(fd, GPULINK_IOCTL_UNREGISTER, &h), "the memory is unregistered");
	e[3] = r.handle;
	expect(fd, e, GLK_ST_REGISTRATION, "its handle is invalid");
	refused(fd, GPULINK_IOCTL_UNREGISTER, &h, ENOENT, "it is not taken away twice");
	munmap(memory, 65536);
}

/* Memory registered for reading before its first write, and written again after a fork: the card must send its current
 * contents. */
static void test_registration_for_reading(int fd)
{
	uint64_t *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct gpulink_ioctl_register from = { .size = sizeof(from), .flags = GPULINK_ALLOW_READ, .bytes = 4096 }, to = from;
	struct gpulink_ioctl_window_map w = window(1, 0, 65536);
	struct gpulink_ioctl_release rel;
	uint64_t e[8] = { 0 };

	from.address = (uintptr_t)memory;
	to.address = (uintptr_t)memory + 4096;
	to.flags = GPULINK_ALLOW_WRITE;
	check(!ioctl(fd, GPULINK_IOCTL_REGISTER, &from) && !ioctl(fd, GPULINK_IOCTL_REGISTER, &to) &&
		      !ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w),
	      "untouched memory is registered");
	for (unsigned i = 0; i < 2; i++) {
		memory[0] = 0x1234 + i;
		e[0] = SQE(GLK_OP_PUT, w.handle, 8);
		e[3] = from.handle;
		expect(fd, e, GLK_ST_OK, "a put from it");
		release(fd, &rel);
		e[0] = SQE(GLK_OP_GET, w.handle, 8);
		e[3] = to.handle;
		expect(fd, e, GLK_ST_OK, "a get of it");
		check(memory[512] == 0x1234 + i, "the current contents were sent");
		if (i == 0 && fork() == 0)
			_exit(0);
		while (wait(NULL) > 0)
			;
	}
	munmap(memory, 8192);
}

/* Pinned memory counts against RLIMIT_MEMLOCK: in an unprivileged child with a low limit. */
static void test_memlock(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		struct gpulink_ioctl_register r = { .size = sizeof(r), .flags = GPULINK_ALLOW_READ, .bytes = 1 << 20 };
		struct rlimit limit = { 65536, 65536 };
		int fd = open(path, O_RDWR);

		r.address = (uintptr_t)mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (fd < 0 || setrlimit(RLIMIT_MEMLOCK, &limit) || setuid(1000))
			_exit(2);
		if (ioctl(fd, GPULINK_IOCTL_REGISTER, &r) != -1 || errno != ENOMEM)
			_exit(1);
		r.bytes = 32768;
		_exit(ioctl(fd, GPULINK_IOCTL_REGISTER, &r) ? 3 : 0);
	}
	check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
	      "pinned memory counts against RLIMIT_MEMLOCK");
}

static void test_ring(int fd)
{
	static uint64_t entries[300][8];
	uint64_t done[256][2];
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (uintptr_t)entries, .count = 256 };
	struct gpulink_ioctl_wait w = { .size = sizeof(w), .completions = (uintptr_t)done, .count = 256, .least = 256 };
	bool in_order = true;

	for (unsigned i = 0; i < 300; i++)
		entries[i][1] = 1000 + i;
	check(!ioctl(fd, GPULINK_IOCTL_SUBMIT, &s) && s.submitted == 256, "256 entries are accepted");
	s.count = 1;
	refused(fd, GPULINK_IOCTL_SUBMIT, &s, EAGAIN, "one more is not, until completions are taken");
	w.timeout_ns = 5 * SECOND;
	check(!ioctl(fd, GPULINK_IOCTL_WAIT, &w) && w.completed == 256, "256 completions arrive");
	for (unsigned i = 0; i < 256; i++)
		in_order = in_order && done[i][0] == 1000 + i;
	check(in_order, "completions arrive in submission order");
	w.count = w.least = 1;
	check(!ioctl(fd, GPULINK_IOCTL_WAIT, &w) && w.completed == 0, "waiting without outstanding entries returns at once");
	s.count = 0;
	refused(fd, GPULINK_IOCTL_SUBMIT, &s, EINVAL, "no entries are refused");
	s.count = 257;
	refused(fd, GPULINK_IOCTL_SUBMIT, &s, EINVAL, "too many entries are refused");
	s = (struct gpulink_ioctl_submit){ .size = sizeof(s), .entries = 8, .count = 1 };
	refused(fd, GPULINK_IOCTL_SUBMIT, &s, EFAULT, "entries that are not there are refused");
	w.timeout_ns = 61 * SECOND;
	refused(fd, GPULINK_IOCTL_WAIT, &w, EINVAL, "an endless wait is refused");
	w.timeout_ns = 0;
	w.least = 2;
	refused(fd, GPULINK_IOCTL_WAIT, &w, EINVAL, "waiting for more than there is room for is refused");
}

static void test_release_and_counters(int fd)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r) };
	__u64 values[64];
	struct gpulink_ioctl_counters c = { .size = sizeof(c), .count = 64, .values = (uintptr_t)values };

	refused(fd, GPULINK_IOCTL_RELEASE, &r, EINVAL, "a release without a bound is refused");
	r.timeout_ns = 61 * SECOND;
	refused(fd, GPULINK_IOCTL_RELEASE, &r, EINVAL, "a release with too long a bound is refused");
	check(!ioctl(fd, GPULINK_IOCTL_COUNTERS, &c) && c.count == 24 && values[0] > 0, "counters of a partition");
	c.partition = GPULINK_COUNTERS_CARD;
	c.count = 64;
	check(!ioctl(fd, GPULINK_IOCTL_COUNTERS, &c) && c.count == 12 && values[4] > 0, "counters of the card");
	c.partition = 16;
	refused(fd, GPULINK_IOCTL_COUNTERS, &c, EINVAL, "counters of no partition are refused");
}

static void test_contexts(void)
{
	int fds[64], count = 0;

	while (count < 64 && (fds[count] = open(path, O_RDWR)) >= 0)
		count++;
	/* Each has a page of doorbells. */
	check(count > 8 * 4096 / sysconf(_SC_PAGESIZE) && count < 64 && errno == ENOSPC, "running out of contexts returns ENOSPC");
	while (count--)
		close(fds[count]);
	fds[0] = open(path, O_RDWR);
	check(fds[0] >= 0, "closed contexts become available again");
	close(fds[0]);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: kmod-ioctl-test DEVICE\n");
		return 2;
	}
	path = argv[1];
	fd = open(path, O_RDWR);
	check(fd >= 0, "open");
	if (fd >= 0) {
		test_query(fd);
		test_endpoint(fd);
		test_window_errors(fd);
		test_window(fd);
		test_read_only_file();
		test_pages(fd);
		test_ring_errors(fd);
		test_registration(fd);
		test_registration_for_reading(fd);
		test_memlock();
		test_ring(fd);
		test_release_and_counters(fd);
		close(fd);
		test_contexts();
	}
	return tap_end();
}
