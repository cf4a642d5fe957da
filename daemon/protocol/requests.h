/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of docs/protocol.md: one JSON object in, one out. gpulinkd runs those that come by its socket,
 * gpulinkctl --direct runs its own in its own process, so both ways answer alike.
 */
#ifndef GPULINKD_REQUESTS_H
#define GPULINKD_REQUESTS_H

#include <stdbool.h>

struct json_object;

/**
 * Runs a request: any JSON value, of which only well-formed requests do anything. `may_change`: the one who asks may
 * change the cards; otherwise changing operations answer EACCES. Returns the answer, which the caller owns; NULL
 * when there is no memory for one. Thread-safe.
 */
struct json_object *request_run(struct json_object *request, bool may_change);

/** An answer {"id":ID,"ok":false,"error":{...}}. `id` may be NULL, and is not taken over. */
struct json_object *request_error(struct json_object *id, const char *code, const char *message);

/** The name of a libgpulink error code in the protocol, with or without its sign: "EINVAL". Static text. */
const char *request_code_name(int code);

#endif /* GPULINKD_REQUESTS_H */
