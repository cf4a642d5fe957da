// SPDX-License-Identifier: Apache-2.0
#include "netcrafter_main.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "netcrafter_output.h"
#include "run.h"

static int from_workload(const struct stream_options *options, struct requests *requests, struct failure *error)
{
	struct requests_stream *stream;
	int status;

	*requests = (struct requests){ .gpus = options->gpus };
	status = requests_stream_begin(requests, &stream);
	if (status)
		return status;
	status = run_workload_into(options, requests_stream_sink(stream), error);
	status = requests_stream_end(stream, status, error);
	if (status)
		requests_free(requests);
	return status;
}

static int read_requests(const struct stream_options *o, struct requests *requests, struct failure *error)
{
	int status = o->workload ? from_workload(o, requests, error) : requests_from_trace(requests, o->trace, error);

	if (status || requests->gpus >= 2)
		return status;
	requests_free(requests);
	return failure_set(error, -EINVAL, "%s: one GPU; two clusters require at least 2", o->trace);
}

/* As many accesses of data go first as of page walks cross where nothing goes first. */
static int count_walks(const struct netcrafter_found *found, unsigned played, struct netcrafter_setting *setting)
{
	const struct netcrafter_options *o = found->options;
	const struct netcrafter_variant *plain = netcrafter_variant_named("plain");
	const struct netcrafter_setting base = netcrafter_variant_setting(plain, &o->setting);
	struct netcrafter_result result;
	int status;

	setting->seed = o->stream.seed;
	for (unsigned i = 0; i < played; i++) {
		if (o->variants[i] == plain) {
			setting->data_first = (unsigned)found->results[i].walk_crossings;
			return 0;
		}
	}
	status = netcrafter_run(found->requests, &base, &result);
	if (status)
		return status;
	setting->data_first = (unsigned)result.walk_crossings;
	netcrafter_result_free(&result);
	return 0;
}

static int netcrafter_play(struct netcrafter_found *found, struct failure *error)
{
	const struct netcrafter_options *o = found->options;
	int status = 0;

	netcrafter_reads(found->requests, &found->reads);
	for (unsigned i = 0; o->variants[i] && !status; i++) {
		struct netcrafter_setting setting = netcrafter_variant_setting(o->variants[i], &o->setting);

		if (o->variants[i]->data_first)
			status = count_walks(found, i, &setting);
		if (!status)
			status = netcrafter_run(found->requests, &setting, &found->results[i]);
		if (status == -EBADMSG)
			failure_set(error, status, "%s: the link delivered other data than was sent: a bug in the model",
				    o->variants[i]->name);
	}
	return status;
}

int netcrafter(int argc, char **argv)
{
	struct failure error = { 0 };
	struct netcrafter_options options;
	struct netcrafter_found *found;
	struct requests requests;
	int status = netcrafter_options_read(argc, argv, &options);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	status = read_requests(&options.stream, &requests, &error);
	if (status)
		return run_failed(status, error.text);
	found = calloc(1, sizeof(*found));
	if (found) {
		found->options = &options;
		found->stream = options.stream.workload ? options.stream.workload : options.stream.trace;
		found->requests = &requests;
		status = netcrafter_play(found, &error);
		if (!status)
			status = netcrafter_output(stdout, found);
		for (unsigned i = 0; i < VARIANTS_MAX; i++)
			netcrafter_result_free(&found->results[i]);
	} else {
		status = -ENOMEM;
	}
	free(found);
	requests_free(&requests);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}
