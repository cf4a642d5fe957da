/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether PCI functions can reach each other directly. */
#ifndef GLK_PEER_H
#define GLK_PEER_H

#include <linux/pci.h>

struct glk_card;

int glk_peer_init(struct pci_dev *pdev);
int glk_peer_check(struct glk_card *card, struct pci_dev *endpoint, int *distance);
bool glk_peer_is_direct(struct glk_card *card, struct pci_dev *endpoint);
bool glk_peer_unchecked_default(void);

#endif /* GLK_PEER_H */
