/* SPDX-License-Identifier: Apache-2.0 */
/* Judges whether a card's writes reach an endpoint. Pure functions over a tree. */
#ifndef GPULINKCTL_TOPO_PATH_H
#define GPULINKCTL_TOPO_PATH_H

#include "tree.h"

enum verdict {
	PATH_DIRECT,	   /**< a bridge below the root complex forwards */
	PATH_ROOT_COMPLEX, /**< the root complex forwards, and the kernel allows it */
	PATH_BLOCKED,	   /**< the driver refuses the endpoint, or writes do not arrive */
	PATH_UNKNOWN,	   /**< it may work; what is missing is in the reason */
};

struct path {
	enum verdict verdict;
	char reason[256];
	int distance;			  /**< as PCI_P2PDMA counts it */
	const struct function *shared;	  /**< the lowest bridge above both; NULL: none */
	unsigned redirects;		  /**< ports on the path that redirect to the root complex (ACS) */
	unsigned payload;		  /**< bytes that one write carries on this path; 0: not known */
	unsigned mbytes;		  /**< payload bandwidth left, MB/s (10^6) each direction; 0: not known */
	unsigned percent;		  /**< of what the card's link carries at most */
	const struct function *narrowest; /**< the function whose link limits it, or NULL */
};

/** Judges the path of writes from a card to an endpoint's memory. */
struct path path_judge(const struct tree *tree, const struct function *card, const struct function *endpoint);

/** "direct", "root complex", "blocked" or "unknown". */
const char *verdict_name(enum verdict verdict);

/** Whether ACS of this port sends peer requests to the root complex, by PCI_P2PDMA's rule. */
bool function_redirects(const struct function *function);

/**
 * Whether an IOMMU translates what the card sends. The driver then gives the card I/O virtual addresses of endpoints, which no
 * bridge below the IOMMU forwards to its neighbours.
 */
bool card_is_translated(const struct function *card);

/** Whether the function has a link to the bridge above; integrated functions and switches' inner ports have none. */
bool function_has_link_above(const struct tree *tree, const struct function *function);

/** The link to the bridge above, as it runs; 0 lanes: not known. */
struct link_rate function_link(const struct tree *tree, const struct function *function);

/** The link to the bridge above, as fast as both ends support. */
struct link_rate function_link_most(const struct tree *tree, const struct function *function);

/** Bandwidth of payload in writes of this size, MB/s, of a link that carries `mbytes`; 0 if either is 0. */
unsigned payload_mbytes(unsigned mbytes, unsigned payload);

#endif /* GPULINKCTL_TOPO_PATH_H */
