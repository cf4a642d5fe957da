// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz DEVICE SYSFS [OTHER] [--seconds N] [--seed S] [--corpus FILE] [--replay FILE] [--times N] [--print-corpus]
 *
 * --corpus: initial programs. --replay: only the programs of the file, each --times times. --print-corpus: prints the programs
 * that reached new places at the end. Exits with 1 and prints the program when the kernel log reports a defect, the worker
 * dies, there is no progress for STALL_SECONDS, or the card no longer works for a normal user. Requires the debug kernel, root,
 * and endpoints in partitions 0 and 1; with OTHER, the device of the remote card, also a remote endpoint in partition 2.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { CORPUS_MAX = 4096, STALL_SECONDS = 90, REPORT_SECONDS = 30, WORKS_EVERY = 64 };

static struct {
	const char *device, *sysfs, *other, *corpus, *replay;
	unsigned seconds, times;
	uint64_t seed;
	bool print_corpus;
} options = { .seconds = 20, .times = 1 };

/* Shared by supervisor and worker. */
static struct shared {
	struct program program;
	volatile uint64_t programs;
} *shared;

static struct program *corpus;
static bool *found_places; /* for each program of the corpus */
static unsigned corpus_count;
static int kmsg;

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns whether the kernel log reports a defect since the last check; prints it. */
static bool kernel_complained(void)
{
	static const char *const words[] = { "BUG:", "WARNING:", "Oops", "KASAN", "UBSAN", "Call Trace",
					     "INFO: task", "refcount_t", "ODEBUG", NULL };
	char record[8192];
	bool bad = false;
	ssize_t count;

	while ((count = read(kmsg, record, sizeof(record) - 1)) > 0 || (count < 0 && errno == EPIPE)) {
		if (count < 0)
			continue; /* the log overran; the suite checks the whole log */
		record[count] = 0;
		for (unsigned i = 0; words[i] && !bad; i++)
			bad = strstr(record, words[i]);
		if (bad)
			fprintf(stderr, "# kernel: %s", strchr(record, ';') ? strchr(record, ';') + 1 : record);
	}
	return bad;
}

/* Runs one program; returns coverage_end()'s result, or -1 on a kernel defect or a dead card. */
static int run_one(const struct program *p)
{
	int news;

	shared->program = *p;
	coverage_begin();
	execute(p);
	news = coverage_end();
	shared->programs++;
	if (kernel_complained())
		return -1;
	if (shared->programs % WORKS_EVERY == 0 && !execute_card_works()) {
		fprintf(stderr, "# fuzz: the card no longer works for a normal user\n");
		return -1;
	}
	return news;
}

static int run_and_keep(const struct program *p)
{
	int news = run_one(p);

	if (news > 0 && corpus_count < CORPUS_MAX) {
		found_places[corpus_count] = news == 2;
		corpus[corpus_count++] = *p;
	}
	return news < 0 ? -1 : 0;
}

/* Runs every program of the file, the given number of times. */
static int run_file(const char *file, unsigned times)
{
	struct program p;
	FILE *in = fopen(file, "re");
	int more = in ? 1 : -1;

	while (more > 0 && (more = program_read(&p, in)) > 0)
		for (unsigned i = 0; i < times && more > 0; i++)
			if (run_and_keep(&p))
				more = -1;
	if (in)
		fclose(in);
	else
		perror(file);
	return more;
}

static void report(double start)
{
	double passed = now_seconds() - start;

	printf("# fuzz: %.0f s, %" PRIu64 " programs, %lu calls, %u kept, %u places\n", passed, shared->programs, calls_made,
	       corpus_count, coverage_places());
	fflush(stdout);
}

static int fuzz_on(double start)
{
	double next = start + REPORT_SECONDS;
	struct program p;

	while (now_seconds() < start + options.seconds) {
		if (corpus_count && random_below(4)) {
			p = corpus[random_below(corpus_count)];
			program_mutate(&p, &corpus[random_below(corpus_count)]);
		} else {
			program_draw(&p);
		}
		if (run_and_keep(&p))
			return -1;
		if (now_seconds() >= next) {
			report(start);
			next += REPORT_SECONDS;
		}
	}
	return 0;
}

