// SPDX-License-Identifier: Apache-2.0
/* The page of gpulinkctl tune. */
#include "tune.h"

#include <inttypes.h>
#include <string.h>

#include <svg.h>

static const char css[] =
	"body { max-width: 760px; margin: 2em auto; padding: 0 1em; font: 15px system-ui, sans-serif; color: var(--ink);\n"
	"  background: var(--paper) }\n"
	"table { border-collapse: collapse }\n"
	"td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid var(--grid) }\n"
	"td.name, th.name { text-align: left }\n";

/* Sizes that a drawing shows. */
struct drawing {
	const char *title;
	unsigned points;
	uint64_t bytes[SVG_POINTS_MAX];
	const char *name[SVG_POINTS_MAX];
};

static const struct drawing drawings[] = {
	{ "Time per message, in a row of 256, up to 32 bytes", 6, { 1, 2, 4, 8, 16, 32 }, { "1", "2", "4", "8", "16", "32" } },
	{ "Time per message, in a row of 256, from 64 bytes on", 8,
	  { 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576 },
	  { "64", "256", "1 Ki", "4 Ki", "16 Ki", "64 Ki", "256 Ki", "1 Mi" } },
};

static bool add_line(struct svg_lines *l, const struct drawing *d, const struct loggop_set *set, char *name, size_t room)
{
	const struct loggop_curve *c = &set->single;
	double unit = *l->unit ? 1e-9 : 1;

	if (l->lines == SVG_LINES_MAX || !c->count || (double)d->bytes[0] < c->segment[0].from ||
	    (double)d->bytes[d->points - 1] > c->segment[c->count - 1].to)
		return false;
	snprintf(name, room, "%s, %s", set->way, set->path);
	l->line[l->lines] = (struct svg_line){ .name = name, .style = l->lines % (SVG_STYLES - 1) };
	for (unsigned p = 0; p < d->points; p++)
		l->line[l->lines].value[p] = loggop_time(set, ADVICE_STREAM, (double)d->bytes[p]) / ADVICE_STREAM * unit;
	l->lines++;
	return true;
}

/* Of each way the cheapest path, so that lines can be told apart. */
static void draw(FILE *to, const struct loggop_file *file, const struct drawing *d)
{
	struct svg_lines l = { .title = d->title, .x_axis = "bytes of a message", .y_axis = "time per message",
			       .unit = !strcmp(file->unit, "ns") ? "s" : "", .points = d->points };
	char names[SVG_LINES_MAX][SVG_LABEL_BYTES];
	double middle = (double)d->bytes[d->points / 2];

	for (unsigned p = 0; p < d->points; p++)
		l.point[p] = d->name[p];
	for (unsigned i = 0; i < file->sets && l.lines < SVG_LINES_MAX; i++) {
		bool best = true;

		for (unsigned k = 0; k < file->sets; k++)
			if (k != i && !strcmp(file->set[k].way, file->set[i].way) &&
			    loggop_time(&file->set[k], ADVICE_STREAM, middle) <
				    loggop_time(&file->set[i], ADVICE_STREAM, middle))
				best = false;
		if (best)
			add_line(&l, d, &file->set[i], names[l.lines], sizeof(names[0]));
	}
	if (!l.lines)
		return;
	fputs("<figure>\n", to);
	svg_lines(to, &l);
	fputs("</figure>\n", to);
}

static void cell(FILE *to, const struct loggop_set *set, double time)
{
	fputs("<td class=\"name\">", to);
	svg_text(to, set->way);
	fputs(", ", to);
	svg_text(to, set->path);
	fprintf(to, "</td><td>%.1f</td>", time);
}

static void tune_page_table(FILE *to, const struct advice *a)
{
	fputs("<table>\n<tr><th>bytes</th><th class=\"name\">one</th><th>time</th><th class=\"name\">256 in a row</th>"
	      "<th>time each</th><th class=\"name\">ruled by</th><th>ring from</th></tr>\n",
	      to);
	for (unsigned i = 0; i < a->rows; i++) {
		const struct advice_row *r = &a->row[i];
		char text[16];

		fprintf(to, "<tr><td>%" PRIu64 "</td>", r->bytes);
		cell(to, r->single, r->single_time);
		cell(to, r->stream, r->stream_time);
		fputs("<td class=\"name\">", to);
		svg_text(to, r->bound);
		tune_ring_from(text, sizeof(text), r->ring_from);
		fprintf(to, "</td><td>%s</td></tr>\n", text);
	}
	fputs("</table>\n", to);
}

void tune_ring_from(char *text, size_t room, int count)
{
	if (count > 0)
		snprintf(text, room, "%d", count);
	else
		snprintf(text, room, "%s", count ? "-" : "never");
}

void tune_page(FILE *to, const struct loggop_file *file, const struct advice *advice)
{
	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>",
	      to);
	svg_text(to, file->device);
	fputs(" - gpulinkctl tune</title>\n<style>\n", to);
	svg_css(to);
	fputs(css, to);
	fputs("</style>\n</head>\n<body>\n", to);
	svg_patterns(to);
	fputs("<h1>Ways to send on <bdi>", to);
	svg_text(to, file->device);
	fputs("</bdi></h1>\n<p>Times in ", to);
	svg_text(to, file->unit);
	fputs(": ", to);
	svg_text(to, file->basis);
	fputs(".</p>\n", to);
	for (unsigned i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++)
		draw(to, file, &drawings[i]);
	tune_page_table(to, advice);
	fputs("</body>\n</html>\n", to);
}
