// SPDX-License-Identifier: Apache-2.0
#include "system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS_A_BLOCK = REPLAY_BLOCK / REPLAY_WARP };

/* The GV100's (system.h). */
#define GIGABYTES_A_SECOND UINT64_C(900)
#define MEGAFLOPS	   (UINT64_C(80) * 64 * 2 * 1530)

_Static_assert((int)REPLAY_LINE == (int)REPLAY_STORE_MAX, "a line is what the stream takes as one store at most");

uint64_t replay_system_array(struct replay_system *system, uint64_t bytes)
{
	uint64_t offset = system->bytes;

	/* What is too much stays too much, so that replay_system_start() sees it. */
	if (bytes > REPLAY_MEMORY_MAX || offset > REPLAY_MEMORY_MAX)
		system->bytes = UINT64_MAX;
	else
		system->bytes += (bytes + REPLAY_LINE - 1) / REPLAY_LINE * REPLAY_LINE;
	return offset;
}

int replay_system_start(struct replay_system *system, unsigned gpus, struct replay_sink sink, struct failure *error)
{
	if (system->bytes > REPLAY_MEMORY_MAX / gpus)
		return failure_set(error, -EFBIG,
				   "%u GPUs with this workload size exceed the %" PRIu64
				   " GiB limit: choose fewer GPUs or a smaller size",
				   gpus, REPLAY_MEMORY_MAX >> 30);
	system->sink = sink;
	system->gpus = gpus;
	for (unsigned g = 0; g < gpus; g++) {
		system->memory[g] = calloc(1, system->bytes ? system->bytes : 1);
		if (!system->memory[g])
			return failure_set(error, -ENOMEM, "out of memory for the %" PRIu64 " bytes of each of %u GPUs",
					   system->bytes, gpus);
	}
	return 0;
}

void replay_system_free(struct replay_system *system)
{
	for (unsigned g = 0; g < REPLAY_GPUS_MAX; g++)
		free(system->memory[g]);
	memset(system->memory, 0, sizeof(system->memory));
}

static int workload_system_flush(struct replay_system *system)
{
	size_t count = system->filled;

	system->filled = 0;
	return count ? system->sink.take(system->sink.user, system->batch, count) : 0;
}

static inline int emit(struct replay_system *system, struct replay_op op)
{
	system->batch[system->filled++] = op;
	return system->filled == REPLAY_BATCH ? workload_system_flush(system) : 0;
}

/* The 80 warps that the SMs run at the same time, step by step until none has more. */
static int run_row(struct replay_system *system, const struct replay_kernel *kernel, unsigned gpu, uint64_t row)
{
	uint64_t block = row / WARPS_A_BLOCK * REPLAY_SMS, threads = kernel->threads[gpu];
	struct replay_warp warps[REPLAY_SMS];
	unsigned live = 0;

	for (unsigned sm = 0; sm < REPLAY_SMS; sm++) {
		uint64_t first = (block + sm) * REPLAY_BLOCK + row % WARPS_A_BLOCK * REPLAY_WARP;
		uint64_t left = first < threads ? threads - first : 0;

		if (left)
			warps[live++] = (struct replay_warp){system, gpu, left < 32 ? (1u << left) - 1 : ~0u, first};
	}
	for (uint64_t step = 0; live; step++) {
		unsigned kept = 0;

		for (unsigned i = 0; i < live; i++) {
			int result = kernel->step(kernel->user, &warps[i], step);

			if (result < 0)
				return result;
			if (result == REPLAY_MORE)
				warps[kept++] = warps[i];
		}
		live = kept;
	}
	return 0;
}

int replay_system_run(struct replay_system *system, const struct replay_kernel *kernel)
{
	const uint64_t group = (uint64_t)REPLAY_SMS * REPLAY_BLOCK;
	uint64_t rows = 0;

	for (unsigned g = 0; g < system->gpus; g++) {
		uint64_t its_rows = (kernel->threads[g] + group - 1) / group * WARPS_A_BLOCK;

		rows = its_rows > rows ? its_rows : rows;
		system->start_ps[g] = system->clock_ps[g];
		system->worked_bytes[g] = system->worked_flops[g] = 0;
	}
	for (uint64_t row = 0; row < rows; row++)
		for (unsigned g = 0; g < system->gpus; g++) {
			int result = run_row(system, kernel, g, row);

			if (result)
				return result;
		}
	return 0;
}

int replay_system_copy(struct replay_system *system, unsigned source, unsigned destination, uint64_t address,
		       uint64_t bytes)
{
	const uint64_t most = UINT64_C(1) << 30;
	int result = 0;

	while (!result && bytes) {
		uint64_t size = bytes < most ? bytes : most;

		result = emit(system, (struct replay_op){.time_ps = system->clock_ps[source],
							 .address = address,
							 .size = (uint32_t)size,
							 .kind = REPLAY_COPY,
							 .source = (uint8_t)source,
							 .destination = (uint8_t)destination});
		address += size;
		bytes -= size;
	}
	return result;
}

int replay_system_copy_all(struct replay_system *system, unsigned source, uint64_t destinations, uint64_t address,
			   uint64_t bytes)
{
	int result = 0;

	for (unsigned i = 1; i < system->gpus && !result; i++) {
		unsigned to = (source + i) % system->gpus;

		if (destinations >> to & 1)
			result = replay_system_copy(system, source, to, address, bytes);
	}
	return result;
}

