// SPDX-License-Identifier: Apache-2.0
/* Parameters as JSON and CSV. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json_put.h>

#include "terms.h"

#define FORMAT "gpulink-loggop 1"
#define COLUMNS "device,unit,way,path,bytes,count,delay,time,spread,cpu"
enum { LINE_BYTES = 1024 };

/* --- writing --- */

static bool add_number(struct json_object *to, const char *name, double value)
{
	char text[32];

	/* The measurement has no more digits, and files stay readable; sizes and counts are exact. */
	snprintf(text, sizeof(text), fabs(value) < 1e15 && floor(value) == value ? "%.0f" : "%.6g", value);
	return json_put(to, name, json_object_new_double_s(value, text));
}

static struct json_object *segment_object(const struct loggop_segment *s)
{
	struct json_object *o = json_object_new_object();

	if (o && add_number(o, "from", s->from) && add_number(o, "to", s->to) && add_number(o, "base", s->base) &&
	    add_number(o, "per_byte", s->slope))
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *curve_object(const struct loggop_curve *c)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	bool good = o && list;

	for (unsigned i = 0; good && i < c->count; i++)
		good = json_append(list, segment_object(&c->segment[i]));
	good = good && add_number(o, "r2", c->r2) && add_number(o, "worst", c->worst);
	if (good && json_put(o, "segments", list))
		return o;
	if (!good)
		json_object_put(list);
	json_object_put(o);
	return NULL;
}

static struct json_object *sample_object(const struct loggop_sample *s)
{
	struct json_object *o = json_object_new_object();

	if (o && add_number(o, "bytes", s->bytes) && add_number(o, "count", s->count) && add_number(o, "delay", s->delay) &&
	    add_number(o, "time", s->time) && add_number(o, "spread", s->spread) && add_number(o, "cpu", s->cpu))
		return o;
	json_object_put(o);
	return NULL;
}

static bool add_samples(struct json_object *to, const struct loggop_set *set)
{
	struct json_object *list = json_object_new_array();
	bool good = list;

	for (unsigned i = 0; good && i < set->samples; i++)
		good = json_append(list, sample_object(&set->sample[i]));
	if (good)
		return json_put(to, "samples", list);
	json_object_put(list);
	return false;
}

static struct json_object *set_object(const struct loggop_set *set)
{
	struct json_object *o = json_object_new_object();

	if (o && json_put_text(o, "way", set->way) && json_put_text(o, "path", set->path) &&
	    (set->latency < 0 || add_number(o, "L", set->latency)) && add_number(o, "S", set->sync) &&
	    add_number(o, "batch", set->batch) && add_number(o, "timeouts", set->timeouts) &&
	    add_number(o, "full", set->full) && add_number(o, "packet_bytes", set->packet_bytes) &&
	    json_put(o, "single", curve_object(&set->single)) && json_put(o, "overhead", curve_object(&set->overhead)) &&
	    json_put(o, "gap", curve_object(&set->gap)) && add_samples(o, set))
		return o;
	json_object_put(o);
	return NULL;
}

struct json_object *loggop_file_object(const struct loggop_file *file)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	bool good = o && list;

	for (unsigned i = 0; good && i < file->sets; i++)
		good = json_append(list, set_object(&file->set[i]));
	good = good && json_put_text(o, "format", FORMAT) && json_put_text(o, "device", file->device) &&
	       json_put_text(o, "unit", file->unit) && json_put_text(o, "basis", file->basis) &&
	       json_put(o, "complete", json_object_new_boolean(file->complete));
	if (good && json_put(o, "ways", list))
		return o;
	if (!good)
		json_object_put(list);
	json_object_put(o);
	return NULL;
}

void loggop_file_csv(FILE *to, const struct loggop_file *file)
{
	char device[sizeof(file->device)];

	/* Options of a soft device are separated by commas, too. */
	snprintf(device, sizeof(device), "%s", file->device);
	for (char *comma = device; (comma = strchr(comma, ','));)
		*comma = ';';
	fputs(COLUMNS "\n", to);
	for (unsigned i = 0; i < file->sets; i++) {
		const struct loggop_set *set = &file->set[i];

		for (unsigned k = 0; k < set->samples; k++) {
			const struct loggop_sample *s = &set->sample[k];

			fprintf(to, "%s,%s,%s,%s,%.0f,%.0f,%.6g,%.6g,%.6g,%.6g\n", device, file->unit, set->way, set->path,
				s->bytes, s->count, s->delay, s->time, s->spread, s->cpu);
		}
	}
}

/* --- reading --- */

static int terms_file_wrong(struct failure *error, const char *path, const char *what)
{
	return failure_set(error, -EINVAL, "%.128s: %s", path, what);
}

static double number_of(struct json_object *o, const char *name, double otherwise)
{
	struct json_object *value;

	return json_object_object_get_ex(o, name, &value) ? json_object_get_double(value) : otherwise;
}

static void text_of(struct json_object *o, const char *name, char *to, size_t room)
{
	struct json_object *value;

	if (json_object_object_get_ex(o, name, &value))
		snprintf(to, room, "%s", json_object_get_string(value));
}

static bool sane(const struct loggop_segment *s)
{
	return isfinite(s->base) && isfinite(s->slope) && s->from >= 0 && s->to >= s->from;
}

