// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include "touched.h"

struct comparison {
	unsigned gpus, pairs, paradigms;
	unsigned share, shares; /* the pairs that are this one's: share, share + shares, ... */
	struct setting setting;
	const struct paradigm *paradigm[PARADIGM_COUNT];
	void **states;		    /* of pair p, paradigm i: states[p * paradigms + i]; made when the pair is first used */
	uint64_t *unique;	    /* of each pair since its release */
	struct pages *touched;
	struct tally pages;	  /* what dma costs that copies touched pages */
	struct plain_load *plain; /* of each pair: its stores as plain ones; with a card only */
	/* Of paradigm i, where time is wanted; what it had sent of pair p: sent[p * paradigms + i]; and of the pages. */
	struct timing *timing[PARADIGM_COUNT], *page_timing;
	struct sent {
		uint64_t bytes, plain; /* what shows that there is more */
		struct crossing crossing;
	} * sent;
	struct crossing *page_sent;
	struct timing_setting time;
	struct agents *agents, *own_agents; /* those that are fed, or NULL; the same if they are of the paradigms */
	unsigned agent_of[PARADIGM_COUNT];
	struct costs *costs; /* or NULL */
	struct stream_counts counts;
	struct tally tally[PARADIGM_COUNT];
	struct hops hops[PARADIGM_COUNT], page_hops, alike_hops;
};

static bool create_timing(struct comparison *c, const struct timing_setting *setting)
{
	for (unsigned i = 0; i < c->paradigms; i++) {
		struct timing_setting own = *setting;

		own.form = c->paradigm[i]->form;
		if (!(c->timing[i] = timing_create(c->gpus, &own)))
			return false;
	}
	c->page_timing = timing_create(c->gpus, setting);
	c->time = *setting;
	c->sent = calloc((size_t)c->pairs * c->paradigms, sizeof(*c->sent));
	c->page_sent = calloc(c->pairs, sizeof(*c->page_sent));
	return c->page_timing && c->sent && c->page_sent;
}

/* For the paradigms that send by region. */
static bool create_agents(struct comparison *c, const struct timing_setting *timing)
{
	struct agent list[PARADIGM_COUNT];
	unsigned count = 0;

	for (unsigned i = 0; i < c->paradigms; i++) {
		if (!c->paradigm[i]->by_region)
			continue;
		c->agent_of[i] = count;
		list[count++] = (struct agent){ .kind = c->paradigm[i]->agent,
						.chunk_bytes = (uint32_t)c->setting.chunk_bytes,
						.threads = c->setting.threads };
	}
	if (count)
		c->agents = c->own_agents = agents_create(c->gpus, &c->setting, timing, list, count);
	return !count || c->agents;
}

struct comparison *comparison_create(unsigned gpus, const struct setting *setting, const struct paradigm *const *list,
				     const struct timing_setting *timing)
{
	struct comparison *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->gpus = gpus;
	c->pairs = gpus * gpus;
	c->shares = 1;
	c->setting = *setting;
	while (c->paradigms < PARADIGM_COUNT && list[c->paradigms]) {
		c->paradigm[c->paradigms] = list[c->paradigms];
		c->paradigms++;
	}
	c->states = calloc((size_t)c->pairs * c->paradigms, sizeof(*c->states));
	c->unique = calloc(c->pairs, sizeof(*c->unique));
	c->plain = calloc(c->pairs, sizeof(*c->plain));
	c->touched = pages_create(c->pairs, TOUCHED_RECORD_BYTES);
	if (!c->states || !c->unique || !c->plain || !c->touched || (timing && !create_timing(c, timing)) ||
	    !create_agents(c, timing)) {
		comparison_free(c);
		return NULL;
	}
	return c;
}

void comparison_free(struct comparison *c)
{
	if (!c)
		return;
	for (unsigned i = 0; c->states && i < c->pairs * c->paradigms; i++)
		if (c->states[i])
			c->paradigm[i % c->paradigms]->free(c->states[i]);
	for (unsigned i = 0; i < c->paradigms; i++)
		timing_free(c->timing[i]);
	timing_free(c->page_timing);
	agents_free(c->own_agents);
	free(c->sent);
	free(c->page_sent);
	free(c->states);
	free(c->unique);
	free(c->plain);
	costs_free(c->costs);
	pages_free(c->touched);
	free(c);
}

