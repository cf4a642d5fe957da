// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <string.h>

#define MIB (UINT64_C(1) << 20)

enum { READ = 0, WRITE = 1, FLOATS = HIERARCHY_LINE / 4, GROUP = 16 /* lines of 256 work-items of 4 bytes */ };

struct machine {
	struct hierarchy *h;
	unsigned gpus, units;
};

static void access(const struct machine *m, unsigned gpu, unsigned unit, uint64_t line, bool write)
{
	hierarchy_access(m->h, gpu, unit, line, HIERARCHY_ALL, write);
}

/* Reads some words of a line: what all lanes of an instruction ask for, which the L1 is asked for at once. */
static void read_words(const struct machine *m, unsigned gpu, unsigned unit, uint64_t line, unsigned words)
{
	hierarchy_access(m->h, gpu, unit, line, (uint16_t)words, READ);
}

/* A float, by its number in memory. */
static void read_float(const struct machine *m, unsigned gpu, unsigned unit, uint64_t at)
{
	read_words(m, gpu, unit, at / FLOATS, 1u << at % FLOATS);
}

static uint64_t all_lines(uint64_t bytes, unsigned gpus)
{
	(void)gpus;
	return bytes / HIERARCHY_LINE;
}

/* --- Xtreme: C = A + B, again and again --- */

enum { REPEATS = 10 };

static uint64_t lines_of_gpus(uint64_t bytes, unsigned gpus)
{
	return bytes / HIERARCHY_LINE * gpus;
}

/* Slices of a unit: `slice` lines of each vector. */
struct vectors {
	struct machine m;
	uint64_t slice, vector;
};

static struct vectors vectors_of(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t slice = bytes / HIERARCHY_LINE / 3 / s->units;

	return (struct vectors){ .m = { h, s->gpus, s->units }, .slice = slice, .vector = slice * s->units * s->gpus };
}

/* Vector `to` = vector `from` + B, `times` times; unit u of GPU g on the slice of unit u + `unit` of GPU g + `gpu`, every
 * `step` units. */
static void stream_add(const struct vectors *v, unsigned to, unsigned from, unsigned times, unsigned gpu, unsigned unit,
		       unsigned step)
{
	for (unsigned t = 0; t < times; t++) {
		for (uint64_t i = 0; i < v->slice; i++) {
			for (unsigned g = 0; g < v->m.gpus; g++) {
				for (unsigned u = 0; u < v->m.units; u += step) {
					uint64_t at =
						(((g + gpu) % v->m.gpus) * v->m.units + (u + unit) % v->m.units) * v->slice + i;

					access(&v->m, g, u, from * v->vector + at, READ);
					access(&v->m, g, u, v->vector + at, READ);
					access(&v->m, g, u, to * v->vector + at, WRITE);
				}
			}
		}
	}
	hierarchy_barrier(v->m.h);
}

/* "At the beginning" each unit reads its slices of A, B and C. */
static void read_slices(const struct vectors *v)
{
	for (uint64_t i = 0; i < v->slice; i++)
		for (unsigned g = 0; g < v->m.gpus; g++)
			for (unsigned u = 0; u < v->m.units; u++)
				for (unsigned vector = 0; vector < 3; vector++)
					access(&v->m, g, u, vector * v->vector + (g * v->m.units + u) * v->slice + i, READ);
}

enum { A, B, C };

static void xtreme1(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	struct vectors v = vectors_of(h, s, bytes);

	read_slices(&v);
	stream_add(&v, C, A, 1 + REPEATS, 0, 0, 1);
	stream_add(&v, A, C, 1 + REPEATS, 0, 0, 1);
}

/* Every other unit writes to what its neighbour has read, in the same GPU or in the next. */
static void xtreme_shared(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes, unsigned gpu)
{
	struct vectors v = vectors_of(h, s, bytes);

	read_slices(&v);
	stream_add(&v, C, A, 1, 0, 0, 1);
	stream_add(&v, A, C, 1 + REPEATS, gpu, 1, 2);
	stream_add(&v, C, A, 1, 0, 0, 1);
}

static void xtreme2(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	xtreme_shared(h, s, bytes, 0);
}

static void xtreme3(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	xtreme_shared(h, s, bytes, 1);
}

/* --- work-groups --- */

typedef void group_accesses(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups,
			    uint64_t bytes);

