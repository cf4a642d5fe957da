// SPDX-License-Identifier: Apache-2.0
/*
 * Reads of the card through glk_pcie_us, with a host that answers late or no longer:
 *
 *  - rates of split reads: parts of several reads must be in flight at once;
 *  - function-level resets while reads are outstanding and the host is silent: every read is answered once within the limit,
 * with an error unless it had ended. The host completes some of them much later, with wrong data, while the card reads again:
 * no new read may get these data, and no tag may be used again before;
 *  - completions in flight: never more than the hard block has room for, and as many after all that.
 *
 * test-pcie-reads [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>

#include <tap.h>

#include "pcie_packet.h"
#include "pcie_us_dut.h"

#define TAGS	   64u
#define FLUSH_TAGS 16u
#define RING_TAGS  32u /* and all above */
#define READ_BYTES 512u
#define REQUESTS   64u
#define CLOCKS_MAX 400000u
#define HEADERS	   128u /* of completions, for which the hard block has room (PG213, "Completion Space") */

struct request { /* at the host */
	unsigned tag, dw_left;
	uint64_t dw_at, due, from;
	unsigned bytes;
	bool begun, stale; /* stale: of a read that has failed */
};

static struct {
	struct us_dut *dut;
	struct us_in in;
	struct pcie_bench bench;
	struct {
		bool used;
		uint64_t from;
		unsigned bytes, lines;
	} reads[TAGS]; /* of the card */
	struct request requests[REQUESTS];
	unsigned request_count, latency;
	bool silent, credit, flr_done;
	struct pcie_packet rc;
	bool rc_full;
	uint64_t credit_until; /* and some clocks in which the card learns it */
	uint64_t usable_at[TAGS]; /* after a request that never ends */
	uint64_t asked, done, failed;
	unsigned flight_most, headers_most;
} t;

static struct {
	uint64_t reads, failed, late, forgotten;
} happened;

static unsigned under(unsigned n)
{
	return below(&t.bench.chance, n);
}

