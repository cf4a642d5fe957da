/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BAR 0: decodes accesses and passes them on to the block that they address (fpga/regs/gpulink.toml). The functions are those
 * of card/card.h, glk_card_register_read() and the next two. Internal to the model.
 */
#ifndef GLK_REGISTERS_H
#define GLK_REGISTERS_H

#include "base/common.h"
#include "link/card_link.h"
#include "region/region.h"
#include "release/release.h"
#include "remote/remote.h"
#include "ring/ring.h"
#include "window/endpoint.h"
#include "window/window_table.h"

struct glk_registers {
	struct glk_common *common;
	struct glk_endpoints *endpoints;
	struct glk_windows *windows;
	struct glk_remote *remote;
	struct glk_releases *releases;
	struct glk_rings *rings;
	struct glk_regions *regions;
	struct glk_card_link *link; /* used only if the card has one */
	/* CONTROL.RESET was written. */
	void (*reset)(void *user);
	void *user;
	uint64_t scratch, snapshots;
	/* The counters as of the last snapshot. */
	struct glk_card_counters latched;
	struct glk_partition_counters latched_partitions[GLK_PARTITION_COUNT];
	struct glk_context_counters latched_contexts[GLK_CONTEXT_COUNT];
};

int glk_registers_read(struct glk_registers *registers, uint64_t offset, unsigned size, uint64_t *value);
int glk_registers_write(struct glk_registers *registers, uint64_t offset, unsigned size, uint64_t value);
int glk_registers_poisoned(struct glk_registers *registers, uint64_t offset, unsigned size);

#endif /* GLK_REGISTERS_H */
