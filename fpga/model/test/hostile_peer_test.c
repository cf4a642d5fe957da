// SPDX-License-Identifier: Apache-2.0
/*
 * A card linked to a hostile peer, which uses the link's format but sends arbitrary packets. It must not reach a partition that
 * is not open, its responses must not be accepted for other requests, errors are counted, and valid packets still work
 * afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <chance.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "link/link_layer.h"
#include "netcrafter/cluster_queue.h"
#include "netcrafter/unstitch.h"
#include "pair.h"

#define ALL_ONES     UINT64_MAX
#define LOG_MOST     4096u
#define FAR_CLOSED   UINT64_C(0x777) /* data that the peer must neither read nor change */
#define ANSWER_CLOCKS 400u

/* A packet received by the peer. */
struct got {
	struct glk_link_header header;
	uint8_t body[GLK_LINK_LINE_BYTES + 32];
	size_t length;
};

struct hostile_peer {
	struct bench b;
	struct glk_link_layer *layer;
	struct glk_cluster_queue *queue;
	struct glk_unstitch *unstitch;
	uint64_t now;
	bool greedy;   /* ignores its credits */
	bool deaf;     /* returns no credits */
	bool rubbed;   /* has sent many answers with wrong tags */
	struct got got[LOG_MOST];
	unsigned count, finepack;
	unsigned ups, ends;
};

/* --- the peer --- */

static void on_packet(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct hostile_peer *s = user;
	struct got *got = &s->got[s->count % LOG_MOST];

	if (!glk_link_layer_hold(s->layer, glk_kind_class(kind), pieces) && !s->deaf)
		glk_link_layer_free(s->layer, glk_kind_class(kind), pieces);
	if (kind == GLK_KIND_FINEPACK) {
		s->finepack++;
		return;
	}
	s->count++;
	glk_link_header_get(packet, &got->header);
	got->length = length - GLK_LINK_HEADER_BYTES;
	memcpy(got->body, packet + GLK_LINK_HEADER_BYTES, got->length);
}

static int on_flit(void *user, const struct glk_flit *flit)
{
	return glk_unstitch_flit(((struct hostile_peer *)user)->unstitch, flit);
}

static void on_event(void *user, enum glk_link_event event)
{
	struct hostile_peer *s = user;

	s->ups += event == GLK_LINK_UP;
	s->ends += event == GLK_LINK_ENDED;
	if (event == GLK_LINK_ENDED) {
		glk_cluster_queue_reset(s->queue);
		glk_unstitch_reset(s->unstitch);
	}
}

static void one_clock(struct hostile_peer *s)
{
	unsigned plenty[GLK_CLASS_COUNT] = { 1000, 1000, 1000 };
	struct glk_block to_card, to_peer;
	struct glk_flit flit;
	bool sent, came;

	s->now++;
	if (glk_link_layer_up(s->layer) &&
	    glk_cluster_queue_clock(s->queue, s->now, glk_link_layer_ready(s->layer),
				    s->greedy ? plenty : glk_link_layer_credits(s->layer), &flit))
		glk_link_layer_send(s->layer, &flit);
	sent = glk_link_layer_clock(s->layer, s->now, &to_card);
	came = glk_card_link_clock(s->b.card, s->now, true, &to_peer);
	if (came)
		glk_link_layer_receive(s->layer, s->now, &to_peer);
	if (sent)
		glk_card_link_block(s->b.card, s->now, &to_card);
}

static void run(struct hostile_peer *s, unsigned clocks)
{
	for (; clocks; clocks--)
		one_clock(s);
	glk_card_advance(s->b.card, 4 * s->now);
}

static uint64_t wait(void *user, uint64_t until)
{
	struct hostile_peer *s = user;

	(void)until;
	one_clock(s);
	return s->now;
}

static void send_packet(struct hostile_peer *s, enum glk_kind kind, unsigned partition, unsigned tag, const void *body,
			size_t length)
{
	const struct glk_link_header header = { .kind = kind, .partition = (uint8_t)partition, .tag = (uint16_t)tag };
	uint8_t packet[GLK_LINK_HEADER_BYTES + 8 + GLK_LINK_LINE_BYTES];

	glk_link_header_put(packet, &header);
	if (length)
		memcpy(packet + GLK_LINK_HEADER_BYTES, body, length);
	while (glk_cluster_queue_push(s->queue, s->now, kind, packet, GLK_LINK_HEADER_BYTES + length))
		one_clock(s);
}

