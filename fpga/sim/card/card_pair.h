/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model and a Verilated card in identical environments, with the same stimulus and a scoreboard. Both have host memory, one
 * endpoint per partition on the bus, a pool, and a looped-back link.
 *
 * Strict: one operation at a time, followed by pair_settle(). Plain writes, packets, memory and interrupts must match then.
 * The model's endpoint writes are acknowledged according to the card's flush reads, so that both detect a failure with the same
 * write. A card cannot detect a failed write to host memory, so the model is not notified of it either. The card's writes to
 * endpoints become visible as late as possible: when a flush read behind them is answered, or pushed by a read of their
 * endpoint.
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
#define PAIR_REGIONS	4u /* compared */

enum { MODEL, CARD, SIDES };

/* Events of a card at endpoints or on the link, in order. */
struct pair_event {
	bool flush, failed;
	uint64_t address;
	unsigned length, done;
	size_t data; /* offset in `bytes` */
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

/* Writes to an endpoint that are not visible there yet; those before a flush read are when it is answered. */
struct pair_late {
	struct pair_log log;
	size_t pushed; /* index in the log, behind the last flush read */
};

/* Revoked memory: the card must not read it, and, if set, not write it. */
struct pair_range {
	uint64_t from, bytes;
	unsigned accesses;
};

struct pair {
	struct glk_card *model;
	struct card_dut *dut;
	struct card_parameters p;
	struct glk_card_config config;
	struct pair_side side[SIDES];
	struct pair_late late[PAIR_PARTITIONS];
	struct chance streams; /* for the streams; the bench has a separate one */
	unsigned gaps[CARD_DUT_STREAMS]; /* stall probability per stream, in 1/256 */
	uint64_t still_until[CARD_DUT_STREAMS];	 /* clock until which a stream is stalled completely */
	struct pair_range closed[PAIR_CLOSED];
	unsigned closed_count;
	uint64_t records, records_end; /* records of regions: Q1 to Q3 are written before Q0 */
	unsigned record_next;
	/*
	 * Partitions whose flush reads fail, all until the next pair_settle(). (For a write that left just before a flush read,
	 * the card may not yet have recorded that the read covers it.)
	 */
	unsigned deaf;
	unsigned covered[PAIR_PARTITIONS];
	bool loose;	/* compare only on the bench's request */
	/*
	 * Epochs of regions that may end in a step. The card raises the vector when one is sent and again when it is visible;
	 * the model once if nothing is to be acknowledged.
	 */
	unsigned epochs[PAIR_VECTORS];
	unsigned least[PAIR_VECTORS], most[PAIR_VECTORS]; /* allowed interrupts in a loose round */
	bool reset;	/* data in flight may be lost */
	bool unordered; /* packets of different partitions may be sent in any order */
	uint64_t now_ns, packets, writes;
	char failure[400];
};

/* Creates the cards (power-on). Returns 0 or a negative errno. */
int pair_create(struct pair *pair, uint64_t seed, uint64_t round, const char *wave);
void pair_destroy(struct pair *pair);

/* Records the first failure. */
void pair_fail(struct pair *pair, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes host memory of both. */
void pair_host_write(struct pair *pair, uint64_t address, const void *data, size_t len);
bool pair_host_holds(uint64_t address, size_t len);

/* Revokes a range: from now on these accesses by the card, and a read in flight, are failures. Flush reads belong to earlier
 * writes. pair_open() restores all ranges. */
enum { PAIR_READS = 1, PAIR_WRITES = 2, PAIR_FLUSHES = 4, PAIR_ALL = 7 };
void pair_close(struct pair *pair, uint64_t from, uint64_t bytes, unsigned accesses);
void pair_open(struct pair *pair);

/* Only for the card: a write (returns when accepted), a register, clocks. Copies the card's memory to the model. */
void pair_card_post(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len);
uint64_t pair_card_get(struct pair *pair, unsigned offset);
/* Clocks until everything is out that a completion must not pass. */
void pair_pass(struct pair *pair);
void pair_card_clock(struct pair *pair, unsigned clocks);
void pair_forgive(struct pair *pair, uint64_t from, uint64_t bytes);

/* Accesses to both. Reads are compared; returns the model's value. */
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
/* Both lose power, whatever goes on; the memories stay as the card leaves them. */
void pair_power(struct pair *pair);

/* Runs until both are idle, and compares their events. */
void pair_settle(struct pair *pair);

/* Compares the registers of block TSU. Where the times depend on the order of stores, gives the card's to the model. */
void pair_check_stamps(struct pair *pair, bool counters);
void pair_adopt_stamps(struct pair *pair);
/* Compares all memories. */
void pair_check_memory(struct pair *pair);
/* Compares registers: those that change spontaneously, or all, with counters latched first. */
void pair_check_registers(struct pair *pair, bool all);
/* All, but of windows and registrations, if there are many, an eighth, another one with each NUMBER. */
void pair_check_sample(struct pair *pair, unsigned number);

#endif /* GLK_CARD_PAIR_H */
