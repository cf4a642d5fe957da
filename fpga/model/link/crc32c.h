/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), as in iSCSI: RFC 3720, 12.1. Processes a flit per step with tables (Kounavis and Berry, 2005). */
#ifndef GLK_CRC32C_H
#define GLK_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#define GLK_CRC32C_BEGIN UINT32_MAX /* the state before the first byte */

struct glk_crc32c {
	uint32_t table[16][256];
};

void glk_crc32c_init(struct glk_crc32c *crc);
/** Continues from `state`, over `length` bytes. The CRC is the inverted state after the last byte. */
uint32_t glk_crc32c_update(const struct glk_crc32c *crc, uint32_t state, const uint8_t *bytes, size_t length);

#endif /* GLK_CRC32C_H */
