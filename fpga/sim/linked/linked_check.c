// SPDX-License-Identifier: Apache-2.0
/* Counters of two idle linked cards: what one sent must equal what the other received. */
#include <inttypes.h>
#include <stdio.h>

#include <gpulink_regs.h>

#include "linked_work.h"

#define REST_CLOCKS 3000u /* for traffic that nothing waits for */

static uint64_t get(struct work *w, unsigned side, unsigned reg)
{
	return linked_get(&w->pair, side, reg);
}

static uint64_t sum(struct work *w, unsigned side, unsigned first, unsigned last)
{
	uint64_t all = 0;

	for (unsigned reg = first; reg <= last; reg += 8)
		all += get(w, side, reg);
	return all;
}

static uint64_t of_partitions(struct work *w, unsigned side, unsigned reg, unsigned first, unsigned last)
{
	uint64_t all = 0;

	for (unsigned r = first; r <= last; r++)
		all += get(w, side, linked_partition(w->side[side].partition[r], reg));
	return all;
}

static void same(struct work *w, unsigned side, const char *what, uint64_t expected, uint64_t got)
{
	if (expected != got)
		linked_fail(&w->pair, "card %u, %s: %" PRIu64 " and %" PRIu64, side, what, expected, got);
}

#define SAME(of, at) same(w, side, #of " and the peer's " #at, get(w, side, GLK_LINK_##of), get(w, 1 - side, GLK_LINK_##at))
#define NONE(reg) same(w, side, #reg, 0, get(w, side, GLK_##reg))

static uint64_t asked(struct work *w, unsigned side)
{
	return get(w, side, GLK_LINK_PACKETS_READ_REQUEST) + get(w, side, GLK_LINK_PACKETS_WRITE_REQUEST) +
	       get(w, side, GLK_LINK_PACKETS_TRANSLATION_REQUEST) + get(w, side, GLK_LINK_PACKETS_FINEPACK) +
	       get(w, side, GLK_LINK_PACKETS_RELEASE) + get(w, side, GLK_LINK_PACKETS_ATOMIC_REQUEST);
}

/* Invariants, also after session ends. */
static void check_always(struct work *w, unsigned side)
{
	same(w, side, "FLITS_IN and the sum over kinds", get(w, side, GLK_LINK_FLITS_IN),
	     sum(w, side, GLK_LINK_FLITS_READ_REQUEST, GLK_LINK_FLITS_ATOMIC_RESPONSE));
	same(w, side, "UPS and DOWNS", get(w, side, GLK_LINK_UPS), get(w, side, GLK_LINK_DOWNS) + 1);
	NONE(LINK_PROTOCOL_ERRORS);
	NONE(LINK_VERSION_ERRORS);
	NONE(CARD_ERR_CONFIG);
	NONE(CARD_ERR_DMA);
	NONE(CARD_ERR_PACKET);
}

