// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the link vectors on a cluster queue and an un-stitcher, of the model or the RTL. TAP: one test per file.
 *
 *	run-link-vectors FILE|DIRECTORY...
 *
 * Executes a line, then checks the expectations below it. The first mismatch ends the file's test. README.md has the grammar.
 */
#include <stdlib.h>
#include <string.h>

#include "vector_file.h"
#include "vector_link.h"
#include "vector_list.h"

#define RUN_MOST 0xffffu /* clocks of a line */

struct left {
	uint64_t clock;
	struct glk_flit flit;
};

struct run {
	struct vector_file f;
	struct vector_link *v;
	uint64_t n[VECTOR_FIELDS]; /* the fields of the line at hand */
	unsigned flit_bytes;
	unsigned kinds; /* those below are defined */
	uint64_t now;
	bool ready, ended, skipped;
	unsigned credits[GLK_CLASS_COUNT];
	struct left left[VECTOR_LINK_ENTRIES]; /* by the line at hand */
	unsigned left_count, left_seen, arrivals_seen;
	uint8_t data[GLK_LINK_PACKET_BYTES_MAX];
	unsigned lines[GLK_LINK_PACKET_BYTES_MAX / VECTOR_DATA_BYTES + 1];
};

/* Checks that the file listed all results of the previous lines. */
static bool settled(struct run *r, bool flits_too)
{
	unsigned count;

	vector_link_arrivals(r->v, &count);
	return vector_equal(&r->f, "packets that arrived before this line", r->arrivals_seen, count) &&
	       (!flits_too || vector_equal(&r->f, "flits that left before this line", r->left_seen, r->left_count));
}

/* ---- Events ---- */

static bool do_set(struct run *r)
{
	const struct glk_cluster_queue_config config = {
		.stitching = r->n[0],	   .pooling = r->n[1],		     .selective = r->n[2],
		.sequencing = r->n[3],	   .pool_cycles = (unsigned)r->n[4], .burst = (unsigned)r->n[5],
	};

	return vector_link_set(r->v, &config) || vector_fail(&r->f, "invalid settings");
}

static bool do_credits(struct run *r)
{
	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		r->credits[class] += (unsigned)r->n[class];
	return true;
}

static bool do_ready(struct run *r)
{
	r->ready = r->n[0];
	return true;
}

static bool do_packet(struct run *r)
{
	int result;

	if (r->n[1] < GLK_LINK_HEADER_BYTES)
		return vector_fail(&r->f, "packet too short");
	if (!vector_data(&r->f, r->data, (size_t)r->n[1], r->lines))
		return false;
	result = vector_link_push(r->v, r->now, (enum glk_kind)r->n[0], r->data, (size_t)r->n[1]);
	if (result < 0)
		return vector_fail(&r->f, "packet not valid for its kind");
	return vector_equal(&r->f, "packet, taken", r->n[2], (uint64_t)result);
}

static bool do_run(struct run *r)
{
	for (uint64_t end = r->now + r->n[0]; r->now < end; r->now++) {
		struct left *left = &r->left[r->left_count];

		left->clock = r->now;
		if (!vector_link_clock(r->v, r->now, r->ready, r->credits, &left->flit))
			continue;
		if (++r->left_count == VECTOR_LINK_ENTRIES)
			return vector_fail(&r->f, "more flits leave than a queue has places");
	}
	return true;
}

static bool do_reset(struct run *r)
{
	vector_link_reset(r->v);
	return true;
}

static bool take_flit(struct run *r, uint64_t type, bool *accepted)
{
	struct glk_flit flit = { .type = (uint8_t)type };

	if (!vector_data(&r->f, r->data, r->flit_bytes, r->lines))
		return false;
	memcpy(flit.bytes, r->data, r->flit_bytes);
	*accepted = vector_link_receive(r->v, &flit);
	r->arrivals_seen = 0;
	return true;
}

static bool do_receive(struct run *r)
{
	uint64_t expected = r->n[1];
	bool accepted;

	return take_flit(r, r->n[0], &accepted) && vector_equal(&r->f, "flit, taken", expected, accepted);
}

