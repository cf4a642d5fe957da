// SPDX-License-Identifier: Apache-2.0
/*
 * glk_pcie_us between a model of the hard block's interfaces (pcie_block) and a memory as card (pcie_card). Constrained random:
 * lengths, alignments, byte enables, refused requests, split and failing completions, credits, gaps and back-pressure on every
 * stream. Checked: every byte of both memories, every completion, legality of descriptors and sidebands, and ordering rules.
 *
 * test-pcie-us [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>

#include <tap.h>

#include "pcie_block.h"
#include "pcie_card.h"

static struct {
	struct us_dut *dut;
	struct us_in in;
	struct pcie_bench bench;
	struct pcie_block block;
	struct pcie_card card;
	bool long_writes;
	uint8_t expected[PCIE_BARS][PCIE_BAR_BYTES]; /* expected contents of the card's memories */
	unsigned poisoned_expected;
	uint8_t np_data[4096]; /* expected data of the current read */
	uint8_t host[PCIE_HOST_BYTES];
	unsigned pulses[PCIE_MSIX]; /* interrupts, without retries */
	unsigned owner[PCIE_TAGS_MAX]; /* tag at the card, by bus tag */
} t;

static struct {
	uint64_t answered, refused, done, failed, poisoned, codes[16];
} happened;

static bool one_in(unsigned n)
{
	return pcie_one_in(&t.bench, n);
}

static unsigned under(unsigned n)
{
	return below(&t.bench.chance, n);
}

/* --- requests by the host --- */

static void draw_type(struct pcie_request *r)
{
	static const unsigned unknown[] = { IO_READ, IO_WRITE, FETCH_ADD, SWAP, LOCKED_READ };
	unsigned kind = under(16);

	r->type = kind < 9 ? MEM_WRITE : kind < 14 ? MEM_READ : kind == 14 ? unknown[under(5)] : MESSAGE;
	r->count = one_in(3) ? 1 + under(3) : one_in(3) ? 1 + under(16) : 1 + under(80);
	if (r->type == MEM_WRITE && t.long_writes && !one_in(4))
		r->count = 128 + under(897);
	if (r->type == MEM_READ && one_in(4))
		r->count = 1 + under(1024);
	if (r->type != MEM_READ && r->type != MEM_WRITE)
		r->count = r->type == FETCH_ADD ? 2 : 1;
}

/* Within a 4 KiB page, often up to its end; rarely, and illegally, across it. */
static unsigned draw_offset(const struct pcie_request *r)
{
	unsigned offset = 4 * under(PCIE_BAR_BYTES / 4);

	if (one_in(40))
		return offset;
	if (offset % 4096 + 4 * r->count > 4096)
		offset = one_in(2) ? offset & ~4095u : offset / 4096 * 4096 + 4096 - 4 * r->count;
	return offset % 4096 + 4 * r->count > 4096 ? offset & ~4095u : offset;
}

static void draw_enables(struct pcie_request *r, unsigned offset)
{
	static const unsigned up[] = { 15, 14, 12, 8 }, down[] = { 15, 7, 3, 1 };

	r->first_be = up[under(4)];
	r->last_be = down[under(4)];
	if (r->count == 1) {
		r->first_be = under(16);
		r->last_be = 0;
	} else if (r->count == 2 && offset % 8 == 0) {
		r->first_be = 1 + under(15);
		r->last_be = 1 + under(15);
	}
}

