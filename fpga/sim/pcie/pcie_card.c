// SPDX-License-Identifier: Apache-2.0
#include "pcie_card.h"

#include <string.h>

uint8_t pcie_byte_at(uint64_t address)
{
	uint64_t x = (address ^ 0x5851f42d4c957f2d) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint8_t)(x >> 40);
}

/* --- r and c: requests by the host --- */

static void r_write(struct pcie_card *card, const struct us_request *r, unsigned line)
{
	unsigned from = (unsigned)r->address, end = from + r->length;

	for (unsigned i = 0; i < card->bench->beat; i++)
		if (line * card->bench->beat + i >= from && line * card->bench->beat + i < end && !r->poisoned)
			card->memory[r->bar][line * card->bench->beat + i] = r->data[i];
	pcie_same(card->bench, "r_last", line == (end - 1) / card->bench->beat, r->last);
	card->poisoned += r->last && r->poisoned;
}

static void r_read(struct pcie_card *card, const struct us_request *r)
{
	struct pcie_bench *b = card->bench;
	unsigned from = (unsigned)r->address, end = from + r->length;

	pcie_same(b, "r_last of a read", 1, r->last);
	if (!card->in->r_read_ready)
		pcie_fail(b, "read while r_read_ready is low", 0, 1);
	card->reading = true;
	card->read = *r;
	card->hold = below(&b->chance, 20);
	card->c_at = 0;
	card->c_lines = r->length ? (end - 1) / b->beat - from / b->beat + 1 : 1;
	memcpy(card->read_data, card->memory[r->bar] + from / b->beat * b->beat, card->c_lines * b->beat);
	card->c_shown = false;
}

static void r_beat(struct pcie_card *card, const struct us_request *r)
{
	struct pcie_bench *b = card->bench;
	const struct us_request *first = &card->r_first;

	if (!card->r_open) {
		card->r_first = *r;
		card->r_line = 0;
	}
	pcie_same(b, "r_write", first->write, r->write);
	pcie_same(b, "r_bar", first->bar, r->bar);
	pcie_same(b, "r_offset", first->address, r->address);
	pcie_same(b, "r_length", first->length, r->length);
	pcie_same(b, "r_poisoned", first->poisoned, r->poisoned);
	if (r->address >= PCIE_BAR_BYTES || r->address + r->length > PCIE_BAR_BYTES ||
	    (r->write ? !r->length : r->length > 4096)) {
		pcie_fail(b, "r range", 0, r->address);
		return;
	}
	if (r->write)
		r_write(card, r, (unsigned)r->address / b->beat + card->r_line++);
	else
		r_read(card, r);
	card->r_open = !r->last;
}

static void show_c(struct pcie_card *card)
{
	struct pcie_bench *b = card->bench;
	struct us_completion *c = &card->in->c;
	const struct us_request *m = &card->in->m;

	if (c->valid || !card->reading)
		return;
	if (card->hold) {
		card->hold--;
		return;
	}
	if (!card->c_shown && !pcie_go(b, GAP_C)) /* its beats have no gaps */
		return;
	c->valid = true;
	c->id = card->read.id;
	c->offset = (unsigned)card->read.address & 4095;
	c->length = card->read.length;
	memcpy(c->data, card->read_data + card->c_at * b->beat, b->beat);
	c->last = ++card->c_at == card->c_lines;
	if (!card->c_shown) { /* also after a write that began before this clock */
		card->c_mark = card->m_bytes;
		if (card->m_line < card->m_lines && m->kind == CARD_WRITE && card->in->block.bus_master)
			card->c_mark += m->length;
	}
	card->c_shown = true;
}

static void c_taken(struct pcie_card *card)
{
	struct us_completion *c = &card->in->c;

	c->valid = false;
	card->reading = !c->last;
	card->rest = c->last ? below(&card->bench->chance, card->rest_most) : 0;
}

/* --- m and d: requests by the card --- */

static void make_write(struct pcie_card *card)
{
	struct pcie_bench *b = card->bench;
	struct us_request *m = &card->in->m;
	unsigned n = pcie_one_in(b, 2) ? 1 + below(&b->chance, 16) : 1 + below(&b->chance, 256);
	unsigned from = below(&b->chance, 257 - n) + 256 * below(&b->chance, PCIE_HOST_BYTES / 256); /* in one WRITE_BYTES */

	m->kind = CARD_WRITE;
	m->address = PCIE_HOST + from;
	m->length = n;
	card->m_lines = (from + n - 1) / b->beat - from / b->beat + 1;
	for (unsigned i = 0; i < card->m_lines * b->beat; i++)
		card->m_data[i] = (uint8_t)draw(&b->chance);
	if (card->in->block.bus_master)
		memcpy(card->host_expected + from, card->m_data + from % b->beat, n);
}

