// SPDX-License-Identifier: Apache-2.0
#include "card_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#define SERVICE_BUDGET 1000u
#define CLOCKS_MAX     1000000u

void pair_fail(struct pair *pair, const char *format, ...)
{
	va_list arguments;

	if (pair->failure[0])
		return;
	va_start(arguments, format);
	vsnprintf(pair->failure, sizeof(pair->failure), format, arguments);
	va_end(arguments);
}

/* --- logs --- */

static struct pair_event *log_add(struct pair_log *log, const void *data, size_t len)
{
	if (log->count == log->room) {
		log->room = log->room ? 2 * log->room : 64;
		log->events = realloc(log->events, log->room * sizeof(*log->events));
	}
	while (log->used + len > log->bytes_room) {
		log->bytes_room = log->bytes_room ? 2 * log->bytes_room : 16384;
		log->bytes = realloc(log->bytes, log->bytes_room);
	}
	if (!log->events || (log->bytes_room && !log->bytes))
		abort();
	log->events[log->count] = (struct pair_event){ .length = (unsigned)len, .data = log->used };
	if (len)
		memcpy(log->bytes + log->used, data, len);
	log->used += len;
	return &log->events[log->count++];
}

static struct pair_event *log_next(struct pair_log *log)
{
	return log->next < log->count ? &log->events[log->next] : NULL;
}

static void log_empty(struct pair_log *log)
{
	log->count = log->next = log->used = 0;
}

static void log_free(struct pair_log *log)
{
	free(log->events);
	free(log->bytes);
}

/* --- the bus --- */

bool pair_host_holds(uint64_t address, size_t len)
{
	return address >= PAIR_HOST && address - PAIR_HOST <= PAIR_HOST_BYTES && len <= PAIR_HOST_BYTES - (address - PAIR_HOST);
}

/* The endpoint whose part of the bus an address lies in; PAIR_PARTITIONS: none. */
static unsigned endpoint_at(uint64_t address)
{
	uint64_t p = address / PAIR_BUS(0);

	return p >= 1 && p <= PAIR_PARTITIONS ? (unsigned)(p - 1) : PAIR_PARTITIONS;
}

static uint8_t *byte_at(struct pair_side *side, uint64_t address)
{
	unsigned p = endpoint_at(address);

	if (p < PAIR_PARTITIONS)
		return address - PAIR_BUS(p) < PAIR_EP_BYTES ? &side->endpoint[p][address - PAIR_BUS(p)] : NULL;
	return pair_host_holds(address, 1) ? &side->host[address - PAIR_HOST] : NULL;
}

/* Of a write that goes beyond what is there, the first bytes arrive, however it is cut. */
static void bus_write(struct pair_side *side, uint64_t address, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t *to = byte_at(side, address + i);

		if (to)
			*to = data[i];
	}
}

static int bus_read(struct pair_side *side, uint64_t address, uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const uint8_t *from = byte_at(side, address + i);

		if (!from)
			return -EFAULT;
		data[i] = *from;
	}
	return 0;
}

/* --- what is closed --- */

static void check_open(struct pair *pair, const char *what, uint64_t address, size_t len, bool write)
{
	for (unsigned i = 0; i < pair->closed_count; i++) {
		const struct pair_range *closed = &pair->closed[i];
		bool inside = address < closed->from + closed->bytes && address + len > closed->from;

		/* Reads of length 0 belong to the writes before them. */
		if (!len)
			inside = closed->writes && address - closed->from < closed->bytes;
		if (inside && (closed->writes || !write))
			pair_fail(pair, "a %s of %zu bytes at %#" PRIx64 ", which the card has no business with any more", what, len, address);
	}
}

void pair_close(struct pair *pair, uint64_t from, uint64_t bytes, bool writes)
{
	if (card_dut_reading(pair->dut, from, bytes))
		pair_fail(pair, "a read of the %" PRIu64 " bytes at %#" PRIx64 " is still out", bytes, from);
	if (pair->closed_count == PAIR_CLOSED)
		abort();
	pair->closed[pair->closed_count++] = (struct pair_range){ .from = from, .bytes = bytes, .writes = writes };
}

void pair_open(struct pair *pair)
{
	pair->closed_count = 0;
}

/* --- the model's platform --- */

static int model_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct pair *pair = platform;

	return bus_read(&pair->side[MODEL], address, data, len);
}

static int model_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct pair *pair = platform;

	bus_write(&pair->side[MODEL], address, data, len);
	return 0; /* a card would not see it either */
}

