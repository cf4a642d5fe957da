// SPDX-License-Identifier: Apache-2.0
/*
 * Leases on the other card's pool: it keeps the times. What each operation does, what is refused, cards without leases,
 * sessions that end, and random operations of both cards over a lossy link.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "card/state.h"
#include "lease_bench.h"
#include "pair.h"

#define CLOSED	      7u
#define CLOSED_SLICE  5u
#define BUS_SLICE     PAIR_SLICE
#define MODE_OPEN     (GLK_PARTITION_MODE_RESET | GLK_PARTITION_MODE_OPEN_MASK)
enum { FAR, HOME };

static const uint8_t bytes[4096] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

/* Card HOME has the pool, in LEASE_PARTITION; card FAR a window of it in LEASE_SLICE, and of a partition that is closed. */
static void start(struct pair *pair)
{
	struct bench *home = &pair->side[HOME], *far = &pair->side[FAR];

	lease_start(home);
	bench_write(home, bench_partition(LEASE_PARTITION, GLK_PARTITION_MODE), MODE_OPEN);
	pair_bind(far, LEASE_PARTITION, LEASE_PARTITION, LEASE_BYTES);
	bench_window(far, LEASE_SLICE, LEASE_PARTITION, 0, LEASE_SLICE, 0, LEASE_BYTES, BENCH_RW);
	pair_bind(far, CLOSED, CLOSED, LEASE_BYTES);
	bench_window(far, CLOSED_SLICE, CLOSED, 0, CLOSED_SLICE, 0, LEASE_BYTES, BENCH_RW);
	bench_register(far, LEASE_REGISTRATION, 0, LEASE_REGISTERED, 0,
		       GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
	pair_run(pair, 1000);
}

static int setup(void **state)
{
	pair_setup(state);
	start(*state);
	return 0;
}

static void assert_lease(struct bench *b, uint64_t wts, uint64_t rts, uint64_t old, bool same)
{
	struct lease_record record = lease_record(b);

	assert_int_equal(record.wts, wts);
	assert_int_equal(record.rts, rts);
	assert_int_equal(record.old, old);
	assert_int_equal(record.same, same);
}

static uint64_t remote_clock(struct bench *b)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_POOL_CLOCK, 0, LEASE_SLICE, 0), 3, 0, REGISTERED(LEASE_REGISTRATION, 0) };

	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
	assert_int_equal(lease_record(b).wts, lease_record(b).rts);
	return lease_record(b).wts;
}

static void send_raw(struct bench *b, enum glk_kind kind, unsigned partition, uint64_t tag, uint64_t where, size_t length)
{
	const struct glk_link_header header = { .kind = kind, .partition = (uint8_t)partition, .tag = (uint16_t)tag };
	uint8_t body[16 + GLK_LINK_LINE_BYTES] = { 0 };

	glk_put_le64(body, where);
	assert_int_equal(glk_link_push(&b->card->link, &header, body, length), 0);
}

