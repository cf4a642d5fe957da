// SPDX-License-Identifier: Apache-2.0
#include "pcie_block.h"

#include <string.h>

/* --- CQ: requests by the host --- */

void pcie_block_show_requests(struct pcie_block *block)
{
	struct pcie_bench *b = block->bench;
	struct pcie_axis *s = &block->in->cq;
	struct pcie_request *r = &block->cq;
	const struct pcie_sideband *at = pcie_sideband(b);
	bool first, waits;

	if (s->valid)
		return;
	if (!block->cq_full)
		block->cq_full = block->ops->request(block->user, r, false);
	waits = block->cq_full && r->packet.at == 0 && pcie_request_non_posted(r);
	if (waits && !block->credits && block->ops->request(block->user, r, true))
		waits = pcie_request_non_posted(r);
	/* The next credit may come while the last completion is still being sent, but no earlier. */
	if (!block->cq_full || !pcie_go(b, GAP_CQ) || (waits && (!block->credits || block->under_way != NOTHING)))
		return;
	first = r->packet.at == 0;
	pcie_packet_show(b, &r->packet, s, at->cq_discontinue);
	pcie_bits_put(s->user, at->cq_sop, at->cq_sop_bits, first);
	if (first) {
		pcie_bits_put(s->user, 0, at->last_be, r->first_be);
		pcie_bits_put(s->user, at->last_be, at->last_be, r->last_be);
	}
	if (waits) {
		block->credits--;
		block->np = *r;
		block->np_hint = pcie_bits_get(s->user, at->cq_tph_present, 1) |
				 pcie_bits_get(s->user, at->cq_tph_type, 2) << 1 |
				 pcie_bits_get(s->user, at->cq_tph_tag, 8) << 8;
	}
}

/* Byte range of a read: from the first to the last enabled byte; without any it is a flush. */
static void begin_read(struct pcie_block *block, const struct pcie_request *r)
{
	unsigned first = 0, last = 4 * r->count - 1;
	bool none = r->count == 1 && r->first_be == 0;

	while (first < last && !pcie_request_enabled(r, first / 4, first % 4))
		first++;
	while (last > first && !pcie_request_enabled(r, last / 4, last % 4))
		last--;
	block->np_from = (unsigned)(r->address % 4096) + (none ? 0 : first);
	block->np_bytes = none ? 0 : last - first + 1;
	block->cc_done = 0;
	block->cc_begun = false;
}

static void cq_taken(struct pcie_block *block)
{
	const struct pcie_request *r = &block->cq;

	block->in->cq.valid = false;
	if (r->packet.at < r->packet.dwords)
		return;
	block->cq_full = false;
	if (r->type == MEM_READ && !pcie_request_crosses(r)) {
		block->under_way = READ;
		begin_read(block, r);
	} else if (pcie_request_non_posted(r)) {
		block->under_way = REFUSED;
		begin_read(block, r);
	}
	if (block->ops->request_taken)
		block->ops->request_taken(block->user, r);
}

/* --- CC: completions to the host --- */

/* Byte count of a completion without data (PCIe 2.3.2): what is left of a read, at least 1, and otherwise 4. */
static unsigned refused_bytes(const struct pcie_block *block)
{
	if (block->np.type != MEM_READ && block->np.type != LOCKED_READ)
		return 4;
	return block->np_bytes ? block->np_bytes : 1;
}

static void refusal(struct pcie_block *block, const uint32_t *dw)
{
	struct pcie_bench *b = block->bench;
	const struct pcie_request *np = &block->np;

	pcie_same(b, "UR", 1, dw[1] >> 11 & 7);
	pcie_same(b, "UR completion: packet's DWs", 8, block->cc.dwords);
	pcie_same(b, "UR completion: DWs", 0, dw[1] & 0x7ff); /* it has no data */
	pcie_same(b, "UR completion: bytes", refused_bytes(block), dw[0] >> 16 & 0x1fff);
	pcie_same(b, "UR completion: lower address", 0, dw[0] & 0x7f);
	pcie_same(b, "UR completion: locked", np->type == LOCKED_READ, dw[0] >> 29 & 1);
	pcie_same(b, "UR completion: enables and hint",
		  np->first_be | np->last_be << 4 | (block->np_hint & 7) << 8 | block->np_hint >> 8 << 16, dw[3]);
	if (memcmp(dw + 4, np->packet.dw, 16))
		pcie_fail(b, "UR completion: descriptor", np->packet.dw[0], dw[4]);
	block->under_way = NOTHING;
	block->refused++;
}

