/* SPDX-License-Identifier: Apache-2.0 */
/* Generates random messages. */
#ifndef GPULINK_EMU_TEST_HOSTILE_DRAFT_H
#define GPULINK_EMU_TEST_HOSTILE_DRAFT_H

#include "client.h"
#include "hostile.h"

#define DRAFT_BYTES_MAX (VFU_MESSAGE_MAX + 4096u)
#define DRAFT_FDS_MAX	24u
#define DRAFT_HOST	UINT64_C(0x80000000) /* where the card may find memory */
#define DRAFT_HOST_BYTES 0x100000u
#define DRAFT_CONTEXTS	4u

/* File descriptors sent with a message. */
enum {
	FILE_MEMORY,
	FILE_EVENT,
	FILE_EMPTY,
	FILE_PIPE_READ,
	FILE_PIPE_WRITE,
	FILE_NULL,
	FILE_FOLDER,
	FILE_READ_ONLY,
	FILE_PATH,
	FILE_EPOLL,
	FILE_SOCKET, /* last: the server disconnects */
	FILES
};

struct hostile {
	const struct hostile_target *target;
	struct client client;
	uint64_t random; /* state of the generator */
	int files[FILES];
};

struct draft {
	struct vfu_header header;
	uint8_t payload[DRAFT_BYTES_MAX];
	size_t bytes; /* of payload */
	int fds[DRAFT_FDS_MAX];
	unsigned fd_count;
	bool socket; /* is among them */
};

uint64_t hostile_any(struct hostile *h);
/** 0 .. n-1. */
unsigned hostile_below(struct hostile *h, unsigned n);
bool hostile_one_in(struct hostile *h, unsigned n);
/** A boundary value. */
uint64_t hostile_number(struct hostile *h);

/** A command with a valid header and random contents. */
void draft_message(struct hostile *h, struct draft *draft);

/** Configures the card like a driver, so that later messages reach more of it. */
void draft_prelude(struct hostile *h);
/** Changes memory under the card: other ring entries, or truncated. */
void draft_disturb_memory(struct hostile *h);

#endif /* GPULINK_EMU_TEST_HOSTILE_DRAFT_H */
