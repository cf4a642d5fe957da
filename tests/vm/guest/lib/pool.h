/* SPDX-License-Identifier: Apache-2.0 */
/* Short wrappers of the calls for pool objects. Errors are -errno. */
#ifndef TESTS_VM_POOL_H
#define TESTS_VM_POOL_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "card.h"

enum { PAGE = 4096, RIGHT_R = GPULINK_ALLOW_READ, RIGHT_W = GPULINK_ALLOW_WRITE, RIGHT_RW = RIGHT_R | RIGHT_W };

/* A descriptor, or an error. */
static inline int pool_create(int fd, uint64_t bytes, unsigned grain, unsigned rights)
{
	struct gpulink_ioctl_pool_create c = { .size = sizeof(c), .flags = rights, .bytes = bytes, .grain = grain };

	return ioctl(fd, GPULINK_IOCTL_POOL_CREATE, &c) ? -errno : c.fd;
}

static inline int pool_share(int fd, int object, unsigned rights)
{
	struct gpulink_ioctl_pool_share s = { .size = sizeof(s), .flags = rights, .fd = object };

	return ioctl(fd, GPULINK_IOCTL_POOL_SHARE, &s) ? -errno : s.shared;
}

/* A window, or an error. */
static inline int pool_attach(int fd, int object, unsigned rights, struct gpulink_ioctl_pool_attach *a)
{
	*a = (struct gpulink_ioctl_pool_attach){ .size = sizeof(*a), .flags = rights, .fd = object };
	return ioctl(fd, GPULINK_IOCTL_POOL_ATTACH, a) ? -errno : (int)a->handle;
}

static inline int pool_query(int fd, int object, struct gpulink_ioctl_pool_query *q)
{
	*q = (struct gpulink_ioctl_pool_query){ .size = sizeof(*q), .fd = object };
	return ioctl(fd, GPULINK_IOCTL_POOL_QUERY, q) ? -errno : 0;
}

static inline uint64_t pool_free(int fd)
{
	struct gpulink_ioctl_pool_query q;

	return pool_query(fd, -1, &q) ? UINT64_MAX : q.pool_free;
}

/* The mapping of a descriptor, or of a window; NULL and errno. */
static inline volatile uint64_t *pool_map(int fd, size_t bytes, int protection, uint64_t offset)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

/* Reads a line by the ring, at time 0 and without a copy; the lease in *record. The status, or an error. */
static inline int pool_read(int fd, unsigned window, uint64_t offset, unsigned length, int registration, void *buffer,
			    uint64_t record[4])
{
	struct sqe e = move(GLK_OP_POOL_READ, window, offset, length, (unsigned)registration, 0);
	struct cqe done;
	int error;

	e.words[5] = UINT64_MAX;
	error = card_run(fd, &e, 1, &done);
	memcpy(record, buffer, 32);
	return error < 0 ? error : (int)status_of(&done);
}

/* The mapping of a window on a partition whose endpoint is the pool, by root; the window stays until the file is closed. NULL.
 */
static inline volatile uint64_t *pool_window(int fd, unsigned partition, size_t bytes)
{
	uint64_t offset;

	return card_window(fd, partition, 0, bytes, &offset) < 0 ? NULL : pool_map(fd, bytes, PROT_READ | PROT_WRITE, offset);
}

/* Whether each page of it reads 0, by samples. */
static inline bool zeros(const volatile uint64_t *words, size_t bytes)
{
	unsigned wrong = 0, count = 0;

	for (size_t i = 0; i < bytes / 8; i += 31, count++)
		wrong += words[i] != 0;
	if (wrong)
		printf("# %u of %u sampled words are not 0\n", wrong, count);
	return !wrong;
}

/* Writes a sysfs file. 0, or an error. */
static inline int put_file(const char *folder, const char *file, const char *text)
{
	char path[400];
	ssize_t count;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	setvbuf(out, NULL, _IONBF, 0);
	errno = 0;
	count = (ssize_t)fwrite(text, 1, strlen(text), out);
	if (count != (ssize_t)strlen(text) && !errno)
		errno = EIO;
	count = count == (ssize_t)strlen(text) ? 0 : -errno;
	fclose(out);
	return (int)count;
}

/* The first word of a sysfs file. */
static inline const char *text_of(const char *folder, const char *file)
{
	static char text[128];
	char path[400];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	in = fopen(path, "r");
	if (!in || !fgets(text, sizeof(text), in))
		text[0] = '\0';
	if (in)
		fclose(in);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

#endif /* TESTS_VM_POOL_H */
