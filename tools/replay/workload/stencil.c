// SPDX-License-Identifier: Apache-2.0
/*
 * Halo exchanges on a cube of cells, x side by side in memory, 0 around it; two arrays in time.
 *
 * eqwp: the wave equation with differences of 4th order in space (FinePack V: earthquake wave propagation), floats; GPUs
 * have columns of the cube, shared out over x and y, and push 2 cells deep: 8 bytes of each row to the neighbours in x,
 * rows to those in y. memcpy would copy halos that a kernel has packed. diffusion: the heat equation, 2nd order, doubles;
 * GPUs have slabs of z, and push planes, as memcpy would copy them.
 *
 * Thread i of a GPU has the i-th cell of its block, x fastest, and pushes it to the neighbour that reads it.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { X, Y, Z, AXES };
#define EQWP_SPEED     0.1  /* (c dt / dx)^2; stable below 1/4 */
#define DIFFUSION_RATE 0.15 /* k dt / dx^2; stable below 1/6 */

struct block {
	uint64_t begin[AXES], end[AXES];
};

struct stencil {
	struct workload_run *run;
	bool wave;
	unsigned radius, parts[AXES];
	uint64_t n, field[2], packed; /* arrays */
	unsigned now;
	struct block blocks[REPLAY_GPUS_MAX];
};

static uint64_t cell(const struct stencil *s, const uint64_t at[AXES])
{
	return (at[Z] * s->n + at[Y]) * s->n + at[X];
}

/* GPU g's block: its places in the grid of parts, x fastest. */
static void share_out(struct stencil *s)
{
	for (unsigned g = 0; g < s->run->options.gpus; g++) {
		unsigned place[AXES] = {g % s->parts[X], g / s->parts[X] % s->parts[Y], g / s->parts[X] / s->parts[Y]};

		for (unsigned axis = 0; axis < AXES; axis++) {
			s->blocks[g].begin[axis] = s->n * place[axis] / s->parts[axis];
			s->blocks[g].end[axis] = s->n * (place[axis] + 1) / s->parts[axis];
		}
	}
}

/* The neighbour across a side of GPU g's block, or -1. */
static int neighbour(const struct stencil *s, unsigned g, unsigned axis, bool upper)
{
	const unsigned stride[AXES] = {1, s->parts[X], s->parts[X] * s->parts[Y]};

	if (upper ? s->blocks[g].end[axis] == s->n : s->blocks[g].begin[axis] == 0)
		return -1;
	return (int)(upper ? g + stride[axis] : g - stride[axis]);
}

/* The GPUs that read a cell of GPU g's. */
static uint64_t readers(const struct stencil *s, unsigned g, const uint64_t at[AXES])
{
	const struct block *b = &s->blocks[g];
	uint64_t all = 0;

	for (unsigned axis = 0; axis < AXES; axis++) {
		int lower = at[axis] < b->begin[axis] + s->radius ? neighbour(s, g, axis, false) : -1;
		int upper = at[axis] + s->radius >= b->end[axis] ? neighbour(s, g, axis, true) : -1;

		all |= lower < 0 ? 0 : UINT64_C(1) << lower;
		all |= upper < 0 ? 0 : UINT64_C(1) << upper;
	}
	return all;
}

/* What a GPU has at a distance, along an axis, from cell `i`, which is `at` there. */
static inline double stencil_look(struct stencil *s, unsigned g, uint64_t i, uint64_t at, uint64_t stride, int64_t distance)
{
	if (at + (uint64_t)distance >= s->n) /* also below 0 */
		return 0;
	return real_get(s->run, g, s->field[s->now], i + (uint64_t)distance * stride);
}

static double next_value(struct stencil *s, unsigned g, const uint64_t at[AXES])
{
	const uint64_t i = cell(s, at), stride[AXES] = {1, s->n, s->n * s->n};
	double own = real_get(s->run, g, s->field[s->now], i), sum = 0;

	for (unsigned axis = 0; axis < AXES; axis++) {
		double near =
			stencil_look(s, g, i, at[axis], stride[axis], -1) + stencil_look(s, g, i, at[axis], stride[axis], 1);
		double far = 0;

		if (s->wave)
			far = stencil_look(s, g, i, at[axis], stride[axis], -2) +
			      stencil_look(s, g, i, at[axis], stride[axis], 2);
		sum += s->wave ? (16 * near - far - 30 * own) / 12 : near - 2 * own;
	}
	if (s->wave)
		return 2 * own - real_get(s->run, g, s->field[!s->now], i) + EQWP_SPEED * sum;
	return own + DIFFUSION_RATE * sum;
}

