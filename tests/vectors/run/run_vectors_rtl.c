// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the vectors on two RTL blocks: glk_finepack_tx, looped back into glk_finepack_rx. Time and endpoint atomics, which
 * belong to other blocks, are implemented here in C. TAP, one test per file. Ignores lines "counters": these blocks have no
 * counters.
 *
 * run_vectors_rtl DIRECTORY
 */
#include <stdlib.h>
#include <string.h>

#include <finepack/finepack_rx_dut.h>
#include <finepack/finepack_tx_dut.h>
#include <gpulink_regs.h>

#include "vector_file.h"
#include "vector_list.h"

#define PARTITIONS   16u
#define PACKET_BYTES 5000u
#define PACKETS_MAX  256u
#define PAGE	     4096u
#define IDLE_CLOCKS  60u
#define FLUSH_CLOCKS 600u /* in which the packets of a flush are known */
#define MOST_CLOCKS  200000u

enum { STORE, FLUSH, PROBE };

struct page {
	struct page *next;
	uint64_t number;
	unsigned partition;
	uint8_t bytes[PAGE];
};

struct sent {
	unsigned partition, reason, position; /* in the order of sending */
	size_t bytes;
	uint8_t data[PACKET_BYTES];
};

struct run {
	struct vector_file f;
	struct tx_dut *tx;
	struct rx_dut *rx;
	struct tx_out out;
	struct tx_config config[PARTITIONS];
	uint64_t endpoint[PARTITIONS], timeout[PARTITIONS], last_store[PARTITIONS], now;
	struct page *pages;
	struct sent *sent; /* by the event at hand */
	unsigned packets, events, checked;
	bool flushed; /* by the event at hand */
	size_t got; /* bytes of the packet that is coming */
	uint64_t accepted, refused;
	uint64_t n[VECTOR_FIELDS];
	uint8_t data[8192];
};

static bool fail(struct run *r, const char *what, uint64_t expected, uint64_t got)
{
	return expected == got || vector_fail(&r->f, "%s: expected %llx, got %llx", what, (unsigned long long)expected,
					      (unsigned long long)got);
}

/* --- memory --- */

static uint8_t *byte_at(struct run *r, unsigned partition, uint64_t offset)
{
	struct page *p = r->pages;

	while (p && (p->number != offset / PAGE || p->partition != partition))
		p = p->next;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			abort();
		p->number = offset / PAGE;
		p->partition = partition;
		p->next = r->pages;
		r->pages = p;
	}
	return &p->bytes[offset % PAGE];
}

/* --- clocks --- */

static void take_write(struct run *r, const struct rx_out *out)
{
	uint64_t offset = out->offset;

	for (unsigned lane = 0; lane < rx_dut_lanes(); lane++)
		if ((out->enables >> lane) & 1)
			*byte_at(r, out->partition, offset++) = out->data[lane];
}

static bool rx_clock(struct run *r, struct rx_in *in)
{
	struct rx_out out;

	in->out_ready = true;
	rx_dut_clock(r->rx, in, &out);
	r->accepted += out.accepted;
	r->refused += out.refused;
	if (out.valid)
		take_write(r, &out);
	return in->valid && out.in_ready;
}

/* Feeds a whole packet, and waits for its result. */
static bool receive(struct run *r, const uint8_t *packet, size_t length)
{
	uint64_t before = r->accepted + r->refused;
	struct rx_in in = { 0 };

	for (size_t at = 0; at < length; at += in.bytes) {
		in.bytes = length - at < rx_dut_lanes() ? (unsigned)(length - at) : rx_dut_lanes();
		memset(in.data, 0xa5, sizeof(in.data));
		memcpy(in.data, packet + at, in.bytes);
		in.last = at + in.bytes == length;
		in.valid = true;
		for (unsigned clocks = 0; !rx_clock(r, &in); clocks++)
			if (clocks > MOST_CLOCKS)
				return vector_fail(&r->f, "the logic does not take the packet");
	}
	in.valid = false;
	/* A clock reads at most one run of the compact form, and then writes one: wait two clocks per byte. */
	for (unsigned clocks = 0; clocks < IDLE_CLOCKS + 2 * length; clocks++)
		rx_clock(r, &in);
	return fail(r, "packets that were decided on", before + 1, r->accepted + r->refused);
}

