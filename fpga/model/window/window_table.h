/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window table: for each slice of the aperture the partition, the memory at its endpoint, the owning context and the
 * rights. A window is one slice or several in a row; its handle is its first slice. Internal to the model.
 */
#ifndef GLK_WINDOW_TABLE_H
#define GLK_WINDOW_TABLE_H

#include "base/common.h"
#include "base/context.h"
#include "window/endpoint.h"

struct glk_windows {
	struct glk_common *common;
	struct glk_endpoints *endpoints;
	struct glk_context *contexts; /* GLK_CONTEXT_COUNT */
	struct glk_entry entries[GLK_WINDOW_COUNT];
	struct glk_context_counters counters[GLK_CONTEXT_COUNT]; /* stores of each context, through windows and by ring */
};

/* Where an access goes. */
struct glk_target {
	unsigned partition;
	unsigned context; /* owner of the window */
	uint64_t offset;  /* in the endpoint's memory */
};

/* Sets a register of an entry. Returns 0, or -EINVAL if the entry may not take the value. */
int glk_window_set(struct glk_windows *windows, unsigned slice, unsigned word, uint64_t value);

/* An aperture access of `len` bytes that needs `right` (GLK_WINDOW_Q0_READ_MASK, ..WRITE_MASK). Returns 0 and the target, or a
 * negative errno (see glk_card_aperture_store()), which is counted. */
int glk_window_translate(struct glk_windows *windows, uint64_t aperture_offset, size_t len, uint64_t right,
			 struct glk_target *target);

/* Counts an aperture access that is not carried out, also for the owner of the slice's window if there is one. */
void glk_window_refuse(struct glk_windows *windows, uint64_t aperture_offset);

/* Checks a range of a window, named by handle, against context, bounds and all of `rights`. Returns GLK_ST_... */
unsigned glk_window_check(const struct glk_windows *windows, unsigned context, unsigned handle, uint64_t offset, uint64_t len,
			  uint64_t rights);

/* The part of a checked range that lies in the slice of its first byte: its target, and its length. */
size_t glk_window_part(const struct glk_windows *windows, unsigned handle, uint64_t offset, uint64_t len,
		       struct glk_target *target);

#endif /* GLK_WINDOW_TABLE_H */
