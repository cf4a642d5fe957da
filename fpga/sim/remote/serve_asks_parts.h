/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the other card: its requests (_make), the card's actions (_card) and answers (_answers). */
#ifndef GLK_SERVE_ASKS_PARTS_H
#define GLK_SERVE_ASKS_PARTS_H

#include "serve_asks.h"

#define PAGE	     4096u
#define LINE	     64u
#define OFFSET_MASK  ((UINT64_C(1) << 48) - 1)
#define BIT(n)	     (UINT64_C(1) << (n))
#define SUBHEADER    4u /* width in packets that do not describe it; setting of the bench's receiver */

void serve_asks_wrong(struct serve_asks *a, const char *what);

/* Size of the partition's endpoint. */
uint64_t serve_asks_bytes(const struct serve_asks *a, unsigned partition);

/* Failures of the partition before a clock. */
unsigned serve_asks_failed_before(const struct serve_asks *a, unsigned partition, uint64_t clock);
/* Records that a packet of the partition is refused now. */
void serve_asks_note_refusal(struct serve_asks *a, unsigned partition);

/* Every clock: records what can be answered from now on; receives pieces of answers and checks complete ones. */
void serve_asks_settle(struct serve_asks *a);
void serve_asks_take_answer(struct serve_asks *a, const struct serve_out *out);

#endif /* GLK_SERVE_ASKS_PARTS_H */
