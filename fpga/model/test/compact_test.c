// SPDX-License-Identifier: Apache-2.0
/* The compact form: its bytes by hand, and what a receiver does with bytes that nobody sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <chance.h>

#include "compact.h"
#include "depacketizer.h"

enum { MEMORY = 1 << 16 };

static size_t build(struct glk_write_queue *queue, uint8_t packet[GLK_PACKET_ROOM], unsigned *runs)
{
	struct glk_compact_walk walk;

	glk_compact_start(&walk, queue);
	return glk_packetizer_build_compact(&walk, packet, runs);
}

static void put(struct glk_write_queue *queue, uint64_t address, uint32_t size, uint8_t value)
{
	uint8_t data[GLK_LINE_BYTES];
	uint64_t overwritten = 0;

	memset(data, value, sizeof(data));
	assert_int_equal(glk_write_queue_put(queue, address, data, size, &overwritten), GLK_QUEUE_TAKEN);
}

static void bytes_by_hand(void **state)
{
	/* In the order of addresses: 8 bytes at 0x1000; 3 at 0x1009; 128 + 4 over two lines from 0x1180; 4 at 0x2284. */
	static const uint8_t expected[] = {
		0x01, 1, 1, 1, 1, 1, 1, 1, 1,	/* gap 0, code 1 */
		0x17, 0x02, 2, 2, 2,		/* gap 1 byte, 3 bytes */
	};
	uint8_t packet[GLK_PACKET_ROOM], *payload = packet + GLK_PACKET_HEADER_BYTES;
	struct glk_write_queue queue;
	unsigned runs;
	size_t length;

	(void)state;
	glk_write_queue_init(&queue, 64);
	glk_write_queue_configure(&queue, 6, 4096);
	put(&queue, 0x2284, 4, 4);
	put(&queue, 0x1200, 4, 3);
	put(&queue, 0x1180, 128, 3);
	put(&queue, 0x1000, 8, 1);
	put(&queue, 0x1009, 3, 2);
	length = build(&queue, packet, &runs);
	assert_int_equal(runs, 4);
	assert_int_equal(packet[7] & 15, GLK_COMPACT_FIRST_BE);
	assert_memory_equal(payload, expected, 14);
	/* 0x100c to 0x1180 are 0x174 = 93 DWs; 132 bytes are 33: code 6, gap 93 = 13 + 5 * 16, then 32. */
	assert_int_equal(payload[14], 0xd << 4 | 8 | 6);
	assert_int_equal(payload[15], 5);
	assert_int_equal(payload[16], 32);
	assert_int_equal(payload[17], 3);
	/* 0x1204 to 0x2284 are 0x1080 = 1056 DWs = 0 + 66 * 16; code 0. */
	assert_int_equal(payload[17 + 132], 0 << 4 | 8 | 0);
	assert_int_equal(payload[18 + 132], 66);
	assert_int_equal(length, GLK_PACKET_HEADER_BYTES + (19 + 132 + 4 + 3) / 4 * 4);
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
		memcpy(copy, data, length); /* reads them all, for sanitizers */
	a->bytes += length;
}

static void random_queue(struct chance *c, struct glk_write_queue *queue)
{
	glk_write_queue_init(queue, 64);
	glk_write_queue_configure(queue, 6, 4096);
	for (unsigned i = 1 + below(c, 80); i; i--) {
		unsigned at = below(c, MEMORY - 128), size = 1 + below(c, 128 - at % 128);
		uint8_t data[128] = { 0 };
		uint64_t overwritten = 0;

		if (glk_write_queue_put(queue, at, data, size, &overwritten) != GLK_QUEUE_TAKEN)
			return;
	}
}

/* Copies with bytes changed, cut or added are refused, or write inside the memory; and a cut is always seen. */
static void changed_packets(void **state)
{
	const struct glk_destination destinations[1] = { { .bytes = MEMORY, .subheader_bytes = 5, .compact = true } };
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
		assert_int_equal(glk_depacketizer_check(packet, length, plain, 1, &accepted), GLK_REFUSED_BYTE_ENABLES);
		assert_int_equal(glk_depacketizer_check(packet, length, destinations, 1, &accepted), GLK_REFUSED_NOT);
		assert_int_equal(glk_depacketizer_apply(&accepted, arrive, &arrived), runs);
		for (unsigned changes = 1 + below(&c, 4); changes; changes--)
			packet[below(&c, 4) ? 7 + below(&c, (unsigned)length - 7) : below(&c, 16)] ^= (uint8_t)(1u << below(&c, 8));
		exact = malloc(length); /* so that a sanitizer sees a byte too many */
		assert_non_null(exact);
		memcpy(exact, packet, length);
		arrived = (struct arrived){ 0 };
		if (!glk_depacketizer_check(exact, length, destinations, 1, &accepted)) {
			glk_depacketizer_apply(&accepted, arrive, &arrived);
			accepted_count++;
		}
		assert_false(arrived.outside);
		free(exact);
	}
	assert_in_range(accepted_count, 1000, 19999);
}

/* A number that does not end is refused, not read on. */
static void endless_numbers(void **state)
{
	uint8_t payload[32];
	struct glk_compact_run run;
	size_t at = 0;

	(void)state;
	memset(payload, 0xff, sizeof(payload));
	assert_false(glk_compact_next(payload, sizeof(payload), &at, 0, &run));
	at = 0;
	assert_false(glk_compact_next(payload, 1, &at, 0, &run));
	at = 0;
	assert_false(glk_compact_next(payload, 0, &at, 0, &run));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_by_hand),
		cmocka_unit_test(changed_packets),
		cmocka_unit_test(endless_numbers),
	};

	return cmocka_run_group_tests_name("compact form", tests, NULL, NULL);
}
