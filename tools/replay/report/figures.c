// SPDX-License-Identifier: Apache-2.0
/* The figures of the run itself: time, bytes, and why packets left. */
#include <math.h>
#include <string.h>

#include <gpulink_regs.h>

#include "parts.h"

/* Peer stores' result, to which others are compared. NULL: not selected, or it sent nothing. */
static const struct result *peer_of(const struct page_run *run)
{
	const struct result *peer = parts_find(run, &paradigm_p2p);

	return peer && peer->wire_bytes ? peer : NULL;
}

static void time_drawing(const struct page_run *run, const struct result *peer, struct svg_bars *bars)
{
	double bound = (double)run->counts.last_ps;

	*bars = (struct svg_bars){ .title = "Time of each transfer method: computing, stalls, tails", .axis = "time",
				   .unit = "s", .parts = 3, .bars = run->results,
				   .part_name = { "computing", "stalls", "tails" },
				   .mark = bound * 1e-12, .mark_name = "infinite bandwidth" };
	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];
		double rest = fmax((double)r->time_ps - bound, 0), tail = fmin((double)r->tail_ps, rest);
		struct svg_bar *b = &bars->bar[i];
		char time[32];

		*b = (struct svg_bar){ .name = r->paradigm->label,
				       .part = { ((double)r->time_ps - rest) * 1e-12, (rest - tail) * 1e-12, tail * 1e-12 } };
		svg_quantity(time, sizeof(time), (double)r->time_ps * 1e-12, "s");
		if (peer && peer != r)
			snprintf(b->label, sizeof(b->label), "%s (\u00d7 %.3g)", time, parts_ratio(peer->time_ps, r->time_ps));
		else
			snprintf(b->label, sizeof(b->label), "%s", time);
	}
}

static void time_row(struct sheet *s, const struct page_run *run, const struct result *peer, const struct result *r)
{
	uint64_t time = r ? r->time_ps : run->counts.last_ps;
	double rest = fmax((double)time - (double)run->counts.last_ps, 0), tail = r ? fmin((double)r->tail_ps, rest) : 0;

	sheet_row(s, r ? r->paradigm->label : "infinite bandwidth");
	sheet_number(s, (double)time / 1e6, 3);
	sheet_number(s, (rest - tail) / 1e6, 3); /* as the bars have them */
	sheet_number(s, tail / 1e6, 3);
	if (peer)
		sheet_number(s, parts_ratio(peer->time_ps, time), 3);
	if (run->one_gpu_ps)
		sheet_number(s, parts_ratio(run->one_gpu_ps, time), 3);
}

void figures_time(FILE *to, const struct page_run *run)
{
	const struct result *peer = peer_of(run);
	const char *columns[7] = { "method", "\u00b5s", "stalls, \u00b5s", "tails, \u00b5s" };
	unsigned count = 4;
	struct svg_bars bars;
	struct sheet s;

	if (!run->options.timed)
		return;
	if (peer)
		columns[count++] = "p2p = 1";
	if (run->one_gpu_ps)
		columns[count++] = "one GPU = 1";
	fputs("<h2>Time</h2>\n<p>A GPU computes while it sends; it stalls when its send buffer is full, and at a barrier all GPUs wait for "
	      "the transfers that last longer than computing (the tail). A method that sends fewer bytes is faster only where transfers, not "
	      "computing, take the time. FinePack is slower than peer stores where its write queue holds stores until a release that "
	      "peer stores would have sent while the GPU computes.",
	      to);
	if (run->one_gpu_ps)
		fprintf(to, " One GPU takes %.3f \u00b5s.", (double)run->one_gpu_ps / 1e6);
	fputs("</p>\n", to);
	time_drawing(run, peer, &bars);
	sheet_begin(&s, "time", columns);
	for (unsigned i = 0; i < run->results; i++)
		time_row(&s, run, peer, &run->result[i]);
	time_row(&s, run, peer, NULL);
	parts_bars(to, "Time, and how many times as fast as peer stores", &bars, &s);
}

static void bytes_drawing(const struct page_run *run, const struct result *peer, struct svg_bars *bars)
{
	double whole = peer ? (double)peer->wire_bytes : 1;

	*bars = (struct svg_bars){ .title = "Bytes on the wire of each transfer method: useful, protocol, wasted",
				   .axis = peer ? "bytes on the wire; peer stores are 1" : "bytes on the wire",
				   .unit = peer ? "" : "B",
				   .parts = 3,
				   .bars = run->results,
				   .part_name = { "useful", "protocol", "wasted" },
				   .mark = (double)run->counts.lower_bound_bytes / whole,
				   .mark_name = "lower bound" };
	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];
		struct svg_bar *b = &bars->bar[i];
		char bytes[32];

		svg_quantity(bytes, sizeof(bytes), (double)r->wire_bytes, "B");
		*b = (struct svg_bar){ .name = r->paradigm->label,
				       .part = { (double)r->useful_bytes / whole, (double)r->protocol_bytes / whole,
						 (double)r->wasted_bytes / whole } };
		if (peer)
			snprintf(b->label, sizeof(b->label), "%.3g (%s)", (double)r->wire_bytes / whole, bytes);
		else
			snprintf(b->label, sizeof(b->label), "%s", bytes);
	}
}