static void check_whole(struct work *w, unsigned side)
{
	bool all_open = w->side[1 - side].second_open;

	SAME(PACKETS_READ_REQUEST, PACKETS_READ_RESPONSE);
	SAME(PACKETS_WRITE_REQUEST, PACKETS_WRITE_RESPONSE);
	SAME(PACKETS_TRANSLATION_REQUEST, PACKETS_TRANSLATION_RESPONSE);
	SAME(PACKETS_RELEASE, PACKETS_RELEASED);
	SAME(PACKETS_ATOMIC_REQUEST, PACKETS_ATOMIC_RESPONSE);
	SAME(FLITS_OUT, FLITS_RECEIVED);
	SAME(FRAMES_SENT, FRAMES_RECEIVED);
	same(w, side, "FLITS_IN and FLITS_OUT with STITCHED", get(w, side, GLK_LINK_FLITS_IN),
	     get(w, side, GLK_LINK_FLITS_OUT) + get(w, side, GLK_LINK_STITCHED));
	same(w, side, "POOLED and the sum of its outcomes", get(w, side, GLK_LINK_POOLED),
	     get(w, side, GLK_LINK_POOL_STITCHED) + get(w, side, GLK_LINK_POOL_TIMED_OUT));
	same(w, side, "packets to remote partitions", of_partitions(w, side, GLK_PARTITION_PACKETS, WORK_FAR_A, WORK_FAR_B),
	     get(w, side, GLK_LINK_PACKETS_FINEPACK) + get(w, side, GLK_LINK_PACKETS_WRITE_REQUEST));
	same(w, side, "requests, and those served or denied by the peer", asked(w, side),
	     get(w, 1 - side, GLK_LINK_SERVED) + get(w, 1 - side, GLK_LINK_DENIED));
	same(w, side, "STORE_BYTES",
	     w->partition_bytes[side][w->side[side].partition[WORK_FAR_A]] +
		     w->partition_bytes[side][w->side[side].partition[WORK_NEAR]],
	     get(w, side, linked_partition(w->side[side].partition[WORK_FAR_A], GLK_PARTITION_STORE_BYTES)) +
		     get(w, side, linked_partition(w->side[side].partition[WORK_NEAR], GLK_PARTITION_STORE_BYTES)));
	NONE(LINK_STRAYS);
	NONE(LINK_TIMEOUTS);
	NONE(LINK_LOST_PACKETS);
	NONE(CARD_DROPPED_STORES);
	NONE(CARD_ERR_WINDOW);
	same(w, side, "ERR_ENDPOINT", 0,
	     of_partitions(w, side, GLK_PARTITION_ERR_ENDPOINT, WORK_NEAR, all_open ? WORK_FAR_B : WORK_FAR_A));
	if (!all_open)
		return;
	if (get(w, 1 - side, GLK_LINK_DENIED) > get(w, side, GLK_LINK_PACKETS_TRANSLATION_REQUEST)) /* before its setup */
		linked_fail(&w->pair, "card %u, DENIED by the peer: %" PRIu64, side, get(w, 1 - side, GLK_LINK_DENIED));
	/* The RTL converts write requests to packets and counts them too. */
	same(w, 1 - side, "PACKETS_RECEIVED",
	     of_partitions(w, 1 - side, GLK_PARTITION_PACKETS, WORK_NEAR, WORK_SECOND) +
		     get(w, side, GLK_LINK_PACKETS_FINEPACK) +
		     (w->pair.card[1 - side].dut ? get(w, side, GLK_LINK_PACKETS_WRITE_REQUEST) : 0),
	     get(w, 1 - side, GLK_CARD_PACKETS_RECEIVED));
}

/* Statistics. */
static void report(struct work *w, unsigned side)
{
	printf("# card %u: %" PRIu64 " flits, %" PRIu64 " stitched, %" PRIu64 " pooled, queue full %" PRIu64
	       ", credit stalls %" PRIu64 ", trimmed %" PRIu64 ", replays %" PRIu64 ", CRC errors %" PRIu64
	       ", timeouts %" PRIu64 ", strays %" PRIu64 ", lost %" PRIu64 ", denied %" PRIu64 "\n",
	       side, get(w, side, GLK_LINK_FLITS_IN), get(w, side, GLK_LINK_STITCHED), get(w, side, GLK_LINK_POOLED),
	       get(w, side, GLK_LINK_QUEUE_FULL), get(w, side, GLK_LINK_CREDIT_STALLS), get(w, side, GLK_LINK_TRIMMED_BYTES),
	       get(w, side, GLK_LINK_REPLAYS), get(w, side, GLK_LINK_CRC_ERRORS), get(w, side, GLK_LINK_TIMEOUTS),
	       get(w, side, GLK_LINK_STRAYS), get(w, side, GLK_LINK_LOST_PACKETS), get(w, side, GLK_LINK_DENIED));
}

void work_check_counters(struct work *w, bool whole)
{
	w->pause = true;
	work_rest(w);
	work_run(w, REST_CLOCKS);
	for (unsigned side = 0; side < 2; side++)
		linked_set(&w->pair, side, GLK_CARD_SNAPSHOT, 0);
	for (unsigned side = 0; side < 2 && !linked_bad(w); side++) {
		check_always(w, side);
		if (whole)
			check_whole(w, side);
		if (w->verbose)
			report(w, side);
	}
}
