/* SPDX-License-Identifier: Apache-2.0 */
/* Reads trees with libpci: of the running system, or from a dump. */
#ifndef GPULINKCTL_TOPO_READ_H
#define GPULINKCTL_TOPO_READ_H

#include "tree.h"

/** Reads this machine. Returns false, with a message; the caller frees the tree in any case. */
bool read_machine(struct tree *tree, char message[320]);

/** Reads a dump (dump.h). As above. */
bool read_dump(const char *path, struct tree *tree, char message[320]);

/** Adds what only the kernel knows, from sysfs and procfs. Missing files leave facts unknown. */
void system_read(struct tree *tree);

#endif /* GPULINKCTL_TOPO_READ_H */
