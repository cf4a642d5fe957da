/* SPDX-License-Identifier: Apache-2.0 */
/* The card as a PCI function: configuration space and BARs in front of its logic, and what the logic does on the bus. */
#ifndef GPULINK_EMU_CARD_FUNCTION_H
#define GPULINK_EMU_CARD_FUNCTION_H

#include "pci/dma.h"
#include "pci/fabric.h"
#include "pci/irq.h"
#include "link/link.h"
#include "logic/logic.h"
#include "pci/pci_config.h"
#include "vfio/vfio_user.h"

#define CARD_PEERS_MAX 16u

struct card_function {
	struct logic logic;
	struct pci_config config;
	struct dma_table dma;
	struct irq irq;
	struct fabric_peer peers[CARD_PEERS_MAX];
	unsigned peer_count;
	struct vfu_function vfu;
	struct link *link; /* NULL: none */
};

/** logic_model_create() or logic_rtl_create(). */
typedef int (*card_logic_create)(const struct logic_config *config, struct logic *logic);

/** What a card is made of. */
struct card_make {
	uint64_t serial;
	card_logic_create create;
	bool msi;	   /* instead of MSI-X */
	struct link *link; /* NULL: none; opened, and closed with the card */
};

/** Returns 0, or what `create` says. */
int card_function_create(struct card_function *card, const struct card_make *make);
void card_function_destroy(struct card_function *card);

/** The virtual machine has gone: its memory and interrupts with it, and the card is reset. */
void card_function_disconnected(void *card);

#endif /* GPULINK_EMU_CARD_FUNCTION_H */
