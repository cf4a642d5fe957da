// SPDX-License-Identifier: Apache-2.0
/*
 * Processes of a "ucx:" device that are killed, stop, or close: who stored to them gets an error in time, the others nothing.
 * TAP. UCX_TLS in the environment chooses the transport.
 *
 * lost_test [ADDRESS NAMESPACE NAMESPACE]: processes 0 and 3 in one network namespace, which has the address, the others in the
 * other one.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tap.h>

#include "../threads.h"
#include "all.h"
#include "port.h"

enum { MOST = 4, VICTIM = 2, FAR = 3 }; /* the one that ends, of three; of four with two-hop routing */

static struct {
	volatile pid_t victim;
	volatile bool signalled, looked, stopped;
	unsigned done; /* atomic: processes */
} *shared;
static unsigned processes;
static const char *address = "127.0.0.1", *const *namespaces;

/* A wrong result ends the process with the line's number. */
#define EXPECT(got, should) \
	do { \
		long got_ = (got); \
		if (got_ != (should)) { \
			fprintf(stderr, "# process %u, line %d: %ld\n", a->process, __LINE__, got_); \
			return __LINE__; \
		} \
	} while (0)

static int store(struct all *a, struct gpulink_queue *queue, unsigned process, unsigned words)
{
	int error = 0;

	for (uint64_t i = 0; i < words && !error; i++)
		error = gpulink_queue_store(queue, a->windows[process], 4096 + 16 * (i % 4096), &i, 8);
	return error;
}

/* Whoever closes is lost for the others. */
static int wait_for_others(void)
{
	__atomic_add_fetch(&shared->done, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->done, __ATOMIC_SEQ_CST) < processes - 1)
		usleep(1000);
	return 0;
}

/* What the others do when process 2 is gone. */
static int live_on(struct all *a)
{
	struct gpulink_queue *other;
	uint64_t word;

	EXPECT(gpulink_queue_open(a->device, &other), 0);
	if (a->process == 1) { /* has nothing to do with it */
		EXPECT(store(a, other, 0, 10000), 0);
		EXPECT(gpulink_queue_release(other, 10 * SECOND), 0);
		return wait_for_others();
	}
	EXPECT(store(a, gpulink_default_queue(a->device), VICTIM, 1000), 0);
	EXPECT(gpulink_release(a->device, 20 * SECOND), -GPULINK_EENDPOINT);
	EXPECT(store(a, gpulink_default_queue(a->device), 1, 10000), 0);
	EXPECT(gpulink_release(a->device, 10 * SECOND), 0);
	EXPECT(gpulink_load(a->windows[VICTIM], 0, &word, 8), -GPULINK_EENDPOINT);
	EXPECT(gpulink_fetch_add(a->windows[VICTIM], 0, 8, 1, NULL, 0, GPULINK_NO_TAG), 0);
	EXPECT(gpulink_release(a->device, 10 * SECOND), -GPULINK_EENDPOINT);
	EXPECT(store(a, other, 1, 10000), 0);
	EXPECT(gpulink_queue_release(other, 10 * SECOND), 0);
	return wait_for_others();
}

static int killed(struct all *a)
{
	EXPECT(meet_all(a), 0);
	if (a->process == VICTIM) {
		usleep(100000);
		raise(SIGKILL);
	}
	if (a->process == 0) { /* before, while and after it dies */
		for (int error = 0; !error;) {
			EXPECT(store(a, gpulink_default_queue(a->device), VICTIM, 1000), 0);
			error = gpulink_release(a->device, 20 * SECOND);
			EXPECT(error == 0 || error == -GPULINK_EENDPOINT, true);
		}
	}
	return live_on(a);
}

/* Process 2 dies before anyone has connected to it. */
static int killed_early(struct all *a)
{
	if (a->process == VICTIM)
		raise(SIGKILL);
	usleep(300000);
	return live_on(a);
}

static int closed(struct all *a)
{
	EXPECT(meet_all(a), 0);
	if (a->process == VICTIM)
		return 0;
	usleep(300000);
	return live_on(a);
}

