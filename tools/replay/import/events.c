// SPDX-License-Identifier: Apache-2.0
/*
 * Buffers that move, as stores: a line a store, as a kernel that stores into a peer's memory makes. Collectives go round the
 * ring, as NCCL's do when its kernels say RING: each GPU stores into a buffer of the next one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../trace/message.h"
#include "import.h"

#define BYTES_MAX (UINT64_C(1) << 40)
#define BUFFER(source) ((uint64_t)(source) << 41) /* where a source's stores go */

int import_add(struct import_events *events, const struct import_event *event, struct failure *error)
{
	unsigned most = event->kind == IMPORT_COPY ?
				(event->source > event->destination ? event->source : event->destination) + 1 :
				event->group;

	if (event->kind != IMPORT_COPY && event->source >= most)
		return failure_set(error, -EINVAL, "root %u of %u GPUs", event->source, most);
	if (most > REPLAY_GPUS_MAX || event->source >= REPLAY_GPUS_MAX)
		return failure_set(error, -EINVAL, "%u GPUs: at most %d", most, REPLAY_GPUS_MAX);
	if (event->bytes > BYTES_MAX)
		return failure_set(error, -EINVAL, "a transfer of more than 2^40 bytes");
	if (!event->bytes || (event->kind == IMPORT_COPY ? event->source == event->destination : event->group < 2))
		return 0;
	if (events->count == events->room) {
		size_t room = events->room ? 2 * events->room : 64;
		struct import_event *more = reallocarray(events->event, room, sizeof(*more));

		if (!more)
			return failure_set(error, -ENOMEM, "out of memory");
		events->event = more;
		events->room = room;
	}
	events->event[events->count++] = *event;
	if (most > events->gpus)
		events->gpus = most;
	return 0;
}

/* Compares letters and digits only, of which a prefix is enough. */
static bool alike(const char *name, const char *word)
{
	for (; *word; name++) {
		if (*name == '_' || *name == '-')
			continue;
		if ((*name | 0x20) != *word)
			return false;
		word++;
	}
	return true;
}

bool import_collective(const char *name, enum import_kind *kind)
{
	static const char *const names[IMPORT_KINDS] = {
		[IMPORT_COPY] = "?", [IMPORT_ALL_REDUCE] = "allreduce", [IMPORT_BROADCAST] = "broadcast",
		[IMPORT_REDUCE] = "reduce", [IMPORT_ALL_GATHER] = "allgather", [IMPORT_REDUCE_SCATTER] = "reducescatter",
		[IMPORT_ALL_TO_ALL] = "alltoall",
	};

	for (int k = IMPORT_KINDS - 1; k > IMPORT_COPY; k--) { /* reducescatter before reduce */
		if (!alike(name, names[k]))
			continue;
		*kind = (enum import_kind)k;
		return true;
	}
	return false;
}

unsigned import_type_bytes(const char *name)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} types[] = { { "float8", 1 },	      { "char", 1 }, { "byte", 1 },   { "bool", 1 },  { "int8", 1 },	{ "uint8", 1 },
		      { "unsigned char", 1 }, { "half", 2 }, { "bfloat", 2 }, { "short", 2 }, { "float16", 2 }, { "double", 8 },
		      { "float64", 8 },	      { "long", 8 }, { "int64", 8 },  { "float", 4 }, { "int", 4 } };

	if (strncmp(name, "c10::", 5) == 0)
		name += 5;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strncasecmp(name, types[i].name, strlen(types[i].name)) == 0)
			return types[i].bytes;
	return 0;
}

unsigned import_nccl_type_bytes(unsigned type)
{
	static const unsigned char bytes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

	return type < sizeof(bytes) ? bytes[type] : 0;
}

struct pusher {
	struct replay_sink sink;
	size_t count;
	uint32_t phase;
	struct replay_op op[REPLAY_BATCH];
};

static int events_flush(struct pusher *p)
{
	size_t count = p->count;

	p->count = 0;
	return count ? p->sink.take(p->sink.user, p->op, count) : 0;
}

