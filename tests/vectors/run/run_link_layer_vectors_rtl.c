// SPDX-License-Identifier: Apache-2.0
/*
 * Runs vectors of the link layer on the Verilated glk_link_layer. Reads the whole file, then runs one clock of the logic per
 * clock of the file; inputs are applied earlier, outputs and events expected later, by the latency of the logic's pipelines.
 * Skips what the logic does not have: `hold` (its buffers are outside), `next`; and files with another replay buffer size.
 *
 *	run-link-layer-vectors-rtl FILE|DIRECTORY...		TAP, one test per file
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <link/link_layer_dut.h>

#include "vector_file.h"
#include "vector_list.h"

enum {
	CLOCKS = 8192,	/* of a file */
	FLITS = 256,	/* that are delivered in it */
	CREDITS_REPORTED = 1, /* clocks after the word that grants them; */
	STARTED = 4,	  /* those of a new session are set class by class */
	LATEST = 24,	/* clocks in which a flit is delivered */
	ERRORS = 6,
};

enum event { UP, RESUMED, LOST, ENDED };

/* One clock of the file. */
struct tick {
	struct link_layer_in in;
	struct link_layer_block out;
	unsigned events; /* bits of enum event */
	int ready;	 /* -1: not given */
	bool says_credits, says_errors;
	uint64_t credits[LINK_LAYER_CLASSES], errors[ERRORS];
};

struct delivery {
	struct link_layer_flit flit;
	unsigned clock;
};

static struct run {
	struct vector_file file;
	struct link_layer_dut *dut;
	struct link_layer_settings settings;
	struct tick ticks[CLOCKS + 1];
	struct delivery deliveries[FLITS];
	unsigned last, clock, delivered, seen; /* clocks; flits expected, flits delivered */
	bool begun, refused, ended, other_frames;
	bool leases; /* of version 2 */
	uint64_t given[LINK_LAYER_CLASSES], used[LINK_LAYER_CLASSES], errors[ERRORS];
} r;

/* ---- Reading ---- */

static bool read_setup(void)
{
	static const uint64_t most[10] = { UINT8_MAX,  UINT64_MAX, UINT16_MAX, 1024, UINT32_MAX,
					   UINT32_MAX, UINT32_MAX, 2048,       2048, 2048 };
	uint64_t value[10];

	if (!vector_numbers(&r.file, 10, most, value))
		return false;
	r.settings = (struct link_layer_settings){
		.cluster = (unsigned)value[0],
		.serial = value[1],
		.session = (unsigned)value[2],
		.replay_cycles = (uint32_t)value[4],
		.ack_cycles = (uint32_t)value[5],
		.hello_cycles = (uint32_t)value[6],
		.room = { (unsigned)value[7], (unsigned)value[8], (unsigned)value[9] },
	};
	r.other_frames = value[3] != link_layer_frames();
	return true;
}

static bool read_clock(void)
{
	const uint64_t most = CLOCKS - 1;
	uint64_t clock;

	if (!vector_numbers(&r.file, 1, &most, &clock))
		return false;
	if (r.begun && clock <= r.clock)
		return vector_fail(&r.file, "clock: not later than %x", r.clock);
	r.clock = r.last = (unsigned)clock;
	r.refused = false;
	r.begun = true;
	return true;
}

static bool read_block(struct link_layer_block *block)
{
	const uint64_t most = 1;
	uint64_t control;

	if (!vector_numbers(&r.file, 1, &most, &control) || !vector_data(&r.file, block->data, sizeof(block->data), NULL))
		return false;
	block->valid = true;
	block->control = control;
	return true;
}

static bool read_in(void)
{
	if (r.clock < LINK_LAYER_IN)
		return vector_fail(&r.file, "in: too early for the logic's pipeline");
	return read_block(&r.ticks[r.clock - LINK_LAYER_IN].in.block);
}

static bool read_out(void)
{
	return read_block(&r.ticks[r.clock].out);
}

