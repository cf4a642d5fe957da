// SPDX-License-Identifier: Apache-2.0
#include "card_rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card_pins.h"

#define ENDPOINT UINT64_C(0x10000000000)
/* Host memory. */
#define SQ	 UINT64_C(0x1000000)
#define CQ	 UINT64_C(0x1100000)
#define RECORD	 UINT64_C(0x1200000)
#define PAGES	 UINT64_C(0x1300000)
#define DATA	 UINT64_C(0x2000000) /* a large page */
#define CLOCKS_MAX UINT64_C(20000000)

static const uint8_t pattern[GLK_PAGE_SIZE];

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "rig: %s failed: %d\n", what, error);
	exit(1);
}

/* --- memory --- */

static void complete(struct rig *rig, const void *data)
{
	uint64_t words[GLK_CQE_BYTES / 8];

	memcpy(words, data, sizeof(words));
	rig->completed++;
	rig->failed |= (words[GLK_CQE_STATUS_Q] & GLK_CQE_STATUS_MASK) != 0;
}

static void on_write(void *user, uint64_t address, const void *data, size_t len)
{
	struct rig *rig = user;

	if (address >= ENDPOINT)
		rig->arrived += len;
	else if (address - CQ < RIG_ENTRIES * GLK_CQE_BYTES)
		for (size_t at = 0; at < len; at += GLK_CQE_BYTES)
			complete(rig, (const uint8_t *)data + at);
	else if (address == RECORD)
		memcpy(&rig->released, data, sizeof(rig->released));
}

static int on_read(void *user, uint64_t address, void *data, size_t len)
{
	struct rig *rig = user;

	memset(data, 0, len);
	if (address - SQ < sizeof(rig->sq))
		memcpy(data, (const uint8_t *)rig->sq + (address - SQ), len);
	else if (address - PAGES < sizeof(rig->pages))
		memcpy(data, (const uint8_t *)rig->pages + (address - PAGES), len);
	return 0;
}

static void on_interrupt(void *user, unsigned vector)
{
	(void)user;
	(void)vector;
}

static const struct card_dut_ops ops = { .mem_write = on_write, .mem_read = on_read, .interrupt = on_interrupt };

/* --- set up --- */

static void set(struct rig *rig, uint64_t offset, uint64_t value)
{
	must(card_dut_write(rig->dut, 0, offset, &value, sizeof(value)), "register write");
}

static void open_windows(struct rig *rig, unsigned slices, unsigned shift)
{
	rig->window_slices = slices / rig->partitions;
	rig->window_bytes = (uint64_t)rig->window_slices << shift;
	for (unsigned p = 0; p < rig->partitions; p++) {
		uint64_t partition = GLK_PARTITION_ARRAY + (uint64_t)p * GLK_PARTITION_STRIDE;

		set(rig, partition + GLK_PARTITION_MODE, GLK_PARTITION_MODE_PAPER); /* what is on record */
		set(rig, partition + GLK_PARTITION_SUBHEADER_BYTES, GLK_PARTITION_SUBHEADER_BYTES_PAPER);
		set(rig, partition + GLK_PARTITION_EP_BASE, ENDPOINT * (p + 1));
		set(rig, partition + GLK_PARTITION_EP_BYTES, rig->window_bytes);
		set(rig, partition + GLK_PARTITION_EP_KIND, GLK_EP_BUS);
		for (unsigned s = 0; s < rig->window_slices; s++) {
			uint64_t slice = p * (uint64_t)rig->window_slices + s;
			uint64_t window = GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE;

			set(rig, window + GLK_WINDOW_Q1, (uint64_t)s << shift);
			set(rig, window + GLK_WINDOW_Q2, UINT64_C(1) << shift);
			set(rig, window + GLK_WINDOW_Q0,
			    GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK |
				    (uint64_t)p << GLK_WINDOW_Q0_PARTITION_SHIFT |
				    (slice - s) << GLK_WINDOW_Q0_FIRST_SHIFT);
		}
	}
}

