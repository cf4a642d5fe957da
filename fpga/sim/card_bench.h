/* SPDX-License-Identifier: Apache-2.0 */
/* What the lock step of the whole card does to the pair: steps, drawn by chance, good ones and bad ones. */
#ifndef GLK_CARD_BENCH_H
#define GLK_CARD_BENCH_H

#include "card_pair.h"

struct bench {
	struct pair pair;
	struct chance chance;
	unsigned step;
	bool deafness; /* partitions of which writes fail, in this round */
	char said[300]; /* what the step does */
};

/* Cards as after power-on, and how their streams stand still in this round. Returns 0 or a negative errno. */
int bench_start(struct bench *b, uint64_t seed, uint64_t round, const char *wave);
void bench_end(struct bench *b);

/* Begins to tell what a step does; tells more. */
void bench_say(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_add(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Enables the card and gives it endpoints, windows, registrations and rings. */
void bench_configure(struct bench *b);

/* Steps of strict rounds; bench_settle() behind each. */
void bench_settle(struct bench *b);
void bench_burst(struct bench *b);
void bench_ring(struct bench *b);
void bench_release(struct bench *b);
void bench_drain(struct bench *b);
void bench_time(struct bench *b);
void bench_packets(struct bench *b);
void bench_pool(struct bench *b);
void bench_registers(struct bench *b);
void bench_window(struct bench *b);
void bench_registration(struct bench *b);
void bench_partition(struct bench *b);
void bench_context(struct bench *b);
void bench_take_completions(struct bench *b);
void bench_disabled(struct bench *b);
void bench_owner(struct bench *b);
void bench_moved(struct bench *b);
void bench_reset(struct bench *b);

/* A loose round. */
void bench_loose(struct bench *b);

/* --- between the files that make steps --- */

void bench_set(struct bench *b, unsigned offset, uint64_t value);
unsigned bench_partition_reg(unsigned p, unsigned reg);
unsigned bench_window_reg(unsigned slice, unsigned reg);
unsigned bench_registration_reg(unsigned handle, unsigned reg);
unsigned bench_context_reg(unsigned c, unsigned reg);
unsigned bench_doorbell_reg(unsigned c, unsigned reg);
bool bench_chance(struct bench *b, unsigned of);
/* A length: short ones mostly. */
unsigned bench_length(struct bench *b, unsigned most);
void bench_fill(struct bench *b, uint8_t *data, size_t len);
/* Puts an entry's words together, maybe with something wrong. */
void bench_entry(struct bench *b, unsigned context, uint64_t sqe[8]);
/* Bytes into registered memory, page by page; false where the page list cannot be reached. */
bool bench_put_registered(struct bench *b, unsigned handle, uint64_t offset, const uint8_t *data, size_t len);
void bench_start_context(struct bench *b, unsigned c);
void bench_set_window(struct bench *b, unsigned slice, unsigned first, unsigned context, unsigned partition, uint64_t offset,
		      uint64_t bytes, uint64_t rights);

/* Where things of context c and registration h are in host memory. */
#define BENCH_SQ(c)	(PAIR_HOST + (c) * UINT64_C(0x800))
#define BENCH_CQ(c)	(PAIR_HOST + 0x10000 + (c) * UINT64_C(0x200))
#define BENCH_RECORD(c) (PAIR_HOST + 0x14000 + (c) * UINT64_C(16))
#define BENCH_LIST(h)	(PAIR_HOST + 0x18000 + (h) * UINT64_C(0x200))
#define BENCH_LISTS	64u /* there is room for */
#define BENCH_LIST_PAGES 64u
#define BENCH_DATA	(PAIR_HOST + 0x20000)
#define BENCH_DATA_PAGES ((PAIR_HOST_BYTES - 0x20000) / 4096)

#endif /* GLK_CARD_BENCH_H */
