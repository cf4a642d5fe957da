// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* More rows than this are no input that a simulated GPU of 16 GB would be asked about here. */
#define MOST_ROWS (UINT32_C(1) << 25)

int workload_fail(struct workload_run *run, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(run->error, REPLAY_ERROR_BYTES, format, arguments);
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

uint64_t workload_readers_of(const struct workload_run *run, unsigned gpu)
{
	uint64_t all = 0, rows = run->matrix.rows;

	for (uint64_t v = share_begin(run, rows, gpu); v < share_begin(run, rows, gpu + 1); v++)
		all |= run->readers[v];
	return all;
}

int workload_copy_shares(struct workload_run *run, uint64_t array, unsigned element)
{
	uint64_t rows = run->matrix.rows;
	int result = 0;

	for (unsigned g = 0; g < run->options.gpus && !result; g++)
		result = replay_system_copy_all(&run->system, g, workload_readers_of(run, g),
						array + share_begin(run, rows, g) * element,
						share_size(run, rows, g) * element);
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

const struct replay_workload *replay_workload_find(const char *name)
{
	for (const struct replay_workload *w = replay_workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

static int check_options(struct workload_run *run, const struct replay_workload *workload)
{
	struct replay_workload_options *o = &run->options;

	if (!o->gpus || o->gpus > REPLAY_GPUS_MAX)
		return workload_fail(run, -EINVAL, "%s: %u GPUs: must be 1 to %d", workload->name, o->gpus,
				     REPLAY_GPUS_MAX);
	if (o->input && !workload->takes_input)
		return workload_fail(run, -EINVAL, "%s takes no input; its data are generated from the seed", workload->name);
	if (!o->input && workload->needs_input)
		return workload_fail(run, -EINVAL, "%s needs an input: a matrix or graph", workload->name);
	if (o->element && o->element != workload->element &&
	    !(workload->either_element && (o->element == 4 || o->element == 8)))
		return workload_fail(run, -EINVAL, "%s: elements of %u bytes: must be %s%u", workload->name, o->element,
				     workload->either_element ? "4 or 8, default " : "", workload->element);
	if (o->size && (!workload->size_means || (o->input && workload->takes_input)))
		return workload_fail(run, -EINVAL, "%s: size %" PRIu64 "; the input determines the size", workload->name,
				     o->size);
	if (o->size && (o->size < workload->least_size || o->size > workload->most_size))
		return workload_fail(run, -EINVAL, "%s: size %" PRIu64 ": must be %" PRIu64 " to %" PRIu64 " (%s)",
				     workload->name, o->size, workload->least_size, workload->most_size,
				     workload->size_means);
	o->size = o->size ? o->size : workload->size;
	o->iterations = o->iterations ? o->iterations : workload->iterations;
	o->element = o->element ? o->element : workload->element;
	return 0;
}

int replay_workload_run(const struct replay_workload *workload, const struct replay_workload_options *options,
			struct replay_sink sink, struct replay_workload_info *info, char *error)
{
	struct workload_run *run = calloc(1, sizeof(*run));
	int result;

	memset(info, 0, sizeof(*info));
	error[0] = '\0';
	if (!run) {
		snprintf(error, REPLAY_ERROR_BYTES, "out of memory");
		return -ENOMEM;
	}
	run->options = *options;
	run->sink = sink;
	run->info = info;
	run->error = error;
	run->system.gpus = options->gpus; /* shares are asked for before the memory's size is known */
	result = check_options(run, workload);
	if (!result && run->options.input && matrix_read(run->options.input, MOST_ROWS, &run->matrix, error))
		result = -EBADMSG;
	if (!result)
		result = workload->run(run);
	if (!run->info->elements)
		run->info->elements = run->matrix.rows;
	info->entries = run->matrix.entries;
	info->memory_bytes = run->system.bytes;
	info->compute_ps = run->system.clock_ps[0];
	info->phases = run->system.phase;
	replay_system_free(&run->system);
	matrix_free(&run->matrix);
	free(run->readers);
	free(run);
	return result;
}
