// SPDX-License-Identifier: Apache-2.0
/* The calls without a type: life, order, memory, locks. */
#include "calls.h"
#include "helper.h"
#include "real.h"
#include "start.h"

#define g glk_shmem

/* --- life --- */

void shmem_init(void)
{
	int provided;

	glk_start(SHMEM_THREAD_SINGLE, &provided);
}

int shmem_init_thread(int requested, int *provided)
{
	return glk_start(requested, provided);
}

void start_pes(int pes);
void start_pes(int pes)
{
	(void)pes;
	shmem_init();
}

void shmem_query_thread(int *provided)
{
	*provided = glk_thread_level();
}

void shmem_finalize(void)
{
	glk_stop();
	pshmem_finalize();
}

void shmem_global_exit(int status)
{
	glk_helper_stop();
	pshmem_global_exit(status);
}

void *shmem_ptr(const void *at, int pe)
{
	return g.forced && pe != g.me ? NULL : pshmem_ptr(at, pe);
}

/* --- order --- */

void shmem_fence(void)
{
	if (glk_fence())
		pshmem_quiet();
	else
		pshmem_fence();
}

void shmem_ctx_fence(shmem_ctx_t context)
{
	if (glk_fence() || atomic_load_explicit(&g.real_context, memory_order_relaxed))
		pshmem_ctx_quiet(context);
	else
		pshmem_ctx_fence(context);
}

void shmem_quiet(void)
{
	glk_quiet();
}

void shmem_ctx_quiet(shmem_ctx_t context)
{
	glk_send_all();
	pshmem_ctx_quiet(context);
	glk_finish();
}

void shmem_ctx_destroy(shmem_ctx_t context)
{
	shmem_ctx_quiet(context);
	pshmem_ctx_destroy(context);
}

void shmem_barrier(int start, int log, int size, long *sync)
{
	glk_quiet();
	if (!glk_sync(start, log, size, sync))
		pshmem_barrier(start, log, size, sync);
}

void shmem_barrier_all(void)
{
	glk_quiet();
	if (!glk_sync(0, 0, g.pes, NULL))
		pshmem_barrier_all();
}

#ifndef shmem_sync
void shmem_sync(int start, int log, int size, long *sync)
{
	glk_before_wait();
	if (!glk_sync(start, log, size, sync))
		pshmem_sync(start, log, size, sync);
}
#endif

void shmem_sync_all(void)
{
	glk_before_wait();
	if (!glk_sync(0, 0, g.pes, NULL))
		pshmem_sync_all();
}

/* --- memory: these calls have barriers of the implementation --- */

static void barrier_before(void)
{
	glk_quiet();
	glk_meet(0, 0, g.pes, NULL);
}

void *shmem_malloc(size_t bytes)
{
	barrier_before();
	return pshmem_malloc(bytes);
}

void *shmem_calloc(size_t count, size_t bytes)
{
	barrier_before();
	return pshmem_calloc(count, bytes);
}

void *shmem_align(size_t alignment, size_t bytes)
{
	barrier_before();
	return pshmem_align(alignment, bytes);
}

void *shmem_realloc(void *memory, size_t bytes)
{
	barrier_before();
	return pshmem_realloc(memory, bytes);
}

void shmem_free(void *memory)
{
	barrier_before();
	pshmem_free(memory);
}

/* --- locks --- */

void shmem_set_lock(volatile long *lock)
{
	unsigned idle = 0;

	if (!g.packs || g.helped) {
		glk_before_block();
		pshmem_set_lock(lock);
		glk_after_block();
		return;
	}
	glk_before_wait();
	while (pshmem_test_lock(lock)) /* receives meanwhile, though without a place in the queue */
		glk_ring_turn(&idle);
}

int shmem_test_lock(volatile long *lock)
{
	unsigned idle = 0;

	glk_before_wait();
	glk_ring_turn(&idle);
	return pshmem_test_lock(lock);
}

void shmem_clear_lock(volatile long *lock)
{
	glk_quiet();
	pshmem_clear_lock(lock);
}
