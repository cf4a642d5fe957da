/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links: how many bytes a transaction takes on the wire. Line codes (8b/10b, 128b/130b) cost bandwidth, not bytes, and are in
 * link_bytes_per_second(); flits of PCIe 6 cost bytes. Acknowledgements and credits, which travel the other way, cost neither.
 *
 * Sources: PCI Express Base Specification 5.0 sections 2.2 (TLP), 3.6 (sequence number, LCRC), 4.2 (framing, codes) and 6.0
 * section 4.2.3 (flits); NVLink: the 16-byte flits and the byte-enable flit as in FinePack II-B and its Figure 2.
 */
#ifndef REPLAY_LINK_H
#define REPLAY_LINK_H

#include <stdint.h>

/** A kind of link and its settings. Values, to be copied freely. */
struct link {
	const char *name;
	const char *formula;	    /**< how the bytes come about, for people */
	uint32_t header_bytes;	    /**< of a transaction with a 64-bit address */
	uint32_t answer_bytes;	    /**< header of a read's answer */
	uint32_t framing_bytes;	    /**< around each transaction: framing, sequence number, LCRC */
	uint32_t enables_bytes;	    /**< more when first or last unit is not whole: PCIe 6's OHC, NVLink's byte-enable flit */
	uint32_t unit_bytes;	    /**< payload is a multiple of these */
	uint32_t payload_bytes;	    /**< most of one transaction */
	uint32_t digest_bytes;	    /**< ECRC: 0 or 4 */
	uint32_t flit_bytes, flit_used; /**< of flit_bytes on the wire flit_used carry transactions; 1, 1 without flits */
	uint32_t code_bits, code_used;	/**< of code_bits on the wire code_used are data */
	double gigatransfers;	    /**< a second and lane */
	uint32_t lanes;
};

/** The preset of a name: pcie1 .. pcie6, nvlink; 16 lanes, payload 4096 (nvlink 256). NULL: there is none. */
const struct link *link_preset(const char *name);

/** The presets in order, ending with NULL. */
const struct link *link_preset_at(unsigned index);

/**
 * Bytes of a write of `size` (1 or more) bytes: split at multiples of payload_bytes, each part with header, framing and digest,
 * and its payload from the unit that its first byte lies in to that of its last. Adds the transactions to *transactions.
 */
uint64_t link_write(const struct link *link, uint64_t address, uint64_t size, uint64_t *transactions);

/** Bytes of one transaction with `payload` bytes that begin at a unit's first byte: a FinePack packet. */
uint64_t link_packet(const struct link *link, uint64_t payload);

/** Bytes of a read's request, and of its answer. */
uint64_t link_read_request(const struct link *link);
uint64_t link_read_answer(const struct link *link, uint64_t address, uint64_t size);

/** Bytes a second in one direction, after the line code. */
double link_bytes_per_second(const struct link *link);

#endif /* REPLAY_LINK_H */
