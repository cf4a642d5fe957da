/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-hop routing (route/): this process as relay of others' stores, and of its own to its column. Under the device's lock. All
 * functions but glk_hop_open() need u->hop.
 */
#ifndef GLK_UCX_HOP_H
#define GLK_UCX_HOP_H

#include "../route/route.h"
#include "ucx.h"
#include "ucx_request.h"

/* For devices with routing, once all processes have met; else without effect. 0 or ENOMEM. */
int glk_hop_open(struct ucx *u);
void glk_hop_close(struct ucx *u);

const struct glk_route *glk_hop_route(const struct ucx *u);

/* Whether packets to the column can be passed on: those that come meanwhile are kept. */
bool glk_hop_has_room(const struct ucx *u);
/* A packet of a process, also of this one if there is room, with GLK_PACKET_SLACK readable bytes behind. Returns as
 * glk_receive_packet(). */
bool glk_hop_packet(struct ucx *u, uint32_t from, const uint8_t *packet, size_t bytes);

/* Releases what this process, as source, has stored by way of a relay: `asker` is called once. Returns a status, as a request.
 */
uint32_t glk_hop_release(struct ucx *u, uint32_t relay, const struct ucx_asker *asker);
/* The body of another process's request for that. Returns whether it is one. */
bool glk_hop_asked(struct ucx *u, uint32_t from, const uint8_t *body, size_t bytes);

/* The requests of an owner in this process are not answered any more. */
void glk_hop_cancel(struct ucx *u, const void *owner);

/* Goes on with packets that were kept, and answers releases that are done. */
void glk_hop_run(struct ucx *u);

/* Tells the relays of this process that it needs them no longer; whether all those that it is a relay for have done so, or are
 * lost. */
void glk_hop_leave(struct ucx *u);
void glk_hop_left(struct ucx *u, uint32_t from);
bool glk_hop_all_left(const struct ucx *u);
/* Sends what waits to be passed on. */
void glk_hop_flush(struct ucx *u);

#endif /* GLK_UCX_HOP_H */
