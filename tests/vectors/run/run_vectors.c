// SPDX-License-Identifier: Apache-2.0
/*
 * Runs vector files on the model of the card, through card.h only. TAP: one test per file.
 *
 *	run-vectors FILE|DIRECTORY...
 *
 * Executes a file line by line: an event, then its expected results. The first mismatch ends the file's test. README.md has the
 * grammar.
 */
#include <stdlib.h>
#include <string.h>

#include "vector_card.h"
#include "vector_file.h"
#include "vector_list.h"

#define LINK_OFFSET_MOST 0xffffffffffffULL
#define REASONS ((GLK_PARTITION_FLUSH_DRAIN - GLK_PARTITION_FLUSH_WINDOW_MISS) / 8 + 1)
_Static_assert(REASONS == GLK_FLUSH_REGION, "vectors have no regions");

struct run {
	struct vector_file f;
	struct vector_card *v;
	uint64_t n[VECTOR_FIELDS]; /* the fields of the line at hand */
	unsigned order[VECTOR_PACKETS]; /* of the packets that the event sent, by partition */
	unsigned seen;			/* of them, expected by the file */
	uint64_t flushes[VECTOR_PARTITIONS][REASONS];
	uint64_t accepted, refused;
	uint64_t now;
	uint64_t mode[VECTOR_PARTITIONS]; /* MODE.PACKING and MODE.COMPACT */
	bool in_memory, ended;
	uint8_t data[VECTOR_PACKET_BYTES];
	unsigned lines[VECTOR_PACKET_BYTES / VECTOR_DATA_BYTES + 1];
};

/* Compares what came with r->data. */
static bool same(struct run *r, const char *what, const uint8_t *got, size_t bytes)
{
	return vector_same(&r->f, what, r->data, r->lines, got, bytes);
}

static bool equal(struct run *r, const char *what, uint64_t expected, uint64_t got)
{
	return vector_equal(&r->f, what, expected, got);
}

static const uint8_t *sent(const struct run *r, unsigned i, size_t *bytes)
{
	const struct vector_packet *packet = &r->v->sent[r->order[i]];

	*bytes = packet->bytes;
	return packet->data;
}

/* Destination partition, from the link address. */
static unsigned partition_of(const struct vector_packet *packet)
{
	return packet->bytes > 9 ? packet->data[9] : 0;
}

/* Keeps the order within a partition. The wire defines none between partitions: lowest first. */
static void sort_sent(struct run *r)
{
	for (unsigned i = 0; i < r->v->packets; i++) {
		unsigned at = i;

		for (; at > 0 && partition_of(&r->v->sent[r->order[at - 1]]) > partition_of(&r->v->sent[i]); at--)
			r->order[at] = r->order[at - 1];
		r->order[at] = i;
	}
}

/* Checks that the current event sent exactly the listed packets, for the listed reasons. */
static bool settle(struct run *r)
{
	struct vector_card *v = r->v;
	size_t bytes;

	if (v->trouble)
		return vector_fail(&r->f, "%s", v->trouble);
	if (r->seen < v->packets) {
		sent(r, r->seen, &bytes);
		return vector_fail(&r->f, "packets: expected %x, got %x (the next has %zx bytes)", r->seen, v->packets,
				   bytes);
	}
	vector_card_write(v, GLK_CARD_SNAPSHOT, 0);
	for (unsigned p = 0; p < VECTOR_PARTITIONS; p++)
		for (unsigned i = 0; i < REASONS; i++) {
			unsigned counter = vector_partition_register(p, GLK_PARTITION_FLUSH_WINDOW_MISS + 8 * i);
			uint64_t got = vector_card_read(v, counter);

			if (got != r->flushes[p][i])
				return vector_fail(&r->f, "partition %x, flushes for reason %x: expected %llx, got %llx", p,
						   i, (unsigned long long)r->flushes[p][i], (unsigned long long)got);
		}
	return equal(r, "packets refused", r->refused, vector_card_read(v, GLK_CARD_ERR_PACKET)) &&
	       equal(r, "packets taken", r->accepted + v->looped, vector_card_read(v, GLK_CARD_PACKETS_RECEIVED)) &&
	       equal(r, "register writes refused", 0, vector_card_read(v, GLK_CARD_ERR_CONFIG)) &&
	       equal(r, "accesses without a window", 0, vector_card_read(v, GLK_CARD_ERR_WINDOW)) &&
	       equal(r, "host memory errors", 0, vector_card_read(v, GLK_CARD_ERR_DMA));
}

