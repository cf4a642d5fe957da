// SPDX-License-Identifier: Apache-2.0
/*
 * Regions on a card: readiness counters, epochs, transfers, releases, failures (PROACT III). Unless a test says otherwise:
 * region 0 of context 0, bytes i * 7 mod 251 in scattered pages, 4 chunks of 4 KiB, two writers a chunk, window of all of
 * endpoint 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"

#define CHUNK	     4096u
#define RECORD(r)    (0x12000u + (r) * 32u)
#define START_WHERE  0xffffffu
#define ALL	     UINT64_MAX

static unsigned region_at(unsigned region, unsigned reg)
{
	return GLK_REGION_ARRAY + region * GLK_REGION_STRIDE + reg;
}

static uint8_t source_byte(uint64_t i)
{
	return (uint8_t)(i * 7 % 251);
}

static void fill_source(struct bench *b, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++)
		b->host[bench_page((unsigned)(i / 4096)) + i % 4096] = source_byte(i);
}

struct shape {
	unsigned region, context, order, targets, first;
	uint64_t bytes, flags; /* of CONTROL */
	const uint16_t *initial;
};

static void create(struct bench *b, const struct shape *s)
{
	uint64_t chunks = (s->bytes - 1) / (1ULL << s->order) + 1, expected = 0;

	for (unsigned k = 0; k < chunks; k++) {
		uint64_t initial = s->initial ? s->initial[k] : 2;

		expected += initial != 0;
		bench_write(b, GLK_CHUNK_ARRAY + (s->first + k) * GLK_CHUNK_STRIDE, initial << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
	}
	bench_write(b, region_at(s->region, GLK_REGION_SOURCE), 7);
	bench_write(b, region_at(s->region, GLK_REGION_BYTES), s->bytes);
	bench_write(b, region_at(s->region, GLK_REGION_CHUNKS), s->first | chunks << GLK_REGION_CHUNKS_COUNT_SHIFT);
	bench_write(b, region_at(s->region, GLK_REGION_EXPECTED), expected);
	bench_write(b, region_at(s->region, GLK_REGION_RECORD), RECORD(s->region));
	bench_write(b, region_at(s->region, GLK_REGION_CONTROL),
		    GLK_REGION_CONTROL_VALID_MASK | s->flags | (uint64_t)s->order << GLK_REGION_CONTROL_ORDER_SHIFT |
			    (uint64_t)s->targets << GLK_REGION_CONTROL_TARGETS_SHIFT |
			    (uint64_t)s->context << GLK_REGION_CONTROL_CONTEXT_SHIFT);
	assert_true(bench_read(b, region_at(s->region, GLK_REGION_CONTROL)) & GLK_REGION_CONTROL_VALID_MASK);
}

static const struct shape usual = {
	.order = 12, .targets = 1, .bytes = 4 * CHUNK, .flags = GLK_REGION_CONTROL_FLUSH_ON_RELEASE_MASK,
};

static void source(struct bench *b, uint64_t bytes)
{
	bench_register(b, 7, 0, bytes, 0, GLK_REGISTRATION_Q0_READ_MASK);
	fill_source(b, bytes);
}

static void create_usual(struct bench *b)
{
	source(b, usual.bytes);
	create(b, &usual);
}

static void service(struct bench *b)
{
	while (glk_card_service(b->card, 1000))
		;
}

static void doorbell(struct bench *b, unsigned context, unsigned reg, uint64_t value)
{
	bench_write(b, GLK_DOORBELL_ARRAY + context * GLK_DOORBELL_STRIDE + reg, value);
	service(b);
}

static void start(struct bench *b, unsigned region)
{
	doorbell(b, 0, GLK_DOORBELL_START, region);
}

static uint64_t arrive_word(unsigned region, uint64_t chunk, uint64_t count, uint64_t epoch)
{
	return region | chunk << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT | count << GLK_DOORBELL_ARRIVE_COUNT_SHIFT |
	       epoch << GLK_DOORBELL_ARRIVE_EPOCH_SHIFT;
}

static void arrive(struct bench *b, unsigned chunk, unsigned count)
{
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(0, chunk, count, 0));
}

