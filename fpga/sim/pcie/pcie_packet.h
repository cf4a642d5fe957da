/* SPDX-License-Identifier: Apache-2.0 */
/* The hard block's packets, a descriptor and its data in DWs, as they go over a stream, and the bits of its side bands. */
#ifndef GLK_PCIE_PACKET_H
#define GLK_PCIE_PACKET_H

#include "pcie_bench.h"
#include "pcie_pins.h"

#define PCIE_PACKET_DWORDS (4u + 1024u)
#define PCIE_BEAT_DWORDS   (PCIE_BEAT / 4)

/* Types of requests in descriptors. */
enum { MEM_READ = 0, MEM_WRITE = 1, IO_READ = 2, IO_WRITE = 3, FETCH_ADD = 4, SWAP = 5, LOCKED_READ = 7, MESSAGE = 12 };

struct pcie_packet { /* on CQ and RC */
	uint32_t dw[PCIE_PACKET_DWORDS];
	unsigned dwords, at; /* at: next to send */
	bool discontinue;
};

struct pcie_collected { /* from CC and RQ */
	uint32_t dw[PCIE_PACKET_DWORDS];
	unsigned dwords;
	bool open; /* the last beat is still to come */
};

/* A request of the host: what its descriptor says, and the packet of both. */
struct pcie_request {
	unsigned type, bar, aperture, count; /* aperture: log2 of the BAR's bytes; count: DWs that it speaks of */
	unsigned first_be, last_be;
	uint64_t address;
	struct pcie_packet packet; /* `discontinue`: it is poisoned */
};

void pcie_bits_put(uint8_t *bits, unsigned first, unsigned count, uint32_t value);
uint32_t pcie_bits_get(const uint8_t *bits, unsigned first, unsigned count);

/* Shows the next beat of a packet; what it does not define, data and side bands, says anything. */
void pcie_packet_show(struct pcie_bench *b, struct pcie_packet *p, struct pcie_axis *s);

/* Takes a beat. A packet is whole when it is not open behind that. */
void pcie_packet_collect(struct pcie_bench *b, struct pcie_collected *p, const struct pcie_axis *s);

/* Makes a request's descriptor: requester, tag, class and attributes by chance. Data stand behind it, from dw[4]. */
void pcie_request_describe(struct pcie_bench *b, struct pcie_request *r, unsigned data_dwords);
/* It crosses 4 KiB, which it must not. */
bool pcie_request_crosses(const struct pcie_request *r);
bool pcie_request_non_posted(const struct pcie_request *r);
/* Whether a byte of a DW of the request is enabled. */
bool pcie_request_enabled(const struct pcie_request *r, unsigned dw, unsigned byte);

#endif /* GLK_PCIE_PACKET_H */
