/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Verilated glk_card behind functions and callbacks, as glk_card_*() is the model: accesses to its BARs in, accesses to
 * memory, interrupts and packets out. Time goes on in the functions that say so, a clock at a time; callbacks are made from
 * inside them and must not call back.
 *
 * All streams keep the rules of glk_card.sv; a card that breaks one is told of by card_dut_fault().
 */
#ifndef GLK_CARD_DUT_H
#define GLK_CARD_DUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "card_pins.h"

#define CARD_DUT_PACKET_MAX 8192u /* bytes of a packet that is injected; the card takes much less */

/* Streams of the card that can be held back. */
enum card_dut_stream {
	CARD_DUT_R, /* requests to the card */
	CARD_DUT_C, /* completions of those */
	CARD_DUT_M, /* requests of the card */
	CARD_DUT_D, /* completions of those */
	CARD_DUT_POOL,
	CARD_DUT_POOL_Q,
	CARD_DUT_LT, /* the link, watched */
	CARD_DUT_LR, /* packets injected */
	CARD_DUT_STREAMS
};

/* What is around the card. All get the `user` pointer. */
struct card_dut_ops {
	/* A posted write of 1 or more bytes: nobody learns whether it failed. */
	void (*mem_write)(void *user, uint64_t address, const void *data, size_t len);
	/* Returns 0, or a negative errno: the read is answered with an error. `len` 0: a read that asks whether the
	 * writes before it have arrived; it fails where the address cannot be reached. */
	int (*mem_read)(void *user, uint64_t address, void *data, size_t len);
	void (*interrupt)(void *user, unsigned vector);
	/* A packet of the card's own on the link; NULL: nobody watches. */
	void (*link)(void *user, const uint8_t *packet, size_t len);
	/* The wire of the link: a block that comes in this clock; returns whether one does. NULL: none ever. */
	bool (*block_comes)(void *user, struct card_block *block);
	/* One goes out. NULL: nobody is there. */
	void (*block_goes)(void *user, const struct card_block *block);
	/* Whether a stream stands still in this clock; NULL: never. */
	bool (*hold)(void *user, enum card_dut_stream stream);
	/* A number below n, for what may happen in any order; NULL: 0. */
	unsigned (*choose)(void *user, unsigned n);
};

struct card_dut_config {
	uint64_t pool_bytes, serial;
	bool link; /* to another card; `cluster` and `link_session` (not 0, another one each time) are of it */
	unsigned cluster, link_session;
	uint64_t clocks_max; /* that one function may take; 0: 4 million */
	const char *wave;    /* file to write a wave to, or NULL */
	const struct card_dut_ops *ops;
	void *user;
};

struct card_dut;

/** A card after its reset. Returns 0 or -ENOMEM. */
int card_dut_create(const struct card_dut_config *config, struct card_dut **dut);
void card_dut_destroy(struct card_dut *dut);

void card_dut_clock(struct card_dut *dut);

/*
 * Accesses to BARs: `bar` 0 registers, 1 window aperture, 2 pool. `len` 1..4096 (reads also 0), not across 4 KiB.
 */

/** Queues a write, to be given as the card takes it. Returns 0, -EAGAIN when too many wait, or -EINVAL: not such a range. */
int card_dut_post(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned);
/** The same, and clocks while too many wait. Returns 0, -ETIMEDOUT or -EINVAL. */
int card_dut_post_soon(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len);
/** Writes: clocks until the card has taken it, and all that were queued. Returns 0, -ETIMEDOUT or -EINVAL. */
int card_dut_write(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len);
int card_dut_write_poisoned(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len);
/** The link's wire is gone, for a clock: the next one. */
void card_dut_cut(struct card_dut *dut);
/** Reads: clocks until the card has answered. Writes queued before it come before it. Returns 0, -ETIMEDOUT or -EINVAL. */
int card_dut_read(struct card_dut *dut, unsigned bar, uint64_t offset, void *data, size_t len);
/** The same in two steps, for who clocks himself. The first returns 0, -EBUSY: one is under way, or -EINVAL; the second whether it
 *  is answered, and gives its data then. */
int card_dut_read_begin(struct card_dut *dut, unsigned bar, uint64_t offset, size_t len);
bool card_dut_read_end(const struct card_dut *dut, void *data);
/** Writes that wait, the one that is being given too. */
unsigned card_dut_posts(const struct card_dut *dut);
/** Whether a read of memory in a range is not wholly answered. */
bool card_dut_reading(const struct card_dut *dut, uint64_t from, uint64_t bytes);
/** Whether in the last clock a write to a range was offered, or a beat of it. */
bool card_dut_writing(const struct card_dut *dut, uint64_t from, uint64_t bytes);
/** Clocks until all is out that a completion on the card's port must not pass (see glk_pcie_order). Returns 0 or -ETIMEDOUT. */
int card_dut_pass(struct card_dut *dut);

/** Function-level reset; clocks until the card says that it is done. Returns 0 or -ETIMEDOUT. */
int card_dut_flr(struct card_dut *dut);
/** The same in two steps, for who clocks himself: the second gives whether it is done. */
void card_dut_flr_begin(struct card_dut *dut);
bool card_dut_flr_end(struct card_dut *dut);

/** Begins to give a packet to the card's link, as from elsewhere. Returns 0, -EAGAIN while one is being given, or -EINVAL. */
int card_dut_inject(struct card_dut *dut, const uint8_t *packet, size_t len);

/** Tells the time: never backwards. */
void card_dut_set_now(struct card_dut *dut, uint64_t now_ns);

/** Whether clocks bring something forward; whether a write queue holds something that a timeout may flush. */
bool card_dut_busy(const struct card_dut *dut);
bool card_dut_holding(const struct card_dut *dut);

/** Clocks until nothing is under way, for long enough to be sure. Returns 0 or -ETIMEDOUT. */
int card_dut_settle(struct card_dut *dut);

uint64_t card_dut_clocks(const struct card_dut *dut);

/** The pool, pool_bytes of it. */
const uint8_t *card_dut_pool(const struct card_dut *dut);

/** The first breach of the rules of the streams, in words; NULL: none. */
const char *card_dut_fault(const struct card_dut *dut);

#endif /* GLK_CARD_DUT_H */