static int work(void)
{
	double start = now_seconds();
	int err = 0;

	if (execute_init(options.device, options.sysfs, options.other) || coverage_init() || !execute_card_works()) {
		fprintf(stderr, "fuzz: no coverage, or the card does not work: %s\n", strerror(errno));
		return 2;
	}
	if (options.replay)
		err = run_file(options.replay, options.times);
	else if (options.corpus)
		err = run_file(options.corpus, 1);
	if (!err && !options.replay)
		err = fuzz_on(start);
	if (!err && !execute_card_works()) {
		fprintf(stderr, "fuzz: the card does not work for a normal user at the end\n");
		err = -1;
	}
	report(start);
	coverage_report(stdout);
	for (unsigned i = 0; i < corpus_count && options.print_corpus; i++)
		if (found_places[i])
			program_print(&corpus[i], stdout);
	return err ? 1 : 0;
}

/* Waits for the worker, and kills it when it stalls. Returns its exit status, 1 for any other end. */
static int supervise(pid_t worker)
{
	double moved = now_seconds();
	uint64_t seen = 0;
	int status;

	for (;;) {
		usleep(200000);
		if (waitpid(worker, &status, WNOHANG) == worker)
			break;
		if (shared->programs != seen) {
			seen = shared->programs;
			moved = now_seconds();
		}
		if (now_seconds() > moved + STALL_SECONDS) {
			fprintf(stderr, "# fuzz: no progress for %d s\n", STALL_SECONDS);
			kill(worker, SIGKILL);
			return 1;
		}
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "# fuzz: the worker died of signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool parse(int argc, char **argv)
{
	static const struct option known[] = {
		{ "seconds", required_argument, NULL, 's' }, { "seed", required_argument, NULL, 'S' },
		{ "corpus", required_argument, NULL, 'c' },  { "replay", required_argument, NULL, 'r' },
		{ "times", required_argument, NULL, 't' },   { "print-corpus", no_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	options.seed = (uint64_t)time(NULL);
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1)
		switch (c) {
		case 's': options.seconds = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'S': options.seed = strtoull(optarg, NULL, 0); break;
		case 'c': options.corpus = optarg; break;
		case 'r': options.replay = optarg; break;
		case 't': options.times = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'p': options.print_corpus = true; break;
		default: return false;
		}
	if (argc - optind != 2 && argc - optind != 3)
		return false;
	options.device = argv[optind];
	options.sysfs = argv[optind + 1];
	options.other = argv[optind + 2]; /* or the NULL at the end */
	return true;
}

int main(int argc, char **argv)
{
	pid_t worker;
	int status;

	if (!parse(argc, argv)) {
		fprintf(stderr,
			"usage: fuzz DEVICE SYSFS [OTHER] [--seconds N] [--seed S] [--corpus FILE] [--replay FILE] [--times N] "
			"[--print-corpus]\n");
		return 2;
	}
	corpus = calloc(CORPUS_MAX, sizeof(*corpus));
	found_places = calloc(CORPUS_MAX, sizeof(*found_places));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (!corpus || !found_places || shared == MAP_FAILED || kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0) {
		perror("fuzz");
		return 2;
	}
	printf("# fuzz: seed %" PRIu64 "\n", options.seed);
	fflush(stdout);
	random_seed(options.seed);
	worker = fork();
	if (worker == 0)
		exit(work());
	status = worker > 0 ? supervise(worker) : 2;
	if (status != 0 && status != 2) {
		fprintf(stderr, "# fuzz: seed %" PRIu64 ", program %" PRIu64 ", the last one (fuzz --replay):\n", options.seed,
			shared->programs);
		program_print(&shared->program, stderr);
	}
	return status;
}
