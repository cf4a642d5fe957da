// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "paradigm/chunks.h"
#include "svg.h"
#include "workload/workload.h"

static const char css[] =
	"body { margin: 2em auto; max-width: 60em; padding: 0 1em; background: var(--paper); color: var(--ink);\n"
	"  font: 15px/1.45 system-ui, sans-serif }\n"
	"h1 { font-size: 1.5em } h2 { font-size: 1.2em; margin: 2.2em 0 .5em } h2, h2 + p { break-after: avoid }\n"
	"h1, code { overflow-wrap: anywhere }\n"
	"figure { margin: 1.2em 0; break-inside: avoid } figcaption { font-weight: 600; margin-bottom: .4em }\n"
	".wide { overflow-x: auto; margin: .8em 0 } tr { break-inside: avoid }\n"
	"table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }\n"
	"th, td { padding: .2em .7em; border-bottom: 1px solid var(--grid); text-align: right; white-space: nowrap }\n"
	"th:first-child, .settings td { text-align: left } .settings th { vertical-align: top }\n"
	".settings td { white-space: normal; overflow-wrap: anywhere } dt { font-weight: 600 } dd { margin: 0 0 .5em 1.5em }\n"
	".h0 { background: var(--h0) } .h1 { background: var(--h1) } .h2 { background: var(--h2) } .h3 { background: var(--h3) }\n"
	".h4 { background: var(--h4) } .h5 { background: var(--h5) } .h6 { background: var(--h6) } .h7 { background: var(--h7) }\n"
	".h8 { background: var(--h8) }\n"
	"@media print { body { max-width: none; margin: 0; padding: 0; font-size: 11px } table { font-size: 10px }\n"
	"  .wide { overflow: visible; break-inside: avoid } th, td { padding: .1em .4em } }\n";

/* The quantity that a sweep figure shows. */
struct measure {
	const char *name, *unit;
	double (*value)(const struct page_run *run, const struct result *result);
	void (*cell)(FILE *to, double value);
	const char *bound_name;
	double (*bound)(const struct page_run *run);
};

/* The setting that a sweep changes. */
struct subject {
	const char *title, *axis, *column, *text;
	bool changing; /* draw only paradigms that change */
};

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

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
	return ratio(run->one_gpu_ps, result->time_ps);
}

static double bound_speed_up(const struct page_run *run)
{
	return ratio(run->one_gpu_ps, run->counts.last_ps);
}

/* 12 345 678; counts fit a double. */
static void cell_count(FILE *to, double value)
{
	char digits[32];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%.0f", value);

	fputs("<td>", to);
	for (size_t i = 0; i < length; i++)
		fprintf(to, "%s%c", i && (length - i) % 3 == 0 ? "&#8239;" : "", digits[i]);
	fputs("</td>", to);
}

static void cell_microseconds(FILE *to, double value)
{
	fprintf(to, "<td>%.3f</td>", value * 1e6);
}

static void cell_number(FILE *to, double value)
{
	fprintf(to, "<td>%.3f</td>", value);
}

static const struct measure
	wire_measure = { "wire bytes", "B", wire_bytes, cell_count, "lower bound", lower_bound },
	time_measure = { "time", "s", seconds, cell_microseconds, "infinite bandwidth", bound_seconds },
	speed_up_measure = { "speed-up over one GPU", "", speed_up, cell_number, "infinite bandwidth", bound_speed_up };

static void row_begin(FILE *to, const char *name)
{
	fputs("<tr><th scope=\"row\">", to);
	svg_text(to, name);
	fputs("</th>", to);
}

