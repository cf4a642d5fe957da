// SPDX-License-Identifier: Apache-2.0
/* The compact form: hand-made packets, and invalid packets at the receiver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <chance.h>

#include "finepack/compact.h"
#include "finepack/depacketizer.h"

enum { MEMORY = 1 << 16 };

static const struct glk_destination taker[1] = { { .bytes = MEMORY, .subheader_bytes = 5, .compact = true } };

static void start(struct glk_write_queue *queue, unsigned max_payload_bytes)
{
	glk_write_queue_init(queue, 64);
	glk_write_queue_configure(queue, 6, max_payload_bytes);
	glk_write_queue_shape(queue, GLK_SHORT_LINE_BYTES, GLK_COMPACT_RUN_BYTES);
}

static void put(struct glk_write_queue *queue, uint64_t address, uint32_t size, uint8_t value)
{
	uint8_t data[GLK_LINE_BYTES];
	uint64_t overwritten = 0;

	memset(data, value, sizeof(data));
	while (size) {
		uint32_t piece = (uint32_t)glk_write_queue_piece(queue, address, size);

		assert_int_equal(glk_write_queue_put(queue, address, data, piece, 1, &overwritten), GLK_QUEUE_TAKEN);
		address += piece;
		size -= piece;
	}
}

static size_t build(struct glk_write_queue *queue, uint8_t packet[GLK_PACKET_ROOM], unsigned *runs)
{
	struct glk_compact_walk walk;

	glk_compact_start(&walk, queue);
	return glk_packetizer_build_compact(&walk, packet, runs);
}

/* Converts a string of bits, first bit first, to bytes; blanks are ignored. */
static size_t pack(const char *bits, uint8_t *bytes)
{
	size_t count = 0;

	for (; *bits; bits++) {
		if (*bits == ' ')
			continue;
		if (count % 8 == 0)
			bytes[count / 8] = 0;
		bytes[count / 8] |= (uint8_t)((*bits - '0') << count % 8);
		count++;
	}
	return (count + 7) / 8;
}

/* Checks the encoding in the header, and the payload: bits, then data. */
static void check_packet(const uint8_t *packet, size_t length, unsigned first_be, unsigned tag, const char *bits,
			 const uint8_t *data, size_t data_bytes)
{
	uint8_t expected[GLK_PAYLOAD_MAX] = { 0 };
	size_t bytes = pack(bits, expected);

	memcpy(expected + bytes, data, data_bytes);
	bytes += data_bytes;
	assert_int_equal(packet[7] & 15, first_be);
	assert_int_equal(packet[6], tag);
	assert_int_equal(length, GLK_PACKET_HEADER_BYTES + (bytes + 3) / 4 * 4);
	assert_memory_equal(packet + GLK_PACKET_HEADER_BYTES, expected, bytes);
}

static void gaps_by_hand(void **state)
{
	/* By address: 8 bytes at 0x1000; 3 at 0x1009; 132 over three lines from 0x1180; 4 at 0x2284. The unit is a byte; the
	 * logarithms of the gaps 1, 372 and 4224 are 0, 8 and 12, of the lengths 3, 132 and 4 they are 1, 7 and 2: orders 6, 3.
	 */
	static const char bits[] = "1 111 "
				   "1 000000  1 010 "
				   "001 11001101  00001 1101000 "
				   "0000001 111111010000  1 110";
	uint8_t packet[GLK_PACKET_ROOM], data[147];
	struct glk_write_queue queue;
	unsigned runs;
	size_t length;

	(void)state;
	memset(data, 1, 8);
	memset(data + 8, 2, 3);
	memset(data + 11, 3, 132);
	memset(data + 143, 4, 4);
	start(&queue, 4096);
	put(&queue, 0x2284, 4, 4);
	put(&queue, 0x1200, 4, 3);
	put(&queue, 0x1180, 128, 3);
	put(&queue, 0x1000, 8, 1);
	put(&queue, 0x1009, 3, 2);
	length = build(&queue, packet, &runs);
	assert_int_equal(runs, 4);
	check_packet(packet, length, 8, 3 << 4 | 6, bits, data, sizeof(data));
}

