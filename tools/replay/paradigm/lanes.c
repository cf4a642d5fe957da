// SPDX-License-Identifier: Apache-2.0
/*
 * Lanes: the program packs its stores by the library's own engine (libclient/lane), a lane for each destination.
 *
 * Without a card the source writes a packet to a slot of a ring in the receiver's memory, then a word of 8 bytes in a
 * transaction of its own that announces it; so it does between the clusters of two cards. For a card that applies packets it
 * leaves them in its own memory, each at a multiple of 64, and an entry of the submission ring names up to 64 KiB of them: the
 * card reads the entry and the packets. What comes back for many packets at once (credits, completions) is not counted.
 */
#include <stdlib.h>

#include <gpulink_regs.h>

#include "direct.h"
#include "hops.h"
#include "lane/lane.h"
#include "lane/packet.h"

enum {
	WIDTH = 5,	/* bytes of a sub-header, as in all lanes of the library */
	HEADER_AT = 48, /* in a slot, ahead of the payload, which is aligned to 64 bytes */
	WORD = 8,
	AREA = 64 << 10, /* packets of an entry */
	APART = 64,
	READ = 512, /* bytes that the card asks for at once */
};

struct lanes {
	struct direct direct; /* first: direct_tally() is used on this */
	struct glk_lane *lane;
	bool card;
	uint64_t area;	 /* bytes that the entry being gathered names */
	uint64_t stored; /* bytes, of stores */
};

/* The card reads [address, address + size) of the source's memory. */
static void lanes_fetch(struct lanes *l, uint64_t address, uint64_t size)
{
	struct tally *t = &l->direct.tally;

	for (uint64_t end = address + size, part; address < end; address += part) {
		part = READ - address % READ;
		part = part < end - address ? part : end - address;
		t->asked.bytes += link_read_request(&l->direct.link);
		t->asked.transactions++;
		t->wire_bytes += link_read_answer(&l->direct.link, address, part);
		t->packets++;
	}
}

/* Posts the entry, whose doorbell is a write of 8 bytes; the card reads it. */
static void lanes_post(struct lanes *l)
{
	if (!l->area)
		return;
	l->direct.tally.wire_bytes += link_write(&l->direct.link, 0, WORD, &l->direct.tally.packets);
	lanes_fetch(l, 0, GLK_SQE_BYTES);
	l->area = 0;
}

static void lanes_write(struct lanes *l, uint64_t at, uint64_t length)
{
	struct tally *t = &l->direct.tally;

	if (!length)
		return;
	t->writes.bytes += link_write(&l->direct.link, at, length, &t->writes.transactions);
	t->written_beats += card_beats(at, length);
}

static void count_writes(struct lanes *l, const uint8_t *packet, size_t bytes)
{
	struct tally *t = &l->direct.tally;
	struct glk_packet opened;
	uint64_t offset, at = 0, length = 0;
	const uint8_t *data;
	size_t run;

	if (!glk_packet_open(packet, bytes, 0, REPLAY_ADDRESS_END, &opened))
		return;
	while (glk_packet_next(&opened, &offset, &data, &run)) { /* adjacent ones become one write, as in the card */
		t->sub_packets++;
		if (length && offset == at + length) {
			length += run;
			continue;
		}
		lanes_write(l, at, length);
		at = offset;
		length = run;
	}
	lanes_write(l, at, length);
}

static void lanes_packet_out(void *user, const uint8_t *packet, size_t bytes)
{
	struct lanes *l = user;
	struct tally *t = &l->direct.tally;

	count_writes(l, packet, bytes);
	if (!l->card) {
		t->wire_bytes += link_write(&l->direct.link, HEADER_AT, bytes, &t->packets);
		t->wire_bytes += link_write(&l->direct.link, 0, WORD, &t->packets);
		if (l->direct.flits)
			t->flit_bytes += hops_flits_of_write(HEADER_AT, bytes) + hops_flits_of_write(0, WORD);
		return;
	}
	if (l->area + bytes > AREA)
		lanes_post(l);
	lanes_fetch(l, l->area, bytes);
	l->area = (l->area + bytes + APART - 1) / APART * APART;
}

static void lanes_free(void *state)
{
	struct lanes *l = state;

	glk_lane_free(l->lane);
	free(l);
}

static void *lanes_create(const struct setting *setting)
{
	struct lanes *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->direct = (struct direct){ .link = setting->link, .flits = setting->flits };
	l->card = setting->topology == TOPOLOGY_LANES_CARD;
	l->lane = glk_lane_new(
		&(struct glk_lane_shape){ .width = WIDTH, .payload = GLK_PAYLOAD_MAX, .send = lanes_packet_out, .to = l });
	if (l->lane)
		return l;
	free(l);
	return NULL;
}

static const uint8_t data[REPLAY_STORE_MAX];

static void lanes_store(void *state, uint64_t address, uint32_t size)
{
	struct lanes *l = state;

	l->stored += size;
	glk_lane_store(l->lane, address, data, size);
}

static void lanes_send(struct lanes *l, unsigned reason)
{
	struct gpulink_counters counters = { 0 };

	glk_lane_flush(l->lane, reason);
	lanes_post(l);
	glk_lane_count(l->lane, &counters);
	l->direct.tally.data_bytes = l->stored - counters.overwritten_bytes;
}

static void lanes_release(void *state)
{
	lanes_send(state, GLK_FLUSH_RELEASE);
}

/* A lane does not look which bytes it has: all leave. */
static void lanes_load(void *state, uint64_t address, uint32_t size)
{
	(void)address;
	(void)size;
	lanes_send(state, GLK_FLUSH_LOAD_HIT);
}

const struct paradigm paradigm_lanes = {
	.name = "lanes",
	.label = "lanes",
	.summary = "packed by the program (lanes of the library); requires --topology lanes, lanes-card or cards",
	.packer = PACKER_PROGRAM,
	.create = lanes_create,
	.free = lanes_free,
	.store = lanes_store,
	.load = lanes_load,
	.copy = direct_nothing,
	.release = lanes_release,
	.tally = direct_tally,
};
