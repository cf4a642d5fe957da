// SPDX-License-Identifier: Apache-2.0
/*
 * Known answers of the CRC, round trips of link words, invalid configurations. tests/vectors/link-layer tests the bit format.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "link/link_word.h"

static struct glk_crc32c crc;

static uint32_t crc_of(const uint8_t *bytes, size_t length)
{
	return ~glk_crc32c_update(&crc, GLK_CRC32C_BEGIN, bytes, length);
}

/* RFC 3720, B.4, and the "check" value of CRC catalogues. */
static void known_answers(void **state)
{
	static const uint8_t read_pdu[48] = {
		0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02,
	};
	uint8_t zeros[32] = { 0 }, ones[32], rising[32], falling[32];

	(void)state;
	glk_crc32c_init(&crc);
	memset(ones, 0xff, sizeof(ones));
	for (unsigned i = 0; i < 32; i++) {
		rising[i] = (uint8_t)i;
		falling[i] = (uint8_t)(31 - i);
	}
	assert_int_equal(crc_of(zeros, 32), 0x8a9136aa);
	assert_int_equal(crc_of(ones, 32), 0x62a8ab43);
	assert_int_equal(crc_of(rising, 32), 0x46dd794e);
	assert_int_equal(crc_of(falling, 32), 0x113fdb5c);
	assert_int_equal(crc_of(read_pdu, 48), 0xd9963a56);
	assert_int_equal(crc_of((const uint8_t *)"123456789", 9), 0xe3069283);
	assert_int_equal(crc_of(zeros, 0), 0);
}

/* Updates over many bytes equal updates over single bytes. */
static void pieces(void **state)
{
	uint8_t bytes[70];

	(void)state;
	glk_crc32c_init(&crc);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i * 31 + i);
	for (size_t length = 0; length <= sizeof(bytes); length++) {
		uint32_t single = GLK_CRC32C_BEGIN;

		for (size_t i = 0; i < length; i++)
			single = glk_crc32c_update(&crc, single, bytes + i, 1);
		for (size_t first = 0; first <= length; first++) {
			uint32_t two = glk_crc32c_update(&crc, GLK_CRC32C_BEGIN, bytes, first);

			assert_int_equal(glk_crc32c_update(&crc, two, bytes + first, length - first), single);
		}
	}
}

/* Every bit outside the CRC belongs to a field. */
static void words(void **state)
{
	uint8_t bytes[GLK_FLIT_BYTES], again[GLK_FLIT_BYTES];
	struct glk_link_word word;

	(void)state;
	for (unsigned bit = 0; bit < 8 * GLK_WORD_CRC_AT; bit++) {
		memset(bytes, 0, sizeof(bytes));
		bytes[bit / 8] = (uint8_t)(1u << bit % 8);
		glk_link_word_get(bytes, &word);
		glk_link_word_put(again, &word);
		assert_memory_equal(bytes, again, GLK_WORD_CRC_AT);
	}
	memset(bytes, 0, sizeof(bytes));
	glk_link_word_put_crc(bytes, 0x12345678);
	assert_memory_equal(bytes + GLK_WORD_CRC_AT, "\x78\x56\x34\x12", 4);
	assert_int_equal(glk_link_word_get_crc(bytes), 0x12345678);
}

static int no_flit(void *user, const struct glk_flit *flit)
{
	(void)user;
	(void)flit;
	return 0;
}

static void no_event(void *user, enum glk_link_event event)
{
	(void)user;
	(void)event;
}

static void configurations(void **state)
{
	static const struct glk_link_layer_ops ops = { no_flit, no_event };
	static const struct {
		size_t offset;
		unsigned bytes, value;
		int result;
	} cases[] = {
#define FIELD(name, value, result) \
	{ offsetof(struct glk_link_layer_config, name), sizeof(((struct glk_link_layer_config *)0)->name), value, result }
		FIELD(replay_frames, 0, -EINVAL),
		FIELD(replay_frames, 1, -EINVAL),
		FIELD(replay_frames, 2, 0),
		FIELD(replay_frames, 3, -EINVAL),
		FIELD(replay_frames, 512, 0),
		FIELD(replay_frames, 1024, -EINVAL),
		FIELD(replay_cycles, 0, -EINVAL),
		FIELD(replay_cycles, 1, 0),
		FIELD(ack_cycles, 0, -EINVAL),
		FIELD(ack_cycles, 1, 0),
		FIELD(hello_cycles, 0, -EINVAL),
		FIELD(hello_cycles, 1, 0),
		FIELD(self.version, 0, -EINVAL),
		FIELD(self.version, 2, 0),
		FIELD(self.version, 3, -EINVAL),
		FIELD(self.session, 0, -EINVAL),
		FIELD(self.session, 65535, 0),
		FIELD(self.credits[0], 387, -EINVAL),
		FIELD(self.credits[0], 388, 0),
		FIELD(self.credits[0], 2048, 0),
		FIELD(self.credits[0], 2049, -EINVAL),
		FIELD(self.credits[1], 1, -EINVAL),
		FIELD(self.credits[1], 2, 0),
		FIELD(self.credits[2], 131, -EINVAL),
		FIELD(self.credits[2], 132, 0),
	};
	struct glk_link_layer_config config;
	struct glk_link_layer *link = NULL;

	(void)state;
	glk_link_layer_config_default(&config);
	assert_int_equal(glk_link_layer_create(&config, &link), -EINVAL);
	config.ops = &ops;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct glk_link_layer_config other = config;

		memcpy((char *)&other + cases[i].offset, &cases[i].value, cases[i].bytes); /* little-endian */
		assert_int_equal(glk_link_layer_create(&other, &link), cases[i].result);
		if (cases[i].result == 0)
			glk_link_layer_destroy(link);
	}
	glk_link_layer_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(pieces),
		cmocka_unit_test(words),
		cmocka_unit_test(configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
