// SPDX-License-Identifier: Apache-2.0
/* Completions of the card as the program gets them. */
#include <gpulink_regs.h>

#include "device.h"

int glk_status_error(uint32_t status)
{
	switch (status) {
	case GLK_ST_OK:
		return 0;
	case GLK_ST_WINDOW_BOUNDS:
	case GLK_ST_REGISTRATION_BOUNDS:
	case GLK_ST_REGION_COUNT:
	case GLK_ST_TIME:
		return -GPULINK_ERANGE;
	case GLK_ST_PERMISSION:
		return -GPULINK_EACCES;
	case GLK_ST_LENGTH:
	case GLK_ST_ALIGNMENT:
	case GLK_ST_WINDOW:
	case GLK_ST_REGISTRATION:
	case GLK_ST_REGION:
		return -GPULINK_EINVAL;
	case GLK_ST_REGION_STATE:
		return -GPULINK_EBUSY;
	case GLK_ST_ENDPOINT:
		return -GPULINK_EENDPOINT;
	case GLK_ST_RESET:
		return -GPULINK_ERESET;
	case GLK_ST_DMA:
		return -GPULINK_EIO;
	case GLK_ST_NOT_POOL:
		return -GPULINK_ENOTSUP;
	default:
		return -GPULINK_EPROTO;
	}
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