/* A table head: a column for each name; the list ends with NULL. */
static void table_begin(FILE *to, const char *id, const char *const *columns)
{
	fprintf(to, "<div class=\"wide\"><table id=\"%s\">\n<thead><tr>", id);
	for (; *columns; columns++) {
		fputs("<th scope=\"col\">", to);
		svg_text(to, *columns);
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>\n", to);
}

static void table_end(FILE *to)
{
	fputs("</tbody></table></div>\n", to);
}

static void figure_begin(FILE *to, const char *caption)
{
	fputs("<figure><figcaption>", to);
	svg_text(to, caption);
	fputs("</figcaption>\n", to);
}

static void setting(FILE *to, const char *name, const char *value)
{
	row_begin(to, name);
	fputs("<td><bdi>", to);
	svg_text(to, value);
	fputs("</bdi></td></tr>\n", to);
}

/* The words of the command line, each in its own element, without shell quoting. */
static void words(FILE *to, const struct page *p)
{
	row_begin(to, "command");
	fputs("<td><code>gpulink-replay</code> <code>run</code>", to);
	for (int i = 0; i < p->words; i++) {
		fputs(" <code>", to);
		svg_text(to, p->word[i]);
		fputs("</code>", to);
	}
	fputs("</td></tr>\n", to);
}

static void workload_settings(FILE *to, const struct page *p)
{
	const struct stream_options *o = &p->run.options.stream;
	const struct replay_workload *w = replay_workload_find(o->workload);
	char text[512];

	if (!w)
		return;
	setting(to, "workload", w->summary);
	setting(to, "result check", p->check);
	if (o->input)
		setting(to, "input", o->input);
	if (w->size_means && !o->input) {
		snprintf(text, sizeof(text), "%" PRIu64 " (%s)", o->size ? o->size : w->size, w->size_means);
		setting(to, "size", text);
	}
	if (o->iterations || w->iterations)
		snprintf(text, sizeof(text), "%u", o->iterations ? o->iterations : w->iterations);
	else
		snprintf(text, sizeof(text), "until convergence");
	setting(to, "iterations", text);
	snprintf(text, sizeof(text), "%u bytes", o->element ? o->element : w->element);
	setting(to, "elements", text);
	snprintf(text, sizeof(text), "%" PRIu64, o->seed);
	setting(to, "seed", text);
}

static void system_settings(FILE *to, const struct page *p)
{
	const struct options *o = &p->run.options;
	const struct setting *s = &o->setting;
	char text[512];

	snprintf(text, sizeof(text), "%s, %.2f GB/s in each direction%s", s->link.name, link_bytes_per_second(&s->link) / 1e9,
		 s->link.digest_bytes ? ", with ECRC" : "");
	setting(to, "link", text);
	setting(to, "link bytes", s->link.formula);
	snprintf(text, sizeof(text), "at most %u bytes per transaction", s->link.payload_bytes);
	setting(to, "maximum payload size", text);
	snprintf(text, sizeof(text), "%u entries of 128 bytes per destination", s->queue_entries);
	setting(to, "write queue", text);
	snprintf(text, sizeof(text), "%u bytes", s->subheader_bytes);
	setting(to, "sub-headers", text);
	if (!o->timed)
		return;
	snprintf(text, sizeof(text), "%.3f ns", (double)o->timing.latency_ps / 1e3);
	setting(to, "latency", text);
	snprintf(text, sizeof(text), "%" PRIu64 " bytes ahead of each source's link; a full buffer stalls the source", o->timing.buffer_bytes);
	setting(to, "buffer", text);
}

static void settings(FILE *to, const struct page *p)
{
	const struct stream_counts *c = &p->run.counts;
	char text[512];

	fputs("<h2>Settings</h2>\n<div class=\"wide settings\"><table id=\"settings\"><tbody>\n", to);
	setting(to, "stream", p->stream);
	if (p->run.options.stream.workload)
		workload_settings(to, p);
	snprintf(text, sizeof(text), "%u", p->run.gpus);
	setting(to, "GPUs", text);
	snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " bytes in total, %" PRIu64 " of them unique", c->stores, c->store_bytes,
		 c->unique_bytes);
	setting(to, "stores", text);
	snprintf(text, sizeof(text), "%" PRIu64 " loads, %" PRIu64 " atomics (%" PRIu64 " bytes on the wire, the same for each "
		 "transfer method and not included in the byte figures), %" PRIu64 " releases, %" PRIu64 " barriers",
		 c->loads, c->atomics, c->alike_bytes, c->releases, c->barriers);
	setting(to, "other operations", text);
	setting(to, "bulk copies", c->copies ? "those in the stream" : "each page of 4096 bytes with a store");
	system_settings(to, p);
	words(to, p);
	table_end(to);
}

