// SPDX-License-Identifier: Apache-2.0
/* The card through its registers: identity, windows, releases, drains, reset, timeouts, errors. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"

static uint64_t refused_writes(struct bench *b)
{
	return bench_card_counter(b, GLK_CARD_ERR_CONFIG);
}

static void identity(void **state)
{
	struct bench *b = *state;
	static const unsigned types[] = {
		GLK_BLOCK_CARD_TYPE, GLK_BLOCK_PARTITION_TYPE, GLK_BLOCK_WINDOW_TYPE, GLK_BLOCK_REGISTRATION_TYPE,
		GLK_BLOCK_CONTEXT_TYPE, GLK_BLOCK_DOORBELL_TYPE, GLK_BLOCK_REGION_TYPE, GLK_BLOCK_CHUNK_TYPE,
		GLK_BLOCK_TSU_TYPE,
	};
	unsigned blocks = 0;
	uint64_t value;

	assert_int_equal(bench_read(b, GLK_CARD_MAGIC), GLK_MAGIC);
	for (uint64_t at = 0;; blocks++) {
		uint64_t header = bench_read(b, (unsigned)at);

		assert_true(blocks < 9);
		assert_int_equal(header & 0xffff, types[blocks]);
		at = header >> 32;
		if (!at)
			break;
	}
	assert_int_equal(blocks, 8);
	assert_int_equal(glk_card_register_read(b->card, GLK_CARD_MAGIC + 1, 1, &value), 0);
	assert_int_equal(value, 'g');
	assert_int_equal(glk_card_register_read(b->card, 4, 8, &value), -EINVAL);
	assert_int_equal(glk_card_register_read(b->card, GLK_BAR0_SIZE, 8, &value), -EINVAL);
	assert_int_equal(value, UINT64_MAX);
	bench_write(b, GLK_CARD_SCRATCH, 0x1122334455667788);
	assert_int_equal(glk_card_register_write(b->card, GLK_CARD_SCRATCH + 2, 2, 0xabcd), 0);
	assert_int_equal(bench_read(b, GLK_CARD_SCRATCH), 0x11223344abcd7788);
}

static void refusals(void **state)
{
	struct bench *b = *state;
	const struct {
		unsigned offset;
		uint64_t value;
	} wrong[] = {
		{ bench_partition(0, GLK_PARTITION_SUBHEADER_BYTES), 1 },
		{ bench_partition(0, GLK_PARTITION_SUBHEADER_BYTES), 7 },
		{ bench_partition(0, GLK_PARTITION_MAX_PAYLOAD_BYTES), 64 },
		{ bench_partition(0, GLK_PARTITION_MAX_PAYLOAD_BYTES), 8192 },
		{ bench_partition(0, GLK_PARTITION_MAX_PAYLOAD_BYTES), 300 },
		{ bench_partition(0, GLK_PARTITION_FLUSH_TIMEOUT_NS), GLK_TIMEOUT_MAX_NS + 1ull },
		{ bench_partition(0, GLK_PARTITION_MODE), 4 },
		{ bench_partition(0, GLK_PARTITION_MODE), GLK_PARTITION_MODE_RESET | 1 << 5 }, /* KEEP, which was removed */
		{ bench_partition(0, GLK_PARTITION_EP_BASE), 4096 }, /* not while there is an endpoint */
		{ bench_partition(4, GLK_PARTITION_EP_BASE), 1 },
		{ bench_partition(4, GLK_PARTITION_EP_KIND), GLK_EP_BUS }, /* no bytes yet */
		{ bench_partition(4, GLK_PARTITION_EP_KIND), 3 },
		{ bench_partition(0, GLK_PARTITION_STORES), 0 },
		{ GLK_CARD_CONTROL, 4 },
		{ GLK_CARD_MAGIC, 0 },
		{ GLK_CARD_DRAIN, 4 },
		{ GLK_CARD_DRAIN, GLK_DRAIN_PARTITION | 16 << GLK_CARD_DRAIN_ID_SHIFT },
		{ GLK_CARD_DRAIN, GLK_DRAIN_WINDOW | 9 << GLK_CARD_DRAIN_ID_SHIFT },
		{ GLK_WINDOW_ARRAY + GLK_WINDOW_Q1, 0 }, /* of a valid entry */
		{ GLK_WINDOW_ARRAY + GLK_WINDOW_STRIDE + GLK_WINDOW_Q1, 100 },
		{ GLK_WINDOW_ARRAY + GLK_WINDOW_STRIDE + GLK_WINDOW_Q2, (1 << 20) + 1 },
		{ GLK_WINDOW_ARRAY + GLK_WINDOW_STRIDE + GLK_WINDOW_Q0, 7 }, /* no bytes */
		{ GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q2, 4 },
		{ GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q3, 4096 },
		{ GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q3, GLK_REGISTRATION_Q3_LARGE_MASK | 0x200000 },
		{ GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q3, 1ull << 34 },
		{ GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q0, 3 },
		{ bench_context(0, GLK_CONTEXT_SQ_BASE), 64 }, /* while it runs */
		{ bench_context(1, GLK_CONTEXT_SQ_BASE), 32 },
		{ bench_context(1, GLK_CONTEXT_ORDER), 3 | 4 << 8 },
		{ bench_context(1, GLK_CONTEXT_ORDER), 4 | 16 << 8 },
		{ bench_context(1, GLK_CONTEXT_RECORD), 8 },
		{ bench_context(1, GLK_CONTEXT_VECTOR), 33 },
		{ bench_context(1, GLK_CONTEXT_CONTROL), 1 }, /* no order yet */
		{ 0xff0, 1 },
	};
	uint64_t before = refused_writes(b);

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint64_t was = bench_read(b, wrong[i].offset);

		bench_write(b, wrong[i].offset, wrong[i].value);
		assert_int_equal(bench_read(b, wrong[i].offset), was);
		assert_int_equal(refused_writes(b), before + i + 1);
	}
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_CONFIG_MASK);
	assert_int_equal(b->interrupts[GLK_EVENT_VECTOR], 1);
	bench_write(b, GLK_CARD_ERROR_CAUSE, UINT64_MAX);
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE), 0);
}