static uint64_t record(const struct bench *b, unsigned region, unsigned q)
{
	uint64_t value;

	memcpy(&value, b->host + RECORD(region) + 8 * q, 8);
	return value;
}

static uint64_t field(uint64_t value, uint64_t mask)
{
	return (value & mask) / (mask & ~(mask - 1));
}

static unsigned code(const struct bench *b, unsigned region)
{
	return (unsigned)field(record(b, region, GLK_REGION_RECORD_CODE_Q), GLK_REGION_RECORD_CODE_MASK);
}

static unsigned failed_targets(const struct bench *b, unsigned region)
{
	return (unsigned)field(record(b, region, GLK_REGION_RECORD_CODE_Q), GLK_REGION_RECORD_FAILED_TARGETS_MASK);
}

static uint64_t remaining(struct bench *b, unsigned counter)
{
	return bench_read(b, GLK_CHUNK_ARRAY + counter * GLK_CHUNK_STRIDE) & GLK_CHUNK_COUNTER_REMAINING_MASK;
}

static uint64_t errors(struct bench *b, unsigned context)
{
	return bench_read(b, bench_context(context, GLK_CONTEXT_ERRORS));
}

/* Bytes [from, to) of endpoint p are the source's, and the next one is not written. */
static void assert_arrived(const struct bench *b, unsigned p, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		assert_int_equal(b->endpoint[p][i], source_byte(i));
	assert_int_equal(b->endpoint[p][to], 0);
}

static unsigned run(struct bench *b, unsigned opcode, unsigned region, uint64_t chunk, unsigned count)
{
	const uint64_t sqe[8] = { SQE0(opcode, 0, 0, count), 99, chunk, REGISTERED(region, 0) };
	unsigned status, moved;
	uint64_t tag;

	bench_submit(b, sqe);
	service(b);
	assert_true(bench_completion(b, &tag, &status, &moved));
	assert_int_equal(moved, 0);
	return status;
}

static void release(struct bench *b, uint64_t value)
{
	doorbell(b, 0, GLK_DOORBELL_RELEASE, value);
}

static uint64_t released(const struct bench *b)
{
	uint64_t value;

	memcpy(&value, b->host + BENCH_RECORD(0), 8);
	return value;
}

/* Case 1, 2: a chunk is sent by its last writer, once. */
static void last_writer_sends(void **state)
{
	struct bench *b = *state;

	create_usual(b);
	start(b, 0);
	arrive(b, 1, 1);
	assert_int_equal(b->packets, 0);
	assert_int_equal(remaining(b, 1), 1);
	arrive(b, 1, 1);
	assert_int_equal(b->packets, 2);
	assert_arrived(b, 0, CHUNK, 2 * CHUNK);
	assert_int_equal(b->endpoint[0][CHUNK - 1], 0);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES), 4308);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_RAW_WIRE_BYTES), 4120);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_REGION), 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_FLUSH_PAYLOAD_FULL), 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_REGION_BYTES), CHUNK);
	arrive(b, 1, 1);
	assert_int_equal(b->packets, 2);
	arrive(b, 2, 2);
	assert_int_equal(b->packets, 4);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_ARRIVALS), 4);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_CHUNKS), 2);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_ARRIVE), 1);
}

/* Case 16: another sub-header width, and the limit of a link with payloads of 256 bytes. */
static void widths_and_limits(void **state)
{
	static const struct {
		unsigned reg;
		uint64_t value, packets, wire_bytes;
	} cases[] = { { GLK_PARTITION_SUBHEADER_BYTES, 3, 2, 4244 }, { GLK_PARTITION_MAX_PAYLOAD_BYTES, 256, 32, 5120 } };
	struct bench *b = *state;
	uint64_t packets = 0, wire = 0;

	create_usual(b);
	start(b, 0);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t usual_value = bench_read(b, bench_partition(0, cases[i].reg));

		bench_write(b, bench_partition(0, cases[i].reg), cases[i].value);
		arrive(b, i, 2);
		assert_int_equal(b->packets - packets, cases[i].packets);
		assert_int_equal(bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES) - wire, cases[i].wire_bytes);
		assert_arrived(b, 0, i * CHUNK, (i + 1) * CHUNK);
		bench_write(b, bench_partition(0, cases[i].reg), usual_value);
		packets = b->packets;
		wire = bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES);
	}
}

