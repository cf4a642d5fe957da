/* SPDX-License-Identifier: Apache-2.0 */
/* A device and its objects, shared by the common files of the library. */
#ifndef GLK_DEVICE_H
#define GLK_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "backend.h"
#include "cancel.h"
#include "error_text.h"
#include "staging.h"

#define GLK_STAGES	 8u   /* put vectors of a queue in flight */
#define GLK_QUEUES_MAX	 32u  /* of a device, with its default queue; a card has as many contexts */
#define GLK_OPERATIONS	 256u /* in flight on a queue, apart from releases and entries of the library */

/* A window as one queue's context has it. */
struct glk_view {
	struct glk_backend_window backend;
	bool open; /* written under the device's lock, by the threads that use the queue and the window */
};

struct gpulink_window {
	const uint32_t *own; /* of the device: one load fewer for a store */
	struct gpulink *device;
	struct gpulink_window *next;
	struct gpulink_endpoint_info endpoint;	/* when it was opened */
	int dmabuf; /* descriptor of the library, or -1: instead of the endpoint */
	uint64_t offset, bytes;
	unsigned rights;
	struct glk_view views[GLK_QUEUES_MAX]; /* by the number of the queue */
};

/* A memory as one queue's context has it. */
struct glk_share {
	uint32_t handle;
	bool open; /* as of a view */
};

struct gpulink_memory {
	struct gpulink *device;
	struct gpulink_memory *next;
	void *address; /* or NULL: of a dma-buf */
	int dmabuf;    /* descriptor of the library, or -1 */
	uint64_t offset, bytes;
	unsigned rights;
	struct glk_staging *staging; /* for memory that the card cannot reach; else NULL */
	struct glk_share shares[GLK_QUEUES_MAX];
};

/* The result of a release, for the thread that waits for it. */
struct glk_result {
	bool complete;
	int error;
};

enum glk_kind {
	GLK_KIND_OPERATION,
	GLK_KIND_RELEASE,
	GLK_KIND_SIGNAL_RELEASE, /* a release that belongs to the next entry, a signal */
	GLK_KIND_REGION_RELEASE, /* a release of a region */
	GLK_KIND_WAKEUP,	 /* of the library: requests an interrupt */
};

/* State of an entry in flight, for its completion. */
struct glk_flight {
	struct glk_staging *staging; /* to copy the result from, or NULL; holds a reference */
	uint64_t offset;
	struct glk_result *result; /* of a release that a thread waits for, or NULL */
	uint32_t bytes;
	enum glk_kind kind;
	int stage;   /* of a put vector, or -1 */
	bool tagged; /* its completion is returned */
	bool signal; /* its completion also has the error of the release before it */
	struct gpulink_region *region; /* to which it belongs, or NULL; of its release `offset` is the epoch, or 0 */
	unsigned target;	       /* of the region */
	void (*completed)(const struct glk_flight *flight, int error); /* of a region; under the queue's lock */
};

/* Completions received and not returned yet: a ring of GPULINK_COMPLETIONS_MAX. */
struct glk_done {
	struct gpulink_completion *items;
	unsigned head, count;
};

struct gpulink_queue {
	struct gpulink *device;
	struct gpulink_queue *next;
	unsigned number; /* 0: the default queue */
	void *backend;

	/* Only of the default queue, which several threads use. Outside the device's lock. */
	struct glk_mutex lock;
	pthread_cond_t submission; /* an operation with a tag, while `sleepers` threads wait for one */
	unsigned sleepers;

	struct glk_flight flight[GLK_RING_MAX]; /* by the number of the entry */
	uint64_t submitted, completed;		/* entries */
	uint64_t woken;				/* the entry before this one requests an interrupt */
	bool polled;				/* has a descriptor */
	bool has_rings;				/* else its operations go to `batch` */
	struct gpulink_uring_batch *batch;	/* or NULL */
	unsigned looks;				/* polls without a completion */
	struct glk_done done;
	unsigned owed;	 /* operations with a tag, in flight or done, whose completion has not been returned */
	uint32_t errors; /* failed window accesses at the last release */
	int failed;	 /* first error of an operation without a tag since the last release that reported one, or 0 */
	int carried;	 /* error of the release before a signal */

	/* Buffers for put vectors, allocated with the first one. */
	uint8_t *stages;
	uint32_t stages_handle;
	bool stage_busy[GLK_STAGES];
};

struct gpulink {
	uint32_t *own; /* a page of its own: 1, and 0 in children of the process that opened the device (MADV_WIPEONFORK) */
	struct glk_mutex lock;
	const struct glk_backend_ops *ops;
	void *backend; /* of the default queue */
	struct gpulink_info info;
	struct gpulink_window *windows;
	struct gpulink_memory *memories;
	struct gpulink_region *regions;
	struct gpulink_pool *pools;
	/* Atomic: releases of the default queue that were begun, and the number up to which they have ended well. */
	uint64_t releases, released;
	struct gpulink_queue *queues; /* the last one is `queue` */
	struct gpulink_queue queue;
};

