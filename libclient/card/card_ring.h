/* SPDX-License-Identifier: Apache-2.0 */
/* A card's rings mapped into the process: submission without a system call. Errors are negative errno. Not thread-safe. */
#ifndef GLK_CARD_RING_H
#define GLK_CARD_RING_H

#include <stdint.h>

#include "../backend.h"

struct glk_card_ring;

/* doorbell_offset: of GPULINK_IOCTL_QUERY. */
int glk_card_ring_open(int fd, uint64_t doorbell_offset, struct glk_card_ring **ring);
void glk_card_ring_close(struct glk_card_ring *ring);
/* As in struct glk_backend_ops. */
int glk_card_ring_submit(struct glk_card_ring *ring, const uint64_t entry[GLK_SQE_WORDS]);
int glk_card_ring_take(struct glk_card_ring *ring, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room);
/* Does not touch the ring: other threads may use it. With `errors` sets it as count_errors() does. */
int glk_card_ring_sleep(const struct glk_card_ring *ring, uint64_t entry, uint64_t timeout_ns, uint32_t *errors);
/* From now on poll() of the descriptor finds what is not taken. */
void glk_card_ring_poll(struct glk_card_ring *ring);

/* The doorbell page. */
void *glk_card_ring_doorbell(const struct glk_card_ring *ring);

#endif /* GLK_CARD_RING_H */