static bool read_flit(void)
{
	static const uint64_t most[2] = { 31, LINK_LAYER_CLASSES - 1 };
	struct link_layer_in *in = &r.ticks[r.clock].in;
	uint64_t value[2];

	if (!vector_numbers(&r.file, 2, most, value) || !vector_data(&r.file, in->flit.data, sizeof(in->flit.data), NULL))
		return false;
	in->flit.valid = true;
	in->flit.type = (unsigned)value[0];
	in->pieces[value[1]] = 1;
	r.ticks[r.clock].ready = 1;
	return true;
}

static bool read_ready(void)
{
	const uint64_t most = 1;
	uint64_t ready;

	if (!vector_numbers(&r.file, 1, &most, &ready))
		return false;
	r.ticks[r.clock].ready = (int)ready;
	return true;
}

static bool read_deliver(void)
{
	const uint64_t most = 31;
	struct delivery *d = &r.deliveries[r.delivered];
	uint64_t type;

	if (r.delivered == FLITS)
		return vector_fail(&r.file, "deliver: too many");
	if (!vector_numbers(&r.file, 1, &most, &type) || !vector_data(&r.file, d->flit.data, sizeof(d->flit.data), NULL))
		return false;
	d->flit.type = (unsigned)type;
	d->clock = r.clock;
	r.delivered++;
	return true;
}

/* The logic reports all events of a clock at once, without order. */
static bool read_event(void)
{
	const uint64_t most = ENDED;
	uint64_t event;

	if (!vector_numbers(&r.file, 1, &most, &event))
		return false;
	r.ticks[r.clock + r.refused].events |= 1u << event;
	return true;
}

/* Applied at the end of the clock before. */
static struct link_layer_in *reported_before(void)
{
	return r.clock <= LINK_LAYER_IN ? NULL : &r.ticks[r.clock - 1 - LINK_LAYER_IN].in;
}

static bool read_cut(void)
{
	struct link_layer_in *in = reported_before();

	if (in)
		in->cut = true;
	return vector_numbers(&r.file, 0, NULL, NULL) && (in || vector_fail(&r.file, "cut: too early"));
}

static bool read_reset(void)
{
	struct link_layer_in *in = reported_before();

	if (in)
		in->reset = true;
	return vector_numbers(&r.file, 0, NULL, NULL) && (in || vector_fail(&r.file, "reset: too early"));
}

/* The word whose flit is refused is withheld: the refusal is applied in its clock instead of shortly after, and reported one
 * clock later. */
static bool read_refuse(void)
{
	if (r.clock < LINK_LAYER_IN)
		return vector_fail(&r.file, "refuse: too early");
	r.ticks[r.clock - LINK_LAYER_IN].in.refused = true;
	r.refused = true;
	return vector_numbers(&r.file, 0, NULL, NULL);
}

static bool read_free(void)
{
	static const uint64_t most[2] = { LINK_LAYER_CLASSES - 1, 2048 };
	uint64_t value[2];

	if (!vector_numbers(&r.file, 2, most, value))
		return false;
	r.ticks[r.clock].in.freed[value[0]] += (unsigned)value[1];
	return true;
}

static bool read_credits(void)
{
	static const uint64_t most[LINK_LAYER_CLASSES] = { UINT16_MAX, UINT16_MAX, UINT16_MAX };

	r.ticks[r.clock].says_credits = true;
	return vector_numbers(&r.file, LINK_LAYER_CLASSES, most, r.ticks[r.clock].credits);
}

static bool read_errors(void)
{
	static const uint64_t most[ERRORS] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

	r.ticks[r.clock].says_errors = true;
	return vector_numbers(&r.file, ERRORS, most, r.ticks[r.clock].errors);
}

static bool read_end(void)
{
	r.ended = true;
	return vector_numbers(&r.file, 0, NULL, NULL);
}

