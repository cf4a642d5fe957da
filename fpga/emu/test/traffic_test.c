// SPDX-License-Identifier: Apache-2.0
/* The card on the bus: stores to an endpoint and to host memory, rings, interrupts, resets, termination. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine.h"

#define ALL_ONES    UINT64_MAX
#define PATIENCE_MS 10000

static void store_reaches_endpoint(void **state)
{
	struct machine *m = machine_start(state);

	machine_enable(m);
	machine_store(m, TO_GPU, 0x1238, 0x1122334455667788);
	machine_store(m, TO_GPU, MACHINE_GPU_BYTES - 8, 42);
	assert_int_equal(machine_at(m->gpu, 0x1238), 0); /* queued */
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0x1238), 0x1122334455667788);
	assert_int_equal(machine_at(m->gpu, MACHINE_GPU_BYTES - 8), 42);
	assert_int_equal(machine_at(m->gpu, 0x1230) | machine_at(m->gpu, 0x1240), 0);
	m->gpu[0x2000] = 0x5a;
	assert_int_equal(machine_load(m, TO_GPU, 0x2000), 0x5a);
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_ERR_ENDPOINT)), 0);
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_STORES)), 2);
	/* The endpoint's own region is the same memory. */
	assert_int_equal(client_write(&m->endpoint, 0, 0x2000, "\x77\x66", 2), 0);
	assert_int_equal(machine_load(m, TO_GPU, 0x2000), 0x6677);
}

static void store_reaches_host_memory(void **state)
{
	struct machine *m = machine_start(state);
	uint8_t block[9000];

	memset(block, 0xc3, sizeof(block));
	machine_enable(m);
	machine_store(m, TO_HOST, 0x9000, 0x1122334455667788);
	/* A long write is many stores: across pages. */
	assert_int_equal(client_write(&m->card, APERTURE, MACHINE_SLICE + 0xa001, block, sizeof(block)), 0);
	machine_drain(m);
	assert_int_equal(machine_at(m->host, 0x9000), 0x1122334455667788);
	assert_memory_equal(m->host + 0xa001, block, sizeof(block));
	assert_int_equal(m->host[0xa000] | m->host[0xa001 + sizeof(block)], 0);
	/* Across the end of a slice: to the end of one window and the beginning of the next. */
	assert_int_equal(client_write(&m->card, APERTURE, MACHINE_SLICE - 5, block, 5000), 0);
	machine_drain(m);
	assert_memory_equal(m->gpu + MACHINE_SLICE - 5, block, 5);
	assert_memory_equal(m->host, block, 4995);
	assert_int_equal(client_dma_unmap(&m->card, MACHINE_HOST, MACHINE_HOST_BYTES, 0), 0);
	machine_store(m, TO_HOST, 0x9000, 1);
	machine_drain(m);
	assert_int_equal(machine_at(m->host, 0x9000), 0x1122334455667788);
	assert_int_equal(machine_counter(m, machine_partition(TO_HOST, GLK_PARTITION_ERR_ENDPOINT)), 1);
	machine_map_host(m);
	machine_store(m, TO_HOST, 0x9000, 2);
	machine_drain(m);
	assert_int_equal(machine_at(m->host, 0x9000), 2);
	assert_int_equal(client_dma_unmap(&m->card, 0, 0, VFU_DMA_UNMAP_ALL), 0);
	assert_int_equal(machine_load(m, TO_HOST, 0x9000), ALL_ONES);
}

static void many_writes_in_one_message(void **state)
{
	struct machine *m = machine_start(state);
	struct {
		uint64_t count;
		struct vfu_wire_write_one one[50];
	} multi = { .count = 50 };

	machine_enable(m);
	for (unsigned i = 0; i < 50; i++) {
		multi.one[i].access = (struct vfu_wire_access){ 0x4000 + 24 * i, APERTURE, i % 8 + 1 };
		memset(multi.one[i].data, (int)i + 1, i % 8 + 1);
	}
	assert_int_equal(client_request(&m->card, VFU_REGION_WRITE_MULTI, &multi, sizeof(multi), NULL, 0), 0);
	assert_int_equal(m->card.bytes, 8);
	assert_int_equal(machine_at(m->card.payload, 0), 50);
	machine_drain(m);
	for (unsigned i = 0; i < 50; i++)
		for (unsigned k = 0; k < 24; k++)
			assert_int_equal(m->gpu[0x4000 + 24 * i + k], k < i % 8 + 1 ? i + 1 : 0);
	multi.count = 0;
	assert_int_equal(client_request(&m->card, VFU_REGION_WRITE_MULTI, &multi, 8, NULL, 0), 0);
}