static int stencil_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct stencil *s = user;
	const struct block *b = &s->blocks[warp->gpu];
	uint64_t width = b->end[X] - b->begin[X], height = b->end[Y] - b->begin[Y];
	uint64_t address[REPLAY_WARP], to[REPLAY_WARP], any = 0;
	unsigned element = s->run->options.element;

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t i = warp->first + lane;
		uint64_t at[AXES] = {b->begin[X] + i % width, b->begin[Y] + i / width % height,
				     b->begin[Z] + i / width / height};

		real_set(s->run, warp->gpu, s->field[!s->now], cell(s, at), next_value(s, warp->gpu, at));
		address[lane] = s->field[!s->now] + cell(s, at) * element;
		to[lane] = readers(s, warp->gpu, at);
		any |= to[lane];
	}
	/* Each cell read and written once (and the time before it for waves). */
	replay_warp_work(warp, REPLAY_WARP * element * (s->wave ? 3u : 2u),
			 REPLAY_WARP * (s->wave ? 24u : 11u) * element / 4);
	return any ? replay_warp_push_scattered(warp, to, warp->lanes, address, element) : 0;
}

static uint64_t side(const struct block *b, unsigned axis)
{
	return b->end[axis] - b->begin[axis];
}

/* A halo as memcpy copies it: planes of z in place, else packed, each into its own part of the neighbour's buffer. */
static int copy_halo(struct stencil *s, unsigned g, unsigned axis, bool upper)
{
	const struct block *b = &s->blocks[g];
	uint64_t area = side(b, X) * side(b, Y) * side(b, Z) / side(b, axis),
		 bytes = area * s->radius * s->run->options.element;
	uint64_t plane = (s->n * s->n) * s->run->options.element, room = s->radius * plane;
	int to = neighbour(s, g, axis, upper);

	if (to < 0)
		return 0;
	if (s->packed)
		return replay_system_copy(&s->run->system, g, (unsigned)to, s->packed + (2 * axis + upper) * room, bytes);
	return replay_system_copy(&s->run->system, g, (unsigned)to,
				  s->field[!s->now] + (upper ? b->end[Z] - s->radius : b->begin[Z]) * plane, bytes);
}

static int stencil_iterate(struct stencil *s)
{
	struct replay_kernel kernel = { .step = stencil_step, .user = s };
	unsigned gpus = s->run->options.gpus;
	int result;

	for (unsigned g = 0; g < gpus; g++)
		kernel.threads[g] = side(&s->blocks[g], X) * side(&s->blocks[g], Y) * side(&s->blocks[g], Z);
	result = replay_system_run(&s->run->system, &kernel);
	for (unsigned i = 0; i < gpus * AXES * 2 && !result; i++)
		result = copy_halo(s, i / (AXES * 2), i / 2 % AXES, i % 2);
	s->now = !s->now;
	return result ? result : replay_system_barrier(&s->run->system);
}

static double start_value(const struct stencil *s, uint64_t i)
{
	return workload_fraction(s->run->options.seed, i) - 0.5;
}

/* The same steps for the whole cube, with one cell's margin of zeros for each step of the radius. */
static void reference(const struct stencil *s, double *now, double *next)
{
	uint64_t n = s->n, margin = s->radius, wide = n + 2 * margin;
	const uint64_t stride[AXES] = {1, wide, wide * wide};

	for (uint64_t i = 0; i < n * n * n; i++) {
		uint64_t at = ((i / n / n + margin) * wide + i / n % n + margin) * wide + i % n + margin;

		now[at] = next[at] = s->run->options.element == 4 ? (double)(float)start_value(s, i) : start_value(s, i);
	}
	for (unsigned t = 0; t < s->run->options.iterations; t++) {
		double *last = now;

		for (uint64_t i = 0; i < n * n * n; i++) {
			double *p = now + ((i / n / n + margin) * wide + i / n % n + margin) * wide + i % n + margin;
			double *to = next + (p - now), sum = 0;

			for (unsigned axis = 0; axis < AXES; axis++) {
				const double *q = p + stride[axis], *r = p - stride[axis];

				sum += s->wave ? (-q[stride[axis]] + 16 * *q - 30 * *p + 16 * *r - *(r - stride[axis])) / 12
					       : *q - 2 * *p + *r;
			}
			*to = s->wave ? 2 * *p - *to + EQWP_SPEED * sum : *p + DIFFUSION_RATE * sum;
		}
		now = next;
		next = last;
	}
}