/* dma's result, the reference for bytes. NULL: not selected, or it sent nothing. */
static const struct result *dma_of(const struct page_run *run)
{
	for (unsigned i = 0; i < run->results; i++)
		if (run->result[i].paradigm == &paradigm_dma && run->result[i].wire_bytes)
			return &run->result[i];
	return NULL;
}

static void bytes_drawing(FILE *to, const struct page_run *run)
{
	const struct result *dma = dma_of(run);
	double whole = dma ? (double)dma->wire_bytes : 1;
	struct svg_bars bars = { .title = "Bytes on the wire of each transfer method: useful, protocol, wasted",
				 .axis = dma ? "bytes on the wire; dma is 1" : "bytes on the wire", .unit = dma ? "" : "B",
				 .parts = 3, .bars = run->results, .part_name = { "useful", "protocol", "wasted" },
				 .mark = lower_bound(run) / whole, .mark_name = "lower bound" };

	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];
		struct svg_bar *b = &bars.bar[i];
		char bytes[32];

		svg_quantity(bytes, sizeof(bytes), (double)r->wire_bytes, "B");
		*b = (struct svg_bar){ .name = r->paradigm->label,
				       .part = { (double)r->useful_bytes / whole, (double)r->protocol_bytes / whole,
						 (double)r->wasted_bytes / whole } };
		if (dma)
			snprintf(b->label, sizeof(b->label), "%.3g (%s)", (double)r->wire_bytes / whole, bytes);
		else
			snprintf(b->label, sizeof(b->label), "%s", bytes);
	}
	svg_bars(to, &bars);
}

static void bytes_row(FILE *to, const char *name, const uint64_t bytes[4], const struct result *dma)
{
	row_begin(to, name);
	for (unsigned i = 0; i < 4; i++)
		cell_count(to, (double)bytes[i]);
	if (dma)
		fprintf(to, "<td>%.4f</td>", ratio(bytes[0], dma->wire_bytes));
	fputs("</tr>\n", to);
}

static void bytes_section(FILE *to, const struct page_run *run)
{
	const struct result *dma = dma_of(run);
	const struct stream_counts *c = &run->counts;

	fputs("<h2>Bytes on the wire</h2>\n<p>Useful bytes become visible at a destination at a release. Wasted bytes were overwritten "
	      "before the release, or copied without having been stored. Protocol is everything else. Compare Figure 10 of the "
	      "FinePack paper.</p>\n", to);
	figure_begin(to, "Bytes on the links, by transfer method");
	bytes_drawing(to, run);
	table_begin(to, "bytes", (const char *const[]){ "paradigm", "wire bytes", "useful", "protocol", "wasted",
							dma ? "dma = 1" : NULL, NULL });
	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];

		bytes_row(to, r->paradigm->label,
			  (uint64_t[]){ r->wire_bytes, r->useful_bytes, r->protocol_bytes, r->wasted_bytes }, dma);
	}
	bytes_row(to, "lower bound",
		  (uint64_t[]){ c->lower_bound_bytes, c->unique_bytes, c->lower_bound_bytes - c->unique_bytes, 0 }, dma);
	table_end(to);
	fputs("</figure>\n", to);
}

static void packets_section(FILE *to, const struct page_run *run)
{
	struct svg_bars bars = { .title = "Stores per packet of each transfer method", .axis = "stores per packet", .unit = "",
				 .parts = 1, .bars = run->results };

	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];

		bars.bar[i] = (struct svg_bar){ .name = r->paradigm->label, .part = { r->stores_per_packet } };
		snprintf(bars.bar[i].label, sizeof(bars.bar[i].label), "%.1f", r->stores_per_packet);
	}
	fputs("<h2>Stores per packet</h2>\n<p>Stores of the stream per transaction on the link. Compare Figure 11 of the FinePack paper.</p>\n", to);
	figure_begin(to, "Stores per packet, by transfer method");
	svg_bars(to, &bars);
	table_begin(to, "packets", (const char *const[]){ "paradigm", "packets", "stores per packet", NULL });
	for (unsigned i = 0; i < run->results; i++) {
		row_begin(to, run->result[i].paradigm->label);
		cell_count(to, (double)run->result[i].packets);
		cell_number(to, run->result[i].stores_per_packet);
		fputs("</tr>\n", to);
	}
	table_end(to);
	fputs("</figure>\n", to);
}

