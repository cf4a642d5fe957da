/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flits, and the packets they are cut from: kinds, classes, sizes, headers (docs/link-format.md, "Packets", "Flits";
 * NetCrafter, ISCA'25, Table 1 and section 4.1).
 */
#ifndef GLK_FLIT_H
#define GLK_FLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLK_FLIT_BYTES	       16u
#define GLK_FLIT_STITCHED      0x10u /* in a flit's type */
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
	GLK_KIND_COUNT
};

enum glk_class { GLK_CLASS_POSTED, GLK_CLASS_REQUEST, GLK_CLASS_RESPONSE, GLK_CLASS_COUNT };

/** Of a response. A read response alone may be trimmed: done, with a sector, whose size bits 1:0 tell as in the request. */
enum glk_link_status { GLK_LINK_DONE, GLK_LINK_REFUSED, GLK_LINK_FAILED, GLK_LINK_TRIMMED = 8 };

struct glk_flit {
	uint8_t bytes[GLK_FLIT_BYTES];
	uint8_t type; /**< kind of the packet that the first byte belongs to, and GLK_FLIT_STITCHED */
};

/** What a header of 4 bytes tells; the cluster queue fills in the number. */
struct glk_link_header {
	enum glk_kind kind;
	uint8_t number;	   /**< 0..127 */
	uint8_t partition; /**< 0..15, of a request; of a response: enum glk_link_status */
	uint16_t tag;
};

enum glk_class glk_kind_class(enum glk_kind kind);
bool glk_kind_critical(enum glk_kind kind);

void glk_link_header_put(uint8_t bytes[GLK_LINK_HEADER_BYTES], const struct glk_link_header *header);
/** Returns false when the kind is none that has such a header. */
bool glk_link_header_get(const uint8_t bytes[GLK_LINK_HEADER_BYTES], struct glk_link_header *header);

/** Whether a packet of that kind may have so many bytes; and the most it may have, 0 for a kind that is none. */
bool glk_kind_length_valid(enum glk_kind kind, size_t length);
size_t glk_kind_length_most(enum glk_kind kind);

/** Bytes of the packet of which these are the first 4; 0 when they are no such packet's. */
size_t glk_link_packet_bytes(enum glk_kind kind, const uint8_t start[GLK_LINK_HEADER_BYTES]);

/** Bytes of a sector: 16, 4, 8 or 32 for the code (0..3) in a read request's "where" and a trimmed response's status. */
unsigned glk_link_sector_bytes(unsigned code);

#endif /* GLK_FLIT_H */
