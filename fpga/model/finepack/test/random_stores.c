// SPDX-License-Identifier: Apache-2.0
/*
 * Random stores through partition, packetizer and de-packetizer: the resulting memory equals that of the same stores made
 * directly, for each packet format, sub-header width and queue capacity, many payload limits and traffic patterns; no packet
 * exceeds its limit. In kind `mixed` the mode changes at random, contexts release and loads come.
 *
 * random_stores [STORES]: 10^7 by default. GPULINK_SEED replays one run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <chance.h>
#include <tap.h>

#include "finepack/depacketizer.h"
#include "finepack/partition.h"

enum { MEMORY = 1 << 20, TAIL = 256 };
enum { PACKING = GLK_FORM_COMPACT + 1, COMPACT_PACKING, MIXED, KINDS }; /* kinds of packets: the forms, and these */

struct bench {
	struct chance chance;
	struct glk_partition sender;
	bool mixed;		   /* the kind MIXED */
	unsigned partition;
	uint64_t placed; /* offset of the memory in the endpoint */
	uint64_t packets, sub_packets, bad;
	uint8_t direct[MEMORY + TAIL], sent[MEMORY + TAIL];
	uint8_t owner[MEMORY + TAIL]; /* the context that stored last; only with `mixed` */
};

static void write_sent(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct bench *b = user;

	if (partition != b->partition || offset < b->placed || offset + length > b->placed + MEMORY + TAIL)
		b->bad++;
	else
		memcpy(b->sent + (offset - b->placed), data, length);
}

/* The receiving card, with memory for this partition only. */
static void take_packet(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	struct bench *b = user;
	struct glk_destination destinations[16] = { { 0 } };
	struct glk_accepted accepted;

	destinations[b->partition].bytes = b->placed + MEMORY + TAIL;
	destinations[b->partition].subheader_bytes = b->sender.queue.subheader_bytes;
	destinations[b->partition].compact = b->sender.form == GLK_FORM_COMPACT || b->sender.compact;
	b->packets++;
	if (reason >= GLK_FLUSH_COUNT || glk_depacketizer_check(packet, length, destinations, 16, &accepted) ||
	    accepted.payload_bytes > b->sender.queue.max_payload_bytes) {
		b->bad++;
		return;
	}
	b->sub_packets += glk_depacketizer_apply(&accepted, write_sent, b);
}

/* A random store. The pattern changes rarely, so that each flush reason occurs often. */
static void one_store(struct bench *b, unsigned shape, unsigned *cursor)
{
	static const unsigned sizes[] = { 1, 2, 4, 8, 8, 8, 16, 32, 64, 128 };
	unsigned len = shape & 1 ? 1 + below(&b->chance, TAIL) : sizes[below(&b->chance, 10)];
	uint8_t data[TAIL];
	unsigned at, context;

	switch (shape >> 1) {
	case 0: /* anywhere */
		at = below(&b->chance, MEMORY);
		break;
	case 1: /* sequential */
		at = *cursor = (*cursor + len) % MEMORY;
		break;
	case 2: /* few lines, repeatedly */
		at = (*cursor + below(&b->chance, 2048)) % MEMORY;
		break;
	default: /* strided */
		at = *cursor = (*cursor + 136) % MEMORY;
		break;
	}
	for (unsigned i = 0; i < len; i += 8) {
		uint64_t r = draw(&b->chance);

		memcpy(data + i, &r, len - i < 8 ? len - i : 8);
	}
	memcpy(b->direct + at, data, len);
	context = b->mixed ? below(&b->chance, 32) : 0;
	glk_partition_store(&b->sender, glk_link_address(b->partition, b->placed + at), data, len, context, 0);
	if (b->mixed)
		for (unsigned i = 0; i < len; i++)
			b->owner[at + i] = (uint8_t)context;
}

/* A byte of the memory is queued. */
static bool queued(const struct bench *b, unsigned at)
{
	return glk_write_queue_hits(&b->sender.queue, glk_link_address(b->partition, b->placed + at), 1);
}

/* Bytes of [at, end) that differ at the destination and are not queued; all that differ, if `arrived`. */
static uint64_t wrong_bytes(const struct bench *b, unsigned at, unsigned end, bool arrived)
{
	uint64_t wrong = 0;

	for (; at < end; at++)
		wrong += b->direct[at] != b->sent[at] && (arrived || !queued(b, at));
	return wrong;
}

/* All that a context has stored has arrived. */
static uint64_t unreleased(const struct bench *b, unsigned context)
{
	uint64_t wrong = 0;

	for (unsigned at = 0; at < MEMORY + TAIL; at++)
		wrong += b->owner[at] == context && b->direct[at] != b->sent[at];
	return wrong;
}

