// SPDX-License-Identifier: Apache-2.0
/*
 * Pool objects of a card. Operations with a time are ring entries of a context of their own, one at a time, through a small
 * registered buffer: the rings of the program's queues are under other locks. Stores and loads without a time go through a
 * window of the default queue, whose releases cover them.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../cancel.h"
#include "../cpu_access.h"
#include "card_context.h"

#define SPINS	     4000u		       /* looks at the ring before the thread sleeps */
#define NAP_NS	     UINT64_C(50000)	       /* of sleep, between which the card's state is checked */
#define TIMEOUT_NS   UINT64_C(5000000000)      /* of an operation */
#define BUFFER_BYTES (GLK_LEASE_RECORD_BYTES + (1u << GLK_GRAIN_ORDER_MAX))

_Static_assert(BUFFER_BYTES >= GLK_RENEW_MAX * GLK_RENEW_RECORD_BYTES, "the buffer holds all records");

struct object {
	struct object *next;
	int fd;		 /* its own descriptor of the object */
	uint64_t bytes;
	uint32_t window; /* of the operations' context */
	void *mapping;	 /* of the descriptor, or NULL */
};

struct glk_card_pools {
	struct card *queue; /* the operations' context */
	struct glk_mutex lock;
	uint64_t *buffer;
	uint32_t registration;
	uint16_t entries; /* submitted */
	bool late;	  /* the last one has not completed: the buffer is the card's */
	struct object *objects;
};

/* --- opening --- */

static int call(const struct card *card, unsigned long request, void *argument)
{
	if (!ioctl(card->fd, request, argument))
		return 0;
	switch (errno) {
	case ENOTTY: /* an older driver */
		return -GPULINK_ENOTSUP;
	case EBADF:
		return -GPULINK_EINVAL;
	case EXDEV:
		return -GPULINK_ENODEV;
	case EMFILE:
	case ENFILE:
		return -GPULINK_ENOMEM;
	default:
		return glk_card_code_of(errno);
	}
}

int glk_card_pools_open(struct card *queue, struct glk_card_pools **out)
{
	struct glk_card_pools *pools = calloc(1, sizeof(*pools));
	struct gpulink_ioctl_register r = {
		.size = sizeof(r), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .bytes = BUFFER_BYTES,
	};
	int error;

	if (!pools)
		return -GPULINK_ENOMEM;
	pools->buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pools->buffer == MAP_FAILED) {
		free(pools);
		return -GPULINK_ENOMEM;
	}
	r.address = (uintptr_t)pools->buffer;
	error = madvise(pools->buffer, BUFFER_BYTES, MADV_DONTFORK) ? -GPULINK_ENOMEM : call(queue, GPULINK_IOCTL_REGISTER, &r);
	if (!error && pthread_mutex_init(&pools->lock.lock, NULL))
		error = -GPULINK_ENOMEM;
	if (error) {
		munmap(pools->buffer, BUFFER_BYTES);
		free(pools);
		return error;
	}
	pools->registration = r.handle;
	pools->queue = queue;
	*out = pools;
	return 0;
}

/* `child`: mappings are not inherited. */
static void free_object(struct object *object, bool child)
{
	if (object->mapping && !child)
		munmap(object->mapping, object->bytes);
	close(object->fd);
	free(object);
}

struct card *glk_card_pools_close(struct glk_card_pools *pools, bool child)
{
	struct card *queue = pools->queue;

	for (struct object *object = pools->objects, *next; object; object = next) {
		next = object->next;
		free_object(object, child);
	}
	if (!child) {
		pthread_mutex_destroy(&pools->lock.lock);
		munmap(pools->buffer, BUFFER_BYTES);
	}
	free(pools);
	return queue;
}

int glk_card_object_create(void *backend, uint64_t bytes, uint32_t grain, int *fd)
{
	struct gpulink_ioctl_pool_create c = {
		.size = sizeof(c), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .bytes = bytes, .grain = grain,
	};
	int error = call(backend, GPULINK_IOCTL_POOL_CREATE, &c);

	*fd = c.fd;
	return error;
}

