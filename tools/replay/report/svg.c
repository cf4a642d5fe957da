// SPDX-License-Identifier: Apache-2.0
#include "svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { THICK = 20, ABOVE = 16 }; /* of a bar; of its name in narrow drawings */
enum { WIDTH = 720, NARROW = 372, TICKS_MAX = 16, TEXT_HEIGHT = 15 };

static const char css[] =
	"svg { display: block; width: 100%; max-width: 900px; height: auto; font: 12px system-ui, sans-serif }\n"
	"svg text { fill: var(--ink); stroke: var(--paper); stroke-width: 3px; paint-order: stroke }\n"
	"svg .middle { text-anchor: middle } svg .end { text-anchor: end }\n"
	"svg .grid { stroke: var(--grid) } svg .axis { stroke: var(--ink) }\n"
	"svg .mark { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 3 }\n"
	"svg .leader { stroke: var(--faint); stroke-width: .7 }\n"
	"svg .edge { stroke: var(--paper) }\n"
	"svg .plain { fill: var(--useful) }\n"
	"svg .protocol { fill: var(--protocol) } svg .wasted { fill: var(--wasted) } svg .hatch { stroke: var(--hatch) }\n"
	"svg .dot { fill: var(--hatch) } svg .fourth { fill: var(--fourth) } svg .fifth { fill: var(--fifth); stroke: var(--ink) }\n"
	"svg .cut { stroke: var(--paper); stroke-width: 3 }\n"
	"svg .line { fill: none; stroke-width: 2 } svg .marker { stroke-width: 1.5 }\n"
	"svg .s0 { stroke: var(--s0) } svg .s1 { stroke: var(--s1); stroke-dasharray: 7 3 }\n"
	"svg .s2 { stroke: var(--s2); stroke-dasharray: 2 3 } svg .s3 { stroke: var(--s3); stroke-width: 3 }\n"
	"svg .s4 { stroke: var(--s4); stroke-dasharray: 11 3 2 3 } svg .s5 { stroke: var(--s5); stroke-dasharray: 4 4 }\n"
	"svg .s6 { stroke: var(--faint); stroke-dasharray: 1 4 }\n"
	"svg .marker { stroke-dasharray: none; fill: var(--paper) }\n"
	":root { color-scheme: light; --paper: #ffffff; --ink: #1b1b1b; --faint: #666666; --grid: #dddddd;\n"
	"  --useful: #0072b2; --protocol: #e69f00; --wasted: #bbbbbb; --hatch: #4d3500;\n"
	"  --fourth: #009e73; --fifth: #ffffff;\n"
	"  --s0: #cc4455; --s1: #a08800; --s2: #1f8fb8; --s3: #2f5f9e; --s4: #1f7f33; --s5: #aa3377;\n"
	"  --h0: #ffffff; --h1: #f4f8fb; --h2: #e6f0f7; --h3: #d5e6f2; --h4: #c0d9ec; --h5: #a8cbe5; --h6: #8dbbdd;\n"
	"  --h7: #70aad4; --h8: #5199ca }\n"
	"@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark;\n"
	"  --paper: #161616; --ink: #e8e8e8; --faint: #a0a0a0; --grid: #3a3a3a;\n"
	"  --useful: #4aa3dd; --protocol: #c98a00; --wasted: #777777; --hatch: #161616;\n"
	"  --fourth: #2fb58e; --fifth: #161616;\n"
	"  --s0: #ff8a97; --s1: #ddcc55; --s2: #66ccee; --s3: #8ab4f0; --s4: #55bb66; --s5: #e07bb0;\n"
	"  --h0: #161616; --h1: #18202a; --h2: #1a2a3a; --h3: #1c3448; --h4: #1d3e57; --h5: #1e4866; --h6: #1f5375;\n"
	"  --h7: #1f5d84; --h8: #1f6894 } }\n";

void svg_css(FILE *to)
{
	fputs(css, to);
}

