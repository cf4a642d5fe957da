// SPDX-License-Identifier: Apache-2.0
/*
 * Messages of processes that nobody can believe, without UCX: what is not in its form is dropped and counted, answers are in
 * theirs, and nothing outside of the offered memory is read or written (the pages around it are not accessible). A seed is
 * printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include <chance.h>

#include "../lane/packet.h"
#include "../ucx/ucx_peer.h"
#include "../ucx/ucx_receive.h"
#include "../ucx/ucx_request.h"
#include "fake_wire.h"

enum { PAGE = 4096, MEMORY = 4 * PAGE, PROCESSES = 3, OWN = 1, OTHER = 2 };

#define JOB UINT64_C(0x1122334455667788)

/* --- a device --- */

static uint8_t *area; /* the memory, between pages without access */

static struct ucx *open_device(void)
{
	struct ucx *u = calloc(1, sizeof(*u));

	u->process = OWN;
	u->processes = PROCESSES;
	u->job = JOB;
	u->options.memory = MEMORY;
	u->first_dirty = UCX_NO_PROCESS;
	u->memory = area + PAGE;
	u->peers = calloc(PROCESSES, sizeof(*u->peers));
	u->closed = calloc(PROCESSES, sizeof(*u->closed));
	for (unsigned p = 0; p < PROCESSES; p++)
		u->peers[p].watch = -1;
	memset(u->memory, 0, MEMORY);
	fake_wire.count = 0;
	fake_wire.busy = false;
	return u;
}

static void close_device(struct ucx *u)
{
	for (uint32_t p = 0; p < PROCESSES; p++)
		glk_peer_lose(u, p);
	glk_requests_fail(u);
	glk_peers_free(u);
	free(u->closed);
	free(u);
}

/* --- messages --- */

struct message {
	size_t bytes;
	uint8_t data[16384];
};

static void begin(struct message *m, uint32_t from, uint32_t count, uint64_t applied)
{
	const struct glk_message_head head = { .job = JOB, .from = from, .number = count, .applied = applied };

	memcpy(m->data, &head, sizeof(head));
	m->bytes = sizeof(head);
}

static void add(struct message *m, unsigned type, const void *body, size_t bytes)
{
	const struct glk_record_head head = { .type = (uint8_t)type, .bytes = (uint16_t)bytes };

	memcpy(m->data + m->bytes, &head, sizeof(head));
	if (bytes)
		memcpy(m->data + m->bytes + sizeof(head), body, bytes);
	m->bytes += sizeof(head) + (bytes + 3) / 4 * 4;
}

/* In memory that ends with the message. */
static void give(struct ucx *u, const struct message *m)
{
	uint8_t *exact = malloc(m->bytes);

	memcpy(exact, m->data, m->bytes);
	glk_receive(u, exact, m->bytes);
	free(exact);
	glk_peers_send(u);
}

/* A packet of one store. */
static size_t make_packet(uint8_t *packet, unsigned partition, uint64_t low, uint64_t offset, const void *data, size_t bytes)
{
	uint64_t header = offset << 10 | bytes;

	memcpy(packet + GLK_PACKET_HEADER, &header, 8);
	memcpy(packet + GLK_PACKET_HEADER + 5, data, bytes);
	return GLK_PACKET_HEADER + glk_packet_finish(packet, 5 + bytes, partition, 5, low);
}

/* The answer in the last message, and its first byte of data. */
static struct answer {
	struct glk_record_answer head;
	uint8_t data;
} last_answer(void)
{
	struct answer answer;

	memcpy(&answer, fake_wire.sent + sizeof(struct glk_message_head) + sizeof(struct glk_record_head), sizeof(answer));
	return answer;
}

/* --- tests --- */

