/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the hard block's interfaces and of the host behind it (PG213: 512 or 256 bits, DW-aligned, no straddling, client
 * tags): sends requests within credit, accepts completions and requests and checks their descriptors and sidebands, completes
 * reads split and in any order, returns sequence numbers, sends interrupts. The user supplies requests and memory contents.
 */
#ifndef GLK_PCIE_BLOCK_H
#define GLK_PCIE_BLOCK_H

#include "pcie_packet.h"

#define PCIE_PACKETS_MAX 256u /* packets of the card in flight: 31 writes, and reads, of which the card counts none */
#define PCIE_TAGS_MAX	 64u
#define PCIE_MSIX	 8u

/* Callbacks of the user. All get the `user` pointer; pure notifications may be NULL. */
struct pcie_block_ops {
	/*
	 * Makes the next request. `instead`: a non-posted request waits for credit; a posted one may pass it.
	 * Returns false if there is none.
	 */
	bool (*request)(void *user, struct pcie_request *r, bool instead);
	/* The RTL has accepted a complete request. */
	void (*request_taken)(void *user, const struct pcie_request *r);
	/* The completion of a read begins; it is complete. */
	void (*completion_begins)(void *user);
	void (*completed)(void *user, const uint8_t *data, unsigned bytes);
	/*
	 * Requests by the card; a read of 0 bytes is a flush read. A write comes when its sequence number returns, or ahead of
	 * the completion of a read behind it: until then a completion by the card may pass it.
	 */
	void (*write)(void *user, uint64_t address, const uint8_t *data, unsigned bytes);
	void (*read)(void *user, unsigned tag, uint64_t address, unsigned bytes);
	/* Contents of host memory. */
	uint8_t (*byte)(void *user, uint64_t address);
	/* A part of a read completes with an error. */
	void (*read_failed)(void *user, unsigned tag);
	/* The card has requested an interrupt; `again`: a retry after a failure. */
	void (*interrupt)(void *user, unsigned vector, bool again);
};

struct pcie_sent { /* a packet of the card */
	unsigned seq, length; /* of a write */
	uint64_t bytes, at, address;
	uint8_t data[1024]; /* the greatest max payload */
};

struct pcie_outstanding { /* an outstanding read by the card */
	bool busy, begun, stale; /* stale: the card no longer waits for it, and gets wrong data */
	uint64_t from, to; /* bytes; for a flush, from = to + 1 */
	unsigned dw_left, behind; /* packets ahead of it */
	uint64_t dw_at;
};

enum pcie_under_way { NOTHING, READ, REFUSED }; /* the non-posted request in progress at the card */

struct pcie_block {
	struct pcie_bench *bench;
	struct pcie_pins_in *in;
	const struct pcie_block_ops *ops;
	void *user;
	unsigned tags;	      /* the card uses all tags below this */
	bool failures;	      /* reads fail at random */
	bool silent;	      /* the host completes nothing, and gives no credit for reads */
	unsigned seq_delay;   /* maximum clocks until a sequence number returns */
	unsigned np_refill;   /* approximate clocks until credit for another read */
	unsigned write_limit, read_limit; /* bytes: max payload, max read request */

	/* CQ */
	struct pcie_request cq;
	bool cq_full;
	unsigned credits;

	/* the request waiting for its completion, and CC */
	enum pcie_under_way under_way;
	struct pcie_request np;
	unsigned np_hint, np_from, np_bytes; /* its byte range within 4 KiB */
	bool cc_begun;
	struct pcie_collected cc;
	unsigned cc_done;
	uint8_t cc_data[4096];
	uint64_t answered, refused;

	/* RQ */
	struct pcie_collected rq;
	unsigned rq_first_be, rq_last_be, rq_seq;
	uint64_t rq_bytes, passed_bytes; /* written; and those that nothing may pass any more */
	/* A ring, up to seq_put; from seq_take the numbers have not returned, from visible the host does not see the data. */
	struct pcie_sent sent_packets[PCIE_PACKETS_MAX];
	unsigned seq_put, seq_take, visible;
	int np_credit;
	unsigned np_shown[8];
	struct pcie_outstanding reads[PCIE_TAGS_MAX];

	/* RC */
	struct pcie_packet rc;
	bool rc_full;
	uint64_t codes[16]; /* completions by error code */

	/* interrupts */
	bool again[PCIE_MSIX];	  /* it failed and is retried */
	unsigned sent[PCIE_MSIX]; /* number sent */
	unsigned current;	  /* vector in progress */
	unsigned sent_in;	  /* clocks until it is sent, then 1 */
};

/* Sets the limits from the pins max_payload and max_read_req. */
void pcie_block_start(struct pcie_block *block);

/* After a function-level reset: outstanding reads are stale, and some are never completed. */
void pcie_block_forget(struct pcie_block *block);

/* Drives the next clock: CQ, and everything else. */
void pcie_block_show_requests(struct pcie_block *block);
void pcie_block_show(struct pcie_block *block);

/* Evaluates that clock. */
void pcie_block_clock(struct pcie_block *block, const struct pcie_pins_out *out);

#endif /* GLK_PCIE_BLOCK_H */