static uint8_t byte_at(uint64_t address)
{
	return (uint8_t)(((address ^ 0x5851f42d4c957f2d) * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

/* --- the host --- */

/* The completions that may still come for a request, if the host cuts it at all multiples of 64 bytes. */
static unsigned completions_of(const struct request *r)
{
	return (unsigned)((r->dw_at + r->dw_left - 1) / 16 - r->dw_at / 16 + 1);
}

static unsigned completions_in_flight(void)
{
	unsigned headers = t.rc_full;

	for (unsigned i = 0; i < t.request_count; i++)
		headers += completions_of(&t.requests[i]);
	return headers;
}

/* The hard block grants the link unlimited credit for completions, so the card must not ask for more than it has room for. */
static void check_room(void)
{
	unsigned headers = completions_in_flight();

	if (headers > HEADERS)
		pcie_fail(&t.bench, "completions in flight", HEADERS, headers);
	if (headers > t.headers_most)
		t.headers_most = headers;
}

static void rq_beat(const struct pcie_axis *s)
{
	uint32_t dw[4];
	struct request *r;
	unsigned tag, first_be = pcie_bits_get(s->user, 0, 4),
		      last_be = pcie_bits_get(s->user, pcie_sideband(&t.bench)->last_be, 4);

	memcpy(dw, s->data, sizeof(dw));
	tag = dw[3] & 0xff;
	if ((dw[2] >> 11 & 15) != MEM_READ || tag >= (t.in.block.ext_tag ? TAGS : 32) || t.request_count == REQUESTS) {
		pcie_fail(&t.bench, "read request", MEM_READ, tag);
		return;
	}
	for (unsigned i = 0; i < t.request_count; i++)
		if (t.requests[i].tag == tag)
			pcie_fail(&t.bench, "tag in use", t.requests[i].stale, tag);
	if (t.bench.clocks < t.usable_at[tag])
		pcie_fail(&t.bench, "tag used again too early", t.usable_at[tag], t.bench.clocks);
	if (!t.credit && t.bench.clocks > t.credit_until)
		pcie_fail(&t.bench, "read sent without credit", t.credit_until, t.bench.clocks);
	r = &t.requests[t.request_count++];
	*r = (struct request){ .tag = tag, .dw_left = dw[2] & 0x7ff, .due = t.bench.clocks + t.latency };
	r->from = (uint64_t)dw[1] << 32 | (dw[0] & ~3u);
	r->dw_at = r->from / 4;
	r->bytes = 4 * r->dw_left;
	if (!last_be && !first_be) {
		r->bytes = 0;
	} else {
		while (!(first_be & 1)) {
			first_be >>= 1;
			r->from++;
			r->bytes--;
		}
		for (last_be = last_be ? last_be : pcie_bits_get(s->user, 0, 4); !(last_be & 8); last_be <<= 1)
			r->bytes--;
	}
	if (t.request_count > t.flight_most)
		t.flight_most = t.request_count;
	check_room();
}

/* A whole request, or up to a multiple of 64 bytes. */
static void complete(unsigned at)
{
	struct request *r = &t.requests[at];
	unsigned parts = completions_of(r) - 1, count = r->dw_left;
	uint64_t from = r->begun ? r->dw_at * 4 : r->from;
	bool done;

	if (parts && under(2))
		count = (unsigned)((r->dw_at / 16 + 1 + under(parts)) * 16 - r->dw_at);
	done = count == r->dw_left;
	t.rc = (struct pcie_packet){ .dwords = 3 + count };
	for (unsigned i = 0; i < 4 * count; i++)
		t.rc.dw[3 + i / 4] |= (uint32_t)(byte_at(r->dw_at * 4 + i) ^ (r->stale ? 0xff : 0)) << i % 4 * 8;
	t.rc.dw[0] =
		(uint32_t)(from & 0xfff) | (uint32_t)(r->bytes ? r->from + r->bytes - from : 1) << 16 | (uint32_t)done << 30;
	t.rc.dw[1] = count;
	t.rc.dw[2] = r->tag;
	t.rc_full = true;
	happened.late += r->stale && done;
	r->begun = true;
	r->dw_at += count;
	r->dw_left -= count;
	if (done)
		t.requests[at] = t.requests[--t.request_count];
}

static void show_rc(void)
{
	unsigned at;

	if (t.in.block.rc.valid)
		return;
	if (!t.rc_full && !t.silent && t.request_count) {
		at = t.latency ? 0 : under(t.request_count);
		for (unsigned i = 0; i < t.request_count && t.latency; i++)
			if (t.requests[i].due < t.requests[at].due)
				at = i;
		if (t.requests[at].due <= t.bench.clocks && (t.latency || pcie_go(&t.bench, GAP_RC_NEXT)))
			complete(at);
	}
	if (t.rc_full && pcie_go(&t.bench, GAP_RC)) {
		pcie_packet_show(&t.bench, &t.rc, &t.in.block.rc, pcie_sideband(&t.bench)->rc_discontinue);
		t.rc_full = t.rc.at < t.rc.dwords;
	}
}

/* --- the card --- */

static void ask(unsigned tag, uint64_t address, unsigned bytes)
{
	t.in.m = (struct us_request){ .valid = true, .last = true, .kind = 1, .tag = tag, .address = address, .length = bytes };
}

static void d_beat(const struct us_completion *d)
{
	uint64_t line;

	if (d->tag >= TAGS || !t.reads[d->tag].used) {
		pcie_fail(&t.bench, "answer without a read", 0, d->tag);
		return;
	}
	line = t.reads[d->tag].from / t.bench.beat + t.reads[d->tag].lines++;
	for (unsigned i = 0; i < t.bench.beat && !d->error; i++) {
		uint64_t address = line * t.bench.beat + i;

		if (address >= t.reads[d->tag].from && address < t.reads[d->tag].from + t.reads[d->tag].bytes)
			pcie_same(&t.bench, "read data", byte_at(address), d->data[i]);
	}
	if (!d->last)
		return;
	if (!d->error && t.reads[d->tag].bytes)
		pcie_same(&t.bench, "last beat", (t.reads[d->tag].from + t.reads[d->tag].bytes - 1) / t.bench.beat, line);
	t.reads[d->tag].used = false;
	t.done++;
	t.failed += d->error;
}

static void clock_once(void)
{
	struct us_out out;

	show_rc();
	t.in.block.rq_ready = pcie_go(&t.bench, GAP_RQ);
	if (!t.in.block.rq_ready && t.bench.clocks < t.credit_until)
		t.credit_until++; /* what is offered stays */
	t.in.d_ready = pcie_go(&t.bench, GAP_D);
	t.in.block.nph_av = t.credit ? 15 : 0;
	us_dut_clock(t.dut, &t.in, &out);
	t.bench.clocks++;
	t.flr_done = out.block.flr_done;
	if (out.block.rq.valid && t.in.block.rq_ready)
		rq_beat(&out.block.rq);
	if (t.in.block.rc.valid && out.block.rc_ready)
		t.in.block.rc.valid = false;
	if (out.d.valid && t.in.d_ready)
		d_beat(&out.d);
	if (t.in.m.valid && out.m_ready) {
		t.in.m.valid = false;
		t.reads[t.in.m.tag].used = true;
		t.reads[t.in.m.tag].from = t.in.m.address;
		t.reads[t.in.m.tag].bytes = t.in.m.length;
		t.reads[t.in.m.tag].lines = 0;
		t.asked++;
	}
}

static void start(uint64_t seed, uint64_t round, const char *wave)
{
	memset(&t, 0, sizeof(t));
	chance_start(&t.bench.chance, seed, round);
	t.bench.beat = us_dut_beat();
	t.in.block.bus_master = true;
	t.in.block.ext_tag = true;
	t.in.r_ready = t.in.r_read_ready = true;
	t.credit = true;
	t.dut = us_dut_create(wave);
}

/* --- rates --- */

/* Clocks for `count` reads of 512 bytes by the rings, behind a host with a latency of 250 clocks. */
static unsigned read_rate(unsigned limit, unsigned count)
{
	start(1, 0, NULL);
	t.in.block.max_read_req = limit;
	t.latency = 250;
	while (t.done < count && t.bench.clocks < CLOCKS_MAX && !t.bench.failure[0]) {
		for (unsigned tag = RING_TAGS; tag < TAGS && !t.in.m.valid && t.asked < count; tag++)
			if (!t.reads[tag].used)
				ask(tag, (draw(&t.bench.chance) & 0xffffff) * READ_BYTES, READ_BYTES);
		clock_once();
	}
	us_dut_destroy(t.dut);
	return (unsigned)t.bench.clocks;
}

static void rates(unsigned limit, unsigned most)
{
	unsigned clocks = read_rate(limit, 256);

	tap_ok(clocks <= most && !t.bench.failure[0],
	       "256 reads of 512 bytes, max read request %u: %u clocks, up to %u requests in flight, %u completions %s", 128u << limit,
	       clocks, t.flight_most, t.headers_most, t.bench.failure);
}

/* --- function-level resets --- */

static void draw_read(void)
{
	unsigned kind = under(4), tag = kind == 0 ? under(FLUSH_TAGS) :
					kind == 1 ? FLUSH_TAGS + under(8) :
						    RING_TAGS + under(TAGS - RING_TAGS);
	unsigned bytes = kind == 0 ? 0 : under(3) ? 1 + under(READ_BYTES) : READ_BYTES;

	if (!t.in.m.valid && !t.reads[tag].used)
		ask(tag, (draw(&t.bench.chance) & 0xffffff) * READ_BYTES + under(READ_BYTES + 1 - (bytes ? bytes : 1)), bytes);
}

static bool outstanding(void)
{
	for (unsigned i = 0; i < TAGS; i++)
		if (t.reads[i].used)
			return true;
	return t.in.m.valid;
}

static void run(unsigned clocks, unsigned rate)
{
	for (unsigned i = 0; i < clocks && !t.bench.failure[0]; i++) {
		if (under(256) < rate)
			draw_read();
		clock_once();
	}
}

static void finish(const char *what, unsigned most)
{
	unsigned clocks = 0;

	while (outstanding() && !t.bench.failure[0]) {
		clock_once();
		if (++clocks > most)
			pcie_fail(&t.bench, what, most, t.asked - t.done);
	}
}

/* The host never completes some of what it has not; without credit it sends nothing. */
static void forget(void)
{
	for (unsigned i = t.request_count; i-- > 0;) {
		t.requests[i].stale = true;
		if (under(3))
			continue;
		t.usable_at[t.requests[i].tag] = t.bench.clocks + us_dut_quarantine() * 3 / 4;
		t.requests[i] = t.requests[--t.request_count];
		happened.forgotten++;
	}
}

/* No room is lost with reads that were given up: whole reads fill it, but for less than one of them. */
static void fill(void)
{
	unsigned tag = FLUSH_TAGS;

	run(2 * us_dut_quarantine(), 0);
	t.silent = true;
	for (unsigned i = 0; i < 8000 && !t.bench.failure[0]; i++) {
		if (!t.in.m.valid && tag < TAGS && !t.reads[tag].used)
			ask(tag++, (draw(&t.bench.chance) & 0xffffff) * READ_BYTES, READ_BYTES);
		clock_once();
	}
	if (completions_in_flight() + READ_BYTES / 64 <= HEADERS)
		pcie_fail(&t.bench, "completions in flight, of a host that sends none", HEADERS, completions_in_flight());
	t.silent = false;
	finish("reads of a host that sends completions again", 40000);
}

static bool silent_host(uint64_t seed, uint64_t round, const char *wave)
{
	uint64_t failed;

	start(seed, round, wave);
	t.in.block.ext_tag = under(3) > 0;
	t.in.block.max_read_req = under(4);
	for (unsigned i = 0; i < PCIE_GAPS; i++)
		t.bench.gap[i] = under(3) ? 0 : under(200);
	for (unsigned again = 0; again < 2 && !t.bench.failure[0]; again++) {
		run(under(800), 80);
		t.silent = true;
		t.credit = under(2);
		t.credit_until = t.bench.clocks + 40;
		run(under(600), under(2) ? 80 : 8);
		failed = t.failed;
		t.in.block.flr_in_process = true;
		run(under(us_dut_lost()), 20);
		pcie_same(&t.bench, "reads failed before the limit", failed, t.failed);
		t.silent = under(4) > 0; /* the host answers after all */
		finish("reads not ended in a function-level reset", 2 * us_dut_lost() + 2000);
		t.in.flr_done = true;
		while (!t.flr_done && !t.bench.failure[0])
			clock_once();
		t.in.block.flr_in_process = false;
		t.in.flr_done = false;
		forget();
		t.silent = true;
		t.credit = true;
		happened.failed += t.failed;
		t.failed = 0;
		run(under(500), 80);
		t.silent = false;
		run(2000, 40);
		finish("reads not ended after a function-level reset", us_dut_quarantine() + 20000);
		pcie_same(&t.bench, "failed reads after the reset", 0, t.failed);
	}
	if (t.in.block.ext_tag && 128u << t.in.block.max_read_req >= READ_BYTES)
		fill();
	happened.reads += t.asked;
	us_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

static bool all_resets(const struct bench_options *o)
{
	bool good = true;

	for (uint64_t r = o->first; r < o->first + o->amount && good; r++) {
		good = silent_host(o->seed, r, o->wave);
		if (!good)
			bench_reproduce(o, r, t.bench.failure);
	}
	printf("# %" PRIu64 " reads, %" PRIu64 " failed, %" PRIu64 " completed after that, %" PRIu64 " never\n", happened.reads, happened.failed,
	       happened.late, happened.forgotten);
	return good && (o->amount < 10 || (happened.failed && happened.late && happened.forgotten));
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 60);

	tap_plan(3);
	rates(2, 6000);
	rates(0, 16000);
	check(all_resets(&o), "function-level resets with a silent host");
	return tap_end();
}
