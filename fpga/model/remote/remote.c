// SPDX-License-Identifier: Apache-2.0
/*
 * What this card stores to partitions of kind link, and what tells that it has arrived (remote_load.c has loads and atomics). Packets
 * that find no room are held, one a partition; whoever stores waits until there is room. What is under way when the session ends
 * has failed, once.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "finepack/depacketizer.h"
#include "card/state.h"

#define TAG_TURN_SHIFT	  4u /* of tags that begin with a partition */
#define TAG_PARTITION	  ((1u << TAG_TURN_SHIFT) - 1)
#define WRITE_FIRST_SHIFT 48u /* in `where` */
#define WRITE_BYTES_SHIFT 54u

static void count(struct glk_card *card, unsigned reg, uint64_t by)
{
	*glk_link_counter(card->link, reg) += by;
}

bool glk_remote_is(const struct glk_card *card, unsigned partition)
{
	return card->endpoints[partition].kind == GLK_EP_LINK;
}

static uint16_t new_tag(struct glk_remote *remote, unsigned partition)
{
	return (uint16_t)(partition | (unsigned)remote->turn++ << TAG_TURN_SHIFT);
}

/* --- which partition it is --- */

/* Or did, and packets of it may still be under way. */
static bool stands_for(const struct glk_card *card, unsigned partition, unsigned remote_partition)
{
	const struct glk_remote *remote = &card->link->remote[partition];
	const struct glk_endpoint *e = &card->endpoints[partition];

	return remote->bound && remote->partition == remote_partition && (e->kind == GLK_EP_LINK || e->posted != e->acknowledged);
}

int glk_remote_bind(struct glk_card *card, unsigned partition)
{
	const struct glk_endpoint *e = &card->endpoints[partition];
	unsigned wanted = (unsigned)GLK_FIELD(e->base, GLK_PARTITION_EP_BASE_FAR_PARTITION);

	if (!card->link || !e->bytes || (e->base & ~GLK_PARTITION_EP_BASE_FAR_PARTITION_MASK))
		return -EINVAL;
	for (unsigned p = 0; p < card->config.partitions; p++)
		if (p != partition && stands_for(card, p, wanted))
			return -EINVAL;
	card->link->remote[partition].bound = true;
	card->link->remote[partition].partition = wanted;
	card->link->remote[partition].finepack_to = card->link->remote[partition].wanted_to = e->posted;
	return 0;
}

void glk_remote_unbind(struct glk_card *card, unsigned partition)
{
	if (card->link) {
		card->link->remote[partition].bound = false;
		card->link->to_push &= ~(1u << partition);
	}
}

void glk_remote_ask(struct glk_card *card, unsigned partition)
{
	struct glk_remote *remote = &card->link->remote[partition];

	remote->bytes = 0;
	remote->ask = card->link->session;
	remote->asking = false;
	remote->asked = new_tag(remote, partition);
	if (remote->ask)
		card->link->to_push |= 1u << partition;
}

/* --- what waits for room --- */

/* Write requests and FinePack packets would overtake each other: those that are not answered go before. */
static void push_held(struct glk_card_link *link, struct glk_remote *remote)
{
	if (remote->held_bytes && remote->writes == remote->answered &&
	    !glk_cluster_queue_push(link->queue, link->now, GLK_KIND_FINEPACK, remote->held, remote->held_bytes))
		remote->held_bytes = 0;
}

static void push_ask(struct glk_card_link *link, struct glk_remote *remote)
{
	const struct glk_link_header header = {
		.kind = GLK_KIND_TRANSLATION_REQUEST, .partition = (uint8_t)remote->partition, .tag = remote->asked,
	};
	uint8_t body[8] = { 0 };

	if (!remote->ask)
		return;
	remote->ask = glk_link_push(link, &header, body, sizeof(body)) != 0;
	remote->asking = !remote->ask;
}

/* Is there a release to be sent: somebody waits for FinePack packets that the one under way, if any, does not tell of? */
static bool release_due(const struct glk_card *card, unsigned partition)
{
	const struct glk_remote *remote = &card->link->remote[partition];
	uint64_t acknowledged = card->endpoints[partition].acknowledged;

	return !remote->releasing && remote->wanted_to > acknowledged && remote->finepack_to > acknowledged;
}

