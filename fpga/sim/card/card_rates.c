// SPDX-License-Identifier: Apache-2.0
/*
 * Stores per clock through the whole card: into the window aperture, through the queues, over the looped-back link and out as
 * plain writes on PCIe, without back-pressure. Two figures each: stores accepted per clock, and stores per clock including the
 * time until the last has arrived. And clocks per 4 KiB of regions' chunks, from the last arrival to the record. A report, not
 * a test.
 *
 * card-rates --csv: clocks of stores, by packet form, size and place, until the last has arrived, of stores to the pool, and of
 * regions' chunks: tests/data/loggop/rates.csv, from which the terms of tools/replay/paradigm/card_clocks.h are made.
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
#define POOL	 (UINT64_C(1) << 20)
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
	unsigned latency; /* of those reads */
	uint64_t mode;	  /* of the partitions: of stores each form's, else the reset value */
} t = { .latency = LATENCY, .mode = GLK_PARTITION_MODE_RESET };

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
	t.due[t.last % READS] = card_dut_clocks(t.dut) + t.latency;
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
	const struct card_dut_config config = { .ops = with, .pool_bytes = POOL };

	must(card_dut_create(&config, &t.dut), "creating the card");
	chance_start(&t.chance, 1, 0);
	t.written = t.sent = t.first = t.last = 0;
	for (unsigned p = 0; p < partitions; p++) {
		uint64_t partition = GLK_PARTITION_ARRAY + (uint64_t)p * GLK_PARTITION_STRIDE;
		uint64_t window = GLK_WINDOW_ARRAY + (uint64_t)p * GLK_WINDOW_STRIDE;

		set(partition + GLK_PARTITION_SUBHEADER_BYTES, GLK_PARTITION_SUBHEADER_BYTES_PAPER);
		set(partition + GLK_PARTITION_EP_BASE, ENDPOINT * (p + 1));
		set(partition + GLK_PARTITION_EP_BYTES, WINDOW);
		set(partition + GLK_PARTITION_EP_KIND, GLK_EP_BUS);
		set(partition + GLK_PARTITION_MODE, t.mode);
		set(window + GLK_WINDOW_Q1, 0);
		set(window + GLK_WINDOW_Q2, WINDOW);
		set(window + GLK_WINDOW_Q0, GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_WRITE_MASK |
						    (uint64_t)p << GLK_WINDOW_Q0_PARTITION_SHIFT |
						    (uint64_t)p << GLK_WINDOW_Q0_FIRST_SHIFT);
	}
	set(GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
}

enum pattern { RANDOM, SEQUENTIAL, STRIDED, ONE_LINE, CROSSING };
static const char *const names[] = { "random", "sequential", "strided", "one line", "crossing" };

static uint64_t place(enum pattern pattern, unsigned i, unsigned length)
{
	switch (pattern) {
	case RANDOM:
		return draw(&t.chance) % (WINDOW / length) * length;
	case SEQUENTIAL:
		return (uint64_t)i * length % WINDOW;
	case STRIDED:
		return (uint64_t)i * 256 % WINDOW;
	case CROSSING: /* a beat's end, as stores that are not aligned do */
		return draw(&t.chance) % (WINDOW / 256) * 256 + 64 - length / 2;
	default:
		return (uint64_t)i * length % 128;
	}
}

static void post_stores(enum pattern pattern, unsigned length, unsigned partitions, unsigned bar, unsigned stores)
{
	static const uint8_t data[128];

	for (unsigned i = 0; i < stores; i++) {
		uint64_t offset = place(pattern, i / partitions, length) + i % partitions * WINDOW;

		must(card_dut_post_soon(t.dut, bar, offset, data, length), "store");
	}
}

static void end(void)
{
	must(card_dut_fault(t.dut) ? -EIO : 0, card_dut_fault(t.dut) ? card_dut_fault(t.dut) : "the card");
	card_dut_destroy(t.dut);
}

