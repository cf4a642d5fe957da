// SPDX-License-Identifier: Apache-2.0
/* Completions of the card as the program gets them. */
#include <gpulink_regs.h>
#include <gpulink_tables.h>

#include "device.h"

int glk_status_error(uint32_t status)
{
	static const uint16_t codes[GLK_ST_COUNT] = { GLK_STATUS_CODES };

	return status < GLK_ST_COUNT ? -codes[status] : -GPULINK_EPROTO;
}

struct gpulink_completion glk_completion(const uint64_t word[GLK_CQE_WORDS])
{
	uint32_t status = (uint32_t)((word[GLK_CQE_STATUS_Q] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT);

	return (struct gpulink_completion){
		.tag = word[GLK_CQE_TAG_Q],
		.error = glk_status_error(status),
		.status = status,
		.bytes = (uint32_t)((word[GLK_CQE_LENGTH_Q] & GLK_CQE_LENGTH_MASK) >> GLK_CQE_LENGTH_SHIFT),
	};
}
