// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoint definitions. */
#include "gpulink_drv.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
