// SPDX-License-Identifier: Apache-2.0
#include "topology.h"

#include <string.h>

static const char *const topologies[TOPOLOGIES] = { "gpu", "card", "cards", "lanes", "lanes-card" };
static const char *const hops[HOPS] = { "source", "link", "destination" };

const char *topology_name(enum topology topology)
{
	return topologies[topology];
}

const char *hop_name(enum hop hop)
{
	return hops[hop];
}

const char *topology_text(enum topology topology)
{
	static const char *const texts[TOPOLOGIES] = {
		"logic in the GPUs packs",
		"one card, with all GPUs behind it, packs",
		"two cards, each with half of the GPUs, pack",
		"the program packs, the receiver applies; no card",
		"the program packs, the card applies (no card does yet)",
	};

	return texts[topology];
}

bool topology_named(const char *name, enum topology *topology)
{
	for (unsigned i = 0; i < TOPOLOGIES; i++) {
		if (strcmp(topologies[i], name) == 0) {
			*topology = (enum topology)i;
			return true;
		}
	}
	return false;
}