static void submit(struct machine *m, unsigned index, const uint64_t sqe[8])
{
	memcpy(m->host + MACHINE_SQ + index * GLK_SQE_BYTES, sqe, GLK_SQE_BYTES);
	machine_set(m, machine_context(GLK_CONTEXT_SQ_TAIL), index + 1);
}

static const uint64_t put_inline[8] = {
	GLK_OP_PUT_INLINE | (uint64_t)TO_GPU << GLK_SQE_WINDOW_SHIFT | UINT64_C(8) << GLK_SQE_LENGTH_SHIFT,
	0xaaaa, 0x300, 0, 0x1122334455667788,
};

static void wait_until_stopped(struct machine *m)
{
	for (unsigned i = 0; i < 10000 && !machine_get(m, machine_context(GLK_CONTEXT_STATUS)); i++)
		wait_a_millisecond();
}

static void bus_master(void **state)
{
	struct machine *m = machine_start(state);
	unsigned errors = machine_partition(TO_GPU, GLK_PARTITION_ERR_ENDPOINT);

	machine_enable(m);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY), 0);
	machine_store(m, TO_GPU, 0, 1);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 0);
	assert_int_equal(machine_counter(m, errors), 1);
	assert_int_equal(machine_load(m, TO_GPU, 0), ALL_ONES);
	machine_set(m, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1);
	submit(m, 0, put_inline);
	wait_until_stopped(m);
	assert_int_equal(machine_get(m, machine_context(GLK_CONTEXT_STATUS)), GLK_ST_DMA);
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_STORES)), 1); /* it was not read */
	assert_int_equal(machine_at(m->host, MACHINE_RECORD) | machine_at(m->host, MACHINE_CQ + 8), 0);
	assert_int_equal(machine_get(m, machine_context(GLK_CONTEXT_SQ_HEAD)), 0);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
	machine_store(m, TO_GPU, 0, 1);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 1);
}

/* A driver may configure more memory than the BAR has: accesses past its end must not reach the endpoint. */
static void past_the_endpoint(void **state)
{
	struct machine *m = machine_start(state);
	const uint64_t end = MACHINE_GPU_BYTES - GLK_PAGE_SIZE, page = MACHINE_HOST + 0x5000;
	const uint64_t get[8] = { GLK_OP_GET | UINT64_C(16) << GLK_SQE_LENGTH_SHIFT, 1, end - 8 };
	unsigned entry = GLK_REGISTRATION_ARRAY;

	machine_enable(m);
	machine_set_partition(m, TO_GPU, GLK_EP_BUS, MACHINE_GPU + GLK_PAGE_SIZE, MACHINE_GPU_BYTES);
	machine_store(m, TO_GPU, end - 8, 1);
	machine_drain(m);
	/* Neighbours leave as one write, with its middle at the end. */
	machine_store(m, TO_GPU, end - 8, 2);
	machine_store(m, TO_GPU, end, 2);
	machine_drain(m);
	/* On a bus no write crosses 4 KiB: the first half of it arrives. */
	assert_int_equal(machine_at(m->gpu, MACHINE_GPU_BYTES - 8), machine_splits_writes() ? 2 : 1);
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_ERR_ENDPOINT)), 1);
	assert_int_equal(machine_load(m, TO_GPU, end), ALL_ONES);
	/* And a get. */
	memcpy(m->host + 0x4000, &page, sizeof(page));
	machine_set(m, entry + GLK_REGISTRATION_Q1, 64);
	machine_set(m, entry + GLK_REGISTRATION_Q2, MACHINE_HOST + 0x4000);
	machine_set(m, entry + GLK_REGISTRATION_Q0, GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
	submit(m, 0, get);
	for (unsigned i = 0; i < 10000 && !machine_at(m->host, MACHINE_CQ + 8); i++)
		wait_a_millisecond();
	assert_int_equal(machine_at(m->host, MACHINE_CQ + 8),
			 GLK_CQE_PHASE_MASK | (uint64_t)GLK_ST_ENDPOINT << GLK_CQE_STATUS_SHIFT);
	assert_int_equal(machine_at(m->host, 0x5000), 0);
}

