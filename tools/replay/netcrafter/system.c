// SPDX-License-Identifier: Apache-2.0
/* When requests go, and when all is over. */
#include "system.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../hash.h"
#include "../paradigm/card_clocks.h"

void netcrafter_setting_default(struct netcrafter_setting *setting)
{
	*setting = (struct netcrafter_setting){
		.within = 128,
		.between = 16,
		.flit_bytes = GLK_FLIT_BYTES,
		.queue_entries = 1024,
		.clocks = 4,
		.pool_ns = 32,
		.burst = 16,
		.trim_bytes = 16,
		.tlb_entries = 512,
		.unit_tlb_entries = 32,
		.stitching = true,
		.pooling = true,
		.selective = true,
		.sequencing = true,
		.yielding = true,
	};
}

bool netcrafter_pool_valid(const struct netcrafter_setting *s)
{
	return s->pool_ns * netcrafter_clocks_ns(s) <= GLK_POOL_CYCLES_MAX;
}

/* Ticks of so many clocks of a card, rounded up. */
static uint64_t card_ticks(const struct netcrafter_setting *s, double clocks)
{
	return (uint64_t)ceil(clocks * 1000 * TICKS_NS / s->card_mhz);
}

uint64_t netcrafter_slot(const struct netcrafter_setting *s)
{
	uint64_t link = (uint64_t)s->flit_bytes * TICKS_NS / s->between;
	uint64_t card = s->card_mhz ? card_ticks(s, CARD_FLIT_CLOCKS) : 0;

	return link > card ? link : card;
}

unsigned netcrafter_slot_clocks(const struct netcrafter_setting *s)
{
	uint64_t clocks = s->card_mhz ? netcrafter_slot(s) / card_ticks(s, 1) : s->clocks;

	return clocks ? (unsigned)clocks : 1;
}

double netcrafter_clocks_ns(const struct netcrafter_setting *s)
{
	return (double)netcrafter_slot_clocks(s) * TICKS_NS / (double)netcrafter_slot(s);
}

void system_fail(struct system *s, int rc)
{
	if (!s->failed)
		s->failed = rc;
}

void system_note(struct system *s, uint64_t ticks, enum happening what, uint32_t which)
{
	int rc = events_add(&s->events, s->now + ticks, what, which);

	if (rc)
		system_fail(s, rc);
}

uint64_t system_memory(struct system *s, unsigned gpu, uint64_t line)
{
	if (tags_use(s->gpus[gpu].cache, line))
		return CACHE_NS * TICKS_NS;
	tags_fill(s->gpus[gpu].cache, line);
	return (CACHE_NS + MEMORY_NS) * TICKS_NS;
}

/* ---- Requests ---- */

/* Notes when the unit's next request comes, if that is known. */
static void look_at(struct system *s, uint32_t number)
{
	struct unit_state *unit = &s->units[number];
	const struct request *next;
	uint64_t time;

	if (unit->due || unit->next == NO_REQUEST)
		return;
	next = &s->requests->list[unit->next];
	if (next->phase != s->phase || next->needs > unit->answered)
		return;
	if (!s->requests->windowed && next->kind == REQUEST_READ && unit->reads == MISSES)
		return;
	time = s->now + next->gap;
	if (s->requests->windowed) {
		uint64_t free = unit->last_issue + next->gap;

		time = free > s->now ? free : s->now;
		unit->held += time - free;
		s->held = unit->held > s->held ? unit->held : s->held;
	}
	unit->due = true;
	system_note(s, time - s->now, HAPPENS_ISSUE, number);
}

static void issue(struct system *s, uint32_t number)
{
	struct unit_state *unit = &s->units[number];
	uint32_t request = unit->next;

	unit->due = false;
	unit->last_issue = s->now;
	unit->next = s->requests->list[request].next;
	unit->reads += s->requests->list[request].kind == REQUEST_READ;
	translation_begin(s, request);
	look_at(s, number);
}

static enum glk_kind request_packet_kind(const struct request *request)
{
	static const uint8_t kinds[REQUEST_KINDS] = {
		GLK_KIND_READ_REQUEST, GLK_KIND_WRITE_REQUEST, GLK_KIND_ATOMIC_REQUEST
	};

