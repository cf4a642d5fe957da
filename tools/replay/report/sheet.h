/* SPDX-License-Identifier: Apache-2.0 */
/* A table of numbers in the page, with the same as CSV to download. */
#ifndef REPLAY_SHEET_H
#define REPLAY_SHEET_H

#include <stdio.h>

enum { SHEET_ROWS_MAX = 17, SHEET_COLUMNS_MAX = 18, SHEET_CELL_BYTES = 48 };

struct sheet {
	const char *id; /**< of the table element; its CSV is ID.csv */
	unsigned columns, rows;
	unsigned filled; /**< cells of the last row */
	const char *column[SHEET_COLUMNS_MAX];
	struct sheet_cell {
		char text[SHEET_CELL_BYTES]; /**< plain, as in CSV */
		char style[4];		     /**< class of the cell, or "" */
	} cell[SHEET_ROWS_MAX][SHEET_COLUMNS_MAX];
};

/** The columns' names end with NULL and must outlive the sheet, as `id`. Beyond the most of rows or columns nothing is added.
 */
void sheet_begin(struct sheet *sheet, const char *id, const char *const *columns);

/** The first cell of a new row. */
void sheet_row(struct sheet *sheet, const char *name);

void sheet_count(struct sheet *sheet, double count); /**< a whole number */
void sheet_number(struct sheet *sheet, double value, int digits);
void sheet_text(struct sheet *sheet, const char *text, const char *style);

void sheet_write(FILE *to, const struct sheet *sheet);

#endif /* REPLAY_SHEET_H */
