// SPDX-License-Identifier: Apache-2.0
/*
 * user-ring-test DEVICE SYSFS: user rings. TAP. Requires endpoints of at least 64 KiB in partitions 0 and 1, and a writable
 * SYSFS folder of the card: it resets the card at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"

enum { BYTES = 65536 };

static const char *path;
static sigjmp_buf escape;

static void on_fault(int signal_number)
{
	(void)signal_number;
	siglongjmp(escape, 1);
}

static bool faults(const volatile void *address)
{
	if (sigsetjmp(escape, 1))
		return true;
	(void)*(const volatile uint64_t *)address;
	return false;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static int map_call(int fd, uint32_t size, uint32_t flags, uint32_t sq, uint32_t cq)
{
	struct gpulink_ioctl_ring_map m = { .size = size, .flags = flags, .sq_order = sq, .cq_order = cq };

	return ioctl(fd, GPULINK_IOCTL_RING_MAP, &m) ? -errno : 0;
}

static void test_refusals(int fd)
{
	struct gpulink_ioctl_ring_unmap u = { .size = sizeof(u) };
	uint32_t whole = sizeof(struct gpulink_ioctl_ring_map);

	is(map_call(fd, whole, 1, 4, 4), -EINVAL, "an unknown flag is refused");
	is(map_call(fd, whole - 8, 0, 4, 4), -EINVAL, "a structure that is too short is refused");
	is(map_call(fd, whole, 0, 3, 4), -EINVAL, "a submission ring that is too small is refused");
	is(map_call(fd, whole, 0, 4, 3), -EINVAL, "a completion ring that is too small is refused");
	is(map_call(fd, whole, 0, 13, 4), -EINVAL, "a ring that is too large is refused");
	is(map_call(fd, whole, 0, 4, UINT32_MAX), -EINVAL, "a ring of 2^UINT32_MAX entries is refused");
	is(ioctl(fd, GPULINK_IOCTL_RING_UNMAP, &u) ? -errno : 0, -ENOENT, "unmapping without mapped rings is refused");
	is(ring_wait(fd, 0, 0, NULL), -ENOENT, "waiting without mapped rings is refused");
	is(ring_wait(fd, 0x10000, 0, NULL), -EINVAL, "an index that is too large is refused");
	is(ring_wait(fd, 0, 61 * SECOND, NULL), -EINVAL, "a wait of 61 s is refused");
}

static void test_mappings(int fd)
{
	struct ring ring;
	struct sqe *sq;
	int error = ring_map(fd, 12, 4, &ring), other = open(path, O_RDWR);

	is(error, 0, "rings of 4096 and 16 entries are mapped");
	is((long)(ring.map.sq_bytes | ring.map.cq_bytes), 262144 | 4096, "the ring sizes are returned");
	is(map_call(fd, sizeof(ring.map), 0, 4, 4), -EBUSY, "a second mapping of rings is refused");
	check(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)ring.map.cq_offset) == MAP_FAILED &&
	      errno == EACCES, "the completion ring is not mapped for writing");
	check(mprotect((void *)ring.cq, 4096, PROT_READ | PROT_WRITE) == -1, "the completion ring cannot be made writable");
	check(mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, (off_t)ring.map.cq_offset) == MAP_FAILED, "no mapping past its end");
	check(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, (off_t)ring.map.sq_offset) == MAP_FAILED, "a private mapping is refused");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, (off_t)ring.map.cq_offset) == MAP_FAILED,
	      "another context does not map it");
	is(card_register(fd, ring.sq, 4096, GPULINK_ALLOW_READ), -EFAULT, "the submission ring cannot be registered");
	is(card_register(fd, (void *)ring.cq, 4096, GPULINK_ALLOW_WRITE), -EFAULT, "the completion ring cannot be registered");
	sq = ring.sq;
	ring.sq = mmap(NULL, ring.map.sq_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)ring.map.sq_offset);
	sq[4095].words[7] = 1234;
	is((long)ring.sq[4095].words[7], 1234, "two mappings show the same ring");
	is(ring_unmap(&ring), 0, "the rings are unmapped");
	check(faults(&sq[4095]) && faults(&sq[0]), "remaining mappings fault");
	munmap(sq, ring.map.sq_bytes);
	check(mmap(NULL, ring.map.sq_bytes, PROT_READ, MAP_SHARED, fd, (off_t)ring.map.sq_offset) == MAP_FAILED,
	      "it is not mapped again");
	close(other);
}

/* Puts over several laps of a small ring, and checks the data. */
static void test_puts(int fd, volatile uint64_t *words, unsigned window)
{
	struct cqe done;
	struct ring ring;
	unsigned bad = 0;
	uint32_t errors = 99;
	struct sqe e;

	is(ring_map(fd, 5, 4, &ring), 0, "a ring of 32 entries");
	for (unsigned i = 0; i < 200; i++) {
		e = put_inline(window, i * 16, i + 1, 5000 + i);
		ring_put(&ring, &e);
		ring_tell(&ring);
		for (unsigned n = 0; n < 1000000 && !ring_take(&ring, &done); n++)
			;
		bad += done.words[0] != 5000 + i || status_of(&done) != GLK_ST_OK;
	}
	is(bad, 0, "200 puts by doorbell, completed without a system call");
	e = with_interrupt(entry_of(GLK_OP_RELEASE, 0, 0, 0, 77));
	ring_put(&ring, &e);
	ring_tell(&ring);
	is(ring_await(&ring, &done, 5 * SECOND, &errors), 0, "sleeping for a release");
	check(done.words[0] == 77 && status_of(&done) == GLK_ST_OK && errors == 0, "the release succeeds");
	for (unsigned i = 0; i < 200; i++)
		bad += words[i * 2] != i + 1;
	is(bad, 0, "all puts arrived");
	/* Fills the ring beyond the completion ring's size: the card waits for CQ_HEAD. */
	for (unsigned i = 0; i < 32; i++) {
		e = put_inline(window, i * 16, i + 100, i);
		ring_put(&ring, &e);
	}
	ring_tell(&ring);
	for (unsigned i = 0; i < 32; i++)
		bad += ring_await(&ring, &done, 5 * SECOND, NULL) || done.words[0] != i;
	is(bad, 0, "32 puts at once, with room for 16 completions");
	is(ring_unmap(&ring), 0, "the ring is unmapped");
	is((long)words[31 * 2], 131, "the last one arrived");
}

