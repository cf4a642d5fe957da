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
