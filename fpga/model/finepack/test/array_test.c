// SPDX-License-Identifier: Apache-2.0
/* The array form: a packet by hand, random ones against direct stores, every cut, and invalid ones at the receiver. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <chance.h>

#include "finepack/depacketizer.h"

enum { MEMORY = 1 << 20 };

static const struct glk_destination taker[1] = { { .bytes = MEMORY, .subheader_bytes = 5, .array = true } };

/* --- an encoder; no part of a card sends this form --- */

static void set_offset(const struct glk_array *array, uint8_t *payload, unsigned record, uint64_t offset)
{
	unsigned low = array->width == 4 ? 4 : 2, lows = (low * array->count + 15) / 16 * 16;
	uint64_t units = offset / array->unit;

	for (unsigned i = 0; i < low; i++)
		payload[low * record + i] = (uint8_t)(units >> (8 * i));
	if (array->width == 3)
		payload[lows + record] = (uint8_t)(units >> 16);
}

static void clear(uint8_t *from, size_t bytes)
{
	memset(from, 0, (16 - bytes % 16) % 16);
}

/* Header and padding, around offsets and values. Returns the size of the packet. */
static size_t finish(uint8_t packet[GLK_PACKET_ROOM], uint64_t base, const struct glk_array *array)
{
	uint8_t *payload = packet + GLK_PACKET_HEADER_BYTES;
	size_t low = (size_t)array->count * (array->width == 4 ? 4 : 2), bytes;

	bytes = glk_packetizer_finish(packet, base, GLK_ARRAY_FIRST_BE, glk_array_bytes(array));
	packet[4] = (uint8_t)(array->count >> 8);
	packet[5] = (uint8_t)array->count;
	packet[6] = (uint8_t)(array->unit / 8 | (array->width - 2) << 2);
	clear(payload + low, low);
	if (array->width == 3)
		clear(payload + (low + 15) / 16 * 16 + array->count, array->count);
	return bytes;
}

static unsigned most_records(struct glk_array array)
{
	for (array.count = GLK_PAYLOAD_MAX / (array.width + array.unit); glk_array_bytes(&array) > GLK_PAYLOAD_MAX;)
		array.count--;
	return array.count;
}

static void arrive(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	assert_int_equal(partition, 0);
	assert_true(length && offset + length <= MEMORY);
	memcpy((uint8_t *)user + offset, data, length);
}

static uint64_t array_seed(void)
{
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	return seed;
}

/* Three records of 8 bytes, offsets of 3 bytes; two adjoin. */
static void by_hand(void **state)
{
	static const uint8_t expected[] = {
		0x7c, 0, 0, 14, 0, 3, 1 | 1 << 2, 0xf7, 0, 0, 0, 0, 0, 0, 0x10, 0x00, /* header: 56 bytes of payload */
		0x02, 0x00, 0x03, 0x00, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,      /* lower bytes of 2, 3, 0x018000 */
		0x00, 0x00, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	      /* their higher bytes */
		1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
	};
	const struct glk_array array = { .count = 3, .unit = 8, .width = 3 };
	const uint64_t at[] = { 16, 24, 0x018000 * 8 };
	uint8_t packet[GLK_PACKET_ROOM], *payload = packet + GLK_PACKET_HEADER_BYTES;
	static uint8_t memory[MEMORY];
	struct glk_accepted accepted;

	(void)state;
	memset(packet, 0xee, sizeof(packet));
	for (unsigned i = 0; i < 3; i++) {
		set_offset(&array, payload, i, at[i]);
		memset(payload + glk_array_values_at(&array) + (size_t)8 * i, (int)i + 1, 8);
	}
	assert_int_equal(finish(packet, 0x1000, &array), sizeof(expected));
	assert_memory_equal(packet, expected, sizeof(expected));
	assert_int_equal(glk_depacketizer_check(packet, sizeof(expected), taker, 1, &accepted), GLK_REFUSED_NOT);
	assert_int_equal(accepted.form, GLK_ACCEPTED_ARRAY);
	assert_int_equal(glk_depacketizer_apply(&accepted, arrive, memory), 3);
	assert_int_equal(memory[0x1000 + 16], 1);
	assert_int_equal(memory[0x1000 + 31], 2);
	assert_int_equal(memory[0x1000 + 0x018000 * 8 + 7], 3);
	assert_int_equal(memory[0x1000 + 32], 0);
}