/* Cases 3, 4, 5, 9: what is rejected, and where it counts. */
static void rejections(void **state)
{
	struct bench *b = *state;

	create_usual(b);
	bench_context_start(b, 1);
	arrive(b, 1, 1);
	assert_int_equal(errors(b, 0), 1);
	assert_int_equal(run(b, GLK_OP_REGION_ARRIVE, 0, 1, 1), GLK_ST_REGION_STATE);
	start(b, 0);
	assert_int_equal(run(b, GLK_OP_REGION_ARRIVE, 0, 4, 1), GLK_ST_REGION_COUNT);
	assert_int_equal(run(b, GLK_OP_REGION_ARRIVE, 0, 0, 0), GLK_ST_REGION_COUNT);
	assert_int_equal(run(b, GLK_OP_REGION_ARRIVE, 1, 0, 1), GLK_ST_REGION);
	assert_int_equal(run(b, GLK_OP_REGION_START, 0, 0, 0), GLK_ST_REGION_STATE);
	assert_int_equal(field(record(b, 0, 3), GLK_REGION_RECORD_WHERE_MASK), START_WHERE);
	assert_int_equal(run(b, GLK_OP_REGION_START, 0, 0, 1), GLK_ST_RESERVED);
	assert_int_equal(errors(b, 0), 1);
	doorbell(b, 1, GLK_DOORBELL_ARRIVE, arrive_word(0, 1, 1, 0));
	assert_int_equal(errors(b, 0), 1);
	assert_int_equal(errors(b, 1), 1);
	assert_int_equal(field(record(b, 0, 3), GLK_REGION_RECORD_REJECTED_MASK), 5);
	arrive(b, 1, 3);
	assert_int_equal(field(record(b, 0, 3), GLK_REGION_RECORD_REJECTED_MASK), 6);
	assert_int_equal(field(record(b, 0, 3), GLK_REGION_RECORD_WHERE_MASK), 1);
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(0, 1, 1, 2));
	assert_int_equal(b->packets, 0);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_ARRIVE), 9);
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(0, 1, 2, 1));
	assert_int_equal(b->packets, 2);
}

/* Cases 6, 9, 13: signals in the order of completion; epochs; sent and visible. */
static void epochs_and_signals(void **state)
{
	static const unsigned order[] = { 3, 0, 2, 1 };
	struct bench *b = *state;

	source(b, usual.bytes);
	bench_write(b, region_at(0, GLK_REGION_TARGET_WINDOW_0), GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK);
	bench_write(b, region_at(0, GLK_REGION_TARGET_SIGNAL_0), 0x10000);
	create(b, &usual);
	for (uint64_t epoch = 1; epoch <= 5; epoch++) {
		start(b, 0);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(record(b, 0, 0), epoch - 1);
			assert_int_equal(bench_at_endpoint(b, 0, 0x10000 + 8 * order[i]), epoch - 1);
			arrive(b, order[i], 2);
			assert_int_equal(bench_at_endpoint(b, 0, 0x10000 + 8 * order[i]), epoch);
		}
		assert_int_equal(record(b, 0, 0), epoch);
		assert_int_equal(record(b, 0, 1), epoch);
	}
	assert_int_equal(b->packet_bytes, 32); /* that of the last signal */
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_EPOCHS), 5);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_CHUNKS), 20);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_ARRIVE), 0);
	assert_int_equal(b->interrupts[1], 0);
}

