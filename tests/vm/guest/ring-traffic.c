// SPDX-License-Identifier: Apache-2.0
/*
 * ring-traffic DEVICE ioctl|uring|user SECONDS ok|nodev|reset: traffic through one of the three submission paths, with
 * inline puts and puts from registered memory, and a data check after every release. Prints "flowing" after the first round.
 * Exit status 0: SECONDS passed without an error, or the expected error came within 2 s of the last successful round.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "card.h"
#include "uring.h"

enum { PUTS = 32, BYTES = 65536 };

struct player {
	int fd;
	unsigned window, registration;
	uint64_t *memory;
	volatile uint64_t *words;
	struct io_uring io;
	struct ring ring;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_ioctl(struct player *p, const struct sqe *entries)
{
	struct cqe done[PUTS];
	int error = card_run(p->fd, entries, PUTS, done);

	for (unsigned i = 0; !error && i < PUTS; i++)
		error = status_of(&done[i]) == GLK_ST_OK ? 0 : -EPROTO;
	return error ? error : card_release(p->fd, NULL);
}

static int by_uring(struct player *p, const struct sqe *entries)
{
	int result;

	uring_submit(&p->io, p->fd, entries, PUTS, 0, 1);
	result = uring_result(&p->io);
	if (result != PUTS)
		return result < 0 ? result : -EPROTO;
	uring_release(&p->io, p->fd, 5 * SECOND, 2);
	return uring_result(&p->io);
}

/* Sleeps until the release, the last entry, completes; the others have completed then. */
static int by_user_ring(struct player *p, const struct sqe *entries)
{
	struct sqe release = with_interrupt(entry_of(GLK_OP_RELEASE, 0, 0, 0, 0));
	struct cqe done;
	uint32_t errors;
	int error;

	for (unsigned i = 0; i < PUTS; i++)
		ring_put(&p->ring, &entries[i]);
	ring_put(&p->ring, &release);
	ring_tell(&p->ring);
	error = ring_wait(p->fd, (uint16_t)(p->ring.head + PUTS), 5 * SECOND, &errors);
	for (unsigned i = 0; !error && i < PUTS + 1; i++)
		if (!ring_take(&p->ring, &done) || status_of(&done) != GLK_ST_OK)
			error = -EPROTO;
	/* The rings may have been revoked since the wait: the kernel reports the reason. */
	if (error == -EPROTO) {
		int told = ring_wait(p->fd, p->ring.head, SECOND, &errors);

		error = told && told != -ETIMEDOUT ? told : error;
	}
	return error;
}

static const struct {
	const char *name;
	int (*play)(struct player *p, const struct sqe *entries);
} ways[] = { { "ioctl", by_ioctl }, { "uring", by_uring }, { "user", by_user_ring } };

static int set_up(struct player *p, const char *path, unsigned way)
{
	uint64_t offset;
	int window, registration;

	p->fd = open(path, O_RDWR);
	if (p->fd < 0)
		return -errno;
	window = card_window(p->fd, 0, (uint64_t)way * BYTES, BYTES, &offset); /* other instances may run concurrently */
	p->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	registration = card_register(p->fd, p->memory, BYTES, GPULINK_ALLOW_READ);
	if (window < 0 || registration < 0)
		return window < 0 ? window : registration;
	p->window = (unsigned)window;
	p->registration = (unsigned)registration;
	p->words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)offset);
	if (p->words == MAP_FAILED)
		return -errno;
	return way == 1 ? io_uring_queue_init(8, &p->io, 0) : way == 2 ? ring_map(p->fd, 7, 7, &p->ring) : 0;
}

static int play_round(struct player *p, unsigned way, uint64_t round)
{
	struct sqe entries[PUTS];
	int error;

	for (unsigned i = 0; i < PUTS; i++) {
		p->memory[i] = round + i;
		entries[i] = i % 2 ? put_inline(p->window, i * 8, round + i, i) :
				     move(GLK_OP_PUT, p->window, i * 8, 8, p->registration, i * 8);
	}
	error = ways[way].play(p, entries);
	for (unsigned i = 0; !error && i < PUTS; i++)
		error = p->words[i] == round + i ? 0 : -EIO;
	return error;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int error;
	} ends[] = { { "ok", 0 }, { "nodev", -ENODEV }, { "reset", -ESTALE } };
	struct player p = { 0 };
	unsigned way = 0, end = 0;
	uint64_t rounds = 0;
	double until, last;
	int error;

	while (argc == 5 && way < 3 && strcmp(argv[2], ways[way].name) != 0)
		way++;
	while (argc == 5 && end < 3 && strcmp(argv[4], ends[end].name) != 0)
		end++;
	if (argc != 5 || way == 3 || end == 3) {
		fprintf(stderr, "usage: ring-traffic DEVICE ioctl|uring|user SECONDS ok|nodev|reset\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	error = set_up(&p, argv[1], way);
	last = seconds_now();
	until = last + atof(argv[3]);
	while (!error && seconds_now() < until) {
		last = seconds_now();
		error = play_round(&p, way, ++rounds);
		if (!error && rounds == 1)
			puts("# flowing");
	}
	/* The window was lost during the read-back: the next round gets the error. */
	if (error == -EIO && ends[end].error)
		error = play_round(&p, way, ++rounds);
	last = seconds_now() - last;
	printf("# %s: %lu rounds, then: %s, after %.2f s\n", argv[2], rounds, error ? strerror(-error) : "time over", last);
	return error == ends[end].error && rounds > 1 && last < 2 ? 0 : 1;
}
