// SPDX-License-Identifier: Apache-2.0
/*
 * Pool objects of a soft device: shared memory with a table of timestamps (fpga/model/pool/tsu.c) in front of the object's
 * bytes, so that processes of the machine share it. An object has a clock of its own. Access modes of descriptors stand for
 * rights; the mapping itself is always writable, as readers are given leases.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <pool/tsu.h>

#include "shared_lock.h"
#include "soft.h"

#define MAGIC	   UINT64_C(0x316c6f6f704b4c47) /* "GLKpool1", little endian */
#define BYTES_MAX  (UINT64_C(1) << 40)
#define WAYS	   8u
#define SETS_MAX   1024u
#define SEALS	   (F_SEAL_SHRINK | F_SEAL_GROW)
#define READ_LEASE  10u /* of a card after a reset */
#define WRITE_LEASE 5u
#define LOCK_SECONDS 2 /* for the lock, which a process may be stopped with */

/* The beginning of the shared memory; the entries follow, then the object's bytes at the next page. */
struct head {
	uint64_t magic, bytes, grain;
	pthread_mutex_t lock; /* robust */
	struct glk_tsu tsu;   /* its entries and shape are set by each process, before each use */
	struct glk_tsu_entry entries[];
};

struct soft_pool {
	struct head *head;
	uint8_t *data;
	size_t mapped;
	unsigned grain_shift;
	struct glk_tsu_shape shape;
	int fd; /* of this process, with the descriptor's access mode */
};

/* --- layout --- */

static struct glk_tsu_shape shape_of(uint64_t bytes, uint64_t grain)
{
	struct glk_tsu_shape shape = {
		.sets = 1, .ways = WAYS, .ts_bits = 32, .read_lease = READ_LEASE, .write_lease = WRITE_LEASE
	};

	while (shape.sets < SETS_MAX && (uint64_t)shape.sets * WAYS * grain < bytes)
		shape.sets *= 2;
	return shape;
}

static size_t head_bytes(const struct glk_tsu_shape *shape)
{
	size_t bytes = sizeof(struct head) + (size_t)shape->sets * shape->ways * sizeof(struct glk_tsu_entry);

	return (bytes + GLK_PAGE_SIZE - 1) & ~(size_t)(GLK_PAGE_SIZE - 1);
}

static bool size_valid(uint64_t bytes, uint64_t grain)
{
	return bytes && bytes <= BYTES_MAX && bytes % GLK_PAGE_SIZE == 0 && grain >= 1u << GLK_GRAIN_ORDER_MIN &&
	       grain <= 1u << GLK_GRAIN_ORDER_MAX && !(grain & (grain - 1));
}

/* --- the lock --- */

/* A process that was killed with the lock may have stamped half of a store: then all leases end. */
static int soft_pool_lock(struct soft_pool *pool)
{
	struct head *head = pool->head;
	int error = pthread_mutex_trylock(&head->lock);

	if (error == EBUSY) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += LOCK_SECONDS;
		error = pthread_mutex_clocklock(&head->lock, CLOCK_MONOTONIC, &until);
	}
	if (error && error != EOWNERDEAD)
		return error == ETIMEDOUT ? -GPULINK_ETIMEDOUT : -GPULINK_EIO;
	head->tsu.entries = head->entries;
	head->tsu.shape = pool->shape;
	if (error) {
		glk_tsu_next_epoch(&head->tsu);
		pthread_mutex_consistent(&head->lock);
	}
	return 0;
}

static void unlock(struct soft_pool *pool)
{
	pthread_mutex_unlock(&pool->head->lock);
}

/* --- descriptors --- */

/* All pages, so that no access fails later. */
static int reserve(int fd, uint64_t bytes)
{
	struct sysinfo machine;
	struct rlimit limit;
	int error = 0;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < bytes || /* else SIGXFSZ is raised */
	    sysinfo(&machine) || (machine.totalram + machine.totalswap) * (uint64_t)machine.mem_unit < bytes)
		return -GPULINK_ENOSPC;
	while (!error && (error = posix_fallocate(fd, 0, (off_t)bytes)) == EINTR)
		error = 0;
	return error ? -GPULINK_ENOSPC : 0;
}

