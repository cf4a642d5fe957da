// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of the FinePack transmitter: the model's partitions and the Verilated glk_finepack_tx get the same
 * stores, flushes and probes. Packets and their order, flush reasons, runs, payload and overwritten bytes must match; a token
 * returns directly after the flushes that the model had made when it was given; when the RTL is idle, its reported queue state
 * is the model's. Constrained random: each round draws settings, address pattern and back-pressure from the seed. In half of
 * the rounds both are reset in the middle of other traffic first. With at least as many stores as by default, packets in the
 * compact form must occur with and without repetitions, with every unit, with as many runs as possible, and packets that keep
 * their sub-headers or are single runs.
 *
 * lockstep-finepack-tx-* [--seed N] [--stores N] [--round N] [--wave FILE] [--rates]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <finepack/partition.h>
#include <tap.h>

#include "finepack_tx_dut.h"
#include "packet_form.h"

enum { STORE, FLUSH, PROBE, CONFIG };
#define PARTITIONS_MAX 16u
#define EXPECTED_MAX   4096u
#define TOKENS_MAX     64u /* in flight */
#define FRAMING	       8u  /* bytes of a packet on the wire besides those of the transmitter */

struct expected {
	uint8_t packet[GLK_PACKET_ROOM];
	size_t bytes;
	unsigned partition, reason;
	struct packet_form form;
};

struct sent_token {
	unsigned token;
	uint64_t made; /* flushes due before it */
};

static struct {
	struct tx_dut *dut;
	struct glk_partition model[PARTITIONS_MAX];
	struct expected *expected; /* a ring */
	uint64_t made, checked;	   /* packets */
	uint64_t reported;		   /* packets whose event was seen */
	uint64_t flushed;	   /* flushes reported up to the previous clock */
	uint64_t first_generation; /* of a queue that has not been flushed */
	struct sent_token tokens[TOKENS_MAX]; /* a ring */
	uint64_t tokens_given, tokens_back;
	uint8_t beat[GLK_PACKET_ROOM + DUT_BEAT_MAX];
	size_t got; /* bytes of the current packet */
	uint64_t overwritten[PARTITIONS_MAX], wire[PARTITIONS_MAX]; /* bytes */
	struct chance chance;
	unsigned in_gap, out_gap; /* probability of input gaps and of back-pressure, in 1/256 */
	uint64_t clocks, reset_at;
	struct tx_out out; /* of the previous clock */
	char failure[256];
} t;

static struct packet_forms forms; /* of all packets that were compared */

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "packet %" PRIu64 ", clock %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64,
			 t.checked, t.clocks, what, expected, got);
}

/* Until a failure, or until the reset comes. */
static bool going(void)
{
	return !t.failure[0] && (!t.reset_at || t.clocks < t.reset_at);
}

static void on_packet(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	const struct glk_partition *partition = user;
	struct expected *e = &t.expected[t.made++ % EXPECTED_MAX];

	memcpy(e->packet, packet, length);
	e->bytes = length;
	e->partition = (unsigned)(partition - t.model);
	e->reason = reason;
	packet_form_find(&e->form, packet, partition->queue.subheader_bytes, partition->packing && partition->compact);
}

/* Flushes of the model; one may make several packets. */
static uint64_t flushes(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PARTITIONS_MAX; i++)
		sum += t.model[i].queue.generation - t.first_generation;
	return sum;
}

static void check_packet(void)
{
	const struct expected *e = &t.expected[t.checked % EXPECTED_MAX];

	if (t.checked == t.made) {
		fail("unexpected packet, bytes", 0, t.got);
		return;
	}
	if (e->bytes != t.got)
		fail("packet bytes", e->bytes, t.got);
	for (size_t i = 0; i < e->bytes && i < t.got && !t.failure[0]; i++)
		if (e->packet[i] != t.beat[i]) {
			fprintf(stderr, "# byte %zu of %zu, partition %u, reason %u\n", i, e->bytes, e->partition, e->reason);
			fail("packet data", e->packet[i], t.beat[i]);
		}
	t.wire[e->partition] += t.got + FRAMING;
	packet_forms_count(&forms, &e->form);
	t.checked++;
	t.got = 0;
}

