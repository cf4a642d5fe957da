// SPDX-License-Identifier: Apache-2.0
/* Creation of a round's cards, descriptions of steps, and common random choices and register writes. */
#include "card_bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

int bench_start(struct bench *b, uint64_t seed, uint64_t round, const char *wave)
{
	static const unsigned gaps[] = { 0, 0, 16, 128, 230 };
	bool free = false;
	int error;

	memset(b, 0, sizeof(*b));
	chance_start(&b->chance, seed, round);
	error = pair_create(&b->pair, seed, round, wave);
	if (error)
		return error;
	free = bench_chance(b, 4);
	for (unsigned i = 0; i < CARD_DUT_STREAMS; i++)
		b->pair.gaps[i] = free ? 0 : gaps[below(&b->chance, 5)];
	b->deafness = bench_chance(b, 2);
	b->pair.records = BENCH_REGION(0);
	b->pair.records_end = BENCH_REGION(PAIR_REGIONS);
	return 0;
}

void bench_end(struct bench *b)
{
	pair_destroy(&b->pair);
}

static void say(struct bench *b, size_t at, const char *format, va_list arguments)
{
	if (at < sizeof(b->said))
		vsnprintf(b->said + at, sizeof(b->said) - at, format, arguments);
}

void bench_say(struct bench *b, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(b, 0, format, arguments);
	va_end(arguments);
}

void bench_add(struct bench *b, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(b, strlen(b->said), format, arguments);
	va_end(arguments);
}

static void draw_deaf(struct bench *b)
{
	b->pair.deaf = 0;
	for (unsigned p = 0; p < PAIR_PARTITIONS && b->deafness; p++)
		if (bench_chance(b, 12))
			b->pair.deaf |= 1u << p;
}

void bench_settle(struct bench *b)
{
	bool any_order = b->pair.unordered || b->pair.reset;

	pair_settle(&b->pair);
	if (any_order)
		pair_adopt_stamps(&b->pair);
	b->pair.unordered = b->pair.reset = false;
	draw_deaf(b);
}

/* --- utilities --- */

bool bench_chance(struct bench *b, unsigned of)
{
	return below(&b->chance, of) == 0;
}

unsigned bench_length(struct bench *b, unsigned most)
{
	static const unsigned tops[] = { 8, 8, 16, 64, 64, 300, 4096, 20000 };
	unsigned top = tops[below(&b->chance, 8)];

	return 1 + below(&b->chance, top < most ? top : most);
}

void bench_fill(struct bench *b, uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (uint8_t)(draw(&b->chance) >> 24);
}

unsigned bench_partition_reg(unsigned p, unsigned reg)
{
	return GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE + reg;
}

unsigned bench_window_reg(unsigned slice, unsigned reg)
{
	return GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE + reg;
}

unsigned bench_registration_reg(unsigned handle, unsigned reg)
{
	return GLK_REGISTRATION_ARRAY + handle * GLK_REGISTRATION_STRIDE + reg;
}

unsigned bench_context_reg(unsigned c, unsigned reg)
{
	return GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE + reg;
}

unsigned bench_doorbell_reg(unsigned c, unsigned reg)
{
	return GLK_DOORBELL_ARRAY + c * GLK_DOORBELL_STRIDE + reg;
}

unsigned bench_region_reg(unsigned r, unsigned reg)
{
	return GLK_REGION_ARRAY + r * GLK_REGION_STRIDE + reg;
}

void bench_set(struct bench *b, unsigned offset, uint64_t value)
{
	pair_set(&b->pair, offset, 8, value);
}

unsigned bench_slices(const struct bench *b)
{
	return b->pair.p.slices < 64 ? b->pair.p.slices : 64;
}

bool bench_regions_valid(const struct bench *b)
{
	for (unsigned r = 0; r < b->pair.p.regions; r++)
		if (glk_region_valid(&b->pair.model->regions.of[r]))
			return true;
	return false;
}

void bench_end_dirty_regions(struct bench *b)
{
	for (unsigned r = 0; r < b->pair.p.regions; r++)
		if (b->pair.model->regions.of[r].dirty)
			bench_set(b, bench_region_reg(r, GLK_REGION_CONTROL), 0);
}
