// SPDX-License-Identifier: Apache-2.0
/*
 * ring-speed DEVICE [SECONDS]: cost of a put through ioctl, io_uring and user rings, sleeping or polling for a batch;
 * prints the table of docs/performance.md. All rows come from one run; only ratios are comparable between machines. Requires
 * root, and no other user of the card.
 *
 * Measures puts per second; system calls per put; SQ_TAIL writes per put (the driver writes once per SUBMIT or command);
 * interrupts per completion, from the card's vectors in /proc/interrupts; and, in a separate shorter run, kernel allocations
 * per put, from the kmem tracepoints filtered by this process.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "card.h"
#include "uring.h"

enum { MOST = 512, COMMAND_MOST = 256, TRACED = 2048, USER_ORDER = 10 };
#define TRACING "/sys/kernel/tracing"
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

struct tally {
	unsigned long puts, calls, doorbells;
};

struct player {
	int fd;
	unsigned window;
	struct io_uring io;
	struct ring ring;
	struct sqe entries[MOST];
	struct tally tally;
};

static void die(const char *what)
{
	fprintf(stderr, "ring-speed: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- submission paths: each completes a batch --- */

static void by_ioctl(struct player *p, unsigned batch)
{
	static struct cqe done[COMMAND_MOST];

	for (unsigned first = 0, part; first < batch; first += part) {
		part = batch - first < COMMAND_MOST ? batch - first : COMMAND_MOST;
		if (card_run(p->fd, p->entries + first, part, done))
			die("SUBMIT and WAIT");
		p->tally.calls += 2;
		p->tally.doorbells++;
	}
}

static void by_uring(struct player *p, unsigned batch)
{
	unsigned left = 0;
	uint64_t tag;
	int result;

	for (unsigned first = 0, part; first < batch; first += part, left++) {
		part = batch - first < COMMAND_MOST ? batch - first : COMMAND_MOST;
		uring_submit(&p->io, p->fd, p->entries + first, part, 0, part);
		p->tally.doorbells++;
	}
	while (left) {
		if (io_uring_submit_and_wait(&p->io, left) < 0)
			die("io_uring_enter");
		p->tally.calls++;
		for (; uring_take(&p->io, &tag, &result); left--)
			if (result != (int)tag)
				die("a command");
	}
}

static void tell_all(struct player *p, unsigned batch)
{
	for (unsigned i = 0; i < batch; i++)
		ring_put(&p->ring, &p->entries[i]);
	ring_tell(&p->ring);
	p->tally.doorbells++;
}

static void by_sleep(struct player *p, unsigned batch)
{
	struct cqe done;

	tell_all(p, batch);
	if (ring_wait(p->fd, (uint16_t)(p->ring.head + batch - 1), 5 * SECOND, NULL))
		die("RING_WAIT");
	p->tally.calls++;
	for (unsigned i = 0; i < batch; i++)
		if (!ring_take(&p->ring, &done) || status_of(&done))
			die("a completion");
}

static void by_poll(struct player *p, unsigned batch)
{
	double until = seconds_now() + 5;
	struct cqe done;

	tell_all(p, batch);
	for (unsigned taken = 0, turns = 1; taken < batch; turns++) {
		if (ring_take(&p->ring, &done))
			taken++;
		else if (turns % 65536 == 0 && seconds_now() > until)
			die("polling");
	}
}

static const struct way {
	const char *name;
	void (*play)(struct player *p, unsigned batch);
	bool user_ring, no_interrupt;
} ways[] = {
	{ "ioctl", by_ioctl, false, false },
	{ "io_uring", by_uring, false, false },
	{ "user ring, asleep", by_sleep, true, false },
	{ "user ring, polling", by_poll, true, true },
};

/* --- counts from the kernel --- */

static unsigned long interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long sum = 0;
	char line[512], *at;

	if (!file)
		die("/proc/interrupts");
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "gpulink") && (at = strchr(line, ':')))
			sum += strtoul(at + 1, NULL, 10); /* one CPU: one column */
	fclose(file);
	return sum;
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static const char *const events[] = { "kmalloc", "kmem_cache_alloc", "mm_page_alloc" };