static void stores_wait_for_release(void **state)
{
	struct bench *b = *state;

	assert_int_equal(bench_store8(b, 64, 5), 0);
	assert_int_equal(bench_store8(b, 64, 6), 0);
	assert_int_equal(bench_at_endpoint(b, 0, 64), 0);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 99);
	assert_int_equal(bench_at_endpoint(b, 0, 64), 6);
	assert_int_equal(b->packets, 1);
	assert_int_equal(b->interrupts[1], 1);
	assert_memory_equal(b->host + BENCH_RECORD(0), "\x63\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_RELEASE), 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_OVERWRITTEN_BYTES), 8);
	/* 24 + sub-header 5 + 8, padded: 24 + 16; raw twice 24 + 8. */
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES), 40);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_RAW_WIRE_BYTES), 64);
}

static void release_waits_for_endpoints(void **state)
{
	struct bench *b = *state;
	unsigned released = GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED;

	bench_window(b, 1, 1, 0, 1, 0, 4096, BENCH_RW);
	b->hold = true;
	bench_store8(b, 0, 1);
	bench_store8(b, 1 << 20, 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	assert_int_equal(b->posted[0] + b->posted[1], 2);
	assert_int_equal(bench_read(b, released), 0);
	bench_store8(b, 0, 3);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 3);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(bench_read(b, released), 0);
	glk_card_endpoint_acknowledge(b->card, 1, 1, 0);
	/* The first has completed, and the later ones have flushed as one. */
	assert_int_equal(bench_read(b, released), 1);
	assert_int_equal(b->posted[0], 2);
	assert_int_equal(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_IDLE_MASK, 0);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(bench_read(b, released), 3);
	assert_int_equal(b->interrupts[1], 2);
	assert_true(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_IDLE_MASK);
}

/* An endpoint that acknowledges at once must not complete a release before the last partition is flushed. */
static void release_flushes_all_partitions(void **state)
{
	struct bench *b = *state;

	bench_window(b, 1, 1, 0, 1, 0, 4096, BENCH_RW);
	bench_store8(b, 0, 1);
	bench_store8(b, 1 << 20, 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	assert_int_equal(b->interrupts[1], 1);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 1);
	assert_int_equal(bench_at_endpoint(b, 1, 0), 2);
}

static void release_leaves_others_queued(void **state)
{
	struct bench *b = *state;

	bench_window(b, 1, 1, 1, 1, 0, 4096, BENCH_RW);
	bench_store8(b, 0, 1);
	bench_store8(b, 1 << 20, 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 1);
	assert_int_equal(bench_at_endpoint(b, 1, 0), 0);
}

/* After CONTROL = 0 no release of the context is reported, whether requested before or after. */
static void release_ends_with_its_context(void **state)
{
	const uint8_t nothing[16] = { 0 };
	struct bench *b = *state;

	b->hold = true;
	bench_store8(b, 0, 1);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	bench_store8(b, 0, 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 2);
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL), 0);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 3);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_CONTEXT);
	glk_card_endpoint_acknowledge(b->card, 0, b->posted[0], 0);
	assert_false(bench_read(b, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 2);
	assert_memory_equal(b->host + BENCH_RECORD(0), nothing, 16);
	assert_int_equal(b->interrupts[1], 0);
}

