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

static const char help[] = "usage: gpulink-replay report FILE.html (the options of run, without -o)\n";

/* A file that is complete under its name, or not there: it is written beside its place. */
struct part {
	const char *path;
	char *name;
	FILE *file;
};

static int part_fail(const struct part *part, char *error)
{
	int status = -errno;

	snprintf(error, REPLAY_ERROR_BYTES, "%.512s: %s", part->path, strerror(errno));
	return status;
}

static void part_forget(struct part *part)
{
	if (part->file)
		fclose(part->file);
	if (part->name)
		unlink(part->name);
	free(part->name);
}

static int part_open(struct part *part, const char *path, char *error)
{
	struct stat status;
	int fd;

	*part = (struct part){ .path = path };
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
		return part_fail(part, error);
	}
	if (asprintf(&part->name, "%s.part", path) < 0) {
		part->name = NULL;
		return -ENOMEM;
	}
	fd = open(part->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		int failed = part_fail(part, error);

		free(part->name);
		return failed;
	}
	part->file = fdopen(fd, "w");
	if (part->file)
		return 0;
	close(fd);
	part_forget(part);
	return -ENOMEM;
}

static int part_complete(struct part *part, char *error)
{
	bool bad = ferror(part->file), unclosed;

	unclosed = fclose(part->file) != 0;
	part->file = NULL;
	if (bad)
		errno = EIO; /* what it was is forgotten */
	if (bad || unclosed || rename(part->name, part->path)) {
		int status = part_fail(part, error);

		part_forget(part);
		return status;
	}
	free(part->name);
	return 0;
}

/* What a file's reader cannot read twice. */
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

/* Of the settings that sweeps change. */
static bool same(const struct options *a, const struct options *b)
{
	return a->setting.subheader_bytes == b->setting.subheader_bytes && a->gpus == b->gpus &&
	       a->setting.link.payload_bytes == b->setting.link.payload_bytes &&
	       strcmp(a->setting.link.name, b->setting.link.name) == 0;
}

/* Adds a run with another value of one setting; one like the page's own is not made again. */
static int step(struct page *page, struct page_sweep *sweep, char **argv, const char *setting, const char *value, char *error)
{
	struct page_run *run = &sweep->step[sweep->count];
	int status = 0;

	if (options_read_with(page->words + 1, argv, setting, value, &run->options)) {
		snprintf(error, REPLAY_ERROR_BYTES, "--%s %s cannot be had with these options", setting, value);
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

/* `argv`: with a word before the options. Values that the link cannot have are left out. */
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

/* A trace has the GPUs that it has; a workload may be too small for many, or too large: then the page says so. */
static int sweep_gpus(struct page *page, char **argv, char *error)
{
	static const char *const gpus[] = { "2", "4", "8", "16" };

	for (unsigned i = 0; i < sizeof(gpus) / sizeof(gpus[0]) && page->run.options.workload; i++) {
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

static int gather(struct page *page, char **argv, char *error)
{
	int status = play(&page->run, page, error);

	if (!status)
		status = sweep_bytes(page, argv, error);
	if (!status)
		status = sweep_links(page, argv, error);
	if (!status)
		status = sweep_gpus(page, argv, error);
	return status;
}

/* Whether the command line is one. If not, a sentence is on stderr. */
static bool allowed(const char *path, const struct options *o)
{
	const char *from = o->trace ? o->trace : o->input, *end = strrchr(path, '.');

	if (!end || strcmp(end, ".html") != 0)
		fprintf(stderr, "gpulink-replay: %s: a report's name ends with .html\n", path);
	else if (o->output != OUTPUT_TABLE)
		fputs("gpulink-replay: --output: a report has one form\n", stderr);
	else if (from && only_once(from))
		fprintf(stderr, "gpulink-replay: %s: a report plays its stream many times and needs a file, not a pipe\n", from);
	else
		return true;
	return false;
}

static int make(struct page *page, const char *path, char **argv, char *error)
{
	struct part part;
	int status = part_open(&part, path, error);

	if (status)
		return status;
	status = gather(page, argv, error);
	if (status) {
		part_forget(&part);
		return status;
	}
	page_write(part.file, page);
	return part_complete(&part, error);
}

int report(int argc, char **argv)
{
	char error[REPLAY_ERROR_BYTES] = "", *path;
	struct page *page;
	int status;

	if (argc < 2 || argv[1][0] == '-') {
		fputs(help, stderr);
		return 2;
	}
	path = argv[1];
	argv[1] = argv[0]; /* what stands before options */
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
	if (!status)
		return EXIT_SUCCESS;
	fprintf(stderr, "gpulink-replay: %s\n", error[0] ? error : strerror(-status));
	return EXIT_FAILURE;
}