static void test_kernel_ring(int fd, unsigned window)
{
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .count = 1 };
	struct gpulink_ioctl_wait w = { .size = sizeof(w), .count = 1 };
	struct sqe e[200];
	struct cqe done[200];
	struct ring ring;
	unsigned bad = 0;

	for (unsigned i = 0; i < 200; i++)
		e[i] = put_inline(window, i * 8, i, i);
	s.entries = (uintptr_t)e;
	w.completions = (uintptr_t)done;
	is(card_run(fd, e, 200, done), 0, "the kernel's ring works again");
	is(ioctl(fd, GPULINK_IOCTL_SUBMIT, &s) ? -errno : 0, 0, "an entry on the kernel's ring");
	is(map_call(fd, sizeof(ring.map), 0, 4, 4), -EBUSY, "an untaken completion keeps the ring with the kernel");
	w.least = 1;
	w.timeout_ns = SECOND;
	is(ioctl(fd, GPULINK_IOCTL_WAIT, &w) ? -errno : (long)w.completed, 1, "the completion is taken");
	is(ring_map(fd, 6, 6, &ring), 0, "the rings are mapped");
	is(ioctl(fd, GPULINK_IOCTL_SUBMIT, &s) ? -errno : 0, -EBUSY, "SUBMIT fails with EBUSY");
	is(ioctl(fd, GPULINK_IOCTL_WAIT, &w) ? -errno : 0, -EBUSY, "WAIT fails with EBUSY");
	is(card_release(fd, NULL), -EBUSY, "RELEASE fails with EBUSY");
	is(ring_unmap(&ring), 0, "the ring is unmapped");
	/* More than a lap: old completions must not be taken for new ones. */
	for (unsigned lap = 0; lap < 6; lap++) {
		bad += card_run(fd, e, 200, done) != 0;
		for (unsigned i = 0; i < 200; i++)
			bad += done[i].words[0] != i || status_of(&done[i]) != GLK_ST_OK;
	}
	is(bad, 0, "1200 entries on the kernel's ring afterwards");
}

static void test_nonsense(int fd, unsigned window)
{
	struct ring ring, other_ring;
	struct sqe e = put_inline(window, 0, 1, 1);
	struct cqe done;
	int other = open(path, O_RDWR);

	is(ring_map(fd, 4, 4, &ring), 0, "a ring is mapped");
	is(ring_map(other, 4, 4, &other_ring), 0, "a ring of another context");
	ring_put(&ring, &e);
	ring_tell(&ring);
	is(ring_await(&ring, &done, SECOND, NULL), 0, "the ring works");
	ring.doorbell[GLK_DOORBELL_SQ_TAIL / sizeof(long)] = 1000;
	is(ring_wait(fd, 1, 5 * SECOND, NULL), -EIO, "a tail past the ring stops it");
	is(ring_wait(fd, 0, 0, NULL), 0, "earlier completions remain");
	is(ring_wait(fd, 1, 0, NULL), -EIO, "later completions do not come");
	e = entry_of(GLK_OP_NOP, 0, 0, 0, 9);
	ring_put(&other_ring, &e);
	ring_tell(&other_ring);
	is(ring_await(&other_ring, &done, SECOND, NULL), 0, "the other context's ring keeps working");
	is(ring_unmap(&ring), 0, "the stopped ring is unmapped");
	is(card_run(fd, &e, 1, &done), 0, "the kernel's ring works afterwards");
	is(ring_map(fd, 4, 4, &ring), 0, "a new ring is mapped");
	ring.doorbell[GLK_DOORBELL_CQ_HEAD / sizeof(long)] = 77;
	is(ring_wait(fd, 0, 5 * SECOND, NULL), -EIO, "a head past the ring stops it");
	is(ring_unmap(&ring), 0, "the ring is unmapped");
	close(other); /* with its ring mapped */
	ring_forget(&other_ring);
}

