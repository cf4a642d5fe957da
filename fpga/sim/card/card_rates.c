// SPDX-License-Identifier: Apache-2.0
/*
 * Stores per clock through the whole card: into the window aperture, through the queues, over the looped-back link and out as
 * plain writes on PCIe, without back-pressure. Two figures each: stores accepted per clock, and stores per clock including the
 * time until the last has arrived. And clocks per 4 KiB of regions' chunks, from the last arrival to the record. A report, not
 * a test.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chance.h>
#include <gpulink_regs.h>

#include "card_dut.h"

#define STORES	 20000u
#define CLOCKS	 (100u * STORES) /* upper bound */
#define WINDOW	 (UINT64_C(1) << 20)
#define ENDPOINT UINT64_C(0x10000000000)
#define LATENCY	 100u /* clocks, of a read of host memory for regions */
#define SOURCE	 UINT64_C(0x100000) /* a page list and, from the next MiB on, its pages */
#define RECORD	 UINT64_C(0x80000)
#define READS	 256u

static struct {
	struct card_dut *dut;
	struct chance chance;
	uint64_t written, sent; /* bytes; region record, Q0 */
	uint64_t due[READS]; /* clock from which a read is answered, and its beats that are left */
	unsigned beats[READS], first, last;
} t;

static void on_write(void *user, uint64_t address, const void *data, size_t len)
{
	(void)user;
	if (address == RECORD)
		memcpy(&t.sent, data, sizeof(t.sent));
	else
		t.written += len;
}

static int on_read(void *user, uint64_t address, void *data, size_t len)
{
	uint64_t page = SOURCE + 0x100000 + (address - SOURCE) / 8 * GLK_PAGE_SIZE;

	(void)user;
	memset(data, 0, len);
	if (len == sizeof(page) && address - SOURCE < 0x100000)
		memcpy(data, &page, sizeof(page));
	t.due[t.last % READS] = card_dut_clocks(t.dut) + LATENCY;
	t.beats[t.last++ % READS] = len <= 64 ? 1 : (unsigned)(len / 64);
	return 0;
}

/* Of the reads in order. */
static bool late(void *user, enum card_dut_stream stream)
{
	unsigned at = t.first % READS;

	(void)user;
	if (stream != CARD_DUT_RD || t.first == t.last)
		return false;
	if (card_dut_clocks(t.dut) < t.due[at])
		return true;
	t.first += --t.beats[at] == 0;
	return false;
}

static void on_interrupt(void *user, unsigned vector)
{
	(void)user;
	(void)vector;
}

static const struct card_dut_ops ops = { .mem_write = on_write, .mem_read = on_read, .interrupt = on_interrupt };
static const struct card_dut_ops late_ops = {
	.mem_write = on_write, .mem_read = on_read, .interrupt = on_interrupt, .hold = late
};

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "card_rates: %s failed: %d\n", what, error);
	exit(1);
}

static void set(uint64_t offset, uint64_t value)
{
	must(card_dut_write(t.dut, 0, offset, &value, sizeof(value)), "register write");
}

