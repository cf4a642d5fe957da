// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int workload_fail(struct workload_run *run, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	failure_set_list(run->error, code, format, arguments);
	va_end(arguments);
	return code;
}

void *workload_array(struct workload_run *run, uint64_t count, size_t bytes)
{
	void *array = count > REPLAY_MEMORY_MAX / bytes ? NULL : calloc(count ? count : 1, bytes);

	if (!array)
		workload_fail(run, 0, "out of memory for %" PRIu64 " elements of %zu bytes", count, bytes);
	return array;
}

int workload_start(struct workload_run *run)
{
	return replay_system_start(&run->system, run->options.gpus, run->sink, run->error);
}

int workload_readers(struct workload_run *run, const struct matrix *matrix)
{
	run->readers = workload_array(run, matrix->rows, sizeof(*run->readers));
	if (!run->readers)
		return -ENOMEM;
	for (unsigned g = 0; g < run->options.gpus; g++) {
		uint64_t begin = share_begin(run, matrix->rows, g), end = share_begin(run, matrix->rows, g + 1);

		for (size_t e = matrix->first[begin]; e < matrix->first[end]; e++)
			run->readers[matrix->columns[e]] |= UINT64_C(1) << g;
	}
	return 0;
}

/* What a reader reads of the rows from *begin up to *end: from the first row to the last. Returns whether it reads any. */
static bool range_read(const struct workload_run *run, unsigned reader, uint64_t *begin, uint64_t *end)
{
	while (*begin < *end && !(run->readers[*begin] >> reader & 1))
		(*begin)++;
	while (*begin < *end && !(run->readers[*end - 1] >> reader & 1))
		(*end)--;
	return *begin < *end;
}

int workload_copy_shares(struct workload_run *run, uint64_t array, unsigned element)
{
	uint64_t rows = run->matrix.rows;
	unsigned gpus = run->options.gpus;
	int result = 0;

	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		unsigned from = i / gpus, to = (from + i) % gpus; /* each begins with another one */
		uint64_t begin = share_begin(run, rows, from), end = share_begin(run, rows, from + 1), first = begin,
			 last = end;

		if (from == to || !range_read(run, to, &first, &last))
			continue;
		if (run->options.halo_copies) {
			begin = first;
			end = last;
		}
		result = replay_system_copy(&run->system, from, to, array + begin * element, (end - begin) * element);
	}
	return result;
}

int workload_check_pushed(struct workload_run *run, unsigned from, unsigned to, uint64_t address, uint64_t bytes)
{
	if (replay_system_same(&run->system, from, to, address, bytes))
		return 0;
	return workload_fail(run, -EILSEQ,
			     "wrong result: GPU %u lacks the %" PRIu64 " bytes at %#" PRIx64
			     " that GPU %u pushed",
			     to, bytes, address, from);
}

int workload_check_all(struct workload_run *run, uint64_t address, uint64_t bytes)
{
	int result = 0;

	for (unsigned g = 1; g < run->options.gpus && !result; g++)
		result = workload_check_pushed(run, 0, g, address, bytes);
	return result;
}

int workload_check_replicas(struct workload_run *run, uint64_t array, unsigned element)
{
	for (unsigned g = 0; g < run->options.gpus; g++)
		for (uint64_t v = share_begin(run, run->matrix.rows, g); v < share_begin(run, run->matrix.rows, g + 1);
		     v++) {
			uint64_t left = run->readers[v] & replay_peers(&run->system, g);

			for (; left; left &= left - 1) {
				unsigned reader = (unsigned)__builtin_ctzll(left);

				int result = workload_check_pushed(run, g, reader, array + v * element, element);

				if (result)
					return result;
			}
		}
	return 0;
}

int workload_compare(struct workload_run *run, const char *compared, double residual, double allowed)
{
	run->info->compared = compared;
	run->info->residual = residual;
	run->info->allowed = allowed;
	if (residual <= allowed) /* not so for a NaN */
		return 0;
	return workload_fail(run, -EILSEQ, "wrong result: %s is %g, must be at most %g", compared, residual,
			     allowed);
}
