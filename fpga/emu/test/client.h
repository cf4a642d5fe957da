/* SPDX-License-Identifier: Apache-2.0 */
/* A vfio-user client for tests: behaves like QEMU, or violates the protocol on request. */
#ifndef GPULINK_EMU_TEST_CLIENT_H
#define GPULINK_EMU_TEST_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../vfio/vfio_user.h"
#include "../vfio/vfio_user_wire.h"

#define CLIENT_CONFIG VFU_REGION_CONFIG
#define CLIENT_GOOD_CAPABILITIES "{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576}}"

struct client {
	int fd; /* -1: not connected */
	uint16_t id;
	/* The last reply. Its file descriptors are closed by the next request. */
	struct vfu_header header;
	uint8_t payload[VFU_MESSAGE_MAX];
	size_t bytes;
	int fds[VFU_FDS_MAX];
	unsigned fd_count;
};

/*
 * Functions that return int return 0 or a negative errno: the server's error, -ECONNRESET if it disconnected, or -ETIMEDOUT
 * after ten seconds.
 */

/** Connects, waiting until somebody listens at `path`. No message yet. */
int client_connect(struct client *client, const char *path);
void client_close(struct client *client);
/** Connects and agrees on a version. */
int client_open(struct client *client, const char *path);

/** Sends bytes as they are. */
int client_send(struct client *client, const void *bytes, size_t len, const int *fds, unsigned fd_count);
/** Receives one message into the client's header, payload, bytes and fds. */
int client_receive(struct client *client);
/** Sends a command and receives its reply. -EPROTO: the reply is none to it. */
int client_request(struct client *client, unsigned command, const void *payload, size_t bytes, const int *fds,
		   unsigned fd_count);
/** The header of a command with that much payload; takes a new id. */
struct vfu_header client_header(struct client *client, unsigned command, size_t bytes);

int client_version(struct client *client, const char *capabilities);
int client_region_info(struct client *client, unsigned region, struct vfu_wire_region_info *info);
int client_irq_info(struct client *client, unsigned index, struct vfu_wire_irq_info *info);
int client_read(struct client *client, unsigned region, uint64_t offset, void *data, size_t len);
int client_write(struct client *client, unsigned region, uint64_t offset, const void *data, size_t len);
int client_dma_map(struct client *client, uint64_t address, uint64_t size, uint64_t offset, uint32_t flags, int fd);
int client_dma_unmap(struct client *client, uint64_t address, uint64_t size, uint32_t flags);
/** Gives MSI-X vectors their eventfds. */
int client_set_vectors(struct client *client, unsigned start, unsigned count, const int *fds, unsigned fd_count);
int client_reset(struct client *client);

/** Configuration space; 0xffffffff when it cannot be read. */
uint32_t client_config(struct client *client, uint64_t offset, size_t len);
int client_set_config(struct client *client, uint64_t offset, size_t len, uint32_t value);
/** Offset of a capability; 0: not there. */
unsigned client_find_capability(struct client *client, unsigned id);
/** Asks for a function-level reset as a driver does. */
int client_function_level_reset(struct client *client);

#endif /* GPULINK_EMU_TEST_CLIENT_H */