static void next_owner_finds_nothing(void **state)
{
	uint64_t release[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0), 7 };
	const unsigned page = GLK_DOORBELL_ARRAY;
	struct bench *b = *state;

	bench_store8(b, 0, 1);
	bench_write(b, page + GLK_DOORBELL_RELEASE, UINT64_C(0x1111111100000001));
	b->fail_writes = true;
	bench_store8(b, 0, 2);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	b->fail_writes = false;
	bench_write(b, bench_context(0, GLK_CONTEXT_CONTROL), 0);
	bench_context_start(b, 0);
	assert_int_equal(bench_read(b, page + GLK_DOORBELL_RELEASED), 0);
	assert_int_equal(bench_run(b, release), GLK_ST_OK); /* not its failure */
	assert_int_equal(glk_card_register_write(b->card, page + GLK_DOORBELL_RELEASE, 4, 5), 0);
	assert_int_equal(bench_read(b, page + GLK_DOORBELL_RELEASED), 5);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 0);
}

static void window_checks(void **state)
{
	struct bench *b = *state;
	uint64_t value = 1;

	bench_window(b, 2, 0, 0, 2, 0, 4096, GLK_WINDOW_Q0_READ_MASK);
	bench_window(b, 3, 5, 0, 3, 0, 4096, BENCH_RW);
	bench_window(b, 4, 0, 0, 4, BENCH_ENDPOINT_BYTES - 4096, 8192, BENCH_RW);
	assert_int_equal(bench_store8(b, 1 << 20, 1), -EFAULT);
	assert_int_equal(bench_store8(b, 2 << 20, 1), -EACCES);
	assert_int_equal(bench_store8(b, (2 << 20) + 4096, 1), -EFAULT);
	assert_int_equal(bench_store8(b, (2 << 20) + 4092, 1), -EFAULT);
	assert_int_equal(bench_store8(b, 3 << 20, 1), -EIO);
	assert_int_equal(bench_store8(b, (4 << 20) + 4096, 1), -EIO);
	assert_int_equal(bench_store8(b, 1ull << 40, 1), -EFAULT);
	assert_int_equal(glk_card_aperture_load(b->card, 1 << 20, &value, 8), -EFAULT);
	assert_int_equal(value, UINT64_MAX);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_WINDOW), 8);
	/* Those that hit a window of context 0. */
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 5);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 0);
}

static void load_flushes_what_it_hits(void **state)
{
	struct bench *b = *state;
	uint64_t value;

	bench_store8(b, 128, 42);
	assert_int_equal(glk_card_aperture_load(b->card, 136, &value, 8), 0);
	assert_int_equal(value, 0);
	assert_int_equal(b->packets, 0);
	assert_int_equal(glk_card_aperture_load(b->card, 128, &value, 8), 0);
	assert_int_equal(value, 42);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_LOAD_HIT), 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_LOADS), 2);
	b->fail_reads = true;
	assert_int_not_equal(glk_card_aperture_load(b->card, 128, &value, 8), 0);
	assert_int_equal(value, UINT64_MAX);
}

static void timeout_flushes(void **state)
{
	struct bench *b = *state;

	assert_int_equal(glk_card_deadline(b->card), UINT64_MAX);
	bench_write(b, bench_partition(0, GLK_PARTITION_FLUSH_TIMEOUT_NS), 1000);
	glk_card_advance(b->card, 5000);
	bench_store8(b, 0, 1);
	assert_int_equal(glk_card_deadline(b->card), 6000);
	glk_card_advance(b->card, 5900);
	bench_store8(b, 8, 2);
	assert_int_equal(glk_card_deadline(b->card), 6900);
	glk_card_advance(b->card, 6899);
	assert_int_equal(b->packets, 0);
	glk_card_advance(b->card, 6900);
	assert_int_equal(b->packets, 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_TIMEOUT), 1);
}

static void change_of_settings_flushes(void **state)
{
	struct bench *b = *state;

	bench_store8(b, 0, 1);
	bench_write(b, bench_partition(0, GLK_PARTITION_SUBHEADER_BYTES), 5); /* no change */
	assert_int_equal(b->packets, 0);
	bench_write(b, bench_partition(0, GLK_PARTITION_SUBHEADER_BYTES), 3);
	assert_int_equal(b->packets, 1);
	assert_int_equal(b->packet[7] & 15, 5);
	bench_store8(b, 0, 2);
	bench_write(b, bench_partition(0, GLK_PARTITION_MODE), GLK_PARTITION_MODE_SELF_DESCRIBE_MASK);
	assert_int_equal(b->packets, 2);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_CONFIG), 2);
	bench_store8(b, 0, 3); /* not coalesced any more */
	assert_int_equal(b->packets, 3);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 3);
}

