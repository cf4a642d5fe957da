/* SPDX-License-Identifier: Apache-2.0 */
/* A client's session, shared by transport (vfio_user.c) and messages (vfio_user_messages.c). The transport calls the message
 * handlers, never the reverse. */
#ifndef GPULINK_VFIO_USER_SESSION_H
#define GPULINK_VFIO_USER_SESSION_H

#include "vfio_user.h"
#include "vfio_user_wire.h"

struct vfu_session {
	const struct vfu_function *function;
	int fd;
	bool agreed; /* version negotiated; required for all other messages */
	size_t used;
	int fds[VFU_FDS_MAX]; /* of the message being received */
	unsigned fd_count;
	uint8_t buffer[VFU_MESSAGE_MAX];
	uint8_t reply[VFU_MESSAGE_MAX];
};

/* A complete message. A handler that keeps a descriptor replaces it by -1; the others are closed by the transport. */
struct vfu_message {
	struct vfu_header header;
	const uint8_t *payload;
	size_t bytes;
	int *fds;
	unsigned fd_count;
};

/* The reply to a message; its payload is in session->reply. */
struct vfu_answer {
	int error;    /* 0 or a negative errno, for the client */
	size_t bytes; /* of payload */
	int fd;	      /* sent along; -1: none */
};

/* Carries out a message and fills in the answer. Returns 0, or a negative errno that ends the session. */
int vfu_handle(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer);

#endif /* GPULINK_VFIO_USER_SESSION_H */
