// SPDX-License-Identifier: Apache-2.0
#include "jacobi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

enum { NEIGHBOURS = 8, SHARE = JACOBI_UNKNOWNS / JACOBI_ENDPOINTS, CHUNK = 131072 };
enum { SHARE_BYTES = SHARE * sizeof(double), VECTOR_BYTES = JACOBI_UNKNOWNS * sizeof(double) };
enum { CHUNK_UNKNOWNS = CHUNK / sizeof(double) };

/* Replicas and sources have two vectors: one is read while the next one arrives. */
struct jacobi {
	struct gpulink *device;
	struct gpulink_window *windows[JACOBI_ENDPOINTS];
	double *replica[JACOBI_ENDPOINTS];
	double *source;
	struct gpulink_memory *memory;
	struct gpulink_region *regions[JACOBI_ENDPOINTS][2];
	pthread_barrier_t barrier;
	enum jacobi_way way;
};

struct worker {
	struct jacobi *jacobi;
	pthread_t thread;
	unsigned endpoint;
	int error;
};

/* One row: an unknown depends on others all over the vector. */
static double row(const double *x, unsigned i)
{
	double sum = 0;

	for (unsigned k = 1; k <= NEIGHBOURS; k++)
		sum += x[(i + k * k * 37) % JACOBI_UNKNOWNS];
	return (double)(i % 101) + sum / (2 * NEIGHBOURS);
}

static double first_value(unsigned i)
{
	return (double)(i * 7 % 251);
}

/* --- a worker's iteration --- */

/* Where its share of a vector lies, in replicas and in the source. */
static size_t place_of(unsigned endpoint, unsigned parity)
{
	return parity * VECTOR_BYTES + endpoint * SHARE_BYTES;
}

static int store_all(struct jacobi *j, size_t place, double value)
{
	int error = 0;

	for (unsigned t = 0; t < JACOBI_ENDPOINTS && !error; t++)
		error = gpulink_store(j->windows[t], place, &value, sizeof(value));
	return error;
}

static int compute(struct worker *w, unsigned parity)
{
	struct jacobi *j = w->jacobi;
	const double *x = j->replica[w->endpoint] + (1 - parity) * JACOBI_UNKNOWNS;
	size_t place = place_of(w->endpoint, parity);
	double *to = (double *)(void *)((uint8_t *)j->source + place);
	int error = 0;

	for (unsigned i = 0; i < SHARE && !error; i++) {
		to[i] = row(x, w->endpoint * SHARE + i);
		if (j->way == JACOBI_STORES)
			error = store_all(j, place + i * sizeof(double), to[i]);
		else if (j->way == JACOBI_REGION && (i + 1) % CHUNK_UNKNOWNS == 0)
			error = gpulink_region_ready(j->regions[w->endpoint][parity], i / CHUNK_UNKNOWNS);
	}
	return error;
}

static int copy_share(struct worker *w, unsigned parity)
{
	struct jacobi *j = w->jacobi;
	size_t place = place_of(w->endpoint, parity);
	int error = 0;

	for (unsigned t = 0; t < JACOBI_ENDPOINTS && !error; t++)
		error = gpulink_put_memory(j->windows[t], place, j->memory, place, SHARE_BYTES, GPULINK_NO_TAG);
	return error;
}

static int iterate(struct worker *w, unsigned parity)
{
	struct jacobi *j = w->jacobi;
	struct gpulink_region *region = j->regions[w->endpoint][parity];
	int error = j->way == JACOBI_REGION ? gpulink_region_start(region) : 0;

	if (!error)
		error = compute(w, parity);
	if (!error && j->way == JACOBI_COPY)
		error = copy_share(w, parity);
	if (error || j->way == JACOBI_NOTHING)
		return error;
	return j->way == JACOBI_REGION ? gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 60 * SECOND) :
					 gpulink_release(j->device, 60 * SECOND);
}

static void *work(void *argument)
{
	struct worker *w = argument;

	for (unsigned i = 1; i <= jacobi_iterations(w->jacobi->way); i++) {
		if (!w->error)
			w->error = iterate(w, i % 2);
		pthread_barrier_wait(&w->jacobi->barrier);
	}
	return NULL;
}

/* --- runs --- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int count(const struct jacobi *j, struct jacobi_result *sum)
{
	struct gpulink_counters c;
	int error = 0;

	*sum = (struct jacobi_result){.seconds = now()};
	for (unsigned p = 0; p < JACOBI_ENDPOINTS && !error; p++) {
		error = gpulink_get_counters(j->device, p, &c, sizeof(c));
		sum->packets += c.packets;
		sum->wire_bytes += c.wire_bytes;
		sum->region_bytes += c.region_bytes;
	}
	return error;
}

static void set_up(struct jacobi *j)
{
	for (unsigned t = 0; t < JACOBI_ENDPOINTS; t++) {
		for (unsigned i = 0; i < JACOBI_UNKNOWNS; i++)
			j->replica[t][i] = first_value(i);
		memset(j->replica[t] + JACOBI_UNKNOWNS, 0, VECTOR_BYTES);
	}
}

/* Returns the last error of a worker, or 0. */
static int run_workers(struct jacobi *j)
{
	struct worker workers[JACOBI_ENDPOINTS];
	unsigned started = 0;
	int error = 0;

	for (; started < JACOBI_ENDPOINTS; started++) {
		workers[started] = (struct worker){.jacobi = j, .endpoint = started};
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started])) {
			fprintf(stderr, "gpulink-jacobi: cannot create a thread\n"); /* the others wait for it */
			exit(1);
		}
	}
	for (unsigned e = 0; e < started; e++) {
		pthread_join(workers[e].thread, NULL);
		error = workers[e].error ? workers[e].error : error;
	}
	return error;
}

