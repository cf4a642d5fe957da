/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that the BPF programs make, by process. */
#ifndef GPULINKCTL_TRACE_WATCH_H
#define GPULINKCTL_TRACE_WATCH_H

#include "attach.h"
#include "histogram.h"

struct watch_bpf;

struct watch {
	struct watch_bpf *programs;
	struct attached attached;
};

/** Starts to sum up the latencies of all processes, or of one (`pid` not 0); if `operations`, by process, and to count their
 * operations. Ended by watch_end() also after a failure. */
enum exit_code watch_begin(struct watch *watch, unsigned pid, bool operations);
void watch_end(struct watch *watch);

/** What was not counted. */
struct watch_losses {
	uint64_t processes; /**< operations and calls of processes beyond the first WATCH_PROCESSES */
	uint64_t starts;    /**< calls whose start could not be stored */
	uint64_t skipped;   /**< by the kernel */
};

void watch_get_losses(const struct watch *watch, struct watch_losses *losses);
void watch_print_losses(const struct watch_losses *losses);
struct json_object *watch_losses_json(const struct watch_losses *losses);

/** Calls `take` for each latency, or process, until it returns false. The value is the callee's to change. */
void watch_each_latency(const struct watch *watch,
			bool (*take)(const struct watch_id *id, struct watch_latency *latency, void *context), void *context);
void watch_each_process(const struct watch *watch,
			bool (*take)(const struct watch_id *id, struct watch_process *process, void *context), void *context);

/** Makes room for others: a process that has ended. */
void watch_forget(const struct watch *watch, const struct watch_id *id);

#endif /* GPULINKCTL_TRACE_WATCH_H */