static void drain(void **state)
{
	struct bench *b = *state;

	b->hold = true;
	bench_store8(b, 0, 1);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_WINDOW);
	assert_true(bench_read(b, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD); /* one at a time */
	assert_int_equal(refused_writes(b), 1);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(bench_read(b, GLK_CARD_DRAIN), GLK_DRAIN_WINDOW);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_DRAIN), 1);
	bench_store8(b, 0, 2);
	bench_write(b, GLK_WINDOW_ARRAY + GLK_WINDOW_Q0, 0);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 2);
	assert_int_equal(bench_store8(b, 0, 3), -EFAULT);
}

static void endpoint_change_flushes(void **state)
{
	struct bench *b = *state;

	bench_store8(b, 0, 1);
	bench_write(b, bench_partition(0, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 1);
	assert_int_equal(bench_store8(b, 0, 2), -EIO);
	bench_write(b, bench_partition(0, GLK_PARTITION_EP_BASE), 4096);
	bench_write(b, bench_partition(0, GLK_PARTITION_EP_BYTES), 8192);
	bench_write(b, bench_partition(0, GLK_PARTITION_EP_KIND), GLK_EP_POOL);
	assert_int_equal(bench_store8(b, 8, 7), 0);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	assert_int_equal(bench_read(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED), 1);
	{
		uint64_t value = 0;

		assert_int_equal(glk_card_pool_read(b->card, 4096 + 8, &value, 8), 0);
		assert_int_equal(value, 7);
		assert_int_equal(glk_card_pool_read(b->card, (16 << 20) - 4, &value, 8), -EINVAL);
	}
}

/* The acknowledgement of a write to the new memory must not count for the old one. */
static void endpoint_changes_when_all_arrived(void **state)
{
	const unsigned kind = bench_partition(0, GLK_PARTITION_EP_KIND);
	struct bench *b = *state;

	b->hold = true;
	bench_store8(b, 0, 1);
	bench_write(b, kind, GLK_EP_POOL); /* not directly from one kind to another */
	assert_int_equal(bench_read(b, kind), GLK_EP_BUS);
	bench_write(b, kind, GLK_EP_NONE);
	bench_write(b, bench_partition(0, GLK_PARTITION_EP_BASE), BENCH_BUS(0) + 4096);
	bench_write(b, kind, GLK_EP_BUS);
	assert_int_equal(bench_read(b, kind), GLK_EP_NONE);
	assert_int_equal(refused_writes(b), 2);
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	bench_write(b, kind, GLK_EP_BUS);
	assert_int_equal(bench_read(b, kind), GLK_EP_BUS);
	bench_store8(b, 0, 2);
	bench_write(b, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	bench_write(b, kind, GLK_EP_BUS); /* no change */
	assert_int_equal(refused_writes(b), 2);
}

static void reset_forgets_and_counts(void **state)
{
	struct bench *b = *state;
	uint64_t release[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0), 7 };

	bench_store8(b, 0, 1);
	bench_store8(b, 8, 1);
	b->hold = true;
	bench_window(b, 1, 1, 0, 1, 0, 4096, BENCH_RW);
	bench_store8(b, 1 << 20, 2);
	bench_submit(b, release);
	glk_card_service(b->card, 10);
	bench_store8(b, 0, 1);
	bench_write(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	assert_int_equal(bench_read(b, GLK_CARD_CONTROL), 0);
	assert_int_equal(bench_read(b, GLK_CARD_GENERATION), 1);
	assert_int_equal(bench_card_counter(b, GLK_CARD_DROPPED_STORES), 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 3);
	assert_true(bench_read(b, GLK_CARD_STATUS) & GLK_CARD_STATUS_IDLE_MASK);
	assert_int_equal(bench_read(b, GLK_WINDOW_ARRAY), 0);
	assert_int_equal(bench_read(b, bench_partition(0, GLK_PARTITION_EP_KIND)), 0);
	assert_int_equal(bench_store8(b, 0, 1), -ENODEV);
	assert_int_equal(bench_card_counter(b, GLK_CARD_DROPPED_STORES), 2);
	b->hold = false;
	bench_start(b);
	assert_int_equal(bench_store8(b, 0, 9), 0);
	assert_int_equal(bench_run(b, release), GLK_ST_OK);
	assert_int_equal(bench_at_endpoint(b, 0, 0), 9);
}

static void bad_packets_change_nothing(void **state)
{
	struct bench *b = *state;
	uint8_t packet[5000], before[64];
	size_t bytes;

	bench_store8(b, 0, 1);
	bench_store8(b, 200, 2);
	bench_write(b, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	bytes = b->packet_bytes;
	memcpy(packet, b->packet, bytes);
	memcpy(before, b->endpoint[0], sizeof(before));
	packet[bytes - 9]++; /* the second sub-packet's data: still valid */
	for (unsigned i = 0; i < 8; i++) {
		uint8_t bad[5000];

		memcpy(bad, packet, bytes);
		memset(b->endpoint[0], 0xee, 256);
		switch (i) {
		case 0: bad[0] ^= 1; break;	   /* Type */
		case 1: bad[1] = 0x10; break;	   /* TC */
		case 2: bad[3]++; break;	   /* Length */
		case 3: bad[7] = (uint8_t)(bad[7] & 15) | 0x20; break; /* Last BE */
		case 4: bad[7] = (uint8_t)(bad[7] & 0xf0) | 7; break; /* First BE */
		case 5: bad[9] = 9; break;	   /* partition without endpoint */
		case 6: bad[15] = 64; break;	   /* base not aligned */
		case 7: bad[16 + 13 + 4] = 0xff; break; /* second sub-packet beyond the endpoint */
		}
		assert_int_equal(glk_card_link_receive(b->card, bad, bytes), -EBADMSG);
		for (unsigned k = 0; k < 256; k++)
			assert_int_equal(b->endpoint[0][k], 0xee);
	}
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_PACKET), 8);
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_PACKET_MASK);
	assert_int_equal(glk_card_link_receive(b->card, packet, bytes), 0);
}

