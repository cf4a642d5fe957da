/* SPDX-License-Identifier: Apache-2.0 */
/* The soft device's state: one model, and a context of it for each queue. */
#ifndef GLK_SOFT_H
#define GLK_SOFT_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <card/card.h>
#include <gpulink_regs.h>

#include "../backend.h"
#include "../lane/lane.h"
#include "../ready_event.h"
#include "soft_options.h"
#include "soft_shared.h"

#define SOFT_SLICES	   1024u
#define SOFT_REGISTRATIONS 1024u

struct soft_queue;

/* Shared by the queues of a device. The lock serialises the model. */
struct soft {
	pthread_mutex_t lock;
	struct glk_card *card;
	struct glk_soft_options options;
	struct glk_soft_shared *shared; /* "local:": the endpoints' memory, of several processes; else NULL */
	unsigned slice_shift;
	uint8_t *endpoints[GLK_PARTITION_COUNT];
	bool slice_used[SOFT_SLICES];
	uint64_t *registrations[SOFT_REGISTRATIONS]; /* page lists; NULL: free */
	uint32_t contexts;			     /* in use, a bit each */
	struct soft_queue *queues[GLK_CONTEXT_COUNT];	     /* by context */
	struct gpulink_counters others[GLK_PARTITION_COUNT]; /* "local:": of lanes that are closed, and of puts and regions */
	struct {
		unsigned first, chunks; /* counters; no chunks: free */
	} regions[GLK_REGION_COUNT];
	bool chunk_used[GLK_CHUNK_COUNT];
	uint64_t (*records)[GLK_REGION_RECORD_BYTES / 8];
};

struct soft_queue {
	struct soft *soft;
	unsigned context;
	uint64_t (*sq)[GLK_SQE_WORDS];
	uint64_t (*cq)[GLK_CQE_WORDS];
	uint16_t sq_tail, cq_head; /* free running */
	struct glk_lane *lanes[GLK_PARTITION_COUNT]; /* "local:": its stores; NULL before the first */
	bool first;		   /* the default queue: its lanes are used under the lock */
	struct glk_ready_event event;
};

static inline uint64_t glk_soft_get(const struct soft *soft, unsigned reg)
{
	uint64_t value = 0;

	glk_card_register_read(soft->card, reg, 8, &value);
	return value;
}

static inline void glk_soft_set(const struct soft *soft, unsigned reg, uint64_t value)
{
	glk_card_register_write(soft->card, reg, 8, value);
}

/* Only idle flush timeouts need the time. */
static inline void glk_soft_update_time(const struct soft *soft)
{
	struct timespec t;

	if (!soft->options.timeout)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	glk_card_advance(soft->card, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

/* soft_platform.c */
extern const struct glk_card_ops glk_soft_platform, glk_local_platform;

/* soft_queue.c: under the lock, except for those of struct glk_backend_ops. */
int glk_soft_queue_create(struct soft *soft, struct soft_queue **queue);
void glk_soft_queue_destroy(struct soft_queue *queue, bool child);
int glk_soft_submit(void *backend, const uint64_t entry[GLK_SQE_WORDS]);
int glk_soft_take(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room);
int glk_soft_sleep(void *backend, uint64_t entry, uint64_t timeout_ns);
int glk_soft_count_errors(void *backend, uint64_t entry, uint32_t *errors);
int glk_soft_descriptor(void *backend);

/* soft_lane.c: as in struct glk_backend_ops, on "local:". */
int glk_soft_lane_store(void *backend, unsigned partition, uint64_t offset, const void *data, size_t bytes);
int glk_soft_lane_open(void *backend, unsigned partition, struct glk_lane **lane, uint64_t *origin);
/* Applies what the lanes of a queue hold, or one of them; by the thread that uses the queue. */
void glk_soft_lanes_flush(struct soft_queue *queue, unsigned reason);
void glk_soft_lane_flush(struct soft_queue *queue, unsigned partition, unsigned reason);
void glk_soft_lanes_close(struct soft_queue *queue, bool child);
/* The counters of all queues' lanes, also of those that are closed. */
void glk_soft_lanes_count(const struct soft *soft, unsigned partition, struct gpulink_counters *counters);

/* soft_region.c: as in struct glk_backend_ops. */
int glk_soft_region_open(void *backend, const struct glk_region_shape *shape, struct glk_backend_region *region);
void glk_soft_region_close(void *backend, const struct glk_backend_region *region);
void glk_soft_region_write(void *backend, unsigned reg, uint64_t value);
int glk_soft_region_wait(void *backend, const struct glk_backend_region *region, unsigned level, uint64_t epoch,
			 uint64_t timeout_ns, struct glk_region_state *state);

/* soft_pool.c: as in struct glk_backend_ops. */
int glk_soft_pool_create(void *backend, uint64_t bytes, uint32_t grain, int *fd);
int glk_soft_pool_share(void *backend, const struct glk_backend_pool *pool, unsigned rights, int *shared);
int glk_soft_pool_open(void *backend, int fd, struct glk_backend_pool *pool);
void glk_soft_pool_close(void *backend, const struct glk_backend_pool *pool);
int glk_soft_pool_clock(void *backend, const struct glk_backend_pool *pool, uint64_t *clock);
int glk_soft_pool_read(void *backend, const struct glk_backend_pool *pool, uint64_t line, uint64_t time, uint64_t wts,
		       struct glk_pool_lease *lease, void *data);
int glk_soft_pool_renew(void *backend, const struct glk_backend_pool *pool, uint64_t time, struct glk_pool_renewal *renewal,
			unsigned count);
int glk_soft_pool_write(void *backend, const struct glk_backend_pool *pool, uint64_t offset, uint64_t time, const void *data,
			size_t bytes, struct glk_pool_lease *lease);
int glk_soft_pool_atomic(void *backend, const struct glk_backend_pool *pool, unsigned opcode, uint64_t offset, size_t bytes,
			 uint64_t time, uint64_t operand, uint64_t compare, uint64_t *old, struct glk_pool_lease *lease);
int glk_soft_pool_load(void *backend, const struct glk_backend_pool *pool, uint64_t offset, void *data, size_t bytes);
int glk_soft_pool_store(void *backend, const struct glk_backend_pool *pool, uint64_t offset, const void *data, size_t bytes);

#endif /* GLK_SOFT_H */