static void time_section(FILE *to, const struct page_run *run)
{
	bool known = run->one_gpu_ps;

	if (!run->options.timed)
		return;
	fputs("<h2>Time</h2>\n<p>Each GPU has one link to a switch with unlimited buffers. A GPU computes while it sends, unless "
	      "its buffer is full; at a barrier all GPUs wait until everything has arrived. Compute time is estimated by the "
	      "workload, or taken from the trace; launching copies and kernels costs nothing. Infinite bandwidth is the time "
	      "if sending took none.", to);
	if (known)
		fprintf(to, " One GPU takes %.3f \u00b5s.", (double)run->one_gpu_ps / 1e6);
	fputs("</p>\n", to);
	table_begin(to, "time", (const char *const[]){ "paradigm", "\u00b5s", "stalled, \u00b5s", known ? "speed-up" : NULL,
						       NULL });
	for (unsigned i = 0; i <= run->results; i++) {
		bool bound = i == run->results;
		const struct result *r = &run->result[i];

		row_begin(to, bound ? time_measure.bound_name : r->paradigm->label);
		cell_microseconds(to, bound ? bound_seconds(run) : seconds(run, r));
		cell_microseconds(to, bound ? 0 : (double)r->stalled_ps * 1e-12);
		if (known)
			cell_number(to, bound ? bound_speed_up(run) : speed_up(run, r));
		fputs("</tr>\n", to);
	}
	table_end(to);
}

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
	const char *columns[COMPARISON_PARADIGMS_MAX + 3] = { subject->column };
	struct svg_lines lines = lines_of(s, subject, m);
	bool bound = add_bound(&lines, s, m);
	char text[192];

	for (unsigned i = 0; i < first->results; i++)
		columns[i + 1] = first->result[i].paradigm->label;
	columns[first->results + 1] = m->bound_name;
	snprintf(text, sizeof(text), "%s: %s%s%s%s", subject->title, m->name,
		 m == &time_measure ? "; in the table in \u00b5s" : "", bound ? "" : "; out of range, only in the table: ",
		 bound ? "" : m->bound_name);
	figure_begin(to, text);
	svg_lines(to, &lines);
	table_begin(to, id, columns);
	for (unsigned k = 0; k < s->count; k++) {
		row_begin(to, s->step[k].value);
		for (unsigned i = 0; i < first->results; i++)
			m->cell(to, m->value(&s->step[k], &s->step[k].result[i]));
		m->cell(to, m->bound(&s->step[k]));
		fputs("</tr>\n", to);
	}
	table_end(to);
	fputs("</figure>\n", to);
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
	snprintf(name, sizeof(name), "%s-bytes", id);
	if (bytes)
		sweep_figure(to, name, s, subject, &wire_measure);
	snprintf(name, sizeof(name), "%s-time", id);
	if (second)
		sweep_figure(to, name, s, subject, second);
}

