/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record for each page of 4096 bytes that a pair of GPUs has touched since the pair's last release. Records are used again
 * after a release: memory grows with what is touched between two releases and never with the length of the stream.
 */
#ifndef REPLAY_PAGES_H
#define REPLAY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_BYTES = 4096 };

struct pages;

/** For pairs 0 .. pairs - 1, with records of `record_bytes`, a multiple of 8. NULL: no memory. */
struct pages *pages_create(unsigned pairs, size_t record_bytes);
void pages_free(struct pages *pages);

/** The record of the page of an address, all zero and with 1 added to *fresh when it is the first of its page since the pair's
 *  last release. Valid until the next call. NULL: no memory. */
void *pages_get(struct pages *pages, unsigned pair, uint64_t address, uint64_t *fresh);

/** Whether there are so many records that they are not in a near cache, and pages_prefetch() is worth its time. */
bool pages_scattered(const struct pages *pages);

/** Begins to bring what pages_get() will need into the cache. */
void pages_prefetch(const struct pages *pages, unsigned pair, uint64_t address);

/** Forgets the records of a pair. */
void pages_release(struct pages *pages, unsigned pair);

/** How many records there is memory for, for reports on memory. */
size_t pages_room(const struct pages *pages);

#endif /* REPLAY_PAGES_H */
