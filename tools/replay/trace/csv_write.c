// SPDX-License-Identifier: Apache-2.0
/* Writing CSV. Numbers are written by hand: printf would take most of the time. */
#include <stdio.h>
#include <string.h>

#include "csv.h"
#include "write.h"

enum { ROW_MAX = 96 }; /* bytes: 20 + 1 + 7 + 1 + 2 + 1 + 2 + 1 + 14 + 1 + 10 + 1 */

int trace_csv_begin(struct replay_trace_writer *w)
{
	int rc = 0;
	uint8_t *at = trace_output_take(&w->output, ROW_MAX, &rc, &w->error);

	if (!at)
		return rc;
	w->output.count -= ROW_MAX - (size_t)snprintf((char *)at, ROW_MAX, "gpus,%u\n" CSV_NAMES "\n", w->rules.gpus);
	return 0;
}

static char *csv_write_put_number(char *to, uint64_t number, unsigned base)
{
	char digits[20];
	size_t n = sizeof(digits);

	do {
		digits[--n] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	memcpy(to, digits + n, sizeof(digits) - n);
	return to + sizeof(digits) - n;
}

static char *put_cell(char *to, uint64_t number)
{
	*to++ = ',';
	return csv_write_put_number(to, number, 10);
}

int trace_csv_put(struct replay_trace_writer *w, const struct replay_op *op)
{
	const char *name = trace_kind_name(op->kind);
	int rc = 0;
	char *begin = (char *)trace_output_take(&w->output, ROW_MAX, &rc, &w->error);
	char *to = begin;

	if (!begin)
		return rc;
	to = csv_write_put_number(to, op->time_ps, 10);
	*to++ = ',';
	to = stpcpy(to, name);
	to = put_cell(to, op->source);
	to = put_cell(to, op->destination);
	to = stpcpy(to, ",0x");
	to = csv_write_put_number(to, op->address, 16);
	to = put_cell(to, op->size);
	*to++ = '\n';
	w->output.count -= ROW_MAX - (size_t)(to - begin);
	return 0;
}
