/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer-to-peer path between emulated functions: what a PCIe switch does when the card writes to the BAR of a
 * neighbour. The endpoint's process shares its memory and tells under which bus address it answers; the card's process
 * writes there. (A vfio-user server could ask QEMU to do so by messages, at a hundred microseconds each.)
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

/** Makes the memory of an endpoint, all zero. Returns 0 or a negative errno. */
int fabric_memory_create(struct fabric_memory *memory, uint64_t bytes);

/** Tells all cards where the memory answers now, and whether it does. */
void fabric_memory_place(struct fabric_memory *memory, uint64_t bus_address, bool decode);

/** Shares the memory with a card that connected (`client`, a Unix socket). The connection stays open: its end tells the
 *  card that the endpoint is gone. */
int fabric_memory_share(const struct fabric_memory *memory, int client);

/* --- the card's side --- */

struct fabric_peer {
	uint8_t *memory; /* NULL: gone */
	uint64_t bytes;
	const struct fabric_control *control;
	int socket;
};

/** Connects to an endpoint's fabric socket. Returns 0, or a negative errno (-EPROTO: not an endpoint). */
int fabric_connect(const char *path, struct fabric_peer *peer);
void fabric_disconnect(struct fabric_peer *peer);

/** The memory behind [address, address + len), or NULL when this peer does not answer there. */
uint8_t *fabric_find(const struct fabric_peer *peer, uint64_t address, size_t len);

#endif /* GPULINK_EMU_FABRIC_H */