static bool on_request(void *user, struct pcie_request *r, bool instead)
{
	static const unsigned bars[] = { 0, 2, 4, 0, 2, 4, 1, 5 };
	unsigned offset, data = 0;

	(void)user;
	if (t.bench.calm || (instead && !one_in(8)))
		return false;
	draw_type(r);
	offset = draw_offset(r);
	draw_enables(r, offset);
	r->bar = bars[under(8)];
	r->aperture = 14;
	r->address = (draw(&t.bench.chance) & ~(uint64_t)(PCIE_BAR_BYTES - 1)) | offset;
	pcie_request_describe(&t.bench, r, 0);
	if (r->type == MEM_WRITE || r->type == IO_WRITE || r->type == FETCH_ADD || r->type == SWAP ||
	    (r->type == MESSAGE && one_in(2)))
		data = r->count;
	for (unsigned i = 0; i < data; i++)
		r->packet.dw[4 + i] = (uint32_t)(draw(&t.bench.chance) >> 16);
	r->packet.dwords += data;
	r->packet.discontinue = r->type == MEM_WRITE && one_in(16);
	return true;
}

static void write_expected(const struct pcie_request *r, uint8_t *memory)
{
	unsigned runs = 0;
	bool was = false;

	for (unsigned i = 0; i < r->count; i++)
		for (unsigned k = 0; k < 4; k++) {
			bool enabled = pcie_request_enabled(r, i, k);

			if (enabled && !r->packet.discontinue)
				memory[4 * i + k] = (uint8_t)(r->packet.dw[4 + i] >> 8 * k);
			runs += enabled && !was;
			was = enabled;
		}
	if (r->packet.discontinue)
		t.poisoned_expected += runs;
}

static void on_request_taken(void *user, const struct pcie_request *r)
{
	uint8_t *memory = t.expected[r->bar % 2 ? 3 : r->bar / 2];
	unsigned offset = (unsigned)(r->address % PCIE_BAR_BYTES);

	(void)user;
	if (pcie_request_crosses(r))
		return;
	if (r->type == MEM_WRITE)
		write_expected(r, memory + offset);
	else if (r->type == MEM_READ)
		memcpy(t.np_data, memory + offset / 4096 * 4096 + t.block.np_from, t.block.np_bytes);
}

static void on_completion_begins(void *user)
{
	(void)user;
	if (t.block.passed_bytes < t.card.c_mark)
		pcie_fail(&t.bench, "completion passed a write", t.card.c_mark, t.block.passed_bytes);
}

static void on_completed(void *user, const uint8_t *data, unsigned bytes)
{
	(void)user;
	for (unsigned i = 0; i < bytes; i++)
		pcie_same(&t.bench, "completion data", t.np_data[i], data[i]);
}

/* --- requests by the card --- */

static void on_write(void *user, uint64_t address, const uint8_t *data, unsigned bytes)
{
	(void)user;
	if (address < PCIE_HOST || address + bytes > PCIE_HOST + PCIE_HOST_BYTES)
		pcie_fail(&t.bench, "RQ write address", PCIE_HOST, address);
	else
		memcpy(t.host + (address - PCIE_HOST), data, bytes);
}

/* Without extended tags, those of the rings share the rest of 32. */
static unsigned owner_of(unsigned tag, uint64_t address)
{
	for (unsigned i = PCIE_LOAD_TAG; i < PCIE_TAGS && !t.in.block.ext_tag && tag >= PCIE_FLUSH_TAGS; i++)
		if (t.card.reads[i].used && address - t.card.reads[i].from < t.card.reads[i].bytes)
			return i;
	return tag;
}

static void on_read(void *user, unsigned tag, uint64_t address, unsigned bytes)
{
	const struct pcie_card_read *read = &t.card.reads[owner_of(tag, address)];

	(void)user;
	t.owner[tag] = owner_of(tag, address);
	if (t.block.rq_bytes < read->mark)
		pcie_fail(&t.bench, "read passed a write", read->mark, t.block.rq_bytes);
	if (!read->bytes) {
		pcie_same(&t.bench, "flush read: bytes", 0, bytes);
		pcie_same(&t.bench, "flush read: address", read->from & ~UINT64_C(3), address);
	} else if (address < read->from || address + (bytes ? bytes : 1) > read->from + read->bytes) {
		pcie_fail(&t.bench, "read outside the requested range", read->from, address);
	}
}

