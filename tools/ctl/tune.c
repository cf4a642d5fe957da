// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

#include "print.h"

#include <gpulink.h>
#include <gpulink_regs.h>
#include <json_put.h>
#include <measure.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPETITIONS = 11 };

/* --- parameters --- */

static enum exit_code read_parameters(const char *path, struct loggop_file *file)
{
	struct failure error;

	if (!loggop_file_read(file, path, &error))
		return EXIT_OK;
	complain("%s", error.text);
	return EXIT_FAILED;
}

/* It takes minutes. */
static void show_progress(const char *way, const char *path, unsigned number, unsigned count)
{
	fprintf(stderr, "gpulinkctl: measuring %s by %s, %u of %u\n", way, path, number, count);
}

static enum exit_code tune_measure(struct invocation *invocation, struct loggop_file *file)
{
	const struct measure_plan plan = {
		.partition = invocation->partition == ALL_PARTITIONS ? 0 : (unsigned)invocation->partition,
		.ways = 1u << MEASURE_WINDOW | 1u << MEASURE_INLINE | 1u << MEASURE_PUT,
		.least = 1,
		.most = MEASURE_BYTES_MAX,
		.repetitions = REPETITIONS,
		.begin = isatty(STDERR_FILENO) ? show_progress : NULL,
	};
	enum exit_code code = find_card(invocation);
	struct failure error;

	if (code != EXIT_OK)
		return code;
	if (!measure_device(invocation->card, &plan, file, &error))
		return EXIT_OK;
	complain("%s", error.text);
	return EXIT_FAILED;
}

/* Who copies the chunks of a region best: the card, where it has regions. "" without a device. */
static const char *agent_of(const struct invocation *invocation)
{
	struct gpulink_info info;
	struct gpulink *device;
	bool regions;

	if (invocation->from || gpulink_open(invocation->card, &device))
		return "";
	regions = !gpulink_get_info(device, &info, sizeof(info)) && (info.features & GLK_CARD_FEATURES_REGION_MASK);
	gpulink_close(device);
	return regions ? "card" : "caller";
}

/* --- table, JSON --- */

static void tune_print_table(const struct loggop_file *file, const struct advice *a, const char *agent)
{
	printf("%s, times in %s (%s)\n", file->device, file->unit, *file->basis ? file->basis : "device");
	printf("%9s  %-18s %10s  %-18s %10s  %-13s %10s\n", "bytes", "one", "time", "256 in a row", "time each", "ruled by",
	       "ring from");
	for (unsigned i = 0; i < a->rows; i++) {
		const struct advice_row *r = &a->row[i];
		char one[64], stream[64];

		snprintf(one, sizeof(one), "%s, %s", r->single->way, r->single->path);
		snprintf(stream, sizeof(stream), "%s, %s", r->stream->way, r->stream->path);
		printf("%9" PRIu64 "  %-18s %10.0f  %-18s %10.1f  %-13s", r->bytes, one, r->single_time, stream, r->stream_time,
		       r->bound);
		tune_ring_from(one, sizeof(one), r->ring_from);
		printf(" %10s\n", one);
	}
	if (a->chunk_bytes)
		printf("chunk of a region: %" PRIu64 " bytes\n", a->chunk_bytes);
	if (*agent)
		printf("agent of a region: %s\n", agent);
}

static bool put_time(struct json_object *to, const char *key, double time)
{
	return json_put(to, key, json_object_new_double(time));
}

static struct json_object *way_object(const struct loggop_set *set, double time)
{
	struct json_object *o = json_object_new_object();

