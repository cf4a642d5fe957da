// SPDX-License-Identifier: Apache-2.0
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "output.h"

enum { VALUES_MAX = 64 };

static const char help[] = "usage: gpulink-replay sweep SETTING=VALUE[,VALUE...] (the options of run)\n"
			   "SETTING: subheader, payload, entries, link, gpus, size or seed\n";

struct plan {
	char *setting;
	char *values[VALUES_MAX];
	unsigned count;
};

static int read_plan(char *text, struct plan *plan)
{
	static const char *const settings[] = { "subheader", "payload", "entries", "link", "gpus", "size", "seed" };
	char *values = strchr(text, '=');
	bool known = false;

	*plan = (struct plan){ .setting = text };
	if (values)
		*values++ = '\0';
	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		known |= strcmp(text, settings[i]) == 0;
	for (char *rest, *value = values ? strtok_r(values, ",", &rest) : NULL; value; value = strtok_r(NULL, ",", &rest)) {
		if (plan->count == VALUES_MAX) {
			fprintf(stderr, "gpulink-replay: sweep: at most %d values\n", VALUES_MAX);
			return -1;
		}
		plan->values[plan->count++] = value;
	}
	if (known && plan->count)
		return 0;
	fputs(help, stderr);
	return -1;
}

static void table_rows(const struct plan *plan, unsigned step, const struct found *f)
{
	if (step == 0) {
		printf("%-12s", plan->setting);
		for (unsigned i = 0; i < comparison_results(f->comparison); i++)
			printf(" %20s", comparison_result(f->comparison, i).paradigm->label);
		puts("   wire bytes");
	}
	printf("%-12s", plan->values[step]);
	for (unsigned i = 0; i < comparison_results(f->comparison); i++)
		printf(" %20" PRIu64, comparison_result(f->comparison, i).wire_bytes);
	putchar('\n');
}

/* Prints one step, or appends it to the JSON list. */
static int sweep_show(const struct plan *plan, unsigned step, const struct found *f, struct json_object *list)
{
	struct json_object *one;

	switch (f->options->output) {
	case OUTPUT_JSON:
		one = output_object(f);
		if (one && !json_object_array_add(list, one))
			return 0;
		json_object_put(one);
		return -ENOMEM;
	case OUTPUT_CSV:
		if (step == 0)
			output_csv_header(stdout);
		output_csv_rows(stdout, f);
		break;
	default:
		table_rows(plan, step, f);
	}
	return fflush(stdout) ? -errno : 0;
}

int sweep(int argc, char **argv)
{
	struct json_object *list = NULL;
	struct failure error = { 0 };
	struct options options = { 0 };
	struct plan plan;
	int status = 0;

	if (argc < 2 || argv[1][0] == '-')
		return option_usage(argc, argv, help);
	if (read_plan(argv[1], &plan))
		return 2;
	for (unsigned step = 0; step < plan.count; step++) /* validate all values before the first run */
		if (options_read_with(argc - 1, argv + 1, plan.setting, plan.values[step], &options))
			return 2;
	for (unsigned step = 0; step < plan.count && !status; step++) {
		struct found found;

		if (options_read_with(argc - 1, argv + 1, plan.setting, plan.values[step], &options)) {
			json_object_put(list);
			return 2;
		}
		if (options.output == OUTPUT_JSON && !list && !(list = json_object_new_array()))
			status = -ENOMEM;
		if (!status)
			status = run_stream(&options, &found, &error);
		if (!status) {
			status = sweep_show(&plan, step, &found, list);
			run_free(&found);
		}
	}
	if (!status && options.output == OUTPUT_JSON)
		status = output_object_write(stdout, json_object_get(list));
	json_object_put(list);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}
