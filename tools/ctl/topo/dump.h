/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as text, in the format of `lspci -Dvvxxxx` (docs/topology.md, "Dumps"). */
#ifndef GPULINKCTL_TOPO_DUMP_H
#define GPULINKCTL_TOPO_DUMP_H

#include "tree.h"

#include <stdio.h>

/** Why a text is not a dump. */
struct dump_error {
	unsigned line; /**< 0: none in particular */
	char text[200];
};

/**
 * Reads facts and checks the form. Adds the functions to the tree, without their configuration spaces, and writes these to
 * `plain` as a dump that libpci reads, with the address DOMAIN:BUS:00.0 for the function of index DOMAIN * 256 + BUS: libpci
 * knows fewer domains. `text` is modified; it need not end with a zero. Returns false on errors.
 */
bool dump_scan(char *text, size_t length, struct tree *tree, FILE *plain, struct dump_error *error);

/** Writes the tree, without the zeros at the end of configuration spaces. */
void dump_write(FILE *file, const struct tree *tree);

#endif /* GPULINKCTL_TOPO_DUMP_H */