/* Creates the card, with an endpoint of one slice and its window for each of the first partitions. */
static void start(unsigned partitions, const struct card_dut_ops *with)
{
	const struct card_dut_config config = { .ops = with };

	must(card_dut_create(&config, &t.dut), "creating the card");
	chance_start(&t.chance, 1, 0);
	t.written = t.sent = t.first = t.last = 0;
	for (unsigned p = 0; p < partitions; p++) {
		uint64_t partition = GLK_PARTITION_ARRAY + (uint64_t)p * GLK_PARTITION_STRIDE;
		uint64_t window = GLK_WINDOW_ARRAY + (uint64_t)p * GLK_WINDOW_STRIDE;

		set(partition + GLK_PARTITION_MODE, GLK_PARTITION_MODE_PAPER);
		set(partition + GLK_PARTITION_SUBHEADER_BYTES, GLK_PARTITION_SUBHEADER_BYTES_PAPER);
		set(partition + GLK_PARTITION_EP_BASE, ENDPOINT * (p + 1));
		set(partition + GLK_PARTITION_EP_BYTES, WINDOW);
		set(partition + GLK_PARTITION_EP_KIND, GLK_EP_BUS);
		set(window + GLK_WINDOW_Q1, 0);
		set(window + GLK_WINDOW_Q2, WINDOW);
		set(window + GLK_WINDOW_Q0, GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_WRITE_MASK |
						    (uint64_t)p << GLK_WINDOW_Q0_PARTITION_SHIFT |
						    (uint64_t)p << GLK_WINDOW_Q0_FIRST_SHIFT);
	}
	set(GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
}

enum pattern { RANDOM, SEQUENTIAL, STRIDED, ONE_LINE };
static const char *const names[] = { "random", "sequential", "strided", "one line" };

static uint64_t place(enum pattern pattern, unsigned i, unsigned length)
{
	switch (pattern) {
	case RANDOM:
		return draw(&t.chance) % (WINDOW / length) * length;
	case SEQUENTIAL:
		return (uint64_t)i * length % WINDOW;
	case STRIDED:
		return (uint64_t)i * 256 % WINDOW;
	default:
		return (uint64_t)i * length % 128;
	}
}

static void report(enum pattern pattern, unsigned length, unsigned partitions)
{
	static const uint8_t data[64];
	uint64_t begin, taken, arrived, drain = GLK_DRAIN_CARD;

	start(partitions, &ops);
	begin = card_dut_clocks(t.dut);
	for (unsigned i = 0; i < STORES; i++) {
		uint64_t offset = place(pattern, i / partitions, length) + i % partitions * WINDOW;

		must(card_dut_post_soon(t.dut, 1, offset, data, length), "store");
	}
	while (card_dut_posts(t.dut)) {
		must(card_dut_clocks(t.dut) - begin < CLOCKS ? 0 : -ETIMEDOUT, "accepting the stores");
		card_dut_clock(t.dut);
	}
	taken = card_dut_clocks(t.dut) - begin;
	set(GLK_CARD_DRAIN, drain);
	do {
		must(card_dut_clocks(t.dut) - begin < CLOCKS ? 0 : -ETIMEDOUT, "drain");
		must(card_dut_read(t.dut, 0, GLK_CARD_DRAIN, &drain, sizeof(drain)), "register read");
	} while (drain & GLK_CARD_DRAIN_BUSY_MASK);
	arrived = card_dut_clocks(t.dut) - begin;
	printf("%2u bytes, %-10s, %2u destinations: %.3f stores per clock, %.3f until arrived\n", length, names[pattern],
	       partitions, (double)STORES / (double)taken, (double)STORES / (double)arrived);
	if (card_dut_fault(t.dut) || !t.written) {
		fprintf(stderr, "card_rates: %s\n", card_dut_fault(t.dut) ? card_dut_fault(t.dut) : "nothing arrived");
		exit(1);
	}
	card_dut_destroy(t.dut);
}

/* A chunk of 2^order bytes to the first `targets` endpoints, the page list's entries one after the other. */
static void report_region(unsigned order, unsigned targets)
{
	uint64_t at = GLK_REGION_ARRAY, bytes = UINT64_C(1) << order, begin;

	start(targets, &late_ops);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q1, bytes);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q2, SOURCE);
	set(GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q0, GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK);
	set(GLK_CONTEXT_ARRAY + GLK_CONTEXT_ORDER, GLK_RING_ORDER_MIN | GLK_RING_ORDER_MIN << GLK_CONTEXT_ORDER_CQ_SHIFT);
	set(GLK_CONTEXT_ARRAY + GLK_CONTEXT_CONTROL, GLK_CONTEXT_CONTROL_ENABLE_MASK);
	set(GLK_CHUNK_ARRAY, UINT64_C(1) << GLK_CHUNK_COUNTER_INITIAL_SHIFT);
	set(at + GLK_REGION_BYTES, bytes);
	set(at + GLK_REGION_CHUNKS, UINT64_C(1) << GLK_REGION_CHUNKS_COUNT_SHIFT);
	set(at + GLK_REGION_EXPECTED, 1);
	set(at + GLK_REGION_RECORD, RECORD);
	for (unsigned p = 0; p < targets; p++)
		set(at + GLK_REGION_TARGET_WINDOW_0 + 8 * p, p);
	set(at + GLK_REGION_CONTROL, GLK_REGION_CONTROL_VALID_MASK | (uint64_t)order << GLK_REGION_CONTROL_ORDER_SHIFT |
					     (uint64_t)targets << GLK_REGION_CONTROL_TARGETS_SHIFT);
	set(GLK_DOORBELL_ARRAY + GLK_DOORBELL_START, 0);
	begin = card_dut_clocks(t.dut);
	set(GLK_DOORBELL_ARRAY + GLK_DOORBELL_ARRIVE, UINT64_C(1) << GLK_DOORBELL_ARRIVE_COUNT_SHIFT);
	while (!t.sent) {
		must(card_dut_clocks(t.dut) - begin < CLOCKS ? 0 : -ETIMEDOUT, "transfer");
		card_dut_clock(t.dut);
	}
	printf("chunk of %u KiB, %u targets: %.0f clocks per 4 KiB\n", 1u << (order - 10), targets,
	       (double)(card_dut_clocks(t.dut) - begin) / (double)(bytes / GLK_PAGE_SIZE));
	must(card_dut_fault(t.dut) ? -EIO : 0, "the card");
	card_dut_destroy(t.dut);
}

int main(void)
{
	static const unsigned lengths[] = { 4, 8, 16, 32, 64 };

	for (unsigned l = 0; l < 5; l++)
		for (unsigned pattern = RANDOM; pattern <= ONE_LINE; pattern++)
			report((enum pattern)pattern, lengths[l], 1);
	for (unsigned l = 0; l < 5; l++)
		report(RANDOM, lengths[l], 4);
	for (unsigned order = GLK_REGION_ORDER_MIN; order <= 20; order += 4)
		for (unsigned targets = 1; targets <= 4; targets += 3)
			report_region(order, targets);
	return 0;
}
