// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <json.h>

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static double speed_up(const struct found *f, uint64_t time_ps)
{
	return time_ps ? (double)f->one_gpu_ps / (double)time_ps : 0;
}

/* The name of a size class: its range of bytes. */
static const char *class_name(unsigned class, char name[24])
{
	snprintf(name, 24, "%u-%u", class ? (4u << class) / 2 + 1 : 1, 4u << class);
	return name;
}

static void table_sizes(FILE *to, const struct stream_counts *c)
{
	char name[24];

	fputs("sizes    ", to);
	for (unsigned i = 0; i < STORE_CLASSES; i++)
		fprintf(to, " %s: %.1f%%", class_name(i, name), share(c->classes[i], c->stores));
	fputc('\n', to);
}

/* What a hop carries, there and back, and for how long its busiest link is busy. */
static void table_hop(FILE *to, const struct hop_result *h)
{
	fprintf(to, " %15" PRIu64 " %11" PRIu64 " %9.1f", h->forward.bytes, h->back.bytes, (double)h->busy_ps / 1e6);
}

static void table_hops(FILE *to, const struct found *f)
{
	bool cards = f->options->setting.topology == TOPOLOGY_CARDS;

	fprintf(to, "\n%-20s %37s%s%38s  limits\n%-20s", "bytes of each hop", "source",
		cards ? "                                  link" : "", "destination", "");
	for (unsigned hop = 0; hop < HOPS; hop++)
		if (hop != HOP_LINK || cards)
			fprintf(to, " %15s %11s %9s", "forward", "back", "us busy");
	fputc('\n', to);
	for (unsigned i = 0; i < comparison_results(f->comparison); i++) {
		struct result r = comparison_result(f->comparison, i);

		fprintf(to, "%-20s", r.paradigm->label);
		for (unsigned hop = 0; hop < HOPS; hop++)
			if (hop != HOP_LINK || cards)
				table_hop(to, &r.hop[hop]);
		fprintf(to, "  %s\n", hop_name(r.limit));
	}
}

void output_clock(FILE *to, const struct timing_setting *t)
{
	fprintf(to, "clock     the card's logic at %.0f MHz (unconfirmed), reads answered after %.0f ns\n", t->card.mhz,
		(double)t->card.read_ps / 1e3);
}

static void table_time(FILE *to, const struct found *f)
{
	const struct timing_setting *t = &f->options->timing;
	uint64_t bound = comparison_counts(f->comparison)->last_ps;

	if (!f->options->timed) {
		if (f->options->stream.trace)
			fputs("time      none: a recorded trace has waited for its transfers already; --time simulates it nevertheless\n",
			      to);
		return;
	}
	fprintf(to, "time      links of %.1f GB/s and %.0f ns with buffers of %" PRIu64 " bytes; infinite bandwidth %.1f us",
		t->bytes_per_second / 1e9, (double)t->latency_ps / 1e3, t->buffer_bytes, (double)bound / 1e6);
	if (f->one_gpu_ps)
		fprintf(to, ", speed-up %.2f", speed_up(f, bound));
	fputc('\n', to);
	if (topology_has_card(t->topology))
		output_clock(to, t);
}

static bool has_regions(const struct found *f)
{
	for (unsigned i = 0; i < comparison_results(f->comparison); i++)
		if (comparison_result(f->comparison, i).paradigm->by_region)
			return true;
	return false;
}

