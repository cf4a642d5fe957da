// SPDX-License-Identifier: Apache-2.0
/*
 * Random stores through write queue, packetizer and de-packetizer: the memory they make equals the memory that the same
 * stores make directly, for every width, many limits, and every shape of traffic; no packet exceeds its limit.
 *
 * random_stores [STORES]: 10^7 by default. GPULINK_SEED replays one run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "depacketizer.h"
#include "packetizer.h"

enum { MEMORY = 1 << 20, TAIL = 256 };

struct bench {
	uint64_t random;
	struct glk_write_queue queue;
	bool self_describe;
	unsigned partition;
	uint64_t placed; /* where in the endpoint the memory lies */
	uint64_t packets, bad;
	uint8_t direct[MEMORY + TAIL], sent[MEMORY + TAIL];
};

static uint64_t next_random(struct bench *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned below(struct bench *b, unsigned n)
{
	return (unsigned)((next_random(b) >> 33) % n);
}

static void flush(void *owner, unsigned reason)
{
	struct bench *b = owner;
	uint8_t packet[GLK_PACKET_BYTES_MAX];
	struct glk_packet_size size;
	struct glk_opened opened;
	struct glk_sub_packet sub;
	unsigned position = 0, subs = 0;

	(void)reason;
	if (!b->queue.used)
		return;
	size = glk_packetize(&b->queue, b->self_describe, packet);
	glk_write_queue_clear(&b->queue);
	b->packets++;
	if (size.payload > b->queue.max_payload || glk_packet_open(packet, size.bytes, &opened) ||
	    opened.partition != b->partition ||
	    glk_packet_check(&opened, b->queue.width, b->placed + MEMORY + TAIL)) {
		b->bad++;
		return;
	}
	while (glk_packet_next(&opened, &position, &sub)) {
		memcpy(b->sent + (sub.offset - b->placed), sub.data, sub.len);
		subs++;
	}
	b->bad += subs != size.sub_packets;
}

/* A store of a shape that stays for a while, so that every flush reason is met often. */
static void one_store(struct bench *b, unsigned shape, unsigned *cursor)
{
	static const unsigned sizes[] = { 1, 2, 4, 8, 8, 8, 16, 32, 64, 128 };
	unsigned len = shape & 1 ? 1 + below(b, TAIL) : sizes[below(b, 10)];
	uint8_t data[TAIL];
	unsigned at;

	switch (shape >> 1) {
	case 0: /* anywhere */
		at = below(b, MEMORY);
		break;
	case 1: /* in a row */
		at = *cursor = (*cursor + len) % MEMORY;
		break;
	case 2: /* on few lines, again and again */
		at = (*cursor + below(b, 2048)) % MEMORY;
		break;
	default: /* strided */
		at = *cursor = (*cursor + 136) % MEMORY;
		break;
	}
	for (unsigned i = 0; i < len; i += 8) {
		uint64_t r = next_random(b);

		memcpy(data + i, &r, len - i < 8 ? len - i : 8);
	}
	memcpy(b->direct + at, data, len);
	glk_write_queue_store(&b->queue, glk_link_address(b->partition, b->placed + at), data, len, flush, b);
}

/* One configuration: stores, and at the end everything flushed and compared. Returns 0 when all is well. */
static int run(struct bench *b, unsigned width, unsigned limit, unsigned capacity, uint64_t stores)
{
	unsigned cursor = 0, shape = 0;

	glk_write_queue_init(&b->queue, capacity, width, limit);
	b->self_describe = below(b, 2);
	b->partition = below(b, 16);
	b->placed = (uint64_t)below(b, 1 << 20) << 12;
	b->bad = b->packets = 0;
	for (uint64_t n = 0; n < stores; n++) {
		if (n % 1024 == 0) {
			shape = below(b, 8);
			cursor = below(b, MEMORY);
		}
		one_store(b, shape, &cursor);
		if (below(b, 4096) == 0)
			flush(b, GLK_FLUSH_RELEASE);
	}
	flush(b, GLK_FLUSH_RELEASE);
	return b->bad || !b->packets || memcmp(b->direct, b->sent, sizeof(b->direct));
}

int main(int argc, char **argv)
{
	static const unsigned limits[] = { 128, 256, 512, 4096 };
	static const unsigned capacities[] = { 64, 16 };
	uint64_t stores = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	struct bench *b = calloc(1, sizeof(*b));
	int number = 0, failed = 0;

	if (!b)
		return 2;
	printf("# GPULINK_SEED=%" PRIu64 "\n1..40\n", seed);
	for (unsigned width = GLK_SUBHEADER_MIN; width <= GLK_SUBHEADER_MAX; width++)
		for (unsigned l = 0; l < 4; l++)
			for (unsigned c = 0; c < 2; c++) {
				int wrong;

				b->random = seed + (uint64_t)++number + 1;
				wrong = run(b, width, limits[l], capacities[c], stores / 40);
				failed += wrong;
				printf("%sok %d - width %u limit %u entries %u: %" PRIu64 " packets\n", wrong ? "not " : "",
				       number, width, limits[l], capacities[c], b->packets);
			}
	free(b);
	return failed != 0;
}
