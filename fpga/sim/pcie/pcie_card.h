/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card's side of glk_pcie_us: a memory a BAR behind r and c, and by m and d writes, reads and interrupts of its own. What
 * it has asked for, and behind how many bytes written, stands here for the hard block's model to hold its packets against.
 */
#ifndef GLK_PCIE_CARD_H
#define GLK_PCIE_CARD_H

#include "pcie_bench.h"
#include "pcie_us_dut.h"

#define PCIE_BARS	4u     /* memories of the card; all of the odd BARs are the last one */
#define PCIE_BAR_BYTES	16384u /* of each BAR's memory here */
#define PCIE_HOST	UINT64_C(0x123400000000) /* bus address of what the card writes of the host's memory */
#define PCIE_HOST_BYTES 16384u
#define PCIE_FLUSH_TAGS 16u
#define PCIE_LOAD_TAG	17u
#define PCIE_RING_TAGS	32u /* and all above */
#define PCIE_TAGS	64u
#define PCIE_READS	(PCIE_FLUSH_TAGS + 1 + PCIE_TAGS - PCIE_RING_TAGS) /* that may be under way */
#define PCIE_RAISED_MAX 4096u

enum { CARD_WRITE, CARD_READ, CARD_INTERRUPT }; /* m's kinds */

struct pcie_card_read { /* by its tag */
	bool used;
	bool failed; /* the hard block has said so, or has never seen it */
	uint64_t from;
	unsigned bytes; /* 0: a flush read */
	unsigned lines; /* that are here */
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
	unsigned poisoned; /* writes */

	/* r and c */
	bool r_open, reading;
	struct us_request r_first, read;
	unsigned r_line, hold; /* clocks until the card answers */
	unsigned rest, rest_most; /* clocks until the card takes another read */
	uint8_t read_data[4096 + PCIE_BEAT];
	unsigned c_at, c_lines;
	uint64_t c_mark; /* bytes written before the answer */
	bool c_shown; /* the answer's first line */

	/* m and d */
	uint64_t m_bytes; /* written */
	unsigned m_line, m_lines;
	uint8_t m_data[512 + 2 * PCIE_BEAT];
	uint8_t host_expected[PCIE_HOST_BYTES];
	struct pcie_card_read reads[PCIE_TAGS];
	uint64_t reads_done, reads_failed;
	struct pcie_card_interrupt interrupts[PCIE_RAISED_MAX];
	unsigned interrupt_count;
};

/* What the host's memory says where it is only read. */
uint8_t pcie_byte_at(uint64_t address);

/* What the card shows in the next clock, whether it takes something in it, and what it makes of it. */
void pcie_card_show(struct pcie_card *card);
void pcie_card_ready(struct pcie_card *card);
void pcie_card_clock(struct pcie_card *card, const struct us_out *out);

#endif /* GLK_PCIE_CARD_H */
