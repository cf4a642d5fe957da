// SPDX-License-Identifier: Apache-2.0
/*
 * PyTorch's profiler and its execution traces, which Chakra takes: each collective of a rank is a `record_param_comms` with its
 * name, type, elements and group. In profiles it is an event of "traceEvents" with a time; in execution traces a node of
 * "nodes" with attributes, in order, without one. And the JSON of rocprofv3, whose copies between two GPUs are taken.
 */
#include <errno.h>
#include <json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../trace/input.h"
#include "../trace/message.h"
#include "import.h"

enum { PIECE = 1 << 16, DEPTH = 64 };

/* The fields of a collective; of other members they are NULL. */
struct comms {
	struct json_object *name, *type, *in, *out, *group, *root;
};

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, name, &value);
	return value;
}

static bool is(struct json_object *text, const char *word)
{
	return json_object_is_type(text, json_type_string) && strcmp(json_object_get_string(text), word) == 0;
}

static uint64_t count_of(struct json_object *number)
{
	int64_t value = json_object_is_type(number, json_type_int) ? json_object_get_int64(number) : 0;

	return value > 0 ? (uint64_t)value : 0;
}

static int take_comms(const struct comms *c, double time_us, struct import_events *events, struct failure *error)
{
	const char *name = json_object_is_type(c->name, json_type_string) ? json_object_get_string(c->name) : "";
	const char *type = json_object_is_type(c->type, json_type_string) ? json_object_get_string(c->type) : "";
	struct import_event event = { .kind = IMPORT_COPY };
	uint64_t elements = count_of(c->in), size = import_type_bytes(type), group = count_of(c->group);

	if (!elements && !count_of(c->out)) /* wait, barrier */
		return 0;
	if (!import_collective(name, &event.kind) || !size || !group) {
		events->skipped++;
		return 0;
	}
	if (event.kind == IMPORT_REDUCE_SCATTER)
		elements = count_of(c->out);
	if (elements > UINT64_MAX / 8 || group > REPLAY_GPUS_MAX || !(time_us >= 0 && time_us < 9e12)) /* 9e18 ps */
		return failure_set(error, -EINVAL,
				   "a collective of more than 2^61 elements, with more than %d GPUs, or at %g us",
				   REPLAY_GPUS_MAX, time_us);
	event.time_ps = (uint64_t)(time_us * 1e6);
	event.bytes = elements * size;
	event.group = (unsigned)group;
	event.source = (unsigned)count_of(c->root) < event.group ? (unsigned)count_of(c->root) : 0;
	return import_add(events, &event, error);
}

/* The earliest time, which becomes 0: those of PyTorch are of the day, or of the epoch. */
static double first_time(struct json_object *list)
{
	double first = INFINITY;

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *event = json_object_array_get_idx(list, i);

		if (is(member(event, "name"), "record_param_comms"))
			first = fmin(first, json_object_get_double(member(event, "ts")));
	}
	return first;
}

static int profile(struct json_object *list, struct import_events *events, struct failure *error)
{
	double first = first_time(list);
	int rc = 0;

	for (size_t i = 0; i < json_object_array_length(list) && !rc; i++) {
		struct json_object *event = json_object_array_get_idx(list, i), *args = member(event, "args");
		struct comms c = { .name = member(args, "Collective name"),
				   .type = member(args, "dtype"),
				   .in = member(args, "In msg nelems"),
				   .out = member(args, "Out msg nelems"),
				   .group = member(args, "Group size"),
				   .root = member(args, "Root rank") };

		if (is(member(event, "name"), "record_param_comms"))
			rc = take_comms(&c, json_object_get_double(member(event, "ts")) - first, events, error);
	}
	return rc;
}

/* The value of an attribute. */
static struct json_object *attribute(struct json_object *node, const char *name)
{
	struct json_object *list = member(node, "attrs");

	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++)
		if (is(member(json_object_array_get_idx(list, i), "name"), name))
			return member(json_object_array_get_idx(list, i), "value");
	return NULL;
}

static int nodes(struct json_object *list, struct import_events *events, struct failure *error)
{
	int rc = 0;

	for (size_t i = 0; i < json_object_array_length(list) && !rc; i++) {
		struct json_object *node = json_object_array_get_idx(list, i);
		struct comms c;

		if (!is(member(node, "name"), "record_param_comms"))
			continue;
		c = (struct comms){ .name = attribute(node, "collective_name"), .type = attribute(node, "dtype"),
				    .in = attribute(node, "in_msg_nelems"), .out = attribute(node, "out_msg_nelems"),
				    .group = attribute(node, "pg_size") };
		rc = take_comms(&c, 0, events, error);
	}
	return rc;
}

