// SPDX-License-Identifier: Apache-2.0
/*
 * pool_random_test DEVICE [PROCESSES [ACCESSES]]: processes that share a pool object access it at random. TAP. SEED in the
 * environment repeats their choices.
 *
 * In mode SC each access is logged with its logical time. Sorted by time, stores before loads, each load has the value of the
 * store before it (MGCC 4.2.2): no search is needed, as the protocol gives the order.
 *
 * In mode RC each process stores to words of its own, releases, and then tells the others in ordinary shared memory which value
 * is released. A load behind an acquire is at least as new as what was told before, and no process sees a word go back.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_pool.h>
#include <tap.h>

#define SECOND UINT64_C(1000000000)

enum { PROCESSES_MAX = 16, BYTES = 8192, WORDS = 64, SPREAD = BYTES / WORDS };

struct access {
	uint64_t time, value;
	uint32_t word;
	bool load;
};

/* Ordinary memory that the processes share. */
struct shared {
	uint64_t released[PROCESSES_MAX]; /* RC: last value that a process has released */
	uint64_t stored[PROCESSES_MAX];	  /* and that it has begun to store */
	uint64_t stale, hits, renewals;	  /* loads that were behind what was released, without an acquire */
	uint32_t wrong, count[PROCESSES_MAX], started;
	struct access log[]; /* `accesses` for each process */
};

static const char *name;
static unsigned processes = 4, accesses = 100000;
static uint64_t seed = 1;
static struct shared *shared;
static size_t shared_bytes;
static int descriptor;
static struct gpulink *own; /* of a process */

static struct gpulink_pool *join(struct chance *c, unsigned mode, unsigned process, unsigned round)
{
	static const unsigned lines[] = { 1, 4, 16, 1000 };
	struct gpulink_pool_options options = { .size = sizeof(options), .mode = mode };
	struct gpulink_pool *pool;

	chance_start(c, seed, round * PROCESSES_MAX + process);
	options.cache_bytes = lines[below(c, 4)] * UINT64_C(64);
	if (gpulink_open(name, &own) || gpulink_pool_open(own, descriptor, &options, &pool))
		_exit(2);
	__atomic_fetch_add(&shared->started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->started, __ATOMIC_SEQ_CST) < processes)
		usleep(100);
	return pool;
}

static struct gpulink_pool_info about(struct gpulink_pool *pool)
{
	struct gpulink_pool_info info;

	if (gpulink_pool_get_info(pool, &info, sizeof(info)))
		_exit(2);
	return info;
}

static void count_hits(struct gpulink_pool *pool)
{
	struct gpulink_pool_info info = about(pool);

	__atomic_fetch_add(&shared->hits, info.hits, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->renewals, info.renewals, __ATOMIC_RELAXED);
}

/* --- mode SC --- */

static void sequential(unsigned process)
{
	struct access *log = shared->log + (size_t)process * accesses;
	struct gpulink_pool *pool;
	struct chance c;

	pool = join(&c, GPULINK_POOL_SC, process, 1);
	for (unsigned i = 0; i < accesses; i++) {
		unsigned what = below(&c, 16), word = below(&c, below(&c, 2) ? 8 : WORDS);
		uint64_t at = (uint64_t)word * SPREAD / (1 + word % 2), value = (uint64_t)(process + 1) << 40 | i, old;
		int error;

		word = (unsigned)(at / 8);
		if (what < 4) {
			error = gpulink_pool_store(pool, at, &value, sizeof(value));
		} else if (what == 4) { /* both in one, at one time */
			error = gpulink_pool_swap(pool, at, 8, value, &old);
		} else {
			error = gpulink_pool_load(pool, at, &value, sizeof(value));
		}
		if (error)
			_exit(3);
		log[i] = (struct access){ .time = about(pool).time, .value = value, .word = word, .load = what > 4 };
	}
	shared->count[process] = accesses;
	count_hits(pool);
}

static int by_time(const void *left, const void *right)
{
	const struct access *l = left, *r = right;

	if (l->time != r->time)
		return l->time < r->time ? -1 : 1;
	return (int)l->load - (int)r->load;
}

/* What is wrong, or NULL. */
static const char *check_times(void)
{
	static uint64_t value[BYTES / 8], written[BYTES / 8];
	size_t all = (size_t)processes * accesses;

	for (unsigned p = 0; p < processes; p++)
		for (unsigned i = 1; i < accesses; i++)
			if (shared->log[(size_t)p * accesses + i].time < shared->log[(size_t)p * accesses + i - 1].time)
				return "a process's time falls";
	qsort(shared->log, all, sizeof(*shared->log), by_time);
	memset(value, 0, sizeof(value));
	memset(written, 0xff, sizeof(written));
	for (size_t i = 0; i < all; i++) {
		const struct access *at = &shared->log[i];

		if (!at->load && written[at->word] == at->time)
			return "two stores of a word at one time";
		if (at->load && value[at->word] != at->value)
			return "a load has not the value of the store before it";
		if (!at->load) {
			value[at->word] = at->value;
			written[at->word] = at->time;
		}
	}
	return NULL;
}