/* The endpoint decodes its BAR's address, while decoding is enabled. */
static void endpoint_moves(void **state)
{
	struct machine *m = machine_start(state);

	machine_enable(m);
	machine_place_gpu(m, MACHINE_GPU, 0);
	machine_store(m, TO_GPU, 0, 1);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 0);
	machine_place_gpu(m, MACHINE_GPU + (1 << 30), MACHINE_MEMORY);
	machine_store(m, TO_GPU, 0, 2);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 0);
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_ERR_ENDPOINT)), 2);
	machine_set_partition(m, TO_GPU, GLK_EP_BUS, MACHINE_GPU + (1 << 30), MACHINE_GPU_BYTES);
	machine_store(m, TO_GPU, 0, 3);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 3);
	client_close(&m->endpoint); /* disconnected: decoding is off */
	assert_int_equal(client_open(&m->endpoint, m->endpoint_path), 0);
	assert_int_equal(client_config(&m->endpoint, MACHINE_COMMAND, 2), 0);
	machine_store(m, TO_GPU, 0, 4);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 3);
}

#define BURST 1000u

/* Many posted writes of the endpoint's interrupt line register. */
static void configure_endpoint(struct machine *m)
{
	const struct vfu_wire_access access = { 0x3c, VFU_REGION_CONFIG, 1 };
	uint8_t burst[BURST * (sizeof(struct vfu_header) + sizeof(access) + 1)], *at = burst;

	for (unsigned i = 0; i < BURST; i++) {
		struct vfu_header header = client_header(&m->endpoint, VFU_REGION_WRITE, sizeof(access) + 1);

		header.flags = VFU_FLAG_NO_REPLY;
		memcpy(at, &header, sizeof(header));
		memcpy(at + sizeof(header), &access, sizeof(access));
		at[sizeof(header) + sizeof(access)] = (uint8_t)i;
		at += sizeof(header) + sizeof(access) + 1;
	}
	assert_int_equal(client_send(&m->endpoint, burst, sizeof(burst), NULL, 0), 0);
}

/* A driver that writes other configuration registers of the endpoint must not disturb what cards store there. */
static void endpoint_stays_while_configured(void **state)
{
	struct machine *m = machine_start(state);
	static struct {
		uint64_t count;
		struct vfu_wire_write_one one[BURST];
	} multi = { .count = BURST };

	machine_enable(m);
	machine_set(m, machine_partition(TO_GPU, GLK_PARTITION_MODE), 0); /* each store by itself */
	for (unsigned k = 0; k < (machine_slow() ? 3 : 300); k++) {
		for (unsigned i = 0; i < BURST; i++) {
			multi.one[i].access = (struct vfu_wire_access){ 8 * i, APERTURE, 8 };
			memset(multi.one[i].data, (int)k & 0xff, 8);
		}
		for (unsigned i = 0; i < 5; i++)
			configure_endpoint(m); /* so that it is still at it when the card is */
		assert_int_equal(client_request(&m->card, VFU_REGION_WRITE_MULTI, &multi, sizeof(multi), NULL, 0), 0);
		machine_drain(m);
		for (unsigned i = 0; i < 8 * BURST; i++)
			assert_int_equal(m->gpu[i], k & 0xff);
	}
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_ERR_ENDPOINT)), 0);
}

static int new_event(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_true(fd >= 0);
	return fd;
}

/* How often it was signalled; 0 when it is not within that time. */
static uint64_t events(int fd, int milliseconds)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	uint64_t count = 0;

	if (poll(&wait, 1, milliseconds) == 1)
		assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

static void ring(void **state)
{
	struct machine *m = machine_start(state);
	const uint64_t release[8] = { GLK_OP_RELEASE | GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT, 0xbbbb };
	int fd = new_event();

	machine_enable(m);
	assert_int_equal(client_set_vectors(&m->card, 1, 1, &fd, 1), 0);
	submit(m, 0, put_inline);
	submit(m, 1, release);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	assert_int_equal(machine_at(m->gpu, 0x300), 0x1122334455667788);
	assert_int_equal(machine_at(m->host, MACHINE_CQ), 0xaaaa);
	assert_int_equal(machine_at(m->host, MACHINE_CQ + 8), GLK_CQE_PHASE_MASK | 8);
	assert_int_equal(machine_at(m->host, MACHINE_CQ + 16), 0xbbbb);
	assert_int_equal(machine_at(m->host, MACHINE_CQ + 24), GLK_CQE_PHASE_MASK);
	assert_int_equal(machine_at(m->host, MACHINE_CQ + 40), 0);
	/* A release through the doorbell page is reported in the completion record. */
	machine_store(m, TO_GPU, 0x308, 5);
	machine_set(m, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 12);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	assert_int_equal(machine_at(m->host, MACHINE_RECORD), 12);
	assert_int_equal(machine_at(m->gpu, 0x308), 5);
	close(fd);
}

