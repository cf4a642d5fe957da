/* SPDX-License-Identifier: Apache-2.0 */
/* What the ends of a bench with the hard block share: numbers by chance, gaps, and the first failure. */
#ifndef GLK_PCIE_BENCH_H
#define GLK_PCIE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <chance.h>

/* What stands still by chance: streams, and whether something new is begun on them. */
enum pcie_gap { GAP_CQ, GAP_C, GAP_M, GAP_M_NEXT, GAP_RC, GAP_RC_NEXT, GAP_CC_RQ, GAP_R, GAP_D, PCIE_GAPS };

struct pcie_bench {
	struct chance chance;
	uint64_t clocks;
	unsigned gap[PCIE_GAPS];   /* of 256, how often each stream stops */
	unsigned stall[PCIE_GAPS]; /* clocks */
	bool calm;		   /* nothing new is begun */
	char failure[256];
};

/* Notes a failure, the first one. */
void pcie_fail(struct pcie_bench *b, const char *what, uint64_t expected, uint64_t got);
void pcie_same(struct pcie_bench *b, const char *what, uint64_t expected, uint64_t got);

bool pcie_one_in(struct pcie_bench *b, unsigned n);

/* Whether a stream goes on in this clock. */
bool pcie_go(struct pcie_bench *b, enum pcie_gap stream);

#endif /* GLK_PCIE_BENCH_H */
