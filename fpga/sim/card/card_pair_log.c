// SPDX-License-Identifier: Apache-2.0
#include "card_pair_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair_event *pair_log_add(struct pair_log *log, const void *data, size_t len)
{
	if (log->count == log->room) {
		log->room = log->room ? 2 * log->room : 64;
		log->events = realloc(log->events, log->room * sizeof(*log->events));
	}
	while (log->used + len > log->bytes_room) {
		log->bytes_room = log->bytes_room ? 2 * log->bytes_room : 16384;
		log->bytes = realloc(log->bytes, log->bytes_room);
	}
	if (!log->events || (log->bytes_room && !log->bytes))
		abort();
	log->events[log->count] = (struct pair_event){ .length = (unsigned)len, .data = log->used };
	if (len)
		memcpy(log->bytes + log->used, data, len);
	log->used += len;
	return &log->events[log->count++];
}

struct pair_event *pair_log_next(struct pair_log *log)
{
	return log->next < log->count ? &log->events[log->next] : NULL;
}

void pair_log_empty(struct pair_log *log)
{
	log->count = log->next = log->used = 0;
}

void pair_log_free(struct pair_log *log)
{
	free(log->events);
	free(log->bytes);
}

void pair_compare(struct pair *pair, const char *what, uint64_t offset, const uint8_t *expected, const uint8_t *got, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (expected[i] != got[i]) {
			pair_fail(pair, "%s at %#" PRIx64 ", byte %zu of %zu: expected %#x, got %#x", what, offset, i, len,
				  expected[i], got[i]);
			return;
		}
}

void pair_fail(struct pair *pair, const char *format, ...)
{
	va_list arguments;

	if (pair->failure[0])
		return;
	va_start(arguments, format);
	vsnprintf(pair->failure, sizeof(pair->failure), format, arguments);
	va_end(arguments);
}
