// SPDX-License-Identifier: Apache-2.0
#include "topo.h"

#include "../print.h"
#include "dump.h"
#include "read.h"
#include "show.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool save(const struct tree *tree, const char *path)
{
	FILE *file = fopen(path, "we");

	if (file) {
		bool good;

		dump_write(file, tree);
		good = !ferror(file);
		if (!fclose(file) && good)
			return true;
	}
	complain("%s: %s", path, strerror(errno));
	return false;
}

/* Reads the tree, and saves it with --dump. */
static enum exit_code topo_prepare(const struct invocation *invocation, struct tree *tree)
{
	struct failure failure;

	if (invocation->from ? read_dump(invocation->from, tree, &failure) : read_machine(tree, &failure)) {
		complain("%s", failure.text);
		return EXIT_FAILED;
	}
	return !invocation->dump || save(tree, invocation->dump) ? EXIT_OK : EXIT_FAILED;
}

static enum exit_code show_object(struct json_object *object)
{
	bool good = object && print_json(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);

	if (!good)
		complain("out of memory");
	json_object_put(object);
	return good ? EXIT_OK : EXIT_FAILED;
}

static bool has_card(const struct tree *tree, const char *card)
{
	for (size_t i = 0; i < tree->count; i++) {
		if (card_selected(&tree->functions[i], card))
			return true;
	}
	return false;
}

enum exit_code run_topo(struct invocation *invocation)
{
	struct tree tree = {0};
	enum exit_code code = topo_prepare(invocation, &tree);

	if (code == EXIT_OK && invocation->card && !has_card(&tree, invocation->card)) {
		complain("card '%s' not found: must be a name such as gpulink0, or a PCI address such as 0000:01:00.0",
			 invocation->card);
		code = EXIT_NO_CARD;
	}
	if (code == EXIT_OK && invocation->json)
		code = show_object(json_tree(&tree, invocation->card));
	else if (code == EXIT_OK)
		show_tree(&tree, invocation->card);
	tree_free(&tree);
	return code;
}

enum exit_code run_doctor(struct invocation *invocation)
{
	static const enum exit_code codes[] = {EXIT_OK, EXIT_WARNINGS, EXIT_ERRORS};
	struct tree tree = {0};
	enum exit_code code = topo_prepare(invocation, &tree);
	struct findings findings;

	if (code == EXIT_OK) {
		findings = findings_make(&tree);
		if (invocation->json)
			code = show_object(findings.failed ? NULL : json_findings(&findings));
		else
			show_findings(&findings);
		if (findings.failed)
			code = EXIT_FAILED;
		if (code == EXIT_OK)
			code = codes[findings_weight(&findings)];
		findings_free(&findings);
	}
	tree_free(&tree);
	return code;
}