void svg_patterns(FILE *to)
{
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"position: absolute; width: 0; height: 0\" "
	      "aria-hidden=\"true\"><defs>\n"
	      "<pattern id=\"protocol\" patternUnits=\"userSpaceOnUse\" width=\"7\" height=\"7\" patternTransform=\"rotate(45)\">"
	      "<rect class=\"protocol\" width=\"7\" height=\"7\"/><line class=\"hatch\" y2=\"7\"/></pattern>\n"
	      "<pattern id=\"wasted\" patternUnits=\"userSpaceOnUse\" width=\"6\" height=\"6\">"
	      "<rect class=\"wasted\" width=\"6\" height=\"6\"/><circle class=\"dot\" cx=\"3\" cy=\"3\" r=\"1\"/></pattern>\n"
	      "</defs></svg>\n",
	      to);
}

/* Bytes of the UTF-8 character that text begins with; 0: it is none that may stand in a page. */
static unsigned character(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned bytes = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
	uint32_t code = bytes == 1 ? text[0] : text[0] & (0x7fu >> bytes);

	for (unsigned i = 1; i < bytes; i++) {
		if (text[i] >> 6 != 2) /* the text's end too */
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (!bytes || code < least[bytes] || code > 0x10ffff || code < ' ' || (code >= 0x7f && code < 0xa0))
		return 0;
	return (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe ? 0 : bytes;
}

void svg_text(FILE *to, const char *text)
{
	while (*text) {
		unsigned bytes = character((const unsigned char *)text);

		switch (*text) {
		case '&': fputs("&amp;", to); break;
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '"': fputs("&quot;", to); break;
		case '\'': fputs("&#39;", to); break;
		default:
			if (bytes)
				fwrite(text, 1, bytes, to);
			else
				fputs("&#xFFFD;", to);
		}
		text += bytes ? bytes : 1;
	}
}

/* With the prefix that suits `like`. */
static void quantity(char *to, size_t room, double value, double like, const char *unit)
{
	static const struct {
		double factor;
		const char *prefix;
	} prefixes[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" }, { 1e-3, "m" }, { 1e-6, "\u00b5" },
			 { 1e-9, "n" }, { 1e-12, "p" } };
	enum { ONE = 4, LAST = 8 };
	unsigned i = 0;

	if (!unit[0] || value == 0) {
		snprintf(to, room, "%.6g", value);
		return;
	}
	while (i < LAST && fabs(like) < prefixes[i].factor * 0.9995)
		i++;
	snprintf(to, room, "%.4g %s%s", value / prefixes[i].factor, prefixes[i].prefix, unit);
}

void svg_quantity(char *to, size_t room, double value, const char *unit)
{
	quantity(to, room, value, value, unit);
}

static void place_text(FILE *to, double x, double y, const char *class, const char *text)
{
	fprintf(to, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (class[0])
		fprintf(to, " class=\"%s\"", class);
	fputc('>', to);
	svg_text(to, text);
	fputs("</text>\n", to);
}

static void place_line(FILE *to, const char *class, double x1, double y1, double x2, double y2)
{
	fprintf(to, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2);
}

static void svg_begin(FILE *to, const char *title, double height, bool narrow)
{
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n<title>",
		narrow ? NARROW : WIDTH, height);
	svg_text(to, title);
	fputs("</title>\n", to);
}

struct axis {
	double low, high; /* values */
	bool logarithmic;
	double begin, end; /* where they stand on the drawing */
	unsigned ticks;
	double tick[TICKS_MAX];
};

/* 1, 2, 5, 10, 20, 50 and so on: the k-th of them; the 0th is 1, and those before it are below. */
static double round_value(int k)
{
	static const double first[] = { 1, 2, 5 };
	int decade = k >= 0 ? k / 3 : -((2 - k) / 3);

	return first[k - 3 * decade] * pow(10, decade);
}

/* The last of them that is not above a value, which is more than 0. */
static int round_below(double value)
{
	int k = 3 * (int)floor(log10(value)) - 1;

	while (round_value(k + 1) <= value * 1.000001) /* four times at most */
		k++;
	return k;
}

static struct axis linear_axis(double most)
{
	struct axis a = { .high = 1 };
	double step = round_value(round_below(most > 0 ? most / 4 : 0.25)); /* a tenth to a quarter of the most */

	a.high = step;
	for (a.ticks = 1; a.ticks < TICKS_MAX && a.tick[a.ticks - 1] < most; a.ticks++)
		a.high = a.tick[a.ticks] = a.ticks * step;
	return a;
}

static struct axis logarithmic_axis(double least, double most)
{
	struct axis a = { .logarithmic = true };
	int first = round_below(least), last = round_below(most);
	int every;

	last += round_value(last) < most;
	every = last - first > 9 ? 3 : 1; /* powers of ten alone, where there are many */
	a.low = round_value(first);
	a.high = round_value(last);
	for (int k = first; k <= last && a.ticks < TICKS_MAX; k++)
		if (k % every == 0)
			a.tick[a.ticks++] = round_value(k);
	return a;
}

/* What stands at a tick. */
static void tick_text(char *to, size_t room, const struct axis *a, unsigned tick, const char *unit)
{
	quantity(to, room, a->tick[tick], a->logarithmic ? a->tick[tick] : a->high, unit);
}

static double position(const struct axis *a, double value)
{
	double part = a->logarithmic ? log(value / a->low) / log(a->high / a->low) : (value - a->low) / (a->high - a->low);

	return a->begin + part * (a->end - a->begin);
}

static const char *const fills[SVG_PARTS_MAX] = { "class=\"plain\"", "fill=\"url(#protocol)\"", "fill=\"url(#wasted)\"",
						  "class=\"fourth\"", "class=\"fifth\"" };

/* Where the parts of a drawing stand. */
struct frame {
	double left, right, top, bar; /* bar: height of one, with its name when that stands above */
	struct axis axis;
};

/* Returns the height; draws unless `to` is NULL. */
static double legend(FILE *to, const struct svg_bars *b, double left, double right)
{
	double x = left, y = 6;

	for (unsigned i = 0; i < b->parts; i++) {
		double wide = 38 + 7.0 * (double)strlen(b->part_name[i]);

		if (i && x + wide > right) {
			x = left;
			y += 20;
		}
		if (to) {
			fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"13\" %s/>\n", x, y, fills[i]);
			place_text(to, x + 28, y + 11, "", b->part_name[i]);
		}
		x += wide + 10;
	}
	return y + 20;
}

static double sum_of(const struct svg_bars *b, const struct svg_bar *bar)
{
	double sum = 0;

	for (unsigned k = 0; k < b->parts; k++)
		sum += bar->part[k];
	return sum;
}

/* The longest bar that is drawn whole: those 3 times as long as all others are cut, so that they cannot flatten the rest. */
static double longest(const struct svg_bars *b)
{
	enum { FAR = 3 };
	double sorted[SVG_BARS_MAX];
	unsigned last = b->bars - 1;

	for (unsigned i = 0; i < b->bars; i++) {
		unsigned k = i;

		for (; k > 0 && sorted[k - 1] > sum_of(b, &b->bar[i]); k--)
			sorted[k] = sorted[k - 1];
		sorted[k] = sum_of(b, &b->bar[i]);
	}
	for (unsigned i = last; i > b->bars / 2; i--)
		if (sorted[i] > FAR * sorted[i - 1])
			last = i - 1;
	return sorted[last];
}

static void part_begin(FILE *to, const struct svg_bars *b, const struct svg_bar *bar, unsigned part)
{
	char value[SVG_LABEL_BYTES];

	svg_quantity(value, sizeof(value), bar->part[part], b->unit);
	fputs("<g><title>", to);
	svg_text(to, bar->name);
	if (b->parts > 1) {
		fputs(", ", to);
		svg_text(to, b->part_name[part]);
	}
	fputs(": ", to);
	svg_text(to, value);
	fputs("</title>", to);
}

static void bar(FILE *to, const struct svg_bars *b, const struct svg_bar *bar, const struct frame *f, double y)
{
	const struct axis *a = &f->axis;
	double x = a->begin, sum = 0;

	y += b->narrow ? ABOVE : 0;
	for (unsigned i = 0; i < b->parts; i++) {
		double end;

		sum += bar->part[i];
		end = fmin(position(a, sum), a->end);
		if (end - x < 0.05)
			continue;
		part_begin(to, b, bar, i);
		fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" %s/></g>\n", x, y, end - x, THICK,
			fills[i]);
		x = end;
	}
	if (sum > a->high * 1.000001)
		for (unsigned i = 0; i < 2; i++)
			place_line(to, "cut", a->end - 18 - 7 * i, y + THICK, a->end - 12 - 7 * i, y);
}

