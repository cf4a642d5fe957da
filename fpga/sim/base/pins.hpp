// SPDX-License-Identifier: Apache-2.0
// The ports of a Verilated top, from the list that `verilate` writes (ports.h): random inputs, and a record of all ports at
// every clock, from which `replay` makes a bench for another simulator.
#ifndef GLK_SIM_PINS_HPP
#define GLK_SIM_PINS_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ports.h" // DUT_NAME, DUT_INPUTS(PORT) and DUT_OUTPUTS(PORT): PORT(name, bits)

class glk_pins {
	struct pin {
		const char *name;
		uint8_t *bytes; /* little-endian */
		unsigned bits;
	};
	std::vector<pin> inputs, outputs;
	std::FILE *record = nullptr;

	static void write_names(std::FILE *file, const char *direction, const std::vector<pin> &pins)
	{
		for (const pin &p : pins)
			std::fprintf(file, "%s %s %u\n", direction, p.name, p.bits);
	}

	static void write_values(std::FILE *file, const std::vector<pin> &pins)
	{
		for (const pin &p : pins)
			for (unsigned digit = (p.bits + 3) / 4; digit-- > 0;)
				std::fputc("0123456789abcdef"[p.bytes[digit / 2] >> digit % 2 * 4 & 15], file);
	}

    public:
	template <typename TOP> explicit glk_pins(TOP *top)
	{
#define PORT(name, bits) { #name, reinterpret_cast<uint8_t *>(&top->name), bits },
		inputs = { DUT_INPUTS(PORT) };
		outputs = { DUT_OUTPUTS(PORT) };
#undef PORT
		/* The first top of a program is recorded. */
		static const char *path = std::getenv("GLK_PINS");
		if (!path)
			return;
		record = std::fopen(path, "w");
		path = nullptr;
		if (!record) {
			std::perror("GLK_PINS");
			std::exit(2);
		}
		std::fprintf(record, "top %s\n", DUT_NAME);
		for (const char *parameter : { DUT_PARAMETERS })
			std::fprintf(record, "parameter %s\n", parameter);
		write_names(record, "input", inputs);
		write_names(record, "output", outputs);
		std::fprintf(record, "clocks\n");
	}

	~glk_pins()
	{
		if (record)
			std::fclose(record);
	}

	glk_pins(const glk_pins &) = delete;
	glk_pins &operator=(const glk_pins &) = delete;

	/* A line per clock edge: inputs and outputs ahead of it, in hexadecimal. */
	void note()
	{
		if (!record)
			return;
		write_values(record, inputs);
		write_values(record, outputs);
		std::fputc('\n', record);
	}

	std::string get_inputs() const
	{
		std::string bytes;

		for (const pin &p : inputs)
			bytes.append(reinterpret_cast<const char *>(p.bytes), (p.bits + 7) / 8);
		return bytes;
	}

	void put_inputs(const std::string &bytes)
	{
		size_t at = 0;

		for (const pin &p : inputs) {
			std::memcpy(p.bytes, bytes.data() + at, (p.bits + 7) / 8);
			at += (p.bits + 7) / 8;
		}
	}

	void randomize_inputs(std::mt19937 &random)
	{
		for (const pin &p : inputs)
			for (unsigned bit = 0; bit < p.bits; bit += 8) {
				unsigned mask = p.bits - bit < 8 ? (1u << (p.bits - bit)) - 1 : 255;

				p.bytes[bit / 8] = static_cast<uint8_t>(random() & mask);
			}
	}
};

#endif /* GLK_SIM_PINS_HPP */
