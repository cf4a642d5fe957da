// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoint definitions. */
#include "context.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
