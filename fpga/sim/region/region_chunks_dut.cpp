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
	top->a_valid = in->arrive;
	number(top->a_region, in->region);
	number(top->a_chunk, in->chunk);
	number(top->a_epoch, in->epoch);
	number(top->a_count, in->count);
	top->t_valid = in->take;
	number(top->t_region, in->take_region);
	number(top->t_epoch, in->take_epoch);
	top->finish = in->finish;
	top->drop = in->drop;
	number(top->finish_region, in->finish_region);
	top->w_start = in->walk;
	top->w_restart = in->restart;
	number(top->w_region, in->walk_region);
	number(top->w_epoch, in->walk_epoch);
	number(top->w_first, in->walk_first);
	number(top->w_chunks, in->walk_chunks);
	top->k_valid = in->access;
	top->k_write = in->write;
	number(top->k_chunk, in->access_chunk);
	number(top->k_initial, in->initial);
	top->fresh = in->fresh;
	number(top->fresh_region, in->fresh_region);
	number(top->look_region, in->look_region);
	top->eval();

	out->swept = top->swept;
	out->arrived = top->a_done;
	out->ok = top->a_ok;
	out->arrival_listed = top->a_listed;
	out->taken = top->t_done;
	out->taken_chunk = top->t_chunk;
	out->complete = top->t_complete;
	out->some = top->some;
	out->walking = top->w_busy;
	out->accessed = top->k_done;
	out->counter = top->k_counter;
	out->dirty = top->look_dirty;
	out->listed = top->look_listed;
	out->finished = top->look_finished;
	out->operation = top->q_valid;
	out->kind = top->q_kind;
	out->chunk = top->q_chunk;
	out->before = top->q_counter;
	dut->edge();
}