/* The paradigms' states of a pair. NULL: no memory. */
__attribute__((noinline)) static void **states_of(struct comparison *c, unsigned pair)
{
	void **states = c->states + (size_t)pair * c->paradigms;

	if (states[c->paradigms - 1]) /* the last one is made last */
		return states;
	for (unsigned i = 0; i < c->paradigms; i++) {
		if (!states[i])
			states[i] = c->paradigm[i]->create(&c->setting);
		if (!states[i])
			return NULL;
	}
	return states;
}

static uint64_t lower_bound(const struct link *link, uint64_t unique)
{
	uint64_t whole = unique / link->payload_bytes, rest = unique % link->payload_bytes;

	return whole * link_packet(link, link->payload_bytes) + (rest ? link_packet(link, rest) : 0);
}

/* What a paradigm has sent of a pair by now. */
static struct crossing crossing_of(const struct comparison *c, unsigned pair, unsigned i)
{
	const struct paradigm *p = c->paradigm[i];

	return hops_crossing(&c->setting, p, p->tally(c->states[(size_t)pair * c->paradigms + i]), &c->plain[pair],
			     hops_between(&c->setting, c->gpus, pair / c->gpus, pair % c->gpus));
}

/* Puts on the links what the paradigms have sent of a pair since it was last looked at. */
static void comparison_send(struct comparison *c, unsigned pair, uint64_t time_ps)
{
	void **states = c->states + (size_t)pair * c->paradigms;

	for (unsigned i = 0; i < c->paradigms && c->sent; i++) {
		struct sent *sent = &c->sent[(size_t)pair * c->paradigms + i];
		struct crossing crossing, more;
		const struct tally *now;

		if (!states[i])
			continue;
		now = c->paradigm[i]->tally(states[i]);
		if (now->wire_bytes == sent->bytes && c->plain[pair].load.bytes == sent->plain)
			continue;
		crossing = crossing_of(c, pair, i);
		more = hops_since(&crossing, &sent->crossing);
		timing_cross(c->timing[i], pair / c->gpus, pair % c->gpus,
			     time_ps + (c->paradigm[i] == &paradigm_dma ? c->time.copy_start_ps : 0), &more);
		*sent = (struct sent){ now->wire_bytes, c->plain[pair].load.bytes, crossing };
	}
}

static void comparison_release(struct comparison *c, unsigned pair, uint64_t time_ps)
{
	void **states = c->states + (size_t)pair * c->paradigms;

	for (unsigned i = 0; i < c->paradigms; i++)
		if (states[i])
			c->paradigm[i]->release(states[i]);
	comparison_send(c, pair, time_ps);
	if (c->page_sent && c->page_sent[pair].forward[HOP_SOURCE].bytes) {
		timing_cross(c->page_timing, pair / c->gpus, pair % c->gpus, time_ps + c->time.copy_start_ps,
			     &c->page_sent[pair]);
		c->page_sent[pair] = (struct crossing){ 0 };
	}
	c->counts.lower_bound_bytes += lower_bound(&c->setting.link, c->unique[pair]);
	c->unique[pair] = 0;
	pages_release(c->touched, pair);
}

/* Of a size from 1 to 128: the bits of size - 1, above the two that the first class has. */
static unsigned store_class(uint32_t size)
{
	return 30 - (unsigned)__builtin_clz((size - 1) | 3);
}

/* What a copy of this page costs. */
__attribute__((noinline)) static void comparison_copy_page(struct comparison *c, unsigned pair, uint64_t page)
{
	unsigned source = pair / c->gpus, destination = pair % c->gpus;
	struct hop_load load = { 0 };
	struct crossing crossing;

	load.bytes = link_write(&c->setting.link, page, PAGE_BYTES, &load.transactions);
	crossing = hops_alike(&c->setting, load, hops_flits_of_write(page, PAGE_BYTES),
			      hops_between(&c->setting, c->gpus, source, destination));
	c->pages.data_bytes += PAGE_BYTES;
	c->pages.wire_bytes += load.bytes;
	c->pages.packets += load.transactions;
	hops_add(&c->page_hops, c->gpus, source, destination, &crossing);
	if (c->page_sent)
		hops_sum(&c->page_sent[pair], &crossing);
}

