// SPDX-License-Identifier: Apache-2.0
/* What the numbers are of: the stream, the system, the command, the methods. */
#include <inttypes.h>
#include <stdio.h>

#include "parts.h"
#include "workload/workload.h"

static void row_begin(FILE *to, const char *name)
{
	fputs("<tr><th scope=\"row\">", to);
	svg_text(to, name);
	fputs("</th>", to);
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
	snprintf(text, sizeof(text), "%u bytes, with packing %u", s->subheader_bytes, setting_packing_subheader(s));
	setting(to, "sub-headers", text);
	if (!o->timed)
		return;
	snprintf(text, sizeof(text), "%.3f ns", (double)o->timing.latency_ps / 1e3);
	setting(to, "latency", text);
	snprintf(text, sizeof(text), "%" PRIu64 " bytes ahead of each source's link; a full buffer stalls the source",
		 o->timing.buffer_bytes);
	setting(to, "buffer", text);
	if (!topology_has_card(o->timing.topology))
		return;
	snprintf(text, sizeof(text), "%.0f MHz (unconfirmed), by the clocks of its Verilog; reads answered after %.0f ns",
		 o->timing.card.mhz, (double)o->timing.card.read_ps / 1e3);
	setting(to, "card's clock", text);
}

static void settings_table(FILE *to, const struct page *p)
{
	const struct stream_counts *c = &p->run.counts;
	char text[512];

	fputs("<h2>Settings</h2>\n", to);
	if (p->run.options.timed)
		fputs("<p>Each GPU has one link to a switch with unlimited buffers. Compute time is estimated by the workload, or taken "
		      "from the trace; launching copies and kernels costs nothing. Infinite bandwidth is the time if sending took none.</p>\n",
		      to);
	else if (p->run.options.stream.trace)
		fputs("<p id=\"untimed\">No times: a recorded trace has waited for its transfers already, so its times cannot be had without "
		      "them. <code>--time</code> simulates time nevertheless.</p>\n",
		      to);
	fputs("<div class=\"wide settings\"><table id=\"settings\"><tbody>\n", to);
	setting(to, "stream", p->stream);
	if (p->run.options.stream.workload)
		workload_settings(to, p);
	snprintf(text, sizeof(text), "%u", p->run.gpus);
	setting(to, "GPUs", text);
	snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " bytes in total, %" PRIu64 " of them unique", c->stores,
		 c->store_bytes, c->unique_bytes);
	setting(to, "stores", text);
	snprintf(text, sizeof(text), "%" PRIu64 " loads, %" PRIu64 " atomics (%" PRIu64 " bytes on the wire, the same for each "
		 "transfer method and not included in the byte figures), %" PRIu64 " releases, %" PRIu64 " barriers",
		 c->loads, c->atomics, c->alike_bytes, c->releases, c->barriers);
	setting(to, "other operations", text);
	setting(to, "bulk copies", c->copies ? "those in the stream" : "each page of 4096 bytes with a store");
	system_settings(to, p);
	words(to, p);
	fputs("</tbody></table></div>\n", to);
}

static void methods(FILE *to, const struct page_run *run)
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

void settings_write(FILE *to, const struct page *p)
{
	methods(to, &p->run);
	settings_table(to, p);
}