static void model_endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct pair *pair = platform;

	pair->writes++;
	bus_write(&pair->side[MODEL], address, data, len);
	if (pair->loose)
		glk_card_endpoint_acknowledge(pair->model, partition, 1, 0);
	else
		log_add(&pair->side[MODEL].writes[partition], data, len)->address = address;
}

static int model_endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	struct pair *pair = platform;

	(void)partition;
	return bus_read(&pair->side[MODEL], address, data, len);
}

static void model_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct pair *pair = platform;

	pair->packets++;
	if (!pair->loose)
		log_add(&pair->side[MODEL].packets, packet, len);
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

static void card_write(void *user, uint64_t address, const void *data, size_t len)
{
	struct pair *pair = user;
	unsigned p = endpoint_at(address);

	check_open(pair, "write", address, len, true);
	bus_write(&pair->side[CARD], address, data, len);
	if (p < PAIR_PARTITIONS && !pair->loose)
		log_add(&pair->side[CARD].writes[p], data, len)->address = address;
}

static int card_read(void *user, uint64_t address, void *data, size_t len)
{
	struct pair *pair = user;
	unsigned p = endpoint_at(address);
	struct pair_event *event;
	bool failed;

	check_open(pair, "read", address, len, false);
	if (len)
		return bus_read(&pair->side[CARD], address, data, len);
	failed = p < PAIR_PARTITIONS && (pair->deaf >> p & 1);
	if (p >= PAIR_PARTITIONS) {
		pair_fail(pair, "a flush read at %#" PRIx64 ", where no endpoint is", address);
	} else if (!pair->loose) {
		event = log_add(&pair->side[CARD].writes[p], NULL, 0);
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
		log_add(&pair->side[CARD].packets, packet, len);
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
	.interrupt = card_interrupt,
	.link = card_link,
	.hold = card_hold,
	.choose = card_choose,
};

int pair_create(struct pair *pair, uint64_t seed, uint64_t round, const char *wave)
{
	const struct card_dut_config card = {
		.pool_bytes = PAIR_POOL_BYTES, .serial = seed, .clocks_max = CLOCKS_MAX, .wave = wave, .ops = &card_ops, .user = pair,
	};
	struct glk_card_config model;
	int error;

	memset(pair, 0, sizeof(*pair));
	chance_start(&pair->streams, seed + 1000000, round);
	card_pins_parameters(&pair->p);
	model = (struct glk_card_config){
		.partitions = pair->p.partitions,
		.queue_entries = pair->p.entries,
		.contexts = pair->p.contexts,
		.slices = pair->p.slices,
		.slice_shift = pair->p.slice_shift,
		.registrations = pair->p.registrations,
		.vectors = pair->p.vectors,
		.loopback = true,
		.pool_bytes = PAIR_POOL_BYTES,
		.serial = seed,
		.ops = &model_ops,
		.platform = pair,
	};
	error = glk_card_create(&model, &pair->model);
	return error ? error : card_dut_create(&card, &pair->dut);
}

void pair_destroy(struct pair *pair)
{
	card_dut_destroy(pair->dut);
	glk_card_destroy(pair->model);
	for (unsigned i = 0; i < SIDES; i++) {
		for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
			log_free(&pair->side[i].writes[p]);
		log_free(&pair->side[i].packets);
	}
	memset(pair, 0, sizeof(*pair));
}

/* --- accesses --- */

static void card_did(struct pair *pair, int error)
{
	const char *fault = card_dut_fault(pair->dut);

	if (fault)
		pair_fail(pair, "the card at %s", fault);
	else if (error)
		pair_fail(pair, "the card: %s", strerror(-error));
}

void pair_card_post(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	card_did(pair, card_dut_post_soon(pair->dut, bar, offset, data, len));
}

uint64_t pair_card_get(struct pair *pair, unsigned offset)
{
	uint64_t value = 0;

	card_did(pair, card_dut_read(pair->dut, 0, offset, &value, sizeof(value)));
	return value;
}

void pair_pass(struct pair *pair)
{
	card_did(pair, card_dut_pass(pair->dut));
}

void pair_card_clock(struct pair *pair, unsigned clocks)
{
	for (; clocks; clocks--)
		card_dut_clock(pair->dut);
	card_did(pair, 0);
}

void pair_forgive(struct pair *pair, uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from; at < from + bytes; at++) {
		const uint8_t *card = byte_at(&pair->side[CARD], at);

		if (card)
			*byte_at(&pair->side[MODEL], at) = *card;
	}
}

