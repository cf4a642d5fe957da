// SPDX-License-Identifier: Apache-2.0
#include "axi_memory.h"

#include <string.h>

void axi_memory_start(struct axi_memory *m, struct chance *chance)
{
	static const unsigned rates[] = { 256, 256, 200, 90, 20 };
	static const unsigned latencies[] = { 1, 10, 60 };

	memset(m, 0, sizeof(*m));
	m->chance = chance;
	m->ready_rate = rates[below(chance, 5)];
	m->latency = latencies[below(chance, 3)];
}

static bool is_wrong(const struct axi_burst *b)
{
	return b->address >= AXI_MEMORY_WRONG;
}

static void request(struct axi_memory *m, struct axi_burst *b, uint64_t address, unsigned len)
{
	unsigned lanes = pool_axi_lanes();

	*b = (struct axi_burst){ .address = address,
				 .beats = len + 1,
				 .due = m->clock + 1 + below(m->chance, m->latency),
				 .early = below(m->chance, 2) };
	m->bursts++;
	if (address % lanes)
		m->failure = "an address that is no line's";
	else if (address / 4096 != (address + (uint64_t)len * lanes) / 4096 || address >= AXI_MEMORY_BYTES)
		m->failure = "a burst across 4 KiB, or beyond the memory";
}

static void do_write(struct axi_memory *m, struct axi_burst *b)
{
	unsigned lanes = pool_axi_lanes();

	for (unsigned k = 0; k < b->beats; k++, m->w_done++)
		for (unsigned i = 0; i < lanes; i++)
			if (m->beat[m->w_done % 4096].strobes >> i & 1 && !is_wrong(b))
				m->bytes[b->address + k * lanes + i] = m->beat[m->w_done % 4096].data[i];
}

static void do_read(const struct axi_memory *m, struct axi_burst *b, unsigned from)
{
	unsigned lanes = pool_axi_lanes();

	memcpy(b->data + from * lanes, m->bytes + b->address + from * lanes, (b->beats - from) * lanes);
}

static bool ready(struct axi_memory *m)
{
	return below(m->chance, 256) < m->ready_rate;
}

static void take(struct axi_memory *m, struct pool_axi_pins *p)
{
	if (p->awvalid && p->awready)
		request(m, &m->write[m->aw++ % AXI_MEMORY_QUEUE], p->awaddr, p->awlen);
	if (p->arvalid && p->arready) {
		struct axi_burst *b = &m->read[m->ar++ % AXI_MEMORY_QUEUE];

		request(m, b, p->araddr, p->arlen);
		if (b->early)
			do_read(m, b, 0);
	}
	if (p->wvalid && p->wready) {
		memcpy(m->beat[m->w_came % 4096].data, p->wdata, sizeof(p->wdata));
		m->beat[m->w_came % 4096].strobes = p->wstrb;
		m->beat[m->w_came++ % 4096].last = p->wlast;
	}
}

/* The oldest unanswered write: whether its beats have come, all of them. */
static bool is_complete(struct axi_memory *m)
{
	struct axi_burst *b = &m->write[m->b % AXI_MEMORY_QUEUE];

	if (m->b == m->aw || m->w_came - m->w_used < b->beats)
		return false;
	for (unsigned k = 0; k < b->beats; k++)
		if (m->beat[(m->w_used + k) % 4096].last != (k + 1 == b->beats))
			m->failure = "the last beat is not where the length says";
	if (b->early && m->w_done == m->w_used)
		do_write(m, b);
	return true;
}

static void answer_write(struct axi_memory *m, struct pool_axi_pins *p)
{
	struct axi_burst *b = &m->write[m->b % AXI_MEMORY_QUEUE];

	if (p->bvalid && p->bready) {
		if (m->w_done == m->w_used)
			do_write(m, b);
		m->write_errors += is_wrong(b);
		m->w_used += b->beats;
		m->b++;
		p->bvalid = false;
		b = &m->write[m->b % AXI_MEMORY_QUEUE];
	}
	if (!p->bvalid && is_complete(m) && m->clock >= b->due && ready(m)) {
		p->bvalid = true;
		p->bresp = is_wrong(b) ? 2 + below(m->chance, 2) : 0;
	}
}

static void answer_read(struct axi_memory *m, struct pool_axi_pins *p)
{
	unsigned lanes = pool_axi_lanes();
	struct axi_burst *b = &m->read[m->r % AXI_MEMORY_QUEUE];

	if (p->rvalid && p->rready) {
		m->read_errors += is_wrong(b);
		p->rvalid = false;
		if (++m->r_at == b->beats) {
			m->r_at = 0;
			m->r++;
		}
		b = &m->read[m->r % AXI_MEMORY_QUEUE];
	}
	if (p->rvalid || m->r == m->ar || m->clock < b->due || !ready(m))
		return;
	if (!b->early)
		do_read(m, b, m->r_at);
	p->rvalid = true;
	p->rlast = m->r_at + 1 == b->beats;
	p->rresp = is_wrong(b) ? 2 + below(m->chance, 2) : 0;
	memcpy(p->rdata, b->data + m->r_at * lanes, lanes);
}

void axi_memory_clock(struct axi_memory *m, struct pool_axi_pins *p)
{
	m->clock++;
	take(m, p);
	answer_write(m, p);
	answer_read(m, p);
	p->awready = ready(m) && m->aw - m->b < AXI_MEMORY_QUEUE - 1;
	p->arready = ready(m) && m->ar - m->r < AXI_MEMORY_QUEUE - 1;
	p->wready = ready(m) && m->w_came - m->w_used < 4000;
}
