// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "paradigm/parallel.h"
#include "synthetic.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* Shows the progress of a long run on a terminal. */
struct progress {
	struct replay_sink to;
	const struct replay_trace_info *trace; /* or NULL */
	struct run_watch *watch;	       /* or NULL */
	uint64_t operations, next_look, told;
	double start, last;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void progress_print(struct progress *p, double now)
{
	double rate = (double)p->operations / (now - p->start) / 1e6;

	if (p->trace && p->trace->file_bytes)
		fprintf(stderr, "\r%5.1f %%, ", 100 * (double)p->trace->read_bytes / (double)p->trace->file_bytes);
	else
		fputc('\r', stderr);
	fprintf(stderr, "%" PRIu64 " operations, %.1f million a second ", p->operations, rate);
}

static void run_tell(struct progress *p)
{
	bool known = p->trace && p->trace->file_bytes;

	p->watch->played(p->watch, p->operations - p->told,
			 known ? (double)p->trace->read_bytes / (double)p->trace->file_bytes : 0);
	p->told = p->operations;
}

static void run_look(struct progress *p)
{
	double now;

	if (p->watch) {
		run_tell(p);
		return;
	}
	now = seconds_now();
	if (now - p->last >= 0.5) {
		p->last = now;
		progress_print(p, now);
	}
}

static int run_take(void *user, const struct replay_op *ops, size_t count)
{
	enum { LOOK_EVERY = 1 << 19 };
	struct progress *p = user;

	p->operations += count;
	if (p->operations >= p->next_look) {
		p->next_look = p->operations + LOOK_EVERY;
		run_look(p);
	}
	return p->to.take(p->to.user, ops, count);
}

/* Adds progress output to the sink when standard error is a terminal, or a watch. */
static struct replay_sink with_progress(struct progress *p, struct replay_sink to, const struct replay_trace_info *trace,
					struct run_watch *watch)
{
	*p = (struct progress){ .to = to, .trace = trace, .watch = watch, .start = seconds_now() };
	p->last = p->start;
	return watch || isatty(STDERR_FILENO) ? (struct replay_sink){ .take = run_take, .user = p } : to;
}

static void end_progress(struct progress *p)
{
	if (p->watch)
		run_tell(p);
	else if (p->last != p->start)
		fputs("\r\033[K", stderr);
}

/* The source of the stream. */
struct source {
	int (*push)(void *user, struct replay_sink to, struct failure *error);
	void *user;
	const struct replay_trace_info *trace; /* or NULL */
};

/* Ends a stream after so many operations. */
struct limit {
	struct replay_sink to;
	uint64_t left;
};

static int take_some(void *user, const struct replay_op *ops, size_t count)
{
	struct limit *l = user;

	if (!l->left)
		return -ECANCELED;
	if (count > l->left)
		count = l->left;
	l->left -= count;
	return l->to.take(l->to.user, ops, count);
}

static int run_push(const struct options *o, const struct source *source, struct replay_sink to, struct failure *error)
{
	struct limit limit = { .to = to, .left = o->limit };
	struct progress progress;
	int status;

	if (o->limit)
		to = (struct replay_sink){ .take = take_some, .user = &limit };
	status = source->push(source->user, with_progress(&progress, to, source->trace, o->watch), error);
	end_progress(&progress);
	return status == -ECANCELED && o->limit && !limit.left ? 0 : status;
}

static int play_alone(const struct options *o, struct found *found, const struct source *source, struct failure *error)
{
	const struct timing_setting *timing = o->timed ? &o->timing : NULL;
	struct comparison *c = comparison_create(found->gpus, &o->setting, o->paradigms, timing);
	int status;

	if (!c)
		return -ENOMEM;
	if (o->costs && comparison_count_costs(c)) {
		comparison_free(c);
		return -ENOMEM;
	}
	if (o->agents) {
		found->agents = agents_create(found->gpus, &o->setting, timing, o->agents, o->agent_count);
		if (!found->agents) {
			comparison_free(c);
			return -ENOMEM;
		}
		comparison_feed(c, found->agents);
	}
	status = run_push(o, source, comparison_sink(c), error);
	if (!status)
		status = comparison_end(c);
	found->comparison = c;
	if (status)
		run_free(found);
	return status;
}

static int play_parallel(const struct options *o, struct found *found, const struct source *source, struct failure *error)
{
	struct parallel *p = parallel_create(o->jobs, found->gpus, &o->setting, o->paradigms);
	int status, ended;

	if (!p)
		return -ENOMEM;
	status = run_push(o, source, parallel_sink(p), error);
	ended = parallel_end(p, &found->comparison);
	if (status && !ended)
		run_free(found);
	return status ? status : ended;
}

static int run_play(const struct options *o, struct found *found, const struct source *source, struct failure *error)
{
	return o->jobs > 1 ? play_parallel(o, found, source, error) : play_alone(o, found, source, error);
}

struct workload_source {
	const struct replay_workload *workload;
	struct replay_workload_options options;
	struct replay_workload_info info;
};

static int run_workload(void *user, struct replay_sink to, struct failure *error)
{
	struct workload_source *w = user;

	return replay_workload_run(w->workload, &w->options, to, &w->info, error);
}

static int count_phases(void *phases, const struct replay_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*(uint64_t *)phases += ops[i].kind == REPLAY_BARRIER;
	return 0;
}

/* The same workload on one GPU, which sends nothing. */
static int time_on_one_gpu(struct workload_source *w, const struct timing_setting *timing, uint64_t *time_ps,
			   struct failure *error)
{
	uint64_t phases = 0;
	int status;

