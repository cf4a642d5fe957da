// SPDX-License-Identifier: Apache-2.0
/*
 * Runs vectors of the link layer on the model. The expectations of a clock are checked line by line;
 * unexpected events fail as much as missing ones.
 *
 *	run-link-layer-vectors FILE|DIRECTORY...		TAP, one test per file
 */
#include <inttypes.h>
#include <string.h>

#include "vector_file.h"
#include "vector_list.h"
#include "link/link_layer.h"

#define HAPPENED_MAX 16u

/* A delivered flit, or an event. */
struct happened {
	bool flit;
	uint64_t number; /* the flit's type, or which event */
	uint8_t bytes[GLK_FLIT_BYTES];
};

struct run {
	struct vector_file file;
	struct glk_link_layer *link;
	struct happened happened[HAPPENED_MAX];
	unsigned count, taken;
	unsigned held[GLK_CLASS_COUNT];
	uint64_t now;
	bool begun, clocked; /* a clock has begun; its block was requested */
	bool refuse;	     /* the next flit */
	bool ended;
};

typedef bool line_handler(struct run *r);

static int on_flit(void *user, const struct glk_flit *flit)
{
	struct run *r = user;

	if (r->refuse)
		return -1;
	if (r->count == HAPPENED_MAX)
		vector_fail(&r->file, "more than %u flits and events", HAPPENED_MAX);
	else {
		r->happened[r->count] = (struct happened){ .flit = true, .number = flit->type };
		memcpy(r->happened[r->count++].bytes, flit->bytes, GLK_FLIT_BYTES);
	}
	return 0;
}

static void on_event(void *user, enum glk_link_event event)
{
	struct run *r = user;

	if (r->count == HAPPENED_MAX)
		vector_fail(&r->file, "more than %u flits and events", HAPPENED_MAX);
	else
		r->happened[r->count++] = (struct happened){ .number = event };
	if (event == GLK_LINK_ENDED)
		memset(r->held, 0, sizeof(r->held));
}

static const struct glk_link_layer_ops ops = { on_flit, on_event };

