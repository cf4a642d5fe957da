// SPDX-License-Identifier: Apache-2.0
/*
 * FinePack on the link (docs/wire-format.md): each cluster's card has a partition for every GPU of the other cluster; requests
 * to write go into it and are answered at once, as posted writes are. What the partition sends goes through the cluster queue
 * like all else. When all of a phase's requests are answered the partitions are released: the phase ends when the other card
 * has answered that all is visible. A load is behind the stores to its line that are queued.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "finepack/partition.h"
#include "system.h"

enum { QUEUE_LINES = 64 };

struct channel {
	struct glk_partition partition;
	struct system *system;
	uint8_t source, destination; /* a GPU of the cluster, for all of them */
	uint64_t sent, arrived;	     /* packets */
	uint64_t released;	     /* of those sent */
	bool asked;		     /* a release is there, and waits for packets */
};

struct packing {
	struct queue waiting[2]; /* for the link, by cluster */
	unsigned releases;
	struct channel channels[]; /* by destination */
};

static void packing_packet_out(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	struct channel *c = user;
	struct system *s = c->system;
	uint32_t number = network_packet(s, GLK_KIND_FINEPACK, c->source, c->destination, c->destination);
	struct packet *p;

	(void)reason;
	if (number == NO_PACKET)
		return;
	p = &s->packets[number];
	p->finepack = malloc(length);
	if (!p->finepack) {
		system_fail(s, -ENOMEM);
		network_forget(s, number);
		return;
	}
	memcpy(p->finepack, packet, length);
	p->bytes = (uint16_t)length;
	c->sent++;
	queue_put(s, &s->packing->waiting[system_cluster(s, c->source)], number);
}

int packing_begin(struct system *s)
{
	const unsigned gpus = s->requests->gpus;

	s->packing = calloc(1, sizeof(*s->packing) + gpus * sizeof(s->packing->channels[0]));
	if (!s->packing)
		return -ENOMEM;
	for (unsigned i = 0; i < 2; i++)
		s->packing->waiting[i] = (struct queue){ NO_PACKET, NO_PACKET };
	for (unsigned i = 0; i < gpus; i++) {
		struct channel *c = &s->packing->channels[i];

		c->system = s;
		c->destination = (uint8_t)i;
		c->source = (uint8_t)(system_cluster(s, i) ? 0 : gpus - 1);
		glk_partition_init(&c->partition, QUEUE_LINES, packing_packet_out, c);
		glk_partition_set(&c->partition, GLK_PARTITION_MODE, GLK_PARTITION_MODE_PAPER);
		glk_partition_set(&c->partition, GLK_PARTITION_SUBHEADER_BYTES, GLK_PARTITION_SUBHEADER_BYTES_PAPER);
	}
	return 0;
}

void packing_end(struct system *s)
{
	free(s->packing);
	s->packing = NULL;
}

bool packing_push(struct system *s, unsigned cluster)
{
	struct queue *waiting = &s->packing->waiting[cluster];

	while (!s->failed && waiting->first != NO_PACKET && network_cross(s, waiting->first))
		queue_take(s, waiting);
	return waiting->first == NO_PACKET;
}

bool packing_store(struct system *s, uint32_t packet)
{
	static const uint8_t data[LINE_BYTES]; /* which makes no difference */
	struct packet *p = &s->packets[packet];
	const struct request *r = &s->requests->list[p->owner];
	struct channel *c = &s->packing->channels[p->destination];
	unsigned cluster = system_cluster(s, p->source), begin, end;

	if (!packing_push(s, cluster))
		return false;
	for (uint64_t left = r->mask; left; left = end == LINE_BYTES ? 0 : left >> end << end) {
		uint64_t gaps;

		begin = (unsigned)__builtin_ctzll(left);
		gaps = ~left >> begin;
		end = gaps ? begin + (unsigned)__builtin_ctzll(gaps) : LINE_BYTES;
		end = end < LINE_BYTES ? end : LINE_BYTES;
		glk_partition_store(&c->partition, glk_link_address(p->destination, (uint64_t)r->line * LINE_BYTES + begin),
				    data, end - begin, 0, s->now / TICKS_NS);
	}
	s->result->stores_packed++;
	packing_push(s, cluster);
	p = &s->packets[packet]; /* they may have moved */
	p->destination = p->source;
	p->kind = GLK_KIND_WRITE_RESPONSE;
	p->bytes = GLK_LINK_HEADER_BYTES;
	network_deliver(s, packet);
	return true;
}

bool packing_load(struct system *s, uint32_t packet)
{
	const struct packet *p = &s->packets[packet];
	struct channel *c = &s->packing->channels[p->destination];
	unsigned cluster = system_cluster(s, p->source);
	uint64_t address = glk_link_address(p->destination, (uint64_t)s->requests->list[p->owner].line * LINE_BYTES);

	glk_partition_flush_hit(&c->partition, address, LINE_BYTES, GLK_FLUSH_LOAD_HIT);
	return packing_push(s, cluster);
}

static void send_alone(struct system *s, enum glk_kind kind, unsigned source, unsigned destination, uint32_t owner)
{
	uint32_t packet = network_packet(s, kind, source, destination, owner);
	unsigned cluster = system_cluster(s, source);

	if (packet == NO_PACKET)
		return;
	queue_put(s, &s->packing->waiting[cluster], packet);
	packing_push(s, cluster);
}

/* The release is answered once what it names has arrived. */
static void answer_release(struct system *s, struct channel *c)
{
	if (!c->asked || c->arrived != c->sent)
		return;
	c->asked = false;
	send_alone(s, GLK_KIND_RELEASED, c->destination, c->source, c->destination);
}

void packing_arrived(struct system *s, uint32_t packet)
{
	struct packet *p = &s->packets[packet];
	struct channel *c = &s->packing->channels[p->owner];
	unsigned kind = p->kind;

	network_forget(s, packet);
	if (kind == GLK_KIND_RELEASED) {
		if (--s->packing->releases == 0)
			system_released(s);
		return;
	}
	c->arrived += kind == GLK_KIND_FINEPACK;
	c->asked |= kind == GLK_KIND_RELEASE;
	answer_release(s, c);
}

unsigned packing_release(struct system *s)
{
	unsigned asked = 0;

	for (unsigned i = 0; i < s->requests->gpus; i++) {
		struct channel *c = &s->packing->channels[i];

		glk_partition_flush(&c->partition, GLK_FLUSH_RELEASE);
		if (c->released == c->sent)
			continue;
		c->released = c->sent;
		asked++;
		s->packing->releases++;
		send_alone(s, GLK_KIND_RELEASE, c->source, c->destination, i);
	}
	return asked;
}
