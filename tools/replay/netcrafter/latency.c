// SPDX-License-Identifier: Apache-2.0
#include "latency.h"

#include <errno.h>
#include <stdlib.h>

int latency_begin(struct latency *l)
{
	*l = (struct latency){ .of_ns = calloc(LATENCY_NS_MAX + 1, sizeof(*l->of_ns)) };
	return l->of_ns ? 0 : -ENOMEM;
}

void latency_end(struct latency *l)
{
	free(l->of_ns);
	*l = (struct latency){ 0 };
}

void latency_add(struct latency *l, uint64_t ns)
{
	l->count++;
	l->sum_ns += ns;
	l->most_ns = ns > l->most_ns ? ns : l->most_ns;
	l->of_ns[ns < LATENCY_NS_MAX ? ns : LATENCY_NS_MAX]++;
}

double latency_mean(const struct latency *l)
{
	return l->count ? (double)l->sum_ns / (double)l->count : 0;
}

uint64_t latency_percentile(const struct latency *l, unsigned percent)
{
	uint64_t seen = 0;

	for (uint64_t ns = 0; ns < LATENCY_NS_MAX && l->count; ns++) {
		seen += l->of_ns[ns];
		if (seen * 100 >= l->count * percent)
			return ns;
	}
	return l->most_ns;
}
