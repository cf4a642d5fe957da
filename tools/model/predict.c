// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-model predict: how long the communication of each phase of a trace takes, by LogGOP parameters. A source's stores to
 *all destinations go through its one interface, one after the other:
 *
 *	phase(source) = sum of max(o, g + (s-1) G) over its stores, and over those that a release finds in the write queue
 *			+ S', one for the barrier and one per release
 *	phase = the maximum over sources;  S' = T(1,0,s) - max(o, g + (s-1) G) + batch, at the mean size, of the way of most
 *stores
 *
 * Stores that begin where the pair's store before ended have the terms of the way "window", others those of "scatter".
 */
#include "predict.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json_put.h>
#include <option_value.h>

#include "phases.h"

enum { PARAMETERS = 256, TRACE, PATH, MEASURED, ENTRIES, PAYLOAD };
enum { MEASURED_MAX = REPLAY_GPUS_MAX };

struct request {
	const char *parameters, *trace, *path;
	const char *measured[MEASURED_MAX];
	unsigned measured_count;
	uint64_t entries, payload;
	enum output output;
};

/* What a source, or a pair, takes. */
struct cost {
	double messages, queued, fixed;
};

struct prediction {
	const struct loggop_set *row, *scattered;
	const char *unit;
	struct phases phases;
	double *predicted, *measured; /* by phase; measured NULL: unknown */
	unsigned *ruler;	      /* by phase: the source that takes longest */
	uint64_t other;		      /* loads and atomics, which have no terms here */
};

/* --- the model --- */

static double per_message(const struct loggop_set *set, double bytes)
{
	return loggop_at(set->gap.count ? &set->gap : &set->single, bytes);
}

static struct cost cost_of(const struct prediction *p, const struct phase_pair *pair)
{
	struct cost cost = { 0 };
	const struct loggop_set *most = p->row;
	uint64_t scattered = 0;
	double mean;

	if (!pair->stores)
		return cost;
	for (unsigned c = 0; c < PHASE_CLASSES; c++) {
		cost.messages += (double)pair->row[c] * per_message(p->row, PHASE_CLASS_BYTES(c));
		cost.messages += (double)pair->scattered[c] * per_message(p->scattered, PHASE_CLASS_BYTES(c));
		cost.queued += (double)pair->queued_row[c] * per_message(p->row, PHASE_CLASS_BYTES(c));
		cost.queued += (double)pair->queued_scattered[c] * per_message(p->scattered, PHASE_CLASS_BYTES(c));
		scattered += pair->scattered[c];
	}
	if (2 * scattered > pair->stores)
		most = p->scattered;
	mean = (double)pair->bytes / (double)pair->stores;
	cost.fixed = fmax(loggop_at(&most->single, mean) - per_message(most, mean), 0) + (pair->stores > 1 ? most->batch : 0);
	cost.fixed *= (double)(1 + pair->releases);
	return cost;
}

static void predict_phase(struct prediction *p, size_t number)
{
	for (unsigned source = 0; source < p->phases.gpus; source++) {
		struct phase_pair sum = phase_sum(&p->phases, &p->phases.phase[number], source);
		struct cost cost = cost_of(p, &sum);
		double time = cost.messages + cost.queued + cost.fixed;

		p->other += sum.other;
		if (time > p->predicted[number]) {
			p->predicted[number] = time;
			p->ruler[number] = source;
		}
	}
}

/* Over all phases: the sums, the relative error of the sum, and R2; NAN where the phases have one time. */
struct quality {
	double predicted, measured, error, r2;
};

static struct quality quality_of(const struct prediction *p)
{
	struct quality q = { 0 };
	double left = 0, total = 0, mean;

	for (size_t i = 0; i < p->phases.count; i++) {
		q.predicted += p->predicted[i];
		q.measured += p->measured ? p->measured[i] : 0;
	}
	mean = q.measured / (double)p->phases.count;
	for (size_t i = 0; p->measured && i < p->phases.count; i++) {
		left += (p->predicted[i] - p->measured[i]) * (p->predicted[i] - p->measured[i]);
		total += (p->measured[i] - mean) * (p->measured[i] - mean);
	}
	q.error = q.measured > 0 ? q.predicted / q.measured - 1 : NAN;
	q.r2 = total > 0 ? 1 - left / total : NAN;
	return q;
}

/* --- measured times --- */

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "gpulink-model: %s: %s\n", what, why);
	return -1;
}

