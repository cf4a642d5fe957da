// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

enum {
	ROOM = 256 << 10, /* of content, and of what is packed */
	ZSTD_WINDOW_LOG = 27, /* what decompression may need: 128 MiB, as the zstd program allows by default */
};

static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
static const uint8_t gzip_magic[] = {0x1f, 0x8b};

/* Reads what the file gives at once, into `to`; *got 0 is its end. */
static int read_some(struct trace_input *in, uint8_t *to, size_t room, size_t *got, struct failure *error)
{
	ssize_t n;

	do {
		n = read(in->fd, to, room);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return failure_set(error, -errno, "%s: %s", in->name, strerror(errno));
	*got = (size_t)n;
	in->read_bytes += *got;
	return 0;
}

static int refill_packed(struct trace_input *in, struct failure *error)
{
	int rc;

	if (in->packed_next < in->packed_count || in->packed_end)
		return 0;
	in->packed_next = 0;
	rc = read_some(in, in->packed, ROOM, &in->packed_count, error);
	if (rc) {
		in->packed_count = 0;
		return rc;
	}
	in->packed_end = in->packed_count == 0;
	return 0;
}

/* Decompression that neither takes nor gives a byte is at the file's end, or in its middle. */
static int stalled(struct trace_input *in, struct failure *error)
{
	if (in->open || !in->packed_end)
		return failure_set(error, -EINVAL, "%s: the compressed file is truncated or damaged", in->name);
	in->end = true;
	return 0;
}

static int unpack_zstd(struct trace_input *in, struct failure *error)
{
	ZSTD_inBuffer from = {in->packed, in->packed_count, in->packed_next};
	ZSTD_outBuffer to = {in->bytes, ROOM, in->count};
	size_t rc = ZSTD_decompressStream(in->zstd, &to, &from);

	if (ZSTD_isError(rc))
		return failure_set(error, -EINVAL, "%s: not valid zstd: %s", in->name, ZSTD_getErrorName(rc));
	if (from.pos == in->packed_next && to.pos == in->count)
		return stalled(in, error);
	in->packed_next = from.pos;
	in->count = to.pos;
	in->open = rc != 0;
	return 0;
}

static int unpack_gzip(struct trace_input *in, struct failure *error)
{
	z_stream *z = &in->gzip;
	int rc;

	if (!in->open) { /* one member follows another, or the file ends */
		if (in->packed_end)
			return stalled(in, error);
		if (inflateReset(z) != Z_OK)
			return failure_set(error, -EINVAL, "%s: zlib cannot be reset", in->name);
		in->open = true;
	}
	z->next_in = in->packed + in->packed_next;
	z->avail_in = (uInt)(in->packed_count - in->packed_next);
	z->next_out = in->bytes + in->count;
	z->avail_out = (uInt)(ROOM - in->count);
	rc = inflate(z, Z_NO_FLUSH);
	if (rc == Z_BUF_ERROR)
		return stalled(in, error);
	if (rc != Z_OK && rc != Z_STREAM_END)
		return failure_set(error, -EINVAL, "%s: not valid gzip: %s", in->name, z->msg ? z->msg : zError(rc));
	in->packed_next = in->packed_count - z->avail_in;
	in->count = ROOM - z->avail_out;
	in->open = rc != Z_STREAM_END;
	return 0;
}

static int unpack(struct trace_input *in, struct failure *error)
{
	int rc = refill_packed(in, error);

	if (rc)
		return rc;
	return in->packing == TRACE_ZSTD ? unpack_zstd(in, error) : unpack_gzip(in, error);
}

static int read_plain(struct trace_input *in, struct failure *error)
{
	size_t got = 0;
	int rc = read_some(in, in->bytes + in->count, ROOM - in->count, &got, error);

	if (rc)
		return rc;
	in->count += got;
	in->end = got == 0;
	return 0;
}

int trace_input_more(struct trace_input *in, size_t want, struct failure *error)
{
	if (trace_input_left(in) >= want || in->end)
		return 0;
	memmove(in->bytes, in->bytes + in->next, trace_input_left(in));
	in->count -= in->next;
	in->next = 0;
	while (in->count < want && !in->end) {
		int rc = in->packing == TRACE_PLAIN ? read_plain(in, error) : unpack(in, error);

		if (rc)
			return rc;
	}
	return 0;
}

static bool begins_with(const struct trace_input *in, const uint8_t *magic, size_t bytes)
{
	return in->count >= bytes && memcmp(in->bytes, magic, bytes) == 0;
}

/* The first bytes say how the file is packed. */
static int recognise(struct trace_input *in, struct failure *error)
{
	int rc;

	in->packing = TRACE_PLAIN;
	rc = trace_input_more(in, sizeof(zstd_magic), error);
	if (rc)
		return rc;
	if (begins_with(in, zstd_magic, sizeof(zstd_magic)))
		in->packing = TRACE_ZSTD;
	else if (begins_with(in, gzip_magic, sizeof(gzip_magic)))
		in->packing = TRACE_GZIP;
	else
		return 0;
	if (!in->packed)
		in->packed = malloc(ROOM);
	if (!in->packed)
		return failure_set(error, -ENOMEM, "%s: out of memory", in->name);
	memcpy(in->packed, in->bytes, in->count);
	in->packed_next = 0;
	in->packed_count = in->count;
	in->packed_end = false;
	in->count = 0;
	in->end = false;
	return 0;
}

static int start_unpacking(struct trace_input *in, struct failure *error)
{
	in->open = false;
	if (in->packing == TRACE_ZSTD) {
		if (!in->zstd)
			in->zstd = ZSTD_createDStream();
		if (!in->zstd || ZSTD_isError(ZSTD_initDStream(in->zstd)) ||
		    ZSTD_isError(ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
			return failure_set(error, -ENOMEM, "%s: out of memory for zstd", in->name);
	}
	if (in->packing == TRACE_GZIP && !in->gzip.state && inflateInit2(&in->gzip, 15 + 16) != Z_OK)
		return failure_set(error, -ENOMEM, "%s: out of memory for zlib", in->name);
	return 0;
}

int trace_input_open(struct trace_input *in, const char *path, struct failure *error)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat status;
	int rc;

	*in = (struct trace_input){.name = standard ? "standard input" : trace_name(path)};
	in->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0 || fstat(in->fd, &status)) {
		rc = failure_set(error, -errno, "%s: %s", in->name, strerror(errno));
	} else {
		in->file_bytes = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
		in->bytes = malloc(ROOM);
		rc = in->bytes ? recognise(in, error) : failure_set(error, -ENOMEM, "%s: out of memory", in->name);
		rc = rc ? rc : start_unpacking(in, error);
	}
	if (rc)
		trace_input_close(in);
	return rc;
}

bool trace_input_can_rewind(const struct trace_input *in)
{
	return lseek(in->fd, 0, SEEK_CUR) >= 0;
}

int trace_input_rewind(struct trace_input *in, struct failure *error)
{
	int rc;

	if (lseek(in->fd, 0, SEEK_SET))
		return failure_set(error, -errno, "%s: %s", in->name, strerror(errno));
	in->next = in->count = 0;
	in->offset = in->read_bytes = 0;
	in->end = false;
	rc = recognise(in, error);
	return rc ? rc : start_unpacking(in, error);
}

void trace_input_close(struct trace_input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	if (in->gzip.state)
		inflateEnd(&in->gzip);
	ZSTD_freeDStream(in->zstd);
	free(in->packed);
	free(in->bytes);
	*in = (struct trace_input){.fd = -1};
}