static void repeats_by_hand(void **state)
{
	/* Runs of 8 bytes. Gaps in units of 8: 1 and 9, then repetitions: three times the other shape, then the last one. */
	static const unsigned at[] = { 0, 16, 96, 112, 192, 208, 224 };
	static const char bits[] = "1 "
				   "00 1 0  1 "
				   "00 001 010  1 "
				   "01 01 01 1";
	uint8_t packet[GLK_PACKET_ROOM], data[56];
	struct glk_write_queue queue;
	unsigned runs;
	size_t length;

	(void)state;
	memset(data, 7, sizeof(data));
	start(&queue, 4096);
	for (unsigned i = 0; i < 7; i++)
		put(&queue, 0x1004 + at[i], 8, 7);
	length = build(&queue, packet, &runs);
	assert_int_equal(runs, 7);
	check_packet(packet, length, 8 | 4 | 3, 1, bits, data, sizeof(data));
}

/* A single run has no bit string. Its address is not a multiple of 4. */
static void single_by_hand(void **state)
{
	uint8_t packet[GLK_PACKET_ROOM], data[126];
	struct glk_accepted accepted;
	struct glk_write_queue queue;
	unsigned runs;
	size_t length;

	(void)state;
	memset(data, 9, sizeof(data));
	start(&queue, 4096);
	put(&queue, 0x1041, 126, 9);
	length = build(&queue, packet, &runs);
	assert_int_equal(runs, 1);
	check_packet(packet, length, 8, 15 | 1 << 6, "", data, sizeof(data));
	assert_int_equal(packet[15], 0x40);
	assert_int_equal(glk_depacketizer_check(packet, length, taker, 1, &accepted), GLK_REFUSED_NOT);
	assert_int_equal(accepted.base, 0x1041);
}

/* Large gaps need more bits than accounted for: two packets, each valid. */
static void two_packets(void **state)
{
	struct glk_compact_walk walk;
	uint8_t packet[GLK_PACKET_ROOM];
	struct glk_write_queue queue;
	unsigned runs;

	(void)state;
	start(&queue, 128);
	for (unsigned i = 0; i < 3; i++)
		put(&queue, (uint64_t)i << 36, 40, 1);
	glk_compact_start(&walk, &queue);
	assert_int_equal(glk_packetizer_build_compact(&walk, packet, &runs), GLK_PACKET_HEADER_BYTES + 92);
	assert_int_equal(runs, 2);
	assert_int_equal(glk_packetizer_build_compact(&walk, packet, &runs), GLK_PACKET_HEADER_BYTES + 40);
	assert_int_equal(runs, 1);
	assert_int_equal(packet[6], 15);
	assert_int_equal(glk_packetizer_build_compact(&walk, packet, &runs), 0);
}

/* Checks a packet with the given header fields and a payload of bits, then `data_bytes` zeros. Returns the refusal. */
static enum glk_refusal check_form(unsigned first_be, unsigned tag, unsigned base_low, const char *bits, size_t data_bytes)
{
	struct glk_accepted accepted;
	uint8_t packet[64] = { GLK_PACKET_FMT_TYPE };
	size_t payload = pack(bits, packet + GLK_PACKET_HEADER_BYTES) + data_bytes, dwords = (payload + 3) / 4;

	packet[3] = (uint8_t)dwords;
	packet[6] = (uint8_t)tag;
	packet[7] = (uint8_t)((15u >> (4 * dwords - payload)) << 4 | first_be);
	packet[15] = (uint8_t)base_low;
	return glk_depacketizer_check(packet, GLK_PACKET_HEADER_BYTES + 4 * dwords, taker, 1, &accepted);
}

#define ZEROS_16 "0000000000000000"