/* Sends a request and returns its answer; fails the test if there is none. */
static const struct got *ask(struct hostile_peer *s, enum glk_kind kind, unsigned partition, const void *body, size_t length)
{
	static unsigned tag;
	unsigned before = s->count;

	send_packet(s, kind, partition, ++tag & 0xffff, body, length);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(s->count, before + 1);
	assert_int_equal(s->got[before % LOG_MOST].header.tag, tag & 0xffff);
	return &s->got[before % LOG_MOST];
}

static unsigned ask_word(struct hostile_peer *s, enum glk_kind kind, unsigned partition, uint64_t word)
{
	uint8_t body[8];

	glk_put_le64(body, word);
	return ask(s, kind, partition, body, sizeof(body))->header.partition;
}

static unsigned ask_write(struct hostile_peer *s, unsigned partition, uint64_t offset, unsigned first, unsigned bytes,
			  uint64_t more)
{
	uint8_t body[8 + GLK_LINK_LINE_BYTES];

	memset(body, 0x5a, sizeof(body));
	glk_put_le64(body, offset | (uint64_t)first << 48 | (uint64_t)(bytes - 1) << 54 | more);
	return ask(s, GLK_KIND_WRITE_REQUEST, partition, body, sizeof(body))->header.partition;
}

static unsigned ask_atomic(struct hostile_peer *s, unsigned partition, uint64_t where, uint64_t operand, uint64_t compare)
{
	uint8_t body[24];

	glk_put_le64(body, where);
	glk_put_le64(body + 8, operand);
	glk_put_le64(body + 16, compare);
	return ask(s, GLK_KIND_ATOMIC_REQUEST, partition, body, sizeof(body))->header.partition;
}

/* --- fixtures --- */

static void create_peer(struct hostile_peer *s)
{
	static const struct glk_link_layer_ops ops = { .flit = on_flit, .event = on_event };
	const struct glk_cluster_queue_config queue = { .entries = 1024, .flit_bytes = 16, .stitching = true, .burst = 16 };
	struct glk_link_layer_config layer;

	glk_link_layer_config_default(&layer);
	layer.self.serial = 666;
	layer.self.cluster = 13;
	layer.ops = &ops;
	layer.user = s;
	assert_int_equal(glk_link_layer_create(&layer, &s->layer), 0);
	assert_int_equal(glk_cluster_queue_create(&queue, &s->queue), 0);
	assert_int_equal(glk_unstitch_create(16, on_packet, s, &s->unstitch), 0);
}

static int setup(void **state)
{
	struct hostile_peer *s = calloc(1, sizeof(*s));
	uint64_t secret = FAR_CLOSED;

	assert_non_null(s);
	*state = s;
	create_peer(s);
	bench_create_linked(&s->b, 1, true, true, wait, s);
	bench_start(&s->b);
	bench_write(&s->b, bench_partition(PAIR_OPEN, GLK_PARTITION_MODE), 7);
	pair_bind(&s->b, PAIR_REMOTE, 3, BENCH_ENDPOINT_BYTES);
	bench_write(&s->b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 7); /* open, but of kind link */
	bench_window(&s->b, PAIR_SLICE, PAIR_REMOTE, 0, PAIR_SLICE, 0, BENCH_ENDPOINT_BYTES, BENCH_RW);
	for (unsigned p = 0; p < BENCH_ENDPOINTS; p++)
		for (unsigned at = 0; at < BENCH_ENDPOINT_BYTES; at += 8)
			memcpy(s->b.endpoint[p] + at, &secret, 8);
	for (unsigned i = 0; i < 100 && !s->ups; i++)
		run(s, 100);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(s->ups, 1);
	assert_int_equal(s->count, 1); /* the translation request of partition 3 */
	assert_int_equal(bench_read(&s->b, GLK_LINK_PEER_SERIAL), 666);
	bench_write(&s->b, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	return 0;
}

/* Checks that nothing outside the open partition has changed. */
static void check_closed(const struct hostile_peer *s)
{
	const uint64_t secret = FAR_CLOSED;

	for (unsigned p = 0; p < BENCH_ENDPOINTS; p++)
		for (unsigned at = 0; at < BENCH_ENDPOINT_BYTES && p != PAIR_OPEN; at += 8)
			assert_memory_equal(s->b.endpoint[p] + at, &secret, 8);
}

static int teardown(void **state)
{
	struct hostile_peer *s = *state;

	check_closed(s);
	bench_destroy(&s->b);
	glk_link_layer_destroy(s->layer);
	glk_cluster_queue_destroy(s->queue);
	glk_unstitch_destroy(s->unstitch);
	free(s);
	return 0;
}

static uint64_t counter(struct hostile_peer *s, unsigned reg)
{
	return bench_card_counter(&s->b, reg);
}

/* Checks that the link works: a valid request is answered, in the same session. */
static void check_alive(struct hostile_peer *s)
{
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, 0), GLK_LINK_DONE);
	assert_int_equal(s->ends, 0);
}

