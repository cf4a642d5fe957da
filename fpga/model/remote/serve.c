// SPDX-License-Identifier: Apache-2.0
/*
 * What the other card asks of this one. Posted packets and atomics are carried out when they come; what is answered when its
 * writes are visible waits, a list a partition; answers that find no room wait behind each other. A request's place in the
 * other card's credits is given back with its answer, so there are never more than places.
 */
#include <string.h>

#include "base/bytes.h"
#include "finepack/depacketizer.h"
#include "card/state.h"

#define NONE		  GLK_SERVE_MOST
#define WRITE_FIRST_SHIFT 48u /* in `where` */
#define WRITE_BYTES_SHIFT 54u
#define WRITE_UNUSED	  60u
#define ATOMIC_SHIFT	  48u
#define ATOMIC_UNUSED	  52u
#define ATOMIC_8_BYTES	  (1ULL << 51)
#define ATOMICS		  3u
#define ANSWER_FLITS	  5u /* the most that one takes */

static void count(struct glk_card *card, unsigned reg, uint64_t by)
{
	*glk_link_counter(card->link, reg) += by;
}

/* --- lists --- */

static void append(struct glk_card_link *link, struct glk_request_list *list, uint16_t at)
{
	link->requests[at].next = NONE;
	if (list->first == NONE)
		list->first = at;
	else
		link->requests[list->last].next = at;
	list->last = at;
}

static uint16_t behead(struct glk_card_link *link, struct glk_request_list *list)
{
	uint16_t at = list->first;

	list->first = link->requests[at].next;
	return at;
}

void glk_serve_reset(struct glk_card *card)
{
	struct glk_card_link *link = card->link;

	for (unsigned i = 0; i < GLK_SERVE_MOST; i++)
		link->requests[i].next = (uint16_t)(i + 1);
	link->free = 0;
	link->answers.first = NONE;
	for (unsigned p = 0; p < GLK_LINK_PARTITIONS; p++)
		link->serve[p] = (struct glk_serve){
			.release = NONE, .waiting.first = NONE, .told = card->endpoints[p].failed,
		};
}

/* A place for a request. There is one: it is held in the link layer's count of pieces. */
static struct glk_request *take(struct glk_card *card, const struct glk_link_header *header, unsigned pieces)
{
	struct glk_card_link *link = card->link;
	struct glk_request *request = &link->requests[link->free];

	link->free = request->next;
	*request = (struct glk_request){
		.tag = header->tag,
		.pieces = (uint16_t)pieces,
		.kind = (uint8_t)header->kind,
		.partition = header->partition,
		.failed = card->endpoints[header->partition].failed,
	};
	return request;
}

static uint16_t place(const struct glk_card_link *link, const struct glk_request *request)
{
	return (uint16_t)(request - link->requests);
}

/* --- what may be reached --- */

static bool is_open(const struct glk_card *card, unsigned partition)
{
	return (card->control & GLK_CARD_CONTROL_ENABLE_MASK) && card->partitions[partition].open &&
	       glk_endpoint_own(card, partition);
}

static bool may_reach(const struct glk_card *card, unsigned partition, uint64_t offset, uint64_t length)
{
	return is_open(card, partition) && glk_endpoint_holds(card, partition, offset, length);
}

/* --- answers --- */

/* The answer to a read is read when it can be sent. */
static int answer_read(struct glk_card *card, const struct glk_request *request, struct glk_link_header *header)
{
	uint64_t offset = request->value & GLK_LINK_OFFSET_MASK;
	uint8_t data[GLK_LINK_LINE_BYTES];
	struct glk_sector sector;
	size_t bytes = 0;

	header->partition = GLK_LINK_REFUSED;
	if (glk_trim_asked(request->value, &sector) && offset % GLK_LINK_LINE_BYTES == 0 &&
	    may_reach(card, request->partition, offset, GLK_LINK_LINE_BYTES)) {
		bool failed = glk_endpoint_read(card, request->partition, offset + sector.first, data, sector.bytes);

		header->partition = (uint8_t)(failed ? GLK_LINK_FAILED : glk_trim_status(sector.bytes));
		bytes = failed ? 0 : sector.bytes;
		if (!failed)
			count(card, GLK_LINK_TRIMMED_BYTES, GLK_LINK_LINE_BYTES - bytes);
	}
	return glk_link_push(card->link, header, data, bytes);
}

static int answer_translation(struct glk_card *card, const struct glk_request *request, struct glk_link_header *header)
{
	uint64_t offset = request->value, bytes = 0;
	uint8_t body[8];

	header->partition = GLK_LINK_REFUSED;
	if (offset % GLK_PAGE_SIZE == 0 && may_reach(card, request->partition, offset, GLK_PAGE_SIZE)) {
		header->partition = GLK_LINK_DONE;
		bytes = card->endpoints[request->partition].bytes - offset;
		if (bytes > GLK_PARTITION_FAR_BYTES_BYTES_MASK) /* all that there can be */
			bytes -= GLK_PAGE_SIZE;
		bytes |= GLK_PARTITION_FAR_BYTES_READ_MASK | GLK_PARTITION_FAR_BYTES_WRITE_MASK;
	}
	glk_put_le64(body, bytes);
	return glk_link_push(card->link, header, body, sizeof(body));
}