/* ---- Results ---- */

static bool do_flit(struct run *r)
{
	const struct left *left = &r->left[r->left_seen];
	bool accepted;

	if (r->left_seen == r->left_count)
		return vector_fail(&r->f, "no further flit left");
	r->left_seen++;
	if (!vector_equal(&r->f, "the flit's clock", r->n[0], left->clock) ||
	    !vector_equal(&r->f, "the flit's type", r->n[1], left->flit.type) || !take_flit(r, r->n[1], &accepted) ||
	    !vector_same(&r->f, "flit", r->data, r->lines, left->flit.bytes, r->flit_bytes))
		return false;
	return accepted || vector_fail(&r->f, "the un-stitcher refuses the flit");
}

static bool do_arrived(struct run *r)
{
	unsigned count;
	const struct vector_arrival *arrival = vector_link_arrivals(r->v, &count) + r->arrivals_seen;

	if (r->arrivals_seen == count)
		return vector_fail(&r->f, "no further packet arrived");
	r->arrivals_seen++;
	return vector_equal(&r->f, "kind", r->n[0], arrival->kind) &&
	       vector_equal(&r->f, "length", r->n[1], arrival->length) &&
	       vector_equal(&r->f, "pieces", r->n[2], arrival->pieces) &&
	       vector_data(&r->f, r->data, arrival->length, r->lines) &&
	       vector_same(&r->f, "packet that arrived", r->data, r->lines, arrival->packet, arrival->length);
}

static bool do_queued(struct run *r)
{
	return vector_equal(&r->f, "flits queued", r->n[0], vector_link_fill(r->v));
}

static bool do_kind(struct run *r)
{
	const struct glk_cluster_queue_counters *c = vector_link_counters(r->v);
	uint64_t kind = r->n[0];

	return !vector_link_tells_all(r->v) || (vector_equal(&r->f, "packets", r->n[1], c->packets[kind]) &&
						vector_equal(&r->f, "flits in", r->n[2], c->flits_in[kind]) &&
						vector_equal(&r->f, "bytes in", r->n[3], c->bytes_in[kind]) &&
						vector_equal(&r->f, "stitched", r->n[4], c->stitched[kind]) &&
						vector_equal(&r->f, "waited", r->n[5], c->waited[kind]));
}

static bool do_counters(struct run *r)
{
	const struct glk_cluster_queue_counters *c = vector_link_counters(r->v);

	if (!vector_link_tells_all(r->v))
		return true;
	return vector_equal(&r->f, "flits out", r->n[0], c->flits_out) &&
	       vector_equal(&r->f, "flits padded", r->n[1], c->flits_padded) &&
	       vector_equal(&r->f, "parents", r->n[2], c->parents) && vector_equal(&r->f, "partial", r->n[3], c->partial) &&
	       vector_equal(&r->f, "pooled", r->n[4], c->pooled) &&
	       vector_equal(&r->f, "pooled and stitched", r->n[5], c->pool_stitched) &&
	       vector_equal(&r->f, "pooled and timed out", r->n[6], c->pool_timed_out) &&
	       vector_equal(&r->f, "packets refused", r->n[7], c->refused);
}

static bool do_end(struct run *r)
{
	r->ended = true;
	return true;
}

/* ---- The file ---- */

enum expectation { EVENT, OF_RUN, OF_FLIT };

