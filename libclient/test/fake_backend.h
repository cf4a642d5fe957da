/* SPDX-License-Identifier: Apache-2.0 */
/* A back end that does as it is told and notes what it was asked, for the library's front alone. One device at a time. */
#ifndef GLK_FAKE_BACKEND_H
#define GLK_FAKE_BACKEND_H

#include <stdbool.h>

#include "../backend.h"

#define FAKE_MAPPING 8192u

struct fake {
	/* what it is to do */
	int open_error, window_error, memory_error, import_error, submit_error, release_error, wait_error;
	unsigned ring;		  /* entries it takes before it says that it is full */
	unsigned ready;		  /* entries whose completions may be taken; UINT32_MAX: all, always */
	bool invents_completions; /* one more than there are entries */
	uint64_t wait_takes_ns;
	unsigned status;      /* of the completions */
	uint32_t errors;      /* of the context, told with releases */
	bool mapped;	      /* windows have an address */

	/* what it was asked */
	bool open;
	unsigned windows, memories, opened_memories, imported_memories, waits, stores;
	uint64_t entries[600][GLK_SQE_WORDS]; /* all that it took */
	unsigned submitted, taken;
	uint64_t release_timeout, wait_timeouts[32];
	unsigned wait_least[32], wait_room[32];
	_Alignas(4096) uint8_t mapping[FAKE_MAPPING + 64];
};

extern struct fake fake;

/** Forgets everything; by default it succeeds, has a ring of 256, and completes at once. */
void fake_init(void);

#endif /* GLK_FAKE_BACKEND_H */
