/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to and loads from a target that the window table has resolved. Internal to the model. */
#ifndef GLK_ACCESS_H
#define GLK_ACCESS_H

#include "window/window_table.h"

/* Puts the bytes into the partition's write queue. */
void glk_store(struct glk_windows *windows, const struct glk_target *target, const void *data, size_t len);

/* Stores a checked range of a window, slice by slice. */
void glk_store_range(struct glk_windows *windows, unsigned window, uint64_t offset, const uint8_t *data, size_t len);

/* Flushes the partition for `reason` (GLK_FLUSH_...) if its write queue holds any of the bytes. */
void glk_flush_hit(struct glk_windows *windows, const struct glk_target *target, size_t len, unsigned reason);

/* The same, then reads the bytes from the endpoint. Returns 0 or a negative errno. */
int glk_load(struct glk_windows *windows, const struct glk_target *target, void *data, size_t len, unsigned reason);

#endif /* GLK_ACCESS_H */
