// SPDX-License-Identifier: Apache-2.0
/*
 * Homogeneous isotropic turbulence's traffic (FinePack V): a 3-D FFT and back on a cube of complex floats. GPUs have slabs
 * of z while they transform along x and y; then the cube is transposed, all-to-all, so that they have slabs of x with z
 * side by side, and transform along z; and the way back. A transposing thread has an element in the order of the
 * destination (a tile went through shared memory), so that a warp stores runs of as many elements as its GPU's slab is
 * deep. memcpy would copy what a kernel has packed for each destination.
 *
 * hit-direct: the same, without a tile. A transposing thread has an element in the order of the source, so that each of a
 * warp's elements goes to a line of its own, 8 bytes.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { ELEMENT = 8, PROBES = 4, MOST_SIDE = 512 };

struct complex_float {
	float re, im;
};

struct hit {
	struct workload_run *run;
	uint64_t n, cube[2], packed; /* arrays: by (z, y, x), by (x, y, z), the buffer that memcpy would use */
	bool direct; /* transposed without a tile */
	bool back;
	double cosine[MOST_SIDE], sine[MOST_SIDE];
	/* The lines that a kernel transforms: */
	unsigned which, axis; /* 0: the elements of a line are side by side, 1: n apart */
};

static struct complex_float *cube(struct hit *h, unsigned gpu, unsigned which)
{
	return (struct complex_float *)(void *)(h->run->system.memory[gpu] + h->cube[which]);
}

/* Radix 2, in place, n a power of two; forth divides nothing, back divides by n. */
static void transform(const struct hit *h, double *re, double *im)
{
	uint64_t n = h->n;

	for (uint64_t i = 1, j = 0; i < n; i++) { /* bits reversed */
		uint64_t bit = n >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j |= bit;
		if (i < j) {
			double a = re[i], b = im[i];

			re[i] = re[j], im[i] = im[j];
			re[j] = a, im[j] = b;
		}
	}
	for (uint64_t half = 1; half < n; half *= 2)
		for (uint64_t i = 0; i < n; i++) {
			double c, s, a, b;

			if (i & half)
				continue;
			c = h->cosine[(i & (half - 1)) * (n / 2 / half)];
			s = h->back ? h->sine[(i & (half - 1)) * (n / 2 / half)]
				    : -h->sine[(i & (half - 1)) * (n / 2 / half)];
			a = re[i + half] * c - im[i + half] * s;
			b = re[i + half] * s + im[i + half] * c;
			re[i + half] = re[i] - a, im[i + half] = im[i] - b;
			re[i] += a, im[i] += b;
		}
	for (uint64_t i = 0; i < n && h->back; i++)
		re[i] /= (double)n, im[i] /= (double)n;
}

/* Thread i has the i-th line of its GPU's slab of planes. */
static int transform_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct hit *h = user;
	uint64_t n = h->n, stride = h->axis ? n : 1;
	double re[MOST_SIDE], im[MOST_SIDE];
	unsigned stages = (unsigned)__builtin_ctzll(n);

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		uint64_t line = share_begin(h->run, n, warp->gpu) * n + warp->first + (unsigned)__builtin_ctz(left);
		struct complex_float *at = cube(h, warp->gpu, h->which) +
					   (h->axis ? line / n * n * n + line % n : line * n);

		for (uint64_t i = 0; i < n; i++)
			re[i] = (double)at[i * stride].re, im[i] = (double)at[i * stride].im;
		transform(h, re, im);
		for (uint64_t i = 0; i < n; i++)
			at[i * stride] = (struct complex_float){(float)re[i], (float)im[i]};
	}
	replay_warp_work(warp, REPLAY_WARP * n * ELEMENT * 2, REPLAY_WARP * n * 5 * stages);
	return 0;
}

static int transform_lines(struct hit *h, unsigned which, unsigned axis)
{
	struct replay_kernel kernel = {.step = transform_step, .user = h};

	h->which = which;
	h->axis = axis;
	for (unsigned g = 0; g < h->run->options.gpus; g++)
		kernel.threads[g] = share_size(h->run, h->n, g) * h->n;
	return replay_system_run(&h->run->system, &kernel);
}

/*
 * The element (a, y, b) of this GPU's slab of a becomes (b, y, a) of the other cube: a is the fastest there. Thread i: the
 * i-th, a fastest, then y, then b; the other way round where that is done directly.
 */
static int transpose_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct hit *h = user;
	uint64_t n = h->n, begin = share_begin(h->run, n, warp->gpu), deep = share_size(h->run, n, warp->gpu);
	uint64_t address[REPLAY_WARP], to[REPLAY_WARP];

	(void)number;
	for (uint32_t left = warp->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t i = warp->first + lane, a = begin + i % deep, y = i / deep % n, b = i / deep / n, target;

		if (h->direct)
			a = begin + i / n / n, y = i / n % n, b = i % n;
		target = (b * n + y) * n + a;
		cube(h, warp->gpu, !h->which)[target] = cube(h, warp->gpu, h->which)[(a * n + y) * n + b];
		address[lane] = h->cube[!h->which] + target * ELEMENT;
		to[lane] = UINT64_C(1) << replay_owner(&h->run->system, n, b);
	}
	replay_warp_work(warp, REPLAY_WARP * ELEMENT * 2, 0);
	return replay_warp_push_scattered(warp, to, warp->lanes, address, ELEMENT);
}

/* Each GPU has got its slab of a cube that was just transposed. */
static int check_transposed(struct hit *h, unsigned which)
{
	uint64_t n = h->n;
	int result = 0;

	for (uint64_t line = 0; line < n * n; line++) {
		unsigned to = replay_owner(&h->run->system, n, line / n);

		for (unsigned from = 0; from < h->run->options.gpus && !result; from++)
			result = workload_check_pushed(h->run, from, to,
						       h->cube[which] + (line * n + share_begin(h->run, n, from)) * ELEMENT,
						       share_size(h->run, n, from) * ELEMENT);
	}
	return result;
}