static int fill_in(int fd, uint64_t bytes, uint64_t grain)
{
	struct glk_tsu_shape shape = shape_of(bytes, grain);
	struct head *head;
	int error = reserve(fd, head_bytes(&shape) + bytes);

	if (error)
		return error;
	if (fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL))
		return -GPULINK_ENOMEM;
	head = mmap(NULL, head_bytes(&shape), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return -GPULINK_ENOMEM;
	head->bytes = bytes;
	head->grain = grain;
	glk_tsu_init(&head->tsu, &shape, head->entries);
	error = glk_shared_lock_init(&head->lock) ? -GPULINK_ENOMEM : 0;
	head->magic = MAGIC;
	munmap(head, head_bytes(&shape));
	return error;
}

int glk_soft_pool_create(void *backend, uint64_t bytes, uint32_t grain, int *out)
{
	int fd, error;

	(void)backend;
	if (!size_valid(bytes, grain))
		return -GPULINK_ENOSPC;
	fd = memfd_create("gpulink-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -GPULINK_ENOMEM;
	error = fill_in(fd, bytes, grain);
	if (error)
		close(fd);
	else
		*out = fd;
	return error;
}

static int open_again(int fd, int mode)
{
	char name[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open(name, mode | O_CLOEXEC);
}

int glk_soft_pool_share(void *backend, const struct glk_backend_pool *of, unsigned rights, int *shared)
{
	const struct soft_pool *pool = of->state;
	int fd = open_again(pool->fd, rights == GPULINK_READ ? O_RDONLY : rights == GPULINK_WRITE ? O_WRONLY : O_RDWR);

	(void)backend;
	if (fd < 0)
		return -GPULINK_EIO;
	*shared = fd;
	return 0;
}

/* Sealed shared memory of the right size, so that no access faults; its contents are the word of another process. */
static int check_head(int fd, uint64_t *bytes, uint64_t *grain)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct glk_tsu_shape shape;
	struct head head;
	struct stat about;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &about) || pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    head.magic != MAGIC || !size_valid(head.bytes, head.grain))
		return -GPULINK_EINVAL;
	shape = shape_of(head.bytes, head.grain);
	if ((uint64_t)about.st_size != head_bytes(&shape) + head.bytes)
		return -GPULINK_EINVAL;
	*bytes = head.bytes;
	*grain = head.grain;
	return 0;
}

static int soft_pool_map(struct soft_pool *pool, int fd, struct glk_backend_pool *out)
{
	uint64_t bytes, grain;
	int writable = open_again(fd, O_RDWR), error;
	void *memory;

	if (writable < 0)
		return -GPULINK_EINVAL;
	error = check_head(writable, &bytes, &grain);
	if (error) {
		close(writable);
		return error;
	}
	pool->shape = shape_of(bytes, grain);
	pool->mapped = head_bytes(&pool->shape) + bytes;
	memory = mmap(NULL, pool->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, writable, 0);
	close(writable);
	if (memory == MAP_FAILED)
		return -GPULINK_ENOMEM;
	pool->head = memory;
	pool->data = (uint8_t *)memory + head_bytes(&pool->shape);
	pool->grain_shift = (unsigned)__builtin_ctzll(grain);
	*out = (struct glk_backend_pool){ .bytes = bytes, .grain = (uint32_t)grain, .clock = pool, .state = pool };
	return 0;
}

int glk_soft_pool_open(void *backend, int fd, struct glk_backend_pool *out)
{
	int mode = fcntl(fd, F_GETFL), error;
	struct soft_pool *pool;

	(void)backend;
	if (mode < 0)
		return -GPULINK_EINVAL;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return -GPULINK_ENOMEM;
	error = soft_pool_map(pool, fd, out);
	pool->fd = error ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!error && pool->fd < 0) {
		munmap(pool->head, pool->mapped);
		error = -GPULINK_ENOMEM;
	}
	if (error) {
		free(pool);
		return error;
	}
	mode &= O_ACCMODE;
	out->rights = mode == O_RDONLY ? GPULINK_READ : mode == O_WRONLY ? GPULINK_WRITE : GPULINK_READ | GPULINK_WRITE;
	return 0;
}

void glk_soft_pool_close(void *backend, const struct glk_backend_pool *of)
{
	struct soft_pool *pool = of->state;

	(void)backend;
	munmap(pool->head, pool->mapped);
	close(pool->fd);
	free(pool);
}

