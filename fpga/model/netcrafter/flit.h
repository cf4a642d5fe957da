/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flits and the packets that they carry: kinds, classes, sizes, headers (docs/link-format.md, "Packets", "Flits";
 * NetCrafter, ISCA'25, Table 1 and section 4.1).
 */
#ifndef GLK_FLIT_H
#define GLK_FLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLK_FLIT_BYTES	       16u
#define GLK_FLIT_STITCHED      0x10u /* bit of a flit's type */
#define GLK_LINK_HEADER_BYTES  4u
#define GLK_LINK_LINE_BYTES    64u  /* of a read response and a write request */
#define GLK_LINK_PACKET_BYTES_MAX 4112u /* a FinePack packet */

enum glk_kind {
	GLK_KIND_NONE,
	GLK_KIND_READ_REQUEST,
	GLK_KIND_READ_RESPONSE,
	GLK_KIND_WRITE_REQUEST,
	GLK_KIND_WRITE_RESPONSE,
	GLK_KIND_TRANSLATION_REQUEST,
	GLK_KIND_TRANSLATION_RESPONSE,
	GLK_KIND_FINEPACK,
	GLK_KIND_RELEASE,
	GLK_KIND_RELEASED,
	GLK_KIND_ATOMIC_REQUEST,
	GLK_KIND_ATOMIC_RESPONSE,
	GLK_KIND_COUNT, /**< of version 1 of the format */
	GLK_KIND_LEASE_REQUEST = GLK_KIND_COUNT,
	GLK_KIND_LEASE_RESPONSE,
	GLK_KIND_TIMED_REQUEST,
	GLK_KIND_TIMED_RESPONSE,
	GLK_KIND_ALL /**< of version 2 */
};

enum glk_class { GLK_CLASS_POSTED, GLK_CLASS_REQUEST, GLK_CLASS_RESPONSE, GLK_CLASS_COUNT };

/** Status of a response. Only a read response can be trimmed: done, with a sector, its size in bits 1:0 as in the request. */
enum glk_link_status { GLK_LINK_DONE, GLK_LINK_REFUSED, GLK_LINK_FAILED, GLK_LINK_TRIMMED = 8 };

/** Further status of a lease or timed response. */
enum glk_lease_status {
	GLK_LEASE_SAME = 3,    /**< the copy is the line's bytes: a lease without data; also the answer to what asks for none */
	GLK_LEASE_CHANGED = 4, /**< a renewal, and it is not: likewise without data */
	GLK_LEASE_TIME = 5,    /**< a time later than all leases given out */
	GLK_LEASE_NO_LINE = 6, /**< not a line, or not in one */
	GLK_LEASE_NOT_POOL = 7, /**< not on pool memory with leases */
};

struct glk_flit {
	uint8_t bytes[GLK_FLIT_BYTES];
	uint8_t type; /**< kind of the packet of the first byte; GLK_FLIT_STITCHED */
};

/** A packet header of 4 bytes. The cluster queue fills in the number. */
struct glk_link_header {
	enum glk_kind kind;
	uint8_t number;	   /**< 0..127 */
	uint8_t partition; /**< of a request: 0..15; of a response: enum glk_link_status */
	uint16_t tag;
};

/** Credit class of a kind; and whether it is latency-critical (NetCrafter 4.4). */
enum glk_class glk_kind_class(enum glk_kind kind);
bool glk_kind_critical(enum glk_kind kind);

void glk_link_header_put(uint8_t bytes[GLK_LINK_HEADER_BYTES], const struct glk_link_header *header);
/** Returns false if the kind is invalid or has no such header. */
bool glk_link_header_get(const uint8_t bytes[GLK_LINK_HEADER_BYTES], struct glk_link_header *header);

/** Whether `length` bytes are valid for a packet of the kind; and the maximum, 0 for an invalid kind. */
bool glk_kind_length_valid(enum glk_kind kind, size_t length);
size_t glk_kind_length_most(enum glk_kind kind);

/** Size in bytes of the packet that starts with these 4 bytes; 0 if they do not start a packet of the kind. */
size_t glk_link_packet_bytes(enum glk_kind kind, const uint8_t start[GLK_LINK_HEADER_BYTES]);

/** Bytes of a sector: 16, 4, 8 or 32 for code 0..3, as in a read request's `where` and a trimmed response's status. */
unsigned glk_link_sector_bytes(unsigned code);

#endif /* GLK_FLIT_H */
