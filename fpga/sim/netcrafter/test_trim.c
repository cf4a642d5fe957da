// SPDX-License-Identifier: Apache-2.0
/*
 * Trimming: all values of the 16 bits above a read request's offset, those with trimming requested several times with different
 * lines, and failed requests. The responses of the Verilated glk_trim must match the model (netcrafter/trim.c).
 *
 * test-trim [--seed N] [--round N] [--wave FILE] [--rates]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <chance.h>
#include <netcrafter/flit.h>
#include <netcrafter/trim.h>
#include <tap.h>

#include "trim_dut.h"

enum { AHEAD = 16, TIMES = 64, PATIENCE = 1000 };

#define ASKED_BITS  0x7fu /* trim, size, sector */
#define ASKED_SHIFT 48u

struct response {
	size_t length;
	uint8_t bytes[GLK_LINK_HEADER_BYTES + GLK_LINK_LINE_BYTES + GLK_FLIT_BYTES];
};

static struct {
	struct trim_dut *dut;
	struct chance chance;
	struct response expected[AHEAD];
	unsigned made, seen, gap;
	size_t at; /* bytes of the current response */
	uint64_t clocks, flits, trimmed, expected_trimmed;
	char failure[256];
} t;

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "response %u, clock %" PRIu64 ": %s: expected %" PRIu64 ", got %" PRIu64, t.seen,
			 t.clocks, what, expected, got);
}

static void expect(const struct trim_in *in)
{
	struct response *r = &t.expected[t.made++ % AHEAD];
	struct glk_link_header header = { .kind = GLK_KIND_READ_RESPONSE, .tag = (uint16_t)in->tag };
	struct glk_sector sector = { 0 };

	header.partition = (uint8_t)in->status;
	if (in->status == GLK_LINK_DONE) {
		bool good = glk_trim_asked((uint64_t)in->asked << ASKED_SHIFT, &sector);

		if (!good)
			sector.bytes = 0;
		header.partition = good ? (uint8_t)glk_trim_status(sector.bytes) : GLK_LINK_REFUSED;
		t.expected_trimmed += good ? GLK_LINK_LINE_BYTES - sector.bytes : 0;
	}
	memset(r->bytes, 0, sizeof(r->bytes));
	glk_link_header_put(r->bytes, &header);
	memcpy(r->bytes + GLK_LINK_HEADER_BYTES, in->line + sector.first, sector.bytes);
	r->length = GLK_LINK_HEADER_BYTES + sector.bytes;
	if (r->length != glk_link_packet_bytes(GLK_KIND_READ_RESPONSE, r->bytes))
		fail("length in the header", r->length, 0);
}

static void check_response(const struct trim_out *out)
{
	const struct response *r = &t.expected[t.seen % AHEAD];

	if (t.seen == t.made) {
		fail("unexpected response", 0, 1);
		return;
	}
	for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
		if (out->data[i] != r->bytes[t.at + i])
			fail("flit data", r->bytes[t.at + i], out->data[i]);
	t.at += GLK_FLIT_BYTES;
	t.flits++;
	if (out->last != (t.at >= r->length))
		fail("last flit", t.at >= r->length, out->last);
	if (!out->last && t.at < r->length)
		return;
	t.at = 0;
	t.seen++;
}

static bool clock_once(struct trim_in *in)
{
	struct trim_out out;

	in->out_ready = below(&t.chance, 256) >= t.gap;
	trim_dut_clock(t.dut, in, &out);
	t.clocks++;
	t.trimmed += out.trimmed ? out.bytes : 0;
	if (out.valid && in->out_ready)
		check_response(&out);
	return in->valid && out.in_ready;
}

static void ask(unsigned asked, unsigned status)
{
	struct trim_in in = { .asked = asked, .status = status, .tag = below(&t.chance, 65536), .valid = true };

	for (unsigned i = 0; i < GLK_LINK_LINE_BYTES; i++)
		in.line[i] = (uint8_t)draw(&t.chance);
	expect(&in);
	for (unsigned waited = 0; !clock_once(&in) && !t.failure[0]; waited++)
		if (waited > PATIENCE)
			fail("clocks until the request is accepted", 0, waited);
}

static void settle(void)
{
	struct trim_in none = { .valid = false };

	for (unsigned i = 0; i < PATIENCE && (t.seen < t.made || i < 8) && !t.failure[0]; i++)
		clock_once(&none);
	if (t.seen != t.made)
		fail("responses", t.made, t.seen);
	if (t.trimmed != t.expected_trimmed)
		fail("trimmed bytes", t.expected_trimmed, t.trimmed);
}

static void run(void)
{
	static const unsigned gaps[] = { 0, 16, 128, 230 };

	for (unsigned asked = 0; asked < 65536 && !t.failure[0]; asked++) {
		t.gap = gaps[asked / 256 % 4];
		ask(asked, GLK_LINK_DONE);
	}
	for (unsigned i = 0; i < TIMES * (ASKED_BITS + 1) && !t.failure[0]; i++) {
		t.gap = gaps[i / 256 % 4];
		ask(i & ASKED_BITS & (below(&t.chance, 4) ? ASKED_BITS : 0),
		    below(&t.chance, 4) ? GLK_LINK_DONE : 1 + below(&t.chance, 2));
	}
	settle();
}

static void report_rates(void)
{
	static const unsigned asked[] = { 0x3, 0x1, 0x7, 0x0 };

	for (unsigned i = 0; i < 4; i++) {
		uint64_t clocks = t.clocks, flits = t.flits;

		t.gap = 0;
		for (unsigned n = 0; n < 1000; n++)
			ask(asked[i], GLK_LINK_DONE);
		printf("# rate: asked %x: %.3f flits per clock\n", asked[i], (double)(t.flits - flits) / (double)(t.clocks - clocks));
		settle();
	}
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, NULL, 0);

	chance_start(&t.chance, o.seed, o.first);
	t.dut = trim_dut_create(o.wave);
	if (o.rates)
		report_rates();
	run();
	printf("# seed %" PRIu64 ": %u responses, %" PRIu64 " flits, %" PRIu64 " bytes trimmed\n", o.seed, t.seen, t.flits, t.trimmed);
	if (t.failure[0])
		bench_reproduce(&o, o.first, t.failure);
	check(!t.failure[0], "responses hold the requested sector");
	trim_dut_destroy(t.dut);
	return tap_end();
}