static void operations(void **state)
{
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];
	uint64_t sqe[8] = { SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, 3), 2, 0, REGISTERED(LEASE_REGISTRATION, 0), 17 };
	const uint64_t renewals[3][2] = { { 0x1040, 1 }, { 0x1080, 5 }, { 0x1040, 0 } };
	uint64_t got[3][2];

	assert_int_equal(bench_read(far, GLK_LINK_STATUS) >> 16 & 0xff, 2);
	glk_card_pool_write(home->card, LEASE_BASE + 0x1040, bytes, 10);
	assert_int_equal(lease_read(far, 0x1040, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_lease(far, 1, 11, 0, false);
	assert_memory_equal(lease_data(far), bytes, 64);
	assert_int_equal(lease_read(far, 0x1040, 64, 8, 1), GLK_ST_OK);
	assert_lease(far, 1, 18, 0, true);
	assert_int_equal(lease_write(far, 0x1083, bytes, 7, 4), GLK_ST_OK);
	assert_lease(far, 4, 8, 0, false);
	memcpy(lease_registered(far, 0), renewals, sizeof(renewals));
	assert_int_equal(lease_run(far, sqe, NULL), GLK_ST_OK);
	memcpy(got, lease_registered(far, 0), sizeof(got));
	assert_true(got[0][0] == 27 && got[0][1] == 1 && got[1][0] == 0 && got[1][1] == 4 && got[2][0] == 0 && got[2][1] == 1);
	assert_int_equal(lease_atomic(far, GLK_OP_FETCH_ADD, 0x1040, 8, 1, 0, 0), GLK_ST_OK);
	assert_lease(far, 28, 32, 0x0807060504030201, false);
	assert_int_equal(lease_atomic(far, GLK_OP_SWAP, 0x1040, 4, 77, 0, 0), GLK_ST_OK);
	assert_lease(far, 33, 37, 0x04030202, false);
	assert_int_equal(lease_atomic(far, GLK_OP_CAS, 0x1040, 4, 78, 5, 0), GLK_ST_OK);
	assert_lease(far, 33, 43, 77, false);
	assert_int_equal(lease_atomic(far, GLK_OP_CAS, 0x1040, 4, 78, 77, 0), GLK_ST_OK);
	assert_lease(far, 44, 48, 77, false);
	assert_int_equal(remote_clock(far), 44);
	assert_int_equal(remote_clock(home), 44);
	assert_int_equal(lease_counter(far, GLK_TSU_READS) + lease_counter(far, GLK_TSU_WRITES), 0);
	assert_int_equal(lease_counter(home, GLK_TSU_WRITES), 4);
	assert_int_equal(bench_read(far, GLK_TSU_CLOCK), 0);
}

/* A store of the own card that is queued, or on its way, comes first, with the home card's clock. */
static void own_stores_come_first(void **state)
{
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];

	for (unsigned mode = 0; mode < 2; mode++) {
		uint64_t value = 0x1111 + mode;

		bench_write(far, bench_partition(LEASE_PARTITION, GLK_PARTITION_MODE), mode ? GLK_PARTITION_MODE_RESET : 0);
		bench_store8(far, ((uint64_t)LEASE_SLICE << 20) + 0x2000, value);
		assert_int_equal(lease_read(far, 0x2000, 64, 0, LEASE_NONE), GLK_ST_OK);
		assert_memory_equal(lease_data(far), &value, 8);
		assert_int_equal(lease_counter(home, GLK_TSU_UNTIMED), 1 + mode);
	}
	/* A long packet, which requests could overtake. */
	assert_int_equal(glk_card_aperture_store(far->card, ((uint64_t)LEASE_SLICE << 20) + 0x3000, bytes, 4096), 0);
	bench_store8(far, ((uint64_t)LEASE_SLICE << 20) + 0x3ff8, 5);
	assert_int_equal(lease_read(far, 0x3fc0, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_data(far)[56], 5);
}

/* Lines longer than a block: all of it is of one version, also when it is written meanwhile. */
static unsigned waits; /* until then */

static void write_home(struct pair *pair)
{
	static uint8_t page[4096];

	if (--waits) {
		pair->meanwhile = write_home;
		return;
	}
	memset(page, 0x77, sizeof(page));
	glk_card_pool_write(pair->side[HOME].card, LEASE_BASE, page, sizeof(page));
}

static void long_lines(void **state)
{
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];
	uint64_t reads;

	bench_write(home, GLK_TSU_GRAIN_0, 6);
	glk_card_pool_write(home->card, LEASE_BASE, bytes, 4096);
	assert_int_equal(lease_read(far, 0, 64, 0, LEASE_NONE), GLK_ST_LENGTH);
	assert_int_equal(lease_read(far, 0, 2048, 0, LEASE_NONE), GLK_ST_LENGTH);
	assert_int_equal(lease_read(far, 0, 4096, 0, LEASE_NONE), GLK_ST_OK);
	assert_lease(far, 1, 11, 0, false);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(*lease_registered(far, 32 + i), bytes[i]);
	assert_int_equal(lease_read(far, 0, 4096, 5, 1), GLK_ST_OK);
	assert_lease(far, 1, 15, 0, true);
	reads = lease_counter(home, GLK_TSU_READS);
	waits = 300; /* some blocks have been read */
	pair->meanwhile = write_home;
	assert_int_equal(lease_read(far, 0, 4096, 5, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(waits, 0);
	assert_int_equal(lease_counter(home, GLK_TSU_READS) - reads, 2 * 64);
	assert_int_equal(lease_record(far).wts, 16);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(*lease_registered(far, 32 + i), 0x77);
	assert_int_equal(lease_write(far, 100, bytes, 200, 0), GLK_ST_OK); /* blocks of 28, 64, 64, 44 bytes */
	assert_int_equal(lease_counter(home, GLK_TSU_WRITES), 4);
	assert_int_equal(lease_read(far, 0, 4096, 0, LEASE_NONE), GLK_ST_OK);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(*lease_registered(far, 32 + i), i >= 100 && i < 300 ? bytes[i - 100] : 0x77);
	assert_int_equal(lease_write(far, 4090, bytes, 8, 0), GLK_ST_ALIGNMENT); /* beyond a page */
}

static void refusals(void **state)
{
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];
	uint64_t errors;
	const struct {
		uint64_t sqe[8];
		unsigned status;
	} cases[] = {
		{ { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, 0, REGISTERED(3, 0), 2, LEASE_NONE }, GLK_ST_TIME },
		{ { SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, 8), 1, 0, REGISTERED(3, 0), 2 }, GLK_ST_TIME },
		{ { SQE0(GLK_OP_SWAP, GLK_FLAG_TIMED, LEASE_SLICE, 8), 1, 0, REGISTERED(3, 0), 5, 0, 2 }, GLK_ST_TIME },
		{ { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 96), 1, 0, REGISTERED(3, 0), 0, LEASE_NONE }, GLK_ST_LENGTH },
		{ { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 8192), 1, 0, REGISTERED(3, 0), 0, LEASE_NONE }, GLK_ST_LENGTH },
		{ { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, 32, REGISTERED(3, 0), 0, LEASE_NONE }, GLK_ST_ALIGNMENT },
		{ { SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, LEASE_BYTES, REGISTERED(3, 0) }, GLK_ST_WINDOW_BOUNDS },
		{ { SQE0(GLK_OP_POOL_READ, 0, BUS_SLICE, 64), 1, 0, REGISTERED(3, 0), 0, LEASE_NONE }, GLK_ST_NOT_POOL },
		{ { SQE0(GLK_OP_POOL_WRITE, 0, BUS_SLICE, 8), 1, 0, REGISTERED(3, 0), 0 }, GLK_ST_NOT_POOL },
		{ { SQE0(GLK_OP_POOL_CLOCK, 0, BUS_SLICE, 0), 1, 0, REGISTERED(3, 0) }, GLK_ST_NOT_POOL },
		{ { SQE0(GLK_OP_POOL_CLOCK, 0, LEASE_SLICE, 8), 1, 0, REGISTERED(3, 0) }, GLK_ST_RESERVED },
		{ { SQE0(GLK_OP_POOL_CLOCK, 0, LEASE_SLICE, 0), 1, 0, REGISTERED(900, 0) }, GLK_ST_REGISTRATION },
		{ { SQE0(GLK_OP_POOL_READ, 0, CLOSED_SLICE, 64), 1, 0, REGISTERED(3, 0), 0, LEASE_NONE }, GLK_ST_ENDPOINT },
		{ { SQE0(GLK_OP_POOL_WRITE, 0, CLOSED_SLICE, 8), 1, 0, REGISTERED(3, 0), 0 }, GLK_ST_ENDPOINT },
		{ { SQE0(GLK_OP_POOL_CLOCK, 0, CLOSED_SLICE, 0), 1, 0, REGISTERED(3, 0) }, GLK_ST_ENDPOINT },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(lease_registered(far, 0), 0x5a, 100);
		if (lease_run(far, cases[i].sqe, NULL) != cases[i].status)
			fail_msg("case %u", i);
		assert_int_equal(*lease_registered(far, 0), 0x5a);
	}
	errors = pair_link_counter(home, GLK_LINK_DENIED);
	assert_int_equal(errors, 1 + 4); /* three here, and the translations of what is closed */
	assert_int_equal(lease_counter(home, GLK_TSU_REFUSED), 3);
	bench_write(home, GLK_TSU_GRAIN_0, 1);
	memcpy(lease_registered(far, 0), (const uint64_t[]){ 64, 0 }, 16);
	assert_int_equal(
		lease_run(far, (const uint64_t[8]){ SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, 1), 1, 0, REGISTERED(3, 0) }, NULL),
		GLK_ST_ALIGNMENT);								 /* in a line of 128 bytes */
	bench_write(home, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_KIND), GLK_EP_NONE); /* one that ends too soon */
	bench_write(home, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_BYTES), 4096);
	bench_write(home, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_KIND), GLK_EP_POOL);
	assert_int_equal(lease_read(far, 8192, 64, 0, LEASE_NONE), GLK_ST_ENDPOINT);
	assert_int_equal(lease_write(far, 8192, bytes, 8, 0), GLK_ST_ENDPOINT);
	assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS) + pair_link_counter(home, GLK_LINK_STRAYS), 0);
}