/* ---- Setup ---- */

static bool do_endpoint(struct run *r)
{
	if (r->v->endpoint_bytes[r->n[0]])
		return vector_fail(&r->f, "partition %llx has an endpoint", (unsigned long long)r->n[0]);
	return vector_card_endpoint(r->v, (unsigned)r->n[0], r->n[1]) ||
	       vector_fail(&r->f, "the card takes no endpoint of %llx bytes", (unsigned long long)r->n[1]);
}

/* ---- Events ---- */

static bool do_set(struct run *r)
{
	static const unsigned registers[] = { GLK_PARTITION_SUBHEADER_BYTES, GLK_PARTITION_MAX_PAYLOAD_BYTES,
					      GLK_PARTITION_FLUSH_TIMEOUT_NS, GLK_PARTITION_MODE };
	uint64_t values[] = { r->n[1], r->n[2], r->n[3],
			      r->n[4] << GLK_PARTITION_MODE_COALESCE_SHIFT |
				      r->n[5] << GLK_PARTITION_MODE_SELF_DESCRIBE_SHIFT | r->mode[r->n[0]] };

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		unsigned reg = vector_partition_register((unsigned)r->n[0], registers[i]);

		vector_card_write(r->v, reg, values[i]);
		if (!equal(r, "set: the setting the card has then", values[i], vector_card_read(r->v, reg)))
			return false;
	}
	return true;
}

static bool set_mode(struct run *r, uint64_t mask)
{
	unsigned reg = vector_partition_register((unsigned)r->n[0], GLK_PARTITION_MODE);
	uint64_t mode = (vector_card_read(r->v, reg) & ~mask) | (r->n[1] ? mask : 0);

	r->mode[r->n[0]] = mode & (GLK_PARTITION_MODE_PACKING_MASK | GLK_PARTITION_MODE_COMPACT_MASK);
	vector_card_write(r->v, reg, mode);
	return equal(r, "the mode the card has then", mode, vector_card_read(r->v, reg));
}

static bool do_packing(struct run *r)
{
	return set_mode(r, GLK_PARTITION_MODE_PACKING_MASK);
}

static bool do_compact(struct run *r)
{
	return set_mode(r, GLK_PARTITION_MODE_COMPACT_MASK);
}

/* The aperture offset of the access in fields 0..3. */
static bool aperture(struct run *r, uint64_t *at)
{
	if (r->n[3] == 0)
		return vector_fail(&r->f, "no bytes");
	*at = vector_card_aperture(r->v, (unsigned)r->n[0], (unsigned)r->n[1], r->n[2], (size_t)r->n[3]);
	return *at != UINT64_MAX || vector_fail(&r->f, "no endpoint, beyond it, or too many windows");
}

static bool do_store(struct run *r)
{
	uint64_t at;

	if (!aperture(r, &at) || !vector_data(&r->f, r->data, (size_t)r->n[3], r->lines))
		return false;
	return glk_card_aperture_store(r->v->card, at, r->data, (size_t)r->n[3]) == 0 ||
	       vector_fail(&r->f, "the card did not take the store");
}

static bool do_load(struct run *r)
{
	uint8_t got[VECTOR_ACCESS_BYTES];
	uint64_t at;

	if (!aperture(r, &at) || !vector_data(&r->f, r->data, (size_t)r->n[3], r->lines))
		return false;
	if (glk_card_aperture_load(r->v->card, at, got, (size_t)r->n[3]))
		return vector_fail(&r->f, "the card did not serve the load");
	return same(r, "load", got, (size_t)r->n[3]);
}

static bool do_get(struct run *r)
{
	uint64_t at, sqe[8] = { GLK_OP_GET | r->n[3] << GLK_SQE_LENGTH_SHIFT };
	const uint8_t *got;

	if (!aperture(r, &at) || !vector_data(&r->f, r->data, (size_t)r->n[3], r->lines))
		return false;
	if (!vector_card_ring(r->v, (unsigned)r->n[1], at, sqe, &got))
		return vector_fail(&r->f, "the get did not complete ok");
	return same(r, "get", got, (size_t)r->n[3]);
}

