// SPDX-License-Identifier: Apache-2.0
/* Edge lists as SNAP has them. */
#include "matrix_reader.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Replaces the vertex numbers of the edges by their places in the ascending order of all numbers that occur. */
static int compact(struct matrix_reader *r, uint32_t *rows)
{
	size_t count = 0, all = r->count * 2;
	uint32_t *numbers;

	if (!r->count)
		return matrix_fail(r, "the file has no edges; an edge list has two numbers 0 to 4294967295 a line");
	numbers = malloc(all * sizeof(*numbers)); /* less than the entries have */
	if (!numbers)
		return matrix_fail(r, "out of memory for %zu edges", r->count);
	for (size_t e = 0; e < r->count; e++) {
		numbers[2 * e] = (uint32_t)(r->entries[e].place >> 32);
		numbers[2 * e + 1] = (uint32_t)r->entries[e].place;
	}
	qsort(numbers, all, sizeof(*numbers), compare_u32);
	for (size_t i = 0; i < all; i++)
		if (!i || numbers[i] != numbers[i - 1])
			numbers[count++] = numbers[i];
	if (count > r->most_rows) {
		free(numbers);
		return matrix_fail(r, "the file has %zu vertices: must be 1 to %" PRIu32, count, r->most_rows);
	}
	for (size_t e = 0; e < r->count; e++) {
		uint32_t source = (uint32_t)(r->entries[e].place >> 32), target = (uint32_t)r->entries[e].place;
		const uint32_t *s = bsearch(&source, numbers, count, sizeof(source), compare_u32);
		const uint32_t *t = bsearch(&target, numbers, count, sizeof(target), compare_u32);

		r->entries[e].place = (uint64_t)(s - numbers) << 32 | (uint64_t)(t - numbers);
	}
	free(numbers);
	*rows = (uint32_t)count;
	return 0;
}

int matrix_read_edges(struct matrix_reader *r, uint32_t *rows)
{
	uint64_t source, target;
	const char *at;
	int got;

	do {
		at = r->text;
		if (r->text[0] != '#' && !matrix_at_end(at)) {
			if (!matrix_take_number(&at, 0, UINT32_MAX, &source) ||
			    !matrix_take_number(&at, 0, UINT32_MAX, &target) || !matrix_at_end(at))
				return matrix_fail(r,
						   "'%s' is not an edge: must be two numbers 0 to 4294967295, or a comment "
						   "after '#'",
						   matrix_shown(r));
			if (matrix_add(r, source, target, 0))
				return -1;
		}
		got = matrix_next_line(r);
	} while (got > 0);
	return got < 0 ? -1 : compact(r, rows);
}
