// SPDX-License-Identifier: Apache-2.0
#include "vector_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "netcrafter/unstitch.h"

struct vector_link {
	struct glk_cluster_queue *queue;
	struct glk_unstitch *unstitch;
	unsigned count;
	struct vector_arrival arrivals[GLK_FLIT_BYTES]; /* no flit ends more packets than it has bytes */
};

static void arrived(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct vector_link *v = user;
	struct vector_arrival *arrival = &v->arrivals[v->count++];

	arrival->kind = kind;
	arrival->pieces = pieces;
	arrival->length = length;
	memcpy(arrival->packet, packet, length);
}

/* Numbers that mean nothing are for vector_link_create() to refuse. */
bool vector_link_has(unsigned flit_bytes, unsigned entries, bool leases)
{
	(void)flit_bytes;
	(void)entries;
	(void)leases;
	return true;
}

bool vector_link_tells_all(const struct vector_link *v)
{
	(void)v;
	return true;
}

struct vector_link *vector_link_create(unsigned flit_bytes, unsigned entries, bool leases)
{
	const struct glk_cluster_queue_config config = { .entries = entries, .flit_bytes = flit_bytes, .burst = 1 };
	struct vector_link *v = calloc(1, sizeof(*v));

	if (v && !glk_cluster_queue_create(&config, &v->queue) && !glk_unstitch_create(flit_bytes, arrived, v, &v->unstitch)) {
		glk_unstitch_define(v->unstitch, leases ? GLK_KIND_ALL : GLK_KIND_COUNT);
		return v;
	}
	if (v)
		vector_link_destroy(v);
	return NULL;
}

void vector_link_destroy(struct vector_link *v)
{
	glk_cluster_queue_destroy(v->queue);
	glk_unstitch_destroy(v->unstitch);
	free(v);
}

void vector_link_reset(struct vector_link *v)
{
	glk_cluster_queue_reset(v->queue);
	glk_unstitch_reset(v->unstitch);
}

bool vector_link_set(struct vector_link *v, const struct glk_cluster_queue_config *config)
{
	return glk_cluster_queue_set(v->queue, config) == 0;
}

int vector_link_push(struct vector_link *v, uint64_t now, enum glk_kind kind, const uint8_t *packet, size_t length)
{
	int result = glk_cluster_queue_push(v->queue, now, kind, packet, length);

	return result == 0 ? 1 : result == -EAGAIN ? 0 : -1;
}

bool vector_link_clock(struct vector_link *v, uint64_t now, bool ready, unsigned credits[GLK_CLASS_COUNT],
		       struct glk_flit *flit)
{
	return glk_cluster_queue_clock(v->queue, now, ready, credits, flit);
}

unsigned vector_link_fill(const struct vector_link *v)
{
	return glk_cluster_queue_fill(v->queue);
}

const struct glk_cluster_queue_counters *vector_link_counters(struct vector_link *v)
{
	return glk_cluster_queue_counters(v->queue);
}

bool vector_link_receive(struct vector_link *v, const struct glk_flit *flit)
{
	v->count = 0;
	if (glk_unstitch_flit(v->unstitch, flit) == 0)
		return true;
	glk_unstitch_reset(v->unstitch);
	return false;
}

const struct vector_arrival *vector_link_arrivals(const struct vector_link *v, unsigned *count)
{
	*count = v->count;
	return v->arrivals;
}
