/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The de-packetizer: checks a whole packet, and only then splits it into plain writes
 * (docs/wire-format.md, "Packet validation"; FinePack IV-A).
 */
#ifndef GLK_DEPACKETIZER_H
#define GLK_DEPACKETIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finepack/array.h"
#include "finepack/packetizer.h"

/** The reason for refusing a packet, numbered as in docs/wire-format.md. */
enum glk_refusal {
	GLK_REFUSED_NOT = 0,
	GLK_REFUSED_SIZE = 1,
	GLK_REFUSED_HEADER = 2,
	GLK_REFUSED_BYTE_ENABLES = 3,
	GLK_REFUSED_TRUNCATED = 4,
	GLK_REFUSED_PADDING = 5,
	GLK_REFUSED_BASE = 6,
	GLK_REFUSED_BOUNDS = 7,
};

/** The destination of a partition, at the receiver. */
struct glk_destination {
	uint64_t bytes;		  /**< size of the endpoint's memory; 0: no endpoint */
	unsigned subheader_bytes; /**< H (2..6) for packets whose First BE is 0 */
	bool compact;		  /**< accepts all of the compact form; otherwise only its packets of a single run */
	bool array;		  /**< accepts the array form */
};

/** An accepted packet. `payload` points into the packet, which must outlive it. */
struct glk_accepted {
	unsigned partition;
	enum glk_accepted_form { GLK_ACCEPTED_SUBHEADERS, GLK_ACCEPTED_COMPACT, GLK_ACCEPTED_ARRAY } form;
	unsigned subheader_bytes; /**< H, of sub-headers */
	struct glk_compact_coding coding; /**< of the compact form */
	struct glk_array array;
	size_t data_at; /**< of the other forms: where in the payload the data begin */
	uint64_t base; /**< offset in the endpoint's memory */
	const uint8_t *payload;
	size_t payload_bytes; /**< without the padding */
};

/** Checks a packet of `length` bytes against `count` destinations, indexed by partition. Returns GLK_REFUSED_NOT and fills
 *  *accepted, or returns the first reason found for refusing it and leaves *accepted undefined. */
enum glk_refusal glk_depacketizer_check(const uint8_t *packet, size_t length, const struct glk_destination *destinations,
					unsigned count, struct glk_accepted *accepted);

/** Performs one plain write; `data` is valid only during the call, `length` is 1..4096. */
typedef void (*glk_plain_write)(void *user, unsigned partition, uint64_t offset, const void *data, size_t length);

/** Writes the sub-packets in order. Consecutive sub-packets with adjacent addresses become one write. Returns the number of
 *  sub-packets. */
unsigned glk_depacketizer_apply(const struct glk_accepted *accepted, glk_plain_write write, void *user);

#endif /* GLK_DEPACKETIZER_H */
