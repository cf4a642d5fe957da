// SPDX-License-Identifier: Apache-2.0
/*
 * cases_test CASE, with two or more PEs; status 1: an error.
 *   passive     PE 1 computes without calls, and gets and delivers stores meanwhile
 *   threads     several threads of each PE store, fence and read back
 *   loads       loads and atomics see this PE's stores to the same words without a quiet
 *   collective  some PEs are in a collective call when others wait for their acknowledgements
 *   waits       so for every call in which a PE waits for another, in a program with several threads
 *   sets        threads of each PE meet those of other PEs, in overlapping sets at the same time
 *   lock        PEs change a number under a lock, by packed stores
 *   symbols     all calls of <shmem.h> are this library's, and the level of threads is the one asked for
 *   unfinished  ends without finalize
 *   failed      ends without finalize, with status 3
 *   killed      PE 1 is killed in the middle
 */
#include <dlfcn.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 4
#define WORDS	5000L
#define LOCKED	200
#define ROUNDS	30

static int me, pes;
static unsigned errors;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void expect(const char *what, long is, long expected)
{
	if (is == expected)
		return;
	if (errors++ < 10)
		printf("# PE %d: %s: %ld, not %ld\n", me, what, is, expected);
}

static long *symmetric(size_t words)
{
	long *memory = shmem_calloc(words, sizeof(long));

	if (!memory)
		shmem_global_exit(2);
	shmem_barrier_all(); /* Open MPI clears the memory behind the barrier */
	return memory;
}

/* Waits without calls. */
static void compute(const volatile long *word, long value)
{
	double limit = seconds() + 10;

	while (*word != value && seconds() < limit)
		;
	expect("word that is stored while this PE computes", *word, value);
}

static void passive(void)
{
	long *word = symmetric(2);

	for (long i = 1; i <= 20 && me < 2; i++) {
		if (me == 0) {
			shmem_long_p(word, i, 1);
			shmem_quiet();
			expect("word at a PE that computes", shmem_long_g(word, 1), i);
			shmem_long_wait_until(word + 1, SHMEM_CMP_EQ, i);
		} else {
			compute(word, i);
			shmem_long_p(word + 1, i, 0); /* and no quiet: PE 1 goes on computing */
		}
	}
	shmem_barrier_all();
}

static long *area;

static void *store(void *which)
{
	long thread = (long)(intptr_t)which, base = (me * THREADS + thread) * WORDS;

	for (long i = 0; i < WORDS; i++) {
		int pe = (int)((me + i) % pes);

		shmem_long_p(area + base + i, base + i, pe);
		if (i % 100 == 0)
			shmem_fence();
		if (i % 500 == 0) {
			shmem_quiet();
			expect("word of a thread", shmem_long_g(area + base + i, pe), base + i);
		}
	}
	shmem_quiet();
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];

	area = symmetric((size_t)(pes * THREADS * WORDS));
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, store, (void *)(intptr_t)i))
			shmem_global_exit(2);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	shmem_barrier_all();
	for (int pe = 0; pe < pes; pe++)
		for (long k = 0; k < THREADS * WORDS; k++)
			if ((pe + k % WORDS) % pes == me && area[pe * THREADS * WORDS + k] != pe * THREADS * WORDS + k)
				expect("word from a thread", area[pe * THREADS * WORDS + k], pe * THREADS * WORDS + k);
}

static void locked(void)
{
	static long lock;
	long *number = symmetric(1);

	for (int i = 0; i < LOCKED; i++) {
		shmem_set_lock(&lock);
		shmem_long_p(number, shmem_long_g(number, pes - 1) + 1, pes - 1);
		shmem_clear_lock(&lock);
	}
	shmem_barrier_all();
	if (me == pes - 1)
		expect("number under a lock", *number, (long)pes * LOCKED);
}

static void loads(void)
{
	long *words = symmetric(1000), got[3];
	int right = (me + 1) % pes;

	for (long i = 0; i < 997; i++) {
		shmem_long_p(words + i, i, right);
		expect("word stored before", shmem_long_g(words + i, right), i);
		shmem_long_p(words + i, i + 1, right);
		expect("word fetched and added to", shmem_long_atomic_fetch_add(words + i, 5, right), i + 1);
		shmem_long_p(words + i + 1, i + 2, right);
		shmem_long_get(got, words + i, 3, right);
		expect("word after an atomic", got[0], i + 6);
		expect("word of a get", got[1], i + 2);
	}
	shmem_barrier_all();
}

#define SETS 3

static long sync_barrier[SETS][SHMEM_BARRIER_SYNC_SIZE], sync_sum[SHMEM_REDUCE_SYNC_SIZE], sync_cast[SHMEM_BCAST_SYNC_SIZE];
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], one = 1, sum;

static void prepare_collectives(void)
{
	for (int i = 0; i < SETS * SHMEM_BARRIER_SYNC_SIZE; i++)
		sync_barrier[i / SHMEM_BARRIER_SYNC_SIZE][i % SHMEM_BARRIER_SYNC_SIZE] = SHMEM_SYNC_VALUE;
	for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
		sync_sum[i] = SHMEM_SYNC_VALUE;
	for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
		sync_cast[i] = SHMEM_SYNC_VALUE;
	shmem_barrier_all();
}

static void collective(void)
{
	static long told, from;
	long *words = symmetric(10000);

	prepare_collectives();
	for (int round = 0; round < 20; round++) {
		if (me == round % pes) { /* late, and needs the others */
			for (long i = 0; i < 100000; i++)
				shmem_long_p(words + i % 10000, i, (int)((me + i % 3) % pes));
			shmem_quiet();
			from = round;
		}
		shmem_long_sum_to_all(&sum, &one, 1, 0, 0, pes, work, sync_sum);
		expect("sum", sum, pes);
		shmem_barrier_all();
		shmem_broadcast64(&told, &from, 1, round % pes, 0, 0, pes, sync_cast);
		expect("broadcast", me == round % pes ? from : told, round);
		shmem_barrier_all();
	}
}