static int comparison_store(struct comparison *c, const struct replay_op *op, unsigned pair, void **states)
{
	uint64_t pages = 0;
	int fresh = touched_mark(c->touched, pair, op->address, op->size, &pages);

	if (fresh < 0)
		return fresh;
	if (pages)
		comparison_copy_page(c, pair, op->address / PAGE_BYTES * PAGE_BYTES);
	if (topology_has_card(c->setting.topology)) {
		struct plain_load *plain = &c->plain[pair];

		plain->load.bytes += link_write(&c->setting.link, op->address, op->size, &plain->load.transactions);
		plain->beats += card_beats(op->address, op->size);
	}
	if (c->costs) {
		uint64_t transactions = 0;

		costs_store(c->costs, op->source, op->destination, op->address, op->size,
			    link_write(&c->setting.link, op->address, op->size, &transactions));
	}
	c->counts.stores++;
	c->counts.store_bytes += op->size;
	c->counts.classes[store_class(op->size)]++;
	c->counts.unique_bytes += (unsigned)fresh;
	c->unique[pair] += (unsigned)fresh;
	for (unsigned i = 0; i < c->paradigms; i++)
		c->paradigm[i]->store(states[i], op->address, op->size);
	return c->agents ? agents_take(c->agents, op) : 0;
}

/* What all send alike, in one transaction, on the links of all: a request, or what answers one. */
static void send_alike(struct comparison *c, const struct replay_op *op, bool answer, uint64_t bytes, uint64_t flit_bytes)
{
	unsigned source = answer ? op->destination : op->source, destination = answer ? op->source : op->destination;
	struct crossing crossing = hops_alike(&c->setting, (struct hop_load){ bytes, 1 }, flit_bytes,
					      hops_between(&c->setting, c->gpus, source, destination));

	c->counts.alike_bytes += bytes;
	hops_add_way(&c->alike_hops, c->gpus, op->source, op->destination, &crossing, answer);
	for (unsigned i = 0; i < c->paradigms && c->sent; i++)
		timing_cross(c->timing[i], source, destination, op->time_ps, &crossing);
	if (c->sent)
		timing_cross(c->page_timing, source, destination, op->time_ps, &crossing);
	if (c->agents)
		agents_cross(c->agents, source, destination, op->time_ps, &crossing);
}

static void comparison_load(struct comparison *c, const struct replay_op *op, unsigned pair, void **states)
{
	const struct link *link = &c->setting.link;
	uint64_t transactions = 0;

	for (unsigned i = 0; i < c->paradigms; i++)
		c->paradigm[i]->load(states[i], op->address, op->size);
	if (c->sent)
		comparison_send(c, pair, op->time_ps); /* what the load flushed goes first */
	if (op->kind == REPLAY_ATOMIC) {
		c->counts.atomics++;
		send_alike(c, op, false, link_write(link, op->address, op->size, &transactions), hops_flits_of_atomic());
	} else {
		c->counts.loads++;
		c->counts.load_bytes += op->size;
		send_alike(c, op, false, link_read_request(link), hops_flits_of_request(op->address, op->size));
		/* The answer takes its way on the destination's link, at the source's time: the destination's own is not known.
		 */
		send_alike(c, op, true, link_read_answer(link, op->address, op->size),
			   hops_flits_of_answer(op->address, op->size));
	}
}

static int comparison_copy(struct comparison *c, const struct replay_op *op, void **states)
{
	c->counts.copies++;
	for (unsigned i = 0; i < c->paradigms; i++)
		c->paradigm[i]->copy(states[i], op->address, op->size);
	return c->agents ? agents_take(c->agents, op) : 0;
}

/* What stream.h allows. */
static bool comparison_allowed(const struct comparison *c, const struct replay_op *op)
{
	bool pair = op->source < c->gpus && op->destination < c->gpus && op->source != op->destination;
	bool inside = op->address < REPLAY_ADDRESS_END && op->size && op->size <= REPLAY_ADDRESS_END - op->address;
	bool in_line = inside && op->address % GLK_LINE_BYTES + op->size <= GLK_LINE_BYTES;

	switch (op->kind) {
	case REPLAY_STORE:
	case REPLAY_LOAD:
		return pair && in_line;
	case REPLAY_ATOMIC:
		return pair && in_line && (op->size == 4 || op->size == 8);
	case REPLAY_COPY:
		return pair && inside;
	case REPLAY_RELEASE:
		return pair && !op->address && !op->size;
	case REPLAY_BARRIER:
		return !op->source && !op->destination && !op->address;
	default:
		return false;
	}
}

static int wait_for_all(struct comparison *c, uint64_t time_ps)
{
	for (unsigned i = 0; i < c->paradigms && c->sent; i++)
		timing_barrier(c->timing[i], time_ps);
	if (c->sent)
		timing_barrier(c->page_timing, time_ps);
	return c->agents ? agents_barrier(c->agents, time_ps) : 0;
}

static int barrier(struct comparison *c, uint64_t time_ps)
{
	c->counts.barriers++;
	for (unsigned pair = 0; pair < c->pairs; pair++)
		comparison_release(c, pair, time_ps);
	return wait_for_all(c, time_ps);
}