/* Either card may lack leases: then the link is of version 1, and all but these operations works. */
static void versions(void **state)
{
	struct pair *pair = test_malloc(sizeof(*pair));

	(void)state;
	for (unsigned leases = 0; leases < 3; leases++) {
		pair_create_with(pair, 5, leases, 3);
		start(pair);
		for (unsigned side = 0; side < 2; side++) {
			struct bench *b = &pair->side[side];

			assert_int_equal(bench_read(b, GLK_LINK_STATUS) >> 16 & 0xff, 1);
			assert_int_equal(bench_read(b, GLK_LINK_CAPS) >> 40, leases >> side & 1 ? 2 : 1);
			/* A card of version 1 refuses what the other one says first. */
			assert_int_equal(pair_link_counter(b, GLK_LINK_VERSION_ERRORS) > 0, leases && !(leases >> side & 1));
			assert_int_equal(pair_link_counter(b, GLK_LINK_PROTOCOL_ERRORS), 0);
		}
		assert_int_equal(lease_read(&pair->side[FAR], 0, 64, 0, LEASE_NONE),
				 leases & 1 ? GLK_ST_NOT_POOL : GLK_ST_OPCODE);
		assert_int_equal(lease_write(&pair->side[FAR], 0, bytes, 8, 0), leases & 1 ? GLK_ST_NOT_POOL : GLK_ST_OPCODE);
		bench_store8(&pair->side[FAR], ((uint64_t)LEASE_SLICE << 20) + 0x2000, 77);
		assert_int_equal(pair_release(pair, FAR), 0);
		assert_int_equal(bench_load8(&pair->side[FAR], ((uint64_t)LEASE_SLICE << 20) + 0x2000), 77);
		pair_cut(pair);
		pair_run_until_up(pair);
		assert_int_equal(bench_load8(&pair->side[FAR], ((uint64_t)LEASE_SLICE << 20) + 0x2000), 77);
		for (unsigned side = 0; side < 2; side++) { /* another session, too */
			bench_write(&pair->side[side], GLK_LINK_CONTROL, 0);
			bench_write(&pair->side[side], GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
			pair_run_until_up(pair);
			pair_run(pair, 1000);
			assert_int_equal(bench_load8(&pair->side[FAR], ((uint64_t)LEASE_SLICE << 20) + 0x2000), 77);
		}
		send_raw(&pair->side[FAR], GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, 1, 0, 24); /* there is no such kind */
		pair_run(pair, 1000);
		assert_int_equal(pair_link_counter(&pair->side[HOME], GLK_LINK_PROTOCOL_ERRORS), 1);
		pair_destroy(pair);
	}
	test_free(pair);
}

/* A session that ends fails what is in progress, once; the next one works. */
static void end_session(struct pair *pair)
{
	bench_write(&pair->side[HOME], GLK_LINK_CONTROL, 0);
	bench_write(&pair->side[HOME], GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
}

/* The next one has begun before anybody looks. */
static void another_session(struct pair *pair)
{
	end_session(pair);
	for (unsigned i = 0;
	     i < 100000 && (i < 1000 || !(bench_read(&pair->side[FAR], GLK_LINK_STATUS) & GLK_LINK_STATUS_UP_MASK)); i++)
		pair_clock(pair, 1);
}

static void sessions_end(void **state)
{
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR];

	for (unsigned i = 0; i < 6; i++) {
		pair->meanwhile = i < 3 ? end_session : another_session;
		assert_int_equal(i % 3 == 0	  ? lease_read(far, 0, 64, 0, LEASE_NONE)
				 : i % 3 == 1 ? lease_write(far, 0, bytes, 8, 0)
					  : lease_atomic(far, GLK_OP_SWAP, 0, 8, 1, 0, 0),
				 GLK_ST_ENDPOINT);
		assert_int_equal(pair_errors(far, LEASE_PARTITION), i + 1);
		pair_run_until_up(pair);
		pair_run(pair, 1000);
		assert_int_equal(lease_read(far, 0, 64, 0, LEASE_NONE), GLK_ST_OK);
	}
	pair_cut(pair);
	bench_write(far, GLK_LINK_CONTROL, 0);
	assert_int_equal(lease_read(far, 0, 64, 0, LEASE_NONE), GLK_ST_ENDPOINT); /* no session */
	assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS), 0);
	assert_int_equal(pair_link_counter(far, GLK_LINK_TIMEOUTS), 0);
}