static void check_event(const struct tx_out *out)
{
	const struct expected *e = &t.expected[t.reported % EXPECTED_MAX];

	if (t.reported == t.made) {
		fail("unexpected flush, reason", 0, out->reason);
		return;
	}
	if (e->partition != out->packet_partition)
		fail("flush partition", e->partition, out->packet_partition);
	if (e->reason != out->reason)
		fail("flush reason", e->reason, out->reason);
	if (e->form.payload != out->payload)
		fail("flush payload", e->form.payload, out->payload);
	if (e->form.runs != out->runs)
		fail("flush runs", e->form.runs, out->runs);
	t.reported++;
}

static void check_token(unsigned token)
{
	const struct sent_token *e = &t.tokens[t.tokens_back % TOKENS_MAX];

	if (t.tokens_back == t.tokens_given) {
		fail("unexpected token", 0, token);
		return;
	}
	if (e->token != token)
		fail("token", e->token, token);
	if (e->made != t.flushed)
		fail("flushes before a token", e->made, t.flushed);
	t.tokens_back++;
}

/* One clock; true if the input was accepted. */
static bool clock_once(struct tx_in *in)
{
	struct tx_out out;

	in->out_ready = below(&t.chance, 256) >= t.out_gap;
	tx_dut_clock(t.dut, in, &out);
	t.clocks++;
	if (out.overwrite)
		t.overwritten[out.overwrite_partition] += out.overwritten;
	if (out.packet)
		check_event(&out);
	if (out.token)
		check_token(out.token);
	t.flushed += out.flush;
	t.out = out;
	if (out.valid && in->out_ready) {
		if (out.bytes % 4 || out.bytes > tx_dut_lanes() || (!out.last && out.bytes != tx_dut_lanes()) ||
		    t.got + out.bytes > GLK_PACKET_BYTES_MAX) {
			fail("beat bytes", tx_dut_lanes(), out.bytes);
		} else {
			memcpy(t.beat + t.got, out.data, out.bytes);
			t.got += out.bytes;
		}
		if (out.last)
			check_packet();
	}
	return in->valid && out.in_ready;
}

/* Waits until the RTL is idle, and checks its queue state in the same clock. */
static void check_queues(void)
{
	struct tx_in none = { 0 };
	uint64_t stores = 0;
	unsigned waited = 0;

	do {
		clock_once(&none);
		if (++waited > 100000)
			fail("clocks until idle", 0, waited);
	} while (!t.out.idle && going());
	if (!going())
		return;
	if (t.tokens_back != t.tokens_given)
		fail("tokens returned", t.tokens_given, t.tokens_back);
	if (t.flushed != flushes())
		fail("flushes", flushes(), t.flushed);
	for (unsigned i = 0; i < tx_dut_partitions(); i++) {
		stores += t.model[i].queue.stores;
		if (((t.out.holds >> i) & 1) != (t.model[i].queue.used != 0))
			fail("partition not empty", t.model[i].queue.used != 0, (t.out.holds >> i) & 1);
	}
	if (t.out.queued_stores != stores)
		fail("queued stores", stores, t.out.queued_stores);
	for (unsigned i = 0; i < tx_dut_partitions(); i++) {
		none.look_partition = i;
		for (unsigned clocks = 0; clocks < 3; clocks++)
			clock_once(&none);
		if (t.out.look_entries != t.model[i].queue.used)
			fail("entries", t.model[i].queue.used, t.out.look_entries);
		if (t.out.look_payload != t.model[i].queue.payload_bytes)
			fail("payload", t.model[i].queue.payload_bytes, t.out.look_payload);
	}
}

static bool wait_idle(void)
{
	struct tx_in none = { 0 };
	struct tx_out out;
	unsigned clocks = 0, quiet = 0;

	while (quiet < 4 && clocks < 200000 && !t.failure[0]) {
		none.valid = false;
		clock_once(&none);
		clocks++;
		quiet = t.checked == t.made && t.reported == t.made ? quiet + 1 : 0;
		if (quiet == 4) { /* and no item is in flight */
			tx_dut_clock(t.dut, &none, &out);
			if (out.valid)
				fail("beat without packet, bytes", 0, out.bytes);
			if (!out.idle)
				quiet = 0;
		}
	}
	if (quiet < 4)
		fail("packets completed", t.made, t.checked);
	return !t.failure[0];
}

