/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies in nanoseconds: how many, their mean, their percentiles. */
#ifndef REPLAY_NETCRAFTER_LATENCY_H
#define REPLAY_NETCRAFTER_LATENCY_H

#include <stdint.h>

enum { LATENCY_NS_MAX = 1 << 18 }; /* longer ones count as that, but for the mean and the most */

struct latency {
	uint64_t count, sum_ns, most_ns;
	uint32_t *of_ns; /* how often each */
};

/** Returns 0 or -ENOMEM. */
int latency_begin(struct latency *latency);
void latency_end(struct latency *latency);
void latency_add(struct latency *latency, uint64_t ns);
double latency_mean(const struct latency *latency);
/** The least that `percent` of them do not exceed; 0 when there are none. */
uint64_t latency_percentile(const struct latency *latency, unsigned percent);

#endif /* REPLAY_NETCRAFTER_LATENCY_H */
