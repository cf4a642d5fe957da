// SPDX-License-Identifier: Apache-2.0
#include "ucx_receive.h"

#include <endian.h>
#include <string.h>

#include "../lane/packet.h"
#include "ucx_hop.h"
#include "ucx_peer.h"
#include "ucx_request.h"
#include "ucx_serve.h"

bool glk_receive_packet(struct ucx *u, uint32_t process, const uint8_t *packet, size_t bytes)
{
	struct gpulink_counters *own = &u->closed[u->process];
	struct glk_packet opened;
	uint64_t parts;

	if (u->hop && glk_packet_partition(packet, bytes) == GLK_ROUTE_PARTITION)
		return glk_hop_packet(u, process, packet, bytes);
	if (!glk_packet_open(packet, bytes, 0, u->options.memory, &opened)) {
		u->malformed++;
		return true;
	}
	glk_packet_fetch(opened, u->memory);
	parts = glk_packet_apply(opened, u->memory);
	own->endpoint_writes += parts;
	own->endpoint_bytes += (uint64_t)(opened.end - opened.at) - opened.width * parts;
	return true;
}

/* The packet at the end of a message has no slack behind it. */
static void take_packet(struct ucx *u, uint32_t process, const uint8_t *packet, size_t bytes, size_t behind)
{
	uint8_t copy[GLK_PACKET_MAX + GLK_PACKET_SLACK];
	struct ucx_peer *peer = &u->peers[process];

	if (behind < GLK_PACKET_SLACK && bytes <= GLK_PACKET_MAX) {
		memcpy(copy, packet, bytes);
		memset(copy + bytes, 0, GLK_PACKET_SLACK);
		packet = copy;
	}
	peer->received++;
	if (glk_receive_packet(u, process, packet, bytes))
		glk_peer_applied(u, process, peer->received);
}

/* Returns whether it is in its form. */
static bool take_record(struct ucx *u, uint32_t process, unsigned type, const uint8_t *body, size_t bytes, size_t behind)
{
	switch (type) {
	case GLK_RECORD_PACKET:
		take_packet(u, process, body, bytes, behind);
		return true;
	case GLK_RECORD_ASK:
		glk_peer_asked(u, process);
		return bytes == 0;
	case GLK_RECORD_LOAD:
		return glk_serve_load(u, process, body, bytes);
	case GLK_RECORD_ATOMIC:
		return glk_serve_atomic(u, process, body, bytes);
	case GLK_RECORD_ANSWER:
		return glk_request_answer(u, process, body, bytes);
	case GLK_RECORD_RELEASE:
		return glk_hop_asked(u, process, body, bytes);
	case GLK_RECORD_LEAVE:
		if (u->hop)
			glk_hop_left(u, process);
		return u->hop && bytes == 0;
	case GLK_RECORD_BYE:
		glk_peer_lose(u, process);
		return bytes == 0;
	default:
		return false;
	}
}

void glk_receive(struct ucx *u, const uint8_t *message, size_t bytes)
{
	uint32_t process = glk_peer_head(u, message, bytes);
	size_t at = sizeof(struct glk_message_head), body;

	if (process == UCX_NO_PROCESS) {
		u->malformed++;
		return;
	}
	while (at < bytes) {
		struct glk_record_head head = { 0 };

		if (bytes - at >= sizeof(head))
			memcpy(&head, message + at, sizeof(head));
		at += sizeof(head);
		body = le16toh(head.bytes);
		if (at > bytes || head.zero || (body + 3) / 4 * 4 > bytes - at ||
		    !take_record(u, process, head.type, message + at, body, bytes - at - body)) {
			u->malformed++;
			return;
		}
		at += (body + 3) / 4 * 4;
	}
}
