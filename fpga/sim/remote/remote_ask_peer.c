// SPDX-License-Identifier: Apache-2.0
#include "remote_ask_bench.h"

#include <string.h>

#include <netcrafter/trim.h>

enum { RESPONSES = 1024, OPERATIONS = 3 };

enum owner { NOBODY, OF_LOAD, OF_ATOMIC, OF_RELEASE, OF_TRANSLATION };

struct response {
	enum owner owner;
	enum glk_kind kind;
	unsigned serial, index, status;
	uint64_t at, value; /* at: earliest clock to send it */
	size_t length;
	uint8_t bytes[GLK_LINK_HEADER_BYTES + GLK_LINK_LINE_BYTES + GLK_FLIT_BYTES];
	bool good;
};

static struct {
	struct response waiting[RESPONSES], slow,
		going; /* slow: a read response sent flit by flit; going: ends in this clock */
	unsigned count;
	size_t slow_at;
	uint64_t slow_from; /* clock at which it continues */
	bool slow_valid, ends;
	uint8_t packet[2 * GLK_FLIT_BYTES];
	size_t got;
	unsigned tag_used[65536], requests;
	uint8_t shown[GLK_FLIT_BYTES];
	bool was_shown;
	uint64_t recent[CLOSE]; /* clocks of the last strays */
} peer;

static uint64_t get64(const uint8_t *p)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