/* More entries than the card processes between two polls of its client. */
static void long_ring(void **state)
{
	struct machine *m = machine_start(state);
	const uint64_t entries = 256, sq = 0x10000, cq = 0x20000;

	machine_enable(m);
	machine_set(m, machine_context(GLK_CONTEXT_CONTROL), 0);
	machine_set(m, machine_context(GLK_CONTEXT_SQ_BASE), MACHINE_HOST + sq);
	machine_set(m, machine_context(GLK_CONTEXT_CQ_BASE), MACHINE_HOST + cq);
	machine_set(m, machine_context(GLK_CONTEXT_ORDER), 8 | 8 << GLK_CONTEXT_ORDER_CQ_SHIFT);
	machine_set(m, machine_context(GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
	for (uint64_t i = 0; i < entries; i++) {
		const uint64_t sqe[8] = { GLK_OP_NOP, i };

		memcpy(m->host + sq + i * GLK_SQE_BYTES, sqe, sizeof(sqe));
	}
	machine_set(m, machine_context(GLK_CONTEXT_SQ_TAIL), entries);
	/* Poll memory only: a message would make the card continue. */
	for (unsigned i = 0; i < 10000 && !machine_at(m->host, cq + 16 * (entries - 1) + 8); i++)
		wait_a_millisecond();
	for (uint64_t i = 0; i < entries; i++) {
		assert_int_equal(machine_at(m->host, cq + 16 * i), i);
		assert_int_equal(machine_at(m->host, cq + 16 * i + 8), GLK_CQE_PHASE_MASK);
	}
}

static void timeout_flushes(void **state)
{
	struct machine *m = machine_start(state);

	machine_enable(m);
	machine_set(m, machine_partition(TO_GPU, GLK_PARTITION_FLUSH_TIMEOUT_NS), 20000000);
	machine_store(m, TO_GPU, 0x100, 7);
	for (unsigned i = 0; i < 10000 && !machine_at(m->gpu, 0x100); i++)
		wait_a_millisecond();
	assert_int_equal(machine_at(m->gpu, 0x100), 7);
	assert_int_equal(machine_counter(m, machine_partition(TO_GPU, GLK_PARTITION_FLUSH_TIMEOUT)), 1);
}

/* The file behind guest memory shrinks: an access that fails, not the end of the card. */
static void memory_truncated_under_the_ring(void **state)
{
	struct machine *m = machine_start(state);
	const uint64_t nop[8] = { GLK_OP_NOP, 1 };
	int fd = new_event();

	machine_enable(m);
	assert_int_equal(client_set_vectors(&m->card, 1, 1, &fd, 1), 0);
	submit(m, 0, nop);
	assert_int_equal(ftruncate(m->host_fd, 0), 0);
	machine_set(m, machine_context(GLK_CONTEXT_SQ_TAIL), 2);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	assert_int_equal(machine_get(m, machine_context(GLK_CONTEXT_STATUS)), GLK_ST_DMA);
	assert_true(machine_get(m, GLK_CARD_ERROR_CAUSE) & GLK_CARD_ERROR_CAUSE_DMA_MASK);
	machine_store(m, TO_HOST, 0x9000, 1);
	machine_drain(m);
	assert_int_equal(machine_counter(m, machine_partition(TO_HOST, GLK_PARTITION_ERR_ENDPOINT)), 1);
	machine_store(m, TO_GPU, 0, 1);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0), 1);
	close(fd);
}

