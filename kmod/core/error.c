// SPDX-License-Identifier: GPL-2.0-only
/* Error code names, as in docs/errors.md. */
#include "core/error.h"

#include "gpulink_tables.h"

static const char * const error_names[] = { GLK_ERROR_NAMES };

const char *glk_error_name(enum glk_error error)
{
	return error_names[error];
}