/* --- a card that sends what it must not --- */

/* What names too much changes nothing. */
static void hostile_requests(void **state)
{
	static const struct {
		enum glk_kind kind;
		unsigned partition;
		uint64_t where;
	} wrong[] = {
		{ GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, 1ull << 54 },
		{ GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, 1ull << 63 },
		{ GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, 3ull << 52 },
		{ GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, 8 },
		{ GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, LEASE_BYTES },
		{ GLK_KIND_LEASE_REQUEST, LEASE_PARTITION, (1ull << 48) - 64 },
		{ GLK_KIND_LEASE_REQUEST, CLOSED, 0 },
		{ GLK_KIND_LEASE_REQUEST, 15, 0 },
		{ GLK_KIND_LEASE_REQUEST, CLOSED, 2ull << 52 },
		{ GLK_KIND_TIMED_REQUEST, LEASE_PARTITION, 1ull << 56 },
		{ GLK_KIND_TIMED_REQUEST, LEASE_PARTITION, 1 | 63ull << 48 },
		{ GLK_KIND_TIMED_REQUEST, LEASE_PARTITION, LEASE_BYTES },
		{ GLK_KIND_TIMED_REQUEST, LEASE_PARTITION, (1ull << 48) - 1 },
		{ GLK_KIND_TIMED_REQUEST, LEASE_PARTITION, 2ull << 48 | 1ull << 54 }, /* 3 bytes */
		{ GLK_KIND_TIMED_REQUEST, LEASE_PARTITION, 4 | 7ull << 48 | 1ull << 54 },
		{ GLK_KIND_TIMED_REQUEST, CLOSED, 0 },
		{ GLK_KIND_TIMED_REQUEST, 15, 0 },
	};
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];
	uint64_t denied = pair_link_counter(home, GLK_LINK_DENIED);

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		send_raw(far, wrong[i].kind, wrong[i].partition, i, wrong[i].where,
			 wrong[i].kind == GLK_KIND_LEASE_REQUEST ? 24 : 80);
		pair_run(pair, 1000);
		assert_int_equal(pair_link_counter(home, GLK_LINK_DENIED), denied + i + 1);
		assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS), i + 1); /* the answer */
	}
	assert_int_equal(lease_counter(home, GLK_TSU_READS) + lease_counter(home, GLK_TSU_WRITES) +
				 lease_counter(home, GLK_TSU_REFUSED),
			 0);
	send_raw(home, GLK_KIND_LEASE_RESPONSE, GLK_LINK_DONE, 3, 0, 80);
	send_raw(home, GLK_KIND_LEASE_RESPONSE, GLK_LEASE_SAME, 3, 0, 16);
	send_raw(home, GLK_KIND_TIMED_RESPONSE, GLK_LINK_DONE, 3, 0, 24);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS), sizeof(wrong) / sizeof(wrong[0]) + 3);
}