/* Every neighbour has got the cells that it reads. */
static int check_halos(struct stencil *s)
{
	unsigned element = s->run->options.element;
	int result = 0;

	for (unsigned g = 0; g < s->run->options.gpus; g++) {
		const struct block *b = &s->blocks[g];

		for (uint64_t i = 0; i < side(b, X) * side(b, Y) * side(b, Z) && !result; i++) {
			uint64_t at[AXES] = {b->begin[X] + i % side(b, X), b->begin[Y] + i / side(b, X) % side(b, Y),
					     b->begin[Z] + i / side(b, X) / side(b, Y)};

			for (uint64_t left = readers(s, g, at); left && !result; left &= left - 1)
				result = workload_check_pushed(s->run, g, (unsigned)__builtin_ctzll(left),
							       s->field[s->now] + cell(s, at) * element, element);
		}
	}
	return result;
}

static int stencil_check(struct stencil *s)
{
	uint64_t n = s->n, wide = n + 2 * s->radius, margin = s->radius;
	double *arrays[2] = {workload_array(s->run, wide * wide * wide, sizeof(double)),
			     workload_array(s->run, wide * wide * wide, sizeof(double))};
	double *last = arrays[s->run->options.iterations % 2], worst = 0, most = 0;

	if (arrays[0] && arrays[1])
		reference(s, arrays[0], arrays[1]);
	for (unsigned g = 0; g < s->run->options.gpus && arrays[0] && arrays[1]; g++) {
		const struct block *b = &s->blocks[g];

		for (uint64_t i = 0; i < side(b, X) * side(b, Y) * side(b, Z); i++) {
			uint64_t at[AXES] = {b->begin[X] + i % side(b, X), b->begin[Y] + i / side(b, X) % side(b, Y),
					     b->begin[Z] + i / side(b, X) / side(b, Y)};
			double right = last[((at[Z] + margin) * wide + at[Y] + margin) * wide + at[X] + margin];

			worst = fmax(worst, fabs(right - real_get(s->run, g, s->field[s->now], cell(s, at))));
			most = fmax(most, fabs(right));
		}
	}
	free(arrays[0]);
	free(arrays[1]);
	if (!arrays[0] || !arrays[1])
		return -ENOMEM;
	s->run->info->iterations = s->run->options.iterations;
	s->run->info->elements = n * n * n;
	return workload_compare(s->run, "the largest difference from a serial computation, of the largest value",
				most > 0 ? worst / most : worst, s->run->options.element == 4 ? 1e-5 : 1e-12);
}

static int run_stencil(struct stencil *s)
{
	struct workload_run *run = s->run;
	uint64_t cells;
	int result = 0;

	s->n = run->options.size;
	cells = s->n * s->n * s->n;
	for (unsigned axis = 0; axis < AXES; axis++)
		if (s->n / s->parts[axis] < s->radius)
			return workload_fail(run, -EINVAL,
					     "a side of %" PRIu64 " cells over %u GPUs: must be at least %u",
					     s->n, s->parts[axis], s->parts[axis] * s->radius);
	share_out(s);
	for (unsigned i = 0; i < 2; i++)
		s->field[i] = replay_system_array(&run->system, cells * run->options.element);
	if (s->wave)
		s->packed = replay_system_array(&run->system, 2 * AXES * s->radius * s->n * s->n * run->options.element);
	result = workload_start(run);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		for (uint64_t i = 0; i < cells; i++) {
			real_set(run, g, s->field[0], i, start_value(s, i));
			real_set(run, g, s->field[1], i, start_value(s, i));
		}
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = stencil_iterate(s);
	if (!result)
		result = check_halos(s);
	return result ? result : stencil_check(s);
}

/* GPUs over x and y, as square as their number allows, more over x. */
int workload_run_eqwp(struct workload_run *run)
{
	struct stencil s = {.run = run, .wave = true, .radius = 2};
	unsigned over_y = 1;

	for (unsigned d = 1; d * d <= run->options.gpus; d++)
		over_y = run->options.gpus % d ? over_y : d;
	s.parts[X] = run->options.gpus / over_y;
	s.parts[Y] = over_y;
	s.parts[Z] = 1;
	return run_stencil(&s);
}

int workload_run_diffusion(struct workload_run *run)
{
	struct stencil s = {.run = run, .radius = 1, .parts = {1, 1, run->options.gpus}};

	return run_stencil(&s);
}
