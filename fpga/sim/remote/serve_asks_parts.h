/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the other card: what it asks (_make), what the card does about it (_card) and answers (_answers). */
#ifndef GLK_SERVE_ASKS_PARTS_H
#define GLK_SERVE_ASKS_PARTS_H

#include "serve_asks.h"

#define PAGE	     4096u
#define LINE	     64u
#define OFFSET_MASK  ((UINT64_C(1) << 48) - 1)
#define BIT(n)	     (UINT64_C(1) << (n))
#define SUBHEADER    4u /* of packets that do not tell; what the bench's receiver is set to */

void serve_asks_wrong(struct serve_asks *a, const char *what);

/* Of the partition's endpoint. */
uint64_t serve_asks_bytes(const struct serve_asks *a, unsigned partition);

/* Failures of the partition before a clock. */
unsigned serve_asks_failed_before(const struct serve_asks *a, unsigned partition, uint64_t clock);
/* A packet of the partition is refused, now. */
void serve_asks_note_refusal(struct serve_asks *a, unsigned partition);

/* Each clock: what waits and can be answered from now on is noted; a piece of an answer is taken, and a whole answer checked. */
void serve_asks_settle(struct serve_asks *a);
void serve_asks_take_answer(struct serve_asks *a, const struct serve_out *out);

#endif /* GLK_SERVE_ASKS_PARTS_H */
