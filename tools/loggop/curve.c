// SPDX-License-Identifier: Apache-2.0
#include "curve.h"

#include <errno.h>
#include <math.h>

enum { LEAST_POINTS = 3, LOOK_AHEAD = 5 };
#define LEAST_SPREAD 0.001

static double deviation(const struct loggop_segment *s, const struct loggop_point *p)
{
	double value = s->base + s->slope * (p->bytes - 1);

	return fabs(value - p->time) / fmax(fabs(p->time), 1e-12);
}

/* Least squares of relative deviations. Returns the root of their mean square. */
static double fit_line(const struct loggop_point *p, unsigned count, struct loggop_segment *s)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, divisor, sum = 0;

	for (unsigned i = 0; i < count; i++) {
		double weight = 1 / fmax(p[i].time * p[i].time, 1e-24), x = p[i].bytes - 1;

		w += weight;
		wx += weight * x;
		wy += weight * p[i].time;
		wxx += weight * x * x;
		wxy += weight * x * p[i].time;
	}
	divisor = w * wxx - wx * wx;
	s->slope = count > 1 && divisor > 0 ? (w * wxy - wx * wy) / divisor : 0;
	s->base = (wy - s->slope * wx) / w;
	s->from = p[0].bytes;
	s->to = p[count - 1].bytes;
	for (unsigned i = 0; i < count; i++)
		sum += deviation(s, &p[i]) * deviation(s, &p[i]);
	return sqrt(sum / count);
}

/* The number of points of the first segment. */
static unsigned first_segment(const struct loggop_point *p, unsigned count, double spread)
{
	for (unsigned here = LEAST_POINTS; here + LOOK_AHEAD <= count; here++) {
		struct loggop_segment s;
		double limit = 2 * fmax(fit_line(p, here, &s), spread);
		unsigned ahead = 1;

		while (ahead <= LOOK_AHEAD && fit_line(p, here + ahead, &s) > limit)
			ahead++;
		if (ahead > LOOK_AHEAD)
			return here;
	}
	return count;
}

/* Sum of squared deviations of two lines, of which the second begins at point `split`. */
static double cost_of_split(const struct loggop_point *p, unsigned count, unsigned split, struct loggop_segment *pair)
{
	double first = fit_line(p, split, &pair[0]), second = fit_line(p + split, count - split, &pair[1]);

	return first * first * split + second * second * (count - split);
}

/* Where two segments meet: the rule above ends a segment early if its points lie on a line by far better than the measurement.
 */
static void move_boundary(const struct loggop_point *p, unsigned count, unsigned *boundary, struct loggop_segment *pair)
{
	double least = cost_of_split(p, count, *boundary, pair);

	for (unsigned split = LEAST_POINTS; split + LEAST_POINTS <= count; split++) {
		struct loggop_segment tried[2];
		double cost = cost_of_split(p, count, split, tried);

		if (cost < least) {
			least = cost;
			*boundary = split;
			pair[0] = tried[0];
			pair[1] = tried[1];
		}
	}
}

static void judge(const struct loggop_point *p, unsigned count, struct loggop_curve *c)
{
	double mean = 0, total = 0, left = 0;

	for (unsigned i = 0; i < count; i++)
		mean += p[i].time / count;
	c->worst = 0;
	for (unsigned i = 0; i < count; i++) {
		double error = loggop_at(c, p[i].bytes) - p[i].time;

		total += (p[i].time - mean) * (p[i].time - mean);
		left += error * error;
		c->worst = fmax(c->worst, deviation(loggop_segment_at(c, p[i].bytes), &p[i]));
	}
	c->r2 = total > 0 ? 1 - left / total : 1;
}

int loggop_fit(const struct loggop_point *p, unsigned count, double spread, struct loggop_curve *c)
{
	unsigned done = 0, first[LOGGOP_SEGMENTS_MAX + 1];

	if (!count || count > LOGGOP_POINTS_MAX)
		return -EINVAL;
	for (unsigned i = 1; i < count; i++)
		if (p[i].bytes <= p[i - 1].bytes)
			return -EINVAL;
	for (c->count = 0; done < count; c->count++) {
		unsigned points = c->count + 1 < LOGGOP_SEGMENTS_MAX ?
					  first_segment(p + done, count - done, fmax(spread, LEAST_SPREAD)) :
					  count - done;

		fit_line(p + done, points, &c->segment[c->count]);
		first[c->count] = done;
		done += points;
	}
	first[c->count] = count;
	for (unsigned i = 1; i < c->count; i++) {
		unsigned begin = first[i - 1], boundary = first[i] - begin;

		move_boundary(p + begin, first[i + 1] - begin, &boundary, &c->segment[i - 1]);
		first[i] = begin + boundary;
	}
	judge(p, count, c);
	return 0;
}

const struct loggop_segment *loggop_segment_at(const struct loggop_curve *c, double bytes)
{
	unsigned i = 0;

	while (i + 1 < c->count && bytes >= c->segment[i + 1].from)
		i++;
	return &c->segment[i];
}

double loggop_at(const struct loggop_curve *c, double bytes)
{
	const struct loggop_segment *s;

	if (!c->count)
		return 0;
	s = loggop_segment_at(c, bytes);
	return s->base + s->slope * (bytes - 1);
}