void pair_host_write(struct pair *pair, uint64_t address, const void *data, size_t len)
{
	for (unsigned i = 0; i < SIDES; i++)
		bus_write(&pair->side[i], address, data, len);
}

void pair_set(struct pair *pair, unsigned offset, unsigned size, uint64_t value)
{
	glk_card_register_write(pair->model, offset, size, value);
	card_did(pair, card_dut_write(pair->dut, 0, offset, &value, size));
}

uint64_t pair_get(struct pair *pair, unsigned offset, unsigned size)
{
	uint64_t expected, got = 0;

	glk_card_register_read(pair->model, offset, size, &expected);
	card_did(pair, card_dut_read(pair->dut, 0, offset, &got, size));
	if (got != expected)
		pair_fail(pair, "register %#x, %u bytes: expected %#" PRIx64 ", got %#" PRIx64, offset, size, expected, got);
	return expected;
}

void pair_store(struct pair *pair, uint64_t offset, const void *data, size_t len)
{
	glk_card_aperture_store(pair->model, offset, data, len);
	card_did(pair, card_dut_write(pair->dut, 1, offset, data, len));
}

static void compare(struct pair *pair, const char *what, uint64_t offset, const uint8_t *expected, const uint8_t *got, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (expected[i] != got[i]) {
			pair_fail(pair, "%s at %#" PRIx64 ", byte %zu of %zu: expected %#x, got %#x", what, offset, i, len, expected[i],
				  got[i]);
			return;
		}
}

void pair_load(struct pair *pair, uint64_t offset, size_t len)
{
	uint8_t expected[GLK_PAGE_SIZE], got[GLK_PAGE_SIZE];

	if (len)
		glk_card_aperture_load(pair->model, offset, expected, len);
	card_did(pair, card_dut_read(pair->dut, 1, offset, got, len));
	compare(pair, "load", offset, expected, got, len);
}

void pair_pool_write(struct pair *pair, uint64_t offset, const void *data, size_t len)
{
	glk_card_pool_write(pair->model, offset, data, len);
	card_did(pair, card_dut_write(pair->dut, 2, offset, data, len));
}

void pair_pool_read(struct pair *pair, uint64_t offset, size_t len)
{
	uint8_t expected[GLK_PAGE_SIZE], got[GLK_PAGE_SIZE];

	memset(expected, 0xff, sizeof(expected));
	if (len)
		glk_card_pool_read(pair->model, offset, expected, len);
	card_did(pair, card_dut_read(pair->dut, 2, offset, got, len));
	compare(pair, "read of the pool", offset, expected, got, len);
}

void pair_poisoned(struct pair *pair, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	if (bar == 0)
		glk_card_register_poisoned(pair->model, offset, (unsigned)len);
	else if (bar == 1)
		glk_card_aperture_poisoned(pair->model, offset);
	else
		glk_card_pool_poisoned(pair->model, offset, len);
	card_did(pair, card_dut_write_poisoned(pair->dut, bar, offset, data, len));
}

void pair_inject(struct pair *pair, const uint8_t *packet, size_t len)
{
	glk_card_link_receive(pair->model, packet, len);
	card_did(pair, card_dut_inject(pair->dut, packet, len));
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
	card_did(pair, card_dut_flr(pair->dut));
}

/* --- what they did --- */

static void serve_model(struct pair *pair)
{
	while (glk_card_service(pair->model, SERVICE_BUDGET))
		;
}

/* A part of a plain write of the card: the next bytes of the model's next one. */
static bool match_part(struct pair *pair, unsigned p, const struct pair_event *part)
{
	struct pair_log *model = &pair->side[MODEL].writes[p], *card = &pair->side[CARD].writes[p];
	struct pair_event *whole = log_next(model);

	if (!whole)
		return false;
	if (part->address != whole->address + whole->done || part->length > whole->length - whole->done) {
		pair_fail(pair, "write to endpoint %u: expected %u bytes at %#" PRIx64 " (%u done), got %u at %#" PRIx64, p, whole->length,
			  whole->address, whole->done, part->length, part->address);
		return false;
	}
	compare(pair, "write to an endpoint", part->address, model->bytes + whole->data + whole->done, card->bytes + part->data,
		part->length);
	whole->done += part->length;
	if (whole->done == whole->length) {
		model->next++;
		pair->covered[p]++;
	}
	return true;
}

