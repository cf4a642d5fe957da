// SPDX-License-Identifier: Apache-2.0
#include "remote/remote.h"

#include <string.h>

#include "base/bytes.h"
#include "remote/remote_lease.h"

static void remote_count(struct glk_remote *remote, unsigned reg, uint64_t by)
{
	*glk_link_counter(remote->link, reg) += by;
}

/* --- responses --- */

static bool on_translation(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body)
{
	struct glk_remote_partition *peer = &remote->of[header->tag & GLK_REMOTE_TAG_PARTITION];

	if (!peer->bound || !peer->asking || header->tag != peer->asked)
		return false;
	peer->asking = false;
	peer->bytes = GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK;
	if (header->partition == GLK_LINK_DONE)
		peer->bytes |=
			glk_get_le64(body) & (GLK_PARTITION_REMOTE_BYTES_BYTES_MASK | GLK_PARTITION_REMOTE_BYTES_READ_MASK |
					      GLK_PARTITION_REMOTE_BYTES_WRITE_MASK);
	return true;
}

static void dispatch(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body, size_t length)
{
	bool known;

	switch (header->kind) {
	case GLK_KIND_READ_RESPONSE:
		known = glk_remote_on_read_response(remote, header, body, length);
		break;
	case GLK_KIND_WRITE_RESPONSE:
		known = glk_remote_on_write_response(remote, header);
		break;
	case GLK_KIND_TRANSLATION_RESPONSE:
		known = on_translation(remote, header, body);
		break;
	case GLK_KIND_RELEASED:
		known = glk_remote_on_released(remote, header);
		break;
	case GLK_KIND_LEASE_RESPONSE:
		known = glk_remote_on_lease_response(remote, header, body, length);
		break;
	case GLK_KIND_TIMED_RESPONSE:
		known = glk_remote_on_timed_response(remote, header, body);
		break;
	default:
		known = glk_remote_on_atomic_response(remote, header, body);
		break;
	}
	if (!known)
		remote_count(remote, GLK_LINK_STRAYS, 1);
}

void glk_remote_packet(struct glk_remote *remote, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct glk_link_header header;

	glk_link_header_get(packet, &header);
	dispatch(remote, &header, packet + GLK_LINK_HEADER_BYTES, length - GLK_LINK_HEADER_BYTES);
	glk_link_layer_free(remote->link->layer, GLK_CLASS_RESPONSE, pieces);
}

/* --- the session --- */

void glk_remote_session_begins(struct glk_remote *remote)
{
	memset(remote->sent, 0, sizeof(remote->sent));
	for (unsigned p = 0; p < remote->common->config.partitions; p++)
		remote->endpoints->partitions[p].peer_compact = glk_link_layer_peer(remote->link->layer)->compact;
	for (unsigned p = 0; p < remote->common->config.partitions; p++)
		if (glk_endpoint_is_link(remote->endpoints, p))
			glk_remote_ask(remote, p);
}

void glk_remote_session_ends(struct glk_remote *remote)
{
	glk_remote_loads_fail(remote);
	glk_remote_leases_fail(remote);
	remote->to_push = 0;
	for (unsigned p = 0; p < remote->common->config.partitions; p++) {
		remote->of[p].held_bytes = 0;
		remote->of[p].bytes = 0;
		remote->of[p].ask = remote->of[p].asking = false;
	}
	for (unsigned p = 0; p < remote->common->config.partitions; p++) {
		const struct glk_endpoint *e = &remote->endpoints->of[p];

		if (!remote->of[p].bound)
			continue;
		remote_count(remote, GLK_LINK_LOST_PACKETS, e->posted - e->acknowledged);
		glk_remote_fail_posted(remote, p);
	}
}