	if (o && json_put_text(o, "way", set->way) && json_put_text(o, "path", set->path) && put_time(o, "time", time))
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *row_object(const struct advice_row *r)
{
	struct json_object *o = json_object_new_object();

	if (o && json_put_number(o, "bytes", r->bytes) && json_put(o, "single", way_object(r->single, r->single_time)) &&
	    json_put(o, "stream", way_object(r->stream, r->stream_time)) && json_put_text(o, "ruled_by", r->bound) &&
	    (r->ring_from < 0 || json_put_number(o, "ring_from", (uint64_t)r->ring_from)))
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *advice_object(const struct loggop_file *file, const struct advice *a, const char *agent)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	bool good = o && list;

	for (unsigned i = 0; good && i < a->rows; i++)
		good = json_append(list, row_object(&a->row[i]));
	good = good && json_put_text(o, "device", file->device) && json_put_text(o, "unit", file->unit) &&
	       json_put_text(o, "basis", file->basis) && json_put_number(o, "chunk_bytes", a->chunk_bytes) &&
	       json_put_text(o, "agent", agent);
	if (good && json_put(o, "sizes", list))
		return o;
	if (!good)
		json_object_put(list);
	json_object_put(o);
	return NULL;
}

/* --- files --- */

/* A line where the way changes with the size. */
static void write_ways(FILE *to, const struct advice *a, bool stream)
{
	const struct loggop_set *before = NULL;

	fprintf(to, "\n[%s]\n", stream ? "stream" : "single");
	for (unsigned i = 0; i < a->rows; i++) {
		const struct loggop_set *set = stream ? a->row[i].stream : a->row[i].single;

		if (set != before)
			fprintf(to, "%" PRIu64 " = %s %s\n", a->row[i].bytes, set->way, set->path);
		before = set;
	}
}

/* gpulinkctl(1), "Profiles". The library reads [region]. */
static void write_profile(FILE *to, const struct loggop_file *file, const struct advice *a, const char *agent)
{
	fprintf(to, "# gpulinkctl tune: %s\n[region]\n", file->device);
	if (*agent)
		fprintf(to, "agent = %s\n", agent);
	if (a->chunk_bytes)
		fprintf(to, "chunk_bytes = %" PRIu64 "\n", a->chunk_bytes);
	write_ways(to, a, false);
	write_ways(to, a, true);
	fputs("\n[ring_from]\n", to);
	for (unsigned i = 0; i < a->rows; i++)
		if (a->row[i].ring_from >= 0 && (!i || a->row[i].ring_from != a->row[i - 1].ring_from))
			fprintf(to, "%" PRIu64 " = %d\n", a->row[i].bytes, a->row[i].ring_from);
}

static void write_parameters(FILE *to, const struct loggop_file *file)
{
	struct json_object *o = loggop_file_object(file);

	if (o)
		fprintf(to, "%s\n",
			json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static bool is_page(const char *path)
{
	size_t length = strlen(path);

	return length > 5 && !strcmp(path + length - 5, ".html");
}

static enum exit_code write_file(const char *path, const struct loggop_file *file, const struct advice *a, const char *agent)
{
	FILE *to = fopen(path, "we");
	bool good = to;

	if (to) {
		if (agent && is_page(path))
			tune_page(to, file, a);
		else if (agent)
			write_profile(to, file, a, agent);
		else
			write_parameters(to, file);
		good = !ferror(to);
		good &= !fclose(to);
	}
	if (good)
		return EXIT_OK;
	complain("%s: %s", path, strerror(errno));
	return EXIT_FAILED;
}

static enum exit_code tune_show(const struct invocation *invocation, const struct loggop_file *file)
{
	const char *agent = agent_of(invocation);
	enum exit_code code = EXIT_OK;
	struct json_object *object;
	struct advice advice;

	advise(file, &advice);
	if (!advice.rows) {
		complain("no parameters of the ways window, inline or put");
		return EXIT_FAILED;
	}
	if (invocation->dump)
		code = write_file(invocation->dump, file, &advice, NULL);
	for (int i = 0; code == EXIT_OK && i < invocation->argument_count; i++)
		code = write_file(invocation->arguments[i], file, &advice, agent);
	if (code != EXIT_OK)
		return code;
	if (!invocation->json) {
		tune_print_table(file, &advice, agent);
		return EXIT_OK;
	}
	object = advice_object(file, &advice, agent);
	if (!object) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	code = show_json(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
	json_object_put(object);
	return code;
}

enum exit_code run_tune(struct invocation *invocation)
{
	struct loggop_file file;
	enum exit_code code;

	if (loggop_file_init(&file)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	code = invocation->from ? read_parameters(invocation->from, &file) : tune_measure(invocation, &file);
	if (code == EXIT_OK)
		code = tune_show(invocation, &file);
	loggop_file_free(&file);
	return code;
}
