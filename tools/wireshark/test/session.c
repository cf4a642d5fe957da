// SPDX-License-Identifier: Apache-2.0
/*
 * Two cards' cluster queues and link layers, in the model, over a wire that harms blocks: what a driver of the first would
 *capture, and which packets there were. For the dissector's test.
 *
 *	link-session SEED CLOCKS HARM BREAKS RECORDS
 *
 * HARM: blocks of a million that are lost, corrupted, doubled or come too early, each. BREAKS: how often the wire is cut or a
 * card reset. RECORDS: the file of records (docs/capture.md). Prints a line a packet, "sent" or "got", direction, kind, bytes;
 *and with "count" how many frames the first card dropped for their check, got twice, and sent again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chance.h>

#include "netcrafter/cluster_queue.h"
#include "netcrafter/unstitch.h"
#include "link/test/link_wire.h"

#define RECORD_BYTES   256u
#define RECORD_FRAME   64u
#define FRAME_FLITS    11u
#define TIME_BEGIN     UINT64_C(1700000000000000000)
#define NS_PER_CLOCK   4u
#define OWED_MAX       4096u
#define UP_CLOCKS      1000u
#define SETTLE_CLOCKS  60000u

struct card {
	unsigned index;
	struct session *session;
	struct glk_link_layer *link;
	struct glk_cluster_queue *queue;
	struct glk_unstitch *unstitch; /* what comes */
	struct glk_unstitch *shadow;   /* what it sends, as the other will get it */
	struct link_wire wire;	       /* to the other */
	uint32_t owed[OWED_MAX];       /* responses: headers */
	unsigned owed_first, owed_count;
	uint16_t tag;
};

struct recorder {
	uint8_t flits[FRAME_FLITS][GLK_FLIT_BYTES];
	unsigned count; /* since the last word */
};

struct session {
	struct chance chance;
	struct card cards[2];
	struct recorder recorders[2]; /* by direction, of card 0 */
	FILE *records;
	uint64_t now;
	unsigned breaks;
};

static void fail(const char *what)
{
	fprintf(stderr, "link-session: %s\n", what);
	exit(1);
}

/* --- packets --- */

static size_t make_finepack(struct chance *chance, uint8_t *packet)
{
	unsigned width = 2 + below(chance, 5), stores = 1 + below(chance, 12);
	size_t length = 16;

	memset(packet, 0, GLK_LINK_PACKET_BYTES_MAX);
	for (unsigned i = 0; i < stores; i++) {
		unsigned bytes = 1 + below(chance, 32);
		unsigned head = bytes | below(chance, 33) << 10;

		for (unsigned at = 0; at < width; at++)
			packet[length + at] = (uint8_t)(at < 4 ? head >> (8 * at) : 0);
		length += width;
		while (bytes--)
			packet[length++] = (uint8_t)draw(chance);
	}
	packet[0] = 0x7c;
	packet[7] = (uint8_t)(((1u << (1 + (length + 3) % 4)) - 1) << 4 | width);
	packet[9] = (uint8_t)below(chance, 16);
	length = (length + 3) / 4 * 4;
	packet[3] = (uint8_t)((length - 16) / 4);
	return length;
}

static size_t make_packet(struct card *card, struct glk_link_header *header, uint8_t *packet)
{
	struct chance *chance = &card->session->chance;
	size_t length;

	if (header->kind == GLK_KIND_FINEPACK)
		return make_finepack(chance, packet);
	glk_link_header_put(packet, header);
	length = glk_link_packet_bytes(header->kind, packet);
	for (size_t i = GLK_LINK_HEADER_BYTES; i < length; i++)
		packet[i] = (uint8_t)draw(chance);
	/* Bits that have to be 0, or a request that is none. */
	if (length >= 12 && glk_kind_class(header->kind) != GLK_CLASS_RESPONSE)
		packet[10] = packet[11] = 0;
	return length;
}

static bool push(struct card *card, struct glk_link_header *header)
{
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
	size_t length = make_packet(card, header, packet);

	return !glk_cluster_queue_push(card->queue, card->session->now, header->kind, packet, length);
}

/* Responses that are owed first, then a request or a FinePack packet. */
static void offer(struct card *card)
{
	static const uint8_t kinds[] = { GLK_KIND_READ_REQUEST, GLK_KIND_WRITE_REQUEST, GLK_KIND_TRANSLATION_REQUEST,
					 GLK_KIND_FINEPACK,	GLK_KIND_RELEASE,	GLK_KIND_ATOMIC_REQUEST };
	struct glk_link_header header = {.kind = kinds[below(&card->session->chance, sizeof(kinds))],
					 .partition = (uint8_t)below(&card->session->chance, 16)};
	uint32_t owed = card->owed[card->owed_first];

	if (card->owed_count) {
		header = (struct glk_link_header){ .kind = owed & 31,
						   .partition = owed >> 8 & 15,
						   .tag = (uint16_t)(owed >> 16) };
		if (push(card, &header)) {
			card->owed_first = (card->owed_first + 1) % OWED_MAX;
			card->owed_count--;
		}
	} else {
		header.tag = card->tag;
		card->tag = (uint16_t)(card->tag + push(card, &header));
	}
}

