// SPDX-License-Identifier: Apache-2.0
/* Checks of the kernel, the driver, and what this user may do. */
#include "findings.h"

#include <inttypes.h>
#include <string.h>

/* What a program commonly registers; the driver charges it to RLIMIT_MEMLOCK. */
#define MEMLOCK_ENOUGH (UINT64_C(64) << 20)

static void check_kernel(const struct machine *machine, struct findings *findings)
{
	struct finding *f;

	if (machine->p2pdma != NO)
		return;
	f = finding_add(findings, WEIGHT_WARNING, "no-p2pdma", "system", "kernel %s has no PCI_P2PDMA", machine->kernel);
	finding_cost(f, "the driver cannot check whether the bridges forward writes to an endpoint, and exports no windows");
	finding_fix(f, "boot a kernel with CONFIG_PCI_P2PDMA=y (Debian 13: linux-image-amd64 from backports)");
}

static void check_module(const struct tree *tree, struct findings *findings)
{
	const struct machine *machine = &tree->machine;
	struct finding *f;

	if (machine->module_loaded == NO) {
		f = finding_add(findings, WEIGHT_ERROR, "no-module", "system", "the module gpulink is not loaded");
		finding_cost(f, "no card is usable");
		if (machine->signatures_required == YES)
			finding_fix(f, "modprobe gpulink; this kernel requires signed modules: mokutil --import "
				       "/var/lib/dkms/mok.pub, and "
				       "confirm in the firmware at the next boot");
		else
			finding_fix(f, "modprobe gpulink");
	}
	if (machine->module_unsigned == YES) {
		f = finding_add(findings, WEIGHT_NOTE, "unsigned-module", "system", "the module gpulink is not signed");
		finding_cost(f, "the kernel is tainted; with secure boot it rejects the module");
		finding_fix(f, "install gpulink-dkms, which signs it, and mokutil --import /var/lib/dkms/mok.pub");
	}
}

static void check_cards(const struct tree *tree, struct findings *findings)
{
	bool any = false;
	struct finding *f;

	for (size_t i = 0; i < tree->count; i++) {
		const struct function *card = &tree->functions[i];

		if (card->kind != KIND_CARD)
			continue;
		any = true;
		if (tree->machine.module_loaded == YES && !*card->system.driver) {
			f = finding_add(findings, WEIGHT_ERROR, "no-driver", card->address, "no driver is bound to the card");
			finding_cost(f, "the card is not usable");
			finding_fix(f, "echo %s > /sys/bus/pci/drivers/gpulink/bind; dmesg shows why it fails", card->address);
		}
		if (!strcmp(card->system.card_state, "lost")) {
			f = finding_add(findings, WEIGHT_ERROR, "card-lost", card->system.card_name,
					"the card is lost: it does not answer the driver");
			finding_cost(f, "nothing can be sent; calls on its open files fail, and it cannot be opened");
			finding_fix(
				f,
				"gpulinkctl --card %s reset; if that fails, power the card off and on; the kernel log and its dump "
				"(docs/recovery.md) have the reason",
				card->system.card_name);
		}
		if (card->system.node_open == NO) {
			f = finding_add(findings, WEIGHT_WARNING, "no-rights", card->system.card_name,
					"this user may not open /dev/%s", card->system.card_name);
			finding_cost(f, "this user's programs cannot use the card");
			finding_fix(f, "adduser $USER gpulink, and log in again");
		}
	}
	if (!any) {
		f = finding_add(findings, WEIGHT_ERROR, "no-card", "system", "no gpulink card (1234:6c6b) is on the PCI bus");
		finding_cost(f, "nothing can be sent");
		finding_fix(f, "reseat the card and check its power; rescan with echo 1 > /sys/bus/pci/rescan");
	}
}

static void check_memlock(const struct machine *machine, struct findings *findings)
{
	struct finding *f;

	if (machine->memlock_known != YES || machine->memlock >= MEMLOCK_ENOUGH)
		return;
	f = finding_add(findings, WEIGHT_WARNING, "memlock", "system", "RLIMIT_MEMLOCK is %" PRIu64 " KiB",
			machine->memlock >> 10);
	finding_cost(f, "registering more memory fails with ENOMEM");
	finding_fix(f, "ulimit -l unlimited; for all sessions \"@gpulink - memlock unlimited\" in "
		       "/etc/security/limits.d/gpulink.conf");
}

void check_system(const struct tree *tree, struct findings *findings)
{
	check_kernel(&tree->machine, findings);
	check_module(tree, findings);
	check_cards(tree, findings);
	check_memlock(&tree->machine, findings);
}
