// SPDX-License-Identifier: Apache-2.0
/*
 * isolation-test DEVICE SYSFS [SEED]: isolation from hostile processes that write arbitrary ring entries. TAP. Requires
 * endpoints of at least 4 MiB in partitions 0 and 1.
 *
 * A victim fills registered memory and a window with canaries. Attackers submit through user rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "uring.h"

enum { BYTES = 65536, WORDS = BYTES / 8, ORDER = 6, HANDLES = 1024, CROWD = 12 };

static const char *path;
static uint64_t seed;

struct party {
	int fd;
	unsigned window, registration;
	uint64_t *memory;
	volatile uint64_t *words;
	struct ring ring;
};

static uint64_t chance(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t canary(unsigned i)
{
	return 0xc0ffee0000000000u + i * UINT64_C(0x9e3779b9);
}

static int open_party(struct party *p, uint64_t offset)
{
	uint64_t mmap_offset;
	int window, registration;

	*p = (struct party){ .fd = open(path, O_RDWR) };
	p->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	window = card_window(p->fd, 0, offset, BYTES, &mmap_offset);
	registration = card_register(p->fd, p->memory, BYTES, GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE);
	if (window < 0 || registration < 0)
		return window < 0 ? window : registration;
	p->window = (unsigned)window;
	p->registration = (unsigned)registration;
	p->words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)mmap_offset);
	return p->words == MAP_FAILED ? -errno : 0;
}

static void close_party(struct party *p)
{
	munmap((void *)p->words, BYTES);
	munmap(p->memory, BYTES);
	close(p->fd);
}

static bool untouched(const struct party *victim)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (victim->memory[i] != canary(i) || victim->words[i] != canary(i))
			return false;
	return true;
}

/* One completion, in bounded time. */
static int await(struct ring *ring, struct cqe *done)
{
	for (unsigned i = 0; i < 20000; i++) {
		if (ring_take(ring, done))
			return 0;
		sched_yield();
	}
	return ring_await(ring, done, 5 * SECOND, NULL);
}

/* Returns the entry's status, or an error. */
static int outcome(struct ring *ring, struct sqe e)
{
	struct cqe done;
	int error;

	ring_put(ring, &e);
	ring_tell(ring);
	error = await(ring, &done);
	return error ? error : (int)status_of(&done);
}

/* Every handle except one's own. */
static int try_handles(struct party *p, const struct party *victim)
{
	(void)victim;
	for (unsigned h = 0; h < HANDLES; h++) {
		if (h != p->registration &&
		    (outcome(&p->ring, move(GLK_OP_GET, p->window, 0, 64, h, 0)) != GLK_ST_REGISTRATION ||
		     outcome(&p->ring, move(GLK_OP_PUT, p->window, 0, 64, h, 0)) != GLK_ST_REGISTRATION))
			return 1;
		if (h != p->window && outcome(&p->ring, put_inline(h, 0, 666, 0)) != GLK_ST_WINDOW)
			return 2;
		if (h != p->window && outcome(&p->ring, move(GLK_OP_GET, h, 0, 64, p->registration, 0)) != GLK_ST_WINDOW)
			return 3;
	}
	return outcome(&p->ring, move(GLK_OP_GET, p->window, 0, 64, p->registration, 0)) == GLK_ST_OK ? 0 : 4;
}

static int try_bounds(struct party *p, const struct party *victim)
{
	static const uint64_t beyond[] = { BYTES, BYTES - 63, BYTES + 4096, UINT64_C(1) << 32, (UINT64_C(1) << 48) - 64 };

	(void)victim;
	for (unsigned i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		if (outcome(&p->ring, move(GLK_OP_GET, p->window, 0, 64, p->registration, beyond[i])) !=
			    GLK_ST_REGISTRATION_BOUNDS ||
		    outcome(&p->ring, move(GLK_OP_GET, p->window, beyond[i], 64, p->registration, 0)) != GLK_ST_WINDOW_BOUNDS)
			return 1;
	}
	if (outcome(&p->ring, move(GLK_OP_PUT, p->window, UINT64_MAX - 31, 64, p->registration, 0)) != GLK_ST_WINDOW_BOUNDS)
		return 2;
	return outcome(&p->ring, move(GLK_OP_GET, p->window, 0, BYTES + 1, p->registration, 0)) == GLK_ST_OK ? 3 : 0;
}