int glk_card_object_share(void *backend, const struct glk_backend_pool *pool, unsigned rights, int *shared)
{
	const struct object *object = pool->state;
	struct gpulink_ioctl_pool_share s = { .size = sizeof(s), .flags = rights, .fd = object->fd };
	int error = call(backend, GPULINK_IOCTL_POOL_SHARE, &s);

	*shared = s.shared;
	return error;
}

static void detach(const struct card *card, uint32_t window)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = window };

	ioctl(card->fd, GPULINK_IOCTL_WINDOW_UNMAP, &h); /* fails after removal or reset, which closed the window */
}

static int attach(const struct card *card, int fd, unsigned rights, struct gpulink_ioctl_pool_attach *a)
{
	*a = (struct gpulink_ioctl_pool_attach){ .size = sizeof(*a), .flags = rights, .fd = fd };
	return call(card, GPULINK_IOCTL_POOL_ATTACH, a);
}

/* The mappings of the window in the default queue's context and, if it can be read, of the descriptor. */
static int card_pool_map(const struct card *card, const struct gpulink_ioctl_pool_attach *a, struct object *object,
			 struct glk_backend_pool *pool)
{
	int protection = (pool->rights & GPULINK_READ ? PROT_READ : 0) | (pool->rights & GPULINK_WRITE ? PROT_WRITE : 0);

	pool->window.handle = a->handle;
	pool->window.address = glk_card_map(a->bytes, protection, card->fd, a->mmap_offset);
	if (!pool->window.address)
		return glk_card_code_of(errno);
	if (!(pool->rights & GPULINK_READ))
		return 0;
	object->mapping = glk_card_map(a->bytes, protection, object->fd, 0);
	if (object->mapping)
		return 0;
	munmap(pool->window.address, a->bytes);
	return glk_card_code_of(errno);
}

static int open_object(struct card *card, struct object *object, struct glk_backend_pool *pool)
{
	const struct card *queue = card->pools->queue;
	struct gpulink_ioctl_pool_query q = { .size = sizeof(q), .fd = object->fd };
	struct gpulink_ioctl_pool_attach here, there;
	int error = call(card, GPULINK_IOCTL_POOL_QUERY, &q);

	if (!error)
		error = attach(card, object->fd, q.rights, &here);
	if (error)
		return error;
	*pool = (struct glk_backend_pool){
		.bytes = q.bytes, .grain = q.grain, .rights = q.rights, .clock = queue, .state = object
	};
	object->bytes = q.bytes;
	error = attach(queue, object->fd, q.rights, &there);
	if (!error) {
		object->window = there.handle;
		error = card_pool_map(card, &here, object, pool);
		if (error)
			detach(queue, there.handle);
	}
	if (error)
		detach(card, here.handle);
	pool->address = object->mapping;
	return error;
}

int glk_card_object_open(struct card *card, int fd, struct glk_backend_pool *pool)
{
	struct object *object = calloc(1, sizeof(*object));
	int error;

	if (!object)
		return -GPULINK_ENOMEM;
	object->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (object->fd < 0) {
		error = errno == EBADF ? -GPULINK_EINVAL : -GPULINK_ENOMEM;
		free(object);
		return error;
	}
	error = open_object(card, object, pool);
	if (error) {
		free_object(object, false);
		return error;
	}
	object->next = card->pools->objects;
	card->pools->objects = object;
	return 0;
}

void glk_card_object_close(void *backend, const struct glk_backend_pool *pool)
{
	const struct card *card = backend;
	struct object *object = pool->state, **at = &card->pools->objects;

	while (*at != object)
		at = &(*at)->next;
	*at = object->next;
	munmap(pool->window.address, pool->bytes);
	detach(card, pool->window.handle);
	detach(card->pools->queue, object->window);
	free_object(object, false);
}

