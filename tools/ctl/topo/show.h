/* SPDX-License-Identifier: Apache-2.0 */
/* Prints trees and findings. */
#ifndef GPULINKCTL_TOPO_SHOW_H
#define GPULINKCTL_TOPO_SHOW_H

#include "findings.h"
#include "tree.h"

struct json_object;

/** Whether a card is selected; `card`: its name or PCI address, NULL: all. */
bool card_selected(const struct function *function, const char *card);

/** Prints the bridges, cards, GPUs and NICs, and the matrix of cards and endpoints. */
void show_tree(const struct tree *tree, const char *card);
void show_findings(const struct findings *findings);

/** The same as JSON (docs/topology.md). NULL: out of memory. */
struct json_object *json_tree(const struct tree *tree, const char *card);
struct json_object *json_findings(const struct findings *findings);

/** "8 GT/s x4"; "-" if not known. */
void link_text(struct link_rate rate, char text[24]);

#endif /* GPULINKCTL_TOPO_SHOW_H */