/* Name and label: beside the bar, or above it. */
static void bar_names(FILE *to, const struct svg_bars *b, const struct svg_bar *bar, const struct frame *f, double y)
{
	if (b->narrow) {
		place_text(to, f->left, y + 11, "", bar->name);
		place_text(to, f->right, y + 11, "end", bar->label);
		return;
	}
	place_text(to, f->left - 8, y + THICK - 6, "end", bar->name);
	place_text(to, fmin(position(&f->axis, sum_of(b, bar)), f->right) + 6, y + THICK - 6, "", bar->label);
}

/* A line across the bars, named; not where it would lie beyond the axis. */
static void bars_mark(FILE *to, const struct svg_bars *b, const struct frame *f, double bottom)
{
	double x = position(&f->axis, b->mark), half = 3.5 * (double)strlen(b->mark_name);

	place_line(to, "mark", x, f->top - 4, x, bottom);
	place_text(to, x, f->top - 8, x > f->right - half ? "end" : x < f->left + half ? "" : "middle", b->mark_name);
}

static void bars_axis(FILE *to, const struct svg_bars *b, const struct frame *f, double bottom)
{
	const struct axis *a = &f->axis;
	char text[SVG_LABEL_BYTES];

	for (unsigned i = 0; i < a->ticks; i++) {
		double x = position(a, a->tick[i]);

		place_line(to, "grid", x, f->top, x, bottom);
		tick_text(text, sizeof(text), a, i, b->unit);
		if (!b->narrow || i % 2 == 0)
			place_text(to, x, bottom + TEXT_HEIGHT,
				   b->narrow && !i		  ? "" :
				   b->narrow && i + 1 == a->ticks ? "end" :
								    "middle",
				   text);
	}
}

