// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct bench *b = platform;

	if (address > BENCH_HOST_BYTES - len)
		return -1;
	memcpy(data, b->host + address, len);
	return 0;
}

static int dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct bench *b = platform;

	if (address > BENCH_HOST_BYTES - len)
		return -1;
	memcpy(b->host + address, data, len);
	return 0;
}

static void endpoint_write(void *platform, unsigned p, uint64_t address, const void *data, size_t len)
{
	struct bench *b = platform;

	assert_true(p < BENCH_ENDPOINTS);
	assert_true(address >= BENCH_BUS(p) && address + len <= BENCH_BUS(p) + BENCH_ENDPOINT_BYTES);
	assert_in_range(len, 1, 4096);
	if (!b->fail_writes)
		memcpy(b->endpoint[p] + (address - BENCH_BUS(p)), data, len);
	if (b->hold)
		b->posted[p]++;
	else
		glk_card_endpoint_acknowledge(b->card, p, 1, b->fail_writes);
}

static int endpoint_read(void *platform, unsigned p, uint64_t address, void *data, size_t len)
{
	struct bench *b = platform;

	if (b->fail_reads)
		return -1;
	memcpy(data, b->endpoint[p] + (address - BENCH_BUS(p)), len);
	return 0;
}

static void link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct bench *b = platform;

	assert_true(len <= sizeof(b->packet));
	memcpy(b->packet, packet, len);
	b->packet_bytes = len;
	b->packets++;
	assert_int_equal(glk_card_link_receive(b->card, packet, len), 0);
}

static void interrupt(void *platform, unsigned vector)
{
	struct bench *b = platform;

	assert_true(vector < 33);
	b->interrupts[vector]++;
}

static uint64_t link_wait(void *platform, uint64_t until)
{
	struct bench *b = platform;

	return b->wait(b->pair, until);
}

static const struct glk_card_ops ops = {
	.dma_read = dma_read,
	.dma_write = dma_write,
	.endpoint_write = endpoint_write,
	.endpoint_read = endpoint_read,
	.link_send = link_send,
	.link_wait = link_wait,
	.interrupt = interrupt,
};

void bench_create(struct bench *b)
{
	struct glk_card_config config;

	memset(b, 0, sizeof(*b));
	glk_card_config_default(&config);
	config.ops = &ops;
	config.platform = b;
	assert_int_equal(glk_card_create(&config, &b->card), 0);
}

void bench_create_shaped(struct bench *b, unsigned sets, unsigned ways, unsigned bits)
{
	struct glk_card_config config;

	memset(b, 0, sizeof(*b));
	glk_card_config_default(&config);
	config.tsu_sets = sets;
	config.tsu_ways = ways;
	config.tsu_ts_bits = bits;
	config.ops = &ops;
	config.platform = b;
	assert_int_equal(glk_card_create(&config, &b->card), 0);
}

bool bench_can_be(struct bench *b, unsigned sets, unsigned ways, unsigned bits, uint64_t pool_bytes)
{
	struct glk_card_config config;
	struct glk_card *card;

	glk_card_config_default(&config);
	config.tsu_sets = sets;
	config.tsu_ways = ways;
	config.tsu_ts_bits = bits;
	config.pool_bytes = pool_bytes;
	config.ops = &ops;
	config.platform = b;
	if (glk_card_create(&config, &card))
		return false;
	glk_card_destroy(card);
	return true;
}

void bench_create_linked(struct bench *b, unsigned cluster, bool leases, bool packing,
			 uint64_t (*wait)(void *pair, uint64_t until), void *pair)
{
	struct glk_card_config config;

	memset(b, 0, sizeof(*b));
	glk_card_config_default(&config);
	if (!leases)
		config.tsu_sets = 0;
	config.no_packing = !packing;
	config.serial = 100 + cluster;
	config.link = true;
	config.cluster = (uint8_t)cluster;
	config.link_session = (uint16_t)(1 + cluster);
	config.ops = &ops;
	config.platform = b;
	b->wait = wait;
	b->pair = pair;
	assert_int_equal(glk_card_create(&config, &b->card), 0);
}

void bench_destroy(struct bench *b)
{
	glk_card_destroy(b->card);
}

uint64_t bench_read(struct bench *b, unsigned offset)
{
	uint64_t value;

	assert_int_equal(glk_card_register_read(b->card, offset, 8, &value), 0);
	return value;
}

void bench_write(struct bench *b, unsigned offset, uint64_t value)
{
	assert_int_equal(glk_card_register_write(b->card, offset, 8, value), 0);
}

unsigned bench_partition(unsigned p, unsigned reg)
{
	return GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE + reg;
}

unsigned bench_context(unsigned c, unsigned reg)
{
	return GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE + reg;
}

uint64_t bench_counter(struct bench *b, unsigned p, unsigned reg)
{
	bench_write(b, GLK_CARD_SNAPSHOT, 0);
	return bench_read(b, bench_partition(p, reg));
}

uint64_t bench_card_counter(struct bench *b, unsigned reg)
{
	bench_write(b, GLK_CARD_SNAPSHOT, 0);
	return bench_read(b, reg);
}

void bench_window(struct bench *b, unsigned slice, unsigned partition, unsigned context, unsigned first, uint64_t offset,
		  uint64_t bytes, uint64_t rights)
{
	unsigned entry = GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE;

	bench_write(b, entry + GLK_WINDOW_Q1, offset);
	bench_write(b, entry + GLK_WINDOW_Q2, bytes);
	bench_write(b, entry + GLK_WINDOW_Q0,
		    GLK_WINDOW_Q0_VALID_MASK | rights | (uint64_t)partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
			    (uint64_t)context << GLK_WINDOW_Q0_CONTEXT_SHIFT |
			    (uint64_t)first << GLK_WINDOW_Q0_FIRST_SHIFT);
}