static void push_release(struct glk_card *card, unsigned partition)
{
	struct glk_remote *remote = &card->link->remote[partition];
	struct glk_link_header header = { .kind = GLK_KIND_RELEASE, .partition = (uint8_t)remote->partition };
	uint8_t body[8];

	if (!release_due(card, partition))
		return;
	header.tag = new_tag(remote, partition);
	glk_put_le64(body, card->link->sent[remote->partition]);
	if (glk_link_push(card->link, &header, body, sizeof(body)))
		return;
	remote->releasing = true;
	remote->release_tag = header.tag;
	remote->release_to = card->endpoints[partition].posted;
	remote->until = glk_link_bound(card->link);
}

static void push(struct glk_card *card, unsigned partition)
{
	struct glk_remote *remote = &card->link->remote[partition];

	push_held(card->link, remote);
	push_ask(card->link, remote);
	push_release(card, partition);
	if (!remote->held_bytes && !remote->ask && !release_due(card, partition))
		card->link->to_push &= ~(1u << partition);
}

void glk_remote_push(struct glk_card *card)
{
	for (uint32_t left = card->link->to_push; left; left &= left - 1)
		push(card, (unsigned)__builtin_ctz(left));
}

static void push_soon(struct glk_card *card, unsigned partition)
{
	card->link->to_push |= 1u << partition;
	push(card, partition);
}

/* --- what has arrived --- */

static bool under_way(const struct glk_card *card, unsigned partition)
{
	const struct glk_endpoint *e = &card->endpoints[partition];

	return card->link && card->link->remote[partition].bound && e->acknowledged != e->posted;
}

void glk_remote_want(struct glk_card *card, unsigned partition)
{
	if (!under_way(card, partition))
		return;
	card->link->remote[partition].wanted_to = card->endpoints[partition].posted;
	push_soon(card, partition);
}

static bool all_arrived(const struct glk_card *card, unsigned partition)
{
	return card->endpoints[partition].acknowledged >= card->link->remote[partition].wanted_to;
}

/* What was stored before must not be overtaken. */
int glk_remote_wait_until_visible(struct glk_card *card, unsigned partition)
{
	if (!card->link->session)
		return -ENOLINK;
	glk_remote_want(card, partition);
	return glk_link_wait(card, all_arrived, partition);
}

static bool finepack_under_way(const struct glk_card *card, unsigned partition)
{
	return card->link->remote[partition].finepack_to > card->endpoints[partition].acknowledged;
}

/* --- stores --- */

static bool way_free(const struct glk_card *card, unsigned partition)
{
	return card->link->remote[partition].held_bytes == 0;
}

/* A link that takes nothing for so long is given up. */
static int wait_for_way(struct glk_card *card, bool (*done)(const struct glk_card *, unsigned), unsigned about)
{
	int error = glk_link_wait(card, done, about);

	if (error == -ETIMEDOUT)
		glk_link_give_up(card);
	return card->link->session ? error : -ENOLINK;
}

static bool has_room(const struct glk_card *card, unsigned flits)
{
	return GLK_LINK_ENTRIES - glk_cluster_queue_fill(card->link->queue) >= flits;
}

int glk_remote_wait_for_room(struct glk_card *card, size_t body)
{
	return wait_for_way(card, has_room, (unsigned)(GLK_LINK_HEADER_BYTES + body + GLK_FLIT_BYTES - 1) / GLK_FLIT_BYTES);
}

void glk_remote_make_way(struct glk_card *card, unsigned partition)
{
	if (glk_remote_is(card, partition))
		wait_for_way(card, way_free, partition);
}

/* Stored while there was no session. */
static void lose(struct glk_card *card, unsigned partition)
{
	count(card, GLK_LINK_LOST_PACKETS, 1);
	card->endpoints[partition].posted++;
	glk_card_endpoint_acknowledge(card, partition, 1, 1);
}