static void refusals(void **state)
{
	(void)state;
	/* Two runs of one byte, two bytes apart; then variants with one error each. */
	assert_int_equal(check_form(8, 0, 0, "1 0101", 2), GLK_REFUSED_NOT);
	assert_int_equal(check_form(8, 0, 0, "1 0101", 3), GLK_REFUSED_TRUNCATED);
	assert_int_equal(check_form(8, 0, 0, "1 0101", 1), GLK_REFUSED_PADDING); /* parsed as one run and padding bits */
	assert_int_equal(check_form(8, 0, 0, "1 010 1 1", 2), GLK_REFUSED_PADDING);
	assert_int_equal(check_form(8, 0, 2, "1 010 1", 2), GLK_REFUSED_BASE);
	assert_int_equal(check_form(1, 0, 0, "1 010 1", 2), GLK_REFUSED_BYTE_ENABLES);
	assert_int_equal(check_form(7, 0, 0, "1 010 1", 2), GLK_REFUSED_BYTE_ENABLES);
	assert_int_equal(check_form(5, 1, 0, "1 010 1", 2), GLK_REFUSED_HEADER);
	/* A single run, and fields that must then be 0. */
	assert_int_equal(check_form(8, 15, 0, "", 3), GLK_REFUSED_NOT);
	assert_int_equal(check_form(8 | 1, 15, 0, "", 3), GLK_REFUSED_HEADER);
	assert_int_equal(check_form(8 | 4, 15, 0, "", 3), GLK_REFUSED_HEADER);
	assert_int_equal(check_form(8, 15 | 1 << 4, 0, "", 3), GLK_REFUSED_HEADER);
	/* Repetitions: a valid one; of the other shape and of the last shape when there is none yet. */
	assert_int_equal(check_form(8 | 4, 0, 0, "1 00 1 1 1", 3), GLK_REFUSED_NOT);
	assert_int_equal(check_form(8 | 4, 0, 0, "1 00 1 1 01 01", 3), GLK_REFUSED_TRUNCATED);
	assert_int_equal(check_form(8 | 4, 0, 0, "1 1", 2), GLK_REFUSED_TRUNCATED);
	/* An unterminated number, one of more than 48 bits, a run of 2^32 + 1 bytes, a gap of 2^48 + 1. */
	assert_int_equal(check_form(8, 0, 0, "00000000 00000000", 20), GLK_REFUSED_TRUNCATED);
	assert_int_equal(check_form(8, 14, 0, "1 " ZEROS_16 ZEROS_16 ZEROS_16 "00 1", 20), GLK_REFUSED_TRUNCATED);
	assert_int_equal(check_form(8, 0, 0, "1 1 " ZEROS_16 ZEROS_16 "1 1" ZEROS_16 "000000000000000", 2),
			 GLK_REFUSED_TRUNCATED);
	assert_int_equal(check_form(8, 14, 0, "1 " ZEROS_16 ZEROS_16 "00 1 00000000000000 1 " ZEROS_16 ZEROS_16 "0 1", 2),
			 GLK_REFUSED_TRUNCATED);
	/* A run past the end of the endpoint's memory. */
	assert_int_equal(check_form(8, 14, 0, "1 0001 00000000000000000 1", 2), GLK_REFUSED_BOUNDS);
}

struct arrived {
	uint64_t bytes;
	bool outside;
};

static void arrive(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct arrived *a = user;
	uint8_t copy[GLK_PAYLOAD_MAX];

	(void)partition;
	a->outside |= length == 0 || length > sizeof(copy) || offset > MEMORY || length > MEMORY - offset;
	if (length <= sizeof(copy))
		memcpy(copy, data, length); /* lets a sanitizer check all bytes */
	a->bytes += length;
}

/* A random address, or steps of one or two lengths while they fit. */
static void random_queue(struct chance *c, struct glk_write_queue *queue)
{
	unsigned unit = 1u << below(c, 4), at = unit * below(c, MEMORY / 2 / unit), steps[2];
	bool anywhere = below(c, 2);

	start(queue, 4096);
	steps[0] = unit * (1 + below(c, 64));
	steps[1] = unit * (1 + below(c, 64));
	for (unsigned i = 1 + below(c, 160); i; i--) {
		unsigned size = anywhere ? 1 + below(c, 64) : unit;
		uint8_t data[GLK_SHORT_LINE_BYTES] = { 0 };
		uint64_t overwritten = 0;

		at = anywhere ? below(c, MEMORY - 64) : at + steps[below(c, 8) ? i % 2 : 0];
		if (at > MEMORY - 64)
			return;
		size = (unsigned)glk_write_queue_piece(queue, at, size);
		if (glk_write_queue_put(queue, at, data, size, 1, &overwritten) != GLK_QUEUE_TAKEN)
			return;
	}
}

