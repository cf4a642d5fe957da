// SPDX-License-Identifier: Apache-2.0
#include "serve_asks_parts.h"

#include <inttypes.h>
#include <stdio.h>

void serve_asks_fault(struct serve_asks *a, const char *what, uint64_t expected, uint64_t got)
{
	if (!a->failure[0])
		snprintf(a->failure, sizeof(a->failure), "clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64,
			 a->card->now, what, expected, got);
}

void serve_asks_wrong(struct serve_asks *a, const char *what)
{
	serve_asks_fault(a, what, 0, 1);
}

uint64_t serve_asks_bytes(const struct serve_asks *a, unsigned partition)
{
	return partition < a->partitions ? a->in->pages[partition] * PAGE : 0;
}

unsigned serve_asks_failed_before(const struct serve_asks *a, unsigned partition, uint64_t clock)
{
	unsigned n = a->card->failed[partition];

	while (n && a->card->failed_at[partition][n - 1] >= clock)
		n--;
	return n;
}

void serve_asks_note_refusal(struct serve_asks *a, unsigned partition)
{
	a->refused_at[partition][a->refused[partition]++] = a->card->now;
}
