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
	unsigned done = 0;

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
		done += points;
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