static const struct command {
	const char *keyword;
	bool (*run)(struct run *r);
	enum expectation expectation;
	unsigned fields;
	uint64_t most[VECTOR_FIELDS];
} commands[] = {
	{ "set", do_set, EVENT, 6, { 1, 1, 1, 1, 128, 255 } },
	{ "credits", do_credits, EVENT, 3, { 0xfff, 0xfff, 0xfff } },
	{ "ready", do_ready, EVENT, 1, { 1 } },
	{ "packet", do_packet, EVENT, 3, { GLK_KIND_ALL - 1, GLK_LINK_PACKET_BYTES_MAX, 1 } },
	{ "run", do_run, EVENT, 1, { RUN_MOST } },
	{ "reset", do_reset, EVENT, 0, { 0 } },
	{ "receive", do_receive, EVENT, 2, { 0x1f, 1 } },
	{ "flit", do_flit, OF_RUN, 2, { UINT64_MAX, 0x1f } },
	{ "arrived", do_arrived, OF_FLIT, 3, { GLK_KIND_ALL - 1, GLK_LINK_PACKET_BYTES_MAX, 0xffff } },
	{ "queued", do_queued, EVENT, 1, { VECTOR_LINK_ENTRIES } },
	{ "kind", do_kind, EVENT, 6, { GLK_KIND_ALL - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } },
	{ "counters", do_counters, EVENT, 8,
	  { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } },
	{ "end", do_end, EVENT, 0, { 0 } },
};

static bool command(struct run *r)
{
	const struct command *c = commands;

	for (;; c++) {
		if (c == commands + sizeof(commands) / sizeof(commands[0]))
			return vector_fail(&r->f, "unknown keyword: %s", r->f.keyword);
		if (strcmp(c->keyword, r->f.keyword) == 0)
			break;
	}
	if (!vector_numbers(&r->f, c->fields, c->most, r->n))
		return false;
	if ((c->run == do_packet || c->run == do_arrived || c->run == do_kind) && r->n[0] >= r->kinds)
		return vector_fail(&r->f, "%s: undefined kind %llx", c->keyword, (unsigned long long)r->n[0]);
	if (c->expectation != OF_FLIT && !settled(r, c->expectation == EVENT))
		return false;
	if (c->expectation == EVENT)
		r->left_count = r->left_seen = 0;
	return c->run(r);
}

/* The first two lines: the version of the format, and the queue. */
static bool head(struct run *r)
{
	static const uint64_t most[] = { 0xffff, 0xffff };
	struct vector_file *f = &r->f;

	if (!vector_next(f) || strcmp(f->keyword, "vectors") != 0)
		return vector_fail(f, "no vector file: it begins with \"vectors 1\"");
	if (!vector_numbers(f, 1, most, r->n) || !vector_equal(f, "version of the format", 1, r->n[0]))
		return false;
	if (!vector_next(f) || (strcmp(f->keyword, "link") != 0 && strcmp(f->keyword, "link-leases") != 0))
		return vector_fail(f, "\"link\" or \"link-leases\", bytes of a flit and flits of the queue have to come second");
	r->kinds = strcmp(f->keyword, "link-leases") ? GLK_KIND_COUNT : GLK_KIND_ALL;
	if (!vector_numbers(f, 2, most, r->n))
		return false;
	r->flit_bytes = (unsigned)r->n[0];
	r->skipped = !vector_link_has((unsigned)r->n[0], (unsigned)r->n[1], r->kinds == GLK_KIND_ALL);
	if (r->skipped)
		return true;
	r->v = vector_link_create((unsigned)r->n[0], (unsigned)r->n[1], r->kinds == GLK_KIND_ALL);
	if (!r->v)
		return vector_fail(f, "no queue of %llx flits of %llx bytes", (unsigned long long)r->n[1],
				   (unsigned long long)r->n[0]);
	r->ready = true;
	return true;
}

static bool body(struct run *r)
{
	while (vector_next(&r->f)) {
		if (r->ended)
			return vector_fail(&r->f, "%s after the end", r->f.keyword);
		if (!command(r))
			return false;
	}
	return !r->f.failed && (r->ended || vector_fail(&r->f, "the file has no end line"));
}

static bool run_file(const char *path, const char **skip)
{
	struct run *r = calloc(1, sizeof(*r));
	bool good;

	if (!r)
		abort();
	good = vector_open(&r->f, path) && head(r) && (r->skipped || body(r));
	if (!good)
		printf("# %s\n", r->f.message);
	*skip = r->skipped ? "no such queue here" : NULL;
	if (r->v)
		vector_link_destroy(r->v);
	vector_close(&r->f);
	free(r);
	return good;
}

int main(int argc, char **argv)
{
	return vector_run_all("run-link-vectors", argc, argv, run_file);
}