static void sweeps(FILE *to, const struct page *p)
{
	static const struct subject
		subheader = { "Sub-header width", "sub-header width in bytes", "bytes",
			      "A wider sub-header widens a packet's address window and costs more bytes per store. Compare Figure "
			      "12 of the FinePack paper. The figures show the methods that depend on it, the tables show all.", true },
		payload = { "Maximum payload size", "maximum payload size in bytes", "bytes",
			    "The maximum payload of a transaction. Today's devices use 128 to 512 bytes; the FinePack paper uses "
			    "4096.", false },
		bandwidth = { "Bandwidth", "link", "link",
			      "The same stream over faster links. Compare Figure 13 of the FinePack paper.",
			      false },
		scaling = { "Scaling", "GPUs", "GPUs", "The same problem on more GPUs.", false };
	const struct measure *time = p->run.options.timed ? &time_measure : NULL;
	const struct measure *speed = p->run.one_gpu_ps ? &speed_up_measure : time;

	sweep_section(to, "subheader", &p->subheader, &subheader, true, time);
	sweep_section(to, "payload", &p->payload, &payload, true, time);
	sweep_section(to, "bandwidth", &p->link, &bandwidth, false, speed);
	sweep_section(to, "scaling", &p->gpus, &scaling, true, speed);
	if (p->gpus_left_out[0]) {
		fputs("<p>Larger numbers of GPUs are not shown: <bdi>", to);
		svg_text(to, p->gpus_left_out);
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
static void region_cell(FILE *to, const struct profile *p, const struct profile_row *row)
{
	enum { HEATS = 9 };
	double copies = (double)p->row[0].result.time_ps, value = row->result.time_ps ? copies / (double)row->result.time_ps : 0;
	double heat = value * HEATS / 2; /* twice is the most that hiding gives where computing takes as long */

	fprintf(to, "<td class=\"h%u\">%.3f%s</td>", (unsigned)fmin(heat, HEATS - 1), value, row == &p->row[p->best] ? "*" : "");
}

static void regions(FILE *to, const struct page *p)
{
	const char *columns[REGION_COLUMNS + 2] = { "chunk" };
	char name[REGION_COLUMNS][32];

	if (!p->profile.rows)
		return;
	for (unsigned i = 0; i < REGION_COLUMNS; i++) {
		snprintf(name[i], sizeof(name[i]), region_columns[i].threads ? "%s %u" : "%s", agent_name(region_columns[i].kind),
			 region_columns[i].threads);
		columns[i + 1] = name[i];
	}
	fputs("<h2>Regions</h2>\n<p>PROACT's regions: a chunk is sent when its last store is done, by the card, by threads that poll for "
	      "it, or by a kernel launched for it; columns have the agent and its threads. A cell is how many times as fast that is as "
	      "copies at the end of each phase", to);
	fprintf(to, " (%.3f \u00b5s). The best agent is marked with an asterisk if it is faster than copies and inline stores. "
		"gpulink-replay profile tries more combinations.</p>\n", p->copies_us);
	figure_begin(to, "Speed-up to copies, by chunk size, agent and threads");
	table_begin(to, "regions", columns);
	for (uint32_t chunk = CHUNK_BYTES_MIN; chunk <= CHUNK_BYTES_MAX; chunk *= 4) {
		char size[16];

		row_begin(to, profile_size(chunk, size));
		for (unsigned i = 0; i < REGION_COLUMNS; i++)
			region_cell(to, &p->profile, profile_find(&p->profile, region_columns[i].kind, chunk, region_columns[i].threads));
		fputs("</tr>\n", to);
	}
	table_end(to);
	fputs("</figure>\n", to);
}

static void paradigms(FILE *to, const struct page_run *run)
{
	fputs("<h2>Transfer methods</h2>\n<dl>\n", to);
	for (unsigned i = 0; i < run->results; i++) {
		fputs("<dt>", to);
		svg_text(to, run->result[i].paradigm->label);
		fputs("</dt><dd>", to);
		svg_text(to, run->result[i].paradigm->summary);
		fputs("</dd>\n", to);
	}
	fputs("<dt>lower bound</dt><dd>the unique bytes in maximum-size transactions, with addresses at no cost</dd>\n"
	      "</dl>\n", to);
}

void page_write(FILE *to, const struct page *p)
{
	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>",
	      to);
	svg_text(to, p->stream);
	fputs(" - gpulink-replay</title>\n<style>\n", to);
	svg_css(to);
	fputs(css, to);
	fputs("</style>\n</head>\n<body>\n", to);
	svg_patterns(to);
	fputs("<h1>Savings of a gpulink card on <bdi>", to);
	svg_text(to, p->stream);
	fprintf(to, "</bdi>, %u GPUs</h1>\n", p->run.gpus);
	settings(to, p);
	bytes_section(to, &p->run);
	packets_section(to, &p->run);
	time_section(to, &p->run);
	sweeps(to, p);
	regions(to, p);
	paradigms(to, &p->run);
	fputs("</body>\n</html>\n", to);
}
