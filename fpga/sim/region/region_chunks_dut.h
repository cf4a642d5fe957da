/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated region_chunks_bench. */
#ifndef GLK_REGION_CHUNKS_DUT_H
#define GLK_REGION_CHUNKS_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { REGION_ARRIVE, REGION_TAKE, REGION_LIST, REGION_RESTART, REGION_SET, REGION_LOOK, REGION_CLEAR };

struct region_chunks_in {
	bool arrive, take, finish, drop, walk, restart, access, write, fresh, clear;
	unsigned region, chunk, epoch, count;			       /* of the arrival */
	unsigned take_region, take_epoch, finish_region, fresh_region; /* fresh: the region becomes valid */
	unsigned walk_region, walk_epoch, walk_first, walk_chunks;
	unsigned access_chunk, initial;
	unsigned look_region;
};

struct region_chunks_out {
	bool swept, arrived, ok, arrival_listed, taken, complete, walking, accessed, dirty;
	unsigned taken_chunk, listed, finished;
	uint64_t some, counter;
	bool operation; /* takes effect on a counter, whose value was `before` */
	unsigned kind, chunk;
	uint64_t before;
};

struct region_chunks_dut;

unsigned region_chunks_regions(void);
unsigned region_chunks_chunks(void);
struct region_chunks_dut *region_chunks_create(const char *wave);
void region_chunks_destroy(struct region_chunks_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void region_chunks_clock(struct region_chunks_dut *dut, const struct region_chunks_in *in, struct region_chunks_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_REGION_CHUNKS_DUT_H */
