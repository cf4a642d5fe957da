/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as text, in the format of `lspci -Dvvxxxx` (docs/topology.md, "Dumps"). */
#ifndef GPULINKCTL_TOPO_DUMP_H
#define GPULINKCTL_TOPO_DUMP_H

#include "../../../common/failure.h"
#include "tree.h"

#include <stdio.h>

/**
 * Reads facts and checks the form. Adds the functions to the tree, without their configuration spaces, and writes these to
 * `plain` as a dump that libpci reads, with the address DOMAIN:BUS:00.0 for the function of index DOMAIN * 256 + BUS: libpci
 * knows fewer domains. `text` is modified; it need not end with a zero. Returns 0, or the
 * code of *failure, -EINVAL, for a text that is not a dump, with its line; 0: none in particular.
 */
int dump_scan(char *text, size_t length, struct tree *tree, FILE *plain, unsigned *line, struct failure *failure);

/** Writes the tree, without the zeros at the end of configuration spaces. */
void dump_write(FILE *file, const struct tree *tree);

#endif /* GPULINKCTL_TOPO_DUMP_H */
