/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of queues: a lane to each process, whose packets are sent. By the thread that uses the queue, without the device's
 * lock. */
#ifndef GLK_UCX_LANE_H
#define GLK_UCX_LANE_H

#include "ucx.h"

/* As in struct glk_backend_ops. */
int glk_ucx_lane_open(void *backend, unsigned partition, struct glk_lane **lane, uint64_t *origin);

/* Stores 1 to 4096 bytes at an offset in the process's memory. */
int glk_ucx_lane_store(struct ucx_queue *queue, uint32_t process, uint64_t offset, const void *data, size_t bytes);

/* Sends what the lanes of a queue hold, or one of them. */
void glk_ucx_lanes_flush(struct ucx_queue *queue, unsigned reason);
void glk_ucx_lane_flush(struct ucx_queue *queue, uint32_t process, unsigned reason);

/* Frees them; `child`: what they hold is the parent's. */
void glk_ucx_lanes_close(struct ucx_queue *queue, bool child);

/* The counters of all queues' lanes to a process, also of those that are closed. Under the lock. */
void glk_ucx_lanes_count(const struct ucx *u, uint32_t process, struct gpulink_counters *counters);

#endif /* GLK_UCX_LANE_H */
