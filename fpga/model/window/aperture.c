// SPDX-License-Identifier: Apache-2.0
#include "window/aperture.h"

#include <errno.h>
#include <string.h>

#include "window/access.h"

int glk_aperture_store(struct glk_windows *windows, uint64_t offset, const void *data, size_t len)
{
	struct glk_target target;
	int error;

	if (!glk_enabled(windows->common)) {
		glk_count(windows->common, GLK_CARD_COUNTER(DROPPED_STORES));
		return -ENODEV;
	}
	error = glk_window_translate(windows, offset, len, GLK_WINDOW_Q0_WRITE_MASK, &target);
	if (!error)
		glk_store(windows, &target, data, len);
	return error;
}

int glk_aperture_poisoned(struct glk_windows *windows, uint64_t offset)
{
	if (!glk_enabled(windows->common)) {
		glk_count(windows->common, GLK_CARD_COUNTER(DROPPED_STORES));
		return -ENODEV;
	}
	glk_window_refuse(windows, offset);
	return -EBADMSG;
}

int glk_aperture_load(struct glk_windows *windows, uint64_t offset, void *data, size_t len)
{
	struct glk_target target;
	int error = -ENODEV;

	if (glk_enabled(windows->common))
		error = glk_window_translate(windows, offset, len, GLK_WINDOW_Q0_READ_MASK, &target);
	if (!error) {
		windows->endpoints->partitions[target.partition].counters.value[GLK_PARTITION_COUNTER(LOADS)]++;
		error = glk_load(windows, &target, data, len, GLK_FLUSH_LOAD_HIT);
		if (error)
			windows->contexts[target.context].errors++;
	}
	if (error)
		memset(data, 0xff, len);
	return error;
}