static void tx_note(struct run *r)
{
	const struct tx_out *out = &r->out;
	struct sent *s = &r->sent[r->packets % PACKETS_MAX];

	r->flushed |= out->flush;
	if (out->packet) {
		struct sent *e = &r->sent[r->events % PACKETS_MAX];

		e->partition = out->packet_partition;
		e->reason = out->reason;
		e->position = r->events++;
	}
	if (!out->valid || r->got + out->bytes > PACKET_BYTES)
		return;
	memcpy(s->data + r->got, out->data, out->bytes);
	r->got += out->bytes;
	if (out->last) {
		s->bytes = r->got;
		r->got = 0;
		r->packets++;
	}
}

static bool tx_clock(struct run *r, struct tx_in *in)
{
	in->out_ready = true;
	tx_dut_clock(r->tx, in, &r->out);
	tx_note(r);
	return in->valid && r->out.in_ready;
}

static bool give(struct run *r, struct tx_in *in, const uint8_t *data)
{
	unsigned lanes = tx_dut_lanes(), lane = (unsigned)(in->address % lanes), left = in->kind == STORE ? in->length : 1;

	in->valid = true;
	while (left) {
		unsigned part = left < lanes - lane ? left : lanes - lane;

		if (data)
			memcpy(in->data + lane, data, part);
		for (unsigned clocks = 0; !tx_clock(r, in); clocks++)
			if (clocks > MOST_CLOCKS)
				return vector_fail(&r->f, "the logic does not take the item");
		data = data ? data + part : NULL;
		left -= part;
		lane = 0;
	}
	return true;
}

/* Runs until everything is sent and looped back. */
static bool settle(struct run *r)
{
	struct tx_in none = { 0 };

	for (unsigned quiet = 0, clocks = 0; quiet < (r->flushed ? FLUSH_CLOCKS : IDLE_CLOCKS); clocks++) {
		tx_clock(r, &none);
		quiet = r->out.idle && !r->out.valid && !r->got && r->packets == r->events ? quiet + 1 : 0;
		if (clocks > MOST_CLOCKS)
			return vector_fail(&r->f, "the logic does not become idle");
	}
	r->flushed = false;
	for (unsigned i = 0; i < r->packets; i++) {
		uint64_t accepted = r->accepted;

		if (!receive(r, r->sent[i].data, r->sent[i].bytes))
			return false;
		if (!fail(r, "a packet that was sent is taken", accepted + 1, r->accepted))
			return false;
	}
	return true;
}

static bool flush(struct run *r, unsigned partition, unsigned reason)
{
	struct tx_in in = { .kind = FLUSH, .partition = partition, .length = 1, .reason = reason };

	return give(r, &in, NULL);
}

static bool flush_owned(struct run *r, uint64_t context, unsigned reason)
{
	for (unsigned p = 0; p < PARTITIONS; p++) {
		struct tx_in in = {
			.kind = FLUSH, .partition = p, .reason = reason, .owned = true, .context = (unsigned)context
		};

		if (!give(r, &in, NULL))
			return false;
	}
	return settle(r);
}

static bool probe(struct run *r, unsigned reason)
{
	struct tx_in in = {
		.kind = PROBE,
		.partition = (unsigned)r->n[0],
		.address = r->n[2],
		.length = (unsigned)r->n[3],
		.reason = reason,
	};

	return give(r, &in, NULL) && settle(r);
}

/* --- events --- */

static bool do_endpoint(struct run *r)
{
	r->endpoint[r->n[0]] = r->n[1];
	rx_dut_configure(r->rx, (unsigned)r->n[0], r->config[r->n[0]].subheader_bytes, r->n[1]);
	return true;
}

static bool do_set(struct run *r)
{
	unsigned p = (unsigned)r->n[0];
	const struct tx_config *old = &r->config[p];
	struct tx_config c = { (unsigned)r->n[1], (unsigned)r->n[2], r->n[4], r->n[5], old->packing, old->compact };
	bool same = c.subheader_bytes == old->subheader_bytes && c.max_payload_bytes == old->max_payload_bytes &&
		    c.coalesce == old->coalesce && c.self_describe == old->self_describe && r->timeout[p] == r->n[3];

	/* A packet in the paper's original form is parsed with the width it was built with. */
	if (!same && (!flush(r, p, GLK_FLUSH_CONFIG) || !settle(r)))
		return false;
	r->config[p] = c;
	r->timeout[p] = r->n[3];
	tx_dut_configure(r->tx, p, &c);
	rx_dut_configure(r->rx, p, c.subheader_bytes, r->endpoint[p]);
	return true;
}

