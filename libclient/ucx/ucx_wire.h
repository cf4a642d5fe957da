/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transport: messages between processes by UCX active messages, in order. Calls are made by one thread at a time; UCX calls
 * back only within them.
 */
#ifndef GLK_UCX_WIRE_H
#define GLK_UCX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glk_wire;

/* What the owner of a wire is called for, in glk_wire_progress() and glk_wire_send(). They must not send, connect or make
 * progress. */
struct glk_wire_events {
	/* A message, valid during the call. Of anyone: nothing about it is checked. */
	void (*received)(void *owner, const uint8_t *message, size_t bytes);
	/* A message whose sending took a while is sent, or lost with its connection. */
	void (*sent)(void *owner, void *cookie);
	/* A connection is broken. */
	void (*lost)(void *owner, unsigned process);
};

/* A connection to a process. */
struct glk_wire_end {
	struct glk_wire *wire;
	void *endpoint; /* or NULL */
	unsigned process;
};

/* `processes`: how many there may be. */
int glk_wire_open(const struct glk_wire_events *events, void *owner, unsigned processes, struct glk_wire **wire);
/* Calls nobody back any more. */
void glk_wire_close(struct glk_wire *wire);

/* Where others connect to; until the wire is closed. */
const void *glk_wire_address(const struct glk_wire *wire, size_t *bytes);

/* `watched`: whether someone else notices that the process is gone, so that transports may be used which do not. */
int glk_wire_connect(struct glk_wire *wire, struct glk_wire_end *end, const void *address, bool watched);
/* Waits until what was sent has left, or until this time of CLOCK_MONOTONIC; 0: not. */
void glk_wire_disconnect(struct glk_wire_end *end, uint64_t deadline);

/*
 * 1: sent; 0: the message must stay until sent() is called for it; or an error: nothing will come. The cookie begins with a
 * pointer to the wire.
 */
int glk_wire_send(const struct glk_wire_end *end, const void *message, size_t bytes, void *cookie);

/* Sends, receives. Returns false if there is nothing to do. */
bool glk_wire_progress(struct glk_wire *wire);
/* A descriptor that is readable when there is something to do, once glk_wire_arm() has returned true. */
int glk_wire_descriptor(const struct glk_wire *wire);
bool glk_wire_arm(struct glk_wire *wire);

#endif /* GLK_UCX_WIRE_H */