/* --- requests --- */

static void good_requests(void **state)
{
	struct hostile_peer *s = *state;
	const struct got *got;
	uint64_t value;
	uint8_t body[8];

	assert_int_equal(ask_write(s, PAIR_OPEN, 0x40, 8, 8, 0), GLK_LINK_DONE);
	memcpy(&value, s->b.endpoint[PAIR_OPEN] + 0x48, 8);
	assert_int_equal(value, UINT64_C(0x5a5a5a5a5a5a5a5a));
	glk_put_le64(body, 0x40 | UINT64_C(1) << 48 | UINT64_C(2) << 49 | UINT64_C(1) << 51); /* 8 bytes, the second */
	got = ask(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, body, 8);
	assert_int_equal(got->header.kind, GLK_KIND_READ_RESPONSE);
	assert_int_equal(got->header.partition, GLK_LINK_TRIMMED + 2);
	assert_int_equal(got->length, 8);
	assert_int_equal(glk_get_le64(got->body), UINT64_C(0x5a5a5a5a5a5a5a5a));
	assert_int_equal(ask_atomic(s, PAIR_OPEN, 0x48 | UINT64_C(1) << 51, 6, 0), GLK_LINK_DONE);
	assert_int_equal(s->b.endpoint[PAIR_OPEN][0x48], 0x60);
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 1), GLK_LINK_DONE);
	assert_int_equal(ask_word(s, GLK_KIND_TRANSLATION_REQUEST, PAIR_OPEN, BENCH_ENDPOINT_BYTES - 4096), GLK_LINK_DONE);
	assert_int_equal(glk_get_le64(s->got[s->count - 1].body), 4096 | UINT64_C(3) << 48);
	assert_int_equal(counter(s, GLK_LINK_SERVED), 5);
	assert_int_equal(counter(s, GLK_LINK_DENIED), 0);
}

static void every_partition_but_one(void **state)
{
	struct hostile_peer *s = *state;
	unsigned refused = 0;

	for (unsigned p = 0; p < 16; p++) {
		if (p == PAIR_OPEN)
			continue;
		assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, p, 0), GLK_LINK_REFUSED);
		assert_int_equal(s->got[(s->count - 1) % LOG_MOST].length, 0);
		assert_int_equal(ask_word(s, GLK_KIND_TRANSLATION_REQUEST, p, 0), GLK_LINK_REFUSED);
		assert_int_equal(glk_get_le64(s->got[(s->count - 1) % LOG_MOST].body), 0);
		assert_int_equal(ask_write(s, p, 0, 0, 8, 0), GLK_LINK_REFUSED);
		assert_int_equal(ask_atomic(s, p, 0, 1, 0), GLK_LINK_REFUSED);
		assert_int_equal(glk_get_le64(s->got[(s->count - 1) % LOG_MOST].body), 0);
		assert_int_equal(ask_word(s, GLK_KIND_RELEASE, p, 0), GLK_LINK_REFUSED);
		refused += 5;
	}
	assert_int_equal(counter(s, GLK_LINK_DENIED), refused);
	assert_int_equal(bench_read(&s->b, GLK_CARD_ERROR_CAUSE), 0);
	check_alive(s);
}

