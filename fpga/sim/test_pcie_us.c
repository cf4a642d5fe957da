// SPDX-License-Identifier: Apache-2.0
/*
 * glk_pcie_us between a model of the hard block's interfaces (PG213: 512 bits, DW-aligned, no straddling) and a card that is
 * a memory. All by chance: lengths, alignments, byte enables, requests that are refused, split and failing completions,
 * credits, gaps and back-pressure on every stream. Held against: every byte of both memories, every completion, which
 * descriptors and side bands are legal, and what must not pass what.
 *
 * test_pcie_us [--seed N] [--rounds N] [--round N] [--wave FILE]
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "pcie_us_dut.h"

#define BAR_BYTES   16384u /* of each BAR's memory here */
#define HOST_BYTES  16384u
#define TAGS	    18u /* 0 to 15 flush reads, 16 and 17 reads */
#define PACKETS_MAX 64u
#define RAISED_MAX  4096u

enum { MEM_READ = 0, MEM_WRITE = 1, IO_READ = 2, IO_WRITE = 3, FETCH_ADD = 4, SWAP = 5, LOCKED_READ = 7, MESSAGE = 12 };
enum { NOTHING, READ, REFUSED }; /* the non-posted request that is under way */

struct packet { /* on CQ and RC: DWs with their descriptor */
	uint32_t dw[4 + 1024];
	unsigned dwords, at; /* at: next to send */
	unsigned first_be, last_be;
	bool non_posted, discontinue;
	unsigned type, bar, count;
	uint64_t address;
};

struct outstanding { /* a read that the hard block has for us */
	bool busy;
	uint64_t from, to; /* bytes; of a flush from = to + 1 */
	bool begun, failed;
	unsigned dw_left;
	uint64_t dw_at;
};

static struct {
	struct us_dut *dut;
	struct us_in in;
	struct chance chance;
	uint64_t clocks;
	unsigned gap[9];   /* of 256, how often each stream stops */
	unsigned stall[9]; /* clocks */
	unsigned rest, rest_most;   /* clocks until the card takes another read */
	unsigned seq_delay, np_refill;
	unsigned write_limit, read_limit;
	bool calm; /* nothing new is begun */
	bool long_writes;
	char failure[256];

	/* CQ */
	struct packet cq;
	bool cq_full;
	unsigned credits;
	unsigned under_way; /* NOTHING, ... */
	struct packet np;   /* that */
	uint8_t np_data[4096];
	unsigned np_from, np_bytes; /* of the BAR, and which bytes it wants */
	uint64_t writes_sent;
	uint8_t expected[4][BAR_BYTES], card[4][BAR_BYTES];
	unsigned poisoned_expected, poisoned_seen;
	uint64_t answered, refused;

	/* r and c */
	bool r_open, reading;
	struct us_request r_first, read;
	unsigned r_line, r_hold; /* clocks until the card answers */
	uint8_t read_data[4096 + US_BEAT];
	unsigned c_at, c_lines;
	uint64_t c_mark;
	bool c_shown, c_started;

	/* CC */
	bool cc_open;
	uint32_t cc_dw[3 + 1024];
	unsigned cc_dwords, cc_done;

	/* m */
	uint64_t m_bytes, m_writes;
	unsigned m_line, m_lines;
	uint8_t m_data[512 + 2 * US_BEAT];
	uint8_t host_expected[HOST_BYTES], host[HOST_BYTES];
	uint64_t read_mark[64]; /* of a tag: bytes written before its read */
	bool tag_used[TAGS], tag_failed[TAGS], tag_refused[TAGS];
	uint64_t tag_from[TAGS];
	unsigned tag_bytes[TAGS], tag_lines[TAGS];
	uint64_t reads_done, reads_failed;

	/* RQ */
	bool rq_open;
	uint32_t rq_dw[4 + 1024];
	unsigned rq_dwords, rq_user[3]; /* first_be, last_be, seq */
	uint64_t rq_bytes, passed_bytes;
	struct {
		unsigned seq;
		uint64_t bytes, at;
	} seq[PACKETS_MAX];
	unsigned seq_put, seq_take;
	int np_credit;
	unsigned np_shown[8];
	struct outstanding reads[64];

	/* RC */
	struct packet rc;
	bool rc_full;

	/* interrupts */
	struct {
		unsigned vector;
		uint64_t mark;
		bool served;
	} raised[RAISED_MAX];
	unsigned raised_count, pulses[8];
	bool again[8];	 /* the hard block could not send it */
	unsigned current; /* the vector it works on */
	unsigned sent_in; /* clocks until the hard block has sent the interrupt, then 1 */
} t;

static struct {
	uint64_t answered, refused, done, failed, poisoned;
} happened;

static void fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64, t.clocks, what, expected, got);
}

static void same(const char *what, uint64_t expected, uint64_t got)
{
	if (expected != got)
		fail(what, expected, got);
}

static bool one_in(unsigned n)
{
	return !below(&t.chance, n);
}

static bool go(unsigned stream)
{
	if (t.stall[stream]) {
		t.stall[stream]--;
		return false;
	}
	if (!t.calm && one_in(4096)) /* for long */
		t.stall[stream] = below(&t.chance, 800);
	return below(&t.chance, 256) >= t.gap[stream];
}

static void put(uint8_t *bits, unsigned first, unsigned count, uint32_t value)
{
	for (unsigned i = first; i < first + count; i++, value >>= 1)
		bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1u << i % 8)) | (value & 1) << i % 8);
}

static uint32_t get(const uint8_t *bits, unsigned first, unsigned count)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint32_t)(bits[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return value;
}

/* What the host's memory says where it is only read. */
static uint8_t byte_at(uint64_t address)
{
	uint64_t x = (address ^ 0x5851f42d4c957f2d) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint8_t)(x >> 40);
}

