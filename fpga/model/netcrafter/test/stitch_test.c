// SPDX-License-Identifier: Apache-2.0
/* Flits, cluster queue and un-stitching, beyond the test vectors: sizes, refusals, waiting times, invalid input. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <chance.h>

#include "netcrafter/cluster_queue.h"
#include "netcrafter/unstitch.h"

static const struct glk_cluster_queue_config all_on = { .entries = 1024, .flit_bytes = 16, .stitching = true, .pooling = true,
							.selective = true, .sequencing = true, .pool_cycles = 32, .burst = 8 };

static size_t make_packet(enum glk_kind kind, unsigned status, uint8_t packet[GLK_LINK_PACKET_BYTES_MAX])
{
	const struct glk_link_header header = { .kind = kind, .partition = (uint8_t)status, .tag = 0x1234 };

	memset(packet, 0xa5, GLK_LINK_PACKET_BYTES_MAX);
	if (kind == GLK_KIND_FINEPACK)
		memcpy(packet, "\x7c\0\0\x01", 4);
	else
		glk_link_header_put(packet, &header);
	return glk_link_packet_bytes(kind, packet);
}

static struct glk_cluster_queue *new_queue(const struct glk_cluster_queue_config *config)
{
	struct glk_cluster_queue *queue;

	assert_int_equal(glk_cluster_queue_create(config, &queue), 0);
	return queue;
}

static void push(struct glk_cluster_queue *queue, uint64_t now, enum glk_kind kind, unsigned status)
{
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
	size_t length = make_packet(kind, status, packet);

	assert_int_equal(glk_cluster_queue_push(queue, now, kind, packet, length), 0);
}

/* ---- Sizes ---- */

