// SPDX-License-Identifier: Apache-2.0
#include "link/crc32c.h"

#include "base/bytes.h"

#define POLYNOMIAL 0x82f63b78u /* reflected */

/* table[k][b]: the CRC state after byte b and k zero bytes. */
void glk_crc32c_init(struct glk_crc32c *crc)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t state = byte;

		for (unsigned bit = 0; bit < 8; bit++)
			state = state >> 1 ^ (state & 1 ? POLYNOMIAL : 0);
		crc->table[0][byte] = state;
	}
	for (unsigned k = 1; k < 16; k++)
		for (unsigned byte = 0; byte < 256; byte++)
			crc->table[k][byte] = crc->table[k - 1][byte] >> 8 ^ crc->table[0][crc->table[k - 1][byte] & 0xff];
}

/* The contribution of eight bytes that `after` more bytes follow. */
static uint32_t eight(const struct glk_crc32c *crc, uint64_t word, unsigned after)
{
	const uint32_t (*table)[256] = &crc->table[after];

	return table[7][word & 0xff] ^ table[6][word >> 8 & 0xff] ^ table[5][word >> 16 & 0xff] ^ table[4][word >> 24 & 0xff] ^
	       table[3][word >> 32 & 0xff] ^ table[2][word >> 40 & 0xff] ^ table[1][word >> 48 & 0xff] ^ table[0][word >> 56];
}

uint32_t glk_crc32c_update(const struct glk_crc32c *crc, uint32_t state, const uint8_t *bytes, size_t length)
{
	for (; length >= 16; length -= 16, bytes += 16)
		state = eight(crc, glk_get_le64(bytes) ^ state, 8) ^ eight(crc, glk_get_le64(bytes + 8), 0);
	if (length >= 8) {
		state = eight(crc, glk_get_le64(bytes) ^ state, 0);
		length -= 8;
		bytes += 8;
	}
	for (; length > 0; length--, bytes++)
		state = state >> 8 ^ crc->table[0][(state ^ *bytes) & 0xff];
	return state;
}
