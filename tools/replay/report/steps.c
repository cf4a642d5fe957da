// SPDX-License-Identifier: Apache-2.0
/*
 * A sweep plays only the methods that its setting changes; the others' results are the first run's. What is left is shared
 * among threads, run by run, so memory is that of as many runs as there are threads.
 */
#include "steps.h"

#include "../../../common/number.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	STEPS_MAX = 4 * PAGE_STEPS_MAX + 1 + PAGE_DECISIONS_MAX * DECIDE_RUNS,
	THREADS_MAX = 8,
	REGION_OPERATIONS = 2000000, /* the map of regions has 77 agents */
	REGION_WEIGHT = 40,	     /* of them, in methods */
};

enum change { SUBHEADER, PAYLOAD, LINK, GPUS };

struct steps;

/* A run of a sweep, or of regions: `run` is NULL. */
struct step {
	struct run_watch watch; /* first */
	struct steps *steps;
	struct page_run *run;
	bool whole;		/* the run has all its methods: none is the first run's */
	struct options options; /* with the methods to play */
	double weight, operations; /* what it costs: methods, and about how many operations */
	int status;
	struct failure error;
};

struct steps {
	struct page *page;
	unsigned count;
	struct step first, of[STEPS_MAX];
	pthread_mutex_t lock; /* of what follows */
	unsigned next;
	double done, played; /* operations times weight, operations */
	double start, shown;
	bool failed;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* About all that there is to do. `operations`: the stream's. */
static double total(const struct steps *s, double operations)
{
	double sum = operations * s->first.weight;

	for (unsigned i = 0; i < s->count; i++)
		sum += (s->of[i].operations > 0 && s->of[i].operations < operations ? s->of[i].operations : operations) *
		       s->of[i].weight;
	return sum;
}

static void steps_show(struct steps *s, double operations)
{
	double now = seconds_now(), part;

	if (now - s->shown < 0.5 || !isatty(STDERR_FILENO))
		return;
	s->shown = now;
	part = operations > 0 ? s->done / total(s, operations) : 0;
	fputs("\r\033[K", stderr);
	if (part > 0.005 && part < 1) {
		unsigned left = (unsigned)((now - s->start) * (1 - part) / part + 0.5);

		fprintf(stderr, "%.0f %%, about %u:%02u left; ", 100 * part, left / 60, left % 60);
	}
	fprintf(stderr, "%.1f million operations a second", s->played / (now - s->start) / 1e6);
}

static void played(struct run_watch *watch, uint64_t operations, double part)
{
	struct step *step = (struct step *)watch;
	struct steps *s = step->steps;
	double all = 0;

	pthread_mutex_lock(&s->lock);
	s->done += (double)operations * step->weight;
	s->played += (double)operations;
	if (step != &s->first)
		all = (double)s->page->run.counts.operations;
	else if (part > 0)
		all = s->played / part;
	steps_show(s, all);
	pthread_mutex_unlock(&s->lock);
}

static void keep_costs(struct page *page, const struct costs *costs)
{
	page->pairs = costs_pairs(costs, page->pair, PAGE_COSTS);
	page->arrays = costs_arrays(costs, page->array, PAGE_COSTS);
	page->plain_bytes = costs_bytes(costs);
}

static int report_steps_play(struct step *step, struct page_run *run, struct found *found)
{
	int status = run_stream(&step->options, found, &step->error);

	if (status)
		return status;
	run->gpus = found->gpus;
	run->one_gpu_ps = found->one_gpu_ps;
	run->oracle = found->oracle;
	run->counts = *comparison_counts(found->comparison);
	run->results = comparison_results(found->comparison);
	for (unsigned i = 0; i < run->results; i++)
		run->result[i] = comparison_result(found->comparison, i);
	if (comparison_costs(found->comparison))
		keep_costs(step->steps->page, comparison_costs(found->comparison));
	run_free(found);
	return 0;
}

static bool depends(const struct paradigm *p, enum change change)
{
	switch (change) {
	case SUBHEADER:
		return p == &paradigm_finepack || p == &paradigm_packing || p == &paradigm_packing_compact ||
		       p == &paradigm_config_packet;
	case PAYLOAD: /* a line fits into any */
		return p != &paradigm_p2p && p != &paradigm_proact_inline && p != &paradigm_write_combining;
	default:
		return true;
	}
}

/* The methods that a change leaves as they were in the first run. */
static void steps_fill(struct page_run *run, const struct page_run *first)
{
	const struct page_run some = *run;
	unsigned next = 0;

	run->results = first->results;
	for (unsigned i = 0; i < first->results; i++) {
		if (next < some.results && some.result[next].paradigm == first->result[i].paradigm)
			run->result[i] = some.result[next++];
		else
			run->result[i] = first->result[i];
	}
}

/* Compares the settings that sweeps change. */
static bool same(const struct options *a, const struct options *b)
{
	return a->setting.subheader_bytes == b->setting.subheader_bytes &&
	       a->setting.packing_subheader_bytes == b->setting.packing_subheader_bytes && a->stream.gpus == b->stream.gpus &&
	       a->setting.link.payload_bytes == b->setting.link.payload_bytes &&
	       strcmp(a->setting.link.name, b->setting.link.name) == 0;
}

/* Leaves those methods that a change makes play, or the first one, for the counts that depend on the link. */
static unsigned choose(const struct paradigm **list, enum change change)
{
	const struct paradigm *first = list[0];
	unsigned kept = 0;

	for (unsigned i = 0; list[i]; i++)
		if (depends(list[i], change))
			list[kept++] = list[i];
	if (!kept)
		list[kept++] = first;
	list[kept] = NULL;
	return kept;
}

static const char *const names[] = { [SUBHEADER] = "subheader", [PAYLOAD] = "payload", [LINK] = "link", [GPUS] = "gpus" };

/* Adds a run with another value of one setting. */
static int steps_add(struct steps *s, struct page_sweep *sweep, char **argv, enum change change, const char *value,
		     struct failure *error)
{
	struct page *page = s->page;
	struct page_run *run = &sweep->step[sweep->count++];
	struct step *step;