static uint8_t on_byte(void *user, uint64_t address)
{
	(void)user;
	return pcie_byte_at(address);
}

static void on_read_failed(void *user, unsigned tag)
{
	(void)user;
	t.card.reads[t.owner[tag]].failed = true;
}

/* Several may merge into one, but none may precede its writes. */
static void on_interrupt(void *user, unsigned vector, bool again)
{
	unsigned due = 0;

	(void)user;
	t.pulses[vector] += !again;
	for (unsigned i = 0; i < t.card.interrupt_count; i++) {
		struct pcie_card_interrupt *raised = &t.card.interrupts[i];

		if (raised->vector == vector && t.block.passed_bytes >= raised->mark) {
			raised->served = true;
			due++;
		}
	}
	if (due < t.pulses[vector])
		pcie_fail(&t.bench, "interrupt passed a write, or was never raised", due, t.pulses[vector]);
}

static const struct pcie_block_ops ops = {
	.request = on_request,
	.request_taken = on_request_taken,
	.completion_begins = on_completion_begins,
	.completed = on_completed,
	.write = on_write,
	.read = on_read,
	.byte = on_byte,
	.read_failed = on_read_failed,
	.interrupt = on_interrupt,
};

/* --- clocks --- */

static void clock_once(void)
{
	struct us_out out;

	pcie_block_show_requests(&t.block);
	pcie_card_show(&t.card);
	pcie_block_show(&t.block);
	pcie_card_ready(&t.card);
	us_dut_clock(t.dut, &t.in, &out);
	t.bench.clocks++;
	pcie_block_clock(&t.block, &out.block);
	pcie_card_clock(&t.card, &out);
}

static uint64_t stuck(void)
{
	uint64_t tags = 0;

	for (unsigned i = 0; i < PCIE_TAGS; i++)
		tags |= (uint64_t)t.card.reads[i].used << i % 32;
	return (uint64_t)t.block.cq_full << 60 | (uint64_t)t.block.under_way << 56 | (uint64_t)t.card.reading << 52 |
	       (uint64_t)t.in.m.valid << 48 | (uint64_t)(t.card.m_line < t.card.m_lines) << 44 |
	       (uint64_t)(t.block.seq_put != t.block.seq_take) << 40 | (uint64_t)t.block.rc_full << 36 | tags;
}

static void check_memories(void)
{
	for (unsigned b = 0; b < PCIE_BARS; b++)
		for (unsigned i = 0; i < PCIE_BAR_BYTES; i++)
			if (t.expected[b][i] != t.card.memory[b][i])
				pcie_fail(&t.bench, "card memory", t.expected[b][i],
					  (uint64_t)b << 56 | (uint64_t)i << 16 | t.card.memory[b][i]);
	for (unsigned i = 0; i < PCIE_HOST_BYTES; i++)
		if (t.card.host_expected[i] != t.host[i])
			pcie_fail(&t.bench, "host memory", t.card.host_expected[i], (uint64_t)i << 16 | t.host[i]);
}

/* Runs until everything is done, then checks the memories. */
static void settle(void)
{
	unsigned clocks = 0, more = 0, gap[PCIE_GAPS];

	t.bench.calm = true;
	memcpy(gap, t.bench.gap, sizeof(gap));
	memset(t.bench.gap, 0, sizeof(t.bench.gap));
	memset(t.bench.stall, 0, sizeof(t.bench.stall));
	while (!t.bench.failure[0] && more < 600) {
		clock_once();
		more = !stuck() ? more + 1 : 0;
		if (++clocks == 60000)
			pcie_fail(&t.bench, "not idle: request, completion, m, sequence numbers, reads", 0, stuck());
	}
	t.bench.calm = false;
	memcpy(t.bench.gap, gap, sizeof(gap));
	check_memories();
	pcie_same(&t.bench, "poisoned writes", t.poisoned_expected, t.card.poisoned);
	pcie_same(&t.bench, "bytes written", t.card.m_bytes, t.block.rq_bytes);
	for (unsigned i = 0; i < t.card.interrupt_count; i++)
		pcie_same(&t.bench, "interrupt served", 1, t.card.interrupts[i].served);
	t.card.interrupt_count = 0;
	for (unsigned v = 0; v < PCIE_MSIX; v++) {
		pcie_same(&t.bench, "interrupt retried", 0, t.block.again[v]);
		t.pulses[v] = 0;
	}
}

