// SPDX-License-Identifier: Apache-2.0
#include "pool_tuner.h"

bool pool_tuner_look(struct pool_tuner *t, const struct glk_cluster_queue_counters *counters)
{
	uint64_t stitched = counters->pool_stitched - t->stitched, timed_out = counters->pool_timed_out - t->timed_out;
	uint64_t all = stitched + timed_out;

	if (all < POOL_TUNER_EPOCH)
		return false;
	t->stitched = counters->pool_stitched;
	t->timed_out = counters->pool_timed_out;
	if (2 * stitched >= all && 2 * t->pool_ns <= POOL_TUNER_NS_MOST)
		t->pool_ns *= 2;
	else if (4 * stitched < all && t->pool_ns > 1)
		t->pool_ns /= 2;
	else
		return false;
	return true;
}
