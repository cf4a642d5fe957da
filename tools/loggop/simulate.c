// SPDX-License-Identifier: Apache-2.0
#include "simulate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* An operation, or with `message` one on its way to `rank`, which is the receiver then. */
struct event {
	uint64_t time, order; /* order: of the first insertion; it decides among events of one time */
	uint32_t rank, op, source;
	bool message;
};

/* A receive that waits for its message, or a message that waits for its receive. */
struct waiting {
	struct waiting *next;
	uint32_t source, tag, op;
};

struct list {
	struct waiting *first, **end;
};

struct host {
	uint64_t cpu[GOAL_UNITS_MAX], sends[GOAL_UNITS_MAX], receives[GOAL_UNITS_MAX]; /* free from then on */
	struct list receivers, messages;
	uint32_t *needs;	      /* requirements left, by operation */
	uint32_t *first_edge, *edges; /* edges by the operation that they wait for: of op i from first_edge[i] on */
	uint32_t *free, free_count;   /* operations whose last requirement was met */
};

struct world {
	const struct goal *goal;
	const struct loggops *p;
	struct host *hosts;
	struct event *heap;
	size_t events, room;
	uint64_t order, started, operations;
	uint32_t other; /* a rank whose send ended with this event, or rank_count */
	int error;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- the queue of events: a heap --- */

static bool before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void simulate_push(struct world *w, struct event e)
{
	size_t i = w->events;

	if (i == w->room) {
		size_t room = w->room ? 2 * w->room : 1024;
		struct event *heap = reallocarray(w->heap, room, sizeof(*heap));

		if (!heap) {
			w->error = -ENOMEM;
			return;
		}
		w->heap = heap;
		w->room = room;
	}
	w->events++;
	for (; i && before(&e, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = e;
}

static struct event pop(struct world *w)
{
	struct event top = w->heap[0], last = w->heap[--w->events];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < w->events; i = child) {
		if (child + 1 < w->events && before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!before(&w->heap[child], &last))
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = last;
	return top;
}

static void again(struct world *w, struct event e, uint64_t time)
{
	e.time = time;
	simulate_push(w, e);
}

/* --- requirements --- */

static void satisfy(struct world *w, uint32_t rank, uint32_t op, bool start)
{
	const struct goal_rank *r = &w->goal->ranks[rank];
	struct host *h = &w->hosts[rank];

	for (uint32_t i = h->first_edge[op]; i < h->first_edge[op + 1]; i++) {
		const struct goal_edge *e = &r->edges[h->edges[i]];

		if ((bool)e->start == start && --h->needs[e->after] == 0)
			h->free[h->free_count++] = e->after;
	}
}

/* Starts what has become free: sends, then receives, then calculations. */
static void start_free(struct world *w, uint32_t rank, bool first)
{
	const struct goal_op *ops = w->goal->ranks[rank].ops;
	struct host *h = &w->hosts[rank];

	for (int kind = GOAL_SEND; kind <= GOAL_CALC; kind++)
		for (uint32_t i = 0; i < h->free_count; i++) {
			const struct goal_op *op = &ops[h->free[i]];
			uint64_t time = kind == GOAL_SEND ? later(h->cpu[op->cpu], h->sends[op->nic]) : h->cpu[op->cpu];

			if ((int)op->kind == kind)
				simulate_push(w, (struct event){ .time = first ? 0 : time,
								 .order = w->order++,
								 .rank = rank,
								 .op = h->free[i] });
		}
	h->free_count = 0;
}

/* --- matching --- */

static bool match(struct list *list, uint32_t source, uint32_t tag, uint32_t *op)
{
	for (struct waiting **at = &list->first; *at; at = &(*at)->next) {
		struct waiting *found = *at;

		if (found->source != source || found->tag != tag)
			continue;
		*op = found->op;
		*at = found->next;
		if (!*at)
			list->end = at;
		free(found);
		return true;
	}
	return false;
}

static void wait_for(struct world *w, struct list *list, uint32_t source, uint32_t tag, uint32_t op)
{
	struct waiting *one = calloc(1, sizeof(*one));

	if (!one) {
		w->error = -ENOMEM;
		return;
	}
	*one = (struct waiting){ .source = source, .tag = tag, .op = op };
	*list->end = one;
	list->end = &one->next;
}

/* A long message has met its receive: its sender goes on now. */
static void end_rendezvous(struct world *w, uint32_t source, const struct goal_op *op, uint32_t send, uint64_t now)
{
	struct host *h = &w->hosts[source];

	satisfy(w, source, send, false);
	h->cpu[op->cpu] = later(h->cpu[op->cpu], now);
	h->sends[op->nic] = later(h->sends[op->nic], now);
	w->other = source;
}

/* --- operations --- */

static void calculate(struct world *w, const struct event *e, const struct goal_op *op)
{
	struct host *h = &w->hosts[e->rank];

	if (h->cpu[op->cpu] > e->time) {
		again(w, *e, h->cpu[op->cpu]);
		return;
	}
	h->cpu[op->cpu] = e->time + op->size;
	satisfy(w, e->rank, e->op, true);
	satisfy(w, e->rank, e->op, false);
	w->started++;
}

static void simulate_send(struct world *w, const struct event *e, const struct goal_op *op)
{
	uint64_t ready = later(w->hosts[e->rank].cpu[op->cpu], w->hosts[e->rank].sends[op->nic]);
	struct host *h = &w->hosts[e->rank];

	if (ready > e->time) {
		again(w, *e, ready);
		return;
	}
	h->cpu[op->cpu] = e->time + w->p->o + (op->size - 1) * w->p->O;
	h->sends[op->nic] = e->time + w->p->g + (op->size - 1) * w->p->G;
	satisfy(w, e->rank, e->op, true);
	simulate_push(w, (struct event){ .time = e->time + w->p->o + w->p->L,
					 .order = w->order++,
					 .rank = op->peer,
					 .op = e->op,
					 .source = e->rank,
					 .message = true });
	if (op->size <= w->p->S)
		satisfy(w, e->rank, e->op, false);
	w->started++;
}

static void simulate_receive(struct world *w, const struct event *e, const struct goal_op *op)
{
	struct host *h = &w->hosts[e->rank];
	uint32_t sent;

	satisfy(w, e->rank, e->op, true);
	w->started++;
	if (!match(&h->messages, op->peer, op->tag, &sent)) {
		wait_for(w, &h->receivers, op->peer, op->tag, e->op);
		return;
	}
	if (op->size > w->p->S)
		end_rendezvous(w, op->peer, op, sent, e->time);
	satisfy(w, e->rank, e->op, false);
}

static void simulate_arrive(struct world *w, const struct event *e)
{
	const struct goal_op *op = &w->goal->ranks[e->source].ops[e->op];
	struct host *h = &w->hosts[e->rank];
	uint64_t ready = later(h->cpu[op->cpu], h->receives[op->nic]), more = op->size - 1;
	uint32_t receiver;

	if (ready > e->time) {
		again(w, *e, ready);
		return;
	}
	h->cpu[op->cpu] = e->time + w->p->o + later(more * w->p->O, more * w->p->G);
	h->receives[op->nic] = e->time + w->p->g + more * w->p->G;
	if (!match(&h->receivers, e->source, op->tag, &receiver)) {
		wait_for(w, &h->messages, e->source, op->tag, e->op);
		return;
	}
	if (op->size > w->p->S)
		end_rendezvous(w, e->source, op, e->op, e->time);
	satisfy(w, e->rank, receiver, false);
}

static void execute(struct world *w, const struct event *e)
{
	const struct goal_op *op = e->message ? NULL : &w->goal->ranks[e->rank].ops[e->op];

	w->other = w->goal->rank_count;
	if (e->message)
		simulate_arrive(w, e);
	else if (op->kind == GOAL_CALC)
		calculate(w, e, op);
	else if (op->kind == GOAL_SEND)
		simulate_send(w, e, op);
	else
		simulate_receive(w, e, op);
	if (w->other < e->rank)
		start_free(w, w->other, false);
	start_free(w, e->rank, false);
	if (w->other > e->rank && w->other < w->goal->rank_count)
		start_free(w, w->other, false);
}

/* --- set up --- */

/* Sorts the edges by the operation that they wait for, in their order. */
static int prepare_host(struct host *h, const struct goal_rank *r)
{
	h->receivers.end = &h->receivers.first;
	h->messages.end = &h->messages.first;
	h->needs = calloc(r->op_count + 1, sizeof(*h->needs));
	h->free = calloc(r->op_count + 1, sizeof(*h->free));
	h->first_edge = calloc(r->op_count + 2, sizeof(*h->first_edge));
	h->edges = calloc(r->edge_count + 1, sizeof(*h->edges));
	if (!h->needs || !h->free || !h->first_edge || !h->edges)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->edge_count; i++) {
		h->needs[r->edges[i].after]++;
		h->first_edge[r->edges[i].before + 2]++;
	}
	for (uint32_t i = 2; i < r->op_count + 2; i++)
		h->first_edge[i] += h->first_edge[i - 1];
	for (uint32_t i = 0; i < r->edge_count; i++)
		h->edges[h->first_edge[r->edges[i].before + 1]++] = i;
	for (uint32_t i = 0; i < r->op_count; i++)
		if (!h->needs[i])
			h->free[h->free_count++] = i;
	return 0;
}

static bool forget(struct list *list)
{
	bool any = list->first;

	for (struct waiting *next; list->first; list->first = next) {
		next = list->first->next;
		free(list->first);
	}
	return any;
}

/* Frees everything. Returns whether messages or receives were left. */
static bool tear_down(struct world *w)
{
	bool left = false;

	for (uint32_t r = 0; r < w->goal->rank_count; r++) {
		struct host *h = &w->hosts[r];

		left |= forget(&h->receivers);
		left |= forget(&h->messages);
		free(h->needs);
		free(h->free);
		free(h->first_edge);
		free(h->edges);
	}
	free(w->hosts);
	free(w->heap);
	return left;
}

static void simulate_run(struct world *w)
{
	for (uint32_t r = 0; r < w->goal->rank_count && !w->error; r++) {
		w->error = prepare_host(&w->hosts[r], &w->goal->ranks[r]);
		w->operations += w->goal->ranks[r].op_count;
		if (!w->error)
			start_free(w, r, true);
	}
	while (!w->error && w->events) {
		struct event e = pop(w);

		execute(w, &e);
	}
}

int simulate(const struct goal *goal, const struct loggops *parameters, uint64_t *times)
{
	struct world w = { .goal = goal, .p = parameters, .hosts = calloc(goal->rank_count, sizeof(*w.hosts)) };
	bool left;

	if (!w.hosts)
		return -ENOMEM;
	simulate_run(&w);
	for (uint32_t r = 0; r < goal->rank_count; r++) {
		times[r] = 0;
		for (unsigned cpu = 0; cpu < GOAL_UNITS_MAX; cpu++)
			times[r] = later(times[r], w.hosts[r].cpu[cpu]);
	}
	/* Short of memory, the lists of later ranks are empty, as calloc() left them. */
	left = tear_down(&w);
	return w.error ? w.error : left || w.started != w.operations ? -EPROTO : 0;
}