	return (enum glk_kind)kinds[request->kind];
}

static unsigned source_of(const struct system *s, const struct request *request)
{
	return s->requests->units[request->unit].gpu;
}

static bool crosses(const struct system *s, const struct request *request)
{
	return system_cluster(s, source_of(s, request)) != system_cluster(s, request->destination);
}

static void netcrafter_system_send(struct system *s, uint32_t number)
{
	const struct request *request = &s->requests->list[number];
	uint32_t packet = network_packet(s, request_packet_kind(request), source_of(s, request), request->destination, number);

	s->flights[number].sent = s->now;
	if (crosses(s, request))
		s->result->crossing[request->kind]++;
	if (packet == NO_PACKET)
		return;
	s->packets[packet].first = s->flights[number].first;
	network_send(s, packet);
}

/* ---- Phases ---- */

static void end_phase(struct system *s)
{
	const struct phase *phase = &s->requests->phases[s->phase];
	uint64_t end = s->now + phase->tail, least = s->phase_begin + phase->length + s->held;

	end = end > least ? end : least;
	if (s->phase + 1 == s->requests->phase_count)
		s->end = end;
	else
		system_note(s, end + s->requests->phases[s->phase + 1].gap - s->now, HAPPENS_PHASE, 0);
}

static void all_answered(struct system *s)
{
	if (!s->packing || !packing_release(s))
		end_phase(s);
}

void system_released(struct system *s)
{
	end_phase(s);
}

static void begin_phase(struct system *s)
{
	s->phase_begin = s->now;
	s->held = 0;
	s->left = s->requests->phases[s->phase].requests;
	for (uint32_t i = 0; i < s->requests->unit_count; i++) {
		s->units[i].last_issue = s->now;
		s->units[i].held = 0;
		look_at(s, i);
	}
	if (!s->left)
		all_answered(s);
}

void system_answered(struct system *s, uint32_t number)
{
	const struct request *request = &s->requests->list[number];
	const struct flight *flight = &s->flights[number];

	if (crosses(s, request))
		latency_add(&s->result->access, (s->now - flight->sent) / TICKS_NS);
	if (flight->first)
		latency_add(&s->result->first, (s->now - flight->sent) / TICKS_NS);
	s->units[request->unit].answered++;
	s->units[request->unit].reads -= request->kind == REQUEST_READ;
	look_at(s, request->unit);
	if (--s->left == 0)
		all_answered(s);
}

/* ---- The whole ---- */

static void happens(struct system *s, const struct event *event)
{
	s->now = event->time;
	switch (event->what) {
	case HAPPENS_ISSUE: issue(s, event->which); break;
	case HAPPENS_SEND: netcrafter_system_send(s, event->which); break;
	case HAPPENS_WALK: translation_step(s, event->which); break;
	case HAPPENS_WALKED: translation_accessed(s, event->which); break;
	case HAPPENS_FLIT: network_flit(s, event->which); break;
	case HAPPENS_PHASE:
		s->phase++;
		begin_phase(s);
		break;
	default: network_happens(s, (enum happening)event->what, event->which);
	}
}

static int make_gpus(struct system *s)
{
	s->gpus = calloc(s->requests->gpus, sizeof(*s->gpus));
	for (unsigned i = 0; s->gpus && i < s->requests->gpus; i++) {
		struct gpu *gpu = &s->gpus[i];

		gpu->input = gpu->critical = (struct queue){ NO_PACKET, NO_PACKET };
		gpu->first = gpu->last = NO_REQUEST;
		gpu->cache = tags_create(CACHE_SETS, CACHE_WAYS);
		gpu->tlb = tags_create(s->setting.tlb_entries / GPU_TLB_WAYS, GPU_TLB_WAYS);
		gpu->walk_cache = tags_create(1, WALK_CACHE_WAYS);
		if (!gpu->cache || !gpu->tlb || !gpu->walk_cache)
			return -ENOMEM;
	}
	return s->gpus ? 0 : -ENOMEM;
}

