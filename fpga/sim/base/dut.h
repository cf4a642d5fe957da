// SPDX-License-Identifier: Apache-2.0
// Common part of the C++ shims: a Verilated top with its clock, reset, waveform and coverage.
#ifndef GLK_SIM_DUT_H
#define GLK_SIM_DUT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

template <typename TOP> struct glk_dut {
	VerilatedContext context;
	TOP *top;
	uint64_t time = 0;
#if VM_TRACE
	VerilatedVcdC *wave = nullptr;
#endif

	explicit glk_dut(const char *file) : top(new TOP(one_thread()))
	{
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

	/* The library would start one per processor: idle here, but they would receive the program's signals. */
	VerilatedContext *one_thread()
	{
		context.threads(1);
		return &context;
	}

	void dump()
	{
#if VM_TRACE
		if (wave)
			wave->dump(time);
#endif
		time++;
	}

	void edge()
	{
		top->clk = 1;
		top->eval();
		dump();
		top->clk = 0;
		top->eval();
		dump();
	}

	void reset()
	{
		top->rst = 1;
		top->eval();
		for (int i = 0; i < 4; i++)
			edge();
		top->rst = 0;
		top->eval();
		for (int i = 0; i < 4; i++)
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