static bool set_mode(struct run *r, bool *bit)
{
	unsigned p = (unsigned)r->n[0];

	if (*bit != r->n[1] && (!flush(r, p, GLK_FLUSH_CONFIG) || !settle(r)))
		return false;
	*bit = r->n[1];
	tx_dut_configure(r->tx, p, &r->config[p]);
	return true;
}

static bool do_packing(struct run *r)
{
	return set_mode(r, &r->config[r->n[0]].packing);
}

static bool do_compact(struct run *r)
{
	return set_mode(r, &r->config[r->n[0]].compact);
}

static bool do_store(struct run *r)
{
	struct tx_in in = {
		.kind = STORE, .partition = (unsigned)r->n[0], .address = r->n[2], .length = (unsigned)r->n[3],
		.context = (unsigned)r->n[1],
	};

	if (!vector_data(&r->f, r->data, (size_t)r->n[3], NULL) || !give(r, &in, r->data) || !settle(r))
		return false;
	r->last_store[in.partition] = r->now;
	return true;
}

static bool do_load(struct run *r)
{
	if (!vector_data(&r->f, r->data, (size_t)r->n[3], NULL) || !probe(r, GLK_FLUSH_LOAD_HIT))
		return false;
	for (uint64_t i = 0; i < r->n[3]; i++)
		if (!fail(r, "byte of a load", r->data[i], *byte_at(r, (unsigned)r->n[0], r->n[2] + i)))
			return false;
	return true;
}

static bool do_atomic(struct run *r)
{
	uint64_t old = 0, new;

	if (!probe(r, GLK_FLUSH_ATOMIC))
		return false;
	for (uint64_t i = r->n[3]; i-- > 0;)
		old = old << 8 | *byte_at(r, (unsigned)r->n[0], r->n[2] + i);
	new = r->n[4] == GLK_OP_FETCH_ADD ? old + r->n[5] : r->n[4] == GLK_OP_SWAP || old == r->n[6] ? r->n[5] : old;
	for (uint64_t i = 0; i < r->n[3]; i++)
		*byte_at(r, (unsigned)r->n[0], r->n[2] + i) = (uint8_t)(new >> (8 * i));
	return fail(r, "old value", r->n[7], old);
}

static bool do_release(struct run *r)
{
	return flush_owned(r, r->n[0], GLK_FLUSH_RELEASE);
}

static bool do_drain_card(struct run *r)
{
	for (unsigned p = 0; p < PARTITIONS; p++)
		if (!flush(r, p, GLK_FLUSH_DRAIN))
			return false;
	return settle(r);
}

static bool do_drain_context(struct run *r)
{
	return flush_owned(r, r->n[0], GLK_FLUSH_DRAIN);
}

static bool do_drain_partition(struct run *r) /* also for drain-window and unmap */
{
	return flush(r, (unsigned)r->n[0], GLK_FLUSH_DRAIN) && settle(r);
}

static bool do_time(struct run *r)
{
	r->now = r->n[0];
	for (unsigned p = 0; p < PARTITIONS; p++)
		if (r->timeout[p] && (r->out.holds >> p) & 1 && r->now >= r->last_store[p] + r->timeout[p] &&
		    !flush(r, p, GLK_FLUSH_TIMEOUT))
			return false;
	return settle(r);
}

static bool do_receive(struct run *r)
{
	uint64_t accepted = r->accepted;

	if (!vector_data(&r->f, r->data, (size_t)r->n[0], NULL))
		return false;
	if (r->n[0] == 0) /* a stream has no empty packets */
		return fail(r, "packet taken", r->n[1], 0);
	return receive(r, r->data, (size_t)r->n[0]) && fail(r, "packet taken", r->n[1], r->accepted - accepted);
}

static int by_partition(const void *a, const void *b)
{
	const struct sent *x = a, *y = b;

	return x->partition != y->partition ? (x->partition < y->partition ? -1 : 1) : x->position < y->position ? -1 : 1;
}

static bool do_packet(struct run *r)
{
	const struct sent *s = &r->sent[r->checked];

	if (r->checked == 0)
		qsort(r->sent, r->packets, sizeof(*r->sent), by_partition);
	if (r->checked == r->packets)
		return vector_fail(&r->f, "expected a packet, got none");
	r->checked++;
	if (!fail(r, "reason of the packet", r->n[0], s->reason) || !fail(r, "bytes of the packet", r->n[1], s->bytes) ||
	    !vector_data(&r->f, r->data, s->bytes, NULL))
		return false;
	for (size_t i = 0; i < s->bytes; i++)
		if (r->data[i] != s->data[i])
			return vector_fail(&r->f, "byte %zu of the packet: expected %02x, got %02x", i, r->data[i], s->data[i]);
	return true;
}