/* Drives one item, all of its beats. */
static void give(struct tx_in *in, const uint8_t *data)
{
	unsigned lanes = tx_dut_lanes(), at = (unsigned)(in->address % lanes), left = in->kind == STORE ? in->length : 1;

	while (left && going()) {
		unsigned part = left < lanes - at ? left : lanes - at;
		unsigned waited = 0;

		for (unsigned i = 0; i < lanes; i++)
			in->data[i] = (uint8_t)draw(&t.chance); /* unused lanes hold random data */
		if (in->kind == STORE)
			memcpy(in->data + at, data, part);
		while (below(&t.chance, 256) < t.in_gap) {
			in->valid = false;
			clock_once(in);
		}
		in->valid = true;
		while (!clock_once(in) && going())
			if (++waited > 100000)
				fail("clocks of input back-pressure", 0, waited);
		data += part;
		left -= part;
		at = 0;
	}
	in->valid = false;
}

static void do_store(unsigned partition, uint64_t offset, unsigned length, unsigned context)
{
	struct tx_in in = { .kind = STORE, .partition = partition, .address = offset, .length = length, .context = context };
	uint8_t data[4096];

	for (unsigned i = 0; i < length; i++)
		data[i] = (uint8_t)(draw(&t.chance) >> 24);
	glk_partition_store(&t.model[partition], glk_link_address(partition, offset), data, length, context, 0);
	give(&in, data);
}

/* Drives an item that the model has processed, with or without a token. */
static void give_token(struct tx_in *in)
{
	in->token = below(&t.chance, 4);
	if (in->token)
		t.tokens[t.tokens_given++ % TOKENS_MAX] = (struct sent_token){ in->token, flushes() };
	give(in, NULL);
}

static void do_flush(unsigned partition, unsigned reason)
{
	struct tx_in in = { .kind = FLUSH, .partition = partition, .reason = reason };

	glk_partition_flush(&t.model[partition], reason);
	give_token(&in);
}

static void do_flush_owned(unsigned partition, unsigned context)
{
	struct tx_in in = {
		.kind = FLUSH, .partition = partition, .reason = GLK_FLUSH_RELEASE, .owned = true, .context = context
	};

	glk_partition_flush_owned(&t.model[partition], context, GLK_FLUSH_RELEASE);
	give_token(&in);
}

/* Zero-length probes included: they hit nothing. */
static void do_probe(unsigned partition, uint64_t offset, unsigned length)
{
	struct tx_in in = {
		.kind = PROBE, .partition = partition, .address = offset, .length = length, .reason = GLK_FLUSH_LOAD_HIT,
	};

	if (length)
		glk_partition_flush_hit(&t.model[partition], glk_link_address(partition, offset), length, GLK_FLUSH_LOAD_HIT);
	give_token(&in);
}

/* --- rounds --- */

enum { RANDOM, SEQUENTIAL, FEW_LINES, WINDOW_EDGES, STRIDED, ELEMENTS, STRIDES, SHAPES, LINES, BLOCKS, PATTERNS };
#define SHAPES_MAX 4u

struct pattern {
	unsigned partitions;
	unsigned kind;
	unsigned span_shift;
	unsigned length_max;
	unsigned element;	      /* bytes of ELEMENTS and STRIDES */
	unsigned shapes;	      /* that STRIDES and SHAPES alternate between */
	unsigned gap[SHAPES_MAX], length[SHAPES_MAX];
	uint64_t at[PARTITIONS_MAX];
};

