// SPDX-License-Identifier: Apache-2.0
#include "netcrafter_output.h"

#include <errno.h>
#include <inttypes.h>

#include <json.h>

#include "output.h"

static const char *const kind_names[GLK_KIND_COUNT] = {
	[GLK_KIND_READ_REQUEST] = "read request",
	[GLK_KIND_READ_RESPONSE] = "read response",
	[GLK_KIND_WRITE_REQUEST] = "write request",
	[GLK_KIND_WRITE_RESPONSE] = "write response",
	[GLK_KIND_TRANSLATION_REQUEST] = "translation request",
	[GLK_KIND_TRANSLATION_RESPONSE] = "translation response",
	[GLK_KIND_FINEPACK] = "FinePack packet",
	[GLK_KIND_RELEASE] = "release",
	[GLK_KIND_RELEASED] = "released",
	[GLK_KIND_ATOMIC_REQUEST] = "atomic request",
	[GLK_KIND_ATOMIC_RESPONSE] = "atomic response",
};

/* Values derived from a result's counters. */
struct sums {
	uint64_t packets, flits, bytes, stitched;
	double speed_up, saved, least, padded, shared;
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static struct sums sum_up(const struct netcrafter_found *f, unsigned i)
{
	const struct netcrafter_result *r = &f->results[i];
	struct sums s = { 0 };

	for (unsigned kind = 0; kind < GLK_KIND_COUNT; kind++) {
		s.packets += r->link.packets[kind];
		s.flits += r->link.flits_in[kind];
		s.bytes += r->link.bytes_in[kind];
		s.stitched += r->link.stitched[kind];
	}
	s.speed_up = r->time_ns ? (double)f->results[0].time_ns / (double)r->time_ns : 0;
	s.saved = share(s.flits - r->link.flits_out, s.flits);
	s.least = s.flits ? 100 - share(s.bytes, s.flits * f->options->setting.flit_bytes) : 0;
	s.padded = share(r->link.flits_padded, r->link.flits_out);
	s.shared = share(s.stitched + r->link.parents, s.flits);
	return s;
}

/* ---- Table ---- */

static void table_head(FILE *to, const struct netcrafter_found *f)
{
	const struct netcrafter_setting *s = &f->options->setting;
	const struct netcrafter_reads *reads = &f->reads;
	uint64_t count = reads->by_bytes[0] + reads->by_bytes[1] + reads->by_bytes[2] + reads->by_bytes[3];

	fprintf(to, "stream    %s, %u GPUs in two clusters, %zu requests of %zu %s, %zu phases\n", f->stream, f->requests->gpus,
		f->requests->count, f->requests->unit_count, f->requests->windowed ? "GPUs" : "compute units",
		f->requests->phase_count);
	fprintf(to, "replay    %s\n",
		f->requests->windowed ?
			"a GPU issues requests until 2048 are unanswered; at barriers all GPUs wait" :
			"a request follows the answer that preceded it in the trace, or else the previous request, by the recorded "
			"time;\n          a compute unit has at most 32 outstanding reads");
	fprintf(to,
		"system    %u GB/s per GPU, %u GB/s between clusters, switch latency 30 ns, flits of %u bytes, queues of %u "
		"flits, %u queue clocks per flit\n",
		s->within, s->between, s->flit_bytes, s->queue_entries, netcrafter_slot_clocks(s));
	if (s->card_mhz)
		fprintf(to,
			"clock     the card's logic at %u MHz (unconfirmed): a flit in %.2f ns at least, except plain and ideal\n",
			s->card_mhz, (double)netcrafter_slot(s) / TICKS_NS);
	fprintf(to,
		"pages     4 KiB, 4 levels, a table on the GPU of the first page that it maps; TLB entries: %u per GPU (8 ways), %u "
		"per unit, 32 for upper levels; 16 walkers\n",
		s->tlb_entries, s->unit_tlb_entries);
	fprintf(to, "pooling   %u ns, %s, %s; trimming to %u bytes; at most %u latency-critical flits in a row\n", s->pool_ns,
		s->selective ? "all but latency-critical flits" : "all flits",
		s->yielding ? "yielding" : "not yielding", s->trim_bytes, s->burst);
	if (count)
		fprintf(to,
			"reads     %" PRIu64
			" cross the link; bytes of the line needed: 1-16: %.1f%%, 17-32: %.1f%%, 33-48: %.1f%%, "
			"49-64: %.1f%%; within one sector of 16: %.1f%%\n",
			count, share(reads->by_bytes[0], count), share(reads->by_bytes[1], count),
			share(reads->by_bytes[2], count), share(reads->by_bytes[3], count), share(reads->in_sector[2], count));
}

static int netcrafter_output_table(FILE *to, const struct netcrafter_found *f)
{
	table_head(to, f);
	fprintf(to, "\n%-12s %10s %10s %7s %7s %7s %7s %5s %12s %8s %9s %9s %9s %9s\n", "", "flits", "on link", "saved",
		"at most", "padded", "shared", "busy", "us", "speed-up", "access ns", "99 %", "walk ns", "99 %");
	for (unsigned i = 0; f->options->variants[i]; i++) {
		const struct netcrafter_result *r = &f->results[i];
		struct sums s = sum_up(f, i);

		fprintf(to,
			"%-12s %10" PRIu64 " %10" PRIu64 " %6.1f%% %6.1f%% %6.1f%% %6.1f%% %4.0f%% %12.3f %8.3f %9.0f %9" PRIu64
			" %9.0f %9" PRIu64 "\n",
			f->options->variants[i]->name, s.flits, r->link.flits_out, s.saved, s.least, s.padded, s.shared,
			100 * r->utilisation, (double)r->time_ns / 1e3, s.speed_up, latency_mean(&r->access),
			latency_percentile(&r->access, 99), latency_mean(&r->translation),
			latency_percentile(&r->translation, 99));
	}
	return ferror(to) ? -EIO : 0;
}

/* ---- CSV and JSON ---- */

static int csv(FILE *to, const struct netcrafter_found *f)
{
	fputs("stream,variant,flits,link_flits,bytes,padded_flits,shared_flits,time_ns,speed_up,access_ns,access_99_ns,walk_ns,"
	      "walk_99_ns\n", to);
	for (unsigned i = 0; f->options->variants[i]; i++) {
		const struct netcrafter_result *r = &f->results[i];
		struct sums s = sum_up(f, i);

		output_csv_text(to, f->stream);
		fprintf(to,
			",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%" PRIu64
			",%.6g,%" PRIu64 "\n",
			f->options->variants[i]->name, s.flits, r->link.flits_out, s.bytes, r->link.flits_padded,
			s.stitched + r->link.parents, r->time_ns, s.speed_up, latency_mean(&r->access),
			latency_percentile(&r->access, 99), latency_mean(&r->translation),
			latency_percentile(&r->translation, 99));
	}
	return ferror(to) ? -EIO : 0;
}

/* An object of named counts. */
static struct json_object *counts(const char *const *names, const uint64_t *values, size_t count)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < count && o; i++) {
		if (output_add_count(o, names[i], values[i])) {
			json_object_put(o);
			o = NULL;
		}
	}
	return o;
}