int replay_system_barrier(struct replay_system *system)
{
	uint64_t latest = 0;
	int result;

	for (unsigned g = 0; g < system->gpus; g++)
		latest = system->clock_ps[g] > latest ? system->clock_ps[g] : latest;
	for (unsigned g = 0; g < system->gpus; g++)
		system->clock_ps[g] = latest;
	result = emit(system, (struct replay_op){.time_ps = latest, .size = system->phase++, .kind = REPLAY_BARRIER});
	return result ? result : workload_system_flush(system);
}

bool replay_system_same(const struct replay_system *system, unsigned a, unsigned b, uint64_t address, uint64_t bytes)
{
	return !memcmp(system->memory[a] + address, system->memory[b] + address, bytes);
}

void replay_warp_work(struct replay_warp *warp, uint64_t bytes, uint64_t flops)
{
	struct replay_system *system = warp->system;
	unsigned g = warp->gpu;
	uint64_t memory_ps, compute_ps;

	system->worked_bytes[g] += bytes;
	system->worked_flops[g] += flops;
	memory_ps = system->worked_bytes[g] * 1000 / GIGABYTES_A_SECOND;
	compute_ps = system->worked_flops[g] * 1000000 / MEGAFLOPS;
	system->clock_ps[g] = system->start_ps[g] + (memory_ps > compute_ps ? memory_ps : compute_ps);
}

static int push_runs(struct replay_warp *warp, unsigned destination, const struct replay_run *runs, unsigned count)
{
	struct replay_system *system = warp->system;
	const uint8_t *from = system->memory[warp->gpu];
	uint8_t *to = system->memory[destination];
	int result = 0;

	for (unsigned i = 0; i < count && !result; i++) {
		memcpy(to + runs[i].address, from + runs[i].address, runs[i].size);
		result = emit(system, (struct replay_op){.time_ps = system->clock_ps[warp->gpu],
							 .address = runs[i].address,
							 .size = runs[i].size,
							 .kind = REPLAY_STORE,
							 .source = (uint8_t)warp->gpu,
							 .destination = (uint8_t)destination});
	}
	return result;
}

int replay_warp_push(struct replay_warp *warp, unsigned destination, uint32_t lanes, const uint64_t address[REPLAY_WARP],
		     unsigned size)
{
	struct replay_run runs[REPLAY_RUNS_MAX];

	return push_runs(warp, destination, runs, replay_coalesce(lanes, address, size, runs));
}

int replay_warp_push_row(struct replay_warp *warp, unsigned destination, uint32_t lanes, uint64_t address, unsigned size)
{
	struct replay_run runs[REPLAY_RUNS_MAX];

	return push_runs(warp, destination, runs, replay_coalesce_row(lanes, address, size, runs));
}

int replay_warp_push_all(struct replay_warp *warp, uint64_t destinations, uint32_t lanes, uint64_t address, unsigned size)
{
	struct replay_run runs[REPLAY_RUNS_MAX];
	unsigned count = replay_coalesce_row(lanes, address, size, runs);
	int result = 0;

	for (destinations &= replay_peers(warp->system, warp->gpu); !result && destinations;
	     destinations &= destinations - 1)
		result = push_runs(warp, (unsigned)__builtin_ctzll(destinations), runs, count);
	return result;
}

/* The GPUs other than the warp's own that any thread has among its destinations. */
static uint64_t any_of(const struct replay_warp *warp, const uint64_t destinations[REPLAY_WARP], uint32_t lanes)
{
	uint64_t any = 0;

	for (; lanes; lanes &= lanes - 1)
		any |= destinations[__builtin_ctz(lanes)];
	return any & replay_peers(warp->system, warp->gpu);
}

static uint32_t lanes_to(const uint64_t destinations[REPLAY_WARP], uint32_t lanes, unsigned destination)
{
	uint32_t to = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);

		to |= (uint32_t)(destinations[lane] >> destination & 1) << lane;
	}
	return to;
}

int replay_warp_push_each(struct replay_warp *warp, const uint64_t destinations[REPLAY_WARP], uint32_t lanes,
			  uint64_t address, unsigned size)
{
	uint64_t any = any_of(warp, destinations, lanes);
	int result = 0;

	for (; !result && any; any &= any - 1) {
		unsigned to = (unsigned)__builtin_ctzll(any);

		result = replay_warp_push_row(warp, to, lanes_to(destinations, lanes, to), address, size);
	}
	return result;
}

int replay_warp_push_scattered(struct replay_warp *warp, const uint64_t destinations[REPLAY_WARP], uint32_t lanes,
			       const uint64_t address[REPLAY_WARP], unsigned size)
{
	uint64_t any = any_of(warp, destinations, lanes);
	int result = 0;

	for (; !result && any; any &= any - 1) {
		unsigned to = (unsigned)__builtin_ctzll(any);

		result = replay_warp_push(warp, to, lanes_to(destinations, lanes, to), address, size);
	}
	return result;
}

int replay_warp_flip(struct replay_warp *warp, unsigned destination, uint32_t lanes, const uint64_t address[REPLAY_WARP],
		     const uint64_t values[REPLAY_WARP])
{
	struct replay_system *system = warp->system;
	struct replay_op op = {.time_ps = system->clock_ps[warp->gpu],
			       .size = sizeof(*values),
			       .kind = REPLAY_ATOMIC,
			       .source = (uint8_t)warp->gpu,
			       .destination = (uint8_t)destination};
	int result = 0;

	for (; lanes && !result; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint8_t *at = system->memory[destination] + address[lane];
		uint64_t value;

		memcpy(&value, at, sizeof(value));
		value ^= values[lane];
		memcpy(at, &value, sizeof(value));
		op.address = address[lane];
		if (destination != warp->gpu)
			result = emit(system, op);
	}
	return result;
}
