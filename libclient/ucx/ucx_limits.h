/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the process for which UCX would abort it instead of returning an error. */
#ifndef GLK_UCX_LIMITS_H
#define GLK_UCX_LIMITS_H

#include <stdbool.h>

/**
 * Before UCX opens anything: whether the threads and descriptors that it needs can be had, and this library's thread unless
 * calls make progress (`caller`). Returns 0, or ENOSPC, with errno EAGAIN (threads), EMFILE or ENFILE (descriptors).
 */
int glk_ucx_check_limits(bool caller);

#endif /* GLK_UCX_LIMITS_H */