/* Sent comes before visible; INTERRUPT raises the context's vector for both; REARM starts the next epoch. */
static void sent_before_visible(void **state)
{
	struct shape shape = usual;
	struct bench *b = *state;

	source(b, usual.bytes);
	shape.flags |= GLK_REGION_CONTROL_INTERRUPT_MASK | GLK_REGION_CONTROL_REARM_MASK;
	create(b, &shape);
	start(b, 0);
	b->hold = true;
	for (unsigned epoch = 1; epoch <= 3; epoch++) {
		for (unsigned k = 0; k < 4; k++)
			doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(0, k, 2, epoch));
		assert_int_equal(record(b, 0, 0), epoch);
		assert_int_equal(record(b, 0, 1), 0);
		assert_int_equal(b->interrupts[1], epoch);
	}
	assert_int_equal(bench_read(b, region_at(0, GLK_REGION_EPOCH)), 4);
	glk_card_endpoint_acknowledge(b->card, 0, b->posted[0] - 1, 0);
	assert_int_equal(record(b, 0, 1), 1); /* the later ones are one mark */
	glk_card_endpoint_acknowledge(b->card, 0, 1, 0);
	assert_int_equal(record(b, 0, 1), 3);
	assert_int_equal(b->interrupts[1], 5);
}

/* Cases 7, 8: a short last chunk; chunks that nobody writes. */
static void short_and_empty_chunks(void **state)
{
	static const uint16_t some[] = { 2, 0, 2, 2 }, none[4];
	struct shape shape = usual;
	struct bench *b = *state;

	source(b, usual.bytes);
	shape.bytes = 3 * CHUNK + 100;
	shape.initial = some;
	create(b, &shape);
	start(b, 0);
	arrive(b, 3, 2);
	assert_int_equal(b->packets, 1);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_WIRE_BYTES), 24 + 108);
	assert_arrived(b, 0, 3 * CHUNK, shape.bytes);
	arrive(b, 0, 2);
	arrive(b, 2, 2);
	assert_int_equal(record(b, 0, 0), 1);
	assert_int_equal(b->endpoint[0][CHUNK], 0);

	shape.region = 1;
	shape.first = 100;
	shape.initial = none;
	create(b, &shape);
	start(b, 1);
	assert_int_equal(record(b, 1, 0), 1);
	assert_int_equal(record(b, 1, 1), 1);
	/* A failed write to a partition that the region has not stored to is not its own. */
	b->hold = true;
	bench_store8(b, 0x80000, 1);
	release(b, 1);
	start(b, 1);
	assert_int_equal(record(b, 1, 1), 1);
	glk_card_endpoint_acknowledge(b->card, 0, b->posted[0], 1);
	assert_int_equal(record(b, 1, 1), 2);
	assert_int_equal(code(b, 1), 0);
}

/* Cases 10, 11: a release sends dirty chunks, whole, once, if FLUSH_ON_RELEASE is set; they are sent again when complete. */
static void releases_flush_partial_chunks(void **state)
{
	struct shape shape = usual;
	struct bench *b = *state;

	create_usual(b);
	start(b, 0);
	arrive(b, 0, 1);
	release(b, 5);
	assert_int_equal(b->packets, 2);
	assert_int_equal(released(b), 5);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_PARTIAL), 1);
	release(b, 6);
	assert_int_equal(b->packets, 2);
	assert_int_equal(remaining(b, 0), 1);
	arrive(b, 0, 1);
	assert_int_equal(b->packets, 4);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_CHUNKS), 1);
	arrive(b, 1, 1);
	assert_int_equal(run(b, GLK_OP_RELEASE, 0, 0, 0), GLK_ST_OK);
	assert_int_equal(b->packets, 6);

	shape.region = 1;
	shape.first = 100;
	shape.flags = 0;
	create(b, &shape);
	start(b, 1);
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(1, 0, 1, 0));
	release(b, 7);
	assert_int_equal(released(b), 7);
	assert_int_equal(b->packets, 6);
	assert_int_equal(run(b, GLK_OP_REGION_FLUSH, 1, 0, 0), GLK_ST_OK);
	assert_int_equal(b->packets, 8);
	assert_int_equal(run(b, GLK_OP_REGION_FLUSH, 2, 0, 0), GLK_ST_REGION);
}

