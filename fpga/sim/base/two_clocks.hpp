// SPDX-License-Identifier: Apache-2.0
// A Verilated top with two clocks, which rise alone or together.
#ifndef GLK_SIM_TWO_CLOCKS_HPP
#define GLK_SIM_TWO_CLOCKS_HPP

#include "dut.h"

/* One rising edge of a clock, of the other, or of both in the same instant. */
template <typename DUT, typename CLOCK> static void rise(DUT *dut, CLOCK &first, bool rises, CLOCK &second, bool second_rises)
{
	first = rises;
	second = second_rises;
	dut->top->eval();
	dut->dump();
	first = 0;
	second = 0;
	dut->top->eval();
	dut->dump();
}

#endif /* GLK_SIM_TWO_CLOCKS_HPP */