static void wrong_places(void **state)
{
	const uint64_t end = BENCH_ENDPOINT_BYTES, most = (UINT64_C(1) << 48) - 64;
	struct hostile_peer *s = *state;
	uint64_t denied;

	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, end - 64), GLK_LINK_DONE);
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, end), GLK_LINK_REFUSED);
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, most), GLK_LINK_REFUSED);
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, 32), GLK_LINK_REFUSED);
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, UINT64_C(1) << 51), GLK_LINK_REFUSED); /* no trim bit */
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, UINT64_C(1) << 55 | UINT64_C(1) << 48),
			 GLK_LINK_REFUSED);
	assert_int_equal(
		ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, UINT64_C(3) << 48 | UINT64_C(3) << 49 | UINT64_C(2) << 51),
		GLK_LINK_REFUSED); /* the third of two sectors of 32 bytes */
	assert_int_equal(ask_write(s, PAIR_OPEN, end - 64, 0, 64, 0), GLK_LINK_DONE);
	assert_int_equal(ask_write(s, PAIR_OPEN, end, 0, 1, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_write(s, PAIR_OPEN, most, 63, 1, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_write(s, PAIR_OPEN, 0, 60, 5, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_write(s, PAIR_OPEN, 8, 0, 8, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_write(s, PAIR_OPEN, 0, 0, 8, UINT64_C(1) << 60), GLK_LINK_REFUSED);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, (end - 8) | UINT64_C(1) << 51, 0, 0), GLK_LINK_DONE);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, end | UINT64_C(1) << 51, 0, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, 4 | UINT64_C(1) << 51, 0, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, 2, 0, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, UINT64_C(3) << 48, 0, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, UINT64_C(1) << 52, 0, 0), GLK_LINK_REFUSED);
	denied = counter(s, GLK_LINK_DENIED);
	assert_int_equal(denied, 16);
	assert_int_equal(ask_word(s, GLK_KIND_TRANSLATION_REQUEST, PAIR_OPEN, end), GLK_LINK_REFUSED);
	assert_int_equal(ask_word(s, GLK_KIND_TRANSLATION_REQUEST, PAIR_OPEN, 64), GLK_LINK_REFUSED);
	assert_int_equal(ask_word(s, GLK_KIND_TRANSLATION_REQUEST, PAIR_OPEN, UINT64_C(1) << 48), GLK_LINK_REFUSED);
	check_alive(s);
}

static void failed_reads(void **state)
{
	struct hostile_peer *s = *state;

	s->b.fail_reads = true;
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, 0), GLK_LINK_FAILED);
	assert_int_equal(s->got[s->count - 1].length, 0);
	assert_int_equal(ask_atomic(s, PAIR_OPEN, 0, 1, 0), GLK_LINK_FAILED);
	s->b.fail_reads = false;
	s->b.fail_writes = true;
	assert_int_equal(ask_write(s, PAIR_OPEN, 0, 0, 8, 0), GLK_LINK_FAILED);
	s->b.fail_writes = false;
	/* Other answers have reported it, but answers are not ordered: the next release reports it too, once. */
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 1), GLK_LINK_FAILED);
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 1), GLK_LINK_DONE);
	check_alive(s);
}

/* A count that is never reached, and a second release. */
static void endless_release(void **state)
{
	struct hostile_peer *s = *state;
	unsigned before = s->count;
	uint8_t body[8];

	glk_put_le64(body, 2);
	send_packet(s, GLK_KIND_RELEASE, PAIR_OPEN, 1, body, 8);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(s->count, before);
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 0), GLK_LINK_REFUSED);
	assert_int_equal(ask_write(s, PAIR_OPEN, 0, 0, 8, 0), GLK_LINK_DONE);
	before = s->count;
	ask_write(s, PAIR_CLOSED, 0, 0, 8, 0); /* to another partition */
	assert_int_equal(s->count, before + 1);
	send_packet(s, GLK_KIND_WRITE_REQUEST, PAIR_OPEN, 9, (uint8_t[72]){ 0, 1 }, 72); /* refused, but counted as received */
	run(s, ANSWER_CLOCKS);
	assert_int_equal(s->count, before + 3);
	assert_int_equal(s->got[before + 2].header.kind, GLK_KIND_RELEASED);
	assert_int_equal(s->got[before + 2].header.tag, 1);
	check_alive(s);
}

