// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

const struct result *parts_find(const struct page_run *run, const struct paradigm *paradigm)
{
	for (unsigned i = 0; i < run->results; i++)
		if (run->result[i].paradigm == paradigm)
			return &run->result[i];
	return NULL;
}

double parts_ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void figure_begin(FILE *to, const char *caption)
{
	fputs("<figure><figcaption>", to);
	svg_text(to, caption);
	fputs("</figcaption>\n<div class=\"row\">", to);
}

static void figure_end(FILE *to, const struct sheet *sheet)
{
	sheet_write(to, sheet);
	fputs("</div></figure>\n", to);
}

void parts_bars(FILE *to, const char *caption, struct svg_bars *bars, const struct sheet *sheet)
{
	figure_begin(to, caption);
	for (unsigned narrow = 0; bars->bars && narrow < 2; narrow++) {
		bars->narrow = narrow;
		fputs(narrow ? "<div class=\"narrow\">" : "<div class=\"broad\">", to);
		svg_bars(to, bars);
		fputs("</div>\n", to);
	}
	figure_end(to, sheet);
}

void parts_lines(FILE *to, const char *caption, struct svg_lines *lines, const struct sheet *sheet)
{
	figure_begin(to, caption);
	for (unsigned narrow = 0; narrow < 2; narrow++) {
		lines->narrow = narrow;
		fputs(narrow ? "<div class=\"narrow\">" : "<div class=\"broad\">", to);
		svg_lines(to, lines);
		fputs("</div>\n", to);
	}
	figure_end(to, sheet);
}
