/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of lease_random.h: their state, and what they do. */
#ifndef GLK_TEST_LEASE_THREADS_H
#define GLK_TEST_LEASE_THREADS_H

#include "chance.h"
#include "lease_bench.h"
#include "lease_random.h"
#include "pool/test/access_log.h"

enum {
	THREADS = 4,
	CELLS = 32,	  /* of 1 KiB, each with two words, in one line of the least size */
	WORDS = 2 * CELLS,
	CELL_SHIFT = 10,
	THREAD_SLICE = 8, /* of thread 0's window; also the number of its registration */
};

struct thread {
	uint64_t lts, sts;  /* times for loads and stores */
	uint64_t released;  /* clock at the last release: no later store with a time is before it */
	uint64_t acquired;  /* when the last acquire was; see struct threads, now */
	unsigned hits, entries;
	struct copy {
		bool valid;
		uint64_t wts, rts;
		int value[2];
	} copy[CELLS];
	uint64_t stored[WORDS]; /* when its last store to the word arrived */
};

struct threads {
	struct bench b;
	struct chance chance;
	enum lease_plant plant;
	bool calm;     /* few stores */
	bool in_order; /* sequentially consistent: one time for loads and stores */
	unsigned tick; /* hits in a row after which a load asks again; 0: never */
	uint64_t line_bytes;
	struct thread of[THREADS];
	int memory[WORDS];    /* the pool's words */
	struct queued {
		int value;    /* 0: none */
		unsigned thread;
	} queued[WORDS];      /* in the write queue */
	uint64_t now;	      /* counts stores that arrived */
	uint64_t *replaced;   /* by value: when another took its place, 0: not yet */
	int value;	      /* the last one stored; all are different */
	struct access_log log;
	const char *wrong;
	struct lease_sums sums;
};

/* Configures the card for the threads; also after a reset. */
void threads_start(struct threads *t);

void thread_load(struct threads *t, unsigned thread, unsigned word);
void thread_renew(struct threads *t, unsigned thread);
/* Stores with a time; of a line, of a word that is known; one that may not write. */
void thread_store(struct threads *t, unsigned thread, unsigned word);
void thread_atomic(struct threads *t, unsigned thread, unsigned word);
/* Stores without a time: through the window, to BAR 4, atomics. */
void thread_post(struct threads *t, unsigned thread, unsigned word);
void thread_write_pool(struct threads *t, unsigned thread, unsigned word);
void thread_untimed_atomic(struct threads *t, unsigned thread, unsigned word);
void thread_release(struct threads *t, unsigned thread);
void thread_acquire(struct threads *t, unsigned thread);
/* A load through the window: no lease, the current value. */
void thread_plain_load(struct threads *t, unsigned thread, unsigned word);
/* A page becomes zeros. */
void threads_clear(struct threads *t, unsigned page);

#endif /* GLK_TEST_LEASE_THREADS_H */