static void send_finepack(struct hostile_peer *s, unsigned partition, uint64_t offset, unsigned length, uint8_t fmt)
{
	uint8_t packet[16 + 4 + 64] = { fmt };
	size_t bytes = (4 + length + 3) / 4 * 4;

	packet[3] = (uint8_t)(bytes / 4);
	packet[7] = 0xf0 | 4;
	glk_put_be64(packet + 8, (uint64_t)partition << 48);
	packet[16] = (uint8_t)length;
	packet[17] = (uint8_t)(offset << 2);
	packet[18] = (uint8_t)(offset >> 6);
	packet[19] = (uint8_t)(offset >> 14);
	memset(packet + 20, 0x3c, length);
	while (glk_cluster_queue_push(s->queue, s->now, GLK_KIND_FINEPACK, packet, 16 + bytes))
		one_clock(s);
	run(s, ANSWER_CLOCKS);
}

static void finepack_packets(void **state)
{
	struct hostile_peer *s = *state;

	send_finepack(s, PAIR_OPEN, 0x100, 8, 0x7c);
	assert_int_equal(s->b.endpoint[PAIR_OPEN][0x107], 0x3c);
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 1), GLK_LINK_DONE);
	send_finepack(s, PAIR_OPEN, 0x200, 8, 0x7d); /* malformed */
	send_finepack(s, PAIR_OPEN, BENCH_ENDPOINT_BYTES - 4, 8, 0x7c);
	assert_int_equal(s->b.endpoint[PAIR_OPEN][0x200], FAR_CLOSED & 0xff);
	assert_int_equal(counter(s, GLK_CARD_ERR_PACKET), 2);
	assert_int_equal(bench_read(&s->b, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_PACKET_MASK);
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 3), GLK_LINK_FAILED);
	assert_int_equal(ask_word(s, GLK_KIND_RELEASE, PAIR_OPEN, 3), GLK_LINK_DONE);
	for (unsigned p = 0; p < 16; p++)
		if (p != PAIR_OPEN)
			send_finepack(s, p, 0, 8, 0x7c);
	assert_int_equal(counter(s, GLK_LINK_DENIED), 15);
	send_finepack(s, 200, 0, 8, 0x7c);
	assert_int_equal(counter(s, GLK_CARD_ERR_PACKET), 3);
	check_alive(s);
}

/* --- answers --- */