/* False if the read's tag is still in use. */
static bool make_read(struct pcie_card *card, bool flush)
{
	struct pcie_bench *b = card->bench;
	struct us_request *m = &card->in->m;
	unsigned tag = PCIE_LOAD_TAG, n;
	struct pcie_card_read *read;

	if (flush)
		tag = below(&b->chance, PCIE_FLUSH_TAGS);
	else if (!pcie_one_in(b, 4))
		tag = PCIE_RING_TAGS + below(&b->chance, PCIE_TAGS - PCIE_RING_TAGS);
	read = &card->reads[tag];
	if (read->used)
		return false;
	n = flush ? 0 : pcie_one_in(b, 4) ? 512 : 1 + below(&b->chance, 512);
	m->kind = CARD_READ;
	m->tag = tag;
	m->address = (draw(&b->chance) & ~UINT64_C(511)) + below(&b->chance, 513 - (n ? n : 1));
	m->length = n;
	card->m_lines = 1;
	*read = (struct pcie_card_read){
		.used = true, .failed = !card->in->block.bus_master, .from = m->address, .bytes = n, .mark = read->mark,
	};
	return true;
}

static void make_interrupt(struct pcie_card *card)
{
	struct us_request *m = &card->in->m;

	m->kind = CARD_INTERRUPT;
	m->address = below(&card->bench->chance, 8);
	m->length = 0;
	card->m_lines = 1;
}

static void make_m(struct pcie_card *card)
{
	struct pcie_bench *b = card->bench;
	struct us_request *m = &card->in->m;
	unsigned kind = below(&b->chance, 16);

	m->tag = below(&b->chance, 64);
	if (kind < 10)
		make_write(card);
	else if (kind == 15)
		make_interrupt(card);
	else if (!make_read(card, kind < 12))
		return;
	card->m_line = 0;
	m->valid = true;
	m->last = card->m_lines == 1;
	memcpy(m->data, card->m_data, b->beat);
}

static void show_m(struct pcie_card *card)
{
	struct pcie_bench *b = card->bench;
	struct us_request *m = &card->in->m;

	if (m->valid)
		return;
	if (card->m_line < card->m_lines) {
		if (!pcie_go(b, GAP_M))
			return;
		m->valid = true;
		m->last = card->m_line + 1 == card->m_lines;
		memcpy(m->data, card->m_data + card->m_line * b->beat, b->beat);
	} else if (!b->calm && pcie_go(b, GAP_M_NEXT))
		make_m(card);
}

static void m_taken(struct pcie_card *card)
{
	struct us_request *m = &card->in->m;

	m->valid = false;
	card->m_line++;
	if (!m->last)
		return;
	if (m->kind == CARD_WRITE && card->in->block.bus_master)
		card->m_bytes += m->length;
	if (m->kind == CARD_READ)
		card->reads[m->tag].mark = card->m_bytes;
	if (m->kind == CARD_INTERRUPT && card->interrupt_count < PCIE_RAISED_MAX)
		card->interrupts[card->interrupt_count++] =
			(struct pcie_card_interrupt){ .vector = (unsigned)m->address, .mark = card->m_bytes };
}

static void d_beat(struct pcie_card *card, const struct us_completion *d)
{
	struct pcie_bench *b = card->bench;
	struct pcie_card_read *read = &card->reads[d->tag < PCIE_TAGS ? d->tag : 0];
	uint64_t from = read->from, line;
	unsigned n = read->bytes;

	if (d->tag >= PCIE_TAGS || !read->used) {
		pcie_fail(b, "d_tag without a read", 0, d->tag);
		return;
	}
	if (d->error || (d->last && read->failed)) {
		pcie_same(b, "d_error", read->failed, d->error);
		pcie_same(b, "d_last of an error", 1, d->last);
		card->reads_failed++;
		read->used = false;
		return;
	}
	line = from / b->beat + read->lines++;
	pcie_same(b, "d_last", n == 0 || line == (from + n - 1) / b->beat, d->last);
	for (unsigned i = 0; i < b->beat && n && !read->failed; i++)
		if (line * b->beat + i >= from && line * b->beat + i < from + n)
			pcie_same(b, "read data", pcie_byte_at(line * b->beat + i), d->data[i]);
	if (d->last) {
		read->used = false;
		card->reads_done++;
	}
}

/* --- clock --- */

void pcie_card_show(struct pcie_card *card)
{
	show_c(card);
	show_m(card);
	card->in->r_read_ready = !card->reading && !card->rest;
	card->rest -= card->rest > 0;
}

void pcie_card_ready(struct pcie_card *card)
{
	card->in->r_ready = pcie_go(card->bench, GAP_R);
	card->in->d_ready = pcie_go(card->bench, GAP_D);
}

void pcie_card_clock(struct pcie_card *card, const struct us_out *out)
{
	const struct us_in *in = card->in;

	if (out->r.valid && in->r_ready)
		r_beat(card, &out->r);
	if (out->d.valid && in->d_ready)
		d_beat(card, &out->d);
	if (in->m.valid && out->m_ready)
		m_taken(card);
	if (in->c.valid && out->c_ready)
		c_taken(card);
}
