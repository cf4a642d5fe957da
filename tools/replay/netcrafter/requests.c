// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int grow(void **list, size_t *room, size_t count, size_t bytes, size_t most)
{
	size_t more = *room ? 2 * *room : 64;
	void *larger;

	if (count < *room)
		return 0;
	if (count >= most)
		return -E2BIG;
	larger = reallocarray(*list, more, bytes);
	if (!larger)
		return -ENOMEM;
	*list = larger;
	*room = more;
	return 0;
}

int requests_add_unit(struct requests *r, unsigned gpu)
{
	int rc = grow((void **)&r->units, &r->unit_room, r->unit_count, sizeof(*r->units), UNITS_MAX);

	if (!rc)
		r->units[r->unit_count++] = (struct unit){ .first = NO_REQUEST, .gpu = (uint8_t)gpu };
	return rc;
}

int requests_add_phase(struct requests *r, uint64_t gap)
{
	int rc = grow((void **)&r->phases, &r->phase_room, r->phase_count, sizeof(*r->phases), REQUESTS_MAX);

	if (!rc)
		r->phases[r->phase_count++] = (struct phase){ .gap = gap };
	return rc;
}

int requests_add(struct requests *r, const struct request *request, uint32_t last)
{
	int rc = grow((void **)&r->list, &r->room, r->count, sizeof(*r->list), REQUESTS_MAX);
	uint32_t *link;

	if (rc)
		return rc;
	link = last == NO_REQUEST ? &r->units[request->unit].first : &r->list[last].next;
	*link = (uint32_t)r->count;
	r->list[r->count] = *request;
	r->list[r->count].next = NO_REQUEST;
	r->list[r->count].phase = (uint32_t)(r->phase_count - 1);
	r->phases[r->phase_count - 1].requests++;
	r->count++;
	return 0;
}

void requests_free(struct requests *requests)
{
	free(requests->list);
	free(requests->units);
	free(requests->phases);
	*requests = (struct requests){ 0 };
}

bool request_in_sector(uint64_t mask, unsigned bytes)
{
	unsigned first = (unsigned)__builtin_ctzll(mask), last = 63 - (unsigned)__builtin_clzll(mask);

	return first / bytes == last / bytes;
}

/* ---- A stream of operations ---- */

struct source {
	uint64_t last_ticks; /* of its request before, or the begin of the phase */
	uint32_t last, issued, must;
};

struct requests_stream {
	struct requests *to;
	uint64_t begin, latest;
	struct source sources[REPLAY_GPUS_MAX];
	int failed;
	uint64_t operation; /* for the message */
	uint64_t address;
};

int requests_stream_begin(struct requests *requests, struct requests_stream **stream)
{
	struct requests_stream *s = calloc(1, sizeof(*s));
	int rc = s ? requests_add_phase(requests, 0) : -ENOMEM;

	for (unsigned gpu = 0; gpu < requests->gpus && !rc; gpu++) {
		s->sources[gpu].last = NO_REQUEST;
		rc = requests_add_unit(requests, gpu);
	}
	if (rc) {
		free(s);
		return rc;
	}
	s->to = requests;
	requests->windowed = true;
	*stream = s;
	return 0;
}

static int add_line(struct requests_stream *s, const struct replay_op *op, uint64_t address, unsigned bytes)
{
	static const uint8_t kinds[] = {
		[REPLAY_STORE] = REQUEST_WRITE, [REPLAY_LOAD] = REQUEST_READ, [REPLAY_ATOMIC] = REQUEST_ATOMIC
	};
	struct source *source = &s->sources[op->source];
	uint64_t ticks = ticks_of_ps(op->time_ps);
	uint32_t window = source->issued >= WINDOW ? source->issued - WINDOW + 1 : 0;
	struct request request = {
		.mask = (bytes == LINE_BYTES ? UINT64_MAX : (1ULL << bytes) - 1) << address % LINE_BYTES,
		.gap = ticks > source->last_ticks ? ticks - source->last_ticks : 0,
		.line = (uint32_t)(address / LINE_BYTES),
		.needs = source->must > window ? source->must : window,
		.unit = op->source,
		.kind = kinds[op->kind],
		.destination = op->destination,
	};
	uint32_t number = (uint32_t)s->to->count;
	int rc = requests_add(s->to, &request, source->last);

	if (rc)
		return rc;
	source->last = number;
	source->issued++;
	source->last_ticks = ticks > source->last_ticks ? ticks : source->last_ticks;
	return 0;
}

static int add_access(struct requests_stream *s, const struct replay_op *op)
{
	uint64_t address = op->address, end = op->address + op->size;
	int rc = (end - 1) >> MEMORY_BITS ? -ERANGE : 0;

	while (!rc && address < end) {
		uint64_t line_end = (address | (LINE_BYTES - 1)) + 1;
		unsigned bytes = (unsigned)((end < line_end ? end : line_end) - address);

		rc = add_line(s, op, address, bytes);
		address += bytes;
	}
	return rc;
}

static int add_barrier(struct requests_stream *s, uint64_t time_ps)
{
	uint64_t ticks = ticks_of_ps(time_ps);
	struct phase *ends = &s->to->phases[s->to->phase_count - 1];

	ends->length = ticks > s->begin ? ticks - s->begin : 0;
	s->begin += ends->length;
	for (unsigned i = 0; i < s->to->gpus; i++)
		s->sources[i].last_ticks = s->begin;
	return requests_add_phase(s->to, 0);
}

static int add_op(struct requests_stream *s, const struct replay_op *op)
{
	s->operation++;
	s->address = op->address;
	if (op->time_ps > s->latest)
		s->latest = op->time_ps;
	switch (op->kind) {
	case REPLAY_STORE:
	case REPLAY_LOAD:
	case REPLAY_ATOMIC: return add_access(s, op);
	case REPLAY_RELEASE: s->sources[op->source].must = s->sources[op->source].issued; return 0;
	case REPLAY_BARRIER: return add_barrier(s, op->time_ps);
	default: return 0; /* a copy is instead of the stores */
	}
}

static int requests_take(void *user, const struct replay_op *ops, size_t count)
{
	struct requests_stream *s = user;

	for (size_t i = 0; i < count && !s->failed; i++)
		s->failed = add_op(s, &ops[i]);
	return s->failed;
}

struct replay_sink requests_stream_sink(struct requests_stream *stream)
{
	return (struct replay_sink){ .take = requests_take, .user = stream };
}

int requests_stream_end(struct requests_stream *s, int status, struct failure *error)
{
	struct phase *ends = &s->to->phases[s->to->phase_count - 1];
	uint64_t latest = ticks_of_ps(s->latest);

	ends->length = latest > s->begin ? latest - s->begin : 0;
	if (s->failed == -ERANGE)
		failure_set(error, -ERANGE, "operation %llu: address 0x%llx: must be below 4 GiB, the memory of each GPU",
			    (unsigned long long)s->operation, (unsigned long long)s->address);
	else if (s->failed == -E2BIG)
		failure_set(error, -E2BIG, "more than %d requests: the maximum kept in memory; choose a smaller workload",
			    REQUESTS_MAX);
	free(s);
	return status;
}