static int output_table(FILE *to, const struct found *f)
{
	const struct stream_counts *c = comparison_counts(f->comparison);
	const struct setting *s = &f->options->setting;

	fprintf(to, "stream    %s, %u GPUs\n", f->stream, f->gpus);
	if (f->check[0])
		fprintf(to, "checked   %s\n", f->check);
	fprintf(to,
		"stores    %" PRIu64 " of %" PRIu64 " bytes in total, %" PRIu64 " of them unique; %" PRIu64 " loads, %" PRIu64
		" atomics, %" PRIu64 " releases, %" PRIu64 " barriers\n",
		c->stores, c->store_bytes, c->unique_bytes, c->loads, c->atomics, c->releases, c->barriers);
	table_sizes(to, c);
	fprintf(to, "topology  %s: %s", topology_name(s->topology), topology_text(s->topology));
	if (s->topology == TOPOLOGY_CARDS)
		fprintf(to, "; %.0f GB/s between the cards%s", s->between_bytes_per_second / 1e9, s->flits ? ", flits" : "");
	fprintf(to, "\nlink      %s: %s; maximum payload size %u\n", s->link.name, s->link.formula, s->link.payload_bytes);
	if (!topology_has_lanes(s->topology))
		fprintf(to, "%-9s %u write queue entries of 128 bytes per destination; sub-headers of %u bytes, with packing %u\n",
			s->topology == TOPOLOGY_GPU ? "GPU " : "card", s->queue_entries, s->subheader_bytes,
			setting_packing_subheader(s));
	fprintf(to, "at least  %" PRIu64 " bytes on the wire; not included below: %" PRIu64 " for loads and atomics\n",
		c->lower_bound_bytes, c->alike_bytes);
	table_time(to, f);
	fprintf(to, "\n%-20s %15s %8s %8s %8s %13s %13s%s\n", "paradigm",
		s->topology == TOPOLOGY_CARD ? "in the card" : "wire bytes", "useful", "protocol", "wasted", "packets",
		"stores/packet", f->options->timed ? "           us  speed-up" : "");
	for (unsigned i = 0; i < comparison_results(f->comparison); i++) {
		struct result r = comparison_result(f->comparison, i);

		fprintf(to, "%-20s %15" PRIu64 " %7.1f%% %7.1f%% %7.1f%% %13" PRIu64 " %13.1f", r.paradigm->label, r.wire_bytes,
			share(r.useful_bytes, r.wire_bytes), share(r.protocol_bytes, r.wire_bytes),
			share(r.wasted_bytes, r.wire_bytes), r.packets, r.stores_per_packet);
		if (f->options->timed)
			fprintf(to, " %12.1f", (double)r.time_ps / 1e6);
		if (f->one_gpu_ps)
			fprintf(to, " %9.2f", speed_up(f, r.time_ps));
		fputc('\n', to);
	}
	table_hops(to, f);
	if (f->oracle && has_regions(f))
		fputs("\nRegions need the number of stores to each chunk in advance, which this workload cannot tell: the rows of agents are an "
		      "oracle's.\n",
		      to);
	return ferror(to) ? -EIO : 0;
}

void output_csv_header(FILE *to)
{
	fputs("stream,gpus,link,payload,entries,subheader,stores,store_bytes,unique_bytes,lower_bound_bytes,paradigm,wire_bytes,"
	      "useful_bytes,protocol_bytes,wasted_bytes,packets,stores_per_packet,time_ps,one_gpu_ps,"
	      "topology,source_bytes,source_back_bytes,link_bytes,link_back_bytes,destination_bytes,destination_back_bytes,limit,unconfirmed_card_mhz\n",
	      to);
}

