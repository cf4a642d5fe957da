/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the copies of libgpulink that processes use: each is attached to by its file. */
#ifndef GPULINKCTL_TRACE_LIBRARIES_H
#define GPULINKCTL_TRACE_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LIBRARIES_MAX 16

struct libraries {
	size_t count;
	size_t more; /**< found beyond LIBRARIES_MAX */
	struct {
		char path[PATH_MAX]; /**< through /proc/PID/root, if the process has another root */
		unsigned long long device, inode;
	} files[LIBRARIES_MAX];
};

/** Finds the library of this program, which processes started later use, and those of all processes now. Processes whose memory
 * map may not be read (CAP_SYS_PTRACE) are left out, as are processes that end meanwhile. */
void libraries_find(struct libraries *libraries);

#endif /* GPULINKCTL_TRACE_LIBRARIES_H */
