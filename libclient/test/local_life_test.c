// SPDX-License-Identifier: Apache-2.0
/* The memory of "local:" devices: who makes it, what stays behind processes that end, are killed or stopped, and limits. TAP. */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink_pool.h>

#include "local_end.h"

enum {
	PROCESSES = 4,
	KILLS = 300,
	STOPS = 150,
	ADDITIONS = 50,
	STOPPED = 4096, /* an offset */
	PATIENCE = 1000	/* seconds, for all tests */
};

static struct chance chance;
static char own_name[64];			 /* what follows "local:" */
static pid_t started[2 * KILLS + 4 * PROCESSES]; /* processes */
static unsigned starts;

static pid_t start(void (*run)(void))
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(1);
	}
	started[starts++] = child;
	return child;
}

static void end_process(pid_t process)
{
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
}

static bool is_of_test(pid_t process)
{
	bool found = process == getpid();

	for (unsigned i = 0; i < starts; i++)
		found |= started[i] == process;
	return found;
}

/* Segments that processes of this test made, and files with the name of its device. */
static unsigned left_behind(void)
{
	FILE *segments = fopen("/proc/sysvipc/shm", "r");
	DIR *files = opendir("/dev/shm");
	const struct dirent *file;
	unsigned left = 0;
	char line[512];
	int maker;

	while (files && (file = readdir(files)) != NULL)
		left += strstr(file->d_name, own_name) != NULL;
	if (files)
		closedir(files);
	while (segments && fgets(line, sizeof(line), segments))
		left += sscanf(line, "%*s %*s %*s %*s %d", &maker) == 1 && is_of_test(maker);
	if (segments)
		fclose(segments);
	return left;
}

/* Who has a name open at the same time has the same memory. The first one to come leaves a token in it. */
static void test_comings_and_goings(void)
{
	uint64_t *tokens = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child[PROCESSES];
	bool well = true;
	int status;

	fflush(stdout);
	for (unsigned p = 0; p < PROCESSES; p++) {
		child[p] = fork();
		if (child[p] == 0) {
			for (uint64_t i = 1; i <= 1500; i++) {
				uint64_t token = (uint64_t)(p + 1) << 32 | i, none = 0;
				struct end e;

				if (!open_end(&e))
					_exit(1);
				if (!__atomic_compare_exchange_n((uint64_t *)(void *)e.memory, &none, token, false,
								 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
					token = none;
				__atomic_store_n(&tokens[p], token, __ATOMIC_SEQ_CST);
				for (unsigned o = 0; o < PROCESSES; o++) {
					uint64_t other = __atomic_load_n(&tokens[o], __ATOMIC_SEQ_CST);

					if (other && other != token)
						_exit(2);
				}
				__atomic_store_n(&tokens[p], 0, __ATOMIC_SEQ_CST);
				gpulink_close(e.device);
			}
			_exit(0);
		}
	}
	for (unsigned p = 0; p < PROCESSES; p++)
		well &= waitpid(child[p], &status, 0) == child[p] && !status;
	is(well, true, "processes come and go, and always meet");
	munmap(tokens, 4096);
}

static void stay(void)
{
	for (;;)
		pause();
}

/* What a child of fork() closes is not the parent's: neither are the parent's stores applied, nor is its memory removed. Nor
 * does it have the memory. */
static void test_child(void)
{
	uint64_t value = 1;
	struct end e, f;
	pid_t child;

	open_end(&e);
	gpulink_lane_store(&e.lane, 0, &value, 8);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		gpulink_close(e.device);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	is((long)word(&e, 0), 0, "a child that closes the device applies nothing");
	is(open_end(&f), true, "nor does it remove it");
	gpulink_queue_release(e.queue, SECOND);
	is((long)word(&f, 0), 1, "the parent does both itself");
	child = start(stay);
	gpulink_close(f.device);
	gpulink_close(e.device);
	is(left_behind(), 0, "a child does not keep it");
	end_process(child);
}

/* --- processes that are killed --- */

static void die_with_memory(void)
{
	uint64_t value = 3;
	struct end e;

	if (open_end(&e) && !gpulink_lane_store(&e.lane, 0, &value, 8) && !gpulink_queue_release(e.queue, SECOND))
		kill(getpid(), SIGKILL);
}

/* A name whose processes are dead begins anew. */
static void test_death(void)
{
	pid_t child = start(die_with_memory);
	int status = 0;
	struct end e;

	waitpid(child, &status, 0);
	is(WIFSIGNALED(status) ? WTERMSIG(status) : -1, SIGKILL, "the last process is killed");
	is(left_behind(), 0, "its memory does not stay behind");
	is(open_end(&e), true, "opened behind it");
	is((long)word(&e, 0), 0, "and empty");
	gpulink_close(e.device);
}

static void pause_at_random(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)below(&chance, 2000000) }, NULL);
}

static void come_and_go(void)
{
	struct end e;

	while (open_end(&e))
		gpulink_close(e.device);
}

/* Processes are killed wherever they are. */
static void test_kills(void)
{
	pid_t child[PROCESSES];
	struct end e;

	for (unsigned p = 0; p < PROCESSES; p++)
		child[p] = start(come_and_go);
	for (unsigned i = 0; i < KILLS; i++) {
		unsigned p = below(&chance, PROCESSES);

		pause_at_random();
		end_process(child[p]);
		child[p] = start(come_and_go);
	}
	for (unsigned p = 0; p < PROCESSES; p++)
		end_process(child[p]);
	is(open_end(&e), true, "opened behind many processes that were killed");
	gpulink_close(e.device);
	is(left_behind(), 0, "nothing stays behind the last process");
}

