// SPDX-License-Identifier: Apache-2.0
/*
 * Each kind has at most one packet in progress: its flits arrive in order, except the last one. That tail may arrive earlier,
 * as a piece of another flit; it is then stored under its packet's number.
 */
#include "netcrafter/unstitch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "netcrafter/stitch.h"

#define NUMBERS		128u /* of packets, for each kind */
#define TAIL_BYTES_MOST 8u   /* of a tail that arrives as a piece */

struct tail {
	uint8_t bytes[TAIL_BYTES_MOST];
	uint8_t length; /* 0: has not arrived */
};

struct assembly {
	uint8_t number; /* of the packet in progress, else of the next one */
	size_t length;	/* 0: no packet is in progress */
	size_t got;	/* bytes received in order; an early tail is not counted */
	struct tail tails[NUMBERS];
	uint8_t packet[GLK_LINK_PACKET_BYTES_MAX];
};

struct glk_unstitch {
	unsigned flit_bytes;
	glk_unstitch_packet take;
	void *user;
	unsigned defined; /* kinds below this */
	struct assembly kinds[GLK_KIND_ALL];
};

int glk_unstitch_create(unsigned flit_bytes, glk_unstitch_packet packet, void *user, struct glk_unstitch **unstitch)
{
	struct glk_unstitch *u;

	if (flit_bytes != GLK_FLIT_BYTES && flit_bytes != GLK_FLIT_BYTES / 2)
		return -EINVAL;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	u->flit_bytes = flit_bytes;
	u->defined = GLK_KIND_COUNT;
	u->take = packet;
	u->user = user;
	*unstitch = u;
	return 0;
}

void glk_unstitch_destroy(struct glk_unstitch *unstitch)
{
	free(unstitch);
}

void glk_unstitch_define(struct glk_unstitch *u, unsigned kinds)
{
	u->defined = kinds;
}

void glk_unstitch_reset(struct glk_unstitch *u)
{
	for (unsigned kind = 0; kind < GLK_KIND_ALL; kind++) {
		struct assembly *a = &u->kinds[kind];

		a->number = 0;
		a->length = 0;
		for (unsigned number = 0; number < NUMBERS; number++)
			a->tails[number].length = 0;
	}
}

static size_t tail_bytes(const struct glk_unstitch *u, size_t length)
{
	return length & (u->flit_bytes - 1);
}

static void deliver(struct glk_unstitch *u, unsigned kind)
{
	struct assembly *a = &u->kinds[kind];
	size_t length = a->length;

	a->tails[a->number].length = 0;
	a->number = (a->number + 1) % NUMBERS;
	a->length = 0;
	u->take(u->user, (enum glk_kind)kind, a->packet, length, (unsigned)((length + u->flit_bytes - 1) / u->flit_bytes));
}

/* Completes the packet if only its tail is missing and has arrived early. Without a packet in progress the length is 0. */
static void unstitch_join(struct glk_unstitch *u, unsigned kind)
{
	struct assembly *a = &u->kinds[kind];
	const struct tail *tail = &a->tails[a->number];

	if (!tail->length || a->got + tail->length != a->length)
		return;
	memcpy(a->packet + a->got, tail->bytes, tail->length);
	deliver(u, kind);
}

/* Starts the next packet of a kind; its header gives the length. */
static int unstitch_begin(struct glk_unstitch *u, unsigned kind, const uint8_t *bytes)
{
	struct assembly *a = &u->kinds[kind];
	size_t length = glk_link_packet_bytes((enum glk_kind)kind, bytes);
	unsigned tail = a->tails[a->number].length;
	struct glk_link_header header;

	if (!length)
		return -EBADMSG;
	if (kind != GLK_KIND_FINEPACK && (!glk_link_header_get(bytes, &header) || header.number != a->number))
		return -EBADMSG;
	if (tail && (length < u->flit_bytes || tail != tail_bytes(u, length)))
		return -EBADMSG;
	a->length = length;
	a->got = 0;
	return 0;
}

