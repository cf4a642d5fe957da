// SPDX-License-Identifier: Apache-2.0
#include "sheet.h"

#include <ctype.h>
#include <string.h>

#include "svg.h"

void sheet_begin(struct sheet *s, const char *id, const char *const *columns)
{
	*s = (struct sheet){ .id = id };
	for (; *columns && s->columns < SHEET_COLUMNS_MAX; columns++)
		s->column[s->columns++] = *columns;
}

static struct sheet_cell *next_cell(struct sheet *s)
{
	static struct sheet_cell nowhere;

	return s->rows && s->filled < s->columns ? &s->cell[s->rows - 1][s->filled++] : &nowhere;
}

void sheet_text(struct sheet *s, const char *text, const char *style)
{
	struct sheet_cell *cell = next_cell(s);

	snprintf(cell->text, sizeof(cell->text), "%s", text);
	snprintf(cell->style, sizeof(cell->style), "%s", style);
}

void sheet_row(struct sheet *s, const char *name)
{
	if (s->rows < SHEET_ROWS_MAX)
		s->rows++;
	s->filled = 0;
	sheet_text(s, name, "");
}

void sheet_number(struct sheet *s, double value, int digits)
{
	char text[SHEET_CELL_BYTES];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	sheet_text(s, text, "");
}

void sheet_count(struct sheet *s, double count)
{
	sheet_number(s, count, 0);
}

/* 12 345 678, where the text is a whole number. */
static void sheet_show(FILE *to, const char *text)
{
	size_t length = strlen(text);

	if (strspn(text, "0123456789") != length) {
		svg_text(to, text);
		return;
	}
	for (size_t i = 0; i < length; i++)
		fprintf(to, "%s%c", i && (length - i) % 3 == 0 ? "&#8239;" : "", text[i]);
}

/* A part of a URL. */
static void url(FILE *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (isalnum(c) || strchr("-._~", c))
			fputc(c, to);
		else
			fprintf(to, "%%%02X", c);
	}
}

/* Names and numbers have neither commas nor quotes, but for "pcie4, 31.5 GB/s": those are quoted. */
static void csv_cell(FILE *to, const char *text, unsigned column)
{
	const char *quote = strpbrk(text, ",\"\n") ? "%22" : "";

	fputs(column ? "," : "", to);
	fputs(quote, to);
	url(to, text);
	fputs(quote, to);
}

static void csv(FILE *to, const struct sheet *s)
{
	fprintf(to, "<a class=\"csv\" download=\"%s.csv\" href=\"data:text/csv;charset=utf-8,", s->id);
	for (unsigned i = 0; i < s->columns; i++)
		csv_cell(to, s->column[i], i);
	fputs("%0A", to);
	for (unsigned row = 0; row < s->rows; row++) {
		for (unsigned i = 0; i < s->columns; i++)
			csv_cell(to, s->cell[row][i].text, i);
		fputs("%0A", to);
	}
	fputs("\">CSV</a>", to);
}

void sheet_write(FILE *to, const struct sheet *s)
{
	fprintf(to, "<div class=\"wide\"><table id=\"%s\">\n<thead><tr>", s->id);
	for (unsigned i = 0; i < s->columns; i++) {
		fputs("<th scope=\"col\">", to);
		svg_text(to, s->column[i]);
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>\n", to);
	for (unsigned row = 0; row < s->rows; row++) {
		fputs("<tr><th scope=\"row\">", to);
		svg_text(to, s->cell[row][0].text);
		fputs("</th>", to);
		for (unsigned i = 1; i < s->columns; i++) {
			const struct sheet_cell *cell = &s->cell[row][i];

			if (cell->style[0])
				fprintf(to, "<td class=\"%s\">", cell->style);
			else
				fputs("<td>", to);
			sheet_show(to, cell->text);
			fputs("</td>", to);
		}
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table>\n", to);
	csv(to, s);
	fputs("</div>\n", to);
}
