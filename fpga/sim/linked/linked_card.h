/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card with a link, on a bench: the model, or the Verilog as Verilator made it, which look the same from here. Nothing waits in
 * these functions but the model, when it waits for the other card: it calls `wait` then, in which a clock of everything passes.
 *
 * Endpoints on the bus take their time: a write to one is visible, and acknowledged to the model, some clocks after it was made.
 */
#ifndef GLK_LINKED_CARD_H
#define GLK_LINKED_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include <card/card.h>
#include <chance.h>
#include <link/link_layer.h>

#include <card/card_dut.h>
#include <card/card_memory.h>

#define LINKED_POOL_BYTES 0x20000u
#define LINKED_LATE	  64u /* writes to an endpoint that are under way */

enum linked_kind { LINKED_MODEL, LINKED_RTL };

struct linked_config {
	enum linked_kind kind;
	uint64_t seed, round, serial;
	uint8_t cluster;
	uint16_t session;
	const char *wave;	    /* of the Verilog, or NULL */
	uint64_t (*wait)(void *user); /* gives back the clock */
	void *user;
};

struct linked_write {
	uint64_t address, due;
	unsigned length;
	uint8_t data[4096];
};

struct linked_late {
	struct linked_write writes[LINKED_LATE];
	unsigned first, count;
	uint64_t posted, arrived, asked; /* writes; those before the Verilog's last flush read */
	unsigned visible;		 /* of the model's: not acknowledged yet */
	unsigned failed;		 /* of those; or not told to the Verilog */
};

struct linked_card {
	struct linked_config config;
	struct card_parameters p;
	struct glk_card *model;
	struct card_dut *dut;
	const struct glk_block *came; /* of the Verilog, in this clock, or NULL */
	struct glk_block goes;
	bool sent;
	struct card_memory memory;
	struct linked_late late[MEMORY_PARTITIONS];
	unsigned delay;	      /* clocks that a write takes, at most */
	unsigned deaf;	      /* partitions whose writes fail */
	bool stalled;	      /* nothing on the bus is answered */
	struct chance chance; /* of what happens in a clock */
	unsigned gaps[CARD_DUT_STREAMS]; /* of 256: how often a stream of the Verilog stands still */
	uint64_t now;
	bool inside;  /* the model waits for the other card */
	bool reading; /* and what the model was asked for is in `answer` */
	uint8_t answer[4096];
	unsigned answer_bytes;
	uint64_t interrupts;
	const char *fault;
};

/* A card as after power-on. `card` is large: not on the stack. Returns 0 or a negative errno. */
int linked_card_create(struct linked_card *card, const struct linked_config *config);
void linked_card_destroy(struct linked_card *card);

/* Whether it takes a write now. */
bool linked_card_ready(const struct linked_card *card);
/* Accesses to its BARs. A write: 0, or -EAGAIN: not now. A read: 0, or -EAGAIN; later whether it is answered. */
int linked_card_post(struct linked_card *card, unsigned bar, uint64_t offset, const void *data, size_t len);
int linked_card_read(struct linked_card *card, unsigned bar, uint64_t offset, size_t len);
bool linked_card_answer(struct linked_card *card, void *data);

/* A clock: `came` is the block that comes in it, or NULL. Returns whether one goes out. Then what else there is to do, where the
 * model may wait. */
bool linked_card_clock(struct linked_card *card, uint64_t now, const struct glk_block *came, struct glk_block *goes);
void linked_card_work(struct linked_card *card);
/* Function-level reset: begins it; whether it is done. The card must be ready, and have taken all writes. */
void linked_card_flr(struct linked_card *card);
bool linked_card_flr_done(struct linked_card *card);
/* Whether it has taken all writes. */
bool linked_card_taken(const struct linked_card *card);
/* Its wire is gone. */
void linked_card_cut(struct linked_card *card);

const uint8_t *linked_card_pool(const struct linked_card *card);

#endif /* GLK_LINKED_CARD_H */
