// SPDX-License-Identifier: Apache-2.0
/* Stores to partitions of kind link, the releases that confirm their arrival, and the waits for the other card. */
#include "remote/remote.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "finepack/depacketizer.h"

#define WRITE_FIRST_SHIFT 48u /* bits of `where` */
#define WRITE_BYTES_SHIFT 54u

static void remote_send_count(struct glk_remote *remote, unsigned reg, uint64_t by)
{
	*glk_link_counter(remote->link, reg) += by;
}

static uint16_t new_tag(struct glk_remote_partition *peer, unsigned partition)
{
	return (uint16_t)(partition | (unsigned)peer->turn++ << GLK_REMOTE_TAG_TURN_SHIFT);
}

/* --- binding to a remote partition --- */

/* Whether it is bound to the remote partition, or was and its packets may still be outstanding. */
static bool is_bound_to(const struct glk_remote *remote, unsigned partition, unsigned remote_partition)
{
	const struct glk_remote_partition *peer = &remote->of[partition];
	const struct glk_endpoint *e = &remote->endpoints->of[partition];

	return peer->bound && peer->partition == remote_partition && (e->kind == GLK_EP_LINK || e->posted != e->acknowledged);
}

void glk_remote_ask(struct glk_remote *remote, unsigned partition)
{
	struct glk_remote_partition *peer = &remote->of[partition];

	peer->bytes = 0;
	peer->ask = remote->link->session;
	peer->asking = false;
	peer->asked = new_tag(peer, partition);
	if (peer->ask)
		remote->to_push |= 1u << partition;
}

int glk_remote_bind(struct glk_remote *remote, unsigned partition)
{
	const struct glk_endpoint *e = &remote->endpoints->of[partition];
	struct glk_remote_partition *peer = &remote->of[partition];
	unsigned wanted = (unsigned)GLK_FIELD(e->base, GLK_PARTITION_EP_BASE_REMOTE_PARTITION);

	if (!remote->common->config.link || !e->bytes || (e->base & ~GLK_PARTITION_EP_BASE_REMOTE_PARTITION_MASK))
		return -EINVAL;
	for (unsigned p = 0; p < remote->common->config.partitions; p++)
		if (p != partition && is_bound_to(remote, p, wanted))
			return -EINVAL;
	peer->bound = true;
	peer->partition = wanted;
	peer->finepack_to = peer->wanted_to = e->posted;
	glk_remote_ask(remote, partition);
	return 0;
}

void glk_remote_unbind(struct glk_remote *remote, unsigned partition)
{
	remote->of[partition].bound = false;
	remote->to_push &= ~(1u << partition);
}

/* --- timeouts, and waits for the other card --- */

static bool answer_due(const struct glk_remote_partition *peer)
{
	return peer->bound && (peer->releasing || peer->writes != peer->answered);
}

void glk_remote_fail_posted(struct glk_remote *remote, unsigned partition)
{
	struct glk_endpoint *e = &remote->endpoints->of[partition];
	unsigned left = (unsigned)(e->posted - e->acknowledged);

	remote->of[partition].releasing = false;
	remote->of[partition].answered = remote->of[partition].writes;
	glk_endpoint_acknowledge(remote->endpoints, partition, left, left);
}

static void expire(struct glk_remote *remote)
{
	for (unsigned p = 0; p < remote->common->config.partitions; p++) {
		if (!answer_due(&remote->of[p]) || remote->link->now < remote->of[p].until)
			continue;
		remote_send_count(remote, GLK_LINK_TIMEOUTS, 1);
		glk_remote_fail_posted(remote, p);
	}
}

void glk_remote_advance(struct glk_remote *remote, uint64_t now)
{
	glk_link_set_now(remote->link, now);
	expire(remote);
	glk_link_expire(remote->link);
}

