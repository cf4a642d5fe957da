// SPDX-License-Identifier: Apache-2.0
#include "profile.h"

#include "../../common/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paradigm/chunks.h"

static const char help[] =
	"usage: gpulink-replay profile (--workload NAME [--input FILE] | --trace FILE | --synthetic BYTES) [OPTION...]\n"
	"Finds a region's best agent, chunk size and number of threads: tries all on one stream, and marks the fastest with *.\n"
	"Sizes may end in k or M; a range is its powers of two. Defaults are in parentheses.\n"
	"  --chunks A..B      chunk sizes, within 4k..16M (4k..16M)\n"
	"  --threads A..B     threads of software agents, within 1..64k (32..8k)\n"
	"  --agents LIST      comma-separated: polling, launch, card, this-card (all); card is as fast as the link, as in\n"
	"                     PROACT's paper, this-card takes the clocks of this card's Verilog (--clock, unconfirmed)\n"
	"  --synthetic BYTES  PROACT's microbenchmark instead of a workload: each GPU stores so many bytes to each other one\n"
	"                     evenly, while it computes for as long as copying them would take; 4k to 1024M\n"
	"  --write FILE       write the best as a region's profile (options.profile in gpulink_region.h)\n"
	"  -o, --output FORM  table or json (table)\n"
	"and the options of run for stream, link and costs of agents.\n";

enum { CHUNKS = OPTIONS_END, THREADS, AGENTS, SYNTHETIC, WRITE };

static const struct option known[] = {
	{ "chunks", required_argument, NULL, CHUNKS },
	{ "threads", required_argument, NULL, THREADS },
	{ "agents", required_argument, NULL, AGENTS },
	{ "synthetic", required_argument, NULL, SYNTHETIC },
	{ "write", required_argument, NULL, WRITE },
	{ 0 },
};

struct range {
	uint64_t least, most; /* powers of two */
};

struct wanted {
	struct range chunks, threads;
	bool agent[AGENT_THIS_CARD + 1];
	uint64_t synthetic;
	const char *write;
	struct options options;
	struct agent list[PROFILE_ROWS_MAX];
	unsigned count;
};

/* A number that may end in k or M. Returns where it ends, or NULL. */
static const char *take_size(const char *text, uint64_t *value)
{
	const char *end = glk_number_take(text, 10, UINT32_MAX, value);

	if (!end)
		return NULL;
	if (*end == 'k')
		*value <<= 10;
	else if (*end == 'M')
		*value <<= 20;
	else
		return end;
	return end + 1;
}

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* "A..B", or one value. */
static int take_range(const char *option, const char *text, const struct range *allowed, const char *words, struct range *range)
{
	const char *end = take_size(text, &range->least);

	range->most = range->least;
	if (end && strncmp(end, "..", 2) == 0)
		end = take_size(end + 2, &range->most);
	if (end && !*end && power_of_two(range->least) && power_of_two(range->most) && range->least >= allowed->least &&
	    range->most <= allowed->most && range->least <= range->most)
		return 0;
	return option_wrong(option, text, words);
}

static bool take_agent(void *user, unsigned place, const char *name)
{
	struct wanted *w = user;

	if (!place)
		memset(w->agent, 0, sizeof(w->agent));
	for (enum agent_kind kind = AGENT_POLLING; kind <= AGENT_THIS_CARD; kind++) {
		if (strcmp(name, agent_name(kind)) == 0) {
			w->agent[kind] = true;
			return true;
		}
	}
	return false;
}

static int take_synthetic(struct wanted *w, const char *value)
{
	const char *end = take_size(value, &w->synthetic);

	if (end && !*end && w->synthetic % REPLAY_STORE_MAX == 0 && w->synthetic >= CHUNK_BYTES_MIN && w->synthetic <= 1u << 30)
		return 0;
	return option_wrong("synthetic", value, "a multiple of 128, 4k to 1024M");
}

static int profile_take(void *user, int option, const char *value)
{
	static const struct range chunks = { CHUNK_BYTES_MIN, CHUNK_BYTES_MAX }, threads = { 1, 65536 };
	struct wanted *w = user;

	switch (option) {
	case CHUNKS:
		return take_range("chunks", value, &chunks, "A..B, powers of two within 4k..16M", &w->chunks);
	case THREADS:
		return take_range("threads", value, &threads, "A..B, powers of two within 1..64k", &w->threads);
	case AGENTS: return option_list("agents", value, "one of polling, launch, card, this-card", take_agent, w);
	case SYNTHETIC:
		return take_synthetic(w, value);
	default:
		w->write = value;
		return 0;
	}
}

static bool own_stream(const void *user)
{
	return ((const struct wanted *)user)->synthetic;
}

/* All combinations: chunks outermost, as agents of one chunk size share the work of cutting. */
static void list_agents(struct wanted *w)
{
	unsigned count = 0;

	for (uint64_t chunk = w->chunks.least; chunk <= w->chunks.most; chunk *= 2) {
		for (enum agent_kind kind = AGENT_POLLING; kind <= AGENT_THIS_CARD; kind++) {
			struct agent agent = { .kind = kind, .chunk_bytes = (uint32_t)chunk };

			if (!w->agent[kind])
				continue;
			for (uint64_t threads = w->threads.least; threads <= w->threads.most; threads *= 2) {
				agent.threads = (unsigned)threads;
				w->list[count++] = agent;
				if (kind >= AGENT_CARD)
					break;
			}
		}
	}
	w->count = count;
}

