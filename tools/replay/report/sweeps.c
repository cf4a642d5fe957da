// SPDX-License-Identifier: Apache-2.0
/* The sweeps of a setting, and the map of regions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paradigm/chunks.h"
#include "parts.h"

_Static_assert((int)PARADIGM_COUNT <= (int)SVG_BARS_MAX && PARADIGM_COUNT + 1 <= (int)SVG_LINES_MAX,
	       "a bar for each transfer method, a line for each and for the bound");
_Static_assert(PARADIGM_COUNT + 2 <= (int)SHEET_COLUMNS_MAX, "a column for each, for the setting and for the bound");

/* The quantity that a sweep figure shows. */
struct measure {
	const char *name, *unit;
	double (*value)(const struct page_run *run, const struct result *result);
	void (*cell)(struct sheet *sheet, double value);
	const char *bound_name;
	double (*bound)(const struct page_run *run);
};

/* The setting that a sweep changes. */
struct subject {
	const char *title, *axis, *column, *text;
	bool changing; /* draw only paradigms that change */
};

static double wire_bytes(const struct page_run *run, const struct result *result)
{
	(void)run;
	return (double)result->wire_bytes;
}

static double lower_bound(const struct page_run *run)
{
	return (double)run->counts.lower_bound_bytes;
}

static double seconds(const struct page_run *run, const struct result *result)
{
	(void)run;
	return (double)result->time_ps * 1e-12;
}

static double bound_seconds(const struct page_run *run)
{
	return (double)run->counts.last_ps * 1e-12;
}

static double speed_up(const struct page_run *run, const struct result *result)
{
	return parts_ratio(run->one_gpu_ps, result->time_ps);
}

static double bound_speed_up(const struct page_run *run)
{
	return parts_ratio(run->one_gpu_ps, run->counts.last_ps);
}

static void cell_microseconds(struct sheet *sheet, double value)
{
	sheet_number(sheet, value * 1e6, 3);
}

static void cell_number(struct sheet *sheet, double value)
{
	sheet_number(sheet, value, 3);
}

static const struct measure
	wire_measure = { "wire bytes", "B", wire_bytes, sheet_count, "lower bound", lower_bound },
	time_measure = { "time", "s", seconds, cell_microseconds, "infinite bandwidth", bound_seconds },
	speed_up_measure = { "speed-up over one GPU", "", speed_up, cell_number, "infinite bandwidth", bound_speed_up };

static unsigned style_of(const struct paradigm *paradigm)
{
	unsigned i = 0;

	while (paradigm_at(i) && paradigm_at(i) != paradigm)
		i++;
	return i % (SVG_STYLES - 1);
}

static bool changes(const struct page_sweep *s, unsigned paradigm)
{
	for (unsigned i = 1; i < s->count; i++)
		if (s->step[i].result[paradigm].wire_bytes != s->step[0].result[paradigm].wire_bytes)
			return true;
	return false;
}

/* The lines of the paradigms. */
static struct svg_lines lines_of(const struct page_sweep *s, const struct subject *subject, const struct measure *m)
{
	struct svg_lines lines = { .title = subject->title, .x_axis = subject->axis, .y_axis = m->name, .unit = m->unit,
				   .points = s->count };
	bool any = false;

	for (unsigned k = 0; k < s->count; k++)
		lines.point[k] = s->step[k].value;
	for (unsigned i = 0; i < s->step[0].results; i++)
		any |= changes(s, i);
	for (unsigned i = 0; i < s->step[0].results; i++) {
		struct svg_line *line = &lines.line[lines.lines];

		if (subject->changing && any && !changes(s, i))
			continue;
		line->name = s->step[0].result[i].paradigm->label;
		line->style = style_of(s->step[0].result[i].paradigm);
		for (unsigned k = 0; k < s->count; k++)
			line->value[k] = m->value(&s->step[k], &s->step[k].result[i]);
		lines.lines++;
	}
	return lines;
}