static void test_packets(void **state)
{
	struct ucx *u = open_device();
	struct message m;
	uint8_t packet[64];
	uint64_t value = 0x0102030405060708;
	size_t bytes;

	(void)state;
	begin(&m, OTHER, 0, 0);
	add(&m, GLK_RECORD_PACKET, packet, make_packet(packet, 0, 0, 16, &value, 8));
	bytes = make_packet(packet, 0, 0, MEMORY - 8, &value, 8);
	add(&m, GLK_RECORD_PACKET, packet, bytes);
	add(&m, GLK_RECORD_ASK, NULL, 0);
	give(u, &m);
	assert_memory_equal(u->memory + 16, &value, 8);
	assert_memory_equal(u->memory + MEMORY - 8, &value, 8);
	assert_int_equal(u->malformed, 0);
	assert_int_equal(fake_wire.count, 1); /* the acknowledgement */
	assert_int_equal(((struct glk_message_head *)(void *)fake_wire.sent)->applied, 2);
	assert_int_equal(u->closed[OWN].endpoint_writes, 2);
	assert_int_equal(u->closed[OWN].endpoint_bytes, 16);
	/* One byte too far, and to another process. */
	begin(&m, OTHER, 1, 0);
	add(&m, GLK_RECORD_PACKET, packet, make_packet(packet, 0, 0, MEMORY - 7, &value, 8));
	add(&m, GLK_RECORD_PACKET, packet, make_packet(packet, OTHER, 0, 32, &value, 8));
	give(u, &m);
	assert_int_equal(u->malformed, 2);
	assert_int_equal(u->memory[32], 0);
	close_device(u);
}

static void test_heads(void **state)
{
	struct ucx *u = open_device();
	struct message m;

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		struct glk_message_head *head = (struct glk_message_head *)(void *)m.data;

		begin(&m, OTHER, 0, 0);
		head->job += i == 0;
		head->from = i == 1 ? PROCESSES : i == 2 ? OWN : i == 3 ? UINT32_MAX : head->from;
		head->number += i == 4;
		head->applied += i == 5; /* what was never sent */
		m.bytes -= i == 6;
		add(&m, GLK_RECORD_BYE, NULL, 0);
		m.bytes -= i == 6 ? 4 : 0;
		give(u, &m);
		assert_int_equal(u->malformed, i + 1);
		assert_false(u->peers[OTHER].lost);
	}
	begin(&m, OTHER, 0, 0);
	add(&m, GLK_RECORD_BYE, NULL, 0);
	give(u, &m);
	assert_true(u->peers[OTHER].lost);
	assert_int_equal(u->malformed, 7);
	close_device(u);
}

static void test_loads(void **state)
{
	static const struct { uint64_t offset; uint32_t bytes; int result; } cases[] = { /* -1: no answer */
		{ 0, 8, GLK_ST_OK }, { MEMORY - 4096, 4096, GLK_ST_OK }, { MEMORY - 4095, 4096, GLK_ST_WINDOW_BOUNDS },
		{ UINT64_MAX - 7, 8, GLK_ST_WINDOW_BOUNDS }, { 0, 0, -1 }, { 0, 4097, -1 }, { 0, UINT32_MAX, -1 },
	};
	struct ucx *u = open_device();
	struct message m;
	unsigned dropped = 0;

	(void)state;
	u->memory[0] = 42;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct glk_record_load load = { .id = 7 + i, .offset = cases[i].offset, .bytes = cases[i].bytes };

		fake_wire.bytes = 0;
		begin(&m, OTHER, i, 0);
		add(&m, GLK_RECORD_LOAD, &load, sizeof(load));
		give(u, &m);
		dropped += cases[i].result < 0;
		assert_int_equal(u->malformed, dropped);
		if (cases[i].result < 0) {
			assert_int_equal(fake_wire.bytes, 0);
			continue;
		}
		assert_int_equal(last_answer().head.id, 7 + i);
		assert_int_equal(last_answer().head.status, cases[i].result);
		assert_int_equal(fake_wire.bytes, sizeof(struct glk_message_head) + sizeof(struct glk_record_head) +
				 sizeof(struct glk_record_answer) + (cases[i].result ? 0 : cases[i].bytes));
		if (!i)
			assert_int_equal(last_answer().data, 42);
	}
	close_device(u);
}