static bool enabled(const struct packet *p, unsigned dw, unsigned byte)
{
	unsigned be = dw == 0 ? p->first_be : dw == p->count - 1 ? p->last_be : 15;

	return be >> byte & 1;
}

/* --- CQ: requests of the host --- */

static void make_request(void)
{
	static const unsigned up[] = { 15, 14, 12, 8 }, down[] = { 15, 7, 3, 1 };
	static const unsigned unknown[] = { IO_READ, IO_WRITE, FETCH_ADD, SWAP, LOCKED_READ };
	static const unsigned bars[] = { 0, 2, 4, 0, 2, 4, 1, 5 };
	struct packet *p = &t.cq;
	unsigned kind = below(&t.chance, 16), address, data = 0;

	memset(p, 0, 16);
	p->discontinue = false;
	p->non_posted = false;
	p->type = kind < 9 ? MEM_WRITE : kind < 14 ? MEM_READ : kind == 14 ? unknown[below(&t.chance, 5)] : MESSAGE;
	p->count = one_in(3) ? 1 + below(&t.chance, 3) : one_in(3) ? 1 + below(&t.chance, 16) : 1 + below(&t.chance, 80);
	if (p->type == MEM_WRITE && t.long_writes && !one_in(4))
		p->count = 128 + below(&t.chance, 897);
	if (p->type == MEM_READ && one_in(4))
		p->count = 1 + below(&t.chance, 1024);
	if (p->type != MEM_READ && p->type != MEM_WRITE)
		p->count = p->type == FETCH_ADD ? 2 : 1;
	address = 4 * below(&t.chance, BAR_BYTES / 4);
	if (address % 4096 + 4 * p->count > 4096)
		address = one_in(2) ? address & ~4095u : address / 4096 * 4096 + 4096 - 4 * p->count;
	if (address % 4096 + 4 * p->count > 4096)
		address &= ~4095u;
	p->first_be = up[below(&t.chance, 4)];
	p->last_be = down[below(&t.chance, 4)];
	if (p->count == 1) {
		p->first_be = below(&t.chance, 16);
		p->last_be = 0;
	} else if (p->count == 2 && address % 8 == 0) {
		p->first_be = 1 + below(&t.chance, 15);
		p->last_be = 1 + below(&t.chance, 15);
	}
	p->bar = bars[below(&t.chance, 8)];
	p->address = (draw(&t.chance) & ~(uint64_t)(BAR_BYTES - 1)) | address;
	p->dw[0] = (uint32_t)p->address | below(&t.chance, 4);
	p->dw[1] = (uint32_t)(p->address >> 32);
	p->dw[2] = p->count | p->type << 11 | below(&t.chance, 65536) << 16;
	p->dw[3] = below(&t.chance, 256) | p->bar << 16 | 14u << 19 | below(&t.chance, 8) << 25 | below(&t.chance, 8) << 28;
	if (p->type == MEM_WRITE || p->type == IO_WRITE || p->type == FETCH_ADD || p->type == SWAP || (p->type == MESSAGE && one_in(2)))
		data = p->count;
	for (unsigned i = 0; i < data; i++)
		p->dw[4 + i] = (uint32_t)(draw(&t.chance) >> 16);
	p->dwords = 4 + data;
	p->at = 0;
	p->non_posted = p->type != MEM_WRITE && p->type != MESSAGE;
	p->discontinue = p->type == MEM_WRITE && one_in(16);
	t.cq_full = true;
}

static void show_cq(void)
{
	struct us_axis *s = &t.in.cq;
	struct packet *p = &t.cq;
	unsigned n;

	if (s->valid)
		return;
	if (!t.cq_full && !t.calm)
		make_request();
	/* A posted request may be given while others have no leave; here one takes the other's place. */
	if (t.cq_full && p->at == 0 && p->non_posted && !t.credits && !t.calm && one_in(8))
		make_request();
	/* Leave for the next may come when the last completion is still on its way out; this gives it no earlier than that. */
	if (!t.cq_full || !go(0) || (p->at == 0 && p->non_posted && (!t.credits || t.under_way != NOTHING)))
		return;
	n = p->dwords - p->at < 16 ? p->dwords - p->at : 16;
	s->valid = true;
	s->last = p->at + n == p->dwords;
	for (unsigned i = 0; i < US_BEAT; i++)
		s->data[i] = (uint8_t)draw(&t.chance);
	memcpy(s->data, p->dw + p->at, 4 * n);
	for (unsigned i = 0; i < US_USER_BYTES; i++)
		s->user[i] = (uint8_t)draw(&t.chance); /* what is not looked at */
	put(s->user, 80, 2, p->at == 0);
	put(s->user, 96, 1, s->last && p->discontinue);
	if (p->at == 0) {
		put(s->user, 0, 8, p->first_be);
		put(s->user, 8, 8, p->last_be);
	}
	if (p->at == 0 && p->non_posted) {
		t.credits--;
		t.np = *p;
		t.np.dwords = get(s->user, 97, 1) | get(s->user, 99, 2) << 1 | get(s->user, 103, 8) << 8; /* the hint */
	}
	p->at += n;
}