/* NetCrafter's Table 1: bytes required, occupied, padded; flits of 16 bytes. */
static void table_1(void **state)
{
	static const struct {
		enum glk_kind kind;
		unsigned required, occupied, padded;
	} rows[] = {
		{ GLK_KIND_READ_REQUEST, 12, 16, 4 },	      { GLK_KIND_WRITE_REQUEST, 76, 80, 4 },
		{ GLK_KIND_TRANSLATION_REQUEST, 12, 16, 4 },  { GLK_KIND_READ_RESPONSE, 68, 80, 12 },
		{ GLK_KIND_WRITE_RESPONSE, 4, 16, 12 },	      { GLK_KIND_TRANSLATION_RESPONSE, 12, 16, 4 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct glk_cluster_queue *queue =
			new_queue(&(struct glk_cluster_queue_config){ .entries = 16, .flit_bytes = 16, .burst = 1 });
		unsigned credits[GLK_CLASS_COUNT] = { 5, 5, 5 }, occupied = 0, zeros = 0;
		struct glk_flit flit;

		push(queue, 0, rows[i].kind, 0);
		assert_int_equal(glk_cluster_queue_counters(queue)->bytes_in[rows[i].kind], rows[i].required);
		for (uint64_t now = 0; glk_cluster_queue_fill(queue); now++)
			if (glk_cluster_queue_clock(queue, now, true, credits, &flit)) {
				assert_int_equal(flit.type, rows[i].kind);
				occupied += 16;
			}
		for (unsigned at = 16; at > 0 && !flit.bytes[at - 1]; at--)
			zeros++;
		assert_int_equal(occupied, rows[i].occupied);
		assert_int_equal(zeros, rows[i].padded);
		glk_cluster_queue_destroy(queue);
	}
}

static void headers(void **state)
{
	uint8_t bytes[4], again[4];
	struct glk_link_header header;

	(void)state;
	for (unsigned low = 0; low < 0x10000; low++) {
		unsigned kind = low & 31;

		bytes[0] = (uint8_t)low;
		bytes[1] = (uint8_t)(low >> 8);
		bytes[2] = (uint8_t)(low * 3);
		bytes[3] = (uint8_t)(low * 7 >> 8);
		if (!glk_link_header_get(bytes, &header)) {
			assert_true(kind == 0 || kind == GLK_KIND_FINEPACK || kind >= GLK_KIND_ALL);
			continue;
		}
		assert_in_range(kind, 1, GLK_KIND_ALL - 1);
		assert_int_equal(header.kind, kind);
		assert_int_equal(header.number, low >> 5 & 127);
		assert_int_equal(header.partition, low >> 12);
		glk_link_header_put(again, &header);
		assert_memory_equal(again, bytes, 4);
	}
}

static void lengths(void **state)
{
	static const uint16_t least[GLK_KIND_ALL] = { 0, 12, 4, 76, 4, 12, 12, 20, 12, 4, 28, 12, 28, 4, 84, 4 };
	static const uint16_t most[GLK_KIND_ALL] = { 0, 12, 68, 76, 4, 12, 12, 4112, 12, 4, 28, 12, 28, 84, 84, 28 };
	static const uint16_t others[] = { 8, 12, 20, 36 };

	(void)state;
	for (unsigned kind = 0; kind <= GLK_KIND_ALL; kind++)
		for (size_t length = 0; length < 4200; length++) {
			bool expected = kind && kind < GLK_KIND_ALL && (length == least[kind] || length == most[kind]);

			for (unsigned i = 0; kind == GLK_KIND_READ_RESPONSE && i < 4; i++)
				expected = expected || length == others[i];
			if (kind == GLK_KIND_FINEPACK)
				expected = length >= 20 && length <= 4112 && length % 4 == 0;
			expected |= kind == GLK_KIND_LEASE_RESPONSE && length == 20;
			assert_int_equal(glk_kind_length_valid((enum glk_kind)kind, length), expected);
		}
	for (unsigned kind = 0; kind < GLK_KIND_ALL; kind++)
		assert_int_equal(glk_kind_length_most((enum glk_kind)kind), most[kind]);
	assert_int_equal(glk_kind_length_most(GLK_KIND_ALL), 0);
}

/* ---- Refusals ---- */

static void settings(void **state)
{
	struct glk_cluster_queue_config config = all_on;
	struct glk_cluster_queue *queue, *none = NULL;
	struct glk_unstitch *unstitch = NULL;

	(void)state;
	for (unsigned wrong = 0; wrong < 8; wrong++) {
		config = all_on;
		config.entries = wrong == 0 ? 15 : wrong == 1 ? 4097 : 1024;
		config.flit_bytes = wrong == 2 ? 0 : wrong == 3 ? 32 : wrong == 4 ? 12 : 16;
		config.pool_cycles = wrong == 5 ? GLK_POOL_CYCLES_MAX + 1 : GLK_POOL_CYCLES_MAX;
		config.burst = wrong == 6 ? 0 : wrong == 7 ? 256 : 255;
		assert_int_equal(glk_cluster_queue_create(&config, &none), -EINVAL);
	}
	queue = new_queue(&all_on);
	config.burst = 0;
	assert_int_equal(glk_cluster_queue_set(queue, &config), -EINVAL);
	config.burst = 1;
	config.pool_cycles = GLK_POOL_CYCLES_MAX + 1;
	assert_int_equal(glk_cluster_queue_set(queue, &config), -EINVAL);
	glk_cluster_queue_destroy(queue);
	assert_int_equal(glk_unstitch_create(4, NULL, NULL, &unstitch), -EINVAL);
	assert_null(unstitch);
	assert_null(none);
}

/* Invalid packets and packets without room do not change the queue. */
static void packets_refused(void **state)
{
	struct glk_cluster_queue_config config = all_on;
	struct glk_cluster_queue *queue;
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
	size_t length = make_packet(GLK_KIND_READ_REQUEST, 0, packet);

	(void)state;
	config.entries = 16;
	queue = new_queue(&config);
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_NONE, packet, length), -EINVAL);
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_ALL, packet, length), -EINVAL);
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_READ_REQUEST, packet, 8), -EINVAL);
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_ATOMIC_RESPONSE, packet, length), -EINVAL);
	make_packet(GLK_KIND_READ_RESPONSE, GLK_LINK_TRIMMED | 2, packet);
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_READ_RESPONSE, packet, 68), -EINVAL);
	packet[1] = 0x30; /* invalid status */
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_READ_RESPONSE, packet, 4), -EINVAL);
	memcpy(packet, "\x7c\0\0\x3d", 4); /* 16 flits and 4 bytes: never fits */
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_FINEPACK, packet, 16 + 4 * 0x3d), -EINVAL);
	assert_int_equal(glk_cluster_queue_fill(queue), 0);
	packet[3] = 0x3c;
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_FINEPACK, packet, 16 + 4 * 0x3c), 0);
	make_packet(GLK_KIND_RELEASED, 0, packet);
	assert_int_equal(glk_cluster_queue_push(queue, 0, GLK_KIND_RELEASED, packet, 4), -EAGAIN);
	assert_int_equal(glk_cluster_queue_fill(queue), 16);
	assert_int_equal(glk_cluster_queue_counters(queue)->refused, 1);
	glk_cluster_queue_destroy(queue);
}