/* Runs work-groups: each GPU has a block of them, its units take them in turn. One group of each unit at a time. */
static void run_groups(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes, uint64_t groups,
		       group_accesses *one)
{
	const struct machine m = { h, s->gpus, s->units };
	uint64_t block = (groups + m.gpus - 1) / m.gpus;

	for (uint64_t i = 0; i < block; i++)
		for (unsigned g = 0; g < m.gpus; g++)
			if (g * block + i < groups)
				one(&m, g, (unsigned)(i % m.units), g * block + i, groups, bytes);
	hierarchy_barrier(h);
}

/* One input, one output. */
static void relu_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	(void)bytes;
	for (uint64_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
		access(m, gpu, unit, i, READ);
		access(m, gpu, unit, groups * GROUP + i, WRITE);
	}
}

static void relu(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	run_groups(h, s, bytes, bytes / HIERARCHY_LINE / 2 / GROUP, relu_group);
}

/* 16 taps, which are a line before the input: each output line needs its input line and the one before it. */
static void fir_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	(void)bytes;
	for (uint64_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
		access(m, gpu, unit, 0, READ);
		read_words(m, gpu, unit, 1 + i - (i ? 1 : 0),
			   i ? HIERARCHY_ALL & ~1u : HIERARCHY_ALL); /* its first is 16 before */
		access(m, gpu, unit, 1 + i, READ);
		access(m, gpu, unit, 1 + groups * GROUP + i, WRITE);
	}
}

static void fir(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	run_groups(h, s, bytes, (bytes / HIERARCHY_LINE - 1) / 2 / GROUP, fir_group);
}

/* Blocks of 16 bytes, encrypted in place; the round keys are 3 lines. */
static void aes_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	(void)groups;
	(void)bytes;
	for (uint64_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
		access(m, gpu, unit, 3 + i, READ);
		for (unsigned round = 0; round < 11; round++)
			read_words(m, gpu, unit, round / 4, 0xfu << round % 4 * 4);
		access(m, gpu, unit, 3 + i, WRITE);
	}
}

static void aes(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	run_groups(h, s, bytes, (bytes / HIERARCHY_LINE - 3) / GROUP, aes_group);
}

/* --- square matrices of `side` floats, a multiple of 64 --- */

static uint64_t side_of(uint64_t bytes, unsigned matrices)
{
	uint64_t side = 64;

	while ((side + 64) * (side + 64) * 4 * matrices <= bytes)
		side += 64;
	return side;
}

/* Tiles of 16 x 16 through local memory: a line of each row of the tile. */
static void mt_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 2), row = side / FLOATS, x = group % row, y = group / row;

	(void)groups;
	for (unsigned i = 0; i < 16; i++)
		access(m, gpu, unit, (y * 16 + i) * row + x, READ);
	for (unsigned i = 0; i < 16; i++)
		access(m, gpu, unit, side * row + (x * 16 + i) * row + y, WRITE);
}

static void mt(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 2);

	run_groups(h, s, bytes, side / 16 * (side / 16), mt_group);
}

static void mm_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 3), row = side / FLOATS, x = group % row, y = group / row;

	(void)groups;
	for (uint64_t k = 0; k < row; k++) {
		for (unsigned i = 0; i < 16; i++) {
			access(m, gpu, unit, (y * 16 + i) * row + k, READ);
			access(m, gpu, unit, side * row + (k * 16 + i) * row + x, READ);
		}
	}
	for (unsigned i = 0; i < 16; i++)
		access(m, gpu, unit, 2 * side * row + (y * 16 + i) * row + x, WRITE);
}

static void mm(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 3);

	run_groups(h, s, bytes, side / 16 * (side / 16), mm_group);
}

/* The same without local memory: a work-item for each element reads its row of A and column of B, waves of 4 x 16 side by side.
 */
static void gemm_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 3), row = side / FLOATS, x = group % row, y = group / row;

	(void)groups;
	for (uint64_t k = 0; k < side; k++) {
		for (unsigned i = 0; i < 16; i++) {
			read_float(m, gpu, unit, (y * 16 + i) * side + k);
			if (i % 4 == 3)
				access(m, gpu, unit, side * row + k * row + x, READ);
		}
	}
	for (unsigned i = 0; i < 16; i++)
		access(m, gpu, unit, 2 * side * row + (y * 16 + i) * row + x, WRITE);
}

static void gemm(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 3);

	run_groups(h, s, bytes, side / 16 * (side / 16), gemm_group);
}

