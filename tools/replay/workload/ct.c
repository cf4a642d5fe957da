// SPDX-License-Identifier: Apache-2.0
/*
 * Model-based reconstruction of an image from X-ray projections (FinePack V: MBIR, as in CT scanners): coordinate descent.
 * A GPU has a block of the image's pixels, a warp a pixel, a lane a view. The warp reads how far its pixel's projections
 * are off, changes the pixel, and scatters the change into the projections: two neighbouring channels of each view,
 * views far apart in memory. As several GPUs change the same projections, each GPU has its own array of what its pixels
 * project to in all, and pushes what it changes there to all peers, all-to-all; how far off a projection is, is what was
 * measured less the sum of these arrays. memcpy would copy a GPU's whole array to every peer.
 *
 * Views lie at tan(angle / 2) = -1 ... 1, so that no library function decides which channel a pixel is seen by. What is
 * measured is that of a made-up image. A pixel's step is damped by the number of GPUs that step at the same time.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct ct {
	struct workload_run *run;
	uint64_t n, views, channels, rays; /* n * n pixels; views * channels rays */
	uint64_t image, projected;	   /* arrays; the latter of each GPU, one after the other */
	double *cosine, *sine, *measured;
};

/* Where a view sees a pixel: the lower of two channels, and how much of it the upper one gets. */
struct footprint {
	uint64_t ray;
	double upper;
};

static struct footprint footprint(const struct ct *c, uint64_t pixel, uint64_t view)
{
	double middle = ((double)c->n - 1) / 2, x = (double)(pixel % c->n) - middle, y = (double)(pixel / c->n) - middle;
	double at = x * c->cosine[view] + y * c->sine[view] + ((double)c->channels - 1) / 2;
	uint64_t channel = (uint64_t)at; /* positive: there are 3/2 n channels, which is more than the diagonal */

	return (struct footprint){view * c->channels + channel, at - (double)channel};
}

/* Distance of a ray, in a GPU's copy. */
static double difference(const struct ct *c, unsigned gpu, uint64_t ray)
{
	double sum = c->measured[ray];

	for (unsigned g = 0; g < c->run->options.gpus; g++)
		sum -= (double)floats(c->run, gpu, c->projected)[g * c->rays + ray];
	return sum;
}

/* The pixel's change: one step of coordinate descent. */
static double change_of(const struct ct *c, unsigned gpu, uint64_t pixel)
{
	double along = 0, square = 0;

	for (uint64_t view = 0; view < c->views; view++) {
		struct footprint f = footprint(c, pixel, view);

		along += (1 - f.upper) * difference(c, gpu, f.ray) + f.upper * difference(c, gpu, f.ray + 1);
		square += (1 - f.upper) * (1 - f.upper) + f.upper * f.upper;
	}
	return along / square / c->run->options.gpus;
}

/* Adds to a ray's value in the GPU's own array. */
static void ct_add(struct ct *c, unsigned gpu, uint64_t ray, double value)
{
	float *at = floats(c->run, gpu, c->projected) + gpu * c->rays + ray;

	*at = (float)((double)*at + value);
}

/* Scatters for 32 views, then pushes: first the lower channels, then the upper ones. */
static int scatter(struct ct *c, struct replay_warp *warp, uint64_t pixel, double change, uint64_t first_view)
{
	uint64_t address[REPLAY_WARP], peers = replay_peers(&c->run->system, warp->gpu), left;
	uint32_t lanes = 0;
	int result = 0;

	for (unsigned lane = 0; lane < REPLAY_WARP && first_view + lane < c->views; lane++) {
		struct footprint f = footprint(c, pixel, first_view + lane);

		ct_add(c, warp->gpu, f.ray, (1 - f.upper) * change);
		ct_add(c, warp->gpu, f.ray + 1, f.upper * change);
		address[lane] = c->projected + (warp->gpu * c->rays + f.ray) * sizeof(float);
		lanes |= 1u << lane;
	}
	for (left = peers; left && !result; left &= left - 1)
		result = replay_warp_push(warp, (unsigned)__builtin_ctzll(left), lanes, address, sizeof(float));
	for (unsigned lane = 0; lane < REPLAY_WARP; lane++)
		address[lane] += lanes >> lane & 1 ? sizeof(float) : 0;
	for (left = peers; left && !result; left &= left - 1)
		result = replay_warp_push(warp, (unsigned)__builtin_ctzll(left), lanes, address, sizeof(float));
	return result;
}

/* A warp a pixel: all its views in this one step, since it does not wait in between once the change is known. */
static int ct_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct ct *c = user;
	uint64_t pixel = share_begin(c->run, c->n * c->n, warp->gpu) + warp->first / REPLAY_WARP;
	float *image = floats(c->run, warp->gpu, c->image);
	double change = change_of(c, warp->gpu, pixel);
	int result = 0;

	(void)number;
	change = fmax(change, -(double)image[pixel]); /* nothing is less than transparent */
	image[pixel] = (float)((double)image[pixel] + change);
	/* Two rays a view: measured and each GPU's part read, its own written. */
	replay_warp_work(warp, c->views * 2 * 4 * (c->run->options.gpus + 3), c->views * 2 * (c->run->options.gpus + 12));
	for (uint64_t view = 0; view < c->views && !result; view += REPLAY_WARP)
		result = scatter(c, warp, pixel, change, view);
	return result;
}

