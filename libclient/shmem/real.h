/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the implementation behind this library: each shmem_X is weak there, and pshmem_X the same. */
#ifndef GLK_SHMEM_REAL_H
#define GLK_SHMEM_REAL_H

#include <shmem.h>

#define GLK_REAL(name) extern __typeof__(shmem_##name) pshmem_##name

GLK_REAL(init);
GLK_REAL(init_thread);
GLK_REAL(finalize);
GLK_REAL(global_exit);
GLK_REAL(query_thread);
GLK_REAL(my_pe);
GLK_REAL(n_pes);
GLK_REAL(ptr);
GLK_REAL(addr_accessible);
GLK_REAL(malloc);
GLK_REAL(calloc);
GLK_REAL(align);
GLK_REAL(realloc);
GLK_REAL(free);
GLK_REAL(ctx_destroy);
GLK_REAL(fence);
GLK_REAL(ctx_fence);
GLK_REAL(quiet);
GLK_REAL(ctx_quiet);
GLK_REAL(barrier);
GLK_REAL(barrier_all);
#ifndef shmem_sync /* OpenSHMEM 1.5: a choice of functions, which generate.py knows */
GLK_REAL(sync);
#endif
GLK_REAL(sync_all);
GLK_REAL(set_lock);
GLK_REAL(clear_lock);
GLK_REAL(test_lock);
GLK_REAL(getmem);
GLK_REAL(putmem);
GLK_REAL(putmem_nbi);
GLK_REAL(uint64_p);
GLK_REAL(int_test);

#endif /* GLK_SHMEM_REAL_H */
