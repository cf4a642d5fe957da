// SPDX-License-Identifier: Apache-2.0
#include "remote/serve.h"

#include "base/bytes.h"
#include "finepack/depacketizer.h"
#include "netcrafter/trim.h"
#include "remote/serve_lease.h"

#define NONE		  GLK_SERVE_REQUESTS
#define WRITE_FIRST_SHIFT 48u /* bits of `where` */
#define WRITE_BYTES_SHIFT 54u
#define WRITE_UNUSED	  60u
#define ATOMIC_SHIFT	  48u
#define ATOMIC_UNUSED	  52u
#define ATOMIC_8_BYTES	  (1ULL << 51)
#define ATOMICS		  3u
#define ANSWER_FLITS	  5u /* at most, of one answer; */
#define LEASE_FLITS	  6u /* of a lease */

static void serve_count(struct glk_serve *serve, unsigned reg, uint64_t by)
{
	*glk_link_counter(serve->link, reg) += by;
}

/* --- lists --- */

static void serve_append(struct glk_serve *serve, struct glk_request_list *list, uint16_t at)
{
	serve->requests[at].next = NONE;
	if (list->first == NONE)
		list->first = at;
	else
		serve->requests[list->last].next = at;
	list->last = at;
}

static uint16_t behead(struct glk_serve *serve, struct glk_request_list *list)
{
	uint16_t at = list->first;

	list->first = serve->requests[at].next;
	return at;
}

void glk_serve_reset(struct glk_serve *serve)
{

	for (unsigned i = 0; i < GLK_SERVE_REQUESTS; i++)
		serve->requests[i].next = (uint16_t)(i + 1);
	serve->free = 0;
	serve->answers.first = NONE;
	for (unsigned p = 0; p < GLK_LINK_PARTITIONS; p++)
		serve->of[p] = (struct glk_serve_partition){
			.release = NONE, .waiting.first = NONE, .reported = serve->endpoints->of[p].failed,
		};
}

/* Takes a place for a request. There is always one, since the request holds credits of the link layer. */
static struct glk_request *serve_take(struct glk_serve *serve, const struct glk_link_header *header, unsigned pieces)
{
	struct glk_request *request = &serve->requests[serve->free];

	serve->free = request->next;
	*request = (struct glk_request){
		.tag = header->tag,
		.pieces = (uint16_t)pieces,
		.kind = (uint8_t)header->kind,
		.partition = header->partition,
		.failed = serve->endpoints->of[header->partition].failed,
	};
	return request;
}

static uint16_t serve_place(const struct glk_serve *serve, const struct glk_request *request)
{
	return (uint16_t)(request - serve->requests);
}

/* --- answers --- */

/* Reads the data when the response can be sent. */
static int answer_read(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header)
{
	uint64_t offset = request->value & GLK_LINK_OFFSET_MASK;
	uint8_t data[GLK_LINK_LINE_BYTES];
	struct glk_sector sector;
	size_t bytes = 0;

	header->partition = GLK_LINK_REFUSED;
	if (glk_trim_asked(request->value, &sector) && offset % GLK_LINK_LINE_BYTES == 0 &&
	    glk_serve_may_reach(serve, request->partition, offset, GLK_LINK_LINE_BYTES)) {
		bool failed = glk_endpoint_read(serve->endpoints, request->partition, offset + sector.first, data,
						sector.bytes);

		header->partition = (uint8_t)(failed ? GLK_LINK_FAILED : glk_trim_status(sector.bytes));
		bytes = failed ? 0 : sector.bytes;
		if (!failed)
			serve_count(serve, GLK_LINK_TRIMMED_BYTES, GLK_LINK_LINE_BYTES - bytes);
	}
	return glk_link_push(serve->link, header, data, bytes);
}

static int answer_translation(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header)
{
	uint64_t offset = request->value, bytes = 0;
	uint8_t body[8];

	header->partition = GLK_LINK_REFUSED;
	if (offset % GLK_PAGE_SIZE == 0 && glk_serve_may_reach(serve, request->partition, offset, GLK_PAGE_SIZE)) {
		header->partition = GLK_LINK_DONE;
		bytes = serve->endpoints->of[request->partition].bytes - offset;
		if (bytes > GLK_PARTITION_REMOTE_BYTES_BYTES_MASK) /* 2^48 does not fit in the field */
			bytes -= GLK_PAGE_SIZE;
		bytes |= GLK_PARTITION_REMOTE_BYTES_READ_MASK | GLK_PARTITION_REMOTE_BYTES_WRITE_MASK;
	}
	glk_put_le64(body, bytes);
	return glk_link_push(serve->link, header, body, sizeof(body));
}