/* What may come between stores: the release of a context, a load, another mode. */
static void between(struct bench *b, uint64_t mode, unsigned at)
{
	unsigned context = below(&b->chance, 32), end = (at + below(&b->chance, 2048)) % MEMORY;

	b->bad += wrong_bytes(b, end, end + 1, false);
	switch (below(&b->chance, 512)) {
	case 0:
		at = below(&b->chance, 2) ? at : below(&b->chance, MEMORY);
		end = at + 1 + below(&b->chance, TAIL);
		glk_partition_flush_hit(&b->sender, glk_link_address(b->partition, b->placed + at), end - at,
					GLK_FLUSH_LOAD_HIT);
		b->bad += wrong_bytes(b, at, end, true);
		break;
	case 1:
		glk_partition_flush_owned(&b->sender, context, GLK_FLUSH_RELEASE);
		b->bad += below(&b->chance, 16) ? 0 : unreleased(b, context);
		break;
	case 2:
		mode ^= (uint64_t)GLK_PARTITION_MODE_PACKING_MASK * (below(&b->chance, 4) == 0);
		mode ^= (uint64_t)GLK_PARTITION_MODE_COALESCE_MASK * (below(&b->chance, 4) == 0);
		mode ^= (uint64_t)GLK_PARTITION_MODE_COMPACT_MASK * below(&b->chance, 2);
		b->bad += glk_partition_set(&b->sender, GLK_PARTITION_MODE, mode) != 0;
		break;
	}
}

/* The counters of the sender match the data received. */
static bool counters_agree(const struct bench *b, uint64_t stores)
{
	const uint64_t *value = b->sender.counters.value;
	uint64_t flushes = 0;

	for (unsigned reason = 0; reason < GLK_FLUSH_COUNT; reason++)
		flushes += value[glk_flush_counter(reason)];
	return value[GLK_PARTITION_COUNTER(STORES)] == stores && value[GLK_PARTITION_COUNTER(PACKETS)] == b->packets &&
	       value[GLK_PARTITION_COUNTER(SUB_PACKETS)] == b->sub_packets && flushes == b->packets;
}

/* Runs one configuration: stores, a flush, a comparison. Returns 0 on success. */
static int run(struct bench *b, unsigned kind, unsigned width, unsigned limit, unsigned entries, uint64_t stores)
{
	unsigned cursor = 0, shape = 0;
	uint64_t mode = GLK_PARTITION_MODE_COALESCE_MASK | (kind >= PACKING ? GLK_PARTITION_MODE_PACKING_MASK : 0) |
			(kind == COMPACT_PACKING ? GLK_PARTITION_MODE_COMPACT_MASK : 0);

	glk_partition_init(&b->sender, entries, take_packet, b);
	glk_partition_set_form(&b->sender, kind >= PACKING ? GLK_FORM_PLAIN : kind);
	if (glk_partition_set(&b->sender, GLK_PARTITION_SUBHEADER_BYTES, width) ||
	    glk_partition_set(&b->sender, GLK_PARTITION_MAX_PAYLOAD_BYTES, limit) ||
	    glk_partition_set(&b->sender, GLK_PARTITION_MODE, mode | below(&b->chance, 2) << 1))
		return 1;
	b->mixed = kind == MIXED;
	b->partition = below(&b->chance, 16);
	b->placed = (uint64_t)below(&b->chance, 1 << 20) << 12;
	b->bad = b->packets = b->sub_packets = 0;
	for (uint64_t n = 0; n < stores; n++) {
		if (n % 1024 == 0) {
			shape = below(&b->chance, 8);
			cursor = below(&b->chance, MEMORY);
		}
		one_store(b, shape, &cursor);
		if (b->mixed)
			between(b, mode, cursor);
		if (below(&b->chance, 4096) == 0)
			glk_partition_flush(&b->sender, GLK_FLUSH_RELEASE);
	}
	glk_partition_flush(&b->sender, GLK_FLUSH_RELEASE);
	return b->bad || !b->packets || !counters_agree(b, stores) || memcmp(b->direct, b->sent, sizeof(b->direct));
}

/* Runs all limits and capacities of a kind of packets and a width. */
static void run_all(struct bench *b, unsigned kind, unsigned width, uint64_t seed, uint64_t stores)
{
	static const char *const kinds[] = { "plain", "narrow", "compact", "packing", "packing, compact", "mixed" };
	static const unsigned limits[] = { 128, 256, 512, 4096 };
	static const unsigned capacities[] = { 128, 64, 16 };

	for (unsigned l = 0; l < 4; l++) {
		for (unsigned c = 0; c < 3; c++) {
			unsigned number = ((kind * 5 + width - GLK_SUBHEADER_MIN) * 4 + l) * 3 + c + 1;
			int wrong;

			b->chance.state = seed + number + 1;
			wrong = run(b, kind, width, limits[l], capacities[c], stores);
			tap_ok(!wrong, "%s, width %u, limit %u, entries %u: %" PRIu64 " packets", kinds[kind], width, limits[l],
			       capacities[c], b->packets);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t stores = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return 2;
	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	tap_plan(360);
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned width = GLK_SUBHEADER_MIN; width <= GLK_SUBHEADER_MAX; width++)
			run_all(b, kind, width, seed, stores / 360);
	free(b);
	return tap_end();
}
