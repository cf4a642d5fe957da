/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the other card asks of this one. Posted packets and atomics are carried out when they arrive; requests whose answer
 * confirms visible writes wait for that, in a list for each partition; answers that find no room in the cluster queue wait in
 * one list. The credits of a request are returned with its answer, so there are never more requests than places. Internal to
 * the model.
 *
 * Requests are never trusted: partition, offset and length are checked against open partitions before each access.
 */
#ifndef GLK_SERVE_H
#define GLK_SERVE_H

#include "base/common.h"
#include "link/card_link.h"
#include "window/endpoint.h"

#define GLK_SERVE_REQUESTS (GLK_LINK_POSTED_ROOM + GLK_LINK_REQUEST_ROOM) /* that can be unanswered: one for each credit */

/* A request of the other card that is not answered yet. */
struct glk_request {
	uint16_t next; /* in its list */
	uint16_t tag, pieces;
	uint8_t kind, partition, status;
	uint64_t value;	 /* where to read, or the value to answer */
	uint64_t time, wts; /* of a lease request; of a timed request the lease to answer is [wts, time] */
	uint64_t mark;	 /* done when that many of the endpoint's writes are acknowledged */
	uint64_t failed; /* failures of the endpoint when the request arrived */
};

struct glk_request_list {
	uint16_t first, last; /* GLK_SERVE_REQUESTS: none */
};

/* What the other card has sent to a partition of this one. */
struct glk_serve_partition {
	uint32_t received;   /* posted packets since the session began */
	bool refused;	     /* one of them was, since the last release */
	uint64_t reported;   /* failures of the endpoint that releases have reported */
	uint16_t release;    /* the release that waits; GLK_SERVE_REQUESTS: none */
	uint32_t release_to; /* for that many posted packets */
	bool release_marked; /* all have arrived: now it waits for its mark */
	struct glk_request_list waiting;
};

struct glk_serve {
	struct glk_common *common;
	struct glk_card_link *link;
	struct glk_endpoints *endpoints;
	struct glk_serve_partition of[GLK_LINK_PARTITIONS];
	struct glk_request requests[GLK_SERVE_REQUESTS];
	struct glk_request_list answers;
	uint16_t free;
};

/* Whether the other card may access the partition, and bytes of it. */
static inline bool glk_serve_is_open(const struct glk_serve *serve, unsigned partition)
{
	return glk_enabled(serve->common) && serve->endpoints->partitions[partition].open &&
	       glk_endpoint_own(serve->endpoints, partition);
}

static inline bool glk_serve_may_reach(const struct glk_serve *serve, unsigned partition, uint64_t offset, uint64_t length)
{
	return glk_serve_is_open(serve, partition) && glk_endpoint_holds(serve->endpoints, partition, offset, length);
}

/* A session begins or ends: no request is left. Also once before the first session. */
void glk_serve_reset(struct glk_serve *serve);
/* A posted packet or a request from the other card. */
void glk_serve_packet(struct glk_serve *serve, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces);
/* Endpoint writes of the partition were acknowledged. */
void glk_serve_acknowledged(struct glk_serve *serve, unsigned partition);
/* Queues the answers for which there is room. */
void glk_serve_push(struct glk_serve *serve);

#endif /* GLK_SERVE_H */