/* Clocks of the stores until accepted, and until the last has arrived. */
static void clock_stores(enum pattern pattern, unsigned length, unsigned partitions, unsigned stores, uint64_t *taken,
			 uint64_t *arrived)
{
	uint64_t begin, drain = GLK_DRAIN_CARD;

	start(partitions, &ops);
	begin = card_dut_clocks(t.dut);
	post_stores(pattern, length, partitions, 1, stores);
	while (card_dut_posts(t.dut)) {
		must(card_dut_clocks(t.dut) - begin < CLOCKS ? 0 : -ETIMEDOUT, "accepting the stores");
		card_dut_clock(t.dut);
	}
	*taken = card_dut_clocks(t.dut) - begin;
	set(GLK_CARD_DRAIN, drain);
	do {
		must(card_dut_clocks(t.dut) - begin < CLOCKS ? 0 : -ETIMEDOUT, "drain");
		must(card_dut_read(t.dut, 0, GLK_CARD_DRAIN, &drain, sizeof(drain)), "register read");
	} while (drain & GLK_CARD_DRAIN_BUSY_MASK);
	*arrived = card_dut_clocks(t.dut) - begin;
	must(t.written ? 0 : -EIO, "arrival");
	end();
}

static void report(enum pattern pattern, unsigned length, unsigned partitions)
{
	uint64_t taken, arrived;

	clock_stores(pattern, length, partitions, STORES, &taken, &arrived);
	printf("%2u bytes, %-10s, %2u destinations: %.3f stores per clock, %.3f until arrived\n", length, names[pattern],
	       partitions, (double)STORES / (double)taken, (double)STORES / (double)arrived);
}

/* Clocks of a chunk of 2^order bytes to the first `targets` endpoints, the page list's entries one after the other. */
static uint64_t clock_region(unsigned order, unsigned targets)
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
	begin = card_dut_clocks(t.dut) - begin;
	end();
	return begin;
}

static void report_region(unsigned order, unsigned targets)
{
	printf("chunk of %u KiB, %u targets: %.0f clocks per 4 KiB\n", 1u << (order - 10), targets,
	       (double)clock_region(order, targets) * GLK_PAGE_SIZE / (double)(UINT64_C(1) << order));
}

/* --- as CSV --- */

static const struct {
	const char *name;
	uint64_t mode;
} forms[] = { { "plain", 0 },
	      { "packing", GLK_PARTITION_MODE_PACKING_MASK },
	      { "compact", GLK_PARTITION_MODE_PACKING_MASK | GLK_PARTITION_MODE_COMPACT_MASK } };

static void csv_stores(unsigned form, unsigned stores)
{
	static const unsigned lengths[] = { 2, 4, 8, 16, 32, 64, 128 };
	static const enum pattern patterns[] = { RANDOM, SEQUENTIAL, CROSSING };
	uint64_t taken, arrived;

	t.mode = GLK_PARTITION_MODE_COALESCE_MASK | forms[form].mode;
	for (unsigned p = 0; p < 3; p++)
		for (unsigned l = 0; l < 7; l++) {
			clock_stores(patterns[p], lengths[l], 1, stores, &taken, &arrived);
			printf("store,%s,%s,%u,1,0,%u,%" PRIu64 "\n", forms[form].name, names[patterns[p]], lengths[l], stores,
			       arrived);
		}
	t.mode = GLK_PARTITION_MODE_RESET;
}

static void csv_pool(unsigned stores)
{
	for (enum pattern pattern = RANDOM; pattern <= ONE_LINE; pattern++) {
		uint64_t begin;

		start(0, &ops);
		begin = card_dut_clocks(t.dut);
		post_stores(pattern, 8, 1, 2, stores);
		while (card_dut_posts(t.dut))
			card_dut_clock(t.dut);
		printf("pool,,%s,8,1,0,%u,%" PRIu64 "\n", names[pattern], stores, card_dut_clocks(t.dut) - begin);
		end();
	}
}

static void csv_regions(void)
{
	for (t.latency = 100; t.latency <= 250; t.latency += 150)
		for (unsigned order = GLK_REGION_ORDER_MIN; order <= 20; order += 4)
			for (unsigned targets = 1; targets <= 4; targets += 3)
				printf("region,,,%u,%u,%u,1,%" PRIu64 "\n", 1u << order, targets, t.latency,
				       clock_region(order, targets));
	t.latency = LATENCY;
}

int main(int argc, char **argv)
{
	static const unsigned lengths[] = { 4, 8, 16, 32, 64 };

	if (argc == 2 && !strcmp(argv[1], "--csv")) {
		puts("what,form,place,bytes,targets,latency,count,clocks");
		csv_regions();
		for (unsigned count = 1024; count <= 4096; count *= 4) {
			csv_pool(count);
			for (unsigned form = 0; form < 3; form++)
				csv_stores(form, count);
		}
		return 0;
	}
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
