// SPDX-License-Identifier: Apache-2.0
/*
 * How fast traces are written and read, in the page cache: stores of 4 to 128 bytes, and stores of 8 words of a line. The
 * time is the CPU's, so that it means something on a busy machine too.
 *
 * replay_trace_bench [MILLIONS]: of operations, 10 by default. The best of three.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "files.h"
#include "ops.h"

static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make(struct ops *ops, struct chance *c, bool scattered)
{
	for (size_t i = 0; i < ops->room; i++) {
		uint64_t r = draw(c);
		unsigned gpus = (unsigned)(r >> 32 & 3);
		uint32_t size = scattered ? 4 : 4u << (r >> 50) % 6;

		if (scattered) /* eight that belong together */
			r = i / 8 * 128 + i % 8 * 16;
		ops->list[ops->count++] = (struct replay_op){
			.time_ps = i / 8,
			.address = (r & UINT32_MAX) / size * size,
			.size = size,
			.kind = REPLAY_STORE,
			.source = scattered ? 0 : (uint8_t)gpus,
			.destination = scattered ? 1 : (uint8_t)(gpus ^ 1),
		};
	}
}

/* A sink that looks at what comes, as little as one can. */
static int add_sizes(void *user, const struct replay_op *ops, size_t count)
{
	uint64_t *sum = user;

	for (size_t i = 0; i < count; i++)
		*sum += ops[i].size;
	return 0;
}

static int read_one(const char *path, struct failure *error)
{
	struct replay_trace *trace;
	uint64_t sum = 0;
	int rc = replay_trace_open(&trace, path, error);

	if (rc)
		return rc;
	rc = replay_trace_run(trace, (struct replay_sink){add_sizes, &sum}, error);
	replay_trace_close(trace);
	return rc;
}

static int measure(const struct ops *ops, struct files *files, const char *what, const char *name)
{
	const char *path = files_path(files, name);
	const double millions = (double)ops->count / 1e6;
	double write = 1e9, read = 1e9;
	struct failure error;
	size_t bytes;

	for (unsigned round = 0; round < 3; round++) {
		double begin = used(), middle;
		int rc = ops_write(ops, path, 4, &error);

		middle = used();
		rc = rc ? rc : read_one(path, &error);
		if (rc) {
			fprintf(stderr, "%s\n", error.text);
			return 1;
		}
		write = middle - begin < write ? middle - begin : write;
		read = used() - middle < read ? used() - middle : read;
	}
	free(files_read(files, name, &bytes));
	printf("%-9s  %-9s  %6.2f bytes/op  write %6.1f  read %6.1f million op/s\n", what, name,
	       (double)bytes / millions / 1e6, millions / write, millions / read);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"t.glt", "t.glt.zst", "t.csv"};
	size_t millions = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	struct files files;
	int rc = 0;

	files_open(&files);
	for (unsigned scattered = 0; scattered < 2; scattered++) {
		struct ops ops = {.room = millions * 1000000};
		struct chance chance;

		ops.list = malloc(ops.room * sizeof(*ops.list));
		if (!ops.list)
			return 1;
		chance_start(&chance, 1, scattered);
		make(&ops, &chance, scattered);
		for (unsigned n = 0; n < 3 && !rc; n++)
			rc = measure(&ops, &files, scattered ? "scattered" : "stores", names[n]);
		ops_free(&ops);
	}
	files_close(&files);
	return rc;
}
