// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Tests cannot go on without their files. */
static void must(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	abort();
}

void files_open(struct files *f)
{
	must(mkdtemp(temporary_template(f->folder, "trace-test")) != NULL, "mkdtemp");
}

const char *files_path(struct files *f, const char *name)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->folder, name);
	return f->path;
}

void files_write(struct files *f, const char *name, const void *bytes, size_t count)
{
	FILE *file = fopen(files_path(f, name), "wb");

	must(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0, name);
}

uint8_t *files_read(struct files *f, const char *name, size_t *count)
{
	FILE *file = fopen(files_path(f, name), "rb");
	uint8_t *bytes;
	long size;

	must(file && fseek(file, 0, SEEK_END) == 0, name);
	size = ftell(file);
	rewind(file);
	must(size >= 0, name);
	*count = (size_t)size;
	bytes = malloc(*count + 1);
	must(bytes && fread(bytes, 1, *count, file) == *count, name);
	fclose(file);
	bytes[*count] = '\0';
	return bytes;
}

void files_close(struct files *f)
{
	DIR *folder = opendir(f->folder);
	struct dirent *entry;

	must(folder != NULL, f->folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			unlink(files_path(f, entry->d_name));
	}
	closedir(folder);
	rmdir(f->folder);
}

uint8_t *files_zstd(const void *bytes, size_t count, size_t *packed)
{
	size_t room = ZSTD_compressBound(count);
	uint8_t *to = malloc(room);

	must(to != NULL, "malloc");
	*packed = ZSTD_compress(to, room, bytes, count, 1);
	must(!ZSTD_isError(*packed), "zstd");
	return to;
}

uint8_t *files_gzip(const void *bytes, size_t count, size_t *packed)
{
	z_stream z = {0};
	uint8_t *to;

	must(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
	*packed = deflateBound(&z, count);
	to = malloc(*packed);
	must(to != NULL, "malloc");
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)count;
	z.next_out = to;
	z.avail_out = (uInt)*packed;
	must(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib");
	*packed = z.total_out;
	deflateEnd(&z);
	return to;
}