static void answers_to_nothing(void **state)
{
	struct hostile_peer *s = *state;
	uint8_t body[64] = { 0 };
	uint64_t value = 1;

	/* Each kind, with each partition's number in the tag. */
	for (unsigned tag = 0; tag < 64; tag++) {
		send_packet(s, GLK_KIND_READ_RESPONSE, GLK_LINK_DONE, tag, body, 64);
		send_packet(s, GLK_KIND_WRITE_RESPONSE, GLK_LINK_DONE, tag, NULL, 0);
		send_packet(s, GLK_KIND_RELEASED, GLK_LINK_DONE, tag, NULL, 0);
		send_packet(s, GLK_KIND_ATOMIC_RESPONSE, GLK_LINK_DONE, tag, body, 8);
		run(s, ANSWER_CLOCKS);
	}
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 256);
	/* One translation request is outstanding: one of these answers it. */
	assert_int_equal(s->got[0].header.kind, GLK_KIND_TRANSLATION_REQUEST);
	glk_put_le64(body, ALL_ONES);
	for (unsigned tag = 0; tag < 64; tag++)
		send_packet(s, GLK_KIND_TRANSLATION_RESPONSE, GLK_LINK_DONE, tag, body, 8);
	run(s, 3000);
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 256 + 63);
	assert_int_equal(bench_read(&s->b, bench_partition(PAIR_REMOTE, GLK_PARTITION_REMOTE_BYTES)),
			 GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK | GLK_PARTITION_REMOTE_BYTES_BYTES_MASK |
				 GLK_PARTITION_REMOTE_BYTES_READ_MASK | GLK_PARTITION_REMOTE_BYTES_WRITE_MASK);
	/* A packet is outstanding: only its release's tag matches. */
	glk_card_aperture_store(s->b.card, PAIR_AT(0), &value, 8);
	bench_write(&s->b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 5);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(s->finepack, 1);
	assert_int_equal(s->got[1].header.kind, GLK_KIND_RELEASE);
	assert_int_equal(glk_get_le64(s->got[1].body), 1);
	send_packet(s, GLK_KIND_RELEASED, GLK_LINK_DONE, s->got[1].header.tag ^ 0x10, NULL, 0);
	send_packet(s, GLK_KIND_RELEASED, GLK_LINK_DONE, s->got[1].header.tag ^ 0x1, NULL, 0);
	send_packet(s, GLK_KIND_WRITE_RESPONSE, GLK_LINK_DONE, s->got[1].header.tag, NULL, 0);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(bench_read(&s->b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 0);
	send_packet(s, GLK_KIND_RELEASED, GLK_LINK_DONE, s->got[1].header.tag, NULL, 0);
	send_packet(s, GLK_KIND_RELEASED, GLK_LINK_DONE, s->got[1].header.tag, NULL, 0);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(bench_read(&s->b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 256 + 63 + 4);
	check_alive(s);
}

/* Answers every read at once with the wrong size: a line for a sector, a sector for a line, others. */
static unsigned answer_status;

static uint64_t answering_wait(void *user, uint64_t until)
{
	struct hostile_peer *s = user;
	unsigned before = s->count;
	uint8_t body[64];

	(void)until;
	memset(body, 0xee, sizeof(body));
	one_clock(s);
	for (; before != s->count; before++) {
		const struct got *got = &s->got[before % LOG_MOST];

		if (got->header.kind == GLK_KIND_READ_REQUEST)
			send_packet(s, GLK_KIND_READ_RESPONSE, answer_status, got->header.tag, body,
			     answer_status == GLK_LINK_DONE	? 64
			     : answer_status < GLK_LINK_TRIMMED ? 0
								: glk_link_sector_bytes(answer_status));
		else if (got->header.kind == GLK_KIND_ATOMIC_REQUEST)
			send_packet(s, GLK_KIND_ATOMIC_RESPONSE, answer_status, got->header.tag, body, 8);
	}
	return s->now;
}

/* Answers each read with three tags of no request, then with its own. */
static uint64_t wrong_names_wait(void *user, uint64_t until)
{
	static const unsigned changes[] = { 0x40, 0x100, 0x8000, 0 };
	struct hostile_peer *s = user;
	unsigned before = s->count;
	uint8_t body[64] = { 0 };

	(void)until;
	one_clock(s);
	for (; before != s->count; before++) {
		unsigned tag = s->got[before % LOG_MOST].header.tag;

		for (unsigned i = 66; !s->rubbed && i < 1066; i++) /* tags beyond those of a load */
			send_packet(s, GLK_KIND_READ_RESPONSE, GLK_LINK_DONE, tag + i, body, 64);
		s->rubbed = true;
		for (unsigned i = 0; i < 4; i++)
			send_packet(s, GLK_KIND_READ_RESPONSE, GLK_LINK_DONE, tag ^ changes[i], body, 64);
	}
	return s->now;
}

static void answers_of_another_size(void **state)
{
	struct hostile_peer *s = *state;
	uint8_t data[4096];

	s->b.wait = answering_wait;
	answer_status = GLK_LINK_TRIMMED; /* 16 bytes */
	assert_int_equal(glk_card_aperture_load(s->b.card, PAIR_AT(8), data, 8), 0);
	assert_int_equal(data[7], 0xee);
	for (unsigned code = 1; code < 4; code++) {
		answer_status = GLK_LINK_TRIMMED + code;
		assert_int_equal(glk_card_aperture_load(s->b.card, PAIR_AT(8), data, 8) < 0, true);
		assert_int_equal(data[0], 0xff);
	}
	answer_status = GLK_LINK_DONE;
	assert_true(glk_card_aperture_load(s->b.card, PAIR_AT(8), data, 8) < 0);
	assert_int_equal(glk_card_aperture_load(s->b.card, PAIR_AT(0), data, 4096), 0);
	answer_status = GLK_LINK_TRIMMED;
	assert_true(glk_card_aperture_load(s->b.card, PAIR_AT(8), data, 100) < 0);
	answer_status = GLK_LINK_FAILED;
	assert_true(glk_card_aperture_load(s->b.card, PAIR_AT(8), data, 100) < 0);
	assert_int_equal(bench_run(&s->b, (uint64_t[8]){ SQE0(GLK_OP_SWAP, 0, PAIR_SLICE, 8), 1, 8, GLK_NO_REGISTRATION, 5 }),
			 GLK_ST_ENDPOINT);
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 0);
	assert_int_equal(bench_counter(&s->b, PAIR_REMOTE, GLK_PARTITION_ERR_ENDPOINT), 7);
	s->b.wait = wait;
	check_alive(s);
}

