// SPDX-License-Identifier: Apache-2.0
/*
 * A process as relay, with the other processes and their room in the hands of the test: four processes in two rows, of which
 * this is the first. It passes stores of process 1 to process 2.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lane/packet.h"
#include "../../ucx/ucx_hop.h"
#include "../../ucx/ucx_peer.h"
#include "../../ucx/ucx_serve.h"

enum { PROCESSES = 4, SOURCE = 1, MEMBER = 2, STRANGER = 3, BYTES = 4096 };

struct bench {
	struct ucx u;
	struct ucx_peer peers[PROCESSES];
	struct glk_lane *lane; /* of process 1, to the column */
	uint8_t own[BYTES], other[BYTES]; /* memories of processes 0 and 2 */
	uint32_t from; /* of its packets */
	unsigned room; /* packets */
	unsigned sent, leaves, answers;
	uint32_t status; /* of the last answer */
	uint64_t asked;
};

static struct bench *bench; /* of the functions that are the other files' */

/* --- in place of other files --- */

bool glk_peer_has_room(const struct ucx *u, uint32_t process)
{
	assert_ptr_equal(u, &bench->u);
	assert_int_equal(process, MEMBER);
	return bench->room && bench->room--;
}

uint64_t glk_peer_packet(struct ucx *u, uint32_t process, const uint8_t *packet, size_t bytes)
{
	uint8_t copy[GLK_PACKET_MAX + GLK_PACKET_SLACK] = { 0 };

	assert_int_equal(process, MEMBER);
	if (u->peers[process].lost)
		return 0;
	memcpy(copy, packet, bytes);
	assert_true(glk_packet_receive(copy, bytes, 0, bench->other, BYTES) > 0);
	bench->sent++;
	return ++u->peers[process].sent;
}

void glk_peer_ask(struct ucx *u, uint32_t process, uint64_t count)
{
	assert_true(process == MEMBER && count <= u->peers[process].sent);
	bench->asked = count;
}

void glk_peer_applied(struct ucx *u, uint32_t process, uint64_t count)
{
	u->peers[process].applied = count;
}

void *glk_peer_record(struct ucx *u, uint32_t process, enum glk_record type, size_t bytes)
{
	(void)u;
	assert_true(process == SOURCE && type == GLK_RECORD_LEAVE && !bytes); /* its relay to the other column */
	bench->leaves++;
	return NULL;
}

void glk_serve_answer(struct ucx *u, uint32_t process, uint64_t id, uint32_t status)
{
	(void)u;
	assert_true(process == SOURCE && id == 77);
	bench->answers++;
	bench->status = status;
}

uint32_t glk_request_release(struct ucx *u, uint32_t process, const struct ucx_asker *asker)
{
	(void)u;
	(void)asker;
	assert_int_equal(process, SOURCE);
	return GLK_ST_OK;
}

/* --- tests --- */

static void arrive(void *to, const uint8_t *packet, size_t bytes)
{
	uint8_t copy[GLK_PACKET_MAX + GLK_PACKET_SLACK] = { 0 };
	struct bench *b = to;
	struct ucx_peer *peer = &b->peers[b->from];

	memcpy(copy, packet, bytes);
	peer->received++;
	if (glk_hop_packet(&b->u, b->from, copy, bytes))
		glk_peer_applied(&b->u, b->from, peer->received);
}

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	bench = b;
	b->from = SOURCE;
	b->room = UINT_MAX;
	b->u = (struct ucx){ .process = 0, .processes = PROCESSES, .peers = b->peers, .memory = b->own };
	b->u.options = (struct glk_ucx_options){ .memory = BYTES, .payload = 4096, .route = GLK_ROUTE_ON };
	for (unsigned p = 0; p < PROCESSES; p++)
		b->peers[p].bytes = BYTES;
	assert_int_equal(glk_hop_open(&b->u), 0);
	b->lane = glk_lane_new(&(struct glk_lane_shape){
		.partition = GLK_ROUTE_PARTITION, .width = GLK_ROUTE_WIDTH, .payload = 4096, .send = arrive, .to = b });
	assert_non_null(b->lane);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	glk_lane_free(b->lane);
	glk_hop_close(&b->u);
	free(b);
	return 0;
}

/* A packet with one store. */
static void store(struct bench *b, unsigned process, uint64_t value)
{
	glk_lane_store(b->lane, glk_route_place(glk_hop_route(&b->u), process) + 64, &value, sizeof(value));
	glk_lane_flush(b->lane, GLK_FLUSH_RELEASE);
}

static uint64_t word(const uint8_t *memory)
{
	uint64_t value;

	memcpy(&value, memory + 64, sizeof(value));
	return value;
}

static void release(struct bench *b)
{
	const uint64_t id = 77;

	assert_true(glk_hop_asked(&b->u, SOURCE, (const uint8_t *)&id, sizeof(id)));
	glk_hop_run(&b->u);
}

