/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of an OpenSHMEM program under this library. */
#ifndef GLK_SHMEM_START_H
#define GLK_SHMEM_START_H

/** Initializes the implementation with the thread level that is needed, then this library. Returns the implementation's result.
 */
int glk_start(int requested, int *provided);

/** The thread level that the program was given. */
int glk_thread_level(void);

/** Completes all stores, prints the counters if asked to, frees; before the implementation's finalize. Nothing when it has run.
 */
void glk_stop(void);

#endif /* GLK_SHMEM_START_H */