/* Adds the bound, unless its distance would squeeze the paradigms' lines together. */
static bool add_bound(struct svg_lines *lines, const struct page_sweep *s, const struct measure *m)
{
	enum { FAR = 3 };
	struct svg_line *line = &lines->line[lines->lines];
	double least = lines->line[0].value[0], most = least;

	for (unsigned i = 0; i < lines->lines; i++) {
		for (unsigned k = 0; k < s->count; k++) {
			least = fmin(least, lines->line[i].value[k]);
			most = fmax(most, lines->line[i].value[k]);
		}
	}
	*line = (struct svg_line){ .name = m->bound_name, .style = SVG_STYLES - 1 };
	for (unsigned k = 0; k < s->count; k++) {
		line->value[k] = m->bound(&s->step[k]);
		if (line->value[k] > FAR * most || line->value[k] < least / FAR)
			return false;
	}
	lines->lines++;
	return true;
}

static void sweep_figure(FILE *to, const char *id, const struct page_sweep *s, const struct subject *subject,
			 const struct measure *m)
{
	const struct page_run *first = &s->step[0];
	const char *columns[PARADIGM_COUNT + 3] = { subject->column };
	struct svg_lines lines = lines_of(s, subject, m);
	bool bound = add_bound(&lines, s, m);
	struct sheet sheet;
	char text[192];

	for (unsigned i = 0; i < first->results; i++)
		columns[i + 1] = first->result[i].paradigm->label;
	columns[first->results + 1] = m->bound_name;
	snprintf(text, sizeof(text), "%s: %s%s%s%s", subject->title, m->name,
		 m == &time_measure ? "; in the table in \u00b5s" : "", bound ? "" : "; out of range, only in the table: ",
		 bound ? "" : m->bound_name);
	sheet_begin(&sheet, id, columns);
	for (unsigned k = 0; k < s->count; k++) {
		sheet_row(&sheet, s->step[k].value);
		for (unsigned i = 0; i < first->results; i++)
			m->cell(&sheet, m->value(&s->step[k], &s->step[k].result[i]));
		m->cell(&sheet, m->bound(&s->step[k]));
	}
	parts_lines(to, text, &lines, &sheet);
}

/* The tables have the ids ID-bytes and ID-time. `second` may be NULL: bytes only. */
static void sweep_section(FILE *to, const char *id, const struct page_sweep *s, const struct subject *subject,
			  bool bytes, const struct measure *second)
{
	char name[32];

	if (!s->count)
		return;
	fputs("<h2>", to);
	svg_text(to, subject->title);
	fputs("</h2>\n<p>", to);
	svg_text(to, subject->text);
	fputs("</p>\n", to);
	fputs("<div class=\"pair\">\n", to);
	snprintf(name, sizeof(name), "%s-bytes", id);
	if (bytes)
		sweep_figure(to, name, s, subject, &wire_measure);
	snprintf(name, sizeof(name), "%s-time", id);
	if (second)
		sweep_figure(to, name, s, subject, second);
	fputs("</div>\n", to);
}

void sweeps_write(FILE *to, const struct page *p)
{
	static const struct subject
		subheader = { "Sub-header width", "sub-header width in bytes", "bytes",
			      "A wider sub-header widens a packet's address window and costs more bytes per store. The "
			      "figures show the methods that depend on it, the tables show all.", true },
		payload = { "Maximum payload size", "maximum payload size in bytes", "bytes",
			    "The maximum payload of a transaction. Today's devices use 128 to 512 bytes; PCIe "
			    "allows 4096.", false },
		bandwidth = { "Bandwidth", "link", "link",
			      "The same stream over slower and faster links.", false },
		scaling = { "Scaling", "GPUs", "GPUs", "The same problem on more GPUs.", false };
	const struct measure *time = p->run.options.timed ? &time_measure : NULL;
	const struct measure *speed = p->run.one_gpu_ps ? &speed_up_measure : time;

	sweep_section(to, "subheader", &p->subheader, &subheader, true, time);
	sweep_section(to, "payload", &p->payload, &payload, true, time);
	sweep_section(to, "bandwidth", &p->link, &bandwidth, false, speed);
	sweep_section(to, "scaling", &p->gpus, &scaling, true, speed);
	if (p->gpus_left_out.text[0]) {
		fputs("<p>Larger numbers of GPUs are not shown: <bdi>", to);
		svg_text(to, p->gpus_left_out.text);
		fputs("</bdi></p>\n", to);
	}
}

