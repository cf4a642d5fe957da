// SPDX-License-Identifier: Apache-2.0
#include "agents.h"

#include <errno.h>
#include <stdlib.h>

#include "chunks.h"

enum { SATURATING_THREADS = 128 }; /* PROACT, Fig. 4 */

struct one {
	struct agent agent;
	struct tally tally;
	struct hops hops;
	struct timing *timing; /* or NULL */
};

struct agents {
	unsigned gpus, count;
	struct setting setting;
	struct chunks *chunks;
	struct one of[];
};

const char *agent_name(enum agent_kind kind)
{
	static const char *const names[] = {
		[AGENT_POLLING] = "polling", [AGENT_LAUNCH] = "launch", [AGENT_CARD] = "card", [AGENT_THIS_CARD] = "this-card"
	};

	return names[kind];
}

static bool agents_start(const struct agents *a, struct one *one, const struct agent *agent,
			 const struct timing_setting *timing)
{
	struct timing_setting own;

	one->agent = *agent;
	if (!timing)
		return true;
	own = *timing;
	own.slowdown = agent->kind >= AGENT_CARD ? 1 : 1 + a->setting.cost.tracking;
	if (agent->kind == AGENT_THIS_CARD && !topology_has_card(own.topology))
		own.topology = TOPOLOGY_CARD;
	one->timing = timing_create(a->gpus, &own);
	return one->timing;
}

struct agents *agents_create(unsigned gpus, const struct setting *setting, const struct timing_setting *timing,
			     const struct agent *list, unsigned count)
{
	struct agents *a = calloc(1, sizeof(*a) + count * sizeof(a->of[0]));

	if (!a)
		return NULL;
	a->gpus = gpus;
	a->setting = *setting;
	a->chunks = chunks_create(gpus);
	for (; a->chunks && a->count < count && agents_start(a, &a->of[a->count], &list[a->count], timing); a->count++)
		;
	if (a->chunks && a->count == count)
		return a;
	agents_free(a);
	return NULL;
}

void agents_free(struct agents *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->count; i++)
		timing_free(a->of[i].timing);
	chunks_free(a->chunks);
	free(a);
}

int agents_take(struct agents *a, const struct replay_op *op)
{
	return op->kind == REPLAY_STORE ? chunks_store(a->chunks, op) : chunks_copy(a->chunks, op);
}

void agents_cross(struct agents *a, unsigned source, unsigned destination, uint64_t time_ps, const struct crossing *crossing)
{
	for (unsigned i = 0; i < a->count; i++)
		if (a->of[i].timing)
			timing_cross(a->of[i].timing, source, destination, time_ps, crossing);
}

/* `chunks`: of its source. */
static uint64_t delay(const struct agents *a, const struct one *one, size_t chunks)
{
	switch (one->agent.kind) {
	case AGENT_POLLING:
		return a->setting.cost.polling_ps + a->setting.cost.scan_ps * chunks / one->agent.threads;
	case AGENT_LAUNCH:
		return a->setting.cost.launch_ps;
	case AGENT_CARD: return topology_has_card(a->setting.topology) ? 0 : a->setting.cost.card_ps;
	default: /* a card's engine takes its own time */ return 0;
	}
}

/* Returns what the transfer puts on the link between cards. */
static struct hop_load agents_count_hops(const struct agents *a, struct one *one, const struct timing_transfer *t,
					 const struct chunk *chunk)
{
	struct crossing c = hops_alike(&a->setting, t->load, hops_flits_of_write(chunk->address, chunk->bytes),
				       hops_between(&a->setting, a->gpus, t->source, t->destination));

	hops_add(&one->hops, a->gpus, t->source, t->destination, &c);
	return c.forward[HOP_LINK];
}

/* Transfers a chunk to all its destinations: it is started once. */
static void transfer(struct agents *a, struct one *one, const struct chunk *chunk, uint64_t delay_ps)
{
	bool limited = one->agent.kind < AGENT_CARD && one->agent.threads < SATURATING_THREADS;
	struct timing_transfer t = { .source = chunk->source,
				     .ready_ps = chunk->ready_ps,
				     .delay_ps = delay_ps,
				     .one_by_one = one->agent.kind == AGENT_LAUNCH,
				     .speed = limited ? (double)one->agent.threads / SATURATING_THREADS : 1 };

	if (one->agent.kind >= AGENT_CARD) {
		t.chunk_bytes = chunk->bytes;
		t.targets = (unsigned)__builtin_popcountll(chunk->destinations);
	}
	for (unsigned i = 1; i < a->gpus; i++) {
		unsigned d = (chunk->source + i) %
			     a->gpus; /* each source begins with another one, so that links are shared evenly */

		if (!(chunk->destinations >> d & 1))
			continue;
		t.destination = d;
		t.load.transactions = 0;
		t.load.bytes = link_write(&a->setting.link, chunk->address, chunk->bytes, &t.load.transactions);
		one->tally.packets += t.load.transactions;
		one->tally.wire_bytes += t.load.bytes;
		one->tally.data_bytes += chunk->bytes;
		t.link = agents_count_hops(a, one, &t, chunk);
		if (one->timing)
			timing_transfer(one->timing, &t);
		if (t.one_by_one)
			t.delay_ps = 0;
	}
}

static void transfer_all(struct agents *a, struct one *one, const struct chunk *list, size_t count)
{
	for (size_t first = 0, end; first < count; first = end) {
		uint64_t delay_ps;

		for (end = first; end < count && list[end].source == list[first].source;)
			end++;
		delay_ps = delay(a, one, end - first);
		for (size_t i = first; i < end; i++)
			transfer(a, one, &list[i], delay_ps);
	}
}

/* Chunks are cut once for all agents of one chunk size. */
static int send_chunks(struct agents *a, int pair)
{
	int error = chunks_end(a->chunks, pair);
	const struct chunk *list = NULL;
	uint32_t chunk_bytes = 0;
	size_t count = 0;

	for (unsigned i = 0; i < a->count && !error; i++) {
		if (a->of[i].agent.chunk_bytes != chunk_bytes) {
			chunk_bytes = a->of[i].agent.chunk_bytes;
			error = chunks_cut(a->chunks, chunk_bytes, &list, &count);
		}
		if (!error)
			transfer_all(a, &a->of[i], list, count);
	}
	chunks_forget(a->chunks);
	return error;
}

int agents_release(struct agents *a, unsigned source, unsigned destination, uint64_t time_ps)
{
	int error = send_chunks(a, (int)(source * a->gpus + destination));

	for (unsigned i = 0; i < a->count; i++)
		if (a->of[i].timing)
			timing_release(a->of[i].timing, source, time_ps);
	return error;
}

int agents_barrier(struct agents *a, uint64_t time_ps)
{
	int error = send_chunks(a, CHUNKS_ALL_PAIRS);

	for (unsigned i = 0; i < a->count; i++)
		if (a->of[i].timing)
			timing_barrier(a->of[i].timing, time_ps);
	return error;
}

unsigned agents_count(const struct agents *a)
{
	return a->count;
}

const struct agent *agents_at(const struct agents *a, unsigned index)
{
	return &a->of[index].agent;
}

struct agent_result agents_result(const struct agents *a, unsigned index)
{
	const struct one *one = &a->of[index];

	return (struct agent_result){
		.tally = one->tally,
		.hops = one->hops,
		.time_ps = one->timing ? timing_end(one->timing) : 0,
		.tail_ps = one->timing ? timing_tail(one->timing) : 0,
		.hidden = one->timing ? timing_hidden(one->timing) : 0,
	};
}