static void test_atomics(void **state)
{
	static const struct {
		uint64_t offset;
		uint32_t operation, bytes;
		int result;
	} cases[] = {
		{ 8, GLK_OP_FETCH_ADD, 8, GLK_ST_OK },
		{ 8, GLK_OP_CAS, 4, GLK_ST_OK },
		{ MEMORY - 8, GLK_OP_SWAP, 8, GLK_ST_OK },
		{ MEMORY, GLK_OP_SWAP, 8, GLK_ST_WINDOW_BOUNDS },
		{ UINT64_MAX - 7, GLK_OP_SWAP, 8, GLK_ST_WINDOW_BOUNDS },
		{ 4, GLK_OP_SWAP, 8, -1 },
		{ 2, GLK_OP_SWAP, 4, -1 },
		{ 8, GLK_OP_SWAP, 2, -1 },
		{ 8, GLK_OP_SWAP, 16, -1 },
		{ 8, GLK_OP_GET, 8, -1 },
		{ 8, GLK_OP_RELEASE, 8, -1 },
		{ 8, UINT32_MAX, 8, -1 },
		{ 0, GLK_OP_SWAP, 0, -1 },
	};
	struct ucx *u = open_device();
	unsigned dropped = 0;
	struct message m;
	uint64_t word;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct glk_record_atomic atomic = {
			.id = i,
			.offset = cases[i].offset,
			.operation = cases[i].operation,
			.bytes = cases[i].bytes,
			.operand = 5,
		};

		begin(&m, OTHER, i, 0);
		add(&m, GLK_RECORD_ATOMIC, &atomic, sizeof(atomic));
		give(u, &m);
		dropped += cases[i].result < 0;
		assert_int_equal(u->malformed, dropped);
		if (cases[i].result >= 0)
			assert_int_equal(last_answer().head.status, cases[i].result);
	}
	memcpy(&word, u->memory + 8, 8);
	assert_int_equal(word, 5);
	close_device(u);
}

static uint32_t last_status;
static unsigned times_done;

static void done(void *owner, uint64_t place, uint32_t status)
{
	(void)owner;
	(void)place;
	last_status = status;
	times_done++;
}

/* Answers that nobody waits for, of the wrong process, of another length. */
static void test_answers(void **state)
{
	struct { struct glk_record_answer head; uint8_t data[16]; } answer = { .head = { .id = 0 } };
	const struct ucx_asker asker = { done, &times_done, 0 };
	uint8_t to[8] = { 0 };
	struct ucx *u = open_device();
	struct message m;

	(void)state;
	times_done = 0;
	memset(answer.data, 9, sizeof(answer.data));
	assert_int_equal(glk_request_load(u, OTHER, 0, to, sizeof(to), &asker), GLK_ST_OK);
	begin(&m, 0, 0, 0);
	add(&m, GLK_RECORD_ANSWER, &answer, sizeof(answer.head) + 8); /* another process */
	give(u, &m);
	for (unsigned i = 0; i < 4; i++) {
		answer.head.id = i == 0 ? 1 : i == 1 ? UCX_BUCKETS : 0;
		answer.head.status = i == 3 ? GLK_ST_COUNT : 0;
		begin(&m, OTHER, i, 0);
		add(&m, GLK_RECORD_ANSWER, &answer, sizeof(answer.head) + (i == 2 ? 16 : 8));
		give(u, &m);
	}
	assert_int_equal(u->malformed, 5);
	assert_int_equal(times_done, 0);
	assert_int_equal(to[0], 0);
	answer.head.status = 0;
	for (unsigned i = 4; i < 6; i++) { /* once */
		begin(&m, OTHER, i, 0);
		add(&m, GLK_RECORD_ANSWER, &answer, sizeof(answer.head) + 8);
		give(u, &m);
		assert_int_equal(times_done, 1);
		assert_int_equal(to[7], 9);
	}
	assert_int_equal(u->malformed, 6);
	/* One whose owner is gone; one whose process is lost. */
	glk_request_load(u, OTHER, 0, to, sizeof(to), &asker);
	glk_requests_cancel(u, &times_done);
	glk_request_load(u, OTHER, 0, to, sizeof(to), &asker);
	glk_peer_lose(u, OTHER);
	glk_requests_fail(u);
	assert_int_equal(times_done, 2);
	assert_int_equal(last_status, GLK_ST_ENDPOINT);
	assert_int_equal(glk_request_load(u, OTHER, 0, to, sizeof(to), &asker), GLK_ST_ENDPOINT);
	assert_int_equal(u->peers[OTHER].requests, 0);
	close_device(u);
}