static void *sleeper(void *argument)
{
	struct ring *ring = argument;

	return (void *)(intptr_t)ring_wait(ring->fd, 0, 20 * SECOND, NULL);
}

static void test_sleepers(int fd)
{
	struct ring ring;
	pthread_t thread;
	void *result;
	uint64_t start = now_ns();

	is(ring_map(fd, 4, 4, &ring), 0, "a ring is mapped");
	is(ring_wait(fd, 0, SECOND / 10, NULL), -ETIMEDOUT, "waiting without entries times out");
	check(now_ns() - start < SECOND, "the timeout comes in time");
	pthread_create(&thread, NULL, sleeper, &ring);
	usleep(100000);
	start = now_ns();
	is(ring_unmap(&ring), 0, "the ring is unmapped under a waiter");
	pthread_join(thread, &result);
	is((long)result, -ENOENT, "the waiter gets ENOENT");
	check(now_ns() - start < SECOND, "the waiter returns at once");
}

/* Its events, 0 after the timeout. */
static long polled(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, timeout_ms) < 0 ? -errno : p.revents;
}

static void *poller(void *argument)
{
	return (void *)polled(((struct ring *)argument)->fd, POLLIN, 20000);
}

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static void test_poll_kernel_ring(int fd, unsigned window)
{
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .count = 1 };
	struct gpulink_ioctl_wait w = { .size = sizeof(w), .count = 1, .least = 1, .timeout_ns = SECOND };
	struct sqe e = put_inline(window, 0, 1, 1);
	struct cqe done;

	s.entries = (uintptr_t)&e;
	w.completions = (uintptr_t)&done;
	is(polled(fd, POLLIN | POLLOUT, 1000), POLLOUT, "poll: the kernel's ring has room");
	is(polled(fd, POLLIN, 50), 0, "poll: and no completion");
	is(ioctl(fd, GPULINK_IOCTL_SUBMIT, &s) ? -errno : 0, 0, "an entry on the kernel's ring");
	is(polled(fd, POLLIN, 5000), POLLIN, "poll: its completion");
	is(ioctl(fd, GPULINK_IOCTL_WAIT, &w) ? -errno : (long)w.completed, 1, "which is taken");
	is(polled(fd, POLLIN, 50), 0, "poll: and no other");
}

static void test_poll(int fd, unsigned window)
{
	struct ring ring;
	struct sqe e = put_inline(window, 0, 1, 1);
	pthread_t thread;
	struct cqe done;
	uint64_t before;
	void *result;

	test_poll_kernel_ring(fd, window);
	is(ring_map(fd, 4, 4, &ring), 0, "a ring is mapped");
	before = cpu_ns();
	is(polled(fd, POLLIN | POLLOUT, 500), 0, "poll: nothing on the mapped ring");
	check(cpu_ns() - before < SECOND / 4, "poll: sleeps");
	pthread_create(&thread, NULL, poller, &ring);
	usleep(100000);
	ring_put(&ring, &e); /* without an interrupt */
	e = with_interrupt(e);
	ring_put(&ring, &e);
	ring_tell(&ring);
	pthread_join(thread, &result);
	is((long)result, POLLIN, "poll: an entry with an interrupt wakes");
	is(ring_await(&ring, &done, SECOND, NULL) ?: ring_await(&ring, &done, SECOND, NULL), 0, "both are taken");
	ring.doorbell[GLK_DOORBELL_CQ_HEAD / sizeof(long)] = 1;
	is(polled(fd, POLLIN, 1000), POLLIN, "poll: still readable before CQ_HEAD is behind both");
	ring.doorbell[GLK_DOORBELL_CQ_HEAD / sizeof(long)] = 2;
	is(polled(fd, POLLIN, 50), 0, "poll: no longer behind them");
	ring.doorbell[GLK_DOORBELL_SQ_TAIL / sizeof(long)] = 1000;
	is(ring_wait(fd, 2, 5 * SECOND, NULL), -EIO, "a tail past the ring stops it");
	is(polled(fd, POLLIN, 1000), POLLERR, "poll: the ring stopped");
	is(ring_unmap(&ring), 0, "the ring is unmapped");
	is(polled(fd, POLLIN, 50), 0, "poll: nothing on the kernel's ring");
}