static void cq_taken(void)
{
	struct packet *p = &t.cq;
	uint8_t *memory = t.expected[p->bar % 2 ? 3 : p->bar / 2];
	unsigned at = (unsigned)(p->address % BAR_BYTES), lines = 0;
	bool was = false;

	if (p->at < p->dwords)
		return;
	t.cq_full = false;
	if (p->type == MEM_WRITE) {
		for (unsigned i = 0; i < p->count; i++)
			for (unsigned k = 0; k < 4; k++) {
				bool e = enabled(p, i, k);

				if (e && !p->discontinue)
					memory[at + 4 * i + k] = (uint8_t)(p->dw[4 + i] >> 8 * k);
				lines += e && !was; /* runs */
				was = e;
			}
		if (p->discontinue)
			t.poisoned_expected += lines;
	} else if (p->type == MEM_READ) {
		unsigned first = 0, last = 4 * p->count - 1;

		t.under_way = READ;
		while (first < last && !enabled(p, first / 4, first % 4))
			first++;
		while (last > first && !enabled(p, last / 4, last % 4))
			last--;
		if (p->count == 1 && p->first_be == 0)
			first = 0;
		t.np_from = at + first;
		t.np_bytes = p->count == 1 && p->first_be == 0 ? 0 : last - first + 1;
		memcpy(t.np_data, memory + t.np_from, t.np_bytes);
		t.cc_done = 0;
	} else if (p->non_posted)
		t.under_way = REFUSED;
}

/* --- the card: r and c --- */

static void r_beat(const struct us_request *r)
{
	uint8_t *memory;
	unsigned from, end, line;

	if (!t.r_open) {
		t.r_first = *r;
		t.r_line = 0;
	}
	same("r_write", t.r_first.write, r->write);
	same("r_bar", t.r_first.bar, r->bar);
	same("r_offset", t.r_first.address, r->address);
	same("r_length", t.r_first.length, r->length);
	same("r_poisoned", t.r_first.poisoned, r->poisoned);
	memory = t.card[r->bar];
	from = (unsigned)r->address;
	end = from + r->length;
	if (r->address >= BAR_BYTES || end > BAR_BYTES || (r->write && !r->length)) {
		fail("r range", 0, r->address);
		return;
	}
	line = from / US_BEAT + t.r_line++;
	if (r->write) {
		for (unsigned i = 0; i < US_BEAT; i++)
			if (line * US_BEAT + i >= from && line * US_BEAT + i < end && !r->poisoned)
				memory[line * US_BEAT + i] = r->data[i];
		same("r_last", line == (end - 1) / US_BEAT, r->last);
		t.poisoned_seen += r->last && r->poisoned;
	} else {
		same("r_last of a read", 1, r->last);
		if (!t.in.r_read_ready)
			fail("read while r_read_ready is low", 0, 1);
		t.reading = true;
		t.read = *r;
		t.r_hold = below(&t.chance, 20);
		t.c_at = 0;
		t.c_lines = r->length ? (end - 1) / US_BEAT - from / US_BEAT + 1 : 1;
		memcpy(t.read_data, memory + from / US_BEAT * US_BEAT, t.c_lines * US_BEAT);
		t.c_shown = t.c_started = false;
	}
	t.r_open = !r->last;
}

static void show_c(void)
{
	struct us_completion *c = &t.in.c;

	if (c->valid || !t.reading)
		return;
	if (t.r_hold) {
		t.r_hold--;
		return;
	}
	if (!go(1))
		return;
	c->valid = true;
	c->id = t.read.id;
	c->offset = (unsigned)t.read.address & 4095;
	c->length = t.read.length;
	memcpy(c->data, t.read_data + t.c_at * US_BEAT, US_BEAT);
	c->last = ++t.c_at == t.c_lines;
	if (!t.c_shown)
		t.c_mark = t.m_bytes + (t.m_line < t.m_lines && t.in.m.kind == 0 && t.in.bus_master ? t.in.m.length : 0); /* begun before this clock */
	t.c_shown = true;
}

/* --- CC --- */

static void collect(const struct us_axis *s, bool *open, uint32_t *dw, unsigned *dwords)
{
	unsigned n = 0;

	if (!*open)
		*dwords = 0;
	while (n < 16 && s->keep >> n & 1)
		n++;
	same("tkeep without holes", (1u << n) - 1, s->keep);
	if (!s->last)
		same("tkeep before the last beat", 16, n);
	if (*dwords + n > 4 + 1024)
		fail("packet longer than any", 0, *dwords + n);
	else
		memcpy(dw + *dwords, s->data, 4 * n);
	*dwords += n;
	*open = !s->last;
}