/* Bytes of one line of 64. */
static void write_line(struct glk_card *card, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct glk_remote *remote = &card->link->remote[partition];
	unsigned first = (unsigned)(offset % GLK_LINK_LINE_BYTES);
	uint8_t body[8 + GLK_LINK_LINE_BYTES] = { 0 };
	struct glk_link_header header = { .kind = GLK_KIND_WRITE_REQUEST, .partition = (uint8_t)remote->partition };

	glk_partition_count_packet(&card->partitions[partition], 1, length, GLK_LINK_HEADER_BYTES + sizeof(body), GLK_FLUSH_DRAIN);
	if ((finepack_under_way(card, partition) && glk_remote_wait_until_visible(card, partition)) ||
	    glk_remote_wait_for_room(card, sizeof(body))) {
		lose(card, partition);
		return;
	}
	glk_put_le64(body, (offset - first) | (uint64_t)first << WRITE_FIRST_SHIFT |
				   (uint64_t)(length - 1) << WRITE_BYTES_SHIFT);
	memcpy(body + 8 + first, data, length);
	header.tag = (uint16_t)(partition | remote->writes << TAG_TURN_SHIFT);
	glk_link_push(card->link, &header, body, sizeof(body));
	if (remote->writes == remote->answered && !remote->releasing)
		remote->until = glk_link_bound(card->link);
	remote->writes++;
	card->endpoints[partition].posted++;
	card->link->sent[remote->partition]++;
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

static void send_lines(struct glk_card *card, unsigned partition, const uint8_t *packet, size_t length)
{
	struct glk_destination destinations[GLK_PARTITION_COUNT] = { 0 };
	struct glk_accepted accepted;

	destinations[partition].bytes = GLK_LINK_OFFSET_MASK + 1;
	destinations[partition].subheader_bytes = card->partitions[partition].queue.subheader_bytes;
	if (!glk_depacketizer_check(packet, length, destinations, partition + 1, &accepted))
		glk_depacketizer_apply(&accepted, write_lines, card);
}

void glk_remote_send(struct glk_card *card, unsigned partition, const uint8_t *packet, size_t length)
{
	struct glk_card_link *link = card->link;
	struct glk_remote *remote = &link->remote[partition];

	if (!card->partitions[partition].coalesce) {
		send_lines(card, partition, packet, length);
		return;
	}
	if (!link->session) {
		lose(card, partition);
		return;
	}
	/* Nothing is held: whoever stored what leaves now has seen to it. */
	memcpy(remote->held, packet, length);
	remote->held[GLK_PACKET_PARTITION] = (uint8_t)remote->partition;
	remote->held_bytes = length;
	remote->finepack_to = ++card->endpoints[partition].posted;
	link->sent[remote->partition]++;
	push_soon(card, partition);
	if (remote->held_bytes)
		count(card, GLK_LINK_QUEUE_FULL, 1);
	if (!link->nested)
		glk_remote_make_way(card, partition);
}

/* --- answers --- */

/* All packets up to `to` have arrived, and those write requests that are answered. */
static void settle(struct glk_card *card, unsigned partition, uint64_t to, bool failed)
{
	struct glk_remote *remote = &card->link->remote[partition];
	struct glk_endpoint *e = &card->endpoints[partition];
	uint64_t unanswered = remote->writes - remote->answered;

	if (to < e->acknowledged)
		to = e->acknowledged;
	if (to >= remote->finepack_to && e->posted - unanswered > to)
		to = e->posted - unanswered;
	remote->until = glk_link_bound(card->link);
	if (failed)
		glk_endpoint_failed(card, partition, 1);
	if (to > e->acknowledged)
		glk_card_endpoint_acknowledge(card, partition, (unsigned)(to - e->acknowledged), 0);
	push_soon(card, partition);
}

static bool on_released(struct glk_card *card, const struct glk_link_header *header)
{
	unsigned partition = header->tag & TAG_PARTITION;
	struct glk_remote *remote = &card->link->remote[partition];

	if (!remote->bound || !remote->releasing || header->tag != remote->release_tag)
		return false;
	remote->releasing = false;
	settle(card, partition, remote->release_to, header->partition != GLK_LINK_DONE);
	return true;
}

static bool on_write_response(struct glk_card *card, const struct glk_link_header *header)
{
	unsigned partition = header->tag & TAG_PARTITION;
	struct glk_remote *remote = &card->link->remote[partition];

	if (!remote->bound || remote->writes == remote->answered ||
	    header->tag != (uint16_t)(partition | remote->answered << TAG_TURN_SHIFT))
		return false;
	remote->answered++;
	settle(card, partition, 0, header->partition != GLK_LINK_DONE);
	return true;
}

static bool on_translation(struct glk_card *card, const struct glk_link_header *header, const uint8_t *body)
{
	struct glk_remote *remote = &card->link->remote[header->tag & TAG_PARTITION];

	if (!remote->bound || !remote->asking || header->tag != remote->asked)
		return false;
	remote->asking = false;
	remote->bytes = GLK_PARTITION_FAR_BYTES_ANSWERED_MASK;
	if (header->partition == GLK_LINK_DONE)
		remote->bytes |= glk_get_le64(body) & (GLK_PARTITION_FAR_BYTES_BYTES_MASK | GLK_PARTITION_FAR_BYTES_READ_MASK |
						    GLK_PARTITION_FAR_BYTES_WRITE_MASK);
	return true;
}

/* --- answers, all kinds --- */

void glk_remote_response(struct glk_card *card, const struct glk_link_header *header, const uint8_t *body, size_t length)
{
	bool known;

	switch (header->kind) {
	case GLK_KIND_READ_RESPONSE:
		known = glk_remote_on_read_response(card, header, body, length);
		break;
	case GLK_KIND_WRITE_RESPONSE:
		known = on_write_response(card, header);
		break;
	case GLK_KIND_TRANSLATION_RESPONSE:
		known = on_translation(card, header, body);
		break;
	case GLK_KIND_RELEASED:
		known = on_released(card, header);
		break;
	default:
		known = glk_remote_on_atomic_response(card, header, body);
		break;
	}
	if (!known)
		count(card, GLK_LINK_STRAYS, 1);
}

/* --- the end --- */

static bool answer_due(const struct glk_remote *remote)
{
	return remote->bound && (remote->releasing || remote->writes != remote->answered);
}

static void fail_posted(struct glk_card *card, unsigned partition)
{
	struct glk_endpoint *e = &card->endpoints[partition];
	unsigned left = (unsigned)(e->posted - e->acknowledged);

	card->link->remote[partition].releasing = false;
	card->link->remote[partition].answered = card->link->remote[partition].writes;
	glk_card_endpoint_acknowledge(card, partition, left, left);
}

void glk_remote_expire(struct glk_card *card)
{
	for (unsigned p = 0; p < card->config.partitions; p++) {
		if (!answer_due(&card->link->remote[p]) || card->link->now < card->link->remote[p].until)
			continue;
		count(card, GLK_LINK_TIMEOUTS, 1);
		fail_posted(card, p);
	}
}

uint64_t glk_remote_deadline(const struct glk_card *card)
{
	uint64_t first = UINT64_MAX;

	for (unsigned p = 0; p < card->config.partitions; p++)
		if (answer_due(&card->link->remote[p]) && card->link->remote[p].until < first)
			first = card->link->remote[p].until;
	return first;
}

void glk_remote_session_begins(struct glk_card *card)
{
	memset(card->link->sent, 0, sizeof(card->link->sent));
	for (unsigned p = 0; p < card->config.partitions; p++)
		if (glk_remote_is(card, p))
			glk_remote_ask(card, p);
}

void glk_remote_session_ends(struct glk_card *card)
{
	struct glk_card_link *link = card->link;

	glk_remote_loads_fail(card);
	link->to_push = 0;
	for (unsigned p = 0; p < card->config.partitions; p++) {
		link->remote[p].held_bytes = 0;
		link->remote[p].bytes = 0;
		link->remote[p].ask = link->remote[p].asking = false;
	}
	for (unsigned p = 0; p < card->config.partitions; p++) {
		const struct glk_endpoint *e = &card->endpoints[p];

		if (!link->remote[p].bound)
			continue;
		count(card, GLK_LINK_LOST_PACKETS, e->posted - e->acknowledged);
		fail_posted(card, p);
	}
}
