// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page.h"
#include "part_file.h"

static const char help[] = "usage: gpulink-replay report FILE.html (the options of run, without -o)\n";

static int fail(const char *path, int status, char *error)
{
	snprintf(error, REPLAY_ERROR_BYTES, "%.512s: %s", path, strerror(-status));
	return status;
}

/* Whether the file cannot be read twice. */
static bool only_once(const char *path)
{
	struct stat status;

	return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

static int play(struct page_run *run, struct page *page, char *error)
{
	struct found found;
	int status = run_stream(&run->options, &found, error);

	if (status)
		return status;
	run->gpus = found.gpus;
	run->one_gpu_ps = found.one_gpu_ps;
	run->counts = *comparison_counts(found.comparison);
	run->results = comparison_results(found.comparison);
	for (unsigned i = 0; i < run->results; i++)
		run->result[i] = comparison_result(found.comparison, i);
	page->stream = found.stream;
	memcpy(page->check, found.check, sizeof(page->check));
	run_free(&found);
	return 0;
}

/* Compares the settings that sweeps change. */
static bool same(const struct options *a, const struct options *b)
{
	return a->setting.subheader_bytes == b->setting.subheader_bytes && a->stream.gpus == b->stream.gpus &&
	       a->setting.link.payload_bytes == b->setting.link.payload_bytes &&
	       strcmp(a->setting.link.name, b->setting.link.name) == 0;
}

/* Adds a run with another value of one setting; the page's own run is reused. */
static int step(struct page *page, struct page_sweep *sweep, char **argv, const char *setting, const char *value, char *error)
{
	struct page_run *run = &sweep->step[sweep->count];
	int status = 0;

	if (options_read_with(page->words + 1, argv, setting, value, &run->options)) {
		snprintf(error, REPLAY_ERROR_BYTES, "--%s %s: not possible with these options", setting, value);
		return -EINVAL;
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s %s\n", setting, value);
	if (same(&run->options, &page->run.options))
		*run = page->run;
	else
		status = play(run, page, error);
	if (status)
		return status;
	snprintf(run->value, sizeof(run->value), "%s", value);
	sweep->count++;
	return 0;
}

/* `argv` has one word before the options. Values that the link does not support are omitted. */
static int sweep_bytes(struct page *page, char **argv, char *error)
{
	static const char *const widths[] = { "2", "3", "4", "5", "6" }, *const limits[] = { "128", "256", "512", "4096" };
	uint32_t most = link_preset(page->run.options.setting.link.name)->payload_bytes;
	int status = 0;

	for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]) && !status; i++)
		status = step(page, &page->subheader, argv, "subheader", widths[i], error);
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]) && !status; i++)
		if (strtoul(limits[i], NULL, 10) <= most)
			status = step(page, &page->payload, argv, "payload", limits[i], error);
	return status;
}

static int sweep_links(struct page *page, char **argv, char *error)
{
	static const char *const links[] = { "pcie3", "pcie4", "pcie5", "pcie6" };

	for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]) && page->run.options.timed; i++) {
		struct page_run *run = &page->link.step[i];
		int status = step(page, &page->link, argv, "link", links[i], error);

		if (status)
			return status;
		snprintf(run->value, sizeof(run->value), "%s, %.1f GB/s", links[i],
			 link_bytes_per_second(&run->options.setting.link) / 1e9);
	}
	return 0;
}

/* Only for workloads; the page names the reason when a workload cannot run on more GPUs. */
static int sweep_gpus(struct page *page, char **argv, char *error)
{
	static const char *const gpus[] = { "2", "4", "8", "16" };

	for (unsigned i = 0; i < sizeof(gpus) / sizeof(gpus[0]) && page->run.options.stream.workload; i++) {
		int status = step(page, &page->gpus, argv, "gpus", gpus[i], error);

		if (status && !error[0])
			return status;
		if (status) {
			snprintf(page->gpus_left_out, sizeof(page->gpus_left_out), "%s", error);
			error[0] = '\0';
			break;
		}
	}
	return 0;
}

/* The same stream by regions, with several agents. */
static int profile_regions(struct page *page, char *error)
{
	struct options options = page->run.options;
	struct agent list[PROFILE_ROWS_MAX];
	unsigned count = page_region_agents(list);
	int status;

	if (!options.timed)
		return 0;
	status = profile_make(&options, list, count, 0, &page->profile, error);
	if (status)
		return status;
	page->copies_us = (double)page->profile.row[0].result.time_ps / 1e6;
	run_free(&page->profile.found);
	return 0;
}

static int gather(struct page *page, char **argv, char *error)
{
	int status = play(&page->run, page, error);

	if (!status)
		status = sweep_bytes(page, argv, error);
	if (!status)
		status = sweep_links(page, argv, error);
	if (!status)
		status = sweep_gpus(page, argv, error);
	if (!status)
		status = profile_regions(page, error);
	return status;
}

/* Validates the command line; reports an error on stderr. */
static bool allowed(const char *path, const struct options *o)
{
	const char *from = o->stream.trace ? o->stream.trace : o->stream.input, *end = strrchr(path, '.');

	if (!end || strcmp(end, ".html") != 0)
		fprintf(stderr, "gpulink-replay: %s: a report file must end in .html\n", path);
	else if (o->output != OUTPUT_TABLE)
		fputs("gpulink-replay: --output: not supported by report\n", stderr);
	else if (from && only_once(from))
		fprintf(stderr, "gpulink-replay: %s: a report reads its stream several times; it requires a file, not a pipe\n", from);
	else
		return true;
	return false;
}

static int write_page(struct page *page, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
	bool bad;

	if (!to) {
		if (copy >= 0)
			close(copy);
		return -ENOMEM;
	}
	page_write(to, page);
	bad = ferror(to); /* errno is no longer valid */
	return fclose(to) ? -errno : bad ? -EIO : 0;
}

static int make(struct page *page, const char *path, char **argv, char *error)
{
	struct part_file file;
	struct stat old;
	int status;

	if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
		return fail(path, S_ISDIR(old.st_mode) ? -EISDIR : -EEXIST, error);
	status = part_file_open(&file, path);
	if (status)
		return fail(path, status, error);
	status = gather(page, argv, error);
	if (!status) {
		status = write_page(page, file.fd);
		if (!status)
			status = part_file_complete(&file);
		if (status)
			fail(path, status, error);
	}
	part_file_forget(&file);
	return status;
}

int report(int argc, char **argv)
{
	char error[REPLAY_ERROR_BYTES] = "", *path;
	struct page *page;
	int status;

	if (argc < 2 || argv[1][0] == '-')
		return option_usage(argc, argv, help);
	path = argv[1];
	argv[1] = argv[0]; /* the word before the options */
	page = calloc(1, sizeof(*page));
	if (!page) {
		fputs("gpulink-replay: out of memory\n", stderr);
		return EXIT_FAILURE;
	}
	page->words = argc - 2;
	page->word = argv + 2;
	status = options_read(argc - 1, argv + 1, &page->run.options);
	if (status || !allowed(path, &page->run.options)) {
		free(page);
		return status > 0 ? EXIT_SUCCESS : 2;
	}
	status = make(page, path, argv + 1, error);
	free(page);
	return status ? run_failed(status, error) : EXIT_SUCCESS;
}
