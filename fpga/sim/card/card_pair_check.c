// SPDX-License-Identifier: Apache-2.0
/* Scoreboard: compares the events of model and card. */
#include "card_pair_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#define SERVICE_BUDGET 1000u

/* --- events --- */

static void serve_model(struct pair *pair)
{
	while (glk_card_service(pair->model, SERVICE_BUDGET))
		;
}

/* Matches a part of a plain write of the card with the next bytes of the model's write. */
static bool match_part(struct pair *pair, unsigned p, const struct pair_event *part)
{
	struct pair_log *model = &pair->side[MODEL].writes[p], *card = &pair->side[CARD].writes[p];
	struct pair_event *whole = pair_log_next(model);

	if (!whole)
		return false;
	if (part->address != whole->address + whole->done || part->length > whole->length - whole->done) {
		pair_fail(pair, "write to endpoint %u: expected %u bytes at %#" PRIx64 " (%u done), got %u at %#" PRIx64, p, whole->length,
			  whole->address, whole->done, part->length, part->address);
		return false;
	}
	pair_compare(pair, "write to endpoint", part->address, model->bytes + whole->data + whole->done, card->bytes + part->data,
		part->length);
	whole->done += part->length;
	if (whole->done == whole->length) {
		model->next++;
		pair->covered[p]++;
	}
	return true;
}

/* Matches the card's writes and flush reads to a partition, up to the model's progress. */
static bool follow(struct pair *pair, unsigned p)
{
	struct pair_log *card = &pair->side[CARD].writes[p];
	const struct pair_event *event;
	bool moved = false;

	while ((event = pair_log_next(card)) && !pair->failure[0]) {
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

	if ((event = pair_log_next(card)))
		pair_fail(pair, "unexpected write to endpoint %u: %u bytes at %#" PRIx64, p, event->length, event->address);
	if ((event = pair_log_next(model)))
		pair_fail(pair, "missing write to endpoint %u: %u bytes at %#" PRIx64 " (%u done)", p, event->length,
			  event->address, event->done);
	if (pair->covered[p])
		pair_fail(pair, "%u writes to endpoint %u without a flush read after them", pair->covered[p], p);
	pair_log_empty(model);
	pair_log_empty(card);
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

/* Compares all packets, or those to a partition. */
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
			pair_fail(pair, "%s packet, %zu bytes, partition %u", got ? "unexpected" : "missing",
				  got ? got_bytes : expected_bytes, (got ? got : expected)[9]);
		else if (expected && expected_bytes != got_bytes)
			pair_fail(pair, "packet: expected %zu bytes, got %zu", expected_bytes, got_bytes);
		else if (expected)
			pair_compare(pair, "packet", 0, expected, got, got_bytes);
	} while (expected && got && !pair->failure[0]);
}

static void check_interrupts(struct pair *pair)
{
	for (unsigned v = 0; v < PAIR_VECTORS; v++) {
		unsigned expected = pair->side[MODEL].interrupts[v], got = pair->side[CARD].interrupts[v];
		/* Two causes may share one interrupt, and a reset may cancel it. */
		bool one_is_enough = v == GLK_EVENT_VECTOR && got < expected, none_is_enough = one_is_enough && pair->reset;

		/* Timing decides how many releases complete together: at least one interrupt if the model has any. */
		if (pair->loose && (got < pair->least[v] || got > pair->most[v] || !got != !expected))
			pair_fail(pair, "interrupts of vector %u: expected %u to %u (model: %u), got %u", v, pair->least[v], pair->most[v],
				  expected, got);
		else if (!pair->loose && got != expected && !(got > expected && got <= expected + pair->epochs[v]) &&
			 !(one_is_enough && got && expected) && !none_is_enough)
			pair_fail(pair, "interrupts of vector %u: expected %u, got %u", v, expected, got);
		pair->side[MODEL].interrupts[v] = pair->side[CARD].interrupts[v] = 0;
		pair->least[v] = pair->most[v] = pair->epochs[v] = 0;
	}
}