/* A child inherits the file, but not the ring mappings. */
static void test_fork(int fd)
{
	struct ring ring;
	int status = -1;
	pid_t child;

	is(ring_map(fd, 4, 4, &ring), 0, "a ring is mapped");
	ring.sq[0].words[0] = 1;
	child = fork();
	if (child == 0)
		_exit(faults(ring.sq) && faults(ring.cq) && ring_wait(fd, 0, 0, NULL) == -ETIMEDOUT ? 0 : 1);
	waitpid(child, &status, 0);
	is(status, 0, "a child does not inherit the mappings");
	is(ring_unmap(&ring), 0, "the ring is unmapped");
}

/* A waiter that is stopped and continued waits on. */
static void test_stop(int fd)
{
	struct ring ring;
	int status = -1;
	pid_t child;

	is(ring_map(fd, 4, 4, &ring), 0, "a ring is mapped");
	child = fork();
	if (child == 0)
		_exit(ring_wait(fd, 0, SECOND / 2, NULL) == -ETIMEDOUT ? 0 : 1);
	usleep(100000);
	kill(child, SIGSTOP);
	usleep(100000);
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	is(status, 0, "a waiter that is stopped and continued waits until its time is over");
	is(ring_unmap(&ring), 0, "the ring is unmapped");
}

static void test_reset(int fd, const char *folder)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	volatile uint64_t *record;
	struct ring ring;
	struct cqe done;
	pthread_t thread, polling;
	void *result, *events;
	char file[256];
	int reset;

	is(ring_map(fd, 4, 4, &ring) ?: ioctl(fd, GPULINK_IOCTL_QUERY, &q), 0, "a ring is mapped");
	record = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)q.record_offset);
	ring.doorbell[GLK_DOORBELL_RELEASE / sizeof(long)] = 55;
	for (unsigned i = 0; i < 1000 && record[0] != 55; i++)
		usleep(1000);
	is((long)record[0], 55, "a release by the doorbell page completes without an entry");
	pthread_create(&thread, NULL, sleeper, &ring);
	pthread_create(&polling, NULL, poller, &ring);
	usleep(100000);
	snprintf(file, sizeof(file), "%s/reset", folder);
	reset = open(file, O_WRONLY);
	is(write(reset, "1\n", 2), 2, "the card is reset");
	close(reset);
	pthread_join(thread, &result);
	is((long)result, -ESTALE, "a waiter for a completion gets ESTALE");
	pthread_join(polling, &events);
	is((long)events, POLLERR | POLLHUP, "poll: wakes, too");
	is(polled(fd, POLLIN, 20000), POLLERR | POLLHUP, "poll: and later returns at once");
	is(ring_wait(fd, 0, 0, NULL), -ESTALE, "a later wait gets ESTALE");
	check(!faults(ring.sq) && !faults(ring.cq), "touching the rings does not fault");
	ring.sq[0].words[0] = 99;
	ring_tell(&ring);
	check(!ring_take(&ring, &done), "no completion in the first lap");
	ring.head = 16;
	check(ring_take(&ring, &done) && status_of(&done) == GLK_ST_RESET, "completions of the second lap have status reset");
	is((long)record[0], 0, "the record reads 0");
	is(ring_unmap(&ring), -ESTALE, "unmapping the ring fails with ESTALE");
	munmap((void *)record, 4096);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_fault };
	volatile uint64_t *words;
	uint64_t offset = 0;
	int fd, window;

	if (argc != 3) {
		fprintf(stderr, "usage: user-ring-test DEVICE SYSFS\n");
		return 2;
	}
	path = argv[1];
	fd = open(path, O_RDWR);
	window = card_window(fd, 0, 0, BYTES, &offset);
	words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	check(fd >= 0 && window >= 0 && words != MAP_FAILED && !sigaction(SIGBUS, &action, NULL) &&
	      !sigaction(SIGSEGV, &action, NULL), "open");
	if (!tap_bad) {
		test_refusals(fd);
		test_mappings(fd);
		test_puts(fd, words, (unsigned)window);
		test_kernel_ring(fd, (unsigned)window);
		test_nonsense(fd, (unsigned)window);
		test_sleepers(fd);
		test_poll(fd, (unsigned)window);
		test_fork(fd);
		test_stop(fd);
		test_reset(fd, argv[2]);
	}
	return tap_end();
}