static void put64(uint8_t *p, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* Contents of the remote memory: a function of the address. */
uint8_t remote_ask_peer_byte(unsigned remote_partition, uint64_t offset)
{
	uint64_t x = (offset + 1) * UINT64_C(0x9e3779b97f4a7c15) + (remote_partition + t.round) * UINT64_C(0xbf58476d1ce4e5b9);

	return (uint8_t)(x >> 29 ^ x >> 51);
}

static struct response *later(enum owner owner, enum glk_kind kind, uint16_t tag, unsigned status, size_t body, bool *never)
{
	struct response *r = &peer.waiting[peer.count];
	struct glk_link_header header = {
		.kind = kind, .number = (uint8_t)below(&t.chance, 128), .partition = (uint8_t)status, .tag = tag
	};

	*never = false;
	if (peer.count == RESPONSES) {
		remote_ask_fail("waiting responses", RESPONSES, peer.count);
		return r;
	}
	*r = (struct response){ .owner = owner,
				.kind = kind,
				.status = status,
				.length = GLK_LINK_HEADER_BYTES + body,
				.good = status != 1 && status != 2 };
	glk_link_header_put(r->bytes, &header);
	r->at = t.clock + below(&t.chance, below(&t.chance, 4) ? 40 : (unsigned)(t.in.timeout_ns / CLOCK_NS / 3));
	if (t.mood == 1 && !below(&t.chance, 8))
		r->at = t.clock + below(&t.chance, (unsigned)(3 * t.in.timeout_ns / CLOCK_NS));
	if (t.mood == 2 && !below(&t.chance, 16))
		*never = true;
	else
		peer.count++;
	return r;
}

/* --- requests received --- */

static void on_read(const struct glk_link_header *header, uint64_t where)
{
	struct load *l = &t.load;
	uint64_t line = where & ((UINT64_C(1) << 48) - 1), first = l->offset / LINES * LINES;
	uint64_t begin = line > l->offset ? line : l->offset, end = l->offset + l->length;
	unsigned index = (unsigned)((line - first) / LINES), code = (unsigned)(where >> 49) & 3, status;
	bool of_load = l->active && !l->atomic && t.m_since > l->taken && line >= first && line < end, never;
	struct glk_sector sector = { 0, LINES };
	struct response *r;

	if (!of_load && !t.orphan) {
		remote_ask_fail("unexpected read request, at", 0, line);
		return;
	}
	if (of_load) {
		if (end > line + LINES)
			end = line + LINES;
		if (t.in.trimming)
			sector = glk_trim_sector(glk_link_sector_bytes(t.in.trim_code), (unsigned)(begin - line),
						 (unsigned)(end - begin));
		if (where != (line | glk_trim_where(sector)))
			remote_ask_fail("read request's `where`", line | glk_trim_where(sector), where);
		if (header->partition != t.remote[l->partition])
			remote_ask_fail("read request's partition", t.remote[l->partition], header->partition);
		if (l->line[index] != LINE_NOT_ASKED)
			remote_ask_fail("line requested twice, index", 0, index);
		if (t.known[l->partition] < l->mark)
			remote_ask_fail("load overtakes stores", l->mark, t.known[l->partition]);
		if (l->dropped)
			remote_ask_fail("load continues after its session", 0, 1);
		l->line[index] = LINE_ASKED;
		l->asked++;
	}
	t.orphan = false;
	status = glk_trim_status(sector.bytes);
	if (t.mood == 3 && !below(&t.chance, 24)) {
		status = below(&t.chance, 3) ? 1 + below(&t.chance, 2) : glk_trim_status(4u << below(&t.chance, 5));
		code = status & 3;
		if (status == glk_trim_status(sector.bytes))
			status = GLK_LINK_FAILED;
	}
	r = later(OF_LOAD, GLK_KIND_READ_RESPONSE, header->tag, status, 0, &never);
	r->serial = of_load ? l->serial : 0;
	r->index = index;
	r->good = status == glk_trim_status(sector.bytes);
	if (!r->good)
		sector = (struct glk_sector){ 0, status >= GLK_LINK_TRIMMED ? glk_link_sector_bytes(code) :
						 status			    ? 0 :
									      LINES };
	for (unsigned i = 0; i < sector.bytes; i++)
		r->bytes[GLK_LINK_HEADER_BYTES + i] = remote_ask_peer_byte(header->partition, line + sector.first + i);
	r->length += sector.bytes;
}

static void on_atomic(const struct glk_link_header *header, const uint8_t *body)
{
	struct load *l = &t.load;
	uint64_t where = get64(body);
	bool of_load = l->active && l->atomic && !l->asked && t.m_since > l->taken, never;
	struct response *r;
	unsigned status = t.mood == 3 && !below(&t.chance, 4) ? 1 + below(&t.chance, 2) : 0;

	if (!of_load && !t.orphan) {
		remote_ask_fail("unexpected atomic request", 0, where);
		return;
	}
	if (of_load) {
		uint64_t wanted = l->offset | (uint64_t)l->operation << 48 | (uint64_t)(l->length == 8) << 51;

		if (where != wanted)
			remote_ask_fail("atomic's `where`", wanted, where);
		if (header->partition != t.remote[l->partition])
			remote_ask_fail("atomic's partition", t.remote[l->partition], header->partition);
		if (get64(body + 8) != l->operand || get64(body + 16) != l->compare)
			remote_ask_fail("atomic's operand", l->operand, get64(body + 8));
		if (t.known[l->partition] < l->mark)
			remote_ask_fail("atomic overtakes stores", l->mark, t.known[l->partition]);
		if (l->dropped)
			remote_ask_fail("atomic continues after its session", 0, 1);
		l->asked = 1;
		l->line[0] = LINE_ASKED;
		l->old = draw(&t.chance);
	}
	t.orphan = false;
	r = later(OF_ATOMIC, GLK_KIND_ATOMIC_RESPONSE, header->tag, status, 8, &never);
	r->serial = of_load ? l->serial : 0;
	put64(r->bytes + 4, l->old);
}

static void on_release(const struct glk_link_header *header, uint64_t body)
{
	unsigned p = header->tag & 15;
	struct flush *f = &t.flush[p];
	bool never, mine = p < t.partitions && f->out && !f->asked && t.m_since > f->taken;
	struct response *r;

	if (p >= t.partitions || (!mine && !f->orphan)) {
		remote_ask_fail("unexpected release, partition", 0, p);
		return;
	}
	if (header->partition != t.remote[p])
		remote_ask_fail("release's partition", t.remote[p], header->partition);
	if (header->tag == f->tag)
		remote_ask_fail("release's tag reused", 0, f->tag);
	if (mine && (body < f->sent || body > t.sent[t.remote[p]]))
		remote_ask_fail("release's count", f->sent, body);
	f->tag = header->tag;
	f->asked = f->asked || mine;
	f->orphan = false;
	r = later(OF_RELEASE, GLK_KIND_RELEASED, header->tag, t.mood == 3 && !below(&t.chance, 4) ? 1 + below(&t.chance, 2) : 0,
		  0, &never);
	r->serial = mine ? f->serial : 0;
	r->index = p;
}

static void on_translation(const struct glk_link_header *header, uint64_t where)
{
	unsigned p = header->tag & 15;
	struct translation *tr = &t.translation[p];
	bool never;
	struct response *r;

	if (p >= t.partitions || ++tr->requests > tr->times) {
		remote_ask_fail("unexpected translation request, partition", 0, p);
		return;
	}
	if (header->partition != t.remote[p] || where)
		remote_ask_fail("translation's partition", t.remote[p], header->partition);
	tr->serial = ++t.serial;
	tr->asked_for = false;
	r = later(OF_TRANSLATION, GLK_KIND_TRANSLATION_RESPONSE, header->tag, t.mood == 3 ? below(&t.chance, 3) : 0, 8, &never);
	r->serial = tr->serial;
	r->index = p;
	r->value = draw(&t.chance);
	put64(r->bytes + 4, r->value);
}

static void on_packet(enum glk_kind kind, size_t length)
{
	struct glk_link_header header;

	if (!glk_link_header_get(peer.packet, &header) || header.kind != kind || header.number ||
	    !glk_kind_length_valid(kind, length)) {
		remote_ask_fail("packet header, kind", kind, header.kind);
		return;
	}
	if (kind == GLK_KIND_READ_REQUEST || kind == GLK_KIND_ATOMIC_REQUEST) {
		peer.requests++;
		if (peer.tag_used[header.tag] && peer.requests - peer.tag_used[header.tag] < 60000)
			remote_ask_fail("requests until a tag is reused", 60000, peer.requests - peer.tag_used[header.tag]);
		peer.tag_used[header.tag] = peer.requests;
	}
	switch (kind) {
	case GLK_KIND_READ_REQUEST:
		on_read(&header, get64(peer.packet + 4));
		break;
	case GLK_KIND_ATOMIC_REQUEST:
		on_atomic(&header, peer.packet + 4);
		break;
	case GLK_KIND_RELEASE:
		on_release(&header, get64(peer.packet + 4));
		break;
	case GLK_KIND_TRANSLATION_REQUEST:
		on_translation(&header, get64(peer.packet + 4));
		break;
	default:
		remote_ask_fail("request kind", 0, kind);
	}
}

static void on_flit(void)
{
	size_t length = t.out.m_kind == GLK_KIND_ATOMIC_REQUEST ? 28 : 12;

	memcpy(peer.packet + peer.got, t.out.m_data, GLK_FLIT_BYTES);
	peer.got += GLK_FLIT_BYTES;
	if (t.out.m_last != (peer.got >= length))
		remote_ask_fail("last flit of packet", peer.got >= length, t.out.m_last);
	if (peer.got < length && !t.out.m_last)
		return;
	for (size_t i = length; i < peer.got; i++)
		if (peer.packet[i])
			remote_ask_fail("byte after the end of a packet", 0, peer.packet[i]);
	peer.got = 0;
	on_packet((enum glk_kind)t.out.m_kind, length);
}

/* --- responses sent --- */

static void stray(void)
{
	t.strays.least++;
	t.strays.most++;
	memmove(peer.recent + 1, peer.recent, sizeof(peer.recent) - sizeof(peer.recent[0]));
	peer.recent[0] = t.clock;
}

static void to_load(const struct response *r)
{
	struct load *l = &t.load;
	unsigned index = l->atomic ? 0 : r->index;

	if (!l->active || l->serial != r->serial || l->line[index] != LINE_ASKED) {
		stray();
		return;
	}
	l->line[index] = r->good ? LINE_GOOD : LINE_BAD;
	l->latest[l->answered++ % CLOSE] = t.clock;
	l->bad += !r->good;
	l->done_at = t.clock;
}

static void to_flush(const struct response *r)
{
	struct flush *f = &t.flush[r->index];

	if (!f->out || f->reported || f->serial != r->serial || f->answered) {
		stray();
		return;
	}
	f->answered = true;
	f->status = r->status;
	f->answered_at = t.clock;
}

static void to_translation(const struct response *r)
{
	struct translation *tr = &t.translation[r->index];

	if (tr->maybe) {
		t.strays.most++;
		return;
	}
	if (tr->serial != r->serial || tr->answered || tr->asked_for) {
		stray();
		return;
	}
	tr->answered = true;
	tr->changed = t.clock;
	tr->value = UINT64_C(1) << 63 | (r->good ? r->value & ((UINT64_C(1) << 50) - 1) : 0);
}

static void said(const struct response *r)
{
	switch (r->owner) {
	case OF_LOAD:
	case OF_ATOMIC:
		to_load(r);
		break;
	case OF_RELEASE:
		to_flush(r);
		break;
	case OF_TRANSLATION:
		to_translation(r);
		break;
	default:
		stray();
	}
}

/* Unsolicited and duplicate responses. */
static void disturb(void)
{
	static const enum glk_kind kinds[] = { GLK_KIND_READ_RESPONSE, GLK_KIND_WRITE_RESPONSE, GLK_KIND_TRANSLATION_RESPONSE,
					       GLK_KIND_RELEASED, GLK_KIND_ATOMIC_RESPONSE };
	enum glk_kind kind = kinds[below(&t.chance, 5)];
	struct response *r;
	uint16_t tag;
	bool never;

	if (peer.count > RESPONSES / 2)
		return;
	if (peer.count && below(&t.chance, 2)) {
		peer.waiting[peer.count] = peer.waiting[below(&t.chance, peer.count)];
		peer.waiting[peer.count].at += below(&t.chance, 100);
		peer.count++;
		return;
	}
	/* Tags of reads and atomics far ahead of those in use; in other tags the low bits select any partition. */
	tag = (uint16_t)(kind == GLK_KIND_READ_RESPONSE || kind == GLK_KIND_ATOMIC_RESPONSE ? peer.requests + 30000 :
											      0xfff0 | below(&t.chance, 16));
	r = later(NOBODY, kind, tag, 0,
		  kind == GLK_KIND_READ_RESPONSE			       ? LINES :
		  kind == GLK_KIND_WRITE_RESPONSE || kind == GLK_KIND_RELEASED ? 0 :
										 8,
		  &never);
	memset(r->bytes + 4, 0xa5, r->length - 4);
}

static void show(const struct response *r, size_t at)
{
	size_t left = r->length - at;

	t.in.s_valid = true;
	t.in.s_kind = r->kind;
	t.in.s_first = at == 0;
	t.in.s_last = left <= GLK_FLIT_BYTES;
	t.in.s_bytes = (unsigned)(left < GLK_FLIT_BYTES ? left : GLK_FLIT_BYTES);
	memset(t.in.s_data, 0, sizeof(t.in.s_data));
	memcpy(t.in.s_data, r->bytes + at, t.in.s_bytes);
	peer.ends = t.in.s_last;
	peer.going = *r;
}

void remote_ask_peer_drive(bool all_now)
{
	unsigned i;

	t.in.s_valid = false;
	peer.ends = false;
	if (!t.in.session || (!all_now && below(&t.chance, 256) < t.gap))
		return;
	if (t.mood && !all_now && !below(&t.chance, 50))
		disturb();
	if (t.mood == 1 && !below(&t.chance, 60))
		peer.slow_from = t.clock + below(&t.chance, (unsigned)(t.in.timeout_ns / CLOCK_NS));
	if (peer.slow_valid && (t.clock >= peer.slow_from || all_now) && below(&t.chance, 4)) {
		show(&peer.slow, peer.slow_at);
		peer.slow_at += GLK_FLIT_BYTES;
		peer.slow_valid = peer.slow_at < peer.slow.length;
		return;
	}
	if (!peer.count)
		return;
	i = below(&t.chance, peer.count);
	if ((peer.waiting[i].at > t.clock && !all_now) || (peer.waiting[i].kind == GLK_KIND_READ_RESPONSE && peer.slow_valid))
		return;
	show(&peer.waiting[i], 0);
	if (!peer.ends) {
		peer.slow = peer.waiting[i];
		peer.slow_at = GLK_FLIT_BYTES;
		peer.slow_valid = true;
	}
	peer.waiting[i] = peer.waiting[--peer.count];
}

void remote_ask_peer_clocked(void)
{
	if (peer.was_shown && t.in.session && (!t.out.m_valid || memcmp(peer.shown, t.out.m_data, GLK_FLIT_BYTES)))
		remote_ask_fail("flit holds until accepted", 1, 0);
	if (t.out.m_valid && !peer.was_shown && !peer.got)
		t.m_since = t.clock;
	peer.was_shown = t.out.m_valid && !t.in.m_ready && t.in.session;
	memcpy(peer.shown, t.out.m_data, GLK_FLIT_BYTES);
	if (t.out.m_valid && !peer.got && (t.out.m_kind == GLK_KIND_READ_REQUEST || t.out.m_kind == GLK_KIND_ATOMIC_REQUEST) &&
	    t.m_since == t.clock && t.load.active) {
		t.load.before = t.load.last;
		t.load.last = t.clock;
	}
	if (!t.in.session)
		return;
	if (t.in.m_ready)
		t.free_clocks++;
	if (t.out.m_valid && t.in.m_ready)
		on_flit();
	if (!t.out.s_ready)
		remote_ask_fail("responses always accepted", 1, 0);
	if (t.in.s_valid && peer.ends)
		said(&peer.going);
}

void remote_ask_peer_session_ends(void)
{
	for (unsigned i = 0; i < CLOSE; i++)
		if (peer.recent[i] && peer.recent[i] + CLOSE > t.clock)
			t.strays.least--;
	memset(peer.recent, 0, sizeof(peer.recent));
	peer.count = 0;
	peer.slow_valid = false;
	peer.was_shown = false;
	peer.got = 0;
}

void remote_ask_peer_reset(void)
{
	memset(&peer, 0, sizeof(peer));
}

bool remote_ask_peer_quiet(void)
{
	return !peer.count && !peer.slow_valid;
}