void pair_settle(struct pair *pair)
{
	bool moved;

	serve_model(pair);
	pair_card_did(pair, card_dut_settle(pair->dut));
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
	pair_log_empty(&pair->side[MODEL].packets);
	pair_log_empty(&pair->side[CARD].packets);
	check_interrupts(pair);
	pair_check_memory(pair);
}

static void check_pool(struct pair *pair)
{
	uint8_t page[GLK_PAGE_SIZE];

	for (uint64_t at = 0; at < PAIR_POOL_BYTES; at += sizeof(page)) {
		glk_card_pool_read(pair->model, at, page, sizeof(page));
		pair_compare(pair, "pool", at, page, card_dut_pool(pair->dut) + at, sizeof(page));
	}
}

void pair_check_memory(struct pair *pair)
{
	const struct pair_side *model = &pair->side[MODEL], *card = &pair->side[CARD];

	if (memcmp(model->memory.host, card->memory.host, sizeof(model->memory.host)))
		pair_compare(pair, "host memory", PAIR_HOST, model->memory.host, card->memory.host, sizeof(model->memory.host));
	for (unsigned p = 0; p < PAIR_PARTITIONS; p++)
		if (memcmp(model->memory.endpoint[p], card->memory.endpoint[p], sizeof(model->memory.endpoint[p])))
			pair_compare(pair, "endpoint memory", PAIR_BUS(p), model->memory.endpoint[p], card->memory.endpoint[p],
				     sizeof(model->memory.endpoint[p]));
	check_pool(pair);
}

static void check_row(struct pair *pair, unsigned at, unsigned first, unsigned last)
{
	for (unsigned reg = first; reg <= last && !pair->failure[0]; reg += 8)
		pair_get(pair, at + reg, 8);
}

/* Elements FIRST, FIRST + STEP, ... of a table of rows; all of a small one. */
static void check_table(struct pair *pair, unsigned at, unsigned stride, unsigned count, unsigned first, unsigned step)
{
	for (unsigned i = count > 64 ? first : 0; i < count; i += count > 64 ? step : 1)
		check_row(pair, at + i * stride, 0, stride - 8);
}

