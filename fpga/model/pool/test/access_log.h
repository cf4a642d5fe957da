/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses with their logical times, and the check that they are in one order (MGCC 4.2.2). */
#ifndef GLK_TEST_ACCESS_LOG_H
#define GLK_TEST_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { ACCESS_THREADS = 8 };

/* In which of a thread's sequences an access is: in each, times do not fall. */
enum access_stream { ACCESS_IN_ORDER, ACCESS_STORES, ACCESS_POSTED, ACCESS_ALONE };

struct access {
	uint64_t time, order;
	unsigned thread, line, word;
	int value;
	bool store;
	enum access_stream stream;
};

struct access_log {
	struct access *of; /* `room` of them; NULL: nothing is logged */
	unsigned count, room;
};

/* Appends an access, in the order in which they are made. What has no room is not logged. */
void access_note(struct access_log *log, const struct access *access);

/**
 * Sorts the log by time, and equal times by the order in which they were made: then each load has the value of the store before
 * it, and the times of no stream of a thread fall, but for ACCESS_ALONE. `values` begins with what each word has, `words` of
 * them a line, and holds their last values afterwards. Returns NULL, or what is wrong.
 */
const char *access_check(struct access_log *log, int *values, unsigned words);

#endif /* GLK_TEST_ACCESS_LOG_H */
