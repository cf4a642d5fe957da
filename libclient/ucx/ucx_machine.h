/* SPDX-License-Identifier: Apache-2.0 */
/* Where a process runs, so that others on the same machine can watch it. */
#ifndef GLK_UCX_MACHINE_H
#define GLK_UCX_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define GLK_UCX_MACHINE_NAMESPACES 3u

/* As it is sent; little endian. */
struct glk_ucx_machine {
	char boot[40];				       /* the kernel's boot_id */
	uint64_t namespaces[GLK_UCX_MACHINE_NAMESPACES]; /* of processes, network and IPC */
	uint64_t process;			       /* pid */
};

void glk_ucx_machine_own(struct glk_ucx_machine *machine);

/* A descriptor that becomes readable when the process ends, or -1: it is elsewhere, or cannot be watched. */
int glk_ucx_machine_watch(const struct glk_ucx_machine *own, const struct glk_ucx_machine *other);

#endif /* GLK_UCX_MACHINE_H */
