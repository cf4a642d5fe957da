/* SPDX-License-Identifier: Apache-2.0 */
/* Names of cgroups. */
#ifndef GPULINKCTL_TRACE_GROUP_H
#define GPULINKCTL_TRACE_GROUP_H

#include <stdint.h>

#define GROUP_BYTES 256

/** The path of a cgroup (v2) below its mount, as in /proc/PID/cgroup; that of the process if it still exists and cgroups are
 * not mounted at /sys/fs/cgroup; else the number. */
void group_name(uint64_t cgroup, unsigned pid, char name[GROUP_BYTES]);

#endif /* GPULINKCTL_TRACE_GROUP_H */
