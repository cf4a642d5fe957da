// SPDX-License-Identifier: Apache-2.0
/*
 * The packet records of a simulator (MGPUSim): what of them are operations. docs/trace-format.md says what is taken.
 * Records carry the number of their request, 1 and up; a table of those without an answer has a place for each number of
 * the last million, so that neither its size nor a look into it depends on what the file says.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "line_mask.h"
#include "little.h"
#include "read.h"

enum {
	RECORD = 40,
	AT_TIME = 0,
	AT_SOURCE = 8,
	AT_DESTINATION = 9,
	AT_TYPE = 10,
	AT_NUMBER = 12,
	AT_ADDRESS = 16,
	AT_MASK = 24,
	AT_SIZE = 32,
	AT_ARRAY = 34,
	AT_UNIT = 36,
	AT_RESERVED = 38,

	LINE = 64,
	MEMORY_BITS = 32, /* GPU g, from 1, has the addresses from g << 32 */
	PENDING = REPLAY_PACKETS_PENDING,
};

struct packet {
	uint64_t time_ps, address, mask;
	uint32_t number;
	uint16_t size, array, unit;
	uint8_t source, destination; /* from 1, as in the record */
	char type;
};

struct pending {
	uint64_t address;
	uint32_t number; /* 0: none */
	uint8_t source, destination;
	char type;
};

struct simulator {
	struct replay_trace *trace;
	struct pending *pending; /* by the number's low bits */
	uint64_t unanswered;
	uint64_t latest; /* time seen so far */
	uint64_t phases;
	uint64_t running, ended; /* bit for each GPU: its kernel runs, it has ended one since the last barrier */
};

static int check_gpu(struct replay_trace *t, unsigned gpu, struct failure *error)
{
	unsigned most = t->info.gpus ? t->info.gpus : REPLAY_GPUS_MAX;

	if (gpu < 1 || gpu > most)
		return trace_wrong(t, error, "GPU %u: the simulator's GPUs are 1 to %u", gpu, most);
	if (gpu - 1 > t->highest)
		t->highest = gpu - 1;
	return 0;
}

static int check_request(struct replay_trace *t, const struct packet *p, struct failure *error)
{
	if (p->address % LINE || p->address >> MEMORY_BITS != p->destination)
		return trace_wrong(t, error, "address 0x%" PRIx64 ": it is that of a line of %d bytes in GPU %u's 4 GiB, "
				   "from 0x%" PRIx64, p->address, LINE, p->destination,
				   (uint64_t)p->destination << MEMORY_BITS);
	if (p->size != LINE || p->mask == 0)
		return trace_wrong(t, error, "size %u, mask 0x%" PRIx64 ": a request has %d bytes and names 1 of them or more",
				   p->size, p->mask, LINE);
	return 0;
}

static int simulator_remember(struct simulator *s, const struct packet *p, struct failure *error)
{
	struct pending *place = &s->pending[p->number % PENDING];

	if (p->number == 0)
		return trace_wrong(s->trace, error, "request 0: numbers start at 1");
	if (place->number)
		return trace_wrong(s->trace, error, "request %" PRIu32 " while %" PRIu32 " is unanswered: must be "
				   "numbers less than %d apart, each once", p->number, place->number, PENDING);
	*place = (struct pending){p->address, p->number, p->source, p->destination, p->type};
	s->unanswered++;
	return 0;
}

static int take_write(struct replay_trace *t, struct replay_op op, uint64_t mask, struct failure *error)
{
	const struct line_mask bytes = {{mask}};
	const uint64_t line = op.address;
	unsigned begin, end = 0;
	int rc = 0;

	while (!rc && line_mask_run(&bytes, end, &begin, &op.size)) {
		op.address = line + begin;
		end = begin + op.size;
		rc = trace_add(t, &op, error);
	}
	t->info.simulator.writes++;
	return rc;
}

static int take_request(struct simulator *s, const struct packet *p, struct failure *error)
{
	struct replay_trace *t = s->trace;
	struct replay_op op = {
		.time_ps = p->time_ps,
		.address = p->address & (UINT32_MAX),
		.size = LINE,
		.kind = p->type == 'W' ? REPLAY_STORE : REPLAY_LOAD,
		.source = (uint8_t)(p->source - 1),
		.destination = (uint8_t)(p->destination - 1),
	};
	int rc = check_request(t, p, error);

	rc = rc ? rc : simulator_remember(s, p, error);
	if (rc)
		return rc;
	if (p->type == 'W')
		return take_write(t, op, p->mask, error);
	t->info.simulator.reads++;
	t->info.simulator.read_wanted_bytes += (unsigned)__builtin_popcountll(p->mask);
	return trace_add(t, &op, error);
}

static int take_answer(struct simulator *s, const struct packet *p, struct failure *error)
{
	struct replay_trace *t = s->trace;
	struct pending *place = &s->pending[p->number % PENDING];

	if (p->number == 0 || place->number != p->number || (place->type == 'R') != (p->type == 'D') ||
	    place->source != p->destination || place->destination != p->source || place->address != p->address)
		return trace_wrong(t, error, "%s %" PRIu32 " from GPU %u to GPU %u matches no request",
				   p->type == 'D' ? "answer" : "acknowledge", p->number, p->source, p->destination);
	place->number = 0;
	s->unanswered--;
	if (p->type == 'D')
		t->info.simulator.answers++;
	else
		t->info.simulator.acknowledges++;
	return 0;
}

