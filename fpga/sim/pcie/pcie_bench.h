/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by both ends of a bench with the hard block: random numbers, stalls, and the first failure. */
#ifndef GLK_PCIE_BENCH_H
#define GLK_PCIE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <chance.h>

/* Random stalls: of streams, and of new transactions on them. */
enum pcie_gap { GAP_CQ, GAP_C, GAP_M, GAP_M_NEXT, GAP_RC, GAP_RC_NEXT, GAP_CC, GAP_RQ, GAP_R, GAP_D, PCIE_GAPS };

struct pcie_bench {
	unsigned beat; /* bytes of a beat: the width of the dut */
	struct chance chance;
	uint64_t clocks;
	unsigned gap[PCIE_GAPS];   /* stall probability per stream, in 1/256 */
	unsigned stall[PCIE_GAPS]; /* clocks left */
	bool calm;		   /* no new transactions */
	char failure[256];
};

/* Records the first failure. */
void pcie_fail(struct pcie_bench *b, const char *what, uint64_t expected, uint64_t got);
void pcie_same(struct pcie_bench *b, const char *what, uint64_t expected, uint64_t got);

bool pcie_one_in(struct pcie_bench *b, unsigned n);

/* Whether a stream proceeds in this clock. */
bool pcie_go(struct pcie_bench *b, enum pcie_gap stream);

#endif /* GLK_PCIE_BENCH_H */