static void cc_beat(const struct us_axis *s)
{
	const uint32_t *dw = t.cc_dw;
	unsigned count, left, lower, end;
	bool first = !t.cc_open;

	same("CC is_sop", first, get(s->user, 0, 2));
	same("CC is_sop0_ptr", 0, get(s->user, 2, 2));
	same("CC is_eop", s->last, get(s->user, 6, 2));
	same("CC discontinue", 0, get(s->user, 16, 1));
	if (first && !t.c_started && t.under_way == READ) {
		t.c_started = true;
		if (t.passed_bytes < t.c_mark)
			fail("completion passed a write", t.c_mark, t.passed_bytes);
	}
	collect(s, &t.cc_open, t.cc_dw, &t.cc_dwords);
	if (!s->last)
		return;
	same("CC is_eop0_ptr", (t.cc_dwords - 1) % 16, get(s->user, 8, 4));
	count = dw[1] & 0x7ff;
	left = dw[0] >> 16 & 0x1fff;
	lower = dw[0] & 0x7f;
	same("completion's DWs", t.cc_dwords, 3 + count);
	same("completion's requester", t.np.dw[2] >> 16, dw[1] >> 16);
	same("completion's tag", t.np.dw[3] & 0xff, dw[2] & 0xff);
	same("completion's class and attributes", t.np.dw[3] >> 25, dw[2] >> 25);
	same("completion's completer", 0, dw[2] >> 8 & 0x1ffff);
	same("completion's address type", t.np.dw[0] & 3, dw[0] >> 8 & 3);
	same("reserved", 0, (dw[0] & 0xc000fc80) | (dw[1] & 0xc000));
	if (t.under_way == REFUSED) {
		same("UR", 1, dw[1] >> 11 & 7);
		same("refusal: DWs", 5, count);
		same("refusal: bytes", 20, left);
		same("refusal: locked", t.np.type == LOCKED_READ, dw[0] >> 29 & 1);
		same("refusal: enables and hint",
		     t.np.first_be | t.np.last_be << 4 | (t.np.dwords & 7) << 8 | t.np.dwords >> 8 << 16, dw[3]);
		if (memcmp(dw + 4, t.np.dw, 16))
			fail("refusal: descriptor", t.np.dw[0], dw[4]);
		t.under_way = NOTHING;
		t.refused++;
		return;
	}
	if (t.under_way != READ) {
		fail("a completion that nobody wants", 0, 1);
		return;
	}
	same("success", 0, dw[1] >> 11 & 7);
	same("locked", 0, dw[0] >> 29 & 1);
	if (!t.np_bytes) {
		same("flush: bytes", 1, left);
		same("flush: DWs", 1, count);
		same("flush: address", t.np_from % 128, lower);
		t.under_way = NOTHING;
		t.answered++;
		return;
	}
	same("byte count", t.np_bytes - t.cc_done, left);
	same("lower address", (t.np_from + t.cc_done) % 128, lower);
	end = count * 4 - lower % 4; /* bytes, if all of it is there */
	if (end >= left)
		end = left;
	else
		same("cut at a multiple", 0, (t.np_from + t.cc_done + end) % t.write_limit);
	if ((count - 1) * 4 >= lower % 4 + end)
		fail("completion's DWs without bytes", 0, count);
	if (count * 4 > t.write_limit)
		fail("completion longer than max payload", t.write_limit, count * 4);
	for (unsigned i = 0; i < end; i++)
		same("byte of a completion", t.np_data[t.cc_done + i], ((const uint8_t *)(dw + 3))[lower % 4 + i]);
	t.cc_done += end;
	if (t.cc_done == t.np_bytes) {
		t.under_way = NOTHING;
		t.answered++;
	}
}

/* --- the card: m and d --- */

static void make_m(void)
{
	struct us_request *m = &t.in.m;
	unsigned kind = below(&t.chance, 16), tag, from, n;

	m->tag = below(&t.chance, 64);
	if (kind < 10) { /* a write, in one WRITE_BYTES */
		n = one_in(2) ? 1 + below(&t.chance, 16) : 1 + below(&t.chance, 256);
		from = below(&t.chance, 257 - n) + 256 * below(&t.chance, HOST_BYTES / 256);
		m->kind = 0;
		m->address = UINT64_C(0x123400000000) + from;
		m->length = n;
		t.m_lines = (from + n - 1) / US_BEAT - from / US_BEAT + 1;
		for (unsigned i = 0; i < t.m_lines * US_BEAT; i++)
			t.m_data[i] = (uint8_t)draw(&t.chance);
		if (t.in.bus_master)
			memcpy(t.host_expected + from, t.m_data + from % US_BEAT, n);
	} else if (kind < 15) {
		tag = kind < 12 ? below(&t.chance, 16) : 16 + below(&t.chance, 2);
		if (t.tag_used[tag])
			return;
		n = tag < 16 ? 0 : one_in(4) ? 512 : 1 + below(&t.chance, 512);
		m->kind = 1;
		m->tag = tag;
		m->address = (draw(&t.chance) & ~UINT64_C(511)) + below(&t.chance, 513 - (n ? n : 1));
		m->length = n;
		t.tag_used[tag] = true;
		t.tag_failed[tag] = t.tag_refused[tag] = !t.in.bus_master;
		t.tag_from[tag] = m->address;
		t.tag_bytes[tag] = n;
		t.tag_lines[tag] = 0;
		t.m_lines = 1;
	} else {
		m->kind = 2;
		m->address = below(&t.chance, 8);
		m->length = 0;
		t.m_lines = 1;
	}
	t.m_line = 0;
	m->valid = true;
	m->last = t.m_lines == 1;
	memcpy(m->data, t.m_data, US_BEAT);
}

static void show_m(void)
{
	struct us_request *m = &t.in.m;

	if (m->valid)
		return;
	if (t.m_line < t.m_lines) {
		if (!go(2))
			return;
		m->valid = true;
		m->last = t.m_line + 1 == t.m_lines;
		memcpy(m->data, t.m_data + t.m_line * US_BEAT, US_BEAT);
	} else if (!t.calm && go(3))
		make_m();
}

static void m_taken(void)
{
	struct us_request *m = &t.in.m;

	m->valid = false;
	t.m_line++;
	if (!m->last)
		return;
	if (m->kind == 0 && t.in.bus_master)
		t.m_bytes += m->length;
	if (m->kind == 1)
		t.read_mark[m->tag] = t.m_bytes;
	if (m->kind == 2 && t.raised_count < RAISED_MAX) {
		t.raised[t.raised_count].vector = (unsigned)m->address;
		t.raised[t.raised_count].served = false;
		t.raised[t.raised_count++].mark = t.m_bytes;
	}
}

static void d_beat(const struct us_completion *d)
{
	unsigned tag = d->tag, n;
	uint64_t from, line;

	if (tag >= TAGS || !t.tag_used[tag]) {
		fail("d_tag of no read", 0, tag);
		return;
	}
	from = t.tag_from[tag];
	n = t.tag_bytes[tag];
	if (d->error || (d->last && t.tag_failed[tag])) {
		same("d_error", t.tag_failed[tag], d->error);
		same("d_last of an error", 1, d->last);
		t.reads_failed++;
		t.tag_used[tag] = false;
		return;
	}
	line = from / US_BEAT + t.tag_lines[tag]++;
	same("d_last", n == 0 || line == (from + n - 1) / US_BEAT, d->last);
	for (unsigned i = 0; i < US_BEAT && n && !t.tag_failed[tag]; i++)
		if (line * US_BEAT + i >= from && line * US_BEAT + i < from + n)
			same("byte of a read", byte_at(line * US_BEAT + i), d->data[i]);
	if (d->last) {
		t.tag_used[tag] = false;
		t.reads_done++;
	}
}

