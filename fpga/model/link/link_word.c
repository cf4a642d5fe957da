// SPDX-License-Identifier: Apache-2.0
#include "link/link_word.h"

#include <string.h>

#include "base/bytes.h"

/* Bit positions in the word's lower and upper 64 bits; the credit spans both. */
#define TYPES_AT	4
#define TYPES_MASK	((1ULL << (GLK_FRAME_FLITS * GLK_TYPE_BITS)) - 1)
#define CLASS_AT	59
#define CREDIT_AT	61
#define CREDIT_LOW_BITS 3
#define SEQUENCE_AT	9
#define ACKNOWLEDGE_AT	19
#define PASS_AT		29
#define WANTED_AT	30

void glk_link_word_put(uint8_t bytes[GLK_FLIT_BYTES], const struct glk_link_word *word)
{
	uint64_t low = word->flits | word->types << TYPES_AT | (uint64_t)word->credit_class << CLASS_AT |
		       (uint64_t)word->credit << CREDIT_AT;
	uint64_t high = (uint64_t)word->credit >> CREDIT_LOW_BITS | (uint64_t)word->sequence << SEQUENCE_AT |
			(uint64_t)word->acknowledge << ACKNOWLEDGE_AT | (uint64_t)word->pass << PASS_AT |
			(uint64_t)word->wanted << WANTED_AT;

	glk_put_le64(bytes, low);
	glk_put_le64(bytes + 8, high);
}

void glk_link_word_get(const uint8_t bytes[GLK_FLIT_BYTES], struct glk_link_word *word)
{
	uint64_t low = glk_get_le64(bytes);
	uint64_t high = glk_get_le64(bytes + 8);

	word->flits = low & 0xf;
	word->types = low >> TYPES_AT & TYPES_MASK;
	word->credit_class = low >> CLASS_AT & 3;
	word->credit = (uint16_t)((low >> CREDIT_AT | high << CREDIT_LOW_BITS) % GLK_CREDIT_COUNT);
	word->sequence = (uint16_t)((high >> SEQUENCE_AT) % GLK_SEQUENCE_COUNT);
	word->acknowledge = (uint16_t)((high >> ACKNOWLEDGE_AT) % GLK_SEQUENCE_COUNT);
	word->pass = high >> PASS_AT & 1;
	word->wanted = (enum glk_link_wanted)(high >> WANTED_AT & 3);
}

uint32_t glk_link_word_crc(const struct glk_crc32c *crc, uint32_t state, const uint8_t bytes[GLK_FLIT_BYTES], uint32_t pair)
{
	return ~glk_crc32c_update(crc, state, bytes, GLK_WORD_CRC_AT) ^ pair;
}

void glk_link_word_put_crc(uint8_t bytes[GLK_FLIT_BYTES], uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[GLK_WORD_CRC_AT + i] = (uint8_t)(value >> (8 * i));
}

uint32_t glk_link_word_get_crc(const uint8_t bytes[GLK_FLIT_BYTES])
{
	return (uint32_t)(glk_get_le64(bytes + 8) >> 32);
}

static void put_le16(uint8_t *to, uint16_t value)
{
	to[0] = (uint8_t)value;
	to[1] = (uint8_t)(value >> 8);
}

static uint16_t get_le16(const uint8_t *from)
{
	return (uint16_t)(from[0] | from[1] << 8);
}

void glk_link_hello_put(uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES], const struct glk_link_hello *hello, uint16_t other)
{
	memset(flits, 0, GLK_HELLO_FLITS * GLK_FLIT_BYTES);
	glk_put_le64(flits[0], hello->serial);
	flits[0][8] = hello->version;
	flits[0][9] = hello->cluster;
	put_le16(flits[0] + 10, hello->session);
	put_le16(flits[0] + 12, other);
	flits[0][14] = hello->compact;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		put_le16(flits[1] + 2 * class, hello->credits[class]);
}

bool glk_link_credits_valid(unsigned version, const uint16_t credits[GLK_CLASS_COUNT])
{
	bool leases = version >= GLK_LINK_VERSION_LEASES;
	const unsigned least[GLK_CLASS_COUNT] = {
		[GLK_CLASS_POSTED] = GLK_LINK_POSTED_MIN,
		[GLK_CLASS_REQUEST] = leases ? GLK_LINK_REQUEST_MIN_LEASES : GLK_LINK_REQUEST_MIN,
		[GLK_CLASS_RESPONSE] = leases ? GLK_LINK_RESPONSE_MIN_LEASES : GLK_LINK_RESPONSE_MIN,
	};

	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (credits[class] < least[class] || credits[class] > GLK_LINK_CREDITS_MAX)
			return false;
	return true;
}

bool glk_link_hello_get(const uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES], struct glk_link_hello *hello, uint16_t *other)
{
	uint8_t again[GLK_HELLO_FLITS][GLK_FLIT_BYTES];

	hello->serial = glk_get_le64(flits[0]);
	hello->version = flits[0][8];
	hello->cluster = flits[0][9];
	hello->session = get_le16(flits[0] + 10);
	*other = get_le16(flits[0] + 12);
	hello->compact = flits[0][14] & 1;
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		hello->credits[class] = get_le16(flits[1] + 2 * class);
	glk_link_hello_put(again, hello, *other); /* unused bits must be 0 */
	return hello->session != 0 && glk_link_credits_valid(hello->version, hello->credits) &&
	       memcmp(again, flits, sizeof(again)) == 0;
}