static void read_done(struct pcie_block *block)
{
	block->under_way = NOTHING;
	block->answered++;
	block->ops->completed(block->user, block->cc_data, block->np_bytes);
}

static void read_part(struct pcie_block *block, const uint32_t *dw)
{
	struct pcie_bench *b = block->bench;
	unsigned count = dw[1] & 0x7ff, left = dw[0] >> 16 & 0x1fff, lower = dw[0] & 0x7f, end;

	pcie_same(b, "completion DWs", block->cc.dwords, 3 + count);
	pcie_same(b, "success", 0, dw[1] >> 11 & 7);
	pcie_same(b, "locked", 0, dw[0] >> 29 & 1);
	if (!block->np_bytes) {
		pcie_same(b, "flush: bytes", 1, left);
		pcie_same(b, "flush: DWs", 1, count);
		pcie_same(b, "flush: address", block->np_from % 128, lower);
		read_done(block);
		return;
	}
	pcie_same(b, "byte count", block->np_bytes - block->cc_done, left);
	pcie_same(b, "lower address", (block->np_from + block->cc_done) % 128, lower);
	end = count * 4 - lower % 4; /* bytes, if complete */
	if (end >= left)
		end = left;
	else
		pcie_same(b, "split at a multiple", 0, (block->np_from + block->cc_done + end) % block->write_limit);
	if ((count - 1) * 4 >= lower % 4 + end)
		pcie_fail(b, "completion DWs without bytes", 0, count);
	if (count * 4 > block->write_limit)
		pcie_fail(b, "completion longer than max payload", block->write_limit, count * 4);
	if (b->failure[0])
		return;
	memcpy(block->cc_data + block->cc_done, (const uint8_t *)(dw + 3) + lower % 4, end);
	block->cc_done += end;
	if (block->cc_done == block->np_bytes)
		read_done(block);
}

static void cc_beat(struct pcie_block *block, const struct pcie_axis *s)
{
	struct pcie_bench *b = block->bench;
	const struct pcie_sideband *at = pcie_sideband(b);
	const uint32_t *dw = block->cc.dw, *np = block->np.packet.dw;
	bool first = !block->cc.open;

	if (at->marks) {
		pcie_same(b, "CC is_sop", first, pcie_bits_get(s->user, 0, 2));
		pcie_same(b, "CC is_sop0_ptr", 0, pcie_bits_get(s->user, 2, 2));
		pcie_same(b, "CC is_eop", s->last, pcie_bits_get(s->user, 6, 2));
	}
	pcie_same(b, "CC discontinue", 0, pcie_bits_get(s->user, at->cc_discontinue, 1));
	pcie_same(b, "CC parity", 0, pcie_bits_get(s->user, at->cc_discontinue + 1, 32));
	if (first && block->under_way == READ && !block->cc_begun) {
		block->cc_begun = true;
		if (block->ops->completion_begins)
			block->ops->completion_begins(block->user);
	}
	pcie_packet_collect(b, &block->cc, s);
	if (!s->last)
		return;
	if (at->marks)
		pcie_same(b, "CC is_eop0_ptr", (block->cc.dwords - 1) % 16, pcie_bits_get(s->user, 8, 4));
	pcie_same(b, "completion requester", np[2] >> 16, dw[1] >> 16);
	pcie_same(b, "completion tag", np[3] & 0xff, dw[2] & 0xff);
	pcie_same(b, "completion class and attributes", np[3] >> 25, dw[2] >> 25);
	pcie_same(b, "completion completer", 0, dw[2] >> 8 & 0x1ffff);
	pcie_same(b, "completion address type", np[0] & 3, dw[0] >> 8 & 3);
	pcie_same(b, "reserved", 0, (dw[0] & 0xc000fc80) | (dw[1] & 0xc000));
	if (block->under_way == REFUSED)
		refusal(block, dw);
	else if (block->under_way == READ)
		read_part(block, dw);
	else
		pcie_fail(b, "unexpected completion", 0, 1);
}

