// SPDX-License-Identifier: Apache-2.0
// C interface to region_chunks_bench.
#include "region_chunks_dut.h"

#include "Vregion_chunks_bench.h"
#include <base/dut.h>

struct region_chunks_dut : glk_dut<Vregion_chunks_bench> {
	using glk_dut::glk_dut;
};

template <typename PORT> static void number(PORT &port, unsigned value) { port = static_cast<PORT>(value); }

unsigned region_chunks_regions(void) { return DUT_REGIONS; }
unsigned region_chunks_chunks(void) { return DUT_CHUNKS; }

struct region_chunks_dut *region_chunks_create(const char *wave)
{
	struct region_chunks_dut *dut = new region_chunks_dut(wave);

	dut->reset();
	return dut;
}

void region_chunks_destroy(struct region_chunks_dut *dut) { delete dut; }

void region_chunks_clock(struct region_chunks_dut *dut, const struct region_chunks_in *in, struct region_chunks_out *out)
{
	Vregion_chunks_bench *top = dut->top;

	top->clear = in->clear;
	top->arrival_valid = in->arrive;
	number(top->arrival_region, in->region);
	number(top->arrival_chunk, in->chunk);
	number(top->arrival_epoch, in->epoch);
	number(top->arrival_count, in->count);
	top->take_valid = in->take;
	number(top->take_region, in->take_region);
	number(top->take_epoch, in->take_epoch);
	top->finish = in->finish;
	top->drop = in->drop;
	number(top->finish_region, in->finish_region);
	top->walk_start = in->walk;
	top->walk_restart = in->restart;
	number(top->walk_region, in->walk_region);
	number(top->walk_epoch, in->walk_epoch);
	number(top->walk_first, in->walk_first);
	number(top->walk_chunks, in->walk_chunks);
	top->chunk_reg_valid = in->access;
	top->chunk_reg_write = in->write;
	number(top->chunk_reg_chunk, in->access_chunk);
	number(top->chunk_reg_initial, in->initial);
	top->fresh = in->fresh;
	number(top->fresh_region, in->fresh_region);
	number(top->look_region, in->look_region);
	top->eval();

	out->swept = top->swept;
	out->arrived = top->arrival_done;
	out->ok = top->arrival_ok;
	out->arrival_listed = top->arrival_listed;
	out->taken = top->take_done;
	out->taken_chunk = top->take_chunk;
	out->complete = top->take_complete;
	out->some = top->some;
	out->walking = top->walk_busy;
	out->accessed = top->chunk_reg_done;
	out->counter = top->chunk_reg_counter;
	out->dirty = top->look_dirty;
	out->listed = top->look_listed;
	out->finished = top->look_finished;
	out->operation = top->q_valid;
	out->kind = top->q_kind;
	out->chunk = top->q_chunk;
	out->before = top->q_counter;
	dut->edge();
}
