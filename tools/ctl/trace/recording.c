// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <trace.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_NS  1000u
#define LINE_BYTES 128u

/* A process of the trace. */
struct source {
	uint64_t start_ns;
	uint32_t pid;
	uint64_t stored_to; /* partitions, by their order, since its last release */
	uint64_t time_ps;
};

struct recording {
	FILE *records; /* the number of GPUs, which a trace begins with, is known at the end */
	uint64_t begin_ns;
	unsigned sources, partitions;
	struct source source[REPLAY_GPUS_MAX];
	uint16_t partition[REPLAY_GPUS_MAX];
	struct recording_sums *sums;
	struct replay_sink sink;
};

struct recording *recording_begin(void)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	recording->records = tmpfile();
	if (recording->records)
		return recording;
	free(recording);
	return NULL;
}

void recording_end(struct recording *recording)
{
	if (!recording)
		return;
	fclose(recording->records);
	free(recording);
}

/* The number of a record's process, or -1. */
static int find_source(const struct recording *recording, const struct watch_record *record)
{
	for (unsigned i = 0; i < recording->sources; i++)
		if (recording->source[i].pid == record->pid && recording->source[i].start_ns == record->start_ns)
			return (int)i;
	return -1;
}

static int find_partition(const struct recording *recording, const struct watch_record *record)
{
	for (unsigned i = 0; i < recording->partitions; i++)
		if (recording->partition[i] == record->partition)
			return (int)i;
	return -1;
}

/* Gives GPUs to the record's process and partition, while there are any. */
static void number_gpus(struct recording *recording, const struct watch_record *record)
{
	if (find_source(recording, record) < 0 && recording->sources + recording->partitions < REPLAY_GPUS_MAX)
		recording->source[recording->sources++] = (struct source){.start_ns = record->start_ns, .pid = record->pid};
	if (find_partition(recording, record) < 0 && recording->sources + recording->partitions < REPLAY_GPUS_MAX)
		recording->partition[recording->partitions++] = record->partition;
}

static bool has_range(const struct watch_record *record)
{
	return record->operation != WATCH_OP_RELEASE && record->operation != WATCH_OP_ADDRESS;
}

int recording_add(struct recording *recording, const struct watch_record *record)
{
	if (!recording->begin_ns)
		recording->begin_ns = record->time_ns;
	if (has_range(record))
		number_gpus(recording, record);
	return fwrite(record, sizeof(*record), 1, recording->records) == 1 ? 0 : -errno;
}

static int recording_push(struct recording *recording, const struct replay_op *op)
{
	recording->sums->operations++;
	return recording->sink.take(recording->sink.user, op, 1);
}

/* An operation for each line of 128 bytes. */
static int write_range(struct recording *recording, const struct watch_record *record, struct replay_op *op)
{
	static const uint8_t kinds[] = {
		[WATCH_STORE] = REPLAY_STORE, [WATCH_LOAD] = REPLAY_LOAD, [WATCH_ATOMIC] = REPLAY_ATOMIC
	};
	uint64_t address = record->address, left = record->bytes;
	int error = 0;

	op->kind = kinds[record->operation];
	for (uint64_t bytes; left && !error; address += bytes, left -= bytes) {
		bytes = LINE_BYTES - address % LINE_BYTES;
		bytes = bytes < left ? bytes : left;
		op->address = address;
		op->size = (uint32_t)bytes;
		error = recording_push(recording, op);
	}
	return error;
}

static int write_release(struct recording *recording, struct source *source, struct replay_op *op)
{
	int error = 0;

	op->kind = REPLAY_RELEASE;
	for (unsigned k = 0; k < recording->partitions && !error; k++) {
		op->destination = (uint8_t)(recording->sources + k);
		if (source->stored_to >> k & 1)
			error = recording_push(recording, op);
	}
	source->stored_to = 0;
	return error;
}

/* Threads pass their records in another order than that of their times. */
static uint64_t time_of(const struct recording *recording, const struct watch_record *record, struct source *source)
{
	uint64_t time_ps = record->time_ns < recording->begin_ns ? 0 : (record->time_ns - recording->begin_ns) * PS_PER_NS;

	if (time_ps > source->time_ps)
		source->time_ps = time_ps;
	return source->time_ps;
}

static int write_record(struct recording *recording, const struct watch_record *record)
{
	int number = find_source(recording, record), partition = has_range(record) ? find_partition(recording, record) : 0;
	struct replay_op op = {0};
	struct source *source;

	if (record->operation == WATCH_OP_ADDRESS) {
		recording->sums->addresses++;
		return 0;
	}
	if (number < 0 || partition < 0 || record->operation > WATCH_OP_ADDRESS) {
		recording->sums->left_out += has_range(record); /* a release without stores releases nothing */
		return 0;
	}
	source = &recording->source[number];
	op.time_ps = time_of(recording, record, source);
	op.source = (uint8_t)number;
	op.destination = (uint8_t)(recording->sources + (unsigned)partition);
	if (!has_range(record))
		return write_release(recording, source, &op);
	if (record->operation != WATCH_LOAD)
		source->stored_to |= UINT64_C(1) << partition;
	return write_range(recording, record, &op);
}

static int write_records(struct recording *recording)
{
	struct watch_record record;
	int error = 0;

	rewind(recording->records);
	while (!error && fread(&record, sizeof(record), 1, recording->records) == 1)
		error = write_record(recording, &record);
	return error ? error : ferror(recording->records) ? -EIO : 0;
}

int recording_write(struct recording *recording, const char *path, struct recording_sums *sums, struct failure *error)
{
	struct replay_trace_writer *writer;
	/* A trace has a GPU at least. */
	unsigned gpus = recording->sources ? recording->sources + recording->partitions : 1;
	int status;

	memset(sums, 0, sizeof(*sums));
	sums->processes = recording->sources;
	sums->partitions = recording->partitions;
	recording->sums = sums;
	status = fflush(recording->records) ? -errno : 0;
	if (status)
		return failure_set(error, status, "temporary file: %s", strerror(-status));
	status = replay_trace_writer_open(&writer, path, gpus, error);
	if (status)
		return status;
	recording->sink = replay_trace_writer_sink(writer);
	failure_set(error, -EIO, "temporary file: %s", strerror(EIO));
	return replay_trace_writer_close(writer, write_records(recording), error);
}