/* --- RQ: requests by the card --- */

/* The host sees the writes up to that packet. */
static void become_visible(struct pcie_block *block, unsigned upto)
{
	for (; (int)(upto - block->visible) > 0; block->visible++) {
		const struct pcie_sent *p = &block->sent_packets[block->visible % PCIE_PACKETS_MAX];

		if (p->length)
			block->ops->write(block->user, p->address, p->data, p->length);
	}
}

static void rq_write(struct pcie_block *block, struct pcie_sent *packet, uint64_t address, unsigned bytes)
{
	if (address / block->write_limit != (address + bytes - 1) / block->write_limit)
		pcie_fail(block->bench, "RQ write across max payload", address, bytes);
	if (block->bench->failure[0])
		return;
	packet->address = address;
	packet->length = bytes;
	memcpy(packet->data, (const uint8_t *)(block->rq.dw + 4) + address % 4, bytes);
	block->rq_bytes += bytes;
}

static void rq_read(struct pcie_block *block, uint64_t address, unsigned bytes)
{
	struct pcie_bench *b = block->bench;
	unsigned tag = block->rq.dw[3] & 0xff, count = block->rq.dw[2] & 0x7ff;
	struct pcie_outstanding *o = &block->reads[tag % PCIE_TAGS_MAX];

	if (tag >= block->tags) {
		pcie_fail(b, "RQ tag", block->tags, tag);
		return;
	}
	if (o->busy)
		pcie_fail(b, "RQ tag in use", 0, tag);
	if (bytes && address / block->read_limit != (address + bytes - 1) / block->read_limit)
		pcie_fail(b, "RQ read across max read request", address, bytes);
	if (--block->np_credit < 0)
		pcie_fail(b, "read without credit", 0, (uint64_t)block->np_credit);
	block->ops->read(block->user, tag, address, bytes);
	*o = (struct pcie_outstanding){
		.busy = true,
		.from = address,
		.to = address + bytes - 1,
		.dw_at = address / 4,
		.dw_left = count,
		.behind = block->seq_put,
	};
}

/* Number of enabled bytes of a request, and the offset of the first; none for a flush read. */
static unsigned enabled_bytes(struct pcie_block *block, unsigned count, unsigned type, unsigned *from)
{
	struct pcie_bench *b = block->bench;
	unsigned first = block->rq_first_be, last = block->rq_last_be, above = 0, bytes;

	if (count == 1)
		pcie_same(b, "RQ last_be of one DW", 0, last);
	*from = 0;
	if (count == 1 && type == MEM_READ && first == 0)
		return 0;
	if (!first || (count > 1 && !last)) {
		pcie_fail(b, "RQ enables", 0xff, first | last << 4);
		return 0;
	}
	while (!(first >> *from & 1))
		++*from;
	while (!((count == 1 ? first : last) << above & 8))
		above++;
	bytes = 4 * count - *from - above;
	/* contiguous */
	pcie_same(b, "RQ first_be", count == 1 ? ((1u << bytes) - 1) << *from : 15u << *from & 15, first);
	if (count > 1)
		pcie_same(b, "RQ last_be", 15u >> above, last);
	return bytes;
}

