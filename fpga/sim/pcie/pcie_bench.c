// SPDX-License-Identifier: Apache-2.0
#include "pcie_bench.h"

#include <inttypes.h>
#include <stdio.h>

void pcie_fail(struct pcie_bench *b, const char *what, uint64_t expected, uint64_t got)
{
	if (!b->failure[0])
		snprintf(b->failure, sizeof(b->failure), "clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64, b->clocks,
			 what, expected, got);
}

void pcie_same(struct pcie_bench *b, const char *what, uint64_t expected, uint64_t got)
{
	if (expected != got)
		pcie_fail(b, what, expected, got);
}

bool pcie_one_in(struct pcie_bench *b, unsigned n)
{
	return !below(&b->chance, n);
}

bool pcie_go(struct pcie_bench *b, enum pcie_gap stream)
{
	if (b->stall[stream]) {
		b->stall[stream]--;
		return false;
	}
	if (!b->calm && pcie_one_in(b, 4096)) /* a long stall */
		b->stall[stream] = below(&b->chance, 800);
	return below(&b->chance, 256) >= b->gap[stream];
}
