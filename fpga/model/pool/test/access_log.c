// SPDX-License-Identifier: Apache-2.0
#include "access_log.h"

#include <stdlib.h>

void access_note(struct access_log *log, const struct access *access)
{
	if (!log->of || log->count == log->room)
		return;
	log->of[log->count] = *access;
	log->of[log->count].order = log->count;
	log->count++;
}

static int by_time(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

const char *access_check(struct access_log *log, int *values, unsigned words)
{
	uint64_t last[ACCESS_THREADS][ACCESS_ALONE] = { { 0 } };

	for (unsigned i = 0; i < log->count; i++) {
		uint64_t *its;

		if (log->of[i].stream == ACCESS_ALONE)
			continue;
		its = &last[log->of[i].thread][log->of[i].stream];
		if (log->of[i].time < *its)
			return "a thread's time falls";
		*its = log->of[i].time;
	}
	qsort(log->of, log->count, sizeof(*log->of), by_time);
	for (unsigned i = 0; i < log->count; i++) {
		const struct access *a = &log->of[i];
		int *value = &values[a->line * words + a->word];

		if (a->store)
			*value = a->value;
		else if (*value != a->value)
			return "a load has another value than the last store before it";
	}
	return NULL;
}
