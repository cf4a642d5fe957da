// SPDX-License-Identifier: Apache-2.0
#include "card_pair_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#define CLOCKS_MAX     1000000u

/* --- the bus --- */

bool pair_host_holds(uint64_t address, size_t len)
{
	return card_memory_is_host(address, len);
}

/* --- revoked memory --- */

static void check_open(struct pair *pair, const char *what, uint64_t address, size_t len, unsigned access)
{
	for (unsigned i = 0; i < pair->closed_count; i++) {
		const struct pair_range *closed = &pair->closed[i];
		bool inside = len ? address < closed->from + closed->bytes && address + len > closed->from
				  : address - closed->from < closed->bytes;

		if (inside && (closed->accesses & access))
			pair_fail(pair, "%s of %zu bytes at %#" PRIx64 " in revoked memory", what, len, address);
	}
}

void pair_close(struct pair *pair, uint64_t from, uint64_t bytes, unsigned accesses)
{
	if (card_dut_reading(pair->dut, from, bytes))
		pair_fail(pair, "read in the %" PRIu64 " bytes at %#" PRIx64 " still outstanding", bytes, from);
	if (pair->closed_count == PAIR_CLOSED)
		abort();
	pair->closed[pair->closed_count++] = (struct pair_range){ .from = from, .bytes = bytes, .accesses = accesses };
}

void pair_open(struct pair *pair)
{
	pair->closed_count = 0;
}

/* --- the model's platform --- */

static int model_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct pair *pair = platform;

	return card_memory_read(&pair->side[MODEL].memory, address, data, len);
}

static int model_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct pair *pair = platform;

	card_memory_write(&pair->side[MODEL].memory, address, data, len);
	return 0; /* a card cannot detect it either */
}

static void model_endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct pair *pair = platform;

	pair->writes++;
	card_memory_write(&pair->side[MODEL].memory, address, data, len);
	if (pair->loose)
		glk_card_endpoint_acknowledge(pair->model, partition, 1, 0);
	else
		pair_log_add(&pair->side[MODEL].writes[partition], data, len)->address = address;
}

static int model_endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	struct pair *pair = platform;

	(void)partition;
	return card_memory_read(&pair->side[MODEL].memory, address, data, len);
}

static void model_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct pair *pair = platform;

	pair->packets++;
	if (!pair->loose)
		pair_log_add(&pair->side[MODEL].packets, packet, len);
	glk_card_link_receive(pair->model, packet, len);
}

static void model_interrupt(void *platform, unsigned vector)
{
	struct pair *pair = platform;

	pair->side[MODEL].interrupts[vector]++;
}

static const struct glk_card_ops model_ops = {
	.dma_read = model_dma_read,
	.dma_write = model_dma_write,
	.endpoint_write = model_endpoint_write,
	.endpoint_read = model_endpoint_read,
	.link_send = model_link_send,
	.interrupt = model_interrupt,
};

/* --- the card's platform --- */

static void check_record(struct pair *pair, uint64_t address, size_t len)
{
	unsigned q = (unsigned)(address % GLK_REGION_RECORD_BYTES / 8);

	if (address < pair->records || address >= pair->records_end)
		return;
	if (len != 8 || q != (pair->record_next + 1) % 4)
		pair_fail(pair, "%zu bytes of a region's record at %#" PRIx64 " out of order", len, address);
	pair->record_next = q;
}

static void card_write(void *user, uint64_t address, const void *data, size_t len)
{
	struct pair *pair = user;
	unsigned p = card_memory_endpoint(address);

	check_open(pair, "write", address, len, PAIR_WRITES);
	check_record(pair, address, len);
	if (p >= PAIR_PARTITIONS) {
		card_memory_write(&pair->side[CARD].memory, address, data, len);
		return;
	}
	pair_log_add(&pair->late[p].log, data, len)->address = address;
	if (!pair->loose)
		pair_log_add(&pair->side[CARD].writes[p], data, len)->address = address;
}

/* The writes to an endpoint up to index `end` arrive. */
static void arrive(struct pair *pair, unsigned p, size_t end)
{
	struct pair_late *late = &pair->late[p];

	for (; late->log.next < end; late->log.next++) {
		const struct pair_event *event = &late->log.events[late->log.next];

		card_memory_write(&pair->side[CARD].memory, event->address, late->log.bytes + event->data, event->length);
	}
	if (late->log.next < late->log.count)
		return;
	pair_log_empty(&late->log);
	late->pushed = 0;
}

static void card_flushed(void *user, uint64_t address)
{
	struct pair *pair = user;
	unsigned p = card_memory_endpoint(address);

	if (p < PAIR_PARTITIONS)
		arrive(pair, p, pair->late[p].pushed);
}

