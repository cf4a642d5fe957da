// SPDX-License-Identifier: Apache-2.0
#include "base/common.h"

#include <errno.h>

void glk_raise(struct glk_common *common, unsigned vector)
{
	common->config.ops->interrupt(common->config.platform, vector);
}

void glk_note_error(struct glk_common *common, uint64_t cause)
{
	uint64_t fresh = cause & ~common->error_cause;

	common->error_cause |= cause;
	if (fresh)
		glk_raise(common, GLK_EVENT_VECTOR);
}

void glk_note_malformed_packet(struct glk_common *common)
{
	glk_count(common, GLK_CARD_COUNTER(ERR_PACKET));
	glk_note_error(common, GLK_CARD_ERROR_CAUSE_PACKET_MASK);
}

static int dma_failed(struct glk_common *common)
{
	glk_count(common, GLK_CARD_COUNTER(ERR_DMA));
	glk_note_error(common, GLK_CARD_ERROR_CAUSE_DMA_MASK);
	return -EIO;
}

int glk_dma_read(struct glk_common *common, uint64_t address, void *data, size_t len)
{
	return common->config.ops->dma_read(common->config.platform, address, data, len) ? dma_failed(common) : 0;
}

int glk_dma_write(struct glk_common *common, uint64_t address, const void *data, size_t len)
{
	return common->config.ops->dma_write(common->config.platform, address, data, len) ? dma_failed(common) : 0;
}