/* The most records of a packet, for each shape: one more does not fit in 4096 bytes. */
static void most(void **state)
{
	static const unsigned known[3][3] = { { 680, 584, 512 }, { 408, 370, 340 }, { 227, 215, 204 } };

	(void)state;
	for (unsigned unit = 0; unit < 3; unit++)
		for (unsigned width = 0; width < 3; width++) {
			struct glk_array array = { .count = 1, .unit = 4u << unit, .width = 2 + width };

			array.count = most_records(array);
			assert_int_equal(array.count, known[unit][width]);
			assert_true(glk_array_bytes(&array) <= GLK_PAYLOAD_MAX);
			array.count++;
			assert_true(glk_array_bytes(&array) > GLK_PAYLOAD_MAX);
		}
}

/* A random packet whose records lie in MEMORY, also stored into *expected. Returns its size. */
static size_t make(struct chance *c, uint8_t packet[GLK_PACKET_ROOM], uint8_t *expected)
{
	uint8_t *payload = packet + GLK_PACKET_HEADER_BYTES;
	struct glk_array array = { .unit = 4u << below(c, 3), .width = 2 + below(c, 3) };
	unsigned few = 1 + below(c, 40), high = most_records(array);
	uint64_t base = (uint64_t)below(c, MEMORY / 32) * 16, range = (MEMORY - base) / array.unit, at = 0;

	if (range > 1ull << (8 * array.width))
		range = 1ull << (8 * array.width);
	if (below(c, 2))
		range = few;
	array.count = below(c, 4) ? few : 1 + below(c, high);
	for (unsigned i = 0; i < array.count; i++) {
		uint8_t *value = payload + glk_array_values_at(&array) + (size_t)i * array.unit;

		at = below(c, 3) ? below(c, (unsigned)range) : (at + 1) % range;
		set_offset(&array, payload, i, at * array.unit);
		for (unsigned b = 0; b < array.unit; b++)
			value[b] = (uint8_t)(draw(c) >> 30);
		memcpy(expected + base + at * array.unit, value, array.unit);
	}
	at = finish(packet, base, &array);
	packet[6] |= (uint8_t)(below(c, 2) << 4); /* no two have the same offset, it says */
	return at;
}

/* Each packet in a buffer of exact size, for the sanitizers; and each shorter one is refused. */
static void by_chance(void **state)
{
	uint8_t *memory = calloc(1, MEMORY), *expected = calloc(1, MEMORY), packet[GLK_PACKET_ROOM];
	const uint64_t seed = array_seed();
	struct chance c;

	(void)state;
	assert_non_null(memory);
	assert_non_null(expected);
	chance_start(&c, seed, 0);
	for (unsigned i = 0; i < 3000; i++) {
		size_t length = make(&c, packet, expected);
		uint8_t *exact = malloc(length);
		struct glk_accepted accepted;

		assert_non_null(exact);
		memcpy(exact, packet, length);
		assert_int_equal(glk_depacketizer_check(exact, length, taker, 1, &accepted), GLK_REFUSED_NOT);
		assert_int_equal(glk_depacketizer_apply(&accepted, arrive, memory), accepted.array.count);
		free(exact);
		if (i % 100 == 0) {
			for (size_t cut = 0; cut < length; cut++)
				assert_int_equal(glk_depacketizer_check(packet, cut, taker, 1, &accepted), GLK_REFUSED_SIZE);
		}
	}
	assert_memory_equal(memory, expected, MEMORY);
	free(memory);
	free(expected);
}