/* The same rows in the same order, so that every bit is the same. */
static int compare(const struct jacobi *j, char *reason)
{
	unsigned iterations = jacobi_iterations(j->way), last = iterations % 2 * JACOBI_UNKNOWNS;
	double *x = calloc(2 * JACOBI_UNKNOWNS, sizeof(*x));
	int result = x ? 0 : -1;

	snprintf(reason, JACOBI_REASON, "out of memory");
	for (unsigned i = 0; x && i < JACOBI_UNKNOWNS; i++)
		x[i] = first_value(i);
	for (unsigned n = 1; x && n <= iterations; n++)
		for (unsigned i = 0; i < JACOBI_UNKNOWNS; i++)
			x[n % 2 * JACOBI_UNKNOWNS + i] = row(x + (1 - n % 2) * JACOBI_UNKNOWNS, i);
	for (unsigned t = 0; !result && t < JACOBI_ENDPOINTS; t++)
		for (unsigned i = 0; !result && i < JACOBI_UNKNOWNS; i++) {
			double got = j->replica[t][last + i], should = x[last + i];

			if (memcmp(&got, &should, sizeof(got))) {
				snprintf(reason, JACOBI_REASON, "endpoint %u: unknown %u is %.17g, should be %.17g", t, i, got,
					 should);
				result = -1;
			}
		}
	free(x);
	return result;
}

int jacobi_run(struct jacobi *j, enum jacobi_way way, struct jacobi_result *result, char *reason)
{
	struct jacobi_result before;
	int error;

	j->way = way;
	set_up(j);
	error = count(j, &before);
	if (!error)
		error = run_workers(j);
	if (!error)
		error = count(j, result);
	if (error) {
		snprintf(reason, JACOBI_REASON, "%s", gpulink_error_text(error));
		return -1;
	}
	result->seconds = (result->seconds - before.seconds) / jacobi_iterations(way);
	result->packets = (result->packets - before.packets) / jacobi_iterations(way);
	result->wire_bytes = (result->wire_bytes - before.wire_bytes) / jacobi_iterations(way);
	result->region_bytes = (result->region_bytes - before.region_bytes) / jacobi_iterations(way);
	return way == JACOBI_NOTHING ? 0 : compare(j, reason);
}

/* --- open and close --- */

static int open_regions(struct jacobi *j, unsigned agent)
{
	const struct gpulink_region_options options = {.size = sizeof(options), .agent = agent, .chunk_bytes = CHUNK};
	struct gpulink_region_target targets[JACOBI_ENDPOINTS] = {{.offset = 0}};
	int error = 0;

	for (unsigned e = 0; e < JACOBI_ENDPOINTS; e++)
		for (unsigned parity = 0; parity < 2 && !error; parity++) {
			size_t place = place_of(e, parity);

			for (unsigned t = 0; t < JACOBI_ENDPOINTS; t++)
				targets[t] = (struct gpulink_region_target){.window = j->windows[t], .offset = place};
			error = gpulink_region_open(j->device, j->memory, place, SHARE_BYTES, targets, JACOBI_ENDPOINTS,
						    &options, &j->regions[e][parity]);
		}
	return error;
}

static int open_all(struct jacobi *j, unsigned agent)
{
	void *memory;
	size_t bytes;
	int error = 0;

	for (unsigned t = 0; t < JACOBI_ENDPOINTS && !error; t++) {
		error = gpulink_window_open(j->device, t, 0, 2 * VECTOR_BYTES, GPULINK_WRITE, &j->windows[t]);
		if (!error)
			error = gpulink_endpoint_memory(j->device, t, &memory, &bytes);
		if (!error)
			j->replica[t] = memory;
	}
	if (!error)
		error = gpulink_memory_register(j->device, j->source, 2 * VECTOR_BYTES, GPULINK_READ, &j->memory);
	return error ? error : open_regions(j, agent);
}

struct jacobi *jacobi_new(struct gpulink *device, unsigned agent, char *reason)
{
	struct jacobi *j = calloc(1, sizeof(*j));
	int error;

	if (!j || pthread_barrier_init(&j->barrier, NULL, JACOBI_ENDPOINTS)) {
		free(j);
		snprintf(reason, JACOBI_REASON, "out of memory");
		return NULL;
	}
	j->device = device;
	j->source = aligned_alloc(4096, 2 * VECTOR_BYTES);
	if (j->source)
		memset(j->source, 0, 2 * VECTOR_BYTES);
	error = j->source ? open_all(j, agent) : -GPULINK_ENOMEM;
	if (error) {
		snprintf(reason, JACOBI_REASON, "regions: %s", gpulink_error_text(error));
		jacobi_free(j);
		return NULL;
	}
	return j;
}

void jacobi_free(struct jacobi *j)
{
	if (!j)
		return;
	for (unsigned e = 0; e < JACOBI_ENDPOINTS; e++)
		for (unsigned parity = 0; parity < 2; parity++)
			gpulink_region_close(j->regions[e][parity]);
	gpulink_memory_unregister(j->memory);
	for (unsigned t = 0; t < JACOBI_ENDPOINTS; t++)
		gpulink_window_close(j->windows[t]);
	pthread_barrier_destroy(&j->barrier);
	free(j->source);
	free(j);
}

unsigned jacobi_agent(const struct jacobi *j)
{
	struct gpulink_region_info info = {.agent = GPULINK_AGENT_BEST};

	gpulink_region_get_info(j->regions[0][0], &info, sizeof(info));
	return info.agent;
}