static void passes_on(void **state)
{
	struct bench *b = *state;

	store(b, 0, 5);
	assert_int_equal(word(b->own), 5);
	store(b, MEMBER, 6);
	assert_int_equal(b->sent, 0); /* it waits for more */
	assert_int_equal(b->peers[SOURCE].applied, 2);
	release(b);
	assert_true(b->sent == 1 && b->asked == 1 && !b->answers);
	assert_int_equal(word(b->other), 6);
	b->peers[MEMBER].acked = 1;
	glk_hop_run(&b->u);
	assert_true(b->answers == 1 && b->status == GLK_ST_OK);
	release(b); /* nothing since */
	assert_true(b->answers == 2 && b->sent == 1);
}

/* A release waits for what was stored before it, and asks for no packet that is not sent: glk_peer_ask(). */
static void waits_for_no_more(void **state)
{
	struct bench *b = *state;

	store(b, MEMBER, 1);
	release(b);
	store(b, MEMBER, 2);
	glk_hop_run(&b->u);
	assert_true(b->sent == 1 && b->asked == 1 && !b->answers);
	b->peers[MEMBER].acked = 1;
	glk_hop_run(&b->u);
	assert_true(b->answers == 1 && b->status == GLK_ST_OK && b->sent == 1);
}

/* Nor for what is kept behind it: a process may go on storing. */
static void waits_for_no_more_kept(void **state)
{
	struct bench *b = *state;

	b->room = 0;
	store(b, MEMBER, 1);
	release(b);
	store(b, MEMBER, 2);
	b->room = 1;
	glk_hop_run(&b->u);
	assert_true(b->sent == 1 && b->asked == 1);
	assert_int_equal(word(b->other), 1);
	b->peers[MEMBER].acked = 1;
	glk_hop_run(&b->u);
	assert_true(b->answers == 1 && b->status == GLK_ST_OK);
}

/* Packets that find no room are passed on later, in their order, and so is what follows them, a release too. */
static void keeps(void **state)
{
	struct bench *b = *state;

	b->room = 0;
	store(b, MEMBER, 1);
	assert_int_equal(b->peers[SOURCE].applied, 0);
	b->room = UINT_MAX;
	store(b, MEMBER, 2);
	assert_int_equal(b->peers[SOURCE].applied, 0);
	b->room = 0;
	release(b);
	assert_true(!b->sent && !b->answers);
	b->room = UINT_MAX;
	glk_hop_run(&b->u);
	assert_int_equal(b->peers[SOURCE].applied, 2);
	assert_true(b->sent == 1 && !b->answers);
	assert_int_equal(word(b->other), 2);
	b->peers[MEMBER].acked = 1;
	glk_hop_run(&b->u);
	assert_true(b->answers == 1 && b->status == GLK_ST_OK);
}

/* Who has stored to a lost process hears of it. */
static void loses(void **state)
{
	struct bench *b = *state;

	b->peers[MEMBER].lost = true;
	store(b, 0, 5);
	release(b);
	assert_true(b->answers == 1 && b->status == GLK_ST_OK);
	store(b, MEMBER, 6);
	release(b);
	assert_true(b->answers == 2 && b->status == GLK_ST_ENDPOINT);
}

/* Who has another relay, or writes where no memory is, changes nothing. */
static void refuses(void **state)
{
	const uint64_t id = 77, slot = UINT64_C(1) << glk_hop_route(&((struct bench *)*state)->u)->slot;
	struct bench *b = *state;

	b->from = STRANGER;
	store(b, 0, 9);
	assert_int_equal(b->u.malformed, 1);
	b->from = SOURCE;
	assert_false(glk_hop_asked(&b->u, STRANGER, (const uint8_t *)&id, sizeof(id)));
	assert_false(glk_hop_asked(&b->u, SOURCE, (const uint8_t *)&id, 7));
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t rows[] = { 0, 1, 2 };
		uint64_t value = 9, beyond = i == 2 ? 0 : BYTES - 7;

		glk_lane_store(b->lane, 64, &value, 8); /* a good one before */
		glk_lane_store(b->lane, rows[i] * slot + beyond, &value, 8);
		glk_lane_flush(b->lane, GLK_FLUSH_RELEASE);
		assert_int_equal(b->u.malformed, 2 + i);
	}
	assert_int_equal(word(b->own), 0);
	assert_int_equal(b->peers[SOURCE].applied, 3);
}

static void leaves(void **state)
{
	struct bench *b = *state;

	store(b, MEMBER, 3);
	glk_hop_leave(&b->u);
	assert_int_equal(b->leaves, 1);
	assert_false(glk_hop_all_left(&b->u));
	glk_hop_left(&b->u, SOURCE);
	assert_true(glk_hop_all_left(&b->u));
	glk_hop_flush(&b->u);
	assert_int_equal(word(b->other), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(passes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(waits_for_no_more, setup, teardown),
		cmocka_unit_test_setup_teardown(waits_for_no_more_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(keeps, setup, teardown),
		cmocka_unit_test_setup_teardown(loses, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(leaves, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
