// SPDX-License-Identifier: Apache-2.0
/*
 * card-runs TRACE: clocks that the model of time has for a trace when each GPU has a card of its own and stores as fast as the
 * card takes them, as card-loggop measures on the Verilog: the three packet forms.
 */
#include <inttypes.h>
#include <stdio.h>

#include "paradigm/comparison.h"
#include "trace/trace.h"

enum { MHZ = 250, READ_CLOCKS = 100 };

static const struct paradigm *const forms[] = { &paradigm_finepack, &paradigm_packing, &paradigm_packing_compact, NULL };

/* As if computing took no time. */
static int take(void *user, const struct replay_op *ops, size_t count)
{
	struct replay_sink sink = comparison_sink(user);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct replay_op op = ops[i];

		op.time_ps = 0;
		error = sink.take(sink.user, &op, 1);
	}
	return error;
}

static int play(struct replay_trace *trace, struct failure *error)
{
	unsigned gpus = replay_trace_info(trace)->gpus;
	struct timing_setting timing = { .bytes_per_second = 1e15,
					 .buffer_bytes = 1 << 30,
					 .topology = TOPOLOGY_CARD,
					 .card = { .mhz = MHZ, .read_ps = READ_CLOCKS * 1000000 / MHZ, .count = gpus } };
	struct setting setting = {
		.link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5, .topology = TOPOLOGY_CARD
	};
	struct comparison *c = comparison_create(gpus, &setting, forms, &timing);
	int status = -1;

	if (c)
		status = replay_trace_run(trace, (struct replay_sink){ .take = take, .user = c }, error);
	if (!status)
		status = comparison_end(c);
	for (unsigned i = 0; !status && forms[i]; i++)
		printf("%.0f\n", (double)comparison_result(c, i).time_ps * MHZ / 1e6);
	comparison_free(c);
	return status;
}

int main(int argc, char **argv)
{
	struct failure error = { 0 };
	struct replay_trace *trace;
	int status = argc == 2 ? replay_trace_open(&trace, argv[1], &error) : -1;

	if (!status) {
		status = play(trace, &error);
		replay_trace_close(trace);
	}
	if (status)
		fprintf(stderr, "card-runs: %s\n", error.text[0] ? error.text : "failed; usage: card-runs TRACE");
	return status != 0;
}