/* Rows phase,time. Of several files, each of a GPU, the maximum counts. */
static int read_measured(struct prediction *p, const char *path)
{
	FILE *from = fopen(path, "r");
	size_t phase, rows = 0;
	char line[128];
	double time;

	if (!from)
		return complain(path, strerror(errno));
	while (fgets(line, sizeof(line), from)) {
		if (line[0] == '#' || !strcmp(line, "phase,time\n"))
			continue;
		if (sscanf(line, "%19zu,%lf", &phase, &time) != 2 || phase >= p->phases.count || !(time >= 0))
			break;
		p->measured[phase] = fmax(p->measured[phase], time);
		rows++;
	}
	fclose(from);
	if (rows == p->phases.count)
		return 0;
	fprintf(stderr, "gpulink-model: %s: must be phase,time for each of the %zu phases, from 0 on\n", path, p->phases.count);
	return -1;
}

/* --- output --- */

static void print_csv(const struct prediction *p)
{
	puts("phase,gpu,stores,bytes,messages,queued,fixed,predicted,measured");
	for (size_t i = 0; i < p->phases.count; i++) {
		struct phase_pair sum = phase_sum(&p->phases, &p->phases.phase[i], p->ruler[i]);
		struct cost cost = cost_of(p, &sum);

		printf("%zu,%u,%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%.6g,%.6g,", i, p->ruler[i], sum.stores, sum.bytes,
		       cost.messages, cost.queued, cost.fixed, p->predicted[i]);
		if (p->measured)
			printf("%.6g", p->measured[i]);
		putchar('\n');
	}
}

static void predict_print_table(const struct prediction *p)
{
	struct quality q = quality_of(p);

	printf("phase gpu    stores      bytes    messages      queued       fixed   predicted%s\n",
	       p->measured ? "    measured   error" : "");
	for (size_t i = 0; i < p->phases.count; i++) {
		struct phase_pair sum = phase_sum(&p->phases, &p->phases.phase[i], p->ruler[i]);
		struct cost cost = cost_of(p, &sum);

		printf("%5zu %3u %9" PRIu64 " %10" PRIu64 " %11.0f %11.0f %11.0f %11.0f", i, p->ruler[i], sum.stores, sum.bytes,
		       cost.messages, cost.queued, cost.fixed, p->predicted[i]);
		if (p->measured)
			printf(" %11.0f %6.1f%%", p->measured[i], 100 * (p->predicted[i] / p->measured[i] - 1));
		putchar('\n');
	}
	printf("total %.0f %s", q.predicted, p->unit);
	if (p->measured)
		printf(", measured %.0f, error %.1f %%, R2 %.3f", q.measured, 100 * q.error, q.r2);
	putchar('\n');
}

static bool put_double(struct json_object *to, const char *name, double value)
{
	return isfinite(value) ? json_put(to, name, json_object_new_double(value)) :
				 json_object_object_add(to, name, NULL) == 0;
}

static struct json_object *pair_object(const struct prediction *p, size_t phase, unsigned pair)
{
	const struct phase_pair *at = &p->phases.phase[phase].pairs[pair];
	struct json_object *o = json_object_new_object();
	struct cost cost = cost_of(p, at);

	if (o && json_put_number(o, "source", pair / p->phases.gpus) &&
	    json_put_number(o, "destination", pair % p->phases.gpus) && json_put_number(o, "stores", at->stores) &&
	    json_put_number(o, "bytes", at->bytes) && put_double(o, "messages", cost.messages) &&
	    put_double(o, "queued", cost.queued) && put_double(o, "fixed", cost.fixed))
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *phase_object(const struct prediction *p, size_t phase)
{
	struct json_object *o = json_object_new_object(), *pairs = json_object_new_array();
	bool good = o && pairs;

	for (unsigned pair = 0; good && pair < p->phases.gpus * p->phases.gpus; pair++)
		if (p->phases.phase[phase].pairs[pair].stores)
			good = json_append(pairs, pair_object(p, phase, pair));
	good = good && put_double(o, "predicted", p->predicted[phase]) && json_put_number(o, "gpu", p->ruler[phase]) &&
	       put_double(o, "measured", p->measured ? p->measured[phase] : NAN);
	if (good && json_put(o, "pairs", pairs))
		return o;
	if (!good)
		json_object_put(pairs);
	json_object_put(o);
	return NULL;
}

static struct json_object *object_of(const struct prediction *p)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	struct quality q = quality_of(p);
	bool good = o && list;

	for (size_t i = 0; good && i < p->phases.count; i++)
		good = json_append(list, phase_object(p, i));
	good = good && json_put_text(o, "unit", p->unit) && put_double(o, "predicted", q.predicted) &&
	       put_double(o, "measured", p->measured ? q.measured : NAN) && put_double(o, "error", q.error) &&
	       put_double(o, "r2", q.r2);
	if (good && json_put(o, "phases", list))
		return o;
	if (!good)
		json_object_put(list);
	json_object_put(o);
	return NULL;
}

static int print(const struct prediction *p, enum output output)
{
	struct json_object *o = output == OUTPUT_JSON ? object_of(p) : NULL;

	if (output == OUTPUT_JSON && !o)
		return complain("output", strerror(ENOMEM));
	if (o)
		puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	else if (output == OUTPUT_CSV)
		print_csv(p);
	else
		predict_print_table(p);
	json_object_put(o);
	return 0;
}

