// SPDX-License-Identifier: Apache-2.0
/*
 * Random access (HPC Challenge): every update flips bits of one word of 8 bytes of a table that is shared out over the
 * GPUs, a remote one by an atomic operation. Thread i has the updates i, i + threads, ... A bulk version would sort the
 * updates by destination and copy them, 8 bytes each, into a buffer there.
 */
#include "run.h"

#include <errno.h>
#include <stdlib.h>

struct gups {
	struct workload_run *run;
	uint64_t words, threads, table, buffer; /* threads: of one GPU; arrays */
	uint64_t sent[REPLAY_GPUS_MAX][REPLAY_GPUS_MAX];
};

/* An update: what is flipped; the word it goes to follows from it. */
static uint64_t update_of(const struct gups *u, unsigned gpu, uint64_t i)
{
	return replay_hash(u->run->options.seed, i * u->run->options.gpus + gpu);
}

static uint64_t *word_of(const struct gups *u, unsigned gpu, uint64_t word)
{
	return (uint64_t *)(void *)(u->run->system.memory[gpu] + u->table) + word;
}

static int gups_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct gups *u = user;
	uint32_t lanes_of[REPLAY_GPUS_MAX] = {0};
	uint64_t address[REPLAY_WARP], updates[REPLAY_WARP], any = 0;
	int result = 0;

	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t update = update_of(u, warp->gpu, number * u->threads + warp->first + lane),
			 word = update % u->words;
		unsigned owner = replay_owner(&u->run->system, u->words, word);

		address[lane] = u->table + word * 8;
		updates[lane] = update;
		lanes_of[owner] |= 1u << lane;
		any |= UINT64_C(1) << owner;
		u->sent[warp->gpu][owner]++;
	}
	replay_warp_work(warp, REPLAY_WARP * 16, REPLAY_WARP * 8);
	for (; any && !result; any &= any - 1) {
		unsigned to = (unsigned)__builtin_ctzll(any);

		result = replay_warp_flip(warp, to, lanes_of[to], address, updates);
	}
	return result ? result : number + 1 < u->run->options.iterations ? REPLAY_MORE : REPLAY_DONE;
}

/* The same updates once more bring back the table that was: 0, 1, 2, ... */
static int gups_check(struct gups *u)
{
	uint64_t *table = workload_array(u->run, u->words, sizeof(*table)), wrong = 0;

	if (!table)
		return -ENOMEM;
	for (uint64_t word = 0; word < u->words; word++)
		table[word] = *word_of(u, replay_owner(&u->run->system, u->words, word), word);
	for (unsigned g = 0; g < u->run->options.gpus; g++)
		for (uint64_t i = 0; i < u->threads * u->run->options.iterations; i++) {
			uint64_t update = update_of(u, g, i);

			table[update % u->words] ^= update;
		}
	for (uint64_t word = 0; word < u->words; word++)
		wrong += table[word] != word;
	free(table);
	u->run->info->iterations = u->run->options.iterations;
	u->run->info->elements = u->words;
	return workload_compare(u->run, "words that repeating the updates does not restore", (double)wrong, 0);
}

static int gups_run_all(struct gups *u)
{
	struct replay_kernel kernel = { .step = gups_step, .user = u };
	struct workload_run *run = u->run;
	unsigned gpus = run->options.gpus;
	int result;

	u->table = replay_system_array(&run->system, u->words * 8);
	u->buffer = replay_system_array(&run->system, u->words * run->options.iterations * 8);
	result = workload_start(run);
	for (unsigned g = 0; g < gpus && !result; g++) {
		for (uint64_t word = share_begin(run, u->words, g); word < share_begin(run, u->words, g + 1); word++)
			*word_of(u, g, word) = word;
		kernel.threads[g] = u->threads;
	}
	if (!result)
		result = replay_system_run(&run->system, &kernel);
	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		unsigned from = i / gpus, to = (from + i) % gpus;

		if (from != to)
			result = replay_system_copy(&run->system, from, to,
						    u->buffer + from * u->threads * run->options.iterations * 8,
						    u->sent[from][to] * 8);
	}
	if (!result)
		result = replay_system_barrier(&run->system);
	return result ? result : gups_check(u);
}

int workload_run_gups(struct workload_run *run)
{
	struct gups *u = workload_array(run, 1, sizeof(*u));
	int result;

	if (!u)
		return -ENOMEM;
	u->run = run;
	u->words = run->options.size;
	u->threads = u->words / run->options.gpus;
	result = gups_run_all(u);
	free(u);
	return result;
}