/* A partial chunk has no signal and does not count for the epoch. One that becomes complete while it is listed is sent once. */
static void partial_chunks(void **state)
{
	const unsigned doorbells = GLK_DOORBELL_ARRAY;
	struct bench *b = *state;

	source(b, usual.bytes);
	bench_write(b, region_at(0, GLK_REGION_TARGET_WINDOW_0), GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK);
	bench_write(b, region_at(0, GLK_REGION_TARGET_SIGNAL_0), 0x10000);
	create(b, &usual);
	start(b, 0);
	arrive(b, 0, 1);
	release(b, 1);
	assert_arrived(b, 0, 0, CHUNK);
	assert_int_equal(bench_at_endpoint(b, 0, 0x10000), 0);
	for (unsigned k = 1; k < 4; k++)
		arrive(b, k, 2);
	assert_int_equal(record(b, 0, 0), 0);
	arrive(b, 0, 1);
	assert_int_equal(record(b, 0, 0), 1);
	assert_int_equal(bench_at_endpoint(b, 0, 0x10000), 1);

	start(b, 0);
	bench_write(b, doorbells + GLK_DOORBELL_ARRIVE, arrive_word(0, 0, 1, 0));
	bench_write(b, doorbells + GLK_DOORBELL_RELEASE, 2);
	bench_write(b, doorbells + GLK_DOORBELL_ARRIVE, arrive_word(0, 0, 1, 0));
	service(b);
	assert_int_equal(released(b), 2);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_PARTIAL), 1);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_CHUNKS), 5);
	assert_int_equal(bench_at_endpoint(b, 0, 0x10000), 2);
}

/* Case 12: a release is behind the chunks that were ready before it. */
static void releases_wait_for_ready_chunks(void **state)
{
	const unsigned doorbells = GLK_DOORBELL_ARRAY;
	struct bench *b = *state;

	create_usual(b);
	start(b, 0);
	b->hold = true;
	bench_write(b, doorbells + GLK_DOORBELL_ARRIVE, arrive_word(0, 2, 2, 0));
	bench_write(b, doorbells + GLK_DOORBELL_RELEASE, 9);
	assert_int_equal(b->posted[0], 0);
	service(b);
	assert_int_not_equal(b->posted[0], 0);
	assert_int_equal(released(b), 0);
	glk_card_endpoint_acknowledge(b->card, 0, b->posted[0], 0);
	assert_int_equal(released(b), 9);
	assert_arrived(b, 0, 2 * CHUNK, 3 * CHUNK);
}

/* Case 14, 15: several targets, at other offsets. */
static void several_targets(void **state)
{
	struct shape shape = usual;
	struct bench *b = *state;

	source(b, usual.bytes);
	for (unsigned p = 1; p < 3; p++) {
		bench_window(b, p, p, 0, p, 0, BENCH_ENDPOINT_BYTES, BENCH_RW);
		bench_write(b, region_at(0, GLK_REGION_TARGET_WINDOW_0 + 8 * p), p);
	}
	bench_write(b, region_at(0, GLK_REGION_TARGET_OFFSET_2), 64);
	shape.targets = 3;
	create(b, &shape);
	start(b, 0);
	arrive(b, 0, 2);
	assert_int_equal(b->packets, 6);
	assert_arrived(b, 0, 0, CHUNK);
	assert_arrived(b, 1, 0, CHUNK);
	for (unsigned i = 0; i < CHUNK; i++)
		assert_int_equal(b->endpoint[2][64 + i], source_byte(i));
	assert_int_equal(bench_counter(b, 2, GLK_PARTITION_WIRE_BYTES), 4312);
	assert_int_equal(bench_counter(b, 2, GLK_PARTITION_RAW_WIRE_BYTES), 4144);
	/* Case 20: an endpoint that fails is named when the epoch is visible; the others are whole. */
	b->hold = true;
	for (unsigned k = 1; k < 4; k++)
		arrive(b, k, 2);
	assert_int_equal(code(b, 0), 0);
	for (unsigned p = 0; p < 3; p++)
		glk_card_endpoint_acknowledge(b->card, p, b->posted[p], p == 1);
	assert_int_equal(record(b, 0, 1), 1);
	assert_int_equal(code(b, 0), GLK_ST_ENDPOINT);
	assert_int_equal(failed_targets(b, 0), 2);
}

