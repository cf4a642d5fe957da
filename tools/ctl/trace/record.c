// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include <bpf/libbpf.h>
#include <json-c/json.h>
#include <trace.h>

#include "attach.h"
#include "record.skel.h"
#include "recording.h"
#include "result.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const probes[] = {"store", "put", "load", "get", "atomic", "release_begin", "release_post",
				     "window_address", NULL};

struct record {
	struct record_bpf *programs;
	struct attached attached;
	struct ring_buffer *ring;
	struct recording *recording;
	const char *path;
};

static int record_take(void *context, void *data, size_t bytes)
{
	return bytes == sizeof(struct watch_record) ? recording_add(context, data) : -EPROTO;
}

/* So that a name that cannot be written is reported before the recording, not after it. */
static enum exit_code check_output(const char *path)
{
	struct replay_trace_writer *writer;
	struct failure error = { 0 };

	if (!strcmp(path, "-") && isatty(STDOUT_FILENO)) {
		complain("cannot write a trace to a terminal; name a file or redirect standard output");
		return EXIT_USAGE;
	}
	if (!strcmp(path, "-"))
		return EXIT_OK;
	if (replay_trace_writer_open(&writer, path, 1, &error)) {
		complain("%s", error.text);
		return EXIT_FAILED;
	}
	replay_trace_writer_close(writer, -ECANCELED, &error);
	return EXIT_OK;
}

static enum exit_code record_begin(struct record *record, unsigned pid)
{
	int error;

	record->programs = record_bpf__open();
	if (!record->programs)
		return attach_load_failed(-errno);
	record->programs->rodata->only_pid = pid;
	record->programs->rodata->by_process = true;
	error = record_bpf__load(record->programs);
	if (error)
		return attach_load_failed(error);
	record->recording = recording_begin();
	record->ring = record->recording ? ring_buffer__new(bpf_map__fd(record->programs->maps.records), record_take,
							    record->recording, NULL) :
					   NULL;
	if (!record->ring) {
		complain("cannot begin a recording: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return attach_probes(&record->attached, record->programs->obj, probes);
}

static void end(struct record *record)
{
	attach_end(&record->attached);
	ring_buffer__free(record->ring);
	recording_end(record->recording);
	record_bpf__destroy(record->programs);
}

static enum exit_code take_records(const struct record *record)
{
	int count = ring_buffer__consume(record->ring);

	if (count >= 0)
		return EXIT_OK;
	complain("recording: %s", strerror(-count));
	return EXIT_FAILED;
}

static enum exit_code record_until_end(struct record *record, const struct ending_signals *signals, uint64_t seconds)
{
	struct pollfd event = {.fd = ring_buffer__epoll_fd(record->ring), .events = POLLIN};
	const struct timespec pause = {.tv_nsec = 100000000};
	double deadline = seconds_now() + (double)seconds;
	enum exit_code code = EXIT_OK;

	while (code == EXIT_OK && !signals_arrived() && (!seconds || seconds_now() < deadline)) {
		ppoll(&event, 1, &pause, &signals->open);
		code = take_records(record);
	}
	attach_end(&record->attached);
	return code == EXIT_OK ? take_records(record) : code;
}

static enum exit_code print_sums(const struct record *record, const struct recording_sums *sums, bool json)
{
	uint64_t lost = record->programs->bss->lost[WATCH_LOST_RECORD] + attach_skipped(record->programs->obj);
	FILE *where = strcmp(record->path, "-") ? stdout : stderr;

	if (lost)
		complain("%" PRIu64 " operations lost, because they were not read in time: the trace is incomplete", lost);
	if (sums->left_out)
		complain("%" PRIu64 " operations left out: a trace has at most %d GPUs", sums->left_out, REPLAY_GPUS_MAX);
	if (sums->addresses)
		complain("programs took the addresses of %" PRIu64 " windows: stores through them are not in the trace",
			 sums->addresses);
	fprintf(where,
		json ? "{\"operations\": %" PRIu64 ", \"processes\": %u, \"partitions\": %u, \"lost\": %" PRIu64
		       ", \"left_out\": %" PRIu64 ", \"addresses\": %" PRIu64 "}\n"
		     : "operations: %" PRIu64 ", processes: %u, partitions: %u; lost: %" PRIu64 ", left out: %" PRIu64
		       ", addresses of windows taken: %" PRIu64 "\n",
		sums->operations, sums->processes, sums->partitions, lost, sums->left_out, sums->addresses);
	return EXIT_OK;
}

enum exit_code run_record(struct invocation *invocation)
{
	struct record record = {.path = invocation->arguments[0]};
	struct failure error = { 0 };
	struct ending_signals signals;
	struct recording_sums sums;
	unsigned pid;
	enum exit_code code = check_process(invocation->argument_count > 1 ? invocation->arguments[1] : NULL, &pid);

	if (code == EXIT_OK)
		code = attach_permitted();
	if (code == EXIT_OK)
		code = check_output(record.path);
	if (code == EXIT_OK && !signals_catch(&signals))
		code = EXIT_FAILED;
	if (code != EXIT_OK)
		return code;
	code = record_begin(&record, pid);
	if (code == EXIT_OK) {
		fprintf(stderr, "gpulinkctl: watching %u libgpulink\n", record.attached.libraries);
		code = record_until_end(&record, &signals, invocation->seconds);
	}
	if (code == EXIT_OK && recording_write(record.recording, record.path, &sums, &error)) {
		complain("%s", error.text);
		code = EXIT_FAILED;
	}
	if (code == EXIT_OK)
		code = print_sums(&record, &sums, invocation->json);
	end(&record);
	return code;
}
