/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of docs/protocol.md: one JSON object in, one out. gpulinkd runs the requests of its clients, and
 * gpulinkctl --direct runs its own in-process, so that both give the same answers.
 */
#ifndef GPULINKD_REQUESTS_H
#define GPULINKD_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

struct failure;
struct json_object;
struct program_files;

/** What a client may do: query cards; also change them; also what only root may: reload the configuration, and load logic that
 *  nobody has signed. */
enum request_right { REQUEST_QUERY, REQUEST_CHANGE, REQUEST_ALL };

/**
 * Runs a request, which may be any JSON value; a malformed one gives an error answer. An operation that the client has no right
 * to answers EACCES. Returns the answer, owned by the caller, or NULL if out of memory. Thread-safe. `files`: that came with
 * the request, or NULL; they stay the caller's.
 */
struct json_object *request_run(struct json_object *request, enum request_right right, const struct program_files *files);

/**
 * Whether files must not come with the request: NULL if its operation takes some and the client has the right to it, else the
 * error answer, owned by the caller. NULL also if out of memory, which request_run() then reports.
 */
struct json_object *request_refuse_files(struct json_object *request, enum request_right right);

/** Whether the request's operation changes something, and the client has the right to it. False if `request` is no request. */
bool request_changes(struct json_object *request, enum request_right right);

/** Sets what the operation reload calls: 0, or the code of *failure, for the client. Without it the operation is not supported.
 * For the whole process. */
void request_on_reload(int (*reload)(void *user, struct failure *failure), void *user);

/** Returns {"id":ID,"ok":false,"error":{...}}, with the code's name, or NULL if out of memory. `id` may be NULL and stays the
 * caller's. */
struct json_object *request_error(struct json_object *id, int code, const char *message);

/** The setting of partitions without which one has no effect, or -1. */
int setting_needs(unsigned setting);

/** Writes the names of `first` to `end` - 1 as "a, b, c". Returns the text. */
const char *list_names(char *text, size_t room, const char *(*name)(unsigned index), unsigned first, unsigned end);

#endif /* GPULINKD_REQUESTS_H */