/* Valid answers, but late, or after one with a wrong tag. */
static void answers_by_another_name(void **state)
{
	struct hostile_peer *s = *state;
	uint8_t data[256], body[64] = { 0 };
	unsigned before = s->count, tag;

	bench_write(&s->b, GLK_LINK_TIMEOUT_NS, 20000);
	assert_true(glk_card_aperture_load(s->b.card, PAIR_AT(0), data, sizeof(data)) < 0);
	assert_int_equal(s->count, before + 4);
	for (unsigned i = 0; i < 4; i++)
		send_packet(s, GLK_KIND_READ_RESPONSE, GLK_LINK_DONE, s->got[before + i].header.tag, body, 64);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 4);
	assert_int_equal(counter(s, GLK_LINK_TIMEOUTS), 1);
	assert_true(glk_card_aperture_load(s->b.card, PAIR_AT(0), data, sizeof(data)) < 0); /* while these arrive: */
	s->b.wait = wrong_names_wait;
	bench_write(&s->b, GLK_LINK_TIMEOUT_NS, 1000000);
	assert_int_equal(glk_card_aperture_load(s->b.card, PAIR_AT(0), data, sizeof(data)), 0);
	s->b.wait = wait;
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 4 + 1000 + 4 * 3);
	/* Write requests are answered in order. */
	bench_write(&s->b, GLK_LINK_TIMEOUT_NS, GLK_LINK_TIMEOUT_NS_RESET);
	bench_write(&s->b, bench_partition(PAIR_REMOTE, GLK_PARTITION_MODE), 0);
	before = s->count;
	glk_card_aperture_store(s->b.card, PAIR_AT(60), data, 8);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(s->count, before + 2);
	tag = s->got[before].header.tag;
	send_packet(s, GLK_KIND_WRITE_RESPONSE, GLK_LINK_DONE, s->got[before + 1].header.tag, NULL, 0);
	send_packet(s, GLK_KIND_WRITE_RESPONSE, GLK_LINK_DONE, tag ^ 0x8000, NULL, 0);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(bench_read(&s->b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 2);
	send_packet(s, GLK_KIND_WRITE_RESPONSE, GLK_LINK_DONE, tag, NULL, 0);
	send_packet(s, GLK_KIND_WRITE_RESPONSE, GLK_LINK_FAILED, s->got[before + 1].header.tag, NULL, 0);
	run(s, ANSWER_CLOCKS);
	assert_int_equal(bench_read(&s->b, bench_partition(PAIR_REMOTE, GLK_PARTITION_STATUS)) >> 32, 0);
	assert_int_equal(bench_counter(&s->b, PAIR_REMOTE, GLK_PARTITION_ERR_ENDPOINT), 3);
	assert_int_equal(counter(s, GLK_LINK_STRAYS), 4 + 1000 + 4 * 3 + 2);
	check_alive(s);
}

/* --- exceeding limits --- */

