/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of other processes. Under the device's lock. */
#ifndef GLK_UCX_RECEIVE_H
#define GLK_UCX_RECEIVE_H

#include "ucx.h"

/* A message, of anyone. What is not ours or not in its form is dropped and counted. */
void glk_receive(struct ucx *u, const uint8_t *message, size_t bytes);

/*
 * A packet from a process, with GLK_PACKET_SLACK readable bytes behind. Returns whether it is done with; else whoever keeps it
 * calls glk_peer_applied() when it and all packets of that process before it are.
 */
bool glk_receive_packet(struct ucx *u, uint32_t process, const uint8_t *packet, size_t bytes);

#endif /* GLK_UCX_RECEIVE_H */