static void check_all_registers(struct pair *pair, unsigned first, unsigned step)
{
	static const unsigned headers[] = {
		GLK_BLOCK_CARD,	   GLK_BLOCK_PARTITION, GLK_BLOCK_WINDOW, GLK_BLOCK_REGISTRATION,
		GLK_BLOCK_CONTEXT, GLK_BLOCK_DOORBELL,	GLK_BLOCK_REGION, GLK_BLOCK_CHUNK, GLK_BLOCK_TSU,
	};

	pair_set(pair, GLK_CARD_SNAPSHOT, 8, 0);
	for (unsigned i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		pair_get(pair, headers[i], 8);
	check_row(pair, 0, 0, GLK_CARD_COUNTER_LAST + 8);
	for (unsigned p = 0; p < pair->p.partitions; p++)
		check_row(pair, GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE, 0, GLK_PARTITION_COUNTER_LAST + 8);
	check_table(pair, GLK_WINDOW_ARRAY, GLK_WINDOW_STRIDE, pair->p.slices, first, step);
	check_table(pair, GLK_REGISTRATION_ARRAY, GLK_REGISTRATION_STRIDE, pair->p.registrations, first, step);
	for (unsigned c = 0; c < pair->p.contexts; c++) {
		check_row(pair, GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE, 0, GLK_CONTEXT_COUNTER_LAST + 8);
		check_row(pair, GLK_DOORBELL_ARRAY + c * GLK_DOORBELL_STRIDE, 0,
			  pair->loose ? GLK_DOORBELL_CLOCK - 8 : GLK_DOORBELL_CLOCK + 8);
	}
	for (unsigned r = 0; r < pair->p.regions && r < PAIR_REGIONS; r++)
		check_row(pair, GLK_REGION_ARRAY + r * GLK_REGION_STRIDE, 0, GLK_REGION_TARGET_SIGNAL_7 + 8);
	for (unsigned k = 0; k < pair->p.chunks && k < 64; k++)
		pair_get(pair, GLK_CHUNK_ARRAY + k * GLK_CHUNK_STRIDE, 8);
}

/* In loose rounds the times depend on the order of stores. */
void pair_check_stamps(struct pair *pair, bool counters)
{
	check_row(pair, GLK_BLOCK_TSU, GLK_TSU_CAPS - GLK_BLOCK_TSU, GLK_TSU_GREATEST - GLK_BLOCK_TSU);
	check_row(pair, GLK_BLOCK_TSU, GLK_TSU_CLEAR - GLK_BLOCK_TSU,
		  (counters ? GLK_TSU_COUNTER_LAST : GLK_TSU_GRAIN_3) - GLK_BLOCK_TSU);
}

/* Lets all leases end in both, and gives the model the card's times, where these depend on the order of stores. */
void pair_adopt_stamps(struct pair *pair)
{
	struct glk_tsu *tsu = &pair->model->pool.tsu;
	uint64_t control = pair->model->pool.tsu.shape.adapt ? GLK_TSU_CONTROL_ADAPT_MASK : 0;

	if (!pair->p.tsu_sets)
		return;
	pair_set(pair, GLK_TSU_CONTROL, 8, control | GLK_TSU_CONTROL_EXPIRE_MASK);
	pair_set(pair, GLK_CARD_SNAPSHOT, 8, 0);
	tsu->epoch = (uint32_t)pair_card_get(pair, GLK_TSU_EPOCH);
	tsu->clock = pair_card_get(pair, GLK_TSU_CLOCK);
	tsu->greatest = pair_card_get(pair, GLK_TSU_GREATEST);
	tsu->evictions = pair_card_get(pair, GLK_TSU_EVICTIONS);
	tsu->epochs = pair_card_get(pair, GLK_TSU_EPOCHS);
	pair_set(pair, GLK_CARD_SNAPSHOT, 8, 0);
	pair_get(pair, GLK_TSU_EPOCHS, 8); /* behind the writes */
}

static void check_latched(struct pair *pair, unsigned first, unsigned step)
{
	check_all_registers(pair, first, step);
	if (!pair->loose)
		pair_check_stamps(pair, true);
}

void pair_check_sample(struct pair *pair, unsigned number)
{
	check_latched(pair, number % 8, 8);
}

void pair_check_registers(struct pair *pair, bool all)
{
	if (all) {
		check_latched(pair, 0, 1);
		return;
	}
	pair_get(pair, GLK_CARD_CONTROL, 8);
	pair_get(pair, GLK_CARD_STATUS, 8);
	pair_get(pair, GLK_CARD_ERROR_CAUSE, 8);
	pair_get(pair, GLK_CARD_DRAIN, 8);
	if (!pair->loose)
		pair_check_stamps(pair, false);
	for (unsigned r = 0; r < pair->p.regions && r < PAIR_REGIONS; r++)
		check_row(pair, GLK_REGION_ARRAY + r * GLK_REGION_STRIDE, GLK_REGION_EPOCH, GLK_REGION_STATUS);
	for (unsigned p = 0; p < pair->p.partitions; p++)
		pair_get(pair, GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE + GLK_PARTITION_STATUS, 8);
	for (unsigned c = 0; c < pair->p.contexts; c++) {
		check_row(pair, GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE, GLK_CONTEXT_SQ_HEAD, GLK_CONTEXT_ERRORS);
		pair_get(pair, GLK_DOORBELL_ARRAY + c * GLK_DOORBELL_STRIDE + GLK_DOORBELL_RELEASED, 8);
	}
}