/* Rejected register writes raise the event vector, once until acknowledged. */
static void raise_event(struct machine *m)
{
	machine_set(m, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	machine_set(m, GLK_CARD_MAGIC, 0);
}

static void interrupts_are_kept(void **state)
{
	struct machine *m = machine_start(state);
	int fd = new_event();

	raise_event(m);
	raise_event(m);
	assert_int_equal(client_set_vectors(&m->card, GLK_EVENT_VECTOR, 1, &fd, 1), 0);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	raise_event(m);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY), 0);
	raise_event(m);
	assert_int_equal(events(fd, 0), 0);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	assert_int_equal(client_set_vectors(&m->card, GLK_EVENT_VECTOR, 1, NULL, 0), 0);
	raise_event(m);
	assert_int_equal(events(fd, 0), 0);
	assert_int_equal(client_set_vectors(&m->card, GLK_EVENT_VECTOR, 1, &fd, 1), 0);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	close(fd);
}

/* After any reset: as after power-on, but for the generation and the BARs. */
static void check_after_reset(struct machine *m, uint64_t generation)
{
	int fd = new_event();

	assert_int_equal(client_config(&m->card, MACHINE_COMMAND, 2), 0);
	assert_int_equal(client_config(&m->card, 0x18, 4) & ~15u, 0xc0000000);
	assert_int_equal(machine_get(m, GLK_CARD_MAGIC), ALL_ONES);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
	assert_int_equal(machine_get(m, GLK_CARD_GENERATION), generation);
	assert_int_equal(machine_get(m, GLK_CARD_CONTROL), 0);
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 0);
	assert_int_equal(machine_get(m, GLK_CARD_ERROR_CAUSE), 0);
	assert_int_equal(machine_get(m, GLK_WINDOW_ARRAY), 0);
	assert_int_equal(machine_get(m, machine_context(GLK_CONTEXT_CONTROL)), 0);
	assert_int_equal(machine_get(m, machine_partition(TO_GPU, GLK_PARTITION_EP_KIND)), GLK_EP_NONE);
	assert_int_equal(client_set_vectors(&m->card, 0, 1, &fd, 1), 0);
	assert_int_equal(events(fd, 0), 0); /* what was pending is forgotten */
	raise_event(m);
	assert_int_equal(events(fd, PATIENCE_MS), 1);
	machine_set(m, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	assert_int_equal(client_set_vectors(&m->card, 0, 1, NULL, 0), 0);
	close(fd);
}

/* Leaves state of every kind behind. */
static void use(struct machine *m)
{
	assert_int_equal(client_set_config(&m->card, 0x18, 4, 0xc0000000), 0);
	machine_enable(m);
	machine_set(m, GLK_CARD_SCRATCH, 1);
	machine_store(m, TO_GPU, 0x500, 5);
	raise_event(m);
}

static void resets(void **state)
{
	struct machine *m = machine_start(state);
	uint64_t generation = machine_get(m, GLK_CARD_GENERATION);

	use(m);
	assert_int_equal(client_function_level_reset(&m->card), 0);
	check_after_reset(m, generation + 1);
	use(m);
	assert_int_equal(client_reset(&m->card), 0);
	check_after_reset(m, generation + 2);
	assert_int_equal(machine_at(m->gpu, 0x500), 0); /* dropped both times */
	machine_enable(m);
	machine_store(m, TO_GPU, 0x500, 6);
	machine_store(m, TO_HOST, 0x9000, 7); /* a reset leaves the memory map */
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0x500), 6);
	assert_int_equal(machine_at(m->host, 0x9000), 7);
	assert_int_equal(client_function_level_reset(&m->endpoint), 0);
	machine_store(m, TO_GPU, 0x500, 8);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0x500), 6);
	assert_int_equal(client_set_config(&m->endpoint, MACHINE_COMMAND, 2, MACHINE_MEMORY), 0); /* BAR as it was */
	machine_store(m, TO_GPU, 0x500, 8);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0x500), 8);
}

static void next_client_gets_a_reset_card(void **state)
{
	struct machine *m = machine_start(state);
	uint64_t generation = machine_get(m, GLK_CARD_GENERATION);
	unsigned fds = process_fds(&m->card_process), errors = machine_partition(TO_HOST, GLK_PARTITION_ERR_ENDPOINT);
	int fd = new_event();

	for (unsigned i = 1; i <= (machine_slow() ? 3 : 20); i++) {
		use(m);
		assert_int_equal(client_set_vectors(&m->card, 1, 1, &fd, 1), 0);
		client_close(&m->card);
		assert_int_equal(client_open(&m->card, m->card_path), 0);
		check_after_reset(m, generation + i);
		assert_int_equal(process_mappings(&m->card_process, "emu-test-host"), 0);
		assert_int_equal(process_fds(&m->card_process), fds);
		machine_enable(m);
		machine_set(m, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, 1); /* would raise vector 1 */
		machine_set(m, GLK_CARD_ERROR_CAUSE, ALL_ONES);
		machine_store(m, TO_HOST, 0x9000, i);
		machine_drain(m);
		assert_int_equal(machine_counter(m, errors), i);
		assert_int_equal(machine_at(m->host, 0x9000), 0);
		assert_int_equal(events(fd, 0), 0);
		assert_int_equal(client_function_level_reset(&m->card), 0);
		assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
		machine_map_host(m);
		generation++;
	}
	close(fd);
}