/* EINVAL, EFORK, or 0. Before the lock is taken: in a child another thread of the parent may hold it. */
static inline int glk_device_check(const struct gpulink *device)
{
	return device && *device->own ? 0 : glk_error_device(device);
}

/*
 * Around a release of the default queue. Stores to pool objects are marked with the number of the release that covers them at
 * the earliest: the next one that begins.
 */
static inline uint64_t glk_release_begin(struct gpulink *device)
{
	return __atomic_add_fetch(&device->releases, 1, __ATOMIC_SEQ_CST);
}

static inline void glk_release_end(struct gpulink *device, uint64_t number)
{
	uint64_t now = __atomic_load_n(&device->released, __ATOMIC_RELAXED);

	while (now < number &&
	       !__atomic_compare_exchange_n(&device->released, &now, number, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
}

/* Whether the objects belong together: 0, EINVAL or EFORK. */
static inline int glk_queue_check(const struct gpulink_queue *queue)
{
	return glk_device_check(queue ? queue->device : NULL);
}

/* The default queue, which several threads use. */
static inline bool glk_queue_is_shared(const struct gpulink_queue *queue)
{
	return queue->number == 0;
}

static inline struct glk_flight *glk_queue_flight(struct gpulink_queue *queue, uint64_t entry)
{
	return &queue->flight[entry % GLK_RING_MAX];
}

static inline unsigned glk_queue_in_flight(const struct gpulink_queue *queue)
{
	return (unsigned)(queue->submitted - queue->completed);
}

/* window.c: opens the view of a window in a queue's context. */
int glk_window_open_view(struct gpulink_window *window, struct gpulink_queue *queue);

/* The view of a window in a queue's context, opened with the first call. */
static inline int glk_window_view(struct gpulink_window *window, struct gpulink_queue *queue, const struct glk_view **view)
{
	*view = &window->views[queue->number];
	return (*view)->open ? 0 : glk_window_open_view(window, queue);
}

/* memory.c: the handle of a memory in a queue's context, registered with the first call. */
int glk_memory_handle(struct gpulink_memory *memory, struct gpulink_queue *queue, uint32_t *handle);
/* Frees it in a child of the process that opened it. */
void glk_memory_abandon(struct gpulink_memory *memory);

/* queue.c. The default queue is locked by the caller for everything but init and exit. */
int glk_queue_init(struct gpulink_queue *queue, struct gpulink *device, unsigned number, bool rings, void *backend);
void glk_queue_exit(struct gpulink_queue *queue);
void glk_queue_lock(struct gpulink_queue *queue);
void glk_queue_unlock(struct gpulink_queue *queue);
/* Puts an entry on the ring, with a flag for an interrupt if `wake`. Waits for room. */
int glk_queue_submit(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight,
		     bool wake);
/* Takes the available completions. Returns their number. */
int glk_queue_take(struct gpulink_queue *queue);
/* The region is closed: operations in flight do not belong to it any more. */
void glk_queue_forget(struct gpulink_queue *queue, const struct gpulink_region *region);
/* Whether the card is there and was not reset: 0 or an error. */
int glk_queue_check_card(const struct gpulink_queue *queue);
/* Waits until `count` entries have completed since the queue was opened. */
int glk_queue_await(struct gpulink_queue *queue, uint64_t count, uint64_t deadline);
/* Waits until `count` more operations have room, or for a second. */
int glk_queue_reserve(struct gpulink_queue *queue, unsigned count);
/* EBUSY: as many operations with a tag as there may be have completions that are not taken. */
__attribute__((cold)) int glk_queue_owes(void);
/* Opens a queue; without rings, for uring.c. */
int glk_queue_open(struct gpulink *device, bool rings, struct gpulink_queue **queue);
uint64_t glk_now_ns(void);
uint64_t glk_deadline(uint64_t timeout_ns);

/* completion.c: the words of a completion. */
struct gpulink_completion glk_completion(const uint64_t word[GLK_CQE_WORDS]);

/* operations.c: puts with a flight of the caller's. */
int glk_put_inline(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes,
		   uint64_t tag, const struct glk_flight *flight);
int glk_put_memory(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory,
		   uint64_t memory_offset, size_t bytes, uint64_t tag, const struct glk_flight *flight);

/* wait_until.c: between two looks at a word: spins, then yields, then sleeps, at most `left`. */
void glk_pause(unsigned round, uint64_t left);
bool glk_meets(uint64_t word, enum gpulink_compare compare, uint64_t value);

/* batch.c: for queues without rings. Appends an entry to the batch. */
int glk_batch_add(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight);
/* Whether the batch has room for `count` entries: 0, EINVAL or ENOSPC. */
int glk_batch_reserve(const struct gpulink_queue *queue, unsigned count);

#define GLK_ROOM_TIMEOUT_NS UINT64_C(1000000000) /* for room on the ring */

#endif /* GLK_DEVICE_H */