/* --- command --- */

static int predict_take(void *user, int option, const char *value)
{
	struct request *r = user;

	switch (option) {
	case PARAMETERS: r->parameters = value; return 0;
	case TRACE: r->trace = value; return 0;
	case PATH: r->path = value; return 0;
	case MEASURED:
		if (r->measured_count == MEASURED_MAX)
			return option_wrong("measured", value, "given at most 64 times");
		r->measured[r->measured_count++] = value;
		return 0;
	case ENTRIES: return option_power_of_two("entries", value, 16, PHASE_ENTRIES_MAX, &r->entries);
	case PAYLOAD: return option_power_of_two("payload", value, 128, 4096, &r->payload);
	case 'o':
		return option_output(value, &r->output);
	default: return -1;
	}
}

static const struct option_command command = {
	.name = "predict",
	.known =
		(const struct option[]){
			{ "parameters", required_argument, NULL, PARAMETERS },
			{ "trace", required_argument, NULL, TRACE },
			{ "path", required_argument, NULL, PATH },
			{ "measured", required_argument, NULL, MEASURED },
			{ "entries", required_argument, NULL, ENTRIES },
			{ "payload", required_argument, NULL, PAYLOAD },
			{ "output", required_argument, NULL, 'o' },
			{ "help", no_argument, NULL, 'h' },
			{ 0 },
		},
	.take = predict_take,
	.help = "usage: gpulink-model predict --parameters FILE --trace FILE [OPTION...]\n"
		"Predicts how long the stores of each phase of a trace take, with the release behind them. Computation is left out.\n"
		"  --parameters FILE  of gpulink-bench loggop or gpulink-model fit\n"
		"  --trace FILE       of gpulink-replay record, or another that gpulink-replay reads\n"
		"  --path P           whose parameters count (the first of the way window)\n"
		"  --measured FILE    measured times, as CSV: phase,time; of several files the maximum counts\n"
		"  --entries N        of the card's write queues: 16, 32 or 64 (64)\n"
		"  --payload BYTES    of its packets: a power of two, 128 to 4096 (4096)\n"
		"  -o, --output FORM  table, json or csv (table)\n"
		"  -h, --help         show this help and exit\n",
};

static int predict_all(struct prediction *p, const struct request *r)
{
	p->predicted = calloc(p->phases.count, sizeof(*p->predicted));
	p->ruler = calloc(p->phases.count, sizeof(*p->ruler));
	p->measured = r->measured_count ? calloc(p->phases.count, sizeof(*p->measured)) : NULL;
	if (!p->predicted || !p->ruler || (r->measured_count && !p->measured))
		return complain("prediction", strerror(ENOMEM));
	for (size_t i = 0; i < p->phases.count; i++)
		predict_phase(p, i);
	for (unsigned i = 0; i < r->measured_count; i++)
		if (read_measured(p, r->measured[i]))
			return -1;
	if (p->other)
		fprintf(stderr, "gpulink-model: %" PRIu64 " loads and atomics are left out\n", p->other);
	return print(p, r->output);
}

static int predict_run(const struct request *r, struct loggop_file *file)
{
	struct prediction p = { .unit = file->unit,
				.phases = { .entries = (unsigned)r->entries, .payload = (unsigned)r->payload } };
	struct failure error = { 0 };
	int status;

	p.row = loggop_find(file, "window", r->path);
	p.scattered = p.row ? loggop_find(file, "scatter", p.row->path) : NULL;
	p.scattered = p.scattered ? p.scattered : p.row;
	if (!p.row)
		return complain(r->parameters, "no parameters of the way window on this path");
	if (phases_read(&p.phases, r->trace, &error)) {
		fprintf(stderr, "gpulink-model: %s\n", error.text);
		return -1;
	}
	status = p.phases.count ? predict_all(&p, r) : complain(r->trace, "the trace is empty");
	free(p.predicted);
	free(p.measured);
	free(p.ruler);
	phases_free(&p.phases);
	return status;
}

int predict_command(int argc, char **argv)
{
	struct request r = { .entries = PHASE_ENTRIES_MAX, .payload = 4096 };
	struct loggop_file file;
	struct failure error;
	int status = option_read_all(argc, argv, &command, &r);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (!r.parameters || !r.trace) {
		complain("predict", "--parameters and --trace are required");
		return 2;
	}
	if (loggop_file_init(&file))
		return EXIT_FAILURE;
	status = loggop_file_read(&file, r.parameters, &error);
	if (status)
		fprintf(stderr, "gpulink-model: %s\n", error.text);
	else
		status = predict_run(&r, &file);
	loggop_file_free(&file);
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
