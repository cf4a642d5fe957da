/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a workload, as the workloads see it. */
#ifndef REPLAY_WORKLOAD_RUN_H
#define REPLAY_WORKLOAD_RUN_H

#include "../hash.h"
#include "matrix.h"
#include "system.h"
#include "workload.h"

#include <stdint.h>
#include <string.h>

struct workload_run {
	struct replay_workload_options options; /* the defaults filled in */
	struct replay_sink sink;
	struct replay_system system;
	struct replay_workload_info *info;
	struct matrix matrix; /* the input; empty without one */
	uint64_t *readers;    /* replay_run_readers() */
	struct failure *error;
};

int workload_run_als(struct workload_run *run);
int workload_run_atax(struct workload_run *run);
int workload_run_bfs(struct workload_run *run);
int workload_run_ct(struct workload_run *run);
int workload_run_diffusion(struct workload_run *run);
int workload_run_eqwp(struct workload_run *run);
int workload_run_gups(struct workload_run *run);
int workload_run_hit(struct workload_run *run);
int workload_run_hit_direct(struct workload_run *run);
int workload_run_jacobi(struct workload_run *run);
int workload_run_lenet(struct workload_run *run);
int workload_run_mis(struct workload_run *run);
int workload_run_mvt(struct workload_run *run);
int workload_run_pagerank(struct workload_run *run);
int workload_run_resnet18(struct workload_run *run);
int workload_run_spmv(struct workload_run *run);
int workload_run_sssp(struct workload_run *run);
int workload_run_transpose(struct workload_run *run);
int workload_run_vgg16(struct workload_run *run);

/* Writes the sentence; returns `code`. */
__attribute__((format(printf, 3, 4))) int workload_fail(struct workload_run *run, int code, const char *format, ...);

/* calloc() for run's own arrays, with the message: NULL when there is no memory. */
void *workload_array(struct workload_run *run, uint64_t count, size_t bytes);

/* Gives the GPUs their memory. */
int workload_start(struct workload_run *run);

/*
 * run->readers[v]: a bit for each GPU that has a row with v among its columns of `matrix`, where rows are shared out in
 * blocks.
 */
int workload_readers(struct workload_run *run, const struct matrix *matrix);

/* At the phase's end: each GPU's share of an array goes to all GPUs that read of it, whole or, with halo_copies, from the first
 * element to the last that the reader reads. */
int workload_copy_shares(struct workload_run *run, uint64_t array, unsigned element);

/* Whether each GPU has of the array what the owners have, wherever it reads: what the pushes are for. */
int workload_check_replicas(struct workload_run *run, uint64_t array, unsigned element);

/* Whether `to` has exactly the bytes that `from` pushed there (and has itself). */
int workload_check_pushed(struct workload_run *run, unsigned from, unsigned to, uint64_t address, uint64_t bytes);

/* Whether all GPUs have the same bytes there. */
int workload_check_all(struct workload_run *run, uint64_t address, uint64_t bytes);

/* Takes a check's outcome: an error unless residual <= allowed. */
int workload_compare(struct workload_run *run, const char *compared, double residual, double allowed);

/* A number in [0, 1) by chance for each place, the same on every machine. */
static inline double workload_fraction(uint64_t seed, uint64_t place)
{
	return (double)(replay_hash(seed, place) >> 11) * 0x1p-53;
}

/* Arrays in a GPU's memory. */
static inline float *floats(struct workload_run *run, unsigned gpu, uint64_t array)
{
	return (float *)(void *)(run->system.memory[gpu] + array);
}

static inline double *doubles(struct workload_run *run, unsigned gpu, uint64_t array)
{
	return (double *)(void *)(run->system.memory[gpu] + array);
}

static inline uint32_t *words(struct workload_run *run, unsigned gpu, uint64_t array)
{
	return (uint32_t *)(void *)(run->system.memory[gpu] + array);
}

/* An array whose elements are floats or doubles, as the options say. */
static inline double real_get(struct workload_run *run, unsigned gpu, uint64_t array, uint64_t i)
{
	return run->options.element == 4 ? (double)floats(run, gpu, array)[i] : doubles(run, gpu, array)[i];
}

/* Returns whether that changed it. */
static inline bool real_set(struct workload_run *run, unsigned gpu, uint64_t array, uint64_t i, double value)
{
	bool changed;

	if (run->options.element == 4) {
		float *at = floats(run, gpu, array) + i, rounded = (float)value;

		changed = memcmp(at, &rounded, sizeof(rounded)) != 0;
		*at = rounded;
	} else {
		double *at = doubles(run, gpu, array) + i;

		changed = memcmp(at, &value, sizeof(value)) != 0;
		*at = value;
	}
	return changed;
}

/* GPU g's first row, and how many it has, of `count`. */
static inline uint64_t share_begin(const struct workload_run *run, uint64_t count, unsigned gpu)
{
	return replay_begin(&run->system, count, gpu);
}

static inline uint64_t share_size(const struct workload_run *run, uint64_t count, unsigned gpu)
{
	return share_begin(run, count, gpu + 1) - share_begin(run, count, gpu);
}

#endif /* REPLAY_WORKLOAD_RUN_H */
