// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoint definitions. */
#include "file/context.h"

#define CREATE_TRACE_POINTS
#include "monitor/trace.h"
