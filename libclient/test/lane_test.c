// SPDX-License-Identifier: Apache-2.0
/*
 * Lanes: stores at random of all sizes leave the memory that direct stores leave, and their packets are what a card's
 * de-packetizer accepts and applies to the same effect.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <chance.h>
#include <finepack/depacketizer.h>
#include <gpulink_regs.h>

#include "../lane/lane.h"
#include "../lane/packet.h"

enum { PARTITION = 3, PAGE = 4096, BORDER = 1 << 30 };

struct bench {
	struct glk_lane *lane;
	struct gpulink_lane door;
	uint64_t bytes, packets, stores;
	uint8_t *direct, *lanes, *packed,
		*received; /* memory: by direct stores, the lane, its packets and the model, and by them alone */
};

static void write_plain(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct bench *b = user;

	assert_int_equal(partition, PARTITION);
	assert_true(offset + length <= b->bytes);
	memcpy(b->packed + offset, data, length);
}

static struct gpulink_counters counters(const struct bench *b)
{
	struct gpulink_counters c = { 0 };

	glk_lane_count(b->lane, &c);
	return c;
}

/* A packet that left: the model applies it, and the library as one of a stranger. */
static void take(void *user, const uint8_t *packet, size_t bytes)
{
	struct glk_destination to[PARTITION + 1] = { 0 };
	uint8_t copy[GLK_PACKET_MAX + GLK_PACKET_SLACK] = { 0 };
	struct glk_accepted accepted;
	struct bench *b = user;

	b->packets++;
	to[PARTITION] = (struct glk_destination){ .bytes = b->bytes, .subheader_bytes = 2 };
	assert_int_equal(glk_depacketizer_check(packet, bytes, to, PARTITION + 1, &accepted), GLK_REFUSED_NOT);
	glk_depacketizer_apply(&accepted, write_plain, b);
	memcpy(copy, packet, bytes);
	assert_true(glk_packet_receive(copy, bytes, PARTITION, b->received, b->bytes) > 0);
}