static void rq_packet(struct pcie_block *block, struct pcie_sent *packet)
{
	struct pcie_bench *b = block->bench;
	const uint32_t *dw = block->rq.dw;
	unsigned count = dw[2] & 0x7ff, type = dw[2] >> 11 & 15, from, bytes;
	uint64_t address = (uint64_t)dw[1] << 32 | (dw[0] & ~3u);

	pcie_same(b, "RQ address type", 0, dw[0] & 3);
	pcie_same(b, "RQ poisoned, requester", 0, dw[2] >> 15);
	pcie_same(b, "RQ completer, class, attributes", 0, dw[3] >> 8);
	pcie_same(b, "RQ packet DWs", block->rq.dwords, 4 + (type == MEM_WRITE ? count : 0));
	if (!block->in->bus_master)
		pcie_fail(b, "request while bus mastering is disabled", 0, 1);
	bytes = enabled_bytes(block, count, type, &from);
	if (type == MEM_WRITE)
		rq_write(block, packet, address + from, bytes);
	else if (type == MEM_READ)
		rq_read(block, address + from, bytes);
	else
		pcie_fail(b, "RQ type", 0, type);
}

static void rq_beat(struct pcie_block *block, const struct pcie_axis *s)
{
	struct pcie_bench *b = block->bench;
	const struct pcie_sideband *field = pcie_sideband(b);
	struct pcie_sent *packet = &block->sent_packets[block->seq_put % PCIE_PACKETS_MAX];

	if (field->marks) {
		pcie_same(b, "RQ is_sop", !block->rq.open, pcie_bits_get(s->user, 20, 2));
		pcie_same(b, "RQ is_eop", s->last, pcie_bits_get(s->user, 26, 2));
	}
	pcie_same(b, "RQ discontinue and hints", 0, pcie_bits_get(s->user, field->rq_unused, field->rq_unused_bits));
	if (!block->rq.open) {
		block->rq_first_be = pcie_bits_get(s->user, 0, 4);
		block->rq_last_be = pcie_bits_get(s->user, field->last_be, 4);
		if (field->marks)
			pcie_same(b, "RQ enables of a second packet", 0,
				  pcie_bits_get(s->user, 4, 4) | pcie_bits_get(s->user, 12, 4));
		block->rq_seq = pcie_bits_get(s->user, field->rq_seq_low, 4) | pcie_bits_get(s->user, field->rq_seq_high, 2)
										       << 4;
	}
	pcie_packet_collect(b, &block->rq, s);
	if (!s->last)
		return;
	if (field->marks)
		pcie_same(b, "RQ is_eop0_ptr", (block->rq.dwords - 1) % 16, pcie_bits_get(s->user, 28, 4));
	if (block->seq_put - block->seq_take == PCIE_PACKETS_MAX) {
		pcie_fail(b, "too many packets in flight", PCIE_PACKETS_MAX, block->seq_put);
		return;
	}
	packet->length = 0;
	rq_packet(block, packet);
	block->seq_put++;
	packet->seq = block->rq_seq;
	packet->bytes = block->rq_bytes;
	packet->at = b->clocks + 2 + below(&b->chance, block->seq_delay);
}

static void show_seq(struct pcie_block *block)
{
	struct pcie_bench *b = block->bench;

	for (unsigned i = 0; i < 2; i++) {
		const struct pcie_sent *packet = &block->sent_packets[block->seq_take % PCIE_PACKETS_MAX];
		bool give = block->seq_take != block->seq_put && packet->at <= b->clocks &&
			    (i == 0 || (pcie_one_in(b, 4) && block->in->seq_valid[0]));

		block->in->seq_valid[i] = give;
		block->in->seq[i] = below(&b->chance, 64);
		if (!give)
			continue;
		block->in->seq[i] = packet->seq;
		block->passed_bytes = packet->bytes;
		become_visible(block, ++block->seq_take);
	}
}

/* --- RC: completions by the host --- */

/* A completion of no request: of an unknown tag, or with another requester, class or attributes than the request with its tag.
 */