/* 3 x 3: a line of the output needs the lines around it of three rows. */
static const unsigned conv_words[] = { 1u << (FLOATS - 1), HIERARCHY_ALL,
				       1 }; /* of the line to the left, of its own, to the right */

static void conv_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 2), row = side / FLOATS, all = side * row;

	(void)groups;
	for (uint64_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
		for (unsigned r = 0; r < 3; r++)
			for (unsigned c = 0; c < 3; c++)
				read_words(m, gpu, unit, (i + (r + all - 1) * row + c + all - 1) % all, conv_words[c]);
		access(m, gpu, unit, all + i, WRITE);
	}
}

static void conv(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 2);

	run_groups(h, s, bytes, side * side / FLOATS / GROUP, conv_group);
}

/* y = A x with a row for each work-item: 64 rows side by side, a float of each at a time; a group has 256. */
static void rows_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 1), row = side / FLOATS, all = side * row;

	(void)groups;
	for (uint64_t wave = 0; wave < 4; wave++) {
		for (uint64_t j = 0; j < side; j++) {
			read_float(m, gpu, unit, all * FLOATS + j);
			for (uint64_t lane = 0; lane < 64; lane++)
				read_float(m, gpu, unit, (group * 256 + wave * 64 + lane) * side + j);
		}
		for (unsigned i = 0; i < 4; i++)
			access(m, gpu, unit, all + row + group * GROUP + wave * 4 + i, WRITE);
	}
}

/* y = A' x with a column for each work-item: rows of 256 floats at a time. */
static void columns_group(const struct machine *m, unsigned gpu, unsigned unit, uint64_t group, uint64_t groups, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 1), row = side / FLOATS, all = side * row;

	(void)groups;
	for (uint64_t i = 0; i < side; i++) {
		read_float(m, gpu, unit, (all + row) * FLOATS + i);
		for (unsigned l = 0; l < GROUP; l++)
			access(m, gpu, unit, i * row + group * GROUP + l, READ);
	}
	for (unsigned l = 0; l < GROUP; l++)
		access(m, gpu, unit, all + 2 * row + group * GROUP + l, WRITE);
}

static uint64_t vector_lines(uint64_t bytes, unsigned gpus)
{
	return all_lines(bytes, gpus) + 3 * (side_of(bytes, 1) / FLOATS + GROUP);
}

static void atax(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 1);

	run_groups(h, s, bytes, side / 256, rows_group);
	run_groups(h, s, bytes, side / 256, columns_group);
}

static void bicg(struct hierarchy *h, const struct hierarchy_setting *s, uint64_t bytes)
{
	uint64_t side = side_of(bytes, 1);

	run_groups(h, s, bytes, side / 256, columns_group);
	run_groups(h, s, bytes, side / 256, rows_group);
}

/* --- */

const struct cache_stream cache_streams[] = {
	{ "xtreme1", "C = A + B and A = C + B, 11 times each, of a unit's own slices", 393216, lines_of_gpus, xtreme1 },
	{ "xtreme2", "C = A + B; 11 times A = C + B of slices of a unit of the same GPU; C = A + B", 393216, lines_of_gpus,
	  xtreme2 },
	{ "xtreme3", "the same with slices of a unit of another GPU", 393216, lines_of_gpus, xtreme3 },
	{ "aes", "blocks encrypted in place with common keys", 16 * MIB, all_lines, aes },
	{ "atax", "A' (A x)", 16 * MIB, vector_lines, atax },
	{ "bicg", "A' r, A p", 16 * MIB, vector_lines, bicg },
	{ "conv", "a convolution of 3 x 3", 32 * MIB, all_lines, conv },
	{ "fir", "a filter of 16 taps", 32 * MIB, all_lines, fir },
	{ "gemm", "a product of matrices, each work-item its own element", 6 * MIB, all_lines, gemm },
	{ "mm", "a product of matrices by tiles of 16 x 16", 6 * MIB, all_lines, mm },
	{ "mt", "a transposition by tiles of 16 x 16", 32 * MIB, all_lines, mt },
	{ "relu", "an input, an output", 32 * MIB, all_lines, relu },
	{ 0 },
};

const struct cache_stream *cache_stream_find(const char *name)
{
	const struct cache_stream *s = cache_streams;

	while (s->name && strcmp(s->name, name) != 0)
		s++;
	return s->name ? s : NULL;
}
