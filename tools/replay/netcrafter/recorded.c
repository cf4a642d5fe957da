// SPDX-License-Identifier: Apache-2.0
/*
 * Requests from the simulator's packet records, or from another trace.
 *
 * A record has the time at which a packet left its sender (seen in the records: a unit that has 128 requests under way, the
 * most that the simulator lets it, asks again 153 ns after an answer of its neighbour left, at the earliest). An answer is
 * on its way then for one PCIe switch between the GPUs of a pair, and for three between pairs, of 144 ns each; the shortest
 * times from a request to its answer, 163 and 451 ns, differ by two switches. Waiting on the way is not in that: so what
 * came later is taken to have come then, and a request may seem to have waited for what it did not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "events.h"
#include "requests.h"
#include "../trace/trace.h"

enum { SWITCH_NS = 144, UNIT_SLOTS = 2 * UNITS_MAX };

struct pending {
	uint16_t unit;
	bool near;
};

struct seen {
	uint64_t last_issue, last_answer; /* ticks */
	uint32_t last, answers;
};

struct recorder {
	struct requests *to;
	struct events arrivals;		/* of answers; which: the unit */
	uint64_t begin, ended, last_answer; /* of the phase: ticks */
	uint64_t running, had_kernel;	/* a bit a GPU, as in the reader */
	uint64_t keys[UNIT_SLOTS];	/* and 1; of units, by a hash */
	uint16_t units[UNIT_SLOTS];
	struct seen seen[UNITS_MAX];
	struct pending pending[REPLAY_PACKETS_PENDING];
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t from_to(uint64_t begin, uint64_t end)
{
	return end > begin ? end - begin : 0;
}

static int find_unit(struct recorder *r, const struct replay_packet *p, uint16_t *unit)
{
	const uint64_t key = ((uint64_t)p->source << 32 | (uint64_t)p->array << 16 | p->unit) + 1;
	size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % UNIT_SLOTS;
	int rc;

	while (r->keys[slot] && r->keys[slot] != key) /* half of them are empty */
		slot = (slot + 1) % UNIT_SLOTS;
	*unit = r->units[slot];
	if (r->keys[slot])
		return 0;
	rc = requests_add_unit(r->to, p->source);
	if (rc)
		return rc;
	*unit = (uint16_t)(r->to->unit_count - 1);
	r->keys[slot] = key;
	r->units[slot] = *unit;
	r->seen[*unit] = (struct seen){ .last = NO_REQUEST };
	return 0;
}

static void arrive_until(struct recorder *r, uint64_t ticks)
{
	struct event answer;

	while (r->arrivals.count && r->arrivals.heap[0].time <= ticks && events_take(&r->arrivals, &answer)) {
		r->seen[answer.which].answers++;
		r->seen[answer.which].last_answer = answer.time;
	}
}

static int request(struct recorder *r, const struct replay_packet *p, uint64_t ticks)
{
	struct request request = {
		.mask = p->mask,
		.line = (uint32_t)(p->address / LINE_BYTES),
		.kind = p->type == 'W' ? REQUEST_WRITE : REQUEST_READ,
		.destination = p->destination,
	};
	uint32_t number = (uint32_t)r->to->count;
	struct seen *seen;
	int rc = find_unit(r, p, &request.unit);

	if (rc)
		return rc;
	arrive_until(r, ticks);
	seen = &r->seen[request.unit];
	request.needs = seen->answers;
	request.gap = from_to(later(r->begin, later(seen->last_issue, seen->last_answer)), ticks);
	rc = requests_add(r->to, &request, seen->last);
	seen->last = number;
	seen->last_issue = ticks;
	r->pending[p->number % REPLAY_PACKETS_PENDING] =
		(struct pending){ .unit = request.unit, .near = p->source / 2 == p->destination / 2 };
	return rc;
}

static int recorded_answer(struct recorder *r, const struct replay_packet *p, uint64_t ticks)
{
	const struct pending *asked = &r->pending[p->number % REPLAY_PACKETS_PENDING];
	uint64_t time = ticks + (asked->near ? 1u : 3u) * SWITCH_NS * TICKS_NS;

	r->last_answer = later(r->last_answer, time);
	return events_add(&r->arrivals, time, 0, asked->unit);
}

static void end_phase(struct recorder *r)
{
	struct phase *phase = &r->to->phases[r->to->phase_count - 1];

	r->last_answer = later(r->last_answer, r->begin);
	phase->tail = from_to(r->last_answer, r->ended);
	r->ended = later(r->ended, r->last_answer);
}

static int kernel(struct recorder *r, const struct replay_packet *p, uint64_t ticks)
{
	const uint64_t gpu = 1ULL << p->source;
	int rc = 0;

	if (p->type == 'E') {
		r->running &= ~gpu;
		r->had_kernel |= gpu;
		r->ended = later(r->ended, ticks);
		return 0;
	}
	if (!r->running && r->had_kernel & gpu) {
		end_phase(r);
		rc = requests_add_phase(r->to, from_to(r->ended, ticks));
		r->begin = later(r->ended, ticks);
		r->had_kernel = 0;
	}
	r->running |= gpu;
	return rc;
}

static int recorded_take(void *user, const struct replay_packet *p)
{
	struct recorder *r = user;
	uint64_t ticks = ticks_of_ps(p->time_ps);

	if (!r->to->phase_count) {
		r->begin = ticks;
		if (requests_add_phase(r->to, 0))
			return -ENOMEM;
	}
	switch (p->type) {
	case 'R':
	case 'W': return request(r, p, ticks);
	case 'D':
	case 'A': return recorded_answer(r, p, ticks);
	default: return kernel(r, p, ticks);
	}
}

static int from_packets(struct requests *requests, struct replay_trace *trace, struct failure *error)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->to = requests;
	rc = replay_trace_run_packets(trace, (struct replay_packet_sink){ .take = recorded_take, .user = r }, error);
	if (!rc)
		end_phase(r);
	events_free(&r->arrivals);
	free(r);
	return rc;
}

static int from_operations(struct requests *requests, struct replay_trace *trace, struct failure *error)
{
	struct requests_stream *stream;
	int rc = requests_stream_begin(requests, &stream);

	if (rc)
		return rc;
	return requests_stream_end(stream, replay_trace_run(trace, requests_stream_sink(stream), error), error);
}

int requests_from_trace(struct requests *requests, const char *path, struct failure *error)
{
	struct replay_trace *trace;
	int rc = replay_trace_open(&trace, path, error);

	if (rc)
		return rc;
	*requests = (struct requests){ .gpus = replay_trace_info(trace)->gpus };
	*error = (struct failure){ 0 };
	if (replay_trace_info(trace)->format == REPLAY_TRACE_SIMULATOR)
		rc = from_packets(requests, trace, error);
	else
		rc = from_operations(requests, trace, error);
	if (rc == -E2BIG && !error->text[0])
		failure_set(error, rc, "%s: more than %d requests or %d compute units, the maximum kept in memory", path,
			    REQUESTS_MAX, UNITS_MAX);
	replay_trace_close(trace);
	if (rc)
		requests_free(requests);
	return rc;
}
