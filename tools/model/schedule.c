// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-model goal: a trace as a schedule in GOAL. Each GPU is a rank; in each phase it computes for the trace's time (ps),
 * then sends each other GPU one message with all bytes that it stored there, and receives theirs. The next phase begins when
 * these are done: a barrier becomes the dependencies on the messages of its phase.
 */
#include "predict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <goal.h>
#include <option_value.h>

#include "phases.h"

enum { TRACE = 256 };

static int schedule_add(struct goal_rank *rank, struct goal_op op)
{
	snprintf(op.label, sizeof(op.label), "l%u", rank->op_count + 1);
	return goal_add(rank, &op);
}

static int add_behind(struct goal_rank *rank, struct goal_op op, uint32_t before)
{
	int error = schedule_add(rank, op);

	return error ? error : goal_require(rank, &(struct goal_edge){ .before = before, .after = rank->op_count - 1 });
}

/* The messages of a rank in a phase, which require operation `after`. */
static int add_messages(struct goal_rank *rank, const struct phases *p, size_t phase, uint32_t me, uint32_t after)
{
	const struct phase_pair *pairs = p->phase[phase].pairs;
	int error = 0;

	for (uint32_t other = 0; !error && other < p->gpus; other++) {
		uint64_t out = pairs[me * p->gpus + other].bytes, in = pairs[other * p->gpus + me].bytes;
		struct goal_op op = { .peer = other, .tag = (uint32_t)phase };

		if (!error && out) {
			op.kind = GOAL_SEND;
			op.size = out;
			error = add_behind(rank, op, after);
		}
		if (!error && in) {
			op.kind = GOAL_RECV;
			op.size = in;
			error = add_behind(rank, op, after);
		}
	}
	return error;
}

static int add_phase(struct goal_rank *rank, const struct phases *p, size_t phase, uint32_t me, uint32_t *first)
{
	uint32_t calc = rank->op_count;
	int error = schedule_add(rank, (struct goal_op){ .kind = GOAL_CALC, .size = p->phase[phase].compute_ps });

	for (uint32_t before = *first; !error && before < calc; before++)
		error = goal_require(rank, &(struct goal_edge){ .before = before, .after = calc });
	*first = calc;
	return error ? error : add_messages(rank, p, phase, me, calc);
}

static int schedule_make(struct goal *goal, const struct phases *p)
{
	int error = goal_init(goal, p->gpus);

	for (uint32_t rank = 0; !error && rank < p->gpus; rank++) {
		uint32_t first = 0; /* operation of the phase before */

		for (size_t phase = 0; !error && phase < p->count; phase++)
			error = add_phase(&goal->ranks[rank], p, phase, rank, &first);
	}
	return error;
}

static int schedule_take(void *user, int option, const char *value)
{
	if (option == TRACE)
		*(const char **)user = value;
	return option == TRACE ? 0 : -1;
}

static const struct option_command command = {
	.name = "goal",
	.known = (const struct option[]){ { "trace", required_argument, NULL, TRACE },
					  { "help", no_argument, NULL, 'h' },
					  { 0 } },
	.take = schedule_take,
	.help = "usage: gpulink-model goal --trace FILE\n"
		"Writes a trace as a GOAL schedule for gpulink-model simulate and LogGOPSim, in picoseconds: per phase a rank\n"
		"computes, then exchanges one message with each GPU to which it stored.\n"
		"  --trace FILE  of gpulink-replay record, or another that gpulink-replay reads\n"
		"  -h, --help    show this help and exit\n",
};

int goal_command(int argc, char **argv)
{
	struct failure error = { 0 };
	const char *trace = NULL;
	struct goal goal = { 0 };
	struct phases phases = { .entries = PHASE_ENTRIES_MAX, .payload = 4096 };
	int status = option_read_all(argc, argv, &command, &trace);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (!trace) {
		fputs("gpulink-model: goal: --trace is required\n", stderr);
		return 2;
	}
	if (phases_read(&phases, trace, &error)) {
		fprintf(stderr, "gpulink-model: %s\n", error.text);
		return EXIT_FAILURE;
	}
	status = schedule_make(&goal, &phases);
	if (!status)
		goal_write(stdout, &goal);
	goal_free(&goal);
	phases_free(&phases);
	if (status)
		fprintf(stderr, "gpulink-model: %s: %s\n", trace, strerror(-status));
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
