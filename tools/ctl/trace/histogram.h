/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the latencies that the BPF programs sum up. */
#ifndef GPULINKCTL_TRACE_HISTOGRAM_H
#define GPULINKCTL_TRACE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "shared.h"

/** The least value of a slot; of WATCH_SLOTS: the end of the last one. */
uint64_t histogram_low(unsigned slot);

/** Adds `more` to `sum`. */
void histogram_add(struct watch_latency *sum, const struct watch_latency *more);

/** Turns `now` into what was added since `before`. The maximum is then at most the end of the last slot with calls. */
void histogram_since(struct watch_latency *now, const struct watch_latency *before);

/** The value that `percent` of the calls do not exceed: the end of its slot, at most the maximum. 0 without calls. */
uint64_t histogram_percentile(const struct watch_latency *latency, unsigned percent);

struct json_object;

/** Prints a line for each power of 2 between the first and the last that has calls. */
void histogram_print(const struct watch_latency *latency);

/** [{"from_ns":,"to_ns":,"count":}, ...]: the slots that have calls. NULL: out of memory. */
struct json_object *histogram_json(const struct watch_latency *latency);

/** Formats a time with three digits and its unit. Returns `text`. */
const char *histogram_time(uint64_t ns, char text[16]);

#endif /* GPULINKCTL_TRACE_HISTOGRAM_H */