/* All but partitions and longest store. */
static void draw_pattern(struct pattern *p)
{
	static const unsigned elements[] = { 1, 2, 4, 8, 12 };

	p->kind = below(&t.chance, PATTERNS);
	p->span_shift = 7 + below(&t.chance, 40);
	p->element = elements[below(&t.chance, 5)];
	p->shapes = 1 + below(&t.chance, SHAPES_MAX);
	for (unsigned i = 0; i < SHAPES_MAX; i++) {
		p->gap[i] = 1 + below(&t.chance, below(&t.chance, 2) ? 8 : 300);
		p->length[i] = 1 + below(&t.chance, 24);
		if (p->kind == STRIDES) {
			p->gap[i] *= p->element;
			p->length[i] = p->element;
		}
	}
	for (unsigned i = 0; i < PARTITIONS_MAX; i++) {
		p->at[i] = draw(&t.chance) & 0xffffffffffff;
		if (p->kind == STRIDES)
			p->at[i] -= p->at[i] % 24; /* all elements divide that */
	}
}

/* *length: drawn before, unless the pattern has its own. */
static uint64_t draw_address(struct pattern *p, unsigned partition, unsigned *length, unsigned h)
{
	uint64_t span = UINT64_C(1) << p->span_shift, range = glk_subheader_range(h), mask = (UINT64_C(1) << 48) - 4097,
		 address;
	unsigned shape;

	switch (p->kind) {
	case SEQUENTIAL:
		p->at[partition] += *length;
		return p->at[partition] & mask;
	case FEW_LINES:
		return (UINT64_C(0x123456780) + below(&t.chance, 8 * 128)) & mask;
	case WINDOW_EDGES:
		return ((1 + below(&t.chance, 3)) * range - below(&t.chance, 160)) & mask;
	case STRIDED:
		p->at[partition] += 264;
		return p->at[partition] & mask;
	case ELEMENTS:
		*length = p->element;
		return (draw(&t.chance) % span) / p->element * p->element & mask;
	case STRIDES:
	case SHAPES:
		shape = below(&t.chance, p->shapes);
		*length = p->length[shape];
		address = p->at[partition] % mask + p->gap[shape];
		p->at[partition] = address + *length;
		return address;
	case BLOCKS: /* few and long, in one window: sub-headers may take less */
		*length = 150 + below(&t.chance, 500);
		return range + draw(&t.chance) % (range - *length % range);
	case LINES:
		*length = GLK_LINE_BYTES;
		return draw(&t.chance) % span / GLK_LINE_BYTES * GLK_LINE_BYTES & mask;
	default:
		return (draw(&t.chance) % span) & mask;
	}
}

static void set_config(unsigned partition, const struct tx_config *c)
{
	struct glk_partition *m = &t.model[partition];

	do_flush(partition, GLK_FLUSH_CONFIG); /* as the card's registers do, ahead of a change */
	check_queues();
	glk_partition_set(m, GLK_PARTITION_SUBHEADER_BYTES, c->subheader_bytes);
	glk_partition_set(m, GLK_PARTITION_MAX_PAYLOAD_BYTES, c->max_payload_bytes);
	glk_partition_set(m, GLK_PARTITION_MODE,
			  (c->coalesce ? GLK_PARTITION_MODE_COALESCE_MASK : 0) |
				  (c->self_describe ? GLK_PARTITION_MODE_SELF_DESCRIBE_MASK : 0) |
				  (c->packing ? GLK_PARTITION_MODE_PACKING_MASK : 0) |
				  (c->compact ? GLK_PARTITION_MODE_COMPACT_MASK : 0));
	tx_dut_configure(t.dut, partition, c);
}

static void configure(unsigned partition)
{
	static const unsigned limits[] = { 128, 256, 512, 1024, 2048, 4096 };
	struct tx_config c = {
		.subheader_bytes = 2 + below(&t.chance, 5),
		.max_payload_bytes = limits[below(&t.chance, 6)],
		.coalesce = below(&t.chance, 16) != 0,
		.self_describe = below(&t.chance, 4) != 0,
		.packing = below(&t.chance, 4) != 0,
		.compact = below(&t.chance, 3) != 0,
	};

	set_config(partition, &c);
}

/* Bytes on the wire less than the most that packing may take: those of plain writes, and a header where entries that are full
 * cut a store (docs/wire-format.md, "Packing"). */
