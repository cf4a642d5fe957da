/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that each pair of GPUs touched since the pair's last release: unique bytes, which alone had to be sent. A byte that
 * is stored again before anybody could read it was sent in vain.
 */
#ifndef REPLAY_TOUCHED_H
#define REPLAY_TOUCHED_H

#include "pages.h"

enum { TOUCHED_RECORD_BYTES = PAGE_BYTES / 8 }; /* a bit for each byte */

/** Marks `size` bytes, inside one page, in `pages` with records of TOUCHED_RECORD_BYTES. Returns how many were not marked yet,
 * or a negative errno value: no memory. Adds 1 to *touched when it is the first mark in its page since the pair's last release.
 */
int touched_mark(struct pages *pages, unsigned pair, uint64_t address, uint32_t size, uint64_t *touched);

#endif /* REPLAY_TOUCHED_H */
