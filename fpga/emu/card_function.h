/* SPDX-License-Identifier: Apache-2.0 */
/* The card as a PCI function: configuration space and BARs in front of the model, and what the model asks for. */
#ifndef GPULINK_EMU_CARD_FUNCTION_H
#define GPULINK_EMU_CARD_FUNCTION_H

#include <card.h>

#include "dma.h"
#include "fabric.h"
#include "irq.h"
#include "pci_config.h"
#include "vfio_user.h"

#define CARD_PEERS_MAX 16u

struct card_function {
	struct glk_card *model;
	struct pci_config config;
	struct dma_table dma;
	struct irq irq;
	struct fabric_peer peers[CARD_PEERS_MAX];
	unsigned peer_count;
	struct vfu_function vfu;
};

/** Makes the card of glk_card_config_default(), looped onto itself. Returns 0, -EINVAL or -ENOMEM. */
int card_function_create(struct card_function *card, uint64_t serial);
void card_function_destroy(struct card_function *card);

/** The virtual machine has gone: its memory and interrupts with it, and the card is reset. */
void card_function_disconnected(void *card);

#endif /* GPULINK_EMU_CARD_FUNCTION_H */