/* --- RQ --- */

static void rq_beat(const struct us_axis *s)
{
	uint32_t *dw = t.rq_dw;
	unsigned count, type, first, last, from, bytes, tag;
	uint64_t address, to;
	bool begins = !t.rq_open;

	same("RQ is_sop", begins, get(s->user, 20, 2));
	same("RQ is_eop", s->last, get(s->user, 26, 2));
	same("RQ discontinue and hints", 0, get(s->user, 36, 25));
	if (begins) {
		t.rq_user[0] = get(s->user, 0, 8);
		t.rq_user[1] = get(s->user, 8, 8);
		t.rq_user[2] = get(s->user, 61, 6);
	}
	collect(s, &t.rq_open, dw, &t.rq_dwords);
	if (!s->last)
		return;
	same("RQ is_eop0_ptr", (t.rq_dwords - 1) % 16, get(s->user, 28, 4));
	address = (uint64_t)dw[1] << 32 | (dw[0] & ~3u);
	count = dw[2] & 0x7ff;
	type = dw[2] >> 11 & 15;
	first = t.rq_user[0];
	last = t.rq_user[1];
	same("RQ address type", 0, dw[0] & 3);
	same("RQ poisoned, requester", 0, dw[2] >> 15);
	same("RQ completer, class, attributes", 0, dw[3] >> 8);
	same("RQ packet's DWs", t.rq_dwords, 4 + (type == MEM_WRITE ? count : 0));
	if (!t.in.bus_master)
		fail("a request while the function is no bus master", 0, 1);
	from = 0;
	while (from < 4 && !(first >> from & 1))
		from++;
	to = address + 4 * count;
	for (unsigned be = count == 1 ? first : last, k = 8; k && !(be & 8); be <<= 1, k--)
		to--;
	if (count == 1)
		same("RQ last_be of one DW", 0, last);
	if (!(count == 1 && type == MEM_READ && first == 0)) {
		bytes = (unsigned)(to - address - from);
		/* contiguous */
		same("RQ first_be", count == 1 ? ((1u << bytes) - 1) << from : 15u << from & 15, first);
		if (count > 1)
			same("RQ last_be", 15u >> (address + 4 * count - to), last);
		address += from;
	} else {
		bytes = 0;
		to = address + 1;
	}
	if (type == MEM_WRITE) {
		unsigned at = (unsigned)(address - UINT64_C(0x123400000000));

		if (address < UINT64_C(0x123400000000) || at + bytes > HOST_BYTES) {
			fail("RQ write's address", 0, address);
			return;
		}
		if (address / t.write_limit != (to - 1) / t.write_limit)
			fail("RQ write across max payload", address, to);
		memcpy(t.host + at, (const uint8_t *)(dw + 4) + from, bytes);
		t.rq_bytes += bytes;
	} else if (type == MEM_READ) {
		struct outstanding *o;

		tag = dw[3] & 0xff;
		if (tag >= TAGS) {
			fail("RQ tag", TAGS, tag);
			return;
		}
		o = &t.reads[tag];
		if (o->busy)
			fail("RQ tag in use", 0, tag);
		if (bytes && address / t.read_limit != (to - 1) / t.read_limit)
			fail("RQ read across max read request", address, to);
		if (t.rq_bytes < t.read_mark[tag])
			fail("read passed a write", t.read_mark[tag], t.rq_bytes);
		if (!t.tag_bytes[tag]) {
			same("flush read: bytes", 0, bytes);
			same("flush read: address", t.tag_from[tag] & ~UINT64_C(3), address);
		} else if (address < t.tag_from[tag] || to > t.tag_from[tag] + t.tag_bytes[tag])
			fail("read outside of what was asked", t.tag_from[tag], address);
		if (--t.np_credit < 0)
			fail("read without credit", 0, (uint64_t)t.np_credit);
		o->busy = true;
		o->begun = o->failed = false;
		o->from = address;
		o->to = bytes ? to - 1 : address - 1;
		o->dw_at = address / 4;
		o->dw_left = count;
	} else
		fail("RQ type", 0, type);
	if (t.seq_put - t.seq_take == PACKETS_MAX) {
		fail("more packets on their way than can be", PACKETS_MAX, t.seq_put);
		return;
	}
	t.seq[t.seq_put % PACKETS_MAX].seq = t.rq_user[2];
	t.seq[t.seq_put % PACKETS_MAX].bytes = t.rq_bytes;
	t.seq[t.seq_put++ % PACKETS_MAX].at = t.clocks + 2 + below(&t.chance, t.seq_delay);
}

static void show_seq(void)
{
	for (unsigned i = 0; i < 2; i++) {
		bool give = t.seq_take != t.seq_put && t.seq[t.seq_take % PACKETS_MAX].at <= t.clocks && (i == 0 || one_in(4)) &&
			    (i == 0 || t.in.seq_valid[0]);

		t.in.seq_valid[i] = give;
		t.in.seq[i] = below(&t.chance, 64);
		if (!give)
			continue;
		t.in.seq[i] = t.seq[t.seq_take % PACKETS_MAX].seq;
		t.passed_bytes = t.seq[t.seq_take++ % PACKETS_MAX].bytes;
	}
}

/* --- RC --- */