/* Stale handles, also revoked while the ring processes them. */
static int try_freed(struct party *p, const struct party *victim)
{
	struct sqe e;
	struct cqe done;

	(void)victim;
	for (unsigned round = 0; round < 50; round++) {
		int handle = card_register(p->fd, p->memory, BYTES, GPULINK_ALLOW_WRITE), last = GLK_ST_OK;

		if (handle < 0)
			return 1;
		e = move(GLK_OP_GET, p->window, 0, 4096, (unsigned)handle, 0);
		for (unsigned i = 0; i < 32; i++)
			ring_put(&p->ring, &e);
		ring_tell(&p->ring);
		if (card_unregister(p->fd, (unsigned)handle))
			return 2;
		for (unsigned i = 0; i < 32; i++) { /* valid ones first, then invalid ones */
			if (await(&p->ring, &done) || (last && !status_of(&done)))
				return 3;
			last = (int)status_of(&done);
		}
		if (outcome(&p->ring, e) != GLK_ST_REGISTRATION)
			return 4;
	}
	if (card_unmap(p->fd, p->window) || outcome(&p->ring, put_inline(p->window, 0, 1, 1)) != GLK_ST_WINDOW)
		return 5;
	return 0;
}

/* Random bytes, or an otherwise plausible entry with one or two random words. */
static struct sqe forge(struct party *p, const struct party *victim, uint64_t *state)
{
	unsigned windows[] = { p->window, victim->window, chance(state) % HANDLES, p->window };
	unsigned registrations[] = { p->registration, victim->registration, chance(state) % HANDLES, p->registration };
	struct sqe e;

	if (chance(state) % 3 == 0) {
		for (unsigned i = 0; i < 8; i++)
			e.words[i] = chance(state);
		return e;
	}
	e = move((unsigned)(chance(state) % 10), windows[chance(state) % 4], chance(state) % (BYTES + 64),
		 (unsigned)(chance(state) % 200), registrations[chance(state) % 4], chance(state) % (BYTES + 64));
	if (chance(state) % 2)
		e.words[chance(state) % 8] ^= UINT64_C(1) << chance(state) % 64;
	return e;
}

static int try_forged(struct party *p, const struct party *victim)
{
	uint64_t state = seed | 1;
	unsigned good = 0;
	struct cqe done;

	for (unsigned batch = 0; batch < 1000; batch++) {
		for (unsigned i = 0; i < 16; i++) {
			struct sqe e = forge(p, victim, &state);

			ring_put(&p->ring, &e);
		}
		ring_tell(&p->ring);
		for (unsigned i = 0; i < 16; i++) {
			if (await(&p->ring, &done))
				return 1;
			good += status_of(&done) == GLK_ST_OK;
		}
	}
	return good > 100 && good < 15000 ? 0 : 2; /* both accepted and refused entries occurred */
}

struct scribbler {
	struct party *party;
	const struct party *victim;
	volatile bool end;
};

static void *scribble(void *argument)
{
	struct scribbler *s = argument;
	uint64_t state = ~seed | 1;

	while (!s->end)
		s->party->ring.sq[chance(&state) % (1 << ORDER)] = forge(s->party, s->victim, &state);
	return NULL;
}

/* The card may read any mix of old and new data. */
static int try_rewritten(struct party *p, const struct party *victim)
{
	struct scribbler s = { .party = p, .victim = victim };
	pthread_t thread;
	struct cqe done;
	int bad = 0;

	if (pthread_create(&thread, NULL, scribble, &s))
		return 1;
	for (unsigned batch = 0; batch < 500 && !bad; batch++) {
		p->ring.tail = (uint16_t)(p->ring.tail + 48);
		ring_tell(&p->ring);
		for (unsigned i = 0; i < 48 && !bad; i++)
			bad = await(&p->ring, &done) ? 2 : 0;
	}
	s.end = true;
	pthread_join(thread, NULL);
	return bad;
}

