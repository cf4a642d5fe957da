// SPDX-License-Identifier: Apache-2.0
/* Counters of a card: /sys/class/gpulink/gpulinkN/counters. */
#include "../gpulink_admin.h"

#include "../copy_struct.h"
#include "admin_files.h"

static const struct glk_counter_row counters[] = { GLK_CARD_COUNTER_ROWS };
_Static_assert(sizeof(counters) / sizeof(counters[0]) == GPULINK_CARD_COUNTERS, "a name for every counter");

const char *gpulink_card_counter_name(unsigned index)
{
	return index < GPULINK_CARD_COUNTERS ? counters[index].name : NULL;
}

int gpulink_admin_get_card_counters(const char *card, uint64_t *values, unsigned count)
{
	uint64_t own[GPULINK_CARD_COUNTERS];
	int error;

	if (!card || !values)
		return -GPULINK_EINVAL;
	error = glk_admin_read_values(card, "counters", counters, GPULINK_CARD_COUNTERS, own);
	if (!error)
		glk_copy_out(values, count * sizeof(*values), own, sizeof(own));
	return error;
}