/* Processes the next flit of a packet, or a whole packet inside the flit. Returns the number of bytes, or -EBADMSG. */
static int take_next(struct glk_unstitch *u, unsigned kind, const uint8_t *bytes)
{
	struct assembly *a = &u->kinds[kind];
	size_t left, take;

	if (!a->length && unstitch_begin(u, kind, bytes))
		return -EBADMSG;
	left = a->length - a->got;
	take = left < u->flit_bytes ? left : u->flit_bytes;
	memcpy(a->packet + a->got, bytes, take);
	a->got += take;
	if (a->got == a->length)
		deliver(u, kind);
	else
		unstitch_join(u, kind);
	return (int)take;
}

/* Tails that fit in a parent: those of other packets are too long, or they have none. */
static bool tail_valid(const struct glk_unstitch *u, unsigned kind, unsigned length)
{
	if (length != 4)
		return length == TAIL_BYTES_MOST && kind == GLK_KIND_FINEPACK;
	return kind == GLK_KIND_READ_RESPONSE || kind == GLK_KIND_FINEPACK ||
	       (kind < u->defined && (kind == GLK_KIND_LEASE_RESPONSE || kind == GLK_KIND_TIMED_REQUEST));
}

static bool defined(const struct glk_unstitch *u, unsigned kind)
{
	return kind != GLK_KIND_NONE && kind < u->defined;
}

/* Processes an early tail with its prefix, at most `room` bytes. Returns the number of bytes, or -EBADMSG. */
static int take_tail(struct glk_unstitch *u, const uint8_t *bytes, size_t room)
{
	unsigned prefix, kind, length;
	struct assembly *a;
	struct tail *tail;

	prefix = bytes[0] | (unsigned)bytes[1] << 8;
	kind = prefix & 15;
	length = (prefix >> 5 & 15) + 1;
	if (!tail_valid(u, kind, length) || GLK_STITCH_PREFIX_BYTES + length > room)
		return -EBADMSG;
	a = &u->kinds[kind];
	tail = &a->tails[prefix >> 9];
	if (tail->length || (a->length && prefix >> 9 == a->number && length != tail_bytes(u, a->length)))
		return -EBADMSG;
	tail->length = (uint8_t)length;
	memcpy(tail->bytes, bytes + GLK_STITCH_PREFIX_BYTES, length);
	unstitch_join(u, kind);
	return (int)(GLK_STITCH_PREFIX_BYTES + length);
}

/* Processes a piece after the first: a whole packet or a tail. */
static int take_piece(struct glk_unstitch *u, const uint8_t *bytes, size_t room)
{
	unsigned kind = bytes[0] & 31;

	if (kind >= 16)
		return take_tail(u, bytes, room);
	if (!defined(u, kind) || u->kinds[kind].length || room < GLK_LINK_HEADER_BYTES ||
	    glk_link_packet_bytes((enum glk_kind)kind, bytes) > room)
		return -EBADMSG;
	return take_next(u, kind, bytes);
}

int glk_unstitch_flit(struct glk_unstitch *u, const struct glk_flit *flit)
{
	unsigned kind = flit->type & 15, pieces = 1;
	int taken;
	size_t at;

	if (flit->type > (GLK_FLIT_STITCHED | 15) || !defined(u, kind))
		return -EBADMSG;
	taken = take_next(u, kind, flit->bytes);
	if (taken < 0)
		return taken;
	for (at = (size_t)taken; at < u->flit_bytes && flit->bytes[at] & 31; at += (size_t)taken) {
		if (!(flit->type & GLK_FLIT_STITCHED))
			return -EBADMSG;
		taken = take_piece(u, flit->bytes + at, u->flit_bytes - at);
		if (taken < 0)
			return taken;
		pieces++;
	}
	for (; at < u->flit_bytes; at++)
		if (flit->bytes[at])
			return -EBADMSG;
	return (flit->type & GLK_FLIT_STITCHED) != 0 && pieces == 1 ? -EBADMSG : 0;
}