/* --- operations with a time --- */

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Waits for the last entry's completion. */
static int card_pool_await(struct glk_card_pools *pools, uint64_t done[GLK_CQE_WORDS])
{
	struct glk_card_ring *ring = pools->queue->ring;
	uint64_t words[1][GLK_CQE_WORDS], deadline = 0;
	int error;

	for (unsigned round = 0; !glk_card_ring_take(ring, words, 1); round++) {
		if (round < SPINS)
			continue;
		deadline = deadline ? deadline : now_ns() + TIMEOUT_NS;
		error = glk_card_ring_sleep(ring, (uint16_t)(pools->entries - 1), NAP_NS, NULL);
		if (error && error != -ETIMEDOUT)
			return error == -EIO ? -GPULINK_EPROTO : glk_card_code_of(-error);
		if (now_ns() >= deadline)
			return -GPULINK_ETIMEDOUT;
	}
	pools->late = false;
	memcpy(done, words[0], sizeof(words[0]));
	return 0;
}

/* An entry about a window. The caller adds times and operands. */
static void card_pool_begin(uint64_t entry[GLK_SQE_WORDS], unsigned opcode, const struct glk_backend_pool *pool,
			    uint64_t offset, uint64_t length)
{
	const struct object *object = pool->state;

	memset(entry, 0, GLK_SQE_BYTES);
	entry[0] = (uint64_t)opcode << GLK_SQE_OPCODE_SHIFT | (uint64_t)object->window << GLK_SQE_WINDOW_SHIFT |
		   length << GLK_SQE_LENGTH_SHIFT;
	entry[GLK_SQE_WINDOW_OFFSET_Q] = offset;
}

/* Begins to use the buffer. An operation that timed out must end first. */
static int card_pool_lock(const struct card *card)
{
	struct glk_card_pools *pools = card->pools;
	uint64_t done[GLK_CQE_WORDS];
	int error;

	glk_mutex_lock(&pools->lock);
	error = pools->late ? card_pool_await(pools, done) : 0;
	if (error)
		glk_mutex_unlock(&pools->lock);
	return error;
}

static void unlock(const struct card *card)
{
	glk_mutex_unlock(&card->pools->lock);
}

