// SPDX-License-Identifier: Apache-2.0
/* The verdict: the best way on the machine that was described, with a card and without, what changes it, and what to set. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <gpulink_regs.h>

#include "parts.h"

enum { WAY_NAME = 64, QUANTITY = 32 };

static struct decision decision_of(const struct page_decision *p)
{
	struct decision d = { 0 };

	for (unsigned i = 0; i < p->runs; i++)
		decide_take(&d, &p->run[i].options, p->run[i].result, p->run[i].results, p->run[i].oracle);
	return d;
}

/* Who has the card's place. */
static const char *card_of(enum topology topology)
{
	return topology == TOPOLOGY_GPU ? "logic in the GPUs" : topology == TOPOLOGY_CARDS ? "the cards" : "the card";
}

static void way_text(FILE *to, const struct way *way)
{
	char name[WAY_NAME], time[QUANTITY];

	decide_name(way, name, sizeof(name));
	svg_quantity(time, sizeof(time), (double)way->cost_ps * 1e-12, "s");
	fprintf(to, "<strong>%s</strong>, %s, limited by %s", name, time, decide_hop(way->limit));
}

static void gain_text(FILE *to, const struct page *p, const struct decision *d)
{
	const char *card = card_of(p->run.options.setting.topology);
	double gain = decide_gain(d);

	if (!d->card.paradigm)
		fputs("No card is on this link.", to);
	else if (gain >= 1 + DECIDE_ALIKE)
		fprintf(to, "So %s makes it %.3g times as fast.", card, gain);
	else if (gain > 1 - DECIDE_ALIKE)
		fprintf(to, "No gain: %s takes the same time.", card);
	else
		fprintf(to, "No gain: without it the stream is %.3g times as fast.", 1 / gain);
}

/* A queue that leaves because stores are in turns to arrays far apart. */
static void misses_text(FILE *to, const struct page *p)
{
	const struct result *card = parts_find(&p->run, &paradigm_finepack);
	unsigned width = p->run.options.setting.subheader_bytes;
	uint64_t left = 0;
	double part;

	for (unsigned i = 0; card && i < TALLY_REASONS; i++)
		left += card->left[i];
	part = card ? parts_ratio(card->left[GLK_FLUSH_WINDOW_MISS], left) : 0;
	if (part <= 0.5)
		return;
	fprintf(to,
		" %.0f %% of FinePack's packets left for a window miss: stores go in turns to places farther apart than sub-headers "
		"of %u bytes reach",
		100 * part, width);
	if (width < 6 && p->run.options.setting.topology != TOPOLOGY_GPU)
		fputs("; <code>gpulinkctl set-subheader 6</code> covers 256 GiB.", to);
	else
		fputs(width < 6 ? "; those of 6 bytes cover 256 GiB." : ".", to);
}

static void verdict_changes(FILE *to, const struct page *p)
{
	bool first = false, other = false;

	for (unsigned i = 0; i < p->decisions; i++) {
		struct decision d = decision_of(&p->decision[i]);
		bool helps = decide_gain(&d) >= 1 + DECIDE_ALIKE;

		if (!i)
			first = helps;
		if (helps == first)
			continue;
		fprintf(to, "%s%s", other ? ", " : "<p>The answer is another with ", p->decision[i].what);
		other = true;
	}
	fputs(other ? ".</p>\n" : "<p>None of the changes in the table below makes it another.</p>\n", to);
}

static void decision_row(struct sheet *s, const struct page_decision *one)
{
	struct decision d = decision_of(one);
	const struct way *const ways[] = { &d.without, &d.card };
	char text[SHEET_CELL_BYTES];

	sheet_row(s, one->what);
	for (unsigned i = 0; i < 2; i++) {
		if (!ways[i]->paradigm) {
			for (unsigned k = 0; k < 3; k++)
				sheet_text(s, "\u2013", "");
			continue;
		}
		decide_name(ways[i], text, sizeof(text));
		sheet_text(s, text, "");
		sheet_number(s, (double)ways[i]->cost_ps / 1e6, 3);
		sheet_text(s, hop_name(ways[i]->limit), "");
	}
	sheet_number(s, decide_gain(&d), 3);
}

static void costs_table(FILE *to, const struct page *p)
{
	static const char *const columns[] = { "stores", "number", "mean bytes", "as plain ones, B", "part, %", NULL };
	struct sheet s;

	sheet_begin(&s, "costs", columns);
	for (unsigned i = 0; i < p->pairs + p->arrays; i++) {
		const struct cost *c = i < p->pairs ? &p->pair[i] : &p->array[i - p->pairs];
		char name[SHEET_CELL_BYTES];

		if (i < p->pairs)
			snprintf(name, sizeof(name), "GPU %u to %u", (unsigned)c->first, (unsigned)c->end);
		else
			snprintf(name, sizeof(name), "0x%" PRIx64 " to 0x%" PRIx64, c->first, c->end);
		sheet_row(&s, name);
		sheet_count(&s, (double)c->stores);
		sheet_number(&s, (double)c->store_bytes / (double)c->stores, 1);
		sheet_count(&s, (double)c->wire_bytes);
		sheet_number(&s, 100 * parts_ratio(c->wire_bytes, p->plain_bytes), 1);
	}
	if (p->pairs) {
		fputs("<figure><figcaption>The stores that cost most, by pair of GPUs and by array</figcaption>\n", to);
		sheet_write(to, &s);
		fputs("</figure>\n", to);
	}
}

void verdict_write(FILE *to, const struct page *p)
{
	const struct setting *setting = &p->run.options.setting;
	const char *columns[] = { "machine", "without a card", "\u00b5s", "limits", card_of(setting->topology),
				  "\u00b5s", "limits",	       "gain",	  NULL };
	struct decision d = decision_of(&p->decision[0]);
	struct sheet s;

	if (!p->run.counts.stores)
		return;
	fprintf(to, "<p id=\"verdict\">Topology %s: %s; maximum payload %u bytes. Best without a card: ",
		topology_name(setting->topology), topology_text(setting->topology), setting->link.payload_bytes);
	way_text(to, &d.without);
	if (d.card.paradigm) {
		fprintf(to, ". Best with %s: ", card_of(setting->topology));
		way_text(to, &d.card);
	}
	fputs(". ", to);
	gain_text(to, p, &d);
	misses_text(to, p);
	fputs("</p>\n", to);
	verdict_changes(to, p);
	if (topology_has_card(setting->topology) && decide_gain(&d) >= 1 + DECIDE_ALIKE &&
	    d.card.paradigm->packer == PACKER_LOGIC) {
		fputs("<pre id=\"commands\">", to);
		decide_commands(to, &d.card);
		fputs("</pre>\n", to);
	}
	sheet_begin(&s, "decision", columns);
	for (unsigned i = 0; i < p->decisions; i++)
		decision_row(&s, &p->decision[i]);
	fprintf(to, "<figure><figcaption>The best ways, %s; gain is how many times as fast %s is</figcaption>\n",
		p->run.options.timed ? "by simulated time" : "by the time of the busiest link", card_of(setting->topology));
	sheet_write(to, &s);
	fputs("</figure>\n", to);
	costs_table(to, p);
}
