// SPDX-License-Identifier: Apache-2.0
#include "variant.h"

#include <string.h>

static const struct netcrafter_variant variants[] = {
	{ .name = "plain", .summary = "packets are cut into flits; no NetCrafter mechanism" },
	{ .name = "ideal", .summary = "plain, over a link as fast as a GPU's port", .ideal = true },
	{ .name = "stitching", .summary = "stitching without pooling", .stitching = true },
	{ .name = "pooling", .summary = "stitching with pooling", .stitching = true, .pooling = true },
	{ .name = "trimming", .summary = "read responses carry only the requested sector", .trimming = true },
	{ .name = "sequencing", .summary = "latency-critical packets first", .sequencing = true },
	{ .name = "data-first", .summary = "(model only) as many data accesses first as page walks cross", .data_first = true },
	{ .name = "netcrafter",
	  .summary = "stitching, pooling, trimming and sequencing",
	  .stitching = true,
	  .pooling = true,
	  .trimming = true,
	  .sequencing = true },
	{ .name = "tuned",
	  .summary = "(model only) netcrafter with a pooling time tuned from the counters",
	  .stitching = true,
	  .pooling = true,
	  .trimming = true,
	  .sequencing = true,
	  .tuned = true },
	{ .name = "finepack", .summary = "stores are sent as FinePack packets; everything else is plain", .packed = true },
	{ .name = "both",
	  .summary = "finepack and netcrafter on one link",
	  .stitching = true,
	  .pooling = true,
	  .trimming = true,
	  .sequencing = true,
	  .packed = true },
};
#define COUNT (sizeof(variants) / sizeof(variants[0]))
_Static_assert(COUNT <= VARIANTS_MAX, "a list of variants has room for all");

const struct netcrafter_variant *netcrafter_variant_at(unsigned i)
{
	return i < COUNT ? &variants[i] : NULL;
}

const struct netcrafter_variant *netcrafter_variant_named(const char *name)
{
	for (unsigned i = 0; i < COUNT; i++)
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	return NULL;
}

struct netcrafter_setting netcrafter_variant_setting(const struct netcrafter_variant *v,
						     const struct netcrafter_setting *setting)
{
	struct netcrafter_setting s = *setting;

	s.stitching = v->stitching;
	s.pooling = v->pooling;
	s.pool_ns = v->pooling ? s.pool_ns : 0;
	s.trim_bytes = v->trimming ? s.trim_bytes : 0;
	s.sequencing = v->sequencing;
	s.packed = v->packed;
	s.tuned = v->tuned;
	s.data_first = v->data_first ? s.data_first : 0;
	if (v->ideal)
		s.between = s.within;
	if (v->ideal || v == variants) /* no card */
		s.card_mhz = 0;
	return s;
}
