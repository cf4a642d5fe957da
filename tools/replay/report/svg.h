/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawings: bars and lines with their axes, as SVG elements to stand in an HTML page that has svg_css() in its style and
 * svg_patterns() once in its body. Nothing depends on colour only: parts of bars have patterns, lines have
 * dashes, markers and their name at the end. Values show as tooltips. Every text is escaped.
 *
 * A narrow drawing is for the screen of a phone: names stand above bars and below lines.
 */
#ifndef REPLAY_SVG_H
#define REPLAY_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum { SVG_PARTS_MAX = 5, SVG_BARS_MAX = 16, SVG_POINTS_MAX = 8, SVG_LINES_MAX = 16, SVG_STYLES = 7, SVG_LABEL_BYTES = 64 };

/** Parts of a bar lie side by side. `label` stands at the bar's end. A bar much longer than most is cut, and shown as cut. */
struct svg_bar {
	const char *name;
	char label[SVG_LABEL_BYTES];
	double part[SVG_PARTS_MAX];
};

struct svg_bars {
	const char *title, *axis; /**< what the drawing shows, what the bars' length is */
	const char *unit;	  /**< of the axis, see svg_quantity() */
	unsigned parts, bars;
	const char *part_name[SVG_PARTS_MAX]; /**< for the legend, where there are parts */
	struct svg_bar bar[SVG_BARS_MAX];
	double mark; /**< a line across, named mark_name; 0: none */
	const char *mark_name;
	bool narrow;
};

struct svg_line {
	const char *name;
	unsigned style; /**< below SVG_STYLES; the last one is for a bound */
	double value[SVG_POINTS_MAX];
};

/** Points stand side by side, at equal distances. The values' axis is logarithmic where they differ much. */
struct svg_lines {
	const char *title, *x_axis, *y_axis;
	const char *unit; /**< of the values, see svg_quantity() */
	unsigned points, lines;
	const char *point[SVG_POINTS_MAX];
	struct svg_line line[SVG_LINES_MAX];
	bool narrow; /**< names of points end at a comma */
};

/** Text in which nothing is markup. What cannot stand in a page (control characters, bytes that are not UTF-8) shows as U+FFFD.
 */
void svg_text(FILE *to, const char *text);

/** "45.5 kB": a value with its unit and the unit's prefix; without a unit, the plain number. */
void svg_quantity(char *to, size_t room, double value, const char *unit);

void svg_css(FILE *to);
void svg_patterns(FILE *to);
void svg_bars(FILE *to, const struct svg_bars *bars);
void svg_lines(FILE *to, const struct svg_lines *lines);

#endif /* REPLAY_SVG_H */
