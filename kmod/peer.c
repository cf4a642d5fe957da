// SPDX-License-Identifier: GPL-2.0-only
/* Whether two PCI functions can reach each other directly (peer-to-peer). */
#include <linux/pci-p2pdma.h>

#include "gpulink_drv.h"

#ifdef CONFIG_PCI_P2PDMA

/* Required before windows are exported. */
int glk_peer_init(struct pci_dev *pdev)
{
#ifdef GLK_HAVE_P2P_EXPORT
	return pcim_p2pdma_init(pdev);
#else
	return 0;
#endif
}

/*
 * Asks the kernel whether the bridges between the card and an endpoint forward peer-to-peer writes,
 * and for their distance. Other bridges may lose or corrupt data silently, so reject them, with a
 * message that says what helps.
 */
int glk_peer_check(struct glk_card *card, struct pci_dev *endpoint, int *distance)
{
	*distance = pci_p2pdma_distance(endpoint, &card->pdev->dev, true);
	if (*distance >= 0 || card->unchecked_peers)
		return 0;
	glk_err(card, GLK_ERROR_PEER,
		"endpoint %s: the bridges to the card do not guarantee peer-to-peer forwarding; put both behind one PCIe switch, or write 1 to unchecked_peers to override\n",
		pci_name(endpoint));
	return -EHOSTUNREACH;
}

#else

int glk_peer_init(struct pci_dev *pdev)
{
	return 0;
}

int glk_peer_check(struct glk_card *card, struct pci_dev *endpoint, int *distance)
{
	*distance = -1;
	dev_info_once(&card->pdev->dev,
		      "kernel has no PCI_P2PDMA: endpoint reachability is not checked\n");
	return 0;
}

#endif