/* --- mode RC --- */

static bool look(struct gpulink_pool *pool, unsigned process, uint64_t seen[PROCESSES_MAX], unsigned of, bool acquire)
{
	uint64_t told = __atomic_load_n(&shared->released[of], __ATOMIC_ACQUIRE), value;

	if (acquire && gpulink_acquire(own))
		return false;
	if (gpulink_pool_load(pool, 16 * of, &value, sizeof(value)))
		return false;
	if (value < seen[of] || (acquire && value < told) || value > __atomic_load_n(&shared->stored[of], __ATOMIC_ACQUIRE))
		return false;
	if (of == process && value != shared->stored[of])
		return false;
	if (value < told)
		__atomic_fetch_add(&shared->stale, 1, __ATOMIC_RELAXED);
	seen[of] = value;
	return true;
}

static void released(unsigned process)
{
	uint64_t seen[PROCESSES_MAX] = { 0 }, value = 0;
	struct gpulink_pool *pool;
	struct chance c;

	pool = join(&c, process % 4 == 3 ? GPULINK_POOL_UNCACHED : GPULINK_POOL_RC, process, 2);
	for (unsigned i = 0; i < accesses; i++) {
		unsigned what = below(&c, 16);

		if (what < 2) {
			__atomic_store_n(&shared->stored[process], ++value, __ATOMIC_RELEASE);
			if (gpulink_pool_store(pool, 16 * process, &value, sizeof(value)))
				_exit(3);
		} else if (what == 2) {
			if (gpulink_release(own, 10 * SECOND))
				_exit(3);
			__atomic_store_n(&shared->released[process], value, __ATOMIC_RELEASE);
		} else if (!look(pool, process, seen, below(&c, processes), what == 3)) {
			__atomic_store_n(&shared->wrong, process + 1, __ATOMIC_RELAXED);
			_exit(4);
		}
	}
	count_hits(pool);
}

/* --- processes --- */

/* Runs the function in all processes. Kills one of them after a while if `kill_after_us`. Whether the others ended well. */
static bool run(void (*work)(unsigned), unsigned kill_after_us)
{
	pid_t child[PROCESSES_MAX];
	bool well = true;
	int status;

	fflush(stdout);
	memset(shared, 0, sizeof(*shared));
	for (unsigned p = 0; p < processes; p++) {
		child[p] = fork();
		if (child[p] == 0) {
			alarm(300);
			work(p);
			_exit(0);
		}
	}
	if (kill_after_us) {
		while (__atomic_load_n(&shared->started, __ATOMIC_SEQ_CST) < processes)
			usleep(100);
		usleep(kill_after_us);
		kill(child[0], SIGKILL);
	}
	for (unsigned p = 0; p < processes; p++) {
		if (child[p] < 0 || waitpid(child[p], &status, 0) != child[p])
			return false;
		if (status && !(p == 0 && kill_after_us)) {
			printf("# process %u: status %#x\n", p, (unsigned)status);
			well = false;
		}
	}
	return well;
}

static bool create(struct gpulink *device)
{
	struct gpulink_pool *pool;
	bool done;

	if (gpulink_pool_create(device, BYTES, 64, NULL, &pool))
		return false;
	done = !gpulink_pool_share(pool, GPULINK_READ | GPULINK_WRITE, &descriptor);
	gpulink_pool_close(pool);
	return done;
}

/* A process that is killed with stores and leases under way harms nobody. */
static void test_kills(struct gpulink *device)
{
	bool well = true;

	for (unsigned i = 0; i < 10; i++) {
		close(descriptor);
		well &= create(device) && run(released, 300 + 1700 * i);
	}
	is(well, true, "the others go on when a process is killed");
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED"), *wrong;
	struct gpulink *device;

	name = argv[1];
	processes = argc > 2 ? (unsigned)atoi(argv[2]) : processes;
	accesses = argc > 3 ? (unsigned)atoi(argv[3]) : accesses;
	seed = given ? strtoull(given, NULL, 0) : seed;
	if (argc < 2 || !processes || processes > PROCESSES_MAX || !accesses || gpulink_open(name, &device)) {
		printf("Bail out! device or arguments\n");
		return 1;
	}
	printf("# SEED=%llu\n", (unsigned long long)seed);
	shared_bytes = sizeof(*shared) + sizeof(shared->log[0]) * processes * accesses;
	shared = mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !create(device)) {
		printf("Bail out! memory\n");
		return 1;
	}
	is(run(sequential, 0), true, "SC: processes end well");
	wrong = check_times();
	is(!wrong, true, wrong ? wrong : "each load has the value of the store before it in logical time");
	is(shared->hits > accesses / 10, true, "with hits");
	is(shared->renewals > accesses / 100, true, "and renewals");
	close(descriptor);
	create(device);
	is(run(released, 0), true, "RC: loads behind an acquire are as new as what was released");
	is(shared->hits > accesses / 10, true, "with hits");
	printf("# %llu hits, %llu loads older than what was released\n", (unsigned long long)shared->hits, (unsigned long long)shared->stale);
	test_kills(device);
	gpulink_close(device);
	return tap_end();
}
