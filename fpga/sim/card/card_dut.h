/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transaction-level interface to the Verilated glk_card, with functions and callbacks like the model's glk_card_*(): BAR
 * accesses in; memory accesses, interrupts and packets out. Time advances only in functions that say so, clock by clock; they
 * invoke the callbacks, which must not call back.
 *
 * All streams follow the rules of glk_card.sv; card_dut_fault() reports a violation by the card.
 */
#ifndef GLK_CARD_DUT_H
#define GLK_CARD_DUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "card_pins.h"

#define CARD_DUT_PACKET_MAX 8192u /* bytes of an injected packet; the card accepts much less */

/* Streams of the card that can be stalled. */
enum card_dut_stream {
	CARD_DUT_REQ, /* requests to the card */
	CARD_DUT_CPL, /* their completions */
	CARD_DUT_MEM, /* requests of the card */
	CARD_DUT_RD, /* their completions */
	CARD_DUT_POOL,
	CARD_DUT_POOL_Q,
	CARD_DUT_TAP, /* packets sent, monitored */
	CARD_DUT_INJECT, /* injected packets */
	CARD_DUT_STREAMS
};

/* Environment of the card. All callbacks get the `user` pointer. */
struct card_dut_ops {
	/* A posted write of 1 or more bytes; a failure is not reported. */
	void (*mem_write)(void *user, uint64_t address, const void *data, size_t len);
	/* Returns 0, or a negative errno: the read completes with an error. `len` 0: a flush read, which completes after the
	 * writes before it; it fails if the address is unreachable. */
	int (*mem_read)(void *user, uint64_t address, void *data, size_t len);
	/* A read of length 0 has been answered; may be NULL. */
	void (*flushed)(void *user, uint64_t address);
	void (*interrupt)(void *user, unsigned vector);
	/* Monitors packets that the card sends; may be NULL. */
	void (*link)(void *user, const uint8_t *packet, size_t len);
	/* Link input: the block received in this clock; returns whether there is one. NULL: never. */
	bool (*block_comes)(void *user, struct card_block *block);
	/* Link output: a block is sent. NULL: not connected. */
	void (*block_goes)(void *user, const struct card_block *block);
	/* Whether a stream is stalled in this clock; NULL: never. */
	bool (*hold)(void *user, enum card_dut_stream stream);
	/* A random number below n, to choose among allowed orders; NULL: 0. */
	unsigned (*choose)(void *user, unsigned n);
};

struct card_dut_config {
	uint64_t pool_bytes, serial;
	bool link; /* link to another card, with `cluster` and `link_session` (not 0, different each time) */
	unsigned cluster, link_session;
	uint64_t clocks_max; /* limit per function call; 0: 4 million */
	unsigned read_clocks; /* after which reads of memory are answered, at the earliest */
	const char *wave;    /* waveform file, or NULL */
	const struct card_dut_ops *ops;
	void *user;
};

struct card_dut;

/** Creates a card and resets it. Returns 0 or -ENOMEM. */
int card_dut_create(const struct card_dut_config *config, struct card_dut **dut);
void card_dut_destroy(struct card_dut *dut);
/** Asserts `rst` in whatever goes on, which is lost, and clocks until the card is ready. Returns 0 or -ETIMEDOUT. */
int card_dut_reset(struct card_dut *dut);

void card_dut_clock(struct card_dut *dut);
/** Sets read_clocks of the configuration. */
void card_dut_read_clocks(struct card_dut *dut, unsigned clocks);

/*
 * BAR accesses: `bar` 0 registers, 1 window aperture, 2 pool. `len` 1..4096 (reads also 0), not across 4 KiB.
 */

/** Queues a write. Returns 0, -EAGAIN if the queue is full, or -EINVAL: invalid range. */
int card_dut_post(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned);
/** The same, but clocks while the queue is full. Returns 0, -ETIMEDOUT or -EINVAL. */
int card_dut_post_soon(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len);
/** Writes: clocks until the card has accepted it and all queued writes. Returns 0, -ETIMEDOUT or -EINVAL. */
int card_dut_write(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len);
int card_dut_write_poisoned(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len);
/** Cuts the link for the next clock. */
void card_dut_cut(struct card_dut *dut);
/** Reads: clocks until the completion. Writes queued earlier go first. Returns 0, -ETIMEDOUT or -EINVAL. */
int card_dut_read(struct card_dut *dut, unsigned bar, uint64_t offset, void *data, size_t len);
/** The same in two steps, for callers that clock themselves. The first returns 0, -EBUSY: a read is in progress, or -EINVAL;
 *  the second returns whether the read is complete, with its data. */
int card_dut_read_begin(struct card_dut *dut, unsigned bar, uint64_t offset, size_t len);
bool card_dut_read_end(const struct card_dut *dut, void *data);
/** Queued writes, including the one in transfer. */
unsigned card_dut_posts(const struct card_dut *dut);
/** Whether a memory read by the card in a range is not completely answered. */
bool card_dut_reading(const struct card_dut *dut, uint64_t from, uint64_t bytes);
/** Whether a beat of a write to a range was offered in the last clock. */
bool card_dut_writing(const struct card_dut *dut, uint64_t from, uint64_t bytes);
/** Clocks until everything is out that a completion on the card's port must not pass (see glk_pcie_order). Returns 0 or
 *  -ETIMEDOUT. */
int card_dut_pass(struct card_dut *dut);

/** Function-level reset; clocks until the card reports completion. Returns 0 or -ETIMEDOUT. */
int card_dut_flr(struct card_dut *dut);
/** The same in two steps, for callers that clock themselves: the second returns whether it is done. */
void card_dut_flr_begin(struct card_dut *dut);
bool card_dut_flr_end(struct card_dut *dut);

/** Starts injecting a packet into the card's link. Returns 0, -EAGAIN while an injection is in progress, or -EINVAL. */
int card_dut_inject(struct card_dut *dut, const uint8_t *packet, size_t len);

/** Sets the time, which must not go backwards. */
void card_dut_set_now(struct card_dut *dut, uint64_t now_ns);

/** Whether the card is busy; whether a write queue holds data that a timeout may flush. */
bool card_dut_busy(const struct card_dut *dut);
bool card_dut_holding(const struct card_dut *dut);

/** Clocks until the card has been idle for long enough. Returns 0 or -ETIMEDOUT. */
int card_dut_settle(struct card_dut *dut);

uint64_t card_dut_clocks(const struct card_dut *dut);

/** The pool memory, of pool_bytes. */
const uint8_t *card_dut_pool(const struct card_dut *dut);

/** Description of the first protocol violation on the streams; NULL: none. */
const char *card_dut_fault(const struct card_dut *dut);

#endif /* GLK_CARD_DUT_H */