static unsigned forged; /* the status of an answer that is not the one asked for */

static void forge(struct pair *pair)
{
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];
	unsigned kind = far->card->remote.lease.response;
	size_t length = forged == GLK_LINK_DONE ? kind == GLK_KIND_LEASE_RESPONSE ? 80 : 24 :
			forged == GLK_LEASE_SAME || forged == GLK_LEASE_CHANGED ? 16 : 0;

	send_raw(home, (enum glk_kind)kind, forged, far->card->remote.lease.first_tag, 5, length);
}

static void forge_kind(struct pair *pair)
{
	send_raw(&pair->side[HOME], GLK_KIND_TIMED_RESPONSE, GLK_LINK_DONE, pair->side[FAR].card->remote.lease.first_tag, 5,
		 24);
}

static uint64_t forged_wts;

/* Answers the last block twice, ahead of the right answer. */
static void forge_twice(struct pair *pair)
{
	const struct glk_remote_lease *lease = &pair->side[FAR].card->remote.lease;

	if (lease->count == 1) {
		pair->meanwhile = forge_twice;
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		send_raw(&pair->side[HOME], GLK_KIND_LEASE_RESPONSE, GLK_LINK_DONE, lease->first_tag + lease->count - 1u,
			 forged_wts, 80);
}

static void answers_to_others(void **state)
{
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR], *home = &pair->side[HOME];

	pair->meanwhile = forge_kind;
	assert_int_equal(lease_read(far, 0, 64, 0, LEASE_NONE), GLK_ST_OK);
	assert_lease(far, 0, 10, 0, false);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS), 1);
	bench_write(home, GLK_TSU_GRAIN_0, 6); /* the line has wts 10 now */
	pair->meanwhile = forge_twice;
	forged_wts = 10;
	assert_int_equal(lease_read(far, 0, 4096, 0, LEASE_NONE), GLK_ST_OK);
	assert_int_equal(lease_record(far).wts, 10);
	pair_run(pair, 1000);
	assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS), 1 + 2);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(*lease_registered(far, 32 + i), 0);
}

