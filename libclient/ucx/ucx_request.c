// SPDX-License-Identifier: Apache-2.0
#include "ucx_request.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_peer.h"

#define REQUESTS_MAX 64u /* to a process, without an answer */

struct ucx_request {
	struct ucx_request *next; /* of the bucket */
	uint64_t id;
	uint32_t process;
	uint32_t bytes, width; /* of the answer, and what of it goes to `to` */
	uint8_t *to;	       /* or NULL */
	struct ucx_asker asker;
};

bool glk_request_has_room(const struct ucx *u, uint32_t process)
{
	return u->peers[process].lost || u->peers[process].requests < REQUESTS_MAX;
}

/* Takes a request out of its bucket. */
static void ucx_request_finish(struct ucx *u, struct ucx_request **link, uint32_t status)
{
	struct ucx_request *r = *link;

	*link = r->next;
	u->peers[r->process].requests--;
	if (r->asker.done) {
		r->asker.done(r->asker.owner, r->asker.place, status);
		u->news = true;
	}
	free(r);
}

/* Sends a request whose body begins with an id. */
static uint32_t ask(struct ucx *u, enum glk_record type, void *body, size_t body_bytes, const struct ucx_request *request)
{
	struct ucx_request *r = malloc(sizeof(*r));
	uint64_t id = htole64(u->next_id);
	void *record = r ? glk_peer_record(u, request->process, type, body_bytes) : NULL;

	if (!record) {
		free(r);
		return GLK_ST_ENDPOINT;
	}
	memcpy(body, &id, sizeof(id));
	memcpy(record, body, body_bytes);
	*r = *request;
	r->id = u->next_id++;
	r->next = u->requests[r->id % UCX_BUCKETS];
	u->requests[r->id % UCX_BUCKETS] = r;
	u->peers[r->process].requests++;
	return GLK_ST_OK;
}

uint32_t glk_request_load(struct ucx *u, uint32_t process, uint64_t offset, void *to, size_t bytes,
			  const struct ucx_asker *asker)
{
	const struct ucx_request request = {
		.process = process, .bytes = (uint32_t)bytes, .width = (uint32_t)bytes, .to = to, .asker = *asker,
	};
	struct glk_record_load load = { .offset = htole64(offset), .bytes = htole32((uint32_t)bytes) };

	return ask(u, GLK_RECORD_LOAD, &load, sizeof(load), &request);
}

uint32_t glk_request_atomic(struct ucx *u, uint32_t process, uint64_t offset, const struct ucx_atomic *atomic, void *to,
			    const struct ucx_asker *asker)
{
	const struct ucx_request request = {
		.process = process, .bytes = 8, .width = atomic->bytes, .to = to, .asker = *asker
	};
	struct glk_record_atomic body = {
		.offset = htole64(offset), .operand = htole64(atomic->operand), .compare = htole64(atomic->compare),
		.operation = htole32(atomic->operation), .bytes = htole32(atomic->bytes),
	};

	return ask(u, GLK_RECORD_ATOMIC, &body, sizeof(body), &request);
}

uint32_t glk_request_release(struct ucx *u, uint32_t process, const struct ucx_asker *asker)
{
	const struct ucx_request request = { .process = process, .asker = *asker };
	uint64_t id;

	return ask(u, GLK_RECORD_RELEASE, &id, sizeof(id), &request);
}

bool glk_request_answer(struct ucx *u, uint32_t process, const uint8_t *body, size_t bytes)
{
	struct glk_record_answer answer;
	struct ucx_request **link, *r;
	uint64_t id;

	if (bytes < sizeof(answer))
		return false;
	memcpy(&answer, body, sizeof(answer));
	id = le64toh(answer.id);
	for (link = &u->requests[id % UCX_BUCKETS]; *link && (*link)->id != id; link = &(*link)->next)
		;
	r = *link;
	if (!r || r->process != process || le32toh(answer.status) >= GLK_ST_COUNT ||
	    bytes != sizeof(answer) + (answer.status ? 0 : r->bytes))
		return false;
	if (!answer.status && r->to)
		memcpy(r->to, body + sizeof(answer), r->width);
	ucx_request_finish(u, link, le32toh(answer.status));
	return true;
}

void glk_requests_fail(struct ucx *u)
{
	for (unsigned b = 0; b < UCX_BUCKETS; b++)
		for (struct ucx_request **link = &u->requests[b]; *link;) {
			if (u->peers[(*link)->process].lost)
				ucx_request_finish(u, link, GLK_ST_ENDPOINT);
			else
				link = &(*link)->next;
		}
}

void glk_requests_cancel(struct ucx *u, const void *owner)
{
	for (unsigned b = 0; b < UCX_BUCKETS; b++)
		for (struct ucx_request *r = u->requests[b]; r; r = r->next)
			if (r->asker.owner == owner) {
				r->asker.done = NULL; /* the answer is still expected */
				r->to = NULL;
			}
}

void glk_requests_discard(struct ucx *u, const uint8_t *memory, uint64_t bytes)
{
	for (unsigned b = 0; b < UCX_BUCKETS; b++)
		for (struct ucx_request *r = u->requests[b]; r; r = r->next)
			if (r->to && (uintptr_t)r->to - (uintptr_t)memory < bytes)
				r->to = NULL;
}