/* rocprofv3 numbers CPUs and GPUs as one: a GPU's number is its place among the GPUs. -1: it is none. */
static int agent_gpu(struct json_object *agents, struct json_object *id)
{
	enum { GPU = 2 };
	struct json_object *handle = member(id, "handle");
	int gpu = 0;

	for (size_t i = 0; handle && i < json_object_array_length(agents); i++) {
		struct json_object *agent = json_object_array_get_idx(agents, i);

		if (json_object_get_int(member(agent, "type")) != GPU)
			continue;
		if (json_object_equal(member(member(agent, "id"), "handle"), handle))
			return gpu;
		gpu++;
	}
	return -1;
}

static int rocprof_process(struct json_object *process, struct import_events *events, struct failure *error)
{
	struct json_object *list = member(member(process, "buffer_records"), "memory_copy"),
			   *agents = member(process, "agents");
	int rc = 0;

	if (!json_object_is_type(list, json_type_array) || !json_object_is_type(agents, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list) && !rc; i++) {
		struct json_object *copy = json_object_array_get_idx(list, i);
		int from = agent_gpu(agents, member(copy, "src_agent_id")),
		    to = agent_gpu(agents, member(copy, "dst_agent_id"));
		uint64_t start = count_of(member(copy, "start_timestamp"));

		if (from < 0 || to < 0)
			continue;
		if (start > UINT64_MAX / 1000)
			return failure_set(error, -EINVAL, "a copy at more than 2^64 ps");
		rc = import_add(events,
				&(struct import_event){ .kind = IMPORT_COPY,
							.time_ps = start * 1000,
							.bytes = count_of(member(copy, "bytes")),
							.source = (unsigned)from,
							.destination = (unsigned)to },
				error);
	}
	return rc;
}

/* A list of processes, or only one. */
static int rocprof(struct json_object *tool, struct import_events *events, struct failure *error)
{
	int rc = 0;

	if (!json_object_is_type(tool, json_type_array))
		return rocprof_process(tool, events, error);
	for (size_t i = 0; i < json_object_array_length(tool) && !rc; i++)
		rc = rocprof_process(json_object_array_get_idx(tool, i), events, error);
	return rc;
}

static int import_json_take(const char *path, struct json_object *top, struct import_events *events, struct failure *error)
{
	struct json_object *list = member(top, "traceEvents");

	if (json_object_is_type(list, json_type_array))
		return profile(list, events, error);
	list = member(top, "nodes");
	if (json_object_is_type(list, json_type_array))
		return nodes(list, events, error);
	if (member(top, "rocprofiler-sdk-tool"))
		return rocprof(member(top, "rocprofiler-sdk-tool"), events, error);
	if (member(top, "workload_graph"))
		return failure_set(error, -EINVAL,
				   "%s: Chakra's JSON view has no sizes of collectives: convert PyTorch's execution trace",
				   trace_name(path));
	return failure_set(
		error, -EINVAL,
		"%s: JSON with none of \"traceEvents\" (PyTorch's profiler), \"nodes\" (execution traces), \"rocprofiler-sdk-tool\"",
		trace_name(path));
}

int import_json(const char *path, struct import_events *events, struct failure *error)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
	struct json_object *top = NULL;
	struct trace_input in;
	int rc;

	if (!tokener)
		return failure_set(error, -ENOMEM, "out of memory");
	rc = trace_input_open(&in, path, error);
	if (rc) {
		json_tokener_free(tokener);
		return rc;
	}
	while (!top && !(rc = trace_input_more(&in, PIECE, error)) && trace_input_left(&in)) {
		size_t bytes = trace_input_left(&in) < PIECE ? trace_input_left(&in) : PIECE;

		top = json_tokener_parse_ex(tokener, (const char *)in.bytes + in.next, (int)bytes);
		if (!top && json_tokener_get_error(tokener) != json_tokener_continue)
			break;
		trace_input_skip(&in, bytes);
	}
	if (!rc && !top)
		rc = failure_set(error, -EINVAL, "%s: byte %llu or later: JSON: %s", in.name, (unsigned long long)in.offset,
				 json_tokener_error_desc(json_tokener_get_error(tokener)));
	if (!rc)
		rc = import_json_take(path, top, events, error);
	json_object_put(top);
	json_tokener_free(tokener);
	trace_input_close(&in);
	return rc;
}