static uint8_t *map(uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

static void start_width(struct bench *b, uint64_t bytes, unsigned payload, unsigned width)
{
	*b = (struct bench){
		.bytes = bytes, .direct = map(bytes), .lanes = map(bytes), .packed = map(bytes), .received = map(bytes)
	};
	b->lane = glk_lane_new(&(struct glk_lane_shape){
		.partition = PARTITION, .width = width, .payload = payload, .memory = b->lanes, .send = take, .to = b,
	});
	assert_non_null(b->lane);
	b->door = glk_lane_door(b->lane, 0, bytes);
}

static void start(struct bench *b, uint64_t bytes, unsigned payload)
{
	start_width(b, bytes, payload, 5);
}

static void end(struct bench *b)
{
	glk_lane_free(b->lane);
	munmap(b->direct, b->bytes);
	munmap(b->lanes, b->bytes);
	munmap(b->packed, b->bytes);
	munmap(b->received, b->bytes);
}

static void store(struct bench *b, uint64_t at, const void *data, size_t bytes)
{
	memcpy(b->direct + at, data, bytes);
	assert_int_equal(gpulink_lane_store(&b->door, at, data, bytes), 0);
	b->stores++;
}

static void compare(struct bench *b, uint64_t from, uint64_t bytes, unsigned round)
{
	glk_lane_flush(b->lane, GLK_FLUSH_RELEASE);
	if (memcmp(b->direct + from, b->lanes + from, bytes) || memcmp(b->direct + from, b->packed + from, bytes) ||
	    memcmp(b->direct + from, b->received + from, bytes))
		fail_msg("round %u: memory differs", round);
}

static void by_chance(void **state)
{
	static const unsigned payloads[] = { 128, 256, 512, 1024, 4096 }, spans[] = { 64, 512, 8192, 65536 };
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1, overwritten = 0, full = 0, missed = 0;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (unsigned round = 0; round < 60; round++) {
		struct gpulink_counters c;
		struct chance dice;
		uint64_t low, span, bytes = 0;
		unsigned width, kinds;
		struct bench b;

		chance_start(&dice, seed, round);
		width = 5 + below(&dice, 2);
		start_width(&b, (uint64_t)BORDER + 65536, payloads[below(&dice, 5)], width);
		span = spans[below(&dice, 4)];
		kinds = below(&dice, 3) ? 12 : 1; /* 1: many packets have words of 8 bytes alone */
		low = below(&dice, 2) ? BORDER - span / 2 : 0; /* over the border of two address windows, or not */
		for (unsigned i = 0; i < 5000; i++) {
			static const size_t usual[] = { 8, 8, 8, 4, 4, 1, 2, 3, 12, 16, 24, 31 };
			size_t n = usual[below(&dice, kinds)];
			uint64_t at = low + below(&dice, (unsigned)(span - n + 1)),
				 data[4] = { draw(&dice), draw(&dice), draw(&dice), draw(&dice) };

			if (below(&dice, 4))
				at -= at % 8 < n ? at % 8 : 0;
			at = at < low ? low : at;
			store(&b, at, data, n);
			bytes += n;
			if (below(&dice, 500) == 0)
				compare(&b, low, span, round);
		}
		compare(&b, low, span, round);
		c = counters(&b);
		assert_true(c.stores == b.stores && c.store_bytes == bytes);
		assert_true(c.payload_bytes - width * c.sub_packets + c.overwritten_bytes == bytes);
		assert_true(c.packets == c.flush_payload_full + c.flush_window_miss + c.flush_release);
		overwritten += c.overwritten_bytes;
		full += c.flush_payload_full;
		missed += c.flush_window_miss;
		end(&b);
	}
	assert_true(overwritten && full && missed);
}

/* Any length in one call. */
static void lengths(void **state)
{
	uint8_t data[PAGE];
	struct bench b;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 256);
	start(&b, 1 << 20, 4096);
	for (size_t n = 1; n <= PAGE; n += n < 200 ? 1 : 97) {
		uint64_t at = (n * 131) % 60000;

		store(&b, at, data, n);
	}
	compare(&b, 0, 1 << 16, 0);
	assert_int_equal(gpulink_lane_store(&b.door, 0, data, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_lane_store(&b.door, 0, data, 4097), -GPULINK_EINVAL);
	assert_int_equal(gpulink_lane_store(&b.door, 0, NULL, 500), -GPULINK_EINVAL);
	assert_int_equal(gpulink_lane_store(&b.door, (1 << 20) - 7, data, 8), -GPULINK_ERANGE);
	assert_int_equal(gpulink_lane_store(&b.door, UINT64_MAX - 3, data, 8), -GPULINK_ERANGE);
	end(&b);
}

static void borders(void **state)
{
	uint8_t data[100];
	struct bench b;

	(void)state;
	memset(data, 0x5a, sizeof(data));
	for (unsigned looks = 0; looks < 2; looks++) {
		start(&b, (uint64_t)BORDER + PAGE, 4096);
		store(&b, 8, data, 8);
		b.door.packet->looks = (uint16_t)looks;
		store(&b, BORDER - 20, data, sizeof(data)); /* the first window's, and the next */
		compare(&b, BORDER - PAGE, 2 * PAGE, looks);
		assert_int_equal(b.packets, 2);
		end(&b);
	}
}

/* Runs that begin anywhere before the window's border end there, whether the run before has grown or not. */
static void runs_at_border(void **state)
{
	struct bench b;

	(void)state;
	start(&b, (uint64_t)BORDER + PAGE, 4096);
	for (unsigned kind = 0; kind < 4; kind++)
		for (uint64_t from = 8; from < 1300; from += 8) {
			b.door.packet->looks = kind & 1;
			for (uint64_t i = 0; i < 1 + kind / 2; i++)
				store(&b, 8 + 8 * i, &i, 8);
			for (uint64_t at = BORDER - from; at < BORDER + 16; at += 8)
				store(&b, at, &at, 8);
			compare(&b, BORDER - PAGE, 2 * PAGE, kind);
		}
	end(&b);
}

/* Runs end before their length does not fit its field. */
static void sequential(void **state)
{
	struct bench b;

	(void)state;
	for (unsigned looks = 0; looks < 2; looks++) {
		start(&b, 1 << 20, 4096);
		for (uint64_t i = 0; i < 8192; i++) {
			b.door.packet->looks = (uint16_t)looks;
			store(&b, 8 * i, &i, 8);
		}
		compare(&b, 0, 1 << 16, looks);
		assert_in_range(counters(&b).sub_packets, 64, 90);
		end(&b);
	}
}

/* What a packet had of a word is not taken for what another has, however many packets lie between. */
static void stamps(void **state)
{
	uint64_t value = 1;
	struct bench b;

	(void)state;
	start(&b, 1 << 20, 4096);
	store(&b, 0, &value, 8);
	for (unsigned i = 0; i < (1u << 14) - 1; i++) {
		glk_lane_flush(b.lane, GLK_FLUSH_RELEASE);
		store(&b, 8, &value, 8);
		store(&b, 8, &value, 8);
	}
	glk_lane_flush(b.lane, GLK_FLUSH_RELEASE);
	assert_true(b.door.packet->looks);
	value = 2;
	store(&b, 16, &value, 8);
	store(&b, 0, &value, 8);
	compare(&b, 0, PAGE, 0);
	end(&b);
}

/* The queue is looked at where stores hit, and not where they do not; both ways round. */
static void adapts(void **state)
{
	struct gpulink_counters before, after;
	struct bench b;

	(void)state;
	start(&b, 64 << 20, 4096);
	for (uint64_t i = 0; i < 100000; i++)
		store(&b, (i * 4099 * 8) % (64 << 20), &i, 8);
	assert_false(b.door.packet->looks);
	before = counters(&b);
	for (uint64_t i = 0; i < 100000; i++)
		store(&b, i % 16 * 64, &i, 8);
	assert_true(b.door.packet->looks);
	glk_lane_flush(b.lane, GLK_FLUSH_RELEASE);
	after = counters(&b);
	assert_true(after.packets - before.packets < 100);
	assert_true(after.overwritten_bytes - before.overwritten_bytes > 700000);
	compare(&b, 0, 64 << 20, 0);
	end(&b);
}

/* Behind a fence a store neither overwrites nor joins what the packet has: who sees it sees what was stored before. */
static void fences(void **state)
{
	uint64_t values[] = { 1, 2, 3, 4 };
	struct gpulink_counters c;
	struct bench b;

	(void)state;
	for (unsigned looks = 0; looks < 2; looks++) {
		start(&b, 4096, 512);
		b.door.packet->looks = (uint16_t)looks;
		glk_lane_store(b.lane, 64, &values[0], 8); /* the flag's last value */
		glk_lane_store(b.lane, 256, &values[1], 8);
		glk_lane_fence(b.lane);
		glk_lane_store(b.lane, 64, &values[2], 8);
		glk_lane_fence(b.lane);
		glk_lane_store(b.lane, 72, &values[3], 8);
		glk_lane_flush(b.lane, GLK_FLUSH_RELEASE);
		c = counters(&b);
		assert_int_equal(c.packets, 1);
		assert_int_equal(c.sub_packets, 4);
		assert_int_equal(c.overwritten_bytes, 0);
		assert_memory_equal(b.lanes + 64, &values[2], 16);
		assert_memory_equal(b.lanes + 256, &values[1], 8);
		end(&b);
	}
}

/* A packet of another is checked before any of it is written. */
static void strangers(void **state)
{
	uint8_t packet[GLK_PACKET_MAX + GLK_PACKET_SLACK + 8] = { 0 }, *payload = packet + GLK_PACKET_HEADER,
							   memory[64] = { 0 };
	uint64_t header = UINT64_C(8) << 10 | 8;
	size_t bytes;

	(void)state;
	memcpy(payload, &header, 5);
	memset(payload + 5, 0xaa, 8);
	bytes = GLK_PACKET_HEADER + glk_packet_finish(packet, 13, PARTITION, 5, 0);
	assert_int_equal(glk_packet_receive(packet, bytes, PARTITION, memory, 64), 1);
	assert_int_equal(memory[8], 0xaa);
	memset(memory, 0, sizeof(memory));
	assert_int_equal(glk_packet_receive(packet, bytes, PARTITION + 1, memory, 64), -1);
	assert_int_equal(glk_packet_receive(packet, bytes, PARTITION, memory, 15), -1);
	for (size_t n = 0; n < 4200; n++)
		if (n != bytes)
			assert_int_equal(glk_packet_receive(packet, n < sizeof(packet) ? n : 4200, PARTITION, memory, 64), -1);
	for (unsigned bit = 0; bit < 8 * GLK_PACKET_HEADER; bit++) { /* each bit of the header says something, and one is 0 */
		packet[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(glk_packet_receive(packet, bytes, PARTITION, memory, 64), -1);
		packet[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t n = 1; n < 13; n++) { /* cut anywhere */
		bytes = GLK_PACKET_HEADER + glk_packet_finish(packet, n, PARTITION, 5, 0);
		assert_int_equal(glk_packet_receive(packet, bytes, PARTITION, memory, 64), -1);
		memcpy(payload, &header, 5);
		memset(payload + 5, 0xaa, 8);
	}
	packet[bytes - 1] = 1; /* padding */
	header = UINT64_C(57) << 10 | 8; /* a second one, beyond the memory: the first is not written either */
	memcpy(payload + 13, &header, 5);
	bytes = GLK_PACKET_HEADER + glk_packet_finish(packet, 26, PARTITION, 5, 0);
	assert_int_equal(glk_packet_receive(packet, bytes, PARTITION, memory, 64), -1);
	for (size_t i = 0; i < sizeof(memory); i++)
		assert_int_equal(memory[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_chance),	  cmocka_unit_test(lengths),	cmocka_unit_test(borders),
		cmocka_unit_test(runs_at_border), cmocka_unit_test(sequential), cmocka_unit_test(stamps),
		cmocka_unit_test(adapts),	  cmocka_unit_test(fences),	cmocka_unit_test(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
