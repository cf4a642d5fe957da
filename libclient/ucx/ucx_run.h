/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of rings, by whoever makes progress: loads, atomics and releases. Entries that store are executed by the thread that
 * submits them, before they come here (ucx_queue.c). Under the device's lock.
 */
#ifndef GLK_UCX_RUN_H
#define GLK_UCX_RUN_H

#include "ucx.h"
#include "ucx_request.h"

/* Starts entries of all queues and finishes them, as far as possible. */
void glk_run_queues(struct ucx *u);

/* Whether the last entry that started is a release that has not finished: those behind it do not start. */
bool glk_run_fenced(struct ucx_queue *queue);

/*
 * With routing: requests a release of what the queue stored to the process's column since its last release. Returns whether
 * there was something, and the asker is called.
 */
bool glk_run_fence(struct ucx_queue *queue, uint32_t process, const struct ucx_asker *asker);

/* Windows and registrations of an entry: GLK_ST_OK or a status. */
uint32_t glk_run_window(const struct ucx *u, const uint64_t words[GLK_SQE_WORDS], uint64_t offset, uint64_t bytes,
			unsigned rights, const struct ucx_window **window);
uint32_t glk_run_memory(const struct ucx *u, const uint64_t words[GLK_SQE_WORDS], uint64_t bytes, unsigned right,
			uint8_t **address);

static inline unsigned glk_run_opcode(const uint64_t words[GLK_SQE_WORDS])
{
	return (unsigned)((words[GLK_SQE_OPCODE_Q] & GLK_SQE_OPCODE_MASK) >> GLK_SQE_OPCODE_SHIFT);
}

static inline uint64_t glk_run_length(const uint64_t words[GLK_SQE_WORDS])
{
	return words[GLK_SQE_LENGTH_Q] >> GLK_SQE_LENGTH_SHIFT;
}

static inline bool glk_run_is_atomic(unsigned opcode)
{
	return opcode >= GLK_OP_FETCH_ADD && opcode <= GLK_OP_CAS;
}

#endif /* GLK_UCX_RUN_H */
