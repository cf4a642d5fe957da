/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the LogGOP model of one way to send (window, inline, put, ...) on one path (polling, ioctl, ...), from measured
 * times T(n, d, s): from the first of n operations of s bytes, d apart, to the end of the release behind them.
 *
 *	single(s) = T(1, 0, s)
 *	o + (s-1) O = (T(n, d, s) - T(1, 0, s)) / (n-1) - d          with d = T(1, 0, s)
 *	max(o, g + (s-1) G) = (T(n, 0, s) - T(1, 0, s)) / (n-1)
 *	S = single - o - L, at the smallest size
 *	batch = T(m,0,s) - T(1,0,s) - (2m-1) max(o, g + (s-1) G), m the least n above 1; the median over sizes, at least 0
 *
 * as netgauge does with round trips; the release takes the place of the answer, as transfers are one-sided. S is that of the
 * NVSHMEM study (Groves et al., PMBS 2020, II-B): synchronization and consistency.
 */
#ifndef LOGGOP_TERMS_H
#define LOGGOP_TERMS_H

#include "../../common/failure.h"

#include <stdbool.h>
#include <stdio.h>

#include "curve.h"

struct json_object;

enum { LOGGOP_NAME_BYTES = 24, LOGGOP_SETS_MAX = 40, LOGGOP_SAMPLES_MAX = 256 };

/** One measured T(count, delay, bytes): the median of the repetitions. */
struct loggop_sample {
	double bytes, count, delay, time;
	double spread; /**< median absolute deviation of the repetitions */
	double cpu;    /**< CPU time of the process, per operation */
};

/** All samples of a way, and what they give. Curves that the samples do not determine have no segments. */
struct loggop_set {
	char way[LOGGOP_NAME_BYTES], path[LOGGOP_NAME_BYTES];
	unsigned samples;
	struct loggop_sample sample[LOGGOP_SAMPLES_MAX];
	double latency; /**< L; negative: unknown, and part of S */
	double sync;	/**< S */
	double batch;	/**< what a release costs more behind several operations, which go into the card's queue and then out of
			   it */
	double timeouts; /**< share of packets that left by the flush timeout, 0 to 1 */
	double full;	 /**< share of packets that left because they were full, 0 to 1 */
	double packet_bytes; /**< mean payload of a packet; 0: unknown */
	struct loggop_curve single, overhead, gap;
};

/** The sets of one device. */
struct loggop_file {
	char device[128], unit[LOGGOP_NAME_BYTES]; /**< unit: "ns", or "clocks" of the card's logic */
	char basis[64];				    /**< what the times are worth, for example "virtual machine: only ratios" */
	bool complete;				    /**< false: the measurement was interrupted */
	unsigned sets;
	struct loggop_set *set; /**< LOGGOP_SETS_MAX; allocated by loggop_file_init() */
};

/** Returns 0 or -ENOMEM; loggop_file_free() frees. */
int loggop_file_init(struct loggop_file *file);
void loggop_file_free(struct loggop_file *file);

/** Determines curves, S and r2 of a set from its samples. Returns 0, or -EINVAL: there is no sample with count 1. */
int loggop_set_fit(struct loggop_set *set);

/** T(count, 0, bytes) by the model. */
double loggop_time(const struct loggop_set *set, double count, double bytes);

/** The term that rules a stream of operations of a size: "overhead", "link", "flush timeout" or "payload limit". */
const char *loggop_bound(const struct loggop_set *set, double bytes);

/** The set of a way and path; path NULL: the first of the way. NULL: there is none. */
const struct loggop_set *loggop_find(const struct loggop_file *file, const char *way, const char *path);

/** The parameters as JSON. The caller puts it; NULL: out of memory. */
struct json_object *loggop_file_object(const struct loggop_file *file);

/**
 * Reads parameters: JSON of loggop_file_object(), or CSV of loggop_file_csv(), which is fitted. Returns 0, or a negative errno
 * value with a message in `error`, of 256 bytes. The caller frees the file in both cases.
 */
int loggop_file_read(struct loggop_file *file, const char *path, struct failure *error);

/** The samples as CSV. */
void loggop_file_csv(FILE *to, const struct loggop_file *file);

#endif /* LOGGOP_TERMS_H */
