// SPDX-License-Identifier: Apache-2.0
/* The window aperture: stores that devices and processors make become stores of the partition; loads pass them. */
#include <errno.h>
#include <string.h>

#include "card/state.h"

int glk_card_aperture_store(struct glk_card *card, uint64_t offset, const void *data, size_t len)
{
	struct glk_target target;
	int error;

	if (!(card->control & GLK_CARD_CONTROL_ENABLE_MASK)) {
		glk_count(card, GLK_CARD_COUNTER(DROPPED_STORES));
		return -ENODEV;
	}
	error = glk_window_translate(card, offset, len, GLK_WINDOW_Q0_WRITE_MASK, &target);
	if (!error)
		glk_store(card, &target, data, len);
	return error;
}

int glk_card_aperture_poisoned(struct glk_card *card, uint64_t offset)
{
	if (!(card->control & GLK_CARD_CONTROL_ENABLE_MASK)) {
		glk_count(card, GLK_CARD_COUNTER(DROPPED_STORES));
		return -ENODEV;
	}
	glk_window_refuse(card, offset);
	return -EBADMSG;
}

int glk_card_aperture_load(struct glk_card *card, uint64_t offset, void *data, size_t len)
{
	struct glk_target target;
	int error = -ENODEV;

	if (card->control & GLK_CARD_CONTROL_ENABLE_MASK)
		error = glk_window_translate(card, offset, len, GLK_WINDOW_Q0_READ_MASK, &target);
	if (!error) {
		card->partitions[target.partition].counters.value[GLK_PARTITION_COUNTER(LOADS)]++;
		error = glk_load(card, &target, data, len, GLK_FLUSH_LOAD_HIT);
		if (error)
			card->contexts[target.context].errors++;
	}
	if (error)
		memset(data, 0xff, len);
	return error;
}
