/* SPDX-License-Identifier: Apache-2.0 */
/* The FinePack packet's shape (docs/wire-format.md; FinePack IV-A, Tables I and II): what both ends agree on. */
#ifndef GLK_PACKET_H
#define GLK_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "gpulink_regs.h"

#define GLK_HEADER_BYTES     16u
#define GLK_PACKET_BYTES_MAX (GLK_HEADER_BYTES + GLK_PAYLOAD_MAX)
#define GLK_SUB_PACKET_MAX   1024u
#define GLK_PACKET_TYPE      0x7cu /* Fmt 011, Type 11100 */

#define GLK_LINK_PARTITION_SHIFT 48
#define GLK_LINK_OFFSET_MASK	 ((UINT64_C(1) << GLK_LINK_PARTITION_SHIFT) - 1)

/** Link address of a byte of an endpoint's memory. */
static inline uint64_t glk_link_address(unsigned partition, uint64_t offset)
{
	return (uint64_t)partition << GLK_LINK_PARTITION_SHIFT | offset;
}

/** Bytes that a sub-header of `width` bytes can address (Table II). */
static inline uint64_t glk_address_range(unsigned width)
{
	return UINT64_C(1) << (8 * width - GLK_SUBHEADER_LENGTH_BITS);
}

/** Bytes a packet with `payload` bytes takes on the wire. */
static inline uint64_t glk_wire_bytes(unsigned payload)
{
	return GLK_TLP_OVERHEAD_BYTES + ((payload + 3) & ~3u);
}

#endif /* GLK_PACKET_H */
