// SPDX-License-Identifier: Apache-2.0
#include "path.h"
#include "show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool card_selected(const struct function *function, const char *card)
{
	return function->kind == KIND_CARD &&
	       (!card || !strcmp(card, function->address) || !strcmp(card, function->system.card_name));
}

void link_text(struct link_rate rate, char text[24])
{
	static const char *const speeds[] = {"", "2.5", "5", "8", "16", "32", "64"};

	if (rate.lanes)
		snprintf(text, 24, "%s GT/s x%u", speeds[rate.generation], rate.lanes);
	else
		snprintf(text, 24, "-");
}

static const char *port_name(const struct function *f)
{
	switch (f->port) {
	case PORT_ROOT: return "root port";
	case PORT_UPSTREAM: return "switch";
	case PORT_DOWNSTREAM: return "switch port";
	default: return "bridge";
	}
}

static const char *role(const struct function *f)
{
	switch (f->kind) {
	case KIND_CARD: return "card";
	case KIND_GPU: return "GPU";
	case KIND_NIC: return "NIC";
	case KIND_BRIDGE: return port_name(f);
	default: return "device";
	}
}

/* Bits that are set, or "off". */
static void show_acs(const struct function *f)
{
	static const struct {
		unsigned bit;
		const char *name;
	} bits[] = {{0x01, "source-validation"},   {0x02, "translation-blocking"}, {0x04, "request-redirect"},
		    {0x08, "completion-redirect"}, {0x10, "upstream-forwarding"},  {0x20, "egress-control"},
		    {0x40, "direct-translated"}};
	bool any = false;

	if (!f->extended_known || !f->has_acs) {
		if (f->kind == KIND_BRIDGE)
			printf(", ACS %s", f->extended_known ? "none" : "not readable");
		return;
	}
	printf(", ACS ");
	for (unsigned i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		if (f->acs_enabled & bits[i].bit) {
			printf("%s%s", any ? " " : "", bits[i].name);
			any = true;
		}
	}
	if (!any)
		printf("off");
}

static void show_bar(const struct function *f)
{
	int index = function_endpoint_bar(f);
	uint64_t bytes = index < 0 ? 0 : f->bars[index].bytes, most = 0;

	if (index < 0 || f->kind != KIND_GPU)
		return;
	for (unsigned n = 20; n < 48; n++)
		most = f->bars[index].sizes >> n & 1 ? UINT64_C(1) << n : most;
	if (bytes)
		printf(", BAR %d %" PRIu64 " MiB", index, bytes >> 20);
	else
		printf(", BAR %d of unknown size", index);
	if (most)
		printf(" (resizable, at most %" PRIu64 " MiB)", most >> 20);
}

static void show_express(const struct tree *tree, const struct function *f)
{
	char now[24], most[24];

	if (function_has_link_above(tree, f)) {
		link_text(function_link(tree, f), now);
		link_text(function_link_most(tree, f), most);
		printf(", link %s (at most %s)", now, most);
	}
	if (f->payload)
		printf(", MPS %u of %u, MRRS %u", f->payload, f->payload_most, f->read_request);
	if (f->kind == KIND_BRIDGE) {
		printf(", AtomicOps %s", f->atomics_blocked ? "blocked" : f->atomics_routed ? "routed" : "not routed");
		return;
	}
	printf(", relaxed ordering %s", f->relaxed_ordering ? "on" : "off");
	printf(", AtomicOps %s%s%s", f->atomics_complete ? "completer" : "", f->atomics_request ? "requester" : "",
	       f->atomics_complete || f->atomics_request ? "" : "none");
	printf(", 10-bit tags %s", f->tags10_enabled ? "on" : f->tags10_request ? "off" : "none");
}

static void show_function(const struct tree *tree, const struct function *f, int depth)
{
	bool usual = !*f->system.card_state || !strcmp(f->system.card_state, "live");

	printf("%*s%s  %s%s%s: %s%s%s\n", 2 * depth, "", f->address, role(f), *f->system.card_name ? " " : "",
	       f->system.card_name, f->name, usual ? "" : ", ", usual ? "" : f->system.card_state);
	printf("%*s", 2 * depth + 4, "");
	if (f->system.numa_node == NO_NUMA_NODE)
		printf("NUMA node -");
	else
		printf("NUMA node %d", f->system.numa_node);
	if (f->system.iommu_group >= 0)
		printf(", IOMMU group %d%s%s%s", f->system.iommu_group, *f->system.iommu_type ? " (" : "", f->system.iommu_type,
		       *f->system.iommu_type ? ")" : "");
	if (f->port != PORT_NONE)
		show_express(tree, f);
	show_acs(f);
	show_bar(f);
	if (f->aer.counted)
		printf(", AER %" PRIu64 " correctable %" PRIu64 " non-fatal %" PRIu64 " fatal", f->aer.correctable_count,
		       f->aer.nonfatal_count, f->aer.fatal_count);
	printf("\n");
}

static void show_below(const struct tree *tree, int parent, int depth)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct function *f = &tree->functions[i];

		if (!f->useful || f->parent != parent)
			continue;
		show_function(tree, f, depth);
		show_below(tree, (int)i, depth + 1);
	}
}

static void show_path(const struct tree *tree, const struct function *card, const struct function *endpoint)
{
	struct path path = path_judge(tree, card, endpoint);
	char name[32], left[48] = "-";

	function_endpoint_name(endpoint, name);
	if (path.mbytes && path.percent)
		snprintf(left, sizeof(left), "%u.%u GB/s (%u %%)", path.mbytes / 1000, path.mbytes % 1000 / 100, path.percent);
	else if (path.mbytes)
		snprintf(left, sizeof(left), "%u.%u GB/s", path.mbytes / 1000, path.mbytes % 1000 / 100);
	printf("%-16s  %-16s  %-12s  %-18s  %s", function_card_name(card), name, verdict_name(path.verdict), left, path.reason);
	if (path.narrowest && path.narrowest != card)
		printf("; narrowest link: %s", path.narrowest->address);
	printf("\n");
}

void show_tree(const struct tree *tree, const char *card)
{
	bool any = false;

	show_below(tree, -1, 0);
	for (size_t c = 0; c < tree->count; c++) {
		for (size_t e = 0; card_selected(&tree->functions[c], card) && e < tree->count; e++) {
			if (!function_is_endpoint(&tree->functions[e]))
				continue;
			if (!any)
				printf("\n%-16s  %-16s  %-12s  %-18s  %s\n", "CARD", "ENDPOINT", "PATH", "BANDWIDTH LEFT",
				       "REASON");
			any = true;
			show_path(tree, &tree->functions[c], &tree->functions[e]);
		}
	}
	if (!any)
		printf("\nno pair of a card and an endpoint\n");
}

void show_findings(const struct findings *findings)
{
	unsigned counts[3] = {0};

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->list[i];

		counts[f->weight]++;
		printf("%s [%s] %s: %s\n    cost: %s\n    fix:  %s\n", weight_name(f->weight), f->check, f->where, f->what,
		       f->cost, f->fix);
	}
	printf("errors: %u, warnings: %u, notes: %u\n", counts[WEIGHT_ERROR], counts[WEIGHT_WARNING], counts[WEIGHT_NOTE]);
}
