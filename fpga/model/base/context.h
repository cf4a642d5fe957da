/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers of a context and its position in the rings. The ring owns them; accesses to windows and releases add to
 * `errors` and `touched`, and releases follow `sq_head` and `status`. Internal to the model.
 */
#ifndef GLK_CONTEXT_H
#define GLK_CONTEXT_H

#include "base/common.h"

struct glk_context {
	uint64_t control, sq_base, cq_base, order, record, vector;
	uint64_t status; /* GLK_ST_...: why the ring has stopped, 0: it has not */
	uint64_t errors;
	uint16_t sq_tail, sq_head, cq_head, cq_tail;
	/* Bit N: the context has stored to partition N since a release last flushed, or since it was enabled. */
	uint32_t touched;
};

static inline bool glk_context_enabled(const struct glk_context *context)
{
	return context->control & GLK_CONTEXT_CONTROL_ENABLE_MASK;
}

#endif /* GLK_CONTEXT_H */
