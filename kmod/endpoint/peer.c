// SPDX-License-Identifier: GPL-2.0-only
/* Whether two PCI functions can reach each other directly (peer-to-peer). */
#include <linux/moduleparam.h>
#include <linux/pci-p2pdma.h>

#include "core/card.h"
#include "endpoint/peer.h"

static bool unchecked_peers;
module_param(unchecked_peers, bool, 0444);
MODULE_PARM_DESC(unchecked_peers, "Initial value of the cards' unchecked_peers: accept endpoints that the kernel cannot check for peer-to-peer forwarding (default: no)");

bool glk_peer_unchecked_default(void)
{
	return unchecked_peers;
}

static bool peer_redirects(struct pci_dev *bridge)
{
	u16 control;

	return bridge->acs_cap &&
	       !pci_read_config_word(bridge, bridge->acs_cap + PCI_ACS_CTRL, &control) &&
	       (control & (PCI_ACS_RR | PCI_ACS_CR | PCI_ACS_EC));
}

/* Whether a bridge on the way from the function up to `end`, which is excluded, redirects. */
static bool peer_path_redirects(struct pci_dev *pdev, const struct pci_dev *end)
{
	for (; pdev != end; pdev = pci_upstream_bridge(pdev))
		if (peer_redirects(pdev))
			return true;
	return false;
}

/*
 * Whether writes of the card reach the endpoint below a common bridge, by bus address. PCI_P2PDMA
 * decides by the same rules (pci_p2pdma_map_type()), but tells only the endpoint's own driver.
 */
bool glk_peer_is_direct(struct glk_card *card, struct pci_dev *endpoint)
{
	struct pci_dev *a, *b;

	for (a = card->pdev; a; a = pci_upstream_bridge(a))
		for (b = endpoint; b; b = pci_upstream_bridge(b))
			if (a == b)
				return !peer_path_redirects(card->pdev, a) &&
				       !peer_path_redirects(endpoint, a) && !peer_redirects(a);
	return false;
}

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

/* Nobody knows what the bridges do, so the administrator must. */
int glk_peer_check(struct glk_card *card, struct pci_dev *endpoint, int *distance)
{
	*distance = -1;
	if (card->unchecked_peers) {
		dev_info_ratelimited(&card->pdev->dev,
				     "endpoint %s: not checked whether the bridges forward the card's writes to it: the kernel has no PCI_P2PDMA\n",
				     pci_name(endpoint));
		return 0;
	}
	glk_err(card, GLK_ERROR_PEER,
		"endpoint %s: the kernel has no PCI_P2PDMA and cannot check whether the bridges forward the card's writes to it; write 1 to unchecked_peers if they do\n",
		pci_name(endpoint));
	return -EHOSTUNREACH;
}

#endif