static int serve_answer(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header)
{
	uint8_t old[8];

	header->tag = request->tag;
	header->partition = request->status;
	switch (request->kind) {
	case GLK_KIND_READ_REQUEST:
		header->kind = GLK_KIND_READ_RESPONSE;
		return answer_read(serve, request, header);
	case GLK_KIND_TRANSLATION_REQUEST:
		header->kind = GLK_KIND_TRANSLATION_RESPONSE;
		return answer_translation(serve, request, header);
	case GLK_KIND_ATOMIC_REQUEST:
		header->kind = GLK_KIND_ATOMIC_RESPONSE;
		glk_put_le64(old, request->value);
		return glk_link_push(serve->link, header, old, sizeof(old));
	case GLK_KIND_RELEASE:
		header->kind = GLK_KIND_RELEASED;
		return glk_link_push(serve->link, header, NULL, 0);
	case GLK_KIND_LEASE_REQUEST:
		return glk_serve_answer_lease(serve, request, header);
	case GLK_KIND_TIMED_REQUEST:
		return glk_serve_answer_timed(serve, request, header);
	default:
		header->kind = GLK_KIND_WRITE_RESPONSE;
		return glk_link_push(serve->link, header, NULL, 0);
	}
}

static bool room(const struct glk_serve *serve)
{
	bool lease = serve->requests[serve->answers.first].kind == GLK_KIND_LEASE_REQUEST;

	return GLK_LINK_ENTRIES - glk_cluster_queue_fill(serve->link->queue) >= (lease ? LEASE_FLITS : ANSWER_FLITS);
}

void glk_serve_push(struct glk_serve *serve)
{

	while (serve->answers.first != NONE && room(serve)) {
		uint16_t at = behead(serve, &serve->answers);
		const struct glk_request *request = &serve->requests[at];
		struct glk_link_header header;

		serve_answer(serve, request, &header);
		serve_count(serve, header.partition == GLK_LINK_REFUSED ? GLK_LINK_DENIED : GLK_LINK_SERVED, 1);
		glk_link_layer_free(serve->link->layer, glk_kind_class(request->kind), request->pieces);
		serve->requests[at].next = serve->free;
		serve->free = at;
	}
}

static void answer_soon(struct glk_serve *serve, const struct glk_request *request)
{
	serve_append(serve, &serve->answers, serve_place(serve, request));
	glk_serve_push(serve);
}

/* --- requests that wait for visible writes --- */

static bool visible(const struct glk_serve *serve, const struct glk_request *request)
{
	return serve->endpoints->of[request->partition].acknowledged >= request->mark;
}

/* A failed write of the partition may be reported by any of these answers, and is always reported by the next release. */
static void settle_waiting(struct glk_serve *serve, unsigned partition)
{
	struct glk_serve_partition *of = &serve->of[partition];
	uint64_t failed = serve->endpoints->of[partition].failed;

	while (of->waiting.first != NONE && visible(serve, &serve->requests[of->waiting.first])) {
		struct glk_request *request = &serve->requests[behead(serve, &of->waiting)];

		if (request->status == GLK_LINK_DONE && request->failed != failed)
			request->status = GLK_LINK_FAILED;
		answer_soon(serve, request);
	}
}

static void settle_release(struct glk_serve *serve, unsigned partition)
{
	struct glk_serve_partition *of = &serve->of[partition];
	struct glk_request *request = &serve->requests[of->release];

	if (of->release == NONE || (int32_t)(of->received - of->release_to) < 0)
		return;
	if (!of->release_marked)
		request->mark = serve->endpoints->of[partition].posted;
	of->release_marked = true;
	if (!visible(serve, request))
		return;
	if (of->refused || of->reported != serve->endpoints->of[partition].failed)
		request->status = GLK_LINK_FAILED;
	of->refused = false;
	of->reported = serve->endpoints->of[partition].failed;
	of->release = NONE;
	answer_soon(serve, request);
}

void glk_serve_acknowledged(struct glk_serve *serve, unsigned partition)
{
	settle_waiting(serve, partition);
	settle_release(serve, partition);
}

/* --- requests --- */

static void plain_write(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	glk_endpoint_write(user, partition, offset, data, length);
}

static bool apply_finepack(struct glk_serve *serve, unsigned partition, const uint8_t *packet, size_t length)
{
	struct glk_destination destinations[GLK_LINK_PARTITIONS] = { 0 };
	struct glk_accepted accepted;

	if (!glk_serve_is_open(serve, partition)) {
		serve_count(serve, GLK_LINK_DENIED, 1);
		return false;
	}
	destinations[partition].bytes = serve->endpoints->of[partition].bytes;
	destinations[partition].subheader_bytes = serve->endpoints->partitions[partition].queue.subheader_bytes;
	destinations[partition].compact = !serve->common->config.no_packing;
	destinations[partition].array = !serve->common->config.no_packing;
	if (glk_depacketizer_check(packet, length, destinations, partition + 1, &accepted)) {
		glk_note_malformed_packet(serve->common);
		return false;
	}
	glk_count(serve->common, GLK_CARD_COUNTER(PACKETS_RECEIVED));
	serve_count(serve, GLK_LINK_SERVED, 1);
	glk_depacketizer_apply(&accepted, plain_write, serve->endpoints);
	return true;
}

