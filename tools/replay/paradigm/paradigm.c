// SPDX-License-Identifier: Apache-2.0
#include "paradigm.h"

#include <stddef.h>
#include <string.h>

static const struct paradigm *const all[PARADIGM_COUNT] = {
	&paradigm_p2p,
	&paradigm_write_combining,
	&paradigm_dma,
	&paradigm_finepack,
	&paradigm_packing_compact,
	&paradigm_compact,
	&paradigm_config_packet,
	&paradigm_narrow,
	&paradigm_packing,
	&paradigm_lanes,
	&paradigm_proact_inline,
	&paradigm_proact_polling,
	&paradigm_proact_launch,
	&paradigm_proact_hw,
};

const struct paradigm *paradigm_at(unsigned index)
{
	return index < PARADIGM_COUNT ? all[index] : NULL;
}

const struct paradigm *paradigm_named(const char *name)
{
	for (unsigned i = 0; paradigm_at(i); i++)
		if (strcmp(all[i]->name, name) == 0 || (all[i]->alias && strcmp(all[i]->alias, name) == 0))
			return all[i];
	return NULL;
}
