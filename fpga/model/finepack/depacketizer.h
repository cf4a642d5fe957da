/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The de-packetizer: checks a whole packet, and only then takes it apart into plain writes
 * (docs/wire-format.md, "Packet validation").
 */
#ifndef GLK_DEPACKETIZER_H
#define GLK_DEPACKETIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finepack/packetizer.h"

/** Why a packet is refused; the numbers are those of the list in docs/wire-format.md. */
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

/** What the receiver knows of the destination of a partition. */
struct glk_destination {
	uint64_t bytes;		  /**< memory of the endpoint; 0: there is none */
	unsigned subheader_bytes; /**< H of packets whose First BE is 0 */
	bool compact;		  /**< takes the compact form too, which cards refuse */
};

/** A packet that was accepted. `payload` points into the packet. */
struct glk_accepted {
	unsigned partition;
	bool compact;
	unsigned subheader_bytes; /**< means nothing when compact */
	struct glk_compact_coding coding; /**< when compact, and where in the payload the data begin */
	size_t data_at;
	uint64_t base; /**< offset in the endpoint's memory */
	const uint8_t *payload;
	size_t payload_bytes; /**< without the padding */
};

/** Checks a packet against `count` destinations. Returns GLK_REFUSED_NOT and fills *accepted, or tells why it is
 *  refused (of several reasons, the one found first) and leaves *accepted undefined. */
enum glk_refusal glk_depacketizer_check(const uint8_t *packet, size_t length, const struct glk_destination *destinations,
					unsigned count, struct glk_accepted *accepted);

/** Takes one plain write; `data` is only valid during the call, `length` 1..4096. */
typedef void (*glk_plain_write)(void *user, unsigned partition, uint64_t offset, const void *data, size_t length);

/** Writes the sub-packets in their order. Neighbours in the packet that are neighbours in memory too become one
 *  write. Returns the number of sub-packets. */
unsigned glk_depacketizer_apply(const struct glk_accepted *accepted, glk_plain_write write, void *user);

#endif /* GLK_DEPACKETIZER_H */
