// SPDX-License-Identifier: Apache-2.0
/*
 * How much two linked cards stitch, and what goes on while the link waits.
 *
 *  - Rounds of 8-byte stores to two remote partitions, each ended by releases, by all contexts of both cards at once, or by one
 *    context of one card at a time, as in the demo. Of the first, some flits must be stitched.
 *  - The link takes no more flits: stores to local memory must arrive while a given amount of packets waits for it.
 *  - A load of 4 KiB of the other card's memory, whose reads take 100 clocks: it must return what was stored, and its clocks
 * are shown.
 *
 * test-linked-flow [--cards model|rtl,model|rtl] [--rounds N] [--stores N] [--all: a table over wires and pooling times]
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>
#include <tap.h>

#include "linked_work.h"

#define READ_CLOCKS   100u
#define WAITING_BYTES 32768u /* the cluster queue and the replay buffer hold less */

static struct work w;

struct counted {
	uint64_t flits, finepack, stitched, tails, pooled, met, waited;
};

static void settings(unsigned side, unsigned pool_cycles)
{
	linked_set(&w.pair, side, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET);
	linked_set(&w.pair, side, GLK_LINK_POOL_CYCLES, pool_cycles);
	for (unsigned r = 0; r < WORK_ROLES; r++) {
		unsigned p = w.side[side].partition[r];

		linked_set(&w.pair, side, linked_partition(p, GLK_PARTITION_SUBHEADER_BYTES), 5);
		linked_set(&w.pair, side, linked_partition(p, GLK_PARTITION_MAX_PAYLOAD_BYTES), 4096);
		linked_set(&w.pair, side, linked_partition(p, GLK_PARTITION_FLUSH_TIMEOUT_NS), 0);
		linked_set(&w.pair, side, linked_partition(p, GLK_PARTITION_MODE),
			   GLK_PARTITION_MODE_COALESCE_MASK | GLK_PARTITION_MODE_SELF_DESCRIBE_MASK |
				   (r <= WORK_SECOND ? GLK_PARTITION_MODE_OPEN_MASK : 0));
	}
}

/* The first round with two open partitions and no other surroundings than `delay`. */
static int start(const enum linked_kind kinds[2], unsigned delay, unsigned pool_cycles)
{
	for (uint64_t round = 0;; round++) {
		int error = work_create(&w, kinds, 1, round, NULL);

		if (error)
			return error;
		if (w.side[0].second_open && w.side[1].second_open)
			break;
		work_destroy(&w);
	}
	for (unsigned side = 0; side < 2; side++) {
		memset(w.pair.card[side].gaps, 0, sizeof(w.pair.card[side].gaps));
		w.pair.card[side].delay = 5;
		w.pair.wire[side].delay = delay;
		for (enum link_wire_harm harm = 0; harm < LINK_HARM_COUNT; harm++)
			link_wire_harm(&w.pair.wire[side], harm, 0);
	}
	for (unsigned side = 0; side < 2; side++) {
		work_set_up(&w, side);
		settings(side, pool_cycles);
	}
	work_wait_until_up(&w);
	for (unsigned side = 0; side < 2; side++)
		work_remote_bytes(&w, side);
	return 0;
}

static void count(struct counted *counted)
{
	memset(counted, 0, sizeof(*counted));
	for (unsigned side = 0; side < 2; side++) {
		linked_set(&w.pair, side, GLK_CARD_SNAPSHOT, 0);
		counted->flits += linked_get(&w.pair, side, GLK_LINK_FLITS_IN);
		counted->finepack += linked_get(&w.pair, side, GLK_LINK_FLITS_FINEPACK);
		counted->stitched += linked_get(&w.pair, side, GLK_LINK_STITCHED);
		counted->tails += linked_get(&w.pair, side, GLK_LINK_PARTIAL);
		counted->pooled += linked_get(&w.pair, side, GLK_LINK_POOLED);
		counted->met += linked_get(&w.pair, side, GLK_LINK_POOL_STITCHED);
		for (unsigned reg = GLK_LINK_WAITED_READ_REQUEST; reg <= GLK_LINK_WAITED_ATOMIC_RESPONSE; reg += 8)
			counted->waited += linked_get(&w.pair, side, reg);
	}
}

/* Of all contexts, or of the first of one card. */
static void one_round(unsigned stores, bool alone, unsigned only)
{
	for (unsigned i = 0; i < stores; i++)
		for (unsigned side = 0; side < 2; side++)
			for (unsigned c = 0; c < (alone ? side == only : w.contexts); c++)
				for (unsigned r = WORK_FAR_A; r <= WORK_FAR_B; r++)
					work_store_soon(&w, &w.side[side].context[c], r,
							below(&w.chance, WORK_LANE_BYTES / 8) * 8, 8);
	if (alone)
		work_release_one(&w, &w.side[only].context[0]);
	else
		work_release_all(&w);
}

static void show(const struct counted *before, const struct counted *after, uint64_t clocks)
{
	printf(" %6" PRIu64 " clocks, %6" PRIu64 " flits (%6" PRIu64 " of packets), %4" PRIu64 " pooled, %3" PRIu64
	       " met others, %4" PRIu64 " stitched (%3" PRIu64 " tails), queue %5.1f flits\n",
	       clocks, after->flits - before->flits, after->finepack - before->finepack, after->pooled - before->pooled,
	       after->met - before->met, after->stitched - before->stitched, after->tails - before->tails,
	       (double)(after->waited - before->waited) / (double)clocks / 2);
}