static long all_lock;

static void in_barrier_all(void)
{
	shmem_barrier_all();
}

static void in_sync_all(void)
{
	shmem_sync_all();
}

static void in_barrier(void)
{
	shmem_barrier(0, 0, pes, sync_barrier[0]);
}

static void in_sync(void)
{
	shmem_sync(0, 0, pes, sync_barrier[0]);
}

static void in_memory(void)
{
	shmem_free(shmem_malloc(8));
}

static void in_sum(void)
{
	shmem_long_sum_to_all(&sum, &one, 1, 0, 0, pes, work, sync_sum);
	expect("sum", sum, pes);
}

static void in_lock(void)
{
	shmem_set_lock(&all_lock);
	shmem_clear_lock(&all_lock);
}

/* PE 1 comes only after its stores to the others, which wait for it, are complete. */
static void waits(void)
{
	static void (*const kinds[])(void) = {in_barrier_all, in_sync_all, in_barrier, in_sync, in_memory, in_sum, in_lock};
	long *word = symmetric(1);

	prepare_collectives();
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		if (me == 1)
			shmem_set_lock(&all_lock);
		shmem_barrier_all();
		for (long i = 1; i <= ROUNDS && me == 1; i++)
			for (int pe = 0; pe < pes; pe++) {
				shmem_long_p(word, i, pe);
				shmem_quiet();
				expect("word at a PE that waits", shmem_long_g(word, pe), i);
			}
		if (me == 1)
			shmem_clear_lock(&all_lock);
		kinds[kind]();
		shmem_barrier_all();
	}
}

static long *arrived;

/* A thread for each set of neighbours: 0 and 1, 0 to 2, 1 and 2. */
static void *meet(void *which)
{
	static const int starts[SETS] = {0, 0, 1}, sizes[SETS] = {2, 3, 2};
	long set = (long)(intptr_t)which;
	int start = starts[set], end = start + sizes[set];

	for (long i = 1; i <= 10 * ROUNDS && me >= start && me < end; i++) {
		for (int pe = start; pe < end; pe++)
			shmem_long_p(arrived + set * 8 + me, i, pe);
		shmem_barrier(start, 0, sizes[set], sync_barrier[set]);
		for (int pe = start; pe < end; pe++) /* the others may be one ahead */
			expect("PE that has arrived", arrived[set * 8 + pe] >= i && arrived[set * 8 + pe] <= i + 1, true);
	}
	return NULL;
}

static void sets(void)
{
	pthread_t thread[SETS];

	prepare_collectives();
	arrived = symmetric(8 * SETS);
	for (long i = 0; i < SETS; i++)
		if (pthread_create(&thread[i], NULL, meet, (void *)(intptr_t)i))
			shmem_global_exit(2);
	for (int i = 0; i < SETS; i++)
		pthread_join(thread[i], NULL);
	shmem_barrier_all();
}

static void killed(void)
{
	long *word = symmetric(1000);

	if (me == 1)
		raise(SIGKILL);
	for (long k = 0;; k++) {
		for (long i = 0; i < 1000; i++)
			shmem_long_p(word + i, k, 1);
		shmem_quiet();
	}
}

/* A symbol of each kind, from the library that was preloaded; the implementation's is reached by its other name. */
static void symbols(void)
{
	static const char *const names[] = { "shmem_long_p",	     "shmem_ctx_put128_nbi",  "shmem_double_iput",
					     "shmem_fence",	     "shmem_ctx_quiet",	      "shmem_barrier",
					     "shmem_int_wait_until", "shmem_long_test",	      "shmem_long_fadd",
					     "shmem_getmem",	     "shmem_long_sum_to_all", "shmem_broadcast64",
					     "shmem_free",	     "shmem_set_lock",	      "start_pes" };
	Dl_info info;
	int level;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!dladdr(dlsym(RTLD_DEFAULT, names[i]), &info) || !strstr(info.dli_fname, "libgpulink-shmem")) {
			printf("# %s is not intercepted\n", names[i]);
			errors++;
		}
	shmem_query_thread(&level);
	expect("level of threads", level, SHMEM_THREAD_FUNNELED);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 && argv[1] ? argv[1] : "";
	bool multiple = !strcmp(name, "threads") || !strcmp(name, "waits") || !strcmp(name, "sets");
	int level;

	shmem_init_thread(multiple ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_FUNNELED, &level);
	me = shmem_my_pe();
	pes = shmem_n_pes();
	if (!strcmp(name, "passive"))
		passive();
	else if (!strcmp(name, "threads"))
		threads();
	else if (!strcmp(name, "lock"))
		locked();
	else if (!strcmp(name, "symbols"))
		symbols();
	else if (!strcmp(name, "loads"))
		loads();
	else if (!strcmp(name, "collective"))
		collective();
	else if (!strcmp(name, "waits"))
		waits();
	else if (!strcmp(name, "sets"))
		sets();
	else if (!strcmp(name, "killed"))
		killed();
	else if (strcmp(name, "unfinished") && strcmp(name, "failed"))
		errors++;
	printf("# PE %d: %s: errors=%u\n", me, name, errors);
	if (!strcmp(name, "unfinished") || !strcmp(name, "failed")) {
		long *word = symmetric(1);

		shmem_long_p(word, 1, (me + 1) % pes);
		return *name == 'f' ? 3 : 0;
	}
	shmem_finalize();
	return errors ? 1 : 0;
}
