/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that applies packets while the program computes, and sends what its lanes hold. */
#ifndef GLK_SHMEM_HELPER_H
#define GLK_SHMEM_HELPER_H

#include <stdbool.h>

/** Starts it. Returns false if the system refuses. */
bool glk_helper_start(void);

/** Stops it, if it runs, and waits for its end. */
void glk_helper_stop(void);

#endif /* GLK_SHMEM_HELPER_H */
