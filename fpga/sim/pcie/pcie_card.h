/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card's side of glk_pcie_us: one memory per BAR on r and c, and random writes, reads and interrupts on m and d. It records
 * its requests, and the bytes written before each, so that the model of the hard block can check its packets.
 */
#ifndef GLK_PCIE_CARD_H
#define GLK_PCIE_CARD_H

#include "pcie_bench.h"
#include "pcie_us_dut.h"

#define PCIE_BARS	4u     /* memories of the card; the odd-numbered BARs share the last one */
#define PCIE_BAR_BYTES	16384u /* size of each memory */
#define PCIE_HOST	UINT64_C(0x123400000000) /* bus address of the host memory that the card writes */
#define PCIE_HOST_BYTES 16384u
#define PCIE_FLUSH_TAGS 16u
#define PCIE_LOAD_TAG	17u
#define PCIE_RING_TAGS	32u /* and all above */
#define PCIE_TAGS	64u
#define PCIE_READS	(PCIE_FLUSH_TAGS + 1 + PCIE_TAGS - PCIE_RING_TAGS) /* maximum in flight */
#define PCIE_RAISED_MAX 4096u

enum { CARD_WRITE, CARD_READ, CARD_INTERRUPT }; /* kinds on m */

struct pcie_card_read { /* by its tag */
	bool used;
	bool failed; /* reported by the hard block, or never sent to it */
	uint64_t from;
	unsigned bytes; /* 0: a flush read */
	unsigned lines; /* received */
	uint64_t mark;	/* bytes written before it */
};

struct pcie_card_interrupt {
	unsigned vector;
	uint64_t mark; /* bytes written before it */
	bool served;   /* the hard block has sent it */
};

struct pcie_card {
	struct pcie_bench *bench;
	struct us_in *in;
	uint8_t memory[PCIE_BARS][PCIE_BAR_BYTES];
	unsigned poisoned; /* poisoned writes */

	/* r and c */
	bool r_open, reading;
	struct us_request r_first, read;
	unsigned r_line, hold; /* hold: clocks until the card completes it */
	unsigned rest, rest_most; /* clocks until the card accepts another read */
	uint8_t read_data[4096 + PCIE_BEAT_MAX];
	unsigned c_at, c_lines;
	uint64_t c_mark; /* bytes written before the completion */
	bool c_shown; /* the completion's first line is offered */

	/* m and d */
	uint64_t m_bytes; /* written */
	unsigned m_line, m_lines;
	uint8_t m_data[512 + 2 * PCIE_BEAT_MAX];
	uint8_t host_expected[PCIE_HOST_BYTES];
	struct pcie_card_read reads[PCIE_TAGS];
	uint64_t reads_done, reads_failed;
	struct pcie_card_interrupt interrupts[PCIE_RAISED_MAX];
	unsigned interrupt_count;
};

/* Contents of the read-only part of host memory. */
uint8_t pcie_byte_at(uint64_t address);

/* Drives the next clock, sets its readiness, and evaluates it. */
void pcie_card_show(struct pcie_card *card);
void pcie_card_ready(struct pcie_card *card);
void pcie_card_clock(struct pcie_card *card, const struct us_out *out);

#endif /* GLK_PCIE_CARD_H */
