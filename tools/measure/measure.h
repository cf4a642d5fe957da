/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures ways to send on a device, for the LogGOP model (tools/loggop): each T(n, d, s) is the median time from the first of
 *n operations of s bytes, d apart, to the end of the release behind them.
 *
 *	ways   window    direct stores, in a row
 *	       scatter   direct stores of at most 128 bytes, 256 bytes apart
 *	       inline    puts with the data in the entry, 1 to 32 bytes
 *	       put       puts from registered memory
 *	       putv      put vectors: stores of at most 64 bytes, 128 bytes apart
 *	       get       gets into registered memory
 *	paths  ioctl     SUBMIT, RELEASE and WAIT
 *	       io_uring  a command per batch (gpulink_uring.h)
 *	       asleep    a ring in user space; sleeps until the release is complete
 *	       polling   a ring in user space; polls
 *	       doorbell  the release word of the doorbell page, as a device releases; only for direct stores
 *
 * io_uring and ioctl submit all operations of a T(n, 0, s) at once. A soft device has only asleep and polling.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "../../common/failure.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <terms.h>

enum { MEASURE_WINDOW, MEASURE_SCATTER, MEASURE_INLINE, MEASURE_PUT, MEASURE_PUTV, MEASURE_GET, MEASURE_WAYS };
enum { MEASURE_IOCTL, MEASURE_URING, MEASURE_ASLEEP, MEASURE_POLLING, MEASURE_DOORBELL, MEASURE_PATHS };
enum { MEASURE_REPETITIONS_MAX = 1001 };

/** Largest message, and the most bytes of all messages of one time. */
#define MEASURE_BYTES_MAX (UINT64_C(16) << 20)

extern const char *const measure_way_names[MEASURE_WAYS];
extern const char *const measure_path_names[MEASURE_PATHS];

struct measure_plan {
	unsigned partition; /**< whose endpoint memory is overwritten, from `offset` on, by up to 16 MiB */
	uint64_t offset;    /**< a multiple of 4096 */
	unsigned ways;	    /**< a bit for each */
	unsigned paths;	    /**< 0: all that the device has */
	uint64_t least, most; /**< sizes: powers of two between them, 1 to MEASURE_BYTES_MAX */
	unsigned repetitions; /**< 1 to MEASURE_REPETITIONS_MAX */
	const volatile sig_atomic_t *stop;   /**< nonzero: end early. NULL: never */
	/** At the beginning of each measurement, the number-th of `count` (from 1): progress. NULL: nothing. */
	void (*begin)(const char *way, const char *path, unsigned number, unsigned count);
};

/**
 * Measures, and fits each set. `file` comes from loggop_file_init() and is the caller's; after an error it has what was
 * measured until then, as after a stop, and `complete` is false.
 *
 * Returns 0, also after a stop, or a negative GPULINK_E code with a message in `error`.
 */
int measure_device(const char *name, const struct measure_plan *plan, struct loggop_file *file, struct failure *error);

#endif /* MEASURE_H */