/* Any bit flipped: refused, or its writes stay in the endpoint. */
static void flipped(void **state)
{
	uint8_t *memory = calloc(1, MEMORY), packet[GLK_PACKET_ROOM];
	const uint64_t seed = array_seed();
	unsigned refused = 0, taken = 0;
	struct chance c;

	(void)state;
	assert_non_null(memory);
	chance_start(&c, seed, 1);
	for (unsigned i = 0; i < 3000; i++) {
		size_t length = make(&c, packet, memory);
		struct glk_accepted accepted;
		uint8_t *exact;

		packet[below(&c, below(&c, 2) ? 16 : (unsigned)length)] ^= (uint8_t)(1u << below(&c, 8));
		exact = malloc(length);
		assert_non_null(exact);
		memcpy(exact, packet, length);
		if (glk_depacketizer_check(exact, length, taker, 1, &accepted)) {
			refused++;
		} else {
			glk_depacketizer_apply(&accepted, arrive, memory);
			taken++;
		}
		free(exact);
	}
	assert_true(refused > 500 && taken > 500);
	free(memory);
}

static enum glk_refusal with(unsigned at, uint8_t value, const struct glk_destination *destination)
{
	const struct glk_array array = { .count = 2, .unit = 4, .width = 3 };
	uint8_t packet[GLK_PACKET_ROOM], *payload = packet + GLK_PACKET_HEADER_BYTES;
	struct glk_accepted accepted;
	size_t length;

	memset(packet, 0, sizeof(packet));
	set_offset(&array, payload, 1, 8);
	length = finish(packet, 0, &array);
	packet[at] = value;
	return glk_depacketizer_check(packet, length, destination, 1, &accepted);
}

static void refusals(void **state)
{
	const struct glk_destination older[1] = { { .bytes = MEMORY, .subheader_bytes = 5, .compact = true } };
	const struct glk_destination small[1] = { { .bytes = 8, .array = true } };
	const struct glk_destination exact[1] = { { .bytes = 12, .array = true } };

	(void)state;
	assert_int_equal(with(5, 2, taker), GLK_REFUSED_NOT);
	assert_int_equal(with(5, 2, older), GLK_REFUSED_BYTE_ENABLES);
	assert_int_equal(with(5, 2, small), GLK_REFUSED_BOUNDS);
	assert_int_equal(with(5, 2, exact), GLK_REFUSED_NOT);
	assert_int_equal(with(5, 0, taker), GLK_REFUSED_HEADER);
	assert_int_equal(with(5, 1, taker), GLK_REFUSED_TRUNCATED);
	assert_int_equal(with(5, 3, taker), GLK_REFUSED_TRUNCATED);
	assert_int_equal(with(4, 1, taker), GLK_REFUSED_TRUNCATED);
	assert_int_equal(with(6, 3 | 1 << 2, taker), GLK_REFUSED_HEADER);
	assert_int_equal(with(6, 3 << 2, taker), GLK_REFUSED_HEADER);
	assert_int_equal(with(6, 1 << 2 | 1 << 4, taker), GLK_REFUSED_NOT);
	assert_int_equal(with(6, 1 << 2 | 1 << 5, taker), GLK_REFUSED_HEADER);
	assert_int_equal(with(6, 1 << 2 | 1 << 7, taker), GLK_REFUSED_HEADER);
	assert_int_equal(with(7, 0x77, taker), GLK_REFUSED_BYTE_ENABLES);
	assert_int_equal(with(15, 8, taker), GLK_REFUSED_BASE);
	for (unsigned at = 16 + 4; at < 16 + 16; at++)
		assert_int_equal(with(at, 1, taker), GLK_REFUSED_PADDING);
	for (unsigned at = 32 + 2; at < 32 + 16; at++)
		assert_int_equal(with(at, 0x80, taker), GLK_REFUSED_PADDING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand), cmocka_unit_test(most), cmocka_unit_test(by_chance), cmocka_unit_test(flipped),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