static int answer(struct glk_card *card, const struct glk_request *request, struct glk_link_header *header)
{
	uint8_t old[8];

	header->tag = request->tag;
	header->partition = request->status;
	switch (request->kind) {
	case GLK_KIND_READ_REQUEST:
		header->kind = GLK_KIND_READ_RESPONSE;
		return answer_read(card, request, header);
	case GLK_KIND_TRANSLATION_REQUEST:
		header->kind = GLK_KIND_TRANSLATION_RESPONSE;
		return answer_translation(card, request, header);
	case GLK_KIND_ATOMIC_REQUEST:
		header->kind = GLK_KIND_ATOMIC_RESPONSE;
		glk_put_le64(old, request->value);
		return glk_link_push(card->link, header, old, sizeof(old));
	case GLK_KIND_RELEASE:
		header->kind = GLK_KIND_RELEASED;
		return glk_link_push(card->link, header, NULL, 0);
	default:
		header->kind = GLK_KIND_WRITE_RESPONSE;
		return glk_link_push(card->link, header, NULL, 0);
	}
}

void glk_serve_push(struct glk_card *card)
{
	struct glk_card_link *link = card->link;

	while (link->answers.first != NONE && GLK_LINK_ENTRIES - glk_cluster_queue_fill(link->queue) >= ANSWER_FLITS) {
		uint16_t at = behead(link, &link->answers);
		const struct glk_request *request = &link->requests[at];
		struct glk_link_header header;

		answer(card, request, &header);
		count(card, header.partition == GLK_LINK_REFUSED ? GLK_LINK_DENIED : GLK_LINK_SERVED, 1);
		glk_link_layer_free(link->layer, glk_kind_class(request->kind), request->pieces);
		link->requests[at].next = link->free;
		link->free = at;
	}
}

static void answer_soon(struct glk_card *card, const struct glk_request *request)
{
	append(card->link, &card->link->answers, place(card->link, request));
	glk_serve_push(card);
}

/* --- what waits until writes are visible --- */

static bool visible(const struct glk_card *card, const struct glk_request *request)
{
	return card->endpoints[request->partition].acknowledged >= request->mark;
}

/* What goes wrong with a partition's writes an answer may tell of, and the next release does: the two have no order. */
static void settle_waiting(struct glk_card *card, unsigned partition)
{
	struct glk_card_link *link = card->link;
	struct glk_serve *serve = &link->serve[partition];
	uint64_t failed = card->endpoints[partition].failed;

	while (serve->waiting.first != NONE && visible(card, &link->requests[serve->waiting.first])) {
		struct glk_request *request = &link->requests[behead(link, &serve->waiting)];

		if (request->status == GLK_LINK_DONE && request->failed != failed)
			request->status = GLK_LINK_FAILED;
		answer_soon(card, request);
	}
}

static void settle_release(struct glk_card *card, unsigned partition)
{
	struct glk_serve *serve = &card->link->serve[partition];
	struct glk_request *request = &card->link->requests[serve->release];

	if (serve->release == NONE || (int32_t)(serve->received - serve->release_to) < 0)
		return;
	if (!serve->release_marked)
		request->mark = card->endpoints[partition].posted;
	serve->release_marked = true;
	if (!visible(card, request))
		return;
	if (serve->refused || serve->told != card->endpoints[partition].failed)
		request->status = GLK_LINK_FAILED;
	serve->refused = false;
	serve->told = card->endpoints[partition].failed;
	serve->release = NONE;
	answer_soon(card, request);
}

void glk_serve_acknowledged(struct glk_card *card, unsigned partition)
{
	if (!card->link)
		return;
	settle_waiting(card, partition);
	settle_release(card, partition);
}

/* --- requests --- */

static void plain_write(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	glk_endpoint_write(user, partition, offset, data, length);
}

static void malformed_packet(struct glk_card *card)
{
	glk_count(card, GLK_CARD_COUNTER(ERR_PACKET));
	glk_note_error(card, GLK_CARD_ERROR_CAUSE_PACKET_MASK);
}

