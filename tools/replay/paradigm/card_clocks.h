/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from tests/data/loggop by tools/loggop/clocks; edit that instead. */
/*
 * Clocks of the card's Verilog with 512 bits (docs/loggop.md), each of many in a row. A beat is 64 bytes of a store or a write.
 * Reads are those of the host's or a GPU's memory that are waited for, one after the other.
 */
#ifndef REPLAY_CARD_CLOCKS_H
#define REPLAY_CARD_CLOCKS_H

#include "card_time.h"

struct card_term {
	double clocks, reads;
};

/* A beat of stores that come in; a run by packet form, a beat of runs, a byte of packets, each until it has been written. */
#define CARD_TAKEN_CLOCKS 1.000
static const double card_run_clocks[CARD_FORMS] = { [CARD_PLAIN] = 1.065, [CARD_PACKING] = 1.089, [CARD_COMPACT] = 1.557 };
/* A run of the last packet, more, until that has left: packets are sorted, and encoded, whole. */
static const double card_tail_clocks[CARD_FORMS] = { [CARD_PLAIN] = 0.000, [CARD_PACKING] = 1.898, [CARD_COMPACT] = 2.398 };
#define CARD_WRITTEN_CLOCKS 1.049
#define CARD_PACKED_CLOCKS  0.01597

/* A release when all that it waits for has been written: of one run, of more. */
static const struct card_term card_release = { 153.7, 1.00 }, card_release_batch = { 161.1, 1.69 };

/* A chunk of a region; each 4 KiB of it to one target; and to each further target. */
static const struct card_term card_region_chunk = { 177.6, -0.13 }, card_region_page = { 189.4, 2.13 },
			      card_region_target = { 141.4, -0.19 };

/* A flit of 16 bytes on the link, a frame's end included (docs/link-format.md). */
#define CARD_FLIT_CLOCKS 1.0909

#endif /* REPLAY_CARD_CLOCKS_H */
