// SPDX-License-Identifier: Apache-2.0
#include "rounds.h"

#include <errno.h>
#include <inttypes.h>

void rounds_place(struct rounds *rounds, struct workload_run *run, uint64_t vertices)
{
	rounds->run = run;
	rounds->vertices = vertices;
	rounds->said = replay_system_array(&run->system, run->options.gpus * sizeof(uint32_t));
}

static int say_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct rounds *r = user;

	(void)number;
	if (!r->changed[warp->gpu])
		return 0;
	words(r->run, warp->gpu, r->said)[warp->gpu] = r->round;
	return replay_warp_push_all(warp, ~UINT64_C(0), 1, r->said + warp->gpu * sizeof(uint32_t), sizeof(uint32_t));
}

static int run_round(struct rounds *r)
{
	struct replay_kernel kernel = {.step = r->step, .user = r->user}, say = {.step = say_step, .user = r};
	struct replay_system *system = &r->run->system;
	int result;

	memset(r->changed, 0, sizeof(r->changed));
	for (unsigned g = 0; g < system->gpus; g++) {
		kernel.threads[g] = share_size(r->run, r->vertices, g);
		say.threads[g] = 1;
	}
	result = replay_system_run(system, &kernel);
	if (!result)
		result = replay_system_run(system, &say);
	if (!result)
		result = r->copy(r->user);
	for (unsigned g = 0; g < system->gpus && !result; g++)
		result = replay_system_copy_all(system, g, ~UINT64_C(0), r->said + g * sizeof(uint32_t), sizeof(uint32_t));
	return result ? result : replay_system_barrier(system);
}

/* Whether any GPU changed something in this round: each must have heard the same. 1, 0, or an error. */
static int heard(const struct rounds *r)
{
	unsigned gpus = r->run->options.gpus, hearing = 0;

	for (unsigned g = 0; g < gpus; g++)
		for (unsigned other = 0; other < gpus; other++)
			if (words(r->run, g, r->said)[other] == r->round) {
				hearing++;
				break;
			}
	if (hearing && hearing != gpus)
		return workload_fail(r->run, -EILSEQ,
				     "in round %" PRIu32 " only %u of %u GPUs heard that there was a change", r->round,
				     hearing, gpus);
	return hearing != 0;
}

int rounds_run(struct rounds *r)
{
	/* Each round but the last one decides at least one vertex. */
	uint64_t most = r->run->options.iterations ? r->run->options.iterations : r->vertices + 1;

	for (r->round = 1; r->round <= most; r->round++) {
		int result = run_round(r);

		r->run->info->iterations = r->round;
		if (!result)
			result = heard(r);
		if (result <= 0)
			return result;
	}
	return workload_fail(r->run, -EINVAL, "not converged after %" PRIu64 " rounds: --iterations must be larger, or omitted",
			     most);
}
