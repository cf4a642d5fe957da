// SPDX-License-Identifier: Apache-2.0
#include "ucx_peer.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKETS_MAX 128u /* to a process, not acknowledged */
#define TELL_EVERY  32u	 /* packets, if nobody asks */

/* A message that fills or that UCX has. */
struct ucx_message {
	struct glk_wire *wire;
	struct ucx_message *next, **link; /* of those that UCX has */
	uint32_t process;
	size_t bytes;
	uint8_t data[GLK_MESSAGE_MAX];
};

static struct ucx_peer *peer_of(const struct ucx *u, uint32_t process)
{
	return &u->peers[process];
}

static void list(struct ucx *u, uint32_t process)
{
	struct ucx_peer *peer = peer_of(u, process);

	if (peer->listed)
		return;
	peer->listed = true;
	peer->next = u->first_dirty;
	u->first_dirty = process;
}

static struct ucx_message *take_full(struct ucx_peer *peer)
{
	struct ucx_message *m = peer->full;

	peer->full = m->next;
	peer->unsent -= m->bytes;
	return m;
}

void glk_peer_lose(struct ucx *u, uint32_t process)
{
	struct ucx_peer *peer = peer_of(u, process);

	if (peer->lost)
		return;
	peer->lost = true;
	u->losses = true;
	u->news = true;
	free(peer->filling);
	peer->filling = NULL;
	while (peer->full)
		free(take_full(peer));
}

static bool connect(struct ucx *u, uint32_t process)
{
	struct ucx_peer *peer = peer_of(u, process);

	if (peer->lost)
		return false;
	if (!peer->end.endpoint) {
		peer->end.wire = u->wire;
		peer->end.process = process;
		if (glk_wire_connect(u->wire, &peer->end, peer->address, peer->watch >= 0)) {
			glk_peer_lose(u, process);
			return false;
		}
	}
	return true;
}

/* A message that fills, with room. */
static struct ucx_message *ucx_peer_begin(struct ucx *u, uint32_t process)
{
	struct ucx_peer *peer = peer_of(u, process);

	if (peer->lost)
		return NULL;
	if (!peer->filling) {
		peer->filling = malloc(sizeof(*peer->filling));
		if (!peer->filling) {
			glk_peer_lose(u, process); /* its memory would miss something */
			return NULL;
		}
		peer->filling->wire = u->wire;
		peer->filling->process = process;
		peer->filling->bytes = sizeof(struct glk_message_head);
	}
	return peer->filling;
}

static void complete_head(struct ucx *u, struct ucx_peer *peer, struct ucx_message *m)
{
	const struct glk_message_head head = {
		.job = htole64(u->job),
		.from = htole32(u->process),
		.number = htole32(peer->number_out++),
		.applied = htole64(peer->applied),
	};

	memcpy(m->data, &head, sizeof(head));
	peer->told = peer->applied;
}

/* UCX has it, or not any more. */
static void lend(struct ucx *u, struct ucx_peer *peer, struct ucx_message *m)
{
	peer->unsent += m->bytes;
	m->link = &u->lent;
	m->next = u->lent;
	if (m->next)
		m->next->link = &m->next;
	u->lent = m;
}

static void take_back(struct ucx_peer *peer, struct ucx_message *m)
{
	peer->unsent -= m->bytes;
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
}

static void send_now(struct ucx *u, uint32_t process, struct ucx_message *m)
{
	struct ucx_peer *peer = peer_of(u, process);
	int sent;

	if (!connect(u, process)) {
		free(m);
		return;
	}
	complete_head(u, peer, m);
	lend(u, peer, m);
	sent = glk_wire_send(&peer->end, m->data, m->bytes, m);
	if (sent == 0)
		return;
	take_back(peer, m);
	if (sent < 0)
		glk_peer_lose(u, process);
	if (sent < 0 || peer->filling) {
		free(m);
		return;
	}
	m->bytes = sizeof(struct glk_message_head);
	peer->filling = m;
}

/* The message that fills leaves. While UCX calls back, it only waits: tcp breaks if a connection is opened then (1.13). */
static void ucx_peer_push(struct ucx *u, uint32_t process)
{
	struct ucx_peer *peer = peer_of(u, process);
	struct ucx_message *m = ucx_peer_begin(u, process);

	if (!m)
		return;
	peer->filling = NULL;
	if (!u->receiving && !peer->full) {
		send_now(u, process, m);
		return;
	}
	m->next = NULL;
	*(peer->full ? peer->last_full : &peer->full) = m;
	peer->last_full = &m->next;
	peer->unsent += m->bytes;
	list(u, process);
}

void glk_peer_sent(struct ucx *u, struct ucx_message *m)
{
	take_back(peer_of(u, m->process), m);
	free(m);
}