static void trace_allocations(bool on)
{
	char path[128], filter[64];

	for (unsigned i = 0; i < LENGTH(events); i++) {
		snprintf(path, sizeof(path), TRACING "/events/kmem/%s/filter", events[i]);
		snprintf(filter, sizeof(filter), "common_pid==%d", (int)getpid());
		if (on && !write_file(path, filter))
			die(path);
		snprintf(path, sizeof(path), TRACING "/events/kmem/%s/enable", events[i]);
		if (!write_file(path, on ? "1" : "0"))
			die(path);
	}
}

static unsigned long traced_allocations(void)
{
	FILE *file = fopen(TRACING "/trace", "r");
	unsigned long count = 0;
	char line[512];

	if (!file)
		die(TRACING "/trace");
	while (fgets(line, sizeof(line), file))
		count += line[0] != '#';
	fclose(file);
	return count;
}

/* --- table row --- */

static void prepare(struct player *p, unsigned batch, bool each, bool none)
{
	for (unsigned i = 0; i < batch; i++) {
		p->entries[i] = put_inline(p->window, i % 512 * 8, i, i);
		if (!none && (each || i == batch - 1))
			p->entries[i] = with_interrupt(p->entries[i]);
	}
	p->tally = (struct tally){ 0 };
}

static double allocations(struct player *p, const struct way *way, unsigned batch)
{
	unsigned long puts = 0;

	if (!write_file(TRACING "/trace", ""))
		return -1;
	trace_allocations(true);
	for (; puts < TRACED; puts += batch)
		way->play(p, batch);
	trace_allocations(false);
	return (double)traced_allocations() / (double)puts;
}

/* Returns puts per second. */
static double row(struct player *p, const struct way *way, unsigned batch, bool each, double seconds, double reference)
{
	double start, passed, rate, allocated;
	unsigned long before;

	prepare(p, batch, each, way->no_interrupt);
	way->play(p, batch);
	p->tally = (struct tally){ 0 };
	before = interrupts();
	start = seconds_now();
	do {
		way->play(p, batch);
		p->tally.puts += batch;
		passed = seconds_now() - start;
	} while (passed < seconds);
	before = interrupts() - before;
	rate = (double)p->tally.puts / passed;
	printf("| %s | %u | %s | %.0f | %.2f | %.4f | %.4f | %.4f |", way->name, batch,
	       way->no_interrupt ? "none" : each ? "each" : "last", rate, reference > 0 ? rate / reference : 1,
	       (double)p->tally.calls / (double)p->tally.puts, (double)p->tally.doorbells / (double)p->tally.puts,
	       (double)before / (double)p->tally.puts);
	allocated = allocations(p, way, batch);
	printf(allocated < 0 ? " ? |\n" : " %.4f |\n", allocated);
	fflush(stdout);
	return rate;
}

static void table(struct player *p, double seconds)
{
	static const unsigned batches[] = { 1, 8, 64, 512 };
	double reference[LENGTH(batches)] = { 0 }, rate;

	printf("| way | batch | interrupt flag | puts/s | to ioctl | system calls/put | doorbells/put | interrupts/completion "
	       "| allocations/put |\n|---|---|---|---|---|---|---|---|---|\n");
	for (unsigned w = 0; w < LENGTH(ways); w++) {
		if (ways[w].user_ring && !p->ring.sq && ring_map(p->fd, USER_ORDER, USER_ORDER, &p->ring))
			die("RING_MAP");
		for (unsigned b = 0; b < LENGTH(batches); b++) {
			rate = row(p, &ways[w], batches[b], false, seconds, reference[b]);
			if (w == 0)
				reference[b] = rate;
			if (batches[b] > 1 && !ways[w].no_interrupt)
				row(p, &ways[w], batches[b], true, seconds, reference[b]);
		}
	}
}

int main(int argc, char **argv)
{
	static struct player p;
	int window;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: ring-speed DEVICE [SECONDS]\n");
		return 2;
	}
	if (mount("tracefs", TRACING, "tracefs", 0, NULL) && errno != EBUSY)
		die(TRACING);
	p.fd = open(argv[1], O_RDWR);
	window = p.fd < 0 ? -1 : card_window(p.fd, 0, 0, 65536, NULL);
	if (window < 0 || io_uring_queue_init(8, &p.io, 0))
		die(argv[1]);
	p.window = (unsigned)window;
	table(&p, argc > 2 ? atof(argv[2]) : 1);
	return 0;
}