/* ---- Waiting ---- */

static const enum glk_kind critical[] = { GLK_KIND_TRANSLATION_REQUEST, GLK_KIND_TRANSLATION_RESPONSE, GLK_KIND_RELEASE,
					  GLK_KIND_RELEASED };

/* All kinds always have flits. Without stitching each clock sends a flit, so the turns are exact. */
static void turns(void **state)
{
	(void)state;
	for (unsigned burst = 0; burst < 6; burst++) { /* 0: without sequencing */
		struct glk_cluster_queue_config config = {
			.entries = 4096, .flit_bytes = 16, .sequencing = burst, .burst = burst ? burst : 1
		};
		struct glk_cluster_queue *queue = new_queue(&config);
		unsigned credits[GLK_CLASS_COUNT] = { 9999, 9999, 9999 }, kinds = GLK_KIND_ALL - 1;
		uint64_t last[GLK_KIND_ALL], now = 0;
		struct glk_flit flit;

		for (unsigned i = 0; i < 16; i++)
			for (unsigned kind = 1; kind < GLK_KIND_ALL; kind++)
				push(queue, 0, (enum glk_kind)kind, 0);
		while (now < 400)
			assert_false(glk_cluster_queue_clock(queue, now++, false, credits, &flit));
		for (unsigned kind = 0; kind < GLK_KIND_ALL; kind++)
			last[kind] = now;
		for (uint64_t end = now + 60; now < end; now++) {
			unsigned kind, bound;

			assert_true(glk_cluster_queue_clock(queue, now, true, credits, &flit));
			kind = flit.type;
			/* Of burst + 1 turns 4 kinds share `burst`, 7 kinds share the remaining one. */
			bound = !burst ? kinds : glk_kind_critical(flit.type) ? 5 + 4 / burst : (kinds - 4) * (burst + 1);
			assert_in_range(now - last[kind], 0, bound);
			last[kind] = now;
		}
		for (unsigned kind = 1; burst < 4 && kind < GLK_KIND_ALL; kind++)
			assert_int_not_equal(last[kind], 400);
		glk_cluster_queue_destroy(queue);
	}
}

/* Selective pooling sends latency-critical flits at once; without it they are pooled like others. */
static void critical_is_not_pooled(void **state)
{
	(void)state;
	for (unsigned selective = 0; selective < 2; selective++) {
		struct glk_cluster_queue_config config = all_on;
		struct glk_cluster_queue *queue;
		unsigned credits[GLK_CLASS_COUNT] = { 0, 99999, 99999 };
		struct glk_flit flit;
		struct chance c;
		uint64_t longest = 0;

		config.selective = selective;
		queue = new_queue(&config);
		chance_start(&c, 1, selective);
		for (uint64_t now = 0, pushed = 0; now < 20000; now++) {
			if (!glk_cluster_queue_fill(queue) && below(&c, 4) == 0) {
				pushed = now;
				push(queue, now, critical[below(&c, 4)], 0);
			}
			if (glk_cluster_queue_clock(queue, now, true, credits, &flit) && now - pushed > longest)
				longest = now - pushed;
		}
		assert_int_equal(longest, selective ? 2 : 35);
		assert_int_equal(glk_cluster_queue_counters(queue)->pooled == 0, selective);
		glk_cluster_queue_destroy(queue);
	}
}

/* ---- The receiver's room ---- */

struct receiver {
	struct glk_unstitch *unstitch;
	unsigned credits[GLK_CLASS_COUNT];
	unsigned arrived[GLK_KIND_ALL];
};

static void take(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct receiver *r = user;

	assert_int_equal(glk_link_packet_bytes(kind, packet), length);
	r->credits[glk_kind_class(kind)] += pieces;
	r->arrived[kind]++;
}

static void clock_to(struct receiver *r, struct glk_cluster_queue *queue, uint64_t now, bool ready)
{
	struct glk_flit flit;

	if (glk_cluster_queue_clock(queue, now, ready, r->credits, &flit))
		assert_int_equal(glk_unstitch_flit(r->unstitch, &flit), 0);
}

/*
 * The maximum number of early tails of read responses, then all but the last flit of one packet: 131 pieces that the receiver
 * must hold. With room for 132 the traffic continues; with one less it stops.
 */