/* Goes along the card's writes and flush reads to a partition as far as the model has got. */
static bool follow(struct pair *pair, unsigned p)
{
	struct pair_log *card = &pair->side[CARD].writes[p];
	const struct pair_event *event;
	bool moved = false;

	while ((event = log_next(card)) && !pair->failure[0]) {
		unsigned covered = pair->covered[p];

		if (!event->flush && !match_part(pair, p, event))
			break;
		card->next++;
		moved = true;
		if (!event->flush)
			continue;
		pair->covered[p] = 0;
		glk_card_endpoint_acknowledge(pair->model, p, covered, event->failed ? covered : 0);
	}
	return moved;
}

static void check_writes(struct pair *pair, unsigned p)
{
	struct pair_log *model = &pair->side[MODEL].writes[p], *card = &pair->side[CARD].writes[p];
	const struct pair_event *event;

	if ((event = log_next(card)))
		pair_fail(pair, "write to endpoint %u that must not be: %u bytes at %#" PRIx64, p, event->length, event->address);
	if ((event = log_next(model)))
		pair_fail(pair, "write to endpoint %u that does not come: %u bytes at %#" PRIx64 " (%u done)", p, event->length,
			  event->address, event->done);
	if (pair->covered[p])
		pair_fail(pair, "%u writes to endpoint %u that no flush read followed", pair->covered[p], p);
	log_empty(model);
	log_empty(card);
}

static const uint8_t *next_packet(struct pair_log *log, unsigned partition, size_t *len)
{
	for (; log->next < log->count; log->next++) {
		const struct pair_event *event = &log->events[log->next];

		if (partition < PAIR_PARTITIONS && log->bytes[event->data + 9] != partition)
			continue;
		*len = event->length;
		log->next++;
		return log->bytes + event->data;
	}
	return NULL;
}

/* All packets, or those to a partition. */
static void check_packets(struct pair *pair, unsigned partition)
{
	struct pair_log *model = &pair->side[MODEL].packets, *card = &pair->side[CARD].packets;
	size_t expected_bytes = 0, got_bytes = 0;
	unsigned count[SIDES] = { 0, 0 };
	const uint8_t *expected, *got;

	for (unsigned i = 0; i < SIDES; i++)
		for (pair->side[i].packets.next = 0; next_packet(&pair->side[i].packets, partition, &got_bytes);)
			count[i]++;
	if (count[MODEL] != count[CARD])
		pair_fail(pair, "packets%s: expected %u, got %u", partition < PAIR_PARTITIONS ? " to a partition" : "", count[MODEL],
			  count[CARD]);
	model->next = card->next = 0;
	do {
		expected = next_packet(model, partition, &expected_bytes);
		got = next_packet(card, partition, &got_bytes);
		if (!expected != !got)
			pair_fail(pair, "a packet that %s, %zu bytes, partition %u", got ? "must not be" : "does not come",
				  got ? got_bytes : expected_bytes, (got ? got : expected)[9]);
		else if (expected && expected_bytes != got_bytes)
			pair_fail(pair, "a packet: expected %zu bytes, got %zu", expected_bytes, got_bytes);
		else if (expected)
			compare(pair, "packet", 0, expected, got, got_bytes);
	} while (expected && got && !pair->failure[0]);
}

static void check_interrupts(struct pair *pair)
{
	for (unsigned v = 0; v < PAIR_VECTORS; v++) {
		unsigned expected = pair->side[MODEL].interrupts[v], got = pair->side[CARD].interrupts[v];
		/* Two causes for one interrupt may have come before it could be sent, and a reset before that too. */
		bool one_is_enough = v == GLK_EVENT_VECTOR && got < expected, none_is_enough = one_is_enough && pair->reset;

		/* How many releases complete as one is a matter of time: one interrupt at least if the model has any. */
		if (pair->loose && (got < pair->least[v] || got > pair->most[v] || !got != !expected))
			pair_fail(pair, "interrupts of vector %u: expected %u to %u (the model: %u), got %u", v, pair->least[v], pair->most[v],
				  expected, got);
		else if (!pair->loose && got != expected && !(one_is_enough && got && expected) && !none_is_enough)
			pair_fail(pair, "interrupts of vector %u: expected %u, got %u", v, expected, got);
		pair->side[MODEL].interrupts[v] = pair->side[CARD].interrupts[v] = 0;
		pair->least[v] = pair->most[v] = 0;
	}
}