void svg_bars(FILE *to, const struct svg_bars *b)
{
	struct frame f = { .left = b->narrow ? 2 : 150, .right = b->narrow ? NARROW - 4 : 560, .bar = b->narrow ? 44 : 28 };
	double most = longest(b), bottom;

	if (b->mark > 0 && b->mark <= 2 * most)
		most = fmax(most, b->mark);
	f.axis = linear_axis(most);
	f.axis.begin = f.left;
	f.axis.end = f.right;
	f.top = (b->parts > 1 ? legend(NULL, b, f.left, f.right) : 6) + (b->mark > 0 ? 20 : 0);
	bottom = f.top + 8 + b->bars * f.bar;
	svg_begin(to, b->title, bottom + 40, b->narrow);
	bars_axis(to, b, &f, bottom);
	if (b->parts > 1)
		legend(to, b, f.left, f.right);
	for (unsigned i = 0; i < b->bars; i++)
		bar(to, b, &b->bar[i], &f, f.top + 8 + i * f.bar);
	place_line(to, "axis", f.left, f.top, f.left, bottom);
	if (b->mark > 0 && b->mark <= f.axis.high)
		bars_mark(to, b, &f, bottom);
	for (unsigned i = 0; i < b->bars; i++)
		bar_names(to, b, &b->bar[i], &f, f.top + 8 + i * f.bar);
	place_text(to, (f.left + f.right) / 2, bottom + 2 * TEXT_HEIGHT + 3, "middle", b->axis);
	fputs("</svg>\n", to);
}

static struct axis values_axis(const struct svg_lines *l)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < l->lines; i++) {
		for (unsigned p = 0; p < l->points; p++) {
			least = fmin(least, l->line[i].value[p]);
			most = fmax(most, l->line[i].value[p]);
		}
	}
	return least > 0 && most > 8 * least ? logarithmic_axis(least, most) : linear_axis(most);
}

/* `tip`: what it shows when pointed at, or NULL. */
static void marker(FILE *to, unsigned style, double x, double y, const char *tip)
{
	static const char *const shapes[SVG_STYLES] = { "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-4-4h8v8h-8z",
							"M0-5l5 5l-5 5l-5-5z", "M0-5l5 9h-10z", "M0 5l5-9h-10z",
							"M-4-4l8 8M4-4l-8 8", "M-4 0h8" };

	fprintf(to, "<path class=\"marker s%u\" transform=\"translate(%.1f %.1f)\" d=\"%s\">", style, x, y, shapes[style]);
	if (tip) {
		fputs("<title>", to);
		svg_text(to, tip);
		fputs("</title>", to);
	}
	fputs("</path>\n", to);
}