	w->options.gpus = 1;
	status = run_workload(w, (struct replay_sink){ .take = count_phases, .user = &phases }, error);
	*time_ps = timing_scaled(timing, w->info.compute_ps, phases);
	return status;
}

static int find_workload(const struct stream_options *o, struct workload_source *w, struct failure *error)
{
	*w = (struct workload_source){
		.workload = replay_workload_find(o->workload),
		.options = { .input = o->input, .gpus = o->gpus, .iterations = o->iterations, .element = o->element,
			     .size = o->size, .seed = o->seed, .halo_copies = o->halo_copies },
	};
	if (w->workload)
		return 0;
	return failure_set(error, -EINVAL, "--workload %s: unknown workload; see gpulink-replay list", o->workload);
}

static int play_workload(const struct options *o, struct found *found, struct failure *error)
{
	struct workload_source w;
	int status = find_workload(&o->stream, &w, error);

	if (status)
		return status;
	found->stream = w.workload->name;
	found->oracle = w.workload->uncounted;
	found->gpus = o->stream.gpus;
	status = run_play(o, found, &(struct source){ .push = run_workload, .user = &w }, error);
	if (status || o->limit) /* what is cut short has no result */
		return status;
	snprintf(found->check, sizeof(found->check), "%s: %.3g (at most %.3g)", w.info.compared, w.info.residual,
		 w.info.allowed);
	if (o->timed)
		status = time_on_one_gpu(&w, &o->timing, &found->one_gpu_ps, error);
	if (status)
		run_free(found);
	return status;
}

static int run_trace(void *user, struct replay_sink to, struct failure *error)
{
	return replay_trace_run(user, to, error);
}

static int play_trace(const struct options *o, struct found *found, struct failure *error)
{
	struct replay_trace *trace;
	int status = replay_trace_open(&trace, o->stream.trace, error);

	if (status)
		return status;
	found->stream = o->stream.trace;
	found->gpus = replay_trace_info(trace)->gpus;
	if (found->gpus < 2)
		status = failure_set(error, -EINVAL, "%s: names no pair of GPUs: needs at least 2", o->stream.trace);
	else
		status = run_play(o, found,
				  &(struct source){ .push = run_trace, .user = trace, .trace = replay_trace_info(trace) },
				  error);
	replay_trace_close(trace);
	return status;
}

static int push_synthetic(void *user, struct replay_sink to, struct failure *error)
{
	(void)error;
	return synthetic_run(user, to);
}

int run_synthetic(const struct options *o, uint64_t bytes, struct found *found, struct failure *error)
{
	struct synthetic s = { .bytes = bytes, .gpus = o->stream.gpus };

	*found = (struct found){ .options = o, .stream = "synthetic", .gpus = s.gpus };
	error->text[0] = '\0';
	s.compute_ps = synthetic_copy_ps(&s, &o->setting.link);
	return run_play(o, found, &(struct source){ .push = push_synthetic, .user = &s }, error);
}

int run_stream(const struct options *options, struct found *found, struct failure *error)
{
	*found = (struct found){ .options = options };
	error->text[0] = '\0';
	return options->stream.workload ? play_workload(options, found, error) : play_trace(options, found, error);
}

void run_free(struct found *found)
{
	comparison_free(found->comparison);
	agents_free(found->agents);
	found->comparison = NULL;
	found->agents = NULL;
}

int run_failed(int status, const char *error)
{
	fprintf(stderr, "gpulink-replay: %s\n", error[0] ? error : strerror(-status));
	return EXIT_FAILURE;
}

int run_workload_into(const struct stream_options *o, struct replay_sink sink, struct failure *error)
{
	struct workload_source w;
	struct progress progress;
	int status;

	error->text[0] = '\0';
	status = find_workload(o, &w, error);
	if (status)
		return status;
	status = run_workload(&w, with_progress(&progress, sink, NULL, NULL), error);
	end_progress(&progress);
	return status;
}

int run_record(const struct options *o, const char *path, struct failure *error)
{
	struct replay_trace_writer *writer;
	struct workload_source w;
	int status;

	error->text[0] = '\0';
	if (!o->stream.workload)
		return failure_set(error, -EINVAL, "record: requires --workload; to copy a trace use gpulink-replay convert");
	status = find_workload(&o->stream, &w, error); /* before the file is created */
	if (!status)
		status = replay_trace_writer_open(&writer, path, o->stream.gpus, error);
	if (status)
		return status;
	status = run_workload_into(&o->stream, replay_trace_writer_sink(writer), error);
	return replay_trace_writer_close(writer, status, error);
}