static void open_context(struct rig *rig)
{
	rig->pages[0] = DATA;
	set(rig, GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q1, RIG_DATA_BYTES);
	set(rig, GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q2, PAGES);
	set(rig, GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q3, GLK_REGISTRATION_Q3_LARGE_MASK);
	set(rig, GLK_REGISTRATION_ARRAY + GLK_REGISTRATION_Q0,
	    GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
	set(rig, GLK_CONTEXT_ARRAY + GLK_CONTEXT_SQ_BASE, SQ);
	set(rig, GLK_CONTEXT_ARRAY + GLK_CONTEXT_CQ_BASE, CQ);
	set(rig, GLK_CONTEXT_ARRAY + GLK_CONTEXT_ORDER,
	    RIG_ORDER << GLK_CONTEXT_ORDER_SQ_SHIFT | RIG_ORDER << GLK_CONTEXT_ORDER_CQ_SHIFT);
	set(rig, GLK_CONTEXT_ARRAY + GLK_CONTEXT_RECORD, RECORD);
	set(rig, GLK_CONTEXT_ARRAY + GLK_CONTEXT_CONTROL, GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

void rig_mode(struct rig *rig, uint64_t mode)
{
	for (unsigned p = 0; p < rig->partitions; p++)
		set(rig, GLK_PARTITION_ARRAY + (uint64_t)p * GLK_PARTITION_STRIDE + GLK_PARTITION_MODE, mode);
}

void rig_start(struct rig *rig, unsigned partitions, unsigned read_clocks)
{
	const struct card_dut_config config = { .ops = &ops, .user = rig, .read_clocks = read_clocks };
	struct card_parameters p;

	memset(rig, 0, sizeof(*rig));
	rig->partitions = partitions;
	card_pins_parameters(&p);
	must(card_dut_create(&config, &rig->dut), "creating the card");
	set(rig, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	open_windows(rig, p.slices, p.slice_shift);
	rig_mode(rig, GLK_PARTITION_MODE_COALESCE_MASK);
	open_context(rig);
}

void rig_stop(struct rig *rig)
{
	if (card_dut_fault(rig->dut) || rig->failed) {
		fprintf(stderr, "rig: %s\n", card_dut_fault(rig->dut) ? card_dut_fault(rig->dut) : "an entry failed");
		exit(1);
	}
	card_dut_destroy(rig->dut);
}

/* --- operations --- */

void rig_settle(struct rig *rig)
{
	must(card_dut_settle(rig->dut), "settling");
}

static void tick(struct rig *rig)
{
	card_dut_clock(rig->dut);
	must(card_dut_clocks(rig->dut) < CLOCKS_MAX ? 0 : -ETIMEDOUT, "waiting");
}

void rig_store(struct rig *rig, unsigned partition, uint64_t offset, unsigned bytes)
{
	must(card_dut_post_soon(rig->dut, 1, partition * rig->window_bytes + offset, pattern, bytes), "store");
}

void rig_release(struct rig *rig)
{
	uint64_t value = rig->released + 1;

	must(card_dut_post_soon(rig->dut, 0, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, &value, sizeof(value)), "release");
	while (rig->released != value)
		tick(rig);
}

void rig_entry(struct rig *rig, unsigned opcode, uint64_t offset, unsigned bytes)
{
	uint64_t *entry = rig->sq[rig->tail++ % RIG_ENTRIES];

	memset(entry, 0, GLK_SQE_BYTES);
	entry[0] = opcode | (uint64_t)bytes << GLK_SQE_LENGTH_SHIFT;
	entry[GLK_SQE_WINDOW_OFFSET_Q] = offset;
}

void rig_submit(struct rig *rig)
{
	uint64_t tail = rig->tail, head;

	must(card_dut_post_soon(rig->dut, 0, GLK_CONTEXT_ARRAY + GLK_CONTEXT_SQ_TAIL, &tail, sizeof(tail)), "doorbell");
	while (rig->completed != rig->tail)
		tick(rig);
	head = rig->completed;
	set(rig, GLK_CONTEXT_ARRAY + GLK_CONTEXT_CQ_HEAD, head);
}
