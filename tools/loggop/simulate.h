/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-sided simulation of a schedule in the LogGOPS model, with the rules of LogGOPSim (Hoefler et al., HPDC 2010), whose
 * numbers it gives:
 *
 *  - A send engages its CPU for o + (m-1) O and its NIC for g + (m-1) G. It starts when both are free.
 *  - The message arrives o + L after the send starts; it engages the receiver's CPU for o + max((m-1) O, (m-1) G), and its NIC
 * as the sender's. Matching is in order, by rank and tag.
 *  - A message longer than S waits for its receive (rendezvous); no time is charged for that.
 *  - An operation that becomes free starts when its CPU is free: a requirement between two CPUs of a rank carries no time.
 *
 * Times are integers of any unit, as LogGOPSim's: with picoseconds G keeps its digits.
 */
#ifndef LOGGOP_SIMULATE_H
#define LOGGOP_SIMULATE_H

#include "goal.h"

struct loggops {
	uint64_t L, o, g, G, O, S;
};

/**
 * Simulates the schedule. times[rank_count] receives when the last CPU of each rank is free.
 *
 * Returns 0, -ENOMEM, or -EPROTO: operations are left that can never start, or messages that no receive takes.
 */
int simulate(const struct goal *goal, const struct loggops *parameters, uint64_t *times);

#endif /* LOGGOP_SIMULATE_H */
