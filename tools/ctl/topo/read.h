/* SPDX-License-Identifier: Apache-2.0 */
/* Reads trees with libpci: of the running system, or from a dump. */
#ifndef GPULINKCTL_TOPO_READ_H
#define GPULINKCTL_TOPO_READ_H

#include "../../../common/failure.h"
#include "tree.h"

/** Reads this machine. Returns 0, or the code of *failure; the caller frees the tree in any case. */
int read_machine(struct tree *tree, struct failure *failure);

/** Reads a dump (dump.h). As above. */
int read_dump(const char *path, struct tree *tree, struct failure *failure);

/** Adds what only the kernel knows, from sysfs and procfs. Missing files leave facts unknown. */
void system_read(struct tree *tree);

#endif /* GPULINKCTL_TOPO_READ_H */
