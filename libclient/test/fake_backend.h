/* SPDX-License-Identifier: Apache-2.0 */
/* A fake back end, controlled by the test, that records its calls. One device at a time; its contexts share one ring. */
#ifndef GLK_FAKE_BACKEND_H
#define GLK_FAKE_BACKEND_H

#include <stdbool.h>

#include "../backend.h"

#define FAKE_MAPPING 8192u
#define FAKE_BROKEN  64u
#define FAKE_POOL    4096u /* bytes of the object, in lines of 64 */

struct fake {
	/* behaviour */
	int open_error, queue_error, window_error, memory_error, import_error, submit_error, take_error, sleep_error;
	unsigned ring;		  /* entries accepted before it is full */
	unsigned ready;		  /* entries whose completions are available; UINT32_MAX: all */
	unsigned ready_later;	  /* after a sleep */
	bool invents_completions; /* one more than there are entries */
	uint64_t sleep_takes_ns;  /* at most, as the timeout allows */
	unsigned status;      /* of the completions, but for: */
	unsigned release_status;
	unsigned broken_status; /* of entries for offset FAKE_BROKEN */
	uint32_t errors;      /* of the context, returned by releases */
	bool mapped;	      /* windows have an address */
	uint64_t endpoint_bytes;

	/* pool: each answer of a read, and what happens during it (and during a store), when the answer is made */
	struct glk_pool_lease lease;
	uint64_t clock;
	int pool_error;
	void (*during)(void); /* called once */
	uint8_t pool[FAKE_POOL];

	/* recorded calls */
	unsigned pools, pool_reads, renewed;
	uint64_t read_time, read_wts, atomic_after; /* of the last; entries submitted before the atomic */
	unsigned open; /* contexts */
	unsigned windows, memories, opened_memories, imported_memories, sleeps, stores;
	uint64_t entries[600][GLK_SQE_WORDS]; /* all accepted entries */
	unsigned submitted, taken;
	uint64_t sleep_timeouts[32], sleep_entries[32];
	bool woken; /* every sleep had an entry with an interrupt at or behind its own */
	_Alignas(4096) uint8_t mapping[FAKE_MAPPING + 64];
};

extern struct fake fake;

/** Resets it: calls succeed, the ring has 256 entries, and operations complete at once. */
void fake_init(void);

/** Sets `ready` while other threads wait. */
void fake_ready(unsigned count);

#endif /* GLK_FAKE_BACKEND_H */
