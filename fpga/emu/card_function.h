/* SPDX-License-Identifier: Apache-2.0 */
/* The card as a PCI function: connects its logic to configuration space, BARs, bus and interrupts. */
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

/** Parameters of a card. */
struct card_make {
	uint64_t serial;
	card_logic_create create;
	bool msi;	   /* instead of MSI-X */
	struct link *link; /* open, closed with the card; NULL: none */
};

/** Returns 0, or an error of `create`. */
int card_function_create(struct card_function *card, const struct card_make *make);
void card_function_destroy(struct card_function *card);

/** The client has disconnected: removes guest memory and interrupts, and resets the card. */
void card_function_disconnected(void *card);

#endif /* GPULINK_EMU_CARD_FUNCTION_H */