static bool do_memory(struct run *r)
{
	if (!vector_data(&r->f, r->data, (size_t)r->n[2], NULL))
		return false;
	for (uint64_t i = 0; i < r->n[2]; i++) {
		uint8_t *byte = byte_at(r, (unsigned)r->n[0], r->n[1] + i);

		if (!fail(r, "byte of memory", r->data[i], *byte))
			return false;
		*byte = 0;
	}
	return true;
}

static bool do_queued(struct run *r)
{
	struct tx_in in = { .look_partition = (unsigned)r->n[0] };

	for (unsigned clocks = 0; clocks < 3; clocks++)
		tx_clock(r, &in);
	return fail(r, "entries queued", r->n[1], r->out.look_entries) && fail(r, "payload queued", r->n[2], r->out.look_payload);
}

static bool do_nothing(struct run *r)
{
	(void)r;
	return true;
}

static bool do_end(struct run *r)
{
	for (const struct page *p = r->pages; p; p = p->next)
		for (unsigned i = 0; i < PAGE; i++)
			if (p->bytes[i])
				return vector_fail(&r->f, "memory of partition %x at %llx: expected 00, got %02x", p->partition,
						   (unsigned long long)p->number * PAGE + i, p->bytes[i]);
	return true;
}

static const struct command {
	const char *keyword;
	unsigned fields;
	bool event; /* sends packets */
	bool (*run)(struct run *r);
} commands[] = {
	{ "vectors", 1, false, do_nothing },	  { "queue", 1, false, do_nothing },
	{ "endpoint", 2, false, do_endpoint },	  { "set", 6, true, do_set },
	{ "packing", 2, true, do_packing },	  { "compact", 2, true, do_compact },
	{ "store", 4, true, do_store },		  { "load", 4, true, do_load },
	{ "get", 4, true, do_load },		  { "atomic", 8, true, do_atomic },
	{ "release", 1, true, do_release },	  { "drain-card", 0, true, do_drain_card },
	{ "drain-partition", 1, true, do_drain_partition }, { "drain-context", 1, true, do_drain_context },
	{ "drain-window", 2, true, do_drain_partition }, { "unmap", 2, true, do_drain_partition },
	{ "time", 1, true, do_time },		  { "receive", 2, true, do_receive },
	{ "packet", 2, false, do_packet },	  { "queued", 3, false, do_queued },
	{ "counters", 9, false, do_nothing },	  { "memory", 3, false, do_memory },
	{ "end", 0, false, do_end },
};

static bool run_line(struct run *r)
{
	uint64_t most[VECTOR_FIELDS];

	memset(most, 0xff, sizeof(most));
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const struct command *c = &commands[i];

		if (strcmp(r->f.keyword, c->keyword))
			continue;
		if (!vector_numbers(&r->f, c->fields, most, r->n))
			return false;
		if (c->event) {
			if (r->checked != r->packets)
				return vector_fail(&r->f, "the event before sent a packet too many");
			r->packets = r->events = r->checked = 0;
		}
		return c->run(r);
	}
	return vector_fail(&r->f, "unknown keyword '%s'", r->f.keyword);
}

static bool run_file(const char *path, const char **skip)
{
	static const struct tx_config reset = { 5, 4096, true, true, false, false };
	struct run *r = calloc(1, sizeof(*r));
	struct page *next;
	bool good;

	(void)skip;
	if (!r || !(r->sent = calloc(PACKETS_MAX, sizeof(*r->sent))))
		abort();
	r->tx = tx_dut_create(NULL);
	r->rx = rx_dut_create(NULL);
	for (unsigned p = 0; p < PARTITIONS; p++)
		r->config[p] = reset;
	good = vector_open(&r->f, path);
	while (good && vector_next(&r->f))
		good = run_line(r);
	good = good && !r->f.failed;
	if (!good)
		printf("# %s\n", r->f.message);
	vector_close(&r->f);
	for (struct page *p = r->pages; p; p = next) {
		next = p->next;
		free(p);
	}
	tx_dut_destroy(r->tx);
	rx_dut_destroy(r->rx);
	free(r->sent);
	free(r);
	return good;
}

int main(int argc, char **argv)
{
	return vector_run_all("run-vectors-rtl", argc, argv, run_file);
}
