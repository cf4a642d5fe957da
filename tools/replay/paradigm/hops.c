// SPDX-License-Identifier: Apache-2.0
#include "hops.h"

#include <math.h>

#include "netcrafter/flit.h"

/* Bytes of packets on the link (docs/link-format.md, "Packets"). */
enum { READ_REQUEST = 12, READ_RESPONSE = 68, WRITE_REQUEST = 76, ATOMIC_REQUEST = 28 };

static uint64_t lines(uint64_t address, uint64_t size)
{
	return size ? (address + size - 1) / GLK_LINK_LINE_BYTES - address / GLK_LINK_LINE_BYTES + 1 : 0;
}

uint64_t hops_flits_of_packet(uint64_t bytes)
{
	return (bytes + GLK_FLIT_BYTES - 1) / GLK_FLIT_BYTES * GLK_FLIT_BYTES;
}

uint64_t hops_flits_of_write(uint64_t address, uint64_t size)
{
	return lines(address, size) * hops_flits_of_packet(WRITE_REQUEST);
}

uint64_t hops_flits_of_request(uint64_t address, uint64_t size)
{
	return lines(address, size) * hops_flits_of_packet(READ_REQUEST);
}

uint64_t hops_flits_of_answer(uint64_t address, uint64_t size)
{
	return lines(address, size) * hops_flits_of_packet(READ_RESPONSE);
}

uint64_t hops_flits_of_atomic(void)
{
	return hops_flits_of_packet(ATOMIC_REQUEST);
}

bool hops_between(const struct setting *setting, unsigned gpus, unsigned source, unsigned destination)
{
	return setting->topology == TOPOLOGY_CARDS && topology_cluster(source, gpus) != topology_cluster(destination, gpus);
}

struct crossing hops_alike(const struct setting *setting, struct hop_load load, uint64_t flit_bytes, bool between)
{
	struct crossing c = { .forward = { [HOP_SOURCE] = load, [HOP_DESTINATION] = load } };

	if (!between)
		return c;
	c.forward[HOP_LINK] = load;
	if (setting->flits)
		c.forward[HOP_LINK].bytes = flit_bytes;
	return c;
}

struct crossing hops_crossing(const struct setting *setting, const struct paradigm *paradigm, const struct tally *tally,
			      const struct plain_load *plain, bool between)
{
	const struct hop_load sent = { tally->wire_bytes, tally->packets };
	struct crossing c = hops_alike(setting, sent, tally->flit_bytes, between);

	if (paradigm->packer == PACKER_LOGIC && topology_has_card(setting->topology)) {
		c.forward[HOP_SOURCE] = plain->load;
		c.card.taken = plain->beats;
		c.card.packed = tally->packed_bytes;
	} else if (paradigm->packer == PACKER_PROGRAM && setting->topology == TOPOLOGY_LANES_CARD) {
		c.back[HOP_SOURCE] = tally->asked;
	} else {
		return c;
	}
	c.forward[HOP_DESTINATION] = tally->writes;
	c.card.runs = tally->writes.transactions;
	c.card.written = tally->written_beats;
	return c;
}

static void load_add(struct hop_load *sum, const struct hop_load *load)
{
	sum->bytes += load->bytes;
	sum->transactions += load->transactions;
}

struct crossing hops_since(const struct crossing *now, const struct crossing *before)
{
	struct crossing c;

	for (unsigned hop = 0; hop < HOPS; hop++) {
		const struct hop_load *f = &now->forward[hop], *b = &now->back[hop];

		c.forward[hop] = (struct hop_load){ f->bytes - before->forward[hop].bytes,
						    f->transactions - before->forward[hop].transactions };
		c.back[hop] = (struct hop_load){ b->bytes - before->back[hop].bytes,
						 b->transactions - before->back[hop].transactions };
	}
	c.card = (struct card_load){ .taken = now->card.taken - before->card.taken,
				     .runs = now->card.runs - before->card.runs,
				     .written = now->card.written - before->card.written,
				     .packed = now->card.packed - before->card.packed };
	return c;
}

void hops_sum(struct crossing *sum, const struct crossing *more)
{
	for (unsigned hop = 0; hop < HOPS; hop++) {
		load_add(&sum->forward[hop], &more->forward[hop]);
		load_add(&sum->back[hop], &more->back[hop]);
	}
	sum->card.taken += more->card.taken;
	sum->card.runs += more->card.runs;
	sum->card.written += more->card.written;
	sum->card.packed += more->card.packed;
}

void hops_add(struct hops *h, unsigned gpus, unsigned source, unsigned destination, const struct crossing *c)
{
	hops_sum(&h->all, c);
	load_add(&h->out[source], &c->forward[HOP_SOURCE]);
	load_add(&h->in[source], &c->back[HOP_SOURCE]);
	load_add(&h->in[destination], &c->forward[HOP_DESTINATION]);
	load_add(&h->out[destination], &c->back[HOP_DESTINATION]);
	load_add(&h->between[topology_cluster(source, gpus)], &c->forward[HOP_LINK]);
	load_add(&h->between[topology_cluster(destination, gpus)], &c->back[HOP_LINK]);
}

void hops_add_way(struct hops *h, unsigned gpus, unsigned source, unsigned destination, const struct crossing *c, bool answer)
{
	struct crossing back = { .back = { c->forward[HOP_SOURCE], c->forward[HOP_LINK], c->forward[HOP_DESTINATION] } };

	hops_add(h, gpus, source, destination, answer ? &back : c);
}

void hops_merge(struct hops *sum, const struct hops *other)
{
	hops_sum(&sum->all, &other->all);
	for (unsigned g = 0; g < REPLAY_GPUS_MAX; g++) {
		load_add(&sum->out[g], &other->out[g]);
		load_add(&sum->in[g], &other->in[g]);
	}
	for (unsigned i = 0; i < 2; i++)
		load_add(&sum->between[i], &other->between[i]);
}

static struct hop_load busiest(const struct hop_load *of, unsigned count)
{
	struct hop_load most = { 0 };

	for (unsigned i = 0; i < count; i++)
		if (of[i].bytes > most.bytes)
			most = of[i];
	return most;
}

void hops_results(const struct hops *h, const struct setting *setting, unsigned gpus, uint64_t transaction_ps,
		  uint64_t dllp_bytes, struct hop_result result[HOPS])
{
	for (unsigned hop = 0; hop < HOPS; hop++) {
		struct hop_result *r = &result[hop];
		double bandwidth = hop == HOP_LINK ? setting->between_bytes_per_second : link_bytes_per_second(&setting->link);
		double bytes_ps, least_ps;

		*r = (struct hop_result){ .forward = h->all.forward[hop], .back = h->all.back[hop] };
		r->busiest = hop == HOP_LINK ? busiest(h->between, 2) : busiest(hop == HOP_SOURCE ? h->out : h->in, gpus);
		if (!r->busiest.bytes)
			continue;
		bytes_ps = (double)(r->busiest.bytes + r->busiest.transactions * dllp_bytes) / bandwidth * 1e12;
		least_ps = (double)r->busiest.transactions * (double)transaction_ps;
		r->busy_ps = (uint64_t)llround(fmax(bytes_ps, least_ps));
	}
}
