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
	struct direct_copies {
		uint64_t bytes, wire_bytes, packets;
	} pages; /* what dma costs that copies touched pages */
	/* Of paradigm i, where time is wanted; what it had sent of pair p: sent[p * paradigms + i]; and of the pages. */
	struct timing *timing[PARADIGM_COUNT], *page_timing;
	struct sent {
		uint64_t bytes, packets;
	} *sent, *page_sent;
	struct timing_setting time;
	struct agents *agents, *own_agents; /* those that are fed, or NULL; the same if they are of the paradigms */
	unsigned agent_of[PARADIGM_COUNT];
	struct stream_counts counts;
	struct tally tally[PARADIGM_COUNT];
};

static bool create_timing(struct comparison *c, const struct timing_setting *setting)
{
	for (unsigned i = 0; i < c->paradigms; i++)
		if (!(c->timing[i] = timing_create(c->gpus, setting)))
			return false;
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
	c->touched = pages_create(c->pairs, TOUCHED_RECORD_BYTES);
	if (!c->states || !c->unique || !c->touched || (timing && !create_timing(c, timing)) ||
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
	pages_free(c->touched);
	free(c);
}

/* The paradigms' states of a pair. NULL: no memory. */
static void **states_of(struct comparison *c, unsigned pair)
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

/* Puts on the links what the paradigms have sent of a pair since it was last looked at. */
static void comparison_send(struct comparison *c, unsigned pair, uint64_t time_ps)
{
	void **states = c->states + (size_t)pair * c->paradigms;

	for (unsigned i = 0; i < c->paradigms && c->sent; i++) {
		struct sent *sent = &c->sent[(size_t)pair * c->paradigms + i];
		const struct tally *now;

		if (!states[i])
			continue;
		now = c->paradigm[i]->tally(states[i]);
		if (now->wire_bytes == sent->bytes)
			continue;
		timing_send(c->timing[i], pair / c->gpus, pair % c->gpus,
			    time_ps + (c->paradigm[i] == &paradigm_dma ? c->time.copy_start_ps : 0),
			    now->wire_bytes - sent->bytes, now->packets - sent->packets);
		*sent = (struct sent){ now->wire_bytes, now->packets };
	}
}

static void comparison_release(struct comparison *c, unsigned pair, uint64_t time_ps)
{
	void **states = c->states + (size_t)pair * c->paradigms;

	for (unsigned i = 0; i < c->paradigms; i++)
		if (states[i])
			c->paradigm[i]->release(states[i]);
	comparison_send(c, pair, time_ps);
	if (c->page_sent && c->page_sent[pair].bytes) {
		timing_send(c->page_timing, pair / c->gpus, pair % c->gpus, time_ps + c->time.copy_start_ps,
			    c->page_sent[pair].bytes, c->page_sent[pair].packets);
		c->page_sent[pair] = (struct sent){ 0 };
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

static int comparison_store(struct comparison *c, const struct replay_op *op, unsigned pair, void **states)
{
	uint64_t pages = 0;
	int fresh = touched_mark(c->touched, pair, op->address, op->size, &pages);

	if (fresh < 0)
		return fresh;
	if (pages) {
		uint64_t page = op->address / PAGE_BYTES * PAGE_BYTES;
		uint64_t packets = 0, bytes = link_write(&c->setting.link, page, PAGE_BYTES, &packets);

		c->pages.bytes += PAGE_BYTES;
		c->pages.wire_bytes += bytes;
		c->pages.packets += packets;
		if (c->page_sent) {
			c->page_sent[pair].bytes += bytes;
			c->page_sent[pair].packets += packets;
		}
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

/* What all send alike, in one transaction, on the links of all. */
static void send_alike(struct comparison *c, unsigned source, unsigned destination, uint64_t time_ps, uint64_t bytes)
{
	c->counts.alike_bytes += bytes;
	for (unsigned i = 0; i < c->paradigms && c->sent; i++)
		timing_send(c->timing[i], source, destination, time_ps, bytes, 1);
	if (c->sent)
		timing_send(c->page_timing, source, destination, time_ps, bytes, 1);
	if (c->agents)
		agents_send(c->agents, source, destination, time_ps, bytes);
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
		send_alike(c, op->source, op->destination, op->time_ps,
			   link_write(link, op->address, op->size, &transactions));
	} else {
		c->counts.loads++;
		c->counts.load_bytes += op->size;
		send_alike(c, op->source, op->destination, op->time_ps, link_read_request(link));
		/* The answer takes its way on the destination's link, at the source's time: the destination's own is not known.
		 */
		send_alike(c, op->destination, op->source, op->time_ps, link_read_answer(link, op->address, op->size));
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

static int take_one(struct comparison *c, const struct replay_op *op)
{
	unsigned pair = op->source * c->gpus + op->destination;
	void **states;
	int error = 0;

	if (!mine(c, op, pair))
		return 0;
	if (!comparison_allowed(c, op))
		return -EINVAL;
	c->counts.operations++;
	if (op->time_ps > c->counts.last_ps)
		c->counts.last_ps = op->time_ps;
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
	if (op->kind == REPLAY_STORE)
		error = comparison_store(c, op, pair, states);
	else if (op->kind == REPLAY_COPY)
		error = comparison_copy(c, op, states);
	else
		comparison_load(c, op, pair, states);
	if (c->sent)
		comparison_send(c, pair, op->time_ps);
	return error;
}

/* The operation, or in `slower` the same at a later time. */
static const struct replay_op *scaled(const struct comparison *c, const struct replay_op *op, struct replay_op *slower)
{
	if ((!c->time.compute_percent || c->time.compute_percent == 100) && !c->time.kernel_start_ps)
		return op;
	*slower = *op;
	slower->time_ps = timing_scaled(&c->time, op->time_ps, c->counts.barriers + 1);
	return slower;
}

static int comparison_take(void *user, const struct replay_op *ops, size_t count)
{
	enum { AHEAD = 16 };
	struct replay_op slower;
	struct comparison *c = user;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		if (i + AHEAD < count)
			pages_prefetch(c->touched, ops[i + AHEAD].source * c->gpus + ops[i + AHEAD].destination,
					 ops[i + AHEAD].address);
		error = take_one(c, scaled(c, &ops[i], &slower));
	}
	return error;
}

void comparison_feed(struct comparison *c, struct agents *agents)
{
	c->agents = agents;
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
	c->pages.bytes += other->pages.bytes;
	c->pages.wire_bytes += other->pages.wire_bytes;
	c->pages.packets += other->pages.packets;
	for (unsigned i = 0; i < c->paradigms; i++)
		tally_add(&c->tally[i], &other->tally[i]);
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
	for (unsigned i = 0; i < c->pairs * c->paradigms; i++)
		if (c->states[i])
			tally_add(&c->tally[i % c->paradigms], c->paradigm[i % c->paradigms]->tally(c->states[i]));
	for (unsigned i = 0; i < c->paradigms; i++)
		if (c->paradigm[i]->by_region)
			c->tally[i] = agents_result(c->own_agents, c->agent_of[i]).tally;
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

struct result comparison_result(const struct comparison *c, unsigned index)
{
	const struct tally page_copies = { .wire_bytes = c->pages.wire_bytes,
					   .data_bytes = c->pages.bytes,
					   .packets = c->pages.packets };
	bool pages = c->paradigm[index] == &paradigm_dma && !c->counts.copies;
	const struct tally *t = pages ? &page_copies : &c->tally[index];
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
	if (timing && c->paradigm[index]->by_region) {
		struct agent_result agent = agents_result(c->own_agents, c->agent_of[index]);

		result.time_ps = agent.time_ps;
		result.tail_ps = agent.tail_ps;
		result.hidden = agent.hidden;
	}
	return result;
}