/* --- what comes --- */

static void print_packet(const char *what, unsigned direction, enum glk_kind kind, const uint8_t *packet, size_t length)
{
	printf("%s %u %u ", what, direction, (unsigned)kind);
	for (size_t i = 0; i < length; i++)
		printf("%02x", packet[i]);
	putchar('\n');
}

static void shadowed(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct card *card = user;

	(void)pieces;
	print_packet("sent", card->index, kind, packet, length);
}

static void owe(struct card *card, enum glk_kind kind, unsigned status, unsigned tag)
{
	if (card->owed_count == OWED_MAX)
		fail("too many responses are owed");
	card->owed[(card->owed_first + card->owed_count++) % OWED_MAX] = (uint32_t)kind | status << 8 | tag << 16;
}

static void arrived(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	static const uint8_t answers[GLK_KIND_COUNT] = {
		[GLK_KIND_READ_REQUEST] = GLK_KIND_READ_RESPONSE,
		[GLK_KIND_WRITE_REQUEST] = GLK_KIND_WRITE_RESPONSE,
		[GLK_KIND_TRANSLATION_REQUEST] = GLK_KIND_TRANSLATION_RESPONSE,
		[GLK_KIND_RELEASE] = GLK_KIND_RELEASED,
		[GLK_KIND_ATOMIC_REQUEST] = GLK_KIND_ATOMIC_RESPONSE,
	};
	static const uint8_t statuses[] = {0, 0, 1, 2, 8, 9, 10, 11};
	struct card *card = user;
	unsigned status = below(&card->session->chance, 3);

	print_packet("got", !card->index, kind, packet, length);
	if (glk_link_layer_hold(card->link, glk_kind_class(kind), pieces))
		fail("more pieces than there is room for");
	glk_link_layer_free(card->link, glk_kind_class(kind), pieces);
	if (kind == GLK_KIND_READ_REQUEST)
		status = statuses[below(&card->session->chance, sizeof(statuses))];
	if (answers[kind])
		owe(card, answers[kind], status, packet[2] | (unsigned)packet[3] << 8);
}

static int take_flit(void *user, const struct glk_flit *flit)
{
	struct card *card = user;

	return glk_unstitch_flit(card->unstitch, flit);
}

static void take_event(void *user, enum glk_link_event event)
{
	struct card *card = user;

	if (event != GLK_LINK_ENDED)
		return;
	glk_cluster_queue_reset(card->queue);
	glk_unstitch_reset(card->unstitch);
	glk_unstitch_reset(card->shadow);
	card->owed_count = 0;
}

/* --- what a driver would capture --- */