static bool apply_finepack(struct glk_card *card, unsigned partition, const uint8_t *packet, size_t length)
{
	struct glk_destination destinations[GLK_LINK_PARTITIONS] = { 0 };
	struct glk_accepted accepted;

	if (!is_open(card, partition)) {
		count(card, GLK_LINK_DENIED, 1);
		return false;
	}
	destinations[partition].bytes = card->endpoints[partition].bytes;
	destinations[partition].subheader_bytes = card->partitions[partition].queue.subheader_bytes;
	if (glk_depacketizer_check(packet, length, destinations, partition + 1, &accepted)) {
		malformed_packet(card);
		return false;
	}
	glk_count(card, GLK_CARD_COUNTER(PACKETS_RECEIVED));
	count(card, GLK_LINK_SERVED, 1);
	glk_depacketizer_apply(&accepted, plain_write, card);
	return true;
}

static void serve_finepack(struct glk_card *card, const uint8_t *packet, size_t length)
{
	unsigned partition = packet[GLK_PACKET_PARTITION];
	struct glk_serve *serve = &card->link->serve[partition % GLK_LINK_PARTITIONS];

	if (partition >= GLK_LINK_PARTITIONS) { /* no release can ask for it */
		malformed_packet(card);
		return;
	}
	if (!apply_finepack(card, partition, packet, length))
		serve->refused = true;
	serve->received++;
	settle_release(card, partition);
}

static void serve_write(struct glk_card *card, struct glk_request *request, const uint8_t *body)
{
	uint64_t where = glk_get_le64(body), offset = where & GLK_LINK_OFFSET_MASK;
	unsigned first = (unsigned)(where >> WRITE_FIRST_SHIFT) & 63, bytes = ((unsigned)(where >> WRITE_BYTES_SHIFT) & 63) + 1;
	unsigned partition = request->partition;
	bool good = where >> WRITE_UNUSED == 0 && offset % GLK_LINK_LINE_BYTES == 0 && first + bytes <= GLK_LINK_LINE_BYTES &&
		    may_reach(card, partition, offset + first, bytes);

	request->status = good ? GLK_LINK_DONE : GLK_LINK_REFUSED;
	request->mark = good ? card->endpoints[partition].posted + 1 : 0;
	append(card->link, &card->link->serve[partition].waiting, place(card->link, request));
	card->link->serve[partition].received++;
	if (good)
		glk_endpoint_write(card, partition, offset + first, body + 8 + first, bytes);
	glk_serve_acknowledged(card, partition);
}

static void serve_atomic(struct glk_card *card, struct glk_request *request, const uint8_t *body)
{
	uint64_t where = glk_get_le64(body), offset = where & GLK_LINK_OFFSET_MASK;
	unsigned operation = (unsigned)(where >> ATOMIC_SHIFT) & 7, partition = request->partition;
	size_t bytes = where & ATOMIC_8_BYTES ? 8 : 4;
	struct glk_update update = {
		.opcode = GLK_OP_FETCH_ADD + operation, .operand = glk_get_le64(body + 8), .compare = glk_get_le64(body + 16),
	};
	bool good = where >> ATOMIC_UNUSED == 0 && operation < ATOMICS && offset % bytes == 0 &&
		    may_reach(card, partition, offset, bytes), written;

	request->status = good ? GLK_LINK_DONE : GLK_LINK_REFUSED;
	if (good && glk_endpoint_update(card, partition, offset, bytes, &update, &request->value, &written))
		request->status = GLK_LINK_FAILED;
	request->mark = good ? card->endpoints[partition].posted : 0;
	append(card->link, &card->link->serve[partition].waiting, place(card->link, request));
	glk_serve_acknowledged(card, partition);
}

/* One release of a partition is under way at a time; another is refused. */
static void serve_release(struct glk_card *card, struct glk_request *request, const uint8_t *body)
{
	struct glk_serve *serve = &card->link->serve[request->partition];

	if (!is_open(card, request->partition) || serve->release != NONE) {
		request->status = GLK_LINK_REFUSED;
		answer_soon(card, request);
		return;
	}
	serve->release = place(card->link, request);
	serve->release_to = (uint32_t)glk_get_le64(body);
	serve->release_marked = false;
	settle_release(card, request->partition);
}

void glk_serve_packet(struct glk_card *card, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	const uint8_t *body = packet + GLK_LINK_HEADER_BYTES;
	struct glk_link_header header;
	struct glk_request *request;

	if (kind == GLK_KIND_FINEPACK) {
		serve_finepack(card, packet, length);
		glk_link_layer_free(card->link->layer, GLK_CLASS_POSTED, pieces);
		return;
	}
	glk_link_header_get(packet, &header);
	request = take(card, &header, pieces);
	switch (kind) {
	case GLK_KIND_WRITE_REQUEST:
		serve_write(card, request, body);
		break;
	case GLK_KIND_ATOMIC_REQUEST:
		serve_atomic(card, request, body);
		break;
	case GLK_KIND_RELEASE:
		serve_release(card, request, body);
		break;
	default: /* reads and translations */
		request->value = glk_get_le64(body);
		answer_soon(card, request);
		break;
	}
}
