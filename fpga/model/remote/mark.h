/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mark: the counts of posted endpoint writes at one moment, to wait until all of them are acknowledged. Acknowledgements come
 * in order, so a mark once reached stays reached. Internal to the model.
 */
#ifndef GLK_MARK_H
#define GLK_MARK_H

#include "remote/remote.h"
#include "window/endpoint.h"

struct glk_mark {
	uint64_t posted[GLK_PARTITION_COUNT];
};

/* Takes the mark; requests from the other card the confirmation of what was sent to it. */
void glk_mark_take(struct glk_endpoints *endpoints, struct glk_remote *remote, struct glk_mark *mark);
bool glk_mark_reached(const struct glk_endpoints *endpoints, const struct glk_mark *mark);

#endif /* GLK_MARK_H */
