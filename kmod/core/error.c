// SPDX-License-Identifier: GPL-2.0-only
/* Error code names, as in docs/errors.md. */
#include "core/error.h"

static const char * const error_names[] = {
	[GLK_ERROR_WINDOW] = "window",
	[GLK_ERROR_PACKET] = "packet",
	[GLK_ERROR_CONFIG] = "config",
	[GLK_ERROR_DMA] = "dma",
	[GLK_ERROR_ENDPOINT] = "endpoint",
	[GLK_ERROR_RING] = "ring",
	[GLK_ERROR_LINK] = "link",
	[GLK_ERROR_LOST] = "lost",
	[GLK_ERROR_DRAIN] = "drain",
	[GLK_ERROR_RESET] = "reset",
	[GLK_ERROR_FOREIGN] = "foreign",
	[GLK_ERROR_BLOCK] = "block",
	[GLK_ERROR_CAPABILITIES] = "capabilities",
	[GLK_ERROR_BAR] = "bar",
	[GLK_ERROR_VECTORS] = "vectors",
	[GLK_ERROR_ENDPOINT_NAME] = "endpoint_name",
	[GLK_ERROR_ENDPOINT_GONE] = "endpoint_gone",
	[GLK_ERROR_PERF] = "perf",
	[GLK_ERROR_PEER] = "peer",
	[GLK_ERROR_DMABUF] = "dmabuf",
	[GLK_ERROR_COHERENCE] = "coherence",
};

const char *glk_error_name(enum glk_error error)
{
	return error_names[error];
}