static int card_read(void *user, uint64_t address, void *data, size_t len)
{
	struct pair *pair = user;
	unsigned p = card_memory_endpoint(address);
	struct pair_event *event;
	bool failed;

	check_open(pair, len ? "read" : "flush read", address, len, len ? PAIR_READS : PAIR_FLUSHES);
	if (p < PAIR_PARTITIONS)
		pair->late[p].pushed = pair->late[p].log.count;
	if (len && p < PAIR_PARTITIONS)
		arrive(pair, p, pair->late[p].pushed);
	if (len)
		return card_memory_read(&pair->side[CARD].memory, address, data, len);
	failed = p < PAIR_PARTITIONS && (pair->deaf >> p & 1);
	if (p >= PAIR_PARTITIONS) {
		pair_fail(pair, "flush read at %#" PRIx64 ", which is no endpoint", address);
	} else if (!pair->loose) {
		event = pair_log_add(&pair->side[CARD].writes[p], NULL, 0);
		event->address = address;
		event->flush = true;
		event->failed = failed;
	}
	return failed ? -EFAULT : 0;
}

static void card_interrupt(void *user, unsigned vector)
{
	struct pair *pair = user;

	pair->side[CARD].interrupts[vector]++;
}

static void card_link(void *user, const uint8_t *packet, size_t len)
{
	struct pair *pair = user;

	if (!pair->loose)
		pair_log_add(&pair->side[CARD].packets, packet, len);
}

static bool card_hold(void *user, enum card_dut_stream stream)
{
	struct pair *pair = user;

	if (pair->dut && card_dut_clocks(pair->dut) < pair->still_until[stream])
		return true;
	return pair->gaps[stream] && below(&pair->streams, 256) < pair->gaps[stream];
}

static unsigned card_choose(void *user, unsigned n)
{
	struct pair *pair = user;

	return below(&pair->streams, n);
}

static const struct card_dut_ops card_ops = {
	.mem_write = card_write,
	.mem_read = card_read,
	.flushed = card_flushed,
	.interrupt = card_interrupt,
	.link = card_link,
	.hold = card_hold,
	.choose = card_choose,
};

int pair_create(struct pair *pair, uint64_t seed, uint64_t round, const char *wave)
{
	const struct card_dut_config card = {
		.pool_bytes = PAIR_POOL_BYTES,
		.serial = seed,
		.clocks_max = CLOCKS_MAX,
		.wave = wave,
		.ops = &card_ops,
		.user = pair,
	};
	int error;

	memset(pair, 0, sizeof(*pair));
	chance_start(&pair->streams, seed + 1000000, round);
	card_pins_parameters(&pair->p);
	pair->config = (struct glk_card_config){
		.partitions = pair->p.partitions,
		.queue_entries = pair->p.entries,
		.contexts = pair->p.contexts,
		.slices = pair->p.slices,
		.slice_shift = pair->p.slice_shift,
		.registrations = pair->p.registrations,
		.vectors = pair->p.vectors,
		.regions = pair->p.regions,
		.chunks = pair->p.chunks,
		.loopback = true,
		.pool_bytes = PAIR_POOL_BYTES,
		.tsu_sets = pair->p.tsu_sets,
		.tsu_ways = pair->p.tsu_ways,
		.tsu_ts_bits = pair->p.tsu_ts_bits,
		.serial = seed,
		.ops = &model_ops,
		.platform = pair,
	};
	error = glk_card_create(&pair->config, &pair->model);
	return error ? error : card_dut_create(&card, &pair->dut);
}

void pair_destroy(struct pair *pair)
{
	card_dut_destroy(pair->dut);
	glk_card_destroy(pair->model);
	for (unsigned i = 0; i < SIDES; i++) {
		for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
			pair_log_free(&pair->side[i].writes[p]);
		pair_log_free(&pair->side[i].packets);
	}
	for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
		pair_log_free(&pair->late[p].log);
	memset(pair, 0, sizeof(*pair));
}

/* --- accesses --- */

void pair_card_did(struct pair *pair, int error)
{
	const char *fault = card_dut_fault(pair->dut);

	if (fault)
		pair_fail(pair, "card: %s", fault);
	else if (error)
		pair_fail(pair, "card: %s", strerror(-error));
}

void pair_card_post(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	pair_card_did(pair, card_dut_post_soon(pair->dut, bar, offset, data, len));
}

uint64_t pair_card_get(struct pair *pair, unsigned offset)
{
	uint64_t value = 0;

	pair_card_did(pair, card_dut_read(pair->dut, 0, offset, &value, sizeof(value)));
	return value;
}

void pair_pass(struct pair *pair)
{
	pair_card_did(pair, card_dut_pass(pair->dut));
}

void pair_card_clock(struct pair *pair, unsigned clocks)
{
	for (; clocks; clocks--)
		card_dut_clock(pair->dut);
	pair_card_did(pair, 0);
}

