/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a card. Each part has its state and a header of its own, and points to the parts below it; card.c connects them.
 * Internal to the model: users include only card.h.
 */
#ifndef GLK_STATE_H
#define GLK_STATE_H

#include "base/common.h"
#include "base/context.h"
#include "card/card.h"
#include "finepack/partition.h"
#include "link/card_link.h"
#include "pool/pool.h"
#include "registers/registers.h"
#include "region/region.h"
#include "registration/registration.h"
#include "release/release.h"
#include "remote/remote.h"
#include "remote/serve.h"
#include "ring/ring.h"
#include "window/endpoint.h"
#include "window/window_table.h"

struct glk_card {
	struct glk_common common;
	struct glk_partition partitions[GLK_PARTITION_COUNT];
	struct glk_pool pool;
	struct glk_tsu_entry *tsu_entries;
	struct glk_endpoints endpoints;
	struct glk_windows windows;
	struct glk_registrations registrations;
	struct glk_context contexts[GLK_CONTEXT_COUNT];
	struct glk_regions regions;
	struct glk_releases releases;
	struct glk_rings rings;
	struct glk_registers registers;
	/* The link and what uses it; without one, remote is empty and the others are not used. */
	struct glk_card_link link;
	struct glk_remote remote;
	struct glk_serve serve;
	uint8_t pool_bytes[];
};

#endif /* GLK_STATE_H */