/* --- processes that are stopped --- */

static void add_for_ever(void)
{
	struct end e;

	if (open_end(&e))
		while (!gpulink_queue_fetch_add(e.queue, e.window, STOPPED, 8, 1, NULL, 0, GPULINK_NO_TAG))
			;
}

static bool add_some(void)
{
	bool well = true;
	struct end e;

	well = open_end(&e);
	for (unsigned i = 0; i < ADDITIONS && well; i++)
		well = !gpulink_queue_fetch_add(e.queue, e.window, STOPPED, 8, 1, NULL, 0, GPULINK_NO_TAG);
	well = well && !gpulink_queue_release(e.queue, SECOND);
	gpulink_close(e.device);
	return well;
}

/* A process is stopped wherever it is; this one opens, adds and closes meanwhile. SIGALRM ends a test that waits. */
static void test_stops(void (*run)(void), const char *what)
{
	pid_t child = start(run);
	bool well = true;

	for (unsigned i = 0; i < STOPS && well; i++) {
		pause_at_random();
		kill(child, SIGSTOP);
		waitpid(child, NULL, WUNTRACED);
		well = add_some();
		kill(child, SIGCONT);
	}
	end_process(child);
	is(well, true, what);
}

static int pool_descriptor;

static void store_to_pool_for_ever(void)
{
	struct gpulink_pool *pool;
	struct gpulink *device;
	uint64_t value = 1;

	if (!gpulink_open("soft:memory=4k", &device) && !gpulink_pool_open(device, pool_descriptor, NULL, &pool))
		while (!gpulink_pool_store(pool, 0, &value, sizeof(value)) && !gpulink_release(device, SECOND))
			;
}

/* A process that is stopped with the object's lock: others wait for it for a time only, and go on when it does. */
static void test_pool_stops(void)
{
	struct gpulink_pool *pool;
	struct gpulink *device;
	uint64_t old;
	int error;
	pid_t child;

	is(gpulink_open("soft:memory=4k", &device) || gpulink_pool_create(device, 4096, 0, NULL, &pool) ||
		   gpulink_pool_share(pool, BOTH, &pool_descriptor),
	   0, "a pool object");
	child = start(store_to_pool_for_ever);
	error = 0;
	for (unsigned i = 0; i < 4 * STOPS && !error; i++) {
		pause_at_random();
		kill(child, SIGSTOP);
		waitpid(child, NULL, WUNTRACED);
		error = gpulink_pool_fetch_add(pool, 8, 8, 1, &old);
		kill(child, SIGCONT);
	}
	is(error, -GPULINK_ETIMEDOUT, "a process that is stopped with its lock is not waited for for ever");
	error = gpulink_pool_fetch_add(pool, 8, 8, 1, &old);
	is(error, 0, "behind it others go on");
	end_process(child);
	is(gpulink_pool_fetch_add(pool, 8, 8, 1, &old), 0, "and behind one that is killed");
	gpulink_close(device);
	close(pool_descriptor);
}

/* --- limits --- */

/* Stores to all of the endpoint. 0, an error of gpulink_open(), 1000 and a signal. */
static long uses_memory(void (*limit)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct gpulink *device;
		void *memory;
		size_t bytes;
		int error;

		limit();
		error = gpulink_open(name, &device);
		if (!error && !gpulink_endpoint_memory(device, 0, &memory, &bytes))
			memset(memory, 1, bytes);
		_exit(-error);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void limit_files(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 65536, 65536 });
}

/* Half of what the device needs is left. */
static void limit_space(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;
	rlim_t limit;

	if (!statm || fscanf(statm, "%lu", &pages) != 1)
		_exit(201);
	fclose(statm);
	limit = pages * (rlim_t)sysconf(_SC_PAGESIZE) + 2 * MEMORY;
	setrlimit(RLIMIT_AS, &(struct rlimit){ limit, limit });
}

static void limit_shared_files(void)
{
	if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/dev/shm", "tmpfs", 0, "size=64k"))
		_exit(200);
}

/* The result of gpulink_pool_create(), or 1000 and a signal. */
static long makes_pool(uint64_t bytes)
{
	struct gpulink_pool *pool;
	struct gpulink *device;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		limit_files();
		_exit(gpulink_open("soft:memory=4k", &device) ? 200 : -gpulink_pool_create(device, bytes, 0, NULL, &pool));
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_limits(void)
{
	long shared = uses_memory(limit_shared_files);

	is(uses_memory(limit_files), 0, "memory does not count as a file");
	is(makes_pool(4096), 0, "a pool object within the limit of files");
	is(makes_pool(1 << 20), GPULINK_ENOSPC, "one beyond it is refused");
	is(uses_memory(limit_space), GPULINK_ENOMEM, "memory beyond the limit of the address space is refused");
	if (shared == 200)
		printf("# /dev/shm cannot be made small: no namespaces\n");
	else
		is(shared, 0, "the size of /dev/shm does not matter");
}

int main(void)
{
	const char *given = getenv("SEED");
	uint64_t seed = given && *given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);

	printf("# SEED=%llu\n", (unsigned long long)seed);
	chance_start(&chance, seed, 0);
	alarm(PATIENCE);
	snprintf(own_name, sizeof(own_name), "life-%ld", (long)getpid());
	snprintf(name, sizeof(name), "local:%s,memory=1M", own_name);
	test_comings_and_goings();
	test_child();
	test_death();
	test_kills();
	test_stops(add_for_ever, "who adds does not wait for a process that is stopped");
	test_stops(come_and_go, "nor does who opens or closes");
	test_pool_stops();
	test_limits();
	return tap_end();
}
