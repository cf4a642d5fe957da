/* SPDX-License-Identifier: Apache-2.0 */
/* The card as a PCI function: connects its logic to configuration space, BARs, bus and interrupts. */
#ifndef GPULINK_EMU_CARD_FUNCTION_H
#define GPULINK_EMU_CARD_FUNCTION_H

#include <signal.h>

#include "pci/dma.h"
#include "pci/fabric.h"
#include "pci/irq.h"
#include "pci/mcap.h"
#include "link/emu_link.h"
#include "logic/logic.h"
#include "pci/pci_config.h"
#include "vfio/vfio_user.h"

#define CARD_PEERS_MAX 16u

/** logic_model_create() or logic_rtl_create(). */
typedef int (*card_logic_create)(const struct logic_config *config, struct logic *logic);

struct card_function {
	struct logic logic;
	struct logic_config logic_config;
	card_logic_create create;
	volatile sig_atomic_t reprogram; /* see card_function_reprogram() */
	struct mcap mcap;
	bool no_logic; /* being loaded, or dead: registers and memories read all ones */
	struct pci_config config;
	struct dma_table dma;
	struct irq irq;
	struct fabric_peer peers[CARD_PEERS_MAX];
	unsigned peer_count;
	struct vfu_function vfu;
	struct link *link; /* NULL: none */
};

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

/**
 * As if the FPGA were reprogrammed: the next function-level reset starts other logic, with the next serial number. For cards
 * without a link. May be called in a signal handler.
 */
void card_function_reprogram(struct card_function *card);

/** The client has disconnected: removes guest memory and interrupts, and resets the card. */
void card_function_disconnected(void *card);

#endif /* GPULINK_EMU_CARD_FUNCTION_H */
