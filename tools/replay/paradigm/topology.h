/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies and hops. A store crosses up to three physical links, the hops: from its source to the card or switch (`source`),
 * between the cards of two clusters (`link`), and to the GPU that has the memory (`destination`). The topology states where
 * packets are made and where they become writes again, and so what each hop carries.
 *
 * topology    source hop        link                    destination hop     who packs
 * gpu         packets           -                       packets             logic in the GPU (FinePack's setting)
 * card        plain stores      -                       one write a run     the card; its loop is no link
 * cards       plain stores      packets, or flits       one write a run     the card of the source's cluster
 * lanes       packets           -                       packets             the program; the receiver applies them
 * lanes-card  packets           -                       one write a run     the program; the card reads and applies them
 */
#ifndef REPLAY_TOPOLOGY_H
#define REPLAY_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "card_time.h"

enum topology { TOPOLOGY_GPU, TOPOLOGY_CARD, TOPOLOGY_CARDS, TOPOLOGY_LANES, TOPOLOGY_LANES_CARD, TOPOLOGIES };

enum hop { HOP_SOURCE, HOP_LINK, HOP_DESTINATION, HOPS };

/** "gpu", "card", ...; "source", "link", "destination". */
const char *topology_name(enum topology topology);
const char *topology_text(enum topology topology); /**< who packs, in a few words */
const char *hop_name(enum hop hop);

/** Returns whether there is a topology of this name, and sets it. */
bool topology_named(const char *name, enum topology *topology);

/** Whether stores or packets pass through a card's logic, whose clocks count. */
static inline bool topology_has_card(enum topology topology)
{
	return topology == TOPOLOGY_CARD || topology == TOPOLOGY_CARDS || topology == TOPOLOGY_LANES_CARD;
}

/** Whether the program packs. */
static inline bool topology_has_lanes(enum topology topology)
{
	return topology == TOPOLOGY_LANES || topology == TOPOLOGY_LANES_CARD;
}

/** The cluster of a GPU where there are two cards: the first half of the GPUs is one, the second half the other. */
static inline unsigned topology_cluster(unsigned gpu, unsigned gpus)
{
	return gpu >= gpus / 2;
}

/** What a pair's stores put on a hop, in one direction. */
struct hop_load {
	uint64_t bytes, transactions;
};

/** What a pair's stores put on each hop: `forward` from the source to the destination, `back` the other way (a card's read
 *  requests for packets). A hop that the topology lacks, or the pair does not cross, has 0. Values. */
struct crossing {
	struct hop_load forward[HOPS], back[HOPS];
	struct card_load card;
};

#endif /* REPLAY_TOPOLOGY_H */
