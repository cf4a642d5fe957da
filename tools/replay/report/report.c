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
#include "steps.h"

static const char help[] =
	"usage: gpulink-replay report FILE.html (the options of run, without -o)\n"
	"Writes a self-contained HTML page: whether packing helps, time, bytes, flush reasons, sweeps, settings.\n"
	"Uses up to 8 processors.\n";

static int report_fail(const char *path, int status, struct failure *error)
{
	return failure_set(error, status, "%.512s: %s", path, strerror(-status));
}

/* Whether the file cannot be read twice. */
static bool only_once(const char *path)
{
	struct stat status;

	return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

/* Validates the command line; reports an error on stderr. */
static bool report_allowed(const char *path, const struct options *o)
{
	const char *from = o->stream.trace ? o->stream.trace : o->stream.input, *end = strrchr(path, '.');

	if (!end || strcmp(end, ".html") != 0)
		fprintf(stderr, "gpulink-replay: %s: a report file must end in .html\n", path);
	else if (o->output != OUTPUT_TABLE)
		fputs("gpulink-replay: --output: not supported by report\n", stderr);
	else if (from && only_once(from))
		fprintf(stderr, "gpulink-replay: %s: a report reads its stream several times; it requires a file, not a pipe\n",
			from);
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

static int report_make(struct page *page, const char *path, char **argv, struct failure *error)
{
	struct part_file file;
	struct stat old;
	int status;

	if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
		return report_fail(path, S_ISDIR(old.st_mode) ? -EISDIR : -EEXIST, error);
	status = part_file_open(&file, path);
	if (status)
		return report_fail(path, status, error);
	status = steps_play(page, argv, error);
	if (!status) {
		status = write_page(page, file.fd);
		if (!status)
			status = part_file_complete(&file);
		if (status)
			report_fail(path, status, error);
	}
	part_file_forget(&file);
	return status;
}

int report(int argc, char **argv)
{
	struct failure error = { 0 };
	char *path;
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
	if (status || !report_allowed(path, &page->run.options)) {
		free(page);
		return status > 0 ? EXIT_SUCCESS : 2;
	}
	status = report_make(page, path, argv + 1, &error);
	free(page);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}