static void serve_finepack(struct glk_serve *serve, const uint8_t *packet, size_t length)
{
	unsigned partition = packet[GLK_PACKET_PARTITION];
	struct glk_serve_partition *of = &serve->of[partition % GLK_LINK_PARTITIONS];

	if (partition >= GLK_LINK_PARTITIONS) { /* no release can cover it */
		glk_note_malformed_packet(serve->common);
		return;
	}
	if (!apply_finepack(serve, partition, packet, length))
		of->refused = true;
	of->received++;
	settle_release(serve, partition);
}

static void serve_write(struct glk_serve *serve, struct glk_request *request, const uint8_t *body)
{
	uint64_t where = glk_get_le64(body), offset = where & GLK_LINK_OFFSET_MASK;
	unsigned first = (unsigned)(where >> WRITE_FIRST_SHIFT) & 63, bytes = ((unsigned)(where >> WRITE_BYTES_SHIFT) & 63) + 1;
	unsigned partition = request->partition;
	bool good = where >> WRITE_UNUSED == 0 && offset % GLK_LINK_LINE_BYTES == 0 && first + bytes <= GLK_LINK_LINE_BYTES &&
		    glk_serve_may_reach(serve, partition, offset + first, bytes);

	request->status = good ? GLK_LINK_DONE : GLK_LINK_REFUSED;
	request->mark = good ? serve->endpoints->of[partition].posted + 1 : 0;
	serve_append(serve, &serve->of[partition].waiting, serve_place(serve, request));
	serve->of[partition].received++;
	if (good)
		glk_endpoint_write(serve->endpoints, partition, offset + first, body + 8 + first, bytes);
	glk_serve_acknowledged(serve, partition);
}

static void serve_atomic(struct glk_serve *serve, struct glk_request *request, const uint8_t *body)
{
	uint64_t where = glk_get_le64(body), offset = where & GLK_LINK_OFFSET_MASK;
	unsigned operation = (unsigned)(where >> ATOMIC_SHIFT) & 7, partition = request->partition;
	size_t bytes = where & ATOMIC_8_BYTES ? 8 : 4;
	struct glk_update update = {
		.opcode = GLK_OP_FETCH_ADD + operation, .operand = glk_get_le64(body + 8), .compare = glk_get_le64(body + 16),
	};
	bool good = where >> ATOMIC_UNUSED == 0 && operation < ATOMICS && offset % bytes == 0 &&
		    glk_serve_may_reach(serve, partition, offset, bytes), written;

	request->status = good ? GLK_LINK_DONE : GLK_LINK_REFUSED;
	if (good && glk_endpoint_update(serve->endpoints, partition, offset, bytes, &update, &request->value, &written))
		request->status = GLK_LINK_FAILED;
	request->mark = good ? serve->endpoints->of[partition].posted : 0;
	serve_append(serve, &serve->of[partition].waiting, serve_place(serve, request));
	glk_serve_acknowledged(serve, partition);
}

/* Each partition has at most one release in progress; a second one is refused. */
static void serve_release(struct glk_serve *serve, struct glk_request *request, const uint8_t *body)
{
	struct glk_serve_partition *of = &serve->of[request->partition];

	if (!glk_serve_is_open(serve, request->partition) || of->release != NONE) {
		request->status = GLK_LINK_REFUSED;
		answer_soon(serve, request);
		return;
	}
	of->release = serve_place(serve, request);
	of->release_to = (uint32_t)glk_get_le64(body);
	of->release_marked = false;
	settle_release(serve, request->partition);
}

void glk_serve_packet(struct glk_serve *serve, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	const uint8_t *body = packet + GLK_LINK_HEADER_BYTES;
	struct glk_link_header header;
	struct glk_request *request;

	if (kind == GLK_KIND_FINEPACK) {
		serve_finepack(serve, packet, length);
		glk_link_layer_free(serve->link->layer, GLK_CLASS_POSTED, pieces);
		return;
	}
	glk_link_header_get(packet, &header);
	request = serve_take(serve, &header, pieces);
	switch (kind) {
	case GLK_KIND_WRITE_REQUEST:
		serve_write(serve, request, body);
		break;
	case GLK_KIND_ATOMIC_REQUEST:
		serve_atomic(serve, request, body);
		break;
	case GLK_KIND_RELEASE:
		serve_release(serve, request, body);
		break;
	case GLK_KIND_LEASE_REQUEST:
		glk_serve_lease(request, body);
		answer_soon(serve, request);
		break;
	case GLK_KIND_TIMED_REQUEST:
		glk_serve_timed(serve, request, body);
		answer_soon(serve, request);
		break;
	default: /* reads and translations */
		request->value = glk_get_le64(body);
		answer_soon(serve, request);
		break;
	}
}
