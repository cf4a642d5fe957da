// SPDX-License-Identifier: Apache-2.0
#include "remote_ask_bench.h"

#include <inttypes.h>
#include <stdio.h>

struct bench t;

void remote_ask_fail(const char *what, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure),
			 "round %" PRIu64 ", clock %" PRIu64 ": %s: expected %" PRIu64 " (%" PRIx64 "), got %" PRIu64
			 " (%" PRIx64 ")",
			 t.round, t.clock, what, expected, expected, got, got);
}
