/* SPDX-License-Identifier: Apache-2.0 */
/* The trace format's numbers: docs/trace-format.md. */
#ifndef REPLAY_TRACE_GLT_H
#define REPLAY_TRACE_GLT_H

enum {
	GLT_SLOT = 24, /* bytes of a record */
	GLT_HEADER = 2 * GLT_SLOT,
	GLT_VERSION = 1,

	/* The header's fields. */
	GLT_AT_VERSION = 8,
	GLT_AT_GPUS = 12,
	GLT_AT_RESERVED = 16,

	/* A record's. */
	GLT_AT_TIME = 0,
	GLT_AT_ADDRESS = 8,
	GLT_AT_SIZE = 16,
	GLT_AT_KIND = 20,
	GLT_AT_SOURCE = 21,
	GLT_AT_DESTINATION = 22,
	GLT_AT_FORM = 23,

	GLT_FORM_RUN = 0,
	GLT_FORM_MASK = 1,

	/* Kinds beside those of operations. */
	GLT_KIND_MASK = 128,
	GLT_KIND_END = 255,
};

#define GLT_MAGIC "\x89GLT\r\n\x1a\n"
enum { GLT_MAGIC_BYTES = 8 };

#endif /* REPLAY_TRACE_GLT_H */