static void make_completion(void)
{
	struct packet *p = &t.rc;
	unsigned tag = below(&t.chance, TAGS), count, code = 0, status = 0;
	struct outstanding *o = &t.reads[tag];
	uint64_t left, from;
	bool done, bad = false;

	p->at = 0;
	p->discontinue = false;
	if (!t.calm && one_in(40)) { /* of no request */
		p->dw[0] = 6u << 12 | 4u << 16;
		p->dw[1] = 1;
		p->dw[2] = one_in(2) ? tag : 64 + below(&t.chance, 192);
		p->dw[3] = 0x5aa55aa5;
		p->dwords = 4;
		t.rc_full = true;
		return;
	}
	if (!o->busy)
		return;
	/* All of the rest, or to a multiple of 64 bytes. */
	count = o->dw_left;
	if (one_in(2)) {
		unsigned parts = (unsigned)((o->dw_at + count - 1) / 16 - o->dw_at / 16), cut = parts ? below(&t.chance, parts) : 0;

		if (parts)
			count = (unsigned)((o->dw_at / 16 + 1 + cut) * 16 - o->dw_at);
	}
	done = count == o->dw_left;
	from = o->begun ? o->dw_at * 4 : o->from;
	left = o->to + 1 - from;
	if (o->to + 1 == o->from)
		left = 1;
	p->dwords = 3 + count;
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < 4; k++) {
			uint32_t byte = byte_at((o->dw_at + i) * 4 + k);

			p->dw[3 + i] = k ? p->dw[3 + i] | byte << 8 * k : byte;
		}
	if (one_in(24)) {
		bad = true;
		switch (below(&t.chance, 4)) {
		case 0: /* refused */
			code = 2;
			status = one_in(2) ? 1 : 4;
			p->dwords = 3;
			count = 0;
			done = true;
			break;
		case 1: /* timed out, or reset: the rest says nothing */
			code = one_in(2) ? 9 : 8;
			p->dwords = 3;
			count = below(&t.chance, 2048);
			done = true;
			break;
		case 2: /* poisoned */
			code = 1;
			status = 8;
			break;
		default:
			p->discontinue = true;
		}
	}
	p->dw[0] = (uint32_t)(from & 0xfff) | code << 12 | (uint32_t)left << 16 | (uint32_t)done << 30;
	p->dw[1] = count | status << 11;
	p->dw[2] = tag;
	if (bad)
		t.tag_failed[tag] = true;
	o->begun = true;
	if (done)
		o->busy = false;
	else {
		o->dw_at += count;
		o->dw_left -= count;
	}
	t.rc_full = true;
}

static void show_rc(void)
{
	struct us_axis *s = &t.in.rc;
	struct packet *p = &t.rc;
	unsigned n;

	if (s->valid)
		return;
	if (!t.rc_full && go(5))
		make_completion();
	if (!t.rc_full || !go(4))
		return;
	n = p->dwords - p->at < 16 ? p->dwords - p->at : 16;
	s->valid = true;
	s->last = p->at + n == p->dwords;
	for (unsigned i = 0; i < US_BEAT; i++)
		s->data[i] = (uint8_t)draw(&t.chance);
	memcpy(s->data, p->dw + p->at, 4 * n);
	for (unsigned i = 0; i < US_USER_BYTES; i++)
		s->user[i] = (uint8_t)draw(&t.chance);
	put(s->user, 96, 1, s->last && p->discontinue);
	p->at += n;
}

/* --- interrupts --- */

static void interrupt(uint32_t vectors)
{
	unsigned v = 0, due = 0;

	if (!vectors || vectors & (vectors - 1) || vectors > 128) {
		fail("interrupt: one bit", 1, vectors);
		return;
	}
	if (t.sent_in)
		fail("interrupt before the last was sent", 0, vectors);
	while (!(vectors >> v & 1))
		v++;
	t.sent_in = 1 + below(&t.chance, 20);
	t.current = v;
	t.pulses[v] += !t.again[v];
	t.again[v] = false;
	/* Several may have become one, but none may come before its writes. */
	for (unsigned i = 0; i < t.raised_count; i++)
		if (t.raised[i].vector == v && t.passed_bytes >= t.raised[i].mark) {
			t.raised[i].served = true;
			due++;
		}
	if (due < t.pulses[v])
		fail("interrupt passed a write, or was never raised", due, t.pulses[v]);
}

static void show_interrupts(void)
{
	t.in.msi_sent = t.in.msi_fail = false;
	if (!t.sent_in || --t.sent_in)
		return;
	if (one_in(8)) {
		t.in.msi_fail = true;
		t.again[t.current] = true;
	} else
		t.in.msi_sent = true;
}

/* --- a clock --- */