/* Where the names of the lines stand: beside their ends, but not on each other, and not below the drawing. */
static void place_names(const struct svg_lines *l, const struct axis *a, double *y)
{
	unsigned order[SVG_LINES_MAX];
	double last = a->begin + 4;

	for (unsigned i = 0; i < l->lines; i++) {
		unsigned k = i;

		y[i] = position(a, l->line[i].value[l->points - 1]);
		for (; k > 0 && y[order[k - 1]] > y[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	for (unsigned i = 1; i < l->lines; i++)
		y[order[i]] = fmax(y[order[i]], y[order[i - 1]] + TEXT_HEIGHT);
	for (unsigned i = l->lines; i > 0; i--) {
		y[order[i - 1]] = fmin(y[order[i - 1]], last);
		last = y[order[i - 1]] - TEXT_HEIGHT;
	}
}

static void line(FILE *to, const struct svg_lines *l, const struct svg_line *line, const struct axis *across,
		 const struct axis *a)
{
	char tip[4 * SVG_LABEL_BYTES], value[SVG_LABEL_BYTES];

	fprintf(to, "<polyline class=\"line s%u\" points=\"", line->style);
	for (unsigned p = 0; p < l->points; p++)
		fprintf(to, "%s%.1f,%.1f", p ? " " : "", position(across, p + 0.5), position(a, line->value[p]));
	fputs("\"/>\n", to);
	for (unsigned p = 0; p < l->points; p++) {
		svg_quantity(value, sizeof(value), line->value[p], l->unit);
		snprintf(tip, sizeof(tip), "%.63s, %.63s: %s", line->name, l->point[p], value);
		marker(to, line->style, position(across, p + 0.5), position(a, line->value[p]), tip);
	}
}

/* The names of the lines: beside their ends, or below. */
static void lines_names(FILE *to, const struct svg_lines *l, const struct axis *across, const struct axis *a, double below)
{
	double names[SVG_LINES_MAX];

	place_names(l, a, names);
	for (unsigned i = 0; i < l->lines; i++) {
		double x = l->narrow ? -5 : across->end, y = l->narrow ? below + 18 * i : names[i];

		if (!l->narrow)
			place_line(to, "leader", position(across, l->points - 0.5) + 6,
				   position(a, l->line[i].value[l->points - 1]), x + 8, y);
		marker(to, l->line[i].style, x + 15, y, NULL);
		place_text(to, x + 25, y + 4, "", l->line[i].name);
	}
}

static void lines_axes(FILE *to, const struct svg_lines *l, const struct axis *across, const struct axis *a)
{
	char text[SVG_LABEL_BYTES];

	snprintf(text, sizeof(text), "%s%s", l->y_axis, a->logarithmic ? " (logarithmic)" : "");
	place_text(to, 4, a->end - 16, "", text);
	for (unsigned i = 0; i < a->ticks; i++) {
		place_line(to, "grid", across->begin, position(a, a->tick[i]), across->end, position(a, a->tick[i]));
		tick_text(text, sizeof(text), a, i, l->unit);
		place_text(to, across->begin - 6, position(a, a->tick[i]) + 4, "end", text);
	}
	place_line(to, "axis", across->begin, a->begin, across->end, a->begin);
	for (unsigned p = 0; p < l->points; p++) {
		snprintf(text, sizeof(text), "%.*s", l->narrow ? (int)strcspn(l->point[p], ",") : SVG_LABEL_BYTES - 1,
			 l->point[p]);
		place_text(to, position(across, p + 0.5), a->begin + TEXT_HEIGHT, "middle", text);
	}
	place_text(to, (across->begin + across->end) / 2, a->begin + 2 * TEXT_HEIGHT + 4, "middle", l->x_axis);
}

void svg_lines(FILE *to, const struct svg_lines *l)
{
	enum { LEFT = 70, RIGHT = 555, TOP = 32, BOTTOM = 272 };
	struct axis a = values_axis(l), across = { .high = l->points, .begin = LEFT, .end = l->narrow ? NARROW - 4 : RIGHT };

	a.begin = BOTTOM;
	a.end = TOP;
	svg_begin(to, l->title, BOTTOM + 44 + (l->narrow ? 18 * l->lines : 0), l->narrow);
	lines_axes(to, l, &across, &a);
	for (unsigned i = 0; i < l->lines; i++)
		line(to, l, &l->line[i], &across, &a);
	lines_names(to, l, &across, &a, BOTTOM + 52);
	fputs("</svg>\n", to);
}