/* A release of a pair, not of all: the source waits. */
static int wait_for(struct comparison *c, const struct replay_op *op)
{
	for (unsigned i = 0; i < c->paradigms && c->sent; i++)
		timing_release(c->timing[i], op->source, op->time_ps);
	if (c->sent)
		timing_release(c->page_timing, op->source, op->time_ps);
	return c->agents ? agents_release(c->agents, op->source, op->destination, op->time_ps) : 0;
}

/* Barriers are for all shares, and counted by the first. */
static bool mine(const struct comparison *c, const struct replay_op *op, unsigned pair)
{
	return c->shares == 1 || op->kind == REPLAY_BARRIER || pair % c->shares == c->share;
}

/* Nearly all operations are stores: one look, as trace/rules.h has it. A size of 0 becomes too large by the subtraction. */
static bool allowed_store(const struct comparison *c, const struct replay_op *op)
{
	return op->kind == REPLAY_STORE && op->address % GLK_LINE_BYTES + (op->size - 1u) < GLK_LINE_BYTES &&
	       op->address < REPLAY_ADDRESS_END && op->source < c->gpus && op->destination < c->gpus &&
	       op->source != op->destination;
}

static void count_operation(struct comparison *c, const struct replay_op *op)
{
	c->counts.operations++;
	if (op->time_ps > c->counts.last_ps)
		c->counts.last_ps = op->time_ps;
}

static int take_store(struct comparison *c, const struct replay_op *op)
{
	unsigned pair = op->source * c->gpus + op->destination;
	void **states;
	int error;

	if (c->shares > 1 && pair % c->shares != c->share)
		return 0;
	states = c->states + (size_t)pair * c->paradigms;
	if (!states[c->paradigms - 1]) {
		states = states_of(c, pair);
		if (!states)
			return -ENOMEM;
	}
	count_operation(c, op);
	error = comparison_store(c, op, pair, states);
	if (c->sent)
		comparison_send(c, pair, op->time_ps);
	return error;
}

/* Out of the way of stores, which shall keep their registers. */
__attribute__((noinline)) static int take_other(struct comparison *c, const struct replay_op *op)
{
	unsigned pair = op->source * c->gpus + op->destination;
	void **states;
	int error = 0;

	if (!mine(c, op, pair))
		return 0;
	if (!comparison_allowed(c, op))
		return -EINVAL;
	count_operation(c, op);
	if (op->kind == REPLAY_BARRIER)
		return barrier(c, op->time_ps);
	states = states_of(c, pair);
	if (!states)
		return -ENOMEM;
	if (op->kind == REPLAY_RELEASE) {
		c->counts.releases++;
		comparison_release(c, pair, op->time_ps);
		return wait_for(c, op);
	}
	if (op->kind == REPLAY_COPY)
		error = comparison_copy(c, op, states);
	else
		comparison_load(c, op, pair, states);
	if (c->sent)
		comparison_send(c, pair, op->time_ps);
	return error;
}

/* In `slower` the same at a later time. */
static const struct replay_op *scaled(const struct comparison *c, const struct replay_op *op, struct replay_op *slower)
{
	*slower = *op;
	slower->time_ps = timing_scaled(&c->time, op->time_ps, c->counts.barriers + 1);
	return slower;
}

static int comparison_take(void *user, const struct replay_op *ops, size_t count)
{
	enum { AHEAD = 16 };
	struct replay_op slower;
	struct comparison *c = user;
	bool as_is = (!c->time.compute_percent || c->time.compute_percent == 100) && !c->time.kernel_start_ps;
	bool ahead = pages_scattered(c->touched);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct replay_op *op = as_is ? &ops[i] : scaled(c, &ops[i], &slower);

		if (ahead && i + AHEAD < count)
			pages_prefetch(c->touched, ops[i + AHEAD].source * c->gpus + ops[i + AHEAD].destination,
				       ops[i + AHEAD].address);
		error = allowed_store(c, op) ? take_store(c, op) : take_other(c, op);
	}
	return error;
}

void comparison_feed(struct comparison *c, struct agents *agents)
{
	c->agents = agents;
}

int comparison_count_costs(struct comparison *c)
{
	c->costs = costs_create();
	return c->costs ? 0 : -ENOMEM;
}

const struct costs *comparison_costs(const struct comparison *c)
{
	return c->costs;
}

void comparison_share(struct comparison *c, unsigned index, unsigned count)
{
	c->share = index;
	c->shares = count;
}

