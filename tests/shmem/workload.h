/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common to the workloads: PROGRAM [VERTICES [--json]]. Vertex v is number v / PEs of PE v % PEs. The graph is a function of
 * its vertices, so that each PE can compute what the result must be.
 */
#ifndef GLK_TESTS_SHMEM_WORKLOAD_H
#define GLK_TESTS_SHMEM_WORKLOAD_H

#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEGREE 8

struct workload {
	const char *name;
	int me, pes;
	long vertices, mine; /* mine: places for vertices on each PE */
	bool json;
	double start, time;
};

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline struct workload begin(const char *name, long vertices, int argc, char **argv)
{
	struct workload w = {.name = name, .vertices = argc > 1 ? atol(argv[1]) : vertices};

	shmem_init();
	w.me = shmem_my_pe();
	w.pes = shmem_n_pes();
	w.mine = (w.vertices + w.pes - 1) / w.pes;
	w.json = argc > 2 && !strcmp(argv[2], "--json");
	return w;
}

static inline void *symmetric(size_t bytes)
{
	void *memory = shmem_calloc(1, bytes);

	if (!memory)
		shmem_global_exit(2);
	shmem_barrier_all(); /* Open MPI clears the memory behind the barrier */
	return memory;
}

static inline void *local(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		shmem_global_exit(2);
	return memory;
}

/* The sum of a value over all PEs, which all get. */
static inline long sum_of(const struct workload *w, long value)
{
	static long all[1024];
	long sum = 0;

	shmem_barrier_all();
	for (int pe = 0; pe < w->pes; pe++)
		shmem_long_p(&all[w->me], value, pe);
	shmem_barrier_all();
	for (int pe = 0; pe < w->pes; pe++)
		sum += all[pe];
	shmem_barrier_all();
	return sum;
}

static inline void timed_begin(struct workload *w)
{
	shmem_barrier_all();
	w->start = seconds();
}

static inline void timed_end(struct workload *w)
{
	shmem_barrier_all();
	w->time = seconds() - w->start;
}

/* Prints the time and whether no PE has errors. Returns the exit status. */
static inline int end(struct workload *w, long operations, long errors)
{
	operations = sum_of(w, operations);
	errors = sum_of(w, errors);
	if (!w->me && w->json)
		printf("{\"workload\": \"%s\", \"pes\": %d, \"operations\": %ld, \"seconds\": %.6f, \"errors\": %ld}\n",
		       w->name, w->pes, operations, w->time, errors);
	else if (!w->me)
		printf("%s pes=%d operations=%ld seconds=%.6f errors=%ld\n", w->name, w->pes, operations, w->time, errors);
	shmem_finalize();
	return errors ? 1 : 0;
}

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Target and length of edge `i` of a vertex. */
static inline long target_of(const struct workload *w, long vertex, int i)
{
	return (long)(mix((uint64_t)vertex * DEGREE + (uint64_t)i + 1) % (uint64_t)w->vertices);
}

static inline long length_of(long vertex, int i)
{
	return 1 + (long)(mix((uint64_t)vertex * DEGREE + (uint64_t)i + 77) % 15);
}

#endif /* GLK_TESTS_SHMEM_WORKLOAD_H */