static void poisoned_writes_store_nothing(void **state)
{
	struct bench *b = *state;
	uint64_t value;

	assert_int_equal(glk_card_register_poisoned(b->card, GLK_CARD_SCRATCH, 8), -EBADMSG);
	assert_int_equal(glk_card_register_poisoned(b->card, GLK_CARD_SCRATCH, 3), -EINVAL);
	assert_int_equal(bench_read(b, GLK_CARD_SCRATCH), 0);
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_CONFIG_MASK);
	assert_int_equal(refused_writes(b), 1);
	/* Through a window: counted for its owner. */
	assert_int_equal(glk_card_aperture_poisoned(b->card, 64), -EBADMSG);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);
	/* Without a window. */
	assert_int_equal(glk_card_aperture_poisoned(b->card, 1 << 20), -EBADMSG);
	assert_int_equal(bench_read(b, bench_context(0, GLK_CONTEXT_ERRORS)), 1);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_WINDOW), 2);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_STORES), 0);
	/* The pool. */
	assert_int_equal(glk_card_pool_poisoned(b->card, 64, 8), -EBADMSG);
	assert_int_equal(glk_card_pool_poisoned(b->card, UINT64_MAX, 8), -EINVAL);
	assert_int_equal(glk_card_pool_read(b->card, 64, &value, 8), 0);
	assert_int_equal(value, 0);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_WINDOW), 3);
	assert_int_equal(bench_read(b, GLK_CARD_ERROR_CAUSE),
			 GLK_CARD_ERROR_CAUSE_CONFIG_MASK | GLK_CARD_ERROR_CAUSE_WINDOW_MASK);
	bench_write(b, GLK_CARD_CONTROL, 0);
	assert_int_equal(glk_card_aperture_poisoned(b->card, 64), -ENODEV);
	assert_int_equal(bench_card_counter(b, GLK_CARD_DROPPED_STORES), 1);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_WINDOW), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(identity, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(refusals, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(stores_wait_for_release, bench_setup_paper, bench_teardown),
		cmocka_unit_test_setup_teardown(release_waits_for_endpoints, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(release_flushes_all_partitions, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(release_leaves_others_queued, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(release_ends_with_its_context, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(next_owner_finds_nothing, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(window_checks, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(load_flushes_what_it_hits, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(timeout_flushes, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(change_of_settings_flushes, bench_setup_paper, bench_teardown),
		cmocka_unit_test_setup_teardown(drain, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(endpoint_change_flushes, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(endpoint_changes_when_all_arrived, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(reset_forgets_and_counts, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(bad_packets_change_nothing, bench_setup_paper, bench_teardown),
		cmocka_unit_test_setup_teardown(poisoned_writes_store_nothing, bench_setup, bench_teardown),
	};

	return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
