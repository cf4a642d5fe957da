/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads with caches of leased lines over a table of timestamps (MGCC 4.2): the rules of a cache in their shortest form, one
 * transaction at a time. Lines have two words. Every access is logged with its logical time.
 */
#ifndef GLK_TEST_LEASES_H
#define GLK_TEST_LEASES_H

#include <stdbool.h>
#include <stdint.h>

#include "access_log.h"
#include "pool/tsu.h"

enum { LEASES_THREADS = 4, LEASES_LINES = 8, LEASES_WORDS = 2, LEASES_ENTRIES = 64, LEASES_LOG = 1 << 16 };

struct leases_cache {
	uint64_t lts, sts; /* times for loads and stores */
	unsigned hits;	   /* in a row */
	struct leases_line {
		bool valid;
		uint64_t wts, rts;
		int value[LEASES_WORDS];
	} line[LEASES_LINES];
};

struct leases {
	struct glk_tsu tsu;
	struct glk_tsu_entry entries[LEASES_ENTRIES];
	int memory[LEASES_LINES][LEASES_WORDS];
	unsigned cache_of[LEASES_THREADS];
	struct leases_cache cache[LEASES_THREADS];
	unsigned tick; /* hits in a row after which a load asks again; 0: never */
	struct access_log log;
};

/** `of`: the cache of each thread. */
void leases_init(struct leases *l, const struct glk_tsu_shape *shape, const unsigned of[LEASES_THREADS]);

int leases_load(struct leases *l, unsigned thread, unsigned line, unsigned word);
/** A store with the cache's time; sequentially consistent. */
void leases_store(struct leases *l, unsigned thread, unsigned line, unsigned word, int value);
/** A store without a time: a plain store of a GPU, or a packet's. */
void leases_post(struct leases *l, unsigned thread, unsigned line, unsigned word, int value);
/** Later loads of the thread see what was stored before. */
void leases_acquire(struct leases *l, unsigned thread);

/** As access_check(). A store without a time may be before the thread's earlier loads. */
const char *leases_check(struct leases *l);

#endif /* GLK_TEST_LEASES_H */
