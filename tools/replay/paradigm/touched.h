/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that each pair of GPUs touched since the pair's last release: unique bytes, which alone had to be sent. A byte that
 * is stored again before anybody could read it was sent in vain.
 *
 * Kept by pages of 4096 bytes with a bit for each byte, which are used again after a release: memory grows with what is
 * touched between two releases (an eighth of it) and never with the length of the stream.
 */
#ifndef REPLAY_TOUCHED_H
#define REPLAY_TOUCHED_H

#include <stddef.h>
#include <stdint.h>

enum { TOUCHED_PAGE = 4096 };

struct touched;

/** For pairs 0 .. pairs - 1. NULL: no memory. */
struct touched *touched_create(unsigned pairs);
void touched_free(struct touched *touched);

/** Marks `size` bytes, inside one page. Returns how many were not marked yet, or a negative errno value: no memory. Adds 1 to
 *  *pages when it is the first mark in its page since the pair's last release. */
int touched_mark(struct touched *touched, unsigned pair, uint64_t address, uint32_t size, uint64_t *pages);

/** Begins to bring what a mark will need into the cache. */
void touched_prefetch(const struct touched *touched, unsigned pair, uint64_t address);

/** Forgets the marks of a pair. */
void touched_release(struct touched *touched, unsigned pair);

/** How many pages there are, for reports on memory. */
size_t touched_pages(const struct touched *touched);

#endif /* REPLAY_TOUCHED_H */
