// SPDX-License-Identifier: Apache-2.0
#include "window/window_table.h"

#include <errno.h>

#define Q0_DEFINED                                                                                         \
	(GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK |                   \
	 GLK_WINDOW_Q0_PARTITION_MASK | GLK_WINDOW_Q0_CONTEXT_MASK | GLK_WINDOW_Q0_FIRST_MASK)
#define Q0_RIGHTS (GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK)

static uint64_t slice_bytes(const struct glk_windows *windows)
{
	return 1ULL << windows->common->config.slice_shift;
}

static bool entry_valid(const struct glk_entry *entry)
{
	return entry->q[0] & GLK_WINDOW_Q0_VALID_MASK;
}

static bool may_become_valid(const struct glk_windows *windows, unsigned slice, uint64_t q0)
{
	const struct glk_entry *entry = &windows->entries[slice];

	return !(q0 & ~Q0_DEFINED) && (q0 & GLK_WINDOW_Q0_VALID_MASK) && (q0 & Q0_RIGHTS) &&
	       GLK_FIELD(q0, GLK_WINDOW_Q0_PARTITION) < windows->common->config.partitions &&
	       GLK_FIELD(q0, GLK_WINDOW_Q0_CONTEXT) < windows->common->config.contexts &&
	       GLK_FIELD(q0, GLK_WINDOW_Q0_FIRST) <= slice && entry->q[2] >= 1 && entry->q[2] <= slice_bytes(windows) &&
	       entry->q[1] <= GLK_LINK_OFFSET_MASK + 1 - entry->q[2];
}

int glk_window_set(struct glk_windows *windows, unsigned slice, unsigned word, uint64_t value)
{
	struct glk_entry *entry = &windows->entries[slice];

	if (word == 0 && value == 0) {
		if (entry_valid(entry))
			glk_partition_flush(&windows->endpoints->partitions[GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_PARTITION)],
					    GLK_FLUSH_DRAIN);
		entry->q[0] = 0;
		return 0;
	}
	if (entry_valid(entry) || (word == 0 && !may_become_valid(windows, slice, value)))
		return -EINVAL;
	if ((word == 1 && (value > GLK_LINK_OFFSET_MASK || value % GLK_PAGE_SIZE)) ||
	    (word == 2 && (value == 0 || value > slice_bytes(windows))))
		return -EINVAL;
	entry->q[word] = value;
	return 0;
}

static void aim(const struct glk_entry *entry, uint64_t offset_in_slice, struct glk_target *target)
{
	target->partition = (unsigned)GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_PARTITION);
	target->context = (unsigned)GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_CONTEXT);
	target->offset = entry->q[1] + offset_in_slice;
}

void glk_window_refuse(struct glk_windows *windows, uint64_t aperture_offset)
{
	uint64_t slice = aperture_offset >> windows->common->config.slice_shift;

	if (slice < windows->common->config.slices && entry_valid(&windows->entries[slice]))
		windows->contexts[GLK_FIELD(windows->entries[slice].q[0], GLK_WINDOW_Q0_CONTEXT)].errors++;
	glk_count(windows->common, GLK_CARD_COUNTER(ERR_WINDOW));
	glk_note_error(windows->common, GLK_CARD_ERROR_CAUSE_WINDOW_MASK);
}

int glk_window_translate(struct glk_windows *windows, uint64_t aperture_offset, size_t len, uint64_t right,
			 struct glk_target *target)
{
	uint64_t slice = aperture_offset >> windows->common->config.slice_shift;
	uint64_t in_slice = aperture_offset & (slice_bytes(windows) - 1);
	const struct glk_entry *entry = &windows->entries[slice < windows->common->config.slices ? slice : 0];
	int error = 0;

	if (slice >= windows->common->config.slices || !entry_valid(entry) || len > entry->q[2] ||
	    in_slice > entry->q[2] - len) {
		error = -EFAULT;
	} else {
		aim(entry, in_slice, target);
		if (!(entry->q[0] & right))
			error = -EACCES;
		else if (!glk_endpoint_holds(windows->endpoints, target->partition, target->offset, len))
			error = -EIO;
	}
	if (error)
		glk_window_refuse(windows, aperture_offset);
	return error;
}

/* The entry of a slice if it belongs to window `handle` of the context, else NULL. */
static const struct glk_entry *entry_of(const struct glk_windows *windows, unsigned context, unsigned handle, uint64_t slice)
{
	const struct glk_entry *entry;

	if (slice >= windows->common->config.slices)
		return NULL;
	entry = &windows->entries[slice];
	if (!entry_valid(entry) || GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_FIRST) != handle ||
	    GLK_FIELD(entry->q[0], GLK_WINDOW_Q0_CONTEXT) != context)
		return NULL;
	return entry;
}

unsigned glk_window_check(const struct glk_windows *windows, unsigned context, unsigned handle, uint64_t offset, uint64_t len,
			  uint64_t rights)
{
	if (!entry_of(windows, context, handle, handle))
		return GLK_ST_WINDOW;
	if (offset > GLK_LINK_OFFSET_MASK)
		return GLK_ST_WINDOW_BOUNDS;
	while (len) {
		const struct glk_entry *entry =
			entry_of(windows, context, handle, handle + (offset >> windows->common->config.slice_shift));
		uint64_t in_slice = offset & (slice_bytes(windows) - 1);
		uint64_t part = slice_bytes(windows) - in_slice;
		struct glk_target target;

		if (part > len)
			part = len;
		if (!entry || in_slice + part > entry->q[2])
			return GLK_ST_WINDOW_BOUNDS;
		if ((entry->q[0] & rights) != rights)
			return GLK_ST_PERMISSION;
		aim(entry, in_slice, &target);
		if (!glk_endpoint_holds(windows->endpoints, target.partition, target.offset, part))
			return GLK_ST_ENDPOINT;
		offset += part;
		len -= part;
	}
	return GLK_ST_OK;
}

size_t glk_window_part(const struct glk_windows *windows, unsigned handle, uint64_t offset, uint64_t len,
		       struct glk_target *target)
{
	uint64_t in_slice = offset & (slice_bytes(windows) - 1);
	uint64_t part = slice_bytes(windows) - in_slice;

	aim(&windows->entries[handle + (offset >> windows->common->config.slice_shift)], in_slice, target);
	return (size_t)(part < len ? part : len);
}
