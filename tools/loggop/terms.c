// SPDX-License-Identifier: Apache-2.0
#include "terms.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int loggop_file_init(struct loggop_file *file)
{
	*file = (struct loggop_file){ .unit = "ns", .complete = true };
	file->set = calloc(LOGGOP_SETS_MAX, sizeof(*file->set));
	return file->set ? 0 : -ENOMEM;
}

void loggop_file_free(struct loggop_file *file)
{
	free(file->set);
	file->set = NULL;
}

static const struct loggop_sample *single_of(const struct loggop_set *set, double bytes)
{
	for (unsigned i = 0; i < set->samples; i++)
		if (set->sample[i].bytes == bytes && set->sample[i].count == 1 && set->sample[i].delay == 0)
			return &set->sample[i];
	return NULL;
}

/* What a point of a curve is derived from: of one size, the sample with the most operations. */
static const struct loggop_sample *many_of(const struct loggop_set *set, double bytes, bool delayed)
{
	const struct loggop_sample *found = NULL;

	for (unsigned i = 0; i < set->samples; i++) {
		const struct loggop_sample *s = &set->sample[i];

		if (s->bytes == bytes && s->count > 1 && (s->delay > 0) == delayed && (!found || s->count > found->count))
			found = s;
	}
	return found;
}

enum curve { SINGLE, OVERHEAD, GAP };

/* The point of a curve at a size. False: the samples do not give it, or it is lost in the spread. */
static bool derive(const struct loggop_set *set, enum curve curve, double bytes, double *time)
{
	const struct loggop_sample *one = single_of(set, bytes), *many;

	if (!one)
		return false;
	*time = one->time;
	if (curve == SINGLE)
		return one->time > 0;
	many = many_of(set, bytes, curve == OVERHEAD);
	if (!many)
		return false;
	*time = (many->time - one->time) / (many->count - 1) - many->delay;
	return *time > 0;
}

/* The next larger size among the samples, or 0. */
static double next_size(const struct loggop_set *set, double after)
{
	double next = 0;

	for (unsigned i = 0; i < set->samples; i++)
		if (set->sample[i].bytes > after && (next == 0 || set->sample[i].bytes < next))
			next = set->sample[i].bytes;
	return next;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median over the samples. */
static double relative_spread(const struct loggop_set *set)
{
	double all[LOGGOP_SAMPLES_MAX];

	for (unsigned i = 0; i < set->samples; i++)
		all[i] = set->sample[i].time > 0 ? set->sample[i].spread / set->sample[i].time : 0;
	qsort(all, set->samples, sizeof(all[0]), ascending);
	return set->samples ? all[set->samples / 2] : 0;
}

static int fit_curve(const struct loggop_set *set, enum curve which, struct loggop_curve *curve)
{
	struct loggop_point points[LOGGOP_POINTS_MAX];
	unsigned count = 0;

	curve->count = 0;
	for (double bytes = next_size(set, 0); bytes > 0; bytes = next_size(set, bytes)) {
		if (count == LOGGOP_POINTS_MAX)
			return -EINVAL;
		points[count].bytes = bytes;
		count += derive(set, which, bytes, &points[count].time);
	}
	return count ? loggop_fit(points, count, relative_spread(set), curve) : 0;
}

/* The sample of a size with the fewest operations, but more than one. */
static const struct loggop_sample *few_of(const struct loggop_set *set, double bytes)
{
	const struct loggop_sample *found = NULL;

	for (unsigned i = 0; i < set->samples; i++) {
		const struct loggop_sample *s = &set->sample[i];

		if (s->bytes == bytes && s->count > 1 && s->delay == 0 && (!found || s->count < found->count))
			found = s;
	}
	return found;
}

/* The median over sizes that have more than one such sample. */
static double derive_batch(const struct loggop_set *set)
{
	double all[LOGGOP_POINTS_MAX], gap;
	unsigned count = 0;

	for (double bytes = next_size(set, 0); bytes > 0 && count < LOGGOP_POINTS_MAX; bytes = next_size(set, bytes)) {
		const struct loggop_sample *one = single_of(set, bytes), *few = few_of(set, bytes);
		const struct loggop_sample *many = many_of(set, bytes, false);

		if (one && few && few != many && derive(set, GAP, bytes, &gap))
			all[count++] = fmax(few->time - one->time - (2 * few->count - 1) * gap, 0);
	}
	qsort(all, count, sizeof(all[0]), ascending);
	return count ? all[count / 2] : 0;
}

int loggop_set_fit(struct loggop_set *set)
{
	int error = fit_curve(set, SINGLE, &set->single);

	if (!error && !set->single.count)
		error = -EINVAL;
	if (!error)
		error = fit_curve(set, OVERHEAD, &set->overhead);
	if (!error)
		error = fit_curve(set, GAP, &set->gap);
	if (error)
		return error;
	set->batch = derive_batch(set);
	set->sync =
		set->single.segment[0].base - loggop_at(&set->overhead, set->single.segment[0].from) - fmax(set->latency, 0);
	return 0;
}

double loggop_time(const struct loggop_set *set, double count, double bytes)
{
	double single = loggop_at(&set->single, bytes);

	return single + (count - 1) * (set->gap.count ? loggop_at(&set->gap, bytes) : single);
}

const char *loggop_bound(const struct loggop_set *set, double bytes)
{
	double overhead = loggop_at(&set->overhead, bytes), gap = loggop_at(&set->gap, bytes);

	/* A batch may cost less per operation than one by itself. */
	if (set->overhead.count && gap <= 1.25 * overhead)
		return "overhead";
	if (set->timeouts > 0.5)
		return "flush timeout";
	if (set->full > 0.5 && set->packet_bytes > 0 && set->packet_bytes <= 256)
		return "payload limit";
	return "link";
}

const struct loggop_set *loggop_find(const struct loggop_file *file, const char *way, const char *path)
{
	for (unsigned i = 0; i < file->sets; i++)
		if (strcmp(file->set[i].way, way) == 0 && (!path || strcmp(file->set[i].path, path) == 0))
			return &file->set[i];
	return NULL;
}
