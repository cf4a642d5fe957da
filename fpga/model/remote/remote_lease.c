// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_lease.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "remote/serve_lease.h"

#define TRIES 100u /* to read a line of several blocks between two writes to it */

static bool answered(const struct glk_remote *remote, unsigned about)
{
	(void)about;
	return remote->lease.left == 0;
}

/* Waits for the posted stores. */
static unsigned remote_lease_begin(struct glk_remote *remote, unsigned partition)
{
	int error = glk_remote_wait_until_visible(remote, partition);

	if (error || !remote->link->session) {
		glk_endpoint_failed(remote->endpoints, partition, 1);
		return GLK_ST_ENDPOINT;
	}
	return remote->link->leases ? GLK_ST_OK : GLK_ST_NOT_POOL;
}

static int remote_lease_push(struct glk_remote *remote, unsigned partition, enum glk_kind kind, const uint8_t *body,
			     size_t bytes)
{
	const struct glk_link_header header = {
		.kind = kind, .partition = (uint8_t)remote->of[partition].partition, .tag = remote->next_tag,
	};
	int error = glk_remote_wait_for_room(remote, bytes);

	if (error || remote->lease.failed) /* failed: the session ended, even if a new one has begun */
		return -EIO;
	glk_link_push(remote->link, &header, body, bytes);
	remote->next_tag++;
	return 0;
}

static void remote_lease_start(struct glk_remote *remote, enum glk_kind response, unsigned count, uint8_t *data)
{
	remote->lease = (struct glk_remote_lease){
		.active = true,
		.response = (uint8_t)response,
		.first_tag = remote->next_tag,
		.count = count,
		.left = count,
		.data = data,
	};
}

/* Waits for all answers. */
static unsigned remote_lease_finish(struct glk_remote *remote, unsigned partition, int error)
{
	if (!error)
		error = glk_remote_wait(remote, answered, 0);
	if (error == -ETIMEDOUT)
		(*glk_link_counter(remote->link, GLK_LINK_TIMEOUTS))++;
	remote->lease.active = false;
	if (!error && !remote->lease.failed)
		return GLK_ST_OK;
	glk_endpoint_failed(remote->endpoints, partition, 1);
	return GLK_ST_ENDPOINT;
}

/* What an answer without a lease means. */
static unsigned refusal(struct glk_remote *remote, unsigned partition, unsigned status, unsigned no_line)
{
	switch (status) {
	case GLK_LEASE_TIME:
		return GLK_ST_TIME;
	case GLK_LEASE_NO_LINE:
		return no_line;
	case GLK_LEASE_NOT_POOL:
		return GLK_ST_NOT_POOL;
	default:
		glk_endpoint_failed(remote->endpoints, partition, 1);
		return GLK_ST_ENDPOINT;
	}
}

/* Asks for `count` blocks in a row; `data` NULL: not for their bytes. */
static unsigned ask(struct glk_remote *remote, unsigned partition, uint64_t where, unsigned count, uint64_t time, uint64_t wts,
		    uint8_t *data)
{
	int error = 0;

	remote_lease_start(remote, GLK_KIND_LEASE_RESPONSE, count, data);
	for (unsigned i = 0; i < count && !error; i++) {
		uint8_t body[24];

		glk_put_le64(body, where + (uint64_t)i * GLK_LINK_LINE_BYTES);
		glk_put_le64(body + 8, time);
		glk_put_le64(body + 16, wts);
		error = remote_lease_push(remote, partition, GLK_KIND_LEASE_REQUEST, body, sizeof(body));
	}
	return remote_lease_finish(remote, partition, error);
}