static int64_t saved(unsigned partition)
{
	const uint64_t *value = t.model[partition].counters.value;

	return (int64_t)(value[GLK_PARTITION_COUNTER(RAW_WIRE_BYTES)] +
			 GLK_TLP_OVERHEAD_BYTES * value[glk_flush_counter(GLK_FLUSH_ENTRIES_FULL)]) -
	       (int64_t)t.wire[partition];
}

/* `before`: what each partition had saved when its settings began. */
static void check_cost(const int64_t *before, unsigned partitions)
{
	for (unsigned i = 0; i < partitions; i++)
		if (t.model[i].packing && t.model[i].coalesce && t.model[i].queue.subheader_bytes > 2 && saved(i) < before[i])
			fail("bytes on the wire, beyond those of plain writes", 0, (uint64_t)(before[i] - saved(i)));
}

/* More runs than a packet may have, of a byte or two. */
static void run_short_runs(void)
{
	const struct tx_config c = { 3 + below(&t.chance, 4), 4096, true, true, true, true };
	uint64_t address = draw(&t.chance) % (UINT64_C(1) << 40);

	set_config(0, &c);
	for (unsigned i = 0; i < 600 && going(); i++) {
		do_store(0, address, 1 + below(&t.chance, 2), 0);
		address += 3 + below(&t.chance, 6);
	}
	do_flush(0, GLK_FLUSH_DRAIN);
	check_queues();
	wait_idle();
}

static void run_traffic(uint64_t stores)
{
	static const unsigned gaps[] = { 0, 0, 16, 128, 230 }, lengths[] = { 4, 8, 16, 32, 64, 200, 4096 };
	struct pattern p = {
		.partitions = 1 + below(&t.chance, tx_dut_partitions()),
		.length_max = lengths[below(&t.chance, 7)],
	};
	bool vary = below(&t.chance, 2);
	int64_t before[PARTITIONS_MAX];
	unsigned h, contexts = 1 + below(&t.chance, tx_dut_contexts());

	draw_pattern(&p);
	t.in_gap = gaps[below(&t.chance, 5)];
	t.out_gap = gaps[below(&t.chance, 5)];
	if (p.length_max > 200 && stores > 200)
		stores = 200; /* they take many beats */
	for (unsigned i = 0; i < p.partitions; i++) {
		configure(i);
		before[i] = saved(i);
	}
	for (uint64_t i = 0; i < stores && going(); i++) {
		unsigned partition = below(&t.chance, p.partitions), length = 1 + below(&t.chance, p.length_max),
			 what = below(&t.chance, 256);
		uint64_t address;

		h = t.model[partition].queue.subheader_bytes;
		address = draw_address(&p, partition, &length, h);
		if (what == 0)
			do_flush(partition, below(&t.chance, 2) ? GLK_FLUSH_RELEASE : GLK_FLUSH_TIMEOUT);
		else if (what < 4)
			do_probe(partition, address, length);
		else if (what < 7)
			do_flush_owned(partition, below(&t.chance, tx_dut_contexts()));
		else if (what == 7)
			do_probe(partition, address, 0);
		else if (what == 8)
			check_queues();
		else if (what == 9 && vary)
			draw_pattern(&p);
		else
			do_store(partition, address, length, below(&t.chance, contexts));
	}
	for (unsigned i = 0; i < p.partitions && going(); i++)
		do_flush(i, GLK_FLUSH_DRAIN);
	if (t.reset_at)
		return;
	check_queues();
	wait_idle();
	for (unsigned i = 0; i < PARTITIONS_MAX && !t.failure[0]; i++)
		if (t.overwritten[i] != t.model[i].counters.value[GLK_PARTITION_COUNTER(OVERWRITTEN_BYTES)])
			fail("overwritten bytes", t.model[i].counters.value[GLK_PARTITION_COUNTER(OVERWRITTEN_BYTES)], t.overwritten[i]);
	check_cost(before, p.partitions);
}