/* An attacker is another process, which has only the victim's handle numbers. */
static void attack(const struct party *victim, int (*attempt)(struct party *p, const struct party *victim), const char *name)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		struct party p;

		close(victim->fd);
		if (open_party(&p, 0) || ring_map(p.fd, ORDER, ORDER, &p.ring))
			_exit(99);
		_exit(attempt(&p, victim));
	}
	waitpid(child, &status, 0);
	is(status, 0, name);
	check(untouched(victim), "the victim's memory is untouched");
}

/* One of many processes: its own range of the endpoint, one of the three submission paths. */
static int play_in_crowd(unsigned index)
{
	struct party p;
	struct io_uring io;
	struct sqe e[32];
	struct cqe done[32];
	unsigned way = index % 3;

	if (open_party(&p, (uint64_t)(1 + index) * BYTES) || (way == 1 && io_uring_queue_init(4, &io, 0)) ||
	    (way == 2 && ring_map(p.fd, ORDER, ORDER, &p.ring)))
		return 1;
	for (uint64_t round = 1; round <= 40; round++) {
		for (unsigned i = 0; i < 32; i++) {
			e[i] = put_inline(p.window, i * 8, round << 32 | index << 16 | i, i);
			if (way == 2 && outcome(&p.ring, e[i]) != GLK_ST_OK)
				return 2;
		}
		if (way == 0 && card_run(p.fd, e, 32, done))
			return 3;
		if (way == 1)
			uring_submit(&io, p.fd, e, 32, 0, 1);
		if (way == 1 && uring_result(&io) != 32)
			return 4;
		if (way == 2 ? outcome(&p.ring, entry_of(GLK_OP_RELEASE, 0, 0, 0, 0)) : card_release(p.fd, NULL))
			return 5;
		for (unsigned i = 0; i < 32; i++)
			if (p.words[i] != (round << 32 | index << 16 | i))
				return 6;
	}
	return 0;
}

static void test_crowd(void)
{
	unsigned good = 0;
	int status;

	for (unsigned i = 0; i < CROWD; i++)
		if (fork() == 0)
			_exit(play_in_crowd(i));
	for (unsigned i = 0; i < CROWD && wait(&status) > 0; i++) {
		good += status == 0;
		if (status)
			printf("# ended with %d\n", WEXITSTATUS(status));
	}
	is(good, CROWD, "many processes at once, on all three submission paths");
}

static bool all_back(const char *folder)
{
	static const char *const files[] = { "windows", "slices", "registrations", "contexts", "pinned_pages" };
	char usage[256];

	snprintf(usage, sizeof(usage), "%s/usage", folder);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (card_file(usage, files[i]) != 0) {
			printf("# %s: %ld\n", files[i], card_file(usage, files[i]));
			return false;
		}
	return true;
}

int main(int argc, char **argv)
{
	struct party victim;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: isolation-test DEVICE SYSFS [SEED]\n");
		return 2;
	}
	path = argv[1];
	seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
	printf("# seed %lu\n", seed);
	is(open_party(&victim, 1 << 20), 0, "a victim starts");
	if (!tap_bad) {
		for (unsigned i = 0; i < WORDS; i++) {
			victim.memory[i] = canary(i);
			victim.words[i] = canary(i);
		}
		check(!card_release(victim.fd, NULL) && untouched(&victim), "the victim has canaries");
		attack(&victim, try_handles, "handles of others are refused");
		attack(&victim, try_bounds, "what is out of bounds is refused");
		attack(&victim, try_freed, "handles that were taken away are refused");
		attack(&victim, try_forged, "16000 forged entries end");
		attack(&victim, try_rewritten, "24000 entries that are rewritten while they are read end");
		close_party(&victim);
		check(all_back(argv[2]), "no resources are left in use");
		test_crowd();
		check(all_back(argv[2]), "no resources of the processes are left in use");
	}
	return tap_end();
}