/* An answer that does not fit the question is a failure of the endpoint, or what it says; never more. */
static void hostile_answers(void **state)
{
	static const uint64_t asks[][8] = {
		{ SQE0(GLK_OP_POOL_READ, 0, LEASE_SLICE, 64), 1, 0, REGISTERED(3, 0), 0, LEASE_NONE },
		{ SQE0(GLK_OP_POOL_RENEW, 0, LEASE_SLICE, 1), 1, 0, REGISTERED(3, 0), 0 },
		{ SQE0(GLK_OP_POOL_CLOCK, 0, LEASE_SLICE, 0), 1, 0, REGISTERED(3, 0) },
		{ SQE0(GLK_OP_POOL_WRITE, 0, LEASE_SLICE, 8), 1, 0, REGISTERED(3, 0), 0 },
	};
	static const unsigned expected[][8] = {
#define E GLK_ST_ENDPOINT
		{ GLK_ST_OK, E, E, GLK_ST_OK, E, GLK_ST_TIME, GLK_ST_LENGTH, GLK_ST_NOT_POOL },
		{ E, E, E, GLK_ST_OK, GLK_ST_OK, GLK_ST_TIME, GLK_ST_ALIGNMENT, GLK_ST_NOT_POOL },
		{ E, E, E, GLK_ST_OK, E, GLK_ST_TIME, GLK_ST_ALIGNMENT, GLK_ST_NOT_POOL },
		{ GLK_ST_OK, E, E, GLK_ST_OK, GLK_ST_OK, GLK_ST_TIME, GLK_ST_ALIGNMENT, GLK_ST_NOT_POOL },
	};
	struct pair *pair = *state;
	struct bench *far = &pair->side[FAR];

	for (unsigned i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		for (forged = 0; forged < 8; forged++) {
			if (i == 3 && (forged == GLK_LEASE_SAME || forged == GLK_LEASE_CHANGED))
				continue; /* a protocol error: there is no such answer */
			memset(lease_registered(far, 0), 0, 16);
			pair->meanwhile = forge;
			if (lease_run(far, asks[i], NULL) != expected[i][forged])
				fail_msg("ask %u, forged %u", i, forged);
			pair_run(pair, 1000);
		}
	}
	assert_int_equal(pair_link_counter(far, GLK_LINK_STRAYS), 8 + 8 + 8 + 6); /* the right ones */
	assert_int_equal(pair_link_counter(far, GLK_LINK_PROTOCOL_ERRORS), 0);
}

