// SPDX-License-Identifier: Apache-2.0
/*
 * The registers of block LINK. Random link events, up to all of them in every clock, are also counted here (scoreboard): the
 * registers must read these counts as of the snapshot. Settings are written to the RTL and to the model's card: both must
 * refuse the same values and hold the same settings.
 *
 * test-link-registers [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "link_registers_dut.h"
#include "quiet_card.h"

enum {
	ENTRIES = 1024, /* flits in the cluster queue */
	WORDS = 512,
	KINDS = 11,
	LOOK = 3, /* clocks from selection to register value */
	PATIENCE = 64,
	WRITES = 24 /* settings written per round */
};

#define WORD(name) ((GLK_LINK_##name - GLK_BLOCK_LINK) / 8)

/* Events that count one, over all kinds. */
static const struct {
	unsigned event, word;
} counted[] = {
	{ LINK_FLIT, WORD(FLITS_IN) }, { LINK_OUT, WORD(FLITS_OUT) }, { LINK_PADDED, WORD(FLITS_PADDED) },
	{ LINK_PARENT, WORD(PARENTS) }, { LINK_STITCHED, WORD(STITCHED) }, { LINK_PARTIAL, WORD(PARTIAL) },
	{ LINK_POOLED, WORD(POOLED) }, { LINK_POOL_TIMED_OUT, WORD(POOL_TIMED_OUT) },
	{ LINK_FLIT_RECEIVED, WORD(FLITS_RECEIVED) }, { LINK_FRAME_SENT, WORD(FRAMES_SENT) },
	{ LINK_FRAME_RECEIVED, WORD(FRAMES_RECEIVED) }, { LINK_REPLAY, WORD(REPLAYS) },
	{ LINK_FRAME_REPLAYED, WORD(FRAMES_REPLAYED) }, { LINK_FRAME_REPEATED, WORD(FRAMES_REPEATED) },
	{ LINK_CRC, WORD(CRC_ERRORS) }, { LINK_SEQUENCE, WORD(SEQUENCE_ERRORS) }, { LINK_PROTOCOL, WORD(PROTOCOL_ERRORS) },
	{ LINK_VERSION, WORD(VERSION_ERRORS) }, { LINK_CREDIT_STALL, WORD(CREDIT_STALLS) }, { LINK_DOWN, WORD(DOWNS) },
	{ LINK_STRAY, WORD(STRAYS) }, { LINK_TIMEOUT, WORD(TIMEOUTS) }, { LINK_GIVEN_UP, WORD(TIMEOUTS) },
	{ LINK_SERVED, WORD(SERVED) }, { LINK_DENIED, WORD(DENIED) },
};

static const unsigned settings[] = { WORD(CONTROL), WORD(POOL_CYCLES), WORD(BURST), WORD(TRIM_BYTES), WORD(TIMEOUT_NS) };

static struct {
	struct link_registers_dut *dut;
	struct glk_card *card;
	struct chance chance;
	struct link_registers_in in;
	struct link_registers_out out;
	unsigned often[LINK_EVENTS]; /* per 256 clocks */
	bool most;		     /* maximum simultaneous counts */
	bool was_refused;
	uint64_t counts[WORDS], latched[WORDS];
	uint64_t clocks, reads, writes, refused, snapshots;
	char failure[256];
} t;

static void fail(const char *what, unsigned word, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "clock %" PRIu64 ", word %u: %s: expected %" PRIx64 ", got %" PRIx64, t.clocks, word,
			 what, expected, got);
}

/* --- events --- */

static unsigned amount(unsigned most)
{
	return t.most ? most : below(&t.chance, most + 1);
}

static void make_events(void)
{
	for (unsigned i = 0; i < LINK_EVENTS; i++)
		t.in.events[i] = below(&t.chance, 256) < t.often[i];
	t.in.kind = 1 + below(&t.chance, KINDS);
	t.in.waited_kind = 1 + below(&t.chance, KINDS);
	t.in.waited_clocks = amount(0x7fff);
	t.in.lost = amount(0xffff);
	t.in.trimmed = amount(0x3f);
	t.in.pool_stitched = t.in.events[LINK_STITCHED] ? amount(2) : 0;
}