void pair_settle(struct pair *pair)
{
	bool moved;

	serve_model(pair);
	card_did(pair, card_dut_settle(pair->dut));
	do {
		moved = false;
		for (unsigned p = 0; p < pair->p.partitions && !pair->loose; p++)
			moved |= follow(pair, p);
		serve_model(pair);
	} while (moved && !pair->failure[0]);
	for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
		check_writes(pair, p);
	if (!pair->unordered)
		check_packets(pair, PAIR_PARTITIONS);
	for (unsigned p = 0; p < pair->p.partitions && pair->unordered; p++)
		check_packets(pair, p);
	log_empty(&pair->side[MODEL].packets);
	log_empty(&pair->side[CARD].packets);
	check_interrupts(pair);
	pair_check_memory(pair);
}

static void check_pool(struct pair *pair)
{
	uint8_t page[GLK_PAGE_SIZE];

	for (uint64_t at = 0; at < PAIR_POOL_BYTES; at += sizeof(page)) {
		glk_card_pool_read(pair->model, at, page, sizeof(page));
		compare(pair, "the pool", at, page, card_dut_pool(pair->dut) + at, sizeof(page));
	}
}

void pair_check_memory(struct pair *pair)
{
	const struct pair_side *model = &pair->side[MODEL], *card = &pair->side[CARD];

	if (memcmp(model->host, card->host, sizeof(model->host)))
		compare(pair, "host memory", PAIR_HOST, model->host, card->host, sizeof(model->host));
	for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
		if (memcmp(model->endpoint[p], card->endpoint[p], sizeof(model->endpoint[p])))
			compare(pair, "an endpoint's memory", PAIR_BUS(p), model->endpoint[p], card->endpoint[p], sizeof(model->endpoint[p]));
	check_pool(pair);
}

static void check_row(struct pair *pair, unsigned at, unsigned first, unsigned last)
{
	for (unsigned reg = first; reg <= last && !pair->failure[0]; reg += 8)
		pair_get(pair, at + reg, 8);
}

static void check_all_registers(struct pair *pair)
{
	static const unsigned headers[] = {
		GLK_BLOCK_CARD,	   GLK_BLOCK_PARTITION, GLK_BLOCK_WINDOW, GLK_BLOCK_REGISTRATION,
		GLK_BLOCK_CONTEXT, GLK_BLOCK_DOORBELL,
	};

	pair_set(pair, GLK_CARD_SNAPSHOT, 8, 0);
	for (unsigned i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		pair_get(pair, headers[i], 8);
	check_row(pair, 0, 0, GLK_CARD_PACKETS_RECEIVED + 8);
	for (unsigned p = 0; p < pair->p.partitions; p++)
		check_row(pair, GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE, 0, GLK_PARTITION_ERR_ENDPOINT + 8);
	for (unsigned w = 0; w < pair->p.slices; w++)
		check_row(pair, GLK_WINDOW_ARRAY + w * GLK_WINDOW_STRIDE, 0, GLK_WINDOW_STRIDE - 8);
	for (unsigned r = 0; r < pair->p.registrations; r++)
		check_row(pair, GLK_REGISTRATION_ARRAY + r * GLK_REGISTRATION_STRIDE, 0, GLK_REGISTRATION_STRIDE - 8);
	for (unsigned c = 0; c < pair->p.contexts; c++) {
		check_row(pair, GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE, 0, GLK_CONTEXT_ERRORS + 8);
		check_row(pair, GLK_DOORBELL_ARRAY + c * GLK_DOORBELL_STRIDE, 0, GLK_DOORBELL_GENERATION + 8);
	}
}

void pair_check_registers(struct pair *pair, bool all)
{
	if (all) {
		check_all_registers(pair);
		return;
	}
	pair_get(pair, GLK_CARD_CONTROL, 8);
	pair_get(pair, GLK_CARD_STATUS, 8);
	pair_get(pair, GLK_CARD_ERROR_CAUSE, 8);
	pair_get(pair, GLK_CARD_DRAIN, 8);
	for (unsigned p = 0; p < pair->p.partitions; p++)
		pair_get(pair, GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE + GLK_PARTITION_STATUS, 8);
	for (unsigned c = 0; c < pair->p.contexts; c++) {
		check_row(pair, GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE, GLK_CONTEXT_SQ_HEAD, GLK_CONTEXT_ERRORS);
		pair_get(pair, GLK_DOORBELL_ARRAY + c * GLK_DOORBELL_STRIDE + GLK_DOORBELL_RELEASED, 8);
	}
}
