/* SPDX-License-Identifier: Apache-2.0 */
/* The counters in /sys/class/gpulink. */
#ifndef DEMO_SYSFS_H
#define DEMO_SYSFS_H

#include <stddef.h>

#include <gpulink.h>

/** Checks that /sys/class/gpulink/gpulinkN/partitions/K/counters holds the numbers of `counters`. `name`: as the
 *  device was opened, "gpulinkN" or "/dev/gpulinkN". Returns 0, or -1 with a reason. */
int sysfs_check(const char *name, unsigned partition, const struct gpulink_counters *counters, char *reason,
		size_t reason_bytes);

#endif /* DEMO_SYSFS_H */