uint64_t glk_remote_deadline(const struct glk_remote *remote)
{
	uint64_t first = glk_link_deadline(remote->link);

	for (unsigned p = 0; p < remote->common->config.partitions; p++)
		if (answer_due(&remote->of[p]) && remote->of[p].until < first)
			first = remote->of[p].until;
	return first;
}

int glk_remote_wait(struct glk_remote *remote, bool (*done)(const struct glk_remote *remote, unsigned about), unsigned about)
{
	const struct glk_card_config *config = &remote->common->config;
	struct glk_card_link *link = remote->link;
	uint64_t until = 0, now;

	while (!done(remote, about)) {
		if (!link->session)
			return -ENOLINK;
		if (until && link->now >= until)
			return -ETIMEDOUT;
		link->nested++;
		now = config->ops->link_wait(config->platform, until);
		glk_remote_advance(remote, now);
		link->nested--;
		if (!until)
			until = glk_link_bound(link);
	}
	return 0;
}

/* --- packets that wait for room --- */

/* Waits for the answers of earlier write requests: FinePack packets and write requests are not ordered on the link. */
static void push_held(struct glk_card_link *link, struct glk_remote_partition *peer)
{
	if (peer->held_bytes && peer->writes == peer->answered &&
	    !glk_cluster_queue_push(link->queue, link->now, GLK_KIND_FINEPACK, peer->held, peer->held_bytes))
		peer->held_bytes = 0;
}

static void push_ask(struct glk_card_link *link, struct glk_remote_partition *peer)
{
	const struct glk_link_header header = {
		.kind = GLK_KIND_TRANSLATION_REQUEST, .partition = (uint8_t)peer->partition, .tag = peer->asked,
	};
	uint8_t body[8] = { 0 };

	if (!peer->ask)
		return;
	peer->ask = glk_link_push(link, &header, body, sizeof(body)) != 0;
	peer->asking = !peer->ask;
}

/* Whether to send a release: FinePack packets must be confirmed, and no release is outstanding. */
static bool release_due(const struct glk_remote *remote, unsigned partition)
{
	const struct glk_remote_partition *peer = &remote->of[partition];
	uint64_t acknowledged = remote->endpoints->of[partition].acknowledged;

	return !peer->releasing && peer->wanted_to > acknowledged && peer->finepack_to > acknowledged;
}

static void push_release(struct glk_remote *remote, unsigned partition)
{
	struct glk_remote_partition *peer = &remote->of[partition];
	struct glk_link_header header = { .kind = GLK_KIND_RELEASE, .partition = (uint8_t)peer->partition };
	uint8_t body[8];

	if (!release_due(remote, partition))
		return;
	header.tag = new_tag(peer, partition);
	glk_put_le64(body, remote->sent[peer->partition]);
	if (glk_link_push(remote->link, &header, body, sizeof(body)))
		return;
	peer->releasing = true;
	peer->release_tag = header.tag;
	peer->release_to = remote->endpoints->of[partition].posted;
	peer->until = glk_link_bound(remote->link);
}

static void remote_send_push(struct glk_remote *remote, unsigned partition)
{
	struct glk_remote_partition *peer = &remote->of[partition];

	push_held(remote->link, peer);
	push_ask(remote->link, peer);
	push_release(remote, partition);
	if (!peer->held_bytes && !peer->ask && !release_due(remote, partition))
		remote->to_push &= ~(1u << partition);
}

void glk_remote_push(struct glk_remote *remote)
{
	for (uint32_t left = remote->to_push; left; left &= left - 1)
		remote_send_push(remote, (unsigned)__builtin_ctz(left));
}

static void push_soon(struct glk_remote *remote, unsigned partition)
{
	remote->to_push |= 1u << partition;
	remote_send_push(remote, partition);
}

/* --- confirmed stores --- */

static bool outstanding(const struct glk_remote *remote, unsigned partition)
{
	const struct glk_endpoint *e = &remote->endpoints->of[partition];

	return remote->of[partition].bound && e->acknowledged != e->posted;
}