	if (options_read_with(page->words + 1, argv, names[change], value, &run->options))
		return failure_set(error, -EINVAL, "--%s %s: not possible with these options", names[change], value);
	snprintf(run->value, sizeof(run->value), "%s", value);
	if (change == LINK)
		snprintf(run->value, sizeof(run->value), "%s, %.1f GB/s", value,
			 link_bytes_per_second(&run->options.setting.link) / 1e9);
	if (same(&run->options, &page->run.options))
		return 0; /* the first run's: steps_play() */
	step = &s->of[s->count++];
	*step = (struct step){ .watch = { .played = played }, .steps = s, .run = run, .options = run->options };
	step->options.watch = &step->watch;
	step->weight = choose(step->options.paradigms, change);
	return 0;
}

/* Values that the link does not support are omitted, and numbers of GPUs for a trace. */
static int add_all(struct steps *s, char **argv, struct failure *error)
{
	static const struct {
		enum change change;
		const char *value[PAGE_STEPS_MAX + 1];
	} sweeps[] = { { GPUS, { "16", "8", "4", "2" } }, /* the long ones first */
		       { LINK, { "pcie3", "pcie4", "pcie5", "pcie6" } },
		       { PAYLOAD, { "128", "256", "512", "4096" } },
		       { SUBHEADER, { "2", "3", "4", "5", "6" } } };
	const struct options *o = &s->page->run.options;
	struct page_sweep *const of[] = { [SUBHEADER] = &s->page->subheader,
					  [PAYLOAD] = &s->page->payload,
					  [LINK] = &s->page->link,
					  [GPUS] = &s->page->gpus };
	uint64_t payload;
	uint32_t most = link_preset(o->setting.link.name)->payload_bytes;
	int status = 0;

	for (unsigned i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
		enum change change = sweeps[i].change;

		if ((change == GPUS && !o->stream.workload) || (change == LINK && !o->timed) ||
		    (change == SUBHEADER && topology_has_lanes(o->setting.topology)))
			continue;
		for (unsigned k = 0; k < PAGE_STEPS_MAX && sweeps[i].value[k] && !status; k++)
			if (change != PAYLOAD || glk_number(sweeps[i].value[k], 10, most, &payload))
				status = steps_add(s, of[change], argv, change, sweeps[i].value[k], error);
	}
	for (unsigned k = 0; k < s->count; k++)
		if (s->of[k].options.stream.gpus != o->stream.gpus)
			s->of[k].weight *= (double)s->of[k].options.stream.gpus / o->stream.gpus;
	return status;
}

/* A machine, and what decides there. */
static void add_decision(struct steps *s, const struct options *o, const char *what)
{
	struct page_decision *decision = &s->page->decision[s->page->decisions++];
	struct options runs[DECIDE_RUNS];

	snprintf(decision->what, sizeof(decision->what), "%s", what);
	decision->runs = decide_runs(o, runs);
	for (unsigned i = 0; i < decision->runs; i++) {
		struct step *step = &s->of[s->count++];

		decision->run[i].options = runs[i];
		*step = (struct step){
			.watch = { .played = played }, .steps = s, .run = &decision->run[i], .whole = true, .options = runs[i]
		};
		step->options.watch = &step->watch;
		for (unsigned k = 0; runs[i].paradigms[k]; k++)
			step->weight++;
	}
}

/* The machine that was described, other payload sizes, and faster GPUs. */
static void add_decisions(struct steps *s)
{
	static const uint32_t payloads[] = { 256, 512, 4096 };
	const struct options *o = &s->page->run.options;
	uint32_t most = link_preset(o->setting.link.name)->payload_bytes;
	struct options other = *o;
	char what[32];

	other.agents = NULL;
	other.costs = false;
	snprintf(what, sizeof(what), "payload %u", o->setting.link.payload_bytes);
	add_decision(s, &other, what);
	for (unsigned i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		if (payloads[i] > most || payloads[i] == o->setting.link.payload_bytes)
			continue;
		other.setting.link.payload_bytes = payloads[i];
		snprintf(what, sizeof(what), "payload %u", payloads[i]);
		add_decision(s, &other, what);
	}
	if (!o->timed || o->timing.compute_percent < 10)
		return;
	other.setting.link.payload_bytes = o->setting.link.payload_bytes;
	other.timing.compute_percent /= 10;
	add_decision(s, &other, "computing 10 times as fast");
}

/* The same stream by regions, with several agents. */
static void add_regions(struct steps *s)
{
	struct step *step = &s->of[s->count];

	if (!s->page->run.options.timed)
		return;
	s->count++;
	*step = (struct step){ .watch = { .played = played },
			       .steps = s,
			       .options = s->page->run.options,
			       .weight = REGION_WEIGHT,
			       .operations = REGION_OPERATIONS };
	step->options.watch = &step->watch;
	step->options.limit = REGION_OPERATIONS;
}

static int play_regions(struct step *step, struct page *page)
{
	struct agent list[PROFILE_ROWS_MAX];
	int status = profile_make(&step->options, list, page_region_agents(list), 0, &page->profile, &step->error);

	if (status)
		return status;
	page->profile_operations = comparison_counts(page->profile.found.comparison)->operations;
	run_free(&page->profile.found);
	return 0;
}

static void *work(void *user)
{
	struct steps *s = user;

	for (;;) {
		struct step *step;
		struct found found;

		pthread_mutex_lock(&s->lock);
		step = s->failed || s->next == s->count ? NULL : &s->of[s->next++];
		pthread_mutex_unlock(&s->lock);
		if (!step)
			return NULL;
		if (!step->run)
			step->status = play_regions(step, s->page);
		else
			step->status = report_steps_play(step, step->run, &found);
		if (step->status && step->options.stream.gpus == s->page->run.options.stream.gpus) {
			pthread_mutex_lock(&s->lock);
			s->failed = true;
			pthread_mutex_unlock(&s->lock);
		} else if (!step->status && step->run && !step->whole) {
			steps_fill(step->run, &s->page->run);
		}
	}
}

static void play_all(struct steps *s)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;

