/* SPDX-License-Identifier: Apache-2.0 */
/* Packets on the hard block's streams (descriptor and data in DWs), and their sideband bits. */
#ifndef GLK_PCIE_PACKET_H
#define GLK_PCIE_PACKET_H

#include "pcie_bench.h"
#include "pcie_pins.h"

#define PCIE_PACKET_DWORDS (4u + 1024u)

/* Request types in descriptors. */
enum { MEM_READ = 0, MEM_WRITE = 1, IO_READ = 2, IO_WRITE = 3, FETCH_ADD = 4, SWAP = 5, LOCKED_READ = 7, MESSAGE = 12 };

/* Positions of fields in tuser (PG213), which differ with the width. */
struct pcie_sideband {
	unsigned last_be; /* of CQ and RQ; the enables of the first DW are at 0 */
	unsigned cq_sop, cq_sop_bits, cq_discontinue, cq_tph_present, cq_tph_type, cq_tph_tag;
	unsigned rc_discontinue, cc_discontinue;
	unsigned rq_unused, rq_unused_bits; /* discontinue, hints, and with 256 bits the address offset */
	unsigned rq_seq_low, rq_seq_high;   /* the lower four bits, and the upper two */
	bool marks;			    /* CC and RQ have is_sop, is_eop and their pointers */
};

struct pcie_packet { /* on CQ and RC */
	uint32_t dw[PCIE_PACKET_DWORDS];
	unsigned dwords, at; /* at: next to send */
	bool discontinue;
};

struct pcie_collected { /* from CC and RQ */
	uint32_t dw[PCIE_PACKET_DWORDS];
	unsigned dwords;
	bool open; /* the last beat is missing */
};

/* A request by the host: descriptor fields, and the packet with data. */
struct pcie_request {
	unsigned type, bar, aperture, count; /* aperture: log2 of the BAR's bytes; count: DWs requested */
	unsigned first_be, last_be;
	uint64_t address;
	struct pcie_packet packet; /* `discontinue`: poisoned */
};

void pcie_bits_put(uint8_t *bits, unsigned first, unsigned count, uint32_t value);
uint32_t pcie_bits_get(const uint8_t *bits, unsigned first, unsigned count);

const struct pcie_sideband *pcie_sideband(const struct pcie_bench *b);

/* Drives the next beat of a packet; undefined data and sidebands are random. `discontinue`: the position of that field. */
void pcie_packet_show(struct pcie_bench *b, struct pcie_packet *p, struct pcie_axis *s, unsigned discontinue);

/* Accepts a beat. The packet is complete if it is not open afterwards. */
void pcie_packet_collect(struct pcie_bench *b, struct pcie_collected *p, const struct pcie_axis *s);

/* Makes a request's descriptor: random requester, tag, class and attributes. Data follow from dw[4]. */
void pcie_request_describe(struct pcie_bench *b, struct pcie_request *r, unsigned data_dwords);
/* It crosses 4 KiB, which is illegal. */
bool pcie_request_crosses(const struct pcie_request *r);
bool pcie_request_non_posted(const struct pcie_request *r);
/* Whether a byte of a DW of the request is enabled. */
bool pcie_request_enabled(const struct pcie_request *r, unsigned dw, unsigned byte);

#endif /* GLK_PCIE_PACKET_H */
