/* SPDX-License-Identifier: Apache-2.0 */
/* What the BPF programs and their readers share. Needs fixed-size types (uint64_t, ...) before it. */
#ifndef GPULINKCTL_TRACE_SHARED_H
#define GPULINKCTL_TRACE_SHARED_H

#define WATCH_PROCESSES	 512
#define WATCH_NAME_BYTES 16 /* TASK_COMM_LEN */

/* Latencies: in nanoseconds, in 8 slots an octave, so that a value is known to one eighth. The last slot has all above 2^40. */
#define WATCH_SLOT_BITS	   3
#define WATCH_OCTAVES_MAX  40
#define WATCH_SLOTS	   ((WATCH_OCTAVES_MAX - WATCH_SLOT_BITS + 1) << WATCH_SLOT_BITS)

enum watch_kind {
	WATCH_RELEASE,	      /* gpulink_release() */
	WATCH_WAIT,	      /* gpulink_wait() */
	WATCH_RELEASE_DRIVER, /* by ioctl */
	WATCH_DRAIN,
	WATCH_KINDS,
};

/* The start time distinguishes processes that had one id after the other. */
struct watch_id {
	uint64_t start_ns;
	uint32_t pid;
	uint32_t kind; /* of a latency; else 0 */
};

struct watch_latency {
	uint64_t count, failed, sum_ns, max_ns;
	uint64_t slots[WATCH_SLOTS];
};

struct watch_process {
	char name[WATCH_NAME_BYTES];
	uint64_t cgroup;
	uint64_t stores, store_bytes, puts, put_bytes, loads, gets, atomics;
	uint64_t failed; /* operations that completed with an error */
};

/* What was not counted, and why. */
enum watch_loss {
	WATCH_LOST_PROCESS, /* more than WATCH_PROCESSES processes */
	WATCH_LOST_START,   /* no memory for the start of a call */
	WATCH_LOST_RECORD,  /* the reader of a recording was too slow */
	WATCH_LOSSES,
};

/* Tracepoints of the driver; watch_check_format() compares them with the running driver's. */
struct watch_tp_release_end {
	uint64_t common;
	uint32_t card, context;
	int32_t result;
	uint64_t ns;
};

struct watch_tp_drain {
	uint64_t common;
	uint32_t card, kind, id;
	int32_t result;
	uint64_t ns;
};

/* One operation of a recorded process. */
enum watch_operation { WATCH_STORE, WATCH_LOAD, WATCH_ATOMIC, WATCH_OP_RELEASE, WATCH_OP_ADDRESS };

struct watch_record {
	uint64_t time_ns, start_ns, queue, address, bytes;
	uint32_t pid;
	uint16_t partition;
	uint16_t operation;
};

#endif /* GPULINKCTL_TRACE_SHARED_H */
