// SPDX-License-Identifier: Apache-2.0
/*
 * The two paradigms that keep nothing. Peer stores (FinePack II-B): a transaction for each store. Bulk copies: what the
 * programmer, who does not know what changed, copies at the end of a phase, in the largest transactions the link has.
 */
#include "direct.h"

#include <stdlib.h>

#include "hops.h"

void *direct_create(const struct setting *setting)
{
	struct direct *d = calloc(1, sizeof(*d));

	if (d)
		*d = (struct direct){ .link = setting->link, .flits = setting->flits };
	return d;
}

void direct_send(struct direct *d, uint64_t address, uint64_t size)
{
	d->tally.wire_bytes += link_write(&d->link, address, size, &d->tally.packets);
	d->tally.data_bytes += size;
	if (d->flits)
		d->tally.flit_bytes += hops_flits_of_write(address, size);
}

void direct_nothing(void *state, uint64_t address, uint32_t size)
{
	(void)state;
	(void)address;
	(void)size;
}

void direct_no_release(void *state)
{
	(void)state;
}

const struct tally *direct_tally(const void *state)
{
	return &((const struct direct *)state)->tally;
}

static void paradigm_direct_send(void *state, uint64_t address, uint32_t size)
{
	direct_send(state, address, size);
}

#define KEEPS_NOTHING(on_store, on_copy)                                                                            \
	.create = direct_create, .free = free, .store = (on_store), .load = direct_nothing, .copy = (on_copy),      \
	.release = direct_no_release, .tally = direct_tally

const struct paradigm paradigm_p2p = {
	.name = "p2p",
	.label = "p2p",
	.summary = "plain peer stores, one transaction each",
	KEEPS_NOTHING(paradigm_direct_send, direct_nothing),
};

/* PROACT's inline way (III-C) repeats each store for each target: that is what a peer store is. */
const struct paradigm paradigm_proact_inline = {
	.name = "proact-inline",
	.label = "proact-inline (p2p)",
	.summary = "PROACT's inline stores: p2p by definition; through a card they are finepack",
	KEEPS_NOTHING(paradigm_direct_send, direct_nothing),
};

#define BY_REGION(which, text)                                                                                                 \
	.by_region = true, .agent = (which), .summary = (text), KEEPS_NOTHING(direct_nothing, direct_nothing)

const struct paradigm paradigm_proact_polling = {
	.name = "proact-polling",
	.label = "proact-polling",
	BY_REGION(AGENT_POLLING, "PROACT's regions: chunks are sent when they are complete, by threads that poll"),
};

const struct paradigm paradigm_proact_launch = {
	.name = "proact-launch",
	.label = "proact-launch",
	BY_REGION(AGENT_LAUNCH, "the same, by a kernel that is launched for each chunk"),
};

const struct paradigm paradigm_proact_hw = {
	.name = "proact-hw",
	.label = "proact-hw",
	BY_REGION(AGENT_CARD, "the same, by counters and an engine in hardware"),
};

const struct paradigm paradigm_dma = {
	.name = "dma",
	.label = "dma",
	.summary = "bulk copies at the end of each phase",
	KEEPS_NOTHING(direct_nothing, paradigm_direct_send),
};
