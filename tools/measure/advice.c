// SPDX-License-Identifier: Apache-2.0
#include "advice.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CHUNK_LEAST = 4096, CHUNK_MOST = 16 << 20 };

enum kind { OTHER, DIRECT, RING };

static enum kind kind_of(const struct loggop_set *set)
{
	if (strcmp(set->way, "window") == 0)
		return DIRECT;
	return strcmp(set->way, "inline") == 0 || strcmp(set->way, "put") == 0 ? RING : OTHER;
}

/* Whether the set was measured at a size. */
static bool covers(const struct loggop_set *set, double bytes)
{
	const struct loggop_curve *c = &set->single;

	return c->count && bytes >= c->segment[0].from && bytes <= c->segment[c->count - 1].to;
}

/* The cheapest set of a kind (OTHER: of both) for `count` messages, or NULL; *time is INFINITY then. */
static const struct loggop_set *cheapest(const struct loggop_file *file, enum kind kind, double count, double bytes,
					 double *time)
{
	const struct loggop_set *found = NULL;

	*time = INFINITY;
	for (unsigned i = 0; i < file->sets; i++) {
		const struct loggop_set *set = &file->set[i];
		double takes = loggop_time(set, count, bytes);

		if (kind_of(set) == OTHER || (kind != OTHER && kind_of(set) != kind) || !covers(set, bytes) || !(takes < *time))
			continue;
		found = set;
		*time = takes;
	}
	return found;
}

static int ring_from(const struct loggop_file *file, double bytes)
{
	for (int count = 1; count <= ADVICE_STREAM; count++) {
		double direct, ring;

		if (!cheapest(file, DIRECT, count, bytes, &direct) || !cheapest(file, RING, count, bytes, &ring))
			return -1;
		if (ring < direct)
			return count;
	}
	return 0;
}

/* Bytes per time of a stream of puts: of the best path. 0: not measured at this size. */
static double put_rate(const struct loggop_file *file, double bytes)
{
	double best = 0;

	for (unsigned i = 0; i < file->sets; i++) {
		const struct loggop_set *set = &file->set[i];
		double gap = loggop_at(set->gap.count ? &set->gap : &set->single, bytes);

		if (strcmp(set->way, "put") == 0 && covers(set, bytes) && gap > 0)
			best = fmax(best, bytes / gap);
	}
	return best;
}

static uint64_t choose_chunk(const struct loggop_file *file)
{
	double best = 0;

	for (uint64_t bytes = CHUNK_LEAST; bytes <= CHUNK_MOST; bytes *= 2)
		best = fmax(best, put_rate(file, (double)bytes));
	for (uint64_t bytes = CHUNK_LEAST; best > 0 && bytes <= CHUNK_MOST; bytes *= 2)
		if (put_rate(file, (double)bytes) >= 0.9 * best)
			return bytes;
	return 0;
}

void advise(const struct loggop_file *file, struct advice *a)
{
	*a = (struct advice){ .chunk_bytes = choose_chunk(file) };
	for (unsigned i = 0; i < ADVICE_SIZES_MAX; i++) {
		struct advice_row row = { .bytes = UINT64_C(1) << i };
		double bytes = (double)row.bytes, all;

		row.single = cheapest(file, OTHER, 1, bytes, &row.single_time);
		row.stream = cheapest(file, OTHER, ADVICE_STREAM, bytes, &all);
		if (!row.single)
			continue;
		row.stream_time = all / ADVICE_STREAM;
		row.bound = loggop_bound(row.stream, bytes);
		row.ring_from = ring_from(file, bytes);
		a->row[a->rows++] = row;
	}
}