/* All GPUs that had a kernel have ended it, and the next ones begin, or nothing comes any more. */
static int phase_ends(struct simulator *s, struct failure *error)
{
	struct replay_op op = {.kind = REPLAY_BARRIER, .time_ps = s->latest, .size = (uint32_t)s->phases};

	s->ended = 0;
	s->phases++;
	return trace_add(s->trace, &op, error);
}

static int take_kernel(struct simulator *s, const struct packet *p, struct failure *error)
{
	const uint64_t gpu = 1ULL << (p->source - 1);
	int rc;

	if (p->source != p->destination)
		return trace_wrong(s->trace, error, "a kernel on GPU %u and GPU %u: source and destination must be equal",
				   p->source, p->destination);
	if ((p->type == 'E') != !!(s->running & gpu))
		return trace_wrong(s->trace, error, "a kernel on GPU %u %s", p->source,
				   p->type == 'E' ? "ends without a start" : "starts while another runs");
	if (p->type == 'E') {
		s->running &= ~gpu;
		s->ended |= gpu;
		return 0;
	}
	rc = !s->running && s->ended & gpu ? phase_ends(s, error) : 0;
	s->running |= gpu;
	s->trace->info.simulator.kernels++;
	return rc;
}

/* To who wants packets rather than operations. */
static int hand_on(struct replay_trace *t, const struct packet *p)
{
	const struct replay_packet packet = {
		.time_ps = p->time_ps,
		.address = p->address & UINT32_MAX,
		.mask = p->mask,
		.number = p->number,
		.array = p->array,
		.unit = p->unit,
		.source = (uint8_t)(p->source - 1),
		.destination = (uint8_t)(p->destination - 1),
		.type = p->type,
	};
	int rc = t->packets.take ? t->packets.take(t->packets.user, &packet) : 0;

	t->stopped |= rc != 0;
	return rc;
}

static int simulator_take(struct simulator *s, const struct packet *p, struct failure *error)
{
	int rc = check_gpu(s->trace, p->source, error);

	rc = rc ? rc : check_gpu(s->trace, p->destination, error);
	if (rc)
		return rc;
	switch (p->type) {
	case 'R':
	case 'W':
		rc = take_request(s, p, error);
		break;
	case 'D':
	case 'A':
		rc = take_answer(s, p, error);
		break;
	case 'K':
	case 'E':
		rc = take_kernel(s, p, error);
		break;
	default:
		rc = trace_wrong(s->trace, error, "type 0x%02x: must be R, W, D, A, K or E", (unsigned char)p->type);
	}
	s->latest = p->time_ps > s->latest ? p->time_ps : s->latest;
	return rc ? rc : hand_on(s->trace, p);
}

static int simulator_finish(struct simulator *s, struct failure *error)
{
	if (trace_input_left(&s->trace->input))
		return trace_wrong(s->trace, error, "ends within a record of %d bytes: the file is truncated", RECORD);
	if (s->unanswered || s->running)
		return trace_wrong(s->trace, error, "ends with %" PRIu64 " unanswered requests and %d kernels running: "
				   "the file is truncated", s->unanswered, __builtin_popcountll(s->running));
	return s->ended ? phase_ends(s, error) : 0;
}

static int take_all(struct simulator *s, struct failure *error)
{
	struct replay_trace *t = s->trace;

	for (;; t->record++) {
		const uint8_t *bytes;
		struct packet p;
		int rc = trace_input_more(&t->input, RECORD, error);

		t->record_offset = t->input.offset;
		if (rc)
			return rc;
		if (trace_input_left(&t->input) < RECORD)
			return simulator_finish(s, error);
		bytes = t->input.bytes + t->input.next;
		p = (struct packet){get64(bytes + AT_TIME), get64(bytes + AT_ADDRESS), get64(bytes + AT_MASK),
				    get32(bytes + AT_NUMBER), get16(bytes + AT_SIZE), get16(bytes + AT_ARRAY),
				    get16(bytes + AT_UNIT), bytes[AT_SOURCE], bytes[AT_DESTINATION], (char)bytes[AT_TYPE]};
		if (get16(bytes + AT_RESERVED))
			return trace_wrong(t, error, "reserved bytes are 0x%04x: must be 0", get16(bytes + AT_RESERVED));
		rc = simulator_take(s, &p, error);
		if (rc)
			return rc;
		trace_input_skip(&t->input, RECORD);
	}
}

int trace_simulator_run(struct replay_trace *t, struct failure *error)
{
	struct simulator s = {.trace = t, .pending = calloc(PENDING, sizeof(*s.pending))};
	int rc = s.pending ? take_all(&s, error) : failure_set(error, -ENOMEM, "%s: out of memory", t->input.name);

	free(s.pending);
	return rc;
}