static void endpoint_exits(void **state)
{
	struct machine *m = machine_start(state);
	unsigned errors = machine_partition(TO_GPU, GLK_PARTITION_ERR_ENDPOINT);

	machine_enable(m);
	machine_store(m, TO_GPU, 0, 1);
	machine_drain(m);
	assert_int_equal(machine_counter(m, errors), 0);
	assert_int_equal(process_end(&m->endpoint_process, SIGKILL), -1);
	machine_store(m, TO_GPU, 0, 2);
	machine_drain(m);
	assert_int_equal(machine_counter(m, errors), 1);
	assert_int_equal(machine_at(m->gpu, 0), 1);
	assert_int_equal(machine_load(m, TO_GPU, 0), ALL_ONES);
	assert_int_equal(machine_get(m, GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_ENDPOINT_MASK);
	machine_store(m, TO_HOST, 0x9000, 3);
	machine_drain(m);
	assert_int_equal(machine_at(m->host, 0x9000), 3);
	assert_true(process_alive(&m->card_process));
}

static bool exists(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

static void ends_by_signal(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT };

	for (unsigned i = 0; i < 2; i++) {
		struct machine *m = machine_start_bare(state);

		assert_true(exists(m->card_path) && exists(m->endpoint_path) && exists(m->fabric_path));
		if (i == 1)
			client_close(&m->card); /* with a client, and without */
		assert_int_equal(process_end(&m->card_process, signals[i]), 0);
		assert_int_equal(process_end(&m->endpoint_process, signals[i]), 0);
		assert_false(exists(m->card_path) || exists(m->endpoint_path) || exists(m->fabric_path));
		client_close(&m->card);
		client_close(&m->endpoint);
	}
}

/* A stale socket is replaced; another file is not. */
static void stale_sockets(void **state)
{
	struct machine *m = machine_start_bare(state);
	char log[PROCESS_PATH_MAX], fabric[PROCESS_PATH_MAX];
	const char *const card[] = { machine_card_program(), "--socket", m->card_process.log, NULL };
	const char *const endpoint[] = {
		machine_endpoint_program(), "--socket", m->card_process.log, "--fabric", fabric, NULL,
	};
	struct process process;

	snprintf(log, sizeof(log), "%.80s/other.log", m->folder);
	snprintf(fabric, sizeof(fabric), "%.80s/other", m->folder);
	assert_int_equal(process_start(&process, log, card), 0);
	assert_int_equal(process_end(&process, 0), 1);
	assert_int_equal(process_start(&process, log, endpoint), 0);
	assert_int_equal(process_end(&process, 0), 1);
	assert_true(exists(m->card_process.log));
	assert_false(exists(fabric));
	client_close(&m->card);
	client_close(&m->endpoint);
	assert_int_equal(process_end(&m->card_process, SIGKILL), -1);
	assert_int_equal(process_end(&m->endpoint_process, SIGKILL), -1);
	assert_true(exists(m->card_path) && exists(m->endpoint_path) && exists(m->fabric_path));
	m = machine_start_bare(state);
	assert_int_equal(client_config(&m->card, 0, 2), GLK_PCI_VENDOR);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(store_reaches_endpoint, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(store_reaches_host_memory, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(many_writes_in_one_message, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(bus_master, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(past_the_endpoint, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(endpoint_moves, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(endpoint_stays_while_configured, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(ring, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(long_ring, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(timeout_flushes, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(memory_truncated_under_the_ring, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(interrupts_are_kept, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(resets, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(next_client_gets_a_reset_card, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(endpoint_exits, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(ends_by_signal, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(stale_sockets, machine_setup, machine_teardown),
	};

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: %s GPULINK-CARD GPULINK-ENDPOINT [LOGIC]\n", argv[0]);
		return 2;
	}
	machine_programs(argv[1], argv[2], argv[3]);
	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