static void make_stray(struct pcie_block *block, unsigned tag)
{
	struct pcie_bench *b = block->bench;
	struct pcie_packet *p = &block->rc;
	unsigned code = pcie_one_in(b, 2) ? 6 : 4, count = pcie_one_in(b, 2) ? 1 : 1 + below(&b->chance, 40);

	p->dw[0] = code << 12 | 4 * count << 16;
	p->dw[1] = count;
	p->dw[2] = code == 4 || pcie_one_in(b, 2) ? tag : 64 + below(&b->chance, 192);
	for (unsigned i = 0; i < count; i++)
		p->dw[3 + i] = 0x5aa55aa5;
	p->dwords = 3 + count;
	block->codes[code]++;
	block->rc_full = true;
}

/* Injects an error into a completion of `count` DWs. */
static void spoil(struct pcie_block *block, unsigned *count, unsigned *code, unsigned *status, bool *done)
{
	struct pcie_bench *b = block->bench;
	struct pcie_packet *p = &block->rc;

	switch (below(&b->chance, 7)) {
	case 0: /* unsupported request */
		*code = 2;
		*status = pcie_one_in(b, 2) ? 1 : 4;
		p->dwords = 3;
		*count = 0;
		*done = true;
		break;
	case 1: /* timeout or reset: the other fields are undefined */
		*code = pcie_one_in(b, 2) ? 9 : 8;
		p->dwords = 3;
		*count = below(&b->chance, 2048);
		*done = true;
		break;
	case 2: /* poisoned */
		*code = 1;
		*status = 8;
		break;
	case 3: /* no data, or more than was asked for */
		*code = 3;
		*done = true;
		if (pcie_one_in(b, 2)) {
			p->dwords = 3;
			*count = 0;
		}
		break;
	case 4: /* another requester, class or attributes: with the end of the request */
		*code = 4;
		*done = true;
		break;
	case 5: /* another address, with or without the end of the request */
		*code = 5;
		*done = *done || pcie_one_in(b, 2);
		break;
	default:
		p->discontinue = true;
	}
}

/* The whole rest, or up to a multiple of 64 bytes. */
static unsigned part_of(struct pcie_block *block, const struct pcie_outstanding *o)
{
	struct pcie_bench *b = block->bench;
	unsigned parts, cut;

	if (!pcie_one_in(b, 2))
		return o->dw_left;
	parts = (unsigned)((o->dw_at + o->dw_left - 1) / 16 - o->dw_at / 16);
	if (!parts)
		return o->dw_left;
	cut = below(&b->chance, parts);
	return (unsigned)((o->dw_at / 16 + 1 + cut) * 16 - o->dw_at);
}

static void make_completion(struct pcie_block *block)
{
	struct pcie_bench *b = block->bench;
	struct pcie_packet *p = &block->rc;
	unsigned tag = below(&b->chance, block->tags), count, code = 0, status = 0;
	struct pcie_outstanding *o = &block->reads[tag];
	uint64_t left, from;
	bool done;

	p->at = 0;
	p->discontinue = false;
	if (!b->calm && pcie_one_in(b, 40)) { /* unsolicited */
		make_stray(block, tag);
		return;
	}
	if (!o->busy)
		return;
	become_visible(block, o->behind);
	count = part_of(block, o);
	done = count == o->dw_left;
	from = o->begun ? o->dw_at * 4 : o->from;
	left = o->to + 1 == o->from ? 1 : o->to + 1 - from;
	p->dwords = 3 + count;
	for (unsigned i = 0; i < count; i++) {
		p->dw[3 + i] = 0;
		for (unsigned k = 0; k < 4; k++)
			p->dw[3 + i] |=
				(uint32_t)(block->ops->byte(block->user, (o->dw_at + i) * 4 + k) ^ (o->stale ? 0xff : 0))
				<< 8 * k;
	}
	if (block->failures && pcie_one_in(b, 24)) {
		spoil(block, &count, &code, &status, &done);
		if (block->ops->read_failed)
			block->ops->read_failed(block->user, tag);
	}
	block->codes[code]++;
	p->dw[0] = (uint32_t)(from & 0xfff) | code << 12 | (uint32_t)left << 16 | (uint32_t)done << 30;
	p->dw[1] = count | status << 11;
	p->dw[2] = tag;
	o->begun = true;
	o->busy = !done;
	if (!done) {
		o->dw_at += count;
		o->dw_left -= count;
	}
	block->rc_full = true;
}