static int make_units(struct system *s)
{
	s->units = calloc(s->requests->unit_count + 1, sizeof(*s->units));
	s->flights = calloc(s->requests->count + 1, sizeof(*s->flights));
	for (size_t i = 0; s->units && i < s->requests->unit_count; i++) {
		s->units[i].next = s->requests->units[i].first;
		s->units[i].tlb = tags_create(1, s->setting.unit_tlb_entries);
		if (!s->units[i].tlb)
			return -ENOMEM;
	}
	return s->units && s->flights ? 0 : -ENOMEM;
}

/* Any set of so many requests that cross is as likely. */
static void choose_first(struct system *s)
{
	uint64_t wanted = s->setting.data_first, left = 0;

	for (size_t i = 0; i < s->requests->count; i++)
		left += crosses(s, &s->requests->list[i]);
	for (size_t i = 0; i < s->requests->count && wanted; i++) {
		if (!crosses(s, &s->requests->list[i]))
			continue;
		s->flights[i].first = replay_hash(s->setting.seed, i) % left-- < wanted;
		wanted -= s->flights[i].first;
	}
}

static int netcrafter_system_begin(struct system *s)
{
	int rc = latency_begin(&s->result->access);

	rc = rc ? rc : latency_begin(&s->result->translation);
	rc = rc ? rc : latency_begin(&s->result->first);
	rc = rc ? rc : make_gpus(s);
	rc = rc ? rc : make_units(s);
	rc = rc ? rc : network_begin(s);
	if (!rc)
		choose_first(s);
	if (!rc && s->setting.packed)
		rc = packing_begin(s);
	return rc;
}

static void end(struct system *s)
{
	packing_end(s);
	network_end(s);
	for (unsigned i = 0; s->gpus && i < s->requests->gpus; i++) {
		tags_free(s->gpus[i].cache);
		tags_free(s->gpus[i].tlb);
		tags_free(s->gpus[i].walk_cache);
	}
	for (size_t i = 0; s->units && i < s->requests->unit_count; i++)
		tags_free(s->units[i].tlb);
	free(s->gpus);
	free(s->units);
	free(s->flights);
	events_free(&s->events);
}

static int netcrafter_system_play(struct system *s)
{
	struct event event;

	begin_phase(s);
	while (!s->failed && events_take(&s->events, &event))
		happens(s, &event);
	if (!s->failed && (s->end == UINT64_MAX || s->left))
		s->failed = -EBADMSG; /* something waits that never comes */
	return s->failed;
}

int netcrafter_run(const struct requests *requests, const struct netcrafter_setting *setting, struct netcrafter_result *result)
{
	struct system s = { .requests = requests, .setting = *setting, .result = result, .packet_free = NO_PACKET,
			    .end = UINT64_MAX, .flit_due = { UINT64_MAX, UINT64_MAX } };
	int rc;

	*result = (struct netcrafter_result){ 0 };
	rc = netcrafter_system_begin(&s);
	rc = rc ? rc : netcrafter_system_play(&s);
	for (unsigned cluster = 0; cluster < 2 && !rc; cluster++)
		crossing_count(s.crossings[cluster], s.end, result);
	result->time_ns = s.end / TICKS_NS;
	end(&s);
	if (rc)
		netcrafter_result_free(result);
	return rc;
}

void netcrafter_result_free(struct netcrafter_result *result)
{
	latency_end(&result->access);
	latency_end(&result->translation);
	latency_end(&result->first);
}

void netcrafter_reads(const struct requests *requests, struct netcrafter_reads *reads)
{
	*reads = (struct netcrafter_reads){ 0 };
	for (size_t i = 0; i < requests->count; i++) {
		const struct request *r = &requests->list[i];

		if (r->kind != REQUEST_READ || cluster_of(requests->gpus, r->destination) ==
						       cluster_of(requests->gpus, requests->units[r->unit].gpu))
			continue;
		reads->by_bytes[(__builtin_popcountll(r->mask) - 1) / 16]++;
		for (unsigned j = 0; j < 4; j++)
			reads->in_sector[j] += request_in_sector(r->mask, 4u << j);
	}
}
