/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts and their rings: entries are taken in order, completions written in order, and never more than fit. Internal to the
 * model.
 */
#ifndef GLK_RING_H
#define GLK_RING_H

#include "base/common.h"
#include "base/context.h"
#include "region/region.h"
#include "registration/registration.h"
#include "release/release.h"
#include "remote/remote.h"
#include "window/window_table.h"

#define GLK_RING_ORDER_MAX 15u /* indices are 16 bits wide and must distinguish full from empty */

struct glk_rings {
	struct glk_common *common;
	struct glk_context *contexts; /* GLK_CONTEXT_COUNT */
	struct glk_releases *releases;
	struct glk_windows *windows;
	struct glk_registrations *registrations;
	struct glk_remote *remote;
	struct glk_regions *regions;
	unsigned next_context; /* where the next round over the rings begins */
	uint8_t vector_buffer[GLK_PUTV_MAX_BYTES]; /* a put vector, copied before it is checked */
};

/* Registers of block CONTEXT. set returns 0, or -EINVAL: nothing has changed. */
int glk_context_set(struct glk_rings *rings, unsigned context, unsigned reg, uint64_t value);
uint64_t glk_context_get(const struct glk_rings *rings, unsigned context, unsigned reg);

/* As glk_card_service(). */
bool glk_rings_service(struct glk_rings *rings, unsigned budget);

#endif /* GLK_RING_H */