static void show_rc(struct pcie_block *block)
{
	struct pcie_bench *b = block->bench;

	if (block->in->rc.valid)
		return;
	if (!block->rc_full && !block->silent && pcie_go(b, GAP_RC_NEXT))
		make_completion(block);
	if (block->rc_full && pcie_go(b, GAP_RC))
		pcie_packet_show(b, &block->rc, &block->in->rc, pcie_sideband(b)->rc_discontinue);
}

/* --- interrupts --- */

static void interrupt(struct pcie_block *block, uint32_t vectors)
{
	struct pcie_bench *b = block->bench;
	unsigned v = 0;

	if (!vectors || vectors & (vectors - 1) || vectors >> PCIE_MSIX) {
		pcie_fail(b, "interrupt: one bit", 1, vectors);
		return;
	}
	if (block->sent_in)
		pcie_fail(b, "interrupt before the last was sent", 0, vectors);
	while (!(vectors >> v & 1))
		v++;
	block->sent_in = 1 + below(&b->chance, 20);
	block->current = v;
	if (block->ops->interrupt)
		block->ops->interrupt(block->user, v, block->again[v]);
	block->again[v] = false;
}

static void show_interrupts(struct pcie_block *block)
{
	struct pcie_pins_in *in = block->in;

	in->msi_sent = in->msi_fail = false;
	if (!block->sent_in || --block->sent_in)
		return;
	if (pcie_one_in(block->bench, 8)) {
		in->msi_fail = true;
		block->again[block->current] = true;
	} else {
		in->msi_sent = true;
		block->sent[block->current]++;
	}
}

/* --- clock --- */

void pcie_block_start(struct pcie_block *block)
{
	block->write_limit = 128u << block->in->max_payload;
	block->read_limit = 128u << block->in->max_read_req;
	block->np_credit = 20;
}

void pcie_block_forget(struct pcie_block *block)
{
	for (unsigned i = 0; i < PCIE_TAGS_MAX; i++) {
		block->reads[i].stale = true;
		if (pcie_one_in(block->bench, 2))
			block->reads[i].busy = false;
	}
}

void pcie_block_show(struct pcie_block *block)
{
	struct pcie_bench *b = block->bench;

	show_rc(block);
	show_seq(block);
	show_interrupts(block);
	if (block->np_credit < 40 && !block->silent && pcie_one_in(b, block->np_refill))
		block->np_credit++;
	memmove(block->np_shown + 1, block->np_shown, sizeof(block->np_shown) - sizeof(block->np_shown[0]));
	block->np_shown[0] = block->np_credit > 15 ? 15 : block->np_credit < 0 ? 0 : (unsigned)block->np_credit;
	block->in->nph_av = block->np_shown[7];
	block->in->cc_ready = pcie_go(b, GAP_CC);
	block->in->rq_ready = pcie_go(b, GAP_RQ);
}

void pcie_block_clock(struct pcie_block *block, const struct pcie_pins_out *out)
{
	struct pcie_pins_in *in = block->in;

	if (out->msix_int)
		interrupt(block, out->msi_int);
	if ((block->rq.open && !out->rq.valid) || (block->cc.open && !out->cc.valid))
		pcie_fail(block->bench, "tvalid deasserted inside a packet: RQ, CC", 0, block->rq.open | block->cc.open << 1);
	if (out->rq.valid && in->rq_ready)
		rq_beat(block, &out->rq);
	if (out->cc.valid && in->cc_ready)
		cc_beat(block, &out->cc);
	if (in->cq.valid && out->cq_ready)
		cq_taken(block);
	if (in->rc.valid && out->rc_ready) {
		in->rc.valid = false;
		block->rc_full = block->rc.at < block->rc.dwords;
	}
	pcie_same(block->bench, "np_req", 0, out->np_req >> 1);
	block->credits += out->np_req;
	if (block->credits > 1)
		pcie_fail(block->bench, "credit for more than one non-posted request", 1, block->credits);
}
