// SPDX-License-Identifier: Apache-2.0
#include "ucx_hop.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../lane/packet.h"
#include "../route/relay.h"
#include "ucx_peer.h"
#include "ucx_serve.h"

/* A packet that waits for room; its process's acknowledgement waits with it. */
struct kept {
	struct kept *next;
	uint32_t from;
	size_t bytes;
	uint64_t number; /* of the process's packets */
	uint8_t packet[GLK_PACKET_MAX + GLK_PACKET_SLACK];
};

/* A release of a process that is not done. */
struct pending {
	struct pending *next;
	uint32_t from;
	uint64_t id;		/* of the request; of another process's */
	struct ucx_asker asker; /* of this process's */
	uint64_t received; /* packets of the process before it */
	bool flushed;
	uint64_t marks[]; /* by row, once flushed: what it stores later is not waited for */
};

struct ucx_hop {
	struct glk_route route;
	struct glk_relay *relay;
	struct kept *first, **last;
	struct pending *releases;
	bool *lost;  /* by process: stores of it were lost for want of memory */
	bool *uses;  /* by process: it has this one as relay, and has not left */
};

static uint64_t bytes_of(void *to, unsigned process)
{
	const struct ucx *u = to;

	return u->peers[process].bytes;
}

static void ucx_hop_send_packet(void *to, unsigned process, const uint8_t *packet, size_t bytes)
{
	glk_peer_packet(to, process, packet, bytes); /* to a lost process: the release finds it */
}

int glk_hop_open(struct ucx *u)
{
	struct ucx_hop *hop;
	uint64_t most = 0;

	if (!glk_ucx_routes(&u->options, u->processes))
		return 0;
	hop = calloc(1, sizeof(*hop));
	if (!hop)
		return -GPULINK_ENOMEM;
	for (uint32_t p = 0; p < u->processes; p++)
		most = u->peers[p].bytes > most ? u->peers[p].bytes : most;
	glk_route_init(&hop->route, u->processes, most);
	hop->last = &hop->first;
	u->hop = hop;
	hop->lost = calloc(u->processes, sizeof(*hop->lost));
	hop->uses = calloc(u->processes, sizeof(*hop->uses));
	hop->relay = glk_relay_new(&(struct glk_relay_shape){
		.route = hop->route,
		.process = u->process,
		.payload = (unsigned)u->options.payload,
		.memory = u->memory,
		.bytes = bytes_of,
		.send = ucx_hop_send_packet,
		.to = u,
	});
	if (!hop->lost || !hop->uses || !hop->relay) {
		glk_hop_close(u);
		return -GPULINK_ENOMEM;
	}
	for (uint32_t p = 0; p < u->processes; p++)
		hop->uses[p] = p != u->process &&
			       glk_route_relay(&hop->route, p, glk_route_column(&hop->route, u->process)) == u->process;
	return 0;
}

void glk_hop_close(struct ucx *u)
{
	struct ucx_hop *hop = u->hop;

	if (!hop)
		return;
	for (struct kept *kept = hop->first, *next; kept; kept = next) {
		next = kept->next;
		free(kept);
	}
	for (struct pending *pending = hop->releases, *next; pending; pending = next) {
		next = pending->next;
		free(pending);
	}
	glk_relay_free(hop->relay);
	free(hop->lost);
	free(hop->uses);
	free(hop);
	u->hop = NULL;
}

const struct glk_route *glk_hop_route(const struct ucx *u)
{
	return &u->hop->route;
}

/* --- packets --- */

bool glk_hop_has_room(const struct ucx *u)
{
	for (unsigned row = 0; row < glk_relay_members(u->hop->relay); row++) {
		uint32_t member = glk_relay_member(u->hop->relay, row);

		if (member != u->process && !glk_peer_has_room(u, member))
			return false;
	}
	return true;
}

static void pass(struct ucx *u, uint32_t from, const uint8_t *packet, size_t bytes)
{
	int64_t parts = glk_relay_receive(u->hop->relay, from, packet, bytes);

	u->malformed += parts == -1;
	u->hop->lost[from] |= parts == -2;
}

static bool keep(struct ucx *u, uint32_t from, const uint8_t *packet, size_t bytes)
{
	struct kept *kept = malloc(sizeof(*kept));

	if (!kept)
		return false;
	*kept = (struct kept){ .from = from, .bytes = bytes, .number = u->peers[from].received };
	memcpy(kept->packet, packet, bytes + GLK_PACKET_SLACK);
	*u->hop->last = kept;
	u->hop->last = &kept->next;
	return true;
}

bool glk_hop_packet(struct ucx *u, uint32_t from, const uint8_t *packet, size_t bytes)
{
	struct ucx_hop *hop = u->hop;

	if ((from != u->process && !hop->uses[from]) || bytes > GLK_PACKET_MAX) {
		u->malformed++;
		return true;
	}
	if ((!hop->first && glk_hop_has_room(u)) || from == u->process) {
		pass(u, from, packet, bytes);
		return true;
	}
	if (keep(u, from, packet, bytes))
		return false;
	hop->lost[from] = true;
	return true;
}