/* Asks for all blocks of a line but the first, whose answer is in *lease. *whole: they are all of one version. */
static unsigned ask_for_rest(struct glk_remote *remote, unsigned partition, uint64_t where, unsigned blocks, uint64_t time,
			     uint8_t *data, const struct glk_lease *lease, bool *whole)
{
	unsigned status =
		ask(remote, partition, where + GLK_LINK_LINE_BYTES, blocks - 1, time, UINT64_MAX, data + GLK_LINK_LINE_BYTES);

	*whole = true;
	for (unsigned i = 0; i < blocks - 1 && status == GLK_ST_OK; i++) {
		const struct glk_remote_answer *a = &remote->lease.of[i];

		if (a->status != GLK_LINK_DONE)
			return refusal(remote, partition, a->status, GLK_ST_LENGTH);
		*whole &= a->wts == lease->wts;
	}
	return status;
}

unsigned glk_remote_lease_read(struct glk_remote *remote, unsigned partition, uint64_t offset, unsigned length, uint64_t time,
			       uint64_t wts, uint8_t *data, struct glk_lease *lease, bool *same)
{
	unsigned blocks = length / GLK_LINK_LINE_BYTES, grain = 0, status = remote_lease_begin(remote, partition);
	const struct glk_remote_answer *first = &remote->lease.of[0];
	bool whole = false;
	uint64_t where;

	while (blocks >> (grain + 1))
		grain++;
	where = offset | (uint64_t)grain << GLK_LEASE_GRAIN_SHIFT;
	for (unsigned i = 0; i < TRIES && status == GLK_ST_OK && !whole; i++) {
		status = ask(remote, partition, where, 1, time, wts, data);
		if (status != GLK_ST_OK)
			break;
		*lease = (struct glk_lease){ .wts = first->wts, .rts = first->rts };
		*same = first->status == GLK_LEASE_SAME;
		if (*same)
			return GLK_ST_OK;
		if (first->status != GLK_LINK_DONE)
			return refusal(remote, partition, first->status, GLK_ST_LENGTH);
		whole = blocks == 1;
		if (!whole)
			status = ask_for_rest(remote, partition, where, blocks, time, data, lease, &whole);
	}
	return status == GLK_ST_OK && !whole ? GLK_ST_ENDPOINT : status;
}

unsigned glk_remote_lease_renew(struct glk_remote *remote, unsigned partition, uint64_t offset, uint64_t time, uint64_t wts,
				struct glk_lease *lease, bool *same)
{
	const struct glk_remote_answer *first = &remote->lease.of[0];
	unsigned status = remote_lease_begin(remote, partition);

	if (status == GLK_ST_OK)
		status = ask(remote, partition, offset | (uint64_t)GLK_LEASE_RENEW << GLK_LEASE_WHAT_SHIFT, 1, time, wts, NULL);
	if (status != GLK_ST_OK)
		return status;
	*lease = (struct glk_lease){ .wts = first->wts, .rts = first->rts };
	*same = first->status == GLK_LEASE_SAME;
	return *same || first->status == GLK_LEASE_CHANGED ? GLK_ST_OK :
							     refusal(remote, partition, first->status, GLK_ST_ALIGNMENT);
}

unsigned glk_remote_clock(struct glk_remote *remote, unsigned partition, uint64_t offset, uint64_t *clock)
{
	const struct glk_remote_answer *first = &remote->lease.of[0];
	uint64_t where = offset / GLK_LINK_LINE_BYTES * GLK_LINK_LINE_BYTES;
	unsigned status = remote_lease_begin(remote, partition);

	if (status == GLK_ST_OK)
		status = ask(remote, partition, where | (uint64_t)GLK_LEASE_CLOCK << GLK_LEASE_WHAT_SHIFT, 1, 0, 0, NULL);
	if (status != GLK_ST_OK)
		return status;
	*clock = first->wts;
	return first->status == GLK_LEASE_SAME ? GLK_ST_OK : refusal(remote, partition, first->status, GLK_ST_ALIGNMENT);
}