static long resident(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Half a MiB for each peer that takes nothing, and what UCX adds. The address sanitizer keeps what is freed. */
static bool is_bounded(long before)
{
#ifdef __SANITIZE_ADDRESS__
	return before > 0;
#else
	return resident() - before < 8 << 10;
#endif
}

/* A signal waits until what was stored before it is in place, here at the process that has stopped; and so does a put behind
 * it. */
static int signal_behind(struct all *a)
{
	struct gpulink_signal signal = { .window = a->windows[1], .offset = 64, .operation = GPULINK_SIGNAL_SET, .value = 9 };
	struct gpulink_queue *queue;
	uint64_t word = 5;

	EXPECT(gpulink_queue_open(a->device, &queue), 0);
	EXPECT(gpulink_queue_put(queue, a->windows[VICTIM], 8192, &word, 8, GPULINK_NO_TAG), 0);
	EXPECT(gpulink_queue_signal(queue, &signal, GPULINK_NO_TAG), 0);
	EXPECT(gpulink_queue_put(queue, a->windows[1], 72, &word, 8, GPULINK_NO_TAG), -GPULINK_ETIMEDOUT);
	shared->signalled = true;
	while (!shared->looked)
		usleep(1000);
	return 0;
}

/* The one that is signalled. */
static int look_behind(struct all *a)
{
	while (!shared->signalled)
		usleep(1000);
	EXPECT(gpulink_wait_until(a->memory + 64, GPULINK_COMPARE_NE, 0, SECOND / 5, NULL), -GPULINK_ETIMEDOUT);
	EXPECT(gpulink_wait_until(a->memory + 72, GPULINK_COMPARE_NE, 0, 0, NULL), -GPULINK_ETIMEDOUT);
	shared->looked = true;
	return 0;
}

static int stopped(struct all *a)
{
	struct gpulink_queue *other;
	uint64_t word;
	long before;
	double start;

	EXPECT(gpulink_queue_open(a->device, &other), 0);
	EXPECT(meet_all(a), 0);
	if (a->process == VICTIM) {
		shared->victim = getpid();
		raise(SIGSTOP);
		EXPECT(meet_all(a), 0);
		memcpy(&word, a->memory + 4096, 8);
		EXPECT((long)word, 77);
		return 0;
	}
	while (!shared->victim)
		usleep(1000);
	usleep(100000);
	EXPECT(a->process ? look_behind(a) : signal_behind(a), 0);
	if (a->process == 0) {
		word = 77;
		EXPECT(gpulink_store(a->windows[VICTIM], 4096, &word, 8), 0);
		EXPECT(gpulink_release(a->device, SECOND / 2), -GPULINK_ETIMEDOUT);
		EXPECT(store(a, other, 1, 10000), 0);
		EXPECT(gpulink_queue_release(other, 10 * SECOND), 0);
		EXPECT(gpulink_queue_load(other, a->windows[1], 4096, &word, 8), 0);
		/* More than may be under way: the rest is lost after the device's time, 2 s, and the memory stays. */
		before = resident();
		start = seconds_now();
		for (unsigned i = 0; i < 40; i++)
			EXPECT(store(a, other, VICTIM, 50000), 0);
		EXPECT(seconds_now() - start < 40, true); /* not 2 s each */
		EXPECT(resident() - before < 16 << 10, true);
		EXPECT(gpulink_queue_release(other, SECOND / 2), -GPULINK_ETIMEDOUT);
		shared->stopped = true;
	}
	while (!shared->stopped)
		usleep(1000);
	kill(shared->victim, SIGCONT);
	if (a->process == 0) {
		EXPECT(gpulink_queue_release(other, 20 * SECOND), -GPULINK_EENDPOINT); /* of what was lost */
		word = 77;
		EXPECT(gpulink_store(a->windows[VICTIM], 4096, &word, 8), 0);
		EXPECT(gpulink_release(a->device, 20 * SECOND), 0);
	}
	if (a->process == 1)
		EXPECT(gpulink_wait_until(a->memory + 64, GPULINK_COMPARE_EQ, 9, 20 * SECOND, NULL), 0);
	EXPECT(meet_all(a), 0);
	return 0;
}

/* --- threads that are cancelled while they wait for a process that has stopped --- */

static void *release_for_ever(void *all)
{
	gpulink_release(((struct all *)all)->device, PATIENCE);
	return NULL;
}

static void *release_queue_for_ever(void *queue)
{
	gpulink_queue_release(queue, PATIENCE);
	return NULL;
}

static void *wait_for_ever(void *queue)
{
	struct gpulink_completion done;

	gpulink_queue_wait(queue, &done, 1, 1, PATIENCE);
	return NULL;
}

/* Its stack cannot be accessed any more when it has ended. */
static int cancel(void *(*call)(void *), void *argument)
{
	const size_t bytes = 1 << 20;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *result = NULL;
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	if (stack == MAP_FAILED || pthread_attr_init(&attributes))
		return 1;
	error = pthread_attr_setstack(&attributes, stack, bytes) || pthread_create(&thread, &attributes, call, argument);
	pthread_attr_destroy(&attributes);
	if (error)
		return 1;
	usleep(100000); /* asleep, perhaps */
	pthread_cancel(thread);
	pthread_join(thread, &result);
	return mprotect(stack, bytes, PROT_NONE) || result != PTHREAD_CANCELED;
}

/* The queues work as before, what was begun is complete when the process goes on, and the device closes. */
static int cancelled(struct all *a)
{
	struct gpulink_queue *stores, *adds;
	struct gpulink_completion done;
	uint64_t word = 77;

	EXPECT(gpulink_queue_open(a->device, &stores), 0);
	EXPECT(gpulink_queue_open(a->device, &adds), 0);
	EXPECT(meet_all(a), 0);
	if (a->process == VICTIM) {
		shared->victim = getpid();
		raise(SIGSTOP);
		EXPECT(meet_all(a), 0);
		EXPECT(memcmp(a->memory + 4096, &word, 8) || memcmp(a->memory + 8192, &word, 8), 0);
		return 0;
	}
	while (!shared->victim)
		usleep(1000);
	usleep(100000);
	if (a->process == 0) {
		EXPECT(gpulink_store(a->windows[VICTIM], 4096, &word, 8), 0);
		EXPECT(gpulink_queue_store(stores, a->windows[VICTIM], 8192, &word, 8), 0);
		EXPECT(gpulink_queue_fetch_add(adds, a->windows[VICTIM], 64, 8, 1, NULL, 0, 5), 0);
		EXPECT(cancel(release_for_ever, a), 0);
		EXPECT(cancel(release_queue_for_ever, stores), 0);
		EXPECT(cancel(wait_for_ever, adds), 0);
		EXPECT(gpulink_release(a->device, SECOND / 10), -GPULINK_ETIMEDOUT);
		EXPECT(gpulink_queue_release(stores, SECOND / 10), -GPULINK_ETIMEDOUT);
		EXPECT(gpulink_queue_wait(adds, &done, 1, 1, SECOND / 10), -GPULINK_ETIMEDOUT);
		kill(shared->victim, SIGCONT);
		EXPECT(gpulink_release(a->device, 20 * SECOND), 0);
		EXPECT(gpulink_queue_release(stores, 20 * SECOND), 0);
		EXPECT(gpulink_queue_wait(adds, &done, 1, 1, 20 * SECOND), 1);
		EXPECT(done.tag == 5 && !done.error, true);
	}
	EXPECT(meet_all(a), 0);
	return 0;
}

/*
 * Two-hop routing: 0 and 1 are one row, 2 and 3 the other. So 1 is the relay of 0 to 3, and 3 that of 2 to 1.
 */
static int routed_stores(struct all *a, struct gpulink_queue *queue, unsigned to)
{
	EXPECT(store(a, queue, to, 2000), 0);
	return gpulink_queue_release(queue, 20 * SECOND);
}

/* Those who stored to the lost process, and those who stored by way of it, hear of it; nobody else. */
static int routed_killed(struct all *a)
{
	struct gpulink_queue *own = gpulink_default_queue(a->device), *other;
	uint64_t word = 0;
	int error = 0;

	EXPECT(gpulink_queue_open(a->device, &other), 0);
	EXPECT(meet_all(a), 0);
	switch (a->process) {
	case FAR:
		usleep(100000);
		raise(SIGKILL);
		return 1;
	case 0: /* by way of 1, before, while and after it dies */
		while (!error) {
			error = routed_stores(a, own, FAR);
			EXPECT(error == 0 || error == -GPULINK_EENDPOINT, true);
		}
		EXPECT(routed_stores(a, other, 1), -GPULINK_EENDPOINT); /* 1 does not know which queue it was */
		EXPECT(routed_stores(a, own, 1), -GPULINK_EENDPOINT); /* nor that it was reported */
		EXPECT(routed_stores(a, own, 2), 0);
		EXPECT(gpulink_queue_load(other, a->windows[2], 4096 + 16 * 1999, &word, 8), 0);
		EXPECT((long)word, 1999);
		EXPECT(gpulink_queue_load(other, a->windows[FAR], 0, &word, 8), -GPULINK_EENDPOINT);
		break;
	case 1: /* is the relay of 0, and has nothing to do with it */
		for (unsigned i = 0; i < 50; i++) {
			EXPECT(routed_stores(a, own, 0), 0);
			EXPECT(routed_stores(a, other, 2), 0);
		}
		break;
	default:
		EXPECT(routed_stores(a, own, 0), 0);
		while (!error) { /* by way of 3 */
			error = routed_stores(a, own, 1);
			EXPECT(error == 0 || error == -GPULINK_EENDPOINT, true);
		}
		EXPECT(routed_stores(a, other, 0), 0);
		EXPECT(routed_stores(a, own, 0), 0);
		EXPECT(routed_stores(a, own, 1), -GPULINK_EENDPOINT);
		break;
	}
	return wait_for_others();
}

/* What is stored to the process that stops, or by way of it, waits; what is kept for it at the relay is bounded. */
static int routed_stopped(struct all *a)
{
	struct gpulink_queue *own = gpulink_default_queue(a->device), *other;
	unsigned waits = a->process == 0 ? FAR : 1;
	uint64_t word = 0;
	long before;

	EXPECT(gpulink_queue_open(a->device, &other), 0);
	EXPECT(meet_all(a), 0);
	if (a->process == FAR) {
		shared->victim = getpid();
		raise(SIGSTOP);
		EXPECT(meet_all(a), 0);
		memcpy(&word, a->memory + 4096 + 16 * 1999, 8);
		EXPECT((long)word, 1999);
		return 0;
	}
	while (!shared->victim)
		usleep(1000);
	usleep(100000);
	before = resident();
	EXPECT(routed_stores(a, other, a->process == 0 ? 2 : 0), 0);
	if (a->process != 1) {
		EXPECT(store(a, own, waits, 2000), 0);
		EXPECT(gpulink_release(a->device, SECOND / 2), -GPULINK_ETIMEDOUT);
	}
	if (a->process == 0) { /* more than may be under way, to the relay: 130 MB */
		for (unsigned i = 0; i < 200; i++)
			EXPECT(store(a, other, FAR, 50000), 0);
		EXPECT(gpulink_queue_release(other, SECOND / 2), -GPULINK_ETIMEDOUT);
	}
	wait_for_others();
	EXPECT(is_bounded(before), true);
	if (a->process == 0)
		kill(shared->victim, SIGCONT);
	if (a->process == 0)
		EXPECT(gpulink_queue_release(other, 20 * SECOND), -GPULINK_EENDPOINT); /* of what was not sent */
	EXPECT(gpulink_release(a->device, 20 * SECOND), 0);
	if (a->process != 1) {
		EXPECT(routed_stores(a, own, waits), 0);
		EXPECT(gpulink_load(a->windows[waits], 4096 + 16 * 1999, &word, 8), 0);
		EXPECT((long)word, 1999);
	}
	EXPECT(meet_all(a), 0);
	return 0;
}

/* As ip netns exec: UCX looks for interfaces in /sys. */
static bool enter(const char *name)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && !setns(fd, CLONE_NEWNET) && !close(fd) && !unshare(CLONE_NEWNS) &&
	       !mount("", "/", "none", MS_SLAVE | MS_REC, NULL) && !umount2("/sys", MNT_DETACH) &&
	       !mount("sysfs", "/sys", "sysfs", 0, NULL);
}

