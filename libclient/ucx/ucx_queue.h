/* SPDX-License-Identifier: Apache-2.0 */
/* The rings of queues: as in struct glk_backend_ops. */
#ifndef GLK_UCX_QUEUE_H
#define GLK_UCX_QUEUE_H

#include "ucx.h"

int glk_ucx_queue_open(struct ucx *u, struct ucx_queue **queue);
/* `child`: in a child of fork(), where nothing is sent and nobody else uses the device. */
void glk_ucx_queue_close(struct ucx_queue *queue, bool child);

int glk_ucx_store(void *backend, const struct glk_backend_window *window, uint64_t offset, const void *data, size_t bytes);
int glk_ucx_load(void *backend, const struct glk_backend_window *window, uint64_t offset, void *data, size_t bytes);
int glk_ucx_submit(void *backend, const uint64_t entry[GLK_SQE_WORDS]);
int glk_ucx_take(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room);
int glk_ucx_sleep(void *backend, uint64_t entry, uint64_t timeout_ns);
int glk_ucx_count_errors(void *backend, uint64_t entry, uint32_t *errors);
int glk_ucx_descriptor(void *backend);

#endif /* GLK_UCX_QUEUE_H */