static bool do_atomic(struct run *r)
{
	uint64_t at, old = 0, sqe[8] = { r->n[4] | r->n[3] << GLK_SQE_LENGTH_SHIFT };
	const uint8_t *got;

	if (r->n[4] < GLK_OP_FETCH_ADD)
		return vector_fail(&r->f, "no atomic operation");
	if (!aperture(r, &at))
		return false;
	sqe[GLK_SQE_DATA_Q] = r->n[5];
	sqe[GLK_SQE_DATA_Q + 1] = r->n[6];
	if (!vector_card_ring(r->v, (unsigned)r->n[1], at, sqe, &got))
		return vector_fail(&r->f, "the atomic did not complete ok");
	for (unsigned i = (unsigned)r->n[3]; i-- > 0;)
		old = old << 8 | got[i];
	return equal(r, "old value", r->n[7], old);
}

static bool do_release(struct run *r)
{
	unsigned page = GLK_DOORBELL_ARRAY + (unsigned)r->n[0] * GLK_DOORBELL_STRIDE;
	uint64_t value = vector_card_read(r->v, page + GLK_DOORBELL_RELEASED) + 1;

	vector_card_write(r->v, page + GLK_DOORBELL_RELEASE, value);
	return equal(r, "release", value, vector_card_read(r->v, page + GLK_DOORBELL_RELEASED));
}

static bool drain(struct run *r, uint64_t kind, uint64_t id)
{
	uint64_t value = kind << GLK_CARD_DRAIN_KIND_SHIFT | id << GLK_CARD_DRAIN_ID_SHIFT;

	vector_card_write(r->v, GLK_CARD_DRAIN, value);
	return equal(r, "drain", value, vector_card_read(r->v, GLK_CARD_DRAIN));
}

static bool do_drain_card(struct run *r)
{
	return drain(r, GLK_DRAIN_CARD, 0);
}

static bool do_drain_context(struct run *r)
{
	return drain(r, GLK_DRAIN_CONTEXT, r->n[0]);
}

static bool do_drain_partition(struct run *r)
{
	return drain(r, GLK_DRAIN_PARTITION, r->n[0]);
}

static bool do_drain_window(struct run *r)
{
	int slice = vector_card_window(r->v, (unsigned)r->n[0], (unsigned)r->n[1]);

	return slice < 0 ? vector_fail(&r->f, "the context has no window there") :
			   drain(r, GLK_DRAIN_WINDOW, (unsigned)slice);
}

static bool do_unmap(struct run *r)
{
	if (vector_card_window(r->v, (unsigned)r->n[0], (unsigned)r->n[1]) < 0)
		return vector_fail(&r->f, "the context has no window there");
	vector_card_unmap(r->v, (unsigned)r->n[0], (unsigned)r->n[1]);
	return true;
}

static bool do_time(struct run *r)
{
	if (r->n[0] < r->now)
		return vector_fail(&r->f, "time goes backwards");
	r->now = r->n[0];
	glk_card_advance(r->v->card, r->now);
	return true;
}

static bool do_receive(struct run *r)
{
	uint8_t *copy = malloc((size_t)r->n[0] + 1);
	unsigned line = r->f.line;
	bool taken;

	if (!copy)
		return vector_fail(&r->f, "no memory");
	if (!vector_data(&r->f, r->data, (size_t)r->n[0], NULL)) {
		free(copy);
		return false;
	}
	/* A copy of exact size, so that a sanitizer detects overreads. */
	memcpy(copy, r->data, (size_t)r->n[0]);
	copy = realloc(copy, r->n[0] ? (size_t)r->n[0] : 1);
	taken = copy && glk_card_link_receive(r->v->card, copy, (size_t)r->n[0]) == 0;
	free(copy);
	*(r->n[1] ? &r->accepted : &r->refused) += 1;
	r->f.line = taken == (bool)r->n[1] ? r->f.line : line;
	return equal(r, "packet taken", r->n[1], taken);
}

/* ---- Expected results ---- */

