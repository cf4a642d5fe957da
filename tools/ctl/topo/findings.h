/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps cards from their endpoints, or slows them down. Pure functions over a tree. */
#ifndef GPULINKCTL_TOPO_FINDINGS_H
#define GPULINKCTL_TOPO_FINDINGS_H

#include "tree.h"

enum weight {
	WEIGHT_NOTE,	/**< nothing is wrong */
	WEIGHT_WARNING, /**< it works, with a cost */
	WEIGHT_ERROR,	/**< it does not work */
};

struct finding {
	enum weight weight;
	const char *check; /**< name of the check, for programs */
	char where[24];	   /**< PCI address, card or "system" */
	char what[320], cost[192], fix[320];
};

struct findings {
	struct finding *list; /**< errors first, each weight in the order of the tree */
	size_t count;
	bool failed; /**< out of memory: the list is incomplete */
};

/** Runs all checks. The caller frees with findings_free(). */
struct findings findings_make(const struct tree *tree);

void findings_free(struct findings *findings);

/** "note", "warning" or "error". */
const char *weight_name(enum weight weight);

/** The highest weight; WEIGHT_NOTE if there are no findings. */
enum weight findings_weight(const struct findings *findings);

/** For the checks: adds a finding, without cost and fix. Never returns NULL. */
__attribute__((format(printf, 5, 6))) struct finding *
finding_add(struct findings *findings, enum weight weight, const char *check, const char *where, const char *format, ...);

/** For the checks: set the texts of a finding. */
__attribute__((format(printf, 2, 3))) void finding_cost(struct finding *finding, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_fix(struct finding *finding, const char *format, ...);

/** The groups of checks, each in its file. */
void check_paths(const struct tree *tree, struct findings *findings);
void check_functions(const struct tree *tree, struct findings *findings);
void check_system(const struct tree *tree, struct findings *findings);

/** Whether a card's traffic crosses the function: cards, endpoints and the bridges above them. */
bool function_carries(const struct tree *tree, const struct function *function);

#endif /* GPULINKCTL_TOPO_FINDINGS_H */