/* Mutated packets are refused or write only inside the memory; truncated ones are always refused. */
static void changed_packets(void **state)
{
	const struct glk_destination plain[1] = { { .bytes = MEMORY, .subheader_bytes = 5 } };
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	unsigned accepted_count = 0;

	(void)state;
	printf("# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 20000; round++) {
		struct glk_write_queue queue;
		struct glk_accepted accepted;
		struct arrived arrived = { 0 };
		struct chance c;
		uint8_t packet[GLK_PACKET_ROOM], *exact;
		size_t length;
		unsigned runs;

		chance_start(&c, seed, round);
		random_queue(&c, &queue);
		length = build(&queue, packet, &runs);
		assert_true(length > 0);
		assert_int_equal(glk_depacketizer_check(packet, length, plain, 1, &accepted),
				 runs == 1 ? GLK_REFUSED_NOT : GLK_REFUSED_BYTE_ENABLES); /* cards accept single runs */
		assert_int_equal(glk_depacketizer_check(packet, length, taker, 1, &accepted), GLK_REFUSED_NOT);
		assert_int_equal(glk_depacketizer_apply(&accepted, arrive, &arrived), runs);
		for (unsigned changes = 1 + below(&c, 4); changes; changes--)
			packet[below(&c, 4) ? 7 + below(&c, (unsigned)length - 7) : below(&c, 16)] ^=
				(uint8_t)(1u << below(&c, 8));
		exact = malloc(length); /* lets a sanitizer detect an overrun */
		assert_non_null(exact);
		memcpy(exact, packet, length);
		arrived = (struct arrived){ 0 };
		if (!glk_depacketizer_check(exact, length, taker, 1, &accepted)) {
			glk_depacketizer_apply(&accepted, arrive, &arrived);
			accepted_count++;
		}
		assert_false(arrived.outside);
		free(exact);
	}
	assert_in_range(accepted_count, 1000, 19999);
}

/* Short lines: twice as many, looked up by their own addresses; then long lines again. */
static void short_lines(void **state)
{
	struct glk_write_queue queue;
	uint64_t overwritten = 0;
	const uint8_t data[1] = { 0 };

	(void)state;
	start(&queue, 4096);
	put(&queue, 64 + 63, 1, 1);
	assert_true(glk_write_queue_hits(&queue, 0, 128));
	for (unsigned i = 0; i < 128; i++)
		put(&queue, 64 * i + 63, 1, 1);
	assert_int_equal(glk_write_queue_put(&queue, 128 * 64, data, 1, 1, &overwritten), GLK_FLUSH_ENTRIES_FULL);
	assert_true(glk_write_queue_hits(&queue, 64 * 77 + 63, 1));
	assert_false(glk_write_queue_hits(&queue, 64 * 77, 63));
	assert_true(glk_write_queue_hits(&queue, 64 * 77, 64));
	assert_false(glk_write_queue_hits(&queue, 64 * 128, 1 << 20));
	assert_true(glk_write_queue_hits(&queue, 64 * 127 + 63, 1 << 20));
	glk_write_queue_clear(&queue);
	glk_write_queue_configure(&queue, 5, 4096);
	assert_int_equal(glk_write_queue_piece(&queue, 128, 500), 128);
	for (unsigned i = 0; i < 64; i++)
		put(&queue, 128 * i, 1, 1);
	assert_int_equal(glk_write_queue_put(&queue, 128 * 64, data, 1, 1, &overwritten), GLK_FLUSH_ENTRIES_FULL);
}

/* The reader rejects a run at once if its data exceed the payload, and reads no bits past the payload. */
static void what_is_not_there(void **state)
{
	const struct glk_compact_coding short_gaps = { .length_order = 3 }, long_gaps = { .gap_order = 14 };
	const uint8_t eight[8] = { 0xf }; /* 8 bytes, in 4 bits */
	struct glk_compact_reader reader;
	struct glk_compact_run run;
	uint8_t *three = malloc(3); /* lets a sanitizer detect an overrun */

	(void)state;
	glk_compact_open(&reader, &short_gaps, eight, sizeof(eight));
	assert_false(glk_compact_next(&reader, &run));

	assert_non_null(three);
	assert_int_equal(pack("1 " ZEROS_16 "0000 1", three), 3);
	glk_compact_open(&reader, &long_gaps, three, 3);
	assert_true(glk_compact_next(&reader, &run));
	assert_false(glk_compact_next(&reader, &run)); /* a gap of 34 bits */
	free(three);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_by_hand),
		cmocka_unit_test(repeats_by_hand),
		cmocka_unit_test(single_by_hand),
		cmocka_unit_test(two_packets),
		cmocka_unit_test(refusals),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(changed_packets),
		cmocka_unit_test(short_lines),
	};

	return cmocka_run_group_tests_name("compact form", tests, NULL, NULL);
}