static void clock_once(void)
{
	struct us_out out;
	bool m_was, c_was;

	show_cq();
	show_c();
	show_m();
	show_rc();
	show_seq();
	show_interrupts();
	if (t.np_credit < 40 && one_in(t.np_refill))
		t.np_credit++;
	memmove(t.np_shown + 1, t.np_shown, sizeof(t.np_shown) - sizeof(t.np_shown[0]));
	t.np_shown[0] = t.np_credit > 15 ? 15 : t.np_credit < 0 ? 0 : (unsigned)t.np_credit;
	t.in.nph_av = t.np_shown[7];
	t.in.cc_ready = go(6);
	t.in.rq_ready = go(6);
	t.in.r_ready = go(7);
	t.in.d_ready = go(8);
	t.in.r_read_ready = !t.reading && !t.rest;
	t.rest -= t.rest > 0;
	m_was = t.in.m.valid;
	c_was = t.in.c.valid;
	us_dut_clock(t.dut, &t.in, &out);
	t.clocks++;
	if (out.msix_int)
		interrupt(out.msi_int);
	if (out.rq.valid && t.in.rq_ready)
		rq_beat(&out.rq);
	if (out.cc.valid && t.in.cc_ready)
		cc_beat(&out.cc);
	if (out.r.valid && t.in.r_ready)
		r_beat(&out.r);
	if (out.d.valid && t.in.d_ready)
		d_beat(&out.d);
	if (t.in.cq.valid && out.cq_ready) {
		t.in.cq.valid = false;
		cq_taken();
	}
	if (t.in.rc.valid && out.rc_ready) {
		t.in.rc.valid = false;
		t.rc_full = t.rc.at < t.rc.dwords;
	}
	if (m_was && out.m_ready)
		m_taken();
	if (c_was && out.c_ready) {
		t.in.c.valid = false;
		t.reading = !t.in.c.last;
		t.rest = t.in.c.last ? below(&t.chance, t.rest_most) : 0;
	}
	same("np_req", 0, out.np_req >> 1);
	t.credits += out.np_req;
	if (t.credits > 1)
		fail("leave for more than one non-posted request", 1, t.credits);
}

static uint64_t stuck(void)
{
	uint64_t tags = 0;

	for (unsigned i = 0; i < TAGS; i++)
		tags |= (uint64_t)t.tag_used[i] << i;
	return (uint64_t)t.cq_full << 60 | (uint64_t)t.under_way << 56 | (uint64_t)t.reading << 52 | (uint64_t)t.in.m.valid << 48 |
	       (uint64_t)(t.m_line < t.m_lines) << 44 | (uint64_t)(t.seq_put != t.seq_take) << 40 | (uint64_t)t.rc_full << 36 | tags;
}

/* Until all is done, and what the memories have to be then. */
static void settle(void)
{
	unsigned clocks = 0, more = 0, gap[9];

	t.calm = true;
	memcpy(gap, t.gap, sizeof(gap));
	memset(t.gap, 0, sizeof(t.gap));
	memset(t.stall, 0, sizeof(t.stall));
	while (!t.failure[0] && more < 600) {
		/* A request without leave would wait for ever if the last one was never answered. */
		clock_once();
		more = !stuck() ? more + 1 : 0;
		if (++clocks == 60000)
			fail("never quiet: request, completion, m, numbers, reads", 0, stuck());
	}
	t.calm = false;
	memcpy(t.gap, gap, sizeof(gap));
	for (unsigned b = 0; b < 4; b++)
		for (unsigned i = 0; i < BAR_BYTES; i++)
			if (t.expected[b][i] != t.card[b][i])
				fail("byte of the card", t.expected[b][i], (uint64_t)b << 56 | (uint64_t)i << 16 | t.card[b][i]);
	for (unsigned i = 0; i < HOST_BYTES; i++)
		if (t.host_expected[i] != t.host[i])
			fail("byte of the host", t.host_expected[i], (uint64_t)i << 16 | t.host[i]);
	same("poisoned writes", t.poisoned_expected, t.poisoned_seen);
	same("bytes written", t.m_bytes, t.rq_bytes);
	for (unsigned i = 0; i < t.raised_count; i++)
		same("interrupt served", 1, t.raised[i].served);
	t.raised_count = 0;
	for (unsigned v = 0; v < 8; v++) {
		same("interrupt tried again", 0, t.again[v]);
		t.pulses[v] = 0;
	}
}

static void start(uint64_t seed, uint64_t round, const char *wave)
{
	memset(&t, 0, sizeof(t));
	chance_start(&t.chance, seed, round);
	t.in.bus_master = t.in.msix_enable = true;
	t.in.max_payload = below(&t.chance, 4);
	t.in.max_read_req = below(&t.chance, 6);
	t.write_limit = 128u << t.in.max_payload;
	t.read_limit = 128u << t.in.max_read_req;
	for (unsigned i = 0; i < 9; i++)
		t.gap[i] = one_in(3) ? 0 : below(&t.chance, 224);
	t.np_credit = 20;
	t.long_writes = one_in(4);
	t.np_refill = one_in(2) ? 3 : 40;
	t.seq_delay = one_in(2) ? 30 : 300;
	t.rest_most = one_in(2) ? 3 : 60;
	t.dut = us_dut_create(wave);
}

static bool traffic(uint64_t seed, uint64_t round, const char *wave)
{
	start(seed, round, wave);
	for (unsigned part = 0; part < 4 && !t.failure[0]; part++) {
		t.in.bus_master = part != 2;
		for (unsigned i = 0; i < 3000 && !t.failure[0]; i++)
			clock_once();
		settle();
	}
	happened.answered += t.answered;
	happened.refused += t.refused;
	happened.done += t.reads_done;
	happened.failed += t.reads_failed;
	happened.poisoned += t.poisoned_seen;
	us_dut_destroy(t.dut);
	return !t.failure[0];
}