void pair_forgive(struct pair *pair, uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from; at < from + bytes; at++) {
		const uint8_t *card = card_memory_at(&pair->side[CARD].memory, at);

		if (card)
			*card_memory_at(&pair->side[MODEL].memory, at) = *card;
	}
}

void pair_host_write(struct pair *pair, uint64_t address, const void *data, size_t len)
{
	for (unsigned i = 0; i < SIDES; i++)
		card_memory_write(&pair->side[i].memory, address, data, len);
}

void pair_set(struct pair *pair, unsigned offset, unsigned size, uint64_t value)
{
	glk_card_register_write(pair->model, offset, size, value);
	pair_card_did(pair, card_dut_write(pair->dut, 0, offset, &value, size));
}

uint64_t pair_get(struct pair *pair, unsigned offset, unsigned size)
{
	uint64_t expected, got = 0;

	glk_card_register_read(pair->model, offset, size, &expected);
	pair_card_did(pair, card_dut_read(pair->dut, 0, offset, &got, size));
	if (got != expected)
		pair_fail(pair, "register %#x, %u bytes: expected %#" PRIx64 ", got %#" PRIx64, offset, size, expected, got);
	return expected;
}

void pair_store(struct pair *pair, uint64_t offset, const void *data, size_t len)
{
	glk_card_aperture_store(pair->model, offset, data, len);
	pair_card_did(pair, card_dut_write(pair->dut, 1, offset, data, len));
}

void pair_load(struct pair *pair, uint64_t offset, size_t len)
{
	uint8_t expected[GLK_PAGE_SIZE], got[GLK_PAGE_SIZE];

	if (len)
		glk_card_aperture_load(pair->model, offset, expected, len);
	pair_card_did(pair, card_dut_read(pair->dut, 1, offset, got, len));
	pair_compare(pair, "load", offset, expected, got, len);
}

void pair_pool_write(struct pair *pair, uint64_t offset, const void *data, size_t len)
{
	glk_card_pool_write(pair->model, offset, data, len);
	pair_card_did(pair, card_dut_write(pair->dut, 2, offset, data, len));
}

void pair_pool_read(struct pair *pair, uint64_t offset, size_t len)
{
	uint8_t expected[GLK_PAGE_SIZE], got[GLK_PAGE_SIZE];

	memset(expected, 0xff, sizeof(expected));
	if (len)
		glk_card_pool_read(pair->model, offset, expected, len);
	pair_card_did(pair, card_dut_read(pair->dut, 2, offset, got, len));
	pair_compare(pair, "pool read", offset, expected, got, len);
}

void pair_poisoned(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	if (bar == 0)
		glk_card_register_poisoned(pair->model, offset, (unsigned)len);
	else if (bar == 1)
		glk_card_aperture_poisoned(pair->model, offset);
	else
		glk_card_pool_poisoned(pair->model, offset, len);
	pair_card_did(pair, card_dut_write_poisoned(pair->dut, bar, offset, data, len));
}

void pair_inject(struct pair *pair, const uint8_t *packet, size_t len)
{
	glk_card_link_receive(pair->model, packet, len);
	pair_card_did(pair, card_dut_inject(pair->dut, packet, len));
}

void pair_advance(struct pair *pair, uint64_t by_ns)
{
	pair->now_ns += by_ns;
	glk_card_advance(pair->model, pair->now_ns);
	card_dut_set_now(pair->dut, pair->now_ns);
}

void pair_flr(struct pair *pair)
{
	glk_card_reset(pair->model);
	pair_card_did(pair, card_dut_flr(pair->dut));
}

/* What was sent before the reset arrives, and nothing else does. */
static void forget(struct pair *pair)
{
	for (unsigned p = 0; p < PAIR_PARTITIONS; p++) {
		arrive(pair, p, pair->late[p].log.count);
		pair->covered[p] = 0;
	}
	for (unsigned i = 0; i < SIDES; i++) {
		for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
			pair_log_empty(&pair->side[i].writes[p]);
		pair_log_empty(&pair->side[i].packets);
		memset(pair->side[i].interrupts, 0, sizeof(pair->side[i].interrupts));
	}
	memset(pair->epochs, 0, sizeof(pair->epochs));
	pair->record_next = 0;
	memcpy(&pair->side[MODEL].memory, &pair->side[CARD].memory, sizeof(pair->side[MODEL].memory));
}

void pair_power(struct pair *pair)
{
	pair_card_did(pair, card_dut_reset(pair->dut));
	forget(pair);
	glk_card_destroy(pair->model);
	pair->model = NULL;
	if (glk_card_create(&pair->config, &pair->model))
		abort();
	memcpy(pair->model->pool.data, card_dut_pool(pair->dut), PAIR_POOL_BYTES);
	glk_card_advance(pair->model, pair->now_ns);
}
