/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peer-to-peer between emulated functions: stands for the PCIe switch when the card writes to another function's BAR. The
 * endpoint's process shares its memory and publishes its bus address; the card's process writes there. (Through QEMU, by
 * vfio-user messages, each access would take some hundred microseconds.)
 */
#ifndef GPULINK_EMU_FABRIC_H
#define GPULINK_EMU_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the endpoint's side --- */

struct fabric_memory {
	uint8_t *memory;
	uint64_t bytes;
	int memory_fd;
	int control_fd;
	struct fabric_control *control;
};

/** Creates an endpoint's memory, all zero. Returns 0 or a negative errno. */
int fabric_memory_create(struct fabric_memory *memory, uint64_t bytes);

/** Publishes the memory's bus address, and whether the endpoint decodes it, to all cards. */
void fabric_memory_place(struct fabric_memory *memory, uint64_t bus_address, bool decode);

/** Shares the memory with a connected card (`client`, a Unix socket). The connection stays open; its end notifies the card
 *  that the endpoint has exited. */
int fabric_memory_share(const struct fabric_memory *memory, int client);

/* --- the card's side --- */

struct fabric_peer {
	uint8_t *memory; /* NULL: disconnected */
	uint64_t bytes;
	const struct fabric_control *control;
	int socket;
};

/** Connects to an endpoint's fabric socket. Returns 0, or a negative errno (-EPROTO: not an endpoint). */
int fabric_connect(const char *path, struct fabric_peer *peer);
void fabric_disconnect(struct fabric_peer *peer);

/** The memory at [address, address + len), or NULL if this peer does not decode it. */
uint8_t *fabric_find(const struct fabric_peer *peer, uint64_t address, size_t len);

#endif /* GPULINK_EMU_FABRIC_H */