void output_csv_text(FILE *to, const char *text)
{
	if (!text[strcspn(text, ",\"\n\r")]) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

void output_csv_rows(FILE *to, const struct found *f)
{
	const struct stream_counts *c = comparison_counts(f->comparison);
	const struct setting *s = &f->options->setting;

	for (unsigned i = 0; i < comparison_results(f->comparison); i++) {
		struct result r = comparison_result(f->comparison, i);

		output_csv_text(to, f->stream);
		fprintf(to, ",%u,%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, f->gpus, s->link.name,
			s->link.payload_bytes, s->queue_entries, s->subheader_bytes, c->stores, c->store_bytes, c->unique_bytes,
			c->lower_bound_bytes);
		fprintf(to, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6g", r.paradigm->name,
			r.wire_bytes, r.useful_bytes, r.protocol_bytes, r.wasted_bytes, r.packets, r.stores_per_packet);
		fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%s", r.time_ps, f->one_gpu_ps, topology_name(s->topology));
		for (unsigned hop = 0; hop < HOPS; hop++)
			fprintf(to, ",%" PRIu64 ",%" PRIu64, r.hop[hop].forward.bytes, r.hop[hop].back.bytes);
		fprintf(to, ",%s,%.0f\n", hop_name(r.limit), topology_has_card(s->topology) ? f->options->timing.card.mhz : 0);
	}
}

int output_add(struct json_object *object, const char *name, struct json_object *value)
{
	if (value && json_object_object_add(object, name, value) == 0)
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

int output_add_count(struct json_object *object, const char *name, uint64_t count)
{
	return output_add(object, name, json_object_new_uint64(count));
}

int output_add_text(struct json_object *object, const char *name, const char *text)
{
	return output_add(object, name, json_object_new_string(text));
}

static int add_time(struct json_object *o, const struct found *f, const struct result *r)
{
	if (!f->options->timed)
		return 0;
	if (output_add_count(o, "time_ps", r->time_ps) || output_add_count(o, "stalled_ps", r->stalled_ps) ||
	    output_add_count(o, "tail_ps", r->tail_ps) || output_add(o, "hidden", json_object_new_double(r->hidden)))
		return -ENOMEM;
	return f->one_gpu_ps ? output_add(o, "speed_up", json_object_new_double(speed_up(f, r->time_ps))) : 0;
}

static int add_name(struct json_object *o, const struct found *f, const struct paradigm *p)
{
	if (f->oracle && p->by_region && output_add(o, "oracle", json_object_new_boolean(true)))
		return -ENOMEM;
	if (output_add_text(o, "name", p->name) || (p->alias && output_add_text(o, "alias", p->alias)))
		return -ENOMEM;
	return output_add(o, "model_only", json_object_new_boolean(p->model_only));
}

/* Packets by flush reason, of methods that have them. */
static int add_left(struct json_object *o, const struct result *r)
{
	static const char *const names[TALLY_REASONS] = { "window_miss", "payload_full", "entries_full", "release", "timeout",
							  "load_hit",	 "atomic",	 "config",	 "drain",   "region" };
	struct json_object *left;
	uint64_t sum = 0;

	for (unsigned i = 0; i < TALLY_REASONS; i++)
		sum += r->left[i];
	if (!sum)
		return 0;
	left = json_object_new_object();
	for (unsigned i = 0; left && i < TALLY_REASONS; i++) {
		if (output_add_count(left, names[i], r->left[i])) {
			json_object_put(left);
			left = NULL;
		}
	}
	return output_add(o, "left", left);
}

static struct json_object *hop_object(const struct hop_result *h)
{
	struct json_object *o = json_object_new_object();

	if (o && !output_add_count(o, "bytes", h->forward.bytes) &&
	    !output_add_count(o, "transactions", h->forward.transactions) &&
	    !output_add_count(o, "back_bytes", h->back.bytes) &&
	    !output_add_count(o, "back_transactions", h->back.transactions) &&
	    !output_add_count(o, "busiest_bytes", h->busiest.bytes) && !output_add_count(o, "busy_ps", h->busy_ps))
		return o;
	json_object_put(o);
	return NULL;
}

/* The hops that the topology has, and the one that limits. */
static int add_hops(struct json_object *o, const struct found *f, const struct result *r)
{
	struct json_object *hops = json_object_new_object();

	for (unsigned hop = 0; hops && hop < HOPS; hop++) {
		if (hop == HOP_LINK && f->options->setting.topology != TOPOLOGY_CARDS)
			continue;
		if (output_add(hops, hop_name(hop), hop_object(&r->hop[hop]))) {
			json_object_put(hops);
			hops = NULL;
		}
	}
	return output_add(o, "hops", hops) || output_add_text(o, "limit", hop_name(r->limit)) ? -ENOMEM : 0;
}

static struct json_object *paradigm_object(const struct found *f, const struct result *r)
{
	struct json_object *o = json_object_new_object();

	if (o && !add_name(o, f, r->paradigm) && !output_add_count(o, "wire_bytes", r->wire_bytes) &&
	    !output_add_count(o, "useful_bytes", r->useful_bytes) &&
	    !output_add_count(o, "protocol_bytes", r->protocol_bytes) &&
	    !output_add_count(o, "wasted_bytes", r->wasted_bytes) && !output_add_count(o, "packets", r->packets) &&
	    !output_add(o, "stores_per_packet", json_object_new_double(r->stores_per_packet)) && !add_left(o, r) &&
	    !add_hops(o, f, r) && !add_time(o, f, r))
		return o;
	json_object_put(o);
	return NULL;
}

static int add_paradigms(struct json_object *top, const struct found *f)
{
	const struct comparison *comparison = f->comparison;
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; list && i < comparison_results(comparison); i++) {
		struct result r = comparison_result(comparison, i);
		struct json_object *one = paradigm_object(f, &r);

		if (!one || json_object_array_add(list, one)) {
			json_object_put(one);
			json_object_put(list);
			return -ENOMEM;
		}
	}
	return output_add(top, "paradigms", list);
}

int output_add_clock(struct json_object *object, const struct timing_setting *t)
{
	return output_add(object, "card_mhz", json_object_new_double(t->card.mhz)) ||
			       output_add(object, "card_mhz_confirmed", json_object_new_boolean(false)) ||
			       output_add_count(object, "card_read_ps", t->card.read_ps) ?
		       -ENOMEM :
		       0;
}

static int add_system(struct json_object *top, const struct found *f)
{
	const struct timing_setting *t = &f->options->timing;
	uint64_t bound = comparison_counts(f->comparison)->last_ps;

	if (!f->options->timed)
		return 0;
	if (output_add(top, "link_bytes_per_second", json_object_new_double(t->bytes_per_second)) ||
	    output_add_count(top, "latency_ps", t->latency_ps) || output_add_count(top, "buffer_bytes", t->buffer_bytes) ||
	    output_add_count(top, "infinite_bandwidth_ps", bound))
		return -ENOMEM;
	if (topology_has_card(t->topology) && output_add_clock(top, t))
		return -ENOMEM;
	if (!f->one_gpu_ps)
		return 0;
	return output_add_count(top, "one_gpu_ps", f->one_gpu_ps) ||
			       output_add(top, "infinite_bandwidth_speed_up", json_object_new_double(speed_up(f, bound))) ?
		       -ENOMEM :
		       0;
}

static int add_sizes(struct json_object *top, const struct stream_counts *c)
{
	struct json_object *sizes = json_object_new_object();
	char name[24];

	for (unsigned i = 0; sizes && i < STORE_CLASSES; i++) {
		if (output_add_count(sizes, class_name(i, name), c->classes[i])) {
			json_object_put(sizes);
			return -ENOMEM;
		}
	}
	return output_add(top, "store_sizes", sizes);
}

static int add_stream(struct json_object *top, const struct found *f)
{
	const struct stream_counts *c = comparison_counts(f->comparison);
	const struct setting *s = &f->options->setting;

	return output_add_text(top, "stream", f->stream) || output_add_text(top, "checked", f->check) ||
			       output_add_count(top, "gpus", f->gpus) ||
			       output_add_text(top, "topology", topology_name(s->topology)) ||
			       output_add_text(top, "link", s->link.name) ||
			       output_add_text(top, "link_formula", s->link.formula) ||
			       output_add_count(top, "payload_bytes_max", s->link.payload_bytes) ||
			       output_add_count(top, "queue_entries", s->queue_entries) ||
			       output_add_count(top, "subheader_bytes", s->subheader_bytes) ||
			       output_add_count(top, "packing_subheader_bytes", setting_packing_subheader(s)) ||
			       output_add_count(top, "stores", c->stores) || add_sizes(top, c) ||
			       output_add_count(top, "store_bytes", c->store_bytes) ||
			       output_add_count(top, "unique_bytes", c->unique_bytes) ||
			       output_add_count(top, "lower_bound_bytes", c->lower_bound_bytes) ||
			       output_add_count(top, "loads", c->loads) || output_add_count(top, "load_bytes", c->load_bytes) ||
			       output_add_count(top, "atomics", c->atomics) || output_add_count(top, "releases", c->releases) ||
			       output_add_count(top, "barriers", c->barriers) ||
			       output_add_count(top, "alike_wire_bytes", c->alike_bytes) ?
		       -ENOMEM :
		       0;
}

struct json_object *output_object(const struct found *f)
{
	struct json_object *top = json_object_new_object();

	if (top && !add_stream(top, f) && !add_system(top, f) && !add_paradigms(top, f))
		return top;
	json_object_put(top);
	return NULL;
}

int output_object_write(FILE *to, struct json_object *object)
{
	const char *text = NULL;
	int error = -ENOMEM;

	if (object)
		text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
	if (text)
		error = fprintf(to, "%s\n", text) < 0 ? -errno : 0;
	json_object_put(object);
	return error;
}

int output_write(FILE *to, const struct found *found)
{
	switch (found->options->output) {
	case OUTPUT_JSON:
		return output_object_write(to, output_object(found));
	case OUTPUT_CSV:
		output_csv_header(to);
		output_csv_rows(to, found);
		return ferror(to) ? -EIO : 0;
	default: return output_table(to, found);
	}
}