/* Case 17: what is queued for the same bytes is overwritten in the queue. */
static void chunk_after_store(void **state)
{
	struct bench *b = *state;

	create_usual(b);
	start(b, 0);
	bench_store8(b, CHUNK + 8, ALL);
	arrive(b, 1, 2);
	assert_arrived(b, 0, CHUNK, 2 * CHUNK);
	assert_int_equal(bench_counter(b, 0, GLK_PARTITION_OVERWRITTEN_BYTES), 8);
}

/* Case 18: a source that cannot be read stops the region until START, and no other. */
static void source_failure(void **state)
{
	struct shape shape = usual;
	struct bench *b = *state;

	create_usual(b);
	shape.region = 1;
	shape.first = 100;
	create(b, &shape);
	bench_write(b, region_at(1, GLK_REGION_CONTROL), 0);
	bench_write(b, region_at(1, GLK_REGION_SOURCE), 8); /* no such registration */
	bench_write(b, region_at(1, GLK_REGION_CONTROL), bench_read(b, region_at(0, GLK_REGION_CONTROL)));
	start(b, 0);
	start(b, 1);
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(1, 3, 1, 0));
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(1, 0, 2, 0));
	assert_int_equal(code(b, 1), GLK_ST_REGISTRATION);
	assert_int_equal(b->interrupts[1], 1);
	assert_int_equal(b->packets, 0);
	doorbell(b, 0, GLK_DOORBELL_ARRIVE, arrive_word(1, 1, 1, 0));
	assert_int_equal(field(record(b, 1, 3), GLK_REGION_RECORD_REJECTED_MASK), 1);
	arrive(b, 0, 2);
	assert_int_equal(b->packets, 2);
	assert_int_equal(code(b, 0), 0);
	for (unsigned epoch = 2; epoch < 10; epoch++) { /* nothing of a failed epoch is left in the counters */
		start(b, 1);
		assert_int_equal(run(b, GLK_OP_REGION_ARRIVE, 1, 3, 1), GLK_ST_OK);
		assert_int_equal(remaining(b, 103), 1);
		assert_int_equal(run(b, GLK_OP_REGION_ARRIVE, 1, 0, 2), GLK_ST_OK);
		assert_int_equal(bench_read(b, region_at(1, GLK_REGION_EPOCH)), epoch);
		assert_int_equal(code(b, 1), GLK_ST_REGISTRATION);
	}
}

/* Case 19: a target that is gone is named; nothing is written to it. */
static void target_gone(void **state)
{
	struct bench *b = *state;

	create_usual(b);
	start(b, 0);
	bench_write(b, GLK_WINDOW_ARRAY, 0);
	arrive(b, 0, 2);
	assert_int_equal(b->packets, 0);
	arrive(b, 1, 2);
	arrive(b, 2, 2);
	arrive(b, 3, 2);
	assert_int_equal(record(b, 0, 0), 1);
	assert_int_equal(code(b, 0), GLK_ST_WINDOW);
	assert_int_equal(failed_targets(b, 0), 1);
}

/* Case 21, 22: a region that is taken away sends nothing more. */
static void taken_away(void **state)
{
	const unsigned arrival = GLK_DOORBELL_ARRAY + GLK_DOORBELL_ARRIVE;
	struct bench *b = *state;

	create_usual(b);
	start(b, 0);
	bench_write(b, arrival, arrive_word(0, 0, 2, 0));
	bench_write(b, region_at(0, GLK_REGION_CONTROL), 0);
	service(b);
	assert_int_equal(b->packets, 0);
	arrive(b, 1, 2);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_ARRIVE), 1);
	create(b, &usual);
	start(b, 0);
	bench_write(b, arrival, arrive_word(0, 0, 2, 0));
	bench_write(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	service(b);
	assert_int_equal(b->packets, 0);
	assert_int_equal(bench_read(b, region_at(0, GLK_REGION_CONTROL)), 0);
	assert_int_equal(bench_read(b, GLK_CHUNK_ARRAY), 0);
}