/* Columns of the map of regions. */
static const struct {
	enum agent_kind kind;
	unsigned threads;
} region_columns[] = { { AGENT_CARD, 0 },      { AGENT_POLLING, 32 },	{ AGENT_POLLING, 128 }, { AGENT_POLLING, 512 },
		       { AGENT_POLLING, 2048 }, { AGENT_POLLING, 8192 }, { AGENT_LAUNCH, 32 },	 { AGENT_LAUNCH, 128 },
		       { AGENT_LAUNCH, 512 },	{ AGENT_LAUNCH, 2048 },	 { AGENT_LAUNCH, 8192 } };
enum { REGION_COLUMNS = sizeof(region_columns) / sizeof(region_columns[0]) };

unsigned page_region_agents(struct agent *list)
{
	unsigned count = 0;

	for (uint32_t chunk = CHUNK_BYTES_MIN; chunk <= CHUNK_BYTES_MAX; chunk *= 4)
		for (unsigned i = 0; i < REGION_COLUMNS; i++)
			list[count++] = (struct agent){ .kind = region_columns[i].kind,
							.chunk_bytes = chunk,
							.threads = region_columns[i].threads ? region_columns[i].threads : 1 };
	return count;
}

/* The number of copies' time over this one's, on a colour of HEATS that says the same; the best is marked. */
static void region_cell(struct sheet *s, const struct profile *p, const struct profile_row *row)
{
	enum { HEATS = 9 };
	double copies = (double)p->row[0].result.time_ps,
	       value = row->result.time_ps ? copies / (double)row->result.time_ps : 0;
	double heat = value * HEATS / 2; /* twice is the most that hiding gives where computing takes as long */
	char text[24], style[4];

	snprintf(text, sizeof(text), "%.3f%s", value, row == &p->row[p->best] ? "*" : "");
	snprintf(style, sizeof(style), "h%u", (unsigned)fmin(heat, HEATS - 1));
	sheet_text(s, text, style);
}

static void regions_text(FILE *to, const struct page *p)
{
	fputs("<h2>Regions</h2>\n<p>PROACT's regions: a chunk is sent when its last store is done, by the card, by threads that poll for "
	      "it, or by a kernel launched for it; columns have the agent and its threads. A cell is how many times as fast that is as "
	      "copies at the end of each phase",
	      to);
	fprintf(to, " (%.3f \u00b5s). The best agent is marked with an asterisk if it is faster than copies and inline stores. "
		"gpulink-replay profile tries more combinations.", (double)p->profile.row[0].result.time_ps / 1e6);
	if (p->profile_operations < p->run.counts.operations)
		fprintf(to, " The map is of the first %" PRIu64 " of %" PRIu64 " operations.", p->profile_operations,
			p->run.counts.operations);
	fputs("</p>\n", to);
}

void regions_write(FILE *to, const struct page *p)
{
	const char *columns[REGION_COLUMNS + 2] = { "chunk" };
	char name[REGION_COLUMNS][32];
	struct sheet s;

	if (!p->profile.rows)
		return;
	for (unsigned i = 0; i < REGION_COLUMNS; i++) {
		snprintf(name[i], sizeof(name[i]), region_columns[i].threads ? "%s %u" : "%s",
			 agent_name(region_columns[i].kind), region_columns[i].threads);
		columns[i + 1] = name[i];
	}
	regions_text(to, p);
	sheet_begin(&s, "regions", columns);
	for (uint32_t chunk = CHUNK_BYTES_MIN; chunk <= CHUNK_BYTES_MAX; chunk *= 4) {
		char size[16];

		sheet_row(&s, profile_size(chunk, size));
		for (unsigned i = 0; i < REGION_COLUMNS; i++)
			region_cell(&s, &p->profile,
				    profile_find(&p->profile, region_columns[i].kind, chunk, region_columns[i].threads));
	}
	fputs("<figure><figcaption>Speed-up to copies, by chunk size, agent and threads</figcaption>\n", to);
	sheet_write(to, &s);
	fputs("</figure>\n", to);
}