static bool read_curve(struct json_object *set, const char *name, struct loggop_curve *c)
{
	struct json_object *o, *list;
	double before = -1;
	size_t count;

	if (!json_object_object_get_ex(set, name, &o))
		return true;
	if (!json_object_object_get_ex(o, "segments", &list) || !json_object_is_type(list, json_type_array))
		return false;
	count = json_object_array_length(list);
	if (count > LOGGOP_SEGMENTS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct json_object *s = json_object_array_get_idx(list, i);

		c->segment[i] = (struct loggop_segment){ .from = number_of(s, "from", -1), .to = number_of(s, "to", -1),
							 .base = number_of(s, "base", NAN),
							 .slope = number_of(s, "per_byte", 0) };
		if (!sane(&c->segment[i]) || c->segment[i].from <= before)
			return false;
		before = c->segment[i].from;
	}
	c->count = (unsigned)count;
	c->r2 = number_of(o, "r2", 0);
	c->worst = number_of(o, "worst", 0);
	return true;
}

static bool read_set(struct json_object *o, struct loggop_set *set)
{
	text_of(o, "way", set->way, sizeof(set->way));
	text_of(o, "path", set->path, sizeof(set->path));
	set->latency = number_of(o, "L", -1);
	set->sync = number_of(o, "S", 0);
	set->batch = number_of(o, "batch", 0);
	set->timeouts = number_of(o, "timeouts", 0);
	set->full = number_of(o, "full", 0);
	set->packet_bytes = number_of(o, "packet_bytes", 0);
	return set->way[0] && read_curve(o, "single", &set->single) && read_curve(o, "overhead", &set->overhead) &&
	       read_curve(o, "gap", &set->gap) && set->single.count;
}

static int read_json(struct loggop_file *file, struct json_object *top, const char *path, struct failure *error)
{
	struct json_object *list, *complete;
	char format[32] = "";

	text_of(top, "format", format, sizeof(format));
	if (strcmp(format, FORMAT) != 0)
		return terms_file_wrong(error, path, "no parameters: \"format\" must be \"" FORMAT "\"");
	text_of(top, "device", file->device, sizeof(file->device));
	text_of(top, "unit", file->unit, sizeof(file->unit));
	text_of(top, "basis", file->basis, sizeof(file->basis));
	file->complete = !json_object_object_get_ex(top, "complete", &complete) || json_object_get_boolean(complete);
	if (!json_object_object_get_ex(top, "ways", &list) || !json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) > LOGGOP_SETS_MAX)
		return terms_file_wrong(error, path, "\"ways\" must be a list of at most 40");
	for (file->sets = 0; file->sets < json_object_array_length(list); file->sets++)
		if (!read_set(json_object_array_get_idx(list, file->sets), &file->set[file->sets]))
			return terms_file_wrong(error, path,
						"a way must have a name, and a curve \"single\" of 1 to 8 ascending segments");
	return 0;
}

static struct loggop_set *set_named(struct loggop_file *file, const char *way, const char *path)
{
	struct loggop_set *set = (struct loggop_set *)(uintptr_t)loggop_find(file, way, path);

	if (set || file->sets == LOGGOP_SETS_MAX)
		return set;
	set = &file->set[file->sets++];
	set->latency = -1;
	snprintf(set->way, sizeof(set->way), "%s", way);
	snprintf(set->path, sizeof(set->path), "%s", path);
	return set;
}

static bool read_row(struct loggop_file *file, const char *line)
{
	char way[LOGGOP_NAME_BYTES], path[LOGGOP_NAME_BYTES];
	struct loggop_sample s;
	struct loggop_set *set;

	if (sscanf(line, "%127[^,],%23[^,],%23[^,],%23[^,],%lf,%lf,%lf,%lf,%lf,%lf", file->device, file->unit, way, path,
		   &s.bytes, &s.count, &s.delay, &s.time, &s.spread, &s.cpu) != 10)
		return false;
	set = set_named(file, way, path);
	if (!set || set->samples == LOGGOP_SAMPLES_MAX || !(s.bytes >= 1) || !(s.count >= 1) || !(s.delay >= 0) ||
	    !(s.time >= 0))
		return false;
	set->sample[set->samples++] = s;
	return true;
}

static int read_csv(struct loggop_file *file, FILE *from, const char *path, struct failure *error)
{
	char line[LINE_BYTES];
	unsigned number = 1;

	while (fgets(line, sizeof(line), from)) {
		number++;
		if (line[0] == '#' || read_row(file, line))
			continue;
		return failure_set(error, -EINVAL, "%.128s, line %u: must be " COLUMNS, path, number);
	}
	for (unsigned i = 0; i < file->sets; i++)
		if (loggop_set_fit(&file->set[i]))
			return terms_file_wrong(error, path, "a way needs samples with count 1, of at most 64 sizes");
	return file->sets ? 0 : terms_file_wrong(error, path, "no samples");
}

int loggop_file_read(struct loggop_file *file, const char *path, struct failure *error)
{
	FILE *from = fopen(path, "r");
	struct json_object *top;
	char line[LINE_BYTES];
	int status;

	if (!from)
		return failure_set(error, -errno, "%.128s: %s", path, strerror(errno));
	if (fgets(line, sizeof(line), from) && strcmp(line, COLUMNS "\n") == 0) {
		status = read_csv(file, from, path, error);
		fclose(from);
		return status;
	}
	fclose(from);
	top = json_object_from_file(path);
	status = top ? read_json(file, top, path, error) :
		       terms_file_wrong(error, path, "must be JSON, or CSV that begins with " COLUMNS);
	json_object_put(top);
	return status;
}