static const char *hex(const uint8_t *bytes, char text[2 * GLK_FLIT_BYTES + 1])
{
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static bool all_reported(struct run *r)
{
	if (r->taken < r->count)
		return vector_fail(&r->file, "before this: %s %" PRIx64 ", which is not expected",
				   r->happened[r->taken].flit ? "deliver" : "event", r->happened[r->taken].number);
	r->count = r->taken = 0;
	return true;
}

/* The sending side's clock when no block is expected. */
static bool clock_without(struct run *r)
{
	char text[2 * GLK_FLIT_BYTES + 1];
	struct glk_block block;

	if (r->clocked)
		return true;
	r->clocked = true;
	if (!glk_link_layer_clock(r->link, r->now, &block))
		return true;
	return vector_fail(&r->file, "clock %" PRIx64 ": out %d %s, which is not expected", r->now, block.control,
			   hex(block.bytes, text));
}

static bool set_up(struct run *r, unsigned version)
{
	static const uint64_t most[10] = { UINT8_MAX, UINT64_MAX, UINT16_MAX, 1024, UINT32_MAX, UINT32_MAX, UINT32_MAX,
					   UINT16_MAX, UINT16_MAX, UINT16_MAX };
	struct glk_link_layer_config config;
	uint64_t value[10];

	if (!vector_numbers(&r->file, 10, most, value))
		return false;
	glk_link_layer_config_default(&config);
	config.self.version = (uint8_t)version;
	config.self.cluster = (uint8_t)value[0];
	config.self.serial = value[1];
	config.self.session = (uint16_t)value[2];
	config.replay_frames = (unsigned)value[3];
	config.replay_cycles = (unsigned)value[4];
	config.ack_cycles = (unsigned)value[5];
	config.hello_cycles = (unsigned)value[6];
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		config.self.credits[class] = (uint16_t)value[7 + class];
	config.ops = &ops;
	config.user = r;
	return glk_link_layer_create(&config, &r->link) == 0 || vector_fail(&r->file, "invalid link layer parameters");
}

static bool do_clock(struct run *r)
{
	const uint64_t most = UINT32_MAX;
	uint64_t now;

	if (!vector_numbers(&r->file, 1, &most, &now) || (r->begun && !clock_without(r)) || !all_reported(r))
		return false;
	if (r->begun && now <= r->now)
		return vector_fail(&r->file, "clock: not later than %" PRIx64, r->now);
	for (r->now = r->begun ? r->now + 1 : 0; r->now < now; r->now++) {
		r->clocked = false;
		if (!clock_without(r) || !all_reported(r))
			return false;
	}
	r->begun = true;
	r->clocked = false;
	return true;
}

/* A number of at most `most` and 16 bytes. */
static bool take_block(struct run *r, uint64_t most, uint64_t *number, uint8_t bytes[GLK_FLIT_BYTES])
{
	return vector_numbers(&r->file, 1, &most, number) && vector_data(&r->file, bytes, GLK_FLIT_BYTES, NULL);
}

static bool do_flit(struct run *r)
{
	static const uint64_t most[2] = { 31, GLK_CLASS_COUNT - 1 };
	struct glk_flit flit;
	uint64_t value[2];

	if (!vector_numbers(&r->file, 2, most, value) || !vector_data(&r->file, flit.bytes, GLK_FLIT_BYTES, NULL))
		return false;
	flit.type = (uint8_t)value[0];
	if (r->clocked || !glk_link_layer_ready(r->link))
		return vector_fail(&r->file, "flit: cannot be accepted at clock %" PRIx64, r->now);
	if (!glk_link_layer_credits(r->link)[value[1]])
		return vector_fail(&r->file, "flit: no credit");
	glk_link_layer_credits(r->link)[value[1]]--;
	glk_link_layer_send(r->link, &flit);
	return true;
}

static bool do_ready(struct run *r)
{
	const uint64_t most = 1;
	uint64_t ready;

	if (!vector_numbers(&r->file, 1, &most, &ready))
		return false;
	if (r->clocked || glk_link_layer_ready(r->link) != ready)
		return vector_fail(&r->file, "ready: differs at clock %" PRIx64, r->now);
	return true;
}

static bool do_out(struct run *r)
{
	char text[2][2 * GLK_FLIT_BYTES + 1];
	uint8_t bytes[GLK_FLIT_BYTES];
	struct glk_block block;
	uint64_t control;

	if (!take_block(r, 1, &control, bytes))
		return false;
	if (r->clocked || !glk_link_layer_clock(r->link, r->now, &block))
		return vector_fail(&r->file, "clock %" PRIx64 ": no block is sent", r->now);
	r->clocked = true;
	if (block.control != control || memcmp(block.bytes, bytes, sizeof(bytes)) != 0)
		return vector_fail(&r->file, "clock %" PRIx64 ": expected out %d %s, got %d %s", r->now, (int)control,
				   hex(bytes, text[0]), block.control, hex(block.bytes, text[1]));
	return true;
}

static bool do_in(struct run *r)
{
	struct glk_block block;
	uint64_t control;

	if (!take_block(r, 1, &control, block.bytes) || !clock_without(r))
		return false;
	block.control = control;
	glk_link_layer_receive(r->link, r->now, &block);
	r->refuse = false;
	return true;
}

static bool do_deliver(struct run *r)
{
	char text[2][2 * GLK_FLIT_BYTES + 1];
	uint8_t bytes[GLK_FLIT_BYTES];
	const struct happened *next = &r->happened[r->taken];
	uint64_t type;

	if (!take_block(r, 31, &type, bytes))
		return false;
	if (r->taken == r->count || !next->flit)
		return vector_fail(&r->file, "deliver: no flit is delivered");
	r->taken++;
	if (next->number != type || memcmp(next->bytes, bytes, sizeof(bytes)) != 0)
		return vector_fail(&r->file, "deliver: expected %" PRIx64 " %s, got %" PRIx64 " %s", type, hex(bytes, text[0]),
				   next->number, hex(next->bytes, text[1]));
	return true;
}

static bool do_event(struct run *r)
{
	const uint64_t most = GLK_LINK_ENDED;
	uint64_t event;

	if (!vector_numbers(&r->file, 1, &most, &event) || (r->taken == r->count && !clock_without(r)))
		return false;
	if (r->taken == r->count || r->happened[r->taken].flit || r->happened[r->taken].number != event)
		return vector_fail(&r->file, "event: another one, or none");
	r->taken++;
	return true;
}

static bool do_cut(struct run *r)
{
	if (!vector_numbers(&r->file, 0, NULL, NULL))
		return false;
	glk_link_layer_cut(r->link, r->now);
	return true;
}

static bool do_reset(struct run *r)
{
	if (!vector_numbers(&r->file, 0, NULL, NULL))
		return false;
	glk_link_layer_reset(r->link, r->now);
	return true;
}

static bool do_refuse(struct run *r)
{
	r->refuse = true;
	return vector_numbers(&r->file, 0, NULL, NULL);
}

static bool do_hold(struct run *r)
{
	static const uint64_t most[3] = { GLK_CLASS_COUNT - 1, UINT16_MAX, 1 };
	uint64_t value[3];

	if (!vector_numbers(&r->file, 3, most, value) || !clock_without(r))
		return false;
	if ((glk_link_layer_hold(r->link, (enum glk_class)value[0], (unsigned)value[1]) == 0) != value[2])
		return vector_fail(&r->file, "hold: result differs");
	if (value[2])
		r->held[value[0]] += (unsigned)value[1];
	return true;
}

static bool do_free(struct run *r)
{
	static const uint64_t most[2] = { GLK_CLASS_COUNT - 1, GLK_LINK_CREDITS_MAX };
	uint64_t value[2];

	if (!vector_numbers(&r->file, 2, most, value) || !clock_without(r))
		return false;
	if (value[1] > r->held[value[0]])
		return vector_fail(&r->file, "free: only %x are held", r->held[value[0]]);
	r->held[value[0]] -= (unsigned)value[1];
	glk_link_layer_free(r->link, (enum glk_class)value[0], (unsigned)value[1]);
	return true;
}

static bool do_credits(struct run *r)
{
	static const uint64_t most[GLK_CLASS_COUNT] = { UINT16_MAX, UINT16_MAX, UINT16_MAX };
	const unsigned *credits = glk_link_layer_credits(r->link);
	uint64_t value[GLK_CLASS_COUNT];

	if (!vector_numbers(&r->file, GLK_CLASS_COUNT, most, value))
		return false;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (credits[class] != value[class])
			return vector_fail(&r->file, "credits: class %u has %x", class, credits[class]);
	return true;
}

static bool do_next(struct run *r)
{
	const uint64_t most = UINT32_MAX;
	uint64_t next, is;

	if (!vector_numbers(&r->file, 1, &most, &next) || !clock_without(r))
		return false;
	is = glk_link_layer_next(r->link, r->now + 1);
	return is == next || vector_fail(&r->file, "next: it is %" PRIx64, is);
}

static bool do_errors(struct run *r)
{
	static const uint64_t most[6] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	const struct glk_link_layer_counters *c = glk_link_layer_counters(r->link);
	const uint64_t is[6] = { c->crc_errors,	    c->sequence_errors, c->protocol_errors,
				 c->version_errors, c->frames_repeated, c->replays };
	uint64_t value[6];

	if (!vector_numbers(&r->file, 6, most, value) || !clock_without(r))
		return false;
	for (unsigned i = 0; i < 6; i++)
		if (is[i] != value[i])
			return vector_fail(&r->file, "errors: number %u is %" PRIx64, i + 1, is[i]);
	return true;
}

static bool do_end(struct run *r)
{
	if (!vector_numbers(&r->file, 0, NULL, NULL) || !clock_without(r) || !all_reported(r))
		return false;
	r->ended = true;
	return true;
}

static bool run_line(struct run *r)
{
	static const struct {
		const char *keyword;
		line_handler *handler;
		bool reports; /* an expectation; must be complete before any other line */
	} lines[] = {
		{ "clock", do_clock, false }, { "flit", do_flit, false },     { "ready", do_ready, true },
		{ "out", do_out, false },     { "in", do_in, false },	      { "deliver", do_deliver, true },
		{ "event", do_event, true },  { "cut", do_cut, false },	      { "reset", do_reset, false },
		{ "refuse", do_refuse, true }, { "hold", do_hold, false },     { "free", do_free, false },
		{ "next", do_next, true },     { "end", do_end, false },     { "credits", do_credits, true }, { "errors", do_errors, true },
	};

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strcmp(r->file.keyword, lines[i].keyword) == 0) {
			if (!r->begun && lines[i].handler != do_clock)
				return vector_fail(&r->file, "%s before the first clock", r->file.keyword);
			return (lines[i].reports || all_reported(r)) && lines[i].handler(r);
		}
	return vector_fail(&r->file, "%s: no such line", r->file.keyword);
}

