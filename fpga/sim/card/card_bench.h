/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus for lock-step co-simulation of the whole card: random steps, valid and invalid. */
#ifndef GLK_CARD_BENCH_H
#define GLK_CARD_BENCH_H

#include "card_pair.h"

#define BENCH_TOTALS 200u /* counters compared in loose rounds */
#define BENCH_LOOSE  16u  /* active contexts in a loose round */
#define BENCH_PHASES 6u

struct bench {
	struct pair pair;
	struct chance chance;
	unsigned step;
	bool deafness; /* some partitions' writes fail in this round */
	bool leases; /* entries use window 0 and the registration of bench_leases() */
	unsigned lease_registration;
	char said[300]; /* description of the step */
	unsigned turn[BENCH_LOOSE]; /* how often a context of a loose round moved to other memory */
	unsigned caught[BENCH_PHASES]; /* removals per phase of an operation */
	uint64_t apart[BENCH_TOTALS]; /* counter differences, card less model: work of the card only */
};

/* Creates the cards (power-on) and draws the back-pressure of this round. Returns 0 or a negative errno. */
int bench_start(struct bench *b, uint64_t seed, uint64_t round, const char *wave);
void bench_end(struct bench *b);

/* Starts the description of a step; extends it. */
void bench_say(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_add(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Enables the card and sets up endpoints, windows, registrations and rings. */
void bench_configure(struct bench *b);

/* Stores, each at a place of its own. */
void bench_stores(struct bench *b, unsigned count);

/* Steps of strict rounds, each followed by bench_settle(). */
void bench_settle(struct bench *b);
void bench_burst(struct bench *b);
void bench_ring(struct bench *b);
void bench_region(struct bench *b);
void bench_release(struct bench *b);
void bench_drain(struct bench *b);
void bench_time(struct bench *b);
void bench_packets(struct bench *b);
void bench_pool(struct bench *b);
void bench_stamps(struct bench *b);
/* A ring of operations on leases, on the pool. */
void bench_leases(struct bench *b);
/* The last step of a round: counters differ afterwards. */
void bench_lease_cut(struct bench *b);
void bench_registers(struct bench *b);
void bench_window(struct bench *b);
void bench_registration(struct bench *b);
void bench_partition(struct bench *b);
void bench_context(struct bench *b);
void bench_take_completions(struct bench *b);
void bench_disabled(struct bench *b);
void bench_owner(struct bench *b);
void bench_moved(struct bench *b);
void bench_late(struct bench *b);
void bench_seen(struct bench *b);
void bench_visible(struct bench *b);
void bench_reset(struct bench *b);

/* Loose rounds: everything concurrently; removal of resources in use. */
void bench_loose(struct bench *b);
void bench_region_loose(struct bench *b);
void bench_away(struct bench *b);

/* --- shared by the files with steps --- */

void bench_set(struct bench *b, unsigned offset, uint64_t value);
unsigned bench_partition_reg(unsigned p, unsigned reg);
unsigned bench_window_reg(unsigned slice, unsigned reg);
unsigned bench_registration_reg(unsigned handle, unsigned reg);
unsigned bench_context_reg(unsigned c, unsigned reg);
unsigned bench_doorbell_reg(unsigned c, unsigned reg);
unsigned bench_region_reg(unsigned r, unsigned reg);
/* Whether any region is valid. Ends those with chunks that a release would send. */
bool bench_regions_valid(const struct bench *b);
void bench_end_dirty_regions(struct bench *b);
bool bench_chance(struct bench *b, unsigned of);
/* Random length, mostly short. */
unsigned bench_length(struct bench *b, unsigned most);
void bench_fill(struct bench *b, uint8_t *data, size_t len);
/* Assembles an entry, possibly an invalid one. */
void bench_entry(struct bench *b, unsigned context, uint64_t sqe[8]);
/* Writes bytes to registered memory, page by page, where the page list is reachable. */
void bench_put_registered(struct bench *b, unsigned handle, uint64_t offset, const uint8_t *data, size_t len);
/* A window or registration, mostly one of the context's own; contiguous bytes of a window. */
unsigned bench_draw_window(struct bench *b, unsigned context);
unsigned bench_draw_registration(struct bench *b, unsigned context);
uint64_t bench_window_bytes(const struct bench *b, unsigned handle);
/* Number of slices with windows. */
unsigned bench_slices(const struct bench *b);
void bench_start_context(struct bench *b, unsigned c);
void bench_set_window(struct bench *b, unsigned slice, unsigned first, unsigned context, unsigned partition, uint64_t offset,
		      uint64_t bytes, uint64_t rights);

/* --- loose rounds: each context with separate memory --- */

#define LOOSE_RING_MOST	   8192u /* bytes of an endpoint, for the ring of a context */
#define LOOSE_CONTEXTS	   BENCH_LOOSE
#define LOOSE_ALL	   ((1u << LOOSE_CONTEXTS) - 1)
#define LOOSE_SOURCE_BYTES 8192u /* of registered memory; as many after it are the target of gets */
#define LOOSE_ENTRIES	   16u	 /* per ring */
#define LOOSE_PAGES	   4u	 /* of registered memory */

/* Memory layout of a context; it changes each time the context moves. */
struct loose_place {
	uint64_t sq, cq, record, list, data; /* host memory */
	unsigned partition, offset;	     /* of its ring's window */
};

struct loose_place loose_place(const struct bench *b, unsigned c);

unsigned loose_contexts(const struct bench *b);
unsigned loose_ring_bytes(const struct bench *b);
void loose_set_up(struct bench *b);
/* Sets up context c, which must be stopped, with its windows (2c for its ring, 2c + 1 for stores) and registration c. */
void loose_set_up_context(struct bench *b, unsigned c);
void loose_set_up_window(struct bench *b, unsigned c);
void loose_set_up_registration(struct bench *b, unsigned c);
/* A store: immediate in the model; in the card when it is accepted. */
void loose_post(struct bench *b, unsigned bar, uint64_t offset, const void *data, size_t len);
/* A valid entry for the ring of context c. */
void loose_entry(struct bench *b, unsigned c, uint64_t sqe[8]);
void loose_release(struct bench *b, unsigned c);
/* A store to the context's other window. */
void loose_store(struct bench *b, unsigned c);
/* Entries and releases of a set of contexts, with several doorbells, interleaved with stores of all contexts. */
void loose_load_up(struct bench *b, unsigned whose);
void loose_settle(struct bench *b);
/* Counters that do not depend on order: records their present difference; checks that it is unchanged. */
void loose_totals(struct bench *b, bool check);
/* Copies the card's memory to the model, with no interrupt in flight. */
void loose_follow(struct bench *b);

#define BENCH_RW (GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK)

/* Host memory layout of context c and registration h. */
#define BENCH_SQ(c)	(PAIR_HOST + (c) * UINT64_C(0x800))
#define BENCH_CQ(c)	(PAIR_HOST + 0x10000 + (c) * UINT64_C(0x200))
#define BENCH_RECORD(c) (PAIR_HOST + 0x14000 + (c) * UINT64_C(16))
#define BENCH_REGION(r) (PAIR_HOST + 0x15000 + (r) * UINT64_C(32))
#define BENCH_LIST(h)	(PAIR_HOST + 0x18000 + (h) * UINT64_C(0x200))
#define BENCH_LISTS	64u /* page lists, at most */
#define BENCH_LIST_PAGES 64u
#define BENCH_TABLE(t)	(PAIR_HOST + 0x20000 + (t) * UINT64_C(0x1000))
#define BENCH_TABLES	4u /* of pages and of large pages in turn */
#define BENCH_DATA	(PAIR_HOST + 0x24000)
/* Without the last page: bench_start_context() may put a ring there, whose entries no operation may change. */
#define BENCH_DATA_PAGES ((PAIR_HOST_BYTES - 0x24000) / 4096 - 1)

#endif /* GLK_CARD_BENCH_H */
