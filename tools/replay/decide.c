// SPDX-License-Identifier: Apache-2.0
#include "decide.h"

#include <string.h>

#include <gpulink_regs.h>

static struct options *add(struct options *runs, unsigned *count, const struct options *o, enum topology topology,
			   const struct paradigm *const *list)
{
	struct options *run = &runs[(*count)++];

	*run = *o;
	run->watch = NULL;
	run->setting.topology = run->timing.topology = topology;
	run->setting.flits = o->setting.flits && topology == TOPOLOGY_CARDS;
	for (unsigned i = 0; (run->paradigms[i] = list[i]); i++)
		;
	return run;
}

static void at_width(struct options *run, unsigned subheader_bytes)
{
	run->setting.subheader_bytes = run->setting.packing_subheader_bytes = subheader_bytes;
}

unsigned decide_runs(const struct options *o, struct options runs[DECIDE_RUNS])
{
	static const struct paradigm *const without[] = { &paradigm_p2p, &paradigm_dma, &paradigm_lanes,
							  &paradigm_proact_polling, NULL };
	static const struct paradigm *const logic[] = { &paradigm_finepack, &paradigm_packing, &paradigm_packing_compact,
							NULL };
	static const struct paradigm *const lanes[] = { &paradigm_lanes, NULL };
	enum topology topology = o->setting.topology;
	unsigned count = 0;

	add(runs, &count, o, topology == TOPOLOGY_CARDS ? TOPOLOGY_CARDS : TOPOLOGY_LANES, without);
	if (topology_has_lanes(topology)) { /* would a card that packs help? */
		if (topology == TOPOLOGY_LANES_CARD)
			add(runs, &count, o, topology, lanes);
		topology = TOPOLOGY_CARD;
	}
	if (topology == TOPOLOGY_CARD && strcmp(o->setting.link.name, "nvlink") == 0)
		return count; /* no card is on it */
	at_width(add(runs, &count, o, topology, logic), o->setting.subheader_bytes);
	/* The other width that covers all of an endpoint, or takes less. */
	at_width(add(runs, &count, o, topology, logic), o->setting.subheader_bytes == 6 ? 5 : 6);
	return count;
}

static void better(struct way *best, const struct way *way)
{
	if (!best->paradigm || way->cost_ps < best->cost_ps)
		*best = *way;
}

void decide_take(struct decision *d, const struct options *run, const struct result *result, unsigned results, bool oracle)
{
	d->timed = run->timed;
	for (unsigned i = 0; i < results; i++) {
		const struct result *r = &result[i];
		struct way way = { .paradigm = r->paradigm,
				   .topology = run->setting.topology,
				   .limit = r->limit,
				   .subheader_bytes = run->setting.subheader_bytes,
				   .payload_bytes = run->setting.link.payload_bytes,
				   .cost_ps = run->timed ? r->time_ps : r->hop[r->limit].busy_ps };
		uint64_t left = 0;

		if (r->paradigm->by_region && oracle)
			continue;
		for (unsigned hop = 0; hop < HOPS; hop++)
			way.hop[hop] = r->hop[hop];
		for (unsigned k = 0; k < TALLY_REASONS; k++)
			left += r->left[k];
		if (left)
			way.window_misses = (double)r->left[GLK_FLUSH_WINDOW_MISS] / (double)left;
		better(r->paradigm->packer == PACKER_LOGIC || run->setting.topology == TOPOLOGY_LANES_CARD ? &d->card :
													     &d->without,
		       &way);
	}
}

double decide_gain(const struct decision *d)
{
	if (!d->card.paradigm || !d->card.cost_ps)
		return 1;
	return (double)d->without.cost_ps / (double)d->card.cost_ps;
}

void decide_name(const struct way *way, char *text, size_t room)
{
	if (!way->paradigm)
		snprintf(text, room, "none");
	else if (way->paradigm->packer == PACKER_LOGIC)
		snprintf(text, room, "%s, sub-headers of %u", way->paradigm->name, way->subheader_bytes);
	else
		snprintf(text, room, "%s", way->paradigm->name);
}

void decide_commands(FILE *to, const struct way *way)
{
	fprintf(to, "gpulinkctl set-policy %s\n", way->paradigm == &paradigm_finepack ? "paper" : "best");
	if (way->paradigm == &paradigm_packing)
		fputs("gpulinkctl set-format subheader\n", to);
	fprintf(to, "gpulinkctl set-subheader %u\ngpulinkctl set-payload %u\n", way->subheader_bytes, way->payload_bytes);
}

const char *decide_hop(enum hop hop)
{
	static const char *const names[HOPS] = { "the source's hop", "the link between the cards", "the destination's hop" };

	return names[hop];
}
