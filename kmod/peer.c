// SPDX-License-Identifier: GPL-2.0-only
/* Whether two PCI functions reach each other without the memory of the host between them. */
#include <linux/pci-p2pdma.h>

#include "gpulink_drv.h"

#ifdef CONFIG_PCI_P2PDMA

/* Before anything of the card is exported. */
int glk_peer_init(struct pci_dev *pdev)
{
#ifdef GLK_HAVE_P2P_EXPORT
	return pcim_p2pdma_init(pdev);
#else
	return 0;
#endif
}

/*
 * Asks the kernel whether the bridges between the card and an endpoint forward what the card
 * writes, and how many there are. Bridges that do not promise it lose or corrupt data silently: a
 * refusal is better, and says what would help.
 */
int glk_peer_check(struct glk_card *card, struct pci_dev *endpoint, int *distance)
{
	*distance = pci_p2pdma_distance(endpoint, &card->pdev->dev, true);
	if (*distance >= 0 || card->unchecked_peers)
		return 0;
	glk_err(card, GLK_ERROR_PEER,
		"the bridges between the card and %s do not promise to forward peers' writes; put both behind one PCIe switch, or write 1 to unchecked_peers when you know better\n",
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
		      "this kernel has no PCI_P2PDMA: nobody checks whether endpoints can be reached\n");
	return 0;
}

#endif