static bool run_file(struct run *r)
{
	const uint64_t version = 1;
	uint64_t value;

	if (!vector_next(&r->file) || strcmp(r->file.keyword, "vectors") != 0 || !vector_numbers(&r->file, 1, &version, &value) ||
	    value != version)
		return vector_fail(&r->file, "must begin with vectors 1");
	if (!vector_next(&r->file) || (strcmp(r->file.keyword, "layer") != 0 && strcmp(r->file.keyword, "layer-leases") != 0))
		return vector_fail(&r->file, "second line must be layer or layer-leases");
	if (!set_up(r, strcmp(r->file.keyword, "layer-leases") ? GLK_LINK_VERSION : GLK_LINK_VERSION_LEASES))
		return false;
	while (!r->ended && vector_next(&r->file))
		if (!run_line(r))
			return false;
	if (!r->ended)
		return vector_fail(&r->file, "no end line");
	if (vector_next(&r->file))
		return vector_fail(&r->file, "lines after the end");
	return !r->file.failed;
}

static bool run_path(const char *path, const char **skip)
{
	static struct run r;
	bool good;

	(void)skip;
	memset(&r, 0, sizeof(r));
	good = vector_open(&r.file, path) && run_file(&r);
	vector_close(&r.file);
	glk_link_layer_destroy(r.link);
	if (!good)
		printf("# %s\n", r.file.message);
	return good;
}

int main(int argc, char **argv)
{
	return vector_run_all("run-link-layer-vectors", argc, argv, run_path);
}