void glk_remote_want(struct glk_remote *remote, unsigned partition)
{
	if (!outstanding(remote, partition))
		return;
	remote->of[partition].wanted_to = remote->endpoints->of[partition].posted;
	push_soon(remote, partition);
}

static bool all_confirmed(const struct glk_remote *remote, unsigned partition)
{
	return remote->endpoints->of[partition].acknowledged >= remote->of[partition].wanted_to;
}

int glk_remote_wait_until_visible(struct glk_remote *remote, unsigned partition)
{
	if (!remote->link->session)
		return -ENOLINK;
	glk_remote_want(remote, partition);
	return glk_remote_wait(remote, all_confirmed, partition);
}

static bool finepack_outstanding(const struct glk_remote *remote, unsigned partition)
{
	return remote->of[partition].finepack_to > remote->endpoints->of[partition].acknowledged;
}

/* --- stores --- */

static bool nothing_held(const struct glk_remote *remote, unsigned partition)
{
	return remote->of[partition].held_bytes == 0;
}

/* Gives the session up if the link accepts nothing until the timeout. */
static int wait_or_give_up(struct glk_remote *remote, bool (*done)(const struct glk_remote *, unsigned), unsigned about)
{
	int error = glk_remote_wait(remote, done, about);

	if (error == -ETIMEDOUT)
		glk_link_give_up(remote->link);
	return remote->link->session ? error : -ENOLINK;
}

static bool has_room(const struct glk_remote *remote, unsigned flits)
{
	return GLK_LINK_ENTRIES - glk_cluster_queue_fill(remote->link->queue) >= flits;
}

int glk_remote_wait_for_room(struct glk_remote *remote, size_t body)
{
	unsigned flits = (unsigned)(GLK_LINK_HEADER_BYTES + body + GLK_FLIT_BYTES - 1) / GLK_FLIT_BYTES;

	return wait_or_give_up(remote, has_room, flits);
}

void glk_remote_make_way(struct glk_remote *remote, unsigned partition)
{
	wait_or_give_up(remote, nothing_held, partition);
}

/* A packet that cannot be sent for lack of a session: posted and failed. */
static void lose(struct glk_remote *remote, unsigned partition)
{
	remote_send_count(remote, GLK_LINK_LOST_PACKETS, 1);
	remote->endpoints->of[partition].posted++;
	glk_endpoint_acknowledge(remote->endpoints, partition, 1, 1);
}

/* Sends a write request for bytes of one line of 64. */
static void write_line(struct glk_remote *remote, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct glk_remote_partition *peer = &remote->of[partition];
	unsigned first = (unsigned)(offset % GLK_LINK_LINE_BYTES);
	uint8_t body[8 + GLK_LINK_LINE_BYTES] = { 0 };
	struct glk_link_header header = { .kind = GLK_KIND_WRITE_REQUEST, .partition = (uint8_t)peer->partition };

	glk_partition_count_packet(&remote->endpoints->partitions[partition], 1, length, GLK_LINK_HEADER_BYTES + sizeof(body),
				   GLK_FLUSH_DRAIN);
	if ((finepack_outstanding(remote, partition) && glk_remote_wait_until_visible(remote, partition)) ||
	    glk_remote_wait_for_room(remote, sizeof(body))) {
		lose(remote, partition);
		return;
	}
	glk_put_le64(body, (offset - first) | (uint64_t)first << WRITE_FIRST_SHIFT |
				   (uint64_t)(length - 1) << WRITE_BYTES_SHIFT);
	memcpy(body + 8 + first, data, length);
	header.tag = (uint16_t)(partition | peer->writes << GLK_REMOTE_TAG_TURN_SHIFT);
	glk_link_push(remote->link, &header, body, sizeof(body));
	if (peer->writes == peer->answered && !peer->releasing)
		peer->until = glk_link_bound(remote->link);
	peer->writes++;
	remote->endpoints->of[partition].posted++;
	remote->sent[peer->partition]++;
}

