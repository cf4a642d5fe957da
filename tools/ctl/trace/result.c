// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include "../arguments.h"
#include "../print.h"

#include <json-c/json.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PID_MAX 4194304 /* PID_MAX_LIMIT of 64-bit kernels */

void wait_seconds(const struct ending_signals *signals, uint64_t seconds)
{
	double end = seconds_now() + (double)seconds;

	while (!signals_arrived()) {
		double left = end - seconds_now();
		struct timespec pause = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};

		if (seconds && left <= 0)
			return;
		ppoll(NULL, 0, seconds ? &pause : NULL, &signals->open);
	}
}

enum exit_code check_process(const char *argument, unsigned *pid)
{
	uint64_t number;
	char path[32];

	*pid = 0;
	if (!argument)
		return EXIT_OK;
	if (!parse_number(argument, &number) || !number || number > PID_MAX) {
		complain("process '%s': must be 1 to %d", argument, PID_MAX);
		return EXIT_USAGE;
	}
	*pid = (unsigned)number;
	snprintf(path, sizeof(path), "/proc/%u", *pid);
	if (!access(path, F_OK))
		return EXIT_OK;
	complain("process %u: %s", *pid, strerror(ESRCH));
	return EXIT_FAILED;
}

bool put_value(struct json_object *object, const char *key, struct json_object *value)
{
	if (object && value && !json_object_object_add(object, key, value))
		return true;
	json_object_put(value);
	return false;
}

bool put_number(struct json_object *object, const char *key, uint64_t value)
{
	return put_value(object, key, json_object_new_uint64(value));
}

enum exit_code print_result(struct json_object *result, bool complete, bool one_line)
{
	int flags = one_line ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;

	complete = complete && result && print_json(result, flags);
	if (!complete)
		complain("out of memory");
	json_object_put(result);
	return complete ? EXIT_OK : EXIT_FAILED;
}
