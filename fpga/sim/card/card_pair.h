/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model and a Verilated card with the same surroundings: whatever is done to one is done to the other, and what they do is
 * compared. Both have host memory, an endpoint a partition on the bus, a pool, and a link looped onto itself.
 *
 * Strict: one thing at a time, and pair_settle() behind it. Plain writes, packets, memory and interrupts must be equal then.
 * The model's endpoint writes are acknowledged as the card's flush reads tell, so that both learn of a failure with the same
 * write. What may differ: a card cannot see that a write to host memory failed, so the model is not told either.
 */
#ifndef GLK_CARD_PAIR_H
#define GLK_CARD_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <card/card.h>

#include "card_dut.h"
#include "card_memory.h"
#include <chance.h>

#define PAIR_HOST	MEMORY_HOST
#define PAIR_HOST_BYTES MEMORY_HOST_BYTES
#define PAIR_BUS	MEMORY_BUS
#define PAIR_EP_BYTES	MEMORY_EP_BYTES
#define PAIR_POOL_BYTES 0x20000u
#define PAIR_PARTITIONS MEMORY_PARTITIONS
#define PAIR_VECTORS	64u
#define PAIR_CLOSED	8u

enum { MODEL, CARD, SIDES };

/* What a card did to endpoints or the link, in order. */
struct pair_event {
	bool flush, failed;
	uint64_t address;
	unsigned length, done;
	size_t data; /* where in `bytes` */
};

struct pair_log {
	struct pair_event *events;
	size_t count, next, room;
	uint8_t *bytes;
	size_t used, bytes_room;
};

struct pair_side {
	struct card_memory memory;
	unsigned interrupts[PAIR_VECTORS];
	struct pair_log writes[PAIR_PARTITIONS];
	struct pair_log packets;
};

/* Memory that the card has no business with any more: it must not read it, perhaps not write it either. */
struct pair_range {
	uint64_t from, bytes;
	bool writes;
};

struct pair {
	struct glk_card *model;
	struct card_dut *dut;
	struct card_parameters p;
	struct pair_side side[SIDES];
	struct chance streams; /* of what happens in a clock; the bench draws from another one */
	unsigned gaps[CARD_DUT_STREAMS]; /* of 256: how often a stream stands still */
	uint64_t still_until[CARD_DUT_STREAMS];	 /* clocks up to which one stands still altogether */
	struct pair_range closed[PAIR_CLOSED];
	unsigned closed_count;
	/*
	 * Partitions whose flush reads fail, all of them until the next pair_settle(). (Of a write that passed on its way out
	 * just before a flush read the card need not know yet that the read covers it.)
	 */
	unsigned deaf;
	unsigned covered[PAIR_PARTITIONS];
	bool loose;	/* nothing is compared but what the bench asks for */
	unsigned least[PAIR_VECTORS], most[PAIR_VECTORS]; /* interrupts that may come in a loose round */
	bool reset;	/* what is on its way may be lost */
	bool unordered; /* packets of different partitions may leave in any order */
	uint64_t now_ns, packets, writes;
	char failure[400];
};

/* Cards as after power-on. Returns 0 or a negative errno. */
int pair_create(struct pair *pair, uint64_t seed, uint64_t round, const char *wave);
void pair_destroy(struct pair *pair);

/* Notes a failure, the first one. */
void pair_fail(struct pair *pair, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Host memory of both. */
void pair_host_write(struct pair *pair, uint64_t address, const void *data, size_t len);
bool pair_host_holds(uint64_t address, size_t len);

/* From now on the card must not touch a range; what it reads there now it should not either. All are open again. */
void pair_close(struct pair *pair, uint64_t from, uint64_t bytes, bool writes);
void pair_open(struct pair *pair);

/* The card alone: a write, when it takes it; a register; clocks. What it did to memory, the model's is made the same. */
void pair_card_post(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len);
uint64_t pair_card_get(struct pair *pair, unsigned offset);
/* Clocks until nothing is before the port that a completion must not pass. */
void pair_pass(struct pair *pair);
void pair_card_clock(struct pair *pair, unsigned clocks);
void pair_forgive(struct pair *pair, uint64_t from, uint64_t bytes);

/* Accesses to both. Reads are compared; the model's value is given back. */
void pair_set(struct pair *pair, unsigned offset, unsigned size, uint64_t value);
uint64_t pair_get(struct pair *pair, unsigned offset, unsigned size);
void pair_store(struct pair *pair, uint64_t offset, const void *data, size_t len);
void pair_load(struct pair *pair, uint64_t offset, size_t len);
void pair_pool_write(struct pair *pair, uint64_t offset, const void *data, size_t len);
void pair_pool_read(struct pair *pair, uint64_t offset, size_t len);
void pair_poisoned(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len);
void pair_inject(struct pair *pair, const uint8_t *packet, size_t len);
void pair_advance(struct pair *pair, uint64_t by_ns);
void pair_flr(struct pair *pair);

/* Until both are quiet; compares what they did. */
void pair_settle(struct pair *pair);

/* Compares memory of all kinds. */
void pair_check_memory(struct pair *pair);
/* Compares registers: state that changes by itself, or every one there is, counters latched before. */
void pair_check_registers(struct pair *pair, bool all);

#endif /* GLK_CARD_PAIR_H */
