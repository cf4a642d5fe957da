// SPDX-License-Identifier: Apache-2.0
/*
 * Two blocks of operations: while the threads play one, the other is filled. A thread plays block after block; the filler waits
 * until all have done with the block that it wants to fill next.
 */
#include "parallel.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 15, BLOCKS = 2 };

struct worker {
	struct parallel *parallel;
	struct comparison *comparison;
	pthread_t thread;
	uint64_t played; /* blocks */
	int error;
};

struct parallel {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t filled; /* blocks, ready to be played */
	bool ended;
	size_t count[BLOCKS];
	struct replay_op ops[BLOCKS][BLOCK];
	size_t room_used; /* of the block being filled; the filler's own */
	unsigned jobs, started;
	struct worker worker[PARALLEL_JOBS_MAX];
};

static void *parallel_play(void *argument)
{
	struct worker *w = argument;
	struct parallel *p = w->parallel;
	struct replay_sink sink = comparison_sink(w->comparison);

	pthread_mutex_lock(&p->lock);
	for (;;) {
		unsigned block = (unsigned)(w->played % BLOCKS);
		int error = 0;

		while (w->played == p->filled && !p->ended)
			pthread_cond_wait(&p->changed, &p->lock);
		if (w->played == p->filled)
			break;
		pthread_mutex_unlock(&p->lock);
		if (!w->error) /* no other thread writes it */
			error = sink.take(sink.user, p->ops[block], p->count[block]);
		pthread_mutex_lock(&p->lock);
		if (error)
			w->error = error;
		w->played++;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Hands over the block being filled, and waits for room to fill the next. Returns a worker's error. */
static int hand_over(struct parallel *p)
{
	int error = 0;

	pthread_mutex_lock(&p->lock);
	p->count[p->filled % BLOCKS] = p->room_used;
	p->filled++;
	pthread_cond_broadcast(&p->changed);
	for (unsigned i = 0; i < p->jobs; i++)
		while (p->filled - p->worker[i].played >= BLOCKS)
			pthread_cond_wait(&p->changed, &p->lock);
	for (unsigned i = 0; i < p->jobs && !error; i++)
		error = p->worker[i].error;
	pthread_mutex_unlock(&p->lock);
	p->room_used = 0;
	return error;
}

static int parallel_take(void *user, const struct replay_op *ops, size_t count)
{
	struct parallel *p = user;
	int error = 0;

	while (count && !error) {
		size_t part = BLOCK - p->room_used < count ? BLOCK - p->room_used : count;

		memcpy(&p->ops[p->filled % BLOCKS][p->room_used], ops, part * sizeof(*ops));
		p->room_used += part;
		ops += part;
		count -= part;
		if (p->room_used == BLOCK)
			error = hand_over(p);
	}
	return error;
}

struct replay_sink parallel_sink(struct parallel *p)
{
	return (struct replay_sink){ .take = parallel_take, .user = p };
}

static void parallel_finish(struct parallel *p)
{
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->started; i++)
		pthread_join(p->worker[i].thread, NULL);
}

static void parallel_destroy(struct parallel *p)
{
	for (unsigned i = 0; i < p->jobs; i++)
		comparison_free(p->worker[i].comparison);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

struct parallel *parallel_create(unsigned jobs, unsigned gpus, const struct setting *setting,
				 const struct paradigm *const *list)
{
	struct parallel *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->jobs = jobs;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	for (unsigned i = 0; i < jobs; i++) {
		struct worker *w = &p->worker[i];

		w->parallel = p;
		w->comparison = comparison_create(gpus, setting, list, NULL);
		if (!w->comparison)
			break;
		comparison_share(w->comparison, i, jobs);
		if (pthread_create(&w->thread, NULL, parallel_play, w))
			break;
		p->started++;
	}
	if (p->started == jobs)
		return p;
	parallel_finish(p);
	parallel_destroy(p);
	return NULL;
}

int parallel_end(struct parallel *p, struct comparison **result)
{
	int error = p->room_used ? hand_over(p) : 0;

	parallel_finish(p);
	for (unsigned i = 0; i < p->jobs && !error; i++)
		error = p->worker[i].error;
	for (unsigned i = 0; i < p->jobs && !error; i++) {
		error = comparison_end(p->worker[i].comparison);
		if (i)
			comparison_add(p->worker[0].comparison, p->worker[i].comparison);
	}
	if (!error) {
		*result = p->worker[0].comparison;
		p->worker[0].comparison = NULL;
	}
	parallel_destroy(p);
	return error;
}