int bench_store8(struct bench *b, uint64_t at, uint64_t value)
{
	return glk_card_aperture_store(b->card, at, &value, 8);
}

uint64_t bench_load8(struct bench *b, uint64_t at)
{
	uint64_t value = 0;

	glk_card_aperture_load(b->card, at, &value, 8);
	return value;
}

uint64_t bench_at_endpoint(const struct bench *b, unsigned p, uint64_t offset)
{
	uint64_t value;

	memcpy(&value, b->endpoint[p] + offset, 8);
	return value;
}

/* Adjacent pages of the registration are not adjacent in memory. */
uint64_t bench_page(unsigned i)
{
	return 0x40000u + (uint64_t)(i ^ 5u) * 0x2000u;
}

void bench_register(struct bench *b, unsigned handle, unsigned context, uint64_t bytes, unsigned first, uint64_t rights)
{
	unsigned entry = GLK_REGISTRATION_ARRAY + handle * GLK_REGISTRATION_STRIDE;

	for (unsigned i = 0; i * 4096u < bytes + first; i++) {
		uint64_t page = bench_page(i) | (i * 0x123u & 0xfffu); /* low bits are ignored */

		memcpy(b->host + BENCH_PAGE_LIST + 8 * i, &page, 8);
	}
	bench_write(b, entry + GLK_REGISTRATION_Q1, bytes);
	bench_write(b, entry + GLK_REGISTRATION_Q2, BENCH_PAGE_LIST);
	bench_write(b, entry + GLK_REGISTRATION_Q3, first);
	bench_write(b, entry + GLK_REGISTRATION_Q0,
		    GLK_REGISTRATION_Q0_VALID_MASK | rights | (uint64_t)context << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
}

void bench_context_start(struct bench *b, unsigned c)
{
	bench_write(b, bench_context(c, GLK_CONTEXT_SQ_BASE), BENCH_SQ(c));
	bench_write(b, bench_context(c, GLK_CONTEXT_CQ_BASE), BENCH_CQ(c));
	bench_write(b, bench_context(c, GLK_CONTEXT_ORDER), 4 | 4 << GLK_CONTEXT_ORDER_CQ_SHIFT);
	bench_write(b, bench_context(c, GLK_CONTEXT_RECORD), BENCH_RECORD(c));
	bench_write(b, bench_context(c, GLK_CONTEXT_VECTOR), 1 + c);
	bench_write(b, bench_context(c, GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

void bench_start(struct bench *b)
{
	bench_write(b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	for (unsigned p = 0; p < BENCH_ENDPOINTS; p++) {
		bench_write(b, bench_partition(p, GLK_PARTITION_EP_BASE), BENCH_BUS(p));
		bench_write(b, bench_partition(p, GLK_PARTITION_EP_BYTES), BENCH_ENDPOINT_BYTES);
		bench_write(b, bench_partition(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	}
	bench_window(b, 0, 0, 0, 0, 0, BENCH_ENDPOINT_BYTES, BENCH_RW);
	bench_context_start(b, 0);
}

int bench_setup(void **state)
{
	struct bench *b = malloc(sizeof(*b));

	assert_non_null(b);
	bench_create(b);
	bench_start(b);
	*state = b;
	return 0;
}

int bench_setup_paper(void **state)
{
	bench_setup(state);
	for (unsigned p = 0; p < BENCH_ENDPOINTS; p++) {
		bench_write(*state, bench_partition(p, GLK_PARTITION_MODE), GLK_PARTITION_MODE_PAPER);
		bench_write(*state, bench_partition(p, GLK_PARTITION_SUBHEADER_BYTES), GLK_PARTITION_SUBHEADER_BYTES_PAPER);
	}
	return 0;
}

int bench_teardown(void **state)
{
	bench_destroy(*state);
	free(*state);
	return 0;
}

void bench_submit(struct bench *b, const uint64_t sqe[8])
{
	uint64_t tail = bench_read(b, bench_context(0, GLK_CONTEXT_SQ_TAIL));

	memcpy(b->host + BENCH_SQ(0) + tail % 16 * 64, sqe, 64);
	bench_write(b, bench_context(0, GLK_CONTEXT_SQ_TAIL), (tail + 1) & 0xffff);
}

bool bench_completion(struct bench *b, uint64_t *tag, unsigned *status, unsigned *moved)
{
	uint64_t head = bench_read(b, bench_context(0, GLK_CONTEXT_CQ_HEAD)), cqe[2];

	memcpy(cqe, b->host + BENCH_CQ(0) + head % 16 * 16, 16);
	if (((cqe[1] & GLK_CQE_PHASE_MASK) != 0) != ((head / 16) % 2 == 0))
		return false;
	bench_write(b, bench_context(0, GLK_CONTEXT_CQ_HEAD), (head + 1) & 0xffff);
	*tag = cqe[0];
	*status = (unsigned)((cqe[1] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT);
	*moved = (unsigned)(cqe[1] & GLK_CQE_LENGTH_MASK);
	return true;
}

unsigned bench_run(struct bench *b, const uint64_t sqe[8])
{
	uint64_t tag;
	unsigned status, moved;

	bench_submit(b, sqe);
	assert_false(glk_card_service(b->card, 100));
	assert_true(bench_completion(b, &tag, &status, &moved));
	assert_int_equal(tag, sqe[1]);
	assert_int_equal(moved, status == GLK_ST_OK ? sqe[0] >> 32 : 0);
	return status;
}
