// SPDX-License-Identifier: Apache-2.0
#include "watch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <json-c/json.h>

#include "result.h"
#include "watch.skel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELD(type, member) {#member, offsetof(struct type, member), sizeof(((struct type *)0)->member)}

static const char *const latency_probes[] = {"release_begin", "release_end", "wait_begin", "wait_end", NULL};
static const char *const operation_probes[] = {"store", "put", "load", "get", "atomic", "failed", NULL};

static const struct attach_field release_fields[] = {FIELD(watch_tp_release_end, result), FIELD(watch_tp_release_end, ns), {0}};
static const struct attach_field drain_fields[] = {FIELD(watch_tp_drain, result), FIELD(watch_tp_drain, ns), {0}};

static enum exit_code watch_load(struct watch *watch, unsigned pid, bool operations)
{
	int error;

	watch->programs = watch_bpf__open();
	if (!watch->programs)
		return attach_load_failed(-errno);
	watch->programs->rodata->only_pid = pid;
	watch->programs->rodata->by_process = operations;
	for (const char *const *name = operation_probes; *name && !operations; name++) {
		char program[64] = "on_";

		strcat(program, *name);
		bpf_program__set_autoload(bpf_object__find_program_by_name(watch->programs->obj, program), false);
	}
	error = watch_bpf__load(watch->programs);
	return error ? attach_load_failed(error) : EXIT_OK;
}

enum exit_code watch_begin(struct watch *watch, unsigned pid, bool operations)
{
	enum exit_code code = attach_permitted();

	memset(watch, 0, sizeof(*watch));
	if (code == EXIT_OK)
		code = watch_load(watch, pid, operations);
	if (code == EXIT_OK)
		code = attach_tracepoint(&watch->attached, watch->programs->progs.on_driver_release, "gpulink_release_end",
					 release_fields);
	if (code == EXIT_OK)
		code = attach_tracepoint(&watch->attached, watch->programs->progs.on_drain, "gpulink_drain", drain_fields);
	if (code == EXIT_OK && operations)
		code = attach_probes(&watch->attached, watch->programs->obj, operation_probes);
	if (code == EXIT_OK) {
		watch->attached.libraries = 0;
		code = attach_probes(&watch->attached, watch->programs->obj, latency_probes);
	}
	return code;
}

void watch_end(struct watch *watch)
{
	attach_end(&watch->attached);
	watch_bpf__destroy(watch->programs);
	watch->programs = NULL;
}

void watch_get_losses(const struct watch *watch, struct watch_losses *losses)
{
	losses->processes = watch->programs->bss->lost[WATCH_LOST_PROCESS];
	losses->starts = watch->programs->bss->lost[WATCH_LOST_START];
	losses->skipped = attach_skipped(watch->programs->obj);
}

void watch_print_losses(const struct watch_losses *losses)
{
	printf("lost: %" PRIu64 " (more than %d processes), %" PRIu64 " (no memory), %" PRIu64 " (skipped by the kernel)\n",
	       losses->processes, WATCH_PROCESSES, losses->starts, losses->skipped);
}

struct json_object *watch_losses_json(const struct watch_losses *losses)
{
	struct json_object *lost = json_object_new_object();

	if (put_number(lost, "processes", losses->processes) && put_number(lost, "starts", losses->starts) &&
	    put_number(lost, "skipped", losses->skipped))
		return lost;
	json_object_put(lost);
	return NULL;
}

void watch_each_latency(const struct watch *watch,
			bool (*take)(const struct watch_id *id, struct watch_latency *latency, void *context), void *context)
{
	int map = bpf_map__fd(watch->programs->maps.latencies);
	struct watch_latency latency;
	struct watch_id id, *previous = NULL;

	for (; !bpf_map_get_next_key(map, previous, &id); previous = &id)
		if (!bpf_map_lookup_elem(map, &id, &latency) && !take(&id, &latency, context))
			return;
}

void watch_each_process(const struct watch *watch,
			bool (*take)(const struct watch_id *id, struct watch_process *process, void *context), void *context)
{
	int map = bpf_map__fd(watch->programs->maps.processes);
	struct watch_process process;
	struct watch_id id, *previous = NULL;

	for (; !bpf_map_get_next_key(map, previous, &id); previous = &id)
		if (!bpf_map_lookup_elem(map, &id, &process) && !take(&id, &process, context))
			return;
}

void watch_forget(const struct watch *watch, const struct watch_id *id)
{
	struct watch_id key = *id;

	for (key.kind = 0; key.kind < WATCH_KINDS; key.kind++)
		bpf_map_delete_elem(bpf_map__fd(watch->programs->maps.latencies), &key);
	key.kind = 0;
	bpf_map_delete_elem(bpf_map__fd(watch->programs->maps.processes), &key);
}
