// SPDX-License-Identifier: Apache-2.0
/* Checks of the paths from cards to endpoints. */
#include "findings.h"
#include "path.h"

#include <stdio.h>
#include <string.h>

/* Lists the redirecting ports from `from` up to and including `to`, as pci=disable_acs_redir= takes them. */
static void list_redirects(const struct tree *tree, const struct function *from, const struct function *to, char *text,
			   size_t size)
{
	for (; from; from = function_above(tree, from)) {
		size_t used = strlen(text);

		if (function_redirects(from) && !strstr(text, from->address))
			snprintf(text + used, size - used, "%s%s", used ? ";" : "", from->address);
		if (from == to)
			return;
	}
}

static void check_redirect(const struct tree *tree, const struct function *card, const struct function *endpoint,
			   const struct path *path, struct findings *findings)
{
	char ports[160] = "";
	struct finding *f;

	list_redirects(tree, endpoint, path->shared, ports, sizeof(ports));
	list_redirects(tree, card, path->shared, ports, sizeof(ports));
	f = finding_add(findings, path->verdict == PATH_BLOCKED ? WEIGHT_ERROR : WEIGHT_WARNING, "acs-redirect",
			endpoint->address, "ACS of %s sends what %s writes to %s through the root complex", ports,
			function_card_name(card), endpoint->address);
	finding_cost(f, path->verdict == PATH_BLOCKED ? "the driver refuses the endpoint" :
							"each write crosses the switch's uplink twice, and the root complex");
	finding_fix(f,
		    "kernel parameter pci=disable_acs_redir=%s (the functions then share an IOMMU group: not with virtual "
		    "machines); "
		    "until the next boot: setpci -s PORT ECAP_ACS+6.w=0:2c",
		    ports);
}

static void check_detour(const struct function *card, const struct function *endpoint, const struct path *path,
			 struct findings *findings)
{
	struct finding *f = finding_add(findings, WEIGHT_WARNING, "iommu-detour", endpoint->address, "%s to %s: %s",
					function_card_name(card), endpoint->address, path->reason);

	finding_cost(f, "each write crosses the uplink of %s twice, and the root complex%s", path->shared->address,
		     path->verdict == PATH_UNKNOWN ? ", which may lose it" : "");
	finding_fix(f, "kernel parameter iommu=pt, where all of the machine's devices are trusted");
}

static void check_unreachable(const struct function *card, const struct function *endpoint, const struct path *path,
			      struct findings *findings)
{
	struct finding *f;

	if (!endpoint->decodes_memory) {
		f = finding_add(findings, WEIGHT_ERROR, "no-decoding", endpoint->address, "%s", path->reason);
		finding_cost(f, "the driver refuses the endpoint (error 24)");
		finding_fix(f, "load its driver, or echo 1 > /sys/bus/pci/devices/%s/enable", endpoint->address);
		return;
	}
	f = finding_add(findings, path->verdict == PATH_BLOCKED ? WEIGHT_ERROR : WEIGHT_WARNING,
			path->verdict == PATH_BLOCKED ? "blocked" : "not-known", endpoint->address, "%s to %s: %s",
			function_card_name(card), endpoint->address, path->reason);
	if (path->verdict == PATH_BLOCKED) {
		finding_cost(f, "the driver refuses the endpoint (EHOSTUNREACH)");
		finding_fix(f,
			    "put both behind one PCIe switch; or test that writes arrive, and echo 1 > "
			    "/sys/class/gpulink/%s/unchecked_peers",
			    *card->system.card_name ? card->system.card_name : "gpulinkN");
	} else {
		finding_cost(f, "writes may be lost without an error");
		finding_fix(f, "put both behind one PCIe switch, or test that writes arrive before relying on them");
	}
}