static void count_events(void)
{
	const struct link_registers_in *in = &t.in;
	const bool *e = in->events;

	for (unsigned i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		t.counts[counted[i].word] += e[counted[i].event];
	t.counts[WORD(POOL_STITCHED)] += in->pool_stitched;
	t.counts[WORD(QUEUE_FULL)] += e[LINK_REFUSED] && !t.was_refused;
	t.was_refused = e[LINK_REFUSED];
	t.counts[WORD(UPS)] += e[LINK_UP] || e[LINK_RESUMED];
	t.counts[WORD(LOST_PACKETS)] += e[LINK_LOST] ? in->lost : 0;
	t.counts[WORD(TRIMMED_BYTES)] += e[LINK_TRIMMED] ? in->trimmed : 0;
	t.counts[WORD(FLITS_READ_REQUEST) + in->kind - 1] += e[LINK_FLIT];
	t.counts[WORD(PACKETS_READ_REQUEST) + in->kind - 1] += e[LINK_FLIT] && e[LINK_PACKET];
	t.counts[WORD(WAITED_READ_REQUEST) + in->waited_kind - 1] += e[LINK_WAITED] ? in->waited_clocks : 0;
}

static void clock_once(void)
{
	make_events();
	if (t.in.snapshot)
		memcpy(t.latched, t.counts, sizeof(t.latched));
	link_registers_dut_clock(t.dut, &t.in, &t.out);
	count_events();
	t.in.snapshot = t.in.take = t.in.clear = false;
	t.clocks++;
}

static void choose_rates(void)
{
	static const unsigned rates[] = { 0, 1, 40, 128, 256 };
	unsigned all = below(&t.chance, 4);

	t.most = all < 2;
	for (unsigned i = 0; i < LINK_EVENTS; i++)
		t.often[i] = all == 0 ? 256 : rates[below(&t.chance, 5)];
}

/* --- the registers --- */

static uint64_t expected_status(void)
{
	return (uint64_t)t.in.up * GLK_LINK_STATUS_UP_MASK | (uint64_t)t.in.session * GLK_LINK_STATUS_SESSION_MASK |
	       (t.in.up ? (uint64_t)t.in.peer_cluster << GLK_LINK_STATUS_PEER_CLUSTER_SHIFT |
				  UINT64_C(1) << GLK_LINK_STATUS_PEER_VERSION_SHIFT |
				  (uint64_t)t.in.peer_compact * GLK_LINK_STATUS_PEER_COMPACT_MASK
			: 0) |
	       (uint64_t)(ENTRIES - t.in.places) << GLK_LINK_STATUS_QUEUED_SHIFT;
}

static uint64_t expected(unsigned word)
{
	if (word == WORD(STATUS))
		return expected_status();
	if (word == WORD(CLUSTER))
		return t.in.cluster;
	if (word == WORD(PEER_SERIAL))
		return t.in.up ? t.in.peer_serial : 0;
	if (word >= WORD(FLITS_IN))
		return t.latched[word];
	return word ? quiet_card_read(t.card, GLK_BLOCK_LINK + 8 * word) : 0; /* HEADER is outside of this RTL block */
}

static void read_register(unsigned word)
{
	t.in.word = word;
	for (unsigned i = 0; i <= LOOK; i++)
		clock_once();
	t.reads++;
	if (t.out.shown != expected(word))
		fail("register", word, expected(word), t.out.shown);
}

static unsigned trim_bytes(unsigned code)
{
	static const unsigned bytes[] = { 16, 4, 8, 32 };

	return bytes[code];
}

static void check_settings(void)
{
	const uint64_t got[] = { t.out.control, t.out.pool_cycles, t.out.burst, trim_bytes(t.out.trim_code), t.out.timeout_ns };

	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (got[i] != quiet_card_read(t.card, GLK_BLOCK_LINK + 8 * settings[i]))
			fail("setting", settings[i], quiet_card_read(t.card, GLK_BLOCK_LINK + 8 * settings[i]), got[i]);
}

static uint64_t some_value(void)
{
	static const uint64_t edges[] = {
		0,	     1,
		4,	     8,
		16,	     32,
		64,	     127,
		128,	     129,
		255,	     256,
		999,	     1000,
		1001,	     10000000000,
		10000000001, UINT64_C(1) << 34,
		5,	     12,
		40,	     UINT64_C(1) << 32,
	};
	uint64_t value = edges[below(&t.chance, sizeof(edges) / sizeof(edges[0]))];

	switch (below(&t.chance, 4)) {
	case 0:
		return below(&t.chance, 256);
	case 1:
		return below(&t.chance, 2) ? value : value | UINT64_C(1) << below(&t.chance, 64);
	case 2:
		return draw(&t.chance) % 20000000000;
	default:
		return value;
	}
}

static void write_register(void)
{
	unsigned word = below(&t.chance, 4) ? settings[below(&t.chance, 5)] : below(&t.chance, 128);
	uint64_t value = some_value();
	bool refused = quiet_card_write(t.card, GLK_BLOCK_LINK + 8 * word, 8, value);

	t.in.word = word;
	t.in.value = value;
	clock_once();
	clock_once();
	t.writes++;
	t.refused += refused;
	if (t.out.allowed == refused)
		fail("value allowed", word, !refused, t.out.allowed);
	t.in.take = t.out.allowed;
	clock_once();
	t.in.value = draw(&t.chance); /* must not change what was or was not accepted */
	clock_once();
	check_settings();
}

static void snapshot(void)
{
	unsigned waited;

	t.in.snapshot = true;
	clock_once();
	for (waited = 0; waited < PATIENCE && !t.out.snapshot_done; waited++)
		clock_once();
	if (waited == PATIENCE)
		fail("clocks until snapshot done", 0, 0, waited);
	t.snapshots++;
}

static void read_all(void)
{
	for (unsigned word = 0; word < 128; word++)
		read_register(word);
	for (unsigned i = 0; i < 16; i++) {
		unsigned word = 128 + below(&t.chance, WORDS - 128);

		read_register(word);
	}
}

static void new_state(void)
{
	t.in.up = below(&t.chance, 2);
	t.in.session = t.in.up || below(&t.chance, 2);
	t.in.cluster = below(&t.chance, 256);
	t.in.peer_cluster = below(&t.chance, 256);
	t.in.peer_compact = below(&t.chance, 2);
	t.in.places = below(&t.chance, ENTRIES + 1);
	t.in.peer_serial = draw(&t.chance);
}

static void power_on(void)
{
	memset(t.often, 0, sizeof(t.often));
	clock_once();
	clock_once();
	link_registers_dut_reset(t.dut);
	memset(t.counts, 0, sizeof(t.counts));
	memset(t.latched, 0, sizeof(t.latched));
	glk_card_register_write(t.card, GLK_CARD_CONTROL, 8, GLK_CARD_CONTROL_RESET_MASK);
	read_all();
}

static void one_round(void)
{
	if (below(&t.chance, 32) == 0)
		power_on();
	choose_rates();
	new_state();
	for (unsigned clocks = below(&t.chance, 200); clocks; clocks--)
		clock_once();
	if (below(&t.chance, 4) == 0) {
		t.in.clear = true;
		clock_once();
		glk_card_register_write(t.card, GLK_CARD_CONTROL, 8, GLK_CARD_CONTROL_RESET_MASK);
		clock_once();
		check_settings();
	}
	for (unsigned i = 0; i < WRITES; i++)
		write_register();
	snapshot();
	read_all();
	for (unsigned again = below(&t.chance, 3); again; again--) /* back to back */
		snapshot();
	read_all();
}

/* --- the event output --- */

/* Whether an event is reported one clock later. */
static bool changes(unsigned event)
{
	memset(t.often, 0, sizeof(t.often));
	t.often[event] = 256;
	clock_once();
	t.often[event] = 0;
	clock_once();
	return t.out.changed;
}

static void expect_change(const char *what, unsigned event, bool reported)
{
	if (changes(event) != reported)
		fail(what, event, reported, !reported);
}

static void events(void)
{
	memset(t.often, 0, sizeof(t.often));
	clock_once();
	expect_change("event reported: up", LINK_UP, true);
	t.in.up = true;
	expect_change("event reported: down", LINK_DOWN, true);
	expect_change("event reported: resumed", LINK_RESUMED, true);
	expect_change("event reported: CRC error", LINK_CRC, false);
	t.in.clear = true;
	clock_once();
	glk_card_register_write(t.card, GLK_CARD_CONTROL, 8, GLK_CARD_CONTROL_RESET_MASK);
	t.in.up = false;
	clock_once();
	expect_change("event reported: down by a reset", LINK_DOWN, false);
	expect_change("event reported: up after a reset", LINK_UP, true);
	t.in.up = true;
	expect_change("event reported: down after that", LINK_DOWN, true);
	t.in.up = false;
	t.in.clear = true;
	clock_once();
	glk_card_register_write(t.card, GLK_CARD_CONTROL, 8, GLK_CARD_CONTROL_RESET_MASK);
	expect_change("event reported: down after a reset while down", LINK_DOWN, true);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 1000);
	struct glk_card_config config;

	chance_start(&t.chance, o.seed, o.first);
	quiet_card_config(&config, true);
	t.card = quiet_card_create(&config);
	t.dut = link_registers_dut_create(o.wave);
	read_all(); /* power-on values */
	events();
	for (uint64_t i = 0; i < o.amount && !t.failure[0]; i++)
		one_round();
	printf("# seed %" PRIu64 ": %" PRIu64 " clocks, %" PRIu64 " snapshots, %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64 " refused\n", o.seed,
	       t.clocks, t.snapshots, t.reads, t.writes, t.refused);
	if (t.failure[0])
		bench_reproduce(&o, o.first, t.failure);
	check(!t.failure[0], "counters match the injected events, settings match the model");
	link_registers_dut_destroy(t.dut);
	glk_card_destroy(t.card);
	return tap_end();
}
