// SPDX-License-Identifier: Apache-2.0
/*
 * The memory is a System V segment that its maker marks for removal before anyone uses it: the kernel frees it with the last
 * process that has it attached, however that ends. It is not limited by the size of /dev/shm, and as its bytes are accounted
 * for when it is made, no access to it fails. A segment that is marked has no key any more: openers find it by its contents.
 *
 * The key serves makers only: whoever makes a segment has it until the segment is marked. Then there is at most one segment of
 * a name.
 */
#include "soft_shared.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

#include "../error_text.h"
#include "soft_options.h"

#define MAGIC	 UINT64_C(0x326c61636f4c4b47) /* "GKLocal2", little endian */
#define HEAD	 4096u
#define ATTEMPTS 5000u /* of a millisecond */
#define PATIENCE 100u  /* attempts for which a maker has the key */

enum state { MAKING, COMPLETE, GIVEN_UP }; /* MAKING: all bytes are 0 */

/* The first page; the endpoints follow. */
struct glk_soft_shared {
	uint64_t magic, endpoints, bytes;
	uint32_t state;
	char name[GLK_LOCAL_NAME_MAX + 1];
};

_Static_assert(sizeof(struct glk_soft_shared) <= HEAD, "one page");

/* FNV-1a of user and name. */
static uint32_t hash(const char *name)
{
	uint32_t value = 2166136261u ^ (uint32_t)geteuid();

	for (; *name; name++)
		value = (value ^ (uint8_t)*name) * 16777619u;
	return value;
}

/* Bytes of the segment beyond whole pages: hardly a segment of another name is attached. */
static size_t excess(const char *name)
{
	return 1 + hash(name) % (HEAD - 1);
}

static key_t soft_shared_key_of(const char *name)
{
	return (key_t)(hash(name) | 1); /* not IPC_PRIVATE */
}

/* Whether the segment may be one of the name: of this user, with the sizes of such ones. */
static bool may_be(const struct shmid_ds *about, const char *name)
{
	return about->shm_perm.cuid == geteuid() && about->shm_segsz > HEAD && about->shm_segsz % HEAD == excess(name);
}

static struct glk_soft_shared *attach(int segment)
{
	void *memory = shmat(segment, NULL, 0);

	return memory == (void *)-1 ? NULL : memory;
}

static bool has_name(struct glk_soft_shared *s, const char *name)
{
	return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == COMPLETE && s->magic == MAGIC &&
	       !strncmp(s->name, name, sizeof(s->name));
}

/* Attaches the segment of the name, or returns NULL: no process has it open. */
static struct glk_soft_shared *soft_shared_find(const char *name)
{
	struct shmid_ds about;
	struct shm_info info;
	int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);

	for (int i = 0; i <= last; i++) {
		int segment = shmctl(i, SHM_STAT, &about);
		struct glk_soft_shared *s;

		if (segment < 0 || !(about.shm_perm.mode & SHM_DEST) || !may_be(&about, name))
			continue;
		s = attach(segment);
		if (s && has_name(s, name))
			return s;
		if (s)
			shmdt(s);
	}
	return NULL;
}

/* Why there is no segment. */
static int soft_shared_code_of(int cause)
{
	switch (cause) {
	case ENOMEM:
		return -GPULINK_ENOMEM;
	case ENOSPC: /* kernel.shmmni, kernel.shmall */
	case EINVAL: /* kernel.shmmax */
		return -GPULINK_ENOSPC;
	case ENOSYS:
		return -GPULINK_ENOTSUP;
	default:
		return -GPULINK_EIO;
	}
}

static bool change_state(struct glk_soft_shared *s, enum state state)
{
	uint32_t making = MAKING;

	return __atomic_compare_exchange_n(&s->state, &making, state, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/*
 * Makes the segment. EAGAIN: another process makes it, has made it meanwhile, or has taken this one for dead. A process that is
 * killed here leaves at most a segment without pages to the next one.
 */
static int soft_shared_make(const char *name, uint64_t endpoints, uint64_t bytes, struct glk_soft_shared **out)
{
	int segment = shmget(soft_shared_key_of(name), HEAD + endpoints * bytes + excess(name), IPC_CREAT | IPC_EXCL | 0600),
	    error = 0;
	struct glk_soft_shared *s, *other;

	if (segment < 0)
		return errno == EEXIST ?
			       -EAGAIN :
			       glk_error_errno(soft_shared_code_of(errno),
					       "shared memory of %" PRIu64 " endpoints of %" PRIu64 " bytes", endpoints, bytes);
	s = attach(segment);
	if (!s) {
		error = errno == ENOMEM ? -GPULINK_ENOMEM : -EAGAIN;
		shmctl(segment, IPC_RMID, NULL);
		return error;
	}
	other = soft_shared_find(name); /* made between the look for one and the key */
	if (!other) {
		s->magic = MAGIC;
		s->endpoints = endpoints;
		s->bytes = bytes;
		strcpy(s->name, name);
	}
	if (other || !change_state(s, COMPLETE))
		error = -EAGAIN;
	shmctl(segment, IPC_RMID, NULL);
	if (other)
		shmdt(other);
	if (error)
		shmdt(s);
	else
		*out = s;
	return error;
}

/* Frees the key of a maker that was killed or is stopped. If it goes on, it begins again. */
static void take_key(const char *name)
{
	int segment = shmget(soft_shared_key_of(name), 0, 0);
	struct glk_soft_shared *s;
	struct shmid_ds about;

	if (segment < 0 || shmctl(segment, IPC_STAT, &about) || !may_be(&about, name))
		return;
	s = attach(segment);
	if (!s)
		return;
	change_state(s, GIVEN_UP);
	shmctl(segment, IPC_RMID, NULL); /* if it is complete, its maker would have done this next */
	shmdt(s);
}

/* Opens what is there, or makes it. */
static int find_or_make(const char *name, uint64_t endpoints, uint64_t bytes, struct glk_soft_shared **out)
{
	struct glk_soft_shared *s = soft_shared_find(name);

	if (!s)
		return soft_shared_make(name, endpoints, bytes, out);
	if (s->endpoints != endpoints || s->bytes != bytes) {
		shmdt(s);
		errno = EINVAL;
		return glk_error(-GPULINK_EINVAL,
				 "options endpoints=%" PRIu64 ", memory=%" PRIu64
				 ": must be those of the processes that have it open",
				 endpoints, bytes);
	}
	*out = s;
	return 0;
}

int glk_soft_shared_open(const char *name, uint64_t endpoints, uint64_t bytes, struct glk_soft_shared **out)
{
	int error = find_or_make(name, endpoints, bytes, out);

	for (unsigned i = 1; i < ATTEMPTS && error == -EAGAIN; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		if (i % PATIENCE == 0)
			take_key(name);
		error = find_or_make(name, endpoints, bytes, out);
	}
	if (error)
		return error == -EAGAIN ? -GPULINK_EBUSY : error;
	/* Children of fork() would keep it in existence. */
	if (!madvise(*out, HEAD + endpoints * bytes + excess(name), MADV_DONTFORK))
		return 0;
	glk_soft_shared_close(*out);
	return -GPULINK_EIO;
}

void glk_soft_shared_close(struct glk_soft_shared *s)
{
	if (s)
		shmdt(s);
}

uint8_t *glk_soft_shared_memory(struct glk_soft_shared *s, unsigned endpoint)
{
	return (uint8_t *)s + HEAD + endpoint * s->bytes;
}
