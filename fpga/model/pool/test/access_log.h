/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses with their logical times, and the check that they are in one order (MGCC 4.2.2). */
#ifndef GLK_TEST_ACCESS_LOG_H
#define GLK_TEST_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { ACCESS_THREADS = 8 };

struct access {
	uint64_t time, order;
	unsigned thread, line, word;
	int value;
	bool store;
};

struct access_log {
	struct access *of; /* `room` of them; NULL: nothing is logged */
	unsigned count, room;
};

/* Appends an access, in the order in which they are made. What has no room is not logged. */
void access_note(struct access_log *log, const struct access *access);

/**
 * Sorts the log by time, and equal times by the order in which they were made: then each load has the value of the store before it,
 * and no thread's times fall. `apart`: a thread's loads and stores have times of their own. `values` begins with what each word
 * has, `words` of them a line, and holds their last values afterwards. Returns NULL, or what is wrong.
 */
const char *access_check(struct access_log *log, bool apart, int *values, unsigned words);

#endif /* GLK_TEST_ACCESS_LOG_H */
