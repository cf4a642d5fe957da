/* SPDX-License-Identifier: Apache-2.0 */
/* How processes meet: each brings a few bytes, and gets those of all. */
#ifndef GLK_UCX_MEET_H
#define GLK_UCX_MEET_H

#include <stdint.h>

#include "ucx_options.h"

#define GLK_MEET_MAX 65536u /* bytes that a process brings */

struct glk_meet_item {
	uint8_t *data;
	uint32_t bytes;
};

/*
 * At process 0, by TCP, until the options' timeout. items: one of each process, of malloc().
 *
 * Errors: ETIMEDOUT (not all came), EINVAL (errno EINVAL: another number of processes than process 0's, EEXIST: another process
 * has this rank, EADDRNOTAVAIL: no such host), EABI (process 0 has another version), EPROTO (whoever listens there is not of
 * gpulink), ENOMEM, EIO (errno has the cause: EADDRINUSE).
 */
int glk_meet_tcp(const struct glk_ucx_options *options, const struct glk_meet_item *own, struct glk_meet_item *items);

void glk_meet_free(struct glk_meet_item *items, uint64_t processes);

#endif /* GLK_UCX_MEET_H */