/* It returns no credits, so it gets no more than it has room for; this card's stores end in bounded time. */
static void no_credits(void **state)
{
	struct hostile_peer *s = *state;
	uint8_t data[4096] = { 1 };

	bench_write(&s->b, GLK_LINK_TIMEOUT_NS, 200000);
	s->deaf = true;
	for (unsigned i = 0; i < 40; i++)
		glk_card_aperture_store(s->b.card, PAIR_AT(4096 * i), data, sizeof(data));
	assert_int_equal(bench_read(&s->b, GLK_LINK_STATUS) & GLK_LINK_STATUS_SESSION_MASK, 0);
	assert_true(counter(s, GLK_LINK_CREDIT_STALLS) > 1000);
	assert_int_equal(counter(s, GLK_LINK_TIMEOUTS), 1);
	assert_true(counter(s, GLK_LINK_LOST_PACKETS) > 0);
	s->deaf = false;
	run(s, 20000);
	assert_int_equal(s->ends, 1);
	assert_int_equal(s->ups, 2);
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, 0), GLK_LINK_DONE);
}

/* More waiting requests than there is room for: the link is reset. */
static void more_than_its_credits(void **state)
{
	struct hostile_peer *s = *state;
	uint8_t body[72] = { 0 };

	s->b.hold = true; /* writes are not acknowledged, so no request is answered */
	s->greedy = true;
	for (unsigned i = 0; i < 204; i++)
		send_packet(s, GLK_KIND_WRITE_REQUEST, PAIR_OPEN, i, body, sizeof(body));
	run(s, 5000);
	assert_int_equal(s->ends, 0);
	assert_int_equal(counter(s, GLK_LINK_PROTOCOL_ERRORS), 0);
	send_packet(s, GLK_KIND_WRITE_REQUEST, PAIR_OPEN, 204, body, sizeof(body));
	run(s, 5000);
	assert_int_equal(s->ends, 1);
	assert_int_equal(counter(s, GLK_LINK_PROTOCOL_ERRORS), 1);
	run(s, 20000);
	assert_int_equal(s->ups, 2);
	s->b.hold = false;
	glk_card_endpoint_acknowledge(s->b.card, PAIR_OPEN, 204, 0); /* of the previous session: not answered */
	run(s, ANSWER_CLOCKS);
	s->greedy = false;
	assert_int_equal(ask_word(s, GLK_KIND_READ_REQUEST, PAIR_OPEN, 0), GLK_LINK_DONE);
}

/* --- random packets --- */

static uint64_t seed;

/* All kinds, with random contents. */
static void rubbish(void **state)
{
	struct hostile_peer *s = *state;
	struct chance chance;

	chance_start(&chance, seed, 0);
	for (unsigned i = 0; i < 20000; i++) {
		enum glk_kind kind = GLK_KIND_READ_REQUEST + below(&chance, GLK_KIND_COUNT - 1);
		uint8_t body[8 + GLK_LINK_LINE_BYTES];
		size_t length = glk_kind_length_most(kind) - GLK_LINK_HEADER_BYTES;
		unsigned partition = below(&chance, kind == GLK_KIND_READ_RESPONSE ? 1 : 4);

		for (unsigned k = 0; k < sizeof(body); k++)
			body[k] = (uint8_t)(draw(&chance) >> 40);
		if (below(&chance, 2)) { /* sometimes in bounds */
			memset(body + 2, 0, 6);
			body[0] &= 0xc0;
		}
		if (kind == GLK_KIND_FINEPACK)
			send_finepack(s, below(&chance, 20), below(&chance, BENCH_ENDPOINT_BYTES + 100), 1 + below(&chance, 60),
				      0x7c);
		else
			send_packet(s, kind, partition, below(&chance, 4) ? below(&chance, 64) : below(&chance, 0x10000), body,
				    length);
		if (below(&chance, 50) == 0)
			run(s, below(&chance, 2000));
	}
	run(s, 20000);
	assert_true(counter(s, GLK_LINK_SERVED) > 300);
	assert_true(counter(s, GLK_LINK_DENIED) > 1000);
	assert_true(counter(s, GLK_LINK_STRAYS) > 1000);
	check_alive(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(good_requests),	  TEST(every_partition_but_one), TEST(wrong_places),
		TEST(failed_reads),	  TEST(endless_release),	 TEST(finepack_packets),
		TEST(answers_to_nothing), TEST(answers_of_another_size), TEST(answers_by_another_name),
		TEST(no_credits),	  TEST(more_than_its_credits),	 TEST(rubbish),
	};
	const char *given = getenv("GPULINK_SEED");

	seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	fprintf(stderr, "# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
