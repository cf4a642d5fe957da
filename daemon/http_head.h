/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of HTTP/1 requests (RFC 9112), as far as a server of one resource needs them. */
#ifndef GPULINKD_HTTP_HEAD_H
#define GPULINKD_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

struct http_head {
	unsigned status; /**< of the answer: 200, 400, 404, 405 or 431 */
	bool body;	 /**< the answer has one: the method is not HEAD */
};

/**
 * Reads a head from its first bytes; `room`: the most that are read. False: it is not complete yet. Answers GET and HEAD of `path`,
 * whose query is ignored, with 200. Header fields are not read.
 */
bool http_head_read(const char *text, size_t bytes, size_t room, const char *path, struct http_head *head);

#endif /* GPULINKD_HTTP_HEAD_H */