static void put_little(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static void record(struct session *s, unsigned direction, const struct glk_block *block, bool dropped)
{
	struct recorder *recorder = &s->recorders[direction];
	bool cut = recorder->count > FRAME_FLITS;
	unsigned flits = cut ? FRAME_FLITS : recorder->count;
	uint8_t bytes[RECORD_BYTES] = {0};

	if (!block->control) {
		/* A link word may be lost: more come then than a frame has. */
		if (recorder->count < FRAME_FLITS)
			memcpy(recorder->flits[recorder->count], block->bytes, GLK_FLIT_BYTES);
		recorder->count++;
		return;
	}
	put_little(bytes, TIME_BEGIN + s->now * NS_PER_CLOCK, 8);
	bytes[8] = (uint8_t)direction;
	bytes[9] = (uint8_t)(flits + 1);
	bytes[10] = cut ? 3 : dropped;
	memcpy(bytes + RECORD_FRAME, recorder->flits, flits * GLK_FLIT_BYTES);
	memcpy(bytes + RECORD_FRAME + flits * GLK_FLIT_BYTES, block->bytes, GLK_FLIT_BYTES);
	recorder->count = 0;
	if (fwrite(bytes, sizeof(bytes), 1, s->records) != 1)
		fail("the records cannot be written");
}

/* --- clocks --- */

static void send_side(struct session *s, struct card *card)
{
	struct glk_flit flit;
	struct glk_block block;

	if (glk_link_layer_ready(card->link) &&
	    glk_cluster_queue_clock(card->queue, s->now, true, glk_link_layer_credits(card->link), &flit)) {
		if (glk_unstitch_flit(card->shadow, &flit))
			fail("a flit that cannot be unstitched");
		glk_link_layer_send(card->link, &flit);
	}
	if (!glk_link_layer_clock(card->link, s->now, &block))
		return;
	if (card->index == 0)
		record(s, 0, &block, false);
	link_wire_put(&card->wire, s->now, &block);
}

static void receive_side(struct session *s, struct card *card)
{
	const struct glk_block *block = link_wire_get(&s->cards[!card->index].wire, s->now);
	uint64_t errors = glk_link_layer_counters(card->link)->crc_errors;

	if (!block)
		return;
	glk_link_layer_receive(card->link, s->now, block);
	if (card->index == 0)
		record(s, 1, block, glk_link_layer_counters(card->link)->crc_errors != errors);
}

static void clock_all(struct session *s)
{
	for (unsigned i = 0; i < 2; i++)
		send_side(s, &s->cards[i]);
	for (unsigned i = 0; i < 2; i++)
		receive_side(s, &s->cards[i]);
	s->now++;
}

/* Every third time a card is reset, else the wire is cut. */
static void break_link(struct session *s)
{
	if (++s->breaks % 3 == 0) {
		glk_link_layer_reset(s->cards[below(&s->chance, 2)].link, s->now);
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		link_wire_cut(&s->cards[i].wire);
		glk_link_layer_cut(s->cards[i].link, s->now);
	}
	/* A new wire: blocks of a frame that came by the old one are forgotten. */
	s->recorders[1].count = 0;
}

static void make_card(struct session *s, unsigned index, uint64_t seed)
{
	static const struct glk_link_layer_ops ops = {.flit = take_flit, .event = take_event};
	struct glk_cluster_queue_config queue = { .entries = 1024,
						  .flit_bytes = GLK_FLIT_BYTES,
						  .stitching = true,
						  .pooling = true,
						  .selective = true,
						  .sequencing = true,
						  .pool_cycles = 32,
						  .burst = 8 };
	struct card *card = &s->cards[index];
	struct glk_link_layer_config link;

	card->index = index;
	card->session = s;
	glk_link_layer_config_default(&link);
	link.self.serial = 0xa0 + index;
	link.self.session = (uint16_t)(0x1000 * (index + 1));
	link.ops = &ops;
	link.user = card;
	if (glk_link_layer_create(&link, &card->link) || glk_cluster_queue_create(&queue, &card->queue) ||
	    glk_unstitch_create(GLK_FLIT_BYTES, arrived, card, &card->unstitch) ||
	    glk_unstitch_create(GLK_FLIT_BYTES, shadowed, card, &card->shadow))
		fail("a card cannot be made");
	link_wire_start(&card->wire, 50, seed + index);
}

/* Only from here on: what comes while the link is down is dropped without being counted. */
static void harm_wires(struct session *s, double harm)
{
	if (!glk_link_layer_up(s->cards[0].link) || !glk_link_layer_up(s->cards[1].link))
		fail("the link does not come up");
	for (unsigned i = 0; i < 2; i++)
		for (enum link_wire_harm kind = 0; kind < LINK_HARM_COUNT; kind++)
			link_wire_harm(&s->cards[i].wire, kind, harm);
}

static void run(struct session *s, uint64_t clocks, uint64_t breaks)
{
	uint64_t next_break = breaks ? clocks / (breaks + 1) : UINT64_MAX;

	for (uint64_t clock = 0; clock < clocks; clock++) {
		for (unsigned i = 0; i < 2; i++)
			if (below(&s->chance, 16) == 0)
				offer(&s->cards[i]);
		if (clock % next_break == next_break - 1)
			break_link(s);
		clock_all(s);
	}
	/* What is under way arrives, and nothing new is asked for. */
	for (unsigned clock = 0; clock < SETTLE_CLOCKS; clock++) {
		for (unsigned i = 0; i < 2; i++)
			if (s->cards[i].owed_count)
				offer(&s->cards[i]);
		clock_all(s);
	}
}

int main(int argc, char **argv)
{
	static struct session s;
	const struct glk_link_layer_counters *counters;
	uint64_t seed;

	if (argc != 6)
		fail("usage: link-session SEED CLOCKS HARM BREAKS RECORDS");
	seed = strtoull(argv[1], NULL, 10);
	s.records = fopen(argv[5], "we");
	if (!s.records)
		fail("the file of records cannot be made");
	chance_start(&s.chance, seed, 0);
	for (unsigned i = 0; i < 2; i++)
		make_card(&s, i, seed);
	for (unsigned clock = 0; clock < UP_CLOCKS; clock++)
		clock_all(&s);
	harm_wires(&s, strtod(argv[3], NULL) / 1e6);
	run(&s, strtoull(argv[2], NULL, 10), strtoull(argv[4], NULL, 10));
	counters = glk_link_layer_counters(s.cards[0].link);
	printf("count %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counters->crc_errors, counters->frames_repeated,
	       counters->frames_replayed);
	for (unsigned i = 0; i < 2; i++) {
		glk_link_layer_destroy(s.cards[i].link);
		glk_cluster_queue_destroy(s.cards[i].queue);
		glk_unstitch_destroy(s.cards[i].unstitch);
		glk_unstitch_destroy(s.cards[i].shadow);
	}
	if (fclose(s.records) || fflush(stdout))
		fail("the output cannot be written");
	return 0;
}