static int read_options(int argc, char **argv, struct wanted *w)
{
	const struct options_more more = {
		.name = "profile", .help = help, .known = known, .take = profile_take, .own_stream = own_stream, .user = w
	};
	int status;

	*w = (struct wanted){ .chunks = { CHUNK_BYTES_MIN, CHUNK_BYTES_MAX },
			      .threads = { 32, 8192 },
			      .agent = { true, true, true, true } };
	status = options_read_more(argc, argv, &more, &w->options);
	if (status)
		return status;
	if (w->synthetic && (w->options.stream.workload || w->options.stream.trace))
		fputs("gpulink-replay: --synthetic: requires that neither --workload nor --trace is given\n", stderr);
	else if (!w->options.timed)
		fprintf(stderr, "gpulink-replay: %s\n",
			w->options.stream.trace ? "--trace: a profile requires --time" : "--no-time: a profile requires time");
	else if (w->options.output == OUTPUT_CSV)
		option_wrong("output", "csv", "table or json");
	else
		status = 1;
	list_agents(w);
	return status ? 0 : -1;
}

static struct profile_row direct_row(const struct found *found, unsigned index, const char *name)
{
	struct result r = comparison_result(found->comparison, index);

	return (struct profile_row){ .agent = name,
				     .result = { .tally = { .wire_bytes = r.wire_bytes, .packets = r.packets,
							    .data_bytes = r.useful_bytes + r.wasted_bytes },
						 .time_ps = r.time_ps, .tail_ps = r.tail_ps, .hidden = r.hidden } };
}

/* Rows by agent, chunk and threads; the list is by chunk first. */
static void add_rows(struct profile *p, enum agent_kind kind)
{
	for (unsigned i = 0; i < agents_count(p->found.agents); i++) {
		const struct agent *agent = agents_at(p->found.agents, i);

		if (agent->kind == kind)
			p->row[p->rows++] = (struct profile_row){ .agent = agent_name(kind),
								  .chunk_bytes = agent->chunk_bytes,
								  .threads = kind >= AGENT_CARD ? 0 : agent->threads,
								  .result = agents_result(p->found.agents, i) };
	}
}

static bool better(const struct profile_row *a, const struct profile_row *b)
{
	if (a->result.time_ps != b->result.time_ps)
		return a->result.time_ps < b->result.time_ps;
	return a->threads != b->threads ? a->threads < b->threads : a->chunk_bytes > b->chunk_bytes;
}

static void gather(struct profile *p)
{
	p->row[p->rows++] = direct_row(&p->found, 0, "copies");
	p->row[p->rows++] = direct_row(&p->found, 1, "inline");
	for (enum agent_kind kind = AGENT_POLLING; kind <= AGENT_THIS_CARD; kind++)
		add_rows(p, kind);
	for (unsigned i = 1; i < p->rows; i++)
		if (better(&p->row[i], &p->row[p->best]))
			p->best = i;
}

int profile_make(struct options *options, const struct agent *list, unsigned count, uint64_t synthetic, struct profile *p,
		 struct failure *error)
{
	int status;

	options->paradigms[0] = &paradigm_dma;
	options->paradigms[1] = &paradigm_proact_inline;
	options->paradigms[2] = NULL;
	options->agents = list;
	options->agent_count = count;
	*p = (struct profile){ 0 };
	status = synthetic ? run_synthetic(options, synthetic, &p->found, error) : run_stream(options, &p->found, error);
	if (!status)
		gather(p);
	return status;
}

const struct profile_row *profile_find(const struct profile *p, enum agent_kind kind, uint32_t chunk_bytes, unsigned threads)
{
	for (unsigned i = 0; i < p->rows; i++)
		if (strcmp(p->row[i].agent, agent_name(kind)) == 0 && p->row[i].chunk_bytes == chunk_bytes &&
		    p->row[i].threads == threads)
			return &p->row[i];
	return NULL;
}

static int profile_show(const struct wanted *w, const struct profile *p, struct failure *error)
{
	int status = w->options.output == OUTPUT_JSON ? profile_json(stdout, p) : profile_table(stdout, p);

	if (status || !w->write)
		return status;
	status = profile_write(w->write, p);
	if (status == -ENODATA)
		failure_set(error, status, "%.512s: not written: without regions it is faster", w->write);
	else if (status)
		failure_set(error, status, "%.512s: %s", w->write, strerror(-status));
	return status;
}

int profile(int argc, char **argv)
{
	struct failure error = { 0 };
	struct wanted *w = calloc(1, sizeof(*w));
	struct profile *p = calloc(1, sizeof(*p));
	int status = w && p ? read_options(argc, argv, w) : -ENOMEM;

	if (status) {
		free(w);
		free(p);
		return status == -ENOMEM ? run_failed(status, "") : status > 0 ? EXIT_SUCCESS : 2;
	}
	status = profile_make(&w->options, w->list, w->count, w->synthetic, p, &error);
	if (!status) {
		status = profile_show(w, p, &error);
		run_free(&p->found);
	}
	free(w);
	free(p);
	return status ? run_failed(status, error.text) : EXIT_SUCCESS;
}