static int add_number(struct json_object *o, const char *name, double value)
{
	return output_add(o, name, json_object_new_double(value));
}

static int add_latency(struct json_object *o, const char *name, const struct latency *l)
{
	struct json_object *one = json_object_new_object();

	if (one && !output_add_count(one, "count", l->count) && !add_number(one, "mean_ns", latency_mean(l)) &&
	    !output_add_count(one, "median_ns", latency_percentile(l, 50)) &&
	    !output_add_count(one, "percentile_99_ns", latency_percentile(l, 99)) &&
	    !output_add_count(one, "most_ns", l->most_ns))
		return output_add(o, name, one);
	json_object_put(one);
	return -ENOMEM;
}

static int add_kinds(struct json_object *o, const struct netcrafter_found *f, unsigned i)
{
	const struct glk_cluster_queue_counters *c = &f->results[i].link;
	struct netcrafter_setting setting = netcrafter_variant_setting(f->options->variants[i], &f->options->setting);
	struct json_object *kinds = json_object_new_object();

	for (unsigned kind = 1; kinds && kind < GLK_KIND_COUNT; kind++) {
		static const char *const names[] = { "packets", "flits", "bytes", "stitched" };
		const uint64_t values[] = { c->packets[kind], c->flits_in[kind], c->bytes_in[kind], c->stitched[kind] };
		struct json_object *one;

		if (!c->packets[kind])
			continue;
		one = counts(names, values, 4);
		if (!one || add_number(one, "waited_mean_ns", (double)c->waited[kind] / (double)c->flits_in[kind] /
									netcrafter_clocks_ns(&setting))) {
			json_object_put(one);
			json_object_put(kinds);
			return -ENOMEM;
		}
		if (output_add(kinds, kind_names[kind], one)) {
			json_object_put(kinds);
			return -ENOMEM;
		}
	}
	return output_add(o, "kinds", kinds);
}

static int add_padding(struct json_object *o, const struct netcrafter_result *r)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; list && i < PADDINGS; i++) {
		struct json_object *one = json_object_new_uint64(r->padded[i]);

		if (!one || json_object_array_add(list, one)) {
			json_object_put(one);
			json_object_put(list);
			return -ENOMEM;
		}
	}
	return output_add(o, "flits_by_padding", list);
}

