/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A platform for tests: host memory, endpoints, loopback, control of acknowledgements, and a count of interrupts.
 */
#ifndef GLK_TEST_BENCH_H
#define GLK_TEST_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "card/card.h"
#include "gpulink_regs.h"

#define BENCH_HOST_BYTES     (1u << 20)
#define BENCH_ENDPOINTS	     4u
#define BENCH_ENDPOINT_BYTES (1u << 20)
#define BENCH_BUS(p)	     (0x100000000ULL * ((p) + 1)) /* bus address of endpoint p */
#define BENCH_RW	     (GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK)

struct bench {
	struct glk_card *card;
	uint8_t host[BENCH_HOST_BYTES]; /* DMA addresses 0.. */
	uint8_t endpoint[BENCH_ENDPOINTS][BENCH_ENDPOINT_BYTES];
	unsigned posted[BENCH_ENDPOINTS]; /* writes not acknowledged while `hold` is set */
	bool hold;			  /* do not acknowledge at once */
	bool fail_reads, fail_writes;
	unsigned interrupts[64];
	unsigned packets;
	uint8_t packet[5000]; /* the last packet */
	size_t packet_bytes;
	uint64_t (*wait)(void *pair, uint64_t until); /* of a card with a link; see pair.h */
	void *pair;
};

/* Creates a card in its power-on state. bench_start() enables it, sets up endpoints in partitions 0..3 and a window of all of
 * endpoint 0 for context 0 (handle 0, aperture offset 0), and starts context 0 with rings of 16 entries. */
void bench_create(struct bench *b);
/* With another table of timestamps: sets, ways, bits. */
void bench_create_shaped(struct bench *b, unsigned sets, unsigned ways, unsigned bits);
/* Whether there are cards with such a table, and a pool of so many bytes. */
bool bench_can_be(struct bench *b, unsigned sets, unsigned ways, unsigned bits, uint64_t pool_bytes);
/* A card with a link; `wait` and `pair` as above. `leases`: it has a table of timestamps. `packing`: and the compact form. */
void bench_create_linked(struct bench *b, unsigned cluster, bool leases, bool packing,
			 uint64_t (*wait)(void *pair, uint64_t until), void *pair);
void bench_start(struct bench *b);
void bench_destroy(struct bench *b);
/* Fixture: a started bench for each test. */
int bench_setup(void **state);

/** As bench_setup(), with partitions as in FinePack as published. */
int bench_setup_paper(void **state);
int bench_teardown(void **state);

uint64_t bench_read(struct bench *b, unsigned offset);
void bench_write(struct bench *b, unsigned offset, uint64_t value);
unsigned bench_partition(unsigned p, unsigned reg);
unsigned bench_context(unsigned c, unsigned reg);
uint64_t bench_counter(struct bench *b, unsigned p, unsigned reg);
uint64_t bench_card_counter(struct bench *b, unsigned reg);
void bench_window(struct bench *b, unsigned slice, unsigned partition, unsigned context, unsigned first, uint64_t offset,
		  uint64_t bytes, uint64_t rights);
/* Access eight bytes at an aperture offset, and read them from an endpoint's memory. */
int bench_store8(struct bench *b, uint64_t at, uint64_t value);
uint64_t bench_load8(struct bench *b, uint64_t at);
uint64_t bench_at_endpoint(const struct bench *b, unsigned p, uint64_t offset);
/* Registers `pages` scattered pages of host memory as handle for context 0; page i lies at bench_page(i). */
void bench_register(struct bench *b, unsigned handle, unsigned context, uint64_t bytes, unsigned first, uint64_t rights);
uint64_t bench_page(unsigned i);

/* Host addresses of the rings of context c. */
#define BENCH_SQ(c) (0x1000u + (c) * 0x1000u)
#define BENCH_CQ(c) (0x8000u + (c) * 0x1000u)
#define BENCH_RECORD(c) (0x10000u + (c) * 64u)
#define BENCH_PAGE_LIST 0x11000u
void bench_context_start(struct bench *b, unsigned context);
/* Puts an entry on the ring of context 0 and rings its doorbell. */
void bench_submit(struct bench *b, const uint64_t sqe[8]);
/* Submits an entry, runs the rings and returns the status of the completion; fails the test if there is none. */
unsigned bench_run(struct bench *b, const uint64_t sqe[8]);
/* Takes the next completion of context 0; false if there is none. */
bool bench_completion(struct bench *b, uint64_t *tag, unsigned *status, unsigned *moved);

#define SQE0(op, flags, window, length) \
	((uint64_t)(op) | (uint64_t)(flags) << 8 | (uint64_t)(window) << 16 | (uint64_t)(length) << 32)
#define REGISTERED(handle, offset) ((uint64_t)(handle) | (uint64_t)(offset) << 16)

#endif /* GLK_TEST_BENCH_H */