static bool read_nothing(void)
{
	return true;
}

static bool read_line(void)
{
	static const struct {
		const char *keyword;
		bool (*read)(void);
	} lines[] = {
		{ "clock", read_clock },     { "flit", read_flit },	{ "ready", read_ready },   { "out", read_out },
		{ "in", read_in },	     { "deliver", read_deliver }, { "event", read_event }, { "cut", read_cut },
		{ "reset", read_reset },     { "refuse", read_refuse }, { "free", read_free },	   { "credits", read_credits },
		{ "errors", read_errors },   { "end", read_end },	{ "hold", read_nothing },  { "next", read_nothing },
	};

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strcmp(r.file.keyword, lines[i].keyword) == 0)
			return r.begun || lines[i].read == read_clock ? lines[i].read() : vector_fail(&r.file, "no clock has begun");
	return vector_fail(&r.file, "%s: no such line", r.file.keyword);
}

static bool read_file(void)
{
	const uint64_t version = 1;
	uint64_t value;

	for (unsigned i = 0; i <= CLOCKS; i++)
		r.ticks[i].ready = -1;
	if (!vector_next(&r.file) || strcmp(r.file.keyword, "vectors") != 0 || !vector_numbers(&r.file, 1, &version, &value) ||
	    value != version)
		return vector_fail(&r.file, "must begin with vectors 1");
	if (!vector_next(&r.file) || (strcmp(r.file.keyword, "layer") != 0 && strcmp(r.file.keyword, "layer-leases") != 0))
		return vector_fail(&r.file, "second line must be layer or layer-leases");
	r.leases = strcmp(r.file.keyword, "layer-leases") == 0; /* not in the RTL */
	if (r.leases)
		return true;
	if (!read_setup())
		return false;
	while (!r.ended && vector_next(&r.file))
		if (!read_line())
			return false;
	return r.ended || vector_fail(&r.file, "no end line");
}

/* ---- Running ---- */