void comparison_add(struct comparison *c, const struct comparison *other)
{
	struct stream_counts *to = &c->counts;
	const struct stream_counts *from = &other->counts;

	to->operations += from->operations - from->barriers; /* those it has counted itself */
	to->stores += from->stores;
	to->store_bytes += from->store_bytes;
	to->loads += from->loads;
	to->load_bytes += from->load_bytes;
	to->atomics += from->atomics;
	to->releases += from->releases;
	to->copies += from->copies;
	to->unique_bytes += from->unique_bytes;
	to->lower_bound_bytes += from->lower_bound_bytes;
	to->alike_bytes += from->alike_bytes;
	for (unsigned i = 0; i < STORE_CLASSES; i++)
		to->classes[i] += from->classes[i];
	if (from->last_ps > to->last_ps)
		to->last_ps = from->last_ps;
	tally_add(&c->pages, &other->pages);
	hops_merge(&c->page_hops, &other->page_hops);
	hops_merge(&c->alike_hops, &other->alike_hops);
	for (unsigned i = 0; i < c->paradigms; i++) {
		tally_add(&c->tally[i], &other->tally[i]);
		hops_merge(&c->hops[i], &other->hops[i]);
	}
}

struct replay_sink comparison_sink(struct comparison *c)
{
	return (struct replay_sink){ .take = comparison_take, .user = c };
}

int comparison_end(struct comparison *c)
{
	int error;

	for (unsigned pair = 0; pair < c->pairs; pair++)
		comparison_release(c, pair, c->counts.last_ps);
	error = wait_for_all(c, c->counts.last_ps); /* a stream need not end with a barrier */
	for (unsigned i = 0; i < c->pairs * c->paradigms; i++) {
		unsigned pair = i / c->paradigms, p = i % c->paradigms;
		struct crossing crossing;

		if (!c->states[i])
			continue;
		tally_add(&c->tally[p], c->paradigm[p]->tally(c->states[i]));
		crossing = crossing_of(c, pair, p);
		hops_add(&c->hops[p], c->gpus, pair / c->gpus, pair % c->gpus, &crossing);
	}
	for (unsigned i = 0; i < c->paradigms; i++) {
		if (!c->paradigm[i]->by_region)
			continue;
		c->tally[i] = agents_result(c->own_agents, c->agent_of[i]).tally;
		c->hops[i] = agents_result(c->own_agents, c->agent_of[i]).hops;
	}
	return error;
}

const struct stream_counts *comparison_counts(const struct comparison *c)
{
	return &c->counts;
}

unsigned comparison_results(const struct comparison *c)
{
	return c->paradigms;
}

static void result_hops(const struct comparison *c, unsigned index, bool pages, struct result *result)
{
	struct hops hops = pages ? c->page_hops : c->hops[index];

	hops_merge(&hops, &c->alike_hops);
	hops_results(&hops, &c->setting, c->gpus, c->time.transaction_ps, c->time.dllp_bytes, result->hop);
	for (unsigned hop = 0; hop < HOPS; hop++)
		if (result->hop[hop].busy_ps > result->hop[result->limit].busy_ps)
			result->limit = (enum hop)hop;
}

struct result comparison_result(const struct comparison *c, unsigned index)
{
	bool pages = c->paradigm[index] == &paradigm_dma && !c->counts.copies;
	const struct tally *t = pages ? &c->pages : &c->tally[index];
	uint64_t unique = c->counts.unique_bytes;
	uint64_t useful = t->data_bytes < unique ? t->data_bytes : unique; /* copies may leave out what was stored */
	const struct timing *timing = pages ? c->page_timing : c->timing[index];
	struct result result = {
		.paradigm = c->paradigm[index],
		.wire_bytes = t->wire_bytes,
		.useful_bytes = useful,
		.protocol_bytes = t->wire_bytes - t->data_bytes,
		.wasted_bytes = t->data_bytes - useful,
		.packets = t->packets,
		.stores_per_packet = t->packets ? (double)c->counts.stores / (double)t->packets : 0,
		.time_ps = timing ? timing_end(timing) : 0,
		.tail_ps = timing ? timing_tail(timing) : 0,
		.stalled_ps = timing ? timing_stalled(timing) : 0,
		.hidden = timing ? timing_hidden(timing) : 0,
	};

	memcpy(result.left, t->left, sizeof(result.left));
	result_hops(c, index, pages, &result);
	if (timing && c->paradigm[index]->by_region) {
		struct agent_result agent = agents_result(c->own_agents, c->agent_of[index]);

		result.time_ps = agent.time_ps;
		result.tail_ps = agent.tail_ps;
		result.hidden = agent.hidden;
	}
	return result;
}
