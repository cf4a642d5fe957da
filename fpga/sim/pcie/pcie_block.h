/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the hard block's interfaces and of the host behind it (PG213: 512 bits, DW-aligned, no straddling, tags of the
 * client): gives requests as leave allows, takes completions and requests and holds them against the rules of descriptors and
 * side bands, answers reads in parts and in any order, returns sequence numbers, sends interrupts. What the requests are and
 * what the memory says is the user's.
 */
#ifndef GLK_PCIE_BLOCK_H
#define GLK_PCIE_BLOCK_H

#include "pcie_packet.h"

#define PCIE_PACKETS_MAX 64u /* of the card, on their way */
#define PCIE_TAGS_MAX	 64u
#define PCIE_MSIX	 8u

/* What the user of the block says to it. All get the `user` pointer; those that only tell something may be NULL. */
struct pcie_block_ops {
	/*
	 * Makes the next request. `instead`: one that needs leave waits for it; a posted one may go before it, in its place.
	 * Returns false when there is none.
	 */
	bool (*request)(void *user, struct pcie_request *r, bool instead);
	/* The logic has taken all of a request. */
	void (*request_taken)(void *user, const struct pcie_request *r);
	/* The completion of a read begins; all of it is here. */
	void (*completion_begins)(void *user);
	void (*completed)(void *user, const uint8_t *data, unsigned bytes);
	/* Requests of the card; a read of 0 bytes is a flush read. */
	void (*write)(void *user, uint64_t address, const uint8_t *data, unsigned bytes);
	void (*read)(void *user, unsigned tag, uint64_t address, unsigned bytes);
	/* What the host's memory says. */
	uint8_t (*byte)(void *user, uint64_t address);
	/* A part of a read is answered with a failure. */
	void (*read_failed)(void *user, unsigned tag);
	/* The card has an interrupt sent; `again`: it was not sent before. */
	void (*interrupt)(void *user, unsigned vector, bool again);
};

struct pcie_outstanding { /* a read that the hard block has of the card */
	bool busy, begun;
	uint64_t from, to; /* bytes; of a flush from = to + 1 */
	unsigned dw_left;
	uint64_t dw_at;
};

enum pcie_under_way { NOTHING, READ, REFUSED }; /* the non-posted request that the card has */

struct pcie_block {
	struct pcie_bench *bench;
	struct pcie_pins_in *in;
	const struct pcie_block_ops *ops;
	void *user;
	unsigned tags;	      /* that the card uses: all below */
	bool failures;	      /* reads fail by chance */
	unsigned seq_delay;   /* most clocks until a sequence number comes */
	unsigned np_refill;   /* clocks, about, until there is credit for another read */
	unsigned write_limit, read_limit; /* bytes: max payload, max read request */

	/* CQ */
	struct pcie_request cq;
	bool cq_full;
	unsigned credits;

	/* the request that waits for its completion, and CC */
	enum pcie_under_way under_way;
	struct pcie_request np;
	unsigned np_hint, np_from, np_bytes; /* of the 4 KiB that it is in: the bytes that it wants */
	bool cc_begun;
	struct pcie_collected cc;
	unsigned cc_done;
	uint8_t cc_data[4096];
	uint64_t answered, refused;

	/* RQ */
	struct pcie_collected rq;
	unsigned rq_first_be, rq_last_be, rq_seq;
	uint64_t rq_bytes, passed_bytes; /* written; and those that nothing can pass any more */
	struct {
		unsigned seq;
		uint64_t bytes, at;
	} seq[PCIE_PACKETS_MAX];
	unsigned seq_put, seq_take;
	int np_credit;
	unsigned np_shown[8];
	struct pcie_outstanding reads[PCIE_TAGS_MAX];

	/* RC */
	struct pcie_packet rc;
	bool rc_full;

	/* interrupts */
	bool again[PCIE_MSIX];	  /* it could not be sent */
	unsigned sent[PCIE_MSIX]; /* how many were */
	unsigned current;	  /* the vector it works on */
	unsigned sent_in;	  /* clocks until it has been sent, then 1 */
};

/* Sets the limits by max_payload and max_read_req of the pins. */
void pcie_block_start(struct pcie_block *block);

/* What the block shows in the next clock: on CQ, and on all else. */
void pcie_block_show_requests(struct pcie_block *block);
void pcie_block_show(struct pcie_block *block);

/* What it makes of that clock. */
void pcie_block_clock(struct pcie_block *block, const struct pcie_pins_out *out);

#endif /* GLK_PCIE_BLOCK_H */
