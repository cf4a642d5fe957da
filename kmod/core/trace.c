// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoint definitions. */
#include "core/context.h"

#define CREATE_TRACE_POINTS
#include "core/trace.h"
