// SPDX-License-Identifier: Apache-2.0
#include "remote/serve_lease.h"

#include "base/bytes.h"
#include "window/timed.h"

#define LEASE_UNUSED 54u /* bits of `where` from here on are 0 */
#define TIMED_UNUSED 56u

void glk_serve_lease(struct glk_request *request, const uint8_t *body)
{
	request->value = glk_get_le64(body);
	request->time = glk_get_le64(body + 8);
	request->wts = glk_get_le64(body + 16);
}

/* Returns the status of the answer; of GLK_LINK_DONE `data` follows the lease. */
static unsigned lease(struct glk_serve *serve, const struct glk_request *request, struct glk_lease *given, uint8_t *data)
{
	uint64_t where = request->value, offset = where & GLK_LINK_OFFSET_MASK, line;
	unsigned grain = (unsigned)(where >> GLK_LEASE_GRAIN_SHIFT) & 15, what = (unsigned)(where >> GLK_LEASE_WHAT_SHIFT) & 3;
	bool same;

	if (where >> LEASE_UNUSED || what >= GLK_LEASE_WHATS || offset % GLK_LINK_LINE_BYTES ||
	    !glk_serve_may_reach(serve, request->partition, offset, GLK_LINK_LINE_BYTES))
		return GLK_LINK_REFUSED;
	line = glk_endpoint_line_bytes(serve->endpoints, request->partition, offset);
	if (!line)
		return GLK_LEASE_NOT_POOL;
	if (what == GLK_LEASE_CLOCK) {
		given->wts = given->rts = glk_pool_clock(serve->endpoints->pool);
		return GLK_LEASE_SAME;
	}
	if (what == GLK_LEASE_READ ? line != (uint64_t)GLK_LINK_LINE_BYTES << grain : offset % line != 0)
		return GLK_LEASE_NO_LINE;
	if (!glk_timed_read(serve->endpoints, request->partition, offset, request->time, request->wts, given, &same))
		return GLK_LEASE_TIME;
	if (same || what == GLK_LEASE_RENEW)
		return same ? GLK_LEASE_SAME : GLK_LEASE_CHANGED;
	if (glk_endpoint_read(serve->endpoints, request->partition, offset, data, GLK_LINK_LINE_BYTES))
		return GLK_LINK_FAILED;
	return GLK_LINK_DONE;
}

int glk_serve_answer_lease(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header)
{
	uint8_t body[16 + GLK_LINK_LINE_BYTES];
	struct glk_lease given = { 0, 0 };

	header->kind = GLK_KIND_LEASE_RESPONSE;
	header->partition = (uint8_t)lease(serve, request, &given, body + 16);
	glk_put_le64(body, given.wts);
	glk_put_le64(body + 8, given.rts);
	switch (header->partition) {
	case GLK_LINK_DONE:
		return glk_link_push(serve->link, header, body, sizeof(body));
	case GLK_LEASE_SAME:
	case GLK_LEASE_CHANGED:
		return glk_link_push(serve->link, header, body, 16);
	default:
		return glk_link_push(serve->link, header, NULL, 0);
	}
}

static bool timed_valid(uint64_t offset, unsigned bytes, unsigned what)
{
	if (!what)
		return offset % GLK_LINK_LINE_BYTES + bytes <= GLK_LINK_LINE_BYTES;
	return (bytes == 4 || bytes == 8) && offset % bytes == 0;
}

void glk_serve_timed(struct glk_serve *serve, struct glk_request *request, const uint8_t *body)
{
	uint64_t where = glk_get_le64(body), offset = where & GLK_LINK_OFFSET_MASK, time = glk_get_le64(body + 8);
	unsigned bytes = ((unsigned)(where >> GLK_TIMED_BYTES_SHIFT) & 63) + 1,
		 what = (unsigned)(where >> GLK_TIMED_WHAT_SHIFT) & 3;
	const uint8_t *data = body + 16;
	const struct glk_update update = {
		.opcode = GLK_OP_FETCH_ADD + what - 1, .operand = glk_get_le64(data), .compare = glk_get_le64(data + 8),
	};
	struct glk_lease given = { 0, 0 };
	bool done, written;

	request->status = GLK_LINK_REFUSED;
	if (where >> TIMED_UNUSED || !timed_valid(offset, bytes, what) ||
	    !glk_serve_may_reach(serve, request->partition, offset, bytes))
		return;
	request->status = GLK_LEASE_NOT_POOL;
	if (!glk_endpoint_line_bytes(serve->endpoints, request->partition, offset))
		return;
	if (what)
		done = glk_timed_update(serve->endpoints, request->partition, offset, bytes, &update, time, &request->value,
					&written, &given);
	else
		done = glk_timed_write(serve->endpoints, request->partition, offset, time, data, bytes, &given);
	request->status = done ? GLK_LINK_DONE : GLK_LEASE_TIME;
	request->wts = given.wts;
	request->time = given.rts;
}

int glk_serve_answer_timed(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header)
{
	uint8_t body[24];

	header->kind = GLK_KIND_TIMED_RESPONSE;
	header->partition = request->status;
	glk_put_le64(body, request->wts);
	glk_put_le64(body + 8, request->time);
	glk_put_le64(body + 16, request->value);
	return glk_link_push(serve->link, header, body, request->status == GLK_LINK_DONE ? sizeof(body) : 0);
}
