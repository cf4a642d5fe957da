/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card with a link: the model or the Verilated RTL, with the same interface. These functions block only when the model waits
 * for the other card: it then calls `wait`, which clocks everything once.
 *
 * Endpoints on the bus have latency: a write is visible, and acknowledged to the model, some clocks later.
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
#define LINKED_LATE	  64u /* writes in flight per endpoint */

enum linked_kind { LINKED_MODEL, LINKED_RTL };

struct linked_config {
	enum linked_kind kind;
	uint64_t seed, round, serial;
	uint8_t cluster;
	uint16_t session;
	bool packing; /* and the compact form; a card of RTL has both */
	const char *wave;	    /* waveform file of the RTL card, or NULL */
	uint64_t (*wait)(void *user); /* returns the clock */
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
	uint64_t posted, arrived, asked; /* numbers of writes; asked: up to the RTL card's last flush read */
	unsigned visible;		 /* model: not yet acknowledged */
	unsigned failed;		 /* model: failed ones of these; RTL: failures not yet reported */
};

struct linked_card {
	struct linked_config config;
	struct card_parameters p;
	struct glk_card *model;
	struct card_dut *dut;
	const struct glk_block *came; /* RTL: block received in this clock, or NULL */
	struct glk_block goes;
	bool sent;
	struct card_memory memory;
	struct linked_late late[MEMORY_PARTITIONS];
	unsigned delay;	      /* maximum latency of a write in clocks */
	unsigned deaf;	      /* partitions whose writes fail */
	bool stalled;	      /* the bus does not respond */
	struct chance chance; /* for the events of a clock */
	unsigned gaps[CARD_DUT_STREAMS]; /* RTL: stall probability per stream, in 1/256 */
	uint64_t now;
	bool inside;  /* the model waits for the other card */
	bool reading; /* a read is in progress; the model's data is in `answer` */
	uint8_t answer[4096];
	unsigned answer_bytes;
	uint64_t interrupts;
	const char *fault;
};

/* Creates a card (power-on). `card` is large: not on the stack. Returns 0 or a negative errno. */
int linked_card_create(struct linked_card *card, const struct linked_config *config);
void linked_card_destroy(struct linked_card *card);

/* Whether it accepts a write now. */
bool linked_card_ready(const struct linked_card *card);
/* BAR accesses. A write returns 0 or -EAGAIN. A read returns 0 or -EAGAIN; linked_card_answer() returns whether it is complete.
 *  */
int linked_card_post(struct linked_card *card, unsigned bar, uint64_t offset, const void *data, size_t len);
int linked_card_read(struct linked_card *card, unsigned bar, uint64_t offset, size_t len);
bool linked_card_answer(struct linked_card *card, void *data);

/* Clocks with the received block `came`, or NULL; returns whether a block is sent. linked_card_work() does the rest, in which
 * the model may wait. */
bool linked_card_clock(struct linked_card *card, uint64_t now, const struct glk_block *came, struct glk_block *goes);
void linked_card_work(struct linked_card *card);
/* Function-level reset: starts it; returns whether it is done. The card must be ready and have accepted all writes. */
void linked_card_flr(struct linked_card *card);
bool linked_card_flr_done(struct linked_card *card);
/* Whether it has accepted all writes. */
bool linked_card_taken(const struct linked_card *card);
/* Cuts its link. */
void linked_card_cut(struct linked_card *card);

const uint8_t *linked_card_pool(const struct linked_card *card);

#endif /* GLK_LINKED_CARD_H */