/* --- operations --- */

int glk_soft_pool_clock(void *backend, const struct glk_backend_pool *of, uint64_t *clock)
{
	struct soft_pool *pool = of->state;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	*clock = pool->head->tsu.clock;
	unlock(pool);
	return 0;
}

int glk_soft_pool_read(void *backend, const struct glk_backend_pool *of, uint64_t line, uint64_t time, uint64_t wts,
		       struct glk_pool_lease *lease, void *data)
{
	struct soft_pool *pool = of->state;
	struct glk_lease given;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	if (!glk_tsu_read(&pool->head->tsu, line >> pool->grain_shift, time, wts, &given, &lease->same))
		error = -GPULINK_ERANGE;
	else if (!lease->same)
		memcpy(data, pool->data + line, of->grain);
	unlock(pool);
	lease->wts = given.wts;
	lease->rts = given.rts;
	return error;
}

int glk_soft_pool_renew(void *backend, const struct glk_backend_pool *of, uint64_t time, struct glk_pool_renewal *renewal,
			unsigned count)
{
	struct soft_pool *pool = of->state;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	for (unsigned i = 0; i < count && !error; i++) {
		struct glk_lease lease;
		bool same;

		if (!glk_tsu_read(&pool->head->tsu, renewal[i].line >> pool->grain_shift, time, renewal[i].wts, &lease, &same))
			error = -GPULINK_ERANGE;
		else
			renewal[i] = (struct glk_pool_renewal){ .line = same ? lease.rts : 0, .wts = lease.wts };
	}
	unlock(pool);
	return error;
}

int glk_soft_pool_write(void *backend, const struct glk_backend_pool *of, uint64_t offset, uint64_t time, const void *data,
			size_t bytes, struct glk_pool_lease *lease)
{
	struct soft_pool *pool = of->state;
	struct glk_lease given;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	if (glk_tsu_write(&pool->head->tsu, offset >> pool->grain_shift, time, &given))
		memcpy(pool->data + offset, data, bytes);
	else
		error = -GPULINK_ERANGE;
	unlock(pool);
	*lease = (struct glk_pool_lease){ .wts = given.wts, .rts = given.rts };
	return error;
}

static uint64_t soft_pool_get(const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = bytes; i--;)
		value = value << 8 | at[i];
	return value;
}

static void soft_pool_put(uint8_t *at, size_t bytes, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

int glk_soft_pool_atomic(void *backend, const struct glk_backend_pool *of, unsigned opcode, uint64_t offset, size_t bytes,
			 uint64_t time, uint64_t operand, uint64_t compare, uint64_t *old, struct glk_pool_lease *lease)
{
	struct soft_pool *pool = of->state;
	uint64_t line = offset >> pool->grain_shift;
	struct glk_lease given;
	bool accepted, same;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	*old = soft_pool_get(pool->data + offset, bytes);
	if (opcode == GLK_OP_CAS && *old != compare) {
		accepted = glk_tsu_read(&pool->head->tsu, line, time, UINT64_MAX, &given, &same);
	} else {
		accepted = glk_tsu_write(&pool->head->tsu, line, time, &given);
		if (accepted)
			soft_pool_put(pool->data + offset, bytes, opcode == GLK_OP_FETCH_ADD ? *old + operand : operand);
	}
	unlock(pool);
	*lease = (struct glk_pool_lease){ .wts = given.wts, .rts = given.rts };
	return accepted ? 0 : -GPULINK_ERANGE;
}

int glk_soft_pool_load(void *backend, const struct glk_backend_pool *of, uint64_t offset, void *data, size_t bytes)
{
	struct soft_pool *pool = of->state;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	memcpy(data, pool->data + offset, bytes);
	unlock(pool);
	return 0;
}

int glk_soft_pool_store(void *backend, const struct glk_backend_pool *of, uint64_t offset, const void *data, size_t bytes)
{
	struct soft_pool *pool = of->state;
	int error = soft_pool_lock(pool);

	(void)backend;
	if (error)
		return error;
	for (uint64_t line = offset >> pool->grain_shift; line <= (offset + bytes - 1) >> pool->grain_shift; line++)
		glk_tsu_write_untimed(&pool->head->tsu, line);
	memcpy(pool->data + offset, data, bytes);
	unlock(pool);
	return 0;
}
