// SPDX-License-Identifier: Apache-2.0
#include "staging.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gpulink_regs.h>

#include "cancel.h"
#include "error_text.h"

#define SYNC_ATTEMPTS 100u

struct glk_staging {
	atomic_uint references;
	atomic_bool retired;
	int fd;		  /* duplicate, for DMA_BUF_IOCTL_SYNC */
	uint8_t *mapping; /* page-aligned */
	size_t mapped;
	uint8_t *memory, *buffer;
	size_t bytes;
};

static int staging_code_of(int error)
{
	switch (error) {
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return -GPULINK_ENOMEM;
	case EACCES:
	case EPERM:
		return -GPULINK_EACCES;
	case EINVAL:
	case ENODEV:
	case EOPNOTSUPP:
		return -GPULINK_ENOTSUP;
	default:
		return -GPULINK_EIO;
	}
}

/* lseek() to the end returns the size of a dma-buf. */
static int check_range(int fd, uint64_t offset, size_t bytes)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < 0)
		return glk_error_errno(errno == EBADF ? -GPULINK_EINVAL : -GPULINK_ENOTSUP, "size of descriptor %d", fd);
	return bytes <= (uint64_t)end && offset <= (uint64_t)end - bytes ? 0 : glk_error_range("dma-buf", offset, bytes,
											       (uint64_t)end);
}

static int staging_map(struct glk_staging *s, int fd, uint64_t offset, unsigned rights)
{
	int protection = (rights & GPULINK_READ ? PROT_READ : 0) | (rights & GPULINK_WRITE ? PROT_WRITE : 0);
	size_t skip = (size_t)offset % (size_t)sysconf(_SC_PAGESIZE); /* mmap() takes whole pages */

	s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (s->fd < 0)
		return glk_error_errno(staging_code_of(errno), "copy of descriptor %d", fd);
	s->mapped = skip + s->bytes;
	s->mapping = mmap(NULL, s->mapped, protection, MAP_SHARED, fd, (off_t)(offset - skip));
	if (s->mapping == MAP_FAILED) {
		s->mapping = NULL;
		return glk_error_errno(staging_code_of(errno), "mapping of descriptor %d for the CPU", fd);
	}
	s->memory = s->mapping + skip;
	s->buffer = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->buffer == MAP_FAILED) {
		s->buffer = NULL;
		return -GPULINK_ENOMEM;
	}
	return 0;
}

int glk_staging_open(int fd, uint64_t offset, size_t bytes, unsigned rights, struct glk_staging **out)
{
	int error = check_range(fd, offset, bytes);
	struct glk_staging *s;

	if (error)
		return error;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -GPULINK_ENOMEM;
	s->bytes = bytes;
	atomic_init(&s->references, 1);
	error = staging_map(s, fd, offset, rights);
	if (error)
		glk_staging_close(s);
	else
		*out = s;
	return error;
}

struct glk_staging *glk_staging_get(struct glk_staging *s)
{
	if (s)
		atomic_fetch_add(&s->references, 1);
	return s;
}

void glk_staging_retire(struct glk_staging *s)
{
	if (s)
		atomic_store(&s->retired, true);
}

void glk_staging_close(struct glk_staging *s)
{
	GLK_UNCANCELLABLE(state);

	if (!s || atomic_fetch_sub(&s->references, 1) > 1)
		return;
	if (s->buffer)
		munmap(s->buffer, s->bytes);
	if (s->mapping)
		munmap(s->mapping, s->mapped);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

void glk_staging_abandon(struct glk_staging *s)
{
	if (s)
		s->mapping = NULL;
	glk_staging_close(s);
}

void *glk_staging_memory(const struct glk_staging *s)
{
	return s->buffer;
}

/* Notifies the dma-buf's driver that a CPU access begins or ends. Other files do not support this (ENOTTY). */
static int sync_access(const struct glk_staging *s, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	for (unsigned i = 0; i < SYNC_ATTEMPTS; i++) {
		if (!ioctl(s->fd, DMA_BUF_IOCTL_SYNC, &sync) || errno == ENOTTY)
			return 0;
		if (errno != EINTR && errno != EAGAIN)
			break;
	}
	return -GPULINK_EIO;
}

static int staging_copy(const struct glk_staging *s, uint8_t *to, const uint8_t *from, size_t bytes, uint64_t access)
{
	int error = sync_access(s, DMA_BUF_SYNC_START | access);

	if (error)
		return error;
	memcpy(to, from, bytes);
	return sync_access(s, DMA_BUF_SYNC_END | access);
}

int glk_staging_fetch(const struct glk_staging *s, uint64_t offset, size_t bytes)
{
	return staging_copy(s, s->buffer + offset, s->memory + offset, bytes, DMA_BUF_SYNC_READ);
}

int glk_staging_bring(const struct glk_staging *s, uint64_t offset, size_t bytes)
{
	if (atomic_load(&s->retired))
		return 0;
	return staging_copy(s, s->memory + offset, s->buffer + offset, bytes, DMA_BUF_SYNC_WRITE);
}