/* Answers to gets whose memory was unregistered meanwhile are not written, and the operations end. */
static void test_unregistered(void **state)
{
	struct { struct glk_record_answer head; uint8_t data[8]; } answer = { .head = { .id = 0 } };
	const struct ucx_asker asker = { done, &times_done, 0 };
	uint8_t to[24] = { 0 }, should[24] = { 0 };
	struct ucx *u = open_device();
	struct message m;

	(void)state;
	times_done = 0;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(glk_request_load(u, OTHER, 0, to + 8 * i, 8, &asker), GLK_ST_OK);
	glk_requests_discard(u, to + 8, 8);
	memset(answer.data, 9, sizeof(answer.data));
	for (unsigned i = 0; i < 3; i++) {
		answer.head.id = i;
		begin(&m, OTHER, i, 0);
		add(&m, GLK_RECORD_ANSWER, &answer, sizeof(answer));
		give(u, &m);
	}
	memset(should, 9, 8);
	memset(should + 16, 9, 8);
	assert_memory_equal(to, should, sizeof(to));
	assert_int_equal(times_done, 3);
	assert_int_equal(u->malformed, 0);
	close_device(u);
}

/* Who asks and takes no answers is lost, before the memory is. */
static void test_greed(void **state)
{
	const struct glk_record_load load = { .bytes = 4096 };
	struct ucx *u = open_device();
	struct message m;

	(void)state;
	fake_wire.busy = true;
	for (uint32_t i = 0; i < 10000 && !u->peers[OTHER].lost; i++) {
		begin(&m, OTHER, i, 0);
		add(&m, GLK_RECORD_LOAD, &load, sizeof(load));
		give(u, &m);
		assert_true(u->peers[OTHER].unsent < 5 << 20);
	}
	assert_true(u->peers[OTHER].lost);
	assert_false(u->peers[0].lost);
	close_device(u);
}

/* Valid messages with errors, and noise. */
static void test_random(void **state)
{
	uint64_t seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : (uint64_t)time(NULL), value = 1;
	struct ucx *u = open_device();
	struct message m;
	struct chance c;
	uint8_t packet[512];

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	chance_start(&c, seed, 0);
	for (unsigned round = 0; round < 300000; round++) {
		const struct glk_record_load load = { .id = draw(&c),
						      .offset = below(&c, 2 * MEMORY),
						      .bytes = below(&c, 5000) };
		const struct glk_record_atomic atomic = {
			.id = draw(&c),
			.offset = below(&c, 2 * MEMORY) & ~7u,
			.operand = draw(&c),
			.operation = 4 + below(&c, 5),
			.bytes = 4 + 4 * below(&c, 2),
		};
		unsigned errors = below(&c, 3);

		begin(&m, OTHER, u->peers[OTHER].number_in, 0);
		for (unsigned records = below(&c, 4); records; records--) {
			if (below(&c, 2))
				add(&m, GLK_RECORD_PACKET, packet,
				    make_packet(packet, 0, 0, below(&c, MEMORY + 64), &value, 1 + below(&c, 8)));
			else if (below(&c, 2))
				add(&m, GLK_RECORD_LOAD, &load, sizeof(load));
			else
				add(&m, GLK_RECORD_ATOMIC, &atomic, sizeof(atomic));
		}
		for (; errors; errors--)
			m.data[sizeof(struct glk_message_head) + below(&c, (unsigned)m.bytes)] = (uint8_t)draw(&c);
		if (!below(&c, 8))
			m.bytes = below(&c, (unsigned)m.bytes + 1);
		give(u, &m);
		u->peers[OTHER].lost = false; /* by a BYE that came out of it */
	}
	assert_true(u->malformed > 1000);
	assert_true(u->closed[OWN].endpoint_writes > 1000);
	close_device(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets), cmocka_unit_test(test_heads),	cmocka_unit_test(test_loads),
		cmocka_unit_test(test_atomics), cmocka_unit_test(test_answers), cmocka_unit_test(test_unregistered),
		cmocka_unit_test(test_greed),	cmocka_unit_test(test_random),
	};

	area = mmap(NULL, MEMORY + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || mprotect(area + PAGE, MEMORY, PROT_READ | PROT_WRITE))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
