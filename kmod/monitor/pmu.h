/* SPDX-License-Identifier: GPL-2.0-only */
/* The card as a PMU of perf. */
#ifndef GLK_PMU_H
#define GLK_PMU_H

struct glk_part;

#ifdef CONFIG_PERF_EVENTS
extern const struct glk_part glk_pmu_part;
int glk_pmu_init(void);
void glk_pmu_exit(void);
#else
static inline int glk_pmu_init(void)
{
	return 0;
}

static inline void glk_pmu_exit(void)
{
}
#endif

#endif /* GLK_PMU_H */
