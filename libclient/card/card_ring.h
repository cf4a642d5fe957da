/* SPDX-License-Identifier: Apache-2.0 */
/* A card's rings mapped into the process: submission without a system call. Errors are negative errno. Not thread-safe. */
#ifndef GLK_CARD_RING_H
#define GLK_CARD_RING_H

#include <stdint.h>

#include "../backend.h"

struct glk_card_ring;

/* *ring is NULL if the driver does not support mapped rings. */
int glk_card_ring_open(int fd, uint64_t doorbell_offset, struct glk_card_ring **ring);
void glk_card_ring_close(struct glk_card_ring *ring);
/* As in struct glk_backend_ops. */
int glk_card_ring_submit(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS]);
int glk_card_ring_wait(struct glk_card_ring *ring, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room, unsigned least,
		       uint64_t timeout_ns);
/* EIO: a write to an endpoint failed; *errors is set nevertheless. */
int glk_card_ring_release(struct glk_card_ring *ring, uint64_t timeout_ns, uint32_t *errors);

#endif /* GLK_CARD_RING_H */
