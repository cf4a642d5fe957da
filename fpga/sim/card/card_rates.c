// SPDX-License-Identifier: Apache-2.0
/*
 * Stores per clock through the whole card: into the window aperture, through the queues, over the looped-back link and out as
 * plain writes on PCIe, without back-pressure. Two figures each: stores accepted per clock, and stores per clock including the
 * time until the last has arrived. A report, not a test.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <chance.h>
#include <gpulink_regs.h>

#include "card_dut.h"

#define STORES	 20000u
#define CLOCKS	 (100u * STORES) /* upper bound */
#define WINDOW	 (UINT64_C(1) << 20)
#define ENDPOINT UINT64_C(0x10000000000)

static struct {
	struct card_dut *dut;
	struct chance chance;
	uint64_t written;
} t;

static void on_write(void *user, uint64_t address, const void *data, size_t len)
{
	(void)user;
	(void)address;
	(void)data;
	t.written += len;
}

static int on_read(void *user, uint64_t address, void *data, size_t len)
{
	(void)user;
	(void)address;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)data)[i] = 0;
	return 0;
}

static void on_interrupt(void *user, unsigned vector)
{
	(void)user;
	(void)vector;
}

static const struct card_dut_ops ops = { .mem_write = on_write, .mem_read = on_read, .interrupt = on_interrupt };

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
static void start(unsigned partitions)
{
	const struct card_dut_config config = { .ops = &ops };

	must(card_dut_create(&config, &t.dut), "creating the card");
	chance_start(&t.chance, 1, 0);
	t.written = 0;
	for (unsigned p = 0; p < partitions; p++) {
		uint64_t partition = GLK_PARTITION_ARRAY + (uint64_t)p * GLK_PARTITION_STRIDE;
		uint64_t window = GLK_WINDOW_ARRAY + (uint64_t)p * GLK_WINDOW_STRIDE;

		set(partition + GLK_PARTITION_EP_BASE, ENDPOINT * (p + 1));
		set(partition + GLK_PARTITION_EP_BYTES, WINDOW);
		set(partition + GLK_PARTITION_EP_KIND, GLK_EP_BUS);
		set(window + GLK_WINDOW_Q1, 0);
		set(window + GLK_WINDOW_Q2, WINDOW);
		set(window + GLK_WINDOW_Q0, GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_WRITE_MASK |
						    (uint64_t)p << GLK_WINDOW_Q0_PARTITION_SHIFT | (uint64_t)p << GLK_WINDOW_Q0_FIRST_SHIFT);
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

	start(partitions);
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
	printf("%2u bytes, %-10s, %2u destinations: %.3f stores per clock, %.3f until arrived\n", length, names[pattern], partitions,
	       (double)STORES / (double)taken, (double)STORES / (double)arrived);
	if (card_dut_fault(t.dut) || !t.written) {
		fprintf(stderr, "card_rates: %s\n", card_dut_fault(t.dut) ? card_dut_fault(t.dut) : "nothing arrived");
		exit(1);
	}
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
	return 0;
}