static void run(const char *what, int (*test)(struct all *a), bool victim_dies, bool routed)
{
	unsigned port = free_port(), victim = routed ? FAR : VICTIM;
	pid_t child[MOST];
	bool well = true;
	int status;

	processes = victim + 1;
	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	for (unsigned p = 0; p < processes; p++) {
		child[p] = fork();
		if (child[p] == 0) {
			char name[128];
			struct all a;

			alarm(1000);
			snprintf(name, sizeof(name), "ucx:rank=%u,processes=%u,at=%s:%u,memory=1M,timeout=%u%s", p, processes, address,
				 port, namespaces ? 4 : 2, routed ? ",route=on" : "");
			if (namespaces && !enter(namespaces[(p + 1) / 2 % 2]))
				_exit(1);
			status = open_all(&a, name);
			if (status)
				fprintf(stderr, "# process %u: %s\n", p, gpulink_strerror(status));
			status = status ? 1 : test(&a) != 0;
			close_all(&a);
			while (!status && test == closed && p == victim &&
			       __atomic_load_n(&shared->done, __ATOMIC_SEQ_CST) < processes - 1)
				usleep(1000); /* the process lives on */
			_exit(status);
		}
	}
	for (unsigned p = 0; p < processes; p++) {
		waitpid(child[p], &status, 0);
		well &= p == victim && victim_dies ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : status == 0;
	}
	is(well, true, what);
}

int main(int argc, char **argv)
{
	if (argc > 3) {
		address = argv[1];
		namespaces = (const char *const *)argv + 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	run("a process is killed", killed, true, false);
	run("a process is killed before anyone has stored to it", killed_early, true, false);
	run("a process closes the device", closed, false, false);
	run("a process stops, and goes on", stopped, false, false);
	run("a process stops, and threads that wait for it are cancelled", cancelled, false, false);
	run("two-hop routing: a process is killed", routed_killed, true, true);
	run("two-hop routing: a process stops, and goes on", routed_stopped, false, true);
	return tap_end();
}
