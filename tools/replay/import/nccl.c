// SPDX-License-Identifier: Apache-2.0
/*
 * NCCL's log with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL. Each rank logs each collective:
 *   host:pid:tid [0] NCCL INFO AllReduce: opCount 5 sendbuff 0x.. recvbuff 0x.. count 1024 datatype 7 op 0 root 0 comm 0x..
 * [nranks=2] stream 0x.. The device in brackets is the rank of one machine. Collectives of several ranks with one name and
 * number are one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import.h"
#include "lines.h"

/* What of a log is not repeated by further ranks: those of the first device. */
struct log {
	struct lines lines;
	bool any;
	unsigned device;
};

static int nccl_take(struct log *log, const char *text, const char *said, struct import_events *events, struct failure *error)
{
	struct import_event event = { .kind = IMPORT_COPY };
	unsigned long long operation, count;
	unsigned type, root, ranks, device = 0;
	const char *bracket = said;
	char name[32];

	if (sscanf(said,
		   "NCCL INFO %31[A-Za-z]: opCount %16llx sendbuff %*s recvbuff %*s count %19llu datatype %9u op %*d root %9u comm %*s [nranks=%9u]",
		   name, &operation, &count, &type, &root, &ranks) != 6)
		return 0;
	while (bracket > text && *bracket != '[')
		bracket--;
	if (sscanf(bracket, "[%9u]", &device) != 1)
		return lines_wrong(&log->lines, error, "a collective without its device in brackets");
	if (log->any && device != log->device)
		return 0;
	log->any = true;
	log->device = device;
	if (!import_collective(name, &event.kind)) {
		events->skipped++;
		return 0;
	}
	if (!import_nccl_type_bytes(type) || count > UINT64_MAX / 8)
		return lines_wrong(&log->lines, error, "a datatype must be 0 to 11, and a count below 2^61");
	event.bytes = count * import_nccl_type_bytes(type);
	if (event.kind == IMPORT_ALL_TO_ALL)
		event.bytes *= ranks <= REPLAY_GPUS_MAX ? ranks : 0;
	event.source = root;
	event.group = ranks;
	return import_add(events, &event, error);
}

int import_nccl(const char *path, struct import_events *events, struct failure *error)
{
	struct log log = { .any = false };
	int rc = lines_open(&log.lines, path, error);

	if (rc)
		return rc;
	while ((rc = lines_next(&log.lines, error)) > 0) {
		const char *said = strstr(log.lines.text, "NCCL INFO ");

		rc = said ? nccl_take(&log, log.lines.text, said, events, error) : 0;
		if (rc)
			break;
	}
	lines_close(&log.lines);
	return rc;
}
