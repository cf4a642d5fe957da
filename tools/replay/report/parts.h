/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page, in its order. */
#ifndef REPLAY_PARTS_H
#define REPLAY_PARTS_H

#include "page.h"
#include "sheet.h"
#include "svg.h"

/** What is best on this machine, and what to set. */
void verdict_write(FILE *to, const struct page *page);

/** Two sentences: FinePack, or another method, against peer stores. */
void answer_write(FILE *to, const struct page_run *run);

void figures_time(FILE *to, const struct page_run *run);
void figures_bytes(FILE *to, const struct page_run *run);
void figures_packets(FILE *to, const struct page_run *run);
void sweeps_write(FILE *to, const struct page *page);
void regions_write(FILE *to, const struct page *page);
void settings_write(FILE *to, const struct page *page);

/** The result of a paradigm; NULL: it was not selected. */
const struct result *parts_find(const struct page_run *run, const struct paradigm *paradigm);

/** part / whole; 0 of nothing. */
double parts_ratio(uint64_t part, uint64_t whole);

/** A figure: caption, the drawing for screens and the one for phones, a table. */
void parts_bars(FILE *to, const char *caption, struct svg_bars *bars, const struct sheet *sheet);
void parts_lines(FILE *to, const char *caption, struct svg_lines *lines, const struct sheet *sheet);

#endif /* REPLAY_PARTS_H */