static bool do_packet(struct run *r)
{
	const uint8_t *packet;
	size_t bytes;

	if (r->seen == r->v->packets)
		return vector_fail(&r->f, "expected a packet of %llx bytes, got none", (unsigned long long)r->n[1]);
	packet = sent(r, r->seen, &bytes);
	if (!equal(r, "bytes of the packet", r->n[1], bytes) || !vector_data(&r->f, r->data, bytes, r->lines) ||
	    !same(r, "packet", packet, bytes))
		return false;
	r->flushes[partition_of(&r->v->sent[r->order[r->seen++]]) % VECTOR_PARTITIONS][r->n[0]]++;
	return true;
}

static bool do_queued(struct run *r)
{
	uint64_t status = vector_card_read(r->v, vector_partition_register((unsigned)r->n[0], GLK_PARTITION_STATUS));

	return equal(r, "entries queued", r->n[1],
		     (status & GLK_PARTITION_STATUS_ENTRIES_MASK) >> GLK_PARTITION_STATUS_ENTRIES_SHIFT) &&
	       equal(r, "payload queued", r->n[2],
		     (status & GLK_PARTITION_STATUS_PAYLOAD_MASK) >> GLK_PARTITION_STATUS_PAYLOAD_SHIFT);
}

static bool do_counters(struct run *r)
{
	static const struct {
		const char *name;
		unsigned reg;
	} counters[] = {
		{ "stores", GLK_PARTITION_STORES },
		{ "store_bytes", GLK_PARTITION_STORE_BYTES },
		{ "packets", GLK_PARTITION_PACKETS },
		{ "sub_packets", GLK_PARTITION_SUB_PACKETS },
		{ "payload_bytes", GLK_PARTITION_PAYLOAD_BYTES },
		{ "wire_bytes", GLK_PARTITION_WIRE_BYTES },
		{ "raw_wire_bytes", GLK_PARTITION_RAW_WIRE_BYTES },
		{ "overwritten_bytes", GLK_PARTITION_OVERWRITTEN_BYTES },
	};

	for (unsigned i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!equal(r, counters[i].name, r->n[1 + i],
			   vector_card_read(r->v, vector_partition_register((unsigned)r->n[0], counters[i].reg))))
			return false;
	return true;
}

/* Clears compared memory: at the end no other byte may be set. */
static bool do_memory(struct run *r)
{
	uint8_t got[VECTOR_ACCESS_BYTES];

	if (r->n[2] == 0)
		return vector_fail(&r->f, "no bytes");
	if (!vector_data(&r->f, r->data, (size_t)r->n[2], r->lines))
		return false;
	vector_card_take_memory(r->v, (unsigned)r->n[0], r->n[1], got, (size_t)r->n[2]);
	r->in_memory = true;
	return same(r, "memory", got, (size_t)r->n[2]);
}

static bool do_end(struct run *r)
{
	unsigned partition;
	uint64_t offset;
	uint8_t byte;

	r->ended = true;
	if (vector_card_remaining(r->v, &partition, &offset, &byte))
		return vector_fail(&r->f, "memory of partition %x at %llx: expected 00, got %02x", partition,
				   (unsigned long long)offset, byte);
	return true;
}

/* ---- The file ---- */