/* Case 26: a long chunk does not hold up the others. */
static void turns(void **state)
{
	struct shape shape = usual;
	struct bench *b = *state;
	const unsigned arrival = GLK_DOORBELL_ARRAY + GLK_DOORBELL_ARRIVE;

	source(b, 64 * CHUNK);
	shape.order = 18;
	shape.bytes = 64 * CHUNK;
	create(b, &shape);
	shape = usual;
	shape.region = 1;
	shape.first = 100;
	create(b, &shape);
	start(b, 0);
	start(b, 1);
	bench_write(b, arrival, arrive_word(0, 0, 2, 0));
	glk_card_service(b->card, 1);
	bench_write(b, arrival, arrive_word(1, 0, 2, 0));
	for (unsigned i = 0; i < 3; i++)
		glk_card_service(b->card, 1);
	assert_int_equal(bench_card_counter(b, GLK_CARD_REGION_CHUNKS), 1);
	assert_int_equal(record(b, 0, 0), 0);
	service(b);
	assert_int_equal(record(b, 0, 0), 1);
	assert_arrived(b, 0, 0, 64 * CHUNK);
}

/* CONTROL refuses shapes that the engine could not carry out; a valid region is not changed. */
static void shapes(void **state)
{
	static const uint64_t bad[] = {
		11u << GLK_REGION_CONTROL_ORDER_SHIFT | 1u << GLK_REGION_CONTROL_TARGETS_SHIFT,
		25u << GLK_REGION_CONTROL_ORDER_SHIFT | 1u << GLK_REGION_CONTROL_TARGETS_SHIFT,
		13u << GLK_REGION_CONTROL_ORDER_SHIFT | 1u << GLK_REGION_CONTROL_TARGETS_SHIFT, /* not 4 chunks */
		12u << GLK_REGION_CONTROL_ORDER_SHIFT,
		12u << GLK_REGION_CONTROL_ORDER_SHIFT | 9u << GLK_REGION_CONTROL_TARGETS_SHIFT,
		12u << GLK_REGION_CONTROL_ORDER_SHIFT | 1u << GLK_REGION_CONTROL_TARGETS_SHIFT | 1u << 30,
		12u << GLK_REGION_CONTROL_ORDER_SHIFT | 1u << GLK_REGION_CONTROL_TARGETS_SHIFT | 32ULL << 32,
	};
	struct bench *b = *state;

	create_usual(b);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 0);
	bench_write(b, region_at(0, GLK_REGION_BYTES), 1);
	bench_write(b, region_at(0, GLK_REGION_TARGET_OFFSET_0), 8);
	bench_write(b, GLK_CHUNK_ARRAY, 1);
	assert_int_equal(bench_card_counter(b, GLK_CARD_ERR_CONFIG), 3);
	bench_write(b, region_at(0, GLK_REGION_CONTROL), 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bench_write(b, region_at(0, GLK_REGION_CONTROL), bad[i] | GLK_REGION_CONTROL_VALID_MASK);
		assert_int_equal(bench_read(b, region_at(0, GLK_REGION_CONTROL)), 0);
	}
	bench_write(b, region_at(0, GLK_REGION_EXPECTED), 0);
	bench_write(b, region_at(0, GLK_REGION_CONTROL),
		    GLK_REGION_CONTROL_VALID_MASK | GLK_REGION_CONTROL_REARM_MASK | 12u << GLK_REGION_CONTROL_ORDER_SHIFT |
			    1u << GLK_REGION_CONTROL_TARGETS_SHIFT);
	assert_int_equal(bench_read(b, region_at(0, GLK_REGION_CONTROL)), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup_paper, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(last_writer_sends),
		TEST(widths_and_limits),
		TEST(rejections),
		TEST(epochs_and_signals),
		TEST(sent_before_visible),
		TEST(short_and_empty_chunks),
		TEST(releases_flush_partial_chunks),
		TEST(partial_chunks),
		TEST(releases_wait_for_ready_chunks),
		TEST(several_targets),
		TEST(chunk_after_store),
		TEST(source_failure),
		TEST(target_gone),
		TEST(taken_away),
		TEST(turns),
		TEST(shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
