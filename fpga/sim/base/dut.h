// SPDX-License-Identifier: Apache-2.0
// Common part of the C++ shims: a Verilated top with its clock, reset, waveform and coverage. A top starts from a random state
// and is reset while all its inputs change at random: what a bench sees is what `rst` alone establishes.
#ifndef GLK_SIM_DUT_H
#define GLK_SIM_DUT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "verilated.h"
#include "pins.hpp"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

template <typename TOP> struct glk_dut {
	VerilatedContext context;
	TOP *top;
	glk_pins pins;
	uint64_t time = 0;
	bool was_reset = false;
	std::mt19937 random{ static_cast<uint32_t>(next_seed()) };
#if VM_TRACE
	VerilatedVcdC *wave = nullptr;
#endif

	explicit glk_dut(const char *file) : top(new TOP(random_state())), pins(top)
	{
		pins.put_inputs(
			std::string(pins.get_inputs().size(), '\0')); /* the state is random, not what the bench drives */
#if VM_TRACE
		if (file) {
			context.traceEverOn(true);
			wave = new VerilatedVcdC;
			top->trace(wave, 99);
			wave->open(file);
		}
#else
		if (file) {
			std::fprintf(stderr, "no waveform: built without tracing (fpga/sim/verilate, option `trace`)\n");
			std::exit(2);
		}
#endif
	}

	~glk_dut()
	{
		top->final();
#if VM_TRACE
		if (wave)
			wave->close();
		delete wave;
#endif
#if VM_COVERAGE
		static unsigned number; /* a bench creates many in sequence */
		context.coveragep()->write(("coverage-" + std::to_string(number++) + ".dat").c_str());
#endif
		delete top;
	}

	glk_dut(const glk_dut &) = delete;
	glk_dut &operator=(const glk_dut &) = delete;

	/* Another state for each top of a program, and the same ones in every run. */
	static int next_seed()
	{
		static int seed;

		return ++seed;
	}

	VerilatedContext *random_state()
	{
		/* The library would start one per processor: idle here, but they would receive the program's signals. */
		context.threads(1);
		context.randReset(2);
		context.randSeed(next_seed());
		return &context;
	}

	void dump()
	{
#if VM_TRACE
		if (wave)
			wave->dump(time);
#endif
		context.time(++time);
	}

	void edge()
	{
		pins.note();
		top->clk = 1;
		top->eval();
		dump();
		top->clk = 0;
		top->eval();
		dump();
	}

	void disturb(unsigned clocks, bool rst)
	{
		while (clocks--) {
			pins.randomize_inputs(random);
			top->clk = 0;
			top->rst = rst;
			top->eval();
			edge();
		}
	}

	/* Asserts `rst` in whatever goes on: the first time that is random, and later what the bench did last. Meanwhile the
	   inputs change at random. Then come `idle` clocks without it. */
	void reset(unsigned idle = 4)
	{
		const std::string inputs = pins.get_inputs();

		if (!was_reset)
			disturb(96, false);
		was_reset = true;
		disturb(4, true);
		pins.put_inputs(inputs);
		top->rst = 1;
		top->eval();
		edge();
		top->rst = 0;
		top->eval();
		while (idle--)
			edge();
	}
};

/* Ports of up to 64 bits are integers, wider ones arrays of 32-bit words: both are little-endian in memory. */
template <typename PORT> static void put_bits(PORT &port, unsigned first, unsigned count, uint64_t value)
{
	uint8_t *bytes = reinterpret_cast<uint8_t *>(&port);

	for (unsigned i = 0; i < count; i++) {
		uint8_t bit = static_cast<uint8_t>(1u << ((first + i) % 8));
		uint8_t *byte = bytes + (first + i) / 8;

		*byte = static_cast<uint8_t>((value >> i) & 1 ? *byte | bit : *byte & ~bit);
	}
}

#endif /* GLK_SIM_DUT_H */
