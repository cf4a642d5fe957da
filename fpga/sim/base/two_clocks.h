/* SPDX-License-Identifier: Apache-2.0 */
/* When two clocks rise: random periods with jitter, often in the same instant, and at times one of them stands still. */
#ifndef GLK_SIM_TWO_CLOCKS_H
#define GLK_SIM_TWO_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include <chance.h>

struct two_clocks {
	uint64_t next[2], now;
	unsigned period[2], jitter;
};

static inline void two_clocks_start(struct two_clocks *t, struct chance *c)
{
	static const unsigned ratios[][2] = { { 64, 64 },  { 64, 65 },	{ 65, 64 }, { 100, 64 },
					      { 64, 100 }, { 64, 640 }, { 640, 64 } };
	unsigned which = below(c, 10);

	t->jitter = below(c, 2) ? 0 : below(c, 32);
	t->now = 0;
	for (unsigned i = 0; i < 2; i++) {
		t->period[i] = which < 7 ? ratios[which][i] : 40 + below(c, 400);
		t->next[i] = below(c, t->period[i]);
	}
}

/* The instant of the next edge, and which clocks rise there. */
static inline void two_clocks_next(struct two_clocks *t, struct chance *c, bool rises[2])
{
	t->now = t->next[0] < t->next[1] ? t->next[0] : t->next[1];
	for (unsigned i = 0; i < 2; i++) {
		rises[i] = t->next[i] == t->now;
		if (rises[i])
			t->next[i] += t->period[i] + (t->jitter ? below(c, t->jitter) : 0);
	}
}

/* A clock stands still for some periods of the other. */
static inline void two_clocks_stop(struct two_clocks *t, unsigned which, unsigned periods)
{
	t->next[which] += (uint64_t)periods * t->period[!which];
}

#endif /* GLK_SIM_TWO_CLOCKS_H */