static void tails_fill_the_room(void **state)
{
	(void)state;
	for (unsigned room = 131; room <= 132; room++) {
		struct receiver r = { .credits = { 0, 0, room } };
		struct glk_cluster_queue_config config = all_on;
		struct glk_cluster_queue *queue;
		uint64_t now = 0;

		config.pooling = false;
		config.burst = 255;
		queue = new_queue(&config);
		assert_int_equal(glk_unstitch_create(16, take, &r, &r.unstitch), 0);
		glk_unstitch_define(r.unstitch, GLK_KIND_ALL);
		push(queue, now, GLK_KIND_RELEASED, 0);
		for (unsigned i = 0; i < 140; i++)
			push(queue, now, GLK_KIND_READ_RESPONSE, 0);
		while (now < 720)
			clock_to(&r, queue, now++, false);
		for (unsigned i = 0; i < 63; i++) { /* each "released" carries two tails */
			push(queue, now, GLK_KIND_RELEASED, 0);
			clock_to(&r, queue, now++, false);
			clock_to(&r, queue, now++, true);
			clock_to(&r, queue, now++, false);
			clock_to(&r, queue, now++, false);
		}
		assert_int_equal(glk_cluster_queue_counters(queue)->partial, 128);
		for (uint64_t end = now + 2000; now < end; now++)
			clock_to(&r, queue, now, true);
		assert_int_equal(glk_cluster_queue_fill(queue) == 0, room == 132);
		assert_int_equal(r.arrived[GLK_KIND_READ_RESPONSE], room == 132 ? 140 : 0);
		glk_unstitch_destroy(r.unstitch);
		glk_cluster_queue_destroy(queue);
	}
}

/* ---- Bad input ---- */