	while (started + 1 < THREADS_MAX && started + 1 < processors && started + 1 < s->count &&
	       !pthread_create(&thread[started], NULL, work, s))
		started++;
	work(s);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

/* GPUs were played from the largest number down: puts them in order, up to the first that the workload cannot have. */
static int order_gpus(struct steps *s, struct failure *error)
{
	struct page_sweep *sweep = &s->page->gpus, ordered = { 0 };

	for (unsigned k = sweep->count; k > 0; k--) {
		const struct page_run *run = &sweep->step[k - 1];

		for (unsigned i = 0; i < s->count; i++) {
			const struct step *step = &s->of[i];

			if (step->run != run || !step->status)
				continue;
			*sweep = ordered;
			if (!step->error.text[0])
				return step->status;
			s->page->gpus_left_out = step->error;
			*error = (struct failure){ 0 };
			return 0;
		}
		ordered.step[ordered.count++] = *run;
	}
	*sweep = ordered;
	return 0;
}

/* The first run's results where a sweep has its value. */
static void reuse(struct page *page, struct page_sweep *sweep)
{
	for (unsigned k = 0; k < sweep->count; k++) {
		struct page_run *run = &sweep->step[k];
		char value[sizeof(run->value)];

		if (run->results || !same(&run->options, &page->run.options))
			continue;
		memcpy(value, run->value, sizeof(value));
		*run = page->run;
		memcpy(run->value, value, sizeof(value));
	}
}

static int steps_finish(struct steps *s, struct failure *error)
{
	struct page *page = s->page;

	for (unsigned i = 0; i < s->count; i++) {
		const struct step *step = &s->of[i];

		if (!step->status || step->options.stream.gpus != page->run.options.stream.gpus)
			continue;
		*error = step->error;
		return step->status;
	}
	reuse(page, &page->subheader);
	reuse(page, &page->payload);
	reuse(page, &page->link);
	reuse(page, &page->gpus);
	return order_gpus(s, error);
}

static int play_first(struct steps *s, struct failure *error)
{
	struct page *page = s->page;
	struct found found;
	int status;

	s->first = (struct step){ .watch = { .played = played }, .steps = s, .options = page->run.options };
	s->first.options.watch = &s->first.watch;
	s->first.options.costs = true;
	for (unsigned i = 0; page->run.options.paradigms[i]; i++)
		s->first.weight++;
	status = report_steps_play(&s->first, &page->run, &found);
	if (status) {
		*error = s->first.error;
		return status;
	}
	page->stream = found.stream;
	memcpy(page->check, found.check, sizeof(page->check));
	return 0;
}

int steps_play(struct page *page, char **argv, struct failure *error)
{
	struct steps *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return -ENOMEM;
	s->page = page;
	s->start = s->shown = seconds_now();
	pthread_mutex_init(&s->lock, NULL);
	status = add_all(s, argv, error);
	add_decisions(s);
	add_regions(s);
	if (!status)
		status = play_first(s, error);
	if (!status) {
		play_all(s);
		status = steps_finish(s, error);
	}
	if (s->shown > s->start && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return status;
}
