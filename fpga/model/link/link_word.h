/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bit format of link words and of the flits of a hello (docs/link-format.md, "The link layer"). Sequence numbers of frames
 * have 10 bits and wrap; at most 512 frames are outstanding.
 */
#ifndef GLK_LINK_WORD_H
#define GLK_LINK_WORD_H

#include "link/crc32c.h"
#include "link/link_layer.h"

#define GLK_FRAME_FLITS	     11u
#define GLK_TYPE_BITS	     5u
#define GLK_SEQUENCE_COUNT   1024u
#define GLK_CREDIT_COUNT     4096u
#define GLK_WORD_CRC_AT	     12u /* byte of a link word */
#define GLK_HELLO_FLITS	     2u

enum glk_link_wanted {
	GLK_WANTED_NOTHING,
	GLK_WANTED_PASS_0, /* replay from `acknowledge` on: a frame of pass 0 is missing */
	GLK_WANTED_PASS_1,
	GLK_WANTED_SESSION /* not a frame of a session: a hello, or a ready if `pass` is set */
};

struct glk_link_word {
	uint8_t flits;	      /* 0..11 are valid; up to 15 as received */
	uint64_t types;	      /* GLK_TYPE_BITS each */
	uint8_t credit_class; /* enum glk_class, GLK_CLASS_COUNT: no credit */
	uint16_t credit, sequence, acknowledge;
	bool pass;
	enum glk_link_wanted wanted;
};

/** Encode and decode all fields but the CRC. */
void glk_link_word_put(uint8_t bytes[GLK_FLIT_BYTES], const struct glk_link_word *word);
void glk_link_word_get(const uint8_t bytes[GLK_FLIT_BYTES], struct glk_link_word *word);

/** The CRC of a word. `state`: CRC state after the flits. `pair`: glk_link_pair() for a frame of a session, 0 for a hello or
 *  ready. */
uint32_t glk_link_word_crc(const struct glk_crc32c *crc, uint32_t state, const uint8_t bytes[GLK_FLIT_BYTES], uint32_t pair);
void glk_link_word_put_crc(uint8_t bytes[GLK_FLIT_BYTES], uint32_t value);
uint32_t glk_link_word_get_crc(const uint8_t bytes[GLK_FLIT_BYTES]);

/** Identifies the session of a frame, in its CRC. */
static inline uint32_t glk_link_pair(uint16_t sender, uint16_t receiver)
{
	return sender | (uint32_t)receiver << 16;
}

/** The distance from `from` to `to`. */
static inline unsigned glk_sequence_after(unsigned from, unsigned to)
{
	return (to - from) % GLK_SEQUENCE_COUNT;
}

/** `other`: the other card's session that the sender continues, or 0. */
void glk_link_hello_put(uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES], const struct glk_link_hello *hello, uint16_t other);
/** Returns whether it is a valid hello of this version. */
bool glk_link_hello_get(const uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES], struct glk_link_hello *hello, uint16_t *other);
bool glk_link_credits_valid(unsigned version, const uint16_t credits[GLK_CLASS_COUNT]);

#endif /* GLK_LINK_WORD_H */
