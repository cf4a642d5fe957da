// SPDX-License-Identifier: Apache-2.0
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *weight_name(enum weight weight)
{
	static const char *const names[] = {"note", "warning", "error"};

	return names[weight];
}

struct finding *finding_add(struct findings *findings, enum weight weight, const char *check, const char *where,
			    const char *format, ...)
{
	static struct finding lost; /* takes the texts when there is no memory */
	struct finding *f = &lost;
	va_list arguments;
	void *list;

	list = realloc(findings->list, (findings->count + 1) * sizeof(*f));
	if (list) {
		findings->list = list;
		f = &findings->list[findings->count++];
	} else {
		findings->failed = true;
	}
	memset(f, 0, sizeof(*f));
	f->weight = weight;
	f->check = check;
	snprintf(f->where, sizeof(f->where), "%s", where);
	va_start(arguments, format);
	vsnprintf(f->what, sizeof(f->what), format, arguments);
	va_end(arguments);
	return f;
}

void finding_cost(struct finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->cost, sizeof(finding->cost), format, arguments);
	va_end(arguments);
}

void finding_fix(struct finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->fix, sizeof(finding->fix), format, arguments);
	va_end(arguments);
}

bool function_carries(const struct tree *tree, const struct function *function)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct function *f = &tree->functions[i];

		if (f->kind != KIND_CARD && !function_is_endpoint(f))
			continue;
		for (; f; f = function_above(tree, f)) {
			if (f == function)
				return true;
		}
	}
	return false;
}

void findings_free(struct findings *findings)
{
	free(findings->list);
	*findings = (struct findings){0};
}

enum weight findings_weight(const struct findings *findings)
{
	enum weight weight = WEIGHT_NOTE;

	for (size_t i = 0; i < findings->count; i++)
		weight = findings->list[i].weight > weight ? findings->list[i].weight : weight;
	return weight;
}