static const struct command {
	const char *keyword;
	bool (*run)(struct run *r);
	bool expectation; /* of the previous event, not an event itself */
	unsigned fields;
	uint64_t most[VECTOR_FIELDS];
} commands[] = {
	{ "endpoint", do_endpoint, false, 2, { 15, LINK_OFFSET_MOST + 1 } },
	{ "set", do_set, false, 6, { 15, 6, 4096, GLK_TIMEOUT_MAX_NS, 1, 1 } },
	{ "packing", do_packing, false, 2, { 15, 1 } },
	{ "compact", do_compact, false, 2, { 15, 1 } },
	{ "store", do_store, false, 4, { 15, VECTOR_CONTEXTS - 1, LINK_OFFSET_MOST, VECTOR_ACCESS_BYTES } },
	{ "load", do_load, false, 4, { 15, VECTOR_CONTEXTS - 1, LINK_OFFSET_MOST, VECTOR_ACCESS_BYTES } },
	{ "get", do_get, false, 4, { 15, VECTOR_CONTEXTS - 1, LINK_OFFSET_MOST, VECTOR_ACCESS_BYTES } },
	{ "atomic", do_atomic, false, 8,
	  { 15, VECTOR_CONTEXTS - 1, LINK_OFFSET_MOST, 8, GLK_OP_CAS, UINT64_MAX, UINT64_MAX, UINT64_MAX } },
	{ "release", do_release, false, 1, { VECTOR_CONTEXTS - 1 } },
	{ "drain-card", do_drain_card, false, 0, { 0 } },
	{ "drain-window", do_drain_window, false, 2, { 15, VECTOR_CONTEXTS - 1 } },
	{ "drain-context", do_drain_context, false, 1, { VECTOR_CONTEXTS - 1 } },
	{ "drain-partition", do_drain_partition, false, 1, { 15 } },
	{ "unmap", do_unmap, false, 2, { 15, VECTOR_CONTEXTS - 1 } },
	{ "time", do_time, false, 1, { UINT64_MAX } },
	{ "receive", do_receive, false, 2, { VECTOR_PACKET_BYTES, 1 } },
	{ "packet", do_packet, true, 2, { REASONS - 1, VECTOR_PACKET_BYTES } },
	{ "queued", do_queued, false, 3, { 15, 0x80, 0x7fff } },
	{ "counters", do_counters, false, 9,
	  { 15, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } },
	{ "memory", do_memory, false, 3, { 15, LINK_OFFSET_MOST, VECTOR_ACCESS_BYTES } },
	{ "end", do_end, false, 0, { 0 } },
};

static bool command(struct run *r)
{
	const struct command *c = commands;

	for (;; c++) {
		if (c == commands + sizeof(commands) / sizeof(commands[0]))
			return vector_fail(&r->f, "unknown keyword, or not here: %s", r->f.keyword);
		if (strcmp(c->keyword, r->f.keyword) == 0)
			break;
	}
	if (!vector_numbers(&r->f, c->fields, c->most, r->n))
		return false;
	if (r->in_memory && c->run != do_memory && c->run != do_end)
		return vector_fail(&r->f, "%s after memory", c->keyword);
	if (!c->expectation) {
		r->v->packets = 0;
		r->seen = 0;
	}
	if (!c->run(r))
		return false;
	if (!c->expectation)
		sort_sent(r);
	return true;
}

/* The first two lines: the version of the format and the queue's entries. */
static bool head(struct run *r)
{
	static const uint64_t most[] = { 0xff };
	struct vector_file *f = &r->f;

	if (!vector_next(f) || strcmp(f->keyword, "vectors") != 0)
		return vector_fail(f, "no vector file: it begins with \"vectors 1\"");
	if (!vector_numbers(f, 1, most, r->n) || !equal(r, "version of the format", 1, r->n[0]))
		return false;
	if (!vector_next(f) || strcmp(f->keyword, "queue") != 0)
		return vector_fail(f, "\"queue\" and a number of entries have to come second");
	if (!vector_numbers(f, 1, most, r->n))
		return false;
	r->v = vector_card_create((unsigned)r->n[0]);
	return r->v || vector_fail(f, "no card with %llx queue entries", (unsigned long long)r->n[0]);
}

static bool body(struct run *r)
{
	struct vector_file *f = &r->f;

	while (vector_next(f)) {
		unsigned line, next;

		if (r->ended)
			return vector_fail(f, "%s after the end", f->keyword);
		if (!command(r))
			return false;
		/* An event's packets follow it; any other line settles the event. */
		line = f->line;
		f->again = vector_next(f);
		if (f->failed)
			return false;
		if (f->again && strcmp(f->keyword, "packet") == 0)
			continue;
		next = f->line;
		f->line = line;
		if (!settle(r))
			return false;
		f->line = next;
	}
	return !f->failed && (r->ended || vector_fail(f, "the file has no end line"));
}

static bool run_file(const char *path, const char **skip)
{
	struct run *r = calloc(1, sizeof(*r));
	bool good;

	(void)skip;
	if (!r)
		abort();
	good = vector_open(&r->f, path) && head(r) && body(r);
	if (!good)
		printf("# %s\n", r->f.message);
	if (r->v)
		vector_card_destroy(r->v);
	vector_close(&r->f);
	free(r);
	return good;
}

int main(int argc, char **argv)
{
	return vector_run_all("run-vectors", argc, argv, run_file);
}