/* Returns the stitched flits; UINT64_MAX: failed. */
static uint64_t measure(const enum linked_kind kinds[2], bool alone, unsigned delay, unsigned pool_cycles, unsigned rounds,
			unsigned stores)
{
	struct counted before, after;
	uint64_t since;

	if (start(kinds, delay, pool_cycles)) {
		printf("Bail out! no cards\n");
		exit(1);
	}
	count(&before);
	since = w.pair.now;
	for (unsigned i = 0; i < rounds && !linked_bad(&w); i++)
		one_round(stores, alone, i % 2);
	since = w.pair.now - since;
	count(&after);
	printf("# %s, wire %4u, POOL_CYCLES %3u:", alone ? "one at a time" : "all at once  ", delay, pool_cycles);
	show(&before, &after, since);
	if (linked_bad(&w))
		printf("# %s\n", w.pair.failure);
	work_destroy(&w);
	return linked_bad(&w) ? UINT64_MAX : after.stitched - before.stitched;
}

/* One local store, which must leave by its timeout and arrive. */
static bool local_arrives(struct work_context *x)
{
	struct work_lane *lane = &x->lane[WORK_NEAR];
	uint64_t until = w.pair.now + 6000;
	unsigned at = below(&w.chance, WORK_LANE_BYTES / 8) * 8;

	while (!linked_card_taken(&w.pair.card[0])) {
		if (w.pair.now >= until)
			return false;
		linked_pair_clock(&w.pair);
	}
	work_store_soon(&w, x, WORK_NEAR, at, 8);
	while (memcmp(lane->memory + at, lane->now + at, 8)) {
		if (w.pair.now >= until)
			return false;
		linked_pair_clock(&w.pair);
	}
	return true;
}

/* Bytes for the other card that wait, while local stores still arrive: what the link's replay buffer and the cluster queue
 * hold, and the packets that wait behind them. */
static unsigned waiting_bytes(const enum linked_kind kinds[2], unsigned most)
{
	unsigned bytes = 0;

	if (start(kinds, 4, GLK_LINK_POOL_CYCLES_RESET)) {
		printf("Bail out! no cards\n");
		exit(1);
	}
	linked_set(&w.pair, 0, linked_partition(w.side[0].partition[WORK_NEAR], GLK_PARTITION_FLUSH_TIMEOUT_NS), 400);
	w.pair.dead = true;
	while (bytes < most && local_arrives(&w.side[0].context[0])) {
		work_store_soon(&w, &w.side[0].context[bytes / WORK_LANE_BYTES % w.contexts], WORK_FAR_A,
				bytes % WORK_LANE_BYTES, 512);
		bytes += 512;
	}
	work_destroy(&w);
	return bytes;
}

/* Loads 4 KiB of the other card, and of it only the first line; whether the bytes are those that were stored. */
static bool far_loads(const enum linked_kind kinds[2])
{
	static const unsigned lengths[] = { 64, 4096 };
	const struct work_lane *lane;
	uint64_t since, clocks[2] = { 0 };
	uint8_t got[4096];
	bool good = true;

	if (start(kinds, 4, GLK_LINK_POOL_CYCLES_RESET)) {
		printf("Bail out! no cards\n");
		exit(1);
	}
	lane = &w.side[0].context[0].lane[WORK_FAR_A];
	for (unsigned at = 0; at < 4096; at += 512)
		work_store_soon(&w, &w.side[0].context[0], WORK_FAR_A, at, 512);
	work_release_one(&w, &w.side[0].context[0]);
	if (kinds[1] == LINKED_RTL)
		card_dut_read_clocks(w.pair.card[1].dut, READ_CLOCKS);
	for (unsigned i = 0; i < 2 && !linked_bad(&w); i++) {
		since = w.pair.now;
		if (linked_card_read(&w.pair.card[0], 1, (uint64_t)lane->slice << w.pair.card[0].p.slice_shift, lengths[i]))
			return false;
		while (!linked_card_answer(&w.pair.card[0], got) && w.pair.now - since < LINKED_PATIENCE)
			linked_pair_clock(&w.pair);
		clocks[i] = w.pair.now - since;
		good = good && memcmp(got, lane->now, lengths[i]) == 0;
	}
	printf("# loads of the other card, whose reads take %u clocks: 64 bytes %" PRIu64 " clocks, 4096 bytes %" PRIu64 "\n", READ_CLOCKS,
	       clocks[0], clocks[1]);
	good = good && !linked_bad(&w);
	work_destroy(&w);
	return good;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cards", required_argument, NULL, 'c' }, { "rounds", required_argument, NULL, 'n' },
		{ "stores", required_argument, NULL, 's' }, { "all", no_argument, NULL, 'a' }, { 0 },
	};
	static const unsigned wires[] = { 4, 200, 900, 4000 }, pools[] = { 0, 32, 128 };
	enum linked_kind kinds[2] = { LINKED_RTL, LINKED_RTL };
	unsigned rounds = 4, stores = 200, bytes;
	bool all = false, good = true, loads;
	uint64_t stitched;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'n')
			rounds = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 's')
			stores = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 'a')
			all = true;
		else if (option != 'c' || !linked_kinds(optarg, kinds))
			return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	stitched = measure(kinds, false, 4, GLK_LINK_POOL_CYCLES_RESET, rounds, stores);
	good = stitched && stitched != UINT64_MAX;
	for (unsigned i = 0; i < 2 * 4 * 3 && all; i++)
		good = measure(kinds, i / 12, wires[i / 3 % 4], pools[i % 3], i / 12 ? 4 * rounds : rounds, stores) !=
			       UINT64_MAX &&
		       good;
	check(good, "flits of two linked cards are stitched");
	bytes = waiting_bytes(kinds, WAITING_BYTES);
	tap_ok(bytes >= WAITING_BYTES, "local stores arrive while %u bytes wait for the link", bytes);
	loads = far_loads(kinds);
	check(loads, "loads of the other card return what was stored");
	return tap_end();
}
