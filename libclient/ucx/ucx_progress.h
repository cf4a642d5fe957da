/* SPDX-License-Identifier: Apache-2.0 */
/* Progress: by a thread of the device, and by calls that wait. */
#ifndef GLK_UCX_PROGRESS_H
#define GLK_UCX_PROGRESS_H

#include "ucx.h"

/* Starts the thread, if the options want one, and watches the other processes. */
int glk_progress_start(struct ucx *u);
/* Ends it. */
void glk_progress_stop(struct ucx *u);

/* Under the lock: receives, executes, sends, and wakes those who wait. */
void glk_progress(struct ucx *u);

/* Releases the lock; the thread sees what UCX could not send at once. */
void glk_progress_unlock(struct ucx *u);

/*
 * Under the lock, which is released meanwhile: makes progress until `met` says so (with the lock), or until the time.
 * Returns what `met` says.
 */
bool glk_progress_until(struct ucx *u, bool (*met)(const void *what), const void *what, uint64_t deadline);

uint64_t glk_progress_now(void);

#endif /* GLK_UCX_PROGRESS_H */