/* Clocks for writes that follow each other, with nothing in their way. */
static double write_rate(bool from_host, unsigned bytes, unsigned offset)
{
	struct us_in *in = &t.in;
	struct us_out out;
	unsigned done = 0, line = 0, lines = (offset + bytes - 1) / US_BEAT + 1, clocks = 0, on_way = 0;

	start(1, 0, NULL);
	in->max_payload = 1;
	in->rq_ready = in->r_ready = in->r_read_ready = in->cc_ready = in->d_ready = true;
	in->nph_av = 15;
	while (done < 2000 && clocks < 100000) {
		if (from_host) {
			unsigned dwords = 4 + bytes / 4;

			in->cq.valid = true;
			if (line == 0) {
				memset(in->cq.data, 0, 16);
				put(in->cq.data, 0, 32, offset);
				put(in->cq.data, 64, 15, bytes / 4 | MEM_WRITE << 11);
				put(in->cq.data, 115, 6, 14);
				put(in->cq.user, 0, 16, 15 | (bytes > 4 ? 15u << 8 : 0));
			}
			in->cq.last = (line + 1) * 16 >= dwords;
		} else {
			in->m.valid = true;
			in->m.address = 4096 + offset;
			in->m.length = bytes;
			in->m.last = line + 1 == lines;
		}
		us_dut_clock(t.dut, in, &out);
		clocks++;
		in->seq_valid[0] = on_way > 0;
		in->seq[0] = 32 + (done - on_way) % 32;
		on_way -= on_way > 0;
		if (from_host) {
			if (out.cq_ready)
				line = in->cq.last ? 0 : line + 1;
			done += out.r.valid && out.r.last;
		} else {
			if (out.m_ready)
				line = in->m.last ? 0 : line + 1;
			if (out.rq.valid && out.rq.last) {
				done++;
				on_way++;
			}
		}
	}
	us_dut_destroy(t.dut);
	return (double)clocks / done;
}

/* Function-level reset is told to the card until it has done it, and to the hard block once. */
static bool reset_of_function(void)
{
	struct us_out out;
	unsigned told, done;

	start(1, 0, NULL);
	for (unsigned again = 0; again < 2; again++) {
		told = done = 0;
		t.in.flr_in_process = true;
		for (unsigned i = 0; i < 60; i++) {
			t.in.flr_done = told == 30;
			us_dut_clock(t.dut, &t.in, &out);
			told += out.flr;
			done += out.flr_done;
			if (done)
				t.in.flr_in_process = i < 45;
		}
		same("clocks of flr", 31, told);
		same("clocks of cfg_flr_done", 1, done);
		t.in.flr_in_process = false;
		us_dut_clock(t.dut, &t.in, &out);
	}
	us_dut_destroy(t.dut);
	return !t.failure[0];
}

/* Interrupts are forgotten while MSI-X is off, and those of vectors that there are not. */
static bool interrupts_off(void)
{
	struct us_out out;
	unsigned pulses = 0;

	start(1, 0, NULL);
	for (unsigned i = 0; i < 300; i++) {
		t.in.msix_enable = i >= 100;
		t.in.m.kind = 2;
		t.in.m.address = i < 200 ? 3 : i < 220 ? 8 : 5;
		t.in.m.valid = i == 10 || i == 210 || i == 250;
		t.in.m.last = true;
		us_dut_clock(t.dut, &t.in, &out);
		pulses += out.msix_int;
		if (out.msix_int)
			same("vector", 1u << 5, out.msi_int);
	}
	same("interrupts", 1, pulses);
	us_dut_destroy(t.dut);
	return !t.failure[0];
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "seed", required_argument, NULL, 's' },
						 { "rounds", required_argument, NULL, 'n' },
						 { "round", required_argument, NULL, 'r' },
						 { "wave", required_argument, NULL, 'w' },
						 { NULL, 0, NULL, 0 } };
	static const struct {
		const char *name;
		bool from_host;
		unsigned bytes, offset;
		double most;
	} rates[] = { { "writes of 4 bytes from the host", true, 4, 8, 1.02 },
		      { "writes of 64 bytes from the host", true, 64, 0, 2.02 },
		      { "writes of 256 bytes from the host", true, 256, 0, 5.02 },
		      { "writes of 48 bytes over two lines from the host", true, 48, 32, 2.02 },
		      { "writes of 80 bytes from the host", true, 80, 0, 2.02 },
		      { "writes of 4 bytes to the host", false, 4, 4, 1.02 },
		      { "writes of 64 bytes to the host", false, 64, 0, 2.02 },
		      { "writes of 256 bytes to the host", false, 256, 0, 5.02 } };
	uint64_t seed = 1, rounds = 60, only = UINT64_MAX;
	const char *wave = NULL;
	bool good = true, all = true;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			rounds = strtoull(optarg, NULL, 0);
		else if (c == 'r')
			only = strtoull(optarg, NULL, 0);
		else if (c == 'w')
			wave = optarg;
		else
			return 2;
	}
	if (only != UINT64_MAX)
		rounds = only + 1;
	printf("1..%u\n", 3 + (unsigned)(sizeof(rates) / sizeof(rates[0])));
	for (uint64_t r = only == UINT64_MAX ? 0 : only; r < rounds && good; r++) {
		good = traffic(seed, r, wave);
		if (!good)
			printf("# --seed %" PRIu64 " --round %" PRIu64 ": %s\n", seed, r, t.failure);
	}
	printf("# %" PRIu64 " completions, %" PRIu64 " refusals, %" PRIu64 " poisoned writes; %" PRIu64 " reads of the card, %" PRIu64 " failed\n",
	       happened.answered, happened.refused, happened.poisoned, happened.done, happened.failed);
	if (rounds >= 20 && only == UINT64_MAX)
		good = good && happened.answered && happened.refused && happened.poisoned && happened.done && happened.failed;
	printf("%s 1 - traffic in all directions\n", good ? "ok" : "not ok");
	all = good;
	good = reset_of_function();
	printf("%s 2 - function-level reset %s\n", good ? "ok" : "not ok", t.failure);
	all = all && good;
	good = interrupts_off();
	printf("%s 3 - interrupts that are not sent %s\n", good ? "ok" : "not ok", t.failure);
	all = all && good;
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		double rate = write_rate(rates[i].from_host, rates[i].bytes, rates[i].offset);

		good = rate <= rates[i].most;
		all = all && good;
		printf("%s %u - %s: %.3f clocks each\n", good ? "ok" : "not ok", 4 + i, rates[i].name, rate);
	}
	return all ? 0 : 1;
}