static void pass_kept(struct ucx *u)
{
	struct ucx_hop *hop = u->hop;

	while (hop->first && glk_hop_has_room(u)) {
		struct kept *kept = hop->first;

		hop->first = kept->next;
		if (!hop->first)
			hop->last = &hop->first;
		pass(u, kept->from, kept->packet, kept->bytes);
		glk_peer_applied(u, kept->from, kept->number);
		free(kept);
	}
}

/* Whether a packet from before the release is kept. */
static bool has_kept(const struct ucx_hop *hop, const struct pending *pending)
{
	for (const struct kept *kept = hop->first; kept; kept = kept->next)
		if (kept->from == pending->from && kept->number <= pending->received)
			return true;
	return false;
}

/* --- releases --- */

static bool add_release(struct ucx *u, uint32_t from, uint64_t id, const struct ucx_asker *asker)
{
	struct pending *pending = calloc(1, sizeof(*pending) + glk_relay_members(u->hop->relay) * sizeof(pending->marks[0]));

	if (!pending)
		return false;
	pending->next = u->hop->releases;
	pending->from = from;
	pending->id = id;
	pending->received = u->peers[from].received;
	if (asker)
		pending->asker = *asker;
	u->hop->releases = pending;
	return true;
}

uint32_t glk_hop_release(struct ucx *u, uint32_t relay, const struct ucx_asker *asker)
{
	if (relay != u->process)
		return glk_request_release(u, relay, asker);
	return add_release(u, relay, 0, asker) ? GLK_ST_OK : GLK_ST_ENDPOINT;
}

bool glk_hop_asked(struct ucx *u, uint32_t from, const uint8_t *body, size_t bytes)
{
	uint64_t id;

	if (bytes != sizeof(id) || !u->hop || !u->hop->uses[from])
		return false;
	memcpy(&id, body, sizeof(id));
	if (!add_release(u, from, id, NULL))
		glk_serve_answer(u, from, id, GLK_ST_ENDPOINT);
	return true;
}

/* What the process has stored leaves. */
static void ucx_hop_flush(struct ucx_hop *hop, struct pending *pending)
{
	glk_relay_flush(hop->relay, GLK_FLUSH_RELEASE);
	for (unsigned row = 0; row < glk_relay_members(hop->relay); row++)
		pending->marks[row] = glk_relay_mark(hop->relay, row, pending->from);
	pending->flushed = true;
}

/*
 * Whether all that the process had stored is in the members' memory, or lost. Which of its queues stored to a member that is
 * lost is not known here: all of them hear of it, from then on.
 */
static bool is_done(struct ucx *u, const struct pending *pending, uint32_t *status)
{
	struct ucx_hop *hop = u->hop;
	bool done = true;

	*status = hop->lost[pending->from] ? GLK_ST_ENDPOINT : GLK_ST_OK;
	for (unsigned row = 0; row < glk_relay_members(hop->relay); row++) {
		uint32_t member = glk_relay_member(hop->relay, row);
		uint64_t mark = pending->marks[row];
		const struct ucx_peer *peer = &u->peers[member];

		if (member == u->process || peer->acked >= mark)
			continue;
		if (peer->lost) {
			*status = GLK_ST_ENDPOINT;
		} else {
			glk_peer_ask(u, member, mark);
			done = false;
		}
	}
	return done;
}

static void ucx_hop_answer(struct ucx *u, const struct pending *pending, uint32_t status)
{
	if (pending->from != u->process) {
		glk_serve_answer(u, pending->from, pending->id, status);
	} else if (pending->asker.done) {
		pending->asker.done(pending->asker.owner, pending->asker.place, status);
		u->news = true;
	}
}

void glk_hop_run(struct ucx *u)
{
	pass_kept(u);
	for (struct pending **link = &u->hop->releases, *pending; (pending = *link);) {
		uint32_t status = GLK_ST_OK;

		if (!pending->flushed && !has_kept(u->hop, pending))
			ucx_hop_flush(u->hop, pending);
		if (!pending->flushed || !is_done(u, pending, &status)) {
			link = &pending->next;
			continue;
		}
		*link = pending->next;
		ucx_hop_answer(u, pending, status);
		free(pending);
	}
}

void glk_hop_cancel(struct ucx *u, const void *owner)
{
	for (struct pending *pending = u->hop->releases; pending; pending = pending->next)
		if (pending->asker.owner == owner)
			pending->asker.done = NULL;
}

/* --- leaving --- */

void glk_hop_leave(struct ucx *u)
{
	const struct glk_route *route = &u->hop->route;

	for (unsigned column = 0; column < route->columns; column++) {
		uint32_t relay = glk_route_relay(route, u->process, column);

		if (relay != u->process)
			glk_peer_record(u, relay, GLK_RECORD_LEAVE, 0);
	}
}

void glk_hop_flush(struct ucx *u)
{
	glk_relay_flush(u->hop->relay, GLK_FLUSH_DRAIN);
}

void glk_hop_left(struct ucx *u, uint32_t from)
{
	u->hop->uses[from] = false;
	u->news = true;
}

bool glk_hop_all_left(const struct ucx *u)
{
	for (uint32_t p = 0; p < u->processes; p++)
		if (u->hop->uses[p] && !u->peers[p].lost)
			return false;
	return true;
}
