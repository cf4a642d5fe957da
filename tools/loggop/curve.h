/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A term of the LogGOP model as a function of the message size: straight lines in segments, as protocols change with the size.
 * Times have the unit of the points, sizes are bytes.
 *
 * LogGOP: Alexandrov et al., LogGP (SPAA 1995), with the overhead per byte of Hoefler et al., LogGOPSim (HPDC 2010). The
 * segments follow netgauge (Hoefler et al., Low-overhead LogGP parameter assessment, IPDPS 2007): a new one where the residual
 * doubles and stays doubled for the next five points. The boundary of two segments then moves to where their squared deviations
 * are least.
 */
#ifndef LOGGOP_CURVE_H
#define LOGGOP_CURVE_H

enum { LOGGOP_SEGMENTS_MAX = 8, LOGGOP_POINTS_MAX = 64 };

/** A measured time of messages of `bytes`. */
struct loggop_point {
	double bytes, time;
};

/** time = base + slope * (bytes - 1), for sizes from `from` to `to`. */
struct loggop_segment {
	double from, to, base, slope;
};

struct loggop_curve {
	unsigned count; /**< of segments; 0: unknown */
	struct loggop_segment segment[LOGGOP_SEGMENTS_MAX];
	double r2;    /**< coefficient of determination over all points */
	double worst; /**< largest deviation of a point, relative to it */
};

/**
 * Fits a curve to 1 to LOGGOP_POINTS_MAX points in ascending order of size. Deviations count relative to the time, so that
 * short messages weigh as much as long ones.
 *
 * spread  relative spread of the measurement: deviations below it open no segment.
 *
 * Returns 0, or -EINVAL: number or order of the points.
 */
int loggop_fit(const struct loggop_point *points, unsigned count, double spread, struct loggop_curve *curve);

/** The time at a size: on the segment that contains it, or the nearest one. 0 if the curve is unknown. */
double loggop_at(const struct loggop_curve *curve, double bytes);

/** The segment used for a size. The curve is known. */
const struct loggop_segment *loggop_segment_at(const struct loggop_curve *curve, double bytes);

#endif /* LOGGOP_CURVE_H */
