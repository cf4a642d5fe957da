// SPDX-License-Identifier: Apache-2.0
/*
 * Transposes a dense matrix of floats: GPUs have blocks of rows, and of the result's rows. Blocks of 256 threads have a
 * tile of 32 * 32 elements, which goes through shared memory, and a warp stores rows of the tile's transpose, 4 of them one
 * after the other. memcpy would copy, for each row of the result, the part that comes from this GPU.
 */
#include "run.h"

#include <errno.h>
#include <stdlib.h>

enum { TILE = 32, WARPS_A_TILE = REPLAY_BLOCK / REPLAY_WARP };

struct transpose {
	struct workload_run *run;
	uint64_t n, result;
	unsigned round;
};

static float element(const struct transpose *t, uint64_t row, uint64_t column)
{
	return (float)workload_fraction(t->run->options.seed + t->round, row * t->n + column);
}

static int workload_transpose_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct transpose *t = user;
	uint64_t begin = share_begin(t->run, t->n, warp->gpu), rows = share_size(t->run, t->n, warp->gpu);
	uint64_t tile = warp->first / REPLAY_BLOCK, tiles = (t->n + TILE - 1) / TILE; /* of a row of tiles */
	uint64_t row = tile / tiles * TILE;					      /* the tile's first, of the share */
	uint64_t column = tile % tiles * TILE + number * WARPS_A_TILE + warp->first % REPLAY_BLOCK / REPLAY_WARP;
	uint64_t wide = rows - row < TILE ? rows - row : TILE;
	float *result = floats(t->run, warp->gpu, t->result);
	uint64_t at = column * t->n + begin + row;
	int stored = 0;

	if (column < t->n) {
		for (uint64_t lane = 0; lane < wide; lane++)
			result[at + lane] = element(t, begin + row + lane, column);
		replay_warp_work(warp, wide * 8, 0);
		stored = replay_warp_push_all(warp, UINT64_C(1) << replay_owner(&t->run->system, t->n, column),
					      (uint32_t)((UINT64_C(1) << wide) - 1), t->result + at * 4, 4);
	}
	return stored ? stored : number + 1 < TILE / WARPS_A_TILE ? REPLAY_MORE : REPLAY_DONE;
}

static int transpose_copy(struct transpose *t)
{
	int result = 0;

	for (unsigned g = 0; g < t->run->options.gpus && !result; g++) {
		uint64_t begin = share_begin(t->run, t->n, g), bytes = share_size(t->run, t->n, g) * 4;

		for (uint64_t i = 0; i < t->n && !result;
		     i++) { /* from its own rows on: each GPU begins with another destination */
			uint64_t row = (begin + i) % t->n;
			unsigned to = replay_owner(&t->run->system, t->n, row);

			result = replay_system_copy_all(&t->run->system, g, UINT64_C(1) << to,
							t->result + (row * t->n + begin) * 4, bytes);
		}
	}
	return result;
}

static uint64_t wrong_elements(struct transpose *t)
{
	uint64_t wrong = 0;

	for (uint64_t row = 0; row < t->n; row++) {
		const float *got = floats(t->run, replay_owner(&t->run->system, t->n, row), t->result) + row * t->n;

		for (uint64_t column = 0; column < t->n; column++) {
			float right = element(t, column, row);

			wrong += memcmp(&got[column], &right, sizeof(right)) != 0;
		}
	}
	return wrong;
}

int workload_run_transpose(struct workload_run *run)
{
	struct transpose t = {.run = run, .n = run->options.size};
	struct replay_kernel kernel = { .step = workload_transpose_step, .user = &t };
	uint64_t wrong = 0;
	int result;

	t.result = replay_system_array(&run->system, t.n * t.n * 4);
	result = workload_start(run);
	for (unsigned g = 0; g < run->options.gpus; g++)
		kernel.threads[g] = (share_size(run, t.n, g) + TILE - 1) / TILE * ((t.n + TILE - 1) / TILE) * REPLAY_BLOCK;
	for (t.round = 0; t.round < run->options.iterations && !result; t.round++) {
		result = replay_system_run(&run->system, &kernel);
		if (!result)
			result = transpose_copy(&t);
		if (!result)
			result = replay_system_barrier(&run->system);
		wrong += result ? 0 : wrong_elements(&t);
	}
	run->info->iterations = run->options.iterations;
	run->info->elements = t.n * t.n;
	return result ? result
		      : workload_compare(run, "elements that are not transposed", (double)wrong, 0);
}
