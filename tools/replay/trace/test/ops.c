// SPDX-License-Identifier: Apache-2.0
#include "ops.h"

#include <stdio.h>
#include <stdlib.h>

int ops_take(void *user, const struct replay_op *ops, size_t count)
{
	struct ops *o = user;

	for (size_t i = 0; i < count; i++) {
		if (o->count == o->room) {
			o->room = o->room ? 2 * o->room : 256;
			o->list = realloc(o->list, o->room * sizeof(*o->list));
			if (!o->list)
				abort();
		}
		o->list[o->count++] = ops[i];
	}
	return 0;
}

void ops_free(struct ops *ops)
{
	free(ops->list);
	*ops = (struct ops){0};
}

struct maker {
	struct ops *ops;
	struct chance *chance;
	unsigned gpus, phases;
	uint64_t now[REPLAY_GPUS_MAX];
};

static uint64_t address(struct chance *c)
{
	uint64_t any = draw(c) >> 16;

	switch (below(c, 4)) {
	case 0:
		return any;
	case 1:
		return REPLAY_ADDRESS_END - 128 + any % 128;
	default:
		return any % 4096;
	}
}

static void barrier(struct maker *m)
{
	struct replay_op op = {.kind = REPLAY_BARRIER, .size = m->phases++};

	for (unsigned gpu = 0; gpu < m->gpus; gpu++)
		op.time_ps = m->now[gpu] > op.time_ps ? m->now[gpu] : op.time_ps;
	for (unsigned gpu = 0; gpu < m->gpus; gpu++)
		m->now[gpu] = op.time_ps;
	ops_take(m->ops, &op, 1);
}

/* Bytes of one line, at one time, in rising order: with or without gaps. */
static void scattered(struct maker *m, struct replay_op op)
{
	const uint64_t line = op.address - op.address % 128;
	unsigned at = below(m->chance, 64);

	while (at < 128) {
		unsigned most = 128 - at < 24 ? 128 - at : 24;

		op.size = 1 + below(m->chance, most);
		op.address = line + at;
		ops_take(m->ops, &op, 1);
		at += op.size + below(m->chance, 30);
	}
}

static void one(struct maker *m)
{
	struct chance *c = m->chance;
	struct replay_op op = {.kind = (uint8_t)(1 + below(c, 5)), .source = (uint8_t)below(c, m->gpus)};

	op.destination = (uint8_t)((op.source + 1 + below(c, m->gpus - 1)) % m->gpus);
	m->now[op.source] += below(c, 2) ? 0 : draw(c) >> (24 + below(c, 40));
	op.time_ps = m->now[op.source];
	if (op.kind == REPLAY_RELEASE) {
		ops_take(m->ops, &op, 1);
		return;
	}
	op.address = address(c);
	if (op.kind <= REPLAY_LOAD && below(c, 4) == 0) {
		scattered(m, op);
		return;
	}
	if (op.kind == REPLAY_ATOMIC) {
		op.size = 4u << below(c, 2);
		op.address -= op.address % op.size;
	} else if (op.kind == REPLAY_COPY) {
		op.size = 1 + (uint32_t)(draw(c) >> (33 + below(c, 30)));
		op.address &= UINT32_MAX;
	} else {
		op.size = 1 + below(c, 128 - (unsigned)(op.address % 128));
	}
	ops_take(m->ops, &op, 1);
}

void ops_make(struct ops *ops, struct chance *chance, size_t count, unsigned gpus)
{
	struct maker m = {.ops = ops, .chance = chance, .gpus = gpus};

	while (ops->count < count) {
		if (gpus == 1 || below(chance, 50) == 0)
			barrier(&m);
		else
			one(&m);
	}
}

int ops_write(const struct ops *ops, const char *path, unsigned gpus, struct failure *error)
{
	struct replay_trace_writer *writer;
	struct replay_sink sink;
	int rc = replay_trace_writer_open(&writer, path, gpus, error);

	if (rc)
		return rc;
	sink = replay_trace_writer_sink(writer);
	for (size_t i = 0; i < ops->count && !rc; i += REPLAY_BATCH) {
		size_t left = ops->count - i;

		rc = sink.take(sink.user, ops->list + i, left < REPLAY_BATCH ? left : REPLAY_BATCH);
	}
	return replay_trace_writer_close(writer, rc, error);
}

int ops_read(struct ops *ops, const char *path, struct replay_trace_info *info, struct failure *error)
{
	struct replay_trace *trace;
	int rc = replay_trace_open(&trace, path, error);

	if (rc)
		return rc;
	rc = replay_trace_run(trace, (struct replay_sink){ops_take, ops}, error);
	if (info)
		*info = *replay_trace_info(trace);
	replay_trace_close(trace);
	return rc;
}