/* The model and the checks as after a reset. */
static void begin(struct tx_dut *dut, struct expected *expected, struct chance chance)
{
	memset(&t, 0, sizeof(t));
	t.dut = dut;
	t.expected = expected;
	t.chance = chance;
	for (unsigned i = 0; i < PARTITIONS_MAX; i++)
		glk_partition_init(&t.model[i], tx_dut_entries(), on_packet, &t.model[i]);
	t.first_generation = t.model[0].queue.generation;
}

static void start(uint64_t seed, uint64_t round, const char *wave)
{
	struct expected *expected = t.expected ? t.expected : calloc(EXPECTED_MAX, sizeof(*expected));
	struct chance chance;

	if (!expected)
		abort();
	if (t.dut)
		tx_dut_destroy(t.dut);
	chance_start(&chance, seed, round);
	begin(tx_dut_create(wave), expected, chance);
}

static void run_round(uint64_t stores)
{
	if (below(&t.chance, 2)) {
		t.reset_at = 1 + below(&t.chance, 2000);
		run_traffic(stores);
		if (t.failure[0])
			return;
		tx_dut_reset(t.dut);
		begin(t.dut, t.expected, t.chance);
	}
	if (below(&t.chance, 2))
		run_short_runs();
	run_traffic(stores);
}

/* End-to-end stores per clock, for the report: no gaps and no back-pressure besides the card's. */
static void report_rate(const char *name, unsigned kind, unsigned length, unsigned mode)
{
	static const char *const modes[] = { "", "packing", "compact" }; /* each with those before it */
	const struct tx_config c = { 5, 4096, true, true, mode > 0, mode > 1 };
	struct pattern p = { .partitions = 1, .kind = kind, .span_shift = 26, .length_max = length };
	const unsigned stores = 20000;

	start(1, 0, NULL);
	set_config(0, &c);
	for (unsigned i = 0; i < stores && !t.failure[0]; i++) {
		uint64_t address = draw_address(&p, 0, &length, 5);

		do_store(0, address & ~(uint64_t)(length - 1), length, 0);
	}
	printf("# rate: %2u bytes, %-10s %-8s %.3f stores per clock, %.1f stores per packet%s%s\n", length, name,
	       modes[mode], (double)stores / (double)t.clocks,
	       (double)stores / (double)(t.made ? t.made : 1), t.failure[0] ? " " : "", t.failure);
}

static void report_rates(void)
{
	static const unsigned lengths[] = { 4, 8, 16, 32, 64 };

	for (unsigned i = 0; i < 5; i++)
		for (unsigned mode = 0; mode < 3; mode++) {
			report_rate("random", RANDOM, lengths[i], mode);
			report_rate("sequential", SEQUENTIAL, lengths[i], mode);
			report_rate("strided", STRIDED, lengths[i], mode);
			report_rate("few lines", FEW_LINES, lengths[i], mode);
		}
}

int main(int argc, char **argv)
{
	enum { STORES = 200000 };
	const struct bench_options o = bench_options(argc, argv, "stores", STORES);
	uint64_t done = 0, round = o.first, clocks = 0, packets = 0;
	bool all_forms;

	printf("# seed %" PRIu64 ", %u partitions, %u entries, %u contexts, %u bytes per beat\n", o.seed, tx_dut_partitions(),
	       tx_dut_entries(), tx_dut_contexts(), tx_dut_lanes());
	if (o.rates)
		report_rates();
	do {
		start(o.seed, round, o.wave);
		run_round(4000);
		for (unsigned i = 0; i < PARTITIONS_MAX; i++)
			done += t.model[i].counters.value[GLK_PARTITION_COUNTER(STORES)];
		clocks += t.clocks;
		packets += t.checked;
		round++;
	} while (done < o.amount && !t.failure[0] && !o.one);
	printf("# %" PRIu64 " rounds, %" PRIu64 " stores, %" PRIu64 " packets, %" PRIu64 " clocks\n", round, done, packets, clocks);
	all_forms = packet_forms_report(&forms) || o.one || o.amount < STORES;
	if (t.failure[0])
		bench_reproduce(&o, round - 1, t.failure);
	check(!t.failure[0], "model and RTL send the same packets");
	check(all_forms, "packets of all forms");
	tx_dut_destroy(t.dut);
	free(t.expected);
	return tap_end();
}
