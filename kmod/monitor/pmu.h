/* SPDX-License-Identifier: GPL-2.0-only */
/* The card as a PMU of perf. */
#ifndef GLK_PMU_H
#define GLK_PMU_H

struct glk_card;

#ifdef CONFIG_PERF_EVENTS
int glk_pmu_init(void);
void glk_pmu_exit(void);
void glk_pmu_attach(struct glk_card *card);
void glk_pmu_detach(struct glk_card *card);
#else
static inline int glk_pmu_init(void)
{
	return 0;
}

static inline void glk_pmu_exit(void)
{
}

static inline void glk_pmu_attach(struct glk_card *card)
{
}

static inline void glk_pmu_detach(struct glk_card *card)
{
}
#endif

#endif /* GLK_PMU_H */
