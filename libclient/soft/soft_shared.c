// SPDX-License-Identifier: Apache-2.0
#include "soft_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../error_text.h"
#include "shared_lock.h"
#include "soft_options.h"

#define MAGIC	 UINT64_C(0x316c61636f4c4b47) /* "GKLocal1", little endian */
#define HEAD	 4096u
#define ATTEMPTS 5000u /* of a millisecond */

/* The first page; the endpoints follow. */
struct head {
	uint64_t magic, endpoints, bytes;
	pthread_mutex_t lock; /* robust */
};

/*
 * A lock of the open file tells who has the object: each process a shared one, whoever makes or removes it an exclusive one. The kernel
 * drops it with the process.
 */
struct glk_soft_shared {
	int fd;
	char path[GLK_LOCAL_NAME_MAX + 40];
	struct head *head;
	uint64_t mapped;
};

static bool try_lock(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static void pause_ms(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* With the exclusive lock: what is there belongs to nobody. */
static int make(int fd, uint64_t endpoints, uint64_t bytes)
{
	struct head head = { .magic = MAGIC, .endpoints = endpoints, .bytes = bytes };
	int error = glk_shared_lock_init(&head.lock);

	if (error || ftruncate(fd, 0) || ftruncate(fd, (off_t)(HEAD + endpoints * bytes)) ||
	    pwrite(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return -GPULINK_ENOMEM;
	return try_lock(fd, F_RDLCK) ? 0 : -GPULINK_EIO;
}

/* With a shared lock: whether it is still there by its name, and what was asked for. EAGAIN: it was removed meanwhile. */
static int check(int fd, uint64_t endpoints, uint64_t bytes)
{
	struct stat about;
	struct head head;

	if (fstat(fd, &about))
		return -GPULINK_EIO;
	if (!about.st_nlink)
		return -EAGAIN;
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) || head.magic != MAGIC || head.endpoints != endpoints ||
	    head.bytes != bytes || (uint64_t)about.st_size != HEAD + endpoints * bytes) {
		errno = EINVAL;
		return glk_error(-GPULINK_EINVAL, "options endpoints=%" PRIu64 ", memory=%" PRIu64 ": must be those of the processes that have it open",
				 endpoints, bytes);
	}
	return 0;
}

/* One attempt. EAGAIN: another process makes or removes it. */
static int attempt(struct glk_soft_shared *s, uint64_t endpoints, uint64_t bytes)
{
	struct stat about;
	int error;

	s->fd = shm_open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->fd < 0)
		return glk_error_errno(errno == EACCES ? -GPULINK_EACCES : -GPULINK_EIO, "/dev/shm%s", s->path);
	if (fstat(s->fd, &about) || about.st_uid != geteuid()) {
		close(s->fd);
		return -GPULINK_EACCES;
	}
	if (try_lock(s->fd, F_WRLCK))
		error = fstat(s->fd, &about) || !about.st_nlink ? -EAGAIN : make(s->fd, endpoints, bytes);
	else
		error = try_lock(s->fd, F_RDLCK) ? check(s->fd, endpoints, bytes) : -EAGAIN;
	if (error)
		close(s->fd);
	return error;
}

int glk_soft_shared_open(const char *name, uint64_t endpoints, uint64_t bytes, struct glk_soft_shared **out)
{
	struct glk_soft_shared *s = calloc(1, sizeof(*s));
	int error = -EAGAIN;
	void *memory;

	if (!s)
		return -GPULINK_ENOMEM;
	snprintf(s->path, sizeof(s->path), "/gpulink-%u-%s", (unsigned)geteuid(), name);
	for (unsigned i = 0; i < ATTEMPTS && error == -EAGAIN; i++) {
		if (i)
			pause_ms();
		error = attempt(s, endpoints, bytes);
	}
	if (error) {
		free(s);
		return error == -EAGAIN ? -GPULINK_EBUSY : error;
	}
	s->mapped = HEAD + endpoints * bytes;
	memory = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
	s->head = memory;
	if (memory == MAP_FAILED) {
		s->head = NULL;
		glk_soft_shared_close(s);
		return -GPULINK_ENOMEM;
	}
	*out = s;
	return 0;
}

void glk_soft_shared_abandon(struct glk_soft_shared *s)
{
	if (!s)
		return;
	if (s->head)
		munmap(s->head, s->mapped);
	close(s->fd);
	free(s);
}

void glk_soft_shared_close(struct glk_soft_shared *s)
{
	if (s && try_lock(s->fd, F_WRLCK)) /* nobody else has it */
		shm_unlink(s->path);
	glk_soft_shared_abandon(s);
}

uint8_t *glk_soft_shared_memory(const struct glk_soft_shared *s, unsigned endpoint)
{
	return (uint8_t *)s->head + HEAD + endpoint * s->head->bytes;
}

void glk_soft_shared_lock(struct glk_soft_shared *s)
{
	/* A process that died within an atomic has either stored its word or not. */
	if (pthread_mutex_lock(&s->head->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&s->head->lock);
}

void glk_soft_shared_unlock(struct glk_soft_shared *s)
{
	pthread_mutex_unlock(&s->head->lock);
}
