// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static int trace_output_fail(const struct trace_output *out, struct failure *error)
{
	return failure_set(error, -errno, "%s: %s", out->name, strerror(errno));
}

static int write_all(struct trace_output *out, const uint8_t *from, size_t bytes, struct failure *error)
{
	while (bytes) {
		ssize_t n = write(out->fd, from, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return trace_output_fail(out, error);
		from += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* Compresses what was gathered; with ZSTD_e_end completes the frame. */
static int pack(struct trace_output *out, ZSTD_EndDirective how, struct failure *error)
{
	ZSTD_inBuffer from = {out->bytes, out->count, 0};
	size_t left;

	do {
		ZSTD_outBuffer to = {out->packed, TRACE_OUTPUT_ROOM, 0};
		int rc;

		left = ZSTD_compressStream2(out->zstd, &to, &from, how);
		if (ZSTD_isError(left))
			return failure_set(error, -EIO, "%s: zstd: %s", out->name, ZSTD_getErrorName(left));
		rc = write_all(out, out->packed, to.pos, error);
		if (rc)
			return rc;
	} while (how == ZSTD_e_end ? left != 0 : from.pos < from.size);
	return 0;
}

int trace_output_flush(struct trace_output *out, struct failure *error)
{
	int rc = out->zstd ? pack(out, ZSTD_e_continue, error) : write_all(out, out->bytes, out->count, error);

	out->count = 0;
	return rc;
}

/* A file is written beside its place; a pipe or device, or standard output, directly. */
static int open_file(struct trace_output *out, const char *path, struct failure *error)
{
	struct stat status;

	if (strcmp(path, "-") == 0) {
		out->name = "standard output";
		out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	} else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else {
		errno = -part_file_open(&out->file, path);
		out->fd = out->file.fd;
	}
	return out->fd < 0 ? trace_output_fail(out, error) : 0;
}

int trace_output_open(struct trace_output *out, const char *path, bool zstd, struct failure *error)
{
	int rc;

	*out = (struct trace_output){.name = trace_name(path), .file = {.fd = -1}, .fd = -1};
	rc = open_file(out, path, error);
	if (rc) {
		trace_output_close(out, false, NULL);
		return rc;
	}
	out->bytes = malloc(TRACE_OUTPUT_ROOM);
	if (zstd) {
		out->zstd = ZSTD_createCStream();
		out->packed = malloc(TRACE_OUTPUT_ROOM);
	}
	if (!out->bytes || (zstd && (!out->zstd || !out->packed ||
				     ZSTD_isError(ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1))))) {
		rc = failure_set(error, -ENOMEM, "%s: out of memory", out->name);
		trace_output_close(out, false, NULL);
	}
	return rc;
}

static int complete_file(struct trace_output *out, struct failure *error)
{
	int rc = out->zstd ? pack(out, ZSTD_e_end, error) : trace_output_flush(out, error);

	if (rc)
		return rc;
	rc = out->file.fd >= 0 ? part_file_complete(&out->file) : close(out->fd) ? -errno : 0;
	out->fd = -1;
	errno = -rc;
	return rc ? trace_output_fail(out, error) : 0;
}

int trace_output_close(struct trace_output *out, bool complete, struct failure *error)
{
	int rc = complete ? complete_file(out, error) : 0;

	if (out->fd >= 0 && out->file.fd < 0)
		close(out->fd);
	part_file_forget(&out->file);
	ZSTD_freeCStream(out->zstd);
	free(out->packed);
	free(out->bytes);
	*out = (struct trace_output){.file = {.fd = -1}, .fd = -1};
	return rc;
}
