// SPDX-License-Identifier: Apache-2.0
// C interface to glk_tsu.
#include "tsu_dut.h"

#include "Vglk_tsu.h"
#include "Vglk_tsu___024root.h"
#include <base/dut.h>

struct tsu_dut : glk_dut<Vglk_tsu> {
	using glk_dut::glk_dut;
};

unsigned tsu_dut_sets(void) { return DUT_SETS; }
unsigned tsu_dut_ways(void) { return DUT_WAYS; }
unsigned tsu_dut_ts_bits(void) { return DUT_TS_BITS; }

struct tsu_dut *tsu_dut_create(const char *wave)
{
	struct tsu_dut *dut = new tsu_dut(wave);

	dut->reset();
	return dut;
}

void tsu_dut_destroy(struct tsu_dut *dut) { delete dut; }

void tsu_dut_clock(struct tsu_dut *dut, const struct tsu_in *in, struct tsu_out *out)
{
	Vglk_tsu *top = dut->top;

	top->op_valid = in->valid;
	top->op_kind = static_cast<unsigned char>(in->kind);
	top->op_line = in->line;
	top->op_time = in->time;
	top->op_wts = in->wts;
	top->adapt = in->adapt;
	top->read_lease = static_cast<unsigned short>(in->read_lease);
	top->write_lease = static_cast<unsigned short>(in->write_lease);
	top->eval();

	out->ready = top->op_ready;
	out->valid = top->op_q_valid;
	out->ok = top->op_q_ok;
	out->same = top->op_q_same;
	out->idle = top->idle;
	out->kind = static_cast<enum tsu_kind>(top->op_q_kind);
	out->wts = top->op_q_wts;
	out->rts = top->op_q_rts;
	out->clock = top->clock;
	out->greatest = top->greatest;
	out->epoch = top->epoch;
	out->floor = top->floor;
	out->eviction = top->e_eviction;
	out->new_epoch = top->e_epoch;
	out->error = top->e_error;
	dut->edge();
}

#define ROWS(way) dut->top->rootp->glk_tsu__DOT__ways__DOT__way__BRA__##way##__KET____DOT__rows[set]
#define FLIP(way)                                               \
	case way:                                               \
		put_bits(ROWS(way), at, 1, !get_bit(ROWS(way), at)); \
		break

template <typename ROW> static bool get_bit(const ROW &row, unsigned bit)
{
	return reinterpret_cast<const uint8_t *>(&row)[bit / 8] >> (bit % 8) & 1;
}

void tsu_dut_damage(struct tsu_dut *dut, unsigned set, unsigned way, unsigned bit)
{
	enum { LINE_BITS = 42 }; /* of which the set is not in the tag */
	unsigned at = bit % (5 + 2 * DUT_TS_BITS + LINE_BITS - static_cast<unsigned>(__builtin_ctz(DUT_SETS)));

	switch (way) {
		FLIP(0);
#if DUT_WAYS > 1
		FLIP(1);
#endif
#if DUT_WAYS > 2
		FLIP(2);
		FLIP(3);
		FLIP(4);
		FLIP(5);
		FLIP(6);
		FLIP(7);
#endif
	}
}