static int ct_iterate(struct ct *c)
{
	struct replay_kernel kernel = { .step = ct_step, .user = c };
	unsigned gpus = c->run->options.gpus;
	int result;

	for (unsigned g = 0; g < gpus; g++)
		kernel.threads[g] = share_size(c->run, c->n * c->n, g) * REPLAY_WARP;
	result = replay_system_run(&c->run->system, &kernel);
	for (unsigned g = 0; g < gpus && !result; g++)
		result = replay_system_copy_all(&c->run->system, g, ~UINT64_C(0),
						c->projected + g * c->rays * sizeof(float), c->rays * sizeof(float));
	return result ? result : replay_system_barrier(&c->run->system);
}

/* What an image projects to. */
static void project(const struct ct *c, uint64_t pixel, double value, double *rays)
{
	for (uint64_t view = 0; view < c->views; view++) {
		struct footprint f = footprint(c, pixel, view);

		rays[f.ray] += (1 - f.upper) * value;
		rays[f.ray + 1] += f.upper * value;
	}
}

/* Blocks of 8 * 8 pixels of some density, within a circle. */
static double made_up_pixel(const struct ct *c, uint64_t pixel)
{
	double middle = ((double)c->n - 1) / 2, x = (double)(pixel % c->n) - middle, y = (double)(pixel / c->n) - middle;

	if (x * x + y * y > middle * middle)
		return 0;
	return 0.5 + workload_fraction(c->run->options.seed, pixel % c->n / 8 << 32 | pixel / c->n / 8);
}

/* The sums of the arrays, on every GPU, against a projection of the image that came out. */
static int ct_check(struct ct *c)
{
	double *rays = workload_array(c->run, c->rays, sizeof(*rays)), worst = 0, most = 0, off = 0, all = 0;

	if (!rays)
		return -ENOMEM;
	for (uint64_t pixel = 0; pixel < c->n * c->n; pixel++) {
		unsigned owner = replay_owner(&c->run->system, c->n * c->n, pixel);

		project(c, pixel, (double)floats(c->run, owner, c->image)[pixel], rays);
	}
	for (uint64_t ray = 0; ray < c->rays; ray++) {
		most = fmax(most, c->measured[ray]);
		off += (c->measured[ray] - rays[ray]) * (c->measured[ray] - rays[ray]);
		all += c->measured[ray] * c->measured[ray];
		for (unsigned g = 0; g < c->run->options.gpus; g++)
			worst = fmax(worst, fabs(c->measured[ray] - rays[ray] - difference(c, g, ray)));
	}
	free(rays);
	c->run->info->iterations = c->run->options.iterations;
	c->run->info->elements = c->n * c->n;
	if (!(off < all / 4))
		return workload_fail(c->run, -EILSEQ,
				     "the image's projections deviate by %g from the measured values: must be less "
				     "than half",
				     sqrt(off / all));
	return workload_compare(c->run,
				"the largest difference of a projection, of the largest one, from that of the image",
				worst / most, 1e-4);
}

static int ct_run_all(struct ct *c)
{
	struct workload_run *run = c->run;
	int result;

	c->cosine = workload_array(run, c->views, sizeof(double));
	c->sine = workload_array(run, c->views, sizeof(double));
	c->measured = workload_array(run, c->rays, sizeof(double));
	if (!c->cosine || !c->sine || !c->measured)
		return -ENOMEM;
	for (uint64_t view = 0; view < c->views; view++) {
		double t = -1 + 2 * (double)view / (double)c->views;

		c->cosine[view] = (1 - t * t) / (1 + t * t);
		c->sine[view] = 2 * t / (1 + t * t);
	}
	for (uint64_t pixel = 0; pixel < c->n * c->n; pixel++)
		project(c, pixel, made_up_pixel(c, pixel), c->measured);
	c->image = replay_system_array(&run->system, c->n * c->n * sizeof(float));
	c->projected = replay_system_array(&run->system, run->options.gpus * c->rays * sizeof(float));
	result = workload_start(run);
	for (unsigned i = 0; i < run->options.iterations && !result; i++)
		result = ct_iterate(c);
	if (!result)
		result = workload_check_all(run, c->projected, run->options.gpus * c->rays * sizeof(float));
	return result ? result : ct_check(c);
}

int workload_run_ct(struct workload_run *run)
{
	struct ct c = {.run = run, .n = run->options.size};
	int result;

	c.views = c.n * 3 / 2;
	c.channels = c.n * 3 / 2 + 2;
	c.rays = c.views * c.channels;
	result = ct_run_all(&c);
	free(c.cosine);
	free(c.sine);
	free(c.measured);
	return result;
}
