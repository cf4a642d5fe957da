/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of docs/protocol.md: one JSON object in, one out. gpulinkd runs the requests of its clients, and
 * gpulinkctl --direct runs its own in-process, so that both give the same answers.
 */
#ifndef GPULINKD_REQUESTS_H
#define GPULINKD_REQUESTS_H

#include <stdbool.h>

struct json_object;
struct program_files;

/**
 * Runs a request, which may be any JSON value; a malformed one gives an error answer. `may_change`: the client may change
 * cards; without it, changing operations answer EACCES. Returns the answer, owned by the caller, or NULL if out of
 * memory. Thread-safe. `files`: that came with the request, or NULL; they stay the caller's.
 */
struct json_object *request_run(struct json_object *request, bool may_change, const struct program_files *files);

/** Returns {"id":ID,"ok":false,"error":{...}}, or NULL if out of memory. `id` may be NULL and stays the caller's. */
struct json_object *request_error(struct json_object *id, const char *code, const char *message);

/** Returns the protocol's name of a libgpulink error code, negated or not: "EINVAL". Static. */
const char *request_code_name(int code);

#endif /* GPULINKD_REQUESTS_H */