/* One timed request. `what`: 0 a write, else of GLK_OP_FETCH_ADD + what - 1. `data`: GLK_LINK_LINE_BYTES. */
static unsigned timed(struct glk_remote *remote, unsigned partition, uint64_t offset, size_t length, unsigned what,
		      uint64_t time, const uint8_t *data, struct glk_lease *lease)
{
	const struct glk_remote_answer *first = &remote->lease.of[0];
	uint8_t body[16 + GLK_LINK_LINE_BYTES];
	unsigned status;

	glk_put_le64(body, offset | (uint64_t)(length - 1) << GLK_TIMED_BYTES_SHIFT | (uint64_t)what << GLK_TIMED_WHAT_SHIFT);
	glk_put_le64(body + 8, time);
	memcpy(body + 16, data, GLK_LINK_LINE_BYTES);
	remote_lease_start(remote, GLK_KIND_TIMED_RESPONSE, 1, NULL);
	status = remote_lease_finish(remote, partition,
				     remote_lease_push(remote, partition, GLK_KIND_TIMED_REQUEST, body, sizeof(body)));
	if (status != GLK_ST_OK)
		return status;
	*lease = (struct glk_lease){ .wts = first->wts, .rts = first->rts };
	return first->status == GLK_LINK_DONE ? GLK_ST_OK : refusal(remote, partition, first->status, GLK_ST_ALIGNMENT);
}

unsigned glk_remote_timed_write(struct glk_remote *remote, unsigned partition, uint64_t offset, uint64_t time,
				const uint8_t *data, size_t length, struct glk_lease *lease)
{
	unsigned status = remote_lease_begin(remote, partition);

	while (status == GLK_ST_OK && length) {
		size_t left = GLK_LINK_LINE_BYTES - offset % GLK_LINK_LINE_BYTES, part = length < left ? length : left;
		uint8_t block[GLK_LINK_LINE_BYTES] = { 0 };

		memcpy(block, data, part);
		status = timed(remote, partition, offset, part, 0, time, block, lease);
		offset += part;
		data += part;
		length -= part;
	}
	return status;
}

unsigned glk_remote_timed_update(struct glk_remote *remote, unsigned partition, uint64_t offset, size_t length,
				 const struct glk_update *update, uint64_t time, uint64_t *old, struct glk_lease *lease)
{
	uint8_t block[GLK_LINK_LINE_BYTES] = { 0 };
	unsigned status = remote_lease_begin(remote, partition);

	glk_put_le64(block, update->operand);
	glk_put_le64(block + 8, update->compare);
	if (status == GLK_ST_OK)
		status = timed(remote, partition, offset, length, update->opcode - GLK_OP_FETCH_ADD + 1, time, block, lease);
	*old = remote->lease.old;
	return status;
}

/* --- responses --- */

static struct glk_remote_answer *remote_lease_take(struct glk_remote *remote, const struct glk_link_header *header)
{
	struct glk_remote_lease *lease = &remote->lease;
	unsigned index = (uint16_t)(header->tag - lease->first_tag);
	struct glk_remote_answer *a = &lease->of[index < GLK_REMOTE_BLOCKS ? index : 0];

	if (!lease->active || header->kind != lease->response || index >= lease->count || a->answered)
		return NULL;
	a->answered = true;
	a->status = header->partition;
	lease->left--;
	return a;
}

bool glk_remote_on_lease_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body,
				  size_t bytes)
{
	struct glk_remote_answer *a = remote_lease_take(remote, header);

	if (!a)
		return false;
	if (bytes >= 16) {
		a->wts = glk_get_le64(body);
		a->rts = glk_get_le64(body + 8);
	}
	if (bytes == 16 + GLK_LINK_LINE_BYTES && remote->lease.data)
		memcpy(remote->lease.data + (a - remote->lease.of) * (ptrdiff_t)GLK_LINK_LINE_BYTES, body + 16,
		       GLK_LINK_LINE_BYTES);
	return true;
}

bool glk_remote_on_timed_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body)
{
	struct glk_remote_answer *a = remote_lease_take(remote, header);

	if (!a)
		return false;
	if (a->status != GLK_LINK_DONE)
		return true;
	a->wts = glk_get_le64(body);
	a->rts = glk_get_le64(body + 8);
	remote->lease.old = glk_get_le64(body + 16);
	return true;
}

void glk_remote_leases_fail(struct glk_remote *remote)
{
	remote->lease.failed = remote->lease.active;
	remote->lease.left = 0;
}