static void write_lines(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	const uint8_t *from = data;

	while (length) {
		size_t part = GLK_LINK_LINE_BYTES - offset % GLK_LINK_LINE_BYTES;

		if (part > length)
			part = length;
		write_line(user, partition, offset, from, part);
		offset += part;
		from += part;
		length -= part;
	}
}

static void send_lines(struct glk_remote *remote, unsigned partition, const uint8_t *packet, size_t length)
{
	struct glk_destination destinations[GLK_PARTITION_COUNT] = { 0 };
	struct glk_accepted accepted;

	destinations[partition].bytes = GLK_LINK_OFFSET_MASK + 1;
	destinations[partition].subheader_bytes = remote->endpoints->partitions[partition].queue.subheader_bytes;
	if (!glk_depacketizer_check(packet, length, destinations, partition + 1, &accepted))
		glk_depacketizer_apply(&accepted, write_lines, remote);
}

void glk_remote_send(struct glk_remote *remote, unsigned partition, const uint8_t *packet, size_t length)
{
	struct glk_card_link *link = remote->link;
	struct glk_remote_partition *peer = &remote->of[partition];

	if (!remote->endpoints->partitions[partition].coalesce) {
		send_lines(remote, partition, packet, length);
		return;
	}
	if (!link->session) {
		lose(remote, partition);
		return;
	}
	/* Nothing is held: glk_remote_make_way() preceded the store. */
	memcpy(peer->held, packet, length);
	peer->held[GLK_PACKET_PARTITION] = (uint8_t)peer->partition;
	peer->held_bytes = length;
	peer->finepack_to = ++remote->endpoints->of[partition].posted;
	remote->sent[peer->partition]++;
	push_soon(remote, partition);
	if (peer->held_bytes)
		remote_send_count(remote, GLK_LINK_QUEUE_FULL, 1);
	if (!link->nested)
		glk_remote_make_way(remote, partition);
}

/* --- responses --- */

/* All packets up to `to` and all answered write requests have arrived. */
static void settle(struct glk_remote *remote, unsigned partition, uint64_t to, bool failed)
{
	struct glk_remote_partition *peer = &remote->of[partition];
	struct glk_endpoint *e = &remote->endpoints->of[partition];
	uint64_t unanswered = peer->writes - peer->answered;

	if (to < e->acknowledged)
		to = e->acknowledged;
	if (to >= peer->finepack_to && e->posted - unanswered > to)
		to = e->posted - unanswered;
	peer->until = glk_link_bound(remote->link);
	if (failed)
		glk_endpoint_failed(remote->endpoints, partition, 1);
	if (to > e->acknowledged)
		glk_endpoint_acknowledge(remote->endpoints, partition, (unsigned)(to - e->acknowledged), 0);
	push_soon(remote, partition);
}

bool glk_remote_on_released(struct glk_remote *remote, const struct glk_link_header *header)
{
	unsigned partition = header->tag & GLK_REMOTE_TAG_PARTITION;
	struct glk_remote_partition *peer = &remote->of[partition];

	if (!peer->bound || !peer->releasing || header->tag != peer->release_tag)
		return false;
	peer->releasing = false;
	settle(remote, partition, peer->release_to, header->partition != GLK_LINK_DONE);
	return true;
}

bool glk_remote_on_write_response(struct glk_remote *remote, const struct glk_link_header *header)
{
	unsigned partition = header->tag & GLK_REMOTE_TAG_PARTITION;
	struct glk_remote_partition *peer = &remote->of[partition];

	if (!peer->bound || peer->writes == peer->answered ||
	    header->tag != (uint16_t)(partition | peer->answered << GLK_REMOTE_TAG_TURN_SHIFT))
		return false;
	peer->answered++;
	settle(remote, partition, 0, header->partition != GLK_LINK_DONE);
	return true;
}