static int transpose(struct hit *h, unsigned which)
{
	struct replay_kernel kernel = {.step = transpose_step, .user = h};
	unsigned gpus = h->run->options.gpus;
	int result;

	h->which = which;
	for (unsigned g = 0; g < gpus; g++)
		kernel.threads[g] = share_size(h->run, h->n, g) * h->n * h->n;
	result = replay_system_run(&h->run->system, &kernel);
	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		unsigned from = i / gpus, to = (from + i) % gpus;
		uint64_t a = share_begin(h->run, h->n, from), wide = share_size(h->run, h->n, to);

		if (from != to)
			result = replay_system_copy(&h->run->system, from, to, h->packed + a * wide * h->n * ELEMENT,
						    share_size(h->run, h->n, from) * wide * h->n * ELEMENT);
	}
	if (!result)
		result = replay_system_barrier(&h->run->system);
	return result ? result : check_transposed(h, !which);
}

static struct complex_float start_value(const struct hit *h, uint64_t i)
{
	uint64_t seed = h->run->options.seed;

	return (struct complex_float){(float)workload_fraction(seed, 2 * i) - 0.5f,
				      (float)workload_fraction(seed, 2 * i + 1) - 0.5f};
}

/* Some coefficients by the definition of the transform; the largest difference, of the root of n^3. */
static double probe(struct hit *h)
{
	uint64_t n = h->n, places = n * n * n;
	double worst = 0;

	for (unsigned p = 0; p < PROBES; p++) {
		uint64_t k = p * (places / PROBES) + p * 37 % places, x = k / n / n, y = k / n % n, z = k % n;
		const struct complex_float *got = cube(h, replay_owner(&h->run->system, n, x), 1) + k;
		double re = 0, im = 0;

		for (uint64_t i = 0; i < places; i++) {
			struct complex_float v = start_value(h, i);
			uint64_t turn = (i % n * x + i / n % n * y + i / n / n * z) % n;
			double c = h->cosine[turn], s = -h->sine[turn];

			re += (double)v.re * c - (double)v.im * s;
			im += (double)v.re * s + (double)v.im * c;
		}
		worst = fmax(worst, fmax(fabs(re - (double)got->re), fabs(im - (double)got->im)) / sqrt((double)places));
	}
	return worst;
}

/* Forth and back. `*probed`: what probe() found in between. */
static int hit_iterate(struct hit *h, double *probed)
{
	int result;

	h->back = false;
	if ((result = transform_lines(h, 0, 0)) || (result = transform_lines(h, 0, 1)) || (result = transpose(h, 0)) ||
	    (result = transform_lines(h, 1, 0)))
		return result;
	*probed = fmax(*probed, probe(h));
	h->back = true;
	if ((result = transform_lines(h, 1, 0)) || (result = transpose(h, 1)) || (result = transform_lines(h, 0, 1)) ||
	    (result = transform_lines(h, 0, 0)))
		return result;
	return replay_system_barrier(&h->run->system); /* of a phase that only computes */
}

static int hit_check(struct hit *h, double probed)
{
	double worst = probed;

	for (uint64_t i = 0; i < h->n * h->n * h->n; i++) {
		const struct complex_float *got = cube(h, replay_owner(&h->run->system, h->n, i / h->n / h->n), 0) + i;
		struct complex_float right = start_value(h, i);

		worst = fmax(worst, fmax(fabs((double)(got->re - right.re)), fabs((double)(got->im - right.im))));
	}
	h->run->info->iterations = h->run->options.iterations;
	h->run->info->elements = h->n * h->n * h->n;
	return workload_compare(h->run,
				"the largest difference of the values after forth and back, and of some coefficients "
				"from the transform's definition",
				worst, 2e-5);
}

static int hit_run_all(struct hit *h)
{
	struct workload_run *run = h->run;
	uint64_t places = h->n * h->n * h->n;
	double probed = 0;
	int result;

	for (uint64_t i = 0; i < h->n; i++) {
		h->cosine[i] = cos(2 * 3.14159265358979323846 * (double)i / (double)h->n);
		h->sine[i] = sin(2 * 3.14159265358979323846 * (double)i / (double)h->n);
	}
	h->cube[0] = replay_system_array(&run->system, places * ELEMENT);
	h->cube[1] = replay_system_array(&run->system, places * ELEMENT);
	h->packed = replay_system_array(&run->system, places * ELEMENT);
	result = workload_start(run);
	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		for (uint64_t i = share_begin(run, h->n, g) * h->n * h->n; i < share_begin(run, h->n, g + 1) * h->n * h->n;
		     i++)
			cube(h, g, 0)[i] = start_value(h, i);
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = hit_iterate(h, &probed);
	return result ? result : hit_check(h, probed);
}

static int run_hit(struct workload_run *run, bool direct)
{
	struct hit *h;
	int result;

	if ((run->options.size & (run->options.size - 1)) || run->options.size < run->options.gpus)
		return workload_fail(run, -EINVAL,
				     "a side of %" PRIu64 ": must be a power of two, at least the number of GPUs",
				     run->options.size);
	h = workload_array(run, 1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->run = run;
	h->n = run->options.size;
	h->direct = direct;
	result = hit_run_all(h);
	free(h);
	return result;
}

int workload_run_hit(struct workload_run *run)
{
	return run_hit(run, false);
}

int workload_run_hit_direct(struct workload_run *run)
{
	return run_hit(run, true);
}