static void bytes_row(struct sheet *s, const char *name, const uint64_t bytes[4], const struct result *peer)
{
	sheet_row(s, name);
	for (unsigned i = 0; i < 4; i++)
		sheet_count(s, (double)bytes[i]);
	if (peer)
		sheet_number(s, parts_ratio(bytes[0], peer->wire_bytes), 4);
}

void figures_bytes(FILE *to, const struct page_run *run)
{
	const struct result *peer = peer_of(run);
	const struct stream_counts *c = &run->counts;
	struct svg_bars bars;
	struct sheet s;

	fputs("<h2>Bytes</h2>\n<p>Useful bytes become visible at a destination at a release. Wasted bytes were overwritten before the "
	      "release, or copied without having been stored. Protocol is everything else. The lower bound is the useful bytes in "
	      "transactions of the maximum size, with addresses at no cost.</p>\n",
	      to);
	bytes_drawing(run, peer, &bars);
	sheet_begin(
		&s, "bytes",
		(const char *const[]){ "method", "wire bytes", "useful", "protocol", "wasted", peer ? "p2p = 1" : NULL, NULL });
	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];

		bytes_row(&s, r->paradigm->label,
			  (uint64_t[]){ r->wire_bytes, r->useful_bytes, r->protocol_bytes, r->wasted_bytes }, peer);
	}
	bytes_row(&s, "lower bound",
		  (uint64_t[]){ c->lower_bound_bytes, c->unique_bytes, c->lower_bound_bytes - c->unique_bytes, 0 }, peer);
	parts_bars(to, "Bytes on the links, relative to peer stores", &bars, &s);
}

/* The flush reasons that a stream can cause, in the drawing's order, and what one is about. */
static const struct {
	unsigned reason;
	const char *name, *means;
} reasons[] = {
	{ GLK_FLUSH_WINDOW_MISS, "window miss",
	  "the next store was outside of the packet's address window: wider sub-headers widen it" },
	{ GLK_FLUSH_PAYLOAD_FULL, "payload full",
	  "the packet had reached the maximum payload size: such packets are as good as they can be" },
	{ GLK_FLUSH_ENTRIES_FULL, "entries full",
	  "the write queue had no free line: stores were scattered over more lines than it has" },
	{ GLK_FLUSH_RELEASE, "release", "the program asked for visibility: there was no more to pack" },
	{ GLK_FLUSH_LOAD_HIT, "load hit", "a load or an atomic touched bytes that the queue held" },
};
enum { REASONS = sizeof(reasons) / sizeof(reasons[0]) };
_Static_assert((int)REASONS == (int)SVG_PARTS_MAX, "a part for each reason");

static uint64_t left_of(const struct result *r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REASONS; i++)
		sum += r->left[reasons[i].reason];
	return sum;
}

/* What most of FinePack's packets left for. */
static void main_reason(FILE *to, const struct page_run *run)
{
	const struct result *card = parts_find(run, &paradigm_finepack);
	unsigned most = 0;

	if (!card || !left_of(card))
		return;
	for (unsigned i = 1; i < REASONS; i++)
		if (card->left[reasons[i].reason] > card->left[reasons[most].reason])
			most = i;
	fprintf(to,
		"<p id=\"reason\">%.0f %% of FinePack's packets left for <em>%s</em>: %s. A packet holds %.1f stores on average.</p>\n",
		100 * parts_ratio(card->left[reasons[most].reason], left_of(card)), reasons[most].name, reasons[most].means,
		card->stores_per_packet);
}

/* Methods without a write queue of packets have a row, but no bar. */
void figures_packets(FILE *to, const struct page_run *run)
{
	struct svg_bars bars = {
		.title = "Why packets left, by transfer method", .axis = "part of the packets, %", .unit = "", .parts = REASONS
	};
	const char *columns[REASONS + 4] = { "method", "packets", "stores per packet" };
	struct sheet s;

	for (unsigned i = 0; i < REASONS; i++)
		bars.part_name[i] = columns[3 + i] = reasons[i].name;
	sheet_begin(&s, "packets", columns);
	for (unsigned i = 0; i < run->results; i++) {
		const struct result *r = &run->result[i];
		struct svg_bar *b = &bars.bar[bars.bars];
		uint64_t left = left_of(r);

		sheet_row(&s, r->paradigm->label);
		sheet_count(&s, (double)r->packets);
		sheet_number(&s, r->stores_per_packet, 3);
		*b = (struct svg_bar){ .name = r->paradigm->label };
		snprintf(b->label, sizeof(b->label), "%.1f stores a packet", r->stores_per_packet);
		for (unsigned k = 0; k < REASONS; k++) {
			b->part[k] = 100 * parts_ratio(r->left[reasons[k].reason], left);
			if (left)
				sheet_count(&s, (double)r->left[reasons[k].reason]);
			else
				sheet_text(&s, "\u2013", "");
		}
		bars.bars += left != 0;
	}
	fputs("<h2>Why packets left</h2>\n", to);
	main_reason(to, run);
	parts_bars(to, "Packets by flush reason", &bars, &s);
}