static struct json_object *variant_object(const struct netcrafter_found *f, unsigned i)
{
	static const char *const names[] = {
		"time_ns",	 "packets",	  "flits",	    "bytes",	       "link_flits",	"padded_flits",
		"parents",	 "stitched",	  "partial",	    "pooled",	       "pool_stitched", "pool_timed_out",
		"refused",	 "trimmed",	  "trimmed_bytes",  "walks",	       "walk_accesses", "walk_crossings",
		"stores_packed", "reads_crossed", "writes_crossed", "atomics_crossed",
	};
	const struct netcrafter_result *r = &f->results[i];
	const struct glk_cluster_queue_counters *c = &r->link;
	const struct sums s = sum_up(f, i);
	const uint64_t values[] = {
		r->time_ns,
		s.packets,
		s.flits,
		s.bytes,
		c->flits_out,
		c->flits_padded,
		c->parents,
		s.stitched,
		c->partial,
		c->pooled,
		c->pool_stitched,
		c->pool_timed_out,
		c->refused,
		r->trimmed,
		r->trimmed_bytes,
		r->walks,
		r->walk_accesses,
		r->walk_crossings,
		r->stores_packed,
		r->crossing[REQUEST_READ],
		r->crossing[REQUEST_WRITE],
		r->crossing[REQUEST_ATOMIC],
	};
	struct json_object *o = counts(names, values, sizeof(values) / sizeof(values[0]));

	_Static_assert(sizeof(names) / sizeof(names[0]) == sizeof(values) / sizeof(values[0]), "a name for each value");
	if (o && !output_add_text(o, "name", f->options->variants[i]->name) && !add_number(o, "speed_up", s.speed_up) &&
	    !add_number(o, "utilisation", r->utilisation) && !add_number(o, "pool_mean_ns", r->pool_ns_mean) &&
	    !add_latency(o, "access", &r->access) && !add_latency(o, "translation", &r->translation) &&
	    (!r->first.count || !add_latency(o, "first", &r->first)) && !add_kinds(o, f, i) &&
	    !add_padding(o, r))
		return o;
	json_object_put(o);
	return NULL;
}

static int add_setting(struct json_object *top, const struct netcrafter_setting *s)
{
	static const char *const names[] = {
		"within_gb_s", "between_gb_s", "flit_bytes", "queue_entries", "clocks", "pool_ns", "selective", "yielding",
		"trim_bytes", "burst", "tlb_entries", "unit_tlb_entries",
	};
	const uint64_t values[] = {
		s->within, s->between, s->flit_bytes, s->queue_entries, s->clocks, s->pool_ns, s->selective, s->yielding,
		s->trim_bytes, s->burst, s->tlb_entries, s->unit_tlb_entries,
	};

	_Static_assert(sizeof(names) / sizeof(names[0]) == sizeof(values) / sizeof(values[0]), "a name for each value");
	if (s->card_mhz && (output_add_count(top, "card_mhz", s->card_mhz) ||
			    output_add(top, "card_mhz_confirmed", json_object_new_boolean(false))))
		return -ENOMEM;
	return output_add(top, "setting", counts(names, values, sizeof(values) / sizeof(values[0])));
}

static int add_reads(struct json_object *top, const struct netcrafter_reads *r)
{
	static const char *const by_bytes[] = { "1-16", "17-32", "33-48", "49-64" };
	static const char *const in_sector[] = { "4", "8", "16", "32" };

	return output_add(top, "reads_by_bytes", counts(by_bytes, r->by_bytes, 4)) ||
			       output_add(top, "reads_in_sector", counts(in_sector, r->in_sector, 4)) ?
		       -ENOMEM :
		       0;
}

static int add_variants(struct json_object *top, const struct netcrafter_found *f)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; list && f->options->variants[i]; i++) {
		struct json_object *one = variant_object(f, i);

		if (!one || json_object_array_add(list, one)) {
			json_object_put(one);
			json_object_put(list);
			return -ENOMEM;
		}
	}
	return output_add(top, "variants", list);
}

static int json(FILE *to, const struct netcrafter_found *f)
{
	struct json_object *top = json_object_new_object();

	if (top && (output_add_text(top, "stream", f->stream) || output_add_count(top, "gpus", f->requests->gpus) ||
		    output_add_count(top, "requests", f->requests->count) ||
		    output_add_count(top, "phases", f->requests->phase_count) || add_setting(top, &f->options->setting) ||
		    add_reads(top, &f->reads) || add_variants(top, f))) {
		json_object_put(top);
		top = NULL;
	}
	return output_object_write(to, top);
}

int netcrafter_output(FILE *to, const struct netcrafter_found *found)
{
	switch (found->options->output) {
	case OUTPUT_JSON: return json(to, found);
	case OUTPUT_CSV: return csv(to, found);
	default: return netcrafter_output_table(to, found);
	}
}
