/* SPDX-License-Identifier: Apache-2.0 */
/* A fake back end, controlled by the test, that records its calls. One device at a time. */
#ifndef GLK_FAKE_BACKEND_H
#define GLK_FAKE_BACKEND_H

#include <stdbool.h>

#include "../backend.h"

#define FAKE_MAPPING 8192u

struct fake {
	/* behaviour */
	int open_error, window_error, memory_error, import_error, submit_error, release_error, wait_error;
	unsigned ring;		  /* entries accepted before it is full */
	unsigned ready;		  /* entries whose completions are available; UINT32_MAX: all */
	bool invents_completions; /* one more than there are entries */
	uint64_t wait_takes_ns;
	unsigned status;      /* of the completions */
	uint32_t errors;      /* of the context, returned by releases */
	bool mapped;	      /* windows have an address */

	/* recorded calls */
	bool open;
	unsigned windows, memories, opened_memories, imported_memories, waits, stores;
	uint64_t entries[600][GLK_SQE_WORDS]; /* all accepted entries */
	unsigned submitted, taken;
	uint64_t release_timeout, wait_timeouts[32];
	unsigned wait_least[32], wait_room[32];
	_Alignas(4096) uint8_t mapping[FAKE_MAPPING + 64];
};

extern struct fake fake;

/** Resets it: calls succeed, the ring has 256 entries, and operations complete at once. */
void fake_init(void);

#endif /* GLK_FAKE_BACKEND_H */