static uint64_t seed(void)
{
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	printf("# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* The link layer has 5 bits for the type; larger types are invalid. */
static void types(void **state)
{
	struct receiver r = { .credits = { 0 } };

	(void)state;
	assert_int_equal(glk_unstitch_create(16, take, &r, &r.unstitch), 0);
	glk_unstitch_define(r.unstitch, GLK_KIND_ALL);
	for (unsigned bit = 5; bit < 8; bit++) {
		struct glk_flit flit = { .bytes = { GLK_KIND_RELEASED }, .type = (uint8_t)(GLK_KIND_RELEASED | 1u << bit) };

		assert_int_equal(glk_unstitch_flit(r.unstitch, &flit), -EBADMSG);
		flit.type = GLK_KIND_RELEASED;
		assert_int_equal(glk_unstitch_flit(r.unstitch, &flit), 0);
		glk_unstitch_reset(r.unstitch);
	}
	glk_unstitch_destroy(r.unstitch);
}

/* Kinds of version 2 are undefined in version 1: in the type, in a whole packet, in a tail. */
static void versions(void **state)
{
	static const struct glk_flit flits[] = {
		{ { GLK_KIND_TIMED_RESPONSE, GLK_LINK_REFUSED << 4 }, GLK_KIND_TIMED_RESPONSE },
		{ { GLK_KIND_RELEASED, 0, 0, 0, GLK_KIND_LEASE_RESPONSE, GLK_LEASE_TIME << 4 },
		  GLK_KIND_RELEASED | GLK_FLIT_STITCHED },
		{ { GLK_KIND_RELEASED, 0, 0, 0, (16 + GLK_KIND_LEASE_RESPONSE) | 3 << 5 },
		  GLK_KIND_RELEASED | GLK_FLIT_STITCHED },
		{ { GLK_KIND_RELEASED, 0, 0, 0, (16 + GLK_KIND_TIMED_REQUEST) | 3 << 5 },
		  GLK_KIND_RELEASED | GLK_FLIT_STITCHED },
	};
	struct receiver r = { .credits = { 0 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(flits) / sizeof(flits[0]); i++) {
		for (unsigned kinds = GLK_KIND_COUNT; kinds <= GLK_KIND_ALL; kinds += GLK_KIND_ALL - GLK_KIND_COUNT) {
			assert_int_equal(glk_unstitch_create(16, take, &r, &r.unstitch), 0);
			glk_unstitch_define(r.unstitch, kinds);
			assert_int_equal(glk_unstitch_flit(r.unstitch, &flits[i]), kinds == GLK_KIND_ALL ? 0 : -EBADMSG);
			glk_unstitch_destroy(r.unstitch);
		}
	}
}

/* A random piece: of random kind, number and size, or random bytes. */
static void random_flit(struct chance *c, struct glk_flit *flit)
{
	flit->type = (uint8_t)(below(c, 8) ? 1 + below(c, GLK_KIND_ALL - 1) : draw(c));
	if (below(c, 2))
		flit->type |= GLK_FLIT_STITCHED;
	for (unsigned at = 0; at < 16; at++)
		flit->bytes[at] = (uint8_t)draw(c);
	if (below(c, 4))
		flit->bytes[0] = (uint8_t)((flit->type & 15) | below(c, 4) << 5);
	if (below(c, 4))
		flit->bytes[1] = (uint8_t)(below(c, 12) << 4);
	for (unsigned at = 4; at < 16; at += 4)
		if (below(c, 2)) {
			flit->bytes[at] = (uint8_t)(below(c, 28) | below(c, 4) << 5);
			flit->bytes[at + 1] = (uint8_t)(below(c, 12) << 4);
		} else if (below(c, 2)) {
			memset(flit->bytes + at, 0, 16 - at);
		}
}

/* For random flits, delivered packets are complete, and no access is out of bounds. */
static void random_flits(void **state)
{
	uint64_t s = seed();
	unsigned accepted = 0, refused = 0;

	(void)state;
	for (unsigned flit_bytes = 8; flit_bytes <= 16; flit_bytes += 8) {
		struct receiver r = { .credits = { 0 } };
		struct chance c;

		chance_start(&c, s, flit_bytes);
		assert_int_equal(glk_unstitch_create(flit_bytes, take, &r, &r.unstitch), 0);
		glk_unstitch_define(r.unstitch, GLK_KIND_ALL);
		for (unsigned i = 0; i < 400000; i++) {
			struct glk_flit flit;
			int result;

			random_flit(&c, &flit);
			result = glk_unstitch_flit(r.unstitch, &flit);
			assert_true(result == 0 || result == -EBADMSG);
			if (result == 0)
				accepted++;
			else
				refused++;
			if (result && below(&c, 8)) /* continuing without a reset must not crash either */
				glk_unstitch_reset(r.unstitch);
		}
		glk_unstitch_destroy(r.unstitch);
	}
	assert_true(accepted > 10000 && refused > 10000);
}

/* Flits of a queue, modified, lost or duplicated; after a refusal the test continues. */
static void changed_flits(void **state)
{
	uint64_t s = seed();
	unsigned refused = 0;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct glk_cluster_queue *queue = new_queue(&all_on);
		struct receiver r = { .credits = { 0 } };
		unsigned credits[GLK_CLASS_COUNT] = { 9999, 9999, 9999 };
		struct chance c;

		chance_start(&c, s, round);
		assert_int_equal(glk_unstitch_create(16, take, &r, &r.unstitch), 0);
		glk_unstitch_define(r.unstitch, GLK_KIND_ALL);
		for (uint64_t now = 0; now < 600; now++) {
			struct glk_flit flit;

			if (below(&c, 3) == 0 && glk_cluster_queue_fill(queue) < 800)
				push(queue, now, (enum glk_kind)(1 + below(&c, GLK_KIND_ALL - 1)), 0);
			if (!glk_cluster_queue_clock(queue, now, true, credits, &flit))
				continue;
			if (below(&c, 16) == 0)
				flit.bytes[below(&c, 16)] ^= (uint8_t)(1u << below(&c, 8));
			if (below(&c, 64) == 0)
				flit.type ^= (uint8_t)(1u << below(&c, 8));
			for (unsigned copies = below(&c, 64) ? 1 : below(&c, 3); copies; copies--) {
				int result = glk_unstitch_flit(r.unstitch, &flit);

				assert_true(result == 0 || result == -EBADMSG);
				refused += result != 0;
			}
		}
		glk_unstitch_destroy(r.unstitch);
		glk_cluster_queue_destroy(queue);
	}
	assert_true(refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_1),
		cmocka_unit_test(headers),
		cmocka_unit_test(lengths),
		cmocka_unit_test(settings),
		cmocka_unit_test(packets_refused),
		cmocka_unit_test(turns),
		cmocka_unit_test(critical_is_not_pooled),
		cmocka_unit_test(tails_fill_the_room),
		cmocka_unit_test(types), cmocka_unit_test(versions),
		cmocka_unit_test(random_flits),
		cmocka_unit_test(changed_flits),
	};

	return cmocka_run_group_tests_name("stitching", tests, NULL, NULL);
}
