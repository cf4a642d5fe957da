/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cards count for processes: /proc/PID/fdinfo of their open cards (docs/monitoring.md). Stores through mapped windows
 * and by ring make no call that a probe sees.
 */
#ifndef GPULINKCTL_TRACE_STORED_H
#define GPULINKCTL_TRACE_STORED_H

#include <stdbool.h>
#include <stdint.h>

/** Of one process, over its open files; `stores` and `bytes` can fall when it closes one. */
struct stored {
	uint32_t pid;
	uint64_t stores, bytes;
};

/** Called for each process with an open card whose files may be read; false ends the iteration. */
typedef bool (*stored_fn)(const struct stored *stored, void *context);
void stored_each_process(stored_fn fn, void *context);

#endif /* GPULINKCTL_TRACE_STORED_H */