static const char *hex(const uint8_t bytes[16], char text[33])
{
	for (unsigned i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

/* The file's expectations for an earlier clock; none for a clock outside the file. */
static const struct tick *tick_before(unsigned now, unsigned clocks)
{
	static const struct tick none = { .ready = -1 };

	return now >= clocks && now - clocks <= r.last ? &r.ticks[now - clocks] : &none;
}

static bool check_out(unsigned now, const struct link_layer_block *got)
{
	const struct link_layer_block *b = &tick_before(now, LINK_LAYER_OUT)->out;
	char text[2][33];

	if (now >= LINK_LAYER_OUT + r.last + 1) /* no expectations after the end */
		return true;
	if (b->valid == got->valid && (!b->valid || (b->control == got->control && memcmp(b->data, got->data, 16) == 0)))
		return true;
	return vector_fail(&r.file, "clock %x: expected out %s %d %s, got %s %d %s", now - LINK_LAYER_OUT, b->valid ? "" : "nothing",
			   b->control, hex(b->data, text[0]), got->valid ? "" : "nothing", got->control, hex(got->data, text[1]));
}

static bool check_flit(unsigned now, const struct link_layer_flit *got)
{
	const struct delivery *d = &r.deliveries[r.seen];
	char text[2][33];

	if (r.seen < r.delivered && now > d->clock + LATEST)
		return vector_fail(&r.file, "clock %x: %s is not delivered", d->clock, hex(d->flit.data, text[0]));
	if (!got->valid)
		return true;
	if (r.seen == r.delivered || now <= d->clock)
		return vector_fail(&r.file, "clock %x: %s is delivered", now, hex(got->data, text[0]));
	r.seen++;
	return (got->type == d->flit.type && memcmp(got->data, d->flit.data, 16) == 0) ||
	       vector_fail(&r.file, "clock %x: expected deliver %x %s, got %x %s", d->clock, d->flit.type, hex(d->flit.data, text[0]),
			   got->type, hex(got->data, text[1]));
}

static bool check_events(unsigned now, const struct link_layer_events *e)
{
	unsigned got = (unsigned)e->up << UP | (unsigned)e->resumed << RESUMED | (unsigned)e->lost << LOST |
		       (unsigned)e->ended << ENDED;
	unsigned events = tick_before(now, LINK_LAYER_EVENT)->events;

	return got == events || vector_fail(&r.file, "clock %x: expected events %x, got %x", now - LINK_LAYER_EVENT, events, got);
}

static bool check_errors(unsigned now, const struct link_layer_events *e)
{
	const bool more[ERRORS] = { e->crc, e->sequence, e->protocol, e->version, e->frame_repeated, e->replay };
	const struct tick *tick = tick_before(now, LINK_LAYER_COUNT);

	for (unsigned i = 0; i < ERRORS; i++) {
		r.errors[i] += more[i];
		if (tick->says_errors && r.errors[i] != tick->errors[i])
			return vector_fail(&r.file, "clock %x: errors: number %u is %" PRIx64 ", not %" PRIx64, now - LINK_LAYER_COUNT, i + 1,
					   r.errors[i], tick->errors[i]);
	}
	return true;
}

/* Checks credits the given number of clocks after their line, less those used meanwhile. */
static bool check_reported(unsigned now, unsigned clocks)
{
	const struct tick *tick = tick_before(now, clocks);

	if (!tick->says_credits || clocks != (tick->events & 1u << UP ? STARTED : CREDITS_REPORTED))
		return true;
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++) {
		uint64_t is = r.given[class] - r.used[class];

		for (unsigned i = 1; i < clocks; i++)
			is += tick_before(now, i)->in.pieces[class];
		if (is != tick->credits[class])
			return vector_fail(&r.file, "clock %x: credits: class %u has %" PRIx64 ", not %" PRIx64, now - clocks, class, is,
					   tick->credits[class]);
	}
	return true;
}

static bool check_credits(unsigned now, const struct link_layer_out *out, const struct link_layer_in *in)
{
	if (out->credit)
		r.given[out->credit_class] += out->credit_pieces;
	if (!check_reported(now, CREDITS_REPORTED) || !check_reported(now, STARTED))
		return false;
	for (unsigned class = 0; class < LINK_LAYER_CLASSES; class++) {
		r.used[class] += in->pieces[class];
		if (out->events.ended)
			r.given[class] = r.used[class] = 0;
	}
	return true;
}

static bool run_file(void)
{
	static const struct link_layer_in nothing;

	link_layer_reset(r.dut, &r.settings);
	for (unsigned now = 0; now <= r.last + LATEST + 1; now++) {
		struct link_layer_in in = now <= r.last ? r.ticks[now].in : nothing;
		struct link_layer_out out;
		int ready = tick_before(now, 0)->ready;

		in.out_ready = true;
		link_layer_clock(r.dut, &in, &out);
		if (ready >= 0 && ready != out.ready)
			return vector_fail(&r.file, "clock %x: ready is %d", now, out.ready);
		if (!check_out(now, &out.block) || !check_flit(now, &out.flit) || !check_events(now, &out.events) ||
		    !check_errors(now, &out.events) || !check_credits(now, &out, &in))
			return false;
	}
	return true;
}

static bool run_path(const char *path, const char **skip)
{
	bool good;

	memset(&r, 0, sizeof(r));
	r.dut = link_layer_create(NULL);
	good = vector_open(&r.file, path) && read_file() && (r.other_frames || r.leases || run_file());
	vector_close(&r.file);
	link_layer_destroy(r.dut);
	if (!good)
		printf("# %s\n", r.file.message);
	*skip = r.other_frames ? "another replay buffer size" : r.leases ? "no leases here" : NULL;
	return good;
}

int main(int argc, char **argv)
{
	return vector_run_all("run-link-layer-vectors-rtl", argc, argv, run_path);
}