void *glk_peer_record(struct ucx *u, uint32_t process, enum glk_record type, size_t bytes)
{
	const struct glk_record_head head = { .type = (uint8_t)type, .bytes = htole16((uint16_t)bytes) };
	size_t padded = sizeof(head) + (bytes + 3) / 4 * 4;
	struct ucx_message *m = ucx_peer_begin(u, process);
	uint8_t *at;

	if (m && m->bytes + padded > GLK_MESSAGE_MAX) {
		ucx_peer_push(u, process);
		m = ucx_peer_begin(u, process);
	}
	if (!m)
		return NULL;
	at = m->data + m->bytes;
	memset(at + padded - 4, 0, 4);
	memcpy(at, &head, sizeof(head));
	m->bytes += padded;
	list(u, process);
	return at + sizeof(head);
}

/* --- packets --- */

bool glk_peer_has_room(const struct ucx *u, uint32_t process)
{
	const struct ucx_peer *peer = peer_of(u, process);

	return peer->lost || peer->sent - peer->acked < PACKETS_MAX;
}

uint64_t glk_peer_packet(struct ucx *u, uint32_t process, const uint8_t *packet, size_t bytes)
{
	struct ucx_peer *peer = peer_of(u, process);
	void *body = glk_peer_record(u, process, GLK_RECORD_PACKET, bytes);

	if (!body)
		return 0;
	memcpy(body, packet, bytes);
	peer->sent++;
	if (peer->filling->bytes > GLK_MESSAGE_MAX / 2) /* another large one would not fit */
		ucx_peer_push(u, process);
	return peer->sent;
}

void glk_peer_ask(struct ucx *u, uint32_t process, uint64_t count)
{
	struct ucx_peer *peer = peer_of(u, process);

	if (peer->acked >= count || peer->asked >= count || !glk_peer_record(u, process, GLK_RECORD_ASK, 0))
		return;
	peer->asked = peer->sent;
}

uint32_t glk_peer_head(struct ucx *u, const uint8_t *message, size_t bytes)
{
	struct glk_message_head head;
	struct ucx_peer *peer;
	uint32_t from;
	uint64_t acked;

	if (bytes < sizeof(head))
		return UCX_NO_PROCESS;
	memcpy(&head, message, sizeof(head));
	from = le32toh(head.from);
	acked = le64toh(head.applied);
	if (le64toh(head.job) != u->job || from >= u->processes || from == u->process)
		return UCX_NO_PROCESS;
	peer = peer_of(u, from);
	if (peer->lost || le32toh(head.number) != peer->number_in || acked > peer->sent)
		return UCX_NO_PROCESS;
	peer->number_in++;
	if (acked > peer->acked) {
		peer->acked = acked;
		u->news = true;
	}
	return from;
}

/* Whether an acknowledgement should leave even if nothing else does. */
static bool is_due(const struct ucx_peer *peer)
{
	return (peer->applied >= peer->wanted && peer->told < peer->wanted) || peer->applied - peer->told >= TELL_EVERY;
}

void glk_peer_asked(struct ucx *u, uint32_t process)
{
	struct ucx_peer *peer = peer_of(u, process);

	peer->wanted = peer->received;
	if (is_due(peer))
		list(u, process);
}

void glk_peer_applied(struct ucx *u, uint32_t process, uint64_t count)
{
	struct ucx_peer *peer = peer_of(u, process);

	peer->applied = count;
	if (is_due(peer))
		list(u, process);
}

void glk_peers_send(struct ucx *u)
{
	while (u->first_dirty != UCX_NO_PROCESS) {
		uint32_t process = u->first_dirty;
		struct ucx_peer *peer = peer_of(u, process);

		u->first_dirty = peer->next;
		peer->listed = false;
		while (peer->full)
			send_now(u, process, take_full(peer));
		if (!peer->lost && (is_due(peer) || (peer->filling && peer->filling->bytes > sizeof(struct glk_message_head))))
			ucx_peer_push(u, process);
	}
}

/* --- close --- */

void glk_peers_close(struct ucx *u, uint64_t deadline)
{
	for (uint32_t p = 0; p < u->processes; p++)
		glk_wire_disconnect(&u->peers[p].end, u->peers[p].lost ? 0 : deadline);
}

void glk_peers_free(struct ucx *u)
{
	while (u->lent) { /* to a process that did not take it */
		struct ucx_message *m = u->lent;

		u->lent = m->next;
		free(m);
	}
	for (uint32_t p = 0; u->peers && p < u->processes; p++) {
		struct ucx_peer *peer = peer_of(u, p);

		free(peer->filling);
		free(peer->address);
		if (peer->watch >= 0)
			close(peer->watch);
	}
	free(u->peers);
}