/* Executes an entry with the buffer, between card_pool_lock() and unlock(). */
static int card_pool_run(const struct card *card, uint64_t entry[GLK_SQE_WORDS])
{
	struct glk_card_pools *pools = card->pools;
	uint64_t done[GLK_CQE_WORDS];
	int error;

	entry[GLK_SQE_REGISTRATION_Q] = (uint64_t)pools->registration << GLK_SQE_REGISTRATION_SHIFT;
	if (glk_card_ring_submit(pools->queue->ring, entry) != 1)
		return -GPULINK_EPROTO;
	pools->entries++;
	pools->late = true;
	error = card_pool_await(pools, done);
	if (error)
		return error;
	return glk_status_error((uint32_t)((done[GLK_CQE_STATUS_Q] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT));
}

static void take_lease(const struct card *card, struct glk_pool_lease *lease)
{
	const uint64_t *record = card->pools->buffer;

	*lease = (struct glk_pool_lease){
		.wts = le64toh(record[GLK_LEASE_RECORD_WTS_Q]),
		.rts = le64toh(record[GLK_LEASE_RECORD_RTS_Q]),
		.same = le64toh(record[GLK_LEASE_RECORD_SAME_Q]) & GLK_LEASE_RECORD_SAME_MASK,
	};
}

/* The data behind the record. */
static void *data_of(const struct card *card)
{
	return (uint8_t *)card->pools->buffer + GLK_LEASE_RECORD_BYTES;
}

int glk_card_object_read(void *backend, const struct glk_backend_pool *pool, uint64_t line, uint64_t time, uint64_t wts,
		       struct glk_pool_lease *lease, void *data)
{
	uint64_t entry[GLK_SQE_WORDS];
	int error = card_pool_lock(backend);

	if (error)
		return error;
	card_pool_begin(entry, GLK_OP_POOL_READ, pool, line, pool->grain);
	entry[GLK_SQE_DATA_Q] = time;
	entry[GLK_SQE_DATA_Q + 1] = wts;
	error = card_pool_run(backend, entry);
	if (!error) {
		take_lease(backend, lease);
		if (!lease->same)
			memcpy(data, data_of(backend), pool->grain);
	}
	unlock(backend);
	return error;
}

int glk_card_object_renew(void *backend, const struct glk_backend_pool *pool, uint64_t time, struct glk_pool_renewal *renewals,
			unsigned count)
{
	const struct card *card = backend;
	uint64_t entry[GLK_SQE_WORDS], *record = card->pools->buffer;
	int error = card_pool_lock(card);

	if (error)
		return error;
	for (unsigned i = 0; i < count; i++) {
		record[2 * i + GLK_RENEW_RECORD_LINE_Q] = htole64(renewals[i].line);
		record[2 * i + GLK_RENEW_RECORD_WTS_Q] = htole64(renewals[i].wts);
	}
	card_pool_begin(entry, GLK_OP_POOL_RENEW, pool, 0, count);
	entry[GLK_SQE_DATA_Q] = time;
	error = card_pool_run(card, entry);
	for (unsigned i = 0; i < count && !error; i++) {
		renewals[i].line = le64toh(record[2 * i + GLK_RENEW_RECORD_LINE_Q]);
		renewals[i].wts = le64toh(record[2 * i + GLK_RENEW_RECORD_WTS_Q]);
	}
	unlock(card);
	return error;
}

int glk_card_object_write(void *backend, const struct glk_backend_pool *pool, uint64_t offset, uint64_t time, const void *data,
			size_t bytes, struct glk_pool_lease *lease)
{
	uint64_t entry[GLK_SQE_WORDS];
	int error = card_pool_lock(backend);

	if (error)
		return error;
	memcpy(data_of(backend), data, bytes);
	card_pool_begin(entry, GLK_OP_POOL_WRITE, pool, offset, bytes);
	entry[GLK_SQE_DATA_Q] = time;
	error = card_pool_run(backend, entry);
	if (!error)
		take_lease(backend, lease);
	unlock(backend);
	return error;
}

int glk_card_object_atomic(void *backend, const struct glk_backend_pool *pool, unsigned opcode, uint64_t offset, size_t bytes,
			 uint64_t time, uint64_t operand, uint64_t compare, uint64_t *old, struct glk_pool_lease *lease)
{
	const struct card *card = backend;
	uint64_t entry[GLK_SQE_WORDS];
	int error = card_pool_lock(card);

	if (error)
		return error;
	card_pool_begin(entry, opcode, pool, offset, bytes);
	entry[GLK_SQE_FLAGS_Q] |= (uint64_t)GLK_FLAG_TIMED << GLK_SQE_FLAGS_SHIFT;
	entry[GLK_SQE_DATA_Q] = operand;
	entry[GLK_SQE_DATA_Q + 1] = compare;
	entry[GLK_SQE_DATA_Q + 2] = time;
	error = card_pool_run(card, entry);
	if (!error) {
		take_lease(card, lease);
		*old = le64toh(card->pools->buffer[GLK_LEASE_RECORD_OLD_Q]);
	}
	unlock(card);
	return error;
}

/* --- the clock, loads and stores --- */

/* 0 after a reset or removal, which dummy pages hide from loads; all ones of a card that has gone just now. */
int glk_card_object_clock(void *backend, const struct glk_backend_pool *pool, uint64_t *clock)
{
	const struct card *queue = ((const struct card *)backend)->pools->queue;
	const volatile uint64_t *at = (const volatile uint64_t *)glk_card_ring_doorbell(queue->ring) + GLK_DOORBELL_CLOCK / 8;
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	uint64_t value = *at;
	int error;

	(void)pool;
	while (sizeof(long) < sizeof(value) && value != *at) /* two loads, of 32-bit processes */
		value = *at;
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* later loads are not made earlier */
	*clock = le64toh(value);
	if (value && value != UINT64_MAX)
		return 0;
	error = call(queue, GPULINK_IOCTL_QUERY, &q);
	return error || !value ? error : -GPULINK_EIO;
}

/* Through the window, which sees the context's earlier stores. */
int glk_card_object_load(void *backend, const struct glk_backend_pool *pool, uint64_t offset, void *data, size_t bytes)
{
	uint64_t clock;

	glk_cpu_load(data, (const uint8_t *)pool->window.address + offset, bytes);
	return glk_card_object_clock(backend, pool, &clock);
}

int glk_card_object_store(void *backend, const struct glk_backend_pool *pool, uint64_t offset, const void *data, size_t bytes)
{
	(void)backend;
	glk_cpu_store((uint8_t *)pool->window.address + offset, data, bytes);
	return 0;
}
