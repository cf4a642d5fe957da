// SPDX-License-Identifier: Apache-2.0
/* Runs the groups of checks. */
#include "findings.h"

#include <stdlib.h>

/* Moves the findings of one weight to the end of `to`, in their order. */
static size_t checks_take(const struct findings *from, enum weight weight, struct finding *to)
{
	size_t count = 0;

	for (size_t i = 0; i < from->count; i++) {
		if (from->list[i].weight == weight)
			to[count++] = from->list[i];
	}
	return count;
}

struct findings findings_make(const struct tree *tree)
{
	struct findings findings = {0};
	struct finding *sorted;
	size_t count;

	check_system(tree, &findings);
	check_paths(tree, &findings);
	check_functions(tree, &findings);
	if (!findings.count)
		return findings;
	sorted = malloc(findings.count * sizeof(*sorted));
	if (!sorted) {
		findings.failed = true;
		return findings;
	}
	count = checks_take(&findings, WEIGHT_ERROR, sorted);
	count += checks_take(&findings, WEIGHT_WARNING, sorted + count);
	checks_take(&findings, WEIGHT_NOTE, sorted + count);
	free(findings.list);
	findings.list = sorted;
	return findings;
}