static int events_push(struct pusher *p, const struct replay_op *op)
{
	p->op[p->count++] = *op;
	return p->count == REPLAY_BATCH ? events_flush(p) : 0;
}

/* Stores, and the copies that would do the same. */
static int move(struct pusher *p, uint64_t time_ps, unsigned source, unsigned destination, uint64_t bytes)
{
	struct replay_op op = {
		.time_ps = time_ps, .source = (uint8_t)source, .destination = (uint8_t)destination, .kind = REPLAY_STORE
	};
	int rc = 0;

	for (uint64_t at = 0; at < bytes && !rc; at += op.size) {
		op.address = BUFFER(source) + at;
		op.size = bytes - at < REPLAY_STORE_MAX ? (uint32_t)(bytes - at) : REPLAY_STORE_MAX;
		rc = events_push(p, &op);
	}
	op.kind = REPLAY_COPY;
	for (uint64_t at = 0; at < bytes && !rc; at += op.size) {
		op.address = BUFFER(source) + at;
		op.size = bytes - at < 1u << 30 ? (uint32_t)(bytes - at) : 1u << 30;
		rc = events_push(p, &op);
	}
	return rc;
}

/* Bytes that each GPU of the ring stores into the next one's memory; `part`: of how far it is from the root. */
static uint64_t ring_bytes(const struct import_event *e, unsigned distance)
{
	uint64_t others = e->group - 1;

	switch (e->kind) {
	case IMPORT_ALL_REDUCE: return 2 * (e->bytes / e->group * others + e->bytes % e->group * others / e->group);
	case IMPORT_BROADCAST: return distance == others ? 0 : e->bytes; /* the last one keeps it */
	case IMPORT_REDUCE: return distance == 0 ? 0 : e->bytes;	    /* the root keeps it */
	default: return e->bytes * others;
	}
}

static int push_collective(struct pusher *p, const struct import_event *e)
{
	int rc = 0;

	for (unsigned g = 0; g < e->group && !rc; g++) {
		if (e->kind != IMPORT_ALL_TO_ALL) {
			rc = move(p, e->time_ps, g, (g + 1) % e->group, ring_bytes(e, (g + e->group - e->source) % e->group));
			continue;
		}
		for (unsigned d = 1; d < e->group && !rc; d++)
			rc = move(p, e->time_ps, g, (g + d) % e->group, e->bytes / e->group);
	}
	return rc ? rc :
		    events_push(p, &(struct replay_op){ .time_ps = e->time_ps, .kind = REPLAY_BARRIER, .size = p->phase++ });
}

static int push_event(struct pusher *p, const struct import_event *e)
{
	int rc;

	if (e->kind != IMPORT_COPY)
		return push_collective(p, e);
	rc = move(p, e->time_ps, e->source, e->destination, e->bytes);
	return rc ? rc :
		    events_push(p, &(struct replay_op){ .time_ps = e->time_ps,
							.kind = REPLAY_RELEASE,
							.source = (uint8_t)e->source,
							.destination = (uint8_t)e->destination });
}

static int by_time(const void *a, const void *b)
{
	const struct import_event *x = a, *y = b;

	if (x->time_ps != y->time_ps)
		return x->time_ps < y->time_ps ? -1 : 1;
	return x < y ? -1 : x > y; /* glibc's qsort moves no equal ones past each other */
}

int import_push(struct import_events *events, struct replay_sink sink)
{
	struct pusher *p = calloc(1, sizeof(*p));
	uint64_t begin;
	int rc = 0;

	if (!p)
		return -ENOMEM;
	p->sink = sink;
	qsort(events->event, events->count, sizeof(*events->event), by_time);
	begin = events->count ? events->event[0].time_ps : 0;
	for (size_t i = 0; i < events->count && !rc; i++) {
		events->event[i].time_ps -= begin;
		rc = push_event(p, &events->event[i]);
	}
	rc = rc ? rc : events_flush(p);
	free(p);
	return rc;
}