static void start(uint64_t seed, uint64_t round, const char *wave)
{
	memset(&t, 0, sizeof(t));
	chance_start(&t.bench.chance, seed, round);
	t.bench.beat = us_dut_beat();
	t.in.block.bus_master = t.in.block.msix_enable = true;
	t.in.block.ext_tag = one_in(2);
	t.in.block.max_payload = under(4);
	t.in.block.max_read_req = under(6);
	for (unsigned i = 0; i < PCIE_GAPS; i++)
		t.bench.gap[i] = one_in(3) ? 0 : under(224);
	t.long_writes = one_in(4);
	t.block = (struct pcie_block){
		.bench = &t.bench, .in = &t.in.block, .ops = &ops, .tags = t.in.block.ext_tag ? 64 : 32, .failures = true
	};
	t.block.np_refill = one_in(2) ? 3 : 40;
	t.block.seq_delay = one_in(2) ? 30 : 300;
	pcie_block_start(&t.block);
	t.card.bench = &t.bench;
	t.card.in = &t.in;
	t.card.rest_most = one_in(2) ? 3 : 60;
	t.dut = us_dut_create(wave);
}

static bool traffic(uint64_t seed, uint64_t round, const char *wave)
{
	start(seed, round, wave);
	for (unsigned part = 0; part < 4 && !t.bench.failure[0]; part++) {
		t.in.block.bus_master = part != 2;
		for (unsigned i = 0; i < 3000 && !t.bench.failure[0]; i++)
			clock_once();
		settle();
	}
	happened.answered += t.block.answered;
	happened.refused += t.block.refused;
	happened.done += t.card.reads_done;
	happened.failed += t.card.reads_failed;
	happened.poisoned += t.card.poisoned;
	for (unsigned i = 0; i < 16; i++)
		happened.codes[i] += t.block.codes[i];
	us_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

/* A beat of a write by the host; data are irrelevant. */
static void show_write(struct pcie_axis *cq, unsigned bytes, unsigned offset, unsigned line)
{
	cq->valid = true;
	if (line == 0) {
		memset(cq->data, 0, 16);
		pcie_bits_put(cq->data, 0, 32, offset);
		pcie_bits_put(cq->data, 64, 15, bytes / 4 | MEM_WRITE << 11);
		pcie_bits_put(cq->data, 115, 6, 14);
		pcie_bits_put(cq->user, 0, 4, 15);
		pcie_bits_put(cq->user, pcie_sideband(&t.bench)->last_be, 4, bytes > 4 ? 15 : 0);
	}
	cq->last = (line + 1) * t.bench.beat >= 16 + bytes;
}

/* Clocks for back-to-back writes without back-pressure. */
static double write_rate(bool from_host, unsigned bytes, unsigned offset)
{
	struct us_in *in = &t.in;
	struct us_out out;
	unsigned done = 0, line = 0, lines, clocks = 0, on_way = 0;

	start(1, 0, NULL);
	lines = (offset + bytes - 1) / t.bench.beat + 1;
	in->block.max_payload = 1;
	in->block.rq_ready = in->block.cc_ready = in->r_ready = in->r_read_ready = in->d_ready = true;
	in->block.nph_av = 15;
	while (done < 2000 && clocks < 100000) {
		if (from_host) {
			show_write(&in->block.cq, bytes, offset, line);
		} else {
			in->m.valid = true;
			in->m.address = 4096 + offset;
			in->m.length = bytes;
			in->m.last = line + 1 == lines;
		}
		us_dut_clock(t.dut, in, &out);
		clocks++;
		in->block.seq_valid[0] = on_way > 0;
		in->block.seq[0] = 32 + (done - on_way) % 32;
		on_way -= on_way > 0;
		if (from_host) {
			if (out.block.cq_ready)
				line = in->block.cq.last ? 0 : line + 1;
			done += out.r.valid && out.r.last;
		} else {
			if (out.m_ready)
				line = in->m.last ? 0 : line + 1;
			if (out.block.rq.valid && out.block.rq.last) {
				done++;
				on_way++;
			}
		}
	}
	us_dut_destroy(t.dut);
	return (double)clocks / done;
}

/* The card sees a function-level reset until it is done; the hard block gets one completion pulse. */
static bool reset_of_function(void)
{
	struct us_out out;
	unsigned reported, done;

	start(1, 0, NULL);
	for (unsigned again = 0; again < 2; again++) {
		reported = done = 0;
		t.in.block.flr_in_process = true;
		for (unsigned i = 0; i < 60; i++) {
			t.in.flr_done = reported == 30;
			us_dut_clock(t.dut, &t.in, &out);
			reported += out.flr;
			done += out.block.flr_done;
			if (done)
				t.in.block.flr_in_process = i < 45;
		}
		pcie_same(&t.bench, "clocks of flr", 31, reported);
		pcie_same(&t.bench, "clocks of cfg_flr_done", 1, done);
		t.in.block.flr_in_process = false;
		us_dut_clock(t.dut, &t.in, &out);
	}
	us_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

/* Interrupts are dropped while MSI-X is disabled, and for vectors that do not exist. */
static bool interrupts_off(void)
{
	struct us_out out;
	unsigned pulses = 0;

	start(1, 0, NULL);
	for (unsigned i = 0; i < 300; i++) {
		t.in.block.msix_enable = i >= 100;
		t.in.m.kind = 2;
		t.in.m.address = i < 200 ? 3 : i < 220 ? 8 : 5;
		t.in.m.valid = i == 10 || i == 210 || i == 250;
		t.in.m.last = true;
		us_dut_clock(t.dut, &t.in, &out);
		pulses += out.block.msix_int;
		if (out.block.msix_int)
			pcie_same(&t.bench, "vector", 1u << 5, out.block.msi_int);
	}
	pcie_same(&t.bench, "interrupts", 1, pulses);
	us_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

/* Drives the card's next request until it is accepted; false: timeout. Counts writes sent. */
static bool ask(unsigned kind, unsigned tag, unsigned *writes)
{
	struct us_out out;

	t.in.m = (struct us_request){
		.valid = true, .last = true, .kind = kind, .tag = tag, .address = PCIE_HOST + 64 * tag, .length = 4
	};
	for (unsigned i = 0; i < 500; i++) {
		us_dut_clock(t.dut, &t.in, &out);
		*writes += out.block.rq.valid && out.block.rq.last && out.block.rq.data[9] >> 3 == MEM_WRITE;
		if (out.m_ready)
			return true;
	}
	return false;
}

static void rest(unsigned clocks, unsigned *writes)
{
	struct us_out out;

	t.in.m.valid = false;
	while (clocks--) {
		us_dut_clock(t.dut, &t.in, &out);
		*writes += out.block.rq.valid && out.block.rq.last && out.block.rq.data[9] >> 3 == MEM_WRITE;
	}
}

/* The maximum number of reads waits for credit; a write still passes. */
static bool reads_do_not_hold_writes(void)
{
	unsigned writes = 0;
	bool taken = true;

	start(1, 0, NULL);
	t.in.block.rq_ready = true;
	t.in.block.nph_av = 0;
	for (unsigned tag = 0; tag < PCIE_TAGS && taken; tag++)
		if (tag < PCIE_FLUSH_TAGS || tag == PCIE_LOAD_TAG || tag >= PCIE_RING_TAGS)
			taken = ask(CARD_READ, tag, &writes);
	taken = taken && ask(CARD_WRITE, 0, &writes);
	rest(500, &writes);
	pcie_same(&t.bench, "reads and write accepted", 1, taken);
	pcie_same(&t.bench, "writes after reads without credit", 1, writes);
	us_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

/* Sequence numbers lost because bus mastering was disabled do not block forever. */
static bool numbers_lost(void)
{
	unsigned writes = 0, before;

	start(1, 0, NULL);
	t.in.block.rq_ready = true;
	for (unsigned i = 0; i < 40; i++)
		ask(CARD_WRITE, 0, &writes);
	rest(500, &writes);
	pcie_same(&t.bench, "maximum writes in flight", 31, writes);
	t.in.block.bus_master = false;
	rest(6000, &writes);
	t.in.block.bus_master = true;
	rest(100, &writes);
	before = writes;
	ask(CARD_WRITE, 0, &writes);
	rest(500, &writes);
	pcie_same(&t.bench, "writes after bus mastering is enabled again", before + 1, writes);
	us_dut_destroy(t.dut);
	return !t.bench.failure[0];
}

static void report(bool good, const char *what)
{
	tap_ok(good, "%s %s", what, t.bench.failure);
}

static bool all_traffic(const struct bench_options *o)
{
	static const unsigned codes[] = { 0, 1, 2, 3, 4, 5, 6, 8, 9 }; /* all that PG213 defines */
	bool good = true;

	for (uint64_t r = o->first; r < o->first + o->amount && good; r++) {
		good = traffic(o->seed, r, o->wave);
		if (!good)
			bench_reproduce(o, r, t.bench.failure);
	}
	printf("# %" PRIu64 " completions, %" PRIu64 " UR completions, %" PRIu64 " poisoned writes; %" PRIu64 " card reads, %" PRIu64 " failed\n",
	       happened.answered, happened.refused, happened.poisoned, happened.done, happened.failed);
	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]) && o->amount >= 20; i++)
		good = good && happened.codes[codes[i]];
	if (o->amount >= 20)
		good = good && happened.answered && happened.refused && happened.poisoned && happened.done && happened.failed;
	return good;
}

static void rates(void)
{
	static const struct {
		const char *name;
		bool from_host;
		unsigned bytes, offset;
		unsigned clocks[2]; /* with 512 and with 256 bits: beats of the packet or lines, whichever are more */
	} rates[] = { { "writes of 4 bytes from the host", true, 4, 8, { 1, 1 } },
		      { "writes of 64 bytes from the host", true, 64, 0, { 2, 3 } },
		      { "writes of 256 bytes from the host", true, 256, 0, { 5, 9 } },
		      { "writes of 48 bytes from the host, from the middle of 64", true, 48, 32, { 2, 2 } },
		      { "writes of 80 bytes from the host", true, 80, 0, { 2, 3 } },
		      { "writes of 4 bytes to the host", false, 4, 4, { 1, 1 } },
		      { "writes of 64 bytes to the host", false, 64, 0, { 2, 3 } },
		      { "writes of 256 bytes to the host", false, 256, 0, { 5, 9 } } };

	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		double rate = write_rate(rates[i].from_host, rates[i].bytes, rates[i].offset);

		tap_ok(rate <= rates[i].clocks[us_dut_beat() == 32] + 0.02, "%s: %.3f clocks each", rates[i].name, rate);
	}
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "rounds", 60);

	tap_plan(13);
	report(all_traffic(&o), "traffic in all directions");
	report(reset_of_function(), "function-level reset");
	report(interrupts_off(), "dropped interrupts");
	report(reads_do_not_hold_writes(), "writes pass reads without credit");
	report(numbers_lost(), "lost sequence numbers");
	rates();
	return tap_end();
}