static void check_sockets(const struct function *card, const struct function *endpoint, struct findings *findings)
{
	int a = card->system.numa_node, b = endpoint->system.numa_node;
	struct finding *f;

	if (a == NO_NUMA_NODE || b == NO_NUMA_NODE || a == b)
		return;
	f = finding_add(findings, WEIGHT_WARNING, "numa", endpoint->address, "%s is on NUMA node %d, %s on node %d",
			endpoint->address, b, function_card_name(card), a);
	finding_cost(f, "writes cross the link between the sockets; processors may forward them far below its bandwidth");
	finding_fix(f, "move one of them to a slot of the other's socket");
}

static void check_payload(const struct tree *tree, const struct function *card, const struct function *endpoint,
			  const struct path *path, struct findings *findings)
{
	const struct function *top = path->verdict == PATH_DIRECT ? path->shared : NULL;
	unsigned able = 0;
	struct finding *f;

	for (int side = 0; side < 2; side++) {
		for (const struct function *x = side ? endpoint : card; x && x != top; x = function_above(tree, x)) {
			if (x->payload_most && (!able || x->payload_most < able))
				able = x->payload_most;
		}
	}
	if (!path->payload || able <= path->payload)
		return;
	f = finding_add(findings, WEIGHT_WARNING, "small-payload", endpoint->address,
			"writes from %s to %s carry %u bytes, though all functions between them support %u",
			function_card_name(card), endpoint->address, path->payload, able);
	finding_cost(f, "%u %% of a link is payload instead of %u %%", payload_mbytes(100, path->payload),
		     payload_mbytes(100, able));
	finding_fix(f, "kernel parameter pci=pcie_bus_perf, or the firmware's setting for the maximum payload size");
}

static bool atomics_pass(const struct tree *tree, const struct function *from, const struct function *top)
{
	for (const struct function *b = function_above(tree, from); b; b = function_above(tree, b)) {
		if (b->port != PORT_NONE && (!b->atomics_routed || b->atomics_blocked))
			return false;
		if (b == top)
			break;
	}
	return true;
}

static void check_atomics(const struct tree *tree, const struct function *card, const struct function *endpoint,
			  const struct path *path, struct findings *findings)
{
	const struct function *top = path->verdict == PATH_DIRECT ? path->shared : NULL;
	struct finding *f;

	if (!endpoint->atomics_complete || (atomics_pass(tree, card, top) && atomics_pass(tree, endpoint, top)))
		return;
	f = finding_add(findings, WEIGHT_NOTE, "no-atomics", endpoint->address,
			"a bridge between %s and %s does not route AtomicOps, though %s completes them",
			function_card_name(card), endpoint->address, endpoint->address);
	finding_cost(f, "PCIe atomics do not reach the endpoint");
	finding_fix(f, "put both behind a switch that routes AtomicOps, or clear AtomicOp egress blocking (setpci CAP_EXP+28.w "
		       "bit 7)");
}

static void check_path(const struct tree *tree, const struct function *card, const struct function *endpoint,
		       struct findings *findings)
{
	struct path path = path_judge(tree, card, endpoint);

	if (path.shared && path.redirects && endpoint->decodes_memory)
		check_redirect(tree, card, endpoint, &path, findings);
	else if (path.shared && path.verdict != PATH_DIRECT && path.verdict != PATH_BLOCKED && card_is_translated(card))
		check_detour(card, endpoint, &path, findings);
	else if (path.verdict == PATH_BLOCKED || path.verdict == PATH_UNKNOWN)
		check_unreachable(card, endpoint, &path, findings);
	if (path.verdict == PATH_BLOCKED)
		return;
	check_sockets(card, endpoint, findings);
	check_payload(tree, card, endpoint, &path, findings);
	check_atomics(tree, card, endpoint, &path, findings);
}

void check_paths(const struct tree *tree, struct findings *findings)
{
	for (size_t c = 0; c < tree->count; c++) {
		for (size_t e = 0; tree->functions[c].kind == KIND_CARD && e < tree->count; e++) {
			if (function_is_endpoint(&tree->functions[e]))
				check_path(tree, &tree->functions[c], &tree->functions[e], findings);
		}
	}
}
