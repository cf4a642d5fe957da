// SPDX-License-Identifier: Apache-2.0
#include "phases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trace.h>

/* A new phase, whose pairs remember where their last store ended. Returns 0 or -ENOMEM. */
static int add_phase(struct phases *p)
{
	size_t pairs = (size_t)p->gpus * p->gpus;
	struct phase_pair *made = calloc(pairs, sizeof(*made));

	if (made && p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		struct phase *grown = reallocarray(p->phase, room, sizeof(*grown));

		if (grown) {
			p->phase = grown;
			p->room = room;
		}
	}
	if (!made || p->count == p->room) {
		free(made);
		return -ENOMEM;
	}
	for (size_t i = 0; i < pairs; i++)
		made[i].last_end = p->count ? p->phase[p->count - 1].pairs[i].last_end : UINT64_MAX;
	p->phase[p->count++] = (struct phase){ .pairs = made };
	return 0;
}

unsigned phase_class(uint64_t bytes)
{
	unsigned c = 0;

	while (c + 1 < PHASE_CLASSES && PHASE_CLASS_BYTES(c) < bytes)
		c++;
	return c;
}

static bool has_line(const struct phase_queue *q, uint64_t line)
{
	unsigned i = q->count;

	while (i && q->lines[i - 1] != line)
		i--;
	return i;
}

static void queue_store(const struct phases *p, struct phase_queue *q, const struct replay_op *op, bool row)
{
	uint64_t line = op->address / REPLAY_STORE_MAX;
	unsigned bytes = op->size + (row ? 0 : PHASE_SUBHEADER);
	bool fresh = !has_line(q, line);

	if ((fresh && q->count == p->entries) || q->payload + bytes > p->payload) {
		*q = (struct phase_queue){ 0 };
		fresh = true;
	}
	if (fresh)
		q->lines[q->count++] = line;
	q->payload += bytes;
	(row ? q->row : q->scattered)[phase_class(op->size)]++;
}

static void add_store(const struct phases *p, struct phase_pair *pair, struct phase_queue *q, const struct replay_op *op)
{
	bool row = op->address == pair->last_end;

	pair->stores++;
	pair->bytes += op->size;
	(row ? pair->row : pair->scattered)[phase_class(op->size)]++;
	queue_store(p, q, op, row);
	pair->last_end = op->address + op->size;
}

/* A release sends what is queued. */
static void drain(struct phase_pair *pair, struct phase_queue *q)
{
	for (unsigned c = 0; c < PHASE_CLASSES; c++) {
		pair->queued_row[c] += q->row[c];
		pair->queued_scattered[c] += q->scattered[c];
	}
	*q = (struct phase_queue){ 0 };
}

/* At a barrier, and at the end of the trace. */
static void drain_all(struct phases *p)
{
	for (unsigned i = 0; p->count && i < p->gpus * p->gpus; i++)
		drain(&p->phase[p->count - 1].pairs[i], &p->queues[i]);
}

static int take_one(struct phases *p, const struct replay_op *op)
{
	unsigned number = op->source * p->gpus + op->destination;
	struct phase_pair *pair;

	if (!p->open && add_phase(p))
		return -ENOMEM;
	p->open = op->kind != REPLAY_BARRIER;
	if (op->time_ps > p->last_ps)
		p->last_ps = op->time_ps;
	p->phase[p->count - 1].compute_ps = p->last_ps - p->begin_ps;
	pair = &p->phase[p->count - 1].pairs[number];
	switch (op->kind) {
	case REPLAY_STORE: add_store(p, pair, &p->queues[number], op); break;
	case REPLAY_RELEASE:
		pair->releases++;
		drain(pair, &p->queues[number]);
		break;
	case REPLAY_LOAD:
	case REPLAY_ATOMIC: pair->other++; break;
	case REPLAY_BARRIER:
		p->begin_ps = p->last_ps;
		drain_all(p);
		break;
	default: break; /* copies stand for stores */
	}
	return 0;
}

static int phases_take(void *user, const struct replay_op *ops, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = take_one(user, &ops[i]);
	return error;
}

int phases_read(struct phases *p, const char *path, struct failure *error)
{
	struct replay_trace *trace;
	int status = replay_trace_open(&trace, path, error);

	if (status)
		return status;
	p->gpus = replay_trace_info(trace)->gpus;
	p->queues = calloc((size_t)p->gpus * p->gpus, sizeof(*p->queues));
	status = p->queues ? replay_trace_run(trace, (struct replay_sink){ .take = phases_take, .user = p }, error) : -ENOMEM;
	replay_trace_close(trace);
	if (!status)
		drain_all(p);
	if (status && !error->text[0])
		failure_set(error, status, "%s", strerror(-status));
	if (status)
		phases_free(p);
	return status;
}

void phases_free(struct phases *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->phase[i].pairs);
	free(p->phase);
	free(p->queues);
	*p = (struct phases){ 0 };
}

struct phase_pair phase_sum(const struct phases *p, const struct phase *phase, unsigned source)
{
	struct phase_pair sum = { 0 };

	for (unsigned d = 0; d < p->gpus; d++) {
		const struct phase_pair *pair = &phase->pairs[source * p->gpus + d];

		sum.stores += pair->stores;
		sum.bytes += pair->bytes;
		sum.releases += pair->releases;
		sum.other += pair->other;
		for (unsigned c = 0; c < PHASE_CLASSES; c++) {
			sum.row[c] += pair->row[c];
			sum.scattered[c] += pair->scattered[c];
			sum.queued_row[c] += pair->queued_row[c];
			sum.queued_scattered[c] += pair->queued_scattered[c];
		}
	}
	return sum;
}