/* --- at random --- */

static struct chance chance;
static uint8_t memory[2][2048];
static struct {
	uint64_t wts;
	uint8_t data[64];
} copy[2][2][32]; /* card's, of the pool of, line */

/* Card `side` uses the pool of card `of`, which is its own or the other's. */
static void random_operation(struct pair *pair, unsigned side, unsigned of)
{
	struct bench *b = &pair->side[side];
	unsigned line = below(&chance, 32), kind = below(&chance, 4), first = below(&chance, 64),
		 length = 1 + below(&chance, 64 - first);
	uint64_t slice = side == of ? LEASE_SLICE : CLOSED_SLICE, at = 64 * line;
	uint64_t sqe[8] = { 0, 1, at, REGISTERED(LEASE_REGISTRATION, 0) }, value;
	uint8_t *now = &memory[of][at];

	switch (kind) {
	case 0:
		for (unsigned i = 0; i < length; i++)
			lease_data(b)[i] = now[first + i] = (uint8_t)draw(&chance);
		sqe[0] = SQE0(GLK_OP_POOL_WRITE, 0, slice, length);
		sqe[2] += first;
		break;
	case 1:
		memcpy(&value, now, 8);
		value += sqe[4] = draw(&chance);
		memcpy(now, &value, 8);
		sqe[0] = SQE0(GLK_OP_FETCH_ADD, GLK_FLAG_TIMED, slice, 8);
		break;
	default:
		sqe[0] = SQE0(GLK_OP_POOL_READ, 0, slice, 64);
		sqe[5] = copy[side][of][line].wts;
		break;
	}
	assert_int_equal(lease_run(b, sqe, NULL), GLK_ST_OK);
	if (kind < 2)
		return;
	if (!lease_record(b).same)
		memcpy(copy[side][of][line].data, lease_data(b), 64);
	copy[side][of][line].wts = lease_record(b).wts;
	assert_memory_equal(copy[side][of][line].data, now, 64);
}

static void by_chance(void **state)
{
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	struct pair *pair = *state;

	fprintf(stderr, "# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	chance_start(&chance, seed, 0);
	memset(copy, 0xff, sizeof(copy));
	memset(memory, 0, sizeof(memory));
	start(pair);
	lease_start(&pair->side[FAR]); /* its LEASE_PARTITION is a pool of its own instead */
	for (unsigned side = 0; side < 2; side++) {
		struct bench *b = &pair->side[side];
		unsigned slice = GLK_WINDOW_ARRAY + CLOSED_SLICE * GLK_WINDOW_STRIDE;

		bench_write(b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
		lease_start(b);
		bench_write(b, bench_partition(LEASE_PARTITION, GLK_PARTITION_MODE), MODE_OPEN);
		bench_write(b, slice, 0);
		pair_bind(b, CLOSED, LEASE_PARTITION, LEASE_BYTES);
		bench_window(b, CLOSED_SLICE, CLOSED, 0, CLOSED_SLICE, 0, LEASE_BYTES, BENCH_RW);
		bench_write(b, GLK_LINK_POOL_CYCLES, below(&chance, 129));
	}
	pair_run(pair, 1000);
	pair_harm(pair, LINK_LOSS, 0.003);
	pair_harm(pair, LINK_CORRUPTION, 0.003);
	for (unsigned i = 0; i < 3000; i++)
		random_operation(pair, below(&chance, 2), below(&chance, 2));
	for (unsigned side = 0; side < 2; side++)
		assert_int_equal(pair_link_counter(&pair->side[side], GLK_LINK_STRAYS), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(operations),	    TEST(own_stores_come_first), TEST(long_lines),	 TEST(refusals),
		cmocka_unit_test(versions), TEST(sessions_end),		 TEST(hostile_requests), TEST(hostile_answers),
		TEST(answers_to_others),    PAIR_TEST(by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
