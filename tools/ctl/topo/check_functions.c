// SPDX-License-Identifier: Apache-2.0
/* Checks of single functions, and of their links. */
#include "findings.h"
#include "path.h"

#include <inttypes.h>
#include <stdio.h>

/* Old BARs of GPUs show this much of their memory. */
#define SMALL_BAR (UINT64_C(256) << 20)

static const char *const speeds[] = {"?", "2.5", "5", "8", "16", "32", "64"};

static void check_link(const struct tree *tree, const struct function *f, struct findings *findings)
{
	struct link_rate now = function_link(tree, f), most = function_link_most(tree, f);
	unsigned carries = link_rate_mbytes(now), could = link_rate_mbytes(most);
	struct finding *finding;

	if (!carries || carries >= could)
		return;
	finding = finding_add(findings, WEIGHT_WARNING, "degraded-link", f->address,
			      "the link runs at %s GT/s x%u; both ends support %s GT/s x%u", speeds[now.generation], now.lanes,
			      speeds[most.generation], most.lanes);
	finding_cost(finding, "%u.%u of %u.%u GB/s", carries / 1000, carries % 1000 / 100, could / 1000, could % 1000 / 100);
	if (now.lanes < most.lanes)
		finding_fix(finding, "reseat the card; check the slot's wiring, riser and the firmware's bifurcation setting");
	else if (f->kind == KIND_GPU)
		finding_fix(finding, "GPUs slow the link down when idle: repeat under load; otherwise check the firmware's "
				     "link speed setting");
	else
		finding_fix(
			finding,
			"setpci -s %s CAP_EXP+10.w=20:20 retrains it; check the firmware's link speed setting and the riser",
			function_above(tree, f)->address);
}

/* A function that sends larger writes than the port above accepts: malformed TLPs. */
static void check_mismatch(const struct tree *tree, const struct function *f, struct findings *findings)
{
	const struct function *above = function_above(tree, f);
	struct finding *finding;

	if (!above || !f->payload || !above->payload || f->payload == above->payload)
		return;
	finding = finding_add(findings, WEIGHT_ERROR, "mps-mismatch", f->address,
			      "payload size (MPS) %u bytes; %u bytes at the bridge %s above", f->payload, above->payload,
			      above->address);
	finding_cost(finding, "writes above %u bytes are malformed TLPs: uncorrectable errors, lost data",
		     f->payload < above->payload ? f->payload : above->payload);
	finding_fix(finding, "kernel parameter pci=pcie_bus_safe");
}

static void check_bar(const struct function *f, struct findings *findings)
{
	int index = function_endpoint_bar(f);
	const struct bar *bar = index < 0 ? NULL : &f->bars[index];
	uint64_t most = 0;
	struct finding *finding;
	unsigned bit = 0;

	if (!bar || f->kind != KIND_GPU || !bar->bytes)
		return;
	for (unsigned n = 20; n < 48; n++) {
		if (bar->sizes >> n & 1) {
			most = UINT64_C(1) << n;
			bit = n;
		}
	}
	if (most <= bar->bytes)
		return;
	finding = finding_add(findings, WEIGHT_WARNING, "small-bar", f->address, "BAR %d is %" PRIu64 " MiB of %" PRIu64 " MiB",
			      index, bar->bytes >> 20, most >> 20);
	finding_cost(finding, "windows reach %" PRIu64 " MiB of its memory%s", bar->bytes >> 20,
		     bar->bytes <= SMALL_BAR ? ", the size of a machine without resizable BARs" : "");
	finding_fix(finding,
		    "firmware: Above 4G Decoding and Resizable BAR; or, without its driver, echo %u > "
		    "/sys/bus/pci/devices/%s/resource%d_resize",
		    bit - 20, f->address, index);
}

static void check_errors(const struct function *f, struct findings *findings)
{
	const struct aer *aer = &f->aer;
	bool lost = aer->nonfatal_count || aer->fatal_count; /* status bits alone may stem from the search for devices */
	struct finding *finding;

	if (!lost && !aer->correctable_count && !aer->correctable && !aer->uncorrectable)
		return;
	finding = finding_add(findings, lost ? WEIGHT_WARNING : WEIGHT_NOTE, "errors", f->address,
			      "AER: %" PRIu64 " correctable, %" PRIu64 " non-fatal, %" PRIu64
			      " fatal errors counted; status registers %08x, %08x",
			      aer->correctable_count, aer->nonfatal_count, aer->fatal_count, aer->correctable,
			      aer->uncorrectable);
	finding_cost(finding, lost ? "transactions were lost" : "correctable errors: the link repeats packets");
	finding_fix(finding, "reseat the card, replace riser or cable; dmesg names the errors");
}

static void check_card(const struct function *f, struct findings *findings)
{
	struct finding *finding;

	if (f->kind != KIND_CARD || f->port == PORT_NONE)
		return;
	if (!f->relaxed_ordering) {
		finding = finding_add(findings, WEIGHT_NOTE, "no-relaxed-ordering", f->address, "relaxed ordering is off");
		finding_cost(finding, "reads of host memory wait behind writes");
		finding_fix(finding, "setpci -s %s CAP_EXP+8.w=10:10; the firmware may forbid it (relaxed ordering)",
			    f->address);
	}
	if (f->tags10_request && !f->tags10_enabled) {
		finding =
			finding_add(findings, WEIGHT_NOTE, "no-10-bit-tags", f->address, "10-bit tags are supported, and off");
		finding_cost(finding, "at most 256 reads are outstanding; writes are not affected");
		finding_fix(finding, "the firmware's setting for 10-bit tags");
	}
}

static void check_iommu(const struct function *f, struct findings *findings)
{
	struct finding *finding;

	if (f->kind != KIND_CARD || !card_is_translated(f))
		return;
	finding = finding_add(findings, WEIGHT_NOTE, "iommu-translates", f->address,
			      "the IOMMU translates the card's accesses (group %d: %s)", f->system.iommu_group,
			      f->system.iommu_type);
	finding_cost(finding,
		     "each page of host memory is mapped and unmapped, and looked up on access; it also protects the host");
	finding_fix(finding, "kernel parameter iommu=pt, where all of the machine's devices are trusted");
}

static void check_unread(const struct function *f, struct findings *findings)
{
	struct finding *finding;

	if (f->caps_known && f->extended_known)
		return;
	finding = finding_add(findings, WEIGHT_WARNING, "not-read", f->address,
			      "%u bytes of its configuration space were readable", f->config_bytes);
	finding_cost(finding, "link, payload size or ACS are not known: paths cannot be judged");
	finding_fix(finding, "run as root; for a dump: sudo gpulinkctl topo --dump FILE, or sudo lspci -Dvvxxxx");
}

void check_functions(const struct tree *tree, struct findings *findings)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct function *f = &tree->functions[i];

		if (!f->useful || !function_carries(tree, f))
			continue;
		check_unread(f, findings);
		check_link(tree, f, findings);
		check_mismatch(tree, f, findings);
		check_bar(f, findings);
		check_errors(f, findings);
		check_card(f, findings);
		check_iommu(f, findings);
	}
}
